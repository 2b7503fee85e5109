"""What a search costs beside the bare engine: `python -m bench.search`.

The product searches through its REST API, one question after the other. Then it is stopped, and this process asks the
same questions of the same index itself: it embeds each and calls the engine's library, with the same filter, fusion and
payload. The difference is what the product adds: HTTP, sign-in, rights, two hops between processes.
"""

import argparse
import asyncio
import http.client
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import grpc
import qdrant_edge as edge
from qdrant_client import grpc as qdrant

from bench import results
from bench.children import Children
from bench.machine import cpu_by_name, describe
from bench.product import Product
from bench.seeding import SourceReaders, base_passages, owners_scopes, seed
from echomind.local.embedded import qdrant_convert as convert
from echomind.local.embedded.process import free_port
from echomind_lib.embeddings.minilm import MiniLm
from echomind_lib.retrieval import encode_query, query_language
from echomind_lib.vectors import VectorIndex

_QUESTION_WORDS = (5, 12)
_SEED = 5
_LIMIT = 10
_ASKED = 12
"""Passages that the product asks the engine for to give 10: some may be of older versions, or out of reach."""


def main() -> None:
    """Measures and writes `results/search.json` and `.md`."""
    options = _options()
    data: dict[str, Any] = {"machine": describe(), "queries": options.queries, "sizes": []}
    modes = [None, SourceReaders()] if options.permissions else [None]
    for passages in map(int, options.passages.split(",")):
        for readers in modes:
            with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder:
                data["sizes"].append(_measure(Path(folder), passages, options.queries, readers))
                print(json.dumps(data["sizes"][-1]), flush=True)
    if options.permissions:
        title = "What a search costs where the source decides who may read"
        results.write("search-permissions", title, data, report(data), options.out)
    else:
        results.write("search", "What a search costs", data, report(data), options.out)


def _measure(work: Path, passages: int, queries: int, readers: SourceReaders | None) -> dict[str, Any]:
    with Children(work) as children:
        product = Product(children, work / "data")
        product.settle()
        began = time.perf_counter()
        seed(product, work, passages, readers=readers)
        scopes = ["user_1", "org", *(asyncio.run(owners_scopes(product)) if readers else [])]
        seconds_to_seed = time.perf_counter() - began
        questions = questions_of(base_passages(work), queries)
        _through_the_product(product, questions[:20])
        before = cpu_by_name(product.processes())
        times = _through_the_product(product, questions)
        after = cpu_by_name(product.processes())
        collection = _collection(work / "data")
    cpu = {name: round((after[name] - before[name]) * 1000 / queries, 3) for name in before}
    return {
        "passages": passages,
        "readers": asdict(readers) if readers else None,
        "seconds_to_seed": round(seconds_to_seed, 1),
        "product_ms": times,
        "product_cpu_ms": cpu,
        **_bare(collection, questions, scopes),
    }


def questions_of(passages: Sequence[str], count: int) -> list[str]:
    """Word sequences out of the passages: what they ask for is there."""
    chance = random.Random(_SEED)
    questions = []
    for _ in range(count):
        words = chance.choice(passages).split()
        length = chance.randint(*_QUESTION_WORDS)
        start = chance.randrange(len(words) - length)
        questions.append(" ".join(words[start : start + length]))
    return questions


def _through_the_product(product: Product, questions: Sequence[str]) -> dict[str, float]:
    """Milliseconds of searches over one connection.

    Raises:
        RuntimeError: One failed, or found nothing.
    """
    connection = http.client.HTTPConnection(urlsplit(product.url).netloc, timeout=60)
    headers = {"Authorization": f"Bearer {product.key}", "Content-Type": "application/json"}

    def search(question: str) -> None:
        body = json.dumps({"query": question, "limit": _LIMIT})
        connection.request("POST", "/api/v1/search", body, headers)
        response = connection.getresponse()
        answer = response.read()
        if response.status != 200 or not json.loads(answer).get("hits"):
            raise RuntimeError(f"search for {question!r}: {response.status} {answer[:300]!r}")

    try:
        return _timed(search, questions)
    finally:
        connection.close()


def _collection(data_dir: Path) -> Path:
    """Returns the folder of the collection of passages of the embedded vector database: the largest."""
    folders = [description.parent for description in (data_dir / "vectors").glob("collection-*/collection.binpb")]
    return max(folders, key=lambda folder: sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()))


