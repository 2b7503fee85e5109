"""`echomind ingest` against a small server that keeps documents as the API does."""

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from echomind.cli import uploads
from echomind.cli.terminal import CommandError
from echomind_lib.models.public import Document, DocumentStatus
from tests.unit.cli.conftest import ApiServer, Call, Shell, refusal


@dataclass
class Store:
    """Connectors and documents: what is uploaded is pending once and then completed, or failed when it says so."""

    connectors: list[dict[str, Any]] = field(default_factory=list)
    documents: dict[tuple[int, str], dict[str, Any]] = field(default_factory=dict)
    uploads: int = 0
    polls: int = 0

    def add_connector(self, name: str, scope: str = "user", group: str = "") -> dict[str, Any]:
        connector = {
            "id": len(self.connectors) + 1,
            "name": name,
            "type": "CONNECTOR_TYPE_FILE",
            "scope": f"SCOPE_{scope.upper()}",
            "scopeId": group,
            "userId": 1,
        }
        self.connectors.append(connector)
        return connector

    def list_connectors(self, call: Call) -> dict[str, Any]:
        name = call.query.get("name")
        return {"connectors": [one for one in self.connectors if name in {None, one["name"]}]}

    def upload(self, call: Call) -> Any:
        form = call.body
        if form["file"] == b"too large":
            return refusal("FILE_REJECTED", "The file is too large.", 400, "INVALID_ARGUMENT")(call)
        connector_id = int(form.get("connector_id", 0))
        if not connector_id:
            name = form.get("connector", "My files")
            found = [one for one in self.connectors if one["name"] == name]
            connector_id = (found or [self.add_connector(name, form.get("scope", "user"), form.get("group", ""))])[0][
                "id"
            ]
        self.uploads += 1
        document = {
            "id": str(self.uploads),
            "connectorId": connector_id,
            "sourceId": form["source_id"],
            "title": form.get("title", form["source_id"].rsplit("/", 1)[-1]),
            "signature": hashlib.sha256(form["file"]).hexdigest(),
            "status": "DOCUMENT_STATUS_PENDING",
        }
        stored = self.documents.get((connector_id, form["source_id"]))
        if stored is not None and stored["signature"] == document["signature"]:
            return {"documents": [stored]}
        self.documents[connector_id, form["source_id"]] = document
        return {"documents": [document]}

    def reconcile(self, call: Call) -> dict[str, Any]:
        connector_id = int(call.path.split("/")[-1].split(":")[0])
        given = {file["sourceId"]: file["signature"] for file in call.body["files"]}
        mine = {source: one for (owner, source), one in self.documents.items() if owner == connector_id}
        upload = [source for source, sum_ in given.items() if mine.get(source, {}).get("signature") != sum_]
        gone = [source for source in mine if source.startswith(call.body["prefix"]) and source not in given]
        if call.body["removeMissing"]:
            for source in gone:
                del self.documents[connector_id, source]
        removed = len(gone) if call.body["removeMissing"] else 0
        return {"upload": upload, "unchanged": len(given) - len(upload), "removed": removed}

    def get(self, call: Call) -> Any:
        self.polls += 1
        document_id = call.path.rsplit("/", 1)[-1]
        for document in self.documents.values():
            if document["id"] == document_id:
                failed = "broken" in document["sourceId"]
                document["status"] = f"DOCUMENT_STATUS_{'FAILED' if failed else 'COMPLETED'}"
                document.update({"statusMessage": "Damaged."} if failed else {"chunkCount": 3})
                return document
        return refusal("NOT_FOUND", "There is no such document.", 404)(call)

    def list_documents(self, call: Call) -> dict[str, Any]:
        found = [
            document
            for document in self.documents.values()
            if str(document["connectorId"]) == call.query["connectorId"]
            and call.query.get("status") in {None, document["status"]}
        ]
        return {"documents": found}


@pytest.fixture
def store(api: ApiServer) -> Store:
    store = Store()
    api.on("GET /api/v1/users/me", {"id": 1, "userName": "owner", "email": "owner@localhost"})
    api.on("GET /api/v1/connectors", store.list_connectors)
    api.on("POST /api/v1/documents:upload", store.upload)
    api.on(r"POST /api/v1/connectors/\d+:reconcile", store.reconcile)
    api.on("GET /api/v1/documents", store.list_documents)
    api.on(r"GET /api/v1/documents/\d+", store.get)
    return store


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


def names(store: Store) -> set[str]:
    return {source for _, source in store.documents}


