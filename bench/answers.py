"""How good the built-in model's answers are, and what they cost: `python -m bench.answers`.

Questions about the guide in `docs/guide` (`data/guide_questions.jsonl`) by default. With `--data FOLDER` that has
`xquad-en`, `xquad-de`, `xquad-zh` and `cranfield` (each `docs.jsonl`, `queries.jsonl` and `qrels.tsv`) these too: a
fourth of XQuAD's articles and one paragraph of each of the others are left out of the index, so that questions about
them have no answer in it; Cranfield's questions, asked of XQuAD, have none either. Thresholds were chosen with
`--half 0`; the other half is what is reported.

Chunks, embedder, indexes, search and model are the product's own, on the servers that it embeds; no process of it runs.
"""

import argparse
import asyncio
import json
import random
import re
import secrets
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4, uuid5

import numpy as np

from bench import results
from bench.children import Children
from bench.machine import describe
from echomind.local.embedded.postgres import PostgresServer
from echomind.local.embedded.process import free_port
from echomind.local.embedded.qdrant import QdrantServer
from echomind_agent.evidence.sources import Sources, render
from echomind_agent.extractive.model import ExtractiveModel
from echomind_agent.extractive.phrases import DECLINED
from echomind_ingestor.extract.result import Extracted, Heading
from echomind_ingestor.pipeline.chunk import chunk
from echomind_ingestor.pipeline.passages import passage_text
from echomind_lib.access import Principal
from echomind_lib.config import S3Settings
from echomind_lib.db.database import Database
from echomind_lib.db.migrate import upgrade
from echomind_lib.documents.guide import GUIDE_MARK
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.embeddings.embedder import Embedder
from echomind_lib.embeddings.embedders import Embedders
from echomind_lib.embeddings.minilm import MiniLm
from echomind_lib.embeddings.service import EmbeddingServer
from echomind_lib.embeddings.tokenizer import minilm_tokenizer
from echomind_lib.llms import ChatRequest, Message, ToolCall
from echomind_lib.llms.types import complete
from echomind_lib.objects import ObjectStore
from echomind_lib.retrieval import Hits, Retriever, encode_document
from echomind_lib.vectors import Point, VectorIndex

_PASSAGES = 8
_GUIDE = Path(__file__).parents[1] / "docs" / "guide"
_DATA = Path(__file__).parent / "data"
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+)$", re.MULTILINE)
_MARKER = re.compile(r"\[\d+\]")

Row = dict[str, Any]


@dataclass(frozen=True)
class Answered:
    """An answer and what the model alone took for it."""

    text: str
    cpu_ms: float

    @property
    def declined(self) -> bool:
        """Whether it says that the documents have no answer."""
        return self.text in DECLINED


