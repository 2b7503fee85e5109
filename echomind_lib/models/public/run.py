"""

Generated from echomind/public/v1/run.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.step import WaitStrategy
from echomind_lib.pb.echomind.public.v1 import run_pb2 as pb


class RunKind(ProtoEnum):
    """Role of a run in its tree."""

    UNSPECIFIED = "RUN_KIND_UNSPECIFIED", 0
    """Unspecified."""
    AGENT = "RUN_KIND_AGENT", 1
    """A run of one assistant."""
    TEAM = "RUN_KIND_TEAM", 2
    """The run of a team's leader."""
    MEMBER = "RUN_KIND_MEMBER", 3
    """The run of a team member."""
    SUB_AGENT = "RUN_KIND_SUB_AGENT", 4
    """The run of a sub-agent."""


class RunStatus(ProtoEnum):
    """Status of a run."""

    UNSPECIFIED = "RUN_STATUS_UNSPECIFIED", 0
    """Unspecified; in a filter: any."""
    QUEUED = "RUN_STATUS_QUEUED", 1
    """Waiting for a worker. Users take turns; of a user's runs, questions come before goals."""
    RUNNING = "RUN_STATUS_RUNNING", 2
    """Executed by a worker."""
    WAITING_FOR_INPUT = "RUN_STATUS_WAITING_FOR_INPUT", 3
    """Waiting for a person."""
    WAITING_FOR_CHILDREN = "RUN_STATUS_WAITING_FOR_CHILDREN", 4
    """Waiting for its sub-runs."""
    PAUSED = "RUN_STATUS_PAUSED", 5
    """Paused."""
    COMPLETED = "RUN_STATUS_COMPLETED", 6
    """Completed with an answer."""
    FAILED = "RUN_STATUS_FAILED", 7
    """Ended with an error."""
    CANCELLED = "RUN_STATUS_CANCELLED", 8
    """Cancelled."""
    TIMEOUT = "RUN_STATUS_TIMEOUT", 9
    """Ended by its timeout."""


class PendingInputKind(ProtoEnum):
    """What a run waits for."""

    UNSPECIFIED = "PENDING_INPUT_KIND_UNSPECIFIED", 0
    """Unspecified."""
    CLARIFICATION = "PENDING_INPUT_KIND_CLARIFICATION", 1
    """The agent asked a clarifying question; ProvideInput answers it."""
    APPROVAL = "PENDING_INPUT_KIND_APPROVAL", 2
    """Tool calls wait for approval; ApproveToolCall approves or denies them."""
    OUTCOME = "PENDING_INPUT_KIND_OUTCOME", 3
    """A tool call with a side effect was interrupted, was not answered in time, or failed, and its outcome is unknown;
    ProvideInput reports it.
    """


class InputFieldType(ProtoEnum):
    """What a field of a form takes."""

    UNSPECIFIED = "INPUT_FIELD_TYPE_UNSPECIFIED", 0
    """Unspecified."""
    STRING = "INPUT_FIELD_TYPE_STRING", 1
    """A text."""
    NUMBER = "INPUT_FIELD_TYPE_NUMBER", 2
    """A number."""
    INTEGER = "INPUT_FIELD_TYPE_INTEGER", 3
    """A whole number."""
    BOOLEAN = "INPUT_FIELD_TYPE_BOOLEAN", 4
    """Yes or no."""
    ARRAY = "INPUT_FIELD_TYPE_ARRAY", 5
    """Several texts."""


