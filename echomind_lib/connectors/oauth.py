"""OAuth sign-in at Google and Microsoft, for connectors that read with a person's own access.

The authorization code flow with PKCE (RFC 6749, RFC 7636). The gateway sends people to `OAuthProvider.authorize_url`
and exchanges the code; the ingestor exchanges refresh tokens at `token_url`.
"""

from dataclasses import dataclass, field
from typing import Final

import msgspec

from echomind_lib.config import ConnectorSettings
from echomind_lib.connectors.definition import SignIn

IDENTITY_SCOPES: Final = ("openid", "email")
"""Scopes of every sign-in, to display the account that a connector uses."""


class OAuthGrant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The tokens of a sign-in: the field `oauth: OAuthGrant | None = None` of a type's credentials.

    Only the gateway sets it; forms and requests omit it.
    """

    refresh_token: str
    """The refresh token. A provider may replace it at any use; the new one is then stored."""
    account: str = ""
    """The e-mail address or name of the account, for display."""
    scopes: tuple[str, ...] = ()
    """The granted scopes."""

    def __repr__(self) -> str:
        return f"OAuthGrant(account={self.account!r}, scopes={self.scopes!r})"


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuthProvider:
    """An OAuth provider, and the application registered with it."""

    name: SignIn
    title: str
    """Its display name."""
    authorize_url: str
    token_url: str
    client_id: str
    client_secret: str = field(repr=False)
    parameters: dict[str, str] = field(default_factory=dict)
    """Extra parameters of its authorization address, so that it returns a refresh token."""
    scopes: tuple[str, ...] = ()
    """Scopes to request in addition to those of a type."""
    revoke_url: str = ""
    """Where tokens are revoked (RFC 7009); empty if the provider has no such address."""
    access_url: str
    """Page where people see and end the access of applications to their account."""

    @property
    def is_configured(self) -> bool:
        """Returns whether an application is configured."""
        return bool(self.client_id)

    @property
    def missing_settings(self) -> str:
        """Returns the settings that must be set before people can sign in."""
        name = self.name.upper()
        return f"ECHOMIND_CONNECTORS__{name}_CLIENT_ID and ECHOMIND_CONNECTORS__{name}_CLIENT_SECRET"


def oauth_provider(settings: ConnectorSettings, name: SignIn) -> OAuthProvider:
    """Returns a provider as configured in the settings."""
    if name == "google":
        return OAuthProvider(
            name=name,
            title="Google",
            authorize_url=f"{settings.google_accounts_url.rstrip('/')}/o/oauth2/v2/auth",
            token_url=settings.google_token_url,
            client_id=settings.google_client_id,
            client_secret=settings.google_client_secret.get_secret_value(),
            # Google returns a refresh token only with both: https://developers.google.com/identity/protocols/oauth2/web-server
            parameters={"access_type": "offline", "prompt": "consent"},
            # It ends all access of the application to the account:
            # https://developers.google.com/identity/protocols/oauth2/web-server#tokenrevoke
            revoke_url=settings.google_revoke_url,
            access_url="https://myaccount.google.com/connections",
        )
    login = f"{settings.microsoft_login_url.rstrip('/')}/{settings.microsoft_tenant}/oauth2/v2.0"
    return OAuthProvider(
        name=name,
        title="Microsoft",
        authorize_url=f"{login}/authorize",
        token_url=f"{login}/token",
        client_id=settings.microsoft_client_id,
        client_secret=settings.microsoft_client_secret.get_secret_value(),
        parameters={"prompt": "select_account"},
        # Without an e-mail address, the account is named by the claims of `profile`:
        # https://learn.microsoft.com/en-us/entra/identity-platform/id-token-claims-reference
        scopes=("profile", "offline_access"),
        # Entra revokes only all sessions of an account at once, which needs a further permission.
        access_url="https://myapplications.microsoft.com",
    )
