"""Measures of a ranking against relevance judgements."""

import math
from collections.abc import Mapping, Sequence


def ndcg(ranking: Sequence[str], relevance: Mapping[str, int], depth: int = 10) -> float:
    """Normalised discounted cumulative gain with linear gain: `sum(rel_i / log2(i + 1))` over that of the best order.

    This is what trec_eval's `ndcg_cut` computes; Järvelin and Kekäläinen, ACM TOIS 20 (4), 2002.

    Args:
        ranking: Documents, best first, each at most once.
        relevance: Grade of each judged document; the others, and grades below 1, count as 0.
        depth: Number of first documents that count.

    Returns:
        Between 0 and 1; 0 when no document is relevant.
    """
    gains = [max(0, relevance.get(document, 0)) for document in ranking[:depth]]
    best = sorted((grade for grade in relevance.values() if grade > 0), reverse=True)[:depth]
    return _discounted(gains) / _discounted(best) if best else 0.0


def recall(ranking: Sequence[str], relevance: Mapping[str, int], depth: int = 100) -> float:
    """The share of the relevant documents (grade 1 or more) that are among the first `depth`; 0 when there is none."""
    relevant = {document for document, grade in relevance.items() if grade > 0}
    return len(relevant.intersection(ranking[:depth])) / len(relevant) if relevant else 0.0


def _discounted(gains: Sequence[int]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
