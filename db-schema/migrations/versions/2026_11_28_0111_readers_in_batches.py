"""A change of a connector's permission mode takes one row; a background job forgets the readers in batches.

Revision ID: 0111
"""

from alembic import op

revision = "0111"
down_revision = "0110"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the mark, and let the trigger set it."""
    op.execute("ALTER TABLE connectors ADD COLUMN readers_forgotten_to BIGINT")
    op.execute("DROP TRIGGER forget_readers ON connectors")
    # Readers of another time must not hold again: nobody reads by them while they are being forgotten.
    op.execute(
        """
        CREATE OR REPLACE FUNCTION forget_readers() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF NEW.permission_mode = 'source' AND OLD.readers_forgotten_to IS NOT NULL THEN
                RAISE EXCEPTION 'the readers that connector % had before are not all forgotten yet', NEW.id
                    USING ERRCODE = 'object_not_in_prerequisite_state';
            END IF;
            NEW.readers_forgotten_to := 0;
            RETURN NEW;
        END
        $$
        """
    )
    op.execute(
        """
        CREATE TRIGGER forget_readers BEFORE UPDATE OF permission_mode ON connectors
            FOR EACH ROW WHEN (OLD.permission_mode <> NEW.permission_mode) EXECUTE FUNCTION forget_readers()
        """
    )


def downgrade() -> None:
    """Forget what is left, and let the change of the mode do it again."""
    for change in (
        "DELETE FROM source_principals",
        "UPDATE source_folders SET source_readers = NULL",
        "UPDATE documents SET source_readers = NULL, readers_changed_at = clock_timestamp()",
    ):
        marked = "SELECT id FROM connectors WHERE readers_forgotten_to IS NOT NULL"
        op.execute(f"{change} WHERE connector_id IN ({marked})")
    op.execute("DROP TRIGGER forget_readers ON connectors")
    op.execute(
        """
        CREATE OR REPLACE FUNCTION forget_readers() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            DELETE FROM source_principals WHERE connector_id = NEW.id;
            UPDATE source_folders SET source_readers = NULL
                WHERE connector_id = NEW.id AND source_readers IS NOT NULL;
            UPDATE documents SET source_readers = NULL, readers_changed_at = clock_timestamp()
                WHERE connector_id = NEW.id;
            RETURN NULL;
        END
        $$
        """
    )
    op.execute(
        """
        CREATE TRIGGER forget_readers AFTER UPDATE OF permission_mode ON connectors
            FOR EACH ROW WHEN (OLD.permission_mode <> NEW.permission_mode) EXECUTE FUNCTION forget_readers()
        """
    )
    op.execute("ALTER TABLE connectors DROP COLUMN readers_forgotten_to")
