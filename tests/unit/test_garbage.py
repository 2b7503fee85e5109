"""A service searches for garbage seldom, and never what it has loaded."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from echomind_lib.process import garbage


@pytest.fixture(autouse=True)
def _settings_put_back() -> Iterator[None]:
    threshold = gc.get_threshold()
    yield
    gc.set_threshold(*threshold)
    gc.enable()


class _Cyclic:
    """Garbage that only a search finds."""

    def __init__(self) -> None:
        self.own = self


def test_loading_is_not_searched_and_its_objects_are_kept() -> None:
    garbage.begin_loading()
    assert not gc.isenabled()
    before = gc.get_freeze_count()
    loaded = _Cyclic()
    garbage.end_loading()
    assert gc.isenabled()
    assert gc.get_freeze_count() > before
    assert all(each is not loaded for each in gc.get_objects()), "what was loaded is not searched"


def test_garbage_is_found_after_more_objects_than_requests_make() -> None:
    garbage.begin_loading()
    garbage.end_loading()
    made = weakref.ref(_Cyclic())
    kept = [[number] for number in range(5_000)]
    assert made() is not None, "a few requests make so many objects"
    kept += [[number] for number in range(10_000)]
    assert made() is None
    assert len(kept) == 15_000
