"""The names that programs of users rely on: commands, routes, settings, words in JSON. See docs/decisions/0062."""

import json
import re
from inspect import unwrap
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from echomind.cli.app import app
from echomind.cli.profiles import FOLDER_VARIABLE, Profile, Profiles, read_profiles, write_profiles
from echomind_lib.config import Settings
from echomind_lib.contract.http_call import http_rule
from echomind_lib.models import public
from tests.drivers.api_server import ApiServer, about
from tests.drivers.shell import Shell, shell_environment
from tests.drivers.tables import for_each
from tests.factories.variables import settings_of
from tests.paths import ROOT

COMMANDS = """
    up --data-dir DIR --host 0.0.0.0 --http-port 8080 --grpc-port 50051 --agents 2 --ingestors 2 --no-browser
    up --check
    ingest README.md docs --connector NAME --scope group --group NAME --wait --json
    ask QUESTION --session 7 --assistant NAME --json
    search QUERY --limit 5 --json
    llms add NAME --provider openai --model M --endpoint http://gpu:8000/v1 --provider-key K --default
    llms list
    llms test NAME
    llms remove NAME
    runs list --json
    runs show ID --json
    runs watch ID
    runs pause ID
    runs resume ID
    runs cancel ID
    runs input ID TEXT
    connectors list
    users list
    users recover NAME
    keys list
    dlq list
    dlq show 7
    dlq replay 7
    embeddings list --json
    embeddings add NAME --endpoint http://gpu:8080
    embeddings test 7
    embeddings activate 7 --wait
    embeddings rollback
    embeddings status
    eval retrieval DIR --json
    eval run DATASET
    eval compare 7 8
    import traces FILE.db
    import openwebui FILE
    import librechat FILE
    import chatgpt FILE
    import onyx FILE
    import anythingllm FILE
    backup FILE --data-dir DIR
    restore FILE --data-dir DIR
    doctor
    mcp
    login --url https://echomind.example.org --profile NAME
    logout
    profiles
    audit list
    audit export
    audit verify
    secrets rotate
"""
COMMON = ("ask QUESTION", "runs list", "dlq list", "embeddings list", "mcp", "doctor")
"""Commands of the API take these options."""
ROUTES = """
    POST /api/v1/chat-sessions
    GET /api/v1/chat-sessions
    POST /api/v1/chat-sessions/*/messages
    POST /api/v1/chat-sessions/*/messages:stream
    GET /api/v1/chat-sessions/*/events
    GET /api/v1/runs/*
    POST /api/v1/runs/*:pause
    POST /api/v1/runs/*:resume
    POST /api/v1/runs/*:cancel
    POST /api/v1/runs/*:provideInput
    GET /api/v1/runs/*/steps
    GET /api/v1/connectors
    POST /api/v1/connectors/*:sync
    GET /api/v1/documents
    POST /api/v1/search
    GET /api/v1/assistants
    GET /api/v1/llms
    GET /api/v1/embedding-models
    GET /api/v1/notebooks
    GET /api/v1/memories
    GET /api/v1/knowledge
    GET /api/v1/users/me
    GET /api/v1/api-keys
    GET /api/v1/usage
    GET /api/v1/identity-providers
"""
OTHER_ROUTES = (
    "/documents:upload",
    "/api/v1/chat-sessions/{chat_session_id}/events/ws",
    "/api/v1/openapi.json",
    '"/docs"',
    '"/healthz"',
    '"/readyz"',
    '"/metrics"',
    "/oidc/{provider}",
    "/oidc/{provider}/callback",
    "/oidc/{provider}/backchannel-logout",
    'PREFIX: Final = "/scim"',
    '"/mcp"',
)
"""Routes that the contract does not have; they are tested where they are served."""
SETTINGS = """
    ECHOMIND_POSTGRES__URL ECHOMIND_NATS__URL ECHOMIND_QDRANT__URL ECHOMIND_S3__ENDPOINT ECHOMIND_S3__ACCESS_KEY
    ECHOMIND_S3__SECRET_KEY ECHOMIND_S3__BUCKET ECHOMIND_AUTH__MODE ECHOMIND_AUTH__ISSUER ECHOMIND_AUTH__CLIENT_ID
    ECHOMIND_AUTH__CLIENT_SECRET ECHOMIND_AUTH__AUDIENCE ECHOMIND_AUTH__ROLE_GROUPS ECHOMIND_SECRETS__KEYS
    ECHOMIND_TELEMETRY__OTLP_ENDPOINT ECHOMIND_TELEMETRY__HEADERS ECHOMIND_TELEMETRY__LANGFUSE_URL
    ECHOMIND_TELEMETRY__LANGFUSE_PUBLIC_KEY ECHOMIND_TELEMETRY__LANGFUSE_SECRET_KEY ECHOMIND_TELEMETRY__CONTENT
    ECHOMIND_DATA_DIR
"""
FILES = """
    deploy/Dockerfile deploy/compose.yaml deploy/helm/echomind/ci deploy/systemd deploy/authentik deploy/dashboards
    bin/echomind .ci/run
"""
TARGETS = {"up", "test", "gen", "lint", "types", "bench", "e2e", "chaos", "images", "help"}
IMPORTS = ("openwebui", "librechat", "chatgpt", "onyx", "anythingllm")
COMMAND: Any = typer.main.get_command(app)


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


