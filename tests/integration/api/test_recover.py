"""`echomind users recover`: a way in from the database alone."""

import asyncio
import json

import asyncpg
import pytest
from typer.testing import CliRunner

from echomind.cli.app import app
from echomind_api.main import Gateway
from echomind_lib.config import Settings
from tests.drivers.browser import browser_of, use_link
from tests.drivers.client import Client
from tests.drivers.gateway import NewUser


async def recover(settings: Settings, *arguments: str) -> tuple[int, str, str]:
    """Returns exit code, output and messages of the command, with the servers of the gateway."""
    environment = {
        "ECHOMIND_POSTGRES__URL": settings.postgres.url.get_secret_value(),
        "ECHOMIND_S3__ENDPOINT": settings.s3.endpoint,
        "ECHOMIND_QDRANT__URL": settings.qdrant.url,
    }
    environment["ECHOMIND_API__PUBLIC_URL"] = "https://ask.example.org/echomind/"
    command = ["users", "recover", *arguments, "--data-dir", str(settings.data_dir)]
    # In a thread, as the command has an event loop of its own.
    result = await asyncio.to_thread(CliRunner().invoke, app, command, env=environment)
    return result.exit_code, result.stdout, result.stderr


async def test_a_link_signs_in_once_and_is_audited(
    api_settings: Settings, anonymous: Client, new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool
) -> None:
    somebody = await new_user()
    user_name = await pool.fetchval("SELECT user_name FROM users WHERE id = $1", somebody.user_id)
    code, output, _ = await recover(api_settings, user_name.upper(), "--json")
    assert code == 0
    address, _, token = json.loads(output)["signInLink"].partition("/auth/link")
    assert address == "https://ask.example.org/echomind"
    path = f"/auth/link{token}"
    response = await use_link(anonymous, path)
    assert response.status == 303
    me = await browser_of(anonymous, response).call("UserService/GetCurrentUser", via="rest")
    assert (int(me["id"]), me["roles"]) == (somebody.user_id, ["ROLE_USER"])
    assert (await use_link(anonymous, path)).status != 303
    audited = "SELECT detail FROM audit_log WHERE action = 'users recover' AND target = $1"
    assert await pool.fetchval(audited, f"users/{somebody.user_id}") == {"superadmin": False}


async def test_a_deactivated_account_is_activated_as_superadmin_alone(
    api_settings: Settings, owner: Client, new_user: NewUser
) -> None:
    somebody = await new_user()
    change = {"id": somebody.user_id, "user": {"isActive": False}, "updateMask": "isActive"}
    user = await owner.call("UserService/UpdateUser", change)
    code, _, messages = await recover(api_settings, user["userName"])
    assert (code, "deactivated" in messages) == (1, True)
    assert (await recover(api_settings, user["userName"], "--superadmin"))[0] == 0
    user = await owner.call("UserService/GetUser", {"id": somebody.user_id})
    assert (user["isActive"], user["roles"]) == (True, ["ROLE_USER", "ROLE_SUPERADMIN"])
    await owner.call("UserService/UpdateUser", change)


@pytest.mark.parametrize("name", ["nobody", "' OR 1=1 --"])
async def test_an_unknown_account_is_named(api_settings: Settings, gateway: Gateway, name: str) -> None:
    code, _, messages = await recover(api_settings, name)
    assert code == 1
    assert f"There is no account {name!r}" in messages
