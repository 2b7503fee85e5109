"""What a question asks for: its parts, and what a quotation must have to answer one of them.

The rules know English and German, and reasons also in Chinese; in other languages every quotation may be an answer.
They were chosen on the tuned half of `tests/fixtures/quoting`, and on a half of XQuAD with no fall of right answers.
"""

import re
from collections.abc import Callable, Sequence

from echomind_agent.extractive.quotes import Quote, may_be_title
from echomind_lib.retrieval import content_terms

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
_CONNECTIVE = re.compile(r"^\W*(?:(?:and|or|but|so|then|und|oder|aber|dann)\b\W*)+", re.IGNORECASE)
_WHAT_ABOUT = re.compile(
    r"(?:what|how)\s+about\b|what\s+if\b|was\s+ist\s+mit\b|wie\s+(?:ist|sieht)\s+es\b", re.IGNORECASE
)

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
_COUNT = re.compile(
    r"^\W*(?:(?:by|since|until|up to|from|for|in|at|on|to|bis|ab|seit|von|aus|mit|auf|an)\s+)?"
    r"(?:how\s+many|wie\s*viele[nr]?)\b",
    re.IGNORECASE,
)
"""Asks for a number of things; of time, another one may be told: "How many years?" "Since the war"."""
_NUMBER_OF = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thir\w+|twenty|forty|fifty|dozens?"
    r"|(?:hundred|thousand|million|billion)s?|half|third|quarter|once|twice|both|all|every|each|no|none|never|any|several"
    r"|few|many|most|only|single|pair|unlimited|two-\w+|ein|einen|einem|zwei|beide[nrs]?|drei|vier|fünf|sechs|sieben|acht"
    r"|neun|zehn|elf|zwölf|zwanzig|dreißig|hunderte?|tausende?|million(?:en)?|milliarden?|halb\w*|hälfte|drittel|viertel"
    r"|jede[nrsm]?|alle|keine?[nrsm]?|mehrere|einige|viele|wenige|nur|meisten|unbegrenzt|einmal|zweimal)\b",
    re.IGNORECASE,
)
_QUANTITY = re.compile(
    r"^\W*(?:what|was)\s+(?:is|was|are|were|ist|war|sind|waren)\s+(?:(?:the|its|their|der|die|das|[\w-]+['’]s)\s+)"
    r"(?:[\w'’-]+\s+){0,3}?(?:population|price|height|depth|length|width|weight|distance|temperature|percentage|diameter"
    r"|altitude|capacity|speed|einwohnerzahl|preis|höhe|tiefe|länge|breite|gewicht|entfernung|temperatur|durchmesser"
    r"|umfang|geschwindigkeit)\b",
    re.IGNORECASE,
)
"""Asks for something that is measured or counted."""
_FIGURE = re.compile(
    r"\d|\b(?:zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thir\w+|twenty|forty|fifty|dozens?"
    r"|(?:hundred|thousand|million|billion)s?|half|one|free|no|null|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf"
    r"|zwölf|zwanzig|dreißig|hunderte?|tausende?|million(?:en)?|milliarden?|halb\w*|kostenlos|umsonst|keine[nr]?)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:what|which)\s+years?\b|\bwelche[mn]\s+jahr|哪一?年|何年|什么年份|哪个年份", re.IGNORECASE)
