"""Access to assistants in statements without a principal: storing a question, claiming a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import asyncpg
from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Integer,
    Select,
    Text,
    and_,
    any_,
    bindparam,
    case,
    exists,
    func,
    or_,
    select,
    true,
)
from sqlalchemy.orm import aliased

from echomind_lib.access.conditions import within
from echomind_lib.access.names import DEFAULT_ASSISTANT
from echomind_lib.access.principal import KeyLimits
from echomind_lib.access.rules import assistants
from echomind_lib.access.ways import Limited
from echomind_lib.db.models.catalog import Assistant, AssistantMember, Llm
from echomind_lib.db.models.identity import User
from echomind_lib.db.statements import Query
from echomind_lib.errors import AssistantUnavailableError, NotFoundError


def usable(assistant: Any = Assistant, person: Any = User) -> ColumnElement[bool]:
    """Returns the condition that a person may use an assistant.

    Args:
        assistant: `Assistant` or an alias of it.
        person: `User` or an alias of it: the asker.
    """
    return and_(assistant.deleted_date.is_(None), assistants("read").where(assistant, person))


def within_session(session: Any, assistant_id: Any) -> ColumnElement[bool]:
    """Returns the condition that the limits of the API key that began a session allow an assistant.

    Args:
        session: `ChatSession` or an alias of it.
        assistant_id: The assistant.
    """
    return or_(session.limited_assistants.is_(None), assistant_id == any_(session.limited_assistants))


def limits_of(limits: KeyLimits | None) -> dict[str, Any]:
    """Returns the parameter of the limits of a key, for statements with `chosen` or `within_key`."""
    return {Limited.ASSISTANTS.value: None if limits is None else limits.assistant_ids()}


def within_key(assistant: Any = Assistant) -> ColumnElement[bool]:
    """Returns the condition that the limits of a key, the parameter of `limits_of`, allow an assistant."""
    return within(assistant.id, Limited.ASSISTANTS.value)


def is_team(assistant: Any = Assistant) -> ColumnElement[bool]:
    """Returns the condition that an assistant has members that are not removed.

    Args:
        assistant: `Assistant` or an alias of it.
    """
    member = aliased(Assistant, name="member")
    return exists(
        select(AssistantMember.member_id)
        .join(member, member.id == AssistantMember.member_id)
        .where(AssistantMember.assistant_id == assistant.id, member.deleted_date.is_(None))
        .correlate(assistant)
    )


def usable_llm(llm: Any = Llm) -> ColumnElement[bool]:
    """Returns the condition that a chat model may be used: everyone may choose any active one.

    Args:
        llm: `Llm` or an alias of it.
    """
    return and_(llm.deleted_date.is_(None), llm.is_active)


def chosen(user_id: ColumnElement[int], assistant_id: ColumnElement[int], *, limited: bool = False) -> Select[int]:
    """Returns the statement that selects the id of a new conversation's assistant.

    It is the named one, otherwise the preferred one if the user may still use it, otherwise the default one. No row is
    selected if the named one may not be used.

    Args:
        user_id: ID of the asker.
        assistant_id: The requested assistant; 0 for none.
        limited: Whether the statement has the parameter of `limits_of`: a key with limits gets one of its assistants,
            the first of them if none is requested and they include neither the preferred nor the default one.
    """
    # Aliased, so that an enclosing statement may use both tables, too.
    assistant, asker = aliased(Assistant, name="chosen_assistant"), aliased(User, name="chooser")
    preferred = asker.preferences[DEFAULT_ASSISTANT] == func.to_jsonb(assistant.id)
    usual = or_(assistant.is_default, preferred)
    if limited:
        usual = or_(usual, bindparam(Limited.ASSISTANTS.value, type_=ARRAY(Integer)).is_not(None))
    return (
        select(assistant.id)
        .join(asker, asker.id == user_id)
        .where(
            usable(assistant, asker),
            within_key(assistant) if limited else true(),
            case((assistant_id == 0, usual), else_=assistant.id == assistant_id),
        )
        .order_by(case((preferred, 0), (assistant.is_default, 1), else_=2), assistant.id)
        .limit(1)
    )


_CHOSEN: Final = Query(
    chosen(bindparam("user_id", type_=Integer), bindparam("assistant_id", type_=BigInteger), limited=True), int
)


async def choose_assistant(
    pool: asyncpg.Pool, user_id: int, assistant_id: int, limits: KeyLimits | None = None
) -> int | None:
    """Returns the id of the assistant of a new conversation, selected as in `chosen`; 0 requests none."""
    return await _CHOSEN.fetch_one(pool, user_id=user_id, assistant_id=assistant_id, **limits_of(limits))


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedAssistant:
    """An assistant that a person may use, for a list."""

    name: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """The assistants and models that a user's sub-agents may use."""

    assistants: Sequence[OfferedAssistant] = ()
    """All but the run's own, in display order."""
    models: Sequence[str] = ()
    """Names of chat models; empty if there is only one."""


