"""Workers of jobs: woken, killed, stopped and failing."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

import pytest
from typing_extensions import override

from echomind_lib.errors import DependencyUnavailableError
from echomind_lib.events.log import EventLog, LogTransaction
from echomind_lib.jobs import CONNECTOR_SCOPE, Job, JobFailedError, JobKind, enqueue, lease, wake
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import JobRequested
from tests.drivers.job_worker import AT_ONCE, PATIENCE, Recorder, Recurring, until, working


async def nothing(_: Job) -> str:
    return ""


ENDED = "SELECT bool_and(status IN ('completed', 'failed')) FROM background_jobs"


async def test_a_message_wakes_a_worker(events: EventLog, worker_id: UUID) -> None:
    done = asyncio.Event()

    async def work(job: Job) -> str:
        done.set()
        return job.subject_id

    handler = Recorder(work)
    async with working(events, worker_id, handler, sweep_seconds=60):
        await events.bus.flush()
        await asyncio.sleep(0.2)  # it has looked for jobs, and the next look is far away
        await enqueue(events.pool, Recorder.kind, "woken")
        await wake(events.bus, Recorder.kind)
        await asyncio.wait_for(done.wait(), PATIENCE)
        await until(events, ENDED)
    assert handler.ended == [("completed", "woken")]


async def test_the_cost_of_a_request_does_not_depend_on_the_number_of_active_jobs(
    events: EventLog, worker_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims: list[bool] = []
    claim = lease.claim

    async def counted(*arguments: Any, **options: Any) -> Job | None:
        job = await claim(*arguments, **options)
        claims.append(job is not None)
        return job

    monkeypatch.setattr(lease, "claim", counted)
    async with working(events, worker_id, Recorder(nothing), concurrency=8, sweep_seconds=60):
        while not claims:  # noqa: ASYNC110 - it looks at its start
            await asyncio.sleep(0.01)
        await events.bus.flush()
        await enqueue(events.pool, Recorder.kind)
        await wake(events.bus, Recorder.kind)
        await until(events, ENDED)
        async with asyncio.timeout(PATIENCE):
            while claims[-1] or True not in claims:  # noqa: ASYNC110 - it looks whether there is more
                await asyncio.sleep(0.01)
    # At the start, when it is woken, and for the same job afterwards.
    assert claims.count(True) == 1
    assert len(claims) <= 3


async def test_jobs_wait_for_a_busy_worker(events: EventLog, worker_id: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("echomind_lib.jobs.worker._LOOKS_SECONDS", 0.01)
    waits: list[float] = []
    claim = lease.claim

    async def noted(*arguments: Any, **options: Any) -> Job | None:
        waits.append(options["waits"])
        return await claim(*arguments, **options)

    monkeypatch.setattr(lease, "claim", noted)
    busy = True
    handler = Recorder(nothing)
    await enqueue(events.pool, Recorder.kind)
    options = {"sweep_seconds": 3600, "is_busy": lambda: busy, "patience_seconds": 1800.0}
    async with working(events, worker_id, handler, **options):
        async with asyncio.timeout(PATIENCE):
            while len(waits) < 3:  # noqa: ASYNC110 - it looks again by itself
                await asyncio.sleep(0.01)
        assert (handler.ended, set(waits)) == ([], {1800.0})
        busy = False
        await until(events, ENDED)
    assert handler.ended == [("completed", "")]


async def test_jobs_wait_for_a_busy_worker_only_for_a_while(
    events: EventLog, worker_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that is busy for hours does them beside, as soon as they have waited long enough."""
    monkeypatch.setattr("echomind_lib.jobs.worker._LOOKS_SECONDS", 0.01)
    handler = Recorder(nothing)
    for subject in ("first", "second"):
        await enqueue(events.pool, Recorder.kind, subject)
    options = {"sweep_seconds": 3600, "is_busy": lambda: True, "patience_seconds": 0.05}
    async with working(events, worker_id, handler, **options):
        await until(events, ENDED)
    assert handler.ended == [("completed", "")] * 2


async def test_a_job_that_is_requested_while_it_runs_is_done_again_at_once(events: EventLog, worker_id: UUID) -> None:
    begun: list[int] = []

    async def work(job: Job) -> str:
        begun.append(job.attempt)
        if len(begun) == 1:
            await enqueue(events.pool, Recorder.kind)
        return ""

    await enqueue(events.pool, Recorder.kind)
    async with working(events, worker_id, Recorder(work), sweep_seconds=60):
        await until(events, ENDED)
    assert begun == [1, 1]


