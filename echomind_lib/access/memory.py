"""Conditions of statements on whether memory is on for a user, for reading and for writing."""

from typing import Any

from sqlalchemy import ColumnElement, Text, and_, exists, false, func

from echomind_lib.db.models import AgentMemory, InstallationSettings

MEMORY_OFF = "memoryOff"
"""Key of the preference that switches a person's memory off (preferences.proto)."""


def is_enabled() -> ColumnElement[bool]:
    """Returns the condition that no superadmin has switched memory off for everybody."""
    return ~exists().where(InstallationSettings.memory_enabled.is_(False))


def memory_is_on(person: Any, session: Any) -> ColumnElement[bool]:
    """Returns the condition that memories are read and written for a person in a session.

    They are not in a notebook: others read its conversations, and answers come from its sources alone.

    Args:
        person: `User` or an alias of it.
        session: `ChatSession` or an alias of it.
    """
    is_off = func.coalesce(person.preferences.op("->>", return_type=Text())(MEMORY_OFF) == "true", false())
    return and_(~is_off, ~session.without_memory, session.notebook_id.is_(None), is_enabled())


def has_memories(user_id: ColumnElement[int]) -> ColumnElement[bool]:
    """Returns the condition that a person has memories that were not replaced."""
    return exists().where(AgentMemory.user_id == user_id, AgentMemory.valid_to.is_(None))
