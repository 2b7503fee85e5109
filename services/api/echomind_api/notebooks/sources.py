"""The sources of a notebook."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Integer, Select, and_, delete, func, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.notebooks.source_access import Gift, possible_gifts
from echomind_api.notebooks.source_states import ABOVE, SourceState, Unreadable, read_states, readable, unreadable_by
from echomind_api.rows import missing
from echomind_lib.access import Principal
from echomind_lib.access.documents import documents_of_scopes
from echomind_lib.access.rules import connectors_of_scopes
from echomind_lib.db import models as rows
from echomind_lib.errors import PermissionDeniedError, ValidationFailedError
from echomind_lib.models.public import AddNotebookSourcesRequest, NotebookSource, Scope

MAX_SOURCES: Final = 500
_NO_DOCUMENTS: Final = SourceState()
_Row = rows.NotebookSource


def _listed(notebook_id: int) -> Select[Any]:
    is_there = or_(
        and_(_Row.connector_id.is_not(None), rows.Connector.deleted_date.is_(None)),
        and_(rows.Document.deleted_date.is_(None), ABOVE.deleted_date.is_(None)),
    )
    return (
        select(
            _Row, func.coalesce(rows.Connector.name, rows.Document.title).label("title"), readable().label("readable")
        )
        .outerjoin(rows.Connector, rows.Connector.id == _Row.connector_id)
        .outerjoin(rows.Document, rows.Document.id == _Row.document_id)
        .outerjoin(ABOVE, ABOVE.id == rows.Document.connector_id)
        .where(_Row.notebook_id == notebook_id, is_there)
        .order_by(_Row.id)
    )


async def list_sources(
    session: AsyncSession, principal: Principal, notebook_id: int, *, for_editor: bool
) -> list[NotebookSource]:
    """Returns the existing sources; those that the reader may not read have no title or document.

    Args:
        session: The transaction.
        principal: The reader.
        notebook_id: The notebook.
        for_editor: Whether to say which members may not read a source, and whether the reader may change that.
    """
    values = documents_of_scopes().values(principal)
    found = (await session.execute(_listed(notebook_id).params(values))).all()
    states = await read_states(session, principal, notebook_id)
    unreadable = await unreadable_by(session, notebook_id) if for_editor else Unreadable()
    gifts = await possible_gifts(session, principal, notebook_id, unreadable=unreadable) if for_editor else {}
    return [
        NotebookSource(
            id=row[0].id,
            connector_id=row[0].connector_id if row.readable else None,
            document_id=row[0].document_id if row.readable else None,
            title=row.title if row.readable else "",
            is_readable=row.readable,
            user_id=row[0].user_id,
            creation_date=row[0].creation_date,
            documents=(state := states.get(row[0].id, _NO_DOCUMENTS)).documents,
            documents_ready=state.ready,
            documents_failed=state.failed,
            status_message=state.message,
            unreadable_by=unreadable.people.get(row[0].id, []),
            unreadable_by_groups=unreadable.groups.get(row[0].id, []),
            access_scope=gift.audience.scope if (gift := gifts.get(row[0].id)) else Scope.UNSPECIFIED,
            access_group=gift.audience.group if gift else "",
        )
        for row in found
    ]


async def add_sources(session: AsyncSession, principal: Principal, request: AddNotebookSourcesRequest) -> None:
    """Adds connectors and documents.

    Raises:
        NotFoundError: One of them is not there, or the person may not read it.
        ValidationFailedError: There would be too many.
    """
    connectors = (
        select(rows.Connector.id)
        .where(rows.Connector.id.in_(request.connector_ids), rows.Connector.deleted_date.is_(None))
        .where(connectors_of_scopes().where(rows.Connector))
        .params(connectors_of_scopes().values(principal))
    )
    documents = (
        select(rows.Document.id)
        .join(rows.Connector, rows.Connector.id == rows.Document.connector_id)
        .where(rows.Document.id.in_(request.document_ids), rows.Document.deleted_date.is_(None))
        .where(rows.Connector.deleted_date.is_(None), documents_of_scopes().where())
        .params(documents_of_scopes().values(principal))
    )
    # Managing a connector, as superadmins may, does not make its documents readable.
    _require_all("connector", request.connector_ids, await session.scalars(connectors), "read its documents")
    _require_all("document", request.document_ids, await session.scalars(documents), "read it")
    added = [{"connector_id": each, "document_id": None} for each in request.connector_ids]
    added += [{"connector_id": None, "document_id": each} for each in request.document_ids]
    if added:
        values = [{"notebook_id": request.id, "user_id": principal.user_id, **each} for each in added]
        await session.execute(insert(_Row).values(values).on_conflict_do_nothing())
    total = await session.scalar(select(func.count(type_=Integer)).where(_Row.notebook_id == request.id))
    if (total or 0) > MAX_SOURCES:
        rule = f"a notebook has at most {MAX_SOURCES} sources: add a connector in place of its documents"
        raise ValidationFailedError(f"document_ids: {rule}", document_ids=rule)


def _require_all(resource: str, requested: Sequence[int], found: Any, needed: str = "see it") -> None:
    if unknown := sorted(set(requested) - set(found)):
        raise missing(resource, unknown[0], needed)


async def remove_sources(session: AsyncSession, notebook_id: int, source_ids: Sequence[int]) -> None:
    """Removes sources from a notebook.

    Raises:
        NotFoundError: One of them is no source of it.
    """
    removal = delete(_Row).where(_Row.notebook_id == notebook_id, _Row.id.in_(source_ids)).returning(_Row.id)
    _require_all("source", source_ids, await session.scalars(removal))


async def gifts_of(
    session: AsyncSession, principal: Principal, notebook_id: int, source_ids: Sequence[int]
) -> list[Gift]:
    """Returns what gives all members access to sources; nothing for those that all may read.

    Raises:
        NotFoundError: One of them is no source of the notebook.
        PermissionDeniedError: The principal cannot give access to one of them.
    """
    known = select(_Row.id).where(_Row.notebook_id == notebook_id, _Row.id.in_(source_ids))
    _require_all("source", source_ids, await session.scalars(known))
    unreadable = await unreadable_by(session, notebook_id)
    gifts = await possible_gifts(session, principal, notebook_id, unreadable=unreadable)
    needed = [source_id for source_id in source_ids if source_id in unreadable.sources]
    if missing_gifts := [source_id for source_id in needed if source_id not in gifts]:
        raise PermissionDeniedError(
            "You cannot give access to one of the sources: only who manages it can, to a group that all members are in "
            "or to everyone.",
            resource="source",
            id=missing_gifts[0],
        )
    return [gifts[source_id] for source_id in needed]


async def readable_document_ids(
    session: AsyncSession, principal: Principal, notebook_id: int, chosen: Sequence[int], limit: int
) -> list[tuple[int, str]]:
    """Returns indexed documents of a notebook that a person may read, with their titles, in the order of the sources.

    Args:
        session: The transaction.
        principal: The reader.
        notebook_id: The notebook.
        chosen: Only these; empty means all.
        limit: Maximum number of results.
    """
    is_source = or_(_Row.document_id == rows.Document.id, _Row.connector_id == rows.Document.connector_id)
    first_id = func.min(_Row.id)
    query = (
        select(rows.Document.id, rows.Document.title)
        .join(rows.Connector, rows.Connector.id == rows.Document.connector_id)
        .join(_Row, and_(_Row.notebook_id == notebook_id, is_source))
        .where(rows.Document.deleted_date.is_(None), rows.Connector.deleted_date.is_(None))
        .where(rows.Document.chunking_session.is_not(None), documents_of_scopes().where())
        .group_by(rows.Document.id)
        .order_by(first_id, rows.Document.id)
        .limit(limit)
        .params(documents_of_scopes().values(principal))
    )
    if chosen:
        query = query.where(rows.Document.id.in_(chosen))
    return [(row.id, row.title) for row in await session.execute(query)]
