"""Parents that wait for sub-agents, and sub-runs that are no longer needed."""

import asyncio
from collections.abc import Awaitable
from uuid import UUID

import pytest

from echomind_lib.db.database import Database
from echomind_lib.db.words import RunStatus, WaitStrategy
from echomind_lib.events.log import EventLog
from echomind_lib.events.replay import read_events
from echomind_lib.events.statements import LOCK_CLASS
from echomind_lib.pb.echomind.internal.v1 import messaging_pb2
from echomind_lib.runs import finish, lease, parents, steps, sub_runs
from echomind_lib.runs.controls import cancel_sub_runs, move_run
from echomind_lib.runs.fence import RunLease
from echomind_lib.runs.finish import Answer, Ending
from echomind_lib.runs.states import status_event
from echomind_lib.runs.steps import NewToolCall
from tests.drivers.conversation import Conversation
from tests.drivers.wire import Wire
from tests.factories.rows import Rows, new_worker
from tests.factories.run_writes import new_step, new_sub_run


async def _take(event_log: EventLog, run_id: UUID) -> RunLease:
    worker = await new_worker(event_log.pool)
    taken = await lease.claim(event_log, run_id, worker)
    assert taken is not None
    assert taken.run_id == run_id
    return taken


async def _delegate(
    log: EventLog, rows: Rows, count: int, strategy: WaitStrategy = "all"
) -> tuple[RunLease, list[RunLease]]:
    """Returns a run that is at work on a step with sub-agents, which are at work too."""
    parent = await _take(log, (await Conversation(log, rows.user_id).ask(end=False)).run_id)
    return parent, await _sub_agents(log, parent, count, strategy)


async def _sub_agents(
    log: EventLog, parent: RunLease, count: int, strategy: WaitStrategy = "all", *, untrusted: bool = False
) -> list[RunLease]:
    """Returns sub-agents at work, which a run starts in a step."""
    calls = [NewToolCall(f"c{number}", "spawn_sub_agent", {}, "pending") for number in range(count)]
    step = new_step(action="delegate", tool_calls=calls, wait_strategy=strategy)
    recorded = await steps.record_step(log, parent, step, [])
    expected = [new_sub_run(call.tool_call_id) for call in calls]
    started = await sub_runs.start(log, parent, recorded.step_id, expected, untrusted=untrusted)
    return [await _take(log, run_id) for run_id in started.values()]


async def _wait(log: EventLog, parent: RunLease) -> None:
    event = status_event("waiting_for_children", "Waiting")
    await lease.release(log, parent, "waiting_for_children", content="", seconds=1.0, events=[event])


async def _end(log: EventLog, child: RunLease, status: RunStatus = "completed") -> None:
    await finish.finish(log, child, Answer("So.", 1), Ending(status, "Over"))


async def _status(log: EventLog, run_id: UUID) -> str:
    return str(await log.pool.fetchval("SELECT status FROM runs WHERE id = $1", run_id))


@pytest.mark.parametrize(
    ("strategy", "ends", "statuses"),
    [
        ("all", ["completed", "failed", "completed"], ["waiting_for_children", "waiting_for_children", "queued"]),
        ("any", ["failed", "completed"], ["waiting_for_children", "queued"]),
        ("majority", ["completed", "completed"], ["waiting_for_children", "queued"]),
    ],
)
async def test_a_childs_end_queues_its_parent_when_the_wait_strategy_holds(
    event_log: EventLog, wire: Wire, rows: Rows, strategy: WaitStrategy, ends: list[RunStatus], statuses: list[str]
) -> None:
    parent, children = await _delegate(event_log, rows, 3, strategy)
    await _wait(event_log, parent)
    await wire.published()
    found = []
    for child, end in zip(children, ends, strict=False):
        await _end(event_log, child, end)
        found.append(await _status(event_log, parent.run_id))
    assert found == statuses
    published = await wire.published()
    assert published.wakes == [str(parent.run_id)]
    assert [event.run_id for stored in published.stored for event in stored.events][-2:] == [
        str(children[len(ends) - 1].run_id),
        str(parent.run_id),
    ]


