"""A connector's access by a person's sign-in at a vendor."""

from typing import Any

from msgspec.structs import replace

from echomind_ingestor.connectors.protocol import SourceContext
from echomind_ingestor.connectors.tokens import RefreshToken
from echomind_lib.connectors.oauth import OAuthGrant, OAuthProvider


def refresh_token(context: SourceContext[Any], provider: OAuthProvider) -> RefreshToken:
    """Returns the grant of a sign-in, from the field `oauth` of a connector's credentials.

    A refresh token replaced by the vendor is stored; after a rejection, the refresh token stored by another process is
    used.
    """
    credentials = context.credentials
    oauth: OAuthGrant = credentials.oauth

    async def save(replaced: str) -> None:
        await context.save_credentials(replace(credentials, oauth=replace(oauth, refresh_token=replaced)))

    async def read_again() -> str:
        nonlocal credentials, oauth
        stored = await context.read_credentials()
        if stored is None or stored.oauth is None:
            return ""
        credentials, oauth = stored, stored.oauth
        return oauth.refresh_token

    return RefreshToken(
        refresh_token=oauth.refresh_token,
        client_id=provider.client_id,
        client_secret=provider.client_secret,
        save=save,
        read_again=read_again,
    )
