"""Initial schema: identity, catalogue, content, conversation, execution, memory and work.

Revision ID: 0001
"""

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

AUDIT = """
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
        last_update TIMESTAMPTZ,
        user_id_last_update INTEGER REFERENCES users ON DELETE SET NULL""".strip()

TABLES = (
    f"""
    CREATE TABLE users (
        id SERIAL PRIMARY KEY,
        user_name VARCHAR(255) NOT NULL,
        email VARCHAR(255) NOT NULL,
        first_name VARCHAR(255),
        last_name VARCHAR(255),
        external_id TEXT,
        roles TEXT[] NOT NULL DEFAULT '{{user}}' CHECK (roles <@ ARRAY['user', 'admin', 'superadmin']),
        groups TEXT[] NOT NULL DEFAULT '{{}}',
        preferences JSONB NOT NULL DEFAULT '{{}}',
        is_active BOOLEAN NOT NULL DEFAULT true,
        last_login TIMESTAMPTZ,
        {AUDIT}
    )
    """,
    f"""
    CREATE TABLE groups (
        id SERIAL PRIMARY KEY,
        name VARCHAR(255) NOT NULL UNIQUE,
        description TEXT NOT NULL DEFAULT '',
        {AUDIT}
    )
    """,
    """
    CREATE TABLE group_members (
        group_id INTEGER NOT NULL REFERENCES groups,
        user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
        PRIMARY KEY (group_id, user_id)
    )
    """,
    f"""
    CREATE TABLE credentials (
        user_id INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE,
        password_hash TEXT NOT NULL,
        {AUDIT}
    )
    """,
    """
    CREATE TABLE sign_in_tokens (
        id SERIAL PRIMARY KEY,
        user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        token_hash BYTEA NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
        expires_at TIMESTAMPTZ NOT NULL,
        used_at TIMESTAMPTZ,
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now()
    )
    """,
    """
    CREATE TABLE web_sessions (
        id BIGSERIAL PRIMARY KEY,
        user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        token_hash BYTEA NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
        expires_at TIMESTAMPTZ NOT NULL,
        last_seen TIMESTAMPTZ NOT NULL DEFAULT now(),
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now()
    )
    """,
    f"""
    CREATE TABLE api_keys (
        id SERIAL PRIMARY KEY,
        user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        name VARCHAR(255) NOT NULL,
        prefix VARCHAR(32) NOT NULL,
        sha256 BYTEA NOT NULL CHECK (octet_length(sha256) = 32),
        scopes TEXT[] NOT NULL DEFAULT '{{}}',
        expires_at TIMESTAMPTZ,
        last_used_at TIMESTAMPTZ,
        revoked BOOLEAN NOT NULL DEFAULT false,
        {AUDIT}
    )
    """,
    """
    CREATE TABLE audit_log (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        actor_id INTEGER,
        action VARCHAR(100) NOT NULL,
        target TEXT NOT NULL,
        detail JSONB NOT NULL DEFAULT '{}',
        denied BOOLEAN NOT NULL DEFAULT false,
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now()
    )
    """,
    f"""
    CREATE TABLE llms (
        id SMALLSERIAL PRIMARY KEY,
        name VARCHAR(255) NOT NULL,
        provider VARCHAR(50) NOT NULL
            CHECK (provider IN ('tgi', 'vllm', 'openai', 'anthropic', 'ollama', 'extractive')),
        model_id VARCHAR(255) NOT NULL,
        endpoint VARCHAR,
        api_key VARCHAR,
        max_tokens INTEGER CHECK (max_tokens >= 1),
        context_tokens INTEGER CHECK (context_tokens >= 1),
        temperature NUMERIC(3, 2) CHECK (temperature BETWEEN 0 AND 2),
        is_default BOOLEAN NOT NULL DEFAULT false,
        is_active BOOLEAN NOT NULL DEFAULT true,
        {AUDIT},
        deleted_date TIMESTAMPTZ
    )
    """,
    f"""
    CREATE TABLE embedding_models (
        id SMALLSERIAL PRIMARY KEY,
        model_id VARCHAR NOT NULL,
        model_name VARCHAR NOT NULL,
        model_dimension INTEGER NOT NULL CHECK (model_dimension >= 1),
        endpoint VARCHAR,
        is_active BOOLEAN NOT NULL DEFAULT false,
        sparse_encoder TEXT NOT NULL,
        chunker TEXT NOT NULL,
        collection TEXT GENERATED ALWAYS AS ('chunks_' || id::text) STORED NOT NULL,
        {AUDIT},
        deleted_date TIMESTAMPTZ
    )
    """,
    f"""
    CREATE TABLE assistants (
        id SMALLSERIAL PRIMARY KEY,
        name VARCHAR(255) NOT NULL,
        description TEXT NOT NULL DEFAULT '',
        llm_id SMALLINT REFERENCES llms ON DELETE SET NULL,
        system_prompt TEXT NOT NULL DEFAULT '',
        task_prompt TEXT NOT NULL DEFAULT '',
        starter_messages JSONB NOT NULL DEFAULT '[]',
        config JSONB NOT NULL DEFAULT '{{}}',
        is_default BOOLEAN NOT NULL DEFAULT false,
        is_visible BOOLEAN NOT NULL DEFAULT true,
        display_priority INTEGER NOT NULL DEFAULT 0,
        created_by INTEGER REFERENCES users ON DELETE SET NULL,
        {AUDIT},
        deleted_date TIMESTAMPTZ
    )
    """,
    f"""
    CREATE TABLE connectors (
        id SERIAL PRIMARY KEY,
        name VARCHAR(255) NOT NULL,
        type VARCHAR(50) NOT NULL
            CHECK (type IN ('teams', 'google_drive', 'onedrive', 'web', 'file', 'storage')),
        config JSONB NOT NULL DEFAULT '{{}}',
        state JSONB NOT NULL DEFAULT '{{}}',
        encrypted_credentials TEXT,
        refresh_freq_minutes INTEGER CHECK (refresh_freq_minutes >= 1),
        user_id INTEGER NOT NULL REFERENCES users,
        scope VARCHAR(20) NOT NULL DEFAULT 'user' CHECK (scope IN ('user', 'group', 'org')),
        scope_id TEXT CONSTRAINT connectors_scope_id_check CHECK ((scope = 'group') = (scope_id IS NOT NULL)),
        status VARCHAR(50) NOT NULL DEFAULT 'pending'
            CHECK (status IN ('pending', 'syncing', 'active', 'error', 'disabled')),
        status_message TEXT,
        last_sync_at TIMESTAMPTZ,
        next_sync_at TIMESTAMPTZ,
        docs_analyzed BIGINT NOT NULL DEFAULT 0,
        {AUDIT},
        deleted_date TIMESTAMPTZ
    )
    """,
    f"""
    CREATE TABLE connector_syncs (
        id BIGSERIAL PRIMARY KEY,
        connector_id INTEGER NOT NULL REFERENCES connectors ON DELETE CASCADE,
        status VARCHAR(50) NOT NULL DEFAULT 'pending'
            CHECK (status IN ('pending', 'running', 'completed', 'failed', 'cancelled')),
        attempt INTEGER NOT NULL DEFAULT 0,
        worker_id UUID,
        documents_seen INTEGER NOT NULL DEFAULT 0,
        documents_added INTEGER NOT NULL DEFAULT 0,
        documents_updated INTEGER NOT NULL DEFAULT 0,
        documents_unchanged INTEGER NOT NULL DEFAULT 0,
        documents_removed INTEGER NOT NULL DEFAULT 0,
        documents_failed INTEGER NOT NULL DEFAULT 0,
        cursor_before JSONB,
        cursor_after JSONB,
        error TEXT,
        started_at TIMESTAMPTZ,
        completed_at TIMESTAMPTZ,
        {AUDIT}
    )
    """,
    f"""
    CREATE TABLE documents (
        id BIGSERIAL PRIMARY KEY,
        parent_id BIGINT REFERENCES documents ON DELETE SET NULL,
        connector_id INTEGER NOT NULL REFERENCES connectors,
        source_id TEXT NOT NULL CHECK (octet_length(source_id) BETWEEN 1 AND 2000),
        url TEXT,
        original_url TEXT,
        title TEXT NOT NULL DEFAULT '',
        content_type VARCHAR(100),
        size_bytes BIGINT CHECK (size_bytes >= 0),
        language VARCHAR(20),
        signature TEXT,
        processing_session UUID,
        chunking_session UUID,
        status VARCHAR(50) NOT NULL DEFAULT 'pending'
            CHECK (status IN ('pending', 'processing', 'completed', 'failed')),
        status_message TEXT,
        chunk_count INTEGER NOT NULL DEFAULT 0 CHECK (chunk_count >= 0),
        {AUDIT},
        deleted_date TIMESTAMPTZ
    )
    """,
    f"""
    CREATE TABLE chat_sessions (
        id SERIAL PRIMARY KEY,
        user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        assistant_id SMALLINT NOT NULL REFERENCES assistants,
        title TEXT NOT NULL DEFAULT 'New Chat',
        mode VARCHAR(20) NOT NULL DEFAULT 'chat' CHECK (mode IN ('chat', 'one_shot')),
        status VARCHAR(20) NOT NULL DEFAULT 'active'
            CHECK (status IN ('active', 'paused', 'cancelled', 'completed', 'failed', 'error')),
        error JSONB,
        message_count INTEGER NOT NULL DEFAULT 0 CHECK (message_count >= 0),
        last_message_at TIMESTAMPTZ,
        goal TEXT,
        initial_goal TEXT,
        parent_session_id INTEGER REFERENCES chat_sessions ON DELETE SET NULL,
        forked_from_message_id BIGINT,
        head_message_id BIGINT,
        most_recent_run_id UUID,
        context JSONB NOT NULL DEFAULT '{{}}',
        preferences JSONB NOT NULL DEFAULT '{{}}',
        important_steps JSONB NOT NULL DEFAULT '[]',
        compressed_summary TEXT,
        last_compressed_message_id BIGINT,
        is_compressing BOOLEAN NOT NULL DEFAULT false,
        compressing_started_at TIMESTAMPTZ,
        last_knowledge_extraction_at TIMESTAMPTZ,
        share_token_hash BYTEA CHECK (octet_length(share_token_hash) = 32),
        external_id TEXT,
        metadata JSONB NOT NULL DEFAULT '{{}}',
        {AUDIT},
        deleted_date TIMESTAMPTZ
    )
    """,
    f"""
    CREATE TABLE runs (
        id UUID DEFAULT uuidv7() PRIMARY KEY,
        user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        chat_session_id INTEGER NOT NULL REFERENCES chat_sessions ON DELETE CASCADE,
        parent_run_id UUID REFERENCES runs ON DELETE CASCADE
            CONSTRAINT runs_parent_run_id_check CHECK ((parent_run_id IS NULL) = (kind IN ('agent', 'team'))),
        parent_step_id BIGINT,
        kind VARCHAR(20) NOT NULL DEFAULT 'agent' CHECK (kind IN ('agent', 'team', 'member', 'fork')),
        assistant_id SMALLINT REFERENCES assistants,
        assistant_version INTEGER,
        llm_id SMALLINT REFERENCES llms,
        status VARCHAR(30) NOT NULL DEFAULT 'queued'
            CHECK (status IN (
                'queued', 'running', 'waiting_for_input', 'waiting_for_children', 'paused', 'completed',
                'failed', 'cancelled', 'timeout'
            )),
        input TEXT NOT NULL DEFAULT '',
        goal TEXT,
        inherited_context TEXT,
        ask_clarifications BOOLEAN NOT NULL DEFAULT false,
        auto_run BOOLEAN NOT NULL DEFAULT false,
        state JSONB NOT NULL DEFAULT '{{}}' CHECK (octet_length(state::text) <= 8192),
        pending_input JSONB,
        final_output JSONB,
        result_summary TEXT,
        error JSONB,
        depth INTEGER NOT NULL DEFAULT 0 CHECK (depth BETWEEN 0 AND 10),
        max_steps INTEGER NOT NULL DEFAULT 20 CHECK (max_steps >= 1),
        timeout_seconds INTEGER NOT NULL DEFAULT 300 CHECK (timeout_seconds >= 1),
        steps_executed INTEGER NOT NULL DEFAULT 0,
        tools_called INTEGER NOT NULL DEFAULT 0,
        prompt_tokens INTEGER NOT NULL DEFAULT 0,
        completion_tokens INTEGER NOT NULL DEFAULT 0,
        cost NUMERIC(14, 8),
        attempt INTEGER NOT NULL DEFAULT 0,
        worker_id UUID,
        retry_count INTEGER NOT NULL DEFAULT 0,
        max_retries INTEGER NOT NULL DEFAULT 3,
        control_requested VARCHAR(20) CHECK (control_requested IN ('pause', 'cancel')),
        request_id VARCHAR(255),
        external_id TEXT,
        otel_trace_id VARCHAR(32),
        metadata JSONB NOT NULL DEFAULT '{{}}',
        started_at TIMESTAMPTZ,
        completed_at TIMESTAMPTZ,
        duration_ms BIGINT,
        {AUDIT},
        UNIQUE (user_id, request_id)
    )
    """,
    f"""
    CREATE TABLE steps (
        id BIGSERIAL PRIMARY KEY,
        run_id UUID NOT NULL REFERENCES runs ON DELETE CASCADE,
        step_number INTEGER NOT NULL,
        step_type VARCHAR(20) NOT NULL DEFAULT 'action'
            CHECK (step_type IN ('planner', 'action', 'synthesizer')),
        action VARCHAR(100)
            CHECK (action IN (
                'call_tool', 'call_tools_parallel', 'fork', 'delegate', 'ask_user', 'plan', 'retrieve',
                'answer'
            )),
        llm_model TEXT,
        rendered_prompt TEXT,
        llm_input JSONB,
        llm_output JSONB,
        reasoning TEXT,
        input_data JSONB,
        output_data JSONB,
        error_message TEXT,
        status VARCHAR(50) NOT NULL DEFAULT 'pending'
            CHECK (status IN ('pending', 'running', 'completed', 'failed', 'timeout', 'cancelled')),
        discarded BOOLEAN NOT NULL DEFAULT false,
        is_parallel BOOLEAN NOT NULL DEFAULT false,
        wait_strategy VARCHAR(50) CHECK (wait_strategy IN ('all', 'any', 'majority')),
        parallel_status VARCHAR(50) CHECK (parallel_status IN ('waiting', 'partial', 'completed')),
        prompt_tokens INTEGER NOT NULL DEFAULT 0,
        completion_tokens INTEGER NOT NULL DEFAULT 0,
        started_at TIMESTAMPTZ,
        completed_at TIMESTAMPTZ,
        execution_duration_ms INTEGER,
        {AUDIT},
        UNIQUE (run_id, step_number)
    )
    """,
    f"""
    CREATE TABLE tool_calls (
        id BIGSERIAL PRIMARY KEY,
        step_id BIGINT NOT NULL REFERENCES steps ON DELETE CASCADE,
        tool_call_id VARCHAR(255) NOT NULL,
        tool_name VARCHAR(255) NOT NULL,
        parameters JSONB NOT NULL DEFAULT '{{}}',
        status VARCHAR(50) NOT NULL DEFAULT 'pending'
            CHECK (status IN ('pending', 'running', 'completed', 'failed', 'timeout', 'cancelled')),
        result TEXT,
        error_message TEXT,
        side_effect BOOLEAN NOT NULL DEFAULT false,
        progress_percentage INTEGER NOT NULL DEFAULT 0 CHECK (progress_percentage BETWEEN 0 AND 100),
        status_message TEXT,
        external_task_id VARCHAR(255),
        external_status VARCHAR(100),
        retry_count INTEGER NOT NULL DEFAULT 0,
        max_retries INTEGER NOT NULL DEFAULT 3,
        started_at TIMESTAMPTZ,
        completed_at TIMESTAMPTZ,
        execution_duration_ms INTEGER,
        {AUDIT},
        UNIQUE (step_id, tool_call_id)
    )
    """,
    """
    CREATE TABLE run_events (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        chat_session_id INTEGER NOT NULL REFERENCES chat_sessions ON DELETE CASCADE,
        run_id UUID REFERENCES runs ON DELETE CASCADE,
        kind VARCHAR(20) NOT NULL CHECK (kind IN ('progress', 'status', 'warning', 'error', 'final')),
        text TEXT NOT NULL DEFAULT '',
        payload JSONB,
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now()
    )
    """,
    f"""
    CREATE TABLE chat_messages (
        id BIGSERIAL PRIMARY KEY,
        chat_session_id INTEGER NOT NULL REFERENCES chat_sessions ON DELETE CASCADE,
        role VARCHAR(20) NOT NULL CHECK (role IN ('user', 'assistant', 'system')),
        status VARCHAR(20) NOT NULL DEFAULT 'completed'
            CHECK (status IN ('streaming', 'completed', 'failed', 'cancelled')),
        content TEXT NOT NULL DEFAULT '',
        token_count INTEGER CHECK (token_count >= 0),
        parent_message_id BIGINT REFERENCES chat_messages ON DELETE SET NULL,
        run_id UUID REFERENCES runs ON DELETE SET NULL,
        discarded BOOLEAN NOT NULL DEFAULT false,
        rephrased_query TEXT,
        retrieval_context JSONB,
        tool_calls JSONB,
        error TEXT,
        {AUDIT}
    )
    """,
    f"""
    CREATE TABLE chat_message_feedbacks (
        id SERIAL PRIMARY KEY,
        chat_message_id BIGINT NOT NULL REFERENCES chat_messages ON DELETE CASCADE,
        user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        is_positive BOOLEAN NOT NULL,
        feedback_text TEXT,
        {AUDIT},
        UNIQUE (chat_message_id, user_id)
    )
    """,
    f"""
    CREATE TABLE chat_message_documents (
        id BIGSERIAL PRIMARY KEY,
        chat_message_id BIGINT NOT NULL REFERENCES chat_messages ON DELETE CASCADE,
        document_id BIGINT REFERENCES documents ON DELETE SET NULL,
        chunk_id TEXT NOT NULL,
        relevance_score NUMERIC(5, 4) CHECK (relevance_score BETWEEN 0 AND 1),
        number INTEGER NOT NULL CHECK (number >= 1),
        sentence_start INTEGER,
        sentence_end INTEGER,
        chunking_session UUID,
        span_start INTEGER,
        span_end INTEGER,
        title TEXT NOT NULL DEFAULT '',
        snippet TEXT NOT NULL DEFAULT '',
        page INTEGER,
        supported BOOLEAN,
        {AUDIT},
        CONSTRAINT chat_message_documents_sentence_check
            CHECK (0 <= sentence_start AND sentence_start <= sentence_end),
        CONSTRAINT chat_message_documents_span_check CHECK (0 <= span_start AND span_start <= span_end)
    )
    """,
    f"""
    CREATE TABLE agent_memories (
        id SERIAL PRIMARY KEY,
        user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        memory_type VARCHAR(50) NOT NULL CHECK (memory_type IN ('episodic', 'semantic', 'procedural')),
        content TEXT NOT NULL,
        embedding_id TEXT,
        importance_score NUMERIC(3, 2) NOT NULL DEFAULT 0.5 CHECK (importance_score BETWEEN 0 AND 1),
        access_count INTEGER NOT NULL DEFAULT 0 CHECK (access_count >= 0),
        last_accessed_at TIMESTAMPTZ,
        source_session_id INTEGER REFERENCES chat_sessions ON DELETE SET NULL,
        expires_at TIMESTAMPTZ,
        {AUDIT}
    )
    """,
    """
    CREATE TABLE workers (
        id UUID DEFAULT uuidv7() PRIMARY KEY,
        service VARCHAR(50) NOT NULL,
        host TEXT NOT NULL,
        started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
        heartbeat_at TIMESTAMPTZ NOT NULL DEFAULT now()
    )
    """,
    f"""
    CREATE TABLE background_jobs (
        id BIGSERIAL PRIMARY KEY,
        kind VARCHAR(50) NOT NULL,
        subject_id TEXT NOT NULL,
        unique_key TEXT NOT NULL UNIQUE,
        payload JSONB NOT NULL DEFAULT '{{}}',
        status VARCHAR(20) NOT NULL DEFAULT 'pending'
            CHECK (status IN ('pending', 'running', 'completed', 'failed', 'cancelled')),
        attempt INTEGER NOT NULL DEFAULT 0,
        worker_id UUID,
        run_after TIMESTAMPTZ NOT NULL DEFAULT now(),
        error TEXT,
        {AUDIT}
    )
    """,
)

