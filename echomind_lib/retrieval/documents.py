"""The rows that decide which hits are valid: the active index, current versions, and the reader's access rights."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import asyncpg
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    DateTime,
    Integer,
    Select,
    SQLColumnExpression,
    Text,
    any_,
    bindparam,
    exists,
    func,
    or_,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY

from echomind_lib.access import Principal
from echomind_lib.access.documents import documents_of_scopes
from echomind_lib.access.notebooks import NOTEBOOK_ID, in_notebook
from echomind_lib.db.models import Connector, Document, EmbeddingModel, SourceFolder
from echomind_lib.db.pool import planned_for_values
from echomind_lib.db.statements import Query, columns
from echomind_lib.documents.folders import PATH_SEPARATOR
from echomind_lib.documents.guide import IS_GUIDE
from echomind_lib.documents.kinds import kind, kind_of
from echomind_lib.documents.names import FILE_NAME
from echomind_lib.indexes import Index
from echomind_lib.indexes.rows import INDEX_COLUMNS, IS_ACTIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadableDocument:
    """A document that a reader may read."""

    id: int
    connector_id: int
    title: str
    language: str | None
    status: str
    chunking_session: UUID | None
    """Its current version; None if it has no text yet."""
    content_type: str | None
    creation_date: datetime
    signature: str | None
    """SHA-256 of its bytes."""
    file_name: str
    chunk_count: int
    """Number of its passages."""
    is_guide: bool
    """Whether it is a page of the guide to EchoMind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFilter:
    """A filter of the searched documents; an empty one matches all."""

    content_types: Sequence[str] = ()
    """MIME types; one that ends in `/*` matches by prefix."""
    created_from: datetime | None = None
    created_before: datetime | None = None
    languages: Sequence[str] = ()
    """ISO 639-1 codes."""
    kinds: Sequence[str] = ()
    """Words of `DocumentKind`."""
    folder: str = ""
    """Only documents in this folder and those in it: names from the top, separated by `/`."""

    @property
    def is_empty(self) -> bool:
        """Returns whether it matches all documents."""
        return not (
            self.content_types
            or self.languages
            or self.kinds
            or self.folder
            or self.created_from
            or self.created_before
        )

    def allows(self, document: ReadableDocument) -> bool:
        """Returns whether a document matches, but for its folder, which `matching_documents` alone knows."""
        kind = document.content_type or ""
        return (
            (not self.content_types or any(_is_of(kind, allowed) for allowed in self.content_types))
            and (self.created_from is None or document.creation_date >= self.created_from)
            and (self.created_before is None or document.creation_date < self.created_before)
            and (not self.languages or document.language in self.languages)
            and (not self.kinds or kind_of(document.content_type) in self.kinds)
        )


ALL_DOCUMENTS: Final = DocumentFilter()


def _is_of(content_type: str, allowed: str) -> bool:
    return content_type.startswith(allowed[:-1]) if allowed.endswith("/*") else content_type == allowed


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row(ReadableDocument):
    """A document with the active index. Where none was found, a row has the index alone: its `id` is None."""

    collection: str
    model_id: str
    dimension: int
    sparse_encoder: str


READABLE_COLUMNS: Final = columns(ReadableDocument, Document, file_name=FILE_NAME, is_guide=IS_GUIDE)
_rule = documents_of_scopes()
OF_NOTEBOOK: Final = in_notebook(NOTEBOOK_ID)
"""The condition that a document is a source of the notebook of the parameter `notebook_id`."""


def readable(*selected: SQLColumnExpression[Any], by_source: bool = True) -> Select[Any]:
    """Returns a statement that selects columns of the readable documents and their connectors.

    Args:
        selected: The columns.
        by_source: As for `documents_of_scopes`.
    """
    rule = documents_of_scopes(by_source=by_source)
    return (
        select(*selected)
        .join_from(Document, Connector, Connector.id == Document.connector_id)
        .where(Document.deleted_date.is_(None), Connector.deleted_date.is_(None), rule.where())
    )


_readable = readable(*READABLE_COLUMNS)


def with_active_index(documents: Select[Any], *conditions: ColumnElement[bool]) -> Select[Any]:
    """Returns a statement that selects the active index with each of the documents `ids`, or with none.

    Args:
        documents: The statement that selects documents, as from `readable`.
        conditions: Further conditions on the documents.
    """
    found = documents.where(Document.id == any_(bindparam("ids", type_=ARRAY(BigInteger))), *conditions)
    rows = found.subquery("found")
    return select(*INDEX_COLUMNS, *rows.c).select_from(EmbeddingModel).outerjoin(rows, true()).where(IS_ACTIVE)


_ACTIVE_AND_FOUND: Final = Query(with_active_index(_readable), _Row)
_ACTIVE_AND_FOUND_BY_SCOPE: Final = Query(with_active_index(readable(*READABLE_COLUMNS, by_source=False)), _Row)
_ACTIVE_AND_FOUND_IN_NOTEBOOK: Final = Query(with_active_index(_readable, OF_NOTEBOOK), _Row)
_one = _readable.where(Document.id == bindparam("document_id", type_=BigInteger))
_READABLE: Final = Query(_one, ReadableDocument)
_READABLE_IN_NOTEBOOK: Final = Query(_one.where(OF_NOTEBOOK), ReadableDocument)