async def test_a_recurring_job_is_done_again_at_once_only_if_it_was_requested_meanwhile(
    events: EventLog, worker_id: UUID
) -> None:
    class Rare(Recorder):
        kind = JobKind(name="rare", every=3600.0)

    begun: list[int] = []
    again = asyncio.Event()

    async def work(job: Job) -> str:
        begun.append(job.attempt)
        if len(begun) == 1:
            await enqueue(events.pool, Rare.kind)
            await wake(events.bus, Rare.kind)
            await events.bus.flush()
        else:
            again.set()
        return ""

    handler = Rare(work)
    async with working(events, worker_id, handler, sweep_seconds=60), asyncio.timeout(60):
        await again.wait()
        await until(events, "SELECT run_after > now() AND status = 'pending' FROM background_jobs")
    assert begun == [1, 1]


async def test_two_workers_do_every_job_once(events: EventLog, worker_id: UUID) -> None:
    begun: list[str] = []

    async def work(job: Job) -> str:
        begun.append(job.subject_id)
        await asyncio.sleep(0.01)
        return ""

    for number in range(40):
        await enqueue(events.pool, Recorder.kind, number)
    handlers = Recorder(work), Recorder(work)
    async with working(events, worker_id, handlers[0]), working(events, worker_id, handlers[1]):
        await until(events, ENDED)
    assert sorted(begun, key=int) == [str(number) for number in range(40)]
    assert all(handler.ended for handler in handlers)


async def test_a_worker_respects_its_concurrency(events: EventLog, worker_id: UUID) -> None:
    at_work, maximum = 0, 0
    together = asyncio.Barrier(3)

    async def work(_: Job) -> str:
        nonlocal at_work, maximum
        at_work += 1
        maximum = max(maximum, at_work)
        await together.wait()
        await asyncio.sleep(0.02)  # one more would begin meanwhile
        at_work -= 1
        return ""

    for number in range(9):
        await enqueue(events.pool, Recorder.kind, number)
    async with working(events, worker_id, Recorder(work), concurrency=3):
        await until(events, ENDED)
    assert maximum == 3


async def test_the_job_of_a_killed_worker_is_done_by_another(events: EventLog, worker_id: UUID) -> None:
    await enqueue(events.pool, Recorder.kind)
    killed = await lease.claim(events.pool, [Recorder.kind], uuid4())
    assert killed is not None

    async def work(job: Job) -> str:
        return f"attempt {job.attempt}"

    handler = Recorder(work)
    async with working(events, worker_id, handler):
        await until(events, ENDED)
    assert handler.ended == [("completed", "attempt 2")]


async def test_a_stopping_worker_releases_its_job(events: EventLog, worker_id: UUID) -> None:
    begun = asyncio.Event()

    async def hang(_: Job) -> str:
        begun.set()
        await asyncio.Event().wait()
        return ""

    await enqueue(events.pool, Recorder.kind)
    handler = Recorder(hang)
    async with working(events, worker_id, handler):
        await begun.wait()
    (row,) = await events.pool.fetch("SELECT status, attempt, worker_id FROM background_jobs")
    assert tuple(row) == ("pending", 0, None)
    assert handler.ended == []


async def test_work_ends_when_its_lease_is_lost(events: EventLog, worker_id: UUID) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def hang(job: Job) -> str:
        if job.attempt > 1:
            return "by the other"
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return ""

    await enqueue(events.pool, Recorder.kind)
    handler, other = Recorder(hang), Recorder(hang)
    # The lease is renewed every third of a second, and its worker cannot claim anything else meanwhile.
    async with working(events, worker_id, handler, concurrency=1, lease_seconds=1):
        await begun.wait()
        await events.pool.execute("UPDATE background_jobs SET run_after = now()")
        async with working(events, worker_id, other):
            await until(events, ENDED)
            async with asyncio.timeout(PATIENCE):
                await ended.wait()
    assert (handler.ended, other.ended) == ([], [("completed", "by the other")])


async def test_a_lease_is_renewed_while_the_work_takes_longer(events: EventLog, worker_id: UUID) -> None:
    begun: list[int] = []

    async def work(job: Job) -> str:
        begun.append(job.attempt)
        await until(events, "SELECT now() > claimed_at + interval '2.1 s' FROM background_jobs")
        return ""

    await enqueue(events.pool, Recorder.kind)
    async with working(events, worker_id, Recorder(work), lease_seconds=2.0):
        await until(events, ENDED)
    assert begun == [1]


@pytest.mark.parametrize(
    "error",
    [
        JobFailedError("It is away.", retryable=True),
        DependencyUnavailableError("It is away.", dependency="qdrant"),
        ZeroDivisionError(),
        ConnectionResetError(),
    ],
)
async def test_transient_errors_are_retried(events: EventLog, worker_id: UUID, error: Exception) -> None:
    async def work(job: Job) -> str:
        if job.attempt < 3:
            raise error
        return "at last"

    await enqueue(events.pool, Recorder.kind)
    handler = Recorder(work)
    async with working(events, worker_id, handler):
        await until(events, ENDED)
    assert handler.ended == [("completed", "at last")]
    assert await events.pool.fetchval("SELECT error FROM background_jobs") is None


