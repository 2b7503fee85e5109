"""Killing what EchoMind is made of while runs are in every state that a run can be in: nothing is lost or doubled.

Each story is a run whose end is known. A client watches it from the beginning as the contract says, connects again when
its connection breaks, and does what the run asks a person for. In the end everything stored is looked at: each message,
step, call, sub-agent, todo, citation and event is there once, and what the client has is what is stored.

`ECHOMIND_CHAOS_RUNS=20 pytest tests/e2e/test_chaos.py` adds so many rounds of random faults at random moments;
`ECHOMIND_CHAOS_SEED` repeats one.
"""

import asyncio
import os
import random
import re
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import grpc
import psutil
import pytest
import pytest_asyncio
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations
from websockets.exceptions import WebSocketException

from echomind.local.parts_file import read_parts
from echomind_lib.errors import EchoMindError
from echomind_lib.pb.echomind.public.v1 import run_pb2, step_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from tests.drivers.disk import fill, small_disk
from tests.drivers.mcp_server import served
from tests.drivers.model_server import Json, ModelServer, Text, Tools, Turn
from tests.drivers.readers import TRANSPORTS, Address, ClosedError, Reader, open_stream
from tests.drivers.up import Up, start_up, stop_up, wait_ready

RUNS = int(os.environ.get("ECHOMIND_CHAOS_RUNS", "0"))
SEED = int(os.environ.get("ECHOMIND_CHAOS_SEED", "0")) or random.SystemRandom().randrange(1, 10**9)
RECOVERY_SECONDS = 30.0
_PATIENCE = 100.0
DISK_MB = 1200
NOTE = "The printer on the third floor takes cards with a blue stripe only."
LONG = " ".join([f"{NOTE[:-1]} [1].", *(f"wörd{number}" for number in range(180))])
PLAN = [{"number": 1, "title": "Part A"}, {"number": 2, "title": "Part B", "depends_on": [1]}]
LOST = (
    aiohttp.ClientError,
    grpc.aio.AioRpcError,
    EchoMindError,
    ClosedError,
    WebSocketException,
    OSError,
    TimeoutError,
    EOFError,
)
"""What a client gets from a gateway that goes, or that misses something it needs: it connects again."""
# How to tell a part's process by the words of its command line.
PROGRAMS: dict[str, Callable[[list[str]], bool]] = {
    "agent": lambda words: "echomind-agent" in words[:2],
    "api": lambda words: "echomind-api" in words[:2],
    "nats": lambda words: "nats-server" in words[:2],
    "postgres": lambda words: "postgres" in words[:2],
    "ingestor": lambda words: "echomind-ingestor" in words[:2] and words[-1] != "embed",
    "embedding": lambda words: "echomind-ingestor" in words[:2] and words[-1] == "embed",
    "qdrant": lambda words: "echomind.local.embedded.qdrant_server" in words[:4],
    "s3": lambda words: "echomind.local.embedded.s3_server" in words[:4],
}

pytestmark = pytest.mark.timeout(300)


# -- the stories -----------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Kind:
    """A kind of story: what the model says step by step, and what is left in the end."""

    turns: Callable[[str], list[Turn]]
    content: str
    options: Json = field(default_factory=dict)
    calls: tuple[str, ...] = ()
    """Tools of the root's calls, in order."""
    children: int = 0


