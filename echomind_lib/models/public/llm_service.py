"""

Generated from echomind/public/v1/llm_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from google.protobuf import field_mask_pb2
from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoEnum, ProtoModel, UpdateModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.llm import Llm, LlmPatch, LlmProvider
from echomind_lib.pb.echomind.public.v1 import llm_service_pb2 as pb


class LlmFault(ProtoEnum):
    """Why a model did not answer."""

    UNSPECIFIED = "LLM_FAULT_UNSPECIFIED", 0
    """It answered."""
    SETTINGS = "LLM_FAULT_SETTINGS", 1
    """Invalid settings: an address or a value is missing or wrong."""
    UNREACHABLE = "LLM_FAULT_UNREACHABLE", 2
    """Its server cannot be reached, failed, or timed out."""
    KEY = "LLM_FAULT_KEY", 3
    """The key is missing or invalid, or has no access to the model."""
    QUOTA = "LLM_FAULT_QUOTA", 4
    """The account has no credit or quota."""
    RATE = "LLM_FAULT_RATE", 5
    """Rate limit exceeded."""
    REFUSED = "LLM_FAULT_REFUSED", 6
    """Its server rejects the request: an unknown model, a wrong path, an unsupported parameter."""
    PROTOCOL = "LLM_FAULT_PROTOCOL", 7
    """The response of its server is not a model's answer."""


