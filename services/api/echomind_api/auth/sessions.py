"""Web sessions and the two ways into one: a one-time link, a name with a password."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from asyncpg.pool import PoolConnectionProxy

from echomind_api.auth import tokens
from echomind_api.auth.passwords import verify_password
from echomind_lib.db.database import Database
from echomind_lib.errors import UnauthenticatedError

if TYPE_CHECKING:
    from asyncpg import Record

    Connection = PoolConnectionProxy[Record]

LINK_LIFETIME: Final = timedelta(hours=24)
SESSION_LIFETIME: Final = timedelta(days=30)

_TAKE_LINK = """
    UPDATE sign_in_tokens SET used_at = now()
    FROM users
    WHERE token_hash = $1 AND used_at IS NULL AND expires_at > now() AND users.id = user_id AND users.is_active
    RETURNING user_id
"""
_BY_NAME = """
    SELECT u.id, u.is_active, c.password_hash FROM users u LEFT JOIN credentials c ON c.user_id = u.id
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
        async with self._database.pool.acquire() as connection, connection.transaction():
            await connection.execute("DELETE FROM sign_in_tokens WHERE expires_at < now()")
            await connection.execute(
                "INSERT INTO sign_in_tokens (user_id, token_hash, expires_at) VALUES ($1, $2, $3)",
                user_id,
                token.sha256,
                expires_at,
            )
        return Link(f"/auth/link?token={token.text}", expires_at)

    async def begin_by_link(self, token: str) -> str:
        """Uses a link up and begins a session.

        Returns:
            The session's token, for the cookie.

        Raises:
            UnauthenticatedError: The link is unknown, used or expired, or its account is deactivated.
        """
        async with self._database.pool.acquire() as connection, connection.transaction():
            user_id = await connection.fetchval(_TAKE_LINK, tokens.digest(token))
            if user_id is None:
                raise UnauthenticatedError("This sign-in link has been used or has expired.")
            return await self._begin(connection, user_id)

    async def begin_by_password(self, name: str, password: str) -> str:
        """Begins a session for who knows an account's name or e-mail address, and its password.

        Returns:
            The session's token, for the cookie.

        Raises:
            UnauthenticatedError: Something does not fit; it does not say what.
        """
        row = await self._database.pool.fetchrow(_BY_NAME, name)
        known = await verify_password(row["password_hash"] if row else None, password)
        if row is None or not known or not row["is_active"]:
            raise UnauthenticatedError("User name or password is wrong.")
        async with self._database.pool.acquire() as connection, connection.transaction():
            return await self._begin(connection, row["id"])

    async def end(self, token: str) -> int | None:
        """Ends a session. Returns whose it was."""
        ended: int | None = await self._database.pool.fetchval(
            "DELETE FROM web_sessions WHERE token_hash = $1 RETURNING user_id", tokens.digest(token)
        )
        return ended

    async def _begin(self, connection: "Connection", user_id: int) -> str:
        token = tokens.new_token()
        await connection.execute("DELETE FROM web_sessions WHERE expires_at < now()")
        await connection.execute(
            "INSERT INTO web_sessions (user_id, token_hash, expires_at) VALUES ($1, $2, $3)",
            user_id,
            token.sha256,
            datetime.now(UTC) + SESSION_LIFETIME,
        )
        await connection.execute("UPDATE users SET last_login = now() WHERE id = $1", user_id)
        return token.text
