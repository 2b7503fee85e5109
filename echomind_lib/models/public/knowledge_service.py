"""

Generated from echomind/public/v1/knowledge_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from google.protobuf import field_mask_pb2
from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoModel, UpdateModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.knowledge import (
    KnowledgeEntity,
    KnowledgeEntityPatch,
    KnowledgeFeedback,
    KnowledgeHit,
    KnowledgeLevel,
    KnowledgeOrder,
    KnowledgeReview,
    KnowledgeRevision,
    KnowledgeSourceType,
)
from echomind_lib.pb.echomind.public.v1 import knowledge_service_pb2 as pb


class ListKnowledgeRequest(ProtoModel):
    """Request of ListKnowledge."""

    __proto__: ClassVar = pb.ListKnowledgeRequest
    __enums__: ClassVar = {
        "level": KnowledgeLevel,
        "source_type": KnowledgeSourceType,
        "order": KnowledgeOrder,
    }

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )
    level: KnowledgeLevel = Field(
        default=KnowledgeLevel.UNSPECIFIED, description="Only entities of this level; unspecified means all."
    )
    category: Annotated[str, Field(max_length=100)] = Field(
        default="", description="Only entities of this category; empty means all."
    )
    tag: Annotated[str, Field(max_length=50)] = Field(
        default="", description="Only entities with this tag; empty means all."
    )
    source_type: KnowledgeSourceType = Field(
        default=KnowledgeSourceType.UNSPECIFIED, description="Only entities of this origin; unspecified means all."
    )
    query: Annotated[str, Field(max_length=200)] = Field(
        default="", description="Only entities with these words in title or content; empty means all."
    )
    order: KnowledgeOrder = Field(default=KnowledgeOrder.UNSPECIFIED, description="Sort order.")
    own: bool = Field(default=False, description="Only the caller's own entities.")
    lapsed: bool = Field(default=False, description="Only shared entities whose review has expired.")
    run_id: Annotated[str, Field(pattern="^([0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})?$")] = Field(
        default="", description="Only the caller's lessons from this failed run; empty means all."
    )
    found_in_session_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0,
        description="Only entities that runs of this conversation found, which its answers cite as `[K12]`; 0 means all.",
    )

    @classmethod
    def read_pb(cls, message: pb.ListKnowledgeRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
            "level": KnowledgeLevel.numbers.get(message.level, message.level),
            "category": message.category,
            "tag": message.tag,
            "source_type": KnowledgeSourceType.numbers.get(message.source_type, message.source_type),
            "query": message.query,
            "order": KnowledgeOrder.numbers.get(message.order, message.order),
            "own": message.own,
            "lapsed": message.lapsed,
            "run_id": message.run_id,
            "found_in_session_id": message.found_in_session_id,
        }
        return data

    def to_pb(self) -> pb.ListKnowledgeRequest:
        """Makes a protobuf message."""
        return pb.ListKnowledgeRequest(
            page_size=self.page_size,
            page_token=self.page_token,
            level=self.level.number,
            category=self.category,
            tag=self.tag,
            source_type=self.source_type.number,
            query=self.query,
            order=self.order.number,
            own=self.own,
            lapsed=self.lapsed,
            run_id=self.run_id,
            found_in_session_id=self.found_in_session_id,
        )


class ListKnowledgeResponse(ProtoModel):
    """Response of ListKnowledge."""

    __proto__: ClassVar = pb.ListKnowledgeResponse

    knowledge: list[KnowledgeEntity] = Field(default_factory=list, description="The entities.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListKnowledgeResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "knowledge": [KnowledgeEntity.read_pb(each) for each in message.knowledge],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListKnowledgeResponse:
        """Makes a protobuf message."""
        return pb.ListKnowledgeResponse(
            knowledge=[each.to_pb() for each in self.knowledge],
            next_page_token=self.next_page_token,
        )


class GetKnowledgeRequest(ProtoModel):
    """Request of GetKnowledge."""

    __proto__: ClassVar = pb.GetKnowledgeRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the entity.")

    @classmethod
    def read_pb(cls, message: pb.GetKnowledgeRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetKnowledgeRequest:
        """Makes a protobuf message."""
        return pb.GetKnowledgeRequest(
            id=self.id,
        )


class CreateKnowledgeRequest(ProtoModel):
    """Request of CreateKnowledge."""

    __proto__: ClassVar = pb.CreateKnowledgeRequest

    knowledge: KnowledgeEntity = Field(description="The entity.")
    message_id: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0,
        description="ID of an answer in one of the caller's conversations to save; 0 for none. All documents that the conversation has drawn on become its sources.",
    )

    @classmethod
    def read_pb(cls, message: pb.CreateKnowledgeRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "message_id": message.message_id,
        }
        if message.HasField("knowledge"):
            data["knowledge"] = KnowledgeEntity.read_pb(message.knowledge)
        return data

    def to_pb(self) -> pb.CreateKnowledgeRequest:
        """Makes a protobuf message."""
        return pb.CreateKnowledgeRequest(
            knowledge=None if self.knowledge is None else self.knowledge.to_pb(),
            message_id=self.message_id,
        )


class UpdateKnowledgeRequest(UpdateModel):
    """Request of UpdateKnowledge."""

    __proto__: ClassVar = pb.UpdateKnowledgeRequest
    __resource__: ClassVar = ("knowledge", KnowledgeEntityPatch)

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the entity.")
    knowledge: KnowledgeEntityPatch = Field(description="The new values.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "id",
            "user_id",
            "user_name",
            "level",
            "source_type",
            "title",
            "content",
            "category",
            "tags",
            "sources",
            "confidence",
            "confidence_bound",
            "usage_count",
            "last_used_at",
            "source_session_id",
            "session_time",
            "review_status",
            "proposed_level",
            "proposed_at",
            "proposal_note",
            "review_comment",
            "reviewed_at",
            "review_after",
            "is_verified",
            "revision",
            "my_feedback",
            "helpful_count",
            "not_helpful_count",
            "can_manage",
            "creation_date",
            "last_update",
            "source_message_ids",
            "source_run_id",
        ),
    ] = Field(
        description="Fields to change: `title`, `content`, `category`, `tags`, and for superadmins `level` and `sources`. Over REST, taken from the keys of the body."
    )

    @classmethod
    def read_pb(cls, message: pb.UpdateKnowledgeRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("knowledge"):
            data["knowledge"] = KnowledgeEntity.read_pb(message.knowledge)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateKnowledgeRequest:
        """Makes a protobuf message."""
        return pb.UpdateKnowledgeRequest(
            id=self.id,
            knowledge=None if self.knowledge is None else self.knowledge.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class DeleteKnowledgeRequest(ProtoModel):
    """Request of DeleteKnowledge."""

    __proto__: ClassVar = pb.DeleteKnowledgeRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the entity.")

    @classmethod
    def read_pb(cls, message: pb.DeleteKnowledgeRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteKnowledgeRequest:
        """Makes a protobuf message."""
        return pb.DeleteKnowledgeRequest(
            id=self.id,
        )


class SearchKnowledgeRequest(ProtoModel):
    """Request of SearchKnowledge."""

    __proto__: ClassVar = pb.SearchKnowledgeRequest

    query: Annotated[str, Field(min_length=1, max_length=4000)] = Field(description="The query.")
    limit: Annotated[_t.Int32, Field(le=50, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 5."
    )

    @classmethod
    def read_pb(cls, message: pb.SearchKnowledgeRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "query": message.query,
            "limit": message.limit,
        }
        return data

    def to_pb(self) -> pb.SearchKnowledgeRequest:
        """Makes a protobuf message."""
        return pb.SearchKnowledgeRequest(
            query=self.query,
            limit=self.limit,
        )


class SearchKnowledgeResponse(ProtoModel):
    """Response of SearchKnowledge."""

    __proto__: ClassVar = pb.SearchKnowledgeResponse

    hits: list[KnowledgeHit] = Field(default_factory=list, description="The matches, best first.")

    @classmethod
    def read_pb(cls, message: pb.SearchKnowledgeResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "hits": [KnowledgeHit.read_pb(each) for each in message.hits],
        }
        return data

    def to_pb(self) -> pb.SearchKnowledgeResponse:
        """Makes a protobuf message."""
        return pb.SearchKnowledgeResponse(
            hits=[each.to_pb() for each in self.hits],
        )


class SetKnowledgeFeedbackRequest(ProtoModel):
    """Request of SetKnowledgeFeedback."""

    __proto__: ClassVar = pb.SetKnowledgeFeedbackRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the entity.")
    feedback: KnowledgeFeedback = Field(description="The feedback.")

    @classmethod
    def read_pb(cls, message: pb.SetKnowledgeFeedbackRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("feedback"):
            data["feedback"] = KnowledgeFeedback.read_pb(message.feedback)
        return data

    def to_pb(self) -> pb.SetKnowledgeFeedbackRequest:
        """Makes a protobuf message."""
        return pb.SetKnowledgeFeedbackRequest(
            id=self.id,
            feedback=None if self.feedback is None else self.feedback.to_pb(),
        )


class DeleteKnowledgeFeedbackRequest(ProtoModel):
    """Request of DeleteKnowledgeFeedback."""

    __proto__: ClassVar = pb.DeleteKnowledgeFeedbackRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the entity.")

    @classmethod
    def read_pb(cls, message: pb.DeleteKnowledgeFeedbackRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteKnowledgeFeedbackRequest:
        """Makes a protobuf message."""
        return pb.DeleteKnowledgeFeedbackRequest(
            id=self.id,
        )


class ListKnowledgeFeedbackRequest(ProtoModel):
    """Request of ListKnowledgeFeedback."""

    __proto__: ClassVar = pb.ListKnowledgeFeedbackRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the entity.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListKnowledgeFeedbackRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListKnowledgeFeedbackRequest:
        """Makes a protobuf message."""
        return pb.ListKnowledgeFeedbackRequest(
            id=self.id,
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListKnowledgeFeedbackResponse(ProtoModel):
    """Response of ListKnowledgeFeedback."""

    __proto__: ClassVar = pb.ListKnowledgeFeedbackResponse

    feedback: list[KnowledgeFeedback] = Field(default_factory=list, description="The feedback.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListKnowledgeFeedbackResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "feedback": [KnowledgeFeedback.read_pb(each) for each in message.feedback],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListKnowledgeFeedbackResponse:
        """Makes a protobuf message."""
        return pb.ListKnowledgeFeedbackResponse(
            feedback=[each.to_pb() for each in self.feedback],
            next_page_token=self.next_page_token,
        )


class ListKnowledgeRevisionsRequest(ProtoModel):
    """Request of ListKnowledgeRevisions."""

    __proto__: ClassVar = pb.ListKnowledgeRevisionsRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the entity.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListKnowledgeRevisionsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListKnowledgeRevisionsRequest:
        """Makes a protobuf message."""
        return pb.ListKnowledgeRevisionsRequest(
            id=self.id,
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListKnowledgeRevisionsResponse(ProtoModel):
    """Response of ListKnowledgeRevisions."""

    __proto__: ClassVar = pb.ListKnowledgeRevisionsResponse

    revisions: list[KnowledgeRevision] = Field(default_factory=list, description="Revisions, newest first.")
    next_page_token: str = Field(default="", description="Page token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListKnowledgeRevisionsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "revisions": [KnowledgeRevision.read_pb(each) for each in message.revisions],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListKnowledgeRevisionsResponse:
        """Makes a protobuf message."""
        return pb.ListKnowledgeRevisionsResponse(
            revisions=[each.to_pb() for each in self.revisions],
            next_page_token=self.next_page_token,
        )


class ProposeKnowledgeRequest(ProtoModel):
    """Request of ProposeKnowledge."""

    __proto__: ClassVar = pb.ProposeKnowledgeRequest
    __enums__: ClassVar = {
        "level": KnowledgeLevel,
    }

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the entity.")
    level: KnowledgeLevel = Field(
        default=KnowledgeLevel.UNSPECIFIED,
        description="The proposed level: organization (also if unspecified) or public.",
    )
    note: Annotated[str, Field(max_length=1000)] = Field(
        default="", description="Note for the superadmin; may be empty."
    )

    @classmethod
    def read_pb(cls, message: pb.ProposeKnowledgeRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "level": KnowledgeLevel.numbers.get(message.level, message.level),
            "note": message.note,
        }
        return data

    def to_pb(self) -> pb.ProposeKnowledgeRequest:
        """Makes a protobuf message."""
        return pb.ProposeKnowledgeRequest(
            id=self.id,
            level=self.level.number,
            note=self.note,
        )


class WithdrawKnowledgeRequest(ProtoModel):
    """Request of WithdrawKnowledge."""

    __proto__: ClassVar = pb.WithdrawKnowledgeRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the entity.")

    @classmethod
    def read_pb(cls, message: pb.WithdrawKnowledgeRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.WithdrawKnowledgeRequest:
        """Makes a protobuf message."""
        return pb.WithdrawKnowledgeRequest(
            id=self.id,
        )


class ListKnowledgeProposalsRequest(ProtoModel):
    """Request of ListKnowledgeProposals."""

    __proto__: ClassVar = pb.ListKnowledgeProposalsRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListKnowledgeProposalsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListKnowledgeProposalsRequest:
        """Makes a protobuf message."""
        return pb.ListKnowledgeProposalsRequest(
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListKnowledgeProposalsResponse(ProtoModel):
    """Response of ListKnowledgeProposals."""

    __proto__: ClassVar = pb.ListKnowledgeProposalsResponse

    knowledge: list[KnowledgeEntity] = Field(default_factory=list, description="The proposed entities.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListKnowledgeProposalsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "knowledge": [KnowledgeEntity.read_pb(each) for each in message.knowledge],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListKnowledgeProposalsResponse:
        """Makes a protobuf message."""
        return pb.ListKnowledgeProposalsResponse(
            knowledge=[each.to_pb() for each in self.knowledge],
            next_page_token=self.next_page_token,
        )


class GetKnowledgeReviewRequest(ProtoModel):
    """Request of GetKnowledgeReview."""

    __proto__: ClassVar = pb.GetKnowledgeReviewRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the entity.")

    @classmethod
    def read_pb(cls, message: pb.GetKnowledgeReviewRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetKnowledgeReviewRequest:
        """Makes a protobuf message."""
        return pb.GetKnowledgeReviewRequest(
            id=self.id,
        )


class ApproveKnowledgeRequest(ProtoModel):
    """Request of ApproveKnowledge."""

    __proto__: ClassVar = pb.ApproveKnowledgeRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the entity.")
    revision: Annotated[_t.Int32, Field(gt=0)] = Field(description="The revision that was read.")
    replaced_id: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0,
        description="ID of the shared entity whose content it replaces: that one keeps its ID and feedback, and takes over title, content, category, tags and sources; the proposed one is removed. 0 for none.",
    )

    @classmethod
    def read_pb(cls, message: pb.ApproveKnowledgeRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "revision": message.revision,
            "replaced_id": message.replaced_id,
        }
        return data

    def to_pb(self) -> pb.ApproveKnowledgeRequest:
        """Makes a protobuf message."""
        return pb.ApproveKnowledgeRequest(
            id=self.id,
            revision=self.revision,
            replaced_id=self.replaced_id,
        )


class RejectKnowledgeRequest(ProtoModel):
    """Request of RejectKnowledge."""

    __proto__: ClassVar = pb.RejectKnowledgeRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the entity.")
    comment: Annotated[str, Field(min_length=1, max_length=1000)] = Field(description="The reason, for its owner.")

    @classmethod
    def read_pb(cls, message: pb.RejectKnowledgeRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "comment": message.comment,
        }
        return data

    def to_pb(self) -> pb.RejectKnowledgeRequest:
        """Makes a protobuf message."""
        return pb.RejectKnowledgeRequest(
            id=self.id,
            comment=self.comment,
        )


class VerifyKnowledgeRequest(ProtoModel):
    """Request of VerifyKnowledge."""

    __proto__: ClassVar = pb.VerifyKnowledgeRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the entity.")

    @classmethod
    def read_pb(cls, message: pb.VerifyKnowledgeRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.VerifyKnowledgeRequest:
        """Makes a protobuf message."""
        return pb.VerifyKnowledgeRequest(
            id=self.id,
        )


class KnowledgeService(ABC):
    """Knowledge beyond documents. Users manage their own entities, read those of the organization and give feedback;
    superadmins manage all. An entity is hidden from users who may not read all documents that it is based on.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["KnowledgeService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListKnowledge", "list_knowledge", ListKnowledgeRequest, ListKnowledgeResponse),
        Method("GetKnowledge", "get_knowledge", GetKnowledgeRequest, KnowledgeEntity),
        Method("CreateKnowledge", "create_knowledge", CreateKnowledgeRequest, KnowledgeEntity),
        Method("UpdateKnowledge", "update_knowledge", UpdateKnowledgeRequest, KnowledgeEntity),
        Method("DeleteKnowledge", "delete_knowledge", DeleteKnowledgeRequest, Empty),
        Method("SearchKnowledge", "search_knowledge", SearchKnowledgeRequest, SearchKnowledgeResponse),
        Method("SetKnowledgeFeedback", "set_knowledge_feedback", SetKnowledgeFeedbackRequest, KnowledgeEntity),
        Method("DeleteKnowledgeFeedback", "delete_knowledge_feedback", DeleteKnowledgeFeedbackRequest, KnowledgeEntity),
        Method(
            "ListKnowledgeFeedback",
            "list_knowledge_feedback",
            ListKnowledgeFeedbackRequest,
            ListKnowledgeFeedbackResponse,
        ),
        Method(
            "ListKnowledgeRevisions",
            "list_knowledge_revisions",
            ListKnowledgeRevisionsRequest,
            ListKnowledgeRevisionsResponse,
        ),
        Method("ProposeKnowledge", "propose_knowledge", ProposeKnowledgeRequest, KnowledgeEntity),
        Method("WithdrawKnowledge", "withdraw_knowledge", WithdrawKnowledgeRequest, KnowledgeEntity),
        Method(
            "ListKnowledgeProposals",
            "list_knowledge_proposals",
            ListKnowledgeProposalsRequest,
            ListKnowledgeProposalsResponse,
        ),
        Method("GetKnowledgeReview", "get_knowledge_review", GetKnowledgeReviewRequest, KnowledgeReview),
        Method("ApproveKnowledge", "approve_knowledge", ApproveKnowledgeRequest, KnowledgeEntity),
        Method("RejectKnowledge", "reject_knowledge", RejectKnowledgeRequest, KnowledgeEntity),
        Method("VerifyKnowledge", "verify_knowledge", VerifyKnowledgeRequest, KnowledgeEntity),
    )

    @abstractmethod
    async def list_knowledge(self, request: ListKnowledgeRequest, call: CallContext) -> ListKnowledgeResponse:
        """Lists the entities that the caller may read."""

    @abstractmethod
    async def get_knowledge(self, request: GetKnowledgeRequest, call: CallContext) -> KnowledgeEntity:
        """Reads one entity. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_knowledge(self, request: CreateKnowledgeRequest, call: CallContext) -> KnowledgeEntity:
        """Creates an entity: written by hand, or saved from an answer. Levels other than individual need `superadmin`.
        Errors: NOT_FOUND (a document, the answer), VALIDATION_FAILED (it contains a secret), PERMISSION_DENIED,
        KNOWLEDGE_STATE.
        """

    @abstractmethod
    async def update_knowledge(self, request: UpdateKnowledgeRequest, call: CallContext) -> KnowledgeEntity:
        """Updates an entity. Errors: NOT_FOUND, VALIDATION_FAILED (it contains a secret), PERMISSION_DENIED, KNOWLEDGE_STATE."""

    @abstractmethod
    async def delete_knowledge(self, request: DeleteKnowledgeRequest, call: CallContext) -> Empty:
        """Deletes an entity permanently, with its feedback and its vector. Errors: NOT_FOUND, PERMISSION_DENIED."""

    @abstractmethod
    async def search_knowledge(self, request: SearchKnowledgeRequest, call: CallContext) -> SearchKnowledgeResponse:
        """Searches entities by meaning, best first: the caller's own and those of the organization, also for superadmins.
        Errors: DEPENDENCY_UNAVAILABLE.
        """

    @abstractmethod
    async def set_knowledge_feedback(self, request: SetKnowledgeFeedbackRequest, call: CallContext) -> KnowledgeEntity:
        """Sets the caller's feedback on an entity, replacing an earlier one. Errors: NOT_FOUND (the entity, the
        conversation), VALIDATION_FAILED (it is empty).
        """

    @abstractmethod
    async def delete_knowledge_feedback(
        self, request: DeleteKnowledgeFeedbackRequest, call: CallContext
    ) -> KnowledgeEntity:
        """Deletes the caller's feedback; the confidence is then as without it. Errors: NOT_FOUND."""

    @abstractmethod
    async def list_knowledge_feedback(
        self, request: ListKnowledgeFeedbackRequest, call: CallContext
    ) -> ListKnowledgeFeedbackResponse:
        """Lists the feedback on an entity, newest first, for those who may change it. Errors: NOT_FOUND, PERMISSION_DENIED."""

    @abstractmethod
    async def list_knowledge_revisions(
        self, request: ListKnowledgeRevisionsRequest, call: CallContext
    ) -> ListKnowledgeRevisionsResponse:
        """Lists the revisions of an entity, newest first, for users who may change it. For a shared entity only the revisions
        since it was shared, unless it is the caller's own. Errors: NOT_FOUND, PERMISSION_DENIED.
        """

    @abstractmethod
    async def propose_knowledge(self, request: ProposeKnowledgeRequest, call: CallContext) -> KnowledgeEntity:
        """Proposes one of the caller's entities for sharing; a superadmin decides. Errors: NOT_FOUND, KNOWLEDGE_STATE (not
        everyone may read its documents, or it is already shared).
        """

    @abstractmethod
    async def withdraw_knowledge(self, request: WithdrawKnowledgeRequest, call: CallContext) -> KnowledgeEntity:
        """Withdraws a proposal. Errors: NOT_FOUND, KNOWLEDGE_STATE."""

    @abstractmethod
    async def list_knowledge_proposals(
        self, request: ListKnowledgeProposalsRequest, call: CallContext
    ) -> ListKnowledgeProposalsResponse:
        """Lists the open proposals, most used first. Needs `superadmin`."""

    @abstractmethod
    async def get_knowledge_review(self, request: GetKnowledgeReviewRequest, call: CallContext) -> KnowledgeReview:
        """Reads a proposal with similar entities and the differences. Needs `superadmin`. Errors: NOT_FOUND, KNOWLEDGE_STATE,
        DEPENDENCY_UNAVAILABLE.
        """

    @abstractmethod
    async def approve_knowledge(self, request: ApproveKnowledgeRequest, call: CallContext) -> KnowledgeEntity:
        """Approves a proposal: the entity is shared, or replaces the content of a shared one, and is verified for 90 days.
        Needs `superadmin`. Errors: NOT_FOUND, KNOWLEDGE_STATE (it is not proposed, has changed since it was read, or not
        everyone may read its documents).
        """

    @abstractmethod
    async def reject_knowledge(self, request: RejectKnowledgeRequest, call: CallContext) -> KnowledgeEntity:
        """Rejects a proposal: the entity remains its owner's, who can read the reason. Needs `superadmin`. Errors: NOT_FOUND,
        KNOWLEDGE_STATE.
        """

    @abstractmethod
    async def verify_knowledge(self, request: VerifyKnowledgeRequest, call: CallContext) -> KnowledgeEntity:
        """Verifies that a shared entity is still correct, for 90 days from now. Needs `superadmin`. Errors: NOT_FOUND,
        KNOWLEDGE_STATE.
        """
