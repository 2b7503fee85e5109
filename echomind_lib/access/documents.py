"""Access to documents: by their connector, and by their source if its permission mode is `source`."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import asyncpg
from sqlalchemy import Boolean, ColumnElement, Integer, and_, any_, bindparam, case, exists, func, or_, select
from sqlalchemy.orm import aliased

from echomind_lib.access.principal import Principal
from echomind_lib.access.rule import Reader, Rule
from echomind_lib.access.rules import connectors, connectors_of_scopes, scope_name, scopes_of
from echomind_lib.access.source_principals import principals_of
from echomind_lib.db.models.content import Connector, Document
from echomind_lib.db.models.permissions import DocumentReader, SourcePrincipal
from echomind_lib.db.statements import Query

_READER_ID: Final = bindparam(Reader.ID.value, type_=Integer)
_IS_SUPERADMIN: Final = bindparam("reader_is_superadmin", type_=Boolean)


@dataclass(frozen=True, slots=True)
class DocumentRule:
    """A rule of documents: their connector is allowed, and the source lets the reader read them.

    Attributes:
        of_connectors: Condition on their connectors.
        for_superadmins: Whether superadmins need not be readers at the source. Whoever lets them in notes it in the
            audit log.
    """

    of_connectors: Rule
    for_superadmins: bool = False

    def where(self, connector: Any = Connector, document: Any = Document, person: Any = None) -> ColumnElement[bool]:
        """Returns the rule as a condition of a statement, as `Rule.where`.

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
        """Returns the half of the condition that is about the source, as `where`."""
        return or_(connector.permission_mode == "scope", self.of_reader(document, person))

    def of_reader(self, document: Any = Document, person: Any = None) -> ColumnElement[bool]:
        """Returns what is asked of documents of a connector whose source decides, as `where`."""
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


def documents() -> DocumentRule:
    """Returns the rule of documents that a reader opens and lists.

    Superadmins open those of a source, too, whose reader they are not; that is noted in the audit log.
    """
    return _READ


def documents_cited() -> DocumentRule:
    """Returns the rule of documents whose titles and words a conversation shows: at a source, of its readers alone."""
    return _CITED


def documents_of_scopes() -> DocumentRule:
    """Returns the rule of documents whose chunks answer the reader's own questions, as `connectors_of_scopes`."""
    return _OF_SCOPES


@lru_cache(maxsize=16)  # shared by statements that are built for each call
def is_source_reader(document: Any = Document, person: Any = None) -> ColumnElement[bool]:
    """Returns the condition that the source lets a reader read a document, whatever its connector says."""
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

    Chunks that the source has readers for carry those alone, so that no chunk is found whose readers are not known.
    """
    values = {**connectors_of_scopes().values(reader), Reader.ID.value: reader.user_id}
    granting = await _GRANTING.fetch_all(pool, **values)
    return [*scopes_of(reader), *(principal_scope(each) for each in granting)]


def source_readers_of(connector: Any = Connector, document: Any = Document) -> ColumnElement[Any]:
    """Returns the ids of the principals that may read a document at its source; NULL when the scope alone decides."""
    granted = aliased(DocumentReader, name="granted")
    principals = select(granted.principal_id).where(granted.document_id == document.id).order_by(granted.principal_id)
    return case(
        (connector.permission_mode == "source", func.array(principals.correlate_except(granted).scalar_subquery()))
    )


def chunk_scope(scope: str, user_id: int, scope_id: str | None, principal_ids: list[int] | None) -> str | list[str]:
    """Returns how it is written into a document's chunks who may read them: the payload field `scope`.

    Args:
        scope: Of the connector; so are the next two.
        user_id: Its owner.
        scope_id: Its group.
        principal_ids: The readers at the source; None when the scope alone decides.
    """
    if principal_ids is None:
        return scope_name(scope, user_id, scope_id)
    return [principal_scope(each) for each in principal_ids]


def principal_scope(principal_id: int) -> str:
    """Returns how a principal of a source is written into the payload of chunks."""
    return f"principal_{principal_id}"
