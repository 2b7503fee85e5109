"""What a model does not show of its row, and what it has beside, each with the reason."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from echomind_lib.contract import ProtoModel
from echomind_lib.db import models as rows
from echomind_lib.db.models import Base
from echomind_lib.models import public

AUDIT: Final = {"user_id_last_update": "who made the last change is for administrators and stands in the audit log too"}
UPDATED_BY_COLUMN: Final = {"user_id_last_update": "`updated_by`"}
UPDATED_BY: Final = {
    "updated_by": "`user_id_last_update`, for those who manage it",
    "updated_by_name": "of the account",
}
SOFT_DELETE: Final = {"deleted_date": "a deleted row is not shown at all"}


@dataclass(frozen=True)
class Mapped:
    """A row and its model.

    Attributes:
        row: The mapped class.
        model: The model of the contract.
        internal: Columns that are never exposed.
        derived: Fields that are no columns.
    """

    row: type[Base]
    model: type[ProtoModel]
    internal: Mapping[str, str]
    derived: Mapping[str, str]


MAPPED: Final = {
    "api_keys": Mapped(
        rows.ApiKey,
        public.ApiKey,
        internal={
            "user_id": "keys are listed for their owner alone",
            "sha256": "proves the key",
            "previous_sha256": "proves the key until the overlap of its rotation is over",
            "revoked": "revoked keys are not shown",
            "networks": "the audit log has the first use from another one",
            "last_update": "the audit log has the changes of a key's quotas, its rotations and its end",
            **AUDIT,
        },
        derived={"quotas": "of `quotas` and `quota_usage`"},
    ),
    "assistant_versions": Mapped(
        rows.AssistantVersion,
        public.AssistantVersion,
        internal={"config": "offered as `assistant`, without secrets"},
        derived={
            "assistant": "of `config`",
            "created_by_name": "of the account",
            "changed_fields": "of this version and the one before",
        },
    ),
    "assistants": Mapped(
        rows.Assistant,
        public.Assistant,
        internal={"created_by": "for administrators; stands in the audit log too", **UPDATED_BY_COLUMN, **SOFT_DELETE},
        derived={"members": "of `assistant_members`", **UPDATED_BY},
    ),
    "chat": Mapped(
        rows.ChatSession,
        public.ChatSession,
        internal={
            "context": "the agent's own notes",
            "title_origin": "whether a title may be replaced",
            "generated_title": "offered as `title`, to those who may see it",
            "title_attempts": "how often the model is asked for a title",
            "compressed_summary": "offered as `summary`",
            "last_compressed_message_id": "offered as `last_summarized_message_id`",
            "is_compressing": "offered as `is_summarizing`",
            "compressing_started_at": "a lock of the agent's",
            "events_pruned_to": "streams tell of it",
            "unlisted": "such sessions are in no list",
            "imported_at": "for retention rules",
            "limited_by": "the API key with limits that began it",
            "limited_assistants": "limits of its runs, as those of its key",
            "limited_connectors": "limits of its runs, as those of its key",
            "metadata_": "offered as `metadata`, to its owner",
            **AUDIT,
            **SOFT_DELETE,
        },
        derived={
            "metadata": "of `metadata_`",
            "summary": "of `compressed_summary`",
            "last_summarized_message_id": "of `last_compressed_message_id`",
            "is_summarizing": "of `is_compressing`",
            "run_status": "of its runs",
        },
    ),
    "checkpoints": Mapped(rows.Checkpoint, public.Checkpoint, internal={}, derived={}),
    "connector_syncs": Mapped(
        rows.ConnectorSync,
        public.ConnectorSync,
        internal={
            "attempt": "fences workers",
            "pages": "of the engine",
            "may_remove": "`status` says whether it waits",
            "cursor_before": "shown as `cursor_at_begin`",
            "cursor_after": "shown as `cursor_at_end`",
            "user_id_last_update": "shown as `requested_by`",
            "last_update": "of the engine",
        },
        derived={
            "requested_by": "`user_id_last_update`",
            "cursor_at_begin": "`cursor_before`",
            "cursor_at_end": "`cursor_after`",
        },
    ),
    "connectors": Mapped(
        rows.Connector,
        public.Connector,
        internal={
            "state": "where the next sync continues",
            "encrypted_credentials": "secret",
            "sync_failures": "for the scheduler",
            "is_owner_erased": "for the deletion in the background",
            **UPDATED_BY_COLUMN,
            **SOFT_DELETE,
        },
        derived={
            "type_name": "the column `type`, of which `type` has only EchoMind's own words",
            "credentials": "only written",
            "has_credentials": "whether `encrypted_credentials` is set",
            "sync": "the newest row of `connector_syncs`",
            **UPDATED_BY,
        },
    ),
    "device_sign_ins": Mapped(
        rows.DeviceSignIn,
        public.DeviceSignIn,
        internal={
            "device_code_hash": "proves the program",
            "user_code_hash": "finds it by what a person types",
            "network": "limits how many wait",
            "interval_seconds": "how often the program may poll, which it is told when it does",
            "polled_at": "decides whether a poll comes too early",
            "approved": "what the program learns when it polls",
            "user_id": "who decided, and whose API key it gets",
        },
        derived={},
    ),
    "documents": Mapped(
        rows.Document,
        public.Document,
        internal={
            "container_id": "the uploaded or synced file that contains it, over all levels",
            "url": "where the bytes are kept",
            "processing_session": "which attempt may publish its chunks",
            "index_id": "the index to which its chunks were written",
            "worker_id": "the worker whose attempt it is",
            "source_name": "for syncs: the name that the source gave it last",
            "source_version": "for syncs: the version whose content is stored",
            "folder_source_id": "for syncs: the source's id of its folder",
            "parent_source_id": "for syncs: the source's id of the document that it belongs to",
            "source_readers": "for access: who may read it at the source",
            "readers_changed_at": "for the ingestor: whether chunks carry who may read it",
            **UPDATED_BY_COLUMN,
            **SOFT_DELETE,
        },
        derived={"kind": "by `content_type`", "file_name": "by `source_name` and `source_id`", **UPDATED_BY},
    ),
    "embedding_models": Mapped(
        rows.EmbeddingModel,
        public.EmbeddingModel,
        internal={
            "collection": "where the index is kept",
            "index_state": "part of `status`",
            "state_since": "`status_since`",
            "state_message": "part of the index's progress",
            "calibration": "what the test measured, for searches",
            **UPDATED_BY_COLUMN,
            **SOFT_DELETE,
        },
        derived={
            "has_api_key": "whether `api_key` is set",
            "status": "`is_active` and `index_state`",
            "status_since": "`state_since`",
            "standby_until": "a day after `state_since`",
            **UPDATED_BY,
        },
    ),
    "rerankers": Mapped(
        rows.Reranker,
        public.Reranker,
        internal={**UPDATED_BY_COLUMN, **SOFT_DELETE},
        derived={"has_api_key": "whether `api_key` is set", **UPDATED_BY},
    ),
    "evaluation_cases": Mapped(rows.EvaluationCase, public.EvaluationCase, internal=AUDIT, derived={}),
    "evaluation_datasets": Mapped(
        rows.EvaluationDataset,
        public.EvaluationDataset,
        internal=AUDIT,
        derived={
            "user_name": "of `users`",
            "cases": "counted",
            "is_editable": "whether the reader is its owner",
        },
    ),
    "evaluation_results": Mapped(
        rows.EvaluationResult,
        public.EvaluationResult,
        internal={
            "error": "shown as `status_message`",
            "judge_prompt_tokens": "summed in the figures of the evaluation",
            "judge_completion_tokens": "summed in the figures of the evaluation",
        },
        derived={"status_message": "`error`"},
    ),
    "evaluation_runs": Mapped(
        rows.EvaluationRun,
        public.EvaluationRun,
        internal={
            "error": "shown as `status_message`",
            "completed_at": "shown as `completion_date`",
            "api_key_id": "the quotas of the key that started it are shown with the key",
        },
        derived={
            "dataset_name": "of `evaluation_datasets`",
            "assistant_name": "of `assistants`",
            "judge_llm_name": "of `llms`",
            "status_message": "`error`",
            "completion_date": "`completed_at`",
            "questions": "counted",
            "answered": "counted",
            "failed": "counted",
            "figures": "of `evaluation_results`",
        },
    ),
    "groups": Mapped(
        rows.Group,
        public.Group,
        internal=UPDATED_BY_COLUMN,
        derived={
            "member_count": "counted in `group_members`",
            "connector_count": "counted in `connectors`",
            **UPDATED_BY,
            "assistant_count": "counted in `assistants`",
            "service_account_count": "counted in `users`",
            "admin_count": "counted in `group_admins`",
            "can_manage": "says what the caller may do",
        },
    ),
    "identity_providers": Mapped(
        rows.IdentityProvider,
        public.IdentityProvider,
        internal={
            "encrypted_client_secret": "is never returned; `client_secret` writes it",
            "groups_claim": "part of `mapping`",
            "groups": "part of `mapping`",
            "roles": "part of `mapping`",
            "required_claims": "part of `mapping`",
            "scim_claim": "part of `mapping`",
            **UPDATED_BY_COLUMN,
        },
        derived={
            "client_secret": "written alone",
            "has_client_secret": "whether `encrypted_client_secret` is set",
            "mapping": "several columns",
            "is_managed": "false for all rows: the settings make the others",
            **UPDATED_BY,
        },
    ),
    "installation_settings": Mapped(
        rows.InstallationSettings,
        public.InstallationSettings,
        internal={
            "id": "there is one row",
            "creation_date": "when the installation was made",
            "last_update": "the audit log says it",
            "has_quotas": "runs are charged only where there are quotas",
            "has_shared_knowledge": "runs look for no knowledge where there is none",
            **UPDATED_BY_COLUMN,
        },
        derived={"is_local_accounts_managed": "whether the environment decides", **UPDATED_BY},
    ),
    "invitations": Mapped(
        rows.Invitation,
        public.Invitation,
        internal={
            "token_hash": "proves the link",
            "last_update": "an invitation's only change is its use, which `accepted_at` says",
            **AUDIT,
        },
        derived={"status": "follows from `accepted_at`, `expires_at` and the account that made it"},
    ),
    "knowledge": Mapped(
        rows.KnowledgeEntity,
        public.KnowledgeEntity,
        internal=AUDIT
        | {
            "prior_alpha": "clients see the confidence that comes of it",
            "prior_beta": "clients see the confidence that comes of it",
            "alpha": "clients see the confidence that comes of it",
            "beta": "clients see the confidence that comes of it",
            "evidence_at": "clients see the confidence that comes of it",
            "embedding_id": "its point in the vector index",
            "metadata_": "offered as `source_message_ids`",
        },
        derived={
            "user_name": "of the account",
            "sources": "rows of `knowledge_sources`",
            "confidence": "by the counts and their age",
            "confidence_bound": "by the counts and their age",
            "is_verified": "by `review_after`",
            "my_feedback": "a row of `knowledge_feedback`",
            "helpful_count": "counted in `knowledge_feedback`",
            "not_helpful_count": "counted in `knowledge_feedback`",
            "can_manage": "whether the caller may change it",
            "source_message_ids": "of `metadata`",
        },
    ),
    "knowledge_revisions": Mapped(
        rows.KnowledgeRevision,
        public.KnowledgeRevision,
        internal={"knowledge_id": "named in the request"},
        derived={
            "user_name": "of the account",
            "differences": "compared with the revision before",
        },
    ),
    "llms": Mapped(
        rows.Llm,
        public.Llm,
        internal={**UPDATED_BY_COLUMN, **SOFT_DELETE},
        derived={"has_api_key": "whether `api_key` is set", **UPDATED_BY},
    ),
    "memories": Mapped(
        rows.AgentMemory,
        public.Memory,
        internal={
            "user_id": "the caller's",
            "embedding_id": "names the point in the vector index",
            **UPDATED_BY_COLUMN,
        },
        derived={"updated_by": "`user_id_last_update`; 0 for NULL"},
    ),
    "notebook_notes": Mapped(
        rows.NotebookNote,
        public.NotebookNote,
        internal=UPDATED_BY_COLUMN,
        derived={
            "user_name": "of `users`",
            "is_editable": "by the reader's role in the notebook",
            **UPDATED_BY,
        },
    ),
    "notebooks": Mapped(
        rows.Notebook,
        public.Notebook,
        internal=UPDATED_BY_COLUMN | {"title_author_id": "part of `is_written_by_caller`"},
        derived={
            "instructions_author_name": "of `users`",
            "is_written_by_caller": "`title_author_id` and `instructions_author_id`",
            "role": "of `notebook_members`",
            "user_name": "of `users`",
            "source_count": "counted in `notebook_sources`",
            "member_count": "counted in `notebook_members`",
            "session_count": "counted in `chat_sessions`",
            **UPDATED_BY,
        },
    ),
    "audit": Mapped(
        rows.AuditEntry,
        public.AuditEntry,
        internal={},
        derived={
            "actor_name": "of the account",
            "actor_kind": "of the account",
            "is_sealed": "whether a seal covers it",
        },
    ),
    "audit_seals": Mapped(
        rows.AuditSeal,
        public.AuditSeal,
        internal={
            "first_id": "is compared by the server",
            "last_id": "is called last_entry_id",
            "count": "is compared by the server",
            "last_entry_at": "says when the time of its entries is over",
            "ids": "are compared by the server",
            "digests": "are compared by the server",
            "content_hash": "is compared by the server",
            "previous_hash": "is compared by the server",
        },
        derived={"last_entry_id": "the column last_id"},
    ),
    "webhook_deliveries": Mapped(
        rows.WebhookDelivery,
        public.WebhookDelivery,
        internal={"data": "offered as `payload`"},
        derived={"payload": "of `data`, with its type and time"},
    ),
    "webhooks": Mapped(
        rows.Webhook,
        public.Webhook,
        internal={
            "encrypted_secret": "signs; shown once",
            "encrypted_previous_secret": "signs until the overlap of its rotation is over",
            "failures": "`failing_since` says whether it fails",
            "held_until": "a rest of the sender's",
            "last_update": "each failed delivery sets it",
            **AUDIT,
        },
        derived={"user_name": "of the account"},
    ),
    "quotas": Mapped(
        rows.Quota,
        public.Quota,
        internal={"api_key_id": "quotas of keys are shown with their key", **UPDATED_BY_COLUMN},
        derived={
            "group_name": "of the group",
            "user_name": "of the account",
            **UPDATED_BY,
        },
    ),
    "retention_rules": Mapped(
        rows.RetentionRule,
        public.RetentionRule,
        internal={
            "creation_date": "offered as `set_at`",
            "last_update": "offered as `set_at`",
            "user_id_last_update": "`set_by_name`",
        },
        derived={
            "default_days": "of the settings",
            "is_set": "whether there is a row",
            "set_at": "of `last_update`, or `creation_date`",
            "set_by_name": "of the account",
        },
    ),
    "erasures": Mapped(
        rows.Erasure,
        public.Erasure,
        internal={
            "erased_user_id": "offered as `user_id`",
            "erased_by": "`erased_by_name`",
            "attempted_at": "part of `state`",
            "error": "offered as `status_message`",
        },
        derived={
            "user_id": "the column erased_user_id",
            "erased_by_name": "of the account",
            "state": "`completed_at`, `attempted_at` and `error`",
            "sessions_left": "counted in `chat_sessions`",
            "status_message": "the column error",
        },
    ),
    "legal_holds": Mapped(
        rows.LegalHold,
        public.LegalHold,
        internal={"placed_by": "`placed_by_name`", "released_by": "`released_by_name`"},
        derived={
            "user_name": "of the account",
            "placed_by_name": "of the account",
            "released_by_name": "of the account",
        },
    ),
    "runs": Mapped(
        rows.Run,
        public.Run,
        internal={
            "state": "the agent's own notes",
            "caller": "what the program that asked gave, which it has",
            "api_key_id": "the quotas of the key that asked are shown with the key",
            "untrusted": "seen at the tool calls that it holds back",
            "final_output": "the message, which is offered by its id, or `output`",
            "priority": "follows from `auto_run` of the run's root, and from how long it has waited",
            "slot": "a matter of the queue's",
            "worker_id": "which process has the run is for administrators",
            "retry_count": "counted in `attempt`",
            "max_retries": "a limit of the system's",
            "control_requested": "the status follows at once",
            "request_id": "the caller's own",
            "requested_llm_id": "`llm_id` is the one that works",
            "metadata_": "offered as `metadata`, to its user",
            "last_update": "the events say what happened when",
            **AUDIT,
        },
        derived={
            "metadata": "of `metadata_`",
            "tools": "of `state`",
            "assistant_name": "of the assistant",
            "message_id": "the message whose `run_id` it is",
            "output": "of `final_output`, for a run without a message",
            "decisions": "of the tool calls of its steps",
        },
    ),
    "scim_clients": Mapped(
        rows.ScimClient,
        public.ScimClient,
        internal={"issuer": "read as `provider`, the name of the provider with it", **UPDATED_BY_COLUMN},
        derived={
            "provider": "the name of the provider with the row's `issuer`",
            "tokens": "the rows of `scim_tokens` that work",
            "last_used_at": "the latest use of a token",
            "user_count": "counted in `scim_users`",
            "group_count": "counted in `scim_groups`",
            **UPDATED_BY,
        },
    ),
    "scim_tokens": Mapped(
        rows.ScimToken,
        public.ScimToken,
        internal={"client_id": "tokens are shown with their client", "sha256": "proves the token"},
        derived={},
    ),
    "service_accounts": Mapped(
        rows.User,
        public.ServiceAccount,
        internal={
            "user_name": "read as `name`",
            "email": "a program has none",
            "is_email_verified": "a program has no address",
            "first_name": "a program has none",
            "last_name": "a program has none",
            "external_id": "a program has no identity at a provider",
            "preferences": "read as `User`, by the account itself",
            "last_login": "a program does not sign in",
            "skipped_setup_steps": "read as `Setup`, by the account itself",
            "is_setup_hidden": "read as `Setup`, by the account itself",
            "has_facts": "runs of others look for no memories and no knowledge",
            "kind": "is the same for all of them",
            **UPDATED_BY_COLUMN,
        },
        derived={
            "name": "the row's `user_name`",
            "owner_group": "the name of the group",
            "owner_group_display_name": "the display name of the group",
            "last_used_at": "the latest use of a key",
            "key_count": "counted in `api_keys`",
            "can_manage": "says what the caller may do",
            "can_create_keys": "says what the caller may do",
            "created_by_name": "the name of the account `created_by`",
            **UPDATED_BY,
        },
    ),
    "session_shares": Mapped(
        rows.SessionShare,
        public.SessionShare,
        internal={
            "user_id": "everybody lists their own",
            "token_hash": "proves the link; `has_link` says whether there is one",
            "revoked_at": "a revoked share is not shown",
            "last_update": "of a share `shared_at` says it",
            **AUDIT,
        },
        derived={
            "status": "of the share, its session, its owner's rights and the installation's settings",
            "is_current": "of the session's head",
            "has_link": "of `token_hash`",
            "recipients": "rows of `session_share_recipients`",
        },
    ),
    "todos": Mapped(rows.Todo, public.Todo, internal=AUDIT, derived={}),
    "users": Mapped(
        rows.User,
        public.User,
        internal={
            "skipped_setup_steps": "read as `Setup`, by the account itself",
            "has_facts": "runs of others look for no memories and no knowledge",
            "is_setup_hidden": "read as `Setup`, by the account itself",
            "purpose": "read as `ServiceAccount`",
            "owner_group_id": "read as `ServiceAccount`",
            "created_by": "read as `ServiceAccount`",
            **UPDATED_BY_COLUMN,
        },
        derived={"memberships": "the rows of `group_members`, for one account", **UPDATED_BY},
    ),
    "web_sessions": Mapped(
        rows.WebSession,
        public.WebSession,
        internal={
            "user_id": "sessions are listed for their owner alone",
            "token_hash": "proves the session",
            "identity_id": "decides where its user signs out as well",
            "provider_session": "lets the provider end the session",
            "authenticated_at": "decides what takes a recent sign-in",
        },
        derived={"is_current": "whether the call was made in it"},
    ),
}
"""By the names of the mappers' modules."""
