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

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(default=0, description="How many at most; 0 means 50.")
    page_token: str = Field(default="", description="Where to continue: `next_page_token` of the page before.")
    name: Annotated[str, Field(max_length=255)] = Field(
        default="",
        description="Only those with this name among one's own, one's groups' and the organisation's; empty means all that one may read. Names never stand for another person's connector, also for superadmins, who reach it by its id.",
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

    connectors: list[Connector] = Field(default_factory=list, description="The connectors, by id.")
    next_page_token: str = Field(default="", description="For the next page; empty on the last.")

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

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which connector.")

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

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which connector.")
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
        ),
    ] = Field(description="Which fields to change. Over REST it comes from the body's keys.")

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

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which connector.")

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

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which connector.")
    prefix: Annotated[str, Field(max_length=4096)] = Field(
        default="",
        description="Only documents whose `source_id` begins so are compared; empty means all of the connector's.",
    )
    files: Annotated[list[FileEntry], Field(max_length=200000)] = Field(
        default_factory=list, description="All files that the folder holds under the prefix."
    )
    remove_missing: bool = Field(
        default=False, description="Whether stored documents that are not among `files` are removed."
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
        default_factory=list, description="`source_id` of each file that is new, has changed, or whose document failed."
    )
    unchanged: _t.Int32 = Field(default=0, description="How many files are stored as they are.")
    removed: _t.Int32 = Field(default=0, description="How many documents were removed.")

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
        default=0, description="The stored connector; 0 for one that is not stored."
    )
    type_name: Annotated[str, Field(max_length=50, pattern="^([a-z][a-z0-9_]*)?$")] = Field(
        default="", description="The name of its type, for one that is not stored."
    )
    config: _t.Struct | None = Field(default=None, description="Its settings; unset means those that are stored.")
    credentials: _t.Struct | None = Field(
        default=None, description="What it signs in to its source with; unset means what is stored."
    )
    permission_mode: PermissionMode = Field(
        default=PermissionMode.UNSPECIFIED,
        description="Which it is to have; unset means the stored one, or the usual one of its type.",
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

    checks: list[ConnectorCheck] = Field(default_factory=list, description="What was tried.")

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

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which connector.")

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

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which connector.")

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

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which connector.")
    reason: Annotated[str, Field(max_length=500)] = Field(
        default="", description="Why, for the people who use it; may be empty."
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

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which connector.")

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

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which connector.")

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
        description="Where the person signs in. For callers that are no browser it is a page of EchoMind, which the person opens in a browser in which they are signed in.",
    )
    expires_at: _t.Timestamp | None = Field(
        default=None, description="Until when it can be used; empty for a page of EchoMind."
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
        description="The state that StartConnectorSignIn put into its address."
    )
    code: Annotated[str, Field(max_length=4096)] = Field(
        default="", description="The provider's code; empty with an error."
    )
    error: Annotated[str, Field(max_length=200)] = Field(
        default="", description="The provider's error, such as `access_denied`; empty with a code."
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


class ConnectorService(ABC):
    """Where documents come from, and who may read them."""

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
    )

    @abstractmethod
    async def list_connectors(self, request: ListConnectorsRequest, call: CallContext) -> ListConnectorsResponse:
        """Lists the connectors that the caller may read, by id."""

    @abstractmethod
    async def get_connector(self, request: GetConnectorRequest, call: CallContext) -> Connector:
        """Reads one connector. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_connector(self, request: CreateConnectorRequest, call: CallContext) -> Connector:
        """Adds a connector. One that is synced begins at once when it has the credentials that it needs.
        Errors: ALREADY_EXISTS, GROUP_REQUIRED, PERMISSION_DENIED, CONNECTOR_TYPE_UNAVAILABLE.
        """

    @abstractmethod
    async def update_connector(self, request: UpdateConnectorRequest, call: CallContext) -> Connector:
        """Changes `name`, `config`, `credentials`, `permission_mode`, `refresh_freq_minutes`, or `scope` with `scope_id`, which
        holds at once. A changed `config` or `permission_mode` makes the next sync list everything.
        Errors: NOT_FOUND, PERMISSION_DENIED, GROUP_REQUIRED.
        """

    @abstractmethod
    async def delete_connector(self, request: DeleteConnectorRequest, call: CallContext) -> Empty:
        """Removes a connector and its documents; they are invisible at once. Errors: NOT_FOUND, PERMISSION_DENIED."""

    @abstractmethod
    async def reconcile_documents(
        self, request: ReconcileDocumentsRequest, call: CallContext
    ) -> ReconcileDocumentsResponse:
        """Compares what a folder holds now with what is stored: says which files to upload, and with `remove_missing`
        removes the documents that the folder no longer holds. Errors: NOT_FOUND, PERMISSION_DENIED.
        """

    @abstractmethod
    async def list_connector_types(
        self, request: ListConnectorTypesRequest, call: CallContext
    ) -> ListConnectorTypesResponse:
        """Lists the types of connectors that are installed, with the settings of each."""

    @abstractmethod
    async def test_connector(self, request: TestConnectorRequest, call: CallContext) -> TestConnectorResponse:
        """Tries whether a connector can read its source, without storing anything. With `id` the stored one,
        with the settings and credentials that are given instead of its own; with `type_name` one that is not stored.
        Errors: NOT_FOUND, PERMISSION_DENIED, CONNECTOR_TYPE_UNAVAILABLE, DEPENDENCY_UNAVAILABLE (no ingestor answers).
        """

    @abstractmethod
    async def pause_connector(self, request: PauseConnectorRequest, call: CallContext) -> Connector:
        """Pauses a connector: nothing is synced until it is resumed, and what runs is cancelled. Its documents stay.
        Errors: NOT_FOUND, PERMISSION_DENIED, CONNECTOR_STATE (not synced).
        """

    @abstractmethod
    async def resume_connector(self, request: ResumeConnectorRequest, call: CallContext) -> Connector:
        """Resumes a paused connector; what has become due meanwhile is synced at once. Errors: NOT_FOUND,
        PERMISSION_DENIED, CONNECTOR_STATE (not synced).
        """

    @abstractmethod
    async def disable_connector(self, request: DisableConnectorRequest, call: CallContext) -> Connector:
        """Disables a connector, for superadmins: nobody but a superadmin can have it synced again. Its documents stay.
        Errors: NOT_FOUND, PERMISSION_DENIED, CONNECTOR_STATE (not synced).
        """

    @abstractmethod
    async def enable_connector(self, request: EnableConnectorRequest, call: CallContext) -> Connector:
        """Enables a disabled connector, for superadmins. Errors: NOT_FOUND, PERMISSION_DENIED, CONNECTOR_STATE."""

    @abstractmethod
    async def start_connector_sign_in(
        self, request: StartConnectorSignInRequest, call: CallContext
    ) -> StartConnectorSignInResponse:
        """Begins the sign-in that connects a connector with a person's own account. Errors: NOT_FOUND, PERMISSION_DENIED,
        CONNECTOR_STATE (its type has no sign-in, or no application is configured for it).
        """

    @abstractmethod
    async def complete_connector_sign_in(self, request: CompleteConnectorSignInRequest, call: CallContext) -> Connector:
        """Completes a sign-in with what the provider has sent to the page `/connectors/sign-in`: stores the tokens encrypted.
        Only the web session that began it can, once and within ten minutes. Errors: SIGN_IN_REFUSED, NOT_FOUND,
        PERMISSION_DENIED.
        """
