"""The users of a SCIM client and their accounts."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from scim2_models import (
    ForbiddenException,
    InvalidValueException,
    Meta,
    NotFoundException,
    PreconditionFailedException,
    UniquenessException,
)
from sqlalchemy import ColumnElement, delete, func, select, true, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.accounts.deactivation import Deactivations
from echomind_api.auth.identity_providers import IdentityProviders
from echomind_api.auth.memberships import refresh_groups
from echomind_api.auth.provider_accounts import LANGUAGES, free_name, owner_of_email
from echomind_api.calls.revocations import Revocations
from echomind_api.rows import violated
from echomind_api.scim.clients import Client
from echomind_api.scim.filters import uuid_of
from echomind_api.scim.schemas import User
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import ValidationFailedError
from echomind_lib.identity.profiles import is_email, language_of, short_name
from echomind_lib.models.public import Preferences
from echomind_lib.text import NAME_CHARACTERS, single_line

_TAKEN: Final = {
    "idx_scim_users_user_name": "Another user has this userName",
    "idx_scim_users_external_id": "Another user has this externalId",
    "idx_scim_users_user_id": "The account is maintained already",
    "idx_users_email": "Another account has this e-mail address",
}
_DEACTIVATED_BY_OTHERS: Final = "deactivatedByOthers"
"""In the attributes of a deleted user whose account the client had not deactivated, and does not activate again."""
_MAX_CHARACTERS: Final = 1000
"""Most characters of an attribute."""
Row = TypeVar("Row", rows.ScimUser, rows.ScimGroup)


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """Reads and changes users. A client sees and changes only those that it made or was given."""

    database: Database
    deactivations: Deactivations
    revocations: Revocations
    providers: IdentityProviders

    async def get(self, client: Client, resource_id: str) -> User:
        """Returns a user.

        Raises:
            NotFoundException: The client has no such user.
        """
        async with self.database.session() as session:
            return to_resource(await find_row(session, client, rows.ScimUser, resource_id))

    async def search(
        self, client: Client, where: ColumnElement[bool], start: int, count: int | None
    ) -> tuple[int, list[User]]:
        """Returns the number of matching users, and some of them in a fixed order.

        Args:
            client: The client.
            where: The condition.
            start: Number of the first one, from 1.
            count: Most to return; None for all.
        """
        own = select(rows.ScimUser).where(
            rows.ScimUser.client_id == client.id, rows.ScimUser.deleted_date.is_(None), where
        )
        async with self.database.session() as session:
            total = await session.scalar(select(func.count()).select_from(own.subquery()))
            page = own.order_by(rows.ScimUser.creation_date, rows.ScimUser.id).offset(max(start, 1) - 1).limit(count)
            found = list(await session.scalars(page)) if count != 0 else []
        return total or 0, [to_resource(row) for row in found]

    async def create(self, client: Client, user: User) -> User:
        """Creates a user, with an account unless they have one by this client: deleted before, or by their provider.

        Raises:
            UniquenessException: There is such a user, or another account has the e-mail address.
        """
        require_plain(user.user_name, user.external_id)
        is_active = user.active is not False
        action = "SCIM/CreateUser"
        domains = await self._trusted_domains(client)
        with _conflicts():
            async with self.database.session() as session:
                again = await self._again(session, client, user)
                row = again or await self._given(session, client, user)
                if row is None:
                    account = await _new_account(session, user)
                    row = rows.ScimUser(client_id=client.id, user_id=account.id, version=1)
                    session.add(row)
                    _verify(account, domains)
                else:
                    account = await session.get_one(rows.User, row.user_id, with_for_update=True)
                    await _describe(session, account, user, domains)
                    # An account that somebody else has deactivated stays so.
                    if is_active and again is not None and not row.attributes.get(_DEACTIVATED_BY_OTHERS):
                        account.is_active = True
                _fill(row, user)
                await session.flush()
                await session.refresh(row)
                _note(session, client, action, row, roles=account.roles)
                created, user_id = to_resource(row), account.id
        if not is_active:
            async with self._deactivating(user_id, action):
                pass
        return created

    async def update(self, client: Client, user: User, expected_version: str | None) -> User:
        """Replaces a user: names, address, and whether the account is active.

        Raises:
            NotFoundException: The client has no such user.
            PreconditionFailedException: The user has been changed.
            UniquenessException: Another user has the name or the address.
            ForbiddenException: It would deactivate the last superadmin who can sign in.
        """
        require_plain(user.user_name, user.external_id)
        is_active = user.active is not False
        user_id = (await self._row(client, user.id or "")).user_id
        domains = await self._trusted_domains(client)
        with _conflicts():
            async with (
                self.database.session() if is_active else self._deactivating(user_id, "SCIM/UpdateUser") as session
            ):
                account = await session.get_one(rows.User, user_id, with_for_update=True)
                row = await find_row(session, client, rows.ScimUser, user.id or "", expected_version, lock=True)
                was_active = row.attributes.get("active") is not False
                await _describe(session, account, user, domains)
                if is_active and not was_active:
                    account.is_active = True
                _fill(row, user)
                await session.flush()
                await session.refresh(row)
                _note(session, client, "SCIM/UpdateUser", row, active=is_active)
                updated = to_resource(row)
        await self.revocations.publish(user_id)
        return updated

    async def delete(self, client: Client, resource_id: str, expected_version: str | None) -> None:
        """Deactivates the account of a user, takes back what the client gave, and forgets the id.

        The account stays for a later user of this name, who is in no group of the client then: it knows of none.

        Raises:
            NotFoundException: The client has no such user.
            PreconditionFailedException: The user has been changed.
            ForbiddenException: It would deactivate the last superadmin who can sign in.
        """
        user_id = (await self._row(client, resource_id)).user_id
        async with self._deactivating(user_id, "SCIM/DeleteUser") as session:
            account = await session.get_one(rows.User, user_id, with_for_update=True)
            row = await find_row(session, client, rows.ScimUser, resource_id, expected_version, lock=True)
            row.deleted_date = func.now()
            if not account.is_active and row.attributes.get("active") is not False:
                row.attributes = row.attributes | {_DEACTIVATED_BY_OTHERS: True}
            member = rows.GroupMember
            own = delete(member).where(member.user_id == user_id, member.source == client.source)
            taken_back = sorted(await session.scalars(own.returning(member.group_id)))
            await refresh_groups(session, [user_id])
            _note(session, client, "SCIM/DeleteUser", row, groups=taken_back)
            await session.flush()

    async def _row(self, client: Client, resource_id: str) -> rows.ScimUser:
        async with self.database.session() as session:
            return await find_row(session, client, rows.ScimUser, resource_id)

    @asynccontextmanager
    async def _deactivating(self, user_id: int, action: str) -> AsyncIterator[AsyncSession]:
        try:
            async with self.deactivations.deactivating(user_id, actor_id=None, action=action) as session:
                yield session
        except ValidationFailedError as error:
            raise ForbiddenException(detail=str(error)) from error

    async def _again(self, session: AsyncSession, client: Client, user: User) -> rows.ScimUser | None:
        """Returns the row of a deleted user whom the client creates again, with another id."""
        table = rows.ScimUser
        deleted = select(table).where(table.client_id == client.id, table.deleted_date.is_not(None)).with_for_update()
        row = None
        if user.external_id:
            row = await session.scalar(deleted.where(table.external_id == user.external_id))
        if row is None:
            same_name = func.lower(table.user_name) == _text(user.user_name).lower()
            # Somebody else may be given the name later, and must not get this account.
            is_same = table.external_id.is_(None) if user.external_id else true()
            row = await session.scalar(deleted.where(same_name, is_same).order_by(table.deleted_date.desc()).limit(1))
        if row is None:
            return None
        revived = (
            update(table)
            .where(table.id == row.id)
            .values(id=func.gen_random_uuid(), deleted_date=None)
            .returning(table.id)
            .execution_options(synchronize_session=False)
        )
        resource_id = await session.scalar(revived)
        session.expunge(row)
        return await session.get_one(table, resource_id)

    async def _given(self, session: AsyncSession, client: Client, user: User) -> rows.ScimUser | None:
        """Returns a row for the account that the client's provider vouches for as this user, if no client has it."""
        if client.issuer is None or not user.external_id:
            return None
        table, identity = rows.ScimUser, rows.UserIdentity
        maintained = select(table.id).where(table.user_id == identity.user_id)
        known = select(identity.user_id).where(
            identity.issuer == client.issuer, identity.scim_id == user.external_id, ~maintained.exists()
        )
        ids = list(await session.scalars(known.limit(2)))
        if len(ids) != 1:
            return None
        row = table(client_id=client.id, user_id=ids[0], user_name=user.user_name or "", version=1)
        session.add(row)
        return row

    async def _trusted_domains(self, client: Client) -> frozenset[str]:
        """Returns the domains whose addresses the client's provider may be trusted with."""
        provider = await self.providers.of_issuer(client.issuer) if client.issuer is not None else None
        trusts = provider is not None and provider.settings.email_trust == "domains"
        return provider.settings.trusted_domains if provider is not None and trusts else frozenset()


