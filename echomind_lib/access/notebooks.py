"""Access to notebooks, and the documents that their conversations use.

A notebook does not grant access to documents: its conversations search the documents that are among its sources and
that the asker may read, both checked at the time of the search.
"""

from dataclasses import dataclass
from typing import Any, Final, Literal

import asyncpg
from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    Integer,
    ScalarSelect,
    Select,
    SQLColumnExpression,
    Subquery,
    and_,
    any_,
    bindparam,
    case,
    exists,
    false,
    func,
    or_,
    select,
)
from sqlalchemy.orm import InstrumentedAttribute, aliased

from echomind_lib.access.principal import Principal
from echomind_lib.access.sources import sources_readable
from echomind_lib.access.ways import Reader
from echomind_lib.db.models.chat import ChatSession, ChatSessionSource
from echomind_lib.db.models.content import Document
from echomind_lib.db.models.identity import GroupMember
from echomind_lib.db.models.notebooks import Notebook, NotebookGroup, NotebookMember, NotebookSource
from echomind_lib.db.statements import Query
from echomind_lib.db.words import NotebookRole
from echomind_lib.errors import NotFoundError

NotebookAction = Literal["ask", "read", "edit", "manage", "remove"]
"""The requested action: ask questions, read its description, edit sources and instructions, manage members, or remove
it."""

_EVERY_ROLE: Final[tuple[NotebookRole, ...]] = ("owner", "editor", "viewer")
_ROLES: Final[dict[NotebookAction, tuple[NotebookRole, ...]]] = {
    "ask": _EVERY_ROLE,
    "read": _EVERY_ROLE,
    "edit": ("owner", "editor"),
    "manage": ("owner",),
    "remove": ("owner",),
}
_OF_SUPERADMINS: Final[frozenset[NotebookAction]] = frozenset({"read", "remove"})
_READER_ID: Final = bindparam(Reader.ID.value, type_=Integer)
_IS_SUPERADMIN: Final = bindparam("reader_is_superadmin", type_=Boolean)


@dataclass(frozen=True, slots=True)
class NotebookRule:
    """An action that members with certain roles may do, and superadmins if stated, whose access is audited."""

    roles: tuple[NotebookRole, ...]
    for_superadmins: bool

    def allows(self, principal: Principal, role: NotebookRole | None) -> bool:
        """Returns whether a principal with a role in the notebook (None: no member) is allowed."""
        return role in self.roles or (self.for_superadmins and principal.has_role("superadmin"))

    def where(self, notebook: Any = Notebook, person: Any = None) -> ColumnElement[bool]:
        """Returns the rule as a condition on notebooks.

        Args:
            notebook: `Notebook` or an alias of it.
            person: `User` or an alias of it, whose row is the reader's. Without it, the reader is the principal whose
                `values` are the statement's parameters.
        """
        is_member = is_member_of(notebook.id, _READER_ID if person is None else person.id, self.roles)
        if not self.for_superadmins:
            return is_member
        return or_(_IS_SUPERADMIN if person is None else any_(person.roles) == "superadmin", is_member)

    def values(self, principal: Principal) -> dict[str, Any]:
        """Returns the values of the parameters of `where`, by name."""
        values: dict[str, Any] = {Reader.ID.value: principal.user_id}
        return values | ({_IS_SUPERADMIN.key: principal.has_role("superadmin")} if self.for_superadmins else {})


_RULES: Final = {action: NotebookRule(_ROLES[action], action in _OF_SUPERADMINS) for action in _ROLES}


def notebooks(action: NotebookAction) -> NotebookRule:
    """Returns the rule for an action on notebooks.

    Members ask in them and read them; editors change title, instructions and sources; owners manage members
    and remove it. Superadmins list and remove all.
    """
    return _RULES[action]


# Made once: an alias costs more than most statements that it is part of.
_member: Final = aliased(NotebookMember, name="notebook_member")
_group: Final = aliased(NotebookGroup, name="notebook_group")
_of_group: Final = aliased(GroupMember, name="notebook_group_member")
_asked: Final = aliased(Notebook, name="asked_notebook")
_source: Final = aliased(NotebookSource, name="notebook_source")
_around: Final = aliased(NotebookSource, name="source_around")


def is_member_of(
    notebook_id: SQLColumnExpression[Any], user_id: Any, roles: tuple[NotebookRole, ...] = _EVERY_ROLE
) -> ColumnElement[bool]:
    """Returns the condition that a person has one of some roles in a notebook, by themselves or through a group."""
    member, group, of_group = _member, _group, _of_group
    own = [member.notebook_id == notebook_id, member.user_id == user_id]
    through = [group.notebook_id == notebook_id, of_group.group_id == group.group_id, of_group.user_id == user_id]
    if roles != _EVERY_ROLE:
        own.append(member.role.in_(roles))
        through.append(group.role.in_(roles))
    # Two conditions, as PostgreSQL looks into the second only for those whom the first does not find.
    is_member = exists().where(*own).correlate_except(member)
    if roles == ("owner",):
        return is_member
    return or_(is_member, exists().where(*through).correlate_except(group, of_group))


def memberships(name: str = "membership") -> Subquery:
    """Returns the memberships of notebooks, by themselves and through groups, as (notebook_id, user_id, role).

    A person who is a member in several ways has several rows.
    """
    own = select(NotebookMember.notebook_id, NotebookMember.user_id, NotebookMember.role)
    through = select(NotebookGroup.notebook_id, GroupMember.user_id, NotebookGroup.role).join(
        GroupMember, GroupMember.group_id == NotebookGroup.group_id
    )
    return own.union_all(through).subquery(name)


