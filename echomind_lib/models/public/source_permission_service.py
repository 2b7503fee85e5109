"""

Generated from echomind/public/v1/source_permission_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Method, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.source_permission import (
    DocumentReader,
    SourceAlias,
    SourceGroup,
    SourcePerson,
    SourcePersonMapping,
)
from echomind_lib.pb.echomind.public.v1 import source_permission_service_pb2 as pb


class ListSourcePeopleRequest(ProtoModel):
    """Request of ListSourcePeople."""

    __proto__: ClassVar = pb.ListSourcePeopleRequest
    __enums__: ClassVar = {
        "mapping": SourcePersonMapping,
    }

    connector_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="The connector.")
    unmapped_only: bool = Field(default=False, description="Only people who are not mapped to an account.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )
    query: Annotated[str, Field(max_length=200)] = Field(
        default="",
        description="Only people whose name, e-mail address or principal contains this text, case-insensitively; empty means all.",
    )
    mapping: SourcePersonMapping = Field(
        default=SourcePersonMapping.UNSPECIFIED, description="Only people with this mapping; unspecified means all."
    )

    @classmethod
    def read_pb(cls, message: pb.ListSourcePeopleRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "connector_id": message.connector_id,
            "unmapped_only": message.unmapped_only,
            "page_size": message.page_size,
            "page_token": message.page_token,
            "query": message.query,
            "mapping": SourcePersonMapping.numbers.get(message.mapping, message.mapping),
        }
        return data

    def to_pb(self) -> pb.ListSourcePeopleRequest:
        """Makes a protobuf message."""
        return pb.ListSourcePeopleRequest(
            connector_id=self.connector_id,
            unmapped_only=self.unmapped_only,
            page_size=self.page_size,
            page_token=self.page_token,
            query=self.query,
            mapping=self.mapping.number,
        )


class ListSourcePeopleResponse(ProtoModel):
    """Response of ListSourcePeople."""

    __proto__: ClassVar = pb.ListSourcePeopleResponse

    people: list[SourcePerson] = Field(
        default_factory=list, description="The people, in the order in which they were first seen."
    )
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListSourcePeopleResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "people": [SourcePerson.read_pb(each) for each in message.people],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListSourcePeopleResponse:
        """Makes a protobuf message."""
        return pb.ListSourcePeopleResponse(
            people=[each.to_pb() for each in self.people],
            next_page_token=self.next_page_token,
        )


class ListSourceGroupsRequest(ProtoModel):
    """Request of ListSourceGroups."""

    __proto__: ClassVar = pb.ListSourceGroupsRequest

    connector_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="The connector.")
    query: Annotated[str, Field(max_length=200)] = Field(
        default="",
        description="Only groups whose name, e-mail address or principal contains this text, case-insensitively; empty means all.",
    )
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListSourceGroupsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "connector_id": message.connector_id,
            "query": message.query,
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListSourceGroupsRequest:
        """Makes a protobuf message."""
        return pb.ListSourceGroupsRequest(
            connector_id=self.connector_id,
            query=self.query,
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListSourceGroupsResponse(ProtoModel):
    """Response of ListSourceGroups."""

    __proto__: ClassVar = pb.ListSourceGroupsResponse

    groups: list[SourceGroup] = Field(
        default_factory=list, description="The groups, in the order in which they were first seen."
    )
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListSourceGroupsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "groups": [SourceGroup.read_pb(each) for each in message.groups],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListSourceGroupsResponse:
        """Makes a protobuf message."""
        return pb.ListSourceGroupsResponse(
            groups=[each.to_pb() for each in self.groups],
            next_page_token=self.next_page_token,
        )


class SetSourceAliasRequest(ProtoModel):
    """Request of SetSourceAlias."""

    __proto__: ClassVar = pb.SetSourceAliasRequest

    key: Annotated[str, Field(max_length=1000, pattern="^user:")] = Field(
        description="The principal of the person, starting with `user:`; applies to every connector that knows it."
    )
    user_id: Annotated[_t.Int32, Field(ge=0)] = Field(default=0, description="ID of the account; 0 removes the alias.")

    @classmethod
    def read_pb(cls, message: pb.SetSourceAliasRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "key": message.key,
            "user_id": message.user_id,
        }
        return data

    def to_pb(self) -> pb.SetSourceAliasRequest:
        """Makes a protobuf message."""
        return pb.SetSourceAliasRequest(
            key=self.key,
            user_id=self.user_id,
        )


class SetSourceAliasResponse(ProtoModel):
    """Response of SetSourceAlias."""

    __proto__: ClassVar = pb.SetSourceAliasResponse


class ListSourceAliasesRequest(ProtoModel):
    """Request of ListSourceAliases."""

    __proto__: ClassVar = pb.ListSourceAliasesRequest

    query: Annotated[str, Field(max_length=200)] = Field(
        default="",
        description="Only aliases whose principal, person's name or e-mail address, or account's name contains this, in any case; empty means all.",
    )
    unused_only: bool = Field(
        default=False,
        description="Only aliases without effect: of people whom no source knows, or of accounts that were deleted.",
    )
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(default=0, description="How many at most; 0 means 50.")
    page_token: str = Field(default="", description="Where to continue: `next_page_token` of the page before.")

    @classmethod
    def read_pb(cls, message: pb.ListSourceAliasesRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "query": message.query,
            "unused_only": message.unused_only,
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListSourceAliasesRequest:
        """Makes a protobuf message."""
        return pb.ListSourceAliasesRequest(
            query=self.query,
            unused_only=self.unused_only,
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListSourceAliasesResponse(ProtoModel):
    """Response of ListSourceAliases."""

    __proto__: ClassVar = pb.ListSourceAliasesResponse

    aliases: list[SourceAlias] = Field(default_factory=list, description="The aliases, by their keys.")
    next_page_token: str = Field(default="", description="Where the next page begins; empty on the last one.")

    @classmethod
    def read_pb(cls, message: pb.ListSourceAliasesResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "aliases": [SourceAlias.read_pb(each) for each in message.aliases],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListSourceAliasesResponse:
        """Makes a protobuf message."""
        return pb.ListSourceAliasesResponse(
            aliases=[each.to_pb() for each in self.aliases],
            next_page_token=self.next_page_token,
        )


class ListDocumentReadersRequest(ProtoModel):
    """Request of ListDocumentReaders."""

    __proto__: ClassVar = pb.ListDocumentReadersRequest

    document_id: Annotated[_t.Int64, Field(gt=0)] = Field(description="The document.")

    @classmethod
    def read_pb(cls, message: pb.ListDocumentReadersRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "document_id": message.document_id,
        }
        return data

    def to_pb(self) -> pb.ListDocumentReadersRequest:
        """Makes a protobuf message."""
        return pb.ListDocumentReadersRequest(
            document_id=self.document_id,
        )


class ListDocumentReadersResponse(ProtoModel):
    """Response of ListDocumentReaders."""

    __proto__: ClassVar = pb.ListDocumentReadersResponse

    by_source: bool = Field(
        default=False,
        description="Whether the source decides; otherwise everyone to whom the connector is visible can read it.",
    )
    readers: list[DocumentReader] = Field(default_factory=list, description="The readers at the source, at most 1,000.")

    @classmethod
    def read_pb(cls, message: pb.ListDocumentReadersResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "by_source": message.by_source,
            "readers": [DocumentReader.read_pb(each) for each in message.readers],
        }
        return data

    def to_pb(self) -> pb.ListDocumentReadersResponse:
        """Makes a protobuf message."""
        return pb.ListDocumentReadersResponse(
            by_source=self.by_source,
            readers=[each.to_pb() for each in self.readers],
        )


class SourcePermissionService(ABC):
    """Permissions at the source, and the mapping of its people to accounts, for connectors with the permission mode
    `source`.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["SourcePermissionService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListSourcePeople", "list_source_people", ListSourcePeopleRequest, ListSourcePeopleResponse),
        Method("ListSourceGroups", "list_source_groups", ListSourceGroupsRequest, ListSourceGroupsResponse),
        Method("SetSourceAlias", "set_source_alias", SetSourceAliasRequest, SetSourceAliasResponse),
        Method("ListSourceAliases", "list_source_aliases", ListSourceAliasesRequest, ListSourceAliasesResponse),
        Method("ListDocumentReaders", "list_document_readers", ListDocumentReadersRequest, ListDocumentReadersResponse),
    )

    @abstractmethod
    async def list_source_people(self, request: ListSourcePeopleRequest, call: CallContext) -> ListSourcePeopleResponse:
        """Lists the people of a connector's source. Needs `superadmin`. Errors: NOT_FOUND."""

    @abstractmethod
    async def list_source_groups(self, request: ListSourceGroupsRequest, call: CallContext) -> ListSourceGroupsResponse:
        """Lists the groups of a connector's source with which documents are shared. Needs `superadmin`. Errors: NOT_FOUND."""

    @abstractmethod
    async def set_source_alias(self, request: SetSourceAliasRequest, call: CallContext) -> SetSourceAliasResponse:
        """Maps a person of sources to an account, regardless of their e-mail address; takes effect immediately. Needs
        `superadmin`; a key needs the scope `administer`; audited. Errors: NOT_FOUND.
        """

    @abstractmethod
    async def list_source_aliases(
        self, request: ListSourceAliasesRequest, call: CallContext
    ) -> ListSourceAliasesResponse:
        """Lists all aliases, including those of people whom no source knows any more. Needs `superadmin`."""

    @abstractmethod
    async def list_document_readers(
        self, request: ListDocumentReadersRequest, call: CallContext
    ) -> ListDocumentReadersResponse:
        """Lists who may read a document at its source. The caller must be able to read the document and manage its connector.
        Empty if only the scope of the connector decides. Errors: NOT_FOUND, PERMISSION_DENIED.
        """
