"""The order of the queue: people take turns, each within a limit, under concurrency."""

import asyncio
import json
import random
from collections import Counter
from typing import Any
from uuid import UUID

import asyncpg
import pytest
import pytest_asyncio
from sqlalchemy import select

from echomind_lib.conversations.questions import StoredQuestion
from echomind_lib.db.statements import Query
from echomind_lib.db.words import RunStatus
from echomind_lib.events.log import EventLog
from echomind_lib.events.replay import read_events
from echomind_lib.pb.echomind.public.v1 import run_pb2, session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs import finish, lease, queue, sub_runs
from echomind_lib.runs.controls import move_run
from echomind_lib.runs.fence import RunLease
from echomind_lib.runs.finish import Answer, Ending
from echomind_lib.runs.states import run_status
from tests.drivers.wire import Wire
from tests.factories.questions import ask
from tests.factories.rows import Rows, new_worker
from tests.factories.run_writes import new_sub_run


class Queue:
    """A worker that claims, and people who ask."""

    def __init__(self, log: EventLog, wire: Wire, worker_id: UUID) -> None:
        self.log, self.pool, self.worker_id = log, log.pool, worker_id
        self._wire = wire

    async def ask(self, user_id: int, *, goal: bool = False) -> StoredQuestion:
        return await ask(self.log, user_id, autoRun=goal)

    async def claim(self, limit: int = 8, run_id: UUID | None = None) -> RunLease | None:
        return await lease.claim(self.log, run_id, self.worker_id, limit)

    async def claim_all(self, limit: int = 8) -> list[RunLease]:
        found = []
        while taken := await self.claim(limit):
            found.append(taken)
        return found

    async def end(self, taken: RunLease, **values: Any) -> list[str]:
        """Ends a run; gives the runs that workers were woken for, empty for whichever is next."""
        await self._wire.published()
        await finish.finish(self.log, taken, Answer("So.", 1), Ending("completed", "Answered", **values))
        return (await self._wire.published()).wakes

    async def leave(self, taken: RunLease, status: RunStatus) -> list[str]:
        """Returns the same for a run that is given back."""
        await self._wire.published()
        event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_STATUS)
        event.status.status = run_status(status)
        await lease.release(self.log, taken, status, content="", seconds=1.0, events=[event])
        return (await self._wire.published()).wakes

    async def delegate(self, taken: RunLease, count: int) -> list[UUID]:
        """Starts sub-agents, and lets their parent wait for them."""
        step_id = await self.pool.fetchval(
            "INSERT INTO steps (run_id, step_number, status) VALUES ($1, 1, 'running') RETURNING id", taken.run_id
        )
        new = [new_sub_run(f"c{number}") for number in range(count)]
        for sub_run in new:
            await self.pool.execute(
                "INSERT INTO tool_calls (step_id, tool_call_id, tool_name, status) "
                "VALUES ($1, $2, 'spawn_sub_agent', 'pending')",
                step_id,
                sub_run.tool_call_id,
            )
        started = await sub_runs.start(self.log, taken, step_id, new, untrusted=False)
        await self.leave(taken, "waiting_for_children")
        return list(started.values())


@pytest_asyncio.fixture(loop_scope="session")
async def line(event_log: EventLog, wire: Wire, rows: Rows) -> Queue:
    worker = await new_worker(event_log.pool)
    return Queue(event_log, wire, worker)


async def test_a_person_with_many_runs_does_not_starve_others(line: Queue, rows: Rows) -> None:
    flood = [await line.ask(rows.user_id) for _ in range(70)]
    others = [await rows.user(f"person{number}") for number in range(3)]
    for person in [*others, *others]:
        await line.ask(person)
    turns = [taken.run.user_id for taken in [await line.claim() for _ in range(9)] if taken]
    assert turns[0] == rows.user_id
    assert Counter(turns[:4]) == Counter({rows.user_id: 1, others[0]: 1, others[1]: 1, others[2]: 1})
    assert Counter(turns[4:8]) == Counter(turns[:4])
    assert turns[8] == rows.user_id
    left = await line.pool.fetchval("SELECT count(*) FROM runs WHERE status = 'queued'")
    assert left == len(flood) - 3


async def test_a_message_wakes_a_worker_and_does_not_choose_the_run(line: Queue, rows: Rows) -> None:
    first, second = await line.ask(rows.user_id), await line.ask(rows.user_id)
    taken = await line.claim(run_id=second.run_id)
    assert taken is not None
    assert taken.run_id == first.run_id


