"""What an assistant asks back while a client of `/mcp` waits, by the protocol's own client, with a scripted model."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import httpx2
import pytest
import pytest_asyncio
from mcp import Client, StdioServerParameters
from mcp.client import advertise
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    ElicitRequestFormParams,
    ElicitResult,
    EmptyResult,
    InputRequiredResult,
    Request,
    RequestParams,
)

from echomind_agent.mcp.tasks import CALL_ANSWER, EXTENSION, GetTask, TaskCreated, TaskParams, TaskState
from tests.drivers.model_server import ModelServer, Text, Tools
from tests.drivers.programs import Programs, scripted_programs
from tests.drivers.up import ECHOMIND, Up
from tests.factories.turns import sub_agent

ASKS = Tools([("ask_user", {"question": "Which year?", "options": ["2024", "2025"]})])
YEAR = {"action": "accept", "content": {"answer": "2025"}}


class _State(TaskState):
    input_requests: dict[str, Any] | None = None


class _UpdateParams(RequestParams):
    task_id: str
    input_responses: dict[str, Any]


class _Update(Request[_UpdateParams, Any]):
    name_param = "taskId"
    method: str = "tasks/update"
    params: _UpdateParams


@pytest_asyncio.fixture(loop_scope="session")
async def programs(up: Up, http: aiohttp.ClientSession, model_server: ModelServer) -> AsyncIterator[Programs]:
    async with scripted_programs(up, http, model_server, "For Questions", config={"askClarifications": True}) as made:
        yield made


@asynccontextmanager
async def _client(
    programs: Programs, *, asked: list[str] | None = None, tasks: bool = False, stdio: bool = False
) -> AsyncIterator[Client]:
    """A client whose person answers questions with a year; they are noted in `asked`."""

    async def answer(_context: object, params: Any) -> ElicitResult:
        assert isinstance(params, ElicitRequestFormParams)
        if asked is not None:
            asked.append(params.message)
        return ElicitResult.model_validate(YEAR)

    options: Any = {
        "mode": "2026-07-28",
        "elicitation_callback": answer,
        "extensions": [advertise(EXTENSION)] if tasks else [],
    }
    if stdio:
        arguments = ["mcp", "--url", programs.up.url, "--api-key", programs.up.api_key]
        async with Client(StdioServerParameters(command=ECHOMIND, args=arguments), **options) as client:
            yield client
        return
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {programs.up.api_key}"}, timeout=60) as http,
        Client(streamable_http_client(f"{programs.up.url}/mcp", http_client=http), **options) as client,
    ):
        yield client


def _call(programs: Programs, **state: Any) -> CallToolRequest:
    arguments = {"question": "How many days?", "assistant": programs.model}
    return CallToolRequest(params=CallToolRequestParams(name="ask", arguments=arguments, **state))


async def _state(client: Client, task_id: str) -> _State:
    """Returns the state of a task as soon as it does not work."""
    async with asyncio.timeout(60):
        while True:
            get = GetTask(params=TaskParams(task_id=task_id))
            state = await client.session.send_request(get, _State)
            if state.status != "working":
                return state
            await asyncio.sleep(0.1)


async def test_a_person_is_asked_and_the_answer_follows(programs: Programs) -> None:
    programs.server.script([ASKS, Text("Thirty.")])
    asked: list[str] = []
    async with _client(programs, asked=asked) as client:
        result = await client.call_tool("ask", {"question": "How many days?", "assistant": programs.model})
    assert asked == ["Which year?\n\nSuggested: 2024, 2025"]
    assert result.structured_content is not None
    assert result.structured_content["answer"] == "Thirty."
    assert "2025" in str(programs.server.requests[-1]["messages"][-1]["content"])


async def test_an_approval_in_a_sub_agent_ends_the_call(
    up: Up, http: aiohttp.ClientSession, model_server: ModelServer
) -> None:
    config = {"tools": ["spawn_sub_agent", "calculator"], "approvalTools": ["calculator"], "askClarifications": True}
    async with scripted_programs(up, http, model_server, "For Approvals", config=config) as programs:
        programs.server.script([Tools([sub_agent("Add.")]), Tools([("calculator", {"expression": "1 + 2"})])])
        async with _client(programs) as client, asyncio.timeout(60):
            result = await client.call_tool("ask", {"question": "How many days?", "assistant": programs.model})
    assert result.is_error
    assert "The run waits for a person, in EchoMind: " in str(result.content)
    # It would stay in the owner's inbox.
    async with http.get("/api/v1/runs", params={"pageSize": "1"}, raise_for_status=True) as response:
        (run,) = (await response.json())["runs"]
    async with http.post(f"/api/v1/runs/{run['id']}:cancel", json={}) as response:
        assert response.status == 200, await response.text()


async def test_the_state_of_a_question_is_sealed_and_outlives_the_process(programs: Programs) -> None:
    programs.server.script([ASKS, Text("Thirty.")])
    async with _client(programs) as client:
        first = await client.session.send_request(_call(programs), CALL_ANSWER)
    assert isinstance(first, InputRequiredResult)
    assert first.request_state
    assert first.input_requests
    (key,) = first.input_requests
    responses = {key: ElicitResult.model_validate(YEAR)}
    programs.kill("echomind-api")
    await programs.is_back()
    async with _client(programs) as client:
        middle = len(first.request_state) // 2
        other = "A" if first.request_state[middle] != "A" else "B"
        forged = first.request_state[:middle] + other + first.request_state[middle + 1 :]
        with pytest.raises(MCPError, match="requestState"):
            await client.session.send_request(
                _call(programs, input_responses=responses, request_state=forged), CALL_ANSWER
            )
        last = await client.session.send_request(
            _call(programs, input_responses=responses, request_state=first.request_state), CALL_ANSWER
        )
    assert isinstance(last, CallToolResult)
    assert last.structured_content is not None
    assert last.structured_content["answer"] == "Thirty."


@pytest.mark.parametrize("stdio", [False, True])
async def test_a_task_asks_and_goes_on_with_the_answer(programs: Programs, stdio: bool) -> None:
    programs.server.script([ASKS, Text("Thirty.")])
    async with _client(programs, tasks=True, stdio=stdio) as client:
        task = await client.session.send_request(_call(programs), CALL_ANSWER)
        assert isinstance(task, TaskCreated)
        state = await _state(client, task.task_id)
        assert state.status == "input_required"
        assert state.input_requests is not None
        ((key, request),) = state.input_requests.items()
        assert request["method"] == "elicitation/create"
        for given in ({"other": YEAR}, {key: YEAR}, {key: YEAR}):  # what is not asked, or no longer, changes nothing
            update = _Update(params=_UpdateParams(task_id=task.task_id, input_responses=given))
            await client.session.send_request(update, EmptyResult)
        state = await _state(client, task.task_id)
    assert state.status == "completed"
    assert state.result is not None
    assert state.result["structuredContent"]["answer"] == "Thirty."


async def test_a_task_survives_the_death_of_the_gateway(programs: Programs) -> None:
    answer = " ".join(f"word{number}" for number in range(60))
    programs.server.script([Text(answer, delay_ms=20)])
    async with _client(programs, tasks=True) as client:
        task = await client.session.send_request(_call(programs), CALL_ANSWER)
        assert isinstance(task, TaskCreated)
        programs.kill("echomind-api")
    await programs.is_back()
    async with _client(programs, tasks=True) as client:
        state = await _state(client, task.task_id)
    assert state.result is not None
    assert state.result["structuredContent"]["answer"] == answer
