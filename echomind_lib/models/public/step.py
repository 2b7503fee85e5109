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


class StepType(ProtoEnum):
    """What a step was for."""

    UNSPECIFIED = "STEP_TYPE_UNSPECIFIED", 0
    """Unspecified."""
    PLANNER = "STEP_TYPE_PLANNER", 1
    """To prepare the work: to retrieve documents first, or to make a plan."""
    ACTION = "STEP_TYPE_ACTION", 2
    """To act by tools."""
    SYNTHESIZER = "STEP_TYPE_SYNTHESIZER", 3
    """To write the answer from what the steps before it found."""


class StepAction(ProtoEnum):
    """What a step did."""

    UNSPECIFIED = "STEP_ACTION_UNSPECIFIED", 0
    """Unspecified."""
    CALL_TOOL = "STEP_ACTION_CALL_TOOL", 1
    """Called a tool."""
    CALL_TOOLS_PARALLEL = "STEP_ACTION_CALL_TOOLS_PARALLEL", 2
    """Called several tools in parallel."""
    DELEGATE = "STEP_ACTION_DELEGATE", 3
    """Delegated to sub-agents."""
    ASK_USER = "STEP_ACTION_ASK_USER", 4
    """Asked a person."""
    PLAN = "STEP_ACTION_PLAN", 5
    """Planned."""
    RETRIEVE = "STEP_ACTION_RETRIEVE", 6
    """Retrieved documents before the model was called."""
    ANSWER = "STEP_ACTION_ANSWER", 7
    """Answered."""


class StepStatus(ProtoEnum):
    """Status of a step or a tool call."""

    UNSPECIFIED = "STEP_STATUS_UNSPECIFIED", 0
    """Unspecified."""
    PENDING = "STEP_STATUS_PENDING", 1
    """Not started."""
    RUNNING = "STEP_STATUS_RUNNING", 2
    """Running."""
    COMPLETED = "STEP_STATUS_COMPLETED", 3
    """Completed."""
    FAILED = "STEP_STATUS_FAILED", 4
    """Failed; `error_message` says why."""
    TIMEOUT = "STEP_STATUS_TIMEOUT", 5
    """Timed out."""
    CANCELLED = "STEP_STATUS_CANCELLED", 6
    """Cancelled, because its result is not needed."""


class WaitStrategy(ProtoEnum):
    """Which results a step with several calls waits for; calls that are no longer needed are cancelled. A step with a call
    that has a side effect waits for all of them.
    """

    UNSPECIFIED = "WAIT_STRATEGY_UNSPECIFIED", 0
    """As WAIT_STRATEGY_ALL."""
    ALL = "WAIT_STRATEGY_ALL", 1
    """All of them."""
    ANY = "WAIT_STRATEGY_ANY", 2
    """The first that succeeds."""
    MAJORITY = "WAIT_STRATEGY_MAJORITY", 3
    """More than half."""


class ParallelStatus(ProtoEnum):
    """Progress of the calls of a parallel step."""

    UNSPECIFIED = "PARALLEL_STATUS_UNSPECIFIED", 0
    """Not a parallel step."""
    WAITING = "PARALLEL_STATUS_WAITING", 1
    """No call has ended."""
    PARTIAL = "PARALLEL_STATUS_PARTIAL", 2
    """Some calls have ended."""
    COMPLETED = "PARALLEL_STATUS_COMPLETED", 3
    """The calls that it waits for have ended."""


