"""What a source is to the suite: a tenant that tests change, faults to order, and a connector that reads it."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

Ability = Literal[
    "folders",
    "rename",
    "move",
    "restore",
    "identity",
    "paging",
    "cursor",
    "rate_limit",
    "credentials",
    "tokens",
    "broken_item",
    "permissions",
    "members",
]
"""What a kind of source has, beside files that are there or not.

`identity`: a renamed or moved file keeps its id. `cursor`: it reports changes, and may forget where a reader was.
`paging`: it lists in pages whose size a test can choose. `tokens`: its access tokens expire. `permissions`: files and
folders are shared with people and groups. `members`: all files lie in one place, whose members may read them.
"""

Audience = Literal["link", "organization", "public"]
"""Whom something is shared with beside people: who has its link, who is in the organization, everybody."""


class MissingAbilityError(AssertionError):
    """A test has asked a source for what it does not name among its abilities."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A document as a sync must have stored it."""

    name: str
    content: bytes
    folder: str = ""
    """The path of its folder for people, joined by ` / `; empty at the top."""


@dataclass(slots=True, kw_only=True)
class ConnectorSetup:
    """What a connector of the source is stored with."""

    type: str
    config: dict[str, Any] = field(default_factory=dict)
    credentials: dict[str, Any] | None = None
    permission_mode: str = "scope"
    server: dict[str, Any] = field(default_factory=dict)
    """Fields of `ConnectorSettings`: the addresses of the double."""


class SourceDouble(ABC):
    """A source under test. Entered for one test; the ids that it returns are the source's own (`Item.source_id`).

    What a source cannot do is left out of `abilities`, and tests that need it are skipped for it.
    """

    abilities: ClassVar[frozenset[Ability]]
    unreadable: ClassVar[frozenset[str]] = frozenset()
    """Names of files that its client cannot read, and reports."""
    longest_name: ClassVar[int] = 400
    """Bytes of the longest name that a test gives a file."""
    audiences: ClassVar[frozenset[Audience]] = frozenset()
    """Those whom `share` can name."""

    async def __aenter__(self) -> Self:
        """Starts its server, with an empty tenant."""
        return self

    async def __aexit__(self, *_: object) -> None:  # noqa: B027 - not every source has a server
        """Ends its server."""

    @abstractmethod
    def setup(self) -> ConnectorSetup:
        """Returns what its connector is stored with."""

    @abstractmethod
    def expected(self) -> dict[str, Expected]:
        """Returns all documents that there are by their ids: what a sync must end with."""

    @abstractmethod
    async def put(self, name: str, content: bytes, *, folder: str = "", old: bool = False) -> str:
        """Adds a file, or gives the one of that name in that folder another content.

        Args:
            name: Its name, with an ending.
            content: Its bytes.
            folder: The id of its folder; empty for the top.
            old: Whether its modification time is long before the last sync.

        Returns:
            Its id.
        """

    @abstractmethod
    async def delete(self, source_id: str) -> None:
        """Removes a file, or a folder with all that is in it."""

    async def make_folder(self, name: str, *, parent: str = "") -> str:
        """Adds a folder and returns its id (`folders`)."""
        raise MissingAbilityError(type(self).__name__)

    async def rename(self, source_id: str, name: str) -> str:
        """Renames a file or a folder and returns the id that it has then (`rename`)."""
        raise MissingAbilityError(type(self).__name__)

    async def move(self, source_id: str, folder: str) -> str:
        """Moves a file or a folder and returns the id that it has then (`move`)."""
        raise MissingAbilityError(type(self).__name__)

    async def restore(self, source_id: str) -> None:
        """Brings a deleted file back with the id that it had (`restore`)."""
        raise MissingAbilityError(type(self).__name__)

    def page_size(self, items: int) -> None:
        """Lists no more than so many items with each answer (`paging`)."""
        raise MissingAbilityError(type(self).__name__)

    def after_page(self, action: Callable[[], object]) -> None:
        """Does something to the tenant once, after the next page of a listing was answered (`paging`)."""
        raise MissingAbilityError(type(self).__name__)

    def limit_rate(self, requests: int, retry_after: str | None) -> None:
        """Refuses the next requests with 429 (`rate_limit`); `retry_after` is the header's value, None for none."""
        raise MissingAbilityError(type(self).__name__)

    def expire_cursor(self) -> None:
        """Forgets all cursors that were given out (`cursor`)."""
        raise MissingAbilityError(type(self).__name__)

    def revoke(self) -> None:
        """Refuses the credentials from now on (`credentials`)."""
        raise MissingAbilityError(type(self).__name__)

    def expire_tokens(self) -> None:
        """Refuses the access tokens that were issued so far (`tokens`)."""
        raise MissingAbilityError(type(self).__name__)

    def break_item(self, source_id: str, *, broken: bool = True) -> None:
        """Fails to give the content of an item, or gives it again (`broken_item`)."""
        raise MissingAbilityError(type(self).__name__)

    def put_now(self, name: str, content: bytes) -> object:
        """As `put` at the top, at once: for `after_page`."""
        raise MissingAbilityError(type(self).__name__)

    def add_person(self, name: str, *, is_guest: bool = False) -> str:
        """Adds a person who may read nothing yet, and returns their e-mail address (`permissions`, `members`)."""
        raise MissingAbilityError(type(self).__name__)

    def set_members(self, *people: str) -> None:
        """Lets these people, and no others, into the place that all files lie in (`members`)."""
        raise MissingAbilityError(type(self).__name__)

    def add_group(self, *members: str) -> str:
        """Adds a group of people and groups, and returns what `share` knows it by (`permissions`)."""
        raise MissingAbilityError(type(self).__name__)

    def set_group(self, group: str, *members: str) -> None:
        """Gives a group other members (`permissions`)."""
        raise MissingAbilityError(type(self).__name__)

    def share(self, source_id: str, *readers: str, audience: Audience | None = None) -> None:
        """Shares a file or folder with these, beside its owner and those who may read the folder it lies in, and with
        nobody else (`permissions`)."""
        raise MissingAbilityError(type(self).__name__)

    def hide_readers(self, source_id: str, *, hidden: bool = True) -> None:
        """Refuses to say who may read a file, or says it again (`permissions`)."""
        raise MissingAbilityError(type(self).__name__)
