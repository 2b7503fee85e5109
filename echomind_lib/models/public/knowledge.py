"""

Generated from echomind/public/v1/knowledge.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import PatchModel, ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import knowledge_pb2 as pb


class KnowledgeLevel(ProtoEnum):
    """Who can find an entity."""

    UNSPECIFIED = "KNOWLEDGE_LEVEL_UNSPECIFIED", 0
    """As KNOWLEDGE_LEVEL_INDIVIDUAL; in filters all levels."""
    PUBLIC = "KNOWLEDGE_LEVEL_PUBLIC", 1
    """Everyone, and it may be shared outside the organization."""
    ORGANIZATION = "KNOWLEDGE_LEVEL_ORGANIZATION", 2
    """Everyone in the organization."""
    INDIVIDUAL = "KNOWLEDGE_LEVEL_INDIVIDUAL", 3
    """Only its owner."""


class KnowledgeSourceType(ProtoEnum):
    """Origin of an entity."""

    UNSPECIFIED = "KNOWLEDGE_SOURCE_TYPE_UNSPECIFIED", 0
    """Unknown; in filters any."""
    CONVERSATION = "KNOWLEDGE_SOURCE_TYPE_CONVERSATION", 1
    """Extracted from a conversation, or from a failed run."""
    DOCUMENT = "KNOWLEDGE_SOURCE_TYPE_DOCUMENT", 2
    """Written by a person, based on documents."""
    MANUAL = "KNOWLEDGE_SOURCE_TYPE_MANUAL", 3
    """Written by a person."""
    ANSWER = "KNOWLEDGE_SOURCE_TYPE_ANSWER", 4
    """An answer that a person saved."""


class KnowledgeReviewStatus(ProtoEnum):
    """Review status of an entity."""

    UNSPECIFIED = "KNOWLEDGE_REVIEW_STATUS_UNSPECIFIED", 0
    """As KNOWLEDGE_REVIEW_STATUS_NONE."""
    NONE = "KNOWLEDGE_REVIEW_STATUS_NONE", 1
    """Not proposed."""
    PROPOSED = "KNOWLEDGE_REVIEW_STATUS_PROPOSED", 2
    """Proposed by its owner; waiting for a superadmin."""
    APPROVED = "KNOWLEDGE_REVIEW_STATUS_APPROVED", 3
    """Approved by a superadmin."""
    REJECTED = "KNOWLEDGE_REVIEW_STATUS_REJECTED", 4
    """Rejected by a superadmin; `review_comment` says why."""


class KnowledgeOrder(ProtoEnum):
    """Sort order of entities."""

    UNSPECIFIED = "KNOWLEDGE_ORDER_UNSPECIFIED", 0
    """As KNOWLEDGE_ORDER_NEWEST."""
    NEWEST = "KNOWLEDGE_ORDER_NEWEST", 1
    """Newest first."""
    MOST_USED = "KNOWLEDGE_ORDER_MOST_USED", 2
    """Most often used first."""
    CONFIDENCE = "KNOWLEDGE_ORDER_CONFIDENCE", 3
    """Highest confidence first, ignoring age."""


class TextChange(ProtoEnum):
    """How a part of a text differs in a comparison."""

    UNSPECIFIED = "TEXT_CHANGE_UNSPECIFIED", 0
    """Never sent."""
    KEPT = "TEXT_CHANGE_KEPT", 1
    """In both texts."""
    REMOVED = "TEXT_CHANGE_REMOVED", 2
    """Only in the stored text."""
    ADDED = "TEXT_CHANGE_ADDED", 3
    """Only in the proposed text."""


class KnowledgeSource(ProtoModel):
    """A document that an entity was drawn from."""

    __proto__: ClassVar = pb.KnowledgeSource

    document_id: Annotated[_t.Int64, Field(gt=0)] = Field(description="The document.")
    title: str = Field(default="", description="Its title; set by the server.")

    @classmethod
    def read_pb(cls, message: pb.KnowledgeSource) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "document_id": message.document_id,
            "title": message.title,
        }
        return data

    def to_pb(self) -> pb.KnowledgeSource:
        """Makes a protobuf message."""
        return pb.KnowledgeSource(
            document_id=self.document_id,
            title=self.title,
        )


class KnowledgeFeedback(ProtoModel):
    """A user's feedback on an entity. There is one per user."""

    __proto__: ClassVar = pb.KnowledgeFeedback

    helpful: bool | None = Field(default=None, description="Whether it was helpful; unset for no opinion.")
    accuracy_rating: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="How accurate it is, 1 to 5; 0 for no rating."
    )
    comment: Annotated[str, Field(max_length=4000)] = Field(default="", description="Comment; may be empty.")
    chat_session_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="ID of the caller's conversation in which it was used; 0 for none."
    )
    used_in_step: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Number of the step in which it was used; 0 for none."
    )
    user_id: _t.Int32 = Field(default=0, description="ID of its author; set by the server.")
    user_name: str = Field(default="", description="User name of its author; set by the server.")
    creation_date: _t.Timestamp | None = Field(default=None, description="Time of the first rating; set by the server.")
    last_update: _t.Timestamp | None = Field(
        default=None, description="Time of the last change; empty if never changed."
    )

    @classmethod
    def read_pb(cls, message: pb.KnowledgeFeedback) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "accuracy_rating": message.accuracy_rating,
            "comment": message.comment,
            "chat_session_id": message.chat_session_id,
            "used_in_step": message.used_in_step,
            "user_id": message.user_id,
            "user_name": message.user_name,
        }
        if message.HasField("helpful"):
            data["helpful"] = message.helpful
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.KnowledgeFeedback:
        """Makes a protobuf message."""
        return pb.KnowledgeFeedback(
            helpful=self.helpful,
            accuracy_rating=self.accuracy_rating,
            comment=self.comment,
            chat_session_id=self.chat_session_id,
            used_in_step=self.used_in_step,
            user_id=self.user_id,
            user_name=self.user_name,
            creation_date=self.creation_date,
            last_update=self.last_update,
        )


