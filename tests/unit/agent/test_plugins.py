"""Tools of installed packages, and the example of the guide."""

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any, cast

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import web
from structlog.testing import capture_logs

from echomind_agent.toolset.plugins import PluginContext, plugin_tools
from echomind_agent.toolset.registry import RetryableToolError, Started, Tool, ToolContext, ToolError, ToolResult
from tests.drivers.serving import serving
from tests.drivers.snippets import to_run
from tests.paths import ROOT

GUIDE = ROOT / "docs/guide/tools.md"
NO_CONTEXT = cast("ToolContext", None)
CONTEXT = cast("PluginContext", None)
HEAD = """
from echomind_agent.toolset.registry import ToolContext, tool

def make(name, **options):
    @tool(name=name, progress=str, **options)
    async def function(context: ToolContext, text: str = "") -> str:
        '''Says a text.'''
        return name + text
    return function
"""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs packages for a test: a module of the package's name, and its entry points."""
    before = set(sys.modules)

    def install(package: str, code: str, entry_points: str = "") -> None:
        (tmp_path / f"{package}.py").write_text(code)
        info = tmp_path / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[echomind.tools]\n{entry_points or f'{package} = {package}:tools'}\n")

    monkeypatch.syspath_prepend(tmp_path)
    yield install
    for name in set(sys.modules) - before:
        del sys.modules[name]


def load(taken: list[str] | None = None) -> tuple[list[str], str]:
    """Returns names of the tools that were found, and what was logged as wrong."""
    with capture_logs() as logs:
        found = plugin_tools(CONTEXT, taken or [])
    wrong = [entry for entry in logs if entry["log_level"] == "error"]
    return [tool.name for tool in found], json.dumps(wrong, default=str)


async def test_tools_of_packages_are_found(install: Install) -> None:
    install("plugin_a", HEAD + "def tools(context): return [make('a1'), make('a2')]")
    install("plugin_b", HEAD + "def tools(context):\n    yield make('b')")
    names, wrong = load()
    assert (names, wrong) == (["a1", "a2", "b"], "[]")
    (_, _, b) = plugin_tools(CONTEXT, [])
    assert await b.call(NO_CONTEXT, b.parse('{"text": "!"}')) == "b!"


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("import no_such_module", "No module named 'no_such_module'"),
        ("raise RuntimeError('broken at import')", "broken at import"),
        ("tool = None", "has no attribute 'tools'"),
        ("def tools(): return []", "takes 0 positional arguments"),
        ("def tools(context): raise KeyError('setting')", "KeyError"),
        ("def tools(context): return None", "not iterable"),
        ("def tools(context): return [print]", "is no Tool; make it with @tool"),
    ],
)
def test_a_broken_package_stops_no_other(install: Install, code: str, problem: str) -> None:
    install("plugin_bad", code)
    install("plugin_good", HEAD + "def tools(context): return [make('good')]")
    with capture_logs() as logs:
        found = plugin_tools(CONTEXT, [])
    assert [tool.name for tool in found] == ["good"]
    (entry,) = [entry for entry in logs if entry["log_level"] == "error"]
    assert (entry["package"], entry["entry_point"]) == ("plugin_bad 1.0", "plugin_bad = plugin_bad:tools")
    assert entry["exc_info"]


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        ("make('search_documents')", "there is a tool search_documents already"),
        ("make('two words')", "is no name for a tool"),
        ("make('server__tool')", "is no name for a tool"),
        ("make('')", "there is a tool function already"),
        ("make('waits', executor='person')", "tools of packages run in the worker"),
    ],
)
def test_a_tool_that_cannot_be_had_is_left_out(install: Install, made: str, problem: str) -> None:
    install("plugin_c", HEAD + f"def tools(context): return [{made}, make('other')]")
    names, wrong = load(["search_documents", "function"])
    assert names == ["other"]
    assert problem in wrong


