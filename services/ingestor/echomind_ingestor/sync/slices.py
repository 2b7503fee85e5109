"""A slice of a sync: pages for a while, and what becomes of the sync afterwards.

A sync works for `SliceLimits.seconds` and is then requested again, behind others that wait; so a large source does not
keep small ones waiting. It also pauses while many of its documents wait to be processed.
"""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final, cast

import asyncpg
import msgspec
import structlog

from echomind_ingestor.connectors.protocol import (
    CredentialsRejectedError,
    CursorExpiredError,
    Item,
    ItemError,
    Page,
    SourceConnector,
    SourceError,
    SourceUnavailableError,
)
from echomind_ingestor.sync import documents, failures, listing, syncs
from echomind_ingestor.sync.contents import Contents
from echomind_ingestor.sync.failures import ItemFailure
from echomind_ingestor.sync.groups import GroupReading, named_groups
from echomind_ingestor.sync.opening import Sources
from echomind_ingestor.sync.pages import ConfirmationNeededError, PageWriter
from echomind_ingestor.sync.progress import Progress
from echomind_ingestor.sync.syncs import ActiveSync, SyncState
from echomind_ingestor.sync.transactions import SyncStoppedError, fenced
from echomind_lib.disk import DiskSpace
from echomind_lib.jobs import REMOVE_DOCUMENTS, Job, enqueue, wake
from echomind_lib.messaging import Bus
from echomind_lib.retries import RetryPolicy
from echomind_lib.text import MESSAGE_CHARACTERS, single_line

log = structlog.get_logger(__name__)

