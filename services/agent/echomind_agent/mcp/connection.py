"""One connection to an MCP server: opened at first use, kept while in use, and reopened after failures."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from contextvars import Context, ContextVar
from importlib.metadata import version
from typing import Any, Final, TypeVar

import httpx2
import mcp_types
import structlog
from mcp import Client
from mcp.client import advertise
from mcp.client.session import ClientRequestContext, IncomingMessage
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitRequestParams, ElicitResult, ErrorData, Implementation, Tool
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, TypeAdapter, ValidationError

from echomind_agent.mcp.elicitation import FormsClient, Inquiry
from echomind_agent.mcp.http import FAILURES, NOT_SENT, CheckedTransport, is_lost, open_http
from echomind_agent.mcp.inquiries import Inquiries
from echomind_agent.mcp.program import MESSAGE_BYTES, run_program
from echomind_agent.mcp.programs import Programs
from echomind_agent.mcp.results import reply
from echomind_agent.mcp.server import Server
from echomind_agent.mcp.tasks import EXTENSION
from echomind_agent.mcp.timeouts import Timeouts
from echomind_agent.toolset.registry import RetryableToolError, ToolError
from echomind_lib.assistants.mcp_programs import ProgramRefusedError
from echomind_lib.network.addresses import AddressRefusedError

log = structlog.get_logger(__name__)

T = TypeVar("T", bound=BaseModel)

_PAGES = 100
_TOOLS = 1000
_TOOLS_SECONDS = 300.0
_MESSAGE_CHARACTERS = 300
# The SDK's messages for HTTP errors, for which it defines no codes. A test compares them with its source.
SESSION_ENDED: Final = "Session terminated"
REFUSED_BY_STATUS: Final = "Server returned an error response"
REDIRECTED: Final = "Redirect to "


class ServerUnavailableError(Exception):
    """The server cannot be used now; the message says why, without its address or secrets.

    Attributes:
        for_model: The message for the model, with the server's text delimited.
    """

    def __init__(self, why: str, for_model: str = "") -> None:
        super().__init__(why)
        self.for_model = for_model or f"{why}."


_INQUIRY: ContextVar[Inquiry | None] = ContextVar("mcp_inquiry", default=None)
"""What a server may ask during the call whose request, or the stream of its response, is at work."""


class Connection:
    """A connection to one server.

    One task owns it for its lifetime, as the SDK's context managers must be exited in the task that entered them. The
    task ends when the server has closed the connection or it was idle for long; the next call starts another one.
    """

    def __init__(self, server: Server, programs: Programs, timeouts: Timeouts) -> None:
        self.server = server
        self._programs = programs
        self._timeouts = timeouts
        self._owner: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[Client] | None = None
        self._leave = asyncio.Event()
        self._tools: list[Tool] | None = None
        self._are_stale = False
        self._tools_until = 0.0
        self._transport: CheckedTransport | None = None
        self._users = 0
        self._inquiries = Inquiries()
        self._is_spent = False
        self._last_used = _now()
        self._failures = 0
        self._retry_at = 0.0
        self._problem = ServerUnavailableError("")

    async def tools(self) -> list[Tool]:
        """Returns the tools that the server has currently.

        Raises:
            ServerUnavailableError: It cannot be used.
        """
        async with self._client() as client:
            if self._tools is None or self._are_stale or _now() > self._tools_until:
                try:
                    async with asyncio.timeout(self._timeouts.caller):
                        await self._list_tools(client)
                except Exception as error:
                    self._are_stale = True
                    if self._users == 1:
                        self._leave.set()  # restart a hanging server; one with other users may only be busy
                    raise self._unavailable(error) from error
            assert self._tools is not None
            return self._tools

    async def ask(
        self,
        request: mcp_types.Request[Any, Any],
        answer: type[T] | TypeAdapter[T],
        on_progress: ProgressFnT | None = None,
        inquiry: Inquiry | None = None,
    ) -> T:
        """Sends a request and returns its response. Cancelling it tells the server to stop.

        Args:
            request: The request.
            answer: Type of the response.
            on_progress: Receives the progress that the server reports.
            inquiry: Answers what the server asks meanwhile.

        Raises:
            RetryableToolError: The server is unavailable, failed, or the connection ended before the response.
            ToolError: It rejected the request, or its response violates the protocol.
        """
        try:
            with self._translated():
                return await self._ask(request, answer, on_progress, inquiry)
        except _RefusedUnseenError:
            # The server did not execute the request: it was not reached, or rejected the request for its headers.
            with self._translated(seen=True):
                return await self._ask(request, answer, on_progress, inquiry)

    async def close(self) -> None:
        """Closes the connection, and stops the server's program."""
        self._leave.set()
        if self._owner is not None:
            if self._ready is not None and not self._ready.done():
                self._owner.cancel()
            await asyncio.wait([self._owner])

    # -- requests --------------------------------------------------------------------------------------------------
    async def _ask(
        self,
        request: mcp_types.Request[Any, Any],
        answer: type[T] | TypeAdapter[T],
        on_progress: ProgressFnT | None,
        inquiry: Inquiry | None,
    ) -> T:
        async with self._client() as client:
            _INQUIRY.set(inquiry)  # the task is the call's own
            try:
                with self._inquiries.during(inquiry):
                    return await client.session.send_request(request, answer, progress_callback=on_progress)
            except MCPError as error:
                if error.code == mcp_types.INVALID_REQUEST and error.message == SESSION_ENDED:
                    self._leave.set()
                elif error.code == mcp_types.HEADER_MISMATCH:
                    await self._list_tools(client)
                raise

    async def _on_elicitation(
        self, context: ClientRequestContext, params: ElicitRequestParams
    ) -> ElicitResult | ErrorData:
        """Has the call answer that the server asks in. Where none or several may have asked, nobody is asked."""
        del context
        own = _INQUIRY.get()
        # A program has one stream for all calls, and some servers ask on the stream that belongs to none.
        inquiry = own or self._inquiries.only
        if inquiry is None:
            log.warning("MCP server asks, and it is not known in which call", server=self.server.name)
            if self._inquiries.has_abandoned:
                self._reopen_when_unused()
            return ElicitResult(action="cancel")
        if (answer := inquiry.answer(params)) is not None:
            return answer
        if own is None:
            self._reopen_when_unused()  # the next call on this stream could not be told from the one that asks here
        return await inquiry.refusal()

    def _reopen_when_unused(self) -> None:
        self._is_spent = True
        if not self._users:
            self._leave.set()

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[Client]:
        self._users += 1
        try:
            yield await self._connected()
        finally:
            self._users -= 1
            self._last_used = _now()
            if self._is_spent:
                self._reopen_when_unused()

    async def _connected(self) -> Client:
        try:
            async with asyncio.timeout(self._timeouts.caller):
                if self._owner is not None and self._leave.is_set():
                    await asyncio.wait([self._owner])
                if self._owner is None or self._owner.done():
                    if _now() < self._retry_at:
                        raise ServerUnavailableError(str(self._problem), self._problem.for_model)
                    self._leave.clear()
                    self._inquiries, self._is_spent = Inquiries(), False
                    self._ready = asyncio.get_running_loop().create_future()
                    self._ready.add_done_callback(lambda ready: ready.cancelled() or ready.exception())
                    # The task outlives the run that starts it, so it does not inherit that run's log and trace context.
                    self._owner = asyncio.create_task(self._run(self._ready), context=Context())
                assert self._ready is not None
                return await asyncio.shield(self._ready)
        except TimeoutError:
            raise ServerUnavailableError("it is not ready yet") from None

    # -- the task that owns the connection -------------------------------------------------------------------------
    async def _run(self, ready: asyncio.Future[Client]) -> None:
        try:
            async with AsyncExitStack() as stack:
                async with asyncio.timeout(self._timeouts.open):
                    client = await stack.enter_async_context(await self._open(stack))
                    await self._list_tools(client)
                if self._transport is not None:
                    self._transport.is_shared = True
                ready.set_result(client)
                self._failures = 0
                log.info("MCP server connected", server=self.server.name, protocol=client.protocol_version)
                await self._wait_until_closed(client)
        except Exception as error:  # noqa: BLE001 - whatever the server or the SDK did, it is unavailable
            if ready.done():
                log.warning("MCP server connection lost", server=self.server.name, why=str(self._unavailable(error)))
            else:
                self._failures += 1
                self._retry_at = _now() + min(self._timeouts.again, 2.0 ** (self._failures - 1))
                self._problem = self._unavailable(error)
                log.warning("MCP server unavailable", server=self.server.name, why=str(self._problem))
                ready.set_exception(self._problem)
        finally:
            self._leave.set()
            self._tools = None
            if not ready.done():
                ready.set_exception(ServerUnavailableError("it is being closed"))

    async def _open(self, stack: AsyncExitStack) -> Client:
        server = self.server
        if server.url:
            self._transport = CheckedTransport(server)
            http = await stack.enter_async_context(open_http(server.headers, self._transport))
            transport: Any = streamable_http_client(server.url, http_client=http, max_sse_event_size=MESSAGE_BYTES)
        else:
            transport = run_program(server, self._programs, self._leave.set)
        return FormsClient(
            transport,
            client_info=Implementation(name="echomind", version=version("echomind")),
            message_handler=self._on_message,
            elicitation_callback=self._on_elicitation,
            extensions=[advertise(EXTENSION)],
            cache=None,
        )

    async def _wait_until_closed(self, client: Client) -> None:
        """Waits until the server closes the connection, `close` is called, or it was idle for long."""
        listener = asyncio.create_task(self._listen(client))
        try:
            while not self._leave.is_set():
                left = self._timeouts.idle if self._users else self._last_used + self._timeouts.idle - _now()
                if left <= 0:
                    self._leave.set()
                with suppress(TimeoutError):
                    async with asyncio.timeout(left):
                        await self._leave.wait()
        finally:
            listener.cancel()
            await asyncio.gather(listener, return_exceptions=True)

    async def _list_tools(self, client: Client) -> None:
        tools: list[Tool] = []
        cursor = None
        self._are_stale = False
        for _ in range(_PAGES):
            page = await client.list_tools(cursor=cursor)
            tools += page.tools
            cursor = page.next_cursor
            if cursor is None or len(tools) >= _TOOLS:
                break
        self._tools = tools[:_TOOLS]
        self._tools_until = _now() + _TOOLS_SECONDS

    async def _listen(self, client: Client) -> None:
        """Subscribes to changes of tools at servers that require it; older ones send notifications without it."""
        capability = client.server_capabilities.tools
        if client.protocol_version in MODERN_PROTOCOL_VERSIONS and capability is not None and capability.list_changed:
            try:
                async with client.listen(tools_list_changed=True) as changes:
                    async for _ in changes:
                        self._are_stale = True
            except (MCPError, SubscriptionLost, TimeoutError) as error:
                log.debug(
                    "MCP server does not report tool changes", server=self.server.name, error=type(error).__name__
                )

    async def _on_message(self, message: IncomingMessage) -> None:
        if isinstance(message, mcp_types.ToolListChangedNotification):
            self._are_stale = True

    # -- errors ----------------------------------------------------------------------------------------------------
    @contextmanager
    def _translated(self, *, seen: bool = False) -> Iterator[None]:
        """Converts the errors of a request to those of tools."""
        name = self.server.name
        try:
            yield
        except ServerUnavailableError as error:
            raise RetryableToolError(
                f"The MCP server {name} is not available: {error.for_model}", is_effect_known=True
            ) from error
        except MCPError as error:
            if not seen and (error.code == mcp_types.HEADER_MISMATCH or error.message in (SESSION_ENDED, NOT_SENT)):
                raise _RefusedUnseenError from error
            text = self._unavailable(error).for_model
            if error.code in (mcp_types.CONNECTION_CLOSED, mcp_types.INTERNAL_ERROR):
                is_known = self._is_unexecuted(error)
                raise RetryableToolError(f"The MCP server {name} failed: {text}", is_effect_known=is_known) from error
            raise ToolError(f"The MCP server {name} refused: {text}") from error
        except (ValidationError, httpx2.HTTPError, RuntimeError) as error:
            log.warning("MCP server sent an invalid response", server=name, error=type(error).__name__)
            raise ToolError(
                f"The MCP server {name} gave an answer that breaks the protocol.", is_effect_known=False
            ) from error

    def _is_unexecuted(self, error: MCPError) -> bool:
        """Returns whether it is certain that the server did not execute the request that failed so.

        5xx may be a proxy's word about a server that is at work.
        """
        if error.message in FAILURES:
            return True
        # The status may be another call's, if there are others.
        status = self._transport.refused_status if self._transport and not self._users else 0
        return error.message == REFUSED_BY_STATUS and 0 < status < httpx2.codes.INTERNAL_SERVER_ERROR

    def _unavailable(self, error: BaseException) -> ServerUnavailableError:
        """Returns the error for a failure, without the server's address, command or secrets."""
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if why := self._why(error):
            return ServerUnavailableError(why)
        if isinstance(error, MCPError):
            text = self.server.masked(error.message)[:_MESSAGE_CHARACTERS].rstrip(".") or "it does not say why"
            return ServerUnavailableError(text, reply(self.server, None, text))
        log.warning("MCP server failed in an unknown way", server=self.server.name, error=type(error).__name__)
        return ServerUnavailableError("it does not keep to the protocol")

    def _why(self, error: BaseException) -> str:
        """Returns the reason of known failures; empty for others."""
        if isinstance(error, ProgramRefusedError):
            return str(error)
        if isinstance(error, AddressRefusedError):
            return "its address is link-local or a metadata service, where no MCP server may be"
        if isinstance(error, TimeoutError):
            return "it did not answer in time"
        if isinstance(error, httpx2.TransportError):
            return "it cannot be reached"
        if isinstance(error, OSError):
            return f"its program cannot be started ({error.strerror})"
        if isinstance(error, MCPError):
            if why := FAILURES.get(error.message):
                return why
            if is_lost(error):
                return "it closed the connection" if self.server.url else "its program ended"
            if self._transport and error.code == mcp_types.INTERNAL_ERROR and error.message == REFUSED_BY_STATUS:
                return f"it answered with HTTP status {self._transport.refused_status}"
            if error.message.startswith(REDIRECTED):
                return "it redirects to another address"
        return ""


class _RefusedUnseenError(Exception):
    """The server rejected a request without executing it, and a retry will succeed."""


def _now() -> float:
    return asyncio.get_running_loop().time()
