"""What turns and idleness take of an installation."""

import asyncio
import json
import statistics
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
import asyncpg

from echomind_lib.config import Settings
from echomind_lib.handwritten_routes import UPLOAD
from echomind_lib.jobs import FIND_IDLE_SESSIONS, SUMMARIZE_SESSION, TITLE_SESSION, wake
from echomind_lib.jobs.kinds import JobKind
from echomind_lib.learned.sessions.kinds import LEARNINGS
from echomind_lib.messaging import Bus
from echomind_lib.objects import ObjectStore
from tests.drivers.counted_processes import Processes
from tests.drivers.counting import (
    Calls,
    CountedEmbedder,
    CountedService,
    NatsCounts,
    PostgresCounts,
    Statement,
)
from tests.drivers.model_server import ModelServer
from tests.drivers.model_turns import Json, Text, Tools, Turn

QUESTIONS = (
    "How does the index decide which passages answer a question?",
    "And what changes when two sources disagree about it?",
    "Which of them would you trust for a date or a figure, and why?",
    "Give me the short version of what you have told me so far.",
    "What should I read next to check it for myself?",
)
"""The turns of a conversation."""
_WORDS = "the answer depends on how the index was built and which passages were found so check it".split()  # noqa: SIM905
_TOKENS = 100
_SENTENCE = 20
_PASSAGES = 3
_WARM_UP = 8
"""Documents before those that are counted: the ORM's connections plan the first six executions of a statement."""
_ROUNDS = 9
"""So often a passage of a document has the words."""


class Answers:
    """What the scripted model says: an answer of 100 words, in retrieval after a search for the question as it is."""

    def __init__(self) -> None:
        self.searches = False
        """Whether it searches before it answers."""
        self.requests = 0
        """Requests so far, of all kinds but those that the server answers itself."""
        self.on_request: Callable[[], Awaitable[None]] | None = None
        """Called before a request is answered."""

    async def __call__(self, body: Json) -> Turn:
        """Answers a request."""
        self.requests += 1
        if self.on_request is not None:
            await self.on_request()
        messages = body["messages"]
        if self.searches and body.get("tools") and messages[-1]["role"] == "user":
            return Tools([("search_documents", {"query": messages[-1]["content"]})])
        return self.answer()

    def answer(self) -> Text:
        """Returns an answer, which cites in each sentence when passages were searched."""
        words = [_WORDS[index % len(_WORDS)] for index in range(_TOKENS)]
        for sentence, index in enumerate(range(_SENTENCE - 1, _TOKENS, _SENTENCE)):
            words[index] += f" [{sentence % 3 + 1}]." if self.searches else "."
        return Text(" ".join(words), at_once=True)


@dataclass(slots=True)
class Work:
    """What was done."""

    model_calls: int
    statements: list[Statement]
    commits: int
    messages: int
    message_bytes: int
    embedded: list[str]
    calls: dict[str, Calls]

    def figures(self, units: int) -> dict[str, float]:
        """Returns the figures of one of the units of work that were done."""
        totals: dict[str, float] = {
            "model_calls": self.model_calls,
            "statements": sum(statement.calls for statement in self.statements),
            "plannings": sum(statement.plannings for statement in self.statements),
            "commits": self.commits,
            "wal_records": sum(statement.wal_records for statement in self.statements),
            "wal_bytes": sum(statement.wal_bytes for statement in self.statements),
            "buffers": sum(statement.buffers for statement in self.statements),
            "nats_messages": self.messages,
            "nats_bytes": self.message_bytes,
            "embedded_texts": len(self.embedded),
            "embedded_characters": sum(map(len, self.embedded)),
        }
        totals |= {f"{name}_calls": counted.calls for name, counted in self.calls.items()}
        return {name: total / units for name, total in totals.items()}

    def report(self, units: int) -> str:
        """Returns the statements and the functions that were called most, for one unit of work."""
        lines = [
            f"{s.calls / units:8.2f} x {s.plannings / s.calls:.2f} plannings, "
            f"{s.wal_bytes / s.calls:6.0f} bytes of WAL, {s.buffers / s.calls:5.0f} buffers: {s.text[:160]}"
            for s in self.statements
        ]
        for name, counted in self.calls.items():
            lines += [f"calls of {name}:", *(f"{count / units:8.1f} x {called}" for count, called in counted.most)]
        return "\n".join(lines)


