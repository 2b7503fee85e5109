"""The cookies of browsers that authenticate: their names, their attributes, and how they are read."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final, Literal

from starlette.requests import HTTPConnection, cookie_parser
from starlette.responses import Response

from echomind_api.auth.addresses import Proxies
from echomind_api.auth.sessions import ATTEMPT_LIFETIME, SESSION_LIFETIME
from echomind_lib.contract.rest import metadata_of, peer_of

_SESSION: Final = "echomind_session"
_ATTEMPT: Final = "echomind_sign_in"


class Cookie:
    """A cookie that holds a token.

    A browser sends the cookies of a host to all of its ports, so the name ends with the port that the browser uses:
    two installations on one host do not replace each other's sessions. Behind TLS the cookie is `Secure` and has the
    prefix `__Host-`, which no other host of the domain and no page without TLS can set; under a base path, which that
    prefix does not allow, it is `__Secure-`.
    """

    def __init__(
        self,
        name: str,
        proxies: Proxies,
        *,
        lifetime: timedelta,
        same_site: Literal["lax", "strict"],
        always_secure: bool,
        base: str,
    ) -> None:
        """Stores how TLS is recognised.

        Args:
            name: How its name begins.
            proxies: Proxies that are trusted about TLS.
            lifetime: How long the browser keeps it.
            same_site: Whether it comes along when another site's page leads here (`lax`).
            always_secure: Whether to assume TLS to the browser in any case.
            base: The path that the gateway is reached under, which the cookie is for.
        """
        self._prefix = name
        self._lifetime = int(lifetime.total_seconds())
        self._same_site = same_site
        self._path = base or "/"
        self._proxies = proxies
        self._always_secure = always_secure

    def read(self, peer: str, headers: Mapping[str, str]) -> str | None:
        """Returns the token that a request carries, or None.

        Args:
            peer: The connection's other end, `host:port`.
            headers: Its headers; names in lower case.
        """
        sent = headers.get("cookie", "")
        if self._prefix not in sent:
            return None
        return cookie_parser(sent).get(self._name(peer, headers)) or None

    def read_from(self, connection: HTTPConnection) -> str | None:
        """Returns the token that a request carries, or None."""
        return self.read(*_seen(connection)) if "cookie" in connection.headers else None

    def set(self, connection: HTTPConnection, response: Response, token: str) -> None:
        """Sets the cookie of a token in the browser that sent a request."""
        response.set_cookie(
            self._name(*_seen(connection)),
            token,
            max_age=self._lifetime,
            path=self._path,
            httponly=True,
            secure=self._is_secure(*_seen(connection)),
            samesite=self._same_site,
        )

    def delete(self, connection: HTTPConnection, response: Response) -> None:
        """Deletes the cookie in the browser that has sent a request."""
        response.delete_cookie(
            self._name(*_seen(connection)),
            path=self._path,
            httponly=True,
            secure=self._is_secure(*_seen(connection)),
            samesite=self._same_site,
        )

    def _is_secure(self, peer: str, headers: Mapping[str, str]) -> bool:
        return self._always_secure or self._proxies.is_secure(peer, headers)

    def _name(self, peer: str, headers: Mapping[str, str]) -> str:
        port = headers.get("host", "").rpartition("]")[2].rpartition(":")[2]
        suffix = f"_{port}" if port.isascii() and port.isdecimal() else ""
        prefix = "" if not self._is_secure(peer, headers) else "__Host-" if self._path == "/" else "__Secure-"
        return prefix + self._prefix + suffix


class SessionCookie(Cookie):
    """The cookie of a web session, which no other site's page makes a browser send."""

    def __init__(self, proxies: Proxies, *, always_secure: bool, base: str = "") -> None:
        """As `Cookie`."""
        super().__init__(
            _SESSION, proxies, lifetime=SESSION_LIFETIME, same_site="strict", always_secure=always_secure, base=base
        )


class AttemptCookie(Cookie):
    """The cookie of a sign-in at a provider, which comes along when the provider sends the browser back."""

    def __init__(self, proxies: Proxies, *, always_secure: bool, base: str = "") -> None:
        """As `Cookie`."""
        super().__init__(
            _ATTEMPT, proxies, lifetime=ATTEMPT_LIFETIME, same_site="lax", always_secure=always_secure, base=base
        )


def _seen(connection: HTTPConnection) -> tuple[str, Mapping[str, str]]:
    return peer_of(connection.scope), metadata_of(connection.scope)
