"""Sessions that rest are found once, for each message once, and never with the built-in model."""

from uuid import UUID

import pytest_asyncio

from echomind_lib.events.log import EventLog
from echomind_lib.jobs import EXTRACT_MEMORIES, Job, lease
from echomind_lib.learned.sessions import INVALID_FORM, IdleSession, begin, find_idle_sessions, mark_read
from echomind_lib.learned.sessions.kinds import MEMORIES
from tests.factories import rows
from tests.factories.rows import Rows

_MINUTES = 10.0


class Learner:
    """Finds sessions and learns from them, as workers do."""

    def __init__(self, events: EventLog, worker_id: UUID, user_id: int) -> None:
        self.pool, self._bus = events.pool, events.bus
        self._worker_id, self._user_id = worker_id, user_id

    async def session(self, *, rested_minutes: float = 11.0) -> int:
        assistant = await self.pool.fetchval("SELECT id FROM assistants")
        session_id: int = (await rows.chat_session(self.pool, user_id=self._user_id, assistant_id=assistant))["id"]
        await self.write(session_id, rested_minutes)
        return session_id

    async def write(self, session_id: int, rested_minutes: float = 0.0) -> int:
        message_id: int = (await rows.chat_message(self.pool, chat_session_id=session_id, content="I sail."))["id"]
        await self.pool.execute(
            "UPDATE chat_sessions SET last_message_at = now() - $2 * interval '1 minute' WHERE id = $1",
            session_id,
            rested_minutes,
        )
        return message_id

    async def due(self) -> Job | None:
        await find_idle_sessions(self.pool, self._bus, _MINUTES)
        return await lease.claim(self.pool, [EXTRACT_MEMORIES], self._worker_id)

    async def begin(self, job: Job) -> IdleSession | None:
        return await begin(self.pool, job, MEMORIES, _MINUTES)

    async def learn(self, job: Job, session: IdleSession) -> bool:
        is_ours = await mark_read(self.pool, job, "memory", session)
        await lease.complete(self.pool, job)
        return is_ours


@pytest_asyncio.fixture(loop_scope="session")
async def learner(events: EventLog, worker_id: UUID, rows: Rows) -> Learner:
    await rows.use_model_at("http://127.0.0.1:1/v1")
    return Learner(events, worker_id, rows.user_id)


async def test_a_session_is_read_once_and_again_after_more_was_written(learner: Learner) -> None:
    session_id = await learner.session()
    job = await learner.due()
    assert job is not None
    assert job.subject_id == str(session_id)
    session = await learner.begin(job)
    assert session is not None
    assert session.read_message_id is None
    assert session.can_learn
    assert await learner.learn(job, session)
    assert await learner.due() is None
    newest = await learner.write(session_id, rested_minutes=10.5)
    job = await learner.due()
    assert job is not None
    again = await learner.begin(job)
    assert again is not None
    assert (again.read_message_id, again.last_message_id) == (session.last_message_id, newest)


async def test_activity_puts_it_off(learner: Learner) -> None:
    session_id = await learner.session(rested_minutes=9.0)
    assert await learner.due() is None
    await learner.pool.execute("UPDATE chat_sessions SET last_message_at = now() - interval '11 minutes'")
    job = await learner.due()
    assert job is not None
    await learner.write(session_id)
    assert await learner.begin(job) is None


async def test_a_run_under_way_keeps_it_busy(learner: Learner) -> None:
    session_id = await learner.session()
    run = await rows.run(learner.pool, chat_session_id=session_id, status="running")
    assert await learner.due() is None
    await learner.pool.execute("UPDATE runs SET status = 'completed', completed_at = now() WHERE id = $1", run["id"])
    assert await learner.due() is not None


async def test_two_attempts_cannot_both_store_what_they_learned(learner: Learner) -> None:
    await learner.session()
    job = await learner.due()
    assert job is not None
    session = await learner.begin(job)
    assert session is not None
    assert await mark_read(learner.pool, job, "memory", session)
    assert not await mark_read(learner.pool, job, "memory", session)


