"""Summaries of notebooks: who reads which, and when one is requested."""

from typing import Any

import asyncpg
import pytest

from echomind_lib.access import Principal
from echomind_lib.errors import NotFoundError
from echomind_lib.notebooks import notebook_summaries
from echomind_lib.notebooks.notebook_summaries import subject_of
from tests.drivers.notebook_room import Room, document
from tests.factories import rows as make


async def write(pool: asyncpg.Pool, room: Room, role: str, **values: Any) -> None:
    """Stores the summary of what a member may read, as the job does."""
    reader = Principal(room.people[role].user_id)
    sources = await notebook_summaries.read_sources(pool, reader, int(room.id))
    given = {"notebook_id": int(room.id), "fingerprint": notebook_summaries.fingerprint(sources)} | values
    await make.notebook_summary(pool, documents=len(sources), **given)
    await pool.execute(
        "UPDATE background_jobs SET status = 'completed' WHERE subject_id = $1",
        subject_of(int(room.id), reader.user_id),
    )


async def test_members_read_the_summary_of_the_sources_that_they_may_read(room: Room, pool: asyncpg.Pool) -> None:
    owner = room.people["owner"].user_id
    assert (await room.call("owner", "GetNotebookSummary"))["state"] == "NOTEBOOK_SUMMARY_STATE_NO_SOURCES"
    shared = await document(pool, owner)
    private = await document(pool, owner, "user")
    await room.call("owner", "AddNotebookSources", documentIds=[shared, private])
    assert (await room.call("owner", "GetNotebookSummary"))["state"] == "NOTEBOOK_SUMMARY_STATE_NOT_REQUESTED"
    assert (await room.call("owner", "RequestNotebookSummary"))["state"] == "NOTEBOOK_SUMMARY_STATE_PENDING"
    await write(pool, room, "owner", content="Of the board.", questions=["What?", "Who?", "When?"], model="scripted")
    for method in ("GetNotebookSummary", "RequestNotebookSummary"):
        found = await room.call("owner", method)
        assert (found["content"], found["documents"]) == ("Of the board.", 2)
        assert found["questions"] == ["What?", "Who?", "When?"]
    # The others may not read one of the documents: for them there is no summary yet, and then their own.
    for role in ("editor", "viewer"):
        assert "content" not in await room.call(role, "GetNotebookSummary")
    assert (await room.call("viewer", "RequestNotebookSummary"))["state"] == "NOTEBOOK_SUMMARY_STATE_PENDING"
    await write(pool, room, "viewer", content="Of everyone.")
    for role in ("editor", "viewer"):
        assert (await room.call(role, "GetNotebookSummary"))["content"] == "Of everyone."
    for method in ("GetNotebookSummary", "RequestNotebookSummary"):
        with pytest.raises(NotFoundError):
            await room.call("stranger", method)
    # Who may no longer read a document, no longer reads what was written from it.
    scope = "UPDATE connectors SET scope = $2 WHERE id = (SELECT connector_id FROM documents WHERE id = $1)"
    await pool.execute(scope, shared, "user")
    assert (await room.call("viewer", "GetNotebookSummary"))["state"] == "NOTEBOOK_SUMMARY_STATE_NO_SOURCES"
    assert (await room.call("owner", "GetNotebookSummary"))["content"] == "Of the board."


async def test_a_failed_summary_says_why_and_is_written_again_on_request(room: Room, pool: asyncpg.Pool) -> None:
    shared = await document(pool, room.people["owner"].user_id)
    await room.call("owner", "AddNotebookSources", documentIds=[shared])
    await write(pool, room, "viewer", error="The model is away.")
    found = await room.call("viewer", "GetNotebookSummary")
    assert (found["state"], found["statusMessage"]) == ("NOTEBOOK_SUMMARY_STATE_FAILED", "The model is away.")
    assert (await room.call("viewer", "RequestNotebookSummary"))["state"] == "NOTEBOOK_SUMMARY_STATE_PENDING"


async def test_requests_of_keys_and_of_the_page_have_one_state(room: Room, pool: asyncpg.Pool) -> None:
    owner = room.people["owner"]
    shared = await document(pool, owner.user_id)
    await room.call("owner", "AddNotebookSources", documentIds=[shared])
    made = await owner.call("ApiKeyService/CreateApiKey", {"name": "program"})
    with_key = owner.as_(made["secret"], owner.user_id)
    asked = await with_key.call("NotebookService/RequestNotebookSummary", {"id": room.id}, room.via)
    assert asked["state"] == "NOTEBOOK_SUMMARY_STATE_PENDING"
    assert (await room.call("owner", "GetNotebookSummary"))["state"] == "NOTEBOOK_SUMMARY_STATE_PENDING"
    subject = subject_of(int(room.id), owner.user_id)
    query = "SELECT payload FROM background_jobs WHERE subject_id = $1"
    payloads = [row["payload"] for row in await pool.fetch(query, subject)]
    assert payloads == [{"apiKeyId": made["apiKey"]["id"]}]
    # When the job has ended, the next request is charged to whoever sends it.
    await pool.execute("UPDATE background_jobs SET status = 'failed' WHERE subject_id = $1", subject)
    await room.call("owner", "RequestNotebookSummary")
    own = await pool.fetchval("SELECT max(id) FROM api_keys WHERE user_id = $1 AND parent_id IS NULL", owner.user_id)
    assert await pool.fetchval(query, subject) == {"apiKeyId": own}
