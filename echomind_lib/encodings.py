"""Detection of the encoding of texts that do not state it."""

_WESTERN = "cp1252"
_GUESSABLE = 60
"""Minimum bytes to tell encodings of Latin letters apart; below it, the most common one is a better guess."""
_LATIN_SHARE = 0.3
"""Share of letters beyond ASCII below which a text is written in Latin letters."""
_LATIN = (
    *("windows-1252", "windows-1250", "windows-1254", "windows-1257", "iso-8859-2"),
    *("mac-roman", "cp850", "cp437", "cp852"),
)
_BEYOND_ASCII = bytes(range(0x81, 0x100))
"""Without what is the sign of the euro where letters are Latin."""
_LETTERS = bytes([*range(ord("A"), ord("Z") + 1), *range(ord("a"), ord("z") + 1)])


def likely_encoding(sample: bytes) -> str:
    """Returns the most likely encoding of a text that is not UTF-8 (decision 0057); empty if it is likely no text.

    Args:
        sample: The text, or its beginning: 64 KiB are enough.
    """
    import chardet

    beyond = len(sample) - len(sample.translate(None, _BEYOND_ASCII))
    letters = len(sample) - len(sample.translate(None, _LETTERS))
    if b"\0" not in sample and 0 < beyond < _LATIN_SHARE * (beyond + letters):
        if len(sample) < _GUESSABLE:
            return _WESTERN
        return chardet.detect(sample, include_encodings=_LATIN)["encoding"] or ""
    return chardet.detect(sample)["encoding"] or ""
