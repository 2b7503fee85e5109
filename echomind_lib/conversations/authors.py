"""Whose words a message is, as a condition."""

from typing import Any

from sqlalchemy import ColumnElement, and_, false, func


def is_written_by(message: Any, user_id: Any) -> ColumnElement[bool]:
    """Returns the condition that a message is a person's own, in this session or copied from another one of theirs.

    False for the assistant's, for those of others, and for those whose author nobody knows.

    Args:
        message: `ChatMessage` or an alias of it.
        user_id: The person, as a column or a parameter.
    """
    return func.coalesce(and_(message.author_kind == "person", message.author_id == user_id), false())
