"""Addresses on pages: whatever a page holds, an address is normalized or refused."""

from hypothesis import example, given
from hypothesis import strategies as st
from yarl import URL

from echomind_ingestor.connectors.web.addresses import Territory, leads_nowhere, normalize, origin, site
from echomind_lib.connectors.types.web import WebSettings
from tests.drivers.tables import for_each

PAGE = "https://docs.example.org/guide/index.html"
TERRITORY = Territory(WebSettings(start_urls=(PAGE,), include=("/guide/*",), exclude=("*?print=1",)))
HOSTS = ["[", "]", "::1", "fe80::1%25eth0", "::ffff:10.0.0.1", "docs.example.org", "xn--", "ß", "@", ":", "80", "99999"]
PATHS = [
    "/",
    "..",
    "?",
    "#",
    "%",
    "%zz",
    "%2F",
    ";jsessionid=1",
    ".",
    "\\",
    "\x00",
    "\ud800",
    "a",
    "utm_source=x",
    "&",
    "*",
]
PIECES = st.sampled_from(["http://", "https://", "//", "javascript:", "data:,", *HOSTS, *PATHS])
ADDRESSES = st.one_of(st.lists(PIECES, max_size=9).map("".join), st.text(max_size=60))


@given(ADDRESSES, st.one_of(st.none(), ADDRESSES))
@example("http://[::1]/x", None)
@example("http://[fe80::1%25eth0]/", PAGE)
@example("http://[]@", None)
@example("http://..", None)
@example("0", "[/0")
def test_every_address_is_normalized_or_refused(target: str, base: str | None) -> None:
    found = normalize(target, base and normalize(base, PAGE))
    if found is None:
        return
    assert normalize(found) == found
    assert URL(found).raw_host
    assert site(found)
    assert origin(found).startswith(("http://", "https://"))
    leads_nowhere(found)
    TERRITORY.follows(found, 0)


@for_each(
    ("target", "expected"),
    [
        ("http://[::1]/x", "http://[::1]/x"),
        ("HTTP://[::1]:80/x?utm_source=a&b=1#c", "http://[::1]/x?b=1"),
        ("https://[2001:DB8::2]:8443", "https://[2001:db8::2]:8443/"),
        ("http://[", None),
        ("http://a:99999/", None),
        ("https://Example.ORG.:443/a/../b", "https://example.org/b"),
    ],
)
def test_forms(target: str, expected: str | None) -> None:
    assert normalize(target) == expected
