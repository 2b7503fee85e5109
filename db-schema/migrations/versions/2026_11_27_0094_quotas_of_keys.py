"""Quotas and limits of API keys, and the key that a question was asked with.

Revision ID: 0094
"""

from alembic import op

revision = "0094"
down_revision = "0093"
branch_labels = None
depends_on = None

_LIMITS = ("max_requests_per_minute", "max_concurrent_runs", "max_concurrent_streams")

_SUBJECT = """
    (scope = 'user') = (user_id IS NOT NULL){key}
    AND CASE scope WHEN 'group' THEN group_id IS NOT NULL WHEN 'member' THEN TRUE ELSE group_id IS NULL END
"""

# A key's use counts for the keys that it was made with, directly or through others, too: a key that makes keys gets no
# further allowance.
_QUOTAS_OF = """
    CREATE FUNCTION quotas_of(of_user INTEGER{parameter})
    RETURNS TABLE (group_id INTEGER, user_id INTEGER, period VARCHAR, max_questions BIGINT, max_tokens BIGINT,
        max_cost NUMERIC{column})
    LANGUAGE sql STABLE AS $$
        WITH {keys}mine AS (SELECT DISTINCT m.group_id FROM group_members AS m WHERE m.user_id = of_user),
        allowance AS (
            SELECT q.*, CASE WHEN q.scope = 'user' THEN 1 WHEN q.group_id IS NOT NULL THEN 2 ELSE 3 END AS rank
            FROM quotas AS q
            WHERE (q.scope = 'user' AND q.user_id = of_user)
            OR (q.scope = 'member' AND (q.group_id IS NULL OR q.group_id IN (SELECT mine.group_id FROM mine)))
        ),
        closest AS (SELECT a.period, min(a.rank) AS rank FROM allowance AS a GROUP BY a.period)
        SELECT NULL::integer, of_user, a.period,
            CASE WHEN bool_and(a.max_questions IS NOT NULL) THEN max(a.max_questions) END,
            CASE WHEN bool_and(a.max_tokens IS NOT NULL) THEN max(a.max_tokens) END,
            CASE WHEN bool_and(a.max_cost IS NOT NULL) THEN max(a.max_cost) END{nothing}
        FROM allowance AS a JOIN closest USING (period, rank) GROUP BY a.period
        UNION ALL
        SELECT q.group_id, NULL, q.period, q.max_questions, q.max_tokens, q.max_cost{nothing}
        FROM quotas AS q
        WHERE q.scope = 'organization'
        OR (q.scope = 'group' AND q.group_id IN (SELECT mine.group_id FROM mine)){of_keys}
    $$
"""

