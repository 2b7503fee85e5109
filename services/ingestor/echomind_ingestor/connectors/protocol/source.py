"""The base class of sources, and their context."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, ClassVar, Generic, Self, TypeVar

import msgspec

from echomind_ingestor.connectors.frontier import Frontier
from echomind_ingestor.connectors.protocol.errors import ItemError
from echomind_ingestor.connectors.protocol.pages import Check, Content, Cursor, Item, Known, Page
from echomind_ingestor.connectors.protocol.readers import GroupPage
from echomind_lib.config.settings import ConnectorSettings
from echomind_lib.network.fetching import AllowedHosts

Settings = TypeVar("Settings", bound=msgspec.Struct)


async def _no_newer_credentials() -> None:
    """Default of `SourceContext.read_credentials`, if nobody else stores credentials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceContext(Generic[Settings]):
    """The context of a source; a new one for each sync and each test of a connector.

    Attributes:
        connector_id: The connector; 0 for a test before it is added.
        settings: Its settings, typed.
        credentials: Its credentials, typed; None for a type without credentials.
        syncs_permissions: Whether to read permissions (`permission_mode` is `source`).
        save_credentials: Stores new credentials, for example if a refresh token was replaced.
        read_credentials: Returns credentials that another process has stored since; None if there are none. A source
            whose credentials are rejected retries with these.
        find_known: Returns the stored state for some IDs, at most 1,000 at a time.
        find_children: Returns pages of ids of the stored items and folders directly in a folder.
        server: The administrator's settings: addresses of the vendors' APIs, OAuth applications, folders.
        allowed_hosts: Hosts that may be reached although they are not on the public internet.
        folders: Folders of the server that an administrator allows to read.
        frontier: Addresses that a crawl has found; None in a test of a connector that is not added yet.
        max_bytes: Maximum size of a stored file; the engine stops reading there, and a source may report it before.
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
    read_credentials: Callable[[], Awaitable[Any]] = _no_newer_credentials
    max_bytes: int = 200 * 1024 * 1024


class SourceConnector(ABC, Generic[Settings]):
    """A source that is being read: opened for one sync or one test, and closed after it."""

    definition_name: ClassVar[str]
    """The name of the `ConnectorDefinition` that it implements."""

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
        """Checks each right that syncs need separately, and reports missing ones and how to grant them.

        Raises:
            SourceError: Nothing can be checked.
        """

    @abstractmethod
    def changes(self, cursor: Cursor | None) -> AsyncIterator[Page]:
        """Yields what has changed since a cursor, or everything.

        Args:
            cursor: Cursor of the last stored page; None for a full listing.

        Raises:
            CursorExpiredError: The cursor is no longer known.
            SourceError: The source cannot be read, or not completely.
        """

    @abstractmethod
    def open(self, item: Item) -> AbstractAsyncContextManager[Content]:
        """Opens the content of an item with a new version.

        Raises:
            ItemError: This item cannot be read.
            SourceError: Nothing can be read.
        """

    async def find(self, source_id: str) -> Item | None:
        """Returns an item by its id, to retry it after a failure; None if it no longer exists.

        Raises:
            ItemError: This item cannot be read.
            SourceError: Nothing can be read.
        """
        raise ItemError(f"The connector cannot read {source_id} by itself: run a full sync.", retryable=False)

    async def groups(self, named: Sequence[str]) -> AsyncIterator[GroupPage]:  # noqa: ARG002 - of those that have groups
        """Yields groups with their members, and the people that occur in them; only called when permissions are synced.

        A sync calls it before its changes, with the groups in stored readers, and again after them if these
        contain new groups.

        Args:
            named: Keys of the groups and tenants whose members are needed, without nested ones; other groups
                may be yielded, too.

        Raises:
            SourceError: They cannot be read; memberships are unchanged until they are too old to grant access.
        """
        yield GroupPage(is_complete=True)
