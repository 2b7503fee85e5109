"""The path that the gateway is reached under, such as `/echomind` behind a proxy that serves other things as well."""

import re
from typing import Final
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

OWN_ROOTS: Final = ("api", "auth", "v1", "docs", "mcp", "scim", "healthz", "readyz", "metrics", ".well-known")
"""Path prefixes that do not belong to the web UI: unknown paths below them are errors, not pages."""
_PATH: Final = re.compile(r"(?:/[A-Za-z0-9._~-]+)*")


def base_path(public_url: str) -> str:
    """Returns the path of the gateway's public address without a slash at its end; empty when it has none.

    Raises:
        ValueError: The gateway cannot be served under that path.
    """
    setting = f"ECHOMIND_API__PUBLIC_URL: {public_url}"
    parts = urlsplit(public_url)
    if public_url and not (parts.scheme in {"http", "https"} and parts.hostname):
        raise ValueError(f"{setting}: must be an address such as https://echomind.example.org.")
    path = parts.path.rstrip("/")
    if not _PATH.fullmatch(path):
        raise ValueError(f"{setting}: the path may have letters, digits and `.`, `_`, `~`, `-` between its slashes.")
    if path.split("/")[1:2] in [[root] for root in (*OWN_ROOTS, "assets")]:
        raise ValueError(f"{setting}: the path must not begin like an address of the API; choose another first part.")
    return path


class BasePath:
    """ASGI middleware that removes the base path from a request's path.

    Some proxies forward the path as the browser sent it, others without the base path. Both are supported, because no
    path of the gateway starts with the base path.
    """

    def __init__(self, app: ASGIApp, base: str) -> None:
        """Stores the base path, as `base_path` returns it."""
        self._app = app
        self._base = base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on."""
        if self._base and scope["type"] in {"http", "websocket"}:
            path, raw = scope["path"], scope.get("raw_path") or b""
            if path == self._base or path.startswith(f"{self._base}/"):
                cut = len(self._base)
                scope = {**scope, "path": path[cut:] or "/", "raw_path": raw[cut:] or b"/"}
        await self._app(scope, receive, send)
