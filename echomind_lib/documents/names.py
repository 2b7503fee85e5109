"""File names of documents."""

from typing import Any, Final

from sqlalchemy import ColumnElement, func

from echomind_lib.db.models.content import Document

FILE_NAME: Final[ColumnElement[str]] = func.coalesce(
    Document.source_name, func.regexp_replace(Document.source_id, "^.*/", "")
).label("file_name")
"""As `file_name`, in a statement."""


def file_name(row: Any) -> str:
    """Returns the name of a document's file: at its source if it was synced, else the last part of its path."""
    name: str | None = row.source_name
    return str(row.source_id).rpartition("/")[2] if name is None else name
