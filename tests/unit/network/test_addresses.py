"""Classes of addresses."""

import ipaddress
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_lib.network.addresses import (
    AddressRefusedError,
    effective_address,
    refuse_address,
    refuse_host,
    refuse_non_public_address,
)
from tests.drivers.tables import for_each

PUBLIC = ["8.8.8.8", "93.184.215.14", "2606:4700::1111", "2a00:1450:4001::200e", "::ffff:8.8.8.8", "64:ff9b::808:808"]
INNER = ["127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "::1", "fd12:3456::1"]
NEVER = ["169.254.169.254", "0.0.0.0", "224.0.0.1", "100.100.100.200", "168.63.129.16", "::", "fe80::1", "ff02::1"]
FORMS: dict[str, Callable[[int], ipaddress.IPv6Address]] = {
    "mapped": lambda low: ipaddress.IPv6Address(0xFFFF << 32 | low),
    "compatible": ipaddress.IPv6Address,
    "translated": lambda low: ipaddress.IPv6Address(0xFFFF << 48 | low),
    "6to4": lambda low: ipaddress.IPv6Address(0x2002 << 112 | low << 80 | 1),
    "NAT64": lambda low: ipaddress.IPv6Address(0x64FF9B << 96 | low),
}


@for_each("address", PUBLIC)
def test_public_addresses_pass(address: str) -> None:
    refuse_address(address)
    refuse_non_public_address(address)


@for_each("address", INNER)
def test_inner_addresses_pass_for_settings_alone(address: str) -> None:
    refuse_address(address)
    with pytest.raises(AddressRefusedError, match="private, loopback or reserved"):
        refuse_non_public_address(address)


@for_each("address", [*NEVER, "fe80::1%eth0", "fe80::5efe:808:808", "fd00:ec2::254"])
def test_some_addresses_never_pass(address: str) -> None:
    with pytest.raises(AddressRefusedError, match="link-local, metadata or multicast"):
        refuse_address(address)
    with pytest.raises(AddressRefusedError, match="link-local, metadata or multicast"):
        refuse_non_public_address(address)


@for_each("host", ["metadata.google.internal", "METADATA.google.internal.", "instance-data.", "169.254.169.254."])
def test_metadata_services_never_pass_by_any_name(host: str) -> None:
    with pytest.raises(AddressRefusedError, match="metadata"):
        refuse_host(host)


@for_each("host", ["gpu", "models.example.org.", "10.0.0.1", "localhost."])
def test_other_hosts_pass_until_they_are_resolved(host: str) -> None:
    refuse_host(host)


@for_each(
    "address",
    [
        *["100.64.0.1", "192.0.0.8", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "192.88.99.1"],
        *["240.0.0.1", "255.255.255.255", "0.1.2.3"],
        *["2001::1", "2001:db8::1", "3fff::1", "fec0::1", "64:ff9b:1::1", "100::1", "4000::1", "2001:2::1"],
        *["2606:4700::5efe:7f00:1", "2606:4700::200:5efe:a00:1", "fd00::5efe:808:808"],
    ],
)
def test_what_is_neither_is_not_public(address: str) -> None:
    with pytest.raises(AddressRefusedError):
        refuse_non_public_address(address)


@pytest.mark.parametrize("form", FORMS)
@given(low=st.integers(min_value=2**24, max_value=2**32 - 1))
def test_ipv6_forms_of_ipv4_are_judged_alike(form: str, low: int) -> None:
    plain, inside = str(ipaddress.IPv4Address(low)), str(FORMS[form](low))
    assert effective_address(inside) == effective_address(plain)
    for refuse in (refuse_address, refuse_non_public_address):
        verdicts = []
        for address in (plain, inside):
            try:
                refuse(address)
                verdicts.append(True)
            except AddressRefusedError:
                verdicts.append(False)
        assert verdicts[0] == verdicts[1]


@given(st.ip_addresses(v=4))
def test_nothing_that_is_not_global_is_public(address: ipaddress.IPv4Address) -> None:
    if not address.is_global or address.is_multicast:
        with pytest.raises(AddressRefusedError):
            refuse_non_public_address(str(address))


@pytest.mark.parametrize("text", ["", "example.com", "1.2.3", "010.0.0.1", "2130706433"])
def test_what_is_no_address_is_said_to_be_none(text: str) -> None:
    with pytest.raises(ValueError, match="not appear to be an IPv4 or IPv6"):
        refuse_non_public_address(text)
