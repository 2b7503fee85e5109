"""The HTTP connections of a source: to a vendor's configured addresses, and to addresses from its responses.

Configured addresses may be private, such as a test server or a national cloud; addresses from responses (redirects,
downloads) must be public, unless an administrator allows them.
"""

from collections.abc import Iterable
from importlib.metadata import version

import aiohttp
from yarl import URL

from echomind_ingestor.connectors.protocol import SourceError
from echomind_lib.network.addresses import (
    AddressRefusedError,
    CheckedResolver,
    refuse_address,
    refuse_non_public_address,
)
from echomind_lib.network.fetching import AllowedHosts

CONNECT_SECONDS = 10.0
READ_SECONDS = 60.0
"""Time-out without receiving data."""


class SourceSession:
    """The connections of one source. Use it as an asynchronous context manager."""

    def __init__(self, trusted: Iterable[str], allowed: AllowedHosts) -> None:
        """Must be created in a running event loop.

        Args:
            trusted: The vendor's addresses, from the settings.
            allowed: Addresses that may be reached in addition.
        """
        urls = [URL(url) for url in trusted]
        self._trusted = {url.host for url in urls}
        self._is_plain = any(url.scheme == "http" for url in urls)
        self._allowed = allowed
        self.http = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit_per_host=8, use_dns_cache=False, resolver=CheckedResolver(self._check_address)
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS, sock_read=READ_SECONDS),
            headers={"User-Agent": f"NONISV|EchoMind|EchoMind/{version('echomind')}"},
        )

    async def close(self) -> None:
        """Closes the connections."""
        await self.http.close()

    def check_url(self, url: URL) -> None:
        """Checks an address from a response.

        Raises:
            SourceError: It may not be reached.
        """
        host = url.host or ""
        if not host or url.scheme not in ("http", "https") or (url.scheme == "http" and not self._is_plain):
            raise SourceError("The connected system names an address to read from that does not begin with https://.")
        try:
            self._check_address(host, host)
        except ValueError:
            return  # a host name; its addresses are checked when a connection is opened
        except AddressRefusedError as error:
            raise SourceError(f"The connected system names an address that must not be reached: {error}.") from None

    def _check_address(self, host: str, address: str) -> None:
        refuse_address(address)
        if host in self._trusted or self._allowed.has_host(host) or self._allowed.has_address(address):
            return
        refuse_non_public_address(address)
