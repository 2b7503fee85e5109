"""What the built-in model quotes: rows, reasons, commands, quantities, two parts, and nothing without an answer.

`tests/fixtures/quoting` has the documents and the questions. Rules were chosen on those marked "tuned"; those marked
"held out" were not looked at.
"""

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from echomind_agent.evidence.sources import Sources, render
from echomind_agent.extractive.model import ExtractiveModel
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.llms import ChatRequest, Message, ToolCall
from echomind_lib.llms.types import complete
from echomind_lib.retrieval import Hit, content_terms

FOLDER = Path(__file__).parents[2] / "fixtures" / "quoting"
FOUND = 6
"""How many passages the model gets for a question."""
DECLINED = re.compile("do not contain an answer|enthalten darauf keine Antwort")
LEAST = {
    ("row", "tuned"): 6,
    ("cause", "tuned"): 6,
    ("two parts", "tuned"): 6,
    ("absent", "tuned"): 6,
    ("row", "held out"): 5,
    ("cause", "held out"): 6,
    ("two parts", "held out"): 6,
    ("absent", "held out"): 3,
    ("command", "tuned"): 3,
    ("quantity", "tuned"): 2,
    ("command", "held out"): 3,
    ("quantity", "held out"): 1,
}
"""Right answers by kind of question: what was measured; of six, of seven that are held out and have no answer,
and of three commands and quantities."""
LEAST_OF_GIVEN = {
    ("period", "tuned"): 5,
    ("period", "held out"): 5,
    ("name", "tuned"): 7,
    ("name", "held out"): 4,
    ("heading", "tuned"): 9,
    ("heading", "held out"): 6,
    ("meaning", "tuned"): 5,
    ("follow-up", "tuned"): 4,
    ("follow-up", "held out"): 6,
}
"""The same for `given.jsonl`, whose questions have passages of their own; of six that are held out."""


def _read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def _is_right(question: dict[str, Any], answer: str) -> bool:
    if question["kind"] == "absent":
        return DECLINED.search(answer) is not None
    return all(re.search(part, answer) for part in question["expected"]) and not any(
        re.search(part, answer) for part in question["without"]
    )


async def _answer(model: ExtractiveModel, question: dict[str, Any], passages: Sequence[Sequence[str]]) -> str:
    sources = Sources()
    sources.add(
        Hit(f"c{index}", index, 1, "s", title, text, (), None, 0, len(text), 0.5, 0.5, is_guide=of == ["guide"])
        for index, (title, text, *of) in enumerate(passages)
    )
    messages = [
        *([Message("user", question["before"]), Message("assistant", "-")] if "before" in question else []),
        Message("user", question["question"]),
        Message("assistant", "", [ToolCall("s", "search_documents")]),
        Message("tool", render(sources), tool_call_id="s"),
    ]
    return (await complete(model, ChatRequest(messages))).text


async def test_each_kind_of_question_gets_what_it_asks_for(embedding_url: str) -> None:
    passages = [(row["title"], text) for row in _read("documents.jsonl") for text in row["passages"]]
    right: defaultdict[tuple[str, str], int] = defaultdict(int)
    wrong = []
    embeddings = EmbeddingClient(embedding_url)
    model = ExtractiveModel(embeddings)
    vectors = await embeddings.embed_passages([f"{title}\n{text}" for title, text in passages])
    terms = [content_terms(f"{title} {text}") for title, text in passages]
    for question in _read("questions.jsonl"):
        asked = content_terms(question["question"])
        shared = np.array([0.1 * len(asked & found) for found in terms])
        order = np.argsort(-(vectors @ await embeddings.embed_query(question["question"]) + shared))[:FOUND]
        answer = await _answer(model, question, [passages[index] for index in order])
        if _is_right(question, answer):
            right[question["kind"], question["part"]] += 1
        else:
            wrong.append(f"{question['kind']}, {question['part']}: {question['question']} {answer}")
    await embeddings.close()
    assert {key: right[key] for key, least in LEAST.items() if right[key] < least} == {}, "\n".join(wrong)


async def test_each_kind_of_question_gets_what_it_asks_for_of_given_passages(embedding_url: str) -> None:
    right: defaultdict[tuple[str, str], int] = defaultdict(int)
    wrong = []
    embeddings = EmbeddingClient(embedding_url)
    model = ExtractiveModel(embeddings)
    for question in _read("given.jsonl"):
        answer = await _answer(model, question, question["passages"])
        if _is_right(question, answer):
            right[question["kind"], question["part"]] += 1
        else:
            wrong.append(f"{question['kind']}, {question['part']}: {question['question']} {answer}")
    await embeddings.close()
    assert {key: right[key] for key, least in LEAST_OF_GIVEN.items() if right[key] < least} == {}, "\n".join(wrong)
