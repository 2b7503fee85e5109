"""The guard of the shared product sees what a module leaves behind."""

import os

import asyncpg
import pytest

from tests.drivers.gateway import NewUser
from tests.drivers.shared_state import unchanged


async def test_a_changed_setting_is_named(pool: asyncpg.Pool) -> None:
    with pytest.raises(AssertionError, match=r"settings of the installation.*nobody"):
        async with unchanged(pool):
            await pool.execute("UPDATE installation_settings SET link_sharing = 'nobody'")
    await pool.execute("UPDATE installation_settings SET link_sharing = 'anyone'")


async def test_a_role_that_somebody_lost_is_named(new_user: NewUser, pool: asyncpg.Pool) -> None:
    somebody = await new_user("admin")
    with pytest.raises(AssertionError, match=f"accounts {somebody.user_id}"):
        async with unchanged(pool):
            await pool.execute("UPDATE users SET roles = '{}' WHERE id = $1", somebody.user_id)


async def test_an_environment_variable_is_named(pool: asyncpg.Pool) -> None:
    with pytest.raises(AssertionError, match="environment: ECHOMIND_LEFT_BEHIND is new"):
        async with unchanged(pool):
            os.environ["ECHOMIND_LEFT_BEHIND"] = "1"
    del os.environ["ECHOMIND_LEFT_BEHIND"]


async def test_what_a_module_adds_for_itself_is_its_own(new_user: NewUser, pool: asyncpg.Pool) -> None:
    async with unchanged(pool):
        await new_user("superadmin", groups=("own",))
