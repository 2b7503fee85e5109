"""Limits of what a person, a group or everybody may do at a time, which all replicas count together.

Revision ID: 0100
"""

from alembic import op

revision = "0100"
down_revision = "0099"
branch_labels = None
depends_on = None

_RATES = ("max_requests_per_minute", "max_concurrent_runs", "max_concurrent_streams")
_AMOUNTS = "num_nonnulls(max_questions, max_tokens, max_cost)"
_LIMITS = (
    f"CASE period WHEN 'minute' THEN num_nonnulls({', '.join(_RATES)}) > 0 AND {_AMOUNTS} = 0"
    f" ELSE {_AMOUNTS} > 0 AND num_nonnulls({', '.join(_RATES)}) = 0 END"
)

_QUOTAS_OF = """
    CREATE OR REPLACE FUNCTION quotas_of(of_user INTEGER, of_key INTEGER DEFAULT NULL)
    RETURNS TABLE (group_id INTEGER, user_id INTEGER, period VARCHAR, max_questions BIGINT, max_tokens BIGINT,
        max_cost NUMERIC, api_key_id INTEGER)
    LANGUAGE sql STABLE AS $$
        WITH RECURSIVE keys AS (
            SELECT k.id, k.parent_id FROM api_keys AS k WHERE k.id = of_key
            UNION ALL
            SELECT k.id, k.parent_id FROM api_keys AS k JOIN keys ON k.id = keys.parent_id
        ),
        mine AS (SELECT DISTINCT m.group_id FROM group_members AS m WHERE m.user_id = of_user),
        allowance AS (
            SELECT q.*, CASE WHEN q.scope = 'user' THEN 1 WHEN q.group_id IS NOT NULL THEN 2 ELSE 3 END AS rank
            FROM quotas AS q
            WHERE {of_allowances}((q.scope = 'user' AND q.user_id = of_user)
            OR (q.scope = 'member' AND (q.group_id IS NULL OR q.group_id IN (SELECT mine.group_id FROM mine))))
        ),
        closest AS (SELECT a.period, min(a.rank) AS rank FROM allowance AS a GROUP BY a.period)
        SELECT NULL::integer, of_user, a.period,
            CASE WHEN bool_and(a.max_questions IS NOT NULL) THEN max(a.max_questions) END,
            CASE WHEN bool_and(a.max_tokens IS NOT NULL) THEN max(a.max_tokens) END,
            CASE WHEN bool_and(a.max_cost IS NOT NULL) THEN max(a.max_cost) END, NULL::integer
        FROM allowance AS a JOIN closest USING (period, rank) GROUP BY a.period
        UNION ALL
        SELECT q.group_id, NULL, q.period, q.max_questions, q.max_tokens, q.max_cost, NULL::integer
        FROM quotas AS q
        WHERE {of_allowances}(q.scope = 'organization'
        OR (q.scope = 'group' AND q.group_id IN (SELECT mine.group_id FROM mine)))
        UNION ALL
        SELECT NULL, NULL, q.period, q.max_questions, q.max_tokens, q.max_cost, q.api_key_id
        FROM quotas AS q JOIN keys ON q.api_key_id = keys.id
    $$
"""

_NOTE_QUOTAS = """
    CREATE OR REPLACE FUNCTION note_quotas() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        {lock}INSERT INTO installation_settings (has_quotas{columns}) VALUES ({values})
        ON CONFLICT (id) DO UPDATE SET has_quotas = EXCLUDED.has_quotas{settings}
        WHERE installation_settings.has_quotas <> EXCLUDED.has_quotas{changes};
        RETURN NULL;
    END
    $$
"""
# One change of the quotas waits for the other, so that each sees what the one before has left.
_WITH_RATES = {
    "lock": "PERFORM FROM installation_settings FOR UPDATE;\n        ",
    "columns": ", has_rates",
    "values": """EXISTS (SELECT FROM quotas WHERE period <> 'minute'),
            EXISTS (SELECT FROM quotas WHERE period = 'minute')""",
    "settings": ", has_rates = EXCLUDED.has_rates",
    "changes": " OR installation_settings.has_rates <> EXCLUDED.has_rates",
}
_WITHOUT_RATES = {"lock": "", "columns": "", "values": "EXISTS (SELECT FROM quotas)", "settings": "", "changes": ""}

