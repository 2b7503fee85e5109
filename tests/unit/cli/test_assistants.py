"""`echomind assistants` and its group `mcp`."""

from typing import Any

import pytest

from tests.drivers.api_server import ApiServer, about
from tests.drivers.shell import Shell

SERVER = {
    "name": "files",
    "transport": "MCP_TRANSPORT_STDIO",
    "command": "files-server",
    "args": ["--root", "/srv"],
    "env": {"TOKEN": ""},
    "allowedTools": ["read*"],
}
PERSON = {"id": 1, "userName": "ada", "email": "ada@example.com"}
ASSISTANTS = {
    "assistants": [
        {"id": 1, "name": "Default", "isDefault": True, "isVisible": True},
        {
            "id": 2,
            "name": "Clerk",
            "description": "Files things.",
            "isVisible": False,
            "llmId": 5,
            "config": {"maxSteps": 7, "mcpServers": [SERVER]},
        },
    ]
}


@pytest.fixture
def assistants(api: ApiServer) -> ApiServer:
    api.on("AssistantService/ListAssistants", ASSISTANTS)
    api.on("UserService/GetCurrentUser", PERSON | {"preferences": {"defaultAssistantId": 2}})
    api.on(about("AssistantService/UpdateAssistant", id=2), lambda call: {"id": 2, "name": "Clerk"} | call.body)
    return api


def patched(api: ApiServer) -> Any:
    (call,) = api.changes()
    return call.body


def test_assistants_are_listed_with_the_default_and_the_used_one_marked(assistants: ApiServer, shell: Shell) -> None:
    lines = shell.run("assistants", "list").stdout.splitlines()
    assert lines[1].split()[:3] == ["*", "1", "Default"]
    assert lines[2].split()[:4] == [">", "2", "Clerk", "(hidden)"]
    listed = shell.json("assistants", "list")
    assert [each["id"] for each in listed["assistants"]] == ["1", "2"]
    assert listed["used"] == "2"


def test_an_assistant_is_shown_with_its_limits(assistants: ApiServer, shell: Shell) -> None:
    text = shell.run("assistants", "show", "clerk").stdout
    assert "Assistant: Clerk (id 2)" in text
    assert "Max steps: 7" in text
    assert "Max seconds" not in text
    assert "MCP servers: files" in text
    assert shell.json("assistants", "show", "2")["config"]["mcpServers"][0]["env"] == {"TOKEN": ""}


def test_tools_are_listed_and_an_absent_server_is_exit_code_1(assistants: ApiServer, shell: Shell) -> None:
    tools = [
        {"name": "search_documents", "description": "Searches."},
        {"name": "files__write", "mcpServer": "files", "sideEffect": True},
        {"mcpServer": "wiki", "error": "The MCP server wiki is not available: it cannot be reached."},
    ]
    assistants.on(about("AssistantService/ListAssistantTools", id=2), {"tools": tools})
    result = shell.run("assistants", "tools", "Clerk", code=1)
    assert "search_documents" in result.stdout
    assert result.stdout.splitlines()[2].split() == ["files__write", "files", "yes"]
    assert "wiki is not available" in result.stderr
    assert len(shell.json("assistants", "tools", "Clerk", code=1)["tools"]) == 3


def test_an_assistant_is_added_with_only_the_given_options(api: ApiServer, shell: Shell) -> None:
    api.on(
        "LlmService/ListLlms", {"llms": [{"id": 5, "name": "Small", "provider": "LLM_PROVIDER_OLLAMA", "modelId": "x"}]}
    )
    api.on("AssistantService/CreateAssistant", lambda call: call.body | {"id": 3})
    options = (
        "--model",
        "small",
        "--max-cost",
        "0.5",
        "--wait",
        "any",
        "--tool",
        "search_documents",
        "--max-depth",
        "0",
    )
    assert shell.json("assistants", "add", "New", *options)["id"] == "3"
    (call,) = api.changes()
    assert (call.body["name"], call.body["llmId"], call.body["isVisible"]) == ("New", 5, True)
    config = call.body["config"]
    assert (config["maxCost"], config["waitStrategy"], config["maxDepth"]) == (0.5, "WAIT_STRATEGY_ANY", 0)
    assert config["tools"] == ["search_documents"]
    assert "addHistoryToContext" not in config