class KnowledgeEntity(ProtoModel):
    """A piece of knowledge: a fact, a way of working, a lesson."""

    __proto__: ClassVar = pb.KnowledgeEntity
    __enums__: ClassVar = {
        "level": KnowledgeLevel,
        "source_type": KnowledgeSourceType,
        "review_status": KnowledgeReviewStatus,
        "proposed_level": KnowledgeLevel,
    }

    id: _t.Int64 = Field(default=0, description="Identifier; set by the server.")
    user_id: _t.Int32 = Field(default=0, description="ID of its owner; 0 if the account was purged. Set by the server.")
    user_name: str = Field(default="", description="User name of its author; set by the server.")
    level: KnowledgeLevel = Field(
        default=KnowledgeLevel.UNSPECIFIED, description="Who can find it. Set by the server, except for `superadmin`."
    )
    source_type: KnowledgeSourceType = Field(
        default=KnowledgeSourceType.UNSPECIFIED, description="Origin; set by the server."
    )
    title: Annotated[str, Field(min_length=1, max_length=200), _r.NAME] = Field(description="Its title.")
    content: Annotated[str, Field(min_length=1, max_length=4000)] = Field(
        description="Its content: one matter, understandable on its own."
    )
    category: Annotated[str, Field(max_length=100)] = Field(
        default="", description="Its category, such as `methodology`, `preference` or `error_lesson`; may be empty."
    )
    tags: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=50), _r.NAME]], Field(max_length=20), _r.UNIQUE
    ] = Field(default_factory=list, description="Keywords.")
    sources: Annotated[list[KnowledgeSource], Field(max_length=50)] = Field(
        default_factory=list,
        description="The documents that it is based on. Only users who may read all of them can see it.",
    )
    confidence: _t.Float = Field(
        default=0.0,
        description="Probability that it is correct, 0 to 1, from origin, feedback, use and age. Set by the server.",
    )
    confidence_bound: _t.Float = Field(
        default=0.0, description="Lower bound of its confidence at the 90 % level, 0 to 1. Set by the server."
    )
    usage_count: _t.Int32 = Field(
        default=0, description="Number of searches by agents that returned it; set by the server."
    )
    last_used_at: _t.Timestamp | None = Field(
        default=None, description="Time of the last one; empty if never. Set by the server."
    )
    source_session_id: _t.Int32 = Field(
        default=0,
        description="ID of the conversation that it comes from; 0 for none, and for everyone but its owner. Set by the server.",
    )
    session_time: _t.Timestamp | None = Field(
        default=None, description="Time of that conversation; empty for none. Set by the server."
    )
    review_status: KnowledgeReviewStatus = Field(
        default=KnowledgeReviewStatus.UNSPECIFIED, description="Review status; set by the server."
    )
    proposed_level: KnowledgeLevel = Field(
        default=KnowledgeLevel.UNSPECIFIED, description="The level that it is proposed for; set by the server."
    )
    proposed_at: _t.Timestamp | None = Field(
        default=None, description="When it was proposed; empty if never. Set by the server."
    )
    proposal_note: str = Field(default="", description="Its owner's note on the proposal; set by the server.")
    review_comment: str = Field(default="", description="The superadmin's comment; set by the server.")
    reviewed_at: _t.Timestamp | None = Field(
        default=None, description="When it was approved or rejected; empty if never. Set by the server."
    )
    review_after: _t.Timestamp | None = Field(
        default=None,
        description="Until when it is verified; then it ranks lower. Empty if it was never verified. Set by the server.",
    )
    is_verified: bool = Field(default=False, description="Whether it is verified now; set by the server.")
    revision: _t.Int32 = Field(
        default=0,
        description="Incremented by each change of its content; an approval names the revision that was read. Set by the server.",
    )
    my_feedback: KnowledgeFeedback | None = Field(
        default=None, description="The caller's feedback; unset for none. Set by the server."
    )
    helpful_count: _t.Int32 = Field(default=0, description="Number of users who found it helpful; set by the server.")
    not_helpful_count: _t.Int32 = Field(default=0, description="Number of users who did not; set by the server.")
    can_manage: bool = Field(default=False, description="Whether the caller may change it; set by the server.")
    creation_date: _t.Timestamp | None = Field(default=None, description="Creation time; set by the server.")
    last_update: _t.Timestamp | None = Field(
        default=None, description="Time of the last change; empty if never changed."
    )
    source_message_ids: list[_t.Int64] = Field(
        default_factory=list,
        description="IDs of the messages that state it, or of the answer that was saved; empty for everyone but its owner. Set by the server.",
    )
    source_run_id: str = Field(
        default="",
        description="ID of the failed run that it is a lesson from; empty for none, and for everyone but its owner. Set by the server.",
    )

    @classmethod
    def read_pb(cls, message: pb.KnowledgeEntity) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "user_id": message.user_id,
            "user_name": message.user_name,
            "level": KnowledgeLevel.numbers.get(message.level, message.level),
            "source_type": KnowledgeSourceType.numbers.get(message.source_type, message.source_type),
            "title": message.title,
            "content": message.content,
            "category": message.category,
            "tags": list(message.tags),
            "sources": [KnowledgeSource.read_pb(each) for each in message.sources],
            "confidence": message.confidence,
            "confidence_bound": message.confidence_bound,
            "usage_count": message.usage_count,
            "source_session_id": message.source_session_id,
            "review_status": KnowledgeReviewStatus.numbers.get(message.review_status, message.review_status),
            "proposed_level": KnowledgeLevel.numbers.get(message.proposed_level, message.proposed_level),
            "proposal_note": message.proposal_note,
            "review_comment": message.review_comment,
            "is_verified": message.is_verified,
            "revision": message.revision,
            "helpful_count": message.helpful_count,
            "not_helpful_count": message.not_helpful_count,
            "can_manage": message.can_manage,
            "source_message_ids": list(message.source_message_ids),
            "source_run_id": message.source_run_id,
        }
        if message.HasField("last_used_at"):
            data["last_used_at"] = message.last_used_at.ToDatetime(UTC)
        if message.HasField("session_time"):
            data["session_time"] = message.session_time.ToDatetime(UTC)
        if message.HasField("proposed_at"):
            data["proposed_at"] = message.proposed_at.ToDatetime(UTC)
        if message.HasField("reviewed_at"):
            data["reviewed_at"] = message.reviewed_at.ToDatetime(UTC)
        if message.HasField("review_after"):
            data["review_after"] = message.review_after.ToDatetime(UTC)
        if message.HasField("my_feedback"):
            data["my_feedback"] = KnowledgeFeedback.read_pb(message.my_feedback)
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.KnowledgeEntity:
        """Makes a protobuf message."""
        return pb.KnowledgeEntity(
            id=self.id,
            user_id=self.user_id,
            user_name=self.user_name,
            level=self.level.number,
            source_type=self.source_type.number,
            title=self.title,
            content=self.content,
            category=self.category,
            tags=self.tags,
            sources=[each.to_pb() for each in self.sources],
            confidence=self.confidence,
            confidence_bound=self.confidence_bound,
            usage_count=self.usage_count,
            last_used_at=self.last_used_at,
            source_session_id=self.source_session_id,
            session_time=self.session_time,
            review_status=self.review_status.number,
            proposed_level=self.proposed_level.number,
            proposed_at=self.proposed_at,
            proposal_note=self.proposal_note,
            review_comment=self.review_comment,
            reviewed_at=self.reviewed_at,
            review_after=self.review_after,
            is_verified=self.is_verified,
            revision=self.revision,
            my_feedback=None if self.my_feedback is None else self.my_feedback.to_pb(),
            helpful_count=self.helpful_count,
            not_helpful_count=self.not_helpful_count,
            can_manage=self.can_manage,
            creation_date=self.creation_date,
            last_update=self.last_update,
            source_message_ids=self.source_message_ids,
            source_run_id=self.source_run_id,
        )