# What binds a person, of each: `[subject, requests, runs, streams]`, as `limits_of_key` for keys.
_LIMITS_OF_PERSON = """
    CREATE FUNCTION limits_of_person(of_user INTEGER) RETURNS JSONB LANGUAGE sql STABLE AS $$
        WITH mine AS (SELECT DISTINCT m.group_id FROM group_members AS m WHERE m.user_id = of_user),
        allowance AS (
            SELECT q.*, CASE WHEN q.scope = 'user' THEN 1 WHEN q.group_id IS NOT NULL THEN 2 ELSE 3 END AS rank
            FROM quotas AS q
            WHERE q.period = 'minute' AND ((q.scope = 'user' AND q.user_id = of_user)
            OR (q.scope = 'member' AND (q.group_id IS NULL OR q.group_id IN (SELECT mine.group_id FROM mine))))
        ),
        bound AS (
            SELECT 'user:' || of_user AS subject,
                CASE WHEN bool_and(a.max_requests_per_minute IS NOT NULL) THEN max(a.max_requests_per_minute) END
                    AS requests,
                CASE WHEN bool_and(a.max_concurrent_runs IS NOT NULL) THEN max(a.max_concurrent_runs) END AS runs,
                CASE WHEN bool_and(a.max_concurrent_streams IS NOT NULL) THEN max(a.max_concurrent_streams) END
                    AS streams
            FROM allowance AS a WHERE a.rank = (SELECT min(b.rank) FROM allowance AS b)
            UNION ALL
            SELECT CASE q.scope WHEN 'group' THEN 'group:' || q.group_id ELSE 'organization' END,
                q.max_requests_per_minute, q.max_concurrent_runs, q.max_concurrent_streams
            FROM quotas AS q
            WHERE q.period = 'minute' AND (q.scope = 'organization'
            OR (q.scope = 'group' AND q.group_id IN (SELECT mine.group_id FROM mine)))
        )
        SELECT jsonb_agg(jsonb_build_array(b.subject, b.requests, b.runs, b.streams) ORDER BY b.subject)
        FROM bound AS b WHERE num_nonnulls(b.requests, b.runs, b.streams) > 0
    $$
"""

# All or none: nothing is taken where one has no request left, which is then granted 0. The insertion changes no row
# that exists, but locks it, so that it is there until the end; in the order of their subjects, so that replicas do not
# wait for each other in a circle.
_TAKE_REQUESTS = """
    CREATE FUNCTION take_requests(subjects TEXT[], maxima INTEGER[], batches INTEGER[])
    RETURNS TABLE (subject TEXT, granted INTEGER, seconds DOUBLE PRECISION)
    LANGUAGE plpgsql AS $$
    #variable_conflict use_column
    DECLARE
        this_minute TIMESTAMPTZ;
    BEGIN
        INSERT INTO request_counts (subject, minute, requests)
        SELECT given.subject, '-infinity', 0 FROM unnest(subjects) AS given (subject) ORDER BY given.subject
        ON CONFLICT ON CONSTRAINT request_counts_pkey DO UPDATE SET requests = 0 WHERE false;
        this_minute := date_trunc('minute', clock_timestamp());
        RETURN QUERY
        WITH asked AS (
            SELECT given.subject, c.minute >= this_minute AS is_current,
                GREATEST(0, LEAST(
                    given.batch, given.maximum - CASE WHEN c.minute >= this_minute THEN c.requests ELSE 0 END
                )) AS granted
            FROM unnest(subjects, maxima, batches) AS given (subject, maximum, batch)
            JOIN request_counts AS c ON c.subject = given.subject
        ),
        taken AS (
            UPDATE request_counts AS c SET minute = GREATEST(c.minute, this_minute),
                requests = CASE WHEN asked.is_current THEN c.requests ELSE 0 END + asked.granted
            FROM asked
            WHERE c.subject = asked.subject AND NOT EXISTS (SELECT FROM asked AS other WHERE other.granted = 0)
        )
        SELECT asked.subject, asked.granted,
            GREATEST(0, extract(epoch FROM this_minute + INTERVAL '1 minute' - clock_timestamp()))::double precision
        FROM asked ORDER BY asked.subject;
    END
    $$
"""

