"""A server that speaks Qdrant's gRPC API over the `qdrant-edge-py` engine, so that clients need only a URL.

Run as `python -m echomind.local.embedded.qdrant_server --data-dir DIR --port PORT`, with the key that clients must send
in the environment variable `QDRANT__SERVICE__API_KEY`, as for Qdrant itself. It owns its data folder exclusively and
listens on loopback. Search is exhaustive. SIGTERM stops it cleanly; after a kill, the engine's write-ahead log restores
every acknowledged write.

While its disk has less free space than the reserve, it refuses writes that need space and still serves queries: the
engine maps files into memory, and a process whose mapped write finds no space is killed.
"""

import argparse
import asyncio
import logging
import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import grpc
import uvloop

from echomind.local.embedded.process import LOOPBACK
from echomind.local.embedded.qdrant_collections import Collections
from echomind.local.embedded.qdrant_rpcs import QdrantRpcs
from echomind_lib.config import Settings
from echomind_lib.process.disk import DiskSpace

READERS = 4
MAINTENANCE_INTERVAL = 5.0
STOP_GRACE = 2.0
OPTIONS = [
    ("grpc.max_receive_message_length", 256 * 1024 * 1024),
    ("grpc.max_send_message_length", -1),
    # Otherwise a second server could share the port without an error.
    ("grpc.so_reuseport", 0),
]

log = logging.getLogger("qdrant")


async def serve(data_dir: Path, port: int, api_key: str) -> None:
    """Serve until SIGTERM or SIGINT.

    Raises:
        BlockingIOError: Another process owns the folder.
        RuntimeError: The port is in use.
    """
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    disk = DiskSpace(Settings().disk.model_copy(update={"folder": str(data_dir)}))
    collections = Collections(data_dir)
    with (
        ThreadPoolExecutor(READERS, "reader") as readers,
        ThreadPoolExecutor(1, "writer") as writer,
    ):
        try:
            server = grpc.aio.server(options=OPTIONS)
            server.add_generic_rpc_handlers((QdrantRpcs(collections, api_key, disk, readers, writer),))
            server.add_insecure_port(f"{LOOPBACK}:{port}")
            await server.start()
            log.info("serving %d collections on %s:%d", len(collections.names()), LOOPBACK, port)
            while not stopping.is_set():
                with suppress(TimeoutError):
                    async with asyncio.timeout(MAINTENANCE_INTERVAL):
                        await stopping.wait()
                if not disk.is_low:
                    await asyncio.get_running_loop().run_in_executor(writer, collections.maintain, time.monotonic())
            await server.stop(STOP_GRACE)
        finally:
            await asyncio.get_running_loop().run_in_executor(writer, collections.close)
    log.info("closed")


def main() -> int:
    """Command line of the process."""
    parser = argparse.ArgumentParser(prog="qdrant_server", description="Qdrant-compatible server")
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    api_key = os.environ.get("QDRANT__SERVICE__API_KEY")
    if not api_key:
        parser.error("set the key that clients must send in QDRANT__SERVICE__API_KEY")
    try:
        uvloop.run(serve(arguments.data_dir, arguments.port, api_key))
    except BlockingIOError:
        log.error("%s is in use by another process: a folder has one server", arguments.data_dir)
        return 1
    except RuntimeError as error:
        log.error("cannot serve on port %d: %s", arguments.port, error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
