"""Sign-in of devices by a code that a person types in their browser."""

import asyncio
from typing import Any

import asyncpg
import pytest

from echomind_api.accounts.device_sign_ins import INTERVAL_SECONDS, WRONG_CODES, new_user_code
from echomind_api.auth import tokens
from echomind_api.auth.sessions import Browser
from echomind_api.main import Gateway
from echomind_lib.errors import (
    NotFoundError,
    OverloadedError,
    PermissionDeniedError,
    UnauthenticatedError,
)
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser

S = "DeviceSignInService"


@pytest.fixture
def device(anonymous: Client, pool: asyncpg.Pool) -> "Device":
    return Device(anonymous, pool)


class Device:
    """A program without a browser."""

    def __init__(self, client: Client, pool: asyncpg.Pool) -> None:
        self.client, self.pool = client, pool

    async def start(self, via: Transport = "grpc", **fields: Any) -> dict[str, Any]:
        started = await self.client.call(f"{S}/StartDeviceSignIn", {"clientName": "laptop"} | fields, via)
        self.code, self.user_code = started["deviceCode"], started["userCode"]
        return started

    async def poll(self, via: Transport = "grpc", *, early: bool = False) -> dict[str, Any]:
        """Asks whether it is signed in, when it may."""
        if not early:
            await self.pool.execute("UPDATE device_sign_ins SET polled_at = NULL")
        return await self.client.call(f"{S}/CompleteDeviceSignIn", {"deviceCode": self.code}, via)


async def browser_of(owner: Client, gateway: Gateway, anonymous: Client, person: Client) -> Client:
    path = (await owner.call("AuthService/CreateSignInLink", {"userId": person.user_id}))["path"]
    token = await gateway.parts.sessions.begin_by_link(path.partition("=")[2], Browser("192.0.2.7", "Laptop"))
    return anonymous.browser(token, person.user_id)


@pytest.fixture
async def browser(owner: Client, gateway: Gateway, anonymous: Client, new_user: NewUser) -> Client:
    return await browser_of(owner, gateway, anonymous, await new_user())


async def decide(browser: Client, code: str, approved: bool = True) -> dict[str, Any]:
    return await browser.call(f"{S}/DecideDeviceSignIn", {"userCode": code, "approved": approved}, "rest")


async def test_an_approved_code_ends_in_one_key(
    device: Device, browser: Client, pool: asyncpg.Pool, via: Transport
) -> None:
    started = await device.start(via, scopes=["API_KEY_SCOPE_READ"], days=7)
    assert started["verificationUrl"].endswith("/device")
    assert started["userCode"] not in started["verificationUrl"]
    assert (await device.poll(via))["state"] == "DEVICE_SIGN_IN_STATE_PENDING"
    typed = device.user_code.lower().replace("-", " ")
    shown = await browser.call(f"{S}/FindDeviceSignIn", {"userCode": typed}, "rest")
    assert (shown["clientName"], shown["scopes"], shown["days"]) == ("laptop", ["API_KEY_SCOPE_READ"], 7)
    assert shown["address"]
    decided = await decide(browser, typed)
    completed = await device.poll(via)
    assert completed["state"] == "DEVICE_SIGN_IN_STATE_APPROVED"
    assert completed["apiKey"]["scopes"] == ["API_KEY_SCOPE_READ"]
    assert completed["apiKey"]["expiresAt"]
    signed_in = device.client.as_(completed["secret"])
    assert (await signed_in.call("UserService/GetCurrentUser", {}, via))["id"] == browser.user_id
    # Both codes are used up.
    for call in (device.poll(via), decide(browser, typed)):
        with pytest.raises((UnauthenticatedError, NotFoundError)):
            await call
    key = completed["apiKey"]["id"]
    audited = await pool.fetch(
        "SELECT action, target FROM audit_log WHERE actor_id = $1 AND NOT denied ORDER BY id DESC LIMIT 2",
        browser.user_id,
    )
    assert [tuple(entry) for entry in audited] == [
        (f"{S}/CompleteDeviceSignIn", f"api-keys/{key}"),
        (f"{S}/DecideDeviceSignIn", f"device-sign-ins/{decided['id']}"),
    ]


async def test_codes_are_stored_hashed(device: Device, pool: asyncpg.Pool) -> None:
    await device.start()
    rows = await pool.fetch("SELECT * FROM device_sign_ins")
    assert device.code not in str(rows)
    assert device.user_code.replace("-", "") not in str(rows)
    assert tokens.digest(device.code) in [row["device_code_hash"] for row in rows]


async def test_a_device_has_no_administration_unless_it_asks_and_the_person_is_freshly_signed_in(
    device: Device, browser: Client, pool: asyncpg.Pool
) -> None:
    await device.start()
    await decide(browser, device.user_code)
    completed = await device.poll()
    assert sorted(completed["apiKey"]["scopes"]) == [
        "API_KEY_SCOPE_ASK",
        "API_KEY_SCOPE_INGEST",
        "API_KEY_SCOPE_MANAGE",
        "API_KEY_SCOPE_READ",
    ]
    await device.start(scopes=["API_KEY_SCOPE_ADMINISTER"])
    await pool.execute(
        "UPDATE web_sessions SET authenticated_at = now() - interval '11 minutes' WHERE user_id = $1", browser.user_id
    )
    with pytest.raises(PermissionDeniedError) as caught:
        await decide(browser, device.user_code)
    assert caught.value.metadata == {"required": "recent_sign_in"}
    assert (await device.poll())["state"] == "DEVICE_SIGN_IN_STATE_PENDING"