class Unstorable(Recorder):
    """Its first results cannot be stored."""

    kind = JobKind(name="unstorable", retries=AT_ONCE)

    @override
    async def completed(self, transaction: LogTransaction, job: Job, result: str) -> None:
        if job.attempt < 3:
            raise DependencyUnavailableError("It is away.", dependency="embedding")
        await super().completed(transaction, job, result)


async def test_a_result_that_cannot_be_stored_is_a_failed_attempt(events: EventLog, worker_id: UUID) -> None:
    handler = Unstorable(nothing)
    await enqueue(events.pool, Unstorable.kind)
    async with working(events, worker_id, handler):
        await until(events, ENDED)
    assert handler.ended == [("completed", "")]


class Endless(Recorder):
    """Its failure cannot be stored."""

    kind = JobKind(name="endless", retries=AT_ONCE)

    @override
    async def failed(self, transaction: LogTransaction, job: Job, reason: str) -> None:
        self.ended.append(("failed", reason))
        raise ValueError(reason)


async def test_a_job_whose_failure_cannot_be_stored_stops_no_other(events: EventLog, worker_id: UUID) -> None:
    async def fail(_: Job) -> str:
        raise JobFailedError("It is wrong.", retryable=False)

    broken, other = Endless(fail), Recorder(nothing)
    await enqueue(events.pool, Endless.kind)
    async with working(events, worker_id, broken, other, concurrency=1):
        while not broken.ended:  # noqa: ASYNC110 - nothing is stored that a query could see
            await asyncio.sleep(0.01)
        await enqueue(events.pool, Recorder.kind)
        await until(events, "SELECT status = 'completed' FROM background_jobs WHERE kind = 'recorded'")


@pytest.mark.parametrize(("is_retryable", "attempts"), [(True, 3), (False, 1)])
async def test_a_permanent_failure_leaves_a_reason_and_a_dead_letter(
    events: EventLog, worker_id: UUID, is_retryable: bool, attempts: int
) -> None:
    async def work(_: Job) -> str:
        raise JobFailedError("The key “ä” is wrong.", retryable=is_retryable)

    job_id = await enqueue(events.pool, Recorder.kind)
    handler = Recorder(work)
    letters = await events.bus.jetstream.pull_subscribe("dlq.>", stream="DLQ")
    async with working(events, worker_id, handler):
        await until(events, ENDED)
        (letter,) = await letters.fetch(1, timeout=60)
    assert handler.ended == [("failed", "The key “ä” is wrong.")]
    (row,) = await events.pool.fetch("SELECT status, attempt, error FROM background_jobs")
    assert tuple(row) == ("failed", attempts, "The key “ä” is wrong.")
    assert letter.subject == "dlq.jobs.recorded"
    assert JobRequested.FromString(letter.data).job_id == job_id


async def test_a_job_that_kills_its_workers_is_given_up(events: EventLog, worker_id: UUID) -> None:
    await enqueue(events.pool, Recorder.kind)
    for _ in range(3):
        assert await lease.claim(events.pool, [Recorder.kind], uuid4())

    async def work(_: Job) -> str:
        raise AssertionError

    handler = Recorder(work)
    async with working(events, worker_id, handler):
        await until(events, ENDED)
    assert handler.ended == [("failed", "It was interrupted 3 times.")]


async def test_the_servers_retry_delay_is_respected(events: EventLog, worker_id: UUID) -> None:
    async def work(_: Job) -> str:
        raise JobFailedError("Too many requests.", retryable=True, retry_after=3600)

    await enqueue(events.pool, Recorder.kind)
    async with working(events, worker_id, Recorder(work)):
        await until(events, "SELECT status = 'pending' AND error IS NOT NULL FROM background_jobs")
    assert await events.pool.fetchval("SELECT run_after > now() + interval '50 minutes' FROM background_jobs")


async def test_a_recurring_job_needs_no_request_and_survives_any_failure(events: EventLog, worker_id: UUID) -> None:
    attempts: list[int] = []

    async def work(job: Job) -> str:
        attempts.append(job.attempt)
        if len(attempts) < 6:
            raise JobFailedError("It is broken.", retryable=False)
        return ""

    handler = Recurring(work)
    async with working(events, worker_id, handler):
        while len(handler.ended) < 3:  # noqa: ASYNC110 - it recurs in its own time
            await asyncio.sleep(0.01)
    assert attempts[:8] == [1, 2, 3, 4, 5, 6, 1, 1]
    assert {end for end, _ in handler.ended} == {"completed"}


async def test_a_worker_leaves_kinds_alone_that_it_does_not_know(events: EventLog, worker_id: UUID) -> None:
    await enqueue(events.pool, CONNECTOR_SCOPE, 1)
    await enqueue(events.pool, Recorder.kind)
    async with working(events, worker_id, Recorder(nothing)):
        await until(events, "SELECT count(*) = 1 FROM background_jobs WHERE status = 'completed'")
    assert await events.pool.fetchval("SELECT status FROM background_jobs WHERE kind = 'connector.scope'") == "pending"
