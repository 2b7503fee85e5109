"""

Generated from echomind/public/v1/chat_message.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import chat_message_pb2 as pb


class MessageRole(ProtoEnum):
    """Who wrote a message."""

    UNSPECIFIED = "MESSAGE_ROLE_UNSPECIFIED", 0
    """Unspecified."""
    USER = "MESSAGE_ROLE_USER", 1
    """A person."""
    ASSISTANT = "MESSAGE_ROLE_ASSISTANT", 2
    """An assistant."""
    SYSTEM = "MESSAGE_ROLE_SYSTEM", 3
    """The system."""


class MessageStatus(ProtoEnum):
    """How far a message is."""

    UNSPECIFIED = "MESSAGE_STATUS_UNSPECIFIED", 0
    """Unspecified."""
    STREAMING = "MESSAGE_STATUS_STREAMING", 1
    """Being written."""
    COMPLETED = "MESSAGE_STATUS_COMPLETED", 2
    """Whole."""
    FAILED = "MESSAGE_STATUS_FAILED", 3
    """Ended by an error; the text so far stays."""
    CANCELLED = "MESSAGE_STATUS_CANCELLED", 4
    """Ended by a person; the text so far stays."""


class Feedback(ProtoModel):
    """A person's rating of an answer, or of a passage that it cites."""

    __proto__: ClassVar = pb.Feedback

    is_positive: bool = Field(default=False, description="Whether it was helpful.")
    feedback_text: Annotated[str, Field(max_length=10000)] = Field(default="", description="The reason; may be empty.")
    creation_date: _t.Timestamp | None = Field(default=None, description="When it was first given; set by the server.")

    @classmethod
    def read_pb(cls, message: pb.Feedback) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "is_positive": message.is_positive,
            "feedback_text": message.feedback_text,
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.Feedback:
        """Makes a protobuf message."""
        return pb.Feedback(
            is_positive=self.is_positive,
            feedback_text=self.feedback_text,
            creation_date=self.creation_date,
        )


class Citation(ProtoModel):
    """Where a sentence of an answer comes from."""

    __proto__: ClassVar = pb.Citation

    number: _t.Int32 = Field(default=0, description="The number in the answer, as in `[1]`.")
    document_id: _t.Int64 | None = Field(default=None, description="The document; empty when it was removed.")
    title: str = Field(default="", description="The document's title; empty when the reader may not read it.")
    chunk_id: str = Field(default="", description="The passage's identifier.")
    snippet: str = Field(default="", description="The words of the source; empty when the reader may not read it.")
    score: _t.Float = Field(default=0.0, description="How well the passage fits the question, between 0 and 1.")
    supported: bool = Field(
        default=False,
        description="Whether the source says what the sentence says, by a check made when the answer was written.",
    )
    page: _t.Int32 | None = Field(default=None, description="The page, from 1; empty where there are none.")
    sentence_start: _t.Int32 = Field(
        default=0, description="Where the cited sentence begins in the answer, in code points."
    )
    sentence_end: _t.Int32 = Field(
        default=0, description="Where the cited sentence ends in the answer, in code points, exclusive."
    )
    chunking_session: str = Field(default="", description="Names the processing whose text the span refers to.")
    span_start: _t.Int32 = Field(default=0, description="Where the words begin in that text, in code points.")
    span_end: _t.Int32 = Field(default=0, description="Where the words end in that text, in code points, exclusive.")
    feedback: Feedback | None = Field(
        default=None,
        description="What the caller thinks of the passage; unset when they have not rated it, and in events.",
    )

    @classmethod
    def read_pb(cls, message: pb.Citation) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "number": message.number,
            "title": message.title,
            "chunk_id": message.chunk_id,
            "snippet": message.snippet,
            "score": message.score,
            "supported": message.supported,
            "sentence_start": message.sentence_start,
            "sentence_end": message.sentence_end,
            "chunking_session": message.chunking_session,
            "span_start": message.span_start,
            "span_end": message.span_end,
        }
        if message.HasField("document_id"):
            data["document_id"] = message.document_id
        if message.HasField("page"):
            data["page"] = message.page
        if message.HasField("feedback"):
            data["feedback"] = Feedback.read_pb(message.feedback)
        return data

    def to_pb(self) -> pb.Citation:
        """Makes a protobuf message."""
        return pb.Citation(
            number=self.number,
            document_id=self.document_id,
            title=self.title,
            chunk_id=self.chunk_id,
            snippet=self.snippet,
            score=self.score,
            supported=self.supported,
            page=self.page,
            sentence_start=self.sentence_start,
            sentence_end=self.sentence_end,
            chunking_session=self.chunking_session,
            span_start=self.span_start,
            span_end=self.span_end,
            feedback=None if self.feedback is None else self.feedback.to_pb(),
        )