KINDS = {
    "stream": Kind(
        lambda key: [Tools([("search_documents", {"query": "printer third floor cards"})]), Text(LONG, delay_ms=12)],
        LONG,
        calls=("search_documents",),
    ),
    "tool": Kind(
        lambda key: [Tools([("test__hold", {"key": key})], text="Looking."), Text("Held.")],
        "Looking.\n\nHeld.",
        calls=("test__hold",),
    ),
    "ask": Kind(
        lambda key: [Tools([("ask_user", {"question": "Which year?"})]), Text("In that year.")],
        "In that year.",
        options={"askClarifications": True},
        calls=("ask_user",),
    ),
    "order": Kind(
        lambda key: [Tools([("test__record", {"key": key})], text="I will."), Text("Recorded.")],
        "I will.\n\nRecorded.",
        calls=("test__record",),
    ),
    "tree": Kind(
        lambda key: [
            Tools([("write_todos", {"todos": PLAN})]),
            Tools(
                [("spawn_sub_agent", {"goal": f"held {key}A"}), ("spawn_sub_agent", {"goal": f"quick {key}B"})],
                text="In parts.",
            ),
            Tools([("update_todo", {"number": 1, "status": "completed", "result": "A"})]),
            Tools([("update_todo", {"number": 2, "status": "completed", "result": "B"})]),
            Text("Both parts."),
        ],
        "In parts.\n\nBoth parts.",
        options={"autoRun": True},
        calls=("write_todos", "spawn_sub_agent", "spawn_sub_agent", "update_todo", "update_todo"),
        children=2,
    ),
    "held": Kind(lambda key: [Tools([("test__hold", {"key": key})]), Text("Part A.")], ""),
    "quick": Kind(lambda key: [Text("At once.")], "At once."),
}


def respond(body: Json) -> Turn:
    """What the model says: nothing but the conversation decides, so that a repetition gives the same."""
    places = [place for place, message in enumerate(body["messages"]) if message["role"] == "user"]
    content = body["messages"][places[-1]]["content"]
    text = content if isinstance(content, str) else content[0]["text"]
    found = re.findall(rf"\b({'|'.join(KINDS)}) (\w+)", text)
    kind, key = found[-1]
    turns = KINDS[kind].turns(key)
    step: int = sum(message["role"] == "assistant" for message in body["messages"][places[-1] :])
    return turns[step]


class Workbench:
    """Tools beside EchoMind that count how often they were used, and hold a call as long as the test wants."""

    def __init__(self) -> None:
        self.held: Counter[str] = Counter()
        self.recorded: Counter[str] = Counter()
        self.gates: dict[str, asyncio.Event] = {}
        self.changed = asyncio.Condition()

    def gate(self, key: str) -> asyncio.Event:
        """What calls and answers of a story wait for."""
        return self.gates.setdefault(key.rstrip("AB"), asyncio.Event())

    def server(self) -> MCPServer:
        server = MCPServer("test", log_level="CRITICAL")

        @server.tool(structured_output=False, annotations=ToolAnnotations(read_only_hint=True))
        async def hold(key: str) -> str:
            self.held[key] += 1
            async with self.changed:
                self.changed.notify_all()
            await self.gate(key).wait()
            return f"held {key}"

        @server.tool(structured_output=False)
        async def record(key: str) -> str:
            self.recorded[key] += 1
            return f"recorded {key}"

        return server


# -- the product and its parts ---------------------------------------------------------------------------------------
@dataclass
class Stage:
    """A running product, the model and the tools that it uses, and a client."""

    up: Up
    model: ModelServer
    bench: Workbench
    http: aiohttp.ClientSession
    assistant_id: int
    numbers: Iterator[int]
    document: "asyncio.Task[object] | None" = None
    """Done when the document is there to be found."""
    disk: Path | None = None
    """A small disk with the data folder on it, unless this system permits no mount."""

    @property
    def address(self) -> Address:
        return Address(self.up.url, f"127.0.0.1:{self.up.grpc_port}", self.up.api_key)

    async def call(self, method: str, path: str, body: Json | None = None) -> Json:
        """Calls the API, again while the gateway is away or the disk is full. A refusal ends the test.

        Raises:
            RefusedError: The gateway said no.
        """
        async with asyncio.timeout(_PATIENCE):
            while True:
                with suppress(aiohttp.ClientError, OSError):
                    async with self.http.request(method, f"/api/v1/{path}", json=body) as response:
                        answer: Json = await response.json()
                        if response.status == 200:
                            return answer
                        if response.status < 500 and response.status != 429:
                            raise RefusedError(answer)
                await asyncio.sleep(0.05)

    async def status(self, method: str, path: str, body: Json | None = None) -> tuple[int, Json]:
        """Calls the API once; its status and what it answers."""
        async with self.http.request(method, path, json=body) as response:
            return response.status, await response.json()

    async def is_ready(self) -> None:
        """Waits until everything answers that the gateway needs."""
        async with asyncio.timeout(_PATIENCE):
            while True:
                with suppress(aiohttp.ClientError, OSError):
                    if (await self.status("GET", "/readyz"))[0] == 200:
                        return
                await asyncio.sleep(0.1)

    def processes(self, name: str) -> list[psutil.Process]:
        """The processes of a part, of which there are two agents."""
        found = []
        for process in psutil.Process(self.up.process.pid).children():
            with suppress(psutil.Error):
                if PROGRAMS[name]([Path(word).name for word in process.cmdline()]):
                    found.append(process)
        return found

    def kill(self, name: str, *, every: bool = True) -> None:
        """Kills a part, without a word."""
        found = self.processes(name)
        assert found, f"no {name} runs"
        for process in found if every else found[:1]:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGKILL)


