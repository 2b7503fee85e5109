"""Somebody must remain who can administer: the rule of every change by which a superadmin could be lost."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement, func, select, true
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.auth.local_accounts import LocalAccounts
from echomind_lib.access.superadmins import can_sign_in
from echomind_lib.config.providers import ProviderSettings
from echomind_lib.db import models as rows
from echomind_lib.errors import ValidationFailedError

_LOCK: Final = 0x75736572
"""Advisory lock of changes to roles, so that two superadmins cannot revoke each other's role at the same time."""
_BEFORE: Final = "a superadmin could sign in"


@dataclass(frozen=True, slots=True)
class Superadmins:
    """The rule, with what decides who can sign in.

    A superadmin can sign in with a password while local accounts are on, or with an identity at an active provider.
    Where nobody could before, as in a new installation whose owner has links alone, an active one is enough.
    """

    local_accounts: LocalAccounts
    providers: Mapping[str, ProviderSettings]
    """Providers of the environment, which are always active."""

    async def lock(self, session: AsyncSession) -> None:
        """Locks the roles of all accounts until the transaction ends; before any account is locked or changed."""
        await session.execute(select(func.pg_advisory_xact_lock(_LOCK)))
        session.info[_BEFORE] = await self._has_one(session, self._can_sign_in())

    async def remains(self, session: AsyncSession) -> bool:
        """Returns whether there is still a superadmin who can sign in, after a change since `lock`."""
        return await self._has_one(session, self._can_sign_in() if session.info[_BEFORE] else true())

    async def require(self, session: AsyncSession) -> None:
        """Raises an error after a change that leaves no superadmin who can sign in.

        Raises:
            ValidationFailedError: None remains.
        """
        if not await self.remains(session):
            raise ValidationFailedError(
                "At least one active account must keep the role superadmin and be able to sign in, by a password or at "
                "an active provider: give the role to another one first, or set your password.",
                roles="one superadmin who can sign in must remain",
            )

    async def _has_one(self, session: AsyncSession, condition: ColumnElement[bool]) -> bool:
        superadmins = rows.User.is_active, rows.User.roles.contains(["superadmin"])
        return await session.scalar(select(rows.User.id).where(*superadmins, condition).limit(1)) is not None

    def _can_sign_in(self) -> ColumnElement[bool]:
        issuers = [settings.issuer for settings in self.providers.values()]
        return can_sign_in(self.local_accounts.environment, issuers)
