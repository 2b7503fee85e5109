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
    """The role of a message in the conversation."""

    UNSPECIFIED = "MESSAGE_ROLE_UNSPECIFIED", 0
    """Unspecified."""
    USER = "MESSAGE_ROLE_USER", 1
    """A user."""
    ASSISTANT = "MESSAGE_ROLE_ASSISTANT", 2
    """An assistant."""
    SYSTEM = "MESSAGE_ROLE_SYSTEM", 3
    """The system."""


class AuthorKind(ProtoEnum):
    """Who wrote a message."""

    UNSPECIFIED = "AUTHOR_KIND_UNSPECIFIED", 0
    """Unspecified."""
    PERSON = "AUTHOR_KIND_PERSON", 1
    """The owner of the session, in this session or in another one of theirs."""
    ASSISTANT = "AUTHOR_KIND_ASSISTANT", 2
    """The assistant."""
    FOREIGN = "AUTHOR_KIND_FOREIGN", 3
    """Somebody else: it was copied from another person's session. It is read as untrusted text, and nothing is learned
    from it.
    """
    UNKNOWN = "AUTHOR_KIND_UNKNOWN", 4
    """Unknown; treated as somebody else's. Questions of somebody else that the owner has edited, as nobody knows which
    words are whose, and some messages that are older than this field.
    """


class MessageStatus(ProtoEnum):
    """Status of a message."""

    UNSPECIFIED = "MESSAGE_STATUS_UNSPECIFIED", 0
    """Unspecified."""
    STREAMING = "MESSAGE_STATUS_STREAMING", 1
    """Being written."""
    COMPLETED = "MESSAGE_STATUS_COMPLETED", 2
    """Complete."""
    FAILED = "MESSAGE_STATUS_FAILED", 3
    """Ended with an error; the text written so far is kept."""
    CANCELLED = "MESSAGE_STATUS_CANCELLED", 4
    """Cancelled; the text written so far is kept."""


class AnswerBasis(ProtoEnum):
    """What an answer stands on."""

    UNSPECIFIED = "ANSWER_BASIS_UNSPECIFIED", 0
    """Unspecified: a question, an answer that is being written, or one without text."""
    SOURCES = "ANSWER_BASIS_SOURCES", 1
    """It cites sources, by their numbers."""
    NO_SOURCE_FOUND = "ANSWER_BASIS_NO_SOURCE_FOUND", 2
    """Documents, knowledge or memories were searched, and it is based on none."""
    MODEL_ONLY = "ANSWER_BASIS_MODEL_ONLY", 3
    """Nothing was searched or read: it is from the model alone."""
    OTHER = "ANSWER_BASIS_OTHER", 4
    """It cites no source, and was written after reading something else: web pages, knowledge, memories, or what tools
    returned from elsewhere.
    """


