"""Code that reads tables with owners uses `echomind_lib.access`, or is listed here with the reason.

An owned table has a `user_id`, or rows that must refer to one that has. A module asks `access` when it uses one of its
rules, or one of the functions that look something up as the caller.
"""

import ast
from dataclasses import dataclass

from tests.drivers.sql_statements import TABLES
from tests.drivers.sql_uses import modules, uses_by_module

RULES = {
    "echomind_lib.access": {
        "assistants",
        "chat_sessions",
        "connectors",
        "connectors_by_name",
        "connectors_of_scopes",
        "evaluation_datasets",
        "evaluation_runs",
        "memories",
        "runs",
        "webhooks",
    },
    "echomind_lib.access.documents": {"documents", "documents_cited", "documents_of_scopes", "is_source_reader"},
    "echomind_lib.access.shares": {"is_shared_with"},
    "echomind_lib.access.sources": {
        "asker_may_read_sources",
        "may_read_sources",
        "sources_publishable",
        "sources_readable",
    },
    "echomind_lib.access.knowledge": {"knowledge", "knowledge_listed", "knowledge_of_scopes"},
    "echomind_lib.access.assistant_choice": {"choose_assistant", "chosen", "usable"},
    "echomind_lib.access.notebooks": {"in_notebook", "is_member_of", "may_ask_in", "notebooks", "require_may_ask"},
    "echomind_api.conversations.access": {"require_session"},
    "echomind_api.notebooks.access": {"find_notebook", "require_notebook"},
    "echomind_api.sources.connector_rows": {"find_connector"},
}
"""The rules, and what looks something up by them as the caller."""

_SESSION = frozenset(
    {
        "chat_message_documents",
        "chat_messages",
        "chat_session_sources",
        "chat_sessions",
        "runs",
        "steps",
        "tool_calls",
    }
)


@dataclass(frozen=True)
class Allowed:
    """What a module, or a room with its modules, reads without asking."""

    tables: frozenset[str]
    reason: str


def of(reason: str, *tables: str, session: bool = False) -> Allowed:
    return Allowed(frozenset(tables) | (_SESSION if session else frozenset()), reason)


