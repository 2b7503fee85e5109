"""Passwords of local accounts, as argon2id hashes in PHC format (OWASP's parameters are the library's defaults)."""

import asyncio

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

_hasher = PasswordHasher()
# A hash takes 64 MiB and about 50 ms of a core: this limits what a burst of guesses can consume.
_slots = asyncio.Semaphore(2)
# Verified when the account does not exist, so that the response time does not reveal which accounts exist.
_NOBODY = "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$" + "A" * 43


async def hash_password(password: str) -> str:
    """Returns the hash to store."""
    async with _slots:
        return await asyncio.to_thread(_hasher.hash, password)


async def verify_password(stored: str | None, password: str) -> bool:
    """Returns whether a password matches a stored hash; takes the same time without a hash."""
    async with _slots:
        return await asyncio.to_thread(_verify, stored or _NOBODY, password) and stored is not None


def _verify(stored: str, password: str) -> bool:
    try:
        return _hasher.verify(stored, password)
    except (Argon2Error, InvalidHashError):
        return False
