"""Recall of the user's memories about the question, for the prompt of their run."""

from collections.abc import Sequence
from typing import Final

import asyncpg
import structlog

from echomind_agent.evidence.claims import Statement
from echomind_agent.text.memory_lines import memory_line
from echomind_lib.errors import DependencyUnavailableError
from echomind_lib.learned.facts import FactVectors
from echomind_lib.learned.memories import Memory, Ranked, find_memories
from echomind_lib.learned.memories.changes import record_use
from echomind_lib.learned.memories.recalled import store_recalled
from echomind_lib.learned.memories.rows import read_memories
from echomind_lib.llms.tokens import TokenCounter
from echomind_lib.retrieval import detect_language
from echomind_lib.runs.asker import read_principal
from echomind_lib.runs.fence import RunLease

log = structlog.get_logger(__name__)

MAX_MEMORIES: Final = 8
"""Maximum number of memories in a prompt."""
MAX_TOKENS: Final = 600
"""Maximum tokens of all of them."""
_LEAST_SHARE: Final = 0.5
"""Minimum share of a memory's terms beyond the question in an answer that has used it."""


class Recall:
    """Finds memories for runs, and counts which of them answers have used."""

    def __init__(self, pool: asyncpg.Pool, facts: FactVectors) -> None:
        self._pool, self._facts = pool, facts

    async def for_run(self, lease: RunLease, count: TokenCounter) -> list[Memory]:
        """Returns the memories for the prompt of a run, best first, and stores their ids with its answer.

        Nothing is read for a user without memories, or whose memory is switched off. A run continues without memories
        if the search fails.

        Args:
            lease: The run.
            count: Counts tokens.

        Raises:
            LeaseLostError: The worker no longer holds the run.
        """
        run = lease.run
        if not (run.is_root and run.message_id and run.memory.is_on and run.memory.has_any):
            return []
        principal = await read_principal(self._pool, run.user_id)
        try:
            found = await find_memories(self._pool, self._facts, principal, run.input, MAX_MEMORIES)
        except DependencyUnavailableError as error:
            log.warning("answering without memories", run_id=str(run.id), error=str(error))
            return []
        chosen = fitting(found, count)
        if chosen or run.memory.ids:
            await store_recalled(self._pool, lease, [memory.id for memory in chosen], untrusted=is_untrusted(chosen))
        return chosen

    async def contents(self, user_id: int, memory_ids: Sequence[int]) -> list[str]:
        """Returns the texts of those of a person's memories that still exist."""
        principal = await read_principal(self._pool, user_id)
        return [memory.content for memory in await read_memories(self._pool, principal, memory_ids)]

    async def record_use(self, lease: RunLease, memory_ids: Sequence[int], answer: str) -> None:
        """Counts a use of those memories in a prompt that the answer has used."""
        if not memory_ids:
            return
        run = lease.run
        memories = await read_memories(self._pool, await read_principal(self._pool, run.user_id), memory_ids)
        if used := [memory.id for memory in memories if is_used(memory.content, run.input, answer)]:
            await record_use(self._pool, run.user_id, used)


def fitting(found: Sequence[Ranked], count: TokenCounter) -> list[Memory]:
    """Returns the first memories that fit into a prompt."""
    chosen: list[Memory] = []
    left = MAX_TOKENS
    for each in found:
        left -= count(memory_line(each.memory)) + 1
        if left < 0:
            break
        chosen.append(each.memory)
    return chosen


def is_untrusted(memories: Sequence[Memory]) -> bool:
    """Returns whether one of the memories is based on untrusted text, or may be taken from a document."""
    return any(memory.trust == "derived" or memory.has_sources for memory in memories)


def is_used(memory: str, question: str, answer: str) -> bool:
    """Returns whether an answer contains what a memory says beyond the question."""
    language = detect_language(answer)
    stated = Statement(answer, language)
    asked, known = Statement(question, language), Statement(memory, language)
    figures = known.figures - asked.figures
    if figures and not figures & stated.figures:
        return False
    terms = known.terms - asked.terms - _OF_ALL
    return bool(terms) and len(terms & stated.terms) >= _LEAST_SHARE * len(terms)


_OF_ALL: Final = Statement("The person user prefers likes wants is", "en").terms
"""Terms of the phrasing of memories, which are not specific to their content."""
