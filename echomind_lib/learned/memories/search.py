"""Search in a person's memories."""

from datetime import UTC, datetime
from typing import Final

import asyncpg

from echomind_lib.access import Principal
from echomind_lib.db.words import MemoryType
from echomind_lib.learned.facts import FactVectors
from echomind_lib.learned.memories.ranking import Ranked, rank
from echomind_lib.learned.memories.rows import read_memories

_CANDIDATES: Final = 48
"""Number of candidates to rank: the most similar to the question."""
_QUERY_CHARACTERS: Final = 2_000


async def find_memories(
    pool: asyncpg.Pool,
    facts: FactVectors,
    reader: Principal,
    text: str,
    limit: int,
    *,
    memory_type: MemoryType | None = None,
) -> list[Ranked]:
    """Returns a person's memories about a text, best first.

    Args:
        pool: The database.
        facts: Their vectors.
        reader: The user, who finds their own memories if they may read the source documents.
        text: The text.
        limit: Maximum number of results.
        memory_type: Only memories of this type; None for all.

    Raises:
        DependencyUnavailableError: Vector index or embedding process do not respond.
    """
    found = await facts.search("memory", [f"user_{reader.user_id}"], text[:_QUERY_CHARACTERS], _CANDIDATES)
    cosines = {each.id: each.cosine for each in found}
    memories = await read_memories(pool, reader, list(cosines))
    matching = [memory for memory in memories if memory_type in (None, memory.memory_type)]
    return rank([(memory, cosines[memory.id]) for memory in matching], datetime.now(UTC))[:limit]
