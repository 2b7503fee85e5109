"""Sign-in at MCP servers by OAuth, as a client of the organization (client credentials)."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Final

import httpx2
import structlog
from mcp.client.auth import OAuthFlowError
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.auth.utils import extract_field_from_www_auth, issuers_match
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from typing_extensions import override

from echomind_agent.mcp.server import NoTokenError, Server
from echomind_lib.identity.requests import is_safe
from echomind_lib.network.addresses import AddressRefusedError
from echomind_lib.network.origins import same_origin

log = structlog.get_logger(__name__)

_SECONDS: Final = 20.0
"""How long a sign-in may take, with the wait for that of another call."""
_FAILURES: Final = (
    OAuthFlowError,
    ValueError,  # text that cannot be decoded or is no JSON
    TimeoutError,
    AddressRefusedError,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    httpx2.StreamError,
)
"""What the answers of a server, and of its authorization server, can make of a sign-in."""
Send = Callable[[httpx2.Request], Awaitable[httpx2.Response]]


class SignIn:
    """Adds access tokens to the requests to a server."""

    def __init__(self, server: Server) -> None:
        """Prepares it; nothing is sent yet.

        Args:
            server: A server with the settings `oauth`.
        """
        given = server.oauth
        self._url, self._issuer = server.url, given["issuer"]
        self._provider = _Provider(
            server.url,
            _Memory(),
            given["clientId"],
            given["clientSecret"],
            scope=given.get("scope") or None,
            issuer=given["issuer"],
        )

    async def send(self, request: httpx2.Request, send: Send) -> httpx2.Response:
        """Sends a request with a token; once more with a new one if the server asks for that.

        Args:
            request: The request.
            send: Sends one without.

        Raises:
            NoTokenError: There is none.
            httpx2.TransportError: The server cannot be reached.
        """
        token = self._token
        response = await send(_with_token(request, token))
        if not _asks_for_token(response):
            return response
        await response.aclose()  # so that its connection is free
        try:
            async with asyncio.timeout(_SECONDS):
                token = await self._renew(token, request, response, send)
        except _FAILURES as error:
            raise NoTokenError from error
        return await send(_with_token(request, token))

    @property
    def _token(self) -> str | None:
        context = self._provider.context
        return context.current_tokens.access_token if context.current_tokens and context.is_token_valid() else None

    async def _renew(self, token: str | None, request: httpx2.Request, refused: httpx2.Response, send: Send) -> str:
        """Returns another token than one that was refused, which is fetched unless another call has meanwhile.

        The SDK's provider does it within its flow for a request, which holds a lock. So that no call waits for the
        answer of another one, the flow is given a copy of the request, which is not sent.
        """
        copy = httpx2.Request(request.method, request.url, headers=request.headers)
        async with aclosing(self._provider.async_auth_flow(copy)) as flow:
            next_request = await anext(flow)
            is_asked = False
            while True:
                if next_request is not copy:
                    answer = await self._answer(next_request, send)
                elif is_asked or self._token not in (None, token):
                    tokens = self._provider.context.current_tokens
                    assert tokens is not None
                    return tokens.access_token
                else:
                    answer, is_asked = refused, True
                next_request = await flow.asend(answer)

    async def _answer(self, next_request: httpx2.Request, send: Send) -> httpx2.Response:
        """Sends a request of a sign-in.

        Raises:
            NoTokenError: It goes where neither the settings nor the issuer's metadata lead.
        """
        if not self._may_go(next_request):
            log.warning("MCP server leads a sign-in to another place", host=next_request.url.host)
            raise NoTokenError
        response = await send(next_request)
        response.request = next_request
        await response.aread()
        return response

    def _may_go(self, next_request: httpx2.Request) -> bool:
        # The server's answers name the addresses, and must not choose what EchoMind reaches within its network.
        url = str(next_request.url)
        if next_request.method == "GET":
            return same_origin(url, self._url) or same_origin(url, self._issuer)
        metadata = self._provider.context.oauth_metadata
        return (
            metadata is not None
            and issuers_match(str(metadata.issuer), self._issuer)
            and same_origin(url, str(metadata.token_endpoint))
            and is_safe(url)
        )


def _with_token(request: httpx2.Request, token: str | None) -> httpx2.Request:
    if token is not None:
        request.headers["Authorization"] = f"Bearer {token}"
    return request


def _asks_for_token(response: httpx2.Response) -> bool:
    """Returns whether a new token may help: the other refusals are answers."""
    return response.status_code == httpx2.codes.UNAUTHORIZED or (
        response.status_code == httpx2.codes.FORBIDDEN
        and extract_field_from_www_auth(response, "error") == "insufficient_scope"
    )


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
