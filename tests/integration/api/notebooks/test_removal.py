"""Removal of notebooks, restoration, and permanent deletion."""

import asyncpg
import pytest

from echomind_api.administration.purge import Purge
from echomind_api.main import Gateway
from echomind_api.notebooks import NotebookRemoval
from echomind_lib.errors import (
    DependencyUnavailableError,
    NotFoundError,
    PermissionDeniedError,
    ValidationFailedError,
)
from echomind_lib.events.log import EventLog
from echomind_lib.indexes import Indexes
from tests.drivers.leftovers import marker, tables_with
from tests.drivers.notebook_room import Room, document
from tests.factories.conversations import converse


async def test_a_notebook_is_restored_with_its_conversations(room: Room, pool: asyncpg.Pool) -> None:
    kept, removed_before = await room.ask("viewer"), await room.ask("owner")
    owner, viewer = room.people["owner"], room.people["viewer"]
    await owner.call("ChatSessionService/DeleteChatSession", {"id": removed_before}, room.via)
    with pytest.raises(PermissionDeniedError):
        await room.call("editor", "DeleteNotebook")
    await room.call("owner", "DeleteNotebook")
    with pytest.raises(NotFoundError):
        await room.call("owner", "GetNotebook")
    with pytest.raises(NotFoundError):
        await viewer.call("ChatSessionService/GetChatSession", {"id": kept}, room.via)
    assert await pool.fetchval("SELECT status FROM runs WHERE chat_session_id = $1", kept) == "cancelled"
    listed = await owner.call("NotebookService/ListNotebooks", {"removed": True}, room.via)
    assert [each["id"] for each in listed["notebooks"]] == [room.id]
    assert "deletedDate" in listed["notebooks"][0]
    assert not (await viewer.call("NotebookService/ListNotebooks", {"removed": True}, room.via)).get("notebooks")
    with pytest.raises(ValidationFailedError, match="restore the notebook"):
        await viewer.call("ChatSessionService/RestoreChatSession", {"id": kept}, room.via)
    restored = await room.call("owner", "RestoreNotebook")
    assert "deletedDate" not in restored
    assert set(await room.seen("owner")) == {kept}
    await viewer.call("ChatSessionService/GetChatSession", {"id": kept}, room.via)


async def test_a_purge_leaves_nothing_of_a_notebook_but_its_documents(room: Room, pool: asyncpg.Pool) -> None:
    session = await room.ask("viewer", "The question of 4711")
    text, editor = marker(), room.people["editor"].user_id
    whole = await converse(pool, editor, text)
    await pool.execute("UPDATE chat_sessions SET notebook_id = $1 WHERE id = $2", int(room.id), whole)
    assert {"chat_messages", "steps", "run_events", "session_shares", "background_jobs"} <= await tables_with(
        pool, text
    )
    source = await document(pool, room.people["owner"].user_id)
    await room.call("owner", "AddNotebookSources", documentIds=[source])
    await room.call("owner", "PurgeNotebook")
    for table, column, value in (
        ("notebooks", "id", int(room.id)),
        ("notebook_sources", "notebook_id", int(room.id)),
        ("notebook_members", "notebook_id", int(room.id)),
        ("chat_sessions", "id", session),
        ("chat_messages", "chat_session_id", session),
        ("runs", "chat_session_id", session),
        ("run_events", "chat_session_id", session),
    ):
        assert await pool.fetchval(f"SELECT count(*) FROM {table} WHERE {column} = $1", value) == 0
    assert await tables_with(pool, text) == set()
    assert await pool.fetchval("SELECT count(*) FROM documents WHERE id = $1", source) == 1
    assert await pool.fetchval("SELECT count(*) FROM audit_log WHERE target = $1", f"notebooks/{room.id}") > 0


@pytest.mark.parametrize("via", ["grpc"])
async def test_notebooks_removed_for_thirty_days_are_deleted(room: Room, pool: asyncpg.Pool, gateway: Gateway) -> None:
    session = await room.ask("viewer")
    await room.call("owner", "DeleteNotebook")
    parts = gateway.parts.dependencies
    purge = Purge(parts.database, EventLog(pool, parts.bus), parts.objects, Indexes(parts.database.pool, parts.vectors))
    removal = NotebookRemoval(parts.database, purge)
    await removal.sweep()
    assert await pool.fetchval("SELECT count(*) FROM notebooks WHERE id = $1", int(room.id)) == 1
    await pool.execute("UPDATE notebooks SET deleted_date = now() - interval '31 days' WHERE id = $1", int(room.id))
    assert await removal.sweep() >= 1
    assert await pool.fetchval("SELECT count(*) FROM chat_sessions WHERE id = $1", session) == 0


@pytest.mark.parametrize("via", ["grpc"])
async def test_a_purge_that_dies_half_way_is_finished_and_never_undone(
    room: Room, pool: asyncpg.Pool, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process dies before the first conversation is deleted, and the next one begins with the sweep."""
    session = await room.ask("viewer")
    await room.call("owner", "DeleteNotebook")

    async def die(*_: object) -> None:
        raise DependencyUnavailableError("Dead.", dependency="postgres")

    with monkeypatch.context() as patch:
        patch.setattr(Purge, "sessions", die)
        with pytest.raises(DependencyUnavailableError):
            await room.call("owner", "PurgeNotebook")
    with pytest.raises(NotFoundError):
        await room.call("owner", "RestoreNotebook")
    listed = await room.people["owner"].call("NotebookService/ListNotebooks", {"removed": True}, room.via)
    assert "notebooks" not in listed
    parts = gateway.parts.dependencies
    purge = Purge(parts.database, EventLog(pool, parts.bus), parts.objects, Indexes(parts.database.pool, parts.vectors))
    assert await NotebookRemoval(parts.database, purge).sweep() >= 1
    assert await pool.fetchval("SELECT count(*) FROM chat_sessions WHERE id = $1", session) == 0
    assert await pool.fetchval("SELECT count(*) FROM notebooks WHERE id = $1", int(room.id)) == 0
