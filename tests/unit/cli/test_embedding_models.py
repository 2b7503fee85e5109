"""The commands about embedding models: switching with progress, failures, and going back."""

from typing import Any

import pytest

from echomind.cli.assistants import embedding_models
from tests.drivers.api_server import ApiServer, about
from tests.drivers.shell import Shell


def model(number: int, status: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": number,
        "modelName": f"Model {number}",
        "modelId": f"m-{number}",
        "modelDimension": 384,
        "status": f"EMBEDDING_MODEL_STATUS_{status}",
        "isActive": status == "ACTIVE",
    } | fields


@pytest.fixture(autouse=True)
def two_models(api: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding_models, "_POLL_SECONDS", 0.0)
    api.on("EmbeddingModelService/ListEmbeddingModels", {"embeddingModels": [model(1, "ACTIVE"), model(2, "IDLE")]})


def test_the_active_model_is_marked(api: ApiServer, shell: Shell) -> None:
    lines = shell.run("embedding-models", "list").stdout.splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [["*", "1"], ["2", "Model"]]


def test_switching_shows_how_far_it_is_and_waits(api: ApiServer, shell: Shell) -> None:
    api.on(about("EmbeddingModelService/ActivateEmbeddingModel", id=2), model(2, "BUILDING"))
    progress = {"documents": 130, "done": 30, "secondsLeft": 125}
    api.on(about("EmbeddingModelService/GetEmbeddingIndexProgress", id=2), progress)
    states = iter(["BUILDING", "BUILDING", "ACTIVE"])
    api.on(about("EmbeddingModelService/GetEmbeddingModel", id=2), lambda _: model(2, next(states)))
    result = shell.run("embedding-models", "activate", "m-2")
    assert result.stdout == "Model 2 is the active embedding model.\n"
    assert result.stderr.count("30 of 130 documents, 2 min 5 s left") == 1


def test_a_model_with_two_idle_indexes_is_named_by_its_id(api: ApiServer, shell: Shell) -> None:
    listed = [model(1, "ACTIVE"), model(2, "IDLE", modelId="m"), model(3, "IDLE", modelId="m")]
    api.on("EmbeddingModelService/ListEmbeddingModels", {"embeddingModels": listed})
    assert "use one of the ids 2, 3" in shell.run("embedding-models", "activate", "m", code=1).stderr


def test_without_waiting_it_says_how_to_look(api: ApiServer, shell: Shell) -> None:
    api.on(about("EmbeddingModelService/ActivateEmbeddingModel", id=2), model(2, "BUILDING"))
    assert "show 2" in shell.run("embedding-models", "activate", "Model 2", "--no-wait").stdout


def test_documents_that_fail_end_the_wait_with_their_reason(api: ApiServer, shell: Shell) -> None:
    api.on(about("EmbeddingModelService/ActivateEmbeddingModel", id=2), model(2, "BUILDING"))
    failed = {"documents": 3, "done": 2, "failed": 1, "failures": [{"documentId": 7, "message": "Too long."}]}
    api.on(about("EmbeddingModelService/GetEmbeddingIndexProgress", id=2), failed)
    text = shell.run("embedding-models", "activate", "2", code=1).stderr
    assert "document 7: Too long." in text
    assert "--without-failed" in text


def test_an_index_is_deleted_when_that_was_confirmed(api: ApiServer, shell: Shell) -> None:
    api.on(about("EmbeddingModelService/DropEmbeddingIndex", id=2), model(2, "DROPPING"))
    assert "is being deleted" in shell.run("embedding-models", "drop-index", "2", "--yes").stdout


def test_an_unknown_model_is_named(shell: Shell) -> None:
    assert "Known: Model 1, Model 2." in shell.run("embedding-models", "show", "none", code=1).stderr


def test_a_model_of_a_server_is_added(api: ApiServer, shell: Shell) -> None:
    expected = {
        "modelName": "Acme",
        "modelId": "acme/embed",
        "endpoint": "http://gpu:8080",
        "protocol": "EMBEDDING_PROTOCOL_TEI",
        "queryPrefix": "query: ",
    }
    added = model(3, "IDLE", modelName="Acme", languages=["en", "de"])
    api.on("EmbeddingModelService/CreateEmbeddingModel", added)
    options = (
        "--endpoint",
        "http://gpu:8080",
        "--model",
        "acme/embed",
        "--protocol",
        "tei",
        "--query-prefix",
        "query: ",
    )
    said = shell.run("embedding-models", "add", "Acme", *options).stdout
    assert "Added Acme (id 3): 384 dimensions, languages en, de." in said
    (call,) = api.sent("EmbeddingModelService/CreateEmbeddingModel")
    assert expected.items() <= call.body.items()


def test_a_model_of_a_server_is_changed_tested_and_removed(api: ApiServer, shell: Shell) -> None:
    api.on(about("EmbeddingModelService/UpdateEmbeddingModel", id=2), model(2, "IDLE"))
    assert "Changed Model 2" in shell.run("embedding-models", "update", "2", "--endpoint", "http://gpu:1").stdout
    assert [call.body for call in api.changes()] == [{"endpoint": "http://gpu:1"}]
    assert "Say what to change" in shell.run("embedding-models", "update", "2", code=2).stderr
    api.on(about("EmbeddingModelService/TestEmbeddingModel", id=2), {"ok": True, "message": "384", "latencyMs": 12})
    assert "Model 2 can be used (12 ms): 384" in shell.run("embedding-models", "test", "2").stdout
    api.on(about("EmbeddingModelService/TestEmbeddingModel", id=2), {"message": "tei at gpu:1 cannot be reached"})
    assert "cannot be used: tei at gpu:1" in shell.run("embedding-models", "test", "2", code=1).stderr
    api.on(about("EmbeddingModelService/DeleteEmbeddingModel", id=2), {})
    assert "Removed Model 2." in shell.run("embedding-models", "remove", "2", "--yes").stdout
