"""The guard of the shared product sees what a module leaves behind."""

from collections.abc import AsyncIterator

import asyncpg
import pytest
import pytest_asyncio

from tests.drivers.gateway import NewUser
from tests.drivers.shared_state import unchanged
from tests.factories import rows

CHANGES = {
    "settings of the installation.*nobody": "UPDATE installation_settings SET link_sharing = 'nobody'",
    "rules of retention: run_steps is new": "INSERT INTO retention_rules (data, days) VALUES ('run_steps', 9)",
    "quotas of more than a person": "INSERT INTO quotas (scope, period, max_tokens) VALUES ('member', 'day', 9)",
    "active index": "UPDATE embedding_models SET is_active = FALSE",
    "default model": "UPDATE llms SET is_default = NOT is_default WHERE is_default",
    "default assistant": "UPDATE assistants SET config = '{\"maxSteps\": 3}' WHERE is_default",
}
"""What everybody would notice, with what the guard says of it."""


@pytest_asyncio.fixture
async def undone(pool: asyncpg.Pool) -> AsyncIterator[rows.Connection]:
    """A connection whose changes nobody else sees, and that are undone."""
    async with pool.acquire() as connection:
        transaction = connection.transaction()
        await transaction.start()
        yield connection
        await transaction.rollback()


@pytest.mark.parametrize("message", CHANGES)
async def test_what_everybody_would_notice_is_named(undone: rows.Connection, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        async with unchanged(undone):
            await undone.execute(CHANGES[message])


async def test_a_webhook_of_the_installation_is_named(undone: rows.Connection) -> None:
    with pytest.raises(AssertionError, match="webhooks of the installation"):
        async with unchanged(undone):
            await rows.webhook(undone, is_installation=True)


async def test_what_somebody_lost_is_named(new_user: NewUser, undone: rows.Connection) -> None:
    somebody = await new_user("admin", groups=("left",))
    for change, message in (
        ("UPDATE users SET roles = '{}' WHERE id = $1", f"accounts {somebody.user_id}"),
        ("DELETE FROM group_members WHERE user_id = $1", f"membership of {somebody.user_id} in"),
    ):
        with pytest.raises(AssertionError, match=message):
            async with unchanged(undone):
                await undone.execute(change, somebody.user_id)


async def test_what_the_process_shares_is_named(pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError, match="environment: ECHOMIND_LEFT_BEHIND is new"):
        async with unchanged(pool):
            monkeypatch.setenv("ECHOMIND_LEFT_BEHIND", "1")
    with pytest.raises(AssertionError, match="process folder: "):
        async with unchanged(pool):
            monkeypatch.chdir("/")


async def test_what_a_module_adds_for_itself_is_its_own(new_user: NewUser, pool: asyncpg.Pool) -> None:
    async with unchanged(pool):
        await new_user("superadmin", groups=("own",))
