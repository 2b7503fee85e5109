"""Legal holds, which refuse the permanent deletion of what they hold, and the reports of erased people.

Revision ID: 0088
"""

from alembic import op

revision = "0088"
down_revision = "0087"
branch_labels = None
depends_on = None

_TABLES = (
    """
    CREATE TABLE legal_holds (
        id SERIAL PRIMARY KEY,
        user_id INTEGER REFERENCES users ON DELETE CASCADE,
        chat_session_id BIGINT REFERENCES chat_sessions ON DELETE CASCADE,
        reason TEXT NOT NULL,
        placed_by INTEGER REFERENCES users ON DELETE SET NULL,
        released_at TIMESTAMPTZ,
        released_by INTEGER REFERENCES users ON DELETE SET NULL,
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
        CONSTRAINT legal_holds_reason_check CHECK (length(reason) BETWEEN 1 AND 1000),
        CONSTRAINT legal_holds_subject_check CHECK ((user_id IS NULL) <> (chat_session_id IS NULL))
    )
    """,
    "CREATE INDEX idx_legal_holds_user_id ON legal_holds (user_id) WHERE user_id IS NOT NULL",
    "CREATE INDEX idx_legal_holds_chat_session_id ON legal_holds (chat_session_id) WHERE chat_session_id IS NOT NULL",
    "CREATE INDEX idx_legal_holds_active ON legal_holds (id) WHERE released_at IS NULL",
    """
    CREATE TABLE erasures (
        id SERIAL PRIMARY KEY,
        erased_user_id INTEGER NOT NULL,
        erased_by INTEGER REFERENCES users ON DELETE SET NULL,
        items JSONB NOT NULL,
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now()
    )
    """,
)

# A session is also held where a held person has written into it. Without holds, it is one look into an empty index.
_FUNCTIONS = (
    """
    CREATE FUNCTION is_held(person INTEGER, session BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql STABLE AS $$
    BEGIN
        IF NOT EXISTS (SELECT FROM legal_holds WHERE released_at IS NULL) THEN
            RETURN false;
        END IF;
        RETURN EXISTS (
            SELECT FROM legal_holds WHERE released_at IS NULL AND (user_id = person OR chat_session_id = session)
        ) OR EXISTS (
            SELECT FROM chat_messages JOIN legal_holds ON legal_holds.user_id = chat_messages.author_id
            WHERE chat_messages.chat_session_id = session AND legal_holds.released_at IS NULL
        );
    END
    $$
    """,
    """
    CREATE FUNCTION is_connector_held(connector INTEGER) RETURNS BOOLEAN LANGUAGE sql STABLE AS $$
        SELECT coalesce(
            (SELECT is_held(user_id, NULL) FROM connectors WHERE id = connector AND scope = 'user'), false)
    $$
    """,
    """
    CREATE FUNCTION refuse_held() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'a legal hold keeps this row of %', TG_TABLE_NAME USING ERRCODE = 'EM001';
    END
    $$
    """,
)
_HELD = {
    "users": "is_held(OLD.id, NULL)",
    "chat_sessions": "is_held(OLD.user_id, OLD.id)",
    "agent_memories": "is_held(OLD.user_id, OLD.source_session_id)",
    "notebooks": "is_held(OLD.user_id, NULL)",
    "notebook_notes": "is_held(OLD.user_id, NULL)",
    "knowledge_entities": "OLD.level = 'individual' AND is_held(OLD.user_id, OLD.source_session_id)",
    "documents": "is_connector_held(OLD.connector_id)",
    "connectors": "is_connector_held(OLD.id)",
}
"""Tables whose rows a hold keeps, with when it does. What belongs to them is deleted only with them, or by age."""


def upgrade() -> None:
    """Add the tables, and the triggers that refuse deletions."""
    for statement in (*_TABLES, *_FUNCTIONS):
        op.execute(statement)
    for table, condition in _HELD.items():
        op.execute(
            f"CREATE TRIGGER refuse_held BEFORE DELETE ON {table} "
            f"FOR EACH ROW WHEN ({condition}) EXECUTE FUNCTION refuse_held()"
        )


def downgrade() -> None:
    """Remove them."""
    for table in _HELD:
        op.execute(f"DROP TRIGGER refuse_held ON {table}")
    op.execute("DROP FUNCTION refuse_held")
    op.execute("DROP FUNCTION is_connector_held")
    op.execute("DROP FUNCTION is_held")
    op.execute("DROP TABLE erasures")
    op.execute("DROP TABLE legal_holds")
