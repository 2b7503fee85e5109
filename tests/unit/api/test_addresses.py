"""Addresses of callers behind proxies, and the cookie that follows from them."""

import pytest
from starlette.requests import Request
from starlette.responses import Response

from echomind_api.auth.addresses import UNKNOWN, Proxies, network_of
from echomind_api.auth.cookies import SessionCookie
from tests.drivers.tables import for_each

PROXIES = Proxies("10.0.0.0/8, 192.0.2.7,2001:db8::/32")


@for_each(
    ("peer", "forwarded", "address"),
    [
        ("198.51.100.1:443", "", "198.51.100.1"),
        ("198.51.100.1:443", "203.0.113.9", "198.51.100.1"),
        ("10.1.2.3:443", "203.0.113.9", "203.0.113.9"),
        ("ipv4:10.1.2.3:443", "203.0.113.9", "203.0.113.9"),
        ("10.1.2.3:443", "1.1.1.1, 203.0.113.9", "203.0.113.9"),
        ("10.1.2.3:443", "1.1.1.1, 203.0.113.9, 192.0.2.7", "203.0.113.9"),
        ("10.1.2.3:443", "10.9.9.9", "10.9.9.9"),
        ("10.1.2.3:443", "nonsense", "10.1.2.3"),
        ("10.1.2.3:443", "203.0.113.9, nonsense", "10.1.2.3"),
        ("10.1.2.3:443", "", "10.1.2.3"),
        ("ipv6:%5B2001:db8::1%5D:50000", "203.0.113.9", "203.0.113.9"),
        ("ipv6:[::ffff:10.1.2.3]:50000", "203.0.113.9", "203.0.113.9"),
        ("::1:50000", "203.0.113.9", "::1"),
        ("unix:", "203.0.113.9", UNKNOWN),
        ("", "203.0.113.9", UNKNOWN),
    ],
)
def test_forwarded_addresses_count_from_named_proxies_alone(peer: str, forwarded: str, address: str) -> None:
    assert PROXIES.address(peer, {"x-forwarded-for": forwarded}) == address
    assert Proxies("").address(peer, {"x-forwarded-for": forwarded}) == Proxies("").address(peer, {})


def test_a_proxy_that_is_not_named_is_remembered() -> None:
    proxies = Proxies("10.0.0.1")
    forwarded = {"x-forwarded-for": "203.0.113.9"}
    for peer in ("10.0.0.1:1", "8.8.8.8:1", "unix:"):
        proxies.address(peer, forwarded)
    proxies.address("10.0.0.3:1", {})
    assert proxies.unnamed() == [], "named, public, without an address, or nothing is forwarded"
    for peer in ("10.0.0.2:1", "127.0.0.1:1", "ipv6:%5Bfd00::1%5D:50000"):
        proxies.address(peer, forwarded)
    assert proxies.unnamed() == ["10.0.0.2", "127.0.0.1", "fd00::1"]
    for number in range(30):
        proxies.address(f"10.0.1.{number}:1", forwarded)
    assert len(proxies.unnamed()) == 10


def test_a_wrong_setting_names_itself() -> None:
    with pytest.raises(ValueError, match=r"TRUSTED_PROXIES: 'proxy\.example'"):
        Proxies("10.0.0.1, proxy.example")


def test_addresses_of_one_subscriber_count_as_one() -> None:
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff:1") == "2001:db8::/64"
    assert network_of("192.0.2.1") == "192.0.2.1"
    assert network_of(UNKNOWN) == UNKNOWN


def request(peer: str, **headers: str) -> Request:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "client": (peer, 5), "headers": raw, "scheme": "http", "path": "/"})


@for_each(
    ("peer", "headers", "always", "name", "secure"),
    [
        ("127.0.0.1", {"host": "127.0.0.1:8080"}, False, "echomind_session_8080", False),
        ("127.0.0.1", {"host": "[::1]:9090"}, False, "echomind_session_9090", False),
        ("127.0.0.1", {"host": "[::1]"}, False, "echomind_session", False),
        ("127.0.0.1", {"host": "mind.example"}, False, "echomind_session", False),
        ("127.0.0.1", {"host": "mind.example", "x_forwarded_proto": "https"}, False, "echomind_session", False),
        ("10.0.0.1", {"host": "mind.example", "x_forwarded_proto": "https"}, False, "__Host-echomind_session", True),
        ("10.0.0.1", {"host": "m.example:8443", "x_forwarded_proto": "http, https"}, False,
         "__Host-echomind_session_8443", True),
        ("10.0.0.1", {"host": "mind.example", "x_forwarded_proto": "http"}, False, "echomind_session", False),
        ("127.0.0.1", {"host": "mind.example:8443"}, True, "__Host-echomind_session_8443", True),
    ],
)  # fmt: skip
def test_the_cookie_is_bound_to_the_port_and_secure_behind_tls(
    peer: str, headers: dict[str, str], always: bool, name: str, secure: bool
) -> None:
    cookie = SessionCookie(PROXIES, always_secure=always)
    response = Response()
    cookie.set(request(peer, **headers), response, "token")
    (sent,) = response.headers.getlist("set-cookie")
    assert sent.startswith(f"{name}=token; HttpOnly;")
    assert ("Secure" in sent) is secure
    assert "Path=/" in sent
    assert "Domain" not in sent
    assert cookie.read_from(request(peer, **headers, cookie=f"{name}=token")) == "token"
    for other in ("echomind_session_1", "__Host-echomind_session_1", f"x{name}"):
        assert cookie.read_from(request(peer, **headers, cookie=f"{other}=token")) is None
