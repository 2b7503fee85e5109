"""How soon work resumes when the process that did it is killed: `python -m bench.recovery`.

An agent is killed by SIGKILL in mid-answer, once with a second agent beside it and once alone, so that its successor
has to start first; the ingestor is killed while it indexes a document.
"""

import argparse
import asyncio
import json
import os
import signal
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import asyncpg
import psutil

from bench import results
from bench.children import Children
from bench.machine import describe
from bench.product import Product
from echomind.local.supervisor import STABLE_AFTER

_TOKENS, _DELAY_MS = 600, 20
"""An answer of twelve seconds."""
_DELTAS_BEFORE = 40
"""Pieces of text that arrive before the agent is killed, one every 50 ms."""
_PARAGRAPHS = 600
_LIMIT_SECONDS = 120.0
_SETTLING_SECONDS = STABLE_AFTER + 1
"""After a kill: the supervisor counts the next one as the first, as it is that of a process that has worked."""

_PORT_OF_WORKER = """
SELECT client_port FROM runs
JOIN LATERAL (SELECT hashtextextended(worker_id::text, 0) AS key) AS of_worker ON true
JOIN pg_locks ON locktype = 'advisory' AND granted AND objsubid = 1 AND mode = 'ExclusiveLock'
  AND (classid::bigint << 32) | objid::bigint = key
JOIN pg_stat_activity USING (pid)
WHERE runs.id = $1
"""


def main() -> None:
    """Measures and writes `results/recovery.json` and `.md`."""
    options = _options()
    data: dict[str, Any] = {"machine": describe(), "load_at_start": os.getloadavg()[0], "seconds": {}}
    for agents in (2, 1):
        with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder, Children(Path(folder)) as children:
            _, stub_url = children.start_stub()
            product = Product(children, Path(folder) / "data", agents=agents)
            product.settle()
            product.use_model(stub_url, f"stub-t{_TOKENS}-d{_DELAY_MS}")
            name = "an agent, a second one beside it" if agents > 1 else "the only agent"
            data["seconds"][name] = asyncio.run(_repeat(product, options.repetitions, _kill_agent))
            if agents == 1:
                data["seconds"]["the ingestor"] = asyncio.run(_repeat(product, options.repetitions, _kill_ingestor))
    data["load_at_end"] = os.getloadavg()[0]
    results.write("recovery", "How soon work resumes after a death", data, report(data), options.out)


def report(data: dict[str, Any]) -> str:
    """Returns the table of a run."""
    rows: list[list[results.Cell]] = [
        [name, len(seconds), statistics.median(seconds), min(seconds), max(seconds)]
        for name, seconds in data["seconds"].items()
    ]
    text = [
        results.machine_line(data["machine"]),
        f"Load of the machine before and after: {data['load_at_start']:.1f} and {data['load_at_end']:.1f}.\n",
        results.table(["killed", "times", "median s", "least s", "most s"], rows),
    ]
    text.append(
        "From SIGKILL: of an agent in mid-answer to the next words of the answer at its reader; of the ingestor to the "
        "first progress of its document under another worker."
    )
    return "\n".join(text)


async def _repeat(
    product: Product, repetitions: int, measure: Callable[[Product, aiohttp.ClientSession], Awaitable[float]]
) -> list[float]:
    found = []
    headers = {"Authorization": f"Bearer {product.key}"}
    async with aiohttp.ClientSession(product.url, headers=headers) as http:
        for _ in range(repetitions):
            before = len(product.processes())
            async with asyncio.timeout(_LIMIT_SECONDS):
                found.append(round(await measure(product, http), 2))
                while len(product.processes()) < before:  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
            print(f"{found[-1]:.2f} s", flush=True)
            await asyncio.sleep(_SETTLING_SECONDS)
    return found


async def _kill_agent(product: Product, http: aiohttp.ClientSession) -> float:
    """Kills the agent that writes an answer, and returns the seconds to the answer's next words."""
    killed_at, deltas = 0.0, 0
    question = {"content": "Tell me something long."}
    async with http.post("/api/v1/chat-sessions/-/messages:stream", json=question) as response:
        async for event in _events(response):
            if "delta" not in event:
                continue
            if killed_at and event["delta"]["attempt"] > 1:
                return time.perf_counter() - killed_at
            deltas += 1
            if deltas == _DELTAS_BEFORE:
                process = await _agent_of(product, event["runId"])
                killed_at = time.perf_counter()
                process.send_signal(signal.SIGKILL)
    raise RuntimeError("the answer ended without another attempt")


async def _agent_of(product: Product, run_id: str) -> psutil.Process:
    """Returns the agent that has a run: its worker's lock is held by a connection of its process."""
    connection = await asyncpg.connect(product.settings().postgres.url.get_secret_value())
    port = await connection.fetchval(_PORT_OF_WORKER, run_id)
    await connection.close()
    for name, process in product.processes().items():
        if name.startswith("agent") and any(each.laddr.port == port for each in process.net_connections("tcp")):
            return process
    raise RuntimeError("no agent has the run")


async def _kill_ingestor(product: Product, http: aiohttp.ClientSession) -> float:
    """Kills the ingestor while it indexes, and returns the seconds until the document is worked on again."""
    mark = f"{time.time_ns():x}"
    text = "\n\n".join(f"Paragraph {number} of {mark} says little. " * 12 for number in range(_PARAGRAPHS))
    form = aiohttp.FormData()
    form.add_field("file", text.encode(), filename=f"{mark}.txt", content_type="text/plain")
    async with http.post("/api/v1/documents:upload", data=form) as response:
        document = (await response.json())["documents"][0]["id"]

    async def said(condition: Callable[[str], bool]) -> str:
        while True:
            async with http.get(f"/api/v1/documents/{document}") as answer:
                row = await answer.json()
            if condition(message := row.get("statusMessage", "")) or row["status"] == "DOCUMENT_STATUS_COMPLETED":
                return str(message)
            await asyncio.sleep(0.02)

    await said(lambda message: "Indexing" in message)
    process = product.processes()["ingestor"]
    killed_at = time.perf_counter()
    process.send_signal(signal.SIGKILL)
    process.wait(5)
    last = await said(lambda _: True)
    await said(lambda message: message != last)
    seconds = time.perf_counter() - killed_at
    await said(lambda _: False)
    return seconds


async def _events(response: aiohttp.ClientResponse) -> AsyncIterator[dict[str, Any]]:
    if response.status != 200:
        raise RuntimeError(f"the question was refused: {await response.text()}")
    async for line in response.content:
        if line.startswith(b"data:"):
            yield json.loads(line[5:])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures how soon work resumes when a process is killed.")
    parser.add_argument("--repetitions", type=int, default=5, help="how often each is killed")
    parser.add_argument("--out", type=Path, default=results.FOLDER, help="folder of the results")
    return parser.parse_args()


if __name__ == "__main__":
    main()
