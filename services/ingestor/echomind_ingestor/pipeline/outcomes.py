"""What people are told of a document: its title, its progress, why it failed and what was left out."""

from collections.abc import Sequence

import structlog

from echomind_ingestor.extract.result import Extracted
from echomind_ingestor.pipeline.chunk import Chunk, share_left_out
from echomind_ingestor.pipeline.claims import (
    ClaimedDocument,
)
from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.db.rejection import data_rejected
from echomind_lib.documents.kinds import kind_of
from echomind_lib.errors import (
    DependencyUnavailableError,
    EchoMindError,
    FileRejectedError,
    InternalError,
    NotFoundError,
)
from echomind_lib.text import TITLE_CHARACTERS, single_line

log = structlog.get_logger(__name__)


def recognizing(done: int, total: int) -> str:
    """Returns the progress of recognizing text."""
    return f"Recognising text, {done} of {total} pages done"


def indexing(done: int, total: int) -> str:
    """Returns the progress of indexing."""
    return f"Indexing, {done} of {total} passages done"


def explain(error: Exception) -> EchoMindError:
    """Returns the error to show to users for a failure."""
    if isinstance(error, NotFoundError):
        return FileRejectedError("The file's bytes are no longer stored; upload it again.")
    if isinstance(error, EchoMindError):
        return error
    if (rejected := data_rejected(error)) is not None:
        log.error("document cannot be stored", error=repr(error))
        return rejected
    if isinstance(error, DATABASE_FAILURES):
        log.warning("document interrupted", error=repr(error))
        return DependencyUnavailableError("A server that EchoMind needs did not answer.", dependency="postgres")
    log.error("document failed with an unexpected exception", exc_info=error)
    return InternalError("Something went wrong in EchoMind while it was processed; the ingestor's log says more.")


def note(text: str, chunks: Sequence[Chunk]) -> str:
    """Returns what users must know about the passages of a text; usually empty."""
    if not chunks:
        return "No text was found in it."
    if not (left_out := share_left_out(text, chunks)):
        return ""
    return (
        f"Only its first {len(chunks):,} passages are searched: the last {left_out:.0%} of its text is left out, "
        "because it consists of very short pieces, as in a table of single letters or numbers. Divide the file to "
        "search all of it."
    )


def title_of(document: ClaimedDocument, name: str, extracted: Extracted) -> str:
    """Returns the title; for an upload titled by its file name, the file's own title or first heading if there is one.

    The headings of spreadsheets are names of sheets.

    A synced document has its name at the source, which users know, and which follows renames there.
    """
    given = single_line(document.title, TITLE_CHARACTERS)
    if document.source_name and given:
        return given
    if given not in {"", single_line(name, TITLE_CHARACTERS), single_line(document.source_id, TITLE_CHARACTERS)}:
        return given
    headings = () if kind_of(extracted.content_type) == "spreadsheet" else extracted.headings
    first = next(iter(headings), None)
    begins_with = first.title if first and first.level == 1 and not extracted.text[: first.start].strip() else ""
    return extracted.title or begins_with or single_line(name, TITLE_CHARACTERS)
