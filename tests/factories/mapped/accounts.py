"""Accounts, what proves who somebody is, and what they may use up."""

from typing import Final

from echomind_lib.db import models as rows
from echomind_lib.models import public
from tests.factories.mapped.base import AUDIT, UPDATED_BY, UPDATED_BY_COLUMN, Mapped

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