class Attachment(ProtoModel):
    """A document that a question was asked with."""

    __proto__: ClassVar = pb.Attachment

    document_id: _t.Int64 = Field(default=0, description="The document.")
    title: str = Field(default="", description="Its title; empty when it was removed, or the reader may not read it.")
    content_type: str = Field(default="", description="Its media type; empty when its title is.")

    @classmethod
    def read_pb(cls, message: pb.Attachment) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "document_id": message.document_id,
            "title": message.title,
            "content_type": message.content_type,
        }
        return data

    def to_pb(self) -> pb.Attachment:
        """Makes a protobuf message."""
        return pb.Attachment(
            document_id=self.document_id,
            title=self.title,
            content_type=self.content_type,
        )


class RetrievedPassage(ProtoModel):
    """A passage that was found for an answer, cited or not."""

    __proto__: ClassVar = pb.RetrievedPassage

    number: _t.Int32 = Field(default=0, description="The number that the answer cites it by; 0 when it does not.")
    document_id: _t.Int64 | None = Field(
        default=None, description="The document; empty when it was removed, or the reader may not read it."
    )
    title: str = Field(default="", description="The document's title; empty when the document is.")
    chunk_id: str = Field(default="", description="The passage's identifier; empty when the document is.")
    score: _t.Float = Field(
        default=0.0, description="How well the passage fits what was searched for, between 0 and 1."
    )

    @classmethod
    def read_pb(cls, message: pb.RetrievedPassage) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "number": message.number,
            "title": message.title,
            "chunk_id": message.chunk_id,
            "score": message.score,
        }
        if message.HasField("document_id"):
            data["document_id"] = message.document_id
        return data

    def to_pb(self) -> pb.RetrievedPassage:
        """Makes a protobuf message."""
        return pb.RetrievedPassage(
            number=self.number,
            document_id=self.document_id,
            title=self.title,
            chunk_id=self.chunk_id,
            score=self.score,
        )


class CalledTool(ProtoModel):
    """A tool that was called for an answer."""

    __proto__: ClassVar = pb.CalledTool

    tool_name: str = Field(default="", description="The tool.")
    parameters: _t.Struct | None = Field(default=None, description="What it was called with.")

    @classmethod
    def read_pb(cls, message: pb.CalledTool) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "tool_name": message.tool_name,
        }
        if message.HasField("parameters"):
            data["parameters"] = _t.from_struct(message.parameters)
        return data

    def to_pb(self) -> pb.CalledTool:
        """Makes a protobuf message."""
        return pb.CalledTool(
            tool_name=self.tool_name,
            parameters=self.parameters,
        )


