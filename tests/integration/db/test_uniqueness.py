"""Every uniqueness rule refuses a second row, and only where one is too many."""

from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from echomind_lib.db import words
from tests.drivers.refusals import Insert, refused
from tests.factories import rows


async def test_names_and_addresses_of_users_are_unique_without_case(connection: asyncpg.Connection) -> None:
    await rows.user(connection, user_name="Ada", email="Ada@Example.org", external_id="x")
    await rows.user(connection)
    await rows.user(connection)
    for name, values in {
        "idx_users_user_name": {"user_name": "ADA"},
        "idx_users_email": {"email": "ada@example.ORG"},
        "idx_users_external_id": {"external_id": "x"},
    }.items():
        assert await refused(connection, rows.user, asyncpg.UniqueViolationError, **values) == name


@pytest.mark.parametrize(
    ("table", "insert", "values", "name"),
    [
        ("llms", rows.llm, {"name": "same"}, "idx_llms_name"),
        ("llms", rows.llm, {"is_default": True}, "idx_llms_default"),
        ("embedding_models", rows.embedding_model, {"is_active": True}, "idx_embedding_models_active"),
        ("rerankers", rows.reranker, {"name": "same"}, "idx_rerankers_name"),
        ("rerankers", rows.reranker, {"is_active": True}, "idx_rerankers_active"),
        ("assistants", rows.assistant, {"name": "same"}, "idx_assistants_name"),
        ("assistants", rows.assistant, {"is_default": True}, "idx_assistants_default"),
    ],
)
async def test_uniqueness_among_rows_that_are_not_deleted(
    connection: asyncpg.Connection, table: str, insert: Insert, values: dict[str, Any], name: str
) -> None:
    await insert(connection, **values)
    await insert(connection)
    await insert(connection)
    assert await refused(connection, insert, asyncpg.UniqueViolationError, **values) == name

    await connection.execute(f"UPDATE {table} SET deleted_date = now()")
    await insert(connection, **values)


async def test_connector_names_are_unique_per_owner_among_live_ones(connection: asyncpg.Connection) -> None:
    owner = (await rows.user(connection))["id"]
    await rows.connector(connection, user_id=owner, name="drive")
    await rows.connector(connection, name="drive")
    again = {"user_id": owner, "name": "drive"}
    assert await refused(connection, rows.connector, asyncpg.UniqueViolationError, **again) == "idx_connectors_name"

    await connection.execute("UPDATE connectors SET deleted_date = now()")
    await rows.connector(connection, **again)


async def test_a_connector_has_one_sync_at_a_time(connection: asyncpg.Connection) -> None:
    connector_id = (await rows.connector(connection))["id"]
    for status in ("completed", "failed", "cancelled", "running"):
        await rows.connector_sync(connection, connector_id=connector_id, status=status)
    name = await refused(
        connection, rows.connector_sync, asyncpg.UniqueViolationError, connector_id=connector_id, status="pending"
    )
    assert name == "idx_connector_syncs_active"


async def test_documents_are_unique_per_source(connection: asyncpg.Connection) -> None:
    document = await rows.document(connection, source_id="a")
    await rows.document(connection, source_id="a")
    await rows.document(connection, connector_id=document["connector_id"], source_id="A")
    name = await refused(
        connection,
        rows.document,
        asyncpg.UniqueViolationError,
        connector_id=document["connector_id"],
        source_id="a",
    )
    assert name == "idx_documents_source_id"


async def test_long_source_ids_fit_into_their_index(connection: asyncpg.Connection) -> None:
    # Random text, so that compression does not help.
    await rows.document(connection, source_id="".join(uuid4().hex for _ in range(62)) + "x" * 16)


@pytest.mark.parametrize("status", words.ACTIVE_RUN_STATUSES)
async def test_a_session_has_one_active_root_run(connection: asyncpg.Connection, status: words.RunStatus) -> None:
    run = await rows.run(connection, status=status)
    session_id = run["chat_session_id"]
    for final in words.FINAL_RUN_STATUSES:
        await rows.run(connection, chat_session_id=session_id, status=final)
    await rows.run(connection, chat_session_id=session_id, parent_run_id=run["id"], kind="sub_agent")
    await rows.run(connection, chat_session_id=session_id, parent_run_id=run["id"], kind="sub_agent")

    name = await refused(connection, rows.run, asyncpg.UniqueViolationError, chat_session_id=session_id)
    assert name == "idx_runs_active_root"


