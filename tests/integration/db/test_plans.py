"""The queries that are asked often find their rows by the index that is there for them, without sorting.

Plans are generic ones, as a prepared statement's are in the long run.
"""

import json
import secrets
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from echomind.local.embedded.postgres import DATABASE, PostgresServer
from echomind_api.auth import principals, sessions
from echomind_api.sources import intake
from echomind_lib.conversations.branches import NEWEST_BELOW, NEWEST_OF_ALL
from echomind_lib.conversations.messages import PAGE_OF_BRANCH, PAGE_OF_SESSION
from echomind_lib.conversations.search import found_sessions
from tests.drivers.servers import database_url

# Enough of everything that an index pays, spread as in life: most work is done, little waits.
FILL = """
    INSERT INTO users (user_name, email, external_id)
    SELECT 'user' || n, 'user' || n || '@example.org', 'x' || n FROM generate_series(1, 200) n;

    INSERT INTO assistants (name, is_visible) SELECT 'assistant ' || n, n % 3 > 0 FROM generate_series(1, 100) n;

    INSERT INTO connectors (name, type, user_id, next_sync_at)
    SELECT 'connector ' || n, 'web', n % 200 + 1, CASE WHEN n % 4 = 0 THEN now() + n * interval '1 min' END
    FROM generate_series(1, 400) n;

    INSERT INTO documents (connector_id, source_id, title, size_bytes, status, deleted_date)
    SELECT n % 400 + 1, 's' || n, 'T' || n, n * 7,
        CASE n % 50 WHEN 0 THEN 'pending' WHEN 1 THEN 'failed' ELSE 'completed' END,
        CASE WHEN n % 500 = 0 THEN now() END
    FROM generate_series(1, 20000) n;

    INSERT INTO chat_sessions (user_id, assistant_id, creation_date)
    SELECT n % 200 + 1, 1, now() - n * interval '1 min'
    FROM generate_series(1, 5000) n;

    INSERT INTO chat_session_texts (chat_session_id, user_id, text, indexed_at)
    SELECT id, user_id, 'what was said in ' || md5(id::text), now() FROM chat_sessions;

    INSERT INTO runs (user_id, chat_session_id, status, request_id, creation_date)
    SELECT user_id, id, CASE WHEN id % 100 = 0 THEN 'queued' WHEN id % 100 = 1 THEN 'running' ELSE 'completed' END,
        'request ' || id, creation_date
    FROM chat_sessions;
    INSERT INTO runs (user_id, chat_session_id, parent_run_id, kind, status)
    SELECT user_id, chat_session_id, id, 'sub_agent', 'completed' FROM runs WHERE chat_session_id % 20 = 0;

    UPDATE runs SET tainted = TRUE WHERE chat_session_id % 10 = 0;

    INSERT INTO chat_messages (chat_session_id, role, run_id)
    SELECT chat_session_id, 'assistant', id FROM runs, generate_series(1, 4) n;

    UPDATE chat_messages SET parent_message_id = id - 1 WHERE id % 4 <> 1;

    INSERT INTO checkpoints (chat_session_id, name, checkpoint_type, session_state)
    SELECT n % 500 + 1, 'c', CASE WHEN n % 5 = 0 THEN 'manual' ELSE 'auto' END, '{}' FROM generate_series(1, 5000) n;

    INSERT INTO todos (chat_session_id, run_id, title, order_index)
    SELECT chat_session_id, id, 't', n FROM runs, generate_series(1, 3) n WHERE chat_session_id % 4 = 0;

    INSERT INTO chat_message_documents (chat_message_id, document_id, chunk_id, number)
    SELECT id, id % 20000 + 1, 'c', id % 3 + 1 FROM chat_messages;

    INSERT INTO steps (run_id, step_number, discarded)
    SELECT id, n, n = 2 FROM runs, generate_series(1, 3) n;

    INSERT INTO tool_calls (step_id, tool_call_id, tool_name, status)
    SELECT id, 'c' || n, 't', 'completed' FROM steps, generate_series(1, 2) n;

    UPDATE tool_calls SET user_id_last_update = id % 200 + 1, request_id = 'answer ' || id WHERE id % 20 = 0;

    INSERT INTO run_events (chat_session_id, run_id, kind)
    SELECT chat_session_id, id, 'status' FROM runs, generate_series(1, 4) n;

    INSERT INTO api_keys (user_id, name, prefix, sha256)
    SELECT n % 200 + 1, 'key ' || n, 'p' || n, sha256(n::text::bytea) FROM generate_series(1, 1000) n;

    INSERT INTO web_sessions (user_id, token_hash, expires_at)
    SELECT n % 200 + 1, sha256(n::text::bytea), now() + interval '1 day' FROM generate_series(1, 1000) n;

    INSERT INTO connector_syncs (connector_id, status)
    SELECT n % 400 + 1, CASE WHEN n > 7990 THEN 'pending' ELSE 'completed' END FROM generate_series(1, 8000) n;

    INSERT INTO background_jobs (kind, subject_id, unique_key, status)
    SELECT 'title', n, 'title:' || n, CASE WHEN n % 50 = 0 THEN 'pending' ELSE 'completed' END
    FROM generate_series(1, 3000) n;
"""


