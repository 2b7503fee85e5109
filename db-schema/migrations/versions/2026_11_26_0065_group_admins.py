"""Display names and admins of groups.

Revision ID: 0065
"""

from alembic import op

revision = "0065"
down_revision = "0064"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column, the table, and the trigger that ends the admin with the membership."""
    op.execute("ALTER TABLE groups ADD COLUMN display_name VARCHAR(255) NOT NULL DEFAULT ''")
    op.execute(
        """
        CREATE TABLE group_admins (
            group_id INTEGER NOT NULL REFERENCES groups ON DELETE CASCADE,
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
            PRIMARY KEY (group_id, user_id)
        )
        """
    )
    op.execute("CREATE INDEX idx_group_admins_user_id ON group_admins (user_id)")
    op.execute(
        """
        CREATE FUNCTION remove_group_admins() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            DELETE FROM group_admins AS a USING removed_members AS r
            WHERE a.group_id = r.group_id AND a.user_id = r.user_id
            AND NOT EXISTS (SELECT FROM group_members AS m WHERE m.group_id = r.group_id AND m.user_id = r.user_id);
            RETURN NULL;
        END
        $$
        """
    )
    op.execute(
        "CREATE TRIGGER remove_group_admins AFTER DELETE ON group_members"
        " REFERENCING OLD TABLE AS removed_members FOR EACH STATEMENT EXECUTE FUNCTION remove_group_admins()"
    )


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP TRIGGER remove_group_admins ON group_members")
    op.execute("DROP FUNCTION remove_group_admins")
    op.execute("DROP TABLE group_admins")
    op.execute("ALTER TABLE groups DROP COLUMN display_name")
