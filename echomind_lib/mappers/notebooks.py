"""Notebooks."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from echomind_lib.db.words import NotebookRole as RoleWord
from echomind_lib.mappers.columns import pick
from echomind_lib.models.public import Notebook, NotebookRole
from echomind_lib.notebooks.authors import has_written_all

EDITORS: Final[tuple[RoleWord, ...]] = ("owner", "editor")
"""The roles that see who has written something."""


def to_model(
    row: Any,
    role: RoleWord | None,
    *,
    reader_id: int,
    people: Mapping[int, str],
    sources: int,
    members: int,
    sessions: int,
) -> Notebook:
    """Returns the notebook of a row.

    Args:
        row: The row.
        role: The reader's role; None if they are not a member.
        reader_id: The reader.
        people: Names of people, by ID.
        sources: Number of its sources.
        members: Number of its members.
        sessions: Number of its conversations.
    """
    author_id = row.instructions_author_id if row.instructions and role in EDITORS else None
    return Notebook.from_row(
        row,
        role=to_role(role),
        user_name=people.get(row.user_id, ""),
        source_count=sources,
        member_count=members,
        session_count=sessions,
        instructions_author_id=author_id or 0,
        instructions_author_name=people.get(author_id, "") if author_id else "",
        is_written_by_caller=has_written_all(row, reader_id),
    )


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
