"""

Generated from echomind/public/v1/reranker.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import PatchModel, ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import reranker_pb2 as pb


class RerankProtocol(ProtoEnum):
    """What the server of a reranker speaks."""

    UNSPECIFIED = "RERANK_PROTOCOL_UNSPECIFIED", 0
    """Unspecified."""
    COHERE = "RERANK_PROTOCOL_COHERE", 1
    """Cohere's `/v2/rerank`."""
    JINA = "RERANK_PROTOCOL_JINA", 2
    """Jina's `/v1/rerank`, as LiteLLM, Infinity and others serve it, too."""
    VLLM = "RERANK_PROTOCOL_VLLM", 3
    """`/v1/rerank` of vLLM, which is asked to cut what is too long for the model."""
    TEI = "RERANK_PROTOCOL_TEI", 4
    """`/rerank` of Hugging Face Text Embeddings Inference."""


class Reranker(ProtoModel):
    """A model of a server that compares the passages of a search with the question once more, and orders them by it."""

    __proto__: ClassVar = pb.Reranker
    __enums__: ClassVar = {
        "protocol": RerankProtocol,
    }

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    name: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(description="Unique display name.")
    protocol: Annotated[RerankProtocol, _r.none_of(RerankProtocol.UNSPECIFIED)] = Field(
        description="What its server speaks."
    )
    model_id: Annotated[str, Field(min_length=1, max_length=255)] = Field(
        description="The model's name at the server, for example `BAAI/bge-reranker-v2-m3`; Text Embeddings Inference ignores it."
    )
    endpoint: Annotated[str, Field(min_length=1, max_length=2048)] = Field(
        description="URL of the server. Link-local and metadata addresses are refused."
    )
    api_key: Annotated[str, Field(max_length=4096)] = Field(
        default="",
        description="The API key of its server. Write-only: reading returns an empty string. If the scheme, host or port of the endpoint changes, it must be sent again, or be sent empty to remove it.",
    )
    has_api_key: bool = Field(default=False, description="Whether a key is stored.")
    candidates: Annotated[_t.Int32, Field(le=200, ge=0)] = Field(
        default=0,
        description="How many passages of a search it compares: the best ones of the search's own order. 0 means 30.",
    )
    timeout_ms: Annotated[_t.Int32, Field(le=30000, ge=0)] = Field(
        default=0,
        description="How long a search waits for it, in milliseconds; then the passages stay in the search's own order. 0 means 1500.",
    )
    is_active: bool = Field(
        default=False,
        description="Whether searches use it. At most one is active: activating one ends another one. A model becomes active only if it passes the test.",
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="Time at which it was added.")
    last_update: _t.Timestamp | None = Field(
        default=None, description="Time of the last change; empty if never changed."
    )
    updated_by: _t.Int32 = Field(
        default=0, description="ID of the person who made the last change; 0 if nobody did. Set by the server."
    )
    updated_by_name: str = Field(
        default="",
        description="Their first and last name, or else the user name; empty if `updated_by` is 0. Set by the server.",
    )

    @classmethod
    def read_pb(cls, message: pb.Reranker) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "name": message.name,
            "protocol": RerankProtocol.numbers.get(message.protocol, message.protocol),
            "model_id": message.model_id,
            "endpoint": message.endpoint,
            "api_key": message.api_key,
            "has_api_key": message.has_api_key,
            "candidates": message.candidates,
            "timeout_ms": message.timeout_ms,
            "is_active": message.is_active,
            "updated_by": message.updated_by,
            "updated_by_name": message.updated_by_name,
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.Reranker:
        """Makes a protobuf message."""
        return pb.Reranker(
            id=self.id,
            name=self.name,
            protocol=self.protocol.number,
            model_id=self.model_id,
            endpoint=self.endpoint,
            api_key=self.api_key,
            has_api_key=self.has_api_key,
            candidates=self.candidates,
            timeout_ms=self.timeout_ms,
            is_active=self.is_active,
            creation_date=self.creation_date,
            last_update=self.last_update,
            updated_by=self.updated_by,
            updated_by_name=self.updated_by_name,
        )


class RerankerPatch(PatchModel, Reranker):
    """New values of Reranker: what is not given stays as it is, null resets to the default."""

    name: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(
        default="", description="Unique display name."
    )
    protocol: Annotated[RerankProtocol, _r.none_of(RerankProtocol.UNSPECIFIED)] = Field(
        default=RerankProtocol.UNSPECIFIED, description="What its server speaks."
    )
    model_id: Annotated[str, Field(min_length=1, max_length=255)] = Field(
        default="",
        description="The model's name at the server, for example `BAAI/bge-reranker-v2-m3`; Text Embeddings Inference ignores it.",
    )
    endpoint: Annotated[str, Field(min_length=1, max_length=2048)] = Field(
        default="", description="URL of the server. Link-local and metadata addresses are refused."
    )
