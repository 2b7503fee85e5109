"""What a test measures of an unknown embedding model, so that its similarities can be used as those of a known one.

Similarities of models differ: those of one lie between 0.7 and 1, those of another around 0. The test embeds 24
questions and the passages that answer them in English, German and Chinese (`data/calibration_questions.json`). From
them follow:

- the languages that the model serves: those in which most questions are nearest to their own passage;
- the means of its vectors, which are subtracted from every vector, as the built-in multilingual model's are;
- the limits from which a passage counts as evidence. In one language they are placed between right and wrong passages
  where the limit of the English model is, which for the multilingual model gives the limit that was chosen for it on
  large sets. Between languages they are above the right passages' average: in a large index, wrong ones come closer
  than among 24.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from echomind_lib.embeddings.embedder import Vectors
from echomind_lib.embeddings.model_ids import MANY_LANGUAGES

_QUESTIONS: Final = Path(__file__).parent / "data" / "calibration_questions.json"
_SERVED: Final = 0.6
"""Least share of a language's questions that are nearest to their own passage; with the English model, 46 % of the
German ones are."""
_ENGLISH_LIMIT: Final = 0.55
"""The limit of the English model, for which these questions have the following similarities, without their mean."""
_ENGLISH_RIGHT: Final = 0.53
"""To the right passage, on average."""
_ENGLISH_NEAREST: Final = 0.18
"""To the nearest of the wrong ones."""
_SHARE_OF_RIGHT: Final = 0.7
"""How far the limit follows the right passages; it follows the nearest wrong ones as far as the rest."""
_BETWEEN: Final = 1.2
"""Where the limit between two languages is, from the nearest wrong passages (0) to the right ones (1) and beyond.
Chosen with the multilingual model without its own means, on one half of xquad; on the other half, 38 to 76 % of the
questions have evidence then, and 0 to 10 % of those without an answer (0.57: 86 to 98 and 34 to 80 %)."""
_WORDS: Final = 0.5
_WORDS_ACROSS: Final = 0.25
"""Weights of shared words, as for the built-in models."""

Limits = Mapping[str, Sequence[float]]
"""Minimum and weight of words for passages in the question's language (`same`), between two languages (`across`), and
between Chinese and another one (`across_zh`)."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Similarities of questions to passages, on average."""

    right: float
    """To the right passage."""
    nearest: float
    """To the nearest of the wrong ones."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was measured of a model."""

    dimension: int
    languages: tuple[str, ...]
    """ISO 639-1 codes of those that it serves; none if it does not find the right passages in any."""
    query_mean: Vectors
    """`[1, dimension]`."""
    passage_mean: Vectors
    """`[1, dimension]`."""
    limits: Limits
    found: int
    """Questions that are nearest to their own passage, in their own language."""
    asked: int

    def to_json(self) -> dict[str, Any]:
        """Returns it in the form in which it is stored."""
        return {
            "query_mean": _encoded(self.query_mean),
            "passage_mean": _encoded(self.passage_mean),
            "limits": {name: list(values) for name, values in self.limits.items()},
            "found": self.found,
            "asked": self.asked,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], dimension: int, languages: Sequence[str]) -> Self:
        """Returns a stored calibration."""
        return cls(
            dimension,
            tuple(languages),
            _decoded(stored["query_mean"]),
            _decoded(stored["passage_mean"]),
            stored["limits"],
            stored["found"],
            stored["asked"],
        )

    def centred_queries(self, vectors: Vectors) -> Vectors:
        """Returns vectors of questions without their mean, of unit length."""
        return without_mean(vectors, self.query_mean)

    def centred_passages(self, vectors: Vectors) -> Vectors:
        """Returns vectors of passages without their mean, of unit length."""
        return without_mean(vectors, self.passage_mean)