class Feedback(ProtoModel):
    """A user's rating of an answer, or of a passage that it cites."""

    __proto__: ClassVar = pb.Feedback

    is_positive: bool = Field(default=False, description="Whether it was helpful.")
    feedback_text: Annotated[str, Field(max_length=10000)] = Field(default="", description="The reason; may be empty.")
    creation_date: _t.Timestamp | None = Field(default=None, description="Time of the first rating; set by the server.")

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
    """The source of a sentence in an answer."""

    __proto__: ClassVar = pb.Citation

    number: _t.Int32 = Field(default=0, description="The number in the answer, as in `[1]`.")
    document_id: _t.Int64 | None = Field(
        default=None, description="The document; empty if it was removed, and for a web page."
    )
    title: str = Field(
        default="", description="Title of the document or web page; empty if the reader may not read it."
    )
    chunk_id: str = Field(default="", description="ID of the passage.")
    snippet: str = Field(default="", description="The cited words; empty if the reader may not read the document.")
    score: _t.Float = Field(default=0.0, description="How well the passage matches the question, 0 to 1.")
    supported: bool = Field(
        default=False,
        description="Whether the source supports the sentence, according to a check at the time of the answer.",
    )
    page: _t.Int32 | None = Field(
        default=None, description="Page number, starting at 1; unset for documents without pages."
    )
    sentence_start: _t.Int32 = Field(
        default=0, description="Start of the cited sentence in the answer, in code points."
    )
    sentence_end: _t.Int32 = Field(
        default=0, description="End of the cited sentence in the answer, in code points, exclusive."
    )
    chunking_session: str = Field(
        default="",
        description="ID of the processing whose text `span_start` and `span_end` refer to; empty for a web page.",
    )
    span_start: _t.Int32 = Field(default=0, description="Start of the cited words in that text, in code points.")
    span_end: _t.Int32 = Field(default=0, description="End of the cited words in that text, in code points, exclusive.")
    feedback: Feedback | None = Field(
        default=None, description="The caller's rating of the passage; unset if there is none, and in events."
    )
    file_name: str = Field(
        default="", description="Name of the document's file; empty if the title is, and if the document was removed."
    )
    url: str = Field(
        default="",
        description="Address of the web page, after redirects; empty for a document. `snippet` is what was read there for this answer, as the page may change, and `span_start` and `span_end` refer to the page's text at that time.",
    )
    verified: bool = Field(
        default=False,
        description="Whether a model has compared the sentence with its source, after the check of words, and decided `supported`.",
    )
    original_url: str = Field(
        default="",
        description="Address of the document in the system that its connector reads, an `http` or `https` URL; empty if there is none, if the title is, if the document was removed, and in events.",
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
            "file_name": message.file_name,
            "url": message.url,
            "verified": message.verified,
            "original_url": message.original_url,
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
            file_name=self.file_name,
            url=self.url,
            verified=self.verified,
            original_url=self.original_url,
        )


class Attachment(ProtoModel):
    """A document attached to a question."""

    __proto__: ClassVar = pb.Attachment

    document_id: _t.Int64 = Field(default=0, description="The document.")
    title: str = Field(default="", description="Its title; empty if it was removed or the reader may not read it.")
    content_type: str = Field(default="", description="Its media type; empty if the title is empty.")

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
    """A passage that was retrieved for an answer, cited or not."""

    __proto__: ClassVar = pb.RetrievedPassage

    number: _t.Int32 = Field(default=0, description="Its number in the answer; 0 if it is not cited.")
    document_id: _t.Int64 | None = Field(
        default=None,
        description="The document; empty if it was removed or the reader may not read it, and for a web page.",
    )
    title: str = Field(
        default="", description="Title of the document or web page; empty if the reader may not read it."
    )
    chunk_id: str = Field(default="", description="ID of the passage; empty if the title is.")
    score: _t.Float = Field(
        default=0.0, description="How well the passage matches the query, 0 to 1; 0 for a web page."
    )
    url: str = Field(default="", description="Address of the web page; empty for a document.")

    @classmethod
    def read_pb(cls, message: pb.RetrievedPassage) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "number": message.number,
            "title": message.title,
            "chunk_id": message.chunk_id,
            "score": message.score,
            "url": message.url,
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
            url=self.url,
        )


