"""What people cost who have a page open, each with a conversation of their own: `python -m bench.streams`.

Opens more and more event streams at one gateway. At each count it measures memory, and processor time while nothing
happens and while others ask questions, and how long these wait.
"""

import argparse
import asyncio
import json
import os
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from typing_extensions import override

from bench import results
from bench.children import Children
from bench.load import idle_cores, load
from bench.machine import cpu_seconds, describe, pss_mib
from bench.product import PROGRAM, Product
from bench.systems import echomind

_PROFILE = "stub-t100-d0"
_ASKING = 4
"""Conversations at once that others have."""
_SETTLING_SECONDS = 5.0
_ANSWER_SECONDS = 30.0
_AT_ONCE = 16
_STREAMS_AN_ACCOUNT = 500
"""One account may have 2,000 open streams at a gateway."""
_ENVIRONMENT = {"ECHOMIND_API__GUIDE": "false", "ECHOMIND_API__MAX_CONNECTIONS_PER_ADDRESS": "10000"}


class _Reader(asyncio.Protocol):
    """A connection that reads an event stream, and counts what comes."""

    def __init__(self) -> None:
        self.status: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self.length = 0
        self.is_open = True

    @override
    def data_received(self, data: bytes) -> None:
        self.length += len(data)
        if not self.status.done():
            self.status.set_result(data.split(b"\r\n", 1)[0])

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self.is_open = False
        if not self.status.done():
            self.status.set_exception(exc or ConnectionError("the gateway closed the connection"))


