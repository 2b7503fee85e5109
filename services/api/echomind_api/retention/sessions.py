"""Conversations whose time is over."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, exists, func, select
from typing_extensions import override

from echomind_api.administration.purge import Purge
from echomind_api.retention.expiry import ExpiredQuery, Expiry
from echomind_lib.db.database import Database
from echomind_lib.db.models import ChatSession, Notebook, Run

_SESSIONS: Final = 100
"""Conversations that are deleted at once."""
_last_message = func.coalesce(ChatSession.last_message_at, ChatSession.creation_date)
_last_use = func.greatest(_last_message, ChatSession.imported_at)
"""The last message, or the import if it was later: imported messages keep their times."""


class _SessionExpiry(Expiry):
    """Conversations of one kind: deleted permanently, with all that belongs to them; none that a run works in."""

    _kind: ColumnElement[bool]
    _since: ColumnElement[Any] = _last_use

    def __init__(self, database: Database, days: int, purge: Purge) -> None:
        super().__init__(database, days)
        self._purge = purge

    @override
    def expired(self) -> ExpiredQuery:
        is_active = exists().where(Run.chat_session_id == ChatSession.id, Run.completed_at.is_(None))
        return select(self._since.label("since"), ChatSession.id).where(
            self._kind,
            self._since < self._cutoff,
            ~is_active,
            ~func.is_held(ChatSession.user_id, ChatSession.id),
        )

    @override
    async def _sweep(self) -> int:
        total = 0
        while expired := await self._some():
            await self._purge.sessions(expired)
            total += len(expired)
        return total

    async def _some(self) -> Sequence[int]:
        found = self.expired().order_by(None).limit(_SESSIONS).subquery()
        async with self._database.session() as session:
            return (await session.scalars(select(found.c.id).order_by(found.c.id))).all()


class ListedSessionExpiry(_SessionExpiry):
    """Conversations that are listed, by their last message or import."""

    _kind = and_(ChatSession.deleted_date.is_(None), ~ChatSession.unlisted)


class RemovedSessionExpiry(_SessionExpiry):
    """Conversations that their owners have removed, by the removal.

    Those of a removed notebook are deleted with it: it can be restored with them until then.
    """

    _kind = and_(
        ChatSession.deleted_date.is_not(None),
        ~ChatSession.unlisted,
        ~exists().where(Notebook.id == ChatSession.notebook_id, Notebook.deleted_date.is_not(None)),
    )
    _since = func.coalesce(ChatSession.deleted_date)


class UnlistedSessionExpiry(_SessionExpiry):
    """Conversations that programs have not asked to store, by their last message."""

    _kind = and_(ChatSession.unlisted)
