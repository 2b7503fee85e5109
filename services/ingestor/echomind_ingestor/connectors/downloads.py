"""Streaming downloads, which are resumed if the connection breaks."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Final, Self

import aiohttp
from yarl import URL

from echomind_ingestor.connectors.protocol import ItemError, SourceUnavailableError
from echomind_ingestor.connectors.vendor_client import VendorClient, is_transient

PIECE_BYTES: Final = 64 * 1024
_BROKEN = (aiohttp.ClientError, TimeoutError, OSError)


class Download:
    """A download of a vendor's file. Use it as an asynchronous context manager; then `pieces` yields its bytes."""

    def __init__(
        self,
        client: VendorClient,
        url: URL,
        *,
        limit: int,
        headers: Mapping[str, str] | None = None,
        is_authorized: bool = True,
    ) -> None:
        """Initializes the download without a request.

        Args:
            client: Client that sends the requests.
            url: A URL of its API, or one from a response of it.
            limit: The maximum size in bytes.
            headers: Additional headers.
            is_authorized: Whether to send the access token; False for a URL that needs none.
        """
        self._client = client
        self._url = url
        self._limit = limit
        self._headers = {"Accept-Encoding": "identity", **(headers or {})}
        self._is_authorized = is_authorized
        self._opened = AsyncExitStack()
        self._response: aiohttp.ClientResponse | None = None
        self._position = 0
        self._size: int | None = None
        self._version: str | None = None
        """The ETag of the file, which changes with its content; None if the server sends none."""

    async def __aenter__(self) -> Self:
        """Starts the download.

        Raises:
            RequestRefusedError: The vendor rejects the request.
            ItemError: The file is too large.
            SourceError: Nothing can be read.
        """
        await self._open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._opened.aclose()

    @property
    def content_type(self) -> str:
        """Returns the server's content type, in lower case; empty if there is none."""
        response = self._response
        return response.content_type.lower() if response is not None and "Content-Type" in response.headers else ""

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yields the bytes of the file.

        Raises:
            ItemError: It is too large, or changes while it is read.
            SourceError: Nothing can be read.
        """
        attempt = 0
        while True:
            try:
                piece = await self._read()
            except _BROKEN as error:
                attempt += 1
                if attempt >= (self._client.retries.attempts or 1):
                    kind = type(error).__name__
                    message = f"The download broke off {attempt} times ({kind}). The next sync tries it again."
                    raise ItemError(message) from None
                await asyncio.sleep(self._client.retries.delay(attempt))
                await self._open()
                continue
            if not piece:
                return
            self._position += len(piece)
            self._check_size(self._position)
            yield piece

    async def _read(self) -> bytes:
        assert self._response is not None, "entered"
        return await self._response.content.read(PIECE_BYTES)

    async def _open(self) -> None:
        """Resumes the download where it broke."""
        await self._opened.aclose()

        async def attempt() -> aiohttp.ClientResponse:
            headers = {**self._headers, **self._rest()}
            opening = self._client.open(self._url, headers, is_authorized=self._is_authorized)
            return await self._opened.enter_async_context(opening)

        self._response = response = await self._client.retries.call(attempt, is_transient)
        size = _whole_size(response)
        version = response.headers.get("ETag")
        is_other = None not in (version, self._version) and version != self._version
        if self._position and (size is None or size != self._size or is_other):
            raise ItemError("The file changed while it was read. The next sync reads it again.")
        self._size, self._version = size, version or self._version
        if size is not None:
            self._check_size(size)
        if self._position and response.status != 206:
            await self._skip()

    def _rest(self) -> dict[str, str]:
        """Returns the headers that ask for what is missing: https://www.rfc-editor.org/rfc/rfc9110#section-13.1.5."""
        if not self._position:
            return {}
        headers = {"Range": f"bytes={self._position}-"}
        if self._version is not None and not self._version.startswith("W/"):
            headers["If-Range"] = self._version  # another version is sent as a whole, with its own ETag
        return headers

    async def _skip(self) -> None:
        """Skips the bytes that were read already, for servers that send only whole files."""
        missing = self._position
        while missing:
            try:
                piece = await self._response.content.read(min(missing, PIECE_BYTES)) if self._response else b""
            except _BROKEN:
                raise SourceUnavailableError("A download broke off again. It is tried again later.") from None
            if not piece:
                raise ItemError("The file changed while it was read. The next sync reads it again.")
            missing -= len(piece)

    def _check_size(self, size: int) -> None:
        if size > self._limit:
            raise ItemError(
                f"It is larger than {self._limit:,} bytes, the largest file that is stored.", retryable=False
            )


def _whole_size(response: aiohttp.ClientResponse) -> int | None:
    """Returns the total size of the file of a full or partial response; None if unknown."""
    if response.status == 206:
        total = response.headers.get("Content-Range", "").rpartition("/")[2]
        return int(total) if total.isdigit() else None
    return response.content_length