@dataclass(slots=True)
class Installation:
    """A running gateway and agent, and what counts their work."""

    settings: Settings
    pool: asyncpg.Pool
    http: aiohttp.ClientSession
    bus: Bus
    models: ModelServer
    answers: Answers
    postgres: PostgresCounts
    nats: NatsCounts
    embedder: CountedEmbedder
    services: dict[str, CountedService]
    processes: Processes
    objects: ObjectStore

    # -- turns -----------------------------------------------------------------------------------------------------
    async def converse(self, sessions: int, *, title: str = "") -> None:
        """Holds conversations of five turns, one after the other; with a title they are begun with it."""
        for _ in range(sessions):
            session = await self._begin(title) if title else None
            for question in QUESTIONS:
                session = await self._turn(session, question)
        await self._rest(TITLE_SESSION, SUMMARIZE_SESSION)

    async def _begin(self, title: str) -> str:
        async with self.http.post("/api/v1/chat-sessions", json={"title": title}) as answer:
            return str((await answer.json())["id"])

    async def _turn(self, session: str | None, question: str) -> str:
        path = f"/api/v1/chat-sessions/{session or '-'}/messages:stream"
        async with self.http.post(path, json={"content": question}) as answer:
            lines = (await answer.text()).splitlines()
        events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
        finished = events[-1]["finished"]
        assert finished["status"] == "RUN_STATUS_COMPLETED", finished
        return session or str(finished["message"]["chatSessionId"])

    async def _rest(self, *kinds: JobKind) -> None:
        """Waits until the jobs of some kinds are done; those that wait for another attempt make it at once."""
        names = [kind.name for kind in kinds]
        condition = "status IN ('pending', 'running') AND kind = ANY($1)"
        while await self.pool.fetchval(f"SELECT count(*) FROM background_jobs WHERE {condition}", names):
            waiting = "UPDATE background_jobs SET run_after = now() WHERE status = 'pending' AND kind = ANY($1)"
            if (await self.pool.execute(f"{waiting} AND run_after > now()", names)) != "UPDATE 0":
                await wake(self.bus, kinds[0])
            await asyncio.sleep(0.02)

    async def turns(self, sessions: int, *, title: str = "") -> tuple[dict[str, float], str]:
        """Returns the figures of a turn after warming up, and what they are made of."""
        await self.converse(2, title=title)
        async with self.counting() as work:
            await self.converse(sessions, title=title)
        figures = work.figures(sessions * len(QUESTIONS))
        figures |= await self._statements_before_tokens(title)
        nodes, plans = await self._plan_nodes(title)
        return figures | {"plan_nodes": nodes}, f"{work.report(sessions * len(QUESTIONS))}\n{plans}"

    async def programs(self, questions: int) -> tuple[dict[str, float], str]:
        """Returns what a question over `/v1` costs, as parts of what one of our own API costs, each in a new session.

        Those of our own API also get a title, by a job of the agent, whose calls are therefore not compared.
        """
        work: list[Work] = []
        for ask in (self._turn_of_new_session, self._complete):
            await ask()
            await self._rest(TITLE_SESSION)
            async with self.counting() as counted:
                for _ in range(questions):
                    await ask()
            work.append(counted)
        own, other = (each.figures(questions) for each in work)
        names = ("statements", "commits", "wal_bytes", "nats_messages", "api_calls")
        return {f"{name}_to_own": other[name] / own[name] for name in names}, work[1].report(questions)

    async def _turn_of_new_session(self) -> None:
        await self._turn(None, QUESTIONS[0])

    async def _complete(self) -> None:
        body = {"model": "echomind", "stream": True, "messages": [{"role": "user", "content": QUESTIONS[0]}]}
        async with self.http.post("/v1/chat/completions", json=body) as answer:
            assert (await answer.text()).endswith("data: [DONE]\n\n")

    async def _statements_before_tokens(self, title: str) -> dict[str, float]:
        """Returns how many statements a turn after the first sends before its model is asked: at all, and for text."""
        before_model, before_answer = list[int](), list[int]()
        counts: list[int] = []

        async def count() -> None:
            counts.append(await self.postgres.calls())

        session = await self._begin(title) if title else await self._turn(None, QUESTIONS[0])
        for question in QUESTIONS[1:]:
            await self._rest(TITLE_SESSION)
            await self.postgres.reset()
            self.answers.on_request = count
            counts.clear()
            await self._turn(session, question)
            self.answers.on_request = None
            before_model.append(counts[0])
            before_answer.append(counts[-1])
        medians = {"model": statistics.median(before_model), "answer": statistics.median(before_answer)}
        return {f"statements_before_{name}": median for name, median in medians.items()}

    async def _plan_nodes(self, title: str) -> tuple[float, str]:
        """Returns the nodes of the plans of a turn's statements, and each statement with its own."""
        known = len(self.postgres.plans())
        await self.postgres.explain(on=True)
        await self.converse(1, title=title)
        await self.postgres.explain(on=False)
        plans = self.postgres.plans()[known:]
        kinds = sorted({(nodes, text[:200]) for text, nodes in plans}, reverse=True)
        turns = len(QUESTIONS)
        return sum(nodes for _, nodes in plans) / turns, "\n".join(f"{nodes} nodes: {text}" for nodes, text in kinds)

    # -- idleness --------------------------------------------------------------------------------------------------
    async def idle_sessions(self, sessions: int) -> tuple[dict[str, float], str]:
        """Returns the figures of a session that becomes idle, and what they are made of."""
        await self.pool.execute("UPDATE chat_sessions SET deleted_date = now()")
        self.processes.stop("agent")
        settings = self.settings.model_copy(
            update={"agent": self.settings.agent.model_copy(update={"idle_minutes": 0})}
        )
        self.services["agent"] = self.processes.start("agent", settings)
        await self.converse(sessions, title="Idle")
        # With a model that answers in no valid form learning pauses.
        self.models.memory = self.models.knowledge = Text('{"operations": []}')
        learning = tuple(learning.job for learning in LEARNINGS)
        async with self.counting() as work:
            await self.pool.execute(
                "UPDATE background_jobs SET run_after = now() WHERE kind = $1", FIND_IDLE_SESSIONS.name
            )
            await wake(self.bus, FIND_IDLE_SESSIONS)
            asked, expected = "SELECT count(*) FROM background_jobs WHERE kind = ANY($1)", sessions * len(learning)
            while await self.pool.fetchval(asked, [kind.name for kind in learning]) < expected:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            await self._rest(*learning)
        names = [kind.name for kind in learning]
        attempts = await self.pool.fetchval("SELECT sum(attempt) FROM background_jobs WHERE kind = ANY($1)", names)
        return work.figures(sessions) | {"jobs": attempts / sessions}, work.report(sessions)

    async def documents(self, number: int, *, together: int = 1) -> tuple[dict[str, float], str]:
        """Returns the figures of a new document of three passages, and what they are made of.

        Args:
            number: Documents to count.
            together: Documents of one upload.
        """
        agent = self.services.pop("agent")
        self.services["ingestor"] = self.processes.start("ingestor", self.settings)
        begin = await self.pool.fetchval("SELECT COALESCE(max(id), 0) FROM documents")
        await self._upload(range(begin, begin + _WARM_UP * together), together)
        begin += _WARM_UP * together
        stored = len(await self.objects.keys("documents/"))
        async with self.counting() as work:
            await self._upload(range(begin, begin + number), together)
        objects = len(await self.objects.keys("documents/")) - stored
        self.processes.stop("ingestor")
        del self.services["ingestor"]
        self.services["agent"] = agent
        return work.figures(number) | {"objects": objects / number}, work.report(number)

    async def _upload(self, numbers: range, together: int) -> None:
        """Uploads documents, one request after the other, and waits for those of each until they are processed."""
        for first in numbers[::together]:
            form = aiohttp.FormData()
            for number in range(first, first + together):
                sections = (f"# Part {part} of {number}\n\n" + " ".join(_WORDS * _ROUNDS) for part in range(_PASSAGES))
                form.add_field("file", "\n\n".join(sections).encode(), filename=f"{number}.md")
            async with self.http.post(UPLOAD, data=form) as answer:
                ids = [int(document["id"]) for document in (await answer.json())["documents"]]
            chunks: list[int] = []
            done = "SELECT chunk_count FROM documents WHERE id = ANY($1) AND status = 'completed'"
            while len(chunks) < together:
                await asyncio.sleep(0.02)
                chunks = [row["chunk_count"] for row in await self.pool.fetch(done, ids)]
            assert set(chunks) == {_PASSAGES}

    async def idle_seconds(self, seconds: float) -> tuple[dict[str, float], str]:
        """Returns the figures of the whole stack while nobody does anything, and what they are made of."""
        self.processes.stop("agent")
        for name in ("agent", "ingestor"):
            self.services[name] = self.processes.start(name, self.settings, "--with-timers")
        await asyncio.sleep(seconds / 2)  # until what is done once at a start is done
        async with self.counting() as work:
            await asyncio.sleep(seconds)
        return work.figures(1), work.report(1)

    @asynccontextmanager
    async def counting(self) -> AsyncIterator[Work]:
        """Counts what is done while the block lasts; the figures are there after it."""
        asked, embedded = self._asked, len(self.embedder.texts)
        messages, message_bytes = await self.nats.received()
        for service in self.services.values():
            await service.calls()
        first = await self.postgres.reset()
        work = Work(0, [], 0, 0, 0, [], {})
        yield work
        work.statements, work.commits = await self.postgres.statements(), await self.postgres.next_transaction() - first
        work.calls = {name: await service.calls() for name, service in self.services.items()}
        after = await self.nats.received()
        work.messages, work.message_bytes = after[0] - messages, after[1] - message_bytes
        work.model_calls = self._asked - asked
        work.embedded = self.embedder.texts[embedded:]

    @property
    def _asked(self) -> int:
        models = self.models
        return sum(map(len, (models.titles, models.extractions, models.memories))) + self.answers.requests
