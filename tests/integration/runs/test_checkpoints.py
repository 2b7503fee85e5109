"""Checkpoints: content, permissions, retention, and restoring."""

import asyncio
from typing import Any

import pytest

from echomind_lib.conversations import checkpoints
from echomind_lib.conversations.checkpoints import KEPT
from echomind_lib.conversations.restore import restore
from echomind_lib.db.database import Database
from echomind_lib.errors import NotFoundError, RunActiveError
from echomind_lib.events.log import EventLog
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.runs import lease
from echomind_lib.runs.fence import LeaseLostError, RunLease
from tests.drivers.conversation import Conversation
from tests.factories.rows import Rows, new_worker


async def _checkpoint(conversation: Conversation, checkpoint_id: int) -> Any:
    return await conversation.pool.fetchrow("SELECT * FROM checkpoints WHERE id = $1", checkpoint_id)


async def test_holds_the_session_with_its_todos(conversation: Conversation) -> None:
    sent = await conversation.ask()
    first = await conversation.todo("a", run_id=sent.run_id, result={"x": 1.5})
    second = await conversation.todo("b", dependencies=[first], order_index=2)
    await conversation.pool.execute(
        "UPDATE chat_sessions SET goal = 'g', context = $1, preferences = $2, important_steps = $3,"
        " compressed_summary = 's', last_compressed_message_id = 1",
        {"a": [1]},
        {"maxSteps": 3},
        [{"text": "x"}],
    )
    made = await checkpoints.create(conversation.log, conversation.session_id, "manual", "n" * 300, description="why")
    row = await _checkpoint(conversation, made.checkpoint_id)
    assert (row["name"], row["description"], row["checkpoint_type"]) == ("n" * 255, "why", "manual")
    assert (row["run_id"], row["step_number"]) == (None, None)
    state = row["session_state"]
    todos = state.pop("todos")
    assert state == {
        "head_message_id": sent.assistant_message_id, "goal": "g", "status": "active", "context": {"a": [1]},
        "preferences": {"maxSteps": 3}, "important_steps": [{"text": "x"}], "compressed_summary": "s",
        "last_compressed_message_id": 1,
    }  # fmt: skip
    assert [(todo["id"], todo["title"], todo["dependencies"]) for todo in todos] == [
        (first, "a", []),
        (second, "b", [first]),
    ]
    event = (await conversation.events())[-1]
    assert event.session_changed.change == session_event_pb2.SESSION_CHANGE_CHECKPOINT_CREATED
    assert event.session_changed.checkpoint_id == made.checkpoint_id
    assert (event.session_changed.head_message_id, [event.id]) == (sent.assistant_message_id, made.event_ids)


async def test_names_the_run_that_is_at_work(conversation: Conversation) -> None:
    sent = await conversation.ask(end=False)
    await conversation.pool.execute("UPDATE runs SET steps_executed = 4")
    made = await checkpoints.create(conversation.log, conversation.session_id, "manual", "x")
    row = await _checkpoint(conversation, made.checkpoint_id)
    assert (row["run_id"], row["step_number"]) == (sent.run_id, 4)
    assert made.run_id == sent.run_id


async def test_in_mid_run_holds_the_last_finished_answer(conversation: Conversation) -> None:
    """What comes after it, the answer of the run at work, is no part of the state that one goes back to."""
    before = await conversation.ask("One?")
    active = await conversation.ask("Order it.", end=False)
    made = await checkpoints.create(conversation.log, conversation.session_id, "before_tool", "Before order")
    row = await _checkpoint(conversation, made.checkpoint_id)
    assert row["session_state"]["head_message_id"] == before.assistant_message_id
    assert made.head_message_id == active.assistant_message_id  # shown now
    await conversation.end(active.run_id, "I have ordered it.")
    await restore(conversation.log, made.checkpoint_id, conversation.user_id)
    assert (await conversation.events())[-1].session_changed.head_message_id == before.assistant_message_id
    assert (await conversation.session())["head_message_id"] == before.assistant_message_id
    asked = await conversation.ask("Do not order it.")
    assert asked.parent_message_id == before.assistant_message_id


