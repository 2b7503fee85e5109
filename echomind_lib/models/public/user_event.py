"""The events of a user: what changed for them, without its content.

Generated from echomind/public/v1/user_event.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.run import RunStatus
from echomind_lib.pb.echomind.public.v1 import user_event_pb2 as pb


class UserEventKind(ProtoEnum):
    """Kind of a user event."""

    UNSPECIFIED = "USER_EVENT_KIND_UNSPECIFIED", 0
    """Unspecified."""
    RESYNC = "USER_EVENT_KIND_RESYNC", 1
    """The stream starts, or events were lost: data that was read before may be stale."""
    SESSION = "USER_EVENT_KIND_SESSION", 2
    """A chat session was created, changed or removed. `id` is that of the session."""
    RUN = "USER_EVENT_KIND_RUN", 3
    """The status of a run changed. `id` is that of the run; `chat_session_id` and `run_status` are set."""
    INBOX = "USER_EVENT_KIND_INBOX", 4
    """A run waits for the user, or no longer does. `id` is that of the run."""
    DOCUMENT = "USER_EVENT_KIND_DOCUMENT", 5
    """A document was stored or processed, or its processing failed. `id` is that of the document."""
    SETTINGS = "USER_EVENT_KIND_SETTINGS", 6
    """The user's profile or preferences changed. `id` is that of the user."""
    CONNECTOR = "USER_EVENT_KIND_CONNECTOR", 7
    """A connector or its sync changed. `id` is that of the connector."""
    NOTEBOOK = "USER_EVENT_KIND_NOTEBOOK", 8
    """A notebook of the user, its sources, members or conversations changed, or the user is no longer a member. `id` is
    that of the notebook.
    """


class UserEvent(ProtoModel):
    """Something changed: clients should read it again."""

    __proto__: ClassVar = pb.UserEvent
    __enums__: ClassVar = {
        "kind": UserEventKind,
        "run_status": RunStatus,
    }

    kind: UserEventKind = Field(default=UserEventKind.UNSPECIFIED, description="Kind of the event.")
    id: str = Field(default="", description="ID of what changed; empty for RESYNC.")
    version: _t.Int64 = Field(
        default=0,
        description="Increases with each change of the same item; for items of a session it is the ID of the session's event. 0 if there is no order.",
    )
    chat_session_id: _t.Int32 = Field(default=0, description="ID of the run's session.")
    run_status: RunStatus = Field(default=RunStatus.UNSPECIFIED, description="New status of the run.")

    @classmethod
    def read_pb(cls, message: pb.UserEvent) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "kind": UserEventKind.numbers.get(message.kind, message.kind),
            "id": message.id,
            "version": message.version,
            "chat_session_id": message.chat_session_id,
            "run_status": RunStatus.numbers.get(message.run_status, message.run_status),
        }
        return data

    def to_pb(self) -> pb.UserEvent:
        """Makes a protobuf message."""
        return pb.UserEvent(
            kind=self.kind.number,
            id=self.id,
            version=self.version,
            chat_session_id=self.chat_session_id,
            run_status=self.run_status.number,
        )
