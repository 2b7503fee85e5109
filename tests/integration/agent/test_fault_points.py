"""A worker that dies at exactly the worst moments, and what the next one makes of it: everything once.

`Death` stops the first worker that comes to a point, and the test then takes that worker's database away, so that
nothing it does afterwards counts: what remains is what a killed process leaves.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from echomind_agent.execution.worker import Worker
from echomind_agent.tools.documents import SEARCH
from echomind_agent.toolset.registry import Tool, ToolContext, tool
from echomind_lib.conversations import checkpoints, summaries
from echomind_lib.conversations.questions import StoredQuestion
from echomind_lib.db.database import Database
from echomind_lib.jobs import lease as job_lease
from echomind_lib.pb.echomind.public.v1 import run_pb2, step_pb2
from echomind_lib.runs import controls, finish, lease, steps, sub_runs
from echomind_lib.runs.controls import move_run
from tests.drivers.agent import Agent
from tests.drivers.model_server import Hang, ModelServer, Text, Tools, Turn
from tests.drivers.summaries import Sessions
from tests.drivers.wire import unheard
from tests.factories.turns import goal_of, plays, sub_agent

When = Callable[..., bool]


class Death:
    """A worker's death at a point of the program, and a second worker that goes on."""

    def __init__(self, agent: Agent, patch: pytest.MonkeyPatch, own: Database) -> None:
        self._agent, self._patch, self._own = agent, patch, own
        self._reached = asyncio.Event()
        self._worker: Worker | None = None

    def at(self, module: Any, name: str, *, after: bool, when: When = lambda *_, **__: True) -> None:
        """Stops the first worker that calls a function, before or after what it does, and lets all others pass."""
        original: Callable[..., Awaitable[Any]] = getattr(module, name)

        async def stop(*arguments: Any, **named: Any) -> Any:
            if self._reached.is_set() or not when(*arguments, **named):
                return await original(*arguments, **named)
            if after:
                with unheard():
                    await original(*arguments, **named)
            self._reached.set()
            return await asyncio.Event().wait()

        self._patch.setattr(module, name, stop)

    def start(self, tools: Sequence[Tool] = ()) -> None:
        """Starts the worker that will die."""
        self._worker = self._agent.start(tools, database=self._own)

    async def comes(self, tools: Sequence[Tool] = ()) -> None:
        """Waits for the death; then another worker goes on."""
        assert self._worker is not None
        async with asyncio.timeout(20):
            await self._reached.wait()
        await self._agent.kill(self._worker, self._own)
        self._agent.start(tools)


