"""Sign-in links, passwords, cookies, CSRF and API keys."""

import asyncio
import json
import time
from datetime import UTC, datetime, timedelta

import aiohttp
import asyncpg
import grpc
import pytest

from echomind_api.auth import tokens
from echomind_api.auth.sessions import Browser
from echomind_api.main import Gateway
from echomind_api.start.owner import write_link_file
from echomind_lib.config import Settings
from echomind_lib.errors import NotFoundError, UnauthenticatedError, ValidationFailedError
from tests.drivers.browser import browser_of, open_link, use_link
from tests.drivers.client import TRANSPORTS, Client, Transport, error_of
from tests.drivers.gateway import NewUser

via_both = pytest.mark.parametrize("via", TRANSPORTS)
PASSWORD = "correct horse battery staple"


async def test_the_link_of_the_data_folder_signs_the_owner_in_once(
    owner: Client, anonymous: Client, api_settings: Settings, gateway: Gateway
) -> None:
    # The one of the start ends where another test switches local accounts off.
    principal = await gateway.parts.dependencies.principals.of_api_key(owner.key)
    await write_link_file(gateway.parts.sessions, principal, api_settings.data_dir, gateway.http_url)
    file = api_settings.data_dir / "run" / "sign-in-link"
    assert file.stat().st_mode & 0o777 == 0o600
    url = file.read_text().strip()
    assert url.startswith(gateway.http_url + "/auth/link?token=")
    path = url.removeprefix(gateway.http_url)
    response = await use_link(anonymous, path)
    assert response.status == 303, await response.text()
    assert response.headers["Location"] == "/"
    cookie = response.cookies[anonymous.cookie_name]
    assert cookie["httponly"]
    assert not cookie["secure"]
    assert cookie["samesite"].lower() == "strict"
    me = await browser_of(anonymous, response).call("UserService/GetCurrentUser", via="rest")
    assert me["id"] == owner.user_id
    assert me["lastLogin"]
    for again in (await open_link(anonymous, path), await use_link(anonymous, path)):
        assert again.status == 401
        assert not again.cookies
        assert again.content_type == "text/html"
        assert "no longer works" in await again.text()


@pytest.mark.parametrize("token", ["", "nonsense", "ü" * 50, "x" * 1000])
async def test_a_link_that_never_was(anonymous: Client, token: str) -> None:
    for response in (await open_link(anonymous, f"/auth/link?token={token}"), await use_link(anonymous, f"={token}")):
        assert response.status == 401
        assert "<script" not in await response.text()


async def test_an_expired_link(owner: Client, anonymous: Client, pool: asyncpg.Pool) -> None:
    link = await owner.call("AuthService/CreateSignInLink")
    token = link["path"].partition("=")[2]
    await pool.execute(
        "UPDATE sign_in_tokens SET expires_at = now() - interval '1 s' WHERE token_hash = $1", tokens.digest(token)
    )
    assert (await open_link(anonymous, link["path"])).status == 401
    assert (await use_link(anonymous, link["path"])).status == 401


async def test_tokens_are_not_stored(owner: Client, pool: asyncpg.Pool) -> None:
    token = (await owner.call("AuthService/CreateSignInLink"))["path"].partition("=")[2]
    key = await owner.call("ApiKeyService/CreateApiKey", {"name": f"stored-{token[:8]}"})
    stored = ""
    for table in ("sign_in_tokens", "api_keys", "web_sessions", "audit_log"):
        stored += "".join(row[0] for row in await pool.fetch(f"SELECT t::text FROM {table} t"))
    assert token not in stored
    assert key["secret"] not in stored
    assert key["apiKey"]["prefix"] in stored
    assert key["secret"].startswith(key["apiKey"]["prefix"])


@via_both
async def test_how_one_can_sign_in_is_public(anonymous: Client, via: Transport) -> None:
    assert (await anonymous.call("AuthService/GetSignInOptions", via=via))["mode"] == "local"


async def sign_in(client: Client, name: str, password: str) -> aiohttp.ClientResponse:
    body = {"userName": name, "password": password}
    return await client.session.post(f"{client.http_url}/auth/sign-in", json=body)


@via_both
async def test_a_password_signs_in_and_ends_other_sessions(
    new_user: NewUser, owner: Client, anonymous: Client, via: Transport, gateway: Gateway
) -> None:
    somebody = await new_user()
    name = (await somebody.call("UserService/GetCurrentUser"))["userName"]
    assert (await sign_in(anonymous, name, PASSWORD)).status == 401
    before = anonymous.browser(await _session(owner, gateway, somebody))
    await before.call("UserService/GetCurrentUser", via="rest")
    await somebody.call("AuthService/SetPassword", {"password": PASSWORD}, via)
    with pytest.raises(UnauthenticatedError):
        await before.call("UserService/GetCurrentUser", via="rest")
    for text in (name, name.upper(), f"{name}@example.org"):
        response = await sign_in(anonymous, text, PASSWORD)
        assert response.status == 204
    browser = browser_of(anonymous, response)
    assert (await browser.call("UserService/GetCurrentUser", via="rest"))["id"] == somebody.user_id
    assert (await sign_in(anonymous, name, PASSWORD + "x")).status == 401
    assert (await anonymous.call("AuthService/GetSignInOptions", via=via))["password"] is True


