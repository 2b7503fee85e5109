"""A client that watches one run to its end, through all that happens to the product meanwhile."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

import aiohttp
import grpc
from websockets.exceptions import WebSocketException

from echomind_lib.errors import EchoMindError
from echomind_lib.pb.echomind.public.v1 import run_pb2, step_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from tests.drivers.model_server import Json
from tests.drivers.readers import TRANSPORTS, ClosedError, Reader, open_stream
from tests.drivers.stage import RefusedError, Scene
from tests.factories.stories import KINDS, UNSEARCHABLE

_LOST = (
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


class Story:
    """One run and the client that watches it to its end."""

    def __init__(self, stage: Scene, kind: str, *, held: bool = False, drop_after: int = 0) -> None:
        """Starts it.

        Args:
            stage: The product.
            kind: What the run does; see `KINDS`.
            held: Whether it waits until the test opens its gate.
            drop_after: After how many events the client leaves each connection and opens another one; 0 for never.
        """
        self.kind, self.key = KINDS[kind], f"k{next(stage.numbers)}"
        self._stage, self._name = stage, kind
        self.reader = Reader()
        self.run_id, self.session_id = "", 0
        self.unknown = False
        """Whether it was asked how a call with a side effect went."""
        self._drop_after = drop_after
        self._transports = random.Random(self.key)
        if not held:
            stage.bench.gate(self.key).set()
        self.task = asyncio.create_task(self._play())
        self.taken_over_at = self.ended_at = 0.0

    def __str__(self) -> str:
        return f"{self._name} {self.key}, run {self.run_id}"

    async def _play(self) -> None:
        if self._name in ("stream", "team"):
            assert self._stage.document is not None
            await asyncio.shield(self._stage.document)
        sent = await self._stage.call(
            "POST",
            "chat-sessions/-/messages",
            {
                "content": f"{self._name} {self.key}",
                "assistantId": self._stage.team_id if self._name == "team" else self._stage.assistant_id,
                # A gateway that dies before it has responded may have stored the question.
                "requestId": f"chaos-{self.key}",
                "options": self.kind.options,
            },
        )
        self.run_id, self.session_id = sent["run"]["id"], int(sent["run"]["chatSessionId"])
        async with asyncio.TaskGroup() as tasks:
            helping = tasks.create_task(self._help())
            while not self._final():
                with suppress(*_LOST):
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
            taken = 0
            async for event in events:
                await self.reader.take(event)
                taken += 1
                if event.status.attempt > 1 and not self.taken_over_at:
                    self.taken_over_at = time.monotonic()
                if self._final() or taken == self._drop_after:
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
            # Refused if an earlier attempt took effect and its response was lost.
            with suppress(RefusedError):
                await self._stage.call("POST", f"runs/{event.run_id}:{path}", body)

    def _asked(self, done: set[int]) -> SessionEvent | None:
        return next(
            (event for event in self.reader.events if event.HasField("input_requested") and event.id not in done), None
        )

    # -- what the test waits for ---------------------------------------------------------------------------------
    async def is_under_way(self) -> bool:
        """Waits until the run is in the state that its kind is about; returns whether the client saw it in it.

        While parts are away, a client may see a short answer only when it has ended.
        """
        held, reader = self._stage.bench.held, self.reader
        if self._name == "stream":
            return await self._until(reader.changed, lambda: reader.text.length > 150)
        if self._name == "tool":
            return await self._until(self._stage.bench.changed, lambda: held[self.key] > 0)
        if self._name == "tree":
            is_held = await self._until(self._stage.bench.changed, lambda: held[f"{self.key}A"] > 0)
            return is_held and await self._until(
                reader.changed, lambda: len(reader.finals()) == 1 and self._waits_for_children()
            )
        if self._name == "team":
            are_held = await self._until(
                self._stage.bench.changed, lambda: held[f"{self.key}A"] > 0 and held[f"{self.key}B"] > 0
            )
            return are_held and await self._until(reader.changed, self._waits_for_children)
        return await self._until(reader.changed, lambda: self._asked(set()) is not None)

    def _waits_for_children(self) -> bool:
        return any(
            event.status.status == run_pb2.RUN_STATUS_WAITING_FOR_CHILDREN and event.run_id == self.run_id
            for event in self.reader.events
        )

    async def _until(self, changed: asyncio.Condition, condition: Callable[[], bool]) -> bool:
        """Waits for something; returns False if the run has ended first. What the client found wrong is raised."""

        async def wait() -> None:
            async with changed:
                await changed.wait_for(condition)

        waiting = asyncio.ensure_future(wait())
        async with asyncio.timeout(self._stage.patience):
            await asyncio.wait({self.task, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if self.task.done() and not waiting.done():
            waiting.cancel()
            self.task.result()
            return False
        await waiting
        return True

    async def has_ended(self) -> None:
        async with asyncio.timeout(self._stage.patience):
            await self.task

    # -- what must be so in the end --------------------------------------------------------------------------------
    async def is_whole(self) -> None:
        """Everything of the run is stored once, and the client has it."""
        final = self.reader.finals()[self.run_id]
        assert final.status == run_pb2.RUN_STATUS_COMPLETED, f"{self}: {final}"
        misses = self._stage.searches_may_fail and final.message.content == UNSEARCHABLE
        content = UNSEARCHABLE if misses else self.kind.content
        assert final.message.content == content, f"{self}: {final.message.content}"
        question, answer = (await self._get(f"chat-sessions/{self.session_id}/messages"))["messages"]
        assert (question["role"], question["content"]) == ("MESSAGE_ROLE_USER", f"{self._name} {self.key}")
        assert (answer["content"], answer["status"]) == (content, "MESSAGE_STATUS_COMPLETED"), str(self)
        citations = [citation["number"] for citation in answer.get("citations", [])]
        assert len(citations) == len(final.message.citations)
        if self._name in ("stream", "team"):
            assert citations == ([] if misses else [1]), str(self)
        tree = (await self._get(f"runs/{self.run_id}/tree"))["runs"]
        assert [run["status"] for run in tree] == ["RUN_STATUS_COMPLETED"] * (1 + self.kind.children), str(self)
        calls = await self._steps_of(tree[0])
        assert tuple(call["toolName"] for call in calls) == self.kind.calls, str(self)
        searches = [call for call in calls if call["toolName"] == "search_documents"]
        for child in tree[1:]:
            searches += [call for call in await self._steps_of(child) if call["toolName"] == "search_documents"]
        failed = [call for call in searches if call["status"] != "STEP_STATUS_COMPLETED"]
        assert bool(failed) == misses, f"{self}: {searches}"
        await self._tools_were_used_once([call for call in calls if call not in failed])
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
        if self._name in ("order", "team"):
            # Exactly once, or a person was asked whether it took effect.
            assert self._stage.bench.recorded[self.key] <= 1
            once = self._stage.bench.recorded[self.key] == 1
            assert self.unknown or (once and not failed), f"{self}: {calls}"
        else:
            assert not failed, f"{self}: {calls}"

    async def _events_are_whole(self, runs: set[str]) -> None:
        """Somebody who reads it all again gets what the client got, and each run has ended once."""
        again = Reader()
        async with asyncio.timeout(self._stage.patience):
            while again.last_id < self.reader.last_id:
                with suppress(*_LOST):
                    again.connected()
                    async with open_stream("sse", self._stage.address, self.session_id, again.last_id) as events:
                        async for event in events:
                            await again.take(event)
                            if event.id >= self.reader.last_id:
                                break
                await asyncio.sleep(0.05)
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
