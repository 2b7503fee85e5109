"""Workers in this process, and the tools that they have in tests."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Annotated, Any
from uuid import UUID

from nats.aio.msg import Msg
from pydantic import Field

from echomind_agent.execution.services import Services
from echomind_agent.execution.verification import Verifier
from echomind_agent.execution.worker import Worker
from echomind_agent.llms.models import ChatModels
from echomind_agent.mcp import McpServers
from echomind_agent.tools.todos import finish_goal, update_todo, write_todos
from echomind_agent.toolset.registry import Registry, Tool, ToolContext, ToolError, tool
from echomind_lib.config import DiskSettings
from echomind_lib.conversations.questions import StoredQuestion
from echomind_lib.db.database import Database
from echomind_lib.db.words import RunStatus
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.errors import DependencyUnavailableError
from echomind_lib.events.log import EventLog
from echomind_lib.events.replay import read_events
from echomind_lib.learned.facts import FactVectors
from echomind_lib.messaging import RUNS_REQUESTED, Bus
from echomind_lib.pb.echomind.internal.v1 import messaging_pb2 as pb
from echomind_lib.pb.echomind.public.v1.run_pb2 import PendingInput
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import MessageDelta, SessionEvent
from echomind_lib.process.disk import DiskSpace
from echomind_lib.retrieval import Retriever
from echomind_lib.runs.controls import move_run
from echomind_lib.runs.inputs import approve, provide_input
from echomind_lib.runtime import Membership
from echomind_lib.vectors import VectorIndex
from tests.factories.questions import ask
from tests.factories.rows import Rows

SWEEP_SECONDS = 0.4
_PATIENCE = 60.0


class Shelf:
    """Tools that count their calls: `look_up`, `wait` (until `go` is set), `order` (with a side effect)."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []
        self.go = asyncio.Event()
        self.waiting = asyncio.Event()

    def tools(self) -> list[Tool]:
        return [
            self._tool("look_up", self._look_up),
            self._tool("wait", self._wait),
            self._tool("order", self._wait, side_effect=True),
            self._tool("news", self._look_up, untrusted=True),
            write_todos,
            update_todo,
            finish_goal,
        ]

    def _tool(self, name: str, call: Callable[[str], Awaitable[str]], **options: Any) -> Tool:
        @tool(
            name=name,
            description=f"The tool {name}.",
            progress=lambda given: f"{name} {given.key}",
            timeout=5.0,
            **options,
        )
        async def counted(
            context: ToolContext, key: Annotated[str, Field(max_length=100, description="What to look up.")]
        ) -> str:
            self.calls.append((name, key))
            return await call(key)

        return counted

    async def _look_up(self, key: str) -> str:
        if key == "nothing":
            raise ToolError("Nothing is there.")
        if key == "flaky" and self.calls.count(("look_up", key)) == 1:
            raise DependencyUnavailableError("The shelf is away.", dependency="shelf")
        return f"value of {key}"

    async def _wait(self, key: str) -> str:
        self.waiting.set()
        await self.go.wait()
        return f"waited for {key}"


class Mortal(Membership):
    """A membership that a test can end as the death of the process does."""

    is_dead = False

    def __init__(self, postgres_url: str, service: str) -> None:
        super().__init__(postgres_url, service)
        self.waits = asyncio.Event()
        """Set when the worker's first sweep is done."""

    async def departure(self, seconds: float) -> bool:
        self.waits.set()
        return await super().departure(seconds)

    async def leave(self) -> None:
        if self.is_dead and self._connection is not None:
            self._connection.terminate()
        else:
            await super().leave()


