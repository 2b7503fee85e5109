"""Runs, their steps and their events.

Generated from echomind/public/v1/run.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Method, OneofModel, ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.todo import Todo
from echomind_lib.pb.echomind.public.v1 import run_pb2 as pb


class RunKind(ProtoEnum):
    """What part a run has in a run tree."""

    UNSPECIFIED = "RUN_KIND_UNSPECIFIED", 0
    """Not said."""
    AGENT = "RUN_KIND_AGENT", 1
    """One assistant answers."""
    TEAM = "RUN_KIND_TEAM", 2
    """A team's leader."""
    MEMBER = "RUN_KIND_MEMBER", 3
    """A member that a team's leader delegates to."""
    FORK = "RUN_KIND_FORK", 4
    """A sub-agent."""


class RunStatus(ProtoEnum):
    """How far a run is."""

    UNSPECIFIED = "RUN_STATUS_UNSPECIFIED", 0
    """Not said; in a filter: any."""
    QUEUED = "RUN_STATUS_QUEUED", 1
    """Waiting for a worker. People who wait take turns; of one person's runs, questions come before goals."""
    RUNNING = "RUN_STATUS_RUNNING", 2
    """A worker has it."""
    WAITING_FOR_INPUT = "RUN_STATUS_WAITING_FOR_INPUT", 3
    """Waiting for a person."""
    WAITING_FOR_CHILDREN = "RUN_STATUS_WAITING_FOR_CHILDREN", 4
    """Waiting for runs that it started."""
    PAUSED = "RUN_STATUS_PAUSED", 5
    """Paused by a person."""
    COMPLETED = "RUN_STATUS_COMPLETED", 6
    """Finished with an answer."""
    FAILED = "RUN_STATUS_FAILED", 7
    """Ended by an error."""
    CANCELLED = "RUN_STATUS_CANCELLED", 8
    """Ended by a person."""
    TIMEOUT = "RUN_STATUS_TIMEOUT", 9
    """Ended by its time limit."""


class PendingInputKind(ProtoEnum):
    """What a run waits for."""

    UNSPECIFIED = "PENDING_INPUT_KIND_UNSPECIFIED", 0
    """Not said."""
    CLARIFICATION = "PENDING_INPUT_KIND_CLARIFICATION", 1
    """The agent asked a question; ProvideInput answers it."""
    APPROVAL = "PENDING_INPUT_KIND_APPROVAL", 2
    """Tool calls wait to be allowed; ApproveToolCall decides."""
    OUTCOME = "PENDING_INPUT_KIND_OUTCOME", 3
    """A tool with a side effect was cut off and nobody knows whether it took effect; ProvideInput says what is known."""


class StepAction(ProtoEnum):
    """What a step did."""

    UNSPECIFIED = "STEP_ACTION_UNSPECIFIED", 0
    """Not said."""
    CALL_TOOL = "STEP_ACTION_CALL_TOOL", 1
    """Called one tool."""
    CALL_TOOLS_PARALLEL = "STEP_ACTION_CALL_TOOLS_PARALLEL", 2
    """Called several tools at once."""
    FORK = "STEP_ACTION_FORK", 3
    """Started a sub-agent."""
    DELEGATE = "STEP_ACTION_DELEGATE", 4
    """Handed work to a member."""
    ASK_USER = "STEP_ACTION_ASK_USER", 5
    """Asked a person."""
    PLAN = "STEP_ACTION_PLAN", 6
    """Planned."""
    RETRIEVE = "STEP_ACTION_RETRIEVE", 7
    """Searched documents before the model was asked."""
    ANSWER = "STEP_ACTION_ANSWER", 8
    """Answered."""


class StepStatus(ProtoEnum):
    """How a step or a tool call went."""

    UNSPECIFIED = "STEP_STATUS_UNSPECIFIED", 0
    """Not said."""
    PENDING = "STEP_STATUS_PENDING", 1
    """Not begun."""
    RUNNING = "STEP_STATUS_RUNNING", 2
    """Going on."""
    COMPLETED = "STEP_STATUS_COMPLETED", 3
    """Done."""
    FAILED = "STEP_STATUS_FAILED", 4
    """Failed; `error_message` says why."""
    TIMEOUT = "STEP_STATUS_TIMEOUT", 5
    """Took too long."""
    CANCELLED = "STEP_STATUS_CANCELLED", 6
    """Not needed any more."""


class WaitStrategy(ProtoEnum):
    """Which results a step with several calls waits for; what is not needed any more is cancelled."""

    UNSPECIFIED = "WAIT_STRATEGY_UNSPECIFIED", 0
    """As WAIT_STRATEGY_ALL."""
    ALL = "WAIT_STRATEGY_ALL", 1
    """All of them."""
    ANY = "WAIT_STRATEGY_ANY", 2
    """The first that succeeds."""
    MAJORITY = "WAIT_STRATEGY_MAJORITY", 3
    """More than half."""


class ParallelStatus(ProtoEnum):
    """How far the calls of a parallel step are."""

    UNSPECIFIED = "PARALLEL_STATUS_UNSPECIFIED", 0
    """Not a parallel step."""
    WAITING = "PARALLEL_STATUS_WAITING", 1
    """None has ended."""
    PARTIAL = "PARALLEL_STATUS_PARTIAL", 2
    """Some have ended."""
    COMPLETED = "PARALLEL_STATUS_COMPLETED", 3
    """As many as it waits for have ended."""


class ToolApproval(ProtoEnum):
    """Whether a person lets a tool call happen."""

    UNSPECIFIED = "TOOL_APPROVAL_UNSPECIFIED", 0
    """Nobody needs to be asked."""
    REQUIRED = "TOOL_APPROVAL_REQUIRED", 1
    """Waits for a person."""
    GRANTED = "TOOL_APPROVAL_GRANTED", 2
    """Allowed."""
    DECLINED = "TOOL_APPROVAL_DECLINED", 3
    """Declined; the call is not made."""


class MessageRole(ProtoEnum):
    """Who wrote a message."""

    UNSPECIFIED = "MESSAGE_ROLE_UNSPECIFIED", 0
    """Not said."""
    USER = "MESSAGE_ROLE_USER", 1
    """A person."""
    ASSISTANT = "MESSAGE_ROLE_ASSISTANT", 2
    """An assistant."""
    SYSTEM = "MESSAGE_ROLE_SYSTEM", 3
    """The system."""


class MessageStatus(ProtoEnum):
    """How far a message is."""

    UNSPECIFIED = "MESSAGE_STATUS_UNSPECIFIED", 0
    """Not said."""
    STREAMING = "MESSAGE_STATUS_STREAMING", 1
    """Being written."""
    COMPLETED = "MESSAGE_STATUS_COMPLETED", 2
    """Whole."""
    FAILED = "MESSAGE_STATUS_FAILED", 3
    """Ended by an error; the text so far stays."""
    CANCELLED = "MESSAGE_STATUS_CANCELLED", 4
    """Ended by a person; the text so far stays."""


class RunEventKind(ProtoEnum):
    """What kind of event it is."""

    UNSPECIFIED = "RUN_EVENT_KIND_UNSPECIFIED", 0
    """Not said."""
    PROGRESS = "RUN_EVENT_KIND_PROGRESS", 1
    """Stored: something is being done."""
    STATUS = "RUN_EVENT_KIND_STATUS", 2
    """Stored: a run's status changed."""
    WARNING = "RUN_EVENT_KIND_WARNING", 3
    """Stored: something is not as it should be, and the run goes on."""
    ERROR = "RUN_EVENT_KIND_ERROR", 4
    """Stored: something failed."""
    FINAL = "RUN_EVENT_KIND_FINAL", 5
    """Stored: the run has ended."""
    DELTA = "RUN_EVENT_KIND_DELTA", 6
    """Live: more text of a message."""
    SNAPSHOT = "RUN_EVENT_KIND_SNAPSHOT", 7
    """Live: the whole text of a message so far."""
    GAP = "RUN_EVENT_KIND_GAP", 8
    """Live: events before this point are gone by pruning."""


