"""Accounts that their people connect with a provider: proven on both sides, and never by an e-mail address."""

from typing import Any

import asyncpg
import pytest

from tests.drivers.browser import browser_of, use_link
from tests.drivers.client import Client
from tests.drivers.gateway import NewUser
from tests.drivers.sign_in_refusals import refused
from tests.drivers.visitor import Visitor
from tests.factories import rows
from tests.factories.world import name

IDENTITIES = "SELECT subject FROM user_identities WHERE user_id = $1"


async def signed_in(owner: Client, anonymous: Client, person: Client) -> Client:
    """Returns the browser of a person who has signed in by a link."""
    link = await owner.call("AuthService/CreateSignInLink", {"userId": person.user_id})
    browser = browser_of(anonymous, await use_link(anonymous, link["path"]))
    browser.user_id = person.user_id
    return browser


async def begin(visitor: Visitor, browser: Client) -> str:
    """Begins a connection; returns the provider's address."""
    url = f"{browser.http_url}/auth/oidc/main/connection"
    async with browser.session.post(url, headers=browser.headers) as response:
        assert response.status == 200, await response.text()
        visitor.cookies = {key: morsel.value for key, morsel in response.cookies.items()}
        address: str = (await response.json())["url"]
        return address


async def connected(browser: Client) -> bool:
    """Returns whether the account of a browser is connected with the provider `main`."""
    async with browser.session.get(f"{browser.http_url}/auth/connections", headers=browser.headers) as response:
        assert response.status == 200, await response.text()
        listed = (await response.json())["connections"]
    return next(bool(each["isConnected"]) for each in listed if each["name"] == "main")


async def test_a_person_connects_their_account_and_signs_in_to_it_at_the_provider(
    visitor: Visitor, configure: Any, owner: Client, anonymous: Client, new_user: NewUser, pool: asyncpg.Pool
) -> None:
    configure(groups={"p-staff": (group := name())}, create_accounts=False)
    await owner.call("GroupService/CreateGroup", {"group": {"name": group}})
    browser = await signed_in(owner, anonymous, person := await new_user())
    email = await pool.fetchval("SELECT email FROM users WHERE id = $1", person.user_id)
    visitor.provider.person |= {"email": email, "email_verified": True, "groups": ["p-staff"]}
    await refused(visitor, pool, "may not use EchoMind", 403)
    assert not await connected(browser)
    response = await visitor.return_from(await begin(visitor, browser))
    page = await response.text()
    assert (response.status, 'content="0; url=/settings/account">' in page) == (200, True), page
    me = await visitor.me(response)
    assert (me["id"], me["isEmailVerified"], me["groups"]) == (person.user_id, True, [group])
    assert await connected(browser_of(anonymous, response))
    # The session that began it is replaced, and later sign-ins find the account.
    with pytest.raises(Exception, match="Sign in"):
        await browser.call("UserService/GetCurrentUser", via="rest")
    visitor.cookies = {}
    assert (await visitor.me(await visitor.sign_in()))["id"] == person.user_id
    entry = "SELECT count(*) FROM audit_log WHERE target = $1 AND actor_id = $2 AND detail ->> 'connected' = 'true'"
    assert await pool.fetchval(entry, f"users/{person.user_id}", person.user_id) == 1


async def test_a_person_who_has_another_account_is_not_connected(
    visitor: Visitor, owner: Client, anonymous: Client, new_user: NewUser, pool: asyncpg.Pool
) -> None:
    other = await visitor.me(await visitor.sign_in())
    browser = await signed_in(owner, anonymous, person := await new_user())
    response = await visitor.return_from(await begin(visitor, browser))
    assert (response.status, "Nothing was connected" in await response.text()) == (409, True)
    assert not await pool.fetch(IDENTITIES, person.user_id)
    assert (await browser.call("UserService/GetCurrentUser", via="rest"))["id"] == person.user_id
    # Nor is a second person at the provider to an account that has one.
    subject = visitor.provider.person["sub"]
    visitor.provider.person |= {"sub": name(), "email": f"{name()}@example.org"}
    browser = await signed_in(owner, anonymous, owner.as_("", int(other["id"])))
    assert (await visitor.return_from(await begin(visitor, browser))).status == 409
    assert [row["subject"] for row in await pool.fetch(IDENTITIES, other["id"])] == [subject]


async def test_a_person_whom_scim_maintains_is_connected_to_that_account_alone(
    visitor: Visitor, owner: Client, anonymous: Client, new_user: NewUser, pool: asyncpg.Pool
) -> None:
    maintained, other = await new_user(), await new_user()
    client = await rows.scim_client(pool, issuer=visitor.provider.url)
    subject = visitor.provider.person["sub"]
    await rows.scim_user(pool, user_id=maintained.user_id, client_id=client["id"], external_id=subject)
    browser = await signed_in(owner, anonymous, other)
    assert (await visitor.return_from(await begin(visitor, browser))).status == 409
    assert not await pool.fetch(IDENTITIES, maintained.user_id)
    browser = await signed_in(owner, anonymous, maintained)
    assert (await visitor.return_from(await begin(visitor, browser))).status == 200
    assert [row["subject"] for row in await pool.fetch(IDENTITIES, maintained.user_id)] == [subject]


async def test_nothing_is_connected_once_the_session_has_ended(
    visitor: Visitor, owner: Client, anonymous: Client, new_user: NewUser, pool: asyncpg.Pool
) -> None:
    browser = await signed_in(owner, anonymous, person := await new_user())
    address = await begin(visitor, browser)
    async with browser.session.post(f"{browser.http_url}/auth/sign-out", headers=browser.headers) as response:
        assert response.status == 200
    response = await visitor.return_from(address)
    assert (response.status, "has expired" in await response.text()) == (401, True)
    assert not await pool.fetch(IDENTITIES, person.user_id)


async def test_a_connection_begins_on_a_page_of_echomind_after_a_recent_sign_in(
    visitor: Visitor, owner: Client, anonymous: Client, new_user: NewUser, pool: asyncpg.Pool
) -> None:
    url = f"{anonymous.http_url}/auth/oidc/main/connection"
    async with anonymous.session.post(url) as response:
        assert response.status == 401
    async with anonymous.session.get(f"{anonymous.http_url}/auth/connections") as response:
        assert response.status == 401
    browser = await signed_in(owner, anonymous, person := await new_user())
    without = {"Cookie": browser.headers["Cookie"]}
    async with browser.session.post(url, headers=without) as response:
        assert (response.status, "X-EchoMind-CSRF" in await response.text()) == (403, True)
    past = "UPDATE web_sessions SET authenticated_at = now() - interval '11 minutes' WHERE user_id = $1"
    await pool.execute(past, person.user_id)
    async with browser.session.post(url, headers=browser.headers) as response:
        assert (response.status, "in the last 10 minutes" in await response.text()) == (403, True)
    assert not await pool.fetchval("SELECT count(*) FROM sign_in_attempts WHERE is_connection")