async def test_a_milestone_holds_the_answer_that_follows(conversation: Conversation) -> None:
    active = await conversation.ask(end=False)
    made = await checkpoints.create(conversation.log, conversation.session_id, "milestone", "All todos are done")
    await conversation.end(active.run_id)
    await conversation.ask("And?")
    await restore(conversation.log, made.checkpoint_id, conversation.user_id)
    assert (await conversation.session())["head_message_id"] == active.assistant_message_id


async def test_in_the_first_run_holds_no_answer(conversation: Conversation) -> None:
    active = await conversation.ask(end=False)
    made = await checkpoints.create(conversation.log, conversation.session_id, "manual", "x")
    await conversation.end(active.run_id)
    await restore(conversation.log, made.checkpoint_id, conversation.user_id)
    assert (await conversation.session())["head_message_id"] is None


async def test_a_worker_makes_one_while_the_run_is_its_own(
    conversation: Conversation, database: Database, event_log: EventLog
) -> None:
    sent = await conversation.ask(end=False)
    worker = await new_worker(database.pool)
    taken = await lease.claim(event_log, sent.run_id, worker)
    assert taken is not None

    async def make(held: RunLease) -> checkpoints.CreatedCheckpoint:
        return await checkpoints.create_in_run(conversation.log, held, "before_tool", "Before send_mail", 2)

    row = await _checkpoint(conversation, (await make(taken)).checkpoint_id)
    assert (row["run_id"], row["step_number"], row["checkpoint_type"]) == (sent.run_id, 2, "before_tool")
    await database.pool.execute("UPDATE runs SET attempt = attempt + 1")
    with pytest.raises(LeaseLostError):
        await make(taken)
    await database.pool.execute("UPDATE runs SET attempt = attempt - 1")
    await conversation.end(sent.run_id)
    with pytest.raises(LeaseLostError):
        await make(taken)
    assert await database.pool.fetchval("SELECT count(*) FROM checkpoints") == 1


async def test_keeps_the_newest_automatic_checkpoints(conversation: Conversation) -> None:
    await conversation.ask()
    asked = await checkpoints.create(conversation.log, conversation.session_id, "manual", "asked")
    other = Conversation(conversation.log, conversation.user_id)
    await other.ask()
    elsewhere = await checkpoints.create(other.log, other.session_id, "auto", "elsewhere")
    made = [
        (await checkpoints.create(conversation.log, conversation.session_id, "auto", str(number))).checkpoint_id
        for number in range(KEPT + 3)
    ]
    kept = [row["id"] for row in await conversation.pool.fetch("SELECT id FROM checkpoints ORDER BY id")]
    assert kept == [asked.checkpoint_id, elsewhere.checkpoint_id, *made[3:]]


async def test_of_a_missing_session(conversation: Conversation) -> None:
    with pytest.raises(NotFoundError):
        await checkpoints.create(conversation.log, 10**6, "manual", "x")
    with pytest.raises(NotFoundError):
        await restore(conversation.log, 10**15, conversation.user_id)


