"""Consistency check of the storage: documents against their files, chunks and readers, and orphans.

It works page by page, so that an installation of any size can be checked while in use. Documents that wait or are being
processed are skipped, because they are not stored completely yet.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import BigInteger, bindparam, select, text

from echomind_lib.access.documents import chunk_scope, source_readers_of
from echomind_lib.access.effective_readers import EFFECTIVE_READERS
from echomind_lib.db.database import Database
from echomind_lib.db.models import Connector, Document
from echomind_lib.db.paging import read_page
from echomind_lib.db.statements import Query, columns
from echomind_lib.documents.owners import FOLDER, OWNERS, Owner, document_of
from echomind_lib.indexes import active_index
from echomind_lib.indexes.rows import known_collections
from echomind_lib.models.public import CheckStorageResponse, StorageFinding, StorageFindingKind
from echomind_lib.objects import ObjectStore, original_key, text_key
from echomind_lib.vectors import Found, VectorIndex

_DOCUMENTS: Final = 100
_FILES: Final = 1000
_POINTS: Final = 1000
_AT_ONCE: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    """A document's row."""

    id: int
    connector_id: int
    signature: str | None
    chunking_session: UUID | None
    chunk_count: int
    is_settled: bool
    """Whether its processing has ended."""
    scope: str
    user_id: int
    scope_id: str | None
    source_readers: list[int] | None
    is_behind: bool
    """Whether its chunks are about to get its readers."""


_PAGE: Final = Query(
    select(
        *columns(
            _Stored,
            Document,
            is_settled=Document.status.in_(["completed", "failed"]),
            scope=Connector.scope,
            user_id=Connector.user_id,
            scope_id=Connector.scope_id,
            source_readers=source_readers_of(),
            is_behind=Document.readers_changed_at.is_not(None),
        )
    )
    .join(Connector, Connector.id == Document.connector_id)
    .where(
        Document.deleted_date.is_(None),
        Connector.deleted_date.is_(None),
        Document.id > bindparam("after", type_=BigInteger),
    )
    .order_by(Document.id)
    .limit(_DOCUMENTS),
    _Stored,
)
# Documents of connectors without the permission mode `source` must have no readers at the source.
_WRONG_READERS: Final = Query(
    text(
        f"""
        WITH RECURSIVE concerned AS MATERIALIZED (
            SELECT documents.id, documents.connector_id, folder_source_id AS folder,
                CASE WHEN permission_mode = 'source' THEN source_readers END AS readers
            FROM documents JOIN connectors ON connectors.id = documents.connector_id
            WHERE documents.id = ANY(CAST(:ids AS bigint[]))
        ), {EFFECTIVE_READERS}, stored AS (
            SELECT document_id, principal_id FROM document_acl WHERE document_id = ANY(CAST(:ids AS bigint[]))
        )
        SELECT document_id FROM (TABLE readers EXCEPT TABLE stored) AS missing
        UNION
        SELECT document_id FROM (TABLE stored EXCEPT TABLE readers) AS left_over
        """  # noqa: S608 - no value is in it
    ),
    int,
)


