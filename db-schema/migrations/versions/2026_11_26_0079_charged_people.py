"""Charge people for model calls outside of runs, and end approved sign-ins of devices with the other credentials.

Revision ID: 0079
"""

from alembic import op

revision = "0079"
down_revision = "0078"
branch_labels = None
depends_on = None

_REVOKE = """
    CREATE OR REPLACE FUNCTION revoke_credentials() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        UPDATE api_keys SET revoked = true WHERE user_id = NEW.id AND NOT revoked;
        DELETE FROM sign_in_tokens WHERE user_id = NEW.id;
        {devices}
        DELETE FROM web_sessions WHERE user_id = NEW.id;
        DELETE FROM invitations WHERE invited_by = NEW.id AND accepted_at IS NULL;
        UPDATE session_shares SET revoked_at = now() WHERE user_id = NEW.id AND revoked_at IS NULL;
        RETURN NULL;
    END
    $$
"""


def upgrade() -> None:
    """Add the function, and let the trigger delete what was approved."""
    # Its rows are locked in the order of their ids, as those of `charge_quotas`.
    op.execute(
        """
        CREATE FUNCTION charge_person(of_user INTEGER, spent_tokens BIGINT, spent_cost NUMERIC) RETURNS BOOLEAN
        LANGUAGE plpgsql AS $$
        DECLARE
            usage_ids BIGINT[];
            is_used_up BOOLEAN;
        BEGIN
            INSERT INTO quota_usage (group_id, user_id, period, begins_at)
            SELECT q.group_id, q.user_id, q.period, date_trunc(q.period, now(), 'UTC') FROM quotas_of(of_user) AS q
            ORDER BY q.user_id, q.group_id, q.period
            ON CONFLICT DO NOTHING;
            SELECT array_agg(u.id ORDER BY u.id) INTO usage_ids
            FROM quota_usage AS u JOIN quotas_of(of_user) AS q
                ON u.user_id IS NOT DISTINCT FROM q.user_id AND u.group_id IS NOT DISTINCT FROM q.group_id
                AND u.period = q.period AND u.begins_at = date_trunc(q.period, now(), 'UTC');
            PERFORM FROM quota_usage AS u WHERE u.id = ANY(usage_ids) ORDER BY u.id FOR UPDATE;
            SELECT COALESCE(bool_or(u.tokens + u.reserved_tokens >= q.max_tokens
                OR u.cost + u.reserved_cost >= q.max_cost), FALSE) INTO is_used_up
            FROM quota_usage AS u JOIN quotas_of(of_user) AS q
                ON u.user_id IS NOT DISTINCT FROM q.user_id AND u.group_id IS NOT DISTINCT FROM q.group_id
                AND u.period = q.period
            WHERE u.id = ANY(usage_ids);
            UPDATE quota_usage AS u SET tokens = u.tokens + spent_tokens, cost = u.cost + spent_cost
            WHERE u.id = ANY(usage_ids);
            RETURN is_used_up;
        END
        $$
        """
    )
    op.execute(_REVOKE.format(devices="DELETE FROM device_sign_ins WHERE user_id = NEW.id;"))


def downgrade() -> None:
    """Remove the function, and let the trigger leave them."""
    op.execute(_REVOKE.format(devices=""))
    op.execute("DROP FUNCTION charge_person")
