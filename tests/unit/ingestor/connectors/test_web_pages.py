"""Pages and sitemaps: whatever a site sends, it is read in part or refused, and nothing else."""

import gzip

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from echomind_ingestor.connectors.web.addresses import normalize
from echomind_ingestor.connectors.web.pages import read_directives, read_markup
from echomind_ingestor.connectors.web.sitemaps import SitemapError, read_sitemap

PAGE = "https://docs.example.org/guide/index.html"
_TAGS = ["<![", "<!", "<!--", "-->", "]]>", "<?", "</", "<", ">", "&#x110000;", "&#xd800;", "&", '"', "'", "=", "\x00"]
_ELEMENTS = [
    '<base href="http://[">',
    '<base href="//[::1">',
    '<link rel="canonical" href="http://[::1">',
    '<meta http-equiv="refresh" content="0; url=http://[">',
    '<meta name="robots" content="echomind: none">',
    '<a href="',
    "<![if x",
    "<!DOCTYPE [",
    "<![CDATA[",
    "<script>",
]
MARKUP = st.lists(st.sampled_from([*_TAGS, *_ELEMENTS]) | st.text(max_size=9), max_size=12).map("".join)
_XML = [
    *(b"<urlset>", b"<url>", b"<loc>", b"http://[::1", b"</loc>", b"</url>", b"<sitemap>", b"&a;", b"<![CDATA["),
    *(b"<?xml version='1.0' encoding='utf-7'?>", b"\xef\xbb\xbf", b"\x1f\x8b", b"<!DOCTYPE a [", b"http://a.test/\n"),
]
SITEMAPS = st.lists(st.sampled_from(_XML) | st.binary(max_size=9), max_size=12).map(b"".join)


@given(MARKUP, st.text(max_size=30))
@example("<![", "")
@example("<![if x]>", "a:b:c,")
def test_any_page_is_read(html: str, directives: str) -> None:
    page = read_markup(html, "/guide")
    read_directives(page, directives, "EchoMind")
    base = normalize(page.base, PAGE) or PAGE
    for target in [*page.links, page.canonical, page.refresh]:
        normalize(target, base)


@given(SITEMAPS, st.integers(0, 3))
@example(b"<?xml version='1.0' encoding='utf-7'?>", 0)
@example(b"<?xml version='1.0' encoding='none'?>", 0)
def test_any_sitemap_is_read_or_refused(data: bytes, packed: int) -> None:
    for _ in range(packed):
        data = gzip.compress(data)
    try:
        for listed in read_sitemap(data):
            normalize(listed.url, PAGE)
    except SitemapError:
        pass


_ENTITIES = '<!DOCTYPE urlset [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>'


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (_ENTITIES.encode(), "declares a document type"),
        (gzip.compress(b"http://docs.example.org/a\n" * 2_000_000), "unpacks to more than 50,000,000 bytes"),
        (b"<urlset>" + b"<url>" * 100, "nested too deeply"),
        (gzip.compress(b"<urlset/>")[:-4] + b"\x00\x00\x00\x00", "packed and damaged"),
    ],
    ids=["entities", "bomb", "depth", "damaged"],
)
def test_bombs_are_refused(data: bytes, reason: str) -> None:
    with pytest.raises(SitemapError, match=reason):
        for _ in read_sitemap(data):
            pass


def test_a_sitemap_that_is_packed_twice_lists_nothing() -> None:
    data = gzip.compress(gzip.compress(b"<urlset><url><loc>http://docs.example.org/</loc></url></urlset>"))
    assert list(read_sitemap(data)) == []
