"""What the removal of a large connector does to the searches of others: `python -m bench.removal`.

Two connectors share a scope: a large one, whose passages fit the questions as well, and one that stays. Somebody
searches all the time, one question after the other: before, while the large one is removed, and afterwards.
"""

import argparse
import asyncio
import http.client
import json
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import asyncpg

from bench import results
from bench.children import Children
from bench.machine import describe
from bench.product import Product
from bench.search import questions_of
from bench.seeding import base_passages, seed

_LIMIT = 10
_BEFORE_SECONDS = 10.0
_AFTER_SECONDS = 5.0
_LONGEST_SECONDS = 900.0
_LEFT = """
SELECT count(*) AS documents, count(*) FILTER (WHERE chunk_count > 0) AS indexed
FROM documents WHERE connector_id = $1
"""


class Searcher(threading.Thread):
    """Searches over one connection until it is stopped."""

    def __init__(self, product: Product, questions: list[str]) -> None:
        super().__init__(daemon=True)
        self._product = product
        self._questions = questions
        self._stopping = threading.Event()
        self.searches: list[tuple[float, float, int]] = []
        """When each began (monotonic), its milliseconds, and its hits; -1 for a refusal."""

    def run(self) -> None:
        """Searches."""
        connection = http.client.HTTPConnection(urlsplit(self._product.url).netloc, timeout=60)
        headers = {"Authorization": f"Bearer {self._product.key}", "Content-Type": "application/json"}
        while not self._stopping.is_set():
            question = self._questions[len(self.searches) % len(self._questions)]
            began = time.monotonic()
            connection.request("POST", "/api/v1/search", json.dumps({"query": question, "limit": _LIMIT}), headers)
            response = connection.getresponse()
            body = response.read()
            hits = len(json.loads(body).get("hits", ())) if response.status == 200 else -1
            self.searches.append((began, (time.monotonic() - began) * 1000, hits))
        connection.close()

    def stop(self) -> None:
        """Ends it."""
        self._stopping.set()
        self.join()

    def between(self, begin: float, end: float) -> dict[str, float]:
        """Returns what the searches of a time took and found."""
        chosen = [(took, hits) for began, took, hits in self.searches if begin <= began < end]
        times = sorted(took for took, _ in chosen)
        return {
            "searches": len(times),
            "p50_ms": round(statistics.median(times), 1),
            "p99_ms": round(times[int(0.99 * (len(times) - 1))], 1),
            "max_ms": round(times[-1], 1),
            "fewest_hits": min(hits for _, hits in chosen),
        }


def main() -> None:
    """Measures and writes `results/removal.json` and `.md`."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder, Children(Path(folder)) as children:
        product = Product(children, Path(folder) / "data")
        product.settle()
        data = {"machine": describe(), "documents": options.documents, **_measure(product, Path(folder), options)}
    print(json.dumps(data), flush=True)
    results.write("removal", "Removing a large connector", data, report(data), options.out)


def _measure(product: Product, work: Path, options: argparse.Namespace) -> dict[str, Any]:
    seed(product, work, options.kept * 20)
    removed = seed(
        product,
        work,
        options.documents * options.passages,
        passages_a_document=options.passages,
        with_files=options.files,
    )
    searcher = Searcher(product, questions_of(base_passages(work), 200))
    searcher.start()
    time.sleep(_BEFORE_SECONDS)
    began = time.monotonic()
    product.call("DELETE", f"/connectors/{removed}")
    answered = time.monotonic()
    unindexed, forgotten = asyncio.run(_watch(product, removed))
    time.sleep(_AFTER_SECONDS)
    searcher.stop()
    return {
        "passages": options.documents * options.passages,
        "files": 2 * options.documents if options.files else 0,
        "answered_s": round(answered - began, 2),
        "unindexed_s": round(unindexed - began, 1),
        "forgotten_s": round(forgotten - began, 1),
        "before": searcher.between(0, began),
        "meanwhile": searcher.between(began, forgotten),
        "afterwards": searcher.between(forgotten, time.monotonic()),
    }


async def _watch(product: Product, connector: int) -> tuple[float, float]:
    """Returns when the connector's passages have left the index, and when its rows are deleted.

    Raises:
        TimeoutError: It takes too long.
    """
    database = await asyncpg.connect(product.settings().postgres.url.get_secret_value())
    unindexed = 0.0
    try:
        async with asyncio.timeout(_LONGEST_SECONDS):
            while True:
                left = await database.fetchrow(_LEFT, connector)
                if left is not None and not left["indexed"]:
                    unindexed = unindexed or time.monotonic()
                if left is None or not left["documents"]:
                    return unindexed, time.monotonic()
                await asyncio.sleep(0.2)
    finally:
        await database.close()


def report(data: dict[str, Any]) -> str:
    """Returns the table of a run."""
    head = ["searches of others", "number", "p50 ms", "p99 ms", "longest ms", "fewest hits of 10"]
    rows: list[list[results.Cell]] = [[name, *data[name].values()] for name in ("before", "meanwhile", "afterwards")]
    text = (
        f"A connector of {data['documents']} documents with {data['passages']} passages is removed. The call takes "
        f"{data['answered_s']} s, the passages have left the index after {data['unindexed_s']} s, the rows, and "
        f"{data['files']} files before them, are deleted after {data['forgotten_s']} s.\n"
    )
    return "\n".join([results.machine_line(data["machine"]), text, results.table(head, rows)])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures searches while a large connector is removed.")
    parser.add_argument("--documents", type=int, default=20_000, help="documents of the connector that is removed")
    parser.add_argument("--passages", type=int, default=2, help="passages of each of them")
    parser.add_argument("--files", action="store_true", help="store the two files of each document, too")
    parser.add_argument("--kept", type=int, default=500, help="documents, of 20 passages, of the one that stays")
    parser.add_argument("--out", type=Path, default=results.FOLDER, help="folder of the results")
    return parser.parse_args()


if __name__ == "__main__":
    main()
