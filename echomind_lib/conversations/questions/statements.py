"""The statements that store a question, its empty answer and the queued run: one for each kind of place."""

from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    CTE,
    BigInteger,
    Boolean,
    ColumnElement,
    Integer,
    Text,
    Uuid,
    and_,
    bindparam,
    case,
    cast,
    exists,
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
from sqlalchemy.orm import aliased

from echomind_lib.access.assistant_choice import is_team, usable, usable_llm
from echomind_lib.access.notebooks import may_ask_in
from echomind_lib.conversations.questions.inserted_run import insert_run
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
from echomind_lib.db.models.runs import ToolCall
from echomind_lib.db.statements import Query
from echomind_lib.events.statements import NO_MEMBER, given_event, given_events, stored_events, with_values
from echomind_lib.runs.claim_conditions import reservation
from echomind_lib.runs.fence import exists_in

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


def _store(
    position: CTE, session: Callable[[CTE], CTE], *, is_pinned: bool = False, claims: bool = False
) -> Query[StoredQuestion]:
    """Returns a statement that stores a question, and if it `claims`, also claims the run for a worker.

    The run is inserted before the log is locked, so that a session with an active run is refused without waiting for
    that run's events. A statement that claims stores a second event if it did.
    """
    asked = _asked_rows(position, is_pinned=is_pinned)
    reserved = reservation(asked, USER_ID) if claims else None
    run = insert_run(asked, reserved, is_pinned=is_pinned)
    origin = select(run.c.chat_session_id, run.c.id.label("run_id")).cte("origin")
    answer_id = cast(asked.c.assistant_message_id, Text)
    given = given_event() if reserved is None else given_events()
    events = with_values(given, asked, {("queued", "assistantMessageId"): answer_id})
    if reserved is not None:
        events = select(events).where(or_(events.c.position == 0, exists_in(reserved))).subquery("applying")
    stored = stored_events(origin, events, member=NO_MEMBER, single=reserved is None)
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
