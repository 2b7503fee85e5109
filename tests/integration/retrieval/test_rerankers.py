"""Rerankers of servers: the four protocols, answers that cannot be used, and searches with and without them."""

from collections.abc import AsyncIterator
from typing import Any, get_args

import pytest
import pytest_asyncio

from echomind_lib.db.database import Database
from echomind_lib.db.words import RerankProtocol
from echomind_lib.llms import LlmAuthFailed, LlmError, LlmStreamBroken, LlmUnavailable, open_model_session
from echomind_lib.rerankers import active
from echomind_lib.rerankers.active import Rerankers
from echomind_lib.rerankers.endpoints import MAX_CHARACTERS, RerankerConfig, RerankerEndpoint
from echomind_lib.retrieval import Retriever
from echomind_lib.retrieval.reranking import UNRANKED
from echomind_lib.secrets import Secrets
from tests.drivers.rerank_server import RerankDouble, rerank_double
from tests.drivers.stack import Stack
from tests.factories import rows

KEY = "sk-of-the-reranker"
TEXTS = [f"Passage {number} is about {word}." for number, word in enumerate(["leave", "trains", "invoices"] * 15)]
QUESTION = "How many days of paid leave do employees get each year?"


@pytest_asyncio.fixture(loop_scope="session")
async def http() -> AsyncIterator[Any]:
    async with open_model_session() as session:
        yield session


@pytest_asyncio.fixture(loop_scope="session", params=get_args(RerankProtocol))
async def double(request: pytest.FixtureRequest) -> AsyncIterator[RerankDouble]:
    async with rerank_double(request.param) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def cohere() -> AsyncIterator[RerankDouble]:
    async with rerank_double("cohere") as running:
        yield running


def endpoint(double: RerankDouble, http: Any, **values: Any) -> RerankerEndpoint:
    given: dict[str, Any] = {"protocol": double.protocol, "endpoint": double.url, "model_id": "acme/rank", **values}
    return RerankerEndpoint(RerankerConfig(**given), http)


async def test_each_protocol_gives_the_scores_in_the_order_of_the_texts(double: RerankDouble, http: Any) -> None:
    double.api_key = KEY
    scores = await endpoint(double, http, api_key=KEY).scores("What is about trains?", TEXTS, 10)
    assert [score == max(scores) for score in scores] == ["trains" in text for text in TEXTS]
    batches = [32, 13] if double.protocol == "tei" else [45]
    sizes = [len(body.get("texts") or body["documents"]) for body in double.requests]
    assert sorted(sizes, reverse=True) == batches
    assert all(body["query"] == "What is about trains?" for body in double.requests)
    assert double.protocol == "tei" or double.requests[0]["model"] == "acme/rank"


async def test_long_texts_are_cut(cohere: RerankDouble, http: Any) -> None:
    await endpoint(cohere, http).scores("x", ["word " * MAX_CHARACTERS], 10)
    assert len(cohere.requests[0]["documents"][0]) == MAX_CHARACTERS


@pytest.mark.parametrize(
    ("protocol", "given", "url"),
    [
        ("cohere", "", "/v2/rerank"),
        ("cohere", "/v1", "/v1/rerank"),
        ("jina", "/v1/rerank", "/v1/rerank"),
        ("vllm", "/", "/v1/rerank"),
        ("tei", "/rerank", "/rerank"),
        ("tei", "/a", "/a/rerank"),
    ],
)
def test_addresses_are_completed(protocol: RerankProtocol, given: str, url: str) -> None:
    config = RerankerConfig(protocol=protocol, endpoint=f"http://gpu:8000{given}", model_id="m")
    assert config.url == f"http://gpu:8000{url}"


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"results": []},
        {"results": [{"index": 0, "relevance_score": 1}]},
        {"results": [{"index": 0, "relevance_score": 1}, {"index": 0, "relevance_score": 0}]},
        {"results": [{"index": 0, "relevance_score": 1}, {"index": 2, "relevance_score": 0}]},
        {"results": [{"index": 0, "relevance_score": 1}, {"index": 1, "relevance_score": "high"}]},
    ],
)
async def test_answers_without_a_score_for_each_text_are_refused(
    cohere: RerankDouble, http: Any, answer: object
) -> None:
    cohere.answer = answer
    with pytest.raises(LlmStreamBroken, match="cannot be used"):
        await endpoint(cohere, http).scores("x", ["a", "b"], 10)


