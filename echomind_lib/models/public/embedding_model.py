"""

Generated from echomind/public/v1/embedding_model.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import embedding_model_pb2 as pb


class EmbeddingModel(ProtoModel):
    """A model that turns text into vectors."""

    __proto__: ClassVar = pb.EmbeddingModel

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    model_id: str = Field(
        default="", description="The model's name, for example `sentence-transformers/all-MiniLM-L6-v2`."
    )
    model_name: str = Field(default="", description="Display name.")
    model_dimension: _t.Int32 = Field(default=0, description="Dimension of its vectors.")
    endpoint: str = Field(
        default="", description="URL of an external embedding service; empty means the built-in process."
    )
    is_active: bool = Field(default=False, description="Whether it embeds documents and questions.")
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
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
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
        )
