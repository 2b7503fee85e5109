"""NATS: streams, consumers and the live wire. PostgreSQL is the truth; a message only says where to look."""

from echomind_lib.messaging.bus import Bus, Delivery, Subscription
from echomind_lib.messaging.streams import (
    DOCUMENTS_PROCESS,
    PROGRAMS_CHECK,
    RUNS_REQUESTED,
    TOOLS_LIST,
    Consumer,
    control_subject,
    deltas_subject,
    events_subject,
    snapshot_subject,
)

__all__ = [
    "DOCUMENTS_PROCESS",
    "PROGRAMS_CHECK",
    "RUNS_REQUESTED",
    "TOOLS_LIST",
    "Bus",
    "Consumer",
    "Delivery",
    "Subscription",
    "control_subject",
    "deltas_subject",
    "events_subject",
    "snapshot_subject",
]
