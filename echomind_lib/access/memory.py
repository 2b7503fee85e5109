"""SQL conditions on whether memory is on for a user, for reading and writing."""

from typing import Any

from sqlalchemy import ColumnElement, SQLColumnExpression, Text, and_, exists, false, func

from echomind_lib.db.models import AgentMemory, InstallationSettings

MEMORY_OFF = "memoryOff"
"""Key of the preference that switches a user's memory off (preferences.proto)."""


def is_enabled() -> ColumnElement[bool]:
    """Returns the condition that memory is not switched off globally."""
    return ~exists().where(InstallationSettings.memory_enabled.is_(False))


def memory_is_on(person: Any, session: Any, settings: Any = None) -> ColumnElement[bool]:
    """Returns the condition that memories are read and written for a user in a session.

    They are off in notebooks: members read each other's conversations, and answers use only the notebook's sources.
    They are off in conversations of API keys with limits, as memories come from other conversations.

    Args:
        person: `User` or an alias of it.
        session: `ChatSession` or an alias of it.
        settings: `InstallationSettings` or an alias of it, for a statement that reads them anyway, by an outer join.
    """
    is_on_for_all = is_enabled() if settings is None else settings.memory_enabled.is_not(False)
    is_off = func.coalesce(person.preferences.op("->>", return_type=Text())(MEMORY_OFF) == "true", false())
    is_personal = and_(session.notebook_id.is_(None), session.limited_by.is_(None))
    return and_(~is_off, ~session.without_memory, is_personal, is_on_for_all)


def has_memories(user_id: SQLColumnExpression[int]) -> ColumnElement[bool]:
    """Returns the condition that a user has current memories."""
    return exists().where(AgentMemory.user_id == user_id, AgentMemory.valid_to.is_(None))