class SessionChange(ProtoEnum):
    """What changed in a session."""

    UNSPECIFIED = "SESSION_CHANGE_UNSPECIFIED", 0
    """Not said."""
    HEAD_MOVED = "SESSION_CHANGE_HEAD_MOVED", 1
    """Another branch is shown, or the last messages were undone."""
    CHECKPOINT_CREATED = "SESSION_CHANGE_CHECKPOINT_CREATED", 2
    """A checkpoint was made."""
    CHECKPOINT_RESTORED = "SESSION_CHANGE_CHECKPOINT_RESTORED", 3
    """A checkpoint was restored."""
    COMPRESSED = "SESSION_CHANGE_COMPRESSED", 4
    """A compression ended: earlier messages were summarized, or there was nothing to summarize. It failed when the event
    is a warning. The event's text says which, and why.
    """
    DISCARDED = "SESSION_CHANGE_DISCARDED", 5
    """A message, or a step of a run, was left out of later prompts or put back."""
    SETTINGS = "SESSION_CHANGE_SETTINGS", 6
    """Its title, assistant, mode, goal or preferences were changed."""
    FORKED = "SESSION_CHANGE_FORKED", 7
    """Its owner began another session with its messages."""
    CHECKPOINT_DELETED = "SESSION_CHANGE_CHECKPOINT_DELETED", 8
    """A checkpoint was removed."""


class RunError(ProtoModel):
    """What ended a run early."""

    __proto__: ClassVar = pb.RunError

    reason: str = Field(
        default="",
        description="A word for programs. Of limits: MAX_STEPS, MAX_TOKENS, MAX_COST, TIMEOUT; INTERRUPTED (its workers died too often). Of a goal: GOAL_NOT_REACHED (todos are still open, which `message` names). Of the question: QUESTION_TOO_LONG (alone too long for the model's window). Of the model: LLM_UNAVAILABLE (there is none, or it does not answer), LLM_RATE_LIMITED (too many requests or tokens for now), LLM_QUOTA_EXHAUSTED (the account has no credit), LLM_AUTH_FAILED (its API key), LLM_BAD_REQUEST (its server refuses the request), LLM_CONTEXT_TOO_LONG (prompt and answer do not fit), LLM_CONTENT_FILTERED (the provider withheld prompt or answer), LLM_STREAM_BROKEN (the answer was cut off or cannot be read), LLM_ERROR (anything else), EMPTY_ANSWER (it said nothing). Of EchoMind: INTERNAL (a fault; the agent's log says more), or another word of `ErrorReason`, such as DEPENDENCY_UNAVAILABLE (a part did not answer, several times).",
    )
    message: str = Field(default="", description="What happened and what to do.")

    @classmethod
    def read_pb(cls, message: pb.RunError) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "reason": message.reason,
            "message": message.message,
        }
        return data

    def to_pb(self) -> pb.RunError:
        """Makes a protobuf message."""
        return pb.RunError(
            reason=self.reason,
            message=self.message,
        )


class ToolCall(ProtoModel):
    """One call of a tool."""

    __proto__: ClassVar = pb.ToolCall
    __enums__: ClassVar = {
        "status": StepStatus,
        "approval": ToolApproval,
    }

    id: _t.Int64 = Field(default=0, description="Identifier; 0 in events.")
    tool_call_id: str = Field(default="", description="The model's identifier for it, unique in its step.")
    tool_name: str = Field(default="", description="The tool.")
    parameters: _t.Struct | None = Field(default=None, description="What it was called with.")
    status: StepStatus = Field(default=StepStatus.UNSPECIFIED, description="How it went.")
    result: str = Field(default="", description="What it gave, as the model saw it; cut to 4,000 characters in events.")
    error_message: str = Field(default="", description="Why it failed; empty otherwise.")
    progress_percentage: _t.Int32 = Field(default=0, description="Percent done, 0 to 100.")
    status_message: str = Field(default="", description="What it is doing, in words; may be empty.")
    started_at: _t.Timestamp | None = Field(default=None, description="When it began; empty before.")
    completed_at: _t.Timestamp | None = Field(default=None, description="When it ended; empty before.")
    execution_duration_ms: _t.Int32 = Field(default=0, description="How long it took in milliseconds.")
    side_effect: bool = Field(
        default=False,
        description="Whether it changes something outside EchoMind; such a call is never repeated by itself.",
    )
    approval: ToolApproval = Field(default=ToolApproval.UNSPECIFIED, description="Whether a person lets it happen.")
    external_task_id: str = Field(
        default="",
        description="What it started elsewhere: the id of a sub-agent's run, or of a task at another service; empty otherwise.",
    )
    external_status: str = Field(default="", description="How that is, in its own words; empty otherwise.")
    retry_count: _t.Int32 = Field(default=0, description="How often it was tried again.")
    max_retries: _t.Int32 = Field(default=0, description="How often it may be tried again.")
    approval_comment: str = Field(
        default="", description="What the person said who allowed or declined it; may be empty."
    )

    @classmethod
    def read_pb(cls, message: pb.ToolCall) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "tool_call_id": message.tool_call_id,
            "tool_name": message.tool_name,
            "status": StepStatus.numbers.get(message.status, message.status),
            "result": message.result,
            "error_message": message.error_message,
            "progress_percentage": message.progress_percentage,
            "status_message": message.status_message,
            "execution_duration_ms": message.execution_duration_ms,
            "side_effect": message.side_effect,
            "approval": ToolApproval.numbers.get(message.approval, message.approval),
            "external_task_id": message.external_task_id,
            "external_status": message.external_status,
            "retry_count": message.retry_count,
            "max_retries": message.max_retries,
            "approval_comment": message.approval_comment,
        }
        if message.HasField("parameters"):
            data["parameters"] = _t.from_struct(message.parameters)
        if message.HasField("started_at"):
            data["started_at"] = message.started_at.ToDatetime(UTC)
        if message.HasField("completed_at"):
            data["completed_at"] = message.completed_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.ToolCall:
        """Makes a protobuf message."""
        return pb.ToolCall(
            id=self.id,
            tool_call_id=self.tool_call_id,
            tool_name=self.tool_name,
            parameters=self.parameters,
            status=self.status.number,
            result=self.result,
            error_message=self.error_message,
            progress_percentage=self.progress_percentage,
            status_message=self.status_message,
            started_at=self.started_at,
            completed_at=self.completed_at,
            execution_duration_ms=self.execution_duration_ms,
            side_effect=self.side_effect,
            approval=self.approval.number,
            external_task_id=self.external_task_id,
            external_status=self.external_status,
            retry_count=self.retry_count,
            max_retries=self.max_retries,
            approval_comment=self.approval_comment,
        )


class PendingInput(ProtoModel):
    """What a run asks of a person."""

    __proto__: ClassVar = pb.PendingInput
    __enums__: ClassVar = {
        "kind": PendingInputKind,
    }

    kind: PendingInputKind = Field(default=PendingInputKind.UNSPECIFIED, description="What it waits for.")
    question: str = Field(default="", description="The question, for people.")
    options: list[str] = Field(default_factory=list, description="Answers to choose from; empty means any.")
    tool_calls: list[ToolCall] = Field(
        default_factory=list, description="The tool calls that it is about, as far as they wait."
    )

    @classmethod
    def read_pb(cls, message: pb.PendingInput) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "kind": PendingInputKind.numbers.get(message.kind, message.kind),
            "question": message.question,
            "options": list(message.options),
            "tool_calls": [ToolCall.read_pb(each) for each in message.tool_calls],
        }
        return data

    def to_pb(self) -> pb.PendingInput:
        """Makes a protobuf message."""
        return pb.PendingInput(
            kind=self.kind.number,
            question=self.question,
            options=self.options,
            tool_calls=[each.to_pb() for each in self.tool_calls],
        )


