"""The run loop: model, tools, step, until the run answers, waits, is controlled, or meets a limit."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
import structlog

from echomind_agent.evidence.sources import Sources
from echomind_agent.execution.budget import Budget, LimitError
from echomind_agent.execution.delta_writer import DeltaWriter
from echomind_agent.execution.finish import RunFinisher, record_of
from echomind_agent.execution.model_calls import NO_USAGE, ModelCaller
from echomind_agent.execution.models import ChatModels
from echomind_agent.execution.resume import read_steps
from echomind_agent.execution.sub_runs import inherited_context
from echomind_agent.execution.suspension import RunSuspended, waiting_for
from echomind_agent.mcp import McpServers
from echomind_agent.prompts.base import QuestionTooLongError
from echomind_agent.prompts.digest import digest, is_important
from echomind_agent.prompts.prompt import Prompt, apply_template
from echomind_agent.prompts.summarizer import maybe_compress
from echomind_agent.steps.call import Call, OpenStep
from echomind_agent.steps.executor import StepExecutor
from echomind_agent.text.shortening import one_line
from echomind_agent.tools.control import IN_PARALLEL, expand, told_of_parallel
from echomind_agent.tools.documents import SEARCH
from echomind_agent.tools.todos import TODO_TOOLS
from echomind_agent.toolset.registry import Registry, Tool, ToolError
from echomind_agent.toolset.selection import choose_tools
from echomind_lib.access.assistant_choice import assistant_unavailable
from echomind_lib.conversations import checkpoints
from echomind_lib.db.words import StepAction, StepStatus, StepType, WaitStrategy
from echomind_lib.errors import EchoMindError
from echomind_lib.events.log import EventLog, publish
from echomind_lib.llms import (
    Completion,
    LlmError,
    LlmStreamBroken,
    Message,
    ToolCall,
    ToolSpec,
    Usage,
)
from echomind_lib.llms.tokens import ModelCounter, counter_for
from echomind_lib.messaging import Bus
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.plans import todos
from echomind_lib.plans.rules import OPEN, Todo
from echomind_lib.runs import lease
from echomind_lib.runs.fence import LeaseLostError
from echomind_lib.runs.lease import RunLease
from echomind_lib.runs.steps import NewStep
from echomind_lib.text import normalized, storable, storable_tree

log = structlog.get_logger(__name__)

_NUDGES = 3
"""How often in a row a run that works by itself is reminded of its open todos before it ends."""
_MOST_NAMED = 10
"""Open todos that the error of a goal that was not reached names."""
_TITLE_CHARACTERS = 120


@dataclass(frozen=True, slots=True)
class Services:
    """What all runs of a worker share."""

    log: EventLog
    models: ChatModels
    tools: Registry
    mcp: McpServers

    @property
    def pool(self) -> asyncpg.Pool:
        """The database."""
        return self.log.pool

    @property
    def bus(self) -> Bus:
        """NATS."""
        return self.log.bus


class RunLoop:
    """One attempt at one run."""

    def __init__(self, services: Services, taken: RunLease) -> None:
        self._services = services
        self._pool, self._bus = services.pool, services.bus
        self._taken = taken
        self._run = taken.run
        self._settings = taken.run.assistant.settings
        self._sources = Sources()
        self._budget = Budget(taken.run)
        self._steps = StepExecutor(services.log, taken, self._sources, self._budget, self._inherited, self._hear)
        self._counter: ModelCounter
        self._prompt: Prompt
        self._tools: dict[str, Tool] = {}
        self._conversation: list[Message] = []
        self._digests: list[str] = []
        self._plans = False
        self._nudges = 0
        self._started = datetime.now(UTC)
        self._wanted: str | None = taken.run.control_requested
        self._work: asyncio.Task[None] | None = None
        self._deadline: asyncio.Timeout | None = None
        self.writer = DeltaWriter(services.bus, taken, lambda number: self._sources.get(number) is not None)
        self._caller = ModelCaller(services.pool, taken, self._budget, self.writer, self._warn)
        self._finisher = RunFinisher(services.log, taken, self._sources, self._budget, self._steps, self.writer)

    @property
    def run_id(self) -> UUID:
        """The run."""
        return self._taken.run_id

    @property
    def attempt(self) -> int:
        """Which attempt at it this is, from 1."""
        return self._taken.attempt

    @property
    def is_over(self) -> bool:
        """Whether the run has ended, so that its text is to be read from its message."""
        return self._finisher.is_over

    @property
    def _is_root(self) -> bool:
        return self._run.is_root

    # -- from outside ----------------------------------------------------------------------------------------------
    def control(self, wanted: str) -> None:
        """Hears of a control. A cancel stops the model's stream at once, a pause waits for the step's end.

        A resume takes back a pause; nothing takes back a cancel.
        """
        if self._wanted == "cancel" and wanted != "cancel":
            return
        self._wanted = None if wanted == "resume" else wanted
        if wanted == "cancel" and self._work is not None:
            self._work.cancel()

    async def run(self) -> None:
        """Works until the run ends, waits, pauses, or belongs to somebody else.

        Raises only when the database fails, or when it is cancelled itself: then the run stays as it is, for another
        worker.
        """
        self._work = asyncio.create_task(self._to_the_end())
        try:
            await self._work
        except asyncio.CancelledError:
            if self._wanted != "cancel" or _being_cancelled():
                self._work.cancel()
                raise
            await self._finisher.end(
                "cancelled", "Cancelled", None, self._cut_off("cancelled", "The run was cancelled.")
            )
        except LeaseLostError:
            log.info("run lost to another worker", run_id=str(self._taken.run_id), attempt=self._taken.attempt)
        except RunSuspended as stopped:
            await self._finisher.leave(stopped)
        except TimeoutError:
            if self._deadline is None or not self._deadline.expired():
                raise  # the database's, not the run's
            message = f"The run took longer than {self._run.limits.seconds} seconds."
            step = self._cut_off("timeout", message)
            await self._finisher.end("timeout", "Timed out", {"reason": "TIMEOUT", "message": message}, step)
        except LimitError as error:
            step = self._cut_off("failed", str(error))
            await self._finisher.end("failed", str(error), {"reason": error.reason, "message": str(error)}, step)
        except QuestionTooLongError as error:
            await self._finisher.end("failed", str(error), {"reason": "QUESTION_TOO_LONG", "message": str(error)})
        except LlmError as error:
            step = self._cut_off("failed", error.message)
            # A model that fails before its first words was asked again already, as often as that may help.
            if isinstance(error, LlmStreamBroken) or (error.retryable and self.writer.text):
                await self._finisher.try_again(error, step)
                return
            await self._finisher.end("failed", "The model failed", record_of(error), step)
        except EchoMindError as error:
            if error.retryable:
                await self._finisher.try_again(error)
            else:
                await self.fail(error)
        finally:
            await self.writer.close(send=False)

    async def fail(self, error: EchoMindError) -> None:
        """Ends the run by an error that stays."""
        await self._finisher.end("failed", "Failed", record_of(error))

    async def fail_by_fault(self) -> None:
        """Ends the run after a fault of ours; what it was is in the log."""
        message = "Something went wrong in EchoMind. Ask again; if it stays, the agent's log says more."
        await self._finisher.end("failed", "Failed", {"reason": "INTERNAL", "message": message})

    # -- the loop --------------------------------------------------------------------------------------------------
    async def _to_the_end(self) -> None:
        if self._run.retry_count > self._run.limits.retries:
            raise LimitError("INTERRUPTED", f"The run was interrupted {self._run.retry_count} times; ask again.")
        if not self._run.assistant.is_usable:  # removed or hidden since the question was asked
            raise assistant_unavailable(self._taken.session_id)
        if self._budget.steps:
            await self._budget.read_below(self._pool)
        async with asyncio.timeout(self._budget.seconds_left) as self._deadline:
            model = self._services.models.of(self._run.model, self._run.assistant.id, auto_run=self._run.auto_run)
            await self._choose_tools()
            specs = [tool.spec() for tool in self._tools.values()]
            await self._prepare(specs)
            while True:
                self._budget.check()
                self._started = datetime.now(UTC)
                may_call = not self._budget.is_last_step
                completion = await self._caller.ask(model, self._prompt, self._counter, specs, may_call=may_call)
                if completion.tool_calls and may_call and completion.finish_reason != "length":
                    await self._use_tools(completion)
                elif not await self._goes_on(completion, may_call):
                    await self._answer(completion, may_call=may_call)
                    return

    async def _choose_tools(self) -> None:
        self._tools, problems = await choose_tools(self._run, self._services.tools, self._services.mcp)
        if problems:
            await self._warn(problems)

    async def _warn(self, texts: Sequence[str]) -> None:
        warnings = [
            SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_WARNING, text=normalized(text)) for text in texts
        ]
        await lease.record_events(self._services.log, self._taken, warnings)

    async def _prepare(self, specs: Sequence[ToolSpec]) -> None:
        assert self._run.model is not None  # `ChatModels.of` raises without one
        self._counter = counter_for(self._run.model)
        tool_tokens = sum(self._counter(msgspec.json.encode(spec).decode()) for spec in specs)
        self._prompt = await Prompt.build(self._pool, self._run, self._counter, tool_tokens)
        self._finisher.prompt = self._prompt
        self._conversation = self._prompt.messages
        if self._budget.steps:
            await self._restore()
        elif "{context}" in self._run.assistant.task_prompt and self._is_root:
            await self._retrieve()
        elif "{query}" in self._run.assistant.task_prompt and self._is_root:
            self._ask_with("")
        self._boundary()

    def _ask_with(self, context: str) -> None:
        """Puts the assistant's template in the question's place."""
        self._prompt.replace_question(apply_template(self._run.assistant.task_prompt, context, self._run.input))

    async def _retrieve(self) -> None:
        """Searches before the model is asked, for assistants whose template has a place for it."""
        call = ToolCall("retrieve", SEARCH, msgspec.json.encode({"query": self._run.input[:1000]}).decode())
        step = self._step("planner", "retrieve", Completion("", "", [call], "tool_calls", NO_USAGE, ""))
        step.llm_input, step.input_data = [], None
        prepared = await self._steps.prepare(self._tools, [call], [])
        self._budget.steps += 1
        self._budget.free_steps += 1
        open_step = await self._steps.record(step, prepared, cost=0.0)
        await self._steps.settle(open_step)
        self._ask_with(open_step.calls[0].told or "")

    async def _restore(self) -> None:
        """Goes on from the steps that an earlier attempt recorded. What has a result is not done again."""
        for recorded in await read_steps(self._pool, self._taken.run_id, self._sources):
            step = recorded.reopen(self._tools)
            self._caller.call_ids.update(call.id for call in recorded.output.tool_calls)
            self._steps.searched += recorded.searched
            if recorded.output.content:
                await self.writer.write(("\n\n" if self.writer.written else "") + recorded.output.content)
                await self.writer.complete()
            if not recorded.is_open:
                await self._steps.cancel_children(step)
            elif not await self._steps.settle(step):
                self._boundary()
                raise waiting_for(step)
            if recorded.action == "retrieve":
                self._budget.free_steps += 1
                self._ask_with(step.calls[0].told or "")
                continue
            await self._take_in(step, recorded.output, recorded.action)
            if said := recorded.output_data.get("said"):
                self._prompt.add_reminder(said)
            if recorded.discarded:
                self._prompt.exclude([recorded.number])

    def _hear(self, wanted: str | None) -> None:
        self._wanted = wanted or self._wanted

    def _boundary(self) -> None:
        """Between steps: does what a person asked for meanwhile."""
        if self._wanted == "cancel":
            raise RunSuspended("cancelled")
        if self._wanted == "pause":
            raise RunSuspended("paused")

    # -- tools -----------------------------------------------------------------------------------------------------
    async def _use_tools(self, completion: Completion) -> None:
        calls, strategy = completion.tool_calls, self._wait_strategy()
        prepared: list[Call] = []
        if len(calls) == 1 and calls[0].name == IN_PARALLEL and IN_PARALLEL in self._tools:
            try:
                calls, strategy = expand(self._tools[IN_PARALLEL], calls[0])
            except ToolError as error:
                prepared = [Call(calls[0], self._tools[IN_PARALLEL], problem=str(error))]
        if not prepared:
            prepared = await self._steps.prepare(self._tools, calls, self._settings.approval_tools)
        step = self._step("action", _action(prepared), completion)
        step.wait_strategy = strategy
        self._caller.recorded()
        open_step = await self._steps.record(step, prepared, cost=self._budget.unsaved_cost())
        self._nudges = 0
        if not await self._steps.settle(open_step):
            self._boundary()
            raise waiting_for(open_step)
        await self._take_in(open_step, completion.message(), step.action)
        await self._count_todos(open_step, completion.usage)
        self._boundary()

    def _wait_strategy(self) -> WaitStrategy:
        return self._settings.default_wait_strategy

    async def _take_in(self, step: OpenStep, output: Message, action: str) -> None:
        """Adds a settled step to the prompt, and notes what others should know of it."""
        by_id = {call.call.id: call.answer for call in step.calls}
        results = []
        for call in output.tool_calls:
            text = by_id.get(call.id)
            if text is None:
                text = told_of_parallel([(inner.call.name, inner.answer) for inner in step.calls])
            results.append(Message("tool", text, tool_call_id=call.id))
        made = [call.call for call in step.calls]
        line = digest(action, made, [call.told or "" for call in step.calls], output.content)
        important = any(is_important(call, self._tools.get(call.call.name)) for call in step.calls)
        self._prompt.add(step.number, output, results, line, important=important)
        self._digests.append(line)
        self._plans = self._plans or any(call.name in TODO_TOOLS for call in made)

    def _step(self, step_type: StepType, action: StepAction, completion: Completion) -> NewStep:
        output: dict[str, Any] = {
            "text": storable(completion.text),
            "tool_calls": [storable_tree(msgspec.to_builtins(call)) for call in completion.tool_calls],
            "finish_reason": completion.finish_reason,
            "provider_state": completion.provider_state,
        }
        return NewStep(
            step_type,
            action,
            "running" if completion.tool_calls else "completed",
            completion.model,
            storable_tree(self._prompt.added),
            output,
            self._started,
            input_data=self._prompt.omissions,
            reasoning=storable(completion.reasoning),
            prompt_tokens=completion.usage.prompt_tokens,
            completion_tokens=completion.usage.completion_tokens,
        )

    def _cut_off(self, status: StepStatus, reason: str) -> NewStep | None:
        """The step of a request to the model that the run's end cut off; None when every request has its step."""
        if (completion := self._caller.unrecorded) is None:
            return None
        step = self._step("synthesizer", "answer", completion)
        step.status, step.error_message = status, normalized(reason)
        return step

    # -- working by itself -----------------------------------------------------------------------------------------
    async def _goes_on(self, completion: Completion, may_call: bool) -> bool:
        """Whether words without calls are not the answer yet: a run by itself ends when its todos are done."""
        if not self._run.auto_run or not may_call or self._nudges >= _NUDGES or completion.finish_reason == "length":
            return False
        left = await todos.open_todos(self._pool, self._taken.run_id)
        if not left:
            return False
        self._nudges += 1
        said = (
            "These todos are still open: "
            + "; ".join(f"{todo.number}. {todo.title}" for todo in left)
            + ". Go on with them. Mark those that are done as completed, and those that cannot be done as failed or "
            "cancelled. When none is open, give your answer."
        )
        completion.tool_calls = []
        step = self._step("planner", "plan", completion)
        step.output_data = {"said": said}
        self._caller.recorded()
        open_step = await self._steps.record(step, [], cost=self._budget.unsaved_cost())
        await self._take_in(open_step, completion.message(), "plan")
        self._prompt.add_reminder(said)
        self._boundary()
        return True

    def _inherited(self) -> str:
        known = self._run.inherited_context if self._run.is_sub_agent else self._prompt.summary
        return inherited_context(self._conversation, self._digests, known or "")

    async def _count_todos(self, step: OpenStep, usage: Usage) -> None:
        """Counts a step for the todos in progress, and keeps the state in which a whole plan was done."""
        if not self._plans:
            return
        tokens = usage.prompt_tokens + usage.completion_tokens
        spent = await todos.spend(self._pool, self._taken, 1, tokens, step_id=step.id)
        await publish(self._bus, spent)
        if not any(call.call.name in TODO_TOOLS for call in step.calls):
            return
        plan = await todos.plan_of(self._pool, self._taken.run_id)
        if plan and plan[-1].status == "completed" and not any(todo.status in OPEN for todo in plan):
            await checkpoints.create_in_run(
                self._services.log, self._taken, "milestone", "All todos are done", step.number
            )

    # -- ends ------------------------------------------------------------------------------------------------------
    async def _answer(self, completion: Completion, *, may_call: bool) -> None:
        text, failure = self.writer.text, self._without_answer(completion)
        completion.tool_calls = []
        if failure is not None:
            raise failure
        step = self._step("synthesizer", "answer", completion)
        if completion.finish_reason == "length":
            await self._warn(["The answer was cut off at the model's limit of tokens."])
        if self._run.auto_run and (left := await todos.open_todos(self._pool, self._taken.run_id)):
            message = f"The goal was not reached: {_listed(left)} still open."
            if not may_call:
                message = f"{message} The run has taken its {self._run.limits.steps} steps."
            await self._finisher.end("failed", message, {"reason": "GOAL_NOT_REACHED", "message": message}, step)
        else:
            await self._finisher.answer(text, step)
        if self._is_root:
            await maybe_compress(self._pool, self._bus, self._taken, self._prompt)

    def _without_answer(self, completion: Completion) -> LimitError | None:
        """Why there is no answer, when nothing was said."""
        if self.writer.text.strip():
            return None
        if completion.tool_calls and completion.finish_reason != "length":
            return LimitError("MAX_STEPS", f"The run took {self._budget.steps} steps without an answer.")
        if completion.finish_reason == "content_filter":
            return LimitError("LLM_CONTENT_FILTERED", "The provider's filter withheld the answer.")
        return LimitError("EMPTY_ANSWER", "The model gave an empty answer; ask again, perhaps in other words.")


def _listed(left: Sequence[Todo]) -> str:
    """The beginning of a sentence about open todos, up to its verb."""
    named = "; ".join(f"{todo.number}. {one_line(todo.title, _TITLE_CHARACTERS)}" for todo in left[:_MOST_NAMED])
    if more := len(left) - _MOST_NAMED:
        named = f"{named}; and {more} more" if more > 0 else named
    return f"the todo “{named}” is" if len(left) == 1 else f"the todos “{named}” are"


def _action(calls: Sequence[Call]) -> StepAction:
    """What a step with calls does, in the contract's words."""
    names = {call.call.name for call in calls}
    if any(call.is_child for call in calls):
        return "delegate"
    if any(call.tool is not None and call.tool.executor == "person" for call in calls):
        return "ask_user"
    if names <= TODO_TOOLS:
        return "plan"
    return "call_tools_parallel" if len(calls) > 1 else "call_tool"


def _being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
