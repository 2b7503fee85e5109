"""The agent, the ingestor, and the command line."""

from tests.factories.allowed_reads.base import of

ALLOWED = {
    "echomind_agent.webhooks.store": of(
        "sends everybody's events, each with the rights of its webhook's owner", "webhook_deliveries", "webhooks"
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
    "echomind_agent.evaluation": of(
        "asks and measures the questions of everybody's evaluations, each as who started it; names of documents are of"
        " those that a question has found",
        "chat_message_documents",
        "documents",
        "evaluation_results",
        "evaluation_runs",
        "usage_daily",
    ),
}
