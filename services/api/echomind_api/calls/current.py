"""The call that is handled just now, for what records where a change came from."""

from contextvars import ContextVar
from typing import Final

from echomind_lib.contract import CallContext

current_call: Final[ContextVar[CallContext | None]] = ContextVar("current_call", default=None)
"""Set as soon as the call's address is known; None in background work."""