async def test_a_request_starts_one_run_per_user(connection: asyncpg.Connection) -> None:
    run = await rows.run(connection, request_id="r", status="completed")
    await rows.run(connection, request_id="r")
    name = await refused(
        connection,
        rows.run,
        asyncpg.UniqueViolationError,
        chat_session_id=run["chat_session_id"],
        request_id="r",
    )
    assert name == "idx_runs_request_id"


async def test_run_ids_are_made_by_the_server_and_rise(connection: asyncpg.Connection) -> None:
    ids = [(await rows.run(connection))["id"] for _ in range(3)]
    assert ids == sorted(ids)
    assert {run_id.version for run_id in ids} == {7}


async def test_steps_and_tool_calls_are_numbered_once(connection: asyncpg.Connection) -> None:
    step = await rows.step(connection)
    name = await refused(connection, rows.step, asyncpg.UniqueViolationError, run_id=step["run_id"])
    assert name == "steps_run_id_step_number_key"

    await rows.tool_call(connection, step_id=step["id"], tool_call_id="c")
    name = await refused(connection, rows.tool_call, asyncpg.UniqueViolationError, step_id=step["id"], tool_call_id="c")
    assert name == "tool_calls_step_id_tool_call_id_key"


async def test_feedback_is_one_per_user_and_message(connection: asyncpg.Connection) -> None:
    given = await rows.feedback(connection)
    name = await refused(
        connection,
        rows.feedback,
        asyncpg.UniqueViolationError,
        chat_message_id=given["chat_message_id"],
        user_id=given["user_id"],
    )
    assert name == "chat_message_feedbacks_chat_message_id_user_id_key"


async def test_a_job_requested_twice_runs_once(connection: asyncpg.Connection) -> None:
    await rows.background_job(connection, unique_key="title:1", status="completed")
    name = await refused(connection, rows.background_job, asyncpg.UniqueViolationError, unique_key="title:1")
    assert name == "background_jobs_unique_key_key"


async def test_imports_are_recognised(connection: asyncpg.Connection) -> None:
    session = await rows.chat_session(connection, external_id="s")
    name = await refused(
        connection,
        rows.chat_session,
        asyncpg.UniqueViolationError,
        user_id=session["user_id"],
        external_id="s",
    )
    assert name == "idx_chat_sessions_external_id"

    run = await rows.run(connection, external_id="r", status="completed")
    name = await refused(
        connection,
        rows.run,
        asyncpg.UniqueViolationError,
        chat_session_id=run["chat_session_id"],
        external_id="r",
    )
    assert name == "idx_runs_external_id"


async def test_tokens_and_keys_are_unique(connection: asyncpg.Connection) -> None:
    for insert in (rows.sign_in_token, rows.web_session):
        await insert(connection, token_hash=b"x" * 32)
        name = await refused(connection, insert, asyncpg.UniqueViolationError, token_hash=b"x" * 32)
        assert name is not None
        assert name.endswith("_token_hash_key")

    key = await rows.api_key(connection, name="k")
    again = {"user_id": key["user_id"], "name": "k"}
    assert await refused(connection, rows.api_key, asyncpg.UniqueViolationError, **again) == "idx_api_keys_name"
    await connection.execute("UPDATE api_keys SET revoked = true")
    await rows.api_key(connection, **again)


async def test_a_share_token_opens_one_session(connection: asyncpg.Connection) -> None:
    await rows.session_share(connection, token_hash=b"x" * 32)
    name = await refused(connection, rows.session_share, asyncpg.UniqueViolationError, token_hash=b"x" * 32)
    assert name == "session_shares_token_hash_key"
    named = dict(await rows.session_share_recipient(connection))
    again = {"session_share_id": named["session_share_id"], "user_id": named["user_id"]}
    name = await refused(connection, rows.session_share_recipient, asyncpg.UniqueViolationError, **again)
    assert name == "session_share_recipients_session_share_id_user_id_key"
    group = await rows.insert(connection, "groups", {"name": "shared with"})
    again = {"session_share_id": named["session_share_id"], "group_id": group["id"]}
    await rows.session_share_recipient(connection, **again)
    name = await refused(connection, rows.session_share_recipient, asyncpg.UniqueViolationError, **again)
    assert name == "session_share_recipients_session_share_id_group_id_key"


async def test_an_installation_has_its_settings_once(connection: asyncpg.Connection) -> None:
    assert await connection.fetchval("SELECT link_sharing FROM installation_settings") == "anyone"
    with pytest.raises(asyncpg.UniqueViolationError):
        await connection.execute("INSERT INTO installation_settings DEFAULT VALUES")


async def test_an_index_names_its_collection(connection: asyncpg.Connection) -> None:
    model = await rows.embedding_model(connection)
    assert model["collection"] == f"chunks_{model['id']}"
