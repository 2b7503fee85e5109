"""Whether a source supports a sentence that cites it.

A sentence is supported if a passage of the source contains enough of its words and all its figures, no part of it joins
words of statements that stand apart in the source, the source contains its names, and no clause contradicts the source.
The check is lexical on purpose: cheap enough for every answer, independent of the model, and explainable;
`bench/citations.py` measures its accuracy.
"""

from collections.abc import Sequence
from difflib import get_close_matches
from functools import cached_property
from itertools import pairwise
from math import inf, log

from echomind_agent.evidence.claims import CAPITALISED_NOUNS, Clause, Statement, initials, missing_names, roman_numbers
from echomind_agent.evidence.sources import Source
from echomind_agent.text.sentences import Span, blocks, sentences_of
from echomind_lib.retrieval import detect_language
from echomind_lib.retrieval.language import UNSPACED

_SUPPORTED_SHARE = 0.4
"""Minimum share of a sentence's content words in the source's best passage."""
_SUPPORTED_SHARE_UNSPACED = 0.3
"""The same for scripts without spaces, where terms are character pairs, more of which change with other words."""
_UNKNOWN = 3
"""Maximum number of content words in a row that the source does not have."""
_UNKNOWN_UNSPACED = 7
"""The same for scripts without spaces."""
_VERBATIM_SHARE = 0.88
"""Minimum share of common content words in a quotation, as opposed to a paraphrase."""
_STEM = 5
"""Initial letters that two forms of a word have in common where the stemmer leaves them different."""
_SPELLED = 6
"""Letters from which a name may be spelled differently: "Elisabeth" and "Elizabeth"."""
_SPELLED_ALIKE = 0.83
"""Minimum similarity of such names: one letter in six differs."""
_WINDOW = 3
"""Maximum number of source sentences that together support one sentence."""
_LONGER = 0.05
"""Additional share required for each further sentence of a passage."""
_SAME_CLAUSE = 0.6
"""Minimum share of a clause's words in another clause about the same."""
_SHORT_CLAUSE = 2
"""Content words below which a clause is too short to compare."""
_ELSEWHERE = 0.2
"""Maximum share of a part's words, weighted by rarity, that the source has only apart from its other words."""
_ELSEWHERE_UNSPACED = 0.16
"""The same for scripts without spaces."""
_FIGURE = 1.5
"""Weight of a figure that stands apart: it seldom has another word for it."""
_BEFORE = 0.5
"""Weight of words in the sentence before: a statement often continues it without repeating its subject."""
_COMPARED = 4
"""Content words from which a part of a sentence is compared: shorter ones may name things of several statements."""
_PART = 5
"""Content words below which one of two parts of a sentence is not compared by itself."""
_PAIR = 2
"""Parts of a sentence that is no list."""
_FRAGMENT = 5
"""Content words below which a list item is a part of the statement before it."""
_SAMPLE = 300
"""Code points used to detect a text's language."""


