"""Notes of notebooks."""

from collections.abc import Iterable
from typing import Any

from echomind_lib.mappers.columns import pick
from echomind_lib.models.public import NotebookNote


def to_model(row: Any, *, user_name: str, is_editable: bool) -> NotebookNote:
    """Returns the note of a row.

    Args:
        row: The row.
        user_name: The name of its author.
        is_editable: Whether the reader may change it.
    """
    return NotebookNote.from_row(row, user_name=user_name, is_editable=is_editable)


def to_columns(note: NotebookNote, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the columns of a note that can be written.

    Raises:
        ValidationFailedError: A field cannot be written.
    """
    return pick(NotebookNote, {"title": note.title, "content": note.content}, fields)
