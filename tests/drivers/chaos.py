"""What goes wrong while work is done: kills, pauses, jumps of the clock, messages that come twice and out of order."""

import asyncio
import json
import random
import re
import shutil
import struct
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import nats
from nats.aio.msg import Msg

from echomind.local.embedded.nats import NatsServer
from tests.drivers.stage import PROGRAMS, RefusedError, Stage, freeze
from tests.drivers.story import Story

FAILURES = (AssertionError, TimeoutError, RefusedError, ExceptionGroup)
"""How a story or a paper says that something was lost or doubled."""
_MARK = "Again"
"""Header of a message that was repeated."""
JUMPS = (0, 3600, -7200, 86400)
"""Seconds by which the clock is wrong."""


class Clock:
    """The clock of the product's processes, by a library of our own; PostgreSQL's and NATS' are right.

    Debian's libfaketime does not serve: with it, waits for locks with a limit of time never end.
    """

    def __init__(self, folder: Path) -> None:
        self._library, self._file = folder / "clock.so", folder / "clock"
        source = Path(__file__).with_name("clock.c")
        command: list[str | Path] = [
            "cc",
            "-O2",
            "-shared",
            "-fPIC",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-o",
            self._library,
            source,
        ]
        subprocess.run(command, check=True)
        self.set(0)

    @staticmethod
    def is_possible() -> bool:
        """Returns whether there is a compiler for the library."""
        return sys.platform == "linux" and shutil.which("cc") is not None

    @property
    def environment(self) -> dict[str, str]:
        """Variables of the processes."""
        return {"LD_PRELOAD": str(self._library), "WRONG_CLOCK": str(self._file)}

    def set(self, seconds: int) -> None:
        """Sets by how much the clock is wrong, at once in all processes."""
        with self._file.open("r+b" if self._file.exists() else "wb") as file:
            file.write(struct.pack("q", seconds))


@asynccontextmanager
async def repeated_messages(stage: Stage, chance: random.Random, share: float = 0.3) -> AsyncIterator[Counter[str]]:
    """Sends a share of all messages again, up to three seconds later and so out of order; counts them by kind."""
    folder = stage.up.data_dir / "nats"
    password = json.loads((stage.up.data_dir / "secrets.json").read_text())["nats_password"]
    (port,) = re.findall(r'^listen: "[\d.]+:(\d+)"', (folder / "nats.conf").read_text(), re.MULTILINE)
    sent: Counter[str] = Counter()
    sending: set[asyncio.Task[None]] = set()

    async def nothing(_: Exception | None = None) -> None:
        """The server is killed now and then; the client connects again."""

    client = await nats.connect(
        NatsServer(folder, int(port), password).url,
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


class Faults:
    """One fault after the other.

    Attributes:
        counts: How often there was each kind.
        recovery: Seconds from each kill, or from the end of each pause, until a new question is answered.
        stories: The questions that measured it.
        problems: Questions that were not answered.
        are_over: Set it to end them.
    """

    def __init__(self, stage: Stage, chance: random.Random, clock: Clock | None) -> None:
        self.counts: Counter[str] = Counter()
        self.recovery: defaultdict[str, list[float]] = defaultdict(list)
        self.stories: list[Story] = []
        self.problems: list[str] = []
        self.are_over = asyncio.Event()
        self._stage, self._chance, self._clock = stage, chance, clock

    async def run(self) -> None:
        """Makes faults until they are over."""
        while not self.are_over.is_set():
            await asyncio.sleep(self._chance.uniform(1, 5))
            name, kind = self._chance.choice(list(PROGRAMS)), self._chance.random()
            if self._clock is not None and kind < 0.15:
                self._clock.set(jump := self._chance.choice(JUMPS))
                self.counts[f"clock wrong by {jump} s"] += 1
                continue
            if not self._stage.processes(name):
                continue  # it is being started again
            if kind < 0.4:
                await freeze(self._stage, name, self._chance.choice([0.5, 3.0, 18.0]))
                self.counts[f"pause of {name}"] += 1
            else:
                self._stage.kill(name, every=self._chance.random() < 0.5)
                self.counts[f"kill of {name}"] += 1
            began = time.monotonic()
            story = Story(self._stage, "quick")
            try:
                await story.has_ended()
            except FAILURES as error:
                self.problems.append(f"after a fault of {name}: {type(error).__name__} {error}"[:2000])
                continue
            self.stories.append(story)
            self.recovery[name].append(story.ended_at - began)

    def report(self) -> str:
        """Returns the counts and times as lines."""
        lines = [f"- {count} x {kind}" for kind, count in sorted(self.counts.items())]
        if self._clock is None:
            lines.append("- the clock did not jump: there is no C compiler")
        for name, seconds in sorted(self.recovery.items()):
            ordered = sorted(seconds)
            median, most = ordered[len(ordered) // 2], ordered[-1]
            lines.append(f"- a new question after a fault of {name}: {median:.1f} s, at most {most:.1f} s")
        return "\n".join(lines)
