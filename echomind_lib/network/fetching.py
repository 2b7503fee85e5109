"""Fetching of URLs chosen by a user, a model or a web page, protected against access to EchoMind's own network.

A host is resolved once, each of its addresses is checked, and the connection uses a checked address; every redirect is
checked again. Only public addresses on the web's usual ports are allowed, and those that an administrator allows.
"""

import asyncio
import ipaddress
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from types import TracebackType
from typing import Self

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from echomind_lib.network.addresses import (
    METADATA_HOSTS,
    AddressRefusedError,
    CheckedResolver,
    effective_address,
    refuse_address,
    refuse_non_public_address,
)

_PORTS = frozenset({80, 443, 8080, 8443})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_ENCODINGS = frozenset({"", "identity", "gzip", "deflate"})
"""Encodings that are decoded while streaming; a body that was compressed twice is rejected."""
_RETRYABLE = frozenset({408, 425, 429, 500, 502, 503, 504})
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
"""The last part of a host name that some resolvers parse as an IP address."""
_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
_TYPE = re.compile(r"[\w.+-]{1,60}/[\w.+-]{1,80}")
_MAX_URL = 2048


class FetchError(Exception):
    """The fetch failed. The message contains address, reason and remedy, but no text of the server.

    Attributes:
        retryable: Whether the same request may succeed later.
    """

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Limits of one fetch."""

    bytes: int = 5_000_000
    """Maximum size of the body after decompression."""
    seconds: float = 20.0
    """Time-out of the whole fetch, including redirects."""
    redirects: int = 5


@dataclass(frozen=True, slots=True)
class Fetched:
    """The response of an address with its body."""

    url: str
    """The address that served it, after redirects."""
    content_type: str
    """In lower case, without parameters; `application/octet-stream` if the server declares none."""
    charset: str | None
    """As declared by the server."""
    body: bytes
    """Decompressed."""


@dataclass(frozen=True, slots=True)
class Posted:
    """The response to a body that was sent."""

    status: int
    headers: Mapping[str, str]
    """By name in any case."""


class Response:
    """The response of an address, before its body is read."""

    def __init__(self, url: URL, response: aiohttp.ClientResponse, limits: FetchLimits) -> None:
        self.url: str = str(url)
        """The address that responded, after redirects."""
        self.status: int = response.status
        self.headers: Mapping[str, str] = response.headers
        """By name in any case."""
        self.content_type: str = response.content_type.lower()
        """Without parameters; `application/octet-stream` if the server declares none."""
        self.charset: str | None = response.charset
        """As declared by the server."""
        self._response = response
        self._limits = limits

    @property
    def target(self) -> str | None:
        """Returns the target of a redirect; None if it is none."""
        location = self.headers.get("Location")
        return _joined(URL(self.url), location) if self.status in _REDIRECTS and location else None

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yields the body, decompressed.

        Raises:
            FetchError: It is too large, has an unsupported encoding, or is incomplete.
        """
        encoding = self.headers.get("Content-Encoding", "").strip().lower()
        if encoding not in _ENCODINGS:
            raise FetchError(
                f"{self.url} serves content that is compressed by {encoding[:40]}, which cannot be read here."
            )
        size = 0
        with _explained(self.url, self._limits):
            async for piece in self._response.content.iter_any():
                size += len(piece)
                if size > self._limits.bytes:
                    raise FetchError(f"{self.url} is too large: more than {self._limits.bytes:,} bytes.")
                yield piece

    async def body(self) -> bytes:
        """Returns the whole body, decompressed.

        Raises:
            FetchError: As `pieces`.
        """
        body = bytearray()
        async for piece in self.pieces():
            body += piece
        return bytes(body)


