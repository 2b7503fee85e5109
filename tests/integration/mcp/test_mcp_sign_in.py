"""MCP servers that ask for access tokens: EchoMind signs in at them as a client of the organization."""

import asyncio

import pytest

from echomind_agent.mcp import McpServers
from echomind_agent.toolset.registry import RetryableToolError
from tests.drivers.mcp import SECRETS, Caller, Journal, at, tools_of
from tests.drivers.mcp_server import served
from tests.drivers.mcp_sign_in import SignIn

UNAVAILABLE = (
    "The MCP server test is not available: EchoMind cannot sign in at it: check the issuer, the client id and the"
    " client secret."
)


def signing_in(url: str, sign_in: SignIn, **fields: str) -> dict[str, object]:
    """Returns the config of a server with its sign-in, as stored."""
    return at(url, oauth={name: SECRETS.encrypt(value) for name, value in sign_in.config(url, **fields).items()})


async def test_a_token_is_fetched_once_for_the_server_alone(mcp: McpServers, caller: Caller) -> None:
    sign_in = SignIn()
    async with served(sign_in.around) as url:
        tools = await tools_of(mcp, signing_in(url, sign_in, scope="files"))
        for _ in range(3):
            assert await caller.call(tools["test__echo"], '{"text": "x"}')
    (grant,) = sign_in.grants
    assert grant == {"grant_type": "client_credentials", "resource": url, "scope": "files"}


async def test_a_token_that_ends_or_is_taken_back_is_replaced_within_the_call(mcp: McpServers, caller: Caller) -> None:
    sign_in = SignIn()
    async with served(sign_in.around) as url:
        tools = await tools_of(mcp, signing_in(url, sign_in))
        sign_in.valid.clear()
        assert await caller.call(tools["test__echo"], '{"text": "x"}')
        assert len(sign_in.grants) == 2
        sign_in.valid.clear()
        sign_in.is_away = True
        with pytest.raises(RetryableToolError, match="cannot sign in at it") as caught:
            await caller.call(tools["test__echo"], '{"text": "x"}')
        assert caught.value.is_effect_known
        sign_in.is_away = False
        assert await caller.call(tools["test__echo"], '{"text": "x"}')


async def test_calls_do_not_wait_for_each_other(
    mcp: McpServers, caller: Caller, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCP_TEST_JOURNAL", str(journal.path))
    sign_in = SignIn()
    async with served(sign_in.around) as url:
        tools = await tools_of(mcp, signing_in(url, sign_in))
        other = asyncio.create_task(caller.call(tools["test__wait"]))
        await journal.has("waiting")
        async with asyncio.timeout(30):
            assert await caller.call(tools["test__echo"], '{"text": "x"}')
        other.cancel()
        await asyncio.gather(other, return_exceptions=True)


@pytest.mark.parametrize("fields", [{"clientSecret": "another"}, {"issuer": "https://elsewhere.example.org"}])
async def test_a_sign_in_that_is_refused_is_said(mcp: McpServers, fields: dict[str, str]) -> None:
    """And the secret is sent to the issuer of the settings alone, whatever the server says."""
    sign_in = SignIn()
    async with served(sign_in.around) as url:
        await tools_of(mcp, signing_in(url, sign_in, **fields), problems=[UNAVAILABLE])
    assert bool(sign_in.grants) == ("clientSecret" in fields)
