"""A team whose work a test moves on step by step: who goes next, who dies, what people do meanwhile.

Workers are attempts in this process, without the queue's messages and sweeps. Each request to a model waits until the
test lets it pass, so that the order in which members finish is the test's choice. A death takes all attempts of a
worker, while they wait for their models or between two writes.
"""

import asyncio
import random
import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from pydantic import Field
from typing_extensions import override

from echomind_agent.evidence.sources import found_event, render
from echomind_agent.execution.attempt import RunAttempt
from echomind_agent.llms.models import ChatModels
from echomind_agent.toolset.registry import Tool, ToolContext, ToolResult, tool
from echomind_lib.events.log import EventLog, LogTransaction
from echomind_lib.llms import ChatModel, ChatRequest, Completion, Message, TextDelta, ToolCall, Usage
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.retrieval import Hit
from echomind_lib.retrieval.rendered import parse_sources
from echomind_lib.runs import lease, recovery
from echomind_lib.runs.controls import move_run
from echomind_lib.runs.inputs import approve, provide_input
from tests.drivers.agent import Agent
from tests.factories import rows

MEMBERS = ("Ada", "Bob", "Eve")
TOKENS = Usage(40, 10)
"""What each request to a model takes."""
Conduct = Literal["find", "ask", "order", "nothing"]
"""What a member does: search and report, ask a person first, call a tool that needs approval first, or fail."""


_SAID = re.compile(r"The Book of \w+ says so \[\d+\]\.")


class Died(BaseException):
    """What stops an attempt whose process is gone: no handler of errors may catch it."""


