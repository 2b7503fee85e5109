"""Events and webhooks: what a change writes, how it is sent, and with whose rights."""

import asyncio
import json
from collections.abc import Awaitable
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from echomind_agent.webhooks.sender import AGAIN_AFTER, DISABLE_AFTER_DAYS
from tests.drivers.death import until
from tests.drivers.snippets import to_run
from tests.drivers.webhook_receiver import RUNS, SECRET, Receiver
from tests.factories import rows as make
from tests.factories.rows import Rows

pytestmark = pytest.mark.asyncio(loop_scope="session")

OTHER_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
DOCUMENTS = ["document_ready", "document_failed", "document_removed"]


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
    received = receiver.told()
    assert [kind for kind, _ in received].count("run.completed") == 3
    assert set(received[0][1]) == {"run_id", "chat_session_id", "user_id", "assistant_id", "status"} - (
        set() if "assistant_id" in received[0][1] else {"assistant_id"}
    )
    headers, body = receiver.got[0]
    assert json.loads(body)["timestamp"].endswith("Z")
    with pytest.raises(WebhookVerificationError):
        Webhook(OTHER_SECRET).verify(body, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(body + b" ", headers)
    assert {row["status"] for row in await receiver.deliveries()} == {"delivered"}
    await receiver.deliver()
    assert len(receiver.got) == len(received)


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
    received = receiver.told()
    # The removed document is not there any more when its failure would be told.
    assert sorted(kind for kind, _ in received) == [
        "audit.entry",
        "document.ready",
        "document.removed",
        "sync.completed",
        "sync.failed",
    ]
    assert {data["connector_id"] for _, data in received if "connector_id" in data} == {connector}
    (entry,) = (data for kind, data in received if kind == "audit.entry")
    assert (entry["action"], entry["target"], entry["actor_id"]) == ("UserService/CreateUser", "users/7", 7)
    assert next(data for kind, data in received if kind == "sync.completed")["documents_added"] == 3


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
async def test_what_areceiver_answers_harms_nobody_else(receiver: Receiver, asked: str) -> None:
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
    (snippet,) = to_run("webhooks.md", "python")
    given: dict[str, Any] = {"body": body, "headers": headers}
    exec(snippet.text.replace("whsec_…", OTHER_SECRET), given)
    assert given["event"]["type"] == "run.completed"
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
