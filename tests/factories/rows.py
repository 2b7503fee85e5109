"""Rows for tests: each has what its table demands, and the test names what it cares for.

`Rows` makes those that most tests begin with, in a database of the test's own.
"""

import itertools
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest_asyncio
from asyncpg.pool import PoolConnectionProxy

from echomind_lib.db.database import Database

Connection = asyncpg.Connection | PoolConnectionProxy | asyncpg.Pool

_numbers = itertools.count(1)


async def insert(connection: Connection, table: str, values: Mapping[str, Any]) -> asyncpg.Record:
    """Insert a row and give it back as stored."""
    columns = ", ".join(f'"{column}"' for column in values)
    places = ", ".join(f"${number}" for number in range(1, len(values) + 1))
    row = await connection.fetchrow(f"INSERT INTO {table} ({columns}) VALUES ({places}) RETURNING *", *values.values())
    assert row is not None
    return row


async def user(connection: Connection, **values: Any) -> asyncpg.Record:
    name = f"user{next(_numbers)}"
    return await insert(connection, "users", {"user_name": name, "email": f"{name}@example.org", **values})


async def service_account(connection: Connection, **values: Any) -> asyncpg.Record:
    name = f"program{next(_numbers)}"
    if "owner_group_id" not in values:
        values["owner_group_id"] = (await insert(connection, "groups", {"name": f"owner of {name}"}))["id"]
    return await insert(connection, "users", {"user_name": name, "kind": "service", **values})


async def new_worker(connection: Connection) -> UUID:
    """Returns the id of a worker that counts as alive until its heartbeat is stale."""
    row = await insert(connection, "workers", {"service": "test", "host": "test"})
    worker_id: UUID = row["id"]
    return worker_id


async def llm(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"name": f"llm {next(_numbers)}", "provider": "openai", "model_id": "m", **values}
    return await insert(connection, "llms", given)


async def embedding_model(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"model_id": "m", "model_name": "M", "model_dimension": 384, "sparse_encoder": "bm25", "chunker": "c"}
    return await insert(connection, "embedding_models", given | values)


async def retention_rule(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"data": "run_steps", "days": 30, **values}
    await connection.execute("DELETE FROM retention_rules WHERE data = $1", given["data"])
    return await insert(connection, "retention_rules", given)


async def legal_hold(connection: Connection, **values: Any) -> asyncpg.Record:
    if "user_id" not in values and "chat_session_id" not in values:
        values["user_id"] = (await user(connection))["id"]
    return await insert(connection, "legal_holds", {"reason": "Case 7"} | values)


