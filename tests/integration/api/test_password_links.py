"""Links by which people choose a new password."""

import asyncpg
import pytest

from echomind_api.auth import tokens
from echomind_lib.errors import NotFoundError, PermissionDeniedError, UnauthenticatedError
from tests.drivers.browser import browser_of, open_link, use_link
from tests.drivers.client import TRANSPORTS, Client, Transport, error_of
from tests.drivers.gateway import NewUser

via_both = pytest.mark.parametrize("via", TRANSPORTS)
PASSWORD = "correct horse battery staple"


async def link_for(owner: Client, somebody: Client, via: Transport = "grpc") -> str:
    """Returns the token of a link."""
    link = await owner.call("AuthService/CreatePasswordLink", {"userId": somebody.user_id}, via)
    path: str = link["path"]
    assert path.startswith("/reset/")
    return path.removeprefix("/reset/")


@via_both
async def test_a_link_sets_a_password_and_signs_in_once(
    owner: Client, anonymous: Client, new_user: NewUser, via: Transport
) -> None:
    somebody = await new_user()
    name = (await somebody.call("UserService/GetCurrentUser"))["userName"]
    sign_in_link = (await owner.call("AuthService/CreateSignInLink", {"userId": somebody.user_id}))["path"]
    before = browser_of(anonymous, await use_link(anonymous, sign_in_link))
    unused = (await owner.call("AuthService/CreateSignInLink", {"userId": somebody.user_id}))["path"]
    token = await link_for(owner, somebody, via)
    url = f"{anonymous.http_url}/auth"
    async with anonymous.session.post(f"{url}/password-link", json={"token": token}) as offer:
        assert (await offer.json())["userName"] == name
    new = {"token": token, "password": PASSWORD}
    async with anonymous.session.post(f"{url}/password", json=new) as done:
        assert done.status == 204
        browser = browser_of(anonymous, done)
    assert (await browser.call("UserService/GetCurrentUser", via="rest"))["id"] == somebody.user_id
    async with anonymous.session.post(f"{url}/sign-in", json={"userName": name, "password": PASSWORD}) as answer:
        assert answer.status == 204
    # Earlier credentials no longer work.
    with pytest.raises(UnauthenticatedError):
        await before.call("UserService/GetCurrentUser", via="rest")
    assert (await use_link(anonymous, unused)).status == 401
    async with anonymous.session.post(f"{url}/password", json=new) as again:
        assert again.status == 401
        assert "Ask an administrator" in error_of(await again.json()).message


async def test_a_password_link_is_no_sign_in_link(owner: Client, anonymous: Client, new_user: NewUser) -> None:
    somebody = await new_user()
    token = await link_for(owner, somebody)
    assert (await open_link(anonymous, f"/auth/link?token={token}")).status == 401
    assert (await use_link(anonymous, f"={token}")).status == 401
    path = (await owner.call("AuthService/CreateSignInLink", {"userId": somebody.user_id}))["path"]
    body = {"token": path.partition("=")[2], "password": PASSWORD}
    async with anonymous.session.post(f"{anonymous.http_url}/auth/password", json=body) as refused:
        assert refused.status == 401


async def test_an_expired_link_does_not_work(
    owner: Client, anonymous: Client, new_user: NewUser, pool: asyncpg.Pool
) -> None:
    token = await link_for(owner, await new_user())
    await pool.execute("UPDATE sign_in_tokens SET expires_at = now() WHERE token_hash = $1", tokens.digest(token))
    body = {"token": token, "password": PASSWORD}
    async with anonymous.session.post(f"{anonymous.http_url}/auth/password", json=body) as refused:
        assert refused.status == 401
        assert not refused.cookies


@via_both
async def test_a_deactivated_account_gets_no_link(owner: Client, new_user: NewUser, via: Transport) -> None:
    somebody = await new_user()
    change = {"id": somebody.user_id, "user": {"isActive": False}, "updateMask": "isActive"}
    await owner.call("UserService/UpdateUser", change)
    with pytest.raises(NotFoundError):
        await link_for(owner, somebody, via)


async def test_a_session_that_was_left_open_makes_no_link_for_itself(
    owner: Client, anonymous: Client, new_user: NewUser, pool: asyncpg.Pool
) -> None:
    boss = await new_user("superadmin")
    path = (await owner.call("AuthService/CreateSignInLink", {"userId": boss.user_id}))["path"]
    browser = browser_of(anonymous, await use_link(anonymous, path))
    browser.user_id = boss.user_id
    await link_for(browser, boss, "rest")
    await pool.execute(
        "UPDATE web_sessions SET authenticated_at = now() - interval '11 minutes' WHERE user_id = $1", boss.user_id
    )
    with pytest.raises(PermissionDeniedError) as caught:
        await link_for(browser, boss, "rest")
    assert caught.value.metadata == {"required": "recent_sign_in"}
