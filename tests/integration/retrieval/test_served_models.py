"""Embedding models of servers: both protocols, what servers refuse, and an index that is filled and searched."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import pytest
import pytest_asyncio

from echomind_agent.evidence.sources import Sources, render
from echomind_agent.extractive.model import ExtractiveModel
from echomind_ingestor.indexes.fill import IndexFilling
from echomind_ingestor.pipeline.processing import Processor
from echomind_lib.db.words import EmbeddingProtocol
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.embeddings.calibrated import Calibration
from echomind_lib.embeddings.endpoints import EndpointConfig, EndpointModel, measured
from echomind_lib.embeddings.minilm import MiniLm
from echomind_lib.embeddings.model_ids import ENDPOINT
from echomind_lib.embeddings.served import ServedModels
from echomind_lib.errors import DependencyUnavailableError
from echomind_lib.indexes import states
from echomind_lib.jobs import FILL_INDEXES, Job
from echomind_lib.learned.facts import FactVectors
from echomind_lib.llms import LlmAuthFailed, LlmError, LlmStreamBroken, open_model_session
from echomind_lib.process.retries import RetryPolicy
from echomind_lib.retrieval import Retriever
from echomind_lib.retrieval.search import BY_WORDS_ALONE
from echomind_lib.secrets import Secrets
from tests.drivers.embedding_server import EmbeddingDouble, embedding_double
from tests.drivers.stack import Stack

KEY = "sk-of-the-embedding-server"
TEXTS = [f"Passage {number} is about {word}." for number, word in enumerate(["leave", "trains", "invoices"] * 30)]
QUICK = RetryPolicy(first=0.01, longest=0.02)


@pytest.fixture(scope="module")
def minilm() -> MiniLm:
    return MiniLm()


@pytest_asyncio.fixture(loop_scope="session")
async def double(minilm: MiniLm) -> AsyncIterator[EmbeddingDouble]:
    async with embedding_double(minilm) as running:
        yield running


def config(double: EmbeddingDouble, protocol: EmbeddingProtocol = "openai", **values: Any) -> EndpointConfig:
    return EndpointConfig(protocol=protocol, endpoint=double.url, model_id="acme/embed", **values)


@pytest_asyncio.fixture(loop_scope="session")
async def http() -> AsyncIterator[Any]:
    async with open_model_session() as session:
        yield session


@pytest.mark.parametrize("protocol", ["openai", "tei"])
async def test_texts_are_sent_in_batches_with_their_prefix_and_vectors_come_back_in_order(
    double: EmbeddingDouble, http: Any, minilm: MiniLm, protocol: EmbeddingProtocol
) -> None:
    model = EndpointModel(config(double, protocol, passage_prefix="passage: ", query_prefix="query: "), http)
    vectors = await model.embed_passages(TEXTS, 30)
    assert sorted(len(request["texts"]) for request in double.requests) == [26, 32, 32]
    assert sorted(double.texts) == sorted(f"passage: {text}" for text in TEXTS)
    assert {request["protocol"] for request in double.requests} == {protocol}
    expected = minilm.embed_passages([f"passage: {text}" for text in TEXTS])
    expected[:, 0] += 1.2
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(vectors, expected, atol=2e-3)
    await model.embed_queries(["When are trains booked?"], 30)
    assert double.texts[-1] == "query: When are trains booked?"


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("", "/v1/embeddings"),
        ("/v1/", "/v1/embeddings"),
        ("/v1/embeddings", "/v1/embeddings"),
        ("/api/v3", "/api/v3/embeddings"),
    ],
)
def test_addresses_of_openai_servers_are_completed(given: str, url: str) -> None:
    model = EndpointConfig(protocol="openai", endpoint=f"http://gpu:8000{given}", model_id="m")
    assert model.url == f"http://gpu:8000{url}"


@pytest.mark.parametrize(
    ("given", "url"), [("", "/embed"), ("/", "/embed"), ("/embed", "/embed"), ("/a/info", "/a/embed")]
)
def test_addresses_of_tei_servers_are_completed(given: str, url: str) -> None:
    assert (
        EndpointConfig(protocol="tei", endpoint=f"http://gpu:8000{given}", model_id="m").url == f"http://gpu:8000{url}"
    )


@pytest.mark.parametrize("protocol", ["openai", "tei"])
async def test_requests_that_a_server_finds_too_large_are_divided(
    double: EmbeddingDouble, http: Any, protocol: EmbeddingProtocol
) -> None:
    double.most_texts = 8
    vectors = await EndpointModel(config(double, protocol), http).embed_passages(TEXTS[:32], 30)
    assert vectors.shape == (32, 384)
    assert sum(len(request["texts"]) <= 8 for request in double.requests) == 4


async def test_a_text_that_is_too_long_is_shortened_alone(double: EmbeddingDouble, http: Any) -> None:
    double.most_characters = 1000
    texts = [*TEXTS[:3], "long " * 600]
    vectors = await EndpointModel(config(double), http).embed_passages(texts, 30)
    assert vectors.shape == (4, 384)
    accepted = [
        text for request in double.requests if max(map(len, request["texts"])) <= 1000 for text in request["texts"]
    ]
    assert sorted(map(len, accepted))[:3] == sorted(map(len, TEXTS[:3]))
    assert 600 < max(map(len, accepted)) <= 1000


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_failures_that_may_pass_are_retried(double: EmbeddingDouble, http: Any, status: int) -> None:
    double.failures = [status, status]
    model = EndpointModel(config(double), http, retries=QUICK)
    assert (await model.embed_passages(TEXTS[:2], 30)).shape == (2, 384)
    assert len(double.requests) == 3


async def test_a_refused_key_is_not_retried_and_never_shown(double: EmbeddingDouble, http: Any) -> None:
    double.api_key = KEY
    with pytest.raises(LlmAuthFailed) as caught:
        await EndpointModel(config(double, api_key="sk-wrong-key"), http, retries=QUICK).embed_queries(["x"], 30)
    assert len(double.requests) == 1
    assert "401" in str(caught.value)
    assert "sk-wrong-key" not in str(caught.value)  # the server repeats it
    assert (await EndpointModel(config(double, api_key=KEY), http).embed_queries(["x"], 30)).shape == (1, 384)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"data": [{"embedding": [0.1, 0.2]}]}, "1 vectors for 2 texts"),
        ({"data": [{"embedding": [0.1, 0.2]}, {"embedding": [0.1]}]}, "same number"),
        ({"data": [{"embedding": [0.0, 0.0]}, {"embedding": [0.1, 0.2]}]}, "zero"),
        ({"data": [{"embedding": ["a"]}, {"embedding": ["b"]}]}, "no list of vectors"),
        ({"object": "list"}, "no list of vectors"),
        ([[0.1], [0.2]], "no list of vectors"),
    ],
)
async def test_an_answer_without_usable_vectors_is_an_error(
    double: EmbeddingDouble, http: Any, answer: Any, said: str
) -> None:
    double.answer = answer
    with pytest.raises(LlmStreamBroken, match=said):
        await EndpointModel(config(double), http, retries=replace(QUICK, attempts=2)).embed_passages(TEXTS[:2], 30)
    assert len(double.requests) == 2


async def test_link_local_addresses_are_refused_when_a_name_resolves_to_them(http: Any) -> None:
    model = EndpointModel(EndpointConfig(protocol="tei", endpoint="http://localhost:9", model_id="m"), http)
    with pytest.raises(LlmError, match="cannot be reached"):
        await model.embed_queries(["x"], 0.2)
    metadata = EndpointConfig(protocol="tei", endpoint="http://169.254.169.254/", model_id="m")
    with pytest.raises(ValueError, match=r"169\.254"):
        EndpointModel(metadata, http)


@dataclass
class Served:
    """An index of a server's model, which is not active yet."""

    stack: Stack
    id: int
    embeddings: EmbeddingClient
    filling: IndexFilling
    processor: Processor
    retriever: Retriever

    async def fill(self) -> None:
        now = await self.stack.pool.fetchval("SELECT now()")
        await self.filling.work(Job(id=1, kind=FILL_INDEXES.name, subject_id="", payload={}, attempt=1, claimed_at=now))

    async def activate(self) -> None:
        assert await states.begin(self.stack.pool, self.id)
        await self.fill()
        row = await self.row()
        assert row["is_active"], row["state_message"]

    async def row(self) -> Any:
        return await self.stack.pool.fetchrow("SELECT * FROM embedding_models WHERE id = $1", self.id)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def calibration(minilm: MiniLm) -> Calibration:
    """What is measured of the double's model, which embeds some hundred texts for it."""
    async with embedding_double(minilm) as double, open_model_session() as http:
        return await measured(EndpointModel(config(double), http), 60)


