"""An MCP server that asks for access tokens, and the authorization server that gives them, at one origin."""

import base64
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

CLIENT: Final = ("echomind", "s3cret-of-the-client")
_AS: Final = "/as"


class SignIn:
    """What the servers have seen, and how they behave."""

    def __init__(self) -> None:
        self.grants: list[Mapping[str, str]] = []
        """The forms of the requests for tokens, in order."""
        self.valid: set[str] = set()
        """The tokens that the server takes."""
        self.lifetime = 3600
        """Seconds after which a token ends by its response."""
        self.is_away = False
        """Whether the authorization server fails."""

    def config(self, url: str, **fields: str) -> dict[str, str]:
        """Returns the sign-in in the settings of a server at a URL."""
        known = {"issuer": url.removesuffix("/mcp") + _AS, "clientId": CLIENT[0], "clientSecret": CLIENT[1]}
        return known | fields

    def around(self, app: Any) -> Any:
        """Returns an application that asks for a token before another one answers."""

        async def answer(
            scope: Any, receive: Callable[[], Awaitable[Any]], send: Callable[..., Awaitable[None]]
        ) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            request = Request(scope, receive)
            response = await self._answer(request)
            await (app if response is None else response)(scope, receive, send)

        return answer

    async def _answer(self, request: Request) -> Response | None:
        origin = str(request.base_url).rstrip("/")
        resource = f"{origin}/.well-known/oauth-protected-resource/mcp"
        match request.url.path:
            case "/.well-known/oauth-protected-resource/mcp":
                return JSONResponse({"resource": f"{origin}/mcp", "authorization_servers": [origin + _AS]})
            case "/.well-known/oauth-authorization-server/as":
                return JSONResponse(
                    {
                        "issuer": origin + _AS,
                        "authorization_endpoint": f"{origin}{_AS}/authorize",
                        "token_endpoint": f"{origin}{_AS}/token",
                        "response_types_supported": ["code"],
                        "grant_types_supported": ["client_credentials"],
                    }
                )
            case "/as/token":
                return await self._token(request)
            case "/mcp":
                token = request.headers.get("authorization", "").removeprefix("Bearer ")
                challenge = f'Bearer resource_metadata="{resource}"'
                return (
                    None if token in self.valid else Response(status_code=401, headers={"WWW-Authenticate": challenge})
                )
        return Response(status_code=404)

    async def _token(self, request: Request) -> Response:
        form = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
        self.grants.append(form)
        if self.is_away:
            return Response(status_code=503)
        given = base64.b64decode(request.headers["authorization"].removeprefix("Basic ")).decode()
        if tuple(given.split(":")) != CLIENT or form["grant_type"] != "client_credentials":
            return JSONResponse({"error": "invalid_client"}, status_code=401)
        token = f"token-{len(self.grants)}"
        self.valid.add(token)
        return JSONResponse({"access_token": token, "token_type": "Bearer", "expires_in": self.lifetime})
