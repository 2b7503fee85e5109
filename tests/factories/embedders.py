"""Embedders made for tests."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from echomind_lib.embeddings.embedder import Vectors


class LengthEmbedder:
    """Gives each text's length as its vector; `before_call` runs before each model call of two passages."""

    model_id = "length"
    dimension = 2
    max_tokens = 100
    languages: tuple[str, ...] = ("en",)

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.before_call: Callable[[], None] = lambda: None
        self.before_query: Callable[[], None] = lambda: None
        self.empty_slices = 0

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        vectors = np.empty((len(texts), 2), dtype=np.float32)
        for rows, part in self.embed_batches(texts):
            vectors[rows] = part
        return vectors

    def embed_batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors]]:
        for _ in range(self.empty_slices):
            self.before_call()
            yield [], np.empty((0, 2), dtype=np.float32)
        for start in range(0, len(texts), 2):
            self.before_call()
            rows = list(range(start, min(start + 2, len(texts))))
            self.calls.append([texts[row] for row in rows])
            if "broken" in self.calls[-1]:
                raise RuntimeError("broken text")
            yield rows, np.array([[len(texts[row]), 1] for row in rows], dtype=np.float32)

    def embed_queries(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors]]:
        self.before_query()
        self.calls.append([f"query {text}" for text in texts])
        if "broken" in texts:
            raise RuntimeError("broken question")
        yield list(range(len(texts))), np.array([[len(text), 0] for text in texts], dtype=np.float32)

    def count_tokens(self, text: str) -> int:
        return len(text)
