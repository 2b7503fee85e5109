"""Shares, which the owner of a session creates, updates and revokes, and what others share with the caller."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import Select, case, func, literal, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.auth import tokens
from echomind_api.auth.credentials import hold
from echomind_api.conversations.access import require_session
from echomind_api.conversations.session_rows import read_session
from echomind_api.conversations.share_recipients import add_recipients, recipients_of, remove_recipients
from echomind_api.conversations.shared_sessions import SharedSessions
from echomind_api.rows import audit, missing
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.conversations.checkpoints import last_finished
from echomind_lib.conversations.forks import finished_answer
from echomind_lib.conversations.shares import OpenedShare, is_publishable, received_shares
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.errors import PermissionDeniedError, ValidationFailedError
from echomind_lib.mappers import session_shares
from echomind_lib.models import public

_LIFETIME: Final = timedelta(days=30)
_LONGEST: Final = timedelta(days=365)
_Row = rows.SessionShare


class SessionShares(public.SessionShareService):
    """The service `SessionShareService`."""

    def __init__(self, database: Database, shared: SharedSessions) -> None:
        self._database = database
        self._shared = shared

    @override
    async def list_session_shares(
        self, request: public.ListSessionSharesRequest, call: CallContext
    ) -> public.ListSessionSharesResponse:
        owner = call.principal.user_id
        page = read_page(request.page_size, request.page_token, tuple[int], "session_shares", request.chat_session_id)
        query = page.select(_own(owner), _Row.id, descending=True)
        if request.chat_session_id:
            await require_session(self._database, call, request.chat_session_id, "manage")
            query = query.where(_Row.chat_session_id == request.chat_session_id)
        async with self._database.session() as session:
            found, token = page.cut((await session.execute(query)).all(), lambda row: (row[0].id,))
            recipients = await recipients_of(session, [row[0].id for row in found])
        return public.ListSessionSharesResponse(
            session_shares=[_to_model(row, recipients) for row in found], next_page_token=token
        )

    @override
    async def create_session_share(
        self, request: public.CreateSessionShareRequest, call: CallContext
    ) -> public.CreateSessionShareResponse:
        session_id, requested = request.chat_session_id, request.session_share or public.SessionShare()
        await require_session(self._database, call, session_id, "manage")
        head = await self._head(session_id, requested.head_message_id)
        token = tokens.new_token() if requested.has_link or not requested.recipients else None
        async with self._database.session() as session:
            credential = await hold(session, call.principal)
            title = await _require_shareable(session, session_id)
            row = _Row(
                chat_session_id=session_id,
                user_id=call.principal.user_id,
                token_hash=token.sha256 if token else None,
                title=title,
                head_message_id=head,
                shows_quotes=requested.shows_quotes or False,
                expires_at=_expiry(requested.expires_at, credential.expires_at),
            )
            session.add(row)
            await session.flush()
            await add_recipients(session, call.principal, row.id, requested.recipients)
            share = await _read(session, call, row.id)
            audit(session, call, f"session-shares/{row.id}", head_message_id=head, **_readers(share))
        return public.CreateSessionShareResponse(session_share=share, path=f"/shared/{token.text}" if token else "")

    @override
    async def preview_session_share(
        self, request: public.PreviewSessionShareRequest, call: CallContext
    ) -> public.SharedSession:
        session_id, requested = request.chat_session_id, request.session_share or public.SessionShare()
        await require_session(self._database, call, session_id, "manage")
        head = await self._head(session_id, requested.head_message_id)
        async with self._database.session() as session:
            title = await _require_shareable(session, session_id)
        now = datetime.now(UTC)
        share = OpenedShare(
            id=0,
            chat_session_id=session_id,
            assistant_id=0,
            title=title,
            head_message_id=head,
            shows_quotes=requested.shows_quotes or False,
            shared_at=now,
            expires_at=_expiry(requested.expires_at, None),
            shared_by="",
        )
        return await self._shared.show(share)

    @override
    async def refresh_session_share(
        self, request: public.RefreshSessionShareRequest, call: CallContext
    ) -> public.SessionShare:
        requested = request.session_share or public.SessionShare()
        async with self._database.session() as session:
            credential = await hold(session, call.principal)
            session_id = (await _read(session, call, request.id)).chat_session_id
            head = await self._head(session_id, requested.head_message_id)
            title = await _require_shareable(session, session_id)
            values: dict[str, Any] = {"title": title, "head_message_id": head, "shared_at": func.now()}
            if requested.shows_quotes is not None:
                values["shows_quotes"] = requested.shows_quotes
            if requested.expires_at is not None:
                values["expires_at"] = _expiry(requested.expires_at, credential.expires_at)
            await session.execute(
                update(_Row)
                .where(_Row.id == request.id)
                .values(**values, user_id_last_update=call.principal.user_id)
                .execution_options(synchronize_session=False)
            )
            session.expire_all()
            share = await _read(session, call, request.id)
            audit(session, call, f"session-shares/{request.id}", head_message_id=head, **_readers(share))
        return share

    @override
    async def add_session_share_recipients(
        self, request: public.AddSessionShareRecipientsRequest, call: CallContext
    ) -> public.SessionShare:
        async with self._database.session() as session:
            credential = await hold(session, call.principal)
            share = await _lock(session, call, request.id)
            if credential.expires_at is not None and share.expires_at > credential.expires_at:
                credential.require_lasting("A share")
            await add_recipients(session, call.principal, share.id, request.recipients)
            return await _changed(session, call, share.id)

    @override
    async def remove_session_share_recipients(
        self, request: public.RemoveSessionShareRecipientsRequest, call: CallContext
    ) -> public.SessionShare:
        async with self._database.session() as session:
            await hold(session, call.principal)
            share = await _lock(session, call, request.id)
            await remove_recipients(session, call.principal, share.id, request.recipients)
            return await _changed(session, call, share.id)

    @override
    async def delete_session_share(self, request: public.DeleteSessionShareRequest, call: CallContext) -> Empty:
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
                raise missing("share", request.id)
            audit(session, call, f"session-shares/{request.id}", chat_session_id=revoked)
        return Empty()

    @override
    async def read_shared_session(
        self, request: public.ReadSharedSessionRequest, call: CallContext
    ) -> public.SharedSession:
        return await self._shared.read(await self._shared.open(request.token, call), call, by_name=False)

    @override
    async def fork_shared_session(
        self, request: public.ForkSharedSessionRequest, call: CallContext
    ) -> public.ChatSession:
        return await self._fork(await self._shared.open(request.token, call), request.title, call)

    @override
    async def list_received_shares(
        self, request: public.ListReceivedSharesRequest, call: CallContext
    ) -> public.ListReceivedSharesResponse:
        reader = call.principal.user_id
        page = read_page(request.page_size, request.page_token, tuple[int], "received_shares", reader)
        query = page.select(received_shares(reader), _Row.id, descending=True)
        async with self._database.session() as session:
            found, token = page.cut((await session.execute(query)).all(), lambda row: (row.id,))
        return public.ListReceivedSharesResponse(
            received_shares=[public.ReceivedShare.from_row(row) for row in found],
            next_page_token=token,
        )

    @override
    async def read_received_share(
        self, request: public.ReadReceivedShareRequest, call: CallContext
    ) -> public.SharedSession:
        return await self._shared.read(await self._shared.open_received(request.id, call), call, by_name=True)

    @override
    async def fork_received_share(
        self, request: public.ForkReceivedShareRequest, call: CallContext
    ) -> public.ChatSession:
        return await self._fork(await self._shared.open_received(request.id, call), request.title, call)

    async def _fork(self, share: OpenedShare, title: str, call: CallContext) -> public.ChatSession:
        forked = await self._shared.fork(share, title, call)
        async with self._database.session() as session:
            audit(session, call, f"session-shares/{share.id}", forked_session_id=forked)
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
    """Selects a user's shares that are not revoked, with the columns that `_to_model` needs."""
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


