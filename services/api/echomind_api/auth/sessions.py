"""Web sessions and the two ways into one: a one-time link, a name with a password."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from echomind_api.auth import tokens
from echomind_api.auth.passwords import verify_password
from echomind_lib.db.database import Database
from echomind_lib.errors import UnauthenticatedError

LINK_LIFETIME: Final = timedelta(hours=24)
SESSION_LIFETIME: Final = timedelta(days=30)

_BEGIN = """
    seen AS (UPDATE users SET last_login = now() FROM account WHERE users.id = account.id),
    expired AS (DELETE FROM web_sessions WHERE expires_at < now())
    INSERT INTO web_sessions (user_id, token_hash, expires_at) SELECT id, $2, $3 FROM account RETURNING user_id
"""
_BEGIN_BY_LINK = f"""
    WITH account AS (
        UPDATE sign_in_tokens SET used_at = now() FROM users
        WHERE token_hash = $1 AND used_at IS NULL AND expires_at > now() AND users.id = user_id AND users.is_active
        RETURNING users.id
    ), {_BEGIN}
"""  # noqa: S608 - put together of constants
_BEGIN_BY_ID = f"WITH account AS (SELECT id FROM users WHERE id = $1 AND is_active), {_BEGIN}"  # noqa: S608
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


class WebSessions:
    """Begins and ends the sessions of browsers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create_link(self, user_id: int) -> Link:
        """A new link for an account; earlier ones stay good until they are used or expire."""
        token = tokens.new_token()
        expires_at = datetime.now(UTC) + LINK_LIFETIME
        await self._database.pool.execute(_CREATE_LINK, user_id, token.sha256, expires_at)
        return Link(f"/auth/link?token={token.text}", expires_at)

    async def begin_by_link(self, token: str) -> str:
        """Uses a link up and begins a session.

        Returns:
            The session's token, for the cookie.

        Raises:
            UnauthenticatedError: The link is unknown, used or expired, or its account is deactivated.
        """
        session = await self._begin(_BEGIN_BY_LINK, tokens.digest(token))
        if session is None:
            raise UnauthenticatedError("This sign-in link has been used or has expired.")
        return session

    async def begin_by_password(self, name: str, password: str) -> str:
        """Begins a session for who knows an account's name or e-mail address, and its password.

        Returns:
            The session's token, for the cookie.

        Raises:
            UnauthenticatedError: Something does not fit; it does not say what.
        """
        row = await self._database.pool.fetchrow(_BY_NAME, name)
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
