"""Execution of one tool call: retries, time-outs, external tasks, progress."""

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import asyncpg
import structlog

from echomind_agent.state.call import Call, OpenStep, Settled, call_event, progress_text
from echomind_agent.text.delimiting import delimited
from echomind_agent.toolset.registry import (
    InputNeededError,
    Outcome,
    RetryableToolError,
    Started,
    Tool,
    ToolContext,
    ToolError,
    ToolResult,
)
from echomind_lib.conversations import checkpoints
from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.db.words import ToolCallStatus
from echomind_lib.errors import EchoMindError
from echomind_lib.events.log import EventLog, LogTransaction
from echomind_lib.process.retries import RetryPolicy
from echomind_lib.runs import steps
from echomind_lib.runs.elicitation import Elicitation
from echomind_lib.runs.fence import LeaseLostError, RunLease
from echomind_lib.text import normalized, storable

log = structlog.get_logger(__name__)

_INTERRUPTIONS = (
    LeaseLostError,
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
)
"""Exceptions that end an attempt: the lease is lost, or the database breaks the connection."""
_RETRIES = RetryPolicy(first=1.0, longest=30.0)
_POLL_GROWTH = 1.5
_REPORT_SECONDS = 0.5
_CANCEL_SECONDS = 5.0
_MAX_MESSAGE = 1_000
_MAX_STATUS = 100
_MAX_TASK_ID = 255