class CalledTool(ProtoModel):
    """A tool that was called for an answer."""

    __proto__: ClassVar = pb.CalledTool

    tool_name: str = Field(default="", description="The tool.")
    parameters: _t.Struct | None = Field(default=None, description="Its arguments.")

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
        "author_kind": AuthorKind,
        "basis": AnswerBasis,
    }

    id: _t.Int64 = Field(default=0, description="Identifier.")
    chat_session_id: _t.Int32 = Field(default=0, description="ID of its session.")
    role: MessageRole = Field(default=MessageRole.UNSPECIFIED, description="Its role in the conversation.")
    content: str = Field(
        default="", description="The text, in Markdown. Numbers of an answer that name no source are removed."
    )
    token_count: _t.Int32 = Field(default=0, description="Number of tokens of the text.")
    parent_message_id: _t.Int64 | None = Field(default=None, description="The previous message; empty for the first.")
    rephrased_query: str = Field(
        default="", description="The question as rewritten for the search; empty if it was not rewritten."
    )
    error: str = Field(default="", description="The error message; empty if it did not fail.")
    run_id: str = Field(default="", description="The run that wrote it; empty for questions.")
    status: MessageStatus = Field(default=MessageStatus.UNSPECIFIED, description="Status.")
    citations: list[Citation] = Field(default_factory=list, description="Citations, by number and position.")
    creation_date: _t.Timestamp | None = Field(default=None, description="Time at which it was stored.")
    last_update: _t.Timestamp | None = Field(
        default=None, description="Time of the last change; empty if never changed."
    )
    sibling_ids: list[_t.Int64] = Field(
        default_factory=list,
        description="IDs of all alternatives of this message including itself, oldest first: edits of the question, or other answers to the same question. Empty if there is only one, and in events.",
    )
    excluded: bool = Field(default=False, description="Whether it is excluded from later prompts.")
    attachments: list[Attachment] = Field(
        default_factory=list, description="Documents attached to the question, in order. Empty in events."
    )
    feedback: Feedback | None = Field(
        default=None, description="The caller's rating of the answer; unset if there is none, and in events."
    )
    retrieval_context: list[RetrievedPassage] = Field(
        default_factory=list,
        description="Passages that were retrieved for the answer, in order. Only if details are requested.",
    )
    tool_calls: list[CalledTool] = Field(
        default_factory=list,
        description="Tools that were called for the answer, in order; the steps of the run have their results. Only if details are requested.",
    )
    author_kind: AuthorKind = Field(default=AuthorKind.UNSPECIFIED, description="Who wrote it; set by the server.")
    suggested_questions: list[str] = Field(
        default_factory=list,
        description="Follow-up questions that the answer ends with, one per line of the list, without markup and citations. Empty if it does not end with a list of questions.",
    )
    memory_ids: list[_t.Int32] = Field(
        default_factory=list,
        description="IDs of the memories in the prompt of the answer, best first. Only their owner can read them; some may have been deleted since.",
    )
    basis: AnswerBasis = Field(
        default=AnswerBasis.UNSPECIFIED, description="What the answer stands on; unspecified while it is being written."
    )
    other_tools: list[str] = Field(
        default_factory=list,
        description="Names of the tools whose results the answer was written after, besides those that search documents: of web pages, knowledge, memories and other services; also those that its sub-agents called. Empty while it is being written.",
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
            "author_kind": AuthorKind.numbers.get(message.author_kind, message.author_kind),
            "suggested_questions": list(message.suggested_questions),
            "memory_ids": list(message.memory_ids),
            "basis": AnswerBasis.numbers.get(message.basis, message.basis),
            "other_tools": list(message.other_tools),
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
            author_kind=self.author_kind.number,
            suggested_questions=self.suggested_questions,
            memory_ids=self.memory_ids,
            basis=self.basis.number,
            other_tools=self.other_tools,
        )


class Source(ProtoModel):
    """A source of an answer."""

    __proto__: ClassVar = pb.Source

    number: _t.Int32 = Field(default=0, description="Its number in the answer.")
    document_id: _t.Int64 = Field(default=0, description="The document; 0 for a web page.")
    title: str = Field(default="", description="The document's or web page's title.")
    chunk_id: str = Field(default="", description="ID of the passage.")
    score: _t.Float = Field(default=0.0, description="How well it matches, 0 to 1; 0 for a web page.")
    page: _t.Int32 | None = Field(
        default=None, description="Page number, starting at 1; unset for documents without pages."
    )
    chunking_session: str = Field(default="", description="ID of the processing whose text the passage is part of.")
    start: _t.Int32 = Field(default=0, description="Start of the passage in that text, in code points.")
    heading: list[str] = Field(default_factory=list, description="Headings above the passage, outermost first.")
    language: str = Field(default="", description="ISO 639-1 code of the document's language; empty if unknown.")
    url: str = Field(default="", description="Address of the web page; empty for a document.")

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
            "url": message.url,
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
            url=self.url,
        )
