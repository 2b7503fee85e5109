"""Of conversations and notebooks."""

from datetime import UTC, datetime

from echomind_api.conversations import access
from echomind_api.conversations.checkpoints import page_of_checkpoints
from echomind_api.conversations.session_rows import page_of_sessions
from echomind_api.notebooks.sessions import page_of_notebook
from echomind_lib.conversations import checkpoints, shares
from echomind_lib.conversations.branches import NEWEST_BELOW, NEWEST_OF_ALL
from echomind_lib.conversations.message_rows import OF_RUNS, PAGE_OF_BRANCH, PAGE_OF_SESSION
from echomind_lib.conversations.questions.statements import STORE_AFTER_HEAD
from echomind_lib.conversations.questions.stored import FIND_BY_RUN
from echomind_lib.conversations.search import found_sessions
from echomind_lib.events import replay
from echomind_lib.models.public import ListChatSessionsRequest
from tests.factories.frequent_queries.query import READER, Query, by_foreign_key, issued, page_after, selected

_ASK = {
    "title": "'T'",
    "options": "'{}'",
    "caller": "NULL",
    "api_key_id": "NULL",
    "metadata": "NULL",
    "run_external_id": "NULL",
    "content": "'C'",
    "token_count": "1",
    "document_ids": "'{}'",
    "session_id": "1",
    "user_id": "1",
    "request_id": "'r'",
    "events": "'[]'",
}
_READER = {"reader_id": "1", "reader_groups": "'{}'", "reader_is_superadmin": "FALSE"}

_SESSION = (False, datetime(2026, 11, 20, tzinfo=UTC), 7)

_PAGE = "1, NULL, FALSE, '{}', 1, 7, 51"

CONVERSATIONS: list[Query] = [
    selected(
        "idx_chat_sessions_user_id",
        page_of_sessions(ListChatSessionsRequest(), READER, page_after(*_SESSION)),
        is_page=True,
    ),
    selected(
        "idx_chat_sessions_removed",
        page_of_sessions(ListChatSessionsRequest(removed=True), READER, page_after(*_SESSION)),
        is_page=True,
    ),
    selected("runs_pkey", page_of_sessions(ListChatSessionsRequest(), READER, page_after(*_SESSION))),
    Query("idx_chat_session_texts_text", found_sessions(1, is_first=True).sql, "1, NULL, '%a%', 51, 'a'", False),
    Query("idx_chat_messages_session_id", PAGE_OF_SESSION.sql, _PAGE, sorted_by_index=False),
    Query("chat_messages_pkey", PAGE_OF_BRANCH.sql, _PAGE, sorted_by_index=False),
    Query("idx_chat_messages_parent_message_id", NEWEST_BELOW.sql, "7", sorted_by_index=False),
    Query("idx_chat_messages_session_id", NEWEST_OF_ALL.sql, "7", sorted_by_index=False),
    Query("idx_chat_messages_parent_message_id", PAGE_OF_SESSION.sql, _PAGE, sorted_by_index=False),
    selected("idx_checkpoints_session_id", page_of_checkpoints(1, page_after(700)), is_page=True),
    issued(
        "idx_checkpoints_session_id",
        checkpoints._CREATE,
        {"checkpoint_type": "'auto'", "session_id": "1", "name": "'C'", "description": "''", "events": "'[]'"},
    ),
    Query("idx_chat_messages_run_id", OF_RUNS.sql, "1, NULL, FALSE, '{}', NULL, 4", sorted_by_index=False),
    issued("idx_chat_messages_run_id", FIND_BY_RUN, {"run_id": "uuidv7()"}),
    Query("idx_chat_message_documents_message_id", PAGE_OF_SESSION.sql, _PAGE, sorted_by_index=False),
    by_foreign_key("idx_chat_message_documents_document_id", "chat_message_documents", "document_id"),
    issued(
        "run_events_pkey",
        replay._READ,
        {"chat_session_id": "1", "after": "7", "limit": "501"},
        sorted_by_index=True,
    ),
    issued("session_shares_token_hash_key", shares.OPEN_SHARE, {"token_hash": "''", "is_signed_in": "FALSE"}),
    issued("session_shares_pkey", shares.OPEN_RECEIVED_SHARE, {"share_id": "7", "reader_id": "3"}),
    selected("idx_session_share_recipients_user_id", shares.received_shares(3).limit(51)),
    issued("chat_messages_pkey", shares._MESSAGES, {"head_message_id": "7", "session_id": "1", "shows_quotes": "TRUE"}),
    issued("idx_notebook_members_user_id", access._READS_AS_MEMBER, _READER | {"session_id": "4"}),
    issued("chat_session_sources_pkey", access._READS_AS_MEMBER, _READER | {"session_id": "4"}),
    selected("idx_chat_sessions_notebook_id", page_of_notebook(7, READER, page_after(*_SESSION[1:])), is_page=True),
    issued("idx_runs_untrusted", STORE_AFTER_HEAD, _ASK),
]
