"""Retrieval test sets: documents, queries and judgements in a folder."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echomind.cli.terminal import CommandError

_QRELS_HEADER = ["query_id", "doc_id", "score"]


@dataclass(frozen=True)
class TestDocument:
    """One document of a test set."""

    id: str
    title: str
    text: str

    @property
    def content(self) -> str:
        """Title and text as one; empty when there is neither."""
        return f"{self.title}\n\n{self.text}".strip()


@dataclass(frozen=True)
class Query:
    """One query with the documents that answer it."""

    text: str
    relevance: dict[str, int]
    """Grade of each judged document."""


@dataclass(frozen=True)
class Dataset:
    """A retrieval test set.

    Attributes:
        name: Its folder's name.
        documents: All documents; some sets have a few without any text.
        queries: Queries that have at least one relevant document.
    """

    name: str
    documents: list[TestDocument]
    queries: list[Query]


def read_dataset(folder: Path) -> Dataset:
    """Reads `docs.jsonl` (`id`, `title`, `text`), `queries.jsonl` (`id`, `text`) and `qrels.tsv`.

    Raises:
        CommandError: A file is missing or damaged, or there is nothing to measure.
    """
    rows = list(_rows(folder / "docs.jsonl"))
    documents = [TestDocument(str(row["id"]), row.get("title", ""), row.get("text", "")) for row in rows]
    relevance = _read_judgements(folder / "qrels.tsv")
    queries = [
        Query(row["text"], relevance[str(row["id"])])
        for row in _rows(folder / "queries.jsonl")
        if any(grade > 0 for grade in relevance.get(str(row["id"]), {}).values())
    ]
    if not documents or not queries:
        raise CommandError(f"{folder} has no documents, or no queries with a relevant document.")
    return Dataset(folder.resolve().name, documents, queries)


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    required = {"id", "text"}
    for number, line in enumerate(_lines(file), 1):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise CommandError(f"{file}, line {number} is not JSON: {error}") from error
        if not isinstance(row, dict) or not required <= row.keys():
            raise CommandError(f"{file}, line {number} needs the fields {', '.join(sorted(required))}.")
        yield row


def _read_judgements(file: Path) -> dict[str, dict[str, int]]:
    lines = _lines(file)
    if not lines or lines[0].split("\t") != _QRELS_HEADER:
        raise CommandError(f"{file} must begin with the line {' <tab> '.join(_QRELS_HEADER)}.")
    judgements: dict[str, dict[str, int]] = {}
    for number, line in enumerate(lines[1:], 2):
        try:
            query_id, document_id, score = line.split("\t")
            judgements.setdefault(query_id, {})[document_id] = int(score)
        except ValueError as error:
            raise CommandError(f"{file}, line {number} must be query, document and whole score: {line!r}") from error
    return judgements


def _lines(file: Path) -> list[str]:
    try:
        return [line for line in file.read_text(encoding="utf-8").split("\n") if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}") from error
