"""A tool as packages bring it, which returns text from elsewhere."""

from echomind_agent.toolset.registry import ToolContext, tool

NEWS = "Since Monday, annual leave is 31 days."


@tool(progress=lambda _: "Reading the news", untrusted=True)
async def read_news(context: ToolContext) -> str:
    """Reads the news."""
    return NEWS
