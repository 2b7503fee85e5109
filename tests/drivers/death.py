"""A worker that dies at exactly the worst moments, and what is left when the next one has done its work.

`Death` stops the first worker that comes to a point, and the test then takes that worker's database away, so that
nothing it does afterwards counts: what remains is what a killed process leaves.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import pytest
import pytest_asyncio

from echomind_agent.execution.worker import Worker
from echomind_agent.toolset.registry import Tool
from echomind_lib.conversations.questions import StoredQuestion
from echomind_lib.db.database import Database
from echomind_lib.pb.echomind.public.v1 import run_pb2, step_pb2
from tests.drivers.agent import Agent
from tests.drivers.wire import unheard

When = Callable[..., bool]


class Death:
    """A worker's death at a point of the program, and a second worker that continues."""

    def __init__(self, agent: Agent, patch: pytest.MonkeyPatch, own: Database) -> None:
        self._agent, self._patch, self._own = agent, patch, own
        self._reached = asyncio.Event()
        self._worker: Worker | None = None

    def at(self, module: Any, name: str, *, after: bool, when: When = lambda *_, **__: True) -> None:
        """Stops the first worker that calls a function, before or after what it does, and lets all others pass."""
        original: Callable[..., Awaitable[Any]] = getattr(module, name)

        async def stop(*arguments: Any, **named: Any) -> Any:
            if self._reached.is_set() or not when(*arguments, **named):
                return await original(*arguments, **named)
            if after:
                with unheard():
                    await original(*arguments, **named)
            self._reached.set()
            return await asyncio.Event().wait()

        self._patch.setattr(module, name, stop)

    def start(self, tools: Sequence[Tool] = ()) -> None:
        """Starts the worker that will die."""
        self._worker = self._agent.start(tools, database=self._own)

    async def is_reached(self) -> None:
        """Waits until the worker that will die has come to the point."""
        async with asyncio.timeout(60):
            await self._reached.wait()

    async def comes(self, tools: Sequence[Tool] = ()) -> None:
        """Waits for the death; then another worker continues."""
        assert self._worker is not None
        await self.is_reached()
        await self._agent.kill(self._worker, self._own)
        self._agent.start(tools)


@pytest_asyncio.fixture(loop_scope="session")
async def death(agent: Agent, monkeypatch: pytest.MonkeyPatch, postgres_url: str) -> AsyncIterator[Death]:
    own = await Database.connect(postgres_url)
    yield Death(agent, monkeypatch, own)
    own.pool.terminate()


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Waits until something that only the database says is true."""
    async with asyncio.timeout(60):
        while not await condition():  # noqa: ASYNC110 - and it does not tell
            await asyncio.sleep(0.02)


async def has_ended(agent: Agent, sent: StoredQuestion) -> bool:
    return bool((await agent.row(sent.run_id))["completed_at"])


async def has_status(agent: Agent, sent: StoredQuestion, status: str) -> bool:
    return bool((await agent.row(sent.run_id))["status"] == status)


async def is_whole(agent: Agent, sent: StoredQuestion, answer: str) -> None:
    """One run that ended once, with one answer, and a log of events in which everything stands once."""
    # No worker may be left to publish it, so read the log.
    await until(lambda: has_ended(agent, sent))
    row = await agent.row(sent.run_id)
    assert row["status"] == "completed"
    events = [event for event in await agent.stored(sent.chat_session_id) if event.run_id == str(sent.run_id)]
    assert sum(event.HasField("finished") for event in events) == 1
    assert events[-1].finished.status == run_pb2.RUN_STATUS_COMPLETED
    messages = await agent.pool.fetch(
        "SELECT role, content, status FROM chat_messages WHERE chat_session_id = $1 ORDER BY id", sent.chat_session_id
    )
    assert [(message["role"], message["status"]) for message in messages] == [
        ("user", "completed"),
        ("assistant", "completed"),
    ]
    assert messages[1]["content"] == answer
    recorded = await agent.steps(sent.run_id)
    assert [step["step_number"] for step in recorded] == list(range(1, row["steps_executed"] + 1))
    assert {step["status"] for step in recorded} == {"completed"}
    calls = await agent.calls(sent.run_id)
    assert row["tools_called"] == len(calls)
    ended = Counter(
        event.tool_call.tool_call_id
        for event in events
        if event.tool_call.status
        in (step_pb2.STEP_STATUS_COMPLETED, step_pb2.STEP_STATUS_FAILED, step_pb2.STEP_STATUS_CANCELLED)
    )
    assert ended == {call["tool_call_id"]: 1 for call in calls}
    assert await agent.pool.fetchval("SELECT count(*) FROM runs WHERE completed_at IS NULL") == 0


async def sub_agents_of(agent: Agent, sent: StoredQuestion) -> list[tuple[str, str]]:
    rows = await agent.pool.fetch("SELECT goal, status FROM runs WHERE parent_run_id = $1 ORDER BY id", sent.run_id)
    return [(row["goal"], row["status"]) for row in rows]
