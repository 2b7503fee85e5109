"""Address checks: addresses that are never allowed, and addresses that are allowed in trusted settings only.

An IPv6 address that embeds an IPv4 address (mapped, compatible, translated, 6to4, NAT64) is checked as the IPv4
address.
"""

import ipaddress
from collections.abc import Callable
from socket import AddressFamily
from typing import TypeAlias

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from typing_extensions import override

METADATA_HOSTS = frozenset({"metadata", "metadata.google.internal", "instance-data", "instance-data.ec2.internal"})
"""Names of cloud metadata services."""
# Metadata and host services outside the link-local ranges: AWS over IPv6, Google over IPv6, Alibaba, Oracle, Azure.
METADATA_ADDRESSES = frozenset(
    ipaddress.ip_address(text)
    for text in ("fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "192.0.0.192", "168.63.129.16")
)

_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_COMPATIBLE = ipaddress.ip_network("::/96")
_TRANSLATED = ipaddress.ip_network("::ffff:0:0:0/96")
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)
"""The third 32 bits of an ISATAP address (a tunnel into a site's IPv4 network), with any prefix."""
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
# Within ranges marked as global, but reserved for documentation, tunnels, protocols or relays.
_SPECIAL = tuple(
    ipaddress.ip_network(text)
    for text in ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "2001:db8::/32", "3fff::/20", "2620:4f:8000::/48")
)


class AddressRefusedError(Exception):
    """A connection would go to an address that must not be reached. The message contains it and its class."""


def refuse_address(address: str) -> None:
    """Raises an error if an IP address is not allowed in a setting; public, private and loopback addresses are allowed.

    Raises:
        AddressRefusedError: It is link-local, metadata, multicast or unspecified.
        ValueError: It is not an IP address.
    """
    ip = effective_address(address)
    if ip.is_link_local or ip.is_multicast or ip.is_unspecified or ip in METADATA_ADDRESSES:
        raise AddressRefusedError(f"{address} is a link-local, metadata or multicast address")


def refuse_host(host: str) -> None:
    """Raises an error if a host is not allowed in a setting, as far as can be checked before it is resolved.

    Raises:
        AddressRefusedError: It is a metadata service by name, also with the dot at the end of a full domain name, or
            an IP address that `refuse_address` refuses.
    """
    name = host.rstrip(".")
    if name.lower() in METADATA_HOSTS:
        raise AddressRefusedError(f"{name} is a cloud metadata service")
    try:
        refuse_address(name)
    except ValueError:
        return  # a host name; its addresses are checked when a connection is opened


def refuse_non_public_address(address: str) -> None:
    """Raises an error if an IP address is not on the public internet.

    Raises:
        AddressRefusedError: It is anything else: private, loopback, shared, reserved, or what `refuse_address` refuses.
        ValueError: It is not an IP address.
    """
    refuse_address(address)
    ip = effective_address(address)
    unrouted = isinstance(ip, ipaddress.IPv6Address) and (
        ip not in _GLOBAL_UNICAST or (int(ip) >> 32) & 0xFFFF_FFFF in _ISATAP
    )
    if unrouted or not ip.is_global or ip.is_reserved or any(ip in network for network in _SPECIAL):
        raise AddressRefusedError(f"{address} is a private, loopback or reserved address")


def effective_address(address: str) -> _Address:
    """Returns the effective address of a connection: without zone, and the IPv4 address embedded in an IPv6 one.

    Raises:
        ValueError: It is not an IP address.
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv4Address):
        return ip
    if embedded := ip.ipv4_mapped or ip.sixtofour:
        return embedded
    low = ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)
    carries = ip in _NAT64 or ip in _TRANSLATED or (ip in _COMPATIBLE and int(ip) > 1)  # excludes :: and ::1
    return low if carries else ip


class CheckedResolver(AbstractResolver):
    """Resolves host names. A name is refused if any of its addresses is.

    A connector connects to what its resolver returned, so the checked address is the one that is used. Hosts given as
    addresses are not resolved: check them before a request.
    """

    def __init__(self, check: Callable[[str, str], None], resolver: AbstractResolver | None = None) -> None:
        """Must be created in a running event loop.

        Args:
            check: Called with the host name and one of its addresses; raises `AddressRefusedError`.
            resolver: Resolver of host names; the system's if None.
        """
        self._check = check
        self._resolver = resolver or aiohttp.ThreadedResolver()

    @override
    async def resolve(
        self, host: str, port: int = 0, family: AddressFamily = AddressFamily.AF_INET
    ) -> list[ResolveResult]:
        results = await self._resolver.resolve(host, port, family)
        for result in results:
            self._check(host, result["host"])
        return results

    @override
    async def close(self) -> None:
        await self._resolver.close()
