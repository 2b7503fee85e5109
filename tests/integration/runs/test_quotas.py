"""Quotas in the database: whom they bind, what is reserved and charged, and that no limit is passed."""

import asyncio
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from echomind_api.accounts.key_quotas import delete_once
from echomind_lib.db.database import Database
from echomind_lib.quotas import charging
from echomind_lib.quotas.charging import Reached
from tests.factories import rows as factory
from tests.factories.rows import Rows

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture
def pool(database: Database) -> asyncpg.Pool:
    return database.pool


class Lease:
    """What charging reads of a lease."""

    def __init__(self, run_id: UUID, attempt: int = 1) -> None:
        self.run_id, self.attempt = run_id, attempt


async def quota(pool: asyncpg.Pool, scope: str, **values: Any) -> int:
    row = await factory.insert(pool, "quotas", {"scope": scope, "period": "day"} | values)
    return int(row["id"])


async def running(pool: asyncpg.Pool, user_id: int, **values: Any) -> Any:
    row = await factory.run(pool, user_id=user_id, status="running", attempt=1, **values)
    return Lease(row["id"])


async def used(pool: asyncpg.Pool) -> list[tuple[Any, ...]]:
    query = (
        "SELECT questions, tokens, reserved_tokens FROM quota_usage ORDER BY user_id NULLS FIRST, group_id NULLS FIRST"
    )
    return [tuple(row) for row in await pool.fetch(query)]


async def reserve(pool: asyncpg.Pool, lease: Any, tokens: int = 10, cost: float = 0.0) -> list[Reached]:
    return await charging.reserve(pool, lease, tokens, cost)


async def limits(pool: asyncpg.Pool, user_id: int) -> dict[tuple[int | None, int | None, str], tuple[Any, ...]]:
    found = await pool.fetch("SELECT * FROM quotas_of($1)", user_id)
    return {tuple(row)[:3]: tuple(row)[3:6] for row in found}


async def test_the_closest_allowance_counts_and_the_largest_of_groups(rows: Rows, pool: asyncpg.Pool) -> None:
    person = await rows.user("ann", groups=["red", "blue"])
    other = await rows.user("ben")
    groups = {row["name"]: row["id"] for row in await pool.fetch("SELECT name, id FROM groups")}
    await quota(pool, "member", max_tokens=1)
    assert await limits(pool, person) == {(None, person, "day"): (None, 1, None)}
    await quota(pool, "member", group_id=groups["red"], max_tokens=5, max_questions=9)
    await quota(pool, "member", group_id=groups["blue"], max_tokens=7)
    assert await limits(pool, person) == {(None, person, "day"): (None, 7, None)}
    assert await limits(pool, other) == {(None, other, "day"): (None, 1, None)}
    await quota(pool, "user", user_id=person, max_tokens=2)
    await quota(pool, "group", group_id=groups["red"], max_questions=3)
    await quota(pool, "organization", period="month", max_cost=4)
    assert await limits(pool, person) == {
        (None, person, "day"): (None, 2, None),
        (groups["red"], None, "day"): (3, None, None),
        (None, None, "month"): (None, None, 4),
    }


async def test_a_run_is_charged_once_for_what_it_has_spent(rows: Rows, pool: asyncpg.Pool) -> None:
    await quota(pool, "organization", max_tokens=100, max_questions=5)
    lease = await running(pool, rows.user_id)
    assert not await reserve(pool, lease, 40)
    assert await used(pool) == [(1, 0, 40)]
    await pool.execute("UPDATE runs SET prompt_tokens = 20, completion_tokens = 5 WHERE id = $1", lease.run_id)
    for _ in range(2):
        assert not await reserve(pool, lease, 30)
        assert await used(pool) == [(1, 25, 30)]
    await charging.settle(pool, Lease(lease.run_id, attempt=7))  # type: ignore[arg-type]
    assert await used(pool) == [(1, 25, 30)]
    await pool.execute("UPDATE runs SET prompt_tokens = 30, status = 'completed' WHERE id = $1", lease.run_id)
    for _ in range(2):
        await charging.settle(pool, lease)
        assert await used(pool) == [(1, 35, 0)]
    assert not await pool.fetchval("SELECT count(*) FROM quota_charges")


