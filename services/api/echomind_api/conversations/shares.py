"""Share links, which the owner of a session creates, updates and revokes."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import Select, case, func, literal, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.auth import tokens
from echomind_api.auth.credentials import hold
from echomind_api.conversations.access import require_session
from echomind_api.conversations.session_rows import read_session
from echomind_api.conversations.shared_sessions import SharedSessions
from echomind_api.rows import audit, missing
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.conversations.checkpoints import last_finished
from echomind_lib.conversations.forks import finished_answer
from echomind_lib.conversations.shares import is_publishable
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.errors import PermissionDeniedError, ValidationFailedError
from echomind_lib.mappers import session_shares
from echomind_lib.models.public import (
    ChatSession,
    CreateSessionShareRequest,
    CreateSessionShareResponse,
    DeleteSessionShareRequest,
    ForkSharedSessionRequest,
    ListSessionSharesRequest,
    ListSessionSharesResponse,
    ReadSharedSessionRequest,
    RefreshSessionShareRequest,
    SessionShare,
    SessionShareService,
    SharedSession,
)

_LIFETIME: Final = timedelta(days=30)
_LONGEST: Final = timedelta(days=365)
_Row = rows.SessionShare


class SessionShares(SessionShareService):
    """The service `SessionShareService`."""

    def __init__(self, database: Database, shared: SharedSessions) -> None:
        self._database = database
        self._shared = shared

    @override
    async def list_session_shares(
        self, request: ListSessionSharesRequest, call: CallContext
    ) -> ListSessionSharesResponse:
        owner = call.principal.user_id
        page = read_page(request.page_size, request.page_token, tuple[int], "session_shares", request.chat_session_id)
        query = page.select(_own(owner), _Row.id, descending=True)
        if request.chat_session_id:
            await require_session(self._database, call, request.chat_session_id, "manage")
            query = query.where(_Row.chat_session_id == request.chat_session_id)
        async with self._database.session() as session:
            found, token = page.cut((await session.execute(query)).all(), lambda row: (row[0].id,))
        return ListSessionSharesResponse(session_shares=[_to_model(row) for row in found], next_page_token=token)

    @override
    async def create_session_share(
        self, request: CreateSessionShareRequest, call: CallContext
    ) -> CreateSessionShareResponse:
        session_id, wanted = request.chat_session_id, request.session_share or SessionShare()
        await require_session(self._database, call, session_id, "manage")
        head = await self._head(session_id, wanted.head_message_id)
        token = tokens.new_token()
        async with self._database.session() as session:
            credential = await hold(session, call.principal)
            title = await _require_shareable(session, session_id)
            row = _Row(
                chat_session_id=session_id,
                user_id=call.principal.user_id,
                token_hash=token.sha256,
                title=title,
                head_message_id=head,
                expires_at=_expiry(wanted.expires_at, credential.expires_at),
            )
            session.add(row)
            await session.flush()
            audit(session, call, f"session-shares/{row.id}", chat_session_id=session_id, head_message_id=head)
            share = await _read(session, call, row.id)
        return CreateSessionShareResponse(session_share=share, path=f"/shared/{token.text}")

    @override
    async def refresh_session_share(self, request: RefreshSessionShareRequest, call: CallContext) -> SessionShare:
        wanted = request.session_share or SessionShare()
        async with self._database.session() as session:
            credential = await hold(session, call.principal)
            session_id = (await _read(session, call, request.id)).chat_session_id
            head = await self._head(session_id, wanted.head_message_id)
            title = await _require_shareable(session, session_id)
            values: dict[str, Any] = {"title": title, "head_message_id": head, "shared_at": func.now()}
            if wanted.expires_at is not None:
                values["expires_at"] = _expiry(wanted.expires_at, credential.expires_at)
            await session.execute(
                update(_Row)
                .where(_Row.id == request.id)
                .values(**values, user_id_last_update=call.principal.user_id)
                .execution_options(synchronize_session=False)
            )
            audit(session, call, f"session-shares/{request.id}", chat_session_id=session_id, head_message_id=head)
            session.expire_all()
            return await _read(session, call, request.id)

    @override
    async def delete_session_share(self, request: DeleteSessionShareRequest, call: CallContext) -> Empty:
        owner = call.principal.user_id
        async with self._database.session() as session:
            await hold(session, call.principal)
            revoked = await session.scalar(
                update(_Row)
                .where(_Row.id == request.id, _Row.user_id == owner, _Row.revoked_at.is_(None))
                .values(revoked_at=func.now(), user_id_last_update=owner)
                .returning(_Row.chat_session_id)
            )
            if revoked is None:
                raise missing("share link", request.id)
            audit(session, call, f"session-shares/{request.id}", chat_session_id=revoked)
        return Empty()

    @override
    async def read_shared_session(self, request: ReadSharedSessionRequest, call: CallContext) -> SharedSession:
        return await self._shared.read(request.token, call)

    @override
    async def fork_shared_session(self, request: ForkSharedSessionRequest, call: CallContext) -> ChatSession:
        share, forked = await self._shared.fork(request.token, request.title, call)
        async with self._database.session() as session:
            audit(session, call, f"session-shares/{share}", forked_session_id=forked)
        return await read_session(self._database, forked, call.principal)

    async def _head(self, session_id: int, message_id: int) -> int:
        head = await finished_answer(self._database.pool, session_id, message_id)
        if head is None:
            raise ValidationFailedError(
                "There is nothing to share yet: ask something first, and wait for the answer.",
                chat_session_id="has no finished answer",
            )
        return head


def _own(owner_id: int) -> Select[Any]:
    """Selects a user's links that are not revoked, with the columns that `_to_model` needs."""
    status = case(
        (_Row.expires_at <= func.now(), literal("expired")),
        (rows.ChatSession.deleted_date.is_not(None), literal("session_removed")),
        (_settings("nobody"), literal("forbidden")),
        (~is_publishable(rows.ChatSession, rows.User), literal("sources_lost")),
        else_=literal("open"),
    )
    is_current = _Row.head_message_id == last_finished(rows.ChatSession.head_message_id)
    return (
        select(_Row, status.label("status"), is_current.label("is_current"))
        .join(rows.ChatSession, rows.ChatSession.id == _Row.chat_session_id)
        .join(rows.User, rows.User.id == _Row.user_id)
        .where(_Row.user_id == owner_id, _Row.revoked_at.is_(None))
    )


