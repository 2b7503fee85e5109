"""

Generated from echomind/public/v1/feedback_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Method, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.chat_message import Feedback
from echomind_lib.pb.echomind.public.v1 import feedback_service_pb2 as pb


class ListFeedbackRequest(ProtoModel):
    """Request of ListFeedback."""

    __proto__: ClassVar = pb.ListFeedbackRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(default=0, description="How many at most; 0 means 50.")
    page_token: str = Field(default="", description="Where to continue: `next_page_token` of the page before.")
    is_positive: bool | None = Field(
        default=None, description="Only helpful or only not helpful answers; unset means both."
    )
    assistant_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Only about answers of this assistant; 0 means all."
    )
    llm_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Only about answers of this chat model; 0 means all."
    )
    user_id: Annotated[_t.Int32, Field(ge=0)] = Field(default=0, description="Only of this person; 0 means all.")
    with_text: bool = Field(default=False, description="Only with a reason.")
    from_time: _t.Timestamp | None = Field(default=None, description="Only from then on; empty means all.")

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
        )


class ListedFeedback(ProtoModel):
    """Feedback with what it is about."""

    __proto__: ClassVar = pb.ListedFeedback

    feedback: Feedback | None = Field(default=None, description="The feedback.")
    user_id: _t.Int32 = Field(default=0, description="Who gave it.")
    user_name: str = Field(default="", description="Their user name.")
    message_id: _t.Int64 = Field(default=0, description="The answer.")
    chat_session_id: _t.Int32 = Field(default=0, description="The answer's conversation.")
    chat_session_title: str = Field(default="", description="The conversation's title.")
    question: str = Field(default="", description="The question, at most 500 characters of it.")
    answer: str = Field(default="", description="The answer, at most 500 characters of it.")
    run_id: str = Field(default="", description="The run that wrote the answer; empty when it was purged.")
    assistant_id: _t.Int32 = Field(default=0, description="The assistant; 0 when it is not known.")
    assistant_name: str = Field(default="", description="The assistant's name.")
    llm_id: _t.Int32 = Field(default=0, description="The chat model; 0 when it is not known.")
    llm_name: str = Field(default="", description="The chat model's name.")

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
        )


class ListFeedbackResponse(ProtoModel):
    """Response of ListFeedback."""

    __proto__: ClassVar = pb.ListFeedbackResponse

    feedback: list[ListedFeedback] = Field(default_factory=list, description="The feedback.")
    next_page_token: str = Field(default="", description="For the next page; empty on the last.")

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


class FeedbackService(ABC):
    """What people said about answers; one's own feedback is given by ChatMessageService.SetFeedback."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["FeedbackService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListFeedback", "list_feedback", ListFeedbackRequest, ListFeedbackResponse),
    )

    @abstractmethod
    async def list_feedback(self, request: ListFeedbackRequest, call: CallContext) -> ListFeedbackResponse:
        """Lists the feedback of all people, newest first. Needs `superadmin`; audited, as it shows their questions."""
