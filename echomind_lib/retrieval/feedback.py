"""Re-ranking by votes on passages: small, for questions similar to the rated ones, and smaller for others' votes.

A hit's score, as a share of the best of its pool, is multiplied by `1 + 0.1 tanh(sum / 0.3)`. The sum is over the votes
on that passage: each is weighted by its question's similarity to the current one, above 0.7.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from uuid import UUID

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from echomind_lib.retrieval.votes import Vote
    from echomind_lib.vectors import Found

POOL: Final = 30
"""Hits that votes can re-rank; later hits keep their ranks."""
_STRENGTH: Final = 0.1
_LIKENESS: Final = 0.7
"""Minimum cosine of similar questions."""
_WHOLE: Final = 1 - _LIKENESS
"""Weight of a vote on the same question, and the maximum weight of a person's votes on a passage."""
_AGREEING: Final = 2
"""Other people who must agree before their votes count; an editor's vote counts alone."""
_WORD: Final = re.compile(r"\w+")
_LEAST_CHARACTERS: Final = 24
"""Minimum length of a cited text to be searched in a chunk of a newer version; shorter ones may occur anywhere."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The current question, to be compared with rated ones."""

    reader_id: int
    """The asker."""
    model_id: str
    dense: NDArray[np.float32] | None
    """Its unit vector from that model."""
    terms: frozenset[int]
    """Ids of its terms."""


@dataclass(frozen=True, slots=True)
class EncodedQuestion:
    """A rated question in its stored form, see `RatedQuestion`."""

    terms: list[int]
    model_id: str | None = None
    vector: bytes | None = None


def encode_vector(vector: NDArray[np.float32]) -> bytes:
    """Returns a question's vector in its stored form."""
    return vector.astype("<f2").tobytes()


def reordered(points: Sequence[Found], votes: Mapping[int, Sequence[Vote]], asked: Asked) -> list[Found]:
    """Returns hits in the order of their scores with the votes on them, best first.

    The votes of the reader and of editors move a hit as far as its score does. Other people's votes then move it by at
    most one rank: so no other person can move a hit by more than two ranks, whatever anyone else votes.

    Args:
        points: The hits, best first.
        votes: By document.
        asked: The current question.
    """
    weighed = {document_id: found for document_id, each in votes.items() if (found := _weigh(each, asked))}
    pool = points[:POOL]
    best = max((point.score for point in pool), default=0.0)
    if not weighed or best <= 0:
        return list(points)
    trusted: dict[str, float] = {}
    of_all: dict[str, float] = {}
    for point in pool:
        sums = _sums(point, weighed.get(point.payload["document_id"], ()), asked.reader_id)
        trusted[point.id], of_all[point.id] = [point.score / best * _factor(total) for total in sums]
    pool = sorted(pool, key=lambda point: -trusted[point.id])
    return [*_with_neighbours_swapped(pool, of_all), *points[POOL:]]


def _factor(total: float) -> float:
    return 1 + _STRENGTH * math.tanh(total / _WHOLE)


def _with_neighbours_swapped(points: Sequence[Found], scores: Mapping[str, float]) -> list[Found]:
    """Returns hits with neighbours swapped if the second one has the better score; none is moved twice."""
    found = list(points)
    index = 1
    while index < len(found):
        if scores[found[index].id] > scores[found[index - 1].id]:
            found[index - 1 : index + 1] = found[index], found[index - 1]
            index += 1
        index += 1
    return found


@dataclass(frozen=True, slots=True)
class _Weighed:
    vote: Vote
    weight: float
    """Its value times its question's similarity above the minimum."""


def _weigh(votes: Iterable[Vote], asked: Asked) -> list[_Weighed]:
    """Returns the votes on questions similar to the current one; each once, with its most similar question."""
    best: dict[tuple[int, int, str], _Weighed] = {}
    for vote in votes:
        weight = _similarity(vote, asked) - _LIKENESS
        key = (vote.user_id, vote.message_id, vote.chunk_id)
        if weight > 0 and (key not in best or weight > abs(best[key].weight)):
            best[key] = _Weighed(vote, vote.value * weight)
    return list(best.values())


def _similarity(vote: Vote, asked: Asked) -> float:
    """Returns the cosine of two questions; of their terms, if they have no vectors of the same model."""
    if asked.dense is not None and vote.vector is not None and vote.model_id == asked.model_id:
        import numpy as np

        return float(np.frombuffer(vote.vector, "<f2").astype(np.float32) @ asked.dense)
    if not asked.terms or not vote.terms:
        return 0.0
    return len(asked.terms.intersection(vote.terms)) / math.sqrt(len(asked.terms) * len(vote.terms))


def _sums(point: Found, weighed: Iterable[_Weighed], reader_id: int) -> tuple[float, float]:
    """Returns the sums of the votes on a passage: of the reader and editors, and of everyone who counts."""
    people: dict[int, float] = defaultdict(float)
    trusted = {reader_id}
    for each in weighed:
        if _is_about(each.vote, point):
            people[each.vote.user_id] += each.weight
            if each.vote.is_editor:
                trusted.add(each.vote.user_id)
    limited = {user_id: max(-_WHOLE, min(_WHOLE, total)) for user_id, total in people.items()}
    of_trusted = sum(weight for user_id, weight in limited.items() if user_id in trusted)
    of_others = 0.0
    for sign in (1, -1):
        agreeing = {user_id for user_id, weight in limited.items() if user_id != reader_id and sign * weight > 0}
        if len(agreeing) >= _AGREEING:
            of_others += sum(limited[user_id] for user_id in agreeing - trusted)
    return of_trusted, of_trusted + of_others


def _is_about(vote: Vote, point: Found) -> bool:
    """Returns whether a vote refers to a passage: to the same chunk, or to text that it contains."""
    if vote.chunk_id == point.id:
        return True
    if vote.chunking_session == UUID(point.payload["chunking_session"]):
        if vote.span_start is None or vote.span_end is None:
            return False
        start, end = int(point.payload["start"]), int(point.payload["end"])
        return start <= vote.span_start and vote.span_end <= end
    # The document was processed again since: the passage may be at another offset or in another chunk.
    words = _words(vote.snippet)
    return len(words) >= _LEAST_CHARACTERS and words in _words(point.payload["text"])


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
