"""Entry point of the gateway: `echomind-api`."""

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

# Imported first, because it loads structlog without the modules that are not needed.
from echomind_lib.telemetry import configure_logging, configure_tracing, serve_health  # isort: split

import structlog
import uvicorn
import uvloop
from typing_extensions import override

from echomind_api import app as gateway
from echomind_api.administration.queue_lengths import measure_queues
from echomind_api.auth.bearer_tokens import BearerTokens
from echomind_api.auth.failures import FailedCredentials
from echomind_api.auth.identity_providers import IdentityProviders
from echomind_api.auth.local_accounts import end_local_sessions
from echomind_api.auth.principals import Principals
from echomind_api.background import running
from echomind_api.calls.upload_space import UploadSpace
from echomind_api.dependencies import Dependencies
from echomind_api.grpc_server import grpc_server, set_serving
from echomind_api.http_app import http_app
from echomind_api.readiness import readiness
from echomind_api.start.guide import guide_folder, upload_guide
from echomind_api.start.owner import check_address, ensure_key_file, ensure_password, write_link_file
from echomind_api.start.seeds import seed
from echomind_api.transports.http.connections import protocols
from echomind_lib import runtime
from echomind_lib.access import Principal
from echomind_lib.config import Settings
from echomind_lib.errors import EchoMindError
from echomind_lib.indexes import Indexes
from echomind_lib.llms import open_model_session
from echomind_lib.network.http_server import HttpServer
from echomind_lib.process.disk import DiskSpace
from echomind_lib.retrieval import Retriever
from echomind_lib.retrieval.traces import TracedRetriever
from echomind_lib.secrets import Secrets
from echomind_lib.telemetry import spans

STOP_SECONDS: Final = 2
"""How long active requests may take at shutdown; streams end immediately and tell clients to reconnect."""
_LAST_WORDS_SECONDS: Final = 1
"""How long of that clients get to read the end of a stream before their connections are closed."""

PING_SECONDS: Final = 20.0
"""Interval of pings over a WebSocket, and the timeout of their answers."""
UNREAD_SECONDS: Final = 60
"""How long a client may leave data unread or unacknowledged before its connection is dropped."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Gateway:
    """A gateway that serves."""

    http_url: str
    grpc_address: str
    parts: gateway.Parts


class PortInUseError(OSError):
    """A port is in use; the message says which and what to do."""


class _HttpServer(HttpServer):
    """uvicorn without hands on signals, as the process has other things to stop, and more patient with WebSockets."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    @override
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # uvicorn closes WebSockets immediately, before clients have received the last messages of their streams.
        if tasks := list(self.server_state.tasks):
            await asyncio.wait(tasks, timeout=_LAST_WORDS_SECONDS)
        await super().shutdown(sockets)


@asynccontextmanager
async def connect(settings: Settings) -> AsyncIterator[Dependencies]:
    """Connects to the gateway's dependencies.

    Raises:
        SchemaError: The database's schema is older than this code.
        ConnectionError: The database cannot be reached.
        DependencyUnavailableError: Another server cannot be reached.
        ValueError: A setting is invalid; the message says which.
    """
    async with runtime.connect(settings, "echomind-api") as connections, open_model_session() as models:
        await connections.objects.ensure_bucket()
        database, vectors, embeddings = connections.database, connections.vectors, connections.embeddings
        failures = FailedCredentials()
        secrets = Secrets.load(settings.secrets, settings.data_dir)
        retriever = Retriever if spans.recorder is None else TracedRetriever
        providers = IdentityProviders(database, secrets, settings.auth.providers)
        yield Dependencies(
            settings=settings,
            database=database,
            bus=connections.bus,
            objects=connections.objects,
            vectors=vectors,
            embeddings=embeddings,
            rerankers=connections.rerankers,
            retriever=retriever(
                database,
                vectors,
                embeddings,
                connections.objects,
                feedback=settings.search.feedback,
                rerankers=connections.rerankers,
            ),
            secrets=secrets,
            principals=Principals(database, failures, BearerTokens(database, providers)),
            identity_providers=providers,
            failures=failures,
            models=models,
            disk=DiskSpace(settings.disk),
            uploads=UploadSpace(settings.api.max_upload_bytes, settings.api.upload_buffer_bytes),
        )


