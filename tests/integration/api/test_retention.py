"""Rules for what is deleted because of its age: what they are, what they would delete, and what a sweep deletes."""

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import httpx2
import pytest
import pytest_asyncio
from mcp import Client as McpClient
from mcp.client import advertise
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolRequest, CallToolRequestParams, EmptyResult

from echomind_agent.mcp.tasks import CALL_ANSWER, EXTENSION, CancelTask, GetTask, TaskCreated, TaskParams, TaskState
from echomind_api.main import Gateway
from echomind_api.retention import RetentionRules, RetentionSweeper, default_days, expiries
from echomind_api.retention.expiries import Expiries
from echomind_lib.errors import ValidationFailedError
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser
from tests.drivers.leftovers import marker, tables_with
from tests.factories import rows as make
from tests.factories.conversations import converse

KEPT = 2000
"""Days of the tests' rules: nothing of other tests is as old."""
OLD = 1000
"""Days after which the tests' own rows are cleared away."""
LONGEST = 36_500
"""The most days that a rule takes; they reach back to before 1970."""
DELIVERIES = "RETENTION_DATA_WEBHOOK_DELIVERIES"


class LastingTask(TaskState):
    """State of a task with its lifetime in milliseconds; None is forever."""

    ttl_ms: int | None = None


@pytest_asyncio.fixture(autouse=True, loop_scope="session")
async def defaults(pool: asyncpg.Pool) -> AsyncIterator[None]:
    """Leaves no rule behind, and nothing that is old enough for the other tests."""
    yield
    await pool.execute("DELETE FROM retention_rules")
    await pool.execute(
        "DELETE FROM chat_sessions WHERE least(creation_date, deleted_date) < now() - make_interval(days => $1)", OLD
    )
    await pool.execute("DELETE FROM webhook_deliveries WHERE creation_date < now() - make_interval(days => $1)", OLD)


@pytest.fixture
def expired(gateway: Gateway) -> Expiries:
    parts = gateway.parts
    return expiries(parts.dependencies.database, parts.sessions_service._purge)


async def rule(client: Client, data: str, via: Transport = "rest") -> dict[str, Any]:
    found = await client.call("RetentionService/ListRetentionRules", {}, via)
    return next(each for each in found["rules"] if each["data"] == data)


async def test_a_superadmin_sets_a_rule_and_returns_to_the_default(
    owner: Client, pool: asyncpg.Pool, via: Transport
) -> None:
    before = await rule(owner, DELIVERIES, via)
    assert (before["days"], before["defaultDays"], before.get("isSet", False)) == (30, 30, False)
    for days in (KEPT, KEPT + 1):
        changed = await owner.call("RetentionService/SetRetentionRule", {"data": DELIVERIES, "days": days}, via)
        assert changed == await rule(owner, DELIVERIES, via)
        assert (changed["days"], changed["isSet"]) == (days, True)
        assert changed["setByName"]
        assert changed["setAt"]
    forever = await owner.call("RetentionService/SetRetentionRule", {"data": DELIVERIES, "days": 0}, via)
    assert not forever.get("days")
    assert forever["isSet"]
    assert await owner.call("RetentionService/SetRetentionRule", {"data": DELIVERIES}, via) == before
    entries = await pool.fetch(
        "SELECT detail->'before' AS before, detail->'days' AS days FROM audit_log"
        " WHERE target = 'retention-rules/webhook_deliveries' ORDER BY id DESC LIMIT 4"
    )
    assert [(each["before"], each["days"]) for each in entries] == [
        (0, 30),
        (KEPT + 1, 0),
        (KEPT, KEPT + 1),
        (30, KEPT),
    ]


@pytest.mark.parametrize("request_", [{}, {"data": DELIVERIES, "days": -1}, {"data": DELIVERIES, "days": 36_501}])
async def test_what_is_no_rule_is_refused(owner: Client, request_: dict[str, Any], via: Transport) -> None:
    for method in ("SetRetentionRule", "PreviewRetentionRule"):
        with pytest.raises(ValidationFailedError):
            await owner.call(f"RetentionService/{method}", request_, via)


async def test_the_days_of_the_audit_log_are_those_of_its_rule(owner: Client, via: Transport) -> None:
    await owner.call("RetentionService/SetRetentionRule", {"data": "RETENTION_DATA_AUDIT_ENTRIES", "days": KEPT}, via)
    listed = await owner.call("AuditService/ListAuditEntries", {"pageSize": 1}, via)
    assert listed["retentionDays"] == KEPT


@dataclass
class Aged:
    """A row of a kind of data, made as old as a test wants it."""

    table: str
    id: Any

    async def is_there(self, pool: asyncpg.Pool) -> bool:
        return bool(await pool.fetchval(f"SELECT EXISTS (SELECT FROM {self.table} WHERE id = $1)", self.id))


