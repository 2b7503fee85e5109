"""The application for HTTP: the routes of the services, of sign-in, files, events, MCP, SCIM and the web UI."""

from importlib.metadata import version

from fastapi import FastAPI

from echomind_api.app import BODY_BYTES, Parts, page_tokens
from echomind_api.auth.cookies import AttemptCookie
from echomind_api.calls.authentication import OPTIONAL_METHODS, PUBLIC_METHODS
from echomind_api.calls.scopes import required_scopes
from echomind_api.readiness import readiness
from echomind_api.transports.http.base_path import BasePath, base_path
from echomind_api.transports.http.browser_sessions import BrowserSessions
from echomind_api.transports.http.connections import BodyTimeouts
from echomind_api.transports.http.cross_origin import CrossOrigin, origins_of
from echomind_api.transports.http.docs import docs_routes
from echomind_api.transports.http.documents import document_routes
from echomind_api.transports.http.files import WebFiles, no_web_socket, no_web_ui, web_folder
from echomind_api.transports.http.guard import Guard
from echomind_api.transports.http.health import health_routes
from echomind_api.transports.http.hosts import Hosts
from echomind_api.transports.http.one_time_links import one_time_link_routes
from echomind_api.transports.http.person_exports import person_export_routes
from echomind_api.transports.http.provider_sign_in import ProviderSignInRoutes
from echomind_api.transports.http.request_ids import RequestIds
from echomind_api.transports.http.shared_page import shared_page_routes
from echomind_api.transports.http.sign_in import sign_in_routes
from echomind_api.transports.openai import openai_routes
from echomind_api.transports.websocket import event_routes
from echomind_lib.contract.rest import add_services

_DESCRIPTION = """\
Answers with sources from an organization's own documents. The same services speak gRPC.

Programs send `Authorization: Bearer <API key>`. Browsers have a session cookie, which a sign-in sets; a request that is
signed in by it and changes something must also carry the header `X-EchoMind-CSRF` with any value, which only a page of
this server can send.

The events of a conversation are streamed as server-sent events at `/api/v1/chat-sessions/{chat_session_id}/events`, and
the same over a WebSocket at that address with `/ws` behind it.
"""


def http_app(parts: Parts) -> FastAPI:
    """Returns the application for HTTP."""
    dependencies = parts.dependencies
    base = base_path(dependencies.settings.api.public_url)
    app = FastAPI(
        title="EchoMind",
        version=version("echomind"),
        description=_DESCRIPTION,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        servers=[{"url": base}] if base else None,
    )
    app.openapi_version = "3.1.0"  # the newest that generators of clients read
    if origins := origins_of(dependencies.settings.api.cors_origins):
        app.add_middleware(CrossOrigin, origins=origins)
    app.add_middleware(Guard, cookie=parts.authentication.cookie)
    app.add_middleware(BodyTimeouts)
    app.add_middleware(Hosts, public_url=dependencies.settings.api.public_url)
    app.add_middleware(BasePath, base=base)
    app.add_middleware(RequestIds)
    app.include_router(health_routes(readiness(dependencies), parts.middlewares))
    app.include_router(docs_routes())
    browsers = BrowserSessions(parts.sessions, parts.authentication)
    settings = dependencies.settings
    attempts = AttemptCookie(parts.authentication.proxies, always_secure=settings.auth.cookie_secure, base=base)
    at_providers = ProviderSignInRoutes(
        parts.provider_sign_ins,
        parts.provider_logouts,
        parts.revocations,
        browsers,
        attempts,
        parts.denials,
        settings.api,
        base,
    )
    app.include_router(
        sign_in_routes(
            parts.sessions, browsers, parts.denials, base, parts.provider_sign_ins, settings.api, at_providers
        )
    )
    app.include_router(one_time_link_routes(parts.invitations, parts.password_links, browsers, parts.denials))
    app.include_router(document_routes(dependencies, parts.documents, parts.intake, parts.middlewares))
    app.include_router(person_export_routes(parts.exports, parts.middlewares))
    app.include_router(event_routes(parts.runs, parts.middlewares))
    asking, others = openai_routes(
        dependencies,
        parts.messages,
        parts.runs,
        parts.unread_runs,
        parts.sessions_service,
        parts.files,
        parts.vector_stores,
        parts.authentication.proxies,
        parts.middlewares,
        BODY_BYTES,
    )
    app.include_router(others)
    scopes = required_scopes(parts.services)
    add_services(
        app,
        parts.services,
        parts.middlewares,
        public=PUBLIC_METHODS | OPTIONAL_METHODS,
        notes={method: f"An API key needs the scope `{scope}`." for method, scope in scopes.items()},
        page_tokens=page_tokens(dependencies.secrets),
        max_body_bytes=BODY_BYTES,
        handwritten=asking,
    )
    app.router.routes.extend(parts.mcp.routes(parts.middlewares))
    app.router.routes.extend(parts.scim.routes())
    app.add_api_websocket_route("/{path:path}", no_web_socket)
    if folder := web_folder(dependencies.settings.api.web_dir):
        files = WebFiles(folder, base)
        app.include_router(shared_page_routes(parts.shared, parts.middlewares, files.page))
        app.mount("/", files, "web")
    else:
        app.add_api_route("/", no_web_ui(base), include_in_schema=False)
    return app
