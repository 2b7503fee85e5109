"""The tool calls of one step, from the model's wish to results that satisfy the step's wait strategy.

A step with its calls is committed before any of them is made, and each result on arrival. Results come from three
places: this worker makes a call, a person answers or approves it, or a sub-run works on it. `StepExecutor.settle`
does what can be done here and returns what must be waited for; a later attempt continues with the same rows.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from uuid import UUID

from echomind_agent.evidence.sources import Sources, sources_record
from echomind_agent.execution.budget import Budget
from echomind_agent.execution.sub_runs import child_result
from echomind_agent.steps.call import Call, OpenStep, begun_event, call_event, ended_event, progress_text, tool_message
from echomind_agent.steps.invoker import ToolInvoker
from echomind_agent.tools.control import IN_PARALLEL
from echomind_agent.tools.documents import SEARCH
from echomind_agent.toolset.registry import (
    MAX_DEPTH,
    Tool,
    ToolContext,
    ToolError,
    ToolResult,
    parameters_record,
    read_parameters,
)
from echomind_lib.access import Principal
from echomind_lib.db.words import ToolCallStatus, WaitStrategy
from echomind_lib.errors import PermissionDeniedError
from echomind_lib.events.log import EventLog
from echomind_lib.llms import ToolCall
from echomind_lib.pb.echomind.public.v1 import step_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs import steps, sub_runs
from echomind_lib.runs.controls import move_run
from echomind_lib.runs.lease import RunLease
from echomind_lib.runs.steps import NewResult, NewStep, NewToolCall
from echomind_lib.runs.sub_runs import NewSubRun
from echomind_lib.text import normalized, storable_tree

NOT_NEEDED = "Not needed any more: other calls of the step gave enough."
"""Why a call was cancelled that its step's wait strategy has no use for."""
_MOST_ASKED = 200
_MOST_CALLS = 100
"""Calls that one answer of a model may make; a model gone wild asks for more."""
_ASKED = """
SELECT content FROM chat_messages WHERE chat_session_id = $1 AND role = 'user' ORDER BY id DESC LIMIT $2
"""


