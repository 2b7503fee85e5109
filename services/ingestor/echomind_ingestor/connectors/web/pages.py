"""The parts of a page that a crawl uses: its links, its canonical address, and its directives for crawlers."""

import hashlib
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final

from typing_extensions import override

_LIMIT: Final = 2_000_000
"""Maximum characters of a page to parse."""
_MAX_LINKS: Final = 5000
_SILENT: Final = frozenset({"script", "style", "template"})
_REFRESH: Final = re.compile(r"(?i)\s*\d*\s*[;,]\s*url\s*=\s*['\"]?([^'\"]+)")


@dataclass(slots=True)
class Markup:
    """The content of a page.

    Attributes:
        title: Title of the page.
        base: Base address of its links; empty for its own address.
        links: Link targets, as written.
        canonical: Its canonical address, as written; empty for none.
        refresh: Target of its automatic refresh; empty for none.
        is_indexed: Whether it may be indexed.
        is_followed: Whether its links may be followed.
        text: A digest of its title and visible text.
        words: Number of words of that text.
    """

    title: str = ""
    base: str = ""
    links: list[str] = field(default_factory=list)
    canonical: str = ""
    refresh: str = ""
    is_indexed: bool = True
    is_followed: bool = True
    text: str = ""
    words: int = 0


def read_markup(html: str, ignored: str = "") -> Markup:
    """Parses a page for crawling, in linear time.

    Args:
        html: The page.
        ignored: Text to ignore in its digest, such as its own path.
    """
    parser = _Parser(ignored)
    parser.feed(html[:_LIMIT])
    parser.close()
    parser.page.text = parser.digest.hexdigest()
    parser.page.title = " ".join(parser.page.title.split())
    return parser.page


def read_directives(page: Markup, values: str, product: str) -> None:
    """Applies a list of directives, such as `noindex, nofollow` or `EchoMind: none`, to a page."""
    agent, colon, rest = values.partition(":")
    if colon and "," not in agent and agent.strip().lower() not in {"unavailable_after", "max-snippet"}:
        if agent.strip().lower() != product.lower():
            return  # addressed to another crawler
        values = rest
    words = {value.strip().lower() for value in values.split(",")}
    if words & {"noindex", "none"}:
        page.is_indexed = False
    if words & {"nofollow", "none"}:
        page.is_followed = False


class _Parser(HTMLParser):
    def __init__(self, ignored: str) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Markup()
        self.digest = hashlib.sha256()
        self._ignored = ignored
        self._silent = 0
        self._is_title = False

    @override
    def parse_html_declaration(self, i: int) -> int:
        try:
            return super().parse_html_declaration(i)
        except AssertionError:  # such as `<![<![`: browsers take it for a comment, as the standard says
            return self.parse_bogus_comment(i)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in reversed(attrs)}
        page = self.page
        if tag in _SILENT:
            self._silent += 1
        elif tag == "title":
            self._is_title = not page.title
        elif tag == "base" and not page.base:
            page.base = values.get("href", "")
        elif tag in {"a", "area"} and "nofollow" not in values.get("rel", "").lower().split():
            self._add(values.get("href", ""))
        elif tag in {"iframe", "frame"}:
            self._add(values.get("src", ""))
        elif tag == "link" and "canonical" in values.get("rel", "").lower().split() and not page.canonical:
            page.canonical = values.get("href", "").strip()
        elif tag == "meta":
            self._read_meta(values)

    def _read_meta(self, values: dict[str, str]) -> None:
        name, content = values.get("name", "").strip().lower(), values.get("content", "")
        if name in {"robots", "echomind"}:
            read_directives(self.page, content, "echomind")
        elif values.get("http-equiv", "").lower() == "refresh" and (found := _REFRESH.match(content)):
            self.page.refresh = found[1].strip()

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag == "title":
            self._is_title = False

    def handle_data(self, data: str) -> None:
        if self._is_title:
            self.page.title += data[:1000]
        if self._silent:
            return
        words = (data.replace(self._ignored, "") if self._ignored else data).split()
        self.page.words += len(words)
        for word in words:
            self.digest.update(word.encode("utf-8", "replace") + b" ")

    def _add(self, target: str) -> None:
        target = target.strip()
        if target and not target.startswith("#") and len(self.page.links) < _MAX_LINKS:
            self.page.links.append(target)
