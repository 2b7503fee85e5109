"""Sign-in at MCP servers by OAuth: where it goes, how long it takes, and what refuses a request."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest

from echomind_agent.mcp import sign_in
from echomind_agent.mcp.http import AnswerTooLargeError
from echomind_agent.mcp.server import NoTokenError, Server
from echomind_agent.mcp.sign_in import SignIn
from echomind_lib.assistants.assistant_settings import McpServerSettings
from echomind_lib.network.addresses import AddressRefusedError
from tests.drivers.mcp import SECRETS

URL = "https://tools.example.org/mcp"
RESOURCE = "https://tools.example.org/.well-known/oauth-protected-resource/mcp"
ISSUER = "https://id.example.org/as"
METADATA = "https://id.example.org/.well-known/oauth-authorization-server/as"
TOKENS = "https://tokens.example.net/token"
OTHER = "https://intranet.example.com/"

Answer = Callable[[httpx2.Request], Awaitable[httpx2.Response]]


def metadata(**fields: Any) -> httpx2.Response:
    """Returns what the issuer says about itself."""
    known = {
        "issuer": ISSUER,
        "authorization_endpoint": f"{ISSUER}/authorize",
        "token_endpoint": TOKENS,
        "response_types_supported": ["code"],
    }
    return httpx2.Response(200, json=known | fields)


class Network:
    """A server that takes the newest token, and its authorization server."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []
        """What was sent, in order."""
        self.challenge = f'Bearer resource_metadata="{RESOURCE}"'
        self.issuers = [ISSUER]
        self.answers: dict[str, Answer] = {}
        """Other answers, by URL."""
        self.tokens = 0

    def oauth(self) -> SignIn:
        """Returns the sign-in at the server."""
        given = {"issuer": ISSUER, "clientId": "echomind", "clientSecret": "s3cret-of-the-client"}
        settings = McpServerSettings(
            name="test", url=URL, oauth={name: SECRETS.encrypt(value) for name, value in given.items()}
        )
        return SignIn(Server.read(settings, SECRETS))

    def fail(self, url: str, failure: httpx2.Response | Exception) -> None:
        """Makes a URL answer so, or not at all."""

        async def answer(_: httpx2.Request) -> httpx2.Response:
            if isinstance(failure, Exception):
                raise failure
            return failure

        self.answers[url] = answer

    async def send(self, request: httpx2.Request) -> httpx2.Response:
        """Answers a request."""
        url = str(request.url)
        self.sent.append((request.method, url))
        if url in self.answers:
            return await self.answers[url](request)
        if url == RESOURCE:
            return httpx2.Response(200, json={"resource": URL, "authorization_servers": self.issuers})
        if url == METADATA:
            return metadata()
        if url == TOKENS:
            self.tokens += 1
            return httpx2.Response(200, json={"access_token": f"token-{self.tokens}", "token_type": "Bearer"})
        if url == URL and self.is_signed_in(request):
            return httpx2.Response(200)
        return httpx2.Response(401 if url == URL else 404, headers={"WWW-Authenticate": self.challenge})

    def is_signed_in(self, request: httpx2.Request) -> bool:
        """Returns whether a request has the newest token."""
        return self.tokens > 0 and request.headers.get("authorization") == f"Bearer token-{self.tokens}"

    def calls(self) -> int:
        """Returns how often the server got a message."""
        return self.sent.count(("POST", URL))


@pytest.fixture
def network() -> Network:
    return Network()


def message() -> httpx2.Request:
    return httpx2.Request("POST", URL, json={})


async def test_the_token_comes_from_the_endpoint_that_the_issuer_names(network: Network) -> None:
    assert (await network.oauth().send(message(), network.send)).status_code == 200
    assert network.sent == [("POST", URL), ("GET", RESOURCE), ("GET", METADATA), ("POST", TOKENS), ("POST", URL)]


async def test_a_server_does_not_lead_a_sign_in_to_another_place(network: Network) -> None:
    network.challenge = f'Bearer resource_metadata="{OTHER}"'
    with pytest.raises(NoTokenError):
        await network.oauth().send(message(), network.send)
    network.challenge, network.issuers = f'Bearer resource_metadata="{RESOURCE}"', [OTHER]
    with pytest.raises(NoTokenError):
        await network.oauth().send(message(), network.send)
    # Not even to the place of the tokens, which only the issuer names.
    network.issuers = [ISSUER]
    known = network.oauth()
    await known.send(message(), network.send)
    network.tokens, network.challenge = network.tokens + 1, f'Bearer resource_metadata="{TOKENS}"'
    with pytest.raises(NoTokenError):
        await known.send(message(), network.send)
    assert {url for method, url in network.sent if method == "GET"} == {RESOURCE, METADATA}
    assert not [url for _, url in network.sent if url.startswith(OTHER)]


