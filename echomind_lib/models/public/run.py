"""

Generated from echomind/public/v1/run.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.step import WaitStrategy
from echomind_lib.pb.echomind.public.v1 import run_pb2 as pb


class RunKind(ProtoEnum):
    """What part a run has in a run tree."""

    UNSPECIFIED = "RUN_KIND_UNSPECIFIED", 0
    """Unspecified."""
    AGENT = "RUN_KIND_AGENT", 1
    """One assistant answers."""
    TEAM = "RUN_KIND_TEAM", 2
    """A team's leader."""
    MEMBER = "RUN_KIND_MEMBER", 3
    """A member that a team's leader delegates to."""
    SUB_AGENT = "RUN_KIND_SUB_AGENT", 4
    """A sub-agent."""


class RunStatus(ProtoEnum):
    """How far a run is."""

    UNSPECIFIED = "RUN_STATUS_UNSPECIFIED", 0
    """Unspecified; in a filter: any."""
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
    """Unspecified."""
    CLARIFICATION = "PENDING_INPUT_KIND_CLARIFICATION", 1
    """The agent asked a question; ProvideInput answers it."""
    APPROVAL = "PENDING_INPUT_KIND_APPROVAL", 2
    """Tool calls wait for approval; ApproveToolCall decides."""
    OUTCOME = "PENDING_INPUT_KIND_OUTCOME", 3
    """A tool with a side effect was cut off and nobody knows whether it took effect; ProvideInput says what is known."""


class RunError(ProtoModel):
    """What ended a run early."""

    __proto__: ClassVar = pb.RunError

    reason: str = Field(
        default="",
        description="A word for programs. Of limits: MAX_STEPS, MAX_TOKENS, MAX_COST, TIMEOUT; INTERRUPTED (its workers died too often). Of a goal: GOAL_NOT_REACHED (todos are still open, or the agent has said that it cannot be reached; `message` names what is not done). Of the question: QUESTION_TOO_LONG (alone too long for the model's window). Of the model: LLM_UNAVAILABLE (there is none, or it does not answer), LLM_RATE_LIMITED (too many requests or tokens for now), LLM_QUOTA_EXHAUSTED (the account has no credit), LLM_AUTH_FAILED (its API key), LLM_BAD_REQUEST (its server refuses the request), LLM_CONTEXT_TOO_LONG (prompt and answer do not fit), LLM_CONTENT_FILTERED (the provider withheld prompt or answer), LLM_STREAM_BROKEN (the answer was cut off or cannot be read), LLM_ERROR (anything else), EMPTY_ANSWER (it said nothing). Of EchoMind: INTERNAL (a fault; the agent's log says more), or another word of `ErrorReason`, such as DEPENDENCY_UNAVAILABLE (a part did not answer, several times).",
    )
    message: str = Field(default="", description="What happened and what to do.")
    detail: str = Field(
        default="",
        description="What whoever runs EchoMind needs besides, such as the address of the model's server. Runs that superadmins read have it; for everybody else, and in events, it is empty.",
    )

    @classmethod
    def read_pb(cls, message: pb.RunError) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "reason": message.reason,
            "message": message.message,
            "detail": message.detail,
        }
        return data

    def to_pb(self) -> pb.RunError:
        """Makes a protobuf message."""
        return pb.RunError(
            reason=self.reason,
            message=self.message,
            detail=self.detail,
        )


class PendingToolCall(ProtoModel):
    """A tool call that waits for a person."""

    __proto__: ClassVar = pb.PendingToolCall

    tool_call_id: str = Field(default="", description="The model's identifier for it, unique in its step.")
    tool_name: str = Field(default="", description="The tool.")
    parameters: _t.Struct | None = Field(default=None, description="What it is called with.")
    side_effect: bool = Field(default=False, description="Whether it changes something outside EchoMind.")

    @classmethod
    def read_pb(cls, message: pb.PendingToolCall) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "tool_call_id": message.tool_call_id,
            "tool_name": message.tool_name,
            "side_effect": message.side_effect,
        }
        if message.HasField("parameters"):
            data["parameters"] = _t.from_struct(message.parameters)
        return data

    def to_pb(self) -> pb.PendingToolCall:
        """Makes a protobuf message."""
        return pb.PendingToolCall(
            tool_call_id=self.tool_call_id,
            tool_name=self.tool_name,
            parameters=self.parameters,
            side_effect=self.side_effect,
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
    tool_calls: list[PendingToolCall] = Field(
        default_factory=list, description="The tool calls that it is about, as far as they wait."
    )
    asked_by: str = Field(default="", description="The name of the member that asks; empty unless one does.")

    @classmethod
    def read_pb(cls, message: pb.PendingInput) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "kind": PendingInputKind.numbers.get(message.kind, message.kind),
            "question": message.question,
            "options": list(message.options),
            "tool_calls": [PendingToolCall.read_pb(each) for each in message.tool_calls],
            "asked_by": message.asked_by,
        }
        return data

    def to_pb(self) -> pb.PendingInput:
        """Makes a protobuf message."""
        return pb.PendingInput(
            kind=self.kind.number,
            question=self.question,
            options=self.options,
            tool_calls=[each.to_pb() for each in self.tool_calls],
            asked_by=self.asked_by,
        )


