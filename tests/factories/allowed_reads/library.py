"""The library."""

from tests.factories.allowed_reads.base import of

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
    "echomind_lib.documents.uploads": of("is a condition on connectors that others have looked up", "connectors"),
    "echomind_lib.jobs.traces": of("names the session and the person of a job in its trace", "chat_sessions", "runs"),
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
    "echomind_lib.runs.unfinished": of(
        "counts the runs of a limit that binds the caller, of whoever they are, and says only whether it is reached",
        "api_keys",
        "group_members",
        "runs",
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
    "echomind_lib.retrieval.removals": of(
        "says what is removed, so that the vector index leaves it out, and to nobody what that was; whether anybody has"
        " voted",
        "chunk_feedback",
        "connectors",
        "documents",
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
    "echomind_lib.connectors.idle_status": of(
        "expressions on a connector, in statements about one that was looked up", "connector_syncs", "connectors"
    ),
    "echomind_lib.documents.guide": of("a condition on a connector, in statements that ask themselves", "connectors"),
    "echomind_lib.notebooks.authors": of("a condition on a notebook, in statements that ask themselves", "notebooks"),
    "echomind_lib.notebooks.suggestions": of(
        "a condition on the notebook of a row, in statements that ask themselves", "notebook_summaries"
    ),
    "echomind_lib.access.service_accounts": of(
        "the rule itself: members and admins of the groups of an account", "group_admins", "group_members"
    ),
    "echomind_lib.access.superadmins": of(
        "the rule itself: superadmins with a password, or at a provider", "credentials", "user_identities"
    ),
}
