"""Steps in one line."""

from typing import Any

import pytest

from echomind_agent.prompts.digest import digest
from echomind_agent.state.call import Call
from echomind_agent.tools.todos import update_todo, write_todos
from echomind_agent.toolset.registry import Tool
from echomind_lib.llms import ToolCall
from tests.drivers.tables import for_each

_SEARCH = ToolCall("c1", "search_documents", '{"query": "leave in days"}')
_SOURCES = (
    '<source number="3" title="Handbook">\nThirty days.\n</source>\n'
    '<source number="7" title="Letter" page="2">\nTwenty days.\n</source>'
)


def _tool(name: str, **options: Any) -> Tool:
    async def call(context: Any, given: Any) -> str:
        return ""

    return Tool(name, "", {}, lambda arguments: arguments, call, lambda given: name, **options)


def test_sources_are_named_by_their_numbers() -> None:
    line = digest("call_tool", [_SEARCH], [_SOURCES])
    assert line == "search_documents(query: leave in days) → sources [3], [7]"


def test_long_results_of_several_calls_share_the_line() -> None:
    calls = [ToolCall(f"c{position}", "fetch", '{"url": "' + "x" * 500 + '"}') for position in range(4)]
    line = digest("call_tools_parallel", calls, ["word\n" * 500] * 4)
    assert line.count("fetch(url: ") == line.count("…) → word word") == 4
    assert len(line) < 500
    assert "\n" not in line


@pytest.mark.parametrize(
    ("action", "text", "line"),
    [("plan", "First <this>,\nthen that.", "said: First ‹this>, then that."), ("plan", " ", "plan")],
)
def test_a_step_without_calls_is_its_text(action: str, text: str, line: str) -> None:
    assert digest(action, [], [], text) == line


def test_arguments_that_are_not_json_are_shown() -> None:
    assert digest("call_tool", [ToolCall("c", "fetch", "{url")], [""]) == "fetch(invalid: {url) → nothing"


@for_each(
    ("name", "arguments", "changes", "important"),
    [
        ("search_documents", '{"query": "x"}', {}, False),
        ("search_documents", '{"query": "x"}', {"side_effect": True}, True),
        ("search_documents", '{"query": "x"}', {"side_effect": True, "status": "failed"}, False),
        ("ask_user", "{}", {}, True),
        ("ask_user", "{}", {"status": "cancelled"}, False),
        ("spawn_sub_agent", "{}", {}, True),
        ("update_todo", '{"number": 1, "status": "completed"}', {}, True),
        ("update_todo", '{"number": 1, "status": "completed"}', {"status": "failed"}, False),
        ("update_todo", '{"number": 1, "status":"in_progress", "result": "\\"completed\\""}', {}, False),
        ("write_todos", '{"todos": [{"number": 1, "title": "\\"completed\\""}]}', {}, False),
        ("unknown_todo", '{"status": "completed"}', {}, False),
    ],
)
def test_what_later_runs_should_know_of_comes_from_results(
    name: str, arguments: str, changes: dict[str, Any], important: bool
) -> None:
    tools = {
        "search_documents": _tool("search_documents"),
        "ask_user": _tool("ask_user", executor="person"),
        "spawn_sub_agent": _tool("spawn_sub_agent", executor="sub_agent"),
        "update_todo": update_todo,
        "write_todos": write_todos,
    }
    call = Call(ToolCall("c1", name, arguments), tools.get(name), **{"status": "completed"} | changes)
    assert call.is_important is important