async def test_a_child_of_a_run_that_has_read_untrusted_text_is_untrusted_from_its_start(
    event_log: EventLog, rows: Rows
) -> None:
    parent = await _take(event_log, (await Conversation(event_log, rows.user_id).ask(end=False)).run_id)
    # As in a notebook of several editors: the worker knows, and has stored nothing of it yet.
    (child,) = await _sub_agents(event_log, parent, 1, untrusted=True)
    assert not parent.run.untrusted
    assert child.run.untrusted


async def test_a_cancelled_child_queues_its_parent(event_log: EventLog, wire: Wire, rows: Rows) -> None:
    parent, children = await _delegate(event_log, rows, 1)
    await _wait(event_log, parent)
    await lease.retry(event_log, children[0], "Again")
    await wire.published()
    assert await move_run(event_log, children[0].run_id, "cancelled")
    assert await _status(event_log, parent.run_id) == "queued"
    assert (await wire.published()).wakes == [str(parent.run_id)]


async def test_a_run_whose_sub_agents_have_ended_does_not_wait(event_log: EventLog, wire: Wire, rows: Rows) -> None:
    parent, children = await _delegate(event_log, rows, 2)
    for child in children:
        await _end(event_log, child)
    await wire.published()
    await _wait(event_log, parent)
    assert await _status(event_log, parent.run_id) == "queued"
    assert (await wire.published()).wakes == [str(parent.run_id)]


async def test_children_that_end_at_once_and_a_parent_that_begins_to_wait(event_log: EventLog, rows: Rows) -> None:
    """Whichever comes last sees the others: the parent is queued once, without a sweep."""
    for _ in range(8):
        parent, children = await _delegate(event_log, rows, 4)
        await asyncio.gather(_wait(event_log, parent), *(_end(event_log, child) for child in children))
        assert await _status(event_log, parent.run_id) == "queued"
        assert await parents.settled_runs(event_log.pool, 10) == []
        texts = [event.text for event in await read_events(event_log.pool, parent.session_id, 0, 100)]
        assert texts.count("Queued") == 2  # as a question, and by the last of its sub-agents
        assert await move_run(event_log, parent.run_id, "cancelled")


async def test_a_childs_end_beside_a_pause_of_its_parent(event_log: EventLog, rows: Rows) -> None:
    """Both write the parent and the event log; so the parent comes first in the child's transaction."""
    parent, (child,) = await _delegate(event_log, rows, 1)
    await _wait(event_log, parent)
    waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    async with event_log.pool.acquire() as connection, connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1, $2)", LOCK_CLASS, parent.session_id)
        works = []
        for count, work in enumerate((_end(event_log, child), move_run(event_log, parent.run_id, "paused")), start=1):
            works.append(asyncio.ensure_future(work))
            async with asyncio.timeout(60):
                while await event_log.pool.fetchval(waits) < count:  # noqa: ASYNC110 - the server does not tell
                    await asyncio.sleep(0.01)
    await asyncio.gather(*works)
    assert await _status(event_log, parent.run_id) in ("queued", "paused")


async def test_a_sweep_queues_a_parent_that_was_left_waiting(event_log: EventLog, wire: Wire, rows: Rows) -> None:
    parent, children = await _delegate(event_log, rows, 1)
    await _wait(event_log, parent)
    await event_log.pool.execute(
        "UPDATE runs SET status = 'completed', completed_at = now() WHERE id = $1", children[0].run_id
    )
    await wire.published()
    assert await parents.settled_runs(event_log.pool, 10) == [parent.run_id]
    await parents.queue_settled(event_log, 10)
    assert await _status(event_log, parent.run_id) == "queued"
    assert (await wire.published()).wakes == [str(parent.run_id)]


