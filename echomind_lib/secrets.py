"""Encryption of stored secrets: keys of chat models and credentials of connectors.

Fernet (AES-128-CBC with HMAC-SHA-256) with one or more keys: the first encrypts, all decrypt, so a key is rotated by
adding a new one in front and encrypting again everything that the old one encrypted.
"""

import base64
import binascii
import hmac
import os
import re
import tempfile
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from echomind_lib.config import SecretsSettings

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

KEY_FILE = "secret-keys"
"""Name of the key file in the data folder; its keys are separated by lines or commas."""

_KEY_BYTES = 32

log = structlog.get_logger(__name__)


class SecretUnreadableError(RuntimeError):
    """A stored secret was encrypted with a key that this process does not have."""


class Secrets:
    """Encrypts and decrypts stored secrets. Safe for concurrent use."""

    def __init__(self, keys: list[str]) -> None:
        """Initializes the object with Fernet keys, the one to encrypt with first.

        Raises:
            ValueError: There is none, or one is not a Fernet key. The message does not contain the key.
        """
        if not keys:
            raise ValueError("There is no key to encrypt with.")
        self._keys = list(keys)
        for place, key in enumerate(keys, 1):
            if not _is_key(key):
                # Contains neither the key nor a cause that could carry it into a log.
                raise ValueError(
                    f"Secret key {place} is not a Fernet key: 32 random bytes in URL-safe base64, 44 characters. "
                    "`openssl rand -base64 32 | tr +/ -_` makes one."
                )

    @cached_property
    def _fernet(self) -> "MultiFernet":
        # Imported at first use: it takes 6 MB, and many processes never read a secret.
        from cryptography.fernet import Fernet, MultiFernet

        return MultiFernet([Fernet(key) for key in self._keys])

    @classmethod
    def load(cls, settings: SecretsSettings, data_dir: Path) -> "Secrets":
        """Loads the keys of the settings, or those of the data folder's key file, which is created if missing.

        Services on several machines do not share a data folder: configure the same keys for all of them.

        Raises:
            ValueError: As for the class.
            OSError: The key file cannot be read or created.
        """
        configured = _split(settings.keys.get_secret_value())
        return cls(configured or _split(_key_file(data_dir / KEY_FILE).read_text("ascii")))

    def derive(self, purpose: str) -> list[bytes]:
        """Returns keys of 32 bytes for another purpose, derived from each of the keys, in order."""
        return [hmac.digest(key.encode("ascii"), purpose.encode(), "sha256") for key in self._keys]

    def encrypt(self, text: str) -> str:
        """Returns the encrypted text, a token that differs each time."""
        return self._fernet.encrypt(text.encode()).decode("ascii")

    def decrypt(self, token: str) -> str:
        """Returns the decrypted text of a token.

        Raises:
            SecretUnreadableError: No key decrypts it, or it is damaged.
        """
        from cryptography.fernet import InvalidToken

        try:
            return self._fernet.decrypt(token).decode()
        except (InvalidToken, ValueError):
            raise SecretUnreadableError(
                "A stored secret cannot be read with the configured keys. Give the keys it was stored with in "
                "ECHOMIND_SECRETS__KEYS, or enter the secret again."
            ) from None


def _is_key(key: str) -> bool:
    try:
        return len(base64.urlsafe_b64decode(key)) == _KEY_BYTES
    except (binascii.Error, ValueError):
        return False


def _split(text: str) -> list[str]:
    return [key for key in re.split(r"[\s,]+", text) if key]


def _key_file(path: Path) -> Path:
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, own = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # readable by its owner alone
    with os.fdopen(descriptor, "wb") as file:
        file.write(base64.urlsafe_b64encode(os.urandom(_KEY_BYTES)) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        # Linking is atomic and never replaces: of two services that start concurrently, one creates the key.
        os.link(own, path)
    except FileExistsError:
        log.debug("secret key file was created by another process", path=str(path))
    else:
        log.info("secret key file created", path=str(path))
    finally:
        Path(own).unlink()
    return path
