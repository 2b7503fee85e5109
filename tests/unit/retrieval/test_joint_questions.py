"""Questions that are embedded together: models are independent of each other, and each question is in its own trace."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import numpy as np
import pytest
import pytest_asyncio
from typing_extensions import override

from echomind_lib.embeddings.client import EmbeddingClient
from echomind_lib.embeddings.embedder import Vectors
from echomind_lib.embeddings.traces import TracedEmbeddingClient
from echomind_lib.errors import DependencyUnavailableError
from echomind_lib.pb.echomind.internal.v1 import embedding_pb2
from echomind_lib.telemetry import names, spans
from echomind_lib.telemetry.spans import Span, Value


class _Models(EmbeddingClient):
    """Has the model `up`, and `down`, which fails when it is told to."""

    def __init__(self) -> None:
        super().__init__("127.0.0.1:1")
        self.fails = asyncio.Event()

    @override
    async def _query_vectors(self, texts: Sequence[str], model_id: str) -> Vectors:
        if model_id == "down":
            await self.fails.wait()
            raise DependencyUnavailableError("It is down.", dependency="embedding")
        return np.array([[len(text)] for text in texts], np.float32)


async def test_a_model_that_is_down_neither_delays_nor_fails_questions_for_another() -> None:
    client = _Models()
    down = asyncio.ensure_future(client.embed_query("where", "down"))
    up = [asyncio.ensure_future(client.embed_query(text, "up")) for text in ("who", "when")]
    async with asyncio.timeout(30):
        assert [vector.tolist() for vector in await asyncio.gather(*up)] == [[3], [4]]
    client.fails.set()
    with pytest.raises(DependencyUnavailableError, match="down"):
        await down
    await client.close()


class _Counted(_Models):
    """Counts the texts of each request; those for `slow` are answered when they are allowed."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[list[str]] = []
        self.allowed = asyncio.Event()

    @override
    async def _query_vectors(self, texts: Sequence[str], model_id: str) -> Vectors:
        self.sent.append(list(texts))
        if model_id == "slow":
            await self.allowed.wait()
        return await super()._query_vectors(texts, model_id)


async def test_a_question_that_was_expected_is_embedded_once() -> None:
    client = _Counted()
    for text in ("who", "when", "who"):
        client.expect_query(text, "up")
    assert (await client.embed_query("who", "up")).tolist() == [3]
    assert (await client.embed_query("when", "up")).tolist() == [4]
    assert client.sent == [["who", "when"]], "in one request, as those of one step"
    await client.embed_query("who", "up")
    assert client.sent == [["who", "when"], ["who"]], "its vector is not kept once it was taken"
    await client.close()


async def test_whoever_stops_waiting_for_an_expected_question_ends_nobody_elses_request() -> None:
    client = _Counted()
    for text in ("who", "when"):
        client.expect_query(text, "slow")
    given_up, kept = (asyncio.ensure_future(client.embed_query(text, "slow")) for text in ("who", "when"))
    await asyncio.sleep(0)
    given_up.cancel()
    client.allowed.set()
    assert (await kept).tolist() == [4]
    assert given_up.cancelled()
    await client.close()


async def test_an_expected_question_that_fails_fails_its_search_alone() -> None:
    client = _Counted()
    client.fails.set()
    client.expect_query("never asked", "down")
    client.expect_query("where", "down")
    with pytest.raises(DependencyUnavailableError, match="down"):
        await client.embed_query("where", "down")
    assert (await client.embed_query("who", "up")).tolist() == [3]
    await client.close()


async def test_an_expected_question_that_nobody_asks_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("echomind_lib.process.expected._SECONDS", 0.0)
    client = _Counted()
    client.expect_query("who", "up")
    async with asyncio.timeout(30):
        while client._expected._results:  # noqa: ASYNC110
            await asyncio.sleep(0)
    await client.embed_query("who", "up")
    assert client.sent == [["who"], ["who"]]
    await client.close()


class _Recorder:
    has_content = False

    def __init__(self) -> None:
        self.spans: list[Span] = []

    def record(self, span: Span) -> None:
        self.spans.append(span)

    def is_sampled(self, trace_id: int) -> bool:
        return True

    def new_fields(self) -> dict[str, Value]:
        return {}


class _Traced(TracedEmbeddingClient):
    """Keeps the number of texts of each request, and the trace that it continues."""

    def __init__(self) -> None:
        super().__init__("127.0.0.1:1")
        self.sent: list[tuple[int, str | None]] = []

    @override
    async def _embed_within(
        self, request: embedding_pb2.EmbedRequest, seconds: float, metadata: tuple[tuple[str, str], ...]
    ) -> Vectors:
        self.sent.append((len(request.texts), dict(metadata).get(spans.TRACEPARENT)))
        return np.zeros((len(request.texts), 1), np.float32)


@pytest_asyncio.fixture
async def traced(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[_Traced, list[Span]]]:
    recorder, client = _Recorder(), _Traced()
    monkeypatch.setattr(spans, "recorder", recorder)
    yield client, recorder.spans
    await client.close()


async def _ask(client: EmbeddingClient, trace_id: int) -> Span:
    """Embeds a question in a trace; returns the span around it."""
    with spans.entered(Span(scope=spans.new_scope(trace_id), name="search")) as span:
        await client.embed_query(f"question {trace_id}", "m")
    return span


async def test_questions_of_several_traces_have_a_span_each_and_no_trace_has_their_request(
    traced: tuple[_Traced, list[Span]],
) -> None:
    client, recorded = traced
    searches = await asyncio.gather(*(_ask(client, trace_id) for trace_id in (7, 8, 9)))
    embedded = [span for span in recorded if span.attributes.get(names.OPERATION) == names.EMBEDDINGS]
    assert {(span.scope.trace_id, span.parent_id) for span in embedded} == {
        (search.scope.trace_id, search.span_id) for search in searches
    }
    assert [(span.name, span.attributes[names.TEXTS]) for span in embedded] == [("embeddings m", 1)] * 3
    assert client.sent == [(3, None)]


async def test_the_request_of_one_question_continues_its_trace(traced: tuple[_Traced, list[Span]]) -> None:
    client, recorded = traced
    await _ask(client, 7)
    embedded, _ = recorded
    assert embedded.name == "embeddings m"
    assert client.sent == [(1, embedded.headers()[spans.TRACEPARENT])]


async def test_a_question_is_not_embedded_before_its_search_whose_trace_its_request_continues(
    traced: tuple[_Traced, list[Span]],
) -> None:
    client, recorded = traced
    client.expect_query("question 7", "m")
    await _ask(client, 7)
    assert client.sent == [(1, recorded[0].headers()[spans.TRACEPARENT])]


async def test_passages_have_one_span_for_each_request(traced: tuple[_Traced, list[Span]]) -> None:
    client, recorded = traced
    with spans.entered(Span(scope=spans.new_scope(7), name="import")) as span:
        await client.embed_passages(["a", "b"], "m")
    embedded, _ = recorded
    assert (embedded.parent_id, embedded.attributes[names.TEXTS]) == (span.span_id, 2)
    assert client.sent == [(2, embedded.headers()[spans.TRACEPARENT])]
