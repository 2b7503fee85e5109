"""Sitemaps: XML, sitemap indexes, text, RSS and Atom, optionally compressed. Their contents are untrusted."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from xml.parsers import expat

_MAX_BYTES: Final = 50_000_000
"""Maximum size of a sitemap, decompressed, as in its protocol."""
_PIECE: Final = 64 * 1024
_GZIP: Final = b"\x1f\x8b"
_MAX_ADDRESS: Final = 2000


@dataclass(frozen=True, slots=True)
class Listed:
    """An address in a sitemap.

    Attributes:
        url: The address, as written.
        is_sitemap: Whether it is another sitemap.
    """

    url: str
    is_sitemap: bool


class SitemapError(Exception):
    """A sitemap cannot be read; the message says why."""


def read_sitemap(data: bytes) -> Iterator[Listed]:
    """Yields the addresses in a sitemap.

    Raises:
        SitemapError: It is damaged, too large, or defines entities; addresses yielded before are valid.
    """
    pieces = _unpacked(data)
    first = next(pieces, b"")
    if first.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        yield from _read_xml(first, pieces)
    else:
        yield from _read_text(first, pieces)


def _unpacked(data: bytes) -> Iterator[bytes]:
    """Yields data in pieces, decompressed if it begins with gzip's signature, whatever its name."""
    if not data.startswith(_GZIP):
        yield from (data[at : at + _PIECE] for at in range(0, len(data), _PIECE))
        return
    unpacker, size = zlib.decompressobj(wbits=31), 0
    try:
        while data and not unpacker.eof:
            piece = unpacker.decompress(data, _PIECE)
            data, size = unpacker.unconsumed_tail, size + len(piece)
            if size > _MAX_BYTES:
                raise SitemapError(f"it unpacks to more than {_MAX_BYTES:,} bytes")
            yield piece
    except zlib.error as error:
        raise SitemapError("it is packed and damaged") from error


def _read_text(first: bytes, pieces: Iterator[bytes]) -> Iterator[Listed]:
    left = b""
    for piece in (first, *pieces):
        *lines, left = (left + piece).split(b"\n")
        yield from _lines(lines)
        left = left[: _MAX_ADDRESS + 1]
    yield from _lines([left])


def _lines(lines: list[bytes]) -> Iterator[Listed]:
    for line in lines:
        url = line.decode("utf-8", "replace").strip("\ufeff \t\r")
        if url.lower().startswith(("http://", "https://")) and len(url) <= _MAX_ADDRESS:
            yield Listed(url, is_sitemap=False)


def _read_xml(first: bytes, pieces: Iterator[bytes]) -> Iterator[Listed]:
    reader = _XmlReader()
    for piece in (first, *pieces):
        yield from reader.feed(piece)
    yield from reader.feed(b"", is_last=True)


class _XmlReader:
    """Collects `loc` of sitemaps, `link` of RSS and `link href` of Atom, by local names."""

    def __init__(self) -> None:
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._path: list[str] = []
        self._value = ""
        self._found: list[Listed] = []

    def feed(self, piece: bytes, *, is_last: bool = False) -> list[Listed]:
        """Returns the addresses added by a piece.

        Raises:
            SitemapError: It is not XML, or declares a document type.
        """
        try:
            self._parser.Parse(piece, is_last)
        except (expat.ExpatError, ValueError, LookupError) as error:  # the latter two of encodings
            raise SitemapError("it is no valid XML") from error
        found, self._found = self._found, []
        return found

    def _refuse(self, *_: object) -> None:
        raise SitemapError("it declares a document type, which sitemaps do not have")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2].lower()
        self._path.append(local)
        self._value = ""
        if len(self._path) > 20:
            raise SitemapError("it is nested too deeply")
        if local == "link" and self._path[-2:-1] == ["entry"] and attributes.get("rel", "alternate") == "alternate":
            self._add(attributes.get("href", ""))

    def _text(self, data: str) -> None:
        if len(self._value) <= _MAX_ADDRESS:
            self._value += data

    def _end(self, _: str) -> None:
        element = self._path[-2:]
        if element in (["url", "loc"], ["sitemap", "loc"], ["item", "link"]):
            self._add(self._value, is_sitemap=element[0] == "sitemap")
        self._path.pop()
        self._value = ""

    def _add(self, url: str, *, is_sitemap: bool = False) -> None:
        url = url.strip()
        if url and len(url) <= _MAX_ADDRESS:
            self._found.append(Listed(url, is_sitemap))
