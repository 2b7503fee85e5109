"""What a source says of its items: pages of changes, contents, and what a test of it has tried."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from echomind_ingestor.connectors.protocol.readers import Person, Readers

Cursor = dict[str, Any]
"""Where to continue, as JSON; only the source that made it reads it. At most 64 kB."""

PAGE_ITEMS: Final = 1000
"""Most items of one page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A folder, drive, site or channel: what items lie in, and may inherit readers from.

    Attributes:
        source_id: Its immutable id at the source.
        name: As people see it.
        parent_id: The folder that it lies in; empty at the top.
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
        source_id: Its immutable id in this source; a path or an address only where there is no id. 1 to 2,000 bytes.
        name: Its file name or subject, with an ending where it has one.
        version: What changes whenever the content may have (an ETag, a hash, size and time); content is read again
            when it is another one than what is stored. Empty means to read it each time.
        folder_id: The folder that it lies in; empty at the top.
        parent_id: The item that it belongs to, such as the message of an attachment; empty for most.
        readers: Its readers; None if the connector does not sync permissions.
        url: Its URL at the source.
        content_type: MIME type; empty means by name.
        size: In bytes, when the source says it.
        modified_at: For people, with a time zone; nothing is decided by it.
        language: ISO 639-1 code where the source says it.
        content: The bytes themselves where the listing had them already, at most 256 kB; otherwise `open` reads them.
        error: Why its content cannot be indexed (too large for an export, encrypted), for people; name and readers are
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
    """Something of a page that could not be read.

    Attributes:
        source_id: The item or folder; empty for a part of the source that has no id.
        name: For people.
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
        folders: Folders that are new or changed; parents before their children where the source says them so.
        items: Documents that are new or changed. In a full listing: all of them.
        removed: Ids of folders and documents that were removed or that the connector may no longer read. What lies in a
            removed folder is named, too: a source whose API does not report it reads `find_children`.
        people: People whom readers of this page name.
        failures: Items that could not be read.
        is_listing: Whether it belongs to a full listing, at whose end unseen documents are removed.
        is_complete: False when something was skipped: then nothing is removed for not having been seen.
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
    """The bytes of an item, being read.

    Attributes:
        pieces: The bytes; each piece at most some 100 kB.
        content_type: As the source says; empty means the item's.
        name: A better file name than the item's, such as with the ending of an exported format; empty means the item's.
    """

    pieces: AsyncIterator[bytes]
    content_type: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that a test of a connector has tried.

    Attributes:
        name: What was checked: `List files`.
        status: Its result; `warning` for what is not always needed.
        message: What is wrong, and what to do; empty if it works.
    """

    name: str
    status: Literal["passed", "warning", "failed"]
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is stored of an item or a folder.

    Attributes:
        name: Its file name, subject or folder name.
        version: Of an item; empty when its content failed.
        folder_id: ID of its folder; empty at the top level.
        readers: As the source reported them last.
        is_folder: Whether it is a folder.
    """

    name: str
    version: str
    folder_id: str
    readers: Readers | None
    is_folder: bool
