"""Which tools runs have in a notebook: none that brings in text from outside its sources."""

from dataclasses import replace
from typing import Any, cast

from echomind_agent.mcp import McpServers
from echomind_agent.tools.builtin import builtin_tools
from echomind_agent.tools.selection import choose_tools
from echomind_agent.toolset.registry import Registry, ToolContext, tool
from echomind_lib.runs.record import RunNotebook, RunRecord
from tests.factories.run_records import new_run

OUTSIDE = {"fetch_web_page", "search_knowledge", "search_memory", "read_news"}


@tool(progress=lambda _: "Reading the news", untrusted=True)
async def read_news(context: ToolContext) -> str:
    """Reads the news, as a tool of a package would."""
    return ""


class Servers:
    """MCP servers that count how often they are connected to."""

    asked = 0

    async def tools(self, *_: object) -> tuple[dict[str, Any], list[str]]:
        self.asked += 1
        return {"wiki__search": replace(read_news, name="wiki__search")}, []


async def names(run: RunRecord, servers: Servers) -> set[str]:
    nothing = cast("Any", None)
    built_in = builtin_tools(nothing, nothing, nothing, nothing, nothing)
    tools, problems = await choose_tools(run, Registry([*built_in, read_news]), cast("McpServers", servers))
    assert problems == []
    return set(tools)


def in_notebook(run: RunRecord) -> RunRecord:
    notebook = RunNotebook(id=1, title="Leave", instructions="")
    return replace(run, session=replace(run.session, notebook=notebook))


async def test_in_a_notebook_no_tool_brings_in_text_from_outside() -> None:
    servers = Servers()
    config = {"mcpServers": [{"name": "wiki", "url": "http://wiki.example"}]}
    run = replace(new_run(config=config), has_knowledge=True)
    run = replace(run, memory=replace(run.memory, is_on=True, has_any=True))
    everywhere = await names(run, servers)
    assert everywhere >= OUTSIDE | {"wiki__search", "search_documents"}
    assert servers.asked == 1
    assert everywhere - await names(in_notebook(run), servers) == OUTSIDE | {"wiki__search"}
    assert servers.asked == 1


async def test_naming_such_a_tool_does_not_bring_it_into_a_notebook() -> None:
    run = in_notebook(new_run(config={"tools": ["fetch_web_page", "read_news", "calculator", "read_document"]}))
    assert await names(run, Servers()) == {"calculator", "read_document"}