class StepExecutor:
    """The steps with tool calls of one attempt at a run."""

    def __init__(
        self,
        event_log: EventLog,
        taken: RunLease,
        sources: Sources,
        budget: Budget,
        inherited: Callable[[], str],
        hear: Callable[[str | None], None],
    ) -> None:
        """Takes what it uses.

        Args:
            event_log: The event log.
            taken: The run.
            sources: What it has found.
            budget: What it may use.
            inherited: What a sub-agent gets of the conversation.
            hear: Told at each write what a person asks of the run (`pause`, `cancel`); the message that says so may
                be late, or lost.
        """
        self._hear = hear
        self._log = event_log
        self._pool = event_log.pool
        self._taken = taken
        self._sources = sources
        self._budget = budget
        self._inherited = inherited
        # Of the step that was just prepared: its calls are made with the same rights.
        self._context: ToolContext | None = None
        self._in_hand: OpenStep | None = None
        self._invoker = ToolInvoker(event_log, taken)
        self.has_children = False
        """Whether the run has started sub-agents."""
        self.tainted = taken.run.tainted
        """Whether the run has read untrusted text."""
        self.searched: list[str] = []
        """What was searched for, in order."""

    # -- recording -------------------------------------------------------------------------------------------------
    async def prepare(
        self, tools: Mapping[str, Tool], calls: Sequence[ToolCall], approval_tools: Sequence[str]
    ) -> list[Call]:
        """Checks what a model asked for: arguments, side effects, whether a person must allow it first."""
        judges = any(callable(tools[call.name].side_effect) for call in calls if call.name in tools)
        context = self._context = await self._tool_context(with_asked=judges)
        found = []
        for place, call in enumerate(calls):
            own = Call(call, tools.get(call.name))
            if place >= _MOST_CALLS:
                own.problem = f"One answer may make {_MOST_CALLS} calls at most. Make this one in the next."
            elif own.tool is None:
                own.problem = f"There is no tool {call.name}."
            elif call.name == IN_PARALLEL:
                own.problem = f"{IN_PARALLEL} must be the only call in an answer, and cannot call itself."
            else:
                try:
                    own.given = own.tool.parse(call.arguments)
                    if read_parameters(call.arguments) is None:
                        raise ToolError(
                            f"The arguments of {call.name} have more than {MAX_DEPTH} levels, or too large a number."
                        )
                except ToolError as error:
                    own.problem = str(error)
                else:
                    own.side_effect = own.tool.has_side_effect(context, own.given)
            if own.tool and not own.problem:
                is_way_out = own.side_effect or own.tool.sends_data_out
                if (is_way_out and self.tainted) or call.name in approval_tools:
                    own.approval = "required"
                if own.approval or own.side_effect or own.tool.executor != "worker":
                    own.status = "pending"
            found.append(own)
        return found

    async def record(self, step: NewStep, calls: Sequence[Call], *, cost: float) -> OpenStep:
        """Commits a step with its calls, before any of them is made, and tells of them.

        Raises:
            LeaseLostError: The run is not this worker's any more.
        """
        events = [begun_event(step, self._budget.steps, len(calls))] if len(calls) > 1 or step.input_data else []
        for call in calls:
            parameters = storable_tree(parameters_record(call.call.arguments))
            retries = call.tool.max_retries if call.tool and not call.side_effect else 0
            step.tool_calls.append(
                NewToolCall(
                    call.call.id, call.call.name, parameters, call.status, call.side_effect, call.approval, retries
                )
            )
            event = call_event(call, self._budget.steps, call.status, progress_text(call))
            event.tool_call.parameters.update(parameters)
            event.tool_call.side_effect = call.side_effect
            if call.approval:
                event.tool_call.approval = step_pb2.TOOL_APPROVAL_REQUIRED
            events.append(event)
        recorded = await steps.record_step(
            self._log, self._taken, step, events, cost=cost, seconds=self._budget.seconds
        )
        self._hear(recorded.control_requested)
        strategy: WaitStrategy = step.wait_strategy if len(calls) > 1 else "all"
        return OpenStep(recorded.step_id, recorded.step_number, strategy, list(calls))

    # -- settling --------------------------------------------------------------------------------------------------
    async def settle(self, step: OpenStep) -> bool:
        """Does what can be done here towards a step's results.

        Returns:
            Whether the step is done. When it is not, its open calls wait for a person or for sub-agents.

        Raises:
            LeaseLostError: The run is not this worker's any more.
            PermissionDeniedError: The account that the run is for is not active any more.
        """
        self._in_hand = step
        self.has_children = self.has_children or any(call.is_child for call in step.calls)
        await self._start_children(step)
        await self._attach_children(step)
        if not step.holds:
            await self._make_all(step)
            await self._attach_children(step)
        if not step.holds:
            return False
        if not step.is_closed:
            await self._close(step)
        return True

    async def _make_all(self, step: OpenStep) -> None:
        """Makes the calls that this worker can make, at the same time, until the wait strategy holds."""
        context, self._context = self._context or await self._tool_context(), None
        mine = [call for call in step.open if not call.is_child and not call.needs_person]
        tasks = {asyncio.create_task(self._make(context, step, call)) for call in mine}
        running = tasks
        try:
            while running and not step.holds:
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _make(self, context: ToolContext, step: OpenStep, call: Call) -> None:
        result, error, retries = ToolResult(""), call.problem, 0
        status: ToolCallStatus = "failed" if call.problem else "completed"
        if call.tool is not None and not call.problem:
            status, result, error, retries = await self._invoker.make(context, step, call, call.tool)
        text = normalized(result.text)
        # What it said of its failure reaches the model, too.
        tainted = bool(call.tool and call.tool.untrusted and not call.problem)
        self.tainted = self.tainted or tainted
        if call.call.name == SEARCH and not call.problem:
            self.searched.append(parameters_record(call.call.arguments).get("query", ""))
        event = ended_event(call, step.number, status, text, error)
        new = NewResult(call.call.id, status, text, error, retries, tainted, sources_record(result.events))
        await self._record_result(step, call, new, [*result.events, event])

    async def _record_result(self, step: OpenStep, call: Call, new: NewResult, events: Sequence[SessionEvent]) -> None:
        others = [other for other in step.calls if other is not call and other.told is None]
        wanted = await steps.record_result(
            self._log,
            self._taken,
            step.id,
            new,
            events,
            parallel_status="partial" if others else "completed",
            completes_step=not others,
        )
        call.status, call.told = new.status, tool_message(new.status, new.result, new.error_message)
        step.is_closed = step.is_closed or not others
        self._hear(wanted)

    async def _close(self, step: OpenStep) -> None:
        """Ends a step whose wait strategy holds: nobody waits for its other calls any more."""
        events = []
        for call in step.open:
            call.status, call.told = "cancelled", tool_message("cancelled", "", NOT_NEEDED)
            events.append(ended_event(call, step.number, "cancelled", "", NOT_NEEDED))
        await steps.close_step(self._log, self._taken, step.id, NOT_NEEDED, events)
        await self.cancel_children(step)

    async def cancel_children(self, step: OpenStep) -> None:
        """Ends what a closed step has started and nobody waits for any more: sub-agents, and tasks elsewhere.

        A later attempt does it again: its predecessor may have been interrupted after it closed the step.
        """
        unwanted = [call for call in step.calls if call.status == "cancelled" and call.external_task_id]
        for call in unwanted:
            if call.is_child:
                await move_run(self._log, UUID(call.external_task_id), "cancelled")
        await self._cancel_elsewhere(unwanted)

    async def abandon(self) -> None:
        """Ends what the step in hand has started elsewhere: the run has ended without it."""
        if self._in_hand is not None:
            await self._cancel_elsewhere(self._in_hand.open)

    async def _cancel_elsewhere(self, calls: Sequence[Call]) -> None:
        begun = [call for call in calls if call.external_task_id and call.tool and call.tool.cancel]
        if begun:
            with suppress(PermissionDeniedError):  # a tool cannot act for an account that is not active any more
                await self._invoker.cancel_elsewhere(await self._tool_context(), begun)

    # -- sub-agents ------------------------------------------------------------------------------------------------
    async def _start_children(self, step: OpenStep) -> None:
        new = [call for call in step.open if call.is_child and not call.external_task_id and not call.needs_person]
        if not new:
            return
        await self._budget.read_below(self._pool)
        problem = ""
        if self._budget.below.runs + len(new) > sub_runs.MAX_CHILDREN:
            problem = f"A run may start {sub_runs.MAX_CHILDREN} sub-agents at most."
        elif len(new) >= (left := self._budget.steps_left):
            enough = f"enough for {left - 1} sub-agents at most" if left > 1 else "too few for a sub-agent"
            problem = f"The steps that are left to the run ({left}) are {enough}. Start fewer, or do it yourself."
        if problem:
            for call in new:
                call.problem = problem
            return
        wanted = [
            NewSubRun(
                call.call.id,
                normalized(call.given.goal),
                normalized("\n\n".join(filter(None, [self._inherited(), call.given.background]))),
                **self._budget.cut(len(new), call.given.max_steps),
            )
            for call in new
        ]
        started = await sub_runs.start(self._log, self._taken, step.id, wanted)
        for call in new:
            child = started[call.call.id]
            call.external_task_id, call.status = str(child), "running"

    async def _attach_children(self, step: OpenStep) -> None:
        """Takes in the results of sub-agents that have ended."""
        waiting = [call for call in step.open if call.is_child and call.external_task_id]
        if not waiting:
            return
        ended = await sub_runs.read_ended(self._pool, self._taken.run_id)
        for call in waiting:
            child = ended.get(UUID(call.external_task_id))
            if child is None:
                continue
            result, error = child_result(child, self._sources)
            status: ToolCallStatus = "completed" if child.status == "completed" else "failed"
            self.tainted = self.tainted or child.tainted
            text = normalized(result.text)
            new = NewResult(call.call.id, status, text, error, 0, child.tainted, sources_record(result.events))
            await self._record_result(
                step, call, new, [*result.events, ended_event(call, step.number, status, text, error)]
            )
        await self._budget.read_below(self._pool)

    # -- what calls may use ----------------------------------------------------------------------------------------
    async def _tool_context(self, *, with_asked: bool = False) -> ToolContext:
        """With the asker's rights of this moment: they are read again at each step."""
        row = await self._pool.fetchrow(
            "SELECT roles, groups, is_active FROM users WHERE id = $1", self._taken.run.user_id
        )
        if row is None or not row["is_active"]:
            raise PermissionDeniedError("The account that asked is not active any more.", required="user")
        principal = Principal(self._taken.run.user_id, frozenset(row["roles"]), frozenset(row["groups"]))
        # What a person wrote counts only once the run has read what others wrote.
        wanted = with_asked and self.tainted
        asked = await self._pool.fetch(_ASKED, self._taken.session_id, _MOST_ASKED) if wanted else []
        return ToolContext(
            principal,
            self._sources,
            self._taken,
            self._pool,
            self._log.bus,
            self.tainted,
            _report_to_nobody,
            [message["content"] for message in asked],
        )


async def _report_to_nobody(percentage: int, message: str) -> None:
    """For a context that belongs to no call."""