def test_the_first_of_two_packages_keeps_a_name(install: Install) -> None:
    install("plugin_d", HEAD + "def tools(context): return [make('same', timeout=1)]")
    install("plugin_e", HEAD + "def tools(context): return [make('same', timeout=2)]")
    with capture_logs():
        (found,) = plugin_tools(CONTEXT, [])
    assert found.timeout == 1


class Renderer:
    """The service of the guide's example."""

    def __init__(self) -> None:
        self.states: list[dict[str, Any]] = []
        self.started: list[Any] = []
        self.status = 200

    async def start(self, request: web.Request) -> web.Response:
        self.started.append(await request.json())
        return web.json_response({"id": "t1"}, status=self.status)

    async def task(self, request: web.Request) -> web.Response:
        assert request.match_info["id"] == "t1"
        return web.json_response(self.states.pop(0), status=self.status)


@pytest_asyncio.fixture
async def renderer(install: Install, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Renderer, Tool]]:
    """The guide's example, installed as the guide says, and the service that it calls."""
    (program,), (project,) = to_run("tools.md", "python"), to_run("tools.md", "toml")
    code, entry = program.text, project.text.partition('[project.entry-points."echomind.tools"]\n')[2]
    renderer = Renderer()
    application = web.Application()
    application.add_routes([web.post("/tasks", renderer.start), web.get("/tasks/{id}", renderer.task)])
    async with serving(application) as origin, aiohttp.ClientSession() as http:
        install("renderer_tools", code.replace("http://127.0.0.1:9300", origin), entry.replace('"', ""))
        (tool,) = plugin_tools(PluginContext(cast("Any", None), http, cast("Any", None)), [])
        yield renderer, tool


async def test_the_example_of_the_guide_works(renderer: tuple[Renderer, Tool]) -> None:
    service, draw = renderer
    assert (draw.name, draw.side_effect, draw.timeout) == ("draw", True, 600)
    assert draw.schema["required"] == ["subject"]
    started = await draw.call(NO_CONTEXT, draw.parse('{"subject": "a house"}'))
    assert started == Started("t1", "queued")
    assert service.started == [{"subject": "a house", "size": "small"}]
    assert draw.poll is not None
    service.states = [
        {"state": "drawing", "percent": 40},
        {"state": "done", "address": "http://pictures/1"},
        {"state": "failed", "reason": "no ink"},
    ]
    assert await draw.poll(NO_CONTEXT, "t1") == Started("t1", "drawing", 40)
    assert await draw.poll(NO_CONTEXT, "t1") == ToolResult("The drawing is at http://pictures/1.")
    with pytest.raises(ToolError, match="no ink"):
        await draw.poll(NO_CONTEXT, "t1")
    for status, error in ((400, ToolError), (503, RetryableToolError)):
        service.status = status
        with pytest.raises(error):
            await draw.call(NO_CONTEXT, draw.parse('{"subject": "a house"}'))


async def test_built_in_tools_and_packages_make_a_registry(install: Install) -> None:
    from echomind_agent.tools.builtin import builtin_tools
    from echomind_agent.tools.control import control_tools
    from echomind_agent.toolset.registry import Registry

    nothing = cast("Any", None)
    builtin = builtin_tools(nothing, nothing, nothing, nothing, nothing, cast("Any", object()))
    install("plugin_f", HEAD + "def tools(context): return [make('mine'), make('calculator')]")
    with capture_logs():
        plugins = await asyncio.to_thread(plugin_tools, CONTEXT, [tool.name for tool in builtin])
    names = list(Registry([*builtin, *plugins]).choose([]))
    documented = re.findall(r"^\| `(\w+)` \|", GUIDE.read_text().partition("## Web pages")[0], re.MULTILINE)
    control = control_tools(may_ask=True, may_delegate=True)
    assert names == [*(name for name in documented if name not in control), "mine"]
    assert control.keys() <= set(documented)
