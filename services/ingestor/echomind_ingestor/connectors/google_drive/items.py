"""Converts files of Google Drive to folders and items."""

from datetime import datetime
from typing import Final

from echomind_ingestor.connectors.google_drive.exports import (
    EXPORTS,
    NOT_DOWNLOADABLE,
    is_google_kind,
    unsupported_reason,
)
from echomind_ingestor.connectors.google_drive.resources import File
from echomind_ingestor.connectors.protocol import UNKNOWN, Folder, Item, Readers

EXPORTED: Final = "exported:"
SHORTCUT: Final = "shortcut:"
"""Prefix of versions of shortcuts, which are opened differently."""


def to_folder(file: File, readers: Readers | None, *, is_root: bool = False) -> Folder:
    """Returns a folder.

    Args:
        file: Google's resource of it.
        readers: Its readers.
        is_root: Whether its parent folder is not synced.
    """
    return Folder(
        source_id=file.id,
        name=file.name,
        parent_id="" if is_root else file.parent,
        readers=readers,
        url=file.web_view_link,
    )


def to_item(file: File, readers: Readers | None, max_bytes: int) -> Item:
    """Returns a document.

    Args:
        file: Google's resource of it.
        readers: Its readers.
        max_bytes: Maximum size of a stored file.
    """
    size = int(file.size) if file.size.isdigit() and not is_google_kind(file.mime_type) else None
    error = unsupported_reason(file.mime_type)
    if not error and not file.capabilities.can_download:
        error = NOT_DOWNLOADABLE
    if not error and size is not None and size > max_bytes:
        error = f"It has {size:,} bytes; files up to {max_bytes:,} bytes are stored."
    return Item(
        source_id=file.id,
        name=file.name or file.id,
        version=_version(file),
        folder_id=file.parent,
        readers=readers,
        url=file.web_view_link,
        content_type=EXPORTS.get(file.mime_type, (file.mime_type, ""))[0],
        size=size,
        modified_at=_time(file.modified_time),
        error=error,
    )


def to_shortcut(shortcut: File, target: File | None, readers: Readers | None, max_bytes: int) -> Item:
    """Returns a shortcut's target as a document in the shortcut's folder, with the target's readers.

    Args:
        shortcut: Google's resource of the shortcut.
        target: Its target; None if the account cannot see it.
        readers: Readers of the target.
        max_bytes: Maximum size of a stored file.
    """
    if target is None:
        return Item(
            source_id=shortcut.id,
            name=shortcut.name or shortcut.id,
            version=f"{SHORTCUT}none",
            folder_id=shortcut.parent,
            readers=None if readers is None else UNKNOWN,
            url=shortcut.web_view_link,
            error="The file that this shortcut leads to was deleted, or is not shared with the connected account.",
        )
    item = to_item(target, readers, max_bytes)
    return Item(
        source_id=shortcut.id,
        name=shortcut.name or item.name,
        version=f"{SHORTCUT}{target.id}:{item.version}",
        folder_id=shortcut.parent,
        readers=readers,
        url=item.url,
        content_type=item.content_type,
        size=item.size,
        modified_at=item.modified_at,
        error=item.error,
    )


def _version(file: File) -> str:
    """Returns a value that changes whenever the content may have changed.

    Google documents have no hash. Their version number increases with each change, including changes of metadata.
    """
    if is_google_kind(file.mime_type):
        return f"{EXPORTED}{file.modified_time}:{file.version}"
    return file.sha256_checksum or file.md5_checksum or file.head_revision_id or f"{file.modified_time}:{file.size}"


def _time(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
