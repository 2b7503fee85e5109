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
from echomind_lib.models.public.assistant import Assistant, AssistantPatch, ToolInfo
from echomind_lib.pb.echomind.public.v1 import assistant_service_pb2 as pb


class ListAssistantsRequest(ProtoModel):
    """Request of ListAssistants."""

    __proto__: ClassVar = pb.ListAssistantsRequest

    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(default=0, description="How many at most; 0 means 50.")
    page_token: str = Field(default="", description="Where to continue: `next_page_token` of the page before.")

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
    next_page_token: str = Field(default="", description="For the next page; empty on the last.")

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

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which assistant.")

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

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which assistant.")
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
        ),
    ] = Field(description="Which fields to change. Over REST it comes from the body's keys.")

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

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which assistant.")
    name: Annotated[str, Field(min_length=1, max_length=255)] = Field(description="The copy's name.")

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
        description="The configuration. Empty values of MCP servers' secrets stand for those of the stored assistant."
    )
    id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="The assistant that it is a draft of; 0 for a new one."
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


class DeleteAssistantRequest(ProtoModel):
    """Request of DeleteAssistant."""

    __proto__: ClassVar = pb.DeleteAssistantRequest

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which assistant.")

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

    id: Annotated[_t.Int32, Field(gt=0)] = Field(description="Which assistant.")

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
        default_factory=list,
        description="The tools: built-in ones first, then those of each server; then what is wrong.",
    )

    @classmethod
    def read_pb(cls, message: pb.ListAssistantToolsResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "tools": [ToolInfo.read_pb(each) for each in message.tools],
        }
        return data

    def to_pb(self) -> pb.ListAssistantToolsResponse:
        """Makes a protobuf message."""
        return pb.ListAssistantToolsResponse(
            tools=[each.to_pb() for each in self.tools],
        )


class AssistantService(ABC):
    """Assistants: a model, instructions and limits under one name. Everyone uses the visible ones, `superadmin` manages."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["AssistantService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListAssistants", "list_assistants", ListAssistantsRequest, ListAssistantsResponse),
        Method("GetAssistant", "get_assistant", GetAssistantRequest, Assistant),
        Method("CreateAssistant", "create_assistant", CreateAssistantRequest, Assistant),
        Method("UpdateAssistant", "update_assistant", UpdateAssistantRequest, Assistant),
        Method("DuplicateAssistant", "duplicate_assistant", DuplicateAssistantRequest, Assistant),
        Method("SaveAssistantDraft", "save_assistant_draft", SaveAssistantDraftRequest, Assistant),
        Method("DeleteAssistant", "delete_assistant", DeleteAssistantRequest, Empty),
        Method("ListAssistantTools", "list_assistant_tools", ListAssistantToolsRequest, ListAssistantToolsResponse),
    )

    @abstractmethod
    async def list_assistants(self, request: ListAssistantsRequest, call: CallContext) -> ListAssistantsResponse:
        """Lists assistants by `display_priority`, then id. Hidden ones are left out below `superadmin`."""

    @abstractmethod
    async def get_assistant(self, request: GetAssistantRequest, call: CallContext) -> Assistant:
        """Reads one assistant. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_assistant(self, request: CreateAssistantRequest, call: CallContext) -> Assistant:
        """Adds an assistant. Errors: ALREADY_EXISTS, NOT_FOUND (of its model)."""

    @abstractmethod
    async def update_assistant(self, request: UpdateAssistantRequest, call: CallContext) -> Assistant:
        """Changes an assistant. A run that has begun keeps its instructions and budgets; its model, tools, MCP servers and
        approvals are the new ones from the next time that a worker takes it. Errors: NOT_FOUND.
        """

    @abstractmethod
    async def duplicate_assistant(self, request: DuplicateAssistantRequest, call: CallContext) -> Assistant:
        """Adds a copy of an assistant, hidden and never the default, with the stored secrets of its MCP servers. Errors:
        NOT_FOUND, ALREADY_EXISTS.
        """

    @abstractmethod
    async def save_assistant_draft(self, request: SaveAssistantDraftRequest, call: CallContext) -> Assistant:
        """Stores a configuration to try it before it is saved, as a draft of an assistant or of a new one. A draft answers in
        conversations that name it and lists its tools like any assistant, but nobody finds it: it is hidden, in no list,
        and so are its conversations. There is one for each person and assistant: a later one replaces it, and its
        conversations without a message for a day are removed. Needs `superadmin`. Errors: NOT_FOUND, VALIDATION_FAILED.
        """

    @abstractmethod
    async def delete_assistant(self, request: DeleteAssistantRequest, call: CallContext) -> Empty:
        """Removes an assistant; its sessions stay readable. The default one cannot be removed."""

    @abstractmethod
    async def list_assistant_tools(
        self, request: ListAssistantToolsRequest, call: CallContext
    ) -> ListAssistantToolsResponse:
        """Lists the tools that an assistant can call now, those of its MCP servers too. What is wrong is listed as well: a
        server that does not answer, a tool that cannot be used, a name in the config that no tool has. Errors: NOT_FOUND,
        DEPENDENCY_UNAVAILABLE (no agent runs).
        """