class MortalLog(EventLog):
    """An event log whose process dies before or after one of its next writes."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(log.pool, log.bus)
        self.moments: int | None = None
        """How many moments around writes are left until the death; None for none to come."""

    def _pass(self) -> None:
        if self.moments is not None:
            self.moments -= 1
            if self.moments < 0:
                raise Died

    @override
    async def append(self, *arguments: Any, **named: Any) -> Any:
        self._pass()
        row = await super().append(*arguments, **named)
        self._pass()
        return row

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[LogTransaction]:
        self._pass()
        async with super().transaction() as transaction:
            yield transaction
        self._pass()


@dataclass(eq=False)
class Work:
    """One attempt of one worker."""

    attempt: RunAttempt
    log: MortalLog
    """Its worker's."""
    waits: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while it waits to be let to its model."""
    passes: asyncio.Event = field(default_factory=asyncio.Event)
    task: "asyncio.Task[None] | None" = None

    async def settle(self) -> None:
        """Waits until it asks its model, or is over."""
        assert self.task is not None
        asks = asyncio.create_task(self.waits.wait())
        await asyncio.wait({asks, self.task}, return_when=asyncio.FIRST_COMPLETED)
        asks.cancel()

    async def let(self) -> None:
        """Lets it to its model, and waits until it asks again or is over."""
        self.waits.clear()
        self.passes.set()
        await self.settle()

    async def stop(self) -> None:
        """Takes it away as the death of its process does."""
        assert self.task is not None
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)

    @property
    def is_over(self) -> bool:
        return self.task is not None and self.task.done()


_WORK: ContextVar[Work] = ContextVar("_WORK")


class _Model:
    """A chat model that answers as the test has planned, once the work that asks is let to it."""

    name = "scripted"

    def __init__(self, team: "Team") -> None:
        self._team = team

    async def stream(self, request: ChatRequest) -> AsyncGenerator[TextDelta | Completion, None]:
        work = _WORK.get()
        work.waits.set()
        await work.passes.wait()
        work.passes.clear()
        self._team.check_prompt(request.messages)
        answer = self._team.answer(request)
        calls = answer if isinstance(answer, list) else []
        text = "" if isinstance(answer, list) else answer
        if text:
            yield TextDelta(text)
        yield Completion(text, "", calls, "tool_calls" if calls else "stop", TOKENS, "scripted")

    async def close(self) -> None:
        pass


class _Models(ChatModels):
    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @override
    def of(self, *_: Any, **__: Any) -> ChatModel:
        return self._model


class Team:
    """A conversation with a team of three, and two workers."""

    def __init__(self, agent: Agent, documents: dict[str, int]) -> None:
        """`documents` are those that the members find something in, by member, and one that all find as `all`."""
        self._agent, self.pool, self._documents = agent, agent.pool, documents
        self.mode, self.conducts = "coordinate", dict.fromkeys(MEMBERS, "find")
        self.work: list[Work] = []
        self.session_id = 0
        self.root = UUID(int=0)
        self._workers: list[UUID] = []
        self._logs: list[MortalLog] = []

    # -- how it begins ---------------------------------------------------------------------------------------------
    @classmethod
    async def prepare(cls, agent: Agent) -> "Team":
        """Returns the team, which is asked nothing yet."""
        await agent.lead(Ada="Counts.", Bob="Reads.", Eve="Writes.")
        config = {"tools": ["find", "order"], "approvalTools": ["order"]}
        await agent.pool.execute("UPDATE assistants SET config = $1 WHERE name = ANY($2)", config, MEMBERS)
        connector = await rows.connector(agent.pool, user_id=agent.rows.user_id)
        found = {
            name: (await rows.document(agent.pool, connector_id=connector["id"], title=f"Book of {name}"))["id"]
            for name in (*MEMBERS, "all")
        }
        return cls(agent, found)

    async def ask(self, mode: str, strategy: str, steps: int, conducts: Sequence[Conduct]) -> None:
        """Begins a conversation with a question to the team."""
        self.mode, self.conducts = mode, dict(zip(MEMBERS, conducts, strict=True))
        self.work, self._workers, self._logs = [], [], []
        await self._agent.configure(
            teamMode=f"TEAM_MODE_{mode.upper()}",
            waitStrategy=f"WAIT_STRATEGY_{strategy.upper()}",
            askClarifications=True,
        )
        for _ in range(2):
            self._workers.append(await rows.new_worker(self.pool))
            self._logs.append(MortalLog(self._agent.log))
        sent = await self._agent.send("Root?", maxSteps=steps)
        self.session_id, self.root = sent.chat_session_id, sent.run_id

    # -- what the models answer ------------------------------------------------------------------------------------
    def answer(self, request: ChatRequest) -> str | list[ToolCall]:
        """Returns the text or the calls that a request is answered with."""
        who = re.search(r"You are (Ada|Bob|Eve)\.\n", request.messages[0].content)
        replies = [message.content for message in request.messages if message.role == "tool"]
        may_call = request.tool_choice != "none" and bool(request.tools)
        if who is not None:
            return self._member(who[1], replies, may_call=may_call)
        rounds = sum(bool(message.tool_calls) for message in request.messages)
        if may_call and rounds < 2:
            return self._delegate(rounds)
        # The members' texts in reverse order, so that the answer's numbers differ from the leader's.
        return " ".join(_SAID.findall(" ".join(replies))[::-1]) or "Nothing is known."

    def _member(self, name: str, replies: Sequence[str], *, may_call: bool) -> str | list[ToolCall]:
        conduct = self.conducts[name]
        if conduct == "nothing":
            return ""
        first = {"ask": "ask_user", "order": "order", "find": "find"}[conduct]
        calls = [first] if first == "find" else [first, "find"]
        if may_call and len(replies) < len(calls):
            given = {"question": f"{name}?"} if calls[len(replies)] == "ask_user" else {"key": name}
            return [_call(calls[len(replies)], given)]
        sources = [source for reply in replies for source in parse_sources(reply)]
        return " ".join(f"The {source.title} says so [{source.number}]." for source in sources) or f"{name} is here."

    def _delegate(self, rounds: int) -> list[ToolCall]:
        task = {"task": f"Task {rounds}.", "expected_output": "A sentence."}
        if self.mode == "collaborate":
            return [_call("delegate_task", task)]
        named = MEMBERS[:1] if self.mode == "route" else MEMBERS if rounds == 0 else MEMBERS[1:]
        return [_call("delegate_task", task | {"member": name}, number) for number, name in enumerate(named)]

    def check_prompt(self, messages: Sequence[Message]) -> None:
        """Fails unless each call in a prompt has exactly one result, which says something."""
        calls = [call.id for message in messages for call in message.tool_calls]
        results = {message.tool_call_id: message.content for message in messages if message.role == "tool"}
        if sorted(calls) != sorted(str(each.tool_call_id) for each in messages if each.role == "tool"):
            raise AssertionError(f"calls {calls} and results {[*results]} do not match")
        if empty := [call for call, text in results.items() if not text.strip()]:
            raise AssertionError(f"calls without a word: {empty}")

    # -- tools -----------------------------------------------------------------------------------------------------
    def _tools(self) -> list[Tool]:
        @tool(progress=lambda given: f"Finding {given.key}", untrusted=True, of_sources=True, delimits=True)
        async def find(context: ToolContext, key: Annotated[str, Field(description="Who finds.")]) -> ToolResult:
            """Finds what everybody finds, and what one member finds."""
            hits = [_hit(name, self._documents[name]) for name in ("all", key)]
            found = context.sources.add(hits)
            kind = session_event_pb2.SESSION_EVENT_KIND_PROGRESS
            return ToolResult(render(found), [SessionEvent(kind=kind, sources=found_event(key, found))])

        @tool(progress=lambda given: f"Ordering {given.key}")
        async def order(context: ToolContext, key: Annotated[str, Field(description="What to order.")]) -> str:
            """Orders something."""
            return f"ordered {key}"

        return [find, order]

    # -- what workers do -------------------------------------------------------------------------------------------
    async def claim(self, number: int, worker: int) -> None:
        """Lets a worker claim a run that is queued, or whose worker is dead."""
        claimable = await self.runs("queued", "running")
        if not claimable:
            return
        run_id = claimable[number % len(claimable)]
        taken = await lease.claim(self._logs[worker], run_id, self._workers[worker])
        if taken is None:
            return
        log = self._logs[worker]
        services = replace(self._agent.services(log, self._tools()), models=_Models(_Model(self)))
        work = Work(RunAttempt(services, taken), log)
        self.work.append(work)
        _WORK.set(work)
        work.task = asyncio.create_task(work.attempt.run())
        await work.settle()
        await self._bury()

    async def let(self, number: int, moments: int | None = None) -> None:
        """Lets one attempt to its model, or has a run claimed when there is no attempt.

        With `moments` its worker dies so many moments around writes later.
        """
        if not self.work:
            await self.claim(number, number % 2)
            return
        work = self.work[number % len(self.work)]
        work.log.moments = moments
        await work.let()
        work.log.moments = None
        await self._bury()

    async def die(self, worker: int) -> None:
        """Ends a worker with all its attempts; another one comes in its place."""
        log = self._logs[worker]
        mine = [work for work in self.work if work.log is log]
        for work in mine:
            await work.stop()
        self.work = [work for work in self.work if work not in mine]
        await self.pool.execute("DELETE FROM workers WHERE id = $1", self._workers[worker])
        self._workers[worker] = await rows.new_worker(self.pool)
        self._logs[worker] = MortalLog(self._agent.log)

    async def _bury(self) -> None:
        """Forgets attempts that are over; a worker that died in one of them takes its others along."""
        over = [work for work in self.work if work.is_over]
        self.work = [work for work in self.work if not work.is_over]
        for work in over:
            assert work.task is not None
            error = work.task.exception()
            if isinstance(error, Died):
                await self.die(self._logs.index(work.log))
            elif error is not None:
                raise error

    # -- what people do --------------------------------------------------------------------------------------------
    async def control(self, number: int, target: Literal["cancelled", "paused", "queued"]) -> None:
        """Cancels, pauses or resumes a run of the tree, and tells its worker, as NATS does."""
        runs = await self.runs()
        if not runs:
            return
        await move_run(self._agent.log, runs[number % len(runs)], target)
        requested = "SELECT id, control_requested FROM runs WHERE chat_session_id = $1"
        expected = {row["id"]: row["control_requested"] for row in await self.pool.fetch(requested, self.session_id)}
        for work in self.work:
            if control := expected[work.attempt.run_id]:
                work.attempt.control(control)
                if control == "cancel":
                    assert work.task is not None
                    await asyncio.wait({work.task})
        await self._bury()

    async def reply(self, number: int) -> None:
        """Answers what a run asks, or approves its call."""
        waiting = await self.runs("waiting_for_input")
        if not waiting:
            return
        run_id, person = waiting[number % len(waiting)], self._agent.rows.user_id
        if await provide_input(self._agent.log, run_id, person, "Yes.") is None:
            await approve(self._agent.log, run_id, person, "", True, "")

    async def runs(self, *statuses: str) -> list[UUID]:
        """Returns the tree's runs in these states; without any, all that have not ended."""
        condition = "status = ANY($2)" if statuses else "completed_at IS NULL AND $2::text[] IS NOT NULL"
        query = f"SELECT id FROM runs WHERE chat_session_id = $1 AND {condition} ORDER BY id"
        return [row["id"] for row in await self.pool.fetch(query, self.session_id, list(statuses))]

    async def to_the_end(self, seed: int) -> None:
        """Brings every run to its end: a living worker claims, all models answer, and people answer and resume."""
        order = random.Random(seed)
        for _ in range(300):
            if not await self.runs():
                for work in self.work:
                    await work.stop()
                return
            await recovery.repair_trees(self._agent.log)
            for run_id in await self.runs("paused"):
                await move_run(self._agent.log, run_id, "queued")
            await self.reply(order.randrange(8))
            await self.claim(order.randrange(8), order.randrange(2))
            await self.let(order.randrange(8))
        raise AssertionError("some runs never end")


def _call(name: str, given: dict[str, Any], number: int = 0) -> ToolCall:
    return ToolCall(f"{name}-{number}", name, msgspec.json.encode(given).decode())


def _hit(name: str, document_id: int) -> Hit:
    title = f"Book of {name}"
    return Hit(
        chunk_id=f"chunk of {name}",
        document_id=document_id,
        connector_id=1,
        chunking_session=str(UUID(int=1)),
        title=title,
        text=f"The {title} says so.",
        heading=(),
        page=None,
        start=0,
        end=30,
        cosine=0.9,
        overlap=1.0,
    )
