"""Credentials that are not valid, counted for the audit log: one entry for each address and minute."""

import time
from dataclasses import dataclass, field
from typing import Final

_MAX_ADDRESSES: Final = 10_000
_OTHERS: Final = "others"
"""Recorded instead of the address if there are too many in a minute, so that their attempts are still counted."""
_MAX_ACTIONS: Final = 10
_SECONDS: Final = 60


@dataclass(slots=True)
class Counted:
    """The attempts of one address in one minute."""

    minute: int
    address: str
    action: str
    """The calls of the first of them."""
    reason: str
    """Why it was refused."""
    count: int = 0
    actions: set[str] = field(default_factory=set)
    """Their calls; the first few."""


class BadCredentials:
    """Counts attempts until they are written down."""

    def __init__(self) -> None:
        self._counted: dict[tuple[int, str], Counted] = {}

    def count(self, address: str, action: str, reason: str) -> None:
        """Counts an attempt.

        Args:
            address: IP address of the caller.
            action: The action of the call.
            reason: The reason of the refusal.
        """
        minute = _now()
        if (minute, address) not in self._counted and len(self._counted) >= _MAX_ADDRESSES:
            address = _OTHERS
        counted = self._counted.setdefault((minute, address), Counted(minute, address, action, reason))
        counted.count += 1
        if len(counted.actions) < _MAX_ACTIONS:
            counted.actions.add(action)

    def take_past(self) -> list[Counted]:
        """Returns and forgets the attempts of minutes that are over."""
        now = _now()
        return [self._counted.pop(key) for key in list(self._counted) if key[0] < now]

    def take_all(self) -> list[Counted]:
        """Returns and forgets all attempts."""
        taken = list(self._counted.values())
        self._counted.clear()
        return taken

    def put_back(self, taken: list[Counted]) -> None:
        """Puts back entries that could not be written."""
        for each in taken:
            again = self._counted.setdefault((each.minute, each.address), each)
            if again is not each:
                again.count += each.count


def _now() -> int:
    return int(time.time() // _SECONDS)
