"""Plans of runs and of people: writes, rejected changes, and published events."""

import asyncio
from collections.abc import Sequence
from graphlib import TopologicalSorter
from typing import Any
from uuid import UUID

import asyncpg
import pytest
import pytest_asyncio
from google.protobuf import json_format
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echomind_lib.db.database import Database
from echomind_lib.events.log import EventLog
from echomind_lib.events.replay import read_events
from echomind_lib.pb.echomind.public.v1 import todo_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.plans import todos
from echomind_lib.plans.listing import TodoRow, list_todos, read_todo
from echomind_lib.plans.rules import OPEN, PlanError, Todo, WrittenTodo
from echomind_lib.plans.spending import spend
from echomind_lib.runs import lease
from echomind_lib.runs.fence import LeaseLostError, RunLease
from tests.factories.questions import ask
from tests.factories.rows import Rows, new_worker

W = WrittenTodo


@pytest_asyncio.fixture(loop_scope="session")
async def taken(event_log: EventLog, rows: Rows) -> RunLease:
    """A run in a worker's hands."""
    return await take(event_log, rows)


async def take(log: EventLog, rows: Rows) -> RunLease:
    sent = await ask(log, rows.user_id, None, "What?")
    worker: UUID = await new_worker(log.pool)
    taken = await lease.claim(log, sent.run_id, worker, limit=1000)
    assert taken is not None
    return taken


def shape(plan: Sequence[Todo]) -> list[tuple[int, str, str, list[int]]]:
    """Number, title, status and dependencies by number."""
    numbers = {todo.id: todo.number for todo in plan}
    return [(t.number, t.title, t.status, [numbers[todo_id] for todo_id in t.dependencies]) for t in plan]


async def events_of_plans(database: Database, taken: RunLease) -> list[SessionEvent]:
    events = await read_events(database.pool, taken.session_id, 0, 1000)
    return [event for event in events if event.HasField("todos")]


async def last_told(database: Database, taken: RunLease) -> list[todo_pb2.Todo]:
    return list((await events_of_plans(database, taken))[-1].todos.todos)


async def test_a_plan_is_written_changed_and_published(
    database: Database, taken: RunLease, event_log: EventLog
) -> None:
    pool = database.pool
    first = await todos.write_plan(
        event_log,
        taken,
        [
            W(1, "Collect", estimated_steps=3),
            W(2, "Compare", "carefully", [1], 5, 2, 900),
            W(7, "Report", None, [1, 2]),
        ],
    )
    assert shape(first) == [
        (1, "Collect", "pending", []),
        (2, "Compare", "pending", [1]),
        (3, "Report", "pending", [1, 2]),
    ]
    (event,) = await events_of_plans(database, taken)
    assert (event.text, event.run_id) == ("Planned 3 todos", str(taken.run_id))
    told = event.todos.todos
    assert [(t.id, t.order_index, t.title, list(t.dependencies)) for t in told] == [
        (t.id, t.number, t.title, list(t.dependencies)) for t in first
    ]
    assert (told[1].description, told[1].priority, told[1].estimated_steps, told[1].estimated_tokens) == (
        "carefully", 5, 2, 900,
    )  # fmt: skip
    assert (told[0].run_id, told[0].chat_session_id) == (str(taken.run_id), taken.session_id)
    assert list(told) == await last_told(database, taken)
    # Another order, one removed, one new; the started one stays although it is omitted.
    await todos.update(event_log, taken, 1, "in_progress")
    second = await todos.write_plan(
        event_log, taken, [W(3, "Write the report", depends_on=[4]), W(4, "Ask", depends_on=[1])]
    )
    assert shape(second) == [
        (1, "Collect", "in_progress", []),
        (2, "Write the report", "pending", [3]),
        (3, "Ask", "pending", [1]),
    ]
    assert second[1].id == first[2].id
    assert [t.title for t in await last_told(database, taken)] == ["Collect", "Write the report", "Ask"]
    assert await todos.plan_of(pool, taken.run_id) == second
    # Repeating it changes and publishes nothing.
    count = len(await events_of_plans(database, taken))
    await todos.write_plan(event_log, taken, [W(2, "Write the report", depends_on=[3]), W(3, "Ask", depends_on=[1])])
    assert len(await events_of_plans(database, taken)) == count


