"""Middlewares of every call, for all transports."""

import time
from collections.abc import Sequence
from typing import Final

import asyncpg
import structlog
from prometheus_client import Counter, Histogram
from sqlalchemy.exc import DBAPIError

from echomind_api.calls.audit_sources import methods_of_note, note_call
from echomind_api.calls.authentication import Authentication
from echomind_api.calls.denials import DENIED, Denials
from echomind_api.calls.key_uses import KeyUses
from echomind_api.calls.limits import Limits
from echomind_api.calls.scopes import require_open_to_limits, required_scopes
from echomind_lib.access import require_scope
from echomind_lib.contract import CallContext
from echomind_lib.contract.binding import Service, full_name
from echomind_lib.contract.call import Middleware, Proceed
from echomind_lib.contract.model import ProtoModel
from echomind_lib.db.database import Database, is_of_database
from echomind_lib.db.holds import held_error
from echomind_lib.errors import DependencyUnavailableError, DiskFullError, EchoMindError, ValidationFailedError
from echomind_lib.process.disk import DiskSpace, is_disk_full
from echomind_lib.telemetry import names, spans
from echomind_lib.telemetry.disk import DISK_FULL

_calls = Counter("echomind_api_calls_total", "Calls that have ended.", ["method", "transport", "code"])
_seconds = Histogram(
    "echomind_api_call_seconds",
    "Length of calls that are no streams.",
    ["method"],
    buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10),
)
log = structlog.get_logger(__name__)
_NO_DATABASE = "The database does not answer: try again."
_NO_ANSWER = "A part of EchoMind does not answer: try again."
_UNSTORABLE = (asyncpg.CharacterNotInRepertoireError, asyncpg.UntranslatableCharacterError)
_SYSTEM_FAILURES = asyncpg.InsufficientResourcesError | asyncpg.PostgresSystemError
_UNREACHABLE = (
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.TooManyConnectionsError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.QueryCanceledError,
    ConnectionError,
    TimeoutError,
)


HANDWRITTEN_STREAMS: Final = frozenset({"echomind.public.v1.McpService/Serve"})
"""Methods of handwritten routes that may last, and end when the process stops."""
_STORING = frozenset(
    {
        "ChatMessageService/SendMessage",
        "ChatMessageService/StreamMessage",
        "ChatMessageService/EditMessage",
        "ChatMessageService/RegenerateMessage",
        "ChatSessionService/ForkChatSession",
        "ChatSessionService/SummarizeChatSession",
        "ImportService/ImportChatSession",
        "ImportService/ImportUserChatSession",
        "SessionShareService/ForkReceivedShare",
        "SessionShareService/ForkSharedSession",
        "DocumentService/UploadDocument",
        "DocumentService/UploadDocuments",
        "DocumentService/RetryDocument",
    }
)
"""Methods that store much data. Others fit into the disk's reserve, and removals free space."""


