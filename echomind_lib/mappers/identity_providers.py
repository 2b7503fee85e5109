"""OpenID providers."""

from collections.abc import Iterable
from typing import Any

from echomind_lib.config.providers import ProviderSettings
from echomind_lib.db import models as rows
from echomind_lib.mappers.columns import pick
from echomind_lib.models.public import ClaimMapping, EmailTrust, IdentityProvider
from echomind_lib.secrets import Secrets


def to_model(row: rows.IdentityProvider) -> IdentityProvider:
    """Returns the provider of a row, without its secret."""
    has_secret = row.encrypted_client_secret is not None
    return IdentityProvider.from_row(row, has_client_secret=has_secret, mapping=ClaimMapping.from_row(row))


def of_settings(name: str, settings: ProviderSettings) -> IdentityProvider:
    """Returns the provider of settings, without its secret."""
    return IdentityProvider(
        name=name,
        title=settings.title,
        issuer=settings.issuer,
        client_id=settings.client_id,
        has_client_secret=bool(settings.client_secret.get_secret_value()),
        scopes=settings.scopes,
        algorithms=settings.accepted_algorithms,
        email_trust=EmailTrust.from_word(settings.email_trust),
        email_domains=sorted(settings.trusted_domains),
        create_accounts=settings.create_accounts,
        audience=settings.audience,
        mapping=ClaimMapping(
            groups_claim=settings.groups_claim,
            groups=settings.groups,
            roles=dict(settings.roles),
            required_claims=settings.required_claims,
            scim_claim=settings.scim_claim,
        ),
        is_active=True,
        is_managed=True,
    )


def to_columns(provider: IdentityProvider, fields: Iterable[str], secrets: Secrets) -> dict[str, Any]:
    """Returns the columns of the provider; the secret is encrypted, an empty one removes the stored secret.

    Raises:
        ValidationFailedError: A field cannot be written.
    """
    mapping = provider.mapping or ClaimMapping()
    secret = provider.client_secret
    values = {
        "name": provider.name,
        "title": provider.title.strip(),
        "issuer": provider.issuer.strip(),
        "client_id": provider.client_id.strip(),
        "client_secret": secrets.encrypt(secret) if secret else None,
        "scopes": provider.scopes.strip() or "openid profile email",
        "algorithms": provider.algorithms or ["RS256", "ES256"],
        "email_trust": "claim" if provider.email_trust is EmailTrust.UNSPECIFIED else provider.email_trust.word,
        "email_domains": provider.email_domains,
        "create_accounts": provider.create_accounts is not False,
        "audience": provider.audience.strip(),
        "is_active": provider.is_active is not False,
        "mapping": {
            "groups_claim": mapping.groups_claim.strip() or "groups",
            "groups": mapping.groups,
            "roles": mapping.roles,
            "required_claims": mapping.required_claims,
            "scim_claim": mapping.scim_claim.strip() or "sub",
        },
    }
    columns = pick(IdentityProvider, values, fields)
    if "client_secret" in columns:
        columns |= {"encrypted_client_secret": columns.pop("client_secret")}
    mapped: dict[str, Any] = columns.pop("mapping", {})
    return columns | mapped
