"""The claims of a sentence, in a form that is compared word by word: terms, figures, names and negations."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from echomind_lib.retrieval import content_terms, content_words

_FIGURE = re.compile(r"(?<![A-Za-z\d])\d+(?:[.,:'’\u202f]\d+)*")
_GROUPED = re.compile(r"\d{1,3}(?:[.,'’\u202f]\d{3})+")
_WORD = re.compile(r"[^\W\d_]+")
_DECADE = re.compile(r"['’]?s\b|er(?:n\b|[ -]?[Jj]ahre)|年代")
"""What follows the last two digits of the decades of a century."""
_BEFORE_DECADE = re.compile(r"(?:\b(?:the|early|mid|late)[ -]|['’])$", re.IGNORECASE)
"""What stands before an English decade: seconds are written as "90s", too."""
_NAME = re.compile(r"(?=\w)(?:(?![\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])[\w’'-])+")
_CAPITALISED = re.compile(r"\b(?:[A-ZÄÖÜ]\w+|\w{1,3}(?= )|[^\w\s])")
_CLAUSE_END = re.compile(r"[,;:()–—，；：、（）]|\b(?:and|but|und|aber|sondern|et|mais|y|pero|e|ma|mas|en)\b|但|并")

# Number words. Two and three are excluded: "the two reasons" counts a list that the source gives without a number.
_NUMBER_WORDS = {
    "de": "vier fünf sechs sieben acht neun zehn elf zwölf",
    "en": "four five six seven eight nine ten eleven twelve",
    "es": "cuatro cinco seis siete ocho nueve diez once doce",
    "fr": "quatre cinq six sept huit neuf dix onze douze",
    "it": "quattro cinque sei sette otto nove dieci undici dodici",
    "ja": "四 五 六 七 八 九 十",
    "nl": "vier vijf zes zeven acht negen tien elf twaalf",
    "pt": "quatro cinco seis sete oito nove dez onze doze",
    "zh": "四 五 六 七 八 九 十",
}
_ORDINALS = {
    "de": "viert fünft sechst siebt - neunt zehnt elft zwölft",
    "en": "fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
    "fr": "quatrième cinquième sixième septième huitième neuvième dixième onzième douzième",
    "nl": "vierde vijfde zesde zevende achtste negende tiende elfde twaalfde",
}
"""Ordinal words, which are written with digits, too: "the 10th series". "Achten" is mostly a verb."""
_ENDINGS = {"de": ("e", "em", "en", "er", "es")}
_NUMBERS = {
    language: {word: str(number) for number, word in enumerate(words.split(), start=4)}
    | {
        ordinal + ending: str(number)
        for number, ordinal in enumerate(_ORDINALS.get(language, "").split(), start=4)
        for ending in _ENDINGS.get(language, ("", "s"))
    }
    for language, words in _NUMBER_WORDS.items()
}
_ROMAN = re.compile(r"\b(?=[IVXLC]{2})C{0,3}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?<=[IVXLC])\b")
"""Roman numbers from 2 to 399; a single letter may be a word or an initial."""
_ROMAN_VALUES = {"C": 100, "XC": 90, "L": 50, "XL": 40, "X": 10, "IX": 9, "V": 5, "IV": 4, "I": 1}
_ROMAN_PART = re.compile("|".join(sorted(_ROMAN_VALUES, key=len, reverse=True)))
_UNSPACED = frozenset({"ja", "zh"})

_NEGATIONS = {
    language: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for language, words in {
        "da": r"ikke|ingen|intet|aldrig|uden",
        "de": r"(?<!oder )nicht(?! nur)|kein(?:e[mnrs]?)?|nie|niemals|ohne|weder|nichts|niemand",
        "en": r"(?<!or )not(?! only)|no|never|none|neither|nor|without|cannot|nothing|nobody|\w+n[’']t",
        "es": r"no|nunca|jamás|sin|ning[uú]n[oa]?s?|ni|nada|nadie",
        "fr": r"ne|n(?=[’'])|pas|jamais|aucune?|sans|ni|rien",
        "it": r"non|mai|senza|nessun[oa]?|né|niente",
        "nl": r"niet|geen|nooit|zonder|noch|niets|niemand",
        "no": r"ikke|ingen|intet|aldri|uten",
        "pl": r"nie|bez|nigdy|żad\w+|ani",
        "pt": r"não|nunca|jamais|sem|nenhuma?|nem|nada|ninguém",
        "ru": r"не|нет|ни|без|никогда|никто|ничего",
        "sv": r"inte|ej|ingen|inget|inga|aldrig|utan",
    }.items()
} | {
    "ja": re.compile(r"ない|ません|なし|なく|ず(?=[、。にと])"),
    "zh": re.compile(r"不(?![仅但同过断少])|没|無|无(?!论)|未(?!来)|勿|禁止|并非"),
}
CAPITALISED_NOUNS = frozenset({"de"})
"""Languages in which capital letters do not distinguish names from other nouns."""
_DENIED_BEFORE, _DENIED_AFTER = 2, 4
"""Words around a negation that may be what it denies."""
_PREPOSITION = re.compile(r"without|ohne|sans|sin|senza|sem|zonder|utan|uden|uten|bez|без", re.IGNORECASE)
"""Negations that deny only what follows: those who act without a licence do act."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence between punctuation marks or conjunctions."""

    terms: frozenset[str]
    negated: bool
    denied: frozenset[str] = frozenset()
    """The terms next to its negation."""


