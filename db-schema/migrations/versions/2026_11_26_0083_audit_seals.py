"""Say where a call of the audit log came from, seal its entries, and give the log an owner of its own.

Revision ID: 0083
"""

from alembic import op

revision = "0083"
down_revision = "0082"
branch_labels = None
depends_on = None

_SEALS = """
    CREATE TABLE audit_seals (
        number BIGINT PRIMARY KEY,
        first_id BIGINT NOT NULL,
        last_id BIGINT NOT NULL,
        count INTEGER NOT NULL,
        last_entry_at TIMESTAMPTZ NOT NULL,
        ids BIGINT[],
        digests BYTEA,
        content_hash BYTEA NOT NULL,
        previous_hash BYTEA NOT NULL,
        hash BYTEA NOT NULL,
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
        CONSTRAINT audit_seals_count_check CHECK (number >= 1 AND count >= 1 AND first_id <= last_id),
        CONSTRAINT audit_seals_hashes_check CHECK (octet_length(content_hash) = 32
            AND octet_length(previous_hash) = 32 AND octet_length(hash) = 32),
        CONSTRAINT audit_seals_entries_check CHECK ((ids IS NULL) = (digests IS NULL)
            AND (ids IS NULL OR cardinality(ids) = count AND octet_length(digests) = 32 * count))
    )
"""

# The owner's rights alone are not enough: the embedded server's user is a superuser, whom no missing right stops. And
# the setting alone is not, because anybody may set it.
_GUARD = """
    CREATE FUNCTION guard_audit() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP <> 'TRUNCATE' AND current_setting('echomind.retention', true) = 'audit_log'
            AND current_user = (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = TG_RELID)
            AND (TG_OP = 'DELETE') = (TG_TABLE_NAME = 'audit_log') THEN
            RETURN NULL;
        END IF;
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
    END
    $$
"""

_REMOVE = """
    CREATE FUNCTION remove_audit_entries(before TIMESTAMPTZ) RETURNS BIGINT
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
        last_seal BIGINT;
        last_removed BIGINT;
        removed BIGINT;
    BEGIN
        IF before > now() - INTERVAL '1 day' THEN
            RAISE EXCEPTION 'entries of the audit log are kept for a day at least'
                USING ERRCODE = 'invalid_parameter_value';
        END IF;
        SELECT max(number), max(last_id) INTO last_seal, last_removed FROM (
            SELECT number, last_id FROM audit_seals
            WHERE ids IS NOT NULL AND number < coalesce(
                (SELECT min(number) FROM audit_seals WHERE ids IS NOT NULL AND last_entry_at >= before),
                (SELECT max(number) + 1 FROM audit_seals))
            ORDER BY number LIMIT 100
        ) AS old;
        IF last_seal IS NULL THEN
            RETURN 0;
        END IF;
        PERFORM set_config('echomind.retention', 'audit_log', true);
        DELETE FROM audit_log WHERE id <= last_removed;
        GET DIAGNOSTICS removed = ROW_COUNT;
        UPDATE audit_seals SET ids = NULL, digests = NULL WHERE number <= last_seal AND ids IS NOT NULL;
        PERFORM set_config('echomind.retention', '', true);
        INSERT INTO audit_log (action, target, detail, count)
            VALUES ('Audit/Retention', 'audit-entries',
                jsonb_build_object('through', last_removed, 'before', before), greatest(removed, 1));
        RETURN removed;
    END
    $$
"""

