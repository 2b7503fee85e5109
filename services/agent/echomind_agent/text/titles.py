"""Extraction of conversation titles from models' output, and rejection of other output of small models.

Instead of a title, small models answer the question again, repeat the beginning of the answer, decline, comment on
their task, or repeat themselves. None of that identifies a conversation in a list; the beginning of the question does.
"""

import re
from typing import Final

from echomind_agent.text.replies import is_in_language_of, one_line_reply
from echomind_lib.retrieval import content_terms, detect_language

MAX_CHARACTERS: Final = 80
_MAX_WORDS: Final = 12
_QUOTED_WORDS: Final = 3
"""Minimum number of words from the answer's beginning in a title that is rejected as a quotation."""

_ANSWERS: Final = re.compile(
    # An answer to the question, or a description of it.
    r"^(?:the|this|that|your|an?|my)\s+(?:\w+\s+)?(?:answer|reply|response|question|conversation|text|user|person"
    r"|assistant|title)\s*(?:[:,]|$|\s(?:is|was|are|would|could|should|can|may|might|has|had|asks?|asked|wants?|needs?"
    r"|says?|said|seeks?|inquires?|that|about|to\s+(?:your|the|this)\s+question)\b)"
    r"|^(?:die|diese|deine|ihre|der|dieser|das)\s+(?:antwort|frage|unterhaltung|person|titel|nutzer(?:in)?)"
    r"\s+(?:ist|lautet|war|hat|will|möchte|fragt|kann|auf)\b"
    r"|^(?:la|cette|votre)\s+(?:réponse|question|conversation)\s+(?:est|à)\b|^la\s+(?:respuesta|pregunta)\s+es\b"
    r"|^(?:answer|antwort|réponse|respuesta|response|reply|person|user|assistant|system)\s*[:：]"
    # First or second person.
    r"|^(?:i|i['’]\w+|we|we['’]\w+|you|you['’]\w+|ich|wir|sie\s+(?:können|haben|müssen|dürfen)|du|je|j['’]\w+|nous|vous"
    r"|yo|it['’]s|it\s+(?:is|seems|looks)|there\s+(?:is|are)|here\s+(?:is|are)|here['’]s|hier\s+(?:ist|sind)|voici"
    r"|let\s+me|let['’]s|es\s+(?:gibt|tut|scheint))\b"
    # A refusal, or a polite phrase.
    r"|^(?:sorry|apologies|unfortunately|leider|entschuldigung|tut\s+mir|désolée?|malheureusement|lo\s+siento"
    r"|as\s+an?\s+(?:ai|assistant|language)|als\s+(?:ki|assistent|sprachmodell)|en\s+tant\s+qu)\b"
    r"|^(?:sure|certainly|of\s+course|absolutely|okay|ok|yes|no|ja|nein|gerne|natürlich|klar|oui|non|sí|hello|hi|hallo"
    r"|thanks?|thank\s+you|danke|great\s+question|gute\s+frage)\b\s*(?:[,.!:;]|$)"
    # A repetition of the task.
    r"|^(?:write|here|please|provide|generate|create)\s+(?:\w+\s+){0,3}titles?\b|^(?:only\s+the\s+title|two\s+to\s+six)",
    re.IGNORECASE,
)
_CODE: Final = re.compile(r"^[\[{<|\\]|[<{][/\w]|\bhttps?://|\[\d+\]")
_SENTENCES: Final = re.compile(r"\w{4,}[.!?]\s+\w|[。！？].")
_SAYS_NOTHING: Final = re.compile(
    r"^(?:(?:new|the|a|neue[rs]?|untitled|my|your)\s+)?(?:title|titel|titre|título|untitled|conversation|unterhaltung|chat"
    r"|new\s+chat|question|frage|answer|antwort|q\s*&\s*a|n/?a|none|null|json|text|summary|topic|unknown)$",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"\w+")


def title_in(written: str, question: str, answer: str) -> str:
    """Returns the title that a model has written for a conversation; empty if it has written something else.

    Args:
        written: Output of the model.
        question: The question of the conversation's first turn.
        answer: Its answer.
    """
    title = one_line_reply(written, MAX_CHARACTERS).removesuffix(".").rstrip()
    words = _words(title)
    if not words or len(words) > _MAX_WORDS or _runs_in_circles(words):
        return ""
    if any(form.search(title) for form in (_ANSWERS, _CODE, _SENTENCES, _SAYS_NOTHING)):
        return ""
    if not any(is_in_language_of(title, text) for text in (question, answer)):
        return ""
    return "" if _quotes(title, words, question, answer) else title


def _quotes(title: str, words: list[str], question: str, answer: str) -> bool:
    """Returns whether a title is the beginning of the answer, and says more than what was asked about."""
    beginning = _words(answer[: 4 * MAX_CHARACTERS])
    is_whole = len(words) == len(beginning)
    if beginning[: len(words)] != words or not (is_whole or len(words) >= _QUOTED_WORDS):
        return False
    language = detect_language(question)
    return not content_terms(title, language) <= content_terms(question, language)


def _runs_in_circles(words: list[str]) -> bool:
    return len(words) > 3 and 2 * len(set(words)) <= len(words)


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
