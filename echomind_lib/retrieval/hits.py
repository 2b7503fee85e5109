"""Passages that a search has found, and how well they match."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from echomind_lib.retrieval.documents import ReadableDocument
from echomind_lib.retrieval.evidence import ENGLISH_LIMIT, EvidenceLimit, evidence_limit
from echomind_lib.text import HEADING_CHARACTERS, TITLE_CHARACTERS, single_line, storable
from echomind_lib.vectors import Found

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from echomind_lib.embeddings.calibrated import Limits

_PAIRS_FACTOR: Final = 1.5
"""Weight of character pairs: many pairs of a Chinese question belong to its phrasing, not its subject (93 %)."""

HIT_FIELDS: Final = (
    *(
        "document_id",
        "chunking_session",
        "position",
        "text",
        "heading",
        "page",
        "later_pages",
        "start",
        "end",
        "in_code",
    ),
)
"""The payload fields of a passage that a search reads; the others are those of its filters."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that matches a question and that the reader may read."""

    chunk_id: str
    document_id: int
    connector_id: int
    chunking_session: str
    title: str
    text: str
    heading: tuple[str, ...]
    page: int | None
    start: int
    """Offset of its first code point in the document's text."""
    end: int
    """Offset of its end, exclusive."""
    cosine: float | None
    """Semantic similarity; None if the embedder does not support the question's language, or was not used."""
    overlap: float
    """Share of the question's words that the passage, its headings or its title contain, 0 to 1."""
    language: str = ""
    """ISO 639-1 code of its document; empty if unknown."""
    content_type: str | None = None
    """MIME type of its document."""
    creation_date: datetime | None = None
    """When its document was first stored."""
    file_name: str = ""
    """Name of its document's file."""
    signature: str = ""
    """SHA-256 of its document's bytes; empty if unknown."""
    rank_score: float = 0.0
    """The score of the search's ranking, which fuses meaning and words; comparable within one search only."""
    in_code: bool = False
    """Whether it begins inside a fenced block of code."""
    is_guide: bool = False
    """Whether its document is a page of the guide to EchoMind."""
    copy_ids: tuple[int, ...] = ()
    """Other documents with the same bytes, or of the same title with the same words, which contain it, too."""
    limit: EvidenceLimit = ENGLISH_LIMIT
    """What it must reach to be evidence."""
    position: int = 0
    """Its place among the passages of its document, from 0,"""
    chunk_count: int = 1
    """and their number."""
    later_pages: tuple[tuple[int, int], ...] = ()
    """The pages that begin within it: the offset in the document's text, and the number."""

    @property
    def score(self) -> float:
        """Returns how well it matches, 0 to 1: the cosine, or the share of words if there is none."""
        return min(1.0, max(0.0, self.overlap if self.cosine is None else self.cosine))

    @property
    def is_evidence(self) -> bool:
        """Returns whether it is about the question at all, which its rank does not tell."""
        return self.limit.is_met(self.cosine, self.overlap)


class Hits(list[Hit]):
    """The passages of a search, best first, and what it could not do."""

    def __init__(
        self, hits: Iterable[Hit] = (), missing: str = "", unranked: str = "", *, no_documents: bool = False
    ) -> None:
        super().__init__(hits)
        self.missing = missing
        """What the search could not do, for people; empty if it was complete."""
        self.unranked = unranked
        """Why they are in the search's own order although a reranker is active; empty if they are not."""
        self.no_documents = no_documents
        """Whether no document that the reader may read matches the filters, so that nothing was searched."""


@dataclass(frozen=True, slots=True)
class Question:
    """The query in the forms used for comparison with passages."""

    dense: NDArray[np.float32] | None
    terms: frozenset[int]
    has_pairs: bool
    """Whether its terms are pairs of characters."""
    likely: frozenset[str] = frozenset()
    """All its likely languages."""
    model_id: str = ""
    """The embedding model of its vector."""
    limits: Limits | None = None
    """The limits for evidence that were measured of that model; None for a built-in one."""


def make_hit(point: Found, document: ReadableDocument, question: Question) -> Hit:
    """Returns a hit that the reader may read."""
    payload = point.payload
    cosine = float(point.dense @ question.dense) if question.dense is not None and point.dense is not None else None
    overlap = len(question.terms & point.terms) / len(question.terms) if question.terms else 0.0
    if question.has_pairs:
        overlap = min(1.0, _PAIRS_FACTOR * overlap)
    return Hit(
        point.id,
        document.id,
        document.connector_id,
        payload["chunking_session"],
        single_line(document.title, TITLE_CHARACTERS),
        storable(payload["text"]),
        # A server may leave out what is empty when fields are named.
        tuple(single_line(heading, HEADING_CHARACTERS) for heading in payload.get("heading") or ()),
        payload.get("page"),
        payload["start"],
        payload["end"],
        cosine,
        overlap,
        document.language or "",
        document.content_type,
        document.creation_date,
        document.file_name,
        document.signature or "",
        point.score,
        in_code=bool(payload.get("in_code")),
        is_guide=document.is_guide,
        limit=evidence_limit(question.model_id, question.likely, document.language or "", question.limits),
        position=payload["position"],
        chunk_count=document.chunk_count,
        later_pages=later_pages(payload),
    )


def later_pages(payload: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    """Returns the pages that begin within a passage, by its payload: offset in the document's text, and number."""
    return tuple((start, number) for start, number in payload.get("later_pages") or ())
