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
"""Code points that a token stands for at most, blanks included, in text that anybody reads."""
MAX_TEXT_BYTES = 8 * 2**20
"""Most text of one request to an embedder, in UTF-8."""


class Embedder(Protocol):
    """A model that turns texts into unit vectors whose dot product is their likeness.

    Calls block and are not safe from several threads at once: one thread owns an embedder.
    """

    model_id: str
    """Names the model and the way it is run; vectors of one name are comparable."""
    dimension: int
    """Numbers of a vector."""
    max_tokens: int
    """Maximum tokens of a text, including the model's special tokens; longer texts are truncated."""
    languages: tuple[str, ...]
    """ISO 639-1 codes of the languages that it serves well."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of passages, in their order."""
        ...

    def embed_batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors]]:
        """Embeds as `embed_passages`, in slices of some tens of milliseconds; yields positions and vectors.

        The slices come in any order, some without a text. Between two of them the caller may use the embedder.
        """
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Vector of a question, `[dimension]`."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of a text as the model sees it, uncut, without its marks."""
        ...