# The rows are locked in the order of their ids, so that runs do not wait for each other in a circle. What a run has
# spent is the difference between its own sums and what was charged before, so that charging twice changes nothing.
_CHARGE_QUOTAS = """
    CREATE FUNCTION charge_quotas(of_run UUID, of_attempt INTEGER, next_tokens BIGINT, next_cost NUMERIC)
    RETURNS TABLE (group_id INTEGER, user_id INTEGER, period VARCHAR, begins_at TIMESTAMPTZ, measure TEXT,
        used NUMERIC, maximum NUMERIC, is_exceeded BOOLEAN{column})
    LANGUAGE plpgsql AS $$
    #variable_conflict use_column
    DECLARE
        run RECORD;
        charge quota_charges;
        is_new BOOLEAN;
        new_questions INTEGER := 0;
        is_refused BOOLEAN := FALSE;
    BEGIN
        SELECT r.user_id{run_key}, r.parent_run_id IS NULL AS is_root, r.prompt_tokens + r.completion_tokens AS tokens,
            COALESCE(r.cost, 0) AS cost, r.status IN ('completed', 'failed', 'cancelled', 'timeout') AS has_ended
        INTO run FROM runs AS r WHERE r.id = of_run AND r.attempt = of_attempt;
        IF NOT FOUND THEN
            RETURN;
        END IF;
        SELECT * INTO charge FROM quota_charges AS c WHERE c.run_id = of_run FOR UPDATE;
        is_new := NOT FOUND;
        IF is_new THEN
            IF next_tokens = 0 THEN
                RETURN;
            END IF;
            INSERT INTO quota_usage (group_id, user_id, period, begins_at{insert})
            SELECT q.group_id, q.user_id, q.period, date_trunc(q.period, now(), 'UTC'){of_quota}
            FROM quotas_of(run.user_id{key}) AS q
            ORDER BY q.user_id, q.group_id, q.period{of_quota}
            ON CONFLICT DO NOTHING;
            SELECT of_run, array_agg(u.id ORDER BY u.id), run.tokens, run.cost, 0, 0 INTO charge
            FROM quota_usage AS u JOIN quotas_of(run.user_id{key}) AS q
                ON u.user_id IS NOT DISTINCT FROM q.user_id AND u.group_id IS NOT DISTINCT FROM q.group_id{same}
                AND u.period = q.period AND u.begins_at = date_trunc(q.period, now(), 'UTC');
            IF charge.usage_ids IS NULL THEN
                RETURN;
            END IF;
            new_questions := run.is_root::integer;
        END IF;
        PERFORM FROM quota_usage AS u WHERE u.id = ANY(charge.usage_ids) ORDER BY u.id FOR UPDATE;
        IF next_tokens > 0 THEN
            RETURN QUERY
            SELECT u.group_id, u.user_id, u.period, u.begins_at, m.measure, m.used, m.maximum, TRUE{of_usage}
            FROM quota_usage AS u JOIN quotas_of(run.user_id{key}) AS q
                ON u.user_id IS NOT DISTINCT FROM q.user_id AND u.group_id IS NOT DISTINCT FROM q.group_id{same}
                AND u.period = q.period
            CROSS JOIN LATERAL (VALUES
                ('questions', u.questions::numeric, new_questions::numeric, q.max_questions::numeric),
                ('tokens', u.tokens + run.tokens - charge.tokens,
                    u.reserved_tokens - charge.reserved_tokens + next_tokens, q.max_tokens),
                ('cost', u.cost + run.cost - charge.cost,
                    u.reserved_cost - charge.reserved_cost + next_cost, q.max_cost)
            ) AS m (measure, used, more, maximum)
            WHERE u.id = ANY(charge.usage_ids) AND m.more > 0 AND m.used + m.more > m.maximum
            ORDER BY u.id;
            is_refused := FOUND;
        END IF;
        IF is_refused THEN
            next_tokens := 0;
            next_cost := 0;
            new_questions := 0;
        END IF;
        UPDATE quota_usage AS u SET
            questions = u.questions + new_questions,
            tokens = u.tokens + run.tokens - charge.tokens,
            cost = u.cost + run.cost - charge.cost,
            reserved_tokens = u.reserved_tokens - charge.reserved_tokens + next_tokens,
            reserved_cost = u.reserved_cost - charge.reserved_cost + next_cost
        WHERE u.id = ANY(charge.usage_ids);
        IF run.has_ended THEN
            UPDATE quota_charges AS c SET reserved_tokens = 0, reserved_cost = 0 WHERE c.run_id = of_run;
            DELETE FROM quota_charges AS c WHERE c.run_id = of_run;
        ELSIF NOT (is_new AND is_refused) THEN
            INSERT INTO quota_charges (run_id, usage_ids, tokens, cost, reserved_tokens, reserved_cost)
            VALUES (of_run, charge.usage_ids, run.tokens, run.cost, next_tokens, next_cost)
            ON CONFLICT (run_id) DO UPDATE SET tokens = EXCLUDED.tokens, cost = EXCLUDED.cost,
                reserved_tokens = EXCLUDED.reserved_tokens, reserved_cost = EXCLUDED.reserved_cost;
        END IF;
        RETURN QUERY
        WITH nearly AS (
            SELECT DISTINCT ON (u.id) u.id, m.*
            FROM quota_usage AS u JOIN quotas_of(run.user_id{key}) AS q
                ON u.user_id IS NOT DISTINCT FROM q.user_id AND u.group_id IS NOT DISTINCT FROM q.group_id{same}
                AND u.period = q.period
            CROSS JOIN LATERAL (VALUES
                ('questions', u.questions::numeric, q.max_questions::numeric),
                ('tokens', u.tokens, q.max_tokens),
                ('cost', u.cost, q.max_cost)
            ) AS m (measure, used, maximum)
            WHERE u.id = ANY(charge.usage_ids) AND u.warned_at IS NULL AND NOT is_refused
                AND m.maximum > 0 AND m.used >= .8 * m.maximum
            ORDER BY u.id, m.used / m.maximum DESC
        )
        UPDATE quota_usage AS u SET warned_at = now() FROM nearly WHERE u.id = nearly.id
        RETURNING u.group_id, u.user_id, u.period, u.begins_at, nearly.measure, nearly.used, nearly.maximum,
            FALSE{of_usage};
    END
    $$
"""

