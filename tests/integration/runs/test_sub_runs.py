"""Which parents a sweep has to wake, and which runs it has to end."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

from echomind_lib.db.database import Database
from echomind_lib.events.log import EventLog
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs import finish, lease, steps, sub_runs
from echomind_lib.runs.controls import move_run
from echomind_lib.runs.finish import Answer, Ending
from echomind_lib.runs.lease import RunLease
from echomind_lib.runs.steps import NewStep, NewToolCall
from echomind_lib.runs.sub_runs import NewSubRun
from tests.drivers.conversation import Conversation
from tests.factories.rows import Rows


async def _take(database: Database, run_id: UUID) -> RunLease:
    worker = await database.pool.fetchval(
        "INSERT INTO workers (id, service, host) VALUES ($1, 'agent', 'h') RETURNING id", uuid4()
    )
    taken = await lease.claim(database.pool, run_id, worker)
    assert taken is not None
    return taken


async def test_a_sweep_finds_the_parents_that_may_go_on_and_no_others(
    database: Database, rows: Rows, event_log: EventLog
) -> None:
    pool = database.pool
    parent = await _take(database, (await Conversation(event_log, rows.user_id).ask(end=False)).run_id)
    calls = [NewToolCall(name, "spawn_sub_agent", {}, "pending") for name in ("one", "two")]
    step = NewStep("action", "delegate", "running", "m", [], {}, datetime.now(UTC), tool_calls=calls)
    recorded = await steps.record_step(pool, parent, step, [])
    wanted = [NewSubRun(call.tool_call_id, "Go.", "", 5, 60, None, None) for call in calls]
    children, _ = await sub_runs.start(pool, parent, recorded.step_id, wanted)
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_STATUS, text="Waiting")
    await lease.release(pool, parent, "waiting_for_children", "", 1.0, [event])
    for child in children.values():
        assert await sub_runs.waiting_parents(pool, 10) == []
        await finish.finish(pool, await _take(database, child), Answer("So.", 1), Ending("completed", "Answered"))
    assert await sub_runs.waiting_parents(pool, 10) == [parent.run_id]
    assert await sub_runs.wake(pool, parent.run_id) is not None
    assert await sub_runs.waiting_parents(pool, 10) == []


async def test_a_sweep_finds_the_runs_of_deleted_sessions(database: Database, rows: Rows, event_log: EventLog) -> None:
    pool = database.pool
    sent = await Conversation(event_log, rows.user_id).ask(end=False)
    assert await sub_runs.orphans(pool, 10) == []
    await pool.execute("UPDATE chat_sessions SET deleted_date = now() WHERE id = $1", sent.session_id)
    assert await sub_runs.orphans(pool, 10) == [sent.run_id]
    taken = await _take(database, sent.run_id)
    assert await move_run(pool, sent.run_id, "cancelled")
    assert await sub_runs.orphans(pool, 10) == []  # its worker knows
    await finish.finish(pool, taken, Answer("So.", 1), Ending("cancelled", "Cancelled"))
    assert await sub_runs.orphans(pool, 10) == []
