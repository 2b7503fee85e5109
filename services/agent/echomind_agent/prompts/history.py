"""What a run's prompt takes from the turns before it."""

from dataclasses import dataclass, field
from typing import Any

import asyncpg

from echomind_agent.evidence.citations import without_markers
from echomind_lib.llms import Message

DEFAULT_HISTORY_RUNS = 5
"""Earlier runs in the prompt of an assistant that does not say how many."""
_MOST_MESSAGES = 200
"""Messages that are counted, so that a question's cost does not grow with its session for ever."""

# From the question up to the summary's last message, or further; ids fall on the way. `number` counts the messages
# that say something; only so many are read whole.
_BRANCH = """
WITH RECURSIVE branch AS (
    SELECT id, parent_message_id, 0 AS place FROM chat_messages WHERE id = $1
    UNION ALL
    SELECT above.id, above.parent_message_id, branch.place + 1
    FROM branch JOIN chat_messages AS above ON above.id = branch.parent_message_id
    WHERE branch.place < $3 OR branch.id > $4
),
message AS (
    SELECT id, place, role, content, COALESCE(run_id, origin_run_id) AS run_id, token_count, discarded, said,
        count(*) FILTER (WHERE said) OVER (ORDER BY place) AS number
    FROM (
        SELECT message.*, branch.place, NOT message.discarded AND message.content <> '' AS said
        FROM branch JOIN chat_messages AS message ON message.id = branch.id WHERE branch.place > 0
    ) AS message
)
SELECT id, role, run_id, said, discarded, CASE WHEN said AND number <= $2 THEN content END AS content,
    COALESCE(NULLIF(token_count, 0), octet_length(content) / 4) AS tokens
FROM message ORDER BY place
"""


@dataclass(slots=True)
class History:
    """Earlier turns of the branch that a run's question ends."""

    messages: list[Message] = field(default_factory=list)
    """The newest, oldest first."""
    summary: str = ""
    """What the messages before those say in short; empty when no summary is about this branch."""
    summarized: int = 0
    """How many messages it covers (counted up to 200 messages back)."""
    omitted: int = 0
    """Messages that stand in neither (counted as far)."""
    uncompressed_tokens: int = 0
    """Tokens of those."""
    important_steps: list[str] = field(default_factory=list)
    """What earlier runs of the branch did, oldest first."""


async def read(pool: asyncpg.Pool, run: asyncpg.Record) -> History:
    """Reads what a run's prompt is to hold of the turns before it, as its assistant is configured.

    Nothing for a run below another one, in a session where each question stands alone, and for an assistant without
    history.
    """
    config: dict[str, Any] = run["config"] or {}
    if run["kind"] == "sub_agent" or run["mode"] != "chat" or not config.get("addHistoryToContext", True):
        return History()
    steps: list[dict[str, Any]] = run["important_steps"] or []
    compressed: int | None = run["last_compressed_message_id"] if run["compressed_summary"] else None
    most = 2 * (config.get("numHistoryRuns") or DEFAULT_HISTORY_RUNS)
    rows = await pool.fetch(_BRANCH, run["question_id"], most, max(most, _MOST_MESSAGES), compressed)
    history = History()
    covered = False
    for row in rows:
        covered = covered or row["id"] == compressed
        if not row["said"]:
            continue
        if covered:
            history.summarized += 1
        elif row["content"] is not None:
            # Numbers of earlier answers would be taken for this turn's sources.
            history.messages.append(Message(row["role"], without_markers(row["content"])))
        else:
            history.omitted += 1
            history.uncompressed_tokens += row["tokens"]
    history.messages.reverse()
    if covered:
        history.summary = run["compressed_summary"]
    runs = {str(row["run_id"]) for row in rows if row["run_id"] and not row["discarded"]}
    history.important_steps = [step["text"] for step in steps if step["runId"] in runs]
    return history
