"""What it costs to delete old events, and what partitions by month would cost instead: `python -m bench.events`.

A database with the product's schema and its PostgreSQL, filled by SQL: half of the events are of runs that ended too
long ago. The product's own sweep deletes them while somebody appends events. Then the same events in a table with a
partition for each month: what appending one and reading a conversation take there.
"""

import argparse
import asyncio
import itertools
import secrets
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import asyncpg

from bench import results
from bench.children import Children
from bench.machine import cpu_seconds, describe, tree
from echomind.local.embedded.postgres import PostgresServer
from echomind.local.embedded.process import free_port
from echomind_api.retention.events import EventExpiry
from echomind_lib.db import migrate
from echomind_lib.db.database import Database

_QUESTIONS: Final = 4
"""Of a conversation."""
_EVENTS: Final = 8
"""Of a question, with the final one."""
_DAYS: Final = 365
_MONTHS: Final = 36
Cpu = Callable[[], float]
"""Seconds of processor time that PostgreSQL has used."""

_FILL = f"""
WITH new AS (
    INSERT INTO chat_sessions (user_id, assistant_id, title, creation_date)
    SELECT (SELECT min(id) FROM users), (SELECT min(id) FROM assistants), 'Filled', now() - make_interval(days => $2)
    FROM generate_series(1, $1) RETURNING id, creation_date
), asked AS (
    INSERT INTO runs (user_id, chat_session_id, status, creation_date, completed_at)
    SELECT (SELECT min(id) FROM users), new.id, 'completed', new.creation_date, new.creation_date
    FROM new, generate_series(1, {_QUESTIONS}) RETURNING id, chat_session_id, creation_date
)
INSERT INTO run_events (chat_session_id, run_id, kind, text, payload, creation_date)
SELECT asked.chat_session_id, asked.id, CASE place WHEN {_EVENTS} THEN 'final' ELSE 'progress' END,
    'Searching documents for what was asked', jsonb_build_object('toolCall', jsonb_build_object('toolName',
    'search_documents', 'toolCallId', gen_random_uuid(), 'parameters', repeat('a word ', 20))), asked.creation_date
FROM asked, generate_series(1, {_EVENTS}) AS place
"""
_PARTITIONED = """
CREATE TABLE events_by_month (
    id bigint NOT NULL, chat_session_id integer NOT NULL, run_id uuid, kind varchar(20) NOT NULL, text text NOT NULL,
    payload jsonb, creation_date timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (chat_session_id, id, creation_date)
) PARTITION BY RANGE (creation_date);
CREATE INDEX ON events_by_month (run_id) WHERE run_id IS NOT NULL;
ALTER TABLE events_by_month ADD FOREIGN KEY (chat_session_id) REFERENCES chat_sessions (id) ON DELETE CASCADE;
ALTER TABLE events_by_month ADD FOREIGN KEY (run_id) REFERENCES runs (id) ON DELETE CASCADE;
CREATE SEQUENCE events_by_month_id;
"""
_APPEND = """
WITH added AS (
    INSERT INTO {table} ({id}chat_session_id, run_id, kind, text, payload)
    SELECT {next}chat_session_id, id, 'progress', 'Searching documents', '{{"toolCall": {{"toolName": "search"}}}}'
    FROM runs WHERE id = $1 RETURNING id, chat_session_id
)
SELECT added.id, (SELECT max(before.id) FROM {table} AS before
    WHERE before.chat_session_id = added.chat_session_id AND before.id < added.id) FROM added
"""
_READ = "SELECT * FROM {table} WHERE chat_session_id = $1 AND id > $2 ORDER BY id LIMIT 500"
_READ_RUN = "SELECT * FROM {table} WHERE run_id = $1 AND id > $2 ORDER BY id LIMIT 500"
_TABLES: Final = {"run_events": ("", ""), "events_by_month": ("id, ", "nextval('events_by_month_id'), ")}


