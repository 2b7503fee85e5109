"""The caller's credential in the transaction that creates or revokes others: it cannot create stronger ones."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_lib.access import Principal
from echomind_lib.db import models as rows
from echomind_lib.errors import PermissionDeniedError, UnauthenticatedError

RECENT: Final = timedelta(minutes=10)
"""How long a sign-in counts as recent."""


@dataclass(frozen=True, slots=True)
class Credential:
    """The credential of a call, as the database has it now."""

    expires_at: datetime | None = None
    """Expiry of the API key or bearer token; None for never, and for a web session."""
    authenticated_at: datetime | None = None
    """When the user of a web session last authenticated; None for API keys."""

    @property
    def is_recent(self) -> bool:
        """Returns whether it is a web session that was signed in recently."""
        return self.authenticated_at is not None and datetime.now(UTC) - self.authenticated_at < RECENT

    def require_lasting(self, purpose: str) -> None:
        """Raises an error for an API key that expires, because what it creates would outlive it.

        Raises:
            PermissionDeniedError: The credential is an API key that expires.
        """
        if self.expires_at is not None:
            raise PermissionDeniedError(
                f"{purpose} outlasts your API key, which expires at {self.expires_at:%Y-%m-%d %H:%M} UTC: sign in, or "
                "use a key that does not expire.",
                required="lasting_credential",
            )

    def require_recent(self, purpose: str) -> None:
        """Returns for an API key and for a web session that was signed in a moment ago.

        Raises:
            PermissionDeniedError: The web session is older.
        """
        if self.authenticated_at is not None and not self.is_recent:
            raise PermissionDeniedError(
                f"{purpose} takes a sign-in in the last {RECENT.seconds // 60} minutes: sign out, sign in again by a "
                "link or your password, and repeat it.",
                required="recent_sign_in",
            )


async def hold(session: AsyncSession, principal: Principal, other: int = 0) -> Credential:
    """Reads the caller's credential and locks the account until the transaction ends, so that it stays valid.

    Principals are cached for some seconds; calls that create credentials must not rely on that cache.

    Args:
        session: The transaction.
        principal: The caller.
        other: Another account to be written, locked in the same order so that two such calls cannot deadlock; 0: none.

    Raises:
        UnauthenticatedError: The credential has been revoked or has expired, or its account is deactivated.
    """
    accounts = await session.execute(
        select(rows.User.id, rows.User.is_active)
        .where(rows.User.id.in_({principal.user_id, other}))
        .order_by(rows.User.id)
        .with_for_update(key_share=True)
    )
    is_active = {row.id: row.is_active for row in accounts}.get(principal.user_id, False)
    credential = await _read(session, principal) if is_active else None
    if credential is None:
        raise UnauthenticatedError("Your session or API key has ended. Sign in again.")
    return credential


async def _read(session: AsyncSession, principal: Principal) -> Credential | None:
    now = datetime.now(UTC)
    if principal.api_key_id is not None:
        key = await session.get(rows.ApiKey, principal.api_key_id)
        if key is None or key.revoked:
            return None
        ends = [end for end in (key.expires_at, principal.token_expires_at) if end is not None]
        return Credential(expires_at=min(ends, default=None)) if all(end > now for end in ends) else None
    if principal.web_session_id is not None:
        web_session = await session.get(rows.WebSession, principal.web_session_id)
        valid = web_session is not None and web_session.expires_at > now
        return Credential(authenticated_at=web_session.authenticated_at) if web_session and valid else None
    if principal.identity_id is not None:
        expires_at = principal.token_expires_at
        identity = await session.get(rows.UserIdentity, principal.identity_id)
        return Credential(expires_at=expires_at) if identity and expires_at and expires_at > now else None
    return Credential()  # EchoMind itself
