"""Access tokens of a `Tenant`: how they are asked for and whose they are.

Errors and the lives of tokens are assumed, unless marked.
"""

import itertools
import time
from collections.abc import Mapping
from typing import Any, Final

import jwt
from aiohttp import web
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.conformance.doubles.google.errors import RefusedError
from tests.conformance.doubles.google.tenant import Tenant
from tests.drivers.sign_in_provider import CLIENT_ID, CLIENT_SECRET

REFRESH_TOKEN: Final = "refresh-token-of-the-double"
_CLOCK_SECONDS: Final = 300
CLIENT: Final = (CLIENT_ID, CLIENT_SECRET)
_KEY: Final = rsa.generate_private_key(public_exponent=65537, key_size=2048)
PRIVATE_KEY: Final = _KEY.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
).decode()


class Tokens:
    """Tokens that were issued, each with its person and scopes."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        self._issued: dict[str, tuple[str, frozenset[str]]] = {}
        self._numbers = itertools.count(1)

    async def issue(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        try:
            person, scopes = self._grant(form)
        except RefusedError as error:
            body = {"error": error.reason, "error_description": error.message}
            return web.json_response(body, status=error.status)
        token = f"token-{next(self._numbers)}"
        self._issued[token] = person, scopes
        return web.json_response({"access_token": token, "expires_in": 3599, "token_type": "Bearer"})

    def expire(self) -> None:
        """Ends the lives of all of them."""
        self._issued.clear()

    def _grant(self, form: Mapping[str, str]) -> tuple[str, frozenset[str]]:
        tenant = self.tenant
        if tenant.faults.is_revoked:
            raise RefusedError(400, "invalid_grant", "Token has been expired or revoked.")
        if form.get("grant_type") == "refresh_token":
            if (form.get("client_id"), form.get("client_secret")) != CLIENT:
                raise RefusedError(401, "invalid_client")
            if form.get("refresh_token") != REFRESH_TOKEN:
                raise RefusedError(400, "invalid_grant")
            # Documented: a person consents to the scopes that the sign-in requested.
            return next(iter(tenant.people)), frozenset({"https://www.googleapis.com/auth/drive.readonly"})
        by_hand: Any = {"verify_aud": False, "verify_iat": False, "verify_exp": False}
        claims = jwt.decode(form["assertion"], _KEY.public_key(), algorithms=["RS256"], options=by_hand)
        is_timely = abs(claims["iat"] - time.time()) < _CLOCK_SECONDS and claims["exp"] - claims["iat"] <= 3600
        if not claims["aud"].endswith("/token") or not is_timely:  # the words are documented
            message = "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe."
            raise RefusedError(400, "invalid_grant", message)
        scopes = frozenset(claims["scope"].split())
        if not scopes <= tenant.granted:  # one scope that is not delegated fails them all (reported)
            message = "Client is unauthorized to retrieve access tokens using this method."
            raise RefusedError(401, "unauthorized_client", message)
        person = claims.get("sub", "")
        if person not in tenant.people or person in tenant.suspended:
            raise RefusedError(400, "invalid_grant", "Invalid email or User ID")
        return person, scopes

    def holder(self, request: web.Request) -> tuple[str, frozenset[str]]:
        """Returns who made a request, with what rights."""
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        faults = self.tenant.faults
        if faults.expired_tokens and token in self._issued:
            faults.expired_tokens -= 1
            del self._issued[token]
        if token not in self._issued or faults.is_revoked:
            raise RefusedError(401, "authError", "Invalid Credentials")
        return self._issued[token]
