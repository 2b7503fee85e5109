"""Whether the model of a session may learn from it."""

from typing import Any, Final

from sqlalchemy import ColumnElement, Select, Text, bindparam, func, literal_column, select, true
from sqlalchemy.orm import aliased

from echomind_lib.db.models import Assistant, BackgroundJob, ChatSession, Llm, Run, SessionLearning
from echomind_lib.jobs.dead import IS_DEAD
from echomind_lib.llms.rows import SESSION_MODEL

INVALID_FORM: Final = (
    "The model did not answer in the form that learning needs. After three conversations, learning with it pauses "
    "until the model is changed, or these jobs are put back or discarded."
)
"""Why a learning job failed whose model returned no valid list of operations."""
LOOK_BACK_DAYS: Final = 7
"""Sessions that were idle for longer are not learned from."""
_MAX_INVALID: Final = 3
"""Number of sessions with `INVALID_FORM` at which learning with a model pauses."""

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

    It does if the model has returned an invalid form for at least `_MAX_INVALID` sessions, and for more than it has
    learned from, since it was last changed and within `LOOK_BACK_DAYS`. Dead letters that were put back or discarded
    do not count. The parameters `kind` and `job` are the kind of learning and the name of its jobs.
    """
    since = func.now() - func.make_interval(0, 0, 0, literal_column(str(LOOK_BACK_DAYS)))
    changed = func.coalesce(SESSION_MODEL.c.last_update, SESSION_MODEL.c.creation_date)
    failed = (
        _of_models(BackgroundJob, func.concat(ChatSession.id) == BackgroundJob.subject_id)
        .where(
            BackgroundJob.kind == bindparam("job", type_=Text),
            IS_DEAD,
            BackgroundJob.error == INVALID_FORM,
            BackgroundJob.last_update > func.greatest(changed, since),
        )
        .cte("failed")
    )
    learned = (
        _of_models(SessionLearning, ChatSession.id == SessionLearning.chat_session_id)
        .where(
            SessionLearning.kind == bindparam("kind", type_=Text),
            SessionLearning.read_to > func.greatest(changed, since),
        )
        .cte("learned")
    )
    paused = (
        select(failed.c.id)
        .outerjoin(learned, learned.c.id == failed.c.id)
        .where(failed.c.sessions >= _MAX_INVALID, failed.c.sessions > func.coalesce(learned.c.sessions, 0))
    )
    return SESSION_MODEL.c.id.in_(paused)


def _of_models(table: Any, is_its: ColumnElement[bool]) -> Select[Any]:
    """Returns the number of rows of a table by the model of their sessions."""
    return (
        select(SESSION_MODEL.c.id, func.count().label("sessions"))
        .select_from(table)
        .join(ChatSession, is_its)
        .join(Assistant, Assistant.id == ChatSession.assistant_id)
        .join(SESSION_MODEL, true())
        .group_by(SESSION_MODEL.c.id)
    )
