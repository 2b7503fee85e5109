"""Documents. Their rows are written by uploads and connectors, field by field."""

from collections.abc import Iterable
from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.documents.kinds import kind_of
from echomind_lib.documents.names import file_name
from echomind_lib.mappers.columns import SOFT_DELETE, UPDATED_BY, UPDATED_BY_COLUMN, pick
from echomind_lib.models.public import Document, DocumentKind
from echomind_lib.text import TITLE_CHARACTERS, single_line

ROW: Final = rows.Document
MODEL: Final = Document
INTERNAL: Final = {
    "container_id": "the uploaded or synced file that contains it, over all levels",
    "url": "where the bytes are kept",
    "processing_session": "which attempt may publish its chunks",
    "index_id": "the index to which its chunks were written",
    "worker_id": "the worker whose attempt it is",
    "source_name": "for syncs: the name that the source gave it last",
    "source_version": "for syncs: the version whose content is stored",
    "folder_source_id": "for syncs: the source's id of its folder",
    "parent_source_id": "for syncs: the source's id of the document that it belongs to",
    "source_readers": "for access: who may read it at the source",
    "readers_changed_at": "for the ingestor: whether chunks carry who may read it",
    **UPDATED_BY_COLUMN,
    **SOFT_DELETE,
}
DERIVED: Final = {"kind": "by `content_type`", "file_name": "by `source_name` and `source_id`", **UPDATED_BY}


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
