"""The guide to EchoMind as documents, so that a new installation can answer questions about itself."""

import asyncio
import hashlib
from functools import partial
from pathlib import Path
from typing import Final

import structlog
from sqlalchemy import cast, func, select, update
from sqlalchemy.dialects.postgresql import JSONB, insert

from echomind_api.sources.intake import Intake, NewFile
from echomind_api.start.seeds import LOCK
from echomind_lib.access import Principal
from echomind_lib.db.database import Database
from echomind_lib.db.models import Connector, Document
from echomind_lib.documents.guide import GUIDE_MARK
from echomind_lib.jobs import REMOVE_DOCUMENTS, request
from echomind_lib.messaging import DOCUMENTS_BACKGROUND, Bus
from echomind_lib.objects import ObjectStore

CONNECTOR_NAME: Final = "EchoMind guide"

_SETTINGS: Final = "settings.md"

log = structlog.get_logger(__name__)


def guide_folder() -> Path | None:
    """Returns where the guide's Markdown files are: inside the installation, or `docs/guide` of a checkout.

    The table of settings is beside the folder.
    """
    here = Path(__file__).resolve()
    candidates = (here.parents[1] / "guide", here.parents[4] / "docs" / "guide")
    return next((folder for folder in candidates if folder.is_dir()), None)


async def upload_guide(database: Database, objects: ObjectStore, bus: Bus, owner: Principal, folder: Path) -> None:
    """Stores the guide's changed files, and removes documents whose files no longer exist.

    A document that a user removed is stored again only after its file has changed. People's documents are processed
    before those of the guide.
    """
    files = await asyncio.to_thread(_read, folder)
    signatures = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    connector = await _find_or_create(database, owner)
    if connector is None or connector.deleted_date is not None:
        return
    stored: dict[str, str] = connector.state.get("guide", {})
    if stored == signatures:
        return
    changed = [name for name, signature in signatures.items() if stored.get(name) != signature]
    intake = Intake(database.pool, objects, bus, DOCUMENTS_BACKGROUND)
    await intake.store_all(
        owner, connector, [_new_file(objects, name, files[name], signatures[name]) for name in changed]
    )
    vanished = (
        update(Document)
        .where(Document.connector_id == connector.id, Document.source_id.in_(stored.keys() - signatures.keys()))
        .where(Document.deleted_date.is_(None))
        .values(deleted_date=func.now())
    )
    remember = (
        update(Connector)
        .where(Connector.id == connector.id)
        .values(state=func.jsonb_set(Connector.state, ["guide"], cast(signatures, JSONB)))
    )
    async with database.session() as session:
        await session.execute(vanished)
        await session.execute(remember)
    await request(database.pool, bus, REMOVE_DOCUMENTS)
    log.info("the guide was stored", documents=len(signatures))


async def _find_or_create(database: Database, owner: Principal) -> Connector | None:
    """Returns the guide's connector, also a removed one; None when the owner has another of its name."""
    # By its mark instead of its name, so that a guide that was removed or renamed is not created again.
    find = select(Connector).where(Connector.config.contains(GUIDE_MARK)).order_by(Connector.id).limit(1)
    create = (
        insert(Connector)
        .values(
            name=CONNECTOR_NAME, type="file", config=GUIDE_MARK, user_id=owner.user_id, scope="org", status="active"
        )
        .on_conflict_do_nothing(
            index_elements=[Connector.user_id, Connector.name], index_where=Connector.deleted_date.is_(None)
        )
        .returning(Connector)
    )
    async with database.session() as session:
        await session.execute(select(func.pg_advisory_xact_lock(LOCK)))
        return await session.scalar(find) or await session.scalar(create)


def _read(folder: Path) -> dict[str, bytes]:
    """Returns the pages of the guide and the table of settings, which is beside it, by their names."""
    pages = [*sorted(folder.glob("*.md")), folder.parent / _SETTINGS]
    return {path.name: path.read_bytes() for path in pages if path.is_file()}


def _new_file(objects: ObjectStore, name: str, content: bytes, signature: str) -> NewFile:
    put = partial(objects.put, data=content, content_type="text/markdown")
    return NewFile(name, signature, len(content), put, "text/markdown", _title(content.decode("utf-8"), name))


def _title(markdown: str, name: str) -> str:
    first = next((line for line in markdown.splitlines() if line.startswith("# ")), name)
    return first.removeprefix("# ").strip()
