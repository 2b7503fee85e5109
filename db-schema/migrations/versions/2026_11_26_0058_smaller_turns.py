"""Turns write less: one change of the session's row, fewer entries of indexes, prompts and events compressed in place.

Revision ID: 0058
"""

from alembic import op

revision = "0058"
down_revision = "0057"
branch_labels = None
depends_on = None

_COMPRESSED = {"steps": ("llm_input", "llm_output", "input_data", "output_data"), "run_events": ("payload",)}
_COUNT = """
    CREATE OR REPLACE FUNCTION update_chat_session_message_count() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'INSERT' THEN
            UPDATE chat_sessions AS s
            SET message_count = s.message_count + added.messages,
                last_message_at = GREATEST(s.last_message_at, added.latest)
            FROM (
                SELECT chat_session_id, count(*) AS messages, max(creation_date) AS latest
                FROM changed_rows GROUP BY chat_session_id {having}
            ) AS added
            WHERE s.id = added.chat_session_id;
        ELSE
            UPDATE chat_sessions AS s
            SET message_count = s.message_count - removed.messages,
                last_message_at = (SELECT max(creation_date) FROM chat_messages WHERE chat_session_id = s.id)
            FROM (SELECT chat_session_id, count(*) AS messages FROM changed_rows GROUP BY chat_session_id) AS removed
            WHERE s.id = removed.chat_session_id;
        END IF;
        RETURN NULL;
    END
    $$
"""


def upgrade() -> None:
    """Leave messages with an answer that is being written to the statement that stores them, which moves the session.

    The unique index of idempotency keys holds only runs that have one, and events are found by their session and id
    through one index instead of two. Prompts, answers and payloads are compressed from a few hundred bytes on, but stay
    in their rows.
    """
    op.execute(_COUNT.format(having="HAVING bool_and(status <> 'streaming')"))
    op.execute("CREATE UNIQUE INDEX idx_runs_request_id ON runs (user_id, request_id) WHERE request_id IS NOT NULL")
    op.execute("ALTER TABLE runs DROP CONSTRAINT runs_user_id_request_id_key")
    op.execute("ALTER TABLE run_events DROP CONSTRAINT run_events_pkey, ADD PRIMARY KEY (chat_session_id, id)")
    op.execute("DROP INDEX idx_run_events_session_id")
    for table, columns in _COMPRESSED.items():
        op.execute(f"ALTER TABLE {table} SET (toast_tuple_target = 256)")
        for column in columns:
            op.execute(f"ALTER TABLE {table} ALTER {column} SET STORAGE MAIN")


def downgrade() -> None:
    """Count all messages by the trigger, and restore the indexes and the storage."""
    for table, columns in _COMPRESSED.items():
        op.execute(f"ALTER TABLE {table} RESET (toast_tuple_target)")
        for column in columns:
            op.execute(f"ALTER TABLE {table} ALTER {column} SET STORAGE EXTENDED")
    op.execute("CREATE INDEX idx_run_events_session_id ON run_events (chat_session_id, id)")
    op.execute("ALTER TABLE run_events DROP CONSTRAINT run_events_pkey, ADD PRIMARY KEY (id)")
    op.execute("ALTER TABLE runs ADD CONSTRAINT runs_user_id_request_id_key UNIQUE (user_id, request_id)")
    op.execute("DROP INDEX idx_runs_request_id")
    op.execute(_COUNT.format(having=""))
