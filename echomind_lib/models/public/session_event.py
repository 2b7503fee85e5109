"""The events of a chat session: stored events, and live text.

Generated from echomind/public/v1/session_event.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import OneofModel, ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.chat_message import ChatMessage, Source
from echomind_lib.models.public.run import PendingInput, RunError, RunKind, RunStatus
from echomind_lib.models.public.step import (
    ParallelStatus,
    PromptOmissions,
    StepAction,
    StepStatus,
    ToolApproval,
    WaitStrategy,
)
from echomind_lib.models.public.todo import Todo
from echomind_lib.pb.echomind.public.v1 import session_event_pb2 as pb


class SessionEventKind(ProtoEnum):
    """Kind of an event."""

    UNSPECIFIED = "SESSION_EVENT_KIND_UNSPECIFIED", 0
    """Unspecified."""
    PROGRESS = "SESSION_EVENT_KIND_PROGRESS", 1
    """Stored: progress."""
    STATUS = "SESSION_EVENT_KIND_STATUS", 2
    """Stored: a run's status changed."""
    WARNING = "SESSION_EVENT_KIND_WARNING", 3
    """Stored: a problem that does not end the run."""
    ERROR = "SESSION_EVENT_KIND_ERROR", 4
    """Stored: an error."""
    FINAL = "SESSION_EVENT_KIND_FINAL", 5
    """Stored: the run has ended."""
    DELTA = "SESSION_EVENT_KIND_DELTA", 6
    """Live: more text of a message."""
    SNAPSHOT = "SESSION_EVENT_KIND_SNAPSHOT", 7
    """Live: the whole text of a message so far."""
    GAP = "SESSION_EVENT_KIND_GAP", 8
    """Live: events before this point were deleted."""


class WarningCode(ProtoEnum):
    """Reason for a warning."""

    UNSPECIFIED = "WARNING_CODE_UNSPECIFIED", 0
    """Unspecified; the event's text says it."""
    ANSWER_CUT_OFF = "WARNING_CODE_ANSWER_CUT_OFF", 1
    """The answer was cut off at the model's limit of tokens."""
    PRICE_UNKNOWN = "WARNING_CODE_PRICE_UNKNOWN", 2
    """The price of the model is not known, so the limit of cost does not hold for it."""
    MCP_SERVER_UNAVAILABLE = "WARNING_CODE_MCP_SERVER_UNAVAILABLE", 3
    """An MCP server of the assistant is not available. Subject: its name."""
    MCP_SECRETS_UNREADABLE = "WARNING_CODE_MCP_SECRETS_UNREADABLE", 4
    """The stored secrets of an MCP server cannot be read, and must be entered again. Subject: its name."""
    TOOL_UNUSABLE = "WARNING_CODE_TOOL_UNUSABLE", 5
    """A tool cannot be used: what its MCP server says of its arguments is refused. Subject: its name."""
    TOOL_MISSING = "WARNING_CODE_TOOL_MISSING", 6
    """There is no tool of this name, which a sub-agent was given. Subject: the name."""
    RUN_RETRIED = "WARNING_CODE_RUN_RETRIED", 7
    """The run failed in a way that may pass, and is tried again. Subject: `RunError.reason`."""
    NOT_SUMMARIZED = "WARNING_CODE_NOT_SUMMARIZED", 8
    """Earlier messages could not be summarized."""
    QUOTA_NEARLY_USED = "WARNING_CODE_QUOTA_NEARLY_USED", 9
    """Four fifths of a quota are used."""


