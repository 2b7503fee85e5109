"""The guide to EchoMind as documents, so that a new installation can be asked about itself."""

import asyncio
import hashlib
from functools import partial
from pathlib import Path
from typing import Final

import structlog

from echomind_api.sources.intake import Intake, NewFile
from echomind_api.start.seeds import LOCK
from echomind_lib.access import Principal
from echomind_lib.db.database import Database
from echomind_lib.messaging import DOCUMENTS_DELETE, Bus
from echomind_lib.objects import ObjectStore
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import DocumentDelete

CONNECTOR_NAME: Final = "EchoMind guide"

# By its mark and not by its name: it stays removed when somebody has removed it, and itself when it was renamed.
_FIND = """SELECT * FROM connectors WHERE config @> '{"builtin": "guide"}' ORDER BY id LIMIT 1"""
_CREATE = """
    INSERT INTO connectors (name, type, config, user_id, scope, status)
    VALUES ($1, 'file', '{"builtin": "guide"}', $2, 'org', 'active')
    ON CONFLICT (user_id, name) WHERE deleted_date IS NULL DO NOTHING
    RETURNING *
"""
_REMOVE = """
    UPDATE documents SET deleted_date = now()
    WHERE connector_id = $1 AND source_id = ANY($2) AND deleted_date IS NULL RETURNING id
"""
_REMEMBER = "UPDATE connectors SET state = state || jsonb_build_object('guide', $2::jsonb) WHERE id = $1"

log = structlog.get_logger(__name__)


def guide_folder() -> Path | None:
    """Where the guide's Markdown files are: inside the installation, or `docs/guide` of a checkout."""
    here = Path(__file__).resolve()
    candidates = (here.parents[1] / "guide", here.parents[4] / "docs" / "guide")
    return next((folder for folder in candidates if folder.is_dir()), None)


async def upload_guide(
    database: Database, intake: Intake, objects: ObjectStore, bus: Bus, owner: Principal, folder: Path
) -> None:
    """Stores the guide's files that have changed since the last time, and removes those that are gone.

    A document of it that somebody has removed comes back with its next change only.
    """
    files = await asyncio.to_thread(_read, folder)
    wanted = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    async with database.pool.acquire() as connection, connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
        connector = await connection.fetchrow(_FIND)
        if connector is None:
            connector = await connection.fetchrow(_CREATE, CONNECTOR_NAME, owner.user_id)
    if connector is None or connector["deleted_date"] is not None:
        return
    stored: dict[str, str] = connector["state"].get("guide", {})
    if stored == wanted:
        return
    for name, signature in wanted.items():
        if stored.get(name) != signature:
            content = files[name]
            put = partial(objects.put, data=content, content_type="text/markdown")
            new = NewFile(name, signature, len(content), put, "text/markdown", _title(content.decode("utf-8"), name))
            await intake.take(owner, connector, new)
    for row in await database.pool.fetch(_REMOVE, connector["id"], sorted(stored.keys() - wanted.keys())):
        await bus.wake(DOCUMENTS_DELETE, DocumentDelete(document_id=row["id"]))
    await database.pool.execute(_REMEMBER, connector["id"], wanted)
    log.info("the guide was stored", documents=len(wanted))


def _read(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.md"))}


def _title(markdown: str, name: str) -> str:
    first = next((line for line in markdown.splitlines() if line.startswith("# ")), name)
    return first.removeprefix("# ").strip()
