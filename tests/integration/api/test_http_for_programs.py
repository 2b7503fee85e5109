"""HTTP as programs and monitors use it: what they look for, ids of answers, and requests for the headers alone."""

import re
from typing import Any

import aiohttp
import pytest
from pydantic import ValidationError

from echomind_lib.config import ApiSettings
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


@pytest.mark.parametrize(
    ("verb", "path", "allowed"),
    [
        ("GET", "/v1/chat/completions", "POST"),
        ("DELETE", "/v1/responses", "POST"),
        ("PUT", "/v1/models", "GET"),
        ("POST", "/v1/responses/resp_1", "DELETE, GET"),
        ("PATCH", "/v1/files", "GET, POST"),
    ],
)
async def test_a_wrong_verb_of_programs_names_the_right_ones(
    anonymous: Client, verb: str, path: str, allowed: str
) -> None:
    async with anonymous.session.request(verb, anonymous.http_url + path) as response:
        assert (response.status, response.headers["Allow"]) == (405, allowed)
        assert (await response.json())["error"]["code"] == "method_not_allowed"


@pytest.mark.parametrize(("origin", "is_permitted"), [("https://chat.example.org", True), ("https://evil.org", False)])
async def test_pages_of_listed_sites_call_the_apis_with_a_key(owner: Client, origin: str, is_permitted: bool) -> None:
    expected = origin if is_permitted else None
    asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    asked |= {"Access-Control-Request-Headers": "authorization,content-type,x-stainless-lang"}
    key = {"Origin": origin, "Authorization": f"Bearer {owner.key}"}
    for path in ("/v1/models", "/api/v1/users/me", "/mcp"):
        async with owner.session.options(owner.http_url + path, headers=asked) as response:
            assert response.headers.get("Access-Control-Allow-Origin") == expected, path
            assert "Access-Control-Allow-Credentials" not in response.headers
        if path != "/mcp":
            response = await get(owner, path, headers=key)
            assert (response.status, response.headers.get("Access-Control-Allow-Origin")) == (200, expected), path
    called = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accepted = key | {"Accept": "application/json, text/event-stream"}
    async with owner.session.post(f"{owner.http_url}/mcp", json=called, headers=accepted) as response:
        assert response.status == (200 if is_permitted else 403)
    # The web UI's own paths are permitted to nobody.
    response = await get(owner, "/auth/providers", headers=key)
    assert "Access-Control-Allow-Origin" not in response.headers


@pytest.mark.parametrize("given", ["chat.example.org", "https://chat.example.org/", "*", "https://a.org https://b.org"])
def test_origins_have_a_scheme_and_no_path(given: str) -> None:
    with pytest.raises(ValidationError, match="cors_origins"):
        ApiSettings(cors_origins=given)
    for valid in ("", "https://a.org", "https://a.org, http://localhost:3000", "https://a.org,http://[::1]:3000"):
        assert ApiSettings(cors_origins=valid).cors_origins == valid
