"""Documents over both transports, from their bytes to their passages."""

import asyncio
import hashlib
from typing import Any

import asyncpg
import pytest

from echomind_api.main import Gateway
from echomind_lib.errors import (
    DocumentNotReadyError,
    EchoMindError,
    FileRejectedError,
    NotFoundError,
    PermissionDeniedError,
    ValidationFailedError,
)
from echomind_lib.objects import original_key
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser, Process
from tests.drivers.uploads import download, send, upload

HANDBOOK = """# Handbook

## Leave

Everyone has twenty-seven days of leave a year. Ten of them may be taken over into the next one.

## Travel

Trains come before planes wherever the journey is below six hours. Tickets are bought by the travel office.
"""


async def test_a_file_is_stored_processed_read_and_found(new_user: NewUser, process: Process, via: Transport) -> None:
    somebody, other = await new_user(), await new_user()
    content = f"{HANDBOOK}\nWritten for {via}.".encode()
    sent = await send(somebody, via, "handbook.md", content, title="The handbook")
    assert sent["status"] == "DOCUMENT_STATUS_PENDING"
    assert (sent["title"], sent["contentType"], sent["sizeBytes"]) == (
        "The handbook",
        "text/markdown",
        str(len(content)),
    )
    assert sent["signature"] == hashlib.sha256(content).hexdigest()
    with pytest.raises(DocumentNotReadyError):
        await somebody.call("DocumentService/GetDocumentText", {"id": sent["id"]}, via)
    await process(sent["id"])
    document = await somebody.call("DocumentService/GetDocument", {"id": sent["id"]}, via)
    assert document["status"] == "DOCUMENT_STATUS_COMPLETED", document
    text = await somebody.call("DocumentService/GetDocumentText", {"id": sent["id"]}, via)
    assert "twenty-seven days" in text["text"]
    assert text["length"] == text["end"] == len(text["text"])
    where = text["text"].index("twenty-seven")
    part = await somebody.call(
        "DocumentService/GetDocumentText", {"id": sent["id"], "start": where, "end": where + 12}, via
    )
    assert part["text"] == "twenty-seven"
    beyond = await somebody.call("DocumentService/GetDocumentText", {"id": sent["id"], "start": 10**9}, via)
    assert not beyond.get("text")
    assert beyond["start"] == text["length"]
    chunks = (await somebody.call("DocumentService/ListDocumentChunks", {"id": sent["id"]}, via))["chunks"]
    assert len(chunks) == document["chunkCount"]
    assert [chunk.get("position", 0) for chunk in chunks] == list(range(len(chunks)))
    for chunk in chunks:
        assert text["text"][chunk.get("start", 0) : chunk["end"]] == chunk["text"]
    sections = [section for chunk in chunks for section in chunk.get("laterSections", [])]
    assert [section["heading"] for section in sections] == [["Handbook", "Leave"], ["Handbook", "Travel"]]
    assert all(text["text"][each["start"] :].startswith(f"## {each['heading'][-1]}") for each in sections)
    request = {"query": "How many days of leave do I get?", "limit": 3}
    hits = (await somebody.call("SearchService/Search", request, via))["hits"]
    assert "twenty-seven" in hits[0]["text"]
    assert hits[0]["documentId"] == document["id"]
    assert hits[0]["chunkId"] in {chunk["id"] for chunk in chunks}
    assert 0 < hits[0]["score"] <= 1
    for mode in ("SEARCH_MODE_DENSE", "SEARCH_MODE_LEXICAL"):
        assert (await somebody.call("SearchService/Search", request | {"mode": mode}, via))["hits"]
    found = await other.call("SearchService/Search", request, via)
    assert document["id"] not in {hit["documentId"] for hit in found.get("hits", [])}
    response = await download(somebody, document["id"])
    assert await response.read() == content
    assert response.headers["Content-Disposition"] == "attachment; filename*=UTF-8''handbook.md"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Security-Policy"] == "sandbox"
    assert (await download(other, document["id"])).status == 404


