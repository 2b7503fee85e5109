"""

Generated from echomind/public/v1/feedback_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Method, ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.chat_message import Feedback
from echomind_lib.pb.echomind.public.v1 import feedback_service_pb2 as pb


class FeedbackSubject(ProtoEnum):
    """What feedback is about."""

    UNSPECIFIED = "FEEDBACK_SUBJECT_UNSPECIFIED", 0
    """Unspecified."""
    ANSWER = "FEEDBACK_SUBJECT_ANSWER", 1
    """A whole answer."""
    PASSAGE = "FEEDBACK_SUBJECT_PASSAGE", 2
    """A passage that an answer cites."""


class ListFeedbackRequest(ProtoModel):
    """Request of ListFeedback."""

    __proto__: ClassVar = pb.ListFeedbackRequest
    __enums__: ClassVar = {
        "subject": FeedbackSubject,
    }

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )
    is_positive: bool | None = Field(
        default=None, description="Only helpful (true) or not helpful (false) ratings; unset means both."
    )
    assistant_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Only feedback on answers of this assistant; 0 means all."
    )
    llm_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Only feedback on answers of this chat model; 0 means all."
    )
    user_id: Annotated[_t.Int32, Field(ge=0)] = Field(default=0, description="Only feedback of this user; 0 means all.")
    with_text: bool = Field(default=False, description="Only feedback with a reason.")
    from_time: _t.Timestamp | None = Field(
        default=None, description="Only feedback from this time on; empty means all."
    )
    subject: FeedbackSubject = Field(
        default=FeedbackSubject.UNSPECIFIED,
        description="Only feedback on answers, or on passages; unspecified means both.",
    )
    connector_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Only feedback on passages of this connector's documents; 0 means all."
    )

    @classmethod
    def read_pb(cls, message: pb.ListFeedbackRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
            "assistant_id": message.assistant_id,
            "llm_id": message.llm_id,
            "user_id": message.user_id,
            "with_text": message.with_text,
            "subject": FeedbackSubject.numbers.get(message.subject, message.subject),
            "connector_id": message.connector_id,
        }
        if message.HasField("is_positive"):
            data["is_positive"] = message.is_positive
        if message.HasField("from_time"):
            data["from_time"] = message.from_time.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.ListFeedbackRequest:
        """Makes a protobuf message."""
        return pb.ListFeedbackRequest(
            page_size=self.page_size,
            page_token=self.page_token,
            is_positive=self.is_positive,
            assistant_id=self.assistant_id,
            llm_id=self.llm_id,
            user_id=self.user_id,
            with_text=self.with_text,
            from_time=self.from_time,
            subject=self.subject.number,
            connector_id=self.connector_id,
        )


class ListedFeedback(ProtoModel):
    """Feedback and its context."""

    __proto__: ClassVar = pb.ListedFeedback
    __enums__: ClassVar = {
        "subject": FeedbackSubject,
    }

    feedback: Feedback | None = Field(default=None, description="The feedback.")
    user_id: _t.Int32 = Field(default=0, description="ID of the user who gave it.")
    user_name: str = Field(default="", description="Their user name.")
    message_id: _t.Int64 = Field(default=0, description="The answer.")
    chat_session_id: _t.Int32 = Field(default=0, description="The answer's conversation.")
    chat_session_title: str = Field(default="", description="Title of the conversation.")
    question: str = Field(default="", description="The question, truncated to 500 characters.")
    answer: str = Field(default="", description="The answer, truncated to 500 characters.")
    run_id: str = Field(default="", description="ID of the run that wrote the answer; empty if it was purged.")
    assistant_id: _t.Int32 = Field(default=0, description="ID of the assistant; 0 if unknown.")
    assistant_name: str = Field(default="", description="Name of the assistant.")
    llm_id: _t.Int32 = Field(default=0, description="ID of the chat model; 0 if unknown.")
    llm_name: str = Field(default="", description="Name of the chat model.")
    subject: FeedbackSubject = Field(default=FeedbackSubject.UNSPECIFIED, description="What it is about.")
    chunk_id: str = Field(default="", description="ID of the passage; empty for feedback on the answer.")
    document_id: _t.Int64 = Field(default=0, description="ID of the passage's document; 0 for feedback on the answer.")
    document_title: str = Field(default="", description="The document's title.")
    snippet: str = Field(default="", description="The cited words of the passage.")

    @classmethod
    def read_pb(cls, message: pb.ListedFeedback) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "user_id": message.user_id,
            "user_name": message.user_name,
            "message_id": message.message_id,
            "chat_session_id": message.chat_session_id,
            "chat_session_title": message.chat_session_title,
            "question": message.question,
            "answer": message.answer,
            "run_id": message.run_id,
            "assistant_id": message.assistant_id,
            "assistant_name": message.assistant_name,
            "llm_id": message.llm_id,
            "llm_name": message.llm_name,
            "subject": FeedbackSubject.numbers.get(message.subject, message.subject),
            "chunk_id": message.chunk_id,
            "document_id": message.document_id,
            "document_title": message.document_title,
            "snippet": message.snippet,
        }
        if message.HasField("feedback"):
            data["feedback"] = Feedback.read_pb(message.feedback)
        return data

    def to_pb(self) -> pb.ListedFeedback:
        """Makes a protobuf message."""
        return pb.ListedFeedback(
            feedback=None if self.feedback is None else self.feedback.to_pb(),
            user_id=self.user_id,
            user_name=self.user_name,
            message_id=self.message_id,
            chat_session_id=self.chat_session_id,
            chat_session_title=self.chat_session_title,
            question=self.question,
            answer=self.answer,
            run_id=self.run_id,
            assistant_id=self.assistant_id,
            assistant_name=self.assistant_name,
            llm_id=self.llm_id,
            llm_name=self.llm_name,
            subject=self.subject.number,
            chunk_id=self.chunk_id,
            document_id=self.document_id,
            document_title=self.document_title,
            snippet=self.snippet,
        )


class ListFeedbackResponse(ProtoModel):
    """Response of ListFeedback."""

    __proto__: ClassVar = pb.ListFeedbackResponse

    feedback: list[ListedFeedback] = Field(default_factory=list, description="The feedback.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListFeedbackResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "feedback": [ListedFeedback.read_pb(each) for each in message.feedback],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListFeedbackResponse:
        """Makes a protobuf message."""
        return pb.ListFeedbackResponse(
            feedback=[each.to_pb() for each in self.feedback],
            next_page_token=self.next_page_token,
        )


class GetFeedbackRatesRequest(ProtoModel):
    """Request of GetFeedbackRates."""

    __proto__: ClassVar = pb.GetFeedbackRatesRequest

    from_time: _t.Timestamp | None = Field(
        default=None, description="Only answers to questions from this time on; empty means all."
    )

    @classmethod
    def read_pb(cls, message: pb.GetFeedbackRatesRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("from_time"):
            data["from_time"] = message.from_time.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.GetFeedbackRatesRequest:
        """Makes a protobuf message."""
        return pb.GetFeedbackRatesRequest(
            from_time=self.from_time,
        )


class FeedbackRate(ProtoModel):
    """Ratings of the answers of one assistant or chat model, or of the answers that cite one source."""

    __proto__: ClassVar = pb.FeedbackRate

    id: _t.Int32 = Field(default=0, description="ID of the assistant, chat model or connector; 0 if unknown.")
    name: str = Field(default="", description="Its name.")
    answers: _t.Int64 = Field(default=0, description="Number of answers, rated or not.")
    helpful_answers: _t.Int64 = Field(default=0, description="Number of ratings of answers as helpful.")
    unhelpful_answers: _t.Int64 = Field(default=0, description="Number of ratings of answers as not helpful.")
    helpful_passages: _t.Int64 = Field(
        default=0, description="Number of ratings of cited passages as helpful; for a source, only of its passages."
    )
    unhelpful_passages: _t.Int64 = Field(default=0, description="Number of ratings of cited passages as not helpful.")

    @classmethod
    def read_pb(cls, message: pb.FeedbackRate) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "name": message.name,
            "answers": message.answers,
            "helpful_answers": message.helpful_answers,
            "unhelpful_answers": message.unhelpful_answers,
            "helpful_passages": message.helpful_passages,
            "unhelpful_passages": message.unhelpful_passages,
        }
        return data

    def to_pb(self) -> pb.FeedbackRate:
        """Makes a protobuf message."""
        return pb.FeedbackRate(
            id=self.id,
            name=self.name,
            answers=self.answers,
            helpful_answers=self.helpful_answers,
            unhelpful_answers=self.unhelpful_answers,
            helpful_passages=self.helpful_passages,
            unhelpful_passages=self.unhelpful_passages,
        )


class FeedbackRates(ProtoModel):
    """Response of GetFeedbackRates. Removed conversations are not counted."""

    __proto__: ClassVar = pb.FeedbackRates

    assistants: list[FeedbackRate] = Field(default_factory=list, description="By assistant, most answers first.")
    llms: list[FeedbackRate] = Field(default_factory=list, description="By chat model, most answers first.")
    sources: list[FeedbackRate] = Field(
        default_factory=list, description="By connector of the cited documents, most answers first."
    )

    @classmethod
    def read_pb(cls, message: pb.FeedbackRates) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "assistants": [FeedbackRate.read_pb(each) for each in message.assistants],
            "llms": [FeedbackRate.read_pb(each) for each in message.llms],
            "sources": [FeedbackRate.read_pb(each) for each in message.sources],
        }
        return data

    def to_pb(self) -> pb.FeedbackRates:
        """Makes a protobuf message."""
        return pb.FeedbackRates(
            assistants=[each.to_pb() for each in self.assistants],
            llms=[each.to_pb() for each in self.llms],
            sources=[each.to_pb() for each in self.sources],
        )


class FeedbackService(ABC):
    """Feedback of all users on answers and cited passages; ChatMessageService.SetFeedback and SetCitationFeedback set the
    caller's own.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["FeedbackService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListFeedback", "list_feedback", ListFeedbackRequest, ListFeedbackResponse),
        Method("GetFeedbackRates", "get_feedback_rates", GetFeedbackRatesRequest, FeedbackRates),
    )

    @abstractmethod
    async def list_feedback(self, request: ListFeedbackRequest, call: CallContext) -> ListFeedbackResponse:
        """Lists the feedback of all users, newest first. Needs `superadmin`; audited, as it shows their questions."""

    @abstractmethod
    async def get_feedback_rates(self, request: GetFeedbackRatesRequest, call: CallContext) -> FeedbackRates:
        """Counts ratings of answers and passages by assistant, chat model and source. Needs `superadmin`."""