class RunError(ProtoModel):
    """The error that ended a run."""

    __proto__: ClassVar = pb.RunError

    reason: str = Field(
        default="",
        description="A code. Limits: MAX_STEPS, MAX_TOKENS, MAX_COST, TIMEOUT; QUOTA_EXCEEDED (the person, the API key, one of the person's groups or the organization has used up a quota; `message` says when it renews); INTERRUPTED (its workers died too often). Goals: GOAL_NOT_REACHED (todos are open, or the agent reported that the goal cannot be reached; `message` lists what is not done). Question: QUESTION_TOO_LONG (exceeds the model's context window by itself). Notebook, which answers only from its sources: NOTEBOOK_EMPTY (it has none), NOTEBOOK_NOT_READY (they are still being processed), NOTEBOOK_UNREADABLE (the asker may read none of them, or processing failed). Model: LLM_UNAVAILABLE (there is none, or it does not answer), LLM_RATE_LIMITED (rate limit exceeded), LLM_QUOTA_EXHAUSTED (the account has no credit), LLM_AUTH_FAILED (invalid API key), LLM_BAD_REQUEST (its server rejects the request), LLM_CONTEXT_TOO_LONG (prompt and answer do not fit), LLM_CONTENT_FILTERED (the provider withheld prompt or answer), LLM_STREAM_BROKEN (the answer was cut off or cannot be read), LLM_SEARCH_FAILED (the built-in model could not search the documents), LLM_ERROR (anything else), EMPTY_ANSWER (no text). EchoMind: INTERNAL (an error; see the agent's log), or another value of `ErrorReason`, such as DEPENDENCY_UNAVAILABLE (a server did not answer several times).",
    )
    message: str = Field(default="", description="What happened and what to do.")
    detail: str = Field(
        default="",
        description="Details for operators, such as the address of the model's server. Only in runs that superadmins read; otherwise, and in events, empty.",
    )
    retry_at: _t.Timestamp | None = Field(
        default=None,
        description="When asking again can succeed: the quota's renewal after QUOTA_EXCEEDED, or the time that the model's server named after LLM_RATE_LIMITED. Empty if unknown.",
    )

    @classmethod
    def read_pb(cls, message: pb.RunError) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "reason": message.reason,
            "message": message.message,
            "detail": message.detail,
        }
        if message.HasField("retry_at"):
            data["retry_at"] = message.retry_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.RunError:
        """Makes a protobuf message."""
        return pb.RunError(
            reason=self.reason,
            message=self.message,
            detail=self.detail,
            retry_at=self.retry_at,
        )


class PendingToolCall(ProtoModel):
    """A tool call that waits for a person."""

    __proto__: ClassVar = pb.PendingToolCall

    tool_call_id: str = Field(default="", description="ID of the call, set by the model and unique in its step.")
    tool_name: str = Field(default="", description="The tool.")
    parameters: _t.Struct | None = Field(default=None, description="Its arguments.")
    side_effect: bool = Field(default=False, description="Whether it has side effects outside EchoMind.")

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


class InputField(ProtoModel):
    """A field of a form."""

    __proto__: ClassVar = pb.InputField
    __enums__: ClassVar = {
        "type": InputFieldType,
    }

    name: str = Field(default="", description="Its name in the answer.")
    title: str = Field(default="", description="Title for people; may be empty.")
    description: str = Field(default="", description="What to enter; may be empty.")
    type: InputFieldType = Field(default=InputFieldType.UNSPECIFIED, description="What it takes.")
    required: bool = Field(default=False, description="Whether it must have a value.")
    default_values: list[str] = Field(
        default_factory=list,
        description="The value that counts if none is given, as text; several for several texts; empty for none.",
    )
    options: list[str] = Field(
        default_factory=list, description="The only values that are allowed, or entries of a list; empty for any."
    )
    format: str = Field(default="", description="`email`, `uri`, `date` or `date-time`; empty for none.")
    minimum: _t.Float | None = Field(
        default=None, description="Smallest number, length of a text, or number of entries; unset for no limit."
    )
    maximum: _t.Float | None = Field(
        default=None, description="Largest number, length of a text, or number of entries; unset for no limit."
    )

    @classmethod
    def read_pb(cls, message: pb.InputField) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "name": message.name,
            "title": message.title,
            "description": message.description,
            "type": InputFieldType.numbers.get(message.type, message.type),
            "required": message.required,
            "default_values": list(message.default_values),
            "options": list(message.options),
            "format": message.format,
        }
        if message.HasField("minimum"):
            data["minimum"] = message.minimum
        if message.HasField("maximum"):
            data["maximum"] = message.maximum
        return data

    def to_pb(self) -> pb.InputField:
        """Makes a protobuf message."""
        return pb.InputField(
            name=self.name,
            title=self.title,
            description=self.description,
            type=self.type.number,
            required=self.required,
            default_values=self.default_values,
            options=self.options,
            format=self.format,
            minimum=self.minimum,
            maximum=self.maximum,
        )


