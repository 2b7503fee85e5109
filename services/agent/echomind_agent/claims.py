"""What a sentence claims, as far as it can be compared word by word: its terms, figures, names and negations."""

import re
import unicodedata
from dataclasses import dataclass

from echomind_lib.retrieval import content_terms

_FIGURE = re.compile(r"\d+(?:[.,:'’\u00a0\u202f]\d+)*")
_GROUPED = re.compile(r"\d{1,3}(?:[.,'’\u00a0\u202f]\d{3})+")
_WORD = re.compile(r"[^\W\d_]+(?:[’'][^\W\d_]+)*")
_NAME = re.compile(r"[^\W\d_][\w’'-]*[\w]")

# Words of numbers, without "one", which is an article in most languages.
_NUMBER_WORDS = {
    "en": "two three four five six seven eight nine ten eleven twelve",
    "de": "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "fr": "deux trois quatre cinq six sept huit neuf dix onze douze",
    "es": "dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "it": "due tre quattro cinque sei sette otto nove dieci undici dodici",
    "pt": "dois três quatro cinco seis sete oito nove dez onze doze",
    "nl": "twee drie vier vijf zes zeven acht negen tien elf twaalf",
}
_NUMBERS = {
    language: {word: str(number) for number, word in enumerate(words.split(), start=2)}
    for language, words in _NUMBER_WORDS.items()
}
_HAN_NUMBERS = {numeral: str(number) for number, numeral in enumerate("二三四五六七八九十", start=2)} | {"两": "2"}

_NEGATIONS = {
    language: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for language, words in {
        "en": r"not|no|never|none|neither|nor|without|cannot|nothing|nobody|\w+n[’']t",
        "de": r"nicht|kein(?:e[mnrs]?)?|nie|niemals|ohne|weder|nichts|niemand",
        "fr": r"ne|n(?=[’'])|pas|jamais|aucune?|sans|ni|rien",
        "es": r"no|nunca|jamás|sin|ning[uú]n[oa]?s?|ni|nada|nadie",
        "it": r"non|mai|senza|nessun[oa]?|né|niente",
        "pt": r"não|nunca|jamais|sem|nenhuma?|nem|nada|ninguém",
        "nl": r"niet|geen|nooit|zonder|noch|niets|niemand",
        "sv": r"inte|ej|ingen|inget|inga|aldrig|utan",
        "da": r"ikke|ingen|intet|aldrig|uden",
        "no": r"ikke|ingen|intet|aldri|uten",
        "pl": r"nie|bez|nigdy|żad\w+|ani",
        "ru": r"не|нет|ни|без|никогда|никто|ничего",
    }.items()
} | {
    "zh": re.compile(r"不|没|無|无|未|勿|禁止|并非"),
    "ja": re.compile(r"ない|ません|なし|なく|ず(?=[、。にと])"),
}
_CAPITALISED_NOUNS = frozenset({"de"})


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence or passage, taken apart."""

    terms: frozenset[str]
    figures: frozenset[str]
    names: frozenset[str]
    """Terms of words that are written like names; empty where the script does not show them."""
    negations: int


def statement(text: str, language: str) -> Statement:
    """Takes a text apart.

    Args:
        text: Without citations.
        language: ISO 639-1 code, the same for texts that are to be compared.
    """
    text = unicodedata.normalize("NFKC", text)
    pattern = _NEGATIONS.get(language)
    return Statement(
        content_terms(text, language),
        figures(text, language),
        frozenset() if language in _CAPITALISED_NOUNS else names(text, language),
        len(pattern.findall(text)) if pattern else 0,
    )


def figures(text: str, language: str) -> frozenset[str]:
    """The numbers of a text in one form: without separators of thousands, with a decimal point, words as digits."""
    found = {_figure(match[0]) for match in _FIGURE.finditer(text)}
    if language in ("zh", "ja"):
        found.update(_HAN_NUMBERS[character] for character in text if character in _HAN_NUMBERS)
    elif numbers := _NUMBERS.get(language):
        found.update(numbers[word] for word in map(str.casefold, _WORD.findall(text)) if word in numbers)
    return frozenset(found)


def _figure(written: str) -> str:
    if _GROUPED.fullmatch(written):
        written = re.sub(r"\D", "", written)
    written = written.replace(",", ".")
    if written.count(".") == 1 and ":" not in written:
        written = written.rstrip("0").rstrip(".")
    return written.lstrip("0") or "0"


def names(text: str, language: str) -> frozenset[str]:
    """Terms of the words that begin with a capital letter, but for the first word of the text."""
    first = _NAME.search(text)
    found = [
        match[0] for match in _NAME.finditer(text) if match[0][0].isupper() and (first is None or match.start() > first.start())
    ]
    return content_terms(" ".join(found), language)
