"""An index that is filled in slices, and what it must be able to do before it becomes active."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from echomind_ingestor.indexes import fill
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.events.log import LogTransaction
from echomind_lib.indexes import states
from echomind_lib.jobs import FILL_INDEXES, Job
from tests.drivers.index_filling import TEXTS, filling, found, other_index, run, state
from tests.drivers.stack import Stack


async def test_kept_indexes_get_what_is_published_while_another_one_is_filled(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fill, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(fill, "_DOCUMENTS", 1)
    for name, text in TEXTS.items():
        await stack.index(text, name)
    first_id = await stack.pool.fetchval("SELECT id FROM embedding_models WHERE is_active")
    second_id, _ = await other_index(stack)
    await states.begin(stack.pool, second_id)
    slices = 0
    while not await run(filling(stack)):
        slices += 1
    assert slices == 2, "one for each document that has text"
    assert await state(stack, second_id) == (True, None)
    third_id, _ = await other_index(stack)
    await states.begin(stack.pool, third_id)
    await stack.index("# Sabbatical\n\nA sabbatical takes half a year.", "sabbatical.md")
    assert not await run(filling(stack))
    await stack.index("# Parking\n\nParking costs nothing at night.", "parking.md")
    assert not await run(filling(stack))
    assert await state(stack, third_id) == (False, "building")
    async with stack.pool.acquire() as connection, connection.transaction():
        assert await states.switch(connection, first_id, "standby")
    assert "half a year" in (await found(stack, "How long is a sabbatical?"))[0]
    assert "at night" in (await found(stack, "What does parking cost?"))[0]
    while not await run(filling(stack)):
        pass
    assert await state(stack, third_id) == (True, None)
    assert "at night" in (await found(stack, "What does parking cost?"))[0]


async def test_a_slice_requests_the_next_one(stack: Stack) -> None:
    now = await stack.pool.fetchval("SELECT now()")
    job = Job(id=1, kind=FILL_INDEXES.name, subject_id="", payload={}, attempt=1, claimed_at=now)
    waiting = "SELECT count(*) FROM background_jobs WHERE kind = $1 AND status = 'pending' AND run_after <= now()"
    for is_filled, count in ((True, 0), (False, 1)):
        async with stack.pool.acquire() as connection, connection.transaction():
            transaction = cast("LogTransaction", SimpleNamespace(connection=connection))
            await filling(stack).completed(transaction, job, is_filled)
        assert await stack.pool.fetchval(waiting, FILL_INDEXES.name) == count


async def test_an_index_of_vectors_that_say_nothing_does_not_become_active(stack: Stack) -> None:
    for name, text in TEXTS.items():
        await stack.index(text, name)
    index_id, _ = await other_index(stack)
    await states.begin(stack.pool, index_id)
    same = np.full(384, 384**-0.5, np.float32)

    class Constant(EmbeddingClient):
        def __init__(self) -> None: ...

        async def embed_passages(self, texts: Any, model_id: str = "", *, background: bool = False) -> Any:
            return np.tile(same, (len(texts), 1))

        async def embed_query(self, text: str, model_id: str = "") -> Any:
            return same

    await run(filling(stack, Constant()))
    assert await state(stack, index_id) == (False, "building")
    message = await stack.pool.fetchval("SELECT state_message FROM embedding_models WHERE id = $1", index_id)
    assert "does not find documents by their own text" in message
    assert "30 days" in (await found(stack, "How many days of leave?"))[0]