class ChatMessage(ProtoModel):
    """A question or an answer."""

    __proto__: ClassVar = pb.ChatMessage
    __enums__: ClassVar = {
        "role": MessageRole,
        "status": MessageStatus,
    }

    id: _t.Int64 = Field(default=0, description="Identifier.")
    chat_session_id: _t.Int32 = Field(default=0, description="Its session.")
    role: MessageRole = Field(default=MessageRole.UNSPECIFIED, description="Who wrote it.")
    content: str = Field(default="", description="The text, Markdown.")
    token_count: _t.Int32 = Field(default=0, description="How many tokens the text has.")
    parent_message_id: _t.Int64 | None = Field(default=None, description="The message before it; empty for the first.")
    rephrased_query: str = Field(
        default="", description="The question as it was searched for; empty when it was not changed."
    )
    error: str = Field(default="", description="Why it failed; empty otherwise.")
    run_id: str = Field(default="", description="The run that wrote it; empty for questions.")
    status: MessageStatus = Field(default=MessageStatus.UNSPECIFIED, description="How far it is.")
    citations: list[Citation] = Field(default_factory=list, description="Where it comes from, by number and place.")
    creation_date: _t.Timestamp | None = Field(default=None, description="When it was stored.")
    last_update: _t.Timestamp | None = Field(default=None, description="When it last changed; empty when never.")
    sibling_ids: list[_t.Int64] = Field(
        default_factory=list,
        description="All messages in its place, itself among them, oldest first: what it was edited from or to, or other answers to the same question. Empty when it is the only one, and in events.",
    )
    excluded: bool = Field(default=False, description="Whether it is left out of later prompts.")
    attachments: list[Attachment] = Field(
        default_factory=list,
        description="The documents that the question was asked with, in the order in which they were given. Empty in events.",
    )
    feedback: Feedback | None = Field(
        default=None,
        description="What the caller thinks of the answer; unset when they have not rated it, and in events.",
    )
    retrieval_context: list[RetrievedPassage] = Field(
        default_factory=list,
        description="The passages that were found for the answer, in the order in which they were found. Where details are asked for.",
    )
    tool_calls: list[CalledTool] = Field(
        default_factory=list,
        description="The tools that were called for the answer, in order; its run's steps say what they gave. Where details are asked for.",
    )
    suggested_questions: list[str] = Field(
        default_factory=list,
        description="The questions of the list that the answer ends with, each one line of it, without marks and citations; they can be asked as they are. Empty unless it ends with a list of questions.",
    )
    memory_ids: list[_t.Int32] = Field(
        default_factory=list,
        description="The memories that were in the prompt of the answer, best first. Only the person whose they are can read them, and one of them may be deleted by now.",
    )

    @classmethod
    def read_pb(cls, message: pb.ChatMessage) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "chat_session_id": message.chat_session_id,
            "role": MessageRole.numbers.get(message.role, message.role),
            "content": message.content,
            "token_count": message.token_count,
            "rephrased_query": message.rephrased_query,
            "error": message.error,
            "run_id": message.run_id,
            "status": MessageStatus.numbers.get(message.status, message.status),
            "citations": [Citation.read_pb(each) for each in message.citations],
            "sibling_ids": list(message.sibling_ids),
            "excluded": message.excluded,
            "attachments": [Attachment.read_pb(each) for each in message.attachments],
            "retrieval_context": [RetrievedPassage.read_pb(each) for each in message.retrieval_context],
            "tool_calls": [CalledTool.read_pb(each) for each in message.tool_calls],
            "suggested_questions": list(message.suggested_questions),
            "memory_ids": list(message.memory_ids),
        }
        if message.HasField("parent_message_id"):
            data["parent_message_id"] = message.parent_message_id
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        if message.HasField("feedback"):
            data["feedback"] = Feedback.read_pb(message.feedback)
        return data

    def to_pb(self) -> pb.ChatMessage:
        """Makes a protobuf message."""
        return pb.ChatMessage(
            id=self.id,
            chat_session_id=self.chat_session_id,
            role=self.role.number,
            content=self.content,
            token_count=self.token_count,
            parent_message_id=self.parent_message_id,
            rephrased_query=self.rephrased_query,
            error=self.error,
            run_id=self.run_id,
            status=self.status.number,
            citations=[each.to_pb() for each in self.citations],
            creation_date=self.creation_date,
            last_update=self.last_update,
            sibling_ids=self.sibling_ids,
            excluded=self.excluded,
            attachments=[each.to_pb() for each in self.attachments],
            feedback=None if self.feedback is None else self.feedback.to_pb(),
            retrieval_context=[each.to_pb() for each in self.retrieval_context],
            tool_calls=[each.to_pb() for each in self.tool_calls],
            suggested_questions=self.suggested_questions,
            memory_ids=self.memory_ids,
        )


class Source(ProtoModel):
    """One source of an answer."""

    __proto__: ClassVar = pb.Source

    number: _t.Int32 = Field(default=0, description="The number that the answer cites it by.")
    document_id: _t.Int64 = Field(default=0, description="The document.")
    title: str = Field(default="", description="The document's title.")
    chunk_id: str = Field(default="", description="The passage's identifier.")
    score: _t.Float = Field(default=0.0, description="How well it fits, between 0 and 1.")
    page: _t.Int32 | None = Field(default=None, description="The page, from 1; empty where there are none.")
    chunking_session: str = Field(default="", description="Names the processing whose text the passage is a part of.")
    start: _t.Int32 = Field(default=0, description="Where the passage begins in that text, in code points.")
    heading: list[str] = Field(default_factory=list, description="The headings that it stands under, outermost first.")
    language: str = Field(
        default="", description="ISO 639-1 code of its document's language; empty when it is not known."
    )

    @classmethod
    def read_pb(cls, message: pb.Source) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "number": message.number,
            "document_id": message.document_id,
            "title": message.title,
            "chunk_id": message.chunk_id,
            "score": message.score,
            "chunking_session": message.chunking_session,
            "start": message.start,
            "heading": list(message.heading),
            "language": message.language,
        }
        if message.HasField("page"):
            data["page"] = message.page
        return data

    def to_pb(self) -> pb.Source:
        """Makes a protobuf message."""
        return pb.Source(
            number=self.number,
            document_id=self.document_id,
            title=self.title,
            chunk_id=self.chunk_id,
            score=self.score,
            page=self.page,
            chunking_session=self.chunking_session,
            start=self.start,
            heading=self.heading,
            language=self.language,
        )
