"""The export of one person: their rows as JSON lines and the files of their private documents, as a ZIP archive.

It is written while it is sent, page by page in transactions of their own: nothing is stored, and a large account holds
neither memory nor a snapshot of the database.
"""

import json
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, Final

from sqlalchemy import Text, cast, func, literal_column, select, tuple_

from echomind_api.calls.authentication import Authentication
from echomind_api.people import require_person
from echomind_api.privacy.archives import StreamedArchive
from echomind_api.privacy.export_rules import LEFT_OUT_COLUMNS, LEFT_OUT_TABLES, Part, own_rows, parts
from echomind_api.rows import audit, missing
from echomind_lib.access import require_role, require_scope
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.documents.names import FILE_NAME
from echomind_lib.errors import NotFoundError, OverloadedError, PermissionDeniedError
from echomind_lib.objects import ObjectStore, original_key

_AT_ONCE: Final = 2
"""Exports that one caller may read at the same time, for each replica."""
_PAGE_ROWS: Final = 200
_RECHECK_SECONDS: Final = 30.0
_NAME_CHARACTERS: Final = 120
_NOT_IN_NAMES: Final = frozenset('<>:"/\\|?*')
_README: Final = """\
Export of one person from EchoMind
==================================

data/NAME.jsonl   The rows of each table, one JSON object a line. A table without rows has no file.
files/ID/NAME     The files of the person's private documents, as they were stored, by the document's id.
manifest.json     What the archive holds, and what it leaves out and why. An archive without it is incomplete.

Rows are as they were when they were read. They include what was removed and is not deleted yet. Other people are named
by the numbers of their accounts. Questions of others in copied conversations, and the copied answers to them, are left
out.
"""


@dataclass(slots=True)
class _Contents:
    """What an archive holds so far."""

    rows: dict[str, int] = field(default_factory=dict)
    """Rows by part."""
    files: int = 0
    missing_files: list[int] = field(default_factory=list)
    """Ids of documents whose file is not stored."""


