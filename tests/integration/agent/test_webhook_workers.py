"""Workers that send events to webhooks: slow receivers, killed processes, lost connections."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from uuid import UUID

import asyncpg
import pytest
import pytest_asyncio
from aiohttp import web

from echomind_agent.execution.webhooks import DELIVERIES_OF_A_PERSON, WebhookDeliveries
from echomind_agent.webhooks import WebhookSender, sender, store
from echomind_agent.webhooks.rights import why_withheld
from echomind_lib.config import Settings
from echomind_lib.db.database import Database
from echomind_lib.events.log import EventLog
from echomind_lib.jobs import DELIVER_WEBHOOKS, JobWorker, enqueue
from echomind_lib.messaging import Bus
from echomind_lib.secrets import Secrets
from tests.drivers.death import until
from tests.drivers.installation import AgentProcess
from tests.drivers.servers import running
from tests.drivers.webhook_receiver import RUNS, Receiver
from tests.factories import rows as make
from tests.factories.rows import Rows

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def bus(nats_url: str) -> AsyncIterator[Bus]:
    bus = await Bus.connect(nats_url, "test")
    yield bus
    await bus.close()


def start_jobs(receiver: Receiver, pool: asyncpg.Pool, bus: Bus, worker_id: UUID) -> "asyncio.Task[None]":
    handler = WebhookDeliveries(pool, WebhookSender(pool, receiver.secrets, receiver.fetcher))
    jobs = JobWorker(EventLog(pool, bus), [handler], concurrency=1, sweep_seconds=0.2)
    return asyncio.create_task(jobs.run(worker_id))


@asynccontextmanager
async def working(receiver: Receiver, pool: asyncpg.Pool, bus: Bus) -> AsyncIterator[None]:
    """A worker that delivers; it is idle again at the end."""
    await enqueue(pool, DELIVER_WEBHOOKS)
    jobs = start_jobs(receiver, pool, bus, await make.new_worker(pool))
    yield
    await pool.execute("UPDATE webhooks SET is_enabled = FALSE")
    await until(lambda: pool.fetchval("SELECT status = 'pending' FROM background_jobs WHERE kind = 'webhooks.deliver'"))
    jobs.cancel()
    await asyncio.gather(jobs, return_exceptions=True)


async def test_addresses_that_do_not_answer_delay_no_others(receiver: Receiver, rows: Rows, bus: Bus) -> None:
    """Neither those of the same person, nor, however many they are, those of somebody else."""
    pool, hanging, release = receiver.pool, 0, asyncio.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        nonlocal hanging
        if request.path != "/hang":
            return await receiver.receive(request)
        hanging += 1
        await release.wait()
        return web.Response(status=204)

    receiver.site.otherwise = answer
    await receiver.hook(*RUNS, url=receiver.site.url("/hang"))
    async with working(receiver, pool, bus):
        for _ in range(store.AT_ONCE + 2):
            await receiver.end(await receiver.run())
        await until(lambda: _is(lambda: hanging == store.AT_ONCE))
        await receiver.hook("run_failed")
        for count in (1, 2):
            await receiver.end(await receiver.run(), "failed")
            await until(partial(_has, receiver, count))
        for _ in range(DELIVERIES_OF_A_PERSON):
            await receiver.hook("run_cancelled", url=receiver.site.url("/hang"))
        await receiver.end(await receiver.run(), "cancelled")
        # More where the machine is so busy that the first ones have timed out by then.
        await until(lambda: _is(lambda: hanging >= DELIVERIES_OF_A_PERSON))
        other = await rows.user("another")
        await receiver.hook(*RUNS, user_id=other)
        await receiver.end(await receiver.run(other))
        await until(partial(_has, receiver, 3))
        release.set()
        await until(partial(_all_delivered, receiver))


async def test_a_fault_at_one_delivery_ends_no_others(
    receiver: Receiver, bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that are being sent then arrive once, and the one with the fault is made again later."""
    pool, release = receiver.pool, asyncio.Event()

    async def hang(request: web.Request) -> web.StreamResponse:
        await release.wait()
        return await receiver.receive(request)

    receiver.site.otherwise = hang
    good = await receiver.hook("run_completed")
    broken = await receiver.hook("run_completed")

    async def faulty(pool: asyncpg.Pool, due: store.Due) -> str | None:
        if due.webhook_id == broken:
            raise RuntimeError("a fault")
        return await why_withheld(pool, due)

    monkeypatch.setattr(sender, "why_withheld", faulty)
    async with working(receiver, pool, bus):
        await receiver.end(await receiver.run())
        of = "SELECT attempts, status, error FROM webhook_deliveries WHERE webhook_id = $1"
        await until(lambda: pool.fetchval(f"SELECT attempts = 1 FROM ({of})", broken))
        release.set()
        await until(lambda: pool.fetchval(f"SELECT status = 'delivered' FROM ({of})", good))
        assert len(receiver.got) == 1
        attempt = await pool.fetchrow(of, broken)
        assert attempt is not None
        assert (attempt["status"], attempt["error"]) == (
            "pending",
            "Something went wrong in EchoMind; the log of the agent says more.",
        )