def chain(
    services: Sequence[Service],
    authentication: Authentication,
    limits: Limits,
    denials: Denials,
    disk: DiskSpace,
    key_uses: KeyUses,
    database: Database,
) -> list[Middleware]:
    """Returns the middlewares for these services, the first outermost.

    Each one is a frame that every continuation of a call passes, so what only precedes a call has none of its own.
    """
    streams = HANDWRITTEN_STREAMS | {
        full_name(service, method) for service in services for method in service.__methods__ if method.streams
    }

    scopes = required_scopes(services)
    of_note = methods_of_note(services)

    async def measure(call: CallContext, proceed: Proceed) -> ProtoModel | None:
        structlog.contextvars.bind_contextvars(method=call.method)
        code = "OK"
        started = time.perf_counter()
        try:
            authentication.locate(call)
            return await proceed()
        except EchoMindError as error:
            code = error.code
            if isinstance(error, DiskFullError):
                DISK_FULL.inc()
                log.warning("a disk is full", error=str(error.__cause__ or error))
            tell_detail(call, error)
            raise
        except BaseException as error:
            code = "INTERNAL" if isinstance(error, Exception) else "CANCELLED"
            raise
        finally:
            _calls.labels(call.method, call.transport, code).inc()
            if call.method not in streams:
                _seconds.labels(call.method).observe(time.perf_counter() - started)

    async def admit(call: CallContext, proceed: Proceed) -> ProtoModel | None:
        try:
            await authentication.authenticate(call)
            if call.principal is None:
                require_room(call)
                return await proceed()
            require_scope(call.principal, scopes[call.method])
            require_open_to_limits(call)
            await limits.take(call.principal)
            key_id = call.principal.api_key_id
            if key_id is not None and (key_id, call.address) not in key_uses.seen:
                key_uses.notice(call)
            if call.method not in streams:
                with limits.call(call.principal.user_id):
                    require_room(call)
                    result = await proceed()
                if call.method in of_note and not call.is_audited:
                    await note_call(database, call, result)
                return result
            async with limits.stream(call):
                require_room(call)
                return await proceed()
        except DENIED as error:
            await denials.record(call, error)
            raise
        except Exception as error:
            if (for_callers := storage_error(error, disk)) is not None:
                raise for_callers from error
            raise

    def require_room(call: CallContext) -> None:
        if call.method.rpartition(".")[2] in _STORING:
            disk.require()

    tracing = [traced] if spans.recorder is not None else []
    return [measure, *tracing, admit]


def tell_detail(call: CallContext, error: EchoMindError) -> None:
    """Logs the detail of an error, and adds it for superadmins to the metadata. Others never get it."""
    if error.detail:
        log.warning("call failed", reason=error.reason, error=str(error))
        if call.principal is not None and call.principal.has_role("superadmin"):
            error.metadata["detail"] = error.detail


async def traced(call: CallContext, proceed: Proceed) -> ProtoModel | None:
    """Runs a call in a span of its own trace, or of the run that it asks for; the caller's trace is linked to it."""
    attributes: dict[str, spans.Value] = {names.RPC_SYSTEM: call.transport, names.RPC_METHOD: call.method}
    request_id = structlog.contextvars.get_contextvars().get("trace_id")  # none over gRPC
    scope = spans.new_scope(int(request_id, 16) if request_id else None)
    span = spans.Span(scope=scope, name=call.method, kind="server", attributes=attributes)
    if (caller := spans.parsed_traceparent(call.metadata.get(spans.TRACEPARENT, ""))) is not None:
        span.links.append(caller)
    with spans.entered(span):
        try:
            return await proceed()
        finally:
            if call.principal is not None:
                span.scope.fields.setdefault(names.USER, str(call.principal.user_id))


def storage_error(error: Exception, disk: DiskSpace) -> EchoMindError | None:
    """Returns the error for callers that an error of the storage becomes; None for all others."""
    cause = _cause(error)
    is_unreachable = isinstance(cause, _UNREACHABLE)
    # A server that does not respond while the disk is full is assumed to fail because of it.
    if is_disk_full(cause) or (
        (is_unreachable or isinstance(cause, DependencyUnavailableError | _SYSTEM_FAILURES)) and disk.is_low
    ):
        return disk.error()
    if isinstance(cause, _UNSTORABLE):
        return ValidationFailedError("The request holds the character U+0000, which cannot be stored.")
    if (held := held_error(cause)) is not None:
        return held
    if not is_unreachable:
        return None
    detail = f"{type(cause).__name__}: {cause}"
    if not is_of_database(cause):
        return DependencyUnavailableError(_NO_ANSWER, detail=detail)
    return DependencyUnavailableError(_NO_DATABASE, detail=detail, dependency="postgres")


def _cause(error: BaseException) -> BaseException | None:
    """Returns the database driver's error, which the ORM wraps."""
    if isinstance(error, DBAPIError):
        inner: BaseException | None = error.orig
        return None if inner is None else inner.__cause__ or inner
    return error
