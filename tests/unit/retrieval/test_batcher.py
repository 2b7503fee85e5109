"""The queue of the embedder: questions first, all callers together, bounded."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from echomind_lib.embeddings import batcher as batcher_module
from echomind_lib.embeddings.batcher import Batcher, Priority
from echomind_lib.embeddings.embedder import Vectors
from echomind_lib.errors import OverloadedError
from tests.factories.embedders import LengthEmbedder


class Caller:
    """Embeds texts of one model."""

    def __init__(self, batcher: Batcher, embedder: LengthEmbedder) -> None:
        self.batcher, self.embedder = batcher, embedder

    async def embed(self, texts: list[str], *, query: bool) -> Vectors:
        return await self.batcher.embed(self.embedder, texts, Priority.QUERY if query else Priority.PASSAGE)

    async def embed_later(self, texts: list[str]) -> Vectors:
        return await self.batcher.embed(self.embedder, texts, Priority.BACKGROUND)


@asynccontextmanager
async def running(embedder: LengthEmbedder, **limits: int) -> AsyncIterator[Caller]:
    batcher = Batcher(**limits)
    try:
        yield Caller(batcher, embedder)
    finally:
        await batcher.close()


class Gate:
    """Holds the model back until it is opened."""

    def __init__(self) -> None:
        self.reached = threading.Semaphore(0)
        self.open = threading.Semaphore(0)

    def __call__(self) -> None:
        self.reached.release()
        self.open.acquire()


async def test_vectors_in_the_order_of_the_texts() -> None:
    async with running(LengthEmbedder()) as batcher:
        vectors = await batcher.embed(["a", "bbb", "cc"], query=False)
    assert vectors.tolist() == [[1, 1], [3, 1], [2, 1]]


async def test_memory_of_passages_is_given_back_once(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Semaphore(0)
    monkeypatch.setattr(batcher_module, "release_freed_memory", released.release)
    monkeypatch.setattr(batcher_module, "_QUIET_SECONDS", 0.01)
    async with running(LengthEmbedder()) as batcher:
        await batcher.embed(["who"], query=True)
        assert not await asyncio.to_thread(released.acquire, timeout=0.1), "questions take little"
        await batcher.embed(["a"], query=False)
        assert await asyncio.to_thread(released.acquire, timeout=60)
        assert not await asyncio.to_thread(released.acquire, timeout=0.1)
        assert (await batcher.embed(["a"], query=False)).tolist() == [[1, 1]]


async def test_question_waits_for_one_call_only() -> None:
    embedder, gate = LengthEmbedder(), Gate()
    embedder.before_call = gate
    async with running(embedder) as batcher:
        passages = asyncio.ensure_future(batcher.embed(["a"] * 6, query=False))
        await asyncio.to_thread(gate.reached.acquire)
        question = asyncio.ensure_future(batcher.embed(["who"], query=True))
        await asyncio.sleep(0)
        gate.open.release()
        assert (await question).tolist() == [[3, 0]]
        assert embedder.calls == [["a", "a"], ["query who"]]
        gate.open.release(2)
        assert len(await passages) == 6


async def test_question_does_not_wait_until_all_passages_are_tokenized() -> None:
    embedder, gate = LengthEmbedder(), Gate()
    embedder.before_call, embedder.empty_slices = gate, 3
    async with running(embedder) as batcher:
        passages = asyncio.ensure_future(batcher.embed(["a", "a"], query=False))
        await asyncio.to_thread(gate.reached.acquire)
        question = asyncio.ensure_future(batcher.embed(["who"], query=True))
        await asyncio.sleep(0)
        gate.open.release()
        assert (await question).tolist() == [[3, 0]]
        assert embedder.calls == [["query who"]]
        gate.open.release(3)
        assert len(await passages) == 2


async def test_caller_with_many_questions_does_not_keep_others_waiting() -> None:
    embedder, gate = LengthEmbedder(), Gate()
    embedder.before_query = gate
    texts = [f"a{number:02}" for number in range(18)]
    async with running(embedder) as batcher:
        many = asyncio.ensure_future(batcher.embed(texts, query=True))
        await asyncio.to_thread(gate.reached.acquire)
        single = asyncio.ensure_future(batcher.embed(["b"], query=True))
        await asyncio.sleep(0)
        gate.open.release(2)
        assert (await single).tolist() == [[1, 0]]
        gate.open.release(1)
        assert (await many).tolist() == [[3, 0]] * 18
    queries = [f"query {text}" for text in texts]
    assert embedder.calls == [queries[:8], ["query b", *queries[8:15]], queries[15:]]


async def test_questions_that_wait_share_model_calls() -> None:
    embedder, gate = LengthEmbedder(), Gate()
    embedder.before_query = gate
    async with running(embedder) as batcher:
        other = Caller(batcher.batcher, LengthEmbedder())
        jobs = [asyncio.ensure_future(batcher.embed(["x"], query=True))]
        await asyncio.to_thread(gate.reached.acquire)
        jobs += [asyncio.ensure_future(batcher.embed(["y" * length], query=True)) for length in range(1, 11)]
        left = asyncio.ensure_future(batcher.embed(["left"], query=True))
        jobs.append(asyncio.ensure_future(other.embed(["of another model"], query=True)))
        jobs.append(asyncio.ensure_future(batcher.embed(["z"], query=True)))
        await asyncio.sleep(0)
        left.cancel()
        await asyncio.sleep(0)
        gate.open.release(4)
        lengths = [vectors[0][0] for vectors in await asyncio.gather(*jobs)]
    assert lengths == [1, *range(1, 11), 16, 1]
    assert [len(call) for call in embedder.calls] == [1, 8, 2, 1]
    assert other.embedder.calls == [["query of another model"]]


async def test_a_question_that_fails_ends_only_the_calls_that_share_it() -> None:
    async with running(LengthEmbedder()) as batcher:
        with pytest.raises(RuntimeError, match="broken question"):
            await batcher.embed(["broken"], query=True)
        assert (await batcher.embed(["fine"], query=True)).tolist() == [[4, 0]]


async def test_callers_share_model_calls() -> None:
    embedder, gate = LengthEmbedder(), Gate()
    embedder.before_call = gate
    async with running(embedder) as batcher:
        jobs = [asyncio.ensure_future(batcher.embed(["x"], query=False))]
        await asyncio.to_thread(gate.reached.acquire)
        jobs += [asyncio.ensure_future(batcher.embed([text], query=False)) for text in ("aa", "b", "ccc", "d")]
        await asyncio.sleep(0)
        gate.open.release(3)
        assert [vectors[0][0] for vectors in await asyncio.gather(*jobs)] == [1, 2, 1, 3, 1]
    assert embedder.calls == [["x"], ["aa", "b"], ["ccc", "d"]]


async def test_a_full_queue_rejects_items_and_stores_nothing() -> None:
    embedder, gate = LengthEmbedder(), Gate()
    embedder.before_call = gate
    async with running(embedder, max_passages=2, max_queries=1) as batcher:
        first = asyncio.ensure_future(batcher.embed(["a"], query=False))
        await asyncio.to_thread(gate.reached.acquire)
        second = asyncio.ensure_future(batcher.embed(["b", "c"], query=False))
        question = asyncio.ensure_future(batcher.embed(["q"], query=True))
        await asyncio.sleep(0)
        with pytest.raises(OverloadedError):
            await batcher.embed(["d"], query=False)
        with pytest.raises(OverloadedError):
            await batcher.embed(["q2"], query=True)
        gate.open.release(2)
        await asyncio.gather(first, second, question)
    assert [text for call in embedder.calls for text in call] == ["a", "query q", "b", "c"]


async def test_texts_of_callers_that_left_are_not_computed() -> None:
    embedder, gate = LengthEmbedder(), Gate()
    embedder.before_call = gate
    async with running(embedder) as batcher:
        first = asyncio.ensure_future(batcher.embed(["a"], query=False))
        await asyncio.to_thread(gate.reached.acquire)
        left = asyncio.ensure_future(batcher.embed(["left"], query=False))
        await asyncio.sleep(0)
        left.cancel()
        await asyncio.sleep(0)
        gate.open.release(2)
        await first
        await batcher.embed(["c"], query=False)
    assert embedder.calls == [["a"], ["c"]]


async def test_a_failure_is_reported_and_the_thread_continues() -> None:
    async with running(LengthEmbedder()) as batcher:
        with pytest.raises(RuntimeError, match="broken text"):
            await batcher.embed(["broken"], query=False)
        assert (await batcher.embed(["fine"], query=False)).tolist() == [[4, 1]]


async def test_close_finishes_what_waits_and_refuses_more() -> None:
    embedder, gate = LengthEmbedder(), Gate()
    embedder.before_call = gate
    batcher = Batcher()
    caller = Caller(batcher, embedder)
    job = asyncio.ensure_future(caller.embed(["a", "b", "c"], query=False))
    await asyncio.to_thread(gate.reached.acquire)
    closing = asyncio.ensure_future(batcher.close())
    await asyncio.sleep(0)
    gate.open.release(2)
    assert len(await job) == 3
    await closing
    with pytest.raises(OverloadedError):
        await caller.embed(["d"], query=False)


async def test_passages_that_nobody_waits_for_come_last() -> None:
    embedder, gate = LengthEmbedder(), Gate()
    embedder.before_call = gate
    async with running(embedder) as caller:
        jobs = [asyncio.ensure_future(caller.embed(["x"], query=False))]
        await asyncio.to_thread(gate.reached.acquire)
        jobs.append(asyncio.ensure_future(caller.embed_later(["later"])))
        jobs.append(asyncio.ensure_future(caller.embed(["now"], query=False)))
        await asyncio.sleep(0)
        gate.open.release(3)
        await asyncio.gather(*jobs)
    assert embedder.calls == [["x"], ["now"], ["later"]]


async def test_each_text_is_embedded_by_its_own_model() -> None:
    first, second = LengthEmbedder(), LengthEmbedder()
    async with running(first) as caller:
        other = Caller(caller.batcher, second)
        texts = [(caller, ["a"]), (other, ["b", "c"]), (caller, ["d"]), (other, ["e"])]
        await asyncio.gather(*(each.embed(words, query=False) for each, words in texts))
    assert sorted(text for call in first.calls for text in call) == ["a", "d"]
    assert sorted(text for call in second.calls for text in call) == ["b", "c", "e"]