@pytest_asyncio.fixture(loop_scope="session")
async def served(
    stack: Stack, double: EmbeddingDouble, database: Any, calibration: Calibration, embedding_url: str
) -> AsyncIterator[Served]:
    """A model of the double in a stack whose clients can use it."""
    double.api_key = KEY
    secrets = Secrets(["A" * 43 + "="])
    index_id = await stack.pool.fetchval(
        "INSERT INTO embedding_models (model_id, model_name, model_dimension, sparse_encoder, chunker, endpoint,"
        " protocol, api_key, languages, calibration)"
        " VALUES ('acme/embed', 'Acme', $1, 'bm25-1', 'sections-200', $2, 'openai', $3, $4, $5) RETURNING id",
        calibration.dimension,
        double.url,
        secrets.encrypt(KEY),
        list(calibration.languages),
        calibration.to_json(),
    )
    embeddings = EmbeddingClient(embedding_url, served=ServedModels(stack.pool, lambda: secrets))
    filling = IndexFilling(stack.pool, stack.indexes, embeddings, FactVectors(stack.pool, stack.vectors, embeddings))
    processor = stack.processor
    processor._embeddings = embeddings
    yield Served(
        stack, index_id, embeddings, filling, processor, Retriever(database, stack.vectors, embeddings, stack.objects)
    )
    await embeddings.close()


