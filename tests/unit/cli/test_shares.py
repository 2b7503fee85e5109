"""The commands about share links."""

from datetime import UTC, datetime, timedelta

from tests.drivers.api_server import ApiServer, about
from tests.drivers.shell import Shell

UNTIL = "2030-01-01T00:00:00Z"
SHARE = {
    "id": 3,
    "chatSessionId": 7,
    "title": "Leave",
    "status": "SESSION_SHARE_STATUS_SOURCES_LOST",
    "expiresAt": UNTIL,
}
SHARED = {
    "title": "Leave",
    "messages": [
        {"role": "MESSAGE_ROLE_USER", "content": "How much\nleave?", "authorKind": "AUTHOR_KIND_FOREIGN"},
        {
            "role": "MESSAGE_ROLE_ASSISTANT",
            "content": "30 days [1].",
            "citations": [{"number": 1, "title": "Handbook"}],
        },
    ],
}


def test_a_new_link_is_printed_alone(api: ApiServer, shell: Shell) -> None:
    api.on(
        about("SessionShareService/CreateSessionShare", chat_session_id=7), {"sessionShare": SHARE, "path": "/shared/t"}
    )
    result = shell.run("shares", "add", "7", "--days", "3", "--message", "9")
    assert result.stdout == f"{api.url}/shared/t\n"
    assert "only once" in result.stderr
    (call,) = api.calls
    expires_at = datetime.fromisoformat(call.body["expiresAt"])
    assert abs(expires_at - datetime.now(UTC) - timedelta(days=3)) < timedelta(minutes=5)
    assert call.body["headMessageId"] == "9"
    assert "must be at most 365" in shell.run("shares", "add", "7", "--days", "366", code=2).stderr


def test_links_are_listed_with_the_reasons_why_they_do_not_work(api: ApiServer, shell: Shell) -> None:
    api.on("SessionShareService/ListSessionShares", {"sessionShares": [SHARE]})
    assert "sources lost" in shell.run("shares", "list", "--session", "7").stdout
    assert api.calls[0].query["chatSessionId"] == "7"


def test_a_link_is_read_as_people_have_it(api: ApiServer, shell: Shell) -> None:
    api.on("SessionShareService/ReadSharedSession", SHARED)
    for link in (f"{api.url}/shared/t0ken", f"{api.url}/shared/t0ken/", "t0ken"):
        read = shell.run("shares", "read", link).stdout
        assert read == "Leave\n\n> How much\n> leave?\n(written by somebody else)\n\n30 days [1].\n[1] Handbook\n"
    assert {call.body["token"] for call in api.calls} == {"t0ken"}


def test_who_may_open_links_is_shown_and_set(api: ApiServer, shell: Shell) -> None:
    api.on("SystemService/GetInstallationSettings", {"linkSharing": "LINK_SHARING_ANYONE"})
    api.on("SystemService/UpdateInstallationSettings", {"linkSharing": "LINK_SHARING_SIGNED_IN"})
    assert shell.run("shares", "allow").stdout == "anyone\n"
    assert shell.run("shares", "allow", "signed-in").stdout == "signed-in\n"
    assert api.calls[-1].body["linkSharing"] == "LINK_SHARING_SIGNED_IN"
