"""Notebooks for tests, as rows."""

from collections.abc import Mapping, Sequence

import asyncpg

from echomind_lib.db.words import NotebookRole
from tests.factories.rows import insert


async def notebook(
    pool: asyncpg.Pool,
    members: Mapping[int, NotebookRole],
    *,
    documents: Sequence[int] = (),
    connectors: Sequence[int] = (),
    instructions: str = "",
    title: str = "Offer",
) -> int:
    """Makes a notebook with members by account, of which the first began it; returns its id."""
    owner = next(iter(members))
    given = {"user_id": owner, "title": title, "instructions": instructions}
    notebook_id: int = (await insert(pool, "notebooks", given))["id"]
    for user_id, role in members.items():
        await insert(pool, "notebook_members", {"notebook_id": notebook_id, "user_id": user_id, "role": role})
    for document_id in documents:
        await insert(pool, "notebook_sources", {"notebook_id": notebook_id, "document_id": document_id})
    for connector_id in connectors:
        await insert(pool, "notebook_sources", {"notebook_id": notebook_id, "connector_id": connector_id})
    return notebook_id
