"""The result of extraction."""

from dataclasses import dataclass, field

from echomind_lib.text import NAME_CHARACTERS, single_line

MAX_CHARACTERS = 20_000_000
"""Maximum length of a file's text in code points."""

MAX_MEMBERS = 1000
"""Files of an archive, or attachments of an e-mail."""
MAX_BYTES = 256 * 1024**2
"""Their size in total, unpacked."""
_PATH_PARTS = 20


class UnreadableError(Exception):
    """A file cannot be read; the message says why and what to do, for users."""


def too_long(characters: int) -> UnreadableError:
    """Returns the error for a text that is longer than so many characters."""
    return UnreadableError(f"The file holds more than {characters:,} characters of text: divide it.")


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
class Member:
    """A file within a file."""

    name: str
    """Its path in an archive, or the name of an attachment."""
    data: bytes
    content_type: str = ""
    """The MIME type that the file around it declares; may be empty."""


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
    members: tuple[Member, ...] = ()
    """The files of an archive, or the attachments of an e-mail, each with a name of its own."""


def member_name(path: str) -> str:
    """Returns the path of a member without parts that lead out of its folder; empty if nothing is left."""
    parts = [single_line(part, NAME_CHARACTERS) for part in path.replace("\\", "/").split("/")]
    return "/".join(part for part in parts[-_PATH_PARTS:] if part not in {"", ".", ".."})
