"""Secrets in texts: keys, passwords, card numbers. They are kept out of prompts that extract facts, and of facts."""

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

REDACTED: Final = "[secret]"
"""What stands in the place of a secret."""

# Formats that vendors publish for secret scanners.
_FORMATS: Final = re.compile(
    r"""
    -----BEGIN[ A-Z]*PRIVATE\ KEY-----.*?(?:-----END[ A-Z]*PRIVATE\ KEY-----|\Z)
    | \b(?:AKIA|ASIA)[0-9A-Z]{16}\b                                  # AWS
    | \bgh[pousr]_[A-Za-z0-9]{20,}\b | \bgithub_pat_\w{20,}\b        # GitHub
    | \bglpat-[\w-]{20,}                                             # GitLab
    | \b[spr]k[-_](?:live|test|proj|ant|or)?[-_]?[A-Za-z0-9_-]{16,}  # OpenAI, Anthropic, Stripe
    | \bxox[abeoprs]-[A-Za-z0-9-]{10,}                               # Slack
    | \bAIza[\w-]{35}                                                # Google
    | \bya29\.[\w-]{20,}
    | \bhf_[A-Za-z0-9]{20,}\b | \bnpm_[A-Za-z0-9]{20,}\b | \bpypi-[\w-]{20,}
    | \bSG\.[\w-]{16,}\.[\w-]{16,}
    | \beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*                            # JSON web tokens
    | \bem_[A-Za-z0-9_-]{20,}                                        # our own API keys
    """,
    re.VERBOSE | re.DOTALL,
)
# Somebody calls it a secret: the value behind the word.
_NAMED: Final = re.compile(
    r"""
    \b(?:pass(?:word|wort|phrase|code|wd)?|kennwort|pwd|pin|puk|cvc|cvv|tan|secret|geheimnis|token|credentials?
        |api[\s_-]?key|access[\s_-]?key|private[\s_-]?key|client[\s_-]?secret|contraseña|mot\ de\ passe)\b
    (?P<between>[^\n.;!?]{0,40}?(?:\bis\b|\bist\b|\bwas\b|\bes\b|\best\b|:=|=|:|→)\s*|\s+)
    (?P<quote>["'`«»“”]?)(?P<value>[^\s"'`«»“”]{3,})
    """,
    re.VERBOSE | re.IGNORECASE,
)
_URL_PASSWORD: Final = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s/:@]+:(?P<value>[^\s/@]+)@", re.IGNORECASE)
_DIGITS: Final = re.compile(r"(?<![\w.])\d(?:[ -]?\d){12,18}(?![\w])")
_IBAN: Final = re.compile(r"\b[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){3,7}(?:[ ]?[A-Z0-9]{1,3})?\b")
_TOKEN: Final = re.compile(r"[A-Za-z0-9+/=_-]{20,}")
_MOST_BITS_OF_WORDS: Final = 3.5
"""Bits a character from which a long token without spaces is random: names of files and packages stay below."""
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def has_secret(text: str) -> bool:
    """Returns whether a text holds something that looks like a secret."""
    return next(_spans(text), None) is not None


def redacted(text: str) -> str:
    """Returns a text with `[secret]` in the place of what looks like a secret."""
    spans = sorted(_spans(text))
    parts, end = [], 0
    for start, stop in spans:
        if start >= end:
            parts += [text[end:start], REDACTED]
        end = max(end, stop)
    return "".join(parts) + text[end:]


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yields where secrets begin and end."""
    for found in _FORMATS.finditer(text):
        yield found.span()
    for found in _NAMED.finditer(text):
        # Behind a mere space only what is no plain word: "the password policy" names no password.
        if found["between"].strip() or _is_odd(found["value"]):
            yield found.span("value")
    for found in _URL_PASSWORD.finditer(text):
        yield found.span("value")
    for found in _DIGITS.finditer(text):
        if _is_card(re.sub(r"\D", "", found[0])):
            yield found.span()
    for found in _IBAN.finditer(text):
        if _is_iban(found[0].replace(" ", "")):
            yield found.span()
    for found in _TOKEN.finditer(text):
        if _is_random(found[0]):
            yield found.span()


def _is_odd(value: str) -> bool:
    word = value.rstrip(".,;:!?)")
    return any(letter.isdigit() or not (letter.isalpha() or letter in "-'’") for letter in word)


def _is_card(digits: str) -> bool:
    """Returns whether digits are a card number, by Luhn's check (ISO/IEC 7812-1)."""
    doubled = [sum(divmod(2 * int(digit), 10)) if place % 2 else int(digit) for place, digit in enumerate(digits[::-1])]
    return len(set(digits)) > 1 and sum(doubled) % 10 == 0


def _is_iban(iban: str) -> bool:
    """Returns whether an account number's check digits are right (ISO 13616)."""
    turned = iban[4:] + iban[:4]
    return int("".join(str(int(letter, 36)) for letter in turned)) % 97 == 1


def _is_random(token: str) -> bool:
    if _UUID.fullmatch(token) or not any(letter.isdigit() for letter in token):
        return False
    kinds = sum(bool(re.search(kind, token)) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
    if kinds < 2 + (not token.isalnum()):
        return False
    counts = Counter(token)
    bits = -sum(count / len(token) * math.log2(count / len(token)) for count in counts.values())
    return bits > _MOST_BITS_OF_WORDS