def main() -> None:
    """Measures and writes `results/streams.json` and `.md`."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder, Children(Path(folder)) as children:
        _, stub_url = children.start_stub()
        product = Product(children, Path(folder) / "data", environment=_ENVIRONMENT)
        machine = describe()
        rows = asyncio.run(_measure(product, stub_url, options))
    data = {"machine": machine, "load": os.getloadavg()[0], "asking": _ASKING, "streams": rows}
    results.write("streams", "What open pages cost", data, _page(data), options.out)


async def _measure(product: Product, stub_url: str, options: argparse.Namespace) -> list[dict[str, float]]:
    system = echomind(product, stub_url, "EchoMind")
    await asyncio.to_thread(system.prepare, _PROFILE)
    await asyncio.to_thread(load, system, _PROFILE, _ASKING, 2.0)
    api, nats = (product.processes()[name] for name in ("api", "nats"))
    started = [pss_mib(api), pss_mib(nats)]
    readers: list[_Reader] = []
    rows: list[dict[str, float]] = []
    for count in [0, *(int(number) for number in options.counts.split(","))]:
        used = cpu_seconds([api])
        await _open(product, readers, count)
        used = (cpu_seconds([api]) - used) / max(1, count - (rows[-1]["streams"] if rows else 0))
        await asyncio.sleep(_SETTLING_SECONDS)
        idle = await asyncio.to_thread(idle_cores, product.processes(), options.seconds)
        memory = [pss_mib(api) - started[0], pss_mib(nats) - started[1]]
        cell = await asyncio.to_thread(load, system, _PROFILE, _ASKING, options.seconds)
        row: dict[str, float] = {
            "streams": float(count),
            "opening_cpu_ms": used * 1000,
            "api_mib": memory[0],
            "nats_mib": memory[1],
            **{f"{name}_cores": idle[name] for name in ("api", "nats", "postgres")},
            **{name: cell[name] for name in ("turns_per_s", "ttft_p50_ms", "ttft_p99_ms", "errors")},
            "lost": float(sum(not reader.is_open for reader in readers)),
        }
        rows.append(row)
        print(row, flush=True)
    return rows


async def _open(product: Product, readers: list[_Reader], count: int) -> None:
    """Opens streams until there are so many, each of a conversation of its own.

    Raises:
        RuntimeError: One was refused.
    """
    url = urlsplit(product.url)
    host, port = url.hostname or "127.0.0.1", url.port or 80
    waiting = asyncio.Semaphore(_AT_ONCE)
    keys = {
        number: await asyncio.to_thread(_account, product, f"watchers-{number}-{count}")
        for number in range(len(readers) // _STREAMS_AN_ACCOUNT, count // _STREAMS_AN_ACCOUNT + 1)
    }

    async def watch(number: int) -> None:
        async with waiting:
            key = keys[number // _STREAMS_AN_ACCOUNT]
            session = await asyncio.to_thread(_conversation, product, key, number)
            loop = asyncio.get_running_loop()
            transport, reader = await loop.create_connection(_Reader, host, port)
            transport.write(
                f"GET /api/v1/chat-sessions/{session}/events HTTP/1.1\r\nHost: {url.netloc}\r\n"
                f"Authorization: Bearer {key}\r\nAccept: text/event-stream\r\n\r\n".encode()
            )
            status = await asyncio.wait_for(reader.status, _ANSWER_SECONDS)
            if b" 200 " not in status:
                raise RuntimeError(f"a stream was not opened: {status.decode()}")
            readers.append(reader)

    began = time.perf_counter()
    async with asyncio.TaskGroup() as tasks:
        for number in range(len(readers), count):
            tasks.create_task(watch(number))
    print(f"{count} streams are open after {time.perf_counter() - began:.0f} s", flush=True)


def _account(product: Product, name: str) -> str:
    """Makes a service account, and returns its API key."""

    def run(*words: str) -> dict[str, Any]:
        command = [str(PROGRAM), *words, "--json", "--url", product.url, "--api-key", product.key]
        found: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        return found

    run("groups", "add", name)
    run("service-accounts", "add", name, "--owner", name)
    return str(run("service-accounts", "add-key", name, "watch")["secret"])


def _conversation(product: Product, key: str, number: int) -> int:
    """Begins a conversation of an account, and returns its id."""
    request = urllib.request.Request(
        f"{product.url}/api/v1/chat-sessions",
        data=json.dumps({"title": f"Watched {number}"}).encode(),
        headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return int(json.load(answer)["id"])


def _page(data: dict[str, Any]) -> str:
    head = results.machine_line(data["machine"])
    head += (
        f" Load of the machine: {data['load']:.1f}; memory means the same above 1, times and rates mean little."
        f" One gateway; each stream is of a conversation of its own. Then {data['asking']} others ask, one question "
        "after the other, with 100 pieces an answer. What the gateway holds for a reader that is too slow is limited "
        "to 2,000 events; it is sent away then, and continues where it was.\n\n"
    )
    rows: list[list[results.Cell]] = [
        [
            int(row["streams"]),
            row["api_mib"],
            1024 * row["api_mib"] / row["streams"] if row["streams"] else None,
            1024 * row["nats_mib"] / row["streams"] if row["streams"] else None,
            row["opening_cpu_ms"] if row["streams"] else None,
            *(100 * row[f"{name}_cores"] for name in ("api", "nats", "postgres")),
            row["turns_per_s"],
            row["ttft_p50_ms"],
            row["ttft_p99_ms"],
            int(row["errors"] + row["lost"]),
        ]
        for row in data["streams"]
    ]
    titles = (
        "open streams",
        "MiB more in the gateway",
        "KiB each",
        "KiB each in NATS",
        "CPU ms to make the conversation and open one",
        "gateway idle, % of a core",
        "NATS idle",
        "PostgreSQL idle",
        "answers a second to others",
        "ms to their first word, half",
        "99 %",
        "errors and lost streams",
    )
    return head + results.table(titles, rows)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures what open event streams cost.")
    parser.add_argument("--counts", default="1000,2500,5000", help="Streams, with commas between; at most 9,000.")
    parser.add_argument("--seconds", type=float, default=10.0, help="Of each measurement.")
    parser.add_argument("--out", type=Path, help="Folder of the results; bench/results by default.")
    return parser.parse_args()


if __name__ == "__main__":
    main()
