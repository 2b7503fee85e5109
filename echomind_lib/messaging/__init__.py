"""NATS: streams, consumers and live subjects. PostgreSQL is the source of truth; messages only refer to its rows."""

from echomind_lib.messaging.bus import Bus, Delivery, Subscription
from echomind_lib.messaging.streams import (
    ACCOUNT_CHANGED,
    CHANGES,
    CONNECTOR_CHANGED,
    DOCUMENT_CHANGED,
    DOCUMENTS_PROCESS,
    PROGRAMS_CHECK,
    RUNS_REQUESTED,
    SOURCES_TEST,
    TOOLS_LIST,
    USER_CHANGED,
    Consumer,
    control_subject,
    deltas_subject,
    events_subject,
    snapshot_subject,
)

__all__ = [
    "ACCOUNT_CHANGED",
    "CHANGES",
    "CONNECTOR_CHANGED",
    "DOCUMENTS_PROCESS",
    "DOCUMENT_CHANGED",
    "PROGRAMS_CHECK",
    "RUNS_REQUESTED",
    "SOURCES_TEST",
    "TOOLS_LIST",
    "USER_CHANGED",
    "Bus",
    "Consumer",
    "Delivery",
    "Subscription",
    "control_subject",
    "deltas_subject",
    "events_subject",
    "snapshot_subject",
]
