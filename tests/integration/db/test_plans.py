"""The queries that are asked often find their rows by the index that is there for them, without sorting.

Plans are generic ones, as a prepared statement's are in the long run.
"""

import json
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from echomind.local.embedded.postgres import DATABASE, PostgresServer
from echomind_agent.execution import resume
from echomind_api.auth import principals, sessions
from echomind_api.conversations import access, run_rows
from echomind_api.sources import intake
from echomind_lib.conversations import checkpoints, locks, shares
from echomind_lib.conversations.branches import NEWEST_BELOW, NEWEST_OF_ALL
from echomind_lib.conversations.messages import PAGE_OF_BRANCH, PAGE_OF_SESSION
from echomind_lib.conversations.questions.statements import STORE_AFTER_HEAD
from echomind_lib.conversations.questions.stored import FIND_BY_REQUEST, FIND_BY_RUN
from echomind_lib.conversations.search import found_sessions
from echomind_lib.db import statements
from echomind_lib.events import replay
from echomind_lib.knowledge import learned
from echomind_lib.knowledge.search import READABLE
from echomind_lib.plans import rows
from echomind_lib.retrieval import votes
from echomind_lib.runs import inputs, parents, queue, recovery, sub_runs
from echomind_lib.runs.claim import CLAIM
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

    INSERT INTO chat_sessions (user_id, assistant_id, creation_date, deleted_date)
    SELECT n % 200 + 1, 1, now() - n * interval '1 min', CASE WHEN n % 51 = 0 THEN now() END
    FROM generate_series(1, 5000) n;

    INSERT INTO chat_session_texts (chat_session_id, user_id, text, indexed_at)
    SELECT id, user_id, 'what was said in ' || md5(id::text), now() FROM chat_sessions;

    INSERT INTO runs (user_id, chat_session_id, status, request_id, creation_date)
    SELECT user_id, id, CASE WHEN id % 100 = 0 THEN 'queued' WHEN id % 100 = 1 THEN 'running' ELSE 'completed' END,
        'request ' || id, creation_date
    FROM chat_sessions;
    INSERT INTO runs (user_id, chat_session_id, parent_run_id, kind, status)
    SELECT user_id, chat_session_id, id, 'sub_agent', 'completed' FROM runs WHERE chat_session_id % 20 = 0;

    UPDATE runs SET untrusted = TRUE WHERE chat_session_id % 10 = 0;

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

    INSERT INTO notebooks (user_id, title) SELECT n % 200 + 1, 'notebook ' || n FROM generate_series(1, 500) n;

    INSERT INTO notebook_members (notebook_id, user_id, role)
    SELECT id, (id + n) % 200 + 1, CASE n WHEN 0 THEN 'owner' ELSE 'viewer' END FROM notebooks, generate_series(0, 3) n;

    INSERT INTO notebook_sources (notebook_id, user_id, document_id)
    SELECT id, user_id, id * 7 + n FROM notebooks, generate_series(0, 9) n;

    UPDATE chat_sessions SET notebook_id = id % 500 + 1 WHERE id % 4 = 0;

    INSERT INTO chat_session_sources (chat_session_id, document_id)
    SELECT id, id % 20000 + n FROM chat_sessions, generate_series(1, 3) n;

    INSERT INTO session_shares (chat_session_id, user_id, token_hash, title, head_message_id, expires_at)
    SELECT id, user_id, sha256(id::text::bytea), 'T', id * 4, now() + interval '30 days' FROM chat_sessions;

    INSERT INTO chunk_feedback (message_id, user_id, document_id, chunk_id, snippet, value, creation_date)
    SELECT id, id % 200 + 1, id % 2000 + 1, 'c', 'words', CASE WHEN id % 3 = 0 THEN -1 ELSE 1 END,
        now() - id * interval '1 min'
    FROM chat_messages WHERE id % 3 = 0;

    INSERT INTO rated_questions (message_id, number, terms) SELECT message_id, 1, '{1,2,3}' FROM chunk_feedback;

    INSERT INTO chat_message_feedbacks (chat_message_id, user_id, is_positive)
    SELECT id, id % 200 + 1, id % 4 > 0 FROM chat_messages WHERE id % 3 = 1;

    INSERT INTO knowledge_entities (user_id, level, title, content, prior_alpha, prior_beta, alpha, beta, usage_count,
        review_status, proposed_level, source_run_id)
    SELECT n % 200 + 1, CASE WHEN n % 10 = 0 THEN 'organization' ELSE 'individual' END, 'entity ' || n, 'c', 2, 2, 2, 2,
        n % 7, CASE WHEN n % 100 = 1 THEN 'proposed' ELSE 'none' END, 'organization',
        (SELECT id FROM runs WHERE n % 50 = 0 AND chat_session_id = n LIMIT 1)
    FROM generate_series(1, 5000) n;

    INSERT INTO knowledge_sources (knowledge_id, document_id)
    SELECT id, id % 20000 + 1 FROM knowledge_entities WHERE id % 2 = 0;

    INSERT INTO knowledge_uses (knowledge_id, run_id, chat_session_id)
    SELECT chat_session_id, id, chat_session_id FROM runs WHERE parent_run_id IS NULL;

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


