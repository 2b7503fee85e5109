"""The SQL that moves runs: sending, taking, recording, finishing, controlling; and its events."""

import asyncio
from datetime import timedelta
from uuid import UUID

import pytest

from echomind_lib.conversations.questions import StoredQuestion
from echomind_lib.db.database import Database
from echomind_lib.db.words import RunStatus
from echomind_lib.errors import NotFoundError, RunActiveError
from echomind_lib.events.log import EventLog
from echomind_lib.events.replay import read_events
from echomind_lib.events.statements import LOCK_CLASS
from echomind_lib.pb.echomind.internal.v1 import messaging_pb2
from echomind_lib.pb.echomind.public.v1 import run_pb2, session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs import finish, lease, steps
from echomind_lib.runs.claim import RECOVERING
from echomind_lib.runs.controls import move_run
from echomind_lib.runs.fence import LeaseLostError
from echomind_lib.runs.finish import Answer, Ending
from echomind_lib.runs.recovery import overlooked_runs
from echomind_lib.runs.steps import NewResult, NewToolCall
from tests.drivers.wire import Wire
from tests.factories.questions import ask
from tests.factories.rows import Rows, new_worker
from tests.factories.run_writes import new_citation, new_step


async def _worker(database: Database) -> UUID:
    worker: UUID = await new_worker(database.pool)
    return worker


async def _send(event_log: EventLog, rows: Rows, content: str = "What?") -> StoredQuestion:
    return await ask(event_log, rows.user_id, None, content)


async def test_first_question_begins_a_session(database: Database, rows: Rows, event_log: EventLog) -> None:
    sent = await _send(event_log, rows, "How many  days\nof leave?")
    session = await database.pool.fetchrow("SELECT * FROM chat_sessions WHERE id = $1", sent.chat_session_id)
    assert session is not None
    assert session["title"] == "How many days of leave?"
    assert session["message_count"] == 2
    assert session["head_message_id"] == sent.assistant_message_id
    assert session["most_recent_run_id"] == sent.run_id
    messages = await database.pool.fetch("SELECT * FROM chat_messages ORDER BY id")
    assert [(m["role"], m["status"], m["parent_message_id"]) for m in messages] == [
        ("user", "completed", None),
        ("assistant", "streaming", sent.user_message_id),
    ]
    (stored,) = await read_events(database.pool, sent.chat_session_id, 0, 10)
    assert sent.event_ids == [stored.id]
    assert stored.queued.assistant_message_id == sent.assistant_message_id
    assert not stored.queued.HasField("user_message")


async def test_second_question_waits_for_the_first_run(database: Database, rows: Rows, event_log: EventLog) -> None:
    sent = await _send(event_log, rows)
    with pytest.raises(RunActiveError) as caught:
        await ask(event_log, rows.user_id, sent.chat_session_id, "And?")
    assert caught.value.metadata["run_id"] == str(sent.run_id)
    assert await database.pool.fetchval("SELECT count(*) FROM chat_messages") == 2


async def test_question_in_a_foreign_session_is_not_found(database: Database, rows: Rows, event_log: EventLog) -> None:
    sent = await _send(event_log, rows)
    stranger = await rows.user("stranger")
    with pytest.raises(NotFoundError):
        await ask(event_log, stranger, sent.chat_session_id, "And?")


async def test_a_repeated_request_returns_the_first_run(database: Database, rows: Rows, event_log: EventLog) -> None:
    first = await ask(event_log, rows.user_id, None, "What?", request_id="r1")
    again = await ask(event_log, rows.user_id, None, "What?", request_id="r1")
    inside = await ask(event_log, rows.user_id, first.chat_session_id, "What?", request_id="r1")
    assert (again.run_id, again.user_message_id) == (first.run_id, first.user_message_id)
    assert inside.run_id == first.run_id
    assert await database.pool.fetchval("SELECT count(*) FROM runs") == 1


