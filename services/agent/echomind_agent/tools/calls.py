"""Calls of tools: committed before they are made, made at the same time, each result committed on arrival."""

import asyncio
import random
from collections.abc import Mapping, Sequence
from typing import Any

import asyncpg

from echomind_agent.sources import Sources
from echomind_agent.storable import storable, storable_tree
from echomind_agent.tools.registry import Tool, ToolContext, ToolError, ToolResult, parameters_record
from echomind_lib.access import Principal
from echomind_lib.db.words import ToolCallStatus
from echomind_lib.errors import EchoMindError, PermissionDeniedError
from echomind_lib.llms import ToolCall
from echomind_lib.messaging import Bus
from echomind_lib.pb.echomind.public.v1 import run_pb2
from echomind_lib.pb.echomind.public.v1.run_pb2 import RunEvent
from echomind_lib.runs import steps
from echomind_lib.runs.events import announce
from echomind_lib.runs.lease import Taken
from echomind_lib.runs.steps import NewStep, NewToolCall, Recorded

SEARCH = "search_documents"
"""Name of the tool whose queries the message keeps."""
_TRIES = 3
_BACKOFF_SECONDS = 0.5
_RESULT_IN_EVENT = 4_000


class ToolCalls:
    """The calls of one attempt at a run."""

    def __init__(self, pool: asyncpg.Pool, bus: Bus, taken: Taken, sources: Sources) -> None:
        self._pool = pool
        self._bus = bus
        self._taken = taken
        self._sources = sources
        self.searched: list[str] = []
        """What this attempt searched for, in order."""

    async def record(self, tools: Mapping[str, Tool[Any]], step: NewStep, calls: Sequence[ToolCall]) -> Recorded:
        """Commits a step with its calls, before any of them is made, and tells of them.

        Raises:
            LeaseLostError: The run is not this worker's any more.
        """
        events = []
        for call in calls:
            tool = tools.get(call.name)
            parameters = storable_tree(parameters_record(call.arguments))
            step.tool_calls.append(NewToolCall(call.id, call.name, parameters, tool.side_effect if tool else False))
            event = RunEvent(kind=run_pb2.RUN_EVENT_KIND_PROGRESS, text=_progress(tool, call))
            event.tool_call.tool_call_id = call.id
            event.tool_call.tool_name = call.name
            event.tool_call.parameters.update(parameters)
            event.tool_call.status = run_pb2.STEP_STATUS_RUNNING
            events.append(event)
        recorded = await steps.record_step(self._pool, self._taken, step, events)
        await announce(self._bus, recorded.stored)
        return recorded

    async def run(self, tools: Mapping[str, Tool[Any]], step_id: int, calls: Sequence[ToolCall]) -> list[str]:
        """Makes calls at the same time; each result is committed on arrival.

        Returns:
            What the model is to be told, in the calls' order.

        Raises:
            LeaseLostError: The run is not this worker's any more.
            PermissionDeniedError: The account that the run is for is not active any more.
        """
        context = ToolContext(await self._principal(), self._sources)
        tasks = [asyncio.create_task(self._make(tools.get(call.name), context, step_id, call)) for call in calls]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _make(self, tool: Tool[Any] | None, context: ToolContext, step_id: int, call: ToolCall) -> str:
        retries = 0
        status: ToolCallStatus = "completed"
        result, error = ToolResult(""), ""
        while True:
            try:
                if tool is None:
                    raise ToolError(f"There is no tool {call.name}.")
                async with asyncio.timeout(tool.timeout):
                    result = await tool.call(context, tool.parse(call.arguments))
            except ToolError as failure:
                status, error = "failed", str(failure)
            except TimeoutError:
                status, error = "timeout", f"{call.name} did not answer in time."
            except EchoMindError as failure:
                if failure.retryable and retries + 1 < _TRIES and not (tool and tool.side_effect):
                    retries += 1
                    await asyncio.sleep(_BACKOFF_SECONDS * 2**retries * random.uniform(0.5, 1))  # noqa: S311
                    continue
                status, error = "failed", str(failure)
            break
        text = storable(result.text)
        event = RunEvent(kind=run_pb2.RUN_EVENT_KIND_PROGRESS)
        event.tool_call.tool_call_id = call.id
        event.tool_call.tool_name = call.name
        event.tool_call.status = run_pb2.StepStatus.Value(f"STEP_STATUS_{status.upper()}")
        event.tool_call.result = text[:_RESULT_IN_EVENT]
        event.tool_call.error_message = error
        if call.name == SEARCH:
            self.searched.append(parameters_record(call.arguments).get("query", ""))
        stored = await steps.record_result(
            self._pool,
            self._taken,
            step_id,
            call.id,
            status,
            text,
            error,
            retries,
            [*result.events, event],
        )
        await announce(self._bus, stored)
        return text if status == "completed" else f"Error: {error}"

    async def _principal(self) -> Principal:
        """Who the run is for, with the rights of this moment."""
        row = await self._pool.fetchrow(
            "SELECT roles, groups, is_active FROM users WHERE id = $1", self._taken.run["user_id"]
        )
        if row is None or not row["is_active"]:
            raise PermissionDeniedError("The account that asked is not active any more.", required="user")
        return Principal(self._taken.run["user_id"], frozenset(row["roles"]), frozenset(row["groups"]))


def _progress(tool: Tool[Any] | None, call: ToolCall) -> str:
    if tool is None:
        return f"Calling {call.name}"
    try:
        return tool.progress(tool.parse(call.arguments))
    except ToolError:
        return f"Calling {call.name}"
