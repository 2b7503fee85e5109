"""Notes of notebooks over both transports: saved from answers, written and edited, and hidden with their sources."""

import asyncio

import asyncpg
import pytest

from echomind_lib.errors import ChangedSinceReadError, NotFoundError, PermissionDeniedError, ValidationFailedError
from tests.drivers.client import Transport
from tests.drivers.gateway import NewUser
from tests.drivers.locks import waits_for
from tests.factories import rows as make
from tests.factories.notebooks import notebook

UNKNOWN = "ANSWER_BASIS_UNSPECIFIED"


async def test_an_answer_is_kept_edited_and_hidden_from_who_may_not_read_its_sources(
    new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    author, editor, viewer, stranger = [await new_user(*role) for role in (("superadmin",), (), (), ())]
    members = {author.user_id: "owner", editor.user_id: "editor", viewer.user_id: "viewer"}
    notebook_id = await notebook(pool, members)  # type: ignore[arg-type]
    connector = (await make.connector(pool, user_id=author.user_id, type="file", scope="org"))["id"]
    document = (await make.document(pool, connector_id=connector, title="Rules"))["id"]
    assistant = await pool.fetchval("SELECT min(id) FROM assistants")
    given = {"user_id": author.user_id, "assistant_id": assistant, "notebook_id": notebook_id}
    session = (await make.chat_session(pool, **given))["id"]
    asked = (await make.chat_message(pool, chat_session_id=session, content="When are the lamps lit?"))["id"]
    content = "At six [1]. In summer at nine [1]."
    answer = {"role": "assistant", "content": content, "status": "completed", "parent_message_id": asked}
    answer |= {"basis": "sources", "other_tools": ["search_web"]}
    message = (await make.chat_message(pool, chat_session_id=session, **answer))["id"]
    cited = {"document_id": document, "chunk_id": "c", "number": 1, "snippet": "lit at six", "title": "Rules"}
    for start, end in ((0, 11), (12, 34)):
        await make.citation(pool, chat_message_id=message, sentence_start=start, sentence_end=end, **cited)
    drawn = {"chat_session_id": session, "document_id": document, "connector_id": connector}
    await make.insert(pool, "chat_session_sources", drawn)

    request = {"notebookId": notebook_id, "messageId": message}
    with pytest.raises(ValidationFailedError):
        await author.call("NotebookNoteService/SaveNotebookNote", request | {"messageId": asked}, via)
    saved = await author.call("NotebookNoteService/SaveNotebookNote", request, via)
    assert (saved["title"], saved["content"]) == ("When are the lamps lit?", content)
    assert [(each["number"], each["documentId"], each["snippet"]) for each in saved["citations"]] == [
        (1, str(document), "lit at six")
    ] * 2
    assert (saved["basis"], saved["otherTools"]) == ("ANSWER_BASIS_SOURCES", ["search_web"])
    (seen,) = (await viewer.call("NotebookNoteService/ListNotebookNotes", {"notebookId": notebook_id}, via))["notes"]
    assert (seen["id"], seen["userId"], seen.get("isEditable", False)) == (saved["id"], author.user_id, False)
    change = {
        "id": saved["id"],
        "note": {"content": "They are lit: At six [1]. In summer at ten [1]."},
        "updateMask": "content",
    }
    with pytest.raises(PermissionDeniedError):
        await viewer.call("NotebookNoteService/UpdateNotebookNote", change, via)
    changed = await editor.call("NotebookNoteService/UpdateNotebookNote", change, via)
    # A citation stays with the sentence that it was checked for; what the answer stands on is not said of other words.
    kept = saved["citations"][0] | {"sentenceStart": 14, "sentenceEnd": 25}
    assert (changed["content"], changed["citations"]) == (change["note"]["content"], [kept])
    assert changed.get("basis", UNKNOWN) == UNKNOWN
    assert changed["userId"] == author.user_id, "the author stays"
    with pytest.raises(NotFoundError):
        await stranger.call("NotebookNoteService/GetNotebookNote", {"id": saved["id"]}, via)

    # Whoever may not read a source any more does not read what was written from it.
    await pool.execute("UPDATE connectors SET scope = 'user' WHERE id = $1", connector)
    listed = await viewer.call("NotebookNoteService/ListNotebookNotes", {"notebookId": notebook_id}, via)
    assert not listed.get("notes")
    for method in ("GetNotebookNote", "DeleteNotebookNote"):
        with pytest.raises(NotFoundError):
            await editor.call(f"NotebookNoteService/{method}", {"id": saved["id"]}, via)
    await pool.execute("DELETE FROM documents WHERE id = $1", document)
    with pytest.raises(NotFoundError):
        await viewer.call("NotebookNoteService/GetNotebookNote", {"id": saved["id"]}, via)
    assert (await author.call("NotebookNoteService/GetNotebookNote", {"id": saved["id"]}, via))["id"] == saved["id"]


async def test_a_note_is_written_by_hand_and_deleted(new_user: NewUser, pool: asyncpg.Pool, via: Transport) -> None:
    owner, viewer = await new_user(), await new_user()
    notebook_id = await notebook(pool, {owner.user_id: "owner", viewer.user_id: "viewer"})
    other = await notebook(pool, {owner.user_id: "owner"})
    request = {"notebookId": notebook_id, "note": {"title": "Plan", "content": "Ask the harbour master."}}
    made = await viewer.call("NotebookNoteService/CreateNotebookNote", request, via)
    assert (made["userId"], made["isEditable"], made.get("citations", [])) == (viewer.user_id, True, [])
    assert (made.get("basis"), made.get("otherTools", [])) == ("ANSWER_BASIS_UNSPECIFIED", [])
    with pytest.raises(NotFoundError):
        await viewer.call("NotebookNoteService/CreateNotebookNote", request | {"notebookId": other}, via)
    assert not (await owner.call("NotebookNoteService/ListNotebookNotes", {"notebookId": other}, via)).get("notes")
    await viewer.call("NotebookNoteService/DeleteNotebookNote", {"id": made["id"]}, via)
    with pytest.raises(NotFoundError):
        await owner.call("NotebookNoteService/GetNotebookNote", {"id": made["id"]}, via)


async def test_a_note_is_not_changed_over_a_change_that_was_not_read(
    new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    owner, editor = await new_user(), await new_user()
    notebook_id = await notebook(pool, {owner.user_id: "owner", editor.user_id: "editor"})
    request = {"notebookId": notebook_id, "note": {"title": "Plan", "content": "Ask the harbour master."}}
    read = await owner.call("NotebookNoteService/CreateNotebookNote", request, via)

    def change(content: str, expected: str | None) -> dict[str, object]:
        given = {} if expected is None else {"expectedLastUpdate": expected}
        return {"id": read["id"], "note": {"content": content}, "updateMask": "content"} | given

    method = "NotebookNoteService/UpdateNotebookNote"
    theirs = await editor.call(method, change("Ask the pilot.", read["creationDate"]), via)
    for stale in (read["creationDate"], "2000-01-01T00:00:00Z"):
        with pytest.raises(ChangedSinceReadError):
            await owner.call(method, change("Ask nobody.", stale), via)
    kept = await owner.call("NotebookNoteService/GetNotebookNote", {"id": read["id"]}, via)
    assert (kept["content"], kept["updatedByName"]) == ("Ask the pilot.", theirs["updatedByName"])
    await owner.call(method, change("Ask both.", theirs["lastUpdate"]), via)
    last = await editor.call(method, change("Ask all.", None), via)
    assert last["content"] == "Ask all."


async def test_of_two_changes_at_once_the_second_sees_the_first(new_user: NewUser, pool: asyncpg.Pool) -> None:
    owner = await new_user()
    notebook_id = await notebook(pool, {owner.user_id: "owner"})
    request = {"notebookId": notebook_id, "note": {"title": "Plan", "content": "Ask."}}
    read = await owner.call("NotebookNoteService/CreateNotebookNote", request)
    change = {
        "id": read["id"],
        "note": {"content": "Ask nobody."},
        "updateMask": "content",
        "expectedLastUpdate": read["creationDate"],
    }
    async with pool.acquire() as connection:
        first = connection.transaction()
        await first.start()
        await connection.execute("UPDATE notebook_notes SET content = 'Ask the pilot.' WHERE id = $1", int(read["id"]))
        second = asyncio.create_task(owner.call("NotebookNoteService/UpdateNotebookNote", change))
        await waits_for(pool, connection.get_server_pid(), second)
        await first.commit()
    with pytest.raises(ChangedSinceReadError):
        await second
