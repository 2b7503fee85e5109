"""Documents. Their rows are written by uploads and connectors, field by field."""

from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.mappers.columns import AUDIT, SOFT_DELETE
from echomind_lib.models.public import Document

ROW: Final = rows.Document
MODEL: Final = Document
INTERNAL: Final = {
    "url": "where the bytes are kept",
    "processing_session": "which attempt may publish its chunks",
    "worker_id": "the worker whose attempt it is",
    **AUDIT,
    **SOFT_DELETE,
}
DERIVED: Final[dict[str, str]] = {}


def to_model(row: Any) -> Document:
    """The document of a row."""
    return Document.from_row(row)
