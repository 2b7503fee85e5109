"""The words for sub-agents: run kind `sub_agent`, tool `spawn_sub_agent`, step action `delegate`, instead of `fork`.

Models are sent the calls of an unfinished run again, so calls that are stored get the tool's present name too.

Revision ID: 0008
"""

from alembic import op
from sqlalchemy import text

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

FORK = {
    "kind": "fork",
    "tool": "fork",
    "action": "fork",
    "step_action": "STEP_ACTION_FORK",
    "detail": "forked",
}
SUB_AGENT = {
    "kind": "sub_agent",
    "tool": "spawn_sub_agent",
    "action": "delegate",
    "step_action": "STEP_ACTION_DELEGATE",
    "detail": "subRunStarted",
}

FUNCTIONS = (
    # An array of calls, `field` being the key of the tool's name in them.
    """
    CREATE FUNCTION pg_temp.rename_calls(calls jsonb, field text, old text, new text) RETURNS jsonb LANGUAGE sql AS $$
        SELECT jsonb_agg(CASE WHEN call ->> field = old THEN call || jsonb_build_object(field, new) ELSE call END
            ORDER BY place)
        FROM jsonb_array_elements(calls) WITH ORDINALITY AS listed (call, place)
    $$
    """,
    # The arguments are text that a model wrote, and PostgreSQL need not be able to read them as JSON.
    r"""
    CREATE FUNCTION pg_temp.rename_inner_calls(calls jsonb, old text, new text) RETURNS jsonb LANGUAGE sql AS $$
        SELECT jsonb_agg(
            CASE WHEN call ->> 'name' = 'call_in_parallel' THEN call || jsonb_build_object('arguments', regexp_replace(
                call ->> 'arguments', '"tool"\s*:\s*"' || old || '"', '"tool":"' || new || '"', 'g'))
            ELSE call END ORDER BY place)
        FROM jsonb_array_elements(calls) WITH ORDINALITY AS listed (call, place)
    $$
    """,
    # Lines such as `fork(goal: …) → …`.
    r"""
    CREATE FUNCTION pg_temp.rename_lines(steps jsonb, old text, new text) RETURNS jsonb LANGUAGE sql AS $$
        SELECT jsonb_agg(step || jsonb_build_object('text', regexp_replace(
            step ->> 'text', '(^|; )' || old || '\(goal: ', '\1' || new || '(goal: ', 'g')) ORDER BY place)
        FROM jsonb_array_elements(steps) WITH ORDINALITY AS listed (step, place)
    $$
    """,
    """
    CREATE FUNCTION pg_temp.rename_names(names jsonb, old text, new text) RETURNS jsonb LANGUAGE sql AS $$
        SELECT jsonb_agg(CASE name WHEN old THEN new ELSE name END ORDER BY place)
        FROM jsonb_array_elements_text(names) WITH ORDINALITY AS listed (name, place)
    $$
    """,
)

