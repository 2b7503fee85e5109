"""Questions about documents in other languages, with the multilingual model: `python -m bench.languages --data DIR`.

The folder has `xquad-en`, `xquad-de` and `xquad-zh`, whose questions and paragraphs are translations of each other. For
each pair of languages, questions of one are asked of documents of the other, of which a fourth of the articles is left
out: questions about those have no answer. Then all questions of that half are ranked among all paragraphs, with the
default model, the multilingual one and words alone. Limits were chosen with `--half 0`; the other half is what is
reported.
"""

import argparse
import asyncio
import json
import random
import tempfile
from collections.abc import Mapping
from math import log2
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench import results
from bench.answers import Library, Row, divide, library, read
from bench.asking import Searches, Transport, searching, switch_model
from bench.children import Children
from bench.machine import describe
from bench.product import WITHOUT_GUIDE, Product
from echomind_lib.access import Principal
from echomind_lib.embeddings.model_ids import MULTILINGUAL_E5
from echomind_lib.embeddings.multilingual_e5 import MultilingualE5
from echomind_lib.retrieval import Mode

LANGUAGES: Final = ("en", "de", "zh")
_PASSAGES: Final = 8
_RANKED: Final = 10
_RANK_COLUMNS: Final = ("questions", "passages", "multilingual model", "default model", "words alone")


async def measure(shelf: Library, data: Path, count: int, half: int) -> list[dict[str, Any]]:
    """Returns what was found by pair of languages."""
    sets = {language: divide(data / f"xquad-{language}") for language in LANGUAGES}
    answers = {(language, row["id"]): row["answers"][0] for language in LANGUAGES for row in sets[language][1]}
    measured = []
    for passages in LANGUAGES:
        connector_id = await shelf.add(sets[passages][0], passages)
        for questions in LANGUAGES:
            asked = {
                kind: [row for row in sets[questions][1] if row["kind"] == kind and row["half"] == half]
                for kind in ("answerable", "article removed")
            }
            chosen = {kind: random.Random(1).sample(rows, min(count, len(rows))) for kind, rows in asked.items()}
            pair: dict[str, Any] = {"questions": questions, "passages": passages}
            for kind, rows in chosen.items():
                found = [await _ask(shelf, row, connector_id, answers[passages, row["id"]]) for row in rows]
                pair[kind] = {name: float(np.mean([each[name] for each in found])) for name in found[0]}
                pair[kind]["asked"] = len(rows)
            measured.append(pair)
    return measured


async def _ask(shelf: Library, row: Row, connector_id: int, answer: str) -> dict[str, bool]:
    """Returns which passages were found, and what the built-in model made of them."""
    hits = await shelf.retriever.search(Principal(1), row["text"], limit=_PASSAGES, connector_ids=[connector_id])
    has_answer = [answer.casefold() in hit.text.casefold() for hit in hits]
    answered = await shelf.answer(row["text"], connector_id)
    return {
        "first": has_answer[0],
        "evidence": any(hit.is_evidence for hit in hits),
        "right evidence": any(right and hit.is_evidence for right, hit in zip(has_answer, hits, strict=True)),
        "answered": not answered.declined,
        "right": answer.casefold() in answered.text.casefold(),
    }


async def rank(shelf: Library, data: Path, half: int, *, across: bool) -> list[dict[str, Any]]:
    """Returns nDCG@10 of questions about all paragraphs, one of which is right, by pair of languages.

    Args:
        shelf: Where the paragraphs are added.
        data: The folder of the test sets.
        half: Half of the articles whose questions are asked.
        across: Whether questions are asked of paragraphs in other languages, too.
    """
    measured = []
    for passages in LANGUAGES:
        documents = read(data / f"xquad-{passages}" / "docs.jsonl")
        connector_id = await shelf.add([(row["title"], row["text"]) for row in documents], passages)
        found = await shelf.database.pool.fetch(
            "SELECT id, source_id FROM documents WHERE connector_id = $1", connector_id
        )
        ids = {documents[int(row["source_id"])]["id"]: row["id"] for row in found}
        for questions in LANGUAGES if across else (passages,):
            _, rows = divide(data / f"xquad-{questions}")
            asked = [(row["text"], ids[row["doc_id"]]) for row in rows if row["half"] == half]
            modes: tuple[Mode, ...] = ("hybrid", "lexical") if questions == passages else ("hybrid",)
            means: dict[str, float] = {}
            for mode in modes:
                gains = [await _gain(shelf, connector_id, question, right, mode) for question, right in asked]
                means[mode] = float(np.mean(gains))
            measured.append({"questions": questions, "passages": passages, "asked": len(asked), **means})
    return measured


