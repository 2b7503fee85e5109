"""Memberships of groups carry their source, and each source changes its own alone.

Revision ID: 0053
"""

from alembic import op

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the source, move what providers gave into it, and keep it when memberships are changed by hand."""
    op.execute("ALTER TABLE group_members ADD COLUMN source TEXT NOT NULL DEFAULT 'manual'")
    op.execute(
        "ALTER TABLE group_members ADD CONSTRAINT group_members_source_check"
        " CHECK (source = 'manual' OR source ~ '^(provider|scim):.')"
    )
    op.execute("ALTER TABLE group_members DROP CONSTRAINT group_members_pkey")
    op.execute("ALTER TABLE group_members ADD PRIMARY KEY (group_id, user_id, source)")
    op.execute(
        "UPDATE group_members AS m SET source = 'provider:' || i.issuer FROM user_identities AS i, groups AS g"
        " WHERE i.user_id = m.user_id AND g.id = m.group_id AND g.name = ANY (i.groups)"
    )
    op.execute("ALTER TABLE user_identities DROP COLUMN groups")
    op.execute("""CREATE OR REPLACE FUNCTION update_group_members() RETURNS trigger AS $$
    DECLARE
        earlier TEXT[] := '{}';
    BEGIN
        IF TG_OP = 'UPDATE' THEN
            earlier := OLD.groups;
        END IF;
        INSERT INTO groups (name)
        SELECT given FROM unnest(NEW.groups) AS given
        WHERE NOT EXISTS (SELECT FROM groups AS g WHERE g.name = given)
        ORDER BY given
        ON CONFLICT (name) DO NOTHING;

        DELETE FROM group_members AS m USING groups AS g
        WHERE m.user_id = NEW.id AND m.source = 'manual' AND g.id = m.group_id
        AND g.name = ANY (earlier) AND g.name <> ALL (NEW.groups);

        INSERT INTO group_members (group_id, user_id)
        SELECT g.id, NEW.id FROM groups AS g WHERE g.name = ANY (NEW.groups) AND g.name <> ALL (earlier)
        ON CONFLICT DO NOTHING;

        IF TG_OP = 'UPDATE' THEN
            NEW.groups := ARRAY(
                SELECT g.name FROM groups AS g
                WHERE g.id IN (SELECT m.group_id FROM group_members AS m WHERE m.user_id = NEW.id)
                ORDER BY array_position(NEW.groups, g.name::TEXT), g.name
            );
        END IF;
        RETURN NEW;
    END
    $$ LANGUAGE plpgsql""")
    op.execute("DROP TRIGGER update_group_members ON users")
    op.execute(
        "CREATE TRIGGER update_group_members AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION update_group_members()"
    )
    op.execute(
        "CREATE TRIGGER update_own_groups BEFORE UPDATE OF groups ON users"
        " FOR EACH ROW EXECUTE FUNCTION update_group_members()"
    )


def downgrade() -> None:
    """Let all memberships be by hand."""
    op.execute("DROP TRIGGER update_own_groups ON users")
    op.execute("DROP TRIGGER update_group_members ON users")
    op.execute("ALTER TABLE user_identities ADD COLUMN groups TEXT[] NOT NULL DEFAULT '{}'")
    op.execute(
        "UPDATE user_identities AS i SET groups = ARRAY(SELECT g.name FROM groups AS g, group_members AS m"
        " WHERE m.group_id = g.id AND m.user_id = i.user_id AND m.source = 'provider:' || i.issuer)"
    )
    op.execute(
        "DELETE FROM group_members AS m USING group_members AS o WHERE (m.group_id, m.user_id)"
        " = (o.group_id, o.user_id) AND m.source > o.source"
    )
    op.execute("ALTER TABLE group_members DROP CONSTRAINT group_members_pkey")
    op.execute("ALTER TABLE group_members DROP COLUMN source")
    op.execute("ALTER TABLE group_members ADD PRIMARY KEY (group_id, user_id)")
    op.execute("""CREATE OR REPLACE FUNCTION update_group_members() RETURNS trigger AS $$
    BEGIN
        INSERT INTO groups (name)
        SELECT given FROM unnest(NEW.groups) AS given
        WHERE NOT EXISTS (SELECT FROM groups AS g WHERE g.name = given)
        ORDER BY given
        ON CONFLICT (name) DO NOTHING;

        DELETE FROM group_members AS m USING groups AS g
        WHERE m.user_id = NEW.id AND g.id = m.group_id AND g.name <> ALL (NEW.groups);

        INSERT INTO group_members (group_id, user_id)
        SELECT g.id, NEW.id FROM groups AS g WHERE g.name = ANY (NEW.groups)
        ON CONFLICT DO NOTHING;
        RETURN NULL;
    END
    $$ LANGUAGE plpgsql""")
    op.execute(
        "CREATE TRIGGER update_group_members AFTER INSERT OR UPDATE OF groups ON users"
        " FOR EACH ROW EXECUTE FUNCTION update_group_members()"
    )