@pytest.mark.parametrize("endpoint", ["http://tokens.example.net/token", "http://10.0.0.1/token"])
async def test_the_secret_is_not_sent_without_tls(network: Network, endpoint: str) -> None:
    network.fail(METADATA, metadata(token_endpoint=endpoint))
    with pytest.raises(NoTokenError):
        await network.oauth().send(message(), network.send)
    assert ("POST", endpoint) not in network.sent
    assert network.sent[-1] == ("GET", METADATA)


@pytest.mark.parametrize("url", [RESOURCE, METADATA, TOKENS])
@pytest.mark.parametrize(
    "failure",
    [
        AddressRefusedError("link-local"),
        AnswerTooLargeError("too large"),
        httpx2.ConnectError("away"),
        httpx2.InvalidURL("no URL"),
    ],
)
async def test_a_failed_sign_in_is_one_of_this_call(network: Network, url: str, failure: Exception) -> None:
    network.fail(url, failure)
    with pytest.raises(NoTokenError):
        await network.oauth().send(message(), network.send)
    assert network.calls() == 1


async def test_an_error_page_that_is_no_utf_8_fails_a_sign_in(network: Network) -> None:
    network.fail(TOKENS, httpx2.Response(502, content="<p>Störung</p>".encode("latin-1")))
    with pytest.raises(NoTokenError):
        await network.oauth().send(message(), network.send)


async def test_an_address_that_cannot_be_parsed_fails_a_sign_in(network: Network) -> None:
    network.challenge = 'Bearer resource_metadata="https://[tools/"'
    with pytest.raises(NoTokenError):
        await network.oauth().send(message(), network.send)


async def test_the_failure_of_a_message_is_its_own(network: Network) -> None:
    network.fail(URL, AnswerTooLargeError("too large"))
    with pytest.raises(AnswerTooLargeError):
        await network.oauth().send(message(), network.send)


async def test_a_call_that_takes_long_does_not_hold_the_sign_in_of_others(network: Network) -> None:
    known, is_running, may_end = network.oauth(), asyncio.Event(), asyncio.Event()

    async def wait(request: httpx2.Request) -> httpx2.Response:
        if not network.is_signed_in(request):
            return httpx2.Response(401, headers={"WWW-Authenticate": network.challenge})
        if not is_running.is_set():
            is_running.set()
            await may_end.wait()
        return httpx2.Response(200)

    network.answers[URL] = wait
    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        long = group.create_task(known.send(message(), network.send))
        await is_running.wait()
        network.tokens += 1  # so that the other call has to sign in again
        assert (await known.send(message(), network.send)).status_code == 200
        assert not long.done()
        may_end.set()
    assert long.result().status_code == 200


async def test_calls_that_start_together_fetch_one_token(network: Network) -> None:
    known = network.oauth()
    answers = await asyncio.gather(*(known.send(message(), network.send) for _ in range(5)))
    assert [answer.status_code for answer in answers] == [200] * 5
    assert network.tokens == 1


async def test_a_sign_in_that_hangs_ends(network: Network, monkeypatch: pytest.MonkeyPatch) -> None:
    known = network.oauth()

    async def hang(_: httpx2.Request) -> httpx2.Response:
        await asyncio.Event().wait()
        raise AssertionError

    network.answers[TOKENS] = hang
    monkeypatch.setattr(sign_in, "_SECONDS", 0.05)
    async with asyncio.timeout(60):
        with pytest.raises(NoTokenError):
            await known.send(message(), network.send)
    del network.answers[TOKENS]
    monkeypatch.undo()
    assert (await known.send(message(), network.send)).status_code == 200


@pytest.mark.parametrize(
    ("challenge", "calls"), [("", 1), ('Bearer error="invalid_token"', 1), ('Bearer error="insufficient_scope"', 2)]
)
async def test_only_a_403_for_its_scope_is_sent_again(network: Network, challenge: str, calls: int) -> None:
    known = network.oauth()
    await known.send(message(), network.send)
    network.fail(URL, httpx2.Response(403, headers={"WWW-Authenticate": challenge}))
    network.sent.clear()
    assert (await known.send(message(), network.send)).status_code == 403
    assert network.calls() == calls
    assert network.tokens == calls
