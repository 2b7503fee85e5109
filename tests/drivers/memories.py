"""A person's memories on real servers: written, found, extracted from conversations that rest."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest_asyncio
from cryptography.fernet import Fernet

from echomind_agent.learning.extraction import Changes, SessionExtraction
from echomind_agent.learning.memory.extraction import MEMORY_EXTRACTION
from echomind_agent.llms.models import ChatModels
from echomind_ingestor.facts.indexing import FactIndexing
from echomind_lib.events.log import EventLog
from echomind_lib.jobs import INDEX_FACTS, Job, enqueue, lease
from echomind_lib.learned.facts import FactVectors
from echomind_lib.learned.sessions import find_idle_sessions
from echomind_lib.llms import open_model_session
from echomind_lib.secrets import Secrets
from tests.drivers.agent import Agent
from tests.drivers.model_server import Text
from tests.drivers.stack import Stack
from tests.factories import rows as factories


class Memories:
    """The memories of the stack's person, and the workers of them that a test lets work."""

    def __init__(self, stack: Stack, log: EventLog, models: ChatModels) -> None:
        self.stack, self.pool, self.log = stack, stack.pool, log
        self.user_id = stack.rows.user_id
        self.facts = FactVectors(stack.pool, stack.vectors, stack.embeddings)
        self.extraction: SessionExtraction[Any, Any] = SessionExtraction(
            log, models, self.facts, 10.0, MEMORY_EXTRACTION
        )
        self._indexing = FactIndexing(stack.pool, self.facts)

    async def remember(self, content: str, **values: Any) -> int:
        """Stores a memory and its vector."""
        row = await factories.memory(self.pool, **{"user_id": self.user_id, "content": content, **values})
        await self.index()
        memory_id: int = row["id"]
        return memory_id

    async def index(self) -> None:
        """Lets the vectors follow."""
        await enqueue(self.pool, INDEX_FACTS)
        job = await lease.claim(self.pool, [INDEX_FACTS], self.stack.worker_id)
        assert job is not None
        await self._indexing.work(job)
        await lease.complete(self.pool, job, again_after=0)

    async def conversation(self, *turns: str, session_id: int | None = None, answer: str = "Noted.") -> int:
        """Returns a conversation of the person that has rested for 11 minutes; or more turns of one."""
        parent = None
        if session_id is None:
            assistant = await self.pool.fetchval("SELECT id FROM assistants")
            session = await factories.chat_session(self.pool, user_id=self.user_id, assistant_id=assistant)
            session_id = session["id"]
        else:
            parent = await self.pool.fetchval("SELECT head_message_id FROM chat_sessions WHERE id = $1", session_id)
        for turn in turns:
            for role, content in (("user", turn), ("assistant", answer)):
                row = await factories.chat_message(
                    self.pool, chat_session_id=session_id, role=role, content=content, parent_message_id=parent
                )
                parent = row["id"]
        await self.pool.execute(
            "UPDATE chat_sessions SET head_message_id = $2, last_message_at = now() - interval '11 minutes' "
            "WHERE id = $1",
            session_id,
            parent,
        )
        assert session_id is not None
        return session_id

    async def claim(self) -> Job | None:
        """Returns the job of a conversation that rests."""
        await find_idle_sessions(self.pool, self.log.bus, 10.0)
        return await lease.claim(self.pool, [self.extraction.kind], self.stack.worker_id)

    async def extract(self) -> Changes:
        """Extracts from all conversations that rest; what the last one changed."""
        changes = Changes()
        while (job := await self.claim()) is not None:
            changes = await self.extraction.work(job)
            assert await lease.complete(self.pool, job)
            await self.index()
        return changes

    async def rows(self, *, with_history: bool = False) -> list[Any]:
        """Returns the memories as stored, in order."""
        where = "" if with_history else "AND valid_to IS NULL"
        rows: list[Any] = await self.pool.fetch(
            f"SELECT * FROM agent_memories WHERE user_id = $1 {where} ORDER BY id",
            self.user_id,
        )
        return rows

    async def texts(self) -> list[str]:
        return [row["content"] for row in await self.rows()]

    async def until(self, condition: Callable[[list[Any]], bool]) -> list[Any]:
        """Waits for workers to have brought the memories to a state."""
        async with asyncio.timeout(60):
            while not condition(found := await self.rows()):  # noqa: ASYNC110 - another process does it
                await asyncio.sleep(0.05)
        return found


@pytest_asyncio.fixture(loop_scope="session")
async def memories(stack: Stack, agent: Agent) -> AsyncIterator[Memories]:
    """The memories of the agent's person. No worker runs yet."""
    async with open_model_session() as http:
        models = ChatModels(http, Secrets([Fernet.generate_key().decode()]), stack.embeddings)
        yield Memories(stack, agent.log, models)


def proposals(*items: dict[str, Any]) -> Text:
    """Returns a model's answer with operations."""
    return Text(json.dumps(items))


def person_messages(body: dict[str, Any]) -> dict[int, str]:
    """Returns the person's messages in a request for an extraction, by id."""
    text = body["messages"][1]["content"]
    found = {}
    for part in text.split('<person id="')[1:]:
        number, _, rest = part.partition('"')
        found[int(number)] = rest.partition(">\n")[2].partition("\n</person>")[0]
    return found


def candidates(body: dict[str, Any]) -> list[str]:
    """Returns the memories in a request for an extraction, in order."""
    text = body["messages"][1]["content"]
    return [part.partition(">\n")[2].partition("\n</memory>")[0] for part in text.split("<memory number=")[1:]]
