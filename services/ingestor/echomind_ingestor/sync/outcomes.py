"""The outcome of a sync or of an attempt: completed, failed, cancelled, retried later, or waiting for a user."""

from typing import Any, Final

import asyncpg
import msgspec
import structlog

from echomind_ingestor.connectors.protocol import SourceUnavailableError
from echomind_ingestor.sync import documents, failures, listing, syncs
from echomind_ingestor.sync.listing import Found
from echomind_ingestor.sync.pages import ConfirmationNeededError, PageWriter
from echomind_ingestor.sync.pruning import remove_unseen
from echomind_ingestor.sync.syncs import ActiveSync, SyncState
from echomind_ingestor.sync.transactions import fenced
from echomind_lib.jobs import Job
from echomind_lib.messaging import Bus
from echomind_lib.process.retries import RetryPolicy
from echomind_lib.text import MESSAGE_CHARACTERS, single_line

log = structlog.get_logger(__name__)

ATTEMPTS: Final = RetryPolicy(first=5.0, factor=3.0, longest=600.0, attempts=8)
"""Retries of an unavailable source within a sync."""
AFTER_FAILURE: Final = RetryPolicy(first=120.0, factor=2.0, longest=6 * 3600.0)
"""Delays of the next sync after a failed one, at most the connector's own interval."""
_PASSING: Final = frozenset({"unavailable", "internal"})
"""Kinds of transient errors."""
_LONGEST_WAIT: Final = 6 * 3600.0
"""Maximum pause that a source may request."""
_JITTER: Final = 0.1
"""Maximum share of a connector's interval by which the next sync is delayed, to spread syncs over time."""