async def _gain(shelf: Library, connector_id: int, question: str, right: int, mode: Mode) -> float:
    hits = await shelf.retriever.search(Principal(1), question, limit=_RANKED, connector_ids=[connector_id], mode=mode)
    documents = list(dict.fromkeys(hit.document_id for hit in hits))
    return 1 / log2(documents.index(right) + 2) if right in documents else 0.0


async def measure_api(data: Path, documents: int, count: int, half: int) -> dict[str, Any]:
    """Returns what the running product finds, asked over its API, with both models.

    Args:
        data: The folder of the test sets.
        documents: Paragraphs of each language at most.
        count: Questions of each pair at most.
        half: Half of the articles whose questions are asked.
    """
    with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder, Children(Path(folder)) as children:
        product = await asyncio.to_thread(Product, children, Path(folder) / "data", environment=WITHOUT_GUIDE)
        for language in LANGUAGES:
            texts = Path(folder) / language
            texts.mkdir()
            for row in read(data / f"xquad-{language}" / "docs.jsonl")[:documents]:
                (texts / f"{row['id']}.md").write_text(f"# {row['title']}\n\n{row['text']}\n", encoding="utf-8")
            await asyncio.to_thread(product.ingest, texts, "--connector", language)
        found = await asyncio.to_thread(product.call, "GET", "/connectors?pageSize=1000")
        connectors = {each["name"]: int(each["id"]) for each in found["connectors"]}
        requests = {
            questions: [
                (row["doc_id"], {"query": row["text"], "limit": _RANKED})
                for row in random.Random(1).sample(rows, min(count, len(rows)))
            ]
            for questions in LANGUAGES
            if (rows := _about(data / f"xquad-{questions}", documents, half))
        }
        async with searching(product) as searches:
            default = [
                await _rank_api(searches, requests[language], language, language, connectors[language])
                for language in LANGUAGES
            ]
            switch = asyncio.create_task(switch_model(product, MULTILINGUAL_E5))
            beside = [request for of_language in requests.values() for _, request in of_language]
            asked = await searches.beside(switch, beside)
            multilingual = [
                await _rank_api(searches, requests[questions], questions, passages, connectors[passages])
                for passages in LANGUAGES
                for questions in LANGUAGES
            ]
        change = asked.summary() | {"seconds": round(await switch, 1)}
        return {"documents": documents, "default": default, "multilingual": multilingual, "change": change}


def _about(folder: Path, documents: int, half: int) -> list[Row]:
    """Returns the questions of one half about the first paragraphs."""
    kept = {row["id"] for row in read(folder / "docs.jsonl")[:documents]}
    return [row for row in divide(folder)[1] if row["half"] == half and row["doc_id"] in kept]


async def _rank_api(
    searches: Searches, requests: list[tuple[str, Row]], questions: str, passages: str, connector_id: int
) -> dict[str, Any]:
    """Returns nDCG@10 of questions of one language about documents of one.

    In the same language, questions are asked by REST and by gRPC, and it is counted how often these differ; otherwise
    by both in turn.
    """
    pair: dict[str, Any] = {"questions": questions, "passages": passages, "asked": len(requests), "different": 0}
    for mode in ("HYBRID", "LEXICAL") if questions == passages else ("HYBRID",):
        gains = []
        for number, (right, request) in enumerate(requests):
            whole = request | {"mode": f"SEARCH_MODE_{mode}", "connectorIds": [connector_id]}
            via: Transport = "rest" if number % 2 else "grpc"
            hits = (await searches.search(whole, via)).get("hits", [])
            if questions == passages and mode == "HYBRID":
                others = (await searches.search(whole, "grpc" if via == "rest" else "rest")).get("hits", [])
                pair["different"] += [hit["chunkId"] for hit in hits] != [hit["chunkId"] for hit in others]
            ids = list(dict.fromkeys(Path(hit["fileName"]).stem for hit in hits))
            gains.append(1 / log2(ids.index(right) + 2) if right in ids else 0.0)
        pair[mode.lower()] = float(np.mean(gains))
    return pair