class RunOptions(ProtoModel):
    """How a run is to work. What is not set comes from the session's preferences, then from the assistant."""

    __proto__: ClassVar = pb.RunOptions

    auto_run: bool | None = Field(
        default=None,
        description="Whether it works towards the goal by itself, step after step, until its todos are done; unset means no.",
    )
    ask_clarifications: bool | None = Field(
        default=None,
        description="Whether it may ask back; unset means as the assistant says. A run by itself asks only for approvals.",
    )
    max_steps: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0,
        description="Most steps; 0 means as the assistant says, which also is the most that can be asked for.",
    )
    timeout_seconds: Annotated[_t.Int32, Field(le=86400, ge=0)] = Field(
        default=0,
        description="Most seconds without waiting; 0 means as the assistant says, which also is the most that can be asked for.",
    )
    max_run_tokens: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0,
        description="Most tokens, prompts and answers of the run and the runs below it together; 0 means as the assistant says.",
    )
    max_cost: Annotated[_t.Float, Field(ge=0.0)] = Field(
        default=0.0,
        description="Most US dollars, of the run and the runs below it together; 0 means as the assistant says.",
    )
    max_depth: Annotated[_t.Int32, Field(le=10, ge=0)] | None = Field(
        default=None, description="How deep sub-agents may be nested; unset means as the assistant says, 0 means none."
    )

    @classmethod
    def read_pb(cls, message: pb.RunOptions) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "max_steps": message.max_steps,
            "timeout_seconds": message.timeout_seconds,
            "max_run_tokens": message.max_run_tokens,
            "max_cost": message.max_cost,
        }
        if message.HasField("auto_run"):
            data["auto_run"] = message.auto_run
        if message.HasField("ask_clarifications"):
            data["ask_clarifications"] = message.ask_clarifications
        if message.HasField("max_depth"):
            data["max_depth"] = message.max_depth
        return data

    def to_pb(self) -> pb.RunOptions:
        """Makes a protobuf message."""
        return pb.RunOptions(
            auto_run=self.auto_run,
            ask_clarifications=self.ask_clarifications,
            max_steps=self.max_steps,
            timeout_seconds=self.timeout_seconds,
            max_run_tokens=self.max_run_tokens,
            max_cost=self.max_cost,
            max_depth=self.max_depth,
        )


class Run(ProtoModel):
    """One run."""

    __proto__: ClassVar = pb.Run
    __enums__: ClassVar = {
        "kind": RunKind,
        "status": RunStatus,
    }

    id: str = Field(default="", description="Identifier, a UUIDv7.")
    chat_session_id: _t.Int32 = Field(default=0, description="Its session.")
    parent_run_id: str = Field(default="", description="The run that started it; empty for a root.")
    kind: RunKind = Field(default=RunKind.UNSPECIFIED, description="What part it has.")
    assistant_id: _t.Int32 = Field(default=0, description="The assistant.")
    llm_id: _t.Int32 = Field(default=0, description="The model; 0 until a worker has it.")
    status: RunStatus = Field(default=RunStatus.UNSPECIFIED, description="How far it is.")
    input: str = Field(default="", description="The question.")
    message_id: _t.Int64 = Field(default=0, description="The message that it writes.")
    error: RunError | None = Field(default=None, description="What ended it early; empty otherwise.")
    depth: _t.Int32 = Field(default=0, description="How deep it is in its tree; a root is 0.")
    max_steps: _t.Int32 = Field(default=0, description="Most steps.")
    timeout_seconds: _t.Int32 = Field(default=0, description="Most seconds without waiting.")
    steps_executed: _t.Int32 = Field(default=0, description="Steps so far.")
    tools_called: _t.Int32 = Field(default=0, description="Tool calls so far.")
    prompt_tokens: _t.Int64 = Field(default=0, description="Tokens of the prompts so far.")
    completion_tokens: _t.Int64 = Field(default=0, description="Tokens of the answers so far.")
    cost: _t.Float = Field(default=0.0, description="Cost so far in US dollars, of the calls whose price is known.")
    attempt: _t.Int32 = Field(
        default=0,
        description="Counted up each time that a worker takes it, and when it is paused, resumed or cancelled while no worker has it: what is written of an earlier turn does not count.",
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="When it was asked for.")
    started_at: _t.Timestamp | None = Field(default=None, description="When a worker first had it; empty before.")
    completed_at: _t.Timestamp | None = Field(default=None, description="When it ended; empty before.")
    duration_ms: _t.Int64 = Field(default=0, description="Milliseconds from start to end; 0 before.")
    goal: str = Field(default="", description="What it works towards; empty for a plain question.")
    auto_run: bool = Field(default=False, description="Whether it works towards its goal by itself.")
    ask_clarifications: bool = Field(default=False, description="Whether it may ask back.")
    pending_input: PendingInput | None = Field(
        default=None, description="What it waits for; empty unless it waits for a person."
    )
    parent_step_id: _t.Int64 | None = Field(
        default=None, description="The step of the parent that started it; empty for a root."
    )
    result_summary: str = Field(default="", description="What it tells its parent; empty for a root.")
    output: str = Field(default="", description="What it answered, for a run that writes no message; empty for a root.")
    max_run_tokens: _t.Int64 = Field(
        default=0, description="Most tokens of it and the runs below it; 0 means no limit."
    )
    max_cost: _t.Float = Field(
        default=0.0, description="Most US dollars of it and the runs below it; 0 means no limit."
    )
    max_depth: _t.Int32 = Field(default=0, description="How deep sub-agents may be nested.")
    seconds_spent: _t.Float32 = Field(default=0.0, description="Seconds worked so far, without waiting.")
    held_back: bool = Field(
        default=False,
        description="Whether it is queued until another run of its person ends, because as many of theirs are at work as may be.",
    )

    @classmethod
    def read_pb(cls, message: pb.Run) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "chat_session_id": message.chat_session_id,
            "parent_run_id": message.parent_run_id,
            "kind": RunKind.numbers.get(message.kind, message.kind),
            "assistant_id": message.assistant_id,
            "llm_id": message.llm_id,
            "status": RunStatus.numbers.get(message.status, message.status),
            "input": message.input,
            "message_id": message.message_id,
            "depth": message.depth,
            "max_steps": message.max_steps,
            "timeout_seconds": message.timeout_seconds,
            "steps_executed": message.steps_executed,
            "tools_called": message.tools_called,
            "prompt_tokens": message.prompt_tokens,
            "completion_tokens": message.completion_tokens,
            "cost": message.cost,
            "attempt": message.attempt,
            "duration_ms": message.duration_ms,
            "goal": message.goal,
            "auto_run": message.auto_run,
            "ask_clarifications": message.ask_clarifications,
            "result_summary": message.result_summary,
            "output": message.output,
            "max_run_tokens": message.max_run_tokens,
            "max_cost": message.max_cost,
            "max_depth": message.max_depth,
            "seconds_spent": message.seconds_spent,
            "held_back": message.held_back,
        }
        if message.HasField("error"):
            data["error"] = RunError.read_pb(message.error)
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("started_at"):
            data["started_at"] = message.started_at.ToDatetime(UTC)
        if message.HasField("completed_at"):
            data["completed_at"] = message.completed_at.ToDatetime(UTC)
        if message.HasField("pending_input"):
            data["pending_input"] = PendingInput.read_pb(message.pending_input)
        if message.HasField("parent_step_id"):
            data["parent_step_id"] = message.parent_step_id
        return data

    def to_pb(self) -> pb.Run:
        """Makes a protobuf message."""
        return pb.Run(
            id=self.id,
            chat_session_id=self.chat_session_id,
            parent_run_id=self.parent_run_id,
            kind=self.kind.number,
            assistant_id=self.assistant_id,
            llm_id=self.llm_id,
            status=self.status.number,
            input=self.input,
            message_id=self.message_id,
            error=None if self.error is None else self.error.to_pb(),
            depth=self.depth,
            max_steps=self.max_steps,
            timeout_seconds=self.timeout_seconds,
            steps_executed=self.steps_executed,
            tools_called=self.tools_called,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            cost=self.cost,
            attempt=self.attempt,
            creation_date=self.creation_date,
            started_at=self.started_at,
            completed_at=self.completed_at,
            duration_ms=self.duration_ms,
            goal=self.goal,
            auto_run=self.auto_run,
            ask_clarifications=self.ask_clarifications,
            pending_input=None if self.pending_input is None else self.pending_input.to_pb(),
            parent_step_id=self.parent_step_id,
            result_summary=self.result_summary,
            output=self.output,
            max_run_tokens=self.max_run_tokens,
            max_cost=self.max_cost,
            max_depth=self.max_depth,
            seconds_spent=self.seconds_spent,
            held_back=self.held_back,
        )


class PromptOmissions(ProtoModel):
    """What a step's prompt left out to fit the model's window."""

    __proto__: ClassVar = pb.PromptOmissions

    messages: _t.Int32 = Field(
        default=0, description="Earlier messages of the session that stand in no part of the prompt."
    )
    summarized_messages: _t.Int32 = Field(default=0, description="Earlier messages that stand in it as a summary only.")
    steps: list[_t.Int32] = Field(
        default_factory=list, description="Earlier steps of the run, by number, of which only one line is left."
    )

    @classmethod
    def read_pb(cls, message: pb.PromptOmissions) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "messages": message.messages,
            "summarized_messages": message.summarized_messages,
            "steps": list(message.steps),
        }
        return data

    def to_pb(self) -> pb.PromptOmissions:
        """Makes a protobuf message."""
        return pb.PromptOmissions(
            messages=self.messages,
            summarized_messages=self.summarized_messages,
            steps=self.steps,
        )