class InputForm(ProtoModel):
    """A form that a tool of an MCP server asks a person to fill in. Its texts are the server's, and not trusted."""

    __proto__: ClassVar = pb.InputForm

    server: str = Field(default="", description="Name of the server, which receives the answer.")
    message: str = Field(default="", description="What the server says.")
    fields: list[InputField] = Field(
        default_factory=list,
        description="The fields; empty where it asks for consent only, which the answer `accept` gives.",
    )

    @classmethod
    def read_pb(cls, message: pb.InputForm) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "server": message.server,
            "message": message.message,
            "fields": [InputField.read_pb(each) for each in message.fields],
        }
        return data

    def to_pb(self) -> pb.InputForm:
        """Makes a protobuf message."""
        return pb.InputForm(
            server=self.server,
            message=self.message,
            fields=[each.to_pb() for each in self.fields],
        )


class PendingInput(ProtoModel):
    """A request of a run to a person."""

    __proto__: ClassVar = pb.PendingInput
    __enums__: ClassVar = {
        "kind": PendingInputKind,
    }

    kind: PendingInputKind = Field(default=PendingInputKind.UNSPECIFIED, description="Kind of the request.")
    question: str = Field(default="", description="The question.")
    options: list[str] = Field(default_factory=list, description="Suggested answers; empty for free text.")
    tool_calls: list[PendingToolCall] = Field(default_factory=list, description="The tool calls that are waiting.")
    asked_by: str = Field(default="", description="Name of the team member that asks; empty otherwise.")
    form: InputForm | None = Field(
        default=None,
        description="The form that an MCP server asks to fill in; unset otherwise. The answer is a JSON object with a value for each field, or a text as the question explains; `decline` or `cancel` gives none.",
    )

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
        if message.HasField("form"):
            data["form"] = InputForm.read_pb(message.form)
        return data

    def to_pb(self) -> pb.PendingInput:
        """Makes a protobuf message."""
        return pb.PendingInput(
            kind=self.kind.number,
            question=self.question,
            options=self.options,
            tool_calls=[each.to_pb() for each in self.tool_calls],
            asked_by=self.asked_by,
            form=None if self.form is None else self.form.to_pb(),
        )


