"""Of knowledge: one's own, what awaits review, the lessons of a run, and what sessions and searches have found."""

from uuid import UUID

from echomind_api.learned.knowledge.lists import page_of_entities, page_of_proposals
from echomind_lib.access import Principal
from echomind_lib.learned.knowledge import entities
from echomind_lib.learned.knowledge.search import READABLE
from echomind_lib.models.public import ListKnowledgeRequest
from tests.factories.frequent_queries.query import READER, Query, issued, page_after, selected

_KNOWN = {"ids": "'{1}'", "reader_id": "1", "reader_groups": "'{}'", "user_id": "1", "limit": "10"}

_REVIEWER = Principal(user_id=1, roles=frozenset({"user", "editor"}), groups=frozenset({"staff"}))

KNOWLEDGE: list[Query] = [
    selected(
        "idx_knowledge_user",
        page_of_entities(ListKnowledgeRequest(own=True), READER, page_after(700)),
        is_page=True,
    ),
    selected("idx_knowledge_proposed", page_of_proposals(_REVIEWER, page_after(1, 700)), is_page=True),
    selected(
        "idx_knowledge_run",
        page_of_entities(ListKnowledgeRequest(run_id=str(UUID(int=7))), READER, page_after(700)),
        sorted_by_index=False,
    ),
    selected(
        "idx_knowledge_uses_chat_session_id",
        page_of_entities(ListKnowledgeRequest(found_in_session_id=1), READER, page_after(700)),
        sorted_by_index=False,
    ),
    issued("knowledge_entities_pkey", READABLE, _KNOWN),
    issued("idx_knowledge_user", entities.NEWEST_OWN, _KNOWN, sorted_by_index=True),
]
