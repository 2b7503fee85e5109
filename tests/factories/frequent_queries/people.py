"""Of people, how they sign in, and what they may use."""

from echomind_api.assistants.assistants import page_of_assistants
from echomind_api.auth import principals, sessions
from tests.factories.frequent_queries.query import READER, Query, page_after, selected

PEOPLE: list[Query] = [
    selected("idx_assistants_is_visible", page_of_assistants(READER, page_after(0, 7)), is_page=True),
    Query("idx_users_email", sessions.BY_NAME.sql, "'a'", sorted_by_index=False),
    Query("idx_users_user_name", sessions.BY_NAME.sql, "'a'", sorted_by_index=False),
    Query("idx_api_keys_prefix", principals.BY_API_KEY.sql, "'a'"),
    Query("web_sessions_token_hash_key", principals.BY_WEB_SESSION.sql, "''"),
]
