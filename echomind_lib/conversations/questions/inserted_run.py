"""The run of a question as it is inserted, with its limits."""

from typing import Any, Final, get_args

from sqlalchemy import (
    CTE,
    ColumnElement,
    FromClause,
    Integer,
    Numeric,
    Text,
    and_,
    bindparam,
    case,
    cast,
    false,
    func,
    insert,
    literal,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import JSONB

from echomind_lib.access.assistant_choice import usable_llm
from echomind_lib.assistants import teams
from echomind_lib.conversations.questions.positions import REQUEST_ID, USER_ID
from echomind_lib.conversations.questions.stored import RUN_COLUMNS
from echomind_lib.db.models.catalog import Llm
from echomind_lib.db.models.runs import Run
from echomind_lib.db.words import WaitStrategy
from echomind_lib.runs.claim_conditions import chosen_llm, claimed_columns

MAX_STEPS: Final = 20
"""Default maximum of steps per run."""
TIMEOUT_SECONDS: Final = 300
"""Default maximum of seconds per run, excluding waiting."""
MAX_DEPTH: Final = 2
"""Default maximum nesting depth of sub-agents."""
_QUESTION_PRIORITY, _GOAL_PRIORITY = 1, 3
_WAIT_STRATEGIES: Final = {f"WAIT_STRATEGY_{word.upper()}": word for word in get_args(WaitStrategy)}
"""The database's values by the API's enum names."""


def insert_run(asked: CTE, reserved: CTE | None, *, is_pinned: bool) -> CTE:
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
    if reserved is not None:
        source = asked.outerjoin(reserved, true())
        columns |= claimed_columns(reserved, chosen_llm(asked.c.llm_id, asked.c.assistant_llm_id, asked))
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