class AllowedHosts:
    """Non-public hosts and networks that may be reached."""

    def __init__(self, entries: str) -> None:
        """Parses the entries.

        Args:
            entries: Comma-separated entries: a host name, `*.` and a domain for all names below it, an IP address, or a
                network as `10.1.0.0/16`.

        Raises:
            ValueError: An entry is not valid.
        """
        self._names: set[str] = set()
        self._domains: list[str] = []
        self._networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = []
        for entry in filter(None, (part.strip().lower().rstrip(".") for part in entries.split(","))):
            if re.fullmatch(r"[0-9.]+(/\d+)?|[0-9a-f:.]*:[0-9a-f:.]*(/\d+)?", entry):
                try:
                    self._networks.append(ipaddress.ip_network(entry))
                except ValueError as error:
                    raise ValueError(f"ECHOMIND_FETCH__ALLOWED_HOSTS: {entry} is no network: {error}") from None
            elif not re.fullmatch(r"(\*\.)?[\w-]+(\.[\w-]+)*", entry):
                raise ValueError(
                    f"ECHOMIND_FETCH__ALLOWED_HOSTS: {entry} is no host name, no *. with a domain, and no IP "
                    "address or network"
                )
            elif entry.startswith("*."):
                self._domains.append(entry[1:])
            else:
                self._names.add(entry)

    def has_host(self, host: str) -> bool:
        """Returns whether a host is allowed by name."""
        return host in self._names or any(host.endswith(domain) for domain in self._domains)

    def has_address(self, address: str) -> bool:
        """Returns whether an address is in an allowed network."""
        ip = effective_address(address)
        return any(ip in network for network in self._networks)


class Fetcher:
    """Fetches URLs chosen by others. Use one per process, as an asynchronous context manager."""

    def __init__(
        self, allowed: AllowedHosts, limits: FetchLimits | None = None, resolver: AbstractResolver | None = None
    ) -> None:
        """Must be created in a running event loop.

        Args:
            allowed: Non-public hosts that may be reached, on any port. Link-local and metadata addresses
                are never allowed.
            limits: Limits of one fetch.
            resolver: Resolver of host names; the system's if None.
        """
        self._allowed = allowed
        self._limits = limits or FetchLimits()
        connector = aiohttp.TCPConnector(
            limit=100,
            limit_per_host=8,
            use_dns_cache=False,
            resolver=CheckedResolver(self._check_address, resolver),
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None),  # the time limit covers all requests of a fetch together
            headers={"User-Agent": f"EchoMind/{version('echomind')}", "Accept-Encoding": "gzip, deflate"},
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    async def fetch(self, url: str, accepts: Callable[[str], bool], accept: str = "*/*") -> Fetched:
        """Fetches a URL, following redirects.

        Args:
            url: An address with http:// or https://.
            accepts: Content types to read, for example `text/html`; others are rejected.
            accept: The corresponding `Accept` header.

        Raises:
            FetchError: The address is not allowed, does not respond, or has an unwanted content type; or the body
                is too large.
        """
        async with self.open(url, {"Accept": accept}) as response:
            if not 200 <= response.status < 300:
                retryable = response.status in _RETRYABLE
                raise FetchError(f"{response.url} answered with status {response.status}.", retryable=retryable)
            if not accepts(response.content_type):
                shown = response.content_type if _TYPE.fullmatch(response.content_type) else "content of an odd type"
                raise FetchError(f"{response.url} serves {shown}, which cannot be read here.")
            return Fetched(response.url, response.content_type, response.charset, await response.body())

    @asynccontextmanager
    async def open(
        self, url: str, headers: Mapping[str, str] | None = None, *, redirects: int | None = None
    ) -> AsyncIterator[Response]:
        """Requests an address and returns the response with its headers; the body is not read yet.

        Args:
            url: An address with http:// or https://.
            headers: Headers to send.
            redirects: Number of redirects to follow; None uses the limit of `limits`. Further redirects are returned.

        Raises:
            FetchError: The address is not allowed or does not respond.
        """
        max_redirects = self._limits.redirects if redirects is None else redirects
        with _explained(url, self._limits):
            async with asyncio.timeout(self._limits.seconds):
                response = await self._follow(
                    self.parse(url), headers or {}, max_redirects, is_bounded=redirects is None
                )
                try:
                    yield Response(response.url, response, self._limits)
                finally:
                    response.close()

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Posted:
        """Sends a body to an address. Redirects are not followed, and the body of the answer is not read.

        Args:
            url: An address with http:// or https://.
            body: What to send.
            headers: Headers to send.

        Raises:
            FetchError: The address is not allowed or does not respond.
        """
        with _explained(url, self._limits):
            async with asyncio.timeout(self._limits.seconds):
                address = self.parse(url)
                response = await self._session.post(address, data=body, headers=headers, allow_redirects=False)
                response.close()
                return Posted(response.status, response.headers)

    def parse(self, url: str) -> URL:
        """Returns a normalized URL, as `parse_address`; raises its errors."""
        return parse_address(url, self._allowed)

    async def _follow(
        self, url: URL, headers: Mapping[str, str], max_redirects: int, *, is_bounded: bool
    ) -> aiohttp.ClientResponse:
        for followed in range(max_redirects + 1):
            response = await self._session.get(url, headers=headers, allow_redirects=False)
            location = response.headers.get("Location")
            if response.status not in _REDIRECTS or not location or (followed == max_redirects and not is_bounded):
                return response
            response.close()
            url = self.parse(_joined(url, location))
        raise FetchError(f"{url} redirects more than {max_redirects} times.")

    def _check_address(self, host: str, address: str) -> None:
        _check_address(host, address, self._allowed)


