"""What a question asks for: its parts, and what a quotation must have to answer one of them.

The rules know English and German, and reasons also in Chinese; in other languages every quotation may be an answer.
They were chosen on the tuned half of `tests/fixtures/quoting`, with no fall on a half of XQuAD.
"""

import re
from collections.abc import Callable

from echomind_agent.extractive.quotes import Quote

_ASKING = (
    r"(?:who|whom|whose|what|which|when|where|why|how|wer|wen|wem|wessen|was|welche[nrms]?|wann|wo|warum|weshalb|wieso"
    r"|wie|wohin|woher)\b"
)
_JOINT = re.compile(
    r"(?:[,;]?\s+(?:and|und)\s+|[?？]\s*)"
    rf"(?=(?:(?:by|up to|in|at|on|since|from|for|bis|ab|seit|von|zu)\s+)?{_ASKING})",
    re.IGNORECASE,
)
_BEGINS_ASKING = re.compile(rf"(?:\w+\s+){{0,3}}{_ASKING}", re.IGNORECASE)

_WHY = re.compile(
    r"^\W*(?:why\b|(?:what|which)\s+(?:is|was|are|were)\s+the\s+(?:reasons?|cause)\b|what\s+caused\b|for what reason\b"
    r"|warum\b|weshalb\b|wieso\b|aus welchem grund\b|was (?:ist|war) der grund\b)|为什么|为何|什么原因",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|due to|owing to|thanks to|on account of|so that|in order|why|therefore|hence|caused?|causes|reasons?"
    r"|result(?:s|ed)?|leads?|led|since|to (?:avoid|prevent|protect|ensure|reduce|save|keep|make|allow|help|improve)"
    r"|weil|denn|wegen|aufgrund|infolge|dank|damit|deshalb|deswegen|daher|darum|gr[uü]nde?\w*|führte?n?|um)\b"
    r"|\bas\s+(?!of\b|well\b|long\b|soon\b|much\b|many\b|a\b|an\b|the\b\s+\w+\s*[.,])|,\s*da\b|^da\b|\w: \w"
    r"|因为|由于|为了|因此|所以|导致|原因",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"\b(?:had|has|have)\s+(?:\w+\s+){0,2}?(?:\w+(?:ed|en|wn|ne|ught|t|d)\b)|\b(?:hatten?|waren?)\b", re.IGNORECASE
)
"""The perfect tenses: a sentence after an event that tells what had happened before gives its reason."""

_HOW_MUCH = re.compile(
    r"^\W*(?:(?:by|since|until|up to|from|for|in|at|bis|ab|seit|von)\s+)?"
    r"(?:how\s+(?:much|many|long|old|far|high|deep|large|big|wide|tall|heavy|fast|warm|cold|often)|when|what year"
    r"|wie\s*(?:viele?|lange?|hoch|alt|weit|tief|groß|breit|schwer|schnell|warm|kalt|oft)|wann)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?|thousands?|millions?"
    r"|billions?|half|quarter|third|once|twice|both|all|every|each|no|none|never|always|any|unlimited|several|few"
    r"|many|most|eine?[nrsm]?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|halb\w*|viertel|jede[nrsm]?"
    r"|alle|keine?[nrsm]?|nie|immer|mehrere|viele|unbegrenzt|einmal|zweimal)\b"
    r"|\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|century|centuries|daily|weekly|monthly|yearly|annual\w*"
    r"|morning|noon|evening|night|today|tomorrow|before|after|during|until|while|as soon as|when|if|immediately"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|täglich|wöchentlich|monatlich"
    r"|jährlich|morgens?|mittags?|abends?|nachts?|vor|nach|während|bis|sobald|wenn|sofort|\w+tags?|januar|februar|märz"
    r"|mai|juni|juli|oktober|dezember)\b",
    re.IGNORECASE,
)
_WHO = re.compile(r"^\W*(?:by\s+|to\s+|for\s+|with\s+)?who(?:m|se)?\b", re.IGNORECASE)
_SOMEBODY = re.compile(
    r"(?<=[\w,;:)] )[A-Z][^\W\d_]+|\b(?:you|we|they|he|she|everyone|everybody|anyone|anybody|nobody|one|people|persons?"
    r"|members?|admin\w*|superadmin\w*|owners?|teams?|staff|employees?|users?|customers?|managers?|visitors?|students?"
    r"|teachers?|scientists?|kings?|queens?|president|government|company|companies|board|committee|department|group"
    r"|groups|desks?|offices?|councils?|by|attorneys?|lawyers?|judges?|doctors?|engineers?|authority|authorities|children|women|men|citizens?|workers?|authors?|editors?|viewers?|colleagues?)\b"
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def parts_of(question: str) -> list[str]:
    """Returns the questions that a question with several parts asks, in order; the whole if there is only one."""
    parts = [part.strip(" ,;?") for part in _JOINT.split(question)]
    return parts if len(parts) > 1 and all(map(_BEGINS_ASKING.match, parts)) else [question]


def asks_why(question: str) -> bool:
    """Returns whether a question asks for a reason."""
    return _WHY.search(question) is not None


def reason_for(quote: Quote, after: Quote | None) -> list[Quote]:
    """Returns the quotations that give a reason: the quotation, with the one after it if that tells why, or none."""
    if _REASON.search(quote.text):
        return [quote]
    is_next = after is not None and (after.number, after.heading, after.list_id) == (quote.number, quote.heading, -1)
    if after is not None and is_next and (_REASON.search(after.text) or _EARLIER.search(after.text)):
        return [quote, after]
    return [quote] if quote.before and _REASON.search(quote.before) else []


def requirement(question: str, language: str) -> Callable[[Quote], bool]:
    """Returns whether a quotation has what a question asks for: an amount or a time, somebody, the number of a row."""
    required: list[Callable[[Quote], bool]] = []
    if language in ("en", "de") and _HOW_MUCH.search(question):
        required.append(lambda quote: _AMOUNT.search(_shown(quote)) is not None)
    if language == "en" and _WHO.search(question):
        required.append(lambda quote: bool(quote.list_id >= 0 or _SOMEBODY.search(_shown(quote))))
    numbers = set(_NUMBER.findall(question))
    if numbers:
        required.append(lambda quote: not quote.table or numbers <= set(_NUMBER.findall(quote.introduced)))
    return lambda quote: all(holds(quote) for holds in required)


def is_in_cell(question: str, quote: Quote) -> bool:
    """Returns whether a row has a number of the question under a name that the question has beside it."""
    for number in _NUMBER.findall(question):
        named = re.escape(number)
        for cell in quote.text.split("; ") if quote.table else ():
            name, _, value = cell.partition(": ")
            if re.fullmatch(rf"{named}\b.*", value) and re.search(
                rf"\b{named}\s+{re.escape(name)}\b|\b{re.escape(name)}\s+{named}\b", question, re.IGNORECASE
            ):
                return True
    return False


def _shown(quote: Quote) -> str:
    return f"{quote.lead} {quote.before} {quote.text} {quote.code}"
