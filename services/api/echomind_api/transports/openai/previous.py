"""Earlier responses that a request continues or refers to."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import asyncpg
import msgspec
from sqlalchemy import ARRAY, BigInteger, Integer, Text, Uuid, any_, bindparam, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.sql.functions import coalesce, func

from echomind_api.transports.openai.chat_request import Message
from echomind_api.transports.openai.errors import OpenAiError
from echomind_api.transports.openai.response_request import called
from echomind_lib.access import Principal
from echomind_lib.access.conditions import within_limits
from echomind_lib.access.ways import Limited
from echomind_lib.db.models.chat import ChatMessage, ChatSession
from echomind_lib.db.models.runs import Run, Step, ToolCall
from echomind_lib.db.statements import Query
from echomind_lib.db.words import RunStatus
from echomind_lib.runs.caller import Caller, CallerMessage

RESPONSE: Final = "resp_"
MESSAGE: Final = "msg_"
CALL: Final = "fc_"
_user_id = bindparam("user_id", type_=Integer)
_within_limits = within_limits(Limited.SESSIONS, ChatSession)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousRun:
    """The run of an earlier response."""

    id: UUID
    session_id: int
    assistant_id: int
    answer_id: int
    head_message_id: int | None
    question: str
    answer: str
    status: RunStatus
    error: dict[str, str] | None
    asked_at: datetime
    completed_at: datetime | None
    steps_executed: int
    prompt_tokens: int
    completion_tokens: int
    stored_caller: dict[str, Any]

    @property
    def caller(self) -> Caller:
        """Returns what the program gave besides the question."""
        return msgspec.convert(self.stored_caller, Caller)

    @property
    def history(self) -> tuple[CallerMessage, ...] | None:
        """Returns the messages before a question that follows it; None if the session has them all."""
        if not (before := self.caller.messages):
            return None
        return (*before, CallerMessage("user", self.question), CallerMessage("assistant", self.answer))


@dataclass(frozen=True, slots=True, kw_only=True)
class CalledTool:
    """A call of a tool."""

    run_id: UUID
    step_number: int
    call_id: str
    name: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answered:
    id: int
    content: str


_PREVIOUS: Final = Query(
    select(
        Run.id,
        ChatSession.id.label("session_id"),
        ChatSession.assistant_id,
        ChatMessage.id.label("answer_id"),
        ChatSession.head_message_id,
        Run.input.label("question"),
        coalesce(ChatMessage.content, "", type_=Text).label("answer"),
        Run.status,
        Run.error,
        Run.creation_date.label("asked_at"),
        Run.completed_at,
        Run.steps_executed,
        Run.prompt_tokens,
        Run.completion_tokens,
        coalesce(Run.caller, func.jsonb_build_object(), type_=JSONB).label("stored_caller"),
    )
    .join(ChatSession, ChatSession.id == Run.chat_session_id)
    .join(ChatMessage, ChatMessage.run_id == Run.id)
    .where(
        Run.id == bindparam("run_id", type_=Uuid),
        Run.user_id == _user_id,
        ChatSession.user_id == _user_id,
        ChatSession.deleted_date.is_(None),
        ~ChatSession.unlisted,
        _within_limits,
        ChatMessage.role == "assistant",
    ),
    PreviousRun,
)
_OTHERS: Final = Query(
    select(Run.id)
    .where(
        Run.chat_session_id == bindparam("session_id", type_=Integer),
        Run.parent_run_id.is_(None),
        Run.id != bindparam("run_id", type_=Uuid),
    )
    .limit(1),
    UUID,
)
_CALLS: Final = Query(
    select(
        Run.id.label("run_id"),
        Step.step_number,
        ToolCall.tool_call_id.label("call_id"),
        ToolCall.tool_name.label("name"),
        coalesce(ToolCall.parameters, func.jsonb_build_object(), type_=JSONB).label("parameters"),
    )
    .join(Step, Step.id == ToolCall.step_id)
    .join(Run, Run.id == Step.run_id)
    .join(ChatSession, ChatSession.id == Run.chat_session_id)
    .where(_within_limits)
    .where(Run.user_id == _user_id, Run.id == any_(bindparam("run_ids", type_=ARRAY(Uuid))))
    .order_by(ToolCall.id),
    CalledTool,
)
_ANSWERS: Final = Query(
    select(ChatMessage.id, coalesce(ChatMessage.content, "", type_=Text).label("content"))
    .join(Run, Run.id == ChatMessage.run_id)
    .join(ChatSession, ChatSession.id == Run.chat_session_id)
    .where(_within_limits)
    .where(
        Run.user_id == _user_id,
        ChatMessage.role == "assistant",
        ChatMessage.id == any_(bindparam("message_ids", type_=ARRAY(BigInteger))),
    ),
    _Answered,
)


async def find_response(pool: asyncpg.Pool, reader: Principal, response_id: str) -> PreviousRun:
    """Returns the run of a response.

    Raises:
        OpenAiError: There is none of this person, or it was not stored.
    """
    try:
        return await find_previous(pool, reader, response_id)
    except OpenAiError as error:
        raise OpenAiError(error.message, status=404, code="not_found") from error


async def has_other_responses(pool: asyncpg.Pool, session_id: int, run_id: UUID) -> bool:
    """Returns whether a session has other answers than that of a run."""
    return bool(await _OTHERS.fetch_all(pool, session_id=session_id, run_id=run_id))


async def find_previous(pool: asyncpg.Pool, reader: Principal, response_id: str) -> PreviousRun:
    """Returns the run of a response that is to be continued.

    Raises:
        OpenAiError: There is none of this person, or it was not stored.
    """
    run_id = _uuid(response_id.removeprefix(RESPONSE)) if response_id.startswith(RESPONSE) else None
    found = await _PREVIOUS.fetch_one(pool, run_id=run_id, **_values(reader)) if run_id else None
    if found is None:
        raise OpenAiError(
            f"There is no stored response {response_id[:100]!r}.",
            code="previous_response_not_found",
            param="previous_response_id",
        )
    return found


async def last_calls_of(pool: asyncpg.Pool, reader: Principal, run: PreviousRun) -> list[CalledTool]:
    """Returns the calls that a run of this person ended with; none if an answer followed them."""
    found = await _CALLS.fetch_all(pool, **_values(reader), run_ids=[run.id])
    return [call for call in found if call.step_number == run.steps_executed]


async def calls_of(pool: asyncpg.Pool, reader: Principal, run_id: UUID) -> list[Message]:
    """Returns the tool calls of a run of this person, as messages of the assistant."""
    found = await _CALLS.fetch_all(pool, **_values(reader), run_ids=[run_id])
    return [called(call.call_id, call.name, call.parameters) for call in found]


async def referred_items(pool: asyncpg.Pool, reader: Principal, ids: Sequence[str]) -> dict[str, Message]:
    """Returns the items of this person's answers by their ids; unknown ones are left out."""
    items: dict[str, Message] = {}
    numbers = [int(each[len(MESSAGE) :]) for each in ids if each.startswith(MESSAGE) and _is_number(each)]
    if numbers:
        for answer in await _ANSWERS.fetch_all(pool, **_values(reader), message_ids=numbers):
            items[f"{MESSAGE}{answer.id}"] = Message(role="assistant", content=answer.content)
    runs = {run for each in ids if each.startswith(CALL) and (run := _uuid(each[len(CALL) :].partition("_")[0]))}
    if runs:
        for call in await _CALLS.fetch_all(pool, **_values(reader), run_ids=list(runs)):
            items[call_item_id(call.run_id, call.call_id)] = called(call.call_id, call.name, call.parameters)
    return items


def _values(reader: Principal) -> dict[str, Any]:
    """Returns the parameters of the statements about whose answers they are."""
    key = None if reader.limits is None else [reader.limits.api_key_id]
    return {_user_id.key: reader.user_id, Limited.SESSIONS.value: key}


def call_item_id(run_id: UUID, call_id: str) -> str:
    """Returns the id of a call's item."""
    return f"{CALL}{run_id.hex}_{call_id}"


def _is_number(item_id: str) -> bool:
    digits = item_id[len(MESSAGE) :]
    return digits.isascii() and digits.isdecimal() and len(digits) < 19


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
