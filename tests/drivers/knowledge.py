"""What a person knows, on real servers: kept by hand, and learned from conversations that rest."""

from collections.abc import AsyncIterator
from typing import Any

import pytest_asyncio
from cryptography.fernet import Fernet
from typing_extensions import override

from echomind_agent.learning.extraction import SessionExtraction
from echomind_agent.learning.knowledge.extraction import KNOWLEDGE_EXTRACTION
from echomind_agent.llms.models import ChatModels
from echomind_lib.events.log import EventLog
from echomind_lib.llms import open_model_session
from echomind_lib.secrets import Secrets
from tests.drivers.agent import Agent
from tests.drivers.memories import Memories, person_messages
from tests.drivers.stack import Stack
from tests.factories import rows as factories


class Learned(Memories):
    """The knowledge of the stack's person, and the worker of it that a test lets work."""

    def __init__(self, stack: Stack, log: EventLog, models: ChatModels) -> None:
        super().__init__(stack, log, models)
        self.extraction = SessionExtraction(log, models, self.facts, 10.0, KNOWLEDGE_EXTRACTION)

    async def know(self, title: str, content: str, **values: Any) -> int:
        """Stores an entity and its vector; as one that was learned, unless values say otherwise."""
        learned = {"user_id": self.user_id, "source_type": "conversation"} | dict.fromkeys(
            ("prior_alpha", "prior_beta", "alpha", "beta"), 2.0
        )
        row = await factories.knowledge(self.pool, **{**learned, "title": title, "content": content, **values})
        await self.index()
        knowledge_id: int = row["id"]
        return knowledge_id

    @override
    async def rows(self, *, with_history: bool = False) -> list[Any]:
        """Returns the entities as stored, in order."""
        rows: list[Any] = await self.pool.fetch("SELECT * FROM knowledge_entities ORDER BY id")
        return rows

    async def sources(self, knowledge_id: int) -> list[int]:
        """Returns the documents that an entity was drawn from."""
        rows = await self.pool.fetch(
            "SELECT document_id FROM knowledge_sources WHERE knowledge_id = $1 ORDER BY 1", knowledge_id
        )
        return [row["document_id"] for row in rows]


@pytest_asyncio.fixture(loop_scope="session")
async def learned(stack: Stack, agent: Agent) -> AsyncIterator[Learned]:
    """The knowledge of the agent's person. No worker runs yet."""
    async with open_model_session() as http:
        models = ChatModels(http, Secrets([Fernet.generate_key().decode()]), stack.embeddings)
        yield Learned(stack, agent.log, models)


def add(body: dict[str, Any], title: str, text: str, **values: Any) -> dict[str, Any]:
    """Returns an entity that a model proposes, said by all messages that it was shown."""
    given = {"op": "ADD", "messages": list(person_messages(body)), "category": "fact"}
    return given | {"title": title, "text": text} | values


def entries(body: dict[str, Any]) -> list[str]:
    """Returns the entities in a request for an extraction, in order."""
    text = body["messages"][1]["content"]
    return [part.partition(">\n")[2].partition("\n</knowledge>")[0] for part in text.split("<knowledge number=")[1:]]
