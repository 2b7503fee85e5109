"""What is remembered across conversations, and what that costs: `python -m bench.memory`.

One person holds the 40 conversations of `data/memory_sessions.jsonl`, in three parts: facts said in passing, changes of
them, and further changes, contradictions and repetitions, with conversations in between from which nothing is to be
remembered. After each part the conversations rest and memories are extracted. Then the questions of
`data/memory_questions.jsonl` are asked, and the prompts that arrive at the model are looked at: is the right memory
there, and no outdated one? No model judges anything.

Everything goes through the running product. The model that extracts is the one of `memory_model.py`: rules, and with
`--small` a real model of 135 million parameters, as far as it is installed.
"""

import argparse
import asyncio
import json
import re
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import asyncpg

from bench import results
from bench.children import Children
from bench.machine import describe
from bench.memory_model import MemoryModel
from bench.product import Product
from echomind_agent.learning.memory.recall import MAX_MEMORIES, MAX_TOKENS, fitting
from echomind_agent.text.memory_lines import memory_line
from echomind_lib.access import Principal
from echomind_lib.db.database import Database
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.jobs import FIND_IDLE_SESSIONS, request
from echomind_lib.learned.facts import FactVectors
from echomind_lib.learned.memories import Memory
from echomind_lib.learned.memories.ranking import LEAST_COSINE, rank
from echomind_lib.learned.memories.rows import list_memories, read_memories
from echomind_lib.llms.tokens import count_tokens
from echomind_lib.messaging import Bus
from echomind_lib.vectors import VectorIndex

_DATA = Path(__file__).parent / "data"
_IDLE_MINUTES = 0.02
_INPUT_PRICE, _OUTPUT_PRICE = 0.40, 1.60
"""US dollars for a million tokens: the list price of GPT-4.1 mini."""
_LEARN_SECONDS = {"rules": 300.0, "small model": 3_600.0}
_GATES = [*(0.01 * step for step in range(10, 40, 2)), *(0.01 * step for step in range(40, 75, 5))]
_CANDIDATES = 48
_MAX_ID = 2**31 - 1
_SMALL_ANSWER_TOKENS = 200
_SMALL_CONTEXT_TOKENS = 4_096

Row = dict[str, Any]


@dataclass(frozen=True)
class Question:
    """A question, and what of the memories its prompt should have and not have."""

    text: str
    right: re.Pattern[str] | None
    """What the right memory says; None when nothing is remembered about it."""
    outdated: re.Pattern[str] | None

    def grade(self, memories: Sequence[str]) -> tuple[bool, bool]:
        """Returns whether the right memory is among some, and whether an outdated one is."""
        right, outdated = self.right, self.outdated
        has_right = right is not None and any(right.search(text) for text in memories)
        return has_right, outdated is not None and any(outdated.search(text) for text in memories)


def main() -> None:
    """Measures and writes `results/memory.json` and `.md`."""
    options = _options()
    data: Row = {"machine": describe(), "least_cosine": LEAST_COSINE, "columns": {}}
    for column in ["rules", *(["small model"] if options.small else [])]:
        with tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder, Children(Path(folder)) as children:
            small = _start_small_model(children) if column == "small model" else ""
            with MemoryModel(small) as model:
                data["columns"][column] = asyncio.run(_measure(children, Path(folder), model, column))
        print(json.dumps({name: data["columns"][column][name] for name in ("asked", "extraction")}), flush=True)
    results.write("memory", "What is remembered across conversations", data, report(data), options.out)


def _start_small_model(children: Children) -> str:
    _, url = children.start_server(
        "small-model", lambda port: [sys.executable, "-m", "tests.drivers.small_model", "--port", str(port)]
    )
    return f"{url}/v1"


