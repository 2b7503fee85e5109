"""

Generated from echomind/public/v1/system.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import PatchModel, ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import system_pb2 as pb


class HealthStatus(ProtoEnum):
    """Health of a component."""

    UNSPECIFIED = "HEALTH_STATUS_UNSPECIFIED", 0
    """Unspecified."""
    OK = "HEALTH_STATUS_OK", 1
    """Works."""
    DEGRADED = "HEALTH_STATUS_DEGRADED", 2
    """Works with problems; see `message`."""
    FAILED = "HEALTH_STATUS_FAILED", 3
    """Does not work."""


class StorageFindingKind(ProtoEnum):
    """An inconsistency of stored data."""

    UNSPECIFIED = "STORAGE_FINDING_KIND_UNSPECIFIED", 0
    """Unspecified."""
    FILE_MISSING = "STORAGE_FINDING_KIND_FILE_MISSING", 1
    """The file of a document is missing."""
    TEXT_MISSING = "STORAGE_FINDING_KIND_TEXT_MISSING", 2
    """The extracted text of a document is missing."""
    CHUNKS_MISSING = "STORAGE_FINDING_KIND_CHUNKS_MISSING", 3
    """A document has fewer or more chunks than recorded."""
    CHUNKS_OTHER = "STORAGE_FINDING_KIND_CHUNKS_OTHER", 4
    """A document has chunks of another processing. Searches ignore them."""
    CHUNKS_READERS = "STORAGE_FINDING_KIND_CHUNKS_READERS", 5
    """Chunks have the wrong readers. This grants nobody additional access, but some users find less."""
    FILE_STRAY = "STORAGE_FINDING_KIND_FILE_STRAY", 6
    """A file without a document."""
    CHUNKS_STRAY = "STORAGE_FINDING_KIND_CHUNKS_STRAY", 7
    """Chunks without a document. Searches ignore them."""
    READERS = "STORAGE_FINDING_KIND_READERS", 8
    """The readers of a document do not match what its source reported."""


class LinkSharing(ProtoEnum):
    """Who can open share links."""

    UNSPECIFIED = "LINK_SHARING_UNSPECIFIED", 0
    """Unspecified."""
    ANYONE = "LINK_SHARING_ANYONE", 1
    """Anyone with the link, without signing in."""
    SIGNED_IN = "LINK_SHARING_SIGNED_IN", 2
    """Anyone with the link who is signed in."""
    NOBODY = "LINK_SHARING_NOBODY", 3
    """Nobody: links do not work, and none can be created."""


class PartHealth(ProtoModel):
    """A server that the gateway uses."""

    __proto__: ClassVar = pb.PartHealth
    __enums__: ClassVar = {
        "status": HealthStatus,
    }

    name: str = Field(default="", description="Its name: `postgres`, `nats`, `qdrant`, `s3`, `embedding` or `proxy`.")
    status: HealthStatus = Field(default=HealthStatus.UNSPECIFIED, description="Status.")
    version: str = Field(default="", description="Its version; empty if it reports none.")
    latency_ms: _t.Float = Field(default=0.0, description="Response time in milliseconds.")
    message: str = Field(default="", description="What is wrong; empty if nothing is.")

    @classmethod
    def read_pb(cls, message: pb.PartHealth) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "name": message.name,
            "status": HealthStatus.numbers.get(message.status, message.status),
            "version": message.version,
            "latency_ms": message.latency_ms,
            "message": message.message,
        }
        return data

    def to_pb(self) -> pb.PartHealth:
        """Makes a protobuf message."""
        return pb.PartHealth(
            name=self.name,
            status=self.status.number,
            version=self.version,
            latency_ms=self.latency_ms,
            message=self.message,
        )


class WorkerHealth(ProtoModel):
    """A worker process."""

    __proto__: ClassVar = pb.WorkerHealth
    __enums__: ClassVar = {
        "status": HealthStatus,
    }

    id: str = Field(default="", description="Identifier.")
    service: str = Field(default="", description="`agent` or `ingestor`.")
    host: str = Field(default="", description="Its host.")
    started_at: _t.Timestamp | None = Field(default=None, description="When it started.")
    heartbeat_at: _t.Timestamp | None = Field(
        default=None, description="Its last heartbeat, which is sent every 5 seconds."
    )
    status: HealthStatus = Field(default=HealthStatus.UNSPECIFIED, description="`DEGRADED` if its heartbeat is late.")

    @classmethod
    def read_pb(cls, message: pb.WorkerHealth) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "service": message.service,
            "host": message.host,
            "status": HealthStatus.numbers.get(message.status, message.status),
        }
        if message.HasField("started_at"):
            data["started_at"] = message.started_at.ToDatetime(UTC)
        if message.HasField("heartbeat_at"):
            data["heartbeat_at"] = message.heartbeat_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.WorkerHealth:
        """Makes a protobuf message."""
        return pb.WorkerHealth(
            id=self.id,
            service=self.service,
            host=self.host,
            started_at=self.started_at,
            heartbeat_at=self.heartbeat_at,
            status=self.status.number,
        )


class QueueHealth(ProtoModel):
    """A work queue."""

    __proto__: ClassVar = pb.QueueHealth
    __enums__: ClassVar = {
        "status": HealthStatus,
    }

    name: str = Field(default="", description="Its name: `runs`, `documents` or `jobs`.")
    status: HealthStatus = Field(
        default=HealthStatus.UNSPECIFIED,
        description="`DEGRADED` if work is waiting and no worker claims it, or if there are dead letters.",
    )
    waiting: _t.Int64 = Field(default=0, description="Number of items that wait for a worker.")
    running: _t.Int64 = Field(default=0, description="Number of items that a worker executes.")
    failed: _t.Int64 = Field(
        default=0, description="Number of failed items; for runs, in the last 24 hours; for jobs, the dead letters."
    )
    oldest_waiting_since: _t.Timestamp | None = Field(
        default=None, description="Since when the oldest item has been waiting; empty if none waits."
    )

    @classmethod
    def read_pb(cls, message: pb.QueueHealth) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "name": message.name,
            "status": HealthStatus.numbers.get(message.status, message.status),
            "waiting": message.waiting,
            "running": message.running,
            "failed": message.failed,
        }
        if message.HasField("oldest_waiting_since"):
            data["oldest_waiting_since"] = message.oldest_waiting_since.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.QueueHealth:
        """Makes a protobuf message."""
        return pb.QueueHealth(
            name=self.name,
            status=self.status.number,
            waiting=self.waiting,
            running=self.running,
            failed=self.failed,
            oldest_waiting_since=self.oldest_waiting_since,
        )


class DiskHealth(ProtoModel):
    """Space on a disk."""

    __proto__: ClassVar = pb.DiskHealth
    __enums__: ClassVar = {
        "status": HealthStatus,
    }

    status: HealthStatus = Field(
        default=HealthStatus.UNSPECIFIED,
        description="`FAILED` if less than the reserve is free: new uploads and questions are refused.",
    )
    folder: str = Field(default="", description="The folder whose disk is monitored.")
    free_bytes: _t.Int64 = Field(default=0, description="Free bytes.")
    total_bytes: _t.Int64 = Field(default=0, description="Total bytes.")
    reserve_bytes: _t.Int64 = Field(default=0, description="Bytes that must stay free.")

    @classmethod
    def read_pb(cls, message: pb.DiskHealth) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "status": HealthStatus.numbers.get(message.status, message.status),
            "folder": message.folder,
            "free_bytes": message.free_bytes,
            "total_bytes": message.total_bytes,
            "reserve_bytes": message.reserve_bytes,
        }
        return data

    def to_pb(self) -> pb.DiskHealth:
        """Makes a protobuf message."""
        return pb.DiskHealth(
            status=self.status.number,
            folder=self.folder,
            free_bytes=self.free_bytes,
            total_bytes=self.total_bytes,
            reserve_bytes=self.reserve_bytes,
        )


class McpServerHealth(ProtoModel):
    """State of an assistant's MCP server when an agent last used it."""

    __proto__: ClassVar = pb.McpServerHealth
    __enums__: ClassVar = {
        "status": HealthStatus,
    }

    assistant_id: _t.Int32 = Field(default=0, description="The assistant.")
    assistant_name: str = Field(default="", description="Its name.")
    server: str = Field(default="", description="Name of the server in the assistant's configuration.")
    status: HealthStatus = Field(
        default=HealthStatus.UNSPECIFIED, description="`DEGRADED` if the last connection failed."
    )
    last_error: str = Field(default="", description="Error of the last failed connection; empty if none failed.")
    failed_at: _t.Timestamp | None = Field(
        default=None, description="Time of the last failed connection, to the minute; empty if none failed."
    )
    reached_at: _t.Timestamp | None = Field(
        default=None, description="Time of the last successful connection, to the minute; empty if there was none."
    )

    @classmethod
    def read_pb(cls, message: pb.McpServerHealth) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "assistant_id": message.assistant_id,
            "assistant_name": message.assistant_name,
            "server": message.server,
            "status": HealthStatus.numbers.get(message.status, message.status),
            "last_error": message.last_error,
        }
        if message.HasField("failed_at"):
            data["failed_at"] = message.failed_at.ToDatetime(UTC)
        if message.HasField("reached_at"):
            data["reached_at"] = message.reached_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.McpServerHealth:
        """Makes a protobuf message."""
        return pb.McpServerHealth(
            assistant_id=self.assistant_id,
            assistant_name=self.assistant_name,
            server=self.server,
            status=self.status.number,
            last_error=self.last_error,
            failed_at=self.failed_at,
            reached_at=self.reached_at,
        )


