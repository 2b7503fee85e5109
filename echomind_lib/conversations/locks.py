"""The lock of a session without an active run."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import Integer, bindparam, select

from echomind_lib.db.models.chat import ChatSession
from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Connection, Query
from echomind_lib.db.words import ACTIVE_RUN_STATUSES
from echomind_lib.errors import NotFoundError, RunActiveError

_session_id = bindparam("session_id", type_=Integer)


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleSession:
    """A locked session."""

    head_message_id: int | None


_LOCK: Final = Query(
    select(ChatSession.head_message_id)
    .where(ChatSession.id == _session_id, ChatSession.deleted_date.is_(None))
    .with_for_update(key_share=True),
    IdleSession,
)
_ACTIVE_ROOT: Final = Query(
    select(Run.id).where(
        Run.chat_session_id == _session_id, Run.parent_run_id.is_(None), Run.status.in_(ACTIVE_RUN_STATUSES)
    ),
    UUID,
)


async def lock_idle_session(connection: Connection, session_id: int) -> IdleSession:
    """Locks a session in which no run is active until the transaction ends.

    A question sent meanwhile waits, and then follows the session's new head.

    Raises:
        NotFoundError: There is no such session.
        RunActiveError: It has a run that is not finished.
    """
    session = await _LOCK.fetch_one(connection, session_id=session_id)
    if session is None:
        raise NotFoundError(f"There is no chat session {session_id}.", resource="chat session", id=session_id)
    # Queried after the lock is held: a statement sees only what was committed before it began.
    run_id = await _ACTIVE_ROOT.fetch_one(connection, session_id=session_id)
    if run_id is not None:
        raise RunActiveError(
            "The session has a run that is not finished: wait for it, or cancel it first.", run_id=run_id
        )
    return session
