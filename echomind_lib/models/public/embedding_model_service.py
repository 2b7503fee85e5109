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
from echomind_lib.models.public.embedding_model import EmbeddingIndexProgress, EmbeddingModel
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


class ActivateEmbeddingModelRequest(ProtoModel):
    """Request of ActivateEmbeddingModel."""

    __proto__: ClassVar = pb.ActivateEmbeddingModelRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the model.")
    without_failed: bool = Field(
        default=False,
        description="Whether it becomes active without the documents that could not be copied to its index; they are not found then.",
    )

    @classmethod
    def read_pb(cls, message: pb.ActivateEmbeddingModelRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "without_failed": message.without_failed,
        }
        return data

    def to_pb(self) -> pb.ActivateEmbeddingModelRequest:
        """Makes a protobuf message."""
        return pb.ActivateEmbeddingModelRequest(
            id=self.id,
            without_failed=self.without_failed,
        )


class DropEmbeddingIndexRequest(ProtoModel):
    """Request of DropEmbeddingIndex."""

    __proto__: ClassVar = pb.DropEmbeddingIndexRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the model.")

    @classmethod
    def read_pb(cls, message: pb.DropEmbeddingIndexRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DropEmbeddingIndexRequest:
        """Makes a protobuf message."""
        return pb.DropEmbeddingIndexRequest(
            id=self.id,
        )


class GetEmbeddingIndexProgressRequest(ProtoModel):
    """Request of GetEmbeddingIndexProgress."""

    __proto__: ClassVar = pb.GetEmbeddingIndexProgressRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the model.")

    @classmethod
    def read_pb(cls, message: pb.GetEmbeddingIndexProgressRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetEmbeddingIndexProgressRequest:
        """Makes a protobuf message."""
        return pb.GetEmbeddingIndexProgressRequest(
            id=self.id,
        )


class EmbeddingModelService(ABC):
    """Models that turn text into vectors. Everyone can read them; `superadmin` manages them."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["EmbeddingModelService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListEmbeddingModels", "list_embedding_models", ListEmbeddingModelsRequest, ListEmbeddingModelsResponse),
        Method("GetEmbeddingModel", "get_embedding_model", GetEmbeddingModelRequest, EmbeddingModel),
        Method("ActivateEmbeddingModel", "activate_embedding_model", ActivateEmbeddingModelRequest, EmbeddingModel),
        Method("DropEmbeddingIndex", "drop_embedding_index", DropEmbeddingIndexRequest, EmbeddingModel),
        Method(
            "GetEmbeddingIndexProgress",
            "get_embedding_index_progress",
            GetEmbeddingIndexProgressRequest,
            EmbeddingIndexProgress,
        ),
    )

    @abstractmethod
    async def list_embedding_models(
        self, request: ListEmbeddingModelsRequest, call: CallContext
    ) -> ListEmbeddingModelsResponse:
        """Lists the models; exactly one is active."""

    @abstractmethod
    async def get_embedding_model(self, request: GetEmbeddingModelRequest, call: CallContext) -> EmbeddingModel:
        """Reads one model. Errors: NOT_FOUND."""

    @abstractmethod
    async def activate_embedding_model(
        self, request: ActivateEmbeddingModelRequest, call: CallContext
    ) -> EmbeddingModel:
        """Makes a model the active one. Without an index, its index is filled beside the active one from the stored passages
        of all documents, and becomes active when it is complete; questions are answered by the active one meanwhile. A
        model whose index is kept becomes active at once. For a model whose index is being filled, documents that could not
        be copied are tried again, or left out with `without_failed`. Needs `superadmin`. Errors: NOT_FOUND,
        EMBEDDING_MODEL_STATE (another one is being filled, or this one is being deleted), DISK_FULL.
        """

    @abstractmethod
    async def drop_embedding_index(self, request: DropEmbeddingIndexRequest, call: CallContext) -> EmbeddingModel:
        """Deletes the index of a model that is not active: what was filled so far, or what is kept. Needs `superadmin`.
        Errors: NOT_FOUND, EMBEDDING_MODEL_STATE (it is active, or has no index).
        """

    @abstractmethod
    async def get_embedding_index_progress(
        self, request: GetEmbeddingIndexProgressRequest, call: CallContext
    ) -> EmbeddingIndexProgress:
        """Returns how far the index of a model is filled. Needs `superadmin`. Errors: NOT_FOUND."""
