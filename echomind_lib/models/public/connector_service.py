"""

Generated from echomind/public/v1/connector_service.proto by tools/pydantic_plugin: change that, then `make gen`.
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
from echomind_lib.models.public.connector import (
    ConnectedAccount,
    Connector,
    ConnectorCheck,
    ConnectorPatch,
    ConnectorTypeInfo,
    FileEntry,
    PermissionMode,
)
from echomind_lib.pb.echomind.public.v1 import connector_service_pb2 as pb


class ListConnectorsRequest(ProtoModel):
    """Request of ListConnectors."""

    __proto__: ClassVar = pb.ListConnectorsRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )
    name: Annotated[str, Field(max_length=255), _r.NAME] = Field(
        default="",
        description="Only connectors with this name among the caller's own, their groups' and the organization's; empty means all that the caller may read. A name never refers to another user's connector, not even for superadmins, who use its ID.",
    )

    @classmethod
    def read_pb(cls, message: pb.ListConnectorsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
            "name": message.name,
        }
        return data

    def to_pb(self) -> pb.ListConnectorsRequest:
        """Makes a protobuf message."""
        return pb.ListConnectorsRequest(
            page_size=self.page_size,
            page_token=self.page_token,
            name=self.name,
        )


class ListConnectorsResponse(ProtoModel):
    """Response of ListConnectors."""

    __proto__: ClassVar = pb.ListConnectorsResponse

    connectors: list[Connector] = Field(default_factory=list, description="The connectors, by ID.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListConnectorsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "connectors": [Connector.read_pb(each) for each in message.connectors],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListConnectorsResponse:
        """Makes a protobuf message."""
        return pb.ListConnectorsResponse(
            connectors=[each.to_pb() for each in self.connectors],
            next_page_token=self.next_page_token,
        )


class GetConnectorRequest(ProtoModel):
    """Request of GetConnector."""

    __proto__: ClassVar = pb.GetConnectorRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the connector.")

    @classmethod
    def read_pb(cls, message: pb.GetConnectorRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetConnectorRequest:
        """Makes a protobuf message."""
        return pb.GetConnectorRequest(
            id=self.id,
        )


class CreateConnectorRequest(ProtoModel):
    """Request of CreateConnector."""

    __proto__: ClassVar = pb.CreateConnectorRequest

    connector: Connector = Field(description="The connector.")

    @classmethod
    def read_pb(cls, message: pb.CreateConnectorRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("connector"):
            data["connector"] = Connector.read_pb(message.connector)
        return data

    def to_pb(self) -> pb.CreateConnectorRequest:
        """Makes a protobuf message."""
        return pb.CreateConnectorRequest(
            connector=None if self.connector is None else self.connector.to_pb(),
        )


class UpdateConnectorRequest(UpdateModel):
    """Request of UpdateConnector."""

    __proto__: ClassVar = pb.UpdateConnectorRequest
    __resource__: ClassVar = ("connector", ConnectorPatch)

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the connector.")
    connector: ConnectorPatch = Field(description="The new values.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "id",
            "name",
            "type",
            "config",
            "refresh_freq_minutes",
            "user_id",
            "scope",
            "scope_id",
            "status",
            "status_message",
            "last_sync_at",
            "docs_analyzed",
            "creation_date",
            "last_update",
            "type_name",
            "permission_mode",
            "paused_at",
            "next_sync_at",
            "credentials",
            "has_credentials",
            "connected_account",
            "sync",
            "updated_by",
            "updated_by_name",
            "signed_in_by",
            "signed_in_by_name",
        ),
    ] = Field(description="Fields to change. Over REST, taken from the keys of the body.")

    @classmethod
    def read_pb(cls, message: pb.UpdateConnectorRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("connector"):
            data["connector"] = Connector.read_pb(message.connector)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateConnectorRequest:
        """Makes a protobuf message."""
        return pb.UpdateConnectorRequest(
            id=self.id,
            connector=None if self.connector is None else self.connector.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class DeleteConnectorRequest(ProtoModel):
    """Request of DeleteConnector."""

    __proto__: ClassVar = pb.DeleteConnectorRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the connector.")

    @classmethod
    def read_pb(cls, message: pb.DeleteConnectorRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteConnectorRequest:
        """Makes a protobuf message."""
        return pb.DeleteConnectorRequest(
            id=self.id,
        )


class ReconcileDocumentsRequest(ProtoModel):
    """Request of ReconcileDocuments."""

    __proto__: ClassVar = pb.ReconcileDocumentsRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the connector.")
    prefix: Annotated[str, Field(max_length=4096)] = Field(
        default="",
        description="Only documents whose `source_id` starts with this prefix are compared; empty means all of the connector.",
    )
    files: Annotated[list[FileEntry], Field(max_length=200000)] = Field(
        default_factory=list, description="All files of the folder under the prefix."
    )
    remove_missing: bool = Field(
        default=False, description="Whether to remove stored documents that are not in `files`."
    )

    @classmethod
    def read_pb(cls, message: pb.ReconcileDocumentsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "prefix": message.prefix,
            "files": [FileEntry.read_pb(each) for each in message.files],
            "remove_missing": message.remove_missing,
        }
        return data

    def to_pb(self) -> pb.ReconcileDocumentsRequest:
        """Makes a protobuf message."""
        return pb.ReconcileDocumentsRequest(
            id=self.id,
            prefix=self.prefix,
            files=[each.to_pb() for each in self.files],
            remove_missing=self.remove_missing,
        )


class ReconcileDocumentsResponse(ProtoModel):
    """Response of ReconcileDocuments."""

    __proto__: ClassVar = pb.ReconcileDocumentsResponse

    upload: list[str] = Field(
        default_factory=list, description="`source_id` of each file that is new or changed, or whose document failed."
    )
    unchanged: _t.Int32 = Field(default=0, description="Number of unchanged files.")
    removed: _t.Int32 = Field(default=0, description="Number of removed documents.")

    @classmethod
    def read_pb(cls, message: pb.ReconcileDocumentsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "upload": list(message.upload),
            "unchanged": message.unchanged,
            "removed": message.removed,
        }
        return data

    def to_pb(self) -> pb.ReconcileDocumentsResponse:
        """Makes a protobuf message."""
        return pb.ReconcileDocumentsResponse(
            upload=self.upload,
            unchanged=self.unchanged,
            removed=self.removed,
        )


class ListConnectorTypesRequest(ProtoModel):
    """Request of ListConnectorTypes."""

    __proto__: ClassVar = pb.ListConnectorTypesRequest


class ListConnectorTypesResponse(ProtoModel):
    """Response of ListConnectorTypes."""

    __proto__: ClassVar = pb.ListConnectorTypesResponse

    types: list[ConnectorTypeInfo] = Field(default_factory=list, description="The types, by title.")

    @classmethod
    def read_pb(cls, message: pb.ListConnectorTypesResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "types": [ConnectorTypeInfo.read_pb(each) for each in message.types],
        }
        return data

    def to_pb(self) -> pb.ListConnectorTypesResponse:
        """Makes a protobuf message."""
        return pb.ListConnectorTypesResponse(
            types=[each.to_pb() for each in self.types],
        )


class TestConnectorRequest(ProtoModel):
    """Request of TestConnector."""

    __proto__: ClassVar = pb.TestConnectorRequest
    __enums__: ClassVar = {
        "permission_mode": PermissionMode,
    }

    id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="ID of the stored connector; 0 for one that is not stored."
    )
    type_name: Annotated[str, Field(max_length=50, pattern="^([a-z][a-z0-9_]*)?$"), _r.NAME] = Field(
        default="", description="Name of the type, for one that is not stored."
    )
    config: _t.Struct | None = Field(default=None, description="Settings; unset means the stored ones.")
    credentials: _t.Struct | None = Field(default=None, description="Credentials; unset means the stored ones.")
    permission_mode: PermissionMode = Field(
        default=PermissionMode.UNSPECIFIED,
        description="Permission mode; unset means the stored one, or the default of its type.",
    )

    @classmethod
    def read_pb(cls, message: pb.TestConnectorRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "type_name": message.type_name,
            "permission_mode": PermissionMode.numbers.get(message.permission_mode, message.permission_mode),
        }
        if message.HasField("config"):
            data["config"] = _t.from_struct(message.config)
        if message.HasField("credentials"):
            data["credentials"] = _t.from_struct(message.credentials)
        return data

    def to_pb(self) -> pb.TestConnectorRequest:
        """Makes a protobuf message."""
        return pb.TestConnectorRequest(
            id=self.id,
            type_name=self.type_name,
            config=self.config,
            credentials=self.credentials,
            permission_mode=self.permission_mode.number,
        )


class TestConnectorResponse(ProtoModel):
    """Response of TestConnector."""

    __proto__: ClassVar = pb.TestConnectorResponse

    checks: list[ConnectorCheck] = Field(default_factory=list, description="The checks.")

    @classmethod
    def read_pb(cls, message: pb.TestConnectorResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "checks": [ConnectorCheck.read_pb(each) for each in message.checks],
        }
        return data

    def to_pb(self) -> pb.TestConnectorResponse:
        """Makes a protobuf message."""
        return pb.TestConnectorResponse(
            checks=[each.to_pb() for each in self.checks],
        )


class PauseConnectorRequest(ProtoModel):
    """Request of PauseConnector."""

    __proto__: ClassVar = pb.PauseConnectorRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the connector.")

    @classmethod
    def read_pb(cls, message: pb.PauseConnectorRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.PauseConnectorRequest:
        """Makes a protobuf message."""
        return pb.PauseConnectorRequest(
            id=self.id,
        )


class ResumeConnectorRequest(ProtoModel):
    """Request of ResumeConnector."""

    __proto__: ClassVar = pb.ResumeConnectorRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the connector.")

    @classmethod
    def read_pb(cls, message: pb.ResumeConnectorRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.ResumeConnectorRequest:
        """Makes a protobuf message."""
        return pb.ResumeConnectorRequest(
            id=self.id,
        )


class DisableConnectorRequest(ProtoModel):
    """Request of DisableConnector."""

    __proto__: ClassVar = pb.DisableConnectorRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the connector.")
    reason: Annotated[str, Field(max_length=500)] = Field(
        default="", description="The reason, shown to its users; may be empty."
    )

    @classmethod
    def read_pb(cls, message: pb.DisableConnectorRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "reason": message.reason,
        }
        return data

    def to_pb(self) -> pb.DisableConnectorRequest:
        """Makes a protobuf message."""
        return pb.DisableConnectorRequest(
            id=self.id,
            reason=self.reason,
        )


class EnableConnectorRequest(ProtoModel):
    """Request of EnableConnector."""

    __proto__: ClassVar = pb.EnableConnectorRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the connector.")

    @classmethod
    def read_pb(cls, message: pb.EnableConnectorRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.EnableConnectorRequest:
        """Makes a protobuf message."""
        return pb.EnableConnectorRequest(
            id=self.id,
        )


class StartConnectorSignInRequest(ProtoModel):
    """Request of StartConnectorSignIn."""

    __proto__: ClassVar = pb.StartConnectorSignInRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the connector.")

    @classmethod
    def read_pb(cls, message: pb.StartConnectorSignInRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.StartConnectorSignInRequest:
        """Makes a protobuf message."""
        return pb.StartConnectorSignInRequest(
            id=self.id,
        )


class StartConnectorSignInResponse(ProtoModel):
    """Response of StartConnectorSignIn."""

    __proto__: ClassVar = pb.StartConnectorSignInResponse

    url: str = Field(
        default="",
        description="URL at which the user signs in. For callers other than browsers it is a page of EchoMind, to be opened in a browser in which the user is signed in.",
    )
    expires_at: _t.Timestamp | None = Field(
        default=None, description="When the URL expires; empty for a page of EchoMind."
    )

    @classmethod
    def read_pb(cls, message: pb.StartConnectorSignInResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "url": message.url,
        }
        if message.HasField("expires_at"):
            data["expires_at"] = message.expires_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.StartConnectorSignInResponse:
        """Makes a protobuf message."""
        return pb.StartConnectorSignInResponse(
            url=self.url,
            expires_at=self.expires_at,
        )


class CompleteConnectorSignInRequest(ProtoModel):
    """Request of CompleteConnectorSignIn."""

    __proto__: ClassVar = pb.CompleteConnectorSignInRequest

    state: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        description="The `state` parameter of the URL from StartConnectorSignIn."
    )
    code: Annotated[str, Field(max_length=4096)] = Field(
        default="", description="The provider's code; empty if there is an error."
    )
    error: Annotated[str, Field(max_length=200)] = Field(
        default="", description="The provider's error, such as `access_denied`; empty if there is a code."
    )

    @classmethod
    def read_pb(cls, message: pb.CompleteConnectorSignInRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "state": message.state,
            "code": message.code,
            "error": message.error,
        }
        return data

    def to_pb(self) -> pb.CompleteConnectorSignInRequest:
        """Makes a protobuf message."""
        return pb.CompleteConnectorSignInRequest(
            state=self.state,
            code=self.code,
            error=self.error,
        )


class ListConnectedAccountsRequest(ProtoModel):
    """Request of ListConnectedAccounts."""

    __proto__: ClassVar = pb.ListConnectedAccountsRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListConnectedAccountsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListConnectedAccountsRequest:
        """Makes a protobuf message."""
        return pb.ListConnectedAccountsRequest(
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListConnectedAccountsResponse(ProtoModel):
    """Response of ListConnectedAccounts."""

    __proto__: ClassVar = pb.ListConnectedAccountsResponse

    accounts: list[ConnectedAccount] = Field(
        default_factory=list, description="The accounts, in the order of their connectors."
    )
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListConnectedAccountsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "accounts": [ConnectedAccount.read_pb(each) for each in message.accounts],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListConnectedAccountsResponse:
        """Makes a protobuf message."""
        return pb.ListConnectedAccountsResponse(
            accounts=[each.to_pb() for each in self.accounts],
            next_page_token=self.next_page_token,
        )


class DisconnectAccountRequest(ProtoModel):
    """Request of DisconnectAccount."""

    __proto__: ClassVar = pb.DisconnectAccountRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the connector.")

    @classmethod
    def read_pb(cls, message: pb.DisconnectAccountRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DisconnectAccountRequest:
        """Makes a protobuf message."""
        return pb.DisconnectAccountRequest(
            id=self.id,
        )


class DisconnectAccountResponse(ProtoModel):
    """Response of DisconnectAccount."""

    __proto__: ClassVar = pb.DisconnectAccountResponse

    is_revoked: bool = Field(
        default=False,
        description="Whether the provider has ended EchoMind's access to the account. Not if it has no way to be asked for that, does not answer, or if another connector reads with the same account.",
    )
    access_url: str = Field(
        default="",
        description="Address of the page at the provider where people see and end the access of applications to their account.",
    )

    @classmethod
    def read_pb(cls, message: pb.DisconnectAccountResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "is_revoked": message.is_revoked,
            "access_url": message.access_url,
        }
        return data

    def to_pb(self) -> pb.DisconnectAccountResponse:
        """Makes a protobuf message."""
        return pb.DisconnectAccountResponse(
            is_revoked=self.is_revoked,
            access_url=self.access_url,
        )


class ConnectorService(ABC):
    """Connectors: where documents come from, and who may read them."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["ConnectorService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListConnectors", "list_connectors", ListConnectorsRequest, ListConnectorsResponse),
        Method("GetConnector", "get_connector", GetConnectorRequest, Connector),
        Method("CreateConnector", "create_connector", CreateConnectorRequest, Connector),
        Method("UpdateConnector", "update_connector", UpdateConnectorRequest, Connector),
        Method("DeleteConnector", "delete_connector", DeleteConnectorRequest, Empty),
        Method("ReconcileDocuments", "reconcile_documents", ReconcileDocumentsRequest, ReconcileDocumentsResponse),
        Method("ListConnectorTypes", "list_connector_types", ListConnectorTypesRequest, ListConnectorTypesResponse),
        Method("TestConnector", "test_connector", TestConnectorRequest, TestConnectorResponse),
        Method("PauseConnector", "pause_connector", PauseConnectorRequest, Connector),
        Method("ResumeConnector", "resume_connector", ResumeConnectorRequest, Connector),
        Method("DisableConnector", "disable_connector", DisableConnectorRequest, Connector),
        Method("EnableConnector", "enable_connector", EnableConnectorRequest, Connector),
        Method(
            "StartConnectorSignIn", "start_connector_sign_in", StartConnectorSignInRequest, StartConnectorSignInResponse
        ),
        Method("CompleteConnectorSignIn", "complete_connector_sign_in", CompleteConnectorSignInRequest, Connector),
        Method(
            "ListConnectedAccounts",
            "list_connected_accounts",
            ListConnectedAccountsRequest,
            ListConnectedAccountsResponse,
        ),
        Method("DisconnectAccount", "disconnect_account", DisconnectAccountRequest, DisconnectAccountResponse),
    )

    @abstractmethod
    async def list_connectors(self, request: ListConnectorsRequest, call: CallContext) -> ListConnectorsResponse:
        """Lists the connectors that the caller may read, by ID."""

    @abstractmethod
    async def get_connector(self, request: GetConnectorRequest, call: CallContext) -> Connector:
        """Reads one connector. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_connector(self, request: CreateConnectorRequest, call: CallContext) -> Connector:
        """Creates a connector. A synced one starts its first sync immediately if it has the required credentials. Errors:
        ALREADY_EXISTS, GROUP_REQUIRED, PERMISSION_DENIED, CONNECTOR_TYPE_UNAVAILABLE.
        """

    @abstractmethod
    async def update_connector(self, request: UpdateConnectorRequest, call: CallContext) -> Connector:
        """Updates `name`, `config`, `credentials`, `permission_mode`, `refresh_freq_minutes`, or `scope` with `scope_id`,
        which takes effect immediately. After a change of `config` or `permission_mode` the next sync is a full one.
        Errors: NOT_FOUND, PERMISSION_DENIED, GROUP_REQUIRED, DELETION_HELD (your organization has to keep its documents, and
        `scope` would change).
        """

    @abstractmethod
    async def delete_connector(self, request: DeleteConnectorRequest, call: CallContext) -> Empty:
        """Deletes a connector and its documents, which become invisible immediately. Errors: NOT_FOUND, PERMISSION_DENIED."""

    @abstractmethod
    async def reconcile_documents(
        self, request: ReconcileDocumentsRequest, call: CallContext
    ) -> ReconcileDocumentsResponse:
        """Compares the files of a folder with the stored documents: returns which files to upload, and with `remove_missing`
        removes documents whose files no longer exist. Errors: NOT_FOUND, PERMISSION_DENIED.
        """

    @abstractmethod
    async def list_connector_types(
        self, request: ListConnectorTypesRequest, call: CallContext
    ) -> ListConnectorTypesResponse:
        """Lists the installed connector types with their settings."""

    @abstractmethod
    async def test_connector(self, request: TestConnectorRequest, call: CallContext) -> TestConnectorResponse:
        """Tests whether a connector can read its source, without storing anything: with `id` the stored one, using the given
        settings and credentials instead of its own; with `type_name` one that is not stored. Errors: NOT_FOUND,
        PERMISSION_DENIED, CONNECTOR_TYPE_UNAVAILABLE, DEPENDENCY_UNAVAILABLE (no ingestor answers).
        """

    @abstractmethod
    async def pause_connector(self, request: PauseConnectorRequest, call: CallContext) -> Connector:
        """Pauses a connector: no sync runs until it is resumed, and an active sync is cancelled. Its documents are kept.
        Errors: NOT_FOUND, PERMISSION_DENIED, CONNECTOR_STATE (not synced).
        """

    @abstractmethod
    async def resume_connector(self, request: ResumeConnectorRequest, call: CallContext) -> Connector:
        """Resumes a paused connector; an overdue sync starts immediately. Errors: NOT_FOUND, PERMISSION_DENIED,
        CONNECTOR_STATE (not synced).
        """

    @abstractmethod
    async def disable_connector(self, request: DisableConnectorRequest, call: CallContext) -> Connector:
        """Disables a connector: only a superadmin can enable it again. Its documents are kept. Needs `superadmin`. Errors:
        NOT_FOUND, PERMISSION_DENIED, CONNECTOR_STATE (not synced).
        """

    @abstractmethod
    async def enable_connector(self, request: EnableConnectorRequest, call: CallContext) -> Connector:
        """Enables a disabled connector. Needs `superadmin`. Errors: NOT_FOUND, PERMISSION_DENIED, CONNECTOR_STATE."""

    @abstractmethod
    async def start_connector_sign_in(
        self, request: StartConnectorSignInRequest, call: CallContext
    ) -> StartConnectorSignInResponse:
        """Starts the sign-in that connects a connector with a user's own account. Errors: NOT_FOUND, PERMISSION_DENIED,
        CONNECTOR_STATE (its type has no sign-in, or no application is configured for it).
        """

    @abstractmethod
    async def complete_connector_sign_in(self, request: CompleteConnectorSignInRequest, call: CallContext) -> Connector:
        """Completes a sign-in with the parameters that the provider has sent to the page `/connectors/sign-in`; stores the
        tokens encrypted. Works only in the web session that started it, once and within ten minutes. Errors:
        SIGN_IN_REFUSED, NOT_FOUND, PERMISSION_DENIED.
        """

    @abstractmethod
    async def list_connected_accounts(
        self, request: ListConnectedAccountsRequest, call: CallContext
    ) -> ListConnectedAccountsResponse:
        """Lists the accounts that the caller has signed in with for connectors, by connector: also for those of others, and those
        that the caller may not read any more.
        """

    @abstractmethod
    async def disconnect_account(
        self, request: DisconnectAccountRequest, call: CallContext
    ) -> DisconnectAccountResponse:
        """Takes a sign-in of the caller's back: the tokens are deleted, and given back to a provider that takes them. The
        connector keeps its documents, and is not synced until somebody signs in again. Errors: NOT_FOUND (the caller has not
        signed in for this connector).
        """
