"""The child process that reads pages: `python -m echomind_lib.network.page_child`, started by `PageReader`."""

import codecs
import re

import msgspec

from echomind_lib.confined.child import confine, serve
from echomind_lib.encodings import likely_encoding
from echomind_lib.text import TITLE_CHARACTERS, single_line

MEMORY_BYTES = 1024**3
CPU_SECONDS = 10
"""Processor time per page."""

_META = re.compile(rb"<meta[^>]{1,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_META_WITHIN = 2048
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Pages labelled as Latin-1 or ASCII are Windows-1252, as in browsers.
_WESTERN = "cp1252"
_CALLED_WESTERN = frozenset({"ascii", "iso8859-1"})
_SAMPLE = 64 * 1024
_GAP = re.compile(r"\n\s*\n\s*\n+")


class Page(msgspec.Struct, array_like=True):
    """A page as text."""

    title: str
    """The page's own title; empty if it has none."""
    text: str


class PageJob(msgspec.Struct, array_like=True):
    """A page to read."""

    body: bytes
    url: str
    is_html: bool
    charset: str | None
    """As declared by the server."""


class PageReply(msgspec.Struct, array_like=True):
    """The result of a child."""

    page: Page | None
    refusal: str = ""
    """Why it cannot be read; continues a sentence that begins with the address."""


def main() -> None:
    """Reads pages until its input ends."""
    confine(MEMORY_BYTES)
    serve(_answer, CPU_SECONDS)


def _answer(job: bytes) -> bytes:
    try:
        reply = PageReply(read(msgspec.msgpack.decode(job, type=PageJob)))
    except ValueError as error:
        reply = PageReply(None, str(error))
    except (MemoryError, RecursionError):
        reply = PageReply(None, "is too complex to be read")
    return msgspec.msgpack.encode(reply)


def read(job: PageJob) -> Page:
    """Reads one page.

    Raises:
        ValueError: It contains no text; the message says so.
    """
    text = decode(job.body, job.charset, is_html=job.is_html)
    if "\0" in text[:_SAMPLE]:
        raise ValueError("does not serve text, although it says so")
    page = _read_html(text, job.url) if job.is_html else Page("", text)
    page.text = _GAP.sub("\n\n", page.text.replace("\r\n", "\n")).strip()
    if not page.text:
        raise ValueError("holds no text; it may need a browser that runs its scripts")
    return page


def decode(body: bytes, charset: str | None, *, is_html: bool) -> str:
    """Returns the text of a body, decoded by byte order mark, the server's or the page's charset, or detection."""
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    stated = [charset]
    if is_html and (meta := _META.search(body[:_META_WITHIN])):
        stated.append(meta[1].decode("ascii", "replace"))
    for name in filter(None, stated):
        try:
            known = codecs.lookup(name).name
            return body.decode(_WESTERN if known in _CALLED_WESTERN else known, "replace")
        except (LookupError, ValueError):
            continue  # an unknown character set, or a codec that does not decode to text
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body.decode(likely_encoding(body[:_SAMPLE]) or _WESTERN, "replace")


def _read_html(html: str, url: str) -> Page:
    import trafilatura

    tree = trafilatura.load_html(html)
    if tree is None:  # plain text labelled as HTML, or a fragment of a page
        html = f"<html><body>{html}</body></html>"
        tree = trafilatura.load_html(html)
    if tree is None:
        return Page("", "")
    title = single_line(tree.findtext(".//title") or "", TITLE_CHARACTERS)
    text = trafilatura.extract(
        tree, url=url, output_format="markdown", include_links=True, include_tables=True, include_comments=False
    )
    return Page(title, text or trafilatura.html2txt(html) or "")


if __name__ == "__main__":
    main()