# Its rows are locked in the order of their ids, as those of `charge_quotas`.
_CHARGE_PERSON = """
    CREATE FUNCTION charge_person(of_user INTEGER, spent_tokens BIGINT, spent_cost NUMERIC{parameter}) RETURNS BOOLEAN
    LANGUAGE plpgsql AS $$
    DECLARE
        usage_ids BIGINT[];
        is_used_up BOOLEAN;
    BEGIN
        INSERT INTO quota_usage (group_id, user_id, period, begins_at{insert})
        SELECT q.group_id, q.user_id, q.period, date_trunc(q.period, now(), 'UTC'){of_quota}
        FROM quotas_of(of_user{argument}) AS q
        ORDER BY q.user_id, q.group_id, q.period{of_quota}
        ON CONFLICT DO NOTHING;
        SELECT array_agg(u.id ORDER BY u.id) INTO usage_ids
        FROM quota_usage AS u JOIN quotas_of(of_user{argument}) AS q
            ON u.user_id IS NOT DISTINCT FROM q.user_id AND u.group_id IS NOT DISTINCT FROM q.group_id{same}
            AND u.period = q.period AND u.begins_at = date_trunc(q.period, now(), 'UTC');
        PERFORM FROM quota_usage AS u WHERE u.id = ANY(usage_ids) ORDER BY u.id FOR UPDATE;
        SELECT COALESCE(bool_or(u.tokens + u.reserved_tokens >= q.max_tokens
            OR u.cost + u.reserved_cost >= q.max_cost), FALSE) INTO is_used_up
        FROM quota_usage AS u JOIN quotas_of(of_user{argument}) AS q
            ON u.user_id IS NOT DISTINCT FROM q.user_id AND u.group_id IS NOT DISTINCT FROM q.group_id{same}
            AND u.period = q.period
        WHERE u.id = ANY(usage_ids);
        UPDATE quota_usage AS u SET tokens = u.tokens + spent_tokens, cost = u.cost + spent_cost
        WHERE u.id = ANY(usage_ids);
        RETURN is_used_up;
    END
    $$
"""

_WITH_KEYS = {
    "parameter": ", of_key INTEGER DEFAULT NULL",
    "argument": ", of_key",
    "column": ", api_key_id INTEGER",
    "nothing": ", NULL::integer",
    "insert": ", api_key_id",
    "of_quota": ", q.api_key_id",
    "of_usage": ", u.api_key_id",
    "run_key": ", r.api_key_id",
    "key": ", run.api_key_id",
    "same": "\n                AND u.api_key_id IS NOT DISTINCT FROM q.api_key_id",
    "keys": """RECURSIVE keys AS (
            SELECT k.id, k.parent_id FROM api_keys AS k WHERE k.id = of_key
            UNION ALL
            SELECT k.id, k.parent_id FROM api_keys AS k JOIN keys ON k.id = keys.parent_id
        ),
        """,
    "of_keys": """
        UNION ALL
        SELECT NULL, NULL, q.period, q.max_questions, q.max_tokens, q.max_cost, q.api_key_id
        FROM quotas AS q JOIN keys ON q.api_key_id = keys.id""",
}
_WITHOUT_KEYS = dict.fromkeys(_WITH_KEYS, "")

# The limits of a key and of those that it was made with, one row a key: `[id, requests, runs, streams]`.
_LIMITS_OF_KEY = """
    CREATE FUNCTION limits_of_key(of_key INTEGER) RETURNS JSONB LANGUAGE sql STABLE AS $$
        WITH RECURSIVE keys AS (
            SELECT k.* FROM api_keys AS k WHERE k.id = of_key
            UNION ALL
            SELECT k.* FROM api_keys AS k JOIN keys ON k.id = keys.parent_id
        )
        SELECT jsonb_agg(jsonb_build_array(
            keys.id, keys.max_requests_per_minute, keys.max_concurrent_runs, keys.max_concurrent_streams
        ) ORDER BY keys.id)
        FROM keys
        WHERE num_nonnulls(keys.max_requests_per_minute, keys.max_concurrent_runs, keys.max_concurrent_streams) > 0
    $$
"""
_KEY_OF_RUN = """
    CREATE FUNCTION key_of_run(of_run UUID) RETURNS INTEGER LANGUAGE sql STABLE AS $$
        SELECT r.api_key_id FROM runs AS r WHERE r.id = of_run
    $$
"""