async def _has(receiver: Receiver, count: int) -> bool:
    return len(receiver.got) == count


async def _all_delivered(receiver: Receiver) -> bool:
    await receiver.make_due()  # those that have timed out by then wait for a minute
    found = "SELECT bool_and(status = 'delivered') FROM webhook_deliveries"
    is_done: bool = await receiver.pool.fetchval(found)
    return is_done


async def _is(condition: Callable[[], bool]) -> bool:
    return condition()


async def test_what_a_killed_process_had_not_sent_is_sent_by_another(
    receiver: Receiver, process_settings: Settings, tmp_path: Path
) -> None:
    """A worker dies after the receiver has the event and before its answer is stored: the event arrives twice."""
    pool, arrived = receiver.pool, asyncio.Event()
    receiver.secrets = Secrets([process_settings.secrets.keys.get_secret_value()])

    async def hang(request: web.Request) -> web.StreamResponse:
        await receiver.receive(request)
        arrived.set()
        await asyncio.Event().wait()
        raise AssertionError

    await receiver.hook(*RUNS, url=receiver.site.url("/hook", host="127.0.0.1"))
    receiver.site.otherwise = hang
    await receiver.end(await receiver.run())
    await enqueue(pool, DELIVER_WEBHOOKS)
    with running(AgentProcess(process_settings), tmp_path) as process:
        async with asyncio.timeout(60):
            await arrived.wait()
        os.kill(process.pid, signal.SIGKILL)
    assert (await receiver.delivery())["status"] == "pending"
    receiver.site.otherwise = receiver.receive
    with running(AgentProcess(process_settings), tmp_path):
        await until(lambda: pool.fetchval("SELECT status = 'delivered' FROM webhook_deliveries"))
    assert len(receiver.told()) == 2
    assert len({headers["webhook-id"] for headers, _ in receiver.got}) == 1
    assert (await receiver.delivery())["attempts"] == 1


async def test_what_a_lost_worker_had_not_sent_is_sent_by_another(
    receiver: Receiver, bus: Bus, postgres_url: str
) -> None:
    pool, arrived = receiver.pool, asyncio.Event()

    async def hang(_: web.Request) -> web.StreamResponse:
        arrived.set()
        await asyncio.Event().wait()
        raise AssertionError

    await receiver.hook(*RUNS)
    receiver.site.otherwise = hang
    await receiver.end(await receiver.run())
    await enqueue(pool, DELIVER_WEBHOOKS)
    own = await Database.connect(postgres_url)
    killed = start_jobs(receiver, own.pool, bus, await make.new_worker(pool))
    async with asyncio.timeout(60):
        await arrived.wait()
    own.pool.terminate()
    killed.cancel()
    await asyncio.gather(killed, return_exceptions=True)
    await pool.execute("DELETE FROM workers")
    assert (await receiver.delivery())["status"] == "pending"
    receiver.site.otherwise = receiver.receive
    async with working(receiver, pool, bus):
        await until(lambda: pool.fetchval("SELECT count(*) = 1 FROM webhook_deliveries WHERE status = 'delivered'"))
    assert len(receiver.told()) == 1
