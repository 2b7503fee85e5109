"""Web sessions and the two ways into one: a one-time link, a name with a password."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from echomind_api.auth import tokens
from echomind_api.auth.failures import FailedCredentials
from echomind_api.auth.passwords import verify_password
from echomind_lib.db.database import Database
from echomind_lib.errors import UnauthenticatedError

_DEAD_LINK: Final = "This sign-in link has been used or has expired."
LINK_LIFETIME: Final = timedelta(hours=24)
SESSION_LIFETIME: Final = timedelta(days=30)

# `person` is locked first: whoever is deactivated meanwhile must not be left with a session.
_BEGIN = """
    seen AS (UPDATE users SET last_login = now() FROM account WHERE users.id = account.id),
    expired AS (DELETE FROM web_sessions WHERE expires_at < now())
    INSERT INTO web_sessions (user_id, token_hash, expires_at, authenticated_at)
    SELECT id, $2, $3, COALESCE(authenticated_at, now()) FROM account RETURNING user_id
"""
_BEGIN_BY_LINK = f"""
    WITH person AS (
        SELECT u.id FROM users u JOIN sign_in_tokens t ON t.user_id = u.id
        WHERE t.token_hash = $1 AND u.is_active FOR NO KEY UPDATE OF u
    ), account AS (
        UPDATE sign_in_tokens SET used_at = now() FROM person
        WHERE token_hash = $1 AND used_at IS NULL AND expires_at > now() AND user_id = person.id
        RETURNING person.id, authenticated_at
    ), {_BEGIN}
"""  # noqa: S608 - put together of constants
_BEGIN_BY_ID = f"""
    WITH account AS (
        SELECT id, NULL::timestamptz AS authenticated_at FROM users WHERE id = $1 AND is_active FOR NO KEY UPDATE
    ), {_BEGIN}
"""  # noqa: S608 - put together of constants
_LINK_ACCOUNT = """
    SELECT u.id, u.user_name FROM sign_in_tokens t JOIN users u ON u.id = t.user_id
    WHERE t.token_hash = $1 AND t.used_at IS NULL AND t.expires_at > now() AND u.is_active
"""
_CREATE_LINK = """
    WITH expired AS (DELETE FROM sign_in_tokens WHERE expires_at < now())
    INSERT INTO sign_in_tokens (user_id, token_hash, expires_at) VALUES ($1, $2, $3)
"""
_BY_NAME = """
    SELECT u.id, c.password_hash FROM users u LEFT JOIN credentials c ON c.user_id = u.id
    WHERE lower(u.user_name) = lower($1) OR lower(u.email) = lower($1)
    ORDER BY lower(u.user_name) = lower($1) DESC LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Link:
    """A link that signs one person in, once. `path` goes behind the server's address."""

    path: str = field(repr=False)
    expires_at: datetime


def new_link() -> tuple[Link, tokens.Token]:
    """Returns a link and the token in it, whose SHA-256 is to be stored."""
    token = tokens.new_token()
    return Link(f"/auth/link?token={token.text}", datetime.now(UTC) + LINK_LIFETIME), token


@dataclass(frozen=True, slots=True)
class Account:
    """Whom a link signs in."""

    user_id: int
    user_name: str


class WebSessions:
    """Begins and ends the sessions of browsers."""

    def __init__(self, database: Database, failures: FailedCredentials) -> None:
        self._database = database
        self._failures = failures

    async def create_link(self, user_id: int) -> Link:
        """Creates a link for an account; earlier ones stay good until they are used or expire."""
        link, token = new_link()
        await self._database.pool.execute(_CREATE_LINK, user_id, token.sha256, link.expires_at)
        return link

    async def account_of_link(self, token: str, address: str) -> Account:
        """Returns whom a link would sign in, and leaves it unused.

        Args:
            token: The link's token.
            address: Where it was sent from.

        Raises:
            UnauthenticatedError: The link is unknown, used or expired, or its account is deactivated.
            OverloadedError: The address has had too many failures.
        """
        with self._failures.sign_in(address):
            row = await self._database.pool.fetchrow(_LINK_ACCOUNT, tokens.digest(token))
            if row is None:
                raise UnauthenticatedError(_DEAD_LINK)
        return Account(row["id"], row["user_name"])

    async def name_of(self, user_id: int) -> str:
        """Returns an account's name."""
        name: str = await self._database.pool.fetchval("SELECT user_name FROM users WHERE id = $1", user_id)
        return name

    async def begin_by_link(self, token: str, address: str) -> str:
        """Uses a link up and begins a session.

        Args:
            token: The link's token.
            address: Where it was sent from.

        Returns:
            The session's token, for the cookie.

        Raises:
            UnauthenticatedError: The link is unknown, used or expired, or its account is deactivated.
            OverloadedError: The address has had too many failures.
        """
        with self._failures.sign_in(address):
            session = await self._begin(_BEGIN_BY_LINK, tokens.digest(token))
            if session is None:
                raise UnauthenticatedError(_DEAD_LINK)
        return session

    async def begin_by_password(self, name: str, password: str, address: str) -> str:
        """Begins a session for who knows an account's name or e-mail address, and its password.

        Args:
            name: The account's name or e-mail address.
            password: Its password.
            address: Where they were sent from.

        Returns:
            The session's token, for the cookie.

        Raises:
            UnauthenticatedError: Something does not fit; it does not say what.
            OverloadedError: The address or the account has had too many failures.
        """
        with self._failures.sign_in(address):
            row = await self._database.pool.fetchrow(_BY_NAME, name)
            with self._failures.password(row["id"] if row else name.lower()):
                known = await verify_password(row["password_hash"] if row else None, password)
                session = await self._begin(_BEGIN_BY_ID, row["id"]) if known and row else None
                if session is None:
                    raise UnauthenticatedError("User name or password is wrong.")
        return session

    async def end(self, token: str) -> int | None:
        """Ends a session. Returns whose it was."""
        ended: int | None = await self._database.pool.fetchval(
            "DELETE FROM web_sessions WHERE token_hash = $1 RETURNING user_id", tokens.digest(token)
        )
        return ended

    async def _begin(self, statement: str, proof: bytes | int) -> str | None:
        token = tokens.new_token()
        expires_at = datetime.now(UTC) + SESSION_LIFETIME
        user_id = await self._database.pool.fetchval(statement, proof, token.sha256, expires_at)
        return None if user_id is None else token.text
