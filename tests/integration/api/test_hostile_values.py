"""Values that once broke something inside: each is refused by name, or harmless where it is stored already."""

from typing import Any

import aiohttp
import asyncpg
import pytest
from yarl import URL

from echomind_lib.errors import InvalidPageTokenError, ValidationFailedError
from tests.drivers.client import TRANSPORTS, Client, Transport, error_of
from tests.drivers.gateway import NewUser
from tests.drivers.uploads import upload

NUL = "a\0b"


def nested(depth: int) -> dict[str, Any]:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value}
    return {"a": value}


@pytest.mark.parametrize("via", TRANSPORTS)
@pytest.mark.parametrize("value", [nested(40), {"a": "x" * 70_000}], ids=["deep", "long"])
async def test_free_json_beyond_the_limits_is_refused(new_user: NewUser, value: dict[str, Any], via: Transport) -> None:
    somebody = await new_user()
    connector = {"name": "n", "type": "CONNECTOR_TYPE_FILE", "config": value}
    with pytest.raises(ValidationFailedError):
        await somebody.call("ConnectorService/CreateConnector", {"connector": connector}, via)


@pytest.mark.parametrize("number", ["1" * 400, "-1e999"])
async def test_numbers_beyond_floating_point_are_refused(new_user: NewUser, number: str) -> None:
    somebody = await new_user()
    body = f'{{"name": "n", "type": "CONNECTOR_TYPE_FILE", "config": {{"a": [{number}]}}}}'
    headers = {"Authorization": f"Bearer {somebody.key}", "Content-Type": "application/json"}
    url = f"{somebody.http_url}/api/v1/connectors"
    async with somebody.session.post(url, data=body, headers=headers) as response:
        assert response.status == 400
        assert "finite" in error_of(await response.json()).metadata["connector.config"]


@pytest.mark.parametrize("via", TRANSPORTS)
async def test_one_stored_row_does_not_break_the_list_for_everybody(
    new_user: NewUser, owner: Client, pool: asyncpg.Pool, via: Transport
) -> None:
    somebody = await new_user()
    deep = '{"a":' * 150 + "1" + "}" * 150
    stored = f'{{"deep": {deep}, "number": {"9" * 400}, "theme": "dark"}}'
    connector = await somebody.call(
        "ConnectorService/CreateConnector", {"connector": {"name": "odd", "type": "CONNECTOR_TYPE_FILE"}}
    )
    await pool.execute("UPDATE connectors SET config = $1::text::jsonb WHERE id = $2", stored, connector["id"])
    connectors = await owner.call("ConnectorService/ListConnectors", {"pageSize": 1000}, via)
    (own,) = [each for each in connectors["connectors"] if each["id"] == connector["id"]]
    assert own["config"]["theme"] == "dark"


async def refusal(response: aiohttp.ClientResponse) -> str:
    assert response.status == 400, await response.text()
    return error_of(await response.json()).reason


@pytest.mark.parametrize("body", [{"userName": NUL, "password": "x"}, {"userName": "a", "password": NUL}])
async def test_a_sign_in_with_nul_is_refused(anonymous: Client, body: dict[str, str]) -> None:
    async with anonymous.session.post(f"{anonymous.http_url}/auth/sign-in", json=body) as response:
        assert await refusal(response) == "VALIDATION_FAILED"


@pytest.mark.parametrize(
    "path",
    [
        "/auth/link?token=%00",
        "/%00",
        "/api/v1/documents/%00",
        "/api/v1/documents/1%00:download",
        "/api/v1/documents?connectorId=%00",
        "/api/v1/chat-sessions/1/events?after=%00",
        "/docs/%00.js",
        "/assets/%00.js",
    ],
)
async def test_nul_in_an_address_is_refused(owner: Client, path: str) -> None:
    headers = {"Authorization": f"Bearer {owner.key}"}
    url = URL(owner.http_url + path, encoded=True)
    async with owner.session.get(url, headers=headers, allow_redirects=False) as response:
        assert await refusal(response) == "VALIDATION_FAILED"


@pytest.mark.parametrize("field", ["connector", "group", "source_id", "title"])
async def test_nul_in_a_form_is_refused(new_user: NewUser, field: str) -> None:
    with pytest.raises(ValidationFailedError) as caught:
        await upload(await new_user(), ("a.txt", b"a"), fields={field: NUL})
    assert caught.value.metadata == {field: "must not contain U+0000"}


async def test_nul_in_the_name_of_a_file_is_refused(new_user: NewUser) -> None:
    somebody = await new_user()
    body = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a\0b.txt"\r\n\r\nhello\r\n--b--\r\n'
    headers = {"Authorization": f"Bearer {somebody.key}", "Content-Type": "multipart/form-data; boundary=b"}
    url = f"{somebody.http_url}/api/v1/documents:upload"
    async with somebody.session.post(url, data=body, headers=headers) as response:
        assert await refusal(response) == "VALIDATION_FAILED"


@pytest.mark.parametrize("connector_id", ["9" * 5_000, "2147483648", "0", "-1", "1e3", "¹"])
async def test_the_id_of_an_upload_must_be_an_id(new_user: NewUser, connector_id: str) -> None:
    with pytest.raises(ValidationFailedError) as caught:
        await upload(await new_user(), ("a.txt", b"a"), fields={"connector_id": connector_id})
    assert "connector_id" in caught.value.metadata


def forgeries(token: str) -> list[str]:
    """Tokens that nobody was given."""
    inner, other = token.rpartition(".")[2], "B" if token.startswith("A") else "A"
    return [inner, f".{inner}", token[:-1], token + "A", other + token[1:], "x.y", "ä", "9" * 10_000]


@pytest.mark.parametrize("via", TRANSPORTS)
async def test_page_tokens_are_valid_only_for_their_query(owner: Client, new_user: NewUser, via: Transport) -> None:
    somebody = await new_user("admin")
    first = await owner.call("UserService/ListUsers", {"pageSize": 1}, via)
    token = first["nextPageToken"]
    for other in TRANSPORTS:
        second = await owner.call("UserService/ListUsers", {"pageSize": 1, "pageToken": token}, other)
        assert second["users"][0]["id"] > first["users"][0]["id"]
    foreign: list[tuple[Client, str, dict[str, Any]]] = [
        (somebody, "UserService/ListUsers", {"pageToken": token}),
        (owner, "ApiKeyService/ListApiKeys", {"pageToken": token}),
        *((owner, "UserService/ListUsers", {"pageToken": forged}) for forged in forgeries(token)),
    ]
    for caller, method, request in foreign:
        with pytest.raises(InvalidPageTokenError):
            await caller.call(method, request, via)
