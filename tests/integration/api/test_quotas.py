"""Quotas by the API: what is accepted, who reads what, and that limits are whole."""

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from echomind_lib.errors import AlreadyExistsError, EchoMindError, NotFoundError
from tests.drivers.client import Client, Transport
from tests.factories import rows

Quota = dict[str, Any]


@pytest_asyncio.fixture(autouse=True, loop_scope="session")
async def unlimited(pool: asyncpg.Pool) -> AsyncIterator[None]:
    """Leaves no quota behind."""
    yield
    await pool.execute("DELETE FROM quotas")
    await pool.execute("UPDATE installation_settings SET has_quotas = false, has_rates = false")


async def person(pool: asyncpg.Pool) -> int:
    return int((await rows.user(pool))["id"])


async def create(owner: Client, via: Transport, **quota: Any) -> Quota:
    given = {"period": "QUOTA_PERIOD_DAY"} | quota
    return await owner.call("QuotaService/CreateQuota", {"quota": given}, via)


async def test_a_quota_is_created_changed_and_deleted(owner: Client, pool: asyncpg.Pool, via: Transport) -> None:
    somebody = await person(pool)
    made = await create(owner, via, scope="QUOTA_SCOPE_USER", userId=somebody, maxTokens="1000", maxCost=2.5)
    assert (made["scope"], made["userId"], made["maxTokens"], made["maxCost"]) == (
        "QUOTA_SCOPE_USER",
        somebody,
        "1000",
        2.5,
    )
    assert made["userName"]
    with pytest.raises(AlreadyExistsError):
        await create(owner, via, scope="QUOTA_SCOPE_USER", userId=somebody, maxTokens="5")
    sent = made | {"maxTokens": "0", "maxQuestions": "7"}
    request = {"id": made["id"], "quota": sent, "updateMask": "scope,userId,maxTokens,maxQuestions"}
    changed = await owner.call("QuotaService/UpdateQuota", request, via)
    assert (changed.get("maxTokens"), changed["maxQuestions"], changed["maxCost"]) == (None, "7", 2.5)
    assert changed["updatedBy"] == owner.user_id
    listed = await owner.call("QuotaService/ListQuotas", {}, via)
    assert [quota for quota in listed["quotas"] if quota["id"] == made["id"]] == [changed]
    await owner.call("QuotaService/DeleteQuota", {"id": made["id"]}, via)
    with pytest.raises(NotFoundError):
        await owner.call("QuotaService/GetQuota", {"id": made["id"]}, via)


@pytest.mark.parametrize(
    ("quota", "field"),
    [
        ({"scope": "QUOTA_SCOPE_ORGANIZATION"}, "max_tokens"),
        ({"maxTokens": "1"}, "scope"),
        ({"scope": "QUOTA_SCOPE_MEMBER", "period": "QUOTA_PERIOD_UNSPECIFIED", "maxTokens": "1"}, "period"),
        ({"scope": "QUOTA_SCOPE_GROUP", "maxTokens": "1"}, "group_id"),
        ({"scope": "QUOTA_SCOPE_ORGANIZATION", "groupId": 1, "maxTokens": "1"}, "group_id"),
        ({"scope": "QUOTA_SCOPE_USER", "maxTokens": "1"}, "user_id"),
        ({"scope": "QUOTA_SCOPE_MEMBER", "userId": 1, "maxTokens": "1"}, "user_id"),
    ],
)
async def test_what_binds_nobody_or_nothing_is_refused(owner: Client, quota: Quota, field: str) -> None:
    with pytest.raises(EchoMindError) as refused:
        await create(owner, "grpc", **quota)
    assert refused.value.reason == "VALIDATION_FAILED"
    assert field in refused.value.message


async def test_whom_a_quota_binds_never_changes(owner: Client, pool: asyncpg.Pool, via: Transport) -> None:
    made = await create(owner, via, scope="QUOTA_SCOPE_USER", userId=await person(pool), maxTokens="5")
    for change in ({"userId": await person(pool)}, {"period": "QUOTA_PERIOD_MONTH"}, {"scope": "QUOTA_SCOPE_MEMBER"}):
        request = {"id": made["id"], "quota": change, "updateMask": ",".join(change)}
        with pytest.raises(EchoMindError) as refused:
            await owner.call("QuotaService/UpdateQuota", request, via)
        assert refused.value.reason == "VALIDATION_FAILED"
    request = {"id": made["id"], "quota": {"maxTokens": "0"}, "updateMask": "maxTokens"}
    with pytest.raises(EchoMindError) as refused:
        await owner.call("QuotaService/UpdateQuota", request, via)
    assert refused.value.reason == "VALIDATION_FAILED"


async def test_everyone_reads_what_is_left_to_them(owner: Client, pool: asyncpg.Pool, via: Transport) -> None:
    assert not (await owner.call("QuotaService/ListQuotaUsage", {}, via)).get("usage")
    await create(owner, via, scope="QUOTA_SCOPE_MEMBER", maxTokens="1000")
    await create(owner, via, scope="QUOTA_SCOPE_ORGANIZATION", period="QUOTA_PERIOD_MONTH", maxCost=10)
    run = (await rows.run(pool, user_id=owner.user_id, status="running", attempt=1))["id"]
    await pool.execute("SELECT * FROM charge_quotas($1, 1, 300, 0.5)", run)
    await pool.execute("UPDATE runs SET prompt_tokens = 200, cost = 0.25, status = 'failed' WHERE id = $1", run)
    await pool.execute("SELECT * FROM charge_quotas($1, 1, 0, 0)", run)
    usage = (await owner.call("QuotaService/ListQuotaUsage", {}, via))["usage"]
    own, everybody = usage
    assert (own["scope"], own["maxTokens"], own["tokens"], own["questions"]) == ("QUOTA_SCOPE_USER", "1000", "200", "1")
    assert (everybody["scope"], everybody["maxCost"], everybody["cost"]) == ("QUOTA_SCOPE_ORGANIZATION", 10, 0.25)
    assert own["renewsAt"].endswith("T00:00:00Z")
    await pool.execute("DELETE FROM quota_usage")
