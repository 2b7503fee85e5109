"""Watches the folders of connectors, so that changes are synced at once, not only at the next scheduled sync."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

import asyncpg
import structlog
from sqlalchemy import Integer, bindparam, exists, func, select, update

from echomind_ingestor.connectors.file.client import find_root
from echomind_ingestor.connectors.protocol import SourceError
from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.db.models import Connector, ConnectorSync
from echomind_lib.db.statements import Command, Query

log = structlog.get_logger(__name__)

_LOOK_SECONDS: Final = 15.0
"""Interval at which the list of watched folders is updated."""
_QUIET_MILLISECONDS: Final = 2000
"""Time without changes before a sync is started, so that copying many files causes only one."""
_RETRY_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedFolder:
    """A connector with a folder."""

    id: int
    folder: str


_folder = Connector.config["folder"].as_string()
_is_watched = (
    Connector.type == "file",
    Connector.deleted_date.is_(None),
    Connector.paused_at.is_(None),
    Connector.status != "disabled",
    Connector.next_sync_at.is_not(None),
)
FOLDERS: Final = Query(
    select(Connector.id, _folder.label("folder")).where(*_is_watched, func.coalesce(_folder, "") != ""), WatchedFolder
)
"""Selects the folders of connectors that are synced automatically."""
_is_syncing = exists().where(
    ConnectorSync.connector_id == Connector.id,
    ConnectorSync.status.in_(["pending", "running", "waiting_for_confirmation"]),
)
MAKE_DUE: Final = Command(
    update(Connector)
    .where(Connector.id == bindparam("connector_id", type_=Integer), *_is_watched, ~_is_syncing)
    .values(next_sync_at=func.least(Connector.next_sync_at, func.now()))
)
"""Makes a connector due now; changes no row while it is being synced."""


class FolderWatches:
    """The watches of one process. Use it as an asynchronous context manager.

    Each ingestor watches all folders on its machine; duplicate requests for a sync have no effect.
    """

    def __init__(self, pool: asyncpg.Pool, allowed: Sequence[str]) -> None:
        self._pool = pool
        self._allowed = allowed
        self._watches: dict[WatchedFolder, asyncio.Task[None]] = {}

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        tasks = [self._task, *self._watches.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self) -> None:
        if not self._allowed:
            return
        while True:
            with suppress(*DATABASE_FAILURES):  # the next look follows soon
                await self._update(set(await FOLDERS.fetch_all(self._pool)))
            await asyncio.sleep(_LOOK_SECONDS)

    async def _update(self, folders: set[WatchedFolder]) -> None:
        """Starts and stops watches; one that has failed is restarted."""
        for watched in [each for each, task in self._watches.items() if each not in folders or task.done()]:
            self._watches.pop(watched).cancel()
        for watched in folders - self._watches.keys():
            self._watches[watched] = asyncio.create_task(self._watch(watched))

    async def _watch(self, watched: WatchedFolder) -> None:
        from watchfiles import awatch

        try:
            root = await asyncio.to_thread(find_root, watched.folder, self._allowed)
            async for _ in awatch(root, debounce=60_000, step=_QUIET_MILLISECONDS, recursive=True):
                await self._make_due(watched.id)
        except (SourceError, OSError, *DATABASE_FAILURES) as error:
            # Syncs report problems of the folder, and also run without a watch.
            log.info("folder not watched", connector_id=watched.id, reason=str(error))

    async def _make_due(self, connector_id: int) -> None:
        """Makes a connector due after its current sync, which may already have passed the change."""
        while True:
            if await MAKE_DUE.execute(self._pool, connector_id=connector_id):
                return
            await asyncio.sleep(_RETRY_SECONDS)
