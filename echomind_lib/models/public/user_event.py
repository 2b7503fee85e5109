"""What a person's event stream carries: what has changed for them, without its content.

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
    """What kind of thing has changed."""

    UNSPECIFIED = "USER_EVENT_KIND_UNSPECIFIED", 0
    """Unspecified."""
    RESYNC = "USER_EVENT_KIND_RESYNC", 1
    """The stream begins, or some events were lost: whatever was read before may be old."""
    SESSION = "USER_EVENT_KIND_SESSION", 2
    """A chat session began, changed, or was removed. `id` is the session's."""
    RUN = "USER_EVENT_KIND_RUN", 3
    """A run's status has changed. `id` is the run's; `chat_session_id` and `run_status` are set."""
    INBOX = "USER_EVENT_KIND_INBOX", 4
    """A run waits for the person, or does not any more. `id` is the run's."""
    DOCUMENT = "USER_EVENT_KIND_DOCUMENT", 5
    """A document was stored or processed, or its processing failed. `id` is the document's."""
    SETTINGS = "USER_EVENT_KIND_SETTINGS", 6
    """The person's profile or preferences have changed. `id` is theirs."""
    CONNECTOR = "USER_EVENT_KIND_CONNECTOR", 7
    """A connector or its sync has changed. `id` is the connector's."""
    NOTEBOOK = "USER_EVENT_KIND_NOTEBOOK", 8
    """A notebook that the person is a member of, its sources, members or conversations have changed, or they are no member
    any more. `id` is the notebook's.
    """


class UserEvent(ProtoModel):
    """Something has changed: read it again."""

    __proto__: ClassVar = pb.UserEvent
    __enums__: ClassVar = {
        "kind": UserEventKind,
        "run_status": RunStatus,
    }

    kind: UserEventKind = Field(default=UserEventKind.UNSPECIFIED, description="What kind of thing.")
    id: str = Field(default="", description="Its identifier; empty for RESYNC.")
    version: _t.Int64 = Field(
        default=0,
        description="Rises with each change of the same thing; of what is kept in a session it is the id of the session's event. 0 where there is no order.",
    )
    chat_session_id: _t.Int32 = Field(default=0, description="The session of a run.")
    run_status: RunStatus = Field(default=RunStatus.UNSPECIFIED, description="The new status of a run.")

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
