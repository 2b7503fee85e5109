"""Which assistant answers whom, in statements that have no principal: storing a question, claiming a run.

The rule is `rules.assistants`, read from the person's row instead of their credential; a test compares the two.
"""

from typing import Final

import asyncpg

from echomind_lib.access.names import DEFAULT_ASSISTANT
from echomind_lib.errors import AssistantUnavailableError

USABLE: Final = "({assistant}.deleted_date IS NULL AND ({assistant}.is_visible OR 'superadmin' = ANY ({person}.roles)))"
"""Condition: the person of the row `person` may use the assistant of the row `assistant`."""

CHOSEN: Final = f"""
SELECT assistant.id FROM assistants AS assistant JOIN users AS asker ON asker.id = {{user_id}}
WHERE {USABLE.format(assistant="assistant", person="asker")} AND CASE WHEN {{assistant_id}} = 0
    THEN assistant.is_default OR asker.preferences -> '{DEFAULT_ASSISTANT}' = to_jsonb(assistant.id)
    ELSE assistant.id = {{assistant_id}} END
ORDER BY assistant.is_default LIMIT 1
"""  # noqa: S608 - made of constants
"""The assistant of a new conversation: the one that is named, else the one of the person's preferences while they may
use it, else the default one. No row when the named one may not be used."""

_CHOSEN = CHOSEN.format(user_id="$1", assistant_id="$2::bigint")


async def choose_assistant(pool: asyncpg.Pool, user_id: int, assistant_id: int) -> int | None:
    """Returns the id of the assistant of a new conversation, as `CHOSEN` says; 0 names none."""
    chosen: int | None = await pool.fetchval(_CHOSEN, user_id, assistant_id)
    return chosen


def assistant_unavailable(session_id: int) -> AssistantUnavailableError:
    """Returns the error for a conversation whose assistant may not be used (any more)."""
    return AssistantUnavailableError(
        "The assistant of this conversation was removed, or is not available to you any more: choose another assistant "
        "for the conversation, or begin a new one.",
        chat_session_id=session_id,
    )
