"""What goes wrong while work is done: kills, pauses, jumps of the clock, messages that come twice and out of order."""

import asyncio
import random
import shutil
import struct
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import nats
from nats.aio.msg import Msg

from tests.drivers.stage import PROGRAMS, RefusedError, Scene, Stage, freeze
from tests.drivers.story import Story

FAILURES = (AssertionError, TimeoutError, RefusedError, ExceptionGroup)
"""How a story or a paper says that something was lost or doubled."""
_MARK = "Again"
"""Header of a message that was repeated."""
JUMPS = (3600, -7200, 86400, 0)
"""Seconds by which the clock is wrong."""
PAUSES = (0.5, 3.0, 18.0)
"""Seconds of a pause; the longest is longer than a lease."""
GAP = (1.0, 5.0)
"""Seconds between one fault and the next."""


class Clock:
    """The clock of some of the product's processes, by a library of our own; PostgreSQL's and NATS' are right.

    Debian's libfaketime does not serve: with it, waits for locks with a limit of time never end.

    Attributes:
        library: What the processes load.
        file: Where the library reads by how much the clock is wrong.
    """

    def __init__(self, folder: Path, name: str = "clock") -> None:
        """Makes the library in a folder, unless it is there; clocks of several names are independent."""
        self.library, self.file = folder / "clock.so", folder / name
        if not self.library.exists():
            source = str(Path(__file__).with_name("clock.c"))
            options = ["-O2", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-o", str(self.library)]
            subprocess.run(["cc", *options, source], check=True)
        self.set(0)

    @staticmethod
    def is_possible() -> bool:
        """Returns whether there is a compiler for the library."""
        return sys.platform == "linux" and shutil.which("cc") is not None

    @property
    def environment(self) -> dict[str, str]:
        """Variables of the processes."""
        return {"LD_PRELOAD": str(self.library), "WRONG_CLOCK": str(self.file)}

    def set(self, seconds: int) -> None:
        """Sets by how much the clock is wrong, at once in all processes that have it."""
        with self.file.open("r+b" if self.file.exists() else "wb") as file:
            file.write(struct.pack("q", seconds))


@asynccontextmanager
async def repeated_messages(
    servers: Sequence[str], chance: random.Random, share: float = 0.3
) -> AsyncIterator[Counter[str]]:
    """Sends a share of all messages again, up to three seconds later and so out of order; counts them by kind.

    Args:
        servers: Addresses of NATS with their password.
        chance: Says which messages.
        share: How many of them, up to 1.
    """
    sent: Counter[str] = Counter()
    sending: set[asyncio.Task[None]] = set()

    async def nothing(_: Exception | None = None) -> None:
        """The server is killed now and then; the client connects again."""

    client = await nats.connect(
        list(servers),
        max_reconnect_attempts=-1,
        reconnect_time_wait=0.2,
        error_cb=nothing,
        disconnected_cb=nothing,
    )

    async def send(message: Msg) -> None:
        await asyncio.sleep(chance.uniform(0, 3))
        if client.is_connected:
            await client.publish(message.subject, message.data, headers={_MARK: "1"})
            sent[message.subject.partition(".")[0]] += 1

    async def hear(message: Msg) -> None:
        is_own = message.subject.startswith(("_INBOX", "$")) or message.reply or (message.headers or {}).get(_MARK)
        if not is_own and chance.random() < share:
            sending.add(task := asyncio.create_task(send(message)))
            task.add_done_callback(sending.discard)

    await client.subscribe(">", cb=hear)
    try:
        yield sent
    finally:
        await asyncio.gather(*sending, return_exceptions=True)
        await client.close()


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong.

    Attributes:
        kind: What it is counted as, such as `kill of nats`.
        part: What must recover from it; empty if nothing does.
        happen: Makes it; it is over when this returns.
    """

    kind: str
    part: str
    happen: Callable[[], Awaitable[None]]


class Faults:
    """Each fault once, one after the other, in an order by chance.

    Attributes:
        counts: How often there was each kind.
        recovery: Seconds from each kill, or from the end of each other fault, until a new question is answered.
        stories: The questions that measured it.
        problems: Questions that were not answered.
        progress: How many of the faults have begun, up to 1; half of a step before it, so that work is under way.
        moved: Notified when `progress` rises.
    """

    def __init__(self, scene: Scene, chance: random.Random, all_kinds: Sequence[Fault], note: str = "") -> None:
        """`note` is a line of the report about what cannot go wrong here."""
        self.counts: Counter[str] = Counter()
        self.recovery: defaultdict[str, list[float]] = defaultdict(list)
        self.stories: list[Story] = []
        self.problems: list[str] = []
        self.progress, self.moved = 0.0, asyncio.Condition()
        self._scene, self._chance, self._all, self._note = scene, chance, all_kinds, note

    async def run(self) -> None:
        """Makes all faults."""
        for number, fault in enumerate(self._chance.sample(self._all, len(self._all))):
            await self._move_to((number + 0.5) / len(self._all))
            await asyncio.sleep(self._chance.uniform(*GAP))
            await self._move_to((number + 1) / len(self._all))
            await fault.happen()
            self.counts[fault.kind] += 1
            if fault.part:
                await self._measure(fault)

    async def _move_to(self, progress: float) -> None:
        async with self.moved:
            self.progress = progress
            self.moved.notify_all()

    async def _measure(self, fault: Fault) -> None:
        began = time.monotonic()
        story = Story(self._scene, "quick")
        try:
            await story.has_ended()
        except FAILURES as error:
            self.problems.append(f"after {fault.kind}: {type(error).__name__} {error}"[:2000])
            return
        self.stories.append(story)
        self.recovery[fault.part].append(story.ended_at - began)

    def report(self) -> str:
        """Returns the counts and times as lines."""
        lines = [f"- {count} x {kind}" for kind, count in sorted(self.counts.items())]
        lines += [f"- {self._note}"] if self._note else []
        for name, seconds in sorted(self.recovery.items()):
            ordered = sorted(seconds)
            median, most = ordered[len(ordered) // 2], ordered[-1]
            lines.append(f"- a new question after a fault of {name}: {median:.1f} s, at most {most:.1f} s")
        return "\n".join(lines)


def faults_of_processes(stage: Stage, chance: random.Random) -> list[Fault]:
    """Returns a kill and a pause of each part of `echomind up`, and jumps of its clock where that can be set."""

    def kill(name: str) -> Fault:
        async def happen() -> None:
            await _runs(stage, name)
            stage.kill(name, every=chance.random() < 0.5)

        return Fault(f"kill of {name}", name, happen)

    def pause(name: str) -> Fault:
        async def happen() -> None:
            await _runs(stage, name)
            await freeze(stage, name, chance.choice(PAUSES))

        return Fault(f"pause of {name}", name, happen)

    def jump(clock: Clock, seconds: int) -> Fault:
        async def happen() -> None:
            clock.set(seconds)

        return Fault(f"clock wrong by {seconds} s", "", happen)

    found = [make(name) for name in PROGRAMS for make in (kill, pause)]
    return found + ([] if stage.clock is None else [jump(stage.clock, seconds) for seconds in JUMPS])


def one_of_each(faults: Sequence[Fault], chance: random.Random) -> list[Fault]:
    """Returns one fault of each kind, such as a pause of a pod or a server, of a part by chance."""
    kinds: defaultdict[str, list[Fault]] = defaultdict(list)
    for fault in faults:
        kinds[fault.kind.rpartition(" ")[0]].append(fault)
    return [chance.choice(same) for same in kinds.values()]


async def _runs(stage: Stage, name: str) -> None:
    """Waits until a part runs that may be being started again."""
    async with asyncio.timeout(stage.patience):
        while not stage.processes(name):  # noqa: ASYNC110 - others start it
            await asyncio.sleep(0.1)