class RefusedError(Exception):
    """The API refused a call."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    """The product with two agents, an assistant with all that runs do, and a document."""
    folder = tmp_path_factory.mktemp("chaos")
    async with AsyncExitStack() as stack:
        disk = stack.enter_context(small_disk(folder / "disk", DISK_MB))
        settings = {"ECHOMIND_AGENT__RUNS_PER_PERSON": "10000"}
        up = start_up((disk or folder) / "data", "--agents", "2", settings=settings)
        stack.callback(stop_up, up)
        await asyncio.to_thread(wait_ready, up)
        model = await stack.enter_async_context(ModelServer())
        model.respond(respond)
        bench = Workbench()
        url = await stack.enter_async_context(served(server=bench.server()))
        headers = {"Authorization": f"Bearer {up.api_key}"}
        http = await stack.enter_async_context(
            aiohttp.ClientSession(up.url, headers=headers, timeout=aiohttp.ClientTimeout(total=10))
        )
        made = Stage(up, model, bench, http, 0, iter(range(1, 10**6)), disk=disk)
        llm = {"name": "Scripted", "provider": "LLM_PROVIDER_OPENAI", "modelId": "m", "endpoint": model.url}
        llm_id = (await made.call("POST", "llms", llm | {"apiKey": "none"}))["id"]
        server: Json = {"name": "test", "transport": "MCP_TRANSPORT_STREAMABLE_HTTP", "url": url}
        server |= {"allowedTools": ["*"], "timeoutSeconds": 300, "trustReadOnlyHints": True, "trustedDestination": True}
        config = {"mcpServers": [server], "approvalTools": ["test__record"]}
        assistant = {"name": "Chaos", "llmId": llm_id, "isVisible": True, "config": config}
        made.assistant_id = (await made.call("POST", "assistants", assistant))["id"]
        (folder / "printers.txt").write_text(NOTE)
        made.document = asyncio.create_task(asyncio.to_thread(up.run, "ingest", str(folder / "printers.txt"), "--wait"))
        yield made


# -- a client --------------------------------------------------------------------------------------------------------
class Story:
    """One run and the client that watches it to its end."""

    def __init__(self, stage: Stage, kind: str, *, held: bool = False) -> None:
        self.kind, self.key = KINDS[kind], f"k{next(stage.numbers)}"
        self._stage, self._name = stage, kind
        self.reader = Reader()
        self.run_id, self.session_id = "", 0
        self.unknown = False
        """Whether it was asked how a call with a side effect went."""
        self._transports = random.Random(self.key)
        if not held:
            stage.bench.gate(self.key).set()
        self.task = asyncio.create_task(self._play())
        self.taken_over_at = self.ended_at = 0.0

    def __str__(self) -> str:
        return f"{self._name} {self.key}, run {self.run_id}"

    async def _play(self) -> None:
        if self._name == "stream":
            assert self._stage.document is not None
            await asyncio.shield(self._stage.document)
        sent = await self._stage.call(
            "POST",
            "chat-sessions/-/messages",
            {
                "content": f"{self._name} {self.key}",
                "assistantId": self._stage.assistant_id,
                # A gateway that dies before it has answered may have stored the question.
                "requestId": f"chaos-{self.key}",
                "options": self.kind.options,
            },
        )
        self.run_id, self.session_id = sent["run"]["id"], int(sent["run"]["chatSessionId"])
        async with asyncio.TaskGroup() as tasks:
            helping = tasks.create_task(self._help())
            while not self._final():
                with suppress(*LOST):
                    await self._read()
                await asyncio.sleep(0.05)
            self.ended_at = time.monotonic()
            helping.cancel()

    async def _read(self) -> None:
        """One connection, over any transport, from the last event on."""
        transport = self._transports.choice(TRANSPORTS)
        self.reader.connected()
        address = self._stage.address
        async with open_stream(transport, address, self.session_id, self.reader.last_id) as events:
            async for event in events:
                await self.reader.take(event)
                if event.status.attempt > 1 and not self.taken_over_at:
                    self.taken_over_at = time.monotonic()
                if self._final():
                    return

    def _final(self) -> bool:
        return self.run_id in self.reader.finals()

    async def _help(self) -> None:
        """Does what the run asks a person for, each time that it asks."""
        done: set[int] = set()
        gate = self._stage.bench.gate(self.key)
        while True:
            async with self.reader.changed:
                await self.reader.changed.wait_for(lambda: self._asked(done))
            event = self._asked(done)
            assert event is not None
            done.add(event.id)
            await gate.wait()
            kind = event.input_requested.pending_input.kind
            self.unknown = self.unknown or kind == run_pb2.PENDING_INPUT_KIND_OUTCOME
            path, body = "provideInput", Json(content="In 2026.")
            if kind == run_pb2.PENDING_INPUT_KIND_APPROVAL:
                path, body = "approveToolCall", Json(approved=True)
            # Refused when an earlier try took effect, whose answer was lost.
            with suppress(RefusedError):
                await self._stage.call("POST", f"runs/{event.run_id}:{path}", body)

    def _asked(self, done: set[int]) -> SessionEvent | None:
        return next((one for one in self.reader.events if one.HasField("input_requested") and one.id not in done), None)

    # -- what the test waits for ---------------------------------------------------------------------------------
    async def is_under_way(self) -> None:
        """Waits until the run is in the state that its kind is about."""
        held, reader = self._stage.bench.held, self.reader
        if self._name == "stream":
            await self._until(reader.changed, lambda: reader.text.length > 150)
        elif self._name == "tool":
            await self._until(self._stage.bench.changed, lambda: held[self.key] > 0)
        elif self._name == "tree":
            await self._until(self._stage.bench.changed, lambda: held[f"{self.key}A"] > 0)
            await self._until(reader.changed, lambda: len(reader.finals()) == 1 and self._waits_for_children())
        else:
            await self._until(reader.changed, lambda: self._asked(set()) is not None)

    def _waits_for_children(self) -> bool:
        return any(
            event.status.status == run_pb2.RUN_STATUS_WAITING_FOR_CHILDREN and event.run_id == self.run_id
            for event in self.reader.events
        )

    async def _until(self, changed: asyncio.Condition, condition: Callable[[], bool]) -> None:
        async def wait() -> None:
            async with changed:
                await changed.wait_for(condition)

        await self._beside_the_client(wait())

    async def _beside_the_client(self, work: Awaitable[None]) -> None:
        """Waits for something; a client that found something wrong ends the wait."""
        waiting = asyncio.ensure_future(work)
        async with asyncio.timeout(_PATIENCE):
            await asyncio.wait({self.task, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if self.task.done() and not waiting.done():
            waiting.cancel()
            self.task.result()
            raise AssertionError(f"{self} has ended too soon: {self.reader.finals()}")
        await waiting

    async def has_ended(self) -> None:
        async with asyncio.timeout(_PATIENCE):
            await self.task

    # -- what must be so in the end --------------------------------------------------------------------------------
    async def is_whole(self) -> None:
        """Everything of the run is stored once, and the client has it."""
        final = self.reader.finals()[self.run_id]
        assert final.status == run_pb2.RUN_STATUS_COMPLETED, f"{self}: {final}"
        assert final.message.content == self.kind.content, str(self)
        question, answer = (await self._get(f"chat-sessions/{self.session_id}/messages"))["messages"]
        assert (question["role"], question["content"]) == ("MESSAGE_ROLE_USER", f"{self._name} {self.key}")
        assert (answer["content"], answer["status"]) == (self.kind.content, "MESSAGE_STATUS_COMPLETED"), str(self)
        citations = [citation["number"] for citation in answer.get("citations", [])]
        assert len(citations) == len(final.message.citations)
        if self._name == "stream":
            assert citations == [1], str(self)
        tree = (await self._get(f"runs/{self.run_id}/tree"))["runs"]
        assert [run["status"] for run in tree] == ["RUN_STATUS_COMPLETED"] * (1 + self.kind.children), str(self)
        calls = await self._steps_of(tree[0])
        assert tuple(call["toolName"] for call in calls) == self.kind.calls, str(self)
        for child in tree[1:]:
            await self._steps_of(child)
        await self._tools_were_used_once(calls)
        if self._name == "tree":
            todos = (await self._get(f"chat-sessions/{self.session_id}/todos"))["todos"]
            assert [(todo["title"], todo["status"]) for todo in todos] == [
                ("Part A", "TODO_STATUS_COMPLETED"),
                ("Part B", "TODO_STATUS_COMPLETED"),
            ]
        await self._events_are_whole({run["id"] for run in tree})

    async def _steps_of(self, run: Json) -> list[Json]:
        steps = (await self._get(f"runs/{run['id']}/steps"))["steps"]
        assert [step["stepNumber"] for step in steps] == list(range(1, run["stepsExecuted"] + 1)), str(self)
        assert {step["status"] for step in steps} == {"STEP_STATUS_COMPLETED"}, str(self)
        calls = [call for step in steps for call in step.get("toolCalls", [])]
        ids = [call["toolCallId"] for call in calls]
        assert len(set(ids)) == len(ids) == run.get("toolsCalled", 0), str(self)
        return calls

    async def _tools_were_used_once(self, calls: list[Json]) -> None:
        failed = [call["toolName"] for call in calls if call["status"] != "STEP_STATUS_COMPLETED"]
        if self._name == "order":
            # Exactly once; or a person was asked, because nobody else can know.
            assert self._stage.bench.recorded[self.key] <= 1
            assert self.unknown or (self._stage.bench.recorded[self.key] == 1 and not failed), str(self)
        else:
            assert not failed, f"{self}: {calls}"

    async def _events_are_whole(self, runs: set[str]) -> None:
        """Somebody who reads it all again gets what the client got, and each run has ended once."""
        again = Reader()
        async with open_stream("sse", self._stage.address, self.session_id) as events:
            async for event in events:
                await again.take(event)
                if event.id >= self.reader.last_id:
                    break
        assert again.ids == self.reader.ids, str(self)
        ends = Counter(event.run_id for event in again.events if event.HasField("finished"))
        assert ends == dict.fromkeys(runs, 1), str(self)
        assert self.run_id == again.events[-1].run_id, str(self)
        results = Counter(
            (event.run_id, event.tool_call.tool_call_id)
            for event in again.events
            if event.tool_call.status in (step_pb2.STEP_STATUS_COMPLETED, step_pb2.STEP_STATUS_FAILED)
        )
        assert set(results.values()) <= {1}, f"{self}: {results}"

    async def _get(self, path: str) -> Json:
        return await self._stage.call("GET", path)


class Paper:
    """A file that is stored and processed while parts die: in the end each passage is there once."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._name = f"paper-{next(stage.numbers)}.txt"
        sentences = "Paragraph {0} of {1} says that the answer is {2}. " * 12
        self.text = "\n\n".join(sentences.format(n, self._name, n * 7).strip() for n in range(400))
        self.id = 0
        self._stopped_at = ""

    async def upload(self) -> None:
        """Stores it, again while something is away."""
        async with asyncio.timeout(_PATIENCE):
            while not self.id:
                form = aiohttp.FormData()
                form.add_field("file", self.text.encode(), filename=self._name, content_type="text/plain")
                with suppress(aiohttp.ClientError, OSError):
                    async with self._stage.http.post("/api/v1/documents:upload", data=form) as response:
                        if response.status == 200:
                            self.id = int((await response.json())["documents"][0]["id"])
                            return
                await asyncio.sleep(0.1)

    async def is_under_way(self) -> None:
        """Stores it and waits until passages are being indexed."""
        await self.upload()
        row = await self._until(lambda row: "Indexing" in row.get("statusMessage", ""))
        self._stopped_at = row["statusMessage"]

    async def is_taken_up(self) -> None:
        """Waits until somebody works on it who was not at it when it was last looked at."""
        await self._until(lambda row: row.get("statusMessage", "") != self._stopped_at)

    async def has_ended(self) -> None:
        """Waits until it is processed."""
        await self._until(lambda row: row["status"] == "DOCUMENT_STATUS_COMPLETED")

    async def _until(self, condition: Callable[[Json], bool]) -> Json:
        async with asyncio.timeout(_PATIENCE):
            while True:
                row = await self._stage.call("GET", f"documents/{self.id}")
                assert row["status"] != "DOCUMENT_STATUS_FAILED", row
                if condition(row):
                    return row
                await asyncio.sleep(0.05)

    async def is_whole(self) -> None:
        """Each passage is stored once, and its text is."""
        row = await self._stage.call("GET", f"documents/{self.id}")
        found, token = [], ""
        while True:
            page = await self._stage.call("GET", f"documents/{self.id}/chunks?pageSize=100&pageToken={token}")
            found += page["chunks"]
            if not (token := page.get("nextPageToken", "")):
                break
        assert [chunk.get("position", 0) for chunk in found] == list(range(row["chunkCount"])), self._name
        assert len(found) > 100
        text = (await self._stage.call("GET", f"documents/{self.id}/text"))["text"]
        assert self.text.startswith(text) or text.strip() == self.text


