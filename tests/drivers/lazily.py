"""Libraries that tests import when they first use them: all workers collect all tests, and few use these."""

import importlib
from typing import Any


class Lazily:
    """A module that is imported when something of it is asked for.

    A module of tests that has it beside `if TYPE_CHECKING`, for the types, asks for nothing while it is imported.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # pytest asks all that a module of tests has for such names, to find fixtures
            raise AttributeError(name)
        return getattr(importlib.import_module(self._name), name)
