"""Notes of notebooks."""

from collections.abc import Iterable
from typing import Any

from echomind_lib.mappers.columns import pick
from echomind_lib.models.public import AnswerBasis, Citation, NotebookNote


def to_model(row: Any, *, user_name: str, is_editable: bool) -> NotebookNote:
    """Returns the note of a row.

    Args:
        row: The row.
        user_name: The name of its author.
        is_editable: Whether the reader may change it.
    """
    return NotebookNote(
        id=row.id,
        notebook_id=row.notebook_id,
        user_id=row.user_id,
        user_name=user_name,
        title=row.title,
        content=row.content,
        citations=[Citation.model_validate(citation) for citation in row.citations],
        message_id=row.message_id,
        creation_date=row.creation_date,
        last_update=row.last_update,
        is_editable=is_editable,
        basis=AnswerBasis.from_word(row.basis) if row.basis else AnswerBasis.UNSPECIFIED,
        other_tools=row.other_tools,
    )


def to_columns(note: NotebookNote, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the columns of a note that can be written.

    Raises:
        ValidationFailedError: A field cannot be written.
    """
    return pick(NotebookNote, {"title": note.title, "content": note.content}, fields)
