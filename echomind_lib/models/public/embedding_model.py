"""

Generated from echomind/public/v1/embedding_model.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import embedding_model_pb2 as pb


class EmbeddingModelStatus(ProtoEnum):
    """The state of a model's index, which has the vectors of all documents."""

    UNSPECIFIED = "EMBEDDING_MODEL_STATUS_UNSPECIFIED", 0
    """Unspecified."""
    IDLE = "EMBEDDING_MODEL_STATUS_IDLE", 1
    """It has no index."""
    BUILDING = "EMBEDDING_MODEL_STATUS_BUILDING", 2
    """Its index is being filled; it becomes active by itself once it is complete."""
    ACTIVE = "EMBEDDING_MODEL_STATUS_ACTIVE", 3
    """Its index answers questions."""
    STANDBY = "EMBEDDING_MODEL_STATUS_STANDBY", 4
    """Its index was active and is kept until `standby_until`; activating it switches back at once."""
    DROPPING = "EMBEDDING_MODEL_STATUS_DROPPING", 5
    """Its index is being deleted."""


class EmbeddingIndexFailure(ProtoModel):
    """A document that could not be copied to an index."""

    __proto__: ClassVar = pb.EmbeddingIndexFailure

    document_id: _t.Int64 = Field(default=0, description="ID of the document.")
    message: str = Field(default="", description="Why.")

    @classmethod
    def read_pb(cls, message: pb.EmbeddingIndexFailure) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "document_id": message.document_id,
            "message": message.message,
        }
        return data

    def to_pb(self) -> pb.EmbeddingIndexFailure:
        """Makes a protobuf message."""
        return pb.EmbeddingIndexFailure(
            document_id=self.document_id,
            message=self.message,
        )


class EmbeddingIndexProgress(ProtoModel):
    """How far the index of a model is filled."""

    __proto__: ClassVar = pb.EmbeddingIndexProgress

    documents: _t.Int64 = Field(default=0, description="Documents with text.")
    done: _t.Int64 = Field(default=0, description="Those that are in the index.")
    failed: _t.Int64 = Field(
        default=0,
        description="Those that could not be copied. As long as there are some, the model does not become active by itself.",
    )
    failures: list[EmbeddingIndexFailure] = Field(default_factory=list, description="Some of those, by ID.")
    seconds_left: _t.Int64 | None = Field(
        default=None, description="Estimated time left in seconds; empty if nothing was copied lately."
    )
    message: str = Field(default="", description="Why it does not go on; empty if it does.")

    @classmethod
    def read_pb(cls, message: pb.EmbeddingIndexProgress) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "documents": message.documents,
            "done": message.done,
            "failed": message.failed,
            "failures": [EmbeddingIndexFailure.read_pb(each) for each in message.failures],
            "message": message.message,
        }
        if message.HasField("seconds_left"):
            data["seconds_left"] = message.seconds_left
        return data

    def to_pb(self) -> pb.EmbeddingIndexProgress:
        """Makes a protobuf message."""
        return pb.EmbeddingIndexProgress(
            documents=self.documents,
            done=self.done,
            failed=self.failed,
            failures=[each.to_pb() for each in self.failures],
            seconds_left=self.seconds_left,
            message=self.message,
        )


class EmbeddingModel(ProtoModel):
    """A model that turns text into vectors."""

    __proto__: ClassVar = pb.EmbeddingModel
    __enums__: ClassVar = {
        "status": EmbeddingModelStatus,
    }

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    model_id: str = Field(
        default="", description="The model's name, for example `sentence-transformers/all-MiniLM-L6-v2`."
    )
    model_name: str = Field(default="", description="Display name.")
    model_dimension: _t.Int32 = Field(default=0, description="Dimension of its vectors.")
    endpoint: str = Field(
        default="", description="URL of an external embedding service; empty means the built-in process."
    )
    is_active: bool = Field(
        default=False, description="Whether it embeds documents and questions; set by ActivateEmbeddingModel."
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="Time at which it was added.")
    last_update: _t.Timestamp | None = Field(
        default=None, description="Time of the last change; empty if never changed."
    )
    sparse_encoder: str = Field(
        default="",
        description="The encoder of the sparse vectors of its index, for example `bm25-1`; set by the server.",
    )
    chunker: str = Field(
        default="",
        description="How documents were split into the chunks of its index, for example `sections-200`; set by the server.",
    )
    status: EmbeddingModelStatus = Field(
        default=EmbeddingModelStatus.UNSPECIFIED, description="The state of its index; set by the server."
    )
    status_since: _t.Timestamp | None = Field(
        default=None, description="Since when its index is in that state; empty if it has none."
    )
    standby_until: _t.Timestamp | None = Field(
        default=None,
        description="When its index will be deleted; only while it is kept after another model became active.",
    )
    updated_by: _t.Int32 = Field(
        default=0,
        description="ID of the person who made the last change; 0 if nobody did, and for everyone but superadmins. Set by the server.",
    )
    updated_by_name: str = Field(
        default="",
        description="Their first and last name, or else the user name; empty if `updated_by` is 0. Set by the server.",
    )

    @classmethod
    def read_pb(cls, message: pb.EmbeddingModel) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "model_id": message.model_id,
            "model_name": message.model_name,
            "model_dimension": message.model_dimension,
            "endpoint": message.endpoint,
            "is_active": message.is_active,
            "sparse_encoder": message.sparse_encoder,
            "chunker": message.chunker,
            "status": EmbeddingModelStatus.numbers.get(message.status, message.status),
            "updated_by": message.updated_by,
            "updated_by_name": message.updated_by_name,
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        if message.HasField("status_since"):
            data["status_since"] = message.status_since.ToDatetime(UTC)
        if message.HasField("standby_until"):
            data["standby_until"] = message.standby_until.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.EmbeddingModel:
        """Makes a protobuf message."""
        return pb.EmbeddingModel(
            id=self.id,
            model_id=self.model_id,
            model_name=self.model_name,
            model_dimension=self.model_dimension,
            endpoint=self.endpoint,
            is_active=self.is_active,
            creation_date=self.creation_date,
            last_update=self.last_update,
            sparse_encoder=self.sparse_encoder,
            chunker=self.chunker,
            status=self.status.number,
            status_since=self.status_since,
            standby_until=self.standby_until,
            updated_by=self.updated_by,
            updated_by_name=self.updated_by_name,
        )
