"""Accounts that are activated again: what becomes of their erasure."""

from typing import Any

import asyncpg
import pytest

from echomind_api.accounts import erasures
from echomind_api.administration import purge as purge_module
from echomind_api.administration.purge import Purge
from echomind_api.main import Gateway
from echomind_lib.errors import ValidationFailedError
from tests.drivers.client import Transport
from tests.drivers.erasures import begin_erasure, expire_claims, read_erasure, replica
from tests.drivers.gateway import NewUser
from tests.factories import rows as make
from tests.factories.conversations import converse


async def test_activating_an_account_cancels_its_erasure_for_good(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, via: Transport
) -> None:
    boss, somebody = await new_user("superadmin"), await new_user()
    await converse(pool, somebody.user_id, "x")
    report_id = await begin_erasure(gateway, somebody.user_id, boss.user_id)
    for is_active in (True, False):
        await boss.call("UserService/UpdateUser", {"id": somebody.user_id, "user": {"isActive": is_active}}, via)
        await expire_claims(pool)
        assert await replica(gateway).claim() is None
        report = await read_erasure(boss, report_id)
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
    assert (await read_erasure(boss, report_id))["state"] == "ERASURE_STATE_CANCELLED"


async def test_what_an_earlier_version_left_is_continued_when_somebody_asks_again(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool
) -> None:
    boss, somebody = await new_user("superadmin"), await new_user()
    await pool.execute("UPDATE users SET is_active = false WHERE id = $1", somebody.user_id)
    left = {"erased_user_id": somebody.user_id, "erased_by": boss.user_id, "items": []}
    report_id = (await make.insert(pool, "erasures", left))["id"]
    assert await replica(gateway).claim() is None
    assert (await read_erasure(boss, report_id))["state"] == "ERASURE_STATE_CANCELLED"
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
    report_id, as_it_is = await begin_erasure(gateway, somebody.user_id, boss.user_id), Purge.sessions

    async def delete(*given: Any) -> None:
        await as_it_is(*given)
        for is_active in then:
            await pool.execute("UPDATE users SET is_active = $2 WHERE id = $1", somebody.user_id, is_active)

    monkeypatch.setattr(purge_module, "_SESSIONS_AT_ONCE", 2)
    monkeypatch.setattr(Purge, "sessions", delete)
    with pytest.raises(ValidationFailedError, match="activated again"):
        await replica(gateway)._attempt(report_id)
    assert await pool.fetchval("SELECT count(*) FROM chat_sessions WHERE user_id = $1", somebody.user_id) == 3
    assert (await read_erasure(boss, report_id))["state"] == "ERASURE_STATE_CANCELLED"