class KnowledgeEntityPatch(PatchModel, KnowledgeEntity):
    """New values of KnowledgeEntity: what is not given stays as it is, null resets to the default."""

    title: Annotated[str, Field(min_length=1, max_length=200), _r.NAME] = Field(default="", description="Its title.")
    content: Annotated[str, Field(min_length=1, max_length=4000)] = Field(
        default="", description="Its content: one matter, understandable on its own."
    )


class KnowledgeHit(ProtoModel):
    """An entity that matches a query."""

    __proto__: ClassVar = pb.KnowledgeHit

    knowledge: KnowledgeEntity = Field(description="The entity.")
    score: _t.Float = Field(
        default=0.0,
        description="How well it matches, 0 to 1: its similarity, lowered by low confidence and an expired review.",
    )
    likeness: _t.Float = Field(default=0.0, description="Semantic similarity, 0 to 1.")

    @classmethod
    def read_pb(cls, message: pb.KnowledgeHit) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "score": message.score,
            "likeness": message.likeness,
        }
        if message.HasField("knowledge"):
            data["knowledge"] = KnowledgeEntity.read_pb(message.knowledge)
        return data

    def to_pb(self) -> pb.KnowledgeHit:
        """Makes a protobuf message."""
        return pb.KnowledgeHit(
            knowledge=None if self.knowledge is None else self.knowledge.to_pb(),
            score=self.score,
            likeness=self.likeness,
        )


