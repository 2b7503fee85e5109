"""Finds the SCIM client of a bearer token."""

import hmac
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import bindparam, func, select, update

from echomind_api.auth import tokens
from echomind_api.auth.failures import FailedCredentials
from echomind_api.auth.memberships import source_of_client
from echomind_lib.db.database import Database
from echomind_lib.db.models.scim import ScimClient, ScimToken
from echomind_lib.db.statements import Command, Query, columns
from echomind_lib.errors import UnauthenticatedError

CACHE_SECONDS: Final = 15.0
"""How long an answer is kept: a removed token is out after this, on every replica."""
_TOUCH_SECONDS: Final = 60.0
_MAX_KNOWN: Final = 1000
_INVALID: Final = "The token is not valid: it is unknown, removed or expired. A superadmin makes another one."


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A SCIM client."""

    id: int
    name: str
    issuer: str | None
    """Issuer of the OpenID provider where its people sign in."""

    @property
    def source(self) -> str:
        """Returns the source of the memberships that it gives."""
        return source_of_client(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    token_id: int
    sha256: bytes
    expires_at: datetime
    id: int
    name: str
    issuer: str | None


@dataclass(frozen=True, slots=True)
class _Known:
    client: Client
    token_id: int
    until: float
    touched: float


_BY_TOKEN: Final = Query(
    select(*columns(_Found, ScimClient, ScimToken, id=ScimClient.id, token_id=ScimToken.id))
    .join(ScimClient, ScimClient.id == ScimToken.client_id)
    .where(ScimToken.prefix == bindparam("prefix"), ScimToken.expires_at > func.now()),
    _Found,
)
_TOUCH: Final = Command(
    update(ScimToken).where(ScimToken.id == bindparam("token_id")).values({"last_used_at": func.now()})
)


class ScimClients:
    """Finds clients, and caches them for `CACHE_SECONDS`. Failures count as those of API keys."""

    def __init__(self, database: Database, failures: FailedCredentials) -> None:
        self._database = database
        self._failures = failures
        self._known: dict[bytes, _Known] = {}

    async def of_token(self, authorization: str, address: str) -> Client:
        """Returns the client of a request.

        Args:
            authorization: The request's header; empty without one.
            address: IP address of the sender, which a failure is charged to.

        Raises:
            UnauthenticatedError: There is no valid token.
            OverloadedError: The address has sent too many wrong credentials.
        """
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or not (token := token.strip()):
            raise UnauthenticatedError("Send `Authorization: Bearer <token of a SCIM client>`.")
        sha256 = tokens.digest(token)
        known = self._known.get(sha256)
        if known is None or known.until <= time.monotonic():
            try:
                known = await self._look_up(token, sha256, address, is_known=known is not None)
            except UnauthenticatedError:
                self._known.pop(sha256, None)
                self._failures.charge("api_key", address)
                raise
        if known.touched + _TOUCH_SECONDS <= time.monotonic():
            known = replace(known, touched=time.monotonic())
            await _TOUCH.execute(self._database.pool, token_id=known.token_id)
        self._known[sha256] = known
        return known.client

    async def _look_up(self, token: str, sha256: bytes, address: str, *, is_known: bool) -> _Known:
        if is_known:
            return await self._read(token, sha256)
        async with self._failures.lookup("api_key", address):
            if len(self._known) >= _MAX_KNOWN:
                self._known.clear()
            return await self._read(token, sha256)

    async def _read(self, token: str, sha256: bytes) -> _Known:
        if tokens.is_scim_token(token) and token.isascii():
            for found in await _BY_TOKEN.fetch_all(self._database.pool, prefix=tokens.scim_prefix(token)):
                if hmac.compare_digest(found.sha256, sha256):
                    left = (found.expires_at - datetime.now(UTC)).total_seconds()
                    client = Client(id=found.id, name=found.name, issuer=found.issuer)
                    earlier = self._known.get(sha256)
                    touched = earlier.touched if earlier is not None else -_TOUCH_SECONDS
                    return _Known(client, found.token_id, time.monotonic() + min(CACHE_SECONDS, left), touched)
        raise UnauthenticatedError(_INVALID)