async def test_search_within_a_notebook_and_a_language(new_user: NewUser, process: Process, via: Transport) -> None:
    somebody, other = await new_user(), await new_user()
    texts = {"en": "The garage of the museum opens at six in the morning.", "de": "Die Tiefgarage öffnet um sechs Uhr."}
    sent = {name: await send(somebody, via, f"{name}.txt", text.encode()) for name, text in texts.items()}
    for document in sent.values():
        await process(document["id"])
    made = await somebody.call("NotebookService/CreateNotebook", {"notebook": {"title": "Cars"}}, via)
    sources = {"id": made["id"], "documentIds": [sent["de"]["id"]]}
    await somebody.call("NotebookService/AddNotebookSources", sources, via)

    async def found(who: Client, **expected: object) -> set[str]:
        request = {"query": "Who opens the garage? Wann öffnet die Tiefgarage?", "limit": 100} | expected
        hits = (await who.call("SearchService/Search", request, via)).get("hits", [])
        return {name for name, document in sent.items() if document["id"] in {hit["documentId"] for hit in hits}}

    assert await found(somebody) == {"en", "de"}
    assert await found(somebody, languages=["de"]) == {"de"}
    assert await found(somebody, languages=["en", "fr"]) == {"en"}
    assert await found(somebody, notebookId=made["id"]) == {"de"}
    assert await found(somebody, notebookId=made["id"], languages=["en"]) == set()
    with pytest.raises(NotFoundError):
        await found(other, notebookId=made["id"])
    with pytest.raises(ValidationFailedError):
        await found(somebody, languages=["German"])


async def test_search_by_get_is_the_same(new_user: NewUser, process: Process) -> None:
    somebody = await new_user()
    sent = await send(somebody, "rest", "h.md", HANDBOOK.encode())
    await process(sent["id"])
    headers = {"Authorization": f"Bearer {somebody.key}"}
    url = f"{somebody.http_url}/api/v1/search?query=trains%20and%20planes&limit=1&connectorIds={sent['connectorId']}"
    async with somebody.session.get(url, headers=headers) as response:
        (hit,) = (await response.json())["hits"]
    assert "Trains" in hit["text"]


async def test_hits_are_plain_text_ordered_by_their_scores_with_copies_counted(
    new_user: NewUser, process: Process, via: Transport
) -> None:
    somebody = await new_user()
    marked = b"# Travel\n\nTrains are **preferred** to [planes](https://example.org). Code is `shown`."
    other = b"# Garage\n\nThe garage of the museum opens at six, and visitors of the exhibition park there."
    sent = [await send(somebody, via, name, data) for name, data in (("a/t.md", marked), ("b/copy.md", marked))]
    sent.append(await send(somebody, via, "garage.md", other))
    for document in sent:
        await process(document["id"])
    request = {"query": "Are trains preferred to planes?"}
    hits = (await somebody.call("SearchService/Search", request, via))["hits"]
    # The organisation's documents of other tests can be found as well.
    own = {document["id"] for document in sent}
    first, second = (hit for hit in hits if hit["documentId"] in own)
    assert {first["documentId"], *first["copyIds"]} == {sent[0]["id"], sent[1]["id"]}
    assert first["snippet"] == "Travel Trains are preferred to planes. Code is shown."
    assert first["title"] == "Travel"
    assert first["fileName"] in {"t.md", "copy.md"}
    assert not first.get("isWeak", False)
    assert second["documentId"] == sent[2]["id"]
    assert second["isWeak"]
    assert first["score"] > second.get("score", 0)
    named = await somebody.call("DocumentService/GetDocument", {"id": sent[0]["id"]}, via)
    assert named["fileName"] == "t.md"


