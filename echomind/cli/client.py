"""The HTTP client of the command line: calls, uploads and streams of events, with generated models."""

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, BinaryIO, Self, TypeVar

import aiohttp
from pydantic import ValidationError

from echomind.cli.terminal import CommandError
from echomind_lib.contract import ProtoModel
from echomind_lib.llms.sse import SseParser
from echomind_lib.models.public import Document, ListDocumentsResponse, SessionEvent

Answer = TypeVar("Answer", bound=ProtoModel)
Query = Mapping[str, str | int]

API = "/api/v1"
PAGE_SIZE = 1000
"""The largest page that the API gives."""
# Testing a chat model, the slowest call, gives up before two minutes. A silent stream has a sign of life every 15 s.
_CALL_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=120)
_STREAM_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=45)
_FIELD = re.compile(r"\{(\w+)\}")


class ApiError(CommandError):
    """The API refused a call.

    Attributes:
        reason: A name of the catalogue of errors, `NOT_FOUND`; empty when it was not EchoMind that answered.
        code: The gRPC code's name, for example `FAILED_PRECONDITION`.
        metadata: What the reason says that it carries.
    """

    def __init__(
        self, message: str, *, reason: str = "", code: str = "", metadata: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.code = code
        self.metadata = dict(metadata or {})


class NotRunningError(CommandError):
    """Nothing listens at the address."""


class ConnectionLostError(CommandError):
    """The connection broke before the answer was whole; the call may have been carried out."""


class Client:
    """One connection to one EchoMind, to be used as an async context manager."""

    def __init__(self, url: str, api_key: str) -> None:
        self.url = url.rstrip("/")
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._session = aiohttp.ClientSession(headers=headers)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    async def call(
        self,
        method: str,
        path: str,
        answer: type[Answer],
        *,
        body: ProtoModel | Mapping[str, Any] | None = None,
        query: Query | None = None,
    ) -> Answer:
        """Calls one method.

        Args:
            method: HTTP method.
            path: Path under `/api/v1`, beginning with `/`; `{field}` stands for a field of the message.
            answer: Model of the answer.
            body: A message, or for PATCH the fields to change by their JSON names.
            query: Parameters of the URL.

        Raises:
            ApiError: The API refused.
            NotRunningError: Nothing listens there.
            ConnectionLostError: The connection broke.
        """
        path, data = _encoded(path, body)
        async with self._request(method, path, data=data, query=query) as response:
            return _parsed(answer, await response.read())

    async def collect(self, path: str, answer: type[Answer], limit: int, *, query: Query | None = None) -> Answer:
        """Reads a list page by page: the first page's message with the items of all, at most `limit` of them."""
        query = {"pageSize": min(limit, PAGE_SIZE)} | dict(query or {})
        whole = page = await self.call("GET", path, answer, query=query)
        items = _items(whole)
        while (token := getattr(page, "next_page_token", "")) and len(items) < limit:
            page = await self.call("GET", path, answer, query=query | {"pageToken": token})
            items += _items(page)
        del items[limit:]
        return whole

    async def post(self, path: str, body: ProtoModel) -> None:
        """Calls a method that answers with nothing.

        Raises:
            ApiError, NotRunningError, ConnectionLostError: As in `call`.
        """
        path, data = _encoded(path, body)
        async with self._request("POST", path, data=data) as response:
            await response.read()

    async def delete(self, path: str) -> None:
        """Removes what the path names.

        Raises:
            ApiError, NotRunningError, ConnectionLostError: As in `call`.
        """
        async with self._request("DELETE", path) as response:
            await response.read()

    async def upload(
        self, content: BinaryIO, source_id: str, destination: Mapping[str, str], *, title: str = ""
    ) -> Document:
        """Uploads one file.

        Args:
            content: The file, from where it stands.
            source_id: Its identifier in the connector.
            destination: Where it goes: `connector_id`, or `connector`, `scope` and `group`; empty values say nothing.
            title: Its title; empty means the name.

        Raises:
            ApiError, NotRunningError, ConnectionLostError: As in `call`.
        """
        form = aiohttp.FormData()
        for name, value in {**destination, "source_id": source_id, "title": title}.items():
            if value:
                form.add_field(name, value)
        form.add_field("file", content, filename=source_id.rsplit("/", 1)[-1], content_type="application/octet-stream")
        async with self._request("POST", "/documents:upload", data=form) as response:
            return _parsed(ListDocumentsResponse, await response.read()).documents[0]

    async def events(
        self, method: str, path: str, *, body: ProtoModel | None = None, after: int | None = None
    ) -> AsyncGenerator[SessionEvent]:
        """Reads a stream of events until it ends.

        Args:
            method: HTTP method.
            path: Path under `/api/v1`; `{field}` stands for a field of the request.
            body: The request.
            after: The last event that the caller has.

        Raises:
            ApiError: The API refused, or ended the stream with an error.
            NotRunningError, ConnectionLostError: As in `call`.
        """
        headers = {"Accept": "text/event-stream"} | ({} if after is None else {"Last-Event-ID": str(after)})
        parser = SseParser()
        path, data = _encoded(path, body)
        async with self._request(method, path, data=data, headers=headers, limits=_STREAM_TIMEOUT) as response:
            async for chunk in response.content.iter_any():
                for payload in parser.feed(chunk):
                    yield _event(payload)

    async def get_health(self) -> Mapping[str, Any]:
        """What `/readyz` says: each dependency with its state, ready or not."""
        async with self._unchecked("GET", self.url + "/readyz", timeout=_CALL_TIMEOUT) as response:
            try:
                found = json.loads(await response.read())
            except ValueError:
                found = None
        if not isinstance(found, dict):
            raise ApiError(f"What answers at {self.url} is not EchoMind.")
        return found

    @asynccontextmanager
    async def _request(
        self,
        method: str,
        path: str,
        *,
        data: bytes | aiohttp.FormData | None = None,
        query: Query | None = None,
        headers: Mapping[str, str] | None = None,
        limits: aiohttp.ClientTimeout = _CALL_TIMEOUT,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        headers = dict(headers or {})
        if isinstance(data, bytes):
            headers["Content-Type"] = "application/json"
        options = {"data": data, "params": query, "headers": headers, "timeout": limits}
        async with self._unchecked(method, self.url + API + path, **options) as response:
            if response.status >= 300:
                raise _error(await response.read(), response)
            yield response

    @asynccontextmanager
    async def _unchecked(self, method: str, url: str, **options: Any) -> AsyncIterator[aiohttp.ClientResponse]:
        try:
            async with self._session.request(method, url, allow_redirects=False, **options) as response:
                yield response
        except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError) as error:
            raise CommandError(f"{self.url} is not an address; it looks like http://127.0.0.1:8080.") from error
        except aiohttp.ClientSSLError as error:
            raise CommandError(f"{self.url} cannot be reached by HTTPS: {error}. Check --url.") from error
        except aiohttp.ClientConnectorDNSError as error:
            raise CommandError(f"{self.url}: there is no such host. Check --url.") from error
        except aiohttp.ClientConnectorError as error:
            raise NotRunningError(f"EchoMind is not running at {self.url}: start it with `echomind up`.") from error
        except aiohttp.ClientResponseError as error:
            raise ApiError(f"What answers at {self.url} does not speak HTTP: check --url.") from error
        except (aiohttp.ClientError, TimeoutError) as error:
            problem = f"The connection to {self.url} broke ({type(error).__name__}): try again."
            raise ConnectionLostError(problem) from error


def _encoded(path: str, body: ProtoModel | Mapping[str, Any] | None) -> tuple[str, bytes | None]:
    """The path with the message's fields filled in, and the JSON of what is left."""
    if not isinstance(body, ProtoModel):
        return path, None if body is None else json.dumps(body).encode()
    in_path = set(_FIELD.findall(path))
    path = _FIELD.sub(lambda field: str(getattr(body, field[1])), path)
    return path, body.model_dump_json(exclude=in_path, exclude_none=True).encode()


def _parsed(answer: type[Answer], data: bytes) -> Answer:
    try:
        return answer.model_validate_json(data)
    except ValidationError as error:
        raise ApiError(
            "The server's answer is not understood: the command line and the server may be of different versions "
            f"({error.errors()[0]['msg']} at {'.'.join(map(str, error.errors()[0]['loc'])) or 'the top'})."
        ) from error


def _items(page: ProtoModel) -> list[Any]:
    """The one repeated field of a List response."""
    return next(value for value in page.__dict__.values() if isinstance(value, list))


def _event(payload: bytes) -> SessionEvent:
    if payload.startswith(b'{"error"'):
        raise _error(payload)
    return _parsed(SessionEvent, payload)


def _error(data: bytes, response: aiohttp.ClientResponse | None = None) -> ApiError:
    try:
        error = json.loads(data)["error"]
        return ApiError(
            str(error["message"]),
            reason=str(error.get("reason", "")),
            code=str(error.get("code", "")),
            metadata=error.get("metadata") or {},
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        where = f"{response.url.origin()} ({response.status} {response.reason})" if response else "there"
        return ApiError(f"What answers at {where} does not speak EchoMind's API: check --url.")
