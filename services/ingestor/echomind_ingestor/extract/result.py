"""The result of extraction."""

from dataclasses import dataclass, field

MAX_CHARACTERS = 20_000_000
"""Longest text that is kept of one file, in code points."""


class UnreadableError(Exception):
    """A file cannot be read; the message says why and what to do, for people."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading in a text."""

    level: int
    """1 for the outermost."""
    title: str
    start: int
    """Code point where its line begins."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a text."""

    number: int
    """From 1."""
    start: int
    """Code point where it begins."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """A file's text, normalised; all offsets are code points into `text`."""

    text: str
    title: str
    """The title that the file states; empty when it states none."""
    content_type: str
    """The MIME type that its content has."""
    language: str
    """ISO 639-1 code."""
    headings: tuple[Heading, ...] = ()
    """In order of their start."""
    pages: tuple[Page, ...] = ()
    """In order of their start; empty for kinds without pages."""
    warnings: tuple[str, ...] = field(default=())
    """What could not be read, for people."""
    markdown: str = ""
    """The file with its headings, lists and tables, in Markdown; empty for kinds that have none or are shown as they
    are. No offset counts in it."""
