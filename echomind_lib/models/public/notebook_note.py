"""

Generated from echomind/public/v1/notebook_note.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import PatchModel, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.chat_message import AnswerBasis, Citation
from echomind_lib.pb.echomind.public.v1 import notebook_note_pb2 as pb


class NotebookNote(ProtoModel):
    """A note in a notebook: an answer that a member has kept, or written by hand. Members see it while they may read every
    document that its answer has drawn on.
    """

    __proto__: ClassVar = pb.NotebookNote
    __enums__: ClassVar = {
        "basis": AnswerBasis,
    }

    id: _t.Int64 = Field(default=0, description="Identifier; set by the server.")
    notebook_id: _t.Int64 = Field(default=0, description="ID of its notebook; set by the server.")
    user_id: _t.Int32 = Field(default=0, description="ID of its author; set by the server.")
    user_name: str = Field(
        default="", description="First and last name of its author, or else the user name; set by the server."
    )
    title: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(description="Its title.")
    content: Annotated[str, Field(min_length=1, max_length=100000)] = Field(
        description="Its text, in Markdown; `[1]` refers to `citations`."
    )
    citations: list[Citation] = Field(
        default_factory=list,
        description="Citations of the answer that it was saved from, of the sentences that are still in its content; set by the server.",
    )
    message_id: _t.Int64 | None = Field(
        default=None,
        description="ID of the answer that it was saved from; unset for a note written by hand, and after the answer was deleted. Set by the server.",
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="Creation time; set by the server.")
    last_update: _t.Timestamp | None = Field(
        default=None, description="Time of the last change; empty if never changed."
    )
    is_editable: bool = Field(
        default=False,
        description="Whether the caller may change and delete it: its author, and editors of the notebook. Set by the server.",
    )
    updated_by: _t.Int32 = Field(
        default=0,
        description="ID of the person who made the last change; 0 if nobody did, and for those who may not change it. Set by the server.",
    )
    updated_by_name: str = Field(
        default="",
        description="Their first and last name, or else the user name; empty if `updated_by` is 0. Set by the server.",
    )
    basis: AnswerBasis = Field(
        default=AnswerBasis.UNSPECIFIED,
        description="What the answer that it was saved from stands on; unspecified for a note written by hand, and once its content was changed. Set by the server.",
    )
    other_tools: list[str] = Field(
        default_factory=list,
        description="Names of the tools besides those of documents whose results that answer was written after. Set by the server.",
    )

    @classmethod
    def read_pb(cls, message: pb.NotebookNote) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "notebook_id": message.notebook_id,
            "user_id": message.user_id,
            "user_name": message.user_name,
            "title": message.title,
            "content": message.content,
            "citations": [Citation.read_pb(each) for each in message.citations],
            "is_editable": message.is_editable,
            "updated_by": message.updated_by,
            "updated_by_name": message.updated_by_name,
            "basis": AnswerBasis.numbers.get(message.basis, message.basis),
            "other_tools": list(message.other_tools),
        }
        if message.HasField("message_id"):
            data["message_id"] = message.message_id
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.NotebookNote:
        """Makes a protobuf message."""
        return pb.NotebookNote(
            id=self.id,
            notebook_id=self.notebook_id,
            user_id=self.user_id,
            user_name=self.user_name,
            title=self.title,
            content=self.content,
            citations=[each.to_pb() for each in self.citations],
            message_id=self.message_id,
            creation_date=self.creation_date,
            last_update=self.last_update,
            is_editable=self.is_editable,
            updated_by=self.updated_by,
            updated_by_name=self.updated_by_name,
            basis=self.basis.number,
            other_tools=self.other_tools,
        )


class NotebookNotePatch(PatchModel, NotebookNote):
    """New values of NotebookNote: what is not given stays as it is, null resets to the default."""

    title: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(default="", description="Its title.")
    content: Annotated[str, Field(min_length=1, max_length=100000)] = Field(
        default="", description="Its text, in Markdown; `[1]` refers to `citations`."
    )
