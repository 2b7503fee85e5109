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
from echomind_lib.models.public.common import Role, Scope
from echomind_lib.pb.echomind.public.v1 import connector_pb2 as pb


class ConnectorType(ProtoEnum):
    """The kind of source of a connector."""

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
    """Uploaded files."""
    STORAGE = "CONNECTOR_TYPE_STORAGE", 6
    """Folders and buckets of a storage service."""


class ConnectorStatus(ProtoEnum):
    """Status of a connector."""

    UNSPECIFIED = "CONNECTOR_STATUS_UNSPECIFIED", 0
    """Unspecified."""
    PENDING = "CONNECTOR_STATUS_PENDING", 1
    """Not synced yet."""
    SYNCING = "CONNECTOR_STATUS_SYNCING", 2
    """Being synced."""
    ACTIVE = "CONNECTOR_STATUS_ACTIVE", 3
    """Up to date."""
    ERROR = "CONNECTOR_STATUS_ERROR", 4
    """The last sync failed; see `status_message`."""
    DISABLED = "CONNECTOR_STATUS_DISABLED", 5
    """Disabled."""
    NEEDS_ATTENTION = "CONNECTOR_STATUS_NEEDS_ATTENTION", 6
    """The last sync ended without having read anything; see `status_message`."""


class PermissionMode(ProtoEnum):
    """Which permissions apply to the documents of a connector."""

    UNSPECIFIED = "PERMISSION_MODE_UNSPECIFIED", 0
    """Unspecified."""
    SCOPE = "PERMISSION_MODE_SCOPE", 1
    """Only the scope: everyone in it may read them."""
    SOURCE = "PERMISSION_MODE_SOURCE", 2
    """Scope and source: those in the scope who may read the document at its source."""


class SyncKind(ProtoEnum):
    """What a sync reads."""

    UNSPECIFIED = "SYNC_KIND_UNSPECIFIED", 0
    """Unspecified."""
    INCREMENTAL = "SYNC_KIND_INCREMENTAL", 1
    """Changes since the previous sync."""
    FULL = "SYNC_KIND_FULL", 2
    """Everything; documents that no longer exist at the source are removed."""


class SyncStatus(ProtoEnum):
    """Status of a sync."""

    UNSPECIFIED = "SYNC_STATUS_UNSPECIFIED", 0
    """Unspecified."""
    PENDING = "SYNC_STATUS_PENDING", 1
    """Queued."""
    RUNNING = "SYNC_STATUS_RUNNING", 2
    """Reading the source."""
    COMPLETED = "SYNC_STATUS_COMPLETED", 3
    """Completed; some items may have failed."""
    FAILED = "SYNC_STATUS_FAILED", 4
    """Failed; see `error`."""
    CANCELLED = "SYNC_STATUS_CANCELLED", 5
    """Cancelled."""
    WAITING_FOR_CONFIRMATION = "SYNC_STATUS_WAITING_FOR_CONFIRMATION", 6
    """It would remove more than a third of the documents and waits for ConfirmConnectorSync or RejectConnectorSync."""
    NEEDS_ATTENTION = "SYNC_STATUS_NEEDS_ATTENTION", 7
    """Ended without having read anything: the source has no documents, or all changed ones failed; see `warning`."""


class SyncErrorKind(ProtoEnum):
    """What to do about an error that ended a sync."""

    UNSPECIFIED = "SYNC_ERROR_KIND_UNSPECIFIED", 0
    """Unspecified."""
    CREDENTIALS = "SYNC_ERROR_KIND_CREDENTIALS", 1
    """Connect the connector again."""
    SETTINGS = "SYNC_ERROR_KIND_SETTINGS", 2
    """Change its settings."""
    UNAVAILABLE = "SYNC_ERROR_KIND_UNAVAILABLE", 3
    """Nothing: the sync is retried later."""
    ITEMS = "SYNC_ERROR_KIND_ITEMS", 4
    """Too many items failed; see ListConnectorSyncFailures."""
    INTERNAL = "SYNC_ERROR_KIND_INTERNAL", 5
    """An internal error of EchoMind; see its log."""


