"""Rules for all of HTTP: no U+0000 in addresses, writes of browsers from the same origin, strict headers."""

from collections.abc import Mapping
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from echomind_api.auth.cookies import SessionCookie
from echomind_api.calls.authentication import CSRF_HEADER
from echomind_api.transports.http.policies import headers_for
from echomind_lib.errors import EchoMindError, PermissionDeniedError, ValidationFailedError
from echomind_lib.errors.http import to_response

FORM_PATH: Final = "/auth/link"
"""The one path that a form is sent to."""
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_SITES = frozenset({"same-origin", "none"})


class Guard:
    """ASGI middleware.

    A request that is authenticated by the session cookie and changes something must have the header `X-EchoMind-CSRF`,
    with any value: a page of another site can make the browser send the cookie, but not this header, which requires a
    CORS permission that is never granted with cookies. A WebSocket cannot have this header, so its `Origin` must be
    this server. Neither can a form; the only one, for sign-in links, checks the origin itself (`is_same_origin`).
    """

    def __init__(self, app: ASGIApp, cookie: SessionCookie) -> None:
        self._app = app
        self._cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or refuses it."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return

        async def send_strictly(message: Message) -> None:
            if message["type"] in {"http.response.start", "websocket.http.response.start"}:
                sent = MutableHeaders(scope=message)
                for name, value in headers_for(scope["path"]).items():
                    sent.setdefault(name, value)
            await send(message)

        if error := _unusable(scope) or self._forged(scope, Headers(scope=scope)):
            await to_response(error)(scope, receive, send_strictly)
        else:
            await self._app(scope, receive, send_strictly)

    def _forged(self, scope: Scope, headers: Headers) -> PermissionDeniedError | None:
        """Returns why a request may be another site's; None when it is not."""
        # In the same order as `Authentication.principal_of`.
        if headers.get("authorization") or self._cookie.read_from(HTTPConnection(scope)) is None:
            return None
        if scope["type"] == "websocket":
            if is_same_origin(headers):
                return None
            return PermissionDeniedError(
                "A WebSocket that is signed in by cookie must be opened by a page of this server."
            )
        if scope["path"] == FORM_PATH:
            return None
        own = headers.get(CSRF_HEADER) and headers.get("sec-fetch-site", "none") in _OWN_SITES
        if scope["method"] in _SAFE_METHODS or own:
            return None
        return PermissionDeniedError(
            "A request that is signed in by cookie and changes something needs the header X-EchoMind-CSRF: 1."
        )


def _unusable(scope: Scope) -> EchoMindError | None:
    """Returns why an address cannot be used; None when it can."""
    rule = "must not contain U+0000"
    for part, found in (("path", "\0" in scope["path"]), ("query", b"%00" in scope["query_string"])):
        if found:
            return ValidationFailedError.of(part, rule)
    return None


def is_same_origin(headers: Mapping[str, str]) -> bool:
    """Returns whether a page of this server sent a request, by `Origin` and `Sec-Fetch-Site`."""
    origin = headers.get("origin", "").partition("://")[2]
    same = origin != "" and origin == headers.get("host", "")
    return same and headers.get("sec-fetch-site", "same-origin") == "same-origin"
