"""The names under which the gateway answers, once it has a public address.

A page of another site may give its own name the gateway's address (DNS rebinding); what it then sends has that name in
`Host`, and its browser takes the answers for those of the other site.
"""

import ipaddress
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from echomind_lib.errors import ValidationFailedError
from echomind_lib.errors.http import to_response

_LOOPBACK: Final = "localhost"
_HEALTH: Final = frozenset({"/healthz", "/readyz", "/metrics"})
_MISDIRECTED: Final = 421


class KnownHosts:
    """The names that a page of another site cannot have: the public address's, addresses, and this machine's own."""

    def __init__(self, public_url: str) -> None:
        """Stores the public address; it may be empty."""
        self._host = (urlsplit(public_url).hostname or "").rstrip(".")

    def know(self, given: str) -> bool:
        """Returns whether a header `Host` is one of them."""
        try:
            host = (urlsplit(f"//{given}").hostname or "").rstrip(".")
        except ValueError:  # such as an unfinished IPv6 address
            return False
        known = {self._host, _LOOPBACK} - {""}
        return host in known or host.endswith(f".{_LOOPBACK}") or _is_address(host)


class Hosts:
    """ASGI middleware that refuses requests for other hosts than the public address's.

    IP addresses and the names of this machine for itself are accepted, which no other site can have; so are health
    checks, and requests with an API key, which no page of another site has.
    """

    def __init__(self, app: ASGIApp, public_url: str) -> None:
        """Prepares it.

        Args:
            app: The application.
            public_url: The public address; without one all hosts are accepted.
        """
        self._app = app
        self._public_url, self._hosts = public_url, KnownHosts(public_url)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or refuses it."""
        if scope["type"] not in {"http", "websocket"} or self._accepts(scope):
            await self._app(scope, receive, send)
            return
        rule = f"is no name of this server: use {self._public_url}"
        error = ValidationFailedError(f"The host {Headers(scope=scope).get('host', '')!r} {rule}.", host=rule)
        await to_response(error, _MISDIRECTED)(scope, receive, send)

    def _accepts(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        if not self._public_url or scope["path"] in _HEALTH or headers.get("authorization"):
            return True
        return self._hosts.know(headers.get("host", ""))


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
