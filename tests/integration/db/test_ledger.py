"""The ledger in docs/data-model.md places everything of the five schemas, and names nothing that is not there."""

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import pytest_asyncio
from sqlalchemy import Column

from tests.drivers.sql_statements import TABLES, of_functions
from tests.drivers.sql_uses import uses_by_module
from tests.paths import ROOT

DOCUMENT = ROOT / "docs" / "data-model.md"
ITEMS = Path(__file__).with_name("seed_items.tsv")

AUDIT = {"creation_date", "last_update", "user_id_last_update"}
"""Written by the database and by every writer, for whoever looks into the tables."""

TYPES = {
    "BIGSERIAL": "bigint",
    "SERIAL": "integer",
    "SMALLSERIAL": "smallint",
    "TIMESTAMP": "timestamp with time zone",
    "VARCHAR": "character varying",
}
# Deviations from the trunk's types, which the document lists.
WIDER = {"connectors.id": "integer", "documents.connector_id": "integer"}

Item = tuple[str, str, str]


@dataclass(frozen=True)
class Row:
    """A line of the ledger."""

    source: str
    kind: str
    items: tuple[str, ...]
    here: str
    note: str

    @property
    def names(self) -> list[str]:
        """What it names here."""
        return list(self.items) if self.here == "same" else re.findall(r"`([^`]+)`", self.here)

    @property
    def is_later(self) -> bool:
        return self.here.startswith("later: ")


@dataclass(frozen=True)
class Schema:
    """What there is in the migrated database."""

    columns: dict[str, dict[str, str]]
    """Types by table and column."""
    checks: dict[str, list[str]]
    """Definitions of CHECKs by table."""
    others: set[str]
    """Names of indexes, constraints, triggers and functions."""

    def has(self, name: str) -> bool:
        """Returns whether there is a table, a column, a word of a column, or something else of that name."""
        column, _, word = name.partition(":")
        table, _, field = column.partition(".")
        if not field:
            return name in self.columns or name in self.others
        if field not in self.columns.get(table, {}):
            return False
        return not word or any(
            re.search(rf"\b{field}\b", check) and f"'{word}'" in check for check in self.checks.get(table, [])
        )


def ledger() -> list[Row]:
    rows = []
    for line in DOCUMENT.read_text(encoding="utf-8").partition("\n## Ledger\n")[2].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 5 and cells[0] not in {"Source", "---"}:
            source, kind, items, here, note = cells
            rows.append(Row(source, kind, tuple(re.findall(r"`([^`]+)`", items)), here, note))
    return rows


def seed_items() -> dict[Item, str]:
    """Everything in the five schemas: the type of each column of the trunk, "" for the rest."""
    with ITEMS.open(encoding="utf-8", newline="") as file:
        return {(row["source"], row["kind"], row["item"]): row["type"] for row in csv.DictReader(file, delimiter="\t")}


@pytest_asyncio.fixture(loop_scope="session")
async def schema(connection: asyncpg.Connection) -> Schema:
    columns: dict[str, dict[str, str]] = {}
    for table, column, type_name in await connection.fetch(
        """
        SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
        """
    ):
        columns.setdefault(table, {})[column] = type_name
    checks: dict[str, list[str]] = {}
    for table, definition in await connection.fetch(
        "SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'c'"
    ):
        checks.setdefault(table, []).append(definition)
    others = await connection.fetch(
        """
        SELECT indexname FROM pg_indexes WHERE schemaname = 'public'
        UNION SELECT conname FROM pg_constraint WHERE connamespace = 'public'::regnamespace
        UNION SELECT tgname FROM pg_trigger WHERE NOT tgisinternal
        UNION SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        """
    )
    return Schema(columns, checks, {row[0] for row in others})


def test_every_item_is_in_the_ledger_once() -> None:
    listed = [(row.source, row.kind, item) for row in ledger() for item in row.items]

    assert len(listed) == len(set(listed))
    assert set(listed) == set(seed_items())


async def test_everything_in_the_ledger_exists(schema: Schema) -> None:
    missing = [
        (row, name)
        for row in ledger()
        if not row.is_later and row.here != "dropped"
        for name in row.names
        if not schema.has(name)
    ]

    assert missing == []


async def test_what_comes_later_does_not_exist_yet(schema: Schema) -> None:
    later = [row for row in ledger() if row.is_later]

    assert [row for row in later for name in row.names if schema.has(name)] == []
    assert all(row.names for row in later)


def test_every_line_says_where_or_why() -> None:
    for row in ledger():
        assert row.items, row
        if row.here == "dropped":
            assert row.note, row
        else:
            assert row.names, row


async def test_the_trunk_keeps_its_types(schema: Schema) -> None:
    for (source, kind, item), declared in seed_items().items():
        if source != "echomind" or kind != "column":
            continue
        table, _, column = item.partition(".")
        name, bracket, rest = declared.partition("(")
        expected = WIDER.get(item, TYPES.get(name, name.lower()) + bracket + rest)
        assert schema.columns[table][column] == expected, item


async def test_the_overview_lists_every_table(schema: Schema) -> None:
    overview = DOCUMENT.read_text(encoding="utf-8").partition("\n## Tables\n")[2].partition("\n## ")[0]

    assert set(re.findall(r"^\| `(\w+)` \|", overview, re.MULTILINE)) == set(schema.columns)


def to_be_used() -> dict[str, Column[Any]]:
    """Returns the columns that the services' code must write and read."""
    return {
        f"{table.name}.{column.name}": column
        for table in TABLES.values()
        for column in table.columns
        if not column.primary_key and column.name not in AUDIT
    }


def declared() -> set[str]:
    """Returns the columns that are not used, as the document says; a table stands for all of its columns."""
    section = DOCUMENT.read_text(encoding="utf-8").partition("\n## Declared, not used yet\n")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (`.+) \| .+ \|$", section, re.MULTILINE)
    names = {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}
    return {name for name in to_be_used() if name in names or name.partition(".")[0] in names}


def test_every_column_has_a_writer_and_a_reader_or_is_said_to_be_unused() -> None:
    uses = of_functions((ROOT / "db-schema" / "schema.sql").read_text(encoding="utf-8"))
    for used in uses_by_module().values():
        uses.add(used)
    unread, unwritten = set(), set()
    for name, column in to_be_used().items():
        if (column.table.name, column.name) not in uses.reads:
            unread.add(name)
        if (column.table.name, column.name) not in uses.writes and column.computed is None:
            unwritten.add(name)

    assert unread - declared() == set()
    assert unwritten - declared() == set()
    assert declared() - unread - unwritten == set(), "used by now: not only declared"
