"""

Generated from echomind/public/v1/directory_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Method, ProtoModel
from echomind_lib.models.public.directory import DirectoryGroup, DirectoryPerson
from echomind_lib.pb.echomind.public.v1 import directory_service_pb2 as pb


class SearchDirectoryRequest(ProtoModel):
    """Request of SearchDirectory."""

    __proto__: ClassVar = pb.SearchDirectoryRequest

    query: Annotated[str, Field(min_length=1, max_length=320)] = Field(
        description="The text, compared case-insensitively."
    )

    @classmethod
    def read_pb(cls, message: pb.SearchDirectoryRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "query": message.query,
        }
        return data

    def to_pb(self) -> pb.SearchDirectoryRequest:
        """Makes a protobuf message."""
        return pb.SearchDirectoryRequest(
            query=self.query,
        )


class SearchDirectoryResponse(ProtoModel):
    """Response of SearchDirectory."""

    __proto__: ClassVar = pb.SearchDirectoryResponse

    people: list[DirectoryPerson] = Field(default_factory=list, description="People, at most 20.")
    groups: list[DirectoryGroup] = Field(default_factory=list, description="Groups, at most 20.")
    is_truncated: bool = Field(default=False, description="Whether more match than are listed.")

    @classmethod
    def read_pb(cls, message: pb.SearchDirectoryResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "people": [DirectoryPerson.read_pb(each) for each in message.people],
            "groups": [DirectoryGroup.read_pb(each) for each in message.groups],
            "is_truncated": message.is_truncated,
        }
        return data

    def to_pb(self) -> pb.SearchDirectoryResponse:
        """Makes a protobuf message."""
        return pb.SearchDirectoryResponse(
            people=[each.to_pb() for each in self.people],
            groups=[each.to_pb() for each in self.groups],
            is_truncated=self.is_truncated,
        )


class DirectoryService(ABC):
    """Whom one can share with: people and groups, for pickers that search while their user types."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["DirectoryService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("SearchDirectory", "search_directory", SearchDirectoryRequest, SearchDirectoryResponse),
    )

    @abstractmethod
    async def search_directory(self, request: SearchDirectoryRequest, call: CallContext) -> SearchDirectoryResponse:
        """Finds active people by a part of their name or user name, or by their whole e-mail address, and groups by a part of
        their name; at most 20 of each, those whose name begins with the text first. Everybody finds the groups that they
        are in, and superadmins all. The setting `auth.directory` decides whom users find: everyone, or people of their
        groups and those whom they name in full. Admins find everyone, also by a part of the address. The caller is not
        listed.
        """
