"""The steps of a run and the tool calls in them.

Generated from echomind/public/v1/step.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import step_pb2 as pb


class StepAction(ProtoEnum):
    """What a step did."""

    UNSPECIFIED = "STEP_ACTION_UNSPECIFIED", 0
    """Unspecified."""
    CALL_TOOL = "STEP_ACTION_CALL_TOOL", 1
    """Called one tool."""
    CALL_TOOLS_PARALLEL = "STEP_ACTION_CALL_TOOLS_PARALLEL", 2
    """Called several tools at once."""
    DELEGATE = "STEP_ACTION_DELEGATE", 3
    """Handed work to sub-agents."""
    ASK_USER = "STEP_ACTION_ASK_USER", 4
    """Asked a person."""
    PLAN = "STEP_ACTION_PLAN", 5
    """Planned."""
    RETRIEVE = "STEP_ACTION_RETRIEVE", 6
    """Searched documents before the model was asked."""
    ANSWER = "STEP_ACTION_ANSWER", 7
    """Answered."""


class StepStatus(ProtoEnum):
    """How a step or a tool call went."""

    UNSPECIFIED = "STEP_STATUS_UNSPECIFIED", 0
    """Unspecified."""
    PENDING = "STEP_STATUS_PENDING", 1
    """Not begun."""
    RUNNING = "STEP_STATUS_RUNNING", 2
    """Under way."""
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
    """Whether a person has approved a tool call."""

    UNSPECIFIED = "TOOL_APPROVAL_UNSPECIFIED", 0
    """Nobody needs to be asked."""
    REQUIRED = "TOOL_APPROVAL_REQUIRED", 1
    """Waits for a person."""
    GRANTED = "TOOL_APPROVAL_GRANTED", 2
    """Approved."""
    DENIED = "TOOL_APPROVAL_DENIED", 3
    """Denied; the call is not made."""


class ToolCall(ProtoModel):
    """One call of a tool."""

    __proto__: ClassVar = pb.ToolCall
    __enums__: ClassVar = {
        "status": StepStatus,
        "approval": ToolApproval,
    }

    id: _t.Int64 = Field(default=0, description="Identifier.")
    tool_call_id: str = Field(default="", description="The model's identifier for it, unique in its step.")
    tool_name: str = Field(default="", description="The tool.")
    parameters: _t.Struct | None = Field(default=None, description="What it was called with.")
    status: StepStatus = Field(default=StepStatus.UNSPECIFIED, description="How it went.")
    result: str = Field(default="", description="What it gave, as the model saw it.")
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
    approval: ToolApproval = Field(default=ToolApproval.UNSPECIFIED, description="Whether a person has approved it.")
    external_task_id: str = Field(
        default="",
        description="What it started elsewhere: the id of a sub-agent's run, or of a task at another service; empty otherwise.",
    )
    external_status: str = Field(default="", description="How that is, in its own words; empty otherwise.")
    retry_count: _t.Int32 = Field(default=0, description="How often it was tried again.")
    max_retries: _t.Int32 = Field(default=0, description="How often it may be tried again.")
    approval_comment: str = Field(
        default="", description="The comment of the person who approved or denied it; may be empty."
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

    id: _t.Int64 = Field(default=0, description="Identifier.")
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
    excluded: bool = Field(default=False, description="Whether it is left out of the prompts of later steps.")
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
            "excluded": message.excluded,
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
            excluded=self.excluded,
            omissions=None if self.omissions is None else self.omissions.to_pb(),
        )


class RequestedToolCall(ProtoModel):
    """A call that a model asks for."""

    __proto__: ClassVar = pb.RequestedToolCall

    tool_call_id: str = Field(default="", description="The model's identifier for it, unique in its step.")
    tool_name: str = Field(default="", description="The tool.")
    parameters: _t.Struct | None = Field(default=None, description="What it is called with.")

    @classmethod
    def read_pb(cls, message: pb.RequestedToolCall) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "tool_call_id": message.tool_call_id,
            "tool_name": message.tool_name,
        }
        if message.HasField("parameters"):
            data["parameters"] = _t.from_struct(message.parameters)
        return data

    def to_pb(self) -> pb.RequestedToolCall:
        """Makes a protobuf message."""
        return pb.RequestedToolCall(
            tool_call_id=self.tool_call_id,
            tool_name=self.tool_name,
            parameters=self.parameters,
        )


class PromptMessage(ProtoModel):
    """One message of a prompt."""

    __proto__: ClassVar = pb.PromptMessage

    role: str = Field(default="", description="Who speaks: `system`, `user`, `assistant` or `tool`.")
    content: str = Field(default="", description="The text.")
    tool_calls: list[RequestedToolCall] = Field(
        default_factory=list, description="The calls that the assistant asked for."
    )
    tool_call_id: str = Field(default="", description="Which call this is the result of; empty otherwise.")

    @classmethod
    def read_pb(cls, message: pb.PromptMessage) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "role": message.role,
            "content": message.content,
            "tool_calls": [RequestedToolCall.read_pb(each) for each in message.tool_calls],
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
