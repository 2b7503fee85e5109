"""The lease of a job: one worker at a time, whatever happens to it."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from echomind_lib.db.database import Database
from echomind_lib.jobs import CONNECTOR_SCOPE, REMOVE_DOCUMENTS, SUMMARIZE_SESSION, enqueue, enqueue_in, lease
from echomind_lib.jobs.lease import Job

KINDS = [CONNECTOR_SCOPE, SUMMARIZE_SESSION]


@pytest.fixture
def pool(database: Database) -> asyncpg.Pool:
    return database.pool


async def row(pool: asyncpg.Pool) -> Any:
    """Returns the only job."""
    (found,) = await pool.fetch("SELECT * FROM background_jobs")
    return found


async def claimed(pool: asyncpg.Pool, worker_id: UUID) -> Job:
    job = await lease.claim(pool, KINDS, worker_id)
    assert job is not None
    return job


async def test_requested_twice_it_is_one_job(pool: asyncpg.Pool, worker_id: UUID) -> None:
    first = await enqueue(pool, CONNECTOR_SCOPE, 7, {"why": "a test"})
    assert await enqueue(pool, CONNECTOR_SCOPE, 7) == first
    job = await claimed(pool, worker_id)
    assert (job.id, job.kind, job.subject_id, job.payload, job.attempt) == (
        first,
        "connector.scope",
        "7",
        {"why": "a test"},
        1,
    )
    assert await lease.claim(pool, KINDS, worker_id) is None


async def test_a_request_is_part_of_the_transaction_of_its_cause(database: Database, pool: asyncpg.Pool) -> None:
    async def change_and_fail() -> None:
        async with database.session() as session:
            await enqueue_in(session, CONNECTOR_SCOPE, 7)
            raise LookupError

    with pytest.raises(LookupError):
        await change_and_fail()
    assert await pool.fetchval("SELECT count(*) FROM background_jobs") == 0
    async with database.session() as session:
        await enqueue_in(session, CONNECTOR_SCOPE, 7, {"n": 1})
    assert (await row(pool))["payload"] == {"n": 1}


async def test_the_job_that_has_been_due_for_longest_comes_first(pool: asyncpg.Pool, worker_id: UUID) -> None:
    for subject, hours in (("new", 1), ("old", 2), ("later", -1)):
        job_id = await enqueue(pool, CONNECTOR_SCOPE, subject)
        await pool.execute(
            "UPDATE background_jobs SET run_after = now() - $2::interval WHERE id = $1",
            job_id,
            timedelta(hours=hours),
        )
    await enqueue(pool, REMOVE_DOCUMENTS)
    assert [(await claimed(pool, worker_id)).subject_id for _ in range(2)] == ["old", "new"]
    assert await lease.claim(pool, KINDS, worker_id) is None


async def test_many_claims_at_once_get_each_job_once(pool: asyncpg.Pool, worker_id: UUID) -> None:
    for subject in range(20):
        await enqueue(pool, CONNECTOR_SCOPE, subject)
    jobs = await asyncio.gather(*(lease.claim(pool, KINDS, worker_id) for _ in range(30)))
    assert sorted(int(job.subject_id) for job in jobs if job) == list(range(20))


async def test_the_job_of_a_dead_worker_is_claimed_by_another(pool: asyncpg.Pool, worker_id: UUID) -> None:
    await enqueue(pool, CONNECTOR_SCOPE, 7)
    dead = await claimed(pool, uuid4())
    taken_over = await claimed(pool, worker_id)
    assert taken_over.attempt == 2
    for write in (
        lease.renew(pool, dead),
        lease.complete(pool, dead),
        lease.retry(pool, dead, "too late", 5),
        lease.fail(pool, dead, "too late"),
        lease.release(pool, dead),
    ):
        assert not await write
    assert await lease.renew(pool, taken_over)
    assert await lease.complete(pool, taken_over)
    assert ((await row(pool))["status"], (await row(pool))["error"]) == ("completed", None)


async def test_a_lease_that_is_not_renewed_expires(pool: asyncpg.Pool, worker_id: UUID) -> None:
    await enqueue(pool, CONNECTOR_SCOPE, 7)
    job = await lease.claim(pool, KINDS, worker_id, lease_seconds=0)
    assert job is not None
    assert await lease.renew(pool, job)
    assert await lease.claim(pool, KINDS, worker_id) is None
    await pool.execute("UPDATE background_jobs SET run_after = now()")
    assert (await claimed(pool, worker_id)).attempt == 2
    assert not await lease.renew(pool, job)


async def test_a_job_that_is_given_back_counts_no_attempt(pool: asyncpg.Pool, worker_id: UUID) -> None:
    await enqueue(pool, CONNECTOR_SCOPE, 7)
    assert await lease.release(pool, await claimed(pool, worker_id))
    assert (await claimed(pool, worker_id)).attempt == 1


async def test_a_job_that_failed_waits_for_its_next_attempt(pool: asyncpg.Pool, worker_id: UUID) -> None:
    await enqueue(pool, CONNECTOR_SCOPE, 7)
    assert await lease.retry(pool, await claimed(pool, worker_id), "The index does not answer.", 30)
    assert await lease.claim(pool, KINDS, worker_id) is None
    assert ((await row(pool))["status"], (await row(pool))["error"]) == ("pending", "The index does not answer.")
    await enqueue(pool, CONNECTOR_SCOPE, 7)
    assert (await claimed(pool, worker_id)).attempt == 1, "requested again, it is due now and begins again"


@pytest.mark.parametrize("end", ["complete", "fail"])
async def test_a_job_requested_while_it_runs_runs_again(pool: asyncpg.Pool, worker_id: UUID, end: str) -> None:
    await enqueue(pool, CONNECTOR_SCOPE, 7)
    job = await claimed(pool, worker_id)
    assert await enqueue(pool, CONNECTOR_SCOPE, 7) == job.id
    assert await lease.claim(pool, KINDS, worker_id) is None, "nobody does it beside its worker"
    assert await (lease.complete(pool, job) if end == "complete" else lease.fail(pool, job, "It failed."))
    again = await claimed(pool, worker_id)
    assert (again.id, again.attempt) == (job.id, 1)
    assert await lease.complete(pool, again)
    assert (await row(pool))["status"] == "completed"


async def test_a_kind_that_does_not_run_again_ignores_requests_while_it_runs(
    pool: asyncpg.Pool, worker_id: UUID
) -> None:
    await enqueue(pool, SUMMARIZE_SESSION, 7)
    job = await claimed(pool, worker_id)
    assert await enqueue(pool, SUMMARIZE_SESSION, 7) is None
    assert await lease.complete(pool, job)
    assert (await row(pool))["status"] == "completed"
    assert await enqueue(pool, SUMMARIZE_SESSION, 7) == job.id


async def test_a_request_may_respect_a_failure(pool: asyncpg.Pool, worker_id: UUID) -> None:
    await enqueue(pool, SUMMARIZE_SESSION, 7)
    job = await claimed(pool, worker_id)
    await lease.fail(pool, job, "There is no key.")
    assert await enqueue(pool, SUMMARIZE_SESSION, 7, unless_failed_within=3600) is None
    assert (await row(pool))["error"] == "There is no key."
    assert await enqueue(pool, SUMMARIZE_SESSION, 7) == job.id


async def test_a_job_that_recurs_waits_for_its_time(pool: asyncpg.Pool, worker_id: UUID) -> None:
    await enqueue(pool, REMOVE_DOCUMENTS)
    job = await lease.claim(pool, [REMOVE_DOCUMENTS], worker_id)
    assert job is not None
    assert await lease.complete(pool, job, again_after=10)
    assert await lease.claim(pool, [REMOVE_DOCUMENTS], worker_id) is None
    assert ((await row(pool))["status"], (await row(pool))["attempt"]) == ("pending", 0)
    await enqueue(pool, REMOVE_DOCUMENTS)
    assert await lease.claim(pool, [REMOVE_DOCUMENTS], worker_id) is not None
