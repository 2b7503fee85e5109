"""The built-in multilingual embedder: languages, speed of its graph against its weights, and its files."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from typing_extensions import override

from echomind_agent.evidence.sources import Sources, render
from echomind_agent.extractive.model import ExtractiveModel
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.embeddings.bert import BertEmbedder
from echomind_lib.embeddings.bert_graph import build, import_openvino
from echomind_lib.embeddings.calibrated import calibrate, questions
from echomind_lib.embeddings.calibration import parts_of
from echomind_lib.embeddings.embedder import Vectors
from echomind_lib.embeddings.model_ids import MANY_LANGUAGES, MULTILINGUAL_E5
from echomind_lib.embeddings.multilingual_e5 import MultilingualE5
from echomind_lib.llms import ChatRequest, Message, ToolCall
from echomind_lib.llms.types import complete
from echomind_lib.pb.echomind.internal.v1 import embedding_pb2
from echomind_lib.retrieval import Hit

PASSAGES = [
    "Jeder Mitarbeiter hat Anspruch auf 30 Tage Urlaub im Jahr.",
    "Der Drucker im dritten Stock druckt nur schwarz und weiß.",
    "员工每年享有三十天的带薪年假。",
    "三楼的打印机只能黑白打印。",
    "Trains are booked by the travel desk.",
    "Les factures sont payées dans les quinze jours.",
]
QUOTED = "Zitate in der Sprache der Dokumente (Englisch):\n\nTrains are booked by the travel desk. [5]"


@pytest.fixture(scope="module")
def model() -> MultilingualE5:
    return MultilingualE5()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Wie viel Urlaub bekomme ich?", 0),
        ("我有多少天年假？", 2),
        ("打印机能彩色打印吗？", 3),
        ("Wer bucht die Bahnfahrt?", 4),
        ("When are invoices paid?", 5),
    ],
)
def test_questions_find_answers_of_other_languages(model: MultilingualE5, question: str, answer: int) -> None:
    cosines = model.embed_passages(PASSAGES) @ model.embed_query(question)
    assert int(cosines.argmax()) == answer


def test_calibration_finds_the_limit_that_was_chosen_for_the_model(model: MultilingualE5) -> None:
    """As if it were a server's: its raw vectors lie between 0.7 and 1."""
    queries, passages = {}, {}
    for language, pairs in questions().items():
        queries[language] = np.empty((len(pairs), 384), dtype=np.float32)
        for rows, vectors in BertEmbedder.embed_queries(model, [question for question, _ in pairs]):
            queries[language][rows] = vectors
        passages[language] = np.empty((len(pairs), 384), dtype=np.float32)
        for rows, vectors in BertEmbedder.embed_batches(model, [passage for _, passage in pairs]):
            passages[language][rows] = vectors
    raw = passages["en"] @ queries["en"].T
    assert raw.min() > 0.6
    calibration = calibrate(queries, passages)
    assert calibration.languages == MANY_LANGUAGES
    centred = calibration.centred_passages(passages["en"]) @ calibration.centred_queries(queries["en"]).T
    assert centred.diagonal().mean() - np.median(centred) > 0.35
    limits: dict[str, tuple[Any, ...]] = {name: tuple(values) for name, values in calibration.limits.items()}
    assert limits == {
        "same": (pytest.approx(0.58, abs=0.03), 0.5),
        "across": (pytest.approx(0.35, abs=0.03), 0.25),
        "across_zh": (pytest.approx(0.23, abs=0.03), 0.25),
    }


def test_similarities_spread_as_those_of_the_english_model(model: MultilingualE5) -> None:
    """The limits for evidence apply to both: what is unrelated is near 0, not at 0.7."""
    vectors = model.embed_passages(PASSAGES)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert abs(vectors[4] @ vectors[1]) < 0.35
    assert vectors[0] @ model.embed_query("Wie viel Urlaub bekomme ich?") > 0.4


class _Client(EmbeddingClient):
    """A client of a model in this process."""

    def __init__(self, model: MultilingualE5) -> None:
        self._model = model

    @override
    async def get_model(self, model_id: str = "") -> embedding_pb2.EmbeddingModelInfo:
        assert model_id == MULTILINGUAL_E5
        return embedding_pb2.EmbeddingModelInfo(languages=self._model.languages)

    @override
    async def embed_query(self, text: str, model_id: str = "") -> NDArray[np.float32]:
        assert model_id == MULTILINGUAL_E5
        return self._model.embed_query(text)

    @override
    async def embed_passages(self, texts: Sequence[str], model_id: str = "", *, background: bool = False) -> Vectors:
        assert model_id == MULTILINGUAL_E5
        return self._model.embed_passages(texts)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Von wem werden Zugreisen gebucht?", QUOTED),
        (
            "Von wem werden Zugreisen gebucht, und wie viel Urlaub im Jahr habe ich?",
            f"Jeder Mitarbeiter hat Anspruch auf 30 Tage Urlaub im Jahr. [1]\n\n{QUOTED}",
        ),
        ("Wie viel Urlaub im Jahr habe ich?", "Jeder Mitarbeiter hat Anspruch auf 30 Tage Urlaub im Jahr. [1]"),
        (
            "Wer gewann 1972 die Meisterschaft?",
            "Ihre Dokumente enthalten darauf keine Antwort, die ich zitieren könnte.",
        ),
    ],
)
async def test_the_built_in_model_says_in_which_language_it_quotes(
    model: MultilingualE5, question: str, expected: str
) -> None:
    async def active_model() -> str:
        return MULTILINGUAL_E5

    extractive = ExtractiveModel(_Client(model), active_model)
    sources = Sources()
    sources.add(
        Hit(f"c{index}", index, 1, "s", "", text, (), None, 0, len(text), 0.5, 0.5)
        for index, text in enumerate(PASSAGES, start=1)
    )
    found = Message("tool", render(sources), tool_call_id="s")
    asked = [Message("user", question), Message("assistant", "", [ToolCall("s", "search_documents")]), found]
    assert (await complete(extractive, ChatRequest(asked))).text == expected


def test_eight_bits_agree_with_the_published_weights(model: MultilingualE5) -> None:
    weights, sums, encode = parts_of(MULTILINGUAL_E5)
    exact = {"INFERENCE_PRECISION_HINT": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0}
    compiled = import_openvino().Core().compile_model(build(weights, {}), "CPU", exact)
    for passage in PASSAGES:
        published = compiled(sums.of([encode(passage)]))[0][0]
        mean = model._passage_mean
        ours = model.embed_passages([passage])[0]
        expected = (published - mean) / np.linalg.norm(published - mean)
        assert ours @ expected > 0.97


def test_a_long_text_is_cut_and_an_empty_one_has_a_vector(model: MultilingualE5) -> None:
    assert model.embed_passages(["Urlaub " * 5000, ""]).shape == (2, 384)
    assert model.count_tokens("Urlaub\n\tTage") == model.count_tokens("Urlaub Tage")
