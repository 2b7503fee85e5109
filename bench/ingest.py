"""What it costs to bring documents in, beside the peers: `python -m bench.ingest --peers`.

The product gets the files as a user gives them, by `echomind ingest FOLDER --wait`. Beside it, in the same run, the
bare embedder embeds the same passages in this process: nothing that embeds them can be faster.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import platformdirs
import psutil

from bench import results
from bench.children import Children, run_tool
from bench.machine import busy_seconds, cpu_by_name, describe, pss_mib
from bench.product import Product
from bench.systems import install_peer
from echomind_lib.embeddings.minilm import MiniLm
from echomind_lib.embeddings.tokenizer import DATA_DIR

PEERS = ("llamaindex", "haystack", "agno")
_PEER_SECONDS = 3600.0
_PASSAGES_A_CALL = 64
_BARE_PASSAGES = 800


def main() -> None:
    """Measures and writes `results/ingest.json` and `.md`."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder:
        work = Path(folder)
        corpus = work / "corpus"
        made = ["--out", str(corpus), "--documents", str(options.documents)]
        for source in options.sources:
            made += ["--from", source]
        data: dict[str, Any] = {"machine": describe(), "corpus": json.loads(run_tool("corpus.py", *made, timeout=600))}
        with Children(work) as children:
            product = Product(children, work / "data")
            product.settle()
            data["first"] = _ingest(product, corpus)
            print(json.dumps(data["first"]), flush=True)
            data["again"] = _ingest(product, corpus)
            print(json.dumps(data["again"]), flush=True)
            passages = _passages(product, data["first"]["documents"])
        data["bare_embedder"] = _bare(passages)
        print(json.dumps(data["bare_embedder"]), flush=True)
        data["peers"] = _peers(options, work, corpus) if options.peers else []
    results.write("ingest", "What it costs to bring documents in", data, report(data), options.out)


def _ingest(product: Product, corpus: Path) -> dict[str, Any]:
    """Runs the command, and accounts what each process takes for it.

    Raises:
        RuntimeError: The command failed, or a document did.
    """
    processes = product.processes()
    own = psutil.Process()
    busy, began = busy_seconds(), time.perf_counter()
    before, client_before = cpu_by_name(processes), _reaped(own)
    answer = product.ingest(corpus)
    wall = time.perf_counter() - began
    after = cpu_by_name(processes)
    used = {name: round(after[name] - before[name], 3) for name in before}
    client = round(_reaped(own) - client_before, 3)
    others = busy_seconds() - busy - sum(used.values()) - client
    return {
        "completed": answer["completed"],
        "skipped": answer["skipped"],
        "chunks": sum(document["chunkCount"] for document in answer["documents"]),
        "documents": [document["documentId"] for document in answer["documents"]],
        "wall_s": round(wall, 3),
        "cpu_s": used,
        "client_cpu_s": client,
        "others_cores": round(max(0.0, others) / wall, 2),
        "pss_mib": {name: round(pss_mib(process), 1) for name, process in processes.items()},
    }


def _passages(product: Product, documents: list[str]) -> list[str]:
    """Texts as they were embedded, of as many documents as are needed for a fair rate."""
    texts: list[str] = []
    for document in documents:
        title = product.call("GET", f"/documents/{document}")["title"]
        chunks = product.call("GET", f"/documents/{document}/chunks?pageSize=1000").get("chunks", [])
        texts += ["\n".join([title, *chunk.get("heading", []), chunk["text"]]) for chunk in chunks]
        if len(texts) >= _BARE_PASSAGES:
            break
    return texts


def _bare(texts: list[str]) -> dict[str, Any]:
    """Returns the embedder alone, in this process, over passages in the order of their documents."""
    embedder = MiniLm(threads=1)
    embedder.embed_passages(texts[:_PASSAGES_A_CALL])
    began, cpu_before = time.perf_counter(), time.process_time()
    for start in range(0, len(texts), _PASSAGES_A_CALL):
        embedder.embed_passages(texts[start : start + _PASSAGES_A_CALL])
    wall, cpu = time.perf_counter() - began, time.process_time() - cpu_before
    return {
        "chunks": len(texts),
        "tokens_a_chunk": round(sum(map(embedder.count_tokens, texts)) / len(texts), 1),
        "wall_s": round(wall, 3),
        "cpu_s": round(cpu, 3),
        "cpu_ms_a_chunk": round(cpu * 1000 / len(texts), 3),
        "chunks_per_s": round(len(texts) / wall, 2),
    }


