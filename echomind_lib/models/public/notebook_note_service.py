"""

Generated from echomind/public/v1/notebook_note_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import UTC
from typing import Annotated, Any, ClassVar

from google.protobuf import field_mask_pb2
from pydantic import Field

from echomind_lib.contract import CallContext, Empty, Method, ProtoModel, UpdateModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.notebook_note import NotebookNote, NotebookNotePatch
from echomind_lib.pb.echomind.public.v1 import notebook_note_service_pb2 as pb


class ListNotebookNotesRequest(ProtoModel):
    """Request of ListNotebookNotes."""

    __proto__: ClassVar = pb.ListNotebookNotesRequest

    notebook_id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the notebook.")
    page_size: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of items to return; 0 means 50."
    )
    page_token: str = Field(
        default="", description="Page token: `next_page_token` of the previous page; empty for the first page."
    )

    @classmethod
    def read_pb(cls, message: pb.ListNotebookNotesRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "notebook_id": message.notebook_id,
            "page_size": message.page_size,
            "page_token": message.page_token,
        }
        return data

    def to_pb(self) -> pb.ListNotebookNotesRequest:
        """Makes a protobuf message."""
        return pb.ListNotebookNotesRequest(
            notebook_id=self.notebook_id,
            page_size=self.page_size,
            page_token=self.page_token,
        )


class ListNotebookNotesResponse(ProtoModel):
    """Response of ListNotebookNotes."""

    __proto__: ClassVar = pb.ListNotebookNotesResponse

    notes: list[NotebookNote] = Field(default_factory=list, description="The notes.")
    next_page_token: str = Field(default="", description="Token of the next page; empty on the last page.")

    @classmethod
    def read_pb(cls, message: pb.ListNotebookNotesResponse) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "notes": [NotebookNote.read_pb(each) for each in message.notes],
            "next_page_token": message.next_page_token,
        }
        return data

    def to_pb(self) -> pb.ListNotebookNotesResponse:
        """Makes a protobuf message."""
        return pb.ListNotebookNotesResponse(
            notes=[each.to_pb() for each in self.notes],
            next_page_token=self.next_page_token,
        )


class GetNotebookNoteRequest(ProtoModel):
    """Request of GetNotebookNote."""

    __proto__: ClassVar = pb.GetNotebookNoteRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the note.")

    @classmethod
    def read_pb(cls, message: pb.GetNotebookNoteRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.GetNotebookNoteRequest:
        """Makes a protobuf message."""
        return pb.GetNotebookNoteRequest(
            id=self.id,
        )


class CreateNotebookNoteRequest(ProtoModel):
    """Request of CreateNotebookNote."""

    __proto__: ClassVar = pb.CreateNotebookNoteRequest

    notebook_id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the notebook.")
    note: NotebookNote = Field(description="The note; `title` and `content` are required.")

    @classmethod
    def read_pb(cls, message: pb.CreateNotebookNoteRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "notebook_id": message.notebook_id,
        }
        if message.HasField("note"):
            data["note"] = NotebookNote.read_pb(message.note)
        return data

    def to_pb(self) -> pb.CreateNotebookNoteRequest:
        """Makes a protobuf message."""
        return pb.CreateNotebookNoteRequest(
            notebook_id=self.notebook_id,
            note=None if self.note is None else self.note.to_pb(),
        )


class SaveNotebookNoteRequest(ProtoModel):
    """Request of SaveNotebookNote."""

    __proto__: ClassVar = pb.SaveNotebookNoteRequest

    notebook_id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the notebook.")
    message_id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the answer.")
    title: Annotated[str, Field(max_length=255), _r.NAME] = Field(
        default="", description="Title of the note; empty means the beginning of the question."
    )

    @classmethod
    def read_pb(cls, message: pb.SaveNotebookNoteRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "notebook_id": message.notebook_id,
            "message_id": message.message_id,
            "title": message.title,
        }
        return data

    def to_pb(self) -> pb.SaveNotebookNoteRequest:
        """Makes a protobuf message."""
        return pb.SaveNotebookNoteRequest(
            notebook_id=self.notebook_id,
            message_id=self.message_id,
            title=self.title,
        )


class UpdateNotebookNoteRequest(UpdateModel):
    """Request of UpdateNotebookNote."""

    __proto__: ClassVar = pb.UpdateNotebookNoteRequest
    __resource__: ClassVar = ("note", NotebookNotePatch)

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the note.")
    note: NotebookNotePatch = Field(description="The new values.")
    update_mask: Annotated[
        _t.FieldMask,
        Field(min_length=1),
        _r.fields_of(
            "id",
            "notebook_id",
            "user_id",
            "user_name",
            "title",
            "content",
            "citations",
            "message_id",
            "creation_date",
            "last_update",
            "is_editable",
            "updated_by",
            "updated_by_name",
            "basis",
            "other_tools",
        ),
    ] = Field(description="Fields to change. Over REST, taken from the keys of the body.")
    expected_last_update: _t.Timestamp | None = Field(
        default=None,
        description="`last_update` of the note as the caller has read it, or its `creation_date` if it was never changed: the call then fails if it was changed since. Unset means to overwrite whatever it has.",
    )

    @classmethod
    def read_pb(cls, message: pb.UpdateNotebookNoteRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        if message.HasField("note"):
            data["note"] = NotebookNote.read_pb(message.note)
        if message.HasField("update_mask"):
            data["update_mask"] = list(message.update_mask.paths)
        if message.HasField("expected_last_update"):
            data["expected_last_update"] = message.expected_last_update.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.UpdateNotebookNoteRequest:
        """Makes a protobuf message."""
        return pb.UpdateNotebookNoteRequest(
            id=self.id,
            note=None if self.note is None else self.note.to_pb(),
            update_mask=None if self.update_mask is None else field_mask_pb2.FieldMask(paths=self.update_mask),
            expected_last_update=self.expected_last_update,
        )


class DeleteNotebookNoteRequest(ProtoModel):
    """Request of DeleteNotebookNote."""

    __proto__: ClassVar = pb.DeleteNotebookNoteRequest

    id: Annotated[_t.Int64, Field(gt=0)] = Field(description="ID of the note.")

    @classmethod
    def read_pb(cls, message: pb.DeleteNotebookNoteRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
        }
        return data

    def to_pb(self) -> pb.DeleteNotebookNoteRequest:
        """Makes a protobuf message."""
        return pb.DeleteNotebookNoteRequest(
            id=self.id,
        )


class NotebookNoteService(ABC):
    """Notes of notebooks. Superadmins who are not members see none."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["NotebookNoteService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("ListNotebookNotes", "list_notebook_notes", ListNotebookNotesRequest, ListNotebookNotesResponse),
        Method("GetNotebookNote", "get_notebook_note", GetNotebookNoteRequest, NotebookNote),
        Method("CreateNotebookNote", "create_notebook_note", CreateNotebookNoteRequest, NotebookNote),
        Method("SaveNotebookNote", "save_notebook_note", SaveNotebookNoteRequest, NotebookNote),
        Method("UpdateNotebookNote", "update_notebook_note", UpdateNotebookNoteRequest, NotebookNote),
        Method("DeleteNotebookNote", "delete_notebook_note", DeleteNotebookNoteRequest, Empty),
    )

    @abstractmethod
    async def list_notebook_notes(
        self, request: ListNotebookNotesRequest, call: CallContext
    ) -> ListNotebookNotesResponse:
        """Lists the notes of a notebook that the caller may read, newest first. Errors: NOT_FOUND, PERMISSION_DENIED (the
        caller is no member).
        """

    @abstractmethod
    async def get_notebook_note(self, request: GetNotebookNoteRequest, call: CallContext) -> NotebookNote:
        """Reads one note. Errors: NOT_FOUND."""

    @abstractmethod
    async def create_notebook_note(self, request: CreateNotebookNoteRequest, call: CallContext) -> NotebookNote:
        """Writes a note by hand. Errors: NOT_FOUND, PERMISSION_DENIED (the caller is no member)."""

    @abstractmethod
    async def save_notebook_note(self, request: SaveNotebookNoteRequest, call: CallContext) -> NotebookNote:
        """Saves a completed answer of a conversation of the notebook as a note, with its citations. Errors: NOT_FOUND (the
        notebook, or an answer in it that the caller may read), PERMISSION_DENIED, VALIDATION_FAILED (it is no completed
        answer).
        """

    @abstractmethod
    async def update_notebook_note(self, request: UpdateNotebookNoteRequest, call: CallContext) -> NotebookNote:
        """Updates `title` or `content`. Needs its author or an editor. Errors: NOT_FOUND, PERMISSION_DENIED, CHANGED_SINCE_READ
        (somebody has changed it since `expected_last_update`).
        """

    @abstractmethod
    async def delete_notebook_note(self, request: DeleteNotebookNoteRequest, call: CallContext) -> Empty:
        """Deletes a note permanently. Needs its author or an editor. Errors: NOT_FOUND, PERMISSION_DENIED."""
