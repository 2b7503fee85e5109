"""The statements that claim a run, or read one that is claimed already; `lease` executes them."""

from typing import Any, Final

from sqlalchemy import (
    CTE,
    BigInteger,
    Boolean,
    ColumnElement,
    Double,
    Integer,
    Select,
    Subquery,
    and_,
    any_,
    bindparam,
    case,
    cast,
    exists,
    false,
    func,
    literal,
    literal_column,
    null,
    or_,
    select,
    true,
    union_all,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, aggregate_order_by
from sqlalchemy.orm import aliased

from echomind_lib.access.assistant_choice import usable, within_session
from echomind_lib.access.memory import memory_is_on
from echomind_lib.db.expressions import MAX_BIGINT
from echomind_lib.db.models.catalog import Assistant, Llm
from echomind_lib.db.models.chat import ChatMessage, ChatSession
from echomind_lib.db.models.identity import User
from echomind_lib.db.models.runs import Run
from echomind_lib.db.models.sharing import InstallationSettings
from echomind_lib.db.models.work import Worker
from echomind_lib.db.statements import Query, columns, part
from echomind_lib.events.statements import NO_MEMBER, given_event, stored_events, with_values
from echomind_lib.llms.rows import model_part
from echomind_lib.runs.claim_conditions import chosen_llm, fewer_wait, free_slot
from echomind_lib.runs.earlier_messages import DEFAULT_HISTORY_RUNS, MAX_COUNTED, select_earlier
from echomind_lib.runs.queue import candidate_runs
from echomind_lib.runs.record import AssignedRow, ClaimedRow, RunAssistant, RunRecord, RunSession
from echomind_lib.runs.titles import needs_title

RECOVERING: Final = "Recovering: another worker continues"
"""The text of the event that claims a run whose worker died."""

# `status || ''` keeps the planner from scanning all active runs, which it estimates to be few, for runs with known ids.
_STATUS = Run.status.concat("")


def _next() -> CTE:
    """The runs that may be claimed, in their order; the run of the request comes first if it is running already."""
    candidate = candidate_runs()
    named = select(Run.id, cast(null(), Integer).label("free_slot")).where(
        Run.id == bindparam("run_id"), _STATUS == "running"
    )
    queued = select(candidate.c.id, candidate.c.free_slot).order_by(
        candidate.c.turn, candidate.c.priority, candidate.c.id
    )
    first = union_all(named, queued).subquery("first")
    return (
        select(func.array_agg(first.c.id).label("ids"), func.array_agg(first.c.free_slot).label("slots"))
        .cte("next")
        .prefix_with("MATERIALIZED")
    )


def _chosen(next_: CTE) -> CTE:
    """Returns the first run that no other claim has locked, and whose worker, if any, is dead."""
    position = func.array_position(next_.c.ids, Run.id)
    is_lost = and_(_STATUS == "running", ~exists().where(Worker.id == Run.worker_id))
    return (
        select(Run.id, Run.assistant_id, next_.c.slots[position].label("free_slot"), is_lost.label("is_lost"))
        .select_from(next_.join(Run, Run.id == any_(next_.c.ids)))
        .where(or_(_STATUS == "queued", is_lost))
        .order_by(position)
        .limit(1)
        .with_for_update(key_share=True, skip_locked=True, of=Run)
        .cte("chosen")
        .prefix_with("MATERIALIZED")
    )


def _named() -> CTE:
    """Returns the run of the request if its order does not matter: all that is queued may start at once.

    It is a queued root run whose person has a free slot. Claims at the same time choose different ones.
    """
    slot = free_slot(Run.user_id, Run)
    return (
        select(Run.id, Run.assistant_id, slot.c.free_slot, false().label("is_lost"))
        .join(User, and_(User.id == Run.user_id, User.is_active))
        .join(slot, true())
        .where(Run.id == bindparam("run_id"), _STATUS == "queued", Run.parent_run_id.is_(None))
        .where(fewer_wait(bindparam("free", type_=Integer)))
        .with_for_update(key_share=True, skip_locked=True, of=Run)
        .cte("chosen")
        .prefix_with("MATERIALIZED")
    )


def _claimed(chosen: CTE) -> CTE:
    """Returns the run, assigned to this worker."""
    # A resumed run, a member of a team and a pinned run keep their version; other runs get the assistant's current one
    # as they begin.
    begins = and_(Run.started_at.is_(None), Run.kind != "member", ~func.jsonb_exists(Run.state, "pinned"))
    return (
        update(Run)
        .where(Run.id == chosen.c.id, Assistant.id == chosen.c.assistant_id)
        .values(
            status="running",
            attempt=Run.attempt + 1,
            worker_id=bindparam("worker_id"),
            started_at=func.coalesce(Run.started_at, func.now()),
            retry_count=Run.retry_count + cast(chosen.c.is_lost, Integer),
            held_back=False,
            slot=case((chosen.c.is_lost, Run.slot), (Run.parent_run_id.is_(None), chosen.c.free_slot)),
            llm_id=chosen_llm(Run.requested_llm_id, Assistant.llm_id, Run, Assistant),
            assistant_version=case((begins, func.nullif(Assistant.version, 0)), else_=Run.assistant_version),
        )
        .returning(Run, chosen.c.is_lost)
        .cte("claimed")
    )


def _event(run: CTE) -> Subquery:
    """Returns the event of the claim, with the number of the new attempt, and whether it recovers the run."""
    given = given_event()
    recovery = case((run.c.is_lost, true()))
    values = {("status", "attempt"): run.c.attempt, ("status", "isRecovery"): recovery}
    return with_values(given, run, values, text=case((run.c.is_lost, RECOVERING), else_=given.c.text))


def _attached(answer: Any) -> ColumnElement[list[int]]:
    """The documents attached to the question of an answer; NULL for sub-agents, which have no message."""
    question = aliased(ChatMessage, name="question")
    return select(question.document_ids).where(question.id == answer.parent_message_id).scalar_subquery()


def _may_work(run: CTE, asker: Any) -> ColumnElement[bool]:
    """Returns whether the asker may use the run's assistant, within the limits of the session's key.

    Members of a team may be used even if not selectable.
    """
    is_member = and_(run.c.kind == "member", Assistant.deleted_date.is_(None))
    allowed = within_session(ChatSession, Assistant.id)
    return and_(allowed, or_(is_member, usable(Assistant, asker))).label("is_usable")


def _has_nothing_generated() -> ColumnElement[bool]:
    """Returns whether the session has no generated text; then nothing is hidden, and no access check is needed."""
    return and_(ChatSession.compressed_summary.is_(None), ChatSession.important_steps == [])


def _record(run: CTE, *before: Any, earlier: ColumnElement[Any] | None = None) -> Select[Any]:
    """Returns a query of a run as its worker reads it, after other columns.

    Args:
        run: The run.
        before: The other columns.
        earlier: The messages before its question; None if they are not read.
    """
    settings = aliased(InstallationSettings, name="settings")
    answer, asker, model = aliased(ChatMessage, name="answer"), aliased(User, name="asker"), aliased(Llm, name="model")
    may_know = or_(asker.has_facts, func.coalesce(settings.has_shared_knowledge, false()))
    return (
        select(
            *before,
            *part(
                "run",
                *columns(
                    RunRecord,
                    run,
                    stored_state=run.c.state,
                    first_token_ms=run.c.time_to_first_token_ms,
                    message_id=answer.id,
                    question_id=answer.parent_message_id,
                    document_ids=func.coalesce(func.to_jsonb(_attached(answer)), literal([], JSONB)),
                    stored_caller=run.c.caller,
                    earlier=cast(null(), JSONB) if earlier is None else earlier,
                    has_knowledge=and_(ChatSession.notebook_id.is_(None), ChatSession.limited_by.is_(None), may_know),
                ),
            ),
            *part(
                "run.session",
                *columns(
                    RunSession,
                    ChatSession,
                    stored_steps=ChatSession.important_steps,
                    stored_summary=ChatSession.compressed_summary,
                    shows_generated=_has_nothing_generated(),
                    summarized_to=ChatSession.last_compressed_message_id,
                    needs_title=needs_title(),
                ),
            ),
            # Other columns of notebooks, teams and knowledge are read by `details`, for runs that need them.
            *part(
                "run.session.notebook",
                ChatSession.notebook_id.label("id"),
                literal("").label("title"),
                literal("").label("instructions"),
                literal([], JSONB).label("tools"),
            ),
            *part(
                "run.assistant",
                *columns(RunAssistant, Assistant, is_usable=_may_work(run, asker), stored_members=literal([], JSONB)),
            ),
            *model_part("run.model", model),
            *part(
                "run.memory",
                memory_is_on(asker, ChatSession, settings).label("is_on"),
                asker.has_facts.label("has_any"),
                func.coalesce(answer.memory_ids, cast([], ARRAY(Integer))).label("ids"),
            ),
            *part(
                "run.limits",
                run.c.max_steps.label("steps"),
                run.c.timeout_seconds.label("seconds"),
                run.c.max_run_tokens.label("tokens"),
                cast(run.c.max_cost, Double).label("cost"),
                run.c.max_depth.label("depth"),
                func.coalesce(settings.has_quotas, false()).label("has_quotas"),
            ),
            *part(
                "run.usage",
                run.c.steps_executed.label("steps"),
                run.c.prompt_tokens,
                run.c.completion_tokens,
                cast(func.coalesce(run.c.cost, 0), Double).label("cost"),
                run.c.seconds_spent.label("seconds"),
            ),
        )
        .select_from(run)
        .join(ChatSession, ChatSession.id == run.c.chat_session_id)
        .outerjoin(answer, and_(answer.run_id == run.c.id, answer.role == "assistant"))
        .join(Assistant, Assistant.id == run.c.assistant_id)
        .join(asker, asker.id == run.c.user_id)
        .outerjoin(settings, true())
        .outerjoin(model, model.id == run.c.llm_id)
    )


def _claim(chosen: CTE) -> Query[ClaimedRow]:
    run = _claimed(chosen)
    origin = select(run.c.chat_session_id, run.c.id.label("run_id")).cte("origin")
    stored = stored_events(origin, _event(run), member=NO_MEMBER, single=True)
    return Query(_record(run, stored, run.c.is_lost.label("is_recovery")).join(stored, true()), ClaimedRow)


def _earlier() -> ColumnElement[Any]:
    """Returns the messages before the question of a `_record`; none in sessions whose questions are independent."""
    question = literal_column("CASE WHEN chat_sessions.mode = 'chat' THEN answer.parent_message_id END", BigInteger)
    covered = case(
        (literal_column("chat_sessions.compressed_summary IS NULL", Boolean), None),
        else_=literal_column("chat_sessions.last_compressed_message_id", BigInteger),
    )
    message = select_earlier(
        question,
        literal_column("assigned.user_id", Integer),
        2 * DEFAULT_HISTORY_RUNS,
        MAX_COUNTED,
        func.coalesce(covered, MAX_BIGINT),
    ).subquery("earlier")
    record = func.to_jsonb(literal_column("earlier")).op("-", return_type=JSONB())("position")
    found = select(func.jsonb_agg(aggregate_order_by(record, message.c.position), type_=JSONB)).select_from(message)
    return func.coalesce(found.scalar_subquery(), literal([], JSONB))


def _assigned() -> Query[AssignedRow]:
    """Returns the statement that reads a run that was claimed for this worker when its question was stored."""
    run = (
        select(Run)
        .where(
            Run.id == bindparam("run_id"),
            Run.worker_id == bindparam("worker_id"),
            Run.attempt == 1,
            Run.status == "running",
        )
        .cte("assigned")
    )
    return Query(_record(run, earlier=_earlier()), AssignedRow)


CLAIM_NAMED = Query.deferred(lambda: _claim(_named()))
"""Claims the queued run `run_id` for `worker_id` if no more than `free` runs are queued and its person has a free slot.

`limit` is the maximum number of active root runs of one person; `skip` of the free slots are left to other claims.
"""
CLAIM = Query.deferred(lambda: _claim(_chosen(_next())))
"""Claims the run `run_id` when its worker is dead, or the queued run whose turn it is, for `worker_id`.

`limit` is the maximum number of active root runs of one person.
"""
READ_ASSIGNED = Query.deferred(_assigned)
"""Selects the run `run_id` if it was claimed for `worker_id` when its question was stored, and is still its."""
