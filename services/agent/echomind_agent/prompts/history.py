"""The part of a run's prompt about earlier turns."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

import asyncpg
from sqlalchemy import CTE, Integer, and_, bindparam, case, func, literal_column, or_, select
from sqlalchemy.orm import aliased

from echomind_agent.evidence.citations import without_markers
from echomind_agent.text.speakers import question_message
from echomind_lib.conversations.authors import is_written_by
from echomind_lib.db.expressions import MAX_BIGINT
from echomind_lib.db.models.chat import ChatMessage
from echomind_lib.db.statements import Query, columns
from echomind_lib.llms import Message, Role
from echomind_lib.runs.record import RunRecord, RunSession

DEFAULT_HISTORY_RUNS = 5
"""Default number of earlier runs in a prompt."""
_MAX_MESSAGES = 200
"""Maximum number of messages to count, so that the cost of a question does not grow with its session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _EarlierMessage:
    id: int
    role: Role
    run_id: UUID | None
    counts: bool
    """Whether it has text and is not excluded."""
    discarded: bool
    is_own: bool
    """Whether the asker has written it."""
    content: str | None
    """None if it was not read."""
    tokens: int


def _branch() -> CTE:
    """Returns the messages from the question upwards, at least to the last summarized one, with descending ids."""
    top = (
        select(ChatMessage.id, ChatMessage.parent_message_id, literal_column("0", Integer).label("position"))
        .where(ChatMessage.id == bindparam("question_id"))
        .cte("branch", recursive=True)
    )
    above = aliased(ChatMessage, name="above")
    goes_further = or_(top.c.position < bindparam("max_counted"), top.c.id > bindparam("summarized_to"))
    return top.union_all(
        select(above.id, above.parent_message_id, top.c.position + 1)
        .join(top, above.id == top.c.parent_message_id)
        .where(goes_further)
    )


def _earlier_messages() -> Query[_EarlierMessage]:
    """Selects the messages above the question, newest first; only `max_whole` of those that count with text."""
    branch = _branch()
    message = (
        select(
            ChatMessage.id,
            branch.c.position,
            ChatMessage.role,
            func.coalesce(ChatMessage.run_id, ChatMessage.origin_run_id).label("run_id"),
            and_(~ChatMessage.discarded, ChatMessage.content != "").label("counts"),
            ChatMessage.discarded,
            is_written_by(ChatMessage, bindparam("user_id", type_=Integer)).label("is_own"),
            ChatMessage.content,
            ChatMessage.token_count,
        )
        .join(branch, ChatMessage.id == branch.c.id)
        .where(branch.c.position > 0)
        .subquery("message")
    )
    numbered = select(
        message, func.count().filter(message.c.counts).over(order_by=message.c.position).label("number")
    ).subquery("numbered")
    is_whole = and_(numbered.c.counts, numbered.c.number <= bindparam("max_whole"))
    estimate = func.octet_length(numbered.c.content, type_=Integer) // 4
    tokens = func.coalesce(func.nullif(numbered.c.token_count, 0), estimate)
    return Query(
        select(
            *columns(_EarlierMessage, numbered, content=case((is_whole, numbered.c.content)), tokens=tokens)
        ).order_by(numbered.c.position),
        _EarlierMessage,
    )


_EARLIER_MESSAGES = Query.deferred(_earlier_messages)


@dataclass(slots=True)
class History:
    """Earlier turns of the branch that ends with a run's question."""

    messages: list[Message] = field(default_factory=list)
    """The newest messages, oldest first."""
    has_words_of_others: bool = False
    """Whether questions of other people are among them."""
    summary: str = ""
    """Summary of the messages before those; empty if there is none for this branch."""
    summarized: int = 0
    """Number of messages that it covers (counted up to 200 messages back)."""
    omitted: int = 0
    """Number of messages in neither (counted up to the same limit)."""
    unsummarized_tokens: int = 0
    """Tokens of the omitted messages."""
    important_steps: list[str] = field(default_factory=list)
    """Important steps of earlier runs of the branch, oldest first."""
    memories: list[str] = field(default_factory=list)
    """Memories of the user about the question, one line each, best first."""


async def read(pool: asyncpg.Pool, run: RunRecord) -> History:
    """Reads the earlier turns for a run's prompt, as configured by its assistant.

    Empty for a sub-run, for a session in which each question is independent, and for an assistant without history.
    Messages remain readable to the asker even if they lose access to the sources; the summary and the steps of earlier
    runs do not, as in the API.
    """
    settings, session = run.assistant.settings, run.session
    if not run.is_root or session.mode != "chat" or not settings.add_history_to_context:
        return History()
    summarized_to = session.summarized_to if session.stored_summary else None
    limit = 2 * (settings.num_history_runs or DEFAULT_HISTORY_RUNS)
    rows = await _EARLIER_MESSAGES.fetch_all(
        pool,
        question_id=run.question_id,
        user_id=run.user_id,
        max_whole=limit,
        max_counted=max(limit, _MAX_MESSAGES),
        # Not NULL, for which the server would plan the statement at each execution.
        summarized_to=summarized_to or MAX_BIGINT,
    )
    return _history(rows, session, summarized_to)


def _history(rows: Sequence[_EarlierMessage], session: RunSession, summarized_to: int | None) -> History:
    """Returns the history of the messages before a question, newest first.

    Messages up to `summarized_to` are in the summary. If the asker may not see it, these messages count like others,
    but need no new summary.
    """
    history, is_covered = History(), False
    for row in rows:
        is_covered = is_covered or row.id == summarized_to
        if not row.counts:
            continue
        if is_covered and session.summary:
            history.summarized += 1
        elif row.content is not None:
            history.messages.append(_message(row, row.content))
            history.has_words_of_others |= row.role == "user" and not row.is_own
        else:
            history.omitted += 1
            history.unsummarized_tokens += 0 if is_covered else row.tokens
    history.messages.reverse()
    history.summary = session.summary if is_covered else ""
    runs = {str(row.run_id) for row in rows if row.run_id and not row.discarded}
    history.important_steps = [step.text for step in session.important_steps if step.run_id in runs]
    return history


def _message(row: _EarlierMessage, content: str) -> Message:
    # The citation numbers of earlier answers would be mistaken for this turn's.
    text = without_markers(content)
    return question_message(text, is_own=row.is_own) if row.role == "user" else Message(row.role, text)