def _bare(collection: Path, questions: Sequence[str], scopes: list[str]) -> dict[str, Any]:
    """Returns the same questions without the product: embedding, engine, and both."""
    embedder = MiniLm(threads=1)
    shard = edge.EdgeShard.load(str(collection / "shard"))
    try:
        requests = [convert.query_request(each) for each in asyncio.run(_requests(questions, embedder, scopes))]
        shard.query(requests[0])
        engine = _timed(shard.query, requests)
    finally:
        shard.close()
    return {"bare_engine_ms": engine, "query_embedding_ms": _timed(embedder.embed_query, questions)}


class _Recorder(grpc.GenericRpcHandler):
    """Stands where the vector database would, and keeps what it is asked."""

    def __init__(self) -> None:
        self.requests: list[qdrant.QueryPoints] = []

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:  # noqa: ARG002 - there is but one call
        """Answers every call with nothing."""

        async def answer(request: qdrant.QueryPoints, _: object) -> qdrant.QueryResponse:
            self.requests.append(request)
            return qdrant.QueryResponse()

        return grpc.unary_unary_rpc_method_handler(
            answer, qdrant.QueryPoints.FromString, qdrant.QueryResponse.SerializeToString
        )


async def _requests(questions: Sequence[str], embedder: MiniLm, scopes: list[str]) -> list[qdrant.QueryPoints]:
    """Returns what the product asks the vector database for questions of a reader with these scopes."""
    recorder, port = _Recorder(), free_port()
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((recorder,))
    server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    index = VectorIndex(f"http://127.0.0.1:{port}")
    try:
        for question in questions:
            await index.query(
                "any",
                {"scope": scopes},
                dense=embedder.embed_query(question),
                sparse=encode_query(question, query_language(question).readings),
                limit=_ASKED,
                with_vectors=True,
            )
    finally:
        await index.close()
        await server.stop(None)
    return recorder.requests


def _timed(call: Callable[[Any], object], arguments: Sequence[Any]) -> dict[str, float]:
    """Milliseconds of calls one after the other: median, 99th percentile, and the processor time of this process."""
    times = []
    cpu = time.process_time()
    for argument in arguments:
        began = time.perf_counter()
        call(argument)
        times.append((time.perf_counter() - began) * 1000)
    cpu = (time.process_time() - cpu) * 1000 / len(arguments)
    p99 = sorted(times)[min(len(times) - 1, int(0.99 * len(times)))]
    return {"p50": round(statistics.median(times), 3), "p99": round(p99, 3), "cpu": round(cpu, 3)}


def report(data: dict[str, Any]) -> str:
    """Returns the tables of a run."""
    head = [
        "passages",
        "read by",
        "product p50 ms",
        "p99",
        "bare engine p50",
        "p99",
        "query embedding p50",
        "product to both",
    ]
    rows: list[list[results.Cell]] = []
    costs: list[list[results.Cell]] = []
    names = list(data["sizes"][0]["product_cpu_ms"])
    for size in data["sizes"]:
        product, engine, embedding = size["product_ms"], size["bare_engine_ms"], size["query_embedding_ms"]
        ratio = product["p50"] / (engine["p50"] + embedding["p50"])
        who = size.get("readers")
        of = "their source" if who else "the scope"
        rows.append(
            [
                size["passages"],
                of,
                product["p50"],
                product["p99"],
                engine["p50"],
                engine["p99"],
                embedding["p50"],
                ratio,
            ]
        )
        costs.append([size["passages"], of, *size["product_cpu_ms"].values(), engine["cpu"], embedding["cpu"]])
    return "\n".join(
        [
            results.machine_line(data["machine"]),
            f"{data['queries']} questions of 5 to 12 words, one after the other, 10 passages each.\n",
            *_readers(data),
            results.table(head, rows),
            "CPU ms a search:\n",
            results.table(["passages", "read by", *names, "bare engine", "bare query embedding"], costs),
        ]
    )


def _readers(data: dict[str, Any]) -> list[str]:
    """Returns what is said of sources that decide who may read, if there are some."""
    found: dict[str, int] | None = next((size["readers"] for size in data["sizes"] if size.get("readers")), None)
    if found is None:
        return []
    text = (
        f"Where the source decides, {found['of_document']} of its {found['groups']:,} groups may read a document, and "
        f"the one who asks is in {found['of_owner']} of them.\n"
    )
    return [text]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures what a search costs beside the bare engine.")
    parser.add_argument("--passages", default="2000,100000", help="sizes of the index, with commas between")
    parser.add_argument(
        "--permissions", action="store_true", help="measure a source with readers of its own beside a connector without"
    )
    parser.add_argument("--queries", type=int, default=300, help="searches for each size")
    parser.add_argument("--out", type=Path, default=results.FOLDER, help="folder of the results")
    return parser.parse_args()


if __name__ == "__main__":
    main()