async def test_run_from_question_to_answer(database: Database, rows: Rows, event_log: EventLog, wire: Wire) -> None:
    sent = await _send(event_log, rows)
    taken = await lease.claim(event_log, sent.run_id, await _worker(database))
    assert taken is not None
    assert (taken.attempt, taken.run.message_id, taken.run.question_id) == (
        1,
        sent.assistant_message_id,
        sent.user_message_id,
    )
    assert taken.run.model is not None
    assert taken.run.model.is_extractive
    step = new_step(tool_calls=[NewToolCall("c1", "search_documents", {"query": "x"})])
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text="Searching")
    recorded = await steps.record_step(event_log, taken, step, [event])
    result = NewResult("c1", "completed", "found")
    await steps.record_result(event_log, taken, recorded.step_id, result, [], completes_step=True)
    document_id = await rows.document()
    citation = new_citation(number=1, document_id=document_id)
    gone = new_citation(number=2, document_id=999_999, supported=False, page=2)
    answer = Answer("So [1].", 3, citations=[citation, gone])
    last = new_step(step_type="synthesizer", action="answer", status="completed")
    await wire.published()
    await finish.finish(event_log, taken, answer, Ending("completed", "Answered"), last)
    (stored,) = (await wire.published()).stored
    (final,) = stored.events
    assert final.finished.message.content == "So [1]."
    assert [c.number for c in final.finished.message.citations] == [1, 2]
    assert final.finished.prompt_tokens == 20
    run = await database.pool.fetchrow("SELECT * FROM runs")
    assert run is not None
    assert (run["status"], run["steps_executed"], run["tools_called"]) == ("completed", 2, 1)
    kept = await database.pool.fetch("SELECT number, document_id FROM chat_message_documents ORDER BY number")
    assert [tuple(row) for row in kept] == [(1, document_id), (2, None)]
    numbers = await database.pool.fetch("SELECT step_number, status FROM steps ORDER BY id")
    assert [tuple(row) for row in numbers] == [(1, "completed"), (2, "completed")]
    events = await read_events(database.pool, sent.chat_session_id, 0, 100)
    assert [e.text for e in events] == ["Queued", "Working", "Searching", "Answered"]
    assert stored.previous_id == events[-2].id


async def test_a_session_keeps_the_newest_important_steps(database: Database, rows: Rows, event_log: EventLog) -> None:
    sent, number = await _send(event_log, rows), 0
    for count in (0, 3, 19):
        if number:
            sent = await ask(event_log, rows.user_id, sent.chat_session_id, "And?")
        taken = await lease.claim(event_log, sent.run_id, await _worker(database))
        assert taken is not None
        entries = [{"runId": str(sent.run_id), "stepNumber": number + each, "text": "x"} for each in range(count)]
        number += count or 1
        ending = Ending("completed", "Answered", important_steps=entries, session_status="completed")
        await finish.finish(event_log, taken, Answer("So.", 1), ending)
    kept = await database.pool.fetchval("SELECT important_steps FROM chat_sessions")
    assert [step["stepNumber"] for step in kept] == [*range(3, 23)]
    assert await database.pool.fetchval("SELECT DISTINCT tool_calls FROM chat_messages WHERE role = 'assistant'") == []


async def test_a_run_that_waited_for_months_ends(database: Database, rows: Rows, event_log: EventLog) -> None:
    """Milliseconds of more than 24 days are no `INTEGER`."""
    sent = await _send(event_log, rows)
    taken = await lease.claim(event_log, sent.run_id, await _worker(database))
    assert taken is not None
    step = new_step(tool_calls=[NewToolCall("c1", "search_documents", {"query": "x"})])
    step.started_at -= timedelta(days=60)
    await steps.record_step(event_log, taken, step, [])
    await database.pool.execute("UPDATE runs SET started_at = now() - interval '60 days'")
    await database.pool.execute("UPDATE tool_calls SET started_at = now() - interval '60 days'")
    await finish.finish(event_log, taken, Answer("So.", 1), Ending("failed", "Failed"))
    assert await database.pool.fetchval("SELECT duration_ms FROM runs") >= 60 * 86_400_000
    assert await database.pool.fetchval("SELECT min(execution_duration_ms) FROM tool_calls") == 2**31 - 1


