"""Reading web pages."""

import re
from collections.abc import Iterable
from typing import Annotated

from pydantic import Field
from yarl import URL

from echomind_agent.tools.registry import RetryableToolError, Tool, ToolContext, ToolError, ToolResult, tool
from echomind_lib.network.fetching import Fetcher, FetchError
from echomind_lib.network.page import ACCEPT, PageReader, is_readable
from echomind_lib.network.page_child import Page

_LENGTH = 12_000
"""Characters of a page that one call gives at most."""
_MOST_URL = 2048
_TAG = re.compile(r"<(?=\s*/?\s*(?:web_page|sources?|result)\b)", re.IGNORECASE)
_WRITTEN = re.compile(r"""https?://[^\s<>"'`]+|[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?][^\s<>"'`]*)?""", re.IGNORECASE)
_AROUND = ".,;:!?*_)]}’”»…"


def fetch_web_page(fetcher: Fetcher, reader: PageReader) -> Tool:
    """The tool that reads a web page."""

    @tool(
        progress=lambda given: f"Reading {given.url[:200]}",
        untrusted=True,
        side_effect=lambda context, given: context.tainted and not is_written_in(given.url, _asked(context)),
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
            raise (RetryableToolError if error.retryable else ToolError)(str(error)) from error
        return ToolResult(render(fetched.url, page, offset))

    return fetch_web_page


def render(url: str, page: Page, offset: int, length: int = _LENGTH) -> str:
    """A part of a page as a model reads it: delimited, so that its text stays data.

    Args:
        url: Where it is from.
        page: All of it.
        offset: Where the part begins, in code points.
        length: How long it is at most.

    Raises:
        ToolError: The page ends before `offset`.
    """
    total = len(page.text)
    if offset and offset >= total:
        raise ToolError(f"The page has {total} characters; there is nothing at {offset}.")
    end = _end(page.text, offset, length)
    part = _TAG.sub("‹", page.text[offset:end])
    place = "" if end - offset == total else f' characters="{offset}-{end} of {total}"'
    rest = "" if end == total else f"\nThe page goes on: call fetch_web_page with offset {end} to read more."
    return f'<web_page url="{_attribute(url)}" title="{_attribute(page.title)}"{place}>\n{part}\n</web_page>{rest}'


def is_written_in(url: str, texts: Iterable[str]) -> bool:
    """Whether an address stands in one of the texts as a whole, with or without its scheme.

    A beginning of a longer address, or one with other parameters, is another address.
    """
    wanted = _without_scheme(url)
    return wanted is not None and any(
        _without_scheme(form) == wanted
        for text in texts
        for found in _WRITTEN.findall(text)
        for form in (found, found.rstrip(_AROUND))
    )


def _asked(context: ToolContext) -> list[str]:
    """What the person wrote. A sub-agent's input was written by another agent."""
    own = [] if context.taken.run["kind"] == "fork" else [context.taken.run["input"]]
    return [*own, *context.asked]


def _without_scheme(url: str) -> str | None:
    """An address to compare by: without scheme, fragment and a bare slash; None when it is none."""
    try:
        parsed = URL(url.strip() if "://" in url else f"https://{url.strip()}").with_fragment(None)
        if parsed.scheme not in ("http", "https"):
            return None
        port = "" if parsed.is_default_port() or parsed.port is None else f":{parsed.port}"
        user = f"{parsed.raw_user}@" if parsed.raw_user is not None else ""
        return f"{user}{(parsed.raw_host or '').lower()}{port}{parsed.raw_path_qs.removesuffix('/')}"
    except ValueError:
        return None


def _end(text: str, start: int, length: int) -> int:
    """Where a part ends: at the end of a paragraph or a line, if there is one in its last quarter."""
    if len(text) - start <= length:
        return len(text)
    for mark in ("\n\n", "\n", " "):
        if (place := text.rfind(mark, start + length * 3 // 4, start + length)) >= 0:
            return place + len(mark)
    return start + length


def _attribute(text: str) -> str:
    return " ".join(re.sub(r'["<>]', " ", text).split())