def _peers(options: argparse.Namespace, work: Path, corpus: Path) -> list[dict[str, Any]]:
    python = install_peer(options.peers_dir, "ingest")
    rows = []
    for name in PEERS if python else ():
        arguments = ["--peer", name, "--corpus", str(corpus), "--tokenizer", str(DATA_DIR / "tokenizer.json")]
        arguments += ["--work", str(work), "--documents", str(options.peer_documents)]
        rows.append(json.loads(run_tool("ingest_peer.py", *arguments, python=str(python), timeout=_PEER_SECONDS)))
        print(json.dumps(rows[-1]), flush=True)
    return rows


def report(data: dict[str, Any]) -> str:
    """Returns the tables of a run."""
    first, again, bare, corpus = data["first"], data["again"], data["bare_embedder"], data["corpus"]
    chunks = first["chunks"]
    total = sum(first["cpu_s"].values())
    embedding = first["cpu_s"]["embedding"]
    rate = chunks / first["wall_s"]
    text = [results.machine_line(data["machine"])]
    text.append(
        f"{corpus['documents']} documents, {corpus['words']} words, {chunks} passages of "
        f"{bare['tokens_a_chunk']:.0f} tokens. One thread embeds. Others kept {first['others_cores']} cores busy.\n"
    )
    rows: list[list[results.Cell]] = [
        [name, seconds * 1000 / chunks, first["pss_mib"][name]] for name, seconds in first["cpu_s"].items()
    ]
    rows.append(["all", total * 1000 / chunks, sum(first["pss_mib"].values())])
    rows.append(["`echomind ingest`", first["client_cpu_s"] * 1000 / chunks, None])
    text.append(results.table(["process", "CPU ms a passage", "PSS MiB afterwards"], rows))
    text.append(
        f"- End to end {rate:.1f} passages/s, {corpus['documents'] / first['wall_s']:.2f} documents/s; the bare "
        f"embedder {bare['chunks_per_s']:.1f} passages/s at {bare['cpu_ms_a_chunk']:.1f} CPU ms: "
        f"{rate / bare['chunks_per_s']:.0%}.\n"
        f"- Beyond the embedding process: {(total - embedding) * 1000 / chunks:.2f} CPU ms a passage; the embedding "
        f"process itself takes {embedding * 1000 / chunks:.2f}, {embedding / total:.0%} of all.\n"
        f"- The same folder again: {again['wall_s']:.1f} s, {again['skipped']} of {corpus['documents']} unchanged, "
        f"{again['cpu_s']['embedding']:.2f} s in the embedding process, "
        f"{sum(again['cpu_s'].values()) * 1000 / corpus['documents']:.2f} CPU ms a document in all.\n"
    )
    if data["peers"]:
        text.append(_peer_table(data["peers"], first, corpus, bare))
    return "\n".join(text)


def _peer_table(
    peers: list[dict[str, Any]], first: dict[str, Any], corpus: dict[str, Any], bare: dict[str, Any]
) -> str:
    head = ["system", "documents/s", "tokens/s", "CPU ms a passage", "of it embedding", "beyond it"]
    head += ["EchoMind's documents/s to it"]
    ours = corpus["documents"] / first["wall_s"]
    total, embedding = sum(first["cpu_s"].values()), first["cpu_s"]["embedding"]
    tokens = first["chunks"] * bare["tokens_a_chunk"] / first["wall_s"]
    per = 1000 / first["chunks"]
    rows: list[list[results.Cell]] = [
        ["EchoMind", ours, tokens, total * per, embedding * per, (total - embedding) * per, None]
    ]
    for peer in peers:
        per, rate = 1000 / peer["chunks"], peer["documents"] / peer["wall_s"]
        beyond = peer["cpu_s"] - peer["embedding_cpu_s"]
        costs = [peer["cpu_s"] * per, peer["embedding_cpu_s"] * per, beyond * per]
        rows.append([peer["peer"], rate, peer["tokens"] / peer["wall_s"], *costs, ours / rate])
    return results.table(head, rows)


def _reaped(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.children_user + times.children_system)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures what it costs to bring documents in, beside the peers.")
    parser.add_argument("--documents", type=int, default=200, help="of about 1,500 words")
    parser.add_argument("--from", dest="sources", action="append", default=[], help="a folder with further prose")
    parser.add_argument("--peers", action="store_true", help="install the peers from PyPI and measure them too")
    parser.add_argument("--peer-documents", type=int, default=25, help="documents that each peer gets")
    parser.add_argument(
        "--peers-dir",
        type=Path,
        default=platformdirs.user_cache_path("echomind-bench"),
        help="where the peers' virtual environments are kept",
    )
    parser.add_argument("--out", type=Path, default=results.FOLDER, help="folder of the results")
    return parser.parse_args()


if __name__ == "__main__":
    main()
