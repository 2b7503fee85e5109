"""What a sync costs in which nothing has changed: `python -m bench.sync`.

A folder has many files, and all of them are stored. A full sync lists them again and compares each with what is stored:
it should read, extract and embed nothing, and keep its memory.
"""

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import psutil

from bench import results
from bench.children import Children
from bench.machine import describe
from bench.product import Product
from echomind_ingestor.connectors.file.client import walk

_FOLDERS = 100
_LONGEST_SECONDS = 300.0
_POLL_SECONDS = 0.1
_SYNC = """
SELECT status, documents_seen, documents_unchanged, documents_updated, pages, error,
    extract(epoch FROM completed_at - started_at)::float8 AS seconds
FROM connector_syncs WHERE id = $1
"""


def main() -> None:
    """Measures and writes `results/sync.json` and `.md`."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder, Children(Path(folder)) as children:
        files = Path(folder) / "files"
        _make(files, options.files)
        os.environ["ECHOMIND_CONNECTORS__FOLDERS"] = str(files)
        product = Product(children, Path(folder) / "data")
        product.settle()
        data = {"machine": describe(), "files": options.files, **asyncio.run(_measure(product, files))}
    print(json.dumps(data), flush=True)
    results.write("sync", "A sync without changes", data, report(data), options.out)


def _make(folder: Path, count: int) -> None:
    for number in range(_FOLDERS):
        (folder / f"{number:03}").mkdir(parents=True)
    for number in range(count):
        (folder / f"{number % _FOLDERS:03}" / f"{number:07}.txt").write_text(f"Text {number}.", encoding="ascii")


def _rows(folder: Path, connector: int) -> Iterator[tuple[Any, ...]]:
    for found in walk(str(folder), "", lambda _: True):
        name = found.path.rpartition("/")[2]
        yield connector, found.path, name, name, found.version, "0" * 64, 10, "text/plain", "completed"


async def _measure(product: Product, folder: Path) -> dict[str, Any]:
    database = await asyncpg.connect(product.settings().postgres.url.get_secret_value())
    try:
        connector = await database.fetchval(
            "INSERT INTO connectors (name, type, config, user_id) SELECT 'Files', 'file', $1, min(id) FROM users "
            "RETURNING id",
            json.dumps({"folder": str(folder)}),
        )
        columns = ["connector_id", "source_id", "source_name", "title", "source_version"]
        columns += ["signature", "size_bytes", "content_type", "status"]
        await database.copy_records_to_table("documents", records=_rows(folder, connector), columns=columns)
        await database.execute("ANALYZE documents")
        return {"first": await _sync(product, database, connector), "second": await _sync(product, database, connector)}
    finally:
        await database.close()


async def _sync(product: Product, database: asyncpg.Connection, connector: int) -> dict[str, Any]:
    """Lists everything once.

    Raises:
        RuntimeError: The sync has failed, or has changed something.
        TimeoutError: It takes too long.
    """
    before, began = _cpu(product), _memory(product)
    peak = began
    sync = await database.fetchval(
        "INSERT INTO connector_syncs (connector_id, kind) VALUES ($1, 'full') RETURNING id", connector
    )
    async with asyncio.timeout(_LONGEST_SECONDS):
        row: dict[str, Any] = {"status": "pending"}
        while row["status"] in ("pending", "running"):
            row = dict(await database.fetchrow(_SYNC, sync) or {})
            peak = max(peak, _memory(product))
            await asyncio.sleep(_POLL_SECONDS)
    if row["status"] != "completed" or row["documents_unchanged"] != row["documents_seen"]:
        raise RuntimeError(f"the sync has not found everything unchanged: {row}")
    used = _cpu(product)
    return {
        "seen": row["documents_seen"],
        "pages": row["pages"],
        "seconds": round(row["seconds"], 1),
        "cpu_ingestor_s": round(used["ingestor"] - before["ingestor"], 1),
        "cpu_postgres_s": round(used["postgres"] - before["postgres"], 1),
        "cpu_embedding_s": round(used["embedding"] - before["embedding"], 1),
        "memory_before_mb": round(began),
        "memory_peak_mb": round(peak),
    }


def _cpu(product: Product) -> dict[str, float]:
    found = product.processes()
    return {role: sum(_seconds(each) for each in _tree(found[role])) for role in ("ingestor", "postgres", "embedding")}


def _memory(product: Product) -> float:
    """Memory of the ingestor itself, in MB: its children extract documents."""
    used: int = product.processes()["ingestor"].memory_info().rss
    return used / 1e6


def _tree(process: psutil.Process) -> list[psutil.Process]:
    return [process, *process.children(recursive=True)]


def _seconds(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    spent: float = times.user + times.system + times.children_user + times.children_system
    return spent


def report(data: dict[str, Any]) -> str:
    """Returns the table of a run."""
    head = ["sync", "documents", "pages", "s", "CPU s ingestor", "CPU s PostgreSQL", "CPU s embedding", "MB before"]
    rows: list[list[results.Cell]] = [[name, *data[name].values()] for name in ("first", "second")]
    text = (
        f"A folder of {data['files']:,} files, all of them stored, is listed in full and compared twice. No file is "
        "read, extracted or embedded.\n"
    )
    return "\n".join([results.machine_line(data["machine"]), text, results.table([*head, "MB peak"], rows)])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures a sync in which nothing has changed.")
    parser.add_argument("--files", type=int, default=100_000, help="files of the folder")
    parser.add_argument("--out", type=Path, default=results.FOLDER, help="folder of the results")
    return parser.parse_args()


if __name__ == "__main__":
    main()