async def test_only_one_of_many_workers_claims_a_run(database: Database, rows: Rows, event_log: EventLog) -> None:
    sent = await _send(event_log, rows)
    workers = [await _worker(database) for _ in range(8)]
    taken = await asyncio.gather(*(lease.claim(event_log, sent.run_id, worker) for worker in workers))
    assert sum(each is not None for each in taken) == 1


async def test_run_of_a_dead_worker_is_recovered_and_its_writes_are_refused(
    database: Database, rows: Rows, event_log: EventLog, wire: Wire
) -> None:
    sent = await _send(event_log, rows)
    slow, quick = await _worker(database), await _worker(database)
    first = await lease.claim(event_log, sent.run_id, slow)
    assert first is not None
    assert await lease.claim(event_log, sent.run_id, quick) is None
    await database.pool.execute("DELETE FROM workers WHERE id = $1", slow)
    assert await overlooked_runs(database.pool) == [sent.run_id]
    second = await lease.claim(event_log, sent.run_id, quick)
    assert second is not None
    assert (second.attempt, second.run.retry_count) == (2, 1)
    began = [event.status for event in (await wire.published()).stored[-1].events]
    assert [(status.attempt, status.is_recovery) for status in began] == [(2, True)]
    events = await read_events(database.pool, sent.chat_session_id, 0, 100)
    assert [(event.text, event.status.attempt, event.status.is_recovery) for event in events[1:]] == [
        ("Working", 1, False),
        (RECOVERING, 2, True),
    ]
    with pytest.raises(LeaseLostError):
        await steps.record_step(event_log, first, new_step(), [])
    with pytest.raises(LeaseLostError):
        await steps.exclude_steps(database.pool, first, [1])
    with pytest.raises(LeaseLostError):
        await finish.finish(event_log, first, Answer("old", 1), Ending("completed", "Answered"))
    await finish.finish(event_log, second, Answer("new", 1), Ending("completed", "Answered"))
    with pytest.raises(LeaseLostError):
        await finish.finish(event_log, second, Answer("again", 1), Ending("failed", "Failed"))
    await database.pool.execute("DELETE FROM workers WHERE id = $1", quick)
    assert await overlooked_runs(database.pool) == []
    content = await database.pool.fetchval("SELECT content FROM chat_messages WHERE id = $1", sent.assistant_message_id)
    assert content == "new"
    called = "SELECT tool_calls FROM chat_messages WHERE id = $1"
    assert await database.pool.fetchval(called, sent.assistant_message_id) == []


async def test_a_run_without_important_steps_leaves_an_empty_list(
    database: Database, rows: Rows, event_log: EventLog
) -> None:
    sent = await _send(event_log, rows)
    held = await lease.claim(event_log, sent.run_id, await _worker(database))
    assert held is not None
    ending = Ending("cancelled", "Cancelled", session_status="cancelled", important_steps=[])
    await finish.finish(event_log, held, Answer("", 0), ending)
    kept = await database.pool.fetchval("SELECT important_steps FROM chat_sessions WHERE id = $1", sent.chat_session_id)
    assert kept == []


async def test_queued_run_is_cancelled_at_once_and_never_taken(
    database: Database, rows: Rows, event_log: EventLog, wire: Wire
) -> None:
    sent = await _send(event_log, rows)
    assert await move_run(event_log, sent.run_id, "cancelled")
    published = await wire.published()
    assert published.controls == []
    assert published.stored[-1].events[0].finished.status == run_pb2.RUN_STATUS_CANCELLED
    assert await lease.claim(event_log, sent.run_id, await _worker(database)) is None
    assert not await move_run(event_log, sent.run_id, "cancelled")
    message = await database.pool.fetchval("SELECT status FROM chat_messages WHERE id = $1", sent.assistant_message_id)
    assert message == "cancelled"


