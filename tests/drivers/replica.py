"""A replica of the API, as far as it assigns runs."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from unittest.mock import AsyncMock, patch

import pytest_asyncio

from echomind_lib.conversations.questions import FirstQuestion, NextQuestion, Submission, submit
from echomind_lib.conversations.questions.submission import store
from echomind_lib.models.public import RunOptions
from echomind_lib.runs.assignment import Agents
from tests.drivers.agent import Agent
from tests.drivers.wire import unheard

TIMEOUT = 0.5


class Replica:
    """A replica of the API, which assigns runs to the agents that it hears."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self.agents = Agents(agent.log, timeout=TIMEOUT)
        self.task = asyncio.create_task(self.agents.run())

    @property
    def free(self) -> int:
        """How many runs may be assigned now, as far as agents have announced it."""
        return sum(max(0, known.free) for known in self.agents._agents.values())

    async def settles(self) -> None:
        """Waits until it has done what it does in the background."""
        await asyncio.gather(*self.agents._tasks)

    async def knows(self, slots: int) -> None:
        """Waits until it knows of so many free slots."""
        async with asyncio.timeout(60):
            while self.free != slots:  # noqa: ASYNC110 - and it does not tell
                await asyncio.sleep(0.01)

    async def ask(self, content: str = "What?", session_id: int | None = None, **named: Any) -> Submission:
        user_id = named.pop("user_id", self._agent.rows.user_id)
        options = RunOptions.model_validate(named.pop("options", {}))
        question = (
            FirstQuestion(user_id=user_id, content=content, options=options)
            if session_id is None
            else NextQuestion(user_id=user_id, content=content, session_id=session_id, options=options)
        )
        return await submit(self._agent.log, question, agents=self.agents, **named)

    def losing(self) -> Any:
        """Loses the messages that assign runs."""
        return patch.object(self.agents, "send", AsyncMock())

    async def store_only(self) -> Submission:
        """Stores a question as a process does that is killed after its commit."""
        question = FirstQuestion(user_id=self._agent.rows.user_id, content="What?")
        with self.agents.reserve(question.user_id) as reservation:
            assert reservation is not None
            with unheard(), patch.object(self.agents, "expect"):
                return await store(self._agent.log, question, reservation)


@pytest_asyncio.fixture(loop_scope="session")
async def replica(agent: Agent) -> AsyncIterator[Replica]:
    replica = Replica(agent)
    yield replica
    replica.task.cancel()
    await asyncio.gather(replica.task, return_exceptions=True)
