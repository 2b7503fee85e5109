"""The result of extraction."""

from dataclasses import dataclass, field

MAX_CHARACTERS = 20_000_000
"""Maximum length of a file's text in code points."""


class UnreadableError(Exception):
    """A file cannot be read; the message says why and what to do, for users."""


class ScansFoundError(Exception):
    """The text of some pages must be recognised first.

    Attributes:
        pages: Their numbers, starting at 1.
        is_pdf: Whether they are pages of a PDF; otherwise of an image.
    """

    def __init__(self, pages: tuple[int, ...], *, is_pdf: bool) -> None:
        super().__init__(f"{len(pages)} pages are images")
        self.pages = pages
        self.is_pdf = is_pdf


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading in a text."""

    level: int
    """Its level, 1 for the outermost."""
    title: str
    start: int
    """Offset of its line."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a text."""

    number: int
    """Its number, starting at 1."""
    start: int
    """Offset of its start."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """A file's text, normalised; all offsets are code points into `text`."""

    text: str
    title: str
    """The file's own title; empty for none."""
    content_type: str
    """The MIME type of its content."""
    language: str
    """ISO 639-1 code."""
    headings: tuple[Heading, ...] = ()
    """In order of their start."""
    pages: tuple[Page, ...] = ()
    """In order of their start; empty for kinds without pages."""
    warnings: tuple[str, ...] = field(default=())
    """Notes for users about parts that could not be read."""
    markdown: str = ""
    """The file as Markdown with its headings, lists and tables; empty for kinds without them, or shown unchanged.
    Offsets do not refer to it."""
