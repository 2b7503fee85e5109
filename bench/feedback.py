"""What ratings of sources change of searches: `python -m bench.feedback DATASET_DIR...`.

Half of the questions of a test set are asked, and the sources of their answers are rated by its judgements. Then
nDCG@10 is measured of these questions, of paraphrases of them, and of the other half, which nobody has rated: before,
with the reader's own ratings, and with those of other people alone, when one, two and eight of them have rated.
`echomind eval retrieval --with-feedback` measures the reader's own through the API. Here the ratings of other people
are copies of the owner's in the database, as of people who have asked the same.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import tempfile
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import asyncpg

from bench import results
from bench.children import Children
from bench.machine import describe
from bench.product import PROGRAM, Product
from echomind.cli.evaluation.feedback_gain import paraphrase
from echomind.cli.evaluation.retrieval_sets import Dataset, Query, read_dataset
from echomind.cli.sources.ranking import ndcg

_CROWDS = (1, 2, 8)
_DEPTH = 10
_PASSAGES = 30
"""Passages of a search: several may be of one document, and ten documents are looked at."""
_GROUPS = ("repeated", "paraphrased", "others")

Row = dict[str, Any]


def main() -> None:
    """Measures and writes `results/feedback.json` and `.md`."""
    options = _options()
    data: Row = {"machine": describe(), "sets": {}}
    for folder in options.folders:
        dataset = read_dataset(folder)
        with tempfile.TemporaryDirectory(prefix="echomind-bench-") as work, Children(Path(work)) as children:
            product = Product(children, Path(work) / "data")
            product.settle()
            data["sets"][dataset.name] = asyncio.run(_measure(product, Path(work), dataset, options.questions))
        print(dataset.name, json.dumps(data["sets"][dataset.name]), flush=True)
    results.write("feedback", "What ratings of sources change", data, report(data), options.out)


async def _measure(product: Product, work: Path, dataset: Dataset, limit: int) -> Row:
    documents = _store(product, work / "documents", dataset)
    stored = product.call("GET", "/connectors?pageSize=1000")["connectors"]
    connector = next(int(each["id"]) for each in stored if each["name"] == dataset.name)
    queries = dataset.queries[:limit]
    asked, others = queries[::2], queries[1::2]
    groups = {
        "repeated": [(query, query.text) for query in asked],
        "paraphrased": [(query, paraphrase(query.text)) for query in asked],
        "others": [(query, query.text) for query in others],
    }

    def ndcg_of_groups() -> Row:
        return {name: _ndcg(product, connector, documents, groups[name]) for name in _GROUPS}

    found: Row = {"before": ndcg_of_groups()}
    votes = sum(_rate(product, query, documents) for query in asked)
    found["own"] = ndcg_of_groups()
    connection = await asyncpg.connect(product.settings().postgres.url.get_secret_value())
    try:
        people = 0
        for crowd in _CROWDS:
            await _let_rate(connection, crowd - people)
            people = crowd
            found[f"of {crowd} other{'s' if crowd > 1 else ''}"] = ndcg_of_groups()
    finally:
        await connection.close()
    return {"questions": len(asked), "votes": votes, "ndcg@10": found}


def _store(product: Product, folder: Path, dataset: Dataset) -> dict[int, str]:
    """Brings the documents in; returns the test set's id of each document's id."""
    folder.mkdir()
    for document in dataset.documents:
        if document.content:
            (folder / f"{document.id}.txt").write_text(document.content, encoding="utf-8")
    command = [str(PROGRAM), "ingest", str(folder), "--connector", dataset.name, "--scope", "org", "--wait", "--json"]
    command += ["--url", product.url, "--api-key", product.key]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1_800, check=True)
    return {
        int(each["documentId"]): each["title"].removesuffix(".txt") for each in json.loads(done.stdout)["documents"]
    }


def _ndcg(product: Product, connector: int, documents: Mapping[int, str], group: Sequence[tuple[Query, str]]) -> float:
    gains = []
    for query, text in group:
        request = {"query": text, "limit": _PASSAGES, "connectorIds": [connector]}
        hits = product.call("POST", "/search", request).get("hits", [])
        ranking = dict.fromkeys(documents[int(hit["documentId"])] for hit in hits)
        gains.append(ndcg(list(ranking), query.relevance, _DEPTH))
    return statistics.fmean(gains)


def _rate(product: Product, query: Query, documents: Mapping[int, str]) -> int:
    """Asks a question and rates the sources of its answer; returns how many these were."""
    request = urllib.request.Request(
        f"{product.url}/api/v1/chat-sessions/-/messages:stream",
        data=json.dumps({"content": query.text}).encode(),
        headers={"Authorization": f"Bearer {product.key}", "Content-Type": "application/json"},
    )
    message: Row = {}
    with urllib.request.urlopen(request, timeout=60) as response:
        for line in response:
            event = json.loads(line[5:]) if line.startswith(b"data:") else {}
            if "finished" in event:
                message = event["finished"]["message"]
                break
    passages = {each["chunkId"]: int(each["documentId"]) for each in message.get("citations", [])}
    rated = {chunk: document for chunk, document in passages.items() if document in documents}
    for chunk, document in rated.items():
        relevant = query.relevance.get(documents[document], 0) > 0
        place = f"/messages/{message['id']}/citations/{urllib.parse.quote(chunk, safe='')}/feedback"
        product.call("PUT", place, {"isPositive": relevant})
    return len(rated)


async def _let_rate(connection: asyncpg.Connection, people: int) -> None:
    """Gives further people the ratings that the owner has cast; the owner's own are withdrawn by that."""
    new = await connection.fetch(
        "INSERT INTO users (user_name, email) SELECT name, name || '@example.org' FROM (SELECT 'rater-' || uuidv7()"
        " FROM generate_series(1, $1)) AS each (name) RETURNING id",
        people,
    )
    columns = "message_id, document_id, chunk_id, chunking_session, span_start, span_end, snippet, value"
    owner = await connection.fetchval("SELECT min(user_id) FROM chunk_feedback")
    for row in new:
        await connection.execute(
            f"INSERT INTO chunk_feedback (user_id, {columns}) SELECT $1, {columns} FROM chunk_feedback"
            " WHERE user_id = $2",
            row["id"],
            owner,
        )
    is_owner = "user_id = (SELECT min(user_id) FROM chat_sessions)"
    await connection.execute(f"DELETE FROM chunk_feedback WHERE {is_owner}")


def report(data: Row) -> str:
    """Returns the tables of a run."""
    text = [
        results.machine_line(data["machine"]),
        "nDCG@10 of searches, and what ratings add to it.\n",
    ]
    for name, found in data["sets"].items():
        before = found["ndcg@10"]["before"]
        rows = [
            [of, *(f"{row[group]:.4f} ({row[group] - before[group]:+.4f})" for group in _GROUPS)]
            for of, row in found["ndcg@10"].items()
        ]
        text.append(f"## {name}: {found['votes']} ratings on the sources of {found['questions']} questions\n")
        text.append(results.table(["ratings", *_GROUPS], rows))
    return "\n".join(text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What ratings of sources change of searches.")
    parser.add_argument("folders", type=Path, nargs="+", metavar="DATASET_DIR", help="test sets, as for echomind eval")
    parser.add_argument("--questions", type=int, default=10_000, help="most questions of a set, half of them rated")
    parser.add_argument("--out", type=Path, help="folder for the results")
    return parser.parse_args()


if __name__ == "__main__":
    main()
