"""Which tools runs have in a notebook: none that brings in text from outside its sources, unless it allows it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from echomind_agent.mcp import McpServers
from echomind_agent.tools.builtin import builtin_tools
from echomind_agent.tools.selection import choose_tools
from echomind_agent.toolset.registry import Registry
from echomind_lib.assistants.assistant_settings import McpServerSettings
from echomind_lib.runs.record import RunNotebook, RunRecord
from tests.drivers.tables import for_each
from tests.factories.news import read_news
from tests.factories.run_records import new_run

WIKI = {"name": "wiki", "url": "http://wiki.example"}
OUTSIDE = {"fetch_web_page", "search_knowledge", "search_memory", "read_news"}


class Servers:
    """MCP servers that count how often they are connected to."""

    asked = 0

    async def tools(self, _: int, servers: Sequence[McpServerSettings]) -> tuple[dict[str, Any], list[str]]:
        self.asked += 1
        listed = [f"{server.name}__{name}" for server in servers for name in ("search", "list")]
        return {name: replace(read_news, name=name) for name in listed}, []


async def names(run: RunRecord, servers: Servers) -> set[str]:
    nothing = cast("Any", None)
    built_in = builtin_tools(nothing, nothing, nothing, nothing, nothing)
    tools, problems = await choose_tools(run, Registry([*built_in, read_news]), cast("McpServers", servers))
    assert problems == []
    return set(tools)


def in_notebook(run: RunRecord, *tools: str) -> RunRecord:
    notebook = RunNotebook(id=1, title="Leave", instructions="", tools=tools)
    return replace(run, session=replace(run.session, notebook=notebook))


async def test_in_a_notebook_no_tool_brings_in_text_from_outside() -> None:
    servers = Servers()
    config = {"mcpServers": [WIKI]}
    run = replace(new_run(config=config), has_knowledge=True)
    run = replace(run, memory=replace(run.memory, is_on=True, has_any=True))
    everywhere = await names(run, servers)
    assert everywhere >= OUTSIDE | {"wiki__search", "wiki__list", "search_documents"}
    assert servers.asked == 1
    assert everywhere - await names(in_notebook(run), servers) == OUTSIDE | {"wiki__search", "wiki__list"}
    assert servers.asked == 1


async def test_naming_such_a_tool_does_not_bring_it_into_a_notebook() -> None:
    run = in_notebook(new_run(config={"tools": ["fetch_web_page", "read_news", "calculator", "read_document"]}))
    assert await names(run, Servers()) == {"calculator", "read_document"}


MAIL = {"name": "mail", "url": "http://mail.example"}
TOOLS = ["fetch_web_page", "read_news", "calculator", "search_knowledge", "search_memory"]


@for_each(
    ("allowed", "added", "asked"),
    [
        (["fetch_web_page"], {"fetch_web_page"}, 0),
        (["fetch_*", "read_news"], {"fetch_web_page", "read_news"}, 0),
        (["wiki__*"], {"wiki__search", "wiki__list"}, 1),
        (["wiki__search", "m*"], {"wiki__search", "mail__search", "mail__list"}, 1),
        (["search_knowledge", "search_memory", "wiki", "send_mail"], set(), 0),
        (["*"], {"fetch_web_page", "read_news", "wiki__search", "wiki__list", "mail__search", "mail__list"}, 1),
    ],
)
async def test_a_notebook_allows_tools_that_the_assistant_has(allowed: list[str], added: set[str], asked: int) -> None:
    servers = Servers()
    run = replace(new_run(config={"mcpServers": [WIKI, MAIL], "tools": TOOLS}), has_knowledge=True)
    run = in_notebook(replace(run, memory=replace(run.memory, is_on=True, has_any=True)), *allowed)
    assert await names(run, servers) == {"calculator"} | added
    assert servers.asked == asked


async def test_a_notebook_brings_no_tool_that_the_assistant_has_not() -> None:
    run = in_notebook(new_run(config={"tools": ["calculator"]}), "*")
    assert await names(run, Servers()) == {"calculator"}
    narrowed = replace(run, stored_state={"only": ["wiki__list"]})
    assert await names(narrowed, Servers()) == set()
