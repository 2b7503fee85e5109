"""Documents. Their rows are written by uploads and connectors, field by field."""

from collections.abc import Iterable
from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.documents.kinds import kind_of
from echomind_lib.mappers.columns import AUDIT, SOFT_DELETE, pick
from echomind_lib.models.public import Document, DocumentKind
from echomind_lib.text import TITLE_CHARACTERS, single_line

ROW: Final = rows.Document
MODEL: Final = Document
INTERNAL: Final = {
    "url": "where the bytes are kept",
    "processing_session": "which attempt may publish its chunks",
    "worker_id": "the worker whose attempt it is",
    **AUDIT,
    **SOFT_DELETE,
}
DERIVED: Final = {"kind": "by `content_type`"}


def to_model(row: Any) -> Document:
    """Returns the document of a row."""
    document = Document.from_row(row)
    document.kind = DocumentKind.from_word(kind_of(row.content_type))
    return document


def to_columns(document: Document, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the columns of those fields of a document that people change.

    Raises:
        ValidationFailedError: One of the fields is set by the server.
    """
    columns = {"title": single_line(document.title, TITLE_CHARACTERS)}
    return pick(columns, fields, set_by_server=frozenset(Document.model_fields) - columns.keys())