@pytest_asyncio.fixture(loop_scope="session")
async def death(agent: Agent, monkeypatch: pytest.MonkeyPatch, postgres_url: str) -> AsyncIterator[Death]:
    own = await Database.connect(postgres_url)
    yield Death(agent, monkeypatch, own)
    own.pool.terminate()


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Waits until something that only the database says is true."""
    async with asyncio.timeout(20):
        while not await condition():  # noqa: ASYNC110 - and it does not tell
            await asyncio.sleep(0.02)


async def has_ended(agent: Agent, sent: StoredQuestion) -> bool:
    return bool((await agent.row(sent.run_id))["completed_at"])


async def has_status(agent: Agent, sent: StoredQuestion, status: str) -> bool:
    return bool((await agent.row(sent.run_id))["status"] == status)


async def is_whole(agent: Agent, sent: StoredQuestion, answer: str) -> None:
    """One run that ended once, with one answer, and a log of events in which everything stands once."""
    # Nobody may be left who tells it: the log is what counts.
    await until(lambda: has_ended(agent, sent))
    row = await agent.row(sent.run_id)
    assert row["status"] == "completed"
    events = [event for event in await agent.stored(sent.chat_session_id) if event.run_id == str(sent.run_id)]
    assert sum(event.HasField("finished") for event in events) == 1
    assert events[-1].finished.status == run_pb2.RUN_STATUS_COMPLETED
    messages = await agent.pool.fetch(
        "SELECT role, content, status FROM chat_messages WHERE chat_session_id = $1 ORDER BY id", sent.chat_session_id
    )
    assert [(message["role"], message["status"]) for message in messages] == [
        ("user", "completed"),
        ("assistant", "completed"),
    ]
    assert messages[1]["content"] == answer
    recorded = await agent.steps(sent.run_id)
    assert [step["step_number"] for step in recorded] == list(range(1, row["steps_executed"] + 1))
    assert {step["status"] for step in recorded} == {"completed"}
    calls = await agent.calls(sent.run_id)
    assert row["tools_called"] == len(calls)
    ended = Counter(
        event.tool_call.tool_call_id
        for event in events
        if event.tool_call.status
        in (step_pb2.STEP_STATUS_COMPLETED, step_pb2.STEP_STATUS_FAILED, step_pb2.STEP_STATUS_CANCELLED)
    )
    assert ended == {call["tool_call_id"]: 1 for call in calls}
    assert await agent.pool.fetchval("SELECT count(*) FROM runs WHERE completed_at IS NULL") == 0


def is_sub_agent(pool: Any, taken: Any, *_: Any) -> bool:
    return taken.run.parent_run_id is not None


# -- between a commit and its announcement ---------------------------------------------------------------------------
async def test_the_end_is_stored_and_nobody_is_told(agent: Agent, model_server: ModelServer, death: Death) -> None:
    model_server.script([Text("All of it."), Text("Again.")])
    death.at(finish, "finish", after=True)
    death.start()
    sent = await agent.ask()
    await death.comes()
    await is_whole(agent, sent, "All of it.")
    # The session is free for the next question.
    assert (await agent.answer("And?", sent.chat_session_id)).finished.message.content == "Again."
    assert len(model_server.requests) == 2


async def test_an_answer_to_a_question_is_stored_and_no_worker_is_told(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Tools([("ask_user", {"question": "Which?"})]), Text("Done.")])
    agent.start()
    sent = await agent.ask(askClarifications=True)
    await agent.waits(sent.run_id)
    with unheard():
        await agent.reply(sent.run_id, "This.")
    await is_whole(agent, sent, "Done.")
    assert model_server.requests[-1]["messages"][-1]["content"] == "This."
    texts = [event.text for event in await agent.stored(sent.chat_session_id)]
    assert texts.count("Answered by a person") == 1


async def test_a_permission_is_stored_and_no_worker_is_told(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(approvalTools=["order"])
    agent.shelf.go.set()
    model_server.script([Tools([("order", {"key": "pizza"})]), Text("Done.")])
    agent.start()
    sent = await agent.ask()
    await agent.waits(sent.run_id)
    with unheard():
        await agent.decide(sent.run_id, True)
    await is_whole(agent, sent, "Done.")
    assert agent.shelf.calls == [("order", "pizza")]


async def test_a_run_begins_to_wait_for_a_person_and_nobody_is_told(
    agent: Agent, model_server: ModelServer, death: Death
) -> None:
    model_server.script([Tools([("ask_user", {"question": "Which?"})]), Text("Done.")])
    death.at(lease, "release", after=True)
    death.start()
    sent = await agent.ask(askClarifications=True)
    await death.comes()
    asked = [e for e in await agent.stored(sent.chat_session_id) if e.HasField("input_requested")]
    assert [event.input_requested.pending_input.question for event in asked] == ["Which?"]
    await agent.reply(sent.run_id, "This.")
    await is_whole(agent, sent, "Done.")
    assert (await agent.row(sent.run_id))["retry_count"] == 0


# -- calls of tools --------------------------------------------------------------------------------------------------
async def test_after_a_step_is_recorded_its_calls_are_made_once(
    agent: Agent, model_server: ModelServer, death: Death
) -> None:
    agent.shelf.go.set()
    model_server.script([Tools([("look_up", {"key": "a"}), ("order", {"key": "pizza"})]), Text("Done.")])
    death.at(steps, "record_step", after=True)
    death.start()
    sent = await agent.ask()
    await death.comes()
    await is_whole(agent, sent, "Done.")
    assert Counter(agent.shelf.calls) == {("look_up", "a"): 1, ("order", "pizza"): 1}
    assert len(model_server.requests) == 2


async def test_an_answer_tells_of_what_an_earlier_attempt_searched_for(
    agent: Agent, model_server: ModelServer, death: Death
) -> None:
    @tool(name=SEARCH, description="Searches.", progress=lambda given: "Searching")
    async def search(context: ToolContext, query: str) -> str:
        return f"Nothing about {query}."

    model_server.script([Tools([(SEARCH, {"query": "leave"})]), Tools([(SEARCH, {"query": "days"})]), Text("Done.")])
    death.at(steps, "record_result", after=True)
    death.start([search])
    sent = await agent.ask("How many?")
    await death.comes([search])
    await is_whole(agent, sent, "Done.")
    message: Any = await agent.pool.fetchrow("SELECT * FROM chat_messages WHERE id = $1", sent.assistant_message_id)
    assert [call["parameters"]["query"] for call in message["tool_calls"]] == ["leave", "days"]
    assert message["rephrased_query"] == "leave"


async def test_a_result_that_was_not_stored_yet(agent: Agent, model_server: ModelServer, death: Death) -> None:
    """A call without a side effect is made again; one with a side effect is put to the person."""
    agent.shelf.go.set()
    model_server.script([Tools([("look_up", {"key": "a"})]), Tools([("order", {"key": "pizza"})]), Text("Done.")])
    death.at(steps, "record_result", after=False)
    death.start()
    sent = await agent.ask()
    await death.comes()
    await is_whole(agent, sent, "Done.")
    assert Counter(agent.shelf.calls) == {("look_up", "a"): 2, ("order", "pizza"): 1}


async def test_a_result_of_a_side_effect_that_was_not_stored_yet(
    agent: Agent, model_server: ModelServer, death: Death
) -> None:
    agent.shelf.go.set()
    model_server.script([Tools([("order", {"key": "pizza"})]), Text("Done.")])
    death.at(steps, "record_result", after=False)
    death.start()
    sent = await agent.ask()
    await death.comes()
    assert (await agent.waits(sent.run_id)).kind == run_pb2.PENDING_INPUT_KIND_OUTCOME
    await agent.reply(sent.run_id, "It came.")
    await is_whole(agent, sent, "Done.")
    assert agent.shelf.calls == [("order", "pizza")]


async def test_between_a_checkpoint_and_its_side_effect(agent: Agent, model_server: ModelServer, death: Death) -> None:
    """The checkpoint goes together with the note that the call is begun: neither is there, and the call is made."""
    agent.shelf.go.set()
    model_server.script([Tools([("order", {"key": "pizza"})]), Text("Done.")])
    death.at(checkpoints, "create_in_run", after=True)
    death.start()
    sent = await agent.ask()
    await death.comes()
    await is_whole(agent, sent, "Done.")
    assert agent.shelf.calls == [("order", "pizza")]
    assert await agent.pool.fetchval("SELECT count(*) FROM checkpoints") == 1
    changes = [event for event in await agent.stored(sent.chat_session_id) if event.HasField("session_changed")]
    assert len(changes) == 1


# -- sub-agents ------------------------------------------------------------------------------------------------------
async def sub_agents_of(agent: Agent, sent: StoredQuestion) -> list[tuple[str, str]]:
    rows = await agent.pool.fetch("SELECT goal, status FROM runs WHERE parent_run_id = $1 ORDER BY id", sent.run_id)
    return [(row["goal"], row["status"]) for row in rows]


async def test_sub_agents_are_stored_and_no_worker_is_told(
    agent: Agent, model_server: ModelServer, death: Death
) -> None:
    await agent.configure(tools=["spawn_sub_agent"])
    model_server.respond(
        plays([Tools([sub_agent("A."), sub_agent("B.")]), Text("Both.")], lambda goal, body: Text(f"Found {goal}"))
    )
    death.at(sub_runs, "start", after=True)
    death.start()
    sent = await agent.ask("Root?")
    await death.comes()
    await is_whole(agent, sent, "Both.")
    assert await sub_agents_of(agent, sent) == [("A.", "completed"), ("B.", "completed")]
    assert Counter(map(goal_of, model_server.requests)) == {"Root?": 2, "A.": 1, "B.": 1}


async def test_a_sub_agent_ends_and_its_parent_is_not_woken(
    agent: Agent, model_server: ModelServer, death: Death
) -> None:
    await agent.configure(tools=["spawn_sub_agent"])
    waiting = run_pb2.RUN_STATUS_WAITING_FOR_CHILDREN

    async def respond(body: dict[str, Any]) -> Turn:
        if goal_of(body) == "Root?":
            return next(root)
        await agent.until(lambda: any(event.status.status == waiting for event in agent.events))
        return Text("Found.")

    root: Iterator[Turn] = iter([Tools([sub_agent("A.")]), Text("Done.")])
    model_server.respond(respond)
    death.at(finish, "finish", after=True, when=is_sub_agent)
    death.start()
    sent = await agent.ask("Root?")
    await death.comes()
    await is_whole(agent, sent, "Done.")
    assert await sub_agents_of(agent, sent) == [("A.", "completed")]
    assert Counter(map(goal_of, model_server.requests)) == {"Root?": 2, "A.": 1}


async def test_a_parent_begins_to_wait_after_its_sub_agent_has_ended(
    agent: Agent, model_server: ModelServer, death: Death, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sub-agent has found nobody to wake, and the parent's worker dies before it looks again."""
    await agent.configure(tools=["spawn_sub_agent"])
    leaves = asyncio.Event()

    async def respond(body: dict[str, Any]) -> Turn:
        if goal_of(body) == "Root?":
            return next(root)
        await leaves.wait()
        return Text("Found.")

    root: Iterator[Turn] = iter([Tools([sub_agent("A.")]), Text("Done.")])
    model_server.respond(respond)
    leave = lease.release

    async def leave_late(*arguments: Any, **named: Any) -> Any:
        leaves.set()
        await agent.until(lambda: any(event.HasField("finished") for event in agent.events))
        return await leave(*arguments, **named)

    monkeypatch.setattr(lease, "release", leave_late)
    death.at(lease, "release", after=True)
    death.start()
    sent = await agent.ask("Root?")
    await death.comes()
    await is_whole(agent, sent, "Done.")
    assert Counter(map(goal_of, model_server.requests)) == {"Root?": 2, "A.": 1}