# -- the tests -------------------------------------------------------------------------------------------------------
async def test_runs_in_every_state_survive_the_death_of_each_part(stage: Stage) -> None:
    held = [Story(stage, kind, held=True) for kind in ("tool", "ask", "order", "tree")]
    stories = list(held)
    for story in held:
        await story.is_under_way()
    recovery = {}
    for name in ("nats", "api", "postgres", "agent"):
        streaming = Story(stage, "stream")
        stories.append(streaming)
        await streaming.is_under_way()
        began = time.monotonic()
        stage.kill(name)
        probe = Story(stage, "quick")
        stories.append(probe)
        await streaming.has_ended()
        await probe.has_ended()
        recovery[name] = ((streaming.taken_over_at or streaming.ended_at) - began, probe.ended_at - began)
    for story in held:
        stage.bench.gate(story.key).set()
    for story in stories:
        await story.has_ended()
        await story.is_whole()
    tool, _, order, tree = held
    # What no agent lived to see the end of was done again, except what must not be.
    assert min(stage.bench.held[tool.key], stage.bench.held[f"{tree.key}A"]) > 1
    assert stage.bench.recorded[order.key] == 1
    report = "\n".join(
        f"{name}: a run in mid-stream goes on or ends after {one:.1f} s, a new one ends after {two:.1f} s"
        for name, (one, two) in recovery.items()
    )
    print(f"\nfrom the kill on\n{report}")  # noqa: T201 -- what people run it for
    assert max(max(figures) for figures in recovery.values()) < RECOVERY_SECONDS, report