class SessionChange(ProtoEnum):
    """What changed in a session."""

    UNSPECIFIED = "SESSION_CHANGE_UNSPECIFIED", 0
    """Unspecified."""
    HEAD_MOVED = "SESSION_CHANGE_HEAD_MOVED", 1
    """The current branch was switched, or the last messages were undone."""
    CHECKPOINT_CREATED = "SESSION_CHANGE_CHECKPOINT_CREATED", 2
    """A checkpoint was created."""
    CHECKPOINT_RESTORED = "SESSION_CHANGE_CHECKPOINT_RESTORED", 3
    """A checkpoint was restored."""
    SUMMARIZED = "SESSION_CHANGE_SUMMARIZED", 4
    """A summary ended: earlier messages were summarized, or there was nothing to summarize; if the event is a warning, it
    failed. The event's text has the details.
    """
    EXCLUDED = "SESSION_CHANGE_EXCLUDED", 5
    """A message, or a step of a run, was excluded from later prompts or included again."""
    SETTINGS = "SESSION_CHANGE_SETTINGS", 6
    """Its title, assistant, mode, goal or preferences were changed."""
    FORKED = "SESSION_CHANGE_FORKED", 7
    """It was forked by its owner."""
    CHECKPOINT_DELETED = "SESSION_CHANGE_CHECKPOINT_DELETED", 8
    """A checkpoint was deleted."""
    TITLED = "SESSION_CHANGE_TITLED", 9
    """The model generated its title."""


class SessionWarning(ProtoModel):
    """Reason for a warning, for clients that show it in another language than the event's text."""

    __proto__: ClassVar = pb.SessionWarning
    __enums__: ClassVar = {
        "code": WarningCode,
    }

    code: WarningCode = Field(default=WarningCode.UNSPECIFIED, description="Code of the reason.")
    subject: str = Field(
        default="", description="Name of the server, tool or error that the code is about; empty for most codes."
    )

    @classmethod
    def read_pb(cls, message: pb.SessionWarning) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "code": WarningCode.numbers.get(message.code, message.code),
            "subject": message.subject,
        }
        return data

    def to_pb(self) -> pb.SessionWarning:
        """Makes a protobuf message."""
        return pb.SessionWarning(
            code=self.code.number,
            subject=self.subject,
        )


class RunQueued(ProtoModel):
    """A question was stored and its run queued."""

    __proto__: ClassVar = pb.RunQueued

    user_message: ChatMessage | None = Field(default=None, description="The question.")
    assistant_message_id: _t.Int64 = Field(default=0, description="ID of the message that the run will write.")

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
    attempt: _t.Int32 | None = Field(
        default=None, description="Number of the worker's attempt, starting at 1; set when an attempt starts."
    )
    is_recovery: bool = Field(
        default=False, description="Whether this attempt recovers the run after the death of the previous worker."
    )

    @classmethod
    def read_pb(cls, message: pb.RunStatusChanged) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "status": RunStatus.numbers.get(message.status, message.status),
            "is_recovery": message.is_recovery,
        }
        if message.HasField("attempt"):
            data["attempt"] = message.attempt
        return data

    def to_pb(self) -> pb.RunStatusChanged:
        """Makes a protobuf message."""
        return pb.RunStatusChanged(
            status=self.status.number,
            attempt=self.attempt,
            is_recovery=self.is_recovery,
        )


class InputRequested(ProtoModel):
    """A run waits for a person."""

    __proto__: ClassVar = pb.InputRequested

    pending_input: PendingInput | None = Field(default=None, description="The request.")

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


class SubRunStarted(ProtoModel):
    """A run started a sub-run: a sub-agent, or a team member."""

    __proto__: ClassVar = pb.SubRunStarted
    __enums__: ClassVar = {
        "kind": RunKind,
    }

    run_id: str = Field(default="", description="ID of the sub-run; its own events have this ID.")
    goal: str = Field(default="", description="Its goal.")
    depth: _t.Int32 = Field(default=0, description="Its depth in the tree.")
    tool_call_id: str = Field(default="", description="ID of the tool call that started it.")
    kind: RunKind = Field(default=RunKind.UNSPECIFIED, description="Its role in the tree.")
    assistant_id: _t.Int32 = Field(default=0, description="ID of its assistant.")
    assistant_name: str = Field(default="", description="Name of its assistant, or of the team member.")

    @classmethod
    def read_pb(cls, message: pb.SubRunStarted) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "run_id": message.run_id,
            "goal": message.goal,
            "depth": message.depth,
            "tool_call_id": message.tool_call_id,
            "kind": RunKind.numbers.get(message.kind, message.kind),
            "assistant_id": message.assistant_id,
            "assistant_name": message.assistant_name,
        }
        return data

    def to_pb(self) -> pb.SubRunStarted:
        """Makes a protobuf message."""
        return pb.SubRunStarted(
            run_id=self.run_id,
            goal=self.goal,
            depth=self.depth,
            tool_call_id=self.tool_call_id,
            kind=self.kind.number,
            assistant_id=self.assistant_id,
            assistant_name=self.assistant_name,
        )


