"""An agent that freezes for longer than its lease, and wakes up when another one has its run: it changes nothing."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

from echomind_lib.messaging import RUNS_REQUESTED, Bus
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import RunRequested
from echomind_lib.pb.echomind.public.v1 import run_pb2
from tests.drivers.installation import PATIENCE_SECONDS, AgentProcess, Installation
from tests.drivers.mcp_server import served
from tests.drivers.model_server import Json, Text, Tools, Turn
from tests.drivers.readers import TRANSPORTS, Reader, Transport, open_stream
from tests.drivers.servers import running

ANSWER = " ".join(f"wörd{number}" for number in range(120))
_ROWS = {
    "runs": "SELECT * FROM runs WHERE chat_session_id = $1 ORDER BY id",
    "messages": "SELECT * FROM chat_messages WHERE chat_session_id = $1 ORDER BY id",
    "steps": "SELECT steps.* FROM steps JOIN runs ON runs.id = run_id WHERE chat_session_id = $1 ORDER BY steps.id",
    "calls": "SELECT tool_calls.* FROM tool_calls JOIN steps ON steps.id = step_id JOIN runs ON runs.id = run_id "
    "WHERE chat_session_id = $1 ORDER BY tool_calls.id",
    "events": "SELECT * FROM run_events WHERE chat_session_id = $1 ORDER BY id",
    "checkpoints": "SELECT * FROM checkpoints WHERE chat_session_id = $1 ORDER BY id",
}
_WORKERS_PORT = """
SELECT client_port FROM pg_stat_activity JOIN pg_locks USING (pid) JOIN runs ON runs.id = $1
WHERE locktype = 'advisory' AND (classid::bigint << 32 | objid::bigint) = hashtextextended(runs.worker_id::text, 0)
"""


class Frozen:
    """A run that is in the hands of an agent which is stopped and resumed."""

    def __init__(self, installation: Installation, bus: Bus, run: dict[str, Any]) -> None:
        self._installation, self._bus = installation, bus
        self.run_id, self.session_id = run["id"], int(run["chatSessionId"])
        self._process: psutil.Process | None = None

    async def freeze(self) -> None:
        """Stops the agent that has the run: the one whose connection holds the lock of the run's worker."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while (port := await self._installation.pool.fetchval(_WORKERS_PORT, self.run_id)) is None:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                if any(connection.laddr.port == port for connection in process.net_connections("tcp")):
                    process.send_signal(signal.SIGSTOP)
                    self._process = process
                    return
        raise AssertionError("no agent has the connection of the run's worker")

    async def is_taken_over(self) -> None:
        """Lets the frozen agent's lease end, and waits until another one has the run."""
        await self._installation.pool.execute(
            "UPDATE workers SET heartbeat_at = now() - interval '1 minute' "
            "WHERE id = (SELECT worker_id FROM runs WHERE id = $1)",
            self.run_id,
        )
        async with asyncio.timeout(PATIENCE_SECONDS):
            while await self._installation.pool.fetchval("SELECT attempt FROM runs WHERE id = $1", self.run_id) == 1:
                await self._bus.publish(RUNS_REQUESTED, RunRequested(run_id=self.run_id))
                await asyncio.sleep(0.2)

    def thaw(self) -> None:
        """Resumes it."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    async def has_given_up(self) -> None:
        """Waits until the agent that was frozen has found out that the run is not its own."""
        assert self._process is not None
        (log,) = {Path(file.path) for file in self._process.open_files() if file.path.endswith("agent.log")}
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not any("run lost" in line and self.run_id in line for line in log.read_text().splitlines()):  # noqa: ASYNC110
                await asyncio.sleep(0.02)

    async def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Returns all that is stored of the session."""
        found = {}
        for name, statement in _ROWS.items():
            found[name] = [dict(row) for row in await self._installation.pool.fetch(statement, self.session_id)]
        return found


class Watchers:
    """Readers of a session over all transports, at both replicas."""

    def __init__(self, installation: Installation, session_id: int) -> None:
        self._installation, self._session_id = installation, session_id
        self.readers: list[Reader] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def add(self, after: Reader | None = None) -> list[Reader]:
        """Returns a reader on each transport; from the beginning, or with what another one has."""
        new = []
        for number, transport in enumerate(TRANSPORTS):
            reader = Reader(list(after.events), _over=set(after._over)) if after else Reader()
            connected = asyncio.Event()
            self._tasks.append(asyncio.create_task(self._read(reader, transport, number % 2, connected)))
            await connected.wait()
            new.append(reader)
        self.readers += new
        return new

    async def _read(self, reader: Reader, transport: Transport, replica: int, connected: asyncio.Event) -> None:
        address = self._installation.address(replica)
        async with open_stream(transport, address, self._session_id, reader.last_id) as events:
            connected.set()
            await reader.follow(events)

    async def close(self) -> None:
        """Leaves; a reader that found the protocol broken says so here."""
        for task in self._tasks:
            if task.done():
                task.result()
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@asynccontextmanager
async def asked(installation: Installation, folder: Path, question: Json) -> AsyncIterator[tuple[Frozen, Watchers]]:
    """A question in an installation with two agents, watched from its beginning."""
    async with AsyncExitStack() as stack:
        stack.enter_context(running(AgentProcess(installation.settings), folder))
        bus = await Bus.connect(installation.settings.nats.url.get_secret_value(), "test")
        stack.push_async_callback(bus.close)
        sent = await installation.owner.call("ChatMessageService/SendMessage", question)
        frozen = Frozen(installation, bus, sent["run"])
        watchers = Watchers(installation, frozen.session_id)
        await watchers.add()
        try:
            yield frozen, watchers
        finally:
            with suppress(AssertionError, psutil.Error):
                frozen.thaw()
            await watchers.close()