async def test_a_step_is_closed_and_its_other_sub_agents_are_not_cancelled(
    agent: Agent, model_server: ModelServer, death: Death
) -> None:
    """The next attempt cancels them at once, not when the run ends."""
    await agent.configure(tools=["spawn_sub_agent"], waitStrategy="WAIT_STRATEGY_ANY")
    cancelled = run_pb2.RUN_STATUS_CANCELLED

    async def respond(body: dict[str, Any]) -> Turn:
        if goal_of(body) == "Root?":
            if body["messages"][-1]["role"] != "tool":
                return Tools([sub_agent("Quick."), sub_agent("Slow.")])
            await agent.until(lambda: any(event.finished.status == cancelled for event in agent.events))
            return Text("Enough.")
        return Text("Here.") if goal_of(body) == "Quick." else Hang("Still ")

    model_server.respond(respond)
    death.at(steps, "close_step", after=True)
    death.start()
    sent = await agent.ask("Root?")
    await death.comes()
    await is_whole(agent, sent, "Enough.")
    assert await sub_agents_of(agent, sent) == [("Quick.", "completed"), ("Slow.", "cancelled")]
    assert [call["status"] for call in await agent.calls(sent.run_id)] == ["completed", "cancelled"]


async def test_a_run_ends_and_its_sub_agents_are_not_cancelled(
    agent: Agent, model_server: ModelServer, death: Death
) -> None:
    await agent.configure(tools=["spawn_sub_agent"])
    model_server.respond(plays([Tools([sub_agent("A.")])], lambda goal, body: Hang("So ")))
    death.at(controls, "move_below", after=False)
    agent.start()
    sent = await agent.ask("Root?")
    await model_server.wait_for_requests(2)
    # As a gateway that dies after the first statement of a cancellation.
    task = asyncio.create_task(move_run(agent.log, sent.run_id, "cancelled"))
    await until(lambda: has_status(agent, sent, "cancelled"))
    task.cancel()

    async def reached() -> bool:
        return await sub_agents_of(agent, sent) == [("A.", "cancelled")]

    await until(reached)
    await model_server.wait_for_disconnects(1)


