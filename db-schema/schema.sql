-- Made by db-schema/dump.py from the migrations. Do not edit.

--
-- PostgreSQL database dump
--

\restrict echomind


SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: btree_gin; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA public;


--
-- Name: EXTENSION btree_gin; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON EXTENSION btree_gin IS 'support for indexing common datatypes in GIN';


--
-- Name: pg_trgm; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;


--
-- Name: EXTENSION pg_trgm; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON EXTENSION pg_trgm IS 'text similarity measurement and index searching based on trigrams';


--
-- Name: author_after(text, text, integer, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.author_after(old_text text, new_text text, old_author integer, writer integer) RETURNS integer
    LANGUAGE sql IMMUTABLE
    AS $$
        SELECT CASE
            WHEN old_text = new_text OR old_author = writer THEN old_author
            WHEN EXISTS (
                SELECT FROM generate_series(1, length(new_text) - 2) AS at
                WHERE strpos(lower(old_text), lower(substr(new_text, at, 3))) > 0
            ) THEN NULL
            ELSE writer
        END
    $$;


--
-- Name: cancel_erasures(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.cancel_erasures() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN
        UPDATE erasures SET attempted_at = NULL, error = NULL WHERE erased_user_id = NEW.id AND completed_at IS NULL;
        RETURN NULL;
    END
    $$;


--
-- Name: charge_person(integer, bigint, numeric, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.charge_person(of_user integer, spent_tokens bigint, spent_cost numeric, of_key integer DEFAULT NULL::integer) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
    DECLARE
        usage_ids BIGINT[];
        is_used_up BOOLEAN;
    BEGIN
        INSERT INTO quota_usage (group_id, user_id, period, begins_at, api_key_id)
        SELECT q.group_id, q.user_id, q.period, date_trunc(q.period, now(), 'UTC'), q.api_key_id
        FROM quotas_of(of_user, of_key) AS q
        ORDER BY q.user_id, q.group_id, q.period, q.api_key_id
        ON CONFLICT DO NOTHING;
        SELECT array_agg(u.id ORDER BY u.id) INTO usage_ids
        FROM quota_usage AS u JOIN quotas_of(of_user, of_key) AS q
            ON u.user_id IS NOT DISTINCT FROM q.user_id AND u.group_id IS NOT DISTINCT FROM q.group_id
                AND u.api_key_id IS NOT DISTINCT FROM q.api_key_id
            AND u.period = q.period AND u.begins_at = date_trunc(q.period, now(), 'UTC');
        PERFORM FROM quota_usage AS u WHERE u.id = ANY(usage_ids) ORDER BY u.id FOR UPDATE;
        SELECT COALESCE(bool_or(u.tokens + u.reserved_tokens >= q.max_tokens
            OR u.cost + u.reserved_cost >= q.max_cost), FALSE) INTO is_used_up
        FROM quota_usage AS u JOIN quotas_of(of_user, of_key) AS q
            ON u.user_id IS NOT DISTINCT FROM q.user_id AND u.group_id IS NOT DISTINCT FROM q.group_id
                AND u.api_key_id IS NOT DISTINCT FROM q.api_key_id
            AND u.period = q.period
        WHERE u.id = ANY(usage_ids);
        UPDATE quota_usage AS u SET tokens = u.tokens + spent_tokens, cost = u.cost + spent_cost
        WHERE u.id = ANY(usage_ids);
        RETURN is_used_up;
    END
    $$;


--
-- Name: charge_quotas(uuid, integer, bigint, numeric); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.charge_quotas(of_run uuid, of_attempt integer, next_tokens bigint, next_cost numeric) RETURNS TABLE(group_id integer, user_id integer, period character varying, begins_at timestamp with time zone, measure text, used numeric, maximum numeric, is_exceeded boolean, api_key_id integer)
    LANGUAGE plpgsql
    AS $$
    #variable_conflict use_column
    DECLARE
        run RECORD;
        charge quota_charges;
        is_new BOOLEAN;
        new_questions INTEGER := 0;
        is_refused BOOLEAN := FALSE;
    BEGIN
        SELECT r.user_id, r.api_key_id, r.parent_run_id IS NULL AS is_root, r.prompt_tokens + r.completion_tokens AS tokens,
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
            INSERT INTO quota_usage (group_id, user_id, period, begins_at, api_key_id)
            SELECT q.group_id, q.user_id, q.period, date_trunc(q.period, now(), 'UTC'), q.api_key_id
            FROM quotas_of(run.user_id, run.api_key_id) AS q
            ORDER BY q.user_id, q.group_id, q.period, q.api_key_id
            ON CONFLICT DO NOTHING;
            SELECT of_run, array_agg(u.id ORDER BY u.id), run.tokens, run.cost, 0, 0 INTO charge
            FROM quota_usage AS u JOIN quotas_of(run.user_id, run.api_key_id) AS q
                ON u.user_id IS NOT DISTINCT FROM q.user_id AND u.group_id IS NOT DISTINCT FROM q.group_id
                AND u.api_key_id IS NOT DISTINCT FROM q.api_key_id
                AND u.period = q.period AND u.begins_at = date_trunc(q.period, now(), 'UTC');
            IF charge.usage_ids IS NULL THEN
                RETURN;
            END IF;
            new_questions := run.is_root::integer;
        END IF;
        PERFORM FROM quota_usage AS u WHERE u.id = ANY(charge.usage_ids) ORDER BY u.id FOR UPDATE;
        IF next_tokens > 0 THEN
            RETURN QUERY
            SELECT u.group_id, u.user_id, u.period, u.begins_at, m.measure, m.used, m.maximum, TRUE, u.api_key_id
            FROM quota_usage AS u JOIN quotas_of(run.user_id, run.api_key_id) AS q
                ON u.user_id IS NOT DISTINCT FROM q.user_id AND u.group_id IS NOT DISTINCT FROM q.group_id
                AND u.api_key_id IS NOT DISTINCT FROM q.api_key_id
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
            FROM quota_usage AS u JOIN quotas_of(run.user_id, run.api_key_id) AS q
                ON u.user_id IS NOT DISTINCT FROM q.user_id AND u.group_id IS NOT DISTINCT FROM q.group_id
                AND u.api_key_id IS NOT DISTINCT FROM q.api_key_id
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
            FALSE, u.api_key_id;
    END
    $$;


--
-- Name: delete_unrated_questions(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.delete_unrated_questions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
            DELETE FROM rated_questions
            WHERE message_id IN (SELECT message_id FROM removed)
              AND NOT EXISTS (
                  SELECT FROM chunk_feedback WHERE chunk_feedback.message_id = rated_questions.message_id
              );
            RETURN NULL;
        END
        $$;


--
-- Name: forget_citations(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.forget_citations() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
            UPDATE chat_message_documents SET title = '', snippet = '' WHERE document_id = OLD.id;
            RETURN OLD;
        END
        $$;


--
-- Name: forget_readers(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.forget_readers() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
            IF NEW.permission_mode = 'source' AND OLD.readers_forgotten_to IS NOT NULL THEN
                RAISE EXCEPTION 'the readers that connector % had before are not all forgotten yet', NEW.id
                    USING ERRCODE = 'object_not_in_prerequisite_state';
            END IF;
            NEW.readers_forgotten_to := 0;
            RETURN NEW;
        END
        $$;


--
-- Name: guard_audit(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.guard_audit() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN
        IF TG_OP <> 'TRUNCATE' AND current_setting('echomind.retention', true) = 'audit_log'
            AND current_user = (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = TG_RELID)
            AND (TG_OP = 'DELETE') = (TG_TABLE_NAME = 'audit_log') THEN
            RETURN NULL;
        END IF;
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
    END
    $$;


--
-- Name: is_connector_held(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.is_connector_held(connector integer) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
        SELECT coalesce(
            (SELECT is_held(user_id, NULL) FROM connectors WHERE id = connector AND scope = 'user' AND NOT is_owner_erased), false)
    $$;


--
-- Name: is_held(integer, bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.is_held(person integer, session bigint) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $$
    BEGIN
        IF NOT EXISTS (SELECT FROM legal_holds WHERE released_at IS NULL) THEN
            RETURN false;
        END IF;
        RETURN EXISTS (
            SELECT FROM legal_holds WHERE released_at IS NULL AND (user_id = person OR chat_session_id = session)
        ) OR EXISTS (
            SELECT FROM chat_messages JOIN legal_holds ON legal_holds.user_id = chat_messages.author_id
            WHERE chat_messages.chat_session_id = session AND legal_holds.released_at IS NULL
        );
    END
    $$;


--
-- Name: keep_connectors_of_removed(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.keep_connectors_of_removed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
            EXECUTE format(
                'UPDATE %I AS source SET connector_id = removed.connector_id'
                ' FROM removed JOIN connectors AS connector ON connector.id = removed.connector_id'
                ' WHERE source.document_id = removed.id AND connector.permission_mode = ''scope''',
                TG_ARGV[0]
            );
            RETURN NULL;
        END
        $$;


--
-- Name: keep_usage_of_runs(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.keep_usage_of_runs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN
        INSERT INTO usage_daily (day, user_id, kind, llm_id, assistant_id, questions, failed_questions, prompt_tokens,
            completion_tokens, cost)
        SELECT (r.creation_date AT TIME ZONE 'UTC')::date, u.id, 'answer', r.llm_id, r.assistant_id,
            count(*) FILTER (WHERE r.parent_run_id IS NULL),
            count(*) FILTER (WHERE r.parent_run_id IS NULL AND r.status IN ('failed', 'timeout')),
            sum(r.prompt_tokens), sum(r.completion_tokens), COALESCE(sum(r.cost), 0)
        FROM removed AS r LEFT JOIN users AS u ON u.id = r.user_id
        WHERE NOT COALESCE(r.caller ? 'imported', FALSE)
        GROUP BY 1, 2, 4, 5
        ORDER BY 2, 1, 4, 5
        
    ON CONFLICT (day, user_id, kind, llm_id, assistant_id) DO UPDATE SET
        questions = usage_daily.questions + EXCLUDED.questions,
        failed_questions = usage_daily.failed_questions + EXCLUDED.failed_questions,
        prompt_tokens = usage_daily.prompt_tokens + EXCLUDED.prompt_tokens,
        completion_tokens = usage_daily.completion_tokens + EXCLUDED.completion_tokens,
        cost = usage_daily.cost + EXCLUDED.cost
;
        RETURN NULL;
    END
    $$;


--
-- Name: keep_usage_of_user(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.keep_usage_of_user() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN
        INSERT INTO usage_daily (day, kind, llm_id, assistant_id, questions, failed_questions, prompt_tokens,
            completion_tokens, cost)
        SELECT day, kind, llm_id, assistant_id, questions, failed_questions, prompt_tokens, completion_tokens, cost
        FROM usage_daily WHERE user_id = OLD.id
        ORDER BY day, kind, llm_id, assistant_id
        
    ON CONFLICT (day, user_id, kind, llm_id, assistant_id) DO UPDATE SET
        questions = usage_daily.questions + EXCLUDED.questions,
        failed_questions = usage_daily.failed_questions + EXCLUDED.failed_questions,
        prompt_tokens = usage_daily.prompt_tokens + EXCLUDED.prompt_tokens,
        completion_tokens = usage_daily.completion_tokens + EXCLUDED.completion_tokens,
        cost = usage_daily.cost + EXCLUDED.cost
;
        RETURN OLD;
    END
    $$;


--
-- Name: key_of_run(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.key_of_run(of_run uuid) RETURNS integer
    LANGUAGE sql STABLE
    AS $$
        SELECT r.api_key_id FROM runs AS r WHERE r.id = of_run
    $$;


--
-- Name: limits_of_key(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.limits_of_key(of_key integer) RETURNS jsonb
    LANGUAGE sql STABLE
    AS $$
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
    $$;


--
-- Name: limits_of_person(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.limits_of_person(of_user integer) RETURNS jsonb
    LANGUAGE sql STABLE
    AS $$
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
    $$;


--
-- Name: note_fact_change(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.note_fact_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN
        INSERT INTO fact_changes (kind, fact_id)
        VALUES (TG_ARGV[0], CASE TG_OP WHEN 'DELETE' THEN OLD.id ELSE NEW.id END)
        ON CONFLICT (kind, fact_id) DO UPDATE SET changed_at = clock_timestamp();
        IF TG_OP <> 'DELETE' THEN
            IF NEW.user_id IS NOT NULL THEN
                UPDATE users SET has_facts = true WHERE id = NEW.user_id AND NOT has_facts;
            END IF;
            IF TG_ARGV[0] = 'knowledge' THEN
                IF NEW.level <> 'individual' THEN
                    INSERT INTO installation_settings (has_shared_knowledge) VALUES (true)
                    ON CONFLICT (id) DO UPDATE SET has_shared_knowledge = true
                    WHERE NOT installation_settings.has_shared_knowledge;
                END IF;
            END IF;
        END IF;
        RETURN NULL;
    END $$;


--
-- Name: note_pruned_events(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.note_pruned_events() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN
        UPDATE chat_sessions SET events_pruned_to = GREATEST(events_pruned_to, pruned.last_id)
        FROM (SELECT chat_session_id, max(id) AS last_id FROM gone GROUP BY chat_session_id) AS pruned
        WHERE chat_sessions.id = pruned.chat_session_id;
        RETURN NULL;
    END
    $$;


--
-- Name: note_quotas(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.note_quotas() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN
        PERFORM FROM installation_settings FOR UPDATE;
        INSERT INTO installation_settings (has_quotas, has_rates) VALUES (EXISTS (SELECT FROM quotas WHERE period <> 'minute'),
            EXISTS (SELECT FROM quotas WHERE period = 'minute'))
        ON CONFLICT (id) DO UPDATE SET has_quotas = EXCLUDED.has_quotas, has_rates = EXCLUDED.has_rates
        WHERE installation_settings.has_quotas <> EXCLUDED.has_quotas OR installation_settings.has_rates <> EXCLUDED.has_rates;
        RETURN NULL;
    END
    $$;


--
-- Name: note_webhook_event(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.note_webhook_event() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    DECLARE
        event TEXT;
        about JSONB;
        owner INTEGER;
    BEGIN
        IF NOT EXISTS (SELECT FROM webhooks WHERE is_enabled) THEN
            RETURN NULL;
        END IF;
        IF TG_TABLE_NAME = 'runs' THEN
            event := 'run_' || CASE NEW.status WHEN 'timeout' THEN 'failed' ELSE NEW.status END;
            owner := NEW.user_id;
            about := jsonb_build_object('run_id', NEW.id, 'chat_session_id', NEW.chat_session_id,
                'user_id', NEW.user_id, 'assistant_id', NEW.assistant_id, 'status', NEW.status,
                'reason', NEW.error -> 'reason', 'waits_for', NEW.pending_input -> 'kind');
        ELSIF TG_TABLE_NAME = 'documents' THEN
            event := CASE
                WHEN TG_OP = 'DELETE' OR NEW.deleted_date IS NOT NULL THEN 'document_removed'
                WHEN NEW.status = 'failed' THEN 'document_failed'
                ELSE 'document_ready'
            END;
            SELECT c.user_id INTO owner FROM connectors AS c WHERE c.id = OLD.connector_id;
            about := jsonb_build_object('document_id', OLD.id, 'connector_id', OLD.connector_id,
                'status', CASE event WHEN 'document_removed' THEN 'removed' ELSE NEW.status END);
        ELSIF TG_TABLE_NAME = 'connector_syncs' THEN
            event := CASE NEW.status WHEN 'completed' THEN 'sync_completed' ELSE 'sync_failed' END;
            SELECT c.user_id INTO owner FROM connectors AS c WHERE c.id = NEW.connector_id;
            about := jsonb_build_object('sync_id', NEW.id, 'connector_id', NEW.connector_id, 'status', NEW.status,
                'documents_added', NEW.documents_added, 'documents_updated', NEW.documents_updated,
                'documents_removed', NEW.documents_removed, 'documents_failed', NEW.documents_failed,
                'error_kind', NEW.error_kind);
        ELSE
            event := 'audit_entry';
            about := jsonb_build_object('audit_id', NEW.id, 'actor_id', NEW.actor_id, 'action', NEW.action,
                'target', NEW.target, 'denied', NEW.denied);
        END IF;
        INSERT INTO webhook_deliveries (webhook_id, event_type, data)
        SELECT w.id, event, jsonb_strip_nulls(about) FROM webhooks AS w
        WHERE w.is_enabled AND event = ANY(w.event_types) AND (w.is_installation OR w.user_id = owner)
        FOR KEY SHARE OF w;  -- leaves out one that is being deleted, instead of failing on its foreign key
        RETURN NULL;
    END
    $$;


--
-- Name: open_stream(uuid, text[], integer[], integer[], interval); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.open_stream(of_replica uuid, subjects text[], counts integer[], maxima integer[], lease interval) RETURNS text
    LANGUAGE plpgsql
    AS $$
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
    $$;


--
-- Name: protect_audit(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.protect_audit() RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
    DECLARE
        application NAME := (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'audit_log'::regclass);
        caller NAME := current_user;
        is_granted BOOLEAN := false;
    BEGIN
        IF application = 'echomind_audit' THEN
            RETURN true;
        END IF;
        IF to_regrole('echomind_audit') IS NULL THEN
            BEGIN
                CREATE ROLE echomind_audit NOLOGIN;
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL;  -- another database's migration has made it meanwhile
            END;
        END IF;
        IF NOT pg_has_role(caller, 'echomind_audit', 'SET') THEN
            EXECUTE format('GRANT echomind_audit TO %I WITH INHERIT FALSE, SET TRUE', caller);
            is_granted := true;
        END IF;
        GRANT USAGE, CREATE ON SCHEMA public TO echomind_audit;
        ALTER TABLE audit_log OWNER TO echomind_audit;
        ALTER TABLE audit_seals OWNER TO echomind_audit;
        ALTER FUNCTION guard_audit OWNER TO echomind_audit;
        ALTER FUNCTION remove_audit_entries OWNER TO echomind_audit;
        ALTER FUNCTION protect_audit OWNER TO echomind_audit;
        SET LOCAL ROLE echomind_audit;
        EXECUTE format('GRANT SELECT, INSERT ON audit_log, audit_seals TO %I', application);
        EXECUTE format('GRANT SELECT ON SEQUENCE audit_log_id_seq TO %I', application);
        EXECUTE format('GRANT EXECUTE ON FUNCTION remove_audit_entries, protect_audit TO %I', application);
        REVOKE ALL ON FUNCTION remove_audit_entries, protect_audit FROM PUBLIC;
        EXECUTE format('SET LOCAL ROLE %I', caller);
        IF is_granted THEN
            EXECUTE format('REVOKE echomind_audit FROM %I', caller);
        END IF;
        RETURN true;
    EXCEPTION WHEN insufficient_privilege THEN
        RETURN false;
    END
    $$;


--
-- Name: quotas_of(integer, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.quotas_of(of_user integer, of_key integer DEFAULT NULL::integer) RETURNS TABLE(group_id integer, user_id integer, period character varying, max_questions bigint, max_tokens bigint, max_cost numeric, api_key_id integer)
    LANGUAGE sql STABLE
    AS $$
        WITH RECURSIVE keys AS (
            SELECT k.id, k.parent_id FROM api_keys AS k WHERE k.id = of_key
            UNION ALL
            SELECT k.id, k.parent_id FROM api_keys AS k JOIN keys ON k.id = keys.parent_id
        ),
        mine AS (SELECT DISTINCT m.group_id FROM group_members AS m WHERE m.user_id = of_user),
        allowance AS (
            SELECT q.*, CASE WHEN q.scope = 'user' THEN 1 WHEN q.group_id IS NOT NULL THEN 2 ELSE 3 END AS rank
            FROM quotas AS q
            WHERE q.period <> 'minute' AND ((q.scope = 'user' AND q.user_id = of_user)
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
        WHERE q.period <> 'minute' AND (q.scope = 'organization'
        OR (q.scope = 'group' AND q.group_id IN (SELECT mine.group_id FROM mine)))
        UNION ALL
        SELECT NULL, NULL, q.period, q.max_questions, q.max_tokens, q.max_cost, q.api_key_id
        FROM quotas AS q JOIN keys ON q.api_key_id = keys.id
    $$;


--
-- Name: refuse_held(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.refuse_held() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN
        RAISE EXCEPTION 'a legal hold keeps this row of %', TG_TABLE_NAME USING ERRCODE = 'EM001' , CONSTRAINT = TG_NAME;
    END
    $$;


--
-- Name: refuse_service_account(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.refuse_service_account() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
            IF EXISTS (SELECT FROM users WHERE id = NEW.user_id AND kind = 'service') THEN
                RAISE EXCEPTION 'account % is a service account, which has API keys alone', NEW.user_id
                    USING ERRCODE = 'check_violation', CONSTRAINT = 'refuse_service_account';
            END IF;
            RETURN NEW;
        END
        $$;


--
-- Name: release_quota(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.release_quota() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN
        UPDATE quota_usage
        SET reserved_tokens = reserved_tokens - OLD.reserved_tokens, reserved_cost = reserved_cost - OLD.reserved_cost
        WHERE id = ANY(OLD.usage_ids) AND (OLD.reserved_tokens > 0 OR OLD.reserved_cost > 0);
        RETURN NULL;
    END
    $$;


--
-- Name: remove_audit_entries(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.remove_audit_entries(before timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    DECLARE
        last_seal BIGINT;
        last_removed BIGINT;
        removed BIGINT;
    BEGIN
        IF before > now() - INTERVAL '1 day' THEN
            RAISE EXCEPTION 'entries of the audit log are kept for a day at least'
                USING ERRCODE = 'invalid_parameter_value';
        END IF;
        SELECT max(number), max(last_id) INTO last_seal, last_removed FROM (
            SELECT number, last_id FROM audit_seals
            WHERE ids IS NOT NULL AND number < coalesce(
                (SELECT min(number) FROM audit_seals WHERE ids IS NOT NULL AND last_entry_at >= before),
                (SELECT max(number) + 1 FROM audit_seals))
            ORDER BY number LIMIT 100
        ) AS old;
        IF last_seal IS NULL THEN
            RETURN 0;
        END IF;
        PERFORM set_config('echomind.retention', 'audit_log', true);
        DELETE FROM audit_log WHERE id <= last_removed;
        GET DIAGNOSTICS removed = ROW_COUNT;
        UPDATE audit_seals SET ids = NULL, digests = NULL WHERE number <= last_seal AND ids IS NOT NULL;
        PERFORM set_config('echomind.retention', '', true);
        INSERT INTO audit_log (action, target, detail, count)
            VALUES ('Audit/Retention', 'audit-entries',
                jsonb_build_object('through', last_removed, 'before', before), greatest(removed, 1));
        RETURN removed;
    END
    $$;


--
-- Name: remove_group_admins(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.remove_group_admins() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
            DELETE FROM group_admins AS a USING removed_members AS r
            WHERE a.group_id = r.group_id AND a.user_id = r.user_id
            AND NOT EXISTS (SELECT FROM group_members AS m WHERE m.group_id = r.group_id AND m.user_id = r.user_id);
            RETURN NULL;
        END
        $$;


--
-- Name: revoke_credentials(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.revoke_credentials() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN
        UPDATE api_keys SET revoked = true WHERE user_id = NEW.id AND NOT revoked;
        DELETE FROM sign_in_tokens WHERE user_id = NEW.id;
        DELETE FROM device_sign_ins WHERE user_id = NEW.id;
        DELETE FROM web_sessions WHERE user_id = NEW.id;
        DELETE FROM invitations WHERE invited_by = NEW.id AND accepted_at IS NULL;
        UPDATE session_shares SET revoked_at = now() WHERE user_id = NEW.id AND revoked_at IS NULL;
        RETURN NULL;
    END
    $$;


--
-- Name: run_event_before(integer, bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.run_event_before(session_id integer, event_id bigint) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
    BEGIN
        RETURN COALESCE((SELECT max(id) FROM run_events WHERE chat_session_id = session_id AND id < event_id), 0);
    END
    $$;


--
-- Name: set_notebook_authors(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.set_notebook_authors() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN
        IF TG_OP = 'INSERT' THEN
            NEW.title_author_id := NEW.user_id;
            NEW.instructions_author_id := NEW.user_id;
        ELSE
            NEW.title_author_id :=
                author_after(OLD.title, NEW.title, OLD.title_author_id, NEW.user_id_last_update);
            NEW.instructions_author_id := author_after(
                OLD.instructions, NEW.instructions, OLD.instructions_author_id, NEW.user_id_last_update
            );
        END IF;
        RETURN NEW;
    END
    $$;


--
-- Name: take_requests(text[], integer[], integer[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.take_requests(subjects text[], maxima integer[], batches integer[]) RETURNS TABLE(subject text, granted integer, seconds double precision)
    LANGUAGE plpgsql
    AS $$
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
    $$;


--
-- Name: unverify_email(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.unverify_email() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
            IF OLD.is_email_verified THEN
                NEW.is_email_verified := false;
            END IF;
            RETURN NEW;
        END
        $$;


--
-- Name: update_chat_session_message_count(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.update_chat_session_message_count() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN
        IF TG_OP = 'INSERT' THEN
            UPDATE chat_sessions AS s
            SET message_count = s.message_count + added.messages,
                last_message_at = GREATEST(s.last_message_at, added.latest)
            FROM (
                SELECT chat_session_id, count(*) AS messages, max(creation_date) AS latest
                FROM changed_rows GROUP BY chat_session_id HAVING bool_and(status <> 'streaming')
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
    $$;


--
-- Name: update_group_members(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.update_group_members() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
        earlier TEXT[] := '{}';
    BEGIN
        IF TG_OP = 'UPDATE' THEN
            earlier := OLD.groups;
        END IF;
        INSERT INTO groups (name)
        SELECT given FROM unnest(NEW.groups) AS given
        WHERE NOT EXISTS (SELECT FROM groups AS g WHERE g.name = given)
        ORDER BY given
        ON CONFLICT (name) DO NOTHING;

        DELETE FROM group_members AS m USING groups AS g
        WHERE m.user_id = NEW.id AND m.source = 'manual' AND g.id = m.group_id
        AND g.name = ANY (earlier) AND g.name <> ALL (NEW.groups);

        INSERT INTO group_members (group_id, user_id)
        SELECT g.id, NEW.id FROM groups AS g WHERE g.name = ANY (NEW.groups) AND g.name <> ALL (earlier)
        ON CONFLICT DO NOTHING;

        IF TG_OP = 'UPDATE' THEN
            NEW.groups := ARRAY(
                SELECT g.name FROM groups AS g
                WHERE g.id IN (SELECT m.group_id FROM group_members AS m WHERE m.user_id = NEW.id)
                ORDER BY array_position(NEW.groups, g.name::TEXT), g.name
            );
        END IF;
        RETURN NEW;
    END
    $$;


--
-- Name: update_last_update_column(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.update_last_update_column() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN
        NEW.last_update = now();
        RETURN NEW;
    END
    $$;


--
-- Name: update_members(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.update_members() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
            IF NEW.container_id IS NULL THEN
                UPDATE documents
                SET connector_id = NEW.connector_id,
                    folder_source_id = NEW.folder_source_id,
                    source_readers = NEW.source_readers,
                    original_url = NEW.original_url,
                    deleted_date = NEW.deleted_date
                WHERE container_id = NEW.id AND deleted_date IS NULL;
            ELSE
                UPDATE documents SET deleted_date = NEW.deleted_date
                WHERE parent_id = NEW.id AND container_id = NEW.container_id AND deleted_date IS NULL;
            END IF;
            RETURN NULL;
        END
        $$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: agent_memories; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.agent_memories (
    id integer NOT NULL,
    user_id integer NOT NULL,
    memory_type character varying(50) NOT NULL,
    content text NOT NULL,
    embedding_id text DEFAULT (gen_random_uuid())::text NOT NULL,
    importance_score numeric(3,2) DEFAULT 0.5 NOT NULL,
    access_count integer DEFAULT 0 NOT NULL,
    last_accessed_at timestamp with time zone,
    source_session_id integer,
    expires_at timestamp with time zone,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    confidence numeric(3,2) DEFAULT 0.5 NOT NULL,
    trust character varying(20) DEFAULT 'user_said'::character varying NOT NULL,
    source_message_ids bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    valid_to timestamp with time zone,
    superseded_by integer,
    CONSTRAINT agent_memories_access_count_check CHECK ((access_count >= 0)),
    CONSTRAINT agent_memories_confidence_check CHECK (((confidence >= (0)::numeric) AND (confidence <= (1)::numeric))),
    CONSTRAINT agent_memories_importance_score_check CHECK (((importance_score >= (0)::numeric) AND (importance_score <= (1)::numeric))),
    CONSTRAINT agent_memories_memory_type_check CHECK (((memory_type)::text = ANY ((ARRAY['episodic'::character varying, 'semantic'::character varying, 'procedural'::character varying])::text[]))),
    CONSTRAINT agent_memories_superseded_by_check CHECK (((superseded_by IS NULL) OR (valid_to IS NOT NULL))),
    CONSTRAINT agent_memories_trust_check CHECK (((trust)::text = ANY ((ARRAY['user_said'::character varying, 'user_confirmed'::character varying, 'derived'::character varying])::text[])))
);


--
-- Name: agent_memories_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.agent_memories_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: agent_memories_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.agent_memories_id_seq OWNED BY public.agent_memories.id;


--
-- Name: api_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_keys (
    id integer NOT NULL,
    user_id integer NOT NULL,
    name character varying(255) NOT NULL,
    prefix character varying(32) NOT NULL,
    sha256 bytea NOT NULL,
    scopes text[] DEFAULT '{read,ask,ingest,manage}'::text[] NOT NULL,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    revoked boolean DEFAULT false NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    parent_id integer,
    previous_sha256 bytea,
    previous_expires_at timestamp with time zone,
    previous_used_at timestamp with time zone,
    assistant_ids integer[] DEFAULT '{}'::integer[] NOT NULL,
    connector_ids integer[] DEFAULT '{}'::integer[] NOT NULL,
    networks text[] DEFAULT '{}'::text[] NOT NULL,
    max_requests_per_minute integer,
    max_concurrent_runs integer,
    max_concurrent_streams integer,
    CONSTRAINT api_keys_limits_check CHECK (((NOT ('administer'::text = ANY (scopes))) OR ((assistant_ids = '{}'::integer[]) AND (connector_ids = '{}'::integer[])))),
    CONSTRAINT api_keys_max_concurrent_runs_check CHECK ((max_concurrent_runs >= 1)),
    CONSTRAINT api_keys_max_concurrent_streams_check CHECK ((max_concurrent_streams >= 1)),
    CONSTRAINT api_keys_max_requests_per_minute_check CHECK ((max_requests_per_minute >= 1)),
    CONSTRAINT api_keys_previous_check CHECK (((octet_length(previous_sha256) = 32) AND ((previous_sha256 IS NULL) = (previous_expires_at IS NULL)) AND ((previous_used_at IS NULL) OR (previous_sha256 IS NOT NULL)))),
    CONSTRAINT api_keys_scopes_check CHECK (((scopes <@ ARRAY['read'::text, 'ask'::text, 'ingest'::text, 'manage'::text, 'administer'::text]) AND (scopes <> '{}'::text[]))),
    CONSTRAINT api_keys_sha256_check CHECK ((octet_length(sha256) = 32))
);


--
-- Name: api_keys_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.api_keys_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: api_keys_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.api_keys_id_seq OWNED BY public.api_keys.id;


--
-- Name: assistant_members; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.assistant_members (
    assistant_id smallint NOT NULL,
    member_id smallint NOT NULL,
    role text DEFAULT ''::text NOT NULL,
    "position" integer NOT NULL,
    version integer,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT assistant_members_member_id_check CHECK ((member_id <> assistant_id)),
    CONSTRAINT assistant_members_position_check CHECK (("position" >= 1)),
    CONSTRAINT assistant_members_version_check CHECK ((version >= 1))
);


--
-- Name: assistant_versions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.assistant_versions (
    assistant_id smallint NOT NULL,
    version integer NOT NULL,
    config jsonb NOT NULL,
    created_by integer,
    restored_version integer,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT assistant_versions_version_check CHECK ((version >= 1))
);


--
-- Name: assistants; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.assistants (
    id smallint NOT NULL,
    name character varying(255) NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    llm_id smallint,
    system_prompt text DEFAULT ''::text NOT NULL,
    task_prompt text DEFAULT ''::text NOT NULL,
    starter_messages jsonb DEFAULT '[]'::jsonb NOT NULL,
    config jsonb DEFAULT '{}'::jsonb NOT NULL,
    is_default boolean DEFAULT false NOT NULL,
    is_visible boolean DEFAULT true NOT NULL,
    display_priority integer DEFAULT 0 NOT NULL,
    created_by integer,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    deleted_date timestamp with time zone,
    is_draft boolean DEFAULT false NOT NULL,
    draft_of_id smallint,
    version integer DEFAULT 0 NOT NULL,
    groups text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT assistants_draft_of_id_check CHECK ((is_draft OR (draft_of_id IS NULL))),
    CONSTRAINT assistants_groups_check CHECK (((NOT is_default) OR (groups = '{}'::text[]))),
    CONSTRAINT assistants_is_draft_check CHECK (((NOT is_draft) OR (NOT (is_default OR is_visible))))
);


--
-- Name: assistants_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.assistants_id_seq
    AS smallint
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: assistants_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.assistants_id_seq OWNED BY public.assistants.id;


--
-- Name: audit_log; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_log (
    id bigint NOT NULL,
    actor_id integer,
    action character varying(100) NOT NULL,
    target text NOT NULL,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    denied boolean DEFAULT false NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    count integer DEFAULT 1 NOT NULL,
    address text DEFAULT ''::text NOT NULL,
    credential text DEFAULT ''::text NOT NULL,
    CONSTRAINT audit_log_count_check CHECK ((count >= 1))
);


--
-- Name: audit_log_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.audit_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: audit_seals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_seals (
    number bigint NOT NULL,
    first_id bigint NOT NULL,
    last_id bigint NOT NULL,
    count integer NOT NULL,
    last_entry_at timestamp with time zone NOT NULL,
    ids bigint[],
    digests bytea,
    content_hash bytea NOT NULL,
    previous_hash bytea NOT NULL,
    hash bytea NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT audit_seals_count_check CHECK (((number >= 1) AND (count >= 1) AND (first_id <= last_id))),
    CONSTRAINT audit_seals_entries_check CHECK ((((ids IS NULL) = (digests IS NULL)) AND ((ids IS NULL) OR ((cardinality(ids) = count) AND (octet_length(digests) = (32 * count)))))),
    CONSTRAINT audit_seals_hashes_check CHECK (((octet_length(content_hash) = 32) AND (octet_length(previous_hash) = 32) AND (octet_length(hash) = 32)))
);


--
-- Name: background_jobs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.background_jobs (
    id bigint NOT NULL,
    kind character varying(50) NOT NULL,
    subject_id text NOT NULL,
    unique_key text NOT NULL,
    payload jsonb DEFAULT '{}'::jsonb NOT NULL,
    status character varying(20) DEFAULT 'pending'::character varying NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    worker_id uuid,
    run_after timestamp with time zone DEFAULT now() NOT NULL,
    error text,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    claimed_at timestamp with time zone,
    requested_at timestamp with time zone DEFAULT now() NOT NULL,
    discarded_at timestamp with time zone,
    CONSTRAINT background_jobs_status_check CHECK (((status)::text = ANY ((ARRAY['pending'::character varying, 'running'::character varying, 'completed'::character varying, 'failed'::character varying, 'cancelled'::character varying])::text[])))
);


--
-- Name: background_jobs_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.background_jobs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: background_jobs_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.background_jobs_id_seq OWNED BY public.background_jobs.id;


--
-- Name: chat_message_documents; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chat_message_documents (
    id bigint NOT NULL,
    chat_message_id bigint NOT NULL,
    document_id bigint,
    chunk_id text NOT NULL,
    relevance_score numeric(5,4),
    number integer NOT NULL,
    sentence_start integer,
    sentence_end integer,
    chunking_session uuid,
    span_start integer,
    span_end integer,
    title text DEFAULT ''::text NOT NULL,
    snippet text DEFAULT ''::text NOT NULL,
    page integer,
    supported boolean,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    url text DEFAULT ''::text NOT NULL,
    verified boolean DEFAULT false NOT NULL,
    CONSTRAINT chat_message_documents_number_check CHECK ((number >= 1)),
    CONSTRAINT chat_message_documents_relevance_score_check CHECK (((relevance_score >= (0)::numeric) AND (relevance_score <= (1)::numeric))),
    CONSTRAINT chat_message_documents_sentence_check CHECK (((0 <= sentence_start) AND (sentence_start <= sentence_end))),
    CONSTRAINT chat_message_documents_span_check CHECK (((0 <= span_start) AND (span_start <= span_end))),
    CONSTRAINT chat_message_documents_url_check CHECK (((url = ''::text) OR (document_id IS NULL)))
);


--
-- Name: chat_message_documents_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.chat_message_documents_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: chat_message_documents_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.chat_message_documents_id_seq OWNED BY public.chat_message_documents.id;


--
-- Name: chat_message_feedbacks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chat_message_feedbacks (
    id integer NOT NULL,
    chat_message_id bigint NOT NULL,
    user_id integer NOT NULL,
    is_positive boolean NOT NULL,
    feedback_text text,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer
);


--
-- Name: chat_message_feedbacks_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.chat_message_feedbacks_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: chat_message_feedbacks_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.chat_message_feedbacks_id_seq OWNED BY public.chat_message_feedbacks.id;


--
-- Name: chat_messages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chat_messages (
    id bigint NOT NULL,
    chat_session_id integer NOT NULL,
    role character varying(20) NOT NULL,
    status character varying(20) DEFAULT 'completed'::character varying NOT NULL,
    content text DEFAULT ''::text NOT NULL,
    token_count integer,
    parent_message_id bigint,
    run_id uuid,
    discarded boolean DEFAULT false NOT NULL,
    rephrased_query text,
    retrieval_context jsonb,
    tool_calls jsonb,
    error text,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    origin_run_id uuid,
    document_ids bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    memory_ids integer[] DEFAULT '{}'::integer[] NOT NULL,
    author_kind character varying(20) DEFAULT 'unknown'::character varying NOT NULL,
    author_id integer,
    basis character varying(20),
    other_tools text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT chat_messages_author_id_check CHECK ((((author_kind)::text <> 'person'::text) OR (author_id IS NOT NULL))),
    CONSTRAINT chat_messages_author_kind_check CHECK (((author_kind)::text = ANY ((ARRAY['person'::character varying, 'assistant'::character varying, 'foreign'::character varying, 'unknown'::character varying])::text[]))),
    CONSTRAINT chat_messages_basis_check CHECK (((basis)::text = ANY ((ARRAY['sources'::character varying, 'no_source_found'::character varying, 'model_only'::character varying, 'other'::character varying])::text[]))),
    CONSTRAINT chat_messages_role_check CHECK (((role)::text = ANY ((ARRAY['user'::character varying, 'assistant'::character varying, 'system'::character varying])::text[]))),
    CONSTRAINT chat_messages_status_check CHECK (((status)::text = ANY ((ARRAY['streaming'::character varying, 'completed'::character varying, 'failed'::character varying, 'cancelled'::character varying])::text[]))),
    CONSTRAINT chat_messages_token_count_check CHECK ((token_count >= 0))
);


--
-- Name: chat_messages_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.chat_messages_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: chat_messages_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.chat_messages_id_seq OWNED BY public.chat_messages.id;


--
-- Name: chat_session_sources; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chat_session_sources (
    chat_session_id integer NOT NULL,
    document_id bigint NOT NULL,
    connector_id integer,
    creation_date timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: chat_session_texts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chat_session_texts (
    chat_session_id integer NOT NULL,
    user_id integer NOT NULL,
    text text NOT NULL,
    indexed_at timestamp with time zone NOT NULL
);


--
-- Name: chat_sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chat_sessions (
    id integer NOT NULL,
    user_id integer NOT NULL,
    assistant_id smallint NOT NULL,
    title text DEFAULT 'New Chat'::text NOT NULL,
    mode character varying(20) DEFAULT 'chat'::character varying NOT NULL,
    status character varying(20) DEFAULT 'active'::character varying NOT NULL,
    error jsonb,
    message_count integer DEFAULT 0 NOT NULL,
    last_message_at timestamp with time zone,
    goal text,
    initial_goal text,
    parent_session_id integer,
    forked_from_message_id bigint,
    head_message_id bigint,
    most_recent_run_id uuid,
    context jsonb DEFAULT '{}'::jsonb NOT NULL,
    preferences jsonb DEFAULT '{}'::jsonb NOT NULL,
    important_steps jsonb DEFAULT '[]'::jsonb NOT NULL,
    compressed_summary text,
    last_compressed_message_id bigint,
    is_compressing boolean DEFAULT false NOT NULL,
    compressing_started_at timestamp with time zone,
    last_knowledge_extraction_at timestamp with time zone,
    external_id text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    deleted_date timestamp with time zone,
    summary_prompt_tokens bigint DEFAULT 0 NOT NULL,
    summary_completion_tokens bigint DEFAULT 0 NOT NULL,
    summary_cost numeric(14,8) DEFAULT 0 NOT NULL,
    events_pruned_to bigint DEFAULT 0 NOT NULL,
    pinned boolean DEFAULT false NOT NULL,
    archived boolean DEFAULT false NOT NULL,
    title_origin character varying(20) DEFAULT 'default'::character varying NOT NULL,
    generated_title text,
    notebook_id bigint,
    without_memory boolean DEFAULT false NOT NULL,
    title_attempts smallint DEFAULT 0 NOT NULL,
    unlisted boolean DEFAULT false NOT NULL,
    limited_by integer,
    limited_assistants integer[],
    limited_connectors integer[],
    imported_at timestamp with time zone,
    CONSTRAINT chat_sessions_events_pruned_to_check CHECK ((events_pruned_to >= 0)),
    CONSTRAINT chat_sessions_generated_title_check CHECK (((generated_title IS NULL) OR ((title_origin)::text <> 'person'::text))),
    CONSTRAINT chat_sessions_limits_check CHECK (((limited_by IS NULL) = ((limited_assistants IS NULL) AND (limited_connectors IS NULL)))),
    CONSTRAINT chat_sessions_message_count_check CHECK ((message_count >= 0)),
    CONSTRAINT chat_sessions_mode_check CHECK (((mode)::text = ANY ((ARRAY['chat'::character varying, 'one_shot'::character varying])::text[]))),
    CONSTRAINT chat_sessions_status_check CHECK (((status)::text = ANY ((ARRAY['active'::character varying, 'paused'::character varying, 'cancelled'::character varying, 'completed'::character varying, 'failed'::character varying, 'error'::character varying])::text[]))),
    CONSTRAINT chat_sessions_summary_completion_tokens_check CHECK ((summary_completion_tokens >= 0)),
    CONSTRAINT chat_sessions_summary_cost_check CHECK ((summary_cost >= (0)::numeric)),
    CONSTRAINT chat_sessions_summary_prompt_tokens_check CHECK ((summary_prompt_tokens >= 0)),
    CONSTRAINT chat_sessions_title_attempts_check CHECK ((title_attempts >= 0)),
    CONSTRAINT chat_sessions_title_origin_check CHECK (((title_origin)::text = ANY ((ARRAY['default'::character varying, 'question'::character varying, 'person'::character varying])::text[])))
);


--
-- Name: chat_sessions_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.chat_sessions_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: chat_sessions_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.chat_sessions_id_seq OWNED BY public.chat_sessions.id;


--
-- Name: checkpoints; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.checkpoints (
    id bigint NOT NULL,
    chat_session_id integer NOT NULL,
    run_id uuid,
    name character varying(255) NOT NULL,
    description text,
    checkpoint_type character varying(50) NOT NULL,
    session_state jsonb NOT NULL,
    step_number integer,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT checkpoints_checkpoint_type_check CHECK (((checkpoint_type)::text = ANY ((ARRAY['manual'::character varying, 'auto'::character varying, 'before_tool'::character varying, 'milestone'::character varying])::text[])))
);


--
-- Name: checkpoints_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.checkpoints ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.checkpoints_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: chunk_feedback; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chunk_feedback (
    id bigint NOT NULL,
    message_id bigint NOT NULL,
    user_id integer NOT NULL,
    document_id bigint NOT NULL,
    chunk_id text NOT NULL,
    chunking_session uuid,
    span_start integer,
    span_end integer,
    snippet text NOT NULL,
    value smallint NOT NULL,
    feedback_text text,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    CONSTRAINT chunk_feedback_span_check CHECK (((0 <= span_start) AND (span_start <= span_end))),
    CONSTRAINT chunk_feedback_value_check CHECK ((value = ANY (ARRAY['-1'::integer, 1])))
);


--
-- Name: chunk_feedback_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.chunk_feedback_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: chunk_feedback_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.chunk_feedback_id_seq OWNED BY public.chunk_feedback.id;


--
-- Name: connector_sign_ins; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.connector_sign_ins (
    id bigint NOT NULL,
    connector_id integer NOT NULL,
    web_session_id bigint NOT NULL,
    state_hash bytea NOT NULL,
    encrypted_verifier text NOT NULL,
    redirect_uri text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    settings_hash bytea,
    CONSTRAINT connector_sign_ins_settings_hash_check CHECK ((octet_length(settings_hash) = 32)),
    CONSTRAINT connector_sign_ins_state_hash_check CHECK ((octet_length(state_hash) = 32))
);


--
-- Name: connector_sign_ins_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.connector_sign_ins_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: connector_sign_ins_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.connector_sign_ins_id_seq OWNED BY public.connector_sign_ins.id;


--
-- Name: connector_sync_failures; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.connector_sync_failures (
    id bigint NOT NULL,
    sync_id bigint NOT NULL,
    connector_id integer NOT NULL,
    source_id text NOT NULL,
    name text NOT NULL,
    message text NOT NULL,
    is_retryable boolean NOT NULL,
    resolved_at timestamp with time zone,
    creation_date timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: connector_sync_failures_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.connector_sync_failures_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: connector_sync_failures_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.connector_sync_failures_id_seq OWNED BY public.connector_sync_failures.id;


--
-- Name: connector_sync_seen; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.connector_sync_seen (
    sync_id bigint NOT NULL,
    source_id text NOT NULL
);


--
-- Name: connector_syncs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.connector_syncs (
    id bigint NOT NULL,
    connector_id integer NOT NULL,
    status character varying(50) DEFAULT 'pending'::character varying NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    documents_seen integer DEFAULT 0 NOT NULL,
    documents_added integer DEFAULT 0 NOT NULL,
    documents_updated integer DEFAULT 0 NOT NULL,
    documents_unchanged integer DEFAULT 0 NOT NULL,
    documents_removed integer DEFAULT 0 NOT NULL,
    documents_failed integer DEFAULT 0 NOT NULL,
    cursor_before jsonb,
    cursor_after jsonb,
    error text,
    started_at timestamp with time zone,
    completed_at timestamp with time zone,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    kind character varying(20) DEFAULT 'incremental'::character varying NOT NULL,
    pages integer DEFAULT 0 NOT NULL,
    to_remove integer DEFAULT 0 NOT NULL,
    may_remove boolean DEFAULT false NOT NULL,
    error_kind character varying(20),
    warning text,
    failures integer DEFAULT 0 NOT NULL,
    CONSTRAINT connector_syncs_error_kind_check CHECK (((error_kind)::text = ANY ((ARRAY['credentials'::character varying, 'settings'::character varying, 'unavailable'::character varying, 'items'::character varying, 'internal'::character varying])::text[]))),
    CONSTRAINT connector_syncs_kind_check CHECK (((kind)::text = ANY ((ARRAY['full'::character varying, 'incremental'::character varying])::text[]))),
    CONSTRAINT connector_syncs_status_check CHECK (((status)::text = ANY ((ARRAY['pending'::character varying, 'running'::character varying, 'waiting_for_confirmation'::character varying, 'completed'::character varying, 'failed'::character varying, 'cancelled'::character varying, 'needs_attention'::character varying])::text[]))),
    CONSTRAINT connector_syncs_to_remove_check CHECK ((to_remove >= 0))
);


--
-- Name: connector_syncs_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.connector_syncs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: connector_syncs_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.connector_syncs_id_seq OWNED BY public.connector_syncs.id;


--
-- Name: connectors; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.connectors (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    type character varying(50) NOT NULL,
    config jsonb DEFAULT '{}'::jsonb NOT NULL,
    state jsonb DEFAULT '{}'::jsonb NOT NULL,
    encrypted_credentials text,
    refresh_freq_minutes integer,
    user_id integer NOT NULL,
    scope character varying(20) DEFAULT 'user'::character varying NOT NULL,
    scope_id text,
    status character varying(50) DEFAULT 'pending'::character varying NOT NULL,
    status_message text,
    last_sync_at timestamp with time zone,
    next_sync_at timestamp with time zone,
    docs_analyzed bigint DEFAULT 0 NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    deleted_date timestamp with time zone,
    permission_mode character varying(20) DEFAULT 'scope'::character varying NOT NULL,
    paused_at timestamp with time zone,
    sync_failures integer DEFAULT 0 NOT NULL,
    connected_account character varying(255),
    is_owner_erased boolean DEFAULT false NOT NULL,
    signed_in_by integer,
    readers_forgotten_to bigint,
    CONSTRAINT connectors_permission_mode_check CHECK (((permission_mode)::text = ANY ((ARRAY['scope'::character varying, 'source'::character varying])::text[]))),
    CONSTRAINT connectors_refresh_freq_minutes_check CHECK ((refresh_freq_minutes >= 1)),
    CONSTRAINT connectors_scope_check CHECK (((scope)::text = ANY ((ARRAY['user'::character varying, 'group'::character varying, 'org'::character varying])::text[]))),
    CONSTRAINT connectors_scope_id_check CHECK ((((scope)::text = 'group'::text) = (scope_id IS NOT NULL))),
    CONSTRAINT connectors_status_check CHECK (((status)::text = ANY ((ARRAY['pending'::character varying, 'syncing'::character varying, 'active'::character varying, 'error'::character varying, 'disabled'::character varying, 'needs_attention'::character varying])::text[]))),
    CONSTRAINT connectors_sync_failures_check CHECK ((sync_failures >= 0)),
    CONSTRAINT connectors_type_check CHECK (((type)::text ~ '^[a-z][a-z0-9_]*$'::text))
);


--
-- Name: connectors_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.connectors_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: connectors_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.connectors_id_seq OWNED BY public.connectors.id;


--
-- Name: crawl_addresses; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.crawl_addresses (
    id bigint NOT NULL,
    connector_id integer NOT NULL,
    url text NOT NULL COLLATE pg_catalog."C",
    depth integer NOT NULL,
    status integer DEFAULT 0 NOT NULL,
    etag text DEFAULT ''::text NOT NULL,
    last_modified text DEFAULT ''::text NOT NULL,
    version text DEFAULT ''::text NOT NULL,
    rules text DEFAULT ''::text NOT NULL,
    CONSTRAINT crawl_addresses_depth_check CHECK ((depth >= 0)),
    CONSTRAINT crawl_addresses_url_check CHECK (((octet_length(url) >= 1) AND (octet_length(url) <= 2000)))
);


--
-- Name: crawl_addresses_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.crawl_addresses_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: crawl_addresses_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.crawl_addresses_id_seq OWNED BY public.crawl_addresses.id;


--
-- Name: credentials; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.credentials (
    user_id integer NOT NULL,
    password_hash text NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer
);


--
-- Name: device_code_failures; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.device_code_failures (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: device_code_failures_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.device_code_failures ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.device_code_failures_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: device_sign_ins; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.device_sign_ins (
    id bigint NOT NULL,
    device_code_hash bytea NOT NULL,
    user_code_hash bytea NOT NULL,
    client_name text NOT NULL,
    address text NOT NULL,
    network text NOT NULL,
    scopes text[] NOT NULL,
    days integer NOT NULL,
    interval_seconds integer NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    polled_at timestamp with time zone,
    approved boolean,
    user_id integer,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT device_sign_ins_approved_check CHECK (((approved IS NULL) = (user_id IS NULL))),
    CONSTRAINT device_sign_ins_codes_check CHECK (((octet_length(device_code_hash) = 32) AND (octet_length(user_code_hash) = 32)))
);


--
-- Name: device_sign_ins_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.device_sign_ins ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.device_sign_ins_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: document_acl; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.document_acl (
    document_id bigint NOT NULL,
    principal_id bigint NOT NULL
);


--
-- Name: documents; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.documents (
    id bigint NOT NULL,
    parent_id bigint,
    connector_id integer NOT NULL,
    source_id text NOT NULL,
    url text,
    original_url text,
    title text DEFAULT ''::text NOT NULL,
    content_type character varying(100),
    size_bytes bigint,
    language character varying(20),
    signature text,
    processing_session uuid,
    chunking_session uuid,
    status character varying(50) DEFAULT 'pending'::character varying NOT NULL,
    status_message text,
    chunk_count integer DEFAULT 0 NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    deleted_date timestamp with time zone,
    worker_id uuid,
    attempts integer DEFAULT 0 NOT NULL,
    source_name text,
    source_version text,
    folder_source_id text,
    parent_source_id text,
    source_readers jsonb,
    readers_changed_at timestamp with time zone,
    container_id bigint,
    index_id smallint,
    CONSTRAINT documents_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT documents_chunk_count_check CHECK ((chunk_count >= 0)),
    CONSTRAINT documents_size_bytes_check CHECK ((size_bytes >= 0)),
    CONSTRAINT documents_source_id_check CHECK (((octet_length(source_id) >= 1) AND (octet_length(source_id) <= 2000))),
    CONSTRAINT documents_status_check CHECK (((status)::text = ANY ((ARRAY['pending'::character varying, 'processing'::character varying, 'completed'::character varying, 'failed'::character varying])::text[])))
);


--
-- Name: documents_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.documents_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: documents_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.documents_id_seq OWNED BY public.documents.id;


--
-- Name: embedding_models; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.embedding_models (
    id smallint NOT NULL,
    model_id character varying NOT NULL,
    model_name character varying NOT NULL,
    model_dimension integer NOT NULL,
    endpoint character varying,
    is_active boolean DEFAULT false NOT NULL,
    sparse_encoder text NOT NULL,
    chunker text NOT NULL,
    collection text GENERATED ALWAYS AS (('chunks_'::text || (id)::text)) STORED NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    deleted_date timestamp with time zone,
    index_state character varying(20),
    state_since timestamp with time zone,
    state_message text,
    protocol character varying(20),
    api_key character varying,
    query_prefix text DEFAULT ''::text NOT NULL,
    passage_prefix text DEFAULT ''::text NOT NULL,
    languages text[] DEFAULT '{}'::text[] NOT NULL,
    calibration jsonb,
    CONSTRAINT embedding_models_active_state_check CHECK (((NOT is_active) OR (index_state IS NULL))),
    CONSTRAINT embedding_models_calibration_check CHECK (((endpoint IS NULL) = (calibration IS NULL))),
    CONSTRAINT embedding_models_endpoint_check CHECK (((endpoint IS NULL) = (protocol IS NULL))),
    CONSTRAINT embedding_models_index_state_check CHECK (((index_state)::text = ANY ((ARRAY['building'::character varying, 'standby'::character varying, 'dropping'::character varying])::text[]))),
    CONSTRAINT embedding_models_model_dimension_check CHECK ((model_dimension >= 1)),
    CONSTRAINT embedding_models_protocol_check CHECK (((protocol)::text = ANY ((ARRAY['openai'::character varying, 'tei'::character varying])::text[])))
);


--
-- Name: embedding_models_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.embedding_models_id_seq
    AS smallint
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: embedding_models_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.embedding_models_id_seq OWNED BY public.embedding_models.id;


--
-- Name: erasures; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.erasures (
    id integer NOT NULL,
    erased_user_id integer NOT NULL,
    erased_by integer,
    items jsonb NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    completed_at timestamp with time zone,
    attempted_at timestamp with time zone,
    error text
);


--
-- Name: erasures_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.erasures_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: erasures_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.erasures_id_seq OWNED BY public.erasures.id;


--
-- Name: evaluation_cases; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.evaluation_cases (
    id bigint NOT NULL,
    dataset_id bigint NOT NULL,
    question text NOT NULL,
    documents text[] DEFAULT '{}'::text[] NOT NULL,
    passages text[] DEFAULT '{}'::text[] NOT NULL,
    facts text[] DEFAULT '{}'::text[] NOT NULL,
    answer text DEFAULT ''::text NOT NULL,
    message_id bigint,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer
);


--
-- Name: evaluation_cases_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.evaluation_cases_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: evaluation_cases_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.evaluation_cases_id_seq OWNED BY public.evaluation_cases.id;


--
-- Name: evaluation_datasets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.evaluation_datasets (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    name character varying(255) NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    is_shared boolean DEFAULT false NOT NULL,
    groups text[] DEFAULT '{}'::text[] NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer
);


--
-- Name: evaluation_datasets_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.evaluation_datasets_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: evaluation_datasets_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.evaluation_datasets_id_seq OWNED BY public.evaluation_datasets.id;


--
-- Name: evaluation_results; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.evaluation_results (
    id bigint NOT NULL,
    evaluation_run_id bigint NOT NULL,
    case_id bigint,
    expected jsonb DEFAULT '{}'::jsonb NOT NULL,
    status character varying(20) DEFAULT 'pending'::character varying NOT NULL,
    error text,
    run_id uuid,
    answer text DEFAULT ''::text NOT NULL,
    rank integer,
    document_share real,
    passage_share real,
    fact_share real,
    missing text[] DEFAULT '{}'::text[] NOT NULL,
    citations integer DEFAULT 0 NOT NULL,
    supported_citations integer DEFAULT 0 NOT NULL,
    judge_score real,
    judge_reason text DEFAULT ''::text NOT NULL,
    judge_prompt_tokens bigint DEFAULT 0 NOT NULL,
    judge_completion_tokens bigint DEFAULT 0 NOT NULL,
    judge_cost numeric(14,8) DEFAULT 0 NOT NULL,
    tokens bigint DEFAULT 0 NOT NULL,
    cost numeric(14,8),
    duration_ms bigint,
    CONSTRAINT evaluation_results_citations_check CHECK (((supported_citations >= 0) AND (supported_citations <= citations))),
    CONSTRAINT evaluation_results_document_share_check CHECK (((document_share >= (0)::double precision) AND (document_share <= (1)::double precision))),
    CONSTRAINT evaluation_results_fact_share_check CHECK (((fact_share >= (0)::double precision) AND (fact_share <= (1)::double precision))),
    CONSTRAINT evaluation_results_judge_completion_tokens_check CHECK ((judge_completion_tokens >= 0)),
    CONSTRAINT evaluation_results_judge_cost_check CHECK ((judge_cost >= (0)::numeric)),
    CONSTRAINT evaluation_results_judge_prompt_tokens_check CHECK ((judge_prompt_tokens >= 0)),
    CONSTRAINT evaluation_results_judge_score_check CHECK (((judge_score >= (0)::double precision) AND (judge_score <= (1)::double precision))),
    CONSTRAINT evaluation_results_passage_share_check CHECK (((passage_share >= (0)::double precision) AND (passage_share <= (1)::double precision))),
    CONSTRAINT evaluation_results_rank_check CHECK ((rank >= 1)),
    CONSTRAINT evaluation_results_status_check CHECK (((status)::text = ANY ((ARRAY['pending'::character varying, 'running'::character varying, 'completed'::character varying, 'failed'::character varying, 'cancelled'::character varying])::text[])))
);


--
-- Name: evaluation_results_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.evaluation_results_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: evaluation_results_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.evaluation_results_id_seq OWNED BY public.evaluation_results.id;


--
-- Name: evaluation_runs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.evaluation_runs (
    id bigint NOT NULL,
    dataset_id bigint NOT NULL,
    user_id integer NOT NULL,
    assistant_id smallint NOT NULL,
    assistant_version integer NOT NULL,
    judge_llm_id smallint,
    status character varying(20) DEFAULT 'running'::character varying NOT NULL,
    error text,
    completed_at timestamp with time zone,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    api_key_id integer,
    CONSTRAINT evaluation_runs_assistant_version_check CHECK ((assistant_version >= 0)),
    CONSTRAINT evaluation_runs_completed_at_check CHECK ((((status)::text = 'running'::text) = (completed_at IS NULL))),
    CONSTRAINT evaluation_runs_status_check CHECK (((status)::text = ANY ((ARRAY['running'::character varying, 'completed'::character varying, 'cancelled'::character varying, 'failed'::character varying])::text[])))
);


--
-- Name: evaluation_runs_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.evaluation_runs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: evaluation_runs_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.evaluation_runs_id_seq OWNED BY public.evaluation_runs.id;


--
-- Name: fact_changes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.fact_changes (
    kind character varying(20) NOT NULL,
    fact_id bigint NOT NULL,
    changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);


--
-- Name: group_admins; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.group_admins (
    group_id integer NOT NULL,
    user_id integer NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: group_members; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.group_members (
    group_id integer NOT NULL,
    user_id integer NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    source text DEFAULT 'manual'::text NOT NULL,
    CONSTRAINT group_members_source_check CHECK (((source = 'manual'::text) OR (source ~ '^(provider|scim):.'::text)))
);


--
-- Name: groups; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.groups (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    display_name character varying(255) DEFAULT ''::character varying NOT NULL
);


--
-- Name: groups_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.groups_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: groups_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.groups_id_seq OWNED BY public.groups.id;


--
-- Name: identity_providers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.identity_providers (
    id integer NOT NULL,
    name character varying(40) NOT NULL,
    title character varying(100) DEFAULT ''::character varying NOT NULL,
    issuer text NOT NULL,
    client_id text NOT NULL,
    encrypted_client_secret text,
    scopes text NOT NULL,
    algorithms text[] NOT NULL,
    email_trust character varying(20) NOT NULL,
    email_domains text[] DEFAULT '{}'::text[] NOT NULL,
    create_accounts boolean DEFAULT true NOT NULL,
    required_claims jsonb DEFAULT '{}'::jsonb NOT NULL,
    audience text DEFAULT ''::text NOT NULL,
    groups_claim text NOT NULL,
    groups jsonb DEFAULT '{}'::jsonb NOT NULL,
    roles jsonb DEFAULT '{}'::jsonb NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    scim_claim text DEFAULT 'sub'::text NOT NULL,
    CONSTRAINT identity_providers_email_trust_check CHECK (((email_trust)::text = ANY ((ARRAY['claim'::character varying, 'domains'::character varying, 'never'::character varying])::text[]))),
    CONSTRAINT identity_providers_name_check CHECK (((name)::text ~ '^[a-z][a-z0-9_]*$'::text))
);


--
-- Name: identity_providers_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.identity_providers_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: identity_providers_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.identity_providers_id_seq OWNED BY public.identity_providers.id;


--
-- Name: index_documents; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.index_documents (
    document_id bigint NOT NULL,
    index_id smallint NOT NULL,
    chunking_session uuid NOT NULL,
    chunk_count integer DEFAULT 0 NOT NULL,
    error text,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT index_documents_chunk_count_check CHECK ((chunk_count >= 0))
);


--
-- Name: installation_settings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.installation_settings (
    id boolean DEFAULT true NOT NULL,
    link_sharing character varying(20) DEFAULT 'anyone'::character varying NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    memory_enabled boolean DEFAULT true NOT NULL,
    has_shared_knowledge boolean DEFAULT false NOT NULL,
    has_quotas boolean DEFAULT false NOT NULL,
    local_accounts boolean DEFAULT true NOT NULL,
    has_rates boolean DEFAULT false NOT NULL,
    CONSTRAINT installation_settings_id_check CHECK (id),
    CONSTRAINT installation_settings_link_sharing_check CHECK (((link_sharing)::text = ANY ((ARRAY['anyone'::character varying, 'signed_in'::character varying, 'nobody'::character varying])::text[])))
);


--
-- Name: invitations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.invitations (
    id integer NOT NULL,
    token_hash bytea NOT NULL,
    email character varying(255),
    roles text[] DEFAULT '{user}'::text[] NOT NULL,
    groups text[] DEFAULT '{}'::text[] NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    invited_by integer NOT NULL,
    accepted_at timestamp with time zone,
    accepted_user_id integer,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    CONSTRAINT invitations_roles_check CHECK ((roles <@ ARRAY['user'::text, 'admin'::text, 'superadmin'::text])),
    CONSTRAINT invitations_token_hash_check CHECK ((octet_length(token_hash) = 32))
);


--
-- Name: invitations_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.invitations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: invitations_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.invitations_id_seq OWNED BY public.invitations.id;


--
-- Name: knowledge_entities; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.knowledge_entities (
    id bigint NOT NULL,
    user_id integer,
    level character varying(50) DEFAULT 'individual'::character varying NOT NULL,
    source_type character varying(50) DEFAULT 'manual'::character varying NOT NULL,
    embedding_id text DEFAULT (gen_random_uuid())::text NOT NULL,
    title character varying(255) NOT NULL,
    content text NOT NULL,
    category character varying(100),
    tags jsonb DEFAULT '[]'::jsonb NOT NULL,
    prior_alpha double precision NOT NULL,
    prior_beta double precision NOT NULL,
    alpha double precision NOT NULL,
    beta double precision NOT NULL,
    evidence_at timestamp with time zone,
    usage_count integer DEFAULT 0 NOT NULL,
    last_used_at timestamp with time zone,
    source_session_id integer,
    session_time timestamp with time zone,
    review_status character varying(50) DEFAULT 'none'::character varying NOT NULL,
    proposed_level character varying(50),
    proposed_at timestamp with time zone,
    proposal_note text,
    review_comment text,
    reviewed_at timestamp with time zone,
    review_after timestamp with time zone,
    revision integer DEFAULT 1 NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    source_run_id uuid,
    CONSTRAINT knowledge_entities_alpha_check CHECK ((((0)::double precision < prior_alpha) AND (prior_alpha <= alpha))),
    CONSTRAINT knowledge_entities_beta_check CHECK ((((0)::double precision < prior_beta) AND (prior_beta <= beta))),
    CONSTRAINT knowledge_entities_level_check CHECK (((level)::text = ANY ((ARRAY['public'::character varying, 'organization'::character varying, 'individual'::character varying])::text[]))),
    CONSTRAINT knowledge_entities_owner_check CHECK ((((level)::text <> 'individual'::text) OR (user_id IS NOT NULL))),
    CONSTRAINT knowledge_entities_proposal_check CHECK ((((review_status)::text <> 'proposed'::text) OR (proposed_level IS NOT NULL))),
    CONSTRAINT knowledge_entities_proposed_level_check CHECK (((proposed_level)::text = ANY ((ARRAY['public'::character varying, 'organization'::character varying])::text[]))),
    CONSTRAINT knowledge_entities_review_status_check CHECK (((review_status)::text = ANY ((ARRAY['none'::character varying, 'proposed'::character varying, 'approved'::character varying, 'rejected'::character varying])::text[]))),
    CONSTRAINT knowledge_entities_revision_check CHECK ((revision >= 1)),
    CONSTRAINT knowledge_entities_source_type_check CHECK (((source_type)::text = ANY ((ARRAY['conversation'::character varying, 'document'::character varying, 'manual'::character varying, 'answer'::character varying])::text[]))),
    CONSTRAINT knowledge_entities_usage_count_check CHECK ((usage_count >= 0))
);


--
-- Name: knowledge_entities_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.knowledge_entities ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.knowledge_entities_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: knowledge_feedback; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.knowledge_feedback (
    id bigint NOT NULL,
    knowledge_id bigint NOT NULL,
    user_id integer NOT NULL,
    helpful boolean,
    accuracy_rating integer,
    comment text,
    chat_session_id integer,
    used_in_step integer,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    CONSTRAINT knowledge_feedback_accuracy_rating_check CHECK (((accuracy_rating >= 1) AND (accuracy_rating <= 5))),
    CONSTRAINT knowledge_feedback_used_in_step_check CHECK ((used_in_step >= 1))
);


--
-- Name: knowledge_feedback_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.knowledge_feedback ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.knowledge_feedback_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: knowledge_revisions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.knowledge_revisions (
    knowledge_id bigint NOT NULL,
    revision integer NOT NULL,
    level character varying(50) NOT NULL,
    title character varying(255) NOT NULL,
    content text NOT NULL,
    category character varying(100),
    tags jsonb DEFAULT '[]'::jsonb NOT NULL,
    user_id integer,
    chat_session_id integer,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT knowledge_revisions_level_check CHECK (((level)::text = ANY ((ARRAY['public'::character varying, 'organization'::character varying, 'individual'::character varying])::text[]))),
    CONSTRAINT knowledge_revisions_revision_check CHECK ((revision >= 1))
);


--
-- Name: knowledge_sources; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.knowledge_sources (
    knowledge_id bigint NOT NULL,
    document_id bigint NOT NULL,
    connector_id integer
);


--
-- Name: knowledge_uses; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.knowledge_uses (
    knowledge_id bigint NOT NULL,
    run_id uuid NOT NULL,
    chat_session_id integer NOT NULL,
    step_number integer,
    cited boolean DEFAULT false NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: legal_holds; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.legal_holds (
    id integer NOT NULL,
    user_id integer,
    chat_session_id bigint,
    reason text NOT NULL,
    placed_by integer,
    released_at timestamp with time zone,
    released_by integer,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT legal_holds_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 1000))),
    CONSTRAINT legal_holds_subject_check CHECK (((user_id IS NULL) <> (chat_session_id IS NULL)))
);


--
-- Name: legal_holds_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.legal_holds_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: legal_holds_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.legal_holds_id_seq OWNED BY public.legal_holds.id;


--
-- Name: llms; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.llms (
    id smallint NOT NULL,
    name character varying(255) NOT NULL,
    provider character varying(50) NOT NULL,
    model_id character varying(255) NOT NULL,
    endpoint character varying,
    api_key character varying,
    max_tokens integer,
    context_tokens integer,
    temperature numeric(3,2),
    is_default boolean DEFAULT false NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    deleted_date timestamp with time zone,
    input_price numeric(12,6),
    output_price numeric(12,6),
    CONSTRAINT llms_context_tokens_check CHECK ((context_tokens >= 1)),
    CONSTRAINT llms_input_price_check CHECK ((input_price >= (0)::numeric)),
    CONSTRAINT llms_max_tokens_check CHECK ((max_tokens >= 1)),
    CONSTRAINT llms_output_price_check CHECK ((output_price >= (0)::numeric)),
    CONSTRAINT llms_prices_check CHECK (((input_price IS NULL) = (output_price IS NULL))),
    CONSTRAINT llms_provider_check CHECK (((provider)::text = ANY ((ARRAY['tgi'::character varying, 'vllm'::character varying, 'openai'::character varying, 'anthropic'::character varying, 'ollama'::character varying, 'extractive'::character varying])::text[]))),
    CONSTRAINT llms_temperature_check CHECK (((temperature >= (0)::numeric) AND (temperature <= (2)::numeric)))
);


--
-- Name: llms_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.llms_id_seq
    AS smallint
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: llms_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.llms_id_seq OWNED BY public.llms.id;


--
-- Name: mcp_server_states; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.mcp_server_states (
    assistant_id smallint NOT NULL,
    server_name character varying(100) NOT NULL,
    reached_at timestamp with time zone,
    failed_at timestamp with time zone,
    error text DEFAULT ''::text NOT NULL
);


--
-- Name: memory_sources; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memory_sources (
    memory_id integer NOT NULL,
    document_id bigint NOT NULL,
    connector_id integer
);


--
-- Name: notebook_groups; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notebook_groups (
    notebook_id bigint NOT NULL,
    group_id integer NOT NULL,
    role character varying(20) NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT notebook_groups_role_check CHECK (((role)::text = ANY ((ARRAY['editor'::character varying, 'viewer'::character varying])::text[])))
);


--
-- Name: notebook_members; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notebook_members (
    notebook_id bigint NOT NULL,
    user_id integer NOT NULL,
    role character varying(20) NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT notebook_members_role_check CHECK (((role)::text = ANY ((ARRAY['owner'::character varying, 'editor'::character varying, 'viewer'::character varying])::text[])))
);


--
-- Name: notebook_note_sources; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notebook_note_sources (
    note_id bigint NOT NULL,
    document_id bigint NOT NULL,
    connector_id integer
);


--
-- Name: notebook_notes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notebook_notes (
    id bigint NOT NULL,
    notebook_id bigint NOT NULL,
    user_id integer NOT NULL,
    title character varying(255) NOT NULL,
    content text NOT NULL,
    citations jsonb DEFAULT '[]'::jsonb NOT NULL,
    message_id bigint,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    basis character varying(20),
    other_tools text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT notebook_notes_basis_check CHECK (((basis)::text = ANY ((ARRAY['sources'::character varying, 'no_source_found'::character varying, 'model_only'::character varying, 'other'::character varying])::text[])))
);


--
-- Name: notebook_notes_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.notebook_notes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: notebook_notes_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.notebook_notes_id_seq OWNED BY public.notebook_notes.id;


--
-- Name: notebook_sources; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notebook_sources (
    id bigint NOT NULL,
    notebook_id bigint NOT NULL,
    connector_id integer,
    document_id bigint,
    user_id integer,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT notebook_sources_one_check CHECK ((num_nonnulls(connector_id, document_id) = 1))
);


--
-- Name: notebook_sources_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.notebook_sources_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: notebook_sources_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.notebook_sources_id_seq OWNED BY public.notebook_sources.id;


--
-- Name: notebook_summaries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notebook_summaries (
    id bigint NOT NULL,
    notebook_id bigint NOT NULL,
    fingerprint character varying(64) NOT NULL,
    documents integer NOT NULL,
    content text DEFAULT ''::text NOT NULL,
    questions text[] DEFAULT '{}'::text[] NOT NULL,
    model character varying(255) DEFAULT ''::character varying NOT NULL,
    error text,
    prompt_tokens bigint DEFAULT 0 NOT NULL,
    completion_tokens bigint DEFAULT 0 NOT NULL,
    cost numeric(14,8) DEFAULT 0 NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT notebook_summaries_completion_tokens_check CHECK ((completion_tokens >= 0)),
    CONSTRAINT notebook_summaries_cost_check CHECK ((cost >= (0)::numeric)),
    CONSTRAINT notebook_summaries_documents_check CHECK ((documents >= 1)),
    CONSTRAINT notebook_summaries_prompt_tokens_check CHECK ((prompt_tokens >= 0))
);


--
-- Name: notebook_summaries_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.notebook_summaries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: notebook_summaries_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.notebook_summaries_id_seq OWNED BY public.notebook_summaries.id;


--
-- Name: notebooks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notebooks (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    title character varying(255) NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    instructions text DEFAULT ''::text NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    deleted_date timestamp with time zone,
    tools text[] DEFAULT '{}'::text[] NOT NULL,
    title_author_id integer,
    instructions_author_id integer
);


--
-- Name: notebooks_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.notebooks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: notebooks_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.notebooks_id_seq OWNED BY public.notebooks.id;


--
-- Name: quota_charges; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.quota_charges (
    run_id uuid NOT NULL,
    usage_ids bigint[] NOT NULL,
    tokens bigint NOT NULL,
    cost numeric(18,8) NOT NULL,
    reserved_tokens bigint NOT NULL,
    reserved_cost numeric(18,8) NOT NULL
);


--
-- Name: quota_usage; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.quota_usage (
    id bigint NOT NULL,
    group_id integer,
    user_id integer,
    period character varying(20) NOT NULL,
    begins_at timestamp with time zone NOT NULL,
    questions bigint DEFAULT 0 NOT NULL,
    tokens bigint DEFAULT 0 NOT NULL,
    cost numeric(18,8) DEFAULT 0 NOT NULL,
    reserved_tokens bigint DEFAULT 0 NOT NULL,
    reserved_cost numeric(18,8) DEFAULT 0 NOT NULL,
    warned_at timestamp with time zone,
    api_key_id integer,
    CONSTRAINT quota_usage_period_check CHECK (((period)::text = ANY ((ARRAY['day'::character varying, 'month'::character varying])::text[])))
);


--
-- Name: quota_usage_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.quota_usage_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: quota_usage_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.quota_usage_id_seq OWNED BY public.quota_usage.id;


--
-- Name: quotas; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.quotas (
    id integer NOT NULL,
    scope character varying(20) NOT NULL,
    group_id integer,
    user_id integer,
    period character varying(20) NOT NULL,
    max_questions bigint,
    max_tokens bigint,
    max_cost numeric(18,8),
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    api_key_id integer,
    max_requests_per_minute integer,
    max_concurrent_runs integer,
    max_concurrent_streams integer,
    CONSTRAINT quotas_limits_check CHECK (
CASE period
    WHEN 'minute'::text THEN ((num_nonnulls(max_requests_per_minute, max_concurrent_runs, max_concurrent_streams) > 0) AND (num_nonnulls(max_questions, max_tokens, max_cost) = 0))
    ELSE ((num_nonnulls(max_questions, max_tokens, max_cost) > 0) AND (num_nonnulls(max_requests_per_minute, max_concurrent_runs, max_concurrent_streams) = 0))
END),
    CONSTRAINT quotas_max_concurrent_runs_check CHECK ((max_concurrent_runs >= 1)),
    CONSTRAINT quotas_max_concurrent_streams_check CHECK ((max_concurrent_streams >= 1)),
    CONSTRAINT quotas_max_cost_check CHECK ((max_cost >= (0)::numeric)),
    CONSTRAINT quotas_max_questions_check CHECK ((max_questions >= 0)),
    CONSTRAINT quotas_max_requests_per_minute_check CHECK ((max_requests_per_minute >= 1)),
    CONSTRAINT quotas_max_tokens_check CHECK ((max_tokens >= 0)),
    CONSTRAINT quotas_period_check CHECK (((period)::text = ANY ((ARRAY['day'::character varying, 'month'::character varying, 'minute'::character varying])::text[]))),
    CONSTRAINT quotas_scope_check CHECK (((scope)::text = ANY ((ARRAY['organization'::character varying, 'group'::character varying, 'member'::character varying, 'user'::character varying, 'key'::character varying])::text[]))),
    CONSTRAINT quotas_subject_check CHECK (((((scope)::text = 'user'::text) = (user_id IS NOT NULL)) AND (((scope)::text = 'key'::text) = (api_key_id IS NOT NULL)) AND
CASE scope
    WHEN 'group'::text THEN (group_id IS NOT NULL)
    WHEN 'member'::text THEN true
    ELSE (group_id IS NULL)
END))
);


--
-- Name: quotas_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.quotas_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: quotas_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.quotas_id_seq OWNED BY public.quotas.id;


--
-- Name: rated_questions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rated_questions (
    message_id bigint NOT NULL,
    number smallint NOT NULL,
    model_id text,
    vector bytea,
    terms bigint[] NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT rated_questions_number_check CHECK ((number >= 1)),
    CONSTRAINT rated_questions_vector_check CHECK (((model_id IS NULL) = (vector IS NULL)))
);


--
-- Name: request_counts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.request_counts (
    subject character varying(50) NOT NULL,
    minute timestamp with time zone NOT NULL,
    requests integer NOT NULL
);


--
-- Name: rerankers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rerankers (
    id smallint NOT NULL,
    name character varying(255) NOT NULL,
    protocol character varying(20) NOT NULL,
    model_id character varying(255) NOT NULL,
    endpoint text NOT NULL,
    api_key text,
    candidates integer NOT NULL,
    timeout_ms integer NOT NULL,
    is_active boolean DEFAULT false NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    deleted_date timestamp with time zone,
    CONSTRAINT rerankers_candidates_check CHECK ((candidates >= 1)),
    CONSTRAINT rerankers_protocol_check CHECK (((protocol)::text = ANY ((ARRAY['cohere'::character varying, 'jina'::character varying, 'vllm'::character varying, 'tei'::character varying])::text[]))),
    CONSTRAINT rerankers_timeout_ms_check CHECK ((timeout_ms >= 1))
);


--
-- Name: rerankers_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.rerankers_id_seq
    AS smallint
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: rerankers_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.rerankers_id_seq OWNED BY public.rerankers.id;


--
-- Name: retention_rules; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.retention_rules (
    data character varying(30) NOT NULL,
    days integer NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    CONSTRAINT retention_rules_data_check CHECK (((data)::text = ANY ((ARRAY['chat_sessions'::character varying, 'removed_chat_sessions'::character varying, 'unlisted_chat_sessions'::character varying, 'run_steps'::character varying, 'run_events'::character varying, 'audit_entries'::character varying, 'webhook_deliveries'::character varying])::text[]))),
    CONSTRAINT retention_rules_days_check CHECK (((days >= 0) AND (days <= 36500)))
);


--
-- Name: run_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.run_events (
    id bigint NOT NULL,
    chat_session_id integer NOT NULL,
    run_id uuid,
    kind character varying(20) NOT NULL,
    text text DEFAULT ''::text NOT NULL,
    payload jsonb,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT run_events_kind_check CHECK (((kind)::text = ANY ((ARRAY['progress'::character varying, 'status'::character varying, 'warning'::character varying, 'error'::character varying, 'final'::character varying])::text[])))
)
WITH (toast_tuple_target='256');
ALTER TABLE ONLY public.run_events ALTER COLUMN payload SET STORAGE MAIN;


--
-- Name: run_events_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.run_events ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.run_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: runs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.runs (
    id uuid DEFAULT uuidv7() NOT NULL,
    user_id integer NOT NULL,
    chat_session_id integer NOT NULL,
    parent_run_id uuid,
    parent_step_id bigint,
    kind character varying(20) DEFAULT 'agent'::character varying NOT NULL,
    assistant_id smallint,
    assistant_version integer,
    llm_id smallint,
    status character varying(30) DEFAULT 'queued'::character varying NOT NULL,
    input text DEFAULT ''::text NOT NULL,
    goal text,
    inherited_context text,
    ask_clarifications boolean DEFAULT false NOT NULL,
    auto_run boolean DEFAULT false NOT NULL,
    state jsonb DEFAULT '{}'::jsonb NOT NULL,
    pending_input jsonb,
    final_output jsonb,
    result_summary text,
    error jsonb,
    depth integer DEFAULT 0 NOT NULL,
    max_steps integer DEFAULT 20 NOT NULL,
    timeout_seconds integer DEFAULT 300 NOT NULL,
    steps_executed integer DEFAULT 0 NOT NULL,
    tools_called integer DEFAULT 0 NOT NULL,
    prompt_tokens integer DEFAULT 0 NOT NULL,
    completion_tokens integer DEFAULT 0 NOT NULL,
    cost numeric(14,8),
    attempt integer DEFAULT 0 NOT NULL,
    worker_id uuid,
    retry_count integer DEFAULT 0 NOT NULL,
    max_retries integer DEFAULT 3 NOT NULL,
    control_requested character varying(20),
    request_id character varying(255),
    external_id text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    started_at timestamp with time zone,
    completed_at timestamp with time zone,
    duration_ms bigint,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    max_run_tokens bigint,
    max_cost numeric(14,8),
    max_depth integer DEFAULT 2 NOT NULL,
    seconds_spent real DEFAULT 0 NOT NULL,
    untrusted boolean DEFAULT false NOT NULL,
    priority smallint DEFAULT 1 NOT NULL,
    slot integer,
    held_back boolean DEFAULT false NOT NULL,
    requested_llm_id smallint,
    time_to_first_token_ms integer,
    wait_strategy character varying(20),
    caller jsonb,
    api_key_id integer,
    CONSTRAINT runs_control_requested_check CHECK (((control_requested)::text = ANY ((ARRAY['pause'::character varying, 'cancel'::character varying])::text[]))),
    CONSTRAINT runs_depth_check CHECK (((depth >= 0) AND (depth <= 10))),
    CONSTRAINT runs_kind_check CHECK (((kind)::text = ANY ((ARRAY['agent'::character varying, 'team'::character varying, 'member'::character varying, 'sub_agent'::character varying])::text[]))),
    CONSTRAINT runs_max_cost_check CHECK ((max_cost > (0)::numeric)),
    CONSTRAINT runs_max_depth_check CHECK (((max_depth >= 0) AND (max_depth <= 10))),
    CONSTRAINT runs_max_run_tokens_check CHECK ((max_run_tokens >= 1)),
    CONSTRAINT runs_max_steps_check CHECK ((max_steps >= 1)),
    CONSTRAINT runs_parent_run_id_check CHECK (((parent_run_id IS NULL) = ((kind)::text = ANY ((ARRAY['agent'::character varying, 'team'::character varying])::text[])))),
    CONSTRAINT runs_priority_check CHECK (((priority >= 0) AND (priority <= 3))),
    CONSTRAINT runs_seconds_spent_check CHECK ((seconds_spent >= (0)::double precision)),
    CONSTRAINT runs_slot_check CHECK ((slot >= 1)),
    CONSTRAINT runs_state_check CHECK ((octet_length((state)::text) <= 8192)),
    CONSTRAINT runs_status_check CHECK (((status)::text = ANY ((ARRAY['queued'::character varying, 'running'::character varying, 'waiting_for_input'::character varying, 'waiting_for_children'::character varying, 'paused'::character varying, 'completed'::character varying, 'failed'::character varying, 'cancelled'::character varying, 'timeout'::character varying])::text[]))),
    CONSTRAINT runs_time_to_first_token_ms_check CHECK ((time_to_first_token_ms >= 0)),
    CONSTRAINT runs_timeout_seconds_check CHECK ((timeout_seconds >= 1)),
    CONSTRAINT runs_wait_strategy_check CHECK (((wait_strategy)::text = ANY ((ARRAY['all'::character varying, 'any'::character varying, 'majority'::character varying])::text[])))
);


--
-- Name: scim_clients; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.scim_clients (
    id integer NOT NULL,
    name character varying(40) NOT NULL,
    issuer text,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    CONSTRAINT scim_clients_name_check CHECK (((name)::text ~ '^[a-z][a-z0-9_-]*$'::text))
);


--
-- Name: scim_clients_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.scim_clients_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: scim_clients_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.scim_clients_id_seq OWNED BY public.scim_clients.id;


--
-- Name: scim_groups; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.scim_groups (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    client_id integer NOT NULL,
    group_id integer NOT NULL,
    display_name character varying(255) NOT NULL,
    external_id character varying(255),
    version integer DEFAULT 1 NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    deleted_date timestamp with time zone,
    CONSTRAINT scim_groups_version_check CHECK ((version >= 1))
);


--
-- Name: scim_tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.scim_tokens (
    id integer NOT NULL,
    client_id integer NOT NULL,
    prefix character varying(32) NOT NULL,
    sha256 bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT scim_tokens_sha256_check CHECK ((octet_length(sha256) = 32))
);


--
-- Name: scim_tokens_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.scim_tokens_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: scim_tokens_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.scim_tokens_id_seq OWNED BY public.scim_tokens.id;


--
-- Name: scim_users; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.scim_users (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    client_id integer NOT NULL,
    user_id integer NOT NULL,
    user_name character varying(255) NOT NULL,
    external_id character varying(255),
    attributes jsonb DEFAULT '{}'::jsonb NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    deleted_date timestamp with time zone,
    CONSTRAINT scim_users_version_check CHECK ((version >= 1))
);


--
-- Name: session_learnings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.session_learnings (
    chat_session_id integer NOT NULL,
    kind character varying(20) NOT NULL,
    last_message_id bigint NOT NULL,
    read_to timestamp with time zone NOT NULL,
    CONSTRAINT session_learnings_kind_check CHECK (((kind)::text = ANY ((ARRAY['memory'::character varying, 'knowledge'::character varying])::text[])))
);


--
-- Name: session_share_recipients; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.session_share_recipients (
    id bigint NOT NULL,
    session_share_id integer NOT NULL,
    user_id integer,
    group_id integer,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT session_share_recipients_one_check CHECK ((num_nonnulls(user_id, group_id) = 1))
);


--
-- Name: session_share_recipients_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.session_share_recipients_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: session_share_recipients_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.session_share_recipients_id_seq OWNED BY public.session_share_recipients.id;


--
-- Name: session_shares; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.session_shares (
    id integer NOT NULL,
    chat_session_id integer NOT NULL,
    user_id integer NOT NULL,
    token_hash bytea,
    title text NOT NULL,
    head_message_id bigint NOT NULL,
    shared_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    last_access_at timestamp with time zone,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    shows_quotes boolean DEFAULT false NOT NULL,
    CONSTRAINT session_shares_token_hash_check CHECK ((octet_length(token_hash) = 32))
);


--
-- Name: session_shares_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.session_shares_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: session_shares_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.session_shares_id_seq OWNED BY public.session_shares.id;


--
-- Name: sign_in_attempts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sign_in_attempts (
    id bigint NOT NULL,
    provider character varying(40) NOT NULL,
    state_hash bytea NOT NULL,
    browser_hash bytea NOT NULL,
    nonce text NOT NULL,
    encrypted_verifier text NOT NULL,
    redirect_uri text NOT NULL,
    return_path text NOT NULL,
    web_session_id bigint,
    expires_at timestamp with time zone NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    is_test boolean DEFAULT false NOT NULL,
    is_connection boolean DEFAULT false NOT NULL,
    CONSTRAINT sign_in_attempts_browser_hash_check CHECK ((octet_length(browser_hash) = 32)),
    CONSTRAINT sign_in_attempts_state_hash_check CHECK ((octet_length(state_hash) = 32))
);


--
-- Name: sign_in_attempts_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.sign_in_attempts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: sign_in_attempts_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.sign_in_attempts_id_seq OWNED BY public.sign_in_attempts.id;


--
-- Name: sign_in_tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sign_in_tokens (
    id integer NOT NULL,
    user_id integer NOT NULL,
    token_hash bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    authenticated_at timestamp with time zone,
    purpose character varying(20) DEFAULT 'sign_in'::character varying NOT NULL,
    CONSTRAINT sign_in_tokens_purpose_check CHECK (((purpose)::text = ANY ((ARRAY['sign_in'::character varying, 'password'::character varying])::text[]))),
    CONSTRAINT sign_in_tokens_token_hash_check CHECK ((octet_length(token_hash) = 32))
);


--
-- Name: sign_in_tokens_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.sign_in_tokens_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: sign_in_tokens_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.sign_in_tokens_id_seq OWNED BY public.sign_in_tokens.id;


--
-- Name: source_aliases; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.source_aliases (
    key text NOT NULL,
    user_id integer,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    CONSTRAINT source_aliases_key_check CHECK (((octet_length(key) >= 1) AND (octet_length(key) <= 1000)))
);


--
-- Name: source_folders; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.source_folders (
    id bigint NOT NULL,
    connector_id integer NOT NULL,
    source_id text NOT NULL,
    parent_source_id text DEFAULT ''::text NOT NULL,
    name text NOT NULL,
    path text DEFAULT ''::text NOT NULL,
    url text,
    source_readers jsonb,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    CONSTRAINT source_folders_source_id_check CHECK (((octet_length(source_id) >= 1) AND (octet_length(source_id) <= 2000)))
);


--
-- Name: source_folders_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.source_folders_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: source_folders_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.source_folders_id_seq OWNED BY public.source_folders.id;


--
-- Name: source_members; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.source_members (
    group_id bigint NOT NULL,
    member_id bigint NOT NULL
);


--
-- Name: source_principals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.source_principals (
    id bigint NOT NULL,
    connector_id integer NOT NULL,
    key text NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    email text DEFAULT ''::text NOT NULL,
    members_read_at timestamp with time zone,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT source_principals_key_check CHECK (((octet_length(key) >= 1) AND (octet_length(key) <= 1000)))
);


--
-- Name: source_principals_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.source_principals_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: source_principals_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.source_principals_id_seq OWNED BY public.source_principals.id;


--
-- Name: steps; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.steps (
    id bigint NOT NULL,
    run_id uuid NOT NULL,
    step_number integer NOT NULL,
    step_type character varying(20) DEFAULT 'action'::character varying NOT NULL,
    action character varying(100),
    llm_model text,
    rendered_prompt text,
    llm_input jsonb,
    llm_output jsonb,
    reasoning text,
    input_data jsonb,
    output_data jsonb,
    error_message text,
    status character varying(50) DEFAULT 'pending'::character varying NOT NULL,
    discarded boolean DEFAULT false NOT NULL,
    is_parallel boolean DEFAULT false NOT NULL,
    wait_strategy character varying(50),
    parallel_status character varying(50),
    prompt_tokens integer DEFAULT 0 NOT NULL,
    completion_tokens integer DEFAULT 0 NOT NULL,
    started_at timestamp with time zone,
    completed_at timestamp with time zone,
    execution_duration_ms integer,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    CONSTRAINT steps_action_check CHECK (((action)::text = ANY ((ARRAY['call_tool'::character varying, 'call_tools_parallel'::character varying, 'delegate'::character varying, 'ask_user'::character varying, 'plan'::character varying, 'retrieve'::character varying, 'answer'::character varying])::text[]))),
    CONSTRAINT steps_parallel_status_check CHECK (((parallel_status)::text = ANY ((ARRAY['waiting'::character varying, 'partial'::character varying, 'completed'::character varying])::text[]))),
    CONSTRAINT steps_status_check CHECK (((status)::text = ANY ((ARRAY['pending'::character varying, 'running'::character varying, 'completed'::character varying, 'failed'::character varying, 'timeout'::character varying, 'cancelled'::character varying])::text[]))),
    CONSTRAINT steps_step_type_check CHECK (((step_type)::text = ANY ((ARRAY['planner'::character varying, 'action'::character varying, 'synthesizer'::character varying])::text[]))),
    CONSTRAINT steps_wait_strategy_check CHECK (((wait_strategy)::text = ANY ((ARRAY['all'::character varying, 'any'::character varying, 'majority'::character varying])::text[])))
)
WITH (toast_tuple_target='256');
ALTER TABLE ONLY public.steps ALTER COLUMN llm_input SET STORAGE MAIN;
ALTER TABLE ONLY public.steps ALTER COLUMN llm_output SET STORAGE MAIN;
ALTER TABLE ONLY public.steps ALTER COLUMN input_data SET STORAGE MAIN;
ALTER TABLE ONLY public.steps ALTER COLUMN output_data SET STORAGE MAIN;


--
-- Name: steps_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.steps_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: steps_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.steps_id_seq OWNED BY public.steps.id;


--
-- Name: stream_leases; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.stream_leases (
    subject character varying(50) NOT NULL,
    replica_id uuid NOT NULL,
    streams integer NOT NULL,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: todos; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.todos (
    id bigint NOT NULL,
    chat_session_id integer NOT NULL,
    run_id uuid,
    title text NOT NULL,
    description text,
    order_index integer NOT NULL,
    status character varying(50) DEFAULT 'pending'::character varying NOT NULL,
    dependencies jsonb DEFAULT '[]'::jsonb NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    estimated_steps integer,
    actual_steps integer DEFAULT 0 NOT NULL,
    estimated_tokens integer,
    actual_tokens integer DEFAULT 0 NOT NULL,
    result jsonb,
    error text,
    started_at timestamp with time zone,
    completed_at timestamp with time zone,
    duration_seconds integer,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    CONSTRAINT todos_actual_steps_check CHECK ((actual_steps >= 0)),
    CONSTRAINT todos_actual_tokens_check CHECK ((actual_tokens >= 0)),
    CONSTRAINT todos_estimated_steps_check CHECK ((estimated_steps >= 0)),
    CONSTRAINT todos_estimated_tokens_check CHECK ((estimated_tokens >= 0)),
    CONSTRAINT todos_order_index_check CHECK ((order_index >= 1)),
    CONSTRAINT todos_status_check CHECK (((status)::text = ANY ((ARRAY['pending'::character varying, 'in_progress'::character varying, 'completed'::character varying, 'cancelled'::character varying, 'failed'::character varying])::text[])))
);


--
-- Name: todos_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.todos ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.todos_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: tool_calls; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.tool_calls (
    id bigint NOT NULL,
    step_id bigint NOT NULL,
    tool_call_id character varying(255) NOT NULL,
    tool_name character varying(255) NOT NULL,
    parameters jsonb DEFAULT '{}'::jsonb NOT NULL,
    status character varying(50) DEFAULT 'pending'::character varying NOT NULL,
    result text,
    error_message text,
    side_effect boolean DEFAULT false NOT NULL,
    progress_percentage integer DEFAULT 0 NOT NULL,
    status_message text,
    external_task_id character varying(255),
    external_status character varying(100),
    retry_count integer DEFAULT 0 NOT NULL,
    max_retries integer DEFAULT 3 NOT NULL,
    started_at timestamp with time zone,
    completed_at timestamp with time zone,
    execution_duration_ms integer,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    approval character varying(20),
    approval_comment text,
    request_id character varying(255),
    sources jsonb,
    decision_date timestamp with time zone,
    elicitation jsonb,
    CONSTRAINT tool_calls_approval_check CHECK (((approval)::text = ANY ((ARRAY['required'::character varying, 'granted'::character varying, 'denied'::character varying])::text[]))),
    CONSTRAINT tool_calls_progress_percentage_check CHECK (((progress_percentage >= 0) AND (progress_percentage <= 100))),
    CONSTRAINT tool_calls_status_check CHECK (((status)::text = ANY ((ARRAY['pending'::character varying, 'running'::character varying, 'completed'::character varying, 'failed'::character varying, 'timeout'::character varying, 'cancelled'::character varying])::text[])))
);


--
-- Name: tool_calls_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.tool_calls_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: tool_calls_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.tool_calls_id_seq OWNED BY public.tool_calls.id;


--
-- Name: usage_daily; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.usage_daily (
    id bigint NOT NULL,
    day date NOT NULL,
    user_id integer,
    llm_id smallint,
    assistant_id smallint,
    kind character varying(20) NOT NULL,
    questions bigint DEFAULT 0 NOT NULL,
    failed_questions bigint DEFAULT 0 NOT NULL,
    prompt_tokens bigint DEFAULT 0 NOT NULL,
    completion_tokens bigint DEFAULT 0 NOT NULL,
    cost numeric(18,8) DEFAULT 0 NOT NULL,
    CONSTRAINT usage_daily_completion_tokens_check CHECK ((completion_tokens >= 0)),
    CONSTRAINT usage_daily_cost_check CHECK ((cost >= (0)::numeric)),
    CONSTRAINT usage_daily_failed_questions_check CHECK ((failed_questions >= 0)),
    CONSTRAINT usage_daily_kind_check CHECK (((kind)::text = ANY ((ARRAY['answer'::character varying, 'plain_model'::character varying, 'title'::character varying, 'summary'::character varying, 'learning'::character varying, 'judgement'::character varying, 'embedding'::character varying])::text[]))),
    CONSTRAINT usage_daily_prompt_tokens_check CHECK ((prompt_tokens >= 0)),
    CONSTRAINT usage_daily_questions_check CHECK ((questions >= 0))
);


--
-- Name: usage_daily_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.usage_daily ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.usage_daily_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: used_logout_tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.used_logout_tokens (
    issuer text NOT NULL,
    token_id text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: user_identities; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.user_identities (
    id integer NOT NULL,
    user_id integer NOT NULL,
    issuer text NOT NULL,
    subject character varying(255) NOT NULL,
    roles text[] DEFAULT '{}'::text[] NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    scim_id character varying(255)
);


--
-- Name: user_identities_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.user_identities_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: user_identities_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.user_identities_id_seq OWNED BY public.user_identities.id;


--
-- Name: users; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.users (
    id integer NOT NULL,
    user_name character varying(255) NOT NULL,
    email character varying(255),
    first_name character varying(255),
    last_name character varying(255),
    external_id text,
    roles text[] DEFAULT '{user}'::text[] NOT NULL,
    groups text[] DEFAULT '{}'::text[] NOT NULL,
    preferences jsonb DEFAULT '{}'::jsonb NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    last_login timestamp with time zone,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    skipped_setup_steps text[] DEFAULT '{}'::text[] NOT NULL,
    is_setup_hidden boolean DEFAULT false NOT NULL,
    is_email_verified boolean DEFAULT false NOT NULL,
    has_facts boolean DEFAULT false NOT NULL,
    kind character varying(20) DEFAULT 'person'::character varying NOT NULL,
    purpose text DEFAULT ''::text NOT NULL,
    owner_group_id integer,
    created_by integer,
    CONSTRAINT users_email_check CHECK (((email)::text <> ''::text)),
    CONSTRAINT users_kind_check CHECK (((kind)::text = ANY ((ARRAY['person'::character varying, 'service'::character varying])::text[]))),
    CONSTRAINT users_owner_group_id_check CHECK ((((kind)::text = 'service'::text) = (owner_group_id IS NOT NULL))),
    CONSTRAINT users_roles_check CHECK ((roles <@ ARRAY['user'::text, 'admin'::text, 'superadmin'::text])),
    CONSTRAINT users_service_check CHECK ((((kind)::text = 'person'::text) OR ((email IS NULL) AND (external_id IS NULL) AND (NOT ('superadmin'::text = ANY (roles)))))),
    CONSTRAINT users_skipped_setup_steps_check CHECK ((skipped_setup_steps <@ ARRAY['profile'::text, 'password'::text, 'model'::text, 'documents'::text, 'question'::text]))
);


--
-- Name: users_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.users_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: users_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.users_id_seq OWNED BY public.users.id;


--
-- Name: web_sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.web_sessions (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    token_hash bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    last_seen timestamp with time zone DEFAULT now() NOT NULL,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    authenticated_at timestamp with time zone DEFAULT now() NOT NULL,
    user_agent text DEFAULT ''::text NOT NULL,
    address text DEFAULT ''::text NOT NULL,
    identity_id integer,
    provider_session text,
    CONSTRAINT web_sessions_token_hash_check CHECK ((octet_length(token_hash) = 32))
);


--
-- Name: web_sessions_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.web_sessions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: web_sessions_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.web_sessions_id_seq OWNED BY public.web_sessions.id;


--
-- Name: webhook_deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_deliveries (
    id bigint NOT NULL,
    webhook_id integer NOT NULL,
    event_type character varying(50) NOT NULL,
    data jsonb DEFAULT '{}'::jsonb NOT NULL,
    status character varying(20) DEFAULT 'pending'::character varying NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone DEFAULT now(),
    response_status integer,
    error text,
    duration_ms integer,
    completed_at timestamp with time zone,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT webhook_deliveries_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT webhook_deliveries_event_type_check CHECK (((event_type)::text = ANY ((ARRAY['run_completed'::character varying, 'run_failed'::character varying, 'run_cancelled'::character varying, 'run_waiting_for_input'::character varying, 'document_ready'::character varying, 'document_failed'::character varying, 'document_removed'::character varying, 'sync_completed'::character varying, 'sync_failed'::character varying, 'audit_entry'::character varying, 'test'::character varying])::text[]))),
    CONSTRAINT webhook_deliveries_next_attempt_at_check CHECK ((((status)::text = 'pending'::text) = (next_attempt_at IS NOT NULL))),
    CONSTRAINT webhook_deliveries_status_check CHECK (((status)::text = ANY ((ARRAY['pending'::character varying, 'delivered'::character varying, 'failed'::character varying, 'withheld'::character varying])::text[])))
);


--
-- Name: webhook_deliveries_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.webhook_deliveries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: webhook_deliveries_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.webhook_deliveries_id_seq OWNED BY public.webhook_deliveries.id;


--
-- Name: webhooks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhooks (
    id integer NOT NULL,
    user_id integer NOT NULL,
    is_installation boolean DEFAULT false NOT NULL,
    url text NOT NULL,
    description character varying(255) DEFAULT ''::character varying NOT NULL,
    event_types text[] NOT NULL,
    is_enabled boolean DEFAULT true NOT NULL,
    encrypted_secret text NOT NULL,
    encrypted_previous_secret text,
    previous_secret_until timestamp with time zone,
    failures integer DEFAULT 0 NOT NULL,
    failing_since timestamp with time zone,
    held_until timestamp with time zone,
    disabled_reason text,
    creation_date timestamp with time zone DEFAULT now() NOT NULL,
    last_update timestamp with time zone,
    user_id_last_update integer,
    CONSTRAINT webhooks_failures_check CHECK ((failures >= 0))
);


--
-- Name: webhooks_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.webhooks_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: webhooks_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.webhooks_id_seq OWNED BY public.webhooks.id;


--
-- Name: workers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.workers (
    id uuid DEFAULT uuidv7() NOT NULL,
    service character varying(50) NOT NULL,
    host text NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    heartbeat_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: agent_memories id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_memories ALTER COLUMN id SET DEFAULT nextval('public.agent_memories_id_seq'::regclass);


--
-- Name: api_keys id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys ALTER COLUMN id SET DEFAULT nextval('public.api_keys_id_seq'::regclass);


--
-- Name: assistants id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.assistants ALTER COLUMN id SET DEFAULT nextval('public.assistants_id_seq'::regclass);


--
-- Name: background_jobs id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.background_jobs ALTER COLUMN id SET DEFAULT nextval('public.background_jobs_id_seq'::regclass);


--
-- Name: chat_message_documents id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_message_documents ALTER COLUMN id SET DEFAULT nextval('public.chat_message_documents_id_seq'::regclass);


--
-- Name: chat_message_feedbacks id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_message_feedbacks ALTER COLUMN id SET DEFAULT nextval('public.chat_message_feedbacks_id_seq'::regclass);


--
-- Name: chat_messages id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_messages ALTER COLUMN id SET DEFAULT nextval('public.chat_messages_id_seq'::regclass);


--
-- Name: chat_sessions id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_sessions ALTER COLUMN id SET DEFAULT nextval('public.chat_sessions_id_seq'::regclass);


--
-- Name: chunk_feedback id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chunk_feedback ALTER COLUMN id SET DEFAULT nextval('public.chunk_feedback_id_seq'::regclass);


--
-- Name: connector_sign_ins id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connector_sign_ins ALTER COLUMN id SET DEFAULT nextval('public.connector_sign_ins_id_seq'::regclass);


--
-- Name: connector_sync_failures id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connector_sync_failures ALTER COLUMN id SET DEFAULT nextval('public.connector_sync_failures_id_seq'::regclass);


--
-- Name: connector_syncs id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connector_syncs ALTER COLUMN id SET DEFAULT nextval('public.connector_syncs_id_seq'::regclass);


--
-- Name: connectors id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connectors ALTER COLUMN id SET DEFAULT nextval('public.connectors_id_seq'::regclass);


--
-- Name: crawl_addresses id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.crawl_addresses ALTER COLUMN id SET DEFAULT nextval('public.crawl_addresses_id_seq'::regclass);


--
-- Name: documents id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.documents ALTER COLUMN id SET DEFAULT nextval('public.documents_id_seq'::regclass);


--
-- Name: embedding_models id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.embedding_models ALTER COLUMN id SET DEFAULT nextval('public.embedding_models_id_seq'::regclass);


--
-- Name: erasures id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.erasures ALTER COLUMN id SET DEFAULT nextval('public.erasures_id_seq'::regclass);


--
-- Name: evaluation_cases id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.evaluation_cases ALTER COLUMN id SET DEFAULT nextval('public.evaluation_cases_id_seq'::regclass);


--
-- Name: evaluation_datasets id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.evaluation_datasets ALTER COLUMN id SET DEFAULT nextval('public.evaluation_datasets_id_seq'::regclass);


--
-- Name: evaluation_results id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.evaluation_results ALTER COLUMN id SET DEFAULT nextval('public.evaluation_results_id_seq'::regclass);


--
-- Name: evaluation_runs id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.evaluation_runs ALTER COLUMN id SET DEFAULT nextval('public.evaluation_runs_id_seq'::regclass);


--
-- Name: groups id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.groups ALTER COLUMN id SET DEFAULT nextval('public.groups_id_seq'::regclass);


--
-- Name: identity_providers id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.identity_providers ALTER COLUMN id SET DEFAULT nextval('public.identity_providers_id_seq'::regclass);


--
-- Name: invitations id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invitations ALTER COLUMN id SET DEFAULT nextval('public.invitations_id_seq'::regclass);


--
-- Name: legal_holds id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.legal_holds ALTER COLUMN id SET DEFAULT nextval('public.legal_holds_id_seq'::regclass);


--
-- Name: llms id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.llms ALTER COLUMN id SET DEFAULT nextval('public.llms_id_seq'::regclass);


--
-- Name: notebook_notes id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_notes ALTER COLUMN id SET DEFAULT nextval('public.notebook_notes_id_seq'::regclass);


--
-- Name: notebook_sources id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_sources ALTER COLUMN id SET DEFAULT nextval('public.notebook_sources_id_seq'::regclass);


--
-- Name: notebook_summaries id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_summaries ALTER COLUMN id SET DEFAULT nextval('public.notebook_summaries_id_seq'::regclass);


--
-- Name: notebooks id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebooks ALTER COLUMN id SET DEFAULT nextval('public.notebooks_id_seq'::regclass);


--
-- Name: quota_usage id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quota_usage ALTER COLUMN id SET DEFAULT nextval('public.quota_usage_id_seq'::regclass);


--
-- Name: quotas id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quotas ALTER COLUMN id SET DEFAULT nextval('public.quotas_id_seq'::regclass);


--
-- Name: rerankers id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rerankers ALTER COLUMN id SET DEFAULT nextval('public.rerankers_id_seq'::regclass);


--
-- Name: scim_clients id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scim_clients ALTER COLUMN id SET DEFAULT nextval('public.scim_clients_id_seq'::regclass);


--
-- Name: scim_tokens id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scim_tokens ALTER COLUMN id SET DEFAULT nextval('public.scim_tokens_id_seq'::regclass);


--
-- Name: session_share_recipients id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_share_recipients ALTER COLUMN id SET DEFAULT nextval('public.session_share_recipients_id_seq'::regclass);


--
-- Name: session_shares id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_shares ALTER COLUMN id SET DEFAULT nextval('public.session_shares_id_seq'::regclass);


--
-- Name: sign_in_attempts id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sign_in_attempts ALTER COLUMN id SET DEFAULT nextval('public.sign_in_attempts_id_seq'::regclass);


--
-- Name: sign_in_tokens id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sign_in_tokens ALTER COLUMN id SET DEFAULT nextval('public.sign_in_tokens_id_seq'::regclass);


--
-- Name: source_folders id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_folders ALTER COLUMN id SET DEFAULT nextval('public.source_folders_id_seq'::regclass);


--
-- Name: source_principals id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_principals ALTER COLUMN id SET DEFAULT nextval('public.source_principals_id_seq'::regclass);


--
-- Name: steps id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.steps ALTER COLUMN id SET DEFAULT nextval('public.steps_id_seq'::regclass);


--
-- Name: tool_calls id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tool_calls ALTER COLUMN id SET DEFAULT nextval('public.tool_calls_id_seq'::regclass);


--
-- Name: user_identities id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_identities ALTER COLUMN id SET DEFAULT nextval('public.user_identities_id_seq'::regclass);


--
-- Name: users id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users ALTER COLUMN id SET DEFAULT nextval('public.users_id_seq'::regclass);


--
-- Name: web_sessions id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.web_sessions ALTER COLUMN id SET DEFAULT nextval('public.web_sessions_id_seq'::regclass);


--
-- Name: webhook_deliveries id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_deliveries ALTER COLUMN id SET DEFAULT nextval('public.webhook_deliveries_id_seq'::regclass);


--
-- Name: webhooks id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks ALTER COLUMN id SET DEFAULT nextval('public.webhooks_id_seq'::regclass);


--
-- Name: agent_memories agent_memories_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_memories
    ADD CONSTRAINT agent_memories_pkey PRIMARY KEY (id);


--
-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);


--
-- Name: assistant_members assistant_members_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.assistant_members
    ADD CONSTRAINT assistant_members_pkey PRIMARY KEY (assistant_id, member_id);


--
-- Name: assistant_versions assistant_versions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.assistant_versions
    ADD CONSTRAINT assistant_versions_pkey PRIMARY KEY (assistant_id, version);


--
-- Name: assistants assistants_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.assistants
    ADD CONSTRAINT assistants_pkey PRIMARY KEY (id);


--
-- Name: audit_log audit_log_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);


--
-- Name: audit_seals audit_seals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_seals
    ADD CONSTRAINT audit_seals_pkey PRIMARY KEY (number);


--
-- Name: background_jobs background_jobs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.background_jobs
    ADD CONSTRAINT background_jobs_pkey PRIMARY KEY (id);


--
-- Name: background_jobs background_jobs_unique_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.background_jobs
    ADD CONSTRAINT background_jobs_unique_key_key UNIQUE (unique_key);


--
-- Name: chat_message_documents chat_message_documents_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_message_documents
    ADD CONSTRAINT chat_message_documents_pkey PRIMARY KEY (id);


--
-- Name: chat_message_feedbacks chat_message_feedbacks_chat_message_id_user_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_message_feedbacks
    ADD CONSTRAINT chat_message_feedbacks_chat_message_id_user_id_key UNIQUE (chat_message_id, user_id);


--
-- Name: chat_message_feedbacks chat_message_feedbacks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_message_feedbacks
    ADD CONSTRAINT chat_message_feedbacks_pkey PRIMARY KEY (id);


--
-- Name: chat_messages chat_messages_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_messages
    ADD CONSTRAINT chat_messages_pkey PRIMARY KEY (id);


--
-- Name: chat_session_sources chat_session_sources_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_session_sources
    ADD CONSTRAINT chat_session_sources_pkey PRIMARY KEY (chat_session_id, document_id);


--
-- Name: chat_session_texts chat_session_texts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_session_texts
    ADD CONSTRAINT chat_session_texts_pkey PRIMARY KEY (chat_session_id);


--
-- Name: chat_sessions chat_sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_sessions
    ADD CONSTRAINT chat_sessions_pkey PRIMARY KEY (id);


--
-- Name: checkpoints checkpoints_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.checkpoints
    ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (id);


--
-- Name: chunk_feedback chunk_feedback_message_id_user_id_chunk_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chunk_feedback
    ADD CONSTRAINT chunk_feedback_message_id_user_id_chunk_id_key UNIQUE (message_id, user_id, chunk_id);


--
-- Name: chunk_feedback chunk_feedback_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chunk_feedback
    ADD CONSTRAINT chunk_feedback_pkey PRIMARY KEY (id);


--
-- Name: connector_sign_ins connector_sign_ins_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connector_sign_ins
    ADD CONSTRAINT connector_sign_ins_pkey PRIMARY KEY (id);


--
-- Name: connector_sign_ins connector_sign_ins_state_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connector_sign_ins
    ADD CONSTRAINT connector_sign_ins_state_hash_key UNIQUE (state_hash);


--
-- Name: connector_sync_failures connector_sync_failures_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connector_sync_failures
    ADD CONSTRAINT connector_sync_failures_pkey PRIMARY KEY (id);


--
-- Name: connector_sync_seen connector_sync_seen_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connector_sync_seen
    ADD CONSTRAINT connector_sync_seen_pkey PRIMARY KEY (sync_id, source_id);


--
-- Name: connector_syncs connector_syncs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connector_syncs
    ADD CONSTRAINT connector_syncs_pkey PRIMARY KEY (id);


--
-- Name: connectors connectors_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connectors
    ADD CONSTRAINT connectors_pkey PRIMARY KEY (id);


--
-- Name: crawl_addresses crawl_addresses_connector_id_url_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.crawl_addresses
    ADD CONSTRAINT crawl_addresses_connector_id_url_key UNIQUE (connector_id, url);


--
-- Name: crawl_addresses crawl_addresses_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.crawl_addresses
    ADD CONSTRAINT crawl_addresses_pkey PRIMARY KEY (id);


--
-- Name: credentials credentials_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credentials
    ADD CONSTRAINT credentials_pkey PRIMARY KEY (user_id);


--
-- Name: device_code_failures device_code_failures_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.device_code_failures
    ADD CONSTRAINT device_code_failures_pkey PRIMARY KEY (id);


--
-- Name: device_sign_ins device_sign_ins_device_code_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.device_sign_ins
    ADD CONSTRAINT device_sign_ins_device_code_hash_key UNIQUE (device_code_hash);


--
-- Name: device_sign_ins device_sign_ins_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.device_sign_ins
    ADD CONSTRAINT device_sign_ins_pkey PRIMARY KEY (id);


--
-- Name: device_sign_ins device_sign_ins_user_code_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.device_sign_ins
    ADD CONSTRAINT device_sign_ins_user_code_hash_key UNIQUE (user_code_hash);


--
-- Name: document_acl document_acl_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_acl
    ADD CONSTRAINT document_acl_pkey PRIMARY KEY (document_id, principal_id);


--
-- Name: documents documents_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (id);


--
-- Name: embedding_models embedding_models_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.embedding_models
    ADD CONSTRAINT embedding_models_pkey PRIMARY KEY (id);


--
-- Name: erasures erasures_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (id);


--
-- Name: evaluation_cases evaluation_cases_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.evaluation_cases
    ADD CONSTRAINT evaluation_cases_pkey PRIMARY KEY (id);


--
-- Name: evaluation_datasets evaluation_datasets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.evaluation_datasets
    ADD CONSTRAINT evaluation_datasets_pkey PRIMARY KEY (id);


--
-- Name: evaluation_datasets evaluation_datasets_user_id_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.evaluation_datasets
    ADD CONSTRAINT evaluation_datasets_user_id_name_key UNIQUE (user_id, name);


--
-- Name: evaluation_results evaluation_results_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.evaluation_results
    ADD CONSTRAINT evaluation_results_pkey PRIMARY KEY (id);


--
-- Name: evaluation_runs evaluation_runs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.evaluation_runs
    ADD CONSTRAINT evaluation_runs_pkey PRIMARY KEY (id);


--
-- Name: fact_changes fact_changes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.fact_changes
    ADD CONSTRAINT fact_changes_pkey PRIMARY KEY (kind, fact_id);


--
-- Name: group_admins group_admins_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.group_admins
    ADD CONSTRAINT group_admins_pkey PRIMARY KEY (group_id, user_id);


--
-- Name: group_members group_members_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_pkey PRIMARY KEY (group_id, user_id, source);


--
-- Name: groups groups_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_name_key UNIQUE (name);


--
-- Name: groups groups_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_pkey PRIMARY KEY (id);


--
-- Name: identity_providers identity_providers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.identity_providers
    ADD CONSTRAINT identity_providers_pkey PRIMARY KEY (id);


--
-- Name: index_documents index_documents_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.index_documents
    ADD CONSTRAINT index_documents_pkey PRIMARY KEY (document_id, index_id);


--
-- Name: installation_settings installation_settings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.installation_settings
    ADD CONSTRAINT installation_settings_pkey PRIMARY KEY (id);


--
-- Name: invitations invitations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (id);


--
-- Name: invitations invitations_token_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_token_hash_key UNIQUE (token_hash);


--
-- Name: knowledge_entities knowledge_entities_embedding_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_entities
    ADD CONSTRAINT knowledge_entities_embedding_id_key UNIQUE (embedding_id);


--
-- Name: knowledge_entities knowledge_entities_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_entities
    ADD CONSTRAINT knowledge_entities_pkey PRIMARY KEY (id);


--
-- Name: knowledge_feedback knowledge_feedback_knowledge_id_user_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_feedback
    ADD CONSTRAINT knowledge_feedback_knowledge_id_user_id_key UNIQUE (knowledge_id, user_id);


--
-- Name: knowledge_feedback knowledge_feedback_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_feedback
    ADD CONSTRAINT knowledge_feedback_pkey PRIMARY KEY (id);


--
-- Name: knowledge_revisions knowledge_revisions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_revisions
    ADD CONSTRAINT knowledge_revisions_pkey PRIMARY KEY (knowledge_id, revision);


--
-- Name: knowledge_sources knowledge_sources_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_sources
    ADD CONSTRAINT knowledge_sources_pkey PRIMARY KEY (knowledge_id, document_id);


--
-- Name: knowledge_uses knowledge_uses_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_uses
    ADD CONSTRAINT knowledge_uses_pkey PRIMARY KEY (knowledge_id, run_id);


--
-- Name: legal_holds legal_holds_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.legal_holds
    ADD CONSTRAINT legal_holds_pkey PRIMARY KEY (id);


--
-- Name: llms llms_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.llms
    ADD CONSTRAINT llms_pkey PRIMARY KEY (id);


--
-- Name: mcp_server_states mcp_server_states_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mcp_server_states
    ADD CONSTRAINT mcp_server_states_pkey PRIMARY KEY (assistant_id, server_name);


--
-- Name: memory_sources memory_sources_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memory_sources
    ADD CONSTRAINT memory_sources_pkey PRIMARY KEY (memory_id, document_id);


--
-- Name: notebook_groups notebook_groups_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_groups
    ADD CONSTRAINT notebook_groups_pkey PRIMARY KEY (notebook_id, group_id);


--
-- Name: notebook_members notebook_members_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_members
    ADD CONSTRAINT notebook_members_pkey PRIMARY KEY (notebook_id, user_id);


--
-- Name: notebook_note_sources notebook_note_sources_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_note_sources
    ADD CONSTRAINT notebook_note_sources_pkey PRIMARY KEY (note_id, document_id);


--
-- Name: notebook_notes notebook_notes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_notes
    ADD CONSTRAINT notebook_notes_pkey PRIMARY KEY (id);


--
-- Name: notebook_sources notebook_sources_notebook_id_connector_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_sources
    ADD CONSTRAINT notebook_sources_notebook_id_connector_id_key UNIQUE (notebook_id, connector_id);


--
-- Name: notebook_sources notebook_sources_notebook_id_document_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_sources
    ADD CONSTRAINT notebook_sources_notebook_id_document_id_key UNIQUE (notebook_id, document_id);


--
-- Name: notebook_sources notebook_sources_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_sources
    ADD CONSTRAINT notebook_sources_pkey PRIMARY KEY (id);


--
-- Name: notebook_summaries notebook_summaries_notebook_id_fingerprint_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_summaries
    ADD CONSTRAINT notebook_summaries_notebook_id_fingerprint_key UNIQUE (notebook_id, fingerprint);


--
-- Name: notebook_summaries notebook_summaries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_summaries
    ADD CONSTRAINT notebook_summaries_pkey PRIMARY KEY (id);


--
-- Name: notebooks notebooks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebooks
    ADD CONSTRAINT notebooks_pkey PRIMARY KEY (id);


--
-- Name: quota_charges quota_charges_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quota_charges
    ADD CONSTRAINT quota_charges_pkey PRIMARY KEY (run_id);


--
-- Name: quota_usage quota_usage_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quota_usage
    ADD CONSTRAINT quota_usage_pkey PRIMARY KEY (id);


--
-- Name: quotas quotas_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quotas
    ADD CONSTRAINT quotas_pkey PRIMARY KEY (id);


--
-- Name: rated_questions rated_questions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rated_questions
    ADD CONSTRAINT rated_questions_pkey PRIMARY KEY (message_id, number);


--
-- Name: request_counts request_counts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.request_counts
    ADD CONSTRAINT request_counts_pkey PRIMARY KEY (subject);


--
-- Name: rerankers rerankers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rerankers
    ADD CONSTRAINT rerankers_pkey PRIMARY KEY (id);


--
-- Name: retention_rules retention_rules_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.retention_rules
    ADD CONSTRAINT retention_rules_pkey PRIMARY KEY (data);


--
-- Name: run_events run_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run_events
    ADD CONSTRAINT run_events_pkey PRIMARY KEY (chat_session_id, id);


--
-- Name: runs runs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (id);


--
-- Name: scim_clients scim_clients_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scim_clients
    ADD CONSTRAINT scim_clients_name_key UNIQUE (name);


--
-- Name: scim_clients scim_clients_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scim_clients
    ADD CONSTRAINT scim_clients_pkey PRIMARY KEY (id);


--
-- Name: scim_groups scim_groups_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scim_groups
    ADD CONSTRAINT scim_groups_pkey PRIMARY KEY (id);


--
-- Name: scim_tokens scim_tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scim_tokens
    ADD CONSTRAINT scim_tokens_pkey PRIMARY KEY (id);


--
-- Name: scim_users scim_users_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scim_users
    ADD CONSTRAINT scim_users_pkey PRIMARY KEY (id);


--
-- Name: session_learnings session_learnings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_learnings
    ADD CONSTRAINT session_learnings_pkey PRIMARY KEY (chat_session_id, kind);


--
-- Name: session_share_recipients session_share_recipients_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_share_recipients
    ADD CONSTRAINT session_share_recipients_pkey PRIMARY KEY (id);


--
-- Name: session_share_recipients session_share_recipients_session_share_id_group_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_share_recipients
    ADD CONSTRAINT session_share_recipients_session_share_id_group_id_key UNIQUE (session_share_id, group_id);


--
-- Name: session_share_recipients session_share_recipients_session_share_id_user_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_share_recipients
    ADD CONSTRAINT session_share_recipients_session_share_id_user_id_key UNIQUE (session_share_id, user_id);


--
-- Name: session_shares session_shares_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_shares
    ADD CONSTRAINT session_shares_pkey PRIMARY KEY (id);


--
-- Name: session_shares session_shares_token_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_shares
    ADD CONSTRAINT session_shares_token_hash_key UNIQUE (token_hash);


--
-- Name: sign_in_attempts sign_in_attempts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sign_in_attempts
    ADD CONSTRAINT sign_in_attempts_pkey PRIMARY KEY (id);


--
-- Name: sign_in_attempts sign_in_attempts_state_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sign_in_attempts
    ADD CONSTRAINT sign_in_attempts_state_hash_key UNIQUE (state_hash);


--
-- Name: sign_in_tokens sign_in_tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sign_in_tokens
    ADD CONSTRAINT sign_in_tokens_pkey PRIMARY KEY (id);


--
-- Name: sign_in_tokens sign_in_tokens_token_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sign_in_tokens
    ADD CONSTRAINT sign_in_tokens_token_hash_key UNIQUE (token_hash);


--
-- Name: source_aliases source_aliases_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_aliases
    ADD CONSTRAINT source_aliases_pkey PRIMARY KEY (key);


--
-- Name: source_folders source_folders_connector_id_source_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_folders
    ADD CONSTRAINT source_folders_connector_id_source_id_key UNIQUE (connector_id, source_id);


--
-- Name: source_folders source_folders_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_folders
    ADD CONSTRAINT source_folders_pkey PRIMARY KEY (id);


--
-- Name: source_members source_members_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_members
    ADD CONSTRAINT source_members_pkey PRIMARY KEY (group_id, member_id);


--
-- Name: source_principals source_principals_key_connector_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_principals
    ADD CONSTRAINT source_principals_key_connector_id_key UNIQUE (key, connector_id);


--
-- Name: source_principals source_principals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_principals
    ADD CONSTRAINT source_principals_pkey PRIMARY KEY (id);


--
-- Name: steps steps_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.steps
    ADD CONSTRAINT steps_pkey PRIMARY KEY (id);


--
-- Name: steps steps_run_id_step_number_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.steps
    ADD CONSTRAINT steps_run_id_step_number_key UNIQUE (run_id, step_number);


--
-- Name: stream_leases stream_leases_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stream_leases
    ADD CONSTRAINT stream_leases_pkey PRIMARY KEY (subject, replica_id);


--
-- Name: todos todos_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.todos
    ADD CONSTRAINT todos_pkey PRIMARY KEY (id);


--
-- Name: tool_calls tool_calls_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tool_calls
    ADD CONSTRAINT tool_calls_pkey PRIMARY KEY (id);


--
-- Name: tool_calls tool_calls_step_id_tool_call_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tool_calls
    ADD CONSTRAINT tool_calls_step_id_tool_call_id_key UNIQUE (step_id, tool_call_id);


--
-- Name: usage_daily usage_daily_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.usage_daily
    ADD CONSTRAINT usage_daily_pkey PRIMARY KEY (id);


--
-- Name: used_logout_tokens used_logout_tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.used_logout_tokens
    ADD CONSTRAINT used_logout_tokens_pkey PRIMARY KEY (issuer, token_id);


--
-- Name: user_identities user_identities_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_identities
    ADD CONSTRAINT user_identities_pkey PRIMARY KEY (id);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);


--
-- Name: web_sessions web_sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.web_sessions
    ADD CONSTRAINT web_sessions_pkey PRIMARY KEY (id);


--
-- Name: web_sessions web_sessions_token_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.web_sessions
    ADD CONSTRAINT web_sessions_token_hash_key UNIQUE (token_hash);


--
-- Name: webhook_deliveries webhook_deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);


--
-- Name: webhooks webhooks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);


--
-- Name: workers workers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (id);


--
-- Name: idx_agent_memories_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_agent_memories_open ON public.agent_memories USING btree (user_id) WHERE (valid_to IS NULL);


--
-- Name: idx_agent_memories_source_session_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_agent_memories_source_session_id ON public.agent_memories USING btree (source_session_id) WHERE (source_session_id IS NOT NULL);


--
-- Name: idx_agent_memories_superseded_by; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_agent_memories_superseded_by ON public.agent_memories USING btree (superseded_by) WHERE (superseded_by IS NOT NULL);


--
-- Name: idx_agent_memories_type; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_agent_memories_type ON public.agent_memories USING btree (user_id, memory_type, id);


--
-- Name: idx_agent_memories_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_agent_memories_user_id ON public.agent_memories USING btree (user_id, id);


--
-- Name: idx_api_keys_name; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_api_keys_name ON public.api_keys USING btree (user_id, name) WHERE (NOT revoked);


--
-- Name: idx_api_keys_parent_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_api_keys_parent_id ON public.api_keys USING btree (parent_id) WHERE (parent_id IS NOT NULL);


--
-- Name: idx_api_keys_prefix; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_api_keys_prefix ON public.api_keys USING btree (prefix);


--
-- Name: idx_assistant_members_member_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_assistant_members_member_id ON public.assistant_members USING btree (member_id);


--
-- Name: idx_assistants_default; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_assistants_default ON public.assistants USING btree (is_default) WHERE (is_default AND (deleted_date IS NULL));


--
-- Name: idx_assistants_draft; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_assistants_draft ON public.assistants USING btree (created_by, COALESCE((draft_of_id)::integer, 0)) WHERE (is_draft AND (deleted_date IS NULL));


--
-- Name: idx_assistants_is_visible; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_assistants_is_visible ON public.assistants USING btree (is_visible, display_priority, id) WHERE (deleted_date IS NULL);


--
-- Name: idx_assistants_name; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_assistants_name ON public.assistants USING btree (name) WHERE ((deleted_date IS NULL) AND (NOT is_draft));


--
-- Name: idx_audit_log_actor_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_audit_log_actor_id ON public.audit_log USING btree (actor_id, id);


--
-- Name: idx_audit_log_creation_date; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_audit_log_creation_date ON public.audit_log USING btree (creation_date);


--
-- Name: idx_audit_seals_last_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_audit_seals_last_id ON public.audit_seals USING btree (last_id);


--
-- Name: idx_background_jobs_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_background_jobs_due ON public.background_jobs USING btree (run_after, id) WHERE ((status)::text = ANY ((ARRAY['pending'::character varying, 'running'::character varying])::text[]));


--
-- Name: idx_background_jobs_failed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_background_jobs_failed ON public.background_jobs USING btree (kind, last_update) WHERE ((status)::text = 'failed'::text);


--
-- Name: idx_chat_message_documents_document_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_chat_message_documents_document_id ON public.chat_message_documents USING btree (document_id) WHERE (document_id IS NOT NULL);


--
-- Name: idx_chat_message_documents_message_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_chat_message_documents_message_id ON public.chat_message_documents USING btree (chat_message_id, number);


--
-- Name: idx_chat_messages_origin_run_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_chat_messages_origin_run_id ON public.chat_messages USING btree (origin_run_id) WHERE (origin_run_id IS NOT NULL);


--
-- Name: idx_chat_messages_parent_message_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_chat_messages_parent_message_id ON public.chat_messages USING btree (parent_message_id) WHERE (parent_message_id IS NOT NULL);


--
-- Name: idx_chat_messages_run_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_chat_messages_run_id ON public.chat_messages USING btree (run_id) WHERE (run_id IS NOT NULL);


--
-- Name: idx_chat_messages_session_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_chat_messages_session_id ON public.chat_messages USING btree (chat_session_id, id);


--
-- Name: idx_chat_session_sources_document_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_chat_session_sources_document_id ON public.chat_session_sources USING btree (document_id);


--
-- Name: idx_chat_session_texts_text; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_chat_session_texts_text ON public.chat_session_texts USING gin (user_id, text public.gin_trgm_ops);


--
-- Name: idx_chat_sessions_external_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_chat_sessions_external_id ON public.chat_sessions USING btree (user_id, external_id) WHERE (external_id IS NOT NULL);


--
-- Name: idx_chat_sessions_forked_from_message_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_chat_sessions_forked_from_message_id ON public.chat_sessions USING btree (forked_from_message_id) WHERE (forked_from_message_id IS NOT NULL);


--
-- Name: idx_chat_sessions_last_message_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_chat_sessions_last_message_at ON public.chat_sessions USING btree (last_message_at) WHERE (deleted_date IS NULL);


--
-- Name: idx_chat_sessions_limited_by; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_chat_sessions_limited_by ON public.chat_sessions USING btree (limited_by) WHERE (limited_by IS NOT NULL);


--
-- Name: idx_chat_sessions_notebook_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_chat_sessions_notebook_id ON public.chat_sessions USING btree (notebook_id, COALESCE(last_message_at, creation_date) DESC, id DESC) WHERE (notebook_id IS NOT NULL);


--
-- Name: idx_chat_sessions_parent_session_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_chat_sessions_parent_session_id ON public.chat_sessions USING btree (parent_session_id) WHERE (parent_session_id IS NOT NULL);


--
-- Name: idx_chat_sessions_removed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_chat_sessions_removed ON public.chat_sessions USING btree (user_id, pinned DESC, COALESCE(last_message_at, creation_date) DESC, id DESC) WHERE (deleted_date IS NOT NULL);


--
-- Name: idx_chat_sessions_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_chat_sessions_user_id ON public.chat_sessions USING btree (user_id, archived, pinned DESC, COALESCE(last_message_at, creation_date) DESC, id DESC) WHERE ((deleted_date IS NULL) AND (NOT unlisted));


--
-- Name: idx_checkpoints_session_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_checkpoints_session_id ON public.checkpoints USING btree (chat_session_id, id);


--
-- Name: idx_chunk_feedback_creation_date; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_chunk_feedback_creation_date ON public.chunk_feedback USING btree (creation_date, id);


--
-- Name: idx_chunk_feedback_document_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_chunk_feedback_document_id ON public.chunk_feedback USING btree (document_id, user_id, id);


--
-- Name: idx_chunk_feedback_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_chunk_feedback_user_id ON public.chunk_feedback USING btree (user_id);


--
-- Name: idx_connector_sign_ins_connector_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_connector_sign_ins_connector_id ON public.connector_sign_ins USING btree (connector_id);


--
-- Name: idx_connector_sign_ins_expires_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_connector_sign_ins_expires_at ON public.connector_sign_ins USING btree (expires_at);


--
-- Name: idx_connector_sign_ins_web_session_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_connector_sign_ins_web_session_id ON public.connector_sign_ins USING btree (web_session_id);


--
-- Name: idx_connector_sync_failures_item; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_connector_sync_failures_item ON public.connector_sync_failures USING btree (sync_id, source_id, md5(name));


--
-- Name: idx_connector_sync_failures_unresolved; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_connector_sync_failures_unresolved ON public.connector_sync_failures USING btree (connector_id, source_id) WHERE ((resolved_at IS NULL) AND is_retryable);


--
-- Name: idx_connector_syncs_active; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_connector_syncs_active ON public.connector_syncs USING btree (connector_id) WHERE ((status)::text = ANY ((ARRAY['pending'::character varying, 'running'::character varying, 'waiting_for_confirmation'::character varying])::text[]));


--
-- Name: idx_connector_syncs_connector_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_connector_syncs_connector_id ON public.connector_syncs USING btree (connector_id, id);


--
-- Name: idx_connectors_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_connectors_due ON public.connectors USING btree (next_sync_at) WHERE ((next_sync_at IS NOT NULL) AND (paused_at IS NULL) AND ((status)::text <> 'disabled'::text) AND (deleted_date IS NULL));


--
-- Name: idx_connectors_name; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_connectors_name ON public.connectors USING btree (user_id, name) WHERE (deleted_date IS NULL);


--
-- Name: idx_connectors_status; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_connectors_status ON public.connectors USING btree (status);


--
-- Name: idx_connectors_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_connectors_user_id ON public.connectors USING btree (user_id, id);


--
-- Name: idx_crawl_addresses_position; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_crawl_addresses_position ON public.crawl_addresses USING btree (connector_id, id);


--
-- Name: idx_device_code_failures_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_device_code_failures_user_id ON public.device_code_failures USING btree (user_id);


--
-- Name: idx_device_sign_ins_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_device_sign_ins_user_id ON public.device_sign_ins USING btree (user_id);


--
-- Name: idx_document_acl_principal_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_document_acl_principal_id ON public.document_acl USING btree (principal_id);


--
-- Name: idx_documents_connector_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_documents_connector_id ON public.documents USING btree (connector_id, id);


--
-- Name: idx_documents_container_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_documents_container_id ON public.documents USING btree (container_id) WHERE (container_id IS NOT NULL);


--
-- Name: idx_documents_counts; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_documents_counts ON public.documents USING btree (connector_id, status, content_type) WHERE (deleted_date IS NULL);


--
-- Name: idx_documents_folder; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_documents_folder ON public.documents USING btree (connector_id, folder_source_id) WHERE (folder_source_id IS NOT NULL);


--
-- Name: idx_documents_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_documents_name ON public.documents USING gin (lower(((title || ' '::text) || source_id)) public.gin_trgm_ops) WHERE (deleted_date IS NULL);


--
-- Name: idx_documents_parent_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_documents_parent_id ON public.documents USING btree (parent_id) WHERE (parent_id IS NOT NULL);


--
-- Name: idx_documents_readers_changed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_documents_readers_changed ON public.documents USING btree (connector_id, id) WHERE (readers_changed_at IS NOT NULL);


--
-- Name: idx_documents_removed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_documents_removed ON public.documents USING btree (id) WHERE (deleted_date IS NOT NULL);


--
-- Name: idx_documents_size; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_documents_size ON public.documents USING btree (COALESCE(size_bytes, (0)::bigint), id) WHERE (deleted_date IS NULL);


--
-- Name: idx_documents_source_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_documents_source_id ON public.documents USING btree (connector_id, source_id);


--
-- Name: idx_documents_status; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_documents_status ON public.documents USING btree (connector_id, status, id);


--
-- Name: idx_documents_title; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_documents_title ON public.documents USING btree (lower(title), id) WHERE (deleted_date IS NULL);


--
-- Name: idx_documents_unfinished; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_documents_unfinished ON public.documents USING btree (id) WHERE ((status)::text = ANY ((ARRAY['pending'::character varying, 'processing'::character varying])::text[]));


--
-- Name: idx_embedding_models_active; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_embedding_models_active ON public.embedding_models USING btree (is_active) WHERE (is_active AND (deleted_date IS NULL));


--
-- Name: idx_erasures_unfinished; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_erasures_unfinished ON public.erasures USING btree (id) WHERE (completed_at IS NULL);


--
-- Name: idx_evaluation_cases_dataset_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_evaluation_cases_dataset_id ON public.evaluation_cases USING btree (dataset_id, id);


--
-- Name: idx_evaluation_cases_message_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_evaluation_cases_message_id ON public.evaluation_cases USING btree (message_id, dataset_id) WHERE (message_id IS NOT NULL);


--
-- Name: idx_evaluation_results_case_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_evaluation_results_case_id ON public.evaluation_results USING btree (case_id) WHERE (case_id IS NOT NULL);


--
-- Name: idx_evaluation_results_evaluation_run_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_evaluation_results_evaluation_run_id ON public.evaluation_results USING btree (evaluation_run_id, id);


--
-- Name: idx_evaluation_results_run_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_evaluation_results_run_id ON public.evaluation_results USING btree (run_id) WHERE (run_id IS NOT NULL);


--
-- Name: idx_evaluation_runs_dataset_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_evaluation_runs_dataset_id ON public.evaluation_runs USING btree (dataset_id, user_id, id);


--
-- Name: idx_evaluation_runs_running; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_evaluation_runs_running ON public.evaluation_runs USING btree (id) WHERE ((status)::text = 'running'::text);


--
-- Name: idx_evaluation_runs_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_evaluation_runs_user_id ON public.evaluation_runs USING btree (user_id, id);


--
-- Name: idx_fact_changes_changed_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_fact_changes_changed_at ON public.fact_changes USING btree (changed_at);


--
-- Name: idx_feedback_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_feedback_user ON public.knowledge_feedback USING btree (user_id);


--
-- Name: idx_group_admins_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_group_admins_user_id ON public.group_admins USING btree (user_id);


--
-- Name: idx_group_members_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_group_members_user_id ON public.group_members USING btree (user_id);


--
-- Name: idx_identity_providers_issuer; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_identity_providers_issuer ON public.identity_providers USING btree (issuer);


--
-- Name: idx_identity_providers_name; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_identity_providers_name ON public.identity_providers USING btree (name);


--
-- Name: idx_index_documents_index_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_index_documents_index_id ON public.index_documents USING btree (index_id, creation_date);


--
-- Name: idx_invitations_accepted_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_invitations_accepted_user_id ON public.invitations USING btree (accepted_user_id) WHERE (accepted_user_id IS NOT NULL);


--
-- Name: idx_invitations_invited_by; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_invitations_invited_by ON public.invitations USING btree (invited_by);


--
-- Name: idx_knowledge_feedback_chat_session_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_knowledge_feedback_chat_session_id ON public.knowledge_feedback USING btree (chat_session_id) WHERE (chat_session_id IS NOT NULL);


--
-- Name: idx_knowledge_level; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_knowledge_level ON public.knowledge_entities USING btree (level, id);


--
-- Name: idx_knowledge_proposed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_knowledge_proposed ON public.knowledge_entities USING btree (usage_count, id) WHERE ((review_status)::text = 'proposed'::text);


--
-- Name: idx_knowledge_revisions_chat_session_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_knowledge_revisions_chat_session_id ON public.knowledge_revisions USING btree (chat_session_id) WHERE (chat_session_id IS NOT NULL);


--
-- Name: idx_knowledge_revisions_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_knowledge_revisions_user_id ON public.knowledge_revisions USING btree (user_id) WHERE (user_id IS NOT NULL);


--
-- Name: idx_knowledge_run; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_knowledge_run ON public.knowledge_entities USING btree (source_run_id) WHERE (source_run_id IS NOT NULL);


--
-- Name: idx_knowledge_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_knowledge_session ON public.knowledge_entities USING btree (source_session_id) WHERE (source_session_id IS NOT NULL);


--
-- Name: idx_knowledge_sources_document_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_knowledge_sources_document_id ON public.knowledge_sources USING btree (document_id);


--
-- Name: idx_knowledge_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_knowledge_user ON public.knowledge_entities USING btree (user_id, id) WHERE (user_id IS NOT NULL);


--
-- Name: idx_knowledge_uses_chat_session_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_knowledge_uses_chat_session_id ON public.knowledge_uses USING btree (chat_session_id);


--
-- Name: idx_knowledge_uses_run_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_knowledge_uses_run_id ON public.knowledge_uses USING btree (run_id);


--
-- Name: idx_legal_holds_active; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_legal_holds_active ON public.legal_holds USING btree (id) WHERE (released_at IS NULL);


--
-- Name: idx_legal_holds_chat_session_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_legal_holds_chat_session_id ON public.legal_holds USING btree (chat_session_id) WHERE (chat_session_id IS NOT NULL);


--
-- Name: idx_legal_holds_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_legal_holds_user_id ON public.legal_holds USING btree (user_id) WHERE (user_id IS NOT NULL);


--
-- Name: idx_llms_default; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_llms_default ON public.llms USING btree (is_default) WHERE (is_default AND (deleted_date IS NULL));


--
-- Name: idx_llms_name; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_llms_name ON public.llms USING btree (name) WHERE (deleted_date IS NULL);


--
-- Name: idx_memory_sources_document_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_memory_sources_document_id ON public.memory_sources USING btree (document_id);


--
-- Name: idx_notebook_groups_group_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notebook_groups_group_id ON public.notebook_groups USING btree (group_id);


--
-- Name: idx_notebook_members_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notebook_members_user_id ON public.notebook_members USING btree (user_id, notebook_id);


--
-- Name: idx_notebook_note_sources_document_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notebook_note_sources_document_id ON public.notebook_note_sources USING btree (document_id);


--
-- Name: idx_notebook_notes_message_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notebook_notes_message_id ON public.notebook_notes USING btree (message_id) WHERE (message_id IS NOT NULL);


--
-- Name: idx_notebook_notes_notebook_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notebook_notes_notebook_id ON public.notebook_notes USING btree (notebook_id, id);


--
-- Name: idx_notebook_notes_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notebook_notes_user_id ON public.notebook_notes USING btree (user_id);


--
-- Name: idx_notebook_sources_connector_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notebook_sources_connector_id ON public.notebook_sources USING btree (connector_id) WHERE (connector_id IS NOT NULL);


--
-- Name: idx_notebook_sources_document_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notebook_sources_document_id ON public.notebook_sources USING btree (document_id) WHERE (document_id IS NOT NULL);


--
-- Name: idx_notebook_sources_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notebook_sources_user_id ON public.notebook_sources USING btree (user_id) WHERE (user_id IS NOT NULL);


--
-- Name: idx_notebooks_deleted_date; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notebooks_deleted_date ON public.notebooks USING btree (deleted_date) WHERE (deleted_date IS NOT NULL);


--
-- Name: idx_notebooks_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notebooks_user_id ON public.notebooks USING btree (user_id);


--
-- Name: idx_quota_usage_api_key_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_quota_usage_api_key_id ON public.quota_usage USING btree (api_key_id) WHERE (api_key_id IS NOT NULL);


--
-- Name: idx_quota_usage_begins_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_quota_usage_begins_at ON public.quota_usage USING btree (begins_at);


--
-- Name: idx_quota_usage_group_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_quota_usage_group_id ON public.quota_usage USING btree (group_id) WHERE (group_id IS NOT NULL);


--
-- Name: idx_quota_usage_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_quota_usage_subject ON public.quota_usage USING btree (user_id, group_id, api_key_id, period, begins_at) NULLS NOT DISTINCT;


--
-- Name: idx_quotas_api_key_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_quotas_api_key_id ON public.quotas USING btree (api_key_id) WHERE (api_key_id IS NOT NULL);


--
-- Name: idx_quotas_group_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_quotas_group_id ON public.quotas USING btree (group_id) WHERE (group_id IS NOT NULL);


--
-- Name: idx_quotas_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_quotas_subject ON public.quotas USING btree (scope, group_id, user_id, api_key_id, period) NULLS NOT DISTINCT;


--
-- Name: idx_quotas_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_quotas_user_id ON public.quotas USING btree (user_id) WHERE (user_id IS NOT NULL);


--
-- Name: idx_rerankers_active; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_rerankers_active ON public.rerankers USING btree (is_active) WHERE (is_active AND (deleted_date IS NULL));


--
-- Name: idx_rerankers_name; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_rerankers_name ON public.rerankers USING btree (name) WHERE (deleted_date IS NULL);


--
-- Name: idx_run_events_run_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_run_events_run_id ON public.run_events USING btree (run_id) WHERE (run_id IS NOT NULL);


--
-- Name: idx_runs_active; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_runs_active ON public.runs USING btree (status, user_id, priority, id) WHERE ((status)::text = ANY ((ARRAY['queued'::character varying, 'running'::character varying, 'waiting_for_input'::character varying, 'waiting_for_children'::character varying, 'paused'::character varying])::text[]));


--
-- Name: idx_runs_active_root; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_runs_active_root ON public.runs USING btree (chat_session_id) WHERE ((parent_run_id IS NULL) AND ((status)::text = ANY ((ARRAY['queued'::character varying, 'running'::character varying, 'waiting_for_input'::character varying, 'waiting_for_children'::character varying, 'paused'::character varying])::text[])));


--
-- Name: idx_runs_chat_session_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_runs_chat_session_id ON public.runs USING btree (chat_session_id, id);


--
-- Name: idx_runs_creation_date; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_runs_creation_date ON public.runs USING brin (creation_date) WITH (pages_per_range='16', autosummarize='on');


--
-- Name: idx_runs_external_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_runs_external_id ON public.runs USING btree (chat_session_id, external_id) WHERE (external_id IS NOT NULL);


--
-- Name: idx_runs_failed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_runs_failed ON public.runs USING btree (id) WHERE ((status)::text = ANY ((ARRAY['failed'::character varying, 'timeout'::character varying])::text[]));


--
-- Name: idx_runs_parent_run_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_runs_parent_run_id ON public.runs USING btree (parent_run_id) WHERE (parent_run_id IS NOT NULL);


--
-- Name: idx_runs_parent_step_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_runs_parent_step_id ON public.runs USING btree (parent_step_id) WHERE (parent_step_id IS NOT NULL);


--
-- Name: idx_runs_request_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_runs_request_id ON public.runs USING btree (user_id, request_id) WHERE (request_id IS NOT NULL);


--
-- Name: idx_runs_slot; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_runs_slot ON public.runs USING btree (user_id, slot) WHERE (((status)::text = ANY ((ARRAY['running'::character varying, 'waiting_for_children'::character varying])::text[])) AND (slot IS NOT NULL));


--
-- Name: idx_runs_untrusted; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_runs_untrusted ON public.runs USING btree (chat_session_id) WHERE untrusted;


--
-- Name: idx_runs_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_runs_user_id ON public.runs USING btree (user_id, id);


--
-- Name: idx_scim_groups_display_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_scim_groups_display_name ON public.scim_groups USING btree (client_id, lower((display_name)::text));


--
-- Name: idx_scim_groups_external_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_scim_groups_external_id ON public.scim_groups USING btree (client_id, external_id);


--
-- Name: idx_scim_groups_group_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_scim_groups_group_id ON public.scim_groups USING btree (group_id);


--
-- Name: idx_scim_tokens_client_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_scim_tokens_client_id ON public.scim_tokens USING btree (client_id);


--
-- Name: idx_scim_tokens_prefix; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_scim_tokens_prefix ON public.scim_tokens USING btree (prefix);


--
-- Name: idx_scim_users_external_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_scim_users_external_id ON public.scim_users USING btree (client_id, external_id);


--
-- Name: idx_scim_users_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_scim_users_user_id ON public.scim_users USING btree (user_id);


--
-- Name: idx_scim_users_user_name; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_scim_users_user_name ON public.scim_users USING btree (client_id, lower((user_name)::text)) WHERE (deleted_date IS NULL);


--
-- Name: idx_session_share_recipients_group_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_session_share_recipients_group_id ON public.session_share_recipients USING btree (group_id, session_share_id) WHERE (group_id IS NOT NULL);


--
-- Name: idx_session_share_recipients_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_session_share_recipients_user_id ON public.session_share_recipients USING btree (user_id, session_share_id) WHERE (user_id IS NOT NULL);


--
-- Name: idx_session_shares_chat_session_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_session_shares_chat_session_id ON public.session_shares USING btree (chat_session_id);


--
-- Name: idx_session_shares_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_session_shares_user_id ON public.session_shares USING btree (user_id, id) WHERE (revoked_at IS NULL);


--
-- Name: idx_sign_in_attempts_expires_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_sign_in_attempts_expires_at ON public.sign_in_attempts USING btree (expires_at);


--
-- Name: idx_sign_in_attempts_web_session_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_sign_in_attempts_web_session_id ON public.sign_in_attempts USING btree (web_session_id) WHERE (web_session_id IS NOT NULL);


--
-- Name: idx_sign_in_tokens_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_sign_in_tokens_user_id ON public.sign_in_tokens USING btree (user_id);


--
-- Name: idx_source_aliases_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_source_aliases_user_id ON public.source_aliases USING btree (user_id);


--
-- Name: idx_source_folders_parent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_source_folders_parent ON public.source_folders USING btree (connector_id, parent_source_id);


--
-- Name: idx_source_members_member_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_source_members_member_id ON public.source_members USING btree (member_id, group_id);


--
-- Name: idx_source_principals_connector_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_source_principals_connector_id ON public.source_principals USING btree (connector_id, id);


--
-- Name: idx_source_principals_email; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_source_principals_email ON public.source_principals USING btree (lower(email), connector_id) WHERE (email <> ''::text);


--
-- Name: idx_stream_leases_replica_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_stream_leases_replica_id ON public.stream_leases USING btree (replica_id);


--
-- Name: idx_todos_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_todos_order ON public.todos USING btree (chat_session_id, order_index, id);


--
-- Name: idx_todos_run_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_todos_run_id ON public.todos USING btree (run_id, order_index) WHERE (run_id IS NOT NULL);


--
-- Name: idx_tool_calls_external_task; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_tool_calls_external_task ON public.tool_calls USING btree (external_task_id) WHERE (external_task_id IS NOT NULL);


--
-- Name: idx_tool_calls_request_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_tool_calls_request_id ON public.tool_calls USING btree (user_id_last_update, request_id) WHERE (request_id IS NOT NULL);


--
-- Name: idx_tool_calls_status_count; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_tool_calls_status_count ON public.tool_calls USING btree (step_id, status);


--
-- Name: idx_usage_daily_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_usage_daily_subject ON public.usage_daily USING btree (day, user_id, kind, llm_id, assistant_id) NULLS NOT DISTINCT;


--
-- Name: idx_used_logout_tokens_expires_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_used_logout_tokens_expires_at ON public.used_logout_tokens USING btree (expires_at);


--
-- Name: idx_user_identities_scim_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_user_identities_scim_id ON public.user_identities USING btree (issuer, scim_id);


--
-- Name: idx_user_identities_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_user_identities_subject ON public.user_identities USING btree (issuer, subject);


--
-- Name: idx_user_identities_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_user_identities_user_id ON public.user_identities USING btree (user_id);


--
-- Name: idx_users_created_by; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_users_created_by ON public.users USING btree (created_by) WHERE (created_by IS NOT NULL);


--
-- Name: idx_users_email; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_users_email ON public.users USING btree (lower((email)::text));


--
-- Name: idx_users_external_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_users_external_id ON public.users USING btree (external_id);


--
-- Name: idx_users_owner_group_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_users_owner_group_id ON public.users USING btree (owner_group_id) WHERE (owner_group_id IS NOT NULL);


--
-- Name: idx_users_user_name; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_users_user_name ON public.users USING btree (lower((user_name)::text));


--
-- Name: idx_web_sessions_expires_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_web_sessions_expires_at ON public.web_sessions USING btree (expires_at);


--
-- Name: idx_web_sessions_identity_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_web_sessions_identity_id ON public.web_sessions USING btree (identity_id) WHERE (identity_id IS NOT NULL);


--
-- Name: idx_web_sessions_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_web_sessions_user_id ON public.web_sessions USING btree (user_id);


--
-- Name: idx_webhook_deliveries_creation_date; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_webhook_deliveries_creation_date ON public.webhook_deliveries USING btree (creation_date);


--
-- Name: idx_webhook_deliveries_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_webhook_deliveries_due ON public.webhook_deliveries USING btree (webhook_id, next_attempt_at, id) WHERE ((status)::text = 'pending'::text);


--
-- Name: idx_webhook_deliveries_webhook_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_webhook_deliveries_webhook_id ON public.webhook_deliveries USING btree (webhook_id, id);


--
-- Name: idx_webhooks_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_webhooks_user_id ON public.webhooks USING btree (user_id);


--
-- Name: idx_workers_heartbeat_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_workers_heartbeat_at ON public.workers USING btree (heartbeat_at);


--
-- Name: documents_name; Type: STATISTICS; Schema: public; Owner: -
--

CREATE STATISTICS public.documents_name ON lower((title || ' '::text) || source_id) FROM public.documents;


--
-- Name: users cancel_erasures; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER cancel_erasures AFTER UPDATE OF is_active ON public.users FOR EACH ROW WHEN ((new.is_active AND (NOT old.is_active))) EXECUTE FUNCTION public.cancel_erasures();


--
-- Name: chunk_feedback delete_unrated_questions; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER delete_unrated_questions AFTER DELETE ON public.chunk_feedback REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.delete_unrated_questions();


--
-- Name: documents forget_citations; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER forget_citations BEFORE DELETE ON public.documents FOR EACH ROW WHEN ((old.source_readers IS NOT NULL)) EXECUTE FUNCTION public.forget_citations();


--
-- Name: connectors forget_readers; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER forget_readers BEFORE UPDATE OF permission_mode ON public.connectors FOR EACH ROW WHEN (((old.permission_mode)::text <> (new.permission_mode)::text)) EXECUTE FUNCTION public.forget_readers();


--
-- Name: audit_log guard_audit_log; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER guard_audit_log BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION public.guard_audit();


--
-- Name: audit_seals guard_audit_seals; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER guard_audit_seals BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_seals FOR EACH STATEMENT EXECUTE FUNCTION public.guard_audit();


--
-- Name: documents keep_connectors_of_chat_session_sources; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER keep_connectors_of_chat_session_sources AFTER DELETE ON public.documents REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.keep_connectors_of_removed('chat_session_sources');


--
-- Name: documents keep_connectors_of_knowledge_sources; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER keep_connectors_of_knowledge_sources AFTER DELETE ON public.documents REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.keep_connectors_of_removed('knowledge_sources');


--
-- Name: documents keep_connectors_of_memory_sources; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER keep_connectors_of_memory_sources AFTER DELETE ON public.documents REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.keep_connectors_of_removed('memory_sources');


--
-- Name: documents keep_connectors_of_notebook_note_sources; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER keep_connectors_of_notebook_note_sources AFTER DELETE ON public.documents REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.keep_connectors_of_removed('notebook_note_sources');


--
-- Name: runs keep_usage_of_runs; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER keep_usage_of_runs AFTER DELETE ON public.runs REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.keep_usage_of_runs();


--
-- Name: users keep_usage_of_user; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER keep_usage_of_user BEFORE DELETE ON public.users FOR EACH ROW EXECUTE FUNCTION public.keep_usage_of_user();


--
-- Name: agent_memories note_agent_memories_change; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER note_agent_memories_change AFTER INSERT OR DELETE OR UPDATE OF content, valid_to ON public.agent_memories FOR EACH ROW EXECUTE FUNCTION public.note_fact_change('memory');


--
-- Name: audit_log note_audit_event; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER note_audit_event AFTER INSERT ON public.audit_log FOR EACH ROW EXECUTE FUNCTION public.note_webhook_event();


--
-- Name: documents note_document_deletion; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER note_document_deletion AFTER DELETE ON public.documents FOR EACH ROW WHEN ((old.deleted_date IS NULL)) EXECUTE FUNCTION public.note_webhook_event();


--
-- Name: documents note_document_event; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER note_document_event AFTER UPDATE OF status, deleted_date ON public.documents FOR EACH ROW WHEN (((old.deleted_date IS NULL) AND ((new.deleted_date IS NOT NULL) OR (((new.status)::text IS DISTINCT FROM (old.status)::text) AND ((new.status)::text = ANY ((ARRAY['completed'::character varying, 'failed'::character varying])::text[])))))) EXECUTE FUNCTION public.note_webhook_event();


--
-- Name: knowledge_entities note_knowledge_entities_change; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER note_knowledge_entities_change AFTER INSERT OR DELETE OR UPDATE OF title, content, level, user_id ON public.knowledge_entities FOR EACH ROW EXECUTE FUNCTION public.note_fact_change('knowledge');


--
-- Name: run_events note_pruned_events; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER note_pruned_events AFTER DELETE ON public.run_events REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.note_pruned_events();


--
-- Name: quotas note_quotas; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER note_quotas AFTER INSERT OR DELETE ON public.quotas FOR EACH STATEMENT EXECUTE FUNCTION public.note_quotas();


--
-- Name: runs note_run_event; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER note_run_event AFTER UPDATE OF status ON public.runs FOR EACH ROW WHEN (((new.parent_run_id IS NULL) AND ((new.status)::text IS DISTINCT FROM (old.status)::text) AND ((new.status)::text = ANY ((ARRAY['completed'::character varying, 'failed'::character varying, 'timeout'::character varying, 'cancelled'::character varying, 'waiting_for_input'::character varying])::text[])))) EXECUTE FUNCTION public.note_webhook_event();


--
-- Name: connector_syncs note_sync_event; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER note_sync_event AFTER UPDATE OF status ON public.connector_syncs FOR EACH ROW WHEN ((((new.status)::text IS DISTINCT FROM (old.status)::text) AND ((new.status)::text = ANY ((ARRAY['completed'::character varying, 'failed'::character varying, 'needs_attention'::character varying])::text[])))) EXECUTE FUNCTION public.note_webhook_event();


--
-- Name: agent_memories refuse_held; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_held BEFORE DELETE ON public.agent_memories FOR EACH ROW WHEN (public.is_held(old.user_id, (old.source_session_id)::bigint)) EXECUTE FUNCTION public.refuse_held();


--
-- Name: chat_sessions refuse_held; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_held BEFORE DELETE ON public.chat_sessions FOR EACH ROW WHEN (public.is_held(old.user_id, (old.id)::bigint)) EXECUTE FUNCTION public.refuse_held();


--
-- Name: connectors refuse_held; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_held BEFORE DELETE ON public.connectors FOR EACH ROW WHEN (public.is_connector_held(old.id)) EXECUTE FUNCTION public.refuse_held();


--
-- Name: documents refuse_held; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_held BEFORE DELETE ON public.documents FOR EACH ROW WHEN (public.is_connector_held(old.connector_id)) EXECUTE FUNCTION public.refuse_held();


--
-- Name: knowledge_entities refuse_held; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_held BEFORE DELETE ON public.knowledge_entities FOR EACH ROW WHEN ((((old.level)::text = 'individual'::text) AND public.is_held(old.user_id, (old.source_session_id)::bigint))) EXECUTE FUNCTION public.refuse_held();


--
-- Name: notebook_notes refuse_held; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_held BEFORE DELETE ON public.notebook_notes FOR EACH ROW WHEN (public.is_held(old.user_id, NULL::bigint)) EXECUTE FUNCTION public.refuse_held();


--
-- Name: notebooks refuse_held; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_held BEFORE DELETE ON public.notebooks FOR EACH ROW WHEN (public.is_held(old.user_id, NULL::bigint)) EXECUTE FUNCTION public.refuse_held();


--
-- Name: users refuse_held; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_held BEFORE DELETE ON public.users FOR EACH ROW WHEN (public.is_held(old.id, NULL::bigint)) EXECUTE FUNCTION public.refuse_held();


--
-- Name: connectors refuse_move_of_held; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_move_of_held BEFORE UPDATE OF scope, user_id ON public.connectors FOR EACH ROW WHEN ((((old.scope)::text = 'user'::text) AND (NOT old.is_owner_erased) AND public.is_held(old.user_id, NULL::bigint) AND (NOT (((new.scope)::text = 'user'::text) AND public.is_held(new.user_id, NULL::bigint))))) EXECUTE FUNCTION public.refuse_held();


--
-- Name: documents refuse_move_of_held; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_move_of_held BEFORE UPDATE OF connector_id ON public.documents FOR EACH ROW WHEN (((old.connector_id <> new.connector_id) AND public.is_connector_held(old.connector_id) AND (NOT public.is_connector_held(new.connector_id)))) EXECUTE FUNCTION public.refuse_held();


--
-- Name: knowledge_entities refuse_move_of_held; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_move_of_held BEFORE UPDATE OF level ON public.knowledge_entities FOR EACH ROW WHEN ((((old.level)::text = 'individual'::text) AND ((new.level)::text <> 'individual'::text) AND public.is_held(old.user_id, (old.source_session_id)::bigint))) EXECUTE FUNCTION public.refuse_held();


--
-- Name: credentials refuse_service_account; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_service_account BEFORE INSERT OR UPDATE OF user_id ON public.credentials FOR EACH ROW EXECUTE FUNCTION public.refuse_service_account();


--
-- Name: device_sign_ins refuse_service_account; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_service_account BEFORE INSERT OR UPDATE OF user_id ON public.device_sign_ins FOR EACH ROW EXECUTE FUNCTION public.refuse_service_account();


--
-- Name: group_admins refuse_service_account; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_service_account BEFORE INSERT OR UPDATE OF user_id ON public.group_admins FOR EACH ROW EXECUTE FUNCTION public.refuse_service_account();


--
-- Name: scim_users refuse_service_account; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_service_account BEFORE INSERT OR UPDATE OF user_id ON public.scim_users FOR EACH ROW EXECUTE FUNCTION public.refuse_service_account();


--
-- Name: sign_in_tokens refuse_service_account; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_service_account BEFORE INSERT OR UPDATE OF user_id ON public.sign_in_tokens FOR EACH ROW EXECUTE FUNCTION public.refuse_service_account();


--
-- Name: user_identities refuse_service_account; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_service_account BEFORE INSERT OR UPDATE OF user_id ON public.user_identities FOR EACH ROW EXECUTE FUNCTION public.refuse_service_account();


--
-- Name: web_sessions refuse_service_account; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_service_account BEFORE INSERT OR UPDATE OF user_id ON public.web_sessions FOR EACH ROW EXECUTE FUNCTION public.refuse_service_account();


--
-- Name: quota_charges release_quota; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER release_quota AFTER DELETE ON public.quota_charges FOR EACH ROW EXECUTE FUNCTION public.release_quota();


--
-- Name: group_members remove_group_admins; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER remove_group_admins AFTER DELETE ON public.group_members REFERENCING OLD TABLE AS removed_members FOR EACH STATEMENT EXECUTE FUNCTION public.remove_group_admins();


--
-- Name: users revoke_credentials; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER revoke_credentials AFTER UPDATE OF is_active ON public.users FOR EACH ROW WHEN ((old.is_active AND (NOT new.is_active))) EXECUTE FUNCTION public.revoke_credentials();


--
-- Name: notebooks set_notebook_authors; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER set_notebook_authors BEFORE INSERT OR UPDATE OF title, instructions ON public.notebooks FOR EACH ROW EXECUTE FUNCTION public.set_notebook_authors();


--
-- Name: users unverify_email; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER unverify_email BEFORE UPDATE OF email ON public.users FOR EACH ROW WHEN ((lower((old.email)::text) IS DISTINCT FROM lower((new.email)::text))) EXECUTE FUNCTION public.unverify_email();


--
-- Name: agent_memories update_agent_memories_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_agent_memories_last_update BEFORE UPDATE OF memory_type, content, importance_score, confidence, trust, source_message_ids, expires_at, valid_to, superseded_by, user_id_last_update ON public.agent_memories FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: api_keys update_api_keys_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_api_keys_last_update BEFORE UPDATE ON public.api_keys FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: assistants update_assistants_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_assistants_last_update BEFORE UPDATE ON public.assistants FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: background_jobs update_background_jobs_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_background_jobs_last_update BEFORE UPDATE ON public.background_jobs FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: chat_message_documents update_chat_message_documents_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_chat_message_documents_last_update BEFORE UPDATE ON public.chat_message_documents FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: chat_message_feedbacks update_chat_message_feedbacks_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_chat_message_feedbacks_last_update BEFORE UPDATE ON public.chat_message_feedbacks FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: chat_messages update_chat_messages_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_chat_messages_last_update BEFORE UPDATE ON public.chat_messages FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: chat_messages update_chat_session_message_count_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_chat_session_message_count_delete AFTER DELETE ON public.chat_messages REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION public.update_chat_session_message_count();


--
-- Name: chat_messages update_chat_session_message_count_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_chat_session_message_count_insert AFTER INSERT ON public.chat_messages REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION public.update_chat_session_message_count();


--
-- Name: chat_sessions update_chat_sessions_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_chat_sessions_last_update BEFORE UPDATE ON public.chat_sessions FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: chunk_feedback update_chunk_feedback_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_chunk_feedback_last_update BEFORE UPDATE ON public.chunk_feedback FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: connector_syncs update_connector_syncs_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_connector_syncs_last_update BEFORE UPDATE ON public.connector_syncs FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: connectors update_connectors_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_connectors_last_update BEFORE UPDATE ON public.connectors FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: credentials update_credentials_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_credentials_last_update BEFORE UPDATE ON public.credentials FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: documents update_documents_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_documents_last_update BEFORE UPDATE ON public.documents FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: embedding_models update_embedding_models_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_embedding_models_last_update BEFORE UPDATE ON public.embedding_models FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: evaluation_cases update_evaluation_cases_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_evaluation_cases_last_update BEFORE UPDATE ON public.evaluation_cases FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: evaluation_datasets update_evaluation_datasets_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_evaluation_datasets_last_update BEFORE UPDATE ON public.evaluation_datasets FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: users update_group_members; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_group_members AFTER INSERT ON public.users FOR EACH ROW EXECUTE FUNCTION public.update_group_members();


--
-- Name: groups update_groups_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_groups_last_update BEFORE UPDATE ON public.groups FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: identity_providers update_identity_providers_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_identity_providers_last_update BEFORE UPDATE ON public.identity_providers FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: installation_settings update_installation_settings_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_installation_settings_last_update BEFORE UPDATE ON public.installation_settings FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: invitations update_invitations_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_invitations_last_update BEFORE UPDATE ON public.invitations FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: knowledge_entities update_knowledge_entities_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_knowledge_entities_last_update BEFORE UPDATE ON public.knowledge_entities FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: knowledge_feedback update_knowledge_feedback_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_knowledge_feedback_last_update BEFORE UPDATE ON public.knowledge_feedback FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: llms update_llms_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_llms_last_update BEFORE UPDATE ON public.llms FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: documents update_members; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_members AFTER UPDATE OF connector_id, folder_source_id, source_readers, original_url, deleted_date ON public.documents FOR EACH ROW WHEN (((new.deleted_date IS DISTINCT FROM old.deleted_date) OR ((new.container_id IS NULL) AND ((((new.connector_id IS DISTINCT FROM old.connector_id) OR (new.folder_source_id IS DISTINCT FROM old.folder_source_id)) OR (new.source_readers IS DISTINCT FROM old.source_readers)) OR (new.original_url IS DISTINCT FROM old.original_url))))) EXECUTE FUNCTION public.update_members();


--
-- Name: notebook_notes update_notebook_notes_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_notebook_notes_last_update BEFORE UPDATE ON public.notebook_notes FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: notebooks update_notebooks_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_notebooks_last_update BEFORE UPDATE ON public.notebooks FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: users update_own_groups; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_own_groups BEFORE UPDATE OF groups ON public.users FOR EACH ROW EXECUTE FUNCTION public.update_group_members();


--
-- Name: quotas update_quotas_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_quotas_last_update BEFORE UPDATE ON public.quotas FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: rerankers update_rerankers_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_rerankers_last_update BEFORE UPDATE ON public.rerankers FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: retention_rules update_retention_rules_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_retention_rules_last_update BEFORE UPDATE ON public.retention_rules FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: runs update_runs_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_runs_last_update BEFORE UPDATE ON public.runs FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: scim_clients update_scim_clients_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_scim_clients_last_update BEFORE UPDATE ON public.scim_clients FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: scim_groups update_scim_groups_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_scim_groups_last_update BEFORE UPDATE ON public.scim_groups FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: scim_users update_scim_users_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_scim_users_last_update BEFORE UPDATE ON public.scim_users FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: session_shares update_session_shares_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_session_shares_last_update BEFORE UPDATE ON public.session_shares FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: source_aliases update_source_aliases_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_source_aliases_last_update BEFORE UPDATE ON public.source_aliases FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: source_folders update_source_folders_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_source_folders_last_update BEFORE UPDATE ON public.source_folders FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: steps update_steps_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_steps_last_update BEFORE UPDATE ON public.steps FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: todos update_todos_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_todos_last_update BEFORE UPDATE ON public.todos FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: tool_calls update_tool_calls_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_tool_calls_last_update BEFORE UPDATE ON public.tool_calls FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: users update_users_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_users_last_update BEFORE UPDATE ON public.users FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: webhooks update_webhooks_last_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER update_webhooks_last_update BEFORE UPDATE ON public.webhooks FOR EACH ROW EXECUTE FUNCTION public.update_last_update_column();


--
-- Name: agent_memories agent_memories_source_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_memories
    ADD CONSTRAINT agent_memories_source_session_id_fkey FOREIGN KEY (source_session_id) REFERENCES public.chat_sessions(id) ON DELETE SET NULL;


--
-- Name: agent_memories agent_memories_superseded_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_memories
    ADD CONSTRAINT agent_memories_superseded_by_fkey FOREIGN KEY (superseded_by) REFERENCES public.agent_memories(id) ON DELETE SET NULL;


--
-- Name: agent_memories agent_memories_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_memories
    ADD CONSTRAINT agent_memories_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: agent_memories agent_memories_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_memories
    ADD CONSTRAINT agent_memories_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: api_keys api_keys_parent_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES public.api_keys(id) ON DELETE SET NULL;


--
-- Name: api_keys api_keys_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: api_keys api_keys_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: assistant_members assistant_members_assistant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.assistant_members
    ADD CONSTRAINT assistant_members_assistant_id_fkey FOREIGN KEY (assistant_id) REFERENCES public.assistants(id) ON DELETE CASCADE;


--
-- Name: assistant_members assistant_members_member_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.assistant_members
    ADD CONSTRAINT assistant_members_member_id_fkey FOREIGN KEY (member_id) REFERENCES public.assistants(id) ON DELETE CASCADE;


--
-- Name: assistant_versions assistant_versions_assistant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.assistant_versions
    ADD CONSTRAINT assistant_versions_assistant_id_fkey FOREIGN KEY (assistant_id) REFERENCES public.assistants(id) ON DELETE CASCADE;


--
-- Name: assistant_versions assistant_versions_created_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.assistant_versions
    ADD CONSTRAINT assistant_versions_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: assistants assistants_created_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.assistants
    ADD CONSTRAINT assistants_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: assistants assistants_draft_of_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.assistants
    ADD CONSTRAINT assistants_draft_of_id_fkey FOREIGN KEY (draft_of_id) REFERENCES public.assistants(id) ON DELETE CASCADE;


--
-- Name: assistants assistants_llm_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.assistants
    ADD CONSTRAINT assistants_llm_id_fkey FOREIGN KEY (llm_id) REFERENCES public.llms(id) ON DELETE SET NULL;


--
-- Name: assistants assistants_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.assistants
    ADD CONSTRAINT assistants_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: background_jobs background_jobs_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.background_jobs
    ADD CONSTRAINT background_jobs_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: chat_message_documents chat_message_documents_chat_message_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_message_documents
    ADD CONSTRAINT chat_message_documents_chat_message_id_fkey FOREIGN KEY (chat_message_id) REFERENCES public.chat_messages(id) ON DELETE CASCADE;


--
-- Name: chat_message_documents chat_message_documents_document_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_message_documents
    ADD CONSTRAINT chat_message_documents_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.documents(id) ON DELETE SET NULL;


--
-- Name: chat_message_documents chat_message_documents_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_message_documents
    ADD CONSTRAINT chat_message_documents_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: chat_message_feedbacks chat_message_feedbacks_chat_message_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_message_feedbacks
    ADD CONSTRAINT chat_message_feedbacks_chat_message_id_fkey FOREIGN KEY (chat_message_id) REFERENCES public.chat_messages(id) ON DELETE CASCADE;


--
-- Name: chat_message_feedbacks chat_message_feedbacks_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_message_feedbacks
    ADD CONSTRAINT chat_message_feedbacks_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: chat_message_feedbacks chat_message_feedbacks_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_message_feedbacks
    ADD CONSTRAINT chat_message_feedbacks_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: chat_messages chat_messages_chat_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_messages
    ADD CONSTRAINT chat_messages_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;


--
-- Name: chat_messages chat_messages_origin_run_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_messages
    ADD CONSTRAINT chat_messages_origin_run_id_fkey FOREIGN KEY (origin_run_id) REFERENCES public.runs(id) ON DELETE SET NULL;


--
-- Name: chat_messages chat_messages_parent_message_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_messages
    ADD CONSTRAINT chat_messages_parent_message_id_fkey FOREIGN KEY (parent_message_id) REFERENCES public.chat_messages(id) ON DELETE SET NULL;


--
-- Name: chat_messages chat_messages_run_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_messages
    ADD CONSTRAINT chat_messages_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.runs(id) ON DELETE SET NULL;


--
-- Name: chat_messages chat_messages_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_messages
    ADD CONSTRAINT chat_messages_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: chat_session_sources chat_session_sources_chat_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_session_sources
    ADD CONSTRAINT chat_session_sources_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;


--
-- Name: chat_session_texts chat_session_texts_chat_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_session_texts
    ADD CONSTRAINT chat_session_texts_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;


--
-- Name: chat_session_texts chat_session_texts_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_session_texts
    ADD CONSTRAINT chat_session_texts_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: chat_sessions chat_sessions_assistant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_sessions
    ADD CONSTRAINT chat_sessions_assistant_id_fkey FOREIGN KEY (assistant_id) REFERENCES public.assistants(id);


--
-- Name: chat_sessions chat_sessions_forked_from_message_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_sessions
    ADD CONSTRAINT chat_sessions_forked_from_message_id_fkey FOREIGN KEY (forked_from_message_id) REFERENCES public.chat_messages(id) ON DELETE SET NULL;


--
-- Name: chat_sessions chat_sessions_limited_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_sessions
    ADD CONSTRAINT chat_sessions_limited_by_fkey FOREIGN KEY (limited_by) REFERENCES public.api_keys(id) ON DELETE CASCADE;


--
-- Name: chat_sessions chat_sessions_notebook_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_sessions
    ADD CONSTRAINT chat_sessions_notebook_id_fkey FOREIGN KEY (notebook_id) REFERENCES public.notebooks(id) ON DELETE CASCADE;


--
-- Name: chat_sessions chat_sessions_parent_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_sessions
    ADD CONSTRAINT chat_sessions_parent_session_id_fkey FOREIGN KEY (parent_session_id) REFERENCES public.chat_sessions(id) ON DELETE SET NULL;


--
-- Name: chat_sessions chat_sessions_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_sessions
    ADD CONSTRAINT chat_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: chat_sessions chat_sessions_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_sessions
    ADD CONSTRAINT chat_sessions_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: checkpoints checkpoints_chat_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.checkpoints
    ADD CONSTRAINT checkpoints_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;


--
-- Name: checkpoints checkpoints_run_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.checkpoints
    ADD CONSTRAINT checkpoints_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.runs(id) ON DELETE SET NULL;


--
-- Name: chunk_feedback chunk_feedback_document_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chunk_feedback
    ADD CONSTRAINT chunk_feedback_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.documents(id) ON DELETE CASCADE;


--
-- Name: chunk_feedback chunk_feedback_message_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chunk_feedback
    ADD CONSTRAINT chunk_feedback_message_id_fkey FOREIGN KEY (message_id) REFERENCES public.chat_messages(id) ON DELETE CASCADE;


--
-- Name: chunk_feedback chunk_feedback_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chunk_feedback
    ADD CONSTRAINT chunk_feedback_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: chunk_feedback chunk_feedback_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chunk_feedback
    ADD CONSTRAINT chunk_feedback_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: connector_sign_ins connector_sign_ins_connector_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connector_sign_ins
    ADD CONSTRAINT connector_sign_ins_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES public.connectors(id) ON DELETE CASCADE;


--
-- Name: connector_sign_ins connector_sign_ins_web_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connector_sign_ins
    ADD CONSTRAINT connector_sign_ins_web_session_id_fkey FOREIGN KEY (web_session_id) REFERENCES public.web_sessions(id) ON DELETE CASCADE;


--
-- Name: connector_sync_failures connector_sync_failures_connector_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connector_sync_failures
    ADD CONSTRAINT connector_sync_failures_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES public.connectors(id) ON DELETE CASCADE;


--
-- Name: connector_sync_failures connector_sync_failures_sync_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connector_sync_failures
    ADD CONSTRAINT connector_sync_failures_sync_id_fkey FOREIGN KEY (sync_id) REFERENCES public.connector_syncs(id) ON DELETE CASCADE;


--
-- Name: connector_sync_seen connector_sync_seen_sync_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connector_sync_seen
    ADD CONSTRAINT connector_sync_seen_sync_id_fkey FOREIGN KEY (sync_id) REFERENCES public.connector_syncs(id) ON DELETE CASCADE;


--
-- Name: connector_syncs connector_syncs_connector_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connector_syncs
    ADD CONSTRAINT connector_syncs_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES public.connectors(id) ON DELETE CASCADE;


--
-- Name: connector_syncs connector_syncs_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connector_syncs
    ADD CONSTRAINT connector_syncs_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: connectors connectors_signed_in_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connectors
    ADD CONSTRAINT connectors_signed_in_by_fkey FOREIGN KEY (signed_in_by) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: connectors connectors_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connectors
    ADD CONSTRAINT connectors_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);


--
-- Name: connectors connectors_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.connectors
    ADD CONSTRAINT connectors_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: crawl_addresses crawl_addresses_connector_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.crawl_addresses
    ADD CONSTRAINT crawl_addresses_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES public.connectors(id) ON DELETE CASCADE;


--
-- Name: credentials credentials_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credentials
    ADD CONSTRAINT credentials_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: credentials credentials_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credentials
    ADD CONSTRAINT credentials_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: device_code_failures device_code_failures_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.device_code_failures
    ADD CONSTRAINT device_code_failures_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: device_sign_ins device_sign_ins_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.device_sign_ins
    ADD CONSTRAINT device_sign_ins_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: document_acl document_acl_document_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_acl
    ADD CONSTRAINT document_acl_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.documents(id) ON DELETE CASCADE;


--
-- Name: document_acl document_acl_principal_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_acl
    ADD CONSTRAINT document_acl_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES public.source_principals(id) ON DELETE CASCADE;


--
-- Name: documents documents_connector_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES public.connectors(id);


--
-- Name: documents documents_container_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_container_id_fkey FOREIGN KEY (container_id) REFERENCES public.documents(id) ON DELETE SET NULL;


--
-- Name: documents documents_index_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_index_id_fkey FOREIGN KEY (index_id) REFERENCES public.embedding_models(id);


--
-- Name: documents documents_parent_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES public.documents(id) ON DELETE SET NULL;


--
-- Name: documents documents_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: embedding_models embedding_models_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.embedding_models
    ADD CONSTRAINT embedding_models_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: erasures erasures_erased_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.erasures
    ADD CONSTRAINT erasures_erased_by_fkey FOREIGN KEY (erased_by) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: evaluation_cases evaluation_cases_dataset_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.evaluation_cases
    ADD CONSTRAINT evaluation_cases_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES public.evaluation_datasets(id) ON DELETE CASCADE;


--
-- Name: evaluation_cases evaluation_cases_message_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.evaluation_cases
    ADD CONSTRAINT evaluation_cases_message_id_fkey FOREIGN KEY (message_id) REFERENCES public.chat_messages(id) ON DELETE SET NULL;


--
-- Name: evaluation_cases evaluation_cases_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.evaluation_cases
    ADD CONSTRAINT evaluation_cases_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: evaluation_datasets evaluation_datasets_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.evaluation_datasets
    ADD CONSTRAINT evaluation_datasets_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: evaluation_datasets evaluation_datasets_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.evaluation_datasets
    ADD CONSTRAINT evaluation_datasets_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: evaluation_results evaluation_results_case_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.evaluation_results
    ADD CONSTRAINT evaluation_results_case_id_fkey FOREIGN KEY (case_id) REFERENCES public.evaluation_cases(id) ON DELETE SET NULL;


--
-- Name: evaluation_results evaluation_results_evaluation_run_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.evaluation_results
    ADD CONSTRAINT evaluation_results_evaluation_run_id_fkey FOREIGN KEY (evaluation_run_id) REFERENCES public.evaluation_runs(id) ON DELETE CASCADE;


--
-- Name: evaluation_results evaluation_results_run_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.evaluation_results
    ADD CONSTRAINT evaluation_results_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.runs(id) ON DELETE SET NULL;


--
-- Name: evaluation_runs evaluation_runs_assistant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.evaluation_runs
    ADD CONSTRAINT evaluation_runs_assistant_id_fkey FOREIGN KEY (assistant_id) REFERENCES public.assistants(id);


--
-- Name: evaluation_runs evaluation_runs_dataset_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.evaluation_runs
    ADD CONSTRAINT evaluation_runs_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES public.evaluation_datasets(id) ON DELETE CASCADE;


--
-- Name: evaluation_runs evaluation_runs_judge_llm_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.evaluation_runs
    ADD CONSTRAINT evaluation_runs_judge_llm_id_fkey FOREIGN KEY (judge_llm_id) REFERENCES public.llms(id);


--
-- Name: evaluation_runs evaluation_runs_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.evaluation_runs
    ADD CONSTRAINT evaluation_runs_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: group_admins group_admins_group_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.group_admins
    ADD CONSTRAINT group_admins_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE CASCADE;


--
-- Name: group_admins group_admins_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.group_admins
    ADD CONSTRAINT group_admins_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: group_members group_members_group_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id);


--
-- Name: group_members group_members_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: groups groups_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: identity_providers identity_providers_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.identity_providers
    ADD CONSTRAINT identity_providers_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: index_documents index_documents_document_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.index_documents
    ADD CONSTRAINT index_documents_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.documents(id) ON DELETE CASCADE;


--
-- Name: index_documents index_documents_index_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.index_documents
    ADD CONSTRAINT index_documents_index_id_fkey FOREIGN KEY (index_id) REFERENCES public.embedding_models(id) ON DELETE CASCADE;


--
-- Name: installation_settings installation_settings_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.installation_settings
    ADD CONSTRAINT installation_settings_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: invitations invitations_accepted_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_accepted_user_id_fkey FOREIGN KEY (accepted_user_id) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: invitations invitations_invited_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: invitations invitations_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: knowledge_entities knowledge_entities_source_run_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_entities
    ADD CONSTRAINT knowledge_entities_source_run_id_fkey FOREIGN KEY (source_run_id) REFERENCES public.runs(id) ON DELETE SET NULL;


--
-- Name: knowledge_entities knowledge_entities_source_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_entities
    ADD CONSTRAINT knowledge_entities_source_session_id_fkey FOREIGN KEY (source_session_id) REFERENCES public.chat_sessions(id) ON DELETE SET NULL;


--
-- Name: knowledge_entities knowledge_entities_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_entities
    ADD CONSTRAINT knowledge_entities_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: knowledge_entities knowledge_entities_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_entities
    ADD CONSTRAINT knowledge_entities_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: knowledge_feedback knowledge_feedback_chat_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_feedback
    ADD CONSTRAINT knowledge_feedback_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE SET NULL;


--
-- Name: knowledge_feedback knowledge_feedback_knowledge_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_feedback
    ADD CONSTRAINT knowledge_feedback_knowledge_id_fkey FOREIGN KEY (knowledge_id) REFERENCES public.knowledge_entities(id) ON DELETE CASCADE;


--
-- Name: knowledge_feedback knowledge_feedback_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_feedback
    ADD CONSTRAINT knowledge_feedback_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: knowledge_feedback knowledge_feedback_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_feedback
    ADD CONSTRAINT knowledge_feedback_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: knowledge_revisions knowledge_revisions_chat_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_revisions
    ADD CONSTRAINT knowledge_revisions_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE SET NULL;


--
-- Name: knowledge_revisions knowledge_revisions_knowledge_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_revisions
    ADD CONSTRAINT knowledge_revisions_knowledge_id_fkey FOREIGN KEY (knowledge_id) REFERENCES public.knowledge_entities(id) ON DELETE CASCADE;


--
-- Name: knowledge_revisions knowledge_revisions_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_revisions
    ADD CONSTRAINT knowledge_revisions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: knowledge_sources knowledge_sources_knowledge_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_sources
    ADD CONSTRAINT knowledge_sources_knowledge_id_fkey FOREIGN KEY (knowledge_id) REFERENCES public.knowledge_entities(id) ON DELETE CASCADE;


--
-- Name: knowledge_uses knowledge_uses_chat_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_uses
    ADD CONSTRAINT knowledge_uses_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;


--
-- Name: knowledge_uses knowledge_uses_knowledge_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_uses
    ADD CONSTRAINT knowledge_uses_knowledge_id_fkey FOREIGN KEY (knowledge_id) REFERENCES public.knowledge_entities(id) ON DELETE CASCADE;


--
-- Name: knowledge_uses knowledge_uses_run_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.knowledge_uses
    ADD CONSTRAINT knowledge_uses_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.runs(id) ON DELETE CASCADE;


--
-- Name: legal_holds legal_holds_placed_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.legal_holds
    ADD CONSTRAINT legal_holds_placed_by_fkey FOREIGN KEY (placed_by) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: legal_holds legal_holds_released_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.legal_holds
    ADD CONSTRAINT legal_holds_released_by_fkey FOREIGN KEY (released_by) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: llms llms_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.llms
    ADD CONSTRAINT llms_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: mcp_server_states mcp_server_states_assistant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mcp_server_states
    ADD CONSTRAINT mcp_server_states_assistant_id_fkey FOREIGN KEY (assistant_id) REFERENCES public.assistants(id) ON DELETE CASCADE;


--
-- Name: memory_sources memory_sources_memory_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memory_sources
    ADD CONSTRAINT memory_sources_memory_id_fkey FOREIGN KEY (memory_id) REFERENCES public.agent_memories(id) ON DELETE CASCADE;


--
-- Name: notebook_groups notebook_groups_group_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_groups
    ADD CONSTRAINT notebook_groups_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE CASCADE;


--
-- Name: notebook_groups notebook_groups_notebook_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_groups
    ADD CONSTRAINT notebook_groups_notebook_id_fkey FOREIGN KEY (notebook_id) REFERENCES public.notebooks(id) ON DELETE CASCADE;


--
-- Name: notebook_members notebook_members_notebook_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_members
    ADD CONSTRAINT notebook_members_notebook_id_fkey FOREIGN KEY (notebook_id) REFERENCES public.notebooks(id) ON DELETE CASCADE;


--
-- Name: notebook_members notebook_members_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_members
    ADD CONSTRAINT notebook_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: notebook_note_sources notebook_note_sources_note_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_note_sources
    ADD CONSTRAINT notebook_note_sources_note_id_fkey FOREIGN KEY (note_id) REFERENCES public.notebook_notes(id) ON DELETE CASCADE;


--
-- Name: notebook_notes notebook_notes_message_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_notes
    ADD CONSTRAINT notebook_notes_message_id_fkey FOREIGN KEY (message_id) REFERENCES public.chat_messages(id) ON DELETE SET NULL;


--
-- Name: notebook_notes notebook_notes_notebook_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_notes
    ADD CONSTRAINT notebook_notes_notebook_id_fkey FOREIGN KEY (notebook_id) REFERENCES public.notebooks(id) ON DELETE CASCADE;


--
-- Name: notebook_notes notebook_notes_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_notes
    ADD CONSTRAINT notebook_notes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: notebook_notes notebook_notes_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_notes
    ADD CONSTRAINT notebook_notes_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: notebook_sources notebook_sources_connector_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_sources
    ADD CONSTRAINT notebook_sources_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES public.connectors(id) ON DELETE CASCADE;


--
-- Name: notebook_sources notebook_sources_document_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_sources
    ADD CONSTRAINT notebook_sources_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.documents(id) ON DELETE CASCADE;


--
-- Name: notebook_sources notebook_sources_notebook_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_sources
    ADD CONSTRAINT notebook_sources_notebook_id_fkey FOREIGN KEY (notebook_id) REFERENCES public.notebooks(id) ON DELETE CASCADE;


--
-- Name: notebook_sources notebook_sources_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_sources
    ADD CONSTRAINT notebook_sources_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: notebook_summaries notebook_summaries_notebook_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebook_summaries
    ADD CONSTRAINT notebook_summaries_notebook_id_fkey FOREIGN KEY (notebook_id) REFERENCES public.notebooks(id) ON DELETE CASCADE;


--
-- Name: notebooks notebooks_instructions_author_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebooks
    ADD CONSTRAINT notebooks_instructions_author_id_fkey FOREIGN KEY (instructions_author_id) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: notebooks notebooks_title_author_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebooks
    ADD CONSTRAINT notebooks_title_author_id_fkey FOREIGN KEY (title_author_id) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: notebooks notebooks_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebooks
    ADD CONSTRAINT notebooks_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: notebooks notebooks_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notebooks
    ADD CONSTRAINT notebooks_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: quota_charges quota_charges_run_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quota_charges
    ADD CONSTRAINT quota_charges_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.runs(id) ON DELETE CASCADE;


--
-- Name: quota_usage quota_usage_api_key_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quota_usage
    ADD CONSTRAINT quota_usage_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES public.api_keys(id) ON DELETE CASCADE;


--
-- Name: quota_usage quota_usage_group_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quota_usage
    ADD CONSTRAINT quota_usage_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE CASCADE;


--
-- Name: quota_usage quota_usage_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quota_usage
    ADD CONSTRAINT quota_usage_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: quotas quotas_api_key_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quotas
    ADD CONSTRAINT quotas_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES public.api_keys(id) ON DELETE CASCADE;


--
-- Name: quotas quotas_group_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quotas
    ADD CONSTRAINT quotas_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE CASCADE;


--
-- Name: quotas quotas_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quotas
    ADD CONSTRAINT quotas_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: quotas quotas_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quotas
    ADD CONSTRAINT quotas_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: rated_questions rated_questions_message_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rated_questions
    ADD CONSTRAINT rated_questions_message_id_fkey FOREIGN KEY (message_id) REFERENCES public.chat_messages(id) ON DELETE CASCADE;


--
-- Name: rerankers rerankers_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rerankers
    ADD CONSTRAINT rerankers_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: retention_rules retention_rules_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.retention_rules
    ADD CONSTRAINT retention_rules_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: run_events run_events_chat_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run_events
    ADD CONSTRAINT run_events_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;


--
-- Name: run_events run_events_run_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run_events
    ADD CONSTRAINT run_events_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.runs(id) ON DELETE CASCADE;


--
-- Name: runs runs_assistant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_assistant_id_fkey FOREIGN KEY (assistant_id) REFERENCES public.assistants(id);


--
-- Name: runs runs_chat_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;


--
-- Name: runs runs_llm_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_llm_id_fkey FOREIGN KEY (llm_id) REFERENCES public.llms(id);


--
-- Name: runs runs_parent_run_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_parent_run_id_fkey FOREIGN KEY (parent_run_id) REFERENCES public.runs(id) ON DELETE CASCADE;


--
-- Name: runs runs_parent_step_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_parent_step_id_fkey FOREIGN KEY (parent_step_id) REFERENCES public.steps(id) ON DELETE SET NULL;


--
-- Name: runs runs_requested_llm_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_requested_llm_id_fkey FOREIGN KEY (requested_llm_id) REFERENCES public.llms(id);


--
-- Name: runs runs_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: runs runs_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: scim_clients scim_clients_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scim_clients
    ADD CONSTRAINT scim_clients_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: scim_groups scim_groups_client_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scim_groups
    ADD CONSTRAINT scim_groups_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.scim_clients(id) ON DELETE CASCADE;


--
-- Name: scim_groups scim_groups_group_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scim_groups
    ADD CONSTRAINT scim_groups_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE CASCADE;


--
-- Name: scim_tokens scim_tokens_client_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scim_tokens
    ADD CONSTRAINT scim_tokens_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.scim_clients(id) ON DELETE CASCADE;


--
-- Name: scim_users scim_users_client_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scim_users
    ADD CONSTRAINT scim_users_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.scim_clients(id) ON DELETE CASCADE;


--
-- Name: scim_users scim_users_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scim_users
    ADD CONSTRAINT scim_users_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: session_learnings session_learnings_chat_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_learnings
    ADD CONSTRAINT session_learnings_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;


--
-- Name: session_share_recipients session_share_recipients_group_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_share_recipients
    ADD CONSTRAINT session_share_recipients_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE CASCADE;


--
-- Name: session_share_recipients session_share_recipients_session_share_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_share_recipients
    ADD CONSTRAINT session_share_recipients_session_share_id_fkey FOREIGN KEY (session_share_id) REFERENCES public.session_shares(id) ON DELETE CASCADE;


--
-- Name: session_share_recipients session_share_recipients_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_share_recipients
    ADD CONSTRAINT session_share_recipients_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: session_shares session_shares_chat_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_shares
    ADD CONSTRAINT session_shares_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;


--
-- Name: session_shares session_shares_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_shares
    ADD CONSTRAINT session_shares_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: session_shares session_shares_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_shares
    ADD CONSTRAINT session_shares_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: sign_in_attempts sign_in_attempts_web_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sign_in_attempts
    ADD CONSTRAINT sign_in_attempts_web_session_id_fkey FOREIGN KEY (web_session_id) REFERENCES public.web_sessions(id) ON DELETE SET NULL;


--
-- Name: sign_in_tokens sign_in_tokens_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sign_in_tokens
    ADD CONSTRAINT sign_in_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: source_aliases source_aliases_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_aliases
    ADD CONSTRAINT source_aliases_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: source_aliases source_aliases_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_aliases
    ADD CONSTRAINT source_aliases_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: source_folders source_folders_connector_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_folders
    ADD CONSTRAINT source_folders_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES public.connectors(id) ON DELETE CASCADE;


--
-- Name: source_folders source_folders_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_folders
    ADD CONSTRAINT source_folders_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: source_members source_members_group_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_members
    ADD CONSTRAINT source_members_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.source_principals(id) ON DELETE CASCADE;


--
-- Name: source_members source_members_member_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_members
    ADD CONSTRAINT source_members_member_id_fkey FOREIGN KEY (member_id) REFERENCES public.source_principals(id) ON DELETE CASCADE;


--
-- Name: source_principals source_principals_connector_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.source_principals
    ADD CONSTRAINT source_principals_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES public.connectors(id) ON DELETE CASCADE;


--
-- Name: steps steps_run_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.steps
    ADD CONSTRAINT steps_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.runs(id) ON DELETE CASCADE;


--
-- Name: steps steps_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.steps
    ADD CONSTRAINT steps_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: todos todos_chat_session_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.todos
    ADD CONSTRAINT todos_chat_session_id_fkey FOREIGN KEY (chat_session_id) REFERENCES public.chat_sessions(id) ON DELETE CASCADE;


--
-- Name: todos todos_run_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.todos
    ADD CONSTRAINT todos_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.runs(id) ON DELETE CASCADE;


--
-- Name: todos todos_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.todos
    ADD CONSTRAINT todos_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: tool_calls tool_calls_step_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tool_calls
    ADD CONSTRAINT tool_calls_step_id_fkey FOREIGN KEY (step_id) REFERENCES public.steps(id) ON DELETE CASCADE;


--
-- Name: tool_calls tool_calls_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tool_calls
    ADD CONSTRAINT tool_calls_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: usage_daily usage_daily_assistant_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.usage_daily
    ADD CONSTRAINT usage_daily_assistant_id_fkey FOREIGN KEY (assistant_id) REFERENCES public.assistants(id);


--
-- Name: usage_daily usage_daily_llm_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.usage_daily
    ADD CONSTRAINT usage_daily_llm_id_fkey FOREIGN KEY (llm_id) REFERENCES public.llms(id);


--
-- Name: usage_daily usage_daily_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.usage_daily
    ADD CONSTRAINT usage_daily_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: user_identities user_identities_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_identities
    ADD CONSTRAINT user_identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: users users_created_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: users users_owner_group_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_owner_group_id_fkey FOREIGN KEY (owner_group_id) REFERENCES public.groups(id);


--
-- Name: users users_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: web_sessions web_sessions_identity_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.web_sessions
    ADD CONSTRAINT web_sessions_identity_id_fkey FOREIGN KEY (identity_id) REFERENCES public.user_identities(id) ON DELETE CASCADE;


--
-- Name: web_sessions web_sessions_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.web_sessions
    ADD CONSTRAINT web_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: webhook_deliveries webhook_deliveries_webhook_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES public.webhooks(id) ON DELETE CASCADE;


--
-- Name: webhooks webhooks_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: webhooks webhooks_user_id_last_update_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_user_id_last_update_fkey FOREIGN KEY (user_id_last_update) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- PostgreSQL database dump complete
--

\unrestrict echomind
