"""The built-in multilingual embedder: languages, speed of its graph against its weights, and its files."""

import numpy as np
import pytest

from echomind_lib.embeddings.bert_graph import build, import_openvino
from echomind_lib.embeddings.calibration import parts_of
from echomind_lib.embeddings.model_ids import MULTILINGUAL_E5
from echomind_lib.embeddings.multilingual_e5 import MultilingualE5

PASSAGES = [
    "Jeder Mitarbeiter hat Anspruch auf 30 Tage Urlaub im Jahr.",
    "Der Drucker im dritten Stock druckt nur schwarz und weiß.",
    "员工每年享有三十天的带薪年假。",
    "三楼的打印机只能黑白打印。",
    "Trains are booked by the travel desk.",
    "Les factures sont payées dans les quinze jours.",
]


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


def test_similarities_spread_as_those_of_the_english_model(model: MultilingualE5) -> None:
    """The limits for evidence apply to both: what is unrelated is near 0, not at 0.7."""
    vectors = model.embed_passages(PASSAGES)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert abs(vectors[4] @ vectors[1]) < 0.35
    assert vectors[0] @ model.embed_query("Wie viel Urlaub bekomme ich?") > 0.4


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
