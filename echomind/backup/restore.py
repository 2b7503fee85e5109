"""Restores a backup into empty servers.

The whole file is verified before anything is written. Files and vectors are restored first, then the database in one
transaction: an interrupted restore leaves no half database. Embedded servers are restored in a folder beside the data
folder, which takes its place at the end. For other servers, an object in the bucket marks an unfinished restore, so
that it can be repeated, although they are not empty any more.
"""

import asyncio
import dataclasses
import json
import shutil
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final

from echomind.backup import postgres
from echomind.backup.archive import ArchiveError, ArchiveReader, Member
from echomind.backup.encryption import decrypting
from echomind.backup.ledger import Repeated, recorded
from echomind.backup.manifest import (
    DUMP,
    FILES,
    MANIFEST,
    SECRETS,
    VECTORS,
    Erased,
    Manifest,
    StoredSecrets,
    read_manifest,
    read_secrets,
)
from echomind.backup.restored import prepare_restored
from echomind.backup.servers import Servers, embedded_servers
from echomind.local.data_folder import DataFolder, Secrets, is_in_use
from echomind.local.embedded.process import StartError
from echomind.local.private_files import write_private
from echomind_lib.db import migrate
from echomind_lib.db.database import connect_once
from echomind_lib.errors import EchoMindError
from echomind_lib.objects import ObjectStore
from echomind_lib.secret_key_file import KEY_FILE, write_keys
from echomind_lib.vectors import VectorIndex

Report = Callable[[str], None]
Run = Callable[[Coroutine[Any, Any, Any]], Any]

_MARKER: Final = "restore/"
_SMALL: Final = 4 * 1024 * 1024
"""Bytes of a file that is held in memory; larger ones go through a temporary file."""
_STORED_AT_ONCE: Final = 8


class RestoreError(Exception):
    """A backup cannot be restored there; the message says why, and what to do."""


@dataclasses.dataclass(frozen=True)
class Source:
    """A backup file that was verified.

    Attributes:
        file: The file.
        keys: The keys that decrypt it.
        manifest: What it contains.
        secrets: What is secret in it.
    """

    file: Path
    keys: Sequence[Any]
    manifest: Manifest
    secrets: StoredSecrets


def verify(file: Path, keys: Sequence[Any]) -> Source:
    """Reads a whole backup.

    Raises:
        ArchiveError: It is truncated, was changed, or was made by a newer version.
        EncryptionError: No key fits.
        OSError: It cannot be read.
    """
    manifest: Manifest | None = None
    secrets: StoredSecrets | None = None
    with decrypting(file, keys) as stream:
        for member in ArchiveReader(stream).members():
            if member.name == MANIFEST:
                manifest = read_manifest(member.read_json())
            elif member.name == SECRETS:
                secrets = read_secrets(member.read_json())
            elif manifest is None:
                raise ArchiveError(f"it begins with {member.name}: it is no backup of EchoMind")
    if manifest is None or secrets is None:
        raise ArchiveError("it is no backup of EchoMind")
    return Source(file, keys, manifest, secrets)