def issued(
    index: str,
    statement: statements.Command | statements.Query[Any],
    values: Mapping[str, str],
    *,
    sorted_by_index: bool = False,
) -> Query:
    """Returns a statement as the code issues it; the values are SQL, by the names of its parameters."""
    in_order = ", ".join(values[name] for name in statement.parameters)
    return Query(index, statement.sql, in_order, sorted_by_index)


_CLAIM = {"worker_id": "uuidv7()", "run_id": "uuidv7()", "limit": "8", "events": "'[]'"}
_ASK = {
    "title": "'T'",
    "options": "'{}'",
    "content": "'C'",
    "token_count": "1",
    "document_ids": "'{}'",
    "session_id": "1",
    "user_id": "1",
    "request_id": "'r'",
    "events": "'[]'",
}
_READER = {"reader_id": "1", "reader_groups": "'{}'", "reader_is_superadmin": "FALSE"}
_EVERYBODY = {"reader_id": "1", "reader_is_superadmin": "TRUE", "before": "uuidv7()", "limit": "51"}
_VOTED = {"reader_id": "1", "reader_groups": "'{}'", "ids": "'{1,2,3}'"}

_KNOWN = {"ids": "'{1}'", "reader_id": "1", "reader_groups": "'{}'", "user_id": "1", "most": "10"}

