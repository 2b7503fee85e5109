"""The streams, their consumers and all subjects. No other module defines them."""

from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, RetentionPolicy, StreamConfig
from nats.js.errors import BadRequestError, NotFoundError

from echomind_lib.process.retries import BACKGROUND_ATTEMPTS

_DAY = 24 * 3600.0
_STREAM_DIFFERS = 10058
"""The server's error code for an existing stream with another configuration (JSStreamNameExistErr)."""

_STREAMS = (
    StreamConfig(name="INGEST", subjects=["documents.>"], retention=RetentionPolicy.WORK_QUEUE, max_age=7 * _DAY),
    StreamConfig(name="DLQ", subjects=["dlq.>"], max_age=30 * _DAY),
)
_REMOVED_STREAMS = ("RUNS",)
"""Streams of data folders of other versions, which would keep messages that nobody reads."""


@dataclass(frozen=True, slots=True)
class Consumer:
    """A durable consumer of one subject of one stream."""

    stream: str
    subject: str
    durable: str
    max_deliver: int = 5
    """Deliveries of one message before it is moved to the dead letters."""
    ack_wait: float = 30.0
    """Seconds until an unacknowledged message is delivered again; longer work extends it."""

    def config(self) -> ConsumerConfig:
        """Returns its configuration on the server."""
        return ConsumerConfig(
            durable_name=self.durable,
            filter_subject=self.subject,
            ack_policy=AckPolicy.EXPLICIT,
            # One more than our own limit: the last delivery must reach the handler, which moves it to the dead letters.
            max_deliver=self.max_deliver + 1,
            ack_wait=self.ack_wait,
            max_ack_pending=100_000,
        )


DOCUMENTS_PROCESS = Consumer("INGEST", "documents.process", "ingestor-process", max_deliver=BACKGROUND_ATTEMPTS)
"""Documents that a person waits for, such as uploads; they go first."""
DOCUMENTS_BACKGROUND = Consumer(
    "INGEST", "documents.background", "ingestor-background", max_deliver=BACKGROUND_ATTEMPTS
)
"""All other documents: those of syncs, of the guide, within other files, and of large changes."""

RUNS_REQUESTED = "runs.requested"
"""A run is queued (`RunRequested`); one agent with a free slot gets each request, and sweeps repair lost ones."""

AGENTS_SLOTS = "agents.slots"
"""Announcements of agents (`AgentSlots`): how many runs they may start, and which assigned run they have received."""

AGENTS_ASKED = "agents.asked"
"""Asks all agents to announce their slots (`AgentSlotsAsked`)."""

TOOLS_LIST = "tools.list"
"""Requests for an assistant's current tools; one agent answers each."""

PROGRAMS_CHECK = "programs.check"
"""Requests to check whether a program may be started as an MCP server; one agent answers each."""

SOURCES_TEST = "sources.test"
"""Requests to test whether a source can be read; one ingestor answers each."""

CHANGES = "changes.*"
"""Live notifications of changes without session events."""

DOCUMENT_CHANGED = "changes.document"
"""A document was processed (`DocumentChanged`)."""

CONNECTOR_CHANGED = "changes.connector"
"""A connector or its sync has changed (`ConnectorChanged`)."""

USER_CHANGED = "changes.user"
"""Data of one user has changed (`UserChanged`)."""

ACCOUNT_CHANGED = "accounts.changed"
"""Credentials or rights of one account were revoked (`AccountChanged`)."""

CONSUMERS = (DOCUMENTS_PROCESS, DOCUMENTS_BACKGROUND)


def assigned_subject(worker_id: UUID) -> str:
    """Returns the subject of the runs that are assigned to an agent (`RunAssigned`)."""
    return f"runs.assigned.{worker_id}"


def events_subject(chat_session_id: int) -> str:
    """Returns the subject of a session's stored events (`EventsStored`)."""
    return f"events.{chat_session_id}"


def deltas_subject(chat_session_id: int) -> str:
    """Returns the subject of text that is being generated in a session (`TextDelta`)."""
    return f"deltas.{chat_session_id}"


def control_subject(run_id: UUID | str) -> str:
    """Returns the subject on which a run's worker receives controls (`ControlRequested`)."""
    return f"control.{run_id}"


def snapshot_subject(run_id: UUID | str) -> str:
    """Returns the subject on which a run's worker replies with the text so far (`SnapshotRequest`, `SnapshotReply`)."""
    return f"snapshot.{run_id}"


async def declare(jetstream: JetStreamContext, replicas: int = 1) -> None:
    """Creates missing streams and consumers, updates changed and deletes removed ones; safe to call at every start."""
    for stream in _STREAMS:
        expected = stream.evolve(num_replicas=replicas)
        try:
            await jetstream.add_stream(expected)
        except BadRequestError as error:
            if error.err_code != _STREAM_DIFFERS:
                raise
            await jetstream.update_stream(expected)
    for name in _REMOVED_STREAMS:
        with suppress(NotFoundError):
            await jetstream.delete_stream(name)
    for consumer in CONSUMERS:
        await jetstream.add_consumer(consumer.stream, consumer.config())