class RunOptions(ProtoModel):
    """How a run is to work. What is not set comes from the session's preferences, then from the assistant."""

    __proto__: ClassVar = pb.RunOptions
    __enums__: ClassVar = {
        "wait_strategy": WaitStrategy,
    }

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
    llm_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0,
        description="Which chat model answers; 0 means the assistant's. Of a session's preferences, one that was removed or deactivated counts as 0.",
    )
    wait_strategy: WaitStrategy = Field(
        default=WaitStrategy.UNSPECIFIED,
        description="Which results a step with several calls waits for, where the model does not say it; unset means as the assistant says.",
    )

    @classmethod
    def read_pb(cls, message: pb.RunOptions) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "max_steps": message.max_steps,
            "timeout_seconds": message.timeout_seconds,
            "max_run_tokens": message.max_run_tokens,
            "max_cost": message.max_cost,
            "llm_id": message.llm_id,
            "wait_strategy": WaitStrategy.numbers.get(message.wait_strategy, message.wait_strategy),
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
            llm_id=self.llm_id,
            wait_strategy=self.wait_strategy.number,
        )


class Decision(ProtoModel):
    """What a person decided on a tool call, or answered to a run."""

    __proto__: ClassVar = pb.Decision
    __enums__: ClassVar = {
        "kind": PendingInputKind,
    }

    kind: PendingInputKind = Field(default=PendingInputKind.UNSPECIFIED, description="What it was about.")
    step_number: _t.Int32 = Field(default=0, description="The step that the call is of.")
    tool_call_id: str = Field(default="", description="The model's identifier for the call, unique in its step.")
    tool_name: str = Field(default="", description="The tool.")
    parameters: _t.Struct | None = Field(default=None, description="What it was called with.")
    approved: bool = Field(
        default=False, description="Whether the call was approved; false for denied calls, and for answers."
    )
    text: str = Field(default="", description="The comment on the decision, or the answer; may be empty.")
    decided_by: str = Field(default="", description="The name of the person; empty when it is not known.")
    decision_date: _t.Timestamp | None = Field(
        default=None, description="When they decided; empty when it is not known."
    )

    @classmethod
    def read_pb(cls, message: pb.Decision) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "kind": PendingInputKind.numbers.get(message.kind, message.kind),
            "step_number": message.step_number,
            "tool_call_id": message.tool_call_id,
            "tool_name": message.tool_name,
            "approved": message.approved,
            "text": message.text,
            "decided_by": message.decided_by,
        }
        if message.HasField("parameters"):
            data["parameters"] = _t.from_struct(message.parameters)
        if message.HasField("decision_date"):
            data["decision_date"] = message.decision_date.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.Decision:
        """Makes a protobuf message."""
        return pb.Decision(
            kind=self.kind.number,
            step_number=self.step_number,
            tool_call_id=self.tool_call_id,
            tool_name=self.tool_name,
            parameters=self.parameters,
            approved=self.approved,
            text=self.text,
            decided_by=self.decided_by,
            decision_date=self.decision_date,
        )


class Run(ProtoModel):
    """One run."""

    __proto__: ClassVar = pb.Run
    __enums__: ClassVar = {
        "kind": RunKind,
        "status": RunStatus,
        "wait_strategy": WaitStrategy,
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
    decisions: list[Decision] = Field(
        default_factory=list,
        description="What people decided and answered in it, in order; empty unless the run is the reader's own.",
    )
    user_id: _t.Int32 = Field(default=0, description="Whose question it answers.")
    assistant_version: _t.Int32 = Field(
        default=0,
        description="The version of its assistant that it began with, see ListAssistantVersions; until it begins, the one when it was asked. 0 for a draft.",
    )
    time_to_first_token_ms: _t.Int32 = Field(
        default=0,
        description="Milliseconds from when a worker first had it until its model began to answer; 0 until then.",
    )
    assistant_name: str = Field(
        default="", description="The name of its assistant; of a member the one by which it is known in its team."
    )
    wait_strategy: WaitStrategy = Field(
        default=WaitStrategy.UNSPECIFIED,
        description="Which results its steps with several calls wait for, where the model does not say it; unset means as the assistant says.",
    )
    inherited_context: str = Field(
        default="",
        description="What the run that started it told it of the conversation: all of a short one, a short form of a long one. Empty for a root, and for runs that are not the reader's own.",
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
            "decisions": [Decision.read_pb(each) for each in message.decisions],
            "user_id": message.user_id,
            "assistant_version": message.assistant_version,
            "time_to_first_token_ms": message.time_to_first_token_ms,
            "assistant_name": message.assistant_name,
            "wait_strategy": WaitStrategy.numbers.get(message.wait_strategy, message.wait_strategy),
            "inherited_context": message.inherited_context,
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
            decisions=[each.to_pb() for each in self.decisions],
            user_id=self.user_id,
            assistant_version=self.assistant_version,
            time_to_first_token_ms=self.time_to_first_token_ms,
            assistant_name=self.assistant_name,
            wait_strategy=self.wait_strategy.number,
            inherited_context=self.inherited_context,
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
