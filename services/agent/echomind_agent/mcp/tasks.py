"""Long-running calls: the extension `io.modelcontextprotocol/tasks` of protocol version 2026-07-28 (SEP-2663).

A server that supports it may respond to a call with a task, which is polled until it has the call's result. The task
belongs to the server, so any worker can poll it.
"""

from typing import Any, Literal

from mcp_types import CallToolResult, InputRequests, InputRequiredResult, InputResponses, Request, RequestParams, Result
from pydantic import TypeAdapter

EXTENSION = "io.modelcontextprotocol/tasks"
"""The extension's name among the client's capabilities."""

Status = Literal["working", "input_required", "completed", "failed", "cancelled"]


class TaskCreated(Result):
    """The response to a call that continues as a task."""

    result_type: Literal["task"]
    task_id: str
    status: Status
    status_message: str | None = None


class TaskState(Result):
    """State of a task."""

    task_id: str
    status: Status
    status_message: str | None = None
    result: dict[str, Any] | None = None
    """The call's result, after completion."""
    error: dict[str, Any] | None = None
    """The JSON-RPC error of a failed task."""
    input_requests: InputRequests | None = None
    """What the task asks, by its names for it."""


class TaskParams(RequestParams):
    """Parameters with the id of a task."""

    task_id: str


class UpdateParams(TaskParams):
    """Parameters with the responses to what a task asks."""

    input_responses: InputResponses


class GetTask(Request[TaskParams, Literal["tasks/get"]]):
    """Requests the state of a task."""

    name_param = "taskId"
    method: Literal["tasks/get"] = "tasks/get"
    params: TaskParams


class UpdateTask(Request[UpdateParams, Literal["tasks/update"]]):
    """Gives a task responses to what it asks."""

    name_param = "taskId"
    method: Literal["tasks/update"] = "tasks/update"
    params: UpdateParams


class CancelTask(Request[TaskParams, Literal["tasks/cancel"]]):
    """Requests the cancellation of a task."""

    name_param = "taskId"
    method: Literal["tasks/cancel"] = "tasks/cancel"
    params: TaskParams


CALL_ANSWER: TypeAdapter[TaskCreated | CallToolResult | InputRequiredResult] = TypeAdapter(
    TaskCreated | CallToolResult | InputRequiredResult
)
"""The possible responses to a call."""
