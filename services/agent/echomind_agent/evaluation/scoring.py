"""What an answer and its sources are worth by rules: which expected documents, passages and facts are there."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from echomind_lib.plain_text import plain_text

_ALTERNATIVES: Final = re.compile(r"\s\|\s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a question expects; see `EvaluationCase` of the contract."""

    question: str
    documents: Sequence[str] = ()
    passages: Sequence[str] = ()
    facts: Sequence[str] = ()
    answer: str = ""

    @property
    def is_judgeable(self) -> bool:
        """Returns whether it says what a right answer is."""
        return bool(self.answer.strip() or self.facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a run has found and cited."""

    documents: Sequence[Collection[str]] = ()
    """The names of each document or web page, in the order in which they were found."""
    texts: Sequence[str] = ()
    """What its tools returned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The measured shares, 0 to 1, each None if nothing of its kind is expected."""

    rank: int | None
    """Rank of the first expected document; None if none was found."""
    document_share: float | None
    passage_share: float | None
    fact_share: float | None
    missing: Sequence[str]
    """What was expected and is not there."""


def found_of(calls: Iterable[tuple[Sequence[Mapping[str, Any]] | None, str | None]], names: Mapping[int, str]) -> Found:
    """Returns what a run has found.

    Args:
        calls: The stored sources (ProtoJSON of `Source`) and the result of each of its tool calls, in order.
        names: File names of documents, by id.
    """
    documents: dict[str, set[str]] = {}
    texts = []
    for sources, result in calls:
        texts.append(result or "")
        for source in sources or ():
            document_id, url = int(source.get("documentId", 0)), str(source.get("url", ""))
            given = {str(source.get("title", "")), url, names.get(document_id, "")}
            documents.setdefault(url or str(document_id), set()).update(filter(None, given))
    return Found(documents=list(documents.values()), texts=texts)


def score(expected: Expected, answer: str, found: Found) -> Score:
    """Returns how much of what is expected was found, and stands in the answer."""
    names = [{_folded(name) for name in document} for document in found.documents]
    ranks = {
        expected_title: next((rank for rank, title in enumerate(names, 1) if _folded(expected_title) in title), None)
        for expected_title in expected.documents
    }
    texts = [_folded(text) for text in found.texts]
    answer_text = _folded(plain_text(answer))
    missing_documents = [expected_title for expected_title, rank in ranks.items() if rank is None]
    missing_passages = _missing(expected.passages, lambda words: any(_folded(words) in text for text in texts))
    missing_facts = _missing(expected.facts, lambda fact: _is_said(fact, answer_text))
    return Score(
        rank=min((rank for rank in ranks.values() if rank is not None), default=None),
        document_share=_share(list(ranks), missing_documents),
        passage_share=_share(expected.passages, missing_passages),
        fact_share=_share(expected.facts, missing_facts),
        missing=[*missing_documents, *missing_passages, *missing_facts],
    )


def _missing(expected: Iterable[str], is_there: Callable[[str], bool]) -> list[str]:
    return [each for each in expected if not is_there(each)]


def _is_said(fact: str, text: str) -> bool:
    """Returns whether one of the ways to say a fact stands in a text, as whole words."""
    ways = (_folded(plain_text(way)) for way in _ALTERNATIVES.split(fact))
    return any(way and re.search(rf"(?<!\w){re.escape(way)}(?!\w)", text) for way in ways)


def _share(expected: Sequence[str], missing: Sequence[str]) -> float | None:
    return 1 - len(missing) / len(expected) if expected else None


def _folded(text: str) -> str:
    """Returns a text in folded case, with single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
