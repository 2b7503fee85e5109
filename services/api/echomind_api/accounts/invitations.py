"""Invitations, with the roles and groups that they grant and their creators."""

from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import delete, func, select
from typing_extensions import override

from echomind_api.auth import tokens
from echomind_api.auth.credentials import hold
from echomind_api.auth.invitation_links import may_invite
from echomind_api.auth.local_accounts import LocalAccounts
from echomind_api.rows import audit, missing, reload
from echomind_lib.access import require_role
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.errors import AlreadyExistsError, ValidationFailedError
from echomind_lib.mappers import invitations
from echomind_lib.models import public

_LIFETIME: Final = timedelta(days=7)
_LONGEST: Final = timedelta(days=90)


class Invitations(public.InvitationService):
    """The service `InvitationService`."""

    def __init__(self, database: Database, local_accounts: LocalAccounts) -> None:
        self._database = database
        self._local_accounts = local_accounts

    @override
    async def list_invitations(
        self, request: public.ListInvitationsRequest, call: CallContext
    ) -> public.ListInvitationsResponse:
        require_role(call.principal, "admin")
        page = read_page(request.page_size, request.page_token, tuple[int], "invitations")
        invited = select(rows.Invitation, may_invite()).join(rows.User, rows.User.id == rows.Invitation.invited_by)
        query = page.select(invited, rows.Invitation.id, descending=True)
        async with self._database.session() as session:
            found, token = page.cut((await session.execute(query)).all(), lambda row: (row[0].id,))
        return public.ListInvitationsResponse(
            invitations=[invitations.to_model(row, may_invite=is_allowed) for row, is_allowed in found],
            next_page_token=token,
        )

    @override
    async def create_invitation(
        self, request: public.CreateInvitationRequest, call: CallContext
    ) -> public.CreateInvitationResponse:
        require_role(call.principal, "superadmin")
        columns = invitations.to_columns(request.invitation)
        await self._local_accounts.require()
        expires_at = _expiry(request.invitation.expires_at)
        token = tokens.new_token()
        async with self._database.session() as session:
            credential = await hold(session, call.principal)
            credential.require_lasting("An invitation")
            if columns["email"] is not None:
                taken = select(rows.User.id).where(func.lower(rows.User.email) == func.lower(columns["email"]))
                if await session.scalar(taken) is not None:
                    raise AlreadyExistsError(
                        "An account has this e-mail address already: make a sign-in link or a password link for it.",
                        resource="user",
                        field="email",
                    )
            row = rows.Invitation(
                **columns, token_hash=token.sha256, expires_at=expires_at, invited_by=call.principal.user_id
            )
            session.add(row)
            await session.flush()
            audit(session, call, f"invitations/{row.id}", roles=row.roles, groups=row.groups)
            await reload(session, row)
            invitation = invitations.to_model(row, may_invite=True)
        return public.CreateInvitationResponse(invitation=invitation, path=f"/join/{token.text}")

    @override
    async def delete_invitation(self, request: public.DeleteInvitationRequest, call: CallContext) -> Empty:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            await hold(session, call.principal)
            removed = await session.scalar(
                delete(rows.Invitation).where(rows.Invitation.id == request.id).returning(rows.Invitation.id)
            )
            if removed is None:
                raise missing("invitation", request.id)
            audit(session, call, f"invitations/{removed}")
        return Empty()


def _expiry(requested: datetime | None) -> datetime:
    now = datetime.now(UTC)
    expires_at = requested or now + _LIFETIME
    if not now < expires_at <= now + _LONGEST:
        rule = f"must be in the future, and at most {_LONGEST.days} days ahead"
        raise ValidationFailedError(f"expires_at: {rule}", **{"invitation.expires_at": rule})
    return expires_at
