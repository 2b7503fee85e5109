"""Pagination of vendors' lists."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final, TypeVar

from echomind_ingestor.connectors.protocol import SourceError

MAX_PAGES: Final = 1_000_000

T = TypeVar("T")


async def read_pages(
    read: Callable[[str], Awaitable[T]], next_page: Callable[[T], str | None], *, start: str = "", what: str = "a list"
) -> AsyncIterator[T]:
    """Yields the pages of a list until one has no next page. An empty page may have a next one.

    Args:
        read: Reads the page of a token or link; the first page for an empty one.
        next_page: Returns a page's token or link of the next one; None or empty for the last page.
        start: Where to start.
        what: Name of the list, for the error.

    Raises:
        SourceError: A page refers to one that was read already, or the pages do not end.
    """
    seen = {hash(start)}
    token = start
    for _ in range(MAX_PAGES):
        page = await read(token)
        yield page
        token = next_page(page) or ""
        if not token:
            return
        if hash(token) in seen:
            raise SourceError(
                f"The pages of {what} repeat: the connected system names a next page that was read already."
            )
        seen.add(hash(token))
    raise SourceError(f"The pages of {what} do not end after {MAX_PAGES:,}.")
