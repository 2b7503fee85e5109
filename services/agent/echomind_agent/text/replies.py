"""One-line replies of models."""

import re

from echomind_lib.retrieval import content_terms, detect_language, query_language
from echomind_lib.retrieval.language import DEFAULT
from echomind_lib.text import single_line

_PREFIX = re.compile(
    r"^(?:(?:here is|here's|the|a|suggested|conversation|rewritten|standalone|last)\s+){0,3}"
    r"(?:title|titel|titre|título|titolo|question|frage)(?:\s+is)?\s*[:：]\s*",
    re.IGNORECASE,
)
_AROUND = " \t*_#`'\"“”„‘’‚«»‹›「」《》"
_LETTER = re.compile(r"\w")


def one_line_reply(written: str, limit: int) -> str:
    """Returns the first line with content, without markup, quotation marks and a label.

    Args:
        written: Output of a model.
        limit: Maximum length in code points.

    Returns:
        The line; empty if no line has content, or if it is too long: then the model did something else, of which a
            truncated part would be no better.
    """
    for line in written.splitlines():
        if line.lstrip().startswith("```"):
            continue
        reply = _PREFIX.sub("", line.strip(_AROUND)).strip(_AROUND)
        # A line that ends in a colon introduces the reply.
        if _LETTER.search(reply) and not reply.endswith((":", "：")):
            found = single_line(reply, limit + 1)
            return found if len(found) <= limit else ""
    return ""


def is_in_language_of(reply: str, message: str) -> bool:
    """Returns whether a reply may be in the language of a text, or shares a word with it: a name, or a figure.

    Language detection is unreliable for a few words, so only clearly different languages are rejected.
    """
    language, found = detect_language(message), query_language(reply)
    may_be = found.language == language or (found.language == DEFAULT and language in found.readings)
    return may_be or _share_terms(reply, message)


def is_rewriting_of(reply: str, question: str, earlier: str) -> bool:
    """Returns whether a reply can be a rewriting of a question: it contains one of its content words.

    For a question without content words, such as "And then?", it contains one of the earlier turns.
    """
    says_nothing = not content_terms(question, detect_language(question))
    return _share_terms(reply, earlier if says_nothing else question)


def _share_terms(text: str, other: str) -> bool:
    language = detect_language(other)
    return not content_terms(text, language).isdisjoint(content_terms(other, language))
