"""The jobs that learn from idle sessions and failed runs."""

from collections.abc import Sequence
from typing import Any

from echomind_agent.learning.extraction import SessionExtraction
from echomind_agent.learning.idle_sessions import IdleSessions
from echomind_agent.learning.knowledge.extraction import KNOWLEDGE_EXTRACTION
from echomind_agent.learning.knowledge.lessons import LessonWriter
from echomind_agent.learning.memory.extraction import MEMORY_EXTRACTION
from echomind_agent.llms.models import ChatModels
from echomind_lib.events.log import EventLog
from echomind_lib.jobs import JobHandler
from echomind_lib.learned.facts import FactVectors


def learning_handlers(
    event_log: EventLog, models: ChatModels, facts: FactVectors, idle_minutes: float
) -> Sequence[JobHandler[Any]]:
    """Returns the handlers of the jobs.

    Args:
        event_log: The event log, whose database they read and write.
        models: The chat models, which propose what to learn.
        facts: The vectors of what is known.
        idle_minutes: Minutes without messages after which a session is idle.
    """
    return (
        IdleSessions(event_log.pool, event_log.bus, idle_minutes),
        SessionExtraction(event_log, models, facts, idle_minutes, MEMORY_EXTRACTION),
        SessionExtraction(event_log, models, facts, idle_minutes, KNOWLEDGE_EXTRACTION),
        LessonWriter(event_log, models, facts),
    )