class Step(ProtoModel):
    """One step of a run: a prompt, what the model said, and what was done."""

    __proto__: ClassVar = pb.Step
    __enums__: ClassVar = {
        "action": StepAction,
        "status": StepStatus,
        "wait_strategy": WaitStrategy,
        "parallel_status": ParallelStatus,
    }

    id: _t.Int64 = Field(default=0, description="Identifier; 0 in events.")
    run_id: str = Field(default="", description="The run.")
    step_number: _t.Int32 = Field(default=0, description="Place in the run, from 1.")
    action: StepAction = Field(default=StepAction.UNSPECIFIED, description="What it did.")
    status: StepStatus = Field(default=StepStatus.UNSPECIFIED, description="How it went.")
    llm_model: str = Field(default="", description="The model that was asked.")
    reasoning: str = Field(default="", description="What the model said of its reasons; may be empty.")
    output: str = Field(default="", description="What the model said.")
    error_message: str = Field(default="", description="Why it failed; empty otherwise.")
    prompt_tokens: _t.Int32 = Field(default=0, description="Tokens of the prompt.")
    completion_tokens: _t.Int32 = Field(default=0, description="Tokens of the answer.")
    tool_calls: list[ToolCall] = Field(default_factory=list, description="The tools that it called.")
    started_at: _t.Timestamp | None = Field(default=None, description="When it began.")
    completed_at: _t.Timestamp | None = Field(default=None, description="When it ended; empty before.")
    execution_duration_ms: _t.Int32 = Field(default=0, description="How long it took in milliseconds.")
    wait_strategy: WaitStrategy = Field(
        default=WaitStrategy.UNSPECIFIED,
        description="Which results it waits for; unset for a step without several calls.",
    )
    parallel_status: ParallelStatus = Field(
        default=ParallelStatus.UNSPECIFIED, description="How far its calls are; unset for a step without several calls."
    )
    discarded: bool = Field(default=False, description="Whether it is left out of the prompts of later steps.")
    omissions: PromptOmissions | None = Field(default=None, description="What its prompt left out; empty when nothing.")

    @classmethod
    def read_pb(cls, message: pb.Step) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "run_id": message.run_id,
            "step_number": message.step_number,
            "action": StepAction.numbers.get(message.action, message.action),
            "status": StepStatus.numbers.get(message.status, message.status),
            "llm_model": message.llm_model,
            "reasoning": message.reasoning,
            "output": message.output,
            "error_message": message.error_message,
            "prompt_tokens": message.prompt_tokens,
            "completion_tokens": message.completion_tokens,
            "tool_calls": [ToolCall.read_pb(each) for each in message.tool_calls],
            "execution_duration_ms": message.execution_duration_ms,
            "wait_strategy": WaitStrategy.numbers.get(message.wait_strategy, message.wait_strategy),
            "parallel_status": ParallelStatus.numbers.get(message.parallel_status, message.parallel_status),
            "discarded": message.discarded,
        }
        if message.HasField("started_at"):
            data["started_at"] = message.started_at.ToDatetime(UTC)
        if message.HasField("completed_at"):
            data["completed_at"] = message.completed_at.ToDatetime(UTC)
        if message.HasField("omissions"):
            data["omissions"] = PromptOmissions.read_pb(message.omissions)
        return data

    def to_pb(self) -> pb.Step:
        """Makes a protobuf message."""
        return pb.Step(
            id=self.id,
            run_id=self.run_id,
            step_number=self.step_number,
            action=self.action.number,
            status=self.status.number,
            llm_model=self.llm_model,
            reasoning=self.reasoning,
            output=self.output,
            error_message=self.error_message,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            tool_calls=[each.to_pb() for each in self.tool_calls],
            started_at=self.started_at,
            completed_at=self.completed_at,
            execution_duration_ms=self.execution_duration_ms,
            wait_strategy=self.wait_strategy.number,
            parallel_status=self.parallel_status.number,
            discarded=self.discarded,
            omissions=None if self.omissions is None else self.omissions.to_pb(),
        )


class Citation(ProtoModel):
    """Where a sentence of an answer comes from."""

    __proto__: ClassVar = pb.Citation

    number: _t.Int32 = Field(default=0, description="The number in the answer, as in `[1]`.")
    document_id: _t.Int64 | None = Field(default=None, description="The document; empty when it is gone.")
    title: str = Field(default="", description="The document's title; empty when the reader may not read it.")
    chunk_id: str = Field(default="", description="The passage's identifier.")
    snippet: str = Field(default="", description="The words of the source; empty when the reader may not read it.")
    score: _t.Float = Field(default=0.0, description="How well the passage fits the question, between 0 and 1.")
    supported: bool = Field(
        default=False,
        description="Whether the source says what the sentence says, by a check made when the answer was written.",
    )
    page: _t.Int32 | None = Field(default=None, description="The page, from 1; empty where there are none.")
    sentence_start: _t.Int32 = Field(
        default=0, description="Where the cited sentence begins in the answer, in code points."
    )
    sentence_end: _t.Int32 = Field(
        default=0, description="Where the cited sentence ends in the answer, in code points, exclusive."
    )
    chunking_session: str = Field(default="", description="Names the processing whose text the span refers to.")
    span_start: _t.Int32 = Field(default=0, description="Where the words begin in that text, in code points.")
    span_end: _t.Int32 = Field(default=0, description="Where the words end in that text, in code points, exclusive.")

    @classmethod
    def read_pb(cls, message: pb.Citation) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "number": message.number,
            "title": message.title,
            "chunk_id": message.chunk_id,
            "snippet": message.snippet,
            "score": message.score,
            "supported": message.supported,
            "sentence_start": message.sentence_start,
            "sentence_end": message.sentence_end,
            "chunking_session": message.chunking_session,
            "span_start": message.span_start,
            "span_end": message.span_end,
        }
        if message.HasField("document_id"):
            data["document_id"] = message.document_id
        if message.HasField("page"):
            data["page"] = message.page
        return data

    def to_pb(self) -> pb.Citation:
        """Makes a protobuf message."""
        return pb.Citation(
            number=self.number,
            document_id=self.document_id,
            title=self.title,
            chunk_id=self.chunk_id,
            snippet=self.snippet,
            score=self.score,
            supported=self.supported,
            page=self.page,
            sentence_start=self.sentence_start,
            sentence_end=self.sentence_end,
            chunking_session=self.chunking_session,
            span_start=self.span_start,
            span_end=self.span_end,
        )


class ChatMessage(ProtoModel):
    """A question or an answer."""

    __proto__: ClassVar = pb.ChatMessage
    __enums__: ClassVar = {
        "role": MessageRole,
        "status": MessageStatus,
    }

    id: _t.Int64 = Field(default=0, description="Identifier.")
    chat_session_id: _t.Int32 = Field(default=0, description="Its session.")
    role: MessageRole = Field(default=MessageRole.UNSPECIFIED, description="Who wrote it.")
    content: str = Field(default="", description="The text, Markdown.")
    token_count: _t.Int32 = Field(default=0, description="How many tokens the text has.")
    parent_message_id: _t.Int64 | None = Field(default=None, description="The message before it; empty for the first.")
    rephrased_query: str = Field(
        default="", description="The question as it was searched for; empty when it was not changed."
    )
    error: str = Field(default="", description="Why it failed; empty otherwise.")
    run_id: str = Field(default="", description="The run that wrote it; empty for questions.")
    status: MessageStatus = Field(default=MessageStatus.UNSPECIFIED, description="How far it is.")
    citations: list[Citation] = Field(default_factory=list, description="Where it comes from, by number and place.")
    creation_date: _t.Timestamp | None = Field(default=None, description="When it was stored.")
    last_update: _t.Timestamp | None = Field(default=None, description="When it last changed; empty when never.")
    sibling_ids: list[_t.Int64] = Field(
        default_factory=list,
        description="All messages in its place, itself among them, oldest first: what it was edited from or to, or other answers to the same question. Empty when it is the only one, and in events.",
    )
    discarded: bool = Field(default=False, description="Whether it is left out of later prompts.")

    @classmethod
    def read_pb(cls, message: pb.ChatMessage) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "chat_session_id": message.chat_session_id,
            "role": MessageRole.numbers.get(message.role, message.role),
            "content": message.content,
            "token_count": message.token_count,
            "rephrased_query": message.rephrased_query,
            "error": message.error,
            "run_id": message.run_id,
            "status": MessageStatus.numbers.get(message.status, message.status),
            "citations": [Citation.read_pb(each) for each in message.citations],
            "sibling_ids": list(message.sibling_ids),
            "discarded": message.discarded,
        }
        if message.HasField("parent_message_id"):
            data["parent_message_id"] = message.parent_message_id
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.ChatMessage:
        """Makes a protobuf message."""
        return pb.ChatMessage(
            id=self.id,
            chat_session_id=self.chat_session_id,
            role=self.role.number,
            content=self.content,
            token_count=self.token_count,
            parent_message_id=self.parent_message_id,
            rephrased_query=self.rephrased_query,
            error=self.error,
            run_id=self.run_id,
            status=self.status.number,
            citations=[each.to_pb() for each in self.citations],
            creation_date=self.creation_date,
            last_update=self.last_update,
            sibling_ids=self.sibling_ids,
            discarded=self.discarded,
        )


