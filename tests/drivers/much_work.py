"""Much work while everything goes wrong, and whether each piece of it was done once and whole."""

import asyncio
import random
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from tests.drivers.chaos import FAILURES, Faults, repeated_messages
from tests.drivers.paper import Paper
from tests.drivers.stage import Scene
from tests.drivers.story import Story
from tests.factories.stories import KINDS

STORIES_AT_ONCE, PAPERS_AT_ONCE = 10, 6
PATIENCE = 900.0
"""Seconds that one run or document may take: many of them meet the same fault."""


@dataclass
class Work:
    """Runs and documents, as many of each, evenly over the faults.

    Attributes:
        problems: What was lost or doubled.
        done: How many there were, by kind of run, and of `document`.
        seconds: That all took.
    """

    scene: Scene
    count: int
    chance: random.Random
    faults: Faults
    problems: list[str] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    repeated: Counter[str] = field(default_factory=Counter)
    _started: Counter[str] = field(default_factory=Counter)
    _took: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    async def run(self, nats: Sequence[str]) -> None:
        """Does it; `nats` are the servers whose messages are sent again. What was not done well is in `problems`."""
        before = [await self._stored(what) for what in ("documents", "chat-sessions")]
        began = time.monotonic()
        async with repeated_messages(nats, self.chance) as self.repeated, asyncio.TaskGroup() as tasks:
            tasks.create_task(self.faults.run())
            for _ in range(STORIES_AT_ONCE):
                tasks.create_task(self._work("run"))
            for _ in range(PAPERS_AT_ONCE):
                tasks.create_task(self._work("document"))
        self.problems += self.faults.problems
        for story in self.faults.stories:
            await story.is_whole()
        self.seconds = time.monotonic() - began
        after = [await self._stored(what) for what in ("documents", "chat-sessions")]
        stored = [now - then for now, then in zip(after, before, strict=True)]
        if not self.problems and stored != [self.count, self.count + len(self.faults.stories)]:
            self.problems.append(f"stored documents and conversations: {stored}")

    async def _work(self, what: str) -> None:
        kinds = [kind for kind, of in KINDS.items() if of.content] + ["quick"] * 4
        while self._started[what] < self.count:
            self._started[what] += 1
            number = self._started[what]
            async with self.faults.moved:
                await self.faults.moved.wait_for(partial(self._is_due, number))
            await self._do(what, "document" if what == "document" else self.chance.choice(kinds))

    def _is_due(self, number: int) -> bool:
        return number <= self.faults.progress * self.count

    async def _do(self, what: str, kind: str) -> None:
        began = time.monotonic()
        work = Paper(self.scene, paragraphs=1) if what == "document" else Story(self.scene, kind)
        try:
            if isinstance(work, Paper):
                await work.upload()
            await work.has_ended()
            self._took[what].append(time.monotonic() - began)
            await work.is_whole()
        except FAILURES as error:
            self.problems.append(f"{kind}: {type(error).__name__} {error}"[:2000])
        self.done[kind] += 1

    async def _stored(self, what: str) -> int:
        """Returns how many documents or conversations there are."""
        count, token = 0, ""
        while True:
            page = await self.scene.call("GET", f"{what}?pageSize=100&pageToken={token}")
            count += len(page.get("documents" if what == "documents" else "chatSessions", []))
            if not (token := page.get("nextPageToken", "")):
                return count

    def report(self, seed: int) -> str:
        """Returns what was done, what happened meanwhile, and what was lost or doubled."""
        found = f"{len(self.problems)} lost or doubled"
        return f"""
{self.count} runs, {self.done["document"]} documents, {self.seconds:.0f} s, seed {seed}: {found}

- runs by kind: {dict(sorted((kind, count) for kind, count in self.done.items() if kind != "document"))}
- seconds of a run: {_spread(self._took["run"])}; of a document: {_spread(self._took["document"])}
- messages sent twice and out of order: {dict(sorted(self.repeated.items()))}
{self.faults.report()}"""


def _spread(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    return f"half of them {ordered[len(ordered) // 2]:.1f}, at most {ordered[-1]:.1f}"
