"""The embedding process.

Generated from echomind/internal/v1/embedding.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.internal.v1 import embedding_pb2 as pb


class TextKind(ProtoEnum):
    """The kind of a text."""

    UNSPECIFIED = "TEXT_KIND_UNSPECIFIED", 0
    """Unspecified."""
    QUERY = "TEXT_KIND_QUERY", 1
    """A question; embedded before passages."""
    PASSAGE = "TEXT_KIND_PASSAGE", 2
    """A passage of a document."""
    BACKGROUND_PASSAGE = "TEXT_KIND_BACKGROUND_PASSAGE", 3
    """A passage of a new index of documents that are searchable already; embedded after all others."""


class EmbedRequest(ProtoModel):
    """Request of Embed."""

    __proto__: ClassVar = pb.EmbedRequest
    __enums__: ClassVar = {
        "kind": TextKind,
    }

    texts: Annotated[list[str], Field(min_length=1, max_length=512)] = Field(
        description="The texts; a text longer than the model's window is truncated."
    )
    kind: Annotated[TextKind, _r.none_of(TextKind.UNSPECIFIED)] = Field(description="The kind of all texts.")
    model_id: str = Field(
        default="",
        description="The model; empty means the default one. FAILED_PRECONDITION if the process does not have it.",
    )

    @classmethod
    def read_pb(cls, message: pb.EmbedRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "texts": list(message.texts),
            "kind": TextKind.numbers.get(message.kind, message.kind),
            "model_id": message.model_id,
        }
        return data

    def to_pb(self) -> pb.EmbedRequest:
        """Makes a protobuf message."""
        return pb.EmbedRequest(
            texts=self.texts,
            kind=self.kind.number,
            model_id=self.model_id,
        )


class EmbedResponse(ProtoModel):
    """Response of Embed."""

    __proto__: ClassVar = pb.EmbedResponse

    model_id: str = Field(default="", description="The model.")
    dimension: _t.Int32 = Field(default=0, description="Dimension of each vector.")
    vectors: _t.Bytes = Field(
        default=b"",
        description="The vectors in the order of the texts, row by row: 32-bit floats, little-endian, normalized to unit length.",
    )

    @classmethod
    def read_pb(cls, message: pb.EmbedResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "model_id": message.model_id,
            "dimension": message.dimension,
            "vectors": message.vectors,
        }
        return data

    def to_pb(self) -> pb.EmbedResponse:
        """Makes a protobuf message."""
        return pb.EmbedResponse(
            model_id=self.model_id,
            dimension=self.dimension,
            vectors=self.vectors,
        )


class DescribeModelRequest(ProtoModel):
    """Request of DescribeModel."""

    __proto__: ClassVar = pb.DescribeModelRequest

    model_id: str = Field(default="", description="The model.")

    @classmethod
    def read_pb(cls, message: pb.DescribeModelRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "model_id": message.model_id,
        }
        return data

    def to_pb(self) -> pb.DescribeModelRequest:
        """Makes a protobuf message."""
        return pb.DescribeModelRequest(
            model_id=self.model_id,
        )


class EmbeddingModelInfo(ProtoModel):
    """A model."""

    __proto__: ClassVar = pb.EmbeddingModelInfo

    model_id: str = Field(default="", description="Its name.")
    dimension: _t.Int32 = Field(default=0, description="Dimension of each vector.")
    max_tokens: _t.Int32 = Field(
        default=0, description="Maximum number of tokens of a text; longer ones are truncated."
    )
    languages: list[str] = Field(default_factory=list, description="Supported languages, as ISO 639-1 codes.")

    @classmethod
    def read_pb(cls, message: pb.EmbeddingModelInfo) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "model_id": message.model_id,
            "dimension": message.dimension,
            "max_tokens": message.max_tokens,
            "languages": list(message.languages),
        }
        return data

    def to_pb(self) -> pb.EmbeddingModelInfo:
        """Makes a protobuf message."""
        return pb.EmbeddingModelInfo(
            model_id=self.model_id,
            dimension=self.dimension,
            max_tokens=self.max_tokens,
            languages=self.languages,
        )


class EmbeddingService(ABC):
    """Turns texts into vectors: one process per machine, which loads models when they are asked for, fills batches from all
    callers and embeds queries before passages. If the process has a key, calls carry it in the metadata `api-key`; without
    it they fail with UNAUTHENTICATED. A call whose model is still being loaded after a second fails with UNAVAILABLE and
    the trailing metadata `embedding-model: loading`: call again.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["EmbeddingService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("Embed", "embed", EmbedRequest, EmbedResponse),
        Method("GetModel", "get_model", Empty, EmbeddingModelInfo),
        Method("DescribeModel", "describe_model", DescribeModelRequest, EmbeddingModelInfo),
    )

    @abstractmethod
    async def embed(self, request: EmbedRequest, call: CallContext) -> EmbedResponse:
        """Embeds texts. RESOURCE_EXHAUSTED when its queue is full: retry later. INVALID_ARGUMENT if the texts are larger than
        8 MiB in total.
        """

    @abstractmethod
    async def get_model(self, request: Empty, call: CallContext) -> EmbeddingModelInfo:
        """Describes the default model: that of the last question."""

    @abstractmethod
    async def describe_model(self, request: DescribeModelRequest, call: CallContext) -> EmbeddingModelInfo:
        """Describes a model, which is loaded if necessary. NOT_FOUND if there is none with that name."""
