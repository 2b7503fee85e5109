"""An OpenID provider on loopback with PKCE and key rotation, and what a forger would send on request."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from secrets import token_urlsafe
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import aiohttp
from aiohttp import web
from joserfc import jwt
from joserfc.jwk import RSAKey

from tests.drivers.serving import serving

CLIENT_ID = "echomind-of-the-tests"
CLIENT_SECRET = "the secret of the client"

Token = Callable[[dict[str, Any]], str]


@cache
def rsa_key(kid: str) -> RSAKey:
    """Returns the key pair of a name; each process makes its own."""
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig"}, private=True)


class OpenIdProvider:
    """Signs one person in at a time: whoever is in `person`."""

    def __init__(self) -> None:
        self.url = ""
        self.person: dict[str, Any] = {"sub": "kim-1", "email": "kim@example.org", "email_verified": True}
        """Claims of whoever signs in."""
        self.claims: dict[str, Any] = {}
        """What an ID token has instead of the usual; None leaves a claim out."""
        self.userinfo: dict[str, Any] = {}
        """What the userinfo endpoint has beside the person's `sub`."""
        self.document: dict[str, Any] = {}
        """What the discovery document has instead of the usual; None leaves a field out."""
        self.forged: Token | None = None
        """Makes the ID token instead of the provider."""
        self.answer: dict[str, Any] = {}
        """What the answer with the tokens has instead of the usual; None leaves a field out."""
        self.brings: dict[str, str] = {}
        """What the browser brings back beside the code."""
        self.status = 200
        """HTTP status of the token endpoint."""
        self.kid = "first"
        """The key that signs now."""
        self.asked: list[str] = []
        """Paths of all requests."""
        self.scopes: list[str] = []
        self._codes: dict[str, dict[str, str]] = {}

    async def consent(self, address: str) -> str:
        """Opens an authorization page and accepts; returns the address that the browser is sent back to."""
        async with aiohttp.ClientSession() as client, client.get(address, allow_redirects=False) as response:
            assert response.status == 302, await response.text()
            return response.headers["Location"]

    def signed(self, claims: dict[str, Any], kid: str = "", algorithm: str = "RS256") -> str:
        """Returns a token that one of the provider's keys has signed."""
        kid = kid or self.kid
        return jwt.encode({"alg": algorithm, "kid": kid}, claims, rsa_key(kid), algorithms=[algorithm])

    def access_token(self, audience: str, **changes: Any) -> str:
        """Returns an access token for the person, with other claims; None leaves one out."""
        now = int(time.time())
        usual = {"iss": self.url, "aud": audience, "iat": now, "exp": now + 300, "sub": self.person["sub"]}
        return self.signed(_with(usual, changes))

    def logout_token(self, **changes: Any) -> str:
        """Returns a logout token for the person, with other claims; None leaves one out."""
        usual = {
            "iss": self.url,
            "aud": CLIENT_ID,
            "iat": int(time.time()),
            "jti": token_urlsafe(8),
            "sub": self.person["sub"],
            "events": {"http://schemas.openid.net/event/backchannel-logout": {}},
        }
        return self.signed(_with(usual, changes))

    def unsigned(self, claims: dict[str, Any]) -> str:
        """Returns a token without a signature."""
        return f"{_parts({'alg': 'none'}, claims)}."

    def with_public_key(self, claims: dict[str, Any]) -> str:
        """Returns a token whose HMAC has the public key as its secret."""
        text = _parts({"alg": "HS256", "kid": self.kid}, claims)
        return f"{text}.{_base64(hmac.digest(rsa_key(self.kid).as_pem(private=False), text.encode(), 'sha256'))}"

    def half_hash(self, text: str) -> str:
        """Returns the `at_hash` of an access token."""
        return _base64(hashlib.sha256(text.encode()).digest()[:16])

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answers one request."""
        self.asked.append(request.path)
        match request.path:
            case "/.well-known/openid-configuration":
                return web.json_response(_with(self._document(), self.document))
            case "/jwks":
                return web.json_response({"keys": [rsa_key(self.kid).as_dict(private=False)]})
            case "/authorize":
                return self._authorize(dict(request.query))
            case "/token":
                form = {name: str(value) for name, value in (await request.post()).items()}
                return self._token(form, request.headers.get("Authorization", ""))
            case "/userinfo" if request.headers.get("Authorization") == "Bearer an access token":
                return web.json_response({"sub": self.person["sub"]} | self.userinfo)
        return web.Response(status=404)

    def _document(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/jwks",
            "userinfo_endpoint": f"{self.url}/userinfo",
            "end_session_endpoint": f"{self.url}/end-session",
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
        }

    def _authorize(self, asked: dict[str, str]) -> web.Response:
        required = {"response_type": "code", "client_id": CLIENT_ID, "code_challenge_method": "S256"}
        if any(asked.get(name) != value for name, value in required.items()) or not asked.get("code_challenge"):
            return web.Response(status=400, text="invalid_request")
        self.scopes = asked["scope"].split()
        code = f"code-{len(self._codes)}"
        self._codes[code] = asked
        query = urlencode({"code": code, "state": asked["state"]} | self.brings)
        return web.Response(status=302, headers={"Location": f"{asked['redirect_uri']}?{query}"})

    def _token(self, form: dict[str, str], authorization: str) -> web.Response:
        if self.status != 200:
            return web.Response(status=self.status, text="<h1>Out of order</h1>")
        # Some clients encode the two for a form first (RFC 6749, 2.3.1), which changes blanks; others do not.
        given = unquote(base64.b64decode(authorization.removeprefix("Basic ")).decode())
        if given != f"{CLIENT_ID}:{CLIENT_SECRET}":
            return web.json_response({"error": "invalid_client"}, status=401)
        asked = self._codes.pop(form.get("code", ""), None)
        challenge = _base64(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if asked is None or (asked["redirect_uri"], asked["code_challenge"]) != (form.get("redirect_uri"), challenge):
            return web.json_response({"error": "invalid_grant"}, status=400)
        now = int(time.time())
        usual = {"iss": self.url, "aud": CLIENT_ID, "iat": now, "exp": now + 300, "nonce": asked.get("nonce")}
        claims = _with(usual | self.person, self.claims)
        answer = {
            "access_token": "an access token",
            "token_type": "Bearer",
            "expires_in": 300,
            "id_token": (self.forged or self.signed)(claims),
        }
        return web.json_response(_with(answer, self.answer))


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _parts(header: dict[str, Any], claims: dict[str, Any]) -> str:
    return ".".join(_base64(json.dumps(part).encode()) for part in (header, claims))


def _with(usual: dict[str, Any], instead: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in (usual | instead).items() if value is not None}


@asynccontextmanager
async def openid_provider() -> AsyncIterator[OpenIdProvider]:
    """A provider that serves."""
    provider = OpenIdProvider()
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", provider.handle)
    async with serving(application) as provider.url:
        yield provider


def query_of(address: str) -> dict[str, str]:
    """Returns the parameters of an address."""
    return dict(parse_qsl(urlsplit(address).query))