def old_id(age: timedelta) -> UUID:
    """A UUIDv7 of that time."""
    milliseconds = int((datetime.now(UTC) - age).timestamp() * 1000)
    return UUID(int=milliseconds << 80 | 7 << 76 | uuid4().int & (1 << 76) - 1)


async def conversation(pool: asyncpg.Pool, user_id: int, age: timedelta, **values: Any) -> Aged:
    session = await make.chat_session(pool, user_id=user_id, creation_date=datetime.now(UTC) - age, **values)
    return Aged("chat_sessions", session["id"])


async def removed(pool: asyncpg.Pool, user_id: int, age: timedelta) -> Aged:
    return await conversation(pool, user_id, timedelta(), deleted_date=datetime.now(UTC) - age)


async def unlisted(pool: asyncpg.Pool, user_id: int, age: timedelta) -> Aged:
    return await conversation(pool, user_id, age, unlisted=True)


async def ended_run(pool: asyncpg.Pool, user_id: int, age: timedelta) -> UUID:
    session = (await conversation(pool, user_id, age, last_message_at=datetime.now(UTC))).id
    times = {"creation_date": datetime.now(UTC) - age, "completed_at": datetime.now(UTC) - age}
    given = {"id": old_id(age), "chat_session_id": session, "user_id": user_id, "status": "completed"}
    found: UUID = (await make.run(pool, **given, **times))["id"]
    return found


async def step(pool: asyncpg.Pool, user_id: int, age: timedelta) -> Aged:
    made = await make.step(pool, run_id=await ended_run(pool, user_id, age))
    await make.tool_call(pool, step_id=made["id"])
    return Aged("steps", made["id"])


async def event(pool: asyncpg.Pool, user_id: int, age: timedelta) -> Aged:
    run = await ended_run(pool, user_id, age)
    session = await pool.fetchval("SELECT chat_session_id FROM runs WHERE id = $1", run)
    made = await make.run_event(
        pool, chat_session_id=session, run_id=run, creation_date=datetime.now(UTC) - age, kind="progress"
    )
    return Aged("run_events", made["id"])


async def delivery(pool: asyncpg.Pool, user_id: int, age: timedelta) -> Aged:
    webhook = await make.webhook(pool, user_id=user_id)
    made = await make.webhook_delivery(pool, webhook_id=webhook["id"], creation_date=datetime.now(UTC) - age)
    return Aged("webhook_deliveries", made["id"])


MAKERS: dict[str, Callable[..., Any]] = {
    "chat_sessions": conversation,
    "removed_chat_sessions": removed,
    "unlisted_chat_sessions": unlisted,
    "run_steps": step,
    "run_events": event,
    "webhook_deliveries": delivery,
}


@pytest.mark.parametrize("data", MAKERS)
async def test_a_preview_counts_what_a_sweep_deletes(
    owner: Client, new_user: NewUser, pool: asyncpg.Pool, expired: Expiries, via: Transport, data: str
) -> None:
    somebody = (await new_user()).user_id
    old = [await MAKERS[data](pool, somebody, timedelta(days=KEPT + 1 + number)) for number in range(2)]
    young = await MAKERS[data](pool, somebody, timedelta(days=KEPT - 1))
    others = [await MAKERS[other](pool, somebody, timedelta(days=KEPT + 1)) for other in MAKERS if other != data]
    request = {"data": f"RETENTION_DATA_{data.upper()}"}
    found = await owner.call("RetentionService/PreviewRetentionRule", request | {"days": KEPT}, via)
    oldest = datetime.now(UTC) - timedelta(days=KEPT + 2) - datetime.fromisoformat(found["oldestAt"])
    assert found["count"] == 2
    assert abs(oldest) < timedelta(minutes=10)
    for days in (0, LONGEST):
        none = await owner.call("RetentionService/PreviewRetentionRule", request | {"days": days}, via)
        assert not none.get("count")
        assert await expired[data](days).sweep() == 0  # type: ignore[index]
    assert await expired[data](KEPT).sweep() == 2  # type: ignore[index]
    assert [await each.is_there(pool) for each in (*old, young)] == [False, False, True]
    assert [await each.is_there(pool) for each in others] == [True] * len(others)
    nothing = await owner.call("RetentionService/PreviewRetentionRule", request | {"days": KEPT}, via)
    assert not nothing.get("count")


