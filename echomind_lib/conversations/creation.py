"""Creation of sessions without a question, as one statement."""

from collections.abc import Mapping
from dataclasses import make_dataclass
from typing import Any, Final

import asyncpg
from sqlalchemy import ARRAY, BigInteger, Integer, bindparam, func, insert, select
from sqlalchemy.dialects.postgresql import JSONB

from echomind_lib.access.assistant_choice import chosen
from echomind_lib.access.key_limits import limit_columns
from echomind_lib.access.principal import KeyLimits
from echomind_lib.conversations.questions.positions import USER_ID, usual_options
from echomind_lib.db.models.chat import ChatSession
from echomind_lib.db.statements import Query
from echomind_lib.errors import AlreadyExistsError

_UNREAD: Final = {"compressing_started_at", "limited_by", "limited_assistants", "limited_connectors"}
_ATTRIBUTES: Final = [
    attribute.key for attribute in ChatSession.__mapper__.column_attrs if attribute.key not in _UNREAD
]
CreatedSession: Final = make_dataclass("CreatedSession", [(name, Any) for name in _ATTRIBUTES])
"""The row of a new session: the columns that somebody reads, under the names of `ChatSession`."""

_GIVEN: Final[dict[str, Any]] = {
    "title": "New Chat",
    "title_origin": "default",
    "generated_title": None,
    "mode": "chat",
    "goal": None,
    "initial_goal": None,
    "notebook_id": None,
    "pinned": False,
    "archived": False,
    "without_memory": False,
    "metadata_": {},
    "external_id": None,
}
"""The columns that a caller may give, with their defaults."""


def _create() -> Query[Any]:
    assistant = chosen(USER_ID, bindparam("assistant_id", type_=BigInteger), limited=True).subquery("chosen")
    given = {name: bindparam(name, type_=getattr(ChatSession, name).type) for name in _GIVEN}
    columns = {
        "user_id": USER_ID,
        "assistant_id": assistant.c.id,
        "preferences": func.coalesce(bindparam("preferences", type_=JSONB(none_as_null=True)), usual_options()),
        "limited_by": bindparam("limited_by", type_=Integer),
        "limited_assistants": bindparam("reader_assistants", type_=ARRAY(Integer)),
        "limited_connectors": bindparam("limited_connectors", type_=ARRAY(Integer)),
        **given,
    }
    columns["metadata"] = columns.pop("metadata_")
    return Query(
        insert(ChatSession)
        .from_select(list(columns), select(*columns.values()).select_from(assistant))
        .returning(*(getattr(ChatSession, name).label(name) for name in _ATTRIBUTES)),
        CreatedSession,
    )


_CREATE: Final = Query.deferred(_create)


async def create_session(
    pool: asyncpg.Pool,
    user_id: int,
    assistant_id: int,
    columns: Mapping[str, Any],
    limits: KeyLimits | None = None,
) -> Any | None:
    """Creates a session and returns its row, a `CreatedSession`; None if the assistant may not be used.

    Args:
        pool: The database.
        user_id: ID of its owner.
        assistant_id: The requested assistant, 0 for the owner's usual one.
        columns: Further columns: those of `_GIVEN`, and `preferences`, without which runs work as usually in the
            owner's new conversations.
        limits: Limits of the API key that creates it.

    Raises:
        AlreadyExistsError: Another session of the owner has the external ID.
    """
    values = {**_GIVEN, "preferences": None, **columns, **limit_columns(limits)}
    try:
        return await _CREATE.fetch_one(pool, user_id=user_id, assistant_id=assistant_id, **values)
    except asyncpg.UniqueViolationError as error:
        raise external_id_taken(values["external_id"]) from error


def external_id_taken(external_id: str) -> AlreadyExistsError:
    """Returns the error for an external ID that another session of the same person has, perhaps a removed one."""
    return AlreadyExistsError(
        f"You already have a conversation with the external ID {external_id!r}. Continue that one, or choose another.",
        resource="chat session",
        field="externalId",
    )