@dataclass(frozen=True)
class Library:
    """Collections of documents that are searched apart."""

    database: Database
    collection: str
    vectors: VectorIndex
    embeddings: EmbeddingClient
    retriever: Retriever
    model: ExtractiveModel

    async def add(self, documents: Sequence[tuple[str, str]], language: str, config: Row | None = None) -> int:
        """Indexes documents, each a title and a text in Markdown; the number of their connector."""
        pool, tokenizer = self.database.pool, minilm_tokenizer()
        connector_id: int = await pool.fetchval(
            "INSERT INTO connectors (name, type, config, user_id, scope, status) "
            "SELECT $1, 'file', $2, min(id), 'org', 'active' FROM users RETURNING id",
            secrets.token_hex(4),
            config or {},
        )
        for index, (title, text) in enumerate(documents):
            session = uuid4()
            headings = tuple(Heading(len(m[1]), m[2].strip(), m.start()) for m in _HEADING.finditer(text))
            pieces = chunk(Extracted(text, title, "text/markdown", language, headings), tokenizer)
            document_id = await pool.fetchval(
                "INSERT INTO documents (connector_id, source_id, title, status, chunking_session, language, "
                "chunk_count) VALUES ($1, $2, $3, 'completed', $4, $5, $6) RETURNING id",
                connector_id,
                str(index),
                title,
                session,
                language,
                len(pieces),
            )
            texts = [passage_text(title, piece.heading, piece.text) for piece in pieces]
            points = [
                Point(
                    str(uuid5(session, str(piece.position))),
                    vector,
                    encode_document(whole, language),
                    {
                        "scope": "org",
                        "connector_id": connector_id,
                        "document_id": document_id,
                        "chunking_session": str(session),
                        "position": piece.position,
                        "text": piece.text,
                        "heading": list(piece.heading),
                        "page": piece.page,
                        "start": piece.start,
                        "end": piece.end,
                        "language": language,
                    },
                )
                for piece, whole, vector in zip(pieces, texts, await self.embeddings.embed_passages(texts), strict=True)
            ]
            await self.vectors.upsert(self.collection, points)
        return connector_id

    async def find(self, question: str, *connector_ids: int) -> Hits:
        """Searches."""
        return await self.retriever.search(Principal(1), question, limit=_PASSAGES, connector_ids=connector_ids)

    async def answer(self, question: str, *connector_ids: int) -> Answered:
        """Searches, and lets the model quote."""
        hits = await self.find(question, *connector_ids)
        evidence = Hits(hit for hit in hits if hit.is_evidence)
        found = render(Sources().add(await self.retriever.with_neighbours(evidence)))
        call = ToolCall("search", "search_documents")
        messages = [Message("user", question), Message("assistant", "", [call]), Message("tool", found)]
        begin = time.process_time()
        completion = await complete(self.model, ChatRequest(messages))
        return Answered(completion.text, 1000 * (time.process_time() - begin))


@asynccontextmanager
async def library(work: Path, make: Callable[[], Embedder] = MiniLm) -> AsyncIterator[Library]:
    """An empty library on servers of its own, with the embedder that `make` returns."""
    made = make()
    with Children(work) as children:
        postgres = PostgresServer(work / "postgres", free_port(), secrets.token_urlsafe(16), {"fsync": "off"})
        qdrant = QdrantServer(work / "vectors", free_port(), secrets.token_urlsafe(16))
        for server in (postgres, qdrant):
            server.prepare()
            children.start(server.spec())
        await asyncio.to_thread(upgrade, postgres.url)
        address = f"127.0.0.1:{free_port()}"
        embedder = await EmbeddingServer.start(Embedders.of(made), address)
        embeddings = EmbeddingClient(address)
        vectors = VectorIndex(qdrant.url, qdrant.api_key)
        # Passages are read from the vector index; full texts of documents are not needed.
        objects = ObjectStore(S3Settings())
        async with await Database.connect(postgres.url) as database:
            await database.pool.execute("INSERT INTO users (user_name, email) VALUES ('bench', 'bench@example.org')")
            collection = await database.pool.fetchval(
                "INSERT INTO embedding_models (model_id, model_name, model_dimension, is_active, sparse_encoder, "
                "chunker) VALUES ($1, $1, $2, TRUE, '', '') RETURNING collection",
                made.model_id,
                made.dimension,
            )
            await vectors.ensure(collection, made.dimension)
            retriever = Retriever(database, vectors, embeddings, objects)
            yield Library(database, collection, vectors, embeddings, retriever, ExtractiveModel(embeddings))
        await objects.close()
        await vectors.close()
        await embeddings.close()
        await embedder.stop()


