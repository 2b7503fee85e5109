"""Usage of stored runs by day, model, assistant and person."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import asyncpg
import pytest

from echomind_lib.conversations import usage
from echomind_lib.errors import PermissionDeniedError, ValidationFailedError
from echomind_lib.llms import Usage
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser
from tests.factories import rows

MIDNIGHT = datetime(2025, 3, 2, tzinfo=UTC)
"""A time without other tests' runs."""
MARCH = {"fromTime": "2025-03-01T00:00:00Z", "toTime": "2025-03-04T00:00:00Z"}


async def run(pool: asyncpg.Pool, user: Client, at: datetime, **values: Any) -> asyncpg.Record:
    """Stores a run that is over, in a conversation of its own unless one is given."""
    async with pool.acquire() as connection:
        if "chat_session_id" not in values:
            values["chat_session_id"] = (await rows.chat_session(connection, user_id=user.user_id))["id"]
        values = {"status": "completed", "user_id": user.user_id, "creation_date": at} | values
        return await rows.run(connection, **values)


async def test_days_without_usage_are_listed_and_sub_agents_cost_but_do_not_ask(
    new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    somebody, other = await new_user(), await new_user()
    used = {"prompt_tokens": 100, "completion_tokens": 10, "cost": 0.5}
    root = await run(pool, somebody, MIDNIGHT + timedelta(hours=1), **used)
    below = {"parent_run_id": root["id"], "kind": "sub_agent", "chat_session_id": root["chat_session_id"]}
    await run(pool, somebody, MIDNIGHT + timedelta(hours=2), **used, **below)
    await run(pool, somebody, MIDNIGHT - timedelta(minutes=30), status="failed")
    await run(pool, other, MIDNIGHT, **used)
    answer = await somebody.call("UsageService/GetUsage", MARCH, via)
    days = {each["day"]: each for each in answer["usage"]}
    assert list(days) == ["2025-03-01", "2025-03-02", "2025-03-03"]
    assert int(days["2025-03-02"]["questions"]) == 1
    assert int(days["2025-03-01"]["failedQuestions"]) == 1
    total = answer["total"]
    assert (int(total["promptTokens"]), int(total["completionTokens"]), total["cost"]) == (200, 20, 1.0)
    assert int(total["questions"]) == 2
    # Days start at midnight in the caller's time zone.
    there = await somebody.call("UsageService/GetUsage", MARCH | {"timeZone": "Europe/Berlin"}, via)
    counted = {each["day"]: int(each.get("questions") or 0) for each in there["usage"]}
    assert counted["2025-03-02"] == 2


@pytest.mark.parametrize("grouping", ["LLM", "DAY_LLM", "ASSISTANT", "USER"])
async def test_groups_add_up_to_the_total(new_user: NewUser, pool: asyncpg.Pool, via: Transport, grouping: str) -> None:
    boss, somebody = await new_user("admin"), await new_user()
    for tokens in (5, 7):
        await run(pool, somebody, MIDNIGHT, prompt_tokens=tokens)
    await run(pool, boss, MIDNIGHT, prompt_tokens=1)
    request = MARCH | {"groupBy": f"USAGE_GROUPING_{grouping}"}
    answer = await boss.call("UsageService/GetUsage", request, via)
    assert sum(int(each["promptTokens"]) for each in answer["usage"]) == int(answer["total"]["promptTokens"])
    if grouping == "USER":
        # Accounts that other tests have removed have no id any more.
        names = {each["id"]: each["name"] for each in answer["usage"] if "id" in each}
        assert {boss.user_id, somebody.user_id} <= names.keys()
        assert all(names.values())
    of_one = await boss.call("UsageService/GetUsage", request | {"userId": somebody.user_id}, via)
    assert int(of_one["total"]["promptTokens"]) == 12


async def test_others_usage_needs_the_role_admin(new_user: NewUser, via: Transport) -> None:
    somebody, other = await new_user(), await new_user()
    with pytest.raises(PermissionDeniedError):
        await somebody.call("UsageService/GetUsage", {"userId": other.user_id}, via)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"toTime": "2025-03-01T00:00:00Z"}, "from_time"),
        ({"toTime": "2027-03-01T00:00:00Z"}, "from_time"),
        ({"fromTime": "0001-01-01T00:00:00Z", "timeZone": "America/New_York"}, "from_time"),
        ({"toTime": "0001-01-02T00:00:00Z"}, "to_time"),
        ({"toTime": "9999-12-31T23:59:59Z"}, "to_time"),
        ({"timeZone": "Europe/Nowhere"}, "time_zone"),
        ({"timeZone": "../etc/passwd"}, "time_zone"),
    ],
)
async def test_times_that_are_none(new_user: NewUser, via: Transport, change: dict[str, str], field: str) -> None:
    somebody = await new_user()
    with pytest.raises(ValidationFailedError) as caught:
        await somebody.call("UsageService/GetUsage", MARCH | change, via)
    assert field in caught.value.metadata


