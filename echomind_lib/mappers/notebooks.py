"""Notebooks."""

from collections.abc import Iterable
from typing import Any

from echomind_lib.db.words import NotebookRole as RoleWord
from echomind_lib.mappers.columns import pick
from echomind_lib.models.public import Notebook, NotebookRole


def to_model(row: Any, role: RoleWord | None, *, user_name: str, sources: int, members: int, sessions: int) -> Notebook:
    """Returns the notebook of a row.

    Args:
        row: The row.
        role: The reader's role; None if they are not a member.
        user_name: The name of its creator.
        sources: Number of its sources.
        members: Number of its members.
        sessions: Number of its conversations.
    """
    counts = {"source_count": sources, "member_count": members, "session_count": sessions}
    return Notebook.from_row(row).model_copy(update={"role": to_role(role), "user_name": user_name, **counts})


def to_role(word: RoleWord | None) -> NotebookRole:
    """Returns the role of a word; unspecified for None."""
    return NotebookRole.UNSPECIFIED if word is None else NotebookRole.from_word(word)


def to_columns(notebook: Notebook, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the columns of a notebook that can be written.

    Raises:
        ValidationFailedError: A field cannot be written.
    """
    columns = {
        "title": notebook.title,
        "description": notebook.description,
        "instructions": notebook.instructions,
        "tools": list(notebook.tools),
    }
    return pick(Notebook, columns, fields)
