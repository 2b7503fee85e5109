"""A source itself, and what it works with."""

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


async def _none_newer() -> None:
    """Stands for `SourceContext.read_credentials` where nobody else stores credentials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceContext(Generic[Settings]):
    """What a source works with: another one for each sync and each test of a connector.

    Attributes:
        connector_id: The connector; 0 for a test before it is added.
        settings: Its settings, typed.
        credentials: Its credentials, typed; None for a type that has none.
        syncs_permissions: Whether to read permissions (`permission_mode` is `source`).
        save_credentials: Stores credentials that the source has replaced, such as a refresh token that is used up.
        read_credentials: Returns the credentials that another process has stored since; None when there are none. A
            source whose credentials are refused tries these before it gives up.
        find_known: Returns the stored state for some IDs, at most 1,000 at a time.
        find_children: Pages of ids of the items and folders that lie directly in a folder, as stored.
        server: The administrator's settings: addresses of the vendors' APIs, OAuth applications, folders.
        allowed_hosts: Hosts that may be reached although they are not on the public internet.
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
