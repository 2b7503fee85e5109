"""Calls as tasks: the extension `io.modelcontextprotocol/tasks` (SEP-2663), for clients that declare it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver.server import require_client_extension
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value
from mcp_types import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ClientCapabilities,
    InputRequest,
    RequestParams,
    Result,
)
from typing_extensions import override

EXTENSION: Final = "io.modelcontextprotocol/tasks"
_POLL: Final = 1_000

Status = Literal["working", "input_required", "completed", "failed", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task as its client sees it."""

    id: str
    status: Status
    message: str = ""
    """What it does, or why it has ended."""
    created: datetime
    updated: datetime
    milliseconds: int | None = None
    """For how long from its creation it can be read; None for always."""
    requests: Mapping[str, InputRequest] = field(default_factory=dict)
    """What it waits for, by keys that name nothing else as long as it exists."""
    result: CallToolResult | None = None
    """The call's result, which may be an error; only of a completed task."""
    error: dict[str, Any] | None = None
    """The error of the protocol; only of a failed task."""


class NoTaskError(Exception):
    """There is no such task of the caller."""


class _TaskParams(RequestParams):
    task_id: str


class _UpdateParams(_TaskParams):
    input_responses: dict[str, Any]


class _Created(Result):
    result_type: Literal["task"] = "task"
    task_id: str
    status: Status
    status_message: str
    created_at: str
    last_updated_at: str
    ttl_ms: int | None
    poll_interval_ms: int = _POLL


class _Detailed(Result):
    result_type: Literal["complete"] = "complete"
    task_id: str
    status: Status
    status_message: str
    created_at: str
    last_updated_at: str
    ttl_ms: int | None
    poll_interval_ms: int = _POLL
    input_requests: dict[str, Any] | None = None
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


class Tasks(Extension, ABC):
    """Returns tasks for calls, and answers what their clients ask of them."""

    identifier = EXTENSION

    @abstractmethod
    async def begin(
        self, params: CallToolRequestParams, capabilities: ClientCapabilities
    ) -> Task | CallToolResult | None:
        """Begins the task of a call; the task can be read when this returns.

        Returns:
            The task, the result of a call that is over already, or None for a call that is no task.
        """

    @abstractmethod
    async def read(self, task_id: str) -> Task:
        """Returns a task.

        Raises:
            NoTaskError: There is none.
        """

    @abstractmethod
    async def answer(self, task_id: str, responses: Mapping[str, Any]) -> None:
        """Answers requests of a task, by their keys; other keys change nothing.

        Raises:
            NoTaskError: There is none.
            MCPError: An answer does not fit its request, or the caller may not answer.
        """

    @abstractmethod
    async def cancel(self, task_id: str) -> None:
        """Cancels a task; one that has ended stays as it is.

        Raises:
            NoTaskError: There is none.
            MCPError: The caller may not cancel it.
        """

    @override
    def methods(self) -> Sequence[MethodBinding]:
        return [
            MethodBinding("tasks/get", _TaskParams, self._get),
            MethodBinding("tasks/update", _UpdateParams, self._update),
            MethodBinding("tasks/cancel", _TaskParams, self._cancel),
        ]

    @override
    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        capabilities = ctx.session.client_capabilities
        if capabilities is None or self.identifier not in (capabilities.extensions or {}):
            return await call_next(ctx)
        begun = await self.begin(params, capabilities)
        if begun is None:
            return await call_next(ctx)
        return _Created(**_described(begun)) if isinstance(begun, Task) else begun

    def _require(self, ctx: ServerRequestContext[Any, Any], params: _TaskParams) -> None:
        """Raises an error unless the client declares the extension, and its header for proxies names the task."""
        require_client_extension(ctx, self.identifier)
        request = ctx.request
        if request is not None and decode_header_value(request.headers.get(MCP_NAME_HEADER)) != params.task_id:
            raise MCPError(code=HEADER_MISMATCH, message=f"The header {MCP_NAME_HEADER} must be the id of the task.")

    async def _get(self, ctx: ServerRequestContext[Any, Any], params: _TaskParams) -> HandlerResult:
        self._require(ctx, params)
        try:
            task = await self.read(params.task_id)
        except NoTaskError:
            raise _missing(params.task_id) from None
        requests = {key: _wire(request) for key, request in task.requests.items()}
        return _Detailed(
            **_described(task),
            input_requests=requests or None,
            result=_wire(task.result) if task.result else None,
            error=task.error,
        )

    async def _update(self, ctx: ServerRequestContext[Any, Any], params: _UpdateParams) -> HandlerResult:
        self._require(ctx, params)
        try:
            await self.answer(params.task_id, params.input_responses)
        except NoTaskError:
            raise _missing(params.task_id) from None
        return Result()

    async def _cancel(self, ctx: ServerRequestContext[Any, Any], params: _TaskParams) -> HandlerResult:
        self._require(ctx, params)
        try:
            await self.cancel(params.task_id)
        except NoTaskError:
            raise _missing(params.task_id) from None
        return Result()


def _described(task: Task) -> dict[str, Any]:
    return {
        "task_id": task.id,
        "status": task.status,
        "status_message": task.message,
        "created_at": task.created.isoformat(),
        "last_updated_at": task.updated.isoformat(),
        "ttl_ms": task.milliseconds,
    }


def _wire(model: CallToolResult | InputRequest) -> dict[str, Any]:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def _missing(task_id: str) -> MCPError:
    return MCPError(code=INVALID_PARAMS, message=f"There is no task {task_id[:100]!r}.")