# Two tables refer to ones that are created after them.
LATE_FOREIGN_KEYS = (
    """
    ALTER TABLE chat_sessions
        ADD CONSTRAINT chat_sessions_forked_from_message_id_fkey
        FOREIGN KEY (forked_from_message_id) REFERENCES chat_messages ON DELETE SET NULL
    """,
    """
    ALTER TABLE runs
        ADD CONSTRAINT runs_parent_step_id_fkey
        FOREIGN KEY (parent_step_id) REFERENCES steps ON DELETE SET NULL
    """,
)

INDEXES = (
    "CREATE UNIQUE INDEX idx_users_email ON users (lower(email))",
    "CREATE UNIQUE INDEX idx_users_external_id ON users (external_id)",
    "CREATE UNIQUE INDEX idx_users_user_name ON users (lower(user_name))",
    "CREATE INDEX idx_group_members_user_id ON group_members (user_id)",
    "CREATE INDEX idx_sign_in_tokens_user_id ON sign_in_tokens (user_id)",
    "CREATE INDEX idx_web_sessions_expires_at ON web_sessions (expires_at)",
    "CREATE INDEX idx_web_sessions_user_id ON web_sessions (user_id)",
    "CREATE UNIQUE INDEX idx_api_keys_name ON api_keys (user_id, name) WHERE NOT revoked",
    "CREATE INDEX idx_api_keys_prefix ON api_keys (prefix)",
    "CREATE INDEX idx_audit_log_actor_id ON audit_log (actor_id, id)",
    "CREATE UNIQUE INDEX idx_llms_default ON llms (is_default) WHERE is_default AND deleted_date IS NULL",
    "CREATE UNIQUE INDEX idx_llms_name ON llms (name) WHERE deleted_date IS NULL",
    """
    CREATE UNIQUE INDEX idx_embedding_models_active ON embedding_models (is_active)
        WHERE is_active AND deleted_date IS NULL
    """,
    "CREATE UNIQUE INDEX idx_assistants_default ON assistants (is_default) WHERE is_default AND deleted_date IS NULL",
    """
    CREATE INDEX idx_assistants_is_visible ON assistants (is_visible, display_priority, id)
        WHERE deleted_date IS NULL
    """,
    "CREATE UNIQUE INDEX idx_assistants_name ON assistants (name) WHERE deleted_date IS NULL",
    """
    CREATE INDEX idx_connectors_due ON connectors (next_sync_at)
        WHERE next_sync_at IS NOT NULL AND status <> 'disabled' AND deleted_date IS NULL
    """,
    "CREATE UNIQUE INDEX idx_connectors_name ON connectors (user_id, name) WHERE deleted_date IS NULL",
    "CREATE INDEX idx_connectors_status ON connectors (status)",
    "CREATE INDEX idx_connectors_user_id ON connectors (user_id, id)",
    """
    CREATE UNIQUE INDEX idx_connector_syncs_active ON connector_syncs (connector_id)
        WHERE status IN ('pending', 'running')
    """,
    "CREATE INDEX idx_connector_syncs_connector_id ON connector_syncs (connector_id, id)",
    "CREATE INDEX idx_connector_syncs_unfinished ON connector_syncs (id) WHERE status IN ('pending', 'running')",
    "CREATE INDEX idx_documents_connector_id ON documents (connector_id, id)",
    "CREATE INDEX idx_documents_parent_id ON documents (parent_id) WHERE parent_id IS NOT NULL",
    "CREATE INDEX idx_documents_removed ON documents (id) WHERE deleted_date IS NOT NULL",
    "CREATE UNIQUE INDEX idx_documents_source_id ON documents (connector_id, source_id)",
    "CREATE INDEX idx_documents_status ON documents (connector_id, status, id)",
    "CREATE INDEX idx_documents_unfinished ON documents (id) WHERE status IN ('pending', 'processing')",
    """
    CREATE UNIQUE INDEX idx_chat_sessions_external_id ON chat_sessions (user_id, external_id)
        WHERE external_id IS NOT NULL
    """,
    """
    CREATE INDEX idx_chat_sessions_forked_from_message_id ON chat_sessions (forked_from_message_id)
        WHERE forked_from_message_id IS NOT NULL
    """,
    """
    CREATE INDEX idx_chat_sessions_parent_session_id ON chat_sessions (parent_session_id)
        WHERE parent_session_id IS NOT NULL
    """,
    """
    CREATE UNIQUE INDEX idx_chat_sessions_share_token_hash ON chat_sessions (share_token_hash)
        WHERE share_token_hash IS NOT NULL
    """,
    """
    CREATE INDEX idx_chat_sessions_user_id
        ON chat_sessions (user_id, COALESCE(last_message_at, creation_date) DESC, id DESC)
        WHERE deleted_date IS NULL
    """,
    """
    CREATE INDEX idx_runs_active ON runs (status, id)
        WHERE status IN ('queued', 'running', 'waiting_for_input', 'waiting_for_children', 'paused')
    """,
    """
    CREATE UNIQUE INDEX idx_runs_active_root ON runs (chat_session_id)
        WHERE parent_run_id IS NULL AND status IN (
            'queued', 'running', 'waiting_for_input', 'waiting_for_children', 'paused'
        )
    """,
    "CREATE INDEX idx_runs_chat_session_id ON runs (chat_session_id, id)",
    "CREATE UNIQUE INDEX idx_runs_external_id ON runs (chat_session_id, external_id) WHERE external_id IS NOT NULL",
    "CREATE INDEX idx_runs_parent_run_id ON runs (parent_run_id) WHERE parent_run_id IS NOT NULL",
    "CREATE INDEX idx_runs_parent_step_id ON runs (parent_step_id) WHERE parent_step_id IS NOT NULL",
    "CREATE INDEX idx_runs_user_id ON runs (user_id, id)",
    "CREATE INDEX idx_steps_run_active ON steps (run_id, step_number) WHERE NOT discarded",
    "CREATE INDEX idx_tool_calls_external_task ON tool_calls (external_task_id) WHERE external_task_id IS NOT NULL",
    "CREATE INDEX idx_tool_calls_status_count ON tool_calls (step_id, status)",
    "CREATE INDEX idx_run_events_run_id ON run_events (run_id) WHERE run_id IS NOT NULL",
    "CREATE INDEX idx_run_events_session_id ON run_events (chat_session_id, id)",
    """
    CREATE INDEX idx_chat_messages_parent_message_id ON chat_messages (parent_message_id)
        WHERE parent_message_id IS NOT NULL
    """,
    "CREATE INDEX idx_chat_messages_run_id ON chat_messages (run_id) WHERE run_id IS NOT NULL",
    "CREATE INDEX idx_chat_messages_session_id ON chat_messages (chat_session_id, id)",
    """
    CREATE INDEX idx_chat_message_documents_document_id ON chat_message_documents (document_id)
        WHERE document_id IS NOT NULL
    """,
    "CREATE INDEX idx_chat_message_documents_message_id ON chat_message_documents (chat_message_id, number)",
    """
    CREATE INDEX idx_agent_memories_source_session_id ON agent_memories (source_session_id)
        WHERE source_session_id IS NOT NULL
    """,
    "CREATE INDEX idx_agent_memories_type ON agent_memories (user_id, memory_type, id)",
    "CREATE INDEX idx_agent_memories_user_id ON agent_memories (user_id, id)",
    "CREATE INDEX idx_workers_heartbeat_at ON workers (heartbeat_at)",
    "CREATE INDEX idx_background_jobs_due ON background_jobs (run_after, id) WHERE status IN ('pending', 'running')",
)

