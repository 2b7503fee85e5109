"""Documents. Their rows are written by uploads and connectors, field by field."""

from collections.abc import Iterable
from typing import Any

from echomind_lib.documents.kinds import kind_of
from echomind_lib.documents.names import file_name
from echomind_lib.mappers.columns import pick
from echomind_lib.models.public import Document, DocumentKind
from echomind_lib.text import TITLE_CHARACTERS, single_line


def to_model(row: Any) -> Document:
    """Returns the document of a row."""
    document = Document.from_row(row)
    document.file_name = file_name(row)
    document.kind = DocumentKind.from_word(kind_of(row.content_type))
    return document


def to_columns(document: Document, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the columns of the fields of a document that users may change.

    Raises:
        ValidationFailedError: One of the fields is set by the server.
    """
    columns = {"title": single_line(document.title, TITLE_CHARACTERS)}
    return pick(Document, columns, fields)
