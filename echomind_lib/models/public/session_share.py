"""

Generated from echomind/public/v1/session_share.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.chat_message import AnswerBasis, AuthorKind, MessageRole, MessageStatus
from echomind_lib.pb.echomind.public.v1 import session_share_pb2 as pb


class SessionShareStatus(ProtoEnum):
    """Status of a share. People who open it learn only whether it works."""

    UNSPECIFIED = "SESSION_SHARE_STATUS_UNSPECIFIED", 0
    """Unspecified."""
    OPEN = "SESSION_SHARE_STATUS_OPEN", 1
    """It can be opened."""
    EXPIRED = "SESSION_SHARE_STATUS_EXPIRED", 2
    """Expired."""
    SOURCES_LOST = "SESSION_SHARE_STATUS_SOURCES_LOST", 3
    """Its owner may no longer read a document that the session has drawn on, or the document was removed."""
    FORBIDDEN = "SESSION_SHARE_STATUS_FORBIDDEN", 4
    """Sharing is disabled for the installation."""
    SESSION_REMOVED = "SESSION_SHARE_STATUS_SESSION_REMOVED", 5
    """The session was removed. The link works again if the session is restored."""


class SessionShareRecipient(ProtoModel):
    """A person or a group that a session is shared with. A request names them by `user_name` or `group`, or by ID whom it is
    shared with already.
    """

    __proto__: ClassVar = pb.SessionShareRecipient

    user_id: Annotated[_t.Int32, Field(ge=0)] = Field(default=0, description="ID of the account; 0 for a group.")
    group_id: Annotated[_t.Int32, Field(ge=0)] = Field(default=0, description="ID of the group; 0 for a person.")
    user_name: Annotated[str, Field(max_length=320), _r.NAME] = Field(
        default="",
        description="The account's user name, or in a request its e-mail address, case-insensitively; empty for a group.",
    )
    group: Annotated[str, Field(max_length=255)] = Field(
        default="",
        description="Name of the group: one of the caller's own, or any for superadmins. Empty for a person.",
    )
    name: str = Field(
        default="",
        description="First and last name of the person, or the display name of the group; may be empty. Set by the server.",
    )

    @classmethod
    def read_pb(cls, message: pb.SessionShareRecipient) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "user_id": message.user_id,
            "group_id": message.group_id,
            "user_name": message.user_name,
            "group": message.group,
            "name": message.name,
        }
        return data

    def to_pb(self) -> pb.SessionShareRecipient:
        """Makes a protobuf message."""
        return pb.SessionShareRecipient(
            user_id=self.user_id,
            group_id=self.group_id,
            user_name=self.user_name,
            group=self.group,
            name=self.name,
        )


class SessionShare(ProtoModel):
    """A session as others read it, as of the time it was shared: by a link, without signing in, or as people and groups whom
    its owner has named.
    """

    __proto__: ClassVar = pb.SessionShare
    __enums__: ClassVar = {
        "status": SessionShareStatus,
    }

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    chat_session_id: _t.Int32 = Field(default=0, description="ID of the session; set by the server.")
    title: str = Field(
        default="", description="Title of the session when it was shared or refreshed; set by the server."
    )
    head_message_id: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0,
        description="ID of the last answer that readers see. In a request 0 means the last finished one of the current branch.",
    )
    expires_at: _t.Timestamp | None = Field(
        default=None, description="When the share expires: at most 365 days ahead. Empty in a request means in 30 days."
    )
    status: SessionShareStatus = Field(default=SessionShareStatus.UNSPECIFIED, description="Status; set by the server.")
    is_current: bool = Field(
        default=False, description="Whether readers see the current state of the session; set by the server."
    )
    last_access_at: _t.Timestamp | None = Field(
        default=None, description="When it was last opened, to the minute; empty if never."
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="Creation time; set by the server.")
    shared_at: _t.Timestamp | None = Field(
        default=None, description="When it was last refreshed, at first when it was created; set by the server."
    )
    shows_quotes: bool | None = Field(
        default=None,
        description="Whether readers see the cited words of the sources. Never those of a source whose own permissions decide who reads its documents. Unset in a request means that they do not, or that it stays as it is when refreshing.",
    )
    has_link: bool = Field(
        default=False,
        description="Whether it has a link. In a request whether to make one besides `recipients`; without them one is made anyway.",
    )
    recipients: Annotated[list[SessionShareRecipient], Field(max_length=200)] = Field(
        default_factory=list,
        description="The people and groups whom it is shared with, in the order in which they were named; ignored when refreshing.",
    )

    @classmethod
    def read_pb(cls, message: pb.SessionShare) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "chat_session_id": message.chat_session_id,
            "title": message.title,
            "head_message_id": message.head_message_id,
            "status": SessionShareStatus.numbers.get(message.status, message.status),
            "is_current": message.is_current,
            "has_link": message.has_link,
            "recipients": [SessionShareRecipient.read_pb(each) for each in message.recipients],
        }
        if message.HasField("expires_at"):
            data["expires_at"] = message.expires_at.ToDatetime(UTC)
        if message.HasField("last_access_at"):
            data["last_access_at"] = message.last_access_at.ToDatetime(UTC)
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("shared_at"):
            data["shared_at"] = message.shared_at.ToDatetime(UTC)
        if message.HasField("shows_quotes"):
            data["shows_quotes"] = message.shows_quotes
        return data

    def to_pb(self) -> pb.SessionShare:
        """Makes a protobuf message."""
        return pb.SessionShare(
            id=self.id,
            chat_session_id=self.chat_session_id,
            title=self.title,
            head_message_id=self.head_message_id,
            expires_at=self.expires_at,
            status=self.status.number,
            is_current=self.is_current,
            last_access_at=self.last_access_at,
            creation_date=self.creation_date,
            shared_at=self.shared_at,
            shows_quotes=self.shows_quotes,
            has_link=self.has_link,
            recipients=[each.to_pb() for each in self.recipients],
        )


class ReceivedShare(ProtoModel):
    """A session that somebody has shared with the caller, or with a group of theirs."""

    __proto__: ClassVar = pb.ReceivedShare

    id: _t.Int32 = Field(default=0, description="Identifier of the share.")
    title: str = Field(default="", description="Title of the session when it was shared or refreshed.")
    shared_by: str = Field(default="", description="Who shared it: first and last name, or else the user name.")
    shared_at: _t.Timestamp | None = Field(default=None, description="When it was shared or refreshed.")
    expires_at: _t.Timestamp | None = Field(default=None, description="When the share expires.")

    @classmethod
    def read_pb(cls, message: pb.ReceivedShare) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "title": message.title,
            "shared_by": message.shared_by,
        }
        if message.HasField("shared_at"):
            data["shared_at"] = message.shared_at.ToDatetime(UTC)
        if message.HasField("expires_at"):
            data["expires_at"] = message.expires_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.ReceivedShare:
        """Makes a protobuf message."""
        return pb.ReceivedShare(
            id=self.id,
            title=self.title,
            shared_by=self.shared_by,
            shared_at=self.shared_at,
            expires_at=self.expires_at,
        )


class SharedPassage(ProtoModel):
    """What a sentence of a shared answer cites."""

    __proto__: ClassVar = pb.SharedPassage

    sentence_start: _t.Int32 = Field(default=0, description="Start of the sentence in the answer, in code points.")
    sentence_end: _t.Int32 = Field(
        default=0, description="End of the sentence in the answer, in code points, exclusive."
    )
    page: _t.Int32 | None = Field(
        default=None, description="Page number, starting at 1; unset for documents without pages."
    )
    supported: bool = Field(
        default=False,
        description="Whether the source supports the sentence, according to a check at the time of the answer.",
    )
    quote: str = Field(
        default="",
        description="The cited words; empty unless the share shows quotes, and for a source whose own permissions decide.",
    )

    @classmethod
    def read_pb(cls, message: pb.SharedPassage) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "sentence_start": message.sentence_start,
            "sentence_end": message.sentence_end,
            "supported": message.supported,
            "quote": message.quote,
        }
        if message.HasField("page"):
            data["page"] = message.page
        return data

    def to_pb(self) -> pb.SharedPassage:
        """Makes a protobuf message."""
        return pb.SharedPassage(
            sentence_start=self.sentence_start,
            sentence_end=self.sentence_end,
            page=self.page,
            supported=self.supported,
            quote=self.quote,
        )


class SharedCitation(ProtoModel):
    """A source of a shared answer."""

    __proto__: ClassVar = pb.SharedCitation

    number: _t.Int32 = Field(default=0, description="The number in the answer, as in `[1]`.")
    title: str = Field(default="", description="The document's or web page's title.")
    passages: list[SharedPassage] = Field(
        default_factory=list, description="What cites it, in the order of the sentences."
    )
    url: str = Field(default="", description="Address of the web page; empty for a document.")

    @classmethod
    def read_pb(cls, message: pb.SharedCitation) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "number": message.number,
            "title": message.title,
            "passages": [SharedPassage.read_pb(each) for each in message.passages],
            "url": message.url,
        }
        return data

    def to_pb(self) -> pb.SharedCitation:
        """Makes a protobuf message."""
        return pb.SharedCitation(
            number=self.number,
            title=self.title,
            passages=[each.to_pb() for each in self.passages],
            url=self.url,
        )


class SharedMessage(ProtoModel):
    """A question or an answer of a shared session."""

    __proto__: ClassVar = pb.SharedMessage
    __enums__: ClassVar = {
        "role": MessageRole,
        "status": MessageStatus,
        "author_kind": AuthorKind,
        "basis": AnswerBasis,
    }

    role: MessageRole = Field(default=MessageRole.UNSPECIFIED, description="Its author.")
    content: str = Field(default="", description="The text, in Markdown.")
    status: MessageStatus = Field(default=MessageStatus.UNSPECIFIED, description="Status of the message.")
    citations: list[SharedCitation] = Field(
        default_factory=list, description="Its sources without duplicates, by number."
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="Time at which it was stored.")
    author_kind: AuthorKind = Field(
        default=AuthorKind.UNSPECIFIED,
        description="Who wrote it: the owner of the shared session (`AUTHOR_KIND_PERSON`), the assistant, somebody else, or unknown.",
    )
    basis: AnswerBasis = Field(
        default=AnswerBasis.UNSPECIFIED, description="What the answer stands on; unspecified for questions."
    )
    used_other_tools: bool = Field(
        default=False,
        description="Whether the answer was written after reading something besides documents, such as a web page or what another service returned.",
    )

    @classmethod
    def read_pb(cls, message: pb.SharedMessage) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "role": MessageRole.numbers.get(message.role, message.role),
            "content": message.content,
            "status": MessageStatus.numbers.get(message.status, message.status),
            "citations": [SharedCitation.read_pb(each) for each in message.citations],
            "author_kind": AuthorKind.numbers.get(message.author_kind, message.author_kind),
            "basis": AnswerBasis.numbers.get(message.basis, message.basis),
            "used_other_tools": message.used_other_tools,
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.SharedMessage:
        """Makes a protobuf message."""
        return pb.SharedMessage(
            role=self.role.number,
            content=self.content,
            status=self.status.number,
            citations=[each.to_pb() for each in self.citations],
            creation_date=self.creation_date,
            author_kind=self.author_kind.number,
            basis=self.basis.number,
            used_other_tools=self.used_other_tools,
        )


class SharedSession(ProtoModel):
    """A session as shown by a share."""

    __proto__: ClassVar = pb.SharedSession

    title: str = Field(default="", description="Its title when it was shared or refreshed.")
    messages: list[SharedMessage] = Field(default_factory=list, description="The messages, oldest first.")
    shared_at: _t.Timestamp | None = Field(default=None, description="When it was shared or refreshed.")
    expires_at: _t.Timestamp | None = Field(default=None, description="When the share expires.")
    can_fork: bool = Field(
        default=False,
        description="Whether the reader may fork it: they are signed in and may read all documents that it has drawn on.",
    )
    shared_by: str = Field(
        default="", description="Who shared it: first and last name, or else the user name. Empty by a link."
    )

    @classmethod
    def read_pb(cls, message: pb.SharedSession) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "title": message.title,
            "messages": [SharedMessage.read_pb(each) for each in message.messages],
            "can_fork": message.can_fork,
            "shared_by": message.shared_by,
        }
        if message.HasField("shared_at"):
            data["shared_at"] = message.shared_at.ToDatetime(UTC)
        if message.HasField("expires_at"):
            data["expires_at"] = message.expires_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.SharedSession:
        """Makes a protobuf message."""
        return pb.SharedSession(
            title=self.title,
            messages=[each.to_pb() for each in self.messages],
            shared_at=self.shared_at,
            expires_at=self.expires_at,
            can_fork=self.can_fork,
            shared_by=self.shared_by,
        )
