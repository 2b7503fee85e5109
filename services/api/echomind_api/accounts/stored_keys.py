"""Keys of an account, for their owner and for those who manage the owner: listed, stored, rotated and revoked."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import CTE, Integer, select, type_coerce, update
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.accounts.key_quotas import set_quotas, with_quotas
from echomind_api.auth import tokens
from echomind_api.rows import missing, reload, unique
from echomind_lib.access import Principal, assistants, connectors
from echomind_lib.access.principal import KeyScope
from echomind_lib.db import models as rows
from echomind_lib.db.paging import read_page
from echomind_lib.errors import ValidationFailedError
from echomind_lib.mappers import api_keys
from echomind_lib.models import public

_RATES: Final = ("max_requests_per_minute", "max_concurrent_runs", "max_concurrent_streams")
_NAMES: Final = {"idx_api_keys_name": "name"}


async def list_keys(
    session: AsyncSession, owner: int, page_size: int, page_token: str
) -> tuple[list[public.ApiKey], str]:
    """Returns a page of the keys of an account that are not revoked, newest first, and the token of the next one."""
    page = read_page(page_size, page_token, tuple[int], "api_keys", owner)
    own = select(rows.ApiKey).where(rows.ApiKey.user_id == owner, ~rows.ApiKey.revoked)
    query = page.select(own, rows.ApiKey.id, descending=True)
    found, token = page.cut((await session.scalars(query)).all(), lambda row: (row.id,))
    return await with_quotas(session, [api_keys.to_model(row) for row in found]), token


async def find_key(session: AsyncSession, owner: int, key_id: int) -> rows.ApiKey:
    """Returns a key of an account that is not revoked, and locks it.

    Raises:
        NotFoundError: The account has no such key.
    """
    key = await session.get(rows.ApiKey, key_id, with_for_update=True)
    if key is None or key.revoked or key.user_id != owner:
        raise missing("API key", key_id)
    return key


async def limit_key(
    session: AsyncSession,
    key: rows.ApiKey,
    request: public.SetApiKeyQuotasRequest | public.SetServiceAccountKeyQuotasRequest,
    *,
    by: int,
) -> dict[str, Any]:
    """Replaces the quotas and limits of a key, and returns them for the audit log.

    Args:
        session: The transaction.
        key: The key; its row is locked.
        request: What it gets.
        by: The account that does it.

    Raises:
        ValidationFailedError: There are two quotas for the same period, or one has no limit.
    """
    key.max_requests_per_minute = request.max_requests_per_minute or None
    key.max_concurrent_runs = request.max_concurrent_runs or None
    key.max_concurrent_streams = request.max_concurrent_streams or None
    key.user_id_last_update = by
    quotas = await set_quotas(session, key.id, request.quotas, by=by)
    return {"quotas": quotas} | {name: value for name in _RATES if (value := getattr(key, name))}


async def shown_key(session: AsyncSession, key: rows.ApiKey) -> public.ApiKey:
    """Returns a changed key as the database has it."""
    await reload(session, key)
    return (await with_quotas(session, [api_keys.to_model(key)]))[0]


async def store_key(
    session: AsyncSession,
    owner: Principal,
    *,
    name: str,
    scopes: Sequence[KeyScope],
    limits: Mapping[str, list[int]],
    expires_at: datetime | None,
    parent_id: int | None = None,
) -> tuple[rows.ApiKey, str]:
    """Stores a new key, and returns its row and its secret.

    Args:
        session: The transaction.
        owner: Whose key it is, with the limits of the key that it is created with.
        name: Its name.
        scopes: What it may do.
        limits: All that it may use, by column: `assistant_ids` and `connector_ids`.
        expires_at: When it expires; None for never.
        parent_id: The owner's key that it is created with, and revoked with; None for none.

    Raises:
        AlreadyExistsError: The owner has a key of this name.
        NotFoundError: There is no such assistant or connector, or the owner may not use it.
    """
    await _require_usable(session, owner, limits)
    key = tokens.new_api_key()
    row = rows.ApiKey(
        user_id=owner.user_id,
        name=name,
        prefix=tokens.prefix(key.text),
        sha256=key.sha256,
        scopes=list(scopes),
        assistant_ids=limits["assistant_ids"],
        connector_ids=limits["connector_ids"],
        expires_at=expires_at,
        parent_id=parent_id,
    )
    session.add(row)
    with unique("API key", _NAMES):
        await session.flush()
    await session.refresh(row)
    return row, key.text


def give_secret(key: rows.ApiKey, overlap_seconds: int, *, by: int) -> str:
    """Gives a key another secret, and returns it. The earlier one works until the overlap is over.

    Args:
        key: The key; its row is locked.
        overlap_seconds: Seconds for which the earlier secret works; 0: it stops at once.
        by: The account that does it.
    """
    secret = tokens.rotated_api_key(key.prefix)
    key.previous_sha256 = key.sha256 if overlap_seconds else None
    key.previous_used_at = None
    key.previous_expires_at = datetime.now(UTC) + timedelta(seconds=overlap_seconds) if overlap_seconds else None
    key.sha256 = secret.sha256
    key.user_id_last_update = by
    return secret.text


async def ended_with(session: AsyncSession, owner: int, key_id: int) -> set[int]:
    """Returns the ids of a key and of the keys that were created with it, which are revoked together.

    Raises:
        NotFoundError: The owner has no such key.
    """
    ended = set(await session.scalars(select(with_those_made_by(key_id, owner).c.id)))
    if key_id not in ended:
        raise missing("API key", key_id)
    return ended


async def revoke(session: AsyncSession, key_ids: Collection[int], *, by: int) -> list[int]:
    """Revokes keys, and returns the ids of those that were not revoked before, in order."""
    change = (
        update(rows.ApiKey)
        .where(rows.ApiKey.id.in_(key_ids), ~rows.ApiKey.revoked)
        .values(revoked=True, user_id_last_update=by)
        .returning(rows.ApiKey.id)
    )
    return sorted(await session.scalars(change))


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


def with_those_made_by(key_id: int, owner: int) -> CTE:
    """Returns, as a query, the ids of a key that is not revoked, of the keys that were made with it, and with these."""
    made = (
        select(rows.ApiKey.id)
        .where(rows.ApiKey.id == key_id, rows.ApiKey.user_id == owner, ~rows.ApiKey.revoked)
        .cte("made", recursive=True)
    )
    return made.union(select(rows.ApiKey.id).where(rows.ApiKey.parent_id == made.c.id))


def require_future(expires_at: datetime | None) -> None:
    """Raises `ValidationFailedError` for an expiry that has passed."""
    if expires_at is not None and expires_at <= datetime.now(UTC):
        raise ValidationFailedError("expires_at: must be in the future", expires_at="must be in the future")


def named_limits(limits: Mapping[str, Sequence[int]]) -> dict[str, Sequence[int]]:
    """Returns the limits that there are, for the audit log."""
    return {column: ids for column, ids in limits.items() if ids}


async def _require_usable(session: AsyncSession, owner: Principal, limits: Mapping[str, Sequence[int]]) -> None:
    """Returns if the owner may use all that a new key is to be limited to, within their own limits.

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
        found = set(await session.scalars(usable.params(rule.values(owner))))
        for one in requested:
            if one not in found and not _is_own_limit(owner, column, one):
                raise missing(resource, one)


def _is_own_limit(owner: Principal, column: str, id_: int) -> bool:
    """Returns whether the calling key is limited to a thing, which may have been removed since."""
    own = owner.limits
    ids = None if own is None else own.assistants if column == "assistant_ids" else own.connectors
    return ids is not None and id_ in ids