class RunQueued(ProtoModel):
    """A question was stored and its run queued."""

    __proto__: ClassVar = pb.RunQueued

    user_message: ChatMessage | None = Field(default=None, description="The question.")
    assistant_message_id: _t.Int64 = Field(default=0, description="The message that the run will write.")

    @classmethod
    def read_pb(cls, message: pb.RunQueued) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "assistant_message_id": message.assistant_message_id,
        }
        if message.HasField("user_message"):
            data["user_message"] = ChatMessage.read_pb(message.user_message)
        return data

    def to_pb(self) -> pb.RunQueued:
        """Makes a protobuf message."""
        return pb.RunQueued(
            user_message=None if self.user_message is None else self.user_message.to_pb(),
            assistant_message_id=self.assistant_message_id,
        )


class RunStatusChanged(ProtoModel):
    """A run's status changed."""

    __proto__: ClassVar = pb.RunStatusChanged
    __enums__: ClassVar = {
        "status": RunStatus,
    }

    status: RunStatus = Field(default=RunStatus.UNSPECIFIED, description="The new status.")
    attempt: _t.Int32 = Field(default=0, description="Which worker's turn it is, counted from 1.")

    @classmethod
    def read_pb(cls, message: pb.RunStatusChanged) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "status": RunStatus.numbers.get(message.status, message.status),
            "attempt": message.attempt,
        }
        return data

    def to_pb(self) -> pb.RunStatusChanged:
        """Makes a protobuf message."""
        return pb.RunStatusChanged(
            status=self.status.number,
            attempt=self.attempt,
        )


class InputRequested(ProtoModel):
    """A run waits for a person."""

    __proto__: ClassVar = pb.InputRequested

    pending_input: PendingInput | None = Field(default=None, description="What it waits for.")

    @classmethod
    def read_pb(cls, message: pb.InputRequested) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("pending_input"):
            data["pending_input"] = PendingInput.read_pb(message.pending_input)
        return data

    def to_pb(self) -> pb.InputRequested:
        """Makes a protobuf message."""
        return pb.InputRequested(
            pending_input=None if self.pending_input is None else self.pending_input.to_pb(),
        )


class RunForked(ProtoModel):
    """A run started a sub-agent."""

    __proto__: ClassVar = pb.RunForked

    run_id: str = Field(default="", description="The sub-agent's run; its own events carry its id.")
    goal: str = Field(default="", description="What it is to reach.")
    depth: _t.Int32 = Field(default=0, description="How deep it is in its tree.")
    tool_call_id: str = Field(default="", description="The tool call that started it.")

    @classmethod
    def read_pb(cls, message: pb.RunForked) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "run_id": message.run_id,
            "goal": message.goal,
            "depth": message.depth,
            "tool_call_id": message.tool_call_id,
        }
        return data

    def to_pb(self) -> pb.RunForked:
        """Makes a protobuf message."""
        return pb.RunForked(
            run_id=self.run_id,
            goal=self.goal,
            depth=self.depth,
            tool_call_id=self.tool_call_id,
        )


class TodosChanged(ProtoModel):
    """A run's plan has changed."""

    __proto__: ClassVar = pb.TodosChanged

    todos: list[Todo] = Field(
        default_factory=list,
        description="The whole plan as it is now, in order; descriptions, results and errors are cut to 300 characters.",
    )

    @classmethod
    def read_pb(cls, message: pb.TodosChanged) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "todos": [Todo.read_pb(each) for each in message.todos],
        }
        return data

    def to_pb(self) -> pb.TodosChanged:
        """Makes a protobuf message."""
        return pb.TodosChanged(
            todos=[each.to_pb() for each in self.todos],
        )


class SessionChanged(ProtoModel):
    """A session changed; read it again."""

    __proto__: ClassVar = pb.SessionChanged
    __enums__: ClassVar = {
        "change": SessionChange,
    }

    change: SessionChange = Field(default=SessionChange.UNSPECIFIED, description="What changed.")
    head_message_id: _t.Int64 | None = Field(
        default=None, description="The last message of the branch that is shown now; empty when there is none."
    )
    checkpoint_id: _t.Int64 = Field(default=0, description="The checkpoint; 0 when it is about none.")
    forked_session_id: _t.Int32 = Field(
        default=0, description="The session that was begun with its messages; 0 when it is about none."
    )

    @classmethod
    def read_pb(cls, message: pb.SessionChanged) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "change": SessionChange.numbers.get(message.change, message.change),
            "checkpoint_id": message.checkpoint_id,
            "forked_session_id": message.forked_session_id,
        }
        if message.HasField("head_message_id"):
            data["head_message_id"] = message.head_message_id
        return data

    def to_pb(self) -> pb.SessionChanged:
        """Makes a protobuf message."""
        return pb.SessionChanged(
            change=self.change.number,
            head_message_id=self.head_message_id,
            checkpoint_id=self.checkpoint_id,
            forked_session_id=self.forked_session_id,
        )


class Source(ProtoModel):
    """One source of an answer."""

    __proto__: ClassVar = pb.Source

    number: _t.Int32 = Field(default=0, description="The number that the answer cites it by.")
    document_id: _t.Int64 = Field(default=0, description="The document.")
    title: str = Field(default="", description="The document's title.")
    chunk_id: str = Field(default="", description="The passage's identifier.")
    score: _t.Float = Field(default=0.0, description="How well it fits, between 0 and 1.")
    page: _t.Int32 | None = Field(default=None, description="The page, from 1; empty where there are none.")
    chunking_session: str = Field(default="", description="Names the processing whose text the passage is a part of.")
    start: _t.Int32 = Field(default=0, description="Where the passage begins in that text, in code points.")
    heading: list[str] = Field(default_factory=list, description="The headings that it stands under, outermost first.")
    language: str = Field(
        default="", description="ISO 639-1 code of its document's language; empty when it is not known."
    )

    @classmethod
    def read_pb(cls, message: pb.Source) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "number": message.number,
            "document_id": message.document_id,
            "title": message.title,
            "chunk_id": message.chunk_id,
            "score": message.score,
            "chunking_session": message.chunking_session,
            "start": message.start,
            "heading": list(message.heading),
            "language": message.language,
        }
        if message.HasField("page"):
            data["page"] = message.page
        return data

    def to_pb(self) -> pb.Source:
        """Makes a protobuf message."""
        return pb.Source(
            number=self.number,
            document_id=self.document_id,
            title=self.title,
            chunk_id=self.chunk_id,
            score=self.score,
            page=self.page,
            chunking_session=self.chunking_session,
            start=self.start,
            heading=self.heading,
            language=self.language,
        )


class SourcesFound(ProtoModel):
    """Sources that were found, numbered as the answer will cite them."""

    __proto__: ClassVar = pb.SourcesFound

    query: str = Field(default="", description="The query that found them.")
    sources: list[Source] = Field(default_factory=list, description="The sources, by number.")

    @classmethod
    def read_pb(cls, message: pb.SourcesFound) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "query": message.query,
            "sources": [Source.read_pb(each) for each in message.sources],
        }
        return data

    def to_pb(self) -> pb.SourcesFound:
        """Makes a protobuf message."""
        return pb.SourcesFound(
            query=self.query,
            sources=[each.to_pb() for each in self.sources],
        )


