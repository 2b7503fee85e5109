"""Floods of bad credentials: their cost, their effect on others, and the audit log."""

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import aiohttp
import asyncpg
import pytest

from echomind_api.auth.failures import FailedCredentials
from echomind_api.auth.sessions import Browser
from echomind_api.calls import denials
from echomind_api.main import Gateway
from echomind_lib.errors import DependencyUnavailableError, OverloadedError, UnauthenticatedError
from tests.drivers.client import TRANSPORTS, Client, Transport
from tests.drivers.gateway import NewUser

via_both = pytest.mark.parametrize("via", TRANSPORTS)
ME = "UserService/GetCurrentUser"


@pytest.fixture(autouse=True)
def nothing_is_refilled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stops the clock of the limits: however long a flood takes on a busy machine, as many get through."""
    now = time.monotonic()
    monkeypatch.setattr("echomind_api.token_buckets.time", SimpleNamespace(monotonic=lambda: now))


async def outcomes(calls: list[Any]) -> list[str]:
    results = await asyncio.gather(*calls, return_exceptions=True)
    return ["OK" if isinstance(result, dict) else getattr(result, "reason", repr(result)) for result in results]


@via_both
async def test_a_flood_of_bad_keys_is_not_looked_up_and_holds_no_known_key_up(
    owner: Client, anonymous: Client, new_user: NewUser, via: Transport, gateway: Gateway
) -> None:
    known = await new_user()
    await known.call(ME, via=via)
    fresh = await owner.call("ApiKeyService/CreateApiKey", {"name": f"fresh-{via}"}, via)
    found = await outcomes([anonymous.as_(f"em_{'x' * 43}{number}").call(ME, via=via) for number in range(300)])
    assert set(found) == {"UNAUTHENTICATED", "OVERLOADED"}
    assert 60 <= found.count("UNAUTHENTICATED") < 90  # the capacity of the bucket, and concurrent requests
    with pytest.raises(OverloadedError, match="wrong API keys") as caught:
        await anonymous.as_("em_another").call(ME, via=via)
    assert 1 <= int(caught.value.metadata["retry_after_seconds"]) <= 2
    gateway.parts.dependencies.principals.forget(known.user_id)  # forces a lookup, as after the cache expires
    assert await outcomes([known.call(ME, via=via), owner.call(ME, via=via)]) == ["OK", "OK"]
    with pytest.raises(OverloadedError):  # a key that this process has not seen waits
        await owner.as_(fresh["secret"]).call(ME, via=via)


async def test_a_flood_of_bad_keys_does_not_block_sign_ins(
    owner: Client, anonymous: Client, new_user: NewUser, gateway: Gateway
) -> None:
    somebody = await new_user()
    await outcomes([anonymous.as_(f"em_wrong{number}").call(ME) for number in range(100)])
    link = await owner.call("AuthService/CreateSignInLink", {"userId": somebody.user_id})
    token = await gateway.parts.sessions.begin_by_link(link["path"].partition("=")[2], Browser("127.0.0.1"))
    assert (await anonymous.browser(token).call(ME, via="rest"))["id"] == somebody.user_id


async def test_a_flood_of_cookies_is_limited(anonymous: Client) -> None:
    found = await outcomes([anonymous.browser(f"over-{number}").call(ME, via="rest") for number in range(200)])
    assert set(found) == {"UNAUTHENTICATED", "OVERLOADED"}
    assert found.count("UNAUTHENTICATED") < 90


async def test_many_valid_keys_at_once_are_not_limited(owner: Client) -> None:
    made = [await owner.call("ApiKeyService/CreateApiKey", {"name": f"many-{number}"}) for number in range(80)]
    found = await outcomes([owner.as_(key["secret"]).call(ME) for key in made])
    assert found == ["OK"] * 80


async def test_guesses_at_one_account_are_limited_whatever_it_is_called(anonymous: Client, new_user: NewUser) -> None:
    somebody = await new_user()
    name = (await somebody.call(ME))["userName"]

    async def guess(text: str) -> int:
        body = {"userName": text, "password": "a guess"}
        async with anonymous.session.post(f"{anonymous.http_url}/auth/sign-in", json=body) as response:
            return response.status

    statuses = await asyncio.gather(*(guess(text) for text in [name, name.upper(), f"{name}@example.org"] * 5))
    assert sorted(statuses) == [401] * 10 + [429] * 5


@via_both
async def test_bad_credentials_are_one_entry_for_an_address_and_minute(
    anonymous: Client, gateway: Gateway, pool: asyncpg.Pool, via: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    denials = gateway.parts.denials
    await denials.flush()
    before = await pool.fetchval("SELECT coalesce(max(id), 0) FROM audit_log")
    monkeypatch.setattr("echomind_api.auth.bad_credentials.time.time", lambda: 1_000_000_000.0)
    for method in (ME, "UserService/ListUsers"):
        await outcomes([anonymous.as_(f"em_wrong{number}").call(method, via=via) for number in range(10)])
    await denials.flush()
    entries = await pool.fetch("SELECT * FROM audit_log WHERE id > $1", before)
    assert [(entry["actor_id"], entry["count"], entry["denied"]) for entry in entries] == [(None, 20, True)]
    assert entries[0]["address"] == "127.0.0.1"
    assert entries[0]["detail"] == {
        "reason": "UNAUTHENTICATED",
        "actions": ["UserService/GetCurrentUser", "UserService/ListUsers"],
    }


async def test_denials_of_known_people_are_never_dropped(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    somebody = await new_user()
    await gateway.parts.denials.flush()
    monkeypatch.setattr(denials, "_MAX_WAITING", 5)
    found = await outcomes([somebody.call("UserService/ListUsers") for _ in range(100)])
    assert found == ["PERMISSION_DENIED"] * 100
    await gateway.parts.denials.flush()
    entries = await pool.fetchval("SELECT count(*) FROM audit_log WHERE actor_id = $1 AND denied", somebody.user_id)
    assert entries == 100


async def test_a_denial_that_cannot_be_written_is_an_error_and_is_written_later(
    new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    somebody = await new_user()
    waiting = gateway.parts.denials
    await waiting.flush()

    async def fail(*_: object) -> None:
        raise OSError("no connection")

    with monkeypatch.context() as patch:
        patch.setattr(denials, "_MAX_WAITING", 3)
        patch.setattr(waiting, "_store", fail)
        found = await outcomes([somebody.call("UserService/ListUsers") for _ in range(5)])
        assert sorted(found) == [DependencyUnavailableError.reason] * 2 + ["PERMISSION_DENIED"] * 3
    assert await waiting.flush()
    entries = await pool.fetchval("SELECT count(*) FROM audit_log WHERE actor_id = $1 AND denied", somebody.user_id)
    assert entries == 3


async def test_forwarded_addresses_do_not_count_unless_a_setting_names_the_proxy(anonymous: Client) -> None:
    for number in range(100):
        headers = {"Authorization": "Bearer em_wrong", "X-Forwarded-For": f"10.0.0.{number}"}
        async with anonymous.session.get(f"{anonymous.http_url}/api/v1/users/me", headers=headers) as response:
            status = response.status
    assert status == 429


async def test_limits_of_one_address_leave_others_alone() -> None:
    failures = FailedCredentials()
    for _ in range(70):
        failures.charge("api_key", "2001:db8::1")
    with pytest.raises(OverloadedError):
        async with failures.lookup("api_key", "2001:db8::ffff"):
            pass
    async with failures.lookup("api_key", "2001:db8:0:1::1"), failures.lookup("web_session", "2001:db8::1"):
        pass
    with pytest.raises(UnauthenticatedError), failures.sign_in("192.0.2.1"):
        raise UnauthenticatedError("wrong")


async def test_a_rate_limited_page_has_a_retry_delay(anonymous: Client) -> None:
    async def open_page() -> aiohttp.ClientResponse:
        return await anonymous.session.get(f"{anonymous.http_url}/auth/link?token=nonsense")

    for _ in range(31):
        response = await open_page()
    assert response.status == 429
    assert int(response.headers["Retry-After"]) >= 1
    assert "Too many attempts" in await response.text()