async def ended_as_stored(installation: Installation, frozen: Frozen, watchers: Watchers, answer: str) -> None:
    """All readers have what is stored, once and in order."""
    rows = await frozen.rows()
    (run,) = rows["runs"]
    assert (run["status"], run["attempt"]) == ("completed", 2)
    assert [message["content"] for message in rows["messages"]][1:] == [answer]
    assert sum(event["kind"] == "final" for event in rows["events"]) == 1
    for reader in watchers.readers:
        await reader.until(lambda reader=reader: reader.last_id == rows["events"][-1]["id"])
        assert reader.ids == [event["id"] for event in rows["events"]]
        (final,) = reader.finals().values()
        assert (final.status, final.message.content) == (run_pb2.RUN_STATUS_COMPLETED, answer)


@pytest.mark.parametrize("wakes", ["while the other writes", "after the other has ended"])
async def test_an_agent_that_freezes_in_mid_answer(installation: Installation, tmp_path: Path, wakes: str) -> None:
    model = installation.model
    respond = model._respond
    model.respond(lambda body: Text(ANSWER, delay_ms=20))
    try:
        async with asked(installation, tmp_path, {"content": "Go"}) as (frozen, watchers):
            first = watchers.readers[0]
            await first.until(lambda: first.text.length > 80)
            await frozen.freeze()
            await frozen.is_taken_over()
            if wakes == "while the other writes":
                await first.until(lambda: first.text.attempt == 2)
                frozen.thaw()
                await watchers.add()
                await frozen.has_given_up()
                await installation.ended(frozen.run_id)
            else:
                await installation.ended(frozen.run_id)
                await first.until(first.finals)
                await watchers.add()
                await watchers.add(first)
                before = await frozen.rows()
                frozen.thaw()
                await frozen.has_given_up()
                assert await frozen.rows() == before
            await ended_as_stored(installation, frozen, watchers, ANSWER)
    finally:
        model.respond(respond)


@pytest.mark.parametrize("effect", ["reads", "changes something"])
async def test_an_agent_that_freezes_in_mid_tool(installation: Installation, tmp_path: Path, effect: str) -> None:
    calls = 0
    called, go = asyncio.Event(), asyncio.Event()
    server = MCPServer("test", log_level="CRITICAL")

    @server.tool(structured_output=False, annotations=ToolAnnotations(read_only_hint=effect == "reads"))
    async def hold() -> str:
        nonlocal calls
        calls += 1
        number = calls
        called.set()
        await go.wait()
        return f"result {number}"

    def respond(body: Json) -> Turn:
        return Text("Held.") if body["messages"][-1]["role"] == "tool" else Tools([("test__hold", {})], text="Wait.")

    model = installation.model
    before_test = model._respond
    model.respond(respond)
    answer = "Wait.\n\nHeld."
    try:
        async with served(server=server) as url:
            config = {
                "mcpServers": [
                    {
                        "name": "test",
                        "transport": "MCP_TRANSPORT_STREAMABLE_HTTP",
                        "url": url,
                        "allowedTools": ["*"],
                        "trustReadOnlyHints": True,
                        "trustedDestination": True,
                    }
                ]
            }
            assistant = {"name": f"Holds, {effect}", "isVisible": True, "config": config}
            made = await installation.owner.call("AssistantService/CreateAssistant", {"assistant": assistant})
            question = {"content": "Go", "assistantId": made["id"]}
            async with asked(installation, tmp_path, question) as (frozen, watchers):
                async with asyncio.timeout(PATIENCE_SECONDS):
                    await called.wait()
                await frozen.freeze()
                go.set()  # the frozen worker's result is sent
                await frozen.is_taken_over()
                if effect == "changes something":
                    first = watchers.readers[0]
                    await first.until(lambda: any(event.HasField("input_requested") for event in first.events))
                    before = await frozen.rows()
                    frozen.thaw()
                    await frozen.has_given_up()
                    assert await frozen.rows() == before
                    given = {"id": frozen.run_id, "content": "It did happen."}
                    await installation.owner.call("RunService/ProvideInput", given)
                await installation.ended(frozen.run_id)
                if effect == "reads":
                    before = await frozen.rows()
                    frozen.thaw()
                    await frozen.has_given_up()
                    assert await frozen.rows() == before
                rows = await frozen.rows()
                (call,) = rows["calls"]
                if effect == "reads":
                    assert (calls, call["status"]) == (2, "completed")
                    assert "result 2" in call["result"]
                else:
                    assert (calls, call["status"]) == (1, "failed")
                    assert "It did happen." in call["error_message"]
                (run,) = rows["runs"]
                assert run["status"] == "completed"
                assert rows["messages"][1]["content"] == answer
                for reader in watchers.readers:
                    await reader.until(lambda reader=reader: reader.last_id == rows["events"][-1]["id"])
                    assert reader.ids == [event["id"] for event in rows["events"]]
    finally:
        model.respond(before_test)
