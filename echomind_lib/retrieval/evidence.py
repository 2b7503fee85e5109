"""Limits from which a passage counts as evidence, by embedding model and by the languages of question and passage."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from echomind_lib.embeddings.model_ids import MULTILINGUAL_E5

if TYPE_CHECKING:
    from echomind_lib.embeddings.calibrated import Limits

_MINIMUM_OVERLAP: Final = 0.4
"""Minimum share of the question's words in evidence, if there is no cosine (German: 88 %)."""


_MEANING: Final = re.compile(
    r"^\W*(?:what\s+(?:do|does|did)\s+(?P<en>.+?)\s+(?:mean|stand\s+for)|what\s+is\s+the\s+meaning\s+of\s+(?P<of>.+?)"
    r"|was\s+(?:bedeute[nt]|heißt|besagt|ist\s+die\s+bedeutung\s+von)\s+(?P<de>.+?))\W*$",
    re.IGNORECASE,
)
"""A question for a meaning. A text that gives one seldom says so."""


def asked_about(question: str) -> str:
    """Returns a question without the words that only ask for a meaning: "error 809" of "What does error 809 mean?"."""
    match = _MEANING.match(question)
    return next(filter(None, match.groups())) if match else question


@dataclass(frozen=True, slots=True)
class EvidenceLimit:
    """The limit of a passage that may be evidence."""

    minimum: float
    """Minimum of the cosine plus the weighted share of the question's words."""
    words_weight: float

    def is_met(self, cosine: float | None, overlap: float) -> bool:
        """Returns whether a passage counts as evidence.

        Args:
            cosine: Its similarity to the question; None if there is none.
            overlap: The share of the question's words that it contains, 0 to 1.
        """
        if cosine is None:
            return overlap >= _MINIMUM_OVERLAP
        return cosine + self.words_weight * overlap >= self.minimum


ENGLISH_LIMIT: Final = EvidenceLimit(0.55, 0.5)
"""The limit of the English model. On three test sets, 98 % of the questions find such a passage in their own collection
and 3 % in another's."""

# The multilingual model: `bench/results/languages.md` has the shares of both kinds of questions by pair of languages.
_SAME_LANGUAGE: Final = EvidenceLimit(0.58, 0.5)
_ACROSS_LANGUAGES: Final = EvidenceLimit(0.28, 0.25)
"""Names and figures are the only words that texts of two languages share."""
_ACROSS_WITH_CHINESE: Final = EvidenceLimit(0.19, 0.25)
"""Vectors of Chinese texts are further from those of all other languages."""


_BUILT_IN: Final[Mapping[str, Mapping[str, EvidenceLimit]]] = {
    MULTILINGUAL_E5: {"same": _SAME_LANGUAGE, "across": _ACROSS_LANGUAGES, "across_zh": _ACROSS_WITH_CHINESE}
}


def evidence_limit(
    model_id: str, question_languages: frozenset[str], passage_language: str, measured: Limits | None = None
) -> EvidenceLimit:
    """Returns the limit for a passage.

    Args:
        model_id: The embedding model that the cosine is from.
        question_languages: ISO 639-1 codes of the question's likely languages.
        passage_language: That of the passage's document; empty if unknown.
        measured: What a test has measured of a server's model; None for a built-in one.
    """
    limits = _BUILT_IN.get(model_id, {})
    if measured is not None:
        limits = {name: EvidenceLimit(*values) for name, values in measured.items()}
    same = limits.get("same", ENGLISH_LIMIT)
    if not passage_language or passage_language in question_languages:
        return same
    with_chinese = "zh" in {passage_language, *question_languages}
    return limits.get("across_zh" if with_chinese else "across", limits.get("across", same))
