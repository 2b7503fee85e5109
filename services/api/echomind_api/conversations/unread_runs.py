"""Runs that one program alone reads: they are cancelled when it has left and does not ask again (decision 0060)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import asyncpg
import structlog
from sqlalchemy import ARRAY, Integer, Text, Uuid, bindparam, func, literal, select, update

from echomind_api.conversations.controls import Controls
from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Query
from echomind_lib.db.words import RunStatus

GRACE_SECONDS: Final = 20.0
"""Time between the end of a connection and the cancellation; clients retry within half of it."""
_WORKING: Final[tuple[RunStatus, ...]] = ("queued", "running", "waiting_for_children")
"""A run that waits for a person continues when they have answered."""
_run_id = bindparam("run_id", type_=Uuid)
_repetitions = func.coalesce(Run.caller["repetitions"].as_integer(), 0)

_REPEAT: Final = Query(
    update(Run)
    .where(Run.id == _run_id)
    .values(
        caller=func.jsonb_set(
            Run.caller, literal(["repetitions"], ARRAY(Text)), func.to_jsonb(_repetitions + literal(1, Integer))
        )
    )
    .returning(_repetitions.label("repetitions")),
    int,
)
_IS_UNREAD: Final = Query(
    select(Run.id).where(
        Run.id == _run_id,
        Run.status.in_(_WORKING),
        _repetitions == bindparam("repetition", type_=Integer),
    ),
    UUID,
)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Left:
    """A program that has left before the end of a run."""

    run_id: UUID
    repetition: int
    """0 if it asked first, else the how many-th repetition its request was."""
    since: float
    """On the clock of the event loop."""


class UnreadRuns:
    """Cancels runs that nobody reads any more. Only the last request for an answer decides, at whichever replica."""

    def __init__(self, pool: asyncpg.Pool, controls: Controls) -> None:
        """Prepares it; `run` cancels.

        Args:
            pool: The database.
            controls: Cancels runs.
        """
        self._pool, self._controls = pool, controls
        self._left: asyncio.Queue[_Left] = asyncio.Queue()

    @asynccontextmanager
    async def reading(self, run_id: UUID, *, is_first: bool) -> AsyncIterator[None]:
        """Notes a program that reads the answer of a run, and that it has left if an exception ends the context.

        Args:
            run_id: The run, which belongs to nobody but this program: that of an unlisted session.
            is_first: Whether this request began it.
        """
        repetition = 0 if is_first else await _REPEAT.fetch_one(self._pool, run_id=run_id)
        try:
            yield
        except BaseException:
            self._left.put_nowait(_Left(run_id, repetition or 0, asyncio.get_running_loop().time()))
            raise

    async def run(self) -> None:
        """Cancels the runs of programs that have left, until it is cancelled."""
        while True:
            left = await self._left.get()
            await asyncio.sleep(left.since + GRACE_SECONDS - asyncio.get_running_loop().time())
            unread = await _IS_UNREAD.fetch_one(self._pool, run_id=left.run_id, repetition=left.repetition)
            if unread is not None and await self._controls.move(unread, "cancelled"):
                log.info("run cancelled, because its program has left", run_id=str(unread))
