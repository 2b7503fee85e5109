"""Detection of leftovers of earlier versions."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from echomind_ingestor.pipeline.leftovers import _is_older

NOW = datetime(2026, 1, 2, tzinfo=UTC)
FIRST, SECOND, THIRD = (UUID(f"019b{number:04x}-0000-7000-8000-000000000000") for number in (1, 2, 3))


@pytest.mark.parametrize("kind", ["text", "markdown"])
def test_texts_go_by_their_session(kind: str) -> None:
    older = [_is_older(f"documents/1/{session}/{kind}", NOW, SECOND, NOW) for session in (FIRST, SECOND, THIRD)]
    assert older == [True, False, False]


def test_bytes_go_by_when_they_were_stored() -> None:
    ages = (timedelta(seconds=1), timedelta(0), timedelta(seconds=-1))
    assert [_is_older("documents/1/abc/original", NOW - age, SECOND, NOW) for age in ages] == [True, False, False]
    assert not _is_older("documents/1/abc/original", NOW - timedelta(days=1), SECOND, None)