class SettingKind(ProtoEnum):
    """Input type of a setting."""

    UNSPECIFIED = "SETTING_KIND_UNSPECIFIED", 0
    """Unspecified."""
    TEXT = "SETTING_KIND_TEXT", 1
    """A line of text."""
    MULTILINE = "SETTING_KIND_MULTILINE", 2
    """Text of several lines."""
    SECRET = "SETTING_KIND_SECRET", 3
    """Hidden text, of one or several lines."""
    INTEGER = "SETTING_KIND_INTEGER", 4
    """An integer."""
    NUMBER = "SETTING_KIND_NUMBER", 5
    """A number."""
    BOOLEAN = "SETTING_KIND_BOOLEAN", 6
    """A boolean."""
    CHOICE = "SETTING_KIND_CHOICE", 7
    """One of `choices`."""
    LIST = "SETTING_KIND_LIST", 8
    """A list of strings."""
    GROUP = "SETTING_KIND_GROUP", 9
    """An object of `fields`; if it is not required, it is either omitted or complete."""


class CheckStatus(ProtoEnum):
    """Result of a check."""

    UNSPECIFIED = "CHECK_STATUS_UNSPECIFIED", 0
    """Unspecified."""
    PASSED = "CHECK_STATUS_PASSED", 1
    """Passed."""
    WARNING = "CHECK_STATUS_WARNING", 2
    """Failed, but affects only some documents or functions."""
    FAILED = "CHECK_STATUS_FAILED", 3
    """Failed; syncs need it."""


class ConnectorSync(ProtoModel):
    """One sync of a connector."""

    __proto__: ClassVar = pb.ConnectorSync
    __enums__: ClassVar = {
        "status": SyncStatus,
        "kind": SyncKind,
        "error_kind": SyncErrorKind,
    }

    id: _t.Int64 = Field(default=0, description="Identifier; set by the server.")
    connector_id: _t.Int32 = Field(default=0, description="ID of the connector.")
    status: SyncStatus = Field(default=SyncStatus.UNSPECIFIED, description="Status.")
    kind: SyncKind = Field(default=SyncKind.UNSPECIFIED, description="What it reads.")
    documents_seen: _t.Int32 = Field(default=0, description="Number of documents that the source has listed so far.")
    documents_added: _t.Int32 = Field(default=0, description="Number of new documents.")
    documents_updated: _t.Int32 = Field(default=0, description="Number of documents with changed content.")
    documents_unchanged: _t.Int32 = Field(default=0, description="Number of unchanged documents.")
    documents_removed: _t.Int32 = Field(default=0, description="Number of removed documents.")
    documents_failed: _t.Int32 = Field(
        default=0, description="Number of documents that could not be read; at most `failures`."
    )
    error: str = Field(default="", description="The error that ended it, and what to do; empty for none.")
    creation_date: _t.Timestamp | None = Field(default=None, description="Time of the request.")
    started_at: _t.Timestamp | None = Field(default=None, description="Start time; empty before the start.")
    completed_at: _t.Timestamp | None = Field(default=None, description="End time; empty before the end.")
    to_remove: _t.Int32 = Field(
        default=0, description="Number of documents that it would remove, for SYNC_STATUS_WAITING_FOR_CONFIRMATION."
    )
    warning: str = Field(default="", description="A warning about something that did not fail; may be empty.")
    error_kind: SyncErrorKind = Field(
        default=SyncErrorKind.UNSPECIFIED, description="Kind of the error that ended it; unspecified for none."
    )
    requested_by: _t.Int32 = Field(default=0, description="ID of the user who requested it; 0 for a scheduled sync.")
    cursor_at_begin: str = Field(
        default="",
        description="Cursor of the source at the start, as JSON that only the connector type understands; empty for a first sync. For those who manage the connector, from GetConnectorSync only.",
    )
    cursor_at_end: str = Field(
        default="", description="Cursor of the source at the end, as `cursor_at_begin`; empty before the end."
    )
    failures: _t.Int32 = Field(
        default=0,
        description="Number of entries of ListConnectorSyncFailures: documents, and parts of the source such as folders and groups.",
    )

    @classmethod
    def read_pb(cls, message: pb.ConnectorSync) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "connector_id": message.connector_id,
            "status": SyncStatus.numbers.get(message.status, message.status),
            "kind": SyncKind.numbers.get(message.kind, message.kind),
            "documents_seen": message.documents_seen,
            "documents_added": message.documents_added,
            "documents_updated": message.documents_updated,
            "documents_unchanged": message.documents_unchanged,
            "documents_removed": message.documents_removed,
            "documents_failed": message.documents_failed,
            "error": message.error,
            "to_remove": message.to_remove,
            "warning": message.warning,
            "error_kind": SyncErrorKind.numbers.get(message.error_kind, message.error_kind),
            "requested_by": message.requested_by,
            "cursor_at_begin": message.cursor_at_begin,
            "cursor_at_end": message.cursor_at_end,
            "failures": message.failures,
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("started_at"):
            data["started_at"] = message.started_at.ToDatetime(UTC)
        if message.HasField("completed_at"):
            data["completed_at"] = message.completed_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.ConnectorSync:
        """Makes a protobuf message."""
        return pb.ConnectorSync(
            id=self.id,
            connector_id=self.connector_id,
            status=self.status.number,
            kind=self.kind.number,
            documents_seen=self.documents_seen,
            documents_added=self.documents_added,
            documents_updated=self.documents_updated,
            documents_unchanged=self.documents_unchanged,
            documents_removed=self.documents_removed,
            documents_failed=self.documents_failed,
            error=self.error,
            creation_date=self.creation_date,
            started_at=self.started_at,
            completed_at=self.completed_at,
            to_remove=self.to_remove,
            warning=self.warning,
            error_kind=self.error_kind.number,
            requested_by=self.requested_by,
            cursor_at_begin=self.cursor_at_begin,
            cursor_at_end=self.cursor_at_end,
            failures=self.failures,
        )