class ListLlmsRequest(ProtoModel):
    """Request of ListLlms."""

    __proto__: ClassVar = pb.ListLlmsRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListLlmsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListLlmsRequest:
        """Makes a protobuf message."""
        return pb.ListLlmsRequest(
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListLlmsResponse(ProtoModel):
    """Response of ListLlms."""

    __proto__: ClassVar = pb.ListLlmsResponse

    llms: list[Llm] = Field(default_factory=list, description="The models, by ID.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListLlmsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "llms": [Llm.read_pb(each) for each in message.llms],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListLlmsResponse:
        """Makes a protobuf message."""
        return pb.ListLlmsResponse(
            llms=[each.to_pb() for each in self.llms],
            next_page_token=self.next_page_token,
        )


class GetLlmRequest(ProtoModel):
    """Request of GetLlm."""

    __proto__: ClassVar = pb.GetLlmRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the model.")

    @classmethod
    def read_pb(cls, message: pb.GetLlmRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetLlmRequest:
        """Makes a protobuf message."""
        return pb.GetLlmRequest(
            id=self.id,
        )


class CreateLlmRequest(ProtoModel):
    """Request of CreateLlm."""

    __proto__: ClassVar = pb.CreateLlmRequest

    llm: Llm = Field(description="The model. `is_active` is always set to true.")

    @classmethod
    def read_pb(cls, message: pb.CreateLlmRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("llm"):
            data["llm"] = Llm.read_pb(message.llm)
        return data

    def to_pb(self) -> pb.CreateLlmRequest:
        """Makes a protobuf message."""
        return pb.CreateLlmRequest(
            llm=None if self.llm is None else self.llm.to_pb(),
        )


class UpdateLlmRequest(UpdateModel):
    """Request of UpdateLlm."""

    __proto__: ClassVar = pb.UpdateLlmRequest
    __resource__: ClassVar = ("llm", LlmPatch)

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the model.")
    llm: LlmPatch = Field(description="The new values.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "id",
            "name",
            "provider",
            "model_id",
            "endpoint",
            "api_key",
            "has_api_key",
            "max_tokens",
            "temperature",
            "context_tokens",
            "is_default",
            "is_active",
            "creation_date",
            "last_update",
            "input_price",
            "output_price",
            "updated_by",
            "updated_by_name",
        ),
    ] = Field(description="Fields to change. Over REST, taken from the keys of the body.")

    @classmethod
    def read_pb(cls, message: pb.UpdateLlmRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("llm"):
            data["llm"] = Llm.read_pb(message.llm)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateLlmRequest:
        """Makes a protobuf message."""
        return pb.UpdateLlmRequest(
            id=self.id,
            llm=None if self.llm is None else self.llm.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class DeleteLlmRequest(ProtoModel):
    """Request of DeleteLlm."""

    __proto__: ClassVar = pb.DeleteLlmRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the model.")

    @classmethod
    def read_pb(cls, message: pb.DeleteLlmRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteLlmRequest:
        """Makes a protobuf message."""
        return pb.DeleteLlmRequest(
            id=self.id,
        )


class TestLlmRequest(ProtoModel):
    """Request of TestLlm."""

    __proto__: ClassVar = pb.TestLlmRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the model.")

    @classmethod
    def read_pb(cls, message: pb.TestLlmRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.TestLlmRequest:
        """Makes a protobuf message."""
        return pb.TestLlmRequest(
            id=self.id,
        )


class TestLlmSettingsRequest(ProtoModel):
    """Request of TestLlmSettings."""

    __proto__: ClassVar = pb.TestLlmSettingsRequest

    llm: Llm = Field(description="The model as it would be stored.")
    id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0,
        description="ID of the stored model whose key is used if `llm.api_key` is empty and the address has not changed; 0 for none.",
    )

    @classmethod
    def read_pb(cls, message: pb.TestLlmSettingsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("llm"):
            data["llm"] = Llm.read_pb(message.llm)
        return data

    def to_pb(self) -> pb.TestLlmSettingsRequest:
        """Makes a protobuf message."""
        return pb.TestLlmSettingsRequest(
            llm=None if self.llm is None else self.llm.to_pb(),
            id=self.id,
        )


class TestLlmResponse(ProtoModel):
    """Response of TestLlm and TestLlmSettings."""

    __proto__: ClassVar = pb.TestLlmResponse
    __enums__: ClassVar = {
        "fault": LlmFault,
    }

    ok: bool = Field(default=False, description="Whether the model answered.")
    message: str = Field(default="", description="The answer, or the error and what to do.")
    latency_ms: _t.Int32 = Field(default=0, description="Latency in milliseconds.")
    fault: LlmFault = Field(default=LlmFault.UNSPECIFIED, description="Kind of the error.")

    @classmethod
    def read_pb(cls, message: pb.TestLlmResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "ok": message.ok,
            "message": message.message,
            "latency_ms": message.latency_ms,
            "fault": LlmFault.numbers.get(message.fault, message.fault),
        }
        return data

    def to_pb(self) -> pb.TestLlmResponse:
        """Makes a protobuf message."""
        return pb.TestLlmResponse(
            ok=self.ok,
            message=self.message,
            latency_ms=self.latency_ms,
            fault=self.fault.number,
        )


class ListOfferedModelsRequest(ProtoModel):
    """Request of ListOfferedModels."""

    __proto__: ClassVar = pb.ListOfferedModelsRequest
    __enums__: ClassVar = {
        "provider": LlmProvider,
    }

    provider: Annotated[LlmProvider, _r.none_of(LlmProvider.UNSPECIFIED)] = Field(
        description="The provider, whose protocol the server speaks."
    )
    endpoint: Annotated[str, Field(max_length=2048)] = Field(
        default="", description="URL of the server; empty means the provider's default."
    )
    api_key: Annotated[str, Field(max_length=4096)] = Field(
        default="", description="The API key of the provider; it is not stored."
    )
    id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0,
        description="ID of the stored model whose key is used if `api_key` is empty and the address has not changed; 0 for none.",
    )

    @classmethod
    def read_pb(cls, message: pb.ListOfferedModelsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "provider": LlmProvider.numbers.get(message.provider, message.provider),
            "endpoint": message.endpoint,
            "api_key": message.api_key,
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.ListOfferedModelsRequest:
        """Makes a protobuf message."""
        return pb.ListOfferedModelsRequest(
            provider=self.provider.number,
            endpoint=self.endpoint,
            api_key=self.api_key,
            id=self.id,
        )


class ListOfferedModelsResponse(ProtoModel):
    """Response of ListOfferedModels."""

    __proto__: ClassVar = pb.ListOfferedModelsResponse
    __enums__: ClassVar = {
        "fault": LlmFault,
    }

    model_ids: list[str] = Field(
        default_factory=list,
        description="Names of the models, sorted, at most 1000. Empty if the server could not be asked.",
    )
    message: str = Field(default="", description="Why there are none, and what to do; empty if the server answered.")
    fault: LlmFault = Field(default=LlmFault.UNSPECIFIED, description="Kind of the error.")

    @classmethod
    def read_pb(cls, message: pb.ListOfferedModelsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "model_ids": list(message.model_ids),
            "message": message.message,
            "fault": LlmFault.numbers.get(message.fault, message.fault),
        }
        return data

    def to_pb(self) -> pb.ListOfferedModelsResponse:
        """Makes a protobuf message."""
        return pb.ListOfferedModelsResponse(
            model_ids=self.model_ids,
            message=self.message,
            fault=self.fault.number,
        )


class LlmService(ABC):
    """Chat models for assistants. Everyone can read them; `superadmin` manages them."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["LlmService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListLlms", "list_llms", ListLlmsRequest, ListLlmsResponse),
        Method("GetLlm", "get_llm", GetLlmRequest, Llm),
        Method("CreateLlm", "create_llm", CreateLlmRequest, Llm),
        Method("UpdateLlm", "update_llm", UpdateLlmRequest, Llm),
        Method("DeleteLlm", "delete_llm", DeleteLlmRequest, Empty),
        Method("TestLlm", "test_llm", TestLlmRequest, TestLlmResponse),
        Method("TestLlmSettings", "test_llm_settings", TestLlmSettingsRequest, TestLlmResponse),
        Method("ListOfferedModels", "list_offered_models", ListOfferedModelsRequest, ListOfferedModelsResponse),
    )

    @abstractmethod
    async def list_llms(self, request: ListLlmsRequest, call: CallContext) -> ListLlmsResponse:
        """Lists models by name."""

    @abstractmethod
    async def get_llm(self, request: GetLlmRequest, call: CallContext) -> Llm:
        """Reads one model. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_llm(self, request: CreateLlmRequest, call: CallContext) -> Llm:
        """Creates a model. With `is_default` it replaces the default. Errors: ALREADY_EXISTS, ENDPOINT_REFUSED."""

    @abstractmethod
    async def update_llm(self, request: UpdateLlmRequest, call: CallContext) -> Llm:
        """Updates a model. Errors: NOT_FOUND, ENDPOINT_REFUSED."""

    @abstractmethod
    async def delete_llm(self, request: DeleteLlmRequest, call: CallContext) -> Empty:
        """Deletes a model; its assistants use the default. The built-in one cannot be deleted."""

    @abstractmethod
    async def test_llm(self, request: TestLlmRequest, call: CallContext) -> TestLlmResponse:
        """Sends a short question to a stored model and returns the result. Needs `superadmin`. Errors: NOT_FOUND."""

    @abstractmethod
    async def test_llm_settings(self, request: TestLlmSettingsRequest, call: CallContext) -> TestLlmResponse:
        """Sends a short question to a model that is not stored, or that is stored with other values, without storing
        anything. Needs `superadmin`. Errors: NOT_FOUND (`id`), ENDPOINT_REFUSED, VALIDATION_FAILED (the stored key belongs
        to another address).
        """

    @abstractmethod
    async def list_offered_models(
        self, request: ListOfferedModelsRequest, call: CallContext
    ) -> ListOfferedModelsResponse:
        """Lists the names of the models that a provider's server offers, to choose one of them. Stores nothing and asks no
        model. Needs `superadmin`. Errors: NOT_FOUND (`id`), ENDPOINT_REFUSED, VALIDATION_FAILED (the stored key belongs to
        another address).
        """