class RunFinished(ProtoModel):
    """A run has ended."""

    __proto__: ClassVar = pb.RunFinished
    __enums__: ClassVar = {
        "status": RunStatus,
    }

    status: RunStatus = Field(default=RunStatus.UNSPECIFIED, description="The final status.")
    message: ChatMessage | None = Field(default=None, description="The answer as stored, with its citations.")
    error: RunError | None = Field(default=None, description="What ended it early; empty otherwise.")
    prompt_tokens: _t.Int64 = Field(default=0, description="Tokens of all prompts.")
    completion_tokens: _t.Int64 = Field(default=0, description="Tokens of all answers.")
    duration_ms: _t.Int64 = Field(default=0, description="Milliseconds from start to end.")

    @classmethod
    def read_pb(cls, message: pb.RunFinished) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "status": RunStatus.numbers.get(message.status, message.status),
            "prompt_tokens": message.prompt_tokens,
            "completion_tokens": message.completion_tokens,
            "duration_ms": message.duration_ms,
        }
        if message.HasField("message"):
            data["message"] = ChatMessage.read_pb(message.message)
        if message.HasField("error"):
            data["error"] = RunError.read_pb(message.error)
        return data

    def to_pb(self) -> pb.RunFinished:
        """Makes a protobuf message."""
        return pb.RunFinished(
            status=self.status.number,
            message=None if self.message is None else self.message.to_pb(),
            error=None if self.error is None else self.error.to_pb(),
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            duration_ms=self.duration_ms,
        )


class MessageDelta(ProtoModel):
    """More text of a message."""

    __proto__: ClassVar = pb.MessageDelta

    message_id: _t.Int64 = Field(default=0, description="The message.")
    attempt: _t.Int32 = Field(
        default=0,
        description="Which worker's turn wrote it. A higher one than before: throw the text away and begin anew; a lower one: ignore.",
    )
    offset: _t.Int32 = Field(default=0, description="Where the text belongs, in code points from the beginning.")
    text: str = Field(default="", description="The text.")
    cited_sources: list[_t.Int32] = Field(
        default_factory=list,
        description="When the text cites a source for the first time: all sources that it cites so far, by their number in `SourcesFound`. The citation `[1]` is of the first of them.",
    )

    @classmethod
    def read_pb(cls, message: pb.MessageDelta) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "message_id": message.message_id,
            "attempt": message.attempt,
            "offset": message.offset,
            "text": message.text,
            "cited_sources": list(message.cited_sources),
        }
        return data

    def to_pb(self) -> pb.MessageDelta:
        """Makes a protobuf message."""
        return pb.MessageDelta(
            message_id=self.message_id,
            attempt=self.attempt,
            offset=self.offset,
            text=self.text,
            cited_sources=self.cited_sources,
        )


class MessageSnapshot(ProtoModel):
    """The whole text of a message so far."""

    __proto__: ClassVar = pb.MessageSnapshot

    message_id: _t.Int64 = Field(default=0, description="The message.")
    attempt: _t.Int32 = Field(default=0, description="Which worker's turn wrote it.")
    text: str = Field(default="", description="The text.")
    cited_sources: list[_t.Int32] = Field(
        default_factory=list,
        description="The sources that it cites so far, by their number in `SourcesFound`. The citation `[1]` is of the first of them.",
    )

    @classmethod
    def read_pb(cls, message: pb.MessageSnapshot) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "message_id": message.message_id,
            "attempt": message.attempt,
            "text": message.text,
            "cited_sources": list(message.cited_sources),
        }
        return data

    def to_pb(self) -> pb.MessageSnapshot:
        """Makes a protobuf message."""
        return pb.MessageSnapshot(
            message_id=self.message_id,
            attempt=self.attempt,
            text=self.text,
            cited_sources=self.cited_sources,
        )


class EventGap(ProtoModel):
    """Events are gone."""

    __proto__: ClassVar = pb.EventGap

    before: _t.Int64 = Field(default=0, description="The last event that is gone; what follows has a higher id.")

    @classmethod
    def read_pb(cls, message: pb.EventGap) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "before": message.before,
        }
        return data

    def to_pb(self) -> pb.EventGap:
        """Makes a protobuf message."""
        return pb.EventGap(
            before=self.before,
        )


class RunEvent(OneofModel):
    """Something that happened in a session. Stored ones have an id and are never lost; live ones (deltas, snapshots) have
    none.
    """

    __proto__: ClassVar = pb.RunEvent
    __enums__: ClassVar = {
        "kind": RunEventKind,
    }
    __oneofs__: ClassVar = {
        "detail": (
            "queued",
            "status",
            "step",
            "tool_call",
            "sources",
            "finished",
            "delta",
            "snapshot",
            "gap",
            "input_requested",
            "forked",
            "todos",
            "session_changed",
        )
    }

    id: _t.Int64 = Field(
        default=0,
        description="Identifier, rising within a session; 0 for live ones. Reconnect with the last one as `after`.",
    )
    chat_session_id: _t.Int32 = Field(default=0, description="The session.")
    run_id: str = Field(default="", description="The run; empty when it concerns the session.")
    kind: RunEventKind = Field(default=RunEventKind.UNSPECIFIED, description="What kind it is.")
    text: str = Field(default="", description="For people, one line; may be empty.")
    creation_date: _t.Timestamp | None = Field(default=None, description="When it happened; empty for live ones.")
    queued: RunQueued | None = Field(default=None, description="A question was stored and its run queued.")
    status: RunStatusChanged | None = Field(default=None, description="A run's status changed.")
    step: Step | None = Field(
        default=None, description="A step began that makes several calls, or whose prompt left something out."
    )
    tool_call: ToolCall | None = Field(default=None, description="A tool call began, went on or ended.")
    sources: SourcesFound | None = Field(default=None, description="Sources were found.")
    finished: RunFinished | None = Field(default=None, description="The run has ended.")
    delta: MessageDelta | None = Field(default=None, description="More text.")
    snapshot: MessageSnapshot | None = Field(default=None, description="The whole text so far.")
    gap: EventGap | None = Field(default=None, description="Events are gone.")
    input_requested: InputRequested | None = Field(default=None, description="The run waits for a person.")
    forked: RunForked | None = Field(default=None, description="The run started a sub-agent.")
    todos: TodosChanged | None = Field(default=None, description="The run's plan changed.")
    session_changed: SessionChanged | None = Field(default=None, description="The session changed.")

    @classmethod
    def read_pb(cls, message: pb.RunEvent) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "chat_session_id": message.chat_session_id,
            "run_id": message.run_id,
            "kind": RunEventKind.numbers.get(message.kind, message.kind),
            "text": message.text,
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("queued"):
            data["queued"] = RunQueued.read_pb(message.queued)
        if message.HasField("status"):
            data["status"] = RunStatusChanged.read_pb(message.status)
        if message.HasField("step"):
            data["step"] = Step.read_pb(message.step)
        if message.HasField("tool_call"):
            data["tool_call"] = ToolCall.read_pb(message.tool_call)
        if message.HasField("sources"):
            data["sources"] = SourcesFound.read_pb(message.sources)
        if message.HasField("finished"):
            data["finished"] = RunFinished.read_pb(message.finished)
        if message.HasField("delta"):
            data["delta"] = MessageDelta.read_pb(message.delta)
        if message.HasField("snapshot"):
            data["snapshot"] = MessageSnapshot.read_pb(message.snapshot)
        if message.HasField("gap"):
            data["gap"] = EventGap.read_pb(message.gap)
        if message.HasField("input_requested"):
            data["input_requested"] = InputRequested.read_pb(message.input_requested)
        if message.HasField("forked"):
            data["forked"] = RunForked.read_pb(message.forked)
        if message.HasField("todos"):
            data["todos"] = TodosChanged.read_pb(message.todos)
        if message.HasField("session_changed"):
            data["session_changed"] = SessionChanged.read_pb(message.session_changed)
        return data

    def to_pb(self) -> pb.RunEvent:
        """Makes a protobuf message."""
        return pb.RunEvent(
            id=self.id,
            chat_session_id=self.chat_session_id,
            run_id=self.run_id,
            kind=self.kind.number,
            text=self.text,
            creation_date=self.creation_date,
            queued=None if self.queued is None else self.queued.to_pb(),
            status=None if self.status is None else self.status.to_pb(),
            step=None if self.step is None else self.step.to_pb(),
            tool_call=None if self.tool_call is None else self.tool_call.to_pb(),
            sources=None if self.sources is None else self.sources.to_pb(),
            finished=None if self.finished is None else self.finished.to_pb(),
            delta=None if self.delta is None else self.delta.to_pb(),
            snapshot=None if self.snapshot is None else self.snapshot.to_pb(),
            gap=None if self.gap is None else self.gap.to_pb(),
            input_requested=None if self.input_requested is None else self.input_requested.to_pb(),
            forked=None if self.forked is None else self.forked.to_pb(),
            todos=None if self.todos is None else self.todos.to_pb(),
            session_changed=None if self.session_changed is None else self.session_changed.to_pb(),
        )


