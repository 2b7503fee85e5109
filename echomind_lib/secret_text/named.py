"""Values named as secrets in a text: "my password is swordfish", "DB_PASSWORD=swordfish", "the door code is 4711"."""

import re
from collections.abc import Iterator
from typing import Final, TypeAlias

from echomind_lib.secret_text.name_rules import KINDS, NAME_RULES, OTHER_THINGS, PLACE_RULES, STATES, alternatives

Span: TypeAlias = tuple[int, int]

_QUOTES: Final = "\"'`«»“”„"
_LONGEST_GAP: Final = 48
"""Maximum characters between a name and its value: "the password for the server in the cellar is ..."."""
_LONGEST_VALUE: Final = 120
_LEAST_WEAK: Final = 8
"""Minimum length of a value with letters and digits that is a secret after a weak name."""
_LEAST_FAR: Final = 10
"""The same with words in between."""

# A name begins at a word, behind an underscore, or at a capital inside an identifier.
_NAME: Final = re.compile(
    rf"""
    (?: (?<![^\W_]) | (?-i:(?<=[a-z])(?=[A-Z])) )
    (?: {" | ".join(f"(?P<{kind}> {alternatives(NAME_RULES, kind)} )" for kind in KINDS)} )
    (?! [^\W_] )
    (?! [\s_-](?:{OTHER_THINGS})\b )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_BREAK: Final = re.compile(r"[\n;!?]|\.(?=\s|\Z)")
_LINK: Final = re.compile(
    r"""
      (?P<sign> \s* (?: (?<![=!<>])=(?![=>]) | :(?!//|\d\d\b) | ->|=>|→ ) \s* )
    | (?P<dash> \s [-] \s+ )
    | (?P<to> \s to \s+ )
    | (?P<verb> (?: (?<=\s)(?:is|ist|lautet|lauten|was|war|are|sind|es|est|é|will\s+be|jest) | ['’]s ) \s+ )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_QUOTED: Final = re.compile(rf"[{_QUOTES}](?P<value>[^\n{_QUOTES}]{{3,80}})[{_QUOTES}]")
_BARE: Final = re.compile(rf"[{_QUOTES}]?(?P<value>[^\s{_QUOTES}]{{3,{_LONGEST_VALUE}}})")
_WORDS: Final = re.compile(r"(?P<value>[^\W\d_]{3,}(?:\s+[^\W\d_]{3,}){2,11})(?=\s*(?:[.,;!?\n]|\Z))")
_STOP_WORD: Final = re.compile(
    r"\b(?:the|and|for|with|must|not|that|than|from|und|der|die|das|mit|aus|nicht)\b", re.IGNORECASE
)
_NUMBER: Final = re.compile(
    r"(?P<value>\d(?:[ -]?\d){2,9})(?![\w%]|[.,]\d|\s*(?:mm|cm|km|kg|euro|days|digits|times)\b)"
)
_AFTER: Final = re.compile(
    rf"[{_QUOTES}]?[^\S\n]*(?:\n|\Z|\)|(?:now|since|again|today|and|und|jetzt|seit|wieder|y|et)\b)", re.IGNORECASE
)
_IS_CHANGED: Final = re.compile(r"\b(?:set|chang\w+|reset\w*|updat\w+|switch\w*)\b[^.;!?\n]{0,30}\Z", re.IGNORECASE)
_ENDS: Final = ".,;:!?)]}"
_LETTERS_AND_DIGITS: Final = re.compile(r"(?=.*\d).*[^\W\d_]")
_ODD: Final = re.compile(r"[\d#$%&*+=@^_~|<>]|\\(?![nrt])|[!?.,:;][^\s!?.,:;)]")
"""Characters that do not occur in plain words."""
_CODE: Final = re.compile(
    r"[\w.]+[(\[]|[$%@{<\[]|[a-z_]\w*(?:\.[a-z_]\w*)+\Z|https?://|\*+\Z|x+\Z|(?:ctrl|alt|strg|shift)\+"
    r"|[a-z]+_[a-z_]*(?:password|token|secret|key)[a-z_]*\Z",
    re.IGNORECASE,
)
"""Code, addresses and placeholders in place of a value."""
_PASSIVE: Final = re.compile(
    r"[a-z]{2,}ed|(?:ab|an|auf|aus|be|ent|er|ge|ver|zurück)\w+(?:t|en)|\w+(?:stellig|bar|lich)"
)
_ELSEWHERE: Final = re.compile(
    " | ".join(f"(?: {rule.pattern.replace('VALUE', f'P<{rule.name}>')} )" for rule in PLACE_RULES),
    re.VERBOSE | re.IGNORECASE,
)
_MUST_BE_ODD: Final = frozenset(rule.name for rule in PLACE_RULES if rule.must_be_odd)


def named_secrets(text: str) -> Iterator[Span]:
    """Yields the spans of values that a text names as a secret."""
    for name in _NAME.finditer(text):
        yield from _values(text, name)
    for found in _ELSEWHERE.finditer(text):
        form = str(found.lastgroup)
        value = found[form]
        if not _is_harmless(value) and (form not in _MUST_BE_ODD or _is_odd(value)):
            yield found.span(form)


def _values(text: str, name: re.Match[str]) -> Iterator[Span]:
    """Yields the first value after a name: after a link word, or directly after the name."""
    begin = name.end()
    if (near := _right_behind(text, name)) is not None:
        yield near
        return
    end = begin + _LONGEST_GAP
    if (stop := _BREAK.search(text, begin, end)) is not None:
        end = stop.start()
    for link in _LINK.finditer(text, begin, min(end + 4, len(text))):
        if link.start() > end:
            return
        if link["to"] and not _IS_CHANGED.search(text, max(0, name.start() - _LONGEST_GAP), name.start()):
            continue
        if (value := _linked(text, name, link)) is not None:
            yield value
            return


def _right_behind(text: str, name: re.Match[str]) -> Span | None:
    """Returns the value directly after a name and a space."""
    begin = name.end()
    if not text[begin : begin + 1].isspace():
        return None
    begin += 1
    if name["digits"]:
        return _span(_NUMBER.match(text, begin))
    value = _BARE.match(text, begin)
    if value is None or _is_harmless(value["value"]):
        return None
    is_one = _is_weakly_named(value["value"], _LEAST_WEAK) if name["weak"] else _is_odd(value["value"])
    return _span(value) if is_one else None


def _linked(text: str, name: re.Match[str], link: re.Match[str]) -> Span | None:
    """Returns the value after a name and a link word."""
    begin = link.end()
    if name["digits"]:
        return _span(_NUMBER.match(text, begin))
    if name["phrase"] and (words := _WORDS.match(text, begin)) and not _STOP_WORD.search(words["value"]):
        return _span(words)
    quoted = _QUOTED.match(text, begin)
    if quoted is not None and not (name["weak"] and " " in quoted["value"]):
        return _span(quoted)
    found = _BARE.match(text, begin)
    if found is None or quoted is not None:
        return None
    value = found["value"]
    if _is_harmless(value) or (link["verb"] and _PASSIVE.fullmatch(value.rstrip(_ENDS))):
        return None
    is_near = not text[name.end() : link.start()].strip(f" {_QUOTES})")
    is_last = value[-1] in ".,;!?)" or _AFTER.match(text, found.end()) is not None
    if name["weak"]:
        is_assigned = bool(link["sign"]) and is_near and is_last and not value.rstrip(_ENDS).isdigit()
        is_one = is_assigned or _is_weakly_named(value, _LEAST_WEAK if is_near else _LEAST_FAR)
    else:
        is_one = bool(link["sign"] and is_near and not name["several"]) or _is_odd(value) or is_last
    return _span(found) if is_one else None


def _is_odd(value: str) -> bool:
    return _ODD.search(value.rstrip(_ENDS)) is not None


def _is_weakly_named(value: str, least: int) -> bool:
    core = value.rstrip(_ENDS)
    return len(core) >= least and _LETTERS_AND_DIGITS.match(core) is not None


def _is_harmless(value: str) -> bool:
    return value.rstrip(_ENDS).casefold() in STATES or _CODE.match(value) is not None


def _span(found: re.Match[str] | None) -> Span | None:
    return found.span("value") if found else None
