"""The lexical half of the search: BM25 as sparse vectors.

A document's vector contains the weight of each term (BM25's saturated, length-normalised term
frequency); a question's vector contains 1 for each term; the vector index multiplies in the inverse document frequency,
`ln(1 + (N - n + 0.5) / (n + 0.5))`, which is Lucene's. Robertson and Zaragoza, "The Probabilistic Relevance Framework:
BM25 and Beyond", 2009.
"""

from __future__ import annotations

import json
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import Stemmer  # type: ignore[import-not-found]

from echomind_lib.retrieval.compounds import compound_parts
from echomind_lib.retrieval.language import LATIN, UNSPACED
from echomind_lib.vectors import SparseVector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ENCODER_ID = "bm25-2"
"""Id of this encoder; vectors with the same id are comparable. An index is searched with the one that it was built
with."""
_WHOLE_WORDS = "bm25-1"
"""The encoder of before: compounds are one term, Thai is pairs of characters, and Turkish is lower-cased as English."""

K1 = 1.2
B = 0.75
"""Lucene's defaults."""
AVERAGE_LENGTH = 85
"""Terms of an average full passage of English prose with its title. Fixed, so that a passage's vector does not depend
on the others: passages are cut to a size, so their lengths hardly differ between collections."""

_STEMMERS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish",
    "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "ne": "nepali", "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip

_UNSPACED = r"\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af\u1100-\u11ff\u3130-\u318f"
_UNSPACED += r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003ffff"
"""Scripts without spaces between words, and Hangul, whose words have attached particles."""
_MARKS = r"\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
"""Combining marks within words, which Python does not count as letters."""
_TOKEN = re.compile(rf"(?P<unspaced>[{_UNSPACED}]+)|(?:(?![{_UNSPACED}_])[\w{_MARKS}])+")
_SPELLED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""Thai, Lao, Burmese and Khmer, whose characters are letters: their pairs are in every text."""
_TURKISH_CAPITALS = str.maketrans("Iİ", "ıi")
_SPECIAL = re.compile(f"[{_UNSPACED}{_MARKS}]")
_WORD = re.compile(r"[^\W_]+")
"""Equivalent to `_TOKEN` for plain text, in half the time."""
_LAST_LATIN = "\u024f"


def encode_document(text: str, language: str, encoder: str = ENCODER_ID) -> SparseVector:
    """Returns the vector of a passage.

    Args:
        text: The passage, with additional text by which it is found.
        language: ISO 639-1 code of its document.
        encoder: The encoder of the index.
    """
    counts = Counter(terms(text, language, encoder))
    if not counts:
        return _empty()
    import numpy as np

    length = sum(counts.values())
    frequencies = np.fromiter(counts.values(), dtype=np.float32)
    weights = frequencies * (K1 + 1) / (frequencies + K1 * (1 - B + B * length / AVERAGE_LENGTH))
    return _sorted(counts, weights.astype(np.float32))


def encode_query(text: str, readings: Iterable[str], encoder: str = ENCODER_ID) -> SparseVector:
    """Returns the vector of a question.

    Args:
        text: The question.
        readings: Its possible languages, the most likely first: each word is stemmed in each of them.
        encoder: The encoder of the index.
    """
    found = dict.fromkeys(term for language in readings for term in terms(text, language, encoder))
    import numpy as np

    return _sorted(found, np.ones(len(found), dtype=np.float32)) if found else _empty()


def terms(text: str, language: str, encoder: str = ENCODER_ID) -> Iterator[str]:
    """Returns the terms of a text, in order.

    Words are stemmed and stop words removed; German compounds are followed by their parts. In scripts without spaces,
    each pair of characters is a term, or each word where characters are letters, as in Thai.
    """
    is_whole = encoder == _WHOLE_WORDS
    text = normalize(text.translate(_TURKISH_CAPITALS) if language == "tr" and not is_whole else text)
    if language not in LATIN or _SPECIAL.search(text) is not None:
        return _mixed_terms(text, language, is_whole=is_whole)
    stop = _stop_words(language)
    words = [word for word in _WORD.findall(text) if word not in stop]
    if language == "de" and not is_whole:
        words = [part for word in words for part in (word, *compound_parts(word))]
    return iter(_stem_words(language)(words))


def _mixed_terms(text: str, language: str, *, is_whole: bool) -> Iterator[str]:
    """Yields the terms of a normalised text in any script."""
    stop, stem = _stop_words(language), _stemmer(language)
    english_stop, english_stem = _stop_words("en"), _stemmer("en")
    for match in _TOKEN.finditer(text):
        word = match.group()
        if match.lastgroup == "unspaced":
            if is_whole or _SPELLED.search(word) is None:
                yield from _pairs(word)
            else:
                yield from (part for part in _spelled_words(word) if part not in stop)
        elif language not in LATIN and word[0] <= _LAST_LATIN:
            if word not in english_stop:
                yield english_stem(word)
        elif word not in stop:
            yield stem(word)
            if language == "de" and not is_whole:
                yield from map(stem, compound_parts(word))


def _pairs(word: str) -> Iterator[str]:
    return (word[i : i + 2] for i in range(len(word) - 1)) if len(word) > 1 else iter((word,))


def _spelled_words(text: str) -> Iterator[str]:
    """Yields the words of a text without spaces whose characters are letters, and pairs of other characters."""
    from icu4py.breakers import WordBreaker  # 33 MB of data, mapped from its file

    for word in WordBreaker(text, "th"):
        yield from (word,) if _SPELLED.search(word) else _pairs(word)


def has_pairs(language: str, encoder: str) -> bool:
    """Returns whether the terms of a language are pairs of characters."""
    return language in UNSPACED and (language != "th" or encoder == _WHOLE_WORDS)


def content_words(text: str, language: str = "en") -> tuple[str, ...]:
    """Returns the terms of a text in order, for comparing texts of one language.

    With a wrong language, less is stemmed and removed, but equally on both sides of the comparison. Compounds are
    whole, as a text that shares a part of one says something else.
    """
    return tuple(terms(text, language, _WHOLE_WORDS))


def content_terms(text: str, language: str = "en") -> frozenset[str]:
    """Returns the distinct terms of a text, as in `content_words`."""
    return frozenset(terms(text, language, _WHOLE_WORDS))


def normalize(text: str) -> str:
    """Returns a text in Unicode normal form KC and case-folded, so that equivalent spellings are equal."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def term_id(term: str) -> int:
    """Returns the id of a term, its CRC-32, which is the same in every process."""
    return zlib.crc32(term.encode())


