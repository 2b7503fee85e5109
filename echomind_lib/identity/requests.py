"""Requests to providers: to addresses that a setting may name, without redirects, with limits of time and size."""

import asyncio
import socket
from typing import Final

import httpx2
from typing_extensions import override

from echomind_lib.config.providers import LOOPBACK_HOSTS
from echomind_lib.network.addresses import AddressRefusedError, effective_address, refuse_address

_MAX_BYTES: Final = 1024 * 1024
TIMEOUT_SECONDS: Final = 15.0


class AnswerTooLongError(httpx2.HTTPError):
    """A provider's answer is too long."""


class CheckedTransport(httpx2.AsyncBaseTransport):
    """Connects to the address that it has checked, and reads answers of a limited size.

    The addresses of a provider may be private, but not link-local or those of cloud metadata. Without TLS they must be
    loopback.
    """

    def __init__(self) -> None:
        # Providers are asked seldom: no connection is kept, so there is nothing to close.
        self._inner = httpx2.AsyncHTTPTransport(trust_env=False, limits=httpx2.Limits(max_keepalive_connections=0))

    @override
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        host = request.url.host
        address = await _resolve(host, request.url.port or (443 if request.url.scheme == "https" else 80))
        try:
            refuse_address(address)
            if request.url.scheme != "https" and not effective_address(address).is_loopback:
                raise AddressRefusedError(f"{address} is not loopback, and the address has no TLS")
        except AddressRefusedError as error:
            raise httpx2.ConnectError(f"{host}: {error}") from error
        request.extensions = {**request.extensions, "sni_hostname": host}
        request.url = request.url.copy_with(host=address)
        response = await self._inner.handle_async_request(request)
        body = b""
        try:
            async for piece in response.aiter_raw():
                body += piece
                if len(body) > _MAX_BYTES:
                    raise AnswerTooLongError(f"{host} has sent more than {_MAX_BYTES} bytes")
        finally:
            await response.aclose()
        return httpx2.Response(response.status_code, headers=response.headers, content=body)


def is_safe(address: str) -> bool:
    """Returns whether an address of a provider's document uses TLS, or is loopback."""
    try:
        url = httpx2.URL(address)
    except httpx2.InvalidURL:
        return False
    return bool(url.host) and (url.scheme == "https" or (url.scheme == "http" and url.host in LOOPBACK_HOSTS))


async def _resolve(host: str, port: int) -> str:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpx2.ConnectError(f"{host} is not known: {error}") from error
    return str(found[0][4][0])