async def test_questions_come_before_goals_and_what_is_below_them(line: Queue, rows: Rows) -> None:
    goal = await line.ask(rows.user_id, goal=True)
    root = await line.claim()
    assert root is not None
    assert root.run_id == goal.run_id
    below = await line.delegate(root, 1)
    second_goal, question = await line.ask(rows.user_id, goal=True), await line.ask(rows.user_id)
    order = [taken.run_id for taken in await line.claim_all()]
    assert order == [question.run_id, *below, second_goal.run_id]
    other = await rows.user("other")
    await line.ask(rows.user_id)
    late_goal = await line.ask(other, goal=True)
    taken = await line.claim()
    assert taken is not None
    assert taken.run_id == late_goal.run_id  # the person with fewer active runs has priority


async def test_runs_beyond_the_limit_wait_and_begin_when_others_end(line: Queue, rows: Rows) -> None:
    for _ in range(5):
        await line.ask(rows.user_id)
    at_work = await line.claim_all(limit=3)
    assert len(at_work) == 3
    assert not await line.end(at_work[0])  # no run was held back yet
    at_work += await line.claim_all(limit=3)
    (waiting,) = await line.pool.fetch("SELECT id, chat_session_id FROM runs WHERE status = 'queued'")
    assert await queue.hold_back(line.log, waiting["id"], 3)
    event = (await read_events(line.pool, waiting["chat_session_id"], 0, 10))[-1]
    assert event.text == "Waiting for one of your 3 running questions"
    assert event.status.status == run_pb2.RUN_STATUS_QUEUED
    assert not await queue.hold_back(line.log, waiting["id"], 3)  # the event is published once
    assert (await read_events(line.pool, waiting["chat_session_id"], 0, 10))[-1] == event
    assert await line.end(at_work[2]) == [""]
    (last,) = await line.claim_all(limit=3)
    assert last.run_id == waiting["id"]
    assert not await line.end(last)


async def _locked(pool: asyncpg.Pool) -> None:
    """Returns when a statement of this database waits for a lock."""
    waits = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    while not await pool.fetch(waits):  # noqa: ASYNC110 - a condition of the database
        await asyncio.sleep(0.005)


async def test_an_end_that_began_before_another_run_was_held_back_wakes_a_worker(line: Queue, rows: Rows) -> None:
    first = await line.ask(rows.user_id, goal=True)
    taken = await line.claim(limit=1)
    assert taken is not None
    second = await line.ask(rows.user_id)
    async with line.pool.acquire() as connection, connection.transaction():
        await connection.execute("SELECT FROM chat_sessions WHERE id = $1 FOR UPDATE", first.chat_session_id)
        end = asyncio.create_task(line.end(taken, session_status="completed"))
        await _locked(line.pool)
        assert await queue.hold_back(line.log, second.run_id, 1)
    assert await end == [""]


async def test_a_run_is_not_held_back_by_one_whose_end_is_being_stored(line: Queue, rows: Rows) -> None:
    first, second = await line.ask(rows.user_id), await line.ask(rows.user_id)
    assert await line.claim(limit=1) is not None
    async with line.pool.acquire() as connection:
        async with connection.transaction():
            await connection.execute("UPDATE runs SET status = 'completed' WHERE id = $1", first.run_id)
            held = asyncio.create_task(queue.hold_back(line.log, second.run_id, 1))
            await _locked(line.pool)
        assert await held is False
    assert not await line.pool.fetchval("SELECT held_back FROM runs WHERE id = $1", second.run_id)


async def test_a_run_with_a_free_slot_is_not_held_back(line: Queue, rows: Rows) -> None:
    sent = await line.ask(rows.user_id)
    assert not await queue.hold_back(line.log, sent.run_id, 1)


async def test_the_limit_counts_trees_and_never_stops_what_is_below_a_root(line: Queue, rows: Rows) -> None:
    await line.ask(rows.user_id)
    root = await line.claim(limit=1)
    assert root is not None
    below = await line.delegate(root, 3)
    await line.ask(rows.user_id)  # waits: the first root is active while its sub-agents are
    claimed = await line.claim_all(limit=1)
    assert {taken.run_id for taken in claimed} == set(below)
    assert [await line.end(taken) for taken in claimed] == [[], [], [str(root.run_id)]]
    again = await line.claim(limit=1)
    assert again is not None
    assert again.run_id == root.run_id
    assert await line.claim(limit=1) is None
    await line.end(again)
    assert await line.claim(limit=1) is not None


@pytest.mark.parametrize("status", ["waiting_for_input", "paused"])
async def test_a_run_that_waits_for_a_person_frees_its_slot(line: Queue, rows: Rows, status: RunStatus) -> None:
    first, second = await line.ask(rows.user_id), await line.ask(rows.user_id)
    taken = await line.claim(limit=1)
    assert taken is not None
    await queue.hold_back(line.log, second.run_id, 1)
    if status == "paused":
        await move_run(line.log, first.run_id, "paused")
    assert await line.leave(taken, status) == [""]
    following = await line.claim(limit=1)
    assert following is not None
    assert following.run_id == second.run_id


