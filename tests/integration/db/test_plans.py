"""The statements of the code that are executed often find their rows by the index that is there for them, unsorted.

Plans of the hot path are generic ones, as a prepared statement's are in the long run.
"""

import itertools
import json
import re
import secrets
from collections.abc import AsyncIterator, Iterator
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from echomind.local.embedded.postgres import DATABASE, PostgresServer
from echomind_api.sources import document_lists
from echomind_lib.access import Principal
from echomind_lib.conversations.message_rows import PAGE_OF_BRANCH_IN_FULL
from echomind_lib.documents.filters import Filter
from tests.drivers.servers import database_url
from tests.drivers.statements import all_statements, ends_of_runs
from tests.drivers.tables import for_each
from tests.factories.frequent_queries import QUERIES, Query
from tests.factories.frequent_queries.query import selected
from tests.factories.many_rows import FILL

_BEYOND_KEY = re.compile(r"\bid\)? [<>]")
"""The condition of a page: the last column of its key is an id."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def filled(
    postgres_server: PostgresServer, postgres_admin: asyncpg.Connection
) -> AsyncIterator[asyncpg.Connection]:
    """A connection to a database with rows, where the planner avoids reading whole tables."""
    name = f"filled_{secrets.token_hex(6)}"
    await postgres_admin.execute(f"CREATE DATABASE {name} TEMPLATE {DATABASE}")
    connection = await asyncpg.connect(database_url(postgres_server, name))
    await connection.execute(FILL)
    await connection.execute("VACUUM ANALYZE")
    await connection.execute("SET enable_seqscan = off")
    await connection.execute("SET plan_cache_mode = force_generic_plan")
    yield connection
    await connection.close()
    await postgres_admin.execute(f"DROP DATABASE {name}")


async def plan_of(connection: asyncpg.Connection, query: Query) -> list[dict[str, Any]]:
    """Returns the nodes of the query's plan."""
    await connection.execute(f"SET enable_sort = {'off' if query.sorted_by_index else 'on'}")
    await connection.execute(f"PREPARE question AS {query.sql}")
    try:
        call = f"question({query.values})" if query.values else "question"
        explained = json.loads(await connection.fetchval(f"EXPLAIN (FORMAT JSON) EXECUTE {call}"))
    finally:
        await connection.execute("DEALLOCATE question")
    return list(nodes(explained[0]["Plan"]))


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from nodes(child)


@for_each("query", QUERIES, ids=lambda query: query.index)
async def test_a_frequent_query_uses_its_index(filled: asyncpg.Connection, query: Query) -> None:
    plan = await plan_of(filled, query)

    assert query.index in {node.get("Index Name") for node in plan}, plan
    read_whole = {node["Relation Name"] for node in plan if node["Node Type"] == "Seq Scan"}
    assert read_whole <= {"installation_settings"}, "only a table of one row may be read whole"
    kinds = {node["Node Type"] for node in plan}
    if query.sorted_by_index:
        assert not kinds & {"Sort", "Incremental Sort"}, plan


_LARGE = 1_000
"""Rows from which a table is one that grows with what people do."""
_READ_WHOLE = {
    "echomind_lib.indexes.builds._PROGRESS": "counts all documents",
    "echomind_lib.indexes.builds._SAMPLE": "chooses among all documents",
    "echomind_lib.retrieval.removals._REMOVED": "looks whether there is any rating",
}
"""Statements that read a large table whole whatever their values."""
_FOR_VALUES = {
    "echomind_lib.retrieval.documents._MATCHING",
    "echomind_lib.retrieval.documents._MATCHING_IN_FOLDER",
}
"""Statements that `planned_for_values` executes."""


async def test_a_plan_for_all_values_reads_no_large_table_whole(filled: asyncpg.Connection) -> None:
    """Connections of the pool plan each statement once, for all values."""
    rows = await filled.fetch("SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples >= $1", _LARGE)
    large = {row[0] for row in rows}
    assert large > {"documents", "chat_messages", "runs", "run_events"}
    read_whole = {}
    await filled.execute("SET enable_seqscan = on")
    try:
        for name, statement in itertools.chain(all_statements(), ends_of_runs()):
            values = ", ".join("NULL" for _ in statement.parameters)
            plan = await plan_of(filled, Query("", statement.sql, values, sorted_by_index=False))
            if whole := large & {node["Relation Name"] for node in plan if node["Node Type"] == "Seq Scan"}:
                read_whole[name] = whole
    finally:
        await filled.execute("SET enable_seqscan = off")
    assert read_whole.keys() == _READ_WHOLE.keys(), read_whole


@pytest.mark.parametrize("name", sorted(_FOR_VALUES))
async def test_documents_that_are_named_are_found_by_their_ids(filled: asyncpg.Connection, name: str) -> None:
    """Only a plan for the values knows whether ids are given; the one for all values reads every connector's."""
    statement = dict(all_statements())[name]
    values = {"ids": "'{7,8,9}'", "limit": "4"} | dict.fromkeys(("patterns", "languages", "kinds"), "'{}'")
    query = Query("", statement.sql, ", ".join(values.get(each, "NULL") for each in statement.parameters), False)
    for mode, is_found in (("force_custom_plan", True), ("force_generic_plan", False)):
        await filled.execute(f"SET plan_cache_mode = {mode}")
        scans = [node for node in await plan_of(filled, query) if node.get("Relation Name") == "documents"]
        assert ("documents_pkey" in {node["Index Name"] for node in scans}) is is_found, scans


async def test_documents_of_rare_statuses_are_found_by_them(filled: asyncpg.Connection) -> None:
    """The page is made of the first ones of each connector and status; the table is not walked by id for it."""
    found = document_lists.Readable(Principal(user_id=1), [7, 8, 9], [])
    given = Filter(statuses=("failed", "pending"))
    statement = document_lists.page_by_status(found, given, 15_000, 51, descending=True)
    plan = await plan_of(filled, selected("idx_documents_status", statement, sorted_by_index=False))
    scans = {node["Index Name"]: node["Index Cond"] for node in plan if node.get("Relation Name") == "documents"}
    assert scans.keys() == {"idx_documents_status", "documents_pkey"}
    assert all(name in scans["idx_documents_status"] for name in ("connector_id", "status", "id <"))
    assert "first.id" in scans["documents_pkey"]


async def test_the_rule_of_documents_is_planned_once_for_each_kind_of_source(filled: asyncpg.Connection) -> None:
    """Several fields of a citation depend on it: its title, file name, text and address."""
    nulls = ", ".join("NULL" for _ in PAGE_OF_BRANCH_IN_FULL.parameters)
    plan = await plan_of(filled, Query("", PAGE_OF_BRANCH_IN_FULL.sql, nulls, sorted_by_index=False))
    rules = [node for node in plan if node.get("Subplan Name") == "CTE held"]
    assert len(rules) == len(("citation", "attachment", "passage"))


async def test_a_page_begins_at_its_place_in_the_index(filled: asyncpg.Connection) -> None:
    """The key of the page before is part of the search in the index, not a filter over all rows before it."""
    pages = [query for query in QUERIES if query.is_page]
    assert len(pages) >= 8
    for query in pages:
        scan = next(node for node in await plan_of(filled, query) if node.get("Index Name") == query.index)
        assert _BEYOND_KEY.search(scan["Index Cond"]), query.sql
        assert not _BEYOND_KEY.search(scan.get("Filter", "")), query.sql
