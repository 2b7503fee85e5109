"""Converts the numbers in an answer to citations, and verifies them against their sources."""

import re
from collections.abc import Iterator

from echomind_agent.evidence.claims import Statement
from echomind_agent.evidence.sources import Source, Sources
from echomind_agent.evidence.support import Passage
from echomind_agent.text.sentences import MARKER, Span, blocks, numbers_of, sentences_of
from echomind_lib.plain_text import plain_text
from echomind_lib.retrieval import detect_language
from echomind_lib.runs.citation_rows import NewCitation

_INLINE_CODE = re.compile(r"`[^`\n]*`")
_BEHIND = " .;:,\t*_()|-"
"""Characters that may surround stand-alone markers."""

_SNIPPET_LENGTH = 400
_SAMPLE = 300
"""Code points used to detect a text's language."""


def cite(text: str, sources: Sources) -> list[NewCitation]:
    """Returns the citations of an answer, in order.

    Numbers without a source are ignored, as are numbers in code and in a list of sources at the end. A sentence
    that cites a source twice has one citation of it.
    """
    if not len(sources) or not MARKER.search(text):
        return []
    language = detect_language(text[:_SAMPLE])
    passages: dict[int, Passage] = {}
    citations = []
    for span, number in _cited(text, language):
        if (source := sources.get(number)) is None:
            continue
        claim = Statement(MARKER.sub(" ", text[span.start : span.end]), language)
        if number not in passages:
            passages[number] = Passage(source, language)
        passage = passages[number]
        # A list entry such as "[1] Handbook" at the end of an answer names a source, and is no claim.
        if text[span.start : span.end].lstrip("*_ ")[:1] in "[［【〔" and claim.terms <= passage.title.terms:
            continue
        citations.append(_citation(source, span, passage, claim))
    return citations


def without_markers(text: str) -> str:
    """Returns an answer without its citations."""
    return _SPACED_MARKER.sub("", text)


_SPACED_MARKER = re.compile(rf"[ \t]?{MARKER.pattern}", re.IGNORECASE)


def _cited(text: str, language: str) -> Iterator[tuple[Span, int]]:
    """Yields sentences with the numbers that they cite. Stand-alone markers belong to the previous sentence."""
    before: Span | None = None
    seen: set[tuple[Span, int]] = set()
    for block in blocks(text):
        if block.kind == "code":
            continue
        code = [match.span() for match in _INLINE_CODE.finditer(text, block.start, block.end)]
        whole = block.kind in ("heading", "row")
        for span in (Span(block.start, block.end),) if whole else sentences_of(text, block, language):
            alone = not MARKER.sub("", text[span.start : span.end]).strip(_BEHIND)
            cited = before if alone and before else span
            for marker in MARKER.finditer(text, span.start, span.end):
                if any(start <= marker.start() < end for start, end in code):
                    continue
                for number in numbers_of(marker["numbers"]):
                    if (cited, number) not in seen:
                        seen.add((cited, number))
                        yield cited, number
            before = cited


def _citation(source: Source, sentence: Span, passage: Passage, claim: Statement) -> NewCitation:
    first, last = passage.best_span(claim)
    span = Span(passage.spans[first].start, passage.spans[last - 1].end)
    snippet = plain_text(source.text[span.start : span.end])
    return NewCitation(
        number=source.number,
        document_id=source.document_id,
        title=source.title,
        chunk_id=source.chunk_id,
        score=round(min(1.0, max(0.0, source.score)), 4),
        snippet=snippet if len(snippet) <= _SNIPPET_LENGTH else snippet[: _SNIPPET_LENGTH - 1] + "…",
        supported=passage.supports(first, last, claim),
        page=source.page_at(source.start + span.start),
        sentence_start=sentence.start,
        sentence_end=sentence.end,
        chunking_session=source.chunking_session or None,
        span_start=source.start + span.start,
        span_end=source.start + span.end,
        file_name=source.file_name,
        url=source.url,
    )
