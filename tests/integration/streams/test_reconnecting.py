"""Readers that lose their connections at any moment, and continue over any transport at any replica.

Hypothesis chooses what people do: ask, pause, resume, cancel; and what happens to the readers. Whatever it chooses, in
the end each reader has every stored event once, in order, and the text that a reader put together was always the
beginning of what is stored.
"""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from echomind_lib.errors import RunActiveError, RunStateError
from echomind_lib.pb.echomind.public.v1 import run_pb2
from tests.drivers.installation import PATIENCE_SECONDS, Installation, until_readers
from tests.drivers.readers import TRANSPORTS, Reader, Transport, open_stream

T = TypeVar("T")

EXAMPLES = 20
STEPS = 14
FLUSH_SECONDS = 0.05
_CLOCKS = 0.9
"""Clocks and timers differ by a little, so that a delta may seem to come a little too soon."""

replicas = st.integers(0, 1)
readers = st.integers(0, 2)
transports: st.SearchStrategy[Transport] = st.sampled_from(TRANSPORTS)
plans = st.builds(
    "words={} delay={} steps={}".format, st.integers(1, 120), st.sampled_from([0, 1, 4, 15]), st.integers(0, 3)
)


class Conversation:
    """One session, its readers and their connections."""

    def __init__(self, installation: Installation) -> None:
        self.installation = installation
        self.session_id = 0
        self.runs: list[str] = []
        self.readers = [Reader() for _ in range(3)]
        self._connections: dict[int, asyncio.Task[None]] = {}
        self._asked_at = 0.0

    async def ask(self, plan: str, replica: int) -> None:
        asked_at = asyncio.get_running_loop().time()
        with suppress(RunActiveError):
            sent = await self.installation.ask(plan, self.session_id, replica)
            self.session_id = int(sent["run"]["chatSessionId"])
            self.runs.append(sent["run"]["id"])
            self._asked_at = asked_at

    async def control(self, action: str, replica: int) -> None:
        with suppress(RunStateError):
            await self.installation.clients[replica].call(f"RunService/{action}Run", {"id": self.runs[-1]})

    async def connect(
        self, number: int, transport: Transport, replica: int, drop_after: int | None, abort: bool
    ) -> None:
        """Lets a reader read over a new connection until it is cut off, or breaks after so many events."""
        await self.cut_off(number)
        connected = asyncio.Event()
        task = asyncio.create_task(self._read(number, transport, replica, drop_after, abort, connected))
        self._connections[number] = task
        waiting = asyncio.create_task(connected.wait())
        await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()

    async def _read(
        self,
        number: int,
        transport: Transport,
        replica: int,
        drop_after: int | None,
        abort: bool,
        connected: asyncio.Event,
    ) -> None:
        reader, address = self.readers[number], self.installation.address(replica)
        async with open_stream(transport, address, self.session_id, reader.last_id, abort=abort) as events:
            connected.set()
            await reader.follow(events, drop_after)
        assert drop_after is not None, "the stream has ended"

    async def cut_off(self, number: int) -> None:
        """Breaks a reader's connection. What went wrong in it comes out here."""
        if task := self._connections.pop(number, None):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def check_coalescing(self) -> None:
        """The first delta at once, then at most one in 50 ms: no more than fit into the time since the question."""
        passed = asyncio.get_running_loop().time() - self._asked_at
        for reader in self.readers:
            assert reader.text.deltas <= 2 + passed / (FLUSH_SECONDS * _CLOCKS)

    async def end(self, ways: list[tuple[Transport, int]]) -> None:
        """Lets the last run end, and every reader read to the end over a last connection; then looks at it all."""
        await self._let_end()
        pool = self.installation.pool
        stored = await pool.fetch("SELECT id FROM run_events WHERE chat_session_id = $1 ORDER BY id", self.session_id)
        answers = await pool.fetch(
            "SELECT run_id, content FROM chat_messages WHERE run_id = ANY($1::uuid[])", self.runs
        )
        contents = {str(row["run_id"]): row["content"] for row in answers}
        for number, (transport, replica) in enumerate(ways):
            reader = self.readers[number]
            await self.connect(number, transport, replica, None, abort=False)
            await reader.until(lambda reader=reader: reader.last_id == stored[-1]["id"])
            self.check_coalescing()
            await self.cut_off(number)
            assert reader.ids == [row["id"] for row in stored]
            finals = reader.finals()
            assert {run: final.message.content for run, final in finals.items()} == contents
            for run, final in finals.items():
                assert final.status in {run_pb2.RUN_STATUS_COMPLETED, run_pb2.RUN_STATUS_CANCELLED}, run
        await until_readers(0)

    async def _let_end(self) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                run = await self.installation.owner.call("RunService/GetRun", {"id": self.runs[-1]})
                if "completedAt" in run:
                    return
                if run["status"] == "RUN_STATUS_PAUSED":
                    await self.control("Resume", 0)
                await asyncio.sleep(0.02)

    async def give_up(self) -> None:
        """After a failure: leaves nothing behind for what comes next."""
        for number in list(self._connections):
            with suppress(Exception):
                await self.cut_off(number)
        await self.control("Cancel", 0)