class StepChanged(ProtoModel):
    """A step started or changed. Unset fields have not changed."""

    __proto__: ClassVar = pb.StepChanged
    __enums__: ClassVar = {
        "action": StepAction,
        "status": StepStatus,
        "wait_strategy": WaitStrategy,
        "parallel_status": ParallelStatus,
    }

    step_number: _t.Int32 = Field(default=0, description="Number of the step in the run, starting at 1.")
    action: StepAction | None = Field(default=None, description="What it does.")
    status: StepStatus | None = Field(default=None, description="Status.")
    wait_strategy: WaitStrategy | None = Field(
        default=None, description="Which results it waits for; for steps with several calls only."
    )
    parallel_status: ParallelStatus | None = Field(
        default=None, description="Progress of its calls; for steps with several calls only."
    )
    omissions: PromptOmissions | None = Field(default=None, description="What its prompt omitted.")

    @classmethod
    def read_pb(cls, message: pb.StepChanged) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "step_number": message.step_number,
        }
        if message.HasField("action"):
            data["action"] = StepAction.numbers.get(message.action, message.action)
        if message.HasField("status"):
            data["status"] = StepStatus.numbers.get(message.status, message.status)
        if message.HasField("wait_strategy"):
            data["wait_strategy"] = WaitStrategy.numbers.get(message.wait_strategy, message.wait_strategy)
        if message.HasField("parallel_status"):
            data["parallel_status"] = ParallelStatus.numbers.get(message.parallel_status, message.parallel_status)
        if message.HasField("omissions"):
            data["omissions"] = PromptOmissions.read_pb(message.omissions)
        return data

    def to_pb(self) -> pb.StepChanged:
        """Makes a protobuf message."""
        return pb.StepChanged(
            step_number=self.step_number,
            action=None if self.action is None else self.action.number,
            status=None if self.status is None else self.status.number,
            wait_strategy=None if self.wait_strategy is None else self.wait_strategy.number,
            parallel_status=None if self.parallel_status is None else self.parallel_status.number,
            omissions=None if self.omissions is None else self.omissions.to_pb(),
        )