ALLOWED = {
    "echomind_lib.access": of(
        "the rules themselves",
        "notebook_groups",
        "notebook_members",
        "notebook_sources",
        "notebooks",
        "agent_memories",
        "connectors",
        "document_acl",
        "documents",
        "group_admins",
        "group_members",
        "session_share_recipients",
        "source_aliases",
        "source_folders",
        "source_members",
        "source_principals",
    ),
    # Code that works on a run or a session whose access was checked before.
    "echomind_lib.conversations": of(
        "works on a session, message or run that the API has looked up as the caller, or that is the caller's own; adds"
        " to the usage of the person that a call was for",
        "checkpoints",
        "group_members",
        "notebook_groups",
        "notebook_members",
        "notebooks",
        "run_events",
        "todos",
        "usage_daily",
        session=True,
    ),
    "echomind_api.accounts.erasures": of(
        "for superadmins: counts what is a person's, and shows nothing of it",
        "agent_memories",
        "chat_sessions",
        "documents",
    ),
    "echomind_api.privacy.exports": of(
        "exports the files of a person's own connectors, by the condition of the registry", "documents"
    ),
    "echomind_api.privacy": of(
        "for superadmins: finds the conversation that a hold is on, and says whose rows are whose",
        "chat_sessions",
        "legal_holds",
        "notebook_members",
    ),
    "echomind_api.retention": of(
        "counts and deletes by age alone, whosever it is, as rules of superadmins say",
        "chat_sessions",
        "notebooks",
        "run_events",
        "runs",
        "steps",
        "webhook_deliveries",
    ),
    "echomind_lib.jobs.traces": of("names the session and the person of a job in its trace", "chat_sessions", "runs"),
    "echomind_api.conversations.scores": of(
        "finds the run of an answer that the API has looked up to rate it", "chat_messages"
    ),
    "echomind_lib.events": of(
        "writes and reads the log of a session or run that the API has looked up", "run_events", "runs"
    ),
    "echomind_lib.learned.facts": of(
        "lets vectors follow the rows of everybody; whose they are stands in their scope",
        "agent_memories",
        "knowledge_entities",
    ),
    "echomind_lib.learned.memories": of(
        "writes memories of the person that it is given, and reads the sessions that a job extracts from",
        "agent_memories",
        "chat_session_sources",
        "memory_sources",
        "run_events",
        session=True,
    ),
    "echomind_lib.learned.sessions": of(
        "finds sessions of everybody for background jobs, which work for the sessions' owners",
        "run_events",
        "session_learnings",
        session=True,
    ),
    "echomind_lib.documents.names": of("an expression on a row, in statements that ask themselves", "documents"),
    "echomind_lib.indexes": of(
        "copies the passages of all documents to another index, with the readers that their rows name",
        "connectors",
        "document_acl",
        "documents",
        "index_documents",
    ),
    "echomind_lib.documents.owners": of("says which files and chunks documents name, whoever owns them", "documents"),
    "echomind_api.administration.storage_check": of(
        "compares what is stored, for superadmins, and shows ids and keys alone",
        "connectors",
        "document_acl",
        "documents",
        "source_folders",
        "source_principals",
    ),
    "echomind_lib.documents.filters": of(
        "conditions of a filter, which statements have beside those of access", "connectors", "documents"
    ),
    "echomind_lib.quotas.charging": of(
        "charges runs that a worker has claimed, and reads when the quotas renew of the person who asked",
        "quota_charges",
        "quota_usage",
        "runs",
    ),
    "echomind_lib.encrypted_columns": of(
        "encrypts everybody's secrets with another key, for superadmins, and shows nothing of them",
        "connector_sign_ins",
        "connectors",
        "webhooks",
    ),
    "echomind_lib.runs.key_runs": of(
        "locks the key of a call, and counts its owner's runs with it", "api_keys", "runs"
    ),
    "echomind_api.accounts.key_quotas": of(
        "of keys that their owner or whoever manages it has found; and of all keys that have ended, to delete theirs",
        "api_keys",
        "evaluation_runs",
        "quota_usage",
        "quotas",
        "runs",
    ),
    "echomind_api.administration.quotas": of(
        "quotas are for administrators; their use is read of the caller and of their key, or as an administrator",
        "api_keys",
        "quota_usage",
        "quotas",
    ),
    "echomind_agent.webhooks.store": of(
        "sends everybody's events, each with the rights of its webhook's owner", "webhook_deliveries", "webhooks"
    ),
    "echomind_lib.plans": of(
        "the plan of a run, or of a session that the API has looked up", "run_events", "runs", "steps", "todos"
    ),
    "echomind_lib.runs": of(
        "works on runs that a worker has claimed, or that the API has looked up; titles of cited documents are of"
        " those that the run has found as its person",
        "agent_memories",
        "documents",
        "knowledge_entities",
        "notebooks",
        "run_events",
        session=True,
    ),
    "echomind_agent": of("works on runs that the worker has claimed", "chat_messages", "runs", "steps", "tool_calls"),
    # Code that works for all users.
    "echomind_ingestor": of(
        "syncs, processes and removes documents whoever owns them, and stores who may read them",
        "connector_sync_failures",
        "connector_sync_seen",
        "connector_syncs",
        "connectors",
        "crawl_addresses",
        "document_acl",
        "documents",
        "source_folders",
        "source_members",
        "source_principals",
    ),
    "echomind_lib.retrieval.removals": of(
        "says what is removed, so that the vector index leaves it out, and to nobody what that was; whether anybody has"
        " voted",
        "chunk_feedback",
        "connectors",
        "documents",
    ),
    "echomind_api.administration.feedback_rates": of(
        "counts ratings for superadmins, and shows no content",
        "chat_message_documents",
        "chat_message_feedbacks",
        "chat_messages",
        "chat_sessions",
        "chunk_feedback",
        "connectors",
        "documents",
        "runs",
    ),
    "echomind_api.administration.purge": of(
        "deletes what its caller was let to: a conversation or document as its owner, an account as a superadmin",
        "chat_sessions",
        "connectors",
        "documents",
        "knowledge_entities",
        "knowledge_feedback",
        "notebook_groups",
        "notebook_members",
        "notebooks",
        "runs",
    ),
    "echomind_api.notebooks": of(
        "works on a notebook that its caller has looked up, or that was removed long enough ago",
        "chat_sessions",
        "group_members",
        "notebook_groups",
        "notebook_members",
        "notebook_sources",
        "notebooks",
        "runs",
    ),
    "echomind_api.learned.knowledge.history": of(
        "what an entity that its caller has looked up has said", "knowledge_revisions"
    ),
    "echomind_api.learned.knowledge.opinions": of(
        "what people say of an entity that its caller has looked up",
        "knowledge_entities",
        "knowledge_feedback",
        "knowledge_uses",
    ),
    "echomind_lib.learned.knowledge.revisions": of(
        "keeps what entities say after a change by somebody who may make it",
        "knowledge_entities",
        "knowledge_revisions",
    ),
    "echomind_lib.learned.knowledge.uses": of(
        "notes what runs have found as their person, and what of it their answers cite",
        "knowledge_entities",
        "knowledge_feedback",
        "knowledge_uses",
        "runs",
        "steps",
    ),
    "echomind_lib.learned.knowledge.evidence": of(
        "counts the evidence of entities, and shows nothing of it",
        "knowledge_entities",
        "knowledge_feedback",
        "knowledge_uses",
    ),
    "echomind_agent.evaluation": of(
        "asks and measures the questions of everybody's evaluations, each as who started it; names of documents are of"
        " those that a question has found",
        "chat_message_documents",
        "documents",
        "evaluation_results",
        "evaluation_runs",
        "usage_daily",
    ),
    "echomind_api.conversations.exclusions": of(
        "changes a message, or a step of a run, that its caller has looked up",
        "chat_messages",
        "chat_sessions",
        "run_events",
        "runs",
        "steps",
    ),
    "echomind_api.conversations.share_recipients": of(
        "the people and groups of a share of the caller's own", "session_share_recipients"
    ),
    "echomind_api.conversations.controls": of("stops runs that were looked up, or those of a removed account", "runs"),
    "echomind_api.sources.intake": of("stores into a connector that its caller may manage", "connectors", "documents"),
    "echomind_api.sources.connector_schedule": of(
        "of a connector that its caller may manage", "connector_syncs", "connectors"
    ),
    "echomind_lib.connectors.idle_status": of(
        "expressions on a connector, in statements about one that was looked up", "connector_syncs", "connectors"
    ),
    "echomind_lib.documents.guide": of("a condition on a connector, in statements that ask themselves", "connectors"),
    "echomind_api.start.guide": of("the guide's own connector, known by its mark", "connectors", "documents"),
    "echomind_api.transports.mcp.services": of("the last event of a run that was looked up", "run_events"),
    "echomind_api.transports.openai.files": of(
        "chooses connectors of uploads among those that the caller may read, by their type", "connectors"
    ),
    "echomind_lib.notebooks.authors": of("a condition on a notebook, in statements that ask themselves", "notebooks"),
    "echomind_lib.notebooks.suggestions": of(
        "a condition on the notebook of a row, in statements that ask themselves", "notebook_summaries"
    ),
    "echomind_api.transports.openai.previous": of(
        "the caller's own answers and calls, by their user id",
        "chat_messages",
        "chat_sessions",
        "runs",
        "steps",
        "tool_calls",
    ),
    "echomind_api.transports.openai.questions": of(
        "the caller's own conversations and runs, by their user id", "chat_sessions", "runs"
    ),
    "echomind_api.streams": of(
        "follows a session that was looked up, and tells each person of what is theirs or in their scopes by id alone",
        "chat_sessions",
        "connectors",
        "documents",
        "run_events",
        "runs",
    ),
    # Authentication, before there is a principal, and the user's own credentials.
    "echomind_api.administration.queue_lengths": of("counts what waits, and shows nothing of it", "documents", "runs"),
    "echomind_api.administration.health": of("counts what waits, and shows nothing of it", "documents", "runs"),
    "echomind_api.accounts.directory": of("counts members of groups that the caller finds", "group_members"),
    "echomind_api.accounts.groups": of(
        "members of groups and what is for groups, for admins",
        "connectors",
        "evaluation_datasets",
        "group_admins",
        "group_members",
        "quotas",
    ),
    "echomind_api.scim": of(
        "what a SCIM client maintains, by the client's id", "group_members", "scim_users", "user_identities"
    ),
    "echomind_api.accounts.scim_clients": of(
        "what SCIM clients maintain, counted and given by superadmins", "group_members", "scim_users"
    ),
    "echomind_api.administration.system": of(
        "ends what was begun with local accounts, for superadmins", "sign_in_tokens", "user_identities", "web_sessions"
    ),
    "echomind_api.accounts.group_members": of(
        "members of a group that the caller administers", "group_admins", "group_members"
    ),
    "echomind_lib.access.service_accounts": of(
        "the rule itself: members and admins of the groups of an account", "group_admins", "group_members"
    ),
    "echomind_api.accounts.setup": of(
        "says whether the caller has asked, and whether there are documents", "chat_sessions", "connectors", "documents"
    ),
    "echomind_api.accounts": of(
        "the caller's own credentials by their id, links of superadmins, and the runs of deactivated accounts",
        "api_keys",
        "credentials",
        "device_code_failures",
        "device_sign_ins",
        "runs",
        "sign_in_tokens",
        "user_identities",
        "web_sessions",
    ),
    "echomind_api.calls.key_uses": of("the networks of the key of a call, which its principal has", "api_keys"),
    "echomind_api.auth": of(
        "finds who a credential belongs to, and the groups that a provider gives",
        "api_keys",
        "credentials",
        "device_sign_ins",
        "group_members",
        "scim_users",
        "sign_in_tokens",
        "user_identities",
        "web_sessions",
    ),
    "echomind_api.start.owner": of("the owner's key, and whether they have a password", "api_keys", "credentials"),
}


