"""Every CHECK rejects exactly the invalid values."""

import json
import re
from datetime import UTC, datetime
from functools import partial
from typing import Any, get_args

import asyncpg
import pytest

from echomind_lib.db import words
from tests.drivers.refusals import Insert, refused, rolled_back
from tests.drivers.tables import for_each
from tests.factories import rows


async def group_connector(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    return await rows.connector(connection, scope="group", **values)


async def connector_sign_in(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    given = {
        "connector_id": (await rows.connector(connection))["id"],
        "web_session_id": (await rows.web_session(connection))["id"],
        "encrypted_verifier": "x",
        "redirect_uri": "x",
        "expires_at": datetime.now(UTC),
    }
    return await rows.insert(connection, "connector_sign_ins", given | values)


async def notebook_note(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    notebook = await rows.notebook(connection)
    return await rows.notebook_note(connection, notebook_id=notebook["id"], user_id=notebook["user_id"], **values)


async def rotated_key(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    return await rows.api_key(connection, **{"previous_expires_at": datetime(2026, 1, 1, tzinfo=UTC), **values})


async def sign_in_attempt(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    given = {
        "provider": "x",
        "state_hash": bytes(32),
        "browser_hash": bytes(32),
        "nonce": "x",
        "encrypted_verifier": "x",
        "redirect_uri": "x",
        "return_path": "/",
        "expires_at": datetime.now(UTC),
    }
    return await rows.insert(connection, "sign_in_attempts", given | values)


async def child_run(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    parent = await rows.run(connection)
    return await rows.run(connection, chat_session_id=parent["chat_session_id"], parent_run_id=parent["id"], **values)


async def child_without_parent(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    return await rows.run(connection, **values)


async def running_evaluation(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    return await rows.evaluation_run(connection, status="running", **values)


async def default_assistant(connection: rows.Connection, **values: Any) -> asyncpg.Record:
    await connection.execute("UPDATE assistants SET is_default = FALSE")
    return await rows.assistant(connection, **{"is_default": True} | values)


async def hidden_draft(connection: rows.Connection, **values: Any) -> asyncpg.Record:
    return await rows.assistant(connection, **{"is_draft": True, "is_visible": False} | values)


async def filled_index(connection: rows.Connection, **values: Any) -> asyncpg.Record:
    return await rows.embedding_model(connection, **{"index_state": "standby"} | values)


async def waiting_device(connection: rows.Connection, **values: Any) -> asyncpg.Record:
    await connection.execute("DELETE FROM device_sign_ins")
    given = {
        "device_code_hash": bytes(32),
        "user_code_hash": bytes(32),
        "client_name": "laptop",
        "address": "127.0.0.1",
        "network": "127.0.0.1",
        "scopes": ["read"],
        "days": 1,
        "interval_seconds": 5,
        "expires_at": datetime(2026, 1, 1, tzinfo=UTC),
    }
    return await rows.insert(connection, "device_sign_ins", given | values)


async def served_model(connection: rows.Connection, **values: Any) -> asyncpg.Record:
    given = {"endpoint": "http://gpu:8080", "protocol": "tei", "calibration": "{}"}
    return await rows.embedding_model(connection, **given | values)


async def priced_llm(connection: rows.Connection, **values: Any) -> asyncpg.Record:
    return await rows.llm(connection, **{"input_price": 1, "output_price": 1} | values)


async def named_session(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    return await rows.chat_session(connection, **{"generated_title": "T"} | values)


async def notebook_connector(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    connector_id = (await rows.connector(connection))["id"]
    return await rows.notebook_source(connection, **{"connector_id": connector_id} | values)


async def public_knowledge(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    return await rows.knowledge(connection, **{"level": "public"} | values)


async def proposed_knowledge(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    return await public_knowledge(connection, **{"review_status": "proposed"} | values)


async def reviewed_knowledge(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    return await public_knowledge(connection, **{"proposed_level": "public"} | values)


async def own_knowledge(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    user_id = (await rows.user(connection))["id"]
    return await rows.knowledge(connection, **{"user_id": user_id} | values)


# A row for each CHECK that is not on words: name, insert function, column, valid and invalid values.
async def webhook_delivery(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    due = datetime(2026, 1, 1, tzinfo=UTC) if values.get("status") == "pending" else None
    return await rows.webhook_delivery(connection, next_attempt_at=due, **values)


async def quota(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    await connection.execute("DELETE FROM quotas")
    return await rows.insert(connection, "quotas", {"scope": "organization", "period": "day", "max_tokens": 1} | values)


async def questions(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    return await quota(connection, **({"max_tokens": None} | values))


async def quota_usage(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    given = {"period": "day", "begins_at": datetime.now(UTC)} | values
    return await rows.insert(connection, "quota_usage", given)


async def usage_daily(connection: asyncpg.Connection, **values: Any) -> asyncpg.Record:
    return await rows.insert(connection, "usage_daily", {"day": datetime.now(UTC), "kind": "answer"} | values)


RANGES: list[tuple[str, Insert, str, list[Any], list[Any]]] = [
    ("users_skipped_setup_steps_check", rows.user, "skipped_setup_steps", [[], ["model", "profile"]], [["x"]]),
    ("users_kind_check", rows.user, "kind", ["person"], ["robot"]),
    ("users_owner_group_id_check", rows.user, "kind", ["person"], ["service"]),
    ("users_service_check", rows.service_account, "email", [None], ["a@example.net"]),
    ("users_service_check", rows.service_account, "external_id", [None], ["issuer:subject"]),
    ("users_service_check", rows.service_account, "roles", [["user", "admin"]], [["superadmin"]]),
    ("users_roles_check", rows.user, "roles", [["user", "admin"], []], [["root"], ["user", "x"]]),
    ("quotas_max_questions_check", quota, "max_questions", [None, 0, 1], [-1]),
    ("quotas_max_tokens_check", quota, "max_tokens", [0, 1], [-1]),
    ("quotas_max_cost_check", quota, "max_cost", [None, 0, 1], [-1]),
    ("usage_daily_questions_check", usage_daily, "questions", [0], [-1]),
    ("usage_daily_failed_questions_check", usage_daily, "failed_questions", [0], [-1]),
    ("usage_daily_prompt_tokens_check", usage_daily, "prompt_tokens", [0], [-1]),
    ("usage_daily_completion_tokens_check", usage_daily, "completion_tokens", [0], [-1]),
    ("usage_daily_cost_check", usage_daily, "cost", [0], [-1]),
    ("quotas_limits_check", questions, "max_questions", [0, 1], [None]),
    ("llms_max_tokens_check", rows.llm, "max_tokens", [None, 1], [0, -1]),
    ("llms_context_tokens_check", rows.llm, "context_tokens", [None, 1], [0]),
    ("llms_temperature_check", rows.llm, "temperature", [None, 0, 2], [-0.01, 2.01]),
    ("llms_input_price_check", priced_llm, "input_price", [0, 1], [-1]),
    ("llms_output_price_check", priced_llm, "output_price", [0, 1], [-1]),
    ("llms_prices_check", priced_llm, "input_price", [0], [None]),
    ("llms_prices_check", rows.llm, "output_price", [None], [1]),
    ("assistants_is_draft_check", hidden_draft, "is_visible", [False], [True]),
    ("assistants_is_draft_check", hidden_draft, "is_default", [False], [True]),
    ("assistants_groups_check", default_assistant, "groups", [[]], [["sales"]]),
    ("assistants_draft_of_id_check", rows.assistant, "draft_of_id", [None], [1]),
    ("embedding_models_model_dimension_check", rows.embedding_model, "model_dimension", [1], [0]),
    ("embedding_models_endpoint_check", served_model, "protocol", ["openai"], [None]),
    ("embedding_models_calibration_check", served_model, "calibration", ['{"found": 1}'], [None]),
    ("embedding_models_active_state_check", filled_index, "is_active", [False], [True]),
    ("rerankers_candidates_check", rows.reranker, "candidates", [1], [0]),
    ("rerankers_timeout_ms_check", rows.reranker, "timeout_ms", [1], [0]),
    ("index_documents_chunk_count_check", rows.index_document, "chunk_count", [0, 1], [-1]),
    ("connectors_type_check", rows.connector, "type", ["web", "of_others_2"], ["", "Web", "2web", "web site"]),
    ("connectors_sync_failures_check", rows.connector, "sync_failures", [0, 1], [-1]),
    ("connector_syncs_to_remove_check", rows.connector_sync, "to_remove", [0, 1], [-1]),
    ("crawl_addresses_depth_check", rows.crawl_address, "depth", [0, 50], [-1]),
    ("crawl_addresses_url_check", rows.crawl_address, "url", ["a", "a" * 2000], ["", "a" * 2001]),
    ("source_folders_source_id_check", rows.source_folder, "source_id", ["a", "a" * 2000], ["", "a" * 2001]),
    ("source_principals_key_check", rows.source_principal, "key", ["a", "a" * 1000], ["", "a" * 1001]),
    ("source_aliases_key_check", rows.source_alias, "key", ["a", "a" * 1000], ["", "a" * 1001]),
    ("connectors_refresh_freq_minutes_check", rows.connector, "refresh_freq_minutes", [None, 1], [0]),
    ("connectors_scope_id_check", group_connector, "scope_id", ["g"], [None]),
    ("connectors_scope_id_check", rows.connector, "scope_id", [None], ["g"]),
    ("documents_source_id_check", rows.document, "source_id", ["a", "a" * 2000], ["", "a" * 2001, "é" * 1001]),
    ("documents_size_bytes_check", rows.document, "size_bytes", [None, 0], [-1]),
    ("documents_chunk_count_check", rows.document, "chunk_count", [0], [-1]),
    ("documents_attempts_check", rows.document, "attempts", [0], [-1]),
    ("chat_sessions_title_attempts_check", rows.chat_session, "title_attempts", [0], [-1]),
    ("chat_sessions_message_count_check", rows.chat_session, "message_count", [0], [-1]),
    ("chat_sessions_summary_prompt_tokens_check", rows.chat_session, "summary_prompt_tokens", [0], [-1]),
    ("chat_sessions_summary_completion_tokens_check", rows.chat_session, "summary_completion_tokens", [0], [-1]),
    ("chat_sessions_summary_cost_check", rows.chat_session, "summary_cost", [0], [-1]),
    ("chat_sessions_events_pruned_to_check", rows.chat_session, "events_pruned_to", [0], [-1]),
    ("chat_sessions_generated_title_check", named_session, "title_origin", ["default", "question"], ["person"]),
    ("installation_settings_id_check", rows.installation_settings, "id", [True], [False]),
    ("session_shares_token_hash_check", rows.session_share, "token_hash", [None, bytes(32)], [bytes(31)]),
    ("session_share_recipients_one_check", rows.session_share_recipient, "user_id", [], [None]),
    ("chat_messages_author_id_check", partial(rows.chat_message, author_kind="person"), "author_id", [1], [None]),
    ("chat_messages_token_count_check", rows.chat_message, "token_count", [None, 0], [-1]),
    ("chat_message_documents_number_check", rows.citation, "number", [1], [0]),
    ("chat_message_documents_relevance_score_check", rows.citation, "relevance_score", [None, 0, 1], [-0.1, 1.1]),
    ("runs_depth_check", rows.run, "depth", [0, 10], [-1, 11]),
    ("runs_max_steps_check", rows.run, "max_steps", [1], [0]),
    ("runs_timeout_seconds_check", rows.run, "timeout_seconds", [1], [0]),
    ("runs_state_check", rows.run, "state", [json.dumps({"a": "x" * 8000})], [json.dumps({"a": "x" * 8192})]),
    ("runs_parent_run_id_check", child_run, "kind", ["sub_agent", "member"], ["agent", "team"]),
    ("runs_parent_run_id_check", child_without_parent, "kind", ["agent", "team"], ["sub_agent", "member"]),
    ("runs_max_run_tokens_check", rows.run, "max_run_tokens", [1, None], [0]),
    ("runs_max_cost_check", rows.run, "max_cost", [0.01, None], [0]),
    ("runs_max_depth_check", rows.run, "max_depth", [0, 10], [-1, 11]),
    ("runs_priority_check", rows.run, "priority", [0, 3], [-1, 4]),
    ("runs_slot_check", rows.run, "slot", [1, None], [0]),
    ("assistant_versions_version_check", rows.assistant_version, "version", [1], [0]),
    ("assistant_members_position_check", rows.assistant_member, "position", [1], [0]),
    ("assistant_members_version_check", rows.assistant_member, "version", [1, None], [0]),
    ("runs_time_to_first_token_ms_check", rows.run, "time_to_first_token_ms", [0, None], [-1]),
    ("runs_seconds_spent_check", rows.run, "seconds_spent", [0, 1.5], [-1]),
    ("todos_order_index_check", rows.todo, "order_index", [1], [0]),
    ("todos_estimated_steps_check", rows.todo, "estimated_steps", [0, None], [-1]),
    ("todos_actual_steps_check", rows.todo, "actual_steps", [0], [-1]),
    ("todos_estimated_tokens_check", rows.todo, "estimated_tokens", [0, None], [-1]),
    ("todos_actual_tokens_check", rows.todo, "actual_tokens", [0], [-1]),
    ("tool_calls_progress_percentage_check", rows.tool_call, "progress_percentage", [0, 100], [-1, 101]),
    ("agent_memories_importance_score_check", rows.memory, "importance_score", [0, 1], [-0.1, 1.1]),
    ("agent_memories_access_count_check", rows.memory, "access_count", [0], [-1]),
    ("agent_memories_confidence_check", rows.memory, "confidence", [0, 1], [-0.1, 1.1]),
    ("agent_memories_superseded_by_check", rows.memory, "superseded_by", [None], [1]),
    ("notebook_sources_one_check", notebook_connector, "document_id", [None], [1]),
    ("webhooks_failures_check", rows.webhook, "failures", [0], [-1]),
    ("webhook_deliveries_attempts_check", rows.webhook_delivery, "attempts", [0], [-1]),
    (
        "webhook_deliveries_next_attempt_at_check",
        rows.webhook_delivery,
        "next_attempt_at",
        [None],
        [datetime(2026, 1, 1, tzinfo=UTC)],
    ),
    ("evaluation_runs_assistant_version_check", rows.evaluation_run, "assistant_version", [0], [-1]),
    (
        "evaluation_runs_completed_at_check",
        running_evaluation,
        "completed_at",
        [None],
        [datetime(2026, 1, 1, tzinfo=UTC)],
    ),
    ("evaluation_results_rank_check", rows.evaluation_result, "rank", [1], [0]),
    ("evaluation_results_document_share_check", rows.evaluation_result, "document_share", [0, 1], [-0.1, 1.1]),
    ("evaluation_results_passage_share_check", rows.evaluation_result, "passage_share", [0, 1], [-0.1, 1.1]),
    ("evaluation_results_fact_share_check", rows.evaluation_result, "fact_share", [0, 1], [-0.1, 1.1]),
    ("evaluation_results_judge_score_check", rows.evaluation_result, "judge_score", [0, 1], [-0.1, 1.1]),
    ("evaluation_results_judge_prompt_tokens_check", rows.evaluation_result, "judge_prompt_tokens", [0], [-1]),
    ("evaluation_results_judge_completion_tokens_check", rows.evaluation_result, "judge_completion_tokens", [0], [-1]),
    ("evaluation_results_judge_cost_check", rows.evaluation_result, "judge_cost", [0], [-1]),
    (
        "evaluation_results_citations_check",
        partial(rows.evaluation_result, citations=2),
        "supported_citations",
        [0, 2],
        [-1, 3],
    ),
    ("notebook_summaries_documents_check", rows.notebook_summary, "documents", [1], [0]),
    ("notebook_summaries_prompt_tokens_check", rows.notebook_summary, "prompt_tokens", [0], [-1]),
    ("notebook_summaries_completion_tokens_check", rows.notebook_summary, "completion_tokens", [0], [-1]),
    ("notebook_summaries_cost_check", rows.notebook_summary, "cost", [0], [-1]),
    ("notebook_sources_one_check", notebook_connector, "connector_id", [], [None]),
    ("chunk_feedback_value_check", rows.chunk_feedback, "value", [1, -1], [0, 2]),
    ("rated_questions_number_check", rows.rated_question, "number", [1], [0]),
    ("rated_questions_vector_check", rows.rated_question, "model_id", [None], ["m"]),
    ("rated_questions_vector_check", rows.rated_question, "vector", [None], [b"xx"]),
    ("knowledge_entities_owner_check", own_knowledge, "user_id", [], [None]),
    ("knowledge_entities_proposal_check", proposed_knowledge, "proposed_level", ["public"], [None]),
    ("knowledge_entities_proposed_level_check", reviewed_knowledge, "proposed_level", ["organization"], ["individual"]),
    ("knowledge_entities_alpha_check", public_knowledge, "prior_alpha", [0.1, 8], [0, 8.1]),
    ("knowledge_entities_beta_check", public_knowledge, "prior_beta", [0.1, 2], [0, 2.1]),
    ("knowledge_entities_usage_count_check", public_knowledge, "usage_count", [0], [-1]),
    ("knowledge_entities_revision_check", public_knowledge, "revision", [1], [0]),
    ("knowledge_revisions_revision_check", rows.knowledge_revision, "revision", [1], [0]),
    ("knowledge_feedback_accuracy_rating_check", rows.knowledge_feedback, "accuracy_rating", [1, 5, None], [0, 6]),
    ("knowledge_feedback_used_in_step_check", rows.knowledge_feedback, "used_in_step", [1, None], [0]),
    ("api_keys_scopes_check", rows.api_key, "scopes", [["read"], ["administer"]], [[], ["everything"], ["ask", "x"]]),
    ("api_keys_previous_check", rotated_key, "previous_sha256", [bytes(32)], [bytes(31), None]),
    ("audit_log_count_check", rows.audit_entry, "count", [1, 10_000], [0]),
    ("audit_seals_count_check", rows.audit_seal, "number", [1], [0]),
    ("audit_seals_hashes_check", rows.audit_seal, "previous_hash", [bytes(32)], [bytes(31)]),
    ("audit_seals_entries_check", rows.audit_seal, "digests", [bytes(32)], [bytes(31), None]),
    ("api_keys_limits_check", partial(rows.api_key, scopes=["administer"]), "assistant_ids", [[]], [[1]]),
    ("chat_sessions_limits_check", rows.chat_session, "limited_assistants", [None], [[1]]),
    ("device_sign_ins_codes_check", waiting_device, "user_code_hash", [bytes(32)], [bytes(33)]),
    ("device_sign_ins_approved_check", waiting_device, "approved", [None], [True]),
    ("api_keys_max_requests_per_minute_check", rows.api_key, "max_requests_per_minute", [None, 1], [0]),
    ("api_keys_max_concurrent_runs_check", rows.api_key, "max_concurrent_runs", [None, 1], [0]),
    ("api_keys_max_concurrent_streams_check", rows.api_key, "max_concurrent_streams", [None, 1], [0]),
    ("api_keys_sha256_check", rows.api_key, "sha256", [bytes(32)], [bytes(33)]),
    ("sign_in_tokens_token_hash_check", rows.sign_in_token, "token_hash", [bytes(32)], [b""]),
    ("web_sessions_token_hash_check", rows.web_session, "token_hash", [bytes(32)], [b""]),
    ("connector_sign_ins_state_hash_check", connector_sign_in, "state_hash", [bytes(32)], [bytes(31)]),
    ("sign_in_attempts_state_hash_check", sign_in_attempt, "state_hash", [bytes(32)], [bytes(31)]),
    ("sign_in_attempts_browser_hash_check", sign_in_attempt, "browser_hash", [bytes(32)], [bytes(33)]),
    ("identity_providers_name_check", rows.identity_provider, "name", ["office_2"], ["", "Office", "2office"]),
    ("legal_holds_reason_check", rows.legal_hold, "reason", ["x", "x" * 1000], ["", "x" * 1001]),
    ("retention_rules_days_check", rows.retention_rule, "days", [0, 1, 36_500], [-1, 36_501]),
    ("scim_clients_name_check", rows.scim_client, "name", ["entra", "a_b-2"], ["", "Entra", "2a"]),
    ("scim_tokens_sha256_check", rows.scim_token, "sha256", [bytes(32)], [bytes(31)]),
    ("scim_users_version_check", rows.scim_user, "version", [1, 2], [0]),
    ("scim_groups_version_check", rows.scim_group, "version", [1, 2], [0]),
    ("users_email_check", rows.user, "email", ["a@example.net", None], [""]),
    ("group_members_source_check", rows.group_member, "source", ["manual", "scim:4"], ["", "provider:", "ldap:1"]),
    ("invitations_token_hash_check", rows.invitation, "token_hash", [bytes(32)], [b""]),
    ("invitations_roles_check", rows.invitation, "roles", [["user"], ["superadmin"]], [["owner"]]),
]
WORDS: list[tuple[str, Insert, str, Any]] = [
    ("embedding_models", rows.embedding_model, "index_state", words.IndexState),
    ("embedding_models", served_model, "protocol", words.EmbeddingProtocol),
    ("rerankers", rows.reranker, "protocol", words.RerankProtocol),
    ("llms", rows.llm, "provider", words.LlmProvider),
    ("quotas", quota, "period", words.QuotaPeriod),
    ("retention_rules", rows.retention_rule, "data", words.RetentionData),
    ("quota_usage", quota_usage, "period", words.QuotaPeriod),
    ("usage_daily", usage_daily, "kind", words.UsageKind),
    ("sign_in_tokens", rows.sign_in_token, "purpose", words.LinkPurpose),
    ("identity_providers", rows.identity_provider, "email_trust", words.EmailTrust),
    ("connectors", rows.connector, "permission_mode", words.PermissionMode),
    ("connectors", rows.connector, "status", words.ConnectorStatus),
    ("connector_syncs", rows.connector_sync, "status", words.SyncStatus),
    ("connector_syncs", rows.connector_sync, "kind", words.SyncKind),
    ("connector_syncs", rows.connector_sync, "error_kind", words.SyncErrorKind),
    ("documents", rows.document, "status", words.DocumentStatus),
    ("installation_settings", rows.installation_settings, "link_sharing", words.LinkSharing),
    ("chat_sessions", rows.chat_session, "mode", words.ChatMode),
    ("chat_sessions", rows.chat_session, "status", words.ChatSessionStatus),
    ("chat_sessions", rows.chat_session, "title_origin", words.ChatTitleOrigin),
    ("chat_messages", rows.chat_message, "role", words.MessageRole),
    ("chat_messages", partial(rows.chat_message, author_id=1), "author_kind", words.AuthorKind),
    ("chat_messages", rows.chat_message, "status", words.MessageStatus),
    ("chat_messages", rows.chat_message, "basis", words.AnswerBasis),
    ("evaluation_runs", rows.evaluation_run, "status", words.EvaluationStatus),
    ("evaluation_results", rows.evaluation_result, "status", words.EvaluationResultStatus),
    ("webhook_deliveries", rows.webhook_delivery, "event_type", words.WebhookEventType),
    ("webhook_deliveries", webhook_delivery, "status", words.WebhookDeliveryStatus),
    ("runs", rows.run, "status", words.RunStatus),
    ("runs", rows.run, "control_requested", words.RunControl),
    ("runs", rows.run, "wait_strategy", words.WaitStrategy),
    ("steps", rows.step, "step_type", words.StepType),
    ("steps", rows.step, "action", words.StepAction),
    ("steps", rows.step, "status", words.StepStatus),
    ("steps", rows.step, "wait_strategy", words.WaitStrategy),
    ("steps", rows.step, "parallel_status", words.ParallelStatus),
    ("tool_calls", rows.tool_call, "status", words.ToolCallStatus),
    ("tool_calls", rows.tool_call, "approval", words.ToolApproval),
    ("todos", rows.todo, "status", words.TodoStatus),
    ("checkpoints", rows.checkpoint, "checkpoint_type", words.CheckpointType),
    ("run_events", rows.run_event, "kind", words.SessionEventKind),
    ("agent_memories", rows.memory, "memory_type", words.MemoryType),
    ("agent_memories", rows.memory, "trust", words.MemoryTrust),
    ("notebook_notes", notebook_note, "basis", words.AnswerBasis),
    ("notebook_members", rows.notebook_member, "role", words.NotebookRole),
    ("notebook_groups", rows.notebook_group, "role", words.NotebookGroupRole),
    ("knowledge_entities", own_knowledge, "level", words.KnowledgeLevel),
    ("knowledge_revisions", rows.knowledge_revision, "level", words.KnowledgeLevel),
    ("knowledge_entities", own_knowledge, "source_type", words.KnowledgeSourceType),
    ("knowledge_entities", reviewed_knowledge, "review_status", words.KnowledgeReviewStatus),
    ("session_learnings", rows.session_learning, "kind", words.LearningKind),
    ("background_jobs", rows.background_job, "status", words.JobStatus),
]
# CHECKs with tests of their own below.
SINGLE = {
    "connectors_scope_check",
    "quotas_scope_check",
    "quotas_subject_check",
    "legal_holds_subject_check",
    "runs_kind_check",
    "assistant_members_member_id_check",
    "chat_message_documents_sentence_check",
    "chat_message_documents_span_check",
    "chat_message_documents_url_check",
    "chunk_feedback_span_check",
}


async def test_every_check_is_tested(connection: asyncpg.Connection) -> None:
    found = await connection.fetch(
        "SELECT conname FROM pg_constraint WHERE contype = 'c' AND connamespace = 'public'::regnamespace"
    )

    tested = {name for name, *_ in RANGES} | {f"{table}_{column}_check" for table, _, column, _ in WORDS} | SINGLE
    assert {row["conname"] for row in found} == tested


@for_each(("name", "insert", "column", "good", "bad"), RANGES)
async def test_a_check_over_values(
    connection: asyncpg.Connection, name: str, insert: Insert, column: str, good: list[Any], bad: list[Any]
) -> None:
    async with rolled_back(connection):
        for value in good:
            await insert(connection, **{column: value})
        for value in bad:
            assert await refused(connection, insert, asyncpg.CheckViolationError, **{column: value}) == name


@for_each(("table", "insert", "column", "literal"), WORDS)
async def test_a_check_over_words(
    connection: asyncpg.Connection, table: str, insert: Insert, column: str, literal: Any
) -> None:
    async with rolled_back(connection):
        for word in get_args(literal):
            await insert(connection, **{column: word})
        name = await refused(connection, insert, asyncpg.CheckViolationError, **{column: "nonsense"})
        assert name == f"{table}_{column}_check"


async def test_scopes(connection: asyncpg.Connection) -> None:
    await rows.connector(connection, scope="user")
    await rows.connector(connection, scope="group", scope_id="g")
    await rows.connector(connection, scope="org")
    assert (
        await refused(connection, rows.connector, asyncpg.CheckViolationError, scope="all") == "connectors_scope_check"
    )


async def test_run_kinds_are_the_words(connection: asyncpg.Connection) -> None:
    definition = await connection.fetchval(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'runs_kind_check'"
    )
    assert set(re.findall(r"'(\w+)'", definition)) == set(get_args(words.RunKind))


@pytest.mark.parametrize("what", ["sentence", "span"])
async def test_places_of_citations(connection: asyncpg.Connection, what: str) -> None:
    for start, end in ((0, 0), (3, 9), (None, None)):
        await rows.citation(connection, **{f"{what}_start": start, f"{what}_end": end})
    for start, end in ((-1, 2), (5, 4)):
        name = await refused(
            connection, rows.citation, asyncpg.CheckViolationError, **{f"{what}_start": start, f"{what}_end": end}
        )
        assert name == f"chat_message_documents_{what}_check"


async def test_a_citation_is_of_a_document_or_a_web_page(connection: asyncpg.Connection) -> None:
    page = {"url": "https://example.org/", "document_id": None}
    assert (await rows.citation(connection, **page))["url"] == page["url"]
    document = await rows.document(connection)
    both = page | {"document_id": document["id"]}
    name = await refused(connection, rows.citation, asyncpg.CheckViolationError, **both)
    assert name == "chat_message_documents_url_check"


async def test_places_of_rated_words(connection: asyncpg.Connection) -> None:
    for start, end in ((0, 0), (3, 9), (None, None)):
        await rows.chunk_feedback(connection, span_start=start, span_end=end)
    for start, end in ((-1, 4), (5, 4)):
        values = {"span_start": start, "span_end": end}
        name = await refused(connection, rows.chunk_feedback, asyncpg.CheckViolationError, **values)
        assert name == "chunk_feedback_span_check"


async def test_run_statuses_are_active_or_final() -> None:
    assert {*words.ACTIVE_RUN_STATUSES, *words.FINAL_RUN_STATUSES} == set(get_args(words.RunStatus))
    assert not set(words.ACTIVE_RUN_STATUSES) & set(words.FINAL_RUN_STATUSES)


async def test_nobody_is_a_member_of_itself(connection: asyncpg.Connection) -> None:
    one = await rows.assistant(connection)
    both = {"assistant_id": one["id"], "member_id": one["id"]}
    name = await refused(connection, rows.assistant_member, asyncpg.CheckViolationError, **both)
    assert name == "assistant_members_member_id_check"


@pytest.mark.parametrize("scope", get_args(words.QuotaScope))
async def test_a_quota_binds_what_its_scope_says(connection: asyncpg.Connection, scope: str) -> None:
    member = await rows.group_member(connection)
    key = await rows.api_key(connection, user_id=member["user_id"])
    subjects = {
        "nobody": {},
        "group": {"group_id": member["group_id"]},
        "user": {"user_id": member["user_id"]},
        "key": {"api_key_id": key["id"]},
    }
    fitting = {
        "organization": {"nobody"},
        "group": {"group"},
        "member": {"nobody", "group"},
        "user": {"user"},
        "key": {"key"},
    }[scope]
    for name, subject in subjects.items():
        if name in fitting:
            await quota(connection, scope=scope, **subject)
        else:
            error = asyncpg.CheckViolationError
            assert await refused(connection, quota, error, scope=scope, **subject) == "quotas_subject_check"
    # An unknown word violates both, of which PostgreSQL names one.
    violated = await refused(connection, quota, asyncpg.CheckViolationError, scope="nonsense")
    assert violated == "quotas_scope_check"