def read(path: Path) -> list[Row]:
    """Returns a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


async def measure_guide(shelf: Library) -> dict[str, Any]:
    """Questions about the product's own guide; those without an answer in it have none in the file."""
    texts = [page.read_text(encoding="utf-8") for page in _pages(_GUIDE)]
    pages = [(text.partition("\n")[0].lstrip("# "), text) for text in texts]
    guide = await shelf.add(pages, "en", GUIDE_MARK)
    rows = []
    questions = read(_DATA / "guide_questions.jsonl")
    for row in questions:
        answered = await shelf.answer(row["question"], guide)
        right = _is_right(row, answered)
        rows.append({"question": row["question"], "right": right, "answer": answered.text, "cpu_ms": answered.cpu_ms})
    handbook = read(_DATA / "handbook.jsonl")
    own = await shelf.add([(row["title"], row["text"]) for row in handbook], "en")
    firsts = [
        {"question": question, "own": hits[0].connector_id == own, "right": hits[0].title == row["title"]}
        for row in handbook
        for question in row["questions"]
        if (hits := await shelf.find(question, guide, own))
    ]
    beside = [(await shelf.find(row["question"], guide, own), row) for row in questions]
    of_guide = [hits[0].connector_id == guide for hits, _ in beside if hits]
    answers = [_is_right(row, await shelf.answer(row["question"], guide, own)) for row in questions]
    return {
        "questions": rows,
        "right": sum(row["right"] for row in rows),
        "beside": {"own": firsts, "guide_first": sum(of_guide), "guide_right": sum(answers)},
    }


def _is_right(row: Row, answered: Answered) -> bool:
    expected = row["answer"]
    return answered.declined if expected is None else re.search(expected, answered.text, re.IGNORECASE) is not None


