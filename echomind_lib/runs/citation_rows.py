"""The citations of a run's message: how they are stored when the run ends or waits, and removed when it resumes."""

from dataclasses import dataclass
from typing import Any, Final

import asyncpg
import msgspec
from sqlalchemy import CTE, bindparam, delete, insert, select, true

from echomind_lib.db.expressions import json_rows
from echomind_lib.db.models.chat import ChatMessage, ChatMessageDocument
from echomind_lib.db.models.content import Document
from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Command
from echomind_lib.runs.fence import RunLease

_COLUMNS: Final = (
    ChatMessageDocument.number,
    ChatMessageDocument.title,
    ChatMessageDocument.chunk_id,
    ChatMessageDocument.relevance_score,
    ChatMessageDocument.snippet,
    ChatMessageDocument.supported,
    ChatMessageDocument.page,
    ChatMessageDocument.sentence_start,
    ChatMessageDocument.sentence_end,
    ChatMessageDocument.chunking_session,
    ChatMessageDocument.span_start,
    ChatMessageDocument.span_end,
    ChatMessageDocument.url,
    ChatMessageDocument.verified,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCitation:
    """A citation as it is stored; offsets are code points, ends exclusive."""

    number: int
    document_id: int
    title: str
    chunk_id: str
    score: float
    snippet: str
    supported: bool
    page: int | None
    sentence_start: int
    sentence_end: int
    chunking_session: str | None
    span_start: int
    span_end: int
    file_name: str = ""
    """Of its document, for the published event; stored citations take it from the document."""
    url: str = ""
    """Of its web page, which belongs to no document."""
    verified: bool = False
    """Whether a model has compared the sentence with its source, too."""


def citation_record(citation: NewCitation) -> dict[str, Any]:
    """Returns a citation as a row for `inserted_citations`."""
    record: dict[str, Any] = msgspec.to_builtins(citation)
    record["relevance_score"] = record.pop("score")
    del record["file_name"]
    return record


def inserted_citations(run: CTE) -> CTE:
    """Returns the insert of the rows of the parameter `citations` for the message `message_id`, if `run` has a row."""
    new = json_rows("citations", ChatMessageDocument.document_id, *_COLUMNS)
    # The document may have been removed meanwhile; a web page has none.
    document_id = select(Document.id).where(Document.id == new.c.document_id).scalar_subquery()
    return (
        insert(ChatMessageDocument)
        .from_select(
            [ChatMessageDocument.chat_message_id, ChatMessageDocument.document_id, *_COLUMNS],
            select(
                bindparam("message_id", type_=ChatMessage.id.type),
                document_id,
                *(new.c[column.key] for column in _COLUMNS),
            ).join_from(run, new, true()),
        )
        .cte("citations")
    )


_REMOVE: Final = Command(
    delete(ChatMessageDocument).where(
        ChatMessageDocument.chat_message_id == bindparam("message_id"),
        select(Run.id)
        .where(Run.id == bindparam("run_id"), Run.attempt == bindparam("attempt"), Run.status == "running")
        .exists(),
    )
)


async def remove_citations(pool: asyncpg.Pool, lease: RunLease) -> None:
    """Removes the citations of a resumed run's text, which the end of the run stores again with those of the rest."""
    await _REMOVE.execute(pool, message_id=lease.run.message_id, run_id=lease.run_id, attempt=lease.attempt)
