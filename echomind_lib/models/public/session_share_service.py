"""

Generated from echomind/public/v1/session_share_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.chat_session import ChatSession
from echomind_lib.models.public.session_share import ReceivedShare, SessionShare, SessionShareRecipient, SharedSession
from echomind_lib.pb.echomind.public.v1 import session_share_service_pb2 as pb


class ListSessionSharesRequest(ProtoModel):
    """Request of ListSessionShares."""

    __proto__: ClassVar = pb.ListSessionSharesRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )
    chat_session_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Only shares of this session; 0 means all."
    )

    @classmethod
    def read_pb(cls, message: pb.ListSessionSharesRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
            "chat_session_id": message.chat_session_id,
        }
        return data

    def to_pb(self) -> pb.ListSessionSharesRequest:
        """Makes a protobuf message."""
        return pb.ListSessionSharesRequest(
            page_size=self.page_size,
            page_token=self.page_token,
            chat_session_id=self.chat_session_id,
        )


class ListSessionSharesResponse(ProtoModel):
    """Response of ListSessionShares."""

    __proto__: ClassVar = pb.ListSessionSharesResponse

    session_shares: list[SessionShare] = Field(default_factory=list, description="The shares, newest first.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListSessionSharesResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "session_shares": [SessionShare.read_pb(each) for each in message.session_shares],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListSessionSharesResponse:
        """Makes a protobuf message."""
        return pb.ListSessionSharesResponse(
            session_shares=[each.to_pb() for each in self.session_shares],
            next_page_token=self.next_page_token,
        )


class CreateSessionShareRequest(ProtoModel):
    """Request of CreateSessionShare."""

    __proto__: ClassVar = pb.CreateSessionShareRequest

    chat_session_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the session.")
    session_share: SessionShare | None = Field(
        default=None,
        description="The last answer, the expiry, whether quotes are shown, the people and groups, and whether there is a link.",
    )

    @classmethod
    def read_pb(cls, message: pb.CreateSessionShareRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "chat_session_id": message.chat_session_id,
        }
        if message.HasField("session_share"):
            data["session_share"] = SessionShare.read_pb(message.session_share)
        return data

    def to_pb(self) -> pb.CreateSessionShareRequest:
        """Makes a protobuf message."""
        return pb.CreateSessionShareRequest(
            chat_session_id=self.chat_session_id,
            session_share=None if self.session_share is None else self.session_share.to_pb(),
        )


class CreateSessionShareResponse(ProtoModel):
    """Response of CreateSessionShare."""

    __proto__: ClassVar = pb.CreateSessionShareResponse

    session_share: SessionShare | None = Field(default=None, description="The share.")
    path: str = Field(
        default="",
        description="Path of the link with its secret, relative to the address of the server; returned only once. Empty without a link.",
    )

    @classmethod
    def read_pb(cls, message: pb.CreateSessionShareResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "path": message.path,
        }
        if message.HasField("session_share"):
            data["session_share"] = SessionShare.read_pb(message.session_share)
        return data

    def to_pb(self) -> pb.CreateSessionShareResponse:
        """Makes a protobuf message."""
        return pb.CreateSessionShareResponse(
            session_share=None if self.session_share is None else self.session_share.to_pb(),
            path=self.path,
        )


class PreviewSessionShareRequest(ProtoModel):
    """Request of PreviewSessionShare."""

    __proto__: ClassVar = pb.PreviewSessionShareRequest

    chat_session_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the session.")
    session_share: SessionShare | None = Field(
        default=None, description="The last answer, the expiry, and whether quotes are shown."
    )

    @classmethod
    def read_pb(cls, message: pb.PreviewSessionShareRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "chat_session_id": message.chat_session_id,
        }
        if message.HasField("session_share"):
            data["session_share"] = SessionShare.read_pb(message.session_share)
        return data

    def to_pb(self) -> pb.PreviewSessionShareRequest:
        """Makes a protobuf message."""
        return pb.PreviewSessionShareRequest(
            chat_session_id=self.chat_session_id,
            session_share=None if self.session_share is None else self.session_share.to_pb(),
        )


class AddSessionShareRecipientsRequest(ProtoModel):
    """Request of AddSessionShareRecipients."""

    __proto__: ClassVar = pb.AddSessionShareRecipientsRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the share.")
    recipients: Annotated[list[SessionShareRecipient], Field(min_length=1, max_length=200)] = Field(
        description="The people and groups; those whom it is shared with already are ignored."
    )

    @classmethod
    def read_pb(cls, message: pb.AddSessionShareRecipientsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "recipients": [SessionShareRecipient.read_pb(each) for each in message.recipients],
        }
        return data

    def to_pb(self) -> pb.AddSessionShareRecipientsRequest:
        """Makes a protobuf message."""
        return pb.AddSessionShareRecipientsRequest(
            id=self.id,
            recipients=[each.to_pb() for each in self.recipients],
        )


class RemoveSessionShareRecipientsRequest(ProtoModel):
    """Request of RemoveSessionShareRecipients."""

    __proto__: ClassVar = pb.RemoveSessionShareRecipientsRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the share.")
    recipients: Annotated[list[SessionShareRecipient], Field(min_length=1, max_length=200)] = Field(
        description="The people and groups."
    )

    @classmethod
    def read_pb(cls, message: pb.RemoveSessionShareRecipientsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "recipients": [SessionShareRecipient.read_pb(each) for each in message.recipients],
        }
        return data

    def to_pb(self) -> pb.RemoveSessionShareRecipientsRequest:
        """Makes a protobuf message."""
        return pb.RemoveSessionShareRecipientsRequest(
            id=self.id,
            recipients=[each.to_pb() for each in self.recipients],
        )


class RefreshSessionShareRequest(ProtoModel):
    """Request of RefreshSessionShare."""

    __proto__: ClassVar = pb.RefreshSessionShareRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the share.")
    session_share: SessionShare | None = Field(
        default=None,
        description="The last answer, the expiry and whether quotes are shown; empty means the last finished answer, and keeps the others.",
    )

    @classmethod
    def read_pb(cls, message: pb.RefreshSessionShareRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("session_share"):
            data["session_share"] = SessionShare.read_pb(message.session_share)
        return data

    def to_pb(self) -> pb.RefreshSessionShareRequest:
        """Makes a protobuf message."""
        return pb.RefreshSessionShareRequest(
            id=self.id,
            session_share=None if self.session_share is None else self.session_share.to_pb(),
        )


class DeleteSessionShareRequest(ProtoModel):
    """Request of DeleteSessionShare."""

    __proto__: ClassVar = pb.DeleteSessionShareRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the share.")

    @classmethod
    def read_pb(cls, message: pb.DeleteSessionShareRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteSessionShareRequest:
        """Makes a protobuf message."""
        return pb.DeleteSessionShareRequest(
            id=self.id,
        )


class ReadSharedSessionRequest(ProtoModel):
    """Request of ReadSharedSession."""

    __proto__: ClassVar = pb.ReadSharedSessionRequest

    token: Annotated[str, Field(min_length=1, max_length=1024)] = Field(description="The last part of the link.")

    @classmethod
    def read_pb(cls, message: pb.ReadSharedSessionRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "token": message.token,
        }
        return data

    def to_pb(self) -> pb.ReadSharedSessionRequest:
        """Makes a protobuf message."""
        return pb.ReadSharedSessionRequest(
            token=self.token,
        )


class ForkSharedSessionRequest(ProtoModel):
    """Request of ForkSharedSession."""

    __proto__: ClassVar = pb.ForkSharedSessionRequest

    token: Annotated[str, Field(min_length=1, max_length=1024)] = Field(description="The last part of the link.")
    title: Annotated[str, Field(max_length=500), _r.NAME] = Field(
        default="", description="Title of the new session; empty means the title of the shared one."
    )

    @classmethod
    def read_pb(cls, message: pb.ForkSharedSessionRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "token": message.token,
            "title": message.title,
        }
        return data

    def to_pb(self) -> pb.ForkSharedSessionRequest:
        """Makes a protobuf message."""
        return pb.ForkSharedSessionRequest(
            token=self.token,
            title=self.title,
        )


class ListReceivedSharesRequest(ProtoModel):
    """Request of ListReceivedShares."""

    __proto__: ClassVar = pb.ListReceivedSharesRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListReceivedSharesRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListReceivedSharesRequest:
        """Makes a protobuf message."""
        return pb.ListReceivedSharesRequest(
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListReceivedSharesResponse(ProtoModel):
    """Response of ListReceivedShares."""

    __proto__: ClassVar = pb.ListReceivedSharesResponse

    received_shares: list[ReceivedShare] = Field(
        default_factory=list, description="What is shared with the caller, newest first."
    )
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListReceivedSharesResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "received_shares": [ReceivedShare.read_pb(each) for each in message.received_shares],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListReceivedSharesResponse:
        """Makes a protobuf message."""
        return pb.ListReceivedSharesResponse(
            received_shares=[each.to_pb() for each in self.received_shares],
            next_page_token=self.next_page_token,
        )


class ReadReceivedShareRequest(ProtoModel):
    """Request of ReadReceivedShare."""

    __proto__: ClassVar = pb.ReadReceivedShareRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the share.")

    @classmethod
    def read_pb(cls, message: pb.ReadReceivedShareRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.ReadReceivedShareRequest:
        """Makes a protobuf message."""
        return pb.ReadReceivedShareRequest(
            id=self.id,
        )


class ForkReceivedShareRequest(ProtoModel):
    """Request of ForkReceivedShare."""

    __proto__: ClassVar = pb.ForkReceivedShareRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the share.")
    title: Annotated[str, Field(max_length=500), _r.NAME] = Field(
        default="", description="Title of the new session; empty means the title of the shared one."
    )

    @classmethod
    def read_pb(cls, message: pb.ForkReceivedShareRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "title": message.title,
        }
        return data

    def to_pb(self) -> pb.ForkReceivedShareRequest:
        """Makes a protobuf message."""
        return pb.ForkReceivedShareRequest(
            id=self.id,
            title=self.title,
        )


class SessionShareService(ABC):
    """Shares of the caller's sessions, and the sessions that are shared with them, or with everybody who has a link."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["SessionShareService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListSessionShares", "list_session_shares", ListSessionSharesRequest, ListSessionSharesResponse),
        Method("CreateSessionShare", "create_session_share", CreateSessionShareRequest, CreateSessionShareResponse),
        Method("PreviewSessionShare", "preview_session_share", PreviewSessionShareRequest, SharedSession),
        Method("RefreshSessionShare", "refresh_session_share", RefreshSessionShareRequest, SessionShare),
        Method(
            "AddSessionShareRecipients", "add_session_share_recipients", AddSessionShareRecipientsRequest, SessionShare
        ),
        Method(
            "RemoveSessionShareRecipients",
            "remove_session_share_recipients",
            RemoveSessionShareRecipientsRequest,
            SessionShare,
        ),
        Method("DeleteSessionShare", "delete_session_share", DeleteSessionShareRequest, Empty),
        Method("ReadSharedSession", "read_shared_session", ReadSharedSessionRequest, SharedSession),
        Method("ForkSharedSession", "fork_shared_session", ForkSharedSessionRequest, ChatSession),
        Method("ListReceivedShares", "list_received_shares", ListReceivedSharesRequest, ListReceivedSharesResponse),
        Method("ReadReceivedShare", "read_received_share", ReadReceivedShareRequest, SharedSession),
        Method("ForkReceivedShare", "fork_received_share", ForkReceivedShareRequest, ChatSession),
    )

    @abstractmethod
    async def list_session_shares(
        self, request: ListSessionSharesRequest, call: CallContext
    ) -> ListSessionSharesResponse:
        """Lists the caller's shares that are not revoked, newest first, without the secrets of links. Errors: NOT_FOUND (the
        session).
        """

    @abstractmethod
    async def create_session_share(
        self, request: CreateSessionShareRequest, call: CallContext
    ) -> CreateSessionShareResponse:
        """Shares the current state of a session, up to an answer: with the named people and groups, who find it among what is
        shared with them, and by a link, which is returned by this call only. Without people and groups a link is always
        made. Only for the session's owner; audited. A share that is created with an API key expires no later than
        the key. Errors: NOT_FOUND (also a person or group), PERMISSION_DENIED (sharing is disabled, or the owner may not
        read all documents that the session has drawn on), VALIDATION_FAILED (there is no finished answer), RUN_ACTIVE (the
        answer is still being written).
        """

    @abstractmethod
    async def preview_session_share(self, request: PreviewSessionShareRequest, call: CallContext) -> SharedSession:
        """Returns what a share would show its readers, without creating it. Only for the session's owner. Errors: as
        CreateSessionShare.
        """

    @abstractmethod
    async def refresh_session_share(self, request: RefreshSessionShareRequest, call: CallContext) -> SessionShare:
        """Updates a share to the current state of the session. Its link and recipients do not change, nor does its expiry
        unless a new one is given. Audited. Errors: as CreateSessionShare.
        """

    @abstractmethod
    async def add_session_share_recipients(
        self, request: AddSessionShareRecipientsRequest, call: CallContext
    ) -> SessionShare:
        """Shares it with further people and groups. Audited. Errors: NOT_FOUND (also a person or group), VALIDATION_FAILED
        (too many).
        """

    @abstractmethod
    async def remove_session_share_recipients(
        self, request: RemoveSessionShareRecipientsRequest, call: CallContext
    ) -> SessionShare:
        """Takes it back from people and groups, who cannot open it any more from this moment, unless by its link or a group.
        Audited. Errors: NOT_FOUND (also if it is not shared with one of them).
        """

    @abstractmethod
    async def delete_session_share(self, request: DeleteSessionShareRequest, call: CallContext) -> Empty:
        """Revokes a share: it stops working immediately and permanently, for everybody. Audited. Errors: NOT_FOUND."""

    @abstractmethod
    async def read_shared_session(self, request: ReadSharedSessionRequest, call: CallContext) -> SharedSession:
        """Reads what a link shows: texts, titles and pages of sources, the quotes that its owner chose to show, and nothing
        else of the session. Requires no authentication, unless the installation's settings demand it. A link that is
        unknown, expired or revoked, or that does not work for any other reason, returns the same NOT_FOUND; too many of
        them from one address return OVERLOADED.
        """

    @abstractmethod
    async def fork_shared_session(self, request: ForkSharedSessionRequest, call: CallContext) -> ChatSession:
        """Creates a session of the caller with the messages that a link shows. The caller must have the right to read all
        documents that the session has drawn on. Audited. Errors: NOT_FOUND (as ReadSharedSession), PERMISSION_DENIED.
        """

    @abstractmethod
    async def list_received_shares(
        self, request: ListReceivedSharesRequest, call: CallContext
    ) -> ListReceivedSharesResponse:
        """Lists what others have shared with the caller, or with a group of theirs, and they can open now; newest first."""

    @abstractmethod
    async def read_received_share(self, request: ReadReceivedShareRequest, call: CallContext) -> SharedSession:
        """Reads what is shared with the caller, as ReadSharedSession, without a link. Errors: NOT_FOUND (whatever the reason:
        it expired, was revoked or taken back, the caller left the group, or it does not work for another reason).
        """

    @abstractmethod
    async def fork_received_share(self, request: ForkReceivedShareRequest, call: CallContext) -> ChatSession:
        """Creates a session of the caller with the messages of a session that is shared with them, as ForkSharedSession.
        Audited. Errors: NOT_FOUND (as ReadReceivedShare), PERMISSION_DENIED.
        """