_DATED = re.compile(
    r"\d{2}|\b(?:centur(?:y|ies)|decades?|jahrhundert\w*|jahrzehnt\w*)\b|年代|世纪|[〇一二三四五六七八九]{2}",
    re.IGNORECASE,
)
_ONE_YEAR = r"(?<![\d.,:])(?P<year>1\d{3}|20\d\d)(?![\d:]|[.,]\d)"
_NAMED_NUMBER = re.compile(rf"{_ONE_YEAR}|(?<=\s)[A-ZÄÖÜ][^\W\d_]*[ -](?P<number>\d+(?:\.\d+)*)\b(?![.,:]?\d|\s?%)")
"""A number that says which one is meant: a year, "Route 168", "LC-34". Others are amounts, which need not be there."""
_YEARS = re.compile(_ONE_YEAR)
_WHETHER = {
    "de": re.compile(
        r"^\W*(?:ist|sind|war|waren|darf|dürfen|kann|können|muss|müssen|soll|sollen|wird|werden|hat|haben|gibt|gilt|gelten)\b",
        re.IGNORECASE,
    ),
    "en": re.compile(
        r"^\W*(?:am|is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have|had)\b", re.IGNORECASE
    ),
}
"""What a question begins with that asks whether something holds, by language: "was" is "what" in German."""
_PREPOSITIONS = "for|with|without|für|mit|ohne"
_FOR_WHOM = re.compile(rf"\b(?:{_PREPOSITIONS})\s+(?P<whom>(?:(?!\b(?:{_PREPOSITIONS})\b)[^,?])+)\W*$", re.IGNORECASE)
_SAME_BEGINNING = 5
"""Initial letters that two forms of a word have in common."""
_HOLDS_SINCE = re.compile(
    rf"(?:\b(?:since|from|as of|after|seit|ab|nach|depuis|desde|dal)\W+(?:\w+\W+){{0,3}}|[自从])\(?{_ONE_YEAR}",
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
_WHO = re.compile(r"^\W*(?:(?:by|to|for|with|von|für|mit|zu|bei)\s+)?(?:who(?:m|se)?|we[rmn]|wessen)\b", re.IGNORECASE)
_OF_MAIL = re.compile(
    r"^\W*(?:(?:from|to|by|with|von|an|mit)\s+)?(?:who(?:m|se)?|we[rmn]|wessen|when|wann)\b"
    r"|\b(?:e-?mails?|address|subject|date|sender|recipients?|adresse|betreff|datum|absender|empfänger)\b",
    re.IGNORECASE,
)
"""Asks for what stands above the text of an e-mail."""
_WHICH = re.compile(r"^\W*(?:what|which|name|list|was|welche[rsnm]?|nenne)\b", re.IGNORECASE)
_OF_NAME = re.compile(
    r"\s(?:of|at|in|for|from|by|with|des|der|von|vom|bei|beim|im|für|am)\s+(?P<name>(?:the\s+)?[A-ZÄÖÜ][\w&.'’-]*"
    r"(?:\s+(?:(?:of|and|und|&)\s+)?[A-ZÄÖÜ][\w&.'’-]*)*)\W*$"
)
"""The name at the end of a question, such as "of Northwind Bicycles"."""
_NAME = re.compile(r"(?<=[\w,;:)] )[A-Z][^\W\d_]+")
_NOUN = re.compile(r"\b[A-ZÄÖÜ][^\W\d_]+")
_TIME = re.compile(
    r"(?:jahr|monat|woche|tag|stund|minut|zeit|janua|februa|märz|april|mai|juni|juli|august|septemb|oktob|novemb|dezemb"
    r"|frühling|sommer|herbst|winter|\w+tag|mittwoch|march|may|june|july|octob|decemb|spring|autumn|\w+day)\w*",
    re.IGNORECASE,
)
_SOMEBODY_GERMAN = re.compile(r"\b(?:er|sie|wir|man|ihr|du|niemand|jemand|beide[nrs]?)\b", re.IGNORECASE)
_SOMEBODY = re.compile(
    r"\b(?:you|we|they|he|she|everyone|everybody|anyone|anybody|nobody|one|people|persons?"
    r"|members?|admin\w*|superadmin\w*|owners?|teams?|staff|employees?|users?|customers?|managers?|visitors?|students?"
    r"|teachers?|scientists?|kings?|queens?|president|government|company|companies|board|committee|department|group"
    r"|groups|desks?|directors?|officers?|leaders?|chair(?:wo)?m[ae]n|offices?|councils?|by|attorneys?|lawyers?|judges?|doctors?|engineers?|authority|authorities|children|women|men|citizens?|workers?|authors?|editors?|viewers?|colleagues?)\b"
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_REFERENCE = re.compile(r"(?<![\w.,:])\d+(?:[-/]\d+)+(?![\w.,:]?\d)")
"""A number that says which one is meant, such as that of an invoice: "2026-0417"."""
_WHOLE_NUMBER = re.compile(rf"(?<!\w){_NUMBER.pattern}")
"""A number that is no part of a name such as "Q1"."""


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
    """Returns whether a quotation has what a question asks for: a number, a time, somebody, the number of a row."""
    required: list[Callable[[Quote], bool]] = []
    if language in ("en", "de") and _HOW_MUCH.search(question):
        # A number that the question names, as that of an invoice, is no amount of it, and neither is the "No." before.
        numbers_named = "|".join(map(re.escape, [*_REFERENCE.findall(question), *_NUMBER.findall(question)]))
        named = re.compile(rf"(?:\bn[or]\.?\s*)?(?<!\w)(?:{numbers_named or '(?!)'})(?![.,:]?\d)", re.IGNORECASE)
        required.append(lambda quote: _AMOUNT.search(named.sub(" ", _shown(quote))) is not None)
    if language in ("en", "de") and _COUNT.search(question):
        required.append(lambda quote: _NUMBER_OF.search(_shown(quote)) is not None)
    if language in ("en", "de") and _QUANTITY.search(question):
        required.append(lambda quote: _FIGURE.search(_shown(quote)) is not None)
    if _YEAR.search(question):
        required.append(lambda quote: _DATED.search(_shown(quote)) is not None)
    if language in ("en", "de") and _WHO.search(question):
        required.append(lambda quote: quote.list_id >= 0 or _tells_of_somebody(_shown(quote), question, language))
    if not _OF_MAIL.search(question):
        required.append(lambda quote: not quote.is_mail_header)
    numbers = {number for number in _WHOLE_NUMBER.findall(question) if not _YEARS.fullmatch(number)}
    if numbers:
        required.append(lambda quote: not quote.table or numbers <= _numbers_of(quote))
    years = {match["year"] for match in _YEARS.finditer(question)}
    if years:
        # A row without a year is of the table's; whether that is the one that is asked for, its source tells.
        required.append(
            lambda quote: not quote.table or not any(is_other_year(year, quote.introduced) for year in years)
        )
    return lambda quote: all(holds(quote) for holds in required)


def _numbers_of(row: Quote) -> set[str]:
    """Returns the numbers of a row and of what stands above it: its headings, and its document's title."""
    return set(_NUMBER.findall(f"{row.introduced} {row.context}"))


def _tells_of_somebody(text: str, question: str, language: str) -> bool:
    """Returns whether a text has a person or a group whom the question does not name itself."""
    if (_SOMEBODY if language == "en" else _SOMEBODY_GERMAN).search(text):
        return True
    asked = content_terms(question, language)
    # All German nouns are capitalised, and so is the first word.
    words = [match[0] for match in (_NAME if language == "en" else _NOUN).finditer(text)]
    return any(not content_terms(word, language) <= asked for word in words if not _TIME.fullmatch(word))


def is_about_another(question: str, text: str, language: str) -> bool:
    """Returns whether a text names other years, or other numbers, than the one that a question names.

    A text that names none may be about the one that is asked for, and one that holds since an earlier year, too. A
    text is also about others if it does not name for whom, or with what, a question asks whether something holds.
    """
    whether = _WHETHER.get(language)
    if whether is not None and whether.search(question) and (match := _FOR_WHOM.search(question)):
        # In German, the verb stands behind them.
        whom = " ".join(_NOUN.findall(match["whom"])) if language == "de" else match["whom"]
        asked, found = content_terms(whom, language), content_terms(text, language)
        begun = {term[:_SAME_BEGINNING] for term in found}
        if asked and not any(term in found or term[:_SAME_BEGINNING] in begun for term in asked):
            return True
    for match in _NAMED_NUMBER.finditer(question):
        if (year := match["year"] or match["number"]) and _YEARS.fullmatch(year):
            is_another = is_other_year(year, text)
        else:
            others = set(_NUMBER.findall(text))
            is_another = bool(others) and match["number"] not in others
        if is_another:
            return True
    return False


def is_of_names_alone(question: str, text: str, language: str) -> bool:
    """Returns whether a text has nothing of a question for somebody but the name at its end.

    Whoever asks for the treasurer of their company does not mean what all its documents name, the company.
    """
    if language not in ("en", "de") or not _WHO.search(question) or not (match := _OF_NAME.search(question)):
        return False
    if language == "de" and len(match["name"].split()) == 1:
        return False  # any noun
    asked, found = content_terms(question[: match.start()], language), content_terms(text, language)
    return bool(asked) and not any(are_related(term, other) for term in asked for other in found)


def are_related(term: str, other: str) -> bool:
    """Returns whether two terms are forms of a word, or one is a part of the other, as of a compound."""
    if term == other:
        return True
    if min(len(term), len(other)) < _SAME_BEGINNING:
        return False
    return term[:_SAME_BEGINNING] == other[:_SAME_BEGINNING] or term in other or other in term


def repeats(question: str, quote: Quote, language: str) -> bool:
    """Returns whether a quotation is a title, or another piece of a sentence, that says nothing beyond the question."""
    whether = _WHETHER.get(language)
    is_row = quote.list_id >= 0 and not quote.is_title
    if is_row or quote.code or not may_be_title(quote.text) or (whether and whether.search(question)):
        return False
    return content_terms(quote.text, language) <= content_terms(question, language)


def asks_for_list(question: str, items: Sequence[Quote], language: str) -> bool:
    """Returns whether a question asks for what stands below a title, and not for one item of it.

    Args:
        question: The question.
        items: All items of a list, or lines below a title, without the title.
        language: That of the question.
    """
    if not items or not _WHICH.search(question):
        return False
    asked, title = content_terms(question, language), content_terms(items[0].heading, language)
    further = asked - title - content_terms(items[0].context, language)
    return bool(title) and title <= asked and not any(further & content_terms(item.text, language) for item in items)


def completed(question: str, earlier: Sequence[str]) -> str:
    """Returns a follow-up question as one that tells what it asks for: by itself, or as the previous one does.

    Args:
        question: The question, such as "And in May?".
        earlier: The previous questions that it needs, oldest first; none for a question that is no follow-up.
    """
    if not earlier:
        return question
    own = _CONNECTIVE.sub("", question)
    if _BEGINS_ASKING.match(own) and not _WHAT_ABOUT.match(own):
        return own
    before = earlier[0].rstrip(" ?？")
    # The number that it names stands in the place of the one before.
    return f"{_NUMBER.sub('', before) if _NUMBER.search(own) else before} {own}"


def is_other_year(year: str, text: str) -> bool:
    """Returns whether a text names years, but not this one, and nothing that holds since it or an earlier one."""
    others = {found["year"] for found in _YEARS.finditer(text)}
    holds = any(found["year"] <= year for found in _HOLDS_SINCE.finditer(text))
    return bool(others) and year not in others and not holds


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