class GetRunRequest(ProtoModel):
    """Request of GetRun."""

    __proto__: ClassVar = pb.GetRunRequest

    id: _r.Uuid = Field(description="Which run.")

    @classmethod
    def read_pb(cls, message: pb.GetRunRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetRunRequest:
        """Makes a protobuf message."""
        return pb.GetRunRequest(
            id=self.id,
        )


class ListRunsRequest(ProtoModel):
    """Request of ListRuns."""

    __proto__: ClassVar = pb.ListRunsRequest
    __enums__: ClassVar = {
        "status": RunStatus,
    }

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(default=0, description="How many at most; 0 means 50.")
    page_token: str = Field(default="", description="Where to go on: `next_page_token` of the page before.")
    chat_session_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Only those of this session; 0 means all."
    )
    status: RunStatus = Field(
        default=RunStatus.UNSPECIFIED, description="Only those with this status; unset means all."
    )
    roots_only: bool = Field(default=False, description="Only roots, without the runs that they started.")

    @classmethod
    def read_pb(cls, message: pb.ListRunsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
            "chat_session_id": message.chat_session_id,
            "status": RunStatus.numbers.get(message.status, message.status),
            "roots_only": message.roots_only,
        }
        return data

    def to_pb(self) -> pb.ListRunsRequest:
        """Makes a protobuf message."""
        return pb.ListRunsRequest(
            page_size=self.page_size,
            page_token=self.page_token,
            chat_session_id=self.chat_session_id,
            status=self.status.number,
            roots_only=self.roots_only,
        )


