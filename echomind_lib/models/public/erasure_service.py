"""

Generated from echomind/public/v1/erasure_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Method, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.erasure import Erasure
from echomind_lib.pb.echomind.public.v1 import erasure_service_pb2 as pb


class ListErasuresRequest(ProtoModel):
    """Request of ListErasures."""

    __proto__: ClassVar = pb.ListErasuresRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(default="", description="Token of the previous page; empty for the first page.")

    @classmethod
    def read_pb(cls, message: pb.ListErasuresRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListErasuresRequest:
        """Makes a protobuf message."""
        return pb.ListErasuresRequest(
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListErasuresResponse(ProtoModel):
    """Response of ListErasures."""

    __proto__: ClassVar = pb.ListErasuresResponse

    erasures: list[Erasure] = Field(default_factory=list, description="The reports.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListErasuresResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "erasures": [Erasure.read_pb(each) for each in message.erasures],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListErasuresResponse:
        """Makes a protobuf message."""
        return pb.ListErasuresResponse(
            erasures=[each.to_pb() for each in self.erasures],
            next_page_token=self.next_page_token,
        )


class PreviewErasureRequest(ProtoModel):
    """Request of PreviewErasure."""

    __proto__: ClassVar = pb.PreviewErasureRequest

    user_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the account.")

    @classmethod
    def read_pb(cls, message: pb.PreviewErasureRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "user_id": message.user_id,
        }
        return data

    def to_pb(self) -> pb.PreviewErasureRequest:
        """Makes a protobuf message."""
        return pb.PreviewErasureRequest(
            user_id=self.user_id,
        )


class EraseUserRequest(ProtoModel):
    """Request of EraseUser."""

    __proto__: ClassVar = pb.EraseUserRequest

    user_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the account.")

    @classmethod
    def read_pb(cls, message: pb.EraseUserRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "user_id": message.user_id,
        }
        return data

    def to_pb(self) -> pb.EraseUserRequest:
        """Makes a protobuf message."""
        return pb.EraseUserRequest(
            user_id=self.user_id,
        )


class ErasureService(ABC):
    """Erasure of people. Needs `superadmin`."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["ErasureService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListErasures", "list_erasures", ListErasuresRequest, ListErasuresResponse),
        Method("PreviewErasure", "preview_erasure", PreviewErasureRequest, Erasure),
        Method("EraseUser", "erase_user", EraseUserRequest, Erasure),
    )

    @abstractmethod
    async def list_erasures(self, request: ListErasuresRequest, call: CallContext) -> ListErasuresResponse:
        """Lists the reports of erased people, also of erasures that are not completed, the newest first. Needs `superadmin`."""

    @abstractmethod
    async def preview_erasure(self, request: PreviewErasureRequest, call: CallContext) -> Erasure:
        """Counts what an erasure would delete, hand over and keep. Needs `superadmin`; audited. Errors: NOT_FOUND."""

    @abstractmethod
    async def erase_user(self, request: EraseUserRequest, call: CallContext) -> Erasure:
        """Erases a person: deletes the account with all that belongs to it, as PurgeUser does, and reports what was deleted,
        handed over and kept. What takes longer than some seconds continues after the response, in the state
        ERASURE_STATE_RUNNING; an interrupted erasure is continued within two minutes. Asking again waits for a running
        one. Activating the account cancels it. Files and passages of private documents, and vectors of memories, are
        deleted in the background. Needs `superadmin`; audited. Errors: NOT_FOUND, VALIDATION_FAILED (it is the caller's
        own account, or the last active superadmin), DELETION_HELD (a legal hold is on the person or on something of
        theirs).
        """