class SystemHealth(ProtoModel):
    """Health of the components of the installation."""

    __proto__: ClassVar = pb.SystemHealth
    __enums__: ClassVar = {
        "status": HealthStatus,
    }

    status: HealthStatus = Field(default=HealthStatus.UNSPECIFIED, description="The worst status of all components.")
    parts: list[PartHealth] = Field(
        default_factory=list,
        description="Servers that the gateway uses: `postgres`, `nats`, `qdrant`, `s3`, `embedding`. And `proxy`, with the status `DEGRADED`, if requests were forwarded in the last hour by a proxy that is not named in the settings.",
    )
    workers: list[WorkerHealth] = Field(default_factory=list, description="Workers: agents and ingestors.")
    queues: list[QueueHealth] = Field(default_factory=list, description="Work queues: `runs`, `documents`, `jobs`.")
    disk: DiskHealth | None = Field(default=None, description="The monitored disk; unset if none is monitored.")
    version: str = Field(default="", description="Version of EchoMind.")
    schema_revision: str = Field(default="", description="Revision of the last database migration.")
    checked_at: _t.Timestamp | None = Field(default=None, description="Time of the check.")
    mcp_servers: list[McpServerHealth] = Field(
        default_factory=list, description="The MCP servers of assistants that an agent has used."
    )

    @classmethod
    def read_pb(cls, message: pb.SystemHealth) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "status": HealthStatus.numbers.get(message.status, message.status),
            "parts": [PartHealth.read_pb(each) for each in message.parts],
            "workers": [WorkerHealth.read_pb(each) for each in message.workers],
            "queues": [QueueHealth.read_pb(each) for each in message.queues],
            "version": message.version,
            "schema_revision": message.schema_revision,
            "mcp_servers": [McpServerHealth.read_pb(each) for each in message.mcp_servers],
        }
        if message.HasField("disk"):
            data["disk"] = DiskHealth.read_pb(message.disk)
        if message.HasField("checked_at"):
            data["checked_at"] = message.checked_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.SystemHealth:
        """Makes a protobuf message."""
        return pb.SystemHealth(
            status=self.status.number,
            parts=[each.to_pb() for each in self.parts],
            workers=[each.to_pb() for each in self.workers],
            queues=[each.to_pb() for each in self.queues],
            disk=None if self.disk is None else self.disk.to_pb(),
            version=self.version,
            schema_revision=self.schema_revision,
            checked_at=self.checked_at,
            mcp_servers=[each.to_pb() for each in self.mcp_servers],
        )


