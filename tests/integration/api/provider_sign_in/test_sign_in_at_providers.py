"""Sign-in at OpenID providers: the way through the browser, and the accounts and sessions that it makes and ends."""

import re
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from echomind_api.main import Gateway
from echomind_lib.config import Settings
from echomind_lib.errors import UnauthenticatedError
from tests.drivers.browser import browser_of
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser
from tests.drivers.openid_provider import CLIENT_ID, CLIENT_SECRET, openid_provider, query_of
from tests.drivers.sign_in_refusals import refused, settings_of
from tests.drivers.visitor import Visitor
from tests.factories import rows
from tests.factories.world import name


async def test_a_first_sign_in_creates_an_account(visitor: Visitor, pool: asyncpg.Pool) -> None:
    visitor.provider.person |= {"given_name": "Kim", "family_name": "Öz", "locale": "de-DE"}
    visitor.provider.claims = {"at_hash": visitor.provider.half_hash("an access token")}
    options = await visitor.client.call("AuthService/GetSignInOptions")
    assert {"name": "main", "title": "Example <ID>"} in options["providers"]
    response = await visitor.sign_in("/documents?q=1")
    assert response.status == 200, await response.text()
    # The session cookie is Strict, so the page must lead on by itself.
    page = await response.text()
    assert '<meta http-equiv="refresh" content="0; url=/documents?q=1">' in page
    assert "<script" not in page
    assert response.headers["Cache-Control"] == "no-store"
    cookie = response.cookies[visitor.client.cookie_name]
    assert (cookie["samesite"].lower(), bool(cookie["httponly"])) == ("strict", True)
    me = await visitor.me(response)
    person = visitor.provider.person
    assert (me["userName"], me["email"], me["isEmailVerified"]) == (person["preferred_username"], person["email"], True)
    assert (me["firstName"], me["lastName"], me["roles"]) == ("Kim", "Öz", ["ROLE_USER"])
    assert me["preferences"]["language"] == "LANGUAGE_DE"
    assert me["lastLogin"]
    assert visitor.provider.scopes == ["openid", "profile", "email"]
    hours = "SELECT extract(epoch FROM expires_at - now()) / 3600 FROM web_sessions WHERE user_id = $1"
    assert 11 < float(await pool.fetchval(hours, me["id"])) <= 12
    audited = await pool.fetchrow("SELECT * FROM audit_log WHERE target = $1", f"users/{me['id']}")
    assert audited is not None
    assert (audited["action"], audited["actor_id"]) == ("Sign-in/Provider", me["id"])


async def test_later_sign_ins_find_the_account_by_its_subject_and_update_it(visitor: Visitor) -> None:
    first = await visitor.me(await visitor.sign_in())
    changed = f"{name()}@example.org"
    visitor.provider.person |= {"email": changed, "given_name": "Kim", "preferred_username": "another"}
    second = await visitor.me(await visitor.sign_in())
    assert second["id"] == first["id"]
    assert (second["email"], second["isEmailVerified"], second["firstName"]) == (changed, True, "Kim")
    assert second["userName"] == first["userName"]
    visitor.provider.person |= {
        "sub": name(),
        "email": f"{name()}@example.org",
        "preferred_username": first["userName"],
    }
    third = await visitor.me(await visitor.sign_in())
    assert third["id"] != first["id"]
    assert third["userName"] == f"{first['userName']}-2"


async def test_the_way_there_is_bound_to_the_browser_and_the_secret_is_kept(
    visitor: Visitor, pool: asyncpg.Pool
) -> None:
    response = await visitor.get(f"{visitor.client.http_url}/auth/oidc/main")
    asked = query_of(response.headers["Location"])
    cookie = visitor.attempt_cookie(response)
    assert (cookie["samesite"].lower(), bool(cookie["httponly"]), cookie["max-age"]) == ("lax", True, "600")
    assert asked["code_challenge_method"] == "S256"
    assert asked["redirect_uri"] == f"{visitor.client.http_url}/auth/oidc/main/callback"
    assert CLIENT_SECRET not in str(asked)
    stored = str(await pool.fetch("SELECT t::text FROM sign_in_attempts t"))
    assert not any(text in stored for text in (asked["state"], cookie.value))
    assert "gAAAA" in stored


@pytest.mark.parametrize(
    "path", ["//evil.example", "/%5Cevil.example", "https://evil.example", "/a%0Ab", "evil", "/%09/evil.example"]
)
async def test_a_sign_in_returns_to_this_server_alone(visitor: Visitor, path: str) -> None:
    response = await visitor.sign_in(path)
    assert 'content="0; url=/">' in await response.text()


