"""A slice of a sync: reads and stores pages for a limited time.

A sync runs for `SliceLimits.seconds` and is then requested again, behind other waiting syncs, so that a large source
does not delay small ones. It also pauses while many of its documents are pending.
"""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final, cast

import asyncpg
import msgspec

from echomind_ingestor.connectors import protocol
from echomind_ingestor.sync import documents, failures, listing, syncs
from echomind_ingestor.sync.contents import Contents
from echomind_ingestor.sync.failures import ItemFailure, fault_of
from echomind_ingestor.sync.groups import GroupReading, named_groups
from echomind_ingestor.sync.opening import Sources
from echomind_ingestor.sync.outcomes import SyncOutcome
from echomind_ingestor.sync.pages import ConfirmationNeededError, PageWriter
from echomind_ingestor.sync.progress import Progress
from echomind_ingestor.sync.syncs import ActiveSync, SyncState
from echomind_ingestor.sync.transactions import SyncStoppedError
from echomind_lib.jobs import Job
from echomind_lib.messaging import Bus
from echomind_lib.process.disk import DiskSpace

_FIND: Final = 100
"""Items retried per batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceLimits:
    """Limits of a slice.

    Attributes:
        seconds: Duration of a slice.
        waiting: Number of a connector's pending documents above which its sync pauses.
        pause: Seconds of that pause, and of one while readers of an earlier permission mode are forgotten.
        page_seconds: Time-out of a source for one page.
        watch_seconds: Interval between checks whether the sync was cancelled.
    """

    seconds: float = 60.0
    waiting: int = 200
    pause: float = 5.0
    page_seconds: float = 600.0
    watch_seconds: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncResources:
    """The shared resources of syncs.

    Attributes:
        pool: The database.
        bus: Bus to notify the pipeline, other workers and open pages.
        sources: Opens sources.
        contents: Stores contents.
        disk: The disk on which contents are stored.
        limits: Limits of a slice.
    """

    pool: asyncpg.Pool
    bus: Bus
    sources: Sources
    contents: Contents
    disk: DiskSpace
    limits: SliceLimits = SliceLimits()


class TooManyFailuresError(protocol.SourceError):
    """More items failed than a sync tolerates."""


class SyncSlice:
    """One slice of one sync."""

    def __init__(self, resources: SyncResources, job: Job, sync: ActiveSync) -> None:
        pool, bus = resources.pool, resources.bus
        self._pool = pool
        self._sources = resources.sources
        self._disk = resources.disk
        self._limits = resources.limits
        self._sync = sync
        self._connector = {"connector_id": sync.connector_id}
        self._progress = Progress(bus, sync.connector_id)
        state = msgspec.convert(sync.state, SyncState)
        self._writer = PageWriter(pool, bus, resources.contents, job, sync, state)
        self._outcome = SyncOutcome(pool, bus, job, sync, self._writer)
        self._until = time.monotonic() + self._limits.seconds

    async def run(self) -> float | None:
        """Executes the sync until the slice's time is over, or it ends.

        Returns:
            The seconds after which it continues; None if it has ended, or waits for a user.

        Raises:
            EchoMindError: A required server does not respond.
            OSError: Like all `DATABASE_FAILURES`: whether the sync may continue cannot be read; another attempt
                continues it.
        """
        if self._sync.is_stopped:
            await self._outcome.cancel()
            return None
        if self._sync.status == "waiting_for_confirmation":
            return None
        if self._sync.forgets_readers:
            await syncs.FORGET_READERS.execute(self._pool, **self._connector)
            return self._limits.pause
        if self._sync.status == "pending":
            await self._begin()
        work = asyncio.create_task(self._attempt())
        watch = asyncio.create_task(self._watch())
        try:
            await asyncio.wait({work, watch}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                watch.result()  # it also ends where the database fails, which nobody has asked for
                raise SyncStoppedError
            return work.result()
        except SyncStoppedError:
            await self._outcome.cancel()
            return None
        finally:
            work.cancel()
            watch.cancel()
            await asyncio.gather(work, watch, return_exceptions=True)
            await self._progress.publish()

    async def _watch(self) -> None:
        """Returns when the sync may no longer continue."""
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
            await self._outcome.wait_for_confirmation(needed.to_remove)
        except protocol.SourceUnavailableError as error:
            return await self._outcome.retry_later(error)
        except protocol.CursorExpiredError as error:
            # Only once per sync: a source that rejects the cursor that it has just issued is broken.
            if self._writer.state.restarted == self._sync.id:
                await self._outcome.fail("unavailable", f"{error.message} This happened twice in one sync.")
            else:
                await self._outcome.restart()
                return 0.0
        except protocol.CredentialsRejectedError as error:
            await self._outcome.fail("credentials", error.message)
        except TooManyFailuresError as error:
            await self._outcome.fail("items", error.message)
        except protocol.SourceError as error:
            await self._outcome.fail("settings", error.message)
        except SyncStoppedError:
            raise
        except Exception as error:  # noqa: BLE001 - a connector may raise anything, and the sync says so
            fault = fault_of(error, **self._connector, sync_id=self._sync.id)
            return await self._outcome.retry_later(protocol.SourceUnavailableError(fault.message), "internal")
        return None

    async def _work(self) -> float | None:
        writer = self._writer
        async with self._sources.open(self._sync) as source:
            if self._sync.pages == 0:
                await self._read_groups(source)
                if writer.state.cursor is not None:
                    await self._retry_failed_items(source)
            changes = cast("AsyncGenerator[protocol.Page]", source.changes(writer.state.cursor))
            async with aclosing(changes) as pages:
                begun = writer.pages
                while True:
                    # At least one page per slice, however long it took to open the source.
                    if (pause := await self._pause(is_over=writer.pages > begun)) is not None:
                        return pause
                    if (page := await self._next_page(pages)) is None:
                        break
                    await writer.apply(source, page)
                    self._check_failures()
                    await self._progress.publish(sometimes=True)
            await self._read_groups(source, unread=True)
        await self._outcome.complete()
        return None

    async def _next_page(self, pages: AsyncGenerator[protocol.Page]) -> protocol.Page | None:
        try:
            async with asyncio.timeout(self._limits.page_seconds):
                return await anext(pages, None)
        except TimeoutError:
            raise protocol.SourceUnavailableError("The connected system has not answered for ten minutes.") from None

    async def _read_groups(self, source: protocol.SourceConnector[Any], *, unread: bool = False) -> None:
        """Reads the members of groups in stored readers; with `unread`, only of groups that were never read."""
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
        except (protocol.SourceUnavailableError, protocol.CredentialsRejectedError):
            raise
        except protocol.SourceError as error:
            # Memberships are unchanged until they are too old to grant access.
            failure = ItemFailure(source_id="", name="Groups", message=error.message, is_retryable=False)
            await self._writer.record([failure])

    async def _pause(self, *, is_over: bool) -> float | None:
        """Returns how long the sync pauses before its next page; None if it may continue.

        Args:
            is_over: Whether the slice may end if its time is over.
        """
        if is_over and time.monotonic() >= self._until:
            return 0.0
        if self._disk.is_low:
            return 30.0
        maximum = self._limits.waiting
        waiting = await documents.WAITING.fetch_one(self._pool, **self._connector, limit=maximum + 1)
        return self._limits.pause if (waiting or 0) > maximum else None

    def _check_failures(self) -> None:
        writer = self._writer
        if writer.failed > failures.FEWEST and writer.failed > failures.RATIO * max(writer.seen, 1):
            raise TooManyFailuresError(
                f"{writer.failed} of {writer.seen} items could not be read. After a repair, run the sync again."
            )

    async def _retry_failed_items(self, source: protocol.SourceConnector[Any]) -> None:
        """Retries items that earlier syncs could not read, as the source may report no change of them."""
        after = ""
        while ids := await failures.UNRESOLVED.fetch_all(
            self._pool, **self._connector, sync_id=self._sync.id, after=after, limit=_FIND
        ):
            after = ids[-1]
            found: list[protocol.Item] = []
            ended: list[str] = []
            failed: list[ItemFailure] = []
            for source_id in filter(None, ids):
                try:
                    item = await self._find(source, source_id)
                except protocol.ItemError as error:
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

    async def _find(self, source: protocol.SourceConnector[Any], source_id: str) -> protocol.Item | None:
        """Returns an item; None if it is no longer there.

        Raises:
            ItemError: It cannot be read.
            SourceError: Nothing can be read.
        """
        try:
            return await source.find(source_id)
        except protocol.SourceError:
            raise
        except Exception as error:
            raise fault_of(error, **self._connector, item=source_id) from error
