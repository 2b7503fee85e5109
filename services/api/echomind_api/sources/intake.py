"""Taking files in. The one way for uploads over every transport.

The order loses nothing: bytes to the object store, then the row that says they wait, then the wake-up. A failure before
the row leaves an object that nobody names; one after it is repaired by the ingestor's sweep over rows that wait.
"""

import mimetypes
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

import asyncpg

from echomind_api.administration.rows import missing
from echomind_lib.access import Principal
from echomind_lib.errors import FileRejectedError, ValidationFailedError
from echomind_lib.messaging import Bus
from echomind_lib.messaging.streams import DOCUMENTS_PROCESS
from echomind_lib.objects import ObjectStore, original_key
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import DocumentProcess
from echomind_lib.text import TITLE_CHARACTERS, single_line

SOURCE_ID_BYTES: Final = 2000
"""Longest identifier of a document in its connector, in UTF-8: what its index takes."""
_ATTEMPTS: Final = 3
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_CONTENT_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)
_CONTENT_TYPE_LENGTH = 100
_UNKNOWN_TYPES = frozenset({"", "application/octet-stream"})

_FIND = """
    SELECT id, signature, status, deleted_date FROM documents WHERE connector_id = $1 AND source_id = $2
"""
# Takes the name from a removed document that is not cleared away yet. Taking over its row instead would let the
# clearing away, which may be under way, remove the new bytes. No upload has the name that the row gets.
_RELEASE_NAME = """
    UPDATE documents SET source_id = E'\\x01' || id
    WHERE connector_id = $1 AND source_id = $2 AND deleted_date IS NOT NULL
"""
# Nothing comes into a connector that was removed meanwhile: its own row may be gone by then.
_INSERT = """
    INSERT INTO documents (id, connector_id, source_id, title, content_type, signature, size_bytes, user_id_last_update)
    SELECT $1, connectors.id, $3, $4, $5, $6, $7, $8
    FROM connectors WHERE id = $2 AND deleted_date IS NULL FOR KEY SHARE
    ON CONFLICT (connector_id, source_id) DO NOTHING
    RETURNING *
"""
_IS_LIVE = "SELECT true FROM connectors WHERE id = $1 AND deleted_date IS NULL"
# Without its processing session, a worker that still has the version before cannot publish it.
_REPLACE = """
    UPDATE documents SET title = $4, content_type = $5, signature = $6, size_bytes = $7, user_id_last_update = $8,
        status = 'pending', status_message = NULL, processing_session = NULL, attempts = 0
    WHERE id = $1 AND connector_id = $2 AND source_id = $3 AND deleted_date IS NULL
    RETURNING *
"""


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to take in."""

    source_id: str
    """Its identifier in the connector: its name, or its path with `/`."""
    signature: str
    """SHA-256 of its bytes, in lower-case hexadecimal."""
    size: int
    """In bytes."""
    put: Callable[[str], Awaitable[None]]
    """Stores its bytes under a key of the object store."""
    content_type: str = ""
    """Its MIME type; empty means by name."""
    title: str = ""
    """Empty means the name."""


class Intake:
    """Stores files as documents that wait to be processed."""

    def __init__(self, pool: asyncpg.Pool, objects: ObjectStore, bus: Bus) -> None:
        self._pool = pool
        self._objects = objects
        self._bus = bus

    async def take(self, principal: Principal, connector: asyncpg.Record, file: NewFile) -> asyncpg.Record:
        """Takes a file in.

        A file that is stored with the same bytes is left as it is, unless its processing has failed, which is then
        tried again. With other bytes it is processed again; until that is done, searches find the version before.

        Args:
            principal: Who sends it; may manage the connector.
            connector: Where it belongs.
            file: The file.

        Returns:
            The document's row.

        Raises:
            FileRejectedError: It is empty.
        NotFoundError: The connector was removed meanwhile.
            ValidationFailedError: Its identifier is too long, or the connector takes no files.
            DependencyUnavailableError: The object store does not answer.
        """
        if connector["type"] != "file":
            raise ValidationFailedError(
                "connector: takes no uploads, its documents come from elsewhere", connector="takes no uploads"
            )
        if not file.size:
            raise FileRejectedError(f"The file {file.source_id!r} is empty.", name=file.source_id)
        check_source_id(file.source_id)
        for _ in range(_ATTEMPTS):
            if row := await self._try(principal, connector["id"], file):
                await self.wake(row)
                return row
        if not await self._pool.fetchval(_IS_LIVE, connector["id"]):
            raise missing("connector", connector["id"])
        raise FileRejectedError(
            f"The file {file.source_id!r} is being changed by several requests at once: try again.", name=file.source_id
        )

    async def wake(self, document: asyncpg.Record) -> None:
        """Has a document processed, if it waits for it."""
        if document["status"] == "pending":
            await self._bus.wake(DOCUMENTS_PROCESS, DocumentProcess(document_id=document["id"]))

    async def _try(self, principal: Principal, connector_id: int, file: NewFile) -> asyncpg.Record | None:
        """One attempt; none when another request has come in between."""
        found = await self._pool.fetchrow(_FIND, connector_id, file.source_id)
        if found and found["deleted_date"] is not None:
            await self._pool.execute(_RELEASE_NAME, connector_id, file.source_id)
            found = None
        if found and found["signature"] == file.signature and found["status"] != "failed":
            row = await self._pool.fetchrow("SELECT * FROM documents WHERE id = $1", found["id"])
            return row if row and row["deleted_date"] is None else None
        document_id = found["id"] if found else await self._pool.fetchval("SELECT nextval('documents_id_seq')")
        await file.put(original_key(document_id, file.signature))
        stored: asyncpg.Record | None = await self._pool.fetchrow(
            _REPLACE if found else _INSERT,
            document_id,
            connector_id,
            file.source_id,
            single_line(file.title or PurePosixPath(file.source_id).name or file.source_id, TITLE_CHARACTERS),
            _content_type(file),
            file.signature,
            file.size,
            principal.user_id,
        )
        return stored


def check_source_id(source_id: str) -> None:
    """Lets an identifier pass that can be stored.

    Raises:
        ValidationFailedError: It is empty, too long, or has control characters.
    """
    length = len(source_id.encode("utf-8", "replace"))
    if not 1 <= length <= SOURCE_ID_BYTES:
        rule = f"must have 1 to {SOURCE_ID_BYTES} bytes in UTF-8"
    elif _CONTROLS.search(source_id):
        rule = "must not hold control characters"
    else:
        return
    raise ValidationFailedError(f"source_id: {rule}", source_id=rule)


def _content_type(file: NewFile) -> str:
    given = file.content_type.partition(";")[0].strip().lower()
    if given in _UNKNOWN_TYPES or len(given) > _CONTENT_TYPE_LENGTH or not _CONTENT_TYPE.fullmatch(given):
        given = mimetypes.guess_type(PurePosixPath(file.source_id).name)[0] or "application/octet-stream"
    return given