def main() -> None:
    """Measures and writes `results/events.json` and `.md`."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder, Children(Path(folder)) as children:
        server = PostgresServer(Path(folder) / "postgres", free_port(), secrets.token_hex(12))
        server.prepare()
        process = children.start(server.spec())
        migrate.upgrade(server.url)
        data: dict[str, Any] = {"machine": describe(), "events": options.events}
        data |= asyncio.run(_measure(server.url, options.events, lambda: cpu_seconds(tree(process))))
    results.write("events", "Old events", data, _page(data), options.out)


async def _measure(url: str, events: int, cpu: Cpu) -> dict[str, Any]:
    database = await Database.connect(url, max_size=4, statement_timeout=600)
    connection = await asyncpg.connect(url)
    conversations = events // (2 * _QUESTIONS * _EVENTS)
    await connection.execute("INSERT INTO users (user_name) SELECT 'one' WHERE NOT EXISTS (SELECT FROM users)")
    await connection.execute("INSERT INTO assistants (name) SELECT 'one' WHERE NOT EXISTS (SELECT FROM assistants)")
    for age in (_DAYS + 30, 10):
        await connection.execute(_FILL, conversations, age)
    await connection.execute("VACUUM ANALYZE run_events, runs, chat_sessions")
    size = await connection.fetchval("SELECT pg_total_relation_size('run_events')")
    stored = await connection.fetchval("SELECT count(*) FROM run_events")
    runs = [row["id"] for row in await connection.fetch("SELECT id FROM runs ORDER BY id DESC LIMIT 400")]
    found: dict[str, Any] = {"stored": stored, "bytes_an_event": size / stored}
    found["alone"] = await _append_for(connection, runs, 5.0)

    expiry = EventExpiry(database, _DAYS)
    began, used, log = time.perf_counter(), cpu(), await connection.fetchval("SELECT pg_current_wal_lsn()")
    sweeping = asyncio.create_task(expiry.sweep())
    found["during"] = await _append_for(connection, runs, 3600.0, until=sweeping)
    seconds = time.perf_counter() - began
    deleted = await sweeping
    wal = await connection.fetchval("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), $1)::float8", log)
    found["sweep"] = {"deleted": deleted, "seconds": seconds, "cpu_seconds": cpu() - used, "wal_bytes": wal}
    await connection.execute("VACUUM ANALYZE run_events")
    began = time.perf_counter()
    assert await expiry.sweep() == 0
    found["walk"] = {"conversations": conversations, "seconds": time.perf_counter() - began}

    await _partition(connection)
    found["tables"] = {table: await _compare(connection, table, runs) for table in _TABLES}
    await connection.close()
    await database.close()
    return found


async def _append_for(
    connection: asyncpg.Connection, runs: list[Any], seconds: float, until: "asyncio.Task[int] | None" = None
) -> dict[str, float]:
    """Appends events one after the other; returns how long each took."""
    statement = _APPEND.format(table="run_events", id="", next="")
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end and not (until and until.done()):
        began = time.perf_counter()
        await connection.fetch(statement, runs[len(times) % len(runs)])
        times.append((time.perf_counter() - began) * 1000)
    times.sort()
    return {"p50_ms": statistics.median(times), "p99_ms": times[int(0.99 * (len(times) - 1))], "max_ms": times[-1]}


async def _partition(connection: asyncpg.Connection) -> None:
    """Makes the table with partitions, and fills it with the events that are left."""
    await connection.execute(_PARTITIONED)
    now = datetime.now(UTC)
    months = [now.year * 12 + now.month - 1 - back for back in range(_MONTHS, -2, -1)]
    for month, following in itertools.pairwise(months):
        begin, end = (f"{number // 12}-{number % 12 + 1:02}-01" for number in (month, following))
        await connection.execute(
            f"CREATE TABLE events_{month} PARTITION OF events_by_month FOR VALUES FROM ('{begin}') TO ('{end}')"
        )
    await connection.execute(
        "INSERT INTO events_by_month SELECT id, chat_session_id, run_id, kind, text, payload, creation_date "
        "FROM run_events"
    )
    await connection.execute("SELECT setval('events_by_month_id', (SELECT max(id) FROM run_events))")
    await connection.execute("VACUUM ANALYZE events_by_month, run_events")


async def _compare(connection: asyncpg.Connection, table: str, runs: list[Any]) -> dict[str, Any]:
    """Returns milliseconds and nodes of the plans of what is done most often."""
    columns, values = _TABLES[table]
    sessions = [row[0] for row in await connection.fetch("SELECT chat_session_id FROM runs WHERE id = ANY($1)", runs)]
    statements: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
        "append": (_APPEND.format(table=table, id=columns, next=values), [(run,) for run in runs]),
        "read_conversation": (_READ.format(table=table), [(session, 0) for session in sessions]),
        "read_run": (_READ_RUN.format(table=table), [(run, 0) for run in runs]),
    }
    found: dict[str, Any] = {}
    for name, (statement, given) in statements.items():
        prepared = await connection.prepare(statement)
        times = []
        for values_ in given:
            began = time.perf_counter()
            await prepared.fetch(*values_)
            times.append((time.perf_counter() - began) * 1000)
        (plan,) = await prepared.explain(*given[0])
        found[name] = {"ms": statistics.median(times), "nodes": _nodes(plan["Plan"])}
    return found


def _nodes(plan: dict[str, Any]) -> int:
    return 1 + sum(_nodes(part) for part in plan.get("Plans", ()))


def _page(data: dict[str, Any]) -> str:
    sweep, walk = data["sweep"], data["walk"]
    head = (
        f"{results.machine_line(data['machine'])} {data['stored']:,} events, {data['bytes_an_event']:.0f} bytes each "
    )
    head += "with their indexes, half of them too old.\n\n"
    deletion = results.table(
        ("", "Sweep of what is too old"),
        [
            ("events deleted", f"{sweep['deleted']:,}"),
            ("seconds", sweep["seconds"]),
            ("events a second", sweep["deleted"] / sweep["seconds"]),
            ("processor time of PostgreSQL an event, µs", sweep["cpu_seconds"] / sweep["deleted"] * 1e6),
            ("log an event, bytes", sweep["wal_bytes"] / sweep["deleted"]),
            ("appending an event meanwhile, ms: median, 99th percentile", _times(data["during"])),
            ("the same without a sweep", _times(data["alone"])),
            (
                f"a sweep without anything to delete, {walk['conversations']:,} old conversations, seconds",
                walk["seconds"],
            ),
        ],
    )
    rows = [
        (what.replace("_", " "), *(each for table in _TABLES for each in data["tables"][table][what].values()))
        for what in data["tables"]["run_events"]
    ]
    partitions = results.table(
        ("", "one table, ms", "nodes of its plan", f"{_MONTHS + 1} partitions, ms", "nodes of its plan"), rows
    )
    return f"{head}{deletion}\n{partitions}"


def _times(found: dict[str, float]) -> str:
    return f"{found['p50_ms']:.2f}, {found['p99_ms']:.1f}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=4_000_000, help="How many are stored.")
    parser.add_argument("--out", type=Path, help="Folder of the results; bench/results by default.")
    return parser.parse_args()


if __name__ == "__main__":
    main()
