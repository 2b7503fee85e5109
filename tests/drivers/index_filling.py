"""The job that fills indexes, and an index beside the active one."""

from typing import Any

from echomind_ingestor.indexes.fill import IndexFilling
from echomind_lib.embeddings.model_ids import MINILM
from echomind_lib.jobs import FILL_INDEXES, Job
from echomind_lib.learned.facts import FactVectors
from tests.drivers.stack import Stack

TEXTS = {
    "leave.md": "# Leave\n\nEverybody has 30 days of leave a year.\n\n## Abroad\n\nAbroad it is 25 days a year.",
    "travel.txt": "Trains are booked by the travel desk.\n\n" + "The desk answers within a day. " * 60,
    "empty.txt": " ",
}


async def other_index(stack: Stack, model_id: str = MINILM) -> tuple[int, str]:
    """Returns a second model of the same arithmetic, with its collection, which does not exist yet."""
    row = await stack.pool.fetchrow(
        "INSERT INTO embedding_models (model_id, model_name, model_dimension, sparse_encoder, chunker) "
        "VALUES ($1, 'Other', 384, 'bm25-1', 'sections-200') RETURNING id, collection",
        model_id,
    )
    assert row is not None
    return row["id"], row["collection"]


def filling(stack: Stack, embeddings: Any = None, vectors: Any = None) -> IndexFilling:
    given = embeddings or stack.embeddings
    facts = FactVectors(stack.pool, stack.vectors, given)
    job = IndexFilling(stack.pool, stack.indexes, given, facts)
    if vectors is not None:
        job._vectors = vectors
    return job


async def run(job: IndexFilling) -> bool:
    now = await job._pool.fetchval("SELECT now()")
    return await job.work(Job(id=1, kind=FILL_INDEXES.name, subject_id="", payload={}, attempt=1, claimed_at=now))


async def state(stack: Stack, index_id: int) -> tuple[bool, str | None]:
    row = await stack.pool.fetchrow("SELECT is_active, index_state FROM embedding_models WHERE id = $1", index_id)
    assert row is not None
    return row["is_active"], row["index_state"]


async def found(stack: Stack, query: str) -> list[str]:
    return [hit.text for hit in await stack.retriever.search(stack.reader(), query)]
