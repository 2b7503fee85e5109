"""

Generated from echomind/public/v1/user_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from typing import Annotated, Any, ClassVar

from google.protobuf import field_mask_pb2
from google.protobuf.message import Message
from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoEnum, ProtoModel, UpdateModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.common import AccountKind, Role
from echomind_lib.models.public.user import AccessItem, AccessKind, User, UserPatch
from echomind_lib.models.public.user_event import UserEvent
from echomind_lib.pb.echomind.public.v1 import user_service_pb2 as pb


class UserState(ProtoEnum):
    """State of an account."""

    UNSPECIFIED = "USER_STATE_UNSPECIFIED", 0
    """Unspecified."""
    ACTIVE = "USER_STATE_ACTIVE", 1
    """Active: can sign in."""
    DEACTIVATED = "USER_STATE_DEACTIVATED", 2
    """Deactivated: cannot sign in."""


class UserOrder(ProtoEnum):
    """Sort order of accounts."""

    UNSPECIFIED = "USER_ORDER_UNSPECIFIED", 0
    """Unspecified."""
    USER_NAME = "USER_ORDER_USER_NAME", 1
    """By user name, case-insensitively."""
    EMAIL = "USER_ORDER_EMAIL", 2
    """By e-mail address, case-insensitively."""
    LAST_LOGIN = "USER_ORDER_LAST_LOGIN", 3
    """By last sign-in; accounts that have never signed in count as oldest."""


class SetEmailVerifiedRequest(ProtoModel):
    """Request of SetEmailVerified."""

    __proto__: ClassVar = pb.SetEmailVerifiedRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the account.")
    is_verified: bool = Field(default=False, description="Whether the address is verified.")

    @classmethod
    def read_pb(cls, message: pb.SetEmailVerifiedRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "is_verified": message.is_verified,
        }
        return data

    def to_pb(self) -> pb.SetEmailVerifiedRequest:
        """Makes a protobuf message."""
        return pb.SetEmailVerifiedRequest(
            id=self.id,
            is_verified=self.is_verified,
        )


class StreamUserEventsRequest(ProtoModel):
    """Request of StreamUserEvents."""

    __proto__: ClassVar = pb.StreamUserEventsRequest


class UpdateCurrentUserRequest(UpdateModel):
    """Request of UpdateCurrentUser."""

    __proto__: ClassVar = pb.UpdateCurrentUserRequest
    __resource__: ClassVar = ("user", UserPatch)

    user: UserPatch = Field(description="The new values.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "id",
            "user_name",
            "email",
            "first_name",
            "last_name",
            "roles",
            "groups",
            "is_active",
            "creation_date",
            "last_update",
            "last_login",
            "preferences",
            "is_email_verified",
            "external_id",
            "memberships",
            "updated_by",
            "updated_by_name",
            "kind",
        ),
    ] = Field(description="Fields to change. Over REST, taken from the keys of the body.")

    @classmethod
    def read_pb(cls, message: pb.UpdateCurrentUserRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("user"):
            data["user"] = User.read_pb(message.user)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateCurrentUserRequest:
        """Makes a protobuf message."""
        return pb.UpdateCurrentUserRequest(
            user=None if self.user is None else self.user.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class ListUsersRequest(ProtoModel):
    """Request of ListUsers."""

    __proto__: ClassVar = pb.ListUsersRequest
    __enums__: ClassVar = {
        "role": Role,
        "state": UserState,
        "order": UserOrder,
        "kind": AccountKind,
    }

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )
    query: Annotated[str, Field(max_length=255)] = Field(
        default="",
        description="Only accounts whose user name, e-mail address or name contains this text, case-insensitively; empty means all.",
    )
    role: Role = Field(
        default=Role.UNSPECIFIED,
        description="Only accounts with this role, or one that includes it; unspecified means all.",
    )
    group: Annotated[str, Field(max_length=255)] = Field(
        default="", description="Only members of the group with this name; empty means all."
    )
    state: UserState = Field(
        default=UserState.UNSPECIFIED, description="Only accounts in this state; unspecified means all."
    )
    order: UserOrder = Field(default=UserOrder.UNSPECIFIED, description="Sort order; unspecified means by ID.")
    descending: bool = Field(default=False, description="Whether the order is reversed.")
    kind: AccountKind = Field(
        default=AccountKind.UNSPECIFIED, description="Only accounts of this kind; unspecified means all."
    )

    @classmethod
    def read_pb(cls, message: pb.ListUsersRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
            "query": message.query,
            "role": Role.numbers.get(message.role, message.role),
            "group": message.group,
            "state": UserState.numbers.get(message.state, message.state),
            "order": UserOrder.numbers.get(message.order, message.order),
            "descending": message.descending,
            "kind": AccountKind.numbers.get(message.kind, message.kind),
        }
        return data

    def to_pb(self) -> pb.ListUsersRequest:
        """Makes a protobuf message."""
        return pb.ListUsersRequest(
            page_size=self.page_size,
            page_token=self.page_token,
            query=self.query,
            role=self.role.number,
            group=self.group,
            state=self.state.number,
            order=self.order.number,
            descending=self.descending,
            kind=self.kind.number,
        )


class ListUsersResponse(ProtoModel):
    """Response of ListUsers."""

    __proto__: ClassVar = pb.ListUsersResponse

    users: list[User] = Field(default_factory=list, description="The accounts.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")
    total_size: _t.Int32 = Field(default=0, description="Total number of matching accounts.")

    @classmethod
    def read_pb(cls, message: pb.ListUsersResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "users": [User.read_pb(each) for each in message.users],
            "next_page_token": message.next_page_token,
            "total_size": message.total_size,
        }
        return data

    def to_pb(self) -> pb.ListUsersResponse:
        """Makes a protobuf message."""
        return pb.ListUsersResponse(
            users=[each.to_pb() for each in self.users],
            next_page_token=self.next_page_token,
            total_size=self.total_size,
        )


class ListUserAccessRequest(ProtoModel):
    """Request of ListUserAccess."""

    __proto__: ClassVar = pb.ListUserAccessRequest
    __enums__: ClassVar = {
        "kind": AccessKind,
    }

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the account.")
    kind: Annotated[AccessKind, _r.none_of(AccessKind.UNSPECIFIED)] = Field(description="What to list.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListUserAccessRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "kind": AccessKind.numbers.get(message.kind, message.kind),
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListUserAccessRequest:
        """Makes a protobuf message."""
        return pb.ListUserAccessRequest(
            id=self.id,
            kind=self.kind.number,
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListUserAccessResponse(ProtoModel):
    """Response of ListUserAccess."""

    __proto__: ClassVar = pb.ListUserAccessResponse

    items: list[AccessItem] = Field(
        default_factory=list, description="What the person sees, in the order of their own lists."
    )
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListUserAccessResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "items": [AccessItem.read_pb(each) for each in message.items],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListUserAccessResponse:
        """Makes a protobuf message."""
        return pb.ListUserAccessResponse(
            items=[each.to_pb() for each in self.items],
            next_page_token=self.next_page_token,
        )


class GetUserRequest(ProtoModel):
    """Request of GetUser."""

    __proto__: ClassVar = pb.GetUserRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the account.")

    @classmethod
    def read_pb(cls, message: pb.GetUserRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetUserRequest:
        """Makes a protobuf message."""
        return pb.GetUserRequest(
            id=self.id,
        )


class CreateUserRequest(ProtoModel):
    """Request of CreateUser."""

    __proto__: ClassVar = pb.CreateUserRequest

    user: User = Field(description="The account; `user_name` is required.")

    @classmethod
    def read_pb(cls, message: pb.CreateUserRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("user"):
            data["user"] = User.read_pb(message.user)
        return data

    def to_pb(self) -> pb.CreateUserRequest:
        """Makes a protobuf message."""
        return pb.CreateUserRequest(
            user=None if self.user is None else self.user.to_pb(),
        )


class UpdateUserRequest(UpdateModel):
    """Request of UpdateUser."""

    __proto__: ClassVar = pb.UpdateUserRequest
    __resource__: ClassVar = ("user", UserPatch)

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the account.")
    user: UserPatch = Field(description="The new values.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "id",
            "user_name",
            "email",
            "first_name",
            "last_name",
            "roles",
            "groups",
            "is_active",
            "creation_date",
            "last_update",
            "last_login",
            "preferences",
            "is_email_verified",
            "external_id",
            "memberships",
            "updated_by",
            "updated_by_name",
            "kind",
        ),
    ] = Field(description="Fields to change. Over REST, taken from the keys of the body.")

    @classmethod
    def read_pb(cls, message: pb.UpdateUserRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("user"):
            data["user"] = User.read_pb(message.user)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateUserRequest:
        """Makes a protobuf message."""
        return pb.UpdateUserRequest(
            id=self.id,
            user=None if self.user is None else self.user.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class PurgeUserRequest(ProtoModel):
    """Request of PurgeUser."""

    __proto__: ClassVar = pb.PurgeUserRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the account.")

    @classmethod
    def read_pb(cls, message: pb.PurgeUserRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.PurgeUserRequest:
        """Makes a protobuf message."""
        return pb.PurgeUserRequest(
            id=self.id,
        )


class SignOutUserRequest(ProtoModel):
    """Request of SignOutUser."""

    __proto__: ClassVar = pb.SignOutUserRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the account.")
    revoke_api_keys: bool = Field(default=False, description="Whether to revoke the account's API keys as well.")

    @classmethod
    def read_pb(cls, message: pb.SignOutUserRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "revoke_api_keys": message.revoke_api_keys,
        }
        return data

    def to_pb(self) -> pb.SignOutUserRequest:
        """Makes a protobuf message."""
        return pb.SignOutUserRequest(
            id=self.id,
            revoke_api_keys=self.revoke_api_keys,
        )


class UserService(ABC):
    """Users: the caller's own profile, and the administration of accounts."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["UserService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("GetCurrentUser", "get_current_user", Empty, User),
        Method("StreamUserEvents", "stream_user_events", StreamUserEventsRequest, UserEvent, streams=True),
        Method("UpdateCurrentUser", "update_current_user", UpdateCurrentUserRequest, User),
        Method("ListUsers", "list_users", ListUsersRequest, ListUsersResponse),
        Method("ListUserAccess", "list_user_access", ListUserAccessRequest, ListUserAccessResponse),
        Method("GetUser", "get_user", GetUserRequest, User),
        Method("CreateUser", "create_user", CreateUserRequest, User),
        Method("UpdateUser", "update_user", UpdateUserRequest, User),
        Method("SignOutUser", "sign_out_user", SignOutUserRequest, Empty),
        Method("SetEmailVerified", "set_email_verified", SetEmailVerifiedRequest, User),
        Method("PurgeUser", "purge_user", PurgeUserRequest, Empty),
    )

    @abstractmethod
    async def get_current_user(self, request: Empty, call: CallContext) -> User:
        """Reads the caller's own profile."""

    @abstractmethod
    def stream_user_events(
        self, request: StreamUserEventsRequest, call: CallContext
    ) -> AsyncIterator[UserEvent | Message]:
        """Streams what changes for the caller, so that clients can refresh lists: the first event is RESYNC, then one for
        each changed item; several changes of an item may be one event. The stream stays open as that of
        StreamSessionEvents. Errors: UNAUTHENTICATED (the credential has expired), DEPENDENCY_UNAVAILABLE (EchoMind stops:
        connect again), OVERLOADED (too many open streams).
        """

    @abstractmethod
    async def update_current_user(self, request: UpdateCurrentUserRequest, call: CallContext) -> User:
        """Updates the caller's own profile: `first_name`, `last_name`, `preferences`."""

    @abstractmethod
    async def list_users(self, request: ListUsersRequest, call: CallContext) -> ListUsersResponse:
        """Lists accounts, filtered and sorted. Needs `admin`."""

    @abstractmethod
    async def list_user_access(self, request: ListUserAccessRequest, call: CallContext) -> ListUserAccessResponse:
        """Lists what a person sees in their own lists, by the same rules: connectors, documents, assistants, notebooks,
        knowledge. It shows names and no contents, changes nothing, and is in the audit log. A deactivated person sees
        nothing. Needs `superadmin`. Errors: NOT_FOUND, PERMISSION_DENIED.
        """

    @abstractmethod
    async def get_user(self, request: GetUserRequest, call: CallContext) -> User:
        """Reads an account: the caller's own, or with `admin` any."""

    @abstractmethod
    async def create_user(self, request: CreateUserRequest, call: CallContext) -> User:
        """Creates an account, in local mode. Needs `superadmin`; a key needs the scope `administer` and no expiry. Errors:
        ALREADY_EXISTS, AUTH_MODE, PERMISSION_DENIED (metadata `required`: `superadmin`, `administer`,
        `lasting_credential`).
        """

    @abstractmethod
    async def update_user(self, request: UpdateUserRequest, call: CallContext) -> User:
        """Updates an account: names, `roles`, `groups`, `is_active`. Needs `superadmin`; a key needs the scope `administer`.
        A key that expires cannot add a role or group, change the user name or e-mail address, or activate an account, as
        these changes would outlast it. Errors: ALREADY_EXISTS, NOT_FOUND, PERMISSION_DENIED (metadata `required`:
        `superadmin`, `administer`, `lasting_credential`), VALIDATION_FAILED.
        """

    @abstractmethod
    async def sign_out_user(self, request: SignOutUserRequest, call: CallContext) -> Empty:
        """Signs a user out everywhere: ends the account's web sessions, sign-in links and password links. Needs `superadmin`;
        a key needs the scope `administer`; audited. Errors: NOT_FOUND, PERMISSION_DENIED (metadata `required`:
        `superadmin`, `administer`).
        """

    @abstractmethod
    async def set_email_verified(self, request: SetEmailVerifiedRequest, call: CallContext) -> User:
        """Sets whether an account's e-mail address is verified. A verified address gives the user access here to what its
        owner may read at a source. Needs `superadmin`; a key needs the scope `administer`; audited. Errors: NOT_FOUND,
        PERMISSION_DENIED (metadata `required`: `superadmin`, `administer`).
        """

    @abstractmethod
    async def purge_user(self, request: PurgeUserRequest, call: CallContext) -> Empty:
        """Deletes an account permanently, with its keys, sign-ins, memories and feedback and all of its conversations, whose
        runs are cancelled first. Its private connectors are removed with their documents, which are deleted in the
        background; connectors that it shares are transferred to the caller. A response does not mean that it is done: what
        takes longer than some seconds continues, and something may prevent it, such as a legal hold placed meanwhile; the
        account is inactive at once. ListErasures has how far it is, and EraseUser returns it. Needs `superadmin`; a key
        needs the scope `administer`; audited. Errors: NOT_FOUND, VALIDATION_FAILED (it is the caller's own account, or the
        last active superadmin), DELETION_HELD (a legal hold is on the person or on something of theirs).
        """
