"""Bearer tokens of providers: signed by them for EchoMind's own audience, for people who have an account already.

They never count as sign-ins: they create no accounts, change none, and do not have the scope `administer`.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from sqlalchemy import bindparam, select

from echomind_api.auth.identity_providers import IdentityProviders
from echomind_api.auth.rates import rates_of
from echomind_lib.db.database import Database
from echomind_lib.db.models.identity import User, UserIdentity
from echomind_lib.db.statements import Query
from echomind_lib.errors import DependencyUnavailableError, UnauthenticatedError
from echomind_lib.identity.failures import Failure, SignInFailedError

_MAX_CHARACTERS: Final = 16_384
_NOT_VALID: Final = "The bearer token is not valid: {}. Get another one from the provider."


@dataclass(frozen=True, slots=True, kw_only=True)
class BearerAccount:
    """The account of a valid token."""

    id: int
    """ID of the identity."""
    user_id: int
    roles: list[str]
    groups: list[str]
    rates: list[list[Any]] | None


@dataclass(frozen=True, slots=True)
class Bearer:
    """A valid token."""

    account: BearerAccount
    expires_at: datetime


_ACCOUNT: Final = Query(
    select(UserIdentity.id, UserIdentity.user_id, User.roles, User.groups, rates_of(User.id).label("rates"))
    .join(User, User.id == UserIdentity.user_id)
    .where(UserIdentity.issuer == bindparam("issuer"), UserIdentity.subject == bindparam("subject"), User.is_active),
    BearerAccount,
)


class _Payload(msgspec.Struct, frozen=True):
    iss: str


class BearerTokens:
    """The one verifier of bearer tokens, for REST, gRPC and WebSockets."""

    def __init__(self, database: Database, providers: IdentityProviders) -> None:
        self._database = database
        self._providers = providers

    async def verify(self, token: str) -> Bearer:
        """Returns the account of a token.

        Raises:
            UnauthenticatedError: The token is not valid, or its person has no active account.
            DependencyUnavailableError: The provider's keys cannot be read.
        """
        issuer = _issuer_of(token)
        provider = await self._providers.of_issuer(issuer) if issuer else None
        if provider is None or not provider.settings.audience:
            raise UnauthenticatedError(_NOT_VALID.format("no sign-in provider with an audience has its issuer"))
        try:
            claims = await provider.verified_bearer(token)
        except SignInFailedError as error:
            if error.failure is Failure.UNAVAILABLE:
                raise DependencyUnavailableError(
                    f"{provider.title} does not answer: try again.", detail=str(error), dependency="identity provider"
                ) from error
            raise UnauthenticatedError(_NOT_VALID.format(error)) from error
        account = await _ACCOUNT.fetch_one(self._database.pool, issuer=issuer, subject=claims["sub"])
        if account is None:
            raise UnauthenticatedError(
                "The bearer token's person has no active account: sign in once in the browser at this provider."
            )
        return Bearer(account, datetime.fromtimestamp(claims["exp"], UTC))


def is_bearer_token(text: str) -> bool:
    """Returns whether a bearer credential has the form of a JSON Web Token."""
    return text.startswith("ey") and text.count(".") == 2 and len(text) <= _MAX_CHARACTERS


def _issuer_of(token: str) -> str:
    """Returns the issuer that a token names, which nothing proves yet; empty if there is none."""
    from joserfc.util import urlsafe_b64decode

    try:
        return msgspec.json.decode(urlsafe_b64decode(token.split(".")[1].encode()), type=_Payload).iss
    except (ValueError, msgspec.DecodeError):
        return ""
