"""What a source implements so that its documents are synced: connector types of others, too.

A sync opens a source, reads who belongs to which group, and then reads pages of changes. A page is applied whole: its
folders, documents, their readers and the files that changed are stored durably before the page's cursor is. So a source
may be asked for any page a second time, and an item may occur on several pages; the last occurrence counts.

    async with definition.load()(context) as source:
        async for page in source.groups(named): ...
        async for page in source.changes(cursor): ...

Rules that the conformance suite (tests/conformance) proves for each source:

- A cursor is taken before a listing begins, so what changes during the listing is read afterwards.
- Nothing is decided by a clock or a modification time: tokens of the source where it has them, otherwise a comparison
  of `version`s with what is stored.
- What could not be read is reported, never taken for removed: `Page.is_complete` is False for a listing that skipped a
  part, and then nothing is removed for not having been seen.
- Readers that could not be read are `UNKNOWN`, which grants nobody.
- Paging ends: a repeated link to the next page, or one to another origin, is an error.
- Memory stays flat: pages hold at most `PAGE_ITEMS` items and content is streamed.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Any, ClassVar, Final, Generic, Literal, Self, TypeVar

import msgspec

from echomind_ingestor.connectors.frontier import Frontier
from echomind_lib.config.settings import ConnectorSettings
from echomind_lib.network.fetching import AllowedHosts

Cursor = dict[str, Any]
"""Where to continue, as JSON; only the source that made it reads it. At most 64 kB."""

PAGE_ITEMS: Final = 1000
"""Most items of one page."""

Settings = TypeVar("Settings", bound=msgspec.Struct)


class SourceError(Exception):
    """The source cannot be read. The message is for people: what is wrong, and what to do. It holds no secret."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class SourceUnavailableError(SourceError):
    """It does not answer, or asks to be left alone: the sync is tried again later, from its last page.

    Attributes:
        retry_after: Seconds that it asks for; 0 when it does not say.
    """

    def __init__(self, message: str, *, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class CredentialsRejectedError(SourceError):
    """The credentials are revoked, expired for good or lack a right: no sync runs until somebody connects it again."""


class CursorExpiredError(SourceError):
    """The source has forgotten the cursor: the sync starts over with a full listing, once."""


class ItemError(SourceError):
    """One item cannot be read; the others go into the index.

    Attributes:
        retryable: Whether the next sync tries it again although the source reports no change.
    """

    def __init__(self, message: str, *, retryable: bool = True) -> None:
        super().__init__(message)
        self.retryable = retryable


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """Who may read an item at the source.

    Attributes:
        principals: Keys of `user_key`, `group_key` and `tenant_key`; `ANONYMOUS` for what the public may find.
        inherits: Whether the readers of its folder may read it, too.
        is_known: False when they could not be read: then nobody may.
    """

    principals: frozenset[str] = frozenset()
    inherits: bool = False
    is_known: bool = True


UNKNOWN: Final = Readers(is_known=False)
"""Readers that could not be read. They grant nobody."""
INHERITED: Final = Readers(inherits=True)
"""Those of the folder."""
ANONYMOUS: Final = "anonymous"
"""The public, for what can be found without a link. What only a link opens grants nobody."""


def user_key(provider: str, user_id: str) -> str:
    """Returns the principal of a person: `user:google:1234`. The id is the source's immutable one, never an e-mail."""
    return f"user:{provider}:{user_id}"


def group_key(provider: str, group_id: str) -> str:
    """Returns the principal of a group. The one way to make it, for grants and for memberships alike."""
    return f"group:{provider}:{group_id}"


def tenant_key(provider: str, tenant_id: str) -> str:
    """Returns the principal of everybody in an organisation at the source, without its guests."""
    return f"tenant:{provider}:{tenant_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A person as the source knows them.

    Attributes:
        key: Of `user_key`.
        email: What they are mapped to an account by, if it is verified there; empty when it is not known.
        name: For people; may be empty.
    """

    key: str
    email: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A group, tenant or drive with its members.

    Attributes:
        key: Of `group_key` or `tenant_key`.
        name: For people.
        members: Keys of people and of other groups; all of them.
        is_complete: False when not all members could be read: then nobody is removed from it, and nobody is added.
    """

    key: str
    name: str = ""
    members: frozenset[str] = frozenset()
    is_complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPage:
    """Some groups with their members, and people that occur in them.

    Attributes:
        is_complete: On the last page: whether all groups that were named were listed; those that were not have been
            removed at the source.
    """

    groups: Sequence[Group] = ()
    people: Sequence[Person] = ()
    is_complete: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A folder, drive, site or channel: what items lie in, and may inherit readers from.

    Attributes:
        source_id: Its immutable id at the source.
        name: As people see it.
        parent_id: The folder that it lies in; empty at the top.
        readers: Who may read it; None when the connector does not sync permissions.
        url: Where people open it at the source.
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
        readers: Who may read it; None when the connector does not sync permissions.
        url: Where people open it at the source.
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
        cursor: Where to continue once this page is stored. On the last page: where the next sync begins.
        folders: Folders that are new or changed; parents before their children where the source says them so.
        items: Documents that are new or changed. In a full listing: all of them.
        removed: Ids of folders and documents that were removed or that the connector may no longer read. What lies in a
            removed folder is named, too: a source whose API does not report it reads `find_children`.
        people: People whom readers of this page name.
        failures: What could not be read.
        is_listing: Whether it belongs to a full listing, at whose end what was not seen is removed.
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
        name: What was tried: `List files`.
        status: Whether it works; `warning` for what is not needed for everything.
        message: What is wrong, and what to do; empty when it works.
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
        folder_id: Where it lies; empty at the top.
        readers: As the source reported them last.
        is_folder: Whether it is a folder.
    """

    name: str
    version: str
    folder_id: str
    readers: Readers | None
    is_folder: bool


async def _none_newer() -> None:
    """Stands for `SourceContext.read_credentials` where nobody else stores credentials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceContext(Generic[Settings]):
    """What a source works with: another one for each sync and each test of a connector.

    Attributes:
        connector_id: The connector; 0 for a test before it is added.
        settings: Its settings, typed.
        credentials: Its credentials, typed; None for a type that has none.
        syncs_permissions: Whether readers are to be read (`permission_mode` is `source`).
        save_credentials: Stores credentials that the source has replaced, such as a refresh token that is used up.
        read_credentials: Returns the credentials that another process has stored since; None when there are none. A
            source whose credentials are refused tries these before it gives up.
        find_known: What is stored of some ids; at most 1,000 at a time.
        find_children: Pages of ids of the items and folders that lie directly in a folder, as stored.
        server: The administrator's settings: addresses of the vendors' APIs, OAuth applications, folders.
        allowed_hosts: What may be reached although it is not on the public internet.
        folders: Folders of the server that may be read, as an administrator allows.
        frontier: Addresses that a crawl has found; None in a test of a connector that is not added yet.
        max_bytes: Largest file that is stored; the engine stops reading there, and a source may say it before.
    """

    connector_id: int
    settings: Settings
    credentials: Any
    syncs_permissions: bool
    save_credentials: Callable[[msgspec.Struct], Awaitable[None]]
    find_known: Callable[[Iterable[str]], Awaitable[Mapping[str, Known]]]
    find_children: Callable[[str], AsyncIterator[Sequence[str]]]
    server: ConnectorSettings = field(default_factory=ConnectorSettings)
    allowed_hosts: AllowedHosts = field(default_factory=lambda: AllowedHosts(""))
    folders: tuple[str, ...] = ()
    frontier: Frontier | None = None
    read_credentials: Callable[[], Awaitable[Any]] = _none_newer
    max_bytes: int = 200 * 1024 * 1024


class SourceConnector(ABC, Generic[Settings]):
    """A source that is being read: opened for one sync or one test, and closed after it."""

    definition_name: ClassVar[str]
    """The `ConnectorDefinition.name` that it implements."""

    def __init__(self, context: SourceContext[Settings]) -> None:
        self.context = context
        self.settings: Settings = context.settings

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes its connections."""

    @abstractmethod
    async def check(self) -> Sequence[Check]:
        """Tries each right that syncs need by itself, and says which one is missing and how to grant it.

        Raises:
            SourceError: Nothing can be tried at all.
        """

    @abstractmethod
    def changes(self, cursor: Cursor | None) -> AsyncIterator[Page]:
        """Yields what has changed since a cursor, or everything.

        Args:
            cursor: Of the last page that was stored; None for a full listing.

        Raises:
            CursorExpiredError: The cursor is not known any more.
            SourceError: It cannot be read, or no further.
        """

    @abstractmethod
    def open(self, item: Item) -> AbstractAsyncContextManager[Content]:
        """Opens the content of an item whose version is new.

        Raises:
            ItemError: This item cannot be read.
            SourceError: Nothing can be read.
        """

    async def find(self, source_id: str) -> Item | None:
        """Returns an item by its id, to try it again after it failed; None when it is no longer there.

        Raises:
            ItemError: This item cannot be read.
            SourceError: Nothing can be read.
        """
        raise ItemError(f"The source cannot read {source_id} by itself: run a full sync.", retryable=False)

    async def groups(self, named: Sequence[str]) -> AsyncIterator[GroupPage]:  # noqa: ARG002 - of those that have groups
        """Yields groups with their members, and the people that occur in them; only called when permissions are synced.

        A sync calls it before its changes, with the groups that stored readers name, and after them once more if these
        have named others for the first time.

        Args:
            named: Keys of the groups and tenants whose members are needed, without those nested in them; other groups
                may be yielded, too.

        Raises:
            SourceError: They cannot be read: memberships stay as they were, until they are too old to grant anything.
        """
        yield GroupPage(is_complete=True)
