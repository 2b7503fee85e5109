"""The interface of an embedding model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Vectors: TypeAlias = "NDArray[np.float32]"
"""`[texts, dimension]`, rows of unit length."""
CHARACTERS_A_TOKEN = 32
"""Maximum code points per token in ordinary text, including spaces."""
MAX_TEXT_BYTES = 8 * 2**20
"""Maximum size of one request's texts in UTF-8."""


class Embedder(Protocol):
    """A model that turns texts into unit vectors whose dot product is their similarity.

    Calls block and are not thread-safe: one thread owns an embedder.
    """

    model_id: str
    """Id of the model and its arithmetic; vectors with the same id are comparable."""
    dimension: int
    """Dimension of a vector."""
    max_tokens: int
    """Maximum tokens of a text, including the model's special tokens; longer texts are truncated."""
    languages: tuple[str, ...]
    """ISO 639-1 codes of the languages that it supports well."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Returns the vectors of passages, in order."""
        ...

    def embed_batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors]]:
        """Embeds as `embed_passages`, in slices of some tens of milliseconds; yields positions and vectors.

        Slices are in any order, and may be empty. The caller may use the embedder between two of them.
        """
        ...

    def embed_queries(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors]]:
        """Embeds questions; yields the positions and vectors of those that share a model call, in any order."""
        ...

    def count_tokens(self, text: str) -> int:
        """Returns the tokens of an untruncated text, without special tokens."""
        ...
