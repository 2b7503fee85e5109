"""Accounts of people who sign in at a provider: found by issuer and subject alone, created and updated."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.auth.memberships import set_memberships, source_of_provider
from echomind_api.auth.superadmins import Superadmins
from echomind_lib.config.providers import ProviderSettings
from echomind_lib.db import models as rows
from echomind_lib.identity.failures import Failure, SignInFailedError
from echomind_lib.models.public import Language, Preferences, Role

if TYPE_CHECKING:
    from echomind_lib.identity.profiles import Profile

LANGUAGES: Final = {"de": Language.DE, "en": Language.EN}
_NUMBERS: Final = 100
"""Numbers that are tried behind a user name that another account has."""


class AccountExistsError(SignInFailedError):
    """Another account has the person's e-mail address, which must never choose an account."""

    def __init__(self, user_id: int) -> None:
        super().__init__(Failure.ACCOUNT_EXISTS, f"the account {user_id} has the e-mail address")
        self.user_id = user_id


@dataclass(slots=True)
class Found:
    """The account that signs in."""

    user: rows.User
    identity: rows.UserIdentity
    changes: dict[str, Any] = field(default_factory=dict)
    """What the sign-in has changed or left, for the audit log."""


async def account_of(
    session: AsyncSession,
    name: str,
    settings: ProviderSettings,
    profile: "Profile",
    superadmins: Superadmins,
    connected: int | None = None,
) -> Found:
    """Returns the account of a person, which is created, connected or updated. Its row is locked.

    Args:
        session: The transaction.
        name: The provider's name.
        settings: The provider's settings.
        profile: What the provider says.
        superadmins: The rule about them.
        connected: The account that the person has proven to be theirs, and connects; None to find theirs.

    Raises:
        AccountExistsError: There is no account yet, and another one has the e-mail address.
        SignInFailedError: The account is deactivated, none may be created, or the person has another account.
        IntegrityError: The same person signs in at the same time; the transaction may be repeated.
    """
    if settings.roles:
        await superadmins.lock(session)
    identity = await session.scalar(
        select(rows.UserIdentity)
        .where(rows.UserIdentity.issuer == settings.issuer, rows.UserIdentity.subject == profile.subject)
        .with_for_update()
    )
    if identity is None:
        found = await _of_scim(session, settings, profile)
        if found is None and connected is not None:
            found = await _connect(session, settings, profile, connected)
        found = found or await _create(session, settings, profile)
    else:
        user = await session.get_one(rows.User, identity.user_id, with_for_update=True)
        if not user.is_active:
            raise SignInFailedError(Failure.DEACTIVATED, f"the account {user.id} is deactivated")
        found = Found(user, identity)
        await _update(session, found, profile)
    if connected is not None and found.user.id != connected:
        raise SignInFailedError(Failure.CONNECTED_OTHERWISE, f"the person has the account {found.user.id}")
    await _map(session, found, settings, profile, superadmins)
    if found.user.external_id is None and not await _is_taken(session, external_id := f"{name}:{profile.subject}"):
        found.user.external_id = external_id
    found.identity.scim_id = profile.scim_id or None
    found.user.last_login = func.now()
    await session.flush()
    return found


def maintained_by_scim(settings: ProviderSettings, profile: "Profile") -> Select[rows.User]:
    """Returns the account that a SCIM client of a provider maintains for a person who has not signed in there yet."""
    has_identity = select(rows.UserIdentity.id).where(
        rows.UserIdentity.user_id == rows.User.id, rows.UserIdentity.issuer == settings.issuer
    )
    return (
        select(rows.User)
        .join(rows.ScimUser, rows.ScimUser.user_id == rows.User.id)
        .join(rows.ScimClient, rows.ScimClient.id == rows.ScimUser.client_id)
        .where(rows.ScimClient.issuer == settings.issuer, rows.ScimUser.external_id == profile.scim_id)
        .where(rows.ScimUser.external_id != "", ~has_identity.exists())
    )


async def _of_scim(session: AsyncSession, settings: ProviderSettings, profile: "Profile") -> Found | None:
    """Returns the account that a SCIM client of the provider maintains for the person, with its first identity.

    Raises:
        SignInFailedError: The account is deactivated.
    """
    user = await session.scalar(maintained_by_scim(settings, profile).with_for_update(of=rows.User))
    if user is None:
        return None
    if not user.is_active:
        raise SignInFailedError(Failure.DEACTIVATED, f"the account {user.id} is deactivated")
    identity = rows.UserIdentity(user_id=user.id, issuer=settings.issuer, subject=profile.subject, roles=[])
    session.add(identity)
    await session.flush()
    found = Found(user, identity, {"found_by_scim": True})
    await _update(session, found, profile)
    return found


async def _connect(session: AsyncSession, settings: ProviderSettings, profile: "Profile", user_id: int) -> Found:
    """Returns an account with its new identity.

    Raises:
        SignInFailedError: The account is deactivated, or another person at the provider has it.
    """
    user = await session.get_one(rows.User, user_id, with_for_update=True)
    if not user.is_active:
        raise SignInFailedError(Failure.DEACTIVATED, f"the account {user_id} is deactivated")
    same = select(rows.UserIdentity.id).where(
        rows.UserIdentity.user_id == user_id, rows.UserIdentity.issuer == settings.issuer
    )
    if await session.scalar(same) is not None:
        raise SignInFailedError(Failure.CONNECTED_OTHERWISE, f"the account {user_id} has another identity there")
    identity = rows.UserIdentity(user_id=user_id, issuer=settings.issuer, subject=profile.subject, roles=[])
    session.add(identity)
    await session.flush()
    found = Found(user, identity, {"connected": True})
    await _update(session, found, profile)
    return found