async def test_a_denied_device_gets_no_key(device: Device, browser: Client, pool: asyncpg.Pool) -> None:
    await device.start()
    before = await pool.fetchval("SELECT count(*) FROM api_keys")
    await decide(browser, device.user_code, approved=False)
    assert (await device.poll())["state"] == "DEVICE_SIGN_IN_STATE_DENIED"
    with pytest.raises(UnauthenticatedError):
        await device.poll()
    assert await pool.fetchval("SELECT count(*) FROM api_keys") == before


async def test_a_device_that_polls_too_often_has_to_slow_down(device: Device, browser: Client, via: Transport) -> None:
    await device.start()
    await device.poll(via)
    for times in (2, 3):
        polled = await device.poll(via, early=True)
        assert polled == {"state": "DEVICE_SIGN_IN_STATE_SLOW_DOWN", "intervalSeconds": times * INTERVAL_SECONDS}
    await decide(browser, device.user_code)
    assert (await device.poll(via, early=True))["state"] == "DEVICE_SIGN_IN_STATE_SLOW_DOWN"
    assert (await device.poll(via))["state"] == "DEVICE_SIGN_IN_STATE_APPROVED"


async def test_both_codes_expire(device: Device, browser: Client, pool: asyncpg.Pool) -> None:
    await device.start()
    await pool.execute("UPDATE device_sign_ins SET expires_at = now()")
    with pytest.raises(NotFoundError):
        await decide(browser, device.user_code)
    with pytest.raises(UnauthenticatedError):
        await device.poll()
    await device.start()
    assert await pool.fetchval("SELECT count(*) FROM device_sign_ins") == 1


async def test_wrong_codes_end_the_attempt_whatever_they_come_from(
    owner: Client, gateway: Gateway, anonymous: Client, device: Device, browser: Client, pool: asyncpg.Pool
) -> None:
    """Several browsers of one person guess at the same time; the count is in the database, not in a process."""
    await device.start()
    person = owner.as_("", browser.user_id)
    browsers = [browser, *[await browser_of(owner, gateway, anonymous, person) for _ in range(2)]]
    guesses = [
        browsers[number % 3].call(f"{S}/FindDeviceSignIn", {"userCode": new_user_code()}, "rest")
        for number in range(3 * WRONG_CODES)
    ]
    answers = await asyncio.gather(*guesses, return_exceptions=True)
    assert [isinstance(answer, NotFoundError) for answer in answers].count(True) == WRONG_CODES
    assert [isinstance(answer, OverloadedError) for answer in answers].count(True) == 2 * WRONG_CODES
    for each in browsers:
        with pytest.raises(OverloadedError) as caught:
            await decide(each, device.user_code)
        assert 0 < int(caught.value.metadata["retry_after_seconds"]) <= 600
    other = await browser_of(owner, gateway, anonymous, owner)
    assert await other.call(f"{S}/FindDeviceSignIn", {"userCode": device.user_code}, "rest")
    await pool.execute("UPDATE device_code_failures SET creation_date = now() - interval '11 minutes'")
    assert await decide(browser, device.user_code)


async def test_codes_are_entered_in_a_browser_alone(
    device: Device, new_user: NewUser, anonymous: Client, via: Transport
) -> None:
    await device.start()
    person = await new_user()
    for method in ("FindDeviceSignIn", "DecideDeviceSignIn"):
        with pytest.raises(PermissionDeniedError) as caught:
            await person.call(f"{S}/{method}", {"userCode": device.user_code}, via)
        assert caught.value.metadata == {"required": "web_session"}
        with pytest.raises(UnauthenticatedError):
            await anonymous.call(f"{S}/{method}", {"userCode": device.user_code}, via)


async def test_who_is_deactivated_meanwhile_signs_in_no_device(
    device: Device, browser: Client, pool: asyncpg.Pool
) -> None:
    await device.start()
    await decide(browser, device.user_code)
    await pool.execute("UPDATE users SET is_active = FALSE WHERE id = $1", browser.user_id)
    with pytest.raises(UnauthenticatedError):
        await device.poll()


async def test_a_new_password_ends_what_was_approved(device: Device, browser: Client) -> None:
    await device.start()
    await decide(browser, device.user_code)
    await browser.call("AuthService/SetPassword", {"password": "correct horse battery"}, "rest")
    with pytest.raises(UnauthenticatedError):
        await device.poll()


async def test_devices_of_one_network_cannot_fill_the_table(device: Device, pool: asyncpg.Pool) -> None:
    await pool.execute("DELETE FROM device_sign_ins")
    for _ in range(20):
        await device.start()
    with pytest.raises(OverloadedError):
        await device.start()
    assert await pool.fetchval("SELECT count(*) FROM device_sign_ins") == 20
    await pool.execute("DELETE FROM device_sign_ins")