def machine(installation: Installation, loop: asyncio.AbstractEventLoop) -> type[RuleBasedStateMachine]:
    """Returns what Hypothesis does, in a thread of its own; all that is done happens in the loop."""

    def done(work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, loop).result(PATIENCE_SECONDS + 15)

    class Machine(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.conversation = Conversation(installation)
            self.ways: list[tuple[Transport, int]] = []

        @initialize(
            plan=plans,
            replica=replicas,
            ways=st.lists(st.tuples(transports, replicas), min_size=3, max_size=3),
        )
        def begin(self, plan: str, replica: int, ways: list[tuple[Transport, int]]) -> None:
            self.ways = ways
            done(self.conversation.ask(plan, replica))

        @rule(plan=plans, replica=replicas)
        def ask(self, plan: str, replica: int) -> None:
            done(self.conversation.ask(plan, replica))

        @rule(action=st.sampled_from(["Pause", "Resume", "Cancel", "Pause", "Resume"]), replica=replicas)
        def control(self, action: str, replica: int) -> None:
            done(self.conversation.control(action, replica))

        @rule(number=readers, transport=transports, replica=replicas, abort=st.booleans())
        def connect(self, number: int, transport: Transport, replica: int, abort: bool) -> None:
            done(self.conversation.connect(number, transport, replica, None, abort))

        @rule(
            number=readers,
            transport=transports,
            replica=replicas,
            drop_after=st.integers(0, 12),
            abort=st.booleans(),
        )
        def connect_for_a_while(
            self, number: int, transport: Transport, replica: int, drop_after: int, abort: bool
        ) -> None:
            done(self.conversation.connect(number, transport, replica, drop_after, abort))

        @rule(number=readers)
        def cut_off(self, number: int) -> None:
            done(self.conversation.cut_off(number))

        @rule(seconds=st.sampled_from([0.01, 0.05, 0.1]))
        def let_continue(self, seconds: float) -> None:
            done(asyncio.sleep(seconds))

        def teardown(self) -> None:
            if not self.ways:  # nothing has started
                return
            try:
                done(self.conversation.end(self.ways))
            finally:
                done(self.conversation.give_up())

    return Machine


async def test_nothing_is_lost_whatever_happens(installation: Installation) -> None:
    chosen = settings(
        max_examples=EXAMPLES,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        # Results also depend on timing, so shrinking a failure by repetition does not work.
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    await asyncio.to_thread(
        run_state_machine_as_test, machine(installation, asyncio.get_running_loop()), settings=chosen
    )


async def test_deltas_are_coalesced(installation: Installation) -> None:
    """A fast model's words come together, and the first ones at once."""
    conversation = Conversation(installation)
    await conversation.ask("words=1", 0)
    await installation.ended(conversation.runs[-1])
    words = 300
    try:
        for number, transport in enumerate(TRANSPORTS):
            await conversation.connect(number, transport, number % 2, None, abort=False)
            await conversation.readers[number].until(lambda number=number: conversation.readers[number].finals())
        await conversation.ask(f"words={words} delay=1", 1)
        run = conversation.runs[-1]
        for reader in conversation.readers:
            await reader.until(lambda reader=reader: run in reader.finals())
            conversation.check_coalescing()
        assert all(reader.text.deltas < words / 3 for reader in conversation.readers)
    finally:
        await conversation.give_up()
    await until_readers(0)
