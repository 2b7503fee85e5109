"""Events name the step of their tool call; calls that wait for a person hold only what they are called with.

Revision ID: 0010
"""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the steps to stored events, and remove what waiting calls do not have any more."""
    # A model may use the id of a call again in a later step; an event is about the latest one that was there.
    op.execute(
        """
        UPDATE run_events SET payload = jsonb_set(payload, '{toolCall,stepNumber}', (
            SELECT to_jsonb(max(steps.step_number)) FROM steps JOIN tool_calls ON tool_calls.step_id = steps.id
            WHERE steps.run_id = run_events.run_id AND steps.creation_date <= run_events.creation_date
                AND tool_calls.tool_call_id = payload #>> '{toolCall,toolCallId}'))
        WHERE payload ? 'toolCall' AND EXISTS (
            SELECT FROM steps JOIN tool_calls ON tool_calls.step_id = steps.id
            WHERE steps.run_id = run_events.run_id AND steps.creation_date <= run_events.creation_date
                AND tool_calls.tool_call_id = payload #>> '{toolCall,toolCallId}')
        """
    )
    op.execute(
        """
        CREATE FUNCTION pg_temp.waiting_calls(calls jsonb) RETURNS jsonb LANGUAGE sql AS $$
            SELECT jsonb_agg(call - 'status' - 'approval' ORDER BY place)
            FROM jsonb_array_elements(calls) WITH ORDINALITY AS listed (call, place)
        $$
        """
    )
    op.execute(
        """
        UPDATE runs SET pending_input = jsonb_set(pending_input, '{toolCalls}',
            pg_temp.waiting_calls(pending_input -> 'toolCalls'))
        WHERE jsonb_array_length(pending_input -> 'toolCalls') > 0
        """
    )
    op.execute(
        """
        UPDATE run_events SET payload = jsonb_set(payload, '{inputRequested,pendingInput,toolCalls}',
            pg_temp.waiting_calls(payload #> '{inputRequested,pendingInput,toolCalls}'))
        WHERE jsonb_array_length(payload #> '{inputRequested,pendingInput,toolCalls}') > 0
        """
    )
    op.execute("DROP FUNCTION pg_temp.waiting_calls(jsonb)")


def downgrade() -> None:
    """Remove the steps from stored events; what waiting calls had besides is in `tool_calls`."""
    op.execute("UPDATE run_events SET payload = payload #- '{toolCall,stepNumber}' WHERE payload ? 'toolCall'")
