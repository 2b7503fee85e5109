"""Legal holds, and the erasure of people: what they keep, what is left of a person, and what the report says."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from typing import Any, cast

import asyncpg
import pytest
import pytest_asyncio
from sqlalchemy import update
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.accounts import erasures
from echomind_api.accounts.erasures import Eraser
from echomind_api.administration import purge as purge_module
from echomind_api.administration.purge import Purge
from echomind_api.main import Gateway
from echomind_api.privacy.registry import ACCOUNT, STORES, WITHOUT_PERSON
from echomind_api.retention import expiries
from echomind_ingestor.pipeline.removal import Removal
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.holds import deletion_held
from echomind_lib.db.models import Base
from echomind_lib.documents.changes import Change, DocumentChanges
from echomind_lib.errors import DeletionHeldError, DependencyUnavailableError, NotFoundError, ValidationFailedError
from echomind_lib.events.log import EventLog
from echomind_lib.indexes import Indexes
from echomind_lib.learned.memories.erasure import erase_memories
from tests.drivers.client import Client, Transport
from tests.drivers.death import until
from tests.drivers.gateway import NewUser
from tests.drivers.leftovers import files_with, marker, points_with, store_document, streams_with, tables_with
from tests.factories import rows as make
from tests.factories.conversations import converse

LAST_CHANGE = "user_id_last_update"


@pytest_asyncio.fixture(autouse=True, loop_scope="session")
async def released(pool: asyncpg.Pool) -> AsyncIterator[None]:
    """Leaves no hold behind, and no erasure that somebody would continue."""
    yield
    await pool.execute("DELETE FROM legal_holds")
    await pool.execute("DELETE FROM erasures WHERE completed_at IS NULL")


async def place(client: Client, via: Transport = "rest", **subject: Any) -> dict[str, Any]:
    return await client.call("LegalHoldService/CreateLegalHold", {"legalHold": {"reason": "Case 7", **subject}}, via)


async def release(client: Client, hold: dict[str, Any], via: Transport = "rest") -> dict[str, Any]:
    return await client.call("LegalHoldService/ReleaseLegalHold", {"id": hold["id"]}, via)


async def seed(pool: asyncpg.Pool, user_id: int, text: str) -> dict[str, int]:
    """Leaves a text in everything of a person that they can delete; returns the ids."""
    session = await converse(pool, user_id, text)
    memory = await make.memory(pool, user_id=user_id, content=text)
    notebook = await make.notebook(pool, user_id=user_id, title=text)
    await make.insert(pool, "notebook_members", {"notebook_id": notebook["id"], "user_id": user_id, "role": "owner"})
    connector = await make.connector(pool, user_id=user_id, name=text, scope="user")
    document = await make.document(pool, connector_id=connector["id"], title=text, status="completed")
    return {
        "session": session,
        "memory": memory["id"],
        "notebook": notebook["id"],
        "connector": connector["id"],
        "document": document["id"],
    }


def test_every_table_is_in_the_registry() -> None:
    """A new table, or a new reference to an account or to rows of a person, must say what an erasure does with it."""
    tables = Base.metadata.tables
    named = {store.table for store in STORES}
    assert named | WITHOUT_PERSON.keys() == tables.keys()
    assert not named & WITHOUT_PERSON.keys()
    links = {(store.table, column, parent) for store in STORES for column, parent in store.links}
    deleted = {store.table for store in STORES if store.rule == "delete"}
    for table in tables.values():
        for key in table.foreign_keys:
            parent, column = key.column.table.name, key.parent.name
            if column == LAST_CHANGE:
                assert key.ondelete == "SET NULL", table.name
            elif parent == ACCOUNT or (parent in deleted and key.ondelete == "CASCADE" and table.name != parent):
                assert (table.name, column, parent) in links, (table.name, column)
    for store in STORES:
        assert store.reason
        for column, parent in store.links:
            assert column in tables[store.table].c
            assert parent == ACCOUNT or parent in deleted


async def test_an_erased_person_is_found_nowhere_and_the_report_says_what_became_of_it(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, via: Transport
) -> None:
    boss, somebody, colleague, text = await new_user("superadmin"), await new_user(), await new_user(), marker()
    await pool.execute(
        "UPDATE users SET user_name = $2::text, email = $2::text, first_name = $2::text WHERE id = $1",
        somebody.user_id,
        text,
    )
    ids = await seed(pool, somebody.user_id, text)
    shared = await make.notebook(pool, user_id=somebody.user_id, title="Shared")
    for user_id, role in ((somebody.user_id, "owner"), (colleague.user_id, "editor")):
        await make.insert(pool, "notebook_members", {"notebook_id": shared["id"], "user_id": user_id, "role": role})
    await make.invitation(pool, email=f"{text}@example.org", accepted_user_id=somebody.user_id)
    parts = gateway.parts.dependencies
    await store_document(parts, ids["connector"], text)
    assert await files_with(parts.objects, text)
    assert await points_with(parts.vectors, text)

    preview = await boss.call("ErasureService/PreviewErasure", {"userId": somebody.user_id}, via)
    report = await boss.call("ErasureService/EraseUser", {"userId": somebody.user_id}, via)
    assert report["items"] == preview["items"]
    found = {(item["store"], item["rule"]): int(item["count"]) for item in report["items"]}
    assert found["users", "ERASURE_RULE_DELETE"] == 1
    assert found["chat_sessions", "ERASURE_RULE_DELETE"] == 1
    assert found["chat_messages", "ERASURE_RULE_DELETE"] >= 1
    assert found["agent_memories", "ERASURE_RULE_DELETE"] == 1
    assert found["documents", "ERASURE_RULE_DELETE"] == 2
    assert found["files", "ERASURE_RULE_DELETE"] == 2
    assert found["notebooks", "ERASURE_RULE_DELETE"] == 1
    assert found["notebooks", "ERASURE_RULE_HAND_OVER"] == 1
    assert all(item["reason"] for item in report["items"])
    listed = await boss.call("ErasureService/ListErasures", {}, via)
    assert listed["erasures"][0] == report
    assert (report["userId"], report["erasedByName"]) == (somebody.user_id, listed["erasures"][0]["erasedByName"])

    await Removal(pool, parts.objects, Indexes(pool, parts.vectors)).run()
    assert await tables_with(pool, text) == set()
    # Files of an earlier version are left to the sweep, an hour later.
    assert [key for key in await files_with(parts.objects, text) if "earlier" not in key] == []
    assert await points_with(parts.vectors, text) == set()
    assert await streams_with(parts.bus, text) == set()
    assert await pool.fetchval("SELECT count(*) FROM notebooks WHERE id = $1", shared["id"]) == 1
    with pytest.raises(NotFoundError):
        await boss.call("ErasureService/PreviewErasure", {"userId": somebody.user_id}, via)
    with pytest.raises(ValidationFailedError, match="your own account"):
        await boss.call("ErasureService/EraseUser", {"userId": boss.user_id}, via)


class Death(BaseException):
    """The end of a process, after which it stores nothing."""


async def test_a_failed_erasure_says_why_and_is_completed_in_its_report(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch, via: Transport
) -> None:
    boss, somebody = await new_user("superadmin"), await new_user()
    await converse(pool, somebody.user_id, "x")

    async def interrupt(*given: Any) -> None:
        raise DependencyUnavailableError("Interrupted.", dependency="postgres")

    with monkeypatch.context() as patch:
        patch.setattr(Purge, "user", interrupt)
        with pytest.raises(DependencyUnavailableError):
            await boss.call("ErasureService/EraseUser", {"userId": somebody.user_id}, via)
    assert await pool.fetchval("SELECT count(*) FROM chat_sessions WHERE user_id = $1", somebody.user_id) == 0
    begun = (await boss.call("ErasureService/ListErasures", {}, via))["erasures"][0]
    assert (begun["userId"], "completedAt" in begun) == (somebody.user_id, False)
    assert (begun["state"], begun["statusMessage"]) == ("ERASURE_STATE_WAITING", "Interrupted.")
    report = await boss.call("ErasureService/EraseUser", {"userId": somebody.user_id}, via)
    assert report["completedAt"]
    assert (report["state"], report["id"]) == ("ERASURE_STATE_COMPLETED", begun["id"])
    counts = [{item["store"]: int(item["count"]) for item in each["items"]} for each in (begun, report)]
    assert counts[0]["chat_sessions"] == counts[1]["chat_sessions"] == 1
    assert counts[0].items() <= counts[1].items()


def replica(gateway: Gateway) -> Eraser:
    """Another process of the API, as far as erasures go."""
    parts = gateway.parts.dependencies
    pool = parts.database.pool
    purge = Purge(parts.database, EventLog(pool, parts.bus), parts.objects, Indexes(pool, parts.vectors))
    return Eraser(parts.database, cast("Any", None), purge)


@pytest.mark.parametrize("at", ["sessions_of_user", "sessions", "second sessions", "user", "wake_ingestor"])
async def test_another_replica_completes_the_erasure_of_one_that_has_died(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    boss, somebody, text = await new_user("superadmin"), await new_user(), marker()
    for _ in range(3):
        await converse(pool, somebody.user_id, text)
    ids = await seed(pool, somebody.user_id, text)
    parts = gateway.parts.dependencies
    await store_document(parts, ids["connector"], text)
    method, deaths = at.removeprefix("second "), itertools.count(0 if at.startswith("second") else 1)
    as_it_is = getattr(Purge, method)

    async def die(*given: Any) -> Any:
        if next(deaths) == 1:
            raise Death
        return await as_it_is(*given)

    dying = replica(gateway)
    async with parts.database.session() as session:
        await session.execute(update(rows.User).where(rows.User.id == somebody.user_id).values(is_active=False))
        report_id, _ = await erasures._begun(session, somebody.user_id, boss.user_id)
    with monkeypatch.context() as patch:
        patch.setattr(purge_module, "_SESSIONS_AT_ONCE", 2)
        patch.setattr(Purge, method, die)
        with pytest.raises(Death):
            await dying._attempt(report_id)
    listed = (await boss.call("ErasureService/ListErasures"))["erasures"][0]
    assert listed["id"] == report_id
    if at != "wake_ingestor":
        left = await pool.fetchval("SELECT count(*) FROM chat_sessions WHERE user_id = $1", somebody.user_id)
        assert (listed["state"], listed.get("sessionsLeft", 0)) == ("ERASURE_STATE_RUNNING", left)
        assert left == {"sessions_of_user": 4, "sessions": 4, "second sessions": 2, "user": 0}[at]
    # A replica leaves it alone for as long as the other one may be alive.
    assert await replica(gateway).claim() is None
    await pool.execute("UPDATE erasures SET attempted_at = attempted_at - interval '61 seconds'")
    taken = [await replica(gateway).claim() for _ in range(2)]
    assert taken == [None if at == "wake_ingestor" else report_id, None]
    if taken[0] is not None:
        await replica(gateway)._attempt(report_id)
    report = (await boss.call("ErasureService/ListErasures"))["erasures"][0]
    assert (report["id"], report["state"], report.get("sessionsLeft", 0)) == (report_id, "ERASURE_STATE_COMPLETED", 0)
    assert {item["store"]: int(item["count"]) for item in report["items"]}["chat_sessions"] == 4
    await Removal(pool, parts.objects, Indexes(pool, parts.vectors)).run()
    assert await tables_with(pool, text) == set()
    assert await points_with(parts.vectors, text) == set()


async def test_an_erasure_goes_on_when_nobody_waits_and_when_a_hold_is_released(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch, via: Transport
) -> None:
    boss, somebody = await new_user("superadmin"), await new_user()
    await converse(pool, somebody.user_id, "x")
    go, as_it_is = asyncio.Event(), Purge.sessions_of_user

    async def wait(*given: Any) -> None:
        await go.wait()
        await as_it_is(*given)

    monkeypatch.setattr(Purge, "sessions_of_user", wait)
    monkeypatch.setattr(erasures, "_PATIENCE_SECONDS", 0.01)
    report = await boss.call("ErasureService/EraseUser", {"userId": somebody.user_id}, via)
    assert (report["state"], report["sessionsLeft"]) == ("ERASURE_STATE_RUNNING", 1)
    hold = await place(boss, via, userId=somebody.user_id)
    go.set()
    listing = "SELECT error FROM erasures WHERE id = $1"
    await until(lambda: pool.fetchval(listing, report["id"]))
    waiting = (await boss.call("ErasureService/ListErasures", {}, via))["erasures"][0]
    assert waiting["state"] == "ERASURE_STATE_WAITING"
    assert waiting["statusMessage"] == deletion_held().message
    await boss.call("LegalHoldService/ReleaseLegalHold", {"id": hold["id"]}, via)
    await pool.execute("UPDATE erasures SET attempted_at = attempted_at - interval '61 seconds'")
    assert await replica(gateway).claim() == report["id"]
    await replica(gateway)._attempt(report["id"])
    assert (await boss.call("ErasureService/ListErasures", {}, via))["erasures"][0]["completedAt"]


async def begin(gateway: Gateway, user_id: int, caller_id: int) -> int:
    """Begins an erasure as a call does, whose process ends then; returns the id of the report."""
    async with gateway.parts.dependencies.database.session() as session:
        await session.execute(update(rows.User).where(rows.User.id == user_id).values(is_active=False))
        report_id, is_running = await erasures._begun(session, user_id, caller_id)
    assert not is_running
    return report_id


async def read(boss: Client, report_id: int) -> dict[str, Any]:
    """Returns a report as it is listed."""
    listed = (await boss.call("ErasureService/ListErasures"))["erasures"]
    return next(each for each in listed if each["id"] == report_id)


async def expire(pool: asyncpg.Pool) -> None:
    """Lets a minute pass."""
    await pool.execute("UPDATE erasures SET attempted_at = attempted_at - interval '61 seconds'")


async def test_activating_an_account_cancels_its_erasure_for_good(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, via: Transport
) -> None:
    boss, somebody = await new_user("superadmin"), await new_user()
    await converse(pool, somebody.user_id, "x")
    report_id = await begin(gateway, somebody.user_id, boss.user_id)
    for is_active in (True, False):
        await boss.call("UserService/UpdateUser", {"id": somebody.user_id, "user": {"isActive": is_active}}, via)
        await expire(pool)
        assert await replica(gateway).claim() is None
        report = await read(boss, report_id)
        assert (report["state"], report.get("sessionsLeft", 0)) == ("ERASURE_STATE_CANCELLED", 0)
    # Its own process may have been slow.
    with pytest.raises(ValidationFailedError, match="activated again"):
        await replica(gateway)._attempt(report_id)
    assert await pool.fetchval("SELECT count(*) FROM chat_sessions WHERE user_id = $1", somebody.user_id) == 1
    again = await boss.call("ErasureService/EraseUser", {"userId": somebody.user_id}, via)
    assert (again["id"], again["state"]) == (report_id, "ERASURE_STATE_COMPLETED")


async def test_an_erasure_that_finds_an_active_account_is_the_last_attempt(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool
) -> None:
    boss, somebody = await new_user("superadmin"), await new_user()
    async with gateway.parts.dependencies.database.session() as session:
        report_id, _ = await erasures._begun(session, somebody.user_id, boss.user_id)
    with pytest.raises(ValidationFailedError, match="activated again"):
        await replica(gateway)._attempt(report_id)
    assert (await read(boss, report_id))["state"] == "ERASURE_STATE_CANCELLED"


async def test_what_an_earlier_version_left_is_continued_when_somebody_asks_again(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool
) -> None:
    boss, somebody = await new_user("superadmin"), await new_user()
    await pool.execute("UPDATE users SET is_active = false WHERE id = $1", somebody.user_id)
    left = {"erased_user_id": somebody.user_id, "erased_by": boss.user_id, "items": []}
    report_id = (await make.insert(pool, "erasures", left))["id"]
    assert await replica(gateway).claim() is None
    assert (await read(boss, report_id))["state"] == "ERASURE_STATE_CANCELLED"
    report = await boss.call("ErasureService/EraseUser", {"userId": somebody.user_id})
    assert (report["id"], report["state"]) == (report_id, "ERASURE_STATE_COMPLETED")


@pytest.mark.parametrize("then", [(True,), (True, False)], ids=["active", "deactivated again"])
async def test_an_activation_keeps_the_conversations_that_are_left(
    new_user: NewUser,
    gateway: Gateway,
    pool: asyncpg.Pool,
    monkeypatch: pytest.MonkeyPatch,
    then: tuple[bool, ...],
) -> None:
    boss, somebody = await new_user("superadmin"), await new_user()
    for _ in range(5):
        await converse(pool, somebody.user_id, "x")
    report_id, as_it_is = await begin(gateway, somebody.user_id, boss.user_id), Purge.sessions

    async def delete(*given: Any) -> None:
        await as_it_is(*given)
        for is_active in then:
            await pool.execute("UPDATE users SET is_active = $2 WHERE id = $1", somebody.user_id, is_active)

    monkeypatch.setattr(purge_module, "_SESSIONS_AT_ONCE", 2)
    monkeypatch.setattr(Purge, "sessions", delete)
    with pytest.raises(ValidationFailedError, match="activated again"):
        await replica(gateway)._attempt(report_id)
    assert await pool.fetchval("SELECT count(*) FROM chat_sessions WHERE user_id = $1", somebody.user_id) == 3
    assert (await read(boss, report_id))["state"] == "ERASURE_STATE_CANCELLED"


class Failing:
    """A database of which the next sessions fail, as SQLAlchemy says it."""

    def __init__(self, database: Database, failures: int) -> None:
        self.failures, self._database = failures, database

    def session(self) -> AbstractAsyncContextManager[AsyncSession]:
        if self.failures:
            self.failures -= 1
            raise OperationalError("SELECT", None, ConnectionError("gone"))
        return self._database.session()


async def test_an_erasure_stands_a_database_that_fails_for_a_moment(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    boss, somebody = await new_user("superadmin"), await new_user()
    report_id = await begin(gateway, somebody.user_id, boss.user_id)
    eraser = replica(gateway)
    failing = Failing(gateway.parts.dependencies.database, failures=1)
    eraser._database = cast("Any", failing)
    begun = await pool.fetchval("SELECT attempted_at FROM erasures WHERE id = $1", report_id)
    renewed = "SELECT attempted_at > $2 FROM erasures WHERE id = $1"
    with monkeypatch.context() as patch:
        patch.setattr(erasures, "_CLAIM_SECONDS", 0.2)
        async with eraser._renewed(report_id):
            await until(lambda: pool.fetchval(renewed, report_id, begun))
    assert failing.failures == 0

    async def interrupt(self: Eraser, report_id: int) -> None:
        failing.failures = 1
        raise DependencyUnavailableError("Interrupted.", dependency="postgres")

    with monkeypatch.context() as patch:
        patch.setattr(Eraser, "_delete", interrupt)
        with pytest.raises(DependencyUnavailableError):
            await eraser._attempt(report_id)

    await expire(pool)
    failing.failures = 1
    monkeypatch.setattr(erasures, "_SWEEP_SECONDS", 0.01)
    running = asyncio.create_task(eraser.run())
    try:
        completed = "SELECT completed_at IS NOT NULL FROM erasures WHERE id = $1"
        await until(lambda: pool.fetchval(completed, report_id))
        assert (failing.failures, running.done()) == (0, False)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_an_erasure_that_fails_keeps_no_other_waiting(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    boss, people = await new_user("superadmin"), [await new_user() for _ in range(2)]
    bad, good = [await begin(gateway, somebody.user_id, boss.user_id) for somebody in people]
    as_it_is = Eraser._delete

    async def delete(self: Eraser, report_id: int) -> None:
        if report_id == bad:
            raise RuntimeError
        await as_it_is(self, report_id)

    monkeypatch.setattr(Eraser, "_delete", delete)
    await expire(pool)
    running = asyncio.create_task(replica(gateway).run())
    try:
        completed = "SELECT completed_at IS NOT NULL FROM erasures WHERE id = $1"
        async with asyncio.timeout(10):  # in one round: the next one is later
            await until(lambda: pool.fetchval(completed, good))
        assert not running.done()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    failed = await read(boss, bad)
    assert (failed["state"], failed["statusMessage"]) == ("ERASURE_STATE_WAITING", erasures._FAULT)


async def test_asking_again_waits_for_the_erasure_that_is_running(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch, via: Transport
) -> None:
    boss, somebody = await new_user("superadmin"), await new_user()
    await converse(pool, somebody.user_id, "x")
    go, as_it_is, begun = asyncio.Event(), Purge.sessions_of_user, itertools.count()

    async def wait(*given: Any) -> None:
        next(begun)
        await go.wait()
        await as_it_is(*given)

    monkeypatch.setattr(Purge, "sessions_of_user", wait)
    with monkeypatch.context() as patch:
        patch.setattr(erasures, "_PATIENCE_SECONDS", 0.01)
        report = await boss.call("ErasureService/EraseUser", {"userId": somebody.user_id}, via)
    again = asyncio.create_task(boss.call("ErasureService/EraseUser", {"userId": somebody.user_id}, via))
    await asyncio.sleep(0.5)
    assert not again.done()
    go.set()
    completed = await again
    assert (completed["id"], completed["state"]) == (report["id"], "ERASURE_STATE_COMPLETED")
    assert next(begun) == 1

    before = await pool.fetchrow("SELECT * FROM erasures WHERE id = $1", report["id"])
    late = replica(gateway)
    await late._fail(report["id"], "Interrupted.")
    monkeypatch.setattr(erasures, "_CLAIM_SECONDS", 0.04)
    async with late._renewed(report["id"]):
        await asyncio.sleep(0.2)
    assert await pool.fetchrow("SELECT * FROM erasures WHERE id = $1", report["id"]) == before


@pytest.mark.parametrize("lost", ["is_active = false", "roles = '{user}'"])
async def test_what_is_shared_goes_to_a_superadmin(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, lost: str
) -> None:
    boss, somebody = await new_user("superadmin"), await new_user()
    shared = (await make.connector(pool, user_id=somebody.user_id, scope="org"))["id"]
    report_id = await begin(gateway, somebody.user_id, boss.user_id)
    await pool.execute(f"UPDATE users SET {lost} WHERE id = $1", boss.user_id)
    await replica(gateway)._attempt(report_id)
    heir = await pool.fetchrow(
        "SELECT u.id, u.is_active AND 'superadmin' = ANY(u.roles) AS is_superadmin "
        "FROM connectors c JOIN users u ON u.id = c.user_id WHERE c.id = $1",
        shared,
    )
    assert heir is not None
    assert (heir["id"] != boss.user_id, heir["is_superadmin"]) == (True, True)


async def test_what_is_held_is_kept_until_it_is_released(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, via: Transport
) -> None:
    boss, somebody, text = await new_user("superadmin"), await new_user(), marker()
    ids = await seed(pool, somebody.user_id, text)
    hold = await place(boss, via, userId=somebody.user_id)
    assert (hold["userId"], hold["reason"], "releasedAt" in hold) == (somebody.user_id, "Case 7", False)
    before = await tables_with(pool, text)
    deletions = [
        ("ChatSessionService/PurgeChatSession", {"id": ids["session"]}),
        ("MemoryService/DeleteMemory", {"id": ids["memory"]}),
        ("MemoryService/DeleteAllMemories", {}),
        ("DocumentService/PurgeDocument", {"id": ids["document"]}),
        ("NotebookService/PurgeNotebook", {"id": ids["notebook"]}),
    ]
    for method, request in deletions:
        with pytest.raises(DeletionHeldError, match="your organization has to keep it") as refused:
            await somebody.call(method, request, via)
        assert "Case 7" not in str(refused.value)
    with pytest.raises(DeletionHeldError):  # as the tool with which a model forgets
        await erase_memories(pool, somebody.user_id, [ids["memory"]])
    for method in ("ErasureService/EraseUser", "UserService/PurgeUser"):
        key = "id" if method.startswith("User") else "userId"
        with pytest.raises(DeletionHeldError, match="legal hold"):
            await boss.call(method, {key: somebody.user_id}, via)
    assert (await boss.call("UserService/GetUser", {"id": somebody.user_id}, via))["isActive"]
    await somebody.call("DocumentService/DeleteDocument", {"id": ids["document"]}, via)
    parts = gateway.parts.dependencies
    removal = Removal(pool, parts.objects, Indexes(pool, parts.vectors))
    await removal.run()
    await pool.execute(
        "UPDATE chat_sessions SET deleted_date = now() - interval '3000 days' WHERE id = $1", ids["session"]
    )
    removed = expiries(parts.database, gateway.parts.sessions_service._purge)["removed_chat_sessions"](2900)
    assert (await removed.preview()).count == 0
    assert await removed.sweep() == 0
    assert await tables_with(pool, text) == before

    assert (await release(boss, hold, via))["releasedByName"]
    assert await removed.sweep() == 1
    for method, request in deletions[1:]:
        if "Document" not in method:
            await somebody.call(method, request, via)
    await removal.run()
    await pool.execute("UPDATE connectors SET deleted_date = now() WHERE id = $1", ids["connector"])
    await removal.run()
    assert await tables_with(pool, text) == set()
    entries = await pool.fetch(
        "SELECT action FROM audit_log WHERE target = $1 ORDER BY id", f"legal-holds/{hold['id']}"
    )
    assert [row["action"] for row in entries] == [
        "LegalHoldService/CreateLegalHold",
        "LegalHoldService/ReleaseLegalHold",
    ]


async def test_what_is_held_is_not_moved_or_shared(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, via: Transport
) -> None:
    boss, held, text = await new_user("superadmin"), await new_user("superadmin"), marker()
    files = {"user_id": held.user_id, "type": "file"}
    [own, other] = [(await make.connector(pool, **files))["id"] for _ in range(2)]
    shared = (await make.connector(pool, **files, scope="org"))["id"]
    document = (await make.document(pool, connector_id=own, title=text, status="completed"))["id"]
    fact = (await make.knowledge(pool, user_id=held.user_id, level="individual"))["id"]
    hold = await place(boss, via, userId=held.user_id)
    one, every = {"ids": [document]}, {"filter": {"connectorIds": [own, other]}}
    share = {"id": own, "connector": {"scope": "SCOPE_ORG"}, "updateMask": "scope"}
    changes = [
        ("ConnectorService/UpdateConnector", share),
        ("DocumentService/MoveDocuments", {"selection": one, "connectorId": shared}),
        ("DocumentService/MoveDocuments", {"selection": every, "connectorId": shared}),
    ]
    for method, request in changes:
        with pytest.raises(DeletionHeldError, match="moved or shared"):
            await held.call(method, request, via)
    for statement in (
        f"UPDATE documents SET connector_id = {shared} WHERE id = {document}",
        f"UPDATE connectors SET user_id = {boss.user_id} WHERE id = {own}",
        f"UPDATE knowledge_entities SET level = 'organization' WHERE id = {fact}",
    ):
        with pytest.raises(asyncpg.PostgresError, match="legal hold"):
            await pool.execute(statement)
    # A move that began before the hold was placed leaves the documents out.
    parts = gateway.parts.dependencies
    move = Change(action="move", user_id=held.user_id, ids=(document,), last_id=document, connector_id=shared)
    assert await DocumentChanges(parts.database, Indexes(pool, parts.vectors), parts.bus).apply(move) == (0, None)
    await held.call("DocumentService/MoveDocuments", {"selection": one, "connectorId": other}, via)
    await release(boss, hold, via)
    for method, request in changes[::2]:
        await held.call(method, request, via)
    assert await pool.fetchval("SELECT connector_id FROM documents WHERE id = $1", document) == shared


async def test_a_hold_on_who_erases_keeps_nothing_of_the_erased(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool
) -> None:
    boss, held, somebody, text = await new_user("superadmin"), await new_user("superadmin"), await new_user(), marker()
    ids = await seed(pool, somebody.user_id, text)
    removed = await make.connector(pool, user_id=somebody.user_id, name=text, deleted_date=datetime.now(UTC))
    own = (await make.connector(pool, user_id=held.user_id))["id"]
    await place(boss, userId=held.user_id)
    await held.call("ErasureService/EraseUser", {"userId": somebody.user_id})
    parts = gateway.parts.dependencies
    await pool.execute("UPDATE connectors SET deleted_date = now() WHERE id = $1", own)
    await Removal(pool, parts.objects, Indexes(pool, parts.vectors)).run()
    assert await tables_with(pool, text) == set()
    left = await pool.fetch("SELECT id FROM connectors WHERE id = ANY($1)", [own, ids["connector"], removed["id"]])
    assert [row["id"] for row in left] == [own]


async def test_a_hold_on_a_conversation_keeps_it_alone(new_user: NewUser, pool: asyncpg.Pool, via: Transport) -> None:
    boss, somebody, text = await new_user("superadmin"), await new_user(), marker()
    held, other = await converse(pool, somebody.user_id, text), await converse(pool, somebody.user_id, "free")
    hold = await place(boss, via, chatSessionId=held)
    await somebody.call("ChatSessionService/PurgeChatSession", {"id": other}, via)
    with pytest.raises(DeletionHeldError):
        await somebody.call("ChatSessionService/PurgeChatSession", {"id": held}, via)
    with pytest.raises(DeletionHeldError):
        await boss.call("ErasureService/EraseUser", {"userId": somebody.user_id}, via)
    await release(boss, hold, via)
    await boss.call("ErasureService/EraseUser", {"userId": somebody.user_id}, via)
    assert await tables_with(pool, text) == set()


async def test_a_hold_keeps_what_the_person_wrote_in_conversations_of_others(
    new_user: NewUser, pool: asyncpg.Pool
) -> None:
    boss, somebody, owner_ = await new_user("superadmin"), await new_user(), await new_user()
    session = await converse(pool, owner_.user_id, marker())
    question = {"chat_session_id": session, "role": "user", "content": "x", "author_kind": "person"}
    await make.insert(pool, "chat_messages", question | {"author_id": somebody.user_id})
    await place(boss, userId=somebody.user_id)
    with pytest.raises(DeletionHeldError):
        await owner_.call("ChatSessionService/PurgeChatSession", {"id": session})


@pytest.mark.parametrize("subject", [{}, {"userId": 1, "chatSessionId": 1}])
async def test_a_hold_is_on_a_person_or_a_conversation(owner: Client, subject: dict[str, int], via: Transport) -> None:
    with pytest.raises(ValidationFailedError, match="not both"):
        await place(owner, via, **subject)


@pytest.mark.parametrize("subject", [{"userId": 2_000_000_000}, {"chatSessionId": 2_000_000_000}])
async def test_a_hold_is_on_what_there_is(owner: Client, subject: dict[str, int], via: Transport) -> None:
    with pytest.raises(NotFoundError):
        await place(owner, via, **subject)


async def test_released_holds_stay_listed(owner: Client, new_user: NewUser, pool: asyncpg.Pool, via: Transport) -> None:
    somebody = (await new_user()).user_id
    session = await converse(pool, somebody, "x")
    of_session = await place(owner, via, chatSessionId=session)
    await release(owner, of_session, via)
    hold = await place(owner, via, userId=somebody)
    listed = await owner.call("LegalHoldService/ListLegalHolds", {}, via)
    assert hold["id"] in [each["id"] for each in listed["legalHolds"]]
    await release(owner, hold, via)
    active = await owner.call("LegalHoldService/ListLegalHolds", {}, via)
    assert hold["id"] not in [each["id"] for each in active.get("legalHolds", [])]
    every = await owner.call("LegalHoldService/ListLegalHolds", {"withReleased": True}, via)
    assert every["legalHolds"][0]["id"] == hold["id"]
    assert await release(owner, hold, via) == every["legalHolds"][0]
    erased = await owner.call("ErasureService/EraseUser", {"userId": somebody}, via)
    kept = {item["rule"]: int(item["count"]) for item in erased["items"] if item["store"] == "legal_holds"}
    assert kept == {"ERASURE_RULE_KEEP": 2}
    left = (await owner.call("LegalHoldService/ListLegalHolds", {"withReleased": True}, via))["legalHolds"][:2]
    assert [each["id"] for each in left] == [hold["id"], of_session["id"]]
    assert (left[0]["userId"], left[0].get("userName", ""), left[1]["chatSessionId"]) == (somebody, "", str(session))
    with pytest.raises(NotFoundError):
        await owner.call("LegalHoldService/ReleaseLegalHold", {"id": 2_000_000_000}, via)