def _settings(link_sharing: str) -> Any:
    return select(rows.InstallationSettings.id).where(rows.InstallationSettings.link_sharing == link_sharing).exists()


def _to_model(found: Any) -> SessionShare:
    return session_shares.to_model(found[0], found.status, is_current=bool(found.is_current))


async def _read(session: AsyncSession, call: CallContext, share_id: int) -> SessionShare:
    """Reads one of the caller's links.

    Raises:
        NotFoundError: They have no such link, or it is revoked.
    """
    found = (await session.execute(_own(call.principal.user_id).where(_Row.id == share_id))).first()
    if found is None:
        raise missing("share link", share_id)
    return _to_model(found)


async def _require_shareable(session: AsyncSession, session_id: int) -> str:
    """Returns the title of a session that its owner may share now.

    Raises:
        NotFoundError: There is no such session.
        PermissionDeniedError: They may not share it.
    """
    found = (
        await session.execute(
            select(rows.ChatSession.title, _settings("nobody"), is_publishable(rows.ChatSession, rows.User))
            .join(rows.User, rows.User.id == rows.ChatSession.user_id)
            .where(rows.ChatSession.id == session_id, rows.ChatSession.deleted_date.is_(None))
        )
    ).first()
    if found is None:
        raise missing("chat session", session_id)
    title, is_off, is_allowed = found
    if is_off:
        raise PermissionDeniedError("Sharing is switched off. A superadmin can allow it.", required="link_sharing")
    if not is_allowed:
        raise PermissionDeniedError(
            "This conversation has drawn on a document that you may not read any more, or that was removed, so it "
            "cannot be shared. Ask your question again in a new conversation and share that.",
            required="sources",
        )
    return str(title)


def _expiry(wanted: datetime | None, of_key: datetime | None) -> datetime:
    """Returns when a link expires: as requested, but no later than the API key that creates it."""
    now = datetime.now(UTC)
    expires_at = wanted or min(now + _LIFETIME, of_key or now + _LIFETIME)
    if not now < expires_at <= now + _LONGEST:
        rule = f"must be in the future, and at most {_LONGEST.days} days ahead"
        raise ValidationFailedError(f"expires_at: {rule}", **{"session_share.expires_at": rule})
    if of_key is not None and expires_at > of_key:
        rule = f"must be no later than {of_key.isoformat(timespec='seconds')}, when the key that you use ends"
        raise ValidationFailedError(f"expires_at: {rule}", **{"session_share.expires_at": rule})
    return expires_at