async def _session(owner: Client, gateway: Gateway, somebody: Client) -> str:
    link = await owner.call("AuthService/CreateSignInLink", {"userId": somebody.user_id})
    return await gateway.parts.sessions.begin_by_link(link["path"].partition("=")[2], Browser("127.0.0.1"))


async def test_a_session_that_sets_a_password_stays_valid(
    new_user: NewUser, owner: Client, anonymous: Client, gateway: Gateway
) -> None:
    somebody = await new_user()
    browser = anonymous.browser(await _session(owner, gateway, somebody))
    await browser.call("AuthService/SetPassword", {"password": PASSWORD}, "rest")
    assert (await browser.call("UserService/GetCurrentUser", via="rest"))["id"] == somebody.user_id


async def test_guessing_is_slowed_down(anonymous: Client) -> None:
    # No more of them: other tests sign in from the same address.
    answers = [await sign_in(anonymous, "nobody-at-all", f"guess {number}") for number in range(12)]
    assert [answer.status for answer in answers[:10]] == [401] * 10
    assert answers[-1].status == 429
    assert int(error_of(await answers[-1].json()).metadata["retry_after_seconds"]) >= 1


@via_both
async def test_passwords_have_a_least_length(owner: Client, via: Transport) -> None:
    with pytest.raises(ValidationFailedError) as caught:
        await owner.call("AuthService/SetPassword", {"password": "short"}, via)
    assert "password" in caught.value.metadata


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"X-EchoMind-CSRF": ""}, 403),
        ({"X-EchoMind-CSRF": "1"}, 200),
        ({"X-EchoMind-CSRF": "1", "Sec-Fetch-Site": "same-origin"}, 200),
        ({"X-EchoMind-CSRF": "1", "Sec-Fetch-Site": "same-site"}, 403),
        ({"X-EchoMind-CSRF": "1", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Authorization": ""}, 403),
    ],
)
async def test_a_write_by_cookie_must_be_the_pages_own(
    owner: Client, anonymous: Client, gateway: Gateway, headers: dict[str, str], status: int
) -> None:
    cookie = {"Cookie": f"theme=dark; {anonymous.cookie_name}={await _session(owner, gateway, owner)}; other=1"}
    url = f"{anonymous.http_url}/api/v1/users/me"
    async with anonymous.session.patch(url, json={"firstName": "Owner"}, headers=cookie | headers) as response:
        assert response.status == status
        body = await response.json()
        if status == 403:
            assert error_of(body).reason == "PERMISSION_DENIED"
    async with anonymous.session.get(url, headers=cookie) as response:
        assert response.status == 200


async def test_no_other_site_gets_a_permission(anonymous: Client, owner: Client) -> None:
    headers = {
        "Origin": "https://evil.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "x-echomind-csrf",
    }
    async with anonymous.session.options(f"{anonymous.http_url}/api/v1/users/me", headers=headers) as response:
        assert "Access-Control-Allow-Origin" not in response.headers
    headers = {"Origin": "https://evil.example", "Authorization": f"Bearer {owner.key}"}
    async with anonymous.session.get(f"{anonymous.http_url}/api/v1/users/me", headers=headers) as response:
        assert "Access-Control-Allow-Origin" not in response.headers


async def test_sign_out_ends_the_session_and_deletes_the_cookie(
    owner: Client, anonymous: Client, gateway: Gateway
) -> None:
    browser = anonymous.browser(await _session(owner, gateway, owner))
    await browser.call("UserService/GetCurrentUser", via="rest")
    async with anonymous.session.post(f"{anonymous.http_url}/auth/sign-out", headers=browser.headers) as response:
        assert (response.status, await response.json()) == (200, {"providerUrl": ""})
        assert response.cookies[anonymous.cookie_name].value == ""
    with pytest.raises(UnauthenticatedError):
        await browser.call("UserService/GetCurrentUser", via="rest")


@via_both
@pytest.mark.parametrize("key", ["", "nonsense", "em_", "em_" + "A" * 43, "em_" + "%" * 43, "x" * 5000])
async def test_what_is_no_key(anonymous: Client, via: Transport, key: str) -> None:
    with pytest.raises(UnauthenticatedError):
        await anonymous.as_(key).call("UserService/GetCurrentUser", via=via)


