"""OpenID providers: superadmins manage those of the database; those of the settings are only shown."""

from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.auth.credentials import hold
from echomind_api.auth.identity_providers import IdentityProviders, take_back
from echomind_api.auth.superadmins import Superadmins
from echomind_api.calls.revocations import Revocations
from echomind_api.people import with_updater, with_updaters
from echomind_api.rows import audit, missing, reload, unique
from echomind_lib.access import require_role
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import AlreadyExistsError, ValidationFailedError
from echomind_lib.identity.failures import SignInFailedError
from echomind_lib.mappers import identity_providers as mapper
from echomind_lib.models import public
from echomind_lib.network.origins import same_origin
from echomind_lib.secrets import Secrets

_UNIQUE: Final = {"idx_identity_providers_name": "name", "idx_identity_providers_issuer": "issuer"}
_CREATED: Final = (
    "name",
    "title",
    "issuer",
    "client_id",
    "client_secret",
    "scopes",
    "algorithms",
    "email_trust",
    "email_domains",
    "create_accounts",
    "audience",
    "mapping",
    "is_active",
)


class OwnIdentityProviders(public.IdentityProviderService):
    """The service `IdentityProviderService`."""

    def __init__(
        self,
        database: Database,
        secrets: Secrets,
        providers: IdentityProviders,
        revocations: Revocations,
        superadmins: Superadmins,
    ) -> None:
        self._database = database
        self._superadmins = superadmins
        self._secrets = secrets
        self._providers = providers
        self._revocations = revocations

    @override
    async def list_identity_providers(
        self, request: public.ListIdentityProvidersRequest, call: CallContext
    ) -> public.ListIdentityProvidersResponse:
        _require_administrator(call)
        async with self._database.session() as session:
            found = (await session.scalars(select(rows.IdentityProvider))).all()
            shown = await with_updaters(session, [(row, mapper.to_model(row)) for row in found])
        stored = {provider.name: provider for provider in shown}
        managed = {name: mapper.of_settings(name, settings) for name, settings in self._providers.configured.items()}
        every = stored | managed
        return public.ListIdentityProvidersResponse(identity_providers=[every[name] for name in sorted(every)])

    @override
    async def get_identity_provider(
        self, request: public.GetIdentityProviderRequest, call: CallContext
    ) -> public.IdentityProvider:
        _require_administrator(call)
        async with self._database.session() as session:
            row = await _find(session, request.id)
            return await with_updater(session, row, mapper.to_model(row))

    @override
    async def create_identity_provider(
        self, request: public.CreateIdentityProviderRequest, call: CallContext
    ) -> public.IdentityProvider:
        _require_administrator(call)
        async with self._database.session() as session:
            (await hold(session, call.principal)).require_lasting("A sign-in provider")
            columns = mapper.to_columns(request.identity_provider, _CREATED, self._secrets)
            row = rows.IdentityProvider(**columns)
            self._check(row)
            session.add(row)
            with unique("sign-in provider", _UNIQUE):
                await session.flush()
            audit(session, call, f"identity-providers/{row.id}", name=row.name, issuer=row.issuer)
            await reload(session, row)
            return await with_updater(session, row, mapper.to_model(row))

    @override
    async def update_identity_provider(
        self, request: public.UpdateIdentityProviderRequest, call: CallContext
    ) -> public.IdentityProvider:
        _require_administrator(call)
        async with self._database.session() as session:
            await self._superadmins.lock(session)
            (await hold(session, call.principal)).require_lasting("A sign-in provider")
            columns = mapper.to_columns(request.identity_provider, request.update_mask, self._secrets)
            row = await _find(session, request.id, lock=True)
            _check_change(row, columns)
            for name, value in columns.items():
                setattr(row, name, value)
            row.user_id_last_update = call.principal.user_id
            self._check(row)
            with unique("sign-in provider", _UNIQUE):
                await session.flush()
            await self._superadmins.require(session)
            audit(session, call, f"identity-providers/{row.id}", fields=sorted(columns))
            await reload(session, row)
            return await with_updater(session, row, mapper.to_model(row))

    @override
    async def delete_identity_provider(self, request: public.DeleteIdentityProviderRequest, call: CallContext) -> Empty:
        _require_administrator(call)
        async with self._database.session() as session:
            await self._superadmins.lock(session)
            await hold(session, call.principal)
            row = await _find(session, request.id, lock=True)
            people = await take_back(session, row.issuer)
            await session.execute(delete(rows.IdentityProvider).where(rows.IdentityProvider.id == row.id))
            await self._superadmins.require(session)
            audit(session, call, f"identity-providers/{row.id}", name=row.name, issuer=row.issuer, people=len(people))
        await self._announce(people)
        return Empty()

    @override
    async def test_identity_provider(
        self, request: public.TestIdentityProviderRequest, call: CallContext
    ) -> public.TestIdentityProviderResponse:
        _require_administrator(call)
        provider = await self._providers.get(request.name, even_inactive=True)
        try:
            address = await provider.check()
        except SignInFailedError as error:
            return public.TestIdentityProviderResponse(ok=False, message=str(error))
        return public.TestIdentityProviderResponse(ok=True, message=f"People sign in at {address}.")

    def _check(self, row: rows.IdentityProvider) -> None:
        """Raises `AlreadyExistsError` or `ValidationFailedError` for values that no provider may have."""
        for name, settings in self._providers.configured.items():
            for field, taken in (("name", name), ("issuer", settings.issuer)):
                if getattr(row, field) == taken:
                    raise AlreadyExistsError(
                        f"The settings have a sign-in provider with this {field}: choose a different one.",
                        resource="sign-in provider",
                        field=field,
                    )
        self._providers.settings_of(row)

    async def _announce(self, people: Collection[int]) -> None:
        for user_id in people:
            await self._revocations.publish(user_id)


def _require_administrator(call: CallContext) -> None:
    require_role(call.principal, "superadmin")


async def _find(session: AsyncSession, provider_id: int, *, lock: bool = False) -> rows.IdentityProvider:
    row = await session.get(rows.IdentityProvider, provider_id, with_for_update=lock or None)
    if row is None:
        raise missing("identity provider", provider_id)
    return row


def _check_change(row: rows.IdentityProvider, columns: dict[str, Any]) -> None:
    issuer = columns.get("issuer", row.issuer)
    if row.encrypted_client_secret and "encrypted_client_secret" not in columns and not same_origin(row.issuer, issuer):
        raise ValidationFailedError.of(
            "client_secret", "must be entered again, because the issuer is on another server"
        )