async def test_running_run_is_controlled_through_its_worker(
    database: Database, rows: Rows, event_log: EventLog, wire: Wire
) -> None:
    sent = await _send(event_log, rows)
    taken = await lease.claim(event_log, sent.run_id, await _worker(database))
    assert taken is not None
    await wire.published()
    assert await move_run(event_log, sent.run_id, "paused")
    published = await wire.published()
    assert [message.control for message in published.controls] == [messaging_pb2.CONTROL_PAUSE]
    assert published.stored == []
    recorded = await steps.record_step(event_log, taken, new_step(), [])
    assert recorded.control_requested == "pause"
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_STATUS, text="Paused")
    await lease.release(event_log, taken, "paused", content="so far", seconds=1.5, events=[event])
    await wire.published()
    assert await move_run(event_log, sent.run_id, "queued")
    published = await wire.published()
    assert published.wakes == [str(sent.run_id)]
    assert len(published.stored) == 1
    again = await lease.claim(event_log, sent.run_id, await _worker(database))
    assert again is not None
    assert (again.run.usage.seconds, again.run.retry_count) == (1.5, 0)
    assert again.attempt > taken.attempt


@pytest.mark.parametrize(("target", "control"), [("cancelled", "cancel"), ("paused", "pause")])
async def test_a_control_that_the_worker_has_not_heard_of_is_not_lost(
    database: Database, rows: Rows, target: RunStatus, control: str, event_log: EventLog
) -> None:
    sent = await _send(event_log, rows)
    taken = await lease.claim(event_log, sent.run_id, await _worker(database))
    assert taken is not None
    await move_run(event_log, sent.run_id, target)
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_STATUS, text="Waiting")
    with pytest.raises(lease.ControlPendingError) as caught:
        await lease.release(event_log, taken, "waiting_for_children", content="", seconds=1.0, events=[event])
    assert caught.value.control == control
    assert await database.pool.fetchval("SELECT status FROM runs WHERE id = $1", sent.run_id) == "running"


async def test_events_of_many_writers_become_visible_in_order(
    database: Database, rows: Rows, event_log: EventLog
) -> None:
    sent = await _send(event_log, rows)
    taken = await lease.claim(event_log, sent.run_id, await _worker(database))
    assert taken is not None
    seen: list[int] = []
    writing = True

    async def write(count: int) -> None:
        for number in range(count):
            event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=str(number))
            await lease.record_events(event_log, taken, [event])

    async def read() -> None:
        while writing or await read_events(database.pool, sent.chat_session_id, seen[-1] if seen else 0, 1):
            seen.extend(
                event.id for event in await read_events(database.pool, sent.chat_session_id, seen[-1] if seen else 0, 7)
            )

    reader = asyncio.create_task(read())
    await asyncio.gather(*(write(25) for _ in range(4)))
    writing = False
    await reader
    everything = await database.pool.fetch("SELECT id FROM run_events ORDER BY id")
    assert seen == [row["id"] for row in everything]


async def test_event_that_waited_for_another_names_it_as_the_one_before(
    database: Database, rows: Rows, event_log: EventLog, wire: Wire
) -> None:
    """Their announcements may arrive in the wrong order, and a listener must find out."""
    sent = await ask(event_log, rows.user_id, None, "What?")
    taken = await lease.claim(event_log, sent.run_id, await _worker(database))
    assert taken is not None
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text="Working")
    async with database.pool.acquire() as connection, connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1, $2)", LOCK_CLASS, taken.session_id)
        waiting = asyncio.create_task(lease.record_events(event_log, taken, [event]))
        async with asyncio.timeout(60):
            while not await database.pool.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        first = await connection.fetchval(
            "INSERT INTO run_events (chat_session_id, run_id, kind, text) VALUES ($1, $2, 'progress', 'First') "
            "RETURNING id",
            taken.session_id,
            taken.run_id,
        )
    await waiting
    assert (await wire.published()).stored[-1].previous_id == first


async def test_several_events_name_the_one_before_the_first_of_them(
    database: Database, rows: Rows, event_log: EventLog, wire: Wire
) -> None:
    sent = await ask(event_log, rows.user_id, None, "What?")
    taken = await lease.claim(event_log, sent.run_id, await _worker(database))
    assert taken is not None
    progress = [SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=text) for text in ("A", "B")]
    await lease.record_events(event_log, taken, progress)
    stored = (await wire.published()).stored
    assert len(stored[-1].events) == 2
    assert [each.previous_id for each in stored] == [0, *(each.events[-1].id for each in stored[:-1])]
