"""Stores a page of a source: folders, removals and readers first, then contents, and the cursor last.

One statement compares everything with the stored state, and one statement writes each kind of change. The last
transaction stores the cursor. So an interrupted page is read again, and its stored parts are found unchanged.
"""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

import asyncpg
import msgspec

from echomind_ingestor.connectors.protocol import Folder, Item, ItemError, Page, SourceConnector, SourceError
from echomind_ingestor.sync import documents, failures, folders, listing, permissions, syncs
from echomind_ingestor.sync.batches import ReadItem, batch_of
from echomind_ingestor.sync.contents import Contents
from echomind_ingestor.sync.documents import KnownDocument
from echomind_ingestor.sync.failures import ItemFailure, fault_of
from echomind_ingestor.sync.items import (
    check_id,
    concerns_readers,
    folder_row,
    has_changed,
    has_other_readers,
    metadata_row,
    sort_items,
    version_of,
)
from echomind_ingestor.sync.syncs import ActiveSync, SyncState
from echomind_ingestor.sync.transactions import fenced
from echomind_lib.db.statements import Connection
from echomind_lib.jobs import DOCUMENT_READERS, REMOVE_DOCUMENTS, Job, enqueue, wake
from echomind_lib.messaging import DOCUMENTS_BACKGROUND, Bus
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import DocumentProcess

_TOGETHER: Final = 64
"""Contents stored per transaction, which are read again after a crash."""
_AT_ONCE: Final = 4
"""Contents read concurrently."""
CURSOR_BYTES: Final = 64 * 1024
"""Maximum size of a cursor as JSON."""


class ConfirmationNeededError(Exception):
    """The sync would remove so many documents that a user has to confirm it.

    Attributes:
        to_remove: Number of documents that it would remove.
    """

    def __init__(self, to_remove: int) -> None:
        super().__init__(to_remove)
        self.to_remove = to_remove


