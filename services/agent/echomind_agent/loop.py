"""The run loop: model, tools, step, until the run answers, is controlled, or meets a limit."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import asyncpg
import msgspec
import structlog

from echomind_agent.citations import cite
from echomind_agent.context import QuestionTooLongError, apply_template, build_context
from echomind_agent.delta_writer import DeltaWriter
from echomind_agent.models import ChatModels
from echomind_agent.resume import OUTCOME_UNKNOWN, read_steps
from echomind_agent.sources import Sources
from echomind_agent.storable import storable, storable_json, storable_tree
from echomind_agent.tools.calls import SEARCH, ToolCalls
from echomind_agent.tools.registry import Registry, Tool
from echomind_lib.db.words import RunStatus, StepAction, StepType
from echomind_lib.errors import EchoMindError
from echomind_lib.llms import (
    ChatModel,
    ChatRequest,
    Completion,
    LlmError,
    LlmStreamBroken,
    Message,
    TextDelta,
    ToolCall,
    ToolChoice,
    ToolSpec,
    Usage,
)
from echomind_lib.llms.prices import price_of
from echomind_lib.messaging import RUNS_REQUESTED, Bus
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import RunRequested
from echomind_lib.pb.echomind.public.v1 import run_pb2
from echomind_lib.pb.echomind.public.v1.run_pb2 import RunEvent
from echomind_lib.runs import answers, lease, steps
from echomind_lib.runs.answers import Answer
from echomind_lib.runs.events import announce, run_status
from echomind_lib.runs.lease import Taken
from echomind_lib.runs.steps import NewStep

log = structlog.get_logger(__name__)

_NO_USAGE = Usage(0, 0)


class Stopped(Exception):  # noqa: N818 - not an error: a person's will, or the worker's end
    """The run shall not go on here. `status` is what becomes of it."""

    def __init__(self, status: RunStatus) -> None:
        super().__init__(status)
        self.status = status


class LimitError(Exception):
    """A run met one of its limits."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Services:
    """What all runs of a worker share."""

    pool: asyncpg.Pool
    bus: Bus
    models: ChatModels
    tools: Registry