class Agent:
    """An installation with workers that tests start, stop and kill."""

    def __init__(
        self,
        database: Database,
        postgres_url: str,
        bus: Bus,
        rows: Rows,
        models: ChatModels,
        mcp: McpServers,
        vectors: VectorIndex,
        embeddings: EmbeddingClient,
        retriever: Retriever,
    ) -> None:
        self.database, self.bus, self.rows = database, bus, rows
        self.pool = database.pool
        self.log = EventLog(database.pool, bus)
        self._postgres_url = postgres_url
        self.shelf = Shelf()
        self.events: list[SessionEvent] = []
        self.deltas: list[tuple[float, MessageDelta]] = []
        self.run_texts: list[pb.TextDelta] = []
        self._models, self.mcp = models, mcp
        self.verifier: Verifier | None = None
        self._vectors, self._embeddings, self._retriever = vectors, embeddings, retriever
        self._changed = asyncio.Condition()
        self._tasks: dict[Worker, asyncio.Task[None]] = {}
        self._memberships: dict[Worker, Mortal] = {}

    async def listen(self) -> None:
        await self.bus.subscribe("events.*", self._on_events)
        await self.bus.subscribe("deltas.*", self._on_delta)

    async def _on_events(self, message: Msg) -> None:
        self.events.extend(pb.EventsStored.FromString(message.data).events)
        async with self._changed:
            self._changed.notify_all()

    async def _on_delta(self, message: Msg) -> None:
        text = pb.TextDelta.FromString(message.data)
        if text.HasField("run_text"):
            self.run_texts.append(text)
        else:
            self.deltas.append((asyncio.get_running_loop().time(), text.delta))
        async with self._changed:
            self._changed.notify_all()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Waits until something that was announced makes a condition true."""
        async with asyncio.timeout(_PATIENCE), self._changed:
            await self._changed.wait_for(condition)

    def start(
        self,
        tools: Sequence[Tool] = (),
        *,
        concurrency: int = 8,
        database: Database | None = None,
        sweep_seconds: float = SWEEP_SECONDS,
        runs_per_person: int = 8,
        idle_minutes: float = 10.0,
        evaluation_concurrency: int = 2,
    ) -> Worker:
        """Starts a worker; `database` is its own connection pool, for one that is to be killed."""
        log = EventLog(database.pool if database else self.pool, self.bus)
        membership = Mortal(self._postgres_url, "agent")
        services = self.services(log, tools or self.shelf.tools())
        disk = DiskSpace(DiskSettings())
        worker = Worker(
            services,
            membership,
            disk,
            concurrency=concurrency,
            sweep_seconds=sweep_seconds,
            runs_per_person=runs_per_person,
            idle_minutes=idle_minutes,
            evaluation_concurrency=evaluation_concurrency,
        )
        self._memberships[worker] = membership
        self._tasks[worker] = asyncio.create_task(worker.run())
        return worker

    async def swept(self, worker: Worker) -> None:
        """Waits until a worker has done its first sweep."""
        async with asyncio.timeout(_PATIENCE):
            await self._memberships[worker].waits.wait()

    def services(self, log: EventLog, tools: Sequence[Tool]) -> Services:
        """Returns what the runs of a worker share that writes to a log and has these tools."""
        return Services(
            log=log,
            models=self._models,
            tools=Registry(tools),
            mcp=self.mcp,
            facts=FactVectors(log.pool, self._vectors, self._embeddings),
            retriever=self._retriever,
            verifier=self.verifier,
        )

    async def stop(self, worker: Worker) -> None:
        """Stops a worker as SIGTERM does."""
        task = self._tasks.pop(worker)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    async def kill(self, worker: Worker, database: Database) -> None:
        """What remains after SIGKILL: nothing more is written, and the lock is free."""
        database.pool.terminate()
        self._memberships[worker].is_dead = True
        task = self._tasks.pop(worker)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def close(self) -> None:
        for worker in list(self._tasks):
            await self.stop(worker)

    async def send(self, content: str, session_id: int | None = None, **options: Any) -> StoredQuestion:
        """Stores a question without telling the workers; `options` are `RunOptions` by their JSON names."""
        return await ask(self.log, self.rows.user_id, session_id, content, **options)

    async def wake(self, run_id: UUID) -> None:
        await self.bus.publish(RUNS_REQUESTED, pb.RunRequested(run_id=str(run_id)))

    async def ask(self, content: str = "What?", session_id: int | None = None, **options: Any) -> StoredQuestion:
        sent = await self.send(content, session_id, **options)
        await self.wake(sent.run_id)
        return sent

    def final(self, run_id: UUID) -> SessionEvent | None:
        """Returns the run's final event as far as it was announced."""
        return next(
            (event for event in self.events if event.run_id == str(run_id) and event.HasField("finished")), None
        )

    async def end(self, run_id: UUID) -> SessionEvent:
        """Returns the run's final event."""
        await self.until(lambda: self.final(run_id) is not None)
        final = self.final(run_id)
        assert final is not None
        return final

    async def answer(self, content: str = "What?", session_id: int | None = None) -> SessionEvent:
        return await self.end((await self.ask(content, session_id)).run_id)

    async def control(self, run_id: UUID, target: RunStatus) -> None:
        """Cancels (`cancelled`), pauses (`paused`) or resumes (`queued`) a run as the API does."""
        assert await move_run(self.log, run_id, target)

    async def reply(self, run_id: UUID, content: str) -> None:
        """Answers what a run asks, as the API does."""
        assert await provide_input(self.log, run_id, self.rows.user_id, content) is not None

    async def decide(self, run_id: UUID, approved: bool, call_id: str = "", comment: str = "") -> None:
        """Approves or denies calls, as the API does."""
        assert await approve(self.log, run_id, self.rows.user_id, call_id, approved, comment)

    async def waits(self, run_id: UUID) -> PendingInput:
        """Waits until a run asks a person; gives what it asks."""

        def asked() -> list[SessionEvent]:
            return [e for e in self.events if e.run_id == str(run_id) and e.HasField("input_requested")]

        before = len(asked())
        row = await self.row(run_id)
        if row["status"] != "waiting_for_input":
            await self.until(lambda: len(asked()) > before)
        return asked()[-1].input_requested.pending_input

    async def row(self, run_id: UUID) -> Any:
        return await self.pool.fetchrow("SELECT * FROM runs WHERE id = $1", run_id)

    async def steps(self, run_id: UUID) -> list[Any]:
        rows: list[Any] = await self.pool.fetch("SELECT * FROM steps WHERE run_id = $1 ORDER BY step_number", run_id)
        return rows

    async def calls(self, run_id: UUID) -> list[Any]:
        rows: list[Any] = await self.pool.fetch(
            "SELECT tool_calls.* FROM tool_calls JOIN steps ON steps.id = step_id "
            "WHERE run_id = $1 ORDER BY tool_calls.id",
            run_id,
        )
        return rows

    async def configure(self, task_prompt: str | None = None, **config: Any) -> None:
        """Sets the default assistant's configuration."""
        await self.pool.execute(
            "UPDATE assistants SET config = $1, task_prompt = COALESCE($2, task_prompt)", config, task_prompt
        )

    async def lead(self, mode: str = "coordinate", *, config: dict[str, Any] | None = None, **roles: str) -> None:
        """Makes the default assistant the leader of new members, which have these roles."""
        leader = await self.pool.fetchval("SELECT id FROM assistants WHERE is_default")
        await self.configure(teamMode=f"TEAM_MODE_{mode.upper()}", **config or {})
        for position, (name, role) in enumerate(roles.items(), 1):
            member = await self.pool.fetchval(
                "INSERT INTO assistants (name, system_prompt, is_visible) VALUES ($1, $2, FALSE) RETURNING id",
                name,
                f"You are {name}.",
            )
            await self.pool.execute(
                "INSERT INTO assistant_members (assistant_id, member_id, role, position) VALUES ($1, $2, $3, $4)",
                leader,
                member,
                role,
                position,
            )

    async def use_built_in_model(self) -> None:
        """Makes the built-in model the default one again."""
        await self.pool.execute("UPDATE llms SET is_default = FALSE")
        await self.pool.execute("UPDATE llms SET is_default = TRUE WHERE provider = 'extractive'")

    async def stored(self, session_id: int) -> list[SessionEvent]:
        return await read_events(self.pool, session_id, 0, 1000)

    def texts(self, message_id: int) -> dict[int, str]:
        """Returns the live text of a message by attempt. Fails when the offsets do not add up."""
        found: dict[int, str] = {}
        for _, delta in self.deltas:
            if delta.message_id == message_id:
                before = found.setdefault(delta.attempt, "")
                assert delta.offset == len(before)
                found[delta.attempt] = before + delta.text
        return found
