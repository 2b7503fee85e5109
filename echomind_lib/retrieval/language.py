"""The language of documents and questions, as ISO 639-1 codes."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from threading import Lock
from typing import Any

from echomind_lib.process.freed_memory import release_freed_memory

DEFAULT = "en"
"""For Latin text that is too short or unusual to be identified."""

LATIN = frozenset(
    {"ca", "cs", "da", "de", "en", "es", "et", "eu", "fi", "fr", "ga", "hu", "id", "it", "lt", "nl", "no", "pl", "pt"}
    | {"ro", "sv", "tr", "vi"}
)
"""Supported languages in Latin script."""

UNSPACED = frozenset({"ja", "ko", "th", "zh"})
"""Languages whose terms are pairs of characters."""

SUPPORTED = LATIN | {"ar", "el", "fa", "he", "hi", "hy", "ja", "ko", "ne", "ru", "sr", "ta", "th", "uk", "zh"}
"""Languages that are distinguished; others are identified as the most similar one."""

_SAMPLE = 6000
"""Characters used to detect a document's language, from its middle, where front matter and indexes are rare."""
_SURE = 0.5
_POSSIBLE = 0.1
_MAX_READINGS = 4
_REMEMBERED = 256
"""Questions whose languages are kept: those of a turn are asked for at each step that looks at the question."""
_REMEMBERED_CHARACTERS = 500
"""Maximum length of such a question."""

_LETTER = re.compile(r"[^\W\d_]")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_KANA = re.compile(r"[\u3040-\u30ff\u31f0-\u31ff]")
_HANGUL = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class QueryLanguage:
    """The possible languages of a question."""

    language: str
    """The most likely one, or `DEFAULT` if none is likely."""
    readings: tuple[str, ...]
    """All possible languages, the most likely first; never empty. Words are stemmed in each of them."""
    likely: frozenset[str]
    """Those of them that the text itself suggests: `DEFAULT` may be a reading of texts that do not look like it."""


def document_language(text: str) -> str:
    """Returns the language of a text of some length.

    Mixed texts have the language of their larger part; Japanese is distinguished from Chinese by its kana.
    """
    start = max(0, (len(text) - _SAMPLE) // 2)
    sample = text[start : start + _SAMPLE]
    if (script := _script_language(sample)) is not None:
        return script
    language, probability = _identify(sample)[0]
    return language if probability >= _SURE else DEFAULT


def query_language(text: str) -> QueryLanguage:
    """Returns the languages in which a question may be written.

    Short questions cannot be identified reliably ("parking" is as much Norwegian as English), so words are stemmed in
    every likely language, and `DEFAULT` is one of the readings of every question in Latin script.
    """
    return _remembered_language(text) if len(text) <= _REMEMBERED_CHARACTERS else _query_language(text)


def _query_language(text: str) -> QueryLanguage:
    if (script := _script_language(text)) is not None:
        return QueryLanguage(script, (script,), frozenset({script}))
    ranked = _identify(text)
    language, probability = ranked[0]
    sure = language if probability >= _SURE else DEFAULT
    readings = [sure]
    readings += [code for code, likely in ranked[:_MAX_READINGS] if likely >= _POSSIBLE and code != sure]
    suggested = frozenset(readings)
    if DEFAULT not in readings and (language in LATIN or probability < _SURE):
        readings.append(DEFAULT)
    return QueryLanguage(sure, tuple(readings), suggested)


_remembered_language = lru_cache(_REMEMBERED)(_query_language)


def _script_language(text: str) -> str | None:
    """Returns the language of a text that its script identifies; None if letters of other scripts prevail.

    A Chinese character counts double: it carries about as much as two letters.
    """
    han, kana, hangul = len(_HAN.findall(text)), len(_KANA.findall(text)), len(_HANGUL.findall(text))
    east_asian = han + kana + hangul
    others = len(_LETTER.findall(text)) - east_asian
    if 2 * east_asian <= others or east_asian == 0:
        return None
    if hangul > han + kana:
        return "ko"
    return "ja" if kana > 0.05 * east_asian else "zh"


def _identify(text: str) -> list[tuple[str, float]]:
    """Returns languages and their probabilities, the most likely first."""
    ranked: list[tuple[str, float]] = _identifier().rank(text)
    return ranked


_loading = Lock()


def _identifier() -> Any:
    """Returns the statistical model; loading it takes half a second and 50 MB, so only processes that need it do."""
    # Concurrent threads wait instead of loading the model once each.
    with _loading:
        return _load()


@cache
def _load() -> Any:
    import numpy as np
    from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]
    from py3langid.modelio import load_model  # type: ignore[import-untyped]

    likelihoods, priors, languages, moves, rows, outputs = load_model(MODEL_DIR / MODEL_FILE)
    # The model's own way to exclude languages keeps the weights of all of them.
    kept = [index for index, language in enumerate(languages) if language in SUPPORTED]
    likelihoods = np.ascontiguousarray(likelihoods[:, kept])
    release_freed_memory()
    return LanguageIdentifier(
        likelihoods,
        priors[kept],
        [languages[index] for index in kept],
        moves,
        outputs,
        norm_probs=True,
        tk_row=rows,
    )


def is_loaded() -> bool:
    """Returns whether the model is loaded."""
    return _load.cache_info().currsize > 0


def load() -> None:
    """Loads the model now, in the calling thread, rather than at the first text."""
    _identifier()


def unload() -> None:
    """Gives the memory of the model back; the next text loads it again."""
    _remembered_language.cache_clear()
    _load.cache_clear()
    release_freed_memory()
