"""

Generated from echomind/public/v1/quota_service.proto by tools/pydantic_plugin: change that, then `make gen`.
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
from echomind_lib.models.public.quota import Quota, QuotaPatch, QuotaUsage
from echomind_lib.pb.echomind.public.v1 import quota_service_pb2 as pb


class ListQuotasRequest(ProtoModel):
    """Request of ListQuotas."""

    __proto__: ClassVar = pb.ListQuotasRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListQuotasRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListQuotasRequest:
        """Makes a protobuf message."""
        return pb.ListQuotasRequest(
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListQuotasResponse(ProtoModel):
    """Response of ListQuotas."""

    __proto__: ClassVar = pb.ListQuotasResponse

    quotas: list[Quota] = Field(default_factory=list, description="The quotas.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListQuotasResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "quotas": [Quota.read_pb(each) for each in message.quotas],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListQuotasResponse:
        """Makes a protobuf message."""
        return pb.ListQuotasResponse(
            quotas=[each.to_pb() for each in self.quotas],
            next_page_token=self.next_page_token,
        )


class GetQuotaRequest(ProtoModel):
    """Request of GetQuota."""

    __proto__: ClassVar = pb.GetQuotaRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the quota.")

    @classmethod
    def read_pb(cls, message: pb.GetQuotaRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetQuotaRequest:
        """Makes a protobuf message."""
        return pb.GetQuotaRequest(
            id=self.id,
        )


class CreateQuotaRequest(ProtoModel):
    """Request of CreateQuota."""

    __proto__: ClassVar = pb.CreateQuotaRequest

    quota: Quota = Field(description="The quota; `scope`, `period` and a limit are required.")

    @classmethod
    def read_pb(cls, message: pb.CreateQuotaRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("quota"):
            data["quota"] = Quota.read_pb(message.quota)
        return data

    def to_pb(self) -> pb.CreateQuotaRequest:
        """Makes a protobuf message."""
        return pb.CreateQuotaRequest(
            quota=None if self.quota is None else self.quota.to_pb(),
        )


class UpdateQuotaRequest(UpdateModel):
    """Request of UpdateQuota."""

    __proto__: ClassVar = pb.UpdateQuotaRequest
    __resource__: ClassVar = ("quota", QuotaPatch)

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the quota.")
    quota: QuotaPatch = Field(description="The new limits.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "id",
            "scope",
            "group_id",
            "group_name",
            "user_id",
            "user_name",
            "period",
            "max_questions",
            "max_tokens",
            "max_cost",
            "creation_date",
            "last_update",
            "updated_by",
            "updated_by_name",
            "max_requests_per_minute",
            "max_concurrent_runs",
            "max_concurrent_streams",
        ),
    ] = Field(description="Fields to change. Over REST, taken from the keys of the body.")

    @classmethod
    def read_pb(cls, message: pb.UpdateQuotaRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("quota"):
            data["quota"] = Quota.read_pb(message.quota)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateQuotaRequest:
        """Makes a protobuf message."""
        return pb.UpdateQuotaRequest(
            id=self.id,
            quota=None if self.quota is None else self.quota.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class DeleteQuotaRequest(ProtoModel):
    """Request of DeleteQuota."""

    __proto__: ClassVar = pb.DeleteQuotaRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the quota.")

    @classmethod
    def read_pb(cls, message: pb.DeleteQuotaRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteQuotaRequest:
        """Makes a protobuf message."""
        return pb.DeleteQuotaRequest(
            id=self.id,
        )


class ListQuotaUsageRequest(ProtoModel):
    """Request of ListQuotaUsage."""

    __proto__: ClassVar = pb.ListQuotaUsageRequest

    user_id: Annotated[_t.Int32, Field(ge=0)] = Field(default=0, description="ID of the person; 0 means the caller.")

    @classmethod
    def read_pb(cls, message: pb.ListQuotaUsageRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "user_id": message.user_id,
        }
        return data

    def to_pb(self) -> pb.ListQuotaUsageRequest:
        """Makes a protobuf message."""
        return pb.ListQuotaUsageRequest(
            user_id=self.user_id,
        )


class ListQuotaUsageResponse(ProtoModel):
    """Response of ListQuotaUsage."""

    __proto__: ClassVar = pb.ListQuotaUsageResponse

    usage: list[QuotaUsage] = Field(default_factory=list, description="What binds the person; empty if nothing does.")

    @classmethod
    def read_pb(cls, message: pb.ListQuotaUsageResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "usage": [QuotaUsage.read_pb(each) for each in message.usage],
        }
        return data

    def to_pb(self) -> pb.ListQuotaUsageResponse:
        """Makes a protobuf message."""
        return pb.ListQuotaUsageResponse(
            usage=[each.to_pb() for each in self.usage],
        )


class QuotaService(ABC):
    """Quotas. Everyone reads what binds them; setting quotas needs `superadmin`, and a key the scope `administer`."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["QuotaService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListQuotas", "list_quotas", ListQuotasRequest, ListQuotasResponse),
        Method("GetQuota", "get_quota", GetQuotaRequest, Quota),
        Method("CreateQuota", "create_quota", CreateQuotaRequest, Quota),
        Method("UpdateQuota", "update_quota", UpdateQuotaRequest, Quota),
        Method("DeleteQuota", "delete_quota", DeleteQuotaRequest, Empty),
        Method("ListQuotaUsage", "list_quota_usage", ListQuotaUsageRequest, ListQuotaUsageResponse),
    )

    @abstractmethod
    async def list_quotas(self, request: ListQuotasRequest, call: CallContext) -> ListQuotasResponse:
        """Lists the quotas, oldest first. Needs `admin`."""

    @abstractmethod
    async def get_quota(self, request: GetQuotaRequest, call: CallContext) -> Quota:
        """Reads one quota. Needs `admin`. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_quota(self, request: CreateQuotaRequest, call: CallContext) -> Quota:
        """Creates a quota; it holds from the next run on. Errors: ALREADY_EXISTS (for the same people and period), NOT_FOUND (the
        group or the person), VALIDATION_FAILED (no limit, one of
        another period, or a scope without its group or person).
        """

    @abstractmethod
    async def update_quota(self, request: UpdateQuotaRequest, call: CallContext) -> Quota:
        """Updates the limits of a quota; what was used stays. Errors: NOT_FOUND, VALIDATION_FAILED (no limit, one of another
        period, or another field).
        """

    @abstractmethod
    async def delete_quota(self, request: DeleteQuotaRequest, call: CallContext) -> Empty:
        """Deletes a quota. Errors: NOT_FOUND."""

    @abstractmethod
    async def list_quota_usage(self, request: ListQuotaUsageRequest, call: CallContext) -> ListQuotaUsageResponse:
        """Lists what is used of the limits that bind a person: their own allowance, then those of the organization and of their
        groups, then those of the calling key and of the keys that it was created with; of each period, and what is done at a
        time last. Another person's need `admin`. Errors: NOT_FOUND (the person), PERMISSION_DENIED.
        """
