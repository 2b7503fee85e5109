"""Encoders of BERT's architecture in 8-bit arithmetic on OpenVINO, without network."""

import platform
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from echomind_lib.embeddings.bert_graph import DIMENSION, import_openvino
from echomind_lib.embeddings.embedder import CHARACTERS_A_TOKEN, Vectors

_MAX_TEXTS = 8
_MAX_PADDED_TOKENS = 256
"""Maximum per model call. Larger calls are not faster per text, take more memory and delay queries."""
_SLICE_CHARACTERS = 16_384
"""Characters to tokenize before a query may be embedded in between: about 8 ms."""
_LENGTH_STEP = 16
"""Lengths are padded to a multiple of this, as each new length costs the runtime some milliseconds."""
_SHORT, _SHORT_STEP = 64, 4
"""The same for lengths up to this one: what is padded would be a third of a question."""


class Sums(Protocol):
    """The first layer of a model: the sums of the vectors of word, position and type.

    A look-up in numpy: inside the graph, the word table would be stored in 32 bits.
    """

    def of(self, tokens: Sequence[Sequence[int]]) -> dict[int, NDArray[np.float32]]:
        """Returns the inputs for one call: sums `[texts, length, 384]` and mask `[texts, length]`, both float32."""
        ...


class BertEmbedder:
    """An encoder whose vectors are the mean of its token vectors; an `Embedder`."""

    model_id: str
    dimension = DIMENSION
    max_tokens: int
    languages: tuple[str, ...]
    query_prefix = ""
    """Text that the model expects before a question."""
    passage_prefix = ""
    """Text that it expects before a passage."""

    def __init__(self, sums: Sums, graph: Any, threads: int) -> None:
        """Compiles the model.

        Args:
            sums: Its first layer.
            graph: The other layers.
            threads: Threads of one model call, 1 or more. 1 uses the least processor time in total.
        """
        self._sums = sums
        self._request = compile_model(graph, threads).create_infer_request()

    @abstractmethod
    def _encode(self, text: str) -> list[int]:
        """Returns the token ids of a text, without special tokens."""

    @abstractmethod
    def _enclosed(self, ids: list[int]) -> list[int]:
        """Returns token ids with the model's special tokens before and after them."""

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
            tokens.append(self._tokenize(self.passage_prefix + text))
            characters += len(text)
            if characters >= _SLICE_CHARACTERS:
                yield [], np.empty((0, self.dimension), dtype=np.float32)
                characters = 0
        yield from self._embed_all(tokens)

    def embed_queries(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors]]:
        """Embeds questions; yields the positions and vectors of those that share a model call, longest texts first."""
        return self._embed_all([self._tokenize(self.query_prefix + text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Returns the vector of a question, `[dimension]`."""
        ((_, vectors),) = self.embed_queries([text])
        vector: NDArray[np.float32] = vectors[0]
        return vector

    def count_tokens(self, text: str) -> int:
        """Returns the tokens of an untruncated text, without special tokens."""
        return len(self._encode(text))

    def _tokenize(self, text: str) -> list[int]:
        """Returns token ids with the model's special tokens, at most `max_tokens`."""
        text = text[: self.max_tokens * CHARACTERS_A_TOKEN]  # saves tokenizing the rest of a long text
        return self._enclosed(self._encode(text)[: self.max_tokens - 2])

    def _embed_all(self, tokens: Sequence[Sequence[int]]) -> Iterator[tuple[list[int], Vectors]]:
        for rows in batches([len(ids) for ids in tokens]):
            yield rows, self._embed([tokens[row] for row in rows])

    def _embed(self, tokens: Sequence[Sequence[int]]) -> Vectors:
        """Returns the vectors of token ids, in one model call."""
        vectors: Vectors = self._request.infer(self._sums.of(tokens), share_inputs=True)[0]
        return vectors


def padded_ids(tokens: Sequence[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Returns the token ids of texts and their mask, `[texts, length]` each, padded with 0."""
    length = padded(max(map(len, tokens)))
    ids = np.zeros((len(tokens), length), dtype=np.int32)
    mask = np.zeros((len(tokens), length), dtype=np.float32)
    for row, text in enumerate(tokens):
        ids[row, : len(text)] = text
        mask[row, : len(text)] = 1
    return ids, mask


def padded(length: int) -> int:
    """Returns the padded length of a text with this number of tokens."""
    step = _SHORT_STEP if length <= _SHORT else _LENGTH_STEP
    return -(-length // step) * step


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


def multiplies_bytes() -> bool:
    """Returns whether the processor multiplies 8-bit integers without overflow (VNNI); otherwise floats are as fast."""
    if platform.system() != "Linux":
        return False
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    return "avx512_vnni" in flags or "avx_vnni" in flags
