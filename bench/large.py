"""What a large vector index costs on one machine: `python -m bench.large`.

The embedded vector server alone, through the product's own client: memory, disk, searches, a start with what is stored,
the removal of a connector beside searches, and the copy into a second index that a change of the embedding model makes.
Texts are real prose; vectors are those of 600 passages with noise, as an embedder would take hours, which
`bench.ingest` measures. The engine looks at every passage, so that its time does not depend on how vectors lie.

A million passages take long. With `--work FOLDER`, what is stored and measured stays there, so that a run that was
ended is continued by the next start; each step is printed as it ends:

    nice -n 19 python -m bench.large --passages 1000000 --work /var/tmp/large
"""

import argparse
import asyncio
import json
import random
import secrets
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import numpy as np
import psutil
from numpy.typing import NDArray

from bench import results
from bench.children import Children
from bench.machine import busy_seconds, cpu_seconds, describe, pss_mib
from bench.search import questions_of
from bench.seeding import base_passages
from echomind.local.embedded.process import free_port
from echomind.local.embedded.qdrant import QdrantServer
from echomind_lib.embeddings.minilm import MiniLm
from echomind_lib.retrieval import encode_document, encode_query, query_language
from echomind_lib.retrieval.hits import HIT_FIELDS
from echomind_lib.vectors import Filter, Point, SparseVector, VectorIndex

_COLLECTION: Final = "large"
_SECOND: Final = "second"
_CONNECTORS: Final = 20
_PASSAGES_A_DOCUMENT: Final = 20
_TEXTS: Final = 4000
_BATCH: Final = 512
_REMOVED_AT_ONCE: Final = 100
"""Documents, as the job that removes connectors does it."""
_NOISE: Final = 0.05
_ASKED: Final = 12
_EVERYBODYS: Final[Filter] = {}
_PERSONS: Final[Filter] = {"scope": ["org", "user_1"]}
_LARGEST_COPY: Final = 100_000
_NOTED: Final = 25 * _BATCH
"""Passages after which is noted how many are stored."""


class Measured:
    """The steps of one size that were measured, kept in its folder."""

    def __init__(self, folder: Path, passages: int) -> None:
        self._file = folder / "measured.json"
        self.steps: dict[str, Any] = {"passages": passages}
        if self._file.exists():
            self.steps = json.loads(self._file.read_text(encoding="utf-8"))
            if self.steps["passages"] != passages:
                raise SystemExit(f"{folder} holds {self.steps['passages']} passages: choose another folder.")

    def note(self, name: str, found: Any) -> None:
        """Keeps what a step took, and prints it."""
        self.steps[name] = found
        self._file.write_text(json.dumps(self.steps), encoding="utf-8")
        print(name, found, flush=True)

    async def step(self, name: str, work: Callable[[], Awaitable[dict[str, float]]]) -> None:
        """Does a step that was not done yet."""
        if name not in self.steps:
            self.note(name, await work())


