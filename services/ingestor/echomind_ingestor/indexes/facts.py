"""Copies memories and knowledge to the collection beside a new index."""

from typing import Final, get_args

import asyncpg

from echomind_lib.indexes import Index
from echomind_lib.learned.facts import FactKind, FactVectors
from echomind_lib.learned.facts.kinds import fact_ids, fact_texts

_AT_ONCE: Final = 64


async def copy_facts(pool: asyncpg.Pool, facts: FactVectors, index: Index) -> None:
    """Embeds all searchable facts for an index; existing vectors are replaced."""
    await facts.ensure(index)
    for kind in get_args(FactKind):
        after = 0
        while ids := await fact_ids(pool, kind, after, _AT_ONCE):
            if texts := await fact_texts(pool, kind, ids):
                await facts.store(index, kind, texts)
            after = ids[-1]
