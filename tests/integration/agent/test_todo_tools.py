"""The planning tools: results for the model, and published events."""

import asyncio
import json
from typing import Any
from uuid import UUID

import pytest
import pytest_asyncio

from echomind_agent.evidence.sources import Sources
from echomind_agent.tools.todos import update_todo, write_todos
from echomind_agent.toolset.registry import Tool, ToolContext, ToolError
from echomind_lib.access import Principal
from echomind_lib.events.log import EventLog
from echomind_lib.messaging import events_subject
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import EventsStored
from echomind_lib.plans import todos
from echomind_lib.runs import lease
from tests.factories.questions import ask
from tests.factories.rows import Rows, new_worker


@pytest_asyncio.fixture(loop_scope="session")
async def context(event_log: EventLog, rows: Rows) -> Any:
    """What a tool of a run in a worker's hands may use."""
    sent = await ask(event_log, rows.user_id, None, "What?")
    worker: UUID = await new_worker(event_log.pool)
    taken = await lease.claim(event_log, sent.run_id, worker)
    assert taken is not None

    async def report(percentage: int, text: str) -> None:
        pytest.fail(f"no progress is reported: {percentage} {text}")

    yield ToolContext(
        principal=Principal(rows.user_id, frozenset({"user"}), frozenset()),
        sources=Sources(),
        lease=taken,
        log=event_log,
        untrusted=False,
        report=report,
    )


async def use(context: ToolContext, tool: Tool, **arguments: Any) -> str:
    """Returns what the model is told when it calls a tool."""
    text = await tool.call(context, tool.parse(json.dumps(arguments)))
    assert isinstance(text, str)
    return text


PLAN = [
    {"number": 1, "title": "Collect\nthe rules\x00", "estimated_steps": 2},
    {"number": 2, "title": "Compare them", "depends_on": [1], "description": "All of them."},
    {"number": 3, "title": "Report", "depends_on": [1, 2], "priority": 5},
]
CIRCLE = [{"number": 1, "title": "A", "depends_on": [2]}, {"number": 2, "title": "B", "depends_on": [1]}]


async def test_the_model_plans_and_receives_the_whole_plan(context: ToolContext) -> None:
    heard: list[EventsStored] = []

    async def hear(message: Any) -> None:
        heard.append(EventsStored.FromString(message.data))

    await context.log.bus.subscribe(events_subject(context.lease.session_id), hear)
    assert await use(context, write_todos, todos=PLAN) == (
        "The plan, 0 of 3 completed ([ ] pending, [>] in progress, [x] completed):\n"
        "1. [ ] Collect the rules\n"
        "2. [ ] Compare them (after 1)\n"
        "3. [ ] Report (after 1, 2)\n"
        "Next: 1. Collect the rules"
    )
    assert "1. [>] Collect" in await use(context, update_todo, number=1, status="in_progress")
    await use(context, update_todo, number=1, status="completed", result="Nine\nrules \x00found.")
    assert await use(context, update_todo, number=2, status="failed", error="They cannot be compared.") == (
        "The plan, 1 of 3 completed ([ ] pending, [>] in progress, [x] completed):\n"
        "1. [x] Collect the rules - Nine rules found.\n"
        "2. [!] Compare them (failed) - They cannot be compared.\n"
        "3. [ ] Report (after 1, 2)"
    )
    stored = await todos.plan_of(context.log.pool, context.lease.run_id)
    assert [(todo.status, todo.priority, todo.estimated_steps) for todo in stored] == [
        ("completed", 0, 2), ("failed", 0, None), ("pending", 5, None),
    ]  # fmt: skip
    assert await use(context, write_todos, todos=[]) == (
        "The plan, 1 of 2 completed ([ ] pending, [>] in progress, [x] completed):\n"
        "1. [x] Collect the rules - Nine rules found.\n"
        "2. [!] Compare them (failed) - They cannot be compared."
    )
    async with asyncio.timeout(60):
        while len(heard) < 5:
            await context.log.bus.flush()
    assert [len(each.events[0].todos.todos) for each in heard] == [3, 3, 3, 3, 2]


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        (write_todos, {"todos": CIRCLE}, "form a circle"),
        (write_todos, {"todos": [{"number": 1, "title": ""}]}, r"todos\.0\.title"),
        (write_todos, {"todos": [{"title": "A"}]}, r"todos\.0\.number: is missing"),
        (update_todo, {"number": 1, "status": "in_progress"}, "It has none: write it first"),
        (update_todo, {"number": 1, "status": "done"}, "status: must be one of 'pending'"),
    ],
)  # fmt: skip
async def test_what_cannot_be_is_told_to_the_model(
    context: ToolContext, tool: Tool, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ToolError, match=message):
        await use(context, tool, **arguments)
    assert await todos.plan_of(context.log.pool, context.lease.run_id) == []


def test_tools_describe_their_effects() -> None:
    assert write_todos.progress(write_todos.parse(json.dumps({"todos": PLAN}))) == "Planning 3 todos"
    assert update_todo.progress(update_todo.parse('{"number": 2, "status": "in_progress"}')) == "Todo 2: in progress"
