"""The API."""

from tests.factories.allowed_reads.base import of

ALLOWED = {
    "echomind_api.accounts.erasures": of(
        "for superadmins: counts what is a person's, and shows nothing of it", "chat_sessions"
    ),
    "echomind_api.privacy.counts": of(
        "for superadmins: counts what is a person's, and shows nothing of it", "agent_memories", "documents"
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
    "echomind_api.conversations.scores": of(
        "finds the run of an answer that the API has looked up to rate it", "chat_messages"
    ),
    "echomind_api.administration.storage_check": of(
        "compares what is stored, for superadmins, and shows ids and keys alone",
        "connectors",
        "document_acl",
        "documents",
        "source_folders",
        "source_principals",
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
    "echomind_api.administration.rates_used": of("reads the names of keys whose limits bind the caller", "api_keys"),
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
    "echomind_api.conversations.unread_runs": of("runs that the program itself has begun, by their ids", "runs"),
    "echomind_api.conversations.controls": of("stops runs that were looked up, or those of a removed account", "runs"),
    "echomind_api.sources.intake": of("stores into a connector that its caller may manage", "connectors", "documents"),
    "echomind_api.sources.connected_accounts": of(
        "the caller's own sign-ins, also for connectors that they may not read any more", "connectors"
    ),
    "echomind_api.sources.connector_schedule": of(
        "of a connector that its caller may manage", "connector_syncs", "connectors"
    ),
    "echomind_api.start.guide": of("the guide's own connector, known by its mark", "connectors", "documents"),
    "echomind_api.transports.mcp.cancellations": of(
        "the run of a request of the caller's own, by their key, address and program", "runs"
    ),
    "echomind_api.transports.mcp.services": of("the last event of a run that was looked up", "run_events"),
    "echomind_api.transports.openai.files": of(
        "chooses connectors of uploads among those that the caller may read, by their type", "connectors"
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
    "echomind_api.accounts.setup": of(
        "whether the caller has asked, and whether there are documents", "chat_sessions", "connectors", "documents"
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
