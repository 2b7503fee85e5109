"""Filling an index beside the active one: which documents it lacks, which it has, and which failed.

A document is in an index if it was processed into it (`documents.index_id`), or if `index_documents` has its current
version. So whatever is processed, replaced or moved while an index is filled is found by comparing rows, and nothing
has to be written twice.
"""

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    SmallInteger,
    Text,
    Uuid,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import aliased

from echomind_lib.access.documents import source_readers_of
from echomind_lib.db.models import Connector, Document, EmbeddingModel, IndexDocument
from echomind_lib.db.statements import Command, Connection, Query, columns
from echomind_lib.indexes.rows import IS_FILLED

_RATE_SECONDS: Final = 120
"""Time over which the rate of copying is measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingDocument:
    """A published version of a document that an index does not have."""

    id: int
    chunking_session: UUID
    chunk_count: int
    title: str
    language: str | None
    source: str | None
    """The collection that has its chunks; None if it is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TitledDocument:
    """A published document with passages."""

    id: int
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentReaders:
    """What the chunks of a document contain besides its text."""

    connector_id: int
    scope: str
    scope_id: str | None
    user_id: int
    source_readers: list[int] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildProgress:
    """How far an index is filled."""

    documents: int
    """Published documents."""
    done: int
    """Those that are in the index."""
    failed: int
    """Those that could not be copied."""
    chunks_left: int
    """Passages that are to be copied."""
    recent_chunks: int
    """Passages that were copied within the last two minutes."""

    @property
    def seconds_left(self) -> int | None:
        """Returns an estimate; None if nothing was copied lately."""
        if not self.chunks_left:
            return 0
        return round(self.chunks_left * _RATE_SECONDS / self.recent_chunks) if self.recent_chunks else None


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildFailure:
    """A document that could not be copied to an index."""

    document_id: int
    error: str


_index_id = bindparam("index_id", type_=SmallInteger)
_document_id = bindparam("document_id", type_=BigInteger)
_session = bindparam("session", type_=Uuid)
_active = aliased(EmbeddingModel, name="active")
_source = aliased(EmbeddingModel, name="source")
_copied = aliased(IndexDocument, name="copied")
_recorded = aliased(IndexDocument, name="recorded")
_is_published = and_(
    Document.deleted_date.is_(None), Document.chunking_session.is_not(None), Connector.deleted_date.is_(None)
)


def _is_in(index_id: Any, recorded: Any = IndexDocument) -> ColumnElement[bool]:
    """Returns the condition that the current version of a document is in an index."""
    found = exists().where(
        recorded.document_id == Document.id,
        recorded.index_id == index_id,
        recorded.chunking_session == Document.chunking_session,
        recorded.error.is_(None),
    )
    return or_(func.coalesce(Document.index_id, 0) == index_id, found.correlate_except(recorded))


