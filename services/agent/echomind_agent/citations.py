"""From the numbers in an answer to citations that are checked against their sources.

A cited sentence is supported when the source's best place says enough of its words, and all its figures. That is
lexical on purpose: cheap enough for every answer, the same for every model, and explainable; `bench/citations.py`
measures how often it is right.
"""

import re
from collections.abc import Iterator

from echomind_agent.sentences import Span, sentences
from echomind_agent.sources import Source, Sources
from echomind_lib.retrieval import content_terms
from echomind_lib.runs.lease import NewCitation

_MARKER = re.compile(r"\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
_SUPPORTED_SHARE = 0.5
"""Share of a sentence's content words that the source's best place must say."""
_WINDOW = 3
"""Sentences of a source that may support one sentence together."""
_SNIPPET_LENGTH = 400


def cite(text: str, sources: Sources) -> list[NewCitation]:
    """The citations of an answer, in the order in which they stand.

    Numbers that no source has are left alone; so are numbers in code. A sentence that cites a source twice has one
    citation of it.
    """
    citations = []
    for span, number in _cited(text):
        source = sources.get(number)
        if source is not None:
            citations.append(_check(text, span, source))
    return citations


def _cited(text: str) -> Iterator[tuple[Span, int]]:
    """Sentences with the numbers that they cite. A marker alone on its line belongs to the sentence before."""
    code = [match.span() for match in _CODE.finditer(text)]
    before: Span | None = None
    seen: set[tuple[Span, int]] = set()
    for span in sentences(text):
        alone = not _MARKER.sub("", text[span.start : span.end]).strip(" .;,\t")
        cited = before if alone and before else span
        for marker in _MARKER.finditer(text, span.start, span.end):
            if any(start <= marker.start() < end for start, end in code):
                continue
            for number in map(int, re.split(r"\s*,\s*", marker[1])):
                if (cited, number) not in seen:
                    seen.add((cited, number))
                    yield cited, number
        before = cited


def _check(text: str, sentence: Span, source: Source) -> NewCitation:
    claim = _MARKER.sub(" ", text[sentence.start : sentence.end])
    words, figures = content_terms(claim), _figures(claim)
    place, share = _best_place(words, figures, source.text)
    supported = share >= _SUPPORTED_SHARE and figures <= _figures(source.text)
    snippet = source.text[place.start : place.end]
    return NewCitation(
        source.number,
        source.document_id,
        source.title,
        source.chunk_id,
        round(min(1.0, max(0.0, source.score)), 4),
        snippet if len(snippet) <= _SNIPPET_LENGTH else snippet[: _SNIPPET_LENGTH - 1] + "…",
        supported,
        source.page,
        sentence.start,
        sentence.end,
        source.chunking_session,
        source.start + place.start,
        source.start + place.end,
    )


def _figures(text: str) -> set[str]:
    """Numbers as they are compared: without separators of thousands and without noughts behind the point."""
    return {figure.replace(",", "").rstrip(".:").lstrip("0") or "0" for figure in _FIGURE.findall(text)}


def _best_place(words: frozenset[str], figures: set[str], text: str) -> tuple[Span, float]:
    """The shortest run of sentences that says the largest share of the words and figures."""
    spans = sentences(text) or [Span(0, len(text))]
    said = [(content_terms(text[s.start : s.end]), _figures(text[s.start : s.end])) for s in spans]
    wanted = len(words) + len(figures)
    best, best_share = spans[0], -1.0
    for first in range(len(spans)):
        have_words: set[str] = set()
        have_figures: set[str] = set()
        for last in range(first, min(first + _WINDOW, len(spans))):
            have_words |= said[last][0] & words
            have_figures |= said[last][1] & figures
            share = (len(have_words) + len(have_figures)) / wanted if wanted else 0.0
            # A longer run must say more, not as much.
            if share > best_share + 0.05 * (last - first):
                best, best_share = Span(spans[first].start, spans[last].end), share
    return best, max(0.0, best_share)