ATTEMPTS: Final = RetryPolicy(first=5.0, factor=3.0, longest=600.0, attempts=8)
"""When a source that does not answer is asked again within a sync."""
AFTER_FAILURE: Final = RetryPolicy(first=120.0, factor=2.0, longest=6 * 3600.0)
"""When a connector whose sync failed is synced again, at the latest with its own frequency."""
_PASSING: Final = frozenset({"unavailable", "internal"})
"""Kinds of errors that may pass without anybody's doing."""
_LONGEST_WAIT: Final = 6 * 3600.0
"""Longest time that a source may ask to be left alone."""
_JITTER: Final = 0.1
"""Part of a connector's frequency by which the next sync may be later, so that many do not begin at once."""
_FIND: Final = 100
"""Items that are tried again together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceLimits:
    """Limits of a slice.

    Attributes:
        seconds: Time after which a sync lets others work.
        waiting: Documents of a connector that may wait to be processed before its sync pauses.
        pause: Seconds of such a pause.
        page_seconds: Time that a source may take for one page.
        watch_seconds: Interval between checks whether the sync was cancelled.
    """

    seconds: float = 60.0
    waiting: int = 200
    pause: float = 5.0
    page_seconds: float = 600.0
    watch_seconds: float = 1.0


class TooManyFailuresError(SourceError):
    """More items could not be read than a sync may leave out."""


class SyncSlice:
    """One slice of one sync."""

    def __init__(
        self,
        pool: asyncpg.Pool,
        bus: Bus,
        sources: Sources,
        contents: Contents,
        disk: DiskSpace,
        limits: SliceLimits,
        job: Job,
        sync: ActiveSync,
    ) -> None:
        self._pool = pool
        self._bus = bus
        self._sources = sources
        self._disk = disk
        self._limits = limits
        self._job = job
        self._sync = sync
        self._connector = {"connector_id": sync.connector_id}
        self._progress = Progress(bus, sync.connector_id)
        state = msgspec.convert(sync.state, SyncState)
        self._writer = PageWriter(pool, bus, contents, job, sync, state)
        self._until = time.monotonic() + limits.seconds

    async def run(self) -> float | None:
        """Executes the sync until its time is over, or it ends.

        Returns:
            The seconds after which it is to be continued; None when it is over, or waits for somebody.

        Raises:
            EchoMindError: A server that EchoMind needs does not answer.
        """
        if self._sync.is_stopped:
            await self._cancel()
            return None
        if self._sync.status == "waiting_for_confirmation":
            return None
        if self._sync.status == "pending":
            await self._begin()
        work = asyncio.create_task(self._attempt())
        watch = asyncio.create_task(self._watch())
        try:
            await asyncio.wait({work, watch}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise SyncStoppedError
            return work.result()
        except SyncStoppedError:
            await self._cancel()
            return None
        finally:
            work.cancel()
            watch.cancel()
            await asyncio.gather(work, watch, return_exceptions=True)
            await self._progress.publish()

    async def _watch(self) -> None:
        """Returns when the sync may not be continued."""
        row = {**self._connector, "sync_id": self._sync.id}
        while await syncs.MAY_CONTINUE.fetch_one(self._pool, **row) is not None:  # noqa: ASYNC110 - rows say it
            await asyncio.sleep(self._limits.watch_seconds)

    async def _begin(self) -> None:
        writer, sync = self._writer, self._sync
        if sync.kind == "full" and not sync.is_begun:
            writer.state = SyncState()
            await listing.FORGET.execute(self._pool, **self._connector)
        kind = "full" if writer.state.cursor is None or writer.state.listing else sync.kind
        state = msgspec.to_builtins(writer.state)
        await syncs.BEGIN.execute(self._pool, sync_id=sync.id, kind=kind, cursor=writer.state.cursor, state=state)
        await self._progress.publish()

    async def _attempt(self) -> float | None:
        """Executes the sync, and stores the error that ended it."""
        try:
            return await self._work()
        except ConfirmationNeededError as needed:
            await self._wait_for_confirmation(needed.to_remove)
        except SourceUnavailableError as error:
            return await self._retry(error)
        except CursorExpiredError as error:
            # Only once per sync: a source that rejects the cursor that it has just issued is broken.
            if self._writer.state.restarted == self._sync.id:
                await self._fail("unavailable", f"{error.message} This happened twice in one sync.")
            else:
                await self._restart()
                return 0.0
        except CredentialsRejectedError as error:
            await self._fail("credentials", error.message)
        except TooManyFailuresError as error:
            await self._fail("items", error.message)
        except SourceError as error:
            await self._fail("settings", error.message)
        return None

    async def _work(self) -> float | None:
        writer = self._writer
        async with self._sources.open(self._sync) as source:
            if self._sync.pages == 0:
                await self._read_groups(source)
                if writer.state.cursor is not None:
                    await self._try_again(source)
            changes = cast("AsyncGenerator[Page]", source.changes(writer.state.cursor))
            async with aclosing(changes) as pages:
                begun = writer.pages
                while True:
                    # At least one page per slice, however long it took to open the source.
                    if (pause := await self._pause(is_over=writer.pages > begun)) is not None:
                        return pause
                    try:
                        async with asyncio.timeout(self._limits.page_seconds):
                            page = await anext(pages, None)
                    except TimeoutError:
                        raise SourceUnavailableError("The source has not answered for ten minutes.") from None
                    if page is None:
                        break
                    await writer.apply(source, page)
                    self._check_failures()
                    await self._progress.publish(sometimes=True)
            await self._read_groups(source, unread=True)
        await self._finish()
        return None

    async def _read_groups(self, source: SourceConnector[Any], *, unread: bool = False) -> None:
        """Reads the members of the groups that stored readers name; with `unread` of those that were never read."""
        if self._sync.permission_mode != "source":
            return
        named = await named_groups(self._pool, self._sync.connector_id, unread=unread)
        # Before the changes even when no group is named: some sources report people only there.
        if unread and not named:
            return
        reading = GroupReading(self._pool, self._sync.connector_id, named)
        try:
            async for page in source.groups(named):
                await reading.apply(page)
        except (SourceUnavailableError, CredentialsRejectedError):
            raise
        except SourceError as error:
            # Memberships are unchanged until they are too old to grant access.
            failure = ItemFailure(source_id="", name="Groups", message=error.message, is_retryable=False)
            await self._writer.record([failure])

    async def _pause(self, *, is_over: bool) -> float | None:
        """Returns for how long the sync is to pause before its next page; None when it may continue.

        Args:
            is_over: Returns whether the slice may end because of its time.
        """
        if is_over and time.monotonic() >= self._until:
            return 0.0
        if self._disk.is_low:
            return 30.0
        most = self._limits.waiting
        waiting = await documents.WAITING.fetch_one(self._pool, **self._connector, limit=most + 1)
        return self._limits.pause if (waiting or 0) > most else None

    def _check_failures(self) -> None:
        writer = self._writer
        if writer.failed > failures.FEWEST and writer.failed > failures.RATIO * max(writer.seen, 1):
            raise TooManyFailuresError(
                f"{writer.failed} of {writer.seen} items could not be read. The list of failures says why; after a "
                "repair, run the sync again."
            )

    async def _try_again(self, source: SourceConnector[Any]) -> None:
        """Retries what earlier syncs could not read, although the source may report no change of it."""
        after = ""
        while ids := await failures.UNRESOLVED.fetch_all(
            self._pool, **self._connector, sync_id=self._sync.id, after=after, limit=_FIND
        ):
            after = ids[-1]
            found: list[Item] = []
            ended: list[str] = []
            failed: list[ItemFailure] = []
            for source_id in filter(None, ids):
                try:
                    item = await source.find(source_id)
                except ItemError as error:
                    failure = ItemFailure(
                        source_id=source_id, name=source_id, message=error.message, is_retryable=error.retryable
                    )
                    failed.append(failure)
                    if not error.retryable:
                        ended.append(source_id)
                else:
                    if item is None:
                        ended.append(source_id)
                    else:
                        found.append(item)
            await self._writer.retried(source, found, ended, failed)

    async def _finish(self) -> None:
        """Completes a sync whose source has no further page."""
        writer, sync = self._writer, self._sync
        state = writer.state
        prunes = bool(state.listing) and state.is_complete
        has_seen = True
        if state.listing:
            has_seen = bool(await listing.SEEN_ANYTHING.fetch_one(self._pool, **self._connector, listing=state.listing))
        if prunes and not sync.may_remove:
            unseen = {**self._connector, "listing": state.listing}
            to_remove = await listing.COUNT_UNSEEN.fetch_one(self._pool, **unseen) or 0
            there = await documents.COUNT.fetch_one(self._pool, **self._connector) or 0
            removed = writer.removed + to_remove
            if to_remove and listing.needs_confirmation(removed, there - to_remove, found_nothing=not has_seen):
                raise ConfirmationNeededError(to_remove)
        ended = SyncState(cursor=state.cursor)
        async with fenced(self._pool, self._job, sync) as connection:
            removed = await writer.prune(connection, state.listing) if prunes else 0
            if state.listing:
                await listing.FORGET.execute(connection, **self._connector)
            await syncs.COMPLETE.execute(
                connection,
                sync_id=sync.id,
                status="completed",
                error_kind=None,
                error=None,
                warning=self._warning(has_seen=has_seen),
                cursor=state.cursor,
                state=msgspec.to_builtins(ended),
                after=_next(sync.refresh_freq_minutes, sync.id),
            )
            if removed:
                await enqueue(connection, REMOVE_DOCUMENTS)
        if removed:
            await wake(self._bus, REMOVE_DOCUMENTS)
        log.info("sync completed", connector_id=sync.connector_id, sync_id=sync.id, seen=writer.seen, removed=removed)

    def _warning(self, *, has_seen: bool) -> str | None:
        """Returns what deserves a look although the sync was completed."""
        state = self._writer.state
        if state.listing and not state.is_complete:
            return (
                "A part of the source could not be read, so nothing was removed for being missing. The list of "
                "failures says which."
            )
        if not has_seen:
            return "The source has no documents, or none that its settings select: check them."
        if (failed := self._writer.failed) > 0:
            return f"{failed} {'item' if failed == 1 else 'items'} could not be read. The list of failures says why."
        return None

    async def _restart(self) -> None:
        """Starts over with a full listing, as the source has forgotten the cursor."""
        writer = self._writer
        writer.state = SyncState(restarted=self._sync.id)
        async with fenced(self._pool, self._job, self._sync) as connection:
            await listing.FORGET.execute(connection, **self._connector)
            await syncs.RESTART.execute(connection, sync_id=self._sync.id)
            await syncs.STORE_STATE.execute(connection, **self._connector, state=msgspec.to_builtins(writer.state))

    async def _retry(self, error: SourceUnavailableError) -> float | None:
        """Schedules a retry of a sync whose source is unavailable; fails it after too many."""
        # A page that was stored meanwhile has reset the attempts.
        current = await syncs.FIND.fetch_one(self._pool, **self._connector)
        attempt = (current.attempt if current else 0) + 1
        if attempt >= (ATTEMPTS.attempts or 0):
            await self._fail("unavailable", error.message)
            return None
        message = single_line(error.message, MESSAGE_CHARACTERS)
        await syncs.RETRY.execute(self._pool, sync_id=self._sync.id, message=message)
        return ATTEMPTS.delay(attempt, min(max(error.retry_after, 0.0), _LONGEST_WAIT))

    async def _wait_for_confirmation(self, to_remove: int) -> None:
        there = await documents.COUNT.fetch_one(self._pool, **self._connector) or 0
        message = (
            f"The sync would remove {to_remove} of {there} documents, and waits until somebody who manages the "
            "connector confirms or rejects it."
        )
        async with fenced(self._pool, self._job, self._sync) as connection:
            await syncs.WAIT.execute(connection, sync_id=self._sync.id, to_remove=to_remove, message=message)

    async def _cancel(self) -> None:
        async with self._pool.acquire() as connection, connection.transaction():
            # If another worker has claimed the sync meanwhile, it ends the sync.
            if await syncs.IS_HELD.fetch_one(connection, **self._job.fence) is not None:
                await syncs.CANCEL.execute(connection, **_ended(self._sync.id, "cancelled", self._writer.state))

    async def _fail(self, kind: str, message: str) -> None:
        text = single_line(message, MESSAGE_CHARACTERS)
        log.warning("sync failed", connector_id=self._sync.connector_id, sync_id=self._sync.id, kind=kind, message=text)
        async with fenced(self._pool, self._job, self._sync) as connection:
            await syncs.FAIL.execute(
                connection,
                **_ended(self._sync.id, "failed", self._writer.state, kind, text),
                after=after_failure(kind, self._sync),
            )


def after_failure(kind: str, sync: ActiveSync) -> float | None:
    """Returns the seconds after which a connector whose sync failed is synced again; None for not by itself.

    One without a schedule is synced again only after what may pass by itself; somebody has asked for it.
    """
    delay = AFTER_FAILURE.delay(sync.sync_failures + 1)
    if kind == "credentials":
        return None
    if sync.refresh_freq_minutes:
        return min(delay, sync.refresh_freq_minutes * 60.0)
    return delay if kind in _PASSING else None


def _ended(
    sync_id: int, status: str, state: SyncState, error_kind: str | None = None, error: str | None = None
) -> dict[str, Any]:
    return {
        "sync_id": sync_id,
        "status": status,
        "error_kind": error_kind,
        "error": error,
        "warning": None,
        "cursor": state.cursor,
    }


def _next(refresh_freq_minutes: int | None, seed: int) -> float | None:
    """Returns the seconds until the next sync, with a jitter that differs from sync to sync."""
    if not refresh_freq_minutes:
        return None
    return refresh_freq_minutes * 60.0 * (1.0 + _JITTER * ((seed * 0.6180339887498949) % 1.0))
