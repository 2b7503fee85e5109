"""Modules that start the product themselves, and share nothing."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def guard() -> None:
    """Nothing is shared here, so that the product of other tests is not started for its guard."""
