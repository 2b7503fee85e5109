"""The file of a backup: every change of it is found before it is used, with and without encryption."""

import io
import os
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pyrage
import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind.backup.archive import ArchiveError, ArchiveReader, ArchiveWriter
from echomind.backup.encryption import EncryptionError, decrypting, encrypting, is_encrypted, keys_of

LONG = f"objects/documents/123456789/{'a' * 64}/original"
CONTENTS = {"manifest.json": b'{"format": 1}', LONG: os.urandom(700), "postgres/000001": b""}


def written(recipients: Sequence[str] = (), passphrase: str = "") -> bytes:
    buffer = io.BytesIO()
    with encrypting(buffer, recipients, passphrase) as stream:
        archive = ArchiveWriter(stream)
        for name, content in CONTENTS.items():
            archive.add(name, content)
        archive.finish()
    return buffer.getvalue()


def read(data: bytes) -> dict[str, bytes]:
    return {member.name: member.read() for member in ArchiveReader(io.BytesIO(data)).members()}


def test_what_was_written_is_read_and_tar_lists_it() -> None:
    data = written()
    assert read(data) == CONTENTS
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        assert archive.getnames() == [*CONTENTS, "checksums.json"]


def test_a_changed_bit_anywhere_is_found() -> None:
    data = written()
    for position in range(0, len(data), 7):
        changed = bytearray(data)
        changed[position] ^= 1 << position % 8
        with pytest.raises(ArchiveError):
            ArchiveReader(io.BytesIO(bytes(changed))).verify()


@given(st.integers(0, len(written()) - 1))
def test_a_truncated_file_is_refused(length: int) -> None:
    with pytest.raises(ArchiveError):
        ArchiveReader(io.BytesIO(written()[:length])).verify()


def test_what_follows_the_end_is_refused() -> None:
    with pytest.raises(ArchiveError, match="follows"):
        ArchiveReader(io.BytesIO(written() + b"x")).verify()


@pytest.fixture(scope="module")
def identity() -> pyrage.x25519.Identity:
    return pyrage.x25519.Identity.generate()


def test_an_encrypted_file_is_read_with_its_key_alone(tmp_path: Path, identity: pyrage.x25519.Identity) -> None:
    file, key, other = tmp_path / "backup", tmp_path / "key", tmp_path / "other"
    file.write_bytes(written([str(identity.to_public())]))
    key.write_text(f"# created: today\n{identity}\n")
    other.write_text(str(pyrage.x25519.Identity.generate()))
    assert is_encrypted(file)
    assert b"manifest" not in file.read_bytes()
    with decrypting(file, keys_of(file, [key], "")) as stream:
        assert {member.name: member.read() for member in ArchiveReader(stream).members()} == CONTENTS
    with (
        pytest.raises(EncryptionError, match="other recipients"),
        decrypting(file, keys_of(file, [other], "")) as stream,
    ):
        ArchiveReader(stream).verify()
    with pytest.raises(EncryptionError, match="--identity"):
        keys_of(file, [], "")


def test_a_changed_or_truncated_encrypted_file_is_refused(tmp_path: Path, identity: pyrage.x25519.Identity) -> None:
    file, key = tmp_path / "backup", tmp_path / "key"
    key.write_text(str(identity))
    data = written([str(identity.to_public())])
    for position in range(30, len(data), 97):
        changed = bytearray(data)
        changed[position] ^= 1
        for damaged in (bytes(changed), data[:position]):
            file.write_bytes(damaged)
            with pytest.raises((ArchiveError, EncryptionError)), decrypting(file, keys_of(file, [key], "")) as stream:
                ArchiveReader(stream).verify()


def test_a_passphrase_opens_the_file_and_a_wrong_one_does_not(tmp_path: Path) -> None:
    file = tmp_path / "backup"
    file.write_bytes(written(passphrase="correct horse"))
    with decrypting(file, keys_of(file, [], "correct horse")) as stream:
        assert {member.name: member.read() for member in ArchiveReader(stream).members()} == CONTENTS
    with pytest.raises(EncryptionError, match="passphrase is wrong"):
        keys_of(file, [], "battery staple")


def test_a_wrong_recipient_is_named() -> None:
    with pytest.raises(EncryptionError, match="'age1nobody' is no recipient"):
        written(["age1nobody"])