def upgrade() -> None:
    """Add the columns and functions; earlier questions were asked with no key that is known."""
    op.execute("ALTER TABLE runs ADD COLUMN api_key_id INTEGER")
    op.execute("ALTER TABLE evaluation_runs ADD COLUMN api_key_id INTEGER")
    for name in _LIMITS:
        check = f"CONSTRAINT api_keys_{name}_check CHECK ({name} >= 1)"
        op.execute(f"ALTER TABLE api_keys ADD COLUMN {name} INTEGER {check}")
    op.execute("ALTER TABLE quotas ADD COLUMN api_key_id INTEGER REFERENCES api_keys ON DELETE CASCADE")
    op.execute("ALTER TABLE quota_usage ADD COLUMN api_key_id INTEGER REFERENCES api_keys ON DELETE CASCADE")
    op.execute("ALTER TABLE quotas DROP CONSTRAINT quotas_scope_check, DROP CONSTRAINT quotas_subject_check")
    scopes = "scope IN ('organization', 'group', 'member', 'user', 'key')"
    subject = _SUBJECT.format(key=" AND (scope = 'key') = (api_key_id IS NOT NULL)")
    op.execute(
        f"ALTER TABLE quotas ADD CONSTRAINT quotas_scope_check CHECK ({scopes}),"
        f" ADD CONSTRAINT quotas_subject_check CHECK ({subject})"
    )
    op.execute("DROP INDEX idx_quotas_subject, idx_quota_usage_subject")
    op.execute(
        "CREATE UNIQUE INDEX idx_quotas_subject ON quotas (scope, group_id, user_id, api_key_id, period)"
        " NULLS NOT DISTINCT"
    )
    op.execute(
        "CREATE UNIQUE INDEX idx_quota_usage_subject"
        " ON quota_usage (user_id, group_id, api_key_id, period, begins_at) NULLS NOT DISTINCT"
    )
    for table in ("quotas", "quota_usage"):
        op.execute(f"CREATE INDEX idx_{table}_api_key_id ON {table} (api_key_id) WHERE api_key_id IS NOT NULL")
    _replace_functions(_WITH_KEYS)
    op.execute(_LIMITS_OF_KEY)
    op.execute(_KEY_OF_RUN)


def downgrade() -> None:
    """Remove them, with the quotas of keys and what was used of these."""
    op.execute("DROP FUNCTION limits_of_key, key_of_run")
    op.execute("DELETE FROM quotas WHERE api_key_id IS NOT NULL")
    op.execute("DELETE FROM quota_usage WHERE api_key_id IS NOT NULL")
    _replace_functions(_WITHOUT_KEYS)
    op.execute("ALTER TABLE quotas DROP CONSTRAINT quotas_scope_check, DROP CONSTRAINT quotas_subject_check")
    op.execute("ALTER TABLE quotas DROP COLUMN api_key_id")
    op.execute("ALTER TABLE quota_usage DROP COLUMN api_key_id")
    op.execute(
        "ALTER TABLE quotas ADD CONSTRAINT quotas_scope_check"
        " CHECK (scope IN ('organization', 'group', 'member', 'user')),"
        f" ADD CONSTRAINT quotas_subject_check CHECK ({_SUBJECT.format(key='')})"
    )
    op.execute("CREATE UNIQUE INDEX idx_quotas_subject ON quotas (scope, group_id, user_id, period) NULLS NOT DISTINCT")
    op.execute(
        "CREATE UNIQUE INDEX idx_quota_usage_subject"
        " ON quota_usage (user_id, group_id, period, begins_at) NULLS NOT DISTINCT"
    )
    op.execute("ALTER TABLE runs DROP COLUMN api_key_id")
    op.execute("ALTER TABLE evaluation_runs DROP COLUMN api_key_id")
    for name in _LIMITS:
        op.execute(f"ALTER TABLE api_keys DROP COLUMN {name}")


def _replace_functions(parts: dict[str, str]) -> None:
    op.execute("DROP FUNCTION charge_person, charge_quotas, quotas_of")
    for function in (_QUOTAS_OF, _CHARGE_QUOTAS, _CHARGE_PERSON):
        op.execute(function.format(**parts))
