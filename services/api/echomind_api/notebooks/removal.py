"""Removal of notebooks with their conversations, restoration, and permanent deletion."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

import structlog
from sqlalchemy import ColumnElement, delete, exists, func, select, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.administration.purge import Purge
from echomind_api.rows import missing
from echomind_lib.db import models as rows
from echomind_lib.db.database import DATABASE_FAILURES, Database
from echomind_lib.db.holds import deletion_held

KEPT: Final = timedelta(days=30)
"""How long a removed notebook can be restored."""
_SWEEP_SECONDS: Final = 3600.0
_SESSIONS_AT_ONCE: Final = 50
_NOTEBOOKS_AT_ONCE: Final = 20

log = structlog.get_logger(__name__)


def is_kept() -> ColumnElement[bool]:
    """Returns the condition that a notebook which was removed can still be restored."""
    return rows.Notebook.deleted_date > func.now() - KEPT


def _is_held() -> ColumnElement[bool]:
    """Returns the condition that a legal hold keeps a notebook, or one of its conversations."""
    chat = rows.ChatSession
    in_it = exists().where(chat.notebook_id == rows.Notebook.id, func.is_held(chat.user_id, chat.id))
    return func.is_held(rows.Notebook.user_id, None) | in_it


async def remove(session: AsyncSession, notebook_id: int, user_id: int) -> Sequence[UUID]:
    """Removes a notebook with its conversations, in one transaction; returns the runs to cancel.

    Conversations that are removed with it get its `deleted_date`, by which they are found when it is restored.
    """
    removed = {"deleted_date": func.now(), "user_id_last_update": user_id}
    chat = rows.ChatSession
    await session.execute(update(rows.Notebook).where(rows.Notebook.id == notebook_id).values(removed))
    await session.execute(
        update(chat).where(chat.notebook_id == notebook_id, chat.deleted_date.is_(None)).values(removed)
    )
    active = (
        select(rows.Run.id)
        .join(chat, chat.id == rows.Run.chat_session_id)
        .where(chat.notebook_id == notebook_id, rows.Run.completed_at.is_(None))
    )
    return (await session.scalars(active)).all()


async def restore(session: AsyncSession, row: rows.Notebook, user_id: int) -> None:
    """Restores a notebook with the conversations that were removed with it. One that is there stays as it is.

    Raises:
        NotFoundError: It is being deleted permanently.
    """
    if row.deleted_date is None:
        return
    if row.deleted_date <= datetime.now(UTC) - KEPT:
        raise missing("notebook", row.id)
    chat = rows.ChatSession
    restored = {"deleted_date": None, "user_id_last_update": user_id}
    with_it = (chat.notebook_id == row.id, chat.deleted_date == row.deleted_date)
    await session.execute(update(chat).where(*with_it).values(restored))
    await session.execute(update(rows.Notebook).where(rows.Notebook.id == row.id).values(restored))
    await session.refresh(row)


class NotebookRemoval:
    """Deletes notebooks permanently."""

    def __init__(self, database: Database, purge: Purge) -> None:
        self._database = database
        self._purge = purge

    async def purge(self, notebook_id: int) -> None:
        """Deletes a notebook with its conversations, sources and members.

        It is hidden first, so that nothing new begins, and counts as removed long ago: what this process does not
        finish, the sweep does, and nobody restores a part of it.

        Raises:
            DeletionHeldError: A legal hold keeps it, or one of its conversations.
        """
        async with self._database.session() as session:
            if await session.scalar(select(rows.Notebook.id).where(rows.Notebook.id == notebook_id, _is_held())):
                raise deletion_held()
        hidden = func.least(rows.Notebook.deleted_date, func.now() - KEPT)
        async with self._database.session() as session:
            await session.execute(
                update(rows.Notebook).where(rows.Notebook.id == notebook_id).values(deleted_date=hidden)
            )
        in_it = select(rows.ChatSession.id).where(rows.ChatSession.notebook_id == notebook_id)
        while True:
            async with self._database.session() as session:
                session_ids = (await session.scalars(in_it.limit(_SESSIONS_AT_ONCE))).all()
            if not session_ids:
                break
            await self._purge.sessions(session_ids)
        async with self._database.session() as session:
            await session.execute(delete(rows.Notebook).where(rows.Notebook.id == notebook_id))

    async def run(self) -> None:
        """Deletes expired removed notebooks at start and then every hour, until it is cancelled."""
        while True:
            try:
                await self.sweep()
            except (*DATABASE_FAILURES, DBAPIError) as error:
                log.warning("removed notebooks were not deleted", error=repr(error))
            await asyncio.sleep(_SWEEP_SECONDS)

    async def sweep(self) -> int:
        """Deletes expired removed notebooks and returns their number."""
        old = select(rows.Notebook.id).where(~is_kept(), ~_is_held())
        total = 0
        while True:
            async with self._database.session() as session:
                found = (await session.scalars(old.order_by(rows.Notebook.id).limit(_NOTEBOOKS_AT_ONCE))).all()
            for notebook_id in found:
                await self.purge(notebook_id)
            total += len(found)
            if len(found) < _NOTEBOOKS_AT_ONCE:
                return total
