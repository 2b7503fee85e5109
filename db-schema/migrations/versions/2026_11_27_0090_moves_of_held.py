"""Legal holds refuse that what they keep is moved or shared, and apply to nothing that an erased person left.

Revision ID: 0090
"""

from alembic import op

revision = "0090"
down_revision = "0089"
branch_labels = None
depends_on = None

_IS_CONNECTOR_HELD = """
    CREATE OR REPLACE FUNCTION is_connector_held(connector INTEGER) RETURNS BOOLEAN LANGUAGE sql STABLE AS $$
        SELECT coalesce(
            (SELECT is_held(user_id, NULL) FROM connectors WHERE id = connector AND scope = 'user' {also}), false)
    $$
"""
# The name of the trigger says whether it refused a deletion or a move.
_REFUSE_HELD = """
    CREATE OR REPLACE FUNCTION refuse_held() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'a legal hold keeps this row of %', TG_TABLE_NAME USING ERRCODE = 'EM001' {also};
    END
    $$
"""
_MOVED = {
    "connectors": (
        "scope, user_id",
        """OLD.scope = 'user' AND NOT OLD.is_owner_erased AND is_held(OLD.user_id, NULL)
            AND NOT (NEW.scope = 'user' AND is_held(NEW.user_id, NULL))""",
    ),
    "documents": (
        "connector_id",
        """OLD.connector_id <> NEW.connector_id AND is_connector_held(OLD.connector_id)
            AND NOT is_connector_held(NEW.connector_id)""",
    ),
    "knowledge_entities": (
        "level",
        "OLD.level = 'individual' AND NEW.level <> 'individual' AND is_held(OLD.user_id, OLD.source_session_id)",
    ),
}
"""Tables whose rows leave a hold when columns change, with these columns and the condition."""


def upgrade() -> None:
    """Add the column, which `is_connector_held` reads, and the triggers."""
    op.execute("ALTER TABLE connectors ADD COLUMN is_owner_erased BOOLEAN NOT NULL DEFAULT false")
    op.execute(_IS_CONNECTOR_HELD.format(also="AND NOT is_owner_erased"))
    op.execute(_REFUSE_HELD.format(also=", CONSTRAINT = TG_NAME"))
    for table, (columns, condition) in _MOVED.items():
        op.execute(
            f"CREATE TRIGGER refuse_move_of_held BEFORE UPDATE OF {columns} ON {table} "
            f"FOR EACH ROW WHEN ({condition}) EXECUTE FUNCTION refuse_held()"
        )


def downgrade() -> None:
    """Remove them."""
    for table in _MOVED:
        op.execute(f"DROP TRIGGER refuse_move_of_held ON {table}")
    op.execute(_REFUSE_HELD.format(also=""))
    op.execute(_IS_CONNECTOR_HELD.format(also=""))
    op.execute("ALTER TABLE connectors DROP COLUMN is_owner_erased")
