"""The models and services of the contract's internal part, generated from it."""

from echomind_lib.models.internal.embedding import (
    EmbeddingModelInfo,
    EmbeddingService,
    EmbedRequest,
    EmbedResponse,
    TextKind,
)
from echomind_lib.models.internal.messaging import (
    Control,
    ControlRequested,
    DocumentProcess,
    EventsStored,
    JobRequested,
    ProgramReply,
    ProgramRequest,
    RunRequested,
    SnapshotReply,
    SnapshotRequest,
    TextDelta,
    ToolsReply,
    ToolsRequest,
)

__all__ = [
    "Control",
    "ControlRequested",
    "DocumentProcess",
    "EmbedRequest",
    "EmbedResponse",
    "EmbeddingModelInfo",
    "EmbeddingService",
    "EventsStored",
    "JobRequested",
    "ProgramReply",
    "ProgramRequest",
    "RunRequested",
    "SnapshotReply",
    "SnapshotRequest",
    "TextDelta",
    "TextKind",
    "ToolsReply",
    "ToolsRequest",
]