def report(data: Mapping[str, Any]) -> str:
    """Returns the tables of a run."""
    parts = [results.machine_line(data["machine"]), ""]
    if "pairs" in data:
        parts.append(_report_retriever(data))
    parts.append(_report_api(data["api"]))
    return "\n".join(parts)


def _report_api(api: Mapping[str, Any]) -> str:
    change = api["change"]
    asked = api["default"][0]["asked"]
    different = sum(each["different"] for each in (*api["default"], *api["multilingual"]))
    said = (
        f"The same of the running product over its API, nDCG@10 of {asked} questions of each pair, for which one of "
        f"{api['documents']} paragraphs is right, by REST and gRPC, which differed for {different} of those that "
        "were asked by both:\n"
    )
    changed = (
        f"The model was changed in {change['seconds']:.0f} s; of {change['searches']} searches meanwhile, "
        f"{change['failed']} failed, and {change['incomplete']} found nothing or did without vectors."
    )
    table = results.table(_RANK_COLUMNS, _ranks(api))
    return f"{said}\n{table}\n{changed}"


def _ranks(ranked: Mapping[str, Any]) -> list[list[results.Cell]]:
    default = {each["passages"]: each["hybrid"] for each in ranked["default"]}
    return [
        [
            each["questions"],
            each["passages"],
            f"{each['hybrid']:.3f}",
            f"{default[each['passages']]:.3f}" if each["questions"] == each["passages"] else None,
            f"{each['lexical']:.3f}" if "lexical" in each else None,
        ]
        for each in ranked["multilingual"]
    ]


def _report_retriever(data: Mapping[str, Any]) -> str:
    columns = ["questions", "passages", "right passage first", "right passage is evidence", "answered", "right words"]
    columns += ["no answer: some evidence", "no answer: answered"]
    cells: list[list[results.Cell]] = []
    for pair in data["pairs"]:
        own, other = pair["answerable"], pair["article removed"]
        shares = [own["first"], own["right evidence"], own["answered"], own["right"]]
        cells.append([pair["questions"], pair["passages"], *shares, other["evidence"], other["answered"]])
    of_half = data["ranked"]["multilingual"][0]["asked"]
    asked = data["pairs"][0]
    numbers = f"{asked['answerable']['asked']} questions with an answer and {asked['article removed']['asked']} without"
    return "\n".join(
        [
            f"Shares of {numbers}, by pair of languages. The built-in model answers (`answered`, `right words`).",
            "",
            results.table(columns, cells),
            f"nDCG@10 of {of_half} questions of each pair, for which one of 240 paragraphs is right:\n",
            results.table(
                ["questions", "passages", "multilingual model", "default model", "words alone"], _ranks(data["ranked"])
            ),
        ]
    )


async def run(options: argparse.Namespace) -> dict[str, Any]:
    """Measures what was asked for."""
    api = await measure_api(options.data, options.api_documents, options.api_count, options.half)
    print(json.dumps(api), flush=True)
    if options.api:
        return {"machine": describe(), "api": api}
    with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder:
        async with library(Path(folder), MultilingualE5) as shelf:
            pairs = await measure(shelf, options.data, options.count, options.half)
            ranked = {"multilingual": await rank(shelf, options.data, options.half, across=True)}
    with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder:
        async with library(Path(folder)) as shelf:
            ranked["default"] = await rank(shelf, options.data, options.half, across=False)
    return {"machine": describe(), "pairs": pairs, "ranked": ranked, "api": api}


def main() -> None:
    """Measures and writes `results/languages.json` and `.md`; with `--api`, `languages-api`."""
    parser = argparse.ArgumentParser(description="Measures questions and documents of different languages.")
    parser.add_argument("--data", type=Path, required=True, help="folder of the test sets")
    parser.add_argument("--count", type=int, default=150, help="questions of each kind and pair at most")
    parser.add_argument("--api", action="store_true", help="ask the running product alone")
    parser.add_argument("--api-documents", type=int, default=240, help="paragraphs of each language that it gets")
    parser.add_argument("--api-count", type=int, default=120, help="questions of each pair that it is asked")
    parser.add_argument("--half", type=int, choices=(0, 1), default=1, help="0: the half that was tuned on")
    parser.add_argument("--out", type=Path, default=results.FOLDER, help="folder of the results")
    options = parser.parse_args()
    data = asyncio.run(run(options))
    name = "languages-api" if options.api else "languages"
    results.write(name, "Questions about documents in other languages", data, report(data), options.out)


if __name__ == "__main__":
    main()
