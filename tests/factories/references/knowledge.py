"""References of knowledge and memories."""

from tests.factories.references.use import NOTHING, Use, about, asks
from tests.factories.world import World

USES: dict[tuple[str, str], Use] = {
    ("KnowledgeService/CreateKnowledge", "knowledge.sources.document_id"): Use(
        World.document,
        asks(lambda item: {"knowledge": {"title": "x", "content": "x", "sources": [{"documentId": item}]}}),
    ),
    ("KnowledgeService/UpdateKnowledge", "knowledge.sources.document_id"): Use(
        World.document,
        about(
            World.knowledge,
            lambda own, item: {"id": own, "knowledge": {"sources": [{"documentId": item}]}, "updateMask": "sources"},
        ),
        "",
        role="superadmin",
    ),
    ("KnowledgeService/CreateKnowledge", "message_id"): Use(
        World.message, asks(lambda item: {"knowledge": {"title": "x", "content": "x"}, "messageId": item})
    ),
    ("KnowledgeService/SetKnowledgeFeedback", "feedback.chat_session_id"): Use(
        World.session,
        about(World.knowledge, lambda own, item: {"id": own, "feedback": {"helpful": True, "chatSessionId": item}}),
    ),
    ("KnowledgeService/ListKnowledge", "found_in_session_id"): Use(
        World.session, asks(lambda item: {"foundInSessionId": item})
    ),
    ("KnowledgeService/ListKnowledge", "run_id"): Use(World.run, asks(lambda item: {"runId": item}), expected=NOTHING),
    ("KnowledgeService/ApproveKnowledge", "replaced_id"): Use(
        World.knowledge,
        about(World.proposal, lambda own, item: {"id": own, "revision": 1, "replacedId": item}),
        "",
        role="superadmin",
    ),
    ("MemoryService/DeleteAllMemories", "chat_session_id"): Use(
        World.session, asks(lambda item: {"chatSessionId": item}), expected=NOTHING
    ),
    ("MemoryService/ListMemories", "chat_session_id"): Use(
        World.session, asks(lambda item: {"chatSessionId": item}), expected=NOTHING
    ),
}
