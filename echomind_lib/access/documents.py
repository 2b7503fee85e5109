"""Access to documents: by their connector, and by their source if its permission mode is `source`."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import asyncpg
from sqlalchemy import Boolean, ColumnElement, Integer, and_, any_, bindparam, case, exists, func, or_, select
from sqlalchemy.orm import aliased

from echomind_lib.access.principal import Principal
from echomind_lib.access.rule import Rule
from echomind_lib.access.rules import connectors, connectors_of_scopes, scope_name, scopes_of
from echomind_lib.access.source_principals import principals_of
from echomind_lib.access.ways import Reader
from echomind_lib.db.models.content import Connector, Document
from echomind_lib.db.models.permissions import DocumentReader, SourcePrincipal
from echomind_lib.db.statements import Query

_READER_ID: Final = bindparam(Reader.ID.value, type_=Integer)
_IS_SUPERADMIN: Final = bindparam("reader_is_superadmin", type_=Boolean)


@dataclass(frozen=True, slots=True)
class DocumentRule:
    """A rule for documents: access to their connector, and read permission at the source.

    Attributes:
        of_connectors: Condition on their connectors.
        for_superadmins: Whether superadmins are exempt from the source's permissions. The caller then writes the access
            to the audit log.
        by_source: Whether documents of connectors with source permissions are allowed to their readers; otherwise to
            nobody, for statements that are executed while there are none.
    """

    of_connectors: Rule
    for_superadmins: bool = False
    by_source: bool = True

    def where(self, connector: Any = Connector, document: Any = Document, person: Any = None) -> ColumnElement[bool]:
        """Returns the rule as an SQL condition, as `Rule.where`.

        Args:
            connector: `Connector` or an alias of it, joined to the document.
            document: `Document` or an alias of it.
            person: `User` or an alias of it, whose row is the reader's. Without it, the reader is the principal whose
                `values` are the statement's parameters.
        """
        return and_(self.of_connectors.where(connector, person), self.at_source(connector, document, person))

    def at_source(
        self, connector: Any = Connector, document: Any = Document, person: Any = None
    ) -> ColumnElement[bool]:
        """Returns the part of the condition about the source's permissions, as `where`."""
        by_scope: ColumnElement[bool] = connector.permission_mode == "scope"
        return or_(by_scope, self.of_reader(document, person)) if self.by_source else by_scope

    def of_reader(self, document: Any = Document, person: Any = None) -> ColumnElement[bool]:
        """Returns the condition on documents of a connector with source permissions, as `where`."""
        is_reader = is_source_reader(document, person)
        if not self.for_superadmins:
            return is_reader
        return or_(_IS_SUPERADMIN if person is None else any_(person.roles) == "superadmin", is_reader)

    def values(self, principal: Principal) -> dict[str, Any]:
        """Returns the values of the parameters of `where`, by name."""
        values = {**self.of_connectors.values(principal), Reader.ID.value: principal.user_id}
        return values | ({_IS_SUPERADMIN.key: principal.has_role("superadmin")} if self.for_superadmins else {})


_READ: Final = DocumentRule(connectors("read"), for_superadmins=True)
_CITED: Final = DocumentRule(connectors("read"))
_OF_SCOPES: Final = DocumentRule(connectors_of_scopes())
_OF_SCOPES_ALONE: Final = DocumentRule(connectors_of_scopes(), by_source=False)


def documents() -> DocumentRule:
    """Returns the rule for opening and listing documents.

    Superadmins may also open documents that they may not read at the source; that is written to the audit log.
    """
    return _READ


def documents_cited() -> DocumentRule:
    """Returns the rule for titles and snippets in conversations; source permissions apply to superadmins, too."""
    return _CITED


def documents_of_scopes(*, by_source: bool = True) -> DocumentRule:
    """Returns the rule for documents that are searched for the reader's own questions, as `connectors_of_scopes`.

    Without `by_source`, it allows no document of a connector with source permissions, and costs a seventh.
    """
    return _OF_SCOPES if by_source else _OF_SCOPES_ALONE


@lru_cache(maxsize=16)  # shared by statements that are built for each call
def is_source_reader(document: Any = Document, person: Any = None) -> ColumnElement[bool]:
    """Returns the condition that a reader may read a document at its source, regardless of the connector."""
    granted = aliased(DocumentReader, name="granted")
    user_id = _READER_ID if person is None else person.id
    held = func.array(principals_of(user_id, person).scalar_subquery())
    # In any statement, `document` belongs to the enclosing query, never to this subquery.
    found = exists().where(granted.document_id == document.id, granted.principal_id == any_(held))
    return found.correlate_except(granted)


_GRANTING: Final = Query(
    select(SourcePrincipal.id)
    .join(Connector, Connector.id == SourcePrincipal.connector_id)
    .where(
        SourcePrincipal.id.in_(principals_of(_READER_ID)),
        Connector.permission_mode == "source",
        Connector.deleted_date.is_(None),
        connectors_of_scopes().where(Connector),
        exists().where(DocumentReader.principal_id == SourcePrincipal.id),
    ),
    int,
)


async def chunk_scopes_of(pool: asyncpg.Pool, reader: Principal) -> list[str]:
    """Returns `documents_of_scopes` as values of the payload field `scope`: the filter of every vector query.

    Chunks with source permissions contain their readers only, so that no chunk with unknown readers is found.
    """
    values = {**connectors_of_scopes().values(reader), Reader.ID.value: reader.user_id}
    granting = await _GRANTING.fetch_all(pool, **values)
    return [*scopes_of(reader), *(principal_scope(each) for each in granting)]


def source_readers_of(connector: Any = Connector, document: Any = Document) -> ColumnElement[Any]:
    """Returns the ids of the principals that may read a document at its source; NULL if only the scope applies."""
    granted = aliased(DocumentReader, name="granted")
    principals = select(granted.principal_id).where(granted.document_id == document.id).order_by(granted.principal_id)
    return case(
        (connector.permission_mode == "source", func.array(principals.correlate_except(granted).scalar_subquery()))
    )


def chunk_scope(scope: str, user_id: int, scope_id: str | None, principal_ids: list[int] | None) -> str | list[str]:
    """Returns the payload field `scope` of a document's chunks, which defines their readers.

    Args:
        scope: The connector's scope.
        user_id: The connector's owner.
        scope_id: The connector's group.
        principal_ids: The readers at the source; None if only the scope applies.
    """
    if principal_ids is None:
        return scope_name(scope, user_id, scope_id)
    return [principal_scope(each) for each in principal_ids]


def principal_scope(principal_id: int) -> str:
    """Returns a source's principal as a value of the payload field `scope`."""
    return f"principal_{principal_id}"
