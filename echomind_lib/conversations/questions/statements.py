"""The statements that store a question, its empty answer and the queued run: one for each kind of place."""

from collections.abc import Callable
from typing import Any, Final, get_args

from sqlalchemy import (
    ARRAY,
    CTE,
    BigInteger,
    Boolean,
    ColumnElement,
    FromClause,
    Integer,
    Numeric,
    Text,
    Uuid,
    and_,
    bindparam,
    case,
    cast,
    exists,
    false,
    func,
    insert,
    literal,
    literal_column,
    null,
    or_,
    select,
    true,
    type_coerce,
    union_all,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import aliased

from echomind_lib.access.assistant_choice import is_team, usable, usable_llm
from echomind_lib.access.notebooks import may_ask_in
from echomind_lib.assistants import teams
from echomind_lib.conversations.questions.positions import (
    REQUEST_ID,
    USER_ID,
    after_head,
    beside_question,
    in_new_session,
    of_question,
    run_options,
    usual_options,
)
from echomind_lib.conversations.questions.stored import RUN_COLUMNS, StoredQuestion
from echomind_lib.db.models.catalog import Assistant, AssistantVersion, Llm
from echomind_lib.db.models.chat import ChatMessage, ChatSession
from echomind_lib.db.models.identity import User
from echomind_lib.db.models.runs import Run, ToolCall
from echomind_lib.db.models.work import Worker
from echomind_lib.db.statements import Query
from echomind_lib.db.words import WaitStrategy
from echomind_lib.events.statements import NO_MEMBER, given_event, given_events, stored_events, with_values
from echomind_lib.runs.claim import chosen_llm, fewer_wait, free_slot
from echomind_lib.runs.fence import exists_in

MAX_STEPS: Final = 20
"""Default maximum of steps per run."""
TIMEOUT_SECONDS: Final = 300
"""Default maximum of seconds per run, excluding waiting."""
MAX_DEPTH: Final = 2
"""Default maximum nesting depth of sub-agents."""
_QUESTION_PRIORITY, _GOAL_PRIORITY = 1, 3
_WAIT_STRATEGIES: Final = {f"WAIT_STRATEGY_{word.upper()}": word for word in get_args(WaitStrategy)}
"""The database's values by the API's enum names."""
_title = bindparam("title", type_=Text)
_unlisted = bindparam("is_unlisted", type_=Boolean)


def _asked_rows(position: CTE, *, is_pinned: bool) -> CTE:
    """Returns the ids and contents of the rows to be stored; no row if the question is rejected.

    A question is rejected if its idempotency key has answered a run before (`find_question` finds that run), if the
    user may not use the assistant, or if they may not ask in the notebook. A pinned question is for the version
    `assistant_version`, with its limits and its model, or the default one if that was removed.
    """
    assistant, asker = aliased(Assistant, name="assistant"), aliased(User, name="asker")
    options, allowed = run_options(position.c.options, "options"), run_options(assistant.config, "allowed")
    version: ColumnElement[int | None] = func.nullif(assistant.version, 0)
    llm_id: ColumnElement[int | None] = options.c.llmId
    used = position.join(options, true()).join(assistant, assistant.id == position.c.assistant_id)
    if is_pinned:
        pinned = aliased(AssistantVersion, name="pinned")
        requested = bindparam("assistant_version", type_=Integer)
        used = used.join(pinned, and_(pinned.assistant_id == assistant.id, pinned.version == requested))
        allowed = run_options(pinned.config["config"], "allowed")
        version = type_coerce(pinned.version, Integer)
        llm_id = _llm_of(cast(pinned.config["llm_id"].astext, Integer))
    has_answered = exists().where(ToolCall.user_id_last_update == USER_ID, ToolCall.request_id == REQUEST_ID)
    return (
        select(
            position.c.id.label("session_id"),
            position.c.assistant_id,
            position.c.notebook_id,
            position.c.parent_message_id,
            position.c.question_id.is_(None).label("asks"),
            position.c.content,
            position.c.token_count,
            position.c.asked_at,
            position.c.document_ids,
            position.c.author_kind,
            case((options.c.autoRun, position.c.content)).label("goal"),
            options.c.askClarifications.label("ask_clarifications"),
            options.c.maxSteps.label("max_steps"),
            options.c.timeoutSeconds.label("timeout_seconds"),
            options.c.maxRunTokens.label("max_run_tokens"),
            options.c.maxCost.label("max_cost"),
            options.c.maxDepth.label("max_depth"),
            llm_id.label("llm_id"),
            options.c.waitStrategy.label("wait_strategy"),
            options.c.tools.label("tools"),
            version.label("assistant_version"),
            allowed.c.askClarifications.label("may_ask"),
            allowed.c.maxSteps.label("allowed_steps"),
            allowed.c.timeoutSeconds.label("allowed_seconds"),
            allowed.c.maxRunTokens.label("allowed_tokens"),
            allowed.c.maxCost.label("allowed_cost"),
            allowed.c.maxDepth.label("allowed_depth"),
            # A copied question of somebody else that is answered again is in the prompt whatever the options.
            or_(
                position.c.author_kind != "person",
                and_(func.coalesce(allowed.c.addHistoryToContext, true()), position.c.is_untrusted),
            ).label("is_untrusted"),
            is_team(assistant).label("is_team"),
            assistant.llm_id.label("assistant_llm_id"),
            asker.is_active.label("is_active"),
            func.coalesce(position.c.question_id, _next_message_id()).label("user_message_id"),
            _next_message_id().label("assistant_message_id"),
            func.uuidv7(type_=Uuid).label("run_id"),
        )
        .select_from(used.join(allowed, true()))
        .join(asker, asker.id == USER_ID)
        .where(usable(assistant, asker), or_(REQUEST_ID == "", ~has_answered))
        .where(or_(position.c.notebook_id.is_(None), may_ask_in(position.c.notebook_id, USER_ID)))
        .cte("asked")
        .prefix_with("MATERIALIZED")
    )


def _llm_of(llm_id: ColumnElement[int]) -> ColumnElement[int | None]:
    """Returns a model that may be used; otherwise the default one."""
    model = aliased(Llm, name="of_version")
    return (
        select(model.id)
        .where(usable_llm(model), or_(model.id == llm_id, model.is_default))
        .order_by((model.id == llm_id).desc().nulls_last())
        .limit(1)
        .scalar_subquery()
    )


def _next_message_id() -> ColumnElement[int]:
    return func.nextval("chat_messages_id_seq", type_=BigInteger)


def _messages(asked: CTE) -> ColumnElement[int]:
    """Returns how many messages are stored: the trigger leaves those with an unwritten answer to this statement."""
    return case((asked.c.asks, 2), else_=1)


def _begin_session(asked: CTE) -> CTE:
    return (
        insert(ChatSession)
        .from_select(
            [
                "id",
                "user_id",
                "assistant_id",
                "notebook_id",
                "title",
                "title_origin",
                "head_message_id",
                "most_recent_run_id",
                "goal",
                "initial_goal",
                "preferences",
                "mode",
                "unlisted",
                "without_memory",
                "external_id",
                "message_count",
                "last_message_at",
                "limited_by",
                "limited_assistants",
                "limited_connectors",
            ],
            select(
                asked.c.session_id,
                USER_ID,
                asked.c.assistant_id,
                asked.c.notebook_id,
                _title,
                bindparam("title_origin", type_=Text),
                asked.c.assistant_message_id,
                asked.c.run_id,
                asked.c.goal,
                asked.c.goal,
                usual_options(),
                case((_unlisted, "one_shot"), else_="chat"),
                _unlisted,
                _unlisted,
                bindparam("external_id", type_=Text),
                _messages(asked),
                func.now(),
                bindparam("limited_by", type_=Integer),
                bindparam("reader_assistants", type_=ARRAY(Integer)),
                bindparam("limited_connectors", type_=ARRAY(Integer)),
            ),
        )
        .cte("session")
    )


def _move_session(asked: CTE, **columns: ColumnElement[Any]) -> CTE:
    return (
        update(ChatSession)
        .where(ChatSession.id == asked.c.session_id)
        .values(
            head_message_id=asked.c.assistant_message_id,
            most_recent_run_id=asked.c.run_id,
            status="active",
            archived=False,
            message_count=ChatSession.message_count + _messages(asked),
            last_message_at=func.greatest(ChatSession.last_message_at, func.now()),
            goal=func.coalesce(ChatSession.goal, asked.c.goal),
            initial_goal=func.coalesce(ChatSession.initial_goal, ChatSession.goal, asked.c.goal),
            **columns,
        )
        .cte("session")
    )


def _title_at_first_question() -> dict[str, ColumnElement[Any]]:
    is_untitled = ChatSession.title_origin == "default"
    return {
        "title": case((is_untitled, _title), else_=ChatSession.title),
        "title_origin": case((is_untitled, "question"), else_=ChatSession.title_origin),
    }


def _insert_messages(asked: CTE) -> CTE:
    question = select(
        asked.c.user_message_id,
        asked.c.session_id,
        literal("user"),
        asked.c.author_kind,
        case((asked.c.author_kind == "person", USER_ID)),
        asked.c.content,
        asked.c.token_count,
        asked.c.parent_message_id,
        cast(null(), Uuid),
        literal("completed"),
        asked.c.document_ids,
    ).where(asked.c.asks)
    answer = select(
        asked.c.assistant_message_id,
        asked.c.session_id,
        literal("assistant"),
        literal("assistant"),
        cast(null(), Integer),
        literal(""),
        literal(0),
        asked.c.user_message_id,
        asked.c.run_id,
        literal("streaming"),
        cast(literal_column("'{}'"), ARRAY(BigInteger)),
    )
    names = ["id", "chat_session_id", "role", "author_kind", "author_id", "content", "token_count"]
    names += ["parent_message_id", "run_id", "status", "document_ids"]
    return insert(ChatMessage).from_select(names, union_all(question, answer)).cte("messages")


def _reservation(asked: CTE) -> CTE:
    """Returns the worker that may execute the run at once, and the free slot of its person; no row for none.

    The conditions are those of a claim of a named run (see `runs.claim`).
    """
    slot = free_slot(USER_ID)
    others = bindparam("free", type_=Integer) - 1
    return (
        select(Worker.id.label("worker_id"), slot.c.free_slot)
        .select_from(asked.join(Worker, Worker.id == bindparam("worker_id", type_=Uuid)).join(slot, true()))
        .where(asked.c.is_active, fewer_wait(others))
        .cte("reservation")
        .prefix_with("MATERIALIZED")
    )


def _insert_run(asked: CTE, reservation: CTE | None, *, is_pinned: bool) -> CTE:
    """Inserts the run, claimed for the worker of a reservation, or queued without one.

    Options only lower the assistant's limits; LEAST ignores NULL, which means no limit.
    """
    is_goal = asked.c.goal.is_not(None)
    state: dict[str, Any] = {"pinned": True} if is_pinned else {}
    columns: dict[str, Any] = {
        "id": asked.c.run_id,
        "user_id": USER_ID,
        "api_key_id": bindparam("api_key_id", type_=Integer),
        "chat_session_id": asked.c.session_id,
        "kind": case((asked.c.is_team, "team"), else_="agent"),
        "assistant_id": asked.c.assistant_id,
        "assistant_version": asked.c.assistant_version,
        "input": asked.c.content,
        "request_id": func.nullif(REQUEST_ID, ""),
        "goal": asked.c.goal,
        "auto_run": is_goal,
        "ask_clarifications": and_(~is_goal, func.coalesce(asked.c.ask_clarifications, asked.c.may_ask, false())),
        "max_steps": func.least(
            _limit(asked.c.max_steps),
            func.coalesce(_limit(asked.c.allowed_steps), case((asked.c.is_team, teams.MAX_STEPS), else_=MAX_STEPS)),
        ),
        "timeout_seconds": func.least(
            _limit(asked.c.timeout_seconds),
            func.coalesce(
                _limit(asked.c.allowed_seconds),
                case((asked.c.is_team, teams.TIMEOUT_SECONDS), else_=TIMEOUT_SECONDS),
            ),
        ),
        "max_run_tokens": func.least(_limit(asked.c.max_run_tokens), _limit(asked.c.allowed_tokens)),
        "max_cost": func.least(_cost(asked.c.max_cost), _cost(asked.c.allowed_cost)),
        "max_depth": func.least(asked.c.max_depth, func.coalesce(asked.c.allowed_depth, MAX_DEPTH)),
        "untrusted": asked.c.is_untrusted,
        "priority": case((is_goal, _GOAL_PRIORITY), else_=_QUESTION_PRIORITY),
        "requested_llm_id": _usable_llm(asked),
        "wait_strategy": case(_WAIT_STRATEGIES, value=asked.c.wait_strategy),
        "caller": bindparam("caller", type_=JSONB(none_as_null=True)),
        "state": case(
            (asked.c.tools.is_not(None), literal(state, JSONB).concat(func.jsonb_build_object("only", asked.c.tools))),
            else_=literal(state, JSONB),
        ),
        "external_id": bindparam("run_external_id", type_=Text),
        "metadata": func.coalesce(bindparam("metadata", type_=JSONB(none_as_null=True)), literal({}, JSONB)),
    }
    source: FromClause = asked
    if reservation is not None:
        source, is_claimed = asked.outerjoin(reservation, true()), reservation.c.worker_id.is_not(None)
        llm_id = chosen_llm(asked.c.llm_id, asked.c.assistant_llm_id, asked)
        columns |= {
            "status": case((is_claimed, "running"), else_="queued"),
            "attempt": case((is_claimed, 1), else_=0),
            "worker_id": reservation.c.worker_id,
            "slot": reservation.c.free_slot,
            "started_at": case((is_claimed, func.now())),
            "llm_id": case((is_claimed, llm_id)),
        }
    return (
        insert(Run)
        .from_select(
            list(columns),
            select(*columns.values()).select_from(source),
        )
        .returning(Run.id, Run.chat_session_id, Run.assistant_version, *RUN_COLUMNS)
        .cte("run")
    )


def _limit(value: ColumnElement[int]) -> ColumnElement[int | None]:
    """Returns a limit, or NULL for 0."""
    return func.nullif(value, 0)


def _cost(value: ColumnElement[float]) -> ColumnElement[Any]:
    """Returns a cost limit in its column's range: at least the smallest value; NULL if too large, or for 0."""
    return case((and_(value > 0, value < 1e6), cast(func.greatest(value, 1e-8), Numeric(14, 8))))


def _usable_llm(asked: CTE) -> ColumnElement[int | None]:
    """Returns the requested model; NULL if there is none, or the preferred one can no longer be used."""
    return select(Llm.id).where(Llm.id == asked.c.llm_id, usable_llm(Llm)).correlate(asked).scalar_subquery()


def _store(
    position: CTE, session: Callable[[CTE], CTE], *, is_pinned: bool = False, claims: bool = False
) -> Query[StoredQuestion]:
    """Returns a statement that stores a question, and if it `claims`, also claims the run for a worker.

    The run is inserted before the log is locked, so that a session with an active run is refused without waiting for
    that run's events. A statement that claims stores a second event if it did.
    """
    asked = _asked_rows(position, is_pinned=is_pinned)
    reservation = _reservation(asked) if claims else None
    run = _insert_run(asked, reservation, is_pinned=is_pinned)
    origin = select(run.c.chat_session_id, run.c.id.label("run_id")).cte("origin")
    answer_id = cast(asked.c.assistant_message_id, Text)
    given = given_event() if reservation is None else given_events()
    events = with_values(given, asked, {("queued", "assistantMessageId"): answer_id})
    if reservation is not None:
        events = select(events).where(or_(events.c.position == 0, exists_in(reservation))).subquery("applying")
    stored = stored_events(origin, events, member=NO_MEMBER, single=reservation is None)
    return Query(
        select(
            asked.c.assistant_id,
            run.c.assistant_version,
            asked.c.parent_message_id,
            asked.c.user_message_id,
            asked.c.assistant_message_id,
            asked.c.author_kind,
            asked.c.content,
            asked.c.token_count,
            asked.c.document_ids,
            asked.c.asked_at,
            *(run.c[column.key] for column in RUN_COLUMNS),
            true().label("is_new"),
            stored,
        )
        .select_from(asked.join(run, true()).join(stored, true()))
        .add_cte(session(asked), _insert_messages(asked)),
        StoredQuestion,
    )


STORE_IN_NEW_SESSION: Final = Query.deferred(lambda: _store(in_new_session(), _begin_session))
"""Parameters besides the common ones: `assistant_id` (0: the default), `notebook_id` (NULL for none), `title`,
`title_origin`, `is_unlisted`, `external_id`, and the limits of the asking key: `limited_by`, `reader_assistants`,
`limited_connectors`."""
CLAIM_IN_NEW_SESSION: Final = Query.deferred(lambda: _store(in_new_session(), _begin_session, claims=True))
"""As `STORE_IN_NEW_SESSION`, and claims the run for `worker_id` if the conditions of a claim hold: fewer than `free`
runs are queued, and the person has a free slot, of `limit`; `skip` of the free slots are left to other claims."""
STORE_OF_VERSION: Final = Query.deferred(lambda: _store(in_new_session(), _begin_session, is_pinned=True))
"""As `STORE_IN_NEW_SESSION`, for the version `assistant_version` of the assistant, which leads no team."""


def _after_head(*, claims: bool) -> Query[StoredQuestion]:
    return _store(after_head(), lambda asked: _move_session(asked, **_title_at_first_question()), claims=claims)


STORE_AFTER_HEAD: Final = Query.deferred(lambda: _after_head(claims=False))
"""Parameters besides the common ones: `session_id`, `title`."""
CLAIM_AFTER_HEAD: Final = Query.deferred(lambda: _after_head(claims=True))
"""As `STORE_AFTER_HEAD`, with the claim of `CLAIM_IN_NEW_SESSION`."""
STORE_EDIT: Final = Query.deferred(lambda: _store(beside_question(), _move_session))
"""Parameters besides the common ones: `message_id`."""
STORE_REGENERATION: Final = Query.deferred(lambda: _store(of_question(), _move_session))
"""Parameters besides the common ones: `message_id`; no `content`, no `token_count`."""
