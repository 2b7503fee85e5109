"""

Generated from echomind/public/v1/api_key_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.api_key import ApiKey, ApiKeyQuota, ApiKeyScope
from echomind_lib.pb.echomind.public.v1 import api_key_service_pb2 as pb


class ListApiKeysRequest(ProtoModel):
    """Request of ListApiKeys."""

    __proto__: ClassVar = pb.ListApiKeysRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListApiKeysRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListApiKeysRequest:
        """Makes a protobuf message."""
        return pb.ListApiKeysRequest(
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListApiKeysResponse(ProtoModel):
    """Response of ListApiKeys."""

    __proto__: ClassVar = pb.ListApiKeysResponse

    api_keys: list[ApiKey] = Field(default_factory=list, description="The keys, newest first.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListApiKeysResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "api_keys": [ApiKey.read_pb(each) for each in message.api_keys],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListApiKeysResponse:
        """Makes a protobuf message."""
        return pb.ListApiKeysResponse(
            api_keys=[each.to_pb() for each in self.api_keys],
            next_page_token=self.next_page_token,
        )


class CreateApiKeyRequest(ProtoModel):
    """Request of CreateApiKey."""

    __proto__: ClassVar = pb.CreateApiKeyRequest
    __enums__: ClassVar = {
        "scopes": ApiKeyScope,
    }

    name: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(
        description="Name of the key, such as the program that uses it."
    )
    expires_at: _t.Timestamp | None = Field(
        default=None,
        description="When the key expires; empty means never. Required, and no later than the expiry of the calling key, if the calling key expires.",
    )
    assistant_ids: Annotated[list[Annotated[_t.Int32, Field(gt=0)]], Field(max_length=100), _r.UNIQUE] = Field(
        default_factory=list,
        description="IDs of the only assistants that the key may use; empty for all, or those of the calling key. Members of a team and sub-agents are only used if they are listed, too.",
    )
    connector_ids: Annotated[list[Annotated[_t.Int32, Field(gt=0)]], Field(max_length=100), _r.UNIQUE] = Field(
        default_factory=list,
        description="IDs of the only connectors that the key may search, read and upload to; empty for all, or those of the calling key.",
    )
    scopes: Annotated[
        list[Annotated[ApiKeyScope, _r.none_of(ApiKeyScope.UNSPECIFIED)]], Field(max_length=10), _r.UNIQUE
    ] = Field(
        default_factory=list,
        description="Scopes of the key; empty means read, ask, ingest and manage, as far as the calling key has them.",
    )

    @classmethod
    def read_pb(cls, message: pb.CreateApiKeyRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "name": message.name,
            "assistant_ids": list(message.assistant_ids),
            "connector_ids": list(message.connector_ids),
            "scopes": [ApiKeyScope.numbers.get(each, each) for each in message.scopes],
        }
        if message.HasField("expires_at"):
            data["expires_at"] = message.expires_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.CreateApiKeyRequest:
        """Makes a protobuf message."""
        return pb.CreateApiKeyRequest(
            name=self.name,
            expires_at=self.expires_at,
            assistant_ids=self.assistant_ids,
            connector_ids=self.connector_ids,
            scopes=[each.number for each in self.scopes],
        )


class CreateApiKeyResponse(ProtoModel):
    """Response of CreateApiKey."""

    __proto__: ClassVar = pb.CreateApiKeyResponse

    api_key: ApiKey | None = Field(default=None, description="The key.")
    secret: str = Field(default="", description="The secret; returned only once.")

    @classmethod
    def read_pb(cls, message: pb.CreateApiKeyResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "secret": message.secret,
        }
        if message.HasField("api_key"):
            data["api_key"] = ApiKey.read_pb(message.api_key)
        return data

    def to_pb(self) -> pb.CreateApiKeyResponse:
        """Makes a protobuf message."""
        return pb.CreateApiKeyResponse(
            api_key=None if self.api_key is None else self.api_key.to_pb(),
            secret=self.secret,
        )


class RotateApiKeyRequest(ProtoModel):
    """Request of RotateApiKey."""

    __proto__: ClassVar = pb.RotateApiKeyRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the key.")
    overlap_seconds: Annotated[_t.Int32, Field(le=604800, ge=0)] = Field(
        default=0,
        description="Seconds for which the earlier secret continues to work, at most 7 days; 0 means that it stops within a minute.",
    )

    @classmethod
    def read_pb(cls, message: pb.RotateApiKeyRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "overlap_seconds": message.overlap_seconds,
        }
        return data

    def to_pb(self) -> pb.RotateApiKeyRequest:
        """Makes a protobuf message."""
        return pb.RotateApiKeyRequest(
            id=self.id,
            overlap_seconds=self.overlap_seconds,
        )


class RotateApiKeyResponse(ProtoModel):
    """Response of RotateApiKey."""

    __proto__: ClassVar = pb.RotateApiKeyResponse

    api_key: ApiKey | None = Field(default=None, description="The key.")
    secret: str = Field(default="", description="The new secret; returned only once.")

    @classmethod
    def read_pb(cls, message: pb.RotateApiKeyResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "secret": message.secret,
        }
        if message.HasField("api_key"):
            data["api_key"] = ApiKey.read_pb(message.api_key)
        return data

    def to_pb(self) -> pb.RotateApiKeyResponse:
        """Makes a protobuf message."""
        return pb.RotateApiKeyResponse(
            api_key=None if self.api_key is None else self.api_key.to_pb(),
            secret=self.secret,
        )


class SetApiKeyQuotasRequest(ProtoModel):
    """Request of SetApiKeyQuotas."""

    __proto__: ClassVar = pb.SetApiKeyQuotasRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the key.")
    quotas: Annotated[list[ApiKeyQuota], Field(max_length=2)] = Field(
        default_factory=list,
        description="The quotas: at most one for each day and one for each month, with a limit each. Empty removes all; what was used stays.",
    )
    max_requests_per_minute: Annotated[_t.Int32, Field(le=1000000, ge=0)] = Field(
        default=0,
        description="Maximum number of requests a minute, in each process that answers requests; 0 means no limit.",
    )
    max_concurrent_runs: Annotated[_t.Int32, Field(le=1000000, ge=0)] = Field(
        default=0,
        description="Maximum number of questions that are being answered or wait for that, in all processes: further ones are refused. 0 means no limit.",
    )
    max_concurrent_streams: Annotated[_t.Int32, Field(le=1000000, ge=0)] = Field(
        default=0,
        description="Maximum number of open streams, in each process that answers requests; 0 means no limit.",
    )

    @classmethod
    def read_pb(cls, message: pb.SetApiKeyQuotasRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "quotas": [ApiKeyQuota.read_pb(each) for each in message.quotas],
            "max_requests_per_minute": message.max_requests_per_minute,
            "max_concurrent_runs": message.max_concurrent_runs,
            "max_concurrent_streams": message.max_concurrent_streams,
        }
        return data

    def to_pb(self) -> pb.SetApiKeyQuotasRequest:
        """Makes a protobuf message."""
        return pb.SetApiKeyQuotasRequest(
            id=self.id,
            quotas=[each.to_pb() for each in self.quotas],
            max_requests_per_minute=self.max_requests_per_minute,
            max_concurrent_runs=self.max_concurrent_runs,
            max_concurrent_streams=self.max_concurrent_streams,
        )


class DeleteApiKeyRequest(ProtoModel):
    """Request of DeleteApiKey."""

    __proto__: ClassVar = pb.DeleteApiKeyRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the key.")

    @classmethod
    def read_pb(cls, message: pb.DeleteApiKeyRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteApiKeyRequest:
        """Makes a protobuf message."""
        return pb.DeleteApiKeyRequest(
            id=self.id,
        )


class ApiKeyService(ABC):
    """API keys of the caller."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["ApiKeyService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListApiKeys", "list_api_keys", ListApiKeysRequest, ListApiKeysResponse),
        Method("CreateApiKey", "create_api_key", CreateApiKeyRequest, CreateApiKeyResponse),
        Method("RotateApiKey", "rotate_api_key", RotateApiKeyRequest, RotateApiKeyResponse),
        Method("SetApiKeyQuotas", "set_api_key_quotas", SetApiKeyQuotasRequest, ApiKey),
        Method("DeleteApiKey", "delete_api_key", DeleteApiKeyRequest, Empty),
    )

    @abstractmethod
    async def list_api_keys(self, request: ListApiKeysRequest, call: CallContext) -> ListApiKeysResponse:
        """Lists the caller's keys, newest first, without their secrets."""

    @abstractmethod
    async def create_api_key(self, request: CreateApiKeyRequest, call: CallContext) -> CreateApiKeyResponse:
        """Creates a key. The secret is returned by this call only. A key that is created with another key expires no later
        than that key and has no scopes beyond those of it. The scope `administer` requires a key that has it, or a web
        session that was signed in within the last 10 minutes; such a key has no limits. A key that is created with a key with
        limits has these limits or narrower ones. Errors: ALREADY_EXISTS, NOT_FOUND (an assistant or connector that the caller
        may not use), PERMISSION_DENIED (metadata `required`: a scope that the calling key lacks), VALIDATION_FAILED.
        """

    @abstractmethod
    async def rotate_api_key(self, request: RotateApiKeyRequest, call: CallContext) -> RotateApiKeyResponse:
        """Gives a key another secret, which is returned by this call only. The earlier one works until the overlap is over, and
        cannot rotate the key; one from before it stops. The key's beginning, scopes and expiry stay. A key without
        the scope `administer` can rotate only itself and the keys created with it. Errors: NOT_FOUND, PERMISSION_DENIED
        (metadata `required`: `administer`, `current_secret`, `lasting_credential`, `recent_sign_in`).
        """

    @abstractmethod
    async def set_api_key_quotas(self, request: SetApiKeyQuotasRequest, call: CallContext) -> ApiKey:
        """Replaces all quotas and limits of a key. Quotas hold from the next run on, the other limits within a minute. A key never
        sets its own, nor those of a key that it was created with: without the scope `administer` only those of the keys
        created with it. The quotas of an ended key are deleted within an hour. Errors: NOT_FOUND, PERMISSION_DENIED (metadata
        `required`: `administer`, `other_key`), VALIDATION_FAILED (a period twice, or a quota without a limit).
        """

    @abstractmethod
    async def delete_api_key(self, request: DeleteApiKeyRequest, call: CallContext) -> Empty:
        """Revokes a key and the keys that were created with it: they stop working within a minute. A key without the scope
        `administer` can revoke only itself and the keys created with it. Errors: NOT_FOUND, PERMISSION_DENIED (metadata
        `required`: `administer`).
        """