def _to_model(found: Any, recipients: Mapping[int, list[public.SessionShareRecipient]]) -> public.SessionShare:
    row = found[0]
    return session_shares.to_model(
        row, found.status, is_current=bool(found.is_current), recipients=recipients.get(row.id, [])
    )


async def _read(session: AsyncSession, call: CallContext, share_id: int) -> public.SessionShare:
    """Reads one of the caller's shares.

    Raises:
        NotFoundError: They have no such share, or it is revoked.
    """
    found = (await session.execute(_own(call.principal.user_id).where(_Row.id == share_id))).first()
    if found is None:
        raise missing("share", share_id)
    return _to_model(found, await recipients_of(session, [share_id]))


async def _lock(session: AsyncSession, call: CallContext, share_id: int) -> _Row:
    """Returns the row of one of the caller's shares, locked; raises the same error as `_read`."""
    own = select(_Row).where(_Row.id == share_id, _Row.user_id == call.principal.user_id, _Row.revoked_at.is_(None))
    row = await session.scalar(own.with_for_update())
    if row is None:
        raise missing("share", share_id)
    row.user_id_last_update = call.principal.user_id
    return row


async def _changed(session: AsyncSession, call: CallContext, share_id: int) -> public.SessionShare:
    """Audits a change of a share's readers, and returns the share."""
    await session.flush()
    share = await _read(session, call, share_id)
    audit(session, call, f"session-shares/{share_id}", **_readers(share))
    return share