# Stores how many streams the replica has with the one that it opens, or returns the subject that then has too many.
# What is stored of the replica itself does not matter: it may be what a statement has left whose answer was lost.
_OPEN_STREAM = """
    CREATE FUNCTION open_stream(
        of_replica UUID, subjects TEXT[], counts INTEGER[], maxima INTEGER[], lease INTERVAL
    ) RETURNS TEXT
    LANGUAGE plpgsql AS $$
    DECLARE
        full_subject TEXT;
    BEGIN
        PERFORM pg_advisory_xact_lock(hashtextextended('streams:' || given.subject, 0))
        FROM (SELECT unnest(subjects) AS subject ORDER BY 1) AS given;
        SELECT given.subject INTO full_subject
        FROM unnest(subjects, counts, maxima) AS given (subject, streams, maximum)
        WHERE given.maximum < given.streams + (
            SELECT COALESCE(sum(l.streams), 0) FROM stream_leases AS l
            WHERE l.subject = given.subject AND l.replica_id <> of_replica AND l.expires_at > now()
        )
        ORDER BY given.subject LIMIT 1;
        IF full_subject IS NULL THEN
            INSERT INTO stream_leases (subject, replica_id, streams, expires_at)
            SELECT given.subject, of_replica, given.streams, now() + lease
            FROM unnest(subjects, counts) AS given (subject, streams) ORDER BY given.subject
            ON CONFLICT (subject, replica_id) DO UPDATE
                SET streams = EXCLUDED.streams, expires_at = EXCLUDED.expires_at;
        END IF;
        RETURN full_subject;
    END
    $$
"""


def upgrade() -> None:
    """Add the limits, the tables of what is counted, and the functions that count."""
    op.execute("ALTER TABLE quotas DROP CONSTRAINT quotas_period_check, DROP CONSTRAINT quotas_limits_check")
    for name in _RATES:
        check = f"CONSTRAINT quotas_{name}_check CHECK ({name} >= 1)"
        op.execute(f"ALTER TABLE quotas ADD COLUMN {name} INTEGER {check}")
    op.execute(
        "ALTER TABLE quotas ADD CONSTRAINT quotas_period_check CHECK (period IN ('day', 'month', 'minute')),"
        f" ADD CONSTRAINT quotas_limits_check CHECK ({_LIMITS})"
    )
    op.execute("ALTER TABLE installation_settings ADD COLUMN has_rates BOOLEAN NOT NULL DEFAULT false")
    op.execute(
        "CREATE TABLE request_counts (subject VARCHAR(50) PRIMARY KEY, minute TIMESTAMPTZ NOT NULL,"
        " requests INTEGER NOT NULL)"
    )
    op.execute(
        "CREATE TABLE stream_leases (subject VARCHAR(50), replica_id UUID, streams INTEGER NOT NULL,"
        " expires_at TIMESTAMPTZ NOT NULL, PRIMARY KEY (subject, replica_id))"
    )
    op.execute("CREATE INDEX idx_stream_leases_replica_id ON stream_leases (replica_id)")
    op.execute(_QUOTAS_OF.format(of_allowances="q.period <> 'minute' AND "))
    op.execute(_NOTE_QUOTAS.format(**_WITH_RATES))
    for function in (_LIMITS_OF_PERSON, _TAKE_REQUESTS, _OPEN_STREAM):
        op.execute(function)


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP FUNCTION limits_of_person, take_requests, open_stream")
    op.execute("DROP TABLE request_counts, stream_leases")
    op.execute(_NOTE_QUOTAS.format(**_WITHOUT_RATES))
    op.execute("DELETE FROM quotas WHERE period = 'minute'")
    op.execute(_QUOTAS_OF.format(of_allowances=""))
    op.execute("ALTER TABLE installation_settings DROP COLUMN has_rates")
    op.execute("ALTER TABLE quotas DROP CONSTRAINT quotas_period_check, DROP CONSTRAINT quotas_limits_check")
    for name in _RATES:
        op.execute(f"ALTER TABLE quotas DROP COLUMN {name}")
    op.execute(
        "ALTER TABLE quotas ADD CONSTRAINT quotas_period_check CHECK (period IN ('day', 'month')),"
        f" ADD CONSTRAINT quotas_limits_check CHECK ({_AMOUNTS} > 0)"
    )
