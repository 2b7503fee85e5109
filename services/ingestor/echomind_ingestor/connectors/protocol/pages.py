"""Data returned by sources: pages of changes, contents, and checks."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from echomind_ingestor.connectors.protocol.readers import Person, Readers

Cursor = dict[str, Any]
"""Where to continue, as JSON; only the source that created it reads it. At most 64 kB."""

PAGE_ITEMS: Final = 1000
"""Maximum number of items per page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A folder, drive, site or channel, which contains items that may inherit its readers.

    Attributes:
        source_id: Its immutable id at the source.
        name: Its display name.
        parent_id: Its parent folder; empty at the top level.
        readers: Its readers; None if the connector does not sync permissions.
        url: Its URL at the source.
    """

    source_id: str
    name: str
    parent_id: str = ""
    readers: Readers | None = None
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A document at the source.

    Attributes:
        source_id: Its immutable id in this source; a path or an address only if there is no id. 1 to 2,000 bytes.
        name: Its file name or subject, with an extension if it has one.
        version: A value that changes whenever the content may have changed (an ETag, a hash, size and time); content is
            read again if it differs from the stored one. Empty means to read it each time.
        folder_id: Its folder; empty at the top level.
        parent_id: The item that it belongs to, such as the message of an attachment; empty for most.
        readers: Its readers; None if the connector does not sync permissions.
        url: Its URL at the source.
        content_type: MIME type; empty means by name.
        size: Its size in bytes, if known.
        modified_at: For display, with a time zone; not used for decisions.
        language: ISO 639-1 code, if known.
        content: The content itself if the listing contained it, at most 256 kB; otherwise `open` reads it.
        error: Why its content cannot be indexed (too large for an export, encrypted), for users; name and readers are
            stored nevertheless.
    """

    source_id: str
    name: str
    version: str
    folder_id: str = ""
    parent_id: str = ""
    readers: Readers | None = None
    url: str = ""
    content_type: str = ""
    size: int | None = None
    modified_at: datetime | None = None
    language: str = ""
    content: bytes | None = None
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A part of a page that could not be read.

    Attributes:
        source_id: The item or folder; empty for a part of the source without an id.
        name: Its display name.
        message: What is wrong and what to do.
    """

    source_id: str
    name: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Changes, or a part of a full listing.

    Attributes:
        cursor: Cursor after this page. On the last page: the start of the next sync.
        folders: New or changed folders; parents before children if the source orders them so.
        items: New or changed documents. In a full listing: all of them.
        removed: Ids of folders and documents that were removed or are no longer readable by the connector. The contents
            of a removed folder are included; a source whose API does not report them uses `find_children`.
        people: People referenced by the readers of this page.
        failures: Items that could not be read.
        is_listing: Whether it belongs to a full listing, at whose end unseen documents are removed.
        is_complete: False if something was skipped; unseen documents are then not removed.
    """

    cursor: Cursor
    folders: Sequence[Folder] = ()
    items: Sequence[Item] = ()
    removed: Sequence[str] = ()
    people: Sequence[Person] = ()
    failures: Sequence[Failure] = ()
    is_listing: bool = False
    is_complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The bytes of an item, as a stream.

    Attributes:
        pieces: The bytes; each piece at most about 100 kB.
        content_type: The source's content type; empty means the item's.
        name: A better file name than the item's, such as with an export's extension; empty means the item's.
    """

    pieces: AsyncIterator[bytes]
    content_type: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check in the test of a connector.

    Attributes:
        name: Name of the check: `List files`.
        status: Its result; `warning` if it is not always needed.
        message: What is wrong, and what to do; empty if it works.
    """

    name: str
    status: Literal["passed", "warning", "failed"]
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The stored state of an item or a folder.

    Attributes:
        name: Its file name, subject or folder name.
        version: Version of an item; empty if its content failed.
        folder_id: ID of its folder; empty at the top level.
        readers: The readers last reported by the source.
        is_folder: Whether it is a folder.
    """

    name: str
    version: str
    folder_id: str
    readers: Readers | None
    is_folder: bool