# -- a commit whose confirmation is lost -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("module", "name"),
    [(steps, "record_step"), (steps, "record_result"), (lease, "release"), (finish, "finish"), (sub_runs, "start")],
    ids=["record_step", "record_result", "leave", "finish", "sub_runs.start"],
)
async def test_the_connection_breaks_after_a_commit(
    agent: Agent, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, module: Any, name: str
) -> None:
    """The worker lives, and cannot know whether its statement took effect."""
    await agent.configure(tools=["order", "spawn_sub_agent"], approvalTools=["order"])
    agent.shelf.go.set()
    model_server.respond(
        plays([Tools([("order", {"key": "pizza"}), sub_agent("A.")]), Text("Done.")], lambda goal, body: Text("Found."))
    )
    original = getattr(module, name)
    broken = False

    async def breaks(pool: Any, taken: Any, *arguments: Any, **named: Any) -> Any:
        nonlocal broken
        result = await original(pool, taken, *arguments, **named)
        if broken or taken.run.parent_run_id is not None:
            return result
        broken = True
        raise asyncpg.ConnectionDoesNotExistError("connection was closed in the middle of operation")

    monkeypatch.setattr(module, name, breaks)
    agent.start()
    sent = await agent.ask("Root?")
    await until(lambda: has_status(agent, sent, "waiting_for_input"))
    await agent.decide(sent.run_id, True)
    await is_whole(agent, sent, "Done.")
    assert broken
    assert agent.shelf.calls == [("order", "pizza")]
    assert await sub_agents_of(agent, sent) == [("A.", "completed")]


