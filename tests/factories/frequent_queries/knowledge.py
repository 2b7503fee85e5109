"""Of knowledge: one's own, what awaits review, the lessons of a run, and what sessions and searches have found."""

from echomind_lib.knowledge import learned
from echomind_lib.knowledge.search import READABLE
from tests.factories.frequent_queries.query import Query, issued

_KNOWN = {"ids": "'{1}'", "reader_id": "1", "reader_groups": "'{}'", "user_id": "1", "most": "10"}

KNOWLEDGE: list[Query] = [
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
]
