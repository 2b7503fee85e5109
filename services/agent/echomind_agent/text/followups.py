"""Detection of follow-up questions that cannot be understood alone, such as "And in May?" or "When does it expire?".

These rules decide whether a question is worth a rewriting request to a model; the built-in model has only the rules.
They were chosen on `tests/fixtures/followups.json`.
"""

import re
from collections.abc import Sequence

from echomind_lib.retrieval import content_terms, detect_language

_FEW_TERMS = 1
"""Maximum number of content words of a question that is too short to stand alone."""
_MAX_TERMS = 5
"""Maximum number of content words of a follow-up question."""
_MAX_EARLIER = 3
"""Maximum number of earlier questions to join with."""

_OPENING = re.compile(
    r"^\W*(?:and|or|but|so|then|what about|how about|what if|why not|same for|und|oder|aber|dann|was ist mit"
    r"|wie ist es mit|wie sieht es mit|et|ou|mais|y|pero|e|mas|en|maar)\b|^(?:那么?|还有|では|それ)",
    re.IGNORECASE,
)
"""Opening words that refer to the previous turn."""
_END = r"(?=\s*(?:[?.!,;]|$)|\s+(?:also|too|then|again|mean|apply|happen|begin|start|end|cost|take|work)\b)"
_POINTING = re.compile(
    r"\b(?:they|them|their|theirs|he|him|his|she|hers|its|ones|the same|the (?:former|latter|other)s?|there of)\b"
    # Excludes "is it possible to ..." and "does it take to ...".
    r"|\bit\b(?!\s+(?:\w+\s+){0,3}(?:to|that|if)\b)"
    rf"|\b(?:that|this|those|these|one){_END}"
    r"|(?<!\bis )(?<!\bare )(?<!\bwas )\bthere\b(?!\s+(?:is|are|was|were|any|a|an|enough)\b)"
    r"|\b(?:her|ils?|elles?|cela|ça|él|ella|esto|eso)\b"
    r"|[它他她这该]",
    re.IGNORECASE,
)
_WITHOUT_VERB = re.compile(
    r"^(?!.*\b(?:is|are|was|were|do|does|did|has|have|can|may|must|ist|sind|war|hat|haben|kann|darf|muss)\b)"
    r"\W*(?:how|what|which|who|when|where|within|by|until|since|from|in|wie|was|welche\w*|wer|wem|wen|wann|wo|bis|ab"
    r"|seit|von|im)\W+(?:\w+\W+){0,1}\w+\W*$",
    re.IGNORECASE,
)
"""Up to three question words without a verb, such as "How many days?"."""
_DEFINITION = re.compile(r"^\W*(?:what|who|was|wer)(?:'s| is| are| ist| sind)\s+\w", re.IGNORECASE)
"""Questions for a definition, which need only one content word."""
_POINTING_IN_GERMAN = re.compile(
    # Excludes articles and the polite "Sie": articles precede a noun, which is capitalised.
    r"\b(?:er|ihn|ihm|ihnen|deren|dessen|davon|dafür|dazu|damit|daran|darauf|darin|darüber|dabei|dort)\b"
    r"|(?<!\b[Gg]ibt )(?<!\b[Ii]st )\bes\b(?!\s+(?:\w+\s+){0,4}(?:zu|dass|wenn)\b)|\bsie\b|\beins\b"
    r"|\b(?:das|dies\w*|jene\w*|einen|eine)(?=\s*(?:[?.!,;]|$)|\s+(?:auch|denn|dann|noch|genau|für|[a-zäöü]+t)\b)"
)


def is_follow_up(question: str) -> bool:
    """Returns whether a question may not be understood without the earlier ones."""
    # Language detection is unreliable for a few words, so the lowest count of three languages is used.
    terms = min(len(content_terms(question, language)) for language in (detect_language(question), "en", "de"))
    if terms > _MAX_TERMS:
        return False
    if terms <= _FEW_TERMS and not (terms and _DEFINITION.search(question)):
        return True
    rules = (_OPENING, _WITHOUT_VERB, _POINTING, _POINTING_IN_GERMAN)
    return any(rule.search(question) for rule in rules)


def joined(question: str, earlier: Sequence[str]) -> str:
    """Returns a question joined with the previous ones that it needs, as in `needed`."""
    return "\n".join([*needed(earlier), question])


def needed(earlier: Sequence[str]) -> list[str]:
    """Returns the previous questions that a follow-up question needs, in order: back to one that stands alone.

    Args:
        earlier: The previous questions, oldest first.
    """
    found: list[str] = []
    for asked in reversed(earlier[-_MAX_EARLIER:]):
        found.append(asked)
        if not is_follow_up(asked):
            break
    return found[::-1]
