"""Parts of German compounds, so that `Urlaubsanspruch` and `Jahresurlaub` share one.

A compound is divided into words of a list, of which the last may be inflected and the others may have a linking sound.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import Stemmer  # type: ignore[import-not-found]

if TYPE_CHECKING:
    from collections.abc import Callable

_SHORTEST: Final = 10
"""Letters of a word that is divided: shorter ones are often divided wrongly."""
_SHORTEST_PART: Final = 4
_LONGEST: Final = 60
"""Longer words are not German."""
_LINKS: Final = ("", "s", "es", "n", "en", "er", "e")
"""Sounds between two parts."""


@lru_cache(16_384)
def compound_parts(word: str) -> tuple[str, ...]:
    """Returns the parts of a normalised German word, and theirs, without linking sounds; empty if it has none."""
    if not _SHORTEST <= len(word) <= _LONGEST or not word.isalpha():
        return ()
    return tuple(part for whole in _parts(word) for part in (whole, *compound_parts(whole)))


def _parts(word: str) -> tuple[str, ...]:
    """Returns the division into the fewest parts; of several, the one whose shortest part is longest."""
    words, stems = _words()
    stem = _stem()
    best: tuple[str, ...] = ()
    for split in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        head = word[split:]
        if stem(head) not in stems:
            continue
        first = _without_link(word[:split], words)
        before = (first,) if first else _parts(word[:split])
        if not before:
            continue
        found = (*before, head)
        if not best or (len(found), -min(map(len, found))) < (len(best), -min(map(len, best))):
            best = found
    return best


def _without_link(text: str, words: frozenset[str]) -> str:
    """Returns the word of the list that a first part is; empty if it is none."""
    for link in _LINKS:
        word = text.removesuffix(link)
        if text.endswith(link) and len(word) >= _SHORTEST_PART and word in words:
            return word
    return ""


@cache
def _words() -> tuple[frozenset[str], frozenset[str]]:
    """Returns the words of the list, and their stems."""
    text = (Path(__file__).parent / "data" / "german_words.txt").read_text(encoding="utf-8")
    words = text.split()
    return frozenset(words), frozenset(Stemmer.Stemmer("german").stemWords(words))


@cache
def _stem() -> Callable[[str], str]:
    stem: Callable[[str], str] = Stemmer.Stemmer("german").stemWord
    return stem
