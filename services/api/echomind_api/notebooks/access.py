"""Checks of access to a notebook, as errors for the caller."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.people import names_of, with_updaters
from echomind_api.rows import audit_foreign, missing
from echomind_lib.access.notebooks import NotebookAction, memberships, notebooks, role_in
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.words import NotebookRole
from echomind_lib.errors import PermissionDeniedError
from echomind_lib.mappers.notebooks import EDITORS, to_model
from echomind_lib.models.public import Notebook

_NEEDS = {"edit": "editor", "manage": "owner", "remove": "owner", "ask": "viewer", "read": "viewer"}


@dataclass(frozen=True, slots=True)
class FoundNotebook:
    """A notebook that the caller may read."""

    row: rows.Notebook
    role: NotebookRole | None
    """The caller's role; None for superadmins who are not members."""


async def require_notebook(
    database: Database, call: CallContext, notebook_id: int, action: NotebookAction, *, removed: bool = False
) -> FoundNotebook:
    """Returns a notebook. A superadmin's call about one that is not theirs goes to the audit log.

    Args:
        database: The database.
        call: The call.
        notebook_id: The notebook.
        action: The requested action.
        removed: Whether to accept one that was removed.

    Raises:
        NotFoundError: There is no such notebook, or they may not see it.
        PermissionDeniedError: They may read it and not do this.
    """
    async with database.session() as session:
        found = await find_notebook(session, call, notebook_id, action, removed=removed)
    if found.role is None:
        write = action != "read"
        await audit_foreign(database, call, f"notebooks/{notebook_id}", write=write, user_id=found.row.user_id)
    return found


async def find_notebook(
    session: AsyncSession,
    call: CallContext,
    notebook_id: int,
    action: NotebookAction,
    *,
    removed: bool = False,
    lock: bool = False,
) -> FoundNotebook:
    """Like `require_notebook`, in a transaction and without the audit log; `lock` blocks other writers."""
    query = select(rows.Notebook, role_in(rows.Notebook.id, call.principal.user_id).label("role")).where(
        rows.Notebook.id == notebook_id
    )
    if not removed:
        query = query.where(rows.Notebook.deleted_date.is_(None))
    if lock:
        query = query.with_for_update(of=rows.Notebook)
    found = (await session.execute(query)).one_or_none()
    if found is None or not notebooks("read").allows(call.principal, found.role):
        raise missing("notebook", notebook_id)
    if not notebooks(action).allows(call.principal, found.role):
        raise PermissionDeniedError(
            f"This needs the role {_NEEDS[action]} in the notebook: ask one of its owners.", required=_NEEDS[action]
        )
    return FoundNotebook(found[0], found.role)


async def read_notebooks(session: AsyncSession, found: list[FoundNotebook], reader_id: int) -> list[Notebook]:
    """Returns notebooks with their counts, for a reader.

    Conversations that are removed count only of a removed notebook.
    """
    ids = [each.row.id for each in found]

    async def count(notebook_id: Any, counted: Any) -> dict[int, int]:
        query = select(notebook_id, func.count(counted.distinct())).where(notebook_id.in_(ids)).group_by(notebook_id)
        return {row[0]: row[1] for row in await session.execute(query)}

    chat = rows.ChatSession
    with_notebook = chat.deleted_date.is_not_distinct_from(rows.Notebook.deleted_date)
    counted = (
        select(rows.Notebook.id, func.count())
        .join(chat, and_(chat.notebook_id == rows.Notebook.id, with_notebook))
        .where(rows.Notebook.id.in_(ids))
        .group_by(rows.Notebook.id)
    )
    sessions = {row[0]: row[1] for row in await session.execute(counted)}
    named = [user_id for each in found for user_id in (each.row.user_id, each.row.instructions_author_id)]
    people = await names_of(session, named)
    member = memberships().c
    members = await count(member.notebook_id, member.user_id)
    sources = await count(rows.NotebookSource.notebook_id, rows.NotebookSource.id)
    shown = [
        to_model(
            each.row,
            each.role,
            reader_id=reader_id,
            people=people,
            sources=sources.get(each.row.id, 0),
            members=members.get(each.row.id, 0),
            sessions=sessions.get(each.row.id, 0),
        )
        for each in found
    ]
    by_id = {notebook.id: notebook for notebook in shown}
    edited = [(each.row, by_id[each.row.id]) for each in found if each.role in EDITORS]
    return list((by_id | {each.id: each for each in await with_updaters(session, edited)}).values())