async def test_by_day_and_model_there_is_a_row_for_each_day_on_which_a_model_was_used(
    new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    somebody = await new_user()
    first, second = [(await rows.llm(pool))["id"] for _ in range(2)]
    for at, llm_id in ((0, first), (1, first), (1, second), (-1, second)):
        await run(pool, somebody, MIDNIGHT + timedelta(hours=at), llm_id=llm_id, prompt_tokens=5)
    await run(pool, somebody, MIDNIGHT)
    answer = await somebody.call("UsageService/GetUsage", MARCH | {"groupBy": "USAGE_GROUPING_DAY_LLM"}, via)
    assert [(each["day"], each.get("id", 0), int(each["questions"])) for each in answer["usage"]] == [
        ("2025-03-01", second, 1),
        ("2025-03-02", first, 2),
        ("2025-03-02", second, 1),
        ("2025-03-02", 0, 1),
    ]
    assert answer["usage"][0]["name"].startswith("llm ")


async def test_deleted_runs_and_accounts_change_no_figure(
    new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    boss, somebody = await new_user("admin"), await new_user()
    llm_id = (await rows.llm(pool))["id"]
    used = {"prompt_tokens": 100, "completion_tokens": 10, "cost": 0.5, "llm_id": llm_id}
    root = await run(pool, somebody, MIDNIGHT, status="failed", **used)
    session_id = root["chat_session_id"]
    below = {"parent_run_id": root["id"], "kind": "sub_agent", "chat_session_id": session_id}
    await run(pool, somebody, MIDNIGHT, **used, **below)
    other = await run(pool, somebody, MIDNIGHT, **used)
    request = MARCH | {"groupBy": "USAGE_GROUPING_DAY_LLM"}
    before = await somebody.call("UsageService/GetUsage", request, via)
    assert before["total"] == {
        "questions": "2", "failedQuestions": "1", "activeUsers": 1, "promptTokens": "300", "completionTokens": "30",
        "cost": 1.5,
    }  # fmt: skip
    await pool.execute("DELETE FROM chat_sessions WHERE id = $1", session_id)
    assert await somebody.call("UsageService/GetUsage", request, via) == before
    of_model = MARCH | {"groupBy": "USAGE_GROUPING_LLM"}

    async def figures() -> dict[str, Any]:
        found = (await boss.call("UsageService/GetUsage", of_model, via))["usage"]
        return next(each for each in found if each.get("id") == llm_id)

    counted = await figures()
    await pool.execute("DELETE FROM users WHERE id = $1", somebody.user_id)
    assert not await pool.fetchval("SELECT count(*) FROM runs WHERE id = $1", other["id"])
    # Who had asked is no longer known.
    assert await figures() == {name: value for name, value in counted.items() if name != "activeUsers"}


async def test_calls_outside_of_runs_are_counted_by_kind(new_user: NewUser, pool: asyncpg.Pool, via: Transport) -> None:
    somebody, other = await new_user(), await new_user()
    llm_id = (await rows.llm(pool))["id"]
    await run(pool, somebody, datetime.now(UTC), prompt_tokens=50)
    session_id = (await rows.chat_session(pool, user_id=somebody.user_id))["id"]
    for tokens in (7, 8):
        await usage.add(pool, session_id, "title", llm_id, Usage(tokens, 1), Decimal("0.25"))
    await usage.count(pool, somebody.user_id, "embedding", Usage(3, 0), Decimal(0))
    await usage.count(pool, somebody.user_id, "embedding", Usage(0, 0), Decimal(0))
    await usage.count(pool, other.user_id, "plain_model", Usage(1000, 0), Decimal(0), llm_id=llm_id)
    answer = await somebody.call("UsageService/GetUsage", {"groupBy": "USAGE_GROUPING_KIND"}, via)
    assert [(each["kind"], int(each["promptTokens"]), each.get("cost", 0)) for each in answer["usage"]] == [
        ("USAGE_KIND_TITLE", 15, 0.5),
        ("USAGE_KIND_ANSWER", 50, 0),
        ("USAGE_KIND_EMBEDDING", 3, 0),
    ]
    assert (int(answer["total"]["promptTokens"]), int(answer["total"]["questions"])) == (68, 1)
    only = {"kind": "USAGE_KIND_TITLE", "groupBy": "USAGE_GROUPING_LLM"}
    (titles,) = (await somebody.call("UsageService/GetUsage", only, via))["usage"]
    assert (titles["id"], int(titles["completionTokens"])) == (llm_id, 2)
    days = (await somebody.call("UsageService/GetUsage", {"kind": "USAGE_KIND_ANSWER"}, via))["usage"]
    assert sum(int(day.get("promptTokens") or 0) for day in days) == 50
