"""

Generated from echomind/public/v1/legal_hold_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Method, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.legal_hold import LegalHold
from echomind_lib.pb.echomind.public.v1 import legal_hold_service_pb2 as pb


class ListLegalHoldsRequest(ProtoModel):
    """Request of ListLegalHolds."""

    __proto__: ClassVar = pb.ListLegalHoldsRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(default="", description="Token of the previous page; empty for the first page.")
    with_released: bool = Field(default=False, description="Whether to list those that were released, too.")

    @classmethod
    def read_pb(cls, message: pb.ListLegalHoldsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
            "with_released": message.with_released,
        }
        return data

    def to_pb(self) -> pb.ListLegalHoldsRequest:
        """Makes a protobuf message."""
        return pb.ListLegalHoldsRequest(
            page_size=self.page_size,
            page_token=self.page_token,
            with_released=self.with_released,
        )


class ListLegalHoldsResponse(ProtoModel):
    """Response of ListLegalHolds."""

    __proto__: ClassVar = pb.ListLegalHoldsResponse

    legal_holds: list[LegalHold] = Field(default_factory=list, description="The holds.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListLegalHoldsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "legal_holds": [LegalHold.read_pb(each) for each in message.legal_holds],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListLegalHoldsResponse:
        """Makes a protobuf message."""
        return pb.ListLegalHoldsResponse(
            legal_holds=[each.to_pb() for each in self.legal_holds],
            next_page_token=self.next_page_token,
        )


class CreateLegalHoldRequest(ProtoModel):
    """Request of CreateLegalHold."""

    __proto__: ClassVar = pb.CreateLegalHoldRequest

    legal_hold: LegalHold = Field(description="The hold, with a person or a conversation and the reason.")

    @classmethod
    def read_pb(cls, message: pb.CreateLegalHoldRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("legal_hold"):
            data["legal_hold"] = LegalHold.read_pb(message.legal_hold)
        return data

    def to_pb(self) -> pb.CreateLegalHoldRequest:
        """Makes a protobuf message."""
        return pb.CreateLegalHoldRequest(
            legal_hold=None if self.legal_hold is None else self.legal_hold.to_pb(),
        )


class ReleaseLegalHoldRequest(ProtoModel):
    """Request of ReleaseLegalHold."""

    __proto__: ClassVar = pb.ReleaseLegalHoldRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the hold.")

    @classmethod
    def read_pb(cls, message: pb.ReleaseLegalHoldRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.ReleaseLegalHoldRequest:
        """Makes a protobuf message."""
        return pb.ReleaseLegalHoldRequest(
            id=self.id,
        )


class LegalHoldService(ABC):
    """Legal holds. Needs `superadmin`."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["LegalHoldService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListLegalHolds", "list_legal_holds", ListLegalHoldsRequest, ListLegalHoldsResponse),
        Method("CreateLegalHold", "create_legal_hold", CreateLegalHoldRequest, LegalHold),
        Method("ReleaseLegalHold", "release_legal_hold", ReleaseLegalHoldRequest, LegalHold),
    )

    @abstractmethod
    async def list_legal_holds(self, request: ListLegalHoldsRequest, call: CallContext) -> ListLegalHoldsResponse:
        """Lists the holds, the newest first. Needs `superadmin`; audited."""

    @abstractmethod
    async def create_legal_hold(self, request: CreateLegalHoldRequest, call: CallContext) -> LegalHold:
        """Places a hold on a person or on a conversation. Needs `superadmin`; audited. Errors: NOT_FOUND, VALIDATION_FAILED
        (neither or both are named).
        """

    @abstractmethod
    async def release_legal_hold(self, request: ReleaseLegalHoldRequest, call: CallContext) -> LegalHold:
        """Releases a hold: what it held is deleted from now on as rules and people say. A hold that is released stays listed.
        Needs `superadmin`; audited. Errors: NOT_FOUND.
        """
