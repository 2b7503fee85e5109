"""What those who run an installation see and set."""

from typing import Final

from echomind_lib.db import models as rows
from echomind_lib.models import public
from tests.factories.mapped.base import AUDIT, UPDATED_BY, UPDATED_BY_COLUMN, Mapped

MAPPED: Final = {
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
    "installation_settings": Mapped(
        rows.InstallationSettings,
        public.InstallationSettings,
        internal={
            "id": "there is one row",
            "creation_date": "when the installation was made",
            "last_update": "the audit log says it",
            "has_quotas": "runs are charged only where there are quotas",
            "has_rates": "callers are looked up only where there are limits at a time",
            "has_shared_knowledge": "runs look for no knowledge where there is none",
            **UPDATED_BY_COLUMN,
        },
        derived={"is_local_accounts_managed": "whether the environment decides", **UPDATED_BY},
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
}
