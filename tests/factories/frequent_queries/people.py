"""Of people, how they sign in, and what they may use."""

from echomind_api.auth import principals, sessions
from tests.factories.frequent_queries.query import Query

PEOPLE: list[Query] = [
    Query(
        "idx_assistants_is_visible",
        """
        SELECT * FROM assistants
        WHERE is_visible AND deleted_date IS NULL AND (display_priority, id) > ($1, $2)
        ORDER BY display_priority, id LIMIT 51
        """,
        "0, 7",
    ),
    Query("idx_users_email", sessions.BY_NAME.sql, "'a'", sorted_by_index=False),
    Query("idx_users_user_name", sessions.BY_NAME.sql, "'a'", sorted_by_index=False),
    Query("idx_api_keys_prefix", principals.BY_API_KEY.sql, "'a'"),
    Query("web_sessions_token_hash_key", principals.BY_WEB_SESSION.sql, "''"),
]