async def test_errors_of_the_server_are_told_without_the_key(cohere: RerankDouble, http: Any) -> None:
    cohere.api_key = KEY
    with pytest.raises(LlmAuthFailed) as caught:
        await endpoint(cohere, http, api_key="sk-wrong").scores("x", ["a"], 10)
    assert "sk-" not in str(caught.value)
    cohere.is_away = True
    with pytest.raises(LlmUnavailable):
        await endpoint(cohere, http).scores("x", ["a"], 10)
    with pytest.raises(LlmError, match="cannot be reached"):
        await endpoint(cohere, http, endpoint="http://127.0.0.1:9").scores("x", ["a"], 10)


@pytest_asyncio.fixture(loop_scope="session")
async def retriever(stack: Stack, database: Database) -> AsyncIterator[Retriever]:
    connector_id = await stack.rows.connector("org")
    for number in range(4):
        await stack.index(
            f"Employees get {20 + number} days of paid leave each year.", f"{number}.txt", connector_id=connector_id
        )
    secrets = Secrets(["A" * 43 + "="])
    rerankers = Rerankers(stack.pool, lambda: secrets)
    yield Retriever(database, stack.vectors, stack.embeddings, stack.objects, rerankers=rerankers)
    await rerankers.close()


async def activate(stack: Stack, double: RerankDouble, **values: Any) -> None:
    given = {"endpoint": double.url, "protocol": double.protocol, "is_active": True}
    async with stack.pool.acquire() as connection:
        await rows.reranker(connection, **given | values)


async def test_a_search_has_the_order_of_the_reranker_and_its_own_behind(
    stack: Stack, retriever: Retriever, cohere: RerankDouble
) -> None:
    cohere.answer = {"results": [{"index": index, "relevance_score": float(index)} for index in range(3)]}
    own = await retriever.search(stack.reader(), QUESTION, limit=4)
    assert (cohere.requests, len(own), own.unranked) == ([], 4, "")
    await activate(stack, cohere, candidates=3)
    retriever._removals._read_at = -1  # the search that finds it, a second later
    found = await retriever.search(stack.reader(), QUESTION, limit=4)
    order = [own[2], own[1], own[0], own[3]]
    assert [hit.chunk_id for hit in found] == [hit.chunk_id for hit in order]
    assert [hit.rank_score for hit in found][:3] == [2.0, 1.0, 0.0]
    assert cohere.requests[0]["query"] == QUESTION
    assert "days of paid leave" in cohere.requests[0]["documents"][0]
    # It looks further than what is shown.
    (best,) = await retriever.search(stack.reader(), QUESTION, limit=1)
    assert best.chunk_id == own[2].chunk_id
    assert len(cohere.requests) == 2
    # People choose the other modes to see their order.
    await retriever.search(stack.reader(), QUESTION, mode="lexical")
    await retriever.search(stack.reader(), QUESTION, mode="dense")
    assert len(cohere.requests) == 2


@pytest.mark.parametrize("failure", ["away", "slow", "broken", "refused"])
async def test_a_search_keeps_its_order_and_says_so_while_the_reranker_fails(
    stack: Stack, retriever: Retriever, cohere: RerankDouble, failure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(active, "_DOWN_SECONDS", 600.0)  # however long the three searches take
    cohere.is_away, cohere.is_slow = failure == "away", failure == "slow"
    cohere.api_key = KEY if failure == "refused" else None
    cohere.answer = {"results": []} if failure == "broken" else None
    own = await retriever.search(stack.reader(), QUESTION)
    await activate(stack, cohere, timeout_ms=200)
    retriever._removals._read_at = -1
    for _ in range(3):  # the server is asked once, as others do not wait for it so soon
        found = await retriever.search(stack.reader(), QUESTION)
        assert [hit.chunk_id for hit in found] == [hit.chunk_id for hit in own]
        assert (found.unranked, found.missing) == (UNRANKED, "")
    assert len(cohere.requests) == 1


async def test_nothing_found_needs_no_reranker(stack: Stack, retriever: Retriever, cohere: RerankDouble) -> None:
    await activate(stack, cohere)
    found = await retriever.search(stack.reader(), QUESTION, connector_ids=[2**31 - 1])
    assert (list(found), found.unranked, cohere.requests) == ([], "", [])
