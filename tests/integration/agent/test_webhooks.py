"""Events and webhooks: what a change writes, how it is sent, with whose rights, and what a dead worker leaves."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import pytest
import pytest_asyncio
from aiohttp import web
from cryptography.fernet import Fernet
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from echomind_agent.execution.webhooks import DELIVERIES_OF_A_PERSON, WebhookDeliveries
from echomind_agent.webhooks import WebhookSender, store
from echomind_agent.webhooks.sender import AGAIN_AFTER, DISABLE_AFTER_DAYS
from echomind_lib.config import Settings
from echomind_lib.db.database import Database
from echomind_lib.events.log import EventLog
from echomind_lib.jobs import DELIVER_WEBHOOKS, JobWorker, enqueue
from echomind_lib.messaging import Bus
from echomind_lib.network.fetching import Fetcher
from echomind_lib.secrets import Secrets
from tests.drivers.death import until
from tests.drivers.installation import AgentProcess
from tests.drivers.servers import running
from tests.drivers.site import Site
from tests.factories import rows as make
from tests.factories.rows import Rows

pytestmark = pytest.mark.asyncio(loop_scope="session")

SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"  # the specification's example
OTHER_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
RUNS = ["run_completed", "run_failed", "run_cancelled", "run_waiting_for_input"]
DOCUMENTS = ["document_ready", "document_failed", "document_removed"]


class Receiver:
    """An installation with webhooks, and the server that they send to."""

    def __init__(self, pool: asyncpg.Pool, site: Site, fetcher: Fetcher, user_id: int) -> None:
        self.pool, self.site, self.fetcher, self.user_id = pool, site, fetcher, user_id
        self.secrets = Secrets([Fernet.generate_key().decode()])
        self.sender = WebhookSender(pool, self.secrets, fetcher)
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.statuses: list[int] = []
        """What the next requests are answered; 204 once it is empty."""
        self.headers: dict[str, str] = {}
        """Headers of the answers."""
        site.otherwise = self._receive

    async def _receive(self, request: web.Request) -> web.StreamResponse:
        self.got.append((dict(request.headers), await request.read()))
        return web.Response(status=self.statuses.pop(0) if self.statuses else 204, headers=self.headers)

    async def hook(self, *event_types: str, **values: Any) -> int:
        given = {"user_id": self.user_id, "url": self.site.url("/hook"), "event_types": list(event_types)}
        given["encrypted_secret"] = self.secrets.encrypt(SECRET)
        hook_id: int = (await make.insert(self.pool, "webhooks", given | values))["id"]
        return hook_id

    async def due(self) -> list[store.Due]:
        """Returns the attempts that are due while nothing is sent."""
        return await store.DUE.fetch_all(self.pool, sending=[], busy_webhooks=[], busy_people=[])

    async def deliver(self) -> None:
        """Makes the attempts that are due."""
        for due in await self.due():
            await self.sender.send(due)

    async def again(self) -> None:
        """Makes the next attempts, as if their time had come."""
        await self.pool.execute("UPDATE webhook_deliveries SET next_attempt_at = now() WHERE status = 'pending'")
        await self.pool.execute("UPDATE webhooks SET held_until = NULL")
        await self.deliver()

    def told(self) -> list[tuple[str, dict[str, Any]]]:
        """Returns the verified events that arrived, in order."""
        events = [Webhook(SECRET).verify(body, headers) for headers, body in self.got]
        return [(event["type"], event["data"]) for event in events]

    async def deliveries(self) -> list[asyncpg.Record]:
        found: list[asyncpg.Record] = await self.pool.fetch("SELECT * FROM webhook_deliveries ORDER BY id")
        return found

    async def delivery(self) -> asyncpg.Record:
        (found,) = await self.deliveries()
        return found

    async def run(self, user_id: int | None = None, **values: Any) -> UUID:
        session = await make.chat_session(self.pool, user_id=user_id or self.user_id)
        run_id: UUID = (await make.run(self.pool, chat_session_id=session["id"], **values))["id"]
        return run_id

    async def end(self, run_id: UUID, status: str = "completed") -> None:
        await self.pool.execute("UPDATE runs SET status = $2, attempt = attempt + 1 WHERE id = $1", run_id, status)


@pytest_asyncio.fixture(loop_scope="session")
async def receiver(database: Database, rows: Rows, site: Site, fetcher: Fetcher) -> Receiver:
    """The account of `rows` owns what is made."""
    return Receiver(database.pool, site, fetcher, rows.user_id)


async def test_events_of_runs_are_signed_and_told_to_whom_they_concern(receiver: Receiver, rows: Rows) -> None:
    other = await rows.user("other")
    own = await receiver.hook(*RUNS)
    await receiver.hook(*DOCUMENTS)
    everybodys = await receiver.hook("run_completed", is_installation=True)
    await receiver.pool.execute("UPDATE users SET roles = '{superadmin}' WHERE id = $1", receiver.user_id)
    ended = await receiver.run()
    await receiver.end(ended, "running")
    await receiver.end(ended, "waiting_for_input")
    await receiver.end(ended, "running")
    await receiver.end(ended)
    await receiver.end(ended)  # nothing changes
    await receiver.end(await receiver.run(), "timeout")
    foreign = await receiver.run(other)
    await receiver.end(foreign)
    child = await receiver.run(parent_run_id=ended, kind="sub_agent", depth=1)
    await receiver.end(child)
    found = [(row["webhook_id"], row["event_type"], row["data"]["run_id"]) for row in await receiver.deliveries()]
    assert [each for each in found if each[0] == own] == [
        (own, "run_waiting_for_input", str(ended)),
        (own, "run_completed", str(ended)),
        (own, "run_failed", found[-2][2]),
    ]
    assert {each[2] for each in found if each[0] == everybodys} == {str(ended), str(foreign)}

    await receiver.deliver()
    told = receiver.told()
    assert [kind for kind, _ in told].count("run.completed") == 3
    assert set(told[0][1]) == {"run_id", "chat_session_id", "user_id", "assistant_id", "status"} - (
        set() if "assistant_id" in told[0][1] else {"assistant_id"}
    )
    headers, body = receiver.got[0]
    assert json.loads(body)["timestamp"].endswith("Z")
    with pytest.raises(WebhookVerificationError):
        Webhook(OTHER_SECRET).verify(body, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(body + b" ", headers)
    assert {row["status"] for row in await receiver.deliveries()} == {"delivered"}
    await receiver.deliver()
    assert len(receiver.got) == len(told)


async def test_events_of_documents_syncs_and_the_audit_log(receiver: Receiver, rows: Rows) -> None:
    pool = receiver.pool
    await pool.execute("UPDATE users SET roles = '{superadmin}' WHERE id = $1", receiver.user_id)
    await receiver.hook(*DOCUMENTS, "sync_completed", "sync_failed")
    await receiver.hook("audit_entry", is_installation=True)
    connector = await rows.connector()
    foreign = await rows.connector(user_id=await rows.user("other"))
    for each in (connector, foreign):
        ready, failed = await rows.document(each), await rows.document(each)
        await pool.execute("UPDATE documents SET status = 'completed' WHERE id = $1", ready)
        await pool.execute("UPDATE documents SET status = 'failed' WHERE id = $1", failed)
        await pool.execute("UPDATE documents SET deleted_date = now() WHERE id = $1", failed)
        await pool.execute("DELETE FROM documents WHERE id = $1", failed)
        sync = await make.connector_sync(pool, connector_id=each, status="running")
        await pool.execute("UPDATE connector_syncs SET status = 'needs_attention' WHERE id = $1", sync["id"])
        sync = await make.connector_sync(pool, connector_id=each, status="running", documents_added=3)
        await pool.execute("UPDATE connector_syncs SET status = 'completed' WHERE id = $1", sync["id"])
    await make.insert(pool, "audit_log", {"action": "UserService/CreateUser", "target": "users/7", "actor_id": 7})
    await receiver.deliver()
    await receiver.deliver()
    told = receiver.told()
    # The removed document is not there any more when its failure would be told.
    assert sorted(kind for kind, _ in told) == [
        "audit.entry",
        "document.ready",
        "document.removed",
        "sync.completed",
        "sync.failed",
    ]
    assert {data["connector_id"] for _, data in told if "connector_id" in data} == {connector}
    (entry,) = (data for kind, data in told if kind == "audit.entry")
    assert (entry["action"], entry["target"], entry["actor_id"]) == ("UserService/CreateUser", "users/7", 7)
    assert next(data for kind, data in told if kind == "sync.completed")["documents_added"] == 3


async def test_nothing_is_written_without_an_enabled_webhook(receiver: Receiver) -> None:
    await receiver.hook(*RUNS, is_enabled=False)
    await receiver.end(await receiver.run())
    assert not await receiver.deliveries()


async def test_a_delivery_that_failed_is_repeated_with_its_id_until_it_succeeds(receiver: Receiver) -> None:
    hook = await receiver.hook(*RUNS)
    await receiver.end(await receiver.run())
    receiver.statuses = [500, 503]
    await receiver.deliver()
    await receiver.deliver()  # nothing is due
    row = await receiver.delivery()
    assert (row["status"], row["attempts"], row["response_status"]) == ("pending", 1, 500)
    assert row["error"] == "It answered with status 500."
    held = await receiver.pool.fetchrow(
        "SELECT failures, held_until > now() AS rests FROM webhooks WHERE id = $1", hook
    )
    assert held is not None
    assert (held["failures"], held["rests"]) == (1, True)
    await receiver.again()
    await receiver.again()
    row = await receiver.delivery()
    assert (row["status"], row["attempts"], row["response_status"], row["error"]) == ("delivered", 3, 204, None)
    assert row["completed_at"] is not None
    ids = {headers["webhook-id"] for headers, _ in receiver.got}
    assert (len(receiver.got), ids) == (3, {f"msg_{row['id']}"})
    assert len(receiver.told()) == 3
    assert not await receiver.pool.fetchval("SELECT failures FROM webhooks WHERE id = $1", hook)


async def test_a_webhook_that_fails_for_days_is_disabled_and_its_deliveries_end(receiver: Receiver) -> None:
    pool = receiver.pool
    hook = await receiver.hook(*RUNS)
    await receiver.end(await receiver.run())
    receiver.statuses = [500] * 20
    for attempt in range(1, len(AGAIN_AFTER) + 2):
        await receiver.again()
        row = await receiver.delivery()
        assert row["attempts"] == attempt
    assert (row["status"], row["next_attempt_at"]) == ("failed", None)
    assert await pool.fetchval("SELECT is_enabled FROM webhooks WHERE id = $1", hook)
    days = f"{DISABLE_AFTER_DAYS} days 1 minute"
    await pool.execute("UPDATE webhooks SET failing_since = now() - $1::text::interval", days)
    await receiver.end(await receiver.run(), "failed")
    await receiver.again()
    after = await pool.fetchrow("SELECT is_enabled, disabled_reason FROM webhooks WHERE id = $1", hook)
    assert after is not None
    assert not after["is_enabled"]
    assert after["disabled_reason"] == "Every delivery failed for 5 days. It answered with status 500."
    sent = len(receiver.got)
    await receiver.again()
    assert len(receiver.got) == sent


@pytest.mark.parametrize("asked", ["nan", "-1", "x", "Mon, 01 Jan 99999999999999999999 00:00:00 GMT"])
async def test_what_a_receiver_answers_harms_nobody_else(receiver: Receiver, asked: str) -> None:
    await receiver.hook(*RUNS)
    await receiver.end(await receiver.run())
    receiver.headers = {"Retry-After": asked}
    receiver.statuses = [500]
    await receiver.deliver()
    assert (await receiver.delivery())["attempts"] == 1
    await receiver.again()
    assert (await receiver.delivery())["status"] == "delivered"


async def test_an_error_does_not_name_the_path_of_an_address(receiver: Receiver) -> None:
    await receiver.hook(*RUNS, url="http://10.0.0.1/hook/a-token?key=a-token")
    await receiver.end(await receiver.run())
    await receiver.deliver()
    error = (await receiver.delivery())["error"]
    assert error.startswith("10.0.0.1 ")
    assert "a-token" not in error


async def test_nobody_delays_the_events_of_others(receiver: Receiver, rows: Rows) -> None:
    flood = [await receiver.hook(*RUNS) for _ in range(12)]
    await receiver.end(await receiver.run())
    other = await rows.user("another")
    hook = await receiver.hook(*RUNS, user_id=other)
    await receiver.end(await receiver.run(other))
    due = await receiver.due()
    assert len(due) == len(flood) + 1
    assert hook in {each.webhook_id for each in due[:2]}


async def test_addresses_that_do_not_answer_delay_no_others(receiver: Receiver, rows: Rows, bus: Bus) -> None:
    """Neither those of the same person, nor, however many they are, those of somebody else."""
    pool, hanging, release = receiver.pool, 0, asyncio.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        nonlocal hanging
        if request.path != "/hang":
            return await receiver._receive(request)
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
        await until(lambda: pool.fetchval("SELECT bool_and(status = 'delivered') FROM webhook_deliveries"))


async def _has(receiver: Receiver, count: int) -> bool:
    return len(receiver.got) == count


async def _is(condition: Callable[[], bool]) -> bool:
    return condition()


async def test_a_webhook_is_deleted_beside_a_change_that_it_is_told_of(receiver: Receiver) -> None:
    hook, run = await receiver.hook(*RUNS), await receiver.run()
    async with receiver.pool.acquire() as connection:
        transaction = connection.transaction()
        await transaction.start()
        await connection.execute("DELETE FROM webhooks WHERE id = $1", hook)
        ending = asyncio.create_task(receiver.end(run))
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE runs%'"
        await until(lambda: _is_positive(receiver.pool.fetchval(waiting)))
        await transaction.commit()
        await ending
    assert await receiver.pool.fetchval("SELECT status FROM runs WHERE id = $1", run) == "completed"
    assert not await receiver.deliveries()


async def _is_positive(count: Awaitable[int]) -> bool:
    return await count > 0


async def test_an_address_that_is_gone_is_disabled_at_once(receiver: Receiver) -> None:
    await receiver.hook(*RUNS)
    await receiver.end(await receiver.run())
    receiver.statuses = [410]
    await receiver.deliver()
    assert not await receiver.pool.fetchval("SELECT is_enabled FROM webhooks")


async def test_both_secrets_sign_during_the_overlap_of_a_rotation(receiver: Receiver) -> None:
    previous = receiver.secrets.encrypt(OTHER_SECRET)
    await receiver.hook(*RUNS, encrypted_previous_secret=previous)
    await receiver.pool.execute("UPDATE webhooks SET previous_secret_until = now() + interval '1 hour'")
    await receiver.end(await receiver.run())
    await receiver.deliver()
    await receiver.pool.execute("UPDATE webhooks SET previous_secret_until = now() - interval '1 second'")
    await receiver.end(await receiver.run())
    await receiver.deliver()
    assert len(receiver.told()) == 2
    (headers, body), (later_headers, later_body) = receiver.got
    assert Webhook(OTHER_SECRET).verify(body, headers)["type"] == "run.completed"
    with pytest.raises(WebhookVerificationError):
        Webhook(OTHER_SECRET).verify(later_body, later_headers)


async def test_private_addresses_and_redirects_are_not_followed(receiver: Receiver) -> None:
    site = receiver.site
    site.names.addresses["rebound.test"] = [["127.0.0.1"]]
    site.redirect("/moved", site.url("/hook"), 307)
    for url in (site.url("/hook", host="127.0.0.1"), site.url("/hook", host="rebound.test"), site.url("/moved")):
        await receiver.hook(*RUNS, url=url)
    await receiver.end(await receiver.run())
    await receiver.deliver()
    errors = [row["error"] for row in await receiver.deliveries()]
    assert "is a private, loopback or reserved address" in errors[0]
    assert errors[2] == "It answered with status 307."
    assert "must not be fetched" in errors[1]
    assert not receiver.got


async def test_who_lost_the_right_is_told_nothing(receiver: Receiver, rows: Rows) -> None:
    pool = receiver.pool
    everybodys = await receiver.hook("run_completed", is_installation=True)  # of somebody who is no superadmin
    gone = await rows.user("gone")
    left = await receiver.hook(*RUNS, user_id=gone)
    await receiver.end(await receiver.run(gone))
    await pool.execute("UPDATE users SET is_active = FALSE WHERE id = $1", gone)
    own = await receiver.hook(*RUNS, *DOCUMENTS)
    removed = await receiver.run()
    await receiver.end(removed)
    of_run = "UPDATE chat_sessions SET deleted_date = now() WHERE id = (SELECT chat_session_id FROM runs WHERE id = $1)"
    await pool.execute(of_run, removed)
    handed = await rows.connector()
    await pool.execute("UPDATE documents SET status = 'completed' WHERE id = $1", await rows.document(handed))
    await pool.execute("UPDATE connectors SET user_id = $2 WHERE id = $1", handed, gone)
    await receiver.deliver()
    assert not receiver.got
    reasons = [(row["webhook_id"], row["status"], row["error"]) for row in await receiver.deliveries()]
    inactive, hidden = "The account of the webhook's owner is not active.", "may not read what the event is about."
    assert (left, "withheld", inactive) in reasons
    assert [reason.endswith(hidden) for hook, _, reason in reasons if hook == own] == [True, True]
    assert {reason for hook, _, reason in reasons if hook == everybodys} == {
        "The webhook's owner is not a superadmin any more."
    }
    # Nobody is told by it any more: another superadmin enables it, whose it is then.
    assert not await pool.fetchval("SELECT is_enabled FROM webhooks WHERE id = $1", everybodys)
    assert await pool.fetchval("SELECT is_enabled FROM webhooks WHERE id = $1", own)
    await pool.execute("DELETE FROM chat_sessions WHERE user_id = $1", gone)
    await pool.execute("UPDATE connectors SET user_id = $1 WHERE user_id = $2", receiver.user_id, gone)
    await pool.execute("DELETE FROM users WHERE id = $1", gone)
    assert not await pool.fetchval("SELECT count(*) FROM webhooks WHERE id = $1", left)


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


async def test_what_a_killed_process_had_not_sent_is_sent_by_another(
    receiver: Receiver, process_settings: Settings, tmp_path: Path
) -> None:
    """A worker dies after the receiver has the event and before its answer is stored: the event arrives twice."""
    pool, arrived = receiver.pool, asyncio.Event()
    receiver.secrets = Secrets([process_settings.secrets.keys.get_secret_value()])

    async def hang(request: web.Request) -> web.StreamResponse:
        await receiver._receive(request)
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
    receiver.site.otherwise = receiver._receive
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
    receiver.site.otherwise = receiver._receive
    async with working(receiver, pool, bus):
        await until(lambda: pool.fetchval("SELECT count(*) = 1 FROM webhook_deliveries WHERE status = 'delivered'"))
    assert len(receiver.told()) == 1
