"""The kinds of learning from sessions. No other module defines them."""

from dataclasses import dataclass
from typing import Final

from echomind_lib.db.words import LearningKind
from echomind_lib.jobs import EXTRACT_KNOWLEDGE, EXTRACT_MEMORIES, JobKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """A kind of learning."""

    kind: LearningKind
    """As stored in `session_learnings.kind`."""
    job: JobKind
    """The job that executes it. The subject is the session."""


MEMORIES: Final = Learning(kind="memory", job=EXTRACT_MEMORIES)
KNOWLEDGE: Final = Learning(kind="knowledge", job=EXTRACT_KNOWLEDGE)
LEARNINGS: Final = (MEMORIES, KNOWLEDGE)
"""All kinds of learning."""