class ToolCallChanged(ProtoModel):
    """A tool call started or changed. Unset fields have not changed."""

    __proto__: ClassVar = pb.ToolCallChanged
    __enums__: ClassVar = {
        "status": StepStatus,
        "approval": ToolApproval,
    }

    step_number: _t.Int32 = Field(default=0, description="Number of its step in the run, starting at 1.")
    tool_call_id: str = Field(default="", description="ID of the call, unique in its step.")
    tool_name: str = Field(default="", description="Name of the tool; in every event of the call.")
    parameters: _t.Struct | None = Field(default=None, description="Its arguments.")
    status: StepStatus | None = Field(default=None, description="Status.")
    result: str | None = Field(
        default=None, description="Its result as the model sees it, truncated to 4,000 characters."
    )
    error_message: str | None = Field(default=None, description="Its error message.")
    progress_percentage: _t.Int32 | None = Field(default=None, description="Progress in percent, 0 to 100.")
    status_message: str | None = Field(default=None, description="Progress message.")
    side_effect: bool | None = Field(default=None, description="Whether it has side effects outside EchoMind.")
    approval: ToolApproval | None = Field(default=None, description="Approval status.")
    external_task_id: str | None = Field(
        default=None, description="ID of what it started: the run of a sub-agent, or a task at another service."
    )
    external_status: str | None = Field(default=None, description="Status of that task, as the service reports it.")

    @classmethod
    def read_pb(cls, message: pb.ToolCallChanged) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "step_number": message.step_number,
            "tool_call_id": message.tool_call_id,
            "tool_name": message.tool_name,
        }
        if message.HasField("parameters"):
            data["parameters"] = _t.from_struct(message.parameters)
        if message.HasField("status"):
            data["status"] = StepStatus.numbers.get(message.status, message.status)
        if message.HasField("result"):
            data["result"] = message.result
        if message.HasField("error_message"):
            data["error_message"] = message.error_message
        if message.HasField("progress_percentage"):
            data["progress_percentage"] = message.progress_percentage
        if message.HasField("status_message"):
            data["status_message"] = message.status_message
        if message.HasField("side_effect"):
            data["side_effect"] = message.side_effect
        if message.HasField("approval"):
            data["approval"] = ToolApproval.numbers.get(message.approval, message.approval)
        if message.HasField("external_task_id"):
            data["external_task_id"] = message.external_task_id
        if message.HasField("external_status"):
            data["external_status"] = message.external_status
        return data

    def to_pb(self) -> pb.ToolCallChanged:
        """Makes a protobuf message."""
        return pb.ToolCallChanged(
            step_number=self.step_number,
            tool_call_id=self.tool_call_id,
            tool_name=self.tool_name,
            parameters=self.parameters,
            status=None if self.status is None else self.status.number,
            result=self.result,
            error_message=self.error_message,
            progress_percentage=self.progress_percentage,
            status_message=self.status_message,
            side_effect=self.side_effect,
            approval=None if self.approval is None else self.approval.number,
            external_task_id=self.external_task_id,
            external_status=self.external_status,
        )


class TodosChanged(ProtoModel):
    """A run's plan has changed."""

    __proto__: ClassVar = pb.TodosChanged

    todos: list[Todo] = Field(
        default_factory=list,
        description="The complete plan, in order; descriptions, results and errors are truncated to 300 characters.",
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
    """A session changed; clients should read it again."""

    __proto__: ClassVar = pb.SessionChanged
    __enums__: ClassVar = {
        "change": SessionChange,
    }

    change: SessionChange = Field(default=SessionChange.UNSPECIFIED, description="What changed.")
    head_message_id: _t.Int64 | None = Field(
        default=None, description="Last message of the current branch; unset if there is none."
    )
    checkpoint_id: _t.Int64 | None = Field(default=None, description="ID of the checkpoint; unset for other changes.")
    forked_session_id: _t.Int32 | None = Field(
        default=None, description="ID of the forked session; unset for other changes."
    )

    @classmethod
    def read_pb(cls, message: pb.SessionChanged) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "change": SessionChange.numbers.get(message.change, message.change),
        }
        if message.HasField("head_message_id"):
            data["head_message_id"] = message.head_message_id
        if message.HasField("checkpoint_id"):
            data["checkpoint_id"] = message.checkpoint_id
        if message.HasField("forked_session_id"):
            data["forked_session_id"] = message.forked_session_id
        return data

    def to_pb(self) -> pb.SessionChanged:
        """Makes a protobuf message."""
        return pb.SessionChanged(
            change=self.change.number,
            head_message_id=self.head_message_id,
            checkpoint_id=self.checkpoint_id,
            forked_session_id=self.forked_session_id,
        )


class FoundKnowledge(ProtoModel):
    """A knowledge entity that was found."""

    __proto__: ClassVar = pb.FoundKnowledge

    id: _t.Int64 = Field(default=0, description="ID of the entity; the answer cites it as `[K12]`.")
    title: str = Field(default="", description="Its title.")
    score: _t.Float = Field(default=0.0, description="How well it matches, 0 to 1.")
    document_ids: list[_t.Int64] = Field(
        default_factory=list,
        description="IDs of the documents that it is based on, which the session then draws on as well.",
    )

    @classmethod
    def read_pb(cls, message: pb.FoundKnowledge) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "title": message.title,
            "score": message.score,
            "document_ids": list(message.document_ids),
        }
        return data

    def to_pb(self) -> pb.FoundKnowledge:
        """Makes a protobuf message."""
        return pb.FoundKnowledge(
            id=self.id,
            title=self.title,
            score=self.score,
            document_ids=self.document_ids,
        )


