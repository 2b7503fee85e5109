"""Messages over NATS. The rows in PostgreSQL are the truth: a message says only which row to look at.

Generated from echomind/internal/v1/messaging.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.assistant import ToolInfo
from echomind_lib.models.public.connector import ConnectorCheck
from echomind_lib.models.public.session_event import MessageDelta, MessageSnapshot, RunText, SessionEvent
from echomind_lib.models.public.user_event import UserEvent
from echomind_lib.pb.echomind.internal.v1 import messaging_pb2 as pb


class Control(ProtoEnum):
    """A control that a person requested for a run."""

    UNSPECIFIED = "CONTROL_UNSPECIFIED", 0
    """No control."""
    CANCEL = "CONTROL_CANCEL", 1
    """Cancel the run."""
    PAUSE = "CONTROL_PAUSE", 2
    """Pause the run at its next step."""
    RESUME = "CONTROL_RESUME", 3
    """Resume the run; withdraws a pause that has not taken effect."""


class RunRequested(ProtoModel):
    """`runs.requested`: a run is queued."""

    __proto__: ClassVar = pb.RunRequested

    run_id: str = Field(
        default="",
        description="UUID of the queued run; empty if any may be claimed. The message only wakes a worker, which claims the next run of the queue.",
    )

    @classmethod
    def read_pb(cls, message: pb.RunRequested) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "run_id": message.run_id,
        }
        return data

    def to_pb(self) -> pb.RunRequested:
        """Makes a protobuf message."""
        return pb.RunRequested(
            run_id=self.run_id,
        )


class RunAssigned(ProtoModel):
    """`runs.assigned.{worker}`: a run was claimed for this agent when its question was stored."""

    __proto__: ClassVar = pb.RunAssigned

    run_id: str = Field(default="", description="UUID of the run, which is running already.")

    @classmethod
    def read_pb(cls, message: pb.RunAssigned) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "run_id": message.run_id,
        }
        return data

    def to_pb(self) -> pb.RunAssigned:
        """Makes a protobuf message."""
        return pb.RunAssigned(
            run_id=self.run_id,
        )


class AgentSlots(ProtoModel):
    """`agents.slots`: how many runs an agent may start now."""

    __proto__: ClassVar = pb.AgentSlots

    worker_id: str = Field(default="", description="UUID of the agent's row in `workers`.")
    free: _t.UInt32 = Field(default=0, description="Free slots; 0 if no run may be assigned to it.")
    runs_per_person: _t.UInt32 = Field(default=0, description="Maximum number of active root runs of one person.")
    run_id: str = Field(
        default="", description="UUID of the run that it has received before it says so; empty for none."
    )

    @classmethod
    def read_pb(cls, message: pb.AgentSlots) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "worker_id": message.worker_id,
            "free": message.free,
            "runs_per_person": message.runs_per_person,
            "run_id": message.run_id,
        }
        return data

    def to_pb(self) -> pb.AgentSlots:
        """Makes a protobuf message."""
        return pb.AgentSlots(
            worker_id=self.worker_id,
            free=self.free,
            runs_per_person=self.runs_per_person,
            run_id=self.run_id,
        )


class AgentSlotsAsked(ProtoModel):
    """`agents.asked`: agents answer on `agents.slots`."""

    __proto__: ClassVar = pb.AgentSlotsAsked


class DocumentProcess(ProtoModel):
    """`documents.process` and `documents.background`: a document waits to be processed."""

    __proto__: ClassVar = pb.DocumentProcess

    document_id: _t.Int64 = Field(default=0, description="The document.")

    @classmethod
    def read_pb(cls, message: pb.DocumentProcess) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "document_id": message.document_id,
        }
        return data

    def to_pb(self) -> pb.DocumentProcess:
        """Makes a protobuf message."""
        return pb.DocumentProcess(
            document_id=self.document_id,
        )


class EventsStored(ProtoModel):
    """`events.{session}`: stored events of a session, in the order of their ids."""

    __proto__: ClassVar = pb.EventsStored

    previous_id: _t.Int64 = Field(
        default=0,
        description="ID of the last event of the session that was stored before these; 0 if there was none. If it does not match, the listener reads the table.",
    )
    events: list[SessionEvent] = Field(
        default_factory=list,
        description="The events; none if they are larger than NATS takes, then the listener reads the table.",
    )

    @classmethod
    def read_pb(cls, message: pb.EventsStored) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "previous_id": message.previous_id,
            "events": [SessionEvent.read_pb(each) for each in message.events],
        }
        return data

    def to_pb(self) -> pb.EventsStored:
        """Makes a protobuf message."""
        return pb.EventsStored(
            previous_id=self.previous_id,
            events=[each.to_pb() for each in self.events],
        )


class TextDelta(ProtoModel):
    """`deltas.{session}`: more text of a message, or of a run without a message."""

    __proto__: ClassVar = pb.TextDelta

    run_id: str = Field(default="", description="The run's UUID.")
    delta: MessageDelta | None = Field(default=None, description="The text and its position.")
    run_text: RunText | None = Field(
        default=None, description="More text of a run without a message; `delta` is unset then."
    )
    member: str = Field(default="", description="Name of the team member that executes the run; empty for other runs.")

    @classmethod
    def read_pb(cls, message: pb.TextDelta) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "run_id": message.run_id,
            "member": message.member,
        }
        if message.HasField("delta"):
            data["delta"] = MessageDelta.read_pb(message.delta)
        if message.HasField("run_text"):
            data["run_text"] = RunText.read_pb(message.run_text)
        return data

    def to_pb(self) -> pb.TextDelta:
        """Makes a protobuf message."""
        return pb.TextDelta(
            run_id=self.run_id,
            delta=None if self.delta is None else self.delta.to_pb(),
            run_text=None if self.run_text is None else self.run_text.to_pb(),
            member=self.member,
        )


class ControlRequested(ProtoModel):
    """`control.{run}`: `runs.control_requested` has changed."""

    __proto__: ClassVar = pb.ControlRequested
    __enums__: ClassVar = {
        "control": Control,
    }

    run_id: str = Field(default="", description="The run's UUID.")
    control: Control = Field(default=Control.UNSPECIFIED, description="The requested control.")

    @classmethod
    def read_pb(cls, message: pb.ControlRequested) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "run_id": message.run_id,
            "control": Control.numbers.get(message.control, message.control),
        }
        return data

    def to_pb(self) -> pb.ControlRequested:
        """Makes a protobuf message."""
        return pb.ControlRequested(
            run_id=self.run_id,
            control=self.control.number,
        )


class SnapshotRequest(ProtoModel):
    """Request on `snapshot.{run}`: the worker that executes the run answers with the text written so far."""

    __proto__: ClassVar = pb.SnapshotRequest


class SnapshotReply(ProtoModel):
    """Reply on `snapshot.{run}`."""

    __proto__: ClassVar = pb.SnapshotReply

    snapshot: MessageSnapshot | None = Field(default=None, description="The text written so far.")
    run_text: RunText | None = Field(default=None, description="The text of a run without a message.")
    member: str = Field(default="", description="Name of the team member that executes the run; empty for other runs.")

    @classmethod
    def read_pb(cls, message: pb.SnapshotReply) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "member": message.member,
        }
        if message.HasField("snapshot"):
            data["snapshot"] = MessageSnapshot.read_pb(message.snapshot)
        if message.HasField("run_text"):
            data["run_text"] = RunText.read_pb(message.run_text)
        return data

    def to_pb(self) -> pb.SnapshotReply:
        """Makes a protobuf message."""
        return pb.SnapshotReply(
            snapshot=None if self.snapshot is None else self.snapshot.to_pb(),
            run_text=None if self.run_text is None else self.run_text.to_pb(),
            member=self.member,
        )


class JobRequested(ProtoModel):
    """`jobs.{kind}`: background jobs of a kind are ready."""

    __proto__: ClassVar = pb.JobRequested

    job_id: _t.Int64 = Field(
        default=0,
        description="ID of the row in `background_jobs`, in dead letters; 0 in wake-ups, as a worker claims the job that has been waiting longest.",
    )

    @classmethod
    def read_pb(cls, message: pb.JobRequested) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "job_id": message.job_id,
        }
        return data

    def to_pb(self) -> pb.JobRequested:
        """Makes a protobuf message."""
        return pb.JobRequested(
            job_id=self.job_id,
        )


class ToolsRequest(ProtoModel):
    """Request on `tools.list`: an agent answers with the tools that an assistant can call."""

    __proto__: ClassVar = pb.ToolsRequest

    assistant_id: _t.Int32 = Field(
        default=0,
        description="ID of the assistant; 0 returns the tools that every assistant can name, which excludes those of MCP servers.",
    )

    @classmethod
    def read_pb(cls, message: pb.ToolsRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "assistant_id": message.assistant_id,
        }
        return data

    def to_pb(self) -> pb.ToolsRequest:
        """Makes a protobuf message."""
        return pb.ToolsRequest(
            assistant_id=self.assistant_id,
        )


class ProgramRequest(ProtoModel):
    """Request on `programs.check`: an agent answers whether it can start a program as an MCP server."""

    __proto__: ClassVar = pb.ProgramRequest

    command: str = Field(default="", description="The program: a name or a path.")
    args: list[str] = Field(default_factory=list, description="Its arguments.")

    @classmethod
    def read_pb(cls, message: pb.ProgramRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "command": message.command,
            "args": list(message.args),
        }
        return data

    def to_pb(self) -> pb.ProgramRequest:
        """Makes a protobuf message."""
        return pb.ProgramRequest(
            command=self.command,
            args=self.args,
        )


class ProgramReply(ProtoModel):
    """Reply on `programs.check`."""

    __proto__: ClassVar = pb.ProgramReply

    problem: str = Field(default="", description="Why it cannot, and what to do, for superadmins; empty if it can.")

    @classmethod
    def read_pb(cls, message: pb.ProgramReply) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "problem": message.problem,
        }
        return data

    def to_pb(self) -> pb.ProgramReply:
        """Makes a protobuf message."""
        return pb.ProgramReply(
            problem=self.problem,
        )


class ToolsReply(ProtoModel):
    """Reply on `tools.list`."""

    __proto__: ClassVar = pb.ToolsReply

    tools: list[ToolInfo] = Field(default_factory=list, description="The tools.")

    @classmethod
    def read_pb(cls, message: pb.ToolsReply) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "tools": [ToolInfo.read_pb(each) for each in message.tools],
        }
        return data

    def to_pb(self) -> pb.ToolsReply:
        """Makes a protobuf message."""
        return pb.ToolsReply(
            tools=[each.to_pb() for each in self.tools],
        )


class DocumentChanged(ProtoModel):
    """`changes.document`: a document was processed, or its processing has failed."""

    __proto__: ClassVar = pb.DocumentChanged

    document_id: _t.Int64 = Field(default=0, description="The document.")

    @classmethod
    def read_pb(cls, message: pb.DocumentChanged) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "document_id": message.document_id,
        }
        return data

    def to_pb(self) -> pb.DocumentChanged:
        """Makes a protobuf message."""
        return pb.DocumentChanged(
            document_id=self.document_id,
        )


class UserChanged(ProtoModel):
    """`changes.user`: something of a user changed that has no session events."""

    __proto__: ClassVar = pb.UserChanged

    user_id: _t.Int32 = Field(default=0, description="ID of the user.")
    event: UserEvent | None = Field(default=None, description="What changed.")

    @classmethod
    def read_pb(cls, message: pb.UserChanged) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "user_id": message.user_id,
        }
        if message.HasField("event"):
            data["event"] = UserEvent.read_pb(message.event)
        return data

    def to_pb(self) -> pb.UserChanged:
        """Makes a protobuf message."""
        return pb.UserChanged(
            user_id=self.user_id,
            event=None if self.event is None else self.event.to_pb(),
        )


class AccountChanged(ProtoModel):
    """`accounts.changed`: credentials or rights of an account were revoked; replicas check its open streams immediately."""

    __proto__: ClassVar = pb.AccountChanged

    user_id: _t.Int32 = Field(default=0, description="ID of the user.")

    @classmethod
    def read_pb(cls, message: pb.AccountChanged) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "user_id": message.user_id,
        }
        return data

    def to_pb(self) -> pb.AccountChanged:
        """Makes a protobuf message."""
        return pb.AccountChanged(
            user_id=self.user_id,
        )


class ConnectorChanged(ProtoModel):
    """`changes.connector`: a connector or its sync changed; for everyone who may read the connector."""

    __proto__: ClassVar = pb.ConnectorChanged

    connector_id: _t.Int32 = Field(default=0, description="The connector.")

    @classmethod
    def read_pb(cls, message: pb.ConnectorChanged) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "connector_id": message.connector_id,
        }
        return data

    def to_pb(self) -> pb.ConnectorChanged:
        """Makes a protobuf message."""
        return pb.ConnectorChanged(
            connector_id=self.connector_id,
        )


class ConnectorTestRequest(ProtoModel):
    """Request on `sources.test`: an ingestor checks whether a source can be read. Secrets are sent encrypted."""

    __proto__: ClassVar = pb.ConnectorTestRequest

    connector_id: _t.Int32 = Field(default=0, description="ID of the connector; 0 if it is not stored.")
    type_name: str = Field(default="", description="The name of its type.")
    config: str = Field(default="", description="Its settings, as JSON.")
    encrypted_credentials: str = Field(
        default="", description="Its credentials as stored: a Fernet token over JSON; empty for none."
    )
    syncs_permissions: bool = Field(default=False, description="Whether to check that permissions can be read as well.")

    @classmethod
    def read_pb(cls, message: pb.ConnectorTestRequest) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "connector_id": message.connector_id,
            "type_name": message.type_name,
            "config": message.config,
            "encrypted_credentials": message.encrypted_credentials,
            "syncs_permissions": message.syncs_permissions,
        }
        return data

    def to_pb(self) -> pb.ConnectorTestRequest:
        """Makes a protobuf message."""
        return pb.ConnectorTestRequest(
            connector_id=self.connector_id,
            type_name=self.type_name,
            config=self.config,
            encrypted_credentials=self.encrypted_credentials,
            syncs_permissions=self.syncs_permissions,
        )


class ConnectorTestReply(ProtoModel):
    """Reply on `sources.test`."""

    __proto__: ClassVar = pb.ConnectorTestReply

    checks: list[ConnectorCheck] = Field(default_factory=list, description="The checks.")

    @classmethod
    def read_pb(cls, message: pb.ConnectorTestReply) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "checks": [ConnectorCheck.read_pb(each) for each in message.checks],
        }
        return data

    def to_pb(self) -> pb.ConnectorTestReply:
        """Makes a protobuf message."""
        return pb.ConnectorTestReply(
            checks=[each.to_pb() for each in self.checks],
        )
