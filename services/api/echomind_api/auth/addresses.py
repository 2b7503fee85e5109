"""The address of a caller: that of the connection, or the one reported by a trusted proxy."""

import ipaddress
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from echomind_lib.config import ApiSettings

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address

UNKNOWN: Final = "unknown"
"""The address of callers whose transport has none, such as a Unix socket."""
_REMEMBERED_SECONDS: Final = 3600
"""How long an unnamed proxy is reported after its last request."""
_MAX_REMEMBERED: Final = 10
_PARSED: Final = 1024
"""Addresses that are kept as read."""
_ADDRESS_CHARACTERS: Final = 64
"""More than any address has."""
_IPV6_PREFIX: Final = 64
"""One subscriber has at least this network, so its addresses count as one."""


class Proxies:
    """The proxies whose word on their clients is believed."""

    def __init__(self, networks: str) -> None:
        """Reads the setting.

        Args:
            networks: IP addresses and networks such as `10.1.0.0/16`, with commas between; empty means none.

        Raises:
            ValueError: A value is neither; the message names it.
        """
        self._unnamed: dict[_Address, float] = {}
        self._networks = []
        for text in filter(None, (part.strip() for part in networks.split(","))):
            try:
                self._networks.append(ipaddress.ip_network(text))
            except ValueError as error:
                raise ValueError(
                    f"ECHOMIND_API__TRUSTED_PROXIES: {text!r} is no IP address or network: {error}"
                ) from None

    def address(self, peer: str, headers: Mapping[str, str]) -> str:
        """Returns the caller's address without its port, which limits and the audit log use.

        `X-Forwarded-For` is used only for connections from a trusted proxy: its last address that is not itself a
        trusted proxy.

        Args:
            peer: The connection's other end: `host:port`, or as gRPC writes it.
            headers: HTTP headers or gRPC metadata; names in lower case.
        """
        address = _parse(_host(peer))
        if address is None:
            return UNKNOWN
        if self._has(address):
            for text in reversed(headers.get("x-forwarded-for", "").split(",")):
                forwarded = _parse(text.strip())
                if forwarded is None:
                    break
                address = forwarded
                if not self._has(address):
                    break
        elif "x-forwarded-for" in headers and not address.is_global:
            self._remember(address)
        return str(address)

    def unnamed(self) -> Sequence[str]:
        """Returns the addresses within one's own network that forward requests of others without being named.

        Those of the last hour. All callers behind such a proxy have its address, so limits by address are shared.
        Public addresses are not reported, as anybody may send the header.
        """
        since = time.monotonic() - _REMEMBERED_SECONDS
        return sorted(str(address) for address, seen in self._unnamed.items() if seen >= since)

    def _remember(self, address: _Address) -> None:
        if address not in self._unnamed and len(self._unnamed) >= _MAX_REMEMBERED:
            del self._unnamed[min(self._unnamed, key=self._unnamed.__getitem__)]
        self._unnamed[address] = time.monotonic()

    def is_secure(self, peer: str, headers: Mapping[str, str]) -> bool:
        """Returns whether a trusted proxy reports, by `X-Forwarded-Proto`, that the browser's connection uses TLS."""
        address = _parse(_host(peer))
        forwarded = headers.get("x-forwarded-proto", "").rpartition(",")[2].strip().lower()
        return address is not None and self._has(address) and forwarded in {"https", "wss"}

    def has(self, address: str) -> bool:
        """Returns whether an address is a named proxy's."""
        parsed = _parse(address)
        return parsed is not None and self._has(parsed)

    def _has(self, address: _Address) -> bool:
        return any(address in network for network in self._networks)


def own_address(api: ApiSettings, proxies: Proxies, peer: str, headers: Mapping[str, str]) -> str:
    """Returns where a caller's browser reaches EchoMind, with its base path and without a slash at the end.

    Args:
        api: Settings of the gateway; its public address if it is set.
        proxies: The trusted proxies.
        peer: The connection's other end.
        headers: Headers of an HTTP request, in lower case; empty for other transports.
    """
    if public := api.public_url.rstrip("/"):
        return public
    if not (host := headers.get("host", "")):
        return f"http://127.0.0.1:{api.http_port}"
    return f"{'https' if proxies.is_secure(peer, headers) else 'http'}://{host}"


def network_of(address: str) -> str:
    """Returns the key by which an address is limited: the address, or for IPv6 its /64 network."""
    parsed = _parse(address)
    if parsed is None or parsed.version == 4:
        return address
    return str(ipaddress.ip_network((parsed, _IPV6_PREFIX), strict=False))


def _host(peer: str) -> str:
    # gRPC writes `ipv4:127.0.0.1:50000` and `ipv6:%5B::1%5D:50000`, HTTP `127.0.0.1:50000` and `::1:50000`.
    text = unquote(peer).removeprefix("ipv4:").removeprefix("ipv6:")
    return text.rpartition(":")[0].strip("[]")


def _parse(text: str) -> _Address | None:
    return _parsed(text) if len(text) <= _ADDRESS_CHARACTERS else None


@lru_cache(_PARSED)
def _parsed(text: str) -> _Address | None:
    try:
        address = ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, ipaddress.IPv6Address) else address
