"""Clients of `/mcp` that sign in at a provider: how they find it, by the protocol's own client, and what is refused."""

from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
import pytest_asyncio
from mcp import Client as McpClient
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl, SecretStr

from echomind_api.main import Gateway
from echomind_lib.config import Settings
from echomind_lib.config.providers import ProviderSettings
from tests.drivers.client import Client
from tests.drivers.openid_provider import CLIENT_ID, CLIENT_SECRET, OpenIdProvider, openid_provider, query_of
from tests.drivers.visitor import Visitor
from tests.factories.world import name

BACK = "http://127.0.0.1:1/callback"
METADATA = "/.well-known/oauth-protected-resource"


class Storage:
    """What a client was registered with before, and its tokens."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.registered: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.registered

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.registered = client_info


@pytest_asyncio.fixture(loop_scope="session")
async def openid(
    anonymous: Client, gateway: Gateway, api_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[OpenIdProvider]:
    """A provider whose tokens are for `/mcp`, and somebody who has signed in with it."""
    async with openid_provider() as provider:
        provider.person |= {"sub": name(), "email": f"{name()}@example.org", "preferred_username": name()}
        settings = ProviderSettings(
            issuer=provider.url,
            client_id=CLIENT_ID,
            client_secret=SecretStr(CLIENT_SECRET),
            audience=f"{anonymous.http_url}/mcp",
        )
        monkeypatch.setitem(api_settings.auth.providers, "mcp", settings)
        visitor = Visitor(anonymous, provider)
        await visitor.me(await visitor.sign_in(at="mcp"))
        yield provider


async def get(anonymous: Client, path: str) -> tuple[int, dict[str, Any]]:
    async with anonymous.session.get(anonymous.http_url + path) as response:
        return response.status, await response.json()


async def post(anonymous: Client, token: str = "") -> tuple[int, str]:
    """Sends a message; returns the status and the challenge."""
    headers = {"Accept": "application/json, text/event-stream"}
    headers |= {"Authorization": f"Bearer {token}"} if token else {}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with anonymous.session.post(f"{anonymous.http_url}/mcp", json=body, headers=headers) as response:
        return response.status, response.headers.get("WWW-Authenticate", "")


async def test_a_client_finds_the_provider_and_signs_in(anonymous: Client, openid: OpenIdProvider) -> None:
    url = f"{anonymous.http_url}/mcp"
    for path in (METADATA, f"{METADATA}/mcp"):
        assert await get(anonymous, path) == (
            200,
            {
                "resource": url,
                "authorization_servers": [openid.url],
                "scopes_supported": ["email", "openid", "profile"],
                "bearer_methods_supported": ["header"],
                "resource_name": "EchoMind",
            },
        )
    came_back: list[str] = []

    async def consent(address: str) -> None:
        assert query_of(address)["resource"] == url
        came_back.append(await openid.consent(address))

    async def code() -> AuthorizationCodeResult:
        query = query_of(came_back[0])
        return AuthorizationCodeResult(code=query["code"], state=query["state"])

    storage = Storage()
    storage.registered = OAuthClientInformationFull(
        client_id=CLIENT_ID,
        client_secret=CLIENT_SECRET,
        redirect_uris=[AnyUrl(BACK)],
        token_endpoint_auth_method="client_secret_basic",
        issuer=openid.url,
    )
    given = OAuthClientMetadata(redirect_uris=[AnyUrl(BACK)], client_name="tests")
    openid.answer = {"access_token": openid.access_token(url), "id_token": None}
    signing_in = OAuthClientProvider(url, given, storage, redirect_handler=consent, callback_handler=code)
    async with (
        httpx2.AsyncClient(auth=signing_in) as http,
        McpClient(streamable_http_client(url, http_client=http), mode="2026-07-28") as client,
    ):
        assert "ask" in {tool.name for tool in (await client.list_tools()).tools}
    assert len(came_back) == 1


async def test_a_token_for_another_audience_is_refused_with_the_way_to_another(
    anonymous: Client, openid: OpenIdProvider
) -> None:
    for token in ("", openid.access_token("https://elsewhere.example/mcp")):
        status, challenge = await post(anonymous, token)
        assert status == 401
        address = f"{anonymous.http_url}{METADATA}/mcp"
        assert challenge == f'Bearer resource_metadata="{address}", scope="email openid profile"'


async def test_without_a_provider_keys_alone_are_accepted(anonymous: Client, gateway: Gateway) -> None:
    assert not await gateway.parts.dependencies.identity_providers.of_bearer_tokens()
    status, body = await get(anonymous, METADATA)
    assert (status, body["error"]["message"]) == (
        404,
        "No sign-in provider with an audience is set up: send an API key.",
    )
    assert await post(anonymous) == (401, "Bearer")
