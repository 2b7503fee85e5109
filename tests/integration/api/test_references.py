"""Rights follow ids: every request field that refers to something else is tried with what the caller may not see.

The fields are read from the contract, so one that is new fails here until it is placed: a resource of its method, which
the matrix tries; a reference to something else, with its row here; a field that only the server sets; or a name or key
that refers to nothing.
"""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest
from google.protobuf.descriptor import Descriptor

from echomind_lib.errors import EchoMindError
from tests.drivers.client import METHODS, TRANSPORTS, Client, Transport
from tests.factories import rows
from tests.factories.permissions import FILE, HIDDEN, OK, TABLE, Ask, reachable
from tests.factories.world import Make, World, name

via_both = pytest.mark.parametrize("via", TRANSPORTS)
NOTHING = "OK, and nothing of it"


def _is_reference(field: str) -> bool:
    named = {"id", "ids", "name", "groups", "tools", "approval_tools", "dependencies"}
    return field in named or field.endswith(("_id", "_ids", "_name"))


def references(message: Descriptor, path: str = "") -> Iterator[str]:
    """The fields of a request that may refer to something, by their paths."""
    for field in message.fields:
        place = f"{path}{field.name}"
        inner = field.message_type
        if inner and inner.full_name.startswith("echomind.") and not inner.GetOptions().map_entry:
            yield from references(inner, f"{place}.")
        elif _is_reference(field.name):
            yield place


def own_resource(method: str) -> set[str]:
    """The fields by which the matrix names the resource that a method is about."""
    return {_snake(path) for path, value in _leaves(TABLE[method].ask(7654321)) if value in (7654321, "7654321")}


