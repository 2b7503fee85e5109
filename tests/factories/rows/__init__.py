"""Rows for tests: each has what its table demands, and the test names what it cares for.

`Rows` makes those that most tests begin with, in a database of the test's own.
"""

import asyncpg
import pytest_asyncio

from echomind_lib.db.database import Database
from tests.factories.rows.accounts import (
    api_key,
    group_member,
    identity_provider,
    invitation,
    scim_client,
    scim_group,
    scim_token,
    scim_user,
    service_account,
    sign_in_token,
    token,
    user,
    web_session,
)
from tests.factories.rows.administration import (
    audit_entry,
    audit_seal,
    background_job,
    installation_settings,
    legal_hold,
    new_worker,
    retention_rule,
    webhook,
    webhook_delivery,
)
from tests.factories.rows.assistants import (
    assistant,
    assistant_member,
    assistant_version,
    embedding_model,
    llm,
    reranker,
)
from tests.factories.rows.base import Connection, insert
from tests.factories.rows.conversations import (
    chat_message,
    chat_session,
    checkpoint,
    chunk_feedback,
    citation,
    feedback,
    rated_question,
    run,
    run_event,
    session_share,
    session_share_recipient,
    session_source,
    step,
    todo,
    tool_call,
)
from tests.factories.rows.evaluation import evaluation_case, evaluation_dataset, evaluation_result, evaluation_run
from tests.factories.rows.learned import knowledge, knowledge_feedback, knowledge_revision, memory, session_learning
from tests.factories.rows.notebooks import (
    notebook,
    notebook_group,
    notebook_member,
    notebook_note,
    notebook_source,
    notebook_summary,
)
from tests.factories.rows.sources import (
    connector,
    connector_sync,
    crawl_address,
    document,
    index_document,
    source_alias,
    source_folder,
    source_principal,
)

__all__ = [
    "Connection",
    "Rows",
    "api_key",
    "assistant",
    "assistant_member",
    "assistant_version",
    "audit_entry",
    "audit_seal",
    "background_job",
    "chat_message",
    "chat_session",
    "checkpoint",
    "chunk_feedback",
    "citation",
    "connector",
    "connector_sync",
    "crawl_address",
    "document",
    "embedding_model",
    "evaluation_case",
    "evaluation_dataset",
    "evaluation_result",
    "evaluation_run",
    "feedback",
    "group_member",
    "identity_provider",
    "index_document",
    "insert",
    "installation_settings",
    "invitation",
    "knowledge",
    "knowledge_feedback",
    "knowledge_revision",
    "legal_hold",
    "llm",
    "memory",
    "new_worker",
    "notebook",
    "notebook_group",
    "notebook_member",
    "notebook_note",
    "notebook_source",
    "notebook_summary",
    "rated_question",
    "reranker",
    "retention_rule",
    "run",
    "run_event",
    "scim_client",
    "scim_group",
    "scim_token",
    "scim_user",
    "service_account",
    "session_learning",
    "session_share",
    "session_share_recipient",
    "session_source",
    "sign_in_token",
    "source_alias",
    "source_folder",
    "source_principal",
    "step",
    "todo",
    "token",
    "tool_call",
    "user",
    "web_session",
    "webhook",
    "webhook_delivery",
]


class Rows:
    """Makes rows in a test's own database, of its user where no other is named."""

    def __init__(self, database: Database, user_id: int) -> None:
        self._pool = database.pool
        self.user_id = user_id

    async def user(self, name: str, roles: list[str] | None = None, groups: list[str] | None = None) -> int:
        """Returns an active account."""
        given = {"user_name": name, "email": f"{name}@example.com", "roles": roles or ["user"], "groups": groups or []}
        return _id(await user(self._pool, **given))

    async def connector(self, scope: str = "user", scope_id: str | None = None, user_id: int | None = None) -> int:
        """Returns a file connector."""
        given = {"type": "file", "status": "active", "scope": scope, "scope_id": scope_id}
        return _id(await connector(self._pool, user_id=user_id or self.user_id, **given))

    async def document(self, connector_id: int | None = None, source_id: str | None = None) -> int:
        """Returns a document that waits to be processed."""
        given = {"source_id": source_id} if source_id else {}
        return _id(await document(self._pool, connector_id=connector_id or await self.connector(), title="T", **given))

    async def use_model_at(self, url: str) -> None:
        """Makes a server that speaks OpenAI's protocol, such as the scripted one, the default chat model."""
        await self._pool.execute("UPDATE llms SET is_default = FALSE")
        await llm(self._pool, name="Scripted", model_id="scripted", endpoint=url, is_default=True)


def _id(row: asyncpg.Record) -> int:
    found: int = row["id"]
    return found


@pytest_asyncio.fixture(loop_scope="session")
async def rows(database: Database) -> Rows:
    """A user with the built-in model and the default assistant."""
    pool = database.pool
    await llm(pool, name="Built-in", provider="extractive", model_id="extractive", is_default=True)
    await assistant(pool, name="EchoMind", is_default=True)
    return Rows(database, _id(await user(pool, user_name="owner", email="owner@example.com")))
