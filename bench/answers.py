"""How good the built-in model's answers are, and what they cost.

    python bench/answers.py --data FOLDER [--count 300] [--half 1]

`FOLDER` holds `xquad-en`, `xquad-de`, `xquad-zh` and `cranfield` as `docs.jsonl` and `queries.jsonl`. A fourth of
XQuAD's articles and one paragraph of each of the others are left out of the index: questions about them have no answer
in it ("article removed", "paragraph removed"), the others have. Thresholds were chosen with `--half 0`; report the
other half. Cranfield's questions, asked of XQuAD, have no answer either. `data/guide_questions.jsonl` has questions
about the guide in `docs/guide`.

Everything is the product's own: chunks, embedder (behind its gRPC service), terms, the model. Only the vector index is
replaced by the same sums in memory.
"""

import argparse
import asyncio
import json
import random
import re
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from echomind_agent.extractive import ExtractiveModel
from echomind_agent.phrases import declined
from echomind_agent.sources import Sources, render
from echomind_ingestor.chunk import chunk
from echomind_ingestor.extract.result import Extracted, Heading
from numpy.typing import NDArray

from echomind.embedded.process import free_port
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.embeddings.minilm import MiniLm
from echomind_lib.embeddings.service import EmbeddingServer
from echomind_lib.embeddings.tokenizer import minilm_tokenizer
from echomind_lib.llms import ChatRequest, Message, ToolCall
from echomind_lib.llms.types import complete
from echomind_lib.retrieval import Hit, content_terms, encode_document, encode_query, query_language
from echomind_lib.vectors.index import FUSION_DEPTH, RRF_K

_PASSAGES = 8
_SERVED = ("en",)
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+)$", re.MULTILINE)


class Index:
    """Passages with both their vectors, in memory."""

    def __init__(self, embeddings: EmbeddingClient) -> None:
        self._embeddings = embeddings
        self._hits: list[tuple[Hit, frozenset[str]]] = []
        self._postings: dict[int, list[tuple[int, float]]] = defaultdict(list)
        self._dense: NDArray[np.float32] | None = None

    async def add(self, documents: Sequence[tuple[str, str]], language: str) -> None:
        """Adds documents, each a title and a text in Markdown."""
        tokenizer = minilm_tokenizer()
        said = []
        for title, text in documents:
            headings = tuple(Heading(len(m[1]), m[2].strip(), m.start()) for m in _HEADING.finditer(text))
            for part in chunk(Extracted(text, title, "text/plain", language, headings), tokenizer):
                place = len(self._hits)
                said.append("\n".join([title, *part.context, part.text]))
                hit = Hit(str(place), 1, 1, "s", title, part.text, part.heading, None, part.start, part.end, None, 0.0)
                self._hits.append((hit, content_terms(said[-1], language)))
                for term, weight in zip(*encode_document(said[-1], language), strict=True):
                    self._postings[int(term)].append((place, float(weight)))
        if language in _SERVED:
            self._dense = await self._embeddings.embed_passages(said)

    async def search(self, query: str) -> list[Hit]:
        """As `Retriever.search`."""
        language = query_language(query)
        total = len(self._hits)
        scores = np.zeros(total)
        for term in encode_query(query, language.readings).indices:
            found = self._postings.get(int(term), [])
            for place, weight in found:
                scores[place] += weight * np.log(1 + (total - len(found) + 0.5) / (len(found) + 0.5))
        order = [place for place in np.argsort(-scores, kind="stable")[:FUSION_DEPTH] if scores[place] > 0]
        fused = {int(place): 1 / (RRF_K + rank) for rank, place in enumerate(order, start=1)}
        cosines: NDArray[np.float32] | None = None
        if language.language in _SERVED and self._dense is not None:
            cosines = self._dense @ await self._embeddings.embed_query(query)
            for rank, place in enumerate(np.argsort(-cosines, kind="stable")[:FUSION_DEPTH], start=1):
                fused[int(place)] = fused.get(int(place), 0.0) + 1 / (RRF_K + rank)
        asked = content_terms(query, language.language)
        hits = []
        for place in sorted(fused, key=lambda place: -fused[place])[:_PASSAGES]:
            hit, terms = self._hits[place]
            fields = {name: getattr(hit, name) for name in Hit.__slots__}
            fields["cosine"] = None if cosines is None else float(cosines[place])
            fields["overlap"] = len(asked & terms) / len(asked) if asked else 0.0
            hits.append(Hit(**fields))
        return hits


async def answer(model: ExtractiveModel, index: Index, question: str) -> tuple[str, float]:
    """The model's answer, and the processor time of the model alone in milliseconds."""
    sources = Sources()
    found = sources.add(hit for hit in await index.search(question) if hit.is_evidence)
    call = ToolCall("search", "search_documents")
    messages = [Message("user", question), Message("assistant", "", [call]), Message("tool", render(found))]
    begin = time.process_time()
    completion = await complete(model, ChatRequest(messages))
    return completion.text, 1000 * (time.process_time() - begin)


