"""The frontier of a crawl: what a source that searches its way has found, kept between pages and between syncs.

An address is found once and visited in each crawl, in the order in which addresses were found. So the position of a
crawl is the number of the last address that was visited, whatever its size, and what a crawl finds comes behind it.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """The result of the last visit of an address.

    Attributes:
        url: The address.
        status: The status of HTTP, and what it means for the crawl: 200 for a document or a page with links alone, 301
            for one that is another one, 404 and 410 for one that was removed.
        etag: As the server says; empty when it does not.
        last_modified: Likewise.
        version: Of the item that was made of it; empty when none was.
        rules: Settings that it was read with: with others its links are read again.
    """

    url: str
    status: int = 0
    etag: str = ""
    last_modified: str = ""
    version: str = ""
    rules: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """An address that was found.

    Attributes:
        id: Its number in the order in which addresses were found.
        url: The address, 1 to 2,000 bytes.
        depth: Its number of links from the start.
        status: As the other attributes, those of the last `Visit`; 0 before the first one.
    """

    id: int
    url: str
    depth: int
    status: int
    etag: str
    last_modified: str
    version: str
    rules: str


class Frontier(ABC):
    """The addresses of one connector."""

    @abstractmethod
    async def add(self, urls: Mapping[str, int], *, most: int, most_queries: int) -> bool:
        """Adds addresses that are not known, and lowers the depth of those that are.

        Args:
            urls: Addresses and their depths, at most 10,000.
            most: Maximum number of addresses; further ones are ignored.
            most_queries: Maximum number that may differ only after the `?`.

        Returns:
            Whether there was room for all.
        """

    @abstractmethod
    async def after(self, position: int, limit: int) -> Sequence[Address]:
        """Returns the next addresses behind one by its number; 0 for the first ones."""

    @abstractmethod
    async def find(self, url: str) -> Address | None:
        """Returns an address; None when it was not found by the crawl."""

    @abstractmethod
    async def record(self, visits: Sequence[Visit]) -> None:
        """Stores what came of visits."""

    @abstractmethod
    async def forget_removed(self) -> None:
        """Deletes the addresses that answered 404 or 410: a new crawl finds them again where they are linked."""