class KnowledgeFound(ProtoModel):
    """Knowledge that was found."""

    __proto__: ClassVar = pb.KnowledgeFound

    query: str = Field(default="", description="The query that found it.")
    entities: list[FoundKnowledge] = Field(default_factory=list, description="The entities, best first.")

    @classmethod
    def read_pb(cls, message: pb.KnowledgeFound) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "query": message.query,
            "entities": [FoundKnowledge.read_pb(each) for each in message.entities],
        }
        return data

    def to_pb(self) -> pb.KnowledgeFound:
        """Makes a protobuf message."""
        return pb.KnowledgeFound(
            query=self.query,
            entities=[each.to_pb() for each in self.entities],
        )


class SourcesFound(ProtoModel):
    """Sources that were found, with their numbers in the answer."""

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
    error: RunError | None = Field(default=None, description="The error; unset if there was none.")
    prompt_tokens: _t.Int64 = Field(default=0, description="Total prompt tokens.")
    completion_tokens: _t.Int64 = Field(default=0, description="Total completion tokens.")
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
        description="Attempt of the worker that wrote it. If it is higher than before, discard the text and start again; if lower, ignore the event.",
    )
    offset: _t.Int32 = Field(default=0, description="Position of the text, in code points from the beginning.")
    text: str = Field(default="", description="The text.")
    cited_sources: list[_t.Int32] = Field(
        default_factory=list,
        description="When the text cites a source for the first time: all sources cited so far, by their number in `SourcesFound`. The citation `[1]` refers to the first of them.",
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
    """The complete text of a message so far."""

    __proto__: ClassVar = pb.MessageSnapshot

    message_id: _t.Int64 = Field(default=0, description="The message.")
    attempt: _t.Int32 = Field(default=0, description="Attempt of the worker that wrote it.")
    text: str = Field(default="", description="The text.")
    cited_sources: list[_t.Int32] = Field(
        default_factory=list,
        description="Sources cited so far, by their number in `SourcesFound`. The citation `[1]` refers to the first of them.",
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


class RunText(ProtoModel):
    """More text of a run without a message: a team member or a sub-agent. Live only; the final text is the run's `output`."""

    __proto__: ClassVar = pb.RunText

    attempt: _t.Int32 = Field(
        default=0,
        description="Attempt of the worker that wrote it. If it is higher than before, discard the text and start again; if lower, ignore the event.",
    )
    offset: _t.Int32 = Field(
        default=0,
        description="Position of the text, in code points from the beginning. It replaces all text from this position on; at 0 it is the complete text so far.",
    )
    text: str = Field(default="", description="The text; its citation numbers are those of the run.")

    @classmethod
    def read_pb(cls, message: pb.RunText) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "attempt": message.attempt,
            "offset": message.offset,
            "text": message.text,
        }
        return data

    def to_pb(self) -> pb.RunText:
        """Makes a protobuf message."""
        return pb.RunText(
            attempt=self.attempt,
            offset=self.offset,
            text=self.text,
        )


class EventGap(ProtoModel):
    """Events were deleted."""

    __proto__: ClassVar = pb.EventGap

    before: _t.Int64 = Field(default=0, description="ID of the last deleted event; later events have higher IDs.")

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


class SessionEvent(OneofModel):
    """An event of a session. Stored events have an ID and are never lost; live ones (deltas, snapshots) have none."""

    __proto__: ClassVar = pb.SessionEvent
    __enums__: ClassVar = {
        "kind": SessionEventKind,
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
            "sub_run_started",
            "todos",
            "session_changed",
            "knowledge",
            "run_text",
        )
    }

    id: _t.Int64 = Field(
        default=0,
        description="ID, increasing within a session; 0 for live events. To reconnect, pass the last one as `after`.",
    )
    chat_session_id: _t.Int32 = Field(default=0, description="The session.")
    run_id: str = Field(default="", description="ID of the run; empty for events of the session itself.")
    kind: SessionEventKind = Field(default=SessionEventKind.UNSPECIFIED, description="Kind of the event.")
    text: str = Field(default="", description="Message for people, one line; may be empty.")
    creation_date: _t.Timestamp | None = Field(default=None, description="Time of the event; empty for live events.")
    member: str = Field(default="", description="Name of the team member that executes the run; empty for other runs.")
    warning: SessionWarning | None = Field(
        default=None, description="The warning; only events of kind warning have it."
    )
    queued: RunQueued | None = Field(default=None, description="A question was stored and its run queued.")
    status: RunStatusChanged | None = Field(default=None, description="A run's status changed.")
    step: StepChanged | None = Field(
        default=None, description="A step started that makes several calls, or whose prompt omitted something."
    )
    tool_call: ToolCallChanged | None = Field(default=None, description="A tool call started, progressed or ended.")
    sources: SourcesFound | None = Field(default=None, description="Sources were found.")
    finished: RunFinished | None = Field(default=None, description="The run has ended.")
    delta: MessageDelta | None = Field(default=None, description="More text.")
    snapshot: MessageSnapshot | None = Field(default=None, description="The complete text so far.")
    gap: EventGap | None = Field(default=None, description="Events were deleted.")
    input_requested: InputRequested | None = Field(default=None, description="The run waits for a person.")
    sub_run_started: SubRunStarted | None = Field(
        default=None, description="The run started a sub-agent, or delegated a task to a team member."
    )
    todos: TodosChanged | None = Field(default=None, description="The run's plan changed.")
    session_changed: SessionChanged | None = Field(default=None, description="The session changed.")
    knowledge: KnowledgeFound | None = Field(default=None, description="Knowledge was found.")
    run_text: RunText | None = Field(default=None, description="More text of a run without a message.")

    @classmethod
    def read_pb(cls, message: pb.SessionEvent) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "chat_session_id": message.chat_session_id,
            "run_id": message.run_id,
            "kind": SessionEventKind.numbers.get(message.kind, message.kind),
            "text": message.text,
            "member": message.member,
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("warning"):
            data["warning"] = SessionWarning.read_pb(message.warning)
        if message.HasField("queued"):
            data["queued"] = RunQueued.read_pb(message.queued)
        if message.HasField("status"):
            data["status"] = RunStatusChanged.read_pb(message.status)
        if message.HasField("step"):
            data["step"] = StepChanged.read_pb(message.step)
        if message.HasField("tool_call"):
            data["tool_call"] = ToolCallChanged.read_pb(message.tool_call)
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
        if message.HasField("sub_run_started"):
            data["sub_run_started"] = SubRunStarted.read_pb(message.sub_run_started)
        if message.HasField("todos"):
            data["todos"] = TodosChanged.read_pb(message.todos)
        if message.HasField("session_changed"):
            data["session_changed"] = SessionChanged.read_pb(message.session_changed)
        if message.HasField("knowledge"):
            data["knowledge"] = KnowledgeFound.read_pb(message.knowledge)
        if message.HasField("run_text"):
            data["run_text"] = RunText.read_pb(message.run_text)
        return data

    def to_pb(self) -> pb.SessionEvent:
        """Makes a protobuf message."""
        return pb.SessionEvent(
            id=self.id,
            chat_session_id=self.chat_session_id,
            run_id=self.run_id,
            kind=self.kind.number,
            text=self.text,
            creation_date=self.creation_date,
            member=self.member,
            warning=None if self.warning is None else self.warning.to_pb(),
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
            sub_run_started=None if self.sub_run_started is None else self.sub_run_started.to_pb(),
            todos=None if self.todos is None else self.todos.to_pb(),
            session_changed=None if self.session_changed is None else self.session_changed.to_pb(),
            knowledge=None if self.knowledge is None else self.knowledge.to_pb(),
            run_text=None if self.run_text is None else self.run_text.to_pb(),
        )