class ToolApproval(ProtoEnum):
    """Approval status of a tool call."""

    UNSPECIFIED = "TOOL_APPROVAL_UNSPECIFIED", 0
    """No approval required."""
    REQUIRED = "TOOL_APPROVAL_REQUIRED", 1
    """Waiting for approval."""
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
    tool_call_id: str = Field(default="", description="ID of the call, set by the model and unique in its step.")
    tool_name: str = Field(default="", description="The tool.")
    parameters: _t.Struct | None = Field(default=None, description="Its arguments.")
    status: StepStatus = Field(default=StepStatus.UNSPECIFIED, description="Status.")
    result: str = Field(default="", description="Its result as the model sees it.")
    error_message: str = Field(default="", description="The error message; empty if it did not fail.")
    progress_percentage: _t.Int32 = Field(default=0, description="Progress in percent, 0 to 100.")
    status_message: str = Field(default="", description="Progress message; may be empty.")
    started_at: _t.Timestamp | None = Field(default=None, description="Start time; empty before the start.")
    completed_at: _t.Timestamp | None = Field(default=None, description="End time; empty before the end.")
    execution_duration_ms: _t.Int32 = Field(default=0, description="Duration in milliseconds.")
    side_effect: bool = Field(
        default=False,
        description="Whether it has side effects outside EchoMind; such a call is never retried automatically.",
    )
    approval: ToolApproval = Field(default=ToolApproval.UNSPECIFIED, description="Approval status.")
    external_task_id: str = Field(
        default="",
        description="ID of what it started: the run of a sub-agent, or a task at another service; empty otherwise.",
    )
    external_status: str = Field(
        default="", description="Status of that task, as the service reports it; empty otherwise."
    )
    retry_count: _t.Int32 = Field(default=0, description="Number of retries.")
    max_retries: _t.Int32 = Field(default=0, description="Maximum number of retries.")
    approval_comment: str = Field(
        default="", description="Comment of the person who approved or denied it; may be empty."
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
    """What the prompt of a step omitted to fit the model's context window."""

    __proto__: ClassVar = pb.PromptOmissions

    messages: _t.Int32 = Field(
        default=0, description="Number of earlier messages of the session that are not in the prompt."
    )
    summarized_messages: _t.Int32 = Field(
        default=0, description="Number of earlier messages that are in the prompt only as a summary."
    )
    steps: list[_t.Int32] = Field(
        default_factory=list, description="Numbers of earlier steps of the run that were reduced to one line."
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
    """A step of a run: a prompt, the model's output, and the tool calls."""

    __proto__: ClassVar = pb.Step
    __enums__: ClassVar = {
        "action": StepAction,
        "status": StepStatus,
        "wait_strategy": WaitStrategy,
        "parallel_status": ParallelStatus,
        "step_type": StepType,
    }

    id: _t.Int64 = Field(default=0, description="Identifier.")
    run_id: str = Field(default="", description="ID of the run.")
    step_number: _t.Int32 = Field(default=0, description="Number of the step in the run, starting at 1.")
    action: StepAction = Field(default=StepAction.UNSPECIFIED, description="What it did.")
    status: StepStatus = Field(default=StepStatus.UNSPECIFIED, description="Status.")
    llm_model: str = Field(default="", description="Name of the model.")
    reasoning: str = Field(default="", description="Reasoning of the model; may be empty.")
    output: str = Field(default="", description="Output of the model.")
    error_message: str = Field(default="", description="The error message; empty if it did not fail.")
    prompt_tokens: _t.Int32 = Field(default=0, description="Prompt tokens.")
    completion_tokens: _t.Int32 = Field(default=0, description="Completion tokens.")
    tool_calls: list[ToolCall] = Field(default_factory=list, description="Its tool calls.")
    started_at: _t.Timestamp | None = Field(default=None, description="Start time.")
    completed_at: _t.Timestamp | None = Field(default=None, description="End time; empty before the end.")
    execution_duration_ms: _t.Int32 = Field(default=0, description="Duration in milliseconds.")
    wait_strategy: WaitStrategy = Field(
        default=WaitStrategy.UNSPECIFIED, description="Which results it waits for; unset unless it has several calls."
    )
    parallel_status: ParallelStatus = Field(
        default=ParallelStatus.UNSPECIFIED, description="Progress of its calls; unset unless it has several calls."
    )
    excluded: bool = Field(default=False, description="Whether it is excluded from the prompts of later steps.")
    omissions: PromptOmissions | None = Field(default=None, description="What its prompt omitted; unset for nothing.")
    step_type: StepType = Field(default=StepType.UNSPECIFIED, description="What it was for.")

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
            "step_type": StepType.numbers.get(message.step_type, message.step_type),
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
            step_type=self.step_type.number,
        )


class RequestedToolCall(ProtoModel):
    """A tool call requested by a model."""

    __proto__: ClassVar = pb.RequestedToolCall

    tool_call_id: str = Field(default="", description="ID of the call, set by the model and unique in its step.")
    tool_name: str = Field(default="", description="The tool.")
    parameters: _t.Struct | None = Field(default=None, description="Its arguments.")

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
    """A message of a prompt."""

    __proto__: ClassVar = pb.PromptMessage

    role: str = Field(default="", description="Role: `system`, `user`, `assistant` or `tool`.")
    content: str = Field(default="", description="The text.")
    tool_calls: list[RequestedToolCall] = Field(
        default_factory=list, description="The calls that the assistant requested."
    )
    tool_call_id: str = Field(default="", description="ID of the call that this is the result of; empty otherwise.")

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
    """The prompt of a step."""

    __proto__: ClassVar = pb.StepPrompt

    messages: list[PromptMessage] = Field(default_factory=list, description="Its messages in order.")
    omissions: PromptOmissions | None = Field(default=None, description="What it omitted.")

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