async def test_tables_are_read_as_tables_part_by_part(new_user: NewUser, process: Process, via: Transport) -> None:
    somebody = await new_user()
    table = "City,Limit\n" + "".join(f"City {number},{number} euro\n" for number in range(400))
    sent = await send(somebody, via, "limits.csv", table.encode())
    await process(sent["id"])
    request = {"id": sent["id"], "form": "TEXT_FORM_MARKDOWN", "end": 1000}
    head = "| City | Limit |\n| --- | --- |"
    first = await somebody.call("DocumentService/GetDocumentText", request, via)
    assert first["form"] == "TEXT_FORM_MARKDOWN"
    assert first["text"].startswith(f"{head}\n| City 0 | 0 euro |\n")
    assert not first.get("tableHead")
    second = await somebody.call("DocumentService/GetDocumentText", request | {"start": first["end"], "end": 2000}, via)
    assert second["tableHead"] == head
    assert second["text"].startswith("| City ")
    plain = await somebody.call("DocumentService/GetDocumentText", {"id": sent["id"]}, via)
    assert (plain["form"], plain["text"][:27]) == ("TEXT_FORM_PLAIN", "City: City 0; Limit: 0 euro")
    sent = await send(somebody, via, "note.txt", b"As plain as can be.")
    await process(sent["id"])
    found = await somebody.call("DocumentService/GetDocumentText", request | {"id": sent["id"]}, via)
    assert (found["form"], found["text"]) == ("TEXT_FORM_PLAIN", "As plain as can be.")
    sent = await send(somebody, via, "note.md", b"As *plain* as can be.")
    await process(sent["id"])
    found = await somebody.call("DocumentService/GetDocumentText", request | {"id": sent["id"]}, via)
    assert (found["form"], found["text"]) == ("TEXT_FORM_MARKDOWN", "As *plain* as can be.")


async def test_passages_page_by_page(new_user: NewUser, process: Process, via: Transport) -> None:
    somebody = await new_user()
    text = "\n\n".join(f"## Part {number}\n\n" + f"This is what part {number} says. " * 30 for number in range(12))
    sent = await send(somebody, via, "long.md", text.encode())
    await process(sent["id"])
    seen: list[int] = []
    token = ""
    while True:
        page = await somebody.call(
            "DocumentService/ListDocumentChunks", {"id": sent["id"], "pageSize": 5, "pageToken": token}, via
        )
        seen += [chunk.get("position", 0) for chunk in page["chunks"]]
        if not (token := page.get("nextPageToken", "")):
            break
    document = await somebody.call("DocumentService/GetDocument", {"id": sent["id"]}, via)
    assert seen == list(range(document["chunkCount"]))
    assert len(seen) > 5


async def test_the_same_bytes_are_taken_once(new_user: NewUser, process: Process, via: Transport) -> None:
    somebody = await new_user()
    first = await send(somebody, via, "once.txt", b"Said once and for all.")
    assert (await send(somebody, via, "once.txt", b"Said once and for all."))["id"] == first["id"]
    await process(first["id"])
    again = await send(somebody, via, "once.txt", b"Said once and for all.", title="Another title")
    read = await somebody.call("DocumentService/GetDocument", {"id": first["id"]}, via)
    # An upload does not ask who changed the document.
    assert again == read | {name: again[name] for name in ("updatedBy", "updatedByName") if name in again}
    assert again["status"] == "DOCUMENT_STATUS_COMPLETED"


async def test_new_bytes_wait_while_the_old_ones_are_found(new_user: NewUser, process: Process, via: Transport) -> None:
    somebody = await new_user()
    first = await send(somebody, via, "plan.txt", b"The meeting is on the green roof.")
    await process(first["id"])
    before = await somebody.call("DocumentService/GetDocument", {"id": first["id"]}, via)
    changed = await send(somebody, via, "plan.txt", b"The meeting is in the cellar.")
    assert changed["id"] == first["id"]
    assert changed["status"] == "DOCUMENT_STATUS_PENDING"
    assert changed["chunkingSession"] == before["chunkingSession"]
    request = {"query": "Where is the meeting?"}
    assert "green roof" in (await somebody.call("SearchService/Search", request, via))["hits"][0]["text"]
    await process(first["id"])
    assert "cellar" in (await somebody.call("SearchService/Search", request, via))["hits"][0]["text"]
    assert await (await download(somebody, first["id"])).read() == b"The meeting is in the cellar."