@contextmanager
def _conflicts() -> Iterator[None]:
    """Context in which a violated unique index becomes 409."""
    try:
        yield
    except IntegrityError as error:
        if detail := _TAKEN.get(violated(error) or ""):
            raise UniquenessException(detail=detail) from error
        raise


async def find_row(
    session: AsyncSession,
    client: Client,
    table: type[Row],
    resource_id: str,
    expected_version: str | None = None,
    *,
    lock: bool = False,
) -> Row:
    """Returns the row of a client's user or group.

    Raises:
        NotFoundException: The client has none of this id.
        PreconditionFailedException: It has another version than the expected one.
    """
    row = None
    if (key := uuid_of(resource_id)) is not None:
        own = select(table).where(table.id == key, table.client_id == client.id, table.deleted_date.is_(None))
        row = await session.scalar(own.with_for_update() if lock else own)
    if row is None:
        what = "user" if table is rows.ScimUser else "group"
        raise NotFoundException(detail=f"There is no {what} {resource_id[:100]}")
    if expected_version is not None and expected_version != version_of(row.version):
        raise PreconditionFailedException
    return row


async def _new_account(session: AsyncSession, user: User) -> rows.User:
    email = _email(user)
    if email and await owner_of_email(session, email) is not None:
        raise UniquenessException(
            detail=f"Another account has the e-mail address {email}: a superadmin can give it to this client"
        )
    first, last = _names(user)
    language = language_of(user.preferred_language or user.locale or "")
    preferences = Preferences(language=LANGUAGES[language]) if language else Preferences()
    account = rows.User(
        user_name=await free_name(session, short_name(_text(user.user_name))),
        email=email or None,
        first_name=first or None,
        last_name=last or None,
        roles=["user"],
        groups=[],
        preferences=preferences.model_dump(mode="json", exclude_none=True) if language else {},
        is_active=True,
    )
    session.add(account)
    await session.flush()
    return account