async def test_a_state_works_once_in_its_browser_for_its_provider(
    visitor: Visitor, pool: asyncpg.Pool, configure: Any, api_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = "has expired, was completed before"
    back = await visitor.provider.consent(await visitor.begin())
    assert (await visitor.get(back)).status == 200
    again = await visitor.get(back)
    assert (again.status, over in await again.text()) == (401, True)
    # Another browser.
    back = await visitor.provider.consent(await visitor.begin())
    other = Visitor(visitor.client, visitor.provider)
    for cookies in ({}, dict.fromkeys(visitor.cookies, "x" * 43)):
        other.cookies = cookies
        assert (await other.get(back)).status == 401
    assert (await visitor.get(back)).status == 401  # it was used up
    # Too late.
    back = await visitor.provider.consent(await visitor.begin())
    await pool.execute("UPDATE sign_in_attempts SET expires_at = now() - interval '1 second'")
    assert (await visitor.get(back)).status == 401
    # At the callback of another provider.
    async with openid_provider() as second:
        monkeypatch.setitem(api_settings.auth.providers, "second", settings_of(second))
        back = await visitor.provider.consent(await visitor.begin())
        assert (await visitor.get(back.replace("/oidc/main/", "/oidc/second/"))).status == 401
        assert "/token" not in second.asked


async def test_what_the_person_or_the_provider_refuses(visitor: Visitor, pool: asyncpg.Pool) -> None:
    visitor.provider.brings = {"error": "access_denied"}
    page = await refused(visitor, pool, "did not complete the sign-in")
    assert "Example &lt;ID&gt;" in page
    visitor.provider.brings = {}
    visitor.provider.status = 503
    await refused(visitor, pool, "does not answer at present", 502)
    assert "/token" in visitor.provider.asked


async def test_a_deactivated_account_stays_outside(visitor: Visitor, pool: asyncpg.Pool, owner: Client) -> None:
    response = await visitor.sign_in()
    me = await visitor.me(response)
    change = {"id": me["id"], "user": {"isActive": False}, "updateMask": "isActive"}
    await owner.call("UserService/UpdateUser", change)
    with pytest.raises(UnauthenticatedError):
        await visitor.me(response)
    await refused(visitor, pool, "deactivated")


async def test_keys_stop_when_their_owner_has_not_signed_in_for_30_days(
    visitor: Visitor, pool: asyncpg.Pool, new_user: NewUser, gateway: Gateway, via: Transport
) -> None:
    browser = browser_of(visitor.client, response := await visitor.sign_in())
    me = await visitor.me(response)
    made = await browser.call("ApiKeyService/CreateApiKey", {"name": name()}, via="rest")
    program, local = visitor.client.as_(made["secret"], me["id"]), await new_user()
    for days, works in ((29, True), (31, False)):
        ago = "UPDATE users SET last_login = now() - make_interval(days => $2) WHERE id = $1"
        for user_id in (me["id"], local.user_id):
            await pool.execute(ago, int(user_id), days)
            gateway.parts.dependencies.principals.forget(int(user_id))
        await local.call("UserService/GetCurrentUser", {}, via)  # nobody vouches for local accounts
        if works:
            await program.call("UserService/GetCurrentUser", {}, via)
        else:
            with pytest.raises(UnauthenticatedError, match="has not signed in for 30 days"):
                await program.call("UserService/GetCurrentUser", {}, via)
    # A SCIM client says who leaves, for as long as it has a valid token.
    token = await rows.scim_token(pool)
    await rows.scim_user(pool, user_id=int(me["id"]), client_id=token["client_id"])
    gateway.parts.dependencies.principals.forget(int(me["id"]))
    await program.call("UserService/GetCurrentUser", {}, via)
    await pool.execute("UPDATE scim_tokens SET expires_at = now() WHERE id = $1", token["id"])
    gateway.parts.dependencies.principals.forget(int(me["id"]))
    with pytest.raises(UnauthenticatedError, match="has not signed in for 30 days"):
        await program.call("UserService/GetCurrentUser", {}, via)
    await visitor.sign_in()
    await program.call("UserService/GetCurrentUser", {}, via)


async def test_a_password_does_not_outlive_the_removal_of_its_person(
    visitor: Visitor, pool: asyncpg.Pool, owner: Client, new_user: NewUser, via: Transport
) -> None:
    me = await visitor.me(await visitor.sign_in())
    local = await new_user()
    kept = "SELECT user_id FROM credentials WHERE user_id = ANY ($1)"
    ids = [int(me["id"]), local.user_id]
    for user_id in ids:
        await pool.execute("INSERT INTO credentials (user_id, password_hash) VALUES ($1, 'x')", user_id)
        for is_active in (False, True):
            change = {"id": user_id, "user": {"isActive": is_active}, "updateMask": "isActive"}
            await owner.call("UserService/UpdateUser", change, via)
    assert [row["user_id"] for row in await pool.fetch(kept, ids)] == [local.user_id]


@pytest_asyncio.fixture
async def nobody_else_is_superadmin(pool: asyncpg.Pool) -> AsyncIterator[None]:
    """Takes the role from all who have it, and gives it back."""
    taken = await pool.fetch(
        "UPDATE users SET roles = array_remove(roles, 'superadmin') WHERE 'superadmin' = ANY (roles) RETURNING id"
    )
    ids = [row["id"] for row in taken]
    yield
    await pool.execute("UPDATE users SET roles = array_append(roles, 'superadmin') WHERE id = ANY ($1)", ids)


async def test_the_last_superadmin_keeps_the_role(
    visitor: Visitor, pool: asyncpg.Pool, configure: Any, nobody_else_is_superadmin: None
) -> None:
    configure(roles={"p-top": "superadmin"})
    other = await rows.user(pool, user_name=(made := name()), email=f"{made}@example.org")
    visitor.provider.person["groups"] = ["p-top"]
    me = await visitor.me(await visitor.sign_in())
    assert "ROLE_SUPERADMIN" in me["roles"]
    visitor.provider.person["groups"] = []
    assert "ROLE_SUPERADMIN" in (await visitor.me(await visitor.sign_in()))["roles"]
    kept = "SELECT count(*) FROM audit_log WHERE target = $1 AND detail ? 'roles_kept_for_the_last_superadmin'"
    assert await pool.fetchval(kept, f"users/{me['id']}") == 1
    # Another one has the role, and no way to sign in.
    await pool.execute("UPDATE users SET roles = array_append(roles, 'superadmin') WHERE id = $1", other["id"])
    assert "ROLE_SUPERADMIN" in (await visitor.me(await visitor.sign_in()))["roles"]
    await pool.execute("INSERT INTO credentials (user_id, password_hash) VALUES ($1, 'x')", other["id"])
    assert (await visitor.me(await visitor.sign_in()))["roles"] == ["ROLE_USER"]


async def test_signing_out_leads_to_the_provider(visitor: Visitor) -> None:
    response = await visitor.sign_in()
    browser = browser_of(visitor.client, response)
    url = f"{visitor.client.http_url}/auth/sign-out"
    async with visitor.client.session.post(url, headers=browser.headers) as ended:
        leads = (await ended.json())["providerUrl"]
    assert leads.startswith(f"{visitor.provider.url}/end-session?")
    assert query_of(leads) == {
        "client_id": CLIENT_ID,
        "post_logout_redirect_uri": f"{visitor.client.http_url}/",
    }
    with pytest.raises(UnauthenticatedError):
        await visitor.me(response)


async def test_a_sign_in_ends_the_browsers_earlier_session(visitor: Visitor) -> None:
    first = await visitor.sign_in()
    earlier = browser_of(visitor.client, first)
    visitor.provider.person |= {"sub": name(), "email": f"{name()}@example.org"}
    begun = await visitor.begin()
    # The provider sends the browser back without the session cookie, which is Strict.
    visitor.cookies = {key: value for key, value in visitor.cookies.items() if "session" not in key}
    assert (await visitor.get(await visitor.provider.consent(begun))).status == 200
    with pytest.raises(UnauthenticatedError):
        await earlier.call("UserService/GetCurrentUser", via="rest")


async def test_an_unknown_provider(visitor: Visitor) -> None:
    for path in ("nobody", "nobody/callback"):
        assert (await visitor.get(f"{visitor.client.http_url}/auth/oidc/{path}")).status == 404


async def test_pages_in_german(visitor: Visitor) -> None:
    headers = {"Accept-Language": "de"}
    address = f"{visitor.client.http_url}/auth/oidc/main/callback?state=x&code=y"
    async with visitor.client.session.get(address, headers=headers) as response:
        page = await response.text()
    assert "Sie sind nicht angemeldet" in page
    assert re.search(r"Content-Security-Policy", str(response.headers))