class Connector(ProtoModel):
    """A connection to a source of documents."""

    __proto__: ClassVar = pb.Connector
    __enums__: ClassVar = {
        "type": ConnectorType,
        "scope": Scope,
        "status": ConnectorStatus,
        "permission_mode": PermissionMode,
    }

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    name: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(
        description="Name, unique among the owner's connectors."
    )
    type: ConnectorType = Field(
        default=ConnectorType.UNSPECIFIED,
        description="Kind of source. Unspecified for types from other packages, which have only a `type_name`.",
    )
    config: _t.Struct | None = Field(
        default=None,
        description="Settings of its type, see ListConnectorTypes; unknown ones are refused. Empty for uploads, which have none. After a change the next sync is a full one. If the host, scheme or port changes, `credentials` must be sent again. If somebody else than `signed_in_by` changes it, or `permission_mode`, `scope` or `scope_id`, the sign-in is removed: nothing is synced until somebody signs in again.",
    )
    refresh_freq_minutes: Annotated[_t.Int32, Field(le=525600, ge=0)] = Field(
        default=0,
        description="Minutes between syncs; 0 means manual syncs only, and is the only value for types that are not synced.",
    )
    user_id: _t.Int32 = Field(default=0, description="ID of its owner; set by the server.")
    scope: Scope = Field(
        default=Scope.UNSPECIFIED, description="Who may read its documents; unset means only the owner."
    )
    scope_id: Annotated[str, Field(max_length=255)] = Field(
        default="", description="Name of the group for SCOPE_GROUP, empty otherwise."
    )
    status: ConnectorStatus = Field(default=ConnectorStatus.UNSPECIFIED, description="Status; set by the server.")
    status_message: str = Field(default="", description="Details of the status; may be empty.")
    last_sync_at: _t.Timestamp | None = Field(default=None, description="Time of the last sync; empty if never synced.")
    docs_analyzed: _t.Int64 = Field(default=0, description="Number of documents processed so far.")
    creation_date: _t.Timestamp | None = Field(default=None, description="Creation time; set by the server.")
    last_update: _t.Timestamp | None = Field(
        default=None, description="Time of the last change; empty if never changed."
    )
    type_name: Annotated[str, Field(max_length=50, pattern="^([a-z][a-z0-9_]*)?$"), _r.NAME] = Field(
        default="",
        description="Name of its type in ListConnectorTypes, such as `google_drive`, including types from other packages. To create a connector, either `type` or this is enough; if both are set they must agree. Immutable.",
    )
    permission_mode: PermissionMode = Field(
        default=PermissionMode.UNSPECIFIED,
        description="Whether permissions of the source apply in addition to the scope; unset means the default of its type.",
    )
    paused_at: _t.Timestamp | None = Field(default=None, description="When it was paused; empty if it is not paused.")
    next_sync_at: _t.Timestamp | None = Field(
        default=None, description="Time of the next sync; empty if synced manually only."
    )
    credentials: _t.Struct | None = Field(
        default=None,
        description="Credentials for its source, see ListConnectorTypes. Write-only. A new value replaces all of them; an empty object removes them.",
    )
    has_credentials: bool = Field(default=False, description="Whether credentials are stored.")
    connected_account: str = Field(
        default="", description="The account that it was connected with by sign-in; empty if there was no sign-in."
    )
    sync: ConnectorSync | None = Field(default=None, description="Its newest sync; unset if there was none.")
    updated_by: _t.Int32 = Field(
        default=0,
        description="ID of the person who made the last change; 0 if nobody did, and for everyone but those who manage it. Set by the server.",
    )
    updated_by_name: str = Field(
        default="",
        description="Their first and last name, or else the user name; empty if `updated_by` is 0. Set by the server.",
    )
    signed_in_by: _t.Int32 = Field(
        default=0,
        description="ID of the person who connected it with `connected_account`; 0 if there was no sign-in or nobody knows, and for everyone but those who manage it. Set by the server.",
    )
    signed_in_by_name: str = Field(
        default="",
        description="Their first and last name, or else the user name; empty if `signed_in_by` is 0. Set by the server.",
    )

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
            "type_name": message.type_name,
            "permission_mode": PermissionMode.numbers.get(message.permission_mode, message.permission_mode),
            "has_credentials": message.has_credentials,
            "connected_account": message.connected_account,
            "updated_by": message.updated_by,
            "updated_by_name": message.updated_by_name,
            "signed_in_by": message.signed_in_by,
            "signed_in_by_name": message.signed_in_by_name,
        }
        if message.HasField("config"):
            data["config"] = _t.from_struct(message.config)
        if message.HasField("last_sync_at"):
            data["last_sync_at"] = message.last_sync_at.ToDatetime(UTC)
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        if message.HasField("paused_at"):
            data["paused_at"] = message.paused_at.ToDatetime(UTC)
        if message.HasField("next_sync_at"):
            data["next_sync_at"] = message.next_sync_at.ToDatetime(UTC)
        if message.HasField("credentials"):
            data["credentials"] = _t.from_struct(message.credentials)
        if message.HasField("sync"):
            data["sync"] = ConnectorSync.read_pb(message.sync)
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
            type_name=self.type_name,
            permission_mode=self.permission_mode.number,
            paused_at=self.paused_at,
            next_sync_at=self.next_sync_at,
            credentials=self.credentials,
            has_credentials=self.has_credentials,
            connected_account=self.connected_account,
            sync=None if self.sync is None else self.sync.to_pb(),
            updated_by=self.updated_by,
            updated_by_name=self.updated_by_name,
            signed_in_by=self.signed_in_by,
            signed_in_by_name=self.signed_in_by_name,
        )