class TextDifference(ProtoModel):
    """A part of a comparison of two texts."""

    __proto__: ClassVar = pb.TextDifference
    __enums__: ClassVar = {
        "change": TextChange,
    }

    change: TextChange = Field(default=TextChange.UNSPECIFIED, description="How it differs.")
    text: str = Field(default="", description="The text.")

    @classmethod
    def read_pb(cls, message: pb.TextDifference) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "change": TextChange.numbers.get(message.change, message.change),
            "text": message.text,
        }
        return data

    def to_pb(self) -> pb.TextDifference:
        """Makes a protobuf message."""
        return pb.TextDifference(
            change=self.change.number,
            text=self.text,
        )


class KnowledgeRevision(ProtoModel):
    """The state of an entity after a change."""

    __proto__: ClassVar = pb.KnowledgeRevision
    __enums__: ClassVar = {
        "level": KnowledgeLevel,
    }

    revision: _t.Int32 = Field(
        default=0, description="Revision number, starting at 1; numbers may be missing where no history was kept."
    )
    level: KnowledgeLevel = Field(default=KnowledgeLevel.UNSPECIFIED, description="Level.")
    title: str = Field(default="", description="Title.")
    content: str = Field(default="", description="Content.")
    category: str = Field(default="", description="Category; may be empty.")
    tags: list[str] = Field(default_factory=list, description="Tags.")
    user_id: _t.Int32 = Field(
        default=0,
        description="ID of the user who made the change, or for whom it was learned; 0 if the account was deleted.",
    )
    user_name: str = Field(default="", description="Name of that user; empty if the account was deleted.")
    chat_session_id: _t.Int32 = Field(
        default=0,
        description="ID of the conversation that the change was learned from, for the entity's owner only; 0 for a change by a person, and if the conversation was deleted.",
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="Time of the change.")
    differences: list[TextDifference] = Field(
        default_factory=list,
        description="Differences to the content of the previous revision; empty for the first one and if the content is the same.",
    )

    @classmethod
    def read_pb(cls, message: pb.KnowledgeRevision) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "revision": message.revision,
            "level": KnowledgeLevel.numbers.get(message.level, message.level),
            "title": message.title,
            "content": message.content,
            "category": message.category,
            "tags": list(message.tags),
            "user_id": message.user_id,
            "user_name": message.user_name,
            "chat_session_id": message.chat_session_id,
            "differences": [TextDifference.read_pb(each) for each in message.differences],
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.KnowledgeRevision:
        """Makes a protobuf message."""
        return pb.KnowledgeRevision(
            revision=self.revision,
            level=self.level.number,
            title=self.title,
            content=self.content,
            category=self.category,
            tags=self.tags,
            user_id=self.user_id,
            user_name=self.user_name,
            chat_session_id=self.chat_session_id,
            creation_date=self.creation_date,
            differences=[each.to_pb() for each in self.differences],
        )