class ToolInvoker:
    """Executes the tool calls of one attempt at a run, and publishes their progress."""

    def __init__(self, event_log: EventLog, lease: RunLease) -> None:
        self._log, self._lease = event_log, lease

    async def make(self, context: ToolContext, step: OpenStep, call: Call, tool: Tool) -> Settled | Elicitation | None:
        """Executes a call, with retries if they may help; returns what it asks the person, if it does.

        None if it has a side effect and failed so that whether it took effect is not known.
        """
        reporter = _Reporter(self, step, call)
        context = replace(context, report=reporter.report, elicitation=call.elicitation)
        if call.side_effect and not call.external_task_id:
            await self._before_side_effect(step, call)
        try:
            return await self._try(context, step, call, tool)
        finally:
            await reporter.close()

    async def _try(self, context: ToolContext, step: OpenStep, call: Call, tool: Tool) -> Settled | Elicitation | None:
        retries = 0
        ended = partial(Settled, call=call, is_untrusted=tool.untrusted)
        while True:
            try:
                async with asyncio.timeout(tool.timeout) as deadline:
                    result = await self._call(context, step, call, tool)
                    return ended(status="completed", result=result, retries=retries)
            except InputNeededError as needed:
                return needed.elicitation
            except TimeoutError:
                if not deadline.expired():
                    raise  # raised by the database, not by the call's deadline
                await self.cancel_external_tasks(context, [call])
                failure = _Failure(f"{tool.name} did not answer within {tool.timeout:g} seconds.", status="timeout")
            except _INTERRUPTIONS:
                # Not the tool's fault. The next attempt resumes from the stored state, which lacks this failure.
                raise
            except Exception as error:  # noqa: BLE001 - tools may be third-party code: it ends the call, not the run
                failure = self._failure(tool, error)
            # A started task is only polled again, which is safe with side effects, too.
            is_safe = not call.side_effect or bool(call.external_task_id)
            if not (is_safe or failure.is_effect_known):
                log.warning("call interrupted", tool=tool.name, run_id=str(self._lease.run_id), error=failure.reason)
                await self.note(step, call, message=failure.reason)
                call.unknown = True
                return None
            if not (is_safe and failure.may_pass) or retries >= tool.max_retries:
                return ended(status=failure.status, error=normalized(failure.reason), retries=retries)
            retries += 1
            await self.note(step, call, message=f"Trying again: {failure.reason}")
            await asyncio.sleep(_RETRIES.delay(retries))

    def _failure(self, tool: Tool, error: Exception) -> "_Failure":
        run_id = str(self._lease.run_id)
        if isinstance(error, ToolError | RetryableToolError):
            may_pass = isinstance(error, RetryableToolError)
            return _Failure(str(error), may_pass=may_pass, is_effect_known=error.is_effect_known)
        if isinstance(error, EchoMindError):
            log.warning("tool failed", tool=tool.name, run_id=run_id, error=str(error))
            return _Failure(error.message, may_pass=error.retryable, is_effect_known=not error.retryable)
        log.error("tool raised an unexpected exception", tool=tool.name, run_id=run_id, exc_info=error)
        return _Failure(f"{tool.name} failed by a fault; the agent's log has it.")

    async def _call(self, context: ToolContext, step: OpenStep, call: Call, tool: Tool) -> ToolResult:
        if call.external_task_id and tool.poll is not None:
            outcome = await _outcome(tool, tool.poll(context, call.external_task_id))
        else:
            outcome = await _outcome(tool, tool.call(context, call.given))
        wait = tool.poll_seconds
        while isinstance(outcome, Started):
            if tool.poll is None:
                raise TypeError(f"The tool {tool.name} started a task and has no way to ask after it.")
            if not 0 < len(outcome.task_id) <= _MAX_TASK_ID or storable(outcome.task_id) != outcome.task_id:
                raise ToolError(
                    f"{tool.name} started a task whose id cannot be kept: it must have 1 to {_MAX_TASK_ID} characters.",
                    is_effect_known=False,
                )
            call.external_task_id = outcome.task_id  # from here on the task can be cancelled
            await self.note(
                step,
                call,
                percentage=outcome.percentage,
                message=outcome.status,
                external_task_id=outcome.task_id,
                external_status=normalized(outcome.status)[:_MAX_STATUS] or "started",
            )
            await asyncio.sleep(wait)
            wait = min(wait * _POLL_GROWTH, tool.poll_seconds * 10)
            outcome = await _outcome(tool, tool.poll(context, call.external_task_id))
        return outcome

    async def _before_side_effect(self, step: OpenStep, call: Call) -> None:
        """Creates a checkpoint and records that the call has started, in one transaction, so it is never repeated."""
        async with self._log.transaction() as transaction:
            name = f"Before {call.request.name}"
            await checkpoints.create_in_run(transaction, self._lease, "before_tool", name, step.number)
            await self._touch(transaction, step, call)
        call.status = "running"

    async def note(self, step: OpenStep, call: Call, *, percentage: int = 0, message: str, **values: Any) -> None:
        """Publishes the progress of a call, with a tool's message."""
        values |= {"percentage": max(0, min(100, percentage)), "message": normalized(message)[:_MAX_MESSAGE] or None}
        await self._touch(self._log, step, call, **values)

    async def _touch(self, event_log: EventLog | LogTransaction, step: OpenStep, call: Call, **values: Any) -> None:
        event = call_event(call, step.number, "running", values.get("message") or progress_text(call))
        if percentage := values.get("percentage"):
            event.tool_call.progress_percentage = percentage
        if message := values.get("message"):
            event.tool_call.status_message = message
        if external_task_id := values.get("external_task_id"):
            event.tool_call.external_task_id = external_task_id
        if external_status := values.get("external_status"):
            event.tool_call.external_status = external_status
        await steps.touch_call(event_log, self._lease, step.id, call.request.id, [event], **values)

    async def cancel_external_tasks(self, context: ToolContext, calls: Sequence[Call]) -> None:
        """Cancels external tasks of calls, if their tools support it."""
        for call in calls:
            tool = call.tool
            if tool is None or tool.cancel is None or not call.external_task_id:
                continue
            try:
                async with asyncio.timeout(_CANCEL_SECONDS):
                    await tool.cancel(context, call.external_task_id)
            except Exception as error:  # noqa: BLE001 - tools may be others' code
                # Nothing waits for the cancellation; the service that runs the task ends it by its own rules.
                log.warning("external task could not be cancelled", tool=tool.name, error=repr(error))


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why an execution of a call gave no result."""

    reason: str
    status: ToolCallStatus = "failed"
    may_pass: bool = False
    """Whether another execution may succeed."""
    is_effect_known: bool = False
    """Whether it is certain that the call changed nothing."""


class _Reporter:
    """Publishes the progress of a call, at most a few times per second."""

    def __init__(self, invoker: ToolInvoker, step: OpenStep, call: Call) -> None:
        self._invoker, self._step, self._call = invoker, step, call
        self._last = 0.0
        self._newest = (0, "")
        self._later: asyncio.Task[None] | None = None

    async def report(self, percentage: int, message: str) -> None:
        self._newest = percentage, message
        if self._later is not None:
            return
        wait = self._last + _REPORT_SECONDS - asyncio.get_running_loop().time()
        if wait <= 0:
            await self._send()
        else:
            self._later = asyncio.create_task(self._send_later(wait))

    async def _send(self) -> None:
        self._last = asyncio.get_running_loop().time()
        percentage, message = self._newest
        await self._invoker.note(self._step, self._call, percentage=percentage, message=message)

    async def _send_later(self, wait: float) -> None:
        sent = None
        while sent != self._newest:
            await asyncio.sleep(wait)
            sent, wait = self._newest, _REPORT_SECONDS
            # The call's own writes raise the same error.
            with suppress(LeaseLostError, *DATABASE_FAILURES):
                await self._send()
        self._later = None

    async def close(self) -> None:
        """Stops reporting, as the call has ended."""
        if self._later is not None:
            self._later.cancel()
            await asyncio.wait({self._later})


async def _outcome(tool: Tool, answer: Awaitable[Outcome]) -> ToolResult | Started:
    """Returns the result of a tool, delimited if it is untrusted."""
    try:
        outcome = await answer
    except TimeoutError as error:  # the tool's own time-out: ours cancels the call
        raise RetryableToolError(f"Something that {tool.name} needs did not answer in time.") from error
    except ToolError as error:
        raise ToolError(_delimited(tool, str(error)), is_effect_known=error.is_effect_known) from error
    except RetryableToolError as error:
        raise RetryableToolError(_delimited(tool, str(error)), is_effect_known=error.is_effect_known) from error
    if isinstance(outcome, Started):
        return outcome
    result = ToolResult(outcome) if isinstance(outcome, str) else outcome
    return replace(result, text=_delimited(tool, result.text))


def _delimited(tool: Tool, text: str) -> str:
    return delimited("result", text, tool=tool.name) if tool.untrusted and not tool.delimits else text
