"""Decoding of bytes, and the normal form of all texts."""

import codecs
import re
import unicodedata

from echomind_lib.encodings import likely_encoding

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 64 * 1024
_MAX_CONTROLS = 0.02
_WESTERN = "cp1252"
_DECLARED = re.compile(
    rb"""<\?xml\s[^>]{0,200}?encoding=["']([\w.:-]{2,40})|<meta\s[^>]{0,300}?charset=["']?\s*([\w.:-]{2,40})""",
    re.IGNORECASE,
)
_DECLARED_WITHIN = 4096
_SUPERSETS = {
    "ascii": _WESTERN,
    "iso8859-1": _WESTERN,
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "tis-620": "cp874",
}
"""By Python's name: the encoding that is meant by its name, which has all its characters and more."""
_SHIFTS = (b"\x1b$", b"\x1b(")
"""How ISO 2022, which has bytes of ASCII alone, switches between sets of characters."""
_STRANGE = frozenset({"Cc", "Cn", "Co", "Cs"})
_CONTROLS = bytes({*range(32)} - {9, 10, 12, 13, 27})

# Line ends, tabs and form feeds are kept; soft hyphens, zero-width and other invisible characters are removed.
_NEWLINES = re.compile(r"\r\n?|[\u0085\u2028\u2029\v\f]")
_INVISIBLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u2060\ufeff\ufffe\uffff\ud800-\udfff]")
_BLANKS = re.compile(r"[\u00a0\u2000-\u200a\u202f\u205f]")
_LINE_END = re.compile(r"(?<![ \t])[ \t]++\n")
_GAP = re.compile(r"\n{3,}")


def decode(data: bytes) -> str | None:
    """Returns the text of a text file in any encoding; None if it is not text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    sample = data[:_SAMPLE]
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if controls > _MAX_CONTROLS * len(sample):
        # UTF-16 and UTF-32 without a mark have a zero in each letter of most alphabets.
        wide = likely_encoding(sample) if b"\0" in sample else ""
        is_wide = wide.lower().startswith(("utf-16", "utf-32")) and _is_text(sample.decode(wide, "replace"))
        return data.decode(wide, "replace") if is_wide else None
    if any(shift in sample for shift in _SHIFTS) and (shifted := likely_encoding(sample)).lower().startswith(
        "iso-2022"
    ):
        return data.decode(shifted, "replace")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode(_declared(data) or likely_encoding(sample) or _WESTERN, "replace")


def encoding_of(name: str) -> str:
    """Returns the encoding that a file means by a name; empty if there is none of it, or it is not one of texts."""
    try:
        known = codecs.lookup(name).name
        b"x".decode(known)
    except (LookupError, ValueError):
        return ""
    return _SUPERSETS.get(known, known)


def _is_text(text: str) -> bool:
    """Returns whether nearly all characters are ones that texts have."""
    strange = sum(unicodedata.category(sign) in _STRANGE and sign not in "\t\n\r\f" for sign in text)
    return strange <= _MAX_CONTROLS * len(text)


def _declared(data: bytes) -> str:
    """Returns the encoding that a page or an XML file states; empty for none, or if its bytes are not in it."""
    found = _DECLARED.search(data, 0, _DECLARED_WITHIN) if data.lstrip().startswith(b"<") else None
    encoding = encoding_of((found[1] or found[2]).decode("ascii")) if found else ""
    if encoding:
        try:
            data.decode(encoding)
        except UnicodeDecodeError:
            return ""
    return encoding


def normalize(text: str) -> str:
    """Returns a text in normal form: NFC, line feeds, at most one empty line, no invisible characters."""
    text = _BLANKS.sub(" ", _INVISIBLE.sub("", _NEWLINES.sub("\n", text)))
    text = unicodedata.normalize("NFC", text)  # last, as removing characters may join letters and marks
    return _GAP.sub("\n\n", _LINE_END.sub("\n", text)).strip()
