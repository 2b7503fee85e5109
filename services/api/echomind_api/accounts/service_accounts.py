"""Service accounts: accounts of programs, which belong to groups, and their keys."""

from contextlib import AbstractAsyncContextManager
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.accounts.deactivation import Deactivations
from echomind_api.accounts.erasures import require_not_held
from echomind_api.accounts.group_members import managed_group
from echomind_api.accounts.service_account_rows import (
    list_service_accounts,
    managed_account,
    read_service_account,
    require_can_give,
    require_room,
)
from echomind_api.accounts.stored_keys import (
    ended_with,
    find_key,
    give_secret,
    limit_key,
    list_keys,
    named_limits,
    require_future,
    revoke,
    shown_key,
    store_key,
)
from echomind_api.administration.purge import Purge
from echomind_api.auth.credentials import hold
from echomind_api.calls.revocations import Revocations
from echomind_api.rows import action_of, audit, unique
from echomind_lib.access import Principal
from echomind_lib.access.principal import EVERYDAY_SCOPES, SCOPES
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import ValidationFailedError
from echomind_lib.mappers import api_keys
from echomind_lib.mappers import service_accounts as mapper
from echomind_lib.models import public

_CREATED: Final = ("name", "purpose", "owner_group_id", "roles", "groups")
_UNIQUE: Final = {"idx_users_user_name": "name"}


