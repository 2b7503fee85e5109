"""

Generated from echomind/public/v1/llm.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import PatchModel, ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import llm_pb2 as pb


class LlmProvider(ProtoEnum):
    """The protocol of a model provider."""

    UNSPECIFIED = "LLM_PROVIDER_UNSPECIFIED", 0
    """Unspecified."""
    TGI = "LLM_PROVIDER_TGI", 1
    """Hugging Face Text Generation Inference, through its OpenAI-compatible endpoint."""
    VLLM = "LLM_PROVIDER_VLLM", 2
    """vLLM, through its OpenAI-compatible endpoint."""
    OPENAI = "LLM_PROVIDER_OPENAI", 3
    """OpenAI, and every server with its chat completions protocol."""
    ANTHROPIC = "LLM_PROVIDER_ANTHROPIC", 4
    """Anthropic's messages protocol."""
    OLLAMA = "LLM_PROVIDER_OLLAMA", 5
    """Ollama, through its OpenAI-compatible endpoint."""
    EXTRACTIVE = "LLM_PROVIDER_EXTRACTIVE", 6
    """Built-in: quotes the best sentences of the sources; needs no key and no network."""


class Llm(ProtoModel):
    """A chat model."""

    __proto__: ClassVar = pb.Llm
    __enums__: ClassVar = {
        "provider": LlmProvider,
    }

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    name: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(description="Unique display name.")
    provider: Annotated[LlmProvider, _r.none_of(LlmProvider.UNSPECIFIED)] = Field(description="Its provider.")
    model_id: Annotated[str, Field(min_length=1, max_length=255)] = Field(
        description="The model's name at the provider, for example `gpt-4o-mini`."
    )
    endpoint: Annotated[str, Field(max_length=2048)] = Field(
        default="",
        description="URL of the provider; empty means the provider's default, which vLLM and TGI do not have. Link-local and metadata addresses are refused. Reading returns it to those who manage models alone.",
    )
    api_key: Annotated[str, Field(max_length=4096)] = Field(
        default="",
        description="The API key of the provider. Write-only: reading returns an empty string. If the provider, or the scheme, host or port of the endpoint changes, it must be sent again, or be sent empty to remove it.",
    )
    has_api_key: bool = Field(default=False, description="Whether a key is stored.")
    max_tokens: Annotated[_t.Int32, Field(le=1000000, ge=0)] = Field(
        default=0, description="Maximum tokens of an answer; 0 means the provider's default."
    )
    temperature: Annotated[_t.Float, Field(le=2.0, ge=0.0)] | None = Field(
        default=None, description="Temperature, 0 to 2; unset means the provider's default."
    )
    context_tokens: Annotated[_t.Int32, Field(le=10000000, ge=0)] = Field(
        default=0, description="Context window: maximum tokens of prompt and completion together; 0 means 16384."
    )
    is_default: bool = Field(default=False, description="Whether it is the default model, for assistants without one.")
    is_active: bool = Field(default=False, description="Whether it can be used.")
    creation_date: _t.Timestamp | None = Field(default=None, description="Creation time; set by the server.")
    last_update: _t.Timestamp | None = Field(
        default=None, description="Time of the last change; empty if never changed."
    )
    input_price: Annotated[_t.Float, Field(le=100000.0, ge=0.0)] | None = Field(
        default=None,
        description="Price of a million prompt tokens in US dollars; unset means the price list of the release.",
    )
    output_price: Annotated[_t.Float, Field(le=100000.0, ge=0.0)] | None = Field(
        default=None,
        description="Price of a million completion tokens in US dollars; unset means the price list of the release. Either both prices are set or neither.",
    )
    updated_by: _t.Int32 = Field(
        default=0,
        description="ID of the person who made the last change; 0 if nobody did, and for everyone but those who manage models. Set by the server.",
    )
    updated_by_name: str = Field(
        default="",
        description="Their first and last name, or else the user name; empty if `updated_by` is 0. Set by the server.",
    )

    @classmethod
    def read_pb(cls, message: pb.Llm) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "name": message.name,
            "provider": LlmProvider.numbers.get(message.provider, message.provider),
            "model_id": message.model_id,
            "endpoint": message.endpoint,
            "api_key": message.api_key,
            "has_api_key": message.has_api_key,
            "max_tokens": message.max_tokens,
            "context_tokens": message.context_tokens,
            "is_default": message.is_default,
            "is_active": message.is_active,
            "updated_by": message.updated_by,
            "updated_by_name": message.updated_by_name,
        }
        if message.HasField("temperature"):
            data["temperature"] = message.temperature
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        if message.HasField("input_price"):
            data["input_price"] = message.input_price
        if message.HasField("output_price"):
            data["output_price"] = message.output_price
        return data

    def to_pb(self) -> pb.Llm:
        """Makes a protobuf message."""
        return pb.Llm(
            id=self.id,
            name=self.name,
            provider=self.provider.number,
            model_id=self.model_id,
            endpoint=self.endpoint,
            api_key=self.api_key,
            has_api_key=self.has_api_key,
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            context_tokens=self.context_tokens,
            is_default=self.is_default,
            is_active=self.is_active,
            creation_date=self.creation_date,
            last_update=self.last_update,
            input_price=self.input_price,
            output_price=self.output_price,
            updated_by=self.updated_by,
            updated_by_name=self.updated_by_name,
        )


class LlmPatch(PatchModel, Llm):
    """New values of Llm: what is not given stays as it is, null resets to the default."""

    name: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(
        default="", description="Unique display name."
    )
    provider: Annotated[LlmProvider, _r.none_of(LlmProvider.UNSPECIFIED)] = Field(
        default=LlmProvider.UNSPECIFIED, description="Its provider."
    )
    model_id: Annotated[str, Field(min_length=1, max_length=255)] = Field(
        default="", description="The model's name at the provider, for example `gpt-4o-mini`."
    )
