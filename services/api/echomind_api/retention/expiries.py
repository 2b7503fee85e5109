"""The kinds of data that rules are for, with what deletes each."""

from collections.abc import Callable, Mapping

from echomind_api.administration.purge import Purge
from echomind_api.retention.audit_entries import AuditExpiry
from echomind_api.retention.deliveries import DeliveryExpiry
from echomind_api.retention.events import EventExpiry
from echomind_api.retention.expiry import Expiry
from echomind_api.retention.sessions import ListedSessionExpiry, RemovedSessionExpiry, UnlistedSessionExpiry
from echomind_api.retention.steps import StepExpiry
from echomind_lib.db.database import Database
from echomind_lib.db.words import RetentionData

Expiries = Mapping[RetentionData, Callable[[int], Expiry]]


def expiries(database: Database, purge: Purge) -> Expiries:
    """Returns what deletes each kind of data that is kept for a given number of days."""
    return {
        "chat_sessions": lambda days: ListedSessionExpiry(database, days, purge),
        "removed_chat_sessions": lambda days: RemovedSessionExpiry(database, days, purge),
        "unlisted_chat_sessions": lambda days: UnlistedSessionExpiry(database, days, purge),
        "run_steps": lambda days: StepExpiry(database, days),
        "run_events": lambda days: EventExpiry(database, days),
        "audit_entries": lambda days: AuditExpiry(database, days),
        "webhook_deliveries": lambda days: DeliveryExpiry(database, days),
    }