_is_recorded = (
    exists()
    .where(
        _recorded.document_id == Document.id,
        _recorded.index_id == _index_id,
        _recorded.chunking_session == Document.chunking_session,
    )
    .correlate_except(_recorded)
)
_is_missing = and_(func.coalesce(Document.index_id, 0) != _index_id, ~_is_recorded)
# Chunks are copied from the active index, which is never dropped; those that it does not have itself, from the index to
# which the document was written.
_MISSING: Final = Query(
    select(
        *columns(
            MissingDocument,
            Document,
            source=case(
                (
                    and_(_active.id != _index_id, or_(Document.index_id.is_(None), _is_in(_active.id, _copied))),
                    _active.collection,
                ),
                else_=_source.collection,
            ),
        )
    )
    .join(Connector, Connector.id == Document.connector_id)
    .join(EmbeddingModel, and_(EmbeddingModel.id == _index_id, IS_FILLED))
    .join(_active, and_(_active.is_active, _active.deleted_date.is_(None)))
    .outerjoin(_source, _source.id == Document.index_id)
    .where(_is_published, Document.id > bindparam("after", type_=BigInteger), _is_missing)
    .order_by(Document.id)
    .limit(bindparam("limit", type_=Integer)),
    MissingDocument,
)
_SAMPLE: Final = Query(
    select(Document.id, Document.title)
    .join(Connector, Connector.id == Document.connector_id)
    .where(_is_published, Document.chunk_count > 0, Document.title != "")
    .order_by(Document.id)
    .limit(bindparam("limit", type_=Integer)),
    TitledDocument,
)
_READERS: Final = Query(
    select(
        Document.connector_id,
        Connector.scope,
        Connector.scope_id,
        Connector.user_id,
        source_readers_of().label("source_readers"),
    )
    .join(Connector, Connector.id == Document.connector_id)
    .where(_is_published, Document.id == _document_id, Document.chunking_session == _session),
    CurrentReaders,
)
_row = select(
    Document.id, _index_id, _session, bindparam("chunk_count", type_=Integer), bindparam("error", type_=Text)
).where(
    Document.id == _document_id,
    Document.chunking_session == _session,
    # The points of a removed document may have been deleted before these were stored.
    Document.deleted_date.is_(None),
    exists().where(EmbeddingModel.id == _index_id, IS_FILLED),
)
_insert = insert(IndexDocument).from_select(
    ["document_id", "index_id", "chunking_session", "chunk_count", "error"], _row
)
_RECORD: Final = Command(
    _insert.on_conflict_do_update(
        index_elements=[IndexDocument.document_id, IndexDocument.index_id],
        set_={
            "chunking_session": _insert.excluded.chunking_session,
            "chunk_count": _insert.excluded.chunk_count,
            "error": _insert.excluded.error,
            "creation_date": func.now(),
        },
    )
)
_failed = (
    select(func.count())
    .select_from(IndexDocument)
    .where(IndexDocument.index_id == _index_id, IndexDocument.error.is_not(None))
)
_recent = select(func.coalesce(func.sum(IndexDocument.chunk_count), 0)).where(
    IndexDocument.index_id == _index_id,
    IndexDocument.creation_date > func.now() - func.make_interval(0, 0, 0, 0, 0, 0, _RATE_SECONDS),
)
_PROGRESS: Final = Query(
    select(
        func.count().label("documents"),
        func.count().filter(_is_in(_index_id)).label("done"),
        _failed.scalar_subquery().label("failed"),
        func.coalesce(func.sum(Document.chunk_count).filter(_is_missing), 0).label("chunks_left"),
        _recent.scalar_subquery().label("recent_chunks"),
    )
    .select_from(Document)
    .join(Connector, Connector.id == Document.connector_id)
    .where(_is_published),
    BuildProgress,
)
_FAILURES: Final = Query(
    select(IndexDocument.document_id, IndexDocument.error)
    .where(IndexDocument.index_id == _index_id, IndexDocument.error.is_not(None))
    .order_by(IndexDocument.document_id)
    .limit(bindparam("limit", type_=Integer)),
    BuildFailure,
)
_FORGET_FAILURES: Final = Command(
    delete(IndexDocument).where(IndexDocument.index_id == _index_id, IndexDocument.error.is_not(None))
)


async def missing_documents(connection: Connection, index_id: int, after: int, limit: int) -> list[MissingDocument]:
    """Returns documents that an index does not have, by id from `after` on; none if it is not filled any more."""
    return await _MISSING.fetch_all(connection, index_id=index_id, after=after, limit=limit)


async def sample_documents(connection: Connection, limit: int) -> list[TitledDocument]:
    """Returns a few published documents that have passages."""
    return await _SAMPLE.fetch_all(connection, limit=limit)


async def current_readers(connection: Connection, document_id: int, session: UUID) -> CurrentReaders | None:
    """Returns who may read a version of a document; None if it is not the current one."""
    return await _READERS.fetch_one(connection, document_id=document_id, session=session)


async def record(connection: Connection, index_id: int, document: MissingDocument, error: str | None = None) -> bool:
    """Records that a version of a document is in an index, or why not; False if it is not the current one any more."""
    values = {"chunk_count": document.chunk_count, "error": error}
    return bool(
        await _RECORD.execute(
            connection, index_id=index_id, document_id=document.id, session=document.chunking_session, **values
        )
    )


async def build_progress(connection: Connection, index_id: int) -> BuildProgress:
    """Returns how far an index is filled."""
    progress = await _PROGRESS.fetch_one(connection, index_id=index_id)
    assert progress is not None  # an aggregate has one row
    return progress


async def build_failures(connection: Connection, index_id: int, limit: int) -> list[BuildFailure]:
    """Returns documents that could not be copied to an index."""
    return await _FAILURES.fetch_all(connection, index_id=index_id, limit=limit)


async def retry_failures(connection: Connection, index_id: int) -> None:
    """Makes documents that could not be copied missing ones again."""
    await _FORGET_FAILURES.execute(connection, index_id=index_id)
