"""A browser that signs in at an OpenID provider."""

from dataclasses import dataclass, field
from http.cookies import Morsel
from typing import Any

import aiohttp

from tests.drivers.browser import browser_of
from tests.drivers.client import Client
from tests.drivers.openid_provider import OpenIdProvider


@dataclass
class Visitor:
    """A browser, with the gateway's cookies of one sign-in."""

    client: Client
    provider: OpenIdProvider
    cookies: dict[str, str] = field(default_factory=dict)

    async def get(self, address: str) -> aiohttp.ClientResponse:
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        response = await self.client.session.get(address, headers=headers, allow_redirects=False)
        self.cookies |= {name: morsel.value for name, morsel in response.cookies.items() if morsel.value}
        return response

    async def begin(self, path: str = "/", at: str = "main") -> str:
        """Opens the sign-in; returns the provider's address."""
        response = await self.get(f"{self.client.http_url}/auth/oidc/{at}?path={path}")
        assert response.status == 303, await response.text()
        return response.headers["Location"]

    async def sign_in(self, path: str = "/", at: str = "main") -> aiohttp.ClientResponse:
        """Signs in; returns the answer to the browser that has come back."""
        return await self.return_from(await self.begin(path, at))

    async def return_from(self, provider_address: str) -> aiohttp.ClientResponse:
        """Consents at the address that `begin` returned; returns the answer to the browser that has come back."""
        return await self.get(await self.provider.consent(provider_address))

    async def me(self, response: aiohttp.ClientResponse) -> dict[str, Any]:
        return await browser_of(self.client, response).call("UserService/GetCurrentUser", via="rest")

    def attempt_cookie(self, response: aiohttp.ClientResponse) -> Morsel[str]:
        return next(morsel for name, morsel in response.cookies.items() if name.startswith("echomind_sign_in"))
