"""Syncs that read nothing need attention, and count all their failures.

Revision ID: 0049
"""

from alembic import op

revision = "0049"
down_revision = "0047"
branch_labels = None
depends_on = None

_STATUSES = {
    "connectors": ("pending", "syncing", "active", "error", "disabled"),
    "connector_syncs": ("pending", "running", "waiting_for_confirmation", "completed", "failed", "cancelled"),
}


def upgrade() -> None:
    """Allow the status, and count the failures of past syncs."""
    for table, statuses in _STATUSES.items():
        _allow(table, (*statuses, "needs_attention"))
    op.execute("ALTER TABLE connector_syncs ADD COLUMN failures INTEGER NOT NULL DEFAULT 0")
    op.execute("ALTER TABLE connector_syncs DISABLE TRIGGER update_connector_syncs_last_update")
    op.execute(
        "UPDATE connector_syncs SET failures = found.number FROM ("
        "SELECT sync_id, count(*) AS number FROM connector_sync_failures GROUP BY sync_id"
        ") AS found WHERE found.sync_id = connector_syncs.id"
    )
    op.execute("ALTER TABLE connector_syncs ENABLE TRIGGER update_connector_syncs_last_update")


def downgrade() -> None:
    """Show the outcomes as before: completed."""
    op.execute("ALTER TABLE connector_syncs DROP COLUMN failures")
    op.execute("UPDATE connectors SET status = 'active' WHERE status = 'needs_attention'")
    op.execute("UPDATE connector_syncs SET status = 'completed' WHERE status = 'needs_attention'")
    for table, statuses in _STATUSES.items():
        _allow(table, statuses)


def _allow(table: str, statuses: tuple[str, ...]) -> None:
    words = ", ".join(f"'{status}'" for status in statuses)
    op.execute(f"ALTER TABLE {table} DROP CONSTRAINT {table}_status_check")
    op.execute(f"ALTER TABLE {table} ADD CONSTRAINT {table}_status_check CHECK (status IN ({words}))")
