"""The tool calls of one step, from the model's request to results that satisfy the step's wait strategy.

A step with its calls is committed before any of them is executed, and each result on arrival. Results have three
origins: this worker executes a call, a person answers or approves it, or a sub-run works on it. `StepExecutor.settle`
does what is possible in this process and returns whether that suffices; a later attempt continues with the same rows.
"""

import asyncio
from collections.abc import Collection, Sequence
from contextlib import suppress
from uuid import UUID

from echomind_agent.evidence.sources import documents_of, sources_record
from echomind_agent.state.call import (
    Call,
    OpenStep,
    Settled,
    begun_event,
    call_event,
    ended_event,
    requested_event,
    tool_message,
)
from echomind_agent.state.run import RunState
from echomind_agent.steps.checks import checked_calls
from echomind_agent.steps.invoker import ToolInvoker
from echomind_agent.steps.sub_runs import ended_sub_runs, start_sub_runs
from echomind_agent.steps.tool_context import context_of, tool_context
from echomind_agent.steps.traces import make_traced
from echomind_agent.tools.documents import SEARCH
from echomind_agent.toolset.registry import ToolContext, ToolResult, parameters_record
from echomind_lib.db.words import WaitStrategy
from echomind_lib.errors import PermissionDeniedError
from echomind_lib.llms import ToolCall
from echomind_lib.runs import steps
from echomind_lib.runs.asker import principal_of
from echomind_lib.runs.controls import cancel_sub_runs
from echomind_lib.runs.elicitation import Elicitation
from echomind_lib.runs.steps import NewResult, NewStep, NewToolCall
from echomind_lib.telemetry import spans
from echomind_lib.text import normalized, storable_tree

NOT_NEEDED = "Not needed any more: other calls of the step gave enough."
"""The reason of a call cancelled because its step's wait strategy is satisfied."""