class TestRestore:
    async def test_restores_everything(self, conversation: Conversation, rows: Rows) -> None:
        pool = conversation.pool
        first = await conversation.ask("One?")
        gone = await rows.user("gone")
        kept = await conversation.todo("kept", user_id_last_update=gone, estimated_steps=3)
        removed = await conversation.todo("removed", dependencies=[kept], order_index=2)
        await pool.execute("UPDATE todos SET status = 'in_progress', started_at = now() WHERE id = $1", kept)
        await pool.execute("UPDATE chat_sessions SET goal = 'old', compressed_summary = 's', status = 'paused'")
        before = [dict(row) for row in await pool.fetch("SELECT * FROM todos ORDER BY id")]
        made = await checkpoints.create(conversation.log, conversation.session_id, "manual", "here")

        second = await conversation.ask("Two?")
        await pool.execute("DELETE FROM todos WHERE id = $1", removed)
        await pool.execute("UPDATE todos SET status = 'completed', title = 'other' WHERE id = $1", kept)
        await conversation.todo("new", order_index=2)
        await pool.execute(
            "UPDATE chat_sessions SET goal = 'new', preferences = $1, context = $1, compressed_summary = 't',"
            " important_steps = $2, last_compressed_message_id = $3",
            {"maxSteps": 1},
            [{"text": "x"}],
            second.assistant_message_id,
        )
        await pool.execute("DELETE FROM users WHERE id = $1", gone)

        assert await restore(conversation.log, made.checkpoint_id, rows.user_id) == conversation.session_id
        session = await conversation.session()
        assert {
            name: session[name]
            for name in ("head_message_id", "goal", "preferences", "context", "compressed_summary", "important_steps",
                         "last_compressed_message_id", "status", "message_count", "user_id_last_update")
        } == {
            "head_message_id": first.assistant_message_id, "goal": "old", "preferences": {}, "context": {},
            "compressed_summary": "s", "important_steps": [], "last_compressed_message_id": None, "status": "active",
            "message_count": 4, "user_id_last_update": rows.user_id,
        }  # fmt: skip
        before[0]["user_id_last_update"] = None
        assert [dict(row) for row in await pool.fetch("SELECT * FROM todos ORDER BY id")] == before
        created, back = (await conversation.events())[-2:]
        assert back.session_changed.change == session_event_pb2.SESSION_CHANGE_CHECKPOINT_RESTORED
        assert back.session_changed.checkpoint_id == made.checkpoint_id
        assert back.session_changed.head_message_id == first.assistant_message_id

        # And forward again, by the automatic checkpoint of the previous state.
        await restore(conversation.log, created.session_changed.checkpoint_id, rows.user_id)
        session = await conversation.session()
        assert (session["head_message_id"], session["goal"]) == (second.assistant_message_id, "new")
        titles = await pool.fetch("SELECT title, status FROM todos ORDER BY order_index, id")
        assert [tuple(row) for row in titles] == [("other", "completed"), ("new", "pending")]

    async def test_is_refused_while_a_run_is_active(self, conversation: Conversation) -> None:
        await conversation.ask()
        made = await checkpoints.create(conversation.log, conversation.session_id, "manual", "x")
        active = await conversation.ask(end=False)
        with pytest.raises(RunActiveError) as caught:
            await restore(conversation.log, made.checkpoint_id, conversation.user_id)
        assert caught.value.metadata["run_id"] == str(active.run_id)
        assert (await conversation.session())["head_message_id"] == active.assistant_message_id

    async def test_of_the_oldest_automatic_one(self, conversation: Conversation) -> None:
        """It goes as the state before is kept, and is restored all the same."""
        sent = await conversation.ask()
        oldest = await checkpoints.create(conversation.log, conversation.session_id, "auto", "oldest")
        for number in range(KEPT - 1):
            await checkpoints.create(conversation.log, conversation.session_id, "auto", str(number))
        await conversation.ask()
        await restore(conversation.log, oldest.checkpoint_id, conversation.user_id)
        assert (await conversation.session())["head_message_id"] == sent.assistant_message_id
        assert await _checkpoint(conversation, oldest.checkpoint_id) is None

    async def test_of_a_deleted_session(self, conversation: Conversation) -> None:
        await conversation.ask()
        made = await checkpoints.create(conversation.log, conversation.session_id, "manual", "x")
        await conversation.pool.execute("UPDATE chat_sessions SET deleted_date = now()")
        with pytest.raises(NotFoundError):
            await restore(conversation.log, made.checkpoint_id, conversation.user_id)

    async def test_concurrent_questions_and_events_do_not_deadlock(
        self, conversation: Conversation, database: Database, event_log: EventLog
    ) -> None:
        """Writers of events hold the log's lock while they refer to the session, which a return has locked."""
        await conversation.ask()
        made = await checkpoints.create(conversation.log, conversation.session_id, "manual", "x")
        sent = await conversation.ask(end=False)
        worker = await new_worker(database.pool)
        taken = await lease.claim(event_log, sent.run_id, worker)
        assert taken is not None

        async def write() -> None:
            for number in range(20):
                event = session_event_pb2.SessionEvent(
                    kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=str(number)
                )
                await lease.record_events(event_log, taken, [event])

        async def go_back() -> None:
            for _ in range(20):
                with pytest.raises(RunActiveError):
                    await restore(conversation.log, made.checkpoint_id, conversation.user_id)

        async def ask() -> None:
            for _ in range(20):
                with pytest.raises(RunActiveError):
                    await conversation.ask()

        async with asyncio.timeout(60):
            await asyncio.gather(write(), go_back(), ask())
