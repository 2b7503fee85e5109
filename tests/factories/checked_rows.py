"""Rows for the CHECKs of columns, which need something beside the column that is tested."""

import secrets
from datetime import UTC, datetime
from typing import Any

import asyncpg

from tests.factories import rows


async def group_connector(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    return await rows.connector(connection, scope="group", **values)


async def connector_sign_in(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    given = {
        "connector_id": (await rows.connector(connection))["id"],
        "web_session_id": (await rows.web_session(connection))["id"],
        "state_hash": secrets.token_bytes(32),
        "encrypted_verifier": "x",
        "redirect_uri": "x",
        "expires_at": datetime.now(UTC),
    }
    return await rows.insert(connection, "connector_sign_ins", given | values)


async def notebook_note(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    notebook = await rows.notebook(connection)
    return await rows.notebook_note(connection, notebook_id=notebook["id"], user_id=notebook["user_id"], **values)


async def rotated_key(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    return await rows.api_key(connection, **{"previous_expires_at": datetime(2026, 1, 1, tzinfo=UTC), **values})


async def sign_in_attempt(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    given = {
        "provider": "x",
        "state_hash": bytes(32),
        "browser_hash": bytes(32),
        "nonce": "x",
        "encrypted_verifier": "x",
        "redirect_uri": "x",
        "return_path": "/",
        "expires_at": datetime.now(UTC),
    }
    return await rows.insert(connection, "sign_in_attempts", given | values)


async def child_run(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    parent = await rows.run(connection)
    return await rows.run(connection, chat_session_id=parent["chat_session_id"], parent_run_id=parent["id"], **values)


async def child_without_parent(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    return await rows.run(connection, **values)


async def running_evaluation(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    return await rows.evaluation_run(connection, status="running", **values)


async def default_assistant(connection: rows.Connection, **values: Any) -> asyncpg.Record:
    await connection.execute("UPDATE assistants SET is_default = FALSE")
    return await rows.assistant(connection, **{"is_default": True} | values)


async def hidden_draft(connection: rows.Connection, **values: Any) -> asyncpg.Record:
    return await rows.assistant(connection, **{"is_draft": True, "is_visible": False} | values)


async def filled_index(connection: rows.Connection, **values: Any) -> asyncpg.Record:
    return await rows.embedding_model(connection, **{"index_state": "standby"} | values)


async def waiting_device(connection: rows.Connection, **values: Any) -> asyncpg.Record:
    await connection.execute("DELETE FROM device_sign_ins")
    given = {
        "device_code_hash": bytes(32),
        "user_code_hash": bytes(32),
        "client_name": "laptop",
        "address": "127.0.0.1",
        "network": "127.0.0.1",
        "scopes": ["read"],
        "days": 1,
        "interval_seconds": 5,
        "expires_at": datetime(2026, 1, 1, tzinfo=UTC),
    }
    return await rows.insert(connection, "device_sign_ins", given | values)


async def served_model(connection: rows.Connection, **values: Any) -> asyncpg.Record:
    given = {"endpoint": "http://gpu:8080", "protocol": "tei", "calibration": "{}"}
    return await rows.embedding_model(connection, **given | values)


async def priced_llm(connection: rows.Connection, **values: Any) -> asyncpg.Record:
    return await rows.llm(connection, **{"input_price": 1, "output_price": 1} | values)


async def named_session(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    return await rows.chat_session(connection, **{"generated_title": "T"} | values)


async def notebook_connector(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    connector_id = (await rows.connector(connection))["id"]
    return await rows.notebook_source(connection, **{"connector_id": connector_id} | values)


async def public_knowledge(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    return await rows.knowledge(connection, **{"level": "public"} | values)


async def proposed_knowledge(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    return await public_knowledge(connection, **{"review_status": "proposed"} | values)


async def reviewed_knowledge(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    return await public_knowledge(connection, **{"proposed_level": "public"} | values)


async def own_knowledge(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    user_id = (await rows.user(connection))["id"]
    return await rows.knowledge(connection, **{"user_id": user_id} | values)


async def webhook_delivery(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    due = datetime(2026, 1, 1, tzinfo=UTC) if values.get("status") == "pending" else None
    return await rows.webhook_delivery(connection, next_attempt_at=due, **values)


async def quota(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    await connection.execute("DELETE FROM quotas")
    limit = "max_concurrent_runs" if values.get("period") == "minute" else "max_tokens"
    return await rows.insert(connection, "quotas", {"scope": "organization", "period": "day", limit: 1} | values)


async def questions(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    return await quota(connection, **({"max_tokens": None} | values))


async def limit_at_a_time(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    return await quota(connection, **({"period": "minute"} | values))


async def quota_usage(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    given = {"period": "day", "begins_at": datetime.now(UTC)} | values
    return await rows.insert(connection, "quota_usage", given)


async def usage_daily(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    return await rows.insert(connection, "usage_daily", {"day": datetime.now(UTC), "kind": "answer"} | values)
