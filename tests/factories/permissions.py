"""Who may do what: every method of the contract, what it is tried on, and what each role is answered."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from echomind_lib.contract.http_call import http_rule
from tests.drivers.client import METHODS, Transport
from tests.factories.world import Make, World, name

OK, HIDDEN, FORBIDDEN = "OK", "NOT_FOUND", "PERMISSION_DENIED"
ROLES = ("user", "admin", "superadmin")
PLACES = ("own", "group", "org", "foreign", "foreign group")
Outcome = tuple[str, str, str]
"""For user, admin, superadmin."""
Table = dict[str, Outcome]
"""By the place of the resource."""
EVERYONE: Outcome = (OK, OK, OK)
NOBODY_ELSE: Outcome = (HIDDEN, HIDDEN, HIDDEN)
ADMINS: Outcome = (FORBIDDEN, OK, OK)
SUPERADMINS: Outcome = (FORBIDDEN, FORBIDDEN, OK)
SHARED: Table = {
    "own": EVERYONE,
    "group": EVERYONE,
    "org": EVERYONE,
    "foreign": (HIDDEN, HIDDEN, OK),
    "foreign group": (HIDDEN, HIDDEN, OK),
}


MANAGED: Table = SHARED | {"group": ADMINS, "org": SUPERADMINS}
DISABLED: Table = SHARED | dict.fromkeys(("own", "group", "org"), SUPERADMINS)
PERSONAL: Table = {"own": EVERYONE, "foreign": NOBODY_ELSE}
SESSIONS_READ: Table = {"own": EVERYONE, "foreign": (HIDDEN, HIDDEN, OK)}
SESSIONS_WRITTEN: Table = {"own": EVERYONE, "foreign": (HIDDEN, HIDDEN, FORBIDDEN)}
_IN_NOTEBOOK: Table = {"own": EVERYONE, "editor": EVERYONE, "viewer": EVERYONE}
NOTEBOOKS_READ: Table = _IN_NOTEBOOK | {"foreign": (HIDDEN, HIDDEN, OK)}
NOTEBOOKS_ASKED: Table = _IN_NOTEBOOK | {"foreign": (HIDDEN, HIDDEN, FORBIDDEN)}
NOTEBOOKS_EDITED: Table = NOTEBOOKS_ASKED | {"viewer": (FORBIDDEN, FORBIDDEN, FORBIDDEN)}
NOTEBOOKS_MANAGED: Table = NOTEBOOKS_EDITED | {"editor": (FORBIDDEN, FORBIDDEN, FORBIDDEN)}
NOTEBOOKS_REMOVED: Table = {
    "own": EVERYONE,
    "editor": SUPERADMINS,
    "viewer": SUPERADMINS,
    "foreign": (HIDDEN, HIDDEN, OK),
}
KNOWLEDGE_READ: Table = {"own": EVERYONE, "org": EVERYONE, "foreign": (HIDDEN, HIDDEN, OK)}
KNOWLEDGE_MANAGED: Table = KNOWLEDGE_READ | {"org": SUPERADMINS}
KNOWLEDGE_PROPOSED: Table = SESSIONS_WRITTEN | {"org": (FORBIDDEN, FORBIDDEN, FORBIDDEN)}
KNOWLEDGE_REVIEWED: Table = dict.fromkeys(("own", "foreign"), SUPERADMINS)
Ask = Callable[[Any], dict[str, Any]]


@dataclass(frozen=True)
class Row:
    """What a method is tried on, with which request, and what is expected."""

    make: Make
    ask: Ask
    expected: Table


def by_id(resource: Any) -> dict[str, Any]:
    return {"id": resource}


def by_token(token: Any) -> dict[str, Any]:
    return {"token": str(token)}


def selected(document: Any) -> dict[str, Any]:
    return {"selection": {"ids": [document]}}


def first_step(run: Any) -> dict[str, Any]:
    return {"id": run, "stepNumber": 1}


def first_version(assistant: Any) -> dict[str, Any]:
    return {"id": assistant, "version": 1}


def empty(_: Any) -> dict[str, Any]:
    return {}


def patch(field: str, mask: str, value: Any) -> Ask:
    return lambda resource: {"id": resource, field: {mask: value() if callable(value) else value}, "updateMask": mask}


ANYTHING = {"": EVERYONE}
MATRIX_PASSWORD = "a password of the matrix"
CONNECTOR = {"type": "CONNECTOR_TYPE_FILE"}
FILE = {"sourceId": "matrix.txt", "content": "eA=="}
TABLE: dict[str, Row] = {
    "ApiKeyService/ListApiKeys": Row(World.nothing, empty, ANYTHING),
    "ApiKeyService/CreateApiKey": Row(World.nothing, lambda _: {"name": name()}, ANYTHING),
    "ApiKeyService/DeleteApiKey": Row(World.api_key, by_id, PERSONAL),
    "AssistantService/ListAssistants": Row(World.nothing, empty, ANYTHING),
    "AssistantService/GetAssistant": Row(World.assistant, by_id, {"visible": EVERYONE, "hidden": (HIDDEN, HIDDEN, OK)}),
    "AssistantService/CreateAssistant": Row(
        World.nothing, lambda _: {"assistant": {"name": name()}}, {"": SUPERADMINS}
    ),
    "AssistantService/UpdateAssistant": Row(
        World.assistant, patch("assistant", "name", name), {"visible": SUPERADMINS}
    ),
    "AssistantService/DuplicateAssistant": Row(
        World.assistant, lambda one: {"id": one, "name": name()}, {"visible": SUPERADMINS, "hidden": SUPERADMINS}
    ),
    "AssistantService/SaveAssistantDraft": Row(
        World.assistant, lambda one: {"id": one, "assistant": {"name": name()}}, {"visible": SUPERADMINS}
    ),
    "AssistantService/ListAssistantTools": Row(
        World.assistant, by_id, {"visible": EVERYONE, "hidden": (HIDDEN, HIDDEN, OK)}
    ),
    "AssistantService/ListAssistantVersions": Row(
        World.versioned_assistant, by_id, {"visible": SUPERADMINS, "hidden": SUPERADMINS}
    ),
    "AssistantService/GetAssistantVersion": Row(
        World.versioned_assistant, first_version, {"visible": SUPERADMINS, "hidden": SUPERADMINS}
    ),
    "AssistantService/DiffAssistantVersions": Row(
        World.versioned_assistant, first_version, {"visible": SUPERADMINS, "hidden": SUPERADMINS}
    ),
    "AssistantService/RestoreAssistantVersion": Row(
        World.versioned_assistant, first_version, {"visible": SUPERADMINS, "hidden": SUPERADMINS}
    ),
    "AssistantService/DeleteAssistant": Row(World.assistant, by_id, {"visible": SUPERADMINS}),
    "AuthService/GetSignInOptions": Row(World.nothing, empty, ANYTHING),
    "AuthService/CreateSignInLink": Row(
        World.user, lambda user: {"userId": user}, {"own": EVERYONE, "foreign": (HIDDEN, FORBIDDEN, OK)}
    ),
    "AuthService/CreatePasswordLink": Row(
        World.user,
        lambda user: {"userId": user},
        {"own": SUPERADMINS, "foreign": (HIDDEN, FORBIDDEN, OK)},
    ),
    "AuthService/SetPassword": Row(
        World.nothing, lambda _: {"password": MATRIX_PASSWORD, "currentPassword": MATRIX_PASSWORD}, ANYTHING
    ),
    "ChatMessageService/SendMessage": Row(
        World.session, lambda session: {"chatSessionId": str(session), "content": "x"}, SESSIONS_WRITTEN
    ),
    "ChatMessageService/StreamMessage": Row(
        World.session, lambda session: {"chatSessionId": str(session), "content": "x"}, SESSIONS_WRITTEN
    ),
    "ChatMessageService/EditMessage": Row(
        World.answered, lambda message: {"id": message, "content": "y"}, SESSIONS_WRITTEN
    ),
    "ChatMessageService/RegenerateMessage": Row(World.answered, by_id, SESSIONS_WRITTEN),
    "ChatMessageService/ExcludeMessage": Row(
        World.message, lambda message: {"id": message, "excluded": True}, SESSIONS_WRITTEN
    ),
    "ChatMessageService/ListMessages": Row(World.session, lambda session: {"chatSessionId": session}, SESSIONS_READ),
    "ChatMessageService/GetMessage": Row(World.message, by_id, SESSIONS_READ),
    "ChatMessageService/ListCitations": Row(World.message, by_id, SESSIONS_READ),
    "ChatMessageService/SetFeedback": Row(
        World.message, lambda message: {"id": message, "feedback": {"isPositive": True}}, SESSIONS_WRITTEN
    ),
    "ChatMessageService/DeleteFeedback": Row(World.message, by_id, SESSIONS_WRITTEN),
    "ChatMessageService/SetCitationFeedback": Row(
        World.citing_message,
        lambda message: {"messageId": message, "chunkId": "passage", "feedback": {"isPositive": True}},
        SESSIONS_WRITTEN,
    ),
    "ChatMessageService/DeleteCitationFeedback": Row(
        World.message, lambda message: {"messageId": message, "chunkId": "passage"}, SESSIONS_WRITTEN
    ),
    "ChatSessionService/ListChatSessions": Row(World.nothing, empty, ANYTHING),
    "ChatSessionService/SearchChatSessions": Row(World.nothing, lambda _: {"query": "x"}, ANYTHING),
    "ChatSessionService/GetChatSession": Row(World.session, by_id, SESSIONS_READ),
    "ChatSessionService/CreateChatSession": Row(World.nothing, lambda _: {"chatSession": {}}, ANYTHING),
    "ChatSessionService/UpdateChatSession": Row(World.session, patch("chatSession", "title", name), SESSIONS_WRITTEN),
    "ChatSessionService/PauseChatSession": Row(World.running_session, by_id, SESSIONS_WRITTEN),
    "ChatSessionService/ResumeChatSession": Row(World.paused_session, by_id, SESSIONS_WRITTEN),
    "ChatSessionService/CancelChatSession": Row(World.session, by_id, SESSIONS_WRITTEN),
    "ChatSessionService/DeleteChatSession": Row(World.session, by_id, SESSIONS_WRITTEN),
    "ChatSessionService/RestoreChatSession": Row(World.session, by_id, SESSIONS_WRITTEN),
    "ChatSessionService/ExportChatSession": Row(World.session, by_id, SESSIONS_READ),
    "ChatSessionService/PurgeChatSession": Row(World.session, by_id, SESSIONS_WRITTEN),
    "ChatSessionService/MoveHead": Row(World.session, by_id, SESSIONS_WRITTEN),
    "ChatSessionService/ForkChatSession": Row(World.session, by_id, SESSIONS_READ),
    "ChatSessionService/SummarizeChatSession": Row(World.session, by_id, SESSIONS_WRITTEN),
    "CheckpointService/ListCheckpoints": Row(World.session, lambda session: {"chatSessionId": session}, SESSIONS_READ),
    "CheckpointService/GetCheckpoint": Row(World.checkpoint, by_id, SESSIONS_READ),
    "CheckpointService/CreateCheckpoint": Row(
        World.session, lambda session: {"chatSessionId": session, "checkpoint": {"name": "x"}}, SESSIONS_WRITTEN
    ),
    "CheckpointService/RestoreCheckpoint": Row(World.checkpoint, by_id, SESSIONS_WRITTEN),
    "CheckpointService/DeleteCheckpoint": Row(World.checkpoint, by_id, SESSIONS_WRITTEN),
    "ConnectorService/ListConnectors": Row(World.nothing, empty, ANYTHING),
    "ConnectorService/GetConnector": Row(World.connector, by_id, SHARED),
    "ConnectorService/CreateConnector": Row(
        World.nothing,
        lambda _: {"connector": {"name": name(), "type": "CONNECTOR_TYPE_FILE", "scope": "SCOPE_ORG"}},
        {"": SUPERADMINS},
    ),
    "ConnectorService/UpdateConnector": Row(World.connector, patch("connector", "name", name), MANAGED),
    "ConnectorService/DeleteConnector": Row(World.connector, by_id, MANAGED),
    "ConnectorService/ReconcileDocuments": Row(World.connector, by_id, MANAGED),
    "ConnectorService/ListConnectorTypes": Row(World.nothing, empty, ANYTHING),
    "ConnectorService/TestConnector": Row(World.connector, by_id, MANAGED),
    "ConnectorService/PauseConnector": Row(World.synced, by_id, MANAGED),
    "ConnectorService/ResumeConnector": Row(World.synced, by_id, MANAGED),
    "ConnectorService/DisableConnector": Row(World.synced, by_id, DISABLED),
    "ConnectorService/EnableConnector": Row(World.synced, by_id, DISABLED),
    "ConnectorService/StartConnectorSignIn": Row(World.synced, by_id, MANAGED),
    # In a browser alone.
    "ConnectorService/CompleteConnectorSignIn": Row(
        World.nothing, lambda _: {"state": "x", "code": "x"}, {"": (FORBIDDEN, FORBIDDEN, FORBIDDEN)}
    ),
    "ConnectorSyncService/SyncConnector": Row(World.synced, by_id, MANAGED),
    "ConnectorSyncService/CancelConnectorSync": Row(World.synced, by_id, MANAGED),
    "ConnectorSyncService/ListConnectorSyncs": Row(World.synced, lambda connector: {"connectorId": connector}, SHARED),
    "ConnectorSyncService/GetConnectorSync": Row(World.connector_sync, by_id, SHARED),
    "ConnectorSyncService/ListConnectorSyncFailures": Row(World.connector_sync, by_id, MANAGED),
    "ConnectorSyncService/ListConnectorSyncRemovals": Row(World.connector_sync, by_id, MANAGED),
    "ConnectorSyncService/ConfirmConnectorSync": Row(World.connector_sync, by_id, MANAGED),
    "ConnectorSyncService/RejectConnectorSync": Row(World.connector_sync, by_id, MANAGED),
    "DocumentService/ListDocuments": Row(World.nothing, empty, ANYTHING),
    "DocumentService/CountDocuments": Row(World.nothing, empty, ANYTHING),
    "DocumentService/ListDocumentFolders": Row(World.connector, lambda connector: {"connectorId": connector}, SHARED),
    "DocumentService/UpdateDocument": Row(World.document, patch("document", "title", name), MANAGED),
    "DocumentService/DeleteDocuments": Row(World.document, selected, MANAGED),
    "DocumentService/RetryDocuments": Row(World.document, selected, MANAGED),
    "DocumentService/MoveDocuments": Row(
        World.connector,
        lambda connector: {"selection": {"filter": {"query": "\x01"}}, "connectorId": connector},
        MANAGED,
    ),
    "DocumentService/GetDocument": Row(World.document, by_id, SHARED),
    "DocumentService/UploadDocument": Row(
        World.connector, lambda connector: {"connectorId": connector} | FILE, MANAGED
    ),
    "DocumentService/DeleteDocument": Row(World.document, by_id, MANAGED),
    "DocumentService/PurgeDocument": Row(World.document, by_id, MANAGED),
    "DocumentService/RetryDocument": Row(World.document, by_id, MANAGED),
    "DocumentService/GetDocumentText": Row(World.document, by_id, SHARED),
    "DocumentService/ListDocumentChunks": Row(World.document, by_id, SHARED),
    "EmbeddingModelService/ListEmbeddingModels": Row(World.nothing, empty, ANYTHING),
    "EmbeddingModelService/GetEmbeddingModel": Row(World.embedding_model, by_id, ANYTHING),
    "NotebookService/ListNotebooks": Row(World.nothing, empty, ANYTHING),
    "NotebookService/GetNotebook": Row(World.notebook, by_id, NOTEBOOKS_READ),
    "NotebookService/CreateNotebook": Row(World.nothing, lambda _: {"notebook": {"title": name()}}, ANYTHING),
    "NotebookService/UpdateNotebook": Row(World.notebook, patch("notebook", "title", name), NOTEBOOKS_EDITED),
    "NotebookService/DeleteNotebook": Row(World.notebook, by_id, NOTEBOOKS_REMOVED),
    "NotebookService/RestoreNotebook": Row(World.notebook, by_id, NOTEBOOKS_REMOVED),
    "NotebookService/PurgeNotebook": Row(World.notebook, by_id, NOTEBOOKS_REMOVED),
    "NotebookService/ListNotebookSources": Row(World.notebook, by_id, NOTEBOOKS_READ),
    "NotebookService/AddNotebookSources": Row(World.notebook, by_id, NOTEBOOKS_EDITED),
    "NotebookService/RemoveNotebookSources": Row(
        World.notebook, lambda one: {"id": one, "sourceIds": [one]}, NOTEBOOKS_EDITED
    ),
    "NotebookService/ListNotebookMembers": Row(World.notebook, by_id, NOTEBOOKS_READ),
    "NotebookService/SetNotebookMember": Row(
        World.notebook, lambda one: {"id": one, "userId": 1, "role": "NOTEBOOK_ROLE_EDITOR"}, NOTEBOOKS_MANAGED
    ),
    "NotebookService/RemoveNotebookMember": Row(
        World.notebook, lambda one: {"id": one, "userId": 1}, NOTEBOOKS_MANAGED
    ),
    "NotebookService/ListNotebookSessions": Row(World.notebook, by_id, NOTEBOOKS_ASKED),
    "NotebookService/StartNotebookTemplate": Row(
        World.notebook, lambda one: {"id": one, "template": "NOTEBOOK_TEMPLATE_SUMMARY"}, NOTEBOOKS_ASKED
    ),
    "GroupService/ListGroups": Row(World.nothing, empty, {"": ADMINS}),
    "GroupService/GetGroup": Row(World.group, by_id, {"": ADMINS}),
    "GroupService/CreateGroup": Row(World.nothing, lambda _: {"group": {"name": name()}}, {"": SUPERADMINS}),
    "GroupService/UpdateGroup": Row(World.group, patch("group", "description", name), {"": SUPERADMINS}),
    "GroupService/DeleteGroup": Row(World.group, by_id, {"": SUPERADMINS}),
    "GroupService/AddGroupMembers": Row(World.group, lambda group: {"id": group, "userIds": [1]}, {"": SUPERADMINS}),
    "GroupService/RemoveGroupMembers": Row(World.group, lambda group: {"id": group, "userIds": [1]}, {"": SUPERADMINS}),
    "InvitationService/ListInvitations": Row(World.nothing, empty, {"": ADMINS}),
    "InvitationService/CreateInvitation": Row(World.nothing, lambda _: {"invitation": {}}, {"": SUPERADMINS}),
    "InvitationService/DeleteInvitation": Row(World.invitation, by_id, {"": SUPERADMINS}),
    "FeedbackService/ListFeedback": Row(World.nothing, empty, {"": SUPERADMINS}),
    "FeedbackService/GetFeedbackRates": Row(World.nothing, empty, {"": SUPERADMINS}),
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
        World.knowledge, lambda one: {"id": one, "feedback": {"helpful": True}}, KNOWLEDGE_READ
    ),
    "KnowledgeService/DeleteKnowledgeFeedback": Row(World.knowledge, by_id, KNOWLEDGE_READ),
    "KnowledgeService/ListKnowledgeFeedback": Row(World.knowledge, by_id, KNOWLEDGE_MANAGED),
    "KnowledgeService/ListKnowledgeRevisions": Row(World.knowledge, by_id, KNOWLEDGE_MANAGED),
    "KnowledgeService/ProposeKnowledge": Row(World.knowledge, by_id, KNOWLEDGE_PROPOSED),
    "KnowledgeService/WithdrawKnowledge": Row(World.proposal, by_id, SESSIONS_WRITTEN),
    "KnowledgeService/ListKnowledgeProposals": Row(World.nothing, empty, {"": SUPERADMINS}),
    "KnowledgeService/GetKnowledgeReview": Row(World.proposal, by_id, KNOWLEDGE_REVIEWED),
    "KnowledgeService/ApproveKnowledge": Row(
        World.proposal, lambda one: {"id": one, "revision": 1}, KNOWLEDGE_REVIEWED
    ),
    "KnowledgeService/RejectKnowledge": Row(
        World.proposal, lambda one: {"id": one, "comment": "x"}, KNOWLEDGE_REVIEWED
    ),
    "KnowledgeService/VerifyKnowledge": Row(World.knowledge, by_id, KNOWLEDGE_REVIEWED),
    "LlmService/ListLlms": Row(World.nothing, empty, ANYTHING),
    "LlmService/GetLlm": Row(World.llm, by_id, ANYTHING),
    "LlmService/CreateLlm": Row(
        World.nothing,
        lambda _: {"llm": {"name": name(), "provider": "LLM_PROVIDER_OPENAI", "modelId": "m"}},
        {"": SUPERADMINS},
    ),
    "LlmService/UpdateLlm": Row(World.llm, patch("llm", "name", name), {"": SUPERADMINS}),
    "LlmService/DeleteLlm": Row(World.llm, by_id, {"": SUPERADMINS}),
    "LlmService/TestLlm": Row(World.llm, by_id, {"": SUPERADMINS}),
    "LlmService/TestLlmSettings": Row(
        World.nothing,
        lambda _: {
            "llm": {"name": "m", "provider": "LLM_PROVIDER_VLLM", "modelId": "m", "endpoint": "http://127.0.0.1:9"}
        },
        {"": SUPERADMINS},
    ),
    "RunService/ListRuns": Row(World.nothing, empty, ANYTHING),
    "RunService/GetRun": Row(World.run, by_id, SESSIONS_READ),
    "RunService/ListSteps": Row(World.run, by_id, SESSIONS_READ),
    "RunService/CancelRun": Row(World.run, by_id, SESSIONS_READ),
    "RunService/PauseRun": Row(World.run, by_id, SESSIONS_WRITTEN),
    "RunService/ResumeRun": Row(World.run, by_id, SESSIONS_WRITTEN),
    "RunService/ProvideInput": Row(World.run, lambda run: {"id": run, "content": "x"}, SESSIONS_WRITTEN),
    "RunService/ApproveToolCall": Row(World.run, by_id, SESSIONS_WRITTEN),
    "RunService/GetRunTree": Row(World.run, by_id, SESSIONS_READ),
    "RunService/GetRunDetails": Row(World.run, by_id, SESSIONS_READ),
    "RunService/GetStepPrompt": Row(World.stepped_run, first_step, SESSIONS_WRITTEN),
    "RunService/ExcludeStep": Row(World.stepped_run, first_step, SESSIONS_WRITTEN),
    "RunService/ListRunEvents": Row(World.run, by_id, SESSIONS_READ),
    "RunService/StreamSessionEvents": Row(World.session, lambda session: {"chatSessionId": session}, SESSIONS_READ),
    "SearchService/Search": Row(World.nothing, lambda _: {"query": "x", "mode": "SEARCH_MODE_LEXICAL"}, ANYTHING),
    "SessionShareService/ListSessionShares": Row(World.nothing, empty, ANYTHING),
    "SessionShareService/CreateSessionShare": Row(
        World.session, lambda session: {"chatSessionId": session}, SESSIONS_WRITTEN
    ),
    "SessionShareService/RefreshSessionShare": Row(World.session_share, by_id, PERSONAL),
    "SessionShareService/DeleteSessionShare": Row(World.session_share, by_id, PERSONAL),
    "SessionShareService/ReadSharedSession": Row(World.share_token, by_token, {"own": EVERYONE, "foreign": EVERYONE}),
    "SessionShareService/ForkSharedSession": Row(World.share_token, by_token, {"own": EVERYONE, "foreign": EVERYONE}),
    "SetupService/GetSetup": Row(World.nothing, empty, ANYTHING),
    "SetupService/UpdateSetup": Row(
        World.nothing, lambda _: {"setup": {"isHidden": True}, "updateMask": "isHidden"}, ANYTHING
    ),
    "SystemService/GetSystemHealth": Row(World.nothing, empty, {"": ADMINS}),
    "SourcePermissionService/ListSourcePeople": Row(
        World.connector, lambda connector: {"connectorId": connector}, dict.fromkeys(PLACES, SUPERADMINS)
    ),
    "SourcePermissionService/ListSourceGroups": Row(
        World.connector, lambda connector: {"connectorId": connector}, dict.fromkeys(PLACES, SUPERADMINS)
    ),
    "SourcePermissionService/SetSourceAlias": Row(
        World.user,
        lambda user: {"key": f"user:test:{name()}", "userId": user},
        {"own": SUPERADMINS, "foreign": SUPERADMINS},
    ),
    "SourcePermissionService/ListSourceAliases": Row(World.nothing, empty, {"": SUPERADMINS}),
    "SourcePermissionService/ListDocumentReaders": Row(
        World.document, lambda document: {"documentId": document}, MANAGED
    ),
    "SystemService/CheckStorage": Row(World.nothing, empty, {"": SUPERADMINS}),
    "SystemService/GetInstallationSettings": Row(World.nothing, empty, ANYTHING),
    "SystemService/UpdateInstallationSettings": Row(
        World.nothing,
        lambda _: {"settings": {"linkSharing": "LINK_SHARING_ANYONE"}, "updateMask": "linkSharing"},
        {"": SUPERADMINS},
    ),
    "SystemService/GetAbout": Row(World.nothing, empty, ANYTHING),
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
    "TodoService/ListTodos": Row(World.session, lambda session: {"chatSessionId": session}, SESSIONS_READ),
    "TodoService/GetTodo": Row(World.todo, by_id, SESSIONS_READ),
    "TodoService/CreateTodo": Row(
        World.session, lambda session: {"chatSessionId": session, "todo": {"title": "x"}}, SESSIONS_WRITTEN
    ),
    "TodoService/UpdateTodo": Row(World.todo, patch("todo", "title", name), SESSIONS_WRITTEN),
    "TodoService/DeleteTodo": Row(World.todo, by_id, SESSIONS_WRITTEN),
    "UsageService/GetUsage": Row(
        World.user, lambda user: {"userId": user}, {"own": EVERYONE, "foreign": (FORBIDDEN, OK, OK)}
    ),
    "UserService/GetCurrentUser": Row(World.nothing, empty, ANYTHING),
    "UserService/StreamUserEvents": Row(World.nothing, empty, ANYTHING),
    "UserService/UpdateCurrentUser": Row(
        World.nothing, lambda _: {"user": {"firstName": "A"}, "updateMask": "firstName"}, ANYTHING
    ),
    "UserService/ListUsers": Row(World.nothing, empty, {"": ADMINS}),
    "UserService/GetUser": Row(World.user, by_id, {"own": EVERYONE, "foreign": (HIDDEN, OK, OK)}),
    "UserService/CreateUser": Row(
        World.nothing, lambda _: {"user": {"userName": name(), "email": f"{name()}@example.org"}}, {"": SUPERADMINS}
    ),
    "UserService/UpdateUser": Row(
        World.user, patch("user", "firstName", name), {"own": SUPERADMINS, "foreign": SUPERADMINS}
    ),
    "UserService/SetEmailVerified": Row(World.unneeded_user, by_id, {"foreign": SUPERADMINS}),
    "UserService/SignOutUser": Row(World.unneeded_user, by_id, {"foreign": SUPERADMINS}),
    "UserService/PurgeUser": Row(World.unneeded_user, by_id, {"foreign": SUPERADMINS}),
    "WebSessionService/ListWebSessions": Row(World.nothing, empty, ANYTHING),
    "WebSessionService/DeleteWebSession": Row(World.web_session, by_id, PERSONAL),
    "WebSessionService/DeleteOtherWebSessions": Row(World.nothing, empty, ANYTHING),
}


def reachable(method: str, via: Transport) -> bool:
    return via == "grpc" or http_rule(METHODS[method]) is not None
