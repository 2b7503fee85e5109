"""The commands about notebooks."""

from pathlib import Path

import pytest

from tests.drivers.api_server import UPLOAD, ApiServer, about, refusal
from tests.drivers.shell import Shell


def test_a_notebook_without_its_sources_is_not_kept(api: ApiServer, shell: Shell) -> None:
    api.on("NotebookService/CreateNotebook", {"id": 4, "title": "Contracts"})
    api.on(about("NotebookService/AddNotebookSources", id=4), refusal("NOT_FOUND", "There is no document 12.", 404))
    api.on(about("NotebookService/PurgeNotebook", id=4), {})
    assert "There is no document 12." in shell.run("notebooks", "add", "Contracts", "--document", "12", code=1).stderr
    assert [call.method for call in api.calls] == [
        "NotebookService/CreateNotebook",
        "NotebookService/AddNotebookSources",
        "NotebookService/PurgeNotebook",
    ]


def test_files_texts_and_pages_become_sources(
    api: ApiServer, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "rules"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "trains.md").write_text("Trains only.")
    (folder / ".hidden").write_text("x")
    monkeypatch.setattr(Path, "read_bytes", lambda path: pytest.fail(f"{path} is read at once"))
    api.on("NotebookService/ListNotebooks", {"notebooks": [{"id": "4", "title": "Q3: plans"}]})
    api.on("NotebookService/GetNotebook", {"id": "4", "title": "Q3: plans", "sourceCount": 3})
    api.on("ConnectorService/ListConnectors", {})
    api.on(about("ConnectorService/GetConnector", id=7), {"id": 7, "name": "a.example/x"})
    api.on("ConnectorService/CreateConnector", {"id": 7, "name": "a.example/x"})
    api.on("NotebookService/AddNotebookSources", {})
    api.on("NotebookService/GiveNotebookAccess", {})
    uploaded = iter(range(11, 20))
    api.on(UPLOAD, lambda _: {"documents": [{"id": str(next(uploaded))}]})
    options = ("--file", str(folder), "--text", "# Hotels: 150\nper night", "--address", "https://a.example/x")
    shell.run("notebooks", "sources", "Q3: plans", *options, "--give-access", "5")
    (made,) = api.sent("ConnectorService/CreateConnector")
    assert made.body["config"] == {
        "start_urls": ["https://a.example/x"],
        "sitemaps": False,
        "max_depth": 0,
        "max_pages": 1,
    }
    (added,) = api.sent("NotebookService/AddNotebookSources")
    assert (added.body["documentIds"], added.body["connectorIds"]) == (["11", "12"], [7])
    (given,) = api.sent("NotebookService/GiveNotebookAccess")
    assert given.body["sourceIds"] == ["5"]


def test_sources_are_shown_with_their_states_and_who_cannot_read_them(api: ApiServer, shell: Shell) -> None:
    state = {
        "isReadable": True,
        "documents": 3,
        "documentsReady": 1,
        "documentsFailed": 1,
        "statusMessage": "It is down.",
    }
    source = {"id": "5", "connectorId": 7, "title": "Rules", "unreadableBy": [2], "accessScope": "SCOPE_ORG"} | state
    api.on("NotebookService/ListNotebooks", {"notebooks": [{"id": "4", "title": "Plans"}]})
    api.on("NotebookService/ListNotebookSources", {"sources": [source]})
    members = [{"userId": 2, "userName": "ann", "role": "NOTEBOOK_ROLE_VIEWER"}]
    api.on("NotebookService/ListNotebookMembers", {"members": members})
    api.on("NotebookService/ListNotebookSessions", {})
    shown = shell.run("notebooks", "show", "Plans")
    assert "1 of 3 ready, 1 failed: It is down." in shown.stdout
    assert "ann" in shown.stdout
    assert "sources 4 --give-access SOURCE" in shown.stderr


def test_a_note_is_written_or_kept_from_an_answer(api: ApiServer, shell: Shell) -> None:
    api.on("NotebookService/ListNotebooks", {"notebooks": [{"id": "4", "title": "Plans"}]})
    note = {"id": "9", "notebookId": "4", "title": "Lamps", "content": "At six.", "userName": "ann"}
    api.on("NotebookNoteService/CreateNotebookNote", note)
    api.on("NotebookNoteService/SaveNotebookNote", note)
    assert (
        "Added Lamps (id 9)."
        in shell.run("notebooks", "notes", "add", "Plans", "--title", "Lamps", "--content", "At six.").stdout
    )
    shell.run("notebooks", "notes", "add", "Plans", "--message", "7")
    (kept,) = api.sent("NotebookNoteService/SaveNotebookNote")
    assert (kept.body["messageId"], kept.fields["notebook_id"]) == ("7", "4")
    for wrong in ((), ("--message", "7", "--content", "x"), ("--content", "x")):
        shell.run("notebooks", "notes", "add", "Plans", *wrong, code=1)


def test_a_note_is_changed_if_nobody_has_changed_it_since(api: ApiServer, shell: Shell) -> None:
    api.on("NotebookNoteService/UpdateNotebookNote", {"id": "9", "title": "Lamps", "content": "At ten."})
    since = "2026-01-02T08:00:00.123456Z"
    shell.run("notebooks", "notes", "update", "9", "--content", "At ten.", "--unchanged-since", since)
    assert api.calls[-1].query == {"expectedLastUpdate": since}


