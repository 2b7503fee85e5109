"""`echomind eval retrieval`: its figures, and that it leaves nothing behind."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.drivers.api_server import UPLOAD, ApiServer, Call
from tests.drivers.document_store import Store, names
from tests.drivers.shell import Shell


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Three documents, one of them without any text, and two queries, one of them without a relevant document."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    documents = [
        {"id": "a", "title": "Leave", "text": "30 days."},
        {"id": "b", "title": "", "text": "Trains."},
        {"id": "c", "title": "", "text": ""},
    ]
    queries = [{"id": "q1", "text": "how many days"}, {"id": "q2", "text": "nothing"}]
    (folder / "docs.jsonl").write_text("\n".join(map(json.dumps, documents)))
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)))
    (folder / "qrels.tsv").write_text("query_id\tdoc_id\tscore\nq1\ta\t2\nq1\tb\t1\nq2\tb\t0\n")
    return folder


def serve_searches(api: ApiServer, store: Store) -> None:
    """Dense finds the wrong document first, and two passages of one; the others find the right one."""

    def search(call: Call) -> dict[str, Any]:
        ids = {source: int(document["id"]) for (_, source), document in store.documents.items()}
        order = ["b.txt", "b.txt", "a.txt"] if call.body["mode"] == "SEARCH_MODE_DENSE" else ["a.txt"]
        return {"hits": [{"documentId": str(ids[source]), "score": 0.5} for source in order]}

    api.on("SearchService/Search", search)
    api.on("ConnectorService/DeleteConnector", {})

    def create(call: Call) -> dict[str, Any]:
        return store.add_connector(call.body["name"], call.body["scope"].removeprefix("SCOPE_").lower())

    api.on("ConnectorService/CreateConnector", create)


def test_the_figures_of_each_mode(api: ApiServer, shell: Shell, store: Store, dataset: Path) -> None:
    serve_searches(api, store)
    result = shell.json("eval", "retrieval", str(dataset))
    assert (result["dataset"], result["documents"], result["queries"]) == ("tiny", 3, 1)
    # Ideal: 2 + 1 / log2(3). Dense puts b first; the others miss b.
    ideal = 2 + 1 / 1.5849625007211562
    assert result["dense"]["ndcg@10"] == pytest.approx((1 + 2 / 1.5849625007211562) / ideal)
    assert result["hybrid"]["ndcg@10"] == result["lexical"]["ndcg@10"] == pytest.approx(2 / ideal)
    assert [result[mode]["recall@100"] for mode in ("lexical", "dense", "hybrid")] == [0.5, 1, 0.5]
    assert result["hybrid"]["p50_ms"] > 0
    (connector,) = store.connectors
    assert (connector["name"], connector["scope"]) == ("eval-tiny", "SCOPE_ORG")
    assert names(store) == {"a.txt", "b.txt"}
    assert [title for call in api.sent(UPLOAD) for title in call.body["title"] if title] == ["Leave"]
    assert [call.body["connectorIds"] for call in api.sent("SearchService/Search")] == [[1], [1], [1]]
    assert len(api.sent("ConnectorService/DeleteConnector")) == 1


def test_documents_are_kept_on_request_and_not_sent_again(
    api: ApiServer, shell: Shell, store: Store, dataset: Path
) -> None:
    serve_searches(api, store)
    assert "hybrid" in shell.run("eval", "retrieval", str(dataset), "--keep").stdout
    api.calls.clear()
    shell.run("eval", "retrieval", str(dataset), "--keep")
    assert not api.sent(UPLOAD)
    assert not api.sent("ConnectorService/DeleteConnector")


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("docs.jsonl", '{"id": 1', "docs.jsonl, line 1 is not JSON"),
        ("queries.jsonl", '{"id": 1}', "queries.jsonl, line 1 needs the fields id, text"),
        ("qrels.tsv", "q1\ta\t1", "must begin with the line query_id"),
        ("qrels.tsv", "query_id\tdoc_id\tscore\nq1 a 1", "qrels.tsv, line 2"),
        ("qrels.tsv", "query_id\tdoc_id\tscore\nq9\ta\t1", "no queries with a relevant document"),
    ],
)
def test_a_damaged_test_set_is_named(shell: Shell, dataset: Path, file: str, text: str, message: str) -> None:
    (dataset / file).write_text(text)
    assert message in shell.run("eval", "retrieval", str(dataset), code=1).stderr


def test_a_missing_file_is_named(shell: Shell, tmp_path: Path) -> None:
    assert "docs.jsonl cannot be read" in shell.run("eval", "retrieval", str(tmp_path), code=1).stderr


def test_a_connector_that_is_no_tests_is_neither_emptied_nor_removed(
    api: ApiServer, shell: Shell, store: Store, dataset: Path
) -> None:
    serve_searches(api, store)
    for connector in ({"scope": "SCOPE_GROUP"}, {"userId": 9}):
        store.connectors = [store.add_connector("eval-tiny", "org") | connector]
        error = shell.run("eval", "retrieval", str(dataset), code=1).stderr
        assert "was not created by your evaluation" in error
    assert not api.changes()