class StorageCheck:
    """Checks the consistency of the storage."""

    def __init__(self, database: Database, objects: ObjectStore, vectors: VectorIndex) -> None:
        self._pool = database.pool
        self._objects = objects
        self._vectors = vectors

    async def check(self, page_token: str) -> CheckStorageResponse:
        """Compares the page of a token; an empty one is the first.

        Raises:
            InvalidPageTokenError: The token is damaged.
            DependencyUnavailableError: Vector index or object store do not answer.
        """
        page = read_page(1, page_token, tuple[str, str], "storage")
        phase, after = page.after or ("documents", "0")
        collections = sorted(await known_collections(self._pool) & await self._vectors.collections())
        phases = ["documents", "files", *collections]
        if phase == "documents":
            findings, checked, last = await self._documents(int(after))
        elif phase == "files":
            findings, checked, last = await self._files(after)
        else:
            findings, checked, last = await self._chunks(phase, after or None)
        following: tuple[str, str] | None = (phase, last)
        if not last:
            rest = phases[phases.index(phase) + 1 :] if phase in phases else []
            following = (rest[0], "") if rest else None
        # With one more row than the page size, `cut` returns a token.
        _, token = page.cut([following, following] if following else [following], lambda row: row or ("", ""))
        return CheckStorageResponse(findings=findings, checked=checked, next_page_token=token)

    async def _documents(self, after: int) -> tuple[list[StorageFinding], int, str]:
        documents = await _PAGE.fetch_all(self._pool, after=after)
        ids = [each.id for each in documents]
        limit = asyncio.Semaphore(_AT_ONCE)

        async def files(document_id: int) -> list[str]:
            async with limit:
                return await self._objects.keys(f"{FOLDER}{document_id}/")

        keys = await asyncio.gather(*(files(each) for each in ids))
        chunks = await self._points(ids)
        again = {each.id: each for each in await _PAGE.fetch_all(self._pool, after=after)}
        findings = [
            finding
            for document, present in zip(documents, keys, strict=True)
            # Skip documents that changed during the check.
            if document == again.get(document.id)
            for finding in _compare(document, present, chunks.get(document.id, ()))
        ]
        for document_id in await _WRONG_READERS.fetch_all(self._pool, ids=ids):
            detail = "the stored readers are not those that follow from the source"
            findings.append(_finding(StorageFindingKind.READERS, document_id, detail))
        return findings, len(documents), str(ids[-1]) if len(documents) == _DOCUMENTS else ""

    async def _points(self, ids: Sequence[int]) -> Mapping[int, list[Found]]:
        found: dict[int, list[Found]] = defaultdict(list)
        if ids and (index := await active_index(self._pool)) is not None:
            async for point in self._vectors.scroll(index.collection, {"document_id": list(ids)}):
                found[point.payload["document_id"]].append(point)
        return found

    async def _files(self, after: str) -> tuple[list[StorageFinding], int, str]:
        stored = await self._objects.page(FOLDER, after, _FILES)
        owner_of = {each.key: document_of(each.key) for each in stored}
        owners = await self._owners({each for each in owner_of.values() if each is not None})
        findings = [
            _finding(StorageFindingKind.FILE_STRAY, document_id or 0, key)
            for key, document_id in owner_of.items()
            if document_id is None or (owner := owners.get(document_id)) is None or not owner.needs(key)
        ]
        return findings, len(stored), stored[-1].key if len(stored) == _FILES else ""

    async def _chunks(self, collection: str, begin: str | None) -> tuple[list[StorageFinding], int, str]:
        versions, following = await self._vectors.versions(collection, begin, _POINTS)
        owners = await self._owners(set(versions.values()))
        findings = [
            _finding(StorageFindingKind.CHUNKS_STRAY, document_id, f"{collection}: {session}")
            for session, document_id in versions.items()
            if document_id not in owners
        ]
        return findings, len(versions), following or ""

    async def _owners(self, ids: set[int]) -> Mapping[int, Owner]:
        return {owner.id: owner for owner in await OWNERS.fetch_all(self._pool, ids=list(ids))}


def _compare(document: _Stored, keys: Sequence[str], chunks: Sequence[Found]) -> list[StorageFinding]:
    if not document.is_settled:
        return []
    findings = []

    def add(kind: StorageFindingKind, detail: str) -> None:
        findings.append(_finding(kind, document.id, detail))

    if document.signature and (original := original_key(document.id, document.signature)) not in keys:
        add(StorageFindingKind.FILE_MISSING, original)
    session = document.chunking_session
    if session and (extracted := text_key(document.id, session)) not in keys:
        add(StorageFindingKind.TEXT_MISSING, extracted)
    own = [each for each in chunks if each.payload["chunking_session"] == str(session)]
    expected = document.chunk_count if session else 0
    if {each.payload["position"] for each in own} != set(range(expected)) or len(own) != expected:
        add(StorageFindingKind.CHUNKS_MISSING, f"{len(own)} of {expected}")
    if len(own) != len(chunks):
        add(StorageFindingKind.CHUNKS_OTHER, f"{len(chunks) - len(own)} of other processings")
    scope = chunk_scope(document.scope, document.user_id, document.scope_id, document.source_readers)
    given = {"scope": scope, "connector_id": document.connector_id}
    wrong = [each for each in own if any(each.payload[field] != value for field, value in given.items())]
    if wrong and not document.is_behind:
        add(StorageFindingKind.CHUNKS_READERS, f"{wrong[0].payload['scope']} in place of {scope}")
    return findings


def _finding(kind: StorageFindingKind, document_id: int, detail: str) -> StorageFinding:
    return StorageFinding(kind=kind, document_id=document_id, detail=detail)
