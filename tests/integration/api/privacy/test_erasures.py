"""The erasure of people: what is left of a person, and what the report says."""

import asyncio
import itertools
from contextlib import AbstractAsyncContextManager
from typing import Any, cast

import asyncpg
import pytest
from sqlalchemy import update
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncSession

from echomind.backup.ledger import repeat_erasures
from echomind.backup.manifest import Erased
from echomind_api.accounts import erasures
from echomind_api.accounts.erasures import Eraser
from echomind_api.administration import purge as purge_module
from echomind_api.administration.purge import Purge
from echomind_api.main import Gateway
from echomind_ingestor.pipeline.removal import Removal
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.holds import deletion_held
from echomind_lib.errors import DependencyUnavailableError, NotFoundError, UnauthenticatedError, ValidationFailedError
from echomind_lib.indexes import Indexes
from tests.drivers.client import Transport
from tests.drivers.death import until
from tests.drivers.erasures import begin_erasure, expire_claims, place_hold, read_erasure, replica, seed_person
from tests.drivers.gateway import NewUser
from tests.drivers.leftovers import files_with, marker, points_with, store_document, streams_with, tables_with
from tests.factories import rows as make
from tests.factories.conversations import converse


async def test_an_erased_person_is_found_nowhere_and_the_report_says_what_became_of_it(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, via: Transport
) -> None:
    boss, somebody, colleague, text = await new_user("superadmin"), await new_user(), await new_user(), marker()
    await pool.execute(
        "UPDATE users SET user_name = $2::text, email = $2::text, first_name = $2::text WHERE id = $1",
        somebody.user_id,
        text,
    )
    ids = await seed_person(pool, somebody.user_id, text)
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


@pytest.mark.parametrize("at", ["sessions_of_user", "sessions", "second sessions", "user", "wake_ingestor"])
async def test_another_replica_completes_the_erasure_of_one_that_has_died(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    boss, somebody, text = await new_user("superadmin"), await new_user(), marker()
    for _ in range(3):
        await converse(pool, somebody.user_id, text)
    ids = await seed_person(pool, somebody.user_id, text)
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
    hold = await place_hold(boss, via, userId=somebody.user_id)
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


async def test_an_erasure_that_a_restore_repeats_is_carried_out(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool
) -> None:
    boss, somebody, text = await new_user("superadmin"), await new_user(), marker()
    await converse(pool, somebody.user_id, text)
    ledger = [Erased(user_id=somebody.user_id, erased_at="2099-01-01T00:00:00+00:00")]
    async with pool.acquire() as connection, connection.transaction():
        assert (await repeat_erasures(cast("asyncpg.Connection", connection), ledger)).people == 1
    with pytest.raises(UnauthenticatedError):
        await gateway.parts.dependencies.principals.of_api_key(somebody.key)
    report_id = await pool.fetchval("SELECT id FROM erasures WHERE erased_user_id = $1", somebody.user_id)
    if await replica(gateway).claim() == report_id:  # otherwise the gateway has
        await replica(gateway)._attempt(report_id)
    await until(lambda: pool.fetchval("SELECT completed_at IS NOT NULL FROM erasures WHERE id = $1", report_id))
    report = await read_erasure(boss, report_id)
    assert report["userId"] == somebody.user_id
    assert {item["store"]: int(item["count"]) for item in report["items"]}["chat_sessions"] == 1
    assert await tables_with(pool, text) == set()


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
    report_id = await begin_erasure(gateway, somebody.user_id, boss.user_id)
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

    await expire_claims(pool)
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
    bad, good = [await begin_erasure(gateway, somebody.user_id, boss.user_id) for somebody in people]
    as_it_is = Eraser._delete

    async def delete(self: Eraser, report_id: int) -> None:
        if report_id == bad:
            raise RuntimeError
        await as_it_is(self, report_id)

    monkeypatch.setattr(Eraser, "_delete", delete)
    await expire_claims(pool)
    running = asyncio.create_task(replica(gateway).run())
    try:
        completed = "SELECT completed_at IS NOT NULL FROM erasures WHERE id = $1"
        async with asyncio.timeout(10):  # in one round: the next one is later
            await until(lambda: pool.fetchval(completed, good))
        assert not running.done()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    failed = await read_erasure(boss, bad)
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
    report_id = await begin_erasure(gateway, somebody.user_id, boss.user_id)
    await pool.execute(f"UPDATE users SET {lost} WHERE id = $1", boss.user_id)
    await replica(gateway)._attempt(report_id)
    heir = await pool.fetchrow(
        "SELECT u.id, u.is_active AND 'superadmin' = ANY(u.roles) AS is_superadmin "
        "FROM connectors c JOIN users u ON u.id = c.user_id WHERE c.id = $1",
        shared,
    )
    assert heir is not None
    assert (heir["id"] != boss.user_id, heir["is_superadmin"]) == (True, True)
