"""Spans of runs: the run, its attempts, and the calls of its models. Used only while traces are on."""

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import UTC, datetime

import asyncpg
import msgspec
from typing_extensions import override

from echomind_agent.execution.attempt import RunAttempt
from echomind_agent.llms.models import ChatModels
from echomind_lib.llms import ChatEvent, ChatModel, ChatRequest, Completion
from echomind_lib.llms.prices import cost_of
from echomind_lib.llms.record import LlmRecord
from echomind_lib.runs.record import RunRecord
from echomind_lib.runs.sub_runs import RootRun, read_root
from echomind_lib.telemetry import content, names, spans
from echomind_lib.telemetry.spans import Scope, Span, Value, current, new_scope, span_id_of


async def run_traced(attempt: RunAttempt, pool: asyncpg.Pool) -> None:
    """Executes an attempt at a run as a part of the trace of its root run.

    The run's own span is recorded by the attempt that ends it, once; earlier attempts record only what they did.
    """
    run = attempt.state.run
    scope = await _scope(run, pool)
    if not scope.is_sampled:
        token = current.set(Span(scope=scope, name=""))
        try:
            await attempt.run()
        finally:
            current.reset(token)
        return
    own = _run_span(scope, run)
    processing = own.child(
        "process runs.requested",
        "consumer",
        {names.MESSAGING_SYSTEM: "nats", names.MESSAGING_DESTINATION: "runs.requested", names.RUN: str(run.id)},
    )
    token = current.set(own)
    try:
        await attempt.run()
    except BaseException as error:
        processing.error = type(error).__name__
        raise
    finally:
        current.reset(token)
        if (ending := attempt.state.ending) is not None:
            processing.attributes[names.RUN_STATUS] = own.attributes[names.RUN_STATUS] = ending.status
            own.error = (ending.error or {}).get("reason", "")
            if spans.recorder is not None and spans.recorder.has_content:
                own.attributes[names.INPUT_MESSAGES] = content.text_message("user", run.input)
                own.attributes[names.OUTPUT_MESSAGES] = content.text_message("assistant", attempt.state.writer.text)
            own.finish()
        processing.finish()


async def _scope(run: RunRecord, pool: asyncpg.Pool) -> Scope:
    root = await read_root(pool, run.id)
    assert root is not None  # a claimed run has one
    scope = new_scope(root.id.int)
    tags = scope.fields.get(names.TAGS, ())
    assert isinstance(tags, tuple)
    scope.fields |= {
        names.SESSION: str(run.session.id),
        names.CONVERSATION: str(run.session.id),
        names.USER: str(run.user_id),
        names.TRACE_NAME: root.assistant_name,
        names.TAGS: (*tags, root.assistant_name),
        names.ATTEMPT: run.attempt,
    }
    scope.fields |= _given(root)
    return scope


def _given(root: RootRun) -> dict[str, Value]:
    """Returns what programs keep with a run and its session; values of the run take precedence."""
    metadata = root.session_metadata | root.metadata
    given: dict[str, Value] = {f"{names.METADATA}.{key}": content.masked(value) for key, value in metadata.items()}
    if root.external_id:
        given[names.EXTERNAL_ID] = root.external_id
    if root.session_external_id:
        given[names.SESSION_EXTERNAL_ID] = root.session_external_id
    return given


def _run_span(scope: Scope, run: RunRecord) -> Span:
    attributes: dict[str, Value] = {
        names.OPERATION: names.INVOKE_AGENT,
        names.AGENT_ID: str(run.assistant.id),
        names.AGENT_NAME: run.assistant.name,
        names.RUN: str(run.id),
        names.RUN_KIND: run.kind,
    }
    if run.assistant_version:
        attributes[names.AGENT_VERSION] = str(run.assistant_version)
    above = span_id_of(run.parent_run_id) if run.parent_run_id else None
    return Span(
        scope=scope,
        name=f"{names.INVOKE_AGENT} {run.assistant.name}",
        span_id=span_id_of(run.id),
        parent_id=above,
        model_parent_id=above,
        start=(run.id.int >> 80) * 1_000_000,  # when it was stored, in milliseconds, as in every UUID of version 7
        attributes=attributes,
    )


class TracedChatModels(ChatModels):
    """Chat models whose calls are recorded."""

    @override
    def of(self, record: LlmRecord | None, assistant_id: int, *, auto_run: bool = False) -> ChatModel:
        model = super().of(record, assistant_id, auto_run=auto_run)
        assert record is not None  # `of` raises without one
        return TracedModel(model, record)


class TracedModel:
    """A chat model whose calls are recorded, as parts of the current span."""

    def __init__(self, model: ChatModel, record: LlmRecord) -> None:
        self._model, self._record = model, record

    @property
    def name(self) -> str:
        """Returns provider and model, such as `openai:gpt-4o`."""
        return self._model.name

    async def close(self) -> None:
        """Closes connections, except a session that was passed in."""
        await self._model.close()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        """Sends a request and records it; see `ChatModel.stream`."""
        parent, record = current.get(), self._record
        if parent is None or not parent.scope.is_sampled:
            async with aclosing(self._model.stream(request)) as events:
                async for event in events:
                    yield event
            return
        model = record.model_id or record.provider
        span = parent.child(
            f"{names.CHAT} {model}",
            "client",
            {names.OPERATION: names.CHAT, names.PROVIDER: record.provider, names.REQUEST_MODEL: model},
        )
        first = 0
        try:
            async with aclosing(self._model.stream(request)) as events:
                async for event in events:
                    first = first or time.time_ns()
                    if isinstance(event, Completion):
                        _describe(span, record, request, event, first)
                    yield event
        except GeneratorExit:
            span.error = "" if names.OUTPUT_TOKENS in span.attributes else "cancelled"
            raise
        except BaseException as error:
            span.error = type(error).__name__
            raise
        finally:
            span.finish()


def _describe(span: Span, record: LlmRecord, request: ChatRequest, completion: Completion, first: int) -> None:
    span.end = time.time_ns()
    usage, attributes = completion.usage, span.attributes
    began = completion.began_at or datetime.fromtimestamp(first / 1e9, UTC)
    attributes |= {
        names.RESPONSE_MODEL: completion.model or record.model_id,
        names.FINISH_REASONS: (completion.finish_reason,),
        names.INPUT_TOKENS: usage.prompt_tokens,
        names.OUTPUT_TOKENS: usage.completion_tokens,
        names.FIRST_CHUNK_SECONDS: max(0.0, began.timestamp() - span.start / 1e9),
        names.COMPLETION_START: began.isoformat().replace("+00:00", "Z"),
    }
    if usage.cache_read_tokens:
        attributes[names.CACHE_READ_TOKENS] = usage.cache_read_tokens
    if usage.cache_write_tokens:
        attributes[names.CACHE_WRITE_TOKENS] = usage.cache_write_tokens
    if (cost := cost_of(record, completion.model, usage)) is not None:
        attributes[names.COST] = msgspec.json.encode({"total": float(cost)}).decode()
    if spans.recorder is not None and spans.recorder.has_content:
        attributes |= content.of_model_call(request, completion)
