"""Requests to a vendor's JSON API: one origin, one kind of access token, rate limits, retries.

Exceptions of requests, and how sources handle them:

- `SourceUnavailableError`: the vendor does not respond, fails, or requests a longer pause than a sync waits.
- `CredentialsRejectedError`: the vendor rejects the access token, even a new one.
- `RequestRefusedError`: this request is rejected, with the vendor's reason. A source converts it to an `ItemError` if
  it concerns one item, and to advice for users if a right is missing.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Final, NoReturn

import aiohttp
import msgspec
from yarl import URL

from echomind_ingestor.connectors.http_session import SourceSession
from echomind_ingestor.connectors.protocol import CredentialsRejectedError, SourceError, SourceUnavailableError
from echomind_ingestor.connectors.throttling import LONGEST_WAIT, find_gate
from echomind_ingestor.connectors.tokens import AccessTokens
from echomind_lib.network.addresses import AddressRefusedError
from echomind_lib.network.bodies import read_at_most
from echomind_lib.network.retry_after import retry_after
from echomind_lib.process.retries import RetryPolicy
from echomind_lib.text import single_line

Json = dict[str, Any]

RETRIES: Final = RetryPolicy(first=0.5, longest=30.0, attempts=6, seconds=300.0)
MAX_JSON_BYTES: Final = 64 * 1024 * 1024
_MAX_ERROR_BYTES = 64 * 1024
_DETAIL_CHARACTERS = 300
_TRANSIENT = frozenset({408, 425, 500, 502, 503, 504})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MAX_REDIRECTS = 5
_HARMLESS = frozenset({"accept", "accept-encoding", "range"})
"""Headers that are sent to other origins, too."""


class RequestRefusedError(SourceError):
    """The vendor rejects a request permanently.

    Attributes:
        status: HTTP status.
        reason: The vendor's code, such as `exportSizeLimitExceeded`; empty if there is none.
        detail: Message of the vendor, as one short line.
    """

    def __init__(self, message: str, *, status: int, reason: str, detail: str) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorError:
    """An error response of a vendor.

    Attributes:
        reason: Its code.
        detail: Its message.
        is_throttled: Whether it is a rate limit despite another status than 429 and 503.
        is_transient: Whether it is transient despite its status.
    """

    reason: str = ""
    detail: str = ""
    is_throttled: bool = False
    is_transient: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor:
    """The differences between vendors.

    Attributes:
        name: Its display name.
        read_error: Reads the error from the JSON of a failed response; None if it is not JSON.
    """

    name: str
    read_error: Callable[[int, Any], VendorError]


class VendorClient:
    """Sends requests to one API of a vendor."""

    def __init__(
        self,
        vendor: Vendor,
        session: SourceSession,
        base_url: str,
        tokens: AccessTokens,
        *,
        tenant: str,
        retries: RetryPolicy | None = None,
    ) -> None:
        """Initializes the client without a request.

        Args:
            vendor: Reads its errors.
            session: The connections.
            base_url: Address of the API, from the settings.
            tokens: Tokens for requests to this address; they are not sent to others.
            tenant: The key of the vendor's rate limit.
            retries: Policy for retries; `RETRIES` if None.
        """
        self._vendor = vendor
        self._session = session
        self._base = URL(base_url.rstrip("/") + "/")
        self._tokens = tokens
        self._gate = find_gate(vendor.name, tenant)
        self.retries = retries or RETRIES

    async def get(
        self, path: str, params: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> Json:
        """Returns the response of a GET.

        Args:
            path: Path below the base address, without a leading slash, percent-encoded; or a full URL of the same
                origin, such as a link to the next page.
            params: Query parameters to add.
            headers: Additional headers.

        Raises:
            RequestRefusedError: The vendor rejects it.
            SourceError: It cannot be read; see the module.
        """
        return await self.request("GET", path, params=params, headers=headers)

    async def request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
    ) -> Json:
        """Returns the response of a request; an empty object for a response without content.

        Args:
            method: HTTP method. As a request may be repeated, it must be idempotent.
            path: See `get`.
            params: See `get`.
            headers: See `get`.
            body: Sent as JSON.

        Raises:
            RequestRefusedError: The vendor rejects it.
            SourceError: It cannot be read; see the module.
        """
        url = self.url(path, params)
        data = None if body is None else msgspec.json.encode(body)
        sent = {"Accept": "application/json", **(headers or {})}
        if data is not None:
            sent["Content-Type"] = "application/json"

        async def attempt() -> Json:
            async with self.open(url, sent, method=method, data=data) as response:
                return await self._read_json(response)

        return await self.retries.call(attempt, is_transient)

    async def read_bytes(
        self,
        path: str,
        params: Mapping[str, str] | None = None,
        *,
        limit: int,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[bytes, str]:
        """Returns a small file with its content type, for files that cannot be resumed.

        Args:
            path: See `get`.
            params: See `get`.
            limit: Its maximum size.
            headers: See `get`.

        Raises:
            RequestRefusedError: The vendor rejects it, or it is too large (status 413).
            SourceError: It cannot be read; see the module.
        """
        url = self.url(path, params)

        async def attempt() -> tuple[bytes, str]:
            async with self.open(url, headers or {}) as response:
                body = await read_at_most(response, limit)
                if body is None:
                    message = f"It is larger than {limit:,} bytes."
                    raise RequestRefusedError(message, status=413, reason="", detail=message)
                return body, response.content_type.lower()

        return await self.retries.call(attempt, is_transient)

    def url(self, path: str, params: Mapping[str, str] | None = None) -> URL:
        """Returns an address of this API; see `get`.

        Raises:
            SourceError: It has another origin.
        """
        url = self._base.join(URL(path, encoded=True))
        if url.origin() != self._base.origin():
            raise SourceError(
                f"{self._vendor.name} names an address of another server as its next page; it is not read."
            )
        return url.update_query(params) if params else url

    @asynccontextmanager
    async def open(
        self,
        url: URL,
        headers: Mapping[str, str],
        *,
        method: str = "GET",
        data: bytes | None = None,
        is_authorized: bool = True,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Opens a response to read its body; only requests with rejected access tokens are retried.

        Args:
            url: A URL of this API, or one from a response of it.
            headers: Additional headers.
            method: HTTP method.
            data: The request body.
            is_authorized: Whether to send an access token; never sent to other origins.

        Raises:
            RequestRefusedError: The vendor rejects it.
            SourceError: It cannot be read; see the module.
        """
        with self._translated():
            response = await self._respond(method, url, headers, data, is_authorized=is_authorized)
            try:
                yield response
            finally:
                response.close()

    async def _respond(
        self, method: str, url: URL, headers: Mapping[str, str], data: bytes | None, *, is_authorized: bool
    ) -> aiohttp.ClientResponse:
        """Returns the response to a request if it succeeded; the caller closes it."""
        for is_last in (False, True):
            await self._gate.wait()
            token = await self._tokens.get() if is_authorized else ""
            response = await self._follow(method, url, headers, data, token)
            try:
                if response.status == 401 and token:
                    self._tokens.discard(token)
                    if not is_last:
                        response.close()
                        continue
                if response.status >= 300:
                    await self._refuse(response, token)
            except BaseException:
                response.close()
                raise
            self._gate.note_success()
            return response
        raise AssertionError("unreachable")

    async def _follow(
        self, method: str, url: URL, headers: Mapping[str, str], data: bytes | None, token: str
    ) -> aiohttp.ClientResponse:
        """Sends a request and follows redirects of reads; the token is sent to this API only."""
        for _ in range(_MAX_REDIRECTS + 1):
            sent = dict(headers)
            if url.origin() != self._base.origin():
                self._session.check_url(url)
                # No other header crosses origins, as some grant access: `X-Goog-Drive-Resource-Keys`.
                sent = {name: value for name, value in headers.items() if name.lower() in _HARMLESS}
            elif token:
                sent["Authorization"] = f"Bearer {token}"
            response = await self._session.http.request(method, url, headers=sent, data=data, allow_redirects=False)
            target = response.headers.get("Location")
            if response.status not in _REDIRECTS or not target or method != "GET":
                return response
            response.close()
            url = url.join(URL(target, encoded=True))
        raise SourceError(f"{self._vendor.name} redirects a request more than {_MAX_REDIRECTS} times.")

    async def _refuse(self, response: aiohttp.ClientResponse, token: str) -> NoReturn:
        """Raises the error of a failed response."""
        name, status = self._vendor.name, response.status
        body = await read_at_most(response, _MAX_ERROR_BYTES)
        try:
            error = self._vendor.read_error(status, msgspec.json.decode(body or b""))
        except (msgspec.DecodeError, UnicodeDecodeError):
            error = VendorError()
        words = ": ".join(filter(None, (error.reason, error.detail)))
        detail = single_line(words.replace(token, "***") if token else words, _DETAIL_CHARACTERS)
        cause = f"HTTP {status}{': ' + detail if detail else ''}"
        asked = retry_after(response.headers)
        if status == 429 or error.is_throttled or (status == 503 and asked is not None):
            self._gate.close(asked)
            raise self._gate.refusal()
        if status in _TRANSIENT or error.is_transient:
            raise SourceUnavailableError(f"{name} failed ({cause}). It is tried again later.", retry_after=asked or 0.0)
        if status == 401:
            raise CredentialsRejectedError(f"{name} does not accept the sign-in any more ({cause}). Connect it again.")
        raise RequestRefusedError(
            f"{name} refuses a request ({cause}).", status=status, reason=error.reason, detail=detail
        )

    async def _read_json(self, response: aiohttp.ClientResponse) -> Json:
        if response.status == 204:
            return {}
        body = await read_at_most(response, MAX_JSON_BYTES)
        if body is None:
            raise SourceError(f"{self._vendor.name} answered with more than {MAX_JSON_BYTES:,} bytes.")
        try:
            return msgspec.json.decode(body, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError):
            message = f"{self._vendor.name} answered with {'something else than JSON' if body else 'nothing'}."
            raise SourceUnavailableError(f"{message} It is tried again later.") from None

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Converts connection failures to errors of the protocol."""
        name = self._vendor.name
        try:
            yield
        except AddressRefusedError as error:
            raise SourceError(f"{name} names an address that must not be reached: {error}.") from None
        except TimeoutError:
            raise SourceUnavailableError(f"{name} did not answer in time. It is tried again later.") from None
        except aiohttp.ClientConnectorDNSError:
            raise SourceUnavailableError(f"{name} cannot be found: its host name does not resolve.") from None
        except aiohttp.ClientConnectorCertificateError:
            raise SourceUnavailableError(f"{name} has a TLS certificate that does not verify.") from None
        except (aiohttp.ClientError, OSError) as error:
            kind = type(error).__name__
            raise SourceUnavailableError(
                f"The connection to {name} failed ({kind}). It is tried again later."
            ) from None


def is_transient(error: BaseException) -> bool:
    """Returns whether a request may succeed within the time for which a sync waits."""
    return isinstance(error, SourceUnavailableError) and error.retry_after <= LONGEST_WAIT
