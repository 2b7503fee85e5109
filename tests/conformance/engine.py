"""The sync engine on real servers, one slice at a time, without the pipeline behind it."""

import hashlib
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import asyncpg

from echomind_ingestor.sync.contents import Contents
from echomind_ingestor.sync.handlers import Syncs, SyncSchedule
from echomind_ingestor.sync.opening import Sources
from echomind_ingestor.sync.slices import SliceLimits, SyncResources
from echomind_lib.config import DiskSettings
from echomind_lib.config.settings import ConnectorSettings
from echomind_lib.events.log import EventLog
from echomind_lib.jobs import SYNC_CONNECTOR, Job, enqueue, lease
from echomind_lib.network.fetching import AllowedHosts
from echomind_lib.objects import ObjectStore, original_key
from echomind_lib.process.disk import DiskSpace
from echomind_lib.secrets import Secrets
from tests.conformance.double import ConnectorSetup, SourceDouble
from tests.factories import rows

MAX_BYTES = 1_000_000
_MAX_SLICES = 1000


@dataclass
class Engine:
    """What syncs work with, and what tests do with it."""

    events: EventLog
    objects: ObjectStore
    secrets: Secrets
    worker_id: UUID
    user_id: int
    limits: SliceLimits
    server: ConnectorSettings

    @property
    def pool(self) -> asyncpg.Pool:
        return self.events.pool

    @property
    def handler(self) -> Syncs:
        return Syncs(self.resources)

    @property
    def resources(self) -> SyncResources:
        sources = Sources(
            self.pool, lambda: self.secrets, self.server, AllowedHosts("127.0.0.1, localhost"), max_bytes=MAX_BYTES
        )
        return SyncResources(
            pool=self.pool,
            bus=self.events.bus,
            sources=sources,
            contents=Contents(self.objects, max_bytes=MAX_BYTES),
            disk=DiskSpace(DiskSettings()),
            limits=self.limits,
        )

    @property
    def schedule(self) -> SyncSchedule:
        return SyncSchedule(self.pool, self.events.bus)

    async def connect(self, setup: ConnectorSetup, **values: Any) -> int:
        """Stores a connector and returns its id."""
        self.server = self.server.model_copy(update=setup.server)
        encrypted = None
        if setup.credentials is not None:
            import msgspec

            encrypted = self.secrets.encrypt(msgspec.json.encode(setup.credentials).decode())
        row = await rows.connector(
            self.pool,
            user_id=self.user_id,
            type=setup.type,
            config=setup.config,
            encrypted_credentials=encrypted,
            permission_mode=setup.permission_mode,
            **{"refresh_freq_minutes": 60, **values},
        )
        connector_id: int = row["id"]
        return connector_id

    async def request(self, connector_id: int, *, full: bool = False) -> None:
        """Requests a sync, as a person does."""
        await self.pool.execute(
            "INSERT INTO connector_syncs (connector_id, kind) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            connector_id,
            "full" if full else "incremental",
        )

    async def claim(self) -> Job | None:
        """Claims the next slice, whenever it would be due."""
        await self.pool.execute("UPDATE background_jobs SET run_after = now() WHERE status = 'pending'")
        return await lease.claim(self.pool, [SYNC_CONNECTOR], self.worker_id)

    async def work(self, job: Job) -> float | None:
        """Does a slice, and ends its job as a worker does; returns after how many seconds it is continued."""
        handler = self.handler
        result = await handler.work(job)
        async with self.events.transaction() as transaction:
            if await lease.complete(transaction.connection, job):
                await handler.completed(transaction, job, result)
        return result.again

    async def run(self, connector_id: int) -> Any:
        """Continues the sync of a connector until it is over or waits for somebody; returns its row."""
        await enqueue(self.pool, SYNC_CONNECTOR, connector_id)
        for _ in range(_MAX_SLICES):
            if (job := await self.claim()) is None:
                break
            await self.work(job)
        else:
            raise AssertionError("the sync does not end")
        return await self.last_sync(connector_id)

    async def sync(self, connector_id: int, *, full: bool = False) -> Any:
        """Syncs a connector, and returns the row of the sync."""
        await self.request(connector_id, full=full)
        return await self.run(connector_id)

    async def last_sync(self, connector_id: int) -> Any:
        """Returns the row of a connector's last sync."""
        return await self.pool.fetchrow(
            "SELECT * FROM connector_syncs WHERE connector_id = $1 ORDER BY id DESC LIMIT 1", connector_id
        )

    async def connector(self, connector_id: int) -> Any:
        """Returns the row of a connector."""
        return await self.pool.fetchrow("SELECT * FROM connectors WHERE id = $1", connector_id)

    async def documents(self, connector_id: int) -> dict[str, Any]:
        """Returns the documents of a connector that were not removed, by their ids at the source."""
        found = await self.pool.fetch(
            "SELECT document.*, coalesce(folder.path, '') AS folder FROM documents AS document "
            "LEFT JOIN source_folders AS folder ON folder.connector_id = document.connector_id "
            "AND folder.source_id = document.folder_source_id "
            "WHERE document.connector_id = $1 AND document.deleted_date IS NULL",
            connector_id,
        )
        return {row["source_id"]: row for row in found}

    async def assert_equal(self, connector_id: int, double: SourceDouble) -> None:
        """The documents, their folders and their objects are those of the source."""
        stored, expected = await self.documents(connector_id), double.expected()
        assert {key: (row["source_name"], row["folder"]) for key, row in stored.items()} == {
            key: (each.name, each.folder) for key, each in expected.items()
        }
        assert {key: row["signature"] for key, row in stored.items()} == {
            key: hashlib.sha256(each.content).hexdigest() for key, each in expected.items()
        }
        for key, row in stored.items():
            assert await self.objects.get(original_key(row["id"], row["signature"])) == expected[key].content
            assert row["status"] == "pending"

    async def process_all(self, connector_id: int) -> None:
        """Marks documents that wait as processed, as the pipeline would."""
        await self.pool.execute(
            "UPDATE documents SET status = 'completed' WHERE connector_id = $1 AND status = 'pending'", connector_id
        )
