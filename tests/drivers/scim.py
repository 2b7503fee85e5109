"""A SCIM client: sends requests to `/scim/v2` as identity systems do."""

import io
from dataclasses import dataclass
from typing import Any

import asyncpg

from tests.drivers.client import Client

PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
USER = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"


@dataclass
class Answer:
    """A response."""

    status: int
    body: Any
    headers: dict[str, str]


@dataclass
class ScimCaller:
    """Sends requests with a client's token."""

    client: Client
    id: int
    name: str
    token: str

    async def send(
        self, method: str, path: str, body: Any = None, *, data: bytes | io.BytesIO | None = None, **headers: str
    ) -> Answer:
        """Sends a request.

        Args:
            method: The HTTP method.
            path: The path behind `/scim/v2`, with a query.
            body: The body, sent as JSON.
            data: The body as it is, instead.
            headers: More headers, with `_` for `-`.
        """
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {"Authorization": f"Bearer {self.token}"} | given
        content: dict[str, Any] = {"json": body} if data is None else {"data": data}
        if body is None and data is None:
            content = {}
        url = f"{self.client.http_url}/scim/v2{path}"
        async with self.client.session.request(method, url, headers=sent, **content) as response:
            is_json = "json" in response.headers.get("Content-Type", "")
            found = await response.json(content_type=None) if is_json else await response.text()
            return Answer(response.status, found, dict(response.headers))

    async def user(self, user_name: str, **attributes: Any) -> dict[str, Any]:
        """Creates a user."""
        answer = await self.send("POST", "/Users", {"schemas": [USER], "userName": user_name} | attributes)
        assert answer.status == 201, answer
        made: dict[str, Any] = answer.body
        return made

    async def group(self, display_name: str, *members: str, **attributes: Any) -> dict[str, Any]:
        """Creates a group with members."""
        body = {"schemas": [GROUP], "displayName": display_name, "members": [{"value": each} for each in members]}
        answer = await self.send("POST", "/Groups", body | attributes)
        assert answer.status == 201, answer
        made: dict[str, Any] = answer.body
        return made

    async def patch(self, path: str, *operations: dict[str, Any]) -> Answer:
        """Sends a patch."""
        return await self.send("PATCH", path, {"schemas": [PATCH], "Operations": list(operations)})

    async def members(self, group: str) -> set[str]:
        """Returns the ids of a group's members."""
        answer = await self.send("GET", f"/Groups/{group}")
        assert answer.status == 200, answer
        return {member["value"] for member in answer.body.get("members", [])}


async def scim_caller(owner: Client, name: str, provider: str = "") -> ScimCaller:
    """Adds a SCIM client with a token."""
    request = {"scimClient": {"name": name, "provider": provider}}
    made = await owner.call("ScimClientService/CreateScimClient", request)
    token = await owner.call("ScimClientService/CreateScimToken", {"id": made["id"]})
    return ScimCaller(owner, made["id"], name, token["secret"])


async def account(pool: asyncpg.Pool, resource_id: str) -> asyncpg.Record:
    """Returns the account of a SCIM user, with the time at which the client removed the user."""
    found = await pool.fetchrow(
        "SELECT users.*, s.deleted_date FROM users JOIN scim_users AS s ON s.user_id = users.id WHERE s.id = $1",
        resource_id,
    )
    assert found is not None
    return found
