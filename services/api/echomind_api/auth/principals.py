"""Resolves a credential to its principal."""

import asyncio
import hmac
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NoReturn

import structlog
from sqlalchemy import (
    ARRAY,
    Integer,
    LargeBinary,
    Text,
    any_,
    bindparam,
    case,
    cast,
    exists,
    func,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB, array

from echomind_api.auth import tokens
from echomind_api.auth.bearer_tokens import BearerTokens
from echomind_api.auth.failures import FailedCredentials, Kind
from echomind_api.auth.rates import rates_from, rates_of
from echomind_lib.access import Principal
from echomind_lib.access.principal import KeyLimits
from echomind_lib.db.database import DATABASE_FAILURES, Database
from echomind_lib.db.models.api_keys import ApiKey
from echomind_lib.db.models.identity import User, WebSession
from echomind_lib.db.models.scim import ScimToken, ScimUser
from echomind_lib.db.statements import Command, Query
from echomind_lib.errors import UnauthenticatedError

CACHE_SECONDS = 15.0
"""How long an answer is kept: a deactivated account and a revoked key are out after this, on every replica."""

CONFIRMED_FOR: Final = timedelta(days=30)
"""How long API keys work after the last sign-in of a person whom a provider vouches for, and no SCIM client."""

_CACHE_ENTRIES = 10_000
_TOUCH_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A valid credential with its account."""

    id: int
    sha256: bytes
    expires_at: datetime | None
    previous_sha256: bytes | None
    previous_expires_at: datetime | None
    scopes: list[str]
    assistant_ids: list[int]
    connector_ids: list[int]
    key_rates: list[list[int]] | None
    is_confirmed: bool
    user_id: int
    roles: list[str]
    groups: list[str]
    rates: list[list[Any]] | None


def _limits(found: _Found) -> KeyLimits | None:
    """Returns the limits of a key; a key that names nothing has none."""
    if not (found.assistant_ids or found.connector_ids):
        return None
    return KeyLimits(found.id, frozenset(found.assistant_ids) or None, frozenset(found.connector_ids) or None)


_LIMITED: Final = (ApiKey.max_requests_per_minute, ApiKey.max_concurrent_runs, ApiKey.max_concurrent_streams)
_ACCOUNT: Final = (User.id.label("user_id"), User.roles, User.groups, rates_of(User.id).label("rates"))
BY_API_KEY: Final = Query(
    select(
        ApiKey.id,
        ApiKey.sha256,
        ApiKey.expires_at,
        case((ApiKey.previous_expires_at > func.now(), ApiKey.previous_sha256)).label("previous_sha256"),
        ApiKey.previous_expires_at,
        ApiKey.scopes,
        ApiKey.assistant_ids,
        ApiKey.connector_ids,
        case(
            (
                or_(ApiKey.parent_id.is_not(None), func.num_nonnulls(*_LIMITED) > 0),
                func.limits_of_key(ApiKey.id, type_=JSONB),
            )
        ).label("key_rates"),
        or_(
            User.external_id.is_(None),
            User.last_login > func.now() - CONFIRMED_FOR,
            # Without a token its client can deactivate nobody.
            exists().where(
                ScimUser.user_id == User.id,
                ScimUser.deleted_date.is_(None),
                ScimToken.client_id == ScimUser.client_id,
                ScimToken.expires_at > func.now(),
            ),
        ).label("is_confirmed"),
        *_ACCOUNT,
    )
    .join(User, User.id == ApiKey.user_id)
    .where(ApiKey.prefix == bindparam("prefix"), ~ApiKey.revoked, User.is_active)
    .where(or_(ApiKey.expires_at.is_(None), ApiKey.expires_at > func.now())),
    _Found,
)
"""The valid keys of a prefix."""
BY_WEB_SESSION: Final = Query(
    select(
        WebSession.id,
        WebSession.token_hash.label("sha256"),
        WebSession.expires_at,
        cast(None, LargeBinary).label("previous_sha256"),
        cast(None, WebSession.expires_at.type).label("previous_expires_at"),
        # Web sessions are not limited by scopes; only API keys are.
        cast(array([], type_=Text), ARRAY(Text)).label("scopes"),
        cast(array([], type_=Integer), ARRAY(Integer)).label("assistant_ids"),
        cast(array([], type_=Integer), ARRAY(Integer)).label("connector_ids"),
        cast(None, JSONB).label("key_rates"),
        true().label("is_confirmed"),
        *_ACCOUNT,
    )
    .join(User, User.id == WebSession.user_id)
    .where(WebSession.token_hash == bindparam("token_hash"), WebSession.expires_at > func.now(), User.is_active),
    _Found,
)
"""The session of a token that is not over."""


def _touch(table: type[ApiKey | WebSession], column: str) -> Command:
    used = any_(bindparam("ids", type_=ARRAY(table.id.type)))
    return Command(update(table).where(table.id == used).values({column: func.now()}))


_TOUCH_API_KEYS: Final = _touch(ApiKey, "last_used_at")
_TOUCH_WEB_SESSIONS: Final = _touch(WebSession, "last_seen")
_TOUCH_REPLACED_KEYS: Final = _touch(ApiKey, "previous_used_at")
_TOUCH: Final = {
    "api_keys": _TOUCH_API_KEYS,
    "replaced_api_keys": _TOUCH_REPLACED_KEYS,
    "web_sessions": _TOUCH_WEB_SESSIONS,
}

_Lookup = Callable[[str, bytes], Awaitable[Principal]]

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Known:
    principal: Principal
    table: str | None
    """Where the time of its use is stored."""
    row_id: int
    until: float


class Principals:
    """Finds the principal of an API key or a web session, and caches it for `CACHE_SECONDS`.

    A credential that was valid is remembered longer, so that the limits of failures never block it.
    """

    def __init__(self, database: Database, failures: FailedCredentials, bearer_tokens: BearerTokens) -> None:
        self._database = database
        self._failures = failures
        self._bearer_tokens = bearer_tokens
        self._known: OrderedDict[bytes, _Known] = OrderedDict()
        self._used: dict[str, set[int]] = {table: set() for table in _TOUCH}

    async def of_api_key(self, key: str, address: str | None = None) -> Principal:
        """Returns the owner of an API key.

        Args:
            key: The key.
            address: IP address of the sender; None if there is none, then no limit applies.

        Raises:
            UnauthenticatedError: The key is unknown, revoked or expired, or its owner is deactivated.
            OverloadedError: The address has sent too many wrong keys.
        """
        return await self._find("api_key", key, address, self._api_key)

    async def of_bearer_token(self, token: str, address: str | None = None) -> Principal:
        """Returns whose bearer token of a provider it is. Failures count as those of API keys.

        Args:
            token: The token.
            address: IP address of the sender; None if there is none, then no limit applies.

        Raises:
            UnauthenticatedError: The token is not valid, or its person has no active account.
            DependencyUnavailableError: The provider's keys cannot be read.
            OverloadedError: The address has sent too many wrong credentials.
        """
        return await self._find("api_key", token, address, self._bearer)

    async def of_web_session(self, token: str, address: str | None = None) -> Principal:
        """Returns the owner of a web session.

        Args:
            token: The cookie's value.
            address: IP address of the sender; None if there is none, then no limit applies.

        Raises:
            UnauthenticatedError: The session is unknown or over, or its owner is deactivated.
            OverloadedError: The address has sent too many sessions that are over.
        """
        return await self._find("web_session", token, address, self._web_session)

    def reject(self, address: str | None, message: str) -> NoReturn:
        """Rejects a malformed bearer credential.

        Raises:
            UnauthenticatedError: Always; the address is charged.
        """
        if address is not None:
            self._failures.charge("api_key", address)
        raise UnauthenticatedError(message)

    async def _find(self, kind: Kind, text: str, address: str | None, query: _Lookup) -> Principal:
        sha256 = tokens.digest(text)
        if principal := self._remembered(sha256):
            return principal
        try:
            if address is None or sha256 in self._known:
                return await query(text, sha256)
            async with self._failures.lookup(kind, address):
                return await query(text, sha256)
        except UnauthenticatedError:
            self._known.pop(sha256, None)
            if address is not None:
                self._failures.charge(kind, address)
            raise

    async def _api_key(self, key: str, sha256: bytes) -> Principal:
        if tokens.is_api_key(key) and key.isascii():
            for found in await BY_API_KEY.fetch_all(self._database.pool, prefix=tokens.prefix(key)):
                is_replaced = found.previous_sha256 is not None and hmac.compare_digest(found.previous_sha256, sha256)
                if is_replaced or hmac.compare_digest(found.sha256, sha256):
                    if not found.is_confirmed:
                        raise UnauthenticatedError(
                            f"The API key has stopped, because its owner has not signed in for {CONFIRMED_FOR.days} "
                            "days: sign in at your provider in the browser, and it works again."
                        )
                    given = {
                        "api_key_id": found.id,
                        "key_scopes": frozenset(found.scopes),
                        "limits": _limits(found),
                    }
                    if not is_replaced:
                        return self._remember(sha256, "api_keys", found, **given)
                    return self._remember(
                        sha256,
                        "replaced_api_keys",
                        found,
                        **given,
                        token_expires_at=found.previous_expires_at,
                        is_replaced=True,
                    )
        raise UnauthenticatedError("The API key is not valid: it is unknown, revoked or expired. Create another one.")

    async def _bearer(self, token: str, sha256: bytes) -> Principal:
        bearer = await self._bearer_tokens.verify(token)
        account, left = bearer.account, (bearer.expires_at - datetime.now(UTC)).total_seconds()
        principal = Principal(
            account.user_id,
            frozenset(account.roles),
            frozenset(account.groups),
            rates=rates_from(account.rates),
            identity_id=account.id,
            token_expires_at=bearer.expires_at,
        )
        return self._keep(sha256, _Known(principal, None, account.id, time.monotonic() + min(CACHE_SECONDS, left)))

    async def _web_session(self, _: str, sha256: bytes) -> Principal:
        found = await BY_WEB_SESSION.fetch_one(self._database.pool, token_hash=sha256)
        if found is None:
            raise UnauthenticatedError("The session is over. Sign in again.")
        return self._remember(sha256, "web_sessions", found, web_session_id=found.id)

    def forget(self, user_id: int) -> None:
        """Removes an account's credentials from the cache, after they or the account were changed here."""
        for sha256, known in self._known.items():
            if known.principal.user_id == user_id:
                self._known[sha256] = replace(known, until=0.0)

    async def write_last_used(self) -> None:
        """Writes down once a minute which keys and sessions were used, until it is cancelled; then a last time."""
        try:
            while True:
                await asyncio.sleep(_TOUCH_SECONDS)
                await self.flush()
        finally:
            await self.flush()

    async def flush(self) -> None:
        """Writes down which keys and sessions were used since the last time."""
        for table, touch in _TOUCH.items():
            ids, self._used[table] = self._used[table], set()
            if not ids:
                continue
            try:
                await touch.execute(self._database.pool, ids=sorted(ids))
            except DATABASE_FAILURES as error:
                log.warning("the time of last use was not stored", table=table, error=repr(error))

    def _remembered(self, sha256: bytes) -> Principal | None:
        known = self._known.get(sha256)
        if known is None or known.until <= time.monotonic():
            return None
        if known.table is not None:
            self._used[known.table].add(known.row_id)
        return known.principal

    def _remember(self, sha256: bytes, table: str, found: _Found, **credential: Any) -> Principal:
        rates = rates_from(found.rates, found.key_rates)
        principal = Principal(found.user_id, frozenset(found.roles), frozenset(found.groups), rates=rates, **credential)
        seconds = CACHE_SECONDS
        for end in (found.expires_at, principal.token_expires_at):
            if end is not None:
                seconds = min(seconds, (end - datetime.now(UTC)).total_seconds())
        self._used[table].add(found.id)
        return self._keep(sha256, _Known(principal, table, found.id, time.monotonic() + seconds))

    def _keep(self, sha256: bytes, known: _Known) -> Principal:
        self._known[sha256] = known
        self._known.move_to_end(sha256)
        if len(self._known) > _CACHE_ENTRIES:
            self._known.popitem(last=False)
        return known.principal