async def test_a_sweep_finds_the_runs_of_deleted_sessions(database: Database, rows: Rows, event_log: EventLog) -> None:
    pool = database.pool
    sent = await Conversation(event_log, rows.user_id).ask(end=False)
    assert await sub_runs.orphans(pool, 10) == []
    await pool.execute("UPDATE chat_sessions SET deleted_date = now() WHERE id = $1", sent.chat_session_id)
    assert await sub_runs.orphans(pool, 10) == [sent.run_id]
    taken = await _take(event_log, sent.run_id)
    assert await move_run(event_log, sent.run_id, "cancelled")
    assert await sub_runs.orphans(pool, 10) == []  # its worker knows
    await finish.finish(event_log, taken, Answer("So.", 1), Ending("cancelled", "Cancelled"))
    assert await sub_runs.orphans(pool, 10) == []


async def test_sub_agents_that_nobody_waits_for_are_cancelled_with_those_below_them(
    event_log: EventLog, wire: Wire, rows: Rows
) -> None:
    parent, (idle, working, ended) = await _delegate(event_log, rows, 3)
    (below,) = await _sub_agents(event_log, idle, 1)
    await _wait(event_log, idle)
    await lease.retry(event_log, below, "Again")
    await _end(event_log, ended)
    await wire.published()
    await cancel_sub_runs(event_log, [child.run_id for child in (idle, working, ended)])
    assert [await _status(event_log, child.run_id) for child in (idle, below, working, ended)] == [
        "cancelled",
        "cancelled",
        "running",  # its worker is notified
        "completed",
    ]
    published = await wire.published()
    assert [(message.run_id, message.control) for message in published.controls] == [
        (str(working.run_id), messaging_pb2.CONTROL_CANCEL)
    ]
    assert [event.run_id for stored in published.stored for event in stored.events] == [
        str(idle.run_id),
        str(below.run_id),
    ]
    assert await _status(event_log, parent.run_id) == "running"
    await cancel_sub_runs(event_log, [child.run_id for child in (idle, ended)])  # as a later attempt does
    assert (await wire.published()).stored == []


async def test_round_trips_of_the_ends_of_runs(event_log: EventLog, postgres_url: str, rows: Rows) -> None:
    parent, children = await _delegate(event_log, rows, 2)
    asked = await _take(event_log, (await Conversation(event_log, rows.user_id).ask(end=False)).run_id)
    unwanted = [sub_agent.run_id for sub_agent in (await _delegate(event_log, rows, 3))[1]]
    idle = await Conversation(event_log, rows.user_id).ask(end=False)
    given_back = "UPDATE runs SET status = 'queued', worker_id = NULL WHERE id = ANY ($1)"
    await event_log.pool.execute(given_back, unwanted)
    statements: list[str] = []
    async with await Database.connect(postgres_url, max_size=1) as single:
        log = EventLog(single.pool, event_log.bus)
        async with single.pool.acquire() as connection:
            connection.add_query_logger(lambda query: statements.append(query.query))

        async def counted(work: Awaitable[object]) -> int:
            # What logs a statement is called a round of the loop later.
            await asyncio.sleep(0)
            statements.clear()
            await work
            await asyncio.sleep(0)
            return len(statements)

        begun = await counted(_wait(log, parent))
        # A transaction of two statements: the change, and the check whether the parent still waits.
        assert [begun, *[await counted(_end(log, child)) for child in children]] == [4, 4, 4]
        pending = {"kind": "PENDING_INPUT_KIND_CLARIFICATION"}
        waits = lease.release(
            log,
            asked,
            "waiting_for_input",
            content="",
            seconds=1.0,
            events=[status_event("waiting_for_input", "Waiting")],
            pending_input=pending,
            has_sub_runs=False,
        )
        assert await counted(waits) == 1
        # With one query for its sub-runs.
        assert await counted(move_run(log, idle.run_id, "cancelled")) == 2
        # One query for all of them.
        await cancel_sub_runs(log, [children[0].run_id])  # a connection's first array of ids is a statement more
        assert await counted(cancel_sub_runs(log, unwanted)) == 1 + len(unwanted)
    assert await _status(event_log, parent.run_id) == "queued"
    assert await _status(event_log, idle.run_id) == "cancelled"
