"""Whether the model of a session may learn from it."""

from typing import Final

from sqlalchemy import ColumnElement, Integer, Text, bindparam, case, cast, func, literal_column, select, true
from sqlalchemy.orm import aliased

from echomind_lib.db.models import Assistant, BackgroundJob, ChatSession, Llm, Run
from echomind_lib.jobs.dead import IS_DEAD
from echomind_lib.llms.rows import SESSION_MODEL

INVALID_FORM: Final = (
    "The model did not answer in the form that learning needs. After ten conversations, learning with it pauses for a "
    "day, or until the model is changed, or these jobs are put back or discarded."
)
"""Why a learning job failed whose model returned no valid list of operations."""
LOOK_BACK_DAYS: Final = 7
"""Sessions that were idle for longer are not learned from."""
_MAX_INVALID: Final = 10
"""Number of sessions with `INVALID_FORM` within a day at which learning with a model pauses."""

_run, _used = aliased(Run, name="last_run"), aliased(Llm, name="used")
_last_provider = (
    select(_used.provider)
    .select_from(_run)
    .join(_used, _used.id == _run.llm_id)
    .where(_run.chat_session_id == ChatSession.id, _run.parent_run_id.is_(None))
    .order_by(_run.id.desc())
    .limit(1)
    .correlate(ChatSession)
    .scalar_subquery()
)


def can_learn() -> ColumnElement[bool]:
    """Returns the condition that a session's `SESSION_MODEL` may read it.

    The built-in model only quotes. What it answered was sent to nobody, and is not sent to a model that was connected
    later: only a session whose last answer is of a language model is.
    """
    is_language_model = func.coalesce(SESSION_MODEL.c.provider != "extractive", literal_column("false"))
    return is_language_model & (func.coalesce(_last_provider, "") != "extractive")


def is_paused() -> ColumnElement[bool]:
    """Returns the condition that learning of a kind with `SESSION_MODEL` pauses.

    It does if the model has returned an invalid form for at least `_MAX_INVALID` sessions within a day and since it was
    last changed. Dead letters that were put back or discarded do not count. The parameter `job` is the name of the
    kind's jobs.
    """
    job = bindparam("job", type_=Text)
    # The subjects of other kinds are no numbers.
    of_session = case((BackgroundJob.kind == job, cast(BackgroundJob.subject_id, Integer)))
    changed = func.coalesce(SESSION_MODEL.c.last_update, SESSION_MODEL.c.creation_date)
    paused = (
        select(SESSION_MODEL.c.id)
        .select_from(BackgroundJob)
        .join(ChatSession, ChatSession.id == of_session)
        .join(Assistant, Assistant.id == ChatSession.assistant_id)
        .join(SESSION_MODEL, true())
        .where(
            BackgroundJob.kind == job,
            IS_DEAD,
            BackgroundJob.error == INVALID_FORM,
            BackgroundJob.last_update > func.now() - func.make_interval(0, 0, 0, 1),
            BackgroundJob.last_update > changed,
        )
        .group_by(SESSION_MODEL.c.id)
        .having(func.count() >= _MAX_INVALID)
    )
    return SESSION_MODEL.c.id.in_(paused)