class Passage:
    """An analysed source, shared by all sentences that cite it."""

    def __init__(self, source: Source, language: str) -> None:
        self._source, self._language = source, language
        found = self._sentences()
        self.spans = [span for span, _ in found] or [Span(0, len(source.text))]
        self._kinds = [kind for _, kind in found] or ["text"]
        self.statements = [Statement(source.text[span.start : span.end], language) for span in self.spans]
        self.title = Statement(" ".join((source.title, *source.heading)), language)

    def _sentences(self) -> list[tuple[Span, str]]:
        found: list[tuple[Span, str]] = []
        for block in blocks(self._source.text):
            if block.kind in ("heading", "row"):
                found.append((Span(block.start, block.end), block.kind))
            elif block.kind != "code":
                found += [(span, block.kind) for span in sentences_of(self._source.text, block, self._language)]
        return found

    @cached_property
    def language(self) -> str:
        """Returns the source's own language."""
        return self._source.language or detect_language(self._source.text[:_SAMPLE])

    @cached_property
    def terms(self) -> frozenset[str]:
        """Returns all terms of the source and its titles."""
        return self.title.terms.union(*[statement.terms for statement in self.statements])

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(term[:_STEM] for term in self.terms if len(term) >= _STEM and term.isalpha())

    @cached_property
    def figures(self) -> frozenset[str]:
        """Returns all figures of the source and its titles."""
        return self.title.figures.union(*[statement.figures for statement in self.statements])

    @cached_property
    def _roman(self) -> frozenset[str]:
        """Returns its Roman numbers as digits: what is said of World War II is said of World War 2."""
        return roman_numbers(f"{self._source.title} {' '.join(self._source.heading)} {self._source.text}")

    @cached_property
    def initials(self) -> frozenset[str]:
        """Returns the abbreviations of the names in the source."""
        return initials(self._source.text).union(initials(self._source.title))

    @cached_property
    def _joined(self) -> frozenset[str]:
        """Returns each two adjacent terms of the source as one: "Super Bowl" is written as "Superbowl", too."""
        return frozenset(
            f"{first}{second}" for statement in self.statements for first, second in pairwise(statement.words)
        )

    @cached_property
    def _context(self) -> frozenset[str]:
        """Returns the terms that all statements have in common: of titles, headings, and headers of tables."""
        kinds = self._kinds
        found = self.title.terms
        before = ""
        for kind, statement in zip(kinds, self.statements, strict=True):
            if kind == "heading" or (kind == "row" and kind != before):
                found |= statement.terms
            before = kind
        return found

    @cached_property
    def _separate(self) -> list[tuple[str, frozenset[str]]]:
        """Returns the kind and terms of each statement; short items of a list belong to the one before them."""
        found: list[tuple[str, frozenset[str]]] = []
        for kind, statement in zip(self._kinds, self.statements, strict=True):
            if kind == "item" and found and len(statement.terms) < _FRAGMENT:
                found[-1] = (found[-1][0], found[-1][1] | statement.terms)
            else:
                found.append((kind, statement.terms))
        return found

    @cached_property
    def _counts(self) -> dict[str, int]:
        """Returns the number of statements with each term."""
        counts: dict[str, int] = {}
        for _, terms in self._separate:
            for term in terms:
                counts[term] = counts.get(term, 0) + 1
        return counts

    def best_span(self, claim: Statement) -> tuple[int, int]:
        """Returns the shortest run of sentences, the last exclusive, with the most of a claim's words and figures."""
        total = len(claim.terms) + len(claim.figures)
        shared = [(statement.terms & claim.terms, _shared_figures(statement, claim)) for statement in self.statements]
        best, best_worth = (0, 1), 0.0
        for first, begun in enumerate(shared):
            if not any(begun):
                continue  # without its first sentence, a passage is shorter and has as much
            terms, figures = frozenset[str](), frozenset[str]()
            for last in range(first, min(first + _WINDOW, len(shared))):
                terms |= shared[last][0]
                figures |= shared[last][1]
                share = (len(terms) + len(figures)) / total
                if (worth := share - _LONGER * (last - first)) > best_worth:
                    best, best_worth = (first, last + 1), worth
        return best

    def supports(self, first: int, last: int, claim: Statement) -> bool:
        """Returns whether its sentences from `first` to `last`, exclusive, support a claim."""
        statements = self.statements[first:last]
        terms = self.title.terms.union(*[statement.terms for statement in statements])
        shared = len(claim.terms & terms)
        is_supported = self._covers(claim, terms)
        if is_supported and claim.figures:
            missing = claim.figures - self.title.figures.union(*[each.figures for each in statements])
            is_supported = not missing or missing <= self._roman
        if not is_supported:
            # Between languages, only figures can be compared.
            return self.language != claim.language and claim.figures <= self.figures
        if self._is_scattered(claim):
            return False
        # Where all nouns are capitalised, a missing one may be a synonym, unless nearly everything else is verbatim.
        comparable = claim.language not in CAPITALISED_NOUNS or shared >= _VERBATIM_SHARE * len(claim.terms)
        if comparable and self._lacks_names(claim):
            return False
        if not claim.may_be_negated and not any(statement.may_be_negated for statement in statements):
            return True
        return not _contradicts([clause for statement in statements for clause in statement.clauses], claim)

    def _covers(self, claim: Statement, terms: frozenset[str]) -> bool:
        """Returns whether a passage has enough of a claim's words, and the source most of each phrase."""
        is_unspaced = claim.language in UNSPACED
        required = (_SUPPORTED_SHARE_UNSPACED if is_unspaced else _SUPPORTED_SHARE) * len(claim.terms)
        longest = _UNKNOWN_UNSPACED if is_unspaced else _UNKNOWN
        found, unknown = len(claim.terms & terms), claim.terms - self.terms
        if (found < required or len(unknown) > longest) and not is_unspaced:
            related = {term for term in claim.terms - terms if term[:_STEM] in self._stems}
            found, unknown = found + len(related), unknown - related
        if found < required:
            return False
        in_a_row = 0
        for word in claim.words if len(unknown) > longest else ():
            in_a_row = in_a_row + 1 if word in unknown else 0
            if in_a_row > longest:
                return False
        return True

    def _lacks_names(self, claim: Statement) -> bool:
        missing = missing_names(claim.names, self.terms)
        return any(
            name not in self.initials
            and name not in self._joined
            and roman_numbers(name.upper()).isdisjoint(self.figures)
            and not (len(name) >= _SPELLED and get_close_matches(name, self.terms, 1, _SPELLED_ALIKE))
            for name in missing
        )

    def _is_scattered(self, claim: Statement) -> bool:
        """Returns whether a part of a claim joins words of statements that stand apart.

        An answer to another question about the source does: nearly all its words are there, but not together. Rare
        words weigh more, as those of the source's subject stand everywhere.
        """
        limit = _ELSEWHERE_UNSPACED if claim.language in UNSPACED else _ELSEWHERE
        compared = [terms for terms in _parts(claim) if len(terms) >= _COMPARED]
        return any(self._elsewhere(terms) > limit for terms in compared)

    def _elsewhere(self, terms: frozenset[str]) -> float:
        """Returns the share of terms, weighted by rarity, that stand apart from the others; least over statements."""
        counts, total = self._counts, len(self._separate)
        weights = {term: log(1 + total / counts.get(term, 1)) for term in terms}
        known = (terms & counts.keys()) - self._context
        before, least = frozenset[str](), inf
        for kind, statement in self._separate:
            if kind == "row":
                before = frozenset()  # a row continues no other
            share = 0.0
            for term in known - statement:
                share += weights[term] * (_BEFORE if term in before else _FIGURE if term.isdecimal() else 1.0)
            least = min(least, share)
            before = statement
        return least / sum(weights.values())