async def test_todos_go_through_their_states(database: Database, taken: RunLease, event_log: EventLog) -> None:
    pool = database.pool
    await todos.write_plan(event_log, taken, [W(1, "A"), W(2, "B", depends_on=[1]), W(3, "C", depends_on=[2])])
    with pytest.raises(
        PlanError, match=r"Todo 2 \(“B”\) cannot be in progress: it depends on todo 1 \(“A”\), which is"
    ):
        await todos.update(event_log, taken, 2, "in_progress")
    begun = (await todos.update(event_log, taken, 1, "in_progress"))[0]
    assert begun.started_at is not None
    assert begun.completed_at is None
    done = (await todos.update(event_log, taken, 1, "completed", result="found it"))[0]
    assert (done.started_at, done.result, done.duration_seconds) == (begun.started_at, "found it", 0)
    assert done.completed_at is not None
    with pytest.raises(PlanError, match=r"Todo 3 .* cannot be completed: it depends on todo 2"):
        await todos.update(event_log, taken, 3, "completed")
    failed = (await todos.update(event_log, taken, 2, "failed", error="no way"))[1]
    assert (failed.status, failed.error) == ("failed", "no way")
    with pytest.raises(
        PlanError, match=r"is failed and cannot become completed. It can become: cancelled, in_progress"
    ):
        await todos.update(event_log, taken, 2, "completed")
    put_back = (await todos.update(event_log, taken, 2, "pending"))[1]
    assert (put_back.error, put_back.started_at, put_back.completed_at) == (None, None, None)
    assert [todo.number for todo in await todos.plan_of(pool, taken.run_id) if todo.status in OPEN] == [2, 3]
    await todos.update(event_log, taken, 2, "in_progress")
    with pytest.raises(PlanError, match=r"Todo 2 .* cannot be in progress: it depends on todo 1"):
        await todos.update(event_log, taken, 1, "in_progress")
    with pytest.raises(PlanError, match=r"There is no todo 4 in the plan. It has 1 to 3"):
        await todos.update(event_log, taken, 4, "completed")
    await todos.update(event_log, taken, 2, "completed")
    await todos.update(event_log, taken, 3, "cancelled")
    assert not any(todo.status in OPEN for todo in await todos.plan_of(pool, taken.run_id))


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ([W(1, "A"), W(1, "B")], "The number 1 is given twice"),
        ([W(1, "A", depends_on=[1])], "cannot depend on itself"),
        (
            [W(1, "A", depends_on=[5]), W(2, "B")],
            "Todo 1 depends on 5, which is the number of no todo. The plan has 1, 2",
        ),
        ([W(1, "A", depends_on=[3]), W(2, "B", depends_on=[1]), W(3, "C", depends_on=[2])], "form a circle: todo"),
        ([W(number, "A") for number in range(1, 102)], "100 todos at most"),
    ],
)
async def test_plan_that_cannot_be_is_refused(
    database: Database, taken: RunLease, plan: list[WrittenTodo], message: str, event_log: EventLog
) -> None:
    before = await todos.write_plan(event_log, taken, [W(1, "Old")])
    with pytest.raises(PlanError, match=message):
        await todos.write_plan(event_log, taken, plan)
    assert await todos.plan_of(database.pool, taken.run_id) == before


