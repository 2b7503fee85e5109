"""Lists of accounts: found, filtered and sorted on the server."""

from typing import Any
from uuid import uuid4

import asyncpg

from tests.drivers.client import Client, Transport
from tests.factories import rows


async def people(pool: asyncpg.Pool) -> str:
    """Makes five accounts; returns the mark by which they are found."""
    mark = uuid4().hex
    for number, (first, roles, active, days) in enumerate(
        [
            ("Ada", ["user"], True, 3),
            ("Grace", ["user", "admin"], True, 1),
            ("Edsger", ["user", "admin", "superadmin"], False, None),
            ("Barbara", ["user"], False, 2),
            ("Alan", ["user"], True, None),
        ]
    ):
        made = await rows.user(
            pool,
            user_name=f"{'bdace'[number]}-{mark}",
            email=f"{number}@{mark}.example",
            first_name=first,
            last_name="Of Tests",
            roles=roles,
            is_active=active,
            groups=[mark] if number % 2 else [],
        )
        if days is not None:
            await pool.execute(
                "UPDATE users SET last_login = now() - make_interval(days => $2) WHERE id = $1", made["id"], days
            )
    return mark


async def listed(owner: Client, via: Transport, **request: Any) -> list[str]:
    """Returns the first names in the order of the list, read in pages of two."""
    names: list[str] = []
    token = ""
    while True:
        page = await owner.call("UserService/ListUsers", request | {"pageSize": 2, "pageToken": token}, via)
        names += [user["firstName"] for user in page["users"]]
        if not (token := page.get("nextPageToken", "")):
            assert page["totalSize"] == len(names)
            return names


async def test_accounts_are_found_filtered_and_sorted(owner: Client, pool: asyncpg.Pool, via: Transport) -> None:
    mark = await people(pool)
    by: dict[str, Any] = {"query": mark.upper()}
    assert await listed(owner, via, **by) == ["Ada", "Grace", "Edsger", "Barbara", "Alan"]
    order = by | {"order": "USER_ORDER_USER_NAME"}
    assert await listed(owner, via, **order) == ["Edsger", "Ada", "Barbara", "Grace", "Alan"]
    assert await listed(owner, via, **order, descending=True) == ["Alan", "Grace", "Barbara", "Ada", "Edsger"]
    order = by | {"order": "USER_ORDER_EMAIL", "descending": True}
    assert await listed(owner, via, **order) == ["Alan", "Barbara", "Edsger", "Grace", "Ada"]
    order = by | {"order": "USER_ORDER_LAST_LOGIN", "descending": True}
    assert await listed(owner, via, **order) == ["Grace", "Barbara", "Ada", "Alan", "Edsger"]
    assert await listed(owner, via, **by, role="ROLE_ADMIN") == ["Grace", "Edsger"]
    assert await listed(owner, via, **by, state="USER_STATE_DEACTIVATED") == ["Edsger", "Barbara"]
    assert await listed(owner, via, **by, state="USER_STATE_ACTIVE", role="ROLE_ADMIN") == ["Grace"]
    assert await listed(owner, via, group=mark) == ["Grace", "Barbara"]
    assert await listed(owner, via, query=f"1@{mark}") == ["Grace"]
    assert await listed(owner, via, query="barbara of TESTS", group=mark) == ["Barbara"]
    assert (await owner.call("UserService/ListUsers", {"query": f"%{mark}"}, via)).get("users", []) == []