async def test_a_refused_call_reserves_nothing_and_names_limit_and_renewal(rows: Rows, pool: asyncpg.Pool) -> None:
    await quota(pool, "member", max_tokens=30)
    await quota(pool, "organization", period="month", max_tokens=1000)
    first, second = await running(pool, rows.user_id), await running(pool, rows.user_id)
    assert not await reserve(pool, first, 20)
    (reached,) = await reserve(pool, second, 20)
    assert reached.is_exceeded
    assert str(reached).startswith(
        "Your daily quota does not allow another request to the model: 0 of 30 tokens are used."
    )
    assert str(reached).endswith(" 00:00 UTC.")
    assert await used(pool) == [(1, 0, 20), (1, 0, 20)]
    (reached,) = await reserve(pool, first, 31)
    assert reached.is_exceeded
    assert await used(pool) == [(1, 0, 0), (1, 0, 0)]


async def test_a_limit_of_questions_counts_root_runs(rows: Rows, pool: asyncpg.Pool) -> None:
    await quota(pool, "member", max_questions=1)
    first = await running(pool, rows.user_id)
    assert [each.is_exceeded for each in await reserve(pool, first)] == [False]
    below = await running(pool, rows.user_id, parent_run_id=first.run_id, depth=1, kind="sub_agent")
    assert not await reserve(pool, below)
    (reached,) = await reserve(pool, await running(pool, rows.user_id))
    assert (reached.measure, reached.used, reached.maximum) == ("questions", 1, 1)


async def key(pool: asyncpg.Pool, user_id: int, **values: Any) -> int:
    return int((await factory.api_key(pool, user_id=user_id, **values))["id"])


async def used_of_key(pool: asyncpg.Pool, key_id: int) -> tuple[Any, ...] | None:
    query = "SELECT questions, tokens, reserved_tokens FROM quota_usage WHERE api_key_id = $1"
    row = await pool.fetchrow(query, key_id)
    return None if row is None else tuple(row)


async def test_a_key_counts_with_those_made_with_it_and_beside_its_owner(rows: Rows, pool: asyncpg.Pool) -> None:
    await quota(pool, "member", max_tokens=1000)
    first = await key(pool, rows.user_id, name="first")
    made = await key(pool, rows.user_id, name="made", parent_id=first)
    other = await key(pool, rows.user_id, name="other")
    await quota(pool, "key", api_key_id=first, max_tokens=30, max_questions=2)
    by_first = await running(pool, rows.user_id, api_key_id=first)
    by_made = await running(pool, rows.user_id, api_key_id=made)
    assert not await reserve(pool, by_first, 10)
    (warned,) = await reserve(pool, by_made, 10)
    assert not warned.is_exceeded
    assert await used_of_key(pool, first) == (2, 0, 20)
    # A sub-agent is no question, but its tokens count.
    below = {"parent_run_id": by_made.run_id, "depth": 1, "kind": "sub_agent", "api_key_id": made}
    (refused,) = await reserve(pool, await running(pool, rows.user_id, **below), 11)
    assert str(refused).startswith(
        "The API key's daily quota does not allow another request to the model: 0 of 30 tokens are used."
    )
    assert (refused.api_key_id, refused.measure) == (first, "tokens")
    (refused,) = await reserve(pool, await running(pool, rows.user_id, api_key_id=made), 1)
    assert (refused.api_key_id, refused.measure, refused.used) == (first, "questions", 2)
    for lease in (await running(pool, rows.user_id, api_key_id=other), await running(pool, rows.user_id)):
        assert not await reserve(pool, lease, 11)
    assert await used_of_key(pool, first) == (2, 0, 20)
    assert await used_of_key(pool, made) is None


async def test_calls_outside_of_runs_are_charged_to_the_key_too(rows: Rows, pool: asyncpg.Pool) -> None:
    first = await key(pool, rows.user_id)
    await quota(pool, "key", api_key_id=first, max_tokens=5)
    assert not await charging.charge_person(pool, rows.user_id, 5, 0, api_key_id=first)
    assert await charging.charge_person(pool, rows.user_id, 0, 0, api_key_id=first)
    assert not await charging.charge_person(pool, rows.user_id, 7, 0)
    assert await used_of_key(pool, first) == (0, 5, 0)