def test_a_folder_becomes_documents_named_by_their_paths(shell: Shell, store: Store, handbook: Path) -> None:
    result = shell.json("ingest", str(handbook), "--wait")
    assert (result["completed"], result["failed"], result["skipped"]) == (2, 0, 2)
    leave = next(one for one in result["documents"] if one["title"] == "leave.md")
    document_id = store.documents[1, "handbook/people/leave.md"]["id"]
    state = {"status": "completed", "statusMessage": "", "chunkCount": 3}
    assert leave == {"documentId": document_id, "title": "leave.md"} | state
    assert names(store) == {"handbook/travel.md", "handbook/people/leave.md"}


def test_only_what_changed_is_sent_again_and_what_is_gone_is_removed(
    api: ApiServer, shell: Shell, store: Store, handbook: Path
) -> None:
    shell.run("ingest", str(handbook), "--wait")
    api.calls.clear()
    (handbook / "travel.md").write_text("# Travel, second edition")
    (handbook / "people" / "leave.md").rename(handbook / "people" / "holidays.md")
    (handbook / "news.md").write_text("# News")
    result = shell.run("ingest", str(handbook), "--wait")
    sent = {call.body["source_id"] for call in api.sent("POST .*:upload")}
    assert sent == {"handbook/travel.md", "handbook/people/holidays.md", "handbook/news.md"}
    assert names(store) == sent
    assert "3 completed, 0 failed, 1 removed" in result.stdout
    api.calls.clear()
    result = shell.json("ingest", str(handbook), "--wait")
    assert (result["completed"], result["skipped"], result["documents"]) == (0, 5, [])
    assert not api.sent("POST .*:upload")


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
    assert "2 completed, 1 failed" in result.stdout
    assert "failed: broken.md: Damaged." in result.stderr


def test_a_refused_file_does_not_stop_the_others(shell: Shell, store: Store, handbook: Path) -> None:
    (handbook / "aaa.md").write_text("too large")
    result = shell.json("ingest", str(handbook), "--wait", code=1)
    assert (result["completed"], result["failed"]) == (2, 1)
    (refused,) = [one for one in result["documents"] if one["status"] == "failed"]
    assert refused["documentId"] == ""
    assert refused["statusMessage"] == "The file is too large."


def test_a_busy_server_is_asked_again(api: ApiServer, shell: Shell, store: Store, handbook: Path) -> None:
    store.add_connector("My files")
    refused: list[str] = []

    def upload(call: Call) -> Any:
        if call.body["source_id"] not in refused:
            refused.append(call.body["source_id"])
            return refusal("OVERLOADED", "Wait.", 429, "RESOURCE_EXHAUSTED", retry_after_seconds="0.05")(call)
        return store.upload(call)

    api.on("POST /api/v1/documents:upload", upload)
    assert shell.json("ingest", str(handbook), "--wait")["completed"] == 2
    assert len(refused) == 2


def test_a_new_connector_gets_its_name_and_scope(shell: Shell, store: Store, handbook: Path) -> None:
    shell.run("ingest", str(handbook), "--connector", "Rules", "--scope", "group", "--group", "sales")
    (connector,) = store.connectors
    assert (connector["name"], connector["scope"], connector["scopeId"]) == ("Rules", "SCOPE_GROUP", "sales")
    assert len(store.documents) == 2
    error = shell.run("ingest", str(handbook), "--connector", "Rules", "--scope", "org", code=1).stderr
    assert "The connector Rules exists and is read by: group sales." in error


def test_a_scope_without_a_connector_leaves_the_choice_to_the_server(
    api: ApiServer, shell: Shell, store: Store, handbook: Path
) -> None:
    assert shell.json("ingest", str(handbook), "--scope", "org", "--wait")["completed"] == 2
    assert api.sent("POST .*:upload")[0].body["scope"] == "org"
    assert shell.json("ingest", str(handbook), "--scope", "org", "--wait")["completed"] == 0


def test_what_cannot_be_ingested_is_named(shell: Shell, store: Store, tmp_path: Path) -> None:
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


async def test_waiting_for_documents_that_nobody_processes_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = Document(id=1, status=DocumentStatus.PENDING)
    polls = 0

    async def current(_: object, document: Document) -> Document:
        nonlocal polls
        polls += 1
        # Something happens in the first polls, so that the time begins again.
        return document.model_copy(update={"status_message": f"{min(polls, 3)}"})

    monkeypatch.setattr(uploads, "_current", current)
    monkeypatch.setattr(uploads, "_STALLED_SECONDS", 0.2)
    with pytest.raises(CommandError, match="echomind doctor"):
        await uploads.wait_all(None, [waiting], lambda: None)  # type: ignore[arg-type]
    assert polls > 3
