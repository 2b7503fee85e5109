"""Connectors, what they know of a source, and documents."""

from typing import Any
from uuid import uuid4

import asyncpg

from tests.factories.rows.accounts import user
from tests.factories.rows.assistants import embedding_model
from tests.factories.rows.base import Connection, insert, numbers


async def index_document(connection: Connection, **values: Any) -> asyncpg.Record:
    index_id = values.get("index_id") or (await embedding_model(connection))["id"]
    document_id = values.get("document_id") or (await document(connection))["id"]
    given = {"index_id": index_id, "document_id": document_id, "chunking_session": uuid4()}
    return await insert(connection, "index_documents", given | values)


async def connector(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"name": f"connector {next(numbers)}", "type": "web", **values}
    if "user_id" not in given:
        given["user_id"] = (await user(connection))["id"]
    return await insert(connection, "connectors", given)


async def connector_sync(connection: Connection, **values: Any) -> asyncpg.Record:
    if "connector_id" not in values:
        values["connector_id"] = (await connector(connection))["id"]
    return await insert(connection, "connector_syncs", values)


async def source_folder(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"source_id": f"folder {next(numbers)}", "name": "Folder", **values}
    if "connector_id" not in given:
        given["connector_id"] = (await connector(connection))["id"]
    return await insert(connection, "source_folders", given)


async def source_principal(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"key": f"user:test:{next(numbers)}", **values}
    if "connector_id" not in given:
        given["connector_id"] = (await connector(connection))["id"]
    return await insert(connection, "source_principals", given)


async def source_alias(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"key": f"user:test:{next(numbers)}", **values}
    if "user_id" not in given:
        given["user_id"] = (await user(connection))["id"]
    return await insert(connection, "source_aliases", given)


async def crawl_address(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"url": f"https://example.com/{next(numbers)}", "depth": 0, **values}
    if "connector_id" not in given:
        given["connector_id"] = (await connector(connection))["id"]
    return await insert(connection, "crawl_addresses", given)


async def document(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"source_id": f"source {next(numbers)}", **values}
    if "connector_id" not in given:
        given["connector_id"] = (await connector(connection))["id"]
    return await insert(connection, "documents", given)