class RunOptions(ProtoModel):
    """Options of a run. Unset options are taken from the session's preferences, then from the assistant."""

    __proto__: ClassVar = pb.RunOptions
    __enums__: ClassVar = {
        "wait_strategy": WaitStrategy,
    }

    auto_run: bool | None = Field(
        default=None,
        description="Whether the run is autonomous: it works towards the goal, step after step, until its todos are done; unset means no.",
    )
    ask_clarifications: bool | None = Field(
        default=None,
        description="Whether it may ask clarifying questions; unset means the assistant's setting. An autonomous run asks for approvals only.",
    )
    max_steps: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of steps; 0 means the assistant's limit, which cannot be exceeded."
    )
    timeout_seconds: Annotated[_t.Int32, Field(le=86400, ge=0)] = Field(
        default=0,
        description="Maximum seconds without waiting; 0 means the assistant's limit, which cannot be exceeded.",
    )
    max_run_tokens: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0,
        description="Maximum tokens, prompt and completion, of the run and its sub-runs together; 0 means the assistant's limit.",
    )
    max_cost: Annotated[_t.Float, Field(ge=0.0)] = Field(
        default=0.0,
        description="Maximum cost in US dollars of the run and its sub-runs together; 0 means the assistant's limit.",
    )
    max_depth: Annotated[_t.Int32, Field(le=10, ge=0)] | None = Field(
        default=None,
        description="Maximum nesting depth of sub-agents; unset means the assistant's setting, 0 means no sub-agents.",
    )
    llm_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0,
        description="ID of the chat model; 0 means the assistant's. In a session's preferences, a model that was removed or deactivated counts as 0.",
    )
    wait_strategy: WaitStrategy = Field(
        default=WaitStrategy.UNSPECIFIED,
        description="Which results a step with several calls waits for, unless the model chooses; unset means the assistant's setting.",
    )
    tools: Annotated[list[Annotated[str, Field(min_length=1, max_length=200)]], Field(max_length=200), _r.UNIQUE] = (
        Field(
            default_factory=list,
            description="Names of the only tools that the run and its sub-runs may call, among those of the assistant; a `*` at the end of a name matches any suffix. Empty means all. Those to ask a person, to finish a goal and to delegate to members stay.",
        )
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
            "tools": list(message.tools),
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
            tools=self.tools,
        )


