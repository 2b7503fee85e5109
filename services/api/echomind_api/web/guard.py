"""What holds for all of HTTP: a browser's write must be the page's own, and browsers are told to be strict."""

from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from echomind_api.auth.signin import CSRF_HEADER, session_token
from echomind_lib.errors import PermissionDeniedError
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
        headers = Headers(scope=scope)
        if scope["type"] == "websocket":
            if session_token(headers) and not _same_origin(headers):
                await send({"type": "websocket.close", "code": 1008, "reason": "The page is not this server's."})
                return
            await self._app(scope, receive, send)
            return

        async def send_strictly(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    sent.setdefault(name, value)
            await send(message)

        if scope["method"] not in _SAFE_METHODS and _is_forged(headers):
            error = PermissionDeniedError(
                "A request that is signed in by cookie and changes something needs the header X-EchoMind-CSRF: 1."
            )
            await to_response(error)(scope, receive, send_strictly)
            return
        await self._app(scope, receive, send_strictly)


def _is_forged(headers: Headers) -> bool:
    if "authorization" in headers or session_token(headers) is None:
        return False
    return not headers.get(CSRF_HEADER) or headers.get("sec-fetch-site", "none") not in _OWN_SITES


def _same_origin(headers: Headers) -> bool:
    return headers.get("origin", "").partition("://")[2] == headers.get("host", "")
