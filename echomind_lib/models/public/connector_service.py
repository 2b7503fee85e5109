"""

Generated from echomind/public/v1/connector_service.proto by tools/pydantic_plugin: change that, then `make gen`.
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
from echomind_lib.models.public.connector import Connector, ConnectorPatch, FileEntry
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
    )

    @abstractmethod
    async def list_connectors(self, request: ListConnectorsRequest, call: CallContext) -> ListConnectorsResponse:
        """Lists the connectors that the caller may read, by id."""

    @abstractmethod
    async def get_connector(self, request: GetConnectorRequest, call: CallContext) -> Connector:
        """Reads one connector. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_connector(self, request: CreateConnectorRequest, call: CallContext) -> Connector:
        """Adds a connector. Errors: ALREADY_EXISTS, GROUP_REQUIRED, PERMISSION_DENIED, CONNECTOR_TYPE_UNAVAILABLE."""

    @abstractmethod
    async def update_connector(self, request: UpdateConnectorRequest, call: CallContext) -> Connector:
        """Changes `name`, `config`, `refresh_freq_minutes`, or `scope` with `scope_id`, which holds at once.
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