class ListRunsResponse(ProtoModel):
    """Response of ListRuns."""

    __proto__: ClassVar = pb.ListRunsResponse

    runs: list[Run] = Field(default_factory=list, description="The runs, newest first.")
    next_page_token: str = Field(default="", description="For the next page; empty on the last.")

    @classmethod
    def read_pb(cls, message: pb.ListRunsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "runs": [Run.read_pb(each) for each in message.runs],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListRunsResponse:
        """Makes a protobuf message."""
        return pb.ListRunsResponse(
            runs=[each.to_pb() for each in self.runs],
            next_page_token=self.next_page_token,
        )


class CancelRunRequest(ProtoModel):
    """Request of CancelRun."""

    __proto__: ClassVar = pb.CancelRunRequest

    id: _r.Uuid = Field(description="Which run.")

    @classmethod
    def read_pb(cls, message: pb.CancelRunRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.CancelRunRequest:
        """Makes a protobuf message."""
        return pb.CancelRunRequest(
            id=self.id,
        )


class PauseRunRequest(ProtoModel):
    """Request of PauseRun."""

    __proto__: ClassVar = pb.PauseRunRequest

    id: _r.Uuid = Field(description="Which run.")

    @classmethod
    def read_pb(cls, message: pb.PauseRunRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.PauseRunRequest:
        """Makes a protobuf message."""
        return pb.PauseRunRequest(
            id=self.id,
        )


class ResumeRunRequest(ProtoModel):
    """Request of ResumeRun."""

    __proto__: ClassVar = pb.ResumeRunRequest

    id: _r.Uuid = Field(description="Which run.")

    @classmethod
    def read_pb(cls, message: pb.ResumeRunRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.ResumeRunRequest:
        """Makes a protobuf message."""
        return pb.ResumeRunRequest(
            id=self.id,
        )


class ProvideInputRequest(ProtoModel):
    """Request of ProvideInput."""

    __proto__: ClassVar = pb.ProvideInputRequest

    id: Annotated[str, Field(pattern="^([0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})?$")] = Field(
        default="", description="Which run; empty when its session is named."
    )
    chat_session_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Whose waiting run; 0 when the run itself is named."
    )
    content: Annotated[str, Field(min_length=1, max_length=100000)] = Field(description="The answer.")
    request_id: Annotated[str, Field(max_length=128)] = Field(
        default="",
        description="As in SendMessage: a repetition gives the run that the first one answered, and answers no other question.",
    )

    @classmethod
    def read_pb(cls, message: pb.ProvideInputRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "chat_session_id": message.chat_session_id,
            "content": message.content,
            "request_id": message.request_id,
        }
        return data

    def to_pb(self) -> pb.ProvideInputRequest:
        """Makes a protobuf message."""
        return pb.ProvideInputRequest(
            id=self.id,
            chat_session_id=self.chat_session_id,
            content=self.content,
            request_id=self.request_id,
        )


class ApproveToolCallRequest(ProtoModel):
    """Request of ApproveToolCall."""

    __proto__: ClassVar = pb.ApproveToolCallRequest

    id: _r.Uuid = Field(description="Which run.")
    tool_call_id: Annotated[str, Field(max_length=255)] = Field(
        default="", description="Which of its waiting calls; empty means all of them."
    )
    approved: bool = Field(default=False, description="True lets it happen, false declines it.")
    comment: Annotated[str, Field(max_length=10000)] = Field(
        default="", description="For the agent, why; may be empty."
    )

    @classmethod
    def read_pb(cls, message: pb.ApproveToolCallRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "tool_call_id": message.tool_call_id,
            "approved": message.approved,
            "comment": message.comment,
        }
        return data

    def to_pb(self) -> pb.ApproveToolCallRequest:
        """Makes a protobuf message."""
        return pb.ApproveToolCallRequest(
            id=self.id,
            tool_call_id=self.tool_call_id,
            approved=self.approved,
            comment=self.comment,
        )


class GetRunTreeRequest(ProtoModel):
    """Request of GetRunTree."""

    __proto__: ClassVar = pb.GetRunTreeRequest

    id: _r.Uuid = Field(description="Which run.")

    @classmethod
    def read_pb(cls, message: pb.GetRunTreeRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetRunTreeRequest:
        """Makes a protobuf message."""
        return pb.GetRunTreeRequest(
            id=self.id,
        )


class RunTree(ProtoModel):
    """A run and all runs below it."""

    __proto__: ClassVar = pb.RunTree

    runs: list[Run] = Field(
        default_factory=list,
        description="The runs, parents before their children, siblings in the order in which they were started.",
    )

    @classmethod
    def read_pb(cls, message: pb.RunTree) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "runs": [Run.read_pb(each) for each in message.runs],
        }
        return data

    def to_pb(self) -> pb.RunTree:
        """Makes a protobuf message."""
        return pb.RunTree(
            runs=[each.to_pb() for each in self.runs],
        )


class GetStepPromptRequest(ProtoModel):
    """Request of GetStepPrompt."""

    __proto__: ClassVar = pb.GetStepPromptRequest

    id: _r.Uuid = Field(description="Which run.")
    step_number: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which of its steps, from 1.")

    @classmethod
    def read_pb(cls, message: pb.GetStepPromptRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "step_number": message.step_number,
        }
        return data

    def to_pb(self) -> pb.GetStepPromptRequest:
        """Makes a protobuf message."""
        return pb.GetStepPromptRequest(
            id=self.id,
            step_number=self.step_number,
        )


class PromptMessage(ProtoModel):
    """One message of a prompt."""

    __proto__: ClassVar = pb.PromptMessage

    role: str = Field(default="", description="Who speaks: `system`, `user`, `assistant` or `tool`.")
    content: str = Field(default="", description="The text.")
    tool_calls: list[ToolCall] = Field(default_factory=list, description="The calls that the assistant asked for.")
    tool_call_id: str = Field(default="", description="Which call this is the result of; empty otherwise.")

    @classmethod
    def read_pb(cls, message: pb.PromptMessage) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "role": message.role,
            "content": message.content,
            "tool_calls": [ToolCall.read_pb(each) for each in message.tool_calls],
            "tool_call_id": message.tool_call_id,
        }
        return data

    def to_pb(self) -> pb.PromptMessage:
        """Makes a protobuf message."""
        return pb.PromptMessage(
            role=self.role,
            content=self.content,
            tool_calls=[each.to_pb() for each in self.tool_calls],
            tool_call_id=self.tool_call_id,
        )


class StepPrompt(ProtoModel):
    """The prompt of one step."""

    __proto__: ClassVar = pb.StepPrompt

    messages: list[PromptMessage] = Field(default_factory=list, description="Its messages in order.")
    omissions: PromptOmissions | None = Field(default=None, description="What it left out.")

    @classmethod
    def read_pb(cls, message: pb.StepPrompt) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "messages": [PromptMessage.read_pb(each) for each in message.messages],
        }
        if message.HasField("omissions"):
            data["omissions"] = PromptOmissions.read_pb(message.omissions)
        return data

    def to_pb(self) -> pb.StepPrompt:
        """Makes a protobuf message."""
        return pb.StepPrompt(
            messages=[each.to_pb() for each in self.messages],
            omissions=None if self.omissions is None else self.omissions.to_pb(),
        )


class DiscardStepRequest(ProtoModel):
    """Request of DiscardStep."""

    __proto__: ClassVar = pb.DiscardStepRequest

    id: _r.Uuid = Field(description="Which run.")
    step_number: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which of its steps, from 1.")
    discarded: bool = Field(default=False, description="True leaves it out, false puts it back.")

    @classmethod
    def read_pb(cls, message: pb.DiscardStepRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "step_number": message.step_number,
            "discarded": message.discarded,
        }
        return data

    def to_pb(self) -> pb.DiscardStepRequest:
        """Makes a protobuf message."""
        return pb.DiscardStepRequest(
            id=self.id,
            step_number=self.step_number,
            discarded=self.discarded,
        )


class ListStepsRequest(ProtoModel):
    """Request of ListSteps."""

    __proto__: ClassVar = pb.ListStepsRequest

    id: _r.Uuid = Field(description="Which run.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(default=0, description="How many at most; 0 means 50.")
    page_token: str = Field(default="", description="Where to go on: `next_page_token` of the page before.")

    @classmethod
    def read_pb(cls, message: pb.ListStepsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListStepsRequest:
        """Makes a protobuf message."""
        return pb.ListStepsRequest(
            id=self.id,
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListStepsResponse(ProtoModel):
    """Response of ListSteps."""

    __proto__: ClassVar = pb.ListStepsResponse

    steps: list[Step] = Field(default_factory=list, description="The steps in order.")
    next_page_token: str = Field(default="", description="For the next page; empty on the last.")

    @classmethod
    def read_pb(cls, message: pb.ListStepsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "steps": [Step.read_pb(each) for each in message.steps],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListStepsResponse:
        """Makes a protobuf message."""
        return pb.ListStepsResponse(
            steps=[each.to_pb() for each in self.steps],
            next_page_token=self.next_page_token,
        )


class StreamSessionEventsRequest(ProtoModel):
    """Request of StreamSessionEvents."""

    __proto__: ClassVar = pb.StreamSessionEventsRequest

    chat_session_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which session.")
    after: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0,
        description="The last event that the caller has; 0 means from the beginning. Over SSE, `Last-Event-ID` stands for it; of both, the later one counts.",
    )

    @classmethod
    def read_pb(cls, message: pb.StreamSessionEventsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "chat_session_id": message.chat_session_id,
            "after": message.after,
        }
        return data

    def to_pb(self) -> pb.StreamSessionEventsRequest:
        """Makes a protobuf message."""
        return pb.StreamSessionEventsRequest(
            chat_session_id=self.chat_session_id,
            after=self.after,
        )


class RunService(ABC):
    """Runs: what happens between a question and its answer."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["RunService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("GetRun", "get_run", GetRunRequest, Run),
        Method("ListRuns", "list_runs", ListRunsRequest, ListRunsResponse),
        Method("CancelRun", "cancel_run", CancelRunRequest, Run),
        Method("PauseRun", "pause_run", PauseRunRequest, Run),
        Method("ResumeRun", "resume_run", ResumeRunRequest, Run),
        Method("ProvideInput", "provide_input", ProvideInputRequest, Run),
        Method("ApproveToolCall", "approve_tool_call", ApproveToolCallRequest, Run),
        Method("GetRunTree", "get_run_tree", GetRunTreeRequest, RunTree),
        Method("GetStepPrompt", "get_step_prompt", GetStepPromptRequest, StepPrompt),
        Method("DiscardStep", "discard_step", DiscardStepRequest, Step),
        Method("ListSteps", "list_steps", ListStepsRequest, ListStepsResponse),
        Method("StreamSessionEvents", "stream_session_events", StreamSessionEventsRequest, RunEvent, streams=True),
    )

    @abstractmethod
    async def get_run(self, request: GetRunRequest, call: CallContext) -> Run:
        """Reads one run. Errors: NOT_FOUND."""

    @abstractmethod
    async def list_runs(self, request: ListRunsRequest, call: CallContext) -> ListRunsResponse:
        """Lists the caller's runs, newest first."""

    @abstractmethod
    async def cancel_run(self, request: CancelRunRequest, call: CallContext) -> Run:
        """Ends a run: one's own, or with `superadmin` anybody's, which is audited. The text written so far stays. A run that is
        finished already is returned as it is. Errors: NOT_FOUND.
        """

    @abstractmethod
    async def pause_run(self, request: PauseRunRequest, call: CallContext) -> Run:
        """Pauses a run at its next step. Errors: NOT_FOUND, RUN_STATE."""

    @abstractmethod
    async def resume_run(self, request: ResumeRunRequest, call: CallContext) -> Run:
        """Lets a paused run go on, on any worker, or takes back a pause that waits for the step's end. Errors: NOT_FOUND,
        RUN_STATE.
        """

    @abstractmethod
    async def provide_input(self, request: ProvideInputRequest, call: CallContext) -> Run:
        """Gives a waiting run what it asked for, so that it goes on. Named by its session, it is the session's only waiting
        run, or the one nearest to the root among several. Errors: NOT_FOUND, RUN_STATE, VALIDATION_FAILED (the run is of
        another session).
        """

    @abstractmethod
    async def approve_tool_call(self, request: ApproveToolCallRequest, call: CallContext) -> Run:
        """Allows or declines a tool call that waits for approval; the run goes on when no other call of its step waits.
        Errors: NOT_FOUND, RUN_STATE.
        """

    @abstractmethod
    async def get_run_tree(self, request: GetRunTreeRequest, call: CallContext) -> RunTree:
        """Reads a run with all runs below it, parents first. Errors: NOT_FOUND."""

    @abstractmethod
    async def get_step_prompt(self, request: GetStepPromptRequest, call: CallContext) -> StepPrompt:
        """Reads the whole prompt that one step sent to the model, as it was sent. For who asked alone, as it may hold what
        others may not read. Errors: NOT_FOUND, PERMISSION_DENIED.
        """

    @abstractmethod
    async def discard_step(self, request: DiscardStepRequest, call: CallContext) -> Step:
        """Takes a step out of the prompts of the run's later steps, or puts it back; it stays readable, and an event tells of
        it. Errors: NOT_FOUND, RUN_STATE (the run is over, or a worker is at it: pause it first).
        """

    @abstractmethod
    async def list_steps(self, request: ListStepsRequest, call: CallContext) -> ListStepsResponse:
        """Lists a run's steps with their tool calls, in order. Errors: NOT_FOUND."""

    @abstractmethod
    def stream_session_events(
        self, request: StreamSessionEventsRequest, call: CallContext
    ) -> AsyncIterator[RunEvent | pb.RunEvent]:
        """Streams a session's events: every stored one after `after`, in order, exactly once; then the text of a message
        that is being written; then what happens. Goes on until the caller leaves, or it ends with an error.
        Errors: NOT_FOUND (also once the session is removed), SLOW_READER (go on after the last event), UNAUTHENTICATED (the
        credential has ended), DEPENDENCY_UNAVAILABLE (EchoMind stops, or a part of it does not answer: connect again),
        OVERLOADED (too many streams are open).
        """