def role_in(notebook_id: SQLColumnExpression[Any], user_id: int) -> ScalarSelect[NotebookRole | None]:
    """Returns the highest role of a person in a notebook; NULL if they are no member."""
    found = memberships("found_role")
    rank = case({role: number for number, role in enumerate(_EVERY_ROLE)}, value=found.c.role)
    query = select(found.c.role).where(found.c.notebook_id == notebook_id, found.c.user_id == user_id)
    return query.order_by(rank).limit(1).correlate_except(found).scalar_subquery()


def may_ask_in(notebook_id: SQLColumnExpression[Any], user_id: Any) -> ColumnElement[bool]:
    """Returns the condition that a person may ask in a notebook, which is not removed."""
    notebook = _asked
    may_ask = is_member_of(notebook.id, user_id, _ROLES["ask"])
    return (
        exists().where(notebook.id == notebook_id, notebook.deleted_date.is_(None), may_ask).correlate_except(notebook)
    )


def in_notebook(
    notebook_id: SQLColumnExpression[Any], document: Any = Document, user_id: Any = None
) -> ColumnElement[bool]:
    """Returns the condition that a document is a source of a notebook for its member at this moment.

    It does not check whether they may read the document: see `documents_of_scopes`.

    Args:
        notebook_id: The notebook.
        document: `Document` or an alias of it.
        user_id: The member; None means the principal whose id is the parameter `reader_id`.
    """
    source, around = _source, _around
    is_source = or_(source.document_id == document.id, source.connector_id == document.connector_id)
    is_one = exists().where(source.notebook_id == notebook_id, is_source).correlate_except(source)
    # The file that holds it is a source: apart, as PostgreSQL uses no index for three alternatives.
    is_within = exists().where(around.notebook_id == notebook_id, around.document_id == document.container_id)
    found = or_(is_one, is_within.correlate_except(around))
    return and_(may_ask_in(notebook_id, _READER_ID if user_id is None else user_id), found)


def reads_as_member(session: Any = ChatSession) -> ColumnElement[bool]:
    """Returns the condition that the principal, as a member, may read all sources of another member's conversation.

    The statement's parameters are the `values` of `sources_readable`.
    """
    drawn = sources_readable().where(ChatSessionSource.chat_session_id, session.id)
    is_open = and_(may_ask_in(session.notebook_id, _READER_ID), drawn)
    return case((session.notebook_id.is_(None), false()), else_=is_open)


NOTEBOOK_ID: Final = bindparam("notebook_id", type_=BigInteger)
"""The parameter of statements about one notebook."""
_MAY_ASK: Final = Query(select(may_ask_in(NOTEBOOK_ID, bindparam("user_id", type_=Integer))), bool)


async def require_may_ask(pool: asyncpg.Pool, user_id: int, notebook_id: int) -> None:
    """Raises `NotFoundError` unless a person may ask in a notebook."""
    if not await _MAY_ASK.fetch_one(pool, user_id=user_id, notebook_id=notebook_id):
        raise NotFoundError(
            f"There is no notebook {notebook_id}, or you may not see it.", resource="notebook", id=notebook_id
        )


def _sources(column: InstrumentedAttribute[Any]) -> Select[int]:
    return select(column).where(NotebookSource.notebook_id == NOTEBOOK_ID, column.is_not(None))


_MEMBERS: Final = (
    select(Document.id)
    .join(NotebookSource, NotebookSource.document_id == Document.container_id)
    .where(NotebookSource.notebook_id == NOTEBOOK_ID)
)
"""The files within the notebook's documents."""
SCOPE_COLUMNS: Final = (
    func.array(_sources(NotebookSource.connector_id).scalar_subquery()).label("connector_ids"),
    func.array(_sources(NotebookSource.document_id).union_all(_MEMBERS).scalar_subquery()).label("document_ids"),
)
"""The sources of the notebook of the parameter `notebook_id`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotebookScope:
    """The sources of a notebook, read once per step; each hit is checked against the current rows."""

    id: int
    connector_ids: list[int]
    document_ids: list[int]

    @property
    def is_empty(self) -> bool:
        """Returns whether it has no source."""
        return not self.connector_ids and not self.document_ids


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scope:
    may_ask: bool
    connector_ids: list[int]
    document_ids: list[int]


_SCOPE: Final = Query(
    select(may_ask_in(NOTEBOOK_ID, bindparam("user_id", type_=Integer)).label("may_ask"), *SCOPE_COLUMNS), _Scope
)


async def notebook_scope(pool: asyncpg.Pool, user_id: int, notebook_id: int) -> NotebookScope:
    """Returns the sources of a notebook for one of its members.

    Raises:
        NotFoundError: There is no such notebook, or the person may not ask in it.
    """
    found = await _SCOPE.fetch_one(pool, user_id=user_id, notebook_id=notebook_id)
    if found is None or not found.may_ask:
        raise NotFoundError(
            f"There is no notebook {notebook_id}, or you may not see it.", resource="notebook", id=notebook_id
        )
    return NotebookScope(id=notebook_id, connector_ids=found.connector_ids, document_ids=found.document_ids)