FUNCTIONS = (
    """
    CREATE FUNCTION update_last_update_column() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        NEW.last_update = now();
        RETURN NEW;
    END
    $$
    """,
    # Once a statement: the two messages of a send are one update of their session.
    """
    CREATE FUNCTION update_chat_session_message_count() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'INSERT' THEN
            UPDATE chat_sessions AS s
            SET message_count = s.message_count + added.messages,
                last_message_at = GREATEST(s.last_message_at, added.latest)
            FROM (
                SELECT chat_session_id, count(*) AS messages, max(creation_date) AS latest
                FROM changed_rows GROUP BY chat_session_id
            ) AS added
            WHERE s.id = added.chat_session_id;
        ELSE
            UPDATE chat_sessions AS s
            SET message_count = s.message_count - removed.messages,
                last_message_at = (SELECT max(creation_date) FROM chat_messages WHERE chat_session_id = s.id)
            FROM (SELECT chat_session_id, count(*) AS messages FROM changed_rows GROUP BY chat_session_id) AS removed
            WHERE s.id = removed.chat_session_id;
        END IF;
        RETURN NULL;
    END
    $$
    """,
    """
    CREATE FUNCTION update_group_members() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO groups (name)
        SELECT given FROM unnest(NEW.groups) AS given
        WHERE NOT EXISTS (SELECT FROM groups AS g WHERE g.name = given)
        ORDER BY given
        ON CONFLICT (name) DO NOTHING;

        DELETE FROM group_members AS m USING groups AS g
        WHERE m.user_id = NEW.id AND g.id = m.group_id AND g.name <> ALL (NEW.groups);

        INSERT INTO group_members (group_id, user_id)
        SELECT g.id, NEW.id FROM groups AS g WHERE g.name = ANY (NEW.groups)
        ON CONFLICT DO NOTHING;
        RETURN NULL;
    END
    $$
    """,
    """
    CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
    END
    $$
    """,
)