def _leaves(given: dict[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """The values of a request by their paths, of a list each one."""
    for name_, value in given.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{path}{name_}.")
        else:
            yield from ((f"{path}{name_}", one) for one in (value if isinstance(value, list) else [value]))


def _snake(field: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in field)


NO_REFERENCE = {
    "assistant.config.mcp_servers.name": "what it is called",
    "assistant.members.name": "what it is called; set by the server",
    "assistant.name": "what it is called",
    "checkpoint.name": "what it is called",
    "connector.name": "what it is called",
    "connector.type_name": "the name of an installed type",
    "group.name": "what it is called",
    "invitation.groups": "made by being named",
    "files.source_id": "a document's name in its connector",
    "llm.model_id": "the provider's name of the model",
    "llm.name": "what it is called",
    "name": "what it is called",
    "request_id": "the caller's key against repetition",
    "source_id": "a document's name in its connector",
    "type_name": "the name of an installed type",
    "user.first_name": "what the person is called",
    "user.groups": "made by being named",
    "user.last_name": "what the person is called",
    "user.user_name": "what the account is called",
}
"""Fields that are named like a reference and refer to nothing, with what they are."""

SET_BY_SERVER = {
    "assistant.draft_of_id",
    "assistant.id",
    "chat_session.forked_from_message_id",
    "chat_session.head_message_id",
    "chat_session.id",
    "chat_session.important_steps.run_id",
    "chat_session.last_summarized_message_id",
    "chat_session.most_recent_run_id",
    "chat_session.parent_session_id",
    "chat_session.user_id",
    "checkpoint.chat_session_id",
    "checkpoint.id",
    "checkpoint.run_id",
    "connector.id",
    "connector.sync.connector_id",
    "connector.sync.id",
    "document.connector_id",
    "document.id",
    "document.parent_id",
    "document.source_id",
    "connector.user_id",
    "feedback.user_id",
    "feedback.user_name",
    "group.id",
    "invitation.accepted_user_id",
    "invitation.id",
    "knowledge.id",
    "knowledge.my_feedback.chat_session_id",
    "knowledge.my_feedback.user_id",
    "knowledge.my_feedback.user_name",
    "knowledge.source_session_id",
    "knowledge.user_id",
    "knowledge.user_name",
    "llm.id",
    "notebook.id",
    "notebook.user_id",
    "session_share.chat_session_id",
    "session_share.id",
    "memory.id",
    "memory.source_message_ids",
    "memory.source_session_id",
    "todo.chat_session_id",
    "todo.id",
    "todo.run_id",
    "user.id",
}
"""Fields of resources that are sent in vain."""


@dataclass(frozen=True)
class Use:
    """A reference to something else: how a request names it, and what comes of it."""

    make: Make
    """Makes what is referred to; at its place `hidden`, something that the caller may not see."""
    ask: Callable[[World, Client, Any], Awaitable[dict[str, Any]]]
    hidden: str = "foreign"
    """The place where a plain user may not see it; empty when everyone sees it."""
    expected: str = HIDDEN
    role: str = "user"
    over_rest: bool = True
    """Whether the method's first route can say it."""


def asks(ask: Ask) -> Callable[[World, Client, Any], Awaitable[dict[str, Any]]]:
    """A request that is about nothing but the reference."""

    async def request(_: World, __: Client, reference: Any) -> dict[str, Any]:
        return ask(reference)

    return request


def about(make: Make, ask: Callable[[Any, Any], dict[str, Any]]) -> Any:
    """A request about a resource of the caller's own that refers to something else."""

    async def request(world: World, somebody: Client, reference: Any) -> dict[str, Any]:
        return ask(await make(world, "own", somebody), reference)

    return request


async def group(world: World, place: str, somebody: Client) -> str:
    return "elsewhere"


async def connector_name(world: World, place: str, somebody: Client) -> str:
    made: str = await world.pool.fetchval(
        "SELECT name FROM connectors WHERE id = $1", await world.connector(place, somebody)
    )
    return made


async def no_tool(world: World, place: str, somebody: Client) -> str:
    return f"no_tool_{uuid4().hex}"


async def tool_call(world: World, place: str, somebody: Client) -> str:
    """A call that waits for an approval in a run of somebody else."""
    run = UUID(await world.stepped_run(place, somebody))
    await world.pool.execute("UPDATE runs SET status = 'waiting_for_input' WHERE id = $1", run)
    made: str = await world.pool.fetchval(
        "INSERT INTO tool_calls (step_id, tool_call_id, tool_name, status, approval)"
        " SELECT id, $2, 'x', 'pending', 'required' FROM steps WHERE run_id = $1 RETURNING tool_call_id",
        run,
        uuid4().hex,
    )
    return made


async def no_name(world: World, place: str, somebody: Client) -> str:
    return f"nobody-{uuid4().hex}"


async def cited_passage(world: World, place: str, somebody: Client) -> str:
    """A passage of a document that an answer of the caller's own cites."""
    document, message = await world.document(place, somebody), await world.message("own", somebody)
    made: str = (
        await rows.citation(world.pool, chat_message_id=message, document_id=document, chunk_id=name(), number=1)
    )["chunk_id"]
    return made


def of_passage(given: dict[str, Any]) -> Callable[[World, Client, Any], Awaitable[dict[str, Any]]]:
    """A request about a passage of the answer that cites it."""

    async def request(world: World, _: Client, passage: Any) -> dict[str, Any]:
        message = await world.pool.fetchval(
            "SELECT chat_message_id FROM chat_message_documents WHERE chunk_id = $1", passage
        )
        return {"messageId": message, "chunkId": passage} | given

    return request


async def no_user(world: World, place: str, somebody: Client) -> int:
    return 2**31 - 1


def naming_a_tool(field: str, *, new: bool) -> Use:
    """An assistant whose config names a tool that there is not."""

    def request(assistant: Any, tool: Any) -> dict[str, Any]:
        config = {"config": {field: [tool]}}
        if new:
            return {"assistant": {"name": name()} | config}
        return {"id": assistant, "assistant": config, "updateMask": "config"}

    return Use(no_tool, about(World.assistant, request), expected="VALIDATION_FAILED", role="superadmin")


LLM = Use(World.llm, asks(lambda llm: {"content": "x", "options": {"llmId": llm}}), "")
DOCUMENTS = Use(World.document, asks(lambda one: {"content": "x", "documentIds": [one]}), "foreign", role="superadmin")
A_MEMBER = Use(
    World.assistant,
    asks(lambda one: {"assistant": {"name": name(), "members": [{"assistantId": one}]}}),
    "",
    role="superadmin",
)
ASSISTANT = Use(World.assistant, asks(lambda one: {"content": "x", "assistantId": one}), "hidden")
NOTEBOOK = Use(World.notebook, asks(lambda one: {"content": "x", "notebookId": one}), role="superadmin")
SUMMARY = {"template": "NOTEBOOK_TEMPLATE_SUMMARY"}
SCOPE = {"scope": "SCOPE_GROUP"}
NOWHERE = {"provider": "LLM_PROVIDER_VLLM", "endpoint": "http://127.0.0.1:9"}


USES: dict[tuple[str, str], Use] = {
    ("AssistantService/SaveAssistantDraft", "assistant.config.tools"): naming_a_tool("tools", new=True),
    ("AssistantService/SaveAssistantDraft", "assistant.config.approval_tools"): naming_a_tool(
        "approvalTools", new=True
    ),
    ("AssistantService/SaveAssistantDraft", "assistant.members.assistant_id"): A_MEMBER,
    ("AssistantService/CreateAssistant", "assistant.members.assistant_id"): A_MEMBER,
    ("AssistantService/UpdateAssistant", "assistant.members.assistant_id"): Use(
        World.assistant,
        about(
            World.assistant,
            lambda one, member: {
                "id": one,
                "assistant": {"members": [{"assistantId": member}]},
                "updateMask": "members",
            },
        ),
        "",
        role="superadmin",
    ),
    ("AssistantService/SaveAssistantDraft", "assistant.llm_id"): Use(
        World.llm, asks(lambda llm: {"assistant": {"name": name(), "llmId": llm}}), "", role="superadmin"
    ),
    ("AssistantService/CreateAssistant", "assistant.config.tools"): naming_a_tool("tools", new=True),
    ("AssistantService/UpdateAssistant", "assistant.config.tools"): naming_a_tool("tools", new=False),
    ("AssistantService/CreateAssistant", "assistant.config.approval_tools"): naming_a_tool("approvalTools", new=True),
    ("AssistantService/UpdateAssistant", "assistant.config.approval_tools"): naming_a_tool("approvalTools", new=False),
    ("AssistantService/CreateAssistant", "assistant.llm_id"): Use(
        World.llm, asks(lambda llm: {"assistant": {"name": name(), "llmId": llm}}), "", role="superadmin"
    ),
    ("AssistantService/UpdateAssistant", "assistant.llm_id"): Use(
        World.llm,
        about(World.assistant, lambda one, llm: {"id": one, "assistant": {"llmId": llm}, "updateMask": "llmId"}),
        "",
        role="superadmin",
    ),
    ("ChatMessageService/SetCitationFeedback", "chunk_id"): Use(
        cited_passage, of_passage({"feedback": {"isPositive": True}})
    ),
    ("ChatMessageService/DeleteCitationFeedback", "chunk_id"): Use(cited_passage, of_passage({}), expected=NOTHING),
    ("ChatMessageService/SendMessage", "assistant_id"): ASSISTANT,
    ("ChatMessageService/StreamMessage", "assistant_id"): ASSISTANT,
    ("ChatMessageService/SendMessage", "document_ids"): DOCUMENTS,
    ("ChatMessageService/StreamMessage", "document_ids"): DOCUMENTS,
    ("ChatMessageService/SendMessage", "options.llm_id"): LLM,
    ("ChatMessageService/StreamMessage", "options.llm_id"): LLM,
    ("ChatMessageService/EditMessage", "options.llm_id"): Use(
        World.llm,
        about(World.message, lambda one, llm: {"id": one, "content": "x", "options": {"llmId": llm}}),
        "",
    ),
    ("ChatMessageService/RegenerateMessage", "options.llm_id"): Use(
        World.llm, about(World.message, lambda one, llm: {"id": one, "options": {"llmId": llm}}), ""
    ),
    ("ChatSessionService/CreateChatSession", "chat_session.assistant_id"): Use(
        World.assistant, asks(lambda one: {"chatSession": {"assistantId": one}}), "hidden"
    ),
    ("ChatSessionService/UpdateChatSession", "chat_session.assistant_id"): Use(
        World.assistant,
        about(
            World.session,
            lambda session, one: {"id": session, "chatSession": {"assistantId": one}, "updateMask": "assistantId"},
        ),
        "hidden",
    ),
    ("ChatSessionService/CreateChatSession", "chat_session.preferences.llm_id"): Use(
        World.llm, asks(lambda llm: {"chatSession": {"preferences": {"llmId": llm}}}), ""
    ),
    ("ChatSessionService/UpdateChatSession", "chat_session.preferences.llm_id"): Use(
        World.llm,
        about(
            World.session,
            lambda session, llm: {
                "id": session,
                "chatSession": {"preferences": {"llmId": llm}},
                "updateMask": "preferences",
            },
        ),
        "",
    ),
    ("ChatSessionService/MoveHead", "message_id"): Use(
        World.message, about(World.session, lambda session, message: {"id": session, "messageId": message})
    ),
    ("ChatSessionService/ForkChatSession", "message_id"): Use(
        World.message, about(World.session, lambda session, message: {"id": session, "messageId": message})
    ),
    ("SessionShareService/ListSessionShares", "chat_session_id"): Use(
        World.session, asks(lambda session: {"chatSessionId": session})
    ),
    ("SessionShareService/CreateSessionShare", "session_share.head_message_id"): Use(
        World.message,
        about(World.session, lambda session, one: {"chatSessionId": session, "sessionShare": {"headMessageId": one}}),
    ),
    ("SessionShareService/RefreshSessionShare", "session_share.head_message_id"): Use(
        World.message,
        about(World.session_share, lambda share, one: {"id": share, "sessionShare": {"headMessageId": one}}),
    ),
    ("ConnectorService/ListConnectors", "name"): Use(
        connector_name, asks(lambda one: {"name": one}), expected=NOTHING, role="superadmin"
    ),
    ("ConnectorService/CreateConnector", "connector.scope_id"): Use(
        group,
        asks(lambda one: {"connector": {"name": name(), "type": "CONNECTOR_TYPE_FILE", "scopeId": one} | SCOPE}),
        expected="GROUP_REQUIRED",
        role="admin",
    ),
    ("ConnectorService/UpdateConnector", "connector.scope_id"): Use(
        group,
        about(
            World.connector,
            lambda own, one: {"id": own, "connector": {"scopeId": one} | SCOPE, "updateMask": "scope,scopeId"},
        ),
        expected="GROUP_REQUIRED",
        role="admin",
    ),
    ("DocumentService/ListDocuments", "connector_id"): Use(
        World.connector, asks(lambda one: {"connectorId": one}), expected=NOTHING
    ),
    ("ChatMessageService/SendMessage", "notebook_id"): NOTEBOOK,
    ("ChatMessageService/StreamMessage", "notebook_id"): NOTEBOOK,
    ("ChatSessionService/CreateChatSession", "chat_session.notebook_id"): Use(
        World.notebook, asks(lambda one: {"chatSession": {"notebookId": one}})
    ),
    ("ChatSessionService/ListChatSessions", "notebook_id"): Use(
        World.notebook, asks(lambda one: {"notebookId": one}), expected=NOTHING
    ),
    ("ChatSessionService/ListChatSessions", "assistant_id"): Use(
        World.assistant, asks(lambda one: {"assistantId": one}), hidden="hidden", expected=NOTHING
    ),
    ("ChatSessionService/UpdateChatSession", "chat_session.notebook_id"): Use(
        World.notebook,
        about(
            World.session,
            lambda session, one: {"id": session, "chatSession": {"notebookId": one}, "updateMask": "notebookId"},
        ),
        "",
        expected=OK,
    ),
    ("NotebookService/AddNotebookSources", "connector_ids"): Use(
        World.connector, about(World.notebook, lambda own, one: {"id": own, "connectorIds": [one]}), role="superadmin"
    ),
    ("NotebookService/AddNotebookSources", "document_ids"): Use(
        World.document, about(World.notebook, lambda own, one: {"id": own, "documentIds": [one]}), role="superadmin"
    ),
    ("NotebookService/SetNotebookMember", "user_id"): Use(
        World.user,
        about(World.notebook, lambda own, one: {"id": own, "userId": one, "role": "NOTEBOOK_ROLE_VIEWER"}),
    ),
    ("NotebookService/SetNotebookMember", "user_name"): Use(
        no_name,
        about(World.notebook, lambda own, one: {"id": own, "userName": one, "role": "NOTEBOOK_ROLE_VIEWER"}),
        "",
    ),
    ("NotebookService/RemoveNotebookMember", "user_id"): Use(
        World.user, about(World.notebook, lambda own, one: {"id": own, "userId": one})
    ),
    ("NotebookService/StartNotebookTemplate", "document_ids"): Use(
        World.document,
        about(World.notebook, lambda own, one: {"id": own, "documentIds": [one], **SUMMARY}),
        expected="VALIDATION_FAILED",
        role="superadmin",
    ),
    ("NotebookService/StartNotebookTemplate", "assistant_id"): Use(
        World.assistant, about(World.notebook, lambda own, one: {"id": own, "assistantId": one, **SUMMARY}), "hidden"
    ),
    ("FeedbackService/ListFeedback", "assistant_id"): Use(
        World.assistant, asks(lambda one: {"assistantId": one}), "", expected=NOTHING, role="superadmin"
    ),
    ("FeedbackService/ListFeedback", "llm_id"): Use(
        World.llm, asks(lambda one: {"llmId": one}), "", expected=NOTHING, role="superadmin"
    ),
    ("FeedbackService/ListFeedback", "user_id"): Use(
        World.user, asks(lambda one: {"userId": one}), "", expected=NOTHING, role="superadmin"
    ),
    ("FeedbackService/ListFeedback", "connector_id"): Use(
        World.connector, asks(lambda one: {"connectorId": one}), "", expected=NOTHING, role="superadmin"
    ),
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
    ("KnowledgeService/ApproveKnowledge", "replaced_id"): Use(
        World.knowledge,
        about(World.proposal, lambda own, one: {"id": own, "revision": 1, "replacedId": one}),
        "",
        role="superadmin",
    ),
    ("LlmService/TestLlmSettings", "id"): Use(
        World.llm,
        asks(lambda one: {"id": one, "llm": {"name": "m", "modelId": "m"} | NOWHERE}),
        "",
        role="superadmin",
    ),
    ("GroupService/AddGroupMembers", "user_ids"): Use(
        no_user, about(World.group, lambda own, one: {"id": own, "userIds": [one]}), "", role="superadmin"
    ),
    ("GroupService/RemoveGroupMembers", "user_ids"): Use(
        no_user, about(World.group, lambda own, one: {"id": own, "userIds": [one]}), "", role="superadmin"
    ),
    ("DocumentService/ListDocuments", "filter.connector_ids"): Use(
        World.connector, asks(lambda one: {"filter": {"connectorIds": [one]}}), expected=NOTHING
    ),
    ("DocumentService/CountDocuments", "filter.connector_ids"): Use(
        World.connector, asks(lambda one: {"filter": {"connectorIds": [one], "query": "\x01"}}), expected=NOTHING
    ),
    ("DocumentService/DeleteDocuments", "selection.filter.connector_ids"): Use(
        World.connector, asks(lambda one: {"selection": {"filter": {"connectorIds": [one]}}}), expected=NOTHING
    ),
    ("DocumentService/RetryDocuments", "selection.filter.connector_ids"): Use(
        World.connector, asks(lambda one: {"selection": {"filter": {"connectorIds": [one]}}}), expected=NOTHING
    ),
    ("DocumentService/MoveDocuments", "selection.ids"): Use(
        World.document,
        about(World.connector, lambda own, one: {"selection": {"ids": [one]}, "connectorId": own}),
    ),
    ("DocumentService/MoveDocuments", "selection.filter.connector_ids"): Use(
        World.connector,
        about(World.connector, lambda own, one: {"selection": {"filter": {"connectorIds": [one]}}, "connectorId": own}),
        expected=NOTHING,
    ),
    ("RunService/ListRuns", "chat_session_id"): Use(
        World.session, asks(lambda one: {"chatSessionId": one}), expected=NOTHING, role="superadmin"
    ),
    ("RunService/ListRuns", "assistant_id"): Use(
        World.assistant, asks(lambda one: {"assistantId": one}), hidden="hidden", expected=NOTHING
    ),
    ("RunService/ListRuns", "llm_id"): Use(World.llm, asks(lambda one: {"llmId": one}), hidden="", expected=NOTHING),
    ("RunService/ListRuns", "user_id"): Use(World.user, asks(lambda one: {"userId": one}), expected=NOTHING),
    ("RunService/ProvideInput", "chat_session_id"): Use(
        World.session, asks(lambda one: {"chatSessionId": one, "content": "x"}), over_rest=False
    ),
    ("RunService/ApproveToolCall", "tool_call_id"): Use(
        tool_call,
        about(World.stepped_run, lambda run, call: {"id": run, "toolCallId": call, "approved": True}),
        expected="RUN_STATE",
    ),
    ("SearchService/Search", "connector_ids"): Use(
        World.connector,
        asks(lambda one: {"query": "x", "mode": "SEARCH_MODE_LEXICAL", "connectorIds": [one]}),
        expected=NOTHING,
        role="superadmin",
    ),
    ("MemoryService/DeleteAllMemories", "chat_session_id"): Use(
        World.session, asks(lambda one: {"chatSessionId": one}), expected=NOTHING
    ),
    ("TodoService/ListTodos", "run_id"): Use(
        World.run, about(World.session, lambda session, run: {"chatSessionId": session, "runId": run}), expected=NOTHING
    ),
    ("TodoService/CreateTodo", "todo.dependencies"): Use(
        World.todo,
        about(
            World.session,
            lambda session, todo: {"chatSessionId": session, "todo": {"title": "x", "dependencies": [todo]}},
        ),
        expected="VALIDATION_FAILED",
    ),
    ("TodoService/UpdateTodo", "todo.dependencies"): Use(
        World.todo,
        about(
            World.todo, lambda own, todo: {"id": own, "todo": {"dependencies": [todo]}, "updateMask": "dependencies"}
        ),
        expected="VALIDATION_FAILED",
    ),
}


def preferred(make: Make, preferences: Callable[[Any], dict[str, Any]], hidden: str) -> dict[str, Use]:
    """What a person prefers, by the method that says it."""

    def account(one: Any) -> dict[str, Any]:
        return {"user": {"userName": name(), "email": f"{name()}@example.org", "preferences": preferences(one)}}

    def change(one: Any) -> dict[str, Any]:
        return {"user": {"preferences": preferences(one)}, "updateMask": "preferences"}

    return {
        "UserService/CreateUser": Use(make, asks(account), hidden, role="superadmin"),
        "UserService/UpdateCurrentUser": Use(make, asks(change), hidden),
        "UserService/UpdateUser": Use(
            make, about(World.unneeded_user, lambda user, one: {"id": user} | change(one)), hidden, role="superadmin"
        ),
    }


USES |= {
    (method, f"user.preferences.{field}"): use
    for field, make, preferences, hidden in (
        ("default_assistant_id", World.assistant, lambda one: {"defaultAssistantId": one}, "hidden"),
        ("run_options.llm_id", World.llm, lambda one: {"runOptions": {"llmId": one}}, ""),
    )
    for method, use in preferred(make, preferences, hidden).items()
}

_SOFTLY = "UPDATE {} SET deleted_date = now() WHERE id = $1"
_SESSION_OF = "UPDATE chat_sessions SET deleted_date = now() WHERE id = (SELECT chat_session_id FROM {} WHERE id = $1)"
REMOVE: dict[Make, str] = {
    World.group: "DELETE FROM groups WHERE id = $1",
    World.invitation: "DELETE FROM invitations WHERE id = $1",
    World.web_session: "DELETE FROM web_sessions WHERE id = $1",
    World.api_key: "UPDATE api_keys SET revoked = TRUE WHERE id = $1",
    World.assistant: _SOFTLY.format("assistants"),
    World.versioned_assistant: _SOFTLY.format("assistants"),
    World.connector: _SOFTLY.format("connectors"),
    World.session_share: "UPDATE session_shares SET revoked_at = now() WHERE id = $1",
    World.synced: _SOFTLY.format("connectors"),
    World.connector_sync: "UPDATE connectors SET deleted_date = now() "
    "WHERE id = (SELECT connector_id FROM connector_syncs WHERE id = $1)",
    World.document: _SOFTLY.format("documents"),
    World.knowledge: "DELETE FROM knowledge_entities WHERE id = $1",
    World.proposal: "DELETE FROM knowledge_entities WHERE id = $1",
    World.llm: _SOFTLY.format("llms"),
    World.notebook: _SOFTLY.format("notebooks"),
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
    World.nothing,
    World.share_token,
    World.user,
    World.unneeded_user,
    World.embedding_model,
    group,
    no_tool,
    no_name,
    no_user,
    tool_call,
    connector_name,
}


FOR_REMOVED = {
    "ChatSessionService/PurgeChatSession",
    "ChatSessionService/RestoreChatSession",
    "NotebookService/PurgeNotebook",
    "NotebookService/RestoreNotebook",
}
"""What is there for removed ones too."""


async def remove(world: World, make: Make, resource: Any) -> None:
    key = UUID(resource) if make in {World.run, World.stepped_run} else resource
    assert (await world.pool.execute(REMOVE[make], key)).endswith(" 1")


async def result_of(call: Awaitable[dict[str, Any]]) -> str:
    """The reason of a refusal; otherwise whether anything came."""
    try:
        answer = await call
    except EchoMindError as error:
        return error.reason
    return OK if any(value != "0" and value for value in answer.values()) else NOTHING


@pytest.mark.parametrize("method", METHODS)
def test_every_reference_in_a_request_has_its_place(method: str) -> None:
    found = set(references(METHODS[method].input_type))
    placed = own_resource(method) | SET_BY_SERVER | NO_REFERENCE.keys() | {path for one, path in USES if one == method}
    assert found <= placed


def test_every_row_is_of_a_field_that_there_is() -> None:
    found = {(method, path) for method in METHODS for path in references(METHODS[method].input_type)}
    paths = {path for _, path in found}
    assert USES.keys() <= found
    assert paths >= SET_BY_SERVER | NO_REFERENCE.keys()
    assert {row.make for row in TABLE.values()} | {use.make for use in USES.values()} == REMOVE.keys() | NEVER_REMOVED


@pytest.mark.usefixtures("tool_listing")
@via_both
@pytest.mark.parametrize(("method", "path"), [key for key, use in USES.items() if use.hidden])
async def test_what_one_may_not_see_cannot_be_used(world: World, method: str, path: str, via: Transport) -> None:
    use = USES[method, path]
    if via == "rest" and not use.over_rest:
        pytest.skip("by another route")
    somebody = world.people[use.role]
    request = await use.ask(world, somebody, await use.make(world, use.hidden, somebody))
    assert await result_of(somebody.call(method, request, via)) == use.expected


@via_both
@pytest.mark.parametrize(("method", "path"), [key for key, use in USES.items() if use.make in REMOVE])
async def test_what_is_removed_cannot_be_used(world: World, method: str, path: str, via: Transport) -> None:
    use = USES[method, path]
    if via == "rest" and not use.over_rest:
        pytest.skip("by another route")
    somebody = world.people["superadmin"]
    reference = await use.make(world, "own", somebody)
    await remove(world, use.make, reference)
    request = await use.ask(world, somebody, reference)
    assert await result_of(somebody.call(method, request, via)) == use.expected


@via_both
@pytest.mark.parametrize(
    "method", [method for method, row in TABLE.items() if row.make in REMOVE and method not in FOR_REMOVED]
)
async def test_nothing_is_done_with_what_is_removed(world: World, method: str, via: Transport) -> None:
    row = TABLE[method]
    if not reachable(method, via):
        pytest.skip("gRPC alone")
    somebody = world.people["superadmin"]
    resource = await row.make(world, next(iter(row.expected)), somebody)
    await remove(world, row.make, resource)
    assert await result_of(somebody.call(method, row.ask(resource), via)) == HIDDEN


@via_both
async def test_documents_of_a_removed_connector_are_removed(world: World, via: Transport) -> None:
    somebody = world.people["superadmin"]
    connector, document = await world.connector("own", somebody), await world.document("own", somebody)
    await remove(world, World.connector, connector)
    for method in ("GetDocument", "GetDocumentText", "ListDocumentChunks", "RetryDocument", "DeleteDocument"):
        assert await result_of(somebody.call(f"DocumentService/{method}", {"id": document}, via)) == HIDDEN
    upload = {"connectorId": connector} | FILE
    assert await result_of(somebody.call("DocumentService/UploadDocument", upload)) == HIDDEN


@via_both
@pytest.mark.parametrize(
    ("method", "make", "path"),
    [
        (method, make, path)
        for method, make in (
            ("ChatSessionService/UpdateChatSession", World.session),
            ("ConnectorService/UpdateConnector", World.connector),
            ("TodoService/UpdateTodo", World.todo),
        )
        for path in sorted(SET_BY_SERVER & set(references(METHODS[method].input_type)))
        if path.count(".") == 1
    ],
)
async def test_what_the_server_sets_is_sent_in_vain(
    world: World, method: str, make: Make, path: str, via: Transport
) -> None:
    somebody = world.people["user"]
    own = await make(world, "own", somebody)
    field, _, inner = path.partition(".")
    field = METHODS[method].input_type.fields_by_name[field].json_name
    inner = "".join(word.title() if number else word for number, word in enumerate(inner.split("_")))
    value = str(uuid4()) if inner.endswith("unId") else 4321
    request = {"id": own, field: {inner: value}, "updateMask": inner}
    answer = await somebody.call(method, request, via)
    assert str(answer.get(inner)) != str(value)