class ConnectorPatch(PatchModel, Connector):
    """New values of Connector: what is not given stays as it is, null resets to the default."""

    name: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(
        default="", description="Name, unique among the owner's connectors."
    )


class ConnectorSyncFailure(ProtoModel):
    """An item that a sync could not read."""

    __proto__: ClassVar = pb.ConnectorSyncFailure

    source_id: str = Field(
        default="",
        description="ID of the item at its source; empty for a part without an ID, and if the source decides who may read its documents and the caller, who is no superadmin, may not read this one.",
    )
    name: str = Field(default="", description="Its name; empty if the source does not let the caller read it.")
    message: str = Field(default="", description="The error, and what to do.")
    creation_date: _t.Timestamp | None = Field(default=None, description="Time of the failure.")
    is_retryable: bool = Field(default=False, description="Whether the next sync retries it.")
    resolved_at: _t.Timestamp | None = Field(
        default=None, description="When it was read or removed after all; empty until then."
    )

    @classmethod
    def read_pb(cls, message: pb.ConnectorSyncFailure) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "source_id": message.source_id,
            "name": message.name,
            "message": message.message,
            "is_retryable": message.is_retryable,
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("resolved_at"):
            data["resolved_at"] = message.resolved_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.ConnectorSyncFailure:
        """Makes a protobuf message."""
        return pb.ConnectorSyncFailure(
            source_id=self.source_id,
            name=self.name,
            message=self.message,
            creation_date=self.creation_date,
            is_retryable=self.is_retryable,
            resolved_at=self.resolved_at,
        )