class SyncOutcome:
    """Stores the outcome of a sync, in a transaction that requires the job's lease."""

    def __init__(self, pool: asyncpg.Pool, bus: Bus, job: Job, sync: ActiveSync, writer: PageWriter) -> None:
        self._pool = pool
        self._bus = bus
        self._job = job
        self._sync = sync
        self._writer = writer
        self._connector = {"connector_id": sync.connector_id}

    async def complete(self) -> None:
        """Ends a sync whose source has no further page: completed, or needing attention or failed if it read nothing.

        After a full listing that read nothing, the next sync lists everything again.

        Raises:
            ConfirmationNeededError: It would remove so many documents that a user has to confirm it.
        """
        writer, sync = self._writer, self._sync
        state = writer.state
        prunes = bool(state.listing) and state.is_complete
        found = await self._found()
        if not found.readable and (found.documents or writer.failures):
            await self._fail_unread()
            return
        if prunes and not sync.may_remove:
            await self._require_few_removals(has_seen=found.documents)
        # Without documents that could be read, there is nothing of which changes could be read.
        after = SyncState(cursor=state.cursor) if found.readable else SyncState()
        read_nothing = not found.readable or writer.failed >= writer.seen > 0
        status = "needs_attention" if read_nothing else "completed"
        removed = await remove_unseen(self._pool, self._bus, self._job, sync, state.listing) if prunes else 0
        async with fenced(self._pool, self._job, sync) as connection:
            if prunes:
                await writer.remove_unseen_folders(connection, state.listing)
            if state.listing:
                await listing.FORGET.execute(connection, **self._connector)
            await syncs.COMPLETE.execute(
                connection,
                **ending(sync, status, state.cursor, warning=self._warning(found)),
                state=msgspec.to_builtins(after),
                after=_next(sync.refresh_freq_minutes, sync.id),
            )
        named = {**self._connector, "sync_id": sync.id}
        log.info("sync ended", **named, status=status, seen=writer.seen, removed=removed)

    async def _found(self) -> Found:
        """Returns what the full listing has found; an incremental sync need not find anything."""
        if not (started := self._writer.state.listing):
            return Found(documents=True, readable=True)
        found = await listing.FOUND.fetch_one(self._pool, **self._connector, listing=started)
        return found or Found(documents=False, readable=False)

    async def _fail_unread(self) -> None:
        """Fails a full listing of which nothing could be read; the next sync lists everything again."""
        # Messages may name items, which not everybody who sees the connector may know of.
        quotes = self._sync.permission_mode == "scope"
        reason = await failures.REASON.fetch_one(self._pool, **self._connector) if quotes else None
        message = "Nothing of the connected system could be read."
        await self.fail("items", f"{message} {reason}" if reason else message, state=SyncState())

    async def _require_few_removals(self, *, has_seen: bool) -> None:
        unseen = {**self._connector, "listing": self._writer.state.listing}
        to_remove = await listing.COUNT_UNSEEN.fetch_one(self._pool, **unseen) or 0
        there = await documents.COUNT.fetch_one(self._pool, **self._connector) or 0
        removed = self._writer.removed + to_remove
        if to_remove and listing.needs_confirmation(removed, there - to_remove, found_nothing=not has_seen):
            raise ConfirmationNeededError(to_remove)

    def _warning(self, found: Found) -> str | None:
        """Returns a warning about a sync that did not fail; None for none."""
        state = self._writer.state
        if state.listing and not state.is_complete:
            return "A part of the connected system could not be read, so nothing was removed for being missing."
        if not found.documents:
            return "The connected system has no documents, or none that the settings select: check them."
        if (failed := self._writer.failed) > 0:
            return f"{failed} {'item' if failed == 1 else 'items'} could not be read."
        return None

    async def restart(self) -> None:
        """Restarts with a full listing, as the source no longer knows the cursor."""
        writer = self._writer
        writer.state = SyncState(restarted=self._sync.id)
        async with fenced(self._pool, self._job, self._sync) as connection:
            await listing.FORGET.execute(connection, **self._connector)
            await syncs.RESTART.execute(connection, sync_id=self._sync.id)
            await syncs.STORE_STATE.execute(connection, **self._connector, state=msgspec.to_builtins(writer.state))

    async def retry_later(self, error: SourceUnavailableError, kind: str = "unavailable") -> float | None:
        """Schedules a retry of a sync whose source could not be read; fails it after too many.

        Args:
            error: What is shown while the sync waits.
            kind: The kind of error that it fails with in the end.

        Returns:
            The seconds after which it is retried; None if it has failed.
        """
        # A page that was stored meanwhile has reset the attempts.
        current = await syncs.FIND.fetch_one(self._pool, **self._connector)
        attempt = (current.attempt if current else 0) + 1
        if attempt >= (ATTEMPTS.attempts or 0):
            await self.fail(kind, error.message)
            return None
        message = single_line(error.message, MESSAGE_CHARACTERS)
        await syncs.RETRY.execute(self._pool, sync_id=self._sync.id, message=message)
        return ATTEMPTS.delay(attempt, min(max(error.retry_after, 0.0), _LONGEST_WAIT))

    async def wait_for_confirmation(self, to_remove: int) -> None:
        """Makes the sync wait until a user confirms or rejects its removals."""
        there = await documents.COUNT.fetch_one(self._pool, **self._connector) or 0
        message = (
            f"The sync would remove {to_remove} of {there} documents, and waits until somebody who manages the "
            "connector confirms or rejects it."
        )
        async with fenced(self._pool, self._job, self._sync) as connection:
            await syncs.WAIT.execute(connection, sync_id=self._sync.id, to_remove=to_remove, message=message)

    async def cancel(self) -> None:
        """Ends a sync whose connector was paused, disabled or removed, or that was cancelled."""
        async with self._pool.acquire() as connection, connection.transaction():
            # If another worker has claimed the sync meanwhile, it ends the sync.
            if await syncs.IS_HELD.fetch_one(connection, **self._job.fence) is not None:
                await syncs.CANCEL.execute(connection, **ending(self._sync, "cancelled", self._writer.state.cursor))

    async def fail(self, kind: str, message: str, *, state: SyncState | None = None) -> None:
        """Fails a sync; `kind` is the kind of its error.

        Args:
            kind: The kind of error.
            message: What is wrong, and what to do.
            state: The state that the next sync continues from; None means the stored one.
        """
        text = single_line(message, MESSAGE_CHARACTERS)
        log.warning("sync failed", connector_id=self._sync.connector_id, sync_id=self._sync.id, kind=kind, message=text)
        async with fenced(self._pool, self._job, self._sync) as connection:
            if state is not None:
                await listing.FORGET.execute(connection, **self._connector)
                await syncs.STORE_STATE.execute(connection, **self._connector, state=msgspec.to_builtins(state))
            await syncs.FAIL.execute(
                connection,
                **ending(self._sync, "failed", self._writer.state.cursor, error_kind=kind, error=text),
                after=after_failure(kind, self._sync),
            )


def after_failure(kind: str, sync: ActiveSync) -> float | None:
    """Returns the seconds after which a connector whose sync failed is synced again; None for no automatic sync.

    A connector without a schedule is synced again only after a transient error, as a user requested the sync.
    """
    delay = AFTER_FAILURE.delay(sync.sync_failures + 1)
    if kind == "credentials":
        return None
    if sync.refresh_freq_minutes:
        return min(delay, sync.refresh_freq_minutes * 60.0)
    return delay if kind in _PASSING else None


def ending(
    sync: ActiveSync,
    status: str,
    cursor: dict[str, Any] | None,
    *,
    error_kind: str | None = None,
    error: str | None = None,
    warning: str | None = None,
) -> dict[str, Any]:
    """Returns the values of the statements that end a sync."""
    return {
        "sync_id": sync.id,
        "status": status,
        "error_kind": error_kind,
        "error": error,
        "warning": warning,
        "cursor": cursor,
    }


def _next(refresh_freq_minutes: int | None, seed: int) -> float | None:
    """Returns the seconds until the next sync, with a jitter that differs between syncs."""
    if not refresh_freq_minutes:
        return None
    return refresh_freq_minutes * 60.0 * (1.0 + _JITTER * ((seed * 0.6180339887498949) % 1.0))
