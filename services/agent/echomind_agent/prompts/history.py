"""The part of a run's prompt about earlier turns."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import asyncpg
import msgspec

from echomind_agent.evidence.citations import without_markers
from echomind_agent.text.speakers import question_message
from echomind_lib.db.expressions import MAX_BIGINT
from echomind_lib.llms import Message
from echomind_lib.runs.earlier_messages import DEFAULT_HISTORY_RUNS, EARLIER_MESSAGES, MAX_COUNTED, EarlierMessage
from echomind_lib.runs.record import RunRecord, RunSession


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
    runs = settings.num_history_runs or DEFAULT_HISTORY_RUNS
    if run.earlier is not None and runs == DEFAULT_HISTORY_RUNS:
        return _history(msgspec.convert(run.earlier, list[EarlierMessage]), session, summarized_to)
    limit = 2 * runs
    rows = await EARLIER_MESSAGES.fetch_all(
        pool,
        question_id=run.question_id,
        user_id=run.user_id,
        max_whole=limit,
        max_counted=max(limit, MAX_COUNTED),
        # Not NULL, for which the server would plan the statement at each execution.
        summarized_to=summarized_to or MAX_BIGINT,
    )
    return _history(rows, session, summarized_to)


def _history(rows: Sequence[EarlierMessage], session: RunSession, summarized_to: int | None) -> History:
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


def _message(row: EarlierMessage, content: str) -> Message:
    # The citation numbers of earlier answers would be mistaken for this turn's.
    text = without_markers(content)
    return question_message(text, is_own=row.is_own) if row.role == "user" else Message(row.role, text)
