"""What tests of one product share, and must leave as it was: a guard that names the module which did not."""

import gc
import os
from collections.abc import AsyncIterator, Hashable, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import asyncpg

from tests.factories.rows import Connection

FOR_EVERYBODY: Final[Mapping[str, str]] = {
    "settings of the installation": (
        "SELECT 'they' AS id, jsonb_build_object('link_sharing', link_sharing, 'memory_enabled', memory_enabled,"
        " 'local_accounts', local_accounts) AS state FROM installation_settings"
    ),
    "rules of retention": "SELECT data AS id, to_jsonb(days) AS state FROM retention_rules",
    "quotas of more than a person": (
        "SELECT id, to_jsonb(quotas) - 'last_update' AS state FROM quotas WHERE scope <> 'user'"
    ),
    "webhooks of the installation": "SELECT id, to_jsonb(is_enabled) AS state FROM webhooks WHERE is_installation",
    "default model": "SELECT 'it' AS id, to_jsonb(id) AS state FROM llms WHERE is_default AND deleted_date IS NULL",
    "default assistant": (
        "SELECT 'it' AS id, jsonb_build_object('id', id, 'config', config, 'llm_id', llm_id) AS state"
        " FROM assistants WHERE is_default AND deleted_date IS NULL"
    ),
    "active index": (
        "SELECT 'it' AS id, to_jsonb(collection) AS state FROM embedding_models"
        " WHERE is_active AND deleted_date IS NULL"
    ),
    "active reranker": "SELECT id, to_jsonb(name) AS state FROM rerankers WHERE is_active AND deleted_date IS NULL",
}
"""What applies to everybody, with the statement that reads it: an id and a state for each row. None may be added."""

OF_SOMEBODY: Final[Mapping[str, str]] = {
    # The roles of people of a sign-in provider follow what it says, and each module has providers of its own.
    "accounts": (
        "SELECT id, jsonb_build_object('roles', roles, 'active', is_active) AS state FROM users"
        " WHERE NOT EXISTS (SELECT FROM user_identities WHERE user_id = users.id)"
    ),
}
"""What belongs to somebody: a module may add rows, which are its own."""

MEMBERSHIPS: Final = (
    "SELECT (SELECT array_agg(id) FROM groups) AS groups, (SELECT array_agg(id) FROM users) AS people,"
    " (SELECT array_agg(ARRAY[user_id, group_id]) FROM group_members) AS members"
)

OF_TESTS: Final = frozenset({"PYTEST_CURRENT_TEST"})
"""Environment variables that pytest itself changes."""

State = dict[str, dict[Any, Any]]


def of_process() -> State:
    """Returns what all tests of this process share: the environment, by name, and what else one can switch."""
    return {
        "environment": {name: value for name, value in os.environ.items() if name not in OF_TESTS},
        "process": {"folder": Path.cwd(), "collects garbage": gc.isenabled()},
    }


def differences(before: State, after: State, may_be_new: Iterable[str] = ()) -> list[str]:
    """Returns what differs, in words; rows of `may_be_new` may be added."""
    changes = [
        f"{name} {row}: {state!r} became {after[name].get(row)!r}"
        for name, rows in before.items()
        for row, state in rows.items()
        if after[name].get(row) != state
    ]
    return changes + [
        f"{name}: {row} is new"
        for name, rows in after.items()
        if name not in may_be_new
        for row in rows.keys() - before[name].keys()
    ]


@asynccontextmanager
async def unchanged(pool: Connection) -> AsyncIterator[None]:
    """Compares what is shared before and after the block.

    Accounts and groups that the block adds are its own; settings, defaults and rules are everybody's.

    Raises:
        AssertionError: Something has changed; it is named with its value before and after.
    """
    before, (memberships,) = await _read(pool), await pool.fetch(MEMBERSHIPS)
    yield
    (after,) = await pool.fetch(MEMBERSHIPS)
    changes = differences(before, await _read(pool), OF_SOMEBODY) + _moved(memberships, after)
    assert not changes, "left behind for other modules (put it back by a fixture): " + "; ".join(changes)


async def _read(pool: Connection) -> State:
    """Returns the rows of everything that is shared, by their ids."""
    statements = {**FOR_EVERYBODY, **OF_SOMEBODY}
    found: State = {
        name: {row["id"]: row["state"] for row in await pool.fetch(statement)} for name, statement in statements.items()
    }
    return found | of_process()


def _moved(before: asyncpg.Record, after: asyncpg.Record) -> list[str]:
    """Returns who of the people that there were joined or left a group that there was."""
    groups, people = set(before["groups"] or ()), set(before["people"] or ())
    joined: list[set[tuple[Hashable, ...]]] = [
        {tuple(pair) for pair in each["members"] or ()} for each in (before, after)
    ]
    return [
        f"groups: the membership of {user} in {group} has changed"
        for user, group in sorted(joined[0] ^ joined[1])
        if user in people and group in groups
    ]