class PageWriter:
    """Stores the pages of one sync."""

    def __init__(
        self, pool: asyncpg.Pool, bus: Bus, contents: Contents, job: Job, sync: ActiveSync, state: SyncState
    ) -> None:
        """Prepares it.

        Args:
            pool: The database.
            bus: Bus to wake the pipeline.
            contents: Stores contents.
            job: The job whose lease every transaction requires.
            sync: The sync.
            state: State of the connector; updated.
        """
        self._pool = pool
        self._bus = bus
        self._contents = contents
        self._job = job
        self._sync = sync
        self._connector = {"connector_id": sync.connector_id}
        self._has_readers = sync.permission_mode == "source"
        self._has_regranted = False
        self.state = state
        self.removed = sync.documents_removed
        self.seen = sync.documents_seen
        self.failed = sync.documents_failed
        self.failures = sync.failures
        self.pages = sync.pages

    async def apply(self, source: SourceConnector[Any], page: Page) -> None:
        """Stores a page and then its cursor.

        Raises:
            SyncStoppedError: The worker no longer holds the sync, or it has ended.
            ConfirmationNeededError: It removes too many documents; nothing of the page is stored.
            SourceError: The contents cannot be read; some of them may be stored.
        """
        if len(msgspec.json.encode(page.cursor)) > CURSOR_BYTES:
            raise SourceError("The connector has made a cursor of more than 64 kB, which is a fault of its program.")
        invalid: list[ItemFailure] = []
        items = self._valid({item.source_id: item for item in page.items}, invalid)
        changed_folders = self._valid({folder.source_id: folder for folder in page.folders}, invalid)
        listed = items.keys() | changed_folders.keys()
        removed = [source_id for source_id in dict.fromkeys(page.removed) if source_id not in listed]
        known = {
            each.source_id: each
            for each in await documents.KNOWN.fetch_all(self._pool, **self._connector, source_ids=[*items, *removed])
        }
        await self._check_removals([source_id for source_id in removed if source_id in known])
        sorted_items = sort_items(items.values(), known)
        await self._store_structure(page, changed_folders.values(), sorted_items.described, removed)
        await self.store_contents(source, sorted_items.to_read, known)
        await self._store_cursor(page, [*items, *changed_folders], items, invalid)

    async def store_contents(
        self, source: SourceConnector[Any], items: Sequence[Item], known: dict[str, KnownDocument]
    ) -> None:
        """Reads and stores the contents of items, in several transactions.

        Args:
            source: Their source.
            items: Items that are new, or whose content may have changed.
            known: Their stored state.

        Raises:
            SyncStoppedError: The worker no longer holds the sync.
            SourceError: Nothing can be read; what was read before is stored.
        """
        for start in range(0, len(items), _TOGETHER):
            batch = items[start : start + _TOGETHER]
            new = sum(item.source_id not in known for item in batch)
            ids = iter(await documents.NEXT_IDS.fetch_all(self._pool, count=new))
            prepared, error = await self._prepare(
                source,
                [(item, stored.id if (stored := known.get(item.source_id)) else next(ids), stored) for item in batch],
            )
            if prepared:
                await self._store_batch(prepared)
            if error is not None:
                raise error

    async def record(self, found: Sequence[ItemFailure]) -> None:
        """Records failures that do not belong to a page.

        Raises:
            SyncStoppedError: The worker no longer holds the sync.
        """
        async with self._transaction() as connection:
            await self._record(connection, found)

    async def retried(
        self,
        source: SourceConnector[Any],
        items: Sequence[Item],
        ended: Sequence[str],
        failed: Sequence[ItemFailure],
    ) -> None:
        """Stores the results of retrying items that earlier syncs could not read.

        Args:
            source: The source of contents.
            items: Items that exist.
            ended: Source ids of items that no longer exist, or will never be read.
            failed: Items that failed again.
        """
        found = self._valid({item.source_id: item for item in items}, [])
        names = {**self._connector, "source_ids": list(found)}
        known = {each.source_id: each for each in await documents.KNOWN.fetch_all(self._pool, **names)}
        await self.store_contents(source, list(found.values()), known)
        async with self._transaction() as connection:
            if ended:
                await failures.RESOLVE.execute(connection, **self._connector, source_ids=ended)
            if failed:
                await self._record(connection, failed)

    async def remove_unseen_folders(self, connection: Connection, sync_id: int) -> None:
        """Removes the folders that a listing has not seen.

        Args:
            connection: The transaction that ends the sync.
            sync_id: The sync in which the listing started.
        """
        removed = await listing.REMOVE_UNSEEN_FOLDERS.fetch_all(connection, **self._connector, listing=sync_id)
        await self._regrant(connection, folders_=removed)

    async def _prepare(
        self, source: SourceConnector[Any], items: Sequence[tuple[Item, int, KnownDocument | None]]
    ) -> tuple[list[ReadItem], SourceError | None]:
        """Reads some contents concurrently; returns those that were read, and the exception that stopped it, if any."""
        slots = asyncio.Semaphore(_AT_ONCE)
        stopped: list[SourceError] = []

        async def prepare(item: Item, document_id: int, known: KnownDocument | None) -> ReadItem | None:
            found = {"item": item, "document_id": document_id, "known": known}
            if item.error:
                return ReadItem(**found, error=ItemError(item.error, retryable=False))  # type: ignore[arg-type]
            async with slots:
                if stopped:
                    return None
                signature = known.signature if known else None
                try:
                    content = await self._contents.store(source, item, document_id, known=signature)
                except ItemError as error:
                    return ReadItem(**found, error=error)  # type: ignore[arg-type]
                except SourceError as error:
                    stopped.append(error)
                    return None
                except Exception as error:  # noqa: BLE001 - a connector may raise anything, and others can be read
                    return ReadItem(**found, error=fault_of(error, **self._connector, item=item.source_id))  # type: ignore[arg-type]
            return ReadItem(**found, content=content)  # type: ignore[arg-type]

        try:
            async with asyncio.TaskGroup() as tasks:
                running = [tasks.create_task(prepare(*each)) for each in items]
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None
        return [each for task in running if (each := task.result()) is not None], stopped[0] if stopped else None

    async def _store_batch(self, prepared: Sequence[ReadItem]) -> None:
        batch = batch_of(prepared)
        async with self._transaction() as connection:
            if batch.new:
                names = [row["source_id"] for row in batch.new]
                await documents.RELEASE_NAMES.execute(connection, **self._connector, source_ids=names)
                await documents.INSERT.fetch_all(connection, **self._connector, documents=batch.new)
            if batch.replaced:
                await documents.REPLACE.execute(connection, documents=batch.replaced)
            if batch.described:
                await documents.DESCRIBE.execute(connection, documents=batch.described)
            if batch.failed:
                await documents.FAIL.execute(connection, documents=batch.failed)
            if batch.children:
                await documents.LINK.execute(connection, **self._connector, source_ids=batch.children)
            if batch.read:
                await failures.RESOLVE.execute(connection, **self._connector, source_ids=batch.read)
            if batch.failures:
                await self._record(connection, batch.failures)
            await self._regrant(connection, documents_=batch.regranted)
            added = sum(row["status"] == "pending" for row in batch.new)
            await self._count(connection, added=added, updated=len(batch.replaced))
        await self._wake_readers()
        for row in (*batch.new, *batch.replaced):
            if row["status"] == "pending":
                await self._bus.wake(DOCUMENTS_BACKGROUND, DocumentProcess(document_id=row["id"]))

    async def _store_structure(
        self,
        page: Page,
        listed: Any,
        described: Sequence[tuple[Item, KnownDocument]],
        removed: Sequence[str],
    ) -> None:
        """Stores folders, removals, and changed names and readers, which take effect at once."""
        ids = [folder.source_id for folder in listed]
        stored = {
            each.source_id: each
            for each in (await folders.KNOWN.fetch_all(self._pool, **self._connector, source_ids=ids) if ids else ())
        }
        changed: list[Folder] = [each for each in listed if has_changed(each, stored.get(each.source_id))]
        people = page.people if self._has_readers else ()
        if not (changed or described or removed or people):
            return
        async with self._transaction() as connection:
            if changed:
                rows = [folder_row(folder) for folder in changed]
                names = [folder.source_id for folder in changed]
                await folders.STORE.execute(connection, **self._connector, folders=rows)
                await folders.STORE_PATHS.execute(connection, **self._connector, source_ids=names)
            count = await self._remove(connection, removed) if removed else 0
            if described:
                rows = [metadata_row(item, known.id, version_of(item)) for item, known in described]
                await documents.DESCRIBE.execute(connection, documents=rows)
                if children := [item.source_id for item, _ in described if item.parent_id]:
                    await documents.LINK.execute(connection, **self._connector, source_ids=children)
            if people:
                await permissions.apply_people(connection, self._sync.connector_id, people)
            await self._regrant(
                connection,
                folders_=[
                    *(each.source_id for each in changed if has_other_readers(each, stored.get(each.source_id))),
                    *removed,
                ],
                documents_=[known.id for item, known in described if concerns_readers(item, known)],
            )
            await self._count(connection, updated=len(described), removed=count)
        await self._wake_readers()
        self.removed += count
        if count:
            await wake(self._bus, REMOVE_DOCUMENTS)

    async def _remove(self, connection: Connection, removed: Sequence[str]) -> int:
        count = await documents.REMOVE.execute(connection, **self._connector, source_ids=removed)
        await folders.REMOVE.execute(connection, **self._connector, source_ids=removed)
        await failures.RESOLVE.execute(connection, **self._connector, source_ids=removed)
        if count:
            await enqueue(connection, REMOVE_DOCUMENTS)
        return count

    async def _check_removals(self, removed: Sequence[str]) -> None:
        total = self.removed + len(removed)
        if not removed or self._sync.may_remove or total <= listing.LARGEST_UNCONFIRMED:
            return
        there = await documents.COUNT.fetch_one(self._pool, **self._connector) or 0
        if listing.needs_confirmation(total, there - len(removed)):
            raise ConfirmationNeededError(len(removed))

    async def _store_cursor(
        self, page: Page, seen: Sequence[str], items: dict[str, Item], invalid: Sequence[ItemFailure]
    ) -> None:
        """Stores the cursor after the page, and the page's failures."""
        unread = [
            ItemFailure(
                source_id=each.source_id, name=each.name, message=each.message, is_retryable=bool(each.source_id)
            )
            for each in page.failures
        ]
        state = msgspec.structs.replace(self.state, cursor=page.cursor)
        if page.is_listing and not state.listing:
            state.listing, state.is_complete = self._sync.id, True
        if page.is_listing and not page.is_complete:
            state.is_complete = False
        count = len(items)
        async with self._transaction() as connection:
            if state.listing:
                # Items that could not be read are assumed to exist still.
                named = [*seen, *(each.source_id for each in page.failures if each.source_id)]
                new = await listing.MARK.fetch_all(connection, sync_id=state.listing, source_ids=named) if named else []
                # A confirmed listing may be read a second time from its beginning.
                count = len(items.keys() & set(new))
            if unread or invalid:
                await self._record(connection, [*unread, *invalid])
            if state.listing and self._sync.kind != "full":
                await syncs.RESTART.execute(connection, sync_id=self._sync.id)
            await self._count(connection, pages=1, seen=count)
            await syncs.STORE_STATE.execute(connection, **self._connector, state=msgspec.to_builtins(state))
        self.state = state
        self.seen += count
        self.pages += 1

    async def _record(self, connection: Connection, found: Sequence[ItemFailure]) -> None:
        # An INSERT may not contain the same key twice.
        rows = {(row["source_id"], row["name"]): row for row in (each.to_row() for each in found)}
        sync = {**self._connector, "sync_id": self._sync.id}
        await failures.RECORD.execute(connection, **sync, failures=list(rows.values()))
        self.failed += sum(bool(row["source_id"]) for row in rows.values())
        self.failures += len(rows)

    async def _regrant(
        self, connection: Connection, *, folders_: Sequence[str] = (), documents_: Sequence[int] = ()
    ) -> None:
        if self._has_readers and (folders_ or documents_):
            changed = await permissions.apply_readers(
                connection, self._sync.connector_id, folders=folders_, documents=documents_
            )
            self._has_regranted = self._has_regranted or changed > 0

    async def _wake_readers(self) -> None:
        """Wakes the job that writes readers to chunks, after a transaction that has changed some."""
        if self._has_regranted:
            self._has_regranted = False
            await wake(self._bus, DOCUMENT_READERS)

    async def _count(
        self,
        connection: Connection,
        *,
        pages: int = 0,
        seen: int = 0,
        added: int = 0,
        updated: int = 0,
        removed: int = 0,
    ) -> None:
        await syncs.COUNT.execute(
            connection,
            sync_id=self._sync.id,
            pages=pages,
            seen=seen,
            added=added,
            updated=updated,
            removed=removed,
        )

    def _transaction(self) -> AbstractAsyncContextManager[Connection]:
        return fenced(self._pool, self._job, self._sync)

    @staticmethod
    def _valid(found: dict[str, Any], invalid: list[ItemFailure]) -> dict[str, Any]:
        """Returns the items with valid ids, and adds the failures of others to `invalid`."""
        kept = {}
        for source_id, each in found.items():
            if (failure := check_id(source_id, each.name)) is None:
                kept[source_id] = each
            else:
                invalid.append(failure)
        return kept
