"""Items of a page as rows, and their comparison with the stored rows."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from echomind_ingestor.connectors.protocol import SOURCE_ID_BYTES, Folder, Item
from echomind_ingestor.sync.contents import StoredContent
from echomind_ingestor.sync.documents import KnownDocument
from echomind_ingestor.sync.failures import ItemFailure
from echomind_ingestor.sync.folders import StoredFolder
from echomind_ingestor.sync.permissions import encode_readers
from echomind_lib.text import MESSAGE_CHARACTERS, TITLE_CHARACTERS, single_line, storable

_NAME_CHARACTERS: Final = 1000
_VERSION_CHARACTERS: Final = 500
_URL_CHARACTERS: Final = 4000
_LANGUAGE_CHARACTERS: Final = 20


@dataclass(slots=True, kw_only=True)
class Sorted:
    """The items of a page, by required action."""

    to_read: list[Item]
    """New items, and items whose content may have changed."""
    described: list[tuple[Item, KnownDocument]]
    """Items of which only name, folder, URL or readers have changed."""


def sort_items(items: Iterable[Item], known: dict[str, KnownDocument]) -> Sorted:
    """Compares items with their stored rows."""
    found = Sorted(to_read=[], described=[])
    for item in items:
        stored = known.get(item.source_id)
        if stored is None or not item.version or stored.source_version != version_of(item):
            found.to_read.append(item)
        elif has_other_metadata(item, stored):
            found.described.append((item, stored))
    return found


def version_of(item: Item) -> str:
    """Returns the stored form of an item's version."""
    version = storable(item.version)
    return version if len(version) <= _VERSION_CHARACTERS else hashlib.sha256(version.encode()).hexdigest()


def has_other_metadata(item: Item, stored: KnownDocument) -> bool:
    """Returns whether the stored metadata of an item differs."""
    return (
        stored.source_name != name_of(item)
        or stored.original_url != (url_of(item.url))
        or concerns_readers(item, stored)
        or (stored.parent_source_id or "") != item.parent_id
    )


def concerns_readers(item: Item, stored: KnownDocument) -> bool:
    """Returns whether its readers may differ from the stored ones: it was moved, or its readers have changed."""
    return (stored.folder_source_id or "") != item.folder_id or stored.source_readers != encode_readers(item.readers)


def has_other_readers(folder: Folder, stored: StoredFolder | None) -> bool:
    """Returns whether the readers of a folder's contents may differ from the stored ones."""
    return (
        stored is None
        or stored.parent_source_id != folder.parent_id
        or stored.source_readers != encode_readers(folder.readers)
    )


def has_changed(folder: Folder, stored: StoredFolder | None) -> bool:
    """Returns whether a folder is new or has changed."""
    return (
        stored is None
        or has_other_readers(folder, stored)
        or stored.name != _name(folder.name)
        or stored.url != url_of(folder.url)
    )


def name_of(item: Item) -> str:
    """Returns the stored form of an item's file name."""
    return _name(item.name)


def url_of(url: str) -> str | None:
    """Returns the stored form of a URL; None if browsers must not open it, or if it has a name or password in it."""
    kept = storable(url)
    try:
        parts = urlsplit(kept)
    except ValueError:
        return None
    is_web = parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
    return kept if is_web and len(kept) <= _URL_CHARACTERS else None


def folder_row(folder: Folder) -> dict[str, Any]:
    """Returns the row of a folder."""
    return {
        "source_id": folder.source_id,
        "parent_source_id": folder.parent_id,
        "name": _name(folder.name),
        "url": url_of(folder.url),
        "source_readers": encode_readers(folder.readers),
    }


def metadata_row(item: Item, document_id: int, version: str | None) -> dict[str, Any]:
    """Returns the metadata columns of an item."""
    return {
        "id": document_id,
        "title": single_line(item.name, TITLE_CHARACTERS) or single_line(item.source_id, TITLE_CHARACTERS),
        "source_name": name_of(item),
        "folder_source_id": item.folder_id or None,
        "parent_source_id": item.parent_id or None,
        "source_readers": encode_readers(item.readers),
        "original_url": url_of(item.url),
        "source_version": version,
        "language": item.language[:_LANGUAGE_CHARACTERS] or None,
    }


def content_row(item: Item, document_id: int, content: StoredContent) -> dict[str, Any]:
    """Returns the row of an item whose content is pending."""
    return metadata_row(item, document_id, version_of(item)) | {
        "source_id": item.source_id,
        "content_type": content.content_type,
        "signature": content.signature,
        "size_bytes": content.size,
        "status": "pending",
        "status_message": None,
    }


def failed_row(item: Item, document_id: int, message: str, *, is_final: bool) -> dict[str, Any]:
    """Returns the row of an item whose content cannot be indexed; users see its name with the reason.

    Args:
        item: The item.
        document_id: Its document.
        message: The reason, for users.
        is_final: Whether it is permanent until the source has a new version.
    """
    return metadata_row(item, document_id, version_of(item) if is_final else None) | {
        "source_id": item.source_id,
        "content_type": None,
        "signature": None,
        "size_bytes": item.size,
        "status": "failed",
        "status_message": single_line(message, MESSAGE_CHARACTERS),
    }


def check_id(source_id: str, name: str) -> ItemFailure | None:
    """Returns the failure of an item or folder with an invalid id; None if it is valid."""
    length = len(source_id.encode("utf-8", "replace"))
    if 1 <= length <= SOURCE_ID_BYTES and storable(source_id) == source_id and "\x01" not in source_id:
        return None
    message = (
        f"Its identifier in the connected system must have 1 to {SOURCE_ID_BYTES} bytes and no control characters."
    )
    return ItemFailure(source_id="", name=name, message=message, is_retryable=False)


def _name(name: str) -> str:
    return storable(name)[:_NAME_CHARACTERS]
