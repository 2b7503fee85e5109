"""`echomind ingest` against a small server that keeps documents as the API does."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from echomind.cli.sources import uploads
from echomind.cli.terminal import CommandError
from echomind_lib.models.public import Document, DocumentStatus
from tests.drivers.api_server import UPLOAD, ApiServer, Call, refusal
from tests.drivers.document_store import Store, names
from tests.drivers.shell import Shell


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    """A folder with two documents, one in a folder of its own, and what is left out."""
    folder = tmp_path / "handbook"
    (folder / "people").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "travel.md").write_text("# Travel")
    (folder / "people" / "leave.md").write_text("# Leave")
    (folder / "people" / ".draft.md").write_text("# Draft")
    (folder / ".git" / "config.md").write_text("x")
    (folder / "program.exe").write_bytes(b"MZ")
    (folder / "empty.md").write_text("")
    return folder


def test_a_folder_becomes_documents_named_by_their_paths(shell: Shell, store: Store, handbook: Path) -> None:
    result = shell.json("ingest", str(handbook), "--wait")
    assert (result["completed"], result["failed"], result["skipped"]) == (2, 0, 2)
    leave = next(each for each in result["documents"] if each["title"] == "leave.md")
    document_id = store.documents[1, "handbook/people/leave.md"]["id"]
    state = {"status": "completed", "statusMessage": "", "chunkCount": 3}
    assert leave == {"documentId": document_id, "title": "leave.md"} | state
    assert names(store) == {"handbook/travel.md", "handbook/people/leave.md"}


def test_only_changed_files_are_sent_again_and_missing_ones_are_removed(
    api: ApiServer, shell: Shell, store: Store, handbook: Path
) -> None:
    shell.run("ingest", str(handbook), "--wait")
    api.calls.clear()
    (handbook / "travel.md").write_text("# Travel, second edition")
    (handbook / "people" / "leave.md").rename(handbook / "people" / "holidays.md")
    (handbook / "news.md").write_text("# News")
    result = shell.run("ingest", str(handbook), "--wait")
    sent = {source_id for call in api.sent(UPLOAD) for source_id in call.body["source_id"]}
    assert sent == {"handbook/travel.md", "handbook/people/holidays.md", "handbook/news.md"}
    assert names(store) == sent
    assert "3 ready, 0 failed, 1 removed" in result.stdout
    api.calls.clear()
    result = shell.json("ingest", str(handbook), "--wait")
    assert (result["completed"], result["skipped"], result["documents"]) == (0, 5, [])
    assert not api.sent(UPLOAD)


def test_other_documents_of_the_connector_stay(shell: Shell, store: Store, handbook: Path, tmp_path: Path) -> None:
    single = tmp_path / "note.md"
    single.write_text("A note")
    shell.run("ingest", str(single))
    shell.run("ingest", str(handbook))
    assert "note.md" in names(store)


def test_documents_that_still_wait_from_before_are_waited_for(shell: Shell, store: Store, handbook: Path) -> None:
    assert shell.json("ingest", str(handbook))["completed"] == 0
    assert store.polls == 0
    result = shell.json("ingest", str(handbook), "--wait")
    assert (result["completed"], result["skipped"], len(result["documents"])) == (2, 2, 2)


def test_a_failed_document_is_exit_code_1(shell: Shell, store: Store, handbook: Path) -> None:
    (handbook / "broken.md").write_text("x")
    result = shell.run("ingest", str(handbook), "--wait", code=1)
    assert "2 ready, 1 failed" in result.stdout
    assert "failed: broken.md: Damaged." in result.stderr


def test_a_refused_file_does_not_stop_the_others(shell: Shell, store: Store, handbook: Path) -> None:
    (handbook / "aaa.md").write_text("too large")
    result = shell.json("ingest", str(handbook), "--wait", code=1)
    assert (result["completed"], result["failed"]) == (2, 1)
    (refused,) = [each for each in result["documents"] if each["status"] == "failed"]
    assert refused["documentId"] == ""
    assert refused["statusMessage"] == "The file is too large."


def test_a_busy_server_is_asked_again(api: ApiServer, shell: Shell, store: Store, handbook: Path) -> None:
    store.add_connector("My files")
    refused: list[list[str]] = []

    def upload(call: Call) -> Any:
        if call.body["source_id"] not in refused:
            refused.append(call.body["source_id"])
            return refusal("OVERLOADED", "Wait.", 429, "RESOURCE_EXHAUSTED", retry_after_seconds="0.05")(call)
        return store.upload(call)

    api.on(UPLOAD, upload)
    assert shell.json("ingest", str(handbook), "--wait")["completed"] == 2
    assert refused == [["handbook/travel.md", "handbook/people/leave.md"]]


def test_small_files_share_requests_and_large_ones_have_their_own(
    api: ApiServer, shell: Shell, store: Store, handbook: Path
) -> None:
    store.add_connector("My files")
    for number in range(10):
        (handbook / f"note-{number}.md").write_text(f"# Note {number}")
    (handbook / "large.md").write_text("# Large\n" * 100_000)
    assert shell.json("ingest", str(handbook), "--wait")["completed"] == 13
    requests = [call.body["source_id"] for call in api.sent(UPLOAD)]
    assert sorted(map(len, requests)) == [1, 4, 8]
    assert ["handbook/large.md"] in requests
    assert len(names(store)) == 13


def test_a_new_connector_gets_its_name_and_scope(shell: Shell, store: Store, handbook: Path) -> None:
    shell.run("ingest", str(handbook), "--connector", "Rules", "--scope", "group", "--group", "sales")
    (connector,) = store.connectors
    assert (connector["name"], connector["scope"], connector["scopeId"]) == ("Rules", "SCOPE_GROUP", "sales")
    assert len(store.documents) == 2
    error = shell.run("ingest", str(handbook), "--connector", "Rules", "--scope", "org", code=1).stderr
    assert "The connector Rules exists and is visible to group sales: choose another name." in error


def test_a_scope_without_a_connector_leaves_the_choice_to_the_server(
    api: ApiServer, shell: Shell, store: Store, handbook: Path
) -> None:
    assert shell.json("ingest", str(handbook), "--scope", "org", "--wait")["completed"] == 2
    assert api.sent(UPLOAD)[0].body["scope"] == ["org"]
    assert shell.json("ingest", str(handbook), "--scope", "org", "--wait")["completed"] == 0


def test_files_that_cannot_be_ingested_are_listed(shell: Shell, store: Store, tmp_path: Path) -> None:
    assert "nowhere does not exist" in shell.run("ingest", str(tmp_path / "nowhere"), code=1).stderr
    (tmp_path / "empty").mkdir()
    assert "empty holds no file that can be read" in shell.run("ingest", str(tmp_path / "empty"), code=1).stderr
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.md").write_text("x")
    error = shell.run("ingest", str(tmp_path / "a" / "x.md"), str(tmp_path / "b" / "x.md"), code=1).stderr
    assert "would be the same document 'x.md'" in error


def test_a_folder_that_cannot_be_read_is_an_error(
    shell: Shell, store: Store, handbook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.run("ingest", str(handbook))
    scan = os.scandir

    def refuse(folder: Any) -> Any:
        if os.fspath(folder).endswith("people"):
            raise PermissionError(13, "Permission denied", os.fspath(folder))
        return scan(folder)

    monkeypatch.setattr(os, "scandir", refuse)
    assert "people cannot be read: Permission denied." in shell.run("ingest", str(handbook), code=1).stderr
    assert "handbook/people/leave.md" in names(store)


def test_one_request_asks_for_many_documents(api: ApiServer, shell: Shell, store: Store, handbook: Path) -> None:
    for number in range(40):
        (handbook / f"note-{number}.md").write_text(f"# Note {number}")
    assert shell.json("ingest", str(handbook), "--wait")["completed"] == 42
    polls = [call.query["ids"].split(",") for call in api.sent("DocumentService/ListDocuments") if "ids" in call.query]
    assert [len(ids) for ids in polls] == [8, 16, 18]


def test_a_document_that_is_removed_meanwhile_has_failed(
    api: ApiServer, shell: Shell, store: Store, handbook: Path
) -> None:
    def remove_first(call: Call) -> Any:
        store.documents.pop((1, "handbook/travel.md"), None)
        return store.list_documents(call)

    api.on("DocumentService/ListDocuments", remove_first)
    result = shell.json("ingest", str(handbook), "--wait", code=1)
    assert (result["completed"], result["failed"]) == (1, 1)
    messages = {each["title"]: each["statusMessage"] for each in result["documents"]}
    assert messages == {"leave.md": "", "travel.md": "It was removed while it was being processed."}


async def test_waiting_for_unprocessed_documents_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = Document(id=1, status=DocumentStatus.PENDING)
    polls = 0

    async def current(_: object, documents: Sequence[Document]) -> list[Document]:
        nonlocal polls
        polls += 1
        # The first polls show progress, which restarts the timeout.
        return [document.model_copy(update={"status_message": f"{min(polls, 3)}"}) for document in documents]

    monkeypatch.setattr(uploads, "_current", current)
    monkeypatch.setattr(uploads, "_STALLED_SECONDS", 0.2)
    with pytest.raises(CommandError, match="echomind doctor"):
        await uploads.wait_all(None, [waiting], lambda: None)  # type: ignore[arg-type]
    assert polls > 3
