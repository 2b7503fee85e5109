"""A vendor's API on loopback whose answers a test scripts, with a token endpoint."""

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from echomind_ingestor.connectors.http_session import SourceSession
from echomind_ingestor.connectors.tokens import AccessTokens, ClientCredentials, Grant
from echomind_ingestor.connectors.vendor_client import Vendor, VendorClient, VendorError
from echomind_lib.network.fetching import AllowedHosts
from echomind_lib.process.retries import RetryPolicy
from tests.drivers.serving import answering, serving

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]] | web.Response

AT_ONCE = RetryPolicy(first=0.0, attempts=4, seconds=20)
"""Retries without delays."""

_tenants = itertools.count(1)


def read_error(status: int, body: Any) -> VendorError:
    error = body.get("error", {}) if isinstance(body, dict) else {}
    return VendorError(
        reason=error.get("code", ""), detail=error.get("message", ""), is_throttled=error.get("code") == "slowDown"
    )


class ScriptedVendor:
    """Answers requests in the order of `answers`, the last one for all that follow; tokens are numbered."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.token_answers: list[web.StreamResponse] = []
        self.issue: Callable[[dict[str, str]], web.Response] | None = None
        """Answers the forms of the token endpoint."""
        self.requests: list[web.Request] = []
        self.forms: list[dict[str, str]] = []
        self.url = ""
        self.tenant = f"tenant-{next(_tenants)}"

    @property
    def token_url(self) -> str:
        return f"{self.url}/token"

    def client(
        self, session: SourceSession, grant: Grant | None = None, *, retries: RetryPolicy = AT_ONCE
    ) -> VendorClient:
        return VendorClient(
            Vendor(name="Acme", read_error=read_error),
            session,
            f"{self.url}/api/v1",
            self.tokens(session, grant),
            tenant=self.tenant,
            retries=retries,
        )

    def tokens(self, session: SourceSession, grant: Grant | None = None) -> AccessTokens:
        grant = grant or ClientCredentials(client_id="app", client_secret="s3cret", scope="all")
        return AccessTokens("Acme", session, self.token_url, grant, retries=AT_ONCE)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if request.path == "/token":
            self.forms.append({name: str(value) for name, value in (await request.post()).items()})
            if self.issue is not None:
                return self.issue(self.forms[-1])
            if self.token_answers:
                return self.token_answers.pop(0)
            return web.json_response({"access_token": f"token-{len(self.forms)}", "expires_in": 3600})
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if not isinstance(answer, web.Response):
            return await answer(request)
        return web.Response(
            body=answer.body, status=answer.status, headers=answer.headers
        )  # a response object can be sent only once


@asynccontextmanager
async def scripted_vendor() -> AsyncIterator[tuple[ScriptedVendor, SourceSession]]:
    """Serves a vendor, and opens connections to it as to the address of a setting."""
    vendor = ScriptedVendor()
    async with serving(answering(vendor.answer)) as vendor.url:
        session = SourceSession([vendor.url], AllowedHosts(""))
        try:
            yield vendor, session
        finally:
            await session.close()
