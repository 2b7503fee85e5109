"""Enough of everything that an index pays, spread as in life: most work is done, little waits."""

FILL = """
    INSERT INTO users (user_name, email, external_id)
    SELECT 'user' || n, 'user' || n || '@example.org', 'x' || n FROM generate_series(1, 200) n;

    INSERT INTO assistants (name, is_visible) SELECT 'assistant ' || n, n % 3 > 0 FROM generate_series(1, 100) n;

    INSERT INTO connectors (name, type, user_id, next_sync_at)
    SELECT 'connector ' || n, 'web', n % 200 + 1, CASE WHEN n % 4 = 0 THEN now() + n * interval '1 min' END
    FROM generate_series(1, 400) n;

    INSERT INTO documents (connector_id, source_id, title, size_bytes, status, deleted_date)
    SELECT n % 400 + 1, 's' || n, 'T' || n, n * 7,
        CASE n % 50 WHEN 0 THEN 'pending' WHEN 1 THEN 'failed' ELSE 'completed' END,
        CASE WHEN n % 500 = 0 THEN now() END
    FROM generate_series(1, 20000) n;

    INSERT INTO chat_sessions (user_id, assistant_id, creation_date, deleted_date)
    SELECT n % 200 + 1, 1, now() - n * interval '1 min', CASE WHEN n % 51 = 0 THEN now() END
    FROM generate_series(1, 5000) n;

    INSERT INTO chat_session_texts (chat_session_id, user_id, text, indexed_at)
    SELECT id, user_id, 'what was said in ' || md5(id::text), now() FROM chat_sessions;

    INSERT INTO runs (user_id, chat_session_id, status, request_id, creation_date)
    SELECT user_id, id, CASE WHEN id % 100 = 0 THEN 'queued' WHEN id % 100 = 1 THEN 'running' ELSE 'completed' END,
        'request ' || id, creation_date
    FROM chat_sessions;
    INSERT INTO runs (user_id, chat_session_id, parent_run_id, kind, status)
    SELECT user_id, chat_session_id, id, 'sub_agent', 'completed' FROM runs WHERE chat_session_id % 20 = 0;

    UPDATE runs SET untrusted = TRUE WHERE chat_session_id % 10 = 0;

    INSERT INTO chat_messages (chat_session_id, role, run_id)
    SELECT chat_session_id, 'assistant', id FROM runs, generate_series(1, 4) n;

    UPDATE chat_messages SET parent_message_id = id - 1 WHERE id % 4 <> 1;

    INSERT INTO checkpoints (chat_session_id, name, checkpoint_type, session_state)
    SELECT n % 500 + 1, 'c', CASE WHEN n % 5 = 0 THEN 'manual' ELSE 'auto' END, '{}' FROM generate_series(1, 5000) n;

    INSERT INTO todos (chat_session_id, run_id, title, order_index)
    SELECT chat_session_id, id, 't', n FROM runs, generate_series(1, 3) n WHERE chat_session_id % 4 = 0;

    INSERT INTO chat_message_documents (chat_message_id, document_id, chunk_id, number)
    SELECT id, id % 20000 + 1, 'c', id % 3 + 1 FROM chat_messages;

    INSERT INTO steps (run_id, step_number, discarded)
    SELECT id, n, n = 2 FROM runs, generate_series(1, 3) n;

    INSERT INTO tool_calls (step_id, tool_call_id, tool_name, status)
    SELECT id, 'c' || n, 't', 'completed' FROM steps, generate_series(1, 2) n;

    UPDATE tool_calls SET user_id_last_update = id % 200 + 1, request_id = 'answer ' || id WHERE id % 20 = 0;

    INSERT INTO run_events (chat_session_id, run_id, kind)
    SELECT chat_session_id, id, 'status' FROM runs, generate_series(1, 4) n;

    INSERT INTO api_keys (user_id, name, prefix, sha256)
    SELECT n % 200 + 1, 'key ' || n, 'p' || n, sha256(n::text::bytea) FROM generate_series(1, 1000) n;

    INSERT INTO web_sessions (user_id, token_hash, expires_at)
    SELECT n % 200 + 1, sha256(n::text::bytea), now() + interval '1 day' FROM generate_series(1, 1000) n;

    INSERT INTO connector_syncs (connector_id, status)
    SELECT n % 400 + 1, CASE WHEN n > 7990 THEN 'pending' ELSE 'completed' END FROM generate_series(1, 8000) n;

    INSERT INTO notebooks (user_id, title) SELECT n % 200 + 1, 'notebook ' || n FROM generate_series(1, 500) n;

    INSERT INTO notebook_members (notebook_id, user_id, role)
    SELECT id, (id + n) % 200 + 1, CASE n WHEN 0 THEN 'owner' ELSE 'viewer' END FROM notebooks, generate_series(0, 3) n;

    INSERT INTO notebook_sources (notebook_id, user_id, document_id)
    SELECT id, user_id, id * 7 + n FROM notebooks, generate_series(0, 9) n;

    UPDATE chat_sessions SET notebook_id = id % 500 + 1 WHERE id % 4 = 0;

    INSERT INTO chat_session_sources (chat_session_id, document_id)
    SELECT id, id % 20000 + n FROM chat_sessions, generate_series(1, 3) n;

    INSERT INTO session_shares (chat_session_id, user_id, token_hash, title, head_message_id, expires_at)
    SELECT id, user_id, sha256(id::text::bytea), 'T', id * 4, now() + interval '30 days' FROM chat_sessions;

    INSERT INTO session_share_recipients (session_share_id, user_id)
    SELECT id, (id + n) % 200 + 1 FROM session_shares, generate_series(1, 2) n WHERE id % 10 = 0;

    INSERT INTO chunk_feedback (message_id, user_id, document_id, chunk_id, snippet, value, creation_date)
    SELECT id, id % 200 + 1, id % 2000 + 1, 'c', 'words', CASE WHEN id % 3 = 0 THEN -1 ELSE 1 END,
        now() - id * interval '1 min'
    FROM chat_messages WHERE id % 3 = 0;

    INSERT INTO rated_questions (message_id, number, terms) SELECT message_id, 1, '{1,2,3}' FROM chunk_feedback;

    INSERT INTO chat_message_feedbacks (chat_message_id, user_id, is_positive)
    SELECT id, id % 200 + 1, id % 4 > 0 FROM chat_messages WHERE id % 3 = 1;

    INSERT INTO knowledge_entities (user_id, level, title, content, prior_alpha, prior_beta, alpha, beta, usage_count,
        review_status, proposed_level, source_run_id)
    SELECT n % 200 + 1, CASE WHEN n % 10 = 0 THEN 'organization' ELSE 'individual' END, 'entity ' || n, 'c', 2, 2, 2, 2,
        n % 7, CASE WHEN n % 100 = 1 THEN 'proposed' ELSE 'none' END, 'organization',
        (SELECT id FROM runs WHERE n % 50 = 0 AND chat_session_id = n LIMIT 1)
    FROM generate_series(1, 5000) n;

    INSERT INTO knowledge_sources (knowledge_id, document_id)
    SELECT id, id % 20000 + 1 FROM knowledge_entities WHERE id % 2 = 0;

    INSERT INTO knowledge_uses (knowledge_id, run_id, chat_session_id)
    SELECT chat_session_id, id, chat_session_id FROM runs WHERE parent_run_id IS NULL;

    INSERT INTO background_jobs (kind, subject_id, unique_key, status)
    SELECT 'title', n, 'title:' || n, CASE WHEN n % 50 = 0 THEN 'pending' ELSE 'completed' END
    FROM generate_series(1, 3000) n;
"""
