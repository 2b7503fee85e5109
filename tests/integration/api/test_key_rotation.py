"""Rotation of API keys: two secrets for an overlap, and the earlier one ends with it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from echomind_api.main import Gateway
from echomind_lib.errors import NotFoundError, PermissionDeniedError, ValidationFailedError
from tests.drivers.client import TRANSPORTS, Client, Transport
from tests.drivers.gateway import NewUser
from tests.drivers.service_accounts import is_valid
from tests.factories.world import name

via_both = pytest.mark.parametrize("via", TRANSPORTS)
SEVEN_DAYS = 7 * 24 * 3600


async def program(person: Client, **fields: Any) -> tuple[Client, int]:
    """Returns a client with a new key of a person, and the key's id."""
    made = await person.call("ApiKeyService/CreateApiKey", {"name": name()} | fields)
    return person.as_(made["secret"], person.user_id), made["apiKey"]["id"]


async def rotate(caller: Client, key: int, overlap: int = 3600, via: Transport = "grpc") -> dict[str, Any]:
    return await caller.call("ApiKeyService/RotateApiKey", {"id": key, "overlapSeconds": overlap}, via)


@via_both
async def test_both_secrets_work_until_the_overlap_is_over(
    new_user: NewUser, pool: asyncpg.Pool, gateway: Gateway, via: Transport
) -> None:
    person = await new_user()
    earlier, key = await program(person, scopes=["API_KEY_SCOPE_READ", "API_KEY_SCOPE_MANAGE"])
    rotated = await rotate(earlier, key, via=via)
    later = person.as_(rotated["secret"], person.user_id)
    assert rotated["apiKey"]["scopes"] == ["API_KEY_SCOPE_READ", "API_KEY_SCOPE_MANAGE"]
    assert later.key.startswith(rotated["apiKey"]["prefix"])
    assert rotated["apiKey"]["previousExpiresAt"]
    assert later.key != earlier.key
    assert await is_valid(earlier)
    assert await is_valid(later)
    await gateway.parts.authentication.principals.flush()
    used = "SELECT last_used_at IS NOT NULL AND previous_used_at IS NOT NULL FROM api_keys WHERE id = $1"
    assert await pool.fetchval(used, key)
    await pool.execute("UPDATE api_keys SET previous_expires_at = now() WHERE id = $1", key)
    gateway.parts.authentication.principals.forget(person.user_id)
    assert not await is_valid(earlier)
    assert await is_valid(later)
    (listed,) = [each for each in (await person.call("ApiKeyService/ListApiKeys"))["apiKeys"] if each["id"] == key]
    assert "previousExpiresAt" not in listed


async def test_without_an_overlap_the_earlier_secret_stops_at_once(new_user: NewUser) -> None:
    person = await new_user()
    earlier, key = await program(person)
    rotated = await rotate(person, key, 0)
    assert not await is_valid(earlier)
    assert await is_valid(person.as_(rotated["secret"]))


async def test_a_second_rotation_ends_the_first_secret(new_user: NewUser) -> None:
    person = await new_user()
    first, key = await program(person)
    second = person.as_((await rotate(person, key))["secret"])
    third = person.as_((await rotate(person, key))["secret"])
    assert [await is_valid(each) for each in (first, second, third)] == [False, True, True]


async def test_an_earlier_secret_makes_nothing_that_outlives_it(new_user: NewUser) -> None:
    person = await new_user("superadmin")
    earlier, key = await program(person, scopes=["API_KEY_SCOPE_ADMINISTER"])
    await rotate(person, key)
    with pytest.raises(PermissionDeniedError) as refused:
        await rotate(earlier, key)
    assert refused.value.metadata == {"required": "current_secret"}
    with pytest.raises(ValidationFailedError, match="no later than"):
        await earlier.call("ApiKeyService/CreateApiKey", {"name": name()})
    with pytest.raises(PermissionDeniedError) as refused:
        await earlier.call("AuthService/CreateSignInLink", {})
    assert refused.value.metadata == {"required": "lasting_credential"}


async def test_a_key_that_expires_rotates_none_that_lasts_longer(new_user: NewUser) -> None:
    person = await new_user()
    soon = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    expiring, expiring_id = await program(person, scopes=["API_KEY_SCOPE_ADMINISTER"], expiresAt=soon)
    _, lasting_id = await program(person)
    with pytest.raises(PermissionDeniedError) as refused:
        await rotate(expiring, lasting_id)
    assert refused.value.metadata == {"required": "lasting_credential"}
    await rotate(expiring, expiring_id)


async def test_a_key_rotates_itself_and_what_it_made(new_user: NewUser) -> None:
    person = await new_user()
    parent, parent_id = await program(person)
    _, child_id = await program(parent)
    _, other_id = await program(person)
    await rotate(parent, child_id)
    with pytest.raises(PermissionDeniedError) as refused:
        await rotate(parent, other_id)
    assert refused.value.metadata == {"required": "administer"}
    await rotate(parent, parent_id)


async def test_revoking_ends_both_secrets(new_user: NewUser) -> None:
    person = await new_user()
    earlier, key = await program(person)
    later = person.as_((await rotate(person, key))["secret"])
    await person.call("ApiKeyService/DeleteApiKey", {"id": key})
    assert [await is_valid(each) for each in (earlier, later)] == [False, False]
    with pytest.raises(NotFoundError):
        await rotate(person, key)


async def test_an_overlap_is_at_most_seven_days(new_user: NewUser) -> None:
    person = await new_user()
    _, key = await program(person)
    for overlap in (-1, SEVEN_DAYS + 1):
        with pytest.raises(ValidationFailedError):
            await rotate(person, key, overlap)
    await rotate(person, key, SEVEN_DAYS)
