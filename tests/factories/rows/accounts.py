"""People, programs, groups, how they sign in, and directories that provision them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg

from tests.factories.rows.base import Connection, insert, numbers


async def user(connection: Connection, **values: Any) -> asyncpg.Record:
    name = f"user{next(numbers)}"
    return await insert(connection, "users", {"user_name": name, "email": f"{name}@example.org", **values})


async def service_account(connection: Connection, **values: Any) -> asyncpg.Record:
    name = f"program{next(numbers)}"
    if "owner_group_id" not in values:
        values["owner_group_id"] = (await insert(connection, "groups", {"name": f"owner of {name}"}))["id"]
    return await insert(connection, "users", {"user_name": name, "kind": "service", **values})


async def api_key(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"name": f"key {next(numbers)}", "prefix": "em_abc", "sha256": bytes(32), **values}
    if "user_id" not in given:
        given["user_id"] = (await user(connection))["id"]
    return await insert(connection, "api_keys", given)


async def token(connection: Connection, table: str, **values: Any) -> asyncpg.Record:
    """Returns a row of `sign_in_tokens`, `web_sessions` or `invitations`."""
    given = {"token_hash": next(numbers).to_bytes(32), **values}
    person = "invited_by" if table == "invitations" else "user_id"
    if person not in given:
        given[person] = (await user(connection))["id"]
    if "expires_at" not in given:
        given["expires_at"] = await connection.fetchval("SELECT now() + interval '1 hour'")
    return await insert(connection, table, given)


async def sign_in_token(connection: Connection, **values: Any) -> asyncpg.Record:
    return await token(connection, "sign_in_tokens", **values)


async def web_session(connection: Connection, **values: Any) -> asyncpg.Record:
    return await token(connection, "web_sessions", **values)


async def invitation(connection: Connection, **values: Any) -> asyncpg.Record:
    return await token(connection, "invitations", **values)


async def identity_provider(connection: Connection, **values: Any) -> asyncpg.Record:
    """Returns a provider that does not answer."""
    number = next(numbers)
    given = {
        "name": f"provider{number}",
        "issuer": f"http://127.0.0.1:1/{number}",
        "client_id": "echomind",
        "scopes": "openid",
        "algorithms": ["RS256"],
        "email_trust": "never",
        "groups_claim": "groups",
        **values,
    }
    return await insert(connection, "identity_providers", given)


async def scim_client(connection: Connection, **values: Any) -> asyncpg.Record:
    return await insert(connection, "scim_clients", {"name": f"client{next(numbers)}", **values})


async def scim_token(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {
        "client_id": (await scim_client(connection))["id"],
        "prefix": "ems_",
        "sha256": bytes(32),
        "expires_at": datetime.now(UTC) + timedelta(days=1),
    }
    return await insert(connection, "scim_tokens", given | values)


async def scim_user(connection: Connection, **values: Any) -> asyncpg.Record:
    client, account = await scim_client(connection), await user(connection)
    given = {"client_id": client["id"], "user_id": account["id"], "user_name": "ann@example.org"}
    return await insert(connection, "scim_users", given | values)


async def scim_group(connection: Connection, **values: Any) -> asyncpg.Record:
    client = await scim_client(connection)
    group = await insert(connection, "groups", {"name": f"group{next(numbers)}"})
    given = {"client_id": client["id"], "group_id": group["id"], "display_name": "Group"}
    return await insert(connection, "scim_groups", given | values)


async def group_member(connection: Connection, **values: Any) -> asyncpg.Record:
    group = await insert(connection, "groups", {"name": f"group{next(numbers)}"})
    given = {"group_id": group["id"], "user_id": (await user(connection))["id"], **values}
    return await insert(connection, "group_members", given)
