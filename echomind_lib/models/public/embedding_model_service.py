"""

Generated from echomind/public/v1/embedding_model_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Method, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.embedding_model import EmbeddingModel
from echomind_lib.pb.echomind.public.v1 import embedding_model_service_pb2 as pb


class ListEmbeddingModelsRequest(ProtoModel):
    """Request of ListEmbeddingModels."""

    __proto__: ClassVar = pb.ListEmbeddingModelsRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

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

    embedding_models: list[EmbeddingModel] = Field(default_factory=list, description="The models, by ID.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

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

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the model.")

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
    """Models that turn text into vectors. Everyone can read them."""

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