class ConnectorSyncRemoval(ProtoModel):
    """A document that a sync would remove."""

    __proto__: ClassVar = pb.ConnectorSyncRemoval

    document_id: _t.Int64 = Field(default=0, description="The document.")
    title: str = Field(default="", description="Its title; empty if its source does not let the caller read it.")
    source_id: str = Field(default="", description="Its ID at the source; empty if the title is.")

    @classmethod
    def read_pb(cls, message: pb.ConnectorSyncRemoval) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "document_id": message.document_id,
            "title": message.title,
            "source_id": message.source_id,
        }
        return data

    def to_pb(self) -> pb.ConnectorSyncRemoval:
        """Makes a protobuf message."""
        return pb.ConnectorSyncRemoval(
            document_id=self.document_id,
            title=self.title,
            source_id=self.source_id,
        )


class SettingCondition(ProtoModel):
    """Condition on another setting of a connector type."""

    __proto__: ClassVar = pb.SettingCondition

    setting: str = Field(default="", description="Key of the setting.")
    values: list[str] = Field(default_factory=list, description="Values of the setting that meet the condition.")

    @classmethod
    def read_pb(cls, message: pb.SettingCondition) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "setting": message.setting,
            "values": list(message.values),
        }
        return data

    def to_pb(self) -> pb.SettingCondition:
        """Makes a protobuf message."""
        return pb.SettingCondition(
            setting=self.setting,
            values=self.values,
        )


