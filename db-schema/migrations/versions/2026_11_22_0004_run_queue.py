"""The queue of runs: priorities, a person's slots, and runs that are held back.

Revision ID: 0004
"""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

UPGRADE = (
    """
    ALTER TABLE runs
        ADD COLUMN priority SMALLINT NOT NULL DEFAULT 1 CHECK (priority BETWEEN 0 AND 3),
        ADD COLUMN slot INTEGER CHECK (slot >= 1),
        ADD COLUMN held_back BOOLEAN NOT NULL DEFAULT false
    """,
    """
    WITH RECURSIVE tree (id, auto_run, is_root) AS (
        SELECT id, auto_run, TRUE FROM runs
        WHERE parent_run_id IS NULL
            AND status IN ('queued', 'running', 'waiting_for_input', 'waiting_for_children', 'paused')
        UNION ALL
        SELECT runs.id, tree.auto_run, FALSE FROM runs JOIN tree ON runs.parent_run_id = tree.id
    )
    UPDATE runs SET priority = CASE WHEN tree.auto_run THEN 2 ELSE 0 END + tree.is_root::int
    FROM tree WHERE runs.id = tree.id AND (tree.auto_run OR NOT tree.is_root)
    """,
    "DROP INDEX idx_runs_active",
    """
    CREATE INDEX idx_runs_active ON runs (status, user_id, priority, id)
        WHERE status IN ('queued', 'running', 'waiting_for_input', 'waiting_for_children', 'paused')
    """,
    """
    CREATE UNIQUE INDEX idx_runs_slot ON runs (user_id, slot)
        WHERE status IN ('running', 'waiting_for_children') AND slot IS NOT NULL
    """,
)


def upgrade() -> None:
    """Add them."""
    for statement in UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """Drop them."""
    op.execute("DROP INDEX idx_runs_slot")
    op.execute("DROP INDEX idx_runs_active")
    op.execute(
        """
        CREATE INDEX idx_runs_active ON runs (status, id)
            WHERE status IN ('queued', 'running', 'waiting_for_input', 'waiting_for_children', 'paused')
        """
    )
    op.execute("ALTER TABLE runs DROP COLUMN priority, DROP COLUMN slot, DROP COLUMN held_back")
