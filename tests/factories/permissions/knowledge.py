"""The calls about knowledge and memories."""

from tests.factories.permissions.rows import (
    ANYTHING,
    EVERYONE,
    FORBIDDEN,
    HIDDEN,
    OK,
    PERSONAL,
    SESSIONS_WRITTEN,
    SUPERADMINS,
    Row,
    Table,
    by_id,
    empty,
    patch,
)
from tests.factories.world import World, name

KNOWLEDGE_READ: Table = {"own": EVERYONE, "org": EVERYONE, "foreign": (HIDDEN, HIDDEN, OK)}
KNOWLEDGE_MANAGED: Table = KNOWLEDGE_READ | {"org": SUPERADMINS}
KNOWLEDGE_PROPOSED: Table = SESSIONS_WRITTEN | {"org": (FORBIDDEN, FORBIDDEN, FORBIDDEN)}
KNOWLEDGE_REVIEWED: Table = dict.fromkeys(("own", "foreign"), SUPERADMINS)

ROWS: dict[str, Row] = {
    "KnowledgeService/ListKnowledge": Row(World.nothing, empty, ANYTHING),
    "KnowledgeService/GetKnowledge": Row(World.knowledge, by_id, KNOWLEDGE_READ),
    "KnowledgeService/CreateKnowledge": Row(
        World.nothing, lambda _: {"knowledge": {"title": name(), "content": "x"}}, ANYTHING
    ),
    "KnowledgeService/UpdateKnowledge": Row(
        World.knowledge, patch("knowledge", "title", "Another title"), KNOWLEDGE_MANAGED
    ),
    "KnowledgeService/DeleteKnowledge": Row(World.knowledge, by_id, KNOWLEDGE_MANAGED),
    "KnowledgeService/SearchKnowledge": Row(World.nothing, lambda _: {"query": "x"}, ANYTHING),
    "KnowledgeService/SetKnowledgeFeedback": Row(
        World.knowledge, lambda item: {"id": item, "feedback": {"helpful": True}}, KNOWLEDGE_READ
    ),
    "KnowledgeService/DeleteKnowledgeFeedback": Row(World.knowledge, by_id, KNOWLEDGE_READ),
    "KnowledgeService/ListKnowledgeFeedback": Row(World.knowledge, by_id, KNOWLEDGE_MANAGED),
    "KnowledgeService/ListKnowledgeRevisions": Row(World.knowledge, by_id, KNOWLEDGE_MANAGED),
    "KnowledgeService/ProposeKnowledge": Row(World.knowledge, by_id, KNOWLEDGE_PROPOSED),
    "KnowledgeService/WithdrawKnowledge": Row(World.proposal, by_id, SESSIONS_WRITTEN),
    "KnowledgeService/ListKnowledgeProposals": Row(World.nothing, empty, {"": SUPERADMINS}),
    "KnowledgeService/GetKnowledgeReview": Row(World.proposal, by_id, KNOWLEDGE_REVIEWED),
    "KnowledgeService/ApproveKnowledge": Row(
        World.proposal, lambda item: {"id": item, "revision": 1}, KNOWLEDGE_REVIEWED
    ),
    "KnowledgeService/RejectKnowledge": Row(
        World.proposal, lambda item: {"id": item, "comment": "x"}, KNOWLEDGE_REVIEWED
    ),
    "KnowledgeService/VerifyKnowledge": Row(World.knowledge, by_id, KNOWLEDGE_REVIEWED),
    "MemoryService/ListMemories": Row(World.nothing, empty, ANYTHING),
    "MemoryService/SearchMemories": Row(World.nothing, lambda _: {"query": "tea"}, ANYTHING),
    "MemoryService/GetMemory": Row(World.memory, by_id, PERSONAL),
    "MemoryService/CreateMemory": Row(World.nothing, lambda _: {"memory": {"content": "x"}}, ANYTHING),
    "MemoryService/UpdateMemory": Row(World.memory, patch("memory", "content", name), PERSONAL),
    "MemoryService/DeleteMemory": Row(World.memory, by_id, PERSONAL),
    "MemoryService/DeleteAllMemories": Row(World.nothing, empty, ANYTHING),
    "MemoryService/EraseMemories": Row(
        World.user, lambda user: {"userId": user}, {"own": SUPERADMINS, "foreign": SUPERADMINS}
    ),
}
