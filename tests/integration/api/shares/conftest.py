"""Who shares conversations and who reads them."""

import asyncpg
import pytest_asyncio

from tests.drivers.client import Transport
from tests.drivers.gateway import NewUser
from tests.drivers.person import Person
from tests.drivers.shares import answer, document


@pytest_asyncio.fixture
async def person(new_user: NewUser, pool: asyncpg.Pool, via: Transport) -> Person:
    """Somebody with a conversation of one answer that cites a document for everybody."""
    person = Person(await new_user(), pool, via)
    await answer(person, "How much leave?", await document(pool))
    return person


@pytest_asyncio.fixture
async def reader(new_user: NewUser, pool: asyncpg.Pool, via: Transport) -> Person:
    return Person(await new_user(), pool, via)
