"""

Generated from echomind/public/v1/connector.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import PatchModel, ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.common import Scope
from echomind_lib.pb.echomind.public.v1 import connector_pb2 as pb


class ConnectorType(ProtoEnum):
    """What a connector connects to."""

    UNSPECIFIED = "CONNECTOR_TYPE_UNSPECIFIED", 0
    """Unspecified."""
    TEAMS = "CONNECTOR_TYPE_TEAMS", 1
    """Microsoft Teams."""
    GOOGLE_DRIVE = "CONNECTOR_TYPE_GOOGLE_DRIVE", 2
    """Google Drive."""
    ONEDRIVE = "CONNECTOR_TYPE_ONEDRIVE", 3
    """Microsoft OneDrive."""
    WEB = "CONNECTOR_TYPE_WEB", 4
    """Web sites."""
    FILE = "CONNECTOR_TYPE_FILE", 5
    """Files that are uploaded."""
    STORAGE = "CONNECTOR_TYPE_STORAGE", 6
    """Folders and buckets by address."""


class ConnectorStatus(ProtoEnum):
    """How a connector fares."""

    UNSPECIFIED = "CONNECTOR_STATUS_UNSPECIFIED", 0
    """Unspecified."""
    PENDING = "CONNECTOR_STATUS_PENDING", 1
    """Not synchronised yet."""
    SYNCING = "CONNECTOR_STATUS_SYNCING", 2
    """Being synchronised."""
    ACTIVE = "CONNECTOR_STATUS_ACTIVE", 3
    """In order."""
    ERROR = "CONNECTOR_STATUS_ERROR", 4
    """The last synchronisation failed; see `status_message`."""
    DISABLED = "CONNECTOR_STATUS_DISABLED", 5
    """Switched off."""


class Connector(ProtoModel):
    """A connection to where documents come from."""

    __proto__: ClassVar = pb.Connector
    __enums__: ClassVar = {
        "type": ConnectorType,
        "scope": Scope,
        "status": ConnectorStatus,
    }

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    name: Annotated[str, Field(min_length=1, max_length=255)] = Field(
        description="Unique name among the owner's connectors."
    )
    type: Annotated[ConnectorType, _r.none_of(ConnectorType.UNSPECIFIED)] = Field(description="What it connects to.")
    config: _t.Struct | None = Field(
        default=None, description="Settings of its type; empty for CONNECTOR_TYPE_FILE, which has none."
    )
    refresh_freq_minutes: Annotated[_t.Int32, Field(le=525600, ge=0)] = Field(
        default=0,
        description="Minutes between synchronisations; 0 means by hand only, and is the only value of CONNECTOR_TYPE_FILE.",
    )
    user_id: _t.Int32 = Field(default=0, description="Its owner; set by the server.")
    scope: Scope = Field(
        default=Scope.UNSPECIFIED, description="Who may read its documents; unset means the owner alone."
    )
    scope_id: Annotated[str, Field(max_length=255)] = Field(
        default="", description="The group's name with SCOPE_GROUP, empty otherwise."
    )
    status: ConnectorStatus = Field(default=ConnectorStatus.UNSPECIFIED, description="How it fares; set by the server.")
    status_message: str = Field(default="", description="Why, in words; may be empty.")
    last_sync_at: _t.Timestamp | None = Field(
        default=None, description="When it was last synchronised; empty when never."
    )
    docs_analyzed: _t.Int64 = Field(default=0, description="How many documents were processed so far.")
    creation_date: _t.Timestamp | None = Field(default=None, description="When it was added; set by the server.")
    last_update: _t.Timestamp | None = Field(default=None, description="When it was last changed; empty when never.")

    @classmethod
    def read_pb(cls, message: pb.Connector) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "name": message.name,
            "type": ConnectorType.numbers.get(message.type, message.type),
            "refresh_freq_minutes": message.refresh_freq_minutes,
            "user_id": message.user_id,
            "scope": Scope.numbers.get(message.scope, message.scope),
            "scope_id": message.scope_id,
            "status": ConnectorStatus.numbers.get(message.status, message.status),
            "status_message": message.status_message,
            "docs_analyzed": message.docs_analyzed,
        }
        if message.HasField("config"):
            data["config"] = _t.from_struct(message.config)
        if message.HasField("last_sync_at"):
            data["last_sync_at"] = message.last_sync_at.ToDatetime(UTC)
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.Connector:
        """Makes a protobuf message."""
        return pb.Connector(
            id=self.id,
            name=self.name,
            type=self.type.number,
            config=self.config,
            refresh_freq_minutes=self.refresh_freq_minutes,
            user_id=self.user_id,
            scope=self.scope.number,
            scope_id=self.scope_id,
            status=self.status.number,
            status_message=self.status_message,
            last_sync_at=self.last_sync_at,
            docs_analyzed=self.docs_analyzed,
            creation_date=self.creation_date,
            last_update=self.last_update,
        )


class ConnectorPatch(PatchModel, Connector):
    """New values of Connector: what is not given stays as it is, null resets to the default."""

    name: Annotated[str, Field(min_length=1, max_length=255)] = Field(
        default="", description="Unique name among the owner's connectors."
    )
    type: Annotated[ConnectorType, _r.none_of(ConnectorType.UNSPECIFIED)] = Field(
        default=ConnectorType.UNSPECIFIED, description="What it connects to."
    )


class FileEntry(ProtoModel):
    """A file as a folder holds it now."""

    __proto__: ClassVar = pb.FileEntry

    source_id: Annotated[str, Field(min_length=1), _r.max_bytes(2000)] = Field(
        description="Its identifier in the connector: the path relative to the folder, with `/`."
    )
    signature: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] = Field(
        description="SHA-256 of its bytes, in lower-case hexadecimal."
    )

    @classmethod
    def read_pb(cls, message: pb.FileEntry) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "source_id": message.source_id,
            "signature": message.signature,
        }
        return data

    def to_pb(self) -> pb.FileEntry:
        """Makes a protobuf message."""
        return pb.FileEntry(
            source_id=self.source_id,
            signature=self.signature,
        )
