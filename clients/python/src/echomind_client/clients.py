"""The clients: `AsyncEchoMind`, and `EchoMind` for programs without an event loop."""

import asyncio
import io
import threading
from collections.abc import AsyncGenerator, Coroutine, Iterator, Mapping, Sequence
from contextlib import ExitStack, aclosing
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import aiohttp

from echomind_lib.contract.client import Client, Streaming, Unary
from echomind_lib.contract.model import ProtoModel
from echomind_lib.contract.rest_client import RestTransport
from echomind_lib.handwritten_routes import File, download, upload
from echomind_lib.models.public import Document
from echomind_lib.process.retries import RetryPolicy

Request = TypeVar("Request", bound=ProtoModel)
Response = TypeVar("Response", bound=ProtoModel)
Result = TypeVar("Result")


class AsyncEchoMind:
    """Calls EchoMind over HTTP. Use it as an async context manager, which closes its connections.

    Attributes:
        url: The server's address, without a slash at its end.
    """

    def __init__(self, url: str, api_key: str) -> None:
        """Initializes it without a connection.

        Args:
            url: The server's address, such as `https://echomind.example.com`.
            api_key: An API key of EchoMind.
        """
        self.url = url.rstrip("/")
        self._api_key = api_key
        self._session: aiohttp.ClientSession | None = None
        self._transport: RestTransport | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession()
        headers = {"Authorization": f"Bearer {self._api_key}"}
        self._transport = RestTransport(self.url, self._session, headers)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        session, self._session, self._transport = self._session, None, None
        if session is not None:
            await session.close()

    async def call(
        self,
        method: Unary[Request, Response],
        request: Request | Mapping[str, Any] | None = None,
        *,
        retries: RetryPolicy | None = None,
    ) -> Response:
        """Calls a method, such as `models.RunService.get_run`.

        Args:
            method: The method.
            request: Its request, or the request's fields by their names in Python.
            retries: How often a call is repeated that fails in transit, or because the server is busy; `RESTART`
                outlasts a restart of the server. Only for calls that may be repeated.

        Raises:
            EchoMindError: The server returned an error.
            CallError: No response has arrived.
            pydantic.ValidationError: The request is not valid; nothing was sent.
            ValueError: Retries are requested for a method that is not idempotent.
        """
        return await self._open.call(method, request, retries=retries)

    async def collect(
        self, method: Unary[Request, Response], request: Mapping[str, Any] | None = None, *, limit: int | None = None
    ) -> Response:
        """Reads a list page by page, at most `limit` items; returns the first page's message with the items of all.

        Its `next_page_token` is where the list goes on; empty if these are all.

        Raises:
            EchoMindError, CallError, pydantic.ValidationError: As in `call`.
        """
        return await self._open.collect(method, request, limit=limit)

    async def stream(
        self, method: Streaming[Request, Response], request: Request | Mapping[str, Any] | None = None
    ) -> AsyncGenerator[Response]:
        """Calls a method that streams, such as `models.RunService.stream_session_events`, and yields its items.

        Raises:
            EchoMindError: The server returned an error, or ended the stream with one.
            CallError: No response has arrived, or the connection broke.
            pydantic.ValidationError: The request is not valid; nothing was sent.
        """
        async with aclosing(self._open.stream(method, request)) as items:
            async for item in items:
                yield item

    async def upload(
        self, files: Sequence[Path | tuple[str, bytes]], *, connector: str = "", scope: str = "", group: str = ""
    ) -> Sequence[Document]:
        """Uploads files; the same bytes under the same name are stored once, so it may be repeated.

        Args:
            files: Paths of files, or names with bytes.
            connector: Name or ID of the connector, which is created if there is none of the name; empty for the
                usual one.
            scope: Who may read what a new connector has: `user`, `group` or `org`.
            group: The group, with the scope `group`.

        Returns:
            Their documents, in order; searches find them when their status is `COMPLETED`.

        Raises:
            EchoMindError, CallError: As in `call`.
            OSError: A file cannot be read.
        """
        with ExitStack() as stack:
            opened = [await asyncio.to_thread(_opened, file) for file in files]
            for file in opened:
                stack.enter_context(file.content)
            destination = {"connector": connector, "scope": scope, "group": group}
            return await upload(self._connected, opened, destination)

    async def download(self, document_id: int) -> bytes:
        """Returns the bytes of a document, as they were uploaded.

        Raises:
            EchoMindError, CallError: As in `call`.
        """
        async with download(self._connected, document_id) as pieces:
            return b"".join([piece async for piece in pieces])

    @property
    def _open(self) -> Client:
        return Client(self._connected)

    @property
    def _connected(self) -> RestTransport:
        if self._transport is None:
            message = "the client is closed: use it in `async with`"
            raise RuntimeError(message)
        return self._transport


def _opened(file: Path | tuple[str, bytes]) -> File:
    if isinstance(file, tuple):
        return File(io.BytesIO(file[1]), file[0])
    return File(file.open("rb"), file.name)


class EchoMind:
    """Calls EchoMind over HTTP, and waits for the response. Use it as a context manager, which closes its connections.

    Its event loop has a thread of its own, so that it works in any program, also from several threads.
    """

    def __init__(self, url: str, api_key: str) -> None:
        """Initializes it without a connection; see `AsyncEchoMind`."""
        self._client = AsyncEchoMind(url, api_key)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="echomind-client", daemon=True)
        self._thread.start()
        self._wait(self._client.__aenter__())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        loop, thread = self._loop, self._thread
        if loop is None or thread is None:
            return
        self._wait(self._client.__aexit__(kind, error, trace))
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
        self._loop = self._thread = None

    def call(
        self,
        method: Unary[Request, Response],
        request: Request | Mapping[str, Any] | None = None,
        *,
        retries: RetryPolicy | None = None,
    ) -> Response:
        """Calls a method; see `AsyncEchoMind.call`."""
        return self._wait(self._client.call(method, request, retries=retries))

    def collect(
        self, method: Unary[Request, Response], request: Mapping[str, Any] | None = None, *, limit: int | None = None
    ) -> Response:
        """Reads a list page by page; see `AsyncEchoMind.collect`."""
        return self._wait(self._client.collect(method, request, limit=limit))

    def stream(
        self, method: Streaming[Request, Response], request: Request | Mapping[str, Any] | None = None
    ) -> Iterator[Response]:
        """Calls a method that streams, and yields its items; see `AsyncEchoMind.stream`."""
        items = self._client.stream(method, request)
        try:
            while True:
                try:
                    item = self._wait(anext(items))
                except StopAsyncIteration:
                    return
                yield item
        finally:
            self._wait(items.aclose())

    def upload(
        self, files: Sequence[Path | tuple[str, bytes]], *, connector: str = "", scope: str = "", group: str = ""
    ) -> Sequence[Document]:
        """Uploads files; see `AsyncEchoMind.upload`."""
        return self._wait(self._client.upload(files, connector=connector, scope=scope, group=group))

    def download(self, document_id: int) -> bytes:
        """Returns the bytes of a document; see `AsyncEchoMind.download`."""
        return self._wait(self._client.download(document_id))

    def _wait(self, work: Coroutine[Any, Any, Result]) -> Result:
        if self._loop is None:
            work.close()
            message = "the client is closed: use it in `with`"
            raise RuntimeError(message)
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()
