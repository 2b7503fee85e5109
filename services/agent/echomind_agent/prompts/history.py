"""What a run's prompt takes from the turns before it."""

from dataclasses import dataclass, field
from uuid import UUID

import asyncpg
from sqlalchemy import text

from echomind_agent.evidence.citations import without_markers
from echomind_lib.db.statements import Query
from echomind_lib.llms import Message, Role
from echomind_lib.runs.record import RunRecord

DEFAULT_HISTORY_RUNS = 5
"""Earlier runs in the prompt of an assistant that does not say how many."""
_MOST_MESSAGES = 200
"""Messages that are counted, so that a question's cost does not grow with its session for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _EarlierMessage:
    id: int
    role: Role
    run_id: UUID | None
    counts: bool
    """Whether it has text and nobody has excluded it."""
    discarded: bool
    content: str | None
    """None for one that is not read whole."""
    tokens: int


# From the question up to the summary's last message, or further; ids fall on the way. `number` counts the messages
# that have text and are not excluded; only so many are read whole.
_BRANCH = Query(
    text("""
WITH RECURSIVE branch AS (
    SELECT id, parent_message_id, 0 AS place FROM chat_messages WHERE id = CAST(:question_id AS bigint)
    UNION ALL
    SELECT above.id, above.parent_message_id, branch.place + 1
    FROM branch JOIN chat_messages AS above ON above.id = branch.parent_message_id
    WHERE branch.place < CAST(:most_counted AS int) OR branch.id > CAST(:summarized_to AS bigint)
),
message AS (
    SELECT id, place, role, content, COALESCE(run_id, origin_run_id) AS run_id, token_count, discarded, counts,
        count(*) FILTER (WHERE counts) OVER (ORDER BY place) AS number
    FROM (
        SELECT message.*, branch.place, NOT message.discarded AND message.content <> '' AS counts
        FROM branch JOIN chat_messages AS message ON message.id = branch.id WHERE branch.place > 0
    ) AS message
)
SELECT id, role, run_id, counts, discarded,
    CASE WHEN counts AND number <= CAST(:most_whole AS int) THEN content END AS content,
    COALESCE(NULLIF(token_count, 0), octet_length(content) / 4) AS tokens
FROM message ORDER BY place
"""),
    _EarlierMessage,
)


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


async def read(pool: asyncpg.Pool, run: RunRecord) -> History:
    """Reads what a run's prompt is to hold of the turns before it, as its assistant is configured.

    Nothing for a run below another one, in a session where each question stands alone, and for an assistant without
    history.
    """
    settings, session = run.assistant.settings, run.session
    if run.is_sub_agent or session.mode != "chat" or not settings.add_history_to_context:
        return History()
    summarized_to = session.summarized_to if session.summary else None
    most = 2 * (settings.num_history_runs or DEFAULT_HISTORY_RUNS)
    rows = await _BRANCH.fetch_all(
        pool,
        question_id=run.question_id,
        most_whole=most,
        most_counted=max(most, _MOST_MESSAGES),
        summarized_to=summarized_to,
    )
    history = History()
    is_covered = False
    for row in rows:
        is_covered = is_covered or row.id == summarized_to
        if not row.counts:
            continue
        if is_covered:
            history.summarized += 1
        elif row.content is not None:
            # Numbers of earlier answers would be read as those of this turn's sources.
            history.messages.append(Message(row.role, without_markers(row.content)))
        else:
            history.omitted += 1
            history.uncompressed_tokens += row.tokens
    history.messages.reverse()
    if is_covered:
        history.summary = session.summary or ""
    runs = {str(row.run_id) for row in rows if row.run_id and not row.discarded}
    history.important_steps = [step.text for step in session.important_steps if step.run_id in runs]
    return history
