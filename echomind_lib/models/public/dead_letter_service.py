"""

Generated from echomind/public/v1/dead_letter_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.dead_letter import DeadLetter
from echomind_lib.pb.echomind.public.v1 import dead_letter_service_pb2 as pb


class ListDeadLettersRequest(ProtoModel):
    """Request of ListDeadLetters."""

    __proto__: ClassVar = pb.ListDeadLettersRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )
    kind: Annotated[str, Field(max_length=50)] = Field(
        default="", description="Only jobs of this kind; empty means all."
    )

    @classmethod
    def read_pb(cls, message: pb.ListDeadLettersRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
            "kind": message.kind,
        }
        return data

    def to_pb(self) -> pb.ListDeadLettersRequest:
        """Makes a protobuf message."""
        return pb.ListDeadLettersRequest(
            page_size=self.page_size,
            page_token=self.page_token,
            kind=self.kind,
        )


class ListDeadLettersResponse(ProtoModel):
    """Response of ListDeadLetters."""

    __proto__: ClassVar = pb.ListDeadLettersResponse

    dead_letters: list[DeadLetter] = Field(default_factory=list, description="The dead letters.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListDeadLettersResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "dead_letters": [DeadLetter.read_pb(each) for each in message.dead_letters],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListDeadLettersResponse:
        """Makes a protobuf message."""
        return pb.ListDeadLettersResponse(
            dead_letters=[each.to_pb() for each in self.dead_letters],
            next_page_token=self.next_page_token,
        )


class GetDeadLetterRequest(ProtoModel):
    """Request of GetDeadLetter."""

    __proto__: ClassVar = pb.GetDeadLetterRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the dead letter.")

    @classmethod
    def read_pb(cls, message: pb.GetDeadLetterRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetDeadLetterRequest:
        """Makes a protobuf message."""
        return pb.GetDeadLetterRequest(
            id=self.id,
        )


class ReplayDeadLetterRequest(ProtoModel):
    """Request of ReplayDeadLetter."""

    __proto__: ClassVar = pb.ReplayDeadLetterRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the dead letter.")

    @classmethod
    def read_pb(cls, message: pb.ReplayDeadLetterRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.ReplayDeadLetterRequest:
        """Makes a protobuf message."""
        return pb.ReplayDeadLetterRequest(
            id=self.id,
        )


class DiscardDeadLetterRequest(ProtoModel):
    """Request of DiscardDeadLetter."""

    __proto__: ClassVar = pb.DiscardDeadLetterRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the dead letter.")

    @classmethod
    def read_pb(cls, message: pb.DiscardDeadLetterRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DiscardDeadLetterRequest:
        """Makes a protobuf message."""
        return pb.DiscardDeadLetterRequest(
            id=self.id,
        )


class DeadLetterService(ABC):
    """Background jobs that failed for good. Documents that cannot be read, runs and syncs that failed are listed where they
    belong. Needs `superadmin`.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["DeadLetterService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListDeadLetters", "list_dead_letters", ListDeadLettersRequest, ListDeadLettersResponse),
        Method("GetDeadLetter", "get_dead_letter", GetDeadLetterRequest, DeadLetter),
        Method("ReplayDeadLetter", "replay_dead_letter", ReplayDeadLetterRequest, Empty),
        Method("DiscardDeadLetter", "discard_dead_letter", DiscardDeadLetterRequest, Empty),
    )

    @abstractmethod
    async def list_dead_letters(self, request: ListDeadLettersRequest, call: CallContext) -> ListDeadLettersResponse:
        """Lists dead letters, the newest jobs first. Needs `superadmin`."""

    @abstractmethod
    async def get_dead_letter(self, request: GetDeadLetterRequest, call: CallContext) -> DeadLetter:
        """Reads one dead letter. Needs `superadmin`. Errors: NOT_FOUND (also for a job that did not fail, and for one that was
        discarded).
        """

    @abstractmethod
    async def replay_dead_letter(self, request: ReplayDeadLetterRequest, call: CallContext) -> Empty:
        """Puts a dead letter back into its queue, with all its attempts; a job that is waiting, running or completed already is
        left as it is, so that repeating the call has no effect. Needs `superadmin`; audited. Errors: NOT_FOUND (there is no
        such job, or it was discarded).
        """

    @abstractmethod
    async def discard_dead_letter(self, request: DiscardDeadLetterRequest, call: CallContext) -> Empty:
        """Takes a dead letter off the list: its job stays undone until something requests it again. Repeating the call has no
        effect. Needs `superadmin`; audited. Errors: NOT_FOUND (no such job has failed).
        """
