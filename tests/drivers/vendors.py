"""Google and Microsoft on loopback as a browser sees them: pages on which people sign in, and the APIs behind them."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from html import escape
from socket import socket

from aiohttp import web
from typing_extensions import override

from tests.conformance.doubles.google import server as google
from tests.conformance.doubles.google import tenant as google_tenant
from tests.conformance.doubles.google.tokens import REFRESH_TOKEN as GOOGLE_REFRESH_TOKEN
from tests.conformance.doubles.graph import server as graph
from tests.conformance.doubles.graph import tenant as graph_tenant
from tests.drivers.sign_in_provider import CLIENT_ID, CLIENT_SECRET, SignInProvider

MICROSOFT_REFRESH_TOKEN = "the refresh token"


class _SignInPages(SignInProvider):
    """Asks who signs in whether they allow it, and issues tokens for the API behind it."""

    def __init__(self, google_server: google.GoogleServer, graph_server: graph.GraphServer) -> None:
        super().__init__()
        self._google = google_server
        self._graph = graph_server

    @override
    async def authorize(self, request: web.Request) -> web.Response:
        answer = await super().authorize(request)
        if answer.status != 302:
            return answer
        link = escape(answer.headers["Location"])
        page = f"<!doctype html><html lang=en><title>Sign in</title><h1>Sign in</h1><a href='{link}'>Allow</a></html>"
        return web.Response(text=page, content_type="text/html")

    @override
    async def token(self, request: web.Request) -> web.StreamResponse:
        form = await request.post()
        is_google = request.path == "/token"
        if form.get("grant_type") != "authorization_code":
            return await (self._google.tokens.issue(request) if is_google else self._graph.issue_token(request))
        self.overrides = {"refresh_token": GOOGLE_REFRESH_TOKEN if is_google else MICROSOFT_REFRESH_TOKEN}
        return await super().token(request)


def _bound() -> socket:
    """Returns a socket at a port that no other server can get meanwhile."""
    made = socket()
    made.bind(("127.0.0.1", 0))
    return made


@dataclass(frozen=True, kw_only=True)
class Ports:
    """Where the doubles serve; held before they do, as the product's settings name them."""

    sign_in: socket = field(default_factory=_bound)
    google: socket = field(default_factory=_bound)
    graph: socket = field(default_factory=_bound)

    def close(self) -> None:
        """Gives the ports back."""
        for held in (self.sign_in, self.google, self.graph):
            held.close()

    def settings(self) -> Mapping[str, str]:
        """Returns the variables of the product's environment."""
        sign_in, api, graph_url = map(_origin, (self.sign_in, self.google, self.graph))
        values = {
            "GOOGLE_CLIENT_ID": CLIENT_ID,
            "GOOGLE_CLIENT_SECRET": CLIENT_SECRET,
            "GOOGLE_ACCOUNTS_URL": sign_in,
            "GOOGLE_TOKEN_URL": f"{sign_in}/token",
            "GOOGLE_API_URL": api,
            "GOOGLE_DIRECTORY_URL": api,
            "MICROSOFT_CLIENT_ID": CLIENT_ID,
            "MICROSOFT_CLIENT_SECRET": CLIENT_SECRET,
            "MICROSOFT_LOGIN_URL": sign_in,
            "MICROSOFT_GRAPH_URL": graph_url,
        }
        named = {f"ECHOMIND_CONNECTORS__{name}": value for name, value in values.items()}
        # Files are downloaded from addresses in Microsoft's responses, which are checked.
        return {**named, "ECHOMIND_FETCH__ALLOWED_HOSTS": "localhost"}


def _origin(held: socket) -> str:
    return f"http://127.0.0.1:{held.getsockname()[1]}"


@dataclass(frozen=True, kw_only=True)
class Vendors:
    """What lies at the doubles."""

    google: google_tenant.Tenant
    microsoft: graph_tenant.Tenant


@asynccontextmanager
async def vendors(ports: Ports) -> AsyncIterator[Vendors]:
    """Serves both; at the end, each request was one that the official descriptions know."""
    google_server, graph_server = google.GoogleServer(google_tenant.Tenant()), graph.GraphServer(graph_tenant.Tenant())
    pages = _SignInPages(google_server, graph_server)
    sign_in = web.Application()
    sign_in.router.add_get("/o/oauth2/v2/auth", pages.authorize)
    sign_in.router.add_post("/token", pages.token)
    sign_in.router.add_get("/{tenant}/oauth2/v2.0/authorize", pages.authorize)
    sign_in.router.add_post("/{tenant}/oauth2/v2.0/token", pages.token)
    async with AsyncExitStack() as stack:
        for app, held in ((sign_in, ports.sign_in), (google_server.app, ports.google), (graph_server.app, ports.graph)):
            runner = web.AppRunner(app, shutdown_timeout=0.1)
            await runner.setup()
            stack.push_async_callback(runner.cleanup)
            # A copy, because the site closes its socket, and each test serves again.
            await web.SockSite(runner, held.dup()).start()
        google_server.origin = _origin(ports.google)
        graph_server.origin = _origin(ports.graph)
        yield Vendors(google=google_server.tenant, microsoft=graph_server.tenant)
        assert (google_server.violations, graph_server.violations) == ([], [])
