"""Calls over REST: unary ones, streams of server-sent events, and requests to handwritten routes."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from google.protobuf.descriptor import MethodDescriptor
from yarl import URL

from echomind_lib.contract.call_errors import AddressError, ConnectionLostError, ForeignServerError, NotRunningError
from echomind_lib.contract.http_call import Json, http_call
from echomind_lib.errors import EchoMindError
from echomind_lib.errors.body import from_body
from echomind_lib.network.sse import SseParser

# The slowest call, testing a chat model, times out before two minutes. An idle stream sends a keep-alive every 15 s.
_CALL_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=120)
_STREAM_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=45)


class RestTransport:
    """Calls one server over HTTP.

    Attributes:
        url: The server's address, without a slash at its end.
    """

    def __init__(self, url: str, session: aiohttp.ClientSession, headers: Mapping[str, str] | None = None) -> None:
        """Initializes the transport with a session that the caller closes.

        Args:
            url: The server's address.
            session: Its connections.
            headers: Sent with every request, for example the credential.
        """
        self.url = url.rstrip("/")
        self._session = session
        self._headers = dict(headers or {})

    @property
    def is_anonymous(self) -> bool:
        """Returns whether requests are sent without a credential."""
        return "Authorization" not in self._headers

    async def unary(self, method: MethodDescriptor, request: Json) -> bytes:
        """Calls a method; returns the response's ProtoJSON.

        Raises:
            EchoMindError: The server returned an error.
            CallError: No response has arrived.
        """
        call = http_call(method, request)
        async with self.request(call.verb, call.path, json=call.body, params=call.query) as response:
            answer = await response.read()
        return b'{"%b": %b}' % (call.answered.encode(), answer) if call.answered else answer

    async def stream(self, method: MethodDescriptor, request: Json) -> AsyncGenerator[bytes]:
        """Calls a method that streams; yields the ProtoJSON of its items until it ends.

        Raises:
            EchoMindError: The server returned an error, or ended the stream with one.
            CallError: No response has arrived, or the connection broke.
        """
        fields = dict(request)
        headers = {"Accept": "text/event-stream"}
        if "after" in fields:  # sent as a header, as server-sent events define it
            headers["Last-Event-ID"] = str(fields.pop("after"))
        call = http_call(method, fields)
        parser = SseParser()
        async with self.request(
            call.verb, call.path, json=call.body, params=call.query, headers=headers, timeout=_STREAM_TIMEOUT
        ) as response:
            async for chunk in response.content.iter_any():
                for payload in parser.feed(chunk):
                    if payload.startswith(b'{"error"'):
                        raise _error(payload, response)
                    yield payload

    @asynccontextmanager
    async def request(
        self,
        verb: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        timeout: aiohttp.ClientTimeout = _CALL_TIMEOUT,  # noqa: ASYNC109 - of each read, not of the whole
        is_checked: bool = True,
        **options: Any,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Sends a request and yields the response.

        Args:
            verb: HTTP method.
            path: Percent-encoded path from the server's root.
            headers: Additional headers.
            timeout: Maximum silence of the server.
            is_checked: Whether to raise an error for a status that is not a success.
            options: Options of aiohttp, for example `data`.

        Raises:
            EchoMindError: The server returned an error.
            CallError: No response has arrived, or the connection broke in the block.
        """
        options |= {"headers": self._headers | dict(headers or {}), "timeout": timeout, "allow_redirects": False}
        try:
            async with self._session.request(verb, self._locate(path), **options) as response:
                if is_checked and response.status >= 300:
                    raise _error(await response.read(), response)
                yield response
        except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError) as error:
            raise self._malformed() from error
        except aiohttp.ClientSSLError as error:
            raise AddressError(f"{self.url} cannot be reached by HTTPS: {error}.") from error
        except aiohttp.ClientConnectorDNSError as error:
            raise AddressError(f"{self.url}: there is no such host.") from error
        except aiohttp.ClientConnectorError as error:
            raise NotRunningError(f"Nothing listens at {self.url}.") from error
        except aiohttp.ClientResponseError as error:
            raise ForeignServerError(f"What answers at {self.url} does not speak HTTP.") from error
        except (aiohttp.ClientError, TimeoutError) as error:
            raise ConnectionLostError(f"The connection to {self.url} broke ({type(error).__name__}).") from error

    def _locate(self, path: str) -> URL:
        try:
            url = URL(self.url + path, encoded=True)
            _ = url.port  # raises for a port out of range
            return url
        except ValueError as error:
            raise self._malformed() from error

    def _malformed(self) -> AddressError:
        return AddressError(f"{self.url} is not an address. Use the form http://127.0.0.1:8080.")


def _error(data: bytes, response: aiohttp.ClientResponse) -> EchoMindError | ForeignServerError:
    try:
        error = from_body(json.loads(data))
    except ValueError:
        error = None
    where = f"{response.url.origin()} ({response.status} {response.reason})"
    return error or ForeignServerError(f"What answers at {where} does not speak EchoMind's API.")
