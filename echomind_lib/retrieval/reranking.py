"""Orders the best hits of a search by a reranker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from echomind_lib.retrieval.hits import Hit, Hits

if TYPE_CHECKING:
    from echomind_lib.rerankers.active import ActiveReranker, Rerankers

UNRANKED: Final = (
    "The reranker did not answer in time: the passages are in the search's own order, so that the best one may not be "
    "the first."
)
"""Why hits are in the order of the search."""


async def reranked(hits: Hits, query: str, reranker: ActiveReranker, rerankers: Rerankers) -> Hits:
    """Returns hits in the order of a reranker, those that it does not compare behind; its scores are `rank_score`.

    Args:
        hits: The hits of a search, best first.
        query: The question.
        reranker: The reranker, which compares the first `candidates` of them.
        rerankers: Asks it.
    """
    compared = hits[: reranker.candidates]
    if not compared:
        return hits
    scores = await rerankers.scores(reranker, query, [_text(hit) for hit in compared])
    if scores is None:
        return Hits(hits, hits.missing, UNRANKED)
    return Hits([*_ordered(compared, scores), *hits[reranker.candidates :]], hits.missing)


def _ordered(hits: Sequence[Hit], scores: Sequence[float]) -> list[Hit]:
    """Returns hits by falling score. Scores of some models are below 0: then all are moved up by the lowest."""
    lowest = min(0.0, *scores)
    order = sorted(range(len(hits)), key=lambda index: -scores[index])  # stable: equal ones keep their order
    return [replace(hits[index], rank_score=scores[index] - lowest) for index in order]


def _text(hit: Hit) -> str:
    headings = [heading for heading in hit.heading if heading != hit.title]
    return "\n".join([hit.title, *headings, hit.text])
