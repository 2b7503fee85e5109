"""Invitation links: what they offer, and the accounts that they create."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, func, select
from sqlalchemy.orm import aliased

from echomind_api.auth import tokens
from echomind_api.auth.failures import FailedCredentials
from echomind_api.auth.local_accounts import LocalAccounts
from echomind_api.auth.passwords import hash_password
from echomind_api.auth.sessions import Browser, new_session
from echomind_api.rows import unique
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import UnauthenticatedError
from echomind_lib.mappers import users
from echomind_lib.models.public import User

UNIQUE_NAMES = {"idx_users_user_name": "user_name", "idx_users_email": "email"}
"""The fields of an account that no other has, by their index."""
_CHOSEN = ("user_name", "email", "first_name", "last_name")


@dataclass(frozen=True, slots=True)
class InvitationOffer:
    """The offer of an invitation link."""

    email: str
    """The account's e-mail address; empty if the invited person enters one."""
    invited_by: str
    """Name of the creator."""
    expires_at: datetime


class InvitationLinks:
    """Reads and uses the links of invitations."""

    def __init__(self, database: Database, failures: FailedCredentials, local_accounts: LocalAccounts) -> None:
        self._database = database
        self._failures = failures
        self._local_accounts = local_accounts

    async def read(self, token: str, address: str) -> InvitationOffer:
        """Returns the offer of a link without using it.

        Args:
            token: The link's token.
            address: IP address of the sender.

        Raises:
            UnauthenticatedError: The link is unknown, used, removed or expired, or its inviter may not invite any more.
            OverloadedError: The address has had too many failures.
            AuthModeError: Local accounts are off.
        """
        await self._local_accounts.require()
        with self._failures.sign_in(address):
            async with self._database.session() as session:
                found = (await session.execute(_usable(token))).one_or_none()
            if found is None:
                raise _dead()
        invitation, inviter = found
        name = " ".join(filter(None, (inviter.first_name, inviter.last_name))) or inviter.user_name
        return InvitationOffer(invitation.email or "", name, invitation.expires_at)

    async def accept(self, token: str, person: User, password: str, browser: Browser) -> str:
        """Creates the account of an invitation and begins its first session.

        Args:
            token: The link's token.
            person: Names and e-mail address; the invitation's address, if any, replaces this one.
            password: The account's password.
            browser: Request of the browser.

        Returns:
            The session's token, for the cookie.

        Raises:
            AlreadyExistsError: Another account has the name or the address.
            UnauthenticatedError: The link is unknown, used, removed or expired, or its inviter may not invite any more.
            OverloadedError: The address has had too many failures.
        """
        await self.read(token, browser.address)
        password_hash = await hash_password(password)
        columns = users.to_columns(person, _CHOSEN)
        with self._failures.sign_in(browser.address):
            async with self._database.session() as session:
                found = (await session.execute(_usable(token).with_for_update(of=rows.Invitation))).one_or_none()
                if found is None:
                    raise _dead()
                invitation, _ = found
                columns["email"] = invitation.email or columns["email"]
                account = rows.User(
                    **columns, roles=invitation.roles, groups=invitation.groups, is_active=True, last_login=func.now()
                )
                session.add(account)
                with unique("account", UNIQUE_NAMES):
                    await session.flush()
                invitation.accepted_at = datetime.now(UTC)
                invitation.accepted_user_id = account.id
                row, text = new_session(account.id, browser)
                session.add_all([rows.Credential(user_id=account.id, password_hash=password_hash), row])
                session.add(_note(account, invitation))
        return text


def may_invite(inviter: Any = rows.User) -> ColumnElement[bool]:
    """Returns the condition that an account's invitations are valid: the account may still invite."""
    return and_(inviter.is_active, inviter.roles.contains(["superadmin"]))


def _usable(token: str) -> Select[rows.Invitation, rows.User]:
    inviter = aliased(rows.User)
    return (
        select(rows.Invitation, inviter)
        .join(inviter, inviter.id == rows.Invitation.invited_by)
        .where(rows.Invitation.token_hash == tokens.digest(token), rows.Invitation.accepted_at.is_(None))
        .where(rows.Invitation.expires_at > func.now(), may_invite(inviter))
    )


def _note(account: rows.User, invitation: rows.Invitation) -> rows.AuditEntry:
    detail = {"invitation": invitation.id, "invited_by": invitation.invited_by, "roles": account.roles}
    return rows.AuditEntry(
        actor_id=account.id,
        action="InvitationService/AcceptInvitation",
        target=f"users/{account.id}",
        detail=detail | {"groups": account.groups},
    )


def _dead() -> UnauthenticatedError:
    return UnauthenticatedError(
        "This invitation has been used, withdrawn or has expired. Ask whoever invited you for a new one."
    )
