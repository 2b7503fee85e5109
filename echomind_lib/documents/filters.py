"""Filters of documents: one definition for lists, counts and changes."""

from typing import Final

import msgspec
from sqlalchemy import ColumnElement, func, literal_column

from echomind_lib.db.models import Connector, Document
from echomind_lib.db.patterns import pattern_of
from echomind_lib.documents.kinds import kind

_MAX_WORDS: Final = 10


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """A filter of documents by columns; each non-empty field restricts it.

    Attributes:
        query: Words that must all occur in title or path.
        statuses: Words of `DocumentStatus`.
        kinds: Words of `DocumentKind`.
        connector_ids: Connectors.
        folder: The beginning of the path, without the last `/`.
        scope: A word of `Scope`.
        group: The group's name, with the scope `group`.
        parent_id: The document around them; 0 for any.
        ids: Documents.
    """

    query: str = ""
    statuses: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    connector_ids: tuple[int, ...] = ()
    folder: str = ""
    scope: str = ""
    group: str = ""
    parent_id: int = 0
    ids: tuple[int, ...] = ()


def matching(given: Filter) -> list[ColumnElement[bool]]:
    """Returns the conditions on documents, joined with their connectors, of a filter."""
    conditions = [*in_place(given), *of_connectors(given)]
    if given.statuses:
        conditions.append(Document.status.in_(given.statuses))
    if given.kinds:
        conditions.append(kind().in_(given.kinds))
    return conditions


def in_place(given: Filter, row: type[Document] = Document) -> list[ColumnElement[bool]]:
    """Returns the conditions of a filter on where documents are, by names, folder, parent and ids.

    Args:
        given: The filter.
        row: The mapped class, or an alias of it.
    """
    # Must be the index's own expression: with a bind parameter between title and path the index would not be used.
    name = func.lower(row.title.concat(literal_column("' '")).concat(row.source_id))
    words = given.query.split()[:_MAX_WORDS]
    conditions: list[ColumnElement[bool]] = [name.like(func.lower(pattern_of(word))) for word in words]
    if given.folder:
        conditions.append(func.starts_with(row.source_id, f"{given.folder.rstrip('/')}/"))
    if given.parent_id:
        conditions.append(row.parent_id == given.parent_id)
    if given.ids:
        conditions.append(row.id.in_(given.ids))
    return conditions


def of_connectors(given: Filter) -> list[ColumnElement[bool]]:
    """Returns the conditions of a filter on connectors."""
    conditions: list[ColumnElement[bool]] = []
    if given.connector_ids:
        conditions.append(Connector.id.in_(given.connector_ids))
    if given.scope:
        conditions.append(Connector.scope == given.scope)
    if given.group:
        conditions.append(Connector.scope_id == given.group)
    return conditions