class ServiceAccounts(public.ServiceAccountService):
    """The service `ServiceAccountService`."""

    def __init__(
        self, database: Database, revocations: Revocations, deactivations: Deactivations, purge: Purge
    ) -> None:
        self._database = database
        self._revocations = revocations
        self._deactivations = deactivations
        self._purge = purge

    @override
    async def list_service_accounts(
        self, request: public.ListServiceAccountsRequest, call: CallContext
    ) -> public.ListServiceAccountsResponse:
        async with self._database.session() as session:
            return await list_service_accounts(session, call.principal, request)

    @override
    async def get_service_account(
        self, request: public.GetServiceAccountRequest, call: CallContext
    ) -> public.ServiceAccount:
        async with self._database.session() as session:
            return await read_service_account(session, call.principal, request.id)

    @override
    async def create_service_account(
        self, request: public.CreateServiceAccountRequest, call: CallContext
    ) -> public.ServiceAccount:
        principal: Principal = call.principal
        columns = mapper.to_columns(request.service_account, _CREATED)
        async with self._database.session() as session:
            (await hold(session, principal)).require_lasting("A service account")
            owner = await managed_group(session, principal, columns["owner_group_id"])
            await require_room(session, principal, owner)
            columns["groups"] = sorted({owner.name, *columns["groups"]})
            await require_can_give(session, principal, roles=columns["roles"], groups=columns["groups"])
            row = rows.User(**columns, kind="service", created_by=principal.user_id, is_active=True)
            session.add(row)
            with unique("account", _UNIQUE):
                await session.flush()
            given = {"name": row.user_name, "owner_group": owner.name, "roles": row.roles, "groups": row.groups}
            audit(session, call, f"service-accounts/{row.id}", **given)
            return await read_service_account(session, principal, row.id)

    @override
    async def update_service_account(
        self, request: public.UpdateServiceAccountRequest, call: CallContext
    ) -> public.ServiceAccount:
        principal: Principal = call.principal
        columns = mapper.to_columns(request.service_account, request.update_mask)
        is_deactivation = columns.get("is_active") is False
        async with self._deactivating(request.id, call) if is_deactivation else self._database.session() as session:
            credential = await hold(session, principal, request.id)
            row = (await managed_account(session, principal, request.id)).row
            owner_id: int = columns.get("owner_group_id", row.owner_group_id) or 0
            if moves := owner_id != row.owner_group_id:
                owner = await managed_group(session, principal, owner_id)
                await require_room(session, principal, owner)
            else:
                owner = await session.get_one(rows.Group, owner_id)
            if moves or "groups" in columns:
                columns["groups"] = sorted({owner.name, *columns.get("groups", row.groups)})
            added_roles = set(columns.get("roles", ())) - set(row.roles)
            added_groups = set(columns.get("groups", ())) - set(row.groups)
            await require_can_give(session, principal, roles=added_roles, groups=added_groups)
            if moves or added_roles or added_groups or (columns.get("is_active") and not row.is_active):
                credential.require_lasting("What a service account gains")
            for name, value in columns.items():
                setattr(row, name, value)
            row.user_id_last_update = principal.user_id
            with unique("account", _UNIQUE):
                await session.flush()
            detail = {"fields": sorted(columns), "owner_group": owner.name, "roles": row.roles}
            audit(session, call, f"service-accounts/{row.id}", **detail)
            updated = await read_service_account(session, principal, row.id)
        if not is_deactivation:
            await self._revocations.publish(request.id)
        return updated

    @override
    async def delete_service_account(self, request: public.DeleteServiceAccountRequest, call: CallContext) -> Empty:
        principal: Principal = call.principal
        # Deactivate the account first, so that it adds nothing while its conversations are deleted.
        async with self._deactivating(request.id, call) as session:
            await hold(session, principal, request.id)
            account = await managed_account(session, principal, request.id)
            account.require_could_give_all()
            await require_not_held(session, request.id, principal)
            audit(session, call, f"service-accounts/{request.id}", name=account.row.user_name)

        async def require(session: AsyncSession) -> None:
            if (await managed_account(session, principal, request.id)).row.is_active:
                rule = "the account was activated again, which ends its deletion: delete it again if you want to"
                raise ValidationFailedError(f"id: {rule}", id=rule)

        await self._purge.sessions_of_user(request.id, require)
        async with self._database.session() as session:
            await require(session)
            await require_not_held(session, request.id, principal)
            await self._purge.user(session, request.id, principal.user_id)
        await self._purge.wake_ingestor()
        return Empty()

    @override
    async def list_service_account_keys(
        self, request: public.ListServiceAccountKeysRequest, call: CallContext
    ) -> public.ListServiceAccountKeysResponse:
        async with self._database.session() as session:
            await managed_account(session, call.principal, request.id, lock=False)
            found, token = await list_keys(session, request.id, request.page_size, request.page_token)
        return public.ListServiceAccountKeysResponse(api_keys=found, next_page_token=token)

    @override
    async def create_service_account_key(
        self, request: public.CreateServiceAccountKeyRequest, call: CallContext
    ) -> public.CreateServiceAccountKeyResponse:
        require_future(request.expires_at)
        words = {scope.word for scope in request.scopes} or EVERYDAY_SCOPES
        limits = {"assistant_ids": sorted(request.assistant_ids), "connector_ids": sorted(request.connector_ids)}
        async with self._database.session() as session:
            (await hold(session, call.principal, request.id)).require_lasting("A key of a service account")
            account = await managed_account(session, call.principal, request.id)
            account.require_could_give_all()
            owner = account.row
            if not owner.is_active:
                rule = f"{owner.user_name} is deactivated: activate it first"
                raise ValidationFailedError(f"id: {rule}", id=rule)
            row, secret = await store_key(
                session,
                Principal(owner.id, frozenset(owner.roles), frozenset(owner.groups)),
                name=request.name,
                scopes=[scope for scope in SCOPES if scope in words],
                limits=limits,
                expires_at=request.expires_at,
            )
            detail = {"service_account": owner.id, "name": row.name, "scopes": row.scopes, **named_limits(limits)}
            audit(session, call, f"api-keys/{row.id}", **detail)
            return public.CreateServiceAccountKeyResponse(api_key=api_keys.to_model(row), secret=secret)

    @override
    async def rotate_service_account_key(
        self, request: public.RotateServiceAccountKeyRequest, call: CallContext
    ) -> public.RotateServiceAccountKeyResponse:
        async with self._database.session() as session:
            (await hold(session, call.principal, request.id)).require_lasting("A secret of a service account")
            (await managed_account(session, call.principal, request.id)).require_could_give_all()
            key = await find_key(session, request.id, request.key_id)
            secret = give_secret(key, request.overlap_seconds, by=call.principal.user_id)
            detail = {"service_account": request.id, "overlap_seconds": request.overlap_seconds}
            audit(session, call, f"api-keys/{key.id}", **detail)
            rotated = await shown_key(session, key)
        await self._revocations.publish(request.id)
        return public.RotateServiceAccountKeyResponse(api_key=rotated, secret=secret)

    @override
    async def set_service_account_key_quotas(
        self, request: public.SetServiceAccountKeyQuotasRequest, call: CallContext
    ) -> public.ApiKey:
        by = call.principal.user_id
        async with self._database.session() as session:
            await hold(session, call.principal, request.id)
            await managed_account(session, call.principal, request.id)
            key = await find_key(session, request.id, request.key_id)
            detail = {"service_account": request.id, **await limit_key(session, key, request, by=by)}
            audit(session, call, f"api-keys/{key.id}", **detail)
            changed = await shown_key(session, key)
        await self._revocations.publish(request.id)
        return changed

    @override
    async def delete_service_account_key(
        self, request: public.DeleteServiceAccountKeyRequest, call: CallContext
    ) -> Empty:
        async with self._database.session() as session:
            await hold(session, call.principal, request.id)
            await managed_account(session, call.principal, request.id)
            ended = await ended_with(session, request.id, request.key_id)
            revoked = await revoke(session, ended, by=call.principal.user_id)
            audit(session, call, f"api-keys/{request.key_id}", service_account=request.id, revoked=revoked)
        await self._revocations.publish(request.id)
        return Empty()

    def _deactivating(self, account_id: int, call: CallContext) -> AbstractAsyncContextManager[AsyncSession]:
        return self._deactivations.deactivating(account_id, actor_id=call.principal.user_id, action=action_of(call))