async def test_the_connection_breaks_after_a_call_was_noted_as_begun(
    agent: Agent, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was not made, and nobody can know: so it is put to the person, and not made by itself."""
    agent.shelf.go.set()
    model_server.script([Tools([("order", {"key": "pizza"})]), Text("Done.")])
    broken = asyncio.Event()
    original: Any = asyncpg.transaction.Transaction.__aexit__

    async def breaks(self: Any, *arguments: Any) -> Any:
        result = await original(self, *arguments)
        if broken.is_set():
            return result
        broken.set()
        raise asyncpg.ConnectionDoesNotExistError("connection was closed in the middle of operation")

    monkeypatch.setattr(asyncpg.transaction.Transaction, "__aexit__", breaks)
    agent.start()
    sent = await agent.ask()
    await broken.wait()
    assert (await agent.waits(sent.run_id)).kind == run_pb2.PENDING_INPUT_KIND_OUTCOME
    await agent.reply(sent.run_id, "Nothing came.")
    await is_whole(agent, sent, "Done.")
    assert agent.shelf.calls == []
    assert await agent.pool.fetchval("SELECT count(*) FROM checkpoints") == 1


# -- controls in the gaps --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("target", "status"), [("cancelled", "cancelled"), ("paused", "paused")])
@pytest.mark.parametrize("waits_for", ["person", "sub_agents"])
async def test_a_control_comes_while_a_run_begins_to_wait(
    agent: Agent,
    model_server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    target: Any,
    status: str,
    waits_for: str,
) -> None:
    """It is not lost: the run is in the worker's hands when it is asked for, and waiting a moment later."""
    call = ("ask_user", {"question": "Which?"}) if waits_for == "person" else sub_agent("A.")
    await agent.configure(tools=["spawn_sub_agent"])
    model_server.respond(plays([Tools([call]), Text("Done.")], lambda goal, body: Hang("So ")))
    original = lease.release
    controlled = False

    async def late(*arguments: Any, **named: Any) -> Any:
        nonlocal controlled
        if not controlled:
            controlled = True
            with unheard():
                await agent.control(sent.run_id, target)
            assert (await agent.row(sent.run_id))["status"] == "running"
        return await original(*arguments, **named)

    monkeypatch.setattr(lease, "release", late)
    agent.start()
    sent = await agent.ask("Root?", askClarifications=True)

    async def there() -> bool:
        rows = await agent.pool.fetch("SELECT status, control_requested, depth FROM runs")
        # A sub-agent that a worker has is told, and pauses at its step's end.
        told = [row["status"] == status or (row["depth"] and row["control_requested"] == "pause") for row in rows]
        return all(told)

    await until(there)
    if status == "paused" and waits_for == "person":
        await agent.control(sent.run_id, "queued")
        await agent.waits(sent.run_id)
        await agent.reply(sent.run_id, "This.")
        await is_whole(agent, sent, "Done.")
    assert controlled


async def test_a_cancellation_is_not_taken_back_by_a_pause(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Hang("So far")])
    agent.start()
    sent = await agent.ask()
    await agent.until(lambda: 1 in agent.texts(sent.assistant_message_id))
    with unheard():
        await agent.control(sent.run_id, "cancelled")
    await agent.control(sent.run_id, "paused")
    assert (await agent.end(sent.run_id)).finished.status == run_pb2.RUN_STATUS_CANCELLED


# -- summaries -------------------------------------------------------------------------------------------------------
async def test_a_summary_is_written_and_not_stored_yet(
    sessions: Sessions, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    model_server.script([Text("The first summary."), Text("The second summary.")])
    session_id, messages = await sessions.session(6)
    reached = asyncio.Event()
    original = summaries.save

    async def stop(*arguments: Any, **options: Any) -> Any:
        if reached.is_set():
            return await original(*arguments, **options)
        reached.set()
        return await asyncio.Event().wait()

    async def is_gone(*arguments: Any) -> None:
        raise asyncpg.ConnectionDoesNotExistError("the worker is dead")

    monkeypatch.setattr(summaries, "save", stop)
    dying = await sessions.start()
    assert await summaries.request_summary(sessions.pool, sessions.bus, session_id)
    async with asyncio.timeout(20):
        await reached.wait()
    with monkeypatch.context() as dead:
        dead.setattr(job_lease, "release", is_gone)
        await sessions.stop(dying)
    await sessions.pool.execute("DELETE FROM workers")
    await sessions.start()
    session = await sessions.done(session_id)
    assert session["compressed_summary"] == "The second summary."
    assert session["last_compressed_message_id"] in messages
    assert not session["is_compressing"]
    job = await sessions.job(session_id)
    assert (job["status"], job["attempt"]) == ("completed", 2)
    told = await sessions.pool.fetchval(
        "SELECT count(*) FROM run_events WHERE chat_session_id = $1 AND payload ? 'sessionChanged'", session_id
    )
    assert told == 1
