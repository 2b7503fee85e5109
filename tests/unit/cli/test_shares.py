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
            "citations": [
                {
                    "number": 1,
                    "title": "Handbook",
                    "passages": [
                        {"page": 4, "supported": True, "quote": "thirty days\nof leave"},
                        {"page": 2, "supported": True, "quote": "thirty days\nof leave"},
                    ],
                },
                {"number": 2, "title": "Notes", "passages": [{}]},
            ],
        },
    ],
}
SHOWN = (
    "Leave\n\n> How much\n> leave?\n(written by somebody else)\n\n30 days [1].\n"
    "[1] Handbook, pages 2, 4\n    “thirty days of leave”\n[2] Notes (not confirmed by the source)\n"
)
ANN = {"userId": 4, "userName": "ann"}
TEAM = {"groupId": 5, "group": "team"}


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


def test_a_session_is_shared_with_people_and_groups(api: ApiServer, shell: Shell) -> None:
    made = SHARE | {"recipients": [ANN, TEAM], "showsQuotes": True}
    api.on("SessionShareService/CreateSessionShare", {"sessionShare": made})
    result = shell.run("shares", "add", "7", "--user", "ann", "--group", "team", "--quotes")
    assert result.stdout == ""
    assert "Shared with ann, group team" in result.stderr
    assert api.calls[0].body["recipients"] == [{"userName": "ann"}, {"group": "team"}]
    assert api.calls[0].body["showsQuotes"] is True
    assert not api.calls[0].body.get("hasLink")
    api.on("SessionShareService/CreateSessionShare", {"sessionShare": made | {"hasLink": True}, "path": "/shared/t"})
    assert shell.run("shares", "add", "7", "--user", "ann", "--link").stdout == f"{api.url}/shared/t\n"
    assert api.calls[-1].body["hasLink"] is True


def test_a_preview_shares_nothing(api: ApiServer, shell: Shell) -> None:
    api.on("SessionShareService/PreviewSessionShare", SHARED)
    assert shell.run("shares", "add", "7", "--preview", "--quotes").stdout == SHOWN
    (call,) = api.calls
    assert call.body["showsQuotes"] is True


def test_people_are_added_and_removed(api: ApiServer, shell: Shell) -> None:
    api.on("SessionShareService/AddSessionShareRecipients", SHARE | {"recipients": [ANN]})
    assert "Share 3 is for ann." in shell.run("shares", "give", "3", "--user", "ann").output
    assert api.calls[-1].body["recipients"] == [{"userName": "ann"}]
    api.on("SessionShareService/RemoveSessionShareRecipients", SHARE)
    assert "nobody by name" in shell.run("shares", "withdraw", "3", "--group", "team").output
    assert api.calls[-1].body["recipients"] == [{"group": "team"}]
    assert "--user or --group" in shell.run("shares", "give", "3", code=2).stderr


def test_an_update_changes_quotes_only_when_it_is_told_to(api: ApiServer, shell: Shell) -> None:
    api.on("SessionShareService/RefreshSessionShare", SHARE)
    for options, expected in (((), None), (("--quotes",), True), (("--no-quotes",), False)):
        shell.run("shares", "update", "3", *options)
        assert api.calls[-1].body.get("sessionShare", {}).get("showsQuotes") is expected


def test_what_others_share_is_listed_and_read_by_its_id(api: ApiServer, shell: Shell) -> None:
    given = {"id": 8, "title": "Leave", "sharedBy": "Ann Archer", "expiresAt": UNTIL}
    api.on("SessionShareService/ListReceivedShares", {"receivedShares": [given]})
    assert "Ann Archer" in shell.run("shares", "received").stdout
    api.on("SessionShareService/ReadReceivedShare", SHARED | {"sharedBy": "Ann Archer"})
    assert shell.run("shares", "read", "8").stdout == SHOWN.replace("Leave\n", "Leave\n(shared by Ann Archer)\n", 1)
    api.on("SessionShareService/ForkReceivedShare", {"id": 9, "title": "Leave"})
    assert "session 9" in shell.run("shares", "fork", "8").output


def test_a_link_is_read_as_people_have_it(api: ApiServer, shell: Shell) -> None:
    api.on("SessionShareService/ReadSharedSession", SHARED)
    for link in (f"{api.url}/shared/t0ken", f"{api.url}/shared/t0ken/", "t0ken"):
        read = shell.run("shares", "read", link).stdout
        assert read == SHOWN
    assert {call.body["token"] for call in api.calls} == {"t0ken"}


def test_who_may_open_links_is_shown_and_set(api: ApiServer, shell: Shell) -> None:
    api.on("SystemService/GetInstallationSettings", {"linkSharing": "LINK_SHARING_ANYONE"})
    api.on("SystemService/UpdateInstallationSettings", {"linkSharing": "LINK_SHARING_SIGNED_IN"})
    assert shell.run("shares", "allow").stdout == "anyone\n"
    assert shell.run("shares", "allow", "signed-in").stdout == "signed-in\n"
    assert api.calls[-1].body["linkSharing"] == "LINK_SHARING_SIGNED_IN"