# Changes nothing where the user of the database may make no roles. An administrator of the server must not call it
# then, as it belongs to that user, who can put anything into it: the guide has the statements to type.
_PROTECT = """
    CREATE FUNCTION protect_audit() RETURNS BOOLEAN LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
    DECLARE
        application NAME := (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'audit_log'::regclass);
        caller NAME := current_user;
        is_granted BOOLEAN := false;
    BEGIN
        IF application = 'echomind_audit' THEN
            RETURN true;
        END IF;
        IF to_regrole('echomind_audit') IS NULL THEN
            BEGIN
                CREATE ROLE echomind_audit NOLOGIN;
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL;  -- another database's migration has made it meanwhile
            END;
        END IF;
        IF NOT pg_has_role(caller, 'echomind_audit', 'SET') THEN
            EXECUTE format('GRANT echomind_audit TO %I WITH INHERIT FALSE, SET TRUE', caller);
            is_granted := true;
        END IF;
        GRANT USAGE, CREATE ON SCHEMA public TO echomind_audit;
        ALTER TABLE audit_log OWNER TO echomind_audit;
        ALTER TABLE audit_seals OWNER TO echomind_audit;
        ALTER FUNCTION guard_audit OWNER TO echomind_audit;
        ALTER FUNCTION remove_audit_entries OWNER TO echomind_audit;
        ALTER FUNCTION protect_audit OWNER TO echomind_audit;
        SET LOCAL ROLE echomind_audit;
        EXECUTE format('GRANT SELECT, INSERT ON audit_log, audit_seals TO %I', application);
        EXECUTE format('GRANT SELECT ON SEQUENCE audit_log_id_seq TO %I', application);
        EXECUTE format('GRANT EXECUTE ON FUNCTION remove_audit_entries, protect_audit TO %I', application);
        REVOKE ALL ON FUNCTION remove_audit_entries, protect_audit FROM PUBLIC;
        EXECUTE format('SET LOCAL ROLE %I', caller);
        IF is_granted THEN
            EXECUTE format('REVOKE echomind_audit FROM %I', caller);
        END IF;
        RETURN true;
    EXCEPTION WHEN insufficient_privilege THEN
        RETURN false;
    END
    $$
"""


def upgrade() -> None:
    """Add the columns and the seals, and refuse whatever changes or removes what is stored."""
    op.execute("ALTER TABLE audit_log ADD COLUMN address TEXT NOT NULL DEFAULT ''")
    op.execute("ALTER TABLE audit_log ADD COLUMN credential TEXT NOT NULL DEFAULT ''")
    op.execute("ALTER TABLE api_keys ADD COLUMN networks TEXT[] NOT NULL DEFAULT '{}'")
    op.execute(_SEALS)
    op.execute("CREATE INDEX idx_audit_seals_last_id ON audit_seals (last_id)")
    op.execute(_GUARD)
    op.execute("DROP TRIGGER refuse_audit_log_change ON audit_log")
    op.execute("DROP TRIGGER refuse_audit_log_delete ON audit_log")
    op.execute("DROP FUNCTION refuse_change")
    for table in ("audit_log", "audit_seals"):
        op.execute(
            f"CREATE TRIGGER guard_{table} BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION guard_audit()"
        )
    op.execute(_REMOVE)
    op.execute(_PROTECT)
    op.execute("SELECT protect_audit()")


def downgrade() -> None:
    """Remove the seals and the sources; the application's user must be allowed to own the log again."""
    op.execute("ALTER TABLE audit_log OWNER TO CURRENT_USER")
    op.execute("ALTER TABLE audit_seals OWNER TO CURRENT_USER")
    op.execute("DROP FUNCTION protect_audit")
    op.execute("DROP FUNCTION remove_audit_entries")
    op.execute("DROP TABLE audit_seals")
    op.execute("DROP TRIGGER guard_audit_log ON audit_log")
    op.execute("DROP FUNCTION guard_audit")
    op.execute(
        """
        CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
        END
        $$
        """
    )
    op.execute(
        """
        CREATE TRIGGER refuse_audit_log_change BEFORE UPDATE ON audit_log
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
        """
    )
    op.execute(
        """
        CREATE TRIGGER refuse_audit_log_delete BEFORE DELETE ON audit_log
        FOR EACH STATEMENT WHEN (current_setting('echomind.retention', true) IS DISTINCT FROM 'audit_log')
        EXECUTE FUNCTION refuse_change()
        """
    )
    op.execute("ALTER TABLE api_keys DROP COLUMN networks")
    op.execute("ALTER TABLE audit_log DROP COLUMN credential")
    op.execute("ALTER TABLE audit_log DROP COLUMN address")