class RunLoop:
    """One attempt at one run."""

    def __init__(self, services: Services, taken: Taken) -> None:
        self._services = services
        self._taken = taken
        self._run = taken.run
        self._config: dict[str, Any] = taken.run["config"] or {}
        self._sources = Sources()
        self._messages: list[Message] = []
        self._added: list[dict[str, Any]] = []
        self._omitted = 0
        self._steps = taken.run["steps_executed"]
        self._tokens = taken.run["prompt_tokens"] + taken.run["completion_tokens"]
        self._cost = 0.0
        self._calls = ToolCalls(services.pool, services.bus, taken, self._sources)
        self._wanted: str | None = taken.run["control_requested"]
        self._work: asyncio.Task[None] | None = None
        self._deadline: asyncio.Timeout | None = None
        self._began = 0.0
        self.writer = DeltaWriter(services.bus, taken)

    # -- from outside ----------------------------------------------------------------------------------------------
    def control(self, wanted: str) -> None:
        """Hears of a control. A cancel stops the model's stream at once, a pause waits for the step's end."""
        self._wanted = wanted
        if wanted == "cancel" and self._work is not None:
            self._work.cancel()

    async def run(self) -> None:
        """Works until the run ends, pauses, or belongs to somebody else.

        Raises only when the database fails, or when it is cancelled itself: then the run stays as it is, for another
        worker.
        """
        await announce(self._services.bus, self._taken.stored)
        self._work = asyncio.create_task(self._to_the_end())
        try:
            await self._work
        except asyncio.CancelledError:
            if self._wanted != "cancel" or _being_cancelled():
                self._work.cancel()
                raise
            await self._end("cancelled", "Cancelled", None)
        except lease.LeaseLostError:
            log.info("run lost to another worker", run_id=str(self._taken.run_id), attempt=self._taken.attempt)
        except Stopped as stopped:
            await self._leave(stopped.status)
        except TimeoutError:
            if self._deadline is None or not self._deadline.expired():
                raise  # the database's, not the run's
            message = f"The run took longer than {self._run['timeout_seconds']} seconds."
            await self._end("timeout", "Timed out", {"reason": "TIMEOUT", "message": message})
        except LimitError as error:
            await self._end("failed", str(error), {"reason": error.reason, "message": str(error)})
        except QuestionTooLongError as error:
            await self._end("failed", str(error), {"reason": "QUESTION_TOO_LONG", "message": str(error)})
        except LlmError as error:
            # A model that fails before its first words was asked again already, as often as that may help.
            if isinstance(error, LlmStreamBroken) or (error.retryable and self.writer.text):
                await self._try_again(error)
                return
            reason = _upper_snake(type(error).__name__)
            await self._end("failed", "The model failed", {"reason": reason, "message": str(error)})
        except EchoMindError as error:
            if error.retryable:
                await self._try_again(error)
            else:
                await self._end("failed", "Failed", {"reason": error.reason, "message": str(error)})
        finally:
            await self.writer.close(send=False)

    async def fail_by_fault(self) -> None:
        """Ends the run after a fault of ours; what it was is in the log."""
        message = "Something went wrong in EchoMind. Ask again; if it stays, the agent's log says more."
        await self._end("failed", "Failed", {"reason": "INTERNAL", "message": message})

    # -- the loop --------------------------------------------------------------------------------------------------
    async def _to_the_end(self) -> None:
        if self._run["retry_count"] > self._run["max_retries"]:
            raise LimitError("INTERRUPTED", f"The run was interrupted {self._run['retry_count']} times; ask again.")
        spent = float((self._run["state"] or {}).get("secondsSpent", 0))
        async with asyncio.timeout(max(0.0, self._run["timeout_seconds"] - spent)) as self._deadline:
            self._began = asyncio.get_running_loop().time() - spent
            model = self._services.models.of(self._run)
            tools = self._services.tools.choose(self._config.get("tools") or [])
            specs = [tool.spec() for tool in tools.values()]
            await self._prepare(tools, specs)
            while True:
                self._check_limits()
                started = datetime.now(UTC)
                # At the last step the model must answer from what it has.
                may_call = self._steps + 1 < self._run["max_steps"]
                completion = await self._ask(model, specs, "auto" if may_call else "none")
                if completion.tool_calls and may_call and completion.finish_reason != "length":
                    await self._call_tools(tools, completion, started)
                else:
                    await self._answer(completion, started)
                    return

    async def _prepare(self, tools: dict[str, Tool[Any]], specs: Sequence[ToolSpec]) -> None:
        context = await build_context(
            self._services.pool, self._run, sum(len(msgspec.json.encode(s)) for s in specs) // 4
        )
        self._messages = context.messages
        self._omitted = context.omitted_messages
        self._added = [msgspec.to_builtins(message) for message in self._messages]
        if self._steps:
            await self._restore(tools)
        elif "{context}" in self._run["task_prompt"]:
            await self._retrieve(tools)
        elif "{query}" in self._run["task_prompt"]:
            self._ask_with("")
        await self._boundary()

    def _ask_with(self, context: str) -> None:
        """Puts the assistant's template in the question's place."""
        filled = apply_template(self._run["task_prompt"], context, self._run["input"])
        self._messages[-1] = Message("user", filled)
        self._added[-1] = msgspec.to_builtins(self._messages[-1])

    async def _retrieve(self, tools: dict[str, Tool[Any]]) -> None:
        """Searches before the model is asked, for assistants whose template has a place for it."""
        call = ToolCall("retrieve", SEARCH, msgspec.json.encode({"query": self._run["input"][:1000]}).decode())
        step = self._step(
            "planner", "retrieve", Completion("", "", [call], "tool_calls", _NO_USAGE, ""), datetime.now(UTC)
        )
        step.llm_input = []
        step_id = await self._record(tools, step, [call])
        (result,) = await self._calls.run(tools, step_id, [call])
        await steps.finish_step(self._services.pool, self._taken, step_id, "completed", None)
        self._ask_with(result)

    async def _restore(self, tools: dict[str, Tool[Any]]) -> None:
        """Goes on from the steps that an earlier attempt recorded. Completed calls are not made again."""
        for step in await read_steps(self._services.pool, self._taken.run_id, self._sources):
            missing = [call for call in step.calls if call.id not in step.results]
            if missing:
                fresh = await self._calls.run(tools, step.id, missing)
                step.results |= {call.id: text for call, text in zip(missing, fresh, strict=True)}
            for call_id in step.unknown:
                stored = await steps.record_result(
                    self._services.pool, self._taken, step.id, call_id, "failed", "", OUTCOME_UNKNOWN, 0, []
                )
                await announce(self._services.bus, stored)
            await steps.finish_step(self._services.pool, self._taken, step.id, "completed", None)
            if step.action == "retrieve":
                self._ask_with(step.results[step.calls[0].id])
                continue
            if step.output.content:
                await self._write(step.output.content)
            results = [Message("tool", step.results[call.id], tool_call_id=call.id) for call in step.output.tool_calls]
            self._messages += [step.output, *results]
            self._added = [msgspec.to_builtins(message) for message in results]

    def _check_limits(self) -> None:
        limit = int(self._config.get("maxRunTokens") or 0)
        if limit and self._tokens >= limit:
            raise LimitError("MAX_TOKENS", f"The run used {self._tokens} tokens; its limit is {limit}.")
        if self._steps >= self._run["max_steps"]:
            raise LimitError("MAX_STEPS", f"The run took {self._steps} steps without an answer.")

    async def _boundary(self) -> None:
        """Between steps: does what a person asked for meanwhile."""
        if self._wanted == "cancel":
            raise Stopped("cancelled")
        if self._wanted == "pause":
            raise Stopped("paused")

    async def _ask(self, model: ChatModel, specs: list[ToolSpec], tool_choice: ToolChoice) -> Completion:
        request = ChatRequest(self._messages, specs, tool_choice=tool_choice)
        begun = False
        async with aclosing(model.stream(request)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    if not begun:
                        begun = True
                        if self.writer.text:
                            await self.writer.write("\n\n")
                    await self.writer.write(storable(event.text))
                elif isinstance(event, Completion):
                    event.tool_calls = _storable_calls(event.tool_calls)
                    self._steps += 1
                    self._tokens += event.usage.prompt_tokens + event.usage.completion_tokens
                    price = price_of(self._run["provider"], self._run["endpoint"], event.model, event.usage)
                    self._cost += float(price or 0)
                    return event
        raise LlmStreamBroken("The model's stream ended without an answer.")

    async def _write(self, text: str) -> None:
        await self.writer.write(("\n\n" if self.writer.text else "") + storable(text))

    # -- tools -----------------------------------------------------------------------------------------------------
    async def _call_tools(self, tools: dict[str, Tool[Any]], completion: Completion, started: datetime) -> None:
        calls = completion.tool_calls
        action: StepAction = "call_tools_parallel" if len(calls) > 1 else "call_tool"
        step = self._step("action", action, completion, started)
        step_id = await self._record(tools, step, calls)
        texts = await self._calls.run(tools, step_id, calls)
        await steps.finish_step(self._services.pool, self._taken, step_id, "completed", None)
        self._messages.append(completion.message())
        results = [Message("tool", text, tool_call_id=call.id) for call, text in zip(calls, texts, strict=True)]
        self._messages.extend(results)
        self._added = [msgspec.to_builtins(message) for message in results]
        await self._boundary()

    def _step(self, step_type: StepType, action: StepAction, completion: Completion, started: datetime) -> NewStep:
        output: dict[str, Any] = {
            "text": storable(completion.text),
            "tool_calls": [storable_tree(msgspec.to_builtins(call)) for call in completion.tool_calls],
            "finish_reason": completion.finish_reason,
            "provider_state": completion.provider_state,
        }
        if self._omitted:
            output["omitted_messages"] = self._omitted
        return NewStep(
            step_type,
            action,
            "running" if completion.tool_calls else "completed",
            completion.model,
            storable_tree(self._added),
            output,
            started,
            reasoning=storable(completion.reasoning),
            prompt_tokens=completion.usage.prompt_tokens,
            completion_tokens=completion.usage.completion_tokens,
        )

    async def _record(self, tools: dict[str, Tool[Any]], step: NewStep, calls: list[ToolCall]) -> int:
        recorded = await self._calls.record(tools, step, calls)
        self._wanted = recorded.control_requested or self._wanted
        return recorded.step_id

    # -- ends ------------------------------------------------------------------------------------------------------
    async def _answer(self, completion: Completion, started: datetime) -> None:
        text = self.writer.text
        if not text.strip():
            if completion.tool_calls and completion.finish_reason != "length":
                raise LimitError("MAX_STEPS", f"The run took {self._steps} steps without an answer.")
            if completion.finish_reason == "content_filter":
                raise LimitError("LLM_CONTENT_FILTERED", "The provider's filter withheld the answer.")
            raise LimitError("EMPTY_ANSWER", "The model gave an empty answer; ask again, perhaps in other words.")
        completion.tool_calls = []
        step = self._step("synthesizer", "answer", completion, started)
        if completion.finish_reason == "length":
            warning = RunEvent(
                kind=run_pb2.RUN_EVENT_KIND_WARNING, text="The answer was cut off at the model's limit of tokens."
            )
            await announce(self._services.bus, await lease.record_events(self._services.pool, self._taken, [warning]))
        answer = self._message(text, completion.usage.completion_tokens)
        answer.citations = cite(text, self._sources)
        stored = await answers.finish(
            self._services.pool, self._taken, "completed", answer, text="Answered", step=step, cost=self._cost
        )
        await announce(self._services.bus, stored)

    def _message(self, text: str, tokens: int) -> Answer:
        return Answer(
            content=text,
            token_count=tokens,
            rephrased_query=next((q for q in self._calls.searched if q and q != self._run["input"]), ""),
            retrieval_context=[
                {"number": s.number, "chunkId": s.chunk_id, "documentId": s.document_id, "score": round(s.score, 4)}
                for s in self._sources
            ],
            tool_calls=[{"toolName": SEARCH, "parameters": {"query": query}} for query in self._calls.searched],
        )

    async def _end(self, status: RunStatus, text: str, error: dict[str, str] | None) -> None:
        """Ends the run without an answer; the text so far stays, with its citations."""
        written = self.writer.text
        answer = self._message(written, 0)
        answer.error = error["message"] if error else ""
        answer.citations = cite(written, self._sources)
        try:
            stored = await answers.finish(
                self._services.pool, self._taken, status, answer, text=text, error=error, cost=self._cost
            )
        except lease.LeaseLostError:
            return
        await announce(self._services.bus, stored)

    async def _leave(self, status: RunStatus) -> None:
        if status == "cancelled":
            await self._end("cancelled", "Cancelled", None)
            return
        text = {"paused": "Paused", "queued": "Handed over"}[status]
        event = RunEvent(kind=run_pb2.RUN_EVENT_KIND_STATUS, text=text)
        event.status.status = run_status(status)
        event.status.attempt = self._taken.attempt
        spent = round(asyncio.get_running_loop().time() - self._began, 1)
        try:
            stored = await lease.leave(
                self._services.pool, self._taken, status, self.writer.text, {"secondsSpent": spent}, event
            )
        except lease.LeaseLostError:
            return
        await announce(self._services.bus, stored)

    async def _try_again(self, error: Exception) -> None:
        """Hands the run to the next attempt after a failure that may pass, as often as the run allows."""
        if self._run["retry_count"] >= self._run["max_retries"]:
            reason = _upper_snake(type(error).__name__.removesuffix("Error"))
            await self._end("failed", "Failed", {"reason": reason, "message": str(error)})
            return
        try:
            stored = await lease.retry(self._services.pool, self._taken, f"Trying again: {error}")
        except lease.LeaseLostError:
            return
        await announce(self._services.bus, stored)
        await self._services.bus.wake(RUNS_REQUESTED, RunRequested(run_id=str(self._taken.run_id)))


def _being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _upper_snake(name: str) -> str:
    return "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in name).lstrip("_")


def _storable_calls(calls: Sequence[ToolCall]) -> list[ToolCall]:
    """Calls as they can be stored, with ids that differ; some servers give all calls of an answer the same."""
    found: dict[str, ToolCall] = {}
    for place, call in enumerate(calls):
        call_id = storable(call.id)
        call_id = f"{call_id}-{place}" if call_id in found else call_id
        found[call_id] = ToolCall(call_id, storable(call.name), storable_json(call.arguments))
    return list(found.values())