def owned_tables() -> set[str]:
    owned = {table.name for table in TABLES.values() if "user_id" in table.columns}
    while (
        more := {
            table.name
            for table in TABLES.values()
            for column in table.columns
            for key in column.foreign_keys
            if not column.nullable and key.column.table.name in owned - {table.name}
        }
        - owned
    ):
        owned |= more
    return owned


def asks(source: str) -> bool:
    """Returns whether a module uses a rule."""
    tree = ast.parse(source)
    imported = {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for name in node.names
        if name.name in RULES.get(node.module or "", ())
    }
    return any(isinstance(node, ast.Name) and node.id in imported for node in ast.walk(tree))


def allowed(module: str) -> frozenset[str]:
    return frozenset().union(*(entry.tables for name, entry in ALLOWED.items() if is_in(module, name)))


def is_in(module: str, room: str) -> bool:
    return module == room or module.startswith(f"{room}.")


def reads_without_asking() -> dict[str, set[str]]:
    """Returns the owned tables that modules read without asking, by module. Mappers read rows, not tables."""
    owned, uses = owned_tables(), uses_by_module()
    return {
        name: read
        for name, path in modules()
        if not name.startswith("echomind_lib.mappers.")
        and (read := uses[name].tables & owned)
        and not asks(path.read_text("utf-8"))
    }


def test_tables_of_owners_are_known() -> None:
    assert owned_tables() >= {"connectors", "documents", "chat_sessions", "chat_messages", "steps", "api_keys"}
    assert not owned_tables() & {"users", "groups", "assistants", "llms", "embedding_models", "workers"}


def test_no_table_with_an_owner_is_read_without_asking() -> None:
    wrong = {name: sorted(read - allowed(name)) for name, read in reads_without_asking().items()}
    assert {name: tables for name, tables in wrong.items() if tables} == {}


def test_what_is_allowed_is_needed() -> None:
    found = reads_without_asking()
    for room, entry in ALLOWED.items():
        read = set().union(*(tables for name, tables in found.items() if is_in(name, room)))
        assert entry.tables & read, f"{room} reads none of {sorted(entry.tables)} without asking"


def test_a_module_asks_by_a_rule_and_not_by_a_name() -> None:
    assert asks("from echomind_lib.access import connectors as rule_of\nrule_of('read')")
    assert not asks("from echomind_lib.access import Principal\nPrincipal(1)")
    assert not asks("from echomind_lib.access import connectors")
