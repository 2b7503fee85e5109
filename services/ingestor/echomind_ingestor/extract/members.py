"""Files within files: members of archives and attachments of e-mails, which become documents of their own."""

import bz2
import gzip
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from email.message import EmailMessage
from io import BytesIO
from pathlib import PurePosixPath
from typing import IO, Any

from echomind_ingestor.extract import kinds
from echomind_ingestor.extract.mails import parse_mail
from echomind_ingestor.extract.result import (
    MAX_BYTES,
    MAX_MEMBERS,
    Extracted,
    Member,
    UnreadableError,
    member_name,
)

_CHUNK = 1024**2
_HIDDEN = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})
_SMALL_PICTURE = 10_000
"""Bytes of an image in an e-mail below which it is a logo or a counting pixel."""
_SIGNATURES = frozenset({"application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature"})
_MAIL_START = re.compile(rb"(?:\A|(?<=\n))From [^\n]*\n")
_QUOTED_START = re.compile(rb"^>(>*From )", re.MULTILINE)
_DAMAGED = "The archive is damaged: pack it again and upload it."


def read_archive(data: bytes, name: str, kind: str) -> Extracted:
    """Returns the list of an archive's files as text, and the files.

    Args:
        data: The archive.
        name: Its name.
        kind: Its MIME type.

    Raises:
        UnreadableError: It is damaged, encrypted, empty, or unpacks to too much.
    """
    try:
        members = _limited(_entries(data, name, kind))
    except (zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, OSError) as error:
        raise UnreadableError(_DAMAGED) from error
    except (RuntimeError, NotImplementedError, ValueError) as error:
        if "password" in str(error) or "encrypted" in str(error):
            raise UnreadableError("This archive is password-protected: unpack it and upload the files.") from error
        raise UnreadableError(_DAMAGED) from error
    if not members:
        raise UnreadableError("The archive holds no files.")
    text = "\n".join(f"- {member.name}" for member in members)
    return Extracted(text, "", kind, "", markdown=text, members=members)


def attachments_of(data: bytes, kind: str) -> tuple[Member, ...]:
    """Returns the attachments of an e-mail, without signatures and small pictures of its layout.

    Raises:
        UnreadableError: They are too many or too large.
    """
    found = _mail_parts(data) if kind == kinds.EMAIL else _outlook_parts(data)
    return _limited(found)


def _limited(found: Iterator[tuple[str, bytes, str]]) -> tuple[Member, ...]:
    members: dict[str, Member] = {}
    total = 0
    for path, data, content_type in found:
        total += len(data)
        if len(members) == MAX_MEMBERS or total > MAX_BYTES:
            raise UnreadableError(
                f"It holds more than {MAX_MEMBERS:,} files or {MAX_BYTES // 1024**2} MB: unpack it and upload these.",
            )
        name = member_name(path) or "attachment"
        if not data.strip() or _HIDDEN & set(name.split("/")) or name.rpartition("/")[2].startswith("."):
            continue
        members[_free(name, members)] = Member(_free(name, members), data, content_type)
    return tuple(members.values())


def _free(name: str, taken: dict[str, Member]) -> str:
    if name not in taken:
        return name
    path = PurePosixPath(name)
    numbered = (str(path.with_name(f"{path.stem} ({number}){path.suffix}")) for number in range(2, MAX_MEMBERS + 2))
    return next(each for each in numbered if each not in taken)


def _entries(data: bytes, name: str, kind: str) -> Iterator[tuple[str, bytes, str]]:
    if kind == kinds.ZIP:
        yield from _zip_entries(data)
        return
    if kind == kinds.MAILBOX:
        yield from _mailbox_entries(data)
        return
    opened = _decompressed(data, kind)
    if kinds.is_tar(opened):
        yield from _tar_entries(opened)
    elif kind != kinds.TAR:
        yield PurePosixPath(name).stem or "file", opened, ""


def _zip_entries(data: bytes) -> Iterator[tuple[str, bytes, str]]:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        for entry in archive.infolist():
            if not entry.is_dir():
                with archive.open(entry) as source:
                    yield entry.filename, _read(source), ""


def _mailbox_entries(data: bytes) -> Iterator[tuple[str, bytes, str]]:
    """Yields the mails of a mailbox file, which a line that begins with `From ` precedes."""
    starts = [match.end() for match in _MAIL_START.finditer(data)]
    ends = [match.start() for match in _MAIL_START.finditer(data)][1:]
    for start, end in zip(starts, [*ends, len(data)], strict=True):
        mail = _QUOTED_START.sub(rb"\1", data[start:end])
        subject = str(parse_mail(mail).get("subject") or "message").replace("/", "-")
        yield f"{subject}.eml", mail, kinds.EMAIL


def _tar_entries(data: bytes) -> Iterator[tuple[str, bytes, str]]:
    with tarfile.open(fileobj=BytesIO(data), mode="r:") as archive:
        for entry in archive:
            if entry.isfile() and (source := archive.extractfile(entry)) is not None:
                yield entry.name, _read(source), ""


def _decompressed(data: bytes, kind: str) -> bytes:
    openers: dict[str, Any] = {kinds.GZIP: gzip.open, kinds.BZIP2: bz2.open, kinds.XZ: lzma.open}
    if kind not in openers:
        return data
    with openers[kind](BytesIO(data)) as source:
        return _read(source)


def _read(source: IO[bytes]) -> bytes:
    """Returns a file, whatever size it states.

    Raises:
        UnreadableError: It is too large.
    """
    parts, length = [], 0
    while part := source.read(_CHUNK):
        parts.append(part)
        length += len(part)
        if length > MAX_BYTES:
            raise UnreadableError(
                f"It unpacks to more than {MAX_BYTES // 1024**2} MB: unpack it and upload the files.",
            )
    return b"".join(parts)


def _mail_parts(data: bytes) -> Iterator[tuple[str, bytes, str]]:
    for part in _leaves(parse_mail(data)):
        kind = part.get_content_type()
        if kind == kinds.EMAIL:
            inner = part.get_payload(0) if part.is_multipart() else None
            if isinstance(inner, EmailMessage):
                yield f"{inner.get('subject') or 'message'}.eml", bytes(inner), kind
            continue
        content = part.get_payload(decode=True)
        name = part.get_filename() or ""
        if kind in _SIGNATURES or not isinstance(content, bytes):
            continue
        if kind == kinds.CALENDAR:
            name = name or "invitation.ics"
        if not name and part.get_content_disposition() != "attachment":
            continue  # the text itself, or a part of its layout
        if not (kind.startswith("image/") and len(content) < _SMALL_PICTURE):
            yield name, content, kind


def _leaves(message: EmailMessage) -> Iterator[EmailMessage]:
    """Yields the parts of a message that are no containers, without those of attached messages."""
    pending = [message]
    while pending:
        part = pending.pop(0)
        if part.get_content_maintype() == "multipart" and part.is_multipart():
            pending = [*(each for each in part.iter_parts() if isinstance(each, EmailMessage)), *pending]
        else:
            yield part


def _outlook_parts(data: bytes) -> Iterator[tuple[str, bytes, str]]:
    from oxmsg import Message

    for attachment in Message.load(BytesIO(data)).attachments:
        content, kind = attachment.file_bytes, attachment.mime_type or ""
        if content and not (kind.startswith("image/") and len(content) < _SMALL_PICTURE):
            yield attachment.file_name or "", content, kind
