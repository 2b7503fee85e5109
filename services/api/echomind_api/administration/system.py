"""The installation: its health, versions and packages."""

import asyncio
from functools import cache
from importlib.metadata import Distribution, distributions, version
from typing import Final

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.administration.health import HealthReader
from echomind_api.administration.storage_check import StorageCheck
from echomind_api.auth.credentials import hold
from echomind_api.auth.local_accounts import end_local_sessions
from echomind_api.auth.superadmins import Superadmins
from echomind_api.people import with_updater
from echomind_api.rows import audit, reload
from echomind_lib.access import require_role
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import PermissionDeniedError, ValidationFailedError
from echomind_lib.mappers import installation_settings
from echomind_lib.models import public
from echomind_lib.text import single_line

_NAME: Final = "echomind"
_LICENSE: Final = "Apache-2.0"
_LICENSE_CHARACTERS: Final = 80
_CLASSIFIER: Final = "License :: "


class System(public.SystemService):
    """The service `SystemService`."""

    def __init__(
        self, database: Database, health: HealthReader, storage: StorageCheck, superadmins: Superadmins
    ) -> None:
        self._database = database
        self._superadmins = superadmins
        self._health = health
        self._storage = storage

    @override
    async def get_system_health(self, request: Empty, call: CallContext) -> public.SystemHealth:
        require_role(call.principal, "admin")
        return await self._health.read()

    @override
    async def get_about(self, request: Empty, call: CallContext) -> public.About:
        return public.About(
            version=version(_NAME), license=_LICENSE, packages=list(await asyncio.to_thread(_read_packages))
        )

    @override
    async def get_installation_settings(self, request: Empty, call: CallContext) -> public.InstallationSettings:
        async with self._database.session() as session:
            row = (await session.scalars(select(rows.InstallationSettings))).one()
            settings = self._shown(row)
            is_manager = call.principal.has_role("superadmin")
            return await with_updater(session, row, settings) if is_manager else settings

    @override
    async def update_installation_settings(
        self, request: public.UpdateInstallationSettingsRequest, call: CallContext
    ) -> public.InstallationSettings:
        require_role(call.principal, "superadmin")
        changes = installation_settings.to_columns(request.settings, request.update_mask)
        async with self._database.session() as session:
            await self._superadmins.lock(session)
            row = (await session.scalars(select(rows.InstallationSettings).with_for_update())).one()
            if "local_accounts" in changes:
                await self._check_local_accounts(session, call, is_off=not changes["local_accounts"])
            for column, value in changes.items():
                setattr(row, column, value)
            row.user_id_last_update = call.principal.user_id
            await session.flush()
            await self._superadmins.require(session)
            audit(session, call, "system/settings", **changes)
            await reload(session, row)
            return await with_updater(session, row, self._shown(row))

    def _shown(self, row: rows.InstallationSettings) -> public.InstallationSettings:
        return installation_settings.to_model(row, self._superadmins.local_accounts.environment)

    async def _check_local_accounts(self, session: AsyncSession, call: CallContext, *, is_off: bool) -> None:
        """Raises an error unless the caller may turn local accounts on or off; off, what was begun by them ends."""
        if self._superadmins.local_accounts.environment is not None:
            rule = "is set by the environment of the server: change ECHOMIND_AUTH__LOCAL_ACCOUNTS there"
            raise ValidationFailedError(f"local_accounts: {rule}", local_accounts=rule)
        credential = await hold(session, call.principal)
        if not is_off:
            return
        mapped = (
            select(rows.UserIdentity.id)
            .join(rows.WebSession, rows.WebSession.identity_id == rows.UserIdentity.id)
            .where(rows.WebSession.id == call.principal.web_session_id)
            .where(rows.UserIdentity.roles.contains(["superadmin"]))
        )
        if not credential.is_recent or await session.scalar(mapped) is None:
            raise PermissionDeniedError(
                "Turning local accounts off takes a web session that was begun at a provider in the last 10 minutes, "
                "by somebody who has the role superadmin from the provider's mapping.",
                required="recent_sign_in",
            )
        await end_local_sessions(session)

    @override
    async def check_storage(
        self, request: public.CheckStorageRequest, call: CallContext
    ) -> public.CheckStorageResponse:
        require_role(call.principal, "superadmin")
        return await self._storage.check(request.page_token)


def _read_packages() -> tuple[public.SoftwarePackage, ...]:
    return _packages()


@cache
def _packages() -> tuple[public.SoftwarePackage, ...]:
    """Returns the installed packages by name; reading them takes some tenths of a second."""
    found = {
        package.metadata["Name"]: public.SoftwarePackage(
            name=package.metadata["Name"], version=package.version, license=_license(package)
        )
        for package in distributions()
        if package.metadata["Name"] not in {None, _NAME}
    }
    return tuple(found[name] for name in sorted(found, key=str.lower))


def _license(package: Distribution) -> str:
    """Returns the licence that a package states: as an expression, a classifier, or a short text."""
    metadata = package.metadata
    if "License-Expression" in metadata:
        return single_line(metadata["License-Expression"], _LICENSE_CHARACTERS)
    classifiers = [each for each in metadata.get_all("Classifier") or [] if each.startswith(_CLASSIFIER)]
    if classifiers:
        return single_line(", ".join(each.rpartition(" :: ")[2] for each in classifiers), _LICENSE_CHARACTERS)
    stated = metadata["License"].strip() if "License" in metadata else ""
    # Some packages have the full license text in this field.
    return stated if 0 < len(stated) <= _LICENSE_CHARACTERS and "\n" not in stated else ""
