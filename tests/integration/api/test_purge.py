"""After a purge nothing is left: in no table, no file, no index, no queue."""

import asyncio

import asyncpg
import pytest

from echomind_api.administration import purge
from echomind_api.main import Gateway
from echomind_api.retention.sessions import UnlistedSessionExpiry
from echomind_ingestor.pipeline.removal import Removal
from echomind_lib.errors import DependencyUnavailableError, NotFoundError, ValidationFailedError
from echomind_lib.events.log import EventLog
from echomind_lib.indexes import Indexes
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser
from tests.drivers.leftovers import COLLECTION, marker, store_document, streams_with, tables_with
from tests.factories.conversations import converse


async def assert_forgotten(gateway: Gateway, document_id: int) -> None:
    parts = gateway.parts.dependencies
    assert await parts.vectors.count(COLLECTION, {"document_id": document_id}) == 0
    assert await parts.objects.keys(f"documents/{document_id}/") == []


async def connector(pool: asyncpg.Pool, user_id: int, name: str, scope: str = "user") -> int:
    found: int = await pool.fetchval(
        "INSERT INTO connectors (name, type, user_id, scope, status) VALUES ($1, 'file', $2, $3, 'active')"
        " RETURNING id",
        name,
        user_id,
        scope,
    )
    return found


async def audited(pool: asyncpg.Pool, somebody: Client, target: str) -> bool:
    found: bool = await pool.fetchval(
        "SELECT EXISTS (SELECT FROM audit_log WHERE actor_id = $1 AND target = $2 AND action LIKE '%/Purge%')",
        somebody.user_id,
        target,
    )
    return found


async def test_a_purged_session_leaves_nothing(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, via: Transport
) -> None:
    somebody, text, kept = await new_user(), marker(), marker()
    session, other = await converse(pool, somebody.user_id, text), await converse(pool, somebody.user_id, kept)
    with_text = await tables_with(pool, kept)
    assert await tables_with(pool, text) == with_text
    assert {"chat_sessions", "chat_messages", "runs", "steps", "tool_calls", "run_events", "todos"} <= with_text
    await somebody.call("ChatSessionService/PurgeChatSession", {"id": session}, via)
    assert await tables_with(pool, text) == set()
    assert await streams_with(gateway.parts.dependencies.bus, text) == set()
    assert await pool.fetchval("SELECT count(*) FROM background_jobs WHERE subject_id = $1", str(session)) == 0
    assert await tables_with(pool, kept) == with_text
    assert (await somebody.call("ChatSessionService/GetChatSession", {"id": other}, via))["title"] == kept
    assert await audited(pool, somebody, f"chat-sessions/{session}")
    with pytest.raises(NotFoundError):
        await somebody.call("ChatSessionService/PurgeChatSession", {"id": session}, via)


async def test_a_removed_session_can_be_purged_and_its_fork_stays(new_user: NewUser, pool: asyncpg.Pool) -> None:
    somebody, text = await new_user(), marker()
    session, fork = await converse(pool, somebody.user_id, text), await converse(pool, somebody.user_id, "the fork")
    await pool.execute("UPDATE chat_sessions SET parent_session_id = $1 WHERE id = $2", session, fork)
    await somebody.call("ChatSessionService/DeleteChatSession", {"id": session})
    assert await tables_with(pool, text)
    await somebody.call("ChatSessionService/PurgeChatSession", {"id": session})
    assert await tables_with(pool, text) == set()
    assert (await somebody.call("ChatSessionService/GetChatSession", {"id": fork}))["title"] == "the fork"


async def test_a_run_under_way_is_cancelled_before_its_session_is_purged(new_user: NewUser, pool: asyncpg.Pool) -> None:
    somebody, text = await new_user(), marker()
    session = await converse(pool, somebody.user_id, text, run_status="running")

    async def work() -> None:
        """Ends the run as its worker does, once it is told to."""
        while not await pool.fetchval(  # noqa: ASYNC110
            "UPDATE runs SET status = 'cancelled', completed_at = now()"
            " WHERE chat_session_id = $1 AND control_requested = 'cancel' RETURNING true",
            session,
        ):
            await asyncio.sleep(0)

    async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
        tasks.create_task(work())
        tasks.create_task(somebody.call("ChatSessionService/PurgeChatSession", {"id": session}))
    assert await tables_with(pool, text) == set()


async def test_a_worker_that_does_not_answer_holds_no_purge_up(
    new_user: NewUser, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purge, "_CANCEL_SECONDS", 0.1)
    somebody, text = await new_user(), marker()
    session = await converse(pool, somebody.user_id, text, run_status="running")
    await somebody.call("ChatSessionService/PurgeChatSession", {"id": session})
    assert await tables_with(pool, text) == set()