_WITH_MEMBERS: Final = Query(
    select(Document.id).where(
        or_(
            Document.id == any_(bindparam("ids", type_=ARRAY(BigInteger))),
            Document.container_id == any_(bindparam("ids", type_=ARRAY(BigInteger))),
        ),
        Document.deleted_date.is_(None),
    ),
    int,
)


async def with_members(pool: asyncpg.Pool, ids: Collection[int]) -> list[int]:
    """Returns some documents, and the files within them: attachments of e-mails, members of archives."""
    return [*await _WITH_MEMBERS.fetch_all(pool, ids=list(ids))] or list(ids)


async def readable_documents(
    pool: asyncpg.Pool,
    reader: Principal,
    ids: Collection[int],
    notebook_id: int | None = None,
    *,
    by_source: bool = True,
) -> tuple[dict[int, ReadableDocument], Index | None]:
    """Returns the documents that a reader may read, by id, and the active index at that moment.

    Args:
        pool: The database.
        reader: The asker.
        ids: The documents.
        notebook_id: The reader's notebook, which restricts the result to its sources; None for no notebook.
        by_source: False if there was no connector with source permissions a moment ago: one that has been added since
            is then left out.
    """
    values = {"ids": list(ids), **_rule.values(reader)}
    if notebook_id is None:
        found = _ACTIVE_AND_FOUND if by_source else _ACTIVE_AND_FOUND_BY_SCOPE
        rows = await found.fetch_all(pool, **values)
    else:
        rows = await _ACTIVE_AND_FOUND_IN_NOTEBOOK.fetch_all(pool, notebook_id=notebook_id, **values)
    if not rows:
        return {}, None
    first = rows[0]
    index = Index(
        collection=first.collection,
        model_id=first.model_id,
        dimension=first.dimension,
        sparse_encoder=first.sparse_encoder,
    )
    documents: dict[int, ReadableDocument] = {row.id: row for row in rows if row.id is not None}
    return documents, index


_patterns = bindparam("patterns", type_=ARRAY(Text))
_languages = bindparam("languages", type_=ARRAY(Text))
_kinds = bindparam("kinds", type_=ARRAY(Text))
_ids = bindparam("ids", type_=ARRAY(BigInteger))
_folder, _shown_folder = bindparam("folder", type_=Text), bindparam("shown_folder", type_=Text)
_matching = (
    select(Document.id)
    .join(Connector, Connector.id == Document.connector_id)
    .where(
        Document.deleted_date.is_(None),
        Connector.deleted_date.is_(None),
        _rule.where(),
        or_(_ids.is_(None), Document.id == any_(_ids)),
        or_(func.cardinality(_patterns) == 0, Document.content_type.like(any_(_patterns))),
        or_(func.cardinality(_languages) == 0, Document.language == any_(_languages)),
        or_(func.cardinality(_kinds) == 0, kind() == any_(_kinds)),
        Document.creation_date >= func.coalesce(bindparam("created_from", type_=DateTime(timezone=True)), "-infinity"),
        Document.creation_date < func.coalesce(bindparam("created_before", type_=DateTime(timezone=True)), "infinity"),
    )
    .limit(bindparam("limit", type_=Integer))
)
_MATCHING: Final = Query(_matching, int)
# Where documents are files, their paths are their ids at the source; elsewhere, the source's folders have them.
_MATCHING_IN_FOLDER: Final = Query(
    _matching.where(
        or_(
            func.starts_with(Document.source_id, _folder.concat("/")),
            exists().where(
                SourceFolder.connector_id == Document.connector_id,
                SourceFolder.source_id == Document.folder_source_id,
                or_(
                    SourceFolder.path == _shown_folder,
                    func.starts_with(SourceFolder.path, _shown_folder.concat(PATH_SEPARATOR)),
                ),
            ),
        )
    ),
    int,
)


async def matching_documents(
    pool: asyncpg.Pool, reader: Principal, requested: DocumentFilter, limit: int, ids: Collection[int] | None = None
) -> list[int]:
    """Returns the ids of documents that match a filter and that a reader may read, at most `limit`.

    Args:
        pool: The database.
        reader: The asker.
        requested: The filter.
        limit: Maximum number of documents.
        ids: Only these; None for all.
    """
    patterns = [
        each.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_").replace("/*", "/%")
        for each in requested.content_types
    ]
    values: dict[str, Any] = {
        **_rule.values(reader),
        "ids": None if ids is None else list(ids),
        "patterns": patterns,
        "languages": list(requested.languages),
        "kinds": list(requested.kinds),
        "created_from": requested.created_from,
        "created_before": requested.created_before,
        "limit": limit,
    }
    async with planned_for_values(pool) as connection:
        if not requested.folder:
            return await _MATCHING.fetch_all(connection, **values)
        folder = requested.folder.strip().rstrip("/")
        shown = PATH_SEPARATOR.join(name.strip() for name in folder.split("/"))
        return await _MATCHING_IN_FOLDER.fetch_all(connection, folder=folder, shown_folder=shown, **values)


async def readable_document(
    pool: asyncpg.Pool, reader: Principal, document_id: int, notebook_id: int | None = None
) -> ReadableDocument | None:
    """Returns a document; None if the reader may not read it, or it is not in the given notebook."""
    values = {"document_id": document_id, **_rule.values(reader)}
    if notebook_id is None:
        return await _READABLE.fetch_one(pool, **values)
    return await _READABLE_IN_NOTEBOOK.fetch_one(pool, notebook_id=notebook_id, **values)
