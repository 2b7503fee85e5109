"""Rules that each command keeps: how it describes itself, that it asks before it removes, ids in its `--json`."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from echomind.cli.app import app
from echomind.cli.help_format import summary
from echomind_lib.contract.http_call import http_rule
from echomind_lib.models import public
from tests.drivers.api_server import DOWNLOAD, EXPORT, READY, UPLOAD, ApiServer
from tests.drivers.shell import Shell
from tests.factories.messages import NUMBER, UUID, filled

NOT_ASKED = {
    "up": "starts EchoMind",
    "backup": "starts servers, see tests/e2e/restarts/upgraded/test_stop_and_start.py",
    "restore": "starts servers, see tests/e2e/restarts/upgraded/test_stop_and_start.py",
    "import conversations": "reads a file, see test_imports",
    "import traces": "reads a file, see test_import_traces",
    "ask": "follows a run, see test_ask",
    "messages edit": "follows a run, see test_ask",
    "messages regenerate": "follows a run, see test_ask",
    "runs watch": "follows a run, see test_waiting",
    "embedding-models activate": "waits until it is active, see test_embedding_models",
    "embedding-models rollback": "needs a model that was active, see test_fixed_names",
    "assistants mcp add": "adds what is not there, see test_assistants",
    "sessions watch": "never ends, see test_conversations",
    "users recover": "reads the database, see tests/integration/api/test_recover.py",
    "users password": "asks for a password, see test_commands",
    "stop": "stops EchoMind, see test_local_stack",
    "login": "waits for a person, see test_login",
    "logout": "calls no server, see test_login",
    "profiles list": "calls no server, see test_login",
    "profiles use": "calls no server, see test_login",
    "logs": "has no id",
    "connectors confirm": "needs a sync that waits, see test_connectors",
    "connectors reject": "needs a sync that waits, see test_connectors",
    "secrets rotate": "repeats its call, see tests/integration/api/test_secret_keys.py",
    "status": "has no id",
    "mcp": "passes messages on, see tests/e2e/test_mcp_server.py",
    "ingest": "walks over files, see test_ingest",
    "doctor": "has no id",
    "audit export": "writes JSON lines, see test_audit",
    "eval retrieval": "measures, see test_evaluate",
    "eval run": "follows an evaluation, see test_evaluations",
    "eval datasets import": "reads a file, see test_evaluations",
}
LOCAL = {"up", "stop", "logs", "backup", "restore", "login", "logout", "profiles"}
"""First words of the commands that find EchoMind otherwise."""
RECOVER = ("users", "recover")
"""A command that finds the database instead."""
GIVEN = {
    "legal-holds place": ["--session", "7", "--reason", "x"],
    "sessions update": ["--goal", "x"],
    "service-accounts add": ["--owner", "7"],
    "service-accounts update": ["--purpose", "x"],
    "groups update": ["--description", "x"],
    "keys limit": ["--tokens", "5"],
    "service-accounts limit-key": ["--tokens", "5"],
    "quotas add": ["--tokens", "5"],
    "quotas update": ["--tokens", "5"],
    "llms add": ["--provider", "openai", "--model", "m"],
    "llms update": ["--default"],
    "embedding-models add": ["--endpoint", "http://gpu:8080"],
    "embedding-models update": ["--endpoint", "http://gpu:8080"],
    "rerankers add": ["--endpoint", "http://gpu:8080", "--protocol", "tei"],
    "rerankers update": ["--candidates", "20"],
    "connectors update": ["--name", "x"],
    "shares give": ["--user", "x"],
    "shares withdraw": ["--user", "x"],
    "documents move": ["--to", "7"],
    "documents download": ["--output", "/dev/null", "--force"],
    "identity-providers add": ["--issuer", "https://id.example.org", "--client-id", "x"],
    "identity-providers update": ["--title", "x"],
    "users update": ["--active"],
    "users export": ["--output", "/dev/null", "--force"],
    "users add": [],
    "todos update": ["--title", "x"],
    "assistants update": ["--max-steps", "3"],
    "messages rate": ["--helpful"],
    "notebooks update": ["--title", "x"],
    "notebooks sources": ["--document", "7"],
    "knowledge rate": ["--helpful"],
    "knowledge update": ["--title", "x"],
    "knowledge approve": ["--revision", "1"],
    "preferences set": ["--theme", "dark"],
    "eval datasets update": ["--name", "x"],
    "webhooks update": ["--enable"],
    "notebooks notes add": ["--title", "x", "--content", "x"],
    "notebooks notes update": ["--title", "x"],
}
ASKS_FIRST = {
    "remove",
    "remove-token",
    "remove-key",
    "purge",
    "drop-index",
    "remove-others",
    "sign-out",
    "confirm",
    "discard",
    "retire",
    "reset",
    "erase",
    "release",
    "set-days",
    "disconnect",
}
"""Names of the commands that take something away, and so ask first."""
FAILS = {"audit verify": 1, "assistants tools": 1, "llms models": 1}
"""Exit codes of commands that everything being set makes fail."""
NOT_COMPLETED = {"client", "message_id", "checkpoint_id", "new_account", "new_client", "provider", "todo_id"}
"""Arguments whose values no list of all has."""
WORDS = {
    "data": "run_steps",
    "link": "x",
    "readers": "nobody",
    "memory": "off",
    "principal": "user:test:1",
    "email": "ann@example.org",
    "run_id": UUID,
    "provider": "seven",
    "client": "seven",
    "new_client": "seven",
    "token": "7",
    "switch": "on",
    "server": "seven",
    "template": "summary",
}


def walk(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        # Hidden ones are other names of the same commands, see test_fixed_names.
        if not below.hidden:
            yield from walk(below, (*path, name))


EVERY = list(walk(typer.main.get_command(app)))
LEAVES = [(path, command) for path, command in EVERY if not getattr(command, "commands", {})]
GROUPS = {group: list(found) for group, found in groupby(EVERY, lambda each: " ".join(each[0][:1]))}
"""The commands by their first word."""
by_group = pytest.mark.parametrize("group", [group or "echomind" for group in GROUPS])


@by_group
def test_help_has_no_words_of_python_and_describes_everything(group: str) -> None:
    for path, command in GROUPS["" if group == "echomind" else group]:
        text = CliRunner().invoke(app, [*path, "--help"], env={"COLUMNS": "100"}).stdout
        assert not re.search(r"<\w+[\[>]|list\[|Optional|\brange>|(?<!`)\{[A-Za-z]+\}|<=x|\bNone\b", text), text
        words = " ".join(text.split())
        shown = {name: below for name, below in getattr(command, "commands", {}).items() if not below.hidden}
        for name, below in shown.items():
            assert f"{name} {' '.join(summary(below).split())}" in words, f"{path} {name}: a summary is cut"
            assert len(summary(below)) <= 90, f"{path} {name}: the first sentence is long: move the rest down"
        for parameter in command.params:
            if parameter.name not in {"help", "install_completion", "show_completion"}:
                assert (parameter.help or "").endswith("."), (path, parameter.name)


def test_removals_ask_for_confirmation() -> None:
    for path, command in LEAVES:
        options = {name for parameter in command.params for name in parameter.opts}
        assert ("--yes" in options) == (path[-1] in ASKS_FIRST or path in {("connectors", "add"), ("logout",)}), path
        assert ({"--url", "--api-key", "--json"} <= options) == (path[0] not in LOCAL and path != RECOVER), path


def test_what_is_named_is_completed() -> None:
    named = re.compile(r"(ID|NAME\|ID|NAME|NOTEBOOK|SESSION|USER|RUN)(\.\.\.)?")
    missing = [
        (" ".join(path), parameter.name)
        for path, command in LEAVES
        for parameter in command.params
        if parameter.opts[0][0] != "-" and parameter.name not in NOT_COMPLETED
        if named.fullmatch(parameter.metavar or "") and parameter._custom_shell_complete is None
    ]
    assert missing == []


def test_wrong_values_are_explained_without_words_of_a_library(shell: Shell) -> None:
    for arguments, words in (
        (("search", "x", "--limit", "many"), "Invalid value for '--limit': 'many' must be a whole number."),
        (("search", "x", "--limit", "501"), "Invalid value for '--limit': '501' must be at most 500."),
        (("ingest", "x", "--scope", "all"), "'all' is not one of 'user', 'group', 'org'."),
        (("documents", "show", "x"), "Invalid value for 'ID': 'x' must be a whole number."),
        (("llms", "add"), "Missing argument 'NAME'."),
        (("llms", "ad"), "No such command 'ad'. Did you mean"),
    ):
        assert words in shell.run(*arguments, code=2).stderr
    assert "must be a whole number" in shell.json("search", "x", "--limit", "many", code=2)["error"]["message"]
    assert "No such command 'sharing'" in shell.json("sharing", "list", code=2)["error"]["message"]
    assert "No such command 'ad'" in shell.json("llms", "ad", code=2)["error"]["message"]
    assert "it is empty" in shell.json("search", "", code=2)["error"]["message"]


@cache
def _answers() -> dict[str, Any]:
    answers = {}
    for service in (getattr(public, name) for name in public.__all__ if name.endswith("Service")):
        for method in service.__methods__:
            descriptor = service.__service__.methods_by_name[method.name]
            if http_rule(descriptor) is not None:
                answers[f"{descriptor.containing_service.name}/{descriptor.name}"] = filled(descriptor.output_type)
    return answers


ASKED = [(path, command) for path, command in LEAVES if " ".join(path) not in NOT_ASKED]


@pytest.mark.parametrize("group", sorted({path[0] for path, _ in ASKED}))
def test_ids_are_strings_in_json(api: ApiServer, shell: Shell, group: str) -> None:
    _answer_everything(api)
    for path, command in ((path, command) for path, command in ASKED if path[0] == group):
        positional = [parameter.name for parameter in command.params if parameter.opts[0][0] != "-"]
        arguments = [WORDS.get(name, str(NUMBER)) for name in positional]
        given = GIVEN.get(" ".join(path), [])
        confirmed = ["--yes"] if path[-1] in ASKS_FIRST else []
        printed = shell.json(*path, *arguments, *given, *confirmed, code=FAILS.get(" ".join(path), 0))
        assert set(printed) != {"error"}, (path, printed)
        assert not [key for key in printed if "_" in key], (path, "keys are as in the API's JSON")
        _check_ids(printed)


def _check_ids(value: Any, name: str = "") -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            _check_ids(item, key)
    elif isinstance(value, list):
        for item in value:
            _check_ids(item, name)
    elif re.search(r"^ids?$|Ids?$", name):
        assert isinstance(value, str), (name, value)


def _answer_everything(api: ApiServer) -> None:
    """Answers each call of the contract with a message in which everything is set."""
    for method, answer in _answers().items():
        api.on(method, answer)
    api.on(READY, {"ready": True, "dependencies": {}})
    api.on(DOWNLOAD, {})
    api.on(EXPORT, {})
    api.on(UPLOAD, {"documents": [{"id": NUMBER}]})


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("llms", "list", "--url", "http://127.0.0.1:99999"), "http://127.0.0.1:99999 is not an address"),
        (("ingest", "x" * 5000), "does not exist, or is neither a file nor a folder."),
        (("eval", "retrieval", "nowhere"), "docs.jsonl cannot be read: No such file or directory"),
        (("connectors", "show", ""), "The name of the connector is empty"),
        (("search", "x", "--type", ""), "content_types: must not be empty."),
    ],
)
def test_bad_values_are_answered_in_a_sentence(shell: Shell, arguments: tuple[str, ...], words: str) -> None:
    error = shell.run(*arguments, code=1).stderr
    assert words in error
    assert not re.search(r"Traceback|Errno|Error\b", error)
