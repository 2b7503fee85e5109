"""

Generated from echomind/public/v1/setup.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import PatchModel, ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.pb.echomind.public.v1 import setup_pb2 as pb


class SetupStepKind(ProtoEnum):
    """A step of the first-run setup."""

    UNSPECIFIED = "SETUP_STEP_KIND_UNSPECIFIED", 0
    """Unspecified."""
    PROFILE = "SETUP_STEP_KIND_PROFILE", 1
    """Enter one's name."""
    PASSWORD = "SETUP_STEP_KIND_PASSWORD", 2
    """Set a password."""
    MODEL = "SETUP_STEP_KIND_MODEL", 3
    """Connect a chat model. For superadmins."""
    DOCUMENTS = "SETUP_STEP_KIND_DOCUMENTS", 4
    """Add documents. For superadmins."""
    QUESTION = "SETUP_STEP_KIND_QUESTION", 5
    """Ask a first question. For superadmins."""


class SetupStepStatus(ProtoEnum):
    """Status of a step."""

    UNSPECIFIED = "SETUP_STEP_STATUS_UNSPECIFIED", 0
    """Unspecified."""
    OPEN = "SETUP_STEP_STATUS_OPEN", 1
    """Open."""
    SKIPPED = "SETUP_STEP_STATUS_SKIPPED", 2
    """Skipped."""
    DONE = "SETUP_STEP_STATUS_DONE", 3
    """Done, in the setup or elsewhere."""


class SetupStep(ProtoModel):
    """A step of the setup."""

    __proto__: ClassVar = pb.SetupStep
    __enums__: ClassVar = {
        "kind": SetupStepKind,
        "status": SetupStepStatus,
    }

    kind: SetupStepKind = Field(default=SetupStepKind.UNSPECIFIED, description="The step.")
    status: SetupStepStatus = Field(default=SetupStepStatus.UNSPECIFIED, description="Its status.")

    @classmethod
    def read_pb(cls, message: pb.SetupStep) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "kind": SetupStepKind.numbers.get(message.kind, message.kind),
            "status": SetupStepStatus.numbers.get(message.status, message.status),
        }
        return data

    def to_pb(self) -> pb.SetupStep:
        """Makes a protobuf message."""
        return pb.SetupStep(
            kind=self.kind.number,
            status=self.status.number,
        )


class Setup(ProtoModel):
    """The first-run setup of the caller: the steps, in order, and what the caller skipped."""

    __proto__: ClassVar = pb.Setup
    __enums__: ClassVar = {
        "skipped": SetupStepKind,
    }

    steps: list[SetupStep] = Field(
        default_factory=list, description="The steps that apply to the caller; set by the server."
    )
    skipped: Annotated[
        list[Annotated[SetupStepKind, _r.none_of(SetupStepKind.UNSPECIFIED)]], Field(max_length=10), _r.UNIQUE
    ] = Field(default_factory=list, description="Skipped steps.")
    is_hidden: bool = Field(default=False, description="Whether the remaining steps are hidden.")

    @classmethod
    def read_pb(cls, message: pb.Setup) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "steps": [SetupStep.read_pb(each) for each in message.steps],
            "skipped": [SetupStepKind.numbers.get(each, each) for each in message.skipped],
            "is_hidden": message.is_hidden,
        }
        return data

    def to_pb(self) -> pb.Setup:
        """Makes a protobuf message."""
        return pb.Setup(
            steps=[each.to_pb() for each in self.steps],
            skipped=[each.number for each in self.skipped],
            is_hidden=self.is_hidden,
        )


class SetupPatch(PatchModel, Setup):
    """New values of Setup: what is not given stays as it is, null resets to the default."""
