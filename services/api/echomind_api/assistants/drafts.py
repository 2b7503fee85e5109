"""Drafts: configurations of assistants that one person tries before they save them."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import func, literal_column, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_lib.access import Principal, chat_sessions
from echomind_lib.db.models.catalog import Assistant
from echomind_lib.db.models.chat import ChatSession

_TRIED: Final = timedelta(days=1)
"""How long a conversation with a draft stays after its last message."""


async def save_draft(
    session: AsyncSession, principal: Principal, assistant_id: int | None, columns: Mapping[str, Any]
) -> Assistant:
    """Stores a person's draft in place of their earlier one, and removes old conversations with it.

    Args:
        session: The transaction.
        principal: Its user.
        assistant_id: ID of the assistant that it is a draft of; None for a new assistant.
        columns: Its values.
    """
    written = dict(columns)
    values = written | {"is_draft": True, "draft_of_id": assistant_id, "created_by": principal.user_id}
    statement = (
        insert(Assistant)
        .values(**values)
        .on_conflict_do_update(
            index_elements=[Assistant.created_by, func.coalesce(Assistant.draft_of_id, literal_column("0"))],
            index_where=Assistant.is_draft & Assistant.deleted_date.is_(None),
            set_=written,
        )
        .returning(Assistant)
    )
    draft = (await session.scalars(statement, execution_options={"populate_existing": True})).one()
    own = chat_sessions("manage")
    await session.execute(
        update(ChatSession)
        .where(
            own.where(ChatSession),
            ChatSession.assistant_id == draft.id,
            ChatSession.deleted_date.is_(None),
            func.coalesce(ChatSession.last_message_at, ChatSession.creation_date) < func.now() - _TRIED,
        )
        .values(deleted_date=func.now()),
        own.values(principal),
    )
    return draft


async def delete_drafts(session: AsyncSession, assistant_id: int) -> None:
    """Removes all drafts of an assistant."""
    await session.execute(
        update(Assistant)
        .where(Assistant.draft_of_id == assistant_id, Assistant.deleted_date.is_(None))
        .values(deleted_date=func.now())
    )
