"""Passwords of local accounts, as argon2id hashes in PHC format (OWASP's parameters are the library's defaults)."""

import asyncio

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

_hasher = PasswordHasher()
# A hash takes 64 MiB and some 50 ms of a core: more at once would let a burst of guesses push everything else aside.
_slots = asyncio.Semaphore(2)
# Checked when there is no such account, so that the time taken does not tell which names exist.
_NOBODY = "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$" + "A" * 43


async def hash_password(password: str) -> str:
    """Returns the hash to store."""
    async with _slots:
        return await asyncio.to_thread(_hasher.hash, password)


async def verify_password(stored: str | None, password: str) -> bool:
    """Returns whether a password is the one of a stored hash; takes as long when there is no hash."""
    async with _slots:
        return await asyncio.to_thread(_verify, stored or _NOBODY, password) and stored is not None


def _verify(stored: str, password: str) -> bool:
    try:
        return _hasher.verify(stored, password)
    except (Argon2Error, InvalidHashError):
        return False
