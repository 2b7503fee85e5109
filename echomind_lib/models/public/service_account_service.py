"""

Generated from echomind/public/v1/service_account_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import UTC
from typing import Annotated, Any, ClassVar

from google.protobuf import field_mask_pb2
from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoModel, UpdateModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.api_key import ApiKey, ApiKeyQuota, ApiKeyScope
from echomind_lib.models.public.service_account import ServiceAccount, ServiceAccountPatch
from echomind_lib.models.public.user_service import UserState
from echomind_lib.pb.echomind.public.v1 import service_account_service_pb2 as pb


class ListServiceAccountsRequest(ProtoModel):
    """Request of ListServiceAccounts."""

    __proto__: ClassVar = pb.ListServiceAccountsRequest
    __enums__: ClassVar = {
        "state": UserState,
    }

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )
    query: Annotated[str, Field(max_length=255)] = Field(
        default="",
        description="Only those whose name or purpose contains this text, case-insensitively; empty means all.",
    )
    owner_group_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Only those that belong to the group with this ID; 0 means all."
    )
    state: UserState = Field(
        default=UserState.UNSPECIFIED, description="Only those in this state; unspecified means all."
    )

    @classmethod
    def read_pb(cls, message: pb.ListServiceAccountsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
            "query": message.query,
            "owner_group_id": message.owner_group_id,
            "state": UserState.numbers.get(message.state, message.state),
        }
        return data

    def to_pb(self) -> pb.ListServiceAccountsRequest:
        """Makes a protobuf message."""
        return pb.ListServiceAccountsRequest(
            page_size=self.page_size,
            page_token=self.page_token,
            query=self.query,
            owner_group_id=self.owner_group_id,
            state=self.state.number,
        )


class ListServiceAccountsResponse(ProtoModel):
    """Response of ListServiceAccounts."""

    __proto__: ClassVar = pb.ListServiceAccountsResponse

    service_accounts: list[ServiceAccount] = Field(default_factory=list, description="The service accounts, by name.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListServiceAccountsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "service_accounts": [ServiceAccount.read_pb(each) for each in message.service_accounts],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListServiceAccountsResponse:
        """Makes a protobuf message."""
        return pb.ListServiceAccountsResponse(
            service_accounts=[each.to_pb() for each in self.service_accounts],
            next_page_token=self.next_page_token,
        )


class GetServiceAccountRequest(ProtoModel):
    """Request of GetServiceAccount."""

    __proto__: ClassVar = pb.GetServiceAccountRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the service account.")

    @classmethod
    def read_pb(cls, message: pb.GetServiceAccountRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetServiceAccountRequest:
        """Makes a protobuf message."""
        return pb.GetServiceAccountRequest(
            id=self.id,
        )


class CreateServiceAccountRequest(ProtoModel):
    """Request of CreateServiceAccount."""

    __proto__: ClassVar = pb.CreateServiceAccountRequest

    service_account: ServiceAccount = Field(
        description="The service account; `name` and `owner_group_id` are required."
    )

    @classmethod
    def read_pb(cls, message: pb.CreateServiceAccountRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("service_account"):
            data["service_account"] = ServiceAccount.read_pb(message.service_account)
        return data

    def to_pb(self) -> pb.CreateServiceAccountRequest:
        """Makes a protobuf message."""
        return pb.CreateServiceAccountRequest(
            service_account=None if self.service_account is None else self.service_account.to_pb(),
        )


class UpdateServiceAccountRequest(UpdateModel):
    """Request of UpdateServiceAccount."""

    __proto__: ClassVar = pb.UpdateServiceAccountRequest
    __resource__: ClassVar = ("service_account", ServiceAccountPatch)

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the service account.")
    service_account: ServiceAccountPatch = Field(description="The new values.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "id",
            "name",
            "purpose",
            "owner_group_id",
            "owner_group",
            "owner_group_display_name",
            "roles",
            "groups",
            "is_active",
            "last_used_at",
            "key_count",
            "can_manage",
            "can_create_keys",
            "created_by",
            "created_by_name",
            "creation_date",
            "last_update",
            "updated_by",
            "updated_by_name",
        ),
    ] = Field(description="Fields to change. Over REST, taken from the keys of the body.")

    @classmethod
    def read_pb(cls, message: pb.UpdateServiceAccountRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("service_account"):
            data["service_account"] = ServiceAccount.read_pb(message.service_account)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateServiceAccountRequest:
        """Makes a protobuf message."""
        return pb.UpdateServiceAccountRequest(
            id=self.id,
            service_account=None if self.service_account is None else self.service_account.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class DeleteServiceAccountRequest(ProtoModel):
    """Request of DeleteServiceAccount."""

    __proto__: ClassVar = pb.DeleteServiceAccountRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the service account.")

    @classmethod
    def read_pb(cls, message: pb.DeleteServiceAccountRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteServiceAccountRequest:
        """Makes a protobuf message."""
        return pb.DeleteServiceAccountRequest(
            id=self.id,
        )


class ListServiceAccountKeysRequest(ProtoModel):
    """Request of ListServiceAccountKeys."""

    __proto__: ClassVar = pb.ListServiceAccountKeysRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the service account.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListServiceAccountKeysRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListServiceAccountKeysRequest:
        """Makes a protobuf message."""
        return pb.ListServiceAccountKeysRequest(
            id=self.id,
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListServiceAccountKeysResponse(ProtoModel):
    """Response of ListServiceAccountKeys."""

    __proto__: ClassVar = pb.ListServiceAccountKeysResponse

    api_keys: list[ApiKey] = Field(default_factory=list, description="The keys, newest first.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListServiceAccountKeysResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "api_keys": [ApiKey.read_pb(each) for each in message.api_keys],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListServiceAccountKeysResponse:
        """Makes a protobuf message."""
        return pb.ListServiceAccountKeysResponse(
            api_keys=[each.to_pb() for each in self.api_keys],
            next_page_token=self.next_page_token,
        )


class CreateServiceAccountKeyRequest(ProtoModel):
    """Request of CreateServiceAccountKey."""

    __proto__: ClassVar = pb.CreateServiceAccountKeyRequest
    __enums__: ClassVar = {
        "scopes": ApiKeyScope,
    }

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the service account.")
    name: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(
        description="Name of the key, such as the machine that uses it."
    )
    expires_at: _t.Timestamp | None = Field(default=None, description="When the key expires; empty means never.")
    scopes: Annotated[
        list[Annotated[ApiKeyScope, _r.none_of(ApiKeyScope.UNSPECIFIED, ApiKeyScope.ADMINISTER)]],
        Field(max_length=10),
        _r.UNIQUE,
    ] = Field(default_factory=list, description="Scopes of the key; empty means read, ask, ingest and manage.")
    assistant_ids: Annotated[list[Annotated[_t.Int32, Field(gt=0)]], Field(max_length=100), _r.UNIQUE] = Field(
        default_factory=list,
        description="IDs of the only assistants that the key may use; empty for all of the account's. Members of a team and sub-agents are only used if they are listed, too.",
    )
    connector_ids: Annotated[list[Annotated[_t.Int32, Field(gt=0)]], Field(max_length=100), _r.UNIQUE] = Field(
        default_factory=list,
        description="IDs of the only connectors that the key may search, read and upload to; empty for all of the account's.",
    )

    @classmethod
    def read_pb(cls, message: pb.CreateServiceAccountKeyRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "name": message.name,
            "scopes": [ApiKeyScope.numbers.get(each, each) for each in message.scopes],
            "assistant_ids": list(message.assistant_ids),
            "connector_ids": list(message.connector_ids),
        }
        if message.HasField("expires_at"):
            data["expires_at"] = message.expires_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.CreateServiceAccountKeyRequest:
        """Makes a protobuf message."""
        return pb.CreateServiceAccountKeyRequest(
            id=self.id,
            name=self.name,
            expires_at=self.expires_at,
            scopes=[each.number for each in self.scopes],
            assistant_ids=self.assistant_ids,
            connector_ids=self.connector_ids,
        )


class CreateServiceAccountKeyResponse(ProtoModel):
    """Response of CreateServiceAccountKey."""

    __proto__: ClassVar = pb.CreateServiceAccountKeyResponse

    api_key: ApiKey | None = Field(default=None, description="The key.")
    secret: str = Field(default="", description="The secret; returned only once.")

    @classmethod
    def read_pb(cls, message: pb.CreateServiceAccountKeyResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "secret": message.secret,
        }
        if message.HasField("api_key"):
            data["api_key"] = ApiKey.read_pb(message.api_key)
        return data

    def to_pb(self) -> pb.CreateServiceAccountKeyResponse:
        """Makes a protobuf message."""
        return pb.CreateServiceAccountKeyResponse(
            api_key=None if self.api_key is None else self.api_key.to_pb(),
            secret=self.secret,
        )


class RotateServiceAccountKeyRequest(ProtoModel):
    """Request of RotateServiceAccountKey."""

    __proto__: ClassVar = pb.RotateServiceAccountKeyRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the service account.")
    key_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the key.")
    overlap_seconds: Annotated[_t.Int32, Field(le=604800, ge=0)] = Field(
        default=0,
        description="Seconds for which the earlier secret continues to work, at most 7 days; 0 means that it stops within a minute.",
    )

    @classmethod
    def read_pb(cls, message: pb.RotateServiceAccountKeyRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "key_id": message.key_id,
            "overlap_seconds": message.overlap_seconds,
        }
        return data

    def to_pb(self) -> pb.RotateServiceAccountKeyRequest:
        """Makes a protobuf message."""
        return pb.RotateServiceAccountKeyRequest(
            id=self.id,
            key_id=self.key_id,
            overlap_seconds=self.overlap_seconds,
        )


class RotateServiceAccountKeyResponse(ProtoModel):
    """Response of RotateServiceAccountKey."""

    __proto__: ClassVar = pb.RotateServiceAccountKeyResponse

    api_key: ApiKey | None = Field(default=None, description="The key.")
    secret: str = Field(default="", description="The new secret; returned only once.")

    @classmethod
    def read_pb(cls, message: pb.RotateServiceAccountKeyResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "secret": message.secret,
        }
        if message.HasField("api_key"):
            data["api_key"] = ApiKey.read_pb(message.api_key)
        return data

    def to_pb(self) -> pb.RotateServiceAccountKeyResponse:
        """Makes a protobuf message."""
        return pb.RotateServiceAccountKeyResponse(
            api_key=None if self.api_key is None else self.api_key.to_pb(),
            secret=self.secret,
        )


class SetServiceAccountKeyQuotasRequest(ProtoModel):
    """Request of SetServiceAccountKeyQuotas."""

    __proto__: ClassVar = pb.SetServiceAccountKeyQuotasRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the service account.")
    key_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the key.")
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
    def read_pb(cls, message: pb.SetServiceAccountKeyQuotasRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "key_id": message.key_id,
            "quotas": [ApiKeyQuota.read_pb(each) for each in message.quotas],
            "max_requests_per_minute": message.max_requests_per_minute,
            "max_concurrent_runs": message.max_concurrent_runs,
            "max_concurrent_streams": message.max_concurrent_streams,
        }
        return data

    def to_pb(self) -> pb.SetServiceAccountKeyQuotasRequest:
        """Makes a protobuf message."""
        return pb.SetServiceAccountKeyQuotasRequest(
            id=self.id,
            key_id=self.key_id,
            quotas=[each.to_pb() for each in self.quotas],
            max_requests_per_minute=self.max_requests_per_minute,
            max_concurrent_runs=self.max_concurrent_runs,
            max_concurrent_streams=self.max_concurrent_streams,
        )


class DeleteServiceAccountKeyRequest(ProtoModel):
    """Request of DeleteServiceAccountKey."""

    __proto__: ClassVar = pb.DeleteServiceAccountKeyRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the service account.")
    key_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the key.")

    @classmethod
    def read_pb(cls, message: pb.DeleteServiceAccountKeyRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "key_id": message.key_id,
        }
        return data

    def to_pb(self) -> pb.DeleteServiceAccountKeyRequest:
        """Makes a protobuf message."""
        return pb.DeleteServiceAccountKeyRequest(
            id=self.id,
            key_id=self.key_id,
        )


class ServiceAccountService(ABC):
    """Accounts for programs, each of which belongs to a group. The admins of this group manage it, and the role
    `superadmin`; the role `admin` reads all. Whoever manages one gives it no more than they may give: admins of a group
    give the role `user` and groups that they are admins of.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["ServiceAccountService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListServiceAccounts", "list_service_accounts", ListServiceAccountsRequest, ListServiceAccountsResponse),
        Method("GetServiceAccount", "get_service_account", GetServiceAccountRequest, ServiceAccount),
        Method("CreateServiceAccount", "create_service_account", CreateServiceAccountRequest, ServiceAccount),
        Method("UpdateServiceAccount", "update_service_account", UpdateServiceAccountRequest, ServiceAccount),
        Method("DeleteServiceAccount", "delete_service_account", DeleteServiceAccountRequest, Empty),
        Method(
            "ListServiceAccountKeys",
            "list_service_account_keys",
            ListServiceAccountKeysRequest,
            ListServiceAccountKeysResponse,
        ),
        Method(
            "CreateServiceAccountKey",
            "create_service_account_key",
            CreateServiceAccountKeyRequest,
            CreateServiceAccountKeyResponse,
        ),
        Method(
            "RotateServiceAccountKey",
            "rotate_service_account_key",
            RotateServiceAccountKeyRequest,
            RotateServiceAccountKeyResponse,
        ),
        Method(
            "SetServiceAccountKeyQuotas", "set_service_account_key_quotas", SetServiceAccountKeyQuotasRequest, ApiKey
        ),
        Method("DeleteServiceAccountKey", "delete_service_account_key", DeleteServiceAccountKeyRequest, Empty),
    )

    @abstractmethod
    async def list_service_accounts(
        self, request: ListServiceAccountsRequest, call: CallContext
    ) -> ListServiceAccountsResponse:
        """Lists service accounts by name: all for the role `admin`, otherwise those of the groups that the caller is an admin
        of.
        """

    @abstractmethod
    async def get_service_account(self, request: GetServiceAccountRequest, call: CallContext) -> ServiceAccount:
        """Reads a service account. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_service_account(self, request: CreateServiceAccountRequest, call: CallContext) -> ServiceAccount:
        """Creates a service account, which has no key yet. Needs `superadmin`, or an admin of `owner_group_id`; a key needs
        the scope `administer` and no expiry. Errors: ALREADY_EXISTS (an account has the name), NOT_FOUND (a group),
        PERMISSION_DENIED (metadata `required`: `superadmin`, `administer`, `lasting_credential`), VALIDATION_FAILED (the
        group has 100 service accounts, or 10 and the caller is no superadmin).
        """

    @abstractmethod
    async def update_service_account(self, request: UpdateServiceAccountRequest, call: CallContext) -> ServiceAccount:
        """Updates `name`, `purpose`, `owner_group_id`, `roles`, `groups` and `is_active`. Giving it to another group needs an
        admin of both. A key needs the scope `administer`; one that expires cannot add a role or a group, give it to another
        group or activate it. Errors: ALREADY_EXISTS, NOT_FOUND, PERMISSION_DENIED (metadata `required`: `superadmin`,
        `administer`, `lasting_credential`), VALIDATION_FAILED (the group has 100 service accounts, or 10 and the caller is
        no superadmin).
        """

    @abstractmethod
    async def delete_service_account(self, request: DeleteServiceAccountRequest, call: CallContext) -> Empty:
        """Deletes a service account permanently, with its keys, conversations, memories and private connectors; connectors that
        it shares are transferred to the caller. Runs are cancelled first. Needs a caller who could give it all that it has; a
        key needs the scope `administer`. Errors: DELETION_HELD (a legal hold is on it, or on something of its), NOT_FOUND,
        PERMISSION_DENIED.
        """

    @abstractmethod
    async def list_service_account_keys(
        self, request: ListServiceAccountKeysRequest, call: CallContext
    ) -> ListServiceAccountKeysResponse:
        """Lists the keys of a service account, newest first, without their secrets. Needs whoever manages it. Errors:
        NOT_FOUND, PERMISSION_DENIED.
        """

    @abstractmethod
    async def create_service_account_key(
        self, request: CreateServiceAccountKeyRequest, call: CallContext
    ) -> CreateServiceAccountKeyResponse:
        """Creates a key of a service account, whose secret is returned by this call only. It never has the scope `administer`.
        Needs a caller who could give the account all that it has; a key needs the scope `administer` and no expiry. Errors:
        ALREADY_EXISTS, NOT_FOUND (the account; an assistant or connector that it may not use), PERMISSION_DENIED (metadata
        `required`: `superadmin`, `administer`, `lasting_credential`), VALIDATION_FAILED (it is deactivated).
        """

    @abstractmethod
    async def rotate_service_account_key(
        self, request: RotateServiceAccountKeyRequest, call: CallContext
    ) -> RotateServiceAccountKeyResponse:
        """Gives a key of a service account another secret, which is returned by this call only. The earlier one works until the
        overlap is over; one from before it stops. Needs what CreateServiceAccountKey needs. Errors: NOT_FOUND,
        PERMISSION_DENIED (metadata `required`: `superadmin`, `administer`, `lasting_credential`).
        """

    @abstractmethod
    async def set_service_account_key_quotas(
        self, request: SetServiceAccountKeyQuotasRequest, call: CallContext
    ) -> ApiKey:
        """Replaces all quotas and limits of a key of a service account; see SetApiKeyQuotas. Needs whoever manages the account; a
        key needs the scope `administer`. Errors: NOT_FOUND, PERMISSION_DENIED, VALIDATION_FAILED (a period twice, or a quota
        without a limit).
        """

    @abstractmethod
    async def delete_service_account_key(self, request: DeleteServiceAccountKeyRequest, call: CallContext) -> Empty:
        """Revokes a key of a service account and the keys that were created with it: they stop working within a minute. Needs
        whoever manages the account; a key needs the scope `administer`. Errors: NOT_FOUND, PERMISSION_DENIED.
        """
