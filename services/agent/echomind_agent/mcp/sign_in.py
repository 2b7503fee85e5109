"""Sign-in at MCP servers by OAuth, as a client of the organization (client credentials)."""

from collections.abc import Awaitable, Callable
from contextlib import aclosing

import httpx2
from mcp.client.auth import OAuthFlowError
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from typing_extensions import override

from echomind_agent.mcp.http import NoTokenError
from echomind_agent.mcp.server import Server

_REFUSED = frozenset({httpx2.codes.UNAUTHORIZED, httpx2.codes.FORBIDDEN})
Send = Callable[[httpx2.Request], Awaitable[httpx2.Response]]


class SignIn:
    """Adds access tokens to the requests to a server."""

    def __init__(self, server: Server) -> None:
        """Prepares it; nothing is sent yet.

        Args:
            server: A server with the settings `oauth`.
        """
        given = server.oauth
        self._provider = _Provider(
            server.url,
            _Memory(),
            given["clientId"],
            given["clientSecret"],
            scope=given.get("scope") or None,
            issuer=given["issuer"],
        )

    async def send(self, request: httpx2.Request, send: Send) -> httpx2.Response:
        """Sends a request with a token, which is fetched if there is none that the server takes.

        The SDK's provider is asked only then, as it sends one request at a time.

        Args:
            request: The request.
            send: Sends one without.

        Raises:
            NoTokenError: There is none.
            httpx2.TransportError: The server cannot be reached.
        """
        try:
            return await self._sent(request, send)
        except OAuthFlowError as error:
            raise NoTokenError from error

    async def _sent(self, request: httpx2.Request, send: Send) -> httpx2.Response:
        context = self._provider.context
        if context.current_tokens is not None and context.is_token_valid():
            request.headers["Authorization"] = f"Bearer {context.current_tokens.access_token}"
            response = await send(request)
            if response.status_code not in _REFUSED:
                return response
            await response.aread()  # so that its connection is free
        async with aclosing(self._provider.async_auth_flow(request)) as flow:
            wanted = await anext(flow)
            while True:
                try:
                    response = await send(wanted)
                except httpx2.TransportError as error:
                    if wanted is request:
                        raise
                    raise NoTokenError from error
                response.request = wanted
                try:
                    wanted = await flow.asend(response)
                except StopAsyncIteration:
                    return response
                await response.aread()


class _Provider(ClientCredentialsOAuthProvider):
    """Asks for the scope of the settings, which the SDK replaces by what the server asks for."""

    @override
    async def _perform_authorization(self) -> httpx2.Request:
        if self._fixed_client_info.scope:
            self.context.client_metadata.scope = self._fixed_client_info.scope
        return await super()._perform_authorization()


class _Memory:
    """Tokens of this connection. A new one fetches others, as anybody with the client's secret may."""

    def __init__(self) -> None:
        self._tokens: OAuthToken | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self._tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self._tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return None  # the settings have it

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        del client_info
