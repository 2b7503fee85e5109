"""Back-channel logout: a provider ends web sessions that were begun with it.

https://openid.net/specs/openid-connect-backchannel-1_0.html
"""

from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert

from echomind_api.auth.failures import FailedCredentials
from echomind_api.auth.identity_providers import IdentityProviders
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.identity.failures import Failure, SignInFailedError

_ACTION: Final = "Sign-out/Provider"
_KEPT: Final = timedelta(minutes=15)
"""How long a token's identifier is kept: longer than a token is accepted."""


class ProviderLogouts:
    """Ends web sessions by the tokens that providers send."""

    def __init__(self, database: Database, providers: IdentityProviders, failures: FailedCredentials) -> None:
        self._database = database
        self._providers = providers
        self._failures = failures

    async def end_sessions(self, name: str, token: str, address: str) -> set[int]:
        """Ends the web sessions that a logout token names: one browser's, or all of a person at the provider.

        Args:
            name: The provider's name.
            token: The token that was sent.
            address: IP address of the sender.

        Returns:
            IDs of the users whose sessions have ended, whose streams end as well.

        Raises:
            NotFoundError: There is no such provider.
            SignInFailedError: The token is not valid, or was used before.
            OverloadedError: The address has had too many failures.
        """
        provider = await self._providers.get(name, even_inactive=True)
        with self._failures.sign_in(address):
            logout = await provider.verified_logout(token)
        issuer = provider.settings.issuer
        ended = select(rows.UserIdentity.id).where(rows.UserIdentity.issuer == issuer)
        if logout.subject:
            ended = ended.where(rows.UserIdentity.subject == logout.subject)
        sessions = delete(rows.WebSession).where(rows.WebSession.identity_id.in_(ended))
        if logout.session:
            sessions = sessions.where(rows.WebSession.provider_session == logout.session)
        async with self._database.session() as session:
            await session.execute(delete(rows.UsedLogoutToken).where(rows.UsedLogoutToken.expires_at < func.now()))
            used = insert(rows.UsedLogoutToken).values(
                issuer=issuer, token_id=logout.token_id, expires_at=datetime.now(UTC) + _KEPT
            )
            if await session.scalar(used.on_conflict_do_nothing().returning(rows.UsedLogoutToken.token_id)) is None:
                raise SignInFailedError(Failure.NOT_PROVEN, "the logout token was used before (jti)")
            people = set(await session.scalars(sessions.returning(rows.WebSession.user_id)))
            session.add_all(
                rows.AuditEntry(actor_id=user_id, action=_ACTION, target=f"users/{user_id}", detail={"provider": name})
                for user_id in sorted(people)
            )
        return people
