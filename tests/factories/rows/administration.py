"""What those who run an installation set, and what it keeps of itself."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import asyncpg

from tests.factories.rows.accounts import user
from tests.factories.rows.base import Connection, insert, numbers


async def new_worker(connection: Connection) -> UUID:
    """Returns the id of a worker that counts as alive until its heartbeat is stale."""
    row = await insert(connection, "workers", {"service": "test", "host": "test"})
    worker_id: UUID = row["id"]
    return worker_id


async def retention_rule(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"data": "run_steps", "days": 30, **values}
    await connection.execute("DELETE FROM retention_rules WHERE data = $1", given["data"])
    return await insert(connection, "retention_rules", given)


async def legal_hold(connection: Connection, **values: Any) -> asyncpg.Record:
    if "user_id" not in values and "chat_session_id" not in values:
        values["user_id"] = (await user(connection))["id"]
    return await insert(connection, "legal_holds", {"reason": "Case 7"} | values)


async def installation_settings(connection: Connection, **values: Any) -> asyncpg.Record:
    """Returns the one row, in place of the one that is there."""
    await connection.execute("DELETE FROM installation_settings")
    return await insert(connection, "installation_settings", {"id": True, **values})


async def webhook(connection: Connection, **values: Any) -> asyncpg.Record:
    """Returns a webhook that receives events of completed runs; its secret cannot be decrypted unless one is given."""
    values["user_id"] = values.get("user_id") or (await user(connection))["id"]
    given = {"url": "https://example.org/hook", "event_types": ["run_completed"], "encrypted_secret": "x"}
    return await insert(connection, "webhooks", given | values)


async def webhook_delivery(connection: Connection, **values: Any) -> asyncpg.Record:
    values["webhook_id"] = values.get("webhook_id") or (await webhook(connection))["id"]
    given = {"event_type": "test", "status": "delivered", "next_attempt_at": None}
    return await insert(connection, "webhook_deliveries", given | values)


async def background_job(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"kind": "title", "subject_id": "1", "unique_key": f"title:{next(numbers)}", **values}
    return await insert(connection, "background_jobs", given)


async def audit_entry(connection: Connection, **values: Any) -> asyncpg.Record:
    return await insert(connection, "audit_log", {"action": "users.update", "target": "users/1", **values})


async def audit_seal(connection: Connection, **values: Any) -> asyncpg.Record:
    seal = {
        "number": 1,
        "first_id": 1,
        "last_id": 1,
        "count": 1,
        "last_entry_at": datetime(2026, 1, 1, tzinfo=UTC),
        "ids": [1],
        "digests": bytes(32),
        "content_hash": bytes(32),
        "previous_hash": bytes(32),
        "hash": bytes(32),
    }
    return await insert(connection, "audit_seals", {**seal, **values})
