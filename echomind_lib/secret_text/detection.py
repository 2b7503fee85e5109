"""Secrets in texts: keys, passwords, numbers of cards and accounts.

Memories are found by later questions and sent to models, so they may not contain secrets. Detection errs on the side of
finding one: a harmless text can be worded differently.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from echomind_lib.secret_text.key_rules import KEY_RULES
from echomind_lib.secret_text.named import named_secrets

REDACTED: Final = "[secret]"
"""The replacement of a secret."""

_PRIVATE_KEY: Final = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY.*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY[A-Z ]*-----|\Z)", re.DOTALL
)
_API_KEY: Final = re.compile(rf"\b(?:{'|'.join(rule.pattern for rule in KEY_RULES)})")
_SIGNED_TOKEN: Final = re.compile(r"(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*")
_ADDRESS_PASSWORD: Final = re.compile(r"\b[a-z][a-z0-9+.-]{0,20}://[^\s/:@]*:(?P<value>[^\s/@]+)@", re.IGNORECASE)
_CARD: Final = re.compile(r"(?<![\w.])[2-6](?:[ .-]?\d){12,18}(?!\w)")
_ISSUED: Final = re.compile(
    r"4(?:\d{15}|\d{18})|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|220[0-4]\d{12,15}|3[47]\d{13}"
    r"|3(?:0[0-5]|[689]\d)\d{11}|35\d{14,17}|(?:50|5[6-9]|6\d)\d{14,17}"
)
"""Numbers by issuer: Visa, Mastercard, Mir, American Express, Diners Club, JCB; Maestro, Discover, UnionPay, RuPay."""
_ACCOUNT: Final = re.compile(r"\b[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){3,7}(?:[ ]?[A-Z0-9]{1,3})?\b", re.IGNORECASE)
_TOKEN: Final = re.compile(r"[A-Za-z0-9+/=_-]{20,}")
_HEX: Final = re.compile(r"(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{32,}", re.IGNORECASE)
_DIGEST: Final = re.compile(
    r"\b(?:commit|revision|md5|sha-?\d{1,3}|checksum|prüfsumme)(?:\s+(?:is|ist|of|von|the))*[\s:=@]*\Z", re.IGNORECASE
)
"""Words before a random token that identify it as a digest, which grants no access."""
_DIGEST_REACH: Final = 32
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_NAME: Final = re.compile(
    r"(?:(?:[A-Z]?[a-z]*(?:[A-Z][a-z]+)*\d*|[A-Z]+\d*|(?:[A-Z][a-z]+|(?<![A-Za-z])[a-z]{2,}|\d{2,4}(?!\d))+)(?:[+/=_-]|\Z))+"
)
"""Words and numbers with marks between them: names of files, packages and functions."""
_MAX_BITS_OF_WORDS: Final = 3.5
"""Entropy in bits per character above which a long token without spaces counts as random."""


@dataclass(frozen=True, slots=True, order=True)
class _Secret:
    start: int
    end: int
    kind: str


# Cyrillic letters that look like Latin ones.
_ALIKE: Final = str.maketrans("асеорхуіј", "aceopxyij")
_MIXED_WORD: Final = re.compile(r"(?=\w*[a-z])(?=\w*[асеорхуіј])\w+", re.IGNORECASE)


def _plain(text: str) -> tuple[str, Sequence[int]]:
    """Returns a text in normal form, and the offset of each of its characters in the text, including the end.

    Compatibility forms are replaced, invisible characters removed, dashes and look-alike letters unified.
    """
    if text.isascii():
        return text, range(len(text) + 1)
    characters: list[str] = []
    indexes: list[int] = []
    for index, character in enumerate(text):
        category = unicodedata.category(character)
        if category == "Cf":
            continue
        plain = "-" if category == "Pd" else unicodedata.normalize("NFKC", character)
        characters += plain
        indexes += [index] * len(plain)
    alike = _MIXED_WORD.sub(lambda found: found[0].translate(_ALIKE), "".join(characters))
    return alike, [*indexes, len(text)]


def secret_in(text: str) -> str | None:
    """Returns the kind of secret in a text, such as "an API key"; None if there seems to be none."""
    found = next(_secrets(text), None)
    return found.kind if found else None


def redacted(text: str) -> str:
    """Returns a text with `[secret]` in place of everything that looks like a secret."""
    parts, end = [], 0
    for secret in sorted(_secrets(text)):
        if secret.start >= end:
            parts += [text[end : secret.start], REDACTED]
        end = max(end, secret.end)
    return "".join(parts) + text[end:]


def redacted_tree(value: Any) -> Any:
    """Returns a JSON value with `redacted` applied to all its strings."""
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, list):
        return [redacted_tree(item) for item in value]
    if isinstance(value, dict):
        return {key: redacted_tree(item) for key, item in value.items()}
    return value


def _secrets(text: str) -> Iterator[_Secret]:
    """Yields the secrets, the most specific kinds first; they may overlap."""
    plain, places = _plain(text)
    for secret in _secrets_of_plain(plain):
        yield _Secret(places[secret.start], places[secret.end - 1] + 1, secret.kind)


def _secrets_of_plain(text: str) -> Iterator[_Secret]:
    for kind, form in (("a private key", _PRIVATE_KEY), ("an API key", _API_KEY), ("a signed token", _SIGNED_TOKEN)):
        for found in form.finditer(text):
            yield _Secret(*found.span(), kind)
    for found in _ADDRESS_PASSWORD.finditer(text):
        yield _Secret(*found.span("value"), "a password in an address")
    for span in named_secrets(text):
        yield _Secret(*span, "a password")
    for found in _CARD.finditer(text):
        if _is_card(found[0]):
            yield _Secret(*found.span(), "a card number")
    for found in _ACCOUNT.finditer(text):
        if _is_account(found[0].replace(" ", "")):
            yield _Secret(*found.span(), "an account number")
    for found in _TOKEN.finditer(text):
        if _is_random(found[0]) and not _DIGEST.search(text, max(0, found.start() - _DIGEST_REACH), found.start()):
            yield _Secret(*found.span(), "a key")


def _is_card(written: str) -> bool:
    """Returns whether digits are a card number, by the check digit of ISO/IEC 7812-1."""
    digits = [int(character) for character in written if character.isdigit()]
    if not _ISSUED.fullmatch("".join(map(str, digits))):
        return False
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_account(iban: str) -> bool:
    """Returns whether an account number's check digits are correct (ISO 13616)."""
    turned = iban[4:] + iban[:4]
    return int("".join(str(int(letter, 36)) for letter in turned)) % 97 == 1


def _is_random(token: str) -> bool:
    """Returns whether a token is random rather than a name."""
    if _HEX.fullmatch(token):
        return True
    if _UUID.fullmatch(token) or _NAME.fullmatch(token) or not any(letter.isdigit() for letter in token):
        return False
    kinds = sum(bool(re.search(kind, token)) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
    if kinds < 2 + (not token.isalnum()):
        return False
    counts = Counter(token)
    bits = -sum(count / len(token) * math.log2(count / len(token)) for count in counts.values())
    return bits > _MAX_BITS_OF_WORDS
