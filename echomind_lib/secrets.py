"""Encryption of stored secrets: keys of chat models and credentials of connectors.

Fernet (AES-128-CBC with HMAC-SHA-256) with one or more keys: the first encrypts, all decrypt, so a key is rotated by
adding a new one in front and encrypting again everything that the old one encrypted (`echomind_lib.encrypted_columns`).
Keys of a file are read again when they may have changed: before something is encrypted, and when nothing decrypts.
"""

import base64
import binascii
import hmac
import os
from collections.abc import Collection
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from echomind_lib.config import SecretsSettings
from echomind_lib.secret_key_file import KEY_BYTES, KEY_FILE, new_key, private_copy, read_keys, split_keys, write_keys

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet


log = structlog.get_logger(__name__)


class SecretUnreadableError(RuntimeError):
    """A stored secret was encrypted with a key that this process does not have."""


class Secrets:
    """Encrypts and decrypts stored secrets. Safe for concurrent use."""

    def __init__(self, keys: list[str], file: Path | None = None) -> None:
        """Initializes the object with Fernet keys, the one to encrypt with first.

        Args:
            keys: The keys.
            file: The file that they were read from; None for keys of the environment, which do not change.

        Raises:
            ValueError: There is none, or one is not a Fernet key. The message does not contain the key.
        """
        _check(keys)
        self._keys = list(keys)
        self._file = file
        self._cipher: MultiFernet | None = None

    @property
    def _fernet(self) -> "MultiFernet":
        if self._cipher is None:
            # Imported at first use: it takes 6 MB, and many processes never read a secret.
            from cryptography.fernet import Fernet, MultiFernet

            self._cipher = MultiFernet([Fernet(key) for key in self._keys])
        return self._cipher

    @property
    def key_ids(self) -> list[str]:
        """The ids of the keys, in order: the first 16 hexadecimal digits of the SHA-256 of each."""
        return [_id(key) for key in self._keys]

    @property
    def file(self) -> Path | None:
        """The file of the keys; None for keys of the environment."""
        return self._file

    @classmethod
    def load(cls, settings: SecretsSettings, data_dir: Path) -> "Secrets":
        """Loads the keys of the settings, or those of the data folder's key file, which is created if missing.

        Services on several machines do not share a data folder: configure the same keys for all of them.

        Raises:
            ValueError: As for the class.
            OSError: The key file cannot be read or created.
        """
        configured = split_keys(settings.keys.get_secret_value())
        if configured:
            return cls(configured)
        file = _key_file(data_dir / KEY_FILE)
        return cls(read_keys(file), file)

    def refresh(self) -> bool:
        """Reads the keys of the file again, and returns whether they have changed.

        Raises:
            ValueError: As for the class.
            OSError: The file cannot be read.
        """
        if self._file is None or (keys := read_keys(self._file)) == self._keys:
            return False
        _check(keys)
        self._keys, self._cipher = keys, None
        return True

    def create_key(self) -> str:
        """Adds a new key in front of the others in the file, and returns its id. No other process may do so meanwhile.

        Raises:
            ValueError: The keys come from the environment.
            OSError: The file cannot be read or written.
        """
        self.refresh()
        self._write([new_key(), *self._keys])
        return _id(self._keys[0])

    def remove_keys(self, ids: Collection[str]) -> None:
        """Removes keys from the file, but never the primary one. No other process may change it meanwhile.

        Raises:
            ValueError: The keys come from the environment.
            OSError: The file cannot be read or written.
        """
        self.refresh()
        first, *others = self._keys
        self._write([first, *(key for key in others if _id(key) not in ids)])

    def _write(self, keys: list[str]) -> None:
        if self._file is None:
            raise ValueError("The keys come from the environment.")
        write_keys(self._file, keys)
        self._keys, self._cipher = keys, None

    def key_of(self, token: str) -> str | None:
        """Returns the id of the key that an encrypted text was encrypted with; None if it is none of the keys."""
        from cryptography.fernet import Fernet, InvalidToken

        for key in self._keys:
            try:
                Fernet(key).decrypt(token)
            except (InvalidToken, ValueError):
                continue
            return _id(key)
        return None

    def derive(self, purpose: str) -> list[bytes]:
        """Returns keys of 32 bytes for another purpose, derived from each of the keys, in order."""
        return [hmac.digest(key.encode("ascii"), purpose.encode(), "sha256") for key in self._keys]

    def encrypt(self, text: str) -> str:
        """Returns the text encrypted with the newest primary key: a token that differs each time."""
        self.refresh()
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
            with suppress(InvalidToken, ValueError, OSError):
                if self.refresh():
                    return self._fernet.decrypt(token).decode()
            raise SecretUnreadableError(
                "A stored secret cannot be read with the configured keys. Give the keys it was stored with in "
                "ECHOMIND_SECRETS__KEYS, or enter the secret again."
            ) from None


def _id(key: str) -> str:
    return sha256(key.encode("ascii")).hexdigest()[:16]


def _check(keys: list[str]) -> None:
    if not keys:
        raise ValueError("There is no key to encrypt with.")
    for position, key in enumerate(keys, 1):
        if not _is_key(key):
            # Contains neither the key nor a cause that could carry it into a log.
            raise ValueError(
                f"Secret key {position} is not a Fernet key: 32 random bytes in URL-safe base64, 44 characters. "
                "`openssl rand -base64 32 | tr +/ -_` makes one."
            )


def _is_key(key: str) -> bool:
    try:
        return len(base64.urlsafe_b64decode(key)) == KEY_BYTES
    except (binascii.Error, ValueError):
        return False


def _key_file(path: Path) -> Path:
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    own = private_copy(path, [new_key()])
    try:
        # Linking is atomic and never replaces: of two services that start concurrently, one creates the key.
        os.link(own, path)
    except FileExistsError:
        log.debug("secret key file was created by another process", path=str(path))
    else:
        log.info("secret key file created", path=str(path))
    finally:
        own.unlink()
    return path