def _readers(share: public.SessionShare) -> dict[str, Any]:
    """Returns who may read what, for the audit log."""
    return {
        "chat_session_id": share.chat_session_id,
        "has_link": share.has_link,
        "shows_quotes": share.shows_quotes,
        "user_ids": [recipient.user_id for recipient in share.recipients if recipient.user_id],
        "group_ids": [recipient.group_id for recipient in share.recipients if recipient.group_id],
    }


async def _require_shareable(session: AsyncSession, session_id: int) -> str:
    """Returns the title of a session that its owner may share now.

    Raises:
        NotFoundError: There is no such session.
        PermissionDeniedError: They may not share it.
    """
    found = (
        await session.execute(
            select(
                # A generated title is for those who may read all sources, without which it cannot be shared.
                func.coalesce(func.nullif(rows.ChatSession.generated_title, ""), rows.ChatSession.title),
                _settings("nobody"),
                is_publishable(rows.ChatSession, rows.User),
            )
            .join(rows.User, rows.User.id == rows.ChatSession.user_id)
            .where(rows.ChatSession.id == session_id, rows.ChatSession.deleted_date.is_(None))
        )
    ).first()
    if found is None:
        raise missing("chat session", session_id)
    title, is_off, is_allowed = found
    if is_off:
        raise _switched_off()
    if not is_allowed:
        raise PermissionDeniedError(
            "This conversation has drawn on a document that you may not read any more, or that was removed, so it "
            "cannot be shared. Ask your question again in a new conversation and share that.",
            required="sources",
        )
    return str(title)


async def require_sharing(session: AsyncSession) -> None:
    """Raises `PermissionDeniedError` if sharing of conversations is switched off."""
    if await session.scalar(select(_settings("nobody"))):
        raise _switched_off()


def _switched_off() -> PermissionDeniedError:
    return PermissionDeniedError("Sharing is switched off. A superadmin can allow it.", required="link_sharing")


def _expiry(requested: datetime | None, of_key: datetime | None) -> datetime:
    """Returns when a share expires: as requested, but no later than the API key that creates it."""
    now = datetime.now(UTC)
    expires_at = requested or min(now + _LIFETIME, of_key or now + _LIFETIME)
    if not now < expires_at <= now + _LONGEST:
        rule = f"must be in the future, and at most {_LONGEST.days} days ahead"
        raise ValidationFailedError(f"expires_at: {rule}", **{"session_share.expires_at": rule})
    if of_key is not None and expires_at > of_key:
        rule = f"must be no later than {of_key.isoformat(timespec='seconds')}, when the key that you use ends"
        raise ValidationFailedError(f"expires_at: {rule}", **{"session_share.expires_at": rule})
    return expires_at
