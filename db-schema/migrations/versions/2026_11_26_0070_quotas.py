"""Quotas of the organization, groups and people, and what they have used of them.

Revision ID: 0070
"""

from alembic import op

revision = "0070"
down_revision = "0069"
branch_labels = None
depends_on = None

_TABLES = (
    """
    CREATE TABLE quotas (
        id SERIAL PRIMARY KEY,
        scope VARCHAR(20) NOT NULL
            CONSTRAINT quotas_scope_check CHECK (scope IN ('organization', 'group', 'member', 'user')),
        group_id INTEGER REFERENCES groups ON DELETE CASCADE,
        user_id INTEGER REFERENCES users ON DELETE CASCADE,
        period VARCHAR(20) NOT NULL CONSTRAINT quotas_period_check CHECK (period IN ('day', 'month')),
        max_questions BIGINT CONSTRAINT quotas_max_questions_check CHECK (max_questions >= 0),
        max_tokens BIGINT CONSTRAINT quotas_max_tokens_check CHECK (max_tokens >= 0),
        max_cost NUMERIC(18, 8) CONSTRAINT quotas_max_cost_check CHECK (max_cost >= 0),
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
        last_update TIMESTAMPTZ,
        user_id_last_update INTEGER REFERENCES users ON DELETE SET NULL,
        CONSTRAINT quotas_subject_check CHECK (
            (scope = 'user') = (user_id IS NOT NULL)
            AND CASE scope WHEN 'group' THEN group_id IS NOT NULL WHEN 'member' THEN TRUE ELSE group_id IS NULL END
        ),
        CONSTRAINT quotas_limits_check CHECK (num_nonnulls(max_questions, max_tokens, max_cost) > 0)
    )
    """,
    "CREATE UNIQUE INDEX idx_quotas_subject ON quotas (scope, group_id, user_id, period) NULLS NOT DISTINCT",
    "CREATE INDEX idx_quotas_group_id ON quotas (group_id) WHERE group_id IS NOT NULL",
    "CREATE INDEX idx_quotas_user_id ON quotas (user_id) WHERE user_id IS NOT NULL",
    """
    CREATE TABLE quota_usage (
        id BIGSERIAL PRIMARY KEY,
        group_id INTEGER REFERENCES groups ON DELETE CASCADE,
        user_id INTEGER REFERENCES users ON DELETE CASCADE,
        period VARCHAR(20) NOT NULL CONSTRAINT quota_usage_period_check CHECK (period IN ('day', 'month')),
        begins_at TIMESTAMPTZ NOT NULL,
        questions BIGINT NOT NULL DEFAULT 0,
        tokens BIGINT NOT NULL DEFAULT 0,
        cost NUMERIC(18, 8) NOT NULL DEFAULT 0,
        reserved_tokens BIGINT NOT NULL DEFAULT 0,
        reserved_cost NUMERIC(18, 8) NOT NULL DEFAULT 0,
        warned_at TIMESTAMPTZ
    )
    """,
    """
    CREATE UNIQUE INDEX idx_quota_usage_subject
    ON quota_usage (user_id, group_id, period, begins_at) NULLS NOT DISTINCT
    """,
    "CREATE INDEX idx_quota_usage_group_id ON quota_usage (group_id) WHERE group_id IS NOT NULL",
    "CREATE INDEX idx_quota_usage_begins_at ON quota_usage (begins_at)",
    """
    CREATE TABLE quota_charges (
        run_id UUID PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
        usage_ids BIGINT[] NOT NULL,
        tokens BIGINT NOT NULL,
        cost NUMERIC(18, 8) NOT NULL,
        reserved_tokens BIGINT NOT NULL,
        reserved_cost NUMERIC(18, 8) NOT NULL
    )
    """,
    "ALTER TABLE installation_settings ADD COLUMN has_quotas BOOLEAN NOT NULL DEFAULT false",
)

