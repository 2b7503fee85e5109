"""Checks of access to a conversation, as errors for the caller."""

import math
import time
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Boolean, Integer, bindparam, or_, select

from echomind_api.rows import audit_foreign, missing
from echomind_lib.access import Principal, chat_sessions
from echomind_lib.access.notebooks import reads_as_member
from echomind_lib.access.rules import Action
from echomind_lib.access.sources import sources_readable
from echomind_lib.contract import CallContext
from echomind_lib.db.database import Database
from echomind_lib.db.models.chat import ChatSession
from echomind_lib.db.statements import Query
from echomind_lib.errors import PermissionDeniedError
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent

_ASKED_AGAIN_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Session:
    """The columns that the rules use."""

    user_id: int
    limited_by: int | None
    """The API key with limits that began it."""
    reads_as_member: bool
    """Whether the caller is a member of its notebook who may read all of its sources."""


_SESSION: Final = Query(
    select(ChatSession.user_id, ChatSession.limited_by, reads_as_member().label("reads_as_member")).where(
        ChatSession.id == bindparam("session_id", type_=Integer),
        or_(bindparam("or_removed", type_=Boolean), ChatSession.deleted_date.is_(None)),
    ),
    _Session,
)
_READS_AS_MEMBER: Final = Query(
    select(ChatSession.id).where(ChatSession.id == bindparam("session_id", type_=Integer), reads_as_member()), int
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
    for_members: bool = False,
) -> int:
    """Raises an error unless the caller may do this with a session. Access to others' sessions is audited.

    Args:
        database: The database.
        call: The call.
        session_id: The session.
        action: The requested action.
        resource: The resource of the session, if there is one.
        of: Its id.
        removed: Whether to accept one that was removed.
        for_members: Whether members of its notebook who may read it may do this as well; they may always read it.

    Returns:
        The session's owner.

    Raises:
        NotFoundError: There is no such session, or they may not see it.
        PermissionDeniedError: The caller may read it, but not change it or cancel its run.
    """
    reader = sources_readable().values(call.principal)
    found = await _SESSION.fetch_one(database.pool, session_id=session_id, or_removed=removed, **reader)
    is_member = found is not None and found.reads_as_member and call.principal.limits is None
    if found is None or not (is_member or chat_sessions("read").allows(call.principal, found)):
        raise missing(resource, session_id if of is None else of)
    as_member = is_member and (for_members or action == "read")
    if not (as_member or chat_sessions(action).allows(call.principal, found)):
        raise PermissionDeniedError(
            "You may read this conversation, and not change it: it is not yours.", required="owner"
        )
    owner = found.user_id
    if owner != call.principal.user_id and not as_member:
        target = f"{resource.replace(' ', '-')}s/{session_id if of is None else of}"
        write = action != "read"
        await audit_foreign(database, call, target, write=write, chat_session_id=session_id, user_id=owner)
    return owner


class ReadingRight:
    """Whether a user may still read another user's conversation while they follow it.

    A run's sources are stored with an event, so each stored event requires a new check. Between two of them only
    permissions can change, for which one check a second is enough.
    """

    def __init__(self, database: Database, reader: Principal, session_id: int) -> None:
        self._database = database
        self._reader = reader
        self._session_id = session_id
        self._is_of_role = chat_sessions("read").allows(
            reader, _Session(user_id=0, limited_by=None, reads_as_member=False)
        )
        self._asked_at = -math.inf

    async def holds(self, event: SessionEvent) -> bool:
        """Returns whether the user may read an event."""
        now = time.monotonic()
        if self._is_of_role or (not event.id and now - self._asked_at < _ASKED_AGAIN_SECONDS):
            return True
        self._asked_at = now
        values = sources_readable().values(self._reader)
        return await _READS_AS_MEMBER.fetch_one(self._database.pool, session_id=self._session_id, **values) is not None