async def test_a_lost_lease_stores_nothing(learner: Learner) -> None:
    await learner.session()
    job = await learner.due()
    assert job is not None
    session = await learner.begin(job)
    assert session is not None
    await learner.pool.execute("UPDATE background_jobs SET claimed_at = clock_timestamp()")
    assert not await mark_read(learner.pool, job, "memory", session)
    assert await learner.pool.fetchval("SELECT count(*) FROM session_learnings") == 0


async def test_sessions_of_the_built_in_model_are_passed_by(learner: Learner) -> None:
    await learner.pool.execute("UPDATE llms SET is_default = FALSE")
    await learner.pool.execute("UPDATE llms SET is_default = TRUE WHERE provider = 'extractive'")
    session_id = await learner.session()
    assert await learner.due() is None
    assert await learner.pool.fetchval("SELECT chat_session_id FROM session_learnings") == session_id
    # A model that is connected later learns only from later messages.
    await learner.pool.execute("UPDATE llms SET is_default = FALSE")
    await learner.pool.execute("UPDATE llms SET is_default = TRUE WHERE provider = 'openai'")
    assert await learner.due() is None
    await learner.write(session_id, rested_minutes=10.5)
    assert await learner.due() is not None


async def test_what_the_built_in_model_answered_is_not_sent_to_a_later_model(learner: Learner) -> None:
    model = {row["provider"]: row["id"] for row in await learner.pool.fetch("SELECT id, provider FROM llms")}
    session_id = await learner.session()
    quoted = {"chat_session_id": session_id, "status": "completed", "llm_id": model["extractive"]}
    await rows.run(learner.pool, **quoted)
    assert await learner.due() is None
    assert await learner.pool.fetchval("SELECT chat_session_id FROM session_learnings") == session_id
    # The connected model gets the conversation for its own answer, and learns from it then.
    await learner.write(session_id, rested_minutes=10.5)
    await rows.run(learner.pool, **quoted | {"llm_id": model["openai"]})
    assert await learner.due() is not None


async def fail(learner: Learner, reason: str = INVALID_FORM) -> None:
    await learner.session()
    job = await learner.due()
    assert job is not None
    await lease.fail(learner.pool, job, reason)


async def test_learning_pauses_with_a_model_that_returns_invalid_forms(learner: Learner) -> None:
    await fail(learner, "The server is away.")
    for _ in range(9):
        await fail(learner)
    other = await learner.session()
    claimed = await learner.due()
    assert claimed is not None
    await fail(learner)
    session = await learner.begin(claimed)
    assert session is not None
    assert session.is_paused
    await lease.complete(learner.pool, claimed)
    assert await learner.due() is None
    # Discarded, put back, or with a changed model, it continues with what was left unread.
    await learner.pool.execute("UPDATE background_jobs SET discarded_at = now() WHERE error = $1", INVALID_FORM)
    job = await learner.due()
    assert job is not None
    assert job.subject_id == str(other)


async def test_a_changed_model_is_asked_again(learner: Learner) -> None:
    for _ in range(10):
        await fail(learner)
    await learner.session()
    assert await learner.due() is None
    await learner.pool.execute("UPDATE llms SET model_id = 'better' WHERE provider = 'openai'")
    assert await learner.due() is not None


async def test_learning_continues_a_day_later(learner: Learner) -> None:
    for _ in range(10):
        await fail(learner)
    await learner.session()
    assert await learner.due() is None
    await learner.pool.execute(
        "ALTER TABLE background_jobs DISABLE TRIGGER USER;"
        " UPDATE background_jobs SET last_update = now() - interval '1 day' WHERE status = 'failed';"
        " ALTER TABLE background_jobs ENABLE TRIGGER USER"
    )
    assert await learner.due() is not None


async def test_what_failed_is_not_tried_for_ever(learner: Learner) -> None:
    session_id = await learner.session()
    job = await learner.due()
    assert job is not None
    await lease.fail(learner.pool, job, "It cannot be read.")
    assert await learner.due() is None
    await learner.pool.execute("UPDATE background_jobs SET requested_at = now() - interval '1 hour'")
    await learner.write(session_id, rested_minutes=10.5)
    assert await learner.due() is not None
