"""The caller's own keys for programs."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from sqlalchemy import CTE, Integer, select, type_coerce, update
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.auth import tokens
from echomind_api.auth.credentials import hold
from echomind_api.auth.principals import Principals
from echomind_api.rows import audit, missing, reload, unique
from echomind_lib.access import Principal, assistants, connectors, require_scope
from echomind_lib.access.principal import EVERYDAY_SCOPES, SCOPES, KeyScope
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
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
        page = read_page(request.page_size, request.page_token, tuple[int], "api_keys", owner)
        own = select(rows.ApiKey).where(rows.ApiKey.user_id == owner, ~rows.ApiKey.revoked)
        query = page.select(own, rows.ApiKey.id, descending=True)
        async with self._database.session() as session:
            found, token = page.cut((await session.scalars(query)).all(), lambda row: (row.id,))
        return public.ListApiKeysResponse(api_keys=[api_keys.to_model(row) for row in found], next_page_token=token)

    @override
    async def create_api_key(
        self, request: public.CreateApiKeyRequest, call: CallContext
    ) -> public.CreateApiKeyResponse:
        if request.expires_at is not None and request.expires_at <= datetime.now(UTC):
            raise ValidationFailedError("expires_at: must be in the future", expires_at="must be in the future")
        principal: Principal = call.principal
        scopes = _requested_scopes(request.scopes, principal)
        limits = _requested_limits(request, principal)
        if "administer" in scopes and any(limits.values()):
            rule = "cannot be limited to assistants or connectors"
            raise ValidationFailedError(f"scopes: a key with the scope administer {rule}", scopes=rule)
        key = tokens.new_api_key()
        row = rows.ApiKey(
            user_id=principal.user_id,
            name=request.name,
            prefix=tokens.prefix(key.text),
            sha256=key.sha256,
            scopes=scopes,
            **limits,
            expires_at=request.expires_at,
            parent_id=principal.api_key_id,
        )
        async with self._database.session() as session:
            credential = await hold(session, principal)
            if "administer" in scopes:
                credential.require_recent("Creating a key with the scope administer")
            _check_expiry(request.expires_at, credential.expires_at)
            await _require_usable(session, principal, limits)
            session.add(row)
            with unique("API key", {"idx_api_keys_name": "name"}):
                await session.flush()
            audit(session, call, f"api-keys/{row.id}", name=row.name, scopes=row.scopes, **_named(limits))
            await reload(session, row)
            return public.CreateApiKeyResponse(api_key=api_keys.to_model(row), secret=key.text)

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
            key = await session.get(rows.ApiKey, request.id, with_for_update=True)
            if key is None or key.revoked or key.user_id != principal.user_id:
                raise missing("API key", request.id)
            await _require_own(session, principal, request.id)
            limit = credential.expires_at
            if limit is not None and (key.expires_at is None or key.expires_at > limit):
                credential.require_lasting("A secret of this key")
            if "administer" in key.scopes:
                credential.require_recent("Rotating a key with the scope administer")
            secret = tokens.rotated_api_key(key.prefix)
            key.previous_sha256 = key.sha256 if request.overlap_seconds else None
            key.previous_used_at = None
            overlap = timedelta(seconds=request.overlap_seconds)
            key.previous_expires_at = datetime.now(UTC) + overlap if overlap else None
            key.sha256 = secret.sha256
            key.user_id_last_update = principal.user_id
            audit(session, call, f"api-keys/{key.id}", overlap_seconds=request.overlap_seconds)
            await session.flush()
            await reload(session, key)
            rotated = api_keys.to_model(key)
        self._principals.forget(principal.user_id)
        return public.RotateApiKeyResponse(api_key=rotated, secret=secret.text)

    @override
    async def delete_api_key(self, request: public.DeleteApiKeyRequest, call: CallContext) -> Empty:
        principal: Principal = call.principal
        owner = principal.user_id
        async with self._database.session() as session:
            await hold(session, principal)
            ended = set(await session.scalars(select(_with_those_made_by(request.id, owner).c.id)))
            if request.id not in ended:
                raise missing("API key", request.id)
            await _require_own(session, principal, request.id)
            revoke = (
                update(rows.ApiKey)
                .where(rows.ApiKey.id.in_(ended), ~rows.ApiKey.revoked)
                .values(revoked=True, user_id_last_update=owner)
                .returning(rows.ApiKey.id)
            )
            audit(session, call, f"api-keys/{request.id}", revoked=sorted(await session.scalars(revoke)))
        self._principals.forget(owner)
        return Empty()


async def revoke_keys(session: AsyncSession, user_id: int, *, by: int, keep: int = 0) -> None:
    """Revokes an account's keys.

    Args:
        session: The transaction.
        user_id: ID of the user.
        by: The account that revokes them.
        keep: A key that stays; 0: none.
    """
    await session.execute(
        update(rows.ApiKey)
        .where(rows.ApiKey.user_id == user_id, ~rows.ApiKey.revoked, rows.ApiKey.id != keep)
        .values(revoked=True, user_id_last_update=by)
    )


async def _require_own(session: AsyncSession, principal: Principal, key_id: int) -> None:
    """Returns if the caller may end a key: by their own key only itself and those made with it, or with `administer`.

    Raises:
        PermissionDeniedError: The caller's key may not.
    """
    own = select(_with_those_made_by(principal.api_key_id or 0, principal.user_id).c.id)
    if key_id not in set(await session.scalars(own)):
        require_scope(principal, "administer")


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


async def _require_usable(session: AsyncSession, principal: Principal, limits: Mapping[str, Sequence[int]]) -> None:
    """Returns if the caller may use all that a new key is to be limited to, within their own limits.

    Raises:
        NotFoundError: There is no such assistant or connector, or they may not use it.
    """
    for column, row, rule, resource in (
        ("assistant_ids", rows.Assistant, assistants("read"), "assistant"),
        ("connector_ids", rows.Connector, connectors("read"), "connector"),
    ):
        requested = limits[column]
        if not requested:
            continue
        # Ids in the contract are 32-bit, the column of assistants 16-bit.
        named = type_coerce(row.id, Integer).in_(requested)
        usable = select(row.id).where(named, row.deleted_date.is_(None), rule.where(row))
        found = set(await session.scalars(usable.params(rule.values(principal))))
        for one in requested:
            if one not in found and not _is_own_limit(principal, column, one):
                raise missing(resource, one)


def _is_own_limit(principal: Principal, column: str, id_: int) -> bool:
    """Returns whether the calling key is limited to a thing, which may have been removed since."""
    own = principal.limits
    ids = None if own is None else own.assistants if column == "assistant_ids" else own.connectors
    return ids is not None and id_ in ids


def _named(limits: Mapping[str, Sequence[int]]) -> dict[str, Sequence[int]]:
    """Returns the limits that there are, for the audit log."""
    return {column: ids for column, ids in limits.items() if ids}


def _with_those_made_by(key_id: int, owner: int) -> CTE:
    """Returns, as a query, the ids of a key that is not revoked, of the keys that were made with it, and with these."""
    made = (
        select(rows.ApiKey.id)
        .where(rows.ApiKey.id == key_id, rows.ApiKey.user_id == owner, ~rows.ApiKey.revoked)
        .cte("made", recursive=True)
    )
    return made.union(select(rows.ApiKey.id).where(rows.ApiKey.parent_id == made.c.id))


def _check_expiry(wanted: datetime | None, limit: datetime | None) -> None:
    if limit is not None and (wanted is None or wanted > limit):
        end = limit.isoformat(timespec="seconds")
        rule = f"must be given and be no later than {end}, when the key that you use ends"
        raise ValidationFailedError(f"expires_at: {rule}", expires_at=rule)