def _empty() -> SparseVector:
    import numpy as np

    return SparseVector(np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.float32))


def _sorted(found: Iterable[str], weights: NDArray[np.float32]) -> SparseVector:
    import numpy as np

    totals: dict[int, float] = {}
    for term, weight in zip(found, weights.tolist(), strict=True):
        number = zlib.crc32(term.encode())  # as in `term_id`, without a call for each term
        totals[number] = totals.get(number, 0.0) + weight  # two terms with the same id count as one
    ids = sorted(totals)
    return SparseVector(np.array(ids, dtype=np.uint32), np.array([totals[each] for each in ids], dtype=np.float32))


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    algorithm = _STEMMERS.get(language)
    if algorithm is None:
        return str
    stem: Callable[[str], str] = Stemmer.Stemmer(algorithm).stemWord
    return stem


@cache
def _stem_words(language: str) -> Callable[[list[str]], list[str]]:
    algorithm = _STEMMERS.get(language)
    if algorithm is None:
        return list
    stem: Callable[[list[str]], list[str]] = Stemmer.Stemmer(algorithm).stemWords
    return stem


@cache
def _stop_words(language: str) -> frozenset[str]:
    return _all_stop_words().get(language, frozenset())


@cache
def _all_stop_words() -> dict[str, frozenset[str]]:
    text = (Path(__file__).parent / "data" / "stopwords.json").read_text(encoding="utf-8")
    return {language: frozenset(normalize(words).split()) for language, words in json.loads(text).items()}
