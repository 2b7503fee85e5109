"""From the numbers in an answer to citations that are checked against their sources.

A cited sentence is supported when one place of its source says enough of its words, all its figures and names, and
denies what it denies. That is lexical on purpose: cheap enough for every answer, the same for every model, and
explainable; `bench/citations.py` measures how often it is right.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from echomind_agent.figures import figures_of
from echomind_agent.negation import negations
from echomind_agent.sentences import MARKER, Block, Span, blocks, sentences, sentences_of
from echomind_agent.sources import Source, Sources
from echomind_lib.retrieval import content_terms, detect_language
from echomind_lib.runs.lease import NewCitation

_INLINE_CODE = re.compile(r"`[^`\n]*`")
_NAME = re.compile(r"[^\W\d_][\w’'&.-]*\w")
_SUPPORTED_SHARE = 0.5
"""Share of a sentence's content words that the source's best place must say."""
_NAMES_SHARE = 1.0
_WINDOW = 3
"""Sentences of a source that may support one sentence together."""
_SNIPPET_LENGTH = 400
_SAMPLE = 300
"""Code points that tell a text's language."""
_MOST_IN_RANGE = 50


def cite(text: str, sources: Sources) -> list[NewCitation]:
    """The citations of an answer, in the order in which they stand.

    Numbers that no source has are left alone; so are numbers in code and in a list of sources at the end. A sentence
    that cites a source twice has one citation of it.
    """
    if not sources or not MARKER.search(text):
        return []
    language = detect_language(text[:_SAMPLE])
    passages: dict[int, _Passage] = {}
    citations = []
    for span, number in _cited(text, language):
        source = sources.get(number)
        if source is None:
            continue
        claim = _Claim.of(text[span.start : span.end], language)
        if number not in passages:
            passages[number] = _Passage(source)
        if not claim.names_only(source):
            citations.append(_check(span, claim, passages[number]))
    return citations


def without_markers(text: str) -> str:
    """An answer's text without its citations."""
    return re.sub(rf"[ \t]?{MARKER.pattern}", "", text, flags=re.IGNORECASE)


def _cited(text: str, language: str) -> Iterator[tuple[Span, int]]:
    """Sentences with the numbers that they cite. Markers alone belong to the sentence before."""
    before: Span | None = None
    seen: set[tuple[Span, int]] = set()
    for block in blocks(text):
        if block.kind == "code":
            continue
        code = [match.span() for match in _INLINE_CODE.finditer(text, block.start, block.end)]
        for span in _sentences(text, block, language):
            markers = list(MARKER.finditer(text, span.start, span.end))
            alone = markers and not MARKER.sub("", text[span.start : span.end]).strip(" .;,\t*_()|")
            cited = before if alone and before else span
            for marker in markers:
                if any(start <= marker.start() < end for start, end in code):
                    continue
                for number in _numbers(marker["numbers"]):
                    if (cited, number) not in seen:
                        seen.add((cited, number))
                        yield cited, number
            before = cited


def _sentences(text: str, block: Block, language: str) -> Iterator[Span]:
    if block.kind in ("heading", "row"):
        yield Span(block.start, block.end)
    else:
        yield from sentences_of(text, block, language)


def _numbers(written: str) -> Iterator[int]:
    for part in re.split(r"\s?(?:[,;，、；&]|and|und|et|y)\s?", written, flags=re.IGNORECASE):
        first, *last = (int(number) for number in re.findall(r"\d+", part))
        yield from range(first, min(last[0], first + _MOST_IN_RANGE) + 1) if last else (first,)
