"""Where data of people is: every table, whose rows are whose, and what becomes of them when a person is erased.

A test compares it with the schema: a table that is missing, or a reference to an account that no store names, fails it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Table, exists, or_, select

from echomind_lib.db.models import Base, NotebookMember

Rule = Literal["delete", "hand_over", "anonymize", "keep"]
ACCOUNT: Final = "users"


@dataclass(frozen=True, slots=True)
class Store:
    """Rows of a table that belong to a person or name one.

    Attributes:
        table: The table.
        rule: What becomes of them.
        links: Columns with the table to whose `id` they refer: the account, or rows of its own.
        reason: Why, or who has them now.
        where: Which of these rows; None for all.
    """

    table: str
    rule: Rule
    links: Sequence[tuple[str, str]]
    reason: str
    where: Callable[[Table, int], ColumnElement[bool]] | None = None

    def rows(self, user_id: int) -> ColumnElement[bool]:
        """Returns the condition for the rows of a person."""
        table = Base.metadata.tables[self.table]
        conditions = [_belongs(table.c[column], parent, user_id) for column, parent in self.links]
        found = or_(*conditions)
        return found if self.where is None else found & self.where(table, user_id)


def _belongs(column: Any, parent: str, user_id: int) -> ColumnElement[bool]:
    if parent == ACCOUNT:
        return column == user_id  # type: ignore[no-any-return]
    owned = [store.rows(user_id) for store in STORES if store.table == parent and store.rule == "delete"]
    return column.in_(select(Base.metadata.tables[parent].c.id).where(or_(*owned)))  # type: ignore[no-any-return]


def _is_shared_notebook(table: Table, user_id: int) -> ColumnElement[bool]:
    return exists().where(NotebookMember.notebook_id == table.c.id, NotebookMember.user_id != user_id)


def _is_in_other_session(table: Table, user_id: int) -> ColumnElement[bool]:
    sessions = Base.metadata.tables["chat_sessions"]
    return table.c.chat_session_id.not_in(select(sessions.c.id).where(sessions.c.user_id == user_id))


_OWN: Final = "belongs to the person"
_SESSION: Final = (("chat_session_id", "chat_sessions"),)
_MESSAGE: Final = ("chat_message_id", "chat_messages")
_CONNECTOR: Final = (("connector_id", "connectors"),)
_BACKGROUND: Final = "belongs to a private connector; its files and passages are deleted in the background"
_NAMED: Final = "belongs to the organization, and no longer names the person"
_USER: Final = (("user_id", ACCOUNT),)


def _own(table: str, *links: tuple[str, str], reason: str = _OWN) -> Store:
    return Store(table, "delete", links or _USER, reason)


STORES: Final[Sequence[Store]] = (
    _own("users", ("id", ACCOUNT)),
    *(_own(table) for table in ("credentials", "api_keys", "user_identities", "scim_users")),
    *(_own(table) for table in ("sign_in_tokens", "device_sign_ins", "device_code_failures", "group_members")),
    *(_own(table) for table in ("group_admins", "agent_memories", "usage_daily")),
    *(_own(table, *_USER, ("api_key_id", "api_keys")) for table in ("quotas", "quota_usage")),
    *(_own(table) for table in ("webhooks",)),
    _own("web_sessions", *_USER, ("identity_id", "user_identities")),
    _own("notebook_members", *_USER, ("notebook_id", "notebooks")),
    _own("chunk_feedback", *_USER, ("message_id", "chat_messages"), ("document_id", "documents")),
    _own("knowledge_feedback", *_USER, ("knowledge_id", "knowledge_entities")),
    _own("invitations", ("invited_by", ACCOUNT), ("accepted_user_id", ACCOUNT)),
    _own("connector_sign_ins", *_CONNECTOR, ("web_session_id", "web_sessions")),
    _own("memory_sources", ("memory_id", "agent_memories")),
    _own("webhook_deliveries", ("webhook_id", "webhooks")),
    _own("chat_sessions", *_USER, ("limited_by", "api_keys"), ("notebook_id", "notebooks")),
    *(
        _own(table, *_SESSION)
        for table in (
            "chat_messages",
            "chat_session_sources",
            "checkpoints",
            "session_learnings",
        )
    ),
    _own("chat_session_texts", *_USER, *_SESSION),
    _own("runs", *_USER, *_SESSION),
    *(_own(table, *_SESSION, ("run_id", "runs")) for table in ("todos", "run_events")),
    _own("steps", ("run_id", "runs")),
    _own("tool_calls", ("step_id", "steps")),
    _own("quota_charges", ("run_id", "runs")),
    _own("knowledge_uses", *_SESSION, ("run_id", "runs"), ("knowledge_id", "knowledge_entities")),
    _own("chat_message_documents", _MESSAGE),
    _own("chat_message_feedbacks", *_USER, _MESSAGE),
    _own("rated_questions", ("message_id", "chat_messages")),
    _own("session_shares", *_USER, *_SESSION),
    _own("session_share_recipients", *_USER, ("session_share_id", "session_shares")),
    _own("evaluation_datasets"),
    _own("evaluation_cases", ("dataset_id", "evaluation_datasets")),
    _own("evaluation_runs", *_USER, ("dataset_id", "evaluation_datasets")),
    _own("evaluation_results", ("evaluation_run_id", "evaluation_runs")),
    Store("knowledge_entities", "delete", _USER, _OWN, lambda table, _: table.c.level == "individual"),
    Store("knowledge_entities", "anonymize", _USER, _NAMED, lambda table, _: table.c.level != "individual"),
    _own("knowledge_sources", ("knowledge_id", "knowledge_entities")),
    _own("knowledge_revisions", ("knowledge_id", "knowledge_entities")),
    Store(
        "notebooks", "hand_over", _USER, "other members go on using it; another owner has it now", _is_shared_notebook
    ),
    Store("notebooks", "delete", _USER, _OWN, lambda table, user_id: ~_is_shared_notebook(table, user_id)),
    Store(
        "notebooks",
        "anonymize",
        (("title_author_id", ACCOUNT), ("instructions_author_id", ACCOUNT)),
        "belongs to somebody else, and no longer says that the person wrote title or instructions",
        lambda table, user_id: table.c.user_id != user_id,
    ),
    _own("notebook_notes", *_USER, ("notebook_id", "notebooks")),
    _own("notebook_note_sources", ("note_id", "notebook_notes")),
    *(_own(table, ("notebook_id", "notebooks")) for table in ("notebook_groups", "notebook_summaries")),
    _own("notebook_sources", ("notebook_id", "notebooks"), *_CONNECTOR, ("document_id", "documents")),
    Store(
        "connectors",
        "hand_over",
        _USER,
        "others read it; the superadmin has it now",
        lambda table, _: table.c.scope != "user",
    ),
    Store("connectors", "delete", _USER, _BACKGROUND, lambda table, _: table.c.scope == "user"),
    Store(
        "connectors",
        "anonymize",
        (("signed_in_by", ACCOUNT),),
        "no longer says that the person signed in for it",
    ),
    *(
        _own(table, *_CONNECTOR, reason=_BACKGROUND)
        for table in (
            "documents",
            "connector_syncs",
            "crawl_addresses",
            "source_folders",
            "source_principals",
        )
    ),
    _own("connector_sync_failures", *_CONNECTOR, ("sync_id", "connector_syncs"), reason=_BACKGROUND),
    _own("connector_sync_seen", ("sync_id", "connector_syncs"), reason=_BACKGROUND),
    _own("source_members", ("group_id", "source_principals"), ("member_id", "source_principals"), reason=_BACKGROUND),
    _own("document_acl", ("document_id", "documents"), ("principal_id", "source_principals"), reason=_BACKGROUND),
    _own("index_documents", ("document_id", "documents"), reason=_BACKGROUND),
    Store(
        "users", "anonymize", (("created_by", ACCOUNT),), "is an account of a program, and no longer names who made it"
    ),
    Store("assistants", "anonymize", (("created_by", ACCOUNT),), _NAMED),
    Store("assistant_versions", "anonymize", (("created_by", ACCOUNT),), _NAMED),
    Store("knowledge_revisions", "anonymize", _USER, _NAMED),
    Store("notebook_sources", "anonymize", _USER, _NAMED),
    Store("source_aliases", "anonymize", _USER, "says that a person of a source has no account"),
    Store("legal_holds", "anonymize", (("placed_by", ACCOUNT), ("released_by", ACCOUNT)), _NAMED),
    Store("erasures", "anonymize", (("erased_by", ACCOUNT),), _NAMED),
    Store(
        "legal_holds",
        "keep",
        (("user_id", ACCOUNT), *_SESSION),
        "is released, and names the account or the conversation by its number; its reason is as it was written",
    ),
    Store(
        "chat_messages",
        "keep",
        (("author_id", ACCOUNT),),
        "was written in conversations of others, or copied by them; it names the account by its number",
        _is_in_other_session,
    ),
    Store(
        "audit_log",
        "keep",
        (("actor_id", ACCOUNT),),
        "is sealed and cannot be changed; it names the account by its number, and in entries about the account also by "
        "user name or e-mail address; it ends with its retention rule",
    ),
)
"""The data of a person, by table."""

WITHOUT_PERSON: Final = {
    "assistant_members": "names assistants",
    "audit_seals": "holds hashes",
    "background_jobs": "names ids; jobs of a conversation are deleted with it",
    "embedding_models": "belongs to the installation",
    "fact_changes": "names ids, until the vectors have followed",
    "groups": "belongs to the organization",
    "identity_providers": "belongs to the installation",
    "installation_settings": "belongs to the installation",
    "llms": "belongs to the installation",
    "mcp_server_states": "says whether servers were reached",
    "request_counts": "counts a minute for a limit, and is deleted an hour later",
    "rerankers": "belongs to the installation",
    "retention_rules": "belongs to the installation",
    "scim_clients": "belongs to the installation",
    "scim_groups": "names groups",
    "scim_tokens": "belongs to the installation",
    "sign_in_attempts": "holds secrets alone, for ten minutes",
    "stream_leases": "counts streams for a limit, and is deleted an hour after the last one",
    "used_logout_tokens": "holds ids of tokens, until they expire",
    "workers": "is about processes",
}
"""Tables without data of people, with the reason."""
