"""Limits of requests, unfinished questions and streams: of everybody, groups and people, counted by all replicas."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Any

import asyncpg
import pytest
import pytest_asyncio
from asyncpg.pool import PoolConnectionProxy

from echomind_api.calls import shared_limits
from echomind_api.calls.shared_limits import SharedLimits
from echomind_api.main import Gateway
from echomind_lib.access.principal import Rates
from echomind_lib.db.database import Database
from echomind_lib.errors import OverloadedError, ValidationFailedError
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser, forget_rates
from tests.factories.world import name

QUOTAS = "QuotaService"
AT_A_TIME = "QUOTA_PERIOD_MINUTE"


@pytest_asyncio.fixture(autouse=True, loop_scope="session")
async def unlimited(pool: asyncpg.Pool, gateway: Gateway) -> AsyncIterator[None]:
    """Leaves no limit behind, nor anybody whom one binds."""
    yield
    await pool.execute("DELETE FROM quotas")
    await pool.execute("DELETE FROM request_counts")
    await pool.execute("DELETE FROM stream_leases")
    await pool.execute("UPDATE installation_settings SET has_quotas = false, has_rates = false")
    forget_rates(gateway)


@pytest_asyncio.fixture(loop_scope="session")
async def database(gateway: Gateway) -> Database:
    return gateway.parts.dependencies.database


async def limit(owner: Client, via: Transport = "grpc", **values: Any) -> dict[str, Any]:
    quota = {"period": AT_A_TIME, "scope": "QUOTA_SCOPE_ORGANIZATION"} | values
    return await owner.call(f"{QUOTAS}/CreateQuota", {"quota": quota}, via)


async def ask(somebody: Client, **request: Any) -> dict[str, Any]:
    return await somebody.call("ChatMessageService/SendMessage", {"content": "x"} | request)


async def fresh(person: Client) -> tuple[Client, int]:
    """Returns a credential that no replica remembers with the limits of before, and the id of the key."""
    created = await person.call("ApiKeyService/CreateApiKey", {"name": name()})
    return person.as_(created["secret"], person.user_id), created["apiKey"]["id"]


async def group_of(owner: Client, *people: Client) -> int:
    group = await owner.call("GroupService/CreateGroup", {"group": {"name": name()}})
    request = {"id": group["id"], "userIds": [each.user_id for each in people]}
    await owner.call("GroupService/AddGroupMembers", request)
    return int(group["id"])


async def minute_of(pool: asyncpg.Pool) -> datetime:
    minute: datetime = await pool.fetchval("SELECT date_trunc('minute', clock_timestamp())")
    return minute


async def until_waits_for(connection: PoolConnectionProxy, pool: asyncpg.Pool, waiting: asyncio.Future[Any]) -> None:
    """Returns as soon as somebody waits for what the connection has locked."""
    waits = "SELECT count(*) FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))"
    async with asyncio.timeout(30):
        while not await pool.fetchval(waits, connection.get_server_pid()):
            assert not waiting.done(), waiting
            await asyncio.sleep(0.01)


async def cancel(pool: asyncpg.Pool, *sent: dict[str, Any]) -> None:
    ids = [each["run"]["id"] for each in sent]
    await pool.execute("UPDATE runs SET status = 'cancelled', completed_at = now() WHERE id::text = ANY($1)", ids)


async def test_they_are_set_changed_and_shown_to_whom_they_bind(owner: Client, via: Transport) -> None:
    made = await limit(owner, via, maxRequestsPerMinute=5000, maxConcurrentRuns=30)
    assert (made["period"], made["maxRequestsPerMinute"], made["maxConcurrentRuns"]) == (AT_A_TIME, 5000, 30)
    request = {"id": made["id"], "quota": {"maxConcurrentRuns": 0, "maxConcurrentStreams": 70}}
    request["updateMask"] = "maxConcurrentRuns,maxConcurrentStreams"
    changed = await owner.call(f"{QUOTAS}/UpdateQuota", request, via)
    assert (changed.get("maxConcurrentRuns"), changed["maxConcurrentStreams"]) == (None, 70)
    caller, _ = await fresh(owner)
    (own,) = (await caller.call(f"{QUOTAS}/ListQuotaUsage", {}, via))["usage"]
    assert (own["scope"], own["period"]) == ("QUOTA_SCOPE_ORGANIZATION", AT_A_TIME)
    assert (own["maxRequestsPerMinute"], own["requests"], own["maxConcurrentStreams"]) == (5000, 100, 70)
    assert own["renewsAt"].endswith(":00Z")


@pytest.mark.parametrize(
    ("quota", "message"),
    [
        ({"maxTokens": "5", "maxConcurrentRuns": 1}, "max_tokens: is for the period `day` and `month`"),
        ({"period": "QUOTA_PERIOD_DAY", "maxTokens": "5", "maxConcurrentRuns": 1}, "max_concurrent_runs: is for"),
        ({}, "max_concurrent_runs: set at least one of max_requests_per_minute"),
    ],
)
async def test_limits_of_another_period_are_refused(owner: Client, quota: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationFailedError, match=message):
        await limit(owner, **quota)
    if not quota:
        _, key = await fresh(owner)
        quotas = [{"period": AT_A_TIME, "maxTokens": "5"}]
        with pytest.raises(ValidationFailedError, match="those of a minute are max_requests_per_minute"):
            await owner.call("ApiKeyService/SetApiKeyQuotas", {"id": key, "quotas": quotas})


async def test_members_of_a_group_share_its_unfinished_questions(
    owner: Client, new_user: NewUser, pool: asyncpg.Pool
) -> None:
    first, second, stranger = [await new_user() for _ in range(3)]
    group = await group_of(owner, first, second)
    await limit(owner, scope="QUOTA_SCOPE_GROUP", groupId=group, maxConcurrentRuns=3)
    members = [(await fresh(each))[0] for each in (first, second)]
    outcomes = await asyncio.gather(*(ask(members[i % 2]) for i in range(10)), return_exceptions=True)
    asked = [each for each in outcomes if isinstance(each, dict)]
    assert len(asked) == 3
    refused = next(each for each in outcomes if isinstance(each, OverloadedError))
    assert "Your group's limit of 3 unfinished questions at a time is reached" in refused.message
    (usage,) = (await members[0].call(f"{QUOTAS}/ListQuotaUsage"))["usage"]
    assert (usage["scope"], usage["groupId"], usage["concurrentRuns"]) == ("QUOTA_SCOPE_GROUP", group, 3)
    outsider, _ = await fresh(stranger)
    assert "usage" not in await outsider.call(f"{QUOTAS}/ListQuotaUsage")
    await cancel(pool, *asked, await ask(outsider))
    await cancel(pool, await ask(members[1]))


async def test_a_persons_own_limit_replaces_that_of_each_person(
    owner: Client, new_user: NewUser, pool: asyncpg.Pool
) -> None:
    person = await new_user()
    await limit(owner, scope="QUOTA_SCOPE_MEMBER", maxConcurrentRuns=1)
    await limit(owner, scope="QUOTA_SCOPE_USER", userId=person.user_id, maxConcurrentRuns=2)
    caller, _ = await fresh(person)
    asked = [await ask(caller), await ask(caller)]
    with pytest.raises(OverloadedError, match="Your limit of 2 unfinished questions"):
        await ask(caller)
    await cancel(pool, *asked)


@pytest.mark.parametrize("status", ["paused", "waiting_for_input"])
async def test_questions_that_wait_for_a_person_keep_out_nobody(
    owner: Client, new_user: NewUser, pool: asyncpg.Pool, status: str
) -> None:
    person, other = await new_user(), await new_user()
    group = await group_of(owner, person, other)
    await limit(owner, scope="QUOTA_SCOPE_GROUP", groupId=group, maxConcurrentRuns=1)
    first, second = (await fresh(person))[0], (await fresh(other))[0]
    waits = await ask(first)
    await pool.execute("UPDATE runs SET status = $2 WHERE id::text = $1", waits["run"]["id"], status)
    try:
        asked = await ask(second)
        (usage,) = (await first.call(f"{QUOTAS}/ListQuotaUsage"))["usage"]
        assert usage["concurrentRuns"] == 1
        with pytest.raises(OverloadedError, match="Your group's limit of 1 unfinished questions"):
            await ask(first)
        await cancel(pool, asked)
    finally:
        await cancel(pool, waits)


async def test_everybody_shares_the_requests_of_a_minute(owner: Client, new_user: NewUser, pool: asyncpg.Pool) -> None:
    caller, _ = await fresh(await new_user())
    made = await limit(owner, maxRequestsPerMinute=3)
    outcomes = await asyncio.gather(
        *(caller.call("UserService/GetCurrentUser") for _ in range(8)), return_exceptions=True
    )
    refused = [each for each in outcomes if isinstance(each, OverloadedError)]
    # The calls may fall into two minutes.
    assert 2 <= len(refused) <= 5
    assert "The organization's limit of 3 requests a minute is used up: try again in" in refused[0].message
    assert 1 <= int(refused[0].metadata["retry_after_seconds"]) <= 60
    # Whoever asks for it is bound, too.
    await pool.execute("DELETE FROM quotas WHERE id = $1", made["id"])
    assert not await pool.fetchval("SELECT has_rates FROM installation_settings")


async def test_a_limit_holds_that_is_made_while_the_last_other_one_is_removed(pool: asyncpg.Pool) -> None:
    insert = "INSERT INTO quotas (scope, period, max_concurrent_runs) VALUES ($1, 'minute', 50)"
    await pool.execute(insert, "member")
    async with pool.acquire() as connection:
        async with connection.transaction():
            await connection.execute(insert, "organization")
            removing = asyncio.ensure_future(pool.execute("DELETE FROM quotas WHERE scope = 'member'"))
            await until_waits_for(connection, pool, removing)
        await removing
    assert await pool.fetchval("SELECT array_agg(scope::text) FROM quotas") == ["organization"]
    assert await pool.fetchval("SELECT has_rates FROM installation_settings")


async def test_a_request_is_counted_although_the_old_count_is_deleted_meanwhile(database: Database) -> None:
    pool, bound = database.pool, [Rates(f"user:{name()}"[:50], requests_per_minute=5)]
    subject = bound[0].subject
    await pool.execute("INSERT INTO request_counts VALUES ($1, now() - INTERVAL '2 hours', 5)", subject)
    async with pool.acquire() as connection:
        async with connection.transaction():
            await connection.execute("SELECT FROM request_counts WHERE subject = $1 FOR UPDATE", subject)
            taken = "SELECT granted FROM take_requests(ARRAY[$1], ARRAY[5], ARRAY[1])"
            taking = asyncio.ensure_future(pool.fetchval(taken, subject))
            await until_waits_for(connection, pool, taking)
            await connection.execute("DELETE FROM request_counts WHERE subject = $1", subject)
        assert await taking == 1
    await SharedLimits(database).take(bound)
    assert await pool.fetchval("SELECT requests FROM request_counts WHERE subject = $1", subject) in {1, 2}


async def test_replicas_never_grant_more_requests_than_a_minute_has(database: Database) -> None:
    replicas = [SharedLimits(database) for _ in range(3)]
    subject = [Rates(f"user:{name()}"[:50], requests_per_minute=120)]
    begun = await minute_of(database.pool)
    outcomes = await asyncio.gather(*(replicas[i % 3].take(subject) for i in range(300)), return_exceptions=True)
    ended = await minute_of(database.pool)
    granted = sum(each is None for each in outcomes)
    minutes = (ended - begun) // timedelta(minutes=1) + 1
    # A replica asks for two at a time, so that one request of each may be lost.
    assert 120 - 3 <= granted <= 120 * minutes
    assert all(isinstance(each, OverloadedError) for each in outcomes if each is not None)
    # A limit that refuses takes nothing from the others.
    for _ in range(2):
        other, full = [Rates(f"user:{name()}"[:50], requests_per_minute=each) for each in (60, 1)]
        begun = await minute_of(database.pool)
        await replicas[0].take([full])
        outcomes = await asyncio.gather(*(each.take([full, other]) for each in replicas[1:]), return_exceptions=True)
        if begun == await minute_of(database.pool):
            break
    else:
        pytest.fail("a minute ended twice within three statements")
    assert [type(each) for each in outcomes] == [OverloadedError, OverloadedError]
    counted = "SELECT requests FROM request_counts WHERE subject = $1"
    assert await database.pool.fetchval(counted, other.subject) == 0


async def test_streams_of_all_replicas_count_and_those_of_a_dead_one_expire(database: Database) -> None:
    first, second = SharedLimits(database), SharedLimits(database)
    bound = [Rates(f"group:{name()}"[:50], streams=2), Rates(f"user:{name()}"[:50], streams=5)]
    opened = [await first.open_stream(bound), await second.open_stream(bound)]
    with pytest.raises(OverloadedError, match="Your group's limit of 2 open streams at a time is reached"):
        await second.open_stream(bound)
    counts = "SELECT subject, sum(streams) FROM stream_leases WHERE subject = ANY($1) GROUP BY subject"
    subjects = [each.subject for each in bound]
    assert {row[0]: row[1] for row in await database.pool.fetch(counts, subjects)} == dict.fromkeys(subjects, 2)
    await second.close_stream(opened[1])
    await second.close_stream(await second.open_stream(bound))
    # The first replica dies: its lease is extended no longer.
    await database.pool.execute(
        "UPDATE stream_leases SET expires_at = now() WHERE subject = ANY($1) AND streams > 0", subjects
    )
    again = [await second.open_stream(bound), await second.open_stream(bound)]
    # It was cut off alone, and counts again as soon as it is back.
    await first.renew()
    await second.close_stream(again.pop())
    with pytest.raises(OverloadedError):
        await second.open_stream(bound)
    for replica, counted in ((first, opened[0]), (second, again[0])):
        await replica.close_stream(counted)
    assert {row[0]: row[1] for row in await database.pool.fetch(counts, subjects)} == dict.fromkeys(subjects, 0)


async def test_a_stream_that_ends_while_the_database_is_away_is_counted_down_later(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    replica, another = SharedLimits(database), SharedLimits(database)
    bound = [Rates(f"user:{name()}"[:50], streams=1)]
    opened = await replica.open_stream(bound)

    class Away:
        async def execute(self, *_: Any, **__: Any) -> int:
            raise ConnectionResetError

    with monkeypatch.context() as patched:
        patched.setattr(shared_limits, "_WRITE", Away())
        await replica.close_stream(opened)
    with pytest.raises(OverloadedError):
        await another.open_stream(bound)
    # Nobody extends it, and the replica itself knows better.
    await replica.renew()
    await replica.close_stream(await replica.open_stream(bound))
    await another.close_stream(await another.open_stream(bound))


async def test_open_streams_are_shown_and_limited(owner: Client, new_user: NewUser) -> None:
    person = await new_user()
    await limit(owner, scope="QUOTA_SCOPE_USER", userId=person.user_id, maxConcurrentStreams=1)
    caller, _ = await fresh(person)
    headers = {"Authorization": f"Bearer {caller.key}"}
    address = f"{caller.http_url}/api/v1/users/me/events"
    async with caller.session.get(address, headers=headers) as stream:
        assert stream.status == 200
        (usage,) = (await caller.call(f"{QUOTAS}/ListQuotaUsage"))["usage"]
        assert (usage["concurrentStreams"], usage["maxConcurrentStreams"]) == (1, 1)
        async with caller.session.get(address, headers=headers) as further:
            body = await further.json()
            assert (further.status, body["error"]["reason"]) == (429, "OVERLOADED")
            assert body["error"]["message"].startswith("Your limit of 1 open streams at a time is reached")
    # An administrator sees the same of the person.
    (seen,) = (await owner.call(f"{QUOTAS}/ListQuotaUsage", {"userId": person.user_id}))["usage"]
    assert seen["maxConcurrentStreams"] == 1
