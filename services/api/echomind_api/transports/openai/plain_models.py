"""Plain chat models: requests go to the model as they are, without documents, tools of EchoMind, or a conversation.

Programs ask them for what is no question to an assistant, such as a title for a chat. They are offered by a setting,
as nothing of them is stored but how many tokens they took on a day. They are charged to the quotas of whoever asks and
of their key, afterwards, and refused while one is used up.
"""

import asyncio
import math
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

import aiohttp
import asyncpg
from sqlalchemy import Integer, bindparam, select

from echomind_api.transports.openai.chat_request import ChatRequest, offered_tools, text_of
from echomind_api.transports.openai.chat_request import Message as GivenMessage
from echomind_api.transports.openai.completions import ChunkWriter, Json, completion, function_call, usage_of
from echomind_api.transports.openai.errors import NO_QUOTA, RATE_LIMITED, OpenAiError, quota_exceeded
from echomind_api.transports.openai.models import NamedModel, slug
from echomind_api.transports.openai.plain_settings import PlainSettings, plain_settings
from echomind_api.transports.openai.stream import OpenAiStream
from echomind_lib.access import Principal
from echomind_lib.access.assistant_choice import usable_llm
from echomind_lib.conversations import usage
from echomind_lib.db.charges import charged
from echomind_lib.db.models.catalog import Llm
from echomind_lib.db.statements import Query
from echomind_lib.llms import (
    ChatModel,
    Completion,
    LlmBadRequest,
    LlmConfig,
    LlmConfigInvalid,
    LlmError,
    LlmQuotaExhausted,
    LlmRateLimited,
    Message,
    TextDelta,
    ToolCall,
    ToolSpec,
    Usage,
    create_chat_model,
)
from echomind_lib.llms import ChatRequest as ModelRequest
from echomind_lib.llms.prices import cost_of
from echomind_lib.llms.record import LlmRecord
from echomind_lib.llms.rows import model_part
from echomind_lib.llms.tokens import estimate_usage
from echomind_lib.quotas import charging
from echomind_lib.secrets import Secrets, SecretUnreadableError

PLAIN: Final = "llm/"
"""Prefix of the ids of plain models."""
_LIMIT: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Listed:
    id: int
    name: str
    creation_date: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    model: LlmRecord
    is_used_up: bool


_LISTED: Final = Query(
    select(Llm.id, Llm.name, Llm.creation_date)
    .where(usable_llm(), Llm.provider != "extractive")
    .order_by(Llm.id)
    .limit(_LIMIT),
    _Listed,
)
_STORED: Final = Query(
    select(
        *model_part("model", Llm),
        charged(bindparam("user_id", type_=Integer), api_key_id=bindparam("api_key_id", type_=Integer)).label(
            "is_used_up"
        ),
    ).where(usable_llm(), Llm.id == bindparam("llm_id", type_=Integer)),
    _Stored,
)


async def list_plain_models(pool: asyncpg.Pool) -> list[NamedModel]:
    """Returns the plain models: `llm/` with the slug of the name, and with the ID where several have the same."""
    taken: set[str] = set()
    models = []
    for row in await _LISTED.fetch_all(pool):
        name = slug(row.name)
        name = f"{name}-{row.id}" if name in taken else name
        taken.add(name)
        models.append(NamedModel(f"{PLAIN}{name}", int(row.creation_date.timestamp()), llm_id=row.id, name=row.name))
    return models


