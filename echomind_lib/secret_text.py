"""Secrets in texts that people and models want kept: keys, passwords, card numbers.

What is remembered is found by others' questions and sent to models, so a secret must not be among it. This errs on the
side of refusing: whoever means a harmless text can write it in other words.
"""

import math
import re
from collections import Counter
from typing import Final

_FORMATS: Final = (
    ("a private key", re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY")),
    (
        "an API key",
        re.compile(
            r"\b(?:sk-(?:ant-|proj-)?[\w-]{16,}|(?:sk|rk|pk)_(?:live|test)_\w{10,}|gh[opsur]_\w{20,}|github_pat_\w{20,}"
            r"|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{30,}|ya29\.[\w-]{20,}"
            r"|hf_\w{20,}|npm_\w{20,}|pypi-[\w-]{20,}|SG\.[\w-]{16,}\.[\w-]{16,}|dop_v1_\w{20,}|em_[\w-]{24,})"
        ),
    ),
    ("a signed token", re.compile(r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}")),
    ("a password in an address", re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]{3,}@", re.IGNORECASE)),
    (
        "a password",
        re.compile(
            r"\b(?:password|passwd|passphrase|passwort|kennwort|pwd|pin|secret|geheimnis|token"
            r"|api[ _-]?key|access[ _-]?key|client[ _-]?secret)\b"
            r"[^\S\n]*(?:\w+[^\S\n]+){0,3}?(?:[:=]|\bis\b|\bist\b|\blautet\b)[^\S\n]*"
            r"[\"'`“„]?(?=[^\s\"'`]{4,})(?=[^\s\"'`]*[\d!#$%&*+?@^_~])[^\s\"'`]+",
            re.IGNORECASE,
        ),
    ),
)
_DIGITS: Final = re.compile(r"(?<![\d.,])\d(?:[ -]?\d){12,18}(?![\d.,]?\d)")
_WORD: Final = re.compile(r"[A-Za-z0-9+/_=-]{24,}")
_RANDOM_BITS: Final = 4.0
"""Bits a character from which a long word with digits and letters of both cases is taken for random."""
_HEX: Final = re.compile(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{32,}\b", re.IGNORECASE)


def secret_in(text: str) -> str | None:
    """Returns what kind of secret a text holds, such as "an API key"; None when it seems to hold none."""
    for kind, form in _FORMATS:
        if form.search(text):
            return kind
    if any(_passes_luhn(match[0]) for match in _DIGITS.finditer(text)):
        return "a card number"
    if _HEX.search(text) or any(_is_random(match[0]) for match in _WORD.finditer(text)):
        return "a key"
    return None


def _passes_luhn(written: str) -> bool:
    """Whether digits are a card number's: the check digit of ISO/IEC 7812-1, annex B."""
    digits = [int(character) for character in written if character.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_random(word: str) -> bool:
    kinds = (str.isdigit, str.islower, str.isupper)
    if not all(any(is_kind(character) for character in word) for is_kind in kinds) or "/" in word.strip("/"):
        return False
    counts = Counter(word)
    bits = -sum(count / len(word) * math.log2(count / len(word)) for count in counts.values())
    return bits >= _RANDOM_BITS
