"""Converts the numbers in an answer to citations, and verifies them against their sources.

A cited sentence is supported if one place in its source contains enough of its words and all its figures, no clause
joins words of several sentences, the source contains its names, and no clause contradicts the source. The check is
lexical on purpose: cheap enough for every answer, independent of the model, and explainable; `bench/citations.py`
measures its accuracy.
"""

import re
from collections.abc import Iterator
from functools import cached_property

from echomind_agent.evidence.claims import CAPITALISED_NOUNS, Clause, Statement, missing_names
from echomind_agent.evidence.sources import Source, Sources
from echomind_agent.text.sentences import MARKER, Span, blocks, numbers_of, sentences, sentences_of
from echomind_lib.plain_text import plain_text
from echomind_lib.retrieval import detect_language
from echomind_lib.retrieval.language import UNSPACED
from echomind_lib.runs.citation_rows import NewCitation

_INLINE_CODE = re.compile(r"`[^`\n]*`")
_BEHIND = " .;:,\t*_()|-"
"""Characters that may surround stand-alone markers."""

_SUPPORTED_SHARE = 0.5
"""Minimum share of a sentence's content words in the source's best place."""
_SUPPORTED_SHARE_UNSPACED = 0.4
"""The same for scripts without spaces, where terms are character pairs, more of which change with other words."""
_VERBATIM_SHARE = 0.85
"""Minimum share of common content words in a quotation, as opposed to a paraphrase."""
_WINDOW = 3
"""Maximum number of source sentences that together support one sentence."""
_LONGER = 0.05
"""Additional share required for each further sentence of a place."""
_SAME_CLAUSE = 0.6
"""Minimum share of a clause's words in another clause about the same."""
_SHORT_CLAUSE = 2
"""Content words below which a clause is too short to compare."""
_ELSEWHERE = 0.35
"""Maximum share of a clause's words that only other sentences of the source contain than the one with most of them."""
_COMPARED = 4
"""Content words of a clause from which these are counted; shorter ones may name things of several sentences."""
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
    passages: dict[int, _Passage] = {}
    citations = []
    for span, number in _cited(text, language):
        if (source := sources.get(number)) is None:
            continue
        claim = Statement(MARKER.sub(" ", text[span.start : span.end]), language)
        if number not in passages:
            passages[number] = _Passage(source, language)
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


class _Passage:
    """An analysed source, shared by all sentences that cite it."""

    def __init__(self, source: Source, language: str) -> None:
        self._source = source
        self.spans = sentences(source.text, language) or [Span(0, len(source.text))]
        self.statements = [Statement(source.text[span.start : span.end], language) for span in self.spans]
        self.title = Statement(source.title, language)

    @cached_property
    def language(self) -> str:
        """Returns the source's own language."""
        return self._source.language or detect_language(self._source.text[:_SAMPLE])

    @cached_property
    def terms(self) -> frozenset[str]:
        """Returns all terms of the source and its title."""
        return self.title.terms.union(*(statement.terms for statement in self.statements))

    @cached_property
    def figures(self) -> frozenset[str]:
        """Returns all figures of the source and its title."""
        return self.title.figures.union(*(statement.figures for statement in self.statements))

    def clauses(self, first: int, last: int) -> list[Clause]:
        """Returns the clauses of some of its sentences, `last` exclusive."""
        return [clause for statement in self.statements[first:last] for clause in statement.clauses]

    def best_span(self, claim: Statement) -> tuple[int, int]:
        """Returns the shortest run of sentences, the last exclusive, with the most of a claim's words and figures."""
        total = len(claim.terms) + len(claim.figures)
        shared = [(statement.terms & claim.terms, _shared_figures(statement, claim)) for statement in self.statements]
        best, best_worth = (0, 1), 0.0
        for first, begun in enumerate(shared):
            if not any(begun):
                continue  # without its first sentence, a place is shorter and has as much
            terms, figures = frozenset[str](), frozenset[str]()
            for last in range(first, min(first + _WINDOW, len(shared))):
                terms |= shared[last][0]
                figures |= shared[last][1]
                share = (len(terms) + len(figures)) / total
                if (worth := share - _LONGER * (last - first)) > best_worth:
                    best, best_worth = (first, last + 1), worth
        return best


def _shared_figures(statement: Statement, claim: Statement) -> frozenset[str]:
    return statement.figures & claim.figures if claim.figures else claim.figures


def _supports(passage: _Passage, first: int, last: int, claim: Statement) -> bool:
    """Returns whether a place of a source supports a claim."""
    statements = passage.statements[first:last]
    terms = passage.title.terms.union(*(statement.terms for statement in statements))
    least = _SUPPORTED_SHARE_UNSPACED if claim.language in UNSPACED else _SUPPORTED_SHARE
    shared = len(claim.terms & terms)
    is_supported = shared >= least * len(claim.terms)
    if is_supported and claim.figures:
        is_supported = claim.figures <= passage.title.figures.union(*(statement.figures for statement in statements))
    if not is_supported:
        # Between languages, only figures can be compared.
        return passage.language != claim.language and claim.figures <= passage.figures
    if _is_scattered(passage, claim):
        return False
    # Where all nouns are capitalised, a missing one may be a synonym, unless nearly everything else is verbatim.
    comparable = claim.language not in CAPITALISED_NOUNS or shared >= _VERBATIM_SHARE * len(claim.terms)
    if comparable and missing_names(claim.names, passage.terms):
        return False
    if not claim.may_be_negated and not any(statement.may_be_negated for statement in statements):
        return True
    return not _contradicts(passage.clauses(first, last), claim)


def _is_scattered(passage: _Passage, claim: Statement) -> bool:
    """Returns whether a clause joins words of several sentences, as one does that gives something else's answer."""
    for words, _ in claim.parts:
        if len(words) < _COMPARED:
            continue
        shared = [words & statement.terms for statement in passage.statements]
        largest = max(shared, key=len)
        elsewhere = frozenset[str]().union(*shared) - largest - passage.title.terms
        if len(elsewhere) > _ELSEWHERE * len(words):
            return True
    return False


def _contradicts(clauses: list[Clause], claim: Statement) -> bool:
    """Returns whether a clause of the claim denies what the source states, or states what the source denies."""
    if claim.negated and not any(clause.negated for clause in clauses):
        return True
    for clause in claim.clauses:
        if len(clause.terms) < _SHORT_CLAUSE:
            continue
        shares = [len(clause.terms & other.terms) / len(clause.terms) for other in clauses]
        best = max(shares, default=0.0)
        same = [other for other, share in zip(clauses, shares, strict=True) if share == best]
        if best >= _SAME_CLAUSE and all(other.negated != clause.negated for other in same):
            return True
    return False


def _citation(source: Source, sentence: Span, passage: _Passage, claim: Statement) -> NewCitation:
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
        supported=_supports(passage, first, last, claim),
        page=source.page,
        sentence_start=sentence.start,
        sentence_end=sentence.end,
        chunking_session=source.chunking_session or None,
        span_start=source.start + span.start,
        span_end=source.start + span.end,
        file_name=source.file_name,
        url=source.url,
    )