def test_a_changed_limit_leaves_the_rest_of_the_config(assistants: ApiServer, shell: Shell) -> None:
    shell.run("assistants", "update", "Clerk", "--max-steps", "9", "--no-history", "--visible")
    body = patched(assistants)
    assert body.keys() == {"isVisible", "config"}
    assert (body["config"]["maxSteps"], body["config"]["addHistoryToContext"]) == (9, False)
    assert body["config"]["mcpServers"][0] | SERVER == body["config"]["mcpServers"][0]


def test_a_change_of_nothing_is_refused(assistants: ApiServer, shell: Shell) -> None:
    assert "Say what to change" in shell.run("assistants", "update", "Clerk", code=2).stderr
    assert not assistants.changes()


def test_an_assistant_is_removed_when_the_person_agrees(assistants: ApiServer, shell: Shell) -> None:
    assistants.on(about("AssistantService/DeleteAssistant", id=2), {})
    shell.run("assistants", "remove", "Clerk", code=1)
    assert not assistants.changes()
    assert shell.json("assistants", "remove", "Clerk", "--yes") == {"id": "2", "name": "Clerk"}


def test_servers_are_listed_without_secrets(assistants: ApiServer, shell: Shell) -> None:
    line = shell.run("assistants", "mcp", "list", "Clerk").stdout.splitlines()[1]
    assert line.split() == ["files", "files-server", "--root", "/srv", "TOKEN", "read*"]
    assert shell.json("assistants", "mcp", "list", "Clerk")["mcpServers"][0]["name"] == "files"


def test_a_server_is_added_beside_the_others(
    assistants: ApiServer, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("X_API_KEY", "from-the-environment")
    monkeypatch.setenv("CLIENTSECRET", "a-secret-of-the-environment")
    options = ("--address", "https://t.example/mcp", "--header", "X-Api-Key", "--header", "Mode=fast", "--allow", "*")
    sign_in = ("--oauth", "issuer=https://id.example", "--oauth", "clientId=me", "--oauth", "clientSecret")
    result = shell.run("assistants", "mcp", "add", "Clerk", "wiki", *options, *sign_in, "--json")
    assert "of-the-environment" not in result.stdout + result.stderr
    assert "from-the-environment" not in result.stdout + result.stderr
    files, wiki = patched(assistants)["config"]["mcpServers"]
    assert files["env"] == {"TOKEN": ""}
    assert wiki["transport"] == "MCP_TRANSPORT_STREAMABLE_HTTP"
    assert wiki["headers"] == {"X-Api-Key": "from-the-environment", "Mode": "fast"}
    secret = "a-secret-of-the-environment"
    assert wiki["oauth"] == {"issuer": "https://id.example", "clientId": "me", "clientSecret": secret}
    assert wiki["allowedTools"] == ["*"]
    assert patched(assistants)["config"]["maxSteps"] == 7


def test_a_program_is_added_with_its_arguments(assistants: ApiServer, shell: Shell) -> None:
    options = ("--command", "uvx", "--arg", "some-server", "--env", "KEY=a=b", "--timeout", "5")
    assert "No tool may be called yet" in shell.run("assistants", "mcp", "add", "Clerk", "own", *options).stderr
    added = patched(assistants)["config"]["mcpServers"][1]
    assert (added["command"], added["args"], added["env"]) == ("uvx", ["some-server"], {"KEY": "a=b"})
    assert added["timeoutSeconds"] == 5


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ((), "--address, or a program with --command"),
        (("--address", "http://a", "--command", "b"), "--address, or a program with --command"),
        (("--command", "x", "--env", "NOT_THERE_AT_ALL"), "the environment has no NOT_THERE_AT_ALL"),
        (("--command", "x", "--env", "A="), "empty value"),
    ],
)
def test_a_server_that_makes_no_sense_is_refused(
    assistants: ApiServer, shell: Shell, options: tuple[str, ...], problem: str
) -> None:
    assert problem in shell.run("assistants", "mcp", "add", "Clerk", "own", *options, code=1).stderr
    assert not assistants.changes()