async def reranker(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {
        "name": f"reranker {next(_numbers)}",
        "protocol": "tei",
        "model_id": "m",
        "endpoint": "http://127.0.0.1:1",
        "candidates": 30,
        "timeout_ms": 1500,
    }
    return await insert(connection, "rerankers", given | values)


async def index_document(connection: Connection, **values: Any) -> asyncpg.Record:
    index_id = values.get("index_id") or (await embedding_model(connection))["id"]
    document_id = values.get("document_id") or (await document(connection))["id"]
    given = {"index_id": index_id, "document_id": document_id, "chunking_session": uuid4()}
    return await insert(connection, "index_documents", given | values)


async def assistant(connection: Connection, **values: Any) -> asyncpg.Record:
    return await insert(connection, "assistants", {"name": f"assistant {next(_numbers)}", **values})


async def assistant_member(connection: Connection, **values: Any) -> asyncpg.Record:
    leader, member = values.get("assistant_id"), values.get("member_id")
    values["assistant_id"] = leader or (await assistant(connection))["id"]
    values["member_id"] = member or (await assistant(connection))["id"]
    return await insert(connection, "assistant_members", {"position": 1} | values)


async def assistant_version(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"version": 1, "config": "{}", **values}
    given["assistant_id"] = values.get("assistant_id") or (await assistant(connection))["id"]
    return await insert(connection, "assistant_versions", given)


async def connector(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"name": f"connector {next(_numbers)}", "type": "web", **values}
    if "user_id" not in given:
        given["user_id"] = (await user(connection))["id"]
    return await insert(connection, "connectors", given)


async def connector_sync(connection: Connection, **values: Any) -> asyncpg.Record:
    if "connector_id" not in values:
        values["connector_id"] = (await connector(connection))["id"]
    return await insert(connection, "connector_syncs", values)


async def source_folder(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"source_id": f"folder {next(_numbers)}", "name": "Folder", **values}
    if "connector_id" not in given:
        given["connector_id"] = (await connector(connection))["id"]
    return await insert(connection, "source_folders", given)


async def source_principal(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"key": f"user:test:{next(_numbers)}", **values}
    if "connector_id" not in given:
        given["connector_id"] = (await connector(connection))["id"]
    return await insert(connection, "source_principals", given)


async def source_alias(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"key": f"user:test:{next(_numbers)}", **values}
    if "user_id" not in given:
        given["user_id"] = (await user(connection))["id"]
    return await insert(connection, "source_aliases", given)


async def crawl_address(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"url": f"https://example.com/{next(_numbers)}", "depth": 0, **values}
    if "connector_id" not in given:
        given["connector_id"] = (await connector(connection))["id"]
    return await insert(connection, "crawl_addresses", given)


async def document(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"source_id": f"source {next(_numbers)}", **values}
    if "connector_id" not in given:
        given["connector_id"] = (await connector(connection))["id"]
    return await insert(connection, "documents", given)


async def chat_session(connection: Connection, **values: Any) -> asyncpg.Record:
    given = dict(values)
    if "user_id" not in given:
        given["user_id"] = (await user(connection))["id"]
    if "assistant_id" not in given:
        given["assistant_id"] = (await assistant(connection))["id"]
    return await insert(connection, "chat_sessions", given)


async def session_source(connection: Connection, **values: Any) -> asyncpg.Record:
    given = dict(values)
    if "chat_session_id" not in given:
        given["chat_session_id"] = (await chat_session(connection))["id"]
    if "document_id" not in given:
        given["document_id"] = (await document(connection))["id"]
    return await insert(connection, "chat_session_sources", given)


async def installation_settings(connection: Connection, **values: Any) -> asyncpg.Record:
    """Returns the one row, in place of the one that is there."""
    await connection.execute("DELETE FROM installation_settings")
    return await insert(connection, "installation_settings", {"id": True, **values})


async def session_share(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {
        "token_hash": secrets.token_bytes(32),
        "title": "T",
        "expires_at": datetime.now(UTC) + timedelta(days=30),
        **values,
    }
    if "chat_session_id" not in given:
        given["chat_session_id"] = (await chat_session(connection))["id"]
    if "user_id" not in given:
        given["user_id"] = await connection.fetchval(
            "SELECT user_id FROM chat_sessions WHERE id = $1", given["chat_session_id"]
        )
    if "head_message_id" not in given:
        answer = await chat_message(connection, chat_session_id=given["chat_session_id"], role="assistant")
        given["head_message_id"] = answer["id"]
    return await insert(connection, "session_shares", given)


async def session_share_recipient(connection: Connection, **values: Any) -> asyncpg.Record:
    given = dict(values)
    if "session_share_id" not in given:
        given["session_share_id"] = (await session_share(connection))["id"]
    if "user_id" not in given and "group_id" not in given:
        given["user_id"] = (await user(connection))["id"]
    return await insert(connection, "session_share_recipients", given)


async def chat_message(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"role": "user", **values}
    if "chat_session_id" not in given:
        given["chat_session_id"] = (await chat_session(connection))["id"]
    if "author_kind" not in given:
        owner = "SELECT user_id FROM chat_sessions WHERE id = $1"
        is_person = given["role"] == "user"
        given["author_kind"] = "person" if is_person else "assistant"
        given["author_id"] = await connection.fetchval(owner, given["chat_session_id"]) if is_person else None
    return await insert(connection, "chat_messages", given)


async def feedback(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"is_positive": True, **values}
    if "chat_message_id" not in given:
        given["chat_message_id"] = (await chat_message(connection))["id"]
    if "user_id" not in given:
        given["user_id"] = (await user(connection))["id"]
    return await insert(connection, "chat_message_feedbacks", given)


async def citation(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"chunk_id": "c", "number": 1, **values}
    if "chat_message_id" not in given:
        given["chat_message_id"] = (await chat_message(connection))["id"]
    return await insert(connection, "chat_message_documents", given)


async def run(connection: Connection, **values: Any) -> asyncpg.Record:
    given = dict(values)
    if "chat_session_id" not in given:
        session = await chat_session(connection)
        given["chat_session_id"] = session["id"]
        given.setdefault("user_id", session["user_id"])
    if "user_id" not in given:
        given["user_id"] = await connection.fetchval(
            "SELECT user_id FROM chat_sessions WHERE id = $1", given["chat_session_id"]
        )
    return await insert(connection, "runs", given)


async def step(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"step_number": 1, **values}
    if "run_id" not in given:
        given["run_id"] = (await run(connection))["id"]
    return await insert(connection, "steps", given)


async def tool_call(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"tool_call_id": f"call {next(_numbers)}", "tool_name": "t", **values}
    if "step_id" not in given:
        given["step_id"] = (await step(connection))["id"]
    return await insert(connection, "tool_calls", given)


async def run_event(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"kind": "status", **values}
    if "chat_session_id" not in given:
        given["chat_session_id"] = (await chat_session(connection))["id"]
    return await insert(connection, "run_events", given)


async def todo(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"title": "t", "order_index": 1, **values}
    if "chat_session_id" not in given:
        given["chat_session_id"] = (await chat_session(connection))["id"]
    return await insert(connection, "todos", given)


async def checkpoint(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"name": "c", "checkpoint_type": "manual", "session_state": "{}", **values}
    if "chat_session_id" not in given:
        given["chat_session_id"] = (await chat_session(connection))["id"]
    return await insert(connection, "checkpoints", given)


async def memory(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"memory_type": "semantic", "content": "x", **values}
    if "user_id" not in given:
        given["user_id"] = (await user(connection))["id"]
    return await insert(connection, "agent_memories", given)


async def session_learning(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"kind": "memory", "last_message_id": 1, **values}
    if "read_to" not in given:
        given["read_to"] = await connection.fetchval("SELECT now()")
    if "chat_session_id" not in given:
        given["chat_session_id"] = (await chat_session(connection))["id"]
    return await insert(connection, "session_learnings", given)


async def notebook(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"title": "N", **values}
    if "user_id" not in given:
        given["user_id"] = (await user(connection))["id"]
    return await insert(connection, "notebooks", given)


async def notebook_member(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"role": "viewer", **values}
    if "notebook_id" not in given:
        given["notebook_id"] = (await notebook(connection))["id"]
    if "user_id" not in given:
        given["user_id"] = (await user(connection))["id"]
    return await insert(connection, "notebook_members", given)


async def notebook_group(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"role": "viewer", **values}
    if "notebook_id" not in given:
        given["notebook_id"] = (await notebook(connection))["id"]
    if "group_id" not in given:
        given["group_id"] = await connection.fetchval("INSERT INTO groups (name) VALUES (uuidv7()::text) RETURNING id")
    return await insert(connection, "notebook_groups", given)


async def notebook_summary(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"fingerprint": "0" * 64, "documents": 1} | values
    if "notebook_id" not in given:
        given["notebook_id"] = (await notebook(connection))["id"]
    return await insert(connection, "notebook_summaries", given)


async def notebook_note(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"title": "Note", "content": "x"} | values
    return await insert(connection, "notebook_notes", given)


async def notebook_source(connection: Connection, **values: Any) -> asyncpg.Record:
    given = dict(values)
    if "notebook_id" not in given:
        given["notebook_id"] = (await notebook(connection))["id"]
    return await insert(connection, "notebook_sources", given)


async def chunk_feedback(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"chunk_id": "c", "snippet": "x", "value": 1, **values}
    for column, make in (("message_id", chat_message), ("user_id", user), ("document_id", document)):
        if column not in given:
            given[column] = (await make(connection))["id"]
    return await insert(connection, "chunk_feedback", given)


async def rated_question(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"number": 1, "terms": [1], **values}
    if "message_id" not in given:
        given["message_id"] = (await chat_message(connection))["id"]
    return await insert(connection, "rated_questions", given)


async def knowledge(connection: Connection, **values: Any) -> asyncpg.Record:
    given: dict[str, Any] = {"title": f"entity {next(_numbers)}", "content": "Something that is known."}
    given |= {"prior_alpha": 8.0, "prior_beta": 2.0, "alpha": 8.0, "beta": 2.0, **values}
    return await insert(connection, "knowledge_entities", given)


async def knowledge_revision(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"revision": 1, "level": "public", "title": "entity", "content": "Something that is known.", **values}
    if "knowledge_id" not in given:
        given["knowledge_id"] = (await knowledge(connection, level="public"))["id"]
    return await insert(connection, "knowledge_revisions", given)


async def knowledge_feedback(connection: Connection, **values: Any) -> asyncpg.Record:
    given = dict(values)
    for column, make in (("knowledge_id", knowledge), ("user_id", user)):
        if column not in given:
            given[column] = (await make(connection, **({"level": "public"} if make is knowledge else {})))["id"]
    return await insert(connection, "knowledge_feedback", given)


async def webhook(connection: Connection, **values: Any) -> asyncpg.Record:
    """Returns a webhook that receives events of completed runs; its secret cannot be decrypted unless one is given."""
    values["user_id"] = values.get("user_id") or (await user(connection))["id"]
    given = {"url": "https://example.org/hook", "event_types": ["run_completed"], "encrypted_secret": "x"}
    return await insert(connection, "webhooks", given | values)


async def webhook_delivery(connection: Connection, **values: Any) -> asyncpg.Record:
    values["webhook_id"] = values.get("webhook_id") or (await webhook(connection))["id"]
    given = {"event_type": "test", "status": "delivered", "next_attempt_at": None}
    return await insert(connection, "webhook_deliveries", given | values)


async def evaluation_dataset(connection: Connection, **values: Any) -> asyncpg.Record:
    values["user_id"] = values.get("user_id") or (await user(connection))["id"]
    return await insert(connection, "evaluation_datasets", {"name": f"dataset {next(_numbers)}"} | values)


async def evaluation_case(connection: Connection, **values: Any) -> asyncpg.Record:
    values["dataset_id"] = values.get("dataset_id") or (await evaluation_dataset(connection))["id"]
    return await insert(connection, "evaluation_cases", {"question": "What?"} | values)


async def evaluation_run(connection: Connection, **values: Any) -> asyncpg.Record:
    """Returns an evaluation that was cancelled, unless a status is given."""
    if "dataset_id" not in values:
        values["dataset_id"] = (await evaluation_dataset(connection, user_id=values.get("user_id")))["id"]
    owner = "SELECT user_id FROM evaluation_datasets WHERE id = $1"
    values["user_id"] = values.get("user_id") or await connection.fetchval(owner, values["dataset_id"])
    values["assistant_id"] = values.get("assistant_id") or (await assistant(connection))["id"]
    given = {"assistant_version": 0, "status": "cancelled"} | values
    if given["status"] != "running":
        given["completed_at"] = datetime.now(UTC)
    return await insert(connection, "evaluation_runs", given)


async def evaluation_result(connection: Connection, **values: Any) -> asyncpg.Record:
    values["evaluation_run_id"] = values.get("evaluation_run_id") or (await evaluation_run(connection))["id"]
    made = await insert(connection, "evaluation_results", values)
    if "expected" not in values:  # set here, as connections differ in what JSON is given as
        filled = "UPDATE evaluation_results SET expected = jsonb_build_object('question', 'What?') WHERE id = $1"
        await connection.execute(filled, made["id"])
    return made


async def background_job(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"kind": "title", "subject_id": "1", "unique_key": f"title:{next(_numbers)}", **values}
    return await insert(connection, "background_jobs", given)


async def api_key(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"name": f"key {next(_numbers)}", "prefix": "em_abc", "sha256": bytes(32), **values}
    if "user_id" not in given:
        given["user_id"] = (await user(connection))["id"]
    return await insert(connection, "api_keys", given)


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


async def token(connection: Connection, table: str, **values: Any) -> asyncpg.Record:
    """Returns a row of `sign_in_tokens`, `web_sessions` or `invitations`."""
    given = {"token_hash": next(_numbers).to_bytes(32), **values}
    person = "invited_by" if table == "invitations" else "user_id"
    if person not in given:
        given[person] = (await user(connection))["id"]
    if "expires_at" not in given:
        given["expires_at"] = await connection.fetchval("SELECT now() + interval '1 hour'")
    return await insert(connection, table, given)


async def sign_in_token(connection: Connection, **values: Any) -> asyncpg.Record:
    return await token(connection, "sign_in_tokens", **values)


async def web_session(connection: Connection, **values: Any) -> asyncpg.Record:
    return await token(connection, "web_sessions", **values)


async def invitation(connection: Connection, **values: Any) -> asyncpg.Record:
    return await token(connection, "invitations", **values)


async def identity_provider(connection: Connection, **values: Any) -> asyncpg.Record:
    """Returns a provider that does not answer."""
    number = next(_numbers)
    given = {
        "name": f"provider{number}",
        "issuer": f"http://127.0.0.1:1/{number}",
        "client_id": "echomind",
        "scopes": "openid",
        "algorithms": ["RS256"],
        "email_trust": "never",
        "groups_claim": "groups",
        **values,
    }
    return await insert(connection, "identity_providers", given)


async def scim_client(connection: Connection, **values: Any) -> asyncpg.Record:
    return await insert(connection, "scim_clients", {"name": f"client{next(_numbers)}", **values})


async def scim_token(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {
        "client_id": (await scim_client(connection))["id"],
        "prefix": "ems_",
        "sha256": bytes(32),
        "expires_at": datetime.now(UTC) + timedelta(days=1),
    }
    return await insert(connection, "scim_tokens", given | values)


async def scim_user(connection: Connection, **values: Any) -> asyncpg.Record:
    client, account = await scim_client(connection), await user(connection)
    given = {"client_id": client["id"], "user_id": account["id"], "user_name": "ann@example.org"}
    return await insert(connection, "scim_users", given | values)


async def scim_group(connection: Connection, **values: Any) -> asyncpg.Record:
    client = await scim_client(connection)
    group = await insert(connection, "groups", {"name": f"group{next(_numbers)}"})
    given = {"client_id": client["id"], "group_id": group["id"], "display_name": "Group"}
    return await insert(connection, "scim_groups", given | values)


async def group_member(connection: Connection, **values: Any) -> asyncpg.Record:
    group = await insert(connection, "groups", {"name": f"group{next(_numbers)}"})
    given = {"group_id": group["id"], "user_id": (await user(connection))["id"], **values}
    return await insert(connection, "group_members", given)


class Rows:
    """Makes rows in a test's own database, of its user where no other is named."""

    def __init__(self, database: Database, user_id: int) -> None:
        self._pool = database.pool
        self.user_id = user_id

    async def user(self, name: str, roles: list[str] | None = None, groups: list[str] | None = None) -> int:
        """Returns an active account."""
        given = {"user_name": name, "email": f"{name}@example.com", "roles": roles or ["user"], "groups": groups or []}
        return _id(await user(self._pool, **given))

    async def connector(self, scope: str = "user", scope_id: str | None = None, user_id: int | None = None) -> int:
        """Returns a file connector."""
        given = {"type": "file", "status": "active", "scope": scope, "scope_id": scope_id}
        return _id(await connector(self._pool, user_id=user_id or self.user_id, **given))

    async def document(self, connector_id: int | None = None, source_id: str | None = None) -> int:
        """Returns a document that waits to be processed."""
        given = {"source_id": source_id} if source_id else {}
        return _id(await document(self._pool, connector_id=connector_id or await self.connector(), title="T", **given))

    async def use_model_at(self, url: str) -> None:
        """Makes a server that speaks OpenAI's protocol, such as the scripted one, the default chat model."""
        await self._pool.execute("UPDATE llms SET is_default = FALSE")
        await llm(self._pool, name="Scripted", model_id="scripted", endpoint=url, is_default=True)


def _id(row: asyncpg.Record) -> int:
    found: int = row["id"]
    return found


@pytest_asyncio.fixture(loop_scope="session")
async def rows(database: Database) -> Rows:
    """A user with the built-in model and the default assistant."""
    pool = database.pool
    await llm(pool, name="Built-in", provider="extractive", model_id="extractive", is_default=True)
    await assistant(pool, name="EchoMind", is_default=True)
    return Rows(database, _id(await user(pool, user_name="owner", email="owner@example.com")))
