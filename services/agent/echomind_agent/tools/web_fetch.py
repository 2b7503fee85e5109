"""The tool that reads web pages."""

import re
from collections.abc import Iterable
from itertools import islice
from typing import Annotated

from pydantic import Field
from yarl import URL

from echomind_agent.evidence.sources import PagePart, found_event, render
from echomind_agent.text.shortening import one_line
from echomind_agent.toolset.registry import RetryableToolError, Tool, ToolContext, ToolError, ToolResult, tool
from echomind_lib.network.fetching import Fetcher, FetchError
from echomind_lib.network.page import ACCEPT, PageReader, is_readable
from echomind_lib.network.page_child import Page
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent

_LENGTH = 12_000
"""Maximum number of a page's characters in one result."""
_MAX_URL = 2048
_MAX_ERROR = 500
# Starts at word boundaries only, so that a long word without a point is read in linear time.
_WRITTEN = re.compile(
    r"""https?://[^\s<>"'`]+|(?<![\w-])[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?][^\s<>"'`]*)?""", re.IGNORECASE
)
_MAX_WRITTEN = 1_000
"""Maximum number of compared URLs of one host, the newest message's first."""
_AROUND = ".,;:!?*_)]}’”»…"


def fetch_web_page(fetcher: Fetcher, reader: PageReader) -> Tool:
    """Returns the tool that reads a web page."""

    @tool(
        progress=lambda given: f"Reading {given.url[:200]}",
        untrusted=True,
        delimits=True,
        side_effect=lambda context, given: context.untrusted and not _is_known(given.url, context),
        timeout=60.0,
    )
    async def fetch_web_page(
        context: ToolContext,
        url: Annotated[
            str, Field(min_length=1, max_length=_MAX_URL, description="The address, with http:// or https://.")
        ],
        offset: Annotated[
            int, Field(ge=0, description="Where to begin, in characters; to read on in a page that was cut off.")
        ] = 0,
    ) -> ToolResult:
        """Reads a page of the web as Markdown: its main content, with links.

        Use it for addresses that the person gave or that a source names. It cannot sign in or run scripts. Returns a
        numbered source.
        """
        try:
            fetched = await fetcher.fetch(url, is_readable, ACCEPT)
            page = await reader.read(fetched)
        except FetchError as error:
            raise as_tool_error(error) from error
        part, rest = part_of(fetched.url, page, offset)
        found = context.sources.add_pages([part])
        event = SessionEvent(
            kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS,
            text=f"Read {part.title}",
            sources=found_event("", found),
        )
        return ToolResult(f"{render(found)}{rest}", [event])

    return fetch_web_page


def as_tool_error(error: FetchError) -> ToolError | RetryableToolError:
    """Returns the error of a call for a failed request, which changes nothing.

    The message may contain an address chosen by a page.
    """
    text = one_line(str(error), _MAX_ERROR)
    return RetryableToolError(text, is_effect_known=True) if error.retryable else ToolError(text)


def _is_known(url: str, context: ToolContext) -> bool:
    """Returns whether a model cannot have put anything into a URL.

    The person wrote it in this conversation, a search engine returned it, or it was fetched before.
    """
    return is_written_in(url, context.asked) or is_written_in(url, [each.url for each in context.sources if each.url])


def part_of(url: str, page: Page, offset: int, length: int = _LENGTH) -> tuple[PagePart, str]:
    """Returns a part of a page, and a note for the model about what comes after it; empty if nothing does.

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
    part = PagePart(url=url, title=page.title or url, text=page.text[offset:end], start=offset)
    rest = f"\nThe page has {total} characters: call fetch_web_page with offset {end} to read on."
    return part, "" if end == total else rest


def is_written_in(url: str, texts: Iterable[str]) -> bool:
    """Returns whether one of the texts contains a URL in full, with or without its scheme.

    A prefix of a longer URL, or a URL with other parameters, is a different one.
    """
    address = _parsed(url)
    if address is None:
        return False
    hosts = {(address.host or "").lower(), (address.raw_host or "").lower()}
    written = (found[0] for text in texts for found in _WRITTEN.finditer(text))
    same_host = (found for found in written if any(host in found.lower() for host in hosts))
    return any(
        (other := _parsed(form)) is not None and _without_scheme(other) == _without_scheme(address)
        for found in islice(same_host, _MAX_WRITTEN)
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
        if (position := text.rfind(mark, start + length * 3 // 4, start + length)) >= 0:
            return position + len(mark)
    return start + length