def test_a_note_becomes_a_source_that_names_its_author(api: ApiServer, shell: Shell) -> None:
    note = {"id": "9", "notebookId": "4", "title": "Lamps", "content": "At six.", "userName": "Ann"}
    basis = {"basis": "ANSWER_BASIS_MODEL_ONLY", "otherTools": ["search_web"]}
    api.on("NotebookNoteService/GetNotebookNote", note | basis)
    api.on(about("NotebookService/GetNotebook", id="4"), {"id": "4", "title": "Plans"})
    api.on("NotebookService/AddNotebookSources", {})
    api.on(UPLOAD, {"documents": [{"id": "71"}]})
    shown = shell.run("notebooks", "notes", "show", "9").stdout
    assert "From the model alone" in shown
    assert "Also used: " in shown
    assert "Lamps (id 9)" in shell.run("notebooks", "notes", "use", "9").stdout
    (upload,) = api.sent(UPLOAD)
    assert upload.body["file"] == [b"# Lamps\n\n*Note by Ann*\n\nAt six."]
    (added,) = api.sent("NotebookService/AddNotebookSources")
    assert (added.fields["id"], added.body["documentIds"]) == ("4", ["71"])


def test_people_and_groups_join_and_leave(api: ApiServer, shell: Shell) -> None:
    group = {"groupId": 7, "name": "sales", "role": "NOTEBOOK_ROLE_EDITOR"}
    api.on("NotebookService/ListNotebooks", {"notebooks": [{"id": "4", "title": "Contracts"}]})
    api.on(
        "DirectoryService/SearchDirectory",
        {"groups": [{"groupId": 7, "name": "sales"}, {"groupId": 8, "name": "salesmen"}]},
    )
    api.on("NotebookService/SetNotebookMember", lambda call: {"userId": 2, **call.body})
    api.on("NotebookService/SetNotebookGroup", group)
    printed = shell.run("notebooks", "join", "Contracts", "ann", "--group", "sales", "--role", "editor").stdout
    assert printed == "ann is editor of Contracts.\nThe people of the group sales are editors of Contracts.\n"
    (added,) = api.sent("NotebookService/SetNotebookGroup")
    assert added.body == {"groupId": 7, "role": "NOTEBOOK_ROLE_EDITOR"}
    assert "Name a user" in shell.run("notebooks", "join", "Contracts", code=2).stderr
    api.on("NotebookService/ListNotebookMembers", {"members": [{"userId": 2, "userName": "ann"}], "groups": [group]})
    api.on("NotebookService/RemoveNotebookGroup", {})
    assert (
        shell.run("notebooks", "leave", "Contracts", "--group", "sales").stdout == "The group sales left Contracts.\n"
    )
    assert "either" in shell.run("notebooks", "leave", "Contracts", "ann", "--group", "sales", code=2).stderr


def test_a_summary_is_requested_waited_for_and_shown(
    api: ApiServer, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("echomind.cli.notebooks.notebook_summaries._POLL_SECONDS", 0.0)
    written = {"content": "It is about leave.", "questions": ["How many days?"], "documents": 2}
    states = iter(
        [
            {"state": "NOTEBOOK_SUMMARY_STATE_NOT_REQUESTED"},
            {"state": "NOTEBOOK_SUMMARY_STATE_PENDING"},
            {"state": "NOTEBOOK_SUMMARY_STATE_READY"} | written,
            {"state": "NOTEBOOK_SUMMARY_STATE_FAILED", "statusMessage": "The model is away."},
            {"state": "NOTEBOOK_SUMMARY_STATE_NO_SOURCES"},
        ]
    )
    api.on("NotebookService/ListNotebooks", {"notebooks": [{"id": "4", "title": "Leave"}]})
    api.on("NotebookService/GetNotebookSummary", lambda _: next(states))
    api.on("NotebookService/RequestNotebookSummary", {"state": "NOTEBOOK_SUMMARY_STATE_PENDING"})
    shown = shell.run("notebooks", "summary", "Leave").stdout
    assert "It is about leave.\n- How many days?" in shown
    assert "The model is away. --retry" in shell.run("notebooks", "summary", "Leave", code=1).stderr
    assert "no indexed document" in shell.run("notebooks", "summary", "Leave").stdout
    assert len(api.sent("NotebookService/RequestNotebookSummary")) == 1


def test_further_tools_are_allowed_and_taken_back(api: ApiServer, shell: Shell) -> None:
    tools = ["search_web", "wiki__*"]
    api.on("NotebookService/CreateNotebook", {"id": "4", "title": "Plans", "tools": tools})
    api.on("NotebookService/ListNotebooks", {"notebooks": [{"id": "4", "title": "Plans", "tools": tools}]})
    api.on("NotebookService/UpdateNotebook", {"id": "4", "title": "Plans"})
    for method in ("Sources", "Members", "Sessions"):
        api.on(f"NotebookService/ListNotebook{method}", {})
    shell.run("notebooks", "add", "Plans", "--tool", "search_web", "--tool", "wiki__*")
    assert "search_web, wiki__*" in shell.run("notebooks", "show", "Plans").stdout
    shell.run("notebooks", "update", "Plans", "--tool", "search_web")
    shell.run("notebooks", "update", "Plans", "--sources-only")
    (made,), (named, cleared) = (api.sent(f"NotebookService/{verb}Notebook") for verb in ("Create", "Update"))
    assert made.body["tools"] == tools
    assert named.body["tools"] == ["search_web"]
    assert cleared.body == {"tools": []}
    both = shell.run("notebooks", "update", "Plans", "--tool", "search_web", "--sources-only", code=1)
    assert "either --tool or --sources-only" in both.stderr
