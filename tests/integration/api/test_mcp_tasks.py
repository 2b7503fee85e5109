"""Tasks of the MCP server's tool `ask`: who may read, cancel and update them, by the protocol's own client."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from mcp import Client as McpClient
from mcp.client import advertise
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolRequest, CallToolRequestParams, ElicitResult, EmptyResult

from echomind_agent.mcp.tasks import (
    EXTENSION,
    CancelTask,
    GetTask,
    TaskCreated,
    TaskParams,
    TaskState,
    UpdateParams,
    UpdateTask,
)
from tests.drivers.client import Client
from tests.factories.permissions.rows import FORBIDDEN, HIDDEN, OK, ROLES, SESSIONS_READ
from tests.factories.world import World, name


@asynccontextmanager
async def program(somebody: Client) -> AsyncIterator[McpClient]:
    """The client of somebody, which knows tasks."""
    headers = {"Authorization": f"Bearer {somebody.key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        McpClient(
            streamable_http_client(f"{somebody.http_url}/mcp", http_client=http),
            mode="2026-07-28",
            extensions=[advertise(EXTENSION)],
        ) as client,
    ):
        yield client


async def state(client: McpClient, task: str) -> TaskState:
    return await client.session.send_request(GetTask(params=TaskParams(task_id=task)), TaskState)


async def cancel(client: McpClient, task: str) -> None:
    await client.session.send_request(CancelTask(params=TaskParams(task_id=task)), EmptyResult)


async def update(client: McpClient, task: str) -> None:
    params = UpdateParams(task_id=task, input_responses={"x": ElicitResult(action="decline")})
    await client.session.send_request(UpdateTask(params=params), EmptyResult)


async def outcomes(client: McpClient, task: str) -> list[str]:
    """Returns the outcomes of reading, of answering and of cancelling a task."""
    found = []
    for ask in (state, update, cancel):
        try:
            await ask(client, task)
            found.append(OK)
        except MCPError as error:
            found.append(HIDDEN if error.message == f"There is no task {task!r}." else FORBIDDEN)
    return found


@pytest.mark.parametrize("ownership", SESSIONS_READ)
async def test_who_may(world: World, ownership: str) -> None:
    """As the runs that the tasks are."""
    for role, expected in zip(ROLES, SESSIONS_READ[ownership], strict=True):
        somebody = world.people[role]
        run = await world.run(ownership, somebody)
        async with program(somebody) as client:
            assert await outcomes(client, run) == [expected] * 3, role
        status = await world.pool.fetchval("SELECT status FROM runs WHERE id = $1", UUID(run))
        assert status == ("cancelled" if expected == OK else "queued"), role


async def test_a_running_task_is_cancelled_by_its_worker(world: World) -> None:
    somebody = world.people["user"]
    run = await world.run("own", somebody)
    await world.pool.execute("UPDATE runs SET status = 'running' WHERE id = $1", UUID(run))
    async with program(somebody) as client:
        await cancel(client, run)
        assert (await state(client, run)).status == "working"
        request = await world.pool.fetchval("SELECT control_requested FROM runs WHERE id = $1", UUID(run))
        assert request == "cancel"
        await world.pool.execute("UPDATE runs SET status = 'cancelled', completed_at = now() WHERE id = $1", UUID(run))
        assert (await state(client, run)).status == "cancelled"
        await cancel(client, run)  # once more changes nothing


@pytest.mark.parametrize("times", [1, 2])
async def test_a_notification_stops_the_question_of_its_program(world: World, times: int) -> None:
    """By programs of older versions, whose notification is a request of its own; of two that match, none is stopped."""
    somebody = world.people["user"]
    agent = f"desk/{name()}"
    ask = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "ask", "arguments": {"question": "Why?"}}}
    stop = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7, "reason": "stop"}}
    runs_of = "SELECT id, status FROM runs WHERE user_id = $1 AND request_id LIKE 'mcp-%' AND NOT id = ANY($2)"
    before = [row["id"] for row in await world.pool.fetch(runs_of, somebody.user_id, [])]

    async def states() -> list[str]:
        return [row["status"] for row in await world.pool.fetch(runs_of, somebody.user_id, before)]

    async def post(who: Client, program: str, message: dict[str, Any]) -> httpx2.Response:
        headers = {"User-Agent": program, "Accept": "text/event-stream, application/json"}
        headers |= {"Authorization": f"Bearer {who.key}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            return await http.post(f"{somebody.http_url}/mcp", json=message)

    async with asyncio.TaskGroup() as tasks:
        asked = [tasks.create_task(post(somebody, agent, ask | {"id": 7})) for _ in range(times)]
        async with asyncio.timeout(60):
            while len(await states()) < times:  # noqa: ASYNC110 - nobody is told
                await asyncio.sleep(0.02)
        for who, program in ((world.people["admin"], agent), (somebody, "another")):
            assert (await post(who, program, stop)).status_code == 202
        assert await states() == ["queued"] * times
        assert (await post(somebody, agent, stop)).status_code == 202
        assert await states() == (["cancelled"] if times == 1 else ["queued"] * 2)
        if times == 1:
            assert "cancelled" in (await asked[0]).text
        for each in asked:
            each.cancel()
    ended = "UPDATE runs SET status = 'cancelled', completed_at = now() WHERE user_id = $1 AND status = 'queued'"
    await world.pool.execute(ended, somebody.user_id)


async def test_a_question_has_its_key(world: World) -> None:
    somebody = world.people["user"]
    made = await somebody.call("ApiKeyService/CreateApiKey", {"name": name()})
    async with program(somebody.as_(made["secret"], somebody.user_id)) as client:
        call = CallToolRequest(params=CallToolRequestParams(name="ask", arguments={"question": "x"}))
        task = await client.session.send_request(call, TaskCreated)
        found = await world.pool.fetchval("SELECT api_key_id FROM runs WHERE id = $1", UUID(task.task_id))
        assert found == made["apiKey"]["id"]


async def test_a_removed_task_is_not_there(world: World) -> None:
    somebody = world.people["user"]
    run = await world.run("own", somebody)
    session = await world.pool.fetchval("SELECT chat_session_id FROM runs WHERE id = $1", UUID(run))
    async with program(somebody) as client:
        assert (await state(client, run)).status == "working"
        await somebody.call("ChatSessionService/DeleteChatSession", {"id": session})
        assert await outcomes(client, run) == [HIDDEN] * 3
        assert await outcomes(client, str(uuid4())) == [HIDDEN] * 3


async def test_a_key_reads_and_cancels_within_its_scopes_and_limits(world: World) -> None:
    somebody = world.people["user"]
    run = await world.run("own", somebody)
    async with program(await world.with_scope(somebody, "read")) as client:
        assert await outcomes(client, run) == [OK, FORBIDDEN, FORBIDDEN]
    connector = await world.connector("own", somebody)
    made = await somebody.call("ApiKeyService/CreateApiKey", {"name": name(), "connectorIds": [connector]})
    async with program(somebody.as_(made["secret"], somebody.user_id)) as client:
        assert await outcomes(client, run) == [HIDDEN] * 3


async def test_a_task_says_that_a_sub_run_waits_for_an_approval(world: World) -> None:
    somebody = world.people["user"]
    run, child = await world.run("own", somebody), await world.run("own", somebody)
    await world.pool.execute("UPDATE runs SET status = 'waiting_for_children' WHERE id = $1", UUID(run))
    pending = {"kind": "PENDING_INPUT_KIND_APPROVAL", "question": "Delete?", "toolCalls": [{"toolCallId": "c"}]}
    await world.pool.execute(
        "UPDATE runs SET status = 'waiting_for_input', kind = 'sub_agent', depth = 1, pending_input = $3,"
        " parent_run_id = $2, chat_session_id = (SELECT chat_session_id FROM runs WHERE id = $2) WHERE id = $1",
        UUID(child),
        UUID(run),
        pending,
    )
    async with program(somebody) as client:
        found = await state(client, run)
        assert (found.status, found.status_message) == ("working", "Waiting for a person, in EchoMind")
        assert not found.input_requests


async def test_only_who_may_manage_a_run_answers_what_it_asks(world: World) -> None:
    """Somebody else who reads it, as a share or an audit allows, gives no answer in their place."""
    somebody = world.people["user"]
    run = await world.run("own", somebody)
    pending = {"kind": "PENDING_INPUT_KIND_CLARIFICATION", "question": "Which?", "toolCalls": [{"toolCallId": "c"}]}
    await world.pool.execute(
        "UPDATE runs SET status = 'waiting_for_input', pending_input = $2 WHERE id = $1", UUID(run), pending
    )
    await world.pool.execute(
        "WITH step AS (INSERT INTO steps (run_id, step_number, status) VALUES ($1, 1, 'running') RETURNING id)"
        " INSERT INTO tool_calls (step_id, tool_call_id, tool_name, status, started_at)"
        " SELECT id, 'c', 'ask_user', 'running', now() FROM step",
        UUID(run),
    )
    async with program(somebody) as client:
        asked = (await state(client, run)).input_requests or {}
        (key,) = asked
        params = UpdateParams(
            task_id=run, input_responses={key: ElicitResult(action="accept", content={"answer": "Blue."})}
        )
        async with program(await world.with_scope(somebody, "read")) as reader:
            with pytest.raises(MCPError):
                await reader.session.send_request(UpdateTask(params=params), EmptyResult)
        async with program(world.people["admin"]) as stranger:
            with pytest.raises(MCPError, match="no task"):
                await stranger.session.send_request(UpdateTask(params=params), EmptyResult)
        assert (await state(client, run)).status == "input_required"
        wrong = UpdateParams(task_id=run, input_responses={key: ElicitResult(action="accept", content={"other": "x"})})
        with pytest.raises(MCPError, match="needs the text 'answer'"):
            await client.session.send_request(UpdateTask(params=wrong), EmptyResult)
        await client.session.send_request(UpdateTask(params=params), EmptyResult)
        assert (await state(client, run)).status == "working"
    result = "SELECT result FROM tool_calls WHERE step_id = (SELECT id FROM steps WHERE run_id = $1)"
    assert await world.pool.fetchval(result, UUID(run)) == "Blue."
