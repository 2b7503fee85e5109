"""Checks of facts proposed by a model: for secrets, addresses and instructions, and against the person's messages."""

import re
from typing import Final

from echomind_agent.evidence.claims import CAPITALISED_NOUNS, Statement, missing_names
from echomind_lib.retrieval import detect_language
from echomind_lib.secret_text import REDACTED, secret_in

_LEAST_SUPPORT: Final = 0.5
"""Minimum share of a text's terms in the quoted messages for it to count as the person's own statement."""
_ADDRESS = re.compile(r"https?://|www\.|\]\(|<[a-z/!]|\b[\w-]+(?:\.[a-z]{2,})+/", re.IGNORECASE)
_HOST = re.compile(r"\b[\w-]+(?:\.[a-z]{2,})+\b", re.IGNORECASE)
_QUESTION = re.compile(r"(?:\A|(?<=[.!?;\n]))[^.!?;\n]*\?")
_LAST_CLAUSE = re.compile(r"[^,:–—]*\Z")
_DATE = re.compile(r"\b\d{4}-\d{2}(?:-\d{2})?\b|\b\d{1,2}\.? \w+ \d{4}\b|\b(?:19|20)\d{2}\b")
_ACTS: Final = (
    r"ignore|disregard|override|from\s+now\s+on|send|forward|post|upload|e-?mail|click|transfer|pay|delete|approve"
    r"|reveal|ignoriere|sende|schicke|überweise|lösche"
)
# Commands to act on others, and instructions of any kind, as opposed to statements of fact.
_COMMAND = re.compile(rf"\b(?:{_ACTS})\b", re.IGNORECASE)
_INSTRUCTION = re.compile(
    rf"\b(?:(?:{_ACTS}|call|invoke|execute|run|open|fetch)s?|always|never|must|make\s+sure|whenever|as\s+soon\s+as"
    r"|assistant|immer|niemals|rufe|öffne)\b",
    re.IGNORECASE,
)
OF_ALL: Final = Statement("The person user prefers likes wants has is", "en").terms
"""Terms of the phrasing of memories, which are not specific to their content."""


def may_be_kept(text: str) -> bool:
    """Returns whether a text contains no secret, no redacted secret, no address and no markup."""
    return REDACTED not in text and secret_in(text) is None and _ADDRESS.search(text) is None


def is_instruction(text: str) -> bool:
    """Returns whether a text instructs or mentions an assistant, rather than stating a fact."""
    return _INSTRUCTION.search(text) is not None


def is_command(text: str) -> bool:
    """Returns whether a text commands an action on others, such as sending or deleting something."""
    return _COMMAND.search(text) is not None


def names_host(text: str) -> bool:
    """Returns whether a text contains a host name."""
    return _HOST.search(text) is not None


def is_stated(text: str, source: str) -> bool:
    """Returns whether a text is a person's own statement; otherwise it is partly from an answer or a document.

    Questions are no statements, so their words do not support an answer to them. Names, figures and words of
    instructions must all be the person's.
    """
    language = detect_language(text)
    new, message = Statement(text, language), Statement(_stated(source), language)
    terms = new.terms - OF_ALL
    return (
        len(terms & message.terms) >= _LEAST_SUPPORT * len(terms)
        and new.figures <= message.figures | _dates(text)
        and (language in CAPITALISED_NOUNS or not missing_names(new.names - OF_ALL, message.terms | _months(text)))
        and _instructions(text) <= _instructions(message.text)
    )


def shares_terms(text: str, other: str) -> bool:
    """Returns whether two texts have a common term, as a sign of a common subject."""
    language = detect_language(other)
    return bool((Statement(text, language).terms & Statement(other, language).terms) - OF_ALL)


def keeps_details(new: str, old: str) -> bool:
    """Returns whether a text contains all figures and names of another one."""
    language = detect_language(old)
    kept, other = Statement(new, language), Statement(old, language)
    return other.figures <= kept.figures and other.names <= kept.terms


def says_the_same(text: str, other: str) -> bool:
    """Returns whether two similar texts have the same figures, names and negations."""
    language = detect_language(other)
    a, b = Statement(text, language), Statement(other, language)
    return a.figures == b.figures and a.names == b.names and a.negated == b.negated


def _stated(source: str) -> str:
    """Returns a text without its questions; text before the last comma of a question is kept."""
    return _QUESTION.sub(lambda found: _LAST_CLAUSE.sub("", found[0]), source)


def _instructions(text: str) -> set[str]:
    return {word.casefold().removesuffix("s") for word in _INSTRUCTION.findall(text)}


def _dates(text: str) -> frozenset[str]:
    """Returns the figures of dates in a text: a relative date was made absolute."""
    return frozenset().union(*(Statement(each, "en").figures for each in _DATE.findall(text)))


def _months(text: str) -> frozenset[str]:
    """Returns the terms of dates in a text."""
    return frozenset().union(*(Statement(each, "en").terms for each in _DATE.findall(text)))
