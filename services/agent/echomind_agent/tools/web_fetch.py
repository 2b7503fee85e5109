"""The tool that reads web pages."""

import re
from collections.abc import Iterable
from itertools import islice
from typing import Annotated

from pydantic import Field
from yarl import URL

from echomind_agent.text.delimiting import delimited
from echomind_agent.text.shortening import one_line
from echomind_agent.toolset.registry import RetryableToolError, Tool, ToolContext, ToolError, ToolResult, tool
from echomind_lib.network.fetching import Fetcher, FetchError
from echomind_lib.network.page import ACCEPT, PageReader, is_readable
from echomind_lib.network.page_child import Page

_LENGTH = 12_000
"""Maximum number of a page's characters in one result."""
_MOST_URL = 2048
_MOST_ERROR = 500
# Starts at word boundaries only, so that a long word without a point is read in linear time.
_WRITTEN = re.compile(
    r"""https?://[^\s<>"'`]+|(?<![\w-])[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?][^\s<>"'`]*)?""", re.IGNORECASE
)
_MOST_WRITTEN = 1_000
"""Maximum number of compared URLs of one host, the newest message's first."""
_AROUND = ".,;:!?*_)]}’”»…"


def fetch_web_page(fetcher: Fetcher, reader: PageReader) -> Tool:
    """Returns the tool that reads a web page."""

    @tool(
        progress=lambda given: f"Reading {given.url[:200]}",
        untrusted=True,
        delimits=True,
        side_effect=lambda context, given: context.untrusted and not is_written_in(given.url, context.asked),
        timeout=60.0,
    )
    async def fetch_web_page(
        context: ToolContext,  # noqa: ARG001
        url: Annotated[
            str, Field(min_length=1, max_length=_MOST_URL, description="The address, with http:// or https://.")
        ],
        offset: Annotated[
            int, Field(ge=0, description="Where to begin, in characters; to read on in a page that was cut off.")
        ] = 0,
    ) -> ToolResult:
        """Reads a page of the web as Markdown: its main content, with links.

        Use it for addresses that the person gave or that a source names. It cannot sign in or run scripts.
        """
        try:
            fetched = await fetcher.fetch(url, is_readable, ACCEPT)
            page = await reader.read(fetched)
        except FetchError as error:
            # The message may contain an address chosen by a page.
            text = one_line(str(error), _MOST_ERROR)
            raise (RetryableToolError if error.retryable else ToolError)(text) from error
        return ToolResult(render(fetched.url, page, offset))

    return fetch_web_page


def render(url: str, page: Page, offset: int, length: int = _LENGTH) -> str:
    """Returns a part of a page as text for a model.

    Args:
        url: Its URL.
        page: The whole page.
        offset: Start of the part, in code points.
        length: Maximum length.

    Raises:
        ToolError: The page ends before `offset`.
    """
    total = len(page.text)
    if offset and offset >= total:
        raise ToolError(f"The page has {total} characters; there is nothing at {offset}.")
    end = _end(page.text, offset, length)
    place = None if end - offset == total else f"{offset}-{end} of {total}"
    part = delimited("web_page", page.text[offset:end], url=url, title=page.title, characters=place)
    rest = "" if end == total else f"\nThe page continues: call fetch_web_page with offset {end} to read more."
    return f"{part}{rest}"


def is_written_in(url: str, texts: Iterable[str]) -> bool:
    """Returns whether one of the texts contains a URL in full, with or without its scheme.

    A prefix of a longer URL, or a URL with other parameters, is a different one.
    """
    wanted = _parsed(url)
    if wanted is None:
        return False
    hosts = {(wanted.host or "").lower(), (wanted.raw_host or "").lower()}
    written = (found[0] for text in texts for found in _WRITTEN.finditer(text))
    same_host = (found for found in written if any(host in found.lower() for host in hosts))
    return any(
        (other := _parsed(form)) is not None and _without_scheme(other) == _without_scheme(wanted)
        for found in islice(same_host, _MOST_WRITTEN)
        for form in (found, found.rstrip(_AROUND))
    )


def _parsed(url: str) -> URL | None:
    """Returns the parsed URL of a text, with or without its scheme; None if it is not one."""
    try:
        parsed = URL(url.strip() if "://" in url else f"https://{url.strip()}")
    except ValueError:
        return None
    return parsed if parsed.scheme in ("http", "https") and parsed.raw_host else None


def _without_scheme(url: URL) -> str:
    """Returns a URL normalized for comparison: without scheme, fragment and a bare slash."""
    port = "" if url.is_default_port() or url.port is None else f":{url.port}"
    user = f"{url.raw_user}@" if url.raw_user is not None else ""
    return f"{user}{(url.raw_host or '').lower()}{port}{url.raw_path_qs.removesuffix('/')}"


def _end(text: str, start: int, length: int) -> int:
    """Returns the end of a part: at a paragraph or line end, if there is one in its last quarter."""
    if len(text) - start <= length:
        return len(text)
    for mark in ("\n\n", "\n", " "):
        if (place := text.rfind(mark, start + length * 3 // 4, start + length)) >= 0:
            return place + len(mark)
    return start + length