@asynccontextmanager
async def serve(settings: Settings) -> AsyncIterator[Gateway]:
    """Serves for as long as the block lasts; then stops within a few seconds.

    Raises:
        PortInUseError: A port cannot be listened on.
        RuntimeError: The address is not to be listened on without a password.
        Exception: As `connect`.
    """
    async with AsyncExitStack() as stack:
        dependencies = await stack.enter_async_context(connect(settings))
        owner = await seed(dependencies.database)
        await ensure_password(dependencies.database, owner, settings.api.owner_password.get_secret_value())
        await check_address(dependencies.database, owner, settings.api.host)
        if settings.auth.local_accounts is False:
            async with dependencies.database.session() as session:
                await end_local_sessions(session)
        await Indexes(dependencies.database.pool, dependencies.vectors).active()
        parts = gateway.build(dependencies)
        await stack.enter_async_context(running(parts.background))
        listener = stack.enter_context(_listen(settings.api.host, settings.api.http_port))
        http_port = listener.getsockname()[1]
        host = f"[{settings.api.host}]" if ":" in settings.api.host else settings.api.host
        url = settings.api.public_url.rstrip("/") or f"http://{host}:{http_port}"
        # Before the gateway is ready, because clients read these files as soon as it is.
        if settings.api.owner_files:
            await ensure_key_file(dependencies.database, dependencies.principals, owner, settings.data_dir)
            await write_link_file(parts.sessions, owner, settings.data_dir, url)
        # Without PostgreSQL it can answer nothing; whatever else is missing, what can work does.
        checks = {"postgres": dependencies.check_postgres}
        measure = partial(measure_queues, dependencies.database.pool)
        host_and_port = settings.telemetry.host, settings.api.health_port
        others, disk = readiness(dependencies), dependencies.disk
        if health := await serve_health(*host_and_port, checks, measure, others=others, disk=disk):
            stack.push_async_callback(health.cleanup)
        grpc_port = await stack.enter_async_context(_serve_grpc(settings, parts))
        await stack.enter_async_context(_serve_http(parts, listener))
        stack.callback(parts.limits.end_streams)
        if settings.api.guide:
            await _upload_guide(dependencies, owner)
        log.info("the gateway serves", http=url, grpc=f"{host}:{grpc_port}")
        yield Gateway(url, f"{host}:{grpc_port}", parts)


async def _upload_guide(dependencies: Dependencies, owner: Principal) -> None:
    if folder := guide_folder():
        try:
            await upload_guide(dependencies.database, dependencies.objects, dependencies.bus, owner, folder)
        except EchoMindError as error:  # optional: the next start retries it
            log.warning("the guide was not stored", error=repr(error))


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # uvloop sets this for each connection, asyncio does not: a response's body would wait 40 ms for the ACK of its
    # head.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux; accepted connections inherit it
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_SECONDS * 1000)
    try:
        listener.bind((host, port))
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise _cannot_listen("HTTP", host, port, "ECHOMIND_API__HTTP_PORT", error.strerror or str(error)) from error
    listener.setblocking(False)
    return listener


@asynccontextmanager
async def _serve_grpc(settings: Settings, parts: gateway.Parts) -> AsyncIterator[int]:
    server, checker = grpc_server(parts)
    host, grpc_port = settings.api.host, settings.api.grpc_port
    try:
        port = server.add_insecure_port(f"[{host}]:{grpc_port}" if ":" in host else f"{host}:{grpc_port}")
    except RuntimeError as error:
        raise _cannot_listen("gRPC", host, grpc_port, "ECHOMIND_API__GRPC_PORT", "it is in use") from error
    await server.start()
    await set_serving(checker, parts)
    try:
        yield port
    finally:
        await checker.enter_graceful_shutdown()
        await server.stop(STOP_SECONDS)


@asynccontextmanager
async def _serve_http(parts: gateway.Parts, listener: socket.socket) -> AsyncIterator[None]:
    http, web_socket = protocols(parts.connections)
    server = _HttpServer(
        uvicorn.Config(
            http_app(parts),
            http=http,  # type: ignore[arg-type]
            ws=web_socket,  # type: ignore[arg-type]
            ws_ping_interval=PING_SECONDS,
            ws_ping_timeout=PING_SECONDS,
            # Clients send nothing over WebSockets, and events are too short for compression to be worth its memory.
            ws_max_size=4096,
            ws_per_message_deflate=False,
            lifespan="off",
            access_log=False,
            log_config=None,
            server_header=False,
            proxy_headers=False,  # `Proxies` reads them, only from trusted proxies and for both transports
            timeout_graceful_shutdown=STOP_SECONDS - _LAST_WORDS_SECONDS,
            # Longer than the keep-alive of clients, so that the client closes an idle connection and not the server.
            timeout_keep_alive=75,
        )
    )
    serving = asyncio.create_task(server.serve([listener]))
    try:
        yield
    finally:
        server.stop()
        await serving


def _cannot_listen(what: str, host: str, port: int, setting: str, reason: str) -> PortInUseError:
    return PortInUseError(
        f"EchoMind cannot listen on {host}:{port} for {what}: {reason}. "
        f"Stop what uses the port, or choose another one by {setting}."
    )


async def run(settings: Settings) -> None:
    """Serves until the process receives a stop signal."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with serve(settings):
        await stop.wait()
        log.info("the gateway stops")


def main() -> None:
    """Runs the gateway with the settings of the environment. Ends with 1 and a message when it cannot start."""
    settings = Settings()
    configure_logging(settings.telemetry, "api")
    end_tracing = configure_tracing(settings.telemetry, "api")
    try:
        uvloop.run(run(settings))
    except (OSError, EchoMindError, RuntimeError, ValueError) as error:
        log.error("the gateway cannot start or continue", error=str(error))
        sys.exit(1)
    finally:
        with contextlib.suppress(OSError):
            end_tracing()
