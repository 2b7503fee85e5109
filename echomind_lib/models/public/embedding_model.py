"""Embedding models.

Generated from echomind/public/v1/embedding_model.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Method, ProtoModel
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
    model_dimension: _t.Int32 = Field(default=0, description="How many numbers a vector has.")
    endpoint: str = Field(
        default="", description="Address of an outside embedding service; empty means the built-in process."
    )
    is_active: bool = Field(default=False, description="Whether documents and questions are embedded with it.")
    creation_date: _t.Timestamp | None = Field(default=None, description="When it was added.")
    last_update: _t.Timestamp | None = Field(default=None, description="When it was last changed; empty when never.")

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
        )


class ListEmbeddingModelsRequest(ProtoModel):
    """Request of ListEmbeddingModels."""

    __proto__: ClassVar = pb.ListEmbeddingModelsRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(default=0, description="How many at most; 0 means 50.")
    page_token: str = Field(default="", description="Where to go on: `next_page_token` of the page before.")

    @classmethod
    def read_pb(cls, message: pb.ListEmbeddingModelsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListEmbeddingModelsRequest:
        """Makes a protobuf message."""
        return pb.ListEmbeddingModelsRequest(
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListEmbeddingModelsResponse(ProtoModel):
    """Response of ListEmbeddingModels."""

    __proto__: ClassVar = pb.ListEmbeddingModelsResponse

    embedding_models: list[EmbeddingModel] = Field(default_factory=list, description="The models, by id.")
    next_page_token: str = Field(default="", description="For the next page; empty on the last.")

    @classmethod
    def read_pb(cls, message: pb.ListEmbeddingModelsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "embedding_models": [EmbeddingModel.read_pb(each) for each in message.embedding_models],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListEmbeddingModelsResponse:
        """Makes a protobuf message."""
        return pb.ListEmbeddingModelsResponse(
            embedding_models=[each.to_pb() for each in self.embedding_models],
            next_page_token=self.next_page_token,
        )


class GetEmbeddingModelRequest(ProtoModel):
    """Request of GetEmbeddingModel."""

    __proto__: ClassVar = pb.GetEmbeddingModelRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which model.")

    @classmethod
    def read_pb(cls, message: pb.GetEmbeddingModelRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetEmbeddingModelRequest:
        """Makes a protobuf message."""
        return pb.GetEmbeddingModelRequest(
            id=self.id,
        )


class EmbeddingModelService(ABC):
    """Models that turn text into vectors. Everyone reads."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["EmbeddingModelService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListEmbeddingModels", "list_embedding_models", ListEmbeddingModelsRequest, ListEmbeddingModelsResponse),
        Method("GetEmbeddingModel", "get_embedding_model", GetEmbeddingModelRequest, EmbeddingModel),
    )

    @abstractmethod
    async def list_embedding_models(
        self, request: ListEmbeddingModelsRequest, call: CallContext
    ) -> ListEmbeddingModelsResponse:
        """Lists the models; exactly one is active."""

    @abstractmethod
    async def get_embedding_model(self, request: GetEmbeddingModelRequest, call: CallContext) -> EmbeddingModel:
        """Reads one model. Errors: NOT_FOUND."""
