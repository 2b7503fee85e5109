"""The corpus `tests/data/documents`: small files of every kind, with what a reader must find in them.

`python -m tests.factories.corpus` writes it again; the bytes are the same each time with the same libraries.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Document:
    """A file, and what it says."""

    file: str
    """Its name in the folder."""
    data: bytes
    title: str
    """What is special about it."""
    rows: Sequence[str] = ()
    """Lines of the extracted text, one for each row of its tables."""
    order: Sequence[str] = ()
    """Texts in the order in which a person reads them, each of which occurs."""
    headings: Sequence[str] = ()
    """All headings, in order; empty for kinds that have none."""
    pages: Sequence[tuple[int, str]] = ()
    """Page numbers with a text on each."""
    absent: Sequence[str] = ()
    """Texts that the file holds and that are not part of what it says, such as running heads."""
    questions: Sequence[tuple[str, str]] = ()
    """Questions with the words of the row or sentence that answers them."""
    members: Sequence[str] = ()
    """Names of the files in it."""
    scans: Sequence[int] = ()
    """Numbers of its pages that are images; the texts above are then found by recognition."""

    def expected(self) -> dict[str, Any]:
        """Returns all but the bytes and what is empty, as a JSON object."""
        return {name: value for name, value in asdict(self).items() if name != "data" and value}


def labelled(header: Sequence[str], *rows: Sequence[str]) -> list[str]:
    """Returns the rows of a table as they are extracted, each with the names of its columns."""
    return ["; ".join(f"{name}: {cell}" for name, cell in zip(header, row, strict=True) if cell) for row in rows]