async def test_documents_survive_the_death_of_each_part_that_processes_them(stage: Stage) -> None:
    papers, recovery = [], {}
    for name in ("ingestor", "embedding", "qdrant", "s3"):
        paper = Paper(stage)
        papers.append(paper)
        await paper.is_under_way()
        began = time.monotonic()
        stage.kill(name)
        if name == "ingestor":
            await paper.is_taken_up()
        else:
            await stage.is_ready()
        recovery[name] = time.monotonic() - began
        await paper.has_ended()
    for paper in papers:
        await paper.is_whole()
    report = "\n".join(f"{name}: back at work after {seconds:.1f} s" for name, seconds in recovery.items())
    print(f"\nfrom the kill on\n{report}")  # noqa: T201 -- what people run it for
    assert max(recovery.values()) < RECOVERY_SECONDS, report


async def test_full_disk_loses_nothing_and_everything_is_back_with_the_room(stage: Stage) -> None:
    if stage.disk is None:
        pytest.skip("this system permits no mount of a small disk")
    stories = [Story(stage, kind, held=True) for kind in ("tool", "ask", "order", "tree")]
    for story in stories:
        await story.is_under_way()
    paper = Paper(stage)
    await paper.is_under_way()
    ballast = stage.disk / "ballast"
    await asyncio.to_thread(fill, ballast)
    try:
        await asyncio.sleep(1)  # for so long the free space is believed to be what it was
        question = {"content": "quick k0", "assistantId": stage.assistant_id}
        for path, body in (("chat-sessions/-/messages", question), (f"documents/{paper.id}:retry", {})):
            status, answer = await stage.status("POST", f"/api/v1/{path}", body)
            assert (status, answer["error"]["reason"]) == (429, "DISK_FULL"), answer
            assert str(stage.disk) in answer["error"]["message"]
        # History is there, and searches find what they found.
        status, answer = await stage.status("GET", f"/api/v1/chat-sessions/{stories[0].session_id}/messages")
        assert (status, len(answer["messages"])) == (200, 2)
        for name in ("qdrant", "nats", "s3", "postgres", "ingestor", "embedding"):
            stage.kill(name)
        seen = await _statuses_until(stage, lambda: _most_failures(stage) > 5)
        assert seen <= {200, 429, 503}, "a full disk is no fault of the product"
        found = stage.up.json("doctor", "--data-dir", str(stage.up.data_dir), check=False)["checks"]
        assert {check["level"] for check in found if check["name"] == "Disk"} == {"failed"}
        assert any(check["name"].startswith("Part ") for check in found)
        assert stage.up.process.poll() is None
    finally:
        ballast.unlink()
    began = time.monotonic()
    await stage.is_ready()
    ready = time.monotonic() - began
    probe = Story(stage, "quick")
    await probe.has_ended()
    answered = probe.ended_at - began
    for story in stories:
        stage.bench.gate(story.key).set()
    await paper.has_ended()
    await paper.is_whole()
    for story in [*stories, probe]:
        await story.has_ended()
        await story.is_whole()
    report = f"room on the disk: everything is back after {ready:.1f} s, a question is answered after {answered:.1f} s"
    print(f"\n{report}")  # noqa: T201 -- what people run it for
    assert answered < RECOVERY_SECONDS, report


