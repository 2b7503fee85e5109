"""Pages as text: character sets, main content, and pages that want to do harm."""

import asyncio

import pytest

from echomind_lib.network import page as pages
from echomind_lib.network.fetching import Fetched, FetchError
from echomind_lib.network.page import PageReader, is_readable
from echomind_lib.network.page_child import Page, PageJob, decode, read
from tests.drivers.tables import for_each

TEXT = "Grüße aus Köln, Straße für Straße – „heiß“"


def job(body: bytes | str, *, is_html: bool = True, charset: str | None = None) -> PageJob:
    return PageJob(body.encode() if isinstance(body, str) else body, "https://example.com/a/", is_html, charset)


@for_each(
    ("body", "charset", "is_html"),
    [
        (TEXT.encode(), None, False),
        (TEXT.encode(), "utf-8", False),
        (TEXT.encode("utf-8-sig"), "latin-1", False),
        (b"\xff\xfe" + TEXT.encode("utf-16-le"), None, False),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), "utf-8", False),
        (TEXT.encode("cp1252"), "windows-1252", False),
        (TEXT.encode("cp1252"), "ISO-8859-1", False),
        (TEXT.encode("cp1252"), "us-ascii", False),
        (TEXT.encode(), "no-such-charset", False),
        (TEXT.encode(), "hex", False),
        (TEXT.encode("cp1252") * 20, None, False),
    ],
)
def test_character_sets(body: bytes, charset: str | None, is_html: bool) -> None:
    assert decode(body, charset, is_html=is_html).startswith(TEXT)


@pytest.mark.parametrize(
    "meta", ["<meta charset='cp1252'>", '<META http-equiv="x" content="text/html; charset=latin1">']
)
def test_character_sets_that_pages_state(meta: str) -> None:
    body = f"<html><head>{meta}</head><body>{TEXT}".encode("cp1252")
    assert TEXT in decode(body, None, is_html=True)
    assert TEXT not in decode(body, "utf-8", is_html=True)


def test_main_content_is_kept_as_markdown() -> None:
    page = read(
        job(
            "<html><head><title>The\n policy</title><script>var x = 'no';</script><style>p {}</style></head><body>"
            "<nav><ul><li><a href='/'>Start</a></li></ul></nav><main><h1>Leave</h1>"
            "<p>Everyone has thirty days of leave a year. That is what <a href='../rules'>the rules</a> say.</p>"
            f"<p>{'Who works part time has as many days as the others. ' * 4}</p>"
            "<table><tr><th>Year</th><th>Days</th></tr><tr><td>2026</td><td>30</td></tr></table>"
            "<ul><li>first thing</li><li>second thing</li></ul></main>"
            "<footer>Imprint of the site</footer></body></html>"
        )
    )
    assert page.title == "The policy"
    assert page.text.startswith("# Leave\n\nEveryone has thirty days")
    for part in ("[the rules](https://example.com/rules)", "| 2026 | 30 |", "- first thing\n- second thing"):
        assert part in page.text
    for part in ("Imprint", "var x", "Start"):
        assert part not in page.text


@pytest.mark.parametrize("body", ["<p>short", "short", "<html><body>short</body></html>", "<div>short</div>"])
def test_short_and_broken_pages_are_read(body: str) -> None:
    assert read(job(body)).text == "short"


def test_text_stays_as_it_is() -> None:
    assert read(job("# A\r\n\r\n\r\n\r\n  <b>\n", is_html=False)) == Page("", "# A\n\n  <b>")


@pytest.mark.parametrize("body", ["", " \n ", "<html></html>", "<script>x</script>"])
def test_pages_without_text_are_refused(body: str) -> None:
    with pytest.raises(ValueError, match="holds no text"):
        read(job(body))


@for_each(
    ("content_type", "readable"),
    [
        ("text/html", True),
        ("text/markdown", True),
        ("application/xhtml+xml", True),
        ("application/json", True),
        ("application/ld+json", True),
        ("application/atom+xml", True),
        ("application/pdf", False),
        ("image/png", False),
        ("application/octet-stream", False),
        ("application/zip", False),
    ],
)
def test_types_that_can_be_read(content_type: str, readable: bool) -> None:
    assert is_readable(content_type) == readable


def fetched(body: bytes, content_type: str = "text/html") -> Fetched:
    return Fetched("https://example.com/", content_type, None, body)


async def test_pages_share_the_children() -> None:
    async with PageReader(1) as reader:
        found = await asyncio.gather(*(reader.read(fetched(f"<p>page {n}".encode())) for n in range(5)))
        assert [page.text for page in found] == [f"page {n}" for n in range(5)]
        with pytest.raises(FetchError, match=r"https://example\.com/ holds no text"):
            await reader.read(fetched(b""))


async def test_a_page_that_takes_too_long_harms_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    async with PageReader(1) as reader:
        assert (await reader.read(fetched(b"<p>before"))).text == "before"
        (child,) = reader._children
        monkeypatch.setattr(child, "_seconds", 0.5)
        with pytest.raises(FetchError, match="too complex to be read"):
            await reader.read(fetched(b"<html><body><p>a" + b"<br>" * 250_000))
        monkeypatch.setattr(child, "_seconds", pages._SECONDS)
        assert (await reader.read(fetched(b"<p>after"))).text == "after"


@for_each(
    "body",
    [
        b"<div>" * 100_000,
        b"<b>" * 100_000 + b"x",
        b"<table><tr><td>" * 20_000,
        b"<" * 100_000,
        b"<p " + b"a=b " * 50_000 + b">x",
        b"<!DOCTYPE a [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]><html><body>&b;</body></html>",
        b"<html><head><script type='application/ld+json'>" + b"[" * 100_000,
        bytes(range(1, 256)) * 100,
    ],
)
def test_hostile_pages_are_read_or_refused(body: bytes) -> None:
    try:
        page = read(job(body))
    except ValueError as error:
        assert "text" in str(error)  # noqa: PT017
    else:
        assert page.text
