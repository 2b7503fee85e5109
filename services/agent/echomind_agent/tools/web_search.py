"""The tool that searches the web."""

from typing import Annotated

from pydantic import Field

from echomind_agent.evidence.sources import PagePart, found_event, render
from echomind_agent.text.shortening import one_line
from echomind_agent.tools.web_fetch import as_tool_error
from echomind_agent.toolset.registry import Tool, ToolContext, ToolResult, tool
from echomind_lib.network.fetching import FetchError
from echomind_lib.network.web_search import WebSearch
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent

NOTHING_FOUND = "The web search found no page."
"""The result of a search without results."""


def search_web(web: WebSearch, *, needs_approval: bool = False) -> Tool:
    """Returns the tool that searches the web.

    Args:
        web: The search engine.
        needs_approval: Whether a person has to approve searches of a run that has read untrusted text. The engine,
            which an administrator has chosen, sees the queries; whoever wrote the text does not.
    """

    @tool(
        progress=lambda given: f"Searching the web for “{one_line(given.query, 120)}”",
        untrusted=True,
        delimits=True,
        sends_data_out=needs_approval,
        timeout=60.0,
    )
    async def search_web(
        context: ToolContext,
        query: Annotated[
            str,
            Field(
                min_length=1,
                max_length=400,
                description="What to look for, as one would write it into a search engine. It is sent to one: write "
                "nothing confidential.",
            ),
        ],
        limit: Annotated[int, Field(ge=1, le=10, description="How many pages at most.")] = 5,
    ) -> ToolResult:
        """Searches the public web.

        Use it for what the documents cannot know, such as news and public facts, or when the person asks for it.
        Returns numbered sources with excerpts of pages; read a page with fetch_web_page before you rely on details.
        """
        try:
            results = await web.search(query, limit)
        except FetchError as error:
            raise as_tool_error(error) from error
        if not results:
            return ToolResult(NOTHING_FOUND)
        found = context.sources.add_pages(PagePart(url=each.url, title=each.title, text=each.text) for each in results)
        event = SessionEvent(
            kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS,
            text=f"Found {len(found)} web page{'s' if len(found) > 1 else ''}",
            sources=found_event(query, found),
        )
        return ToolResult(render(found), [event])

    return search_web
