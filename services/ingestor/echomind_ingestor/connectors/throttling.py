"""Rate limits of vendors: pauses apply to all requests of this process to a tenant.

Vendors count rejected requests, too, so a pause of only the rejected request would make the next one longer.
"""

import asyncio
from typing import Final

from echomind_ingestor.connectors.protocol import SourceUnavailableError
from echomind_lib.process.retries import RetryPolicy

LONGEST_WAIT: Final = 120.0
"""Maximum seconds that a sync waits for a vendor; for longer pauses it ends and is retried later."""
BACK_OFF: Final = RetryPolicy(first=2.0, longest=60.0)
"""Pauses if the vendor does not specify them."""


class Gate:
    """A gate for all requests to a tenant; closed while the vendor limits the rate."""

    def __init__(self, vendor: str) -> None:
        self._vendor = vendor
        self._opens_at = 0.0
        self._refusals = 0

    async def wait(self) -> None:
        """Waits until requests may be sent.

        Raises:
            SourceUnavailableError: The pause is longer than a sync should wait.
        """
        while (seconds := self._remaining()) > 0:
            if seconds > LONGEST_WAIT:
                raise self.refusal()
            await asyncio.sleep(seconds)

    def close(self, asked: float | None) -> None:
        """Closes it after the vendor has rejected a request.

        Args:
            asked: The seconds that the vendor requests; None if unspecified.
        """
        if self._remaining() <= 0:
            self._refusals += 1
        delay = BACK_OFF.delay(self._refusals) if asked is None else asked
        self._opens_at = max(self._opens_at, asyncio.get_running_loop().time() + delay)

    def note_success(self) -> None:
        """Resets the pauses to short ones."""
        self._refusals = 0

    def refusal(self) -> SourceUnavailableError:
        """Returns the error of a request while it is closed."""
        seconds = self._remaining()
        return SourceUnavailableError(
            f"{self._vendor} limits the rate of requests and asks for a pause of {seconds:.0f} seconds.",
            retry_after=seconds,
        )

    def _remaining(self) -> float:
        return max(0.0, self._opens_at - asyncio.get_running_loop().time())


_gates: dict[tuple[str, str], Gate] = {}


def find_gate(vendor: str, tenant: str) -> Gate:
    """Returns the gate of a tenant, shared by all requests of this process.

    Args:
        vendor: Its name.
        tenant: The key of the vendor's rate limit: a project, or an application in a tenant.
    """
    return _gates.setdefault((vendor, tenant), Gate(vendor))
