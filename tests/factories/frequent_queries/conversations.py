"""Of conversations and notebooks."""

from echomind_api.conversations import access
from echomind_lib.conversations import checkpoints, shares
from echomind_lib.conversations.branches import NEWEST_BELOW, NEWEST_OF_ALL
from echomind_lib.conversations.message_rows import PAGE_OF_BRANCH, PAGE_OF_SESSION
from echomind_lib.conversations.questions.statements import STORE_AFTER_HEAD
from echomind_lib.conversations.questions.stored import FIND_BY_RUN
from echomind_lib.conversations.search import found_sessions
from echomind_lib.events import replay
from tests.factories.frequent_queries.query import Query, issued

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

CONVERSATIONS: list[Query] = [
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
        "idx_run_events_session_id",
        replay._READ,
        {"chat_session_id": "1", "after": "7", "limit": "501"},
        sorted_by_index=True,
    ),
    issued("session_shares_token_hash_key", shares.OPEN_SHARE, {"token_hash": "''", "is_signed_in": "FALSE"}),
    issued("chat_messages_pkey", shares._MESSAGES, {"head_message_id": "7", "session_id": "1"}),
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
]
