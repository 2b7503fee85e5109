"""Conversations.

Generated from echomind/public/v1/chat_session.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import UTC
from typing import Annotated, Any, ClassVar

from google.protobuf import field_mask_pb2
from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, PatchModel, ProtoEnum, ProtoModel, UpdateModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.run import RunError, RunOptions
from echomind_lib.pb.echomind.public.v1 import chat_session_pb2 as pb


class ChatMode(ProtoEnum):
    """What kind of conversation it is."""

    UNSPECIFIED = "CHAT_MODE_UNSPECIFIED", 0
    """As CHAT_MODE_CHAT."""
    CHAT = "CHAT_MODE_CHAT", 1
    """Several turns; earlier ones go into the prompt."""
    ONE_SHOT = "CHAT_MODE_ONE_SHOT", 2
    """Each question stands alone."""


class ChatSessionStatus(ProtoEnum):
    """How a session fares, by its latest run."""

    UNSPECIFIED = "CHAT_SESSION_STATUS_UNSPECIFIED", 0
    """Not said."""
    ACTIVE = "CHAT_SESSION_STATUS_ACTIVE", 1
    """Can be written to."""
    PAUSED = "CHAT_SESSION_STATUS_PAUSED", 2
    """Its run is paused."""
    CANCELLED = "CHAT_SESSION_STATUS_CANCELLED", 3
    """Its run was cancelled. It can be written to."""
    COMPLETED = "CHAT_SESSION_STATUS_COMPLETED", 4
    """Its goal is reached."""
    FAILED = "CHAT_SESSION_STATUS_FAILED", 5
    """Its goal was not reached; `error` says why."""
    ERROR = "CHAT_SESSION_STATUS_ERROR", 6
    """Its latest question, without a goal, ended by an error or its time limit; `error` says why. It can be written to."""


class ImportantStep(ProtoModel):
    """A step that later runs should know of."""

    __proto__: ClassVar = pb.ImportantStep

    run_id: str = Field(default="", description="The run.")
    step_number: _t.Int32 = Field(default=0, description="The step's place in it.")
    text: str = Field(default="", description="What was done, in one line.")

    @classmethod
    def read_pb(cls, message: pb.ImportantStep) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "run_id": message.run_id,
            "step_number": message.step_number,
            "text": message.text,
        }
        return data

    def to_pb(self) -> pb.ImportantStep:
        """Makes a protobuf message."""
        return pb.ImportantStep(
            run_id=self.run_id,
            step_number=self.step_number,
            text=self.text,
        )


class ChatSession(ProtoModel):
    """A conversation."""

    __proto__: ClassVar = pb.ChatSession
    __enums__: ClassVar = {
        "mode": ChatMode,
        "status": ChatSessionStatus,
    }

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    user_id: _t.Int32 = Field(default=0, description="Its owner; set by the server.")
    assistant_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="The assistant that answers; 0 means the default one."
    )
    title: Annotated[str, Field(max_length=500)] = Field(
        default="", description="Its title; empty means that the first question becomes it."
    )
    mode: ChatMode = Field(default=ChatMode.UNSPECIFIED, description="What kind of conversation it is.")
    status: ChatSessionStatus = Field(
        default=ChatSessionStatus.UNSPECIFIED, description="How it fares; set by the server."
    )
    message_count: _t.Int32 = Field(default=0, description="How many messages it has; set by the server.")
    head_message_id: _t.Int64 | None = Field(
        default=None, description="The last message of the branch that is shown; empty before the first."
    )
    most_recent_run_id: str | None = Field(default=None, description="Its latest run; empty before the first.")
    creation_date: _t.Timestamp | None = Field(default=None, description="When it began; set by the server.")
    last_update: _t.Timestamp | None = Field(default=None, description="When it last changed; empty when never.")
    last_message_at: _t.Timestamp | None = Field(
        default=None, description="When its newest message came; empty before the first."
    )
    goal: Annotated[str, Field(max_length=100000)] = Field(
        default="", description="What its runs work towards; empty when there is no goal."
    )
    initial_goal: str = Field(default="", description="The goal before it was changed; set by the server.")
    preferences: RunOptions | None = Field(
        default=None, description="How its runs are to work, where a question does not say it."
    )
    parent_session_id: _t.Int32 | None = Field(
        default=None, description="The session that it was forked from; empty otherwise."
    )
    forked_from_message_id: _t.Int64 | None = Field(
        default=None, description="The message of that session that it goes on from; empty otherwise."
    )
    compressed_summary: str = Field(
        default="",
        description="What the messages up to `last_compressed_message_id` say in short; empty before the first compression.",
    )
    last_compressed_message_id: _t.Int64 | None = Field(
        default=None, description="The last message that the summary covers; empty before the first compression."
    )
    is_compressing: bool = Field(default=False, description="Whether a compression was asked for, or is going on.")
    important_steps: list[ImportantStep] = Field(
        default_factory=list, description="What later runs should know of the steps of earlier ones, oldest first."
    )
    summary_prompt_tokens: _t.Int64 = Field(
        default=0, description="Tokens of the prompts that asked for its summaries; they are in no run."
    )
    summary_completion_tokens: _t.Int64 = Field(default=0, description="Tokens that were written for its summaries.")
    summary_cost: _t.Float = Field(
        default=0.0, description="Cost of its summaries in US dollars, of the calls whose price is known."
    )
    error: RunError | None = Field(default=None, description="What ended its latest run early; empty otherwise.")

    @classmethod
    def read_pb(cls, message: pb.ChatSession) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "user_id": message.user_id,
            "assistant_id": message.assistant_id,
            "title": message.title,
            "mode": ChatMode.numbers.get(message.mode, message.mode),
            "status": ChatSessionStatus.numbers.get(message.status, message.status),
            "message_count": message.message_count,
            "goal": message.goal,
            "initial_goal": message.initial_goal,
            "compressed_summary": message.compressed_summary,
            "is_compressing": message.is_compressing,
            "important_steps": [ImportantStep.read_pb(each) for each in message.important_steps],
            "summary_prompt_tokens": message.summary_prompt_tokens,
            "summary_completion_tokens": message.summary_completion_tokens,
            "summary_cost": message.summary_cost,
        }
        if message.HasField("head_message_id"):
            data["head_message_id"] = message.head_message_id
        if message.HasField("most_recent_run_id"):
            data["most_recent_run_id"] = message.most_recent_run_id
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        if message.HasField("last_message_at"):
            data["last_message_at"] = message.last_message_at.ToDatetime(UTC)
        if message.HasField("preferences"):
            data["preferences"] = RunOptions.read_pb(message.preferences)
        if message.HasField("parent_session_id"):
            data["parent_session_id"] = message.parent_session_id
        if message.HasField("forked_from_message_id"):
            data["forked_from_message_id"] = message.forked_from_message_id
        if message.HasField("last_compressed_message_id"):
            data["last_compressed_message_id"] = message.last_compressed_message_id
        if message.HasField("error"):
            data["error"] = RunError.read_pb(message.error)
        return data

    def to_pb(self) -> pb.ChatSession:
        """Makes a protobuf message."""
        return pb.ChatSession(
            id=self.id,
            user_id=self.user_id,
            assistant_id=self.assistant_id,
            title=self.title,
            mode=self.mode.number,
            status=self.status.number,
            message_count=self.message_count,
            head_message_id=self.head_message_id,
            most_recent_run_id=self.most_recent_run_id,
            creation_date=self.creation_date,
            last_update=self.last_update,
            last_message_at=self.last_message_at,
            goal=self.goal,
            initial_goal=self.initial_goal,
            preferences=None if self.preferences is None else self.preferences.to_pb(),
            parent_session_id=self.parent_session_id,
            forked_from_message_id=self.forked_from_message_id,
            compressed_summary=self.compressed_summary,
            last_compressed_message_id=self.last_compressed_message_id,
            is_compressing=self.is_compressing,
            important_steps=[each.to_pb() for each in self.important_steps],
            summary_prompt_tokens=self.summary_prompt_tokens,
            summary_completion_tokens=self.summary_completion_tokens,
            summary_cost=self.summary_cost,
            error=None if self.error is None else self.error.to_pb(),
        )


class ChatSessionPatch(PatchModel, ChatSession):
    """New values of ChatSession: what is not given stays as it is, null resets to the default."""


class ListChatSessionsRequest(ProtoModel):
    """Request of ListChatSessions."""

    __proto__: ClassVar = pb.ListChatSessionsRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(default=0, description="How many at most; 0 means 50.")
    page_token: str = Field(default="", description="Where to go on: `next_page_token` of the page before.")

    @classmethod
    def read_pb(cls, message: pb.ListChatSessionsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListChatSessionsRequest:
        """Makes a protobuf message."""
        return pb.ListChatSessionsRequest(
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListChatSessionsResponse(ProtoModel):
    """Response of ListChatSessions."""

    __proto__: ClassVar = pb.ListChatSessionsResponse

    chat_sessions: list[ChatSession] = Field(
        default_factory=list, description="The sessions, the one with the newest message first."
    )
    next_page_token: str = Field(default="", description="For the next page; empty on the last.")

    @classmethod
    def read_pb(cls, message: pb.ListChatSessionsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "chat_sessions": [ChatSession.read_pb(each) for each in message.chat_sessions],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListChatSessionsResponse:
        """Makes a protobuf message."""
        return pb.ListChatSessionsResponse(
            chat_sessions=[each.to_pb() for each in self.chat_sessions],
            next_page_token=self.next_page_token,
        )


class GetChatSessionRequest(ProtoModel):
    """Request of GetChatSession."""

    __proto__: ClassVar = pb.GetChatSessionRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which session.")

    @classmethod
    def read_pb(cls, message: pb.GetChatSessionRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetChatSessionRequest:
        """Makes a protobuf message."""
        return pb.GetChatSessionRequest(
            id=self.id,
        )


class CreateChatSessionRequest(ProtoModel):
    """Request of CreateChatSession."""

    __proto__: ClassVar = pb.CreateChatSessionRequest

    chat_session: ChatSession = Field(description="The session.")

    @classmethod
    def read_pb(cls, message: pb.CreateChatSessionRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("chat_session"):
            data["chat_session"] = ChatSession.read_pb(message.chat_session)
        return data

    def to_pb(self) -> pb.CreateChatSessionRequest:
        """Makes a protobuf message."""
        return pb.CreateChatSessionRequest(
            chat_session=None if self.chat_session is None else self.chat_session.to_pb(),
        )


class UpdateChatSessionRequest(UpdateModel):
    """Request of UpdateChatSession."""

    __proto__: ClassVar = pb.UpdateChatSessionRequest
    __resource__: ClassVar = ("chat_session", ChatSessionPatch)

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which session.")
    chat_session: ChatSessionPatch = Field(description="The new values.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "id",
            "user_id",
            "assistant_id",
            "title",
            "mode",
            "status",
            "message_count",
            "head_message_id",
            "most_recent_run_id",
            "creation_date",
            "last_update",
            "last_message_at",
            "goal",
            "initial_goal",
            "preferences",
            "parent_session_id",
            "forked_from_message_id",
            "compressed_summary",
            "last_compressed_message_id",
            "is_compressing",
            "important_steps",
            "summary_prompt_tokens",
            "summary_completion_tokens",
            "summary_cost",
            "error",
        ),
    ] = Field(description="Which fields to change. Over REST it comes from the body's keys.")

    @classmethod
    def read_pb(cls, message: pb.UpdateChatSessionRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("chat_session"):
            data["chat_session"] = ChatSession.read_pb(message.chat_session)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateChatSessionRequest:
        """Makes a protobuf message."""
        return pb.UpdateChatSessionRequest(
            id=self.id,
            chat_session=None if self.chat_session is None else self.chat_session.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class DeleteChatSessionRequest(ProtoModel):
    """Request of DeleteChatSession."""

    __proto__: ClassVar = pb.DeleteChatSessionRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which session.")

    @classmethod
    def read_pb(cls, message: pb.DeleteChatSessionRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteChatSessionRequest:
        """Makes a protobuf message."""
        return pb.DeleteChatSessionRequest(
            id=self.id,
        )


class PurgeChatSessionRequest(ProtoModel):
    """Request of PurgeChatSession."""

    __proto__: ClassVar = pb.PurgeChatSessionRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which session.")

    @classmethod
    def read_pb(cls, message: pb.PurgeChatSessionRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.PurgeChatSessionRequest:
        """Makes a protobuf message."""
        return pb.PurgeChatSessionRequest(
            id=self.id,
        )


class MoveHeadRequest(ProtoModel):
    """Request of MoveHead."""

    __proto__: ClassVar = pb.MoveHeadRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which session.")
    message_id: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0,
        description="The answer to go to; 0 means before the first question. With `to_latest` it may be a question, too.",
    )
    to_latest: bool = Field(
        default=False,
        description="Whether to go on from there to the newest message of its branch, as when one looks at a sibling.",
    )

    @classmethod
    def read_pb(cls, message: pb.MoveHeadRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "message_id": message.message_id,
            "to_latest": message.to_latest,
        }
        return data

    def to_pb(self) -> pb.MoveHeadRequest:
        """Makes a protobuf message."""
        return pb.MoveHeadRequest(
            id=self.id,
            message_id=self.message_id,
            to_latest=self.to_latest,
        )


class ForkChatSessionRequest(ProtoModel):
    """Request of ForkChatSession."""

    __proto__: ClassVar = pb.ForkChatSessionRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which session.")
    message_id: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0, description="The last answer to take along; 0 means the last finished one of the shown branch."
    )
    title: Annotated[str, Field(max_length=500)] = Field(
        default="", description="Title of the new session; empty means the old one's."
    )

    @classmethod
    def read_pb(cls, message: pb.ForkChatSessionRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "message_id": message.message_id,
            "title": message.title,
        }
        return data

    def to_pb(self) -> pb.ForkChatSessionRequest:
        """Makes a protobuf message."""
        return pb.ForkChatSessionRequest(
            id=self.id,
            message_id=self.message_id,
            title=self.title,
        )


class CompressChatSessionRequest(ProtoModel):
    """Request of CompressChatSession."""

    __proto__: ClassVar = pb.CompressChatSessionRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which session.")

    @classmethod
    def read_pb(cls, message: pb.CompressChatSessionRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.CompressChatSessionRequest:
        """Makes a protobuf message."""
        return pb.CompressChatSessionRequest(
            id=self.id,
        )


class ChatSessionService(ABC):
    """The caller's conversations."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["ChatSessionService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListChatSessions", "list_chat_sessions", ListChatSessionsRequest, ListChatSessionsResponse),
        Method("GetChatSession", "get_chat_session", GetChatSessionRequest, ChatSession),
        Method("CreateChatSession", "create_chat_session", CreateChatSessionRequest, ChatSession),
        Method("UpdateChatSession", "update_chat_session", UpdateChatSessionRequest, ChatSession),
        Method("DeleteChatSession", "delete_chat_session", DeleteChatSessionRequest, Empty),
        Method("PurgeChatSession", "purge_chat_session", PurgeChatSessionRequest, Empty),
        Method("MoveHead", "move_head", MoveHeadRequest, ChatSession),
        Method("ForkChatSession", "fork_chat_session", ForkChatSessionRequest, ChatSession),
        Method("CompressChatSession", "compress_chat_session", CompressChatSessionRequest, ChatSession),
    )

    @abstractmethod
    async def list_chat_sessions(self, request: ListChatSessionsRequest, call: CallContext) -> ListChatSessionsResponse:
        """Lists sessions, the one with the newest message first."""

    @abstractmethod
    async def get_chat_session(self, request: GetChatSessionRequest, call: CallContext) -> ChatSession:
        """Reads one session. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_chat_session(self, request: CreateChatSessionRequest, call: CallContext) -> ChatSession:
        """Begins a session. Errors: NOT_FOUND (of the assistant)."""

    @abstractmethod
    async def update_chat_session(self, request: UpdateChatSessionRequest, call: CallContext) -> ChatSession:
        """Changes `title`, `assistant_id`, `mode`, `goal` or `preferences`. Errors: NOT_FOUND."""

    @abstractmethod
    async def delete_chat_session(self, request: DeleteChatSessionRequest, call: CallContext) -> Empty:
        """Removes a session; a run of it that is not finished is cancelled. Errors: NOT_FOUND."""

    @abstractmethod
    async def purge_chat_session(self, request: PurgeChatSessionRequest, call: CallContext) -> Empty:
        """Deletes a session for good, one too that was removed: messages, runs, steps, events, citations, todos and
        checkpoints. Runs that are not finished are cancelled first. Forks stay. Only for its owner; audited. Errors:
        NOT_FOUND, PERMISSION_DENIED.
        """

    @abstractmethod
    async def move_head(self, request: MoveHeadRequest, call: CallContext) -> ChatSession:
        """Shows another branch, or takes the last messages back: what comes after the new head stays readable, and the next
        question follows the head. Errors: NOT_FOUND, RUN_ACTIVE, VALIDATION_FAILED (it is not an answer).
        """

    @abstractmethod
    async def fork_chat_session(self, request: ForkChatSessionRequest, call: CallContext) -> ChatSession:
        """Begins a session of its own with the messages up to an answer. Errors: NOT_FOUND, VALIDATION_FAILED (it is not an
        answer), RUN_ACTIVE (it is still being written).
        """

    @abstractmethod
    async def compress_chat_session(self, request: CompressChatSessionRequest, call: CallContext) -> ChatSession:
        """Asks for the earlier messages to be summarized, so that later prompts are shorter; done in the background, an event
        tells how it ended. Errors: NOT_FOUND, LLM_UNAVAILABLE (the assistant has no chat model that can summarize).
        """
