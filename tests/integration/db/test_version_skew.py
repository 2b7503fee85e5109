"""Services of the last release on today's schema: their statements are planned, and what they write is accepted.

While an installation is upgraded, the database is migrated first, and older services run on it for a while. So a
migration may add, and must not take away or demand what older code does not give. `tests/fixtures/release` has what the
release expects. What a trigger refuses is not compared: those that are new guard what the release does not have.
"""

import asyncio
import json
import lzma
import subprocess
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import asyncpg
import pytest_asyncio

from echomind.local.embedded.postgres import PostgresServer, binaries
from tests.drivers.servers import database_url
from tests.paths import ROOT

FOLDER = ROOT / "tests" / "fixtures" / "release"
COLUMNS = """
    SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
        a.attnotnull AS is_required, a.atthasdef OR a.attidentity <> '' AS has_default
    FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
"""
RULES = """
    SELECT conrelid::regclass::text AS table, conname::text AS name, pg_get_constraintdef(oid) AS text, ARRAY(
        SELECT attname::text FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY(conkey)) AS columns
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'u', 'f', 'p', 'x')
    UNION ALL
    SELECT indrelid::regclass::text, indexrelid::regclass::text, pg_get_indexdef(indexrelid), ARRAY(
        SELECT attname::text FROM pg_attribute WHERE attrelid = indrelid AND attnum = ANY(indkey))
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE indisunique AND relnamespace = 'public'::regnamespace
        AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
"""
"""Constraints and unique indexes."""
ACCEPTED = {
    "api_keys_limits_check": "the columns of limits are new, and empty for keys of older services",
    "embedding_models_calibration_check": "older services store no endpoint",
    "embedding_models_endpoint_check": "older services store no endpoint",
    "idx_quota_usage_subject": "a column was added: more rows are accepted",
    "idx_quotas_subject": "a column was added: more rows are accepted",
    "quotas_limits_check": "the limits of a new period are in columns of their own",
    "quotas_period_check": "a period was added",
    "quotas_scope_check": "a scope was added",
    "quotas_subject_check": "the condition of a scope was added",
    "users_email_check": "older services require an address",
    "users_service_check": "kind is a person's for accounts of older services",
}
"""Rules for columns of the release that are new or were changed, and why they refuse nothing that it writes."""

Key = tuple[str, str]


@dataclass
class Schema:
    """What of a schema decides whether a write is accepted."""

    columns: dict[Key, Any]
    rules: dict[Key, Any]


async def read(connection: asyncpg.Connection) -> Schema:
    columns, rules = await connection.fetch(COLUMNS), await connection.fetch(RULES)
    return Schema(
        {(row["table"], row["name"]): row for row in columns}, {(row["table"], row["name"]): row for row in rules}
    )


async def loaded(url: str, schema: bytes) -> Schema:
    """Reads a schema from its dump: the text of what it has depends on how it was made."""
    command = [str(binaries() / "psql"), "--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1", f"--dbname={url}"]
    await asyncio.to_thread(subprocess.run, command, input=schema, check=True, stdout=subprocess.DEVNULL)
    connection = await asyncpg.connect(url)
    try:
        return await read(connection)
    finally:
        await connection.close()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def schemas(
    postgres_server: PostgresServer, postgres_admin: asyncpg.Connection
) -> AsyncIterator[tuple[Schema, Schema]]:
    """The schema of the release, and today's."""
    dumps = {
        "skew_then": lzma.decompress((FOLDER / "schema.sql.xz").read_bytes()),
        "skew_now": (ROOT / "db-schema" / "schema.sql").read_bytes(),
    }
    found = []
    for name, schema in dumps.items():
        await postgres_admin.execute(f"CREATE DATABASE {name}")
        found.append(await loaded(database_url(postgres_server, name), schema))
    yield found[0], found[1]
    for name in dumps:
        await postgres_admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


async def test_statements_of_the_release_are_planned(connection: asyncpg.Connection) -> None:
    """Planning finds what parsing does not, such as a unique index that `ON CONFLICT` names."""
    statements = json.loads(lzma.decompress((FOLDER / "statements.json.xz").read_bytes()))
    wrong = []
    for name, sql in statements.items():
        try:
            async with connection.transaction():
                await connection.execute(f"EXPLAIN (GENERIC_PLAN) {sql}")
        except asyncpg.PostgresError as error:
            wrong.append(f"{name}: {error}")
    assert len(statements) > 400
    assert not wrong


def test_columns_of_the_release_are_there_and_demand_no_more(schemas: tuple[Schema, Schema]) -> None:
    then, now = schemas
    assert then.columns.keys() - now.columns.keys() == set(), "older services use these columns"
    for key, old in then.columns.items():
        new = now.columns[key]
        assert new["type"] == old["type"], key
        assert new["has_default"] or not old["has_default"], f"older services rely on the default of {key}"
        assert old["is_required"] or not new["is_required"], f"older services store nothing in {key}"


def test_new_columns_are_filled_by_themselves(schemas: tuple[Schema, Schema]) -> None:
    then, now = schemas
    tables = {table for table, _ in then.columns}
    added = {key: column for key, column in now.columns.items() if key[0] in tables and key not in then.columns}
    assert added
    assert [key for key, column in added.items() if column["is_required"] and not column["has_default"]] == []


def test_rules_refuse_nothing_that_the_release_writes(schemas: tuple[Schema, Schema]) -> None:
    then, now = schemas
    stricter = {
        name
        for (table, name), rule in now.rules.items()
        if any((table, column) in then.columns for column in rule["columns"])
        and ((table, name) not in then.rules or then.rules[table, name]["text"] != rule["text"])
    }
    assert stricter - ACCEPTED.keys() == set(), "say in ACCEPTED why what older services write passes"
    assert ACCEPTED.keys() - stricter == set()