class SimilarKnowledge(ProtoModel):
    """A stored entity that is similar to a proposed one."""

    __proto__: ClassVar = pb.SimilarKnowledge

    knowledge: KnowledgeEntity = Field(description="The stored entity.")
    likeness: _t.Float = Field(default=0.0, description="Semantic similarity, 0 to 1.")
    is_duplicate: bool = Field(default=False, description="Whether it is likely a duplicate, judged by similarity.")
    differences: list[TextDifference] = Field(
        default_factory=list, description="Word-by-word differences from the stored text to the proposed one."
    )

    @classmethod
    def read_pb(cls, message: pb.SimilarKnowledge) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "likeness": message.likeness,
            "is_duplicate": message.is_duplicate,
            "differences": [TextDifference.read_pb(each) for each in message.differences],
        }
        if message.HasField("knowledge"):
            data["knowledge"] = KnowledgeEntity.read_pb(message.knowledge)
        return data

    def to_pb(self) -> pb.SimilarKnowledge:
        """Makes a protobuf message."""
        return pb.SimilarKnowledge(
            knowledge=None if self.knowledge is None else self.knowledge.to_pb(),
            likeness=self.likeness,
            is_duplicate=self.is_duplicate,
            differences=[each.to_pb() for each in self.differences],
        )


class KnowledgeReview(ProtoModel):
    """A proposal with what a superadmin needs to decide on it."""

    __proto__: ClassVar = pb.KnowledgeReview

    knowledge: KnowledgeEntity = Field(description="The proposed entity.")
    similar: list[SimilarKnowledge] = Field(
        default_factory=list, description="Similar shared entities, most similar first."
    )
    blocked_reason: str = Field(default="", description="Why it cannot be approved; empty if it can.")

    @classmethod
    def read_pb(cls, message: pb.KnowledgeReview) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "similar": [SimilarKnowledge.read_pb(each) for each in message.similar],
            "blocked_reason": message.blocked_reason,
        }
        if message.HasField("knowledge"):
            data["knowledge"] = KnowledgeEntity.read_pb(message.knowledge)
        return data

    def to_pb(self) -> pb.KnowledgeReview:
        """Makes a protobuf message."""
        return pb.KnowledgeReview(
            knowledge=None if self.knowledge is None else self.knowledge.to_pb(),
            similar=[each.to_pb() for each in self.similar],
            blocked_reason=self.blocked_reason,
        )
