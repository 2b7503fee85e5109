"""

Generated from echomind/public/v1/setup_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from google.protobuf import field_mask_pb2
from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, UpdateModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.setup import Setup, SetupPatch
from echomind_lib.pb.echomind.public.v1 import setup_service_pb2 as pb


class UpdateSetupRequest(UpdateModel):
    """Request of UpdateSetup."""

    __proto__: ClassVar = pb.UpdateSetupRequest
    __resource__: ClassVar = ("setup", SetupPatch)

    setup: SetupPatch = Field(description="The new values.")
    update_mask: Annotated[_t.FieldMask, Field(min_length=1), _r.fields_of("steps", "skipped", "is_hidden")] = Field(
        description="Fields to change. Over REST, taken from the keys of the body."
    )

    @classmethod
    def read_pb(cls, message: pb.UpdateSetupRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("setup"):
            data["setup"] = Setup.read_pb(message.setup)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateSetupRequest:
        """Makes a protobuf message."""
        return pb.UpdateSetupRequest(
            setup=None if self.setup is None else self.setup.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class SetupService(ABC):
    """The first-run setup of each user."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["SetupService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("GetSetup", "get_setup", Empty, Setup),
        Method("UpdateSetup", "update_setup", UpdateSetupRequest, Setup),
    )

    @abstractmethod
    async def get_setup(self, request: Empty, call: CallContext) -> Setup:
        """Reads the caller's steps. Whether one is done is computed at each call."""

    @abstractmethod
    async def update_setup(self, request: UpdateSetupRequest, call: CallContext) -> Setup:
        """Updates `skipped` and `is_hidden`."""
