"""

Generated from echomind/public/v1/chat_session_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from google.protobuf import field_mask_pb2
from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoEnum, ProtoModel, UpdateModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.chat_session import ChatSession, ChatSessionHit, ChatSessionPatch, ChatSessionStatus
from echomind_lib.pb.echomind.public.v1 import chat_session_service_pb2 as pb


class ExportFormat(ProtoEnum):
    """Format of an export."""

    UNSPECIFIED = "EXPORT_FORMAT_UNSPECIFIED", 0
    """As EXPORT_FORMAT_MARKDOWN."""
    MARKDOWN = "EXPORT_FORMAT_MARKDOWN", 1
    """For people: a heading for each question, the answers, and below each answer its sources, assistant and model."""
    JSON = "EXPORT_FORMAT_JSON", 2
    """For programs: an object with `chatSession` and `messages` as in the API, and `runs` with the assistant, its
    version, the model and the members of each.
    """


class ListChatSessionsRequest(ProtoModel):
    """Request of ListChatSessions."""

    __proto__: ClassVar = pb.ListChatSessionsRequest
    __enums__: ClassVar = {
        "statuses": ChatSessionStatus,
    }

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )
    archived: bool = Field(default=False, description="Whether to list archived sessions instead of the others.")
    statuses: Annotated[
        list[Annotated[ChatSessionStatus, _r.none_of(ChatSessionStatus.UNSPECIFIED)]], Field(max_length=10)
    ] = Field(default_factory=list, description="Only sessions with one of these statuses; empty means all.")
    assistant_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Only sessions of this assistant; 0 means all."
    )
    has_goal: bool | None = Field(
        default=None, description="Only sessions with (true) or without (false) a goal; unset means all."
    )
    removed: bool = Field(
        default=False,
        description="Whether to list removed sessions, including archived ones, instead of the others; they can be restored until they are purged.",
    )
    notebook_id: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0, description="Only the caller's sessions in this notebook; 0 means all sessions."
    )
    external_id: Annotated[str, Field(max_length=200)] = Field(
        default="", description="Only the session with this ID at the caller's program; empty means all."
    )
    metadata: Annotated[list[Annotated[str, Field(pattern="^[^=]{1,64}=(?s:.){0,500}$")]], Field(max_length=16)] = (
        Field(default_factory=list, description="Only sessions with all these values of `metadata`, as `key=value`.")
    )

    @classmethod
    def read_pb(cls, message: pb.ListChatSessionsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
            "archived": message.archived,
            "statuses": [ChatSessionStatus.numbers.get(each, each) for each in message.statuses],
            "assistant_id": message.assistant_id,
            "removed": message.removed,
            "notebook_id": message.notebook_id,
            "external_id": message.external_id,
            "metadata": list(message.metadata),
        }
        if message.HasField("has_goal"):
            data["has_goal"] = message.has_goal
        return data

    def to_pb(self) -> pb.ListChatSessionsRequest:
        """Makes a protobuf message."""
        return pb.ListChatSessionsRequest(
            page_size=self.page_size,
            page_token=self.page_token,
            archived=self.archived,
            statuses=[each.number for each in self.statuses],
            assistant_id=self.assistant_id,
            has_goal=self.has_goal,
            removed=self.removed,
            notebook_id=self.notebook_id,
            external_id=self.external_id,
            metadata=self.metadata,
        )


class ListChatSessionsResponse(ProtoModel):
    """Response of ListChatSessions."""

    __proto__: ClassVar = pb.ListChatSessionsResponse

    chat_sessions: list[ChatSession] = Field(
        default_factory=list, description="The sessions: pinned ones first, each group by newest message."
    )
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

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


class SearchChatSessionsRequest(ProtoModel):
    """Request of SearchChatSessions."""

    __proto__: ClassVar = pb.SearchChatSessionsRequest

    query: Annotated[str, Field(min_length=1, max_length=200)] = Field(description="Words to search for, at most 8.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.SearchChatSessionsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "query": message.query,
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.SearchChatSessionsRequest:
        """Makes a protobuf message."""
        return pb.SearchChatSessionsRequest(
            query=self.query,
            page_size=self.page_size,
            page_token=self.page_token,
        )


class SearchChatSessionsResponse(ProtoModel):
    """Response of SearchChatSessions."""

    __proto__: ClassVar = pb.SearchChatSessionsResponse

    hits: list[ChatSessionHit] = Field(
        default_factory=list, description="The matches, the session with the newest message first."
    )
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.SearchChatSessionsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "hits": [ChatSessionHit.read_pb(each) for each in message.hits],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.SearchChatSessionsResponse:
        """Makes a protobuf message."""
        return pb.SearchChatSessionsResponse(
            hits=[each.to_pb() for each in self.hits],
            next_page_token=self.next_page_token,
        )


class GetChatSessionRequest(ProtoModel):
    """Request of GetChatSession."""

    __proto__: ClassVar = pb.GetChatSessionRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the session.")

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

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the session.")
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
            "summary",
            "last_summarized_message_id",
            "is_summarizing",
            "important_steps",
            "summary_prompt_tokens",
            "summary_completion_tokens",
            "summary_cost",
            "error",
            "pinned",
            "archived",
            "run_status",
            "notebook_id",
            "without_memory",
            "last_knowledge_extraction_at",
            "metadata",
            "external_id",
        ),
    ] = Field(description="Fields to change. Over REST, taken from the keys of the body.")

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


class PauseChatSessionRequest(ProtoModel):
    """Request of PauseChatSession."""

    __proto__: ClassVar = pb.PauseChatSessionRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the session.")

    @classmethod
    def read_pb(cls, message: pb.PauseChatSessionRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.PauseChatSessionRequest:
        """Makes a protobuf message."""
        return pb.PauseChatSessionRequest(
            id=self.id,
        )


class ResumeChatSessionRequest(ProtoModel):
    """Request of ResumeChatSession."""

    __proto__: ClassVar = pb.ResumeChatSessionRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the session.")

    @classmethod
    def read_pb(cls, message: pb.ResumeChatSessionRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.ResumeChatSessionRequest:
        """Makes a protobuf message."""
        return pb.ResumeChatSessionRequest(
            id=self.id,
        )


class CancelChatSessionRequest(ProtoModel):
    """Request of CancelChatSession."""

    __proto__: ClassVar = pb.CancelChatSessionRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the session.")

    @classmethod
    def read_pb(cls, message: pb.CancelChatSessionRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.CancelChatSessionRequest:
        """Makes a protobuf message."""
        return pb.CancelChatSessionRequest(
            id=self.id,
        )


class DeleteChatSessionRequest(ProtoModel):
    """Request of DeleteChatSession."""

    __proto__: ClassVar = pb.DeleteChatSessionRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the session.")

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


class RestoreChatSessionRequest(ProtoModel):
    """Request of RestoreChatSession."""

    __proto__: ClassVar = pb.RestoreChatSessionRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the session.")

    @classmethod
    def read_pb(cls, message: pb.RestoreChatSessionRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.RestoreChatSessionRequest:
        """Makes a protobuf message."""
        return pb.RestoreChatSessionRequest(
            id=self.id,
        )


class ExportChatSessionRequest(ProtoModel):
    """Request of ExportChatSession."""

    __proto__: ClassVar = pb.ExportChatSessionRequest
    __enums__: ClassVar = {
        "format": ExportFormat,
    }

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the session.")
    format: ExportFormat = Field(default=ExportFormat.UNSPECIFIED, description="Format of the file.")

    @classmethod
    def read_pb(cls, message: pb.ExportChatSessionRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "format": ExportFormat.numbers.get(message.format, message.format),
        }
        return data

    def to_pb(self) -> pb.ExportChatSessionRequest:
        """Makes a protobuf message."""
        return pb.ExportChatSessionRequest(
            id=self.id,
            format=self.format.number,
        )


class ExportChatSessionResponse(ProtoModel):
    """Response of ExportChatSession."""

    __proto__: ClassVar = pb.ExportChatSessionResponse

    file_name: str = Field(default="", description="Suggested file name, derived from the title.")
    media_type: str = Field(default="", description="The media type of the content.")
    content: str = Field(default="", description="Content of the file.")

    @classmethod
    def read_pb(cls, message: pb.ExportChatSessionResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "file_name": message.file_name,
            "media_type": message.media_type,
            "content": message.content,
        }
        return data

    def to_pb(self) -> pb.ExportChatSessionResponse:
        """Makes a protobuf message."""
        return pb.ExportChatSessionResponse(
            file_name=self.file_name,
            media_type=self.media_type,
            content=self.content,
        )


class PurgeChatSessionRequest(ProtoModel):
    """Request of PurgeChatSession."""

    __proto__: ClassVar = pb.PurgeChatSessionRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the session.")

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

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the session.")
    message_id: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0,
        description="ID of the answer to move to; 0 means before the first question. With `to_latest` it may be a question.",
    )
    to_latest: bool = Field(
        default=False,
        description="Whether to follow the branch from there to its newest message, as when switching to an alternative.",
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

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the session.")
    message_id: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0, description="ID of the last answer to copy; 0 means the last finished one of the current branch."
    )
    title: Annotated[str, Field(max_length=500), _r.NAME] = Field(
        default="", description="Title of the new session; empty means the title of the original."
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


class SummarizeChatSessionRequest(ProtoModel):
    """Request of SummarizeChatSession."""

    __proto__: ClassVar = pb.SummarizeChatSessionRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the session.")

    @classmethod
    def read_pb(cls, message: pb.SummarizeChatSessionRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.SummarizeChatSessionRequest:
        """Makes a protobuf message."""
        return pb.SummarizeChatSessionRequest(
            id=self.id,
        )


class ChatSessionService(ABC):
    """Conversations of the caller."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["ChatSessionService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListChatSessions", "list_chat_sessions", ListChatSessionsRequest, ListChatSessionsResponse),
        Method("SearchChatSessions", "search_chat_sessions", SearchChatSessionsRequest, SearchChatSessionsResponse),
        Method("GetChatSession", "get_chat_session", GetChatSessionRequest, ChatSession),
        Method("CreateChatSession", "create_chat_session", CreateChatSessionRequest, ChatSession),
        Method("UpdateChatSession", "update_chat_session", UpdateChatSessionRequest, ChatSession),
        Method("PauseChatSession", "pause_chat_session", PauseChatSessionRequest, ChatSession),
        Method("ResumeChatSession", "resume_chat_session", ResumeChatSessionRequest, ChatSession),
        Method("CancelChatSession", "cancel_chat_session", CancelChatSessionRequest, ChatSession),
        Method("DeleteChatSession", "delete_chat_session", DeleteChatSessionRequest, Empty),
        Method("RestoreChatSession", "restore_chat_session", RestoreChatSessionRequest, ChatSession),
        Method("ExportChatSession", "export_chat_session", ExportChatSessionRequest, ExportChatSessionResponse),
        Method("PurgeChatSession", "purge_chat_session", PurgeChatSessionRequest, Empty),
        Method("MoveHead", "move_head", MoveHeadRequest, ChatSession),
        Method("ForkChatSession", "fork_chat_session", ForkChatSessionRequest, ChatSession),
        Method("SummarizeChatSession", "summarize_chat_session", SummarizeChatSessionRequest, ChatSession),
    )

    @abstractmethod
    async def list_chat_sessions(self, request: ListChatSessionsRequest, call: CallContext) -> ListChatSessionsResponse:
        """Lists sessions: pinned ones first, each group by newest message."""

    @abstractmethod
    async def search_chat_sessions(
        self, request: SearchChatSessionsRequest, call: CallContext
    ) -> SearchChatSessionsResponse:
        """Searches titles and messages of sessions, including archived ones; returns the session with the newest message
        first. All words must occur in the same session; parts of words match, case-insensitively.
        """

    @abstractmethod
    async def get_chat_session(self, request: GetChatSessionRequest, call: CallContext) -> ChatSession:
        """Reads one session. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_chat_session(self, request: CreateChatSessionRequest, call: CallContext) -> ChatSession:
        """Creates a session. Errors: NOT_FOUND (the assistant)."""

    @abstractmethod
    async def update_chat_session(self, request: UpdateChatSessionRequest, call: CallContext) -> ChatSession:
        """Updates `title`, `assistant_id`, `mode`, `goal`, `preferences`, `pinned`, `archived` or `without_memory`. Errors:
        NOT_FOUND.
        """

    @abstractmethod
    async def pause_chat_session(self, request: PauseChatSessionRequest, call: CallContext) -> ChatSession:
        """Pauses the session's run and its sub-runs, see PauseRun. Errors: NOT_FOUND, RUN_STATE (no run can be paused)."""

    @abstractmethod
    async def resume_chat_session(self, request: ResumeChatSessionRequest, call: CallContext) -> ChatSession:
        """Resumes the session's run and its sub-runs, see ResumeRun. Errors: NOT_FOUND, RUN_STATE (no run is paused)."""

    @abstractmethod
    async def cancel_chat_session(self, request: CancelChatSessionRequest, call: CallContext) -> ChatSession:
        """Cancels the session's run and its sub-runs, see CancelRun; a session without an active run is returned unchanged.
        Errors: NOT_FOUND.
        """

    @abstractmethod
    async def delete_chat_session(self, request: DeleteChatSessionRequest, call: CallContext) -> Empty:
        """Removes a session; its active run is cancelled. Errors: NOT_FOUND."""

    @abstractmethod
    async def restore_chat_session(self, request: RestoreChatSessionRequest, call: CallContext) -> ChatSession:
        """Restores a removed session, unless it was purged; cancelled runs stay cancelled. A session that is not removed is
        returned unchanged. Errors: NOT_FOUND, VALIDATION_FAILED (its notebook was removed: restore that).
        """

    @abstractmethod
    async def export_chat_session(
        self, request: ExportChatSessionRequest, call: CallContext
    ) -> ExportChatSessionResponse:
        """Exports the current branch of a session as a file: questions, answers and their sources. Errors: NOT_FOUND."""

    @abstractmethod
    async def purge_chat_session(self, request: PurgeChatSessionRequest, call: CallContext) -> Empty:
        """Deletes a session permanently, also a removed one: messages, runs, steps, events, citations, todos and checkpoints.
        Active runs are cancelled first. Forks are kept. Only for its owner; audited. Errors: NOT_FOUND, PERMISSION_DENIED.
        """

    @abstractmethod
    async def move_head(self, request: MoveHeadRequest, call: CallContext) -> ChatSession:
        """Moves the head of a session: switches to another branch, or undoes the last messages. The messages after the new
        head stay readable, and the next question follows the head. Errors: NOT_FOUND, RUN_ACTIVE, VALIDATION_FAILED (it is
        not an answer).
        """

    @abstractmethod
    async def fork_chat_session(self, request: ForkChatSessionRequest, call: CallContext) -> ChatSession:
        """Creates a new session with the messages up to an answer. Errors: NOT_FOUND, VALIDATION_FAILED (it is not an
        answer), RUN_ACTIVE (the answer is still being written).
        """

    @abstractmethod
    async def summarize_chat_session(self, request: SummarizeChatSessionRequest, call: CallContext) -> ChatSession:
        """Requests a summary of earlier messages, so that later prompts are shorter. It is written in the background; an
        event reports the result. Errors: NOT_FOUND, LLM_UNAVAILABLE (the assistant has no chat model that can summarize).
        """
