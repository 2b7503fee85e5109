"""nDCG and recall: known values, and properties of any ranking."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind.cli.sources.ranking import ndcg, recall

documents = st.integers(0, 20).map(str)
relevances = st.dictionaries(documents, st.integers(-1, 4), max_size=15)
rankings = st.lists(documents, unique=True, max_size=20)
depths = st.integers(1, 12)


def test_a_known_example() -> None:
    # Linear gain: (3 + 2 / log2(3) + 0 + 1 / log2(5)) / (3 + 2 / log2(3) + 1 / log2(4)).
    found = ndcg(["a", "b", "x", "c"], {"a": 3, "b": 2, "c": 1})
    assert found == pytest.approx((3 + 2 / math.log2(3) + 1 / math.log2(5)) / (3 + 2 / math.log2(3) + 1 / 2))


def test_recall_counts_relevant_documents_alone() -> None:
    relevance = {"a": 1, "b": 4, "c": 0, "d": -1}
    assert recall(["c", "a", "d"], relevance, 2) == 0.5
    assert recall(["c", "a", "b"], relevance, 3) == 1


@given(rankings, relevances, depths)
def test_both_lie_between_0_and_1(ranking: list[str], relevance: dict[str, int], depth: int) -> None:
    assert 0 <= ndcg(ranking, relevance, depth) <= 1 + 1e-12
    assert 0 <= recall(ranking, relevance, depth) <= 1


@given(relevances.filter(lambda found: any(grade > 0 for grade in found.values())), depths)
def test_the_best_order_is_1(relevance: dict[str, int], depth: int) -> None:
    best = sorted(relevance, key=lambda document: -relevance[document])
    assert ndcg(best, relevance, depth) == pytest.approx(1)
    assert recall(best, relevance, len(best)) == 1


@given(rankings, relevances, depths, st.data())
def test_moving_a_better_document_up_never_hurts(
    ranking: list[str], relevance: dict[str, int], depth: int, data: st.DataObject
) -> None:
    if len(ranking) < 2:
        return
    rank = data.draw(st.integers(0, len(ranking) - 2))
    upper, lower = ranking[rank : rank + 2]
    better = [*ranking[:rank], lower, upper, *ranking[rank + 2 :]]
    if relevance.get(lower, 0) >= relevance.get(upper, 0):
        assert ndcg(better, relevance, depth) >= ndcg(ranking, relevance, depth) - 1e-12


@given(rankings, relevances, depths)
def test_results_below_the_depth_do_not_count(ranking: list[str], relevance: dict[str, int], depth: int) -> None:
    assert ndcg(ranking[:depth], relevance, depth) == ndcg(ranking, relevance, depth)
    assert recall(ranking[:depth], relevance, depth) == recall(ranking, relevance, depth)


@given(rankings, relevances)
def test_recall_grows_with_the_depth(ranking: list[str], relevance: dict[str, int]) -> None:
    found = [recall(ranking, relevance, depth) for depth in range(1, 12)]
    assert found == sorted(found)