@dataclass(frozen=True)
class Statement:
    """A text without citations, analysed lazily. Compared texts have the same `language`."""

    text: str
    language: str

    @cached_property
    def terms(self) -> frozenset[str]:
        """Returns the content words as used in search: stemmed, without stop words."""
        return content_terms(self.text, self.language)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Returns the terms in order, repeated ones too."""
        return content_words(self.text, self.language)

    @cached_property
    def figures(self) -> frozenset[str]:
        """Returns the numbers in normal form: no thousands separators, a decimal point, words as digits.

        Decades without their century are of the 20th.
        """
        text = self.text if self.text.isascii() else unicodedata.normalize("NFKC", self.text)
        found = set[str]()
        for match in _FIGURE.finditer(text):
            found.add(f"19{match[0]}" if _is_decade(text, match) else _figure(match[0]))
        if numbers := _NUMBERS.get(self.language):
            words = self.text if self.language in _UNSPACED else _WORD.findall(self.text.casefold())
            found.update(numbers[word] for word in numbers.keys() & words)
        return frozenset(found)

    @cached_property
    def names(self) -> frozenset[str]:
        """Returns the terms of capitalised words, except a text's first word that is capitalised as such."""
        words = [match[0] for match in _NAME.finditer(self.text)]
        first = 0 if self.language in _UNSPACED else 1
        return content_terms(" ".join(word for word in words[first:] if word[0].isupper()), self.language)

    @cached_property
    def parts(self) -> tuple[tuple[frozenset[str], str], ...]:
        """Returns the terms and text of each part between punctuation marks or conjunctions that has content."""
        parts = ((content_terms(part, self.language), part) for part in _CLAUSE_END.split(self.text))
        return tuple((terms, part) for terms, part in parts if terms)

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """Returns the clauses with content; empty for languages whose negations are unknown."""
        negation = _NEGATIONS.get(self.language)
        if negation is None:
            return ()
        return tuple(_clause(terms, part, negation.search(part), self.language) for terms, part in self.parts)

    @cached_property
    def may_be_negated(self) -> bool:
        """Returns whether it has a word of negation at all; without one, none of its clauses is negated."""
        negation = _NEGATIONS.get(self.language)
        return negation is not None and negation.search(self.text) is not None

    @property
    def negated(self) -> bool:
        """Returns whether any of its clauses is negated."""
        return any(clause.negated for clause in self.clauses)


def _clause(terms: frozenset[str], text: str, negation: re.Match[str] | None, language: str) -> Clause:
    if negation is None:
        return Clause(terms, negated=False)
    if language in _UNSPACED:
        return Clause(terms, negated=True)
    before = "" if _PREPOSITION.fullmatch(negation[0]) else text[: negation.start()]
    around = _WORD.findall(before)[-_DENIED_BEFORE:]
    around += _WORD.findall(text[negation.end() :])[:_DENIED_AFTER]
    return Clause(terms, negated=True, denied=content_terms(" ".join(around), language))


def initials(text: str) -> frozenset[str]:
    """Returns the abbreviations of names in a text: the initials of two to five capitalised words in a row."""
    found = set[str]()
    row = ""
    for match in _CAPITALISED.finditer(text):
        word = match[0]
        if word[0].isupper():
            row = (row + word[0].casefold())[-_LONGEST_INITIALS:]
            found.update(row[start:] for start in range(len(row) - 1))
        elif not word[0].isalpha():
            row = ""
    return frozenset(found)


_LONGEST_INITIALS = 5


def roman_numbers(text: str) -> frozenset[str]:
    """Returns the Roman numbers in a text from 2 to 399, as digits."""
    return frozenset(
        str(sum(_ROMAN_VALUES[part] for part in _ROMAN_PART.findall(match[0]))) for match in _ROMAN.finditer(text)
    )


def missing_names(names: Iterable[str], terms: frozenset[str]) -> list[str]:
    """Returns the names that are not among the terms of a text, ignoring endings and accents."""
    absent = [name for name in names if name not in terms]
    if not absent:
        return []
    folded = [_folded(term) for term in terms]
    return [name for name in absent if len(name) < _SHORT_NAME or not _has_prefix(_folded(name), folded)]


_SHORT_NAME = 4
_ENDING = 2
"""Maximum number of differing letters at the end of a name: "India" and "Indian"."""


def _has_prefix(name: str, terms: list[str]) -> bool:
    stem = name[: max(_SHORT_NAME, len(name) - _ENDING)]
    return any(term.startswith(stem) for term in terms)


def _folded(term: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKD", term) if not unicodedata.combining(letter))


def _is_decade(text: str, figure: re.Match[str]) -> bool:
    """Returns whether a figure is a decade without its century."""
    if figure.end() - figure.start() != 2:
        return False
    after = _DECADE.match(text, figure.end())
    if after is None:
        return False
    return after[0][-1] != "s" or _BEFORE_DECADE.search(text, max(0, figure.start() - 7), figure.start()) is not None


def _figure(written: str) -> str:
    if _GROUPED.fullmatch(written):
        written = re.sub(r"\D", "", written)
    written = written.replace(",", ".")
    if written.count(".") == 1 and ":" not in written:
        written = written.rstrip("0").rstrip(".")
    return written.lstrip("0") or "0"