@cache
def questions() -> dict[str, list[tuple[str, str]]]:
    """Returns questions and the passages that answer them, by language."""
    stored = json.loads(_QUESTIONS.read_text(encoding="utf-8"))
    return {language: [(question, passage) for question, passage in pairs] for language, pairs in stored.items()}


def calibrate(queries: Mapping[str, Vectors], passages: Mapping[str, Vectors]) -> Calibration:
    """Returns what the vectors of `questions()` say of their model.

    Args:
        queries: Unit vectors of the questions by language, `[questions, dimension]`.
        passages: Those of their passages, in the same order.
    """
    found = {language: _found(queries[language], passages[language]) for language in queries}
    served = [language for language in queries if found[language] >= _SERVED * len(queries[language])]
    dimension = next(iter(queries.values())).shape[1]
    asked = sum(len(vectors) for vectors in queries.values())
    of_queries = [queries[language] for language in served or queries]
    of_passages = [passages[language] for language in served or queries]
    query_mean = np.concatenate(of_queries).mean(axis=0, keepdims=True)
    passage_mean = np.concatenate(of_passages).mean(axis=0, keepdims=True)
    centred = {
        language: (without_mean(queries[language], query_mean), without_mean(passages[language], passage_mean))
        for language in served
    }
    return Calibration(
        dimension,
        MANY_LANGUAGES if len(served) == len(queries) else tuple(served),
        query_mean,
        passage_mean,
        _limits(centred),
        sum(found.values()),
        asked,
    )


def without_mean(vectors: Vectors, mean: Vectors) -> Vectors:
    """Returns vectors without a direction that all share, of unit length."""
    rest = vectors - mean
    rest /= np.maximum(np.linalg.norm(rest, axis=1, keepdims=True), 1e-6)
    return rest


def _limits(centred: Mapping[str, tuple[Vectors, Vectors]]) -> Limits:
    """Returns the limits for vectors of questions and passages by language, without their means."""
    pairs = {
        (asked, answered): _measured(queries, passages)
        for asked, (queries, _) in centred.items()
        for answered, (_, passages) in centred.items()
    }
    same = _mean([each for (asked, answered), each in pairs.items() if asked == answered])
    limits: dict[str, Sequence[float]] = {}
    if same is not None:
        moved = _SHARE_OF_RIGHT * (same.right - _ENGLISH_RIGHT) + (1 - _SHARE_OF_RIGHT) * (
            same.nearest - _ENGLISH_NEAREST
        )
        limits["same"] = (_ENGLISH_LIMIT + moved, _WORDS)
    chinese = {key for key in pairs if "zh" in key}
    for name, chosen in (("across", pairs.keys() - chinese), ("across_zh", chinese)):
        across = _mean([pairs[key] for key in chosen if key[0] != key[1]])
        if across is not None:
            limits[name] = (across.nearest + _BETWEEN * (across.right - across.nearest), _WORDS_ACROSS)
    return limits


def _found(queries: Vectors, passages: Vectors) -> int:
    """Returns how many questions are nearest to their own passage, and to no other as near."""
    similarities = queries @ passages.T
    own = similarities.diagonal().copy()
    np.fill_diagonal(similarities, -2.0)
    return int((own > similarities.max(axis=1) + 1e-6).sum())


def _measured(queries: Vectors, passages: Vectors) -> Measured:
    similarities = queries @ passages.T
    own = float(similarities.diagonal().mean())
    np.fill_diagonal(similarities, -2.0)
    return Measured(own, float(similarities.max(axis=1).mean()))


def _mean(measured: Sequence[Measured]) -> Measured | None:
    if not measured:
        return None
    return Measured(
        float(np.mean([each.right for each in measured])), float(np.mean([each.nearest for each in measured]))
    )


def _encoded(mean: Vectors) -> str:
    return base64.b64encode(mean.astype("<f4").tobytes()).decode("ascii")


def _decoded(stored: str) -> Vectors:
    return np.frombuffer(base64.b64decode(stored), dtype="<f4")[None]
