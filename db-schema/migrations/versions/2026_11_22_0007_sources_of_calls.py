"""Sources with the tool calls that found them, so that a run that goes on needs no events.

Revision ID: 0007
"""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add them, and those of runs that have not ended to a call that has a result: numbers are of the run."""
    op.execute("ALTER TABLE tool_calls ADD COLUMN sources JSONB")
    op.execute(
        """
        WITH found AS (
            SELECT runs.id AS run_id, jsonb_agg(source.value ORDER BY run_events.id) AS sources
            FROM runs
            JOIN run_events ON run_events.run_id = runs.id AND run_events.payload ? 'sources'
            CROSS JOIN LATERAL jsonb_array_elements(run_events.payload -> 'sources' -> 'sources') AS source
            WHERE runs.status IN ('queued', 'running', 'waiting_for_input', 'waiting_for_children', 'paused')
            GROUP BY runs.id
        ),
        first AS (
            SELECT DISTINCT ON (steps.run_id) steps.run_id, tool_calls.id
            FROM found JOIN steps ON steps.run_id = found.run_id JOIN tool_calls ON tool_calls.step_id = steps.id
            WHERE tool_calls.result IS NOT NULL ORDER BY steps.run_id, tool_calls.id
        )
        UPDATE tool_calls SET sources = found.sources
        FROM first JOIN found ON found.run_id = first.run_id WHERE tool_calls.id = first.id
        """
    )


def downgrade() -> None:
    """Drop them."""
    op.execute("ALTER TABLE tool_calls DROP COLUMN sources")
