"""Messages between `Extractor` and its child processes, as MessagePack."""

import msgspec

from echomind_ingestor.extract.result import Extracted

MAX_FILE_BYTES = 1024**3
"""Largest file that is read: a child holds it twice, as message and as file."""
MAX_SCANS = 500
"""Scanned pages that are recognised per file; at 4 to 11 seconds each, they take about an hour."""


class Job(msgspec.Struct, array_like=True):
    """A file to read."""

    data: bytes
    name: str
    stated: str
    is_page: bool = False
    recognized: dict[int, str] | None = None
    """Texts of scanned pages, or of an image, by page; None if they were not recognised yet."""


class Reply(msgspec.Struct, array_like=True):
    """The result of a child."""

    extracted: Extracted | None
    """None if the file was rejected, or has pages to recognise."""
    refusal: str = ""
    """The reason, for users."""
    scans: tuple[int, ...] = ()
    """Pages to recognise before the file can be read; empty if it was read or rejected."""
    is_pdf: bool = False
    """Whether these are pages of a PDF; otherwise of an image."""
