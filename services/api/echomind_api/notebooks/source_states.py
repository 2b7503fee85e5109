"""How far the sources of a notebook are read, and which of its members may not read them."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import and_, case, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from echomind_lib.access import Principal
from echomind_lib.access.documents import documents_of_scopes
from echomind_lib.access.rules import connectors_of_scopes
from echomind_lib.db import models as rows

ABOVE: Final = aliased(rows.Connector, name="above")
"""The connector of a source that is a document."""
_Row = rows.NotebookSource


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceState:
    """How far a source is read: numbers of documents that the reader may read, and what is wrong."""

    documents: int = 0
    ready: int = 0
    failed: int = 0
    message: str = ""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Which members may not read a source, by source."""

    people: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    """Accounts of people who are members by themselves."""
    groups: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    """Groups with somebody who may not read it."""

    @property
    def sources(self) -> set[int]:
        """Returns the sources that some member may not read."""
        return {*self.people, *self.groups}


def readable(person: Any = None) -> Any:
    """Returns the condition that a source of a notebook is readable, for a statement with its connector or document.

    Args:
        person: `User` or an alias of it; None means the principal whose values are the statement's parameters.
    """
    of_connector = and_(rows.Connector.deleted_date.is_(None), connectors_of_scopes().where(rows.Connector, person))
    of_document = and_(
        rows.Document.deleted_date.is_(None),
        ABOVE.deleted_date.is_(None),
        documents_of_scopes().where(ABOVE, rows.Document, person),
    )
    return func.coalesce(or_(of_connector, of_document), False)


async def read_states(session: AsyncSession, principal: Principal, notebook_id: int) -> dict[int, SourceState]:
    """Returns the states of a notebook's sources that have documents, by source."""
    document, connector = rows.Document, rows.Connector
    is_source = or_(_Row.document_id == document.id, _Row.connector_id == document.connector_id)
    attention = connector.status.in_(["error", "needs_attention"])
    query = (
        select(
            _Row.id,
            func.count(document.id).label("documents"),
            func.count(document.id).filter(document.status == "completed").label("ready"),
            func.count(document.id).filter(document.status == "failed").label("failed"),
            func.max(
                case(
                    (_Row.document_id.is_not(None), case((document.status == "failed", document.status_message))),
                    (attention, connector.status_message),
                )
            ).label("message"),
        )
        .select_from(document)
        .join(connector, connector.id == document.connector_id)
        .join(_Row, and_(_Row.notebook_id == notebook_id, is_source))
        .where(document.deleted_date.is_(None), connector.deleted_date.is_(None), documents_of_scopes().where())
        .group_by(_Row.id)
        .params(documents_of_scopes().values(principal))
    )
    return {
        row.id: SourceState(documents=row.documents, ready=row.ready, failed=row.failed, message=row.message or "")
        for row in await session.execute(query)
    }


async def unreadable_by(session: AsyncSession, notebook_id: int) -> Unreadable:
    """Returns which active members may not read which sources of a notebook."""
    person, member = aliased(rows.User, name="person"), rows.NotebookMember
    group, of_group = rows.NotebookGroup, rows.GroupMember

    def unread(members: Any) -> Any:
        return (
            members.outerjoin(rows.Connector, rows.Connector.id == _Row.connector_id)
            .outerjoin(rows.Document, rows.Document.id == _Row.document_id)
            .outerjoin(ABOVE, ABOVE.id == rows.Document.connector_id)
            .where(_Row.notebook_id == notebook_id, person.is_active, ~readable(person))
        )

    of_people = (
        select(_Row.id, person.id)
        .select_from(_Row)
        .join(member, member.notebook_id == _Row.notebook_id)
        .join(person, person.id == member.user_id)
        .order_by(_Row.id, person.id)
    )
    of_groups = (
        select(_Row.id, group.group_id)
        .distinct()
        .select_from(_Row)
        .join(group, group.notebook_id == _Row.notebook_id)
        .join(of_group, of_group.group_id == group.group_id)
        .join(person, person.id == of_group.user_id)
        .order_by(_Row.id, group.group_id)
    )
    found = Unreadable()
    for source_id, user_id in await session.execute(unread(of_people)):
        found.people[source_id].append(user_id)
    for source_id, group_id in await session.execute(unread(of_groups)):
        found.groups[source_id].append(group_id)
    return found