async def test_a_cookie_is_nothing_over_grpc(anonymous: Client, owner: Client, gateway: Gateway) -> None:
    token = await _session(owner, gateway, owner)
    call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]
    call = anonymous.channel.unary_unary("/echomind.public.v1.UserService/GetCurrentUser")
    with pytest.raises(Exception, match="Sign in first"):
        await call(b"", metadata=(("cookie", f"{anonymous.cookie_name}={token}"),))


@via_both
async def test_a_key_lives_until_it_is_revoked_or_expires(
    new_user: NewUser, via: Transport, pool: asyncpg.Pool, gateway: Gateway
) -> None:
    somebody = await new_user()
    soon = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    made = await somebody.call("ApiKeyService/CreateApiKey", {"name": "robot", "expiresAt": soon}, via)
    robot = somebody.as_(made["secret"])
    assert (await robot.call("UserService/GetCurrentUser", via=via))["id"] == somebody.user_id
    listed = (await somebody.call("ApiKeyService/ListApiKeys", via=via))["apiKeys"]
    assert [key["name"] for key in listed] == ["robot", "test"]
    assert all("secret" not in key for key in listed)
    await gateway.parts.dependencies.principals.flush()
    listed = (await somebody.call("ApiKeyService/ListApiKeys", via=via))["apiKeys"]
    assert listed[0]["lastUsedAt"]
    await somebody.call("ApiKeyService/DeleteApiKey", {"id": made["apiKey"]["id"]}, via)
    with pytest.raises(UnauthenticatedError):
        await robot.call("UserService/GetCurrentUser", via=via)
    with pytest.raises(NotFoundError):
        await somebody.call("ApiKeyService/DeleteApiKey", {"id": made["apiKey"]["id"]}, via)
    late = await somebody.call("ApiKeyService/CreateApiKey", {"name": "robot"}, via)
    await pool.execute("UPDATE api_keys SET expires_at = now() WHERE id = $1", late["apiKey"]["id"])
    with pytest.raises(UnauthenticatedError):
        await somebody.as_(late["secret"]).call("UserService/GetCurrentUser", via=via)


@via_both
async def test_a_key_does_not_begin_in_the_past(owner: Client, via: Transport) -> None:
    with pytest.raises(ValidationFailedError):
        await owner.call("ApiKeyService/CreateApiKey", {"name": "old", "expiresAt": "2020-01-01T00:00:00Z"}, via)


async def test_keys_with_the_same_prefix_are_distinguished(
    owner: Client, anonymous: Client, pool: asyncpg.Pool, new_user: NewUser
) -> None:
    somebody = await new_user()
    twin = owner.key[:11] + "B" * 35
    await pool.execute(
        "INSERT INTO api_keys (user_id, name, prefix, sha256) VALUES ($1, 'twin', $2, $3)",
        somebody.user_id,
        tokens.prefix(twin),
        tokens.digest(twin),
    )
    assert (await anonymous.as_(twin).call("UserService/GetCurrentUser"))["id"] == somebody.user_id
    assert (await owner.call("UserService/GetCurrentUser"))["id"] == owner.user_id


async def test_a_change_elsewhere_is_seen_within_the_cache_time(
    new_user: NewUser, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    somebody = await new_user()
    await somebody.call("UserService/GetCurrentUser")
    await pool.execute("UPDATE users SET is_active = false WHERE id = $1", somebody.user_id)
    assert await somebody.call("UserService/GetCurrentUser")  # the result is cached for a while
    later = time.monotonic() + 30.1
    monkeypatch.setattr("echomind_api.auth.principals.time.monotonic", lambda: later)
    with pytest.raises(UnauthenticatedError):
        await somebody.call("UserService/GetCurrentUser")


async def test_many_at_once_with_one_new_key(new_user: NewUser) -> None:
    somebody = await new_user()
    answers = await asyncio.gather(*(somebody.call("UserService/GetCurrentUser") for _ in range(20)))
    assert {answer["id"] for answer in answers} == {somebody.user_id}


@pytest.mark.parametrize("content_type", [None, "text/plain", "application/x-www-form-urlencoded"])
async def test_another_site_cannot_sign_a_browser_in_by_password(
    new_user: NewUser, anonymous: Client, content_type: str | None
) -> None:
    """What a page of another site can send without asking first is no JSON, so that no browser is signed in by it."""
    somebody = await new_user()
    await somebody.call("AuthService/SetPassword", {"password": PASSWORD})
    name = (await somebody.call("UserService/GetCurrentUser"))["userName"]
    body = json.dumps({"userName": name, "password": PASSWORD}).encode()
    url = f"{anonymous.http_url}/auth/sign-in"
    async with anonymous.session.post(url, data=body, headers={"Content-Type": "application/json"}) as response:
        assert response.status == 204
    request = anonymous.session.post(
        url,
        data=body,
        headers={"Content-Type": content_type} if content_type else {},
        skip_auto_headers=() if content_type else ("Content-Type",),
    )
    async with request as response:
        assert response.status == 400
        assert anonymous.cookie_name not in response.cookies
