"""The OpenID providers of this installation: those of the settings, which the API cannot change, and rows."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.auth.memberships import refresh_groups, source_of_provider
from echomind_lib.config.providers import ProviderSettings
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import NotFoundError, ValidationFailedError
from echomind_lib.secrets import Secrets

if TYPE_CHECKING:
    from echomind_lib.identity.provider import Provider


class IdentityProviders:
    """Finds providers by name or issuer. One that does not change keeps the document and keys that it has read."""

    def __init__(self, database: Database, secrets: Secrets, configured: Mapping[str, ProviderSettings]) -> None:
        """Reads nothing yet.

        Args:
            database: The database with the rows.
            secrets: Decrypts their client secrets.
            configured: The providers of the settings, which take precedence.
        """
        self._database = database
        self._secrets = secrets
        self._known: dict[str, Provider] = {}
        self.configured = configured

    async def titles(self) -> dict[str, str]:
        """Returns what the sign-in page calls the providers that people can sign in with, by name, in order."""
        active = select(rows.IdentityProvider.name, rows.IdentityProvider.title).where(rows.IdentityProvider.is_active)
        async with self._database.session() as session:
            stored: dict[str, str] = dict(iter(await session.execute(active)))
        titles = stored | {name: settings.title for name, settings in self.configured.items()}
        return {name: titles[name] or name for name in sorted(titles)}

    async def names_by_issuer(self) -> dict[str, str]:
        """Returns the names of all providers, by issuer."""
        async with self._database.session() as session:
            query = select(rows.IdentityProvider.issuer, rows.IdentityProvider.name)
            stored: dict[str, str] = dict(iter(await session.execute(query)))
        return stored | {settings.issuer: name for name, settings in self.configured.items()}

    async def of_bearer_tokens(self) -> dict[str, str]:
        """Returns the active providers whose bearer tokens are accepted: their scopes, by issuer."""
        row = rows.IdentityProvider
        async with self._database.session() as session:
            query = select(row.issuer, row.scopes).where(row.is_active, row.audience != "")
            stored: dict[str, str] = dict(iter(await session.execute(query)))
        return stored | {each.issuer: each.scopes for each in self.configured.values() if each.audience}

    async def get(self, name: str, *, even_inactive: bool = False) -> "Provider":
        """Returns a provider by its name.

        Args:
            name: Its name.
            even_inactive: Whether one is returned that people cannot sign in with.

        Raises:
            NotFoundError: There is no such provider.
        """
        settings = self.configured.get(name)
        if settings is None:
            async with self._database.session() as session:
                row = await session.scalar(select(rows.IdentityProvider).where(rows.IdentityProvider.name == name))
            if row is None or not (row.is_active or even_inactive):
                raise NotFoundError(f"There is no sign-in provider {name}.", resource="sign-in provider", id=name)
            settings = self.settings_of(row)
        return self._provider(name, settings)

    async def of_issuer(self, issuer: str) -> "Provider | None":
        """Returns the provider of an issuer, if there is an active one."""
        found = next((name for name, settings in self.configured.items() if settings.issuer == issuer), None)
        if found is None:
            async with self._database.session() as session:
                row = await session.scalar(
                    select(rows.IdentityProvider).where(
                        rows.IdentityProvider.issuer == issuer, rows.IdentityProvider.is_active
                    )
                )
            return self._provider(row.name, self.settings_of(row)) if row is not None else None
        return self._provider(found, self.configured[found])

    def settings_of(self, row: rows.IdentityProvider) -> ProviderSettings:
        """Returns the settings of a row, checked as those of the environment.

        Raises:
            ValidationFailedError: A value is not allowed; the error names the field.
        """
        secret = row.encrypted_client_secret
        given: dict[str, Any] = {
            "title": row.title,
            "issuer": row.issuer,
            "client_id": row.client_id,
            "client_secret": self._secrets.decrypt(secret) if secret is not None else "",
            "scopes": row.scopes,
            "algorithms": ", ".join(row.algorithms),
            "email_trust": row.email_trust,
            "email_domains": ", ".join(row.email_domains),
            "create_accounts": row.create_accounts,
            "audience": row.audience,
            "required_claims": row.required_claims,
            "groups_claim": row.groups_claim,
            "scim_claim": row.scim_claim,
            "groups": row.groups,
            "roles": row.roles,
        }
        try:
            return ProviderSettings(**given)
        except ValidationError as error:
            first = error.errors()[0]
            field = str(first["loc"][0]) if first["loc"] else "required_claims"
            rule = first["msg"].removeprefix("Value error, ")
            raise ValidationFailedError.of(field, rule) from error

    def _provider(self, name: str, settings: ProviderSettings) -> "Provider":
        known = self._known.get(name)
        if known is None or known.settings != settings:
            # Imported at first use: its libraries take memory, and many installations have no provider.
            from echomind_lib.identity.provider import Provider

            known = self._known[name] = Provider(name, settings)
        return known


async def take_back(session: AsyncSession, issuer: str) -> set[int]:
    """Takes back what a provider has given: web sessions that were begun with it, groups and roles.

    Identities stay: if the provider is added again, its people have their accounts again.

    Args:
        session: The transaction, with roles locked.
        issuer: The provider's issuer.

    Returns:
        IDs of its people.
    """
    identities = list(await session.scalars(select(rows.UserIdentity).where(rows.UserIdentity.issuer == issuer)))
    ids = [identity.id for identity in identities]
    people = {identity.user_id for identity in identities}
    await session.execute(delete(rows.WebSession).where(rows.WebSession.identity_id.in_(ids)))
    await session.execute(delete(rows.GroupMember).where(rows.GroupMember.source == source_of_provider(issuer)))
    await refresh_groups(session, people)
    for identity in identities:
        if identity.roles:
            same_person = (rows.UserIdentity.user_id == identity.user_id) & (rows.UserIdentity.id != identity.id)
            others = await session.scalars(select(rows.UserIdentity.roles).where(same_person))
            elsewhere = {role for roles in others for role in roles}
            user = await session.get_one(rows.User, identity.user_id, with_for_update=True)
            user.roles = [role for role in user.roles if role not in set(identity.roles) - elsewhere]
            identity.roles = []
    await session.flush()
    return people