def test_a_known_name_is_not_overwritten(assistants: ApiServer, shell: Shell) -> None:
    options = ("mcp", "add", "Clerk", "files", "--command", "x")
    assert "remove it first" in shell.run("assistants", *options, code=1).stderr


def test_a_server_is_removed(assistants: ApiServer, shell: Shell) -> None:
    assert shell.json("assistants", "mcp", "remove", "Clerk", "files", "--yes") == {"name": "files"}
    assert patched(assistants)["config"]["mcpServers"] == []
    assert "There is no MCP server 'other'" in shell.run("assistants", "mcp", "remove", "Clerk", "other", code=1).stderr


def test_the_assistant_of_new_conversations_is_chosen(assistants: ApiServer, shell: Shell) -> None:
    kept = {"theme": "THEME_DARK"}
    assistants.on("UserService/GetCurrentUser", PERSON | {"preferences": kept | {"defaultAssistantId": 1}})
    assistants.on("UserService/UpdateCurrentUser", PERSON)
    assert "with Clerk" in shell.run("assistants", "use", "clerk").stdout
    assert "with the default assistant" in shell.run("assistants", "use").stdout
    sent = [call.body["preferences"] for call in assistants.changes()]
    assert [(each["theme"], each["defaultAssistantId"]) for each in sent] == [("THEME_DARK", 2), ("THEME_DARK", 0)]


VERSIONS = [
    {
        "assistantId": 2,
        "version": 3,
        "createdByName": "Ada",
        "restoredVersion": 1,
        "changedFields": ["systemPrompt", "config.maxSteps"],
    },
    {"assistantId": 2, "version": 2, "createdByName": "Ada", "changedFields": ["name"]},
]


def test_versions_are_listed_with_their_changes(assistants: ApiServer, shell: Shell) -> None:
    assistants.on(about("AssistantService/ListAssistantVersions", id=2), {"versions": VERSIONS})
    lines = shell.run("assistants", "versions", "clerk").stdout.splitlines()
    assert lines[1].split() == ["3", "Ada", "restored", "version", "1:", "systemPrompt,", "config.maxSteps"]
    assert lines[2].split() == ["2", "Ada", "name"]


def test_a_difference_is_shown_line_by_line_without_secrets(assistants: ApiServer, shell: Shell) -> None:
    changes = [
        {"field": "systemPrompt", "before": "Be exact.\nBe brief.", "after": "Be exact."},
        {"field": "config.maxSteps", "after": 5},
        {
            "field": "members",
            "before": [{"assistantId": 3, "name": "Writer", "role": "Writes", "version": 0}],
            "after": [{"assistantId": 3, "name": "Writer", "role": "Writes", "version": 2}],
        },
        {"field": "config.mcpServers.files.env.TOKEN", "before": "", "after": "", "isSecret": True},
    ]
    assistants.on(
        about("AssistantService/DiffAssistantVersions", id=2, version=3),
        {"baseVersion": 1, "version": 3, "changes": changes},
    )
    text = shell.run("assistants", "diff", "Clerk", "3", "--base", "1").stdout
    assert text.splitlines() == [
        "systemPrompt",
        "    Be exact.",
        "  - Be brief.",
        "config.maxSteps",
        "  + 5",
        "members",
        "  - Writer: Writes",
        "  + Writer (version 2): Writes",
        "config.mcpServers.files.env.TOKEN",
        "  (a secret, not shown)",
    ]
    assert assistants.sent("AssistantService/DiffAssistantVersions")[0].query == {"baseVersion": "1"}


def test_a_version_is_restored(assistants: ApiServer, shell: Shell) -> None:
    restored = {"id": 2, "name": "Clerk", "version": 4}
    assistants.on(about("AssistantService/RestoreAssistantVersion", id=2, version=1), restored)
    assert "Restored version 1 of Clerk (id 2) as version 4." in shell.run("assistants", "restore", "2", "1").stdout


def test_members_are_named_with_their_role_and_pinned_version(assistants: ApiServer, shell: Shell) -> None:
    shell.run("assistants", "update", "clerk", "--member", "Default@3=Finds facts", "--member", "1")
    assert patched(assistants)["members"] == [
        {"assistantId": 1, "version": 3, "role": "Finds facts"},
        {"assistantId": 1, "version": 0, "role": ""},
    ]
