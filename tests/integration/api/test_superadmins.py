"""The last superadmin who can sign in stays, whichever path would lose them; local accounts can be turned off."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from echomind_api.auth import tokens
from echomind_api.auth.sessions import Browser
from echomind_api.main import Gateway
from echomind_lib.errors import (
    AuthModeError,
    EchoMindError,
    PermissionDeniedError,
    UnauthenticatedError,
    ValidationFailedError,
)
from tests.drivers.client import Client
from tests.drivers.openid_provider import CLIENT_ID, CLIENT_SECRET, OpenIdProvider, openid_provider
from tests.drivers.scim import USER, ScimCaller
from tests.drivers.visitor import Visitor
from tests.factories.world import name

CAN_SIGN_IN = """
    SELECT count(*) FROM users
    WHERE is_active AND roles @> '{superadmin}' AND (
        EXISTS (SELECT FROM credentials, installation_settings WHERE user_id = users.id AND local_accounts)
        OR EXISTS (
            SELECT FROM user_identities AS i JOIN identity_providers AS p ON p.issuer = i.issuer AND p.is_active
            WHERE i.user_id = users.id
        )
    )
"""


@pytest.fixture(scope="module")
def spare_pool(spare_gateway: Gateway) -> asyncpg.Pool:
    return spare_gateway.parts.dependencies.database.pool


@pytest.fixture(scope="module")
def spare(spare_gateway: Gateway, spare_key: str, anonymous: Client) -> Client:
    """The owner of the spare gateway, who has no password and no identity."""
    return Client(spare_gateway.http_url, anonymous.channel, anonymous.session, spare_key)


@pytest_asyncio.fixture(loop_scope="session")
async def openid() -> AsyncIterator[OpenIdProvider]:
    async with openid_provider() as provider:
        provider.person |= {"sub": name(), "email": f"{name()}@example.org", "preferred_username": name()}
        yield provider


@pytest_asyncio.fixture(loop_scope="session", autouse=True)
async def only_the_owner(spare_pool: asyncpg.Pool) -> None:
    """Leaves one superadmin, who has neither password nor identity."""
    await spare_pool.execute("UPDATE users SET roles = '{user}' WHERE id <> 1")
    await spare_pool.execute("DELETE FROM credentials")
    await spare_pool.execute("DELETE FROM user_identities")


async def call(client: Client, method: str, request: dict[str, Any]) -> dict[str, Any]:
    return await client.call(method, request, "rest")


async def provider_of(spare: Client, openid: OpenIdProvider) -> dict[str, Any]:
    given = {
        "name": f"p{name()}",
        "issuer": openid.url,
        "clientId": CLIENT_ID,
        "clientSecret": CLIENT_SECRET,
        "mapping": {"roles": {"admins": "superadmin"}},
    }
    return await call(spare, "IdentityProviderService/CreateIdentityProvider", {"identityProvider": given})


async def with_password(pool: asyncpg.Pool, *, is_superadmin: bool = True) -> int:
    roles = ["user", "superadmin"] if is_superadmin else ["user"]
    user_id: int = await pool.fetchval(
        "INSERT INTO users (user_name, roles) VALUES ($1, $2) RETURNING id", name(), roles
    )
    await pool.execute("INSERT INTO credentials (user_id, password_hash) VALUES ($1, 'x')", user_id)
    return user_id


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", range(3))
async def test_eight_concurrent_ways_to_lose_the_last_two(
    spare: Client, spare_gateway: Gateway, spare_pool: asyncpg.Pool, openid: OpenIdProvider, seed: int
) -> None:
    provider = await provider_of(spare, openid)
    openid.person["groups"] = ["admins"]
    visitor = Visitor(spare, openid)
    mapped = (await visitor.me(await visitor.sign_in(at=provider["name"])))["id"]
    local = await with_password(spare_pool)
    scim = await scim_of(spare, mapped)
    (user,) = (await scim.send("GET", "/Users")).body["Resources"]
    demotion = {"user": {"roles": ["ROLE_USER"]}, "updateMask": "roles"}
    openid.person["groups"] = []
    update = "IdentityProviderService/UpdateIdentityProvider"
    inactive = {"identityProvider": {"isActive": False}, "updateMask": "isActive"}
    # A sign-in that begins after the provider's deletion is refused.
    begun = await visitor.begin(at=provider["name"])
    ways: list[Callable[[], Awaitable[Any]]] = [
        lambda: call(spare, "UserService/UpdateUser", {"id": mapped} | demotion),
        lambda: call(spare, "UserService/UpdateUser", {"id": local} | demotion),
        lambda: call(
            spare, "UserService/UpdateUser", {"id": local, "user": {"isActive": False}, "updateMask": "isActive"}
        ),
        lambda: call(spare, "UserService/PurgeUser", {"id": mapped}),
        lambda: call(spare, update, {"id": provider["id"]} | inactive),
        lambda: call(spare, "IdentityProviderService/DeleteIdentityProvider", {"id": provider["id"]}),
        lambda: scim.send("PUT", f"/Users/{user['id']}", {"schemas": [USER], "userName": "x", "active": False}),
        lambda: visitor.return_from(begun),
    ]
    random.Random(seed).shuffle(ways)
    results = await asyncio.gather(*(way() for way in ways), return_exceptions=True)
    failed = [each for each in results if isinstance(each, BaseException) and not isinstance(each, EchoMindError)]
    assert not failed
    assert await spare_pool.fetchval(CAN_SIGN_IN) >= 1, results


async def scim_of(spare: Client, user_id: int) -> ScimCaller:
    made = await call(spare, "ScimClientService/CreateScimClient", {"scimClient": {"name": f"c{name()}"}})
    token = await call(spare, "ScimClientService/CreateScimToken", {"id": made["id"]})
    await call(spare, "ScimClientService/GiveUserToScimClient", {"id": made["id"], "userId": user_id})
    return ScimCaller(spare, made["id"], made["name"], token["secret"])


async def test_a_superadmin_without_a_way_in_is_not_enough(
    spare: Client, spare_pool: asyncpg.Pool, openid: OpenIdProvider
) -> None:
    """The owner is active and has the role, but neither a password nor an identity."""
    local = await with_password(spare_pool)
    demotion = {"id": local, "user": {"roles": ["ROLE_USER"]}, "updateMask": "roles"}
    with pytest.raises(ValidationFailedError, match="able to sign in"):
        await call(spare, "UserService/UpdateUser", demotion)
    await with_password(spare_pool)
    await call(spare, "UserService/UpdateUser", demotion)


async def test_local_accounts_are_turned_off_by_somebody_whom_the_provider_made_superadmin(
    spare: Client, spare_gateway: Gateway, spare_pool: asyncpg.Pool, openid: OpenIdProvider
) -> None:
    off = {"settings": {"localAccounts": False}, "updateMask": "localAccounts"}
    settings = "SystemService/UpdateInstallationSettings"
    with pytest.raises(PermissionDeniedError, match="provider"):
        await call(spare, settings, off)
    link = await spare_gateway.parts.sessions.create_link(1)
    token = await spare_gateway.parts.sessions.begin_by_link(link.path.partition("=")[2], Browser("127.0.0.1"))
    local = spare.browser(token)
    with pytest.raises(PermissionDeniedError, match="provider"):
        await call(local, settings, off)
    provider = await provider_of(spare, openid)
    openid.person["groups"] = ["admins"]
    visitor = Visitor(spare, openid)
    response = await visitor.sign_in(at=provider["name"])
    mapped = spare.browser(response.cookies[spare.cookie_name].value)
    age = "UPDATE web_sessions SET authenticated_at = now() - $1::interval WHERE identity_id IS NOT NULL"
    await spare_pool.execute(age, timedelta(minutes=11))
    with pytest.raises(PermissionDeniedError, match="10 minutes"):
        await call(mapped, settings, off)
    await spare_pool.execute(age, timedelta())
    assert (await call(mapped, settings, off)).get("localAccounts", False) is False
    try:
        spare_gateway.parts.authentication.principals.forget(1)
        with pytest.raises(UnauthenticatedError):
            await call(local, "UserService/GetCurrentUser", {})
        options = await call(spare, "AuthService/GetSignInOptions", {})
        assert not options.get("password", False)
        for method, request in (
            ("AuthService/CreateSignInLink", {}),
            ("AuthService/CreatePasswordLink", {"userId": 1}),
            ("AuthService/SetPassword", {"password": "a long enough password"}),
            ("InvitationService/CreateInvitation", {"invitation": {}}),
        ):
            with pytest.raises(AuthModeError, match="users recover"):
                await call(spare, method, request)
        with pytest.raises(AuthModeError):
            await spare_gateway.parts.sessions.begin_by_password("owner", "a password", Browser("127.0.0.1"))
        change = {"id": provider["id"], "identityProvider": {"isActive": False}, "updateMask": "isActive"}
        with pytest.raises(ValidationFailedError, match="able to sign in"):
            await call(spare, "IdentityProviderService/UpdateIdentityProvider", change)
        # A link of `echomind users recover` still signs in.
        recovered = tokens.new_token()
        await spare_pool.execute(
            "INSERT INTO sign_in_tokens (user_id, token_hash, expires_at) VALUES (1, $1, now() + interval '1 hour')",
            recovered.sha256,
        )
        begun = await spare_gateway.parts.sessions.begin_by_link(recovered.text, Browser("127.0.0.1"))
        assert (await call(spare.browser(begun), "UserService/GetCurrentUser", {}))["id"] == 1
    finally:
        on = {"settings": {"localAccounts": True}, "updateMask": "localAccounts"}
        assert (await call(spare, settings, on))["localAccounts"] is True


async def test_the_environment_decides_about_local_accounts(
    spare: Client, spare_gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    auth: Any = next(each for each in spare_gateway.parts.services if type(each).__name__ == "Auth")
    monkeypatch.setattr(auth._local_accounts, "environment", False)
    found = await call(spare, "SystemService/GetInstallationSettings", {})
    assert (found.get("localAccounts", False), found["isLocalAccountsManaged"]) == (False, True)
    for value in (True, False):
        request = {"settings": {"localAccounts": value}, "updateMask": "localAccounts"}
        with pytest.raises(ValidationFailedError, match="ECHOMIND_AUTH__LOCAL_ACCOUNTS"):
            await call(spare, "SystemService/UpdateInstallationSettings", request)
    with pytest.raises(AuthModeError):
        await call(spare, "AuthService/CreateSignInLink", {})
