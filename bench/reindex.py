"""A change of the embedding model while people search: `python -m bench.reindex`.

The product, as a user starts it, gets documents with sections of prose. Then the multilingual model is activated by the
API, and somebody searches by REST and gRPC in turn until its index answers: none of the searches may fail.
"""

import argparse
import asyncio
import json
import random
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from bench import results
from bench.asking import searching, switch_model
from bench.children import Children, run_tool
from bench.machine import busy_seconds, cpu_by_name, describe
from bench.product import WITHOUT_GUIDE, Product
from bench.search import questions_of
from echomind_lib.embeddings.model_ids import MINILM, MULTILINGUAL_E5
from echomind_lib.embeddings.tokenizer import minilm_tokenizer

_SECTIONS: Final = 20
_ALONE: Final = 15


def write_documents(folder: Path, work: Path, passages: int, words: int) -> list[str]:
    """Writes documents of sections, each of which is a passage; returns the texts of some."""
    prose = work / "prose"
    run_tool("corpus.py", "--out", str(prose), "--documents", "60", timeout=300)
    spoken = " ".join(file.read_text(encoding="utf-8") for file in sorted(prose.iterdir())).split()
    spoken = [word for word in spoken if word[0] not in "#>|-*`"]
    chance = random.Random(3)
    folder.mkdir()
    texts = []
    for document in range(-(-passages // _SECTIONS)):
        sections = []
        for section in range(_SECTIONS):
            begin = chance.randrange(len(spoken) - words)
            texts.append(" ".join(spoken[begin : begin + words]))
            sections.append(f"## Section {section} of {document}\n\n{texts[-1]}")
        text = f"# Document {document}\n\n" + "\n\n".join(sections)
        (folder / f"{document:05}.md").write_text(text, encoding="utf-8")
    return texts


async def measure(product: Product, texts: list[str]) -> dict[str, Any]:
    """Changes the model, and returns what that took and what became of the searches meanwhile."""
    requests = [{"query": question, "limit": 10} for question in questions_of(texts, 200)]
    processes = product.processes()
    async with searching(product) as searches:

        async def alone() -> dict[str, Any]:
            return (await searches.beside(asyncio.create_task(asyncio.sleep(_ALONE)), requests)).summary()

        before = await alone()
        busy, began, used = busy_seconds(), time.perf_counter(), cpu_by_name(processes)
        switch = asyncio.create_task(switch_model(product, MULTILINGUAL_E5))
        meanwhile = await searches.beside(switch, requests)
        seconds = await switch
        spent = {name: round(after - used[name], 1) for name, after in cpu_by_name(processes).items()}
        others = (busy_seconds() - busy - sum(spent.values())) / (time.perf_counter() - began)
        switched = await alone()
        back = asyncio.create_task(switch_model(product, MINILM))
        returned = await searches.beside(back, requests)
        return {
            "seconds": round(seconds, 1),
            "cpu_s": spent,
            "others_cores": round(max(0.0, others), 2),
            "before": before,
            "meanwhile": meanwhile.summary(),
            "afterwards": switched,
            "back": returned.summary() | {"seconds": round(await back, 1)},
        }


def report(data: dict[str, Any]) -> str:
    """Returns the tables of a run."""
    passages, change = data["passages"], data["change"]
    summary = (
        f"{data['documents']} documents with {passages} passages of {data['tokens']:.0f} tokens, brought in within "
        f"{data['ingest_seconds']:.0f} s. The index of the multilingual model was filled in {change['seconds']} s, "
        f"{passages / change['seconds']:.0f} passages/s, while others kept {change['others_cores']} cores busy; the "
        f"index that was kept was active again after {change['back']['seconds']} s.\n"
    )
    rows: list[list[results.Cell]] = [
        [title, found["searches"], found["failed"], found["incomplete"], found["p50_ms"], found["max_ms"]]
        for name, title in _WHEN.items()
        if (found := change[name])
    ]
    cpu: list[list[results.Cell]] = [[name, 1000 * spent / passages] for name, spent in change["cpu_s"].items()]
    return "\n".join(
        [
            results.machine_line(data["machine"]),
            summary,
            results.table(["searches", "number", "failed", "without a hit or vectors", "p50 ms", "longest ms"], rows),
            results.table(["process", "CPU ms a passage"], cpu),
        ]
    )


_WHEN: Final = {
    "before": "before",
    "meanwhile": "while it was filled",
    "afterwards": "with the other model",
    "back": "while it was switched back",
}


def main() -> None:
    """Measures and writes `results/reindex.json` and `.md`."""
    parser = argparse.ArgumentParser(description="Measures a change of the embedding model while people search.")
    parser.add_argument("--passages", type=int, default=20_000, help="passages, twenty a document")
    parser.add_argument("--words", type=int, default=60, help="words of a passage")
    parser.add_argument("--out", type=Path, default=results.FOLDER, help="folder of the results")
    options = parser.parse_args()
    data: dict[str, Any] = {"machine": describe()}
    with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder, Children(Path(folder)) as children:
        work = Path(folder)
        texts = write_documents(work / "documents", work, options.passages, options.words)
        product = Product(children, work / "data", environment=WITHOUT_GUIDE)
        began = time.perf_counter()
        answer = product.ingest(work / "documents")
        data["ingest_seconds"] = round(time.perf_counter() - began, 1)
        data["documents"] = answer["completed"]
        data["passages"] = sum(document["chunkCount"] for document in answer["documents"])
        sample = texts[:500]
        data["tokens"] = sum(len(found.ids) for found in minilm_tokenizer().encode_batch(sample)) / len(sample)
        print(json.dumps(data), flush=True)
        data["change"] = asyncio.run(measure(product, texts))
    results.write("reindex", "A change of the embedding model while people search", data, report(data), options.out)


if __name__ == "__main__":
    main()