async def _measure(children: Children, work: Path, model: MemoryModel, column: str) -> Row:
    """Holds the conversations, lets memories be extracted, and asks the questions."""
    environment = {"ECHOMIND_AGENT__IDLE_MINUTES": str(_IDLE_MINUTES)}
    product = Product(children, work / "data", environment=environment)
    product.settle()
    _use(product, model, column)
    sessions = _read("memory_sessions")
    settings = product.settings()
    qdrant_key = settings.qdrant.api_key
    embeddings = EmbeddingClient(settings.embedding.url, settings.embedding.key)
    vectors = VectorIndex(settings.qdrant.url, qdrant_key.get_secret_value() if qdrant_key else None)
    bus = await Bus.connect(settings.nats.url.get_secret_value(), "bench")
    async with await Database.connect(settings.postgres.url.get_secret_value()) as database:
        pool = database.pool
        seconds = 0.0
        for part in (1, 2, 3):
            for session in sessions:
                if session["wave"] == part:
                    session["id"] = await asyncio.to_thread(hold, product, session["turns"])
            began = time.perf_counter()
            await _learn(pool, bus, _LEARN_SECONDS[column])
            seconds += time.perf_counter() - began
        extraction = _cost(model) | {"seconds": round(seconds, 1)}
        owner = Principal(await pool.fetchval("SELECT min(user_id) FROM chat_sessions"))
        memories = await list_memories(pool, owner, before=_MAX_ID, limit=1_000)
        failed = await pool.fetchval(
            "SELECT count(*) FROM background_jobs WHERE kind = 'memories.extract' AND status = 'failed'"
        )
        asked = await asyncio.to_thread(_ask, product, model)
        facts = FactVectors(pool, vectors, embeddings)
        curve, held_out = await _sweep(pool, facts, owner)
        baselines = _baselines(memories)
    await bus.close()
    await vectors.close()
    await embeddings.close()
    return {
        "extraction": extraction | {"sessions that failed": failed},
        "stored": _quality(memories, sessions),
        "asked": asked,
        "baselines": baselines,
        "curve": curve,
        "held out": held_out,
        "memories": [memory.content for memory in memories],
    }


def _use(product: Product, model: MemoryModel, column: str) -> None:
    body = {
        "name": "Memory",
        "provider": "LLM_PROVIDER_OPENAI",
        "modelId": "scripted",
        "endpoint": model.url,
        "apiKey": "none",
        "isDefault": True,
        "inputPrice": _INPUT_PRICE,
        "outputPrice": _OUTPUT_PRICE,
    }
    if column == "small model":
        body |= {"maxTokens": _SMALL_ANSWER_TOKENS, "contextTokens": _SMALL_CONTEXT_TOKENS}
    product.call("POST", "/llms", body)


def hold(product: Product, turns: Sequence[str]) -> int:
    """Holds a conversation, and returns its id."""
    session = 0
    for turn in turns:
        session = int(_send(product, turn, session)["chatSessionId"])
    return session


