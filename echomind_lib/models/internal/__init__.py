"""The models and services of the contract's internal part, generated from it.

Each is imported with its module when it is first asked for, so that nobody waits for models that they do not use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from echomind_lib.models.internal.embedding import (
        DescribeModelRequest,
        EmbeddingModelInfo,
        EmbeddingService,
        EmbedRequest,
        EmbedResponse,
        TextKind,
    )
    from echomind_lib.models.internal.messaging import (
        AccountChanged,
        AgentSlots,
        AgentSlotsAsked,
        ConnectorChanged,
        ConnectorTestReply,
        ConnectorTestRequest,
        Control,
        ControlRequested,
        DocumentChanged,
        DocumentProcess,
        EventsStored,
        JobRequested,
        ProgramReply,
        ProgramRequest,
        RunAssigned,
        RunRequested,
        SnapshotReply,
        SnapshotRequest,
        TextDelta,
        ToolsReply,
        ToolsRequest,
        UserChanged,
    )
else:
    _MODULES = {
        "AccountChanged": "echomind_lib.models.internal.messaging",
        "AgentSlots": "echomind_lib.models.internal.messaging",
        "AgentSlotsAsked": "echomind_lib.models.internal.messaging",
        "ConnectorChanged": "echomind_lib.models.internal.messaging",
        "ConnectorTestReply": "echomind_lib.models.internal.messaging",
        "ConnectorTestRequest": "echomind_lib.models.internal.messaging",
        "Control": "echomind_lib.models.internal.messaging",
        "ControlRequested": "echomind_lib.models.internal.messaging",
        "DescribeModelRequest": "echomind_lib.models.internal.embedding",
        "DocumentChanged": "echomind_lib.models.internal.messaging",
        "DocumentProcess": "echomind_lib.models.internal.messaging",
        "EmbedRequest": "echomind_lib.models.internal.embedding",
        "EmbedResponse": "echomind_lib.models.internal.embedding",
        "EmbeddingModelInfo": "echomind_lib.models.internal.embedding",
        "EmbeddingService": "echomind_lib.models.internal.embedding",
        "EventsStored": "echomind_lib.models.internal.messaging",
        "JobRequested": "echomind_lib.models.internal.messaging",
        "ProgramReply": "echomind_lib.models.internal.messaging",
        "ProgramRequest": "echomind_lib.models.internal.messaging",
        "RunAssigned": "echomind_lib.models.internal.messaging",
        "RunRequested": "echomind_lib.models.internal.messaging",
        "SnapshotReply": "echomind_lib.models.internal.messaging",
        "SnapshotRequest": "echomind_lib.models.internal.messaging",
        "TextDelta": "echomind_lib.models.internal.messaging",
        "TextKind": "echomind_lib.models.internal.embedding",
        "ToolsReply": "echomind_lib.models.internal.messaging",
        "ToolsRequest": "echomind_lib.models.internal.messaging",
        "UserChanged": "echomind_lib.models.internal.messaging",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return globals().setdefault(name, getattr(import_module(_MODULES[name]), name))


__all__ = [
    "AccountChanged",
    "AgentSlots",
    "AgentSlotsAsked",
    "ConnectorChanged",
    "ConnectorTestReply",
    "ConnectorTestRequest",
    "Control",
    "ControlRequested",
    "DescribeModelRequest",
    "DocumentChanged",
    "DocumentProcess",
    "EmbedRequest",
    "EmbedResponse",
    "EmbeddingModelInfo",
    "EmbeddingService",
    "EventsStored",
    "JobRequested",
    "ProgramReply",
    "ProgramRequest",
    "RunAssigned",
    "RunRequested",
    "SnapshotReply",
    "SnapshotRequest",
    "TextDelta",
    "TextKind",
    "ToolsReply",
    "ToolsRequest",
    "UserChanged",
]
