"""The commands for accounts and for one's own settings."""

from datetime import UTC, datetime, timedelta

import pytest

from echomind.cli.rendering import describe_browser
from tests.drivers.api_server import ApiServer, Call, about
from tests.drivers.shell import Shell
from tests.drivers.tables import for_each

UNTIL = "2030-01-01T00:00:00Z"
ANN = {"id": 8, "userName": "ann", "email": "ann@example.org", "isActive": True}
FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"


def invitation(number: int, email: str = "") -> dict[str, object]:
    return {"id": number, "email": email, "status": "INVITATION_STATUS_OPEN", "roles": ["ROLE_USER"]}


def test_an_invitation_prints_its_link_alone(api: ApiServer, shell: Shell) -> None:
    def create(call: Call) -> dict[str, object]:
        return {"invitation": call.body | {"id": 3, "expiresAt": UNTIL}, "path": "/join/t"}

    api.on("InvitationService/CreateInvitation", create)
    options = ("--role", "admin", "--group", "sales", "--days", "30")
    result = shell.run("invitations", "add", "ann@example.org", *options)
    assert result.stdout == f"{api.url}/join/t\n"
    assert "only once" in result.stderr
    assert f"Only this machine can open {api.url}." in result.stderr
    (call,) = api.calls
    expires_at = datetime.fromisoformat(call.body.pop("expiresAt"))
    assert abs(expires_at - datetime.now(UTC) - timedelta(days=30)) < timedelta(minutes=5)
    assert call.body["email"] == "ann@example.org"
    assert (call.body["roles"], call.body["groups"]) == (["ROLE_ADMIN"], ["sales"])


def test_an_invitation_leaves_unspecified_fields_open(api: ApiServer, shell: Shell) -> None:
    api.on("InvitationService/CreateInvitation", {"invitation": invitation(3), "path": "/join/t"})
    printed = shell.json("invitations", "add")
    assert (printed["id"], printed["link"]) == ("3", f"{api.url}/join/t")
    assert not {name for name, value in api.calls[0].body.items() if value}
    assert "must be at most 90" in shell.run("invitations", "add", "--days", "91", code=2).stderr


def test_an_invitation_is_removed_by_its_address_or_id(api: ApiServer, shell: Shell) -> None:
    api.on("InvitationService/ListInvitations", {"invitations": [invitation(5), invitation(4, "ann@example.org")]})
    api.on("InvitationService/DeleteInvitation", {})
    assert shell.run("invitations", "remove", "ann@example.org", "--yes").stdout == (
        "Removed the invitation of ann@example.org.\n"
    )
    assert shell.run("invitations", "remove", "5", "--yes").stdout == "Removed invitation 5.\n"
    assert [call.fields["id"] for call in api.changes()] == ["4", "5"]
    refused = shell.run("invitations", "remove", "ben@example.org", code=1).stderr
    assert "There is no invitation 'ben@example.org'. Known: 5, ann@example.org." in refused
    rows = shell.run("invitations", "list").stdout.splitlines()
    assert [row.split()[:3] for row in rows[1:]] == [["5", "any", "open"], ["4", "ann@example.org", "open"]]


def test_a_password_link_is_alone_on_standard_output(api: ApiServer, shell: Shell) -> None:
    api.on("UserService/ListUsers", {"users": [ANN]})
    api.on("AuthService/CreatePasswordLink", {"path": "/set-password/t", "expiresAt": UNTIL})
    assert shell.run("users", "password-link", "ann").stdout == f"{api.url}/set-password/t\n"
    assert shell.json("users", "password-link", "8") == {"passwordLink": f"{api.url}/set-password/t"}
    assert api.changes()[0].body == {"userId": 8}


def test_signing_a_person_out_keeps_keys_by_default(api: ApiServer, shell: Shell) -> None:
    api.on("UserService/ListUsers", {"users": [ANN]})
    api.on(about("UserService/SignOutUser", id=8), {})
    assert "revoke all API keys" in shell.run("users", "sign-out", "ann", "--revoke-keys", code=1).stderr
    assert not api.changes()
    shell.run("users", "sign-out", "ann", "--yes")
    shell.run("users", "sign-out", "ann", "--revoke-keys", "--yes")
    assert [call.body.get("revokeApiKeys", False) for call in api.changes()] == [False, True]


def test_devices_are_named_by_their_browsers_and_signed_out(api: ApiServer, shell: Shell) -> None:
    devices = [{"id": "6", "userAgent": FIREFOX, "address": "192.0.2.1"}, {"id": "5"}]
    api.on("WebSessionService/ListWebSessions", {"webSessions": devices})
    api.on(about("WebSessionService/DeleteWebSession", id=6), {})
    api.on("WebSessionService/DeleteOtherWebSessions", {})
    rows = shell.run("devices", "list").stdout.splitlines()
    assert rows[1].split() == ["6", "Firefox", "140", "on", "Windows", "192.0.2.1"]
    assert rows[2].split() == ["5", "Unknown", "browser"]
    assert shell.run("devices", "remove", "6", "--yes").stdout == "Signed out Firefox 140 on Windows (id 6).\n"
    assert "all of your browsers (2)" in shell.run("devices", "remove-others", code=1).stderr
    assert not api.sent("WebSessionService/DeleteOtherWebSessions")
    assert shell.json("devices", "remove-others", "--yes") == {"ids": ["6", "5"]}
    assert len(api.sent("WebSessionService/DeleteOtherWebSessions")) == 1


