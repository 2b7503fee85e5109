"""Which calls of a connection a server can ask in, where the stream does not say it."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from mcp.shared.exceptions import MCPError

from echomind_agent.mcp.elicitation import Inquiry
from echomind_agent.mcp.http import is_lost


class Inquiries:
    """The inquiries of the calls at work on a connection, from its opening to its end.

    Attributes:
        has_abandoned: Whether a call was given up, so that nobody knows whether the server still works on it: it may go
            on with a call that it was told to stop, and never answers one that it stopped.
    """

    def __init__(self) -> None:
        self._at_work: set[Inquiry] = set()
        self.has_abandoned = False

    @contextmanager
    def during(self, inquiry: Inquiry | None) -> Iterator[None]:
        """Counts the inquiry of a call as one in which the server can ask meanwhile."""
        if inquiry is None:
            yield
            return
        self._at_work.add(inquiry)
        try:
            yield
        except asyncio.CancelledError:
            self.has_abandoned = True
            raise
        except MCPError as error:
            self.has_abandoned |= is_lost(error)
            raise
        finally:
            self._at_work.discard(inquiry)

    @property
    def only(self) -> Inquiry | None:
        """Returns the inquiry of the only call in which the server can ask; None if there may be others."""
        if self.has_abandoned or len(self._at_work) != 1:
            return None
        (inquiry,) = self._at_work
        return inquiry