async def test_the_test_finds_dimension_languages_and_means(double: EmbeddingDouble, http: Any, minilm: MiniLm) -> None:
    calibration = await measured(EndpointModel(config(double, "tei"), http), 60)
    assert (calibration.dimension, calibration.languages) == (384, ("en",))
    again = Calibration.from_json(calibration.to_json(), 384, ["en"])
    right, wrong = "Everybody has 30 days of leave a year.", "The printer on the third floor prints in black."
    texts = minilm.embed_passages([right, wrong, "How many days of leave do I have?"])
    texts[:, 0] += 1.2
    texts /= np.linalg.norm(texts, axis=1, keepdims=True)
    assert min(texts[:2] @ texts[2]) > 0.45  # all are similar, as they are moved away from the origin
    centred = again.centred_passages(texts[:2]) @ again.centred_queries(texts[2:])[0]
    assert centred[0] > 0.45
    assert centred[1] < 0.2
    assert again.limits["same"][0] == pytest.approx(0.55, abs=0.04)


async def test_an_index_of_a_server_is_filled_beside_and_searched(served: Served, double: EmbeddingDouble) -> None:
    stack = served.stack
    document_id = await stack.index("Everybody has 30 days of leave a year.", "leave.txt")
    await stack.index("The printer on the third floor prints in black and white.", "printer.txt")
    question = "How many days of leave do I get?"
    before = await served.retriever.search(stack.reader(), question)
    await served.activate()
    assert len(double.texts) >= 2
    hits = await served.retriever.search(stack.reader(), question)
    assert hits.missing == ""
    assert double.texts[-1] == question
    assert [hit.document_id for hit in hits] == [hit.document_id for hit in before]
    assert (hits[0].document_id, hits[0].is_evidence, hits[1].is_evidence) == (document_id, True, False)
    assert hits[0].cosine == pytest.approx(before[0].cosine, abs=0.12)
    info = await served.embeddings.get_model(f"{ENDPOINT}{served.id}")
    assert (info.model_id, info.dimension, list(info.languages)) == ("acme/embed", 384, ["en"])


async def test_while_the_server_is_away_search_is_by_words_and_it_comes_back_by_itself(
    served: Served, double: EmbeddingDouble
) -> None:
    stack = served.stack
    await stack.index("Everybody has 30 days of leave a year.", "leave.txt")
    await served.activate()
    double.is_away = True
    hits = await served.retriever.search(stack.reader(), "leave days")
    assert (hits.missing, len(hits), hits[0].cosine) == (BY_WORDS_ALONE, 1, None)
    sent = len(double.requests)
    assert (await served.retriever.search(stack.reader(), "leave")).missing == BY_WORDS_ALONE
    assert len(double.requests) == sent  # nobody waits for it again at once
    with pytest.raises(DependencyUnavailableError):
        await served.retriever.search(stack.reader(), "leave", mode="dense")
    double.is_away = False
    served.embeddings._served._known[f"{ENDPOINT}{served.id}"].down_until = 0
    hits = await served.retriever.search(stack.reader(), "leave days")
    assert hits.missing == ""
    assert hits[0].cosine is not None


