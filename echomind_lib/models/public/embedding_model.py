"""

Generated from echomind/public/v1/embedding_model.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import PatchModel, ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
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


class EmbeddingProtocol(ProtoEnum):
    """What the server of an embedding model speaks."""

    UNSPECIFIED = "EMBEDDING_PROTOCOL_UNSPECIFIED", 0
    """Unspecified: the model is built in."""
    OPENAI = "EMBEDDING_PROTOCOL_OPENAI", 1
    """OpenAI's `/v1/embeddings`, as vLLM, Ollama, LiteLLM and many providers serve it, too."""
    TEI = "EMBEDDING_PROTOCOL_TEI", 2
    """`/embed` of Hugging Face Text Embeddings Inference."""


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
    message: str = Field(default="", description="Why it does not continue; empty if it does.")

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
        "protocol": EmbeddingProtocol,
    }

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    model_id: Annotated[str, Field(min_length=1, max_length=255)] = Field(
        description="The model's name, for example `sentence-transformers/all-MiniLM-L6-v2`; at a server, the name there. It cannot be changed."
    )
    model_name: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(description="Display name.")
    model_dimension: _t.Int32 = Field(
        default=0, description="Dimension of its vectors; set by the server, which finds it by a test."
    )
    endpoint: Annotated[str, Field(max_length=2048)] = Field(
        default="",
        description="URL of the server that has the model; empty for a built-in one. Link-local and metadata addresses are refused. Reading returns it to those who manage models alone.",
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
    protocol: EmbeddingProtocol = Field(
        default=EmbeddingProtocol.UNSPECIFIED,
        description="What its server speaks; unspecified for a built-in model. It cannot be changed.",
    )
    api_key: Annotated[str, Field(max_length=4096)] = Field(
        default="",
        description="The API key of its server. Write-only: reading returns an empty string. If the scheme, host or port of the endpoint changes, it must be sent again, or be sent empty to remove it.",
    )
    has_api_key: bool = Field(default=False, description="Whether a key is stored.")
    query_prefix: Annotated[str, Field(max_length=1000)] = Field(
        default="",
        description="Text that the model expects before a question, for example `query: `. It changes vectors, so that it can be changed only while the model has no index.",
    )
    passage_prefix: Annotated[str, Field(max_length=1000)] = Field(
        default="", description="Text that it expects before a passage, for example `passage: `, as `query_prefix`."
    )
    languages: list[str] = Field(
        default_factory=list,
        description="ISO 639-1 codes of the languages that a test found it to serve; questions in others are searched by words alone. Empty for a built-in model. Set by the server.",
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
            "protocol": EmbeddingProtocol.numbers.get(message.protocol, message.protocol),
            "api_key": message.api_key,
            "has_api_key": message.has_api_key,
            "query_prefix": message.query_prefix,
            "passage_prefix": message.passage_prefix,
            "languages": list(message.languages),
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
            protocol=self.protocol.number,
            api_key=self.api_key,
            has_api_key=self.has_api_key,
            query_prefix=self.query_prefix,
            passage_prefix=self.passage_prefix,
            languages=self.languages,
        )


class EmbeddingModelPatch(PatchModel, EmbeddingModel):
    """New values of EmbeddingModel: what is not given stays as it is, null resets to the default."""

    model_id: Annotated[str, Field(min_length=1, max_length=255)] = Field(
        default="",
        description="The model's name, for example `sentence-transformers/all-MiniLM-L6-v2`; at a server, the name there. It cannot be changed.",
    )
    model_name: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(
        default="", description="Display name."
    )
