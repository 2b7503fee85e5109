"""Where clients of `/mcp` get bearer tokens: metadata of the protected resource (RFC 9728), and the challenge."""

from typing import Any, Final

from pydantic_core import to_json
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import Route

from echomind_api.auth.addresses import Proxies, own_address
from echomind_api.auth.identity_providers import IdentityProviders
from echomind_lib.config import ApiSettings
from echomind_lib.contract.rest import metadata_of, peer_of
from echomind_lib.errors import NotFoundError
from echomind_lib.errors.http import to_response

RESOURCE: Final = "/mcp"
_WELL_KNOWN: Final = "/.well-known/oauth-protected-resource"


class ResourceMetadata:
    """Names the providers whose bearer tokens are accepted; there are none without an audience."""

    def __init__(self, providers: IdentityProviders, api: ApiSettings, proxies: Proxies) -> None:
        """Stores its dependencies.

        Args:
            providers: The sign-in providers.
            api: Settings of the gateway, with its public address.
            proxies: The trusted proxies.
        """
        self._providers, self._api, self._proxies = providers, api, proxies

    def routes(self) -> list[Route]:
        """Returns the routes: at the path of the resource, and at the root, which some clients ask."""
        return [Route(path, self._respond, methods=["GET"]) for path in (_WELL_KNOWN, _WELL_KNOWN + RESOURCE)]

    async def challenge(self, connection: HTTPConnection) -> str:
        """Returns the header `WWW-Authenticate` for a request without a credential that is accepted."""
        if not (accepted := await self._providers.of_bearer_tokens()):
            return "Bearer"
        address = f"{self._address(connection)}{_WELL_KNOWN}{RESOURCE}"
        return f'Bearer resource_metadata="{address}", scope="{" ".join(_scopes(accepted))}"'

    async def _respond(self, request: Request) -> Response:
        if not (accepted := await self._providers.of_bearer_tokens()):
            message = "No sign-in provider with an audience is set up: send an API key."
            return to_response(NotFoundError(message, resource="route", id=request.url.path))
        body: dict[str, Any] = {
            "resource": f"{self._address(request)}{RESOURCE}",
            "authorization_servers": sorted(accepted),
            "scopes_supported": _scopes(accepted),
            "bearer_methods_supported": ["header"],
            "resource_name": "EchoMind",
        }
        return Response(to_json(body), media_type="application/json")

    def _address(self, connection: HTTPConnection) -> str:
        scope = connection.scope
        return own_address(self._api, self._proxies, peer_of(scope), metadata_of(scope))


def _scopes(accepted: dict[str, str]) -> list[str]:
    return sorted({scope for scopes in accepted.values() for scope in scopes.split()})
