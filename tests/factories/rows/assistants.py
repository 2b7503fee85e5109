"""Assistants, and the models that they use."""

from typing import Any

import asyncpg

from tests.factories.rows.base import Connection, insert, numbers


async def llm(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"name": f"llm {next(numbers)}", "provider": "openai", "model_id": "m", **values}
    return await insert(connection, "llms", given)


async def embedding_model(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"model_id": "m", "model_name": "M", "model_dimension": 384, "sparse_encoder": "bm25", "chunker": "c"}
    return await insert(connection, "embedding_models", given | values)


async def reranker(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {
        "name": f"reranker {next(numbers)}",
        "protocol": "tei",
        "model_id": "m",
        "endpoint": "http://127.0.0.1:1",
        "candidates": 30,
        "timeout_ms": 1500,
    }
    return await insert(connection, "rerankers", given | values)


async def assistant(connection: Connection, **values: Any) -> asyncpg.Record:
    return await insert(connection, "assistants", {"name": f"assistant {next(numbers)}", **values})


async def assistant_member(connection: Connection, **values: Any) -> asyncpg.Record:
    leader, member = values.get("assistant_id"), values.get("member_id")
    values["assistant_id"] = leader or (await assistant(connection))["id"]
    values["member_id"] = member or (await assistant(connection))["id"]
    return await insert(connection, "assistant_members", {"position": 1} | values)


async def assistant_version(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"version": 1, "config": "{}", **values}
    given["assistant_id"] = values.get("assistant_id") or (await assistant(connection))["id"]
    return await insert(connection, "assistant_versions", given)
