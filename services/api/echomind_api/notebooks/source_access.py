"""Giving the members of a notebook access to its sources, as far as the giver manages these."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, literal, select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.notebooks.source_states import ABOVE, Unreadable, unreadable_by
from echomind_api.sources.connector_rows import connector_for_files
from echomind_api.sources.connectors import Connectors
from echomind_api.sources.document_changes import SelectedDocuments
from echomind_lib.access import Principal
from echomind_lib.access import connectors as rule_of
from echomind_lib.access.notebooks import is_member_of
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.documents.uploads import takes_uploads
from echomind_lib.errors import DocumentNotReadyError
from echomind_lib.models.public import ConnectorPatch, DocumentSelection, Scope, UpdateConnectorRequest

_Row = rows.NotebookSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """Whom a source can be made visible to: a group with all members of the notebook, or everyone."""

    scope: Scope
    group: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gift:
    """What makes a source readable for all members.

    Attributes:
        connector_id: The connector whose scope changes; None for a document.
        document_id: The document that moves to the files of the audience; None for a connector.
        audience: Who may read it then.
    """

    connector_id: int | None
    document_id: int | None
    audience: Audience


class SourceAccess:
    """Gives access to sources by the calls that a person would make."""

    def __init__(self, database: Database, connectors: Connectors, documents: SelectedDocuments) -> None:
        self._database = database
        self._connectors = connectors
        self._documents = documents

    async def give(self, gift: Gift, call: CallContext) -> None:
        """Makes a source readable for its audience.

        Raises:
            NotFoundError: It was removed meanwhile.
            PermissionDeniedError: The caller may not change it any more.
            AlreadyExistsError: The files of the audience have a document of this path.
            DocumentNotReadyError: The document is still being read.
        """
        scope, group = gift.audience.scope, gift.audience.group
        if gift.connector_id is not None:
            given = ConnectorPatch(scope=scope, scope_id=group)
            await self._connectors.update_connector(
                UpdateConnectorRequest(id=gift.connector_id, connector=given, update_mask=["scope", "scope_id"]), call
            )
        elif gift.document_id is not None:
            target = await connector_for_files(self._database, call, scope=scope, group=group)
            selection = DocumentSelection(ids=[gift.document_id])
            moved = await self._documents.change(call, "move", selection, target.id)
            if not moved.documents:
                raise DocumentNotReadyError(
                    "The document is still being read: give access once it is ready.",
                    document_id=str(gift.document_id),
                    status="processing",
                )


async def possible_gifts(
    session: AsyncSession, principal: Principal, notebook_id: int, *, unreadable: Unreadable | None = None
) -> dict[int, Gift]:
    """Returns what a principal may do for the sources that some members may not read, by source.

    Nothing can be done for a source that another person manages, whose own permissions decide, or that another group
    reads, which would lose it.

    Args:
        session: The transaction.
        principal: The giver.
        notebook_id: The notebook.
        unreadable: The result of `unreadable_by`; None means that it is read.
    """
    if unreadable is None:
        unreadable = await unreadable_by(session, notebook_id)
    if not unreadable.sources or (audience := await _audience(session, principal, notebook_id)) is None:
        return {}
    manages = rule_of("manage")
    query = (
        select(_Row, rows.Connector, ABOVE)
        .outerjoin(rows.Connector, rows.Connector.id == _Row.connector_id)
        .outerjoin(rows.Document, rows.Document.id == _Row.document_id)
        .outerjoin(ABOVE, ABOVE.id == rows.Document.connector_id)
        .where(_Row.id.in_(unreadable.sources))
    )
    gifts = {}
    for source, own, above in await session.execute(query):
        connector: rows.Connector = own or above
        is_private = connector.scope == "user" or (connector.scope == "group" and audience.scope is Scope.ORG)
        # A single document can only move between collections of uploaded files.
        is_possible = own is not None or takes_uploads(connector)
        if connector.permission_mode == "scope" and is_private and is_possible and manages.allows(principal, connector):
            gifts[source.id] = Gift(connector_id=source.connector_id, document_id=source.document_id, audience=audience)
    return gifts


async def _audience(session: AsyncSession, principal: Principal, notebook_id: int) -> Audience | None:
    """Returns the smallest group with all active members that the principal may share with, or everyone, or None."""
    if not principal.has_role("admin"):
        return None
    of_notebook = select(rows.User.id).where(is_member_of(literal(notebook_id), rows.User.id), rows.User.is_active)
    people: Sequence[int] = (await session.scalars(of_notebook)).all()
    member = rows.GroupMember
    groups = (
        select(rows.Group.name)
        .join(member, member.group_id == rows.Group.id)
        .group_by(rows.Group.id)
        .having(func.count(member.user_id.distinct()).filter(member.user_id.in_(people)) == len(people))
        .order_by(func.count(), rows.Group.name)
        .limit(1)
    )
    if not principal.has_role("superadmin"):
        groups = groups.where(rows.Group.name.in_(principal.groups))
    if (group := await session.scalar(groups)) is not None:
        return Audience(scope=Scope.GROUP, group=group)
    return Audience(scope=Scope.ORG) if principal.has_role("superadmin") else None
