"""

Generated from echomind/public/v1/notebook.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import PatchModel, ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.chat_session import ChatSession
from echomind_lib.models.public.common import Scope
from echomind_lib.pb.echomind.public.v1 import notebook_pb2 as pb


class NotebookRole(ProtoEnum):
    """Role of a member of a notebook; owners can do what editors can, and editors what viewers can."""

    UNSPECIFIED = "NOTEBOOK_ROLE_UNSPECIFIED", 0
    """Unspecified; when reading a notebook: the caller is no member."""
    OWNER = "NOTEBOOK_ROLE_OWNER", 1
    """Can change everything, including members, and delete the notebook."""
    EDITOR = "NOTEBOOK_ROLE_EDITOR", 2
    """Can change title, description, instructions, sources and further tools, and ask."""
    VIEWER = "NOTEBOOK_ROLE_VIEWER", 3
    """Can read and ask."""


class NotebookTemplate(ProtoEnum):
    """A predefined question to start with in a notebook."""

    UNSPECIFIED = "NOTEBOOK_TEMPLATE_UNSPECIFIED", 0
    """Unspecified."""
    SUMMARY = "NOTEBOOK_TEMPLATE_SUMMARY", 1
    """A summary of the sources, with suggested questions."""
    BRIEFING = "NOTEBOOK_TEMPLATE_BRIEFING", 2
    """A briefing: background, main points, open questions."""
    COMPARISON = "NOTEBOOK_TEMPLATE_COMPARISON", 3
    """A comparison: where the sources agree and differ."""
    TABLE = "NOTEBOOK_TEMPLATE_TABLE", 4
    """A table with a row for each source and a column for each of `fields`."""


class Notebook(ProtoModel):
    """Sources with instructions that several people ask together."""

    __proto__: ClassVar = pb.Notebook
    __enums__: ClassVar = {
        "role": NotebookRole,
    }

    id: _t.Int64 = Field(default=0, description="Identifier; set by the server.")
    user_id: _t.Int32 = Field(default=0, description="ID of its creator; set by the server.")
    title: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(description="Its title.")
    description: Annotated[str, Field(max_length=2000)] = Field(
        default="", description="Its description; may be empty."
    )
    instructions: Annotated[str, Field(max_length=8000)] = Field(
        default="", description="Instructions for answers, part of every prompt of its conversations. May be empty."
    )
    role: NotebookRole = Field(default=NotebookRole.UNSPECIFIED, description="Role of the caller; set by the server.")
    source_count: _t.Int32 = Field(default=0, description="Number of its sources; set by the server.")
    member_count: _t.Int32 = Field(
        default=0,
        description="Number of its people, each counted once: members by themselves and through groups. Set by the server.",
    )
    session_count: _t.Int32 = Field(default=0, description="Number of its conversations; set by the server.")
    creation_date: _t.Timestamp | None = Field(default=None, description="Creation time; set by the server.")
    last_update: _t.Timestamp | None = Field(
        default=None, description="Time of the last change; empty if never changed."
    )
    deleted_date: _t.Timestamp | None = Field(
        default=None,
        description="When it was removed; it is deleted permanently 30 days later. Empty if it is not removed.",
    )
    user_name: str = Field(
        default="", description="Name of its creator: first and last name, or else the user name; set by the server."
    )
    updated_by: _t.Int32 = Field(
        default=0,
        description="ID of the person who made the last change; 0 if nobody did, and for everyone but its owners and editors. Set by the server.",
    )
    updated_by_name: str = Field(
        default="",
        description="Their first and last name, or else the user name; empty if `updated_by` is 0. Set by the server.",
    )
    tools: Annotated[
        list[Annotated[str, Field(max_length=200, pattern="^[A-Za-z0-9_.-]+\\*?$")]], Field(max_length=50), _r.UNIQUE
    ] = Field(
        default_factory=list,
        description="Names of the tools that answers may use besides its sources: those that return text from elsewhere, such as `search_web`, and tools of MCP servers, such as `wiki__search`. A `*` at the end of a name matches any suffix. Answers use those that the assistant of the person who asks has. Empty means that answers use the sources alone.",
    )
    instructions_author_id: _t.Int32 = Field(
        default=0,
        description="ID of the person who wrote the instructions; 0 if there are none, if several people did or nobody knows who, and for everyone but its owners and editors. A change of another person's instructions makes it 0, unless nothing of them remains. Set by the server.",
    )
    instructions_author_name: str = Field(
        default="",
        description="Their first and last name, or else the user name; empty if `instructions_author_id` is 0. Set by the server.",
    )
    is_written_by_caller: bool = Field(
        default=False,
        description="Whether the caller wrote both title and instructions. If not, both are untrusted text for the caller: tools with side effects need approval from the first question on. Set by the server.",
    )

    @classmethod
    def read_pb(cls, message: pb.Notebook) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "user_id": message.user_id,
            "title": message.title,
            "description": message.description,
            "instructions": message.instructions,
            "role": NotebookRole.numbers.get(message.role, message.role),
            "source_count": message.source_count,
            "member_count": message.member_count,
            "session_count": message.session_count,
            "user_name": message.user_name,
            "updated_by": message.updated_by,
            "updated_by_name": message.updated_by_name,
            "tools": list(message.tools),
            "instructions_author_id": message.instructions_author_id,
            "instructions_author_name": message.instructions_author_name,
            "is_written_by_caller": message.is_written_by_caller,
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        if message.HasField("deleted_date"):
            data["deleted_date"] = message.deleted_date.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.Notebook:
        """Makes a protobuf message."""
        return pb.Notebook(
            id=self.id,
            user_id=self.user_id,
            title=self.title,
            description=self.description,
            instructions=self.instructions,
            role=self.role.number,
            source_count=self.source_count,
            member_count=self.member_count,
            session_count=self.session_count,
            creation_date=self.creation_date,
            last_update=self.last_update,
            deleted_date=self.deleted_date,
            user_name=self.user_name,
            updated_by=self.updated_by,
            updated_by_name=self.updated_by_name,
            tools=self.tools,
            instructions_author_id=self.instructions_author_id,
            instructions_author_name=self.instructions_author_name,
            is_written_by_caller=self.is_written_by_caller,
        )


class NotebookPatch(PatchModel, Notebook):
    """New values of Notebook: what is not given stays as it is, null resets to the default."""

    title: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(default="", description="Its title.")


class NotebookSource(ProtoModel):
    """A source of a notebook: a connector with all its documents, or one document."""

    __proto__: ClassVar = pb.NotebookSource
    __enums__: ClassVar = {
        "access_scope": Scope,
    }

    id: _t.Int64 = Field(default=0, description="Identifier; set by the server.")
    connector_id: _t.Int32 | None = Field(default=None, description="ID of the connector; unset for a document.")
    document_id: _t.Int64 | None = Field(default=None, description="ID of the document; unset for a connector.")
    title: str = Field(
        default="",
        description="Its title or name; empty if the caller may not read it. Then their answers do not use it.",
    )
    is_readable: bool = Field(default=False, description="Whether the caller may read it.")
    user_id: _t.Int32 | None = Field(
        default=None, description="ID of the user who added it; unset if the account was purged."
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="Time at which it was added.")
    documents: _t.Int32 = Field(default=0, description="Number of its documents that the caller may read.")
    documents_ready: _t.Int32 = Field(default=0, description="Number of these that are indexed: answers use them.")
    documents_failed: _t.Int32 = Field(
        default=0, description="Number of these that could not be read. The others are queued or being read."
    )
    status_message: str = Field(
        default="",
        description="Why the document could not be read, or what is wrong with the connector's last sync; may be empty.",
    )
    unreadable_by: list[_t.Int32] = Field(
        default_factory=list,
        description="IDs of the people who are members by themselves and may not read it, so that their answers do not use it. For editors; empty for others.",
    )
    access_scope: Scope = Field(
        default=Scope.UNSPECIFIED,
        description="Whom GiveNotebookAccess would make it visible to; unspecified if the caller cannot give access.",
    )
    access_group: str = Field(default="", description="Name of the group for SCOPE_GROUP, empty otherwise.")
    unreadable_by_groups: list[_t.Int32] = Field(
        default_factory=list,
        description="IDs of the groups in the notebook with somebody who may not read it. For editors; empty for others.",
    )

    @classmethod
    def read_pb(cls, message: pb.NotebookSource) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "title": message.title,
            "is_readable": message.is_readable,
            "documents": message.documents,
            "documents_ready": message.documents_ready,
            "documents_failed": message.documents_failed,
            "status_message": message.status_message,
            "unreadable_by": list(message.unreadable_by),
            "access_scope": Scope.numbers.get(message.access_scope, message.access_scope),
            "access_group": message.access_group,
            "unreadable_by_groups": list(message.unreadable_by_groups),
        }
        if message.HasField("connector_id"):
            data["connector_id"] = message.connector_id
        if message.HasField("document_id"):
            data["document_id"] = message.document_id
        if message.HasField("user_id"):
            data["user_id"] = message.user_id
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.NotebookSource:
        """Makes a protobuf message."""
        return pb.NotebookSource(
            id=self.id,
            connector_id=self.connector_id,
            document_id=self.document_id,
            title=self.title,
            is_readable=self.is_readable,
            user_id=self.user_id,
            creation_date=self.creation_date,
            documents=self.documents,
            documents_ready=self.documents_ready,
            documents_failed=self.documents_failed,
            status_message=self.status_message,
            unreadable_by=self.unreadable_by,
            access_scope=self.access_scope.number,
            access_group=self.access_group,
            unreadable_by_groups=self.unreadable_by_groups,
        )


class NotebookMember(ProtoModel):
    """A member of a notebook."""

    __proto__: ClassVar = pb.NotebookMember
    __enums__: ClassVar = {
        "role": NotebookRole,
    }

    user_id: _t.Int32 = Field(default=0, description="ID of the account.")
    user_name: str = Field(default="", description="Its user name.")
    name: str = Field(default="", description="First and last name; may be empty.")
    role: NotebookRole = Field(default=NotebookRole.UNSPECIFIED, description="Role.")
    creation_date: _t.Timestamp | None = Field(default=None, description="When the account became a member.")

    @classmethod
    def read_pb(cls, message: pb.NotebookMember) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "user_id": message.user_id,
            "user_name": message.user_name,
            "name": message.name,
            "role": NotebookRole.numbers.get(message.role, message.role),
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.NotebookMember:
        """Makes a protobuf message."""
        return pb.NotebookMember(
            user_id=self.user_id,
            user_name=self.user_name,
            name=self.name,
            role=self.role.number,
            creation_date=self.creation_date,
        )


class NotebookGroup(ProtoModel):
    """A group in a notebook: its people are members for as long as they are in the group."""

    __proto__: ClassVar = pb.NotebookGroup
    __enums__: ClassVar = {
        "role": NotebookRole,
    }

    group_id: _t.Int32 = Field(default=0, description="ID of the group.")
    name: str = Field(default="", description="Its name.")
    role: NotebookRole = Field(
        default=NotebookRole.UNSPECIFIED,
        description="Role of its people; someone who is a member in several ways has the highest of the roles.",
    )
    member_count: _t.Int32 = Field(default=0, description="Number of its active people.")
    creation_date: _t.Timestamp | None = Field(default=None, description="When the group became a member.")
    display_name: str = Field(default="", description="Its name for display; empty if it has none but `name`.")

    @classmethod
    def read_pb(cls, message: pb.NotebookGroup) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "group_id": message.group_id,
            "name": message.name,
            "role": NotebookRole.numbers.get(message.role, message.role),
            "member_count": message.member_count,
            "display_name": message.display_name,
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.NotebookGroup:
        """Makes a protobuf message."""
        return pb.NotebookGroup(
            group_id=self.group_id,
            name=self.name,
            role=self.role.number,
            member_count=self.member_count,
            creation_date=self.creation_date,
            display_name=self.display_name,
        )


class NotebookSession(ProtoModel):
    """A conversation in a notebook, as visible to the caller."""

    __proto__: ClassVar = pb.NotebookSession

    chat_session_id: _t.Int32 = Field(default=0, description="The session.")
    user_id: _t.Int32 = Field(default=0, description="ID of its owner.")
    user_name: str = Field(default="", description="First and last name of its owner, or else the user name.")
    chat_session: ChatSession | None = Field(
        default=None,
        description="The session; unset if the caller may not open it, because it has drawn on documents that they may not read.",
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="Creation time.")
    last_message_at: _t.Timestamp | None = Field(
        default=None, description="Time of the newest message; empty before the first."
    )

    @classmethod
    def read_pb(cls, message: pb.NotebookSession) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "chat_session_id": message.chat_session_id,
            "user_id": message.user_id,
            "user_name": message.user_name,
        }
        if message.HasField("chat_session"):
            data["chat_session"] = ChatSession.read_pb(message.chat_session)
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_message_at"):
            data["last_message_at"] = message.last_message_at.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.NotebookSession:
        """Makes a protobuf message."""
        return pb.NotebookSession(
            chat_session_id=self.chat_session_id,
            user_id=self.user_id,
            user_name=self.user_name,
            chat_session=None if self.chat_session is None else self.chat_session.to_pb(),
            creation_date=self.creation_date,
            last_message_at=self.last_message_at,
        )
