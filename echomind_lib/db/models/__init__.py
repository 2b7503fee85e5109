"""The tables, as SQLAlchemy classes, one module per aggregate."""

from echomind_lib.db.models.api_keys import ApiKey, DeviceCodeFailure, DeviceSignIn
from echomind_lib.db.models.audit import AuditEntry, AuditSeal
from echomind_lib.db.models.base import Base
from echomind_lib.db.models.catalog import (
    Assistant,
    AssistantMember,
    AssistantVersion,
    EmbeddingModel,
    Llm,
    McpServerState,
    Reranker,
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
from echomind_lib.db.models.evaluation import EvaluationCase, EvaluationDataset, EvaluationResult, EvaluationRun
from echomind_lib.db.models.facts import FactChange
from echomind_lib.db.models.feedback import ChunkFeedback, RatedQuestion
from echomind_lib.db.models.identity import (
    Credential,
    Group,
    GroupAdmin,
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
    NotebookSummary,
)
from echomind_lib.db.models.permissions import DocumentReader, SourceAlias, SourceMember, SourcePrincipal
from echomind_lib.db.models.planning import Checkpoint, Todo
from echomind_lib.db.models.privacy import Erasure, LegalHold
from echomind_lib.db.models.quotas import Quota, QuotaCharge, QuotaUsage, RequestCount, StreamLease
from echomind_lib.db.models.retention import RetentionRule
from echomind_lib.db.models.runs import Run, SessionEvent, Step, ToolCall
from echomind_lib.db.models.scim import ScimClient, ScimGroup, ScimToken, ScimUser
from echomind_lib.db.models.sharing import InstallationSettings, SessionShare, SessionShareRecipient
from echomind_lib.db.models.usage import UsageDaily
from echomind_lib.db.models.webhooks import Webhook, WebhookDelivery
from echomind_lib.db.models.work import BackgroundJob, Worker

__all__ = [
    "AgentMemory",
    "ApiKey",
    "Assistant",
    "AssistantMember",
    "AssistantVersion",
    "AuditEntry",
    "AuditSeal",
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
    "DeviceCodeFailure",
    "DeviceSignIn",
    "Document",
    "DocumentReader",
    "EmbeddingModel",
    "Erasure",
    "EvaluationCase",
    "EvaluationDataset",
    "EvaluationResult",
    "EvaluationRun",
    "FactChange",
    "Group",
    "GroupAdmin",
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
    "LegalHold",
    "Llm",
    "McpServerState",
    "MemorySource",
    "Notebook",
    "NotebookGroup",
    "NotebookMember",
    "NotebookNote",
    "NotebookNoteSource",
    "NotebookSource",
    "NotebookSummary",
    "Quota",
    "QuotaCharge",
    "QuotaUsage",
    "RatedQuestion",
    "RequestCount",
    "Reranker",
    "RetentionRule",
    "Run",
    "ScimClient",
    "ScimGroup",
    "ScimToken",
    "ScimUser",
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
    "StreamLease",
    "Todo",
    "ToolCall",
    "UsageDaily",
    "UsedLogoutToken",
    "User",
    "UserIdentity",
    "WebSession",
    "Webhook",
    "WebhookDelivery",
    "Worker",
]
