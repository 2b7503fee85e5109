"""Versions of assistants: a snapshot of each change.

Revision ID: 0027
"""

from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table, and what each assistant is now as its version 1."""
    op.execute(
        """
        CREATE TABLE assistant_versions (
            assistant_id SMALLINT NOT NULL REFERENCES assistants (id) ON DELETE CASCADE,
            version INTEGER NOT NULL,
            config JSONB NOT NULL,
            created_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
            restored_version INTEGER,
            creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
            PRIMARY KEY (assistant_id, version),
            CONSTRAINT assistant_versions_version_check CHECK (version >= 1)
        )
        """
    )
    op.execute("ALTER TABLE assistants ADD COLUMN version INTEGER NOT NULL DEFAULT 0")
    op.execute(
        """
        INSERT INTO assistant_versions (assistant_id, version, config, created_by, creation_date)
        SELECT id, 1,
               jsonb_build_object(
                   'name', name, 'description', description, 'llm_id', llm_id, 'system_prompt', system_prompt,
                   'task_prompt', task_prompt, 'starter_messages', starter_messages, 'is_default', is_default,
                   'is_visible', is_visible, 'display_priority', display_priority, 'config', config
               ),
               coalesce(user_id_last_update, created_by), coalesce(last_update, creation_date)
        FROM assistants WHERE NOT is_draft
        """
    )
    # Without the trigger: nobody has changed them.
    op.execute("ALTER TABLE assistants DISABLE TRIGGER update_assistants_last_update")
    op.execute("UPDATE assistants SET version = 1 WHERE NOT is_draft")
    op.execute("ALTER TABLE assistants ENABLE TRIGGER update_assistants_last_update")


def downgrade() -> None:
    """Remove the versions."""
    op.execute("ALTER TABLE assistants DROP COLUMN version")
    op.execute("DROP TABLE assistant_versions")
