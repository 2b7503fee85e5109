"""Random credentials: API keys, one-time sign-in tokens, web sessions.

All have 256 random bits, so a plain SHA-256 is enough to store them by: there is nothing to guess that a slow hash
would protect, and a slow one would cost more than the request.
"""

import hashlib
import secrets
from dataclasses import dataclass, field

_API_KEY = "em_"
_SCIM_TOKEN = "ems_"  # noqa: S105 - the beginning of every token
_PREFIX_LENGTH = len(_API_KEY) + 8
_BYTES = 32


@dataclass(frozen=True, slots=True)
class Token:
    """A fresh credential. `text` is given out once, `sha256` is stored."""

    text: str = field(repr=False)
    sha256: bytes


def new_token() -> Token:
    """Returns a web session's or a sign-in link's token: 43 characters of URL-safe base64."""
    text = secrets.token_urlsafe(_BYTES)
    return Token(text, digest(text))


def new_api_key() -> Token:
    """Returns an API key: `em_` and 43 characters of URL-safe base64."""
    text = _API_KEY + secrets.token_urlsafe(_BYTES)
    return Token(text, digest(text))


def rotated_api_key(key_prefix: str) -> Token:
    """Returns another key with the prefix of an earlier one, by which both are found: the other 210 bits are new."""
    text = key_prefix + new_api_key().text[_PREFIX_LENGTH:]
    return Token(text, digest(text))


def new_scim_token() -> Token:
    """Returns a SCIM client's token: `ems_` and 43 characters of URL-safe base64."""
    text = _SCIM_TOKEN + secrets.token_urlsafe(_BYTES)
    return Token(text, digest(text))


def scim_prefix(token: str) -> str:
    """Returns the part of a SCIM client's token that is stored readably, to find and to recognize it by."""
    return token[: len(_SCIM_TOKEN) + 8]


def is_scim_token(text: str) -> bool:
    """Returns whether a bearer credential has the form of a SCIM client's token."""
    return text.startswith(_SCIM_TOKEN)


def is_api_key(text: str) -> bool:
    """Returns whether a bearer credential has the form of an API key."""
    return text.startswith(_API_KEY)


def prefix(api_key: str) -> str:
    """The part of an API key that is stored readably, to find and to recognise it by. It carries 48 of the 256 bits."""
    return api_key[:_PREFIX_LENGTH]


def digest(text: str) -> bytes:
    """Returns the stored form of a credential."""
    return hashlib.sha256(text.encode()).digest()
