"""The words for shortened histories and refused calls: summarize instead of compress, denied instead of declined.

The columns of `chat_sessions` keep their names. Models are sent the calls of an unfinished run again, so errors of
calls that are stored say `denied` too.

Revision ID: 0012
"""

from alembic import op
from sqlalchemy import text

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

OLD = {
    "job": "compress_session",
    "setting": "compressAfterTokens",
    "change": "SESSION_CHANGE_COMPRESSED",
    "approval": "declined",
    "approval_name": "TOOL_APPROVAL_DECLINED",
    "error": "The person declined this call",
}
NEW = {
    "job": "summarize_session",
    "setting": "summarizeAfterTokens",
    "change": "SESSION_CHANGE_SUMMARIZED",
    "approval": "denied",
    "approval_name": "TOOL_APPROVAL_DENIED",
    "error": "The person denied this call",
}

STATEMENTS = (
    """
    UPDATE background_jobs SET kind = CAST(:new_job AS text), unique_key = CAST(:new_job AS text) || ':' || subject_id
    WHERE kind = CAST(:old_job AS text)
    """,
    """
    UPDATE assistants SET config = config - CAST(:old_setting AS text)
        || jsonb_build_object(CAST(:new_setting AS text), config -> CAST(:old_setting AS text))
    WHERE config ? CAST(:old_setting AS text)
    """,
    """
    UPDATE run_events SET payload = jsonb_set(payload, '{sessionChanged,change}', to_jsonb(CAST(:new_change AS text)))
    WHERE payload #>> '{sessionChanged,change}' = CAST(:old_change AS text)
    """,
    """
    UPDATE tool_calls SET approval = CAST(:new_approval AS text),
        error_message = regexp_replace(error_message, '^' || CAST(:old_error AS text), CAST(:new_error AS text))
    WHERE approval = CAST(:old_approval AS text)
    """,
    # The event of a denial repeats the error of its call.
    """
    UPDATE run_events SET payload = payload || jsonb_build_object('toolCall', (payload -> 'toolCall')
        || jsonb_strip_nulls(jsonb_build_object('approval', CAST(:new_approval_name AS text),
            'errorMessage', regexp_replace(
                payload #>> '{toolCall,errorMessage}', '^' || CAST(:old_error AS text), CAST(:new_error AS text)))))
    WHERE payload #>> '{toolCall,approval}' = CAST(:old_approval_name AS text)
    """,
)


def rename(old: dict[str, str], new: dict[str, str]) -> None:
    """Replaces words in all rows; the constraint on approvals must not be there."""
    words = {f"old_{key}": word for key, word in old.items()} | {f"new_{key}": word for key, word in new.items()}
    for statement in STATEMENTS:
        op.get_bind().execute(text(statement), words)


def upgrade() -> None:
    """Say that histories are summarized and calls denied."""
    op.execute("ALTER TABLE tool_calls DROP CONSTRAINT tool_calls_approval_check")
    rename(OLD, NEW)
    op.execute(
        """
        ALTER TABLE tool_calls ADD CONSTRAINT tool_calls_approval_check
            CHECK (approval IN ('required', 'granted', 'denied'))
        """
    )


def downgrade() -> None:
    """Put the words of before back."""
    op.execute("ALTER TABLE tool_calls DROP CONSTRAINT tool_calls_approval_check")
    rename(NEW, OLD)
    op.execute(
        """
        ALTER TABLE tool_calls ADD CONSTRAINT tool_calls_approval_check
            CHECK (approval IN ('required', 'granted', 'declined'))
        """
    )
