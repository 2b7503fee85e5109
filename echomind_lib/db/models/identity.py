"""Who uses the system and how they prove it: users, groups, passwords, tokens and sign-in providers."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, String, func, text
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db import words
from echomind_lib.db.models.base import Audit, Base, CreationDate, one_of

_SHA256 = 32


class User(Audit, Base):
    """An account, from the identity provider or local. Accounts are deactivated, never deleted.

    `groups` holds the names of the account's groups. To write it is to change memberships by hand: a trigger makes the
    rows of `groups` and `group_members` follow, and keeps the groups that other sources give. `external_id` is
    `PROVIDER:SUBJECT` of the first identity at a provider.

    Only a verified e-mail says who somebody is at a source; a changed one is unverified again. `email` is NULL for
    people of a provider or SCIM client that sends none.
    `skipped_setup_steps` and `is_setup_hidden` are what the person decided about the first run. `has_facts` is true
    from their first memory or knowledge on, by the trigger `note_fact_change`: runs of others look for none.

    An account of `kind` `service` is a program's: `created_by` has created it for a `purpose`, and it belongs to
    `owner_group_id`, of which it is always a member. It works with API keys alone: the trigger `refuse_service_account`
    lets nobody give it a password, sign-in link, web session, identity, SCIM user or administration of a group.
    """

    __tablename__ = "users"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_name: Mapped[str] = mapped_column(String(255))
    email: Mapped[str | None] = mapped_column(String(255))
    is_email_verified: Mapped[bool] = mapped_column(server_default=text("false"))
    first_name: Mapped[str | None] = mapped_column(String(255))
    last_name: Mapped[str | None] = mapped_column(String(255))
    external_id: Mapped[str | None]
    roles: Mapped[list[str]] = mapped_column(server_default=text("'{user}'"))
    groups: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    preferences: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    is_active: Mapped[bool] = mapped_column(server_default=text("true"))
    last_login: Mapped[datetime | None]
    skipped_setup_steps: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    is_setup_hidden: Mapped[bool] = mapped_column(server_default=text("false"))
    has_facts: Mapped[bool] = mapped_column(server_default=text("false"))
    kind: Mapped[words.AccountKind] = mapped_column(String(20), server_default=text("'person'"))
    purpose: Mapped[str] = mapped_column(server_default=text("''"))
    # Groups refer to accounts, too, so that neither table can be created with all of its references.
    owner_group_id: Mapped[int | None] = mapped_column(
        ForeignKey("groups.id", name="users_owner_group_id_fkey", use_alter=True)
    )
    created_by: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))

    __table_args__ = (
        one_of("kind", words.AccountKind),
        CheckConstraint("(kind = 'service') = (owner_group_id IS NOT NULL)", name="owner_group_id"),
        CheckConstraint(
            "kind = 'person' OR (email IS NULL AND external_id IS NULL AND NOT 'superadmin' = ANY (roles))",
            name="service",
        ),
        CheckConstraint(
            "skipped_setup_steps <@ ARRAY['profile', 'password', 'model', 'documents', 'question']",
            name="skipped_setup_steps",
        ),
        CheckConstraint("roles <@ ARRAY['user', 'admin', 'superadmin']", name="roles"),
        CheckConstraint("email <> ''", name="email"),
        Index("idx_users_user_name", func.lower(user_name), unique=True),
        Index("idx_users_email", func.lower(email), unique=True),
        Index("idx_users_external_id", "external_id", unique=True),
        Index("idx_users_owner_group_id", "owner_group_id", postgresql_where=text("owner_group_id IS NOT NULL")),
        Index("idx_users_created_by", "created_by", postgresql_where=text("created_by IS NOT NULL")),
    )


class Group(Audit, Base):
    """A group of users. Its name never changes: accounts, connectors and the vectors of their chunks carry it.

    `display_name` is shown instead of it, unless it is empty.
    """

    __tablename__ = "groups"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(255), unique=True)
    description: Mapped[str] = mapped_column(server_default=text("''"))
    display_name: Mapped[str] = mapped_column(String(255), server_default=text("''"))


class GroupMember(CreationDate, Base):
    """A user's membership of a group by one source; the user's `groups` are those of all sources.

    `source` is `manual`, `provider:ISSUER` or `scim:CLIENT`, and each source changes its own memberships alone. Those
    by hand are written by the trigger on `users.groups`, the others by `echomind_api.auth.memberships`.
    """

    __tablename__ = "group_members"

    group_id: Mapped[int] = mapped_column(ForeignKey("groups.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    source: Mapped[str] = mapped_column(primary_key=True, server_default=text("'manual'"))

    __table_args__ = (
        CheckConstraint("source = 'manual' OR source ~ '^(provider|scim):.'", name="source"),
        Index("idx_group_members_user_id", user_id),
    )


class GroupAdmin(CreationDate, Base):
    """A member of a group who adds and removes its members.

    Whoever leaves the group, by whatever source, is its admin no more: the trigger `remove_group_admins` sees to it.
    """

    __tablename__ = "group_admins"

    group_id: Mapped[int] = mapped_column(ForeignKey("groups.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)

    __table_args__ = (Index("idx_group_admins_user_id", user_id),)


class Credential(Audit, Base):
    """A local account's password, as an argon2 hash in PHC format."""

    __tablename__ = "credentials"

    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    password_hash: Mapped[str]