async def test_ended_todo_cannot_become_another_and_begun_one_cannot_depend_on_open_ones(
    database: Database, taken: RunLease, event_log: EventLog
) -> None:
    await todos.write_plan(event_log, taken, [W(1, "A"), W(2, "B"), W(3, "C")])
    await todos.update(event_log, taken, 1, "completed")
    await todos.update(event_log, taken, 2, "in_progress")
    with pytest.raises(PlanError, match=r"Todo 1 .* is completed already .* number new todos from 4 on"):
        await todos.write_plan(event_log, taken, [W(1, "Something else")])
    with pytest.raises(PlanError, match=r"Todo 2 .* cannot be in progress: it depends on todo 3"):
        await todos.write_plan(event_log, taken, [W(2, "B", depends_on=[3]), W(3, "C")])
    plan = await todos.write_plan(event_log, taken, [W(3, "C", depends_on=[1]), W(1, "A"), W(2, "B")])
    assert shape(plan) == [
        (1, "C", "pending", [2]), (2, "A", "completed", []), (3, "B", "in_progress", []),
    ]  # fmt: skip


async def test_spending_is_counted_for_what_is_in_progress(
    database: Database, taken: RunLease, event_log: EventLog
) -> None:
    pool = database.pool
    count = await pool.fetchval("SELECT count(*) FROM run_events")
    await spend(event_log, taken, 1, 100, 0)
    await todos.write_plan(event_log, taken, [W(1, "A"), W(2, "B"), W(3, "C")])
    await spend(event_log, taken, 1, 100, 0)
    assert await pool.fetchval("SELECT count(*) FROM run_events") == count + 1
    await todos.update(event_log, taken, 1, "in_progress")
    await todos.update(event_log, taken, 2, "in_progress")
    await spend(event_log, taken, 1, 100, 0)
    assert [(t.order_index, t.actual_steps, t.actual_tokens) for t in await last_told(database, taken)] == [
        (1, 1, 100), (2, 1, 100), (3, 0, 0),
    ]  # fmt: skip
    await todos.update(event_log, taken, 1, "completed")
    await spend(event_log, taken, 2, 2**40, 0)
    rows = await list_todos(pool, taken.session_id, taken.run_id)
    assert [(row.actual_steps, row.actual_tokens) for row in rows] == [(1, 100), (3, 2**31 - 1), (0, 0)]


async def test_the_step_that_ends_a_todo_is_counted(database: Database, taken: RunLease, event_log: EventLog) -> None:
    pool = database.pool
    await todos.write_plan(event_log, taken, [W(1, "A"), W(2, "B"), W(3, "C"), W(4, "D")])
    await todos.update(event_log, taken, 4, "completed")
    step_id = await pool.fetchval(
        "INSERT INTO steps (run_id, step_number, status) VALUES ($1, 1, 'running') RETURNING id", taken.run_id
    )
    await todos.update(event_log, taken, 1, "completed")
    await todos.update(event_log, taken, 2, "failed", error="No.")
    await spend(event_log, taken, 1, 10, step_id)
    assert [t.actual_steps for t in await last_told(database, taken)] == [1, 1, 0, 0]


async def test_lost_run_writes_nothing(database: Database, taken: RunLease, event_log: EventLog) -> None:
    await todos.write_plan(event_log, taken, [W(1, "A")])
    await todos.update(event_log, taken, 1, "in_progress")
    told = await last_told(database, taken)
    await database.pool.execute("UPDATE runs SET attempt = attempt + 1 WHERE id = $1", taken.run_id)
    with pytest.raises(LeaseLostError):
        await todos.write_plan(event_log, taken, [W(1, "B")])
    with pytest.raises(LeaseLostError):
        await todos.update(event_log, taken, 1, "completed")
    with pytest.raises(LeaseLostError):
        await spend(event_log, taken, 1, 1, 0)
    assert await last_told(database, taken) == told