class Decision(ProtoModel):
    """A person's decision on a tool call, or answer to a run."""

    __proto__: ClassVar = pb.Decision
    __enums__: ClassVar = {
        "kind": PendingInputKind,
    }

    kind: PendingInputKind = Field(default=PendingInputKind.UNSPECIFIED, description="Kind of the request.")
    step_number: _t.Int32 = Field(default=0, description="Number of the step of the call.")
    tool_call_id: str = Field(default="", description="ID of the call, set by the model and unique in its step.")
    tool_name: str = Field(default="", description="The tool.")
    parameters: _t.Struct | None = Field(default=None, description="Its arguments.")
    approved: bool = Field(
        default=False, description="Whether the call was approved; false for denied calls and for answers."
    )
    text: str = Field(default="", description="The comment on the decision, or the answer; may be empty.")
    decided_by: str = Field(default="", description="Name of the person; empty if unknown.")
    decision_date: _t.Timestamp | None = Field(default=None, description="Time of the decision; empty if unknown.")

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
    """A run."""

    __proto__: ClassVar = pb.Run
    __enums__: ClassVar = {
        "kind": RunKind,
        "status": RunStatus,
        "wait_strategy": WaitStrategy,
    }

    id: str = Field(default="", description="ID, a UUIDv7.")
    chat_session_id: _t.Int32 = Field(default=0, description="ID of its session.")
    parent_run_id: str = Field(default="", description="ID of the run that started it; empty for a root run.")
    kind: RunKind = Field(default=RunKind.UNSPECIFIED, description="Its role in the tree.")
    assistant_id: _t.Int32 = Field(default=0, description="The assistant.")
    llm_id: _t.Int32 = Field(default=0, description="ID of its chat model; 0 until a worker claims it.")
    status: RunStatus = Field(default=RunStatus.UNSPECIFIED, description="Status.")
    input: str = Field(default="", description="The question.")
    message_id: _t.Int64 = Field(default=0, description="ID of the message that it writes.")
    error: RunError | None = Field(default=None, description="The error; unset if there was none.")
    depth: _t.Int32 = Field(default=0, description="Depth in its tree; 0 for a root run.")
    max_steps: _t.Int32 = Field(default=0, description="Maximum number of steps.")
    timeout_seconds: _t.Int32 = Field(default=0, description="Maximum seconds without waiting.")
    steps_executed: _t.Int32 = Field(default=0, description="Number of steps so far.")
    tools_called: _t.Int32 = Field(default=0, description="Number of tool calls so far.")
    prompt_tokens: _t.Int64 = Field(default=0, description="Prompt tokens so far.")
    completion_tokens: _t.Int64 = Field(default=0, description="Completion tokens so far.")
    cost: _t.Float = Field(default=0.0, description="Cost so far in US dollars, for calls with a known price.")
    attempt: _t.Int32 = Field(
        default=0,
        description="Incremented each time a worker claims it, and when it is paused, resumed or cancelled without a worker: writes of earlier attempts are rejected.",
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="Time of the request.")
    started_at: _t.Timestamp | None = Field(default=None, description="When a worker first claimed it; empty before.")
    completed_at: _t.Timestamp | None = Field(default=None, description="End time; empty before the end.")
    duration_ms: _t.Int64 = Field(default=0, description="Milliseconds from start to end; 0 before the end.")
    goal: str = Field(default="", description="Its goal; empty for a question.")
    auto_run: bool = Field(default=False, description="Whether it is autonomous.")
    ask_clarifications: bool = Field(default=False, description="Whether it may ask clarifying questions.")
    pending_input: PendingInput | None = Field(
        default=None, description="What it waits for; unset unless it waits for a person."
    )
    parent_step_id: _t.Int64 | None = Field(
        default=None, description="The step of the parent that started it; unset for a root run."
    )
    result_summary: str = Field(default="", description="Its result for the parent; empty for a root run.")
    output: str = Field(default="", description="Its answer, for a run without a message; empty for a root run.")
    max_run_tokens: _t.Int64 = Field(default=0, description="Maximum tokens of it and its sub-runs; 0 means no limit.")
    max_cost: _t.Float = Field(
        default=0.0, description="Maximum cost in US dollars of it and its sub-runs; 0 means no limit."
    )
    max_depth: _t.Int32 = Field(default=0, description="Maximum nesting depth of sub-agents.")
    seconds_spent: _t.Float32 = Field(default=0.0, description="Seconds of work so far, without waiting.")
    held_back: bool = Field(
        default=False, description="Whether it is queued because its user has reached the limit of concurrent runs."
    )
    decisions: list[Decision] = Field(
        default_factory=list,
        description="Decisions and answers of people, in order; empty unless the run is the reader's own.",
    )
    user_id: _t.Int32 = Field(default=0, description="ID of the user who asked.")
    assistant_version: _t.Int32 = Field(
        default=0,
        description="Version of its assistant at its start, see ListAssistantVersions; before its start, the version when it was requested. 0 for a draft.",
    )
    time_to_first_token_ms: _t.Int32 = Field(
        default=0,
        description="Milliseconds from the first claim by a worker to the first token of the model; 0 until then.",
    )
    assistant_name: str = Field(
        default="", description="Name of its assistant; for a team member its name in the team."
    )
    wait_strategy: WaitStrategy = Field(
        default=WaitStrategy.UNSPECIFIED,
        description="Which results its steps with several calls wait for, unless the model chooses; unset means the assistant's setting.",
    )
    inherited_context: str = Field(
        default="",
        description="Context that its parent passed on: the conversation if it is short, otherwise a summary. Empty for a root run, and unless the run is the reader's own.",
    )
    metadata: dict[str, str] = Field(
        default_factory=dict,
        description="Values that the program gave that asked, for the run's user only; they are in traces, and never in prompts.",
    )
    external_id: str = Field(
        default="", description="Its ID at that program, unique in the session; empty for none, and for other readers."
    )
    tools: list[str] = Field(
        default_factory=list,
        description="Names of the only tools that it may call; empty means those of its assistant.",
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
            "metadata": dict(message.metadata),
            "external_id": message.external_id,
            "tools": list(message.tools),
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
            metadata=self.metadata,
            external_id=self.external_id,
            tools=self.tools,
        )


class RunTree(ProtoModel):
    """A run and all its sub-runs."""

    __proto__: ClassVar = pb.RunTree

    runs: list[Run] = Field(
        default_factory=list,
        description="The runs: parents before children, siblings in the order in which they were started.",
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