async def test_the_built_in_model_quotes_by_words_while_the_server_is_away(
    served: Served, double: EmbeddingDouble
) -> None:
    await served.stack.index("Everybody has 30 days of leave a year.", "leave.txt")
    await served.activate()
    double.is_away = True
    model = ExtractiveModel(served.embeddings, served.retriever.active_model)
    hits = await served.retriever.search(served.stack.reader(), "How many days of leave a year?")
    text = await model._quote("How many days of leave a year?", [], render(Sources().add(hits)))
    assert "30 days" in text


async def test_documents_wait_for_the_server(served: Served, double: EmbeddingDouble) -> None:
    stack = served.stack
    await stack.index("Everybody has 30 days of leave a year.", "leave.txt")
    await served.activate()
    double.failures = [401]
    document_id = await stack.add("Trains are booked by the travel desk.", "trains.txt")
    with pytest.raises(DependencyUnavailableError):
        await stack.process(document_id)
    row = await stack.document(document_id)
    assert row["status"] == "pending"
    assert "cannot be used: tell an administrator" in row["status_message"]
    await stack.process(document_id)
    assert (await stack.document(document_id))["status"] == "completed"
    hits = await served.retriever.search(stack.reader(), "Who books trains?")
    assert hits[0].document_id == document_id


async def test_a_server_with_another_model_is_found_out(served: Served, double: EmbeddingDouble) -> None:
    stack = served.stack
    await stack.index("Everybody has 30 days of leave a year.", "leave.txt")
    double.dimension = 512
    assert await states.begin(stack.pool, served.id)
    await served.fill()
    row = await served.row()
    assert (row["is_active"], row["index_state"]) == (False, "building")
    assert "cannot be used: tell an administrator" in row["state_message"]
    assert "512 dimensions, and its index has 384" in row["state_message"]
    double.dimension = None
    await served.fill()
    assert (await served.row())["is_active"]


async def test_a_key_that_is_changed_is_used_soon(served: Served, double: EmbeddingDouble) -> None:
    model_id = f"{ENDPOINT}{served.id}"
    await served.embeddings.embed_query("leave", model_id)
    double.api_key = "sk-the-next-one"
    with pytest.raises(DependencyUnavailableError):
        await served.embeddings.embed_passages(["leave"], model_id)
    secrets = Secrets(["A" * 43 + "="])
    await served.stack.pool.execute(
        "UPDATE embedding_models SET api_key = $2 WHERE id = $1", served.id, secrets.encrypt("sk-the-next-one")
    )
    served.embeddings._served._known[model_id].read_at -= 6
    vectors = await served.embeddings.embed_passages(["leave"], model_id)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    await served.stack.pool.execute("UPDATE embedding_models SET deleted_date = now() WHERE id = $1", served.id)
    served.embeddings._served._known[model_id].read_at -= 6
    with pytest.raises(DependencyUnavailableError, match="was removed"):
        await served.embeddings.embed_query("leave", model_id)


async def test_concurrent_questions_and_passages_are_all_answered(served: Served, double: EmbeddingDouble) -> None:
    double.requests.clear()
    model_id = f"{ENDPOINT}{served.id}"
    questions = [served.embeddings.embed_query(f"question {number}", model_id) for number in range(20)]
    passages = [served.embeddings.embed_passages(TEXTS, model_id, background=True) for _ in range(2)]
    answers = await asyncio.gather(*questions, *passages)
    assert {answer.shape for answer in answers[:20]} == {(384,)}
    batches = [sent["texts"] for sent in double.requests if "question" in sent["texts"][0]]
    assert len(set(chain(*batches))) == sum(map(len, batches)) == 20
    assert len(batches) < 5, "questions that arrive together share a request"
    np.testing.assert_allclose(answers[20], answers[21], atol=1e-5)
