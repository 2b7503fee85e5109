"""Execution: runs, their steps and tool calls, and the event log that clients follow."""

from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import (
    REAL,
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Identity,
    Index,
    Numeric,
    PrimaryKeyConstraint,
    SmallInteger,
    String,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db import words
from echomind_lib.db.models.base import Audit, Base, CreationDate, at_least, one_of, quoted

_ACTIVE = f"status IN ({quoted(words.ACTIVE_RUN_STATUSES)})"


class Run(Audit, Base):
    """One processing of an input, by an agent or a team, or a child of one (`member`, `sub_agent`).

    `attempt` is the fence: every write of a worker requires the attempt that it took. `retry_count` counts
    interruptions since the last recorded step. `worker_id` names a row of `workers` that may have been removed. `state`
    holds pointers only; what a run did is in its steps.
    `caller` is what a program gave besides the question. `cost` is in US dollars, of the calls whose price is known.
    `untrusted` means that it, or an earlier run of its conversation, has read untrusted text: tools with side effects
    then need a person's approval. `seconds_spent` excludes waiting.
    `priority` orders queued runs, see `echomind_lib.runs.queue`: 0 below a question, 1 question, 2 below a goal, 3
    goal; a goal that waits for long becomes 1. `slot` is the place that a root run at work holds among its person's;
    others may hold an old one. `wait_strategy` NULL means as the assistant says.
    `api_key_id` is the API key that its root's question was asked with, which may have been removed; NULL for none.
    `requested_llm_id` is the model that whoever asked has chosen, and `llm_id` the one that works.
    `time_to_first_token_ms` is from its first claim to the first token of its model.
    `held_back` says that it is queued because the person has no free slot, and that they were told.
    """

    __tablename__ = "runs"

    id: Mapped[UUID] = mapped_column(primary_key=True, server_default=func.uuidv7())
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    chat_session_id: Mapped[int] = mapped_column(ForeignKey("chat_sessions.id", ondelete="CASCADE"))
    parent_run_id: Mapped[UUID | None] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"))
    parent_step_id: Mapped[int | None] = mapped_column(ForeignKey("steps.id", ondelete="SET NULL", use_alter=True))
    kind: Mapped[words.RunKind] = mapped_column(String(20), server_default=text("'agent'"))
    api_key_id: Mapped[int | None]
    assistant_id: Mapped[int | None] = mapped_column(ForeignKey("assistants.id"))
    assistant_version: Mapped[int | None]
    llm_id: Mapped[int | None] = mapped_column(ForeignKey("llms.id"))
    requested_llm_id: Mapped[int | None] = mapped_column(ForeignKey("llms.id"))
    status: Mapped[words.RunStatus] = mapped_column(String(30), server_default=text("'queued'"))
    input: Mapped[str] = mapped_column(server_default=text("''"))
    goal: Mapped[str | None]
    inherited_context: Mapped[str | None]
    ask_clarifications: Mapped[bool] = mapped_column(server_default=text("false"))
    auto_run: Mapped[bool] = mapped_column(server_default=text("false"))
    state: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    pending_input: Mapped[dict[str, Any] | None]
    final_output: Mapped[dict[str, Any] | None]
    result_summary: Mapped[str | None]
    error: Mapped[dict[str, Any] | None]
    depth: Mapped[int] = mapped_column(server_default=text("0"))
    max_steps: Mapped[int] = mapped_column(server_default=text("20"))
    timeout_seconds: Mapped[int] = mapped_column(server_default=text("300"))
    max_run_tokens: Mapped[int | None] = mapped_column(BigInteger)
    max_cost: Mapped[Decimal | None] = mapped_column(Numeric(14, 8))
    max_depth: Mapped[int] = mapped_column(server_default=text("2"))
    wait_strategy: Mapped[words.WaitStrategy | None] = mapped_column(String(20))
    seconds_spent: Mapped[float] = mapped_column(REAL, server_default=text("0"))
    untrusted: Mapped[bool] = mapped_column(server_default=text("false"))
    steps_executed: Mapped[int] = mapped_column(server_default=text("0"))
    tools_called: Mapped[int] = mapped_column(server_default=text("0"))
    prompt_tokens: Mapped[int] = mapped_column(server_default=text("0"))
    completion_tokens: Mapped[int] = mapped_column(server_default=text("0"))
    cost: Mapped[Decimal | None] = mapped_column(Numeric(14, 8))
    attempt: Mapped[int] = mapped_column(server_default=text("0"))
    worker_id: Mapped[UUID | None]
    retry_count: Mapped[int] = mapped_column(server_default=text("0"))
    max_retries: Mapped[int] = mapped_column(server_default=text("3"))
    control_requested: Mapped[words.RunControl | None] = mapped_column(String(20))
    request_id: Mapped[str | None] = mapped_column(String(255))
    caller: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    external_id: Mapped[str | None]
    metadata_: Mapped[dict[str, Any]] = mapped_column("metadata", server_default=text("'{}'"))
    priority: Mapped[int] = mapped_column(SmallInteger, server_default=text("1"))
    slot: Mapped[int | None]
    held_back: Mapped[bool] = mapped_column(server_default=text("false"))
    started_at: Mapped[datetime | None]
    completed_at: Mapped[datetime | None]
    duration_ms: Mapped[int | None] = mapped_column(BigInteger)
    time_to_first_token_ms: Mapped[int | None]

    __table_args__ = (
        one_of("kind", words.RunKind),
        one_of("status", words.RunStatus),
        one_of("control_requested", words.RunControl),
        one_of("wait_strategy", words.WaitStrategy),
        CheckConstraint("depth BETWEEN 0 AND 10", name="depth"),
        CheckConstraint("octet_length(state::text) <= 8192", name="state"),
        CheckConstraint("(parent_run_id IS NULL) = (kind IN ('agent', 'team'))", name="parent_run_id"),
        at_least("max_steps", 1),
        at_least("timeout_seconds", 1),
        at_least("max_run_tokens", 1),
        CheckConstraint("max_cost > 0", name="max_cost"),
        CheckConstraint("max_depth BETWEEN 0 AND 10", name="max_depth"),
        at_least("seconds_spent", 0),
        CheckConstraint("priority BETWEEN 0 AND 3", name="priority"),
        at_least("slot", 1),
        at_least("time_to_first_token_ms", 0),
        Index(
            "idx_runs_request_id",
            "user_id",
            "request_id",
            unique=True,
            postgresql_where=text("request_id IS NOT NULL"),
        ),
        Index(
            "idx_runs_active_root",
            "chat_session_id",
            unique=True,
            postgresql_where=text(f"parent_run_id IS NULL AND {_ACTIVE}"),
        ),
        Index("idx_runs_active", "status", "user_id", "priority", "id", postgresql_where=text(_ACTIVE)),
        Index(
            "idx_runs_slot",
            "user_id",
            "slot",
            unique=True,
            postgresql_where=text("status IN ('running', 'waiting_for_children') AND slot IS NOT NULL"),
        ),
        Index("idx_runs_chat_session_id", "chat_session_id", "id"),
        Index("idx_runs_user_id", "user_id", "id"),
        # Runs are stored in the order of time, so that a summary of blocks is enough to find those of a month.
        Index(
            "idx_runs_creation_date",
            "creation_date",
            postgresql_using="brin",
            postgresql_with={"pages_per_range": 16, "autosummarize": "on"},
        ),
        Index("idx_runs_failed", "id", postgresql_where=text("status IN ('failed', 'timeout')")),
        Index("idx_runs_untrusted", "chat_session_id", postgresql_where=text("untrusted")),
        Index("idx_runs_parent_run_id", "parent_run_id", postgresql_where=text("parent_run_id IS NOT NULL")),
        Index("idx_runs_parent_step_id", "parent_step_id", postgresql_where=text("parent_step_id IS NOT NULL")),
        Index(
            "idx_runs_external_id",
            "chat_session_id",
            "external_id",
            unique=True,
            postgresql_where=text("external_id IS NOT NULL"),
        ),
    )


class Step(Audit, Base):
    """One decision of the model and what came of it. `action` is NULL until the model has decided.

    `llm_input` holds what this step adds to the prompt; the whole prompt is the sum over the steps so far.
    """

    __tablename__ = "steps"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    run_id: Mapped[UUID] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"))
    step_number: Mapped[int]
    step_type: Mapped[words.StepType] = mapped_column(String(20), server_default=text("'action'"))
    action: Mapped[words.StepAction | None] = mapped_column(String(100))
    llm_model: Mapped[str | None]
    rendered_prompt: Mapped[str | None]
    llm_input: Mapped[Any | None] = mapped_column(JSONB(none_as_null=True))
    llm_output: Mapped[Any | None] = mapped_column(JSONB(none_as_null=True))
    reasoning: Mapped[str | None]
    input_data: Mapped[Any | None] = mapped_column(JSONB(none_as_null=True))
    output_data: Mapped[Any | None] = mapped_column(JSONB(none_as_null=True))
    error_message: Mapped[str | None]
    status: Mapped[words.StepStatus] = mapped_column(String(50), server_default=text("'pending'"))
    discarded: Mapped[bool] = mapped_column(server_default=text("false"))
    is_parallel: Mapped[bool] = mapped_column(server_default=text("false"))
    wait_strategy: Mapped[words.WaitStrategy | None] = mapped_column(String(50))
    parallel_status: Mapped[words.ParallelStatus | None] = mapped_column(String(50))
    prompt_tokens: Mapped[int] = mapped_column(server_default=text("0"))
    completion_tokens: Mapped[int] = mapped_column(server_default=text("0"))
    started_at: Mapped[datetime | None]
    completed_at: Mapped[datetime | None]
    execution_duration_ms: Mapped[int | None]

    __table_args__ = (
        one_of("step_type", words.StepType),
        one_of("action", words.StepAction),
        one_of("status", words.StepStatus),
        one_of("wait_strategy", words.WaitStrategy),
        one_of("parallel_status", words.ParallelStatus),
        UniqueConstraint("run_id", "step_number"),
    )


class ToolCall(Audit, Base):
    """One call of a tool, parallel or not; `tool_call_id` is the model's name for it within the step.

    `decision_date` is when a person (`user_id_last_update`) approved, denied or answered it, and `request_id` the key
    of the request by which they answered. `sources` are those that `result` holds, with the numbers that the run cites
    them by. `elicitation` is what an MCP server asked a person during the call, with the answers: see `elicitation.py`.
    """

    __tablename__ = "tool_calls"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    step_id: Mapped[int] = mapped_column(ForeignKey("steps.id", ondelete="CASCADE"))
    tool_call_id: Mapped[str] = mapped_column(String(255))
    tool_name: Mapped[str] = mapped_column(String(255))
    parameters: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    status: Mapped[words.ToolCallStatus] = mapped_column(String(50), server_default=text("'pending'"))
    result: Mapped[str | None]
    sources: Mapped[Any | None] = mapped_column(JSONB(none_as_null=True))
    error_message: Mapped[str | None]
    side_effect: Mapped[bool] = mapped_column(server_default=text("false"))
    approval: Mapped[words.ToolApproval | None] = mapped_column(String(20))
    approval_comment: Mapped[str | None]
    decision_date: Mapped[datetime | None]
    request_id: Mapped[str | None] = mapped_column(String(255))
    progress_percentage: Mapped[int] = mapped_column(server_default=text("0"))
    status_message: Mapped[str | None]
    external_task_id: Mapped[str | None] = mapped_column(String(255))
    external_status: Mapped[str | None] = mapped_column(String(100))
    retry_count: Mapped[int] = mapped_column(server_default=text("0"))
    max_retries: Mapped[int] = mapped_column(server_default=text("3"))
    started_at: Mapped[datetime | None]
    completed_at: Mapped[datetime | None]
    execution_duration_ms: Mapped[int | None]
    elicitation: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))

    __table_args__ = (
        one_of("status", words.ToolCallStatus),
        one_of("approval", words.ToolApproval),
        CheckConstraint("progress_percentage BETWEEN 0 AND 100", name="progress_percentage"),
        UniqueConstraint("step_id", "tool_call_id"),
        Index("idx_tool_calls_status_count", "step_id", "status"),
        Index(
            "idx_tool_calls_external_task",
            "external_task_id",
            postgresql_where=text("external_task_id IS NOT NULL"),
        ),
        Index(
            "idx_tool_calls_request_id",
            "user_id_last_update",
            "request_id",
            unique=True,
            postgresql_where=text("request_id IS NOT NULL"),
        ),
    )


class SessionEvent(CreationDate, Base):
    """A milestone of a run, or of its session. `id` is the cursor that clients resume from.

    A writer takes `pg_advisory_xact_lock` for the session before it inserts, as the last thing in its transaction;
    otherwise a reader of `id > cursor` could miss a row. `payload` is the ProtoJSON of the event's detail.
    """

    __tablename__ = "run_events"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True))
    chat_session_id: Mapped[int] = mapped_column(ForeignKey("chat_sessions.id", ondelete="CASCADE"))
    run_id: Mapped[UUID | None] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"))
    kind: Mapped[words.SessionEventKind] = mapped_column(String(20))
    text: Mapped[str] = mapped_column(server_default=text("''"))
    payload: Mapped[dict[str, Any] | None]

    __table_args__ = (
        one_of("kind", words.SessionEventKind),
        PrimaryKeyConstraint("chat_session_id", "id"),
        Index("idx_run_events_run_id", "run_id", postgresql_where="run_id IS NOT NULL"),
    )
