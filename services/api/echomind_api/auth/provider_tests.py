"""What a sign-in that tests a provider finds: the claims, and what they would mean here. It creates nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.auth.provider_accounts import maintained_by_scim
from echomind_lib.config.providers import ProviderSettings
from echomind_lib.db import models as rows
from echomind_lib.identity.failures import Failure

if TYPE_CHECKING:
    from echomind_lib.identity.profiles import Profile

Account = Literal["found", "deactivated", "created", "refused", "taken"]
"""What would happen to the account: it is found, it is deactivated, one is created, none may be created, another
account has the address, or a new account lacks an address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What claims would mean here."""

    profile: "Profile"
    account: Account
    user_name: str
    """User name of the account that is found, or of the one that has the address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestedSignIn:
    """The result of a test."""

    __test__ = False

    failure: Failure | None = None
    """Why a sign-in would fail; None if it would succeed."""
    detail: str = ""
    """What failed, for administrators."""
    claims: Mapping[str, Any]
    """Claims of the person; empty if the provider's answer proves nothing."""
    meaning: Meaning | None = None


async def meaning_of(session: AsyncSession, settings: ProviderSettings, profile: "Profile") -> Meaning:
    """Returns what a person's claims would mean.

    Args:
        session: A transaction, which changes nothing.
        settings: The provider's settings.
        profile: What the provider says.
    """
    known = (
        select(rows.User.user_name, rows.User.is_active)
        .join(rows.UserIdentity, rows.UserIdentity.user_id == rows.User.id)
        .where(rows.UserIdentity.issuer == settings.issuer, rows.UserIdentity.subject == profile.subject)
    )
    found = (await session.execute(known)).one_or_none()
    if found is None:
        maintained = maintained_by_scim(settings, profile).with_only_columns(rows.User.user_name, rows.User.is_active)
        found = (await session.execute(maintained)).one_or_none()
    if found is not None:
        user_name, is_active = found
        return Meaning(profile=profile, account="found" if is_active else "deactivated", user_name=user_name)
    if not settings.create_accounts:
        return Meaning(profile=profile, account="refused", user_name="")
    same = select(rows.User.user_name).where(func.lower(rows.User.email) == profile.email.lower())
    owner = await session.scalar(same) if profile.email else None
    return Meaning(profile=profile, account="taken" if owner else "created", user_name=owner or "")
