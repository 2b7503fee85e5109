"""Model usage outside of runs: of a session, for its summaries and title, and by day, of whatever kind."""

from decimal import Decimal
from typing import Any, Final

from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    Date,
    Integer,
    Numeric,
    Text,
    bindparam,
    cast,
    func,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import Insert, insert

from echomind_lib.db.charges import KEY_GIVEN, charged, key_of_run
from echomind_lib.db.models import ChatSession, UsageDaily
from echomind_lib.db.statements import Command, Connection
from echomind_lib.db.words import UsageKind
from echomind_lib.llms import Usage

_FIGURES: Final = ("prompt_tokens", "completion_tokens", "cost")
_KEY: Final = ("day", "user_id", "kind", "llm_id", "assistant_id")


def _prompt_tokens() -> ColumnElement[int]:
    return bindparam("prompt_tokens", type_=BigInteger)


def _completion_tokens() -> ColumnElement[int]:
    return bindparam("completion_tokens", type_=BigInteger)


def _cost() -> ColumnElement[Decimal]:
    return bindparam("cost", type_=Numeric)


def booked() -> dict[str, ColumnElement[Any]]:
    """Returns the new values of the columns of `chat_sessions`, for statements that book more; see `values`.

    The statement returns its `user_id` and `assistant_id`, for `counted`, and `charged_to_owner`.
    """
    return {
        "summary_prompt_tokens": ChatSession.summary_prompt_tokens + _prompt_tokens(),
        "summary_completion_tokens": ChatSession.summary_completion_tokens + _completion_tokens(),
        "summary_cost": ChatSession.summary_cost + _cost(),
    }


def charged_to_owner(api_key_id: ColumnElement[int | None] | None = None) -> ColumnElement[bool]:
    """Returns the column that charges the owner of a session for what is booked, in the statement with `booked`.

    Args:
        api_key_id: The API key that asked for it, which is charged, too. Where it is None or NULL, the one that the
            session's last question was asked with is.
    """
    key: ColumnElement[Any] = key_of_run(ChatSession.most_recent_run_id)
    if api_key_id is not None:
        key = func.coalesce(api_key_id, key)
    tokens = _prompt_tokens() + _completion_tokens()
    return charged(ChatSession.user_id, tokens, _cost(), api_key_id=key).label("was_used_up")


def counted(
    source: CTE | None = None,
    *,
    kind: ColumnElement[str],
    llm_id: ColumnElement[Any] | None = None,
    prompt_tokens: ColumnElement[Any] | None = None,
    completion_tokens: ColumnElement[Any] | None = None,
    cost: ColumnElement[Any] | None = None,
) -> Insert:
    """Returns the insertion that adds usage to that of today, for each row of a CTE; of none if all of it is 0.

    Args:
        source: A CTE with `user_id` and `assistant_id`; None for parameters of these names.
        kind: What the model was called for.
        llm_id: The model; None for the parameter `llm_id`.
        prompt_tokens: The tokens read; None for the parameter, as in `values`.
        completion_tokens: The tokens written; None for the parameter.
        cost: The price in US dollars; None for the parameter.
    """
    prompt = _prompt_tokens() if prompt_tokens is None else prompt_tokens
    completion = _completion_tokens() if completion_tokens is None else completion_tokens
    if source is None:
        user: ColumnElement[Any] = bindparam("user_id", type_=Integer)
        assistant: ColumnElement[Any] = bindparam("assistant_id", type_=Integer)
    else:
        user, assistant = source.c.user_id, source.c.assistant_id
    row = select(
        cast(func.timezone("UTC", func.now()), Date),
        user,
        kind,
        bindparam("llm_id", type_=Integer) if llm_id is None else llm_id,
        assistant,
        prompt,
        completion,
        _cost() if cost is None else cost,
    ).where(prompt + completion > 0)
    if source is not None:
        row = row.select_from(source)
    inserted = insert(UsageDaily).from_select([*_KEY, *_FIGURES], row)
    return inserted.on_conflict_do_update(
        index_elements=list(_KEY),
        set_={name: getattr(UsageDaily, name) + inserted.excluded[name] for name in _FIGURES},
    )


def values(usage: Usage, cost: Decimal) -> dict[str, Any]:
    """Returns the parameters of `booked`, which are those of `counted` too."""
    return {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens, "cost": cost}


def kind_given() -> ColumnElement[str]:
    """Returns the parameter `kind` of a statement with `counted`."""
    return bindparam("kind", type_=Text)


_session = (
    update(ChatSession)
    .where(ChatSession.id == bindparam("session_id", type_=Integer))
    .values(booked())
    .returning(ChatSession.user_id, ChatSession.assistant_id, charged_to_owner(KEY_GIVEN))
    .cte("session")
)
_BOOK: Final = Command(counted(_session, kind=kind_given()))
_charge = charged(
    UsageDaily.user_id,
    _prompt_tokens() + _completion_tokens(),
    _cost(),
    api_key_id=KEY_GIVEN,
)
_COUNT: Final = Command(counted(kind=kind_given()).returning(_charge.label("was_used_up")))


async def add(
    connection: Connection,
    session_id: int,
    kind: UsageKind,
    llm_id: int,
    usage: Usage,
    cost: Decimal,
    *,
    api_key_id: int | None = None,
) -> None:
    """Adds the usage of a model request to its session's and to today's, even if the result is discarded.

    It is charged to the quotas of the session's owner, and of an API key.

    Args:
        connection: The database.
        session_id: The session.
        kind: What the model was called for.
        llm_id: The model.
        usage: The request's tokens.
        cost: Its price in US dollars; 0 if unknown.
        api_key_id: The API key that asked for it; None for that of the session's last question.
    """
    await _BOOK.execute(
        connection, session_id=session_id, kind=kind, llm_id=llm_id, api_key_id=api_key_id, **values(usage, cost)
    )


async def count(
    connection: Connection,
    user_id: int,
    kind: UsageKind,
    usage: Usage,
    cost: Decimal,
    *,
    llm_id: int | None = None,
    assistant_id: int | None = None,
    api_key_id: int | None = None,
) -> None:
    """Adds the usage of a model request that belongs to no run and no session to today's.

    It is charged to the quotas of the person and of the API key.

    Args:
        connection: The database.
        user_id: The person whom the request is for.
        kind: What the model was called for.
        usage: The request's tokens.
        cost: Its price in US dollars; 0 if unknown.
        llm_id: The chat model; None for an embedding model.
        assistant_id: The assistant whose model it is; None if there is none.
        api_key_id: The API key that asked for it; None for none.
    """
    await _COUNT.execute(
        connection,
        user_id=user_id,
        kind=kind,
        llm_id=llm_id,
        assistant_id=assistant_id,
        api_key_id=api_key_id,
        **values(usage, cost),
    )
