"""Ways to read."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from echomind_lib.access import Principal
from tests.drivers.leaks.world import Document


@dataclass(frozen=True)
class Way:
    """Ways to read."""

    read: Callable[[Principal], Awaitable[set[int]]]
    """Reads as a person, and returns the documents that were shown, or what was drawn from them."""
    times: int
    """How often it is gone."""
    may_be_shown: Callable[[Principal, Document], bool]
    """The rule."""


class Reads(Protocol):
    """Ways to read what belongs together."""

    async def build(self) -> None:
        """Makes what is read."""
        ...

    def ways(self) -> list[Way]:
        """Returns the ways."""
        ...
