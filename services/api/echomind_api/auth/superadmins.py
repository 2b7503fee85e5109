"""Somebody must remain who can administer: the rule of every change of roles and of accounts that are deactivated."""

from typing import Final

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_lib.db import models as rows
from echomind_lib.errors import ValidationFailedError

_LOCK: Final = 0x75736572
"""Advisory lock of changes to roles, so that two superadmins cannot revoke each other's role at the same time."""


async def lock_roles(session: AsyncSession) -> None:
    """Locks the roles of all accounts until the transaction ends; before any account is locked."""
    await session.execute(select(func.pg_advisory_xact_lock(_LOCK)))


async def superadmin_remains(session: AsyncSession) -> bool:
    """Returns whether an active account has the role superadmin."""
    remaining = select(rows.User.id).where(rows.User.is_active, rows.User.roles.contains(["superadmin"])).limit(1)
    return await session.scalar(remaining) is not None


async def require_a_superadmin(session: AsyncSession) -> None:
    """Raises an error after a change that leaves no superadmin.

    Raises:
        ValidationFailedError: No active account has the role superadmin.
    """
    if not await superadmin_remains(session):
        raise ValidationFailedError(
            "At least one active account must keep the role superadmin: give it to another one first.",
            roles="one superadmin must remain",
        )
