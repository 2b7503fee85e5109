"""Servers of protocol version 2025-11-25 that ask a person while a call runs, over both transports."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio

from echomind_agent.mcp import McpServers
from echomind_agent.toolset.registry import InputNeededError, ToolError
from echomind_lib.runs.elicitation import Elicitation
from tests.drivers.mcp import PATIENCE, PROGRAMS, SECRETS, Caller, Journal, at, program_config, tools_of
from tests.drivers.mcp_server import make_server, served


@dataclass
class Older:
    """A server and the agent's side of it."""

    config: dict[str, Any]
    mcp: McpServers
    journal: Journal

    async def tool(self, name: str) -> Any:
        return (await tools_of(self.mcp, self.config))[f"test__{name}"]

    async def asked(self, caller: Caller, arguments: str = "{}") -> Elicitation:
        """Returns what the tool asks next."""
        with pytest.raises(InputNeededError) as needed:
            await caller.call(await self.tool("reserve"), arguments)
        return needed.value.elicitation


@pytest_asyncio.fixture(params=["program", "http"], scope="module", loop_scope="session")
async def older(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Older]:
    """The server, once for each transport."""
    journal = Journal(tmp_path_factory.mktemp("mcp") / "journal")
    mcp = McpServers(SECRETS, PROGRAMS, PATIENCE)
    if request.param == "program":
        yield Older(program_config(journal, "older"), mcp, journal)
    else:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("MCP_TEST_JOURNAL", str(journal.path))
            async with served(server=make_server(older=True)) as url:
                yield Older(at(url), mcp, journal)
                await mcp.close()
    await mcp.close()


async def test_a_call_that_asks_is_cancelled_and_made_again_with_the_answer(older: Older, caller: Caller) -> None:
    older.journal.clear()
    asked = await older.asked(caller)
    assert asked.open is not None
    assert asked.open.question("test").splitlines()[1] == "- room (one of: blue, red, otherwise red)"
    await older.journal.has("not reserved")

    caller.elicitation = asked.answered("blue")
    assert "accept {'room': 'blue'}" in str(await caller.call(await older.tool("reserve")))
    assert older.journal.lines("reserve") == ["reserve", "reserve"]


@pytest.mark.parametrize(
    ("text", "result"), [("{}", "accept {'room': 'red'}"), ("decline", "decline"), ("cancel", "cancel")]
)
async def test_a_person_takes_the_defaults_or_declines(older: Older, caller: Caller, text: str, result: str) -> None:
    caller.elicitation = (await older.asked(caller)).answered(text)
    assert result in str(await caller.call(await older.tool("reserve")))


async def test_several_questions_are_answered_one_after_another(older: Older, caller: Caller) -> None:
    arguments = '{"rooms": 2}'
    caller.elicitation = (await older.asked(caller, arguments)).answered("blue")
    second = await older.asked(caller, arguments)
    assert second.open is not None
    assert second.open.message == "Which room, 2?"
    caller.elicitation = second.answered("red")
    result = str(await caller.call(await older.tool("reserve"), arguments))
    assert "accept {'room': 'blue'}; accept {'room': 'red'}" in result


async def test_a_run_that_may_not_ask_ends_the_call(older: Older, caller: Caller) -> None:
    caller.may_ask = False
    with pytest.raises(ToolError, match="only a person can give"):
        await caller.call(await older.tool("reserve"))


async def test_no_address_is_passed_on(older: Older, caller: Caller) -> None:
    with pytest.raises(ToolError):
        await caller.call(await older.tool("open_page"))


async def test_questions_belong_to_the_calls_that_asked_them(older: Older) -> None:
    """A program does not say in which of several calls it asks: then nobody is asked."""
    callers = [Caller() for _ in range(3)]
    arguments = [f'{{"rooms": {number}}}' for number in (1, 2, 3)]
    reserve = await older.tool("reserve")
    calls = [caller.call(reserve, given) for caller, given in zip(callers, arguments, strict=True)]
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    if older.config["transport"] == "MCP_TRANSPORT_STDIO":
        assert all(isinstance(each, InputNeededError) or "cancel" in str(each) for each in outcomes), outcomes
        assert sum(isinstance(each, InputNeededError) for each in outcomes) <= 1
        return
    for caller, given, outcome in zip(callers, arguments, outcomes, strict=True):
        assert isinstance(outcome, InputNeededError)
        caller.elicitation = outcome.elicitation.answered("blue" if given == arguments[0] else "red")
    with pytest.raises(InputNeededError):
        await callers[1].call(reserve, arguments[1])
    assert "blue" in str(await callers[0].call(reserve, arguments[0]))


async def test_nobody_is_asked_what_another_call_asks(older: Older, caller: Caller) -> None:
    """A server that goes on with a cancelled call, and asks again, asks nobody; the next call is free of it."""
    older.journal.clear()
    insist, wait = await older.tool("insist"), await older.tool("wait")
    is_program = older.config["transport"] == "MCP_TRANSPORT_STDIO"
    (connection,) = older.mcp._connections.values()
    async with connection._client():  # somebody else, so that the connection stays
        with pytest.raises(InputNeededError):
            await caller.call(insist)
        other = asyncio.create_task(Caller().call(wait))
        await older.journal.has("waiting")
        await older.journal.has("refused")  # the question that was passed on ends with its call
        again = "insisted" if is_program else "refused"
        await older.journal.has(again, len(older.journal.lines(again)) + 2)
        assert not other.done()
        assert not older.journal.lines("insisted accept")
        assert len(connection._inquiries._at_work) == 1
        other.cancel()
        await asyncio.gather(other, return_exceptions=True)
    assert not connection._inquiries._at_work
    asked = await older.asked(Caller())
    assert asked.open is not None
    assert asked.open.message == "Which room, 1?"


async def test_a_shared_stream_that_asked_is_opened_again_before_it_is_used(older: Older, caller: Caller) -> None:
    insist, reserve = await older.tool("insist"), await older.tool("reserve")
    older.journal.clear()
    with pytest.raises(InputNeededError):
        await caller.call(insist)
    other = Caller()
    other.elicitation = (await older.asked(other)).answered("blue")
    assert "accept {'room': 'blue'}" in str(await other.call(reserve))
    assert not older.journal.lines("insisted")
    # The one that listed the tools was started before the journal was cleared.
    assert len(older.journal.pids()) == (2 if older.config["transport"] == "MCP_TRANSPORT_STDIO" else 0)