def parsed(line: str) -> Any:
    """Returns the context of a command line, which is read with all of its values and not run."""
    command, words = COMMAND, line.split()
    while words and words[0] in getattr(command, "commands", {}):
        command = command.commands[words.pop(0)]
    return command.make_context(command.name, words)


@for_each("line", lines(COMMANDS))
def test_commands_are_understood(line: str) -> None:
    parsed(line.strip())


def test_commands_of_the_api_take_its_address_and_a_key() -> None:
    for line in COMMON:
        context = parsed(f"{line} --url http://127.0.0.1:9 --api-key k")
        assert (context.params["url"], context.params["api_key"]) == ("http://127.0.0.1:9", "k"), line


def test_other_names_of_a_command_are_the_same_command() -> None:
    groups = COMMAND.commands
    for other, own in (("dlq", "dead-letters"), ("embeddings", "embedding-models")):
        assert groups[other].hidden
        for name, command in groups[other].commands.items():
            assert unwrap(command.callback) is unwrap(groups[own].commands[name].callback), name
    imports = groups["import"].commands
    for name in IMPORTS:
        assert imports[name].hidden
        assert unwrap(imports[name].callback) is unwrap(imports["conversations"].callback)


def test_routes_exist() -> None:
    services = [getattr(public, name) for name in public.__all__ if name.endswith("Service")]
    methods = [
        service.__service__.methods_by_name[method.name] for service in services for method in service.__methods__
    ]
    rules = [rule for rule in map(http_rule, methods) if rule is not None]
    found = {f"{rule.verb} {re.sub(r'{[^}]+}', '*', rule.template)}" for rule in rules}
    assert {line.strip() for line in lines(ROUTES)} - found == set()
    sources = [*(ROOT / "services/api/echomind_api").rglob("*.py"), *(ROOT / "echomind_lib").rglob("*.py")]
    text = "".join(file.read_text() for file in sources if "gen" not in file.parts)
    assert [route for route in OTHER_ROUTES if route not in text] == []


def test_settings_files_and_targets_exist() -> None:
    assert set(SETTINGS.split()) - settings_of(Settings) == set()
    assert [name for name in FILES.split() if not (ROOT / name).exists()] == []
    assert set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)) >= TARGETS


def test_settings_without_a_name_describe_the_default_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "ISSUER": "https://id.example.org",
        "CLIENT_ID": "echomind",
        "CLIENT_SECRET": "s",
        "AUDIENCE": "https://echomind.example.org/mcp",
        "ROLE_GROUPS": '{"admins": "superadmin"}',
    }
    for name, value in given.items():
        monkeypatch.setenv(f"ECHOMIND_AUTH__{name}", value)
    provider = Settings().auth.providers["default"]
    assert (provider.issuer, provider.client_id, provider.audience) == (given["ISSUER"], "echomind", given["AUDIENCE"])
    assert (provider.client_secret.get_secret_value(), provider.roles) == ("s", {"admins": "superadmin"})


def test_words_of_the_contract_exist() -> None:
    for enum, names in (
        (public.AnswerBasis, "ANSWER_BASIS_SOURCES ANSWER_BASIS_NO_SOURCE_FOUND ANSWER_BASIS_MODEL_ONLY"),
        (public.SyncStatus, "SYNC_STATUS_FAILED SYNC_STATUS_NEEDS_ATTENTION"),
    ):
        assert set(names.split()) <= {member.value for member in enum}, enum
    fields = set(public.IdentityProvider.model_fields)
    assert {"name", "issuer", "client_id", "client_secret", "scopes"} <= fields


