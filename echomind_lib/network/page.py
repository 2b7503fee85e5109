"""Fetched pages as text: HTML as Markdown of its main content, other text unchanged.

A page is parsed in a child process with limits, as its content may be hostile: some HTML of one megabyte takes half a
minute to parse.
"""

import structlog

from echomind_lib.confined.pool import ConfinedPool
from echomind_lib.confined.process import ChildDiedError
from echomind_lib.network.fetching import Fetched, FetchError
from echomind_lib.network.page_child import Page, PageJob, PageReply
from echomind_lib.text import MESSAGE_CHARACTERS, TITLE_CHARACTERS, normalized, single_line

log = structlog.get_logger(__name__)

ACCEPT = "text/html, application/xhtml+xml, text/markdown, text/plain;q=0.9, application/json;q=0.9, text/*;q=0.8"
"""The `Accept` header for readable content."""
HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})

_TEXT_TYPES = frozenset({"application/json", "application/xml", "application/yaml", "application/x-yaml"})
_TEXT_SUFFIXES = ("+json", "+xml", "+yaml")
_SECONDS = 30.0
_PAGES = 200


def is_readable(content_type: str) -> bool:
    """Returns whether content of a type can be read as text."""
    return (
        content_type.startswith("text/")
        or content_type in HTML_TYPES
        or content_type in _TEXT_TYPES
        or content_type.endswith(_TEXT_SUFFIXES)
    )


class PageReader(ConfinedPool):
    """Reads pages in a few child processes."""

    def __init__(self, processes: int = 2) -> None:
        """Initializes the pool without starting a process.

        Args:
            processes: Maximum number of pages read concurrently, 1 or more.
        """
        super().__init__("echomind_lib.network.page_child", processes=processes, seconds=_SECONDS, jobs=_PAGES)

    async def read(self, fetched: Fetched) -> Page:
        """Extracts the text of a fetched page.

        Raises:
            FetchError: It is not text, or too complex; the message says so.
        """
        job = PageJob(fetched.body, fetched.url, fetched.content_type in HTML_TYPES, fetched.charset)
        try:
            reply = await self.ask(job, PageReply)
        except (TimeoutError, ChildDiedError) as error:
            # The query string may contain a key.
            log.warning("page not read", url=fetched.url.partition("?")[0], reason=repr(error))
            raise FetchError(f"{fetched.url} is too complex to be read.") from error
        if reply.page is None:
            raise FetchError(f"{fetched.url} {single_line(reply.refusal, MESSAGE_CHARACTERS)}.")
        # The child has parsed hostile input, so its output is untrusted, too.
        return Page(single_line(reply.page.title, TITLE_CHARACTERS), normalized(reply.page.text))
