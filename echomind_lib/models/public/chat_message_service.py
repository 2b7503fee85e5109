"""

Generated from echomind/public/v1/chat_message_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from typing import Annotated, Any, ClassVar

from google.protobuf.message import Message
from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.chat_message import ChatMessage, Citation, Feedback
from echomind_lib.models.public.run import Run, RunOptions
from echomind_lib.models.public.session_event import SessionEvent
from echomind_lib.pb.echomind.public.v1 import chat_message_service_pb2 as pb


class SendMessageRequest(ProtoModel):
    """Request of SendMessage and StreamMessage."""

    __proto__: ClassVar = pb.SendMessageRequest

    chat_session_id: Annotated[_t.Int32, Field(gt=0)] | None = Field(
        default=None, description="ID of the session; unset, or `-` in the REST path, creates a new session."
    )
    content: Annotated[str, Field(min_length=1, max_length=100000)] = Field(description="The question.")
    assistant_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="For a new session: ID of the assistant; 0 means the default one."
    )
    request_id: Annotated[str, Field(max_length=128)] = Field(
        default="",
        description="Idempotency key, chosen by the caller and unique among the caller's requests: a repeated request returns the message and run of the first one. Empty means none.",
    )
    options: RunOptions | None = Field(default=None, description="Options of the run.")
    document_ids: Annotated[list[Annotated[_t.Int64, Field(gt=0)]], Field(max_length=20), _r.UNIQUE] = Field(
        default_factory=list,
        description="IDs of documents to attach, which the caller can read and which are indexed. Searches of the run look in them first, then in all others.",
    )
    notebook_id: Annotated[_t.Int64, Field(gt=0)] | None = Field(
        default=None, description="For a new session: ID of its notebook; unset means none."
    )
    metadata: Annotated[
        dict[Annotated[str, Field(min_length=1, max_length=64)], Annotated[str, Field(max_length=500)]],
        Field(max_length=16),
    ] = Field(default_factory=dict, description="Values of the caller for the run.")
    external_id: Annotated[str, Field(max_length=200)] = Field(
        default="", description="ID of the run at the caller, unique in the session; empty means none."
    )
    session_external_id: Annotated[str, Field(max_length=200)] = Field(
        default="",
        description="Instead of `chat_session_id`: ID of the session at the caller. The caller's session with this `external_id` is continued, or begun.",
    )

    @classmethod
    def read_pb(cls, message: pb.SendMessageRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "content": message.content,
            "assistant_id": message.assistant_id,
            "request_id": message.request_id,
            "document_ids": list(message.document_ids),
            "metadata": dict(message.metadata),
            "external_id": message.external_id,
            "session_external_id": message.session_external_id,
        }
        if message.HasField("chat_session_id"):
            data["chat_session_id"] = message.chat_session_id
        if message.HasField("options"):
            data["options"] = RunOptions.read_pb(message.options)
        if message.HasField("notebook_id"):
            data["notebook_id"] = message.notebook_id
        return data

    def to_pb(self) -> pb.SendMessageRequest:
        """Makes a protobuf message."""
        return pb.SendMessageRequest(
            chat_session_id=self.chat_session_id,
            content=self.content,
            assistant_id=self.assistant_id,
            request_id=self.request_id,
            options=None if self.options is None else self.options.to_pb(),
            document_ids=self.document_ids,
            notebook_id=self.notebook_id,
            metadata=self.metadata,
            external_id=self.external_id,
            session_external_id=self.session_external_id,
        )


class EditMessageRequest(ProtoModel):
    """Request of EditMessage."""

    __proto__: ClassVar = pb.EditMessageRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the question.")
    content: Annotated[str, Field(min_length=1, max_length=100000)] = Field(description="Its new text.")
    request_id: Annotated[str, Field(max_length=128)] = Field(default="", description="As in SendMessage.")
    options: RunOptions | None = Field(
        default=None, description="Options of the run; `auto_run` unset means as in the run that answered before."
    )

    @classmethod
    def read_pb(cls, message: pb.EditMessageRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "content": message.content,
            "request_id": message.request_id,
        }
        if message.HasField("options"):
            data["options"] = RunOptions.read_pb(message.options)
        return data

    def to_pb(self) -> pb.EditMessageRequest:
        """Makes a protobuf message."""
        return pb.EditMessageRequest(
            id=self.id,
            content=self.content,
            request_id=self.request_id,
            options=None if self.options is None else self.options.to_pb(),
        )


class RegenerateMessageRequest(ProtoModel):
    """Request of RegenerateMessage."""

    __proto__: ClassVar = pb.RegenerateMessageRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the answer, or of the question.")
    request_id: Annotated[str, Field(max_length=128)] = Field(default="", description="As in SendMessage.")
    options: RunOptions | None = Field(
        default=None, description="Options of the run; `auto_run` unset means as in the run that answered before."
    )

    @classmethod
    def read_pb(cls, message: pb.RegenerateMessageRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "request_id": message.request_id,
        }
        if message.HasField("options"):
            data["options"] = RunOptions.read_pb(message.options)
        return data

    def to_pb(self) -> pb.RegenerateMessageRequest:
        """Makes a protobuf message."""
        return pb.RegenerateMessageRequest(
            id=self.id,
            request_id=self.request_id,
            options=None if self.options is None else self.options.to_pb(),
        )


class ExcludeMessageRequest(ProtoModel):
    """Request of ExcludeMessage."""

    __proto__: ClassVar = pb.ExcludeMessageRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the message.")
    excluded: bool = Field(default=False, description="True to exclude it, false to include it.")

    @classmethod
    def read_pb(cls, message: pb.ExcludeMessageRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "excluded": message.excluded,
        }
        return data

    def to_pb(self) -> pb.ExcludeMessageRequest:
        """Makes a protobuf message."""
        return pb.ExcludeMessageRequest(
            id=self.id,
            excluded=self.excluded,
        )


class SendMessageResponse(ProtoModel):
    """Response of SendMessage."""

    __proto__: ClassVar = pb.SendMessageResponse

    user_message: ChatMessage | None = Field(default=None, description="The question.")
    assistant_message: ChatMessage | None = Field(default=None, description="The answer, still empty.")
    run: Run | None = Field(default=None, description="The run that writes it.")

    @classmethod
    def read_pb(cls, message: pb.SendMessageResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("user_message"):
            data["user_message"] = ChatMessage.read_pb(message.user_message)
        if message.HasField("assistant_message"):
            data["assistant_message"] = ChatMessage.read_pb(message.assistant_message)
        if message.HasField("run"):
            data["run"] = Run.read_pb(message.run)
        return data

    def to_pb(self) -> pb.SendMessageResponse:
        """Makes a protobuf message."""
        return pb.SendMessageResponse(
            user_message=None if self.user_message is None else self.user_message.to_pb(),
            assistant_message=None if self.assistant_message is None else self.assistant_message.to_pb(),
            run=None if self.run is None else self.run.to_pb(),
        )


class ListMessagesRequest(ProtoModel):
    """Request of ListMessages."""

    __proto__: ClassVar = pb.ListMessagesRequest

    chat_session_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the session.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )
    all_branches: bool = Field(
        default=False, description="Whether to list all branches instead of only the current one."
    )
    with_details: bool = Field(
        default=False, description="Whether messages include the details `retrieval_context` and `tool_calls`."
    )

    @classmethod
    def read_pb(cls, message: pb.ListMessagesRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "chat_session_id": message.chat_session_id,
            "page_size": message.page_size,
            "page_token": message.page_token,
            "all_branches": message.all_branches,
            "with_details": message.with_details,
        }
        return data

    def to_pb(self) -> pb.ListMessagesRequest:
        """Makes a protobuf message."""
        return pb.ListMessagesRequest(
            chat_session_id=self.chat_session_id,
            page_size=self.page_size,
            page_token=self.page_token,
            all_branches=self.all_branches,
            with_details=self.with_details,
        )


class ListMessagesResponse(ProtoModel):
    """Response of ListMessages."""

    __proto__: ClassVar = pb.ListMessagesResponse

    messages: list[ChatMessage] = Field(default_factory=list, description="The messages, oldest first.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListMessagesResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "messages": [ChatMessage.read_pb(each) for each in message.messages],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListMessagesResponse:
        """Makes a protobuf message."""
        return pb.ListMessagesResponse(
            messages=[each.to_pb() for each in self.messages],
            next_page_token=self.next_page_token,
        )


class GetMessageRequest(ProtoModel):
    """Request of GetMessage."""

    __proto__: ClassVar = pb.GetMessageRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the message.")

    @classmethod
    def read_pb(cls, message: pb.GetMessageRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetMessageRequest:
        """Makes a protobuf message."""
        return pb.GetMessageRequest(
            id=self.id,
        )


class ListCitationsRequest(ProtoModel):
    """Request of ListCitations."""

    __proto__: ClassVar = pb.ListCitationsRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the message.")

    @classmethod
    def read_pb(cls, message: pb.ListCitationsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.ListCitationsRequest:
        """Makes a protobuf message."""
        return pb.ListCitationsRequest(
            id=self.id,
        )


class ListCitationsResponse(ProtoModel):
    """Response of ListCitations."""

    __proto__: ClassVar = pb.ListCitationsResponse

    citations: list[Citation] = Field(default_factory=list, description="The citations, by number and position.")

    @classmethod
    def read_pb(cls, message: pb.ListCitationsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "citations": [Citation.read_pb(each) for each in message.citations],
        }
        return data

    def to_pb(self) -> pb.ListCitationsResponse:
        """Makes a protobuf message."""
        return pb.ListCitationsResponse(
            citations=[each.to_pb() for each in self.citations],
        )


class SetFeedbackRequest(ProtoModel):
    """Request of SetFeedback."""

    __proto__: ClassVar = pb.SetFeedbackRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the message.")
    feedback: Feedback = Field(description="The rating.")

    @classmethod
    def read_pb(cls, message: pb.SetFeedbackRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("feedback"):
            data["feedback"] = Feedback.read_pb(message.feedback)
        return data

    def to_pb(self) -> pb.SetFeedbackRequest:
        """Makes a protobuf message."""
        return pb.SetFeedbackRequest(
            id=self.id,
            feedback=None if self.feedback is None else self.feedback.to_pb(),
        )


class DeleteFeedbackRequest(ProtoModel):
    """Request of DeleteFeedback."""

    __proto__: ClassVar = pb.DeleteFeedbackRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the message.")

    @classmethod
    def read_pb(cls, message: pb.DeleteFeedbackRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteFeedbackRequest:
        """Makes a protobuf message."""
        return pb.DeleteFeedbackRequest(
            id=self.id,
        )


class SetCitationFeedbackRequest(ProtoModel):
    """Request of SetCitationFeedback."""

    __proto__: ClassVar = pb.SetCitationFeedbackRequest

    message_id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the answer.")
    chunk_id: Annotated[str, Field(min_length=1, max_length=128)] = Field(
        description="The passage: `chunk_id` of one of the answer's citations."
    )
    feedback: Feedback = Field(description="The rating.")

    @classmethod
    def read_pb(cls, message: pb.SetCitationFeedbackRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "message_id": message.message_id,
            "chunk_id": message.chunk_id,
        }
        if message.HasField("feedback"):
            data["feedback"] = Feedback.read_pb(message.feedback)
        return data

    def to_pb(self) -> pb.SetCitationFeedbackRequest:
        """Makes a protobuf message."""
        return pb.SetCitationFeedbackRequest(
            message_id=self.message_id,
            chunk_id=self.chunk_id,
            feedback=None if self.feedback is None else self.feedback.to_pb(),
        )


class DeleteCitationFeedbackRequest(ProtoModel):
    """Request of DeleteCitationFeedback."""

    __proto__: ClassVar = pb.DeleteCitationFeedbackRequest

    message_id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the answer.")
    chunk_id: Annotated[str, Field(min_length=1, max_length=128)] = Field(description="ID of the passage.")

    @classmethod
    def read_pb(cls, message: pb.DeleteCitationFeedbackRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "message_id": message.message_id,
            "chunk_id": message.chunk_id,
        }
        return data

    def to_pb(self) -> pb.DeleteCitationFeedbackRequest:
        """Makes a protobuf message."""
        return pb.DeleteCitationFeedbackRequest(
            message_id=self.message_id,
            chunk_id=self.chunk_id,
        )


class ChatMessageService(ABC):
    """Questions and answers of a conversation."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["ChatMessageService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("SendMessage", "send_message", SendMessageRequest, SendMessageResponse),
        Method("StreamMessage", "stream_message", SendMessageRequest, SessionEvent, streams=True),
        Method("EditMessage", "edit_message", EditMessageRequest, SendMessageResponse),
        Method("RegenerateMessage", "regenerate_message", RegenerateMessageRequest, SendMessageResponse),
        Method("ExcludeMessage", "exclude_message", ExcludeMessageRequest, ChatMessage),
        Method("ListMessages", "list_messages", ListMessagesRequest, ListMessagesResponse),
        Method("GetMessage", "get_message", GetMessageRequest, ChatMessage),
        Method("ListCitations", "list_citations", ListCitationsRequest, ListCitationsResponse),
        Method("SetFeedback", "set_feedback", SetFeedbackRequest, Feedback),
        Method("DeleteFeedback", "delete_feedback", DeleteFeedbackRequest, Empty),
        Method("SetCitationFeedback", "set_citation_feedback", SetCitationFeedbackRequest, Feedback),
        Method("DeleteCitationFeedback", "delete_citation_feedback", DeleteCitationFeedbackRequest, Empty),
    )

    @abstractmethod
    async def send_message(self, request: SendMessageRequest, call: CallContext) -> SendMessageResponse:
        """Sends a question: stores it, queues its run and returns immediately. If a run of the session is waiting for text,
        the message is the answer to it, and that run is queued again. Errors: NOT_FOUND, RUN_ACTIVE, AMBIGUOUS_INPUT
        (several runs of the session wait), ASSISTANT_UNAVAILABLE, LLM_UNAVAILABLE, DOCUMENT_NOT_READY (an attached
        document is not indexed yet), VALIDATION_FAILED (documents are attached to the answer to a run).
        """

    @abstractmethod
    def stream_message(self, request: SendMessageRequest, call: CallContext) -> AsyncIterator[SessionEvent | Message]:
        """Sends a question as SendMessage does, and streams the events of the run until it ends. Closing the stream does not
        stop the run. Errors: those of SendMessage, SLOW_READER.
        """

    @abstractmethod
    async def edit_message(self, request: EditMessageRequest, call: CallContext) -> SendMessageResponse:
        """Edits a question: the new text is stored as an alternative with the same documents, and a run answers it. The
        messages after the old one stay as another branch. Errors: NOT_FOUND, RUN_ACTIVE, VALIDATION_FAILED (it is not a
        question).
        """

    @abstractmethod
    async def regenerate_message(self, request: RegenerateMessageRequest, call: CallContext) -> SendMessageResponse:
        """Generates another answer to the same question, as an alternative to the existing one. Errors: NOT_FOUND,
        RUN_ACTIVE.
        """

    @abstractmethod
    async def exclude_message(self, request: ExcludeMessageRequest, call: CallContext) -> ChatMessage:
        """Excludes a message from later prompts, or includes it again; it stays readable, and an event reports the change.
        Errors: NOT_FOUND.
        """

    @abstractmethod
    async def list_messages(self, request: ListMessagesRequest, call: CallContext) -> ListMessagesResponse:
        """Lists the messages of a session's current branch, oldest first, with their citations. Errors: NOT_FOUND."""

    @abstractmethod
    async def get_message(self, request: GetMessageRequest, call: CallContext) -> ChatMessage:
        """Reads one message with its citations. Errors: NOT_FOUND."""

    @abstractmethod
    async def list_citations(self, request: ListCitationsRequest, call: CallContext) -> ListCitationsResponse:
        """Lists a message's citations by number. Errors: NOT_FOUND."""

    @abstractmethod
    async def set_feedback(self, request: SetFeedbackRequest, call: CallContext) -> Feedback:
        """Sets the caller's rating of an answer, replacing an earlier one. Messages include it. In a notebook every member
        can rate the answers that they may read. Errors: NOT_FOUND, PERMISSION_DENIED (another user's conversation),
        VALIDATION_FAILED (a question).
        """

    @abstractmethod
    async def delete_feedback(self, request: DeleteFeedbackRequest, call: CallContext) -> Empty:
        """Deletes the caller's rating of an answer, if there is one. Errors: NOT_FOUND."""

    @abstractmethod
    async def set_citation_feedback(self, request: SetCitationFeedbackRequest, call: CallContext) -> Feedback:
        """Sets the caller's rating of a passage that an answer cites, replacing an earlier one. Citations include it. From
        then on the passage ranks higher or lower for similar questions: for the caller; for everyone if the caller manages
        the document; and by at most one position if two other users agree. Same access rules as SetFeedback. Errors:
        NOT_FOUND (the answer does not cite it, or the caller may not, or no longer, read its document), PERMISSION_DENIED.
        """

    @abstractmethod
    async def delete_citation_feedback(self, request: DeleteCitationFeedbackRequest, call: CallContext) -> Empty:
        """Deletes the caller's rating of a passage that an answer cites, if there is one. Errors: NOT_FOUND."""