def _pages(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.md"))


def divide(folder: Path) -> tuple[list[tuple[str, str]], list[Row]]:
    """Returns the documents that are kept, and all questions with their `half` and `kind`."""
    documents, questions = read(folder / "docs.jsonl"), read(folder / "queries.jsonl")
    articles = sorted({row["id"].split("-")[0] for row in documents}, key=int)
    chance = random.Random(5)
    chance.shuffle(articles)
    half = {article: index % 2 for index, article in enumerate(articles)}
    kinds: dict[str, str] = {}
    for index, article in enumerate(articles):
        own = [row["id"] for row in documents if row["id"].split("-")[0] == article]
        left_out = chance.choice(own)
        for key in own:
            removed = "paragraph removed" if key == left_out else "answerable"
            kinds[key] = "article removed" if index < len(articles) // 4 else removed
    for row in questions:
        row["kind"], row["half"] = kinds[row["doc_id"]], half[row["doc_id"].split("-")[0]]
    return [(row["title"], row["text"]) for row in documents if kinds[row["id"]] == "answerable"], questions


async def measure_xquad(shelf: Library, data: Path, count: int, half: int) -> dict[str, Any]:
    """By language and kind of question: the shares that are answered, and that quote the right words."""
    measured: dict[str, Any] = {}
    for language in ("en", "de", "zh"):
        kept, questions = divide(data / f"xquad-{language}")
        connector_id = await shelf.add(kept, language)
        spent: list[float] = []
        for kind in ("answerable", "paragraph removed", "article removed"):
            asked = [row for row in questions if row["kind"] == kind and row["half"] == half]
            asked = random.Random(1).sample(asked, min(count, len(asked)))
            found = [await shelf.answer(row["text"], connector_id) for row in asked]
            spent += [one.cpu_ms for one in found]
            right = [row["answers"][0].casefold() in one.text.casefold() for row, one in zip(asked, found, strict=True)]
            quotations = [len(_MARKER.findall(one.text)) for one in found if not one.declined]
            measured[f"{language} {kind}"] = {
                "asked": len(asked),
                "answered": float(np.mean([not one.declined for one in found])),
                "right": float(np.mean(right)),
                "quotations": float(np.mean(quotations)) if quotations else None,
            }
        measured[f"{language} cpu_ms"] = float(np.median(spent))
        if language == "en":
            queries = read(data / "cranfield" / "queries.jsonl")[:count]
            found = [await shelf.answer(row["text"], connector_id) for row in queries]
            measured["en cranfield's questions"] = {
                "asked": len(queries),
                "answered": float(np.mean([not one.declined for one in found])),
            }
    return measured


async def measure_cranfield(shelf: Library, data: Path, count: int) -> dict[str, float]:
    """Long questions of engineers about abstracts: how many are answered, and by quoting a relevant one."""
    documents = {row["id"]: row["text"] for row in read(data / "cranfield" / "docs.jsonl") if row["text"]}
    relevant: dict[str, list[str]] = defaultdict(list)
    for line in (data / "cranfield" / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, _ = line.split("\t")
        if document in documents:
            relevant[query].append(_plain(documents[document]))
    connector_id = await shelf.add(list(documents.items()), "en")
    queries = read(data / "cranfield" / "queries.jsonl")[:count]
    found = [await shelf.answer(row["text"], connector_id) for row in queries]
    right = [
        any(_plain(quote) in text for quote in _MARKER.split(one.text) if quote.strip() for text in relevant[row["id"]])
        for row, one in zip(queries, found, strict=True)
    ]
    answered = float(np.mean([not one.declined for one in found]))
    return {"asked": len(queries), "answered": answered, "right": float(np.mean(right))}


def _plain(text: str) -> str:
    return " ".join(text.split())


async def run(options: argparse.Namespace) -> dict[str, Any]:
    """Measures what was asked for."""
    data: dict[str, Any] = {"machine": describe()}
    with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder:
        async with library(Path(folder)) as shelf:
            data["guide"] = await measure_guide(shelf)
            if options.data:
                data["xquad"] = await measure_xquad(shelf, options.data, options.count, options.half)
                data["cranfield"] = await measure_cranfield(shelf, options.data, options.count)
    return data


def report(data: Mapping[str, Any]) -> str:
    """Returns the tables of a run."""
    rows = data["guide"]["questions"]
    cpu = np.median([row["cpu_ms"] for row in rows])
    text = [results.machine_line(data["machine"]), ""]
    text.append(
        f"Questions about the guide: {data['guide']['right']} of {len(rows)} right, {cpu:.0f} CPU ms each in the model "
        f"(median, its vectors included). Wrong: {'; '.join(row['question'] for row in rows if not row['right'])}\n"
    )
    beside = data["guide"]["beside"]
    own = beside["own"]
    text.append(
        f"Beside a handbook of an organization: of {len(own)} questions about the handbook, the first passage is the "
        f"handbook's for {sum(row['own'] for row in own)}, and the right one for {sum(row['right'] for row in own)}. "
        f"Of {len(rows)} about the guide, it is the guide's for {beside['guide_first']}, and {beside['guide_right']} "
        "are answered rightly.\n"
    )
    if "xquad" in data:
        cells: list[list[results.Cell]] = [
            [kind, row["asked"], row["answered"], row.get("right"), row.get("quotations")]
            for kind, row in data["xquad"].items()
            if isinstance(row, dict)
        ]
        abstracts = data["cranfield"]
        cells.append(
            ["cranfield, its own questions", abstracts["asked"], abstracts["answered"], abstracts["right"], None]
        )
        text.append(results.table(["questions", "asked", "answered", "right words quoted", "quotations"], cells))
        spent = [f"{kind.split()[0]} {row:.1f}" for kind, row in data["xquad"].items() if kind.endswith("cpu_ms")]
        text.append(f"CPU ms an answer in the model, vectors included, median: {', '.join(spent)}.")
    return "\n".join(text)


def main() -> None:
    """Measures and writes `results/answers.json` and `.md`."""
    parser = argparse.ArgumentParser(description="Measures the built-in model's answers.")
    parser.add_argument("--data", type=Path, help="folder of the test sets")
    parser.add_argument("--count", type=int, default=300, help="questions of each kind at most")
    parser.add_argument("--half", type=int, choices=(0, 1), default=1, help="0: the half that was tuned on")
    parser.add_argument("--out", type=Path, default=results.FOLDER, help="folder of the results")
    options = parser.parse_args()
    data = asyncio.run(run(options))
    results.write("answers", "How good the built-in model's answers are", data, report(data), options.out)


if __name__ == "__main__":
    main()