async def test_people_add_change_and_remove(
    database: Database, rows: Rows, taken: RunLease, event_log: EventLog
) -> None:
    pool, session = database.pool, taken.session_id
    plan = await todos.write_plan(event_log, taken, [W(1, "A"), W(2, "B", depends_on=[1])])
    a, b = (todo.id for todo in plan)
    first = await todos.create(event_log, session, rows.user_id, {"title": "Read it", "dependencies": [b]})
    added = (await events_of_plans(database, taken))[-1]
    assert (added.run_id, added.text) == ("", "Added: Read it")
    second = await todos.create(event_log, session, rows.user_id, {"title": "Sign it", "dependencies": [first]})
    with pytest.raises(PlanError, match=r"Todo 1 .* cannot be in progress: it depends on todo 2"):
        await todos.change(event_log, session, first, rows.user_id, {"status": "in_progress"})
    with pytest.raises(PlanError, match="form a circle"):
        await todos.change(event_log, session, first, rows.user_id, {"dependencies": [second]})
    with pytest.raises(PlanError, match="belongs to another plan"):
        await todos.change(event_log, session, a, rows.user_id, {"dependencies": [first]})
    with pytest.raises(PlanError, match="there is no such todo here"):
        await todos.create(event_log, session, rows.user_id, {"title": "x", "dependencies": [10**12]})
    # The person's todo no longer depends on the deleted one; both plans are published.
    assert await todos.delete(event_log, session, b, rows.user_id)
    assert [(event.run_id, len(event.todos.todos)) for event in (await events_of_plans(database, taken))[-2:]] == [
        (str(taken.run_id), 1),
        ("", 2),
    ]
    await todos.change(event_log, session, first, rows.user_id, {"status": "completed", "result": "fine"})
    await todos.delete(event_log, session, first, rows.user_id)
    (left,) = (row for row in await list_todos(pool, session) if row.run_id is None)
    assert (left.id, left.order_index, left.dependencies) == (second, 1, [])
    assert not await todos.delete(event_log, session, first, rows.user_id)
    assert not await todos.change(event_log, session, first, rows.user_id, {"title": "x"})


async def test_agent_may_remove_a_todo_that_a_persons_todo_depends_on(
    database: Database, rows: Rows, taken: RunLease, event_log: EventLog
) -> None:
    plan = await todos.write_plan(event_log, taken, [W(1, "A"), W(2, "B")])
    mine = await todos.create(event_log, taken.session_id, rows.user_id, {"title": "x", "dependencies": [plan[1].id]})
    await todos.write_plan(event_log, taken, [W(1, "A")])
    row = await read_todo(database.pool, mine)
    assert row is not None
    assert row.dependencies == []


async def test_long_texts_are_cut_in_events_and_kept_in_rows(
    database: Database, taken: RunLease, event_log: EventLog
) -> None:
    long = "ü" * 2000
    await todos.write_plan(event_log, taken, [W(n, "ü" * 500, long) for n in range(1, 101)])
    plan = await todos.update(event_log, taken, 1, "completed", result=long)
    assert plan[0].result == long
    event = (await events_of_plans(database, taken))[-1]
    assert len(event.todos.todos[0].result) == 300
    assert event.ByteSize() < 500_000


async def test_writers_at_the_same_time_leave_one_whole_plan(
    database: Database, rows: Rows, taken: RunLease, event_log: EventLog
) -> None:
    pool = database.pool
    await todos.write_plan(event_log, taken, [W(n, f"T{n}", depends_on=[n - 1] if n > 1 else []) for n in range(1, 6)])
    await todos.update(event_log, taken, 1, "in_progress")

    async def work() -> None:
        # One after the other, as the agent of a run does.
        for turn in range(5):
            await todos.write_plan(
                event_log, taken, [W(1, f"T1 {turn}"), W(2, "T2"), W(9, f"new {turn}", depends_on=[1])]
            )
            await spend(event_log, taken, 1, 10, 0)

    async def add() -> None:
        for turn in range(5):
            first = (await todos.plan_of(pool, taken.run_id))[0]
            await todos.create(
                event_log, taken.session_id, rows.user_id, {"title": f"mine {turn}", "dependencies": [first.id]}
            )

    await asyncio.gather(work(), add())
    stored = await list_todos(pool, taken.session_id)
    require_whole(stored)
    own = [row for row in stored if row.run_id]
    assert own[0].actual_steps == 5
    events = await read_events(pool, taken.session_id, 0, 1000)
    told = [event for event in events if event.HasField("todos") and event.run_id]
    assert [(t.id, t.actual_steps, t.title) for t in told[-1].todos.todos] == [
        (row.id, row.actual_steps, row.title) for row in own
    ]