QUERIES = [
    # Knowledge: one's own, the queue of reviews, the lessons of a run, what a session has found, and what a search has.
    Query(
        "idx_knowledge_user",
        "SELECT * FROM knowledge_entities WHERE user_id = $1 AND id < $2 ORDER BY id DESC LIMIT 51",
        "1, 7",
    ),
    Query(
        "idx_knowledge_proposed",
        """
        SELECT * FROM knowledge_entities WHERE review_status = 'proposed' AND (usage_count, id) < ($1, $2)
        ORDER BY usage_count DESC, id DESC LIMIT 51
        """,
        "1, 7",
    ),
    Query("idx_knowledge_run", "SELECT * FROM knowledge_entities WHERE source_run_id = $1", "uuidv7()", False),
    Query(
        "idx_knowledge_uses_chat_session_id",
        "SELECT knowledge_id FROM knowledge_uses WHERE chat_session_id = $1",
        "1",
        False,
    ),
    issued("knowledge_entities_pkey", READABLE, _KNOWN),
    issued("idx_knowledge_user", learned.NEWEST_OWN, _KNOWN, sorted_by_index=True),
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
        "idx_chat_sessions_removed",
        """
        SELECT * FROM chat_sessions WHERE user_id = $1 AND deleted_date IS NOT NULL
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
    issued(
        "idx_checkpoints_session_id",
        checkpoints._CREATE,
        {"checkpoint_type": "'auto'", "session_id": "1", "name": "'C'", "description": "''", "events": "'[]'"},
    ),
    issued("idx_chat_messages_run_id", FIND_BY_RUN, {"run_id": "uuidv7()"}),
    Query(
        "idx_chat_message_documents_message_id",
        "SELECT * FROM chat_message_documents WHERE chat_message_id = ANY ($1)",
        "'{1,2,3}'",
    ),
    Query("idx_chat_message_documents_document_id", "SELECT * FROM chat_message_documents WHERE document_id = $1", "1"),
    issued(
        "steps_run_id_step_number_key",
        run_rows._STEPS,
        {"own": "TRUE", "run_id": "uuidv7()", "after": "7", "limit": "51"},
        sorted_by_index=True,
    ),
    issued("idx_tool_calls_status_count", resume._STEPS, {"run_id": "uuidv7()"}),
    issued(
        "idx_run_events_session_id",
        replay._READ,
        {"chat_session_id": "1", "after": "7", "limit": "501"},
        sorted_by_index=True,
    ),
    issued("idx_runs_active", CLAIM, _CLAIM),
    issued("idx_runs_slot", CLAIM, _CLAIM),
    issued("runs_pkey", CLAIM, _CLAIM),
    issued("idx_runs_active", recovery._STRANDED, {"limit": "8", "age": "2.5"}),
    issued("idx_runs_active", recovery._HELD, {"worker_id": "uuidv7()", "age": "2.5"}),
    issued("idx_runs_active", queue._PROMOTE, {"seconds": "300"}),
    issued("idx_runs_active", parents._SETTLED, {"limit": "100"}),
    issued("idx_runs_active_root", locks._ACTIVE_ROOT, {"session_id": "1"}),
    Query(
        "idx_runs_chat_session_id",
        "SELECT * FROM runs WHERE chat_session_id = $1 AND id < $2 ORDER BY id DESC LIMIT 51",
        "1, uuidv7()",
    ),
    Query(
        "idx_runs_user_id", "SELECT * FROM runs WHERE user_id = $1 AND id < $2 ORDER BY id DESC LIMIT 51", "1, uuidv7()"
    ),
    Query(
        "idx_runs_creation_date",
        "SELECT sum(prompt_tokens) FROM runs WHERE creation_date >= $1 AND creation_date < $2",
        "now() - interval '1 day', now()",
        sorted_by_index=False,
    ),
    Query(
        "idx_runs_failed",
        "SELECT * FROM runs WHERE status IN ('failed', 'timeout') AND id < $1 ORDER BY id DESC LIMIT 51",
        "uuidv7()",
    ),
    issued("runs_pkey", run_rows._page(frozenset({"before"}), "read"), _EVERYBODY, sorted_by_index=True),
    issued("session_shares_token_hash_key", shares.OPEN_SHARE, {"token_hash": "''", "is_signed_in": "FALSE"}),
    issued("chat_messages_pkey", shares._MESSAGES, {"head_message_id": "7", "session_id": "1"}),
    issued("idx_chunk_feedback_document_id", votes._ACTIVE_AND_VOTED, _VOTED),
    issued("rated_questions_pkey", votes._ACTIVE_AND_VOTED, _VOTED),
    issued("idx_notebook_sources_document_id", votes._ACTIVE_AND_VOTED_IN_NOTEBOOK, _VOTED | {"notebook_id": "7"}),
    issued("idx_notebook_members_user_id", access._READS_AS_MEMBER, _READER | {"session_id": "4"}),
    issued("chat_session_sources_pkey", access._READS_AS_MEMBER, _READER | {"session_id": "4"}),
    Query(
        "idx_chat_sessions_notebook_id",
        """
        SELECT * FROM chat_sessions WHERE notebook_id = $1 AND deleted_date IS NULL
            AND (COALESCE(last_message_at, creation_date), id) < ($2, $3)
        ORDER BY COALESCE(last_message_at, creation_date) DESC, id DESC LIMIT 50 -- few are removed: they are filtered
        """,
        "7, now(), 7",
    ),
    issued("idx_runs_untrusted", STORE_AFTER_HEAD, _ASK),
    issued("idx_runs_parent_run_id", sub_runs._ENDED, {"run_id": "uuidv7()"}),
    issued("idx_tool_calls_request_id", inputs._ANSWERED_WITH, {"user_id": "1", "request_id": "'r'"}),
    issued("idx_todos_run_id", rows.OF_RUN, {"run_id": "uuidv7()"}),
    issued("idx_todos_order", rows.OF_SESSION, {"session_id": "1"}, sorted_by_index=True),
    issued("runs_user_id_request_id_key", FIND_BY_REQUEST, {"user_id": "1", "request_id": "'r'"}),
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
        "idx_documents_name",
        """
        SELECT * FROM documents
        WHERE deleted_date IS NULL AND connector_id = ANY ($1) AND lower(title || ' ' || source_id) LIKE '%zeppelin%'
        ORDER BY id DESC LIMIT 101
        """,
        "'{1,2,3}'",
        sorted_by_index=False,
    ),
    Query(
        "idx_documents_unfinished",
        "SELECT id FROM documents WHERE status = 'pending' AND id > $1 ORDER BY id LIMIT 100",
        "7",
    ),
    Query(
        "idx_documents_counts",
        """
        SELECT connector_id, status, content_type, count(*) FROM documents
        WHERE deleted_date IS NULL AND connector_id = ANY ($1) GROUP BY connector_id, status, content_type
        """,
        "'{1,2,3}'",
        sorted_by_index=False,
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
    """A connection to a database with rows, where the planner avoids reading whole tables."""
    name = f"filled_{secrets.token_hex(6)}"
    await postgres_admin.execute(f"CREATE DATABASE {name} TEMPLATE {DATABASE}")
    connection = await asyncpg.connect(database_url(postgres_server, name))
    await connection.execute(FILL)
    await connection.execute("VACUUM ANALYZE")
    await connection.execute("SET enable_seqscan = off")
    await connection.execute("SET plan_cache_mode = force_generic_plan")
    yield connection
    await connection.close()
    await postgres_admin.execute(f"DROP DATABASE {name}")


async def plan_of(connection: asyncpg.Connection, query: Query) -> list[dict[str, Any]]:
    """Returns the nodes of the query's plan."""
    await connection.execute(f"SET enable_sort = {'off' if query.sorted_by_index else 'on'}")
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
    read_whole = {node["Relation Name"] for node in plan if node["Node Type"] == "Seq Scan"}
    assert read_whole <= {"installation_settings"}, "only a table of one row may be read whole"
    kinds = {node["Node Type"] for node in plan}
    if query.sorted_by_index:
        assert not kinds & {"Sort", "Incremental Sort"}, plan


async def test_a_page_begins_at_its_place_in_the_index(filled: asyncpg.Connection) -> None:
    """The key of the page before is part of the search in the index, not a filter over all rows before it."""
    keyset = [query for query in QUERIES if "LIMIT 51" in query.sql]
    assert len(keyset) >= 8
    for query in keyset:
        scan = next(node for node in await plan_of(filled, query) if node.get("Index Name") == query.index)
        assert "Filter" not in scan, query.sql
        assert "id" in scan["Index Cond"], query.sql
