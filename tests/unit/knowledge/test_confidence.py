"""How sure knowledge is."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from echomind_lib.learned.knowledge.confidence import Confidence, confidence_of, score_of
from echomind_lib.mappers.differences import differences

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def entity(days: float | None) -> SimpleNamespace:
    evidence_at = None if days is None else NOW - timedelta(days=days)
    return SimpleNamespace(prior_alpha=4.0, prior_beta=2.0, alpha=8.0, beta=2.0, evidence_at=evidence_at)


@pytest.mark.parametrize(("days", "alpha"), [(None, 8.0), (0, 8.0), (180, 6.0), (360, 5.0), (36_000, 4.0)])
def test_evidence_fades_towards_the_origin(days: float | None, alpha: float) -> None:
    assert confidence_of(entity(days), NOW) == Confidence(alpha, 2.0)


def test_more_evidence_of_the_same_share_makes_surer() -> None:
    few, many = Confidence(4.0, 2.0), Confidence(40.0, 20.0)
    assert few.mean == many.mean
    assert few.bound < many.bound < many.mean


def test_confident_and_verified_entities_rank_higher() -> None:
    sure, unsure = Confidence(8.0, 2.0), Confidence(2.0, 2.0)
    assert score_of(0.7, sure, lapsed=False) > score_of(0.7, unsure, lapsed=False)
    assert score_of(0.7, sure, lapsed=False) > score_of(0.7, sure, lapsed=True)
    assert score_of(-0.2, sure, lapsed=False) == 0.0


def test_differences_hold_both_texts() -> None:
    old, new = "Costs are paid in four weeks.", "All costs are paid in six weeks!"
    parts = differences(old, new)
    assert "".join(part.text for part in parts if part.change != "added") == old
    assert "".join(part.text for part in parts if part.change != "removed") == new
    assert any(part.change == "kept" and "are paid in" in part.text for part in parts)
