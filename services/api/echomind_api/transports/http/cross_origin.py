"""What pages of other sites may call, with a key of their own (CORS)."""

from typing import Final

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

_PATHS: Final = ("/v1/", "/api/", "/mcp")
_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
_SHOWN: Final = ("X-Request-ID", "Retry-After", "WWW-Authenticate", "Mcp-Session-Id", "x-should-retry")
"""Headers of answers that these pages read."""


def origins_of(setting: str) -> frozenset[str]:
    """Returns the origins of the setting `cors_origins`, as browsers send them: in lower case."""
    return frozenset(each.strip().lower() for each in setting.split(",") if each.strip())


class CrossOrigin:
    """ASGI middleware that permits listed origins to call the APIs.

    Browsers send no cookies with these calls, and show no answer to a call with cookies: the permission is without
    credentials.
    """

    def __init__(self, app: ASGIApp, origins: frozenset[str]) -> None:
        """Prepares it.

        Args:
            app: The application.
            origins: The permitted origins.
        """
        self._app = app
        self._permitting = CORSMiddleware(
            app,
            allow_origins=sorted(origins),
            allow_methods=_METHODS,
            allow_headers=["*"],
            allow_credentials=False,
            expose_headers=_SHOWN,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or answers whether it may be sent."""
        is_api = scope["type"] == "http" and scope["path"].startswith(_PATHS)
        await (self._permitting if is_api else self._app)(scope, receive, send)