TABLES_WITH_LAST_UPDATE = (
    "users",
    "groups",
    "credentials",
    "api_keys",
    "llms",
    "embedding_models",
    "assistants",
    "connectors",
    "connector_syncs",
    "documents",
    "chat_sessions",
    "chat_messages",
    "chat_message_feedbacks",
    "chat_message_documents",
    "runs",
    "steps",
    "tool_calls",
    "agent_memories",
    "background_jobs",
)

# A trigger with a transition table serves one kind of statement, so the count of messages has two.
TRIGGERS = (
    *(
        f"CREATE TRIGGER update_{table}_last_update BEFORE UPDATE ON {table} "
        "FOR EACH ROW EXECUTE FUNCTION update_last_update_column()"
        for table in TABLES_WITH_LAST_UPDATE
    ),
    """
    CREATE TRIGGER update_chat_session_message_count_insert AFTER INSERT ON chat_messages
        REFERENCING NEW TABLE AS changed_rows
        FOR EACH STATEMENT EXECUTE FUNCTION update_chat_session_message_count()
    """,
    """
    CREATE TRIGGER update_chat_session_message_count_delete AFTER DELETE ON chat_messages
        REFERENCING OLD TABLE AS changed_rows
        FOR EACH STATEMENT EXECUTE FUNCTION update_chat_session_message_count()
    """,
    """
    CREATE TRIGGER update_group_members AFTER INSERT OR UPDATE OF groups ON users
        FOR EACH ROW EXECUTE FUNCTION update_group_members()
    """,
    """
    CREATE TRIGGER refuse_audit_log_change BEFORE UPDATE OR DELETE ON audit_log
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
    """,
)


def upgrade() -> None:
    """Create everything."""
    for statement in (*TABLES, *LATE_FOREIGN_KEYS, *INDEXES, *FUNCTIONS, *TRIGGERS):
        op.execute(statement)


def downgrade() -> None:
    """Drop everything."""
    op.execute(
        """
        DROP TABLE users, groups, group_members, credentials, sign_in_tokens, web_sessions, api_keys, audit_log,
            llms, embedding_models, assistants, connectors, connector_syncs, documents,
            chat_sessions, chat_messages, chat_message_feedbacks, chat_message_documents,
            runs, steps, tool_calls, run_events, agent_memories, workers, background_jobs
        """
    )
    op.execute(
        """
        DROP FUNCTION update_last_update_column, update_chat_session_message_count, update_group_members,
            refuse_change
        """
    )