STATEMENTS = (
    "UPDATE runs SET kind = :new_kind WHERE kind = :old_kind",
    "UPDATE steps SET action = :new_action WHERE action = :old_action",
    "UPDATE tool_calls SET tool_name = :new_tool WHERE tool_name = :old_tool",
    """
    UPDATE steps SET llm_output = jsonb_set(llm_output, '{tool_calls}', pg_temp.rename_inner_calls(
        pg_temp.rename_calls(llm_output -> 'tool_calls', 'name', :old_tool, :new_tool), :old_tool, :new_tool))
    WHERE jsonb_path_exists(llm_output, '$.tool_calls[*].name ? (@ == $tool || @ == "call_in_parallel")',
        jsonb_build_object('tool', CAST(:old_tool AS text)))
    """,
    """
    UPDATE chat_messages SET tool_calls = pg_temp.rename_calls(tool_calls, 'toolName', :old_tool, :new_tool)
    WHERE tool_calls @> jsonb_build_array(jsonb_build_object('toolName', CAST(:old_tool AS text)))
    """,
    """
    UPDATE runs SET pending_input = jsonb_set(pending_input, '{toolCalls}',
        pg_temp.rename_calls(pending_input -> 'toolCalls', 'toolName', :old_tool, :new_tool))
    WHERE pending_input -> 'toolCalls' @> jsonb_build_array(jsonb_build_object('toolName', CAST(:old_tool AS text)))
    """,
    """
    UPDATE run_events SET payload = jsonb_set(payload, '{inputRequested,pendingInput,toolCalls}',
        pg_temp.rename_calls(payload #> '{inputRequested,pendingInput,toolCalls}', 'toolName', :old_tool, :new_tool))
    WHERE payload #> '{inputRequested,pendingInput,toolCalls}'
        @> jsonb_build_array(jsonb_build_object('toolName', CAST(:old_tool AS text)))
    """,
    """
    UPDATE run_events SET payload = jsonb_set(payload, '{toolCall,toolName}', to_jsonb(CAST(:new_tool AS text)))
    WHERE payload #>> '{toolCall,toolName}' = :old_tool
    """,
    """
    UPDATE run_events SET payload = jsonb_set(payload, '{step,action}', to_jsonb(CAST(:new_step_action AS text)))
    WHERE payload #>> '{step,action}' = :old_step_action
    """,
    """
    UPDATE run_events SET payload = jsonb_build_object(CAST(:new_detail AS text), payload -> CAST(:old_detail AS text))
    WHERE payload ? CAST(:old_detail AS text)
    """,
    """
    UPDATE assistants SET config = jsonb_set(config, '{tools}',
        pg_temp.rename_names(config -> 'tools', :old_tool, :new_tool))
    WHERE config -> 'tools' ? CAST(:old_tool AS text)
    """,
    """
    UPDATE assistants SET config = jsonb_set(config, '{approvalTools}',
        pg_temp.rename_names(config -> 'approvalTools', :old_tool, :new_tool))
    WHERE config -> 'approvalTools' ? CAST(:old_tool AS text)
    """,
    """
    UPDATE chat_sessions SET important_steps = pg_temp.rename_lines(important_steps, :old_tool, :new_tool)
    WHERE important_steps::text LIKE '%' || CAST(:old_tool AS text) || '(goal: %'
    """,
    """
    UPDATE checkpoints SET session_state = jsonb_set(session_state, '{important_steps}',
        pg_temp.rename_lines(session_state -> 'important_steps', :old_tool, :new_tool))
    WHERE session_state ->> 'important_steps' LIKE '%' || CAST(:old_tool AS text) || '(goal: %'
    """,
)


def rename(old: dict[str, str], new: dict[str, str]) -> None:
    """Replaces words in all rows; the constraints on them must not be there."""
    words = {f"old_{key}": word for key, word in old.items()} | {f"new_{key}": word for key, word in new.items()}
    for function in FUNCTIONS:
        op.execute(function)
    for statement in STATEMENTS:
        op.get_bind().execute(text(statement), words)
    for name in ("rename_calls", "rename_inner_calls", "rename_lines", "rename_names"):
        op.execute(f"DROP FUNCTION pg_temp.{name}")


def upgrade() -> None:
    """Say `sub_agent`, `spawn_sub_agent` and `delegate`."""
    op.execute("ALTER TABLE runs DROP CONSTRAINT runs_kind_check")
    op.execute("ALTER TABLE steps DROP CONSTRAINT steps_action_check")
    rename(FORK, SUB_AGENT)
    op.execute(
        """
        ALTER TABLE runs ADD CONSTRAINT runs_kind_check CHECK (kind IN ('agent', 'team', 'member', 'sub_agent'))
        """
    )
    op.execute(
        """
        ALTER TABLE steps ADD CONSTRAINT steps_action_check CHECK (action IN (
            'call_tool', 'call_tools_parallel', 'delegate', 'ask_user', 'plan', 'retrieve', 'answer'
        ))
        """
    )


def downgrade() -> None:
    """Say `fork` again."""
    op.execute("ALTER TABLE runs DROP CONSTRAINT runs_kind_check")
    op.execute("ALTER TABLE steps DROP CONSTRAINT steps_action_check")
    rename(SUB_AGENT, FORK)
    op.execute("ALTER TABLE runs ADD CONSTRAINT runs_kind_check CHECK (kind IN ('agent', 'team', 'member', 'fork'))")
    op.execute(
        """
        ALTER TABLE steps ADD CONSTRAINT steps_action_check CHECK (action IN (
            'call_tool', 'call_tools_parallel', 'fork', 'delegate', 'ask_user', 'plan', 'retrieve', 'answer'
        ))
        """
    )
