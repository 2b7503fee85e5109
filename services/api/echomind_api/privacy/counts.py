"""How much of a person each store has."""

from typing import Final

from sqlalchemy import BigInteger, cast, func, literal, select, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.privacy.registry import STORES, Store
from echomind_lib.db import models as rows
from echomind_lib.models import public

_FILES: Final = "are deleted in the background within minutes, files of earlier versions within two hours"
_VECTORS: Final = "are deleted in the background within minutes"


async def counted(session: AsyncSession, user_id: int) -> list[public.ErasureItem]:
    """Returns what there is of a person in each store, without those that have nothing."""
    counts = union_all(
        *(
            select(literal(number).label("number"), func.count().label("found"))
            .select_from(rows.Base.metadata.tables[store.table])
            .where(store.rows(user_id))
            for number, store in enumerate(STORES)
        )
    )
    found = [(STORES[row.number], row.found) for row in await session.execute(counts) if row.found]
    return [_item(store, count) for store, count in found] + await _files_and_vectors(session, user_id)


async def _files_and_vectors(session: AsyncSession, user_id: int) -> list[public.ErasureItem]:
    [documents] = [store for store in STORES if store.table == "documents"]
    query = select(func.count(), cast(func.coalesce(func.sum(rows.Document.chunk_count), 0), BigInteger)).where(
        documents.rows(user_id)
    )
    files, passages = (await session.execute(query)).one()
    memories = select(func.count()).select_from(rows.AgentMemory).where(rows.AgentMemory.user_id == user_id)
    vectors = passages + (await session.scalar(memories) or 0)
    items = [("files", files, _FILES), ("vectors", vectors, _VECTORS)]
    return [
        public.ErasureItem(store=name, rule=public.ErasureRule.DELETE, count=count, reason=reason)
        for name, count, reason in items
        if count
    ]


def _item(store: Store, count: int) -> public.ErasureItem:
    rule = public.ErasureRule.from_word(store.rule)
    return public.ErasureItem(store=store.table, rule=rule, count=count, reason=store.reason)
