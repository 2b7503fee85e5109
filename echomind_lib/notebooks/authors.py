"""Whose words a notebook says: those of a person alone, or those of others, too, which are untrusted text for them.

The columns of the authors are set by a trigger of the table: a change of somebody else's text makes its author unknown,
unless nothing of the text remains, as nobody could tell which words are whose.
"""

from typing import Any

from sqlalchemy import ColumnElement, and_, func, or_

from echomind_lib.db.models.notebooks import Notebook


def is_own_text(user_id: Any) -> ColumnElement[bool]:
    """Returns the condition that a person has written all that a notebook says in prompts: title and instructions.

    Args:
        user_id: The person, as a column or a parameter.
    """
    wrote_title = Notebook.title_author_id == user_id
    wrote_instructions = or_(Notebook.instructions == "", Notebook.instructions_author_id == user_id)
    return func.coalesce(and_(wrote_title, wrote_instructions), False)


def has_written_all(row: Any, user_id: int) -> bool:
    """Returns whether a person has written all that the notebook of a row says; see `is_own_text`."""
    wrote_instructions = row.instructions == "" or row.instructions_author_id == user_id
    return bool(row.title_author_id == user_id and wrote_instructions)