@pytest.fixture
def models(api: ApiServer) -> list[dict[str, Any]]:
    """Models of which one is active and two were."""

    def model(number: int, status: str, since: str) -> dict[str, Any]:
        state = {"status": f"EMBEDDING_MODEL_STATUS_{status}", "isActive": status == "ACTIVE", "statusSince": since}
        return {"id": number, "modelName": f"Model {number}", "modelId": f"m-{number}"} | state

    listed = [
        model(1, "STANDBY", "2026-11-20T00:00:00Z"),
        model(2, "ACTIVE", "2026-11-22T00:00:00Z"),
        model(3, "STANDBY", "2026-11-22T00:00:00Z"),
    ]
    api.on("EmbeddingModelService/ListEmbeddingModels", {"embeddingModels": listed})
    return listed


def test_embeddings_are_listed_rolled_back_and_looked_at(
    api: ApiServer, shell: Shell, models: list[dict[str, Any]]
) -> None:
    assert [each["id"] for each in shell.json("embeddings", "list")["embeddingModels"]] == ["1", "2", "3"]
    api.on(about("EmbeddingModelService/ActivateEmbeddingModel", id=3), models[2] | {"isActive": True})
    assert shell.json("embeddings", "rollback")["id"] == "3"
    api.on(about("EmbeddingModelService/GetEmbeddingIndexProgress", id=2), {"documents": 4, "done": 4})
    assert shell.json("embeddings", "status")["embeddingModel"]["id"] == "2"
    models[0]["status"] = "EMBEDDING_MODEL_STATUS_BUILDING"
    api.on(about("EmbeddingModelService/GetEmbeddingIndexProgress", id=1), {"documents": 4, "done": 1})
    assert shell.json("embeddings", "status")["progress"]["done"] == "1"


def test_there_may_be_nothing_to_go_back_to(api: ApiServer, shell: Shell) -> None:
    api.on("EmbeddingModelService/ListEmbeddingModels", {"embeddingModels": []})
    assert "activate NAME" in shell.run("embeddings", "rollback", code=1).stderr
    assert "No embedding model is active" in shell.run("embeddings", "status", code=1).stderr


def test_dead_letters_are_listed_and_put_back(api: ApiServer, shell: Shell) -> None:
    api.on("DeadLetterService/ListDeadLetters", {"deadLetters": [{"id": 5, "kind": "connector.sync"}]})
    api.on(about("DeadLetterService/ReplayDeadLetter", id=5), {"id": 5})
    assert [each["id"] for each in shell.json("dlq", "list")["deadLetters"]] == ["5"]
    assert shell.json("dlq", "replay", "5") == {"ids": ["5"]}


@for_each("program", IMPORTS)
def test_each_program_is_imported_by_its_name(api: ApiServer, shell: Shell, tmp_path: Path, program: str) -> None:
    file = tmp_path / "chat.json"
    file.write_text('{"title": "A"}')
    api.on("ImportService/ImportChatSession", {"isNew": True})
    assert shell.json("import", program, str(file))["imported"] == 1


def test_a_profile_is_signed_in_by_url_and_found_by_name(
    api: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "config"))
    api.on("UserService/GetCurrentUser", {"id": 2, "userName": "ann"})

    def run(*arguments: str, typed: str = "") -> str:
        result = CliRunner().invoke(app, list(arguments), input=typed, env=shell_environment())
        assert result.exit_code == 0, (result.stdout, result.stderr, result.exception)
        return result.stdout

    other = "https://echomind.example.org"
    write_profiles(Profiles("", {other: Profile("k", "ben", "work")}))
    signed_in = json.loads(run("login", "--url", api.url, "--profile", "work", "--json", typed="em_1\n"))
    assert signed_in == {"address": api.url, "userName": "ann", "name": "work"}
    assert json.loads(run("profiles", "--json")) == json.loads(run("profiles", "list", "--json"))
    assert {each["address"]: each["name"] for each in json.loads(run("profiles", "--json"))["profiles"]} == {
        api.url: "work",
        other: "",
    }
    run("profiles", "use", other)
    assert api.url in run("login", "--profile", "work", typed="em_2\n")
    assert (read_profiles().current, read_profiles().key(api.url)) == (api.url, "em_2")
    assert api.url in run("login", typed="em_3\n"), "without an address, it is the current one"
    assert read_profiles().by_address[api.url] == Profile("em_3", "ann", "work")
    assert run("logout", "work") == f"Signed out of {api.url}.\n"
