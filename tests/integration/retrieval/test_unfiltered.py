"""A search leaves out the filter of scopes where its reader may read every passage, and nowhere else."""

from typing import Any

import pytest

from echomind_lib.access import Principal
from echomind_lib.access.notebooks import NotebookScope
from tests.drivers.stack import Stack

QUESTION = "Where is the garage?"


async def filters_of(stack: Stack, monkeypatch: pytest.MonkeyPatch, reader: Principal, **asked: Any) -> list[Any]:
    """Returns the filters of the queries of one search that begins with what is stored now."""
    await stack.retriever._removals.read(again=True)
    filters: list[Any] = []
    query = stack.vectors.query

    async def recorded(collection: str, where: Any, **others: Any) -> Any:
        filters.append(where)
        return await query(collection, where, **others)

    with monkeypatch.context() as patch:
        patch.setattr(stack.vectors, "query", recorded)
        await stack.retriever.search(reader, QUESTION, **asked)
    return filters


async def test_only_who_may_read_everything_searches_without_a_filter(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Principal(stack.rows.user_id, groups=frozenset({"sales"}))
    shared = await stack.rows.connector("org")
    document_id = await stack.index("The garage is below the canteen.", connector_id=shared)
    await stack.rows.connector("user")
    of_group = await stack.rows.connector("group", "sales")

    assert await filters_of(stack, monkeypatch, reader) == [{}]
    assert await filters_of(stack, monkeypatch, Principal(reader.user_id)) == [
        {"scope": [f"user_{reader.user_id}", "org"]}
    ]
    (narrowed,) = await filters_of(stack, monkeypatch, reader, connector_ids=[shared])
    assert narrowed["connector_id"] == [shared]
    assert "scope" in narrowed
    sources = NotebookScope(id=1, connector_ids=[], document_ids=[document_id])
    assert all("scope" in each for each in await filters_of(stack, monkeypatch, reader, notebook=sources))

    other = await stack.rows.user("other")
    private = await stack.rows.connector("user", None, other)
    assert all("scope" in each for each in await filters_of(stack, monkeypatch, reader))
    await stack.pool.execute("UPDATE connectors SET deleted_date = now() WHERE id = $1", private)
    assert all("scope" in each for each in await filters_of(stack, monkeypatch, reader)), "its passages may be left"
    await stack.pool.execute("DELETE FROM connectors WHERE id = $1", private)
    assert await filters_of(stack, monkeypatch, reader) == [{}]

    await stack.pool.execute("UPDATE connectors SET permission_mode = 'source' WHERE id = $1", of_group)
    assert all("scope" in each for each in await filters_of(stack, monkeypatch, reader))


async def test_a_passage_that_became_foreign_is_not_found_and_brings_the_filter_back(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scopes are read once a second: what changes within it is still refused by the check of each hit."""
    reader = Principal(stack.rows.user_id)
    shared = await stack.rows.connector("org")
    await stack.index("The garage is below the canteen.", connector_id=shared)
    other = await stack.rows.user("other")
    await stack.retriever._removals.read(again=True)
    await stack.pool.execute("UPDATE connectors SET scope = 'user', user_id = $2 WHERE id = $1", shared, other)
    filters: list[Any] = []
    query = stack.vectors.query

    async def recorded(collection: str, where: Any, **others: Any) -> Any:
        filters.append(where)
        return await query(collection, where, **others)

    monkeypatch.setattr(stack.vectors, "query", recorded)
    assert await stack.retriever.search(reader, QUESTION, limit=1) == []
    assert filters[0] == {}
    assert all("scope" in each for each in filters[1:])
