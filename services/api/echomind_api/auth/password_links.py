"""Links to set a new password, and the credentials that a changed password revokes."""

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Select, delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.auth import tokens
from echomind_api.auth.failures import FailedCredentials
from echomind_api.auth.local_accounts import LocalAccounts
from echomind_api.auth.passwords import hash_password
from echomind_api.auth.principals import Principals
from echomind_api.auth.sessions import Browser, new_session
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import UnauthenticatedError


@dataclass(frozen=True, slots=True)
class PasswordLinkOffer:
    """The offer of a password link."""

    user_name: str
    """User name of the account whose password it sets."""
    expires_at: datetime


class PasswordLinks:
    """Reads and uses the links that superadmins create for users without a password, or who forgot it."""

    def __init__(
        self, database: Database, principals: Principals, failures: FailedCredentials, local_accounts: LocalAccounts
    ) -> None:
        self._database = database
        self._principals = principals
        self._failures = failures
        self._local_accounts = local_accounts

    async def read(self, token: str, address: str) -> PasswordLinkOffer:
        """Returns the offer of a link without using it.

        Args:
            token: The link's token.
            address: IP address of the sender.

        Raises:
            UnauthenticatedError: The link is unknown, used or expired, or its account is deactivated.
            OverloadedError: The address has had too many failures.
            AuthModeError: Local accounts are off.
        """
        await self._local_accounts.require()
        with self._failures.sign_in(address):
            async with self._database.session() as session:
                found = (await session.execute(_usable(token))).one_or_none()
            if found is None:
                raise _dead()
        link, user = found
        return PasswordLinkOffer(user.user_name, link.expires_at)

    async def use(self, token: str, password: str, browser: Browser) -> str:
        """Sets the password, ends the account's other sessions and its links, and begins a session.

        Args:
            token: The link's token.
            password: The new password.
            browser: Request of the browser.

        Returns:
            The session's token, for the cookie.

        Raises:
            UnauthenticatedError: The link is unknown, used or expired, or its account is deactivated.
            OverloadedError: The address has had too many failures.
        """
        await self.read(token, browser.address)
        password_hash = await hash_password(password)
        with self._failures.sign_in(browser.address):
            async with self._database.session() as session:
                # Lock the account, so that an account that is deactivated at the same time gets no session.
                found = (await session.execute(_usable(token).with_for_update())).one_or_none()
                if found is None:
                    raise _dead()
                _, user = found
                await replace_password(session, user.id, password_hash)
                row, text = new_session(user.id, browser)
                session.add_all([row, _note(user.id)])
                user.last_login = func.now()
        self._principals.forget(user.id)
        return text


async def replace_password(session: AsyncSession, user_id: int, password_hash: str, *, keep_session: int = 0) -> None:
    """Stores a password and revokes earlier web sessions, sign-in links and password links.

    Args:
        session: The transaction.
        user_id: ID of the user.
        password_hash: Its stored hash.
        keep_session: A web session that stays; 0: none.
    """
    columns = {"password_hash": password_hash, "user_id_last_update": user_id}
    store = insert(rows.Credential).values(user_id=user_id, **columns)
    await session.execute(store.on_conflict_do_update(index_elements=[rows.Credential.user_id], set_=columns))
    await end_sessions(session, user_id, keep_session=keep_session)


async def end_sessions(session: AsyncSession, user_id: int, *, keep_session: int = 0) -> None:
    """Ends the web sessions of an account, its unused links, and the sign-ins of devices that have no key yet.

    Args:
        session: The transaction.
        user_id: ID of the user.
        keep_session: A web session that stays; 0: none.
    """
    others = delete(rows.WebSession).where(rows.WebSession.user_id == user_id, rows.WebSession.id != keep_session)
    links = delete(rows.SignInToken).where(
        rows.SignInToken.user_id == user_id, rows.SignInToken.expires_at > datetime.now(UTC)
    )
    await session.execute(others)
    await session.execute(links)
    await session.execute(delete(rows.DeviceSignIn).where(rows.DeviceSignIn.user_id == user_id))


def _usable(token: str) -> Select[rows.SignInToken, rows.User]:
    return (
        select(rows.SignInToken, rows.User)
        .join(rows.User, rows.User.id == rows.SignInToken.user_id)
        .where(rows.SignInToken.token_hash == tokens.digest(token), rows.SignInToken.purpose == "password")
        .where(rows.SignInToken.used_at.is_(None), rows.SignInToken.expires_at > func.now(), rows.User.is_active)
    )


def _note(user_id: int) -> rows.AuditEntry:
    return rows.AuditEntry(actor_id=user_id, action="AuthService/UsePasswordLink", target=f"users/{user_id}")


def _dead() -> UnauthenticatedError:
    return UnauthenticatedError(
        "This link to set a password has been used or has expired. Ask an administrator for a new one."
    )