@for_each(
    ("user_agent", "name"),
    [
        ("", "Unknown browser"),
        ("curl/8", "Unknown browser"),
        ("Mozilla/5.0 (X11; Linux x86_64) Chrome/141.0.0.0 Safari/537.36", "Chrome 141 on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/141.0.0.0 Safari/537.36 Edg/141.0", "Edge 141 on Windows"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) Version/18.5 Safari/605.1.15", "Safari 18 on macOS"),
        ("Mozilla/5.0 (iPhone; like Mac OS X) CriOS/141.0 Mobile/15E148 Safari/604.1", "Chrome 141 on iPhone"),
    ],
)
def test_browsers_are_named_as_people_call_them(user_agent: str, name: str) -> None:
    assert describe_browser(user_agent) == name


@pytest.fixture
def preferences(api: ApiServer) -> None:
    """What the person has set, which changes with what the commands send."""
    kept = {
        "theme": "THEME_DARK",
        "singleKeyShortcuts": False,
        "runOptions": {"maxSteps": 9, "askClarifications": True},
    }
    profile = {"id": 1, "userName": "owner", "email": "owner@localhost", "preferences": kept}

    def change(call: Call) -> dict[str, object]:
        profile["preferences"] = call.body["preferences"]
        return profile

    api.on("UserService/GetCurrentUser", lambda _: profile)
    api.on("UserService/UpdateCurrentUser", change)
    api.on("AssistantService/ListAssistants", {"assistants": [{"id": 3, "name": "Legal"}]})
    model = {"id": 4, "name": "Large", "provider": "LLM_PROVIDER_OPENAI", "modelId": "m"}
    api.on("LlmService/ListLlms", {"llms": [model]})


@pytest.mark.usefixtures("preferences")
def test_preferences_are_shown_in_words(shell: Shell) -> None:
    lines = shell.run("preferences", "show").stdout.splitlines()
    assert lines == [
        "Language: browser",
        "Theme: dark",
        "Density: comfortable",
        "Send key: enter",
        "Follow answers: yes",
        "Notifications: no",
        "Single-key shortcuts: no",
        "Memory: yes",
        "Assistant: the default one",
        "Chat model: the assistant's",
        "Clarifying questions: yes",
        "Max steps: 9",
        "Of parallel calls it waits for: as the assistant says",
        "Max seconds: the assistant's",
    ]


@pytest.mark.usefixtures("preferences")
def test_preferences_that_are_not_named_stay(api: ApiServer, shell: Shell) -> None:
    options = ("--send-key", "ctrl-enter", "--assistant", "legal", "--model", "large", "--no-follow-answers")
    lines = shell.run("preferences", "set", *options).stdout.splitlines()
    kept = {"Theme: dark", "Single-key shortcuts: no", "Clarifying questions: yes", "Max steps: 9"}
    assert kept | {"Send key: ctrl-enter", "Assistant: Legal", "Chat model: Large", "Follow answers: no"} <= set(lines)
    (call,) = api.changes()
    assert set(call.body) == {"preferences"}
    assert call.body["preferences"]["runOptions"]["llmId"] == 4


@pytest.mark.usefixtures("preferences")
def test_preferences_go_back_to_their_defaults(shell: Shell) -> None:
    shell.run("preferences", "set", "--assistant", "legal", "--model", "large", "--language", "de")
    back = ("--theme", "system", "--shortcuts", "--clarifications", "assistant", "--max-steps", "0", "--model", "")
    lines = shell.run("preferences", "set", *back, "--assistant", "", "--language", "browser").stdout.splitlines()
    assert {
        "Theme: system",
        "Single-key shortcuts: yes",
        "Clarifying questions: the assistant's",
        "Max steps: the assistant's",
        "Chat model: the assistant's",
        "Assistant: the default one",
        "Language: browser",
    } <= set(lines)
    assert "Say what to change" in shell.run("preferences", "set", code=2).stderr


def test_people_and_groups_to_share_with_are_found(api: ApiServer, shell: Shell) -> None:
    person = {"userId": 8, "userName": "ann", "name": "Ann Archer"}
    group = {"groupId": 2, "name": "analysts", "memberCount": 3}
    api.on("DirectoryService/SearchDirectory", {"people": [person], "groups": [group], "isTruncated": True})
    result = shell.run("users", "find", "an")
    assert [line.split() for line in result.stdout.splitlines()][1:] == [
        ["person", "ann", "Ann", "Archer"],
        ["group", "analysts", "3", "members"],
    ]
    assert "More match" in result.stderr
    assert api.calls[-1].query == {"query": "an"}
    api.on("DirectoryService/SearchDirectory", {})
    assert "Nobody whom you can find is named 'eve'" in shell.run("users", "find", "eve").stderr


@pytest.mark.parametrize("command", ["purge", "erase"])
def test_a_deletion_that_continues_is_not_called_done(api: ApiServer, shell: Shell, command: str) -> None:
    api.on("UserService/ListUsers", {"users": [ANN]})
    report = {"id": 3, "userId": 8, "state": "ERASURE_STATE_COMPLETED"}
    api.on(about("ErasureService/EraseUser", user_id=8), lambda _: report)
    done = shell.run("users", command, "ann", "--yes")
    assert "background" not in done.stderr
    assert ("Purged ann." in done.stdout) == (command == "purge")
    report |= {"state": "ERASURE_STATE_WAITING", "sessionsLeft": 7, "statusMessage": "A legal hold is on it."}
    waiting = shell.run("users", command, "ann", "--yes")
    assert "Purged" not in waiting.stdout
    assert "A legal hold is on it." in waiting.stderr
    assert "7 conversations are left. It continues in the background" in waiting.stderr
    assert shell.json("users", command, "ann", "--yes")["state"] == "ERASURE_STATE_WAITING"
    report["state"] = "ERASURE_STATE_CANCELLED"
    cancelled = shell.run("users", command, "ann", "--yes").stderr
    assert "It was cancelled" in cancelled
    assert "background" not in cancelled