class SoftwarePackage(ProtoModel):
    """A third-party package."""

    __proto__: ClassVar = pb.SoftwarePackage

    name: str = Field(default="", description="Its name.")
    version: str = Field(default="", description="Its version.")
    license: str = Field(default="", description="Its licence as stated by the package; empty if it states none.")

    @classmethod
    def read_pb(cls, message: pb.SoftwarePackage) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "name": message.name,
            "version": message.version,
            "license": message.license,
        }
        return data

    def to_pb(self) -> pb.SoftwarePackage:
        """Makes a protobuf message."""
        return pb.SoftwarePackage(
            name=self.name,
            version=self.version,
            license=self.license,
        )


class About(ProtoModel):
    """About this installation."""

    __proto__: ClassVar = pb.About

    version: str = Field(default="", description="Version of EchoMind.")
    license: str = Field(default="", description="Its licence, as an SPDX identifier.")
    packages: list[SoftwarePackage] = Field(default_factory=list, description="The packages that it uses, by name.")

    @classmethod
    def read_pb(cls, message: pb.About) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "version": message.version,
            "license": message.license,
            "packages": [SoftwarePackage.read_pb(each) for each in message.packages],
        }
        return data

    def to_pb(self) -> pb.About:
        """Makes a protobuf message."""
        return pb.About(
            version=self.version,
            license=self.license,
            packages=[each.to_pb() for each in self.packages],
        )