class SignInToken(CreationDate, Base):
    """A link that signs its user in once, before `expires_at`; `used_at` says that it was used.

    One whose `purpose` is `password` signs in together with choosing a new password.
    `authenticated_at` is that of the web session which made the link for its own account, as the link proves no more
    than that session; NULL means that using the link is the proof.
    """

    __tablename__ = "sign_in_tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    authenticated_at: Mapped[datetime | None]
    purpose: Mapped[words.LinkPurpose] = mapped_column(String(20), server_default=text("'sign_in'"))

    __table_args__ = (
        CheckConstraint(f"octet_length(token_hash) = {_SHA256}", name="token_hash"),
        one_of("purpose", words.LinkPurpose),
        Index("idx_sign_in_tokens_user_id", "user_id"),
    )


class WebSession(CreationDate, Base):
    """A browser's session; the cookie holds the token, the row its SHA-256.

    `authenticated_at` is when its user last proved who they are. `user_agent` and `address` are those of the sign-in,
    for the list of one's devices. `identity_id` is the identity at a provider that it was begun with, and
    `provider_session` the session there (`sid`), which the provider can end. A deactivated account loses its web
    sessions, sign-in links, API keys and open invitations by the trigger `revoke_credentials`.
    """

    __tablename__ = "web_sessions"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    expires_at: Mapped[datetime]
    last_seen: Mapped[datetime] = mapped_column(server_default=func.now())
    authenticated_at: Mapped[datetime] = mapped_column(server_default=func.now())
    user_agent: Mapped[str] = mapped_column(server_default=text("''"))
    address: Mapped[str] = mapped_column(server_default=text("''"))
    identity_id: Mapped[int | None] = mapped_column(ForeignKey("user_identities.id", ondelete="CASCADE"))
    provider_session: Mapped[str | None]

    __table_args__ = (
        CheckConstraint(f"octet_length(token_hash) = {_SHA256}", name="token_hash"),
        Index("idx_web_sessions_user_id", "user_id"),
        Index("idx_web_sessions_identity_id", "identity_id", postgresql_where=text("identity_id IS NOT NULL")),
        Index("idx_web_sessions_expires_at", "expires_at"),
    )


class IdentityProvider(Audit, Base):
    """An OpenID provider that people sign in at, beside those of the settings.

    The columns are those of `ProviderSettings`. `name` is part of the provider's addresses and never changes; `groups`
    and `roles` map its groups to ours. With `is_active` false nobody signs in with it.
    """

    __tablename__ = "identity_providers"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    title: Mapped[str] = mapped_column(String(100), server_default=text("''"))
    issuer: Mapped[str]
    client_id: Mapped[str]
    encrypted_client_secret: Mapped[str | None]
    scopes: Mapped[str]
    algorithms: Mapped[list[str]]
    email_trust: Mapped[words.EmailTrust] = mapped_column(String(20))
    email_domains: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    create_accounts: Mapped[bool] = mapped_column(server_default=text("true"))
    required_claims: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    audience: Mapped[str] = mapped_column(server_default=text("''"))
    groups_claim: Mapped[str]
    scim_claim: Mapped[str] = mapped_column(server_default=text("'sub'"))
    groups: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    roles: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    is_active: Mapped[bool] = mapped_column(server_default=text("true"))

    __table_args__ = (
        CheckConstraint("name ~ '^[a-z][a-z0-9_]*$'", name="name"),
        one_of("email_trust", words.EmailTrust),
        Index("idx_identity_providers_name", "name", unique=True),
        Index("idx_identity_providers_issuer", "issuer", unique=True),
    )


