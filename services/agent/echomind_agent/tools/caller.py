"""Tools of the program that asks, which it runs itself: a step that calls only these ends the run.

The program gets the calls with the run's end, and asks again with their results.
"""

from collections.abc import Collection
from typing import Any

import msgspec

from echomind_agent.text.delimiting import harmless
from echomind_agent.toolset.registry import Tool, ToolContext, parameters_record
from echomind_lib.runs.caller import CallerTool
from echomind_lib.runs.record import RunRecord
from echomind_lib.text import normalized

_ALONE = "The program that asks runs this tool: call it again if you still need it, without other tools."


def caller_tools(run: RunRecord) -> dict[str, Tool]:
    """Returns the tools of the program that asks, by name."""
    caller = run.caller
    return {} if caller is None else {given.name: _tool(given) for given in caller.tools}


def names_of_caller_tools(run: RunRecord) -> Collection[str]:
    """Returns the names of the tools of the program that asks."""
    caller = run.caller
    return frozenset() if caller is None else frozenset(given.name for given in caller.tools)


def _tool(given: CallerTool) -> Tool:
    async def call(_context: ToolContext, _given: Any) -> str:
        return _ALONE

    return Tool(
        name=given.name,
        description=normalized(given.description),
        described_by="the program that asks",
        schema=msgspec.json.decode(harmless(msgspec.json.encode(given.parameters).decode())),
        strict=given.strict,
        parse=parameters_record,
        call=call,
        progress=lambda _: f"Handing {given.name} to the program that asks",
    )