async def _describe(session: AsyncSession, account: rows.User, user: User, domains: frozenset[str]) -> None:
    """Gives an account the names and the address of a user; what the user does not have stays."""
    first, last = _names(user)
    if first or last:
        account.first_name, account.last_name = first or None, last or None
    email = _email(user)
    if email and (account.email is None or email.lower() != account.email.lower()):
        account.email = email
        # A trigger takes the confirmation from the earlier address, so this is written first.
        await session.flush()
        await session.refresh(account)
    _verify(account, domains)


def _verify(account: rows.User, domains: frozenset[str]) -> None:
    """Marks the address as verified if an administrator vouches for the provider's addresses of its domain."""
    if account.email is not None and account.email.rpartition("@")[2].lower() in domains:
        account.is_email_verified = True


def to_resource(row: rows.ScimUser) -> User:
    """Returns the user of a row."""
    resource = User.model_validate(row.attributes)
    resource.id, resource.external_id, resource.user_name = str(row.id), row.external_id, row.user_name
    resource.meta = meta_of(row, "User")
    return resource


def meta_of(row: rows.ScimUser | rows.ScimGroup, kind: str) -> Meta:
    """Returns a resource's metadata, without its address."""
    return Meta(
        resource_type=kind,
        created=row.creation_date,
        last_modified=row.last_update or row.creation_date,
        version=version_of(row.version),
    )


def version_of(number: int) -> str:
    """Returns the ETag of a version."""
    return f'W/"{number}"'


def _fill(row: rows.ScimUser, user: User) -> None:
    attributes = user.model_dump(mode="json", exclude_none=True)
    for name in ("schemas", "id", "meta", "externalId", "userName"):
        attributes.pop(name, None)
    row.attributes = _cleaned(attributes)
    row.user_name, row.external_id = user.user_name or "", user.external_id
    # A new row has version 1, from the database or from `create`.
    row.version = rows.ScimUser.version + 1 if row.id is not None else 1


def require_plain(*names: str | None) -> None:
    """Raises `InvalidValueException` for a name that could not be stored as it is: cut, it could be another one's."""
    for name in names:
        if name is not None and (not name or _text(name) != name):
            raise InvalidValueException(
                detail=f"{name[:100]!r} is empty, too long, or has white space or control characters"
            )


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return single_line(value, _MAX_CHARACTERS)
    if isinstance(value, Mapping):
        return {key: _cleaned(item) for key, item in value.items()}
    return [_cleaned(item) for item in value] if isinstance(value, list) else value


def _text(value: str | None) -> str:
    return single_line(value or "", NAME_CHARACTERS)


def _names(user: User) -> tuple[str, str]:
    name = user.name
    if name is not None and (name.given_name or name.family_name):
        # Authentik sends the full name as given name.
        return _text(name.given_name), _text(name.family_name)
    full = _text(user.display_name or (name.formatted if name is not None else ""))
    first, _, last = full.partition(" ")
    return first, last


def _email(user: User) -> str:
    """Returns the primary address, or else that of work, or else the first one; empty if none is an address."""
    emails: Sequence[Any] = user.emails or []
    usable = [email for email in emails if email.value and is_email(email.value)]
    usable.sort(key=lambda email: (not email.primary, (email.type or "").lower() != "work"))
    return usable[0].value if usable else ""


def _note(session: AsyncSession, client: Client, action: str, row: rows.ScimUser, **detail: Any) -> None:
    session.add(
        rows.AuditEntry(
            actor_id=None,
            action=action,
            target=f"users/{row.user_id}",
            detail={"source": client.source, "user_name": row.user_name} | detail,
        )
    )
