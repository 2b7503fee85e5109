"""

Generated from echomind/public/v1/connector_sync_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Method, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.connector import ConnectorSync, ConnectorSyncFailure, ConnectorSyncRemoval
from echomind_lib.pb.echomind.public.v1 import connector_sync_service_pb2 as pb


class SyncConnectorRequest(ProtoModel):
    """Request of SyncConnector."""

    __proto__: ClassVar = pb.SyncConnectorRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the connector.")
    full: bool = Field(default=False, description="Whether to read everything instead of only the changes.")

    @classmethod
    def read_pb(cls, message: pb.SyncConnectorRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "full": message.full,
        }
        return data

    def to_pb(self) -> pb.SyncConnectorRequest:
        """Makes a protobuf message."""
        return pb.SyncConnectorRequest(
            id=self.id,
            full=self.full,
        )


class CancelConnectorSyncRequest(ProtoModel):
    """Request of CancelConnectorSync."""

    __proto__: ClassVar = pb.CancelConnectorSyncRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the connector.")

    @classmethod
    def read_pb(cls, message: pb.CancelConnectorSyncRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.CancelConnectorSyncRequest:
        """Makes a protobuf message."""
        return pb.CancelConnectorSyncRequest(
            id=self.id,
        )


class ListConnectorSyncsRequest(ProtoModel):
    """Request of ListConnectorSyncs."""

    __proto__: ClassVar = pb.ListConnectorSyncsRequest

    connector_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the connector.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListConnectorSyncsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "connector_id": message.connector_id,
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListConnectorSyncsRequest:
        """Makes a protobuf message."""
        return pb.ListConnectorSyncsRequest(
            connector_id=self.connector_id,
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListConnectorSyncsResponse(ProtoModel):
    """Response of ListConnectorSyncs."""

    __proto__: ClassVar = pb.ListConnectorSyncsResponse

    syncs: list[ConnectorSync] = Field(default_factory=list, description="The syncs, newest first.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListConnectorSyncsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "syncs": [ConnectorSync.read_pb(each) for each in message.syncs],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListConnectorSyncsResponse:
        """Makes a protobuf message."""
        return pb.ListConnectorSyncsResponse(
            syncs=[each.to_pb() for each in self.syncs],
            next_page_token=self.next_page_token,
        )


class GetConnectorSyncRequest(ProtoModel):
    """Request of GetConnectorSync."""

    __proto__: ClassVar = pb.GetConnectorSyncRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the sync.")

    @classmethod
    def read_pb(cls, message: pb.GetConnectorSyncRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetConnectorSyncRequest:
        """Makes a protobuf message."""
        return pb.GetConnectorSyncRequest(
            id=self.id,
        )


class ListConnectorSyncFailuresRequest(ProtoModel):
    """Request of ListConnectorSyncFailures."""

    __proto__: ClassVar = pb.ListConnectorSyncFailuresRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the sync.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListConnectorSyncFailuresRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListConnectorSyncFailuresRequest:
        """Makes a protobuf message."""
        return pb.ListConnectorSyncFailuresRequest(
            id=self.id,
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListConnectorSyncFailuresResponse(ProtoModel):
    """Response of ListConnectorSyncFailures."""

    __proto__: ClassVar = pb.ListConnectorSyncFailuresResponse

    failures: list[ConnectorSyncFailure] = Field(
        default_factory=list, description="The failures, in the order in which they occurred."
    )
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListConnectorSyncFailuresResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "failures": [ConnectorSyncFailure.read_pb(each) for each in message.failures],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListConnectorSyncFailuresResponse:
        """Makes a protobuf message."""
        return pb.ListConnectorSyncFailuresResponse(
            failures=[each.to_pb() for each in self.failures],
            next_page_token=self.next_page_token,
        )


class ListConnectorSyncRemovalsRequest(ProtoModel):
    """Request of ListConnectorSyncRemovals."""

    __proto__: ClassVar = pb.ListConnectorSyncRemovalsRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the sync.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListConnectorSyncRemovalsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListConnectorSyncRemovalsRequest:
        """Makes a protobuf message."""
        return pb.ListConnectorSyncRemovalsRequest(
            id=self.id,
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListConnectorSyncRemovalsResponse(ProtoModel):
    """Response of ListConnectorSyncRemovals."""

    __proto__: ClassVar = pb.ListConnectorSyncRemovalsResponse

    removals: list[ConnectorSyncRemoval] = Field(default_factory=list, description="The documents, by ID.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListConnectorSyncRemovalsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "removals": [ConnectorSyncRemoval.read_pb(each) for each in message.removals],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListConnectorSyncRemovalsResponse:
        """Makes a protobuf message."""
        return pb.ListConnectorSyncRemovalsResponse(
            removals=[each.to_pb() for each in self.removals],
            next_page_token=self.next_page_token,
        )


class ConfirmConnectorSyncRequest(ProtoModel):
    """Request of ConfirmConnectorSync."""

    __proto__: ClassVar = pb.ConfirmConnectorSyncRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the sync.")

    @classmethod
    def read_pb(cls, message: pb.ConfirmConnectorSyncRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.ConfirmConnectorSyncRequest:
        """Makes a protobuf message."""
        return pb.ConfirmConnectorSyncRequest(
            id=self.id,
        )


class RejectConnectorSyncRequest(ProtoModel):
    """Request of RejectConnectorSync."""

    __proto__: ClassVar = pb.RejectConnectorSyncRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the sync.")

    @classmethod
    def read_pb(cls, message: pb.RejectConnectorSyncRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.RejectConnectorSyncRequest:
        """Makes a protobuf message."""
        return pb.RejectConnectorSyncRequest(
            id=self.id,
        )


class ConnectorSyncService(ABC):
    """Syncs of connectors: whoever may read a connector may read its syncs; whoever manages it may change them."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["ConnectorSyncService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("SyncConnector", "sync_connector", SyncConnectorRequest, ConnectorSync),
        Method("CancelConnectorSync", "cancel_connector_sync", CancelConnectorSyncRequest, ConnectorSync),
        Method("ListConnectorSyncs", "list_connector_syncs", ListConnectorSyncsRequest, ListConnectorSyncsResponse),
        Method("GetConnectorSync", "get_connector_sync", GetConnectorSyncRequest, ConnectorSync),
        Method(
            "ListConnectorSyncFailures",
            "list_connector_sync_failures",
            ListConnectorSyncFailuresRequest,
            ListConnectorSyncFailuresResponse,
        ),
        Method(
            "ListConnectorSyncRemovals",
            "list_connector_sync_removals",
            ListConnectorSyncRemovalsRequest,
            ListConnectorSyncRemovalsResponse,
        ),
        Method("ConfirmConnectorSync", "confirm_connector_sync", ConfirmConnectorSyncRequest, ConnectorSync),
        Method("RejectConnectorSync", "reject_connector_sync", RejectConnectorSyncRequest, ConnectorSync),
    )

    @abstractmethod
    async def sync_connector(self, request: SyncConnectorRequest, call: CallContext) -> ConnectorSync:
        """Requests a sync. If one is queued or running, returns that one. Errors: NOT_FOUND, PERMISSION_DENIED,
        CONNECTOR_STATE (paused, disabled, without credentials, not synced).
        """

    @abstractmethod
    async def cancel_connector_sync(self, request: CancelConnectorSyncRequest, call: CallContext) -> ConnectorSync:
        """Cancels the queued or running sync; what it has stored is kept. Errors: NOT_FOUND, PERMISSION_DENIED,
        CONNECTOR_STATE (there is none).
        """

    @abstractmethod
    async def list_connector_syncs(
        self, request: ListConnectorSyncsRequest, call: CallContext
    ) -> ListConnectorSyncsResponse:
        """Lists the syncs of a connector, newest first. Errors: NOT_FOUND."""

    @abstractmethod
    async def get_connector_sync(self, request: GetConnectorSyncRequest, call: CallContext) -> ConnectorSync:
        """Reads one sync. Errors: NOT_FOUND."""

    @abstractmethod
    async def list_connector_sync_failures(
        self, request: ListConnectorSyncFailuresRequest, call: CallContext
    ) -> ListConnectorSyncFailuresResponse:
        """Lists the items that a sync could not read, for those who manage the connector. Errors: NOT_FOUND,
        PERMISSION_DENIED.
        """

    @abstractmethod
    async def list_connector_sync_removals(
        self, request: ListConnectorSyncRemovalsRequest, call: CallContext
    ) -> ListConnectorSyncRemovalsResponse:
        """Lists the documents that a sync with SYNC_STATUS_WAITING_FOR_CONFIRMATION would remove, for those who manage the
        connector; empty for other syncs. Errors: NOT_FOUND, PERMISSION_DENIED.
        """

    @abstractmethod
    async def confirm_connector_sync(self, request: ConfirmConnectorSyncRequest, call: CallContext) -> ConnectorSync:
        """Confirms a waiting sync, which then removes the documents. Errors: NOT_FOUND, PERMISSION_DENIED, CONNECTOR_STATE
        (it does not wait).
        """

    @abstractmethod
    async def reject_connector_sync(self, request: RejectConnectorSyncRequest, call: CallContext) -> ConnectorSync:
        """Ends a waiting sync without removing anything, and pauses the connector. Errors: NOT_FOUND,
        PERMISSION_DENIED, CONNECTOR_STATE (it does not wait).
        """