class StepExecutor:
    """The steps with tool calls of one attempt at a run."""

    def __init__(self, state: RunState) -> None:
        self._state = state
        self._invoker = ToolInvoker(state.log, state.lease)
        # The context of the last prepared step: its calls are executed with the same rights.
        self._context: ToolContext | None = None

    # -- recording -------------------------------------------------------------------------------------------------
    async def prepare(self, requested: Sequence[ToolCall], *, approval_tools: Collection[str]) -> list[Call]:
        """Returns the requested calls, checked (see `checks`).

        Raises:
            PermissionDeniedError: The account of the run is deactivated.
        """
        assert self._state.context is not None  # calls follow a prompt
        tools = self._state.context.tools
        judges = any(callable(tools[call.name].side_effect) for call in requested if call.name in tools)
        # Otherwise the asker's rights are read by the statement that records the step.
        is_needed = judges or self._state.run.session.notebook is not None
        self._context = await tool_context(self._state, judges_side_effects=judges) if is_needed else None
        calls = checked_calls(requested, tools, self._context, approval_tools, untrusted=self._state.untrusted)
        self._state.delegations.admit(calls)
        return calls

    async def record(self, step: NewStep, calls: Sequence[Call], *, cost: float) -> OpenStep:
        """Commits a step with its calls and their events, before any of them is executed.

        Raises:
            LeaseLostError: The worker no longer holds the run.
            PermissionDeniedError: The account of the run is deactivated, and there are calls.
        """
        state = self._state
        events = [begun_event(step, state.budget.steps, len(calls))] if len(calls) > 1 or step.input_data else []
        for call in calls:
            parameters = storable_tree(parameters_record(call.request.arguments))
            step.tool_calls.append(
                NewToolCall(
                    tool_call_id=call.request.id,
                    tool_name=call.request.name,
                    parameters=parameters,
                    status=call.status,
                    side_effect=call.side_effect,
                    approval=call.approval,
                    max_retries=call.tool.max_retries if call.tool and not call.side_effect else 0,
                )
            )
            events.append(requested_event(call, state.budget.steps, parameters))
            if call.begins_at_once and call.tool is not None and call.tool.expect is not None:
                call.tool.expect(call.given)
        recorded = await steps.record_step(
            state.log, state.lease, step, events, cost=cost, seconds=state.budget.seconds
        )
        state.note_control(recorded.control_requested)
        if calls and self._context is None:
            self._context = context_of(state, principal_of(state.run.user_id, recorded.asker))
        strategy: WaitStrategy = step.wait_strategy if len(calls) > 1 else "all"
        inherited = (step.output_data or {}).get("inherited", "")
        return OpenStep(recorded.step_id, recorded.step_number, strategy, list(calls), inherited)

    # -- execution -------------------------------------------------------------------------------------------------
    async def settle(self, step: OpenStep) -> bool:
        """Executes the calls of a step that this worker can execute.

        Returns:
            Whether the step is done; otherwise its open calls wait for a person or for sub-runs.

        Raises:
            LeaseLostError: The worker no longer holds the run.
            PermissionDeniedError: The account of the run is deactivated.
        """
        state = self._state
        state.open_step = step
        state.has_sub_runs = state.has_sub_runs or any(call.is_sub_run for call in step.calls)
        await start_sub_runs(state, step)
        await self._attach_sub_runs(step)
        if not step.holds:
            await self._make_all(step)
            await self._attach_sub_runs(step)
        if not step.holds:
            return False
        if not step.is_closed:
            await self._close(step)
        return True

    async def _attach_sub_runs(self, step: OpenStep) -> None:
        for settled in await ended_sub_runs(self._state, step):
            await self._record_result(step, settled)

    async def _make_all(self, step: OpenStep) -> None:
        """Executes the calls of this worker in parallel, until the wait strategy is satisfied."""
        context, self._context = self._context or await tool_context(self._state), None
        mine = [call for call in step.open if not call.is_sub_run and not call.needs_person]
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
        if call.tool is None or call.problem:
            await self._record_result(step, Settled(call=call, status="failed", error=call.problem))
            return
        if call.known:
            await self._record_result(step, Settled(call=call, status="completed", result=ToolResult(call.known)))
            return
        if spans.recorder is None:
            settled = await self._invoker.make(context, step, call, call.tool)
        else:
            settled = await make_traced(self._invoker, context, step, call, call.tool)
        if settled is None:
            return  # it stays stored as begun: the run waits for a person, as after the end of its worker
        if isinstance(settled, Elicitation):
            await self._ask_person(step, call, settled)
            return
        if call.request.name == SEARCH:
            self._state.searched.append(parameters_record(call.request.arguments).get("query", ""))
        await self._record_result(step, settled)

    async def _ask_person(self, step: OpenStep, call: Call, elicitation: Elicitation) -> None:
        """Records what the MCP server of a call asks: the call waits for the person."""
        call.status, call.elicitation = "pending", elicitation
        event = call_event(call, step.number, "pending", f"The MCP server {elicitation.server} asks you something")
        await steps.ask_person(self._state.log, self._state.lease, step.id, call.request.id, elicitation, [event])

    async def _record_result(self, step: OpenStep, settled: Settled) -> None:
        state, call = self._state, settled.call
        text = normalized(settled.result.text)
        state.untrusted = state.untrusted or settled.is_untrusted
        others = [other for other in step.calls if other is not call and other.reply is None]
        new = NewResult(
            tool_call_id=call.request.id,
            status=settled.status,
            result=text,
            error_message=settled.error,
            retries=settled.retries,
            untrusted=settled.is_untrusted,
            sources=sources_record(settled.result.events),
            document_ids=documents_of(settled.result.events),
        )
        control = await steps.record_result(
            state.log,
            state.lease,
            step.id,
            new,
            [*settled.result.events, ended_event(call, step.number, settled.status, text, settled.error)],
            parallel_status="partial" if others else "completed",
            completes_step=not others,
        )
        call.status, call.reply = settled.status, tool_message(settled.status, text, settled.error)
        state.consulted.note(call)
        step.is_closed = step.is_closed or not others
        state.note_control(control)

    # -- cancellation ----------------------------------------------------------------------------------------------
    async def _close(self, step: OpenStep) -> None:
        """Closes a step whose wait strategy is satisfied: its other calls are no longer needed."""
        events = []
        for call in step.open:
            call.status, call.reply = "cancelled", tool_message("cancelled", "", NOT_NEEDED)
            events.append(ended_event(call, step.number, "cancelled", "", NOT_NEEDED))
        await steps.close_step(self._state.log, self._state.lease, step.id, NOT_NEEDED, events)
        await self.cancel_unwanted(step)

    async def cancel_unwanted(self, step: OpenStep) -> None:
        """Cancels sub-agents and external tasks of a closed step that are no longer needed.

        A later attempt repeats it, as its predecessor may have been interrupted after closing the step.
        """
        unwanted = [call for call in step.calls if call.status == "cancelled" and call.external_task_id]
        await cancel_sub_runs(self._state.log, [UUID(call.external_task_id) for call in unwanted if call.is_sub_run])
        await self._cancel_elsewhere(unwanted)

    async def abandon(self) -> None:
        """Cancels external tasks of the open step, as the run has ended without it."""
        if self._state.open_step is not None:
            await self._cancel_elsewhere(self._state.open_step.open)

    async def _cancel_elsewhere(self, calls: Sequence[Call]) -> None:
        begun = [call for call in calls if call.external_task_id and call.tool and call.tool.cancel]
        if begun:
            with suppress(PermissionDeniedError):  # a tool cannot act for a deactivated account
                await self._invoker.cancel_external_tasks(await tool_context(self._state), begun)
