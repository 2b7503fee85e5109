"""`ask` as a task: the extension `io.modelcontextprotocol/tasks` (SEP-2663), for clients that declare it.

A task is a run: its id is the run's, any replica answers for it, and a broken connection loses nothing.
"""

from collections.abc import Sequence
from typing import Any, Final, Literal

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver.server import require_client_extension
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams, CallToolResult, RequestParams, Result, TextContent
from pydantic import BaseModel, ValidationError
from typing_extensions import override

from echomind_api.transports.mcp.endpoint import CURRENT
from echomind_api.transports.mcp.services import McpServices
from echomind_api.transports.openai.errors import OpenAiError
from echomind_lib.errors import EchoMindError, NotFoundError, RunStateError
from echomind_lib.models.public import Run, RunStatus

_DAY: Final = 86_400_000
_POLL: Final = 1_000
_ENDED: Final = {RunStatus.FAILED: "failed", RunStatus.CANCELLED: "cancelled", RunStatus.TIMEOUT: "timed out"}
_TEXTS: Final = {
    RunStatus.QUEUED: "Waiting for a worker",
    RunStatus.WAITING_FOR_INPUT: "Waiting for a person, in EchoMind",
    RunStatus.PAUSED: "Paused by a person, in EchoMind",
}


class _Asked(BaseModel):
    question: str
    assistant: str = ""


class _TaskParams(RequestParams):
    task_id: str


class _Created(Result):
    result_type: Literal["task"] = "task"
    task_id: str
    status: str
    status_message: str
    created_at: str
    last_updated_at: str
    ttl_ms: int | None
    poll_interval_ms: int = _POLL


class _State(Result):
    result_type: Literal["complete"] = "complete"
    task_id: str
    status: str
    status_message: str
    created_at: str
    last_updated_at: str
    ttl_ms: int | None
    poll_interval_ms: int = _POLL
    result: dict[str, Any] | None = None


class AskTasks(Extension):
    """Returns a task for `ask`, and answers what its client asks of it."""

    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self, services: McpServices) -> None:
        self._services = services

    @override
    def methods(self) -> Sequence[MethodBinding]:
        return [
            MethodBinding("tasks/get", _TaskParams, self._get),
            MethodBinding("tasks/update", _TaskParams, self._update),
            MethodBinding("tasks/cancel", _TaskParams, self._cancel),
        ]

    @override
    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        capabilities = ctx.session.client_capabilities
        if params.name != "ask" or not capabilities or self.identifier not in (capabilities.extensions or {}):
            return await call_next(ctx)
        try:
            asked = _Asked.model_validate(params.arguments or {})
        except ValidationError:
            return await call_next(ctx)  # which names what is wrong
        try:
            run = await self._services.begin(asked.question, asked.assistant, CURRENT.get())
        except (EchoMindError, OpenAiError) as error:
            return CallToolResult(content=[TextContent(type="text", text=error.message)], is_error=True)
        return _Created(**await self._described(run))

    async def _get(self, ctx: ServerRequestContext[Any, Any], params: _TaskParams) -> HandlerResult:
        run = await self._run(ctx, params)
        described = await self._described(run)
        if run.status is RunStatus.COMPLETED:
            answer = await self._services.answer_of(run, CURRENT.get())
            text = TextContent(type="text", text=answer.model_dump_json(indent=2))
            result = CallToolResult(content=[text], structured_content=answer.model_dump(mode="json"))
        elif run.status in (RunStatus.FAILED, RunStatus.TIMEOUT):
            text = TextContent(type="text", text=described["status_message"])
            result = CallToolResult(content=[text], is_error=True)
        else:
            return _State(**described)
        return _State(**described, result=result.model_dump(mode="json", by_alias=True, exclude_none=True))

    async def _update(self, ctx: ServerRequestContext[Any, Any], params: _TaskParams) -> HandlerResult:
        await self._run(ctx, params)  # it asks for nothing, so that there is nothing to pass on
        return Result()

    async def _cancel(self, ctx: ServerRequestContext[Any, Any], params: _TaskParams) -> HandlerResult:
        run = await self._run(ctx, params)
        try:
            await self._services.cancel(run, CURRENT.get())
        except RunStateError:
            return Result()  # it has ended
        except EchoMindError as error:
            raise MCPError(code=INVALID_PARAMS, message=error.message) from error
        return Result()

    async def _run(self, ctx: ServerRequestContext[Any, Any], params: _TaskParams) -> Run:
        """Returns the run of a task.

        Raises:
            MCPError: The client does not declare the extension, or there is no such run of the caller.
        """
        require_client_extension(ctx, self.identifier)
        try:
            return await self._services.run(params.task_id, CURRENT.get())
        except NotFoundError as error:
            raise MCPError(code=INVALID_PARAMS, message=f"There is no task {params.task_id[:100]!r}.") from error

    async def _described(self, run: Run) -> dict[str, Any]:
        """Returns the fields of a task; a run that has ended otherwise than by an answer is completed with an error."""
        status, text = "working", _TEXTS.get(run.status, "")
        if run.status is RunStatus.CANCELLED:
            status = "cancelled"
        elif run.status in (RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.TIMEOUT):
            status = "completed"
        if run.status in _ENDED:
            text = run.error.message if run.error and run.error.message else f"The run {_ENDED[run.status]}."
        created = run.creation_date.isoformat() if run.creation_date else ""
        days = (await self._services.retention.days())["unlisted_chat_sessions"]
        return {
            "task_id": run.id,
            "status": status,
            "status_message": text or await self._services.progress_of(run),
            "created_at": created,
            "last_updated_at": run.completed_at.isoformat() if run.completed_at else created,
            "ttl_ms": days * _DAY or None,
        }
