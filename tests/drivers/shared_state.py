"""What tests of one product share, and must leave as it was: a guard that names the module which did not."""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

import asyncpg

STATE: Final[Mapping[str, str]] = {
    "settings of the installation": (
        "SELECT 1 AS id, jsonb_build_object('link_sharing', link_sharing, 'memory_enabled', memory_enabled,"
        " 'local_accounts', local_accounts) AS state"
        " FROM installation_settings"
    ),
    # The roles of people of a sign-in provider follow what it says, and each module has providers of its own.
    "accounts": (
        "SELECT id, jsonb_build_object('roles', roles, 'active', is_active) AS state FROM users"
        " WHERE NOT EXISTS (SELECT FROM user_identities WHERE user_id = users.id)"
    ),
    "groups of accounts": (
        "SELECT users.id || ' in ' || groups.id AS id, to_jsonb(EXISTS (SELECT FROM group_members AS m"
        " WHERE m.user_id = users.id AND m.group_id = groups.id)) AS state FROM users CROSS JOIN groups"
    ),
    "default model": "SELECT 1 AS id, to_jsonb(id) AS state FROM llms WHERE is_default AND deleted_date IS NULL",
    "default assistant": (
        "SELECT 1 AS id, jsonb_build_object('id', id, 'config', config) AS state"
        " FROM assistants WHERE is_default AND deleted_date IS NULL"
    ),
    "active index": (
        "SELECT 1 AS id, to_jsonb(collection) AS state FROM embedding_models WHERE is_active AND deleted_date IS NULL"
    ),
}
"""What is shared, with the statement that reads it: an id and a state for each row."""

OF_TESTS: Final = frozenset({"PYTEST_CURRENT_TEST"})
"""Environment variables that pytest itself changes."""


@asynccontextmanager
async def unchanged(pool: asyncpg.Pool) -> AsyncIterator[None]:
    """Compares what is shared before and after the block.

    Accounts and groups that the block adds are its own; settings, defaults and the active index are everybody's.

    Raises:
        AssertionError: Something has changed; it is named with its value before and after.
    """
    before = await _read(pool)
    yield
    after = await _read(pool)
    changes = [
        f"{name} {number}: {state!r} became {after[name].get(number)!r}"
        for name, rows in before.items()
        for number, state in rows.items()
        if after[name].get(number) != state
    ]
    alone = set(before) - {"accounts", "groups of accounts", "environment"}
    changes += [f"{name}: {after[name]!r} is new" for name in sorted(alone) if after[name] and not before[name]]
    changes += [f"environment: {name} is new" for name in after["environment"].keys() - before["environment"].keys()]
    assert not changes, "left behind for other modules (put it back by a fixture): " + "; ".join(changes)


async def _read(pool: asyncpg.Pool) -> dict[str, dict[Any, Any]]:
    found: dict[str, dict[Any, Any]] = {
        name: {row["id"]: row["state"] for row in await pool.fetch(statement)} for name, statement in STATE.items()
    }
    found["environment"] = {name: value for name, value in os.environ.items() if name not in OF_TESTS}
    return found
