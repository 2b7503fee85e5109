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
    """Returns the first line of a text that says something, without markup, quotation marks and a name for itself.

    Args:
        written: Output of a model.
        limit: Code points that it may have.

    Returns:
        The line; empty when none says anything, or when it is longer: then the model did something else than it was
        asked for, and what is cut out of that is no better.
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


def is_in_language_of(reply: str, said: str) -> bool:
    """Returns whether a reply may be in the language of a text, or has a word of it: a name, or a figure.

    The language of a few words is a guess, so only what is clearly in another one is not.
    """
    language, found = detect_language(said), query_language(reply)
    may_be = found.language == language or (found.language == DEFAULT and language in found.readings)
    return may_be or _share_terms(reply, said)


def is_rewriting_of(reply: str, question: str, earlier: str) -> bool:
    """Returns whether a reply can be a question in other words: it has one of its words that say something.

    Of a question without any, such as "And then?", it has one of what was said before.
    """
    says_nothing = not content_terms(question, detect_language(question))
    return _share_terms(reply, earlier if says_nothing else question)


def _share_terms(one: str, other: str) -> bool:
    language = detect_language(other)
    return not content_terms(one, language).isdisjoint(content_terms(other, language))
