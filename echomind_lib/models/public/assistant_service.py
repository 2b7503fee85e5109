"""

Generated from echomind/public/v1/assistant_service.proto by tools/pydantic_plugin: change that, then `make gen`.
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
from echomind_lib.models.public.assistant import Assistant, AssistantChange, AssistantPatch, AssistantVersion, ToolInfo
from echomind_lib.models.public.system import McpServerHealth
from echomind_lib.pb.echomind.public.v1 import assistant_service_pb2 as pb


class ListAssistantsRequest(ProtoModel):
    """Request of ListAssistants."""

    __proto__: ClassVar = pb.ListAssistantsRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListAssistantsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListAssistantsRequest:
        """Makes a protobuf message."""
        return pb.ListAssistantsRequest(
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListAssistantsResponse(ProtoModel):
    """Response of ListAssistants."""

    __proto__: ClassVar = pb.ListAssistantsResponse

    assistants: list[Assistant] = Field(default_factory=list, description="The assistants.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListAssistantsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "assistants": [Assistant.read_pb(each) for each in message.assistants],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListAssistantsResponse:
        """Makes a protobuf message."""
        return pb.ListAssistantsResponse(
            assistants=[each.to_pb() for each in self.assistants],
            next_page_token=self.next_page_token,
        )


class GetAssistantRequest(ProtoModel):
    """Request of GetAssistant."""

    __proto__: ClassVar = pb.GetAssistantRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the assistant.")

    @classmethod
    def read_pb(cls, message: pb.GetAssistantRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetAssistantRequest:
        """Makes a protobuf message."""
        return pb.GetAssistantRequest(
            id=self.id,
        )


class CreateAssistantRequest(ProtoModel):
    """Request of CreateAssistant."""

    __proto__: ClassVar = pb.CreateAssistantRequest

    assistant: Assistant = Field(description="The assistant.")

    @classmethod
    def read_pb(cls, message: pb.CreateAssistantRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {}
        if message.HasField("assistant"):
            data["assistant"] = Assistant.read_pb(message.assistant)
        return data

    def to_pb(self) -> pb.CreateAssistantRequest:
        """Makes a protobuf message."""
        return pb.CreateAssistantRequest(
            assistant=None if self.assistant is None else self.assistant.to_pb(),
        )


class UpdateAssistantRequest(UpdateModel):
    """Request of UpdateAssistant."""

    __proto__: ClassVar = pb.UpdateAssistantRequest
    __resource__: ClassVar = ("assistant", AssistantPatch)

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the assistant.")
    assistant: AssistantPatch = Field(description="The new values.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "id",
            "name",
            "description",
            "llm_id",
            "system_prompt",
            "task_prompt",
            "starter_messages",
            "is_default",
            "is_visible",
            "display_priority",
            "config",
            "creation_date",
            "last_update",
            "is_draft",
            "draft_of_id",
            "version",
            "members",
            "updated_by",
            "updated_by_name",
            "groups",
        ),
    ] = Field(description="Fields to change. Over REST, taken from the keys of the body.")

    @classmethod
    def read_pb(cls, message: pb.UpdateAssistantRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("assistant"):
            data["assistant"] = Assistant.read_pb(message.assistant)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        return data

    def to_pb(self) -> pb.UpdateAssistantRequest:
        """Makes a protobuf message."""
        return pb.UpdateAssistantRequest(
            id=self.id,
            assistant=None if self.assistant is None else self.assistant.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
        )


class DuplicateAssistantRequest(ProtoModel):
    """Request of DuplicateAssistant."""

    __proto__: ClassVar = pb.DuplicateAssistantRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the assistant.")
    name: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(description="Name of the copy.")

    @classmethod
    def read_pb(cls, message: pb.DuplicateAssistantRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "name": message.name,
        }
        return data

    def to_pb(self) -> pb.DuplicateAssistantRequest:
        """Makes a protobuf message."""
        return pb.DuplicateAssistantRequest(
            id=self.id,
            name=self.name,
        )


class SaveAssistantDraftRequest(ProtoModel):
    """Request of SaveAssistantDraft."""

    __proto__: ClassVar = pb.SaveAssistantDraftRequest

    assistant: Assistant = Field(
        description="The configuration. Empty secrets of MCP servers mean those of the stored assistant."
    )
    id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="ID of the assistant that it is a draft of; 0 for a new one."
    )

    @classmethod
    def read_pb(cls, message: pb.SaveAssistantDraftRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("assistant"):
            data["assistant"] = Assistant.read_pb(message.assistant)
        return data

    def to_pb(self) -> pb.SaveAssistantDraftRequest:
        """Makes a protobuf message."""
        return pb.SaveAssistantDraftRequest(
            assistant=None if self.assistant is None else self.assistant.to_pb(),
            id=self.id,
        )


class ListAssistantVersionsRequest(ProtoModel):
    """Request of ListAssistantVersions."""

    __proto__: ClassVar = pb.ListAssistantVersionsRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the assistant.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListAssistantVersionsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListAssistantVersionsRequest:
        """Makes a protobuf message."""
        return pb.ListAssistantVersionsRequest(
            id=self.id,
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListAssistantVersionsResponse(ProtoModel):
    """Response of ListAssistantVersions."""

    __proto__: ClassVar = pb.ListAssistantVersionsResponse

    versions: list[AssistantVersion] = Field(default_factory=list, description="The versions.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListAssistantVersionsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "versions": [AssistantVersion.read_pb(each) for each in message.versions],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListAssistantVersionsResponse:
        """Makes a protobuf message."""
        return pb.ListAssistantVersionsResponse(
            versions=[each.to_pb() for each in self.versions],
            next_page_token=self.next_page_token,
        )


class GetAssistantVersionRequest(ProtoModel):
    """Request of GetAssistantVersion."""

    __proto__: ClassVar = pb.GetAssistantVersionRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the assistant.")
    version: Annotated[_t.Int32, Field(gt=0)] = Field(description="Number of the version.")

    @classmethod
    def read_pb(cls, message: pb.GetAssistantVersionRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "version": message.version,
        }
        return data

    def to_pb(self) -> pb.GetAssistantVersionRequest:
        """Makes a protobuf message."""
        return pb.GetAssistantVersionRequest(
            id=self.id,
            version=self.version,
        )


class DiffAssistantVersionsRequest(ProtoModel):
    """Request of DiffAssistantVersions."""

    __proto__: ClassVar = pb.DiffAssistantVersionsRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the assistant.")
    version: Annotated[_t.Int32, Field(gt=0)] = Field(description="The later version.")
    base_version: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0,
        description="The version to compare with; 0 means the previous version, for the first version an empty assistant.",
    )

    @classmethod
    def read_pb(cls, message: pb.DiffAssistantVersionsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "version": message.version,
            "base_version": message.base_version,
        }
        return data

    def to_pb(self) -> pb.DiffAssistantVersionsRequest:
        """Makes a protobuf message."""
        return pb.DiffAssistantVersionsRequest(
            id=self.id,
            version=self.version,
            base_version=self.base_version,
        )


class DiffAssistantVersionsResponse(ProtoModel):
    """Response of DiffAssistantVersions."""

    __proto__: ClassVar = pb.DiffAssistantVersionsResponse

    base_version: _t.Int32 = Field(
        default=0, description="The version that was compared with; 0 for an empty assistant."
    )
    version: _t.Int32 = Field(default=0, description="The version that was compared.")
    changes: list[AssistantChange] = Field(
        default_factory=list, description="The differences, in the order of the assistant's fields."
    )

    @classmethod
    def read_pb(cls, message: pb.DiffAssistantVersionsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "base_version": message.base_version,
            "version": message.version,
            "changes": [AssistantChange.read_pb(each) for each in message.changes],
        }
        return data

    def to_pb(self) -> pb.DiffAssistantVersionsResponse:
        """Makes a protobuf message."""
        return pb.DiffAssistantVersionsResponse(
            base_version=self.base_version,
            version=self.version,
            changes=[each.to_pb() for each in self.changes],
        )


class RestoreAssistantVersionRequest(ProtoModel):
    """Request of RestoreAssistantVersion."""

    __proto__: ClassVar = pb.RestoreAssistantVersionRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the assistant.")
    version: Annotated[_t.Int32, Field(gt=0)] = Field(description="Number of the version.")

    @classmethod
    def read_pb(cls, message: pb.RestoreAssistantVersionRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "version": message.version,
        }
        return data

    def to_pb(self) -> pb.RestoreAssistantVersionRequest:
        """Makes a protobuf message."""
        return pb.RestoreAssistantVersionRequest(
            id=self.id,
            version=self.version,
        )


class DeleteAssistantRequest(ProtoModel):
    """Request of DeleteAssistant."""

    __proto__: ClassVar = pb.DeleteAssistantRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the assistant.")

    @classmethod
    def read_pb(cls, message: pb.DeleteAssistantRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteAssistantRequest:
        """Makes a protobuf message."""
        return pb.DeleteAssistantRequest(
            id=self.id,
        )


class ListAssistantToolsRequest(ProtoModel):
    """Request of ListAssistantTools."""

    __proto__: ClassVar = pb.ListAssistantToolsRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="ID of the assistant.")

    @classmethod
    def read_pb(cls, message: pb.ListAssistantToolsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.ListAssistantToolsRequest:
        """Makes a protobuf message."""
        return pb.ListAssistantToolsRequest(
            id=self.id,
        )


class ListAssistantToolsResponse(ProtoModel):
    """Response of ListAssistantTools."""

    __proto__: ClassVar = pb.ListAssistantToolsResponse

    tools: list[ToolInfo] = Field(
        default_factory=list, description="The tools: built-in ones, then those of each server, then problems."
    )
    servers: list[McpServerHealth] = Field(
        default_factory=list, description="State of its MCP servers when an agent last used them."
    )

    @classmethod
    def read_pb(cls, message: pb.ListAssistantToolsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "tools": [ToolInfo.read_pb(each) for each in message.tools],
            "servers": [McpServerHealth.read_pb(each) for each in message.servers],
        }
        return data

    def to_pb(self) -> pb.ListAssistantToolsResponse:
        """Makes a protobuf message."""
        return pb.ListAssistantToolsResponse(
            tools=[each.to_pb() for each in self.tools],
            servers=[each.to_pb() for each in self.servers],
        )


class AssistantService(ABC):
    """Assistants: a model, instructions and limits under a name. Everyone can use the visible ones; `superadmin` manages
    them.
    """

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["AssistantService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListAssistants", "list_assistants", ListAssistantsRequest, ListAssistantsResponse),
        Method("GetAssistant", "get_assistant", GetAssistantRequest, Assistant),
        Method("CreateAssistant", "create_assistant", CreateAssistantRequest, Assistant),
        Method("UpdateAssistant", "update_assistant", UpdateAssistantRequest, Assistant),
        Method("DuplicateAssistant", "duplicate_assistant", DuplicateAssistantRequest, Assistant),
        Method("SaveAssistantDraft", "save_assistant_draft", SaveAssistantDraftRequest, Assistant),
        Method(
            "ListAssistantVersions",
            "list_assistant_versions",
            ListAssistantVersionsRequest,
            ListAssistantVersionsResponse,
        ),
        Method("GetAssistantVersion", "get_assistant_version", GetAssistantVersionRequest, AssistantVersion),
        Method(
            "DiffAssistantVersions",
            "diff_assistant_versions",
            DiffAssistantVersionsRequest,
            DiffAssistantVersionsResponse,
        ),
        Method("RestoreAssistantVersion", "restore_assistant_version", RestoreAssistantVersionRequest, Assistant),
        Method("DeleteAssistant", "delete_assistant", DeleteAssistantRequest, Empty),
        Method("ListAssistantTools", "list_assistant_tools", ListAssistantToolsRequest, ListAssistantToolsResponse),
    )

    @abstractmethod
    async def list_assistants(self, request: ListAssistantsRequest, call: CallContext) -> ListAssistantsResponse:
        """Lists assistants by `display_priority`, then ID. Hidden ones are included for `superadmin` only."""

    @abstractmethod
    async def get_assistant(self, request: GetAssistantRequest, call: CallContext) -> Assistant:
        """Reads one assistant. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_assistant(self, request: CreateAssistantRequest, call: CallContext) -> Assistant:
        """Creates an assistant. Errors: ALREADY_EXISTS, NOT_FOUND (the model)."""

    @abstractmethod
    async def update_assistant(self, request: UpdateAssistantRequest, call: CallContext) -> Assistant:
        """Updates an assistant. Runs that have started keep their instructions and limits; they get the new model, tools, MCP
        servers and approvals when a worker next claims them. Errors: NOT_FOUND.
        """

    @abstractmethod
    async def duplicate_assistant(self, request: DuplicateAssistantRequest, call: CallContext) -> Assistant:
        """Creates a copy of an assistant, hidden and never the default, with the stored secrets of its MCP servers. Errors:
        NOT_FOUND, ALREADY_EXISTS.
        """

    @abstractmethod
    async def save_assistant_draft(self, request: SaveAssistantDraftRequest, call: CallContext) -> Assistant:
        """Stores a configuration as a draft of an existing or a new assistant, to test it before saving. A draft answers in
        conversations that name it and lists its tools like any assistant, but neither it nor its conversations appear in
        any list. There is one draft per user and assistant: saving replaces it, and its conversations are removed a day
        after their last message. Needs `superadmin`. Errors: NOT_FOUND, VALIDATION_FAILED.
        """

    @abstractmethod
    async def list_assistant_versions(
        self, request: ListAssistantVersionsRequest, call: CallContext
    ) -> ListAssistantVersionsResponse:
        """Lists the versions of an assistant, newest first. Needs `superadmin`. Errors: NOT_FOUND."""

    @abstractmethod
    async def get_assistant_version(self, request: GetAssistantVersionRequest, call: CallContext) -> AssistantVersion:
        """Reads one version of an assistant. Needs `superadmin`. Errors: NOT_FOUND."""

    @abstractmethod
    async def diff_assistant_versions(
        self, request: DiffAssistantVersionsRequest, call: CallContext
    ) -> DiffAssistantVersionsResponse:
        """Compares two versions of an assistant. Needs `superadmin`. Errors: NOT_FOUND."""

    @abstractmethod
    async def restore_assistant_version(self, request: RestoreAssistantVersionRequest, call: CallContext) -> Assistant:
        """Restores an earlier version of an assistant, which creates a new version. Whether it is the default does not
        change, and the default assistant stays visible. A chat model that was removed since is replaced by the default
        model. Secrets of MCP servers are the newest ones that were stored for the same address or program. Runs that have
        started behave as with UpdateAssistant. Needs `superadmin`. Errors: NOT_FOUND, ALREADY_EXISTS (the name),
        VALIDATION_FAILED (a program that may no longer be started).
        """

    @abstractmethod
    async def delete_assistant(self, request: DeleteAssistantRequest, call: CallContext) -> Empty:
        """Deletes an assistant; its sessions stay readable. The default one cannot be deleted."""

    @abstractmethod
    async def list_assistant_tools(
        self, request: ListAssistantToolsRequest, call: CallContext
    ) -> ListAssistantToolsResponse:
        """Lists the tools that an assistant can call now, including those of its MCP servers. Problems are listed as well: a
        server that does not answer, a tool that cannot be used, a configured name that no tool has. Errors: NOT_FOUND,
        DEPENDENCY_UNAVAILABLE (no agent is running).
        """