@dataclass(frozen=True)
class Query:
    """A query that is asked often, and the index that it must use."""

    index: str
    sql: str
    values: str
    sorted_by_index: bool = True


QUERIES = [
    Query(
        "idx_chat_sessions_user_id",
        """
        SELECT * FROM chat_sessions WHERE user_id = $1 AND archived IS FALSE AND deleted_date IS NULL
            AND (pinned, COALESCE(last_message_at, creation_date), id) < ($2, $3, $4)
        ORDER BY pinned DESC, COALESCE(last_message_at, creation_date) DESC, id DESC LIMIT 51
        """,
        "1, FALSE, now(), 7",
    ),
    Query(
        "runs_pkey",
        """
        SELECT chat_sessions.*, runs.status AS run_status, runs.error AS run_error
        FROM chat_sessions LEFT JOIN runs ON runs.id = chat_sessions.most_recent_run_id
        WHERE chat_sessions.user_id = $1 AND chat_sessions.archived IS FALSE AND chat_sessions.deleted_date IS NULL
            AND (chat_sessions.pinned, COALESCE(chat_sessions.last_message_at, chat_sessions.creation_date),
                chat_sessions.id) < ($2, $3, $4)
        ORDER BY chat_sessions.pinned DESC, COALESCE(chat_sessions.last_message_at, chat_sessions.creation_date) DESC,
            chat_sessions.id DESC
        LIMIT 51
        """,
        "1, FALSE, now(), 7",
    ),
    Query("idx_chat_session_texts_text", found_sessions(1, is_first=True).sql, "1, '%a%', 51, 'a'", False),
    Query("idx_chat_messages_session_id", PAGE_OF_SESSION.sql, "1, FALSE, '{}', 1, 7, 51", sorted_by_index=False),
    Query("chat_messages_pkey", PAGE_OF_BRANCH.sql, "1, FALSE, '{}', 1, 7, 51", sorted_by_index=False),
    Query("idx_chat_messages_parent_message_id", NEWEST_BELOW.sql, "7", sorted_by_index=False),
    Query("idx_chat_messages_session_id", NEWEST_OF_ALL.sql, "7", sorted_by_index=False),
    Query(
        "idx_chat_messages_parent_message_id",
        "SELECT array_agg(id) FROM chat_messages WHERE parent_message_id = $1 HAVING count(*) > 1",
        "7",
        sorted_by_index=False,
    ),
    Query(
        "idx_checkpoints_session_id",
        "SELECT * FROM checkpoints WHERE chat_session_id = $1 AND id < $2 ORDER BY id DESC LIMIT 51",
        "1, 700",
    ),
    Query(
        "idx_checkpoints_session_id",
        """
        SELECT id FROM checkpoints WHERE chat_session_id = $1 AND checkpoint_type <> 'manual'
        ORDER BY id DESC OFFSET 199
        """,
        "1",
    ),
    Query("idx_chat_messages_run_id", "SELECT * FROM chat_messages WHERE run_id = $1", "uuidv7()"),
    Query(
        "idx_chat_message_documents_message_id",
        "SELECT * FROM chat_message_documents WHERE chat_message_id = ANY ($1)",
        "'{1,2,3}'",
    ),
    Query("idx_chat_message_documents_document_id", "SELECT * FROM chat_message_documents WHERE document_id = $1", "1"),
    Query(
        "idx_steps_run_active",
        "SELECT * FROM steps WHERE run_id = $1 AND discarded = false ORDER BY step_number",
        "uuidv7()",
    ),
    Query(
        "steps_run_id_step_number_key",
        "SELECT * FROM steps WHERE run_id = $1 AND step_number > $2 ORDER BY step_number LIMIT 51",
        "uuidv7(), 7",
    ),
    Query(
        "idx_tool_calls_status_count",
        "SELECT status, count(*) FROM tool_calls WHERE step_id = $1 GROUP BY status",
        "1",
    ),
    Query(
        "idx_run_events_session_id",
        "SELECT * FROM run_events WHERE chat_session_id = $1 AND id > $2 ORDER BY id LIMIT 501",
        "1, 7",
    ),
    Query(
        "idx_runs_active",
        """
        SELECT id, priority FROM runs WHERE status = 'queued' AND user_id = $1 AND priority = $2 ORDER BY id LIMIT 4
        """,
        "1, 1",
    ),
    Query(
        "idx_runs_active",
        "SELECT user_id FROM runs WHERE status = 'queued' AND user_id > $1 ORDER BY user_id LIMIT 1",
        "1",
    ),
    Query(
        "idx_runs_slot",
        """
        SELECT slot FROM runs
        WHERE user_id = $1 AND status IN ('running', 'waiting_for_children') AND slot IS NOT NULL ORDER BY slot
        """,
        "1",
    ),
    Query(
        "idx_runs_active",
        """
        SELECT id FROM runs AS r WHERE status = 'running' AND NOT EXISTS (
            SELECT FROM workers AS w WHERE w.id = r.worker_id
        ) LIMIT 100
        """,
        "",
        sorted_by_index=False,
    ),
    Query(
        "idx_runs_active_root",
        """
        SELECT id FROM runs WHERE chat_session_id = $1 AND parent_run_id IS NULL
            AND status IN ('queued', 'running', 'waiting_for_input', 'waiting_for_children', 'paused')
        """,
        "1",
    ),
    Query(
        "idx_runs_chat_session_id",
        "SELECT * FROM runs WHERE chat_session_id = $1 AND id < $2 ORDER BY id DESC LIMIT 51",
        "1, uuidv7()",
    ),
    Query(
        "idx_runs_user_id", "SELECT * FROM runs WHERE user_id = $1 AND id < $2 ORDER BY id DESC LIMIT 51", "1, uuidv7()"
    ),
    Query("idx_runs_tainted", "SELECT id FROM runs WHERE chat_session_id = $1 AND tainted", "1"),
    Query("idx_runs_parent_run_id", "SELECT status FROM runs WHERE parent_run_id = $1", "uuidv7()"),
    Query(
        "idx_tool_calls_request_id",
        "SELECT step_id FROM tool_calls WHERE user_id_last_update = $1 AND request_id = $2",
        "1, 'r'",
        sorted_by_index=False,
    ),
    Query(
        "idx_todos_run_id",
        "SELECT * FROM todos WHERE run_id = $1 ORDER BY order_index",
        "uuidv7()",
    ),
    Query("idx_todos_order", "SELECT * FROM todos WHERE chat_session_id = $1 ORDER BY order_index, id", "1"),
    Query("runs_user_id_request_id_key", "SELECT * FROM runs WHERE user_id = $1 AND request_id = $2", "1, 'r'"),
    Query(
        "idx_documents_connector_id",
        "SELECT * FROM documents WHERE connector_id = $1 AND id < $2 ORDER BY id DESC LIMIT 51",
        "1, 700",
    ),
    Query(
        "idx_documents_status",
        "SELECT * FROM documents WHERE connector_id = $1 AND status = $2 AND id < $3 ORDER BY id DESC LIMIT 51",
        "1, 'failed', 700",
    ),
    Query(
        "idx_documents_title",
        """
        SELECT * FROM documents WHERE deleted_date IS NULL AND connector_id = ANY ($1) AND (lower(title), id) > ($2, $3)
        ORDER BY lower(title), id LIMIT 101
        """,
        "'{1,2,3}', 't', 700",
    ),
    Query(
        "idx_documents_size",
        """
        SELECT * FROM documents
        WHERE deleted_date IS NULL AND connector_id = ANY ($1) AND (COALESCE(size_bytes, 0), id) < ($2, $3)
        ORDER BY COALESCE(size_bytes, 0) DESC, id DESC LIMIT 101
        """,
        "'{1,2,3}', 900, 700",
    ),
    Query(
        "idx_documents_unfinished",
        "SELECT id FROM documents WHERE status = 'pending' AND id > $1 ORDER BY id LIMIT 100",
        "7",
    ),
    Query("idx_documents_removed", "SELECT id FROM documents WHERE deleted_date IS NOT NULL ORDER BY id LIMIT 100", ""),
    Query(
        "idx_assistants_is_visible",
        """
        SELECT * FROM assistants
        WHERE is_visible AND deleted_date IS NULL AND (display_priority, id) > ($1, $2)
        ORDER BY display_priority, id LIMIT 51
        """,
        "0, 7",
    ),
    Query(
        "idx_background_jobs_due",
        """
        SELECT id FROM background_jobs WHERE status = 'pending' AND run_after <= now()
        ORDER BY run_after, id LIMIT 10 FOR UPDATE SKIP LOCKED
        """,
        "",
    ),
    Query("idx_documents_source_id", intake.FIND.sql, "1, 'a'"),
    Query("idx_users_email", sessions.BY_NAME.sql, "'a'", sorted_by_index=False),
    Query("idx_users_user_name", sessions.BY_NAME.sql, "'a'", sorted_by_index=False),
    Query("idx_api_keys_prefix", principals.BY_API_KEY.sql, "'a'"),
    Query("web_sessions_token_hash_key", principals.BY_WEB_SESSION.sql, "''"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def filled(
    postgres_server: PostgresServer, postgres_admin: asyncpg.Connection
) -> AsyncIterator[asyncpg.Connection]:
    """A connection to a database with rows, where the planner avoids reading whole tables and sorting."""
    name = f"filled_{secrets.token_hex(6)}"
    await postgres_admin.execute(f"CREATE DATABASE {name} TEMPLATE {DATABASE}")
    connection = await asyncpg.connect(database_url(postgres_server, name))
    await connection.execute(FILL)
    await connection.execute("VACUUM ANALYZE")
    await connection.execute("SET enable_seqscan = off")
    await connection.execute("SET enable_sort = off")
    await connection.execute("SET plan_cache_mode = force_generic_plan")
    yield connection
    await connection.close()
    await postgres_admin.execute(f"DROP DATABASE {name}")


async def plan_of(connection: asyncpg.Connection, query: Query) -> list[dict[str, Any]]:
    """The nodes of the query's plan."""
    await connection.execute(f"PREPARE question AS {query.sql}")
    try:
        call = f"question({query.values})" if query.values else "question"
        explained = json.loads(await connection.fetchval(f"EXPLAIN (FORMAT JSON) EXECUTE {call}"))
    finally:
        await connection.execute("DEALLOCATE question")
    return list(nodes(explained[0]["Plan"]))


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from nodes(child)


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.index)
async def test_a_frequent_query_uses_its_index(filled: asyncpg.Connection, query: Query) -> None:
    plan = await plan_of(filled, query)

    assert query.index in {node.get("Index Name") for node in plan}, plan
    kinds = {node["Node Type"] for node in plan}
    assert "Seq Scan" not in kinds
    if query.sorted_by_index:
        assert not kinds & {"Sort", "Incremental Sort"}, plan


async def test_a_page_begins_at_its_place_in_the_index(filled: asyncpg.Connection) -> None:
    """The key of the page before is part of the search in the index, not a filter over all rows before it."""
    keyset = [query for query in QUERIES if "LIMIT 51" in query.sql]
    assert len(keyset) > 8
    for query in keyset:
        scan = next(node for node in await plan_of(filled, query) if node.get("Index Name") == query.index)
        assert "Filter" not in scan, query.sql
        assert "id" in scan["Index Cond"], query.sql