def _shared_figures(statement: Statement, claim: Statement) -> frozenset[str]:
    return statement.figures & claim.figures if claim.figures else claim.figures


def _parts(claim: Statement) -> list[frozenset[str]]:
    """Returns the terms of the parts of a claim; a short one belongs to the other, but not in lists."""
    parts = [terms for terms, _ in claim.parts]
    if len(parts) == _PAIR and min(map(len, parts)) < _PART:
        return [parts[0] | parts[1]]
    return parts


def _contradicts(clauses: Sequence[Clause], claim: Statement) -> bool:
    """Returns whether a clause of the claim denies what the source states, or states what the source denies."""
    if claim.negated and not any(clause.negated for clause in clauses):
        return True
    for clause in claim.clauses:
        if len(clause.terms) < _SHORT_CLAUSE:
            continue
        shares = [len(clause.terms & other.terms) / len(clause.terms) for other in clauses]
        best = max(shares, default=0.0)
        same = [other for other, share in zip(clauses, shares, strict=True) if share == best]
        if best >= _SAME_CLAUSE and all(_denies(other, clause) for other in same):
            return True
    return False


def _denies(source: Clause, claim: Clause) -> bool:
    """Returns whether one of two clauses about the same is negated, where the other states it."""
    if source.negated == claim.negated:
        return False
    return claim.negated or not source.denied or not source.denied.isdisjoint(claim.terms)
