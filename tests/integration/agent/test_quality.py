"""Search, answers and citations on small sets of this project: none may get worse by more than a hundredth.

A question's line in `tests/data/quality/questions.jsonl` says which passage is right, and what the built-in model's
answer contains; an empty answer is one that must be declined. `rank` is the right passage's, 1 if it is missing, and
`"fails"` names what is wrong today. Where something has become better, the test says so, too: then change the line.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from typing import Any, Final

from echomind_agent.evidence.citations import cite
from echomind_agent.evidence.sources import Sources, render
from echomind_agent.extractive.model import ExtractiveModel
from echomind_agent.extractive.phrases import DECLINED
from echomind_lib.llms import ChatRequest, Message, ToolCall
from echomind_lib.llms.types import complete
from tests.drivers.stack import Stack

_DATA: Final = Path(__file__).parents[2] / "data" / "quality"
_PASSAGES: Final = 8
_FALL: Final = 0.01


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a question."""

    question: str
    rank: int | None
    """Position of the right passage; None if it is not among the first, or if there is none."""
    has_answer: bool | None
    """Whether the answer has the right words, or is declined rightly; None if it is not looked at."""
    has_support: bool
    """Whether its sources support all that it cites."""

    @property
    def gain(self) -> float:
        """Returns the normalised discounted gain."""
        return 1 / log2(self.rank + 1) if self.rank else 0.0


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_DATA / name).read_text(encoding="utf-8").splitlines()]


async def _ask(stack: Stack, model: ExtractiveModel, row: dict[str, Any], documents: dict[int, str]) -> Result:
    question = row["question"]
    hits = await stack.retriever.search(stack.reader(), question, limit=_PASSAGES)
    found = [documents[hit.document_id] for hit in hits]
    rank = found.index(row["passage"]) + 1 if row.get("passage") in found else None
    sources = Sources()
    sources.add(hit for hit in hits if hit.is_evidence)
    call = ToolCall("search", "search_documents")
    messages = [Message("user", question), Message("assistant", "", [call]), Message("tool", render(sources))]
    text = (await complete(model, ChatRequest(messages))).text
    expected = row.get("answer")
    has_answer = None if expected is None else expected in text and (text in DECLINED) == (not expected)
    return Result(question, rank, has_answer, all(citation.supported for citation in cite(text, sources)))


def _differences(name: str, before: Sequence[float], now: Sequence[float], questions: Sequence[str]) -> list[str]:
    """Returns what got worse by more than is permitted, with the questions, in sentences."""
    fall = (sum(before) - sum(now)) / len(questions)
    if fall <= _FALL:
        return []
    lost = [question for question, old, new in zip(questions, before, now, strict=True) if new < old]
    return [f"{name} fell by {fall:.3f}: {'; '.join(lost)}"]


async def test_search_answers_and_citations_are_as_good_as_before(stack: Stack) -> None:
    connector = await stack.rows.connector("org")
    documents = {
        await stack.index(row["text"], f"{row['id']}.md", connector_id=connector): row["id"]
        for row in _rows("passages.jsonl")
    }
    model = ExtractiveModel(stack.embeddings, stack.retriever.active_model)
    rows = _rows("questions.jsonl")
    results = [await _ask(stack, model, row, documents) for row in rows]
    found = [(row, result) for row, result in zip(rows, results, strict=True) if row.get("passage")]
    questions = [result.question for _, result in found]
    ranks = [row.get("rank", 1) for row, _ in found]
    worse = _differences("Recall", [float(bool(rank)) for rank in ranks], [bool(r.rank) for _, r in found], questions)
    gains = [1 / log2(rank + 1) if rank else 0.0 for rank in ranks]
    worse += _differences("nDCG", gains, [result.gain for _, result in found], questions)
    answered = [(row, result) for row, result in zip(rows, results, strict=True) if result.has_answer is not None]
    worse += _differences(
        "The share of right answers",
        [float(row.get("fails") != "answer") for row, _ in answered],
        [float(bool(result.has_answer)) for _, result in answered],
        [result.question for _, result in answered],
    )
    worse += _differences(
        "The share of supported answers",
        [float(row.get("fails") != "support") for row in rows],
        [float(result.has_support) for result in results],
        [result.question for result in results],
    )
    assert not worse, "\n".join(worse)
    better = [
        result.question
        for row, result in zip(rows, results, strict=True)
        if (row.get("fails") == "answer" and result.has_answer) or (row.get("rank", 1) or 99) > (result.rank or 99)
    ]
    assert not better, f"Better than recorded, change their lines: {'; '.join(better)}"
