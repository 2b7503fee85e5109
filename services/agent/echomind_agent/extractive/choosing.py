"""Chooses, of the quotations that were compared with a question, those that answer it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from echomind_agent.extractive.questions import (
    are_related,
    asks_for_list,
    asks_why,
    is_in_cell,
    reason_for,
    repeats,
    requirement,
)
from echomind_agent.extractive.quotes import LONGEST_LIST, Quote
from echomind_lib.retrieval import content_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from echomind_lib.embeddings.embedder import Vectors

Vector: TypeAlias = "NDArray[np.float32]"

_ALSO = 0.78
"""Minimum share of the best quotation's score for further quotations."""
_GUIDE = 0.92
"""Share of the best quotation's score from which those of own documents are quoted without those of the guide."""
_MAX_QUOTES = 3
_SAME = 0.92
"""Minimum cosine of duplicate quotations."""
_SAME_WORDS = 0.8
"""Minimum share of common words of duplicates, without cosines."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Quotations that may answer a question."""

    quotes: Sequence[Quote]
    scores: Vector
    answers: float
    """Minimum score of an answering one."""
    unfit: AbstractSet[int] = frozenset()
    """By `id`: those that have not what the question asks for."""
    vectors: Vectors | None = None
    """Their vectors; None if they were compared by words alone."""
    foreign: Mapping[int, str] = field(default_factory=dict)
    """By number of the source: its language, where it is not the question's."""


def unfit_for(question: str, language: str, quotes: Sequence[Quote], own: Sequence[float]) -> set[int]:
    """Returns which quotations, by `id`, have not what the question asks for, or are rows that match it less."""
    # Rows of a table share the words of its header: rows that match the question less than the best are skipped.
    highest: dict[str, float] = {}
    for quote, share in zip(quotes, own, strict=True):
        highest[quote.table] = max(highest.get(quote.table, 0.0), share)
    numbered = {id(quote) for quote in quotes if is_in_cell(question, quote)}
    tables = {quote.table for quote in quotes if id(quote) in numbered}
    is_fit = requirement(question, language)
    return {
        id(quote)
        for quote, share in zip(quotes, own, strict=True)
        if (quote.table and share < highest[quote.table])
        or (quote.table in tables and id(quote) not in numbered)
        or (quote.is_title and _is_no_better(quote, quotes, question, language))
        or not is_fit(quote)
        or repeats(question, quote, language)
    }


def _is_no_better(title: Quote, quotes: Sequence[Quote], question: str, language: str) -> bool:
    """Returns whether a line below this first one shares as many words with the question as itself."""
    asked = content_terms(question, language)
    below = [quote for quote in quotes if quote.table == title.table and not quote.is_title]
    shared = len(content_terms(title.text, language) & asked)
    return any(len(content_terms(quote.text, language) & asked) >= shared for quote in below)


def without(terms: AbstractSet[str], quotes: Sequence[Quote], language: str) -> set[int]:
    """Returns which quotations, by `id`, have none of a follow-up's own terms; none if that holds for all."""
    missing = {
        id(quote)
        for quote in quotes
        if not any(
            are_related(term, other)
            for other in content_terms(f"{quote.introduced} {quote.heading}", language)
            for term in terms
        )
    }
    return missing if len(missing) < len(quotes) else set()


def choose(
    question: str,
    language: str,
    by_source: Sequence[Sequence[Quote]],
    found: Candidates,
    guide: AbstractSet[int],
) -> Sequence[Quote]:
    """Returns the quotations that answer one part of a question, the best first.

    Args:
        question: The part, completed.
        language: That of the question.
        by_source: The quotations of each source.
        found: Those that are compared.
        guide: The numbers of the sources that are of the guide to EchoMind.
    """
    following = {id(quote): after for quotes in by_source for quote, after in pairwise(quotes)}
    order = sorted(range(len(found.quotes)), key=lambda index: -found.scores[index])
    least = max(found.answers, _ALSO * float(found.scores[order[0]]))
    fit = [index for index in order if found.scores[index] >= least and id(found.quotes[index]) not in found.unfit]
    own = [index for index in fit if found.quotes[index].number not in guide]
    if own and found.scores[own[0]] >= _GUIDE * found.scores[fit[0]]:
        fit = own
    chosen: dict[int, Sequence[Quote]] = {}
    for index in fit:
        if len(chosen) == _MAX_QUOTES:
            break
        quote = found.quotes[index]
        if items := _list_of(question, quote, by_source, language):
            answer: Sequence[Quote] = items
        else:
            answer = reason_for(quote, following.get(id(quote))) if asks_why(question) else [quote]
        if answer and not any(_same(index, other, found.quotes, found.vectors, language) for other in chosen):
            chosen[index] = answer
    return [quote for answer in chosen.values() for quote in answer]


def _list_of(question: str, quote: Quote, by_source: Sequence[Sequence[Quote]], language: str) -> Sequence[Quote]:
    """Returns the list that a quotation is of, if the question asks for that; otherwise nothing."""
    if quote.list_id < 0 or (quote.table and not (quote.title or quote.is_title)):
        return ()
    key = (quote.number, quote.list_id)
    items = [
        other for quotes in by_source for other in quotes if (other.number, other.list_id) == key and not other.is_title
    ]
    return items if len(items) <= LONGEST_LIST and asks_for_list(question, items, language) else ()


def _same(first: int, second: int, quotes: Sequence[Quote], vectors: NDArray[np.float32] | None, language: str) -> bool:
    """Returns whether two quotations are duplicates."""
    if vectors is not None:
        return float(vectors[first] @ vectors[second]) >= _SAME
    each, other = content_terms(quotes[first].text, language), content_terms(quotes[second].text, language)
    return len(each & other) >= _SAME_WORDS * max(1, min(len(each), len(other)))