async def test_purging_a_document_leaves_only_quotes(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, via: Transport
) -> None:
    somebody, text = await new_user(), marker()
    document = await store_document(gateway.parts.dependencies, await connector(pool, somebody.user_id, "Mine"), text)
    session = await converse(pool, somebody.user_id, f"quoted {text}")
    await pool.execute(
        "UPDATE chat_message_documents SET document_id = $1 WHERE snippet = $2", document, f"quoted {text}"
    )
    quoting = await tables_with(pool, f"quoted {text}")
    await somebody.call("DocumentService/PurgeDocument", {"id": document}, via)
    assert await tables_with(pool, text) == quoting
    await assert_forgotten(gateway, document)
    assert await streams_with(gateway.parts.dependencies.bus, text) == set()
    assert await audited(pool, somebody, f"documents/{document}")
    await somebody.call("ChatSessionService/PurgeChatSession", {"id": session}, via)
    assert await tables_with(pool, text) == set()


async def test_a_purged_user_leaves_nothing(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, via: Transport
) -> None:
    boss, somebody, text = await new_user("superadmin"), await new_user("admin"), marker()
    await pool.execute(
        "UPDATE users SET user_name = $2::text, email = $2::text, first_name = $2::text, groups = ARRAY['crew'],"
        " last_name = $2::text WHERE id = $1",
        somebody.user_id,
        text,
    )
    for number in range(3):
        await converse(pool, somebody.user_id, f"{text} {number}", run_status="queued" if number else "completed")
    private = await connector(pool, somebody.user_id, text)
    documents = [await store_document(gateway.parts.dependencies, private, f"{text}-{number}") for number in range(3)]
    shared = await connector(pool, somebody.user_id, "Handbook", "org")
    await connector(pool, boss.user_id, "Handbook", "org")
    kept = await store_document(gateway.parts.dependencies, shared, marker())
    await pool.execute("UPDATE documents SET user_id_last_update = $1", somebody.user_id)
    await boss.call("UserService/PurgeUser", {"id": somebody.user_id}, via)
    with pytest.raises(NotFoundError):
        await boss.call("UserService/GetUser", {"id": somebody.user_id}, via)
    with pytest.raises(NotFoundError):
        await boss.call("DocumentService/GetDocument", {"id": documents[0]}, via)
    parts = gateway.parts.dependencies
    await Removal(pool, parts.objects, Indexes(pool, parts.vectors)).run()
    assert await tables_with(pool, text) == set()
    for document in documents:
        # Files of an earlier version are left to the sweep, an hour later.
        assert await parts.vectors.count(COLLECTION, {"document_id": document}) == 0
        assert [key for key in await parts.objects.keys(f"documents/{document}/") if "earlier" not in key] == []
    assert await streams_with(gateway.parts.dependencies.bus, text) == set()
    assert (await boss.call("DocumentService/GetDocument", {"id": kept}, via))["connectorId"] == shared
    row = await pool.fetchrow("SELECT user_id, name FROM connectors WHERE id = $1", shared)
    assert row is not None
    assert (row["user_id"], row["name"]) == (boss.user_id, f"Handbook ({shared})")
    assert await audited(pool, boss, f"users/{somebody.user_id}")


async def test_a_purge_of_an_account_that_fails_half_way_is_audited_and_can_be_repeated(
    new_user: NewUser, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    boss, somebody = await new_user("superadmin"), await new_user()

    async def fail(*_: object) -> None:
        raise DependencyUnavailableError("The database does not answer: try again.", dependency="postgres")

    with monkeypatch.context() as patch:
        patch.setattr(purge.Purge, "sessions_of_user", fail)
        with pytest.raises(DependencyUnavailableError):
            await boss.call("UserService/PurgeUser", {"id": somebody.user_id})
    assert "isActive" not in await boss.call("UserService/GetUser", {"id": somebody.user_id})
    assert await audited(pool, boss, f"users/{somebody.user_id}")
    await boss.call("UserService/PurgeUser", {"id": somebody.user_id})
    with pytest.raises(NotFoundError):
        await boss.call("UserService/GetUser", {"id": somebody.user_id})


async def test_people_cannot_purge_their_own_account(new_user: NewUser) -> None:
    boss = await new_user("superadmin")
    with pytest.raises(ValidationFailedError, match="your own account"):
        await boss.call("UserService/PurgeUser", {"id": boss.user_id})
    assert (await boss.call("UserService/GetUser", {"id": boss.user_id}))["isActive"]


async def test_conversations_that_programs_did_not_store_are_purged_after_their_time(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool
) -> None:
    somebody = await new_user()
    texts = {name: marker() for name in ("expired", "young", "listed", "active")}
    for name, text in texts.items():
        session = await converse(
            pool, somebody.user_id, text, run_status="running" if name == "active" else "completed"
        )
        await pool.execute(
            "UPDATE chat_sessions SET unlisted = $2, last_message_at = now() - make_interval(days => $3) WHERE id = $1",
            session,
            name != "listed",
            1 if name == "young" else 40,
        )
    parts = gateway.parts.dependencies
    indexes = Indexes(parts.database.pool, parts.vectors)
    deletes = purge.Purge(parts.database, EventLog(parts.database.pool, parts.bus), parts.objects, indexes)
    assert await UnlistedSessionExpiry(parts.database, 0, deletes).sweep() == 0
    assert await UnlistedSessionExpiry(parts.database, 30, deletes).sweep() == 1
    assert {name for name, text in texts.items() if await tables_with(pool, text)} == {"young", "listed", "active"}
    await pool.execute(
        "UPDATE runs SET status = 'completed', completed_at = now() WHERE user_id = $1", somebody.user_id
    )