async def test_the_quotas_of_an_ended_key_end_with_its_last_run(rows: Rows, database: Database) -> None:
    pool = database.pool
    keys = {
        "live": await key(pool, rows.user_id, name="live"),
        "revoked": await key(pool, rows.user_id, name="revoked"),
        "expired": await key(pool, rows.user_id, name="expired", expires_at=datetime(2026, 1, 1, tzinfo=UTC)),
    }
    for number in keys.values():
        await quota(pool, "key", api_key_id=number, max_tokens=100)
        await charging.charge_person(pool, rows.user_id, 1, 0, api_key_id=number)
    await pool.execute("UPDATE api_keys SET revoked = TRUE WHERE id = $1", keys["revoked"])
    lease = await running(pool, rows.user_id, api_key_id=keys["revoked"])
    left = "SELECT array_agg(api_key_id ORDER BY api_key_id) FROM {}"
    await delete_once(database)
    for table in ("quotas", "quota_usage"):
        assert await pool.fetchval(left.format(table)) == [keys["live"], keys["revoked"]]
    await pool.execute("UPDATE runs SET status = 'completed', completed_at = now() WHERE id = $1", lease.run_id)
    await delete_once(database)
    for table in ("quotas", "quota_usage"):
        assert await pool.fetchval(left.format(table)) == [keys["live"]]


async def test_four_fifths_are_said_once(rows: Rows, pool: asyncpg.Pool) -> None:
    await quota(pool, "organization", max_cost=1)
    lease = await running(pool, rows.user_id)
    assert not await reserve(pool, lease, 1, 0.5)
    await pool.execute("UPDATE runs SET cost = 0.85 WHERE id = $1", lease.run_id)
    (reached,) = await reserve(pool, lease, 1, 0.1)
    assert not reached.is_exceeded
    assert "The organization's daily quota is nearly used up: US$0.85 of US$1.00 are used." in str(reached)
    assert not await reserve(pool, lease, 1, 0.1)


async def test_what_a_dead_worker_has_reserved_returns(rows: Rows, pool: asyncpg.Pool) -> None:
    await quota(pool, "organization", max_tokens=30)
    dead = await running(pool, rows.user_id)
    assert not await reserve(pool, dead, 25)
    await pool.execute("UPDATE runs SET status = 'completed', prompt_tokens = 3 WHERE id = $1", dead.run_id)
    assert not await reserve(pool, await running(pool, rows.user_id), 25)
    assert await used(pool) == [(2, 3, 25)]
    removed = await running(pool, rows.user_id)
    assert not await reserve(pool, removed, 2)
    await pool.execute("DELETE FROM runs WHERE id = $1", removed.run_id)
    assert await used(pool) == [(3, 3, 25)]


async def test_fifty_at_once_never_pass_a_limit(rows: Rows, pool: asyncpg.Pool) -> None:
    people = [await rows.user(f"person{number}", groups=["all"]) for number in range(5)]
    group = await pool.fetchval("SELECT id FROM groups WHERE name = 'all'")
    await quota(pool, "group", group_id=group, max_tokens=100)
    await quota(pool, "member", max_tokens=1000)
    await quota(pool, "organization", period="month", max_tokens=1000)
    leases = [await running(pool, people[number % 5]) for number in range(50)]
    found = await asyncio.gather(*(reserve(pool, lease) for lease in leases))
    assert sum(any(each.is_exceeded for each in reached) for reached in found) == 40
    assert await pool.fetchval("SELECT reserved_tokens FROM quota_usage WHERE group_id = $1", group) == 100


async def test_without_a_limit_for_the_person_nothing_is_stored(rows: Rows, pool: asyncpg.Pool) -> None:
    other = await rows.user("other")
    await quota(pool, "user", user_id=other, max_tokens=1)
    assert not await reserve(pool, await running(pool, rows.user_id), 20)
    assert not await used(pool)


async def test_the_installation_knows_whether_there_are_quotas(rows: Rows, pool: asyncpg.Pool) -> None:
    query = "SELECT has_quotas FROM installation_settings"
    assert not await pool.fetchval(query)
    number = await quota(pool, "organization", max_tokens=1)
    assert await pool.fetchval(query)
    await pool.execute("DELETE FROM quotas WHERE id = $1", number)
    assert await pool.fetchval(query) is False