def restore_folder(
    source: Source, data_dir: Path, ledger: Sequence[Erased] | None = None, *, replace: bool, run: Run, report: Report
) -> tuple[Path | None, Repeated]:
    """Restores into a new data folder.

    Args:
        source: The backup.
        data_dir: The folder; it must not exist, or be empty.
        ledger: Who was erased after the backup was made; None if only an existing folder may know.
        replace: Whether an existing folder is kept under another name instead.
        run: Runs a coroutine to its end.
        report: Called with lines to show.

    Returns:
        The new name of an existing folder, None if there was none; and which erasures are repeated.

    Raises:
        RestoreError: The folder is not empty, or in use.
        StartError: The embedded servers cannot be started, or another restore to this folder is in progress.
        EchoMindError: A server does not respond.
        DumpError: `pg_restore` failed.
    """
    target = data_dir.expanduser().absolute()
    _require_room(target, replace=replace)
    known = [*(ledger or ()), *_ledger_of(target, ledger, run, report)]
    unfinished = target.with_name(f"{target.name}.unfinished")
    if unfinished.exists():
        with DataFolder(unfinished):  # waits for the servers of a killed restore to end
            shutil.rmtree(unfinished)
    unfinished.mkdir(mode=0o700, parents=True)
    write_private(unfinished / "secrets.json", json.dumps(dataclasses.asdict(Secrets()), indent=2))
    write_keys(unfinished / KEY_FILE, source.secrets.keys.replace(",", " ").split())
    if source.secrets.owner_api_key:
        write_private(unfinished / "owner-api-key", source.secrets.owner_api_key)
    with embedded_servers(unfinished, report) as servers:
        repeated = run(_restore(source, servers, known, report))
    _require_room(target, replace=replace)
    kept: Path | None = None
    if target.exists() and any(target.iterdir()):
        kept = target.with_name(f"{target.name}.replaced-{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
        with DataFolder(target):
            target.rename(kept)
    elif target.exists():
        target.rmdir()
    unfinished.rename(target)
    return kept, repeated


def _ledger_of(target: Path, ledger: Sequence[Erased] | None, run: Run, report: Report) -> list[Erased]:
    """Returns the ledger of an existing data folder.

    Raises:
        RestoreError: It cannot be read, and no other one was given.
    """
    if not (target / "postgres").exists():
        return []
    report("Reading who was erased from the folder that is replaced ...")
    try:
        with embedded_servers(target, report, only_database=True) as servers:
            found: list[Erased] = run(recorded(servers.postgres_url))
    except (StartError, EchoMindError, OSError) as error:
        if ledger is not None:
            report(f"The data folder {target} does not say who was erased: {error}")
            return []
        raise RestoreError(
            f"the data folder {target} does not say who was erased since the backup ({error}): give a newer backup, or "
            "the output of `echomind users erasures --json`, with --erasures"
        ) from error
    return found


def _require_room(target: Path, *, replace: bool) -> None:
    """Checks that a folder may be restored to.

    Raises:
        RestoreError: It may not.
    """
    if is_in_use(target):
        raise RestoreError(f"EchoMind runs with the data folder {target}: stop it with `echomind stop`")
    if target.exists() and not target.is_dir():
        raise RestoreError(f"{target} is not a folder")
    if target.exists() and any(target.iterdir()) and not replace:
        raise RestoreError(
            f"the data folder {target} is not empty: choose another with --data-dir, or pass --replace, which keeps it "
            "under another name"
        )


async def restore_servers(source: Source, servers: Servers, report: Report, ledger: Sequence[Erased] = ()) -> Repeated:
    """Restores into servers that are not embedded, and returns which erasures are repeated.

    Raises:
        RestoreError: They are not empty, apart from an interrupted restore of the same backup.
        EchoMindError: One does not respond.
        DumpError: `pg_restore` failed.
    """
    objects = ObjectStore(servers.s3)
    vectors = VectorIndex(servers.qdrant_url, servers.qdrant_key)
    marker = f"{_MARKER}{source.manifest.id}"
    try:
        await objects.ensure_bucket()
        if not await objects.keys(marker):
            if await migrate.current(servers.postgres_url) is not None:
                raise RestoreError("the database in ECHOMIND_POSTGRES__URL is not empty: name a new one")
            if await objects.page("", "", 1):
                raise RestoreError(
                    f"the bucket {servers.s3.bucket} is not empty: name a new one in ECHOMIND_S3__BUCKET"
                )
            if found := await vectors.collections() & _collections(source.manifest):
                raise RestoreError(f"the vector index has the collection {min(found)} already: use an empty one")
            await objects.put(marker, source.manifest.encode())
    finally:
        await vectors.close()
        await objects.close()
    repeated = await _restore(source, servers, ledger, report)
    objects = ObjectStore(servers.s3)
    await objects.delete(marker)
    await objects.close()
    return repeated


def _collections(manifest: Manifest) -> set[str]:
    names = {index.collection for index in manifest.indexes}
    return names | {f"{name}_facts" for name in names}


async def _restore(source: Source, servers: Servers, ledger: Sequence[Erased], report: Report) -> Repeated:
    async with AsyncExitStack() as stack:
        objects = ObjectStore(servers.s3)
        stack.push_async_callback(objects.close)
        vectors = VectorIndex(servers.qdrant_url, servers.qdrant_key)
        stack.push_async_callback(vectors.close)
        await objects.ensure_bucket()
        stream = stack.enter_context(decrypting(source.file, source.keys))
        members = ArchiveReader(stream).members()
        for index in source.manifest.indexes:
            await vectors.ensure(index.collection, index.dimension)
        report(f"Restoring the files of {source.manifest.documents} documents and their vectors ...")
        first = await _restore_contents(members, objects, vectors)
        report("Restoring the database ...")
        blocks = _dump_blocks(first, members)
        if await migrate.current(servers.postgres_url) is None:
            await postgres.restore(servers.postgres_url, blocks)
        for _ in blocks:
            pass
        await migrate.upgrade_async(servers.postgres_url)
        connection = await connect_once(servers.postgres_url, "echomind-restore")
        try:
            return await prepare_restored(connection, has_vectors=source.manifest.has_vectors, ledger=ledger)
        finally:
            await connection.close()


async def _restore_contents(members: Iterator[Member], objects: ObjectStore, vectors: VectorIndex) -> Member:
    """Restores files and vectors; returns the first member of the dump."""
    storing: set[asyncio.Task[None]] = set()
    try:
        for member in members:
            if member.name.startswith(DUMP):
                await _all_done(storing)
                return member
            if member.name.startswith(FILES) and member.size <= _SMALL:
                key = member.name.removeprefix(FILES)
                storing.add(asyncio.create_task(objects.put(key, member.read(), _content_type(key))))
                if len(storing) >= _STORED_AT_ONCE:
                    done, storing = await asyncio.wait(storing, return_when=asyncio.FIRST_COMPLETED)
                    await _all_done(done)
            elif member.name.startswith(FILES):
                await _store_large(objects, member)
            elif member.name.startswith(VECTORS):
                collection = member.name.removeprefix(VECTORS).partition("/")[0]
                await vectors.store_copies(collection, member.read())
            elif member.name not in {MANIFEST, SECRETS}:
                raise ArchiveError(f"it has a member {member.name}, which this version does not know")
    finally:
        for task in storing:
            task.cancel()
    raise ArchiveError("it has no dump of the database")


async def _all_done(tasks: set[asyncio.Task[None]]) -> None:
    for task in tasks:
        await task


async def _store_large(objects: ObjectStore, member: Member) -> None:
    key = member.name.removeprefix(FILES)
    with NamedTemporaryFile() as file:
        for piece in member.pieces:
            file.write(piece)
        file.flush()
        await objects.put_file(key, Path(file.name), _content_type(key))


def _content_type(key: str) -> str:
    kinds = {"text": "text/plain; charset=utf-8", "markdown": "text/markdown; charset=utf-8"}
    return kinds.get(key.rpartition("/")[2], "application/octet-stream")


def _dump_blocks(first: Member, members: Iterator[Member]) -> Iterator[bytes]:
    yield from first.pieces
    for member in members:
        if not member.name.startswith(DUMP):
            raise ArchiveError(f"it has {member.name} after the dump of the database")
        yield from member.pieces