class SettingField(ProtoModel):
    """A setting or credential of a connector type."""

    __proto__: ClassVar = pb.SettingField
    __enums__: ClassVar = {
        "kind": SettingKind,
    }

    name: str = Field(default="", description="Its key.")
    title: str = Field(default="", description="Its display name.")
    description: str = Field(default="", description="Its description.")
    kind: SettingKind = Field(default=SettingKind.UNSPECIFIED, description="Input type.")
    required: bool = Field(default=False, description="Whether it is always required.")
    default_value: _t.Value | None = Field(default=None, description="Its default; unset if there is none to show.")
    minimum: _t.Float | None = Field(
        default=None, description="Minimum of a number, or minimum length of a text or list; unset means no limit."
    )
    maximum: _t.Float | None = Field(
        default=None, description="Maximum of a number, or maximum length of a text or list; unset means no limit."
    )
    pattern: str = Field(default="", description="Regular expression that a text must match; empty means any.")
    choices: list[str] = Field(
        default_factory=list,
        description="Options of SETTING_KIND_CHOICE; allowed values of SETTING_KIND_LIST, empty for any.",
    )
    example: str = Field(default="", description="Example value; may be empty.")
    fields: list[SettingField] = Field(default_factory=list, description="Fields of SETTING_KIND_GROUP.")
    choice_titles: list[str] = Field(
        default_factory=list,
        description="Display names of `choices`, in their order; empty if the choices are shown as they are.",
    )
    applies_when: SettingCondition | None = Field(
        default=None, description="When it applies, and is to be shown; unset means always."
    )
    required_when: SettingCondition | None = Field(
        default=None, description="When it is required although `required` is not set; unset means never."
    )

    @classmethod
    def read_pb(cls, message: pb.SettingField) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "name": message.name,
            "title": message.title,
            "description": message.description,
            "kind": SettingKind.numbers.get(message.kind, message.kind),
            "required": message.required,
            "pattern": message.pattern,
            "choices": list(message.choices),
            "example": message.example,
            "fields": [SettingField.read_pb(each) for each in message.fields],
            "choice_titles": list(message.choice_titles),
        }
        if message.HasField("default_value"):
            data["default_value"] = _t.from_struct(message.default_value)
        if message.HasField("minimum"):
            data["minimum"] = message.minimum
        if message.HasField("maximum"):
            data["maximum"] = message.maximum
        if message.HasField("applies_when"):
            data["applies_when"] = SettingCondition.read_pb(message.applies_when)
        if message.HasField("required_when"):
            data["required_when"] = SettingCondition.read_pb(message.required_when)
        return data

    def to_pb(self) -> pb.SettingField:
        """Makes a protobuf message."""
        return pb.SettingField(
            name=self.name,
            title=self.title,
            description=self.description,
            kind=self.kind.number,
            required=self.required,
            default_value=None if self.default_value is None else _t.to_value(self.default_value),
            minimum=self.minimum,
            maximum=self.maximum,
            pattern=self.pattern,
            choices=self.choices,
            example=self.example,
            fields=[each.to_pb() for each in self.fields],
            choice_titles=self.choice_titles,
            applies_when=None if self.applies_when is None else self.applies_when.to_pb(),
            required_when=None if self.required_when is None else self.required_when.to_pb(),
        )


class ConnectorTypeInfo(ProtoModel):
    """An installed connector type."""

    __proto__: ClassVar = pb.ConnectorTypeInfo
    __enums__: ClassVar = {
        "type": ConnectorType,
        "permission_modes": PermissionMode,
        "role": Role,
    }

    name: str = Field(default="", description="Its name, as in `Connector.type_name`.")
    type: ConnectorType = Field(
        default=ConnectorType.UNSPECIFIED,
        description="As in `Connector.type`; unspecified for types from other packages.",
    )
    title: str = Field(default="", description="Its display name.")
    description: str = Field(default="", description="Its description.")
    settings: list[SettingField] = Field(default_factory=list, description="Its settings.")
    credentials: list[SettingField] = Field(
        default_factory=list, description="Its credentials; empty if its source requires none."
    )
    permission_modes: list[PermissionMode] = Field(
        default_factory=list, description="Supported permission modes, the default first."
    )
    synced_by: str = Field(
        default="",
        description="The setting that turns syncing on; without it the connector holds uploads, which every user may create. Empty for a type whose connectors are always synced.",
    )
    sign_in: str = Field(
        default="",
        description="Provider at which users can sign in to connect it with their own account: `google`, `microsoft`; empty for none.",
    )
    sign_in_configured: bool = Field(
        default=False,
        description="Whether an application is configured at that provider, so that StartConnectorSignIn works.",
    )
    role: Role = Field(default=Role.UNSPECIFIED, description="Minimum role to create one that is synced.")
    unavailable_reason: str = Field(
        default="", description="Why the caller cannot create one now, and what to do; empty if they can."
    )

    @classmethod
    def read_pb(cls, message: pb.ConnectorTypeInfo) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "name": message.name,
            "type": ConnectorType.numbers.get(message.type, message.type),
            "title": message.title,
            "description": message.description,
            "settings": [SettingField.read_pb(each) for each in message.settings],
            "credentials": [SettingField.read_pb(each) for each in message.credentials],
            "permission_modes": [PermissionMode.numbers.get(each, each) for each in message.permission_modes],
            "synced_by": message.synced_by,
            "sign_in": message.sign_in,
            "sign_in_configured": message.sign_in_configured,
            "role": Role.numbers.get(message.role, message.role),
            "unavailable_reason": message.unavailable_reason,
        }
        return data

    def to_pb(self) -> pb.ConnectorTypeInfo:
        """Makes a protobuf message."""
        return pb.ConnectorTypeInfo(
            name=self.name,
            type=self.type.number,
            title=self.title,
            description=self.description,
            settings=[each.to_pb() for each in self.settings],
            credentials=[each.to_pb() for each in self.credentials],
            permission_modes=[each.number for each in self.permission_modes],
            synced_by=self.synced_by,
            sign_in=self.sign_in,
            sign_in_configured=self.sign_in_configured,
            role=self.role.number,
            unavailable_reason=self.unavailable_reason,
        )