_MAX_OFFERED = 20
"""Maximum number of assistants and of models in a tool's description; others may be requested, too."""
_OFFERED_ASSISTANTS: Final = Query(
    select(Assistant.name, Assistant.description)
    .join(User, User.id == bindparam("user_id", type_=Integer))
    .where(usable(), within_key(), ~Assistant.is_draft, Assistant.id != bindparam("assistant_id", type_=Integer))
    .order_by(Assistant.display_priority, Assistant.id)
    .limit(_MAX_OFFERED),
    OfferedAssistant,
)
_OFFERED_LLMS: Final = Query(select(Llm.name).where(usable_llm()).order_by(Llm.id).limit(_MAX_OFFERED), str)


async def read_offer(pool: asyncpg.Pool, user_id: int, assistant_id: int, limits: KeyLimits | None = None) -> Offer:
    """Returns the assistants and models that sub-agents of an assistant may use on behalf of a user."""
    assistants = await _OFFERED_ASSISTANTS.fetch_all(
        pool, user_id=user_id, assistant_id=assistant_id, **limits_of(limits)
    )
    models = await _OFFERED_LLMS.fetch_all(pool)
    return Offer(assistants=assistants, models=models if len(models) > 1 else [])


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedAssistant:
    """An assistant that a user may use, with the columns needed for a run."""

    id: int
    name: str
    llm_id: int | None
    config: dict[str, Any]
    is_team: bool
    """Whether it has members that still exist."""


_NAMED_ASSISTANT: Final = Query(
    select(Assistant.id, Assistant.name, Assistant.llm_id, Assistant.config, is_team().label("is_team"))
    .join(User, User.id == bindparam("user_id", type_=Integer))
    .where(
        usable(),
        within_key(),
        ~Assistant.is_draft,
        func.lower(Assistant.name) == func.lower(bindparam("name", type_=Text)),
    )
    .order_by(Assistant.id)
    .limit(1),
    NamedAssistant,
)
_NAMED_LLM: Final = Query(
    select(Llm.id)
    .where(usable_llm(), func.lower(Llm.name) == func.lower(bindparam("name", type_=Text)))
    .order_by(Llm.id)
    .limit(1),
    int,
)


async def find_assistant(
    pool: asyncpg.Pool, user_id: int, name: str, limits: KeyLimits | None = None
) -> NamedAssistant | None:
    """Returns the usable assistant with a name, ignoring case; None if there is none."""
    return await _NAMED_ASSISTANT.fetch_one(pool, user_id=user_id, name=name, **limits_of(limits))


async def find_llm(pool: asyncpg.Pool, name: str) -> int | None:
    """Returns the id of the usable chat model with a name, ignoring case; None if there is none."""
    return await _NAMED_LLM.fetch_one(pool, name=name)


_USABLE_LLM: Final = Query(select(Llm.id).where(Llm.id == bindparam("llm_id", type_=Integer), usable_llm()), int)


async def require_usable_llm(pool: asyncpg.Pool, llm_id: int) -> None:
    """Raises `NotFoundError` unless a chat model may be used."""
    if await _USABLE_LLM.fetch_one(pool, llm_id=llm_id) is None:
        raise NotFoundError(f"There is no active chat model {llm_id}.", resource="chat model", id=llm_id)


def assistant_unavailable(session_id: int) -> AssistantUnavailableError:
    """Returns the error for a conversation whose assistant may not be used, or no longer."""
    return AssistantUnavailableError(
        "The assistant of this conversation was removed, or is not available to you any more: choose another assistant "
        "for the conversation, or begin a new one.",
        chat_session_id=session_id,
    )
