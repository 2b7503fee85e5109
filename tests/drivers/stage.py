"""The product with all its parts, which tests kill and freeze, and the model and the tools beside it."""

import asyncio
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import psutil
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

from tests.drivers.model_server import Json, ModelServer
from tests.drivers.readers import Address
from tests.drivers.up import Up

if TYPE_CHECKING:
    from tests.drivers.chaos import Clock

PATIENCE = 100.0
"""Seconds that anything may take while parts are away."""
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
"""How to tell a part's process by the words of its command line."""


class RefusedError(Exception):
    """The API refused a call."""


class Workbench:
    """Tools beside EchoMind that count how often they were used, and hold a call as long as the test wants."""

    def __init__(self) -> None:
        self.held: Counter[str] = Counter()
        self.recorded: Counter[str] = Counter()
        self.gates: dict[str, asyncio.Event] = {}
        self.changed = asyncio.Condition()

    def gate(self, key: str) -> asyncio.Event:
        """Returns what calls and answers of a story wait for."""
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
class Scene:
    """A running product, the model and the tools that it uses, and a client."""

    address: Address
    model: ModelServer
    bench: Workbench
    http: aiohttp.ClientSession
    numbers: Iterator[int]
    assistant_id: int = 0
    """One with all that runs do."""
    team_id: int = 0
    """The leader of a team of three."""
    document: "asyncio.Task[Any] | None" = None
    """Done when the document is there to be found."""
    patience: float = PATIENCE
    """Seconds that anything may take while parts are away."""
    searches_may_fail: bool = False
    """Whether what searches need may be away: an answer then says so, and cites nothing."""

    async def furnish(self, model_url: str, tools_url: str) -> None:
        """Makes the model, the assistant with its tools, and the team."""
        llm = {"name": "Scripted", "provider": "LLM_PROVIDER_OPENAI", "modelId": "m", "endpoint": model_url}
        llm_id = (await self.call("POST", "llms", llm | {"apiKey": "none"}))["id"]
        server: Json = {"name": "test", "transport": "MCP_TRANSPORT_STREAMABLE_HTTP", "url": tools_url}
        server |= {"allowedTools": ["*"], "timeoutSeconds": 300, "trustReadOnlyHints": True, "trustedDestination": True}
        config = {"mcpServers": [server]}
        assistant = {"name": "Chaos", "llmId": llm_id, "isVisible": True}
        made = await self.call(
            "POST", "assistants", assistant | {"config": config | {"approvalTools": ["test__record"]}}
        )
        self.assistant_id = made["id"]
        members = []
        for name in ("Ada", "Bob", "Eve"):  # they have what it has, without its approvals
            member = assistant | {"name": name, "isVisible": False, "config": config}
            members.append({"assistantId": (await self.call("POST", "assistants", member))["id"]})
        leader = {"name": "Team", "llmId": llm_id, "isVisible": True, "members": members}
        self.team_id = int((await self.call("POST", "assistants", leader))["id"])

    async def call(self, method: str, path: str, body: Json | None = None) -> Json:
        """Calls the API, again while the gateway is away or the disk is full. A refusal ends the test.

        Raises:
            RefusedError: The gateway said no.
        """
        async with asyncio.timeout(self.patience):
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
        async with asyncio.timeout(self.patience):
            while True:
                with suppress(aiohttp.ClientError, OSError):
                    if (await self.status("GET", "/readyz"))[0] == 200:
                        return
                await asyncio.sleep(0.1)


@dataclass(kw_only=True)
class Stage(Scene):
    """The product as `echomind up` runs it, with its processes."""

    up: Up
    disk: Path | None = None
    """A small disk with the data folder on it, unless this system permits no mount."""
    clock: "Clock | None" = None
    """The clock of its processes, if the test sets it."""

    def processes(self, name: str) -> list[psutil.Process]:
        """Returns the processes of a part, of which there are two agents."""
        found = []
        for process in psutil.Process(self.up.process.pid).children():
            with suppress(psutil.Error):
                # A fork's title is one text.
                if PROGRAMS[name]([Path(word).name for word in " ".join(process.cmdline()).split()]):
                    found.append(process)
        return found

    def kill(self, name: str, *, every: bool = True) -> None:
        """Kills a part, without a word."""
        found = self.processes(name)
        assert found, f"no {name} runs"
        for process in found if every else found[:1]:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGKILL)


async def freeze(stage: Stage, name: str, seconds: float) -> None:
    """Stops a process for a while; the supervisor may kill it meanwhile."""
    process = stage.processes(name)[0]
    with suppress(psutil.NoSuchProcess):
        process.send_signal(signal.SIGSTOP)
        try:
            await asyncio.sleep(seconds)
        finally:
            process.send_signal(signal.SIGCONT)
