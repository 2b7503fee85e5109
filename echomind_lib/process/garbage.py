"""The search for garbage in a process that serves: not while it loads, and seldom after."""

import gc
from typing import Final

_MADE: Final = 10_000
"""How many more objects there must be than at the last search for the next one. With Python's own 700, searches run for
objects of requests at work, of which none is garbage. After ten searches those that have stayed are searched, too."""


def begin_loading() -> None:
    """Stops searching while modules are loaded: they leave no garbage, and searching takes .3 s."""
    gc.disable()


def end_loading() -> None:
    """Searches from now on, seldom, and never what was loaded: it lives as long as the process."""
    gc.freeze()
    gc.set_threshold(_MADE)
    gc.enable()
