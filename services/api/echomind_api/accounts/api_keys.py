"""The caller's own keys for programs."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

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
    with_those_made_by,
)
from echomind_api.auth.credentials import hold
from echomind_api.auth.principals import Principals
from echomind_api.rows import audit
from echomind_lib.access import Principal, require_scope
from echomind_lib.access.principal import EVERYDAY_SCOPES, SCOPES, KeyScope
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db.database import Database
from echomind_lib.errors import PermissionDeniedError, ValidationFailedError
from echomind_lib.mappers import api_keys
from echomind_lib.models import public


class ApiKeys(public.ApiKeyService):
    """The service `ApiKeyService`."""

    def __init__(self, database: Database, principals: Principals) -> None:
        self._database = database
        self._principals = principals

    @override
    async def list_api_keys(self, request: public.ListApiKeysRequest, call: CallContext) -> public.ListApiKeysResponse:
        owner = call.principal.user_id
        async with self._database.session() as session:
            found, token = await list_keys(session, owner, request.page_size, request.page_token)
        return public.ListApiKeysResponse(api_keys=found, next_page_token=token)

    @override
    async def create_api_key(
        self, request: public.CreateApiKeyRequest, call: CallContext
    ) -> public.CreateApiKeyResponse:
        require_future(request.expires_at)
        principal: Principal = call.principal
        scopes = _requested_scopes(request.scopes, principal)
        limits = _requested_limits(request, principal)
        if "administer" in scopes and any(limits.values()):
            rule = "cannot be limited to assistants or connectors"
            raise ValidationFailedError(f"scopes: a key with the scope administer {rule}", scopes=rule)
        async with self._database.session() as session:
            credential = await hold(session, principal)
            if "administer" in scopes:
                credential.require_recent("Creating a key with the scope administer")
            _check_expiry(request.expires_at, credential.expires_at)
            row, secret = await store_key(
                session,
                principal,
                name=request.name,
                scopes=scopes,
                limits=limits,
                expires_at=request.expires_at,
                parent_id=principal.api_key_id,
            )
            audit(session, call, f"api-keys/{row.id}", name=row.name, scopes=row.scopes, **named_limits(limits))
            return public.CreateApiKeyResponse(api_key=api_keys.to_model(row), secret=secret)

    @override
    async def rotate_api_key(
        self, request: public.RotateApiKeyRequest, call: CallContext
    ) -> public.RotateApiKeyResponse:
        principal: Principal = call.principal
        if principal.is_replaced:
            raise PermissionDeniedError(
                "This secret of the API key has been replaced, so that it cannot replace the new one: use that.",
                required="current_secret",
            )
        async with self._database.session() as session:
            credential = await hold(session, principal)
            key = await find_key(session, principal.user_id, request.id)
            await _require_own(session, principal, request.id)
            limit = credential.expires_at
            if limit is not None and (key.expires_at is None or key.expires_at > limit):
                credential.require_lasting("A secret of this key")
            if "administer" in key.scopes:
                credential.require_recent("Rotating a key with the scope administer")
            secret = give_secret(key, request.overlap_seconds, by=principal.user_id)
            audit(session, call, f"api-keys/{key.id}", overlap_seconds=request.overlap_seconds)
            rotated = await shown_key(session, key)
        self._principals.forget(principal.user_id)
        return public.RotateApiKeyResponse(api_key=rotated, secret=secret)

    @override
    async def set_api_key_quotas(self, request: public.SetApiKeyQuotasRequest, call: CallContext) -> public.ApiKey:
        principal: Principal = call.principal
        async with self._database.session() as session:
            await hold(session, principal)
            key = await find_key(session, principal.user_id, request.id)
            await _require_other(session, principal, key.id)
            audit(session, call, f"api-keys/{key.id}", **await limit_key(session, key, request, by=principal.user_id))
            changed = await shown_key(session, key)
        self._principals.forget(principal.user_id)
        return changed

    @override
    async def delete_api_key(self, request: public.DeleteApiKeyRequest, call: CallContext) -> Empty:
        principal: Principal = call.principal
        owner = principal.user_id
        async with self._database.session() as session:
            await hold(session, principal)
            ended = await ended_with(session, owner, request.id)
            await _require_own(session, principal, request.id)
            audit(session, call, f"api-keys/{request.id}", revoked=await revoke(session, ended, by=owner))
        self._principals.forget(owner)
        return Empty()


async def _require_own(session: AsyncSession, principal: Principal, key_id: int) -> None:
    """Returns if the caller may end a key: by their own key only itself and those made with it, or with `administer`.

    Raises:
        PermissionDeniedError: The caller's key may not.
    """
    own = select(with_those_made_by(principal.api_key_id or 0, principal.user_id).c.id)
    if key_id not in set(await session.scalars(own)):
        require_scope(principal, "administer")


async def _require_other(session: AsyncSession, principal: Principal, key_id: int) -> None:
    """Returns if the caller may set the quotas of a key: by their own key those of keys made with it.

    Raises:
        PermissionDeniedError: It is the caller's own key or one that it was made with, or their key may not.
    """
    own = principal.api_key_id
    if own is None:
        return
    if own in set(await session.scalars(select(with_those_made_by(key_id, principal.user_id).c.id))):
        raise PermissionDeniedError(
            "A key sets neither its own quotas nor those of a key that it was created with: sign in, or use another.",
            required="other_key",
        )
    await _require_own(session, principal, key_id)


def _requested_scopes(requested: Sequence[public.ApiKeyScope], principal: Principal) -> list[KeyScope]:
    """Returns the scopes of a new key, in display order; if none are requested, the everyday ones that the caller has.

    Raises:
        PermissionDeniedError: The caller's own key lacks a requested scope.
    """
    if not requested:
        return [scope for scope in SCOPES if scope in EVERYDAY_SCOPES and principal.has_scope(scope)]
    words = {scope.word for scope in requested}
    scopes = [scope for scope in SCOPES if scope in words or "administer" in words]
    for scope in reversed(scopes):  # the strongest first, as it includes the others
        require_scope(principal, scope)
    return scopes


def _requested_limits(request: public.CreateApiKeyRequest, principal: Principal) -> dict[str, list[int]]:
    """Returns the limits of a new key, by column: those requested, otherwise those of the calling key."""
    own = principal.limits
    return {
        "assistant_ids": sorted(request.assistant_ids) or ((own and own.assistant_ids()) or []),
        "connector_ids": sorted(request.connector_ids) or ((own and own.connector_ids()) or []),
    }


def _check_expiry(requested: datetime | None, limit: datetime | None) -> None:
    if limit is not None and (requested is None or requested > limit):
        end = limit.isoformat(timespec="seconds")
        rule = f"must be given and be no later than {end}, when the key that you use ends"
        raise ValidationFailedError(f"expires_at: {rule}", expires_at=rule)