class Bench:
    """The server, and the questions that it is asked."""

    def __init__(self, work: Path, children: Children, passages: int, queries: int) -> None:
        self._children = children
        self._server = QdrantServer(work / "vectors", free_port(), secrets.token_urlsafe(16))
        self._folder = work / "vectors"
        self._server.prepare()
        self._process = children.start(self._server.spec())
        self._passages = passages
        self.vectors = VectorIndex(self._server.url, self._server.api_key)
        self._chance = random.Random(3)
        base = base_passages(work)
        embedder = MiniLm(threads=1)
        self._dense = np.stack([embedder.embed_passages([text])[0] for text in base])
        halves = [(self._chance.choice(base), self._chance.choice(base)) for _ in range(_TEXTS)]
        self._texts = [f"{first[: len(first) // 2]} {second[len(second) // 2 :]}" for first, second in halves]
        self._sparse = [encode_document(text, "en") for text in self._texts]
        self._questions: list[tuple[NDArray[np.float32], SparseVector]] = [
            (embedder.embed_query(text), encode_query(text, query_language(text).readings))
            for text in questions_of(base, queries)
        ]

    async def fill(self, measured: Measured) -> dict[str, float]:
        """Stores the passages, by which all are searchable; those that an ended run has stored are not stored again."""
        await self.vectors.ensure(_COLLECTION, self._dense.shape[1])
        stored = measured.steps.get("stored", {"passages": 0, "seconds": 0.0, "cpu_seconds": 0.0})
        began, cpu, before = time.perf_counter(), self._cpu(), dict(stored)
        for start in range(stored["passages"], self._passages, _BATCH):
            end = min(start + _BATCH, self._passages)
            await self.vectors.upsert(_COLLECTION, list(self._points(start, end)))
            if end % _NOTED == 0 or end == self._passages:
                spent = self._spent(began, cpu)
                sums = {name: round(before[name] + spent[name], 1) for name in spent}
                measured.note("stored", {"passages": end} | sums)
        stored = measured.steps["stored"]
        return {"seconds": stored["seconds"], "cpu_seconds": stored["cpu_seconds"]} | self._size()

    def _points(self, start: int, end: int) -> Iterator[Point]:
        noise = np.random.default_rng(start)
        for number in range(start, end):
            text = number % _TEXTS
            vector = self._dense[number % len(self._dense)] + noise.normal(0, _NOISE, self._dense.shape[1])
            document = number // _PASSAGES_A_DOCUMENT
            connector = document % _CONNECTORS
            yield Point(
                str(UUID(int=noise.bit_generator.random_raw() << 64 | number)),
                (vector / np.linalg.norm(vector)).astype(np.float32),
                self._sparse[text],
                {
                    # A tenth is out of the reach of most people.
                    "scope": "user_2" if connector in (0, 1) else "org",
                    "connector_id": connector,
                    "document_id": document,
                    "chunking_session": str(UUID(int=document)),
                    "position": number % _PASSAGES_A_DOCUMENT,
                    "text": self._texts[text],
                    "heading": [],
                    "page": None,
                    "start": 0,
                    "end": len(self._texts[text]),
                    "language": "en",
                },
            )

    async def search(self, where: Filter, questions: slice = slice(None)) -> dict[str, float]:
        """Asks questions one after the other."""
        cpu = self._cpu()
        times = [await self._ask(where, *each) for each in self._questions[questions]]
        spent = 1000 * (self._cpu() - cpu) / len(times)
        return {
            "p50_ms": round(statistics.median(times), 1),
            "p99_ms": round(sorted(times)[int(0.99 * (len(times) - 1))], 1),
            "cpu_ms": round(spent, 1),
        }

    async def _ask(self, where: Filter, dense: NDArray[np.float32], sparse: SparseVector) -> float:
        began = time.perf_counter()
        found = await self.vectors.query(
            _COLLECTION, where, dense=dense, sparse=sparse, limit=_ASKED, with_vectors=True, fields=HIT_FIELDS
        )
        if len(found) != _ASKED:
            raise RuntimeError(f"{len(found)} passages of {_ASKED} were found")
        return (time.perf_counter() - began) * 1000

    async def restart(self) -> dict[str, float]:
        """Starts the server again, with all that is stored."""
        self._process.terminate()
        self._process.wait(120)
        began = time.perf_counter()
        self._process = self._children.start(self._server.spec())
        await self.vectors.check()
        return {"seconds": round(time.perf_counter() - began, 1)} | self._size()

    async def beside(self, work: Callable[[], Awaitable[object]]) -> dict[str, float]:
        """Does something while one question after the other is asked."""
        began, cpu = time.perf_counter(), self._cpu()
        task = asyncio.ensure_future(work())
        times = []
        while not task.done():
            times.append(await self._ask(_PERSONS, *self._chance.choice(self._questions)))
        await task
        longest = {"searches": len(times), "p50_ms": round(statistics.median(times), 1), "max_ms": round(max(times), 1)}
        return self._spent(began, cpu) | longest

    async def remove(self) -> None:
        """Removes a connector's passages, a twentieth."""
        documents = [each for each in range(-(-self._passages // _PASSAGES_A_DOCUMENT)) if each % _CONNECTORS == 2]
        for start in range(0, len(documents), _REMOVED_AT_ONCE):
            await self.vectors.delete(_COLLECTION, {"document_id": documents[start : start + _REMOVED_AT_ONCE]})

    async def copy(self) -> int:
        """Copies passages to another index, as many as are enough for a rate; returns their number."""
        await self.vectors.ensure(_SECOND, self._dense.shape[1])
        copied = 0
        async for page in self.vectors.copies(_COLLECTION):
            copied += await self.vectors.store_copies(_SECOND, page)
            if copied >= _LARGEST_COPY:
                break
        return copied

    def size(self) -> dict[str, float]:
        """Returns memory and disk of the server."""
        return self._size()

    def _size(self) -> dict[str, float]:
        files = sum(file.stat().st_blocks * 512 for file in self._folder.rglob("*") if file.is_file())
        private = psutil.Process(self._process.pid).memory_full_info()
        return {
            "pss_mib": round(pss_mib(self._process)),
            "private_mib": round(private.uss / 2**20),
            "disk_gib": round(files / 2**30, 2),
        }

    def _cpu(self) -> float:
        return cpu_seconds([self._process])

    def _spent(self, began: float, cpu: float) -> dict[str, float]:
        return {"seconds": round(time.perf_counter() - began, 1), "cpu_seconds": round(self._cpu() - cpu, 1)}


async def measure(work: Path, children: Children, passages: int, queries: int) -> dict[str, Any]:
    """Returns what each step took."""
    measured = Measured(work, passages)
    bench = Bench(work, children, passages, queries)

    async def searches() -> dict[str, float]:
        return await bench.search(_PERSONS)

    async def removal() -> dict[str, float]:
        return {"passages": passages // _CONNECTORS} | await bench.beside(bench.remove)

    async def copy() -> dict[str, float]:
        return {"passages": min(passages, _LARGEST_COPY)} | await bench.beside(bench.copy)

    async def end() -> dict[str, float]:
        return bench.size()

    try:
        await measured.step("fill", lambda: bench.fill(measured))
        await measured.step("everybody", lambda: bench.search(_EVERYBODYS))
        await measured.step("scope", searches)
        await measured.step("connector", lambda: bench.search({**_PERSONS, "connector_id": [7]}))
        await measured.step("restart", bench.restart)
        await measured.step("first 20", lambda: bench.search(_PERSONS, slice(20)))
        await measured.step("later", searches)
        await measured.step("removal", removal)
        await measured.step("copy", copy)
        await measured.step("end", end)
    finally:
        await bench.vectors.close()
    return measured.steps


def report(data: dict[str, Any]) -> str:
    """Returns the tables of a run."""
    searches: list[list[results.Cell]] = []
    sizes: list[list[results.Cell]] = []
    works: list[list[results.Cell]] = []
    for size in data["sizes"]:
        number = size["passages"]
        for name, title in _SEARCHES.items():
            searches.append([number, title, *size[name].values()])
        for name, title in (("fill", "all stored"), ("restart", "after a restart"), ("end", "at the end")):
            found = size[name]
            sizes.append([number, title, found["pss_mib"], found["private_mib"], found["disk_gib"]])
        works.append([number, "start", number, size["restart"]["seconds"], None, None, None])
        works.append([number, "store", number, size["fill"]["seconds"], size["fill"]["cpu_seconds"], None, None])
        for name, title in (("removal", "remove a connector"), ("copy", "copy to another index")):
            found = size[name]
            spent = [found[each] for each in ("passages", "seconds", "cpu_seconds", "p50_ms", "max_ms")]
            works.append([number, title, *spent])
    asked = ["passages", "searches", "p50 ms", "p99 ms", "CPU ms"]
    work = ["passages", "work", "of", "seconds", "CPU seconds", "searches meanwhile, p50 ms", "longest ms"]
    said = (
        f"The vector server alone; {data['queries']} questions of 5 to 12 words, one after the other. Other work kept "
        f"{data['others_cores']:.1f} cores of the machine busy on average.\n"
    )
    return "\n".join(
        [
            results.machine_line(data["machine"]),
            said,
            results.table(asked, searches),
            results.table(["passages", "when", "memory (PSS) MiB", "of it private", "disk GiB"], sizes),
            results.table(work, works),
        ]
    )


_SEARCHES: Final = {
    "everybody": "all passages, no filter",
    "scope": "nine tenths, by scope",
    "connector": "one connector",
    "first 20": "by scope, first 20 after a restart",
    "later": "by scope, after them",
}


def main() -> None:
    """Measures and writes `results/large.json` and `.md`."""
    parser = argparse.ArgumentParser(description="Measures a large vector index.")
    parser.add_argument("--passages", default="50000,200000", help="sizes of the index, with commas between")
    parser.add_argument("--queries", type=int, default=100, help="searches of each kind")
    parser.add_argument("--work", type=Path, help="folder that stays, where an ended run is continued")
    parser.add_argument("--out", type=Path, default=results.FOLDER, help="folder of the results")
    options = parser.parse_args()
    data: dict[str, Any] = {"machine": describe(), "queries": options.queries, "sizes": []}
    began, busy, own = time.perf_counter(), busy_seconds(), cpu_seconds([psutil.Process()])
    for passages in map(int, options.passages.split(",")):
        with ExitStack() as stack:
            if options.work:
                folder = options.work / str(passages)
                folder.mkdir(parents=True, exist_ok=True)
            else:
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="echomind-bench-")))
            children = stack.enter_context(Children(folder))
            data["sizes"].append(asyncio.run(measure(folder, children, passages, options.queries)))
    own = cpu_seconds([psutil.Process()]) - own
    data["others_cores"] = max(0.0, (busy_seconds() - busy - own) / (time.perf_counter() - began))
    results.write("large", "A large vector index", data, report(data), options.out)


if __name__ == "__main__":
    main()
