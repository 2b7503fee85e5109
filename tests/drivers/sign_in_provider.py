"""An OAuth provider on loopback that is as strict as Google's and Microsoft's, and what is wrong with it on request."""

import asyncio
import base64
import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import aiohttp
from aiohttp import web

from tests.drivers.serving import serving

CLIENT_ID = "echomind-of-the-tests"
CLIENT_SECRET = "the secret of the application"


class SignInProvider:
    """Gives codes for addresses of its authorization page, and tokens for codes."""

    def __init__(self) -> None:
        self.url = ""
        self.account = "kim@example.org"
        self.overrides: dict[str, Any] = {}
        """What an answer has instead of the usual; None leaves a field out."""
        self.status = 200
        self.answering: Callable[[], Awaitable[Any]] | None = None
        """Is awaited before tokens are issued."""
        self.forms: list[dict[str, str]] = []
        """What the token endpoint was asked."""
        self.issued: list[str] = []
        """The refresh tokens."""
        self.revoked: list[str] = []
        """Those that were revoked."""
        self._codes: dict[str, dict[str, str]] = {}

    async def consent(self, address: str) -> dict[str, str]:
        """Opens an authorization page and accepts; returns what the browser is sent back with."""
        async with aiohttp.ClientSession() as client, client.get(address, allow_redirects=False) as response:
            assert response.status == 302, await response.text()
            return dict(parse_qsl(urlsplit(response.headers["Location"]).query))

    async def authorize(self, request: web.Request) -> web.Response:
        """Redirects with a code, as if somebody had accepted."""
        asked = dict(request.query)
        required = {"response_type": "code", "client_id": CLIENT_ID, "code_challenge_method": "S256"}
        if any(asked.get(name) != value for name, value in required.items()) or not asked.get("code_challenge"):
            return web.Response(status=400, text="invalid_request")
        code = f"code-{len(self._codes)}"
        self._codes[code] = asked
        answer = urlencode({"code": code, "state": asked["state"]})
        return web.Response(status=302, headers={"Location": f"{asked['redirect_uri']}?{answer}"})

    async def token(self, request: web.Request) -> web.StreamResponse:
        """Issues tokens for a code, once."""
        form = {name: str(value) for name, value in (await request.post()).items()}
        self.forms.append(form)
        if self.answering:
            await self.answering()
        if self.status != 200:
            return web.Response(status=self.status, text="<h1>Out of order</h1>")
        if (form.get("client_id"), form.get("client_secret")) != (CLIENT_ID, CLIENT_SECRET):
            return web.json_response({"error": "invalid_client"}, status=401)
        asked = self._codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if (
            form.get("grant_type") != "authorization_code"
            or asked is None
            or (asked["redirect_uri"], asked["code_challenge"]) != (form.get("redirect_uri"), challenge)
        ):
            return web.json_response({"error": "invalid_grant", "error_description": "Bad code"}, status=400)
        self.issued.append(f"refresh-token-{len(self.issued)}")
        answer = {
            "access_token": "an access token",
            "expires_in": 3599,
            "token_type": "Bearer",
            "refresh_token": self.issued[-1],
            "scope": asked["scope"],
            "id_token": unsigned({"sub": "1", "email": self.account}),
        }
        named = {name: value for name, value in (answer | self.overrides).items() if value is not None}
        return await _in_pieces(request, json.dumps(named).encode())

    async def revoke(self, request: web.Request) -> web.Response:
        """Revokes a token."""
        if self.status != 200:
            return web.Response(status=self.status)
        self.revoked.append(str((await request.post())["token"]))
        return web.json_response({})


@asynccontextmanager
async def sign_in_provider() -> AsyncIterator[SignInProvider]:
    """A provider that serves at the paths of Google and of Microsoft."""
    provider = SignInProvider()
    application = web.Application()
    for authorize, token in (
        ("/o/oauth2/v2/auth", "/token"),
        ("/{tenant}/oauth2/v2.0/authorize", "/{tenant}/oauth2/v2.0/token"),
    ):
        application.router.add_get(authorize, provider.authorize)
        application.router.add_post(token, provider.token)
    application.router.add_post("/revoke", provider.revoke)
    async with serving(application) as provider.url:
        yield provider


async def _in_pieces(request: web.Request, body: bytes) -> web.StreamResponse:
    """Answers as large answers come over a network: not in one piece."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    for start in range(0, len(body), 200):
        await response.write(body[start : start + 200])
        await asyncio.sleep(0.005)
    await response.write_eof()
    return response


def unsigned(claims: dict[str, Any]) -> str:
    """Returns an ID token whose signature is none."""
    return ".".join(
        base64.urlsafe_b64encode(part).rstrip(b"=").decode()
        for part in (b'{"alg":"RS256"}', json.dumps(claims).encode(), b"signature")
    )
