"""The frontier of a crawl: the found addresses, stored between pages and between syncs.

An address is stored once and visited in each crawl, in the order of discovery. So the position of a crawl is the number
of the last visited address, whatever the crawl's size, and newly found addresses are appended.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """The result of the last visit of an address.

    Attributes:
        url: The address.
        status: HTTP status as interpreted by the crawl: 200 for a document or a page with only links, 301
            for one that moved, 404 and 410 for one that was removed.
        etag: The server's ETag; empty if there is none.
        last_modified: The server's Last-Modified; empty if there is none.
        version: Version of its item; empty if there is none.
        rules: Settings with which it was read; with other settings its links are read again.
    """

    url: str
    status: int = 0
    etag: str = ""
    last_modified: str = ""
    version: str = ""
    rules: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A found address.

    Attributes:
        id: Its number in order of discovery.
        url: The address, 1 to 2,000 bytes.
        depth: Its number of links from the start.
        status: From the last `Visit`, as the following attributes; 0 before the first one.
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
    async def add(self, urls: Mapping[str, int], *, max_urls: int, max_queries: int) -> bool:
        """Adds new addresses, and lowers the depth of known ones.

        Args:
            urls: Addresses and their depths, at most 10,000.
            max_urls: Maximum number of addresses; further ones are ignored.
            max_queries: Maximum number that may differ only after the `?`.

        Returns:
            Whether there was room for all.
        """

    @abstractmethod
    async def after(self, position: int, limit: int) -> Sequence[Address]:
        """Returns the next addresses after a number; 0 for the first ones."""

    @abstractmethod
    async def find(self, url: str) -> Address | None:
        """Returns an address; None if the crawl has not found it."""

    @abstractmethod
    async def record(self, visits: Sequence[Visit]) -> None:
        """Stores the results of visits."""

    @abstractmethod
    async def forget_removed(self) -> None:
        """Deletes addresses with status 404 or 410; a new crawl finds them again if they are linked."""
