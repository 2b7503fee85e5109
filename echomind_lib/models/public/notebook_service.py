"""

Generated from echomind/public/v1/notebook_service.proto by tools/pydantic_plugin: change that, then `make gen`.
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
from echomind_lib.models.public.chat_message_service import SendMessageResponse
from echomind_lib.models.public.notebook import (
    Notebook,
    NotebookGroup,
    NotebookMember,
    NotebookPatch,
    NotebookRole,
    NotebookSession,
    NotebookSource,
    NotebookTemplate,
)
from echomind_lib.models.public.notebook_summary import NotebookSummary
from echomind_lib.pb.echomind.public.v1 import notebook_service_pb2 as pb


class ListNotebooksRequest(ProtoModel):
    """Request of ListNotebooks."""

    __proto__: ClassVar = pb.ListNotebooksRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )
    query: Annotated[str, Field(max_length=255)] = Field(
        default="",
        description="Only notebooks whose title or description contains this text, case-insensitively; empty means all.",
    )
    removed: bool = Field(
        default=False, description="Whether to list removed notebooks that the caller owns, instead of the others."
    )
    all: bool = Field(
        default=False, description="Whether to list the notebooks of all users. Needs `superadmin`; audited."
    )

    @classmethod
    def read_pb(cls, message: pb.ListNotebooksRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
            "query": message.query,
            "removed": message.removed,
            "all": message.all,
        }
        return data

    def to_pb(self) -> pb.ListNotebooksRequest:
        """Makes a protobuf message."""
        return pb.ListNotebooksRequest(
            page_size=self.page_size,
            page_token=self.page_token,
            query=self.query,
            removed=self.removed,
            all=self.all,
        )


class ListNotebooksResponse(ProtoModel):
    """Response of ListNotebooks."""

    __proto__: ClassVar = pb.ListNotebooksResponse

    notebooks: list[Notebook] = Field(default_factory=list, description="The notebooks.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListNotebooksResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "notebooks": [Notebook.read_pb(each) for each in message.notebooks],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListNotebooksResponse:
        """Makes a protobuf message."""
        return pb.ListNotebooksResponse(
            notebooks=[each.to_pb() for each in self.notebooks],
            next_page_token=self.next_page_token,
        )


class GetNotebookRequest(ProtoModel):
    """Request of GetNotebook."""

    __proto__: ClassVar = pb.GetNotebookRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the notebook.")

    @classmethod
    def read_pb(cls, message: pb.GetNotebookRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetNotebookRequest:
        """Makes a protobuf message."""
        return pb.GetNotebookRequest(
            id=self.id,
        )


class CreateNotebookRequest(ProtoModel):
    """Request of CreateNotebook."""

    __proto__: ClassVar = pb.CreateNotebookRequest

    notebook: Notebook = Field(description="The notebook; `title` is required.")

    @classmethod
    def read_pb(cls, message: pb.CreateNotebookRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("notebook"):
            data["notebook"] = Notebook.read_pb(message.notebook)
        return data

    def to_pb(self) -> pb.CreateNotebookRequest:
        """Makes a protobuf message."""
        return pb.CreateNotebookRequest(
            notebook=None if self.notebook is None else self.notebook.to_pb(),
        )


class UpdateNotebookRequest(UpdateModel):
    """Request of UpdateNotebook."""

    __proto__: ClassVar = pb.UpdateNotebookRequest
    __resource__: ClassVar = ("notebook", NotebookPatch)

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the notebook.")
    notebook: NotebookPatch = Field(description="The new values.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "id",
            "user_id",
            "title",
            "description",
            "instructions",
            "role",
            "source_count",
            "member_count",
            "session_count",
            "creation_date",
            "last_update",
            "deleted_date",
            "user_name",
            "updated_by",
            "updated_by_name",
            "tools",
            "instructions_author_id",
            "instructions_author_name",
            "is_written_by_caller",
        ),
    ] = Field(description="Fields to change. Over REST, taken from the keys of the body.")

    @classmethod
    def read_pb(cls, message: pb.UpdateNotebookRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("notebook"):
            data["notebook"] = Notebook.read_pb(message.notebook)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateNotebookRequest:
        """Makes a protobuf message."""
        return pb.UpdateNotebookRequest(
            id=self.id,
            notebook=None if self.notebook is None else self.notebook.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class DeleteNotebookRequest(ProtoModel):
    """Request of DeleteNotebook."""

    __proto__: ClassVar = pb.DeleteNotebookRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the notebook.")

    @classmethod
    def read_pb(cls, message: pb.DeleteNotebookRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteNotebookRequest:
        """Makes a protobuf message."""
        return pb.DeleteNotebookRequest(
            id=self.id,
        )


class RestoreNotebookRequest(ProtoModel):
    """Request of RestoreNotebook."""

    __proto__: ClassVar = pb.RestoreNotebookRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the notebook.")

    @classmethod
    def read_pb(cls, message: pb.RestoreNotebookRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.RestoreNotebookRequest:
        """Makes a protobuf message."""
        return pb.RestoreNotebookRequest(
            id=self.id,
        )


class PurgeNotebookRequest(ProtoModel):
    """Request of PurgeNotebook."""

    __proto__: ClassVar = pb.PurgeNotebookRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the notebook.")

    @classmethod
    def read_pb(cls, message: pb.PurgeNotebookRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.PurgeNotebookRequest:
        """Makes a protobuf message."""
        return pb.PurgeNotebookRequest(
            id=self.id,
        )


class ListNotebookSourcesRequest(ProtoModel):
    """Request of ListNotebookSources."""

    __proto__: ClassVar = pb.ListNotebookSourcesRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the notebook.")

    @classmethod
    def read_pb(cls, message: pb.ListNotebookSourcesRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.ListNotebookSourcesRequest:
        """Makes a protobuf message."""
        return pb.ListNotebookSourcesRequest(
            id=self.id,
        )


class ListNotebookSourcesResponse(ProtoModel):
    """Response of ListNotebookSources, AddNotebookSources, RemoveNotebookSources and GiveNotebookAccess."""

    __proto__: ClassVar = pb.ListNotebookSourcesResponse

    sources: list[NotebookSource] = Field(default_factory=list, description="All sources, at most 500.")

    @classmethod
    def read_pb(cls, message: pb.ListNotebookSourcesResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "sources": [NotebookSource.read_pb(each) for each in message.sources],
        }
        return data

    def to_pb(self) -> pb.ListNotebookSourcesResponse:
        """Makes a protobuf message."""
        return pb.ListNotebookSourcesResponse(
            sources=[each.to_pb() for each in self.sources],
        )


class AddNotebookSourcesRequest(ProtoModel):
    """Request of AddNotebookSources."""

    __proto__: ClassVar = pb.AddNotebookSourcesRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the notebook.")
    connector_ids: Annotated[list[Annotated[_t.Int32, Field(gt=0)]], Field(max_length=100), _r.UNIQUE] = Field(
        default_factory=list, description="IDs of connectors, each with all its present and future documents."
    )
    document_ids: Annotated[list[Annotated[_t.Int64, Field(gt=0)]], Field(max_length=500), _r.UNIQUE] = Field(
        default_factory=list, description="IDs of documents."
    )

    @classmethod
    def read_pb(cls, message: pb.AddNotebookSourcesRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "connector_ids": list(message.connector_ids),
            "document_ids": list(message.document_ids),
        }
        return data

    def to_pb(self) -> pb.AddNotebookSourcesRequest:
        """Makes a protobuf message."""
        return pb.AddNotebookSourcesRequest(
            id=self.id,
            connector_ids=self.connector_ids,
            document_ids=self.document_ids,
        )


class RemoveNotebookSourcesRequest(ProtoModel):
    """Request of RemoveNotebookSources."""

    __proto__: ClassVar = pb.RemoveNotebookSourcesRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the notebook.")
    source_ids: Annotated[list[Annotated[_t.Int64, Field(gt=0)]], Field(min_length=1, max_length=500), _r.UNIQUE] = (
        Field(description="IDs of the sources to remove.")
    )

    @classmethod
    def read_pb(cls, message: pb.RemoveNotebookSourcesRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "source_ids": list(message.source_ids),
        }
        return data

    def to_pb(self) -> pb.RemoveNotebookSourcesRequest:
        """Makes a protobuf message."""
        return pb.RemoveNotebookSourcesRequest(
            id=self.id,
            source_ids=self.source_ids,
        )


class GiveNotebookAccessRequest(ProtoModel):
    """Request of GiveNotebookAccess."""

    __proto__: ClassVar = pb.GiveNotebookAccessRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the notebook.")
    source_ids: Annotated[list[Annotated[_t.Int64, Field(gt=0)]], Field(min_length=1, max_length=500), _r.UNIQUE] = (
        Field(description="IDs of the sources.")
    )

    @classmethod
    def read_pb(cls, message: pb.GiveNotebookAccessRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "source_ids": list(message.source_ids),
        }
        return data

    def to_pb(self) -> pb.GiveNotebookAccessRequest:
        """Makes a protobuf message."""
        return pb.GiveNotebookAccessRequest(
            id=self.id,
            source_ids=self.source_ids,
        )


class ListNotebookMembersRequest(ProtoModel):
    """Request of ListNotebookMembers."""

    __proto__: ClassVar = pb.ListNotebookMembersRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the notebook.")

    @classmethod
    def read_pb(cls, message: pb.ListNotebookMembersRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.ListNotebookMembersRequest:
        """Makes a protobuf message."""
        return pb.ListNotebookMembersRequest(
            id=self.id,
        )


class ListNotebookMembersResponse(ProtoModel):
    """Response of ListNotebookMembers."""

    __proto__: ClassVar = pb.ListNotebookMembersResponse

    members: list[NotebookMember] = Field(
        default_factory=list, description="People who are members by themselves, at most 200."
    )
    groups: list[NotebookGroup] = Field(
        default_factory=list, description="Groups whose people are members, too; at most 50."
    )

    @classmethod
    def read_pb(cls, message: pb.ListNotebookMembersResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "members": [NotebookMember.read_pb(each) for each in message.members],
            "groups": [NotebookGroup.read_pb(each) for each in message.groups],
        }
        return data

    def to_pb(self) -> pb.ListNotebookMembersResponse:
        """Makes a protobuf message."""
        return pb.ListNotebookMembersResponse(
            members=[each.to_pb() for each in self.members],
            groups=[each.to_pb() for each in self.groups],
        )


class SetNotebookGroupRequest(ProtoModel):
    """Request of SetNotebookGroup."""

    __proto__: ClassVar = pb.SetNotebookGroupRequest
    __enums__: ClassVar = {
        "role": NotebookRole,
    }

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the notebook.")
    group_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the group.")
    role: Annotated[NotebookRole, _r.none_of(NotebookRole.UNSPECIFIED)] = Field(
        description="Role of its people: editor or viewer."
    )

    @classmethod
    def read_pb(cls, message: pb.SetNotebookGroupRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "group_id": message.group_id,
            "role": NotebookRole.numbers.get(message.role, message.role),
        }
        return data

    def to_pb(self) -> pb.SetNotebookGroupRequest:
        """Makes a protobuf message."""
        return pb.SetNotebookGroupRequest(
            id=self.id,
            group_id=self.group_id,
            role=self.role.number,
        )


class RemoveNotebookGroupRequest(ProtoModel):
    """Request of RemoveNotebookGroup."""

    __proto__: ClassVar = pb.RemoveNotebookGroupRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the notebook.")
    group_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the group.")

    @classmethod
    def read_pb(cls, message: pb.RemoveNotebookGroupRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "group_id": message.group_id,
        }
        return data

    def to_pb(self) -> pb.RemoveNotebookGroupRequest:
        """Makes a protobuf message."""
        return pb.RemoveNotebookGroupRequest(
            id=self.id,
            group_id=self.group_id,
        )


class SetNotebookMemberRequest(ProtoModel):
    """Request of SetNotebookMember."""

    __proto__: ClassVar = pb.SetNotebookMemberRequest
    __enums__: ClassVar = {
        "role": NotebookRole,
    }

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the notebook.")
    user_name: Annotated[str, Field(max_length=320), _r.NAME] = Field(
        default="", description="The account's user name or e-mail address, case-insensitively; empty with `user_id`."
    )
    user_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="ID of the account, for an existing member; 0 with `user_name`."
    )
    role: Annotated[NotebookRole, _r.none_of(NotebookRole.UNSPECIFIED)] = Field(description="Role.")

    @classmethod
    def read_pb(cls, message: pb.SetNotebookMemberRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "user_name": message.user_name,
            "user_id": message.user_id,
            "role": NotebookRole.numbers.get(message.role, message.role),
        }
        return data

    def to_pb(self) -> pb.SetNotebookMemberRequest:
        """Makes a protobuf message."""
        return pb.SetNotebookMemberRequest(
            id=self.id,
            user_name=self.user_name,
            user_id=self.user_id,
            role=self.role.number,
        )


class RemoveNotebookMemberRequest(ProtoModel):
    """Request of RemoveNotebookMember."""

    __proto__: ClassVar = pb.RemoveNotebookMemberRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the notebook.")
    user_id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the member's account.")

    @classmethod
    def read_pb(cls, message: pb.RemoveNotebookMemberRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "user_id": message.user_id,
        }
        return data

    def to_pb(self) -> pb.RemoveNotebookMemberRequest:
        """Makes a protobuf message."""
        return pb.RemoveNotebookMemberRequest(
            id=self.id,
            user_id=self.user_id,
        )


class ListNotebookSessionsRequest(ProtoModel):
    """Request of ListNotebookSessions."""

    __proto__: ClassVar = pb.ListNotebookSessionsRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the notebook.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )
    query: Annotated[str, Field(max_length=200)] = Field(
        default="",
        description="Only conversations that the caller may open and whose title or messages contain this text, case-insensitively; empty means all.",
    )

    @classmethod
    def read_pb(cls, message: pb.ListNotebookSessionsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "page_size": message.page_size,
            "page_token": message.page_token,
            "query": message.query,
        }
        return data

    def to_pb(self) -> pb.ListNotebookSessionsRequest:
        """Makes a protobuf message."""
        return pb.ListNotebookSessionsRequest(
            id=self.id,
            page_size=self.page_size,
            page_token=self.page_token,
            query=self.query,
        )


class ListNotebookSessionsResponse(ProtoModel):
    """Response of ListNotebookSessions."""

    __proto__: ClassVar = pb.ListNotebookSessionsResponse

    sessions: list[NotebookSession] = Field(default_factory=list, description="The conversations.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListNotebookSessionsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "sessions": [NotebookSession.read_pb(each) for each in message.sessions],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListNotebookSessionsResponse:
        """Makes a protobuf message."""
        return pb.ListNotebookSessionsResponse(
            sessions=[each.to_pb() for each in self.sessions],
            next_page_token=self.next_page_token,
        )


class StartNotebookTemplateRequest(ProtoModel):
    """Request of StartNotebookTemplate."""

    __proto__: ClassVar = pb.StartNotebookTemplateRequest
    __enums__: ClassVar = {
        "template": NotebookTemplate,
    }

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the notebook.")
    template: Annotated[NotebookTemplate, _r.none_of(NotebookTemplate.UNSPECIFIED)] = Field(description="The template.")
    fields: Annotated[list[Annotated[str, Field(min_length=1, max_length=200)]], Field(max_length=12), _r.UNIQUE] = (
        Field(default_factory=list, description="For a table: its columns, asked of each source.")
    )
    document_ids: Annotated[list[Annotated[_t.Int64, Field(gt=0)]], Field(max_length=20), _r.UNIQUE] = Field(
        default_factory=list, description="IDs of the notebook's documents to use, at most 20; empty means all."
    )
    assistant_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="ID of its assistant; 0 means the default one."
    )
    language: Annotated[str, Field(max_length=8)] = Field(
        default="", description="Language of the answer, as an ISO 639-1 code; empty means English."
    )
    request_id: Annotated[str, Field(max_length=128)] = Field(default="", description="As in SendMessage.")

    @classmethod
    def read_pb(cls, message: pb.StartNotebookTemplateRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "template": NotebookTemplate.numbers.get(message.template, message.template),
            "fields": list(message.fields),
            "document_ids": list(message.document_ids),
            "assistant_id": message.assistant_id,
            "language": message.language,
            "request_id": message.request_id,
        }
        return data

    def to_pb(self) -> pb.StartNotebookTemplateRequest:
        """Makes a protobuf message."""
        return pb.StartNotebookTemplateRequest(
            id=self.id,
            template=self.template.number,
            fields=self.fields,
            document_ids=self.document_ids,
            assistant_id=self.assistant_id,
            language=self.language,
            request_id=self.request_id,
        )


class GetNotebookSummaryRequest(ProtoModel):
    """Request of GetNotebookSummary."""

    __proto__: ClassVar = pb.GetNotebookSummaryRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the notebook.")

    @classmethod
    def read_pb(cls, message: pb.GetNotebookSummaryRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetNotebookSummaryRequest:
        """Makes a protobuf message."""
        return pb.GetNotebookSummaryRequest(
            id=self.id,
        )


class RequestNotebookSummaryRequest(ProtoModel):
    """Request of RequestNotebookSummary."""

    __proto__: ClassVar = pb.RequestNotebookSummaryRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the notebook.")

    @classmethod
    def read_pb(cls, message: pb.RequestNotebookSummaryRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.RequestNotebookSummaryRequest:
        """Makes a protobuf message."""
        return pb.RequestNotebookSummaryRequest(
            id=self.id,
        )


class NotebookService(ABC):
    """Notebooks: sources that several people ask together. A notebook grants nobody access to a source: answers use those
    of its sources that the asker may read.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["NotebookService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListNotebooks", "list_notebooks", ListNotebooksRequest, ListNotebooksResponse),
        Method("GetNotebook", "get_notebook", GetNotebookRequest, Notebook),
        Method("CreateNotebook", "create_notebook", CreateNotebookRequest, Notebook),
        Method("UpdateNotebook", "update_notebook", UpdateNotebookRequest, Notebook),
        Method("DeleteNotebook", "delete_notebook", DeleteNotebookRequest, Empty),
        Method("RestoreNotebook", "restore_notebook", RestoreNotebookRequest, Notebook),
        Method("PurgeNotebook", "purge_notebook", PurgeNotebookRequest, Empty),
        Method("ListNotebookSources", "list_notebook_sources", ListNotebookSourcesRequest, ListNotebookSourcesResponse),
        Method("AddNotebookSources", "add_notebook_sources", AddNotebookSourcesRequest, ListNotebookSourcesResponse),
        Method(
            "RemoveNotebookSources",
            "remove_notebook_sources",
            RemoveNotebookSourcesRequest,
            ListNotebookSourcesResponse,
        ),
        Method("GiveNotebookAccess", "give_notebook_access", GiveNotebookAccessRequest, ListNotebookSourcesResponse),
        Method("ListNotebookMembers", "list_notebook_members", ListNotebookMembersRequest, ListNotebookMembersResponse),
        Method("SetNotebookMember", "set_notebook_member", SetNotebookMemberRequest, NotebookMember),
        Method("RemoveNotebookMember", "remove_notebook_member", RemoveNotebookMemberRequest, Empty),
        Method("SetNotebookGroup", "set_notebook_group", SetNotebookGroupRequest, NotebookGroup),
        Method("RemoveNotebookGroup", "remove_notebook_group", RemoveNotebookGroupRequest, Empty),
        Method(
            "ListNotebookSessions", "list_notebook_sessions", ListNotebookSessionsRequest, ListNotebookSessionsResponse
        ),
        Method("StartNotebookTemplate", "start_notebook_template", StartNotebookTemplateRequest, SendMessageResponse),
        Method("GetNotebookSummary", "get_notebook_summary", GetNotebookSummaryRequest, NotebookSummary),
        Method("RequestNotebookSummary", "request_notebook_summary", RequestNotebookSummaryRequest, NotebookSummary),
    )

    @abstractmethod
    async def list_notebooks(self, request: ListNotebooksRequest, call: CallContext) -> ListNotebooksResponse:
        """Lists the caller's notebooks, most recently used first. Errors: PERMISSION_DENIED (`all` needs `superadmin`)."""

    @abstractmethod
    async def get_notebook(self, request: GetNotebookRequest, call: CallContext) -> Notebook:
        """Reads one notebook. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_notebook(self, request: CreateNotebookRequest, call: CallContext) -> Notebook:
        """Creates a notebook; the caller becomes its owner. Errors: VALIDATION_FAILED (`tools` names a tool that no notebook can
        have).
        """

    @abstractmethod
    async def update_notebook(self, request: UpdateNotebookRequest, call: CallContext) -> Notebook:
        """Updates `title`, `description`, `instructions` or `tools`; changed tools are audited. Needs an editor. Errors:
        NOT_FOUND, PERMISSION_DENIED, VALIDATION_FAILED (`tools` names a tool that no notebook can have).
        """

    @abstractmethod
    async def delete_notebook(self, request: DeleteNotebookRequest, call: CallContext) -> Empty:
        """Removes a notebook with its conversations; active runs are cancelled. It can be restored for 30 days. Needs an
        owner, or `superadmin`. Errors: NOT_FOUND, PERMISSION_DENIED.
        """

    @abstractmethod
    async def restore_notebook(self, request: RestoreNotebookRequest, call: CallContext) -> Notebook:
        """Restores a removed notebook, with the conversations that were removed with it. A notebook that is not removed is
        returned unchanged. Needs an owner, or `superadmin`. Errors: NOT_FOUND, PERMISSION_DENIED.
        """

    @abstractmethod
    async def purge_notebook(self, request: PurgeNotebookRequest, call: CallContext) -> Empty:
        """Deletes a notebook permanently, also a removed one: its conversations with all their data, sources and members.
        Documents are kept. Needs an owner, or `superadmin`; audited. Errors: NOT_FOUND, PERMISSION_DENIED.
        """

    @abstractmethod
    async def list_notebook_sources(
        self, request: ListNotebookSourcesRequest, call: CallContext
    ) -> ListNotebookSourcesResponse:
        """Lists the sources of a notebook, in the order in which they were added. Errors: NOT_FOUND."""

    @abstractmethod
    async def add_notebook_sources(
        self, request: AddNotebookSourcesRequest, call: CallContext
    ) -> ListNotebookSourcesResponse:
        """Adds connectors and documents that the caller may read; existing sources are kept. Needs an editor. Errors:
        NOT_FOUND (the notebook, or one of the sources: then none is added), PERMISSION_DENIED, VALIDATION_FAILED (more
        than 500 sources).
        """

    @abstractmethod
    async def remove_notebook_sources(
        self, request: RemoveNotebookSourcesRequest, call: CallContext
    ) -> ListNotebookSourcesResponse:
        """Removes sources from a notebook. Answers that used them are kept. Needs an editor. Errors: NOT_FOUND (the notebook,
        or one of the sources: then none is removed), PERMISSION_DENIED.
        """

    @abstractmethod
    async def give_notebook_access(
        self, request: GiveNotebookAccessRequest, call: CallContext
    ) -> ListNotebookSourcesResponse:
        """Gives all members access to sources that some of them may not read: a connector becomes visible to the smallest
        group with all members that the caller may share with, or to everyone, and a document moves to the files of that
        group or of everyone; `access_scope` of each source says which. Needs an editor who manages the sources. Errors:
        NOT_FOUND (the notebook, or one of the sources), PERMISSION_DENIED (the caller cannot give access to one of them:
        then none is changed), ALREADY_EXISTS (a document of that path is there already), DOCUMENT_NOT_READY (it is still
        being read).
        """

    @abstractmethod
    async def list_notebook_members(
        self, request: ListNotebookMembersRequest, call: CallContext
    ) -> ListNotebookMembersResponse:
        """Lists the people and groups of a notebook, in the order in which they joined. Errors: NOT_FOUND."""

    @abstractmethod
    async def set_notebook_member(self, request: SetNotebookMemberRequest, call: CallContext) -> NotebookMember:
        """Adds an account as a member, or changes the role of a member. Needs an owner. Errors: NOT_FOUND (the notebook, or
        the account), PERMISSION_DENIED, VALIDATION_FAILED (no owner would remain).
        """

    @abstractmethod
    async def remove_notebook_member(self, request: RemoveNotebookMemberRequest, call: CallContext) -> Empty:
        """Removes a member, who can then neither ask in the notebook nor read its conversations. Needs an owner; every member
        may remove themselves. Errors: NOT_FOUND, PERMISSION_DENIED, VALIDATION_FAILED (no owner would remain, or they are a
        member through a group alone).
        """

    @abstractmethod
    async def set_notebook_group(self, request: SetNotebookGroupRequest, call: CallContext) -> NotebookGroup:
        """Adds a group to a notebook, or changes its role: its people are members for as long as they are in the group. Needs
        an owner, who can add the groups that they are in, and as a superadmin every group. Errors: NOT_FOUND (the notebook,
        or such a group), PERMISSION_DENIED, VALIDATION_FAILED (the role is that of an owner, or there would be too many).
        """

    @abstractmethod
    async def remove_notebook_group(self, request: RemoveNotebookGroupRequest, call: CallContext) -> Empty:
        """Removes a group from a notebook. Its people lose the role that they have through it. Needs an owner. Errors:
        NOT_FOUND, PERMISSION_DENIED.
        """

    @abstractmethod
    async def list_notebook_sessions(
        self, request: ListNotebookSessionsRequest, call: CallContext
    ) -> ListNotebookSessionsResponse:
        """Lists the conversations of all members, newest message first. Those that have drawn on documents that the caller
        may not read are listed without title and text. Errors: NOT_FOUND, PERMISSION_DENIED (the caller is no member).
        """

    @abstractmethod
    async def start_notebook_template(
        self, request: StartNotebookTemplateRequest, call: CallContext
    ) -> SendMessageResponse:
        """Starts a conversation with a predefined question about the documents of the notebook that the caller may read.
        Errors: NOT_FOUND, VALIDATION_FAILED (a table without `fields`, or no source that the caller may read), and those
        of SendMessage.
        """

    @abstractmethod
    async def get_notebook_summary(self, request: GetNotebookSummaryRequest, call: CallContext) -> NotebookSummary:
        """Reads the summary of the sources that the caller may read, as they are now; other members with the same sources
        read the same one. Errors: NOT_FOUND, PERMISSION_DENIED (the caller is no member).
        """

    @abstractmethod
    async def request_notebook_summary(
        self, request: RequestNotebookSummaryRequest, call: CallContext
    ) -> NotebookSummary:
        """Requests a summary of the sources that the caller may read, unless there is one; after a failure it is written
        again. It is written in the background by one request to the caller's chat model. Errors: NOT_FOUND,
        PERMISSION_DENIED (the caller is no member).
        """
