"""Updates the vectors of memories and knowledge after changes of their rows."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import asyncpg
import structlog
from typing_extensions import override

from echomind_lib.indexes import Index, active_index
from echomind_lib.jobs import INDEX_FACTS, Job, JobHandler
from echomind_lib.learned.facts.changes import Change, mark_indexed, note_all, oldest_changes
from echomind_lib.learned.facts.kinds import FactKind, fact_texts
from echomind_lib.learned.facts.vectors import FactVectors

log = structlog.get_logger(__name__)

_AT_ONCE: Final = 64


class FactIndexing(JobHandler[None]):
    """Embeds new and changed facts, and removes the vectors of closed and deleted ones.

    It is idempotent: a change is deleted only after its vector was updated, and only if the row has not changed again.
    """

    kind = INDEX_FACTS

    def __init__(self, pool: asyncpg.Pool, facts: FactVectors) -> None:
        self._pool, self._facts = pool, facts

    @override
    async def work(self, job: Job) -> None:
        """Processes all pending changes."""
        index = await active_index(self._pool)
        if index is None:
            return
        if not await self._facts.has_collection(index):
            # Noted before the collection is created, so that a crash in between loses no fact.
            await note_all(self._pool)
        await self._facts.ensure(index)
        while changes := await oldest_changes(self._pool, _AT_ONCE):
            await self._follow(index, changes)
            await mark_indexed(self._pool, changes)

    async def _follow(self, index: Index, changes: Sequence[Change]) -> None:
        ids: defaultdict[FactKind, list[int]] = defaultdict(list)
        for change in changes:
            ids[change.kind].append(change.fact_id)
        for kind, changed in ids.items():
            texts = await fact_texts(self._pool, kind, changed)
            if texts:
                await self._facts.store(index, kind, texts)
            if removed := sorted(set(changed) - {text.id for text in texts}):
                await self._facts.remove(kind, removed)
            log.info("fact vectors updated", kind=kind, stored=len(texts), removed=len(removed))
