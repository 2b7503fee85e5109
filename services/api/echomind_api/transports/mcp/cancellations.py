"""`notifications/cancelled`: a program's person has stopped an `ask`.

The notification comes in a request of its own, perhaps at another replica, and names the request that it stops by the
number that the program gave it. Other programs give the same numbers: the run is that of the same key, from the same
address and program, and if two of these match, none is cancelled.
"""

import json
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

import asyncpg
from sqlalchemy import Integer, Text, bindparam, func, select
from starlette.types import Message, Receive

from echomind_api.conversations.runs import Runs
from echomind_lib.contract import CallContext
from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Query
from echomind_lib.db.words import RunStatus
from echomind_lib.errors import PermissionDeniedError, RunStateError
from echomind_lib.models.public import CancelRunRequest

_METHOD: Final = b"notifications/cancelled"
_MAX_BYTES: Final = 4096
"""More than any such notification needs; longer bodies are not looked at."""
_WORKING: Final[tuple[RunStatus, ...]] = ("queued", "running", "waiting_for_children")
_ASKED: Final = Query(
    select(Run.id)
    .where(
        Run.user_id == bindparam("user_id", type_=Integer),
        Run.status.in_(_WORKING),
        func.starts_with(Run.request_id, bindparam("prefix", type_=Text)),
    )
    .limit(2),
    UUID,
)


class CancellationListener:
    """Reads a request's body on its way to the protocol's server, and cancels what a notification in it cancels.

    Before the server, which ends the handlers of a notification when it has accepted it.
    """

    def __init__(self, receive: Receive, cancel: Callable[[str], Awaitable[None]]) -> None:
        """Prepares it.

        Args:
            receive: Where the request comes from.
            cancel: Cancels the run of a request, by that request's number.
        """
        self._receive, self._cancel = receive, cancel
        self._body = b""

    async def receive(self) -> Message:
        """Returns the next message."""
        message = await self._receive()
        if message["type"] == "http.request" and len(self._body) <= _MAX_BYTES:
            self._body += message.get("body", b"")
            if not message.get("more_body") and (number := _cancelled(self._body)) is not None:
                await self._cancel(number)
        return message


def _cancelled(body: bytes) -> str | None:
    """Returns the number of the request that a notification cancels; None for any other body."""
    if len(body) > _MAX_BYTES or _METHOD not in body:
        return None
    try:
        read: Any = json.loads(body)
    except (ValueError, RecursionError):
        return None
    match read:
        case {"method": "notifications/cancelled", "params": {"requestId": str() | int() as number}}:
            return str(number)
    return None


def new_request_id(call: CallContext, number: str) -> str:
    """Returns the idempotency key of the run of a request, by which a notification finds it."""
    return _prefix(call, number) + secrets.token_hex(6)


async def cancel_asked(pool: asyncpg.Pool, runs: Runs, call: CallContext, number: str) -> None:
    """Cancels the run of an earlier request of the calling program, unless it has ended.

    Args:
        pool: The database.
        runs: The service that cancels.
        call: The call of the notification.
        number: The number of the request that it cancels.
    """
    found = await _ASKED.fetch_all(pool, user_id=call.principal.user_id, prefix=_prefix(call, number))
    if len(found) != 1:
        return
    # Nobody reads the answer to a notification.
    with suppress(RunStateError, PermissionDeniedError):
        await runs.cancel_run(CancelRunRequest(id=str(found[0])), call)


def _prefix(call: CallContext, number: str) -> str:
    program = "\0".join((call.address, call.metadata.get("user-agent", ""), number))
    return f"mcp-{call.principal.api_key_id or 0}-{sha256(program.encode()).hexdigest()[:40]}-"
