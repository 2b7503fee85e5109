"""Finding people and groups to share with: who finds whom, and by what."""

from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from echomind_api.accounts.directory import Directory
from echomind_api.main import Gateway
from echomind_lib.access import Principal
from echomind_lib.contract import CallContext
from echomind_lib.errors import ValidationFailedError
from echomind_lib.models.public import SearchDirectoryRequest
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser

SEARCH = "DirectoryService/SearchDirectory"


def pool_of(gateway: Gateway) -> asyncpg.Pool:
    return gateway.parts.dependencies.database.pool


async def named(pool: asyncpg.Pool, somebody: Client, first: str, last: str) -> None:
    await pool.execute("UPDATE users SET first_name = $2, last_name = $3 WHERE id = $1", somebody.user_id, first, last)


async def found(somebody: Client, query: str, via: Transport = "rest") -> list[int]:
    listed = await somebody.call(SEARCH, {"query": query}, via)
    return [person["userId"] for person in listed.get("people", [])]


async def test_people_are_found_by_parts_of_their_names(gateway: Gateway, new_user: NewUser, via: Transport) -> None:
    mark = uuid4().hex[:12]
    me, ann, ben, gone = [await new_user() for _ in range(4)]
    await named(pool_of(gateway), ann, "Zoe", f"{mark}son")
    await named(pool_of(gateway), ben, f"{mark.upper()}", "Adams")
    await named(pool_of(gateway), gone, mark, "Left")
    await named(pool_of(gateway), me, mark, "Myself")
    await pool_of(gateway).execute("UPDATE users SET is_active = FALSE WHERE id = $1", gone.user_id)
    # Those whose name begins with the text come first; neither oneself nor who has left is listed.
    assert await found(me, mark, via) == [ben.user_id, ann.user_id]
    assert await found(me, f"  zoe   {mark}SON ", via) == [ann.user_id]
    assert await found(me, f"{mark}%", via) == []
    with pytest.raises(ValidationFailedError):
        await me.call(SEARCH, {"query": "  "}, via)


async def test_an_address_is_found_in_full_by_users_and_by_parts_by_admins(
    gateway: Gateway, new_user: NewUser, via: Transport
) -> None:
    mark = uuid4().hex[:12]
    me, admin, ann = await new_user(), await new_user("admin"), await new_user()
    await pool_of(gateway).execute("UPDATE users SET email = $2 WHERE id = $1", ann.user_id, f"ann.{mark}@example.org")
    assert await found(me, mark, via) == []
    assert await found(me, f"ANN.{mark}@example.org", via) == [ann.user_id]
    (person,) = (await admin.call(SEARCH, {"query": mark}, via))["people"]
    assert person["email"] == f"ann.{mark}@example.org"
    # By their name, users get no address.
    await named(pool_of(gateway), ann, "Ann", mark)
    (person,) = (await me.call(SEARCH, {"query": mark}, via))["people"]
    assert "email" not in person


async def test_everybody_finds_their_groups_and_superadmins_all(
    new_user: NewUser, owner: Client, via: Transport
) -> None:
    mark = uuid4().hex[:12]
    me, admin = await new_user(groups=(f"{mark} sales",)), await new_user("admin")
    await new_user(groups=(f"{mark} sales", f"{mark} board"))

    async def groups(somebody: Client) -> dict[str, int]:
        listed = await somebody.call(SEARCH, {"query": mark.upper()}, via)
        return {group["name"]: group["memberCount"] for group in listed.get("groups", [])}

    assert await groups(me) == {f"{mark} sales": 2}
    assert await groups(admin) == {}
    assert await groups(owner) == {f"{mark} board": 1, f"{mark} sales": 2}


async def test_a_search_lists_twenty_and_says_that_there_are_more(gateway: Gateway, new_user: NewUser) -> None:
    mark = uuid4().hex[:12]
    me = await new_user()
    for number in range(21):
        await pool_of(gateway).execute(
            "INSERT INTO users (user_name, email) VALUES ($1, $2)",
            f"{mark}-{number:02d}",
            f"{mark}-{number}@example.org",
        )
    listed = await me.call(SEARCH, {"query": mark})
    assert len(listed["people"]) == 20
    assert listed["isTruncated"]
    assert "isTruncated" not in await me.call(SEARCH, {"query": f"{mark}-0"})


async def test_the_setting_restricts_users_to_people_of_their_groups(gateway: Gateway, new_user: NewUser) -> None:
    mark = uuid4().hex[:12]
    sales = f"sales-{mark}"
    me, ann, ben = await new_user(groups=(sales,)), await new_user(groups=(sales,)), await new_user()
    for person in (ann, ben):
        await named(pool_of(gateway), person, "Kim", mark)
    listed = await pool_of(gateway).fetch(
        "SELECT id, user_name FROM users WHERE id = ANY($1)", [ann.user_id, ben.user_id]
    )
    names: dict[int, str] = {row["id"]: row["user_name"] for row in listed}
    directory = Directory(gateway.parts.dependencies.database, "groups")

    async def search(query: str, **principal: Any) -> list[int]:
        call = CallContext(principal=Principal(me.user_id, **principal))
        listed = await directory.search_directory(SearchDirectoryRequest(query=query), call)
        return [person.user_id for person in listed.people]

    mine = frozenset({sales})
    assert await search(mark, groups=mine) == [ann.user_id]
    assert await search(names[ben.user_id], groups=mine) == [ben.user_id]
    assert ben.user_id not in await search(names[ben.user_id][:-1], groups=mine)
    assert await search(mark) == []
    assert sorted(await search(mark, roles=frozenset({"admin"}))) == sorted([ann.user_id, ben.user_id])
