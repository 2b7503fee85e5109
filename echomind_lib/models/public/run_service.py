"""

Generated from echomind/public/v1/run_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from datetime import UTC
from typing import Annotated, Any, ClassVar

from google.protobuf.message import Message
from pydantic import Field

from echomind_lib.contract import CallContext, Method, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.run import Run, RunStatus, RunTree
from echomind_lib.models.public.run_details import RunDetails
from echomind_lib.models.public.session_event import SessionEvent
from echomind_lib.models.public.step import Step, StepPrompt
from echomind_lib.pb.echomind.public.v1 import run_service_pb2 as pb


class GetRunRequest(ProtoModel):
    """Request of GetRun."""

    __proto__: ClassVar = pb.GetRunRequest

    id: _r.Uuid = Field(description="ID of the run.")

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
        "statuses": RunStatus,
    }

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )
    chat_session_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Only runs of this session; 0 means all."
    )
    status: RunStatus = Field(default=RunStatus.UNSPECIFIED, description="Only runs with this status; unset means all.")
    roots_only: bool = Field(default=False, description="Only root runs, without sub-runs.")
    statuses: Annotated[list[RunStatus], Field(max_length=9)] = Field(
        default_factory=list, description="Only runs with one of these statuses; empty means all."
    )
    assistant_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Only runs of this assistant; 0 means all."
    )
    llm_id: Annotated[_t.Int32, Field(ge=0)] = Field(default=0, description="Only runs of this model; 0 means all.")
    user_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Only runs of this user; 0 means the caller's own, unless `everyone` is set."
    )
    everyone: bool = Field(
        default=False,
        description="Whether to list the runs of all users that the caller may read: with `superadmin` all runs, otherwise the caller's own.",
    )
    min_cost: Annotated[_t.Float, Field(ge=0.0)] = Field(
        default=0.0,
        description="Only runs with at least this cost in US dollars; 0 means all, including those of unknown cost.",
    )
    created_from: _t.Timestamp | None = Field(
        default=None, description="Only runs requested at or after this time; empty means all."
    )
    created_before: _t.Timestamp | None = Field(
        default=None, description="Only runs requested before this time; empty means all."
    )
    external_id: Annotated[str, Field(max_length=200)] = Field(
        default="", description="Only the caller's runs with this ID at their program; empty means all."
    )
    metadata: Annotated[list[Annotated[str, Field(pattern="^[^=]{1,64}=(?s:.){0,500}$")]], Field(max_length=16)] = (
        Field(
            default_factory=list,
            description="Only the caller's runs with all these values of `metadata`, as `key=value`.",
        )
    )

    @classmethod
    def read_pb(cls, message: pb.ListRunsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
            "chat_session_id": message.chat_session_id,
            "status": RunStatus.numbers.get(message.status, message.status),
            "roots_only": message.roots_only,
            "statuses": [RunStatus.numbers.get(each, each) for each in message.statuses],
            "assistant_id": message.assistant_id,
            "llm_id": message.llm_id,
            "user_id": message.user_id,
            "everyone": message.everyone,
            "min_cost": message.min_cost,
            "external_id": message.external_id,
            "metadata": list(message.metadata),
        }
        if message.HasField("created_from"):
            data["created_from"] = message.created_from.ToDatetime(UTC)
        if message.HasField("created_before"):
            data["created_before"] = message.created_before.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.ListRunsRequest:
        """Makes a protobuf message."""
        return pb.ListRunsRequest(
            page_size=self.page_size,
            page_token=self.page_token,
            chat_session_id=self.chat_session_id,
            status=self.status.number,
            roots_only=self.roots_only,
            statuses=[each.number for each in self.statuses],
            assistant_id=self.assistant_id,
            llm_id=self.llm_id,
            user_id=self.user_id,
            everyone=self.everyone,
            min_cost=self.min_cost,
            created_from=self.created_from,
            created_before=self.created_before,
            external_id=self.external_id,
            metadata=self.metadata,
        )


class ListRunsResponse(ProtoModel):
    """Response of ListRuns."""

    __proto__: ClassVar = pb.ListRunsResponse

    runs: list[Run] = Field(default_factory=list, description="The runs, newest first.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

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

    id: _r.Uuid = Field(description="ID of the run.")

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

    id: _r.Uuid = Field(description="ID of the run.")

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

    id: _r.Uuid = Field(description="ID of the run.")

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
        default="", description="ID of the run; empty if its session is given."
    )
    chat_session_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="ID of the session with the waiting run; 0 if the run is given."
    )
    content: Annotated[str, Field(min_length=1, max_length=100000)] = Field(description="The answer.")
    request_id: Annotated[str, Field(max_length=128)] = Field(
        default="",
        description="As in SendMessage: a repeated request returns the run that the first one answered, and answers nothing else.",
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

    id: _r.Uuid = Field(description="ID of the run.")
    tool_call_id: Annotated[str, Field(max_length=255)] = Field(
        default="", description="ID of the waiting call; empty means all waiting calls."
    )
    approved: bool = Field(default=False, description="True to approve, false to deny.")
    comment: Annotated[str, Field(max_length=10000)] = Field(
        default="", description="Reason for the agent; may be empty."
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


class GetRunDetailsRequest(ProtoModel):
    """Request of GetRunDetails."""

    __proto__: ClassVar = pb.GetRunDetailsRequest

    id: _r.Uuid = Field(description="ID of the run.")

    @classmethod
    def read_pb(cls, message: pb.GetRunDetailsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetRunDetailsRequest:
        """Makes a protobuf message."""
        return pb.GetRunDetailsRequest(
            id=self.id,
        )


class GetRunTreeRequest(ProtoModel):
    """Request of GetRunTree."""

    __proto__: ClassVar = pb.GetRunTreeRequest

    id: _r.Uuid = Field(description="ID of the run.")

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


class GetStepPromptRequest(ProtoModel):
    """Request of GetStepPrompt."""

    __proto__: ClassVar = pb.GetStepPromptRequest

    id: _r.Uuid = Field(description="ID of the run.")
    step_number: Annotated[_t.Int32, Field(gt=0)] = Field(description="Number of the step, starting at 1.")

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


class ExcludeStepRequest(ProtoModel):
    """Request of ExcludeStep."""

    __proto__: ClassVar = pb.ExcludeStepRequest

    id: _r.Uuid = Field(description="ID of the run.")
    step_number: Annotated[_t.Int32, Field(gt=0)] = Field(description="Number of the step, starting at 1.")
    excluded: bool = Field(default=False, description="True to exclude it, false to include it.")

    @classmethod
    def read_pb(cls, message: pb.ExcludeStepRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "step_number": message.step_number,
            "excluded": message.excluded,
        }
        return data

    def to_pb(self) -> pb.ExcludeStepRequest:
        """Makes a protobuf message."""
        return pb.ExcludeStepRequest(
            id=self.id,
            step_number=self.step_number,
            excluded=self.excluded,
        )


class ListStepsRequest(ProtoModel):
    """Request of ListSteps."""

    __proto__: ClassVar = pb.ListStepsRequest

    id: _r.Uuid = Field(description="ID of the run.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

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
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

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


class ListRunEventsRequest(ProtoModel):
    """Request of ListRunEvents."""

    __proto__: ClassVar = pb.ListRunEventsRequest

    id: _r.Uuid = Field(description="ID of the run.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListRunEventsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListRunEventsRequest:
        """Makes a protobuf message."""
        return pb.ListRunEventsRequest(
            id=self.id,
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListRunEventsResponse(ProtoModel):
    """Response of ListRunEvents."""

    __proto__: ClassVar = pb.ListRunEventsResponse

    events: list[SessionEvent] = Field(
        default_factory=list, description="The events in order, without the texts of questions and answers."
    )
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListRunEventsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "events": [SessionEvent.read_pb(each) for each in message.events],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListRunEventsResponse:
        """Makes a protobuf message."""
        return pb.ListRunEventsResponse(
            events=[each.to_pb() for each in self.events],
            next_page_token=self.next_page_token,
        )


class StreamSessionEventsRequest(ProtoModel):
    """Request of StreamSessionEvents."""

    __proto__: ClassVar = pb.StreamSessionEventsRequest

    chat_session_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the session.")
    after: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0,
        description="ID of the last event that the caller has; 0 means from the beginning. Over SSE, `Last-Event-ID` is equivalent; the later of the two is used.",
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
        Method("GetRunDetails", "get_run_details", GetRunDetailsRequest, RunDetails),
        Method("GetStepPrompt", "get_step_prompt", GetStepPromptRequest, StepPrompt),
        Method("ExcludeStep", "exclude_step", ExcludeStepRequest, Step),
        Method("ListSteps", "list_steps", ListStepsRequest, ListStepsResponse),
        Method("ListRunEvents", "list_run_events", ListRunEventsRequest, ListRunEventsResponse),
        Method("StreamSessionEvents", "stream_session_events", StreamSessionEventsRequest, SessionEvent, streams=True),
    )

    @abstractmethod
    async def get_run(self, request: GetRunRequest, call: CallContext) -> Run:
        """Reads one run. Errors: NOT_FOUND."""

    @abstractmethod
    async def list_runs(self, request: ListRunsRequest, call: CallContext) -> ListRunsResponse:
        """Lists the caller's runs, newest first; with `everyone` or `user_id`, superadmins list those of other users, which
        is audited.
        """

    @abstractmethod
    async def cancel_run(self, request: CancelRunRequest, call: CallContext) -> Run:
        """Cancels a run: the caller's own, or with `superadmin` any run, which is audited. The text written so far is kept. A
        finished run is returned unchanged. Errors: NOT_FOUND.
        """

    @abstractmethod
    async def pause_run(self, request: PauseRunRequest, call: CallContext) -> Run:
        """Pauses a run at its next step. Errors: NOT_FOUND, RUN_STATE."""

    @abstractmethod
    async def resume_run(self, request: ResumeRunRequest, call: CallContext) -> Run:
        """Resumes a paused run, on any worker, or withdraws a pause that has not taken effect. Errors: NOT_FOUND, RUN_STATE."""

    @abstractmethod
    async def provide_input(self, request: ProvideInputRequest, call: CallContext) -> Run:
        """Answers a waiting run and queues it. With a session instead of a run, answers the only run of the session that
        waits for text. Errors: NOT_FOUND, RUN_STATE, AMBIGUOUS_INPUT (several wait, and none is named), VALIDATION_FAILED
        (the run is of another session).
        """

    @abstractmethod
    async def approve_tool_call(self, request: ApproveToolCallRequest, call: CallContext) -> Run:
        """Approves or denies a waiting tool call; the run resumes when no other call of its step waits. Errors: NOT_FOUND,
        RUN_STATE.
        """

    @abstractmethod
    async def get_run_tree(self, request: GetRunTreeRequest, call: CallContext) -> RunTree:
        """Reads a run with all its sub-runs, parents first. Errors: NOT_FOUND."""

    @abstractmethod
    async def get_run_details(self, request: GetRunDetailsRequest, call: CallContext) -> RunDetails:
        """Reads a run and all its sub-runs with full details, in one call: messages sent to and received from models, events,
        tokens and times. Errors: NOT_FOUND. What calls found, prompts and reports of sub-agents are empty unless the caller
        asked and may read all sources of the conversation.
        """

    @abstractmethod
    async def get_step_prompt(self, request: GetStepPromptRequest, call: CallContext) -> StepPrompt:
        """Reads the complete prompt that a step sent to the model. Only for the user who asked, as it may contain what others
        may not read, and only while they may read all sources of the conversation. Errors: NOT_FOUND, PERMISSION_DENIED.
        """

    @abstractmethod
    async def exclude_step(self, request: ExcludeStepRequest, call: CallContext) -> Step:
        """Excludes a step from the prompts of the run's later steps, or includes it again; it stays readable, and an event
        reports the change. Errors: NOT_FOUND, RUN_STATE (the run has ended, or a worker executes it: pause it first).
        """

    @abstractmethod
    async def list_steps(self, request: ListStepsRequest, call: CallContext) -> ListStepsResponse:
        """Lists a run's steps with their tool calls, in order. Errors: NOT_FOUND. Results of calls are empty unless the caller
        asked and may read all sources of the conversation.
        """

    @abstractmethod
    async def list_run_events(self, request: ListRunEventsRequest, call: CallContext) -> ListRunEventsResponse:
        """Lists the stored events of a run and its sub-runs, in order. Errors: NOT_FOUND."""

    @abstractmethod
    def stream_session_events(
        self, request: StreamSessionEventsRequest, call: CallContext
    ) -> AsyncIterator[SessionEvent | Message]:
        """Streams a session's events: all stored events after `after`, in order and exactly once; then the text of a message
        that is being written; then new events. The stream stays open until the caller closes it or an error ends it.
        Errors: NOT_FOUND (also once the session is removed), SLOW_READER (continue after the last event), UNAUTHENTICATED
        (the credential has expired), DEPENDENCY_UNAVAILABLE (EchoMind stops, or one of its servers does not answer:
        connect again), OVERLOADED (too many open streams).
        """
