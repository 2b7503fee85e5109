"""Makes a backup while EchoMind runs.

Consistency comes from the order. Deletions of stored data are held back. Then one snapshot of the database is taken and
kept open, and the files that its rows refer to, the vectors, and the dump of that snapshot are copied. Files are stored
before the rows that refer to them, so each of them exists. Files and vectors that are newer than the snapshot do no
harm, because rows decide what is visible. Messages are not copied, as they are repeated from rows; nor are the vectors
of memories and knowledge, which are made again.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import BinaryIO, Final
from uuid import UUID, uuid4

import asyncpg
from sqlalchemy import func, select

from echomind.backup import postgres
from echomind.backup.archive import ArchiveWriter
from echomind.backup.ledger import recorded_by
from echomind.backup.manifest import (
    DUMP,
    FILES,
    MANIFEST,
    SECRETS,
    VECTORS,
    Manifest,
    StoredIndex,
    StoredSecrets,
    own_version,
)
from echomind.backup.servers import Servers
from echomind_lib.db import migrate
from echomind_lib.db.database import connect_once
from echomind_lib.db.deletion_lock import hold_deletions, try_hold_deletions
from echomind_lib.db.models import Connector, Document
from echomind_lib.db.statements import Query
from echomind_lib.errors import NotFoundError
from echomind_lib.indexes.rows import active_index
from echomind_lib.objects import ObjectStore, markdown_key, original_key, text_key
from echomind_lib.vectors import VectorIndex

_OPENED_AT_ONCE: Final = 8
_SNAPSHOT: Final = Query(select(func.pg_export_snapshot()), str)
_is_stored = (
    (Connector.id == Document.connector_id) & Document.deleted_date.is_(None) & Connector.deleted_date.is_(None)
)
_COUNT: Final = Query(select(func.count()).select_from(Document).where(_is_stored), int)
_DOCUMENTS: Final = Query(
    select(Document.id, Document.signature, Document.chunking_session).where(_is_stored).order_by(Document.id), tuple
)


@dataclass
class Summary:
    """What a backup contains.

    Attributes:
        size: Bytes before encryption.
        documents: Number of documents.
        files: Number of their files.
        missing: Keys of files that the object store does not have.
    """

    size: int = 0
    documents: int = 0
    files: int = 0
    missing: list[str] = field(default_factory=list)


async def write_backup(
    servers: Servers,
    target: BinaryIO,
    *,
    owner_api_key: str = "",
    with_vectors: bool = True,
    report: Callable[[str], None],
) -> Summary:
    """Writes a backup.

    Args:
        servers: The servers that hold the data.
        target: The file.
        owner_api_key: The owner's API key of a local installation.
        with_vectors: Whether to copy the vectors of passages, too.
        report: Called with lines to show.

    Raises:
        DatabaseUnavailableError: PostgreSQL does not respond.
        EchoMindError: Another server does not respond.
        DumpError: `pg_dump` failed.
        SchemaError: The schema of the database is older than this code.
        OSError: The file cannot be written.
    """
    await migrate.check(servers.postgres_url)
    archive, summary = ArchiveWriter(target), Summary()
    async with AsyncExitStack() as stack:
        connection = await connect_once(
            servers.postgres_url, "echomind-backup", settings={"idle_in_transaction_session_timeout": "0"}
        )
        stack.push_async_callback(connection.close)
        if not await try_hold_deletions(connection):
            report("Waiting for deletions in progress, or for another backup ...")
            await hold_deletions(connection)
        await stack.enter_async_context(connection.transaction(isolation="repeatable_read", readonly=True))
        (snapshot,) = await _SNAPSHOT.fetch_all(connection)
        objects = ObjectStore(servers.s3)
        stack.push_async_callback(objects.close)
        vectors = VectorIndex(servers.qdrant_url, servers.qdrant_key)
        stack.push_async_callback(vectors.close)

        manifest = await _manifest(connection, servers, has_vectors=with_vectors)
        summary.documents = manifest.documents
        archive.add(MANIFEST, manifest.encode())
        archive.add(SECRETS, StoredSecrets(keys=servers.secret_keys, owner_api_key=owner_api_key).encode())
        report(f"Copying the files of {manifest.documents} documents ...")
        await _copy_files(connection, objects, archive, summary)
        if with_vectors:
            report("Copying the vectors ...")
            await _copy_vectors(vectors, manifest.indexes, archive)
        report("Copying the database ...")
        number = 0
        async with aclosing(postgres.dump(servers.postgres_url, snapshot)) as blocks:
            async for block in blocks:
                number += 1
                archive.add(f"{DUMP}{number:06}", block)
    archive.finish()
    summary.size = archive.size
    return summary


async def _manifest(connection: asyncpg.Connection, servers: Servers, *, has_vectors: bool) -> Manifest:
    (documents,) = await _COUNT.fetch_all(connection)
    server = connection.get_server_version()
    revision = await migrate.current(servers.postgres_url)
    assert revision is not None
    return Manifest(
        id=str(uuid4()),
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        schema_revision=revision,
        postgres_version=f"{server.major}.{server.minor}",
        documents=documents,
        has_vectors=has_vectors,
        # Others are filled again from this one.
        indexes=[
            StoredIndex(collection=each.collection, model_id=each.model_id, dimension=each.dimension)
            for each in [await active_index(connection)]
            if each is not None
        ],
        erasures=await recorded_by(connection),
        version=own_version(),
    )


@dataclass(frozen=True)
class _File:
    key: str
    is_required: bool


async def _files(connection: asyncpg.Connection) -> AsyncIterator[_File]:
    """Yields the files that the rows of the snapshot refer to."""
    document_id: int
    signature: str | None
    session: UUID | None
    async for document_id, signature, session in connection.cursor(_DOCUMENTS.sql):
        if signature:
            yield _File(original_key(document_id, signature), is_required=True)
        if session:
            yield _File(text_key(document_id, session), is_required=True)
            yield _File(markdown_key(document_id, session), is_required=False)


async def _copy_files(
    connection: asyncpg.Connection, objects: ObjectStore, archive: ArchiveWriter, summary: Summary
) -> None:
    """Copies files one after the other; the next ones are requested meanwhile."""
    opened: deque[tuple[_File, asyncio.Task[tuple[int, AsyncIterator[bytes]]]]] = deque()

    async def copy_next() -> None:
        file, opening = opened.popleft()
        try:
            size, pieces = await opening
        except NotFoundError:
            if file.is_required:
                summary.missing.append(file.key)
            return
        archive.begin(f"{FILES}{file.key}", size)
        async for piece in pieces:
            archive.write(piece)
        summary.files += 1

    try:
        async for file in _files(connection):
            opened.append((file, asyncio.create_task(objects.open(file.key))))
            if len(opened) >= _OPENED_AT_ONCE:
                await copy_next()
        while opened:
            await copy_next()
    finally:
        for _, opening in opened:
            opening.cancel()


async def _copy_vectors(vectors: VectorIndex, indexes: list[StoredIndex], archive: ArchiveWriter) -> None:
    existing = await vectors.collections()
    for index in indexes:
        if index.collection not in existing:
            continue
        number = 0
        async for page in vectors.copies(index.collection):
            number += 1
            archive.add(f"{VECTORS}{index.collection}/{number:08}", page)