async def test_a_version_that_is_being_processed_cannot_replace_a_newer_one(
    new_user: NewUser, via: Transport, pool: asyncpg.Pool
) -> None:
    somebody = await new_user()
    sent = await send(somebody, via, "race.txt", b"one")
    await pool.execute(
        "UPDATE documents SET status = 'processing', processing_session = gen_random_uuid() WHERE id = $1",
        int(sent["id"]),
    )
    changed = await send(somebody, via, "race.txt", b"two")
    assert changed["status"] == "DOCUMENT_STATUS_PENDING"
    assert await pool.fetchval("SELECT processing_session FROM documents WHERE id = $1", int(sent["id"])) is None


async def test_a_failed_document_is_tried_again(new_user: NewUser, via: Transport, pool: asyncpg.Pool) -> None:
    somebody = await new_user()
    sent = await send(somebody, via, "broken.txt", b"text")
    fail = "UPDATE documents SET status = 'failed', status_message = 'It was broken.' WHERE id = $1"
    await pool.execute(fail, int(sent["id"]))
    assert (await send(somebody, via, "broken.txt", b"text"))["status"] == "DOCUMENT_STATUS_PENDING"
    await pool.execute(fail, int(sent["id"]))
    again = await somebody.call("DocumentService/RetryDocument", {"id": sent["id"]}, via)
    assert again["status"] == "DOCUMENT_STATUS_PENDING"
    assert not again.get("statusMessage")


async def test_a_removed_document_is_hidden_and_its_name_is_free(
    new_user: NewUser, via: Transport, pool: asyncpg.Pool, gateway: Gateway
) -> None:
    somebody = await new_user()
    sent = await send(somebody, via, "gone.txt", b"text")
    await somebody.call("DocumentService/DeleteDocument", {"id": sent["id"]}, via)
    for method in ("GetDocument", "DeleteDocument", "RetryDocument", "GetDocumentText", "ListDocumentChunks"):
        with pytest.raises(NotFoundError):
            await somebody.call(f"DocumentService/{method}", {"id": sent["id"]}, via)
    assert (await download(somebody, sent["id"])).status == 404
    again = await send(somebody, via, "gone.txt", b"text")
    assert again["id"] != sent["id"]
    # The later deletion of the first document must not affect the second.
    objects = gateway.parts.dependencies.objects
    await objects.delete_prefix(f"documents/{sent['id']}/")
    assert await objects.get(original_key(int(again["id"]), again["signature"])) == b"text"
    assert await pool.fetchval("SELECT deleted_date IS NOT NULL FROM documents WHERE id = $1", int(sent["id"]))


async def test_documents_are_listed_newest_first(new_user: NewUser, via: Transport, pool: asyncpg.Pool) -> None:
    somebody = await new_user()
    sent = [await send(somebody, via, f"{number}.txt", str(number).encode()) for number in range(5)]
    connector_id = sent[0]["connectorId"]
    await pool.execute("UPDATE documents SET status = 'failed' WHERE id = $1", int(sent[2]["id"]))
    ids: list[str] = []
    token = ""
    while True:
        request = {"pageSize": 2, "pageToken": token, "connectorId": connector_id}
        page = await somebody.call("DocumentService/ListDocuments", request, via)
        ids += [item["id"] for item in page["documents"]]
        if not (token := page.get("nextPageToken", "")):
            break
    assert ids == [item["id"] for item in reversed(sent)]
    request = {"status": "DOCUMENT_STATUS_FAILED", "connectorId": connector_id}
    (failed,) = (await somebody.call("DocumentService/ListDocuments", request, via))["documents"]
    assert failed["id"] == sent[2]["id"]


