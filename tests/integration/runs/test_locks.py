"""Order of locks: writers that meet at the same rows follow each other, and none waits for the other for ever."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar
from uuid import UUID

import asyncpg
import pytest
import pytest_asyncio

from echomind_lib.conversations import checkpoints, summaries
from echomind_lib.db.database import Database
from echomind_lib.errors import NotFoundError
from echomind_lib.events.log import EventLog
from echomind_lib.events.statements import LOCK_CLASS
from echomind_lib.jobs import SUMMARIZE_SESSION, Job, enqueue, lease
from echomind_lib.runs import controls, inputs
from tests.drivers.conversation import Conversation
from tests.factories.rows import Rows

T = TypeVar("T")

_WAITS = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"


@pytest_asyncio.fixture(loop_scope="session")
async def conversation(database: Database, rows: Rows, event_log: EventLog) -> Conversation:
    """A conversation with one answer."""
    conversation = Conversation(event_log, rows.user_id)
    await conversation.ask()
    return conversation


async def begin_and_wait(pool: asyncpg.Pool, work: Awaitable[T]) -> "asyncio.Future[T]":
    """Begins a piece of work that has to wait for a lock, and comes back when it waits."""
    begun = asyncio.ensure_future(work)
    async with asyncio.timeout(60):
        while not await pool.fetchval(_WAITS):
            assert not begun.done()
            await asyncio.sleep(0.01)
    return begun


async def test_an_answer_to_a_run_concurrent_with_its_notification(
    conversation: Conversation, event_log: EventLog
) -> None:
    """A writer of events holds the log's lock while its rows refer to the run, which an answer has locked."""
    pool = conversation.pool
    run_id = await conversation.wait_for_input()
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1, $2)", LOCK_CLASS, conversation.session_id)
        answer = await begin_and_wait(
            pool, inputs.provide_input(event_log, run_id, conversation.user_id, "The blue one.")
        )
        await connection.execute(
            "INSERT INTO run_events (chat_session_id, run_id, kind) VALUES ($1, $2, 'progress')",
            conversation.session_id,
            run_id,
        )
    assert await answer is not None


@pytest.fixture
def worker_id() -> UUID:
    """A worker of which no heartbeat is known."""
    return UUID(int=1)


async def _job(conversation: Conversation, worker_id: UUID) -> Job:
    await enqueue(conversation.pool, SUMMARIZE_SESSION, conversation.session_id)
    job = await lease.claim(conversation.pool, [SUMMARIZE_SESSION], worker_id)
    assert job is not None
    return job


@pytest.mark.parametrize("write", ["save", "begin", "complete"])
async def test_a_late_write_of_a_summary_beside_the_worker_that_takes_the_job_over(
    conversation: Conversation, worker_id: UUID, write: str
) -> None:
    pool = conversation.pool
    job = await _job(conversation, worker_id)

    async def write_late() -> bool:
        if write == "save":
            return await summaries.save(pool, job, "s", 1, summarized_to=None)
        if write == "begin":
            return await summaries.begin(pool, job) is not None
        return await lease.complete(pool, job)

    async with pool.acquire() as connection, connection.transaction():
        # Like a claim and its first write: locks the job first, then the session.
        await connection.execute("UPDATE background_jobs SET claimed_at = clock_timestamp() WHERE id = $1", job.id)
        late = await begin_and_wait(pool, write_late())
        await connection.execute("UPDATE chat_sessions SET compressing_started_at = clock_timestamp()")
    assert not await late
    assert (await conversation.session())["compressed_summary"] is None


async def test_a_cancel_of_a_run_by_itself_beside_the_next_goal(
    conversation: Conversation, event_log: EventLog
) -> None:
    """A question locks the session and then waits for the run before it; so the session comes first here, too."""
    pool = conversation.pool
    sent = await conversation.ask("Write it.", end=False, autoRun=True)
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute(
            "SELECT id FROM chat_sessions WHERE id = $1 FOR NO KEY UPDATE", conversation.session_id
        )
        cancel = await begin_and_wait(pool, controls.move_run(event_log, sent.run_id, "cancelled"))
        await connection.execute("UPDATE runs SET attempt = attempt WHERE id = $1", sent.run_id)
    assert await cancel
    assert (await conversation.session())["status"] == "cancelled"


async def test_a_removed_checkpoint_beside_one_that_takes_its_place(conversation: Conversation) -> None:
    """A new checkpoint removes older ones while it holds the log's lock, so who removes one takes that lock first."""
    pool = conversation.pool
    old = (await checkpoints.create(conversation.log, conversation.session_id, "auto", "Old")).checkpoint_id
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1, $2)", LOCK_CLASS, conversation.session_id)
        removal = await begin_and_wait(pool, checkpoints.remove(conversation.log, old))
        await connection.execute("DELETE FROM checkpoints WHERE id = $1", old)
    with pytest.raises(NotFoundError):
        await removal
