"""What the unit tests of the agent share."""

import pytest

from echomind_lib.retrieval import language
from tests.drivers.site import fetcher, site

__all__ = ["fetcher", "site"]


@pytest.fixture(scope="session", autouse=True)
def language_model() -> None:
    """Loaded before the first test, whose time it would take."""
    language.load()
