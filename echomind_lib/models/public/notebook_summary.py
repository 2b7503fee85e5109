"""

Generated from echomind/public/v1/notebook_summary.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.pb.echomind.public.v1 import notebook_summary_pb2 as pb


class NotebookSummaryState(ProtoEnum):
    """State of the summary of a notebook's sources."""

    UNSPECIFIED = "NOTEBOOK_SUMMARY_STATE_UNSPECIFIED", 0
    """Unspecified."""
    NO_SOURCES = "NOTEBOOK_SUMMARY_STATE_NO_SOURCES", 1
    """There is nothing to summarize: no document is indexed that the caller may read. Documents whose own permissions at
    their source decide who reads them are never summarized.
    """
    NOT_REQUESTED = "NOTEBOOK_SUMMARY_STATE_NOT_REQUESTED", 2
    """It was not requested for these sources; RequestNotebookSummary does."""
    PENDING = "NOTEBOOK_SUMMARY_STATE_PENDING", 3
    """It is being written."""
    READY = "NOTEBOOK_SUMMARY_STATE_READY", 4
    """It is written."""
    FAILED = "NOTEBOOK_SUMMARY_STATE_FAILED", 5
    """It could not be written; `status_message` says why."""


class NotebookSummary(ProtoModel):
    """A summary of the documents of a notebook, with questions that they answer. It belongs to exactly the documents that
    the caller may read, in their present versions: when one is added, changed or removed, another summary is written.
    """

    __proto__: ClassVar = pb.NotebookSummary
    __enums__: ClassVar = {
        "state": NotebookSummaryState,
    }

    notebook_id: _t.Int64 = Field(default=0, description="ID of the notebook.")
    state: NotebookSummaryState = Field(default=NotebookSummaryState.UNSPECIFIED, description="State.")
    content: str = Field(
        default="",
        description="The summary, as plain text in the language of the documents. Empty unless the state is READY.",
    )
    questions: list[str] = Field(default_factory=list, description="Questions that the documents answer, at most 5.")
    documents: _t.Int32 = Field(
        default=0, description="Number of documents that it covers: the first of the notebook, at most 20."
    )
    model: str = Field(
        default="",
        description="Name of the chat model that wrote it, `extractive` for the built-in one, which quotes. Empty without a summary.",
    )
    status_message: str = Field(default="", description="Why it could not be written; empty otherwise.")
    creation_date: _t.Timestamp | None = Field(default=None, description="When it was written, or failed.")

    @classmethod
    def read_pb(cls, message: pb.NotebookSummary) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "notebook_id": message.notebook_id,
            "state": NotebookSummaryState.numbers.get(message.state, message.state),
            "content": message.content,
            "questions": list(message.questions),
            "documents": message.documents,
            "model": message.model,
            "status_message": message.status_message,
        }
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.NotebookSummary:
        """Makes a protobuf message."""
        return pb.NotebookSummary(
            notebook_id=self.notebook_id,
            state=self.state.number,
            content=self.content,
            questions=self.questions,
            documents=self.documents,
            model=self.model,
            status_message=self.status_message,
            creation_date=self.creation_date,
        )