async def _create(session: AsyncSession, settings: ProviderSettings, profile: "Profile") -> Found:
    if not settings.create_accounts:
        raise SignInFailedError(Failure.NOT_ADMITTED, "the provider creates no accounts")
    if profile.email and (other := await owner_of_email(session, profile.email)) is not None:
        raise AccountExistsError(other)
    preferences = Preferences(language=LANGUAGES[profile.language]) if profile.language else Preferences()
    user = rows.User(
        user_name=await free_name(session, profile.user_name),
        email=profile.email or None,
        is_email_verified=profile.is_email_verified,
        first_name=profile.first_name or None,
        last_name=profile.last_name or None,
        roles=["user"],
        groups=[],
        preferences=preferences.model_dump(mode="json", exclude_none=True) if profile.language else {},
        is_active=True,
    )
    session.add(user)
    await session.flush()
    identity = rows.UserIdentity(user_id=user.id, issuer=settings.issuer, subject=profile.subject, roles=[])
    session.add(identity)
    await session.flush()
    return Found(user, identity, {"created": True})


async def _update(session: AsyncSession, found: Found, profile: "Profile") -> None:
    user = found.user
    if profile.first_name or profile.last_name:
        user.first_name, user.last_name = profile.first_name or None, profile.last_name or None
    if not profile.email:
        return
    if user.email is None or profile.email.lower() != user.email.lower():
        if (other := await owner_of_email(session, profile.email)) is not None:
            found.changes["email_kept_because_of"] = other
            return
        user.email = profile.email
        found.changes["email"] = True
        # A trigger takes the confirmation from the earlier address, so this is written first.
        await session.flush()
        await session.refresh(user)
    if profile.is_email_verified:
        user.is_email_verified = True


async def _map(
    session: AsyncSession, found: Found, settings: ProviderSettings, profile: "Profile", superadmins: Superadmins
) -> None:
    """Gives the account the groups and roles of the provider's mappings, and takes back those that it gave before."""
    if profile.groups is None or profile.roles is None:
        found.changes["too_many_groups_to_send"] = True
        return
    user, identity = found.user, found.identity
    same_person = (rows.UserIdentity.user_id == user.id) & (rows.UserIdentity.id != identity.id)
    others = list(await session.scalars(select(rows.UserIdentity).where(same_person)))
    if settings.groups:
        before = user.groups
        await session.flush()
        await set_memberships(session, user, source_of_provider(settings.issuer), profile.groups)
        if set(before) != set(user.groups):
            found.changes["groups"] = {"before": before, "after": user.groups}
    if settings.roles:
        await _give_roles(session, found, [each.roles for each in others], profile.roles, superadmins)


async def _give_roles(
    session: AsyncSession,
    found: Found,
    others: Sequence[Sequence[str]],
    mapped: frozenset[str],
    superadmins: Superadmins,
) -> None:
    user, before = found.user, found.user.roles
    roles, given = _merged(before, found.identity.roles, others, mapped)
    if set(roles) != set(before):
        user.roles = roles = [role.word for role in Role if role.word in roles]
        await session.flush()
        if not await superadmins.remains(session):
            user.roles = before
            found.changes["roles_kept_for_the_last_superadmin"] = before
            return
        found.changes["roles"] = {"before": before, "after": roles}
    found.identity.roles = given


def _merged(
    present: Sequence[str], own: Sequence[str], others: Sequence[Sequence[str]], mapped: frozenset[str]
) -> tuple[list[str], list[str]]:
    """Returns what an account has after a provider's change, and which part of it is this provider's.

    Args:
        present: What the account has.
        own: What it has by this provider.
        others: What it has by each other provider.
        mapped: What the provider says now.
    """
    elsewhere = {name for names in others for name in names}
    by_hand = set(present) - set(own) - elsewhere
    return sorted(by_hand | (elsewhere & set(present)) | mapped), sorted(mapped - by_hand)


async def owner_of_email(session: AsyncSession, email: str) -> int | None:
    """Returns the account with an e-mail address, if there is one."""
    return await session.scalar(select(rows.User.id).where(func.lower(rows.User.email) == email.lower()))


async def _is_taken(session: AsyncSession, external_id: str) -> bool:
    """Returns whether an account has an external id: that of an earlier provider of the same name, for instance."""
    return await session.scalar(select(rows.User.id).where(rows.User.external_id == external_id)) is not None


async def free_name(session: AsyncSession, requested: str) -> str:
    """Returns a user name that no account has: the wanted one, or with a number behind it."""
    names = [requested, *(f"{requested}-{number}" for number in range(2, _NUMBERS))]
    lower = func.lower(rows.User.user_name)
    taken = set(await session.scalars(select(lower).where(lower.in_([name.lower() for name in names]))))
    return next((name for name in names if name.lower() not in taken), f"{requested}-{secrets.token_hex(8)}")
