"""When a model is asked for the title of a session."""

from typing import Final

from sqlalchemy import ColumnElement, and_

from echomind_lib.db.models.chat import ChatSession

_ATTEMPTS: Final = 2
_TURNS_BETWEEN: Final = 10
"""What a model makes of one turn it makes of the next, too; after ten there is more to say what they are about."""


def needs_title() -> ColumnElement[bool]:
    """Returns the condition that the model is to be asked for a session's title: after its first answer, and once more.

    A session without a title after both attempts keeps its first question.
    """
    is_due = ChatSession.message_count >= 2 * _TURNS_BETWEEN * ChatSession.title_attempts
    return and_(
        ~ChatSession.unlisted,
        ChatSession.title_origin != "person",
        ChatSession.generated_title.is_(None),
        ChatSession.title_attempts < _ATTEMPTS,
        is_due,
    )
