"""Titles and instructions of notebooks have authors.

Revision ID: 0098
"""

from alembic import op

revision = "0098"
down_revision = "0096"
branch_labels = None
depends_on = None

# Three characters in a row are the least that one can tell as taken over: shorter texts say nothing.
_AUTHOR_AFTER = """
    CREATE FUNCTION author_after(old_text TEXT, new_text TEXT, old_author INTEGER, writer INTEGER) RETURNS INTEGER
    LANGUAGE sql IMMUTABLE AS $$
        SELECT CASE
            WHEN old_text = new_text OR old_author = writer THEN old_author
            WHEN EXISTS (
                SELECT FROM generate_series(1, length(new_text) - 2) AS at
                WHERE strpos(lower(old_text), lower(substr(new_text, at, 3))) > 0
            ) THEN NULL
            ELSE writer
        END
    $$
"""
_SET_AUTHORS = """
    CREATE FUNCTION set_notebook_authors() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'INSERT' THEN
            NEW.title_author_id := NEW.user_id;
            NEW.instructions_author_id := NEW.user_id;
        ELSE
            NEW.title_author_id :=
                author_after(OLD.title, NEW.title, OLD.title_author_id, NEW.user_id_last_update);
            NEW.instructions_author_id := author_after(
                OLD.instructions, NEW.instructions, OLD.instructions_author_id, NEW.user_id_last_update
            );
        END IF;
        RETURN NEW;
    END
    $$
"""


def upgrade() -> None:
    """Add the columns and the trigger that sets them.

    Of a notebook that was changed, nobody knows by whom it was changed before its last change.
    """
    for name in ("title_author_id", "instructions_author_id"):
        op.execute(f"ALTER TABLE notebooks ADD COLUMN {name} INTEGER REFERENCES users ON DELETE SET NULL")
    op.execute("ALTER TABLE notebooks DISABLE TRIGGER update_notebooks_last_update")
    op.execute(
        "UPDATE notebooks SET title_author_id = user_id, instructions_author_id = user_id WHERE last_update IS NULL"
    )
    op.execute("ALTER TABLE notebooks ENABLE TRIGGER update_notebooks_last_update")
    op.execute(_AUTHOR_AFTER)
    op.execute(_SET_AUTHORS)
    op.execute(
        "CREATE TRIGGER set_notebook_authors BEFORE INSERT OR UPDATE OF title, instructions ON notebooks"
        " FOR EACH ROW EXECUTE FUNCTION set_notebook_authors()"
    )


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP TRIGGER set_notebook_authors ON notebooks")
    op.execute("DROP FUNCTION set_notebook_authors, author_after")
    op.execute("ALTER TABLE notebooks DROP COLUMN title_author_id, DROP COLUMN instructions_author_id")
