"""Counts of what work takes, exact on any machine: statements, commits, plans, messages, embedded texts, calls."""

import asyncio
import re
import signal
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import aiohttp
import asyncpg
import msgspec
from typing_extensions import override

from echomind.local.embedded.nats import NatsServer
from echomind.local.embedded.process import LOOPBACK, ProcessSpec
from echomind_lib.embeddings.embedder import Embedder, Vectors

POSTGRES_SETTINGS = {
    "shared_preload_libraries": "pg_stat_statements,auto_explain",
    "pg_stat_statements.track_utility": "off",
    "pg_stat_statements.track_planning": "on",
    # What a vacuum or a checkpoint changes of pages would be counted for whoever touches them next.
    "autovacuum": "off",
    "checkpoint_timeout": "1d",
    "max_wal_size": "4GB",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
}
"""Of a server whose work is counted."""
_PLANS = re.compile(r"LOG:  duration: [\d.]+ ms  plan:\n((?:\t.*\n|\n)*)")
_NODE = re.compile(r"\(cost=\d")
_OF_DRIVER = ("typeinfo_tree", "set_config('jit'")
"""Words of the statements by which asyncpg looks up types."""
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True)
class MonitoredNats(NatsServer):
    """A NATS server that says how many messages it has got."""

    monitor_port: int = 0

    @property
    def monitor(self) -> str:
        """Address of its figures."""
        return f"http://{LOOPBACK}:{self.monitor_port}/varz"

    @override
    def spec(self) -> ProcessSpec:
        spec = super().spec()
        return replace(spec, argv=[*spec.argv, "-m", str(self.monitor_port)])


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement as PostgreSQL has counted it."""

    text: str
    calls: int
    plannings: int
    wal_records: int
    wal_bytes: int
    buffers: int


class PostgresCounts:
    """What a PostgreSQL server has executed, except what is sent over this connection."""

    def __init__(self, connection: asyncpg.Connection, log_file: Path) -> None:
        self._connection, self._log_file = connection, log_file

    async def reset(self) -> int:
        """Forgets the statements; returns the number of the next transaction that writes."""
        await self._connection.execute("SELECT pg_stat_statements_reset()")
        return await self.next_transaction()

    async def next_transaction(self) -> int:
        """Returns the number of the next transaction that writes: each one takes one, and others take none."""
        number: int = await self._connection.fetchval("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint")
        return number

    async def statements(self) -> list[Statement]:
        """Returns the statements since the last reset, most frequent first."""
        rows = await self._connection.fetch(
            "SELECT query, calls, plans, wal_records, wal_bytes::bigint, shared_blks_hit + shared_blks_read AS buffers "
            "FROM pg_stat_statements ORDER BY calls DESC, query"
        )
        return [Statement(_SPACES.sub(" ", row[0]), *row[1:]) for row in rows]

    async def calls(self) -> int:
        """Returns the number of statements since the last reset."""
        number: int = await self._connection.fetchval("SELECT COALESCE(sum(calls), 0)::int FROM pg_stat_statements")
        return number

    async def explain(self, on: bool) -> None:
        """Makes the server log each plan that it executes, or stops it."""
        await self._connection.execute(f"ALTER SYSTEM SET auto_explain.log_min_duration = {0 if on else -1}")
        await self._connection.execute("SELECT pg_reload_conf()")
        await self._connection.execute("SELECT pg_sleep(0.2)")  # other sessions read it before their next statement

    def plans(self) -> list[tuple[str, int]]:
        """Returns the logged plans: the beginning of the statement, and its nodes.

        Without those of the driver, which looks types up once on each connection, whenever the pool opens one.
        """
        found = []
        for plan in _PLANS.findall(self._log_file.read_text(encoding="utf-8", errors="replace")):
            text, _, nodes = plan.partition("(cost=")
            if not any(word in text for word in _OF_DRIVER):
                found.append((_SPACES.sub(" ", text), len(_NODE.findall("(cost=" + nodes))))
        return found


class NatsCounts:
    """What a NATS server has got from its clients."""

    def __init__(self, server: MonitoredNats, session: aiohttp.ClientSession) -> None:
        self._server, self._session = server, session

    async def received(self) -> tuple[int, int]:
        """Returns messages and bytes since its start, acknowledgements included."""
        async with self._session.get(self._server.monitor) as answer:
            figures = await answer.json()
        return figures["in_msgs"], figures["in_bytes"]


class CountedEmbedder:
    """An embedder that counts the texts that it is given."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.model_id, self.dimension = embedder.model_id, embedder.dimension
        self.max_tokens, self.languages = embedder.max_tokens, embedder.languages
        self.texts: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.texts.extend(texts)
        return self._embedder.embed_passages(texts)

    def embed_batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors]]:
        self.texts.extend(texts)
        return self._embedder.embed_batches(texts)

    def embed_queries(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors]]:
        self.texts.extend(texts)
        return self._embedder.embed_queries(texts)

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)


class Calls(msgspec.Struct):
    """Calls of Python functions."""

    calls: int
    most: list[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class CountedService:
    """A process of `counted_service`."""

    process: subprocess.Popen[bytes]
    folder: Path
    name: str

    async def calls(self) -> Calls:
        """Returns the Python functions that it has called since this was asked last."""
        file = self.folder / f"calls-{self.name}.json"
        file.unlink(missing_ok=True)
        self.process.send_signal(signal.SIGUSR2)
        while not file.exists():
            assert self.process.poll() is None, f"{self.name} has ended"
            await asyncio.sleep(0.01)
        return msgspec.json.decode(await asyncio.to_thread(file.read_bytes), type=Calls)
