"""The words that the database's status and kind columns may hold, one type per column.

Every type is a `Literal`; the CHECK constraint of its column is made from the same words. This module imports
nothing of the ORM, so code on the hot path can use it.
"""

from typing import Final, Literal

Role = Literal["user", "admin", "superadmin"]
"""`users.roles`; each role includes the ones before it."""

LinkPurpose = Literal["sign_in", "password"]
"""`sign_in_tokens.purpose`: what a link does beside signing in."""

LlmProvider = Literal["tgi", "vllm", "openai", "anthropic", "ollama", "extractive"]
"""`llms.provider`; `extractive` is the built-in model, which quotes instead of writing."""

PermissionMode = Literal["scope", "source"]
"""`connectors.permission_mode`: whether its scope alone decides who reads, or its scope and the source."""

Scope = Literal["user", "group", "org"]
"""`connectors.scope`: who may read the connector's documents."""

ConnectorStatus = Literal["pending", "syncing", "active", "error", "disabled"]
SyncStatus = Literal["pending", "running", "waiting_for_confirmation", "completed", "failed", "cancelled"]
SyncKind = Literal["full", "incremental"]
SyncErrorKind = Literal["credentials", "settings", "unavailable", "items", "internal"]
"""`connector_syncs.error_kind`: what is to be done about it; after `credentials` the connector is connected again."""
DocumentStatus = Literal["pending", "processing", "completed", "failed"]

ChatMode = Literal["chat", "one_shot"]
ChatTitleOrigin = Literal["default", "question", "person"]
ChatSessionStatus = Literal["active", "paused", "cancelled", "completed", "failed", "error"]
MessageRole = Literal["user", "assistant", "system"]
MessageStatus = Literal["streaming", "completed", "failed", "cancelled"]

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
"""`runs.control_requested`: what a user asked for and the worker has not done yet."""

StepType = Literal["planner", "action", "synthesizer"]
StepAction = Literal["call_tool", "call_tools_parallel", "delegate", "ask_user", "plan", "retrieve", "answer"]
StepStatus = Literal["pending", "running", "completed", "failed", "timeout", "cancelled"]
WaitStrategy = Literal["all", "any", "majority"]
ParallelStatus = Literal["waiting", "partial", "completed"]
ToolCallStatus = Literal["pending", "running", "completed", "failed", "timeout", "cancelled"]
ToolApproval = Literal["required", "granted", "denied"]
"""`tool_calls.approval`: whether a person lets the call happen; NULL when nobody needs to be asked."""
SessionEventKind = Literal["progress", "status", "warning", "error", "final"]

TodoStatus = Literal["pending", "in_progress", "completed", "cancelled", "failed"]
CheckpointType = Literal["manual", "auto", "before_tool", "milestone"]

NotebookRole = Literal["owner", "editor", "viewer"]
"""`notebook_members.role`: viewers read and ask, editors change sources and instructions too, owners also members."""
KnowledgeLevel = Literal["public", "organization", "individual"]
"""`knowledge_entities.level`: who finds it; the first two everybody."""
KnowledgeSourceType = Literal["conversation", "document", "manual", "answer"]
KnowledgeReviewStatus = Literal["none", "proposed", "approved", "rejected"]

MemoryType = Literal["episodic", "semantic", "procedural"]
MemoryTrust = Literal["user_said", "user_confirmed", "derived"]
LearningKind = Literal["memory", "knowledge"]
LinkSharing = Literal["anyone", "signed_in", "nobody"]
"""Who may open share links: whoever has one, whoever has one and is signed in, nobody."""
JobStatus = Literal["pending", "running", "completed", "failed", "cancelled"]

TeamMode = Literal["coordinate", "route", "collaborate"]
"""How a team works: its leader gives tasks to members, one member answers in its place, or all get each task."""

ACTIVE_RUN_STATUSES: Final[tuple[RunStatus, ...]] = (
    "queued",
    "running",
    "waiting_for_input",
    "waiting_for_children",
    "paused",
)
"""Statuses of a run that is not over; a session has at most one root run in one of them."""

FINAL_RUN_STATUSES: Final[tuple[RunStatus, ...]] = ("completed", "failed", "cancelled", "timeout")
"""Statuses that a run never leaves."""
