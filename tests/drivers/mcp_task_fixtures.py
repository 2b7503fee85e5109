"""What the conformance suite's scenarios of tasks call, by the product's extension for tasks.

The names, arguments and texts are the suite's: modelcontextprotocol/conformance, `src/scenarios/server/tasks`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from mcp.server.mcpserver.server import MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CallToolRequestParams,
    CallToolResult,
    ClientCapabilities,
    ElicitRequest,
    ElicitRequestFormParams,
    InputRequiredResult,
    TextContent,
)
from typing_extensions import override

from echomind_api.transports.mcp.tasks import EXTENSION, NoTaskError, Task, Tasks
from tests.drivers.mcp_fixtures import OF_SUITE, Called

Job = Callable[["FixtureTasks", str, dict[str, Any]], Awaitable[CallToolResult]]


class FixtureTasks(Tasks):
    """Tasks in memory: each is a coroutine, which may ask for input."""

    def __init__(self) -> None:
        self._tasks: dict[str, Task] = {}
        self._jobs: dict[str, asyncio.Task[None]] = {}
        self._answers: dict[str, asyncio.Future[Any]] = {}

    @override
    async def begin(
        self, params: CallToolRequestParams, capabilities: ClientCapabilities
    ) -> Task | CallToolResult | None:
        given = params.arguments or {}
        if params.name == "test_tool_with_task":
            if not params.input_responses:
                return None  # the tool asks first
            answer: Any = params.input_responses["user_name"]
            given = {"name": answer.content["name"]}
        if (job := JOBS.get(params.name)) is None:
            return None
        now = datetime.now(UTC)
        task = Task(id=str(uuid4()), status="working", created=now, updated=now, milliseconds=600_000)
        self._tasks[task.id] = task
        self._jobs[task.id] = asyncio.create_task(self._run(task.id, job, given))
        return task

    @override
    async def read(self, task_id: str) -> Task:
        if task_id not in self._tasks:
            raise NoTaskError
        return self._tasks[task_id]

    @override
    async def answer(self, task_id: str, responses: Mapping[str, Any]) -> None:
        task = await self.read(task_id)
        for key in task.requests.keys() & responses.keys():
            self._answers.pop(key).set_result(responses[key])
            left = {name: each for name, each in self._tasks[task_id].requests.items() if name != key}
            self._change(task_id, requests=left, status="input_required" if left else "working")

    @override
    async def cancel(self, task_id: str) -> None:
        await self.read(task_id)
        self._jobs[task_id].cancel()

    async def ask(self, task_id: str, message: str) -> Any:
        """Returns the response to a question of a task."""
        key = str(uuid4())
        schema = {"type": "object", "properties": {"confirm": {"type": "boolean"}}}
        asked = ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))
        answer = self._answers[key] = asyncio.get_running_loop().create_future()
        self._change(task_id, status="input_required", requests={**self._tasks[task_id].requests, key: asked})
        return await answer

    async def _run(self, task_id: str, job: Job, given: dict[str, Any]) -> None:
        try:
            result = await job(self, task_id, given)
        except asyncio.CancelledError:
            self._change(task_id, status="cancelled", requests={})
        except MCPError as error:
            self._change(task_id, status="failed", error={"code": error.code, "message": error.message})
        else:
            self._change(task_id, status="completed", result=result)

    def _change(self, task_id: str, **values: Any) -> None:
        self._tasks[task_id] = replace(self._tasks[task_id], updated=datetime.now(UTC), **values)


def _said(text: str, *, is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)


async def _compute(_tasks: FixtureTasks, _task_id: str, given: dict[str, Any]) -> CallToolResult:
    await asyncio.sleep(given["seconds"])
    return _said(f"{given.get('label')} computed")


async def _fail(_tasks: FixtureTasks, _task_id: str, _given: dict[str, Any]) -> CallToolResult:
    return _said("It failed.", is_error=True)


async def _break(_tasks: FixtureTasks, _task_id: str, _given: dict[str, Any]) -> CallToolResult:
    raise MCPError(code=INTERNAL_ERROR, message="It broke.")


async def _confirm(tasks: FixtureTasks, task_id: str, given: dict[str, Any]) -> CallToolResult:
    answer = await tasks.ask(task_id, f"Delete {given['filename']}?")
    return _said(f"{given['filename']}: {answer['action']}")


async def _two(tasks: FixtureTasks, task_id: str, _given: dict[str, Any]) -> CallToolResult:
    answers = await asyncio.gather(tasks.ask(task_id, "First?"), tasks.ask(task_id, "Second?"))
    return _said(str(answers))


async def _greet(_tasks: FixtureTasks, _task_id: str, given: dict[str, Any]) -> CallToolResult:
    return _said(f"Hello, {given['name']}!")


JOBS: dict[str, Job] = {
    "slow_compute": _compute,
    "failing_job": _fail,
    "protocol_error_job": _break,
    "confirm_delete": _confirm,
    "multi_input": _two,
    "test_tool_with_task": _greet,
}


def add_task_fixtures(server: MCPServer[Any]) -> None:
    """Adds the tools of the scenarios, as clients without the extension call them."""

    @server.tool(description=OF_SUITE)
    def greet(name: str) -> str:
        return f"Hello, {name}!"

    @server.tool(description=OF_SUITE)
    async def slow_compute(seconds: float, label: str = "") -> str:
        await asyncio.sleep(seconds)
        return f"{label} computed"

    @server.tool(description=OF_SUITE)
    def failing_job() -> str:
        raise MCPError(
            code=MISSING_REQUIRED_CLIENT_CAPABILITY,
            message="This tool requires tasks",
            data={"requiredCapabilities": {"extensions": {EXTENSION: {}}}},
        )

    @server.tool(description=OF_SUITE)
    def protocol_error_job() -> str:
        return failing_job()

    @server.tool(description=OF_SUITE)
    def confirm_delete(filename: str) -> str:
        return failing_job()

    @server.tool(description=OF_SUITE)
    def multi_input() -> str:
        return failing_job()

    @server.tool(description=OF_SUITE)
    async def test_tool_with_task(context: Called) -> str | InputRequiredResult:
        schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
        asked = ElicitRequest(params=ElicitRequestFormParams(message="What is your name?", requested_schema=schema))
        return InputRequiredResult(input_requests={"user_name": asked})
