"""

Generated from echomind/public/v1/group_service.proto by tools/pydantic_plugin: change that, then `make gen`.
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
from echomind_lib.models.public.group import Group, GroupMember, GroupPatch
from echomind_lib.pb.echomind.public.v1 import group_service_pb2 as pb


class ListGroupsRequest(ProtoModel):
    """Request of ListGroups."""

    __proto__: ClassVar = pb.ListGroupsRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )
    query: Annotated[str, Field(max_length=255)] = Field(
        default="",
        description="Only groups whose name or description contains this text, case-insensitively; empty means all.",
    )

    @classmethod
    def read_pb(cls, message: pb.ListGroupsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
            "query": message.query,
        }
        return data

    def to_pb(self) -> pb.ListGroupsRequest:
        """Makes a protobuf message."""
        return pb.ListGroupsRequest(
            page_size=self.page_size,
            page_token=self.page_token,
            query=self.query,
        )


class ListGroupsResponse(ProtoModel):
    """Response of ListGroups."""

    __proto__: ClassVar = pb.ListGroupsResponse

    groups: list[Group] = Field(default_factory=list, description="The groups, by name.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListGroupsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "groups": [Group.read_pb(each) for each in message.groups],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListGroupsResponse:
        """Makes a protobuf message."""
        return pb.ListGroupsResponse(
            groups=[each.to_pb() for each in self.groups],
            next_page_token=self.next_page_token,
        )


class GetGroupRequest(ProtoModel):
    """Request of GetGroup."""

    __proto__: ClassVar = pb.GetGroupRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the group.")

    @classmethod
    def read_pb(cls, message: pb.GetGroupRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetGroupRequest:
        """Makes a protobuf message."""
        return pb.GetGroupRequest(
            id=self.id,
        )


class CreateGroupRequest(ProtoModel):
    """Request of CreateGroup."""

    __proto__: ClassVar = pb.CreateGroupRequest

    group: Group = Field(description="The group; `name` is required.")

    @classmethod
    def read_pb(cls, message: pb.CreateGroupRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("group"):
            data["group"] = Group.read_pb(message.group)
        return data

    def to_pb(self) -> pb.CreateGroupRequest:
        """Makes a protobuf message."""
        return pb.CreateGroupRequest(
            group=None if self.group is None else self.group.to_pb(),
        )


class UpdateGroupRequest(UpdateModel):
    """Request of UpdateGroup."""

    __proto__: ClassVar = pb.UpdateGroupRequest
    __resource__: ClassVar = ("group", GroupPatch)

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the group.")
    group: GroupPatch = Field(description="The new values.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "id",
            "name",
            "description",
            "member_count",
            "connector_count",
            "creation_date",
            "last_update",
            "updated_by",
            "updated_by_name",
            "display_name",
            "admin_count",
            "can_manage",
            "assistant_count",
            "service_account_count",
        ),
    ] = Field(description="Fields to change. Over REST, taken from the keys of the body.")

    @classmethod
    def read_pb(cls, message: pb.UpdateGroupRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("group"):
            data["group"] = Group.read_pb(message.group)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateGroupRequest:
        """Makes a protobuf message."""
        return pb.UpdateGroupRequest(
            id=self.id,
            group=None if self.group is None else self.group.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class DeleteGroupRequest(ProtoModel):
    """Request of DeleteGroup."""

    __proto__: ClassVar = pb.DeleteGroupRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the group.")

    @classmethod
    def read_pb(cls, message: pb.DeleteGroupRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteGroupRequest:
        """Makes a protobuf message."""
        return pb.DeleteGroupRequest(
            id=self.id,
        )


class AddGroupMembersRequest(ProtoModel):
    """Request of AddGroupMembers."""

    __proto__: ClassVar = pb.AddGroupMembersRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the group.")
    user_ids: Annotated[list[Annotated[_t.Int32, Field(gt=0)]], Field(max_length=1000), _r.UNIQUE] = Field(
        default_factory=list, description="IDs of the accounts, for the role `superadmin`."
    )
    user_names: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=320)]], Field(max_length=1000), _r.UNIQUE
    ] = Field(
        default_factory=list,
        description="User names or e-mail addresses of active accounts, case-insensitively; together with `user_ids`.",
    )

    @classmethod
    def read_pb(cls, message: pb.AddGroupMembersRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "user_ids": list(message.user_ids),
            "user_names": list(message.user_names),
        }
        return data

    def to_pb(self) -> pb.AddGroupMembersRequest:
        """Makes a protobuf message."""
        return pb.AddGroupMembersRequest(
            id=self.id,
            user_ids=self.user_ids,
            user_names=self.user_names,
        )


class RemoveGroupMembersRequest(ProtoModel):
    """Request of RemoveGroupMembers."""

    __proto__: ClassVar = pb.RemoveGroupMembersRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the group.")
    user_ids: Annotated[list[Annotated[_t.Int32, Field(gt=0)]], Field(min_length=1, max_length=1000), _r.UNIQUE] = (
        Field(description="IDs of the accounts.")
    )

    @classmethod
    def read_pb(cls, message: pb.RemoveGroupMembersRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "user_ids": list(message.user_ids),
        }
        return data

    def to_pb(self) -> pb.RemoveGroupMembersRequest:
        """Makes a protobuf message."""
        return pb.RemoveGroupMembersRequest(
            id=self.id,
            user_ids=self.user_ids,
        )


class ListGroupMembersRequest(ProtoModel):
    """Request of ListGroupMembers."""

    __proto__: ClassVar = pb.ListGroupMembersRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the group.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListGroupMembersRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListGroupMembersRequest:
        """Makes a protobuf message."""
        return pb.ListGroupMembersRequest(
            id=self.id,
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListGroupMembersResponse(ProtoModel):
    """Response of ListGroupMembers."""

    __proto__: ClassVar = pb.ListGroupMembersResponse

    members: list[GroupMember] = Field(default_factory=list, description="The members, by user name.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListGroupMembersResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "members": [GroupMember.read_pb(each) for each in message.members],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListGroupMembersResponse:
        """Makes a protobuf message."""
        return pb.ListGroupMembersResponse(
            members=[each.to_pb() for each in self.members],
            next_page_token=self.next_page_token,
        )


class SetGroupAdminRequest(ProtoModel):
    """Request of SetGroupAdmin."""

    __proto__: ClassVar = pb.SetGroupAdminRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the group.")
    user_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the member's account.")
    is_admin: bool = Field(default=False, description="Whether they are to be an admin of the group.")

    @classmethod
    def read_pb(cls, message: pb.SetGroupAdminRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "user_id": message.user_id,
            "is_admin": message.is_admin,
        }
        return data

    def to_pb(self) -> pb.SetGroupAdminRequest:
        """Makes a protobuf message."""
        return pb.SetGroupAdminRequest(
            id=self.id,
            user_id=self.user_id,
            is_admin=self.is_admin,
        )


class GroupService(ABC):
    """Groups of users. A group is also created when an account is given its name. Members can be admins of their group: they
    read it, and add and remove its members.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["GroupService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListGroups", "list_groups", ListGroupsRequest, ListGroupsResponse),
        Method("GetGroup", "get_group", GetGroupRequest, Group),
        Method("CreateGroup", "create_group", CreateGroupRequest, Group),
        Method("UpdateGroup", "update_group", UpdateGroupRequest, Group),
        Method("DeleteGroup", "delete_group", DeleteGroupRequest, Empty),
        Method("AddGroupMembers", "add_group_members", AddGroupMembersRequest, Group),
        Method("RemoveGroupMembers", "remove_group_members", RemoveGroupMembersRequest, Group),
        Method("ListGroupMembers", "list_group_members", ListGroupMembersRequest, ListGroupMembersResponse),
        Method("SetGroupAdmin", "set_group_admin", SetGroupAdminRequest, GroupMember),
    )

    @abstractmethod
    async def list_groups(self, request: ListGroupsRequest, call: CallContext) -> ListGroupsResponse:
        """Lists groups by name: all for the role `admin`, otherwise those that the caller is an admin of."""

    @abstractmethod
    async def get_group(self, request: GetGroupRequest, call: CallContext) -> Group:
        """Reads one group. Needs the role `admin`, or an admin of the group. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_group(self, request: CreateGroupRequest, call: CallContext) -> Group:
        """Creates a group without members. Needs `superadmin`; a key needs the scope `administer`. Errors: ALREADY_EXISTS,
        PERMISSION_DENIED.
        """

    @abstractmethod
    async def update_group(self, request: UpdateGroupRequest, call: CallContext) -> Group:
        """Updates a group's `display_name` and `description`. Needs `superadmin`; a key needs the scope `administer`. Errors: NOT_FOUND,
        PERMISSION_DENIED, VALIDATION_FAILED (`name` is immutable).
        """

    @abstractmethod
    async def delete_group(self, request: DeleteGroupRequest, call: CallContext) -> Empty:
        """Deletes a group and all its memberships. Needs `superadmin`; a key needs the scope `administer`. Errors: NOT_FOUND,
        PERMISSION_DENIED, VALIDATION_FAILED (connectors, assistants or datasets are shared with it, service
        accounts belong to it, or it has quotas).
        """

    @abstractmethod
    async def add_group_members(self, request: AddGroupMembersRequest, call: CallContext) -> Group:
        """Adds accounts to a group; existing members stay. Needs `superadmin`, or an admin of the group, who names people by
        `user_names`, and service accounts only if they manage them; a key needs the scope `administer` and no expiry. Errors: NOT_FOUND (the group, or one of the accounts:
        then none is added), PERMISSION_DENIED, VALIDATION_FAILED (nobody is named).
        """

    @abstractmethod
    async def remove_group_members(self, request: RemoveGroupMembersRequest, call: CallContext) -> Group:
        """Removes accounts from a group: they lose access to its connectors within a minute, and are no admins of it any more.
        Needs `superadmin`, or an admin of the group; a key needs the scope `administer`. Errors: NOT_FOUND (the group, or
        one of the accounts), INVALID_ARGUMENT (a provider or a SCIM client gives one of the memberships; a service account
        belongs to the group), PERMISSION_DENIED.
        """

    @abstractmethod
    async def list_group_members(self, request: ListGroupMembersRequest, call: CallContext) -> ListGroupMembersResponse:
        """Lists the members of a group by user name, with the sources of each membership. Needs the role `admin`, or an admin
        of the group. Errors: NOT_FOUND.
        """

    @abstractmethod
    async def set_group_admin(self, request: SetGroupAdminRequest, call: CallContext) -> GroupMember:
        """Makes a member an admin of their group, or no admin any more. Needs `superadmin`; a key needs the scope `administer`
        and no expiry. Errors: NOT_FOUND (the group, or such a member), PERMISSION_DENIED, VALIDATION_FAILED (the member is
        a service account).
        """
