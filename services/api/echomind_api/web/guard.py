"""What holds for all of HTTP: no U+0000 in addresses, a browser's write is the page's own, browsers are strict."""

from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from echomind_api.auth.signin import CSRF_HEADER, session_token
from echomind_lib.errors import EchoMindError, PermissionDeniedError, ValidationFailedError
from echomind_lib.errors.http import to_response

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_SITES = frozenset({"same-origin", "none"})
# Images come from here alone: an answer's Markdown must not load, and so report to, anything outside.
CONTENT_SECURITY_POLICY: Final = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",  # a sign-in link's address holds its token
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """ASGI middleware.

    A request that is signed in by the session cookie and changes something must carry the header `X-EchoMind-CSRF`,
    with any value: a page of another site can make the browser send the cookie, but not this header, as that takes a
    CORS permission that is never given. A WebSocket cannot have headers, so its `Origin` must be this server.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request through, or refuses it."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return

        async def send_strictly(message: Message) -> None:
            if message["type"] in {"http.response.start", "websocket.http.response.start"}:
                sent = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    sent.setdefault(name, value)
            await send(message)

        if error := _unusable(scope) or _forged(scope, Headers(scope=scope)):
            await to_response(error)(scope, receive, send_strictly)
        else:
            await self._app(scope, receive, send_strictly)


def _unusable(scope: Scope) -> EchoMindError | None:
    """Why an address cannot be used; None when it can."""
    rule = "must not contain U+0000"
    for place, found in (("path", "\0" in scope["path"]), ("query", b"%00" in scope["query_string"])):
        if found:
            return ValidationFailedError(f"{place}: {rule}", **{place: rule})
    return None


def _forged(scope: Scope, headers: Headers) -> PermissionDeniedError | None:
    """Why a request may be another site's; None when it is not."""
    if headers.get("authorization") or session_token(headers) is None:  # as `principal_of` reads them
        return None
    if scope["type"] == "websocket":
        if _same_origin(headers):
            return None
        return PermissionDeniedError("A WebSocket that is signed in by cookie must be opened by a page of this server.")
    own = headers.get(CSRF_HEADER) and headers.get("sec-fetch-site", "none") in _OWN_SITES
    if scope["method"] in _SAFE_METHODS or own:
        return None
    return PermissionDeniedError(
        "A request that is signed in by cookie and changes something needs the header X-EchoMind-CSRF: 1."
    )


def _same_origin(headers: Headers) -> bool:
    return headers.get("origin", "").partition("://")[2] == headers.get("host", "")
