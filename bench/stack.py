"""What the whole stack costs while nobody asks anything: `python -m bench.stack`.

Start-up with an empty and with a filled data folder, memory of each process idle and after bringing documents in,
processor time while idle, the end, and what a thousand readers cost who wait for events.
"""

import argparse
import asyncio
import os
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

from bench import results
from bench.children import Children, run_tool
from bench.load import idle_cores
from bench.machine import cpu_seconds, describe, pss_mib
from bench.product import PROGRAM, Product

_SETTLING_SECONDS = 5.0
_RESTING_SECONDS = 45.0
"""Seconds after work until the processes have given back the memory that it took."""
_INGEST_SECONDS = 3600.0
_CONNECT_SECONDS = 60.0
_HELD_STREAMS = 200
"""Event streams that are open when it is stopped."""


def main() -> None:
    """Measures and writes `results/stack.json` and `.md`."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder:
        work = Path(folder)
        data: dict[str, Any] = {"machine": describe(), "documents": options.documents, "starts": []}
        data["load_at_start"] = os.getloadavg()[0]
        for number in range(options.starts):
            with Children(work) as children:
                product = Product(children, work / "data", name=f"echomind-{number}")
                start = {"ready_s": round(product.seconds_to_start, 2)}
                product.settle()
                if number == 0:
                    data |= _measure_running(product, work, options)
                elif number == options.starts - 1:
                    time.sleep(_SETTLING_SECONDS)
                    data["pss_later_mib"] = _memory(product)
                streams = _hold(product, min(options.streams, _HELD_STREAMS)) if number else []
                start["open_streams"] = len(streams)
                began = time.perf_counter()
            start["stopped_s"] = round(time.perf_counter() - began, 2)
            for stream in streams:
                stream.close()
            data["starts"].append(start)
            print(start, flush=True)
    data["load_at_end"] = os.getloadavg()[0]
    results.write("stack", "What the stack costs by itself", data, report(data), options.out)


def _measure_running(product: Product, work: Path, options: argparse.Namespace) -> dict[str, Any]:
    time.sleep(_RESTING_SECONDS)
    data: dict[str, Any] = {"pss_idle_mib": _memory(product)}
    data["idle_cores"] = idle_cores(product.processes(), options.idle_seconds)
    data["streams"] = asyncio.run(_watch(product, options.streams, options.idle_seconds))
    if options.documents:
        corpus = work / "corpus"
        run_tool("corpus.py", "--out", str(corpus), "--documents", str(options.documents), timeout=600)
        command = [str(PROGRAM), "ingest", str(corpus), "--wait", "--json", "--url", product.url]
        subprocess.run([*command, "--api-key", product.key], capture_output=True, timeout=_INGEST_SECONDS, check=True)
        time.sleep(_RESTING_SECONDS)
        data["pss_after_ingesting_mib"] = _memory(product)
    return data


def _memory(product: Product) -> dict[str, float]:
    own = product.root.memory_full_info()
    memory = {"supervisor": round(getattr(own, "pss", own.rss) / 2**20, 1)}
    return memory | {name: round(pss_mib(process), 1) for name, process in product.processes().items()}


async def _watch(product: Product, streams: int, seconds: float) -> dict[str, float]:
    """Opens event streams that have nothing to tell, and gives what they cost the API.

    Raises:
        RuntimeError: One was not opened.
    """
    api = product.processes()["api"]
    sessions = [
        product.call("POST", "/chat-sessions", {"title": f"Watched {number}"})["id"]
        for number in range(min(streams, 50))
    ]
    memory_before = pss_mib(api)
    began, cpu_before = time.perf_counter(), cpu_seconds([api])
    writers = []
    async with asyncio.timeout(_CONNECT_SECONDS):
        for number in range(streams):
            writers.append(await _open_stream(product, sessions[number % len(sessions)]))  # noqa: PERF401
    opening = {"wall_s": time.perf_counter() - began, "cpu_s": cpu_seconds([api]) - cpu_before}
    await asyncio.sleep(_SETTLING_SECONDS)
    processes: dict[str, psutil.Process] = product.processes()
    cores = await asyncio.to_thread(idle_cores, processes, seconds)
    result = {
        "streams": float(streams),
        "opening_cpu_ms": round(opening["cpu_s"] * 1000 / streams, 3),
        "api_mib": round(pss_mib(api) - memory_before, 1),
        "api_cores": cores["api"],
        "nats_cores": cores["nats"],
        "postgres_cores": cores["postgres"],
    }
    for writer in writers:
        writer.close()
    return result


def _hold(product: Product, number: int) -> list[socket.socket]:
    """Opens event streams that stay open until they are closed, without an event loop.

    Raises:
        RuntimeError: One was not opened.
    """
    session = product.call("POST", "/chat-sessions", {"title": "Watched to the end"})["id"]
    url = urlsplit(product.url)
    streams = []
    for _ in range(number):
        stream = socket.create_connection((url.hostname, url.port), timeout=_CONNECT_SECONDS)
        stream.sendall(_stream_request(product, session))
        status = stream.recv(64)
        if b" 200 " not in status:
            raise RuntimeError(f"the stream was not opened: {status.decode().strip()}")
        streams.append(stream)
    return streams


def _stream_request(product: Product, session: int) -> bytes:
    return (
        f"GET /api/v1/chat-sessions/{session}/events HTTP/1.1\r\nHost: {urlsplit(product.url).netloc}\r\n"
        f"Authorization: Bearer {product.key}\r\nAccept: text/event-stream\r\n\r\n"
    ).encode()


async def _open_stream(product: Product, session: int) -> asyncio.StreamWriter:
    url = urlsplit(product.url)
    reader, writer = await asyncio.open_connection(url.hostname, url.port)
    writer.write(_stream_request(product, session))
    status = await reader.readline()
    if b" 200 " not in status:
        raise RuntimeError(f"the stream was not opened: {status.decode().strip()}")
    return writer


def report(data: dict[str, Any]) -> str:
    """Returns the tables of a run."""
    starts = data["starts"]
    text = [results.machine_line(data["machine"])]
    text.append(
        f"Load of the machine before and after: {data['load_at_start']:.1f} and {data['load_at_end']:.1f}; starts and "
        "processor time mean little above 1, memory means the same.\n"
    )
    rows: list[list[results.Cell]] = [
        ["filled" if number else "empty", start["ready_s"], start["stopped_s"], start.get("open_streams", 0)]
        for number, start in enumerate(starts)
    ]
    text.append(results.table(["data folder", "ready after s", "stopped within s", "with open streams"], rows))
    later, after = data.get("pss_later_mib", {}), data.get("pss_after_ingesting_mib", {})
    rows = [
        [name, later.get(name), value, after.get(name), 100 * data["idle_cores"].get(name, 0.0)]
        for name, value in data["pss_idle_mib"].items()
    ]
    memory = [sum(column.values()) or None for column in (later, data["pss_idle_mib"], after)]
    rows.append(["all", *memory, 100 * sum(data["idle_cores"].values())])
    head = [
        "process",
        "PSS MiB idle",
        "after the first start, which reads the guide",
        f"after {data['documents']} documents",
    ]
    text.append(results.table([*head, "% of a core idle"], rows))
    streams = data["streams"]
    text.append(
        f"{streams['streams']:.0f} idle event streams: {streams['api_mib']:.0f} MiB more in the API, "
        f"{100 * streams['api_cores']:.1f} % of a core in the API, {100 * streams['nats_cores']:.1f} % in NATS, "
        f"{100 * streams['postgres_cores']:.1f} % in PostgreSQL; opening one took "
        f"{streams['opening_cpu_ms']:.2f} CPU ms of the API."
    )
    return "\n".join(text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures what the whole stack costs by itself.")
    parser.add_argument("--starts", type=int, default=3, help="how often it is started; the first time without data")
    parser.add_argument("--documents", type=int, default=200, help="documents of 1,500 words to bring in; 0 for none")
    parser.add_argument("--idle-seconds", type=float, default=20.0, help="how long idle processor time is watched")
    parser.add_argument("--streams", type=int, default=1000, help="idle event streams, at most 2,000")
    parser.add_argument("--out", type=Path, default=results.FOLDER, help="folder of the results")
    return parser.parse_args()


if __name__ == "__main__":
    main()
