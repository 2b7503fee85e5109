"""Encryption of backups in the format of age, which the program `age` reads, too.

A backup is encrypted to recipients (`age1...`), or by a passphrase: then to a new key, which is encrypted with the
passphrase and precedes the rest of the file. age's own passphrases need the whole content in memory, and on a fast
machine gigabytes for their key.
"""

import base64
import hashlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

from cryptography.fernet import Fernet, InvalidToken

from echomind.backup.archive import ArchiveError

_AGE: Final = b"age-encryption.org/v1\n"
_BY_PASSPHRASE: Final = b"echomind-backup-key "
_KEY_LIMIT: Final = 64 * 1024
_LINE_LIMIT: Final = 64
_SALT_BYTES: Final = 16


class EncryptionError(Exception):
    """A recipient, key or passphrase is wrong or missing; the message says which."""


def is_encrypted(file: Path) -> bool:
    """Returns whether a file is an encrypted backup."""
    with file.open("rb") as stream:
        start = stream.read(max(len(_AGE), len(_BY_PASSPHRASE)))
    return start.startswith((_AGE, _BY_PASSPHRASE))


def needs_passphrase(file: Path) -> bool:
    """Returns whether a file is a backup that was encrypted with a passphrase."""
    with file.open("rb") as stream:
        return stream.read(len(_BY_PASSPHRASE)) == _BY_PASSPHRASE


@contextmanager
def encrypting(target: BinaryIO, recipients: Sequence[str], passphrase: str) -> Iterator[BinaryIO]:
    """Opens a stream whose content is written to `target`, encrypted if there are recipients or a passphrase.

    Raises:
        EncryptionError: A recipient is not one of age.
    """
    import pyrage

    keys = []
    for recipient in recipients:
        try:
            keys.append(pyrage.x25519.Recipient.from_str(recipient))
        except pyrage.RecipientError as error:
            message = f"{recipient!r} is no recipient ({error}): `age-keygen` prints one, which begins with age1"
            raise EncryptionError(message) from error
    if passphrase:
        identity = pyrage.x25519.Identity.generate()
        salt = os.urandom(_SALT_BYTES)
        key = salt + _cipher(passphrase, salt).encrypt(str(identity).encode())
        target.write(_BY_PASSPHRASE + f"{len(key)}\n".encode() + key)
        keys.append(identity.to_public())
    if not keys:
        yield target
        return
    with _piped(lambda source: pyrage.encrypt_io(source, target, keys)) as stream:
        yield stream


@contextmanager
def _piped(consume: Callable[[BinaryIO], None]) -> Iterator[BinaryIO]:
    """Opens a stream that a thread consumes, and waits for its end.

    Raises:
        Exception: That of the consumer.
    """
    read, write = os.pipe()
    errors: list[BaseException] = []

    def run() -> None:
        with os.fdopen(read, "rb") as source:
            try:
                consume(source)
            except BaseException as error:  # noqa: BLE001 - raised again in the other thread
                errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        with suppress(BrokenPipeError), os.fdopen(write, "wb", buffering=1024 * 1024) as stream:
            yield stream
    finally:
        thread.join()
        if errors:
            raise errors[0]


def keys_of(file: Path, identities: Sequence[Path], passphrase: str) -> list[Any]:
    """Returns the keys with which a backup may be decrypted; none for one that is not encrypted.

    Args:
        file: The backup.
        identities: Files with keys, as `age-keygen` writes them.
        passphrase: The passphrase of a backup that was encrypted with one.

    Raises:
        EncryptionError: The passphrase is wrong, or a key is missing or none of age.
        ArchiveError: The beginning of the file is damaged.
        OSError: A file cannot be read.
    """
    if not is_encrypted(file):
        return []
    if needs_passphrase(file):
        return [_key_behind(file, passphrase)]
    if not identities:
        raise EncryptionError("the backup is encrypted: name the file with its key by --identity")
    return _keys_in(identities)


@contextmanager
def decrypting(file: Path, keys: Sequence[Any]) -> Iterator[BinaryIO]:
    """Opens the content of a backup, decrypted with `keys_of` if it is encrypted.

    Raises:
        EncryptionError: No key fits.
        ArchiveError: While it is read: it was changed or is truncated.
        OSError: It cannot be read.
    """
    with file.open("rb") as source:
        if not keys:
            yield source
            return
        if needs_passphrase(file):
            source.seek(_key_length(source), os.SEEK_CUR)
        with _decrypted(source, keys) as stream:
            yield stream


def _key_length(source: BinaryIO) -> int:
    """Reads the first line of a backup with a passphrase; returns the length of the key after it."""
    length = source.readline(_LINE_LIMIT).removeprefix(_BY_PASSPHRASE).strip()
    if not length.isdigit() or int(length) > _KEY_LIMIT:
        raise ArchiveError("its first line is damaged")
    return int(length)


def _key_behind(file: Path, passphrase: str) -> Any:
    """Returns the key at the beginning of a backup that was encrypted with a passphrase."""
    import pyrage

    with file.open("rb") as source:
        encrypted = source.read(_key_length(source))
    try:
        text = _cipher(passphrase, encrypted[:_SALT_BYTES]).decrypt(encrypted[_SALT_BYTES:]).decode()
    except InvalidToken:
        raise EncryptionError("the passphrase is wrong, or the beginning of the file is damaged") from None
    return pyrage.x25519.Identity.from_str(text)


def _cipher(passphrase: str, salt: bytes) -> Fernet:
    """Returns the cipher of a passphrase; guessing takes 128 MiB and about half a second each."""
    parameters: dict[str, int] = {"n": 2**17, "r": 8, "p": 1, "maxmem": 256 * 1024 * 1024, "dklen": 32}
    key = hashlib.scrypt(passphrase.encode(), salt=salt, **parameters)
    return Fernet(base64.urlsafe_b64encode(key))


def _keys_in(files: Sequence[Path]) -> list[Any]:
    import pyrage

    keys: list[Any] = []
    for file in files:
        for line in file.read_text().splitlines():
            if line.strip() and not line.startswith("#"):
                try:
                    keys.append(pyrage.x25519.Identity.from_str(line.strip()))
                except pyrage.IdentityError as error:
                    message = f"{file} has no key of age ({error}): `age-keygen -o FILE` makes one"
                    raise EncryptionError(message) from error
    return keys


@contextmanager
def _decrypted(source: BinaryIO, keys: Sequence[Any]) -> Iterator[BinaryIO]:
    import pyrage

    read, write = os.pipe()
    errors: list[Exception] = []

    def run() -> None:
        try:
            with os.fdopen(write, "wb") as target:
                pyrage.decrypt_io(source, target, keys)
        except (pyrage.DecryptError, OSError) as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    is_read = False
    try:
        with os.fdopen(read, "rb", buffering=1024 * 1024) as stream:
            try:
                yield stream
                is_read = True
            except ArchiveError as error:
                # What was decrypted before the damage ends early; its cause is in the other thread.
                stream.read()
                thread.join()
                raise _failure(errors[0]) if errors else error from None
    finally:
        thread.join()
    if is_read and errors:
        raise _failure(errors[0])


def _failure(error: Exception) -> Exception:
    if "No matching keys" in str(error):
        return EncryptionError("no key fits: the backup was encrypted to other recipients")
    return ArchiveError(f"it cannot be decrypted: it was damaged or changed, or is truncated ({error})")