class UserIdentity(CreationDate, Base):
    """A person at an OpenID provider: `issuer` and `subject` find the account, and nothing else does.

    `roles` are those that the account has by the provider alone: at a sign-in it changes these, and what the account
    was given otherwise stays. `scim_id` is how SCIM clients name the person: the provider's `scim_claim`.
    """

    __tablename__ = "user_identities"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    issuer: Mapped[str]
    subject: Mapped[str] = mapped_column(String(255))
    roles: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    scim_id: Mapped[str | None] = mapped_column(String(255))

    __table_args__ = (
        Index("idx_user_identities_subject", "issuer", "subject", unique=True),
        Index("idx_user_identities_scim_id", "issuer", "scim_id"),
        Index("idx_user_identities_user_id", "user_id"),
    )


class UsedLogoutToken(CreationDate, Base):
    """A logout token that a provider has sent (`jti`), which is accepted once; kept until it would be too old."""

    __tablename__ = "used_logout_tokens"

    issuer: Mapped[str] = mapped_column(primary_key=True)
    token_id: Mapped[str] = mapped_column(primary_key=True)
    expires_at: Mapped[datetime]

    __table_args__ = (Index("idx_used_logout_tokens_expires_at", "expires_at"),)


class SignInAttempt(CreationDate, Base):
    """A sign-in that a browser has begun at a provider; the row is deleted when it comes back.

    `state_hash` is the SHA-256 of what the provider sends back, `browser_hash` that of the browser's cookie, and
    `encrypted_verifier` a Fernet token over PKCE's. `return_path` is where the browser goes afterwards. With `is_test`
    nobody is signed in: the page shows what the provider has sent. With `is_connection` the person at the provider is
    connected to the account of the web session that began it, which must still be there.
    """

    __tablename__ = "sign_in_attempts"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    provider: Mapped[str] = mapped_column(String(40))
    state_hash: Mapped[bytes] = mapped_column(unique=True)
    browser_hash: Mapped[bytes]
    nonce: Mapped[str]
    encrypted_verifier: Mapped[str]
    redirect_uri: Mapped[str]
    return_path: Mapped[str]
    web_session_id: Mapped[int | None] = mapped_column(ForeignKey("web_sessions.id", ondelete="SET NULL"))
    is_test: Mapped[bool] = mapped_column(server_default=text("false"))
    is_connection: Mapped[bool] = mapped_column(server_default=text("false"))
    expires_at: Mapped[datetime]

    __table_args__ = (
        CheckConstraint(f"octet_length(state_hash) = {_SHA256}", name="state_hash"),
        CheckConstraint(f"octet_length(browser_hash) = {_SHA256}", name="browser_hash"),
        Index(
            "idx_sign_in_attempts_web_session_id",
            "web_session_id",
            postgresql_where=text("web_session_id IS NOT NULL"),
        ),
        Index("idx_sign_in_attempts_expires_at", "expires_at"),
    )


class Invitation(Audit, Base):
    """A link by which one person creates an account with these roles and groups, once, before `expires_at`.

    It works while `invited_by` is an active superadmin. `email` is that of the account; NULL lets its person choose.
    """

    __tablename__ = "invitations"

    id: Mapped[int] = mapped_column(primary_key=True)
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    email: Mapped[str | None] = mapped_column(String(255))
    roles: Mapped[list[str]] = mapped_column(server_default=text("'{user}'"))
    groups: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    expires_at: Mapped[datetime]
    invited_by: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    accepted_at: Mapped[datetime | None]
    accepted_user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))

    __table_args__ = (
        CheckConstraint(f"octet_length(token_hash) = {_SHA256}", name="token_hash"),
        CheckConstraint("roles <@ ARRAY['user', 'admin', 'superadmin']", name="roles"),
        Index("idx_invitations_invited_by", "invited_by"),
        Index(
            "idx_invitations_accepted_user_id",
            "accepted_user_id",
            postgresql_where=text("accepted_user_id IS NOT NULL"),
        ),
    )
