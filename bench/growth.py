"""Whether work costs the same when much is stored already: `python -m bench.growth`.

Three curves that must stay flat: the processor time of a turn as its session gets long, that of a passage as documents
become many, and the time to list sessions and to open one as stored messages become many.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncpg

from bench import results
from bench.children import Children, run_tool
from bench.load import load
from bench.machine import cpu_by_name, describe
from bench.plot import draw
from bench.product import PROGRAM, Product
from bench.systems import echomind

_PROFILE = "stub-t100-d0"
_CONVERSATIONS = 8
_REQUESTS = 100
_MESSAGES_A_SESSION = 100
_INGEST_SECONDS = 3600.0

_FILL = """
WITH new AS (
    INSERT INTO chat_sessions (user_id, assistant_id, title, creation_date)
    SELECT $1, (SELECT id FROM assistants WHERE is_default AND deleted_date IS NULL), 'Filled', now() - interval '1 day'
    FROM generate_series(1, $2) RETURNING id
)
INSERT INTO chat_messages (chat_session_id, role, content, token_count, status)
SELECT new.id, CASE WHEN place % 2 = 1 THEN 'user' ELSE 'assistant' END,
    'A message of a usual length, which says something about what was asked before. ' || place, 20, 'completed'
FROM new, generate_series(1, $3) AS place
"""


def main() -> None:
    """Measures and writes `results/growth.json`, `.md` and a drawing for each curve."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder, Children(Path(folder)) as children:
        work = Path(folder)
        _, stub_url = children.start_stub()
        product = Product(children, work / "data")
        product.settle()
        data: dict[str, Any] = {"machine": describe()}
        data["documents"] = _documents(product, work, options.documents, options.steps)
        data["history"] = _history(product, stub_url, options.turns, options.steps)
        data["messages"] = _messages(product, [int(count) for count in options.messages.split(",")])
    options.out.mkdir(parents=True, exist_ok=True)
    for name, title, across, up in _DRAWINGS:
        lines = {line: [(row[across], row[line]) for row in data[name]] for line in up}
        draw(options.out / f"growth-{name}.svg", title, across, "ms", lines)
    results.write("growth", "Whether cost stays flat", data, report(data), options.out)


_DRAWINGS = (
    ("documents", "Bringing in a passage, as documents become many", "documents", ("CPU ms a passage",)),
    ("history", "Answering, as the session gets long", "turns before", ("CPU ms a turn", "turn p50 ms")),
    ("messages", "Lists, as messages become many", "messages", ("sessions p50 ms", "session p50 ms")),
)


def _documents(product: Product, work: Path, documents: int, steps: int) -> list[dict[str, float]]:
    """Processor time of a passage, while documents are brought in bit by bit."""
    corpus = work / "corpus"
    run_tool("corpus.py", "--out", str(corpus), "--documents", str(documents), timeout=600)
    files = sorted(corpus.iterdir())
    rows = []
    for step in range(steps):
        part = work / f"part-{step}"
        part.mkdir()
        for file in files[step * len(files) // steps : (step + 1) * len(files) // steps]:
            file.rename(part / file.name)
        before = cpu_by_name(product.processes())
        command = [str(PROGRAM), "ingest", str(part), "--wait", "--json", "--url", product.url]
        done = subprocess.run(
            [*command, "--api-key", product.key], capture_output=True, timeout=_INGEST_SECONDS, check=True
        )
        after = cpu_by_name(product.processes())
        chunks = sum(document["chunkCount"] for document in json.loads(done.stdout)["documents"])
        used = sum(after[name] - before[name] for name in before)
        rows.append({"documents": (step + 1) * len(files) // steps, "CPU ms a passage": round(used * 1000 / chunks, 2)})
        print(rows[-1], flush=True)
    return rows


def _history(product: Product, stub_url: str, turns: int, steps: int) -> list[dict[str, float]]:
    """Processor time of a turn, while conversations get longer bit by bit."""
    system = echomind(product, stub_url, "EchoMind")
    system.prepare(_PROFILE)
    sessions: list[int] = []
    load(system, _PROFILE, _CONVERSATIONS, 10, max_turns=5 * _CONVERSATIONS)
    rows = []
    a_step = turns // steps
    for step in range(steps):
        before = cpu_by_name(product.processes())
        result = load(
            system,
            _PROFILE,
            _CONVERSATIONS,
            600,
            max_turns=a_step * _CONVERSATIONS,
            turns_a_session=a_step,
            sessions=sessions,
        )
        sessions = result["sessions"]
        after = cpu_by_name(product.processes())
        used = sum(after[name] - before[name] for name in before)
        row = {"turns before": step * a_step, "CPU ms a turn": round(used * 1000 / result["turns"], 2)}
        rows.append(row | {"turn p50 ms": result["turn_p50_ms"]})
        print(rows[-1], flush=True)
    return rows


def _messages(product: Product, counts: list[int]) -> list[dict[str, float]]:
    """Time to list sessions and to open one, while messages become many."""
    rows = []
    stored = 0
    for count in counts:
        asyncio.run(_fill(product, count - stored))
        stored = count
        newest = product.call("GET", "/chat-sessions?pageSize=1")["chatSessions"][0]["id"]
        row: dict[str, float] = {"messages": count}
        row["sessions p50 ms"] = _median(lambda: product.call("GET", "/chat-sessions?pageSize=50"))
        path = f"/chat-sessions/{newest}/messages?pageSize=50"
        row["session p50 ms"] = _median(lambda path=path: product.call("GET", path))  # type: ignore[misc]
        rows.append(row)
        print(rows[-1], flush=True)
    return rows


async def _fill(product: Product, messages: int) -> None:
    database = await asyncpg.connect(product.settings().postgres.url.get_secret_value())
    try:
        owner = await database.fetchval("SELECT min(id) FROM users WHERE is_active")
        sessions = messages // _MESSAGES_A_SESSION
        for begin in range(0, sessions, 1000):
            await database.execute(_FILL, owner, min(1000, sessions - begin), _MESSAGES_A_SESSION)
        await database.execute("ANALYZE")
    finally:
        await database.close()


def _median(call: Callable[[], object]) -> float:
    times = []
    for _ in range(_REQUESTS):
        began = time.perf_counter()
        call()
        times.append((time.perf_counter() - began) * 1000)
    return round(statistics.median(times), 3)


def report(data: dict[str, Any]) -> str:
    """Returns the tables of a run."""
    text = [results.machine_line(data["machine"]), ""]
    for name, title, _, _ in _DRAWINGS:
        rows = data[name]
        text.append(f"## {title}\n\n![{title}](growth-{name}.svg)\n")
        text.append(results.table(list(rows[0]), [list(row.values()) for row in rows]))
    return "\n".join(text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures whether cost stays flat while work grows.")
    parser.add_argument("--documents", type=int, default=300, help="of about 1,500 words, in all")
    parser.add_argument("--turns", type=int, default=500, help="of each of 8 conversations, in all")
    parser.add_argument("--steps", type=int, default=5, help="points of the first two curves")
    parser.add_argument("--messages", default="10000,100000,1000000", help="stored messages, with commas between")
    parser.add_argument("--out", type=Path, default=results.FOLDER, help="folder of the results")
    return parser.parse_args()


if __name__ == "__main__":
    main()
