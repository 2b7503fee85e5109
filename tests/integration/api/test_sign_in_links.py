"""Pages of sign-in links: opening one changes nothing, and accounts are not switched without confirmation."""

import re

import pytest

from tests.drivers.browser import browser_of, open_link, use_link
from tests.drivers.client import Client
from tests.drivers.gateway import NewUser


async def link_of(owner: Client, somebody: Client) -> str:
    path: str = (await owner.call("AuthService/CreateSignInLink", {"userId": somebody.user_id}))["path"]
    return path


async def name_of(somebody: Client) -> str:
    name: str = (await somebody.call("UserService/GetCurrentUser"))["userName"]
    return name


async def test_opening_a_link_changes_nothing(owner: Client, anonymous: Client, new_user: NewUser) -> None:
    somebody = await new_user()
    path = await link_of(owner, somebody)
    for _ in range(3):  # a mail scanner, a preview, a person
        response = await open_link(anonymous, path)
        assert response.status == 200
        assert not response.cookies
        assert f"Sign in as {await name_of(somebody)}" in await response.text()
    assert (await use_link(anonymous, path)).status == 303


async def test_the_page_of_a_link_is_strict(owner: Client, anonymous: Client) -> None:
    response = await open_link(anonymous, await link_of(owner, owner))
    page = await response.text()
    assert "<script" not in page
    assert not re.search(r"\son\w+=", page)
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert response.headers["Cache-Control"] == "no-store"
    # Otherwise the Referer would contain the token; with no-referrer, browsers would send `Origin: null` with the form.
    assert response.headers["Referrer-Policy"] == "strict-origin"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "null"},
        {"Origin": "https://evil.example"},
        {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "OWN", "Sec-Fetch-Site": "same-site"},
    ],
)
async def test_another_site_cannot_sign_people_in(owner: Client, anonymous: Client, headers: dict[str, str]) -> None:
    path = await link_of(owner, owner)
    own = {name: anonymous.http_url if value == "OWN" else value for name, value in headers.items()}
    form = {"token": path.partition("=")[2]}
    async with anonymous.session.post(f"{anonymous.http_url}/auth/link", data=form, headers=own) as response:
        assert response.status == 403
        assert not response.cookies
    assert (await use_link(anonymous, path)).status == 303


async def test_a_link_never_silently_replaces_another_account(
    owner: Client, anonymous: Client, new_user: NewUser
) -> None:
    victim, attacker = await new_user(), await new_user()
    browser = browser_of(anonymous, await use_link(anonymous, await link_of(owner, victim)))
    path = await link_of(owner, attacker)
    for response in (await open_link(browser, path), await use_link(browser, path), await use_link(browser, path)):
        assert not response.cookies
        page = await response.text()
        assert f"Sign out {await name_of(victim)} and sign in as {await name_of(attacker)}" in page
    assert response.status == 409
    assert (await browser.call("UserService/GetCurrentUser", via="rest"))["id"] == victim.user_id
    replaced = await use_link(browser, path, replace=str(victim.user_id))
    assert replaced.status == 303
    other = browser_of(anonymous, replaced)
    assert (await other.call("UserService/GetCurrentUser", via="rest"))["id"] == attacker.user_id
    with pytest.raises(Exception, match="Sign in"):
        await browser.call("UserService/GetCurrentUser", via="rest")


async def test_the_same_account_signs_in_again_without_being_asked_twice(
    owner: Client, anonymous: Client, new_user: NewUser
) -> None:
    somebody = await new_user()
    browser = browser_of(anonymous, await use_link(anonymous, await link_of(owner, somebody)))
    assert (await use_link(browser, await link_of(owner, somebody))).status == 303


async def test_a_name_is_text_on_the_page(owner: Client, anonymous: Client) -> None:
    user = {"userName": '<b>"bold"&', "email": "bold@example.org"}
    made = await owner.call("UserService/CreateUser", {"user": user})
    link = await owner.call("AuthService/CreateSignInLink", {"userId": made["id"]})
    page = await (await open_link(anonymous, link["path"])).text()
    assert "<b>&lt;b&gt;&quot;bold&quot;&amp;</b>" in page


async def test_a_form_that_is_too_large(anonymous: Client) -> None:
    headers = {"Origin": anonymous.http_url, "Content-Type": "application/x-www-form-urlencoded"}
    url = f"{anonymous.http_url}/auth/link"
    async with anonymous.session.post(url, data=b"x" * 10_000, headers=headers) as response:
        assert response.status == 400
