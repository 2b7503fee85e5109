"""The list of a user's web sessions, and signing them out."""

import asyncpg
import pytest

from echomind_api.auth.sessions import Browser
from echomind_api.main import Gateway
from echomind_lib.errors import NotFoundError, PermissionDeniedError, UnauthenticatedError
from tests.drivers.browser import use_link
from tests.drivers.client import TRANSPORTS, Client, Transport
from tests.drivers.gateway import NewUser

via_both = pytest.mark.parametrize("via", TRANSPORTS)


async def sign_in(owner: Client, gateway: Gateway, anonymous: Client, somebody: Client, agent: str) -> Client:
    """Signs somebody in, in a browser that describes itself."""
    path = (await owner.call("AuthService/CreateSignInLink", {"userId": somebody.user_id}))["path"]
    token = await gateway.parts.sessions.begin_by_link(path.partition("=")[2], Browser("192.0.2.7", agent))
    return anonymous.browser(token, somebody.user_id)


async def is_signed_in(browser: Client) -> bool:
    try:
        await browser.call("UserService/GetCurrentUser", via="rest")
    except UnauthenticatedError:
        return False
    return True


async def test_ones_browsers_are_listed_with_where_they_are(
    owner: Client, gateway: Gateway, anonymous: Client, new_user: NewUser
) -> None:
    somebody = await new_user()
    await sign_in(owner, gateway, anonymous, somebody, "Phone\x00\n" + "x" * 1000)
    laptop = await sign_in(owner, gateway, anonymous, somebody, "Laptop")
    listed = (await laptop.call("WebSessionService/ListWebSessions", via="rest"))["webSessions"]
    # The last is the session that the account's key was made in.
    assert [(each["userAgent"][:7], each.get("isCurrent", False)) for each in listed[:2]] == [
        ("Laptop", True),
        ("Phone x", False),
    ]
    assert len(listed[1]["userAgent"]) == 500
    assert {each["address"] for each in listed[:2]} == {"192.0.2.7"}
    by_key = (await somebody.call("WebSessionService/ListWebSessions"))["webSessions"]
    assert not any(each.get("isCurrent") for each in by_key)


async def test_the_user_agent_of_a_browser_is_stored(owner: Client, anonymous: Client, new_user: NewUser) -> None:
    somebody = await new_user()
    browser = anonymous.as_("")
    browser.headers = {"User-Agent": "A browser of the tests"}
    path = (await owner.call("AuthService/CreateSignInLink", {"userId": somebody.user_id}))["path"]
    assert (await use_link(browser, path)).status == 303
    newest = (await somebody.call("WebSessionService/ListWebSessions"))["webSessions"][0]
    assert newest["userAgent"] == "A browser of the tests"
    assert newest["address"] == "127.0.0.1"


async def test_a_browser_is_signed_out_by_its_person(
    owner: Client, gateway: Gateway, anonymous: Client, new_user: NewUser
) -> None:
    somebody, other = await new_user(), await new_user()
    phone = await sign_in(owner, gateway, anonymous, somebody, "Phone")
    laptop = await sign_in(owner, gateway, anonymous, somebody, "Laptop")
    assert await is_signed_in(phone)
    listed = (await laptop.call("WebSessionService/ListWebSessions", via="rest"))["webSessions"]
    expected = {"id": next(each["id"] for each in listed if each.get("userAgent") == "Phone")}
    with pytest.raises(NotFoundError):
        await other.call("WebSessionService/DeleteWebSession", expected, "rest")
    await laptop.call("WebSessionService/DeleteWebSession", expected, "rest")
    assert not await is_signed_in(phone)
    assert await is_signed_in(laptop)


async def test_all_other_browsers_are_signed_out_at_once(
    owner: Client, gateway: Gateway, anonymous: Client, new_user: NewUser
) -> None:
    somebody = await new_user()
    phone = await sign_in(owner, gateway, anonymous, somebody, "Phone")
    laptop = await sign_in(owner, gateway, anonymous, somebody, "Laptop")
    link = (await owner.call("AuthService/CreateSignInLink", {"userId": somebody.user_id}))["path"]
    await laptop.call("WebSessionService/DeleteOtherWebSessions", via="rest")
    assert (await is_signed_in(phone), await is_signed_in(laptop)) == (False, True)
    assert (await use_link(anonymous, link)).status == 401


@via_both
async def test_a_key_without_the_scope_cannot_sign_people_out(new_user: NewUser, via: Transport) -> None:
    somebody = await new_user()
    made = await somebody.call("ApiKeyService/CreateApiKey", {"name": f"narrow {via}"})
    program = somebody.as_(made["secret"])
    newest = (await program.call("WebSessionService/ListWebSessions", via=via))["webSessions"][0]
    for method, request in (("DeleteWebSession", {"id": newest["id"]}), ("DeleteOtherWebSessions", {})):
        with pytest.raises(PermissionDeniedError) as caught:
            await program.call(f"WebSessionService/{method}", request, via)
        assert caught.value.metadata == {"required": "administer"}


@via_both
async def test_a_superadmin_signs_a_person_out_everywhere(
    owner: Client, gateway: Gateway, anonymous: Client, new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    somebody = await new_user()
    browser = await sign_in(owner, gateway, anonymous, somebody, "Laptop")
    password_link = (await owner.call("AuthService/CreatePasswordLink", {"userId": somebody.user_id}))["path"]
    await owner.call("UserService/SignOutUser", {"id": somebody.user_id}, via)
    assert not await is_signed_in(browser)
    assert (await somebody.call("UserService/GetCurrentUser", via=via))["id"] == somebody.user_id  # by key
    body = {"token": password_link.removeprefix("/reset/"), "password": "a password that comes too late"}
    async with anonymous.session.post(f"{anonymous.http_url}/auth/password", json=body) as late:
        assert late.status == 401
    await owner.call("UserService/SignOutUser", {"id": somebody.user_id, "revokeApiKeys": True}, via)
    with pytest.raises(UnauthenticatedError):
        await somebody.call("UserService/GetCurrentUser", via=via)
    recorded = await pool.fetch(
        "SELECT actor_id FROM audit_log WHERE action = 'UserService/SignOutUser' AND target = $1",
        f"users/{somebody.user_id}",
    )
    assert [row["actor_id"] for row in recorded] == [owner.user_id, owner.user_id]