def require_whole(rows: Sequence[TodoRow]) -> None:
    """Numbers are dense, and dependencies are there, without circles."""
    ids = {row.id for row in rows}
    for run_id in {row.run_id for row in rows}:
        numbers = [row.order_index for row in rows if row.run_id == run_id]
        assert numbers == list(range(1, len(numbers) + 1))
    assert all(ids >= set(row.dependencies) for row in rows)
    list(TopologicalSorter({row.id: row.dependencies for row in rows}).static_order())
    done = {row.id for row in rows if row.status == "completed"}
    assert all(done >= set(row.dependencies) for row in rows if row.status == "in_progress" and row.run_id)


numbers = st.integers(1, 7)
statuses = st.sampled_from(["pending", "in_progress", "completed", "cancelled", "failed"])
operations = st.one_of(
    st.tuples(
        st.just("write"),
        st.lists(st.tuples(numbers, st.sampled_from("ABC"), st.lists(numbers, max_size=3)), max_size=6),
    ),
    st.tuples(st.just("update"), numbers, statuses),
    st.tuples(st.just("spend"), numbers),
    st.tuples(st.just("create"), st.lists(numbers, max_size=2)),
    st.tuples(st.just("change"), numbers, statuses, st.lists(numbers, max_size=2)),
    st.tuples(st.just("delete"), numbers),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sequence=st.lists(operations, min_size=1, max_size=10))
async def test_any_sequence_keeps_plans_whole(event_log: EventLog, rows: Rows, sequence: list[Any]) -> None:
    taken, pool, user = await take(event_log, rows), event_log.pool, rows.user_id
    session = taken.session_id
    for name, *given_ in sequence:
        known = [row.id for row in await list_todos(pool, session)] + [0]
        pick = {number: known[number % len(known)] for number in range(1, 8)}
        try:
            match name, given_:
                case "write", [plan]:
                    await todos.write_plan(event_log, taken, [W(n, title, depends_on=on) for n, title, on in plan])
                case "update", [number, status]:
                    await todos.update(event_log, taken, number, status, result="r", error="e")
                case "spend", [tokens]:
                    await spend(event_log, taken, 1, tokens, 0)
                case "create", [on]:
                    columns = {"title": "mine", "dependencies": [pick[n] for n in set(on)]}
                    await todos.create(event_log, session, user, columns)
                case "change", [number, status, on]:
                    columns = {"status": status, "dependencies": [pick[n] for n in set(on)]}
                    await todos.change(event_log, session, pick[number], user, columns)
                case "delete", [number]:
                    await todos.delete(event_log, session, pick[number], user)
        except PlanError:
            pass
        stored = await list_todos(pool, session)
        require_whole(stored)
        own = [row for row in stored if row.run_id]
        if own:
            told = await last_of(pool, taken)
            assert [(t.id, t.order_index, t.title, t.actual_tokens) for t in told] == [
                (row.id, row.order_index, row.title, row.actual_tokens) for row in own
            ]


async def last_of(pool: asyncpg.Pool, taken: RunLease) -> list[todo_pb2.Todo]:
    payload = await pool.fetchval(
        "SELECT payload -> 'todos' FROM run_events WHERE run_id = $1 AND payload ? 'todos' ORDER BY id DESC LIMIT 1",
        taken.run_id,
    )
    return [json_format.ParseDict(todo, todo_pb2.Todo()) for todo in payload["todos"]]