def read(path: Path) -> list[dict[str, Any]]:
    """A file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def divide(folder: Path) -> tuple[list[tuple[str, str]], list[dict[str, Any]]]:
    """The documents that are kept, and all questions with their `half` and `kind`."""
    documents, questions = read(folder / "docs.jsonl"), read(folder / "queries.jsonl")
    articles = sorted({row["id"].split("-")[0] for row in documents}, key=int)
    chance = random.Random(5)
    chance.shuffle(articles)
    half = {article: place % 2 for place, article in enumerate(articles)}
    kinds: dict[str, str] = {}
    for place, article in enumerate(articles):
        own = [row["id"] for row in documents if row["id"].split("-")[0] == article]
        left_out = chance.choice(own)
        for key in own:
            removed = "paragraph removed" if key == left_out else "answerable"
            kinds[key] = "article removed" if place < len(articles) // 4 else removed
    for row in questions:
        row["kind"], row["half"] = kinds[row["doc_id"]], half[row["doc_id"].split("-")[0]]
    return [(row["title"], row["text"]) for row in documents if kinds[row["id"]] == "answerable"], questions


async def measure_xquad(model: ExtractiveModel, embeddings: EmbeddingClient, data: Path, count: int, half: int) -> None:
    """Prints a line for each language and kind of question."""
    for language in ("en", "de", "zh"):
        kept, questions = divide(data / f"xquad-{language}")
        index = Index(embeddings)
        await index.add(kept, language)
        spent: list[float] = []
        for kind in ("answerable", "paragraph removed", "article removed"):
            asked = [row for row in questions if row["kind"] == kind and row["half"] == half]
            asked = random.Random(1).sample(asked, min(count, len(asked)))
            right = quoted = answered = 0
            for row in asked:
                text, milliseconds = await answer(model, index, row["text"])
                spent.append(milliseconds)
                answered += text != declined(language)
                right += row["answers"][0].casefold() in text.casefold()
                quoted += len(re.findall(r"\[\d+\]", text))
            contains = f"gold answer in {right / len(asked):.3f}  " if kind == "answerable" else ""
            print(
                f"{language} {kind:17} {len(asked):4} asked  answered {answered / len(asked):.3f}  {contains}"
                f"quotations an answer {quoted / max(1, answered):.1f}"
            )
        print(f"{language} CPU ms an answer: median {np.median(spent):.1f}, mean {np.mean(spent):.1f}")
        if language == "en":
            queries = read(data / "cranfield" / "queries.jsonl")[:count]
            texts = [(await answer(model, index, row["text"]))[0] for row in queries]
            print(
                f"en cranfield's questions asked of xquad: answered {np.mean([t != declined('en') for t in texts]):.3f}"
            )


async def measure_cranfield(model: ExtractiveModel, embeddings: EmbeddingClient, data: Path, count: int) -> None:
    """Long questions of engineers about abstracts: how many are declined, and how many quote a relevant one."""
    documents = [row for row in read(data / "cranfield" / "docs.jsonl") if row["text"]]
    relevant: dict[str, set[str]] = defaultdict(set)
    for line in (data / "cranfield" / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, _ = line.split("\t")
        relevant[query].add(document)
    index = Index(embeddings)
    await index.add([(row["id"], row["text"]) for row in documents], "en")
    answered = right = 0
    queries = read(data / "cranfield" / "queries.jsonl")[:count]
    texts = {row["id"]: _plain(row["text"]) for row in documents}
    for row in queries:
        text, _ = await answer(model, index, row["text"])
        answered += text != declined("en")
        quotes = [_plain(part) for part in re.split(r"\[\d+\]", text) if part.strip()]
        right += any(quote in texts[key] for quote in quotes for key in relevant[row["id"]] if key in texts)
    print(
        f"en cranfield: answered {answered / len(queries):.3f}, quotes a relevant abstract {right / len(queries):.3f}"
    )


async def measure_guide(model: ExtractiveModel, embeddings: EmbeddingClient, guide: Path) -> None:
    """Prints each question about the guide with its answer."""
    pages = _pages(guide)
    index = Index(embeddings)
    await index.add(pages, "en")
    rows = read(Path(__file__).parent / "data" / "guide_questions.jsonl")
    right = 0
    for row in rows:
        text, milliseconds = await answer(model, index, row["question"])
        good = text == declined("en") if row["answer"] is None else bool(re.search(row["answer"], text, re.IGNORECASE))
        right += good
        print(
            f"{'right' if good else 'WRONG'} {milliseconds:4.0f} ms  {row['question']}\n    "
            + text.replace("\n", "\n    ")
        )
    print(f"guide: {right} of {len(rows)} right")


def _pages(guide: Path) -> list[tuple[str, str]]:
    texts = [page.read_text(encoding="utf-8") for page in sorted(guide.glob("*.md"))]
    return [(text.partition("\n")[0].lstrip("# "), text) for text in texts]


def _plain(text: str) -> str:
    return " ".join(text.split())


async def run(options: argparse.Namespace) -> None:
    """Measures what was asked for."""
    address = f"127.0.0.1:{free_port()}"
    server = await EmbeddingServer.start(MiniLm(), address)
    embeddings = EmbeddingClient(address)
    model = ExtractiveModel(embeddings)
    if options.data:
        await measure_xquad(model, embeddings, options.data, options.count, options.half)
        await measure_cranfield(model, embeddings, options.data, options.count)
    if options.guide:
        await measure_guide(model, embeddings, options.guide)
    await embeddings.close()
    await server.stop()


def main() -> None:
    """Runs the measurements."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path)
    parser.add_argument("--guide", type=Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--half", type=int, choices=(0, 1), default=1)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