class PersonExports:
    """Writes exports of people."""

    def __init__(self, database: Database, objects: ObjectStore, authentication: Authentication) -> None:
        self._database, self._objects, self._authentication = database, objects, authentication
        self._running: Counter[int] = Counter()

    async def open(self, user_id: int, call: CallContext) -> AsyncGenerator[bytes]:
        """Records an export in the audit log and returns its bytes, which are made while they are read.

        Args:
            user_id: The person: the caller, or for superadmins anybody.
            call: The call, with principal and method.

        Raises:
            PermissionDeniedError: It is somebody else, and the caller is no superadmin.
            NotFoundError: There is no such account.
            ValidationFailedError: It is a service account.
            OverloadedError: The caller reads several exports already.
        """
        if user_id != call.principal.user_id:
            require_role(call.principal, "superadmin")
            require_scope(call.principal, "administer")
        if self._running[call.principal.user_id] >= _AT_ONCE:
            raise OverloadedError(
                f"You download {_AT_ONCE} exports at the same time, which is the limit: wait for one to end.",
                retry_after_seconds=30,
            )
        exported = self._recheck(self._pieces(user_id), call)
        # It is counted before anything is waited for, and begun, so that it ends whether or not it is read.
        await anext(exported)
        try:
            async with self._database.session() as session:
                if await session.get(rows.User, user_id) is None:
                    raise missing("user", user_id)
                await require_person(session, user_id)
                audit(session, call, f"users/{user_id}")
        except BaseException:
            await exported.aclose()
            raise
        return exported

    async def _recheck(self, pieces: AsyncIterator[bytes], call: CallContext) -> AsyncGenerator[bytes]:
        """Passes pieces on as long as the caller's credential is valid, with the rights it had at the beginning.

        The first one is empty, and counts the export.
        """
        checked_at, caller = time.monotonic(), call.principal.user_id
        self._running[caller] += 1
        try:
            yield b""
            async for piece in pieces:
                if time.monotonic() - checked_at > _RECHECK_SECONDS:
                    checked_at = time.monotonic()
                    current = await self._authentication.principal_of(call)
                    # Another limit of requests is no other right.
                    if replace(current, rates=call.principal.rates) != call.principal:
                        raise PermissionDeniedError("Your rights have changed during the export: export again.")
                yield piece
        finally:
            self._running[caller] -= 1
            if not self._running[caller]:
                del self._running[caller]

    async def _pieces(self, user_id: int) -> AsyncIterator[bytes]:
        contents = _Contents()
        with StreamedArchive() as archive:
            archive.begin_file("README.txt")
            async for piece in archive.write(_README.encode()):
                yield piece
            yield archive.end_file()
            for part in parts():
                async for piece in self._part(archive, part, user_id, contents):
                    yield piece
            async for piece in self._files(archive, user_id, contents):
                yield piece
            archive.begin_file("manifest.json")
            async for piece in archive.write(_manifest(user_id, contents)):
                yield piece
            yield archive.end_file()
            yield archive.end()

    async def _part(
        self, archive: StreamedArchive, part: Part, user_id: int, contents: _Contents
    ) -> AsyncIterator[bytes]:
        async for lines in self._pages(part, user_id):
            if part.name not in contents.rows:
                archive.begin_file(f"data/{part.name}.jsonl")
                contents.rows[part.name] = 0
            contents.rows[part.name] += len(lines)
            async for piece in archive.write("".join(f"{line}\n" for line in lines).encode()):
                yield piece
        yield archive.end_file()

    async def _pages(self, part: Part, user_id: int) -> AsyncIterator[list[str]]:
        """Yields the rows of a part as JSON, in pages by primary key."""
        key = list(part.table.primary_key)
        query = select(*part.columns).where(part.rows(user_id)).order_by(*key).limit(_PAGE_ROWS)
        last: tuple[Any, ...] | None = None
        while True:
            page = (query if last is None else query.where(tuple_(*key) > tuple_(*last))).subquery(
                "exported_row"
            )  # no column has this name
            names = [page.c[column.name] for column in key]
            as_json = cast(func.row_to_json(literal_column("exported_row")), Text)
            async with self._database.session() as session:
                found = (await session.execute(select(as_json, *names).order_by(*names))).all()
            if not found:
                return
            last = tuple(found[-1])[1:]
            yield [row[0] for row in found]

    async def _files(self, archive: StreamedArchive, user_id: int, contents: _Contents) -> AsyncIterator[bytes]:
        """Writes the files of documents of the person's private connectors."""
        query = (
            select(rows.Document.id, rows.Document.signature, FILE_NAME)
            .where(own_rows("documents", user_id), rows.Document.signature.is_not(None))
            .order_by(rows.Document.id)
            .limit(_PAGE_ROWS)
        )
        last = 0
        while True:
            async with self._database.session() as session:
                found = (await session.execute(query.where(rows.Document.id > last))).all()
            if not found:
                return
            for document in found:
                last = document.id
                async for piece in self._file(archive, document, contents):
                    yield piece

    async def _file(self, archive: StreamedArchive, document: Any, contents: _Contents) -> AsyncIterator[bytes]:
        stored = self._objects.stream(original_key(document.id, document.signature))
        try:
            first = await anext(stored, b"")
        except NotFoundError:
            contents.missing_files.append(document.id)
            return
        archive.begin_file(f"files/{document.id}/{_safe_name(document.file_name)}", compressed=False)
        contents.files += 1
        async for piece in archive.write(first):
            yield piece
        async for data in stored:
            async for piece in archive.write(data):
                yield piece
        yield archive.end_file()


def _safe_name(name: str) -> str:
    """Returns a file name that every system can store, and that leads to no other folder."""
    base = name.replace("\\", "/").rpartition("/")[2]
    kept = "".join(character for character in base if character.isprintable() and character not in _NOT_IN_NAMES)
    return kept[-_NAME_CHARACTERS:].strip(" .") or "file"


def _manifest(user_id: int, contents: _Contents) -> bytes:
    manifest = {
        "userId": user_id,
        "createdAt": datetime.now(UTC).isoformat(),
        "version": version("echomind"),
        "rows": contents.rows,
        "files": contents.files,
        "missingFiles": [str(document) for document in contents.missing_files],
        "leftOut": {
            "tables": LEFT_OUT_TABLES,
            "columns": LEFT_OUT_COLUMNS,
            "knowledge_entities": "only those of the person alone; what is shared belongs to the organization",
            "files": "only those of private connectors; files that others read belong to their connector",
            "vectors": "are made from the texts, for searches",
        },
    }
    return (json.dumps(manifest, indent=2) + "\n").encode()
