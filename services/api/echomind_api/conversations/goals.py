"""Goals, which the built-in model cannot work towards."""

from collections.abc import Mapping
from typing import Any, Final, Literal

import asyncpg

from echomind_lib.access.assistant_choice import CHOSEN
from echomind_lib.conversations.questions import GOAL_REFUSED
from echomind_lib.errors import LlmUnavailableError

_EXTRACTIVE = "extractive"
_ASSISTANT: Final = {
    "assistant": f"assistant.id = ({CHOSEN.format(user_id='$2::int', assistant_id='$1::bigint')})",
    "chat session": "assistant.id = (SELECT assistant_id FROM chat_sessions WHERE id = $1 AND user_id = $2)",
    "message": "assistant.id = (SELECT assistant_id FROM chat_messages AS message JOIN chat_sessions AS session "
    "ON session.id = message.chat_session_id WHERE message.id = $1 AND session.user_id = $2)",
}
_MODEL = """
SELECT assistant.id, (
    SELECT llms.provider FROM llms
    WHERE llms.is_active AND llms.deleted_date IS NULL AND (llms.id = assistant.llm_id OR llms.is_default)
    ORDER BY llms.id = assistant.llm_id DESC NULLS LAST LIMIT 1
) AS provider
FROM assistants AS assistant WHERE {condition} AND assistant.deleted_date IS NULL LIMIT 1
"""


async def check_goal(
    pool: asyncpg.Pool,
    user_id: int,
    noun: Literal["assistant", "chat session", "message"],
    target: int,
    options: Mapping[str, Any],
) -> None:
    """Returns unless a goal is given to an assistant whose model is the built-in one, which only quotes.

    Args:
        pool: The database.
        user_id: Who asks; of others' sessions, and of assistants that they may not use, nothing is said.
        noun: What the question is asked in, or of.
        target: Its id; of an assistant, 0 is the one that begins their new conversations.
        options: `RunOptions` as ProtoJSON, set fields alone, or a session's preferences.

    Raises:
        LlmUnavailableError: The built-in model would have to work towards a goal.
    """
    if not options.get("autoRun"):
        return
    row = await pool.fetchrow(_MODEL.format(condition=_ASSISTANT[noun]), target, user_id)
    if row is not None and row["provider"] == _EXTRACTIVE:
        raise LlmUnavailableError(GOAL_REFUSED, assistant_id=str(row["id"]))