async def test_an_imported_conversation_stays_from_its_import_on(
    new_user: NewUser, pool: asyncpg.Pool, expired: Expiries
) -> None:
    somebody, texts = await new_user(), {"role": "user", "content": "How many days?", "created_at": 1_000_000_000}
    content = {"source": "traces", "id": "old", "messages": [{"id": "1", **texts}]}
    made = await somebody.call("ImportService/ImportChatSession", {"content": json.dumps(content)})
    imported = Aged("chat_sessions", made["chatSession"]["id"])
    assert made["chatSession"]["creationDate"].startswith("2001")
    assert await expired["chat_sessions"](KEPT).sweep() == 0
    assert await imported.is_there(pool)
    old = datetime.now(UTC) - timedelta(days=KEPT + 1)
    await pool.execute("UPDATE chat_sessions SET imported_at = $2 WHERE id = $1", imported.id, old)
    assert await expired["chat_sessions"](KEPT).sweep() == 1
    assert not await imported.is_there(pool)


@pytest.mark.parametrize("data", ["chat_sessions", "run_steps"])
async def test_what_a_run_works_in_stays(new_user: NewUser, pool: asyncpg.Pool, expired: Expiries, data: str) -> None:
    somebody = (await new_user()).user_id
    old = await MAKERS["run_steps"](pool, somebody, timedelta(days=KEPT + 1))
    session = await pool.fetchval("SELECT chat_session_id FROM runs WHERE user_id = $1", somebody)
    await pool.execute("UPDATE chat_sessions SET last_message_at = NULL WHERE id = $1", session)
    active = await make.run(pool, chat_session_id=session, status="paused")
    assert await expired[data](KEPT).sweep() == 0  # type: ignore[index]
    await pool.execute("UPDATE runs SET status = 'cancelled', completed_at = now() WHERE id = $1", active["id"])
    assert await expired[data](KEPT).sweep() == 1  # type: ignore[index]
    assert not await old.is_there(pool)


async def test_a_conversation_that_is_restored_with_its_notebook_stays(
    new_user: NewUser, pool: asyncpg.Pool, expired: Expiries
) -> None:
    somebody = (await new_user()).user_id
    session = await removed(pool, somebody, timedelta(days=KEPT + 1))
    notebook = await make.notebook(pool, user_id=somebody, deleted_date=datetime.now(UTC))
    await pool.execute("UPDATE chat_sessions SET notebook_id = $2 WHERE id = $1", session.id, notebook["id"])
    assert await expired["removed_chat_sessions"](KEPT).sweep() == 0
    await pool.execute("DELETE FROM notebooks WHERE id = $1", notebook["id"])


async def test_the_sweeper_applies_a_rule_once_and_again_when_it_changes(
    owner: Client, new_user: NewUser, pool: asyncpg.Pool, gateway: Gateway, expired: Expiries
) -> None:
    somebody = (await new_user()).user_id
    parts = gateway.parts.dependencies
    defaults = dict.fromkeys(default_days(parts.settings), 0) | {"webhook_deliveries": KEPT + 10}
    sweeper = RetentionSweeper(RetentionRules(parts.database, defaults), expired)
    old = await delivery(pool, somebody, timedelta(days=KEPT + 5))
    assert await sweeper.sweep() == {"webhook_deliveries": 0}
    assert await sweeper.sweep() == {}
    await owner.call("RetentionService/SetRetentionRule", {"data": DELIVERIES, "days": KEPT})
    assert await sweeper.sweep() == {"webhook_deliveries": 1}
    assert not await old.is_there(pool)


async def test_tasks_of_mcp_have_the_lifetime_of_the_rule(owner: Client) -> None:
    call = CallToolRequest(params=CallToolRequestParams(name="ask", arguments={"question": "How long?"}))
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {owner.key}"}) as http,
        McpClient(
            streamable_http_client(f"{owner.http_url}/mcp", http_client=http),
            mode="2026-07-28",
            extensions=[advertise(EXTENSION)],
        ) as client,
    ):
        task = await client.session.send_request(call, CALL_ANSWER)
        assert isinstance(task, TaskCreated)
        params = TaskParams(task_id=task.task_id)
        lifetimes = [(await client.session.send_request(GetTask(params=params), LastingTask)).ttl_ms]
        for days in (2, 0):
            given = {"data": "RETENTION_DATA_UNLISTED_CHAT_SESSIONS", "days": days}
            await owner.call("RetentionService/SetRetentionRule", given)
            lifetimes.append((await client.session.send_request(GetTask(params=params), LastingTask)).ttl_ms)
        await client.session.send_request(CancelTask(params=params), EmptyResult)
    assert lifetimes == [30 * 86_400_000, 2 * 86_400_000, None]


async def test_a_deleted_conversation_leaves_nothing(new_user: NewUser, pool: asyncpg.Pool, expired: Expiries) -> None:
    somebody, text = (await new_user()).user_id, marker()
    session = await converse(pool, somebody, text)
    await pool.execute(
        "UPDATE chat_sessions SET last_message_at = now() - make_interval(days => $2) WHERE id = $1", session, KEPT + 1
    )
    assert await expired["chat_sessions"](KEPT).sweep() == 1
    assert not await tables_with(pool, text)
