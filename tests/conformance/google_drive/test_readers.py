"""Readers of documents from Google Drive: grants, groups, shared drives, limited folders."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from echomind_ingestor.connectors import protocol
from tests.conformance.doubles.google.organization import Organization
from tests.conformance.doubles.google.tenant import Grant


async def test_readers_are_those_at_google(org: Organization) -> None:
    inner = org.group("inner", org.eve)
    team = org.group("team", inner)
    ends = datetime.now(UTC) + timedelta(hours=1)
    org.suspended.add(org.person("sam"))
    grants = {
        "private": [],
        "person": [Grant("user", org.bob)],
        "nested": [Grant("group", team)],
        "foreign group": [Grant("group", "all@elsewhere.test")],
        "domain": [Grant("domain", "example.org", discoverable=True)],
        "domain link": [Grant("domain", "example.org")],
        "public": [Grant("anyone", discoverable=True)],
        "link": [Grant("anyone")],
        "published": [Grant("user", org.bob, view="published")],
        "expired": [Grant("user", org.bob, ends=(ends - timedelta(hours=2)).isoformat())],
        "ending": [Grant("user", org.bob, ends=ends.isoformat())],
        "deleted": [Grant("user", org.bob, deleted=True)],
    }
    nodes = {name: org.add(name, org.ann, grants=list(given)) for name, given in grants.items()}
    shared = org.folder("Shared", org.ann, grants=[Grant("user", org.bob)])
    limited = org.folder("Limited", org.ann, shared.id, is_limited=True, grants=[Grant("user", org.eve)])
    nodes["inherited"] = org.add("inherited", org.ann, shared.id)
    nodes["limited"] = org.add("limited", org.ann, limited.id)
    await org.sync()
    for name, node in nodes.items():
        assert org.readers_of(name) == org.readers(node.id), name
    assert org.readers_of("limited") == {org.ann, org.eve}


async def test_readers_of_shared_drives_come_from_the_drive_its_folders_and_the_item(org: Organization) -> None:
    drive = org.drive("Team", Grant("user", org.ann, "organizer"), Grant("user", org.bob))
    plain = org.folder("Plain", "", drive)
    limited = org.folder("Limited", "", drive, is_limited=True, grants=[Grant("user", org.eve)])
    items = [
        org.add("plain.txt", "", plain.id),
        org.add("shared.txt", "", plain.id, grants=[Grant("user", org.eve)]),
        org.add("limited.txt", "", limited.id),
    ]
    settings: dict[str, Any] = {"all_shared_drives": True}
    await org.sync(**settings)
    for item in items:
        assert org.readers_of(item.name) == org.readers(item.id)
    assert org.readers_of("limited.txt") == {org.ann, org.eve}
    org.drive_grants[drive] = [Grant("user", org.ann, "organizer")]  # not in the change log
    await org.sync(**settings)
    assert org.stored.written == []
    for item in items:
        assert org.readers_of(item.name) == org.readers(item.id)
    org.share(plain, Grant("user", org.bob))
    await org.sync(**settings)
    assert org.readers_of("plain.txt") == {org.ann, org.bob}


async def test_an_organizer_who_leaves_a_drive_loses_its_limited_folders(org: Organization) -> None:
    drive = org.drive("Team", Grant("user", org.ann, "organizer"), Grant("user", org.bob, "organizer"))
    limited = org.folder("Limited", "", drive, is_limited=True)
    org.add("limited.txt", "", limited.id)
    await org.sync(all_shared_drives=True)
    assert org.readers_of("limited.txt") == {org.ann, org.bob}
    org.drive_grants[drive].pop()
    await org.sync(all_shared_drives=True)
    assert org.readers_of("limited.txt") == {org.ann}


async def test_a_folders_new_readers_apply_to_its_descendants(org: Organization) -> None:
    folder = org.folder("Plans", org.ann, grants=[Grant("user", org.bob)])
    below = org.folder("Below", org.ann, folder.id)
    org.add("plan.txt", org.ann, below.id)
    await org.sync()
    assert org.readers_of("plan.txt") == {org.ann, org.bob}
    org.share(folder, Grant("user", org.eve))
    await org.sync()
    assert org.readers_of("plan.txt") == {org.ann, org.eve}
    assert org.stored.written == []


async def test_a_grant_that_ends_ends_without_a_change(org: Organization) -> None:
    ends = datetime.now(UTC) + timedelta(hours=1)
    node = org.add("a.txt", org.ann, grants=[Grant("user", org.bob, ends=ends.isoformat())])
    await org.sync()
    assert org.readers_of("a.txt") == {org.ann, org.bob}
    node.grants[1].ends = (ends - timedelta(hours=2)).isoformat()
    assert org.stored.cursor is not None
    org.stored.cursor["expiring"][node.id] = node.grants[1].ends  # as if the hour had passed
    await org.sync()
    assert org.readers_of("a.txt") == {org.ann}
    assert org.stored.cursor["expiring"] == {}


async def test_hidden_readers_grant_nothing(org: Organization) -> None:
    drive = org.drive("Team", Grant("user", org.ann), Grant("user", org.bob, "organizer"))
    org.add("a.txt", "", drive)
    await org.sync(all_shared_drives=True)
    assert org.readers_of("a.txt") == set()
    folder = org.folder("Bob's", org.bob, grants=[Grant("user", org.ann)])
    org.add("b.txt", org.bob, folder.id)
    org.stored.cursor = None
    await org.sync(folders=[folder.id])
    assert org.readers_of("b.txt") == set()
    assert any("nobody" in failure.message for failure in org.stored.failures)


async def test_members_who_leave_a_group_are_out_without_a_document_being_read(org: Organization) -> None:
    team = org.group("team", org.bob, org.eve)
    org.add("a.txt", org.ann, grants=[Grant("group", team)])
    await org.sync()
    assert org.readers_of("a.txt") == {org.ann, org.bob, org.eve}
    org.groups[team].remove(org.eve)
    await org.read_groups()
    assert org.readers_of("a.txt") == {org.ann, org.bob}
    del org.groups[team]
    await org.read_groups()
    assert org.readers_of("a.txt") == {org.ann}
    org.group("team", org.eve)  # another group with the same address
    await org.read_groups()
    assert org.readers_of("a.txt") == {org.ann}


async def test_groups_that_may_not_be_read_change_nothing(org: Organization) -> None:
    team = org.group("team", org.bob)
    org.add("a.txt", org.ann, grants=[Grant("group", team)])
    await org.sync()
    org.faults.always.append(("/groups/", 403, "forbidden"))
    await org.read_groups()
    (group,) = org.groups_by_key.values()
    assert not group.is_complete
    org.granted -= {scope for scope in org.granted if "group" in scope}
    with pytest.raises(protocol.SourceError, match=r"admin\.directory\.group\.readonly"):
        await org.read_groups()


async def test_without_the_right_to_read_groups_files_are_read_and_groups_grant_nobody(org: Organization) -> None:
    org.add("a.txt", org.ann, grants=[Grant("group", org.group("team", org.bob))])
    org.granted -= {scope for scope in org.granted if "group" in scope}
    await org.stored.read(org.source())
    assert any("admin.directory.group.readonly" in failure.message for failure in org.stored.failures)
    (item,) = org.stored.items.values()
    assert item.readers is not None
    assert not any(key.startswith("group:google:grp") for key in item.readers.principals)


async def test_without_permissions_none_are_read(org: Organization) -> None:
    drive = org.drive("Team", Grant("user", org.ann, "organizer"))
    org.add("a.txt", "", drive, grants=[Grant("user", org.bob)])
    await org.stored.read(org.source(syncs_permissions=False, all_shared_drives=True))
    assert org.stored.item("a.txt").readers is None
    assert org.server.count("drive.permissions.list") == 0