def _send(product: Product, content: str, session: int = 0) -> Row:
    """Asks, and returns the final event."""
    asked = urllib.request.Request(
        f"{product.url}/api/v1/chat-sessions/{session or '-'}/messages:stream",
        data=json.dumps({"content": content}).encode(),
        headers={"Authorization": f"Bearer {product.key}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(asked, timeout=60) as response:
        for line in response:
            if line.startswith(b"data:"):
                event: Row = json.loads(line[5:])
                if "finished" in event:
                    if event["finished"]["status"] != "RUN_STATUS_COMPLETED":
                        raise RuntimeError(f"{content!r}: {event}")
                    return event
    raise RuntimeError(f"{content!r}: the stream ended")


def _cost(model: MemoryModel) -> dict[str, float]:
    prompt, answer = (sum(tokens) for tokens in zip(*model.extractions, strict=True))
    dollars = (prompt * _INPUT_PRICE + answer * _OUTPUT_PRICE) / 1_000_000
    return {
        "requests": len(model.extractions),
        "prompt tokens": prompt,
        "answer tokens": answer,
        "US cents": round(100 * dollars, 3),
        "US cents a conversation": round(100 * dollars / len(_read("memory_sessions")), 4),
    }


async def _learn(pool: asyncpg.Pool, bus: Bus, seconds: float) -> None:
    """Waits until memories were extracted from all conversations, and their vectors are stored.

    Raises:
        TimeoutError: That takes longer.
    """
    async with asyncio.timeout(seconds):
        while await pool.fetchval(
            "SELECT EXISTS (SELECT FROM fact_changes) OR EXISTS (SELECT FROM chat_sessions s WHERE NOT EXISTS "
            "(SELECT FROM session_learnings l WHERE l.chat_session_id = s.id AND l.read_to >= s.last_message_at) AND "
            "NOT EXISTS (SELECT FROM background_jobs j WHERE j.kind = 'memories.extract' AND j.subject_id = s.id::text "
            "AND j.status = 'failed'))"
        ):
            await request(pool, bus, FIND_IDLE_SESSIONS)
            await asyncio.sleep(1)


def _ask(product: Product, model: MemoryModel) -> Row:
    """Asks the questions, each in a conversation of its own, and grades the prompts that arrive."""
    prompts = []
    for question in _questions():
        _send(product, question.text)
        system = next(prompt for asked, prompt in model.prompts.items() if question.text in asked)
        section = re.search(r"<memories>\n(.*?)\n</memories>", system, re.DOTALL)
        prompts.append(section[1].splitlines() if section else [])
    return _graded(prompts)


def _graded(prompts: Sequence[Sequence[str]], half: int | None = None) -> Row:
    """Shares of the questions by what their prompts have; with `half` of every other one alone."""
    graded = [
        (question, *question.grade(lines), len(lines), sum(count_tokens(line) + 1 for line in lines))
        for position, (question, lines) in enumerate(zip(_questions(), prompts, strict=True))
        if half is None or position // 2 % 2 == half
    ]
    known = [row for row in graded if row[0].right is not None]
    others = [row for row in graded if row[0].right is None]
    return {
        "right, none outdated": _share(known, lambda row: row[1] and not row[2]),
        "right": _share(known, lambda row: row[1]),
        "outdated": _share(graded, lambda row: row[2]),
        "nothing where nothing is known": _share(others, lambda row: row[3] == 0),
        "memories a prompt": round(sum(row[3] for row in graded) / len(graded), 2),
        "tokens a prompt": round(sum(row[4] for row in graded) / len(graded), 1),
    }


def _share(rows: Sequence[Any], holds: Callable[[Any], bool]) -> float:
    return round(sum(map(holds, rows)) / max(1, len(rows)), 3)


async def _sweep(pool: asyncpg.Pool, facts: FactVectors, owner: Principal) -> tuple[list[Row], list[Row]]:
    """Returns the same figures for other least cosines, by the product's own search, ranking and budget.

    Returns:
        The figures by least cosine; and those of each half of the questions with the one that the other half chooses.
    """
    found = []
    for question in _questions():
        cosines = {
            each.id: each.cosine
            for each in await facts.search("memory", [f"user_{owner.user_id}"], question.text, _CANDIDATES)
        }
        found.append([(memory, cosines[memory.id]) for memory in await read_memories(pool, owner, list(cosines))])
    now = datetime.now(UTC)
    curve, by_half = [], []
    for gate in (round(each, 2) for each in _GATES):
        prompts = [
            [memory_line(memory) for memory in fitting(rank(each, now, least=gate)[:MAX_MEMORIES], count_tokens)]
            for each in found
        ]
        halves = [_graded(prompts, half) for half in (0, 1)]
        by_half.append((gate, halves))
        gains = {f"gain, half {half + 1}": _gain(halves[half]) for half in (0, 1)}
        curve.append({"least cosine": gate} | _graded(prompts) | gains)
    return curve, [_held_out(by_half, half) for half in (0, 1)]


def _held_out(by_half: Sequence[tuple[float, list[Row]]], half: int) -> Row:
    """Returns the figures of a half with the least cosine that is best for the other one, the middle one of equals."""
    gains = {gate: _gain(halves[1 - half]) for gate, halves in by_half}
    best = [gate for gate, gain in gains.items() if gain == max(gains.values())]
    chosen = best[len(best) // 2]
    return {"half": half + 1, "least cosine of the other": chosen} | dict(by_half)[chosen][half]


def _gain(graded: Mapping[str, float]) -> float:
    """Returns what a least cosine is chosen by: right memories where there are some, and none where there are none."""
    return round(graded["right, none outdated"] + graded["nothing where nothing is known"], 3)


def _baselines(memories: Sequence[Memory]) -> Row:
    """The same figures for ways to choose memories that look at no question; the memories are the newest first."""
    lines = [memory_line(memory) for memory in memories]
    count = len(_questions())
    return {
        "none": _graded([[]] * count),
        f"the {MAX_MEMORIES} newest": _graded([lines[:MAX_MEMORIES]] * count),
        "all": _graded([lines] * count),
    }


def _quality(memories: Sequence[Memory], sessions: Sequence[Row]) -> Row:
    """How many memories are about nothing that was planted, and how many are about the same thing as another one."""
    planted = sorted({plant for session in sessions for plant in session["plants"]})
    about = [[plant for plant in planted if re.search(plant, memory.content)] for memory in memories]
    junk = sum(not plants for plants in about)
    said = [plants[0] for plants in about if plants]
    found = len(set(said))
    return {
        "memories": len(memories),
        "planted": len(planted),
        "planted and stored": found,
        "junk": junk,
        "duplicates": len(said) - found,
    }


def _questions() -> list[Question]:
    def form(given: str | None) -> re.Pattern[str] | None:
        return re.compile(given) if given else None

    return [Question(row["question"], form(row["right"]), form(row["outdated"])) for row in _read("memory_questions")]


def _read(name: str) -> list[Row]:
    return [json.loads(line) for line in (_DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def report(data: Row) -> str:
    """Returns the tables of a run."""
    questions = _questions()
    known = sum(question.right is not None for question in questions)
    text = [results.machine_line(data["machine"])]
    text.append(
        f"40 conversations with planted facts, changes and contradictions, then {known} questions about them and "
        f"{len(questions) - known} about nothing that is remembered. At most {MAX_MEMORIES} memories with "
        f"{MAX_TOKENS} tokens are in a prompt. Rules extract, as no large model is on the machine: what is "
        "measured is what "
        "the product makes of operations, not how well a model writes them. The small model is SmolLM2 with 135 "
        "million parameters, held to the form of the answer; that is below what can do this. Prices are "
        f"${_INPUT_PRICE} and ${_OUTPUT_PRICE} for a million tokens.\n"
    )
    columns = data["columns"]
    for title, section in (("Prompts", "asked"), ("Memories", "stored"), ("Extraction", "extraction")):
        names = list(columns["rules"][section])
        rows = [[name, *(column[section][name] for column in columns.values())] for name in names]
        text.append(f"## {title}\n\n{results.table([title.lower(), *columns], rows)}")
    rules = columns["rules"]
    head = ["way to choose", *rules["asked"]]
    ways = {"the product": rules["asked"]} | rules["baselines"]
    text.append("## Beside choosing without the question\n")
    text.append(results.table(head, [[name, *way.values()] for name, way in ways.items()]))
    text.append(f"## The least cosine: {data['least_cosine']} is in use\n")
    text.append(
        "Gain is the share of right prompts where something is known plus the share of empty ones where nothing is; "
        "the halves have every other pair of questions.\n"
    )
    text.append(results.table(list(rules["curve"][0]), [list(row.values()) for row in rules["curve"]]))
    text.append("## Held out: each half with the least cosine that the other one chooses\n")
    text.append(results.table(list(rules["held out"][0]), [list(row.values()) for row in rules["held out"]]))
    return "\n".join(text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What is remembered across conversations, and what that costs.")
    parser.add_argument("--small", action="store_true", help="a small real model extracts, too; about ten minutes")
    parser.add_argument("--out", type=Path, help="folder for the results")
    return parser.parse_args()


if __name__ == "__main__":
    main()
