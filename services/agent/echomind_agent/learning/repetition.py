"""Texts of small models, which say the same over and over until they are cut off."""

import re
from typing import Final

_END: Final = re.compile(r"(?<=[.!?;])\s+")


def without_repetition(text: str) -> str:
    """Returns a text whose sentences recur with each of them once; the beginning of one at its end is left out, too."""
    sentences = _END.split(text)
    kept: list[str] = []
    for sentence in sentences:
        if not any(earlier.startswith(sentence) for earlier in kept):
            kept.append(sentence)
    return text if len(kept) == len(sentences) else " ".join(kept)
