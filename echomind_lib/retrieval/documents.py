"""The rows that decide which chunks count: the active index, current versions, and what a reader may read now."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import asyncpg
from sqlalchemy import BigInteger, any_, bindparam, select, true
from sqlalchemy.dialects.postgresql import ARRAY

from echomind_lib.access import Principal, connectors_of_scopes
from echomind_lib.db.models import Connector, Document, EmbeddingModel
from echomind_lib.db.statements import Query
from echomind_lib.indexes import Index
from echomind_lib.indexes.rows import IS_ACTIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadableDocument:
    """A document that a reader may read."""

    id: int
    connector_id: int
    title: str
    language: str | None
    status: str
    chunking_session: UUID | None
    """Its current version; None when it has no text yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """The active index with one of the documents, or with none."""

    collection: str
    model_id: str
    dimension: int
    id: int | None
    connector_id: int
    title: str
    language: str | None
    status: str
    chunking_session: UUID | None


_rule = connectors_of_scopes()
_readable = (
    select(
        Document.id,
        Document.connector_id,
        Document.title,
        Document.language,
        Document.status,
        Document.chunking_session,
    )
    .join(Connector, Connector.id == Document.connector_id)
    .where(Document.deleted_date.is_(None), Connector.deleted_date.is_(None), _rule.where(Connector))
)
_found = _readable.where(Document.id == any_(bindparam("ids", type_=ARRAY(BigInteger)))).subquery("found")
_ACTIVE_AND_FOUND: Final = Query(
    select(
        EmbeddingModel.collection,
        EmbeddingModel.model_id,
        EmbeddingModel.model_dimension.label("dimension"),
        *_found.c,
    )
    .select_from(EmbeddingModel)
    .outerjoin(_found, true())
    .where(IS_ACTIVE),
    _Row,
)
_READABLE: Final = Query(_readable.where(Document.id == bindparam("document_id", type_=BigInteger)), ReadableDocument)


async def readable_documents(
    pool: asyncpg.Pool, reader: Principal, ids: Collection[int]
) -> tuple[dict[int, ReadableDocument], Index | None]:
    """Returns those of some documents that a reader may read, by id, and the index that is active at that moment."""
    rows = await _ACTIVE_AND_FOUND.fetch_all(pool, ids=list(ids), **_rule.values(reader))
    if not rows:
        return {}, None
    first = rows[0]
    documents = {
        row.id: ReadableDocument(
            id=row.id,
            connector_id=row.connector_id,
            title=row.title,
            language=row.language,
            status=row.status,
            chunking_session=row.chunking_session,
        )
        for row in rows
        if row.id is not None
    }
    return documents, Index(collection=first.collection, model_id=first.model_id, dimension=first.dimension)


async def readable_document(pool: asyncpg.Pool, reader: Principal, document_id: int) -> ReadableDocument | None:
    """Returns a document; None when there is none that the reader may read."""
    return await _READABLE.fetch_one(pool, document_id=document_id, **_rule.values(reader))
