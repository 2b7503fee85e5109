"""Datasets of questions, and evaluations of assistants with them.

Revision ID: 0074
"""

from alembic import op

revision = "0074"
down_revision = "0073"
branch_labels = None
depends_on = None

_TABLES = (
    """
    CREATE TABLE evaluation_datasets (
        id BIGSERIAL PRIMARY KEY,
        user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        name VARCHAR(255) NOT NULL,
        description TEXT NOT NULL DEFAULT '',
        is_shared BOOLEAN NOT NULL DEFAULT FALSE,
        groups TEXT[] NOT NULL DEFAULT '{}',
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
        last_update TIMESTAMPTZ,
        user_id_last_update INTEGER REFERENCES users ON DELETE SET NULL,
        UNIQUE (user_id, name)
    )
    """,
    """
    CREATE TABLE evaluation_cases (
        id BIGSERIAL PRIMARY KEY,
        dataset_id BIGINT NOT NULL REFERENCES evaluation_datasets ON DELETE CASCADE,
        question TEXT NOT NULL,
        documents TEXT[] NOT NULL DEFAULT '{}',
        passages TEXT[] NOT NULL DEFAULT '{}',
        facts TEXT[] NOT NULL DEFAULT '{}',
        answer TEXT NOT NULL DEFAULT '',
        message_id BIGINT REFERENCES chat_messages ON DELETE SET NULL,
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
        last_update TIMESTAMPTZ,
        user_id_last_update INTEGER REFERENCES users ON DELETE SET NULL
    )
    """,
    """
    CREATE TABLE evaluation_runs (
        id BIGSERIAL PRIMARY KEY,
        dataset_id BIGINT NOT NULL REFERENCES evaluation_datasets ON DELETE CASCADE,
        user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        assistant_id SMALLINT NOT NULL REFERENCES assistants,
        assistant_version INTEGER NOT NULL
            CONSTRAINT evaluation_runs_assistant_version_check CHECK (assistant_version >= 0),
        judge_llm_id SMALLINT REFERENCES llms,
        status VARCHAR(20) NOT NULL DEFAULT 'running'
            CONSTRAINT evaluation_runs_status_check CHECK (status IN ('running', 'completed', 'cancelled', 'failed')),
        error TEXT,
        completed_at TIMESTAMPTZ,
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
        CONSTRAINT evaluation_runs_completed_at_check CHECK ((status = 'running') = (completed_at IS NULL))
    )
    """,
    """
    CREATE TABLE evaluation_results (
        id BIGSERIAL PRIMARY KEY,
        evaluation_run_id BIGINT NOT NULL REFERENCES evaluation_runs ON DELETE CASCADE,
        case_id BIGINT REFERENCES evaluation_cases ON DELETE SET NULL,
        expected JSONB NOT NULL DEFAULT '{}',
        status VARCHAR(20) NOT NULL DEFAULT 'pending' CONSTRAINT evaluation_results_status_check
            CHECK (status IN ('pending', 'running', 'completed', 'failed', 'cancelled')),
        error TEXT,
        run_id UUID REFERENCES runs ON DELETE SET NULL,
        answer TEXT NOT NULL DEFAULT '',
        rank INTEGER CONSTRAINT evaluation_results_rank_check CHECK (rank >= 1),
        document_share REAL
            CONSTRAINT evaluation_results_document_share_check CHECK (document_share BETWEEN 0 AND 1),
        passage_share REAL CONSTRAINT evaluation_results_passage_share_check CHECK (passage_share BETWEEN 0 AND 1),
        fact_share REAL CONSTRAINT evaluation_results_fact_share_check CHECK (fact_share BETWEEN 0 AND 1),
        missing TEXT[] NOT NULL DEFAULT '{}',
        citations INTEGER NOT NULL DEFAULT 0,
        supported_citations INTEGER NOT NULL DEFAULT 0,
        judge_score REAL CONSTRAINT evaluation_results_judge_score_check CHECK (judge_score BETWEEN 0 AND 1),
        judge_reason TEXT NOT NULL DEFAULT '',
        judge_prompt_tokens BIGINT NOT NULL DEFAULT 0
            CONSTRAINT evaluation_results_judge_prompt_tokens_check CHECK (judge_prompt_tokens >= 0),
        judge_completion_tokens BIGINT NOT NULL DEFAULT 0
            CONSTRAINT evaluation_results_judge_completion_tokens_check CHECK (judge_completion_tokens >= 0),
        judge_cost NUMERIC(14, 8) NOT NULL DEFAULT 0
            CONSTRAINT evaluation_results_judge_cost_check CHECK (judge_cost >= 0),
        tokens BIGINT NOT NULL DEFAULT 0,
        cost NUMERIC(14, 8),
        duration_ms BIGINT,
        CONSTRAINT evaluation_results_citations_check CHECK (supported_citations BETWEEN 0 AND citations)
    )
    """,
)
_INDEXES = (
    "CREATE INDEX idx_evaluation_cases_dataset_id ON evaluation_cases (dataset_id, id)",
    """
    CREATE UNIQUE INDEX idx_evaluation_cases_message_id ON evaluation_cases (message_id, dataset_id)
    WHERE message_id IS NOT NULL
    """,
    "CREATE INDEX idx_evaluation_runs_user_id ON evaluation_runs (user_id, id)",
    "CREATE INDEX idx_evaluation_runs_dataset_id ON evaluation_runs (dataset_id, user_id, id)",
    "CREATE INDEX idx_evaluation_runs_running ON evaluation_runs (id) WHERE status = 'running'",
    "CREATE INDEX idx_evaluation_results_evaluation_run_id ON evaluation_results (evaluation_run_id, id)",
    "CREATE INDEX idx_evaluation_results_case_id ON evaluation_results (case_id) WHERE case_id IS NOT NULL",
    "CREATE INDEX idx_evaluation_results_run_id ON evaluation_results (run_id) WHERE run_id IS NOT NULL",
)
_NOUNS = ("datasets", "cases")


def upgrade() -> None:
    """Create the tables, with the trigger of `last_update` where people change rows."""
    for statement in (*_TABLES, *_INDEXES):
        op.execute(statement)
    for noun in _NOUNS:
        op.execute(
            f"CREATE TRIGGER update_evaluation_{noun}_last_update BEFORE UPDATE ON evaluation_{noun}"
            " FOR EACH ROW EXECUTE FUNCTION update_last_update_column()"
        )


def downgrade() -> None:
    """Remove them."""
    for noun in ("results", "runs", "cases", "datasets"):
        op.execute(f"DROP TABLE evaluation_{noun}")
