"""References of knowledge and memories."""

from tests.factories.references.use import NOTHING, Use, about, asks
from tests.factories.world import World

USES: dict[tuple[str, str], Use] = {
    ("KnowledgeService/CreateKnowledge", "knowledge.sources.document_id"): Use(
        World.document,
        asks(lambda one: {"knowledge": {"title": "x", "content": "x", "sources": [{"documentId": one}]}}),
    ),
    ("KnowledgeService/UpdateKnowledge", "knowledge.sources.document_id"): Use(
        World.document,
        about(
            World.knowledge,
            lambda own, one: {"id": own, "knowledge": {"sources": [{"documentId": one}]}, "updateMask": "sources"},
        ),
        "",
        role="superadmin",
    ),
    ("KnowledgeService/CreateKnowledge", "message_id"): Use(
        World.message, asks(lambda one: {"knowledge": {"title": "x", "content": "x"}, "messageId": one})
    ),
    ("KnowledgeService/SetKnowledgeFeedback", "feedback.chat_session_id"): Use(
        World.session,
        about(World.knowledge, lambda own, one: {"id": own, "feedback": {"helpful": True, "chatSessionId": one}}),
    ),
    ("KnowledgeService/ListKnowledge", "found_in_session_id"): Use(
        World.session, asks(lambda one: {"foundInSessionId": one})
    ),
    ("KnowledgeService/ListKnowledge", "run_id"): Use(World.run, asks(lambda one: {"runId": one}), expected=NOTHING),
    ("KnowledgeService/ApproveKnowledge", "replaced_id"): Use(
        World.knowledge,
        about(World.proposal, lambda own, one: {"id": own, "revision": 1, "replacedId": one}),
        "",
        role="superadmin",
    ),
    ("MemoryService/DeleteAllMemories", "chat_session_id"): Use(
        World.session, asks(lambda one: {"chatSessionId": one}), expected=NOTHING
    ),
    ("MemoryService/ListMemories", "chat_session_id"): Use(
        World.session, asks(lambda one: {"chatSessionId": one}), expected=NOTHING
    ),
}