async def _statuses_until(stage: Stage, condition: Callable[[], bool]) -> set[int]:
    """Asks and reads until a condition holds; the statuses of all answers."""
    seen = set()
    async with asyncio.timeout(_PATIENCE):
        while not condition():
            for method, path in (("GET", "/api/v1/chat-sessions"), ("POST", "/api/v1/chat-sessions/-/messages")):
                body = {"content": "quick k0", "assistantId": stage.assistant_id} if method == "POST" else None
                seen.add((await stage.status(method, path, body))[0])
            await asyncio.sleep(0.2)
    return seen


def _most_failures(stage: Stage) -> int:
    """Deaths in a row of the part that has died most often."""
    parts = read_parts(stage.up.data_dir / "run" / "parts.json")
    return max((part.failures for part in parts), default=0)


async def freeze(stage: Stage, name: str, seconds: float) -> None:
    """Stops a process for a while."""
    process = stage.processes(name)[0]
    process.send_signal(signal.SIGSTOP)
    try:
        await asyncio.sleep(seconds)
    finally:
        process.send_signal(signal.SIGCONT)


if RUNS:

    @pytest.mark.parametrize("number", range(RUNS))
    async def test_random_faults_at_random_moments(stage: Stage, number: int) -> None:
        chance = random.Random(SEED + number)
        print(f"\nECHOMIND_CHAOS_SEED={SEED + number}", end=" ")  # noqa: T201 -- to repeat it
        kinds = [kind for kind in KINDS if kind != "held"]
        stories = [Story(stage, kind) for kind in chance.choices(kinds, k=chance.randint(4, 10))]
        for _ in range(chance.randint(1, 3)):
            await asyncio.sleep(chance.uniform(0, 4))
            name = chance.choice(list(PROGRAMS))
            if chance.random() < 0.3:
                await freeze(stage, name, chance.choice([0.5, 3.0, 18.0]))
            else:
                stage.kill(name, every=chance.random() < 0.5)
            stories.append(Story(stage, chance.choice(kinds)))
        for story in stories:
            await story.has_ended()
        for story in stories:
            await story.is_whole()
