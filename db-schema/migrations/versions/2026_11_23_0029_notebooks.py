"""Notebooks: sources, members, and the conversations in them.

Revision ID: 0029
"""

from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables, and the notebook of a conversation."""
    op.execute(
        """
        CREATE TABLE notebooks (
            id BIGSERIAL PRIMARY KEY,
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            title VARCHAR(255) NOT NULL,
            description TEXT NOT NULL DEFAULT '',
            instructions TEXT NOT NULL DEFAULT '',
            creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
            last_update TIMESTAMPTZ,
            user_id_last_update INTEGER REFERENCES users ON DELETE SET NULL,
            deleted_date TIMESTAMPTZ
        )
        """
    )
    op.execute("CREATE INDEX idx_notebooks_user_id ON notebooks (user_id)")
    op.execute("CREATE INDEX idx_notebooks_deleted_date ON notebooks (deleted_date) WHERE deleted_date IS NOT NULL")
    op.execute(
        """
        CREATE TRIGGER update_notebooks_last_update BEFORE UPDATE ON notebooks
        FOR EACH ROW EXECUTE FUNCTION update_last_update_column()
        """
    )
    op.execute(
        """
        CREATE TABLE notebook_sources (
            id BIGSERIAL PRIMARY KEY,
            notebook_id BIGINT NOT NULL REFERENCES notebooks ON DELETE CASCADE,
            connector_id INTEGER REFERENCES connectors ON DELETE CASCADE,
            document_id BIGINT REFERENCES documents ON DELETE CASCADE,
            user_id INTEGER REFERENCES users ON DELETE SET NULL,
            creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
            CONSTRAINT notebook_sources_one_check CHECK (num_nonnulls(connector_id, document_id) = 1),
            UNIQUE (notebook_id, connector_id),
            UNIQUE (notebook_id, document_id)
        )
        """
    )
    op.execute(
        "CREATE INDEX idx_notebook_sources_connector_id ON notebook_sources (connector_id)"
        " WHERE connector_id IS NOT NULL"
    )
    op.execute(
        "CREATE INDEX idx_notebook_sources_document_id ON notebook_sources (document_id) WHERE document_id IS NOT NULL"
    )
    op.execute("CREATE INDEX idx_notebook_sources_user_id ON notebook_sources (user_id) WHERE user_id IS NOT NULL")
    op.execute(
        """
        CREATE TABLE notebook_members (
            notebook_id BIGINT NOT NULL REFERENCES notebooks ON DELETE CASCADE,
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            role VARCHAR(20) NOT NULL CONSTRAINT notebook_members_role_check
                CHECK (role IN ('owner', 'editor', 'viewer')),
            creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
            PRIMARY KEY (notebook_id, user_id)
        )
        """
    )
    op.execute("CREATE INDEX idx_notebook_members_user_id ON notebook_members (user_id, notebook_id)")
    op.execute("ALTER TABLE chat_sessions ADD COLUMN notebook_id BIGINT REFERENCES notebooks ON DELETE CASCADE")
    op.execute(
        "CREATE INDEX idx_chat_sessions_notebook_id ON chat_sessions"
        " (notebook_id, COALESCE(last_message_at, creation_date) DESC, id DESC) WHERE notebook_id IS NOT NULL"
    )


def downgrade() -> None:
    """Remove them; conversations stay, outside any notebook."""
    op.execute("ALTER TABLE chat_sessions DROP COLUMN notebook_id")
    op.execute("DROP TABLE notebook_members, notebook_sources, notebooks")
