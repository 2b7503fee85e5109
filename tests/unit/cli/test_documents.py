"""Documents are listed, counted, renamed, moved, reprocessed and removed, by their ids or all that match."""

from typing import Any

import pytest

from tests.drivers.api_server import ApiServer, Call, about
from tests.drivers.shell import Shell

RULES = {"id": 4, "name": "Rules", "type": "CONNECTOR_TYPE_FILE", "scope": "SCOPE_USER"}
FILTER = ["--search", "leave", "--status", "failed", "--type", "pdf", "--connector", "Rules", "--folder", "hr/"]


@pytest.fixture(autouse=True)
def things(api: ApiServer) -> None:
    api.on("ConnectorService/ListConnectors", {"connectors": [RULES]})
    api.on("DocumentService/(Delete|Retry|Move)Documents", {"documents": "2"})
    api.on("DocumentService/CountDocuments", {"total": "12"})


def bodies(api: ApiServer) -> list[Any]:
    return [call.body for call in api.changes()]


@pytest.mark.parametrize(("limit", "expected"), [(2, 2), (3, 3), (4, 3)])
def test_a_list_says_that_it_goes_on(api: ApiServer, shell: Shell, limit: int, expected: int) -> None:
    def page(call: Call) -> dict[str, Any]:
        first = int(call.query.get("pageToken") or 0)
        # The server's pages are smaller than what is asked for.
        last = min(first + min(int(call.query["pageSize"]), 2), 3)
        documents = [{"id": str(number), "title": "Leave"} for number in range(first, last)]
        return {"documents": documents, "nextPageToken": str(last) if last < 3 else ""}

    api.on("DocumentService/ListDocuments", page)
    found = shell.json("documents", "list", "--limit", str(limit))
    assert [each["id"] for each in found.pop("documents")] == [str(number) for number in range(expected)]
    assert found == ({"nextPageToken": "2"} if limit == 2 else {})
    said = "These are the first 2. There are more: --limit lists more."
    listed = shell.run("documents", "list", "--limit", str(limit))
    assert (said in listed.stderr) == (limit == 2)
    assert listed.stdout.count("Leave") == expected


def test_a_list_is_filtered_and_sorted(api: ApiServer, shell: Shell) -> None:
    api.on("DocumentService/ListDocuments", {"documents": [{"id": "3", "title": "Leave"}]})
    listed = shell.run(
        "documents", "list", *FILTER, "--scope", "group", "--group", "hr", "--sort", "size", "--descending"
    )
    assert "Leave" in listed.stdout
    query = api.sent("DocumentService/ListDocuments")[0].query
    assert {name: value for name, value in query.items() if value not in {"", "0"}} == {
        "pageSize": "50",
        "filter.query": "leave",
        "filter.statuses": "DOCUMENT_STATUS_FAILED",
        "filter.kinds": "DOCUMENT_KIND_PDF",
        "filter.connectorIds": "4",
        "filter.folder": "hr",
        "filter.scope": "SCOPE_GROUP",
        "filter.group": "hr",
        "sort": "DOCUMENT_SORT_SIZE",
        "descending": "true",
    }


def test_a_document_that_can_be_found_is_ready_as_in_the_web_ui(api: ApiServer, shell: Shell) -> None:
    status = "DOCUMENT_STATUS_COMPLETED"
    api.on("DocumentService/ListDocuments", {"documents": [{"id": "3", "title": "Leave", "status": status}]})
    api.on("DocumentService/GetDocument", {"id": "3", "title": "Leave", "status": status})
    api.on("DocumentService/CountDocuments", {"total": "1", "statuses": [{"value": status, "documents": "1"}]})
    assert "ready" in shell.run("documents", "list", "--status", "ready").stdout.split()
    assert api.sent("DocumentService/ListDocuments")[0].query["filter.statuses"] == status
    assert "ready" in shell.run("documents", "show", "3").stdout.split()
    assert "ready" in shell.run("documents", "count").stdout.split()


def test_an_empty_list_reports_whether_it_was_filtered(api: ApiServer, shell: Shell) -> None:
    api.on("DocumentService/ListDocuments", {})
    assert "echomind ingest PATH" in shell.run("documents", "list").stderr
    assert "No document matches." in shell.run("documents", "list", "--search", "x").stderr


def test_options_that_need_another_are_refused_without_it(api: ApiServer, shell: Shell) -> None:
    assert "--sort" in shell.run("documents", "list", "--descending", code=2).stderr
    assert "--scope group" in shell.run("documents", "list", "--group", "hr", code=2).stderr
    assert not api.calls


