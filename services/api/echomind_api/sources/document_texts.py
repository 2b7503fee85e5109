"""Parts of extracted texts: the plain text that chunks refer to, and Markdown for display."""

import re
from dataclasses import dataclass
from typing import Final

from echomind_lib.db import models as rows
from echomind_lib.errors import DocumentNotReadyError, NotFoundError
from echomind_lib.models.public import DocumentText, GetDocumentTextRequest, TextForm
from echomind_lib.objects import ObjectStore, markdown_key, text_key

DEFAULT_TEXT: Final = 20_000
MAX_TEXT: Final = 100_000
"""Code points of one answer of GetDocumentText, and the most."""
MAX_MOVED = 2000
"""How far a part of Markdown may start or end before the requested position, to be cut between blocks."""
_MARKDOWN: Final = "text/markdown"
_TABLE_HEAD = re.compile(r"^\|.*\n\|(?: *:?-+:? *\|)+$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text, in code points, `end` exclusive."""

    start: int
    end: int
    table_head: str = ""
    """The first two lines of the table in which it begins."""


class DocumentTexts:
    """Reads them."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    async def part(self, document: rows.Document, request: GetDocumentTextRequest) -> DocumentText:
        """Returns the requested part of a document's text.

        Raises:
            DocumentNotReadyError: It is not processed yet.
            NotFoundError: Its text is no longer stored.
        """
        if (session := document.chunking_session) is None:
            raise DocumentNotReadyError(
                f"The text is not ready: {document.status}.", document_id=document.id, status=document.status
            )
        form, text = TextForm.PLAIN, ""
        if request.form is TextForm.MARKDOWN:
            try:
                text = (await self._objects.get(markdown_key(document.id, session))).decode()
                form = TextForm.MARKDOWN
            except NotFoundError:
                # Its text is its Markdown, or its type has none, or it was processed before Markdown was stored.
                form = TextForm.MARKDOWN if document.content_type == _MARKDOWN else form
        if not text:
            text = (await self._objects.get(text_key(document.id, session))).decode()
        start = min(request.start, len(text))
        end = max(start, min(request.end or start + DEFAULT_TEXT, start + MAX_TEXT, len(text)))
        part = markdown_part(text, start, end) if form is TextForm.MARKDOWN else Part(start, end)
        return DocumentText(
            document_id=document.id,
            title=document.title,
            text=text[part.start : part.end],
            start=part.start,
            end=part.end,
            length=len(text),
            chunking_session=str(session),
            form=form,
            table_head=part.table_head,
        )


def markdown_part(text: str, start: int, end: int) -> Part:
    """Returns a part of Markdown that can be rendered separately: cut between blocks, or between lines of a long one.

    Consecutive parts of at least `MAX_MOVED`, each requested from the end of the previous one, cover the whole text.

    Args:
        text: The whole text.
        start: Start of the part; it may start a little before.
        end: End of the part; it may end a little before.
    """
    if start > 0 and text[start - 1] != "\n":
        start = _cut(text, max(0, start - MAX_MOVED), start)
    if end < len(text) and text[end - 1] != "\n":
        end = _cut(text, max(start, end - MAX_MOVED), end)
    return Part(start, end, _table_head(text, start))


def _cut(text: str, earliest: int, latest: int) -> int:
    """Returns the last end of a block in a range, or else of a line, or else the range's end."""
    for between in ("\n\n", "\n"):
        if (found := text.rfind(between, earliest, latest)) > earliest:
            return found + len(between)
    return latest


def _table_head(text: str, start: int) -> str:
    """Returns the first two lines of the table in the midst of which a line begins; nothing for another line."""
    if not text.startswith("|", start):
        return ""
    block = max(0, text.rfind("\n\n", 0, start))
    head = _TABLE_HEAD.search(text, block, start)
    return head[0] if head else ""
