"""HTTP as programs and monitors use it: what they look for, ids of answers, and requests for the headers alone."""

import re
from typing import Any

import aiohttp
import pytest

from tests.drivers.client import Client


async def get(client: Client, path: str, **options: Any) -> aiohttp.ClientResponse:
    response = await client.session.get(client.http_url + path, allow_redirects=False, **options)
    await response.read()
    return response


@pytest.mark.parametrize(
    "name", ["oauth-authorization-server", "oauth-authorization-server/mcp", "openid-configuration"]
)
async def test_what_programs_look_for_is_no_page(anonymous: Client, name: str) -> None:
    """MCP's clients read what they find there as JSON, and take a 404 for a server without OAuth."""
    response = await get(anonymous, f"/.well-known/{name}")
    assert (response.status, response.content_type) == (404, "application/json")
    assert await response.json()


@pytest.mark.parametrize("path", ["/", "/healthz", "/api/v1/users/me", "/v1/models", "/scim/v2/Users", "/api/nothing"])
async def test_every_answer_has_an_id(anonymous: Client, path: str) -> None:
    ids = {(await get(anonymous, path)).headers["X-Request-ID"] for _ in range(2)}
    assert len(ids) == 2
    assert all(re.fullmatch("[0-9a-f]{32}", each) for each in ids)


async def test_monitors_may_ask_for_the_headers_alone(anonymous: Client) -> None:
    # What else the gateway needs may be away in this moment.
    for path, statuses in (("/healthz", {200}), ("/readyz", {200, 503})):
        async with anonymous.session.head(anonymous.http_url + path) as response:
            assert await response.read() == b""
        assert response.status in statuses


async def test_a_stored_response_is_not_streamed(owner: Client) -> None:
    headers = {"Authorization": f"Bearer {owner.key}"}
    for query, status in (("stream=true", 400), ("stream=false", 404)):
        response = await get(owner, f"/v1/responses/resp_{'0' * 32}?{query}", headers=headers)
        error = (await response.json())["error"]
        assert (response.status, error["param"] == "stream") == (status, status == 400), error
