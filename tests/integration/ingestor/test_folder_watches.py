"""Folders are watched: a change makes their connector due."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from echomind_ingestor.connectors.file import watching
from echomind_ingestor.connectors.file.watching import FolderWatches
from echomind_lib.db.database import Database
from tests.factories import rows


async def is_due(database: Database, connector_id: int) -> bool:
    due: bool = await database.pool.fetchval("SELECT next_sync_at <= now() FROM connectors WHERE id = $1", connector_id)
    return due


async def connect(database: Database, folder: Path, **values: Any) -> int:
    connector = await rows.connector(
        database.pool, type="file", config={"folder": str(folder)}, refresh_freq_minutes=60, **values
    )
    await database.pool.execute("UPDATE connectors SET next_sync_at = now() + interval '1 hour'")
    connector_id: int = connector["id"]
    return connector_id


async def test_a_change_makes_a_connector_due(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "_LOOK_SECONDS", 0.1)
    monkeypatch.setattr(watching, "_QUIET_MILLISECONDS", 50)
    monkeypatch.setattr(watching, "_RETRY_SECONDS", 0.1)
    (tmp_path / "in").mkdir()
    (tmp_path / "elsewhere").mkdir()
    connector = await connect(database, tmp_path / "in")
    forbidden = await connect(database, tmp_path / "elsewhere")
    sync = await rows.connector_sync(database.pool, connector_id=connector, status="running")
    async with FolderWatches(database.pool, [str(tmp_path / "in")]), asyncio.timeout(60):
        number = 0
        await database.pool.execute("UPDATE connector_syncs SET status = 'completed' WHERE id = $1", sync["id"])
        while not await is_due(database, connector):
            number += 1
            (tmp_path / "in" / f"{number}.txt").write_text("new")
            (tmp_path / "elsewhere" / f"{number}.txt").write_text("new")
            await asyncio.sleep(0.2)
    assert not await is_due(database, forbidden)
