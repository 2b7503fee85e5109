"""`ask` as a task: its id is the run's, any replica answers for it, and a broken connection loses nothing."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams, CallToolResult, ClientCapabilities, TextContent
from pydantic import BaseModel, ValidationError
from typing_extensions import override

from echomind_api.transports.mcp.endpoint import CURRENT
from echomind_api.transports.mcp.questions import can_be_asked, requests_of
from echomind_api.transports.mcp.services import McpServices
from echomind_api.transports.mcp.tasks import NoTaskError, Status, Task, Tasks
from echomind_api.transports.openai.errors import OpenAiError
from echomind_lib.errors import EchoMindError, NotFoundError, RunStateError
from echomind_lib.models.public import Run, RunStatus

_DAY: Final = 86_400_000
_TEXTS: Final = {
    RunStatus.QUEUED: "Waiting for a worker",
    RunStatus.WAITING_FOR_INPUT: "Waiting for a person, in EchoMind",
    RunStatus.PAUSED: "Paused by a person, in EchoMind",
}


class _Asked(BaseModel):
    question: str
    assistant: str = ""


class AskTasks(Tasks):
    """The runs that `ask` began."""

    def __init__(self, services: McpServices) -> None:
        self._services = services

    @override
    async def begin(
        self, params: CallToolRequestParams, capabilities: ClientCapabilities
    ) -> Task | CallToolResult | None:
        if params.name != "ask":
            return None
        try:
            asked = _Asked.model_validate(params.arguments or {})
        except ValidationError:
            return None  # the tool names what is wrong
        try:
            may_ask = can_be_asked(capabilities)
            run = await self._services.begin(asked.question, asked.assistant, CURRENT.get(), may_ask=may_ask)
        except (EchoMindError, OpenAiError) as error:
            return CallToolResult(content=[TextContent(type="text", text=error.message)], is_error=True)
        return await self._task(run)

    @override
    async def read(self, task_id: str) -> Task:
        return await self._task(await self._run(task_id))

    @override
    async def answer(self, task_id: str, responses: Mapping[str, Any]) -> None:
        run = await self._run(task_id)
        try:
            await self._services.answer(run, responses, CURRENT.get())
        except RunStateError:
            return  # somebody has answered, or the run has ended
        except EchoMindError as error:
            raise MCPError(code=INVALID_PARAMS, message=error.message) from error

    @override
    async def cancel(self, task_id: str) -> None:
        run = await self._run(task_id)
        try:
            await self._services.cancel(run, CURRENT.get())
        except RunStateError:
            return  # it has ended
        except EchoMindError as error:
            raise MCPError(code=INVALID_PARAMS, message=error.message) from error

    async def _run(self, task_id: str) -> Run:
        try:
            return await self._services.run(task_id, CURRENT.get())
        except NotFoundError:
            raise NoTaskError from None

    async def _task(self, run: Run) -> Task:
        """Returns the task of a run; one that has ended otherwise than by an answer is completed with an error."""
        waiting = await self._services.waiting(run, CURRENT.get())
        requests = requests_of(waiting)
        text = _TEXTS.get(waiting.status, "")
        result = None
        match run.status:
            case RunStatus.COMPLETED:
                answer = await self._services.answer_of(run, CURRENT.get())
                text_of = TextContent(type="text", text=answer.model_dump_json(indent=2))
                result = CallToolResult(content=[text_of], structured_content=answer.model_dump(mode="json"))
            case RunStatus.FAILED | RunStatus.TIMEOUT | RunStatus.CANCELLED:
                text = self._services.failure_of(run)
                if run.status is not RunStatus.CANCELLED:
                    result = CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)
        status: Status = "cancelled" if run.status is RunStatus.CANCELLED else "completed" if result else "working"
        days = (await self._services.retention.days())["unlisted_chat_sessions"]
        created = run.creation_date or datetime.now(UTC)
        return Task(
            id=run.id,
            status="input_required" if requests else status,
            message=text or await self._services.progress_of(run),
            created=created,
            updated=run.completed_at or created,
            milliseconds=days * _DAY or None,
            requests=requests,
            result=result,
        )
