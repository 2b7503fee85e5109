"""The allowed values of the database's status and kind columns, one type per column.

Every type is a `Literal`; the CHECK constraint of its column is generated from the same words. This module imports
nothing of the ORM, so code on the hot path can use it.
"""

from typing import Final, Literal

Role = Literal["user", "admin", "superadmin"]
"""`users.roles`; each role includes the ones before it."""

AccountKind = Literal["person", "service"]
"""`users.kind`: whose account it is."""

LinkPurpose = Literal["sign_in", "password"]
"""`sign_in_tokens.purpose`: what a link does in addition to signing in."""

EmailTrust = Literal["claim", "domains", "never"]
"""`identity_providers.email_trust`: which e-mail addresses count as verified."""

QuotaScope = Literal["organization", "group", "member", "user", "key"]
"""`quotas.scope`: whom a quota binds."""

QuotaPeriod = Literal["day", "month", "minute"]
"""`quotas.period`: after which the use begins again at 0, in UTC; `minute` for what happens at a time."""

UsagePeriod = Literal["day", "month"]
"""`quota_usage.period`: what a use is summed up for."""

LlmProvider = Literal["tgi", "vllm", "openai", "anthropic", "ollama", "extractive"]
"""`llms.provider`; `extractive` is the built-in model, which quotes instead of writing."""

EmbeddingProtocol = Literal["openai", "tei"]
"""`embedding_models.protocol`: what the server of an embedding model speaks."""

RerankProtocol = Literal["cohere", "jina", "vllm", "tei"]
"""`rerankers.protocol`: what the server of a reranker speaks."""

IndexState = Literal["building", "standby", "dropping"]
"""`embedding_models.index_state`, of an index that is not active: it is being filled, it is kept for the way back, or
its vectors are being deleted."""

PermissionMode = Literal["scope", "source"]
"""`connectors.permission_mode`: whether its scope alone decides who reads, or its scope and the source."""

Scope = Literal["user", "group", "org"]
"""`connectors.scope`: who may read the connector's documents."""

ConnectorStatus = Literal["pending", "syncing", "active", "error", "disabled", "needs_attention"]
SyncStatus = Literal[
    "pending", "running", "waiting_for_confirmation", "completed", "failed", "cancelled", "needs_attention"
]
SyncKind = Literal["full", "incremental"]
SyncErrorKind = Literal["credentials", "settings", "unavailable", "items", "internal"]
"""`connector_syncs.error_kind`: the remedy; for `credentials`, connect the connector again."""
DocumentStatus = Literal["pending", "processing", "completed", "failed"]

ChatMode = Literal["chat", "one_shot"]
ChatTitleOrigin = Literal["default", "question", "person"]
ChatSessionStatus = Literal["active", "paused", "cancelled", "completed", "failed", "error"]
MessageRole = Literal["user", "assistant", "system"]
AuthorKind = Literal["person", "assistant", "foreign", "unknown"]
MessageStatus = Literal["streaming", "completed", "failed", "cancelled"]
AnswerBasis = Literal["sources", "no_source_found", "model_only", "other"]
"""`chat_messages.basis`: what an answer stands on; NULL for questions and answers without text."""

RunKind = Literal["agent", "team", "member", "sub_agent"]
RunStatus = Literal[
    "queued",
    "running",
    "waiting_for_input",
    "waiting_for_children",
    "paused",
    "completed",
    "failed",
    "cancelled",
    "timeout",
]
RunControl = Literal["pause", "cancel"]
"""`runs.control_requested`: a control that a user requested and the worker has not applied yet."""

StepType = Literal["planner", "action", "synthesizer"]
StepAction = Literal["call_tool", "call_tools_parallel", "delegate", "ask_user", "plan", "retrieve", "answer"]
StepStatus = Literal["pending", "running", "completed", "failed", "timeout", "cancelled"]
WaitStrategy = Literal["all", "any", "majority"]
ParallelStatus = Literal["waiting", "partial", "completed"]
ToolCallStatus = Literal["pending", "running", "completed", "failed", "timeout", "cancelled"]
ToolApproval = Literal["required", "granted", "denied"]
"""`tool_calls.approval`: whether a person has approved the call; NULL if no approval is needed."""
SessionEventKind = Literal["progress", "status", "warning", "error", "final"]

UsageKind = Literal["answer", "plain_model", "title", "summary", "learning", "judgement", "embedding"]
"""`usage_daily.kind`: what a model was called for. Answers are runs, with what they took beside their steps."""

EvaluationStatus = Literal["running", "completed", "cancelled", "failed"]
EvaluationResultStatus = Literal["pending", "running", "completed", "failed", "cancelled"]

WebhookEventType = Literal[
    "run_completed",
    "run_failed",
    "run_cancelled",
    "run_waiting_for_input",
    "document_ready",
    "document_failed",
    "document_removed",
    "sync_completed",
    "sync_failed",
    "audit_entry",
    "test",
]
"""`webhook_deliveries.event_type`; in a request, the first `_` is a dot."""
WebhookDeliveryStatus = Literal["pending", "delivered", "failed", "withheld"]

RetentionData = Literal[
    "chat_sessions",
    "removed_chat_sessions",
    "unlisted_chat_sessions",
    "run_steps",
    "run_events",
    "audit_entries",
    "webhook_deliveries",
]
"""`retention_rules.data`: what is deleted because of its age."""

TodoStatus = Literal["pending", "in_progress", "completed", "cancelled", "failed"]
CheckpointType = Literal["manual", "auto", "before_tool", "milestone"]

NotebookRole = Literal["owner", "editor", "viewer"]
"""`notebook_members.role`: viewers read and ask, editors change sources and instructions too, owners also members."""
NotebookGroupRole = Literal["editor", "viewer"]
"""`notebook_groups.role`: only people own notebooks."""
KnowledgeLevel = Literal["public", "organization", "individual"]
"""`knowledge_entities.level`: who can find it; everyone for the first two."""
KnowledgeSourceType = Literal["conversation", "document", "manual", "answer"]
KnowledgeReviewStatus = Literal["none", "proposed", "approved", "rejected"]

MemoryType = Literal["episodic", "semantic", "procedural"]
MemoryTrust = Literal["user_said", "user_confirmed", "derived"]
LearningKind = Literal["memory", "knowledge"]
LinkSharing = Literal["anyone", "signed_in", "nobody"]
"""Who may open share links: anyone with the link, signed-in users with the link, or nobody."""
JobStatus = Literal["pending", "running", "completed", "failed", "cancelled"]

TeamMode = Literal["coordinate", "route", "collaborate"]
"""How a team works: its leader delegates to members, one member answers in its place, or all members get each task."""

ACTIVE_RUN_STATUSES: Final[tuple[RunStatus, ...]] = (
    "queued",
    "running",
    "waiting_for_input",
    "waiting_for_children",
    "paused",
)
"""Statuses of an active run; a session has at most one active root run."""

FINAL_RUN_STATUSES: Final[tuple[RunStatus, ...]] = ("completed", "failed", "cancelled", "timeout")
"""Final statuses of a run."""