async def test_own_files_have_a_connector_when_they_are_first_there(new_user: NewUser, via: Transport) -> None:
    somebody = await new_user()
    sent = await asyncio.gather(*(send(somebody, via, f"{number}.txt", b"x") for number in range(6)))
    (connector_id,) = {item["connectorId"] for item in sent}
    connector = await somebody.call("ConnectorService/GetConnector", {"id": connector_id}, via)
    assert (connector["name"], connector["scope"]) == ("My files", "SCOPE_USER")


async def test_files_can_be_uploaded_only_to_permitted_connectors(
    new_user: NewUser, owner: Client, via: Transport
) -> None:
    somebody = await new_user()
    body = {"connector": {"name": f"shared-{via}", "type": "CONNECTOR_TYPE_FILE", "scope": "SCOPE_ORG"}}
    shared = await owner.call("ConnectorService/CreateConnector", body)
    field = "connectorId" if via == "grpc" else "connector_id"
    with pytest.raises(PermissionDeniedError):
        await send(somebody, via, "a.txt", b"a", **{field: shared["id"]})
    with pytest.raises(NotFoundError):
        await send(somebody, via, "a.txt", b"a", **{field: 2_000_000_000})
    sent = await send(owner, via, "a.txt", b"a", **{field: shared["id"]})
    assert (await somebody.call("DocumentService/GetDocument", {"id": sent["id"]}, via))["id"] == sent["id"]
    for method in ("DeleteDocument", "RetryDocument"):
        with pytest.raises(PermissionDeniedError):
            await somebody.call(f"DocumentService/{method}", {"id": sent["id"]}, via)


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "..\\..\\x", "a/../../b", ".", "\u202egnp.exe"])
async def test_a_name_is_never_a_path(new_user: NewUser, via: Transport, name: str) -> None:
    somebody = await new_user()
    sent = await send(somebody, via, name, b"harmless", **({"source_id": name} if via == "rest" else {}))
    assert sent["sourceId"] == name
    response = await download(somebody, sent["id"])
    assert await response.read() == b"harmless"
    disposition = response.headers["Content-Disposition"]
    assert "/" not in disposition
    assert "\\" not in disposition


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("empty.txt", b"", EchoMindError),
        ("large.txt", b"x" * 1_000_001, FileRejectedError),
        ("x" * 2001, b"x", ValidationFailedError),
        ("line\nbreak", b"x", ValidationFailedError),
    ],
)
async def test_files_that_are_not_taken(
    new_user: NewUser, via: Transport, name: str, content: bytes, error: type[EchoMindError]
) -> None:
    somebody = await new_user()
    with pytest.raises(error) as caught:
        await send(somebody, via, name, content, **({"source_id": name} if via == "rest" else {}))
    assert caught.value.code == "INVALID_ARGUMENT"
    if error is FileRejectedError:
        assert caught.value.metadata == {"name": name, "limit": "1000000"}
    assert not (await somebody.call("ConnectorService/ListConnectors", {"name": "My files"})).get("documents")


async def test_the_largest_file_is_taken(new_user: NewUser) -> None:
    somebody = await new_user()
    content = b"x" * 1_000_000
    (sent,) = await upload(somebody, ("largest.txt", content))
    assert await (await download(somebody, sent["id"])).read() == content


async def test_a_file_is_in_the_object_store_before_it_is_accepted(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    somebody = await new_user()
    objects = gateway.parts.dependencies.objects

    async def fail(*_: Any, **__: Any) -> None:
        raise PermissionDeniedError("the object store is full")

    with monkeypatch.context() as patch:
        patch.setattr(type(objects), "put", fail)
        with pytest.raises(PermissionDeniedError):
            await upload(somebody, ("lost.txt", b"text"))
    connector = await pool.fetchval("SELECT id FROM connectors WHERE user_id = $1", somebody.user_id)
    assert await pool.fetchval("SELECT count(*) FROM documents WHERE connector_id = $1", connector) == 0
