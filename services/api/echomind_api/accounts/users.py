"""The caller's profile, and the administration of accounts."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from sqlalchemy import Integer, select, type_coerce, update
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.accounts.deactivation import Deactivations
from echomind_api.accounts.erasures import Eraser
from echomind_api.accounts.stored_keys import revoke_keys
from echomind_api.accounts.user_lists import list_users
from echomind_api.administration.user_access import UserAccess
from echomind_api.auth.credentials import hold
from echomind_api.auth.invitation_links import UNIQUE_NAMES
from echomind_api.auth.memberships import require_manual, sources_of
from echomind_api.auth.password_links import end_sessions
from echomind_api.auth.superadmins import Superadmins
from echomind_api.calls.revocations import Revocations
from echomind_api.people import require_person, with_updater
from echomind_api.rows import action_of, audit, missing, reload, unique
from echomind_api.streams import UserFeeds
from echomind_lib.access import require_role
from echomind_lib.access.assistant_choice import usable, usable_llm
from echomind_lib.access.names import DEFAULT_ASSISTANT
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import PermissionDeniedError
from echomind_lib.mappers import users
from echomind_lib.models import public
from echomind_lib.pb.echomind.public.v1.user_event_pb2 import USER_EVENT_KIND_SETTINGS, UserEvent

_CREATED = ("user_name", "email", "first_name", "last_name", "roles", "groups", "preferences")
_OWN_FIELDS = frozenset({"first_name", "last_name", "preferences"})


class Users(public.UserService):
    """The service `UserService`."""

    def __init__(
        self,
        database: Database,
        revocations: Revocations,
        deactivations: Deactivations,
        eraser: Eraser,
        feeds: UserFeeds,
        superadmins: Superadmins,
        access: UserAccess,
    ) -> None:
        self._database = database
        self._feeds = feeds
        self._revocations = revocations
        self._deactivations = deactivations
        self._eraser = eraser
        self._superadmins = superadmins
        self._access = access

    @override
    async def get_current_user(self, request: Empty, call: CallContext) -> public.User:
        async with self._database.session() as session:
            return users.to_model(await session.get_one(rows.User, call.principal.user_id))

    @override
    async def stream_user_events(
        self, request: public.StreamUserEventsRequest, call: CallContext
    ) -> AsyncIterator[UserEvent]:
        async with self._feeds.subscribe(call.principal) as subscriber:
            await call.begin()
            async for event in subscriber.events():
                yield event

    @override
    async def update_current_user(self, request: public.UpdateCurrentUserRequest, call: CallContext) -> public.User:
        columns = users.to_columns(request.user, request.update_mask)
        if refused := sorted(columns.keys() - _OWN_FIELDS):
            raise PermissionDeniedError(
                f"You cannot change your own {', '.join(refused)}; a superadmin can, by the account's id."
            )
        async with self._database.session() as session:
            user = users.to_model(await _write(session, call.principal.user_id, columns, call))
        await self._feeds.announce(user.id, USER_EVENT_KIND_SETTINGS, user.id)
        return user

    @override
    async def list_users(self, request: public.ListUsersRequest, call: CallContext) -> public.ListUsersResponse:
        require_role(call.principal, "admin")
        async with self._database.session() as session:
            return await list_users(session, request)

    @override
    async def get_user(self, request: public.GetUserRequest, call: CallContext) -> public.User:
        if request.id != call.principal.user_id and not call.principal.has_role("admin"):
            raise missing("user", request.id)
        async with self._database.session() as session:
            row = await session.get(rows.User, request.id)
            if row is None:
                raise missing("user", request.id)
            user = users.to_model(row, await sources_of(session, row.id))
            return await with_updater(session, row, user) if call.principal.has_role("admin") else user

    @override
    async def list_user_access(
        self, request: public.ListUserAccessRequest, call: CallContext
    ) -> public.ListUserAccessResponse:
        return await self._access.list(request, call)

    @override
    async def create_user(self, request: public.CreateUserRequest, call: CallContext) -> public.User:
        require_role(call.principal, "superadmin")
        columns = users.to_columns(request.user, _CREATED)
        async with self._database.session() as session:
            credential = await hold(session, call.principal)
            credential.require_lasting("An account")
            row = rows.User(**columns, is_active=True)
            session.add(row)
            with unique("user", UNIQUE_NAMES):
                await session.flush()
            await _check_preferences(session, row)
            audit(session, call, f"users/{row.id}", roles=row.roles, groups=row.groups)
            await reload(session, row)
            return await with_updater(session, row, users.to_model(row))

    @override
    async def update_user(self, request: public.UpdateUserRequest, call: CallContext) -> public.User:
        require_role(call.principal, "superadmin")
        columns = users.to_columns(request.user, request.update_mask)
        is_deactivation = columns.get("is_active") is False
        async with self._deactivating(request.id, call) if is_deactivation else self._database.session() as session:
            await self._superadmins.lock(session)
            credential = await hold(session, call.principal, request.id)
            await require_person(session, request.id)
            before = await session.get(rows.User, request.id)
            if before is not None and _gains(before, columns):
                credential.require_lasting("What an account gains")
            row = await _write(session, request.id, columns, call)
            if removed := set(row.groups) - set(columns.get("groups", row.groups)):
                await require_manual(session, [row.id], removed, field="groups")
            await self._superadmins.require(session)
            audit(session, call, f"users/{row.id}", fields=sorted(columns))
            user = await with_updater(session, row, users.to_model(row, await sources_of(session, row.id)))
        if not is_deactivation:
            await self._revocations.publish(user.id)
        return user

    @override
    async def sign_out_user(self, request: public.SignOutUserRequest, call: CallContext) -> Empty:
        principal = call.principal
        require_role(principal, "superadmin")
        async with self._database.session() as session:
            await hold(session, principal, request.id)
            await require_person(session, request.id)
            if await session.get(rows.User, request.id) is None:
                raise missing("user", request.id)
            await end_sessions(session, request.id)
            if request.revoke_api_keys:
                await revoke_keys(session, request.id, by=principal.user_id, keep=principal.api_key_id or 0)
            audit(session, call, f"users/{request.id}", revoke_api_keys=request.revoke_api_keys)
        await self._revocations.publish(request.id)
        return Empty()

    @override
    async def set_email_verified(self, request: public.SetEmailVerifiedRequest, call: CallContext) -> public.User:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            await require_person(session, request.id)
            row = await session.get(rows.User, request.id, with_for_update=True)
            if row is None:
                raise missing("user", request.id)
            row.is_email_verified = request.is_verified
            row.user_id_last_update = call.principal.user_id
            audit(session, call, f"users/{request.id}", is_verified=request.is_verified)
            await reload(session, row)
            return await with_updater(session, row, users.to_model(row))

    @override
    async def purge_user(self, request: public.PurgeUserRequest, call: CallContext) -> Empty:
        require_role(call.principal, "superadmin")
        await self._eraser.erase(request.id, call)
        return Empty()

    def _deactivating(self, user_id: int, call: CallContext) -> AbstractAsyncContextManager[AsyncSession]:
        return self._deactivations.deactivating(user_id, actor_id=call.principal.user_id, action=action_of(call))


def _gains(account: rows.User, columns: Mapping[str, Any]) -> bool:
    """Returns whether an update adds a role or a group, reactivates the account, or changes its sign-in name."""
    return (
        not set(account.roles).issuperset(columns.get("roles", ()))
        or not set(account.groups).issuperset(columns.get("groups", ()))
        or (columns.get("is_active", False) and not account.is_active)
        or any(columns.get(name, getattr(account, name)) != getattr(account, name) for name in ("user_name", "email"))
    )


async def _write(session: AsyncSession, user_id: int, columns: dict[str, Any], call: CallContext) -> rows.User:
    change = (
        update(rows.User)
        .where(rows.User.id == user_id)
        .values(**columns, user_id_last_update=call.principal.user_id)
        .returning(rows.User)
    )
    with unique("user", UNIQUE_NAMES):
        row = await session.scalar(change, execution_options={"populate_existing": True})
    if row is None:
        raise missing("user", user_id)
    if "preferences" in columns:
        await _check_preferences(session, row)
    return row


async def _check_preferences(session: AsyncSession, row: rows.User) -> None:
    """Raises `NotFoundError` when an account prefers an assistant or a chat model that it may not use."""
    preferences = row.preferences or {}
    # Ids in the contract are 32-bit, the columns 16-bit.
    if preferred := preferences.get(DEFAULT_ASSISTANT):
        found = (
            select(rows.Assistant.id)
            .join(rows.User, rows.User.id == row.id)
            .where(type_coerce(rows.Assistant.id, Integer) == preferred, usable())
        )
        if await session.scalar(found) is None:
            raise missing("assistant", preferred)
    if llm_id := (preferences.get("runOptions") or {}).get("llmId"):
        model = select(rows.Llm.id).where(type_coerce(rows.Llm.id, Integer) == llm_id, usable_llm())
        if await session.scalar(model) is None:
            raise missing("chat model", llm_id)
