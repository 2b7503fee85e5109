"""Listings of the Google Drive source, against a double validated by Google's discovery documents."""

from datetime import UTC, datetime

import pytest

from tests.conformance.doubles.google.organization import Organization
from tests.conformance.doubles.google.tenant import Grant


@pytest.mark.parametrize("page_size", [1, 1000])
async def test_everything_of_my_drive_arrives_once_and_then_nothing(org: Organization, page_size: int) -> None:
    org.page_size = page_size
    folder = org.folder("Plans", org.ann)
    names = [f"näme {number} 100% 'q' #.txt" for number in range(7)]
    for number, name in enumerate(names):
        org.add(name, org.ann, folder.id if number % 2 else "")
    org.add("Bob's.txt", org.bob, grants=[Grant("user", org.ann)])
    stored = await org.sync()
    assert stored.names == set(names)
    assert stored.folders[folder.id].parent_id == org.root_of(org.ann)
    before = org.server.requests.copy()
    stored = await org.sync()
    assert stored.written == []
    assert stored.names == set(names)
    assert "media" not in org.server.requests[len(before) :]


async def test_changes_arrive_and_those_during_the_listing_do_too(org: Organization) -> None:
    org.page_size = 2
    first, two, three = (org.add(f"{name}.txt", org.ann) for name in ("one", "two", "three"))
    await org.sync(most_pages=1)
    org.change(first, content=b"changed while it was listed")
    org.add("late.txt", org.ann, modified=datetime(2001, 1, 1, tzinfo=UTC))
    await org.sync()
    stored = await org.sync()
    assert stored.names == {"one.txt", "two.txt", "three.txt", "late.txt"}
    folder = org.folder("Below", org.ann)
    org.move(two, folder.id)
    org.change(three, name="THREE.txt")
    version = stored.item("three.txt").version
    stored = await org.sync()
    assert stored.items[two.id].folder_id == folder.id
    assert (stored.items[three.id].name, stored.items[three.id].version) == ("THREE.txt", version)
    assert stored.written == []
    org.trash(three)
    org.delete(two)
    stored = await org.sync()
    assert stored.names == {"one.txt", "late.txt"}
    org.trash(three, is_trashed=False)
    assert "THREE.txt" in (await org.sync()).names


async def test_a_folder_in_the_trash_takes_along_what_lies_in_it_and_brings_it_back(org: Organization) -> None:
    folder = org.folder("Old", org.ann)
    below = org.folder("Older", org.ann, folder.id)
    for number in range(3):
        org.add(f"{number}.txt", org.ann, below.id)
    kept = org.add("kept.txt", org.ann, below.id)
    await org.sync()
    org.trash(folder)
    org.move(kept, org.root_of(org.ann))
    stored = await org.sync()
    assert stored.names == {"kept.txt"}
    assert below.id not in stored.folders
    org.trash(folder, is_trashed=False)
    assert (await org.sync()).names == {"0.txt", "1.txt", "2.txt", "kept.txt"}


async def test_the_listing_resumes_after_each_page_at_which_it_is_killed(org: Organization) -> None:
    org.page_size = 3
    drive = org.drive("Team", Grant("user", org.ann, "organizer"))
    folder = org.folder("Deep", org.bob, grants=[Grant("user", org.ann)])
    for number in range(8):
        org.add(f"my-{number}.txt", org.ann)
        org.add(f"drive-{number}.txt", "", drive)
        org.add(f"deep-{number}.txt", org.bob, folder.id)
    for _ in range(40):
        await org.sync(most_pages=1, my_drive=True, all_shared_drives=True, folders=[folder.id])
        if org.stored.cursor and "listing" not in org.stored.cursor:
            break
    assert len(org.stored.names) == 24
    assert all(page.is_listing for page in org.stored.pages)
    assert all(page.is_complete for page in org.stored.pages)


async def test_shared_drives_are_read_by_their_own_logs(org: Organization) -> None:
    drives = [org.drive(f"Drive {number}", Grant("user", org.ann, "organizer")) for number in range(12)]
    org.drive("Bob's", Grant("user", org.bob, "organizer"))
    for drive in drives:
        org.add(f"of {drive}.txt", "", drive)
    stored = await org.sync(all_shared_drives=True)
    assert len(stored.names) == 12  # more than the default page size of drives.list
    new = org.drive("New", Grant("user", org.ann, "organizer"))
    org.add("new.txt", "", new)
    org.add("another.txt", "", drives[0])
    stored = await org.sync(all_shared_drives=True)
    assert {"new.txt", "another.txt"} <= stored.names
    org.drive_grants[drives[1]].clear()
    stored = await org.sync(all_shared_drives=True)
    assert f"of {drives[1]}.txt" not in stored.names
    assert len(stored.names) == 13


async def test_a_drive_of_the_settings_that_is_not_seen_removes_nothing(org: Organization) -> None:
    drive = org.drive("Team", Grant("user", org.ann, "organizer"))
    org.add("a.txt", "", drive)
    stored = await org.sync(shared_drives=[drive, "0AForeign"])
    assert stored.names == {"a.txt"}
    assert not stored.pages[-1].is_complete
    assert "0AForeign" in [failure.source_id for failure in stored.failures]


async def test_folders_are_read_with_all_below_them_and_nothing_else(org: Organization) -> None:
    org.page_size = 2
    top = org.folder("Top", org.bob, grants=[Grant("user", org.ann, "writer")])
    inner = org.folder("Inner", org.bob, top.id)
    deep = org.folder("Deep", org.bob, inner.id)
    for number, folder in enumerate([top, inner, deep]):
        org.add(f"{number}.txt", org.bob, folder.id)
    outside = org.folder("Outside", org.bob, grants=[Grant("user", org.ann)])
    below = org.folder("Moves", org.bob, outside.id)
    org.add("moves.txt", org.bob, below.id)
    stored = await org.sync(folders=[top.id])
    assert stored.names == {"0.txt", "1.txt", "2.txt"}
    assert stored.folders[top.id].parent_id == ""
    org.move(below, inner.id)
    org.add("new.txt", org.bob, deep.id)
    stored = await org.sync(folders=[top.id])
    assert stored.names == {"0.txt", "1.txt", "2.txt", "moves.txt", "new.txt"}
    org.move(inner, outside.id)
    assert (await org.sync(folders=[top.id])).names == {"0.txt"}


async def test_names_are_chosen_by_patterns(org: Organization) -> None:
    for name in ("a.pdf", "Draft a.pdf", "a.zip", "in/out.pdf"):
        org.add(name, org.ann)
    stored = await org.sync(my_drive=True, include=["*.pdf"], exclude=["Draft *"])
    assert stored.names == {"a.pdf", "in/out.pdf"}
