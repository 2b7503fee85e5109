"""Everything of everybody, asked for by everybody else over every call of the contract.

Calls, the fields that refer to something, tables and their texts are read from the contract and the database: what is
new is tried without being named here, or fails with what to add.
"""

import asyncio
import json
import os
import time
from pathlib import Path

import pytest

from tests.drivers.client import Client
from tests.drivers.foreign.beside import try_links, try_routes, try_writes_without_reference
from tests.drivers.foreign.calls import Calls
from tests.drivers.foreign.places import NEVER_SHOWN, WITHOUT_MAKER, Maker
from tests.drivers.foreign.requests import fields
from tests.drivers.foreign.rules import EVERYBODY, OFFICE, ROOM, Place, Reader, may_change
from tests.drivers.gateway import NewUser, Process
from tests.factories.world import World

PEOPLE = {
    "alice": ("user", "north"),
    "bob": ("user", "south"),
    "ada": ("admin", "north"),
    "sue": ("superadmin", "south"),
}
REPORT = os.environ.get("ECHOMIND_LEAK_REPORT", "")
"""Where to write the figures of a thorough run; see bench/leaks.py."""
READS, WRITES = (10_000, 2_000) if REPORT else (1_500, 500)
"""The fewest that there must be."""


@pytest.mark.timeout(3000 if REPORT else 300)
@pytest.mark.usefixtures("tool_listing")
async def test_nobody_sees_or_changes_what_is_foreign(
    world: World, owner: Client, anonymous: Client, new_user: NewUser, process: Process
) -> None:
    began = time.monotonic()
    maker = Maker(world.pool, process, times=6 if REPORT else 1)
    readers = [Reader(name, role, group, await new_user(role, (group,))) for name, (role, group) in PEOPLE.items()]
    places = [Place(each.name, "user", each.client.user_id) for each in readers]
    for place, reader in zip(places, readers, strict=True):
        await maker.sources(place, reader.client, None)
        await maker.belongings(place)
    shared = [Place(group, "group", owner.user_id) for group in ("north", "south")]
    shared.append(Place(EVERYBODY, "org", owner.user_id))
    for place in shared:
        await maker.sources(place, owner, place.name if place.scope == "group" else None)
    office = Place(OFFICE, "", owner.user_id)
    await maker.office(office)
    room = Place(ROOM, "", readers[0].client.user_id)
    members = {readers[0].client.user_id: "owner", readers[1].client.user_id: "viewer"}
    await maker.room(room, members, shared[-1].rows["documents"][0]["id"])
    readers[0].rooms = readers[1].rooms = True
    places += [*shared, office, room]
    made = {table for place in places for table in place.rows}
    tables = await maker.tables()
    unmade = set(tables) - made - WITHOUT_MAKER.keys()
    assert not unmade, (
        f"Nobody has a row of {', '.join(sorted(unmade))}. Make one in Maker of tests/drivers/foreign/places.py, or say"
        " in WITHOUT_MAKER there why nothing of it can be shown."
    )
    planted = sum([await maker.plant(place) for place in places])
    found = fields(tables)
    values = {}
    for place in places:
        for table, column in {(each.table, each.column) for each in found}:
            ids = [each["id"] for each in place.rows.get(table, ()) if "id" in each]
            query = f"SELECT {column} FROM {table} WHERE id::text = ANY ($1) ORDER BY id"
            given = await world.pool.fetch(query, [str(each) for each in ids]) if ids else ()
            values[place.name, table, column] = [
                each[0] if isinstance(each[0], int) else str(each[0]) for each in given
            ]
    calls = Calls(places, readers, found, values, is_thorough=bool(REPORT))
    before = await maker.said(places)
    for reader in readers:
        await calls.all(reader, reads=True)
    await try_routes(calls, readers, places)
    after = await maker.said(places)
    calls.faults += [f"a read changed {key}" for key in before if after[key] != before[key]]
    for reader in readers:
        others = [place for place in places if place.name != reader.name]
        before = await maker.said(others)
        await calls.all(reader, reads=False)
        if reader.role != "superadmin":
            await try_writes_without_reference(calls, reader)
        after = await maker.said(others)
        changed = [
            key
            for key in before
            if after[key] != before[key] and not may_change(reader, key[0], key[1].partition(".")[0])
        ]
        calls.faults += [f"{reader.name} changed {key}" for key in changed]
    await try_links(calls, readers, places, anonymous)
    figures = {**calls.count, "texts": planted, "tables": len(made), "fields": len(found)}
    figures |= {"seconds": round(time.monotonic() - began), "leaks": len(calls.faults)}
    print(figures)  # noqa: T201 -- what people run it for
    if REPORT:
        await asyncio.to_thread(Path(REPORT).write_text, json.dumps(figures), "utf-8")
    assert not calls.faults, "\n".join(calls.faults)
    assert calls.count["reads"] >= READS
    assert calls.count["writes"] >= WRITES
    unshown = made - {table for _, table in calls.seen} - NEVER_SHOWN
    assert not unshown, f"Nobody was shown anything of {unshown}: what is planted there proves nothing."