class ConnectorCheck(ProtoModel):
    """A check by TestConnector."""

    __proto__: ClassVar = pb.ConnectorCheck
    __enums__: ClassVar = {
        "status": CheckStatus,
    }

    name: str = Field(default="", description="What was checked, such as `List files`.")
    status: CheckStatus = Field(default=CheckStatus.UNSPECIFIED, description="Result.")
    message: str = Field(default="", description="What is wrong, and what to do; empty if it passed.")

    @classmethod
    def read_pb(cls, message: pb.ConnectorCheck) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "name": message.name,
            "status": CheckStatus.numbers.get(message.status, message.status),
            "message": message.message,
        }
        return data

    def to_pb(self) -> pb.ConnectorCheck:
        """Makes a protobuf message."""
        return pb.ConnectorCheck(
            name=self.name,
            status=self.status.number,
            message=self.message,
        )


class FileEntry(ProtoModel):
    """A file in a folder."""

    __proto__: ClassVar = pb.FileEntry

    source_id: Annotated[str, Field(min_length=1), _r.max_bytes(2000)] = Field(
        description="Its ID in the connector: the path relative to the folder, with `/`."
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


class ConnectedAccount(ProtoModel):
    """An account that a person has signed in with, so that a connector reads what this account may read."""

    __proto__: ClassVar = pb.ConnectedAccount
    __enums__: ClassVar = {
        "scope": Scope,
    }

    id: _t.Int32 = Field(default=0, description="ID of the connector.")
    connector_name: str = Field(default="", description="Its name.")
    type_name: str = Field(default="", description="Its type, such as `google_drive`.")
    scope: Scope = Field(
        default=Scope.UNSPECIFIED, description="Who may read the connector: the owner, a group or everyone."
    )
    scope_id: str = Field(default="", description="Name of the group; empty for other scopes.")
    account: str = Field(default="", description="The account: its e-mail address or name.")
    provider: str = Field(
        default="",
        description="Name of the provider: Google or Microsoft. Empty if the connector's type is not installed any more.",
    )
    access_url: str = Field(
        default="",
        description="Address of the page at the provider where people see and end the access of applications to their account. Empty as `provider`.",
    )

    @classmethod
    def read_pb(cls, message: pb.ConnectedAccount) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "connector_name": message.connector_name,
            "type_name": message.type_name,
            "scope": Scope.numbers.get(message.scope, message.scope),
            "scope_id": message.scope_id,
            "account": message.account,
            "provider": message.provider,
            "access_url": message.access_url,
        }
        return data

    def to_pb(self) -> pb.ConnectedAccount:
        """Makes a protobuf message."""
        return pb.ConnectedAccount(
            id=self.id,
            connector_name=self.connector_name,
            type_name=self.type_name,
            scope=self.scope.number,
            scope_id=self.scope_id,
            account=self.account,
            provider=self.provider,
            access_url=self.access_url,
        )
