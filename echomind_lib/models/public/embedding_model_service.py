"""

Generated from echomind/public/v1/embedding_model_service.proto by tools/pydantic_plugin: change that, then `make gen`.
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
from echomind_lib.models.public.embedding_model import EmbeddingIndexProgress, EmbeddingModel, EmbeddingModelPatch
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


class CreateEmbeddingModelRequest(ProtoModel):
    """Request of CreateEmbeddingModel."""

    __proto__: ClassVar = pb.CreateEmbeddingModelRequest

    embedding_model: EmbeddingModel = Field(
        description="The model: `model_id`, `model_name`, `protocol` and `endpoint`, and the key and the prefixes if it needs them."
    )

    @classmethod
    def read_pb(cls, message: pb.CreateEmbeddingModelRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("embedding_model"):
            data["embedding_model"] = EmbeddingModel.read_pb(message.embedding_model)
        return data

    def to_pb(self) -> pb.CreateEmbeddingModelRequest:
        """Makes a protobuf message."""
        return pb.CreateEmbeddingModelRequest(
            embedding_model=None if self.embedding_model is None else self.embedding_model.to_pb(),
        )


class UpdateEmbeddingModelRequest(UpdateModel):
    """Request of UpdateEmbeddingModel."""

    __proto__: ClassVar = pb.UpdateEmbeddingModelRequest
    __resource__: ClassVar = ("embedding_model", EmbeddingModelPatch)

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the model.")
    embedding_model: EmbeddingModelPatch = Field(description="The new values.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "id",
            "model_id",
            "model_name",
            "model_dimension",
            "endpoint",
            "is_active",
            "creation_date",
            "last_update",
            "sparse_encoder",
            "chunker",
            "status",
            "status_since",
            "standby_until",
            "updated_by",
            "updated_by_name",
            "protocol",
            "api_key",
            "has_api_key",
            "query_prefix",
            "passage_prefix",
            "languages",
        ),
    ] = Field(
        description="Fields to change: `model_name`, `endpoint`, `api_key`, `query_prefix`, `passage_prefix`. Over REST, taken from the keys of the body."
    )

    @classmethod
    def read_pb(cls, message: pb.UpdateEmbeddingModelRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("embedding_model"):
            data["embedding_model"] = EmbeddingModel.read_pb(message.embedding_model)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateEmbeddingModelRequest:
        """Makes a protobuf message."""
        return pb.UpdateEmbeddingModelRequest(
            id=self.id,
            embedding_model=None if self.embedding_model is None else self.embedding_model.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class DeleteEmbeddingModelRequest(ProtoModel):
    """Request of DeleteEmbeddingModel."""

    __proto__: ClassVar = pb.DeleteEmbeddingModelRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the model.")

    @classmethod
    def read_pb(cls, message: pb.DeleteEmbeddingModelRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteEmbeddingModelRequest:
        """Makes a protobuf message."""
        return pb.DeleteEmbeddingModelRequest(
            id=self.id,
        )


class TestEmbeddingModelRequest(ProtoModel):
    """Request of TestEmbeddingModel."""

    __proto__: ClassVar = pb.TestEmbeddingModelRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the model.")

    @classmethod
    def read_pb(cls, message: pb.TestEmbeddingModelRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.TestEmbeddingModelRequest:
        """Makes a protobuf message."""
        return pb.TestEmbeddingModelRequest(
            id=self.id,
        )


class TestEmbeddingModelResponse(ProtoModel):
    """Response of TestEmbeddingModel."""

    __proto__: ClassVar = pb.TestEmbeddingModelResponse

    ok: bool = Field(default=False, description="Whether it can be used.")
    message: str = Field(default="", description="What was found, or why it cannot be used and what to do.")
    model_dimension: _t.Int32 = Field(default=0, description="Dimension of its vectors; 0 if it did not answer.")
    languages: list[str] = Field(default_factory=list, description="ISO 639-1 codes of the languages that it serves.")
    latency_ms: _t.Int32 = Field(
        default=0, description="Time for the questions and passages of the test, in milliseconds."
    )

    @classmethod
    def read_pb(cls, message: pb.TestEmbeddingModelResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "ok": message.ok,
            "message": message.message,
            "model_dimension": message.model_dimension,
            "languages": list(message.languages),
            "latency_ms": message.latency_ms,
        }
        return data

    def to_pb(self) -> pb.TestEmbeddingModelResponse:
        """Makes a protobuf message."""
        return pb.TestEmbeddingModelResponse(
            ok=self.ok,
            message=self.message,
            model_dimension=self.model_dimension,
            languages=self.languages,
            latency_ms=self.latency_ms,
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
        Method("CreateEmbeddingModel", "create_embedding_model", CreateEmbeddingModelRequest, EmbeddingModel),
        Method("UpdateEmbeddingModel", "update_embedding_model", UpdateEmbeddingModelRequest, EmbeddingModel),
        Method("DeleteEmbeddingModel", "delete_embedding_model", DeleteEmbeddingModelRequest, Empty),
        Method("TestEmbeddingModel", "test_embedding_model", TestEmbeddingModelRequest, TestEmbeddingModelResponse),
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
    async def create_embedding_model(self, request: CreateEmbeddingModelRequest, call: CallContext) -> EmbeddingModel:
        """Adds a model of a server, which is tested first: that finds the dimension of its vectors and the languages that it
        serves. Nothing uses it until it is activated. Needs `superadmin`. Errors: ENDPOINT_REFUSED, VALIDATION_FAILED
        (`endpoint`: the test failed, and why).
        """

    @abstractmethod
    async def update_embedding_model(self, request: UpdateEmbeddingModelRequest, call: CallContext) -> EmbeddingModel:
        """Updates a model of a server, which is tested first if the change concerns its vectors: with an index, they must keep
        their dimension. Of a built-in one, only the display name can be changed. Needs `superadmin`. Errors: NOT_FOUND,
        ENDPOINT_REFUSED, VALIDATION_FAILED, EMBEDDING_MODEL_STATE (prefixes of a model that has an index).
        """

    @abstractmethod
    async def delete_embedding_model(self, request: DeleteEmbeddingModelRequest, call: CallContext) -> Empty:
        """Removes a model of a server, with its key. Needs `superadmin`. Errors: NOT_FOUND, EMBEDDING_MODEL_STATE (it is built
        in, or has an index: activate another model, or delete its index first).
        """

    @abstractmethod
    async def test_embedding_model(
        self, request: TestEmbeddingModelRequest, call: CallContext
    ) -> TestEmbeddingModelResponse:
        """Lets a stored model embed questions and passages in some languages, and returns how well it finds the right ones.
        Stores nothing. Needs `superadmin`. Errors: NOT_FOUND.
        """

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