async def test_runs_of_an_account_that_is_not_active_are_not_begun(line: Queue, rows: Rows) -> None:
    person = await rows.user("person")
    await line.ask(person)
    await line.pool.execute("UPDATE users SET is_active = FALSE WHERE id = $1", person)
    assert await line.claim() is None


async def test_run_of_a_dead_worker_keeps_its_slot_and_is_claimed_by_its_name(line: Queue, rows: Rows) -> None:
    first = await line.ask(rows.user_id)
    taken = await line.claim(limit=1)
    assert taken is not None
    await line.ask(rows.user_id)
    await line.pool.execute("DELETE FROM workers")
    assert await line.claim(limit=1) is None
    again = await line.claim(limit=1, run_id=first.run_id)
    assert again is not None
    assert (again.run_id, again.attempt) == (first.run_id, 2)


async def test_workers_that_claim_at_once_keep_the_limit_and_lose_nothing(line: Queue, rows: Rows) -> None:
    """Ten workers, each with its own connection, and three people with twenty runs each."""
    people = [rows.user_id, await rows.user("second"), await rows.user("third")]
    for person in people:
        for _ in range(20):
            await line.ask(person)
    maximum: Counter[int] = Counter()
    ended: list[UUID] = []

    async def work(seed: int) -> None:
        dice = random.Random(seed)
        held: list[RunLease] = []
        while len(ended) < 60:
            if taken := await line.claim(limit=4):
                held.append(taken)
                for row in await line.pool.fetch(
                    "SELECT user_id, count(*) AS runs FROM runs WHERE status = 'running' GROUP BY user_id"
                ):
                    maximum[row["user_id"]] = max(maximum[row["user_id"]], row["runs"])
            if held and (taken is None or dice.random() < 0.5):
                lease = held.pop(dice.randrange(len(held)))
                await line.end(lease)
                ended.append(lease.run_id)

    async with asyncio.timeout(60):
        await asyncio.gather(*(work(seed) for seed in range(10)))
    assert len(set(ended)) == len(ended) == 60
    assert set(maximum) == set(people)
    assert max(maximum.values()) == 4


async def test_claim_reads_little_when_many_people_wait(line: Queue, rows: Rows) -> None:
    """A thousand people with ten runs each: what is read grows with the people, a few pages each, and not the runs."""
    sent = await line.ask(rows.user_id)
    await line.pool.execute(
        "WITH person AS (INSERT INTO users (user_name, email) SELECT 'p' || n, 'p' || n || '@example.com' "
        "FROM generate_series(1, 999) AS n RETURNING id), "
        "session AS (INSERT INTO chat_sessions (user_id, assistant_id, title) "
        "SELECT person.id, $1, '' FROM person, generate_series(1, 10) RETURNING id, user_id) "
        "INSERT INTO runs (user_id, chat_session_id, assistant_id) SELECT user_id, id, $1 FROM session",
        sent.assistant_id,
    )
    await line.pool.execute("ANALYZE runs, users")
    query: Query[UUID] = Query(select(queue.candidate_runs().c.id), UUID)
    (plan,) = json.loads(await line.pool.fetchval(f"EXPLAIN (ANALYZE, FORMAT JSON) {query.sql}", 8))
    assert plan["Plan"]["Actual Rows"] == 16
    assert plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"] < 5 * 1_000


async def test_a_person_at_the_limit_queues_only_runs_that_may_start(line: Queue, rows: Rows) -> None:
    """Questions that wait for their person's limit do not bring forward what is below that person's goal."""
    await line.ask(rows.user_id, goal=True)
    root = await line.claim(limit=1)
    assert root is not None
    (below,) = await line.delegate(root, 1)
    await line.ask(rows.user_id)
    others = [await rows.user(f"person{number}") for number in range(9)]
    asked = [await line.ask(person) for person in others]
    order = [taken.run_id for taken in await line.claim_all(limit=1)]
    assert order == [*(sent.run_id for sent in asked), below]


async def test_a_claim_skips_rows_locked_by_fifteen_other_claims(line: Queue, rows: Rows) -> None:
    """Without a run it would end the wake-up that brought it, and a run would wait for the sweep."""
    asked = [await line.ask(await rows.user(f"person{number}")) for number in range(16)]
    async with line.pool.acquire() as connection, connection.transaction():
        locked = [sent.run_id for sent in asked[:15]]
        await connection.execute("SELECT FROM runs WHERE id = ANY($1) FOR NO KEY UPDATE", locked)
        taken = await line.claim()
    assert taken is not None
    assert taken.run_id == asked[15].run_id


