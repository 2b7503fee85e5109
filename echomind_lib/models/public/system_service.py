"""

Generated from echomind/public/v1/system_service.proto by tools/pydantic_plugin: change that, then `make gen`.
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
from echomind_lib.models.public.system import (
    About,
    InstallationSettings,
    InstallationSettingsPatch,
    StorageFinding,
    SystemHealth,
)
from echomind_lib.pb.echomind.public.v1 import system_service_pb2 as pb


class UpdateInstallationSettingsRequest(UpdateModel):
    """Request of UpdateInstallationSettings."""

    __proto__: ClassVar = pb.UpdateInstallationSettingsRequest
    __resource__: ClassVar = ("settings", InstallationSettingsPatch)

    settings: InstallationSettingsPatch = Field(description="The new values.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "link_sharing",
            "memory_enabled",
            "updated_by",
            "updated_by_name",
            "local_accounts",
            "is_local_accounts_managed",
        ),
    ] = Field(description="Fields to change. Over REST, taken from the keys of the body.")

    @classmethod
    def read_pb(cls, message: pb.UpdateInstallationSettingsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("settings"):
            data["settings"] = InstallationSettings.read_pb(message.settings)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateInstallationSettingsRequest:
        """Makes a protobuf message."""
        return pb.UpdateInstallationSettingsRequest(
            settings=None if self.settings is None else self.settings.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class CheckStorageRequest(ProtoModel):
    """Request of CheckStorage."""

    __proto__: ClassVar = pb.CheckStorageRequest

    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.CheckStorageRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.CheckStorageRequest:
        """Makes a protobuf message."""
        return pb.CheckStorageRequest(
            page_token=self.page_token,
        )


class CheckStorageResponse(ProtoModel):
    """Response of CheckStorage."""

    __proto__: ClassVar = pb.CheckStorageResponse

    findings: list[StorageFinding] = Field(default_factory=list, description="An inconsistency of stored data.")
    checked: _t.Int32 = Field(
        default=0, description="Number of documents, files and versions of chunks that this page checked."
    )
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.CheckStorageResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "findings": [StorageFinding.read_pb(each) for each in message.findings],
            "checked": message.checked,
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.CheckStorageResponse:
        """Makes a protobuf message."""
        return pb.CheckStorageResponse(
            findings=[each.to_pb() for each in self.findings],
            checked=self.checked,
            next_page_token=self.next_page_token,
        )


class SystemService(ABC):
    """The installation. Probes require no authentication: `/healthz` and `/readyz`."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["SystemService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("GetSystemHealth", "get_system_health", Empty, SystemHealth),
        Method("GetAbout", "get_about", Empty, About),
        Method("GetInstallationSettings", "get_installation_settings", Empty, InstallationSettings),
        Method(
            "UpdateInstallationSettings",
            "update_installation_settings",
            UpdateInstallationSettingsRequest,
            InstallationSettings,
        ),
        Method("CheckStorage", "check_storage", CheckStorageRequest, CheckStorageResponse),
    )

    @abstractmethod
    async def get_system_health(self, request: Empty, call: CallContext) -> SystemHealth:
        """Checks all components of the installation. Needs `admin`."""

    @abstractmethod
    async def get_about(self, request: Empty, call: CallContext) -> About:
        """Returns the version and the packages that it uses."""

    @abstractmethod
    async def get_installation_settings(self, request: Empty, call: CallContext) -> InstallationSettings:
        """Reads the settings of the installation."""

    @abstractmethod
    async def update_installation_settings(
        self, request: UpdateInstallationSettingsRequest, call: CallContext
    ) -> InstallationSettings:
        """Updates settings. Needs `superadmin`; audited."""

    @abstractmethod
    async def check_storage(self, request: CheckStorageRequest, call: CallContext) -> CheckStorageResponse:
        """Checks the consistency of stored data, a page at a time: each document with its file, its text and its chunks, then
        files and chunks without a document. Documents that are queued or being processed are skipped. Needs `superadmin`.
        Errors: DEPENDENCY_UNAVAILABLE.
        """