def test_counts_name_connectors_and_mark_estimates(api: ApiServer, shell: Shell) -> None:
    counts = {
        "total": "20000",
        "totalEstimated": True,
        "statuses": [{"value": "DOCUMENT_STATUS_FAILED", "documents": "3"}],
        "kinds": [{"value": "DOCUMENT_KIND_WEB_PAGE", "documents": "2"}],
        "connectors": [{"value": "4", "documents": "1"}],
    }
    api.on("DocumentService/CountDocuments", counts)
    shown = shell.run("documents", "count", "--status", "failed").stdout
    assert shown.startswith("Documents: about 20000\n")
    assert [line.split() for line in shown.splitlines()[2:]] == [
        ["status", "failed", "3"],
        ["type", "web_page", "2"],
        ["connector", "Rules", "1"],
    ]
    assert api.sent("DocumentService/CountDocuments")[0].query["filter.statuses"] == "DOCUMENT_STATUS_FAILED"


def test_folders_of_a_connector_are_listed(api: ApiServer, shell: Shell) -> None:
    folder = {"name": "2026", "path": "hr/2026", "documents": "7"}
    api.on(about("DocumentService/ListDocumentFolders", connector_id=4), {"folders": [folder]})
    assert shell.run("documents", "folders", "Rules", "hr/").stdout.splitlines()[1].split() == ["7", "hr/2026"]
    assert api.sent("DocumentService/ListDocumentFolders")[0].query["parent"] == "hr"


def test_a_document_is_renamed(api: ApiServer, shell: Shell) -> None:
    api.on(about("DocumentService/UpdateDocument", id=3), lambda call: {"id": "3"} | call.body)
    assert shell.run("documents", "rename", "3", "Leave of absence").stdout == "Renamed to Leave of absence.\n"
    assert api.calls[0].body == {"title": "Leave of absence"}


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("remove", "--yes"), "Removed 2 documents."),
        (("retry",), "Reprocessing 2 documents."),
        (("move", "--to", "Rules"), "Moved 2 documents to Rules."),
    ],
)
def test_documents_are_changed_by_ids_or_by_a_filter(
    api: ApiServer, shell: Shell, command: tuple[str, ...], words: str
) -> None:
    assert shell.run("documents", *command, "1", "2").stdout == f"{words}\n"
    assert shell.run("documents", *command, "--matching", *FILTER).stdout == f"{words}\n"
    assert shell.json("documents", *command, "1", "2")["documentIds"] == ["1", "2"]
    by_ids, by_filter, _ = [body["selection"] for body in bodies(api)]
    assert by_ids == {"ids": ["1", "2"]}
    assert by_filter["filter"]["query"] == "leave"
    assert by_filter["filter"]["connectorIds"] == [4]
    assert "ids" not in by_filter
    if command[0] == "move":
        assert bodies(api)[0]["connectorId"] == 4


def test_all_documents_are_selected_only_explicitly(api: ApiServer, shell: Shell) -> None:
    for command in (("remove", "--yes"), ("retry",), ("move", "--to", "Rules")):
        assert "--matching" in shell.run("documents", *command, code=2).stderr
        assert "--matching" in shell.run("documents", *command, "--status", "failed", code=2).stderr
        assert "--matching" in shell.run("documents", *command, "3", "--status", "failed", code=2).stderr
        assert "not both" in shell.run("documents", *command, "3", "--matching", code=2).stderr
    assert not api.changes()
    shell.run("documents", "retry", "--matching")
    assert "filter" in bodies(api)[0]["selection"]


def test_many_ids_are_sent_in_parts(api: ApiServer, shell: Shell) -> None:
    assert shell.run("documents", "retry", *map(str, range(1, 1502))).stdout == "Reprocessing 4 documents.\n"
    assert [len(body["selection"]["ids"]) for body in bodies(api)] == [1000, 501]


def test_documents_that_cannot_be_changed_are_not_reported_as_changed(api: ApiServer, shell: Shell) -> None:
    api.on("DocumentService/RetryDocuments", {"documents": "0"})
    assert shell.run("documents", "retry", "3").stdout.startswith("Nothing was changed")
    assert shell.json("documents", "retry", "3") == {"documents": "0", "inBackground": False, "documentIds": ["3"]}


def test_a_change_that_takes_long_says_that_it_is_in_the_background(api: ApiServer, shell: Shell) -> None:
    api.on("DocumentService/DeleteDocuments", {"documents": "5000", "inBackground": True})
    removed = shell.run("documents", "remove", "--matching", "--yes").stdout
    assert removed == "Removing 5000 documents in the background.\n"


def test_documents_are_purged_only_after_a_confirmation(api: ApiServer, shell: Shell) -> None:
    api.on("DocumentService/PurgeDocument", {})
    refused = shell.run("documents", "purge", "3", "4", code=1)
    assert "document 3, 4" in refused.stderr
    assert not api.calls
    purged = shell.run("documents", "purge", "3", "4", "--yes")
    assert purged.stdout.endswith("Purged document 3.\nPurged document 4.\n")
    assert shell.json("documents", "purge", "4", "--yes") == {"documentIds": ["4"]}