class StorageFinding(ProtoModel):
    """An inconsistency."""

    __proto__: ClassVar = pb.StorageFinding
    __enums__: ClassVar = {
        "kind": StorageFindingKind,
    }

    kind: StorageFindingKind = Field(default=StorageFindingKind.UNSPECIFIED, description="Kind of the inconsistency.")
    document_id: _t.Int64 = Field(default=0, description="ID of the document; 0 if unknown.")
    detail: str = Field(default="", description="The found and expected values: numbers, keys, IDs.")

    @classmethod
    def read_pb(cls, message: pb.StorageFinding) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "kind": StorageFindingKind.numbers.get(message.kind, message.kind),
            "document_id": message.document_id,
            "detail": message.detail,
        }
        return data

    def to_pb(self) -> pb.StorageFinding:
        """Makes a protobuf message."""
        return pb.StorageFinding(
            kind=self.kind.number,
            document_id=self.document_id,
            detail=self.detail,
        )


class InstallationSettings(ProtoModel):
    """Settings of the installation, set by superadmins."""

    __proto__: ClassVar = pb.InstallationSettings
    __enums__: ClassVar = {
        "link_sharing": LinkSharing,
    }

    link_sharing: Annotated[LinkSharing, _r.none_of(LinkSharing.UNSPECIFIED)] = Field(
        description="Who can open share links."
    )
    memory_enabled: bool = Field(
        default=False,
        description="Whether memory is on. Turning it off deletes nothing; each user can also turn it off for themselves, with the preference `memory_off`.",
    )
    updated_by: _t.Int32 = Field(
        default=0,
        description="ID of the person who made the last change; 0 if nobody did, and for everyone but superadmins. Set by the server.",
    )
    updated_by_name: str = Field(
        default="",
        description="Their first and last name, or else the user name; empty if `updated_by` is 0. Set by the server.",
    )
    local_accounts: bool = Field(
        default=False,
        description="Whether people sign in with passwords, links and invitations of EchoMind, beside providers. Turning it off ends the web sessions that were begun so, and needs a web session that was begun at a provider within the last 10 minutes by somebody whose role comes from the provider's mapping.",
    )
    is_local_accounts_managed: bool = Field(
        default=False,
        description="Whether the environment of the server decides about `local_accounts`, so that it cannot be changed here. Set by the server.",
    )

    @classmethod
    def read_pb(cls, message: pb.InstallationSettings) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "link_sharing": LinkSharing.numbers.get(message.link_sharing, message.link_sharing),
            "memory_enabled": message.memory_enabled,
            "updated_by": message.updated_by,
            "updated_by_name": message.updated_by_name,
            "local_accounts": message.local_accounts,
            "is_local_accounts_managed": message.is_local_accounts_managed,
        }
        return data

    def to_pb(self) -> pb.InstallationSettings:
        """Makes a protobuf message."""
        return pb.InstallationSettings(
            link_sharing=self.link_sharing.number,
            memory_enabled=self.memory_enabled,
            updated_by=self.updated_by,
            updated_by_name=self.updated_by_name,
            local_accounts=self.local_accounts,
            is_local_accounts_managed=self.is_local_accounts_managed,
        )


class InstallationSettingsPatch(PatchModel, InstallationSettings):
    """New values of InstallationSettings: what is not given stays as it is, null resets to the default."""

    link_sharing: Annotated[LinkSharing, _r.none_of(LinkSharing.UNSPECIFIED)] = Field(
        default=LinkSharing.UNSPECIFIED, description="Who can open share links."
    )