def parse_address(url: str, allowed: AllowedHosts) -> URL:
    """Returns a normalized URL if it may be requested, as far as can be checked before its host is resolved.

    Args:
        url: The address.
        allowed: Non-public hosts that may be reached.

    Raises:
        FetchError: It may not; the message says why.
    """
    if len(url) > _MAX_URL:
        raise FetchError(f"The address has {len(url)} characters; it may have {_MAX_URL}.")
    try:
        parsed = URL(url.strip()).with_fragment(None)
        host, port = (parsed.raw_host or "").rstrip(".").lower(), parsed.port
    except (ValueError, UnicodeError) as error:
        raise FetchError(f"{url} is not a valid address: {error}.") from error
    if parsed.scheme not in ("http", "https") or not host:
        raise FetchError(f"{url} is not an address that begins with http:// or https:// and has a host.")
    if parsed.raw_user is not None or parsed.raw_password is not None:
        raise FetchError(f"{url} holds a user name or password; give the address without it.")
    try:
        _check_host(host, port, allowed)
    except AddressRefusedError as error:
        raise FetchError(f"{url} must not be fetched: {error}.") from error
    return parsed


def _check_host(host: str, port: int | None, allowed: AllowedHosts) -> None:
    """Checks a host as written; its addresses are checked when it is resolved."""
    if host in METADATA_HOSTS:
        raise AddressRefusedError(f"{host} is a cloud metadata service")
    try:
        _check_address(host, host, allowed)
        is_allowed = allowed.has_address(host)
    except ValueError:
        is_allowed = allowed.has_host(host)
        if _NUMBER.fullmatch(host.rpartition(".")[2]):
            raise AddressRefusedError(f"{host} is an IP address in an unusual spelling") from None
        if not _NAME.fullmatch(host):
            raise AddressRefusedError(f"{host} is not a host name") from None
    if port not in _PORTS and not is_allowed:
        raise AddressRefusedError(f"port {port} is not one that web pages are served at")


def _check_address(host: str, address: str, allowed: AllowedHosts) -> None:
    """Checks one address of a host. The error omits the address, which may be known in this network only."""
    try:
        refuse_address(address)
        if not allowed.has_host(host.rstrip(".").lower()) and not allowed.has_address(address):
            refuse_non_public_address(address)
    except AddressRefusedError:
        if host == address:
            raise
        raise AddressRefusedError(f"{host} has an address that is not on the public internet") from None


def _joined(url: URL, target: str) -> str:
    """Returns the target of a redirect."""
    try:
        return str(url.join(URL(target)))
    except ValueError as error:
        raise FetchError(f"{url} redirects to what is not a valid address.") from error


@contextmanager
def _explained(url: str, limits: FetchLimits) -> Iterator[None]:
    """Converts failures of a request to `FetchError`.

    Raises:
        FetchError: The request failed.
    """
    try:
        yield
    except AddressRefusedError as error:
        raise FetchError(f"{url} must not be fetched: {error}.") from error
    except TimeoutError as error:
        message = f"{url} did not answer within {limits.seconds:g} seconds."
        raise FetchError(message, retryable=True) from error
    except aiohttp.ClientConnectorDNSError as error:
        raise FetchError(f"{url} cannot be found: there is no such host.") from error
    except aiohttp.ClientConnectorCertificateError as error:
        raise FetchError(f"{url} has a TLS certificate that does not verify.") from error
    except aiohttp.InvalidURL as error:
        raise FetchError(f"{url} is not a valid address.") from error
    except (aiohttp.ClientError, OSError) as error:
        raise FetchError(f"{url} could not be read: the connection failed.", retryable=True) from error
