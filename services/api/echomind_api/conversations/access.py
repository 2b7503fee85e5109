"""Who may do what with a conversation, as an answer to its caller."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Boolean, Integer, bindparam, or_, select

from echomind_api.rows import audit_foreign, missing
from echomind_lib.access import chat_sessions
from echomind_lib.access.rules import Action
from echomind_lib.contract import CallContext
from echomind_lib.db.database import Database
from echomind_lib.db.models.chat import ChatSession
from echomind_lib.db.statements import Query
from echomind_lib.errors import PermissionDeniedError

_OWNER: Final = Query(
    select(ChatSession.user_id).where(
        ChatSession.id == bindparam("session_id", type_=Integer),
        or_(bindparam("or_removed", type_=Boolean), ChatSession.deleted_date.is_(None)),
    ),
    int,
)


async def require_session(
    database: Database,
    call: CallContext,
    session_id: int,
    action: Action,
    resource: str = "chat session",
    of: object = None,
    *,
    removed: bool = False,
) -> int:
    """Raises an error unless the caller may do this with a session. What is somebody else's goes to the audit log.

    Args:
        database: Where sessions are.
        call: Whose call it is.
        session_id: The session.
        action: What they want.
        resource: What they asked for, if it is something in the session.
        of: Its id.
        removed: Whether it may be one that was removed.

    Returns:
        The session's owner.

    Raises:
        NotFoundError: There is no such session, or they may not see it.
        PermissionDeniedError: They may read it and not change it, or not cancel its run.
    """
    owner = await _OWNER.fetch_one(database.pool, session_id=session_id, or_removed=removed)
    if owner is None or not chat_sessions("read").allows(call.principal, _Session(owner)):
        raise missing(resource, session_id if of is None else of)
    if not chat_sessions(action).allows(call.principal, _Session(owner)):
        raise PermissionDeniedError(
            "You may read this conversation, and not change it: it is not yours.", required="owner"
        )
    if owner != call.principal.user_id:
        target = f"{resource.replace(' ', '-')}s/{session_id if of is None else of}"
        write = action != "read"
        await audit_foreign(database, call, target, write=write, chat_session_id=session_id, user_id=owner)
    return owner


@dataclass(frozen=True, slots=True)
class _Session:
    """What the rule looks at."""

    user_id: int