class PlainModels:
    """The endpoint `chat/completions` for plain models."""

    def __init__(self, pool: asyncpg.Pool, secrets: Secrets, http: aiohttp.ClientSession) -> None:
        self._pool, self._secrets, self._http = pool, secrets, http

    async def respond(self, request: ChatRequest, model: NamedModel, asker: Principal) -> Json:
        """Returns a completion, and counts it for whoever asks.

        Raises:
            OpenAiError: The request cannot be answered.
        """
        async with aclosing(self._events(request, model, asker)) as events:
            async for event in events:
                if isinstance(event, Completion):
                    return _completion(model, event)
        raise OpenAiError("The model's stream ended without an answer.", status=502, code="llm_stream_broken")

    async def stream(self, request: ChatRequest, model: NamedModel, asker: Principal, stream: OpenAiStream) -> None:
        """Sends a completion as chunks, as they are written; see `respond`."""
        with_usage = bool(request.stream_options and request.stream_options.include_usage)
        chunks = ChunkWriter(stream, _new_id(), model, with_usage=with_usage)
        async with aclosing(self._events(request, model, asker)) as events:
            async for event in events:
                await chunks.begin()
                if isinstance(event, TextDelta):
                    await chunks.delta(content=event.text)
                else:
                    await chunks.end(_calls(event), event.finish_reason, _usage(event))
        await stream.done()

    async def _events(
        self, request: ChatRequest, model: NamedModel, asker: Principal
    ) -> AsyncGenerator[TextDelta | Completion, None]:
        """Yields pieces of the model's text, and last its answer; counts the tokens of both.

        Raises:
            OpenAiError: The model cannot be used, or has failed.
        """
        record = await self._record(model, asker)
        settings = plain_settings(_fields(request), record.provider)
        chat_model = self._model(record, settings)
        asked = _request(request, settings)
        written: list[str] = []
        is_counted = False
        try:
            async with aclosing(chat_model.stream(asked)) as events:
                async for event in events:
                    if isinstance(event, Completion):
                        is_counted = True
                        await asyncio.shield(self._count(record, asker, event.model, event.usage))
                    if isinstance(event, TextDelta):
                        written.append(event.text)
                    if isinstance(event, TextDelta | Completion):
                        yield event
        except LlmError as error:
            is_counted = is_counted or not written
            raise _failure(error) from error
        finally:
            # Who leaves before the end is charged too, as the provider does not say what was generated until then.
            if not is_counted:
                estimate = estimate_usage(asked, "".join(written), [])
                await asyncio.shield(self._count(record, asker, record.model_id, estimate))

    async def _count(self, record: LlmRecord, asker: Principal, model_id: str, used: Usage) -> None:
        await usage.count(
            self._pool,
            asker.user_id,
            "plain_model",
            used,
            cost_of(record, model_id, used) or Decimal(0),
            llm_id=record.id,
            api_key_id=asker.api_key_id,
        )

    async def _record(self, model: NamedModel, asker: Principal) -> LlmRecord:
        stored = await _STORED.fetch_one(
            self._pool, llm_id=model.llm_id, user_id=asker.user_id, api_key_id=asker.api_key_id
        )
        if stored is None or stored.model.is_extractive:
            raise OpenAiError(f"There is no model {model.id!r}.", status=404, code="model_not_found", param="model")
        if stored.is_used_up:
            raise quota_exceeded(await charging.renewal_of(self._pool, asker.user_id, asker.api_key_id))
        return stored.model

    def _model(self, record: LlmRecord, settings: PlainSettings) -> ChatModel:
        assert record.provider != "extractive"
        try:
            config = LlmConfig(
                provider=record.provider,
                model_id=record.model_id,
                endpoint=record.endpoint or None,
                api_key=self._secrets.decrypt(record.api_key) if record.api_key else None,
                max_tokens=record.max_tokens,
                temperature=record.temperature,
                context_tokens=record.context_tokens,
                extra=settings.extra,
            )
            return create_chat_model(config, self._http)
        except (LlmConfigInvalid, SecretUnreadableError) as error:
            message = "The chat model cannot be used as it is set up: tell an administrator."
            raise OpenAiError(message, status=503, code="llm_unavailable") from error


def _failure(error: LlmError) -> OpenAiError:
    """Returns the error of a model that has not answered."""
    if isinstance(error, LlmQuotaExhausted):
        return OpenAiError(error.message, status=429, code=NO_QUOTA)
    if isinstance(error, LlmRateLimited):
        retry_after = None if error.retry_after is None else math.ceil(error.retry_after)
        return OpenAiError(error.message, status=429, code=RATE_LIMITED, retry_after=retry_after)
    return OpenAiError(error.message, status=400 if isinstance(error, LlmBadRequest) else 502, code="llm_failed")


def _fields(request: ChatRequest) -> Json:
    return {"response_format": request.response_format} | (request.model_extra or {})


def _request(request: ChatRequest, settings: PlainSettings) -> ModelRequest:
    """Returns a request in the form of our models.

    Raises:
        OpenAiError: A part cannot be read.
    """
    tools, must_call = offered_tools([tool.function for tool in request.tools or ()], request.tool_choice)
    extra = request.model_extra or {}
    return ModelRequest(
        list(_messages(request.messages)),
        [ToolSpec(tool.name, tool.description, tool.parameters, tool.strict) for tool in tools],
        temperature=_number(extra, "temperature", 2.0),
        max_tokens=int(_number(extra, "max_completion_tokens") or _number(extra, "max_tokens") or 0) or None,
        tool_choice="required" if must_call else "auto",
        parallel_tool_calls=request.parallel_tool_calls is not False,
        answer_schema=settings.answer_schema,
    )


def _number(extra: Json, name: str, maximum: float = 1e9) -> float | None:
    value = extra.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= maximum:
        raise OpenAiError(f"{name}: must be a number from 0 to {maximum:g}", param=name)
    return float(value)


def _messages(given: Sequence[GivenMessage]) -> Sequence[Message]:
    found = []
    for number, message in enumerate(given):
        text = text_of(message, f"messages.{number}")
        calls = [ToolCall(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or ()]
        if message.role in ("system", "developer"):
            found.append(Message("system", text))
        elif message.role in ("tool", "function"):
            found.append(Message("tool", text, tool_call_id=message.tool_call_id or message.name or ""))
        else:
            found.append(Message("assistant" if message.role == "assistant" else "user", text, calls))
    return found


def _completion(model: NamedModel, answer: Completion) -> Json:
    return completion(_new_id(), model, answer.text, _calls(answer), answer.finish_reason, _usage(answer))


def _new_id() -> str:
    return f"chatcmpl-{uuid.uuid4().hex}"


def _calls(answer: Completion) -> list[Json]:
    return [function_call(call.id, call.name, call.arguments) for call in answer.tool_calls]


def _usage(answer: Completion) -> Json:
    return usage_of(answer.usage.prompt_tokens, answer.usage.completion_tokens)