_FUNCTIONS = (
    """
    CREATE FUNCTION note_quotas() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO installation_settings (has_quotas) VALUES (EXISTS (SELECT FROM quotas))
        ON CONFLICT (id) DO UPDATE SET has_quotas = EXCLUDED.has_quotas
        WHERE installation_settings.has_quotas <> EXCLUDED.has_quotas;
        RETURN NULL;
    END
    $$
    """,
    "CREATE TRIGGER note_quotas AFTER INSERT OR DELETE ON quotas FOR EACH STATEMENT EXECUTE FUNCTION note_quotas()",
    """
    CREATE TRIGGER update_quotas_last_update BEFORE UPDATE ON quotas
    FOR EACH ROW EXECUTE FUNCTION update_last_update_column()
    """,
    """
    CREATE FUNCTION release_quota() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        UPDATE quota_usage
        SET reserved_tokens = reserved_tokens - OLD.reserved_tokens, reserved_cost = reserved_cost - OLD.reserved_cost
        WHERE id = ANY(OLD.usage_ids) AND (OLD.reserved_tokens > 0 OR OLD.reserved_cost > 0);
        RETURN NULL;
    END
    $$
    """,
    "CREATE TRIGGER release_quota AFTER DELETE ON quota_charges FOR EACH ROW EXECUTE FUNCTION release_quota()",
    # A person's own allowance replaces those of their groups, and these replace that of everyone; of several groups'
    # the largest counts.
    """
    CREATE FUNCTION quotas_of(of_user INTEGER)
    RETURNS TABLE (group_id INTEGER, user_id INTEGER, period VARCHAR, max_questions BIGINT, max_tokens BIGINT,
        max_cost NUMERIC)
    LANGUAGE sql STABLE AS $$
        WITH mine AS (SELECT DISTINCT m.group_id FROM group_members AS m WHERE m.user_id = of_user),
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
            CASE WHEN bool_and(a.max_cost IS NOT NULL) THEN max(a.max_cost) END
        FROM allowance AS a JOIN closest USING (period, rank) GROUP BY a.period
        UNION ALL
        SELECT q.group_id, NULL, q.period, q.max_questions, q.max_tokens, q.max_cost
        FROM quotas AS q
        WHERE q.scope = 'organization'
        OR (q.scope = 'group' AND q.group_id IN (SELECT mine.group_id FROM mine))
    $$
    """,
    # The rows are locked in the order of their ids, so that runs do not wait for each other in a circle. What a run has
    # spent is the difference between its own sums and what was charged before, so that charging twice changes nothing.
    """
    CREATE FUNCTION charge_quotas(of_run UUID, of_attempt INTEGER, next_tokens BIGINT, next_cost NUMERIC)
    RETURNS TABLE (group_id INTEGER, user_id INTEGER, period VARCHAR, begins_at TIMESTAMPTZ, measure TEXT,
        used NUMERIC, maximum NUMERIC, is_exceeded BOOLEAN)
    LANGUAGE plpgsql AS $$
    #variable_conflict use_column
    DECLARE
        run RECORD;
        charge quota_charges;
        is_new BOOLEAN;
        new_questions INTEGER := 0;
        is_refused BOOLEAN := FALSE;
    BEGIN
        SELECT r.user_id, r.parent_run_id IS NULL AS is_root, r.prompt_tokens + r.completion_tokens AS tokens,
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
            INSERT INTO quota_usage (group_id, user_id, period, begins_at)
            SELECT q.group_id, q.user_id, q.period, date_trunc(q.period, now(), 'UTC') FROM quotas_of(run.user_id) AS q
            ORDER BY q.user_id, q.group_id, q.period
            ON CONFLICT DO NOTHING;
            SELECT of_run, array_agg(u.id ORDER BY u.id), run.tokens, run.cost, 0, 0 INTO charge
            FROM quota_usage AS u JOIN quotas_of(run.user_id) AS q
                ON u.user_id IS NOT DISTINCT FROM q.user_id AND u.group_id IS NOT DISTINCT FROM q.group_id
                AND u.period = q.period AND u.begins_at = date_trunc(q.period, now(), 'UTC');
            IF charge.usage_ids IS NULL THEN
                RETURN;
            END IF;
            new_questions := run.is_root::integer;
        END IF;
        PERFORM FROM quota_usage AS u WHERE u.id = ANY(charge.usage_ids) ORDER BY u.id FOR UPDATE;
        IF next_tokens > 0 THEN
            RETURN QUERY
            SELECT u.group_id, u.user_id, u.period, u.begins_at, m.measure, m.used, m.maximum, TRUE
            FROM quota_usage AS u JOIN quotas_of(run.user_id) AS q
                ON u.user_id IS NOT DISTINCT FROM q.user_id AND u.group_id IS NOT DISTINCT FROM q.group_id
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
            FROM quota_usage AS u JOIN quotas_of(run.user_id) AS q
                ON u.user_id IS NOT DISTINCT FROM q.user_id AND u.group_id IS NOT DISTINCT FROM q.group_id
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
        RETURNING u.group_id, u.user_id, u.period, u.begins_at, nearly.measure, nearly.used, nearly.maximum, FALSE;
    END
    $$
    """,
)


def upgrade() -> None:
    """Add the tables, and the functions that apply and charge quotas."""
    for statement in (*_TABLES, *_FUNCTIONS):
        op.execute(statement)


def downgrade() -> None:
    """Remove them."""
    op.execute("ALTER TABLE installation_settings DROP COLUMN has_quotas")
    op.execute("DROP TABLE quota_charges, quota_usage, quotas")
    for function in ("charge_quotas", "quotas_of", "release_quota", "note_quotas"):
        op.execute(f"DROP FUNCTION {function}")
