"""What of conversations becomes knowledge, and what must not: `python -m bench.knowledge`.

One person holds the 24 conversations of `data/knowledge_sessions.jsonl`, in two parts: rules and facts of their work,
changes and repetitions of them, chatter, facts about themselves, and secrets. After each part the conversations rest,
and knowledge is extracted. Then the stored entities are compared with what was planted. No model judges anything.

Everything goes through the running product. Two models propose, as no large one is on the machine: rules, which propose
what speaks of the organization, and a greedy one, which proposes every sentence. What is measured is what the product
makes of proposals.
"""

import argparse
import asyncio
import json
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import asyncpg

from bench import results
from bench.children import Children
from bench.machine import describe
from bench.memory import hold
from bench.memory_model import MemoryModel
from bench.product import Product
from echomind_lib.db.database import Database
from echomind_lib.jobs import FIND_IDLE_SESSIONS, request
from echomind_lib.messaging import Bus
from echomind_lib.retrieval import content_terms

_DATA = Path(__file__).parent / "data" / "knowledge_sessions.jsonl"
_IDLE_MINUTES = 0.02
_LEARN_SECONDS = 240.0
_PERSON = re.compile(r'<person id="(\d+)"[^>]*>\n(.*?)\n</person>', re.DOTALL)
_ENTRY = re.compile(r'<knowledge number="(\d+)"[^>]*>\n(.*?)\n</knowledge>', re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_OF_WORK = re.compile(r"\b(?:we|our|ours|us)\b", re.IGNORECASE)
_NO_STATEMENT = re.compile(r"\?\s*$|^(?:could|imagine|write|make|what|which|how)\b", re.IGNORECASE)
_SAME_SHARE = 0.5
"""Share of an entry's or sentence's terms that both have, from which one is about the other."""

Row = dict[str, Any]


def rules(prompt: str) -> list[Row]:
    """Returns the statements that speak of the organization; changes of an entry as such."""
    return _proposals(prompt, lambda said: bool(_OF_WORK.search(said)) and not _NO_STATEMENT.search(said))


def greedy(prompt: str) -> list[Row]:
    """Returns every sentence."""
    return _proposals(prompt, lambda _: True)


def _proposals(prompt: str, is_worth_it: Callable[[str], bool]) -> list[Row]:
    entries = [(int(number), text) for number, text in _ENTRY.findall(prompt)]
    found = []
    for message_id, said in _PERSON.findall(prompt):
        for sentence in filter(is_worth_it, _SENTENCE.split(said.replace("\n", " ").strip())):
            title = " ".join(sentence.split()[:6]).rstrip(".,!?")
            entry = {"category": "fact", "title": title, "text": sentence, "confidence": 0.8}
            entry |= {"messages": [int(message_id)]}
            about = [number for number, text in entries if _share(sentence, text) >= _SAME_SHARE]
            found.append(entry | ({"op": "UPDATE", "targets": about[:1]} if about else {"op": "ADD"}))
    return found


def _share(one: str, other: str) -> float:
    first, second = (set(content_terms(text, "en")) for text in (one, other))
    return len(first & second) / max(1, min(len(first), len(second)))


def main() -> None:
    """Measures and writes `results/knowledge.json` and `.md`."""
    parser = argparse.ArgumentParser(description="What of conversations becomes knowledge.")
    parser.add_argument("--out", type=Path, help="folder for the results")
    options = parser.parse_args()
    data: Row = {"machine": describe(), "columns": {}}
    for column, learn in (("rules", rules), ("greedy", greedy)):
        with (
            tempfile.TemporaryDirectory(prefix="echomind-bench-") as folder,
            Children(Path(folder)) as children,
            MemoryModel(learn=learn) as model,
        ):
            data["columns"][column] = asyncio.run(_measure(children, Path(folder), model))
        print(json.dumps(data["columns"][column]["figures"]), flush=True)
    results.write("knowledge", "What of conversations becomes knowledge", data, report(data), options.out)


async def _measure(children: Children, work: Path, model: MemoryModel) -> Row:
    """Holds the conversations, and lets knowledge be extracted."""
    product = Product(children, work / "data", environment={"ECHOMIND_AGENT__IDLE_MINUTES": str(_IDLE_MINUTES)})
    product.settle()
    body = {"name": "Knowledge", "provider": "LLM_PROVIDER_OPENAI", "modelId": "scripted", "endpoint": model.url}
    product.call("POST", "/llms", body | {"apiKey": "none", "isDefault": True})
    sessions = [json.loads(line) for line in _DATA.read_text(encoding="utf-8").splitlines()]
    settings = product.settings()
    bus = await Bus.connect(settings.nats.url.get_secret_value(), "bench")
    async with await Database.connect(settings.postgres.url.get_secret_value()) as database:
        for part in (1, 2):
            for session in sessions:
                if session["wave"] == part:
                    await asyncio.to_thread(hold, product, session["turns"])
            await _learn(database.pool, bus)
        rows = await database.pool.fetch("SELECT title, content, level FROM knowledge_entities ORDER BY id")
        everything = await database.pool.fetch(
            "SELECT content FROM knowledge_entities UNION SELECT content FROM knowledge_revisions"
        )
    await bus.close()
    texts = [f"{row['title']}\n{row['content']}" for row in rows]
    stored = [row["content"] for row in everything]
    figures = _figures(sessions, texts, stored, [row["level"] for row in rows], model)
    return {"figures": figures, "entities": texts}


async def _learn(pool: asyncpg.Pool, bus: Bus) -> None:
    """Waits until knowledge was extracted from all conversations, and its vectors are stored.

    Raises:
        TimeoutError: That takes longer.
    """
    async with asyncio.timeout(_LEARN_SECONDS):
        while await pool.fetchval(
            "SELECT EXISTS (SELECT FROM fact_changes) OR EXISTS (SELECT FROM chat_sessions s WHERE NOT EXISTS "
            "(SELECT FROM session_learnings l WHERE l.chat_session_id = s.id AND l.kind = 'knowledge' "
            "AND l.read_to >= s.last_message_at))"
        ):
            await request(pool, bus, FIND_IDLE_SESSIONS)
            await asyncio.sleep(1)


def _figures(
    sessions: Sequence[Row], texts: Sequence[str], stored: Sequence[str], levels: Sequence[str], model: MemoryModel
) -> Row:
    """Compares what is stored with what was planted; a plant that a later one corrects is outdated."""
    # The last two of a subject are in the second part: what they correct is in the first.
    outdated = ["portal.*Tuesdays", "8 to 18"]
    planted = sorted({plant for session in sessions for plant in session["keep"]} - set(outdated))
    found = [plant for plant in planted if any(re.search(plant, text) for text in texts)]
    kept = [[plant for plant in planted if re.search(plant, text)] for text in texts]
    right = sum(bool(plants) for plants in kept)
    prompt, answer = (sum(tokens) for tokens in zip(*model.learned, strict=True))
    return {
        "planted": len(planted),
        "entities": len(texts),
        "recall": round(len(found) / len(planted), 3),
        "precision": round(right / max(1, len(texts)), 3),
        "outdated": _count(outdated, texts),
        "duplicates": right - len({plants[0] for plants in kept if plants}),
        "personal facts": _count([each for session in sessions for each in session["personal"]], texts),
        "secrets, in history too": sum(
            secret in text for session in sessions for secret in session["secret"] for text in stored
        ),
        "for others than their person": sum(level != "individual" for level in levels),
        "tokens a conversation": round((prompt + answer) / len(sessions)),
    }


def _count(patterns: Sequence[str], texts: Sequence[str]) -> int:
    return sum(any(re.search(pattern, text) for pattern in patterns) for text in texts)


def report(data: Row) -> str:
    """Returns the tables of a run."""
    columns = data["columns"]
    names = list(columns["rules"]["figures"])
    rows = [[name, *(column["figures"][name] for column in columns.values())] for name in names]
    text = [results.machine_line(data["machine"])]
    text.append(
        "24 conversations with rules of work, changes of them, chatter, personal facts and secrets. Rules propose what "
        "speaks of the organization, and the greedy model proposes every sentence; no large model is on the machine. "
        "What is measured is what the product makes of proposals.\n"
    )
    text.append(results.table(["knowledge", *columns], rows))
    return "\n".join(text)


if __name__ == "__main__":
    main()
