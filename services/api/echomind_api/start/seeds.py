"""What a new database begins with: an owner, the built-in model, an index, an assistant; each where there is none."""

from dataclasses import dataclass
from typing import Final

import asyncpg

from echomind_lib.access import Principal
from echomind_lib.db.database import Database
from echomind_lib.retrieval.sparse import ENCODER_ID

LOCK: Final = 0x73656564
"""Advisory lock of what is made at start, so that of several replicas one makes it."""

ASSISTANT_NAME: Final = "EchoMind"
ASSISTANT_PROMPT: Final = """\
You are EchoMind, an assistant that answers from the documents of the organisation it works for. Answer briefly, with \
the answer first. Give figures, names and conditions exactly. When sources contradict each other, name the \
contradiction and both sources."""
"""Who it is and how it speaks; how to work with sources is in the instructions of every assistant
(`echomind_agent.prompts.instructions`)."""
ASSISTANT_STARTERS: Final = [
    "How do I add my documents?",
    "Which kinds of files can I add?",
    "How do I connect a language model?",
]
"""Answered by the guide, with citations, by the built-in model too."""

_OWNER = """
    INSERT INTO users (user_name, email, first_name, roles)
    SELECT 'owner', 'owner@localhost', 'Owner', ARRAY['user', 'admin', 'superadmin']
    WHERE NOT EXISTS (SELECT FROM users)
"""
_LLM = """
    INSERT INTO llms (name, provider, model_id, is_default)
    SELECT 'Built-in (quotes your documents)', 'extractive', 'extractive',
        NOT EXISTS (SELECT FROM llms WHERE is_default AND deleted_date IS NULL)
    WHERE NOT EXISTS (SELECT FROM llms WHERE provider = 'extractive')
"""
_EMBEDDING_MODEL = """
    INSERT INTO embedding_models (model_id, model_name, model_dimension, is_active, sparse_encoder, chunker)
    SELECT $1, $2, $3, true, $4, $5 WHERE NOT EXISTS (SELECT FROM embedding_models)
"""
_ASSISTANT = """
    INSERT INTO assistants (name, description, system_prompt, starter_messages, is_default)
    SELECT $1, 'Answers from your documents, with sources.', $2, $3, true
    WHERE NOT EXISTS (SELECT FROM assistants)
"""
_FIND_OWNER = """
    SELECT id, roles, groups FROM users WHERE 'superadmin' = ANY(roles) AND is_active ORDER BY id LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Index:
    """The index that a new installation begins with."""

    model_id: str = "all-MiniLM-L6-v2-int8"
    model_name: str = "MiniLM L6 v2 (English)"
    dimension: int = 384
    sparse_encoder: str = ENCODER_ID
    chunker: str = "sections-200"


async def seed(database: Database, index: Index | None = None) -> Principal:
    """Makes what is missing.

    Returns:
        The owner: the oldest active account with the role superadmin.

    Raises:
        RuntimeError: There are accounts, and none of them is an active superadmin.
    """
    index = index or Index()
    async with database.pool.acquire() as connection, connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
        await connection.execute(_OWNER)
        await connection.execute(_LLM)
        await connection.execute(
            _EMBEDDING_MODEL,
            index.model_id,
            index.model_name,
            index.dimension,
            index.sparse_encoder,
            index.chunker,
        )
        await connection.execute(_ASSISTANT, ASSISTANT_NAME, ASSISTANT_PROMPT, ASSISTANT_STARTERS)
        owner: asyncpg.Record | None = await connection.fetchrow(_FIND_OWNER)
    if owner is None:
        raise RuntimeError("No active account has the role superadmin; give it to one in the table users.")
    return Principal(owner["id"], frozenset(owner["roles"]), frozenset(owner["groups"]))