async def test_questions_without_end_do_not_keep_a_goal_waiting(
    line: Queue, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        await line.ask(rows.user_id)
    goal = await line.ask(rows.user_id, goal=True)
    await queue.promote_goals(line.pool)
    first = await line.claim(limit=1)
    assert first is not None
    assert first.run_id != goal.run_id
    later = await line.ask(rows.user_id)
    monkeypatch.setattr(queue, "GOAL_PATIENCE_SECONDS", 0.0)
    await queue.promote_goals(line.pool)
    await line.end(first)
    order = []
    while taken := await line.claim(limit=1):
        order.append(taken.run_id)
        await line.end(taken)
    assert order.index(goal.run_id) < order.index(later.run_id)


async def test_a_resumed_run_reports_again_why_it_waits(line: Queue, rows: Rows) -> None:
    await line.ask(rows.user_id)
    assert await line.claim(limit=1) is not None
    waiting = await line.ask(rows.user_id)
    assert await queue.hold_back(line.log, waiting.run_id, 1)
    await move_run(line.log, waiting.run_id, "paused")
    await move_run(line.log, waiting.run_id, "queued")
    assert await queue.hold_back(line.log, waiting.run_id, 1)


async def _claim_named(line: Queue, asked: StoredQuestion, limit: int = 8, **options: int) -> RunLease | None:
    return await lease.claim_named(line.log, asked.run_id, line.worker_id, limit, **options)


async def test_a_run_that_waits_alone_is_claimed_by_its_name(line: Queue, rows: Rows) -> None:
    asked = await line.ask(rows.user_id)
    claimed = await _claim_named(line, asked)
    assert claimed is not None
    assert (claimed.run_id, claimed.attempt) == (asked.run_id, 1)
    assert await line.pool.fetchval("SELECT slot FROM runs WHERE id = $1", asked.run_id) == 1
    assert [event.text for event in await read_events(line.pool, asked.chat_session_id, 0, 10)] == ["Queued", "Working"]
    assert await _claim_named(line, asked) is None


async def test_a_named_run_does_not_overtake_others(line: Queue, rows: Rows) -> None:
    first = await line.ask(await rows.user("first"))
    asked = await line.ask(rows.user_id)
    assert await _claim_named(line, asked) is None
    # Of a worker that can start both there is nobody to overtake.
    assert await _claim_named(line, asked, free=2) is not None
    assert await _claim_named(line, first) is not None


async def test_a_named_run_waits_for_its_persons_slot_and_account(line: Queue, rows: Rows) -> None:
    held = [await line.ask(rows.user_id) for _ in range(2)]
    asked = await line.ask(rows.user_id)
    for run in held:
        assert await _claim_named(line, run, 2, free=8) is not None
    assert await _claim_named(line, asked, 2, free=8) is None
    assert await _claim_named(line, asked, 3, free=8, skip=1) is None
    await line.pool.execute("UPDATE users SET is_active = FALSE WHERE id = $1", rows.user_id)
    assert await _claim_named(line, asked, free=8) is None
    await line.pool.execute("UPDATE users SET is_active = TRUE WHERE id = $1", rows.user_id)
    assert await _claim_named(line, asked, 3, free=8) is not None


async def test_a_named_run_needs_no_slot_of_somebody_else(line: Queue, rows: Rows) -> None:
    for user_id in [rows.user_id, await rows.user("second")]:
        asked = await line.ask(user_id)
        assert await _claim_named(line, asked, 1) is not None
        assert await line.pool.fetchval("SELECT slot FROM runs WHERE id = $1", asked.run_id) == 1


async def test_named_claims_at_once_choose_different_slots(line: Queue, rows: Rows) -> None:
    asked = [await line.ask(rows.user_id) for _ in range(12)]
    claims = [_claim_named(line, run, 8, free=20, skip=number) for number, run in enumerate(asked)]
    claimed = [claim for claim in await asyncio.gather(*claims) if claim is not None]
    slots = await line.pool.fetch("SELECT slot FROM runs WHERE status = 'running' ORDER BY slot")
    assert len(claimed) == len(slots) <= 8
    assert len({row["slot"] for row in slots}) == len(slots)
    # What was not claimed waits for its turn, within the limit.
    await line.claim_all(8)
    assert await line.pool.fetchval("SELECT count(*) FROM runs WHERE status = 'running'") == 8


async def test_a_sub_run_is_not_claimed_by_its_name(line: Queue, rows: Rows) -> None:
    asked = await line.ask(rows.user_id)
    taken = await _claim_named(line, asked)
    assert taken is not None
    (sub_run,) = await line.delegate(taken, 1)
    assert await lease.claim_named(line.log, sub_run, line.worker_id) is None
    assert await line.claim(run_id=sub_run) is not None
