"""How what the makers of `World` and of references make is removed."""

from typing import Any
from uuid import UUID

from tests.factories.permissions.conversations import verified_address
from tests.factories.references.accounts import no_user
from tests.factories.references.assistants import no_group, no_tool
from tests.factories.references.conversations import cited_passage, tool_call
from tests.factories.references.notebooks import no_name
from tests.factories.references.sources import archive, connector_name, group
from tests.factories.world import Make, World

_SOFTLY = "UPDATE {} SET deleted_date = now() WHERE id = $1"
_SESSION_OF = "UPDATE chat_sessions SET deleted_date = now() WHERE id = (SELECT chat_session_id FROM {} WHERE id = $1)"
REMOVE: dict[Make, str] = {
    World.legal_hold: "DELETE FROM legal_holds WHERE id = $1",
    World.quota: "DELETE FROM quotas WHERE id = $1",
    World.webhook: "DELETE FROM webhooks WHERE id = $1",
    World.webhook_delivery: "DELETE FROM webhook_deliveries WHERE id = $1",
    World.dead_letter: "DELETE FROM background_jobs WHERE id = $1",
    World.dataset: "DELETE FROM evaluation_datasets WHERE id = $1",
    World.filled_dataset: "DELETE FROM evaluation_datasets WHERE id = $1",
    World.rated_dataset: "DELETE FROM evaluation_datasets WHERE id = $1",
    World.evaluation_case: "DELETE FROM evaluation_cases WHERE id = $1",
    World.evaluation: "DELETE FROM evaluation_runs WHERE id = $1",
    World.group: "WITH left_group AS (DELETE FROM group_members WHERE group_id = $1) DELETE FROM groups WHERE id = $1",
    World.service_account: "DELETE FROM users WHERE id = $1",
    World.invitation: "DELETE FROM invitations WHERE id = $1",
    World.web_session: "DELETE FROM web_sessions WHERE id = $1",
    World.api_key: "UPDATE api_keys SET revoked = TRUE WHERE id = $1",
    World.assistant: _SOFTLY.format("assistants"),
    World.versioned_assistant: _SOFTLY.format("assistants"),
    World.connector: _SOFTLY.format("connectors"),
    World.session_share: "UPDATE session_shares SET revoked_at = now() WHERE id = $1",
    World.received_share: "UPDATE session_shares SET revoked_at = now() WHERE id = $1",
    World.synced: _SOFTLY.format("connectors"),
    World.signed_in: _SOFTLY.format("connectors"),
    World.connector_sync: "UPDATE connectors SET deleted_date = now() "
    "WHERE id = (SELECT connector_id FROM connector_syncs WHERE id = $1)",
    World.document: _SOFTLY.format("documents"),
    archive: "WITH parts AS (UPDATE documents SET deleted_date = now() "
    "WHERE parent_id = (SELECT id FROM documents WHERE id = $1)) "
    f"{_SOFTLY.format('documents')}",
    World.knowledge: "DELETE FROM knowledge_entities WHERE id = $1",
    World.proposal: "DELETE FROM knowledge_entities WHERE id = $1",
    World.reranker: _SOFTLY.format("rerankers"),
    World.identity_provider: "DELETE FROM identity_providers WHERE id = $1",
    World.scim_client: "DELETE FROM scim_clients WHERE id = $1",
    World.named_identity_provider: "DELETE FROM identity_providers WHERE name = $1",
    World.llm: _SOFTLY.format("llms"),
    World.notebook: _SOFTLY.format("notebooks"),
    World.notebook_answer: _SOFTLY.format("notebooks"),
    World.notebook_note: "DELETE FROM notebook_notes WHERE id = $1",
    World.session: _SOFTLY.format("chat_sessions"),
    World.running_session: _SOFTLY.format("chat_sessions"),
    World.paused_session: _SOFTLY.format("chat_sessions"),
    World.answered: _SESSION_OF.format("chat_messages"),
    World.message: _SESSION_OF.format("chat_messages"),
    World.citing_message: _SESSION_OF.format("chat_messages"),
    cited_passage: "UPDATE documents SET deleted_date = now()"
    " WHERE id = (SELECT document_id FROM chat_message_documents WHERE chunk_id = $1)",
    World.checkpoint: _SESSION_OF.format("checkpoints"),
    World.memory: "DELETE FROM agent_memories WHERE id = $1",
    World.todo: _SESSION_OF.format("todos"),
    World.run: _SESSION_OF.format("runs"),
    World.stepped_run: _SESSION_OF.format("runs"),
}
"""How what a maker makes is removed: itself, or the conversation that it is in."""
NEVER_REMOVED = {
    World.device_sign_in,
    World.nothing,
    World.share_token,
    World.user,
    World.unneeded_user,
    World.embedding_model,
    group,
    no_group,
    no_tool,
    no_name,
    no_user,
    tool_call,
    connector_name,
    verified_address,
}


async def remove(world: World, make: Make, resource: Any) -> None:
    key = UUID(resource) if make in {World.run, World.stepped_run} else resource
    assert (await world.pool.execute(REMOVE[make], key)).endswith(" 1")
