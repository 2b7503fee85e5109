"""Hashes of passwords."""

from argon2 import extract_parameters
from argon2.profiles import RFC_9106_LOW_MEMORY

from echomind_api.auth import passwords


async def test_a_hash_costs_what_is_recommended_and_a_missing_account_costs_the_same() -> None:
    stored = await passwords.hash_password("correct horse")
    assert extract_parameters(stored) == RFC_9106_LOW_MEMORY
    nobody = extract_parameters(passwords._NOBODY)
    assert (nobody.time_cost, nobody.memory_cost, nobody.parallelism) == (
        RFC_9106_LOW_MEMORY.time_cost,
        RFC_9106_LOW_MEMORY.memory_cost,
        RFC_9106_LOW_MEMORY.parallelism,
    )
    assert await passwords.verify_password(stored, "correct horse")
    assert not await passwords.verify_password(stored, "wrong horse")
    assert not await passwords.verify_password(None, "correct horse")
