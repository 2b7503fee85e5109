"""The tables, as SQLAlchemy classes, one module per aggregate."""

from echomind_lib.db.models.base import Base
from echomind_lib.db.models.catalog import (
    Assistant,
    AssistantMember,
    AssistantVersion,
    EmbeddingModel,
    Llm,
    McpServerState,
)
from echomind_lib.db.models.chat import (
    ChatMessage,
    ChatMessageDocument,
    ChatMessageFeedback,
    ChatSession,
    ChatSessionSource,
    ChatSessionText,
    SessionLearning,
)
from echomind_lib.db.models.content import (
    Connector,
    ConnectorSignIn,
    ConnectorSync,
    ConnectorSyncFailure,
    ConnectorSyncSeen,
    Document,
    IndexDocument,
    SourceFolder,
)
from echomind_lib.db.models.crawl import CrawlAddress
from echomind_lib.db.models.facts import FactChange
from echomind_lib.db.models.feedback import ChunkFeedback, RatedQuestion
from echomind_lib.db.models.identity import (
    ApiKey,
    AuditEntry,
    Credential,
    Group,
    GroupMember,
    IdentityProvider,
    Invitation,
    SignInAttempt,
    SignInToken,
    UsedLogoutToken,
    User,
    UserIdentity,
    WebSession,
)
from echomind_lib.db.models.knowledge import (
    KnowledgeEntity,
    KnowledgeFeedback,
    KnowledgeRevision,
    KnowledgeSource,
    KnowledgeUse,
)
from echomind_lib.db.models.memories import AgentMemory, MemorySource
from echomind_lib.db.models.notebooks import (
    Notebook,
    NotebookGroup,
    NotebookMember,
    NotebookNote,
    NotebookNoteSource,
    NotebookSource,
)
from echomind_lib.db.models.permissions import DocumentReader, SourceAlias, SourceMember, SourcePrincipal
from echomind_lib.db.models.planning import Checkpoint, Todo
from echomind_lib.db.models.runs import Run, SessionEvent, Step, ToolCall
from echomind_lib.db.models.sharing import InstallationSettings, SessionShare, SessionShareRecipient
from echomind_lib.db.models.work import BackgroundJob, Worker

__all__ = [
    "AgentMemory",
    "ApiKey",
    "Assistant",
    "AssistantMember",
    "AssistantVersion",
    "AuditEntry",
    "BackgroundJob",
    "Base",
    "ChatMessage",
    "ChatMessageDocument",
    "ChatMessageFeedback",
    "ChatSession",
    "ChatSessionSource",
    "ChatSessionText",
    "Checkpoint",
    "ChunkFeedback",
    "Connector",
    "ConnectorSignIn",
    "ConnectorSync",
    "ConnectorSyncFailure",
    "ConnectorSyncSeen",
    "CrawlAddress",
    "Credential",
    "Document",
    "DocumentReader",
    "EmbeddingModel",
    "FactChange",
    "Group",
    "GroupMember",
    "IdentityProvider",
    "IndexDocument",
    "InstallationSettings",
    "Invitation",
    "KnowledgeEntity",
    "KnowledgeFeedback",
    "KnowledgeRevision",
    "KnowledgeSource",
    "KnowledgeUse",
    "Llm",
    "McpServerState",
    "MemorySource",
    "Notebook",
    "NotebookGroup",
    "NotebookMember",
    "NotebookNote",
    "NotebookNoteSource",
    "NotebookSource",
    "RatedQuestion",
    "Run",
    "SessionEvent",
    "SessionLearning",
    "SessionShare",
    "SessionShareRecipient",
    "SignInAttempt",
    "SignInToken",
    "SourceAlias",
    "SourceFolder",
    "SourceMember",
    "SourcePrincipal",
    "Step",
    "Todo",
    "ToolCall",
    "UsedLogoutToken",
    "User",
    "UserIdentity",
    "WebSession",
    "Worker",
]
