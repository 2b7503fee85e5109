"""The services that all runs of a worker share."""

from dataclasses import dataclass

import asyncpg

from echomind_agent.execution.verification import Verifier
from echomind_agent.learning.memory.recall import Recall
from echomind_agent.llms.models import ChatModels
from echomind_agent.mcp import McpServers
from echomind_agent.toolset.registry import Registry
from echomind_lib.events.log import EventLog
from echomind_lib.learned.facts import FactVectors
from echomind_lib.messaging import Bus
from echomind_lib.retrieval import Retriever


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The connections, models and tools of a worker."""

    log: EventLog
    models: ChatModels
    tools: Registry
    mcp: McpServers
    facts: FactVectors
    retriever: Retriever
    verifier: Verifier | None = None
    """The second check of citations; None if it is off."""

    @property
    def recall(self) -> Recall:
        """Returns the recall of memories for prompts."""
        return Recall(self.pool, self.facts)

    @property
    def pool(self) -> asyncpg.Pool:
        """The database."""
        return self.log.pool

    @property
    def bus(self) -> Bus:
        """NATS."""
        return self.log.bus
