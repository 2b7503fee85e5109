"""OneDrive and SharePoint, against an organization that the official description of Microsoft Graph checks."""

from typing import Any

import pytest

from echomind_ingestor.connectors import protocol
from echomind_ingestor.connectors.onedrive.source import OneDriveSource
from echomind_lib.connectors.types.onedrive import OneDriveSettings
from tests.conformance.doubles.graph.tenant import TENANT_ID, Drive, Item, Json, User
from tests.drivers.graph import Organization
from tests.drivers.tables import for_each

pytestmark = pytest.mark.asyncio


class World:
    """Ada's OneDrive with a folder of three files, and Bob."""

    def __init__(self, contoso: Organization) -> None:
        self.contoso, self.tenant, self.stored = contoso, contoso.tenant, contoso.stored
        self.ada: User = self.tenant.add_user("ada@contoso.com")
        self.bob: User = self.tenant.add_user("bob@contoso.com")
        self.drive: Drive = self.tenant.add_drive(owner=self.ada)
        self.folder: Item = self.tenant.put(self.drive, "Policies", None)
        self.files = [self.tenant.put(self.drive, f"{name}.txt", name.encode(), self.folder) for name in "abc"]

    async def sync(self, *, most_pages: int | None = None, permissions: bool = True, **settings: Any) -> None:
        await self.stored.read(self.source(permissions=permissions, **settings), most_pages=most_pages)

    def source(self, *, permissions: bool = True, **settings: Any) -> OneDriveSource:
        given = OneDriveSettings(**{"people": ("ada@contoso.com",), **settings})
        return self.contoso.source(OneDriveSource, given, syncs_permissions=permissions)

    def share(self, item: Item, *permissions: Json) -> None:
        self.tenant.touch(
            self.drive,
            item,
            permissions=[{"id": str(number), "roles": ["read"], **value} for number, value in enumerate(permissions)],
        )

    def readers(self, name: str) -> set[str]:
        found = self.stored.item(name).readers
        assert found is not None
        return set(found.principals)


@pytest.fixture
def world(contoso: Organization) -> World:
    return World(contoso)


@pytest.mark.parametrize("page_size", [1, 2, 100])
async def test_lists_all_files_whatever_the_page_size(world: World, page_size: int) -> None:
    world.tenant.page_size = page_size
    world.tenant.faults.empty_pages = 1
    await world.sync()
    assert world.stored.names == {"a.txt", "b.txt", "c.txt"}
    item = world.stored.item("a.txt")
    folder = world.stored.folders[item.folder_id]
    assert folder.name == "Policies"
    assert world.stored.folders[folder.parent_id].name.endswith("OneDrive")


async def test_without_changes_nothing_is_written(world: World) -> None:
    await world.sync()
    await world.sync()
    assert world.stored.written == []
    assert world.contoso.server.downloads == 0


async def test_changes_arrive_once(world: World) -> None:
    await world.sync()
    a, b, c = world.files
    world.tenant.touch(world.drive, a, content=b"other")
    world.tenant.touch(world.drive, b, name="renamed.txt")
    world.tenant.remove(world.drive, c)
    old = world.tenant.put(world.drive, "old.txt", b"n", world.folder)
    old.modified = "2001-01-01T00:00:00Z"
    world.tenant.faults.is_repeating = True
    await world.sync()
    assert world.stored.names == {"a.txt", "renamed.txt", "old.txt"}
    assert sorted(world.stored.written) == sorted(f"{world.drive.id}/{item.id}" for item in (a, old))


async def test_removing_a_folder_removes_its_files_and_a_restored_file_returns(world: World) -> None:
    await world.sync()
    world.tenant.remove(world.drive, world.folder)
    await world.sync()
    assert world.stored.names == set()
    world.tenant.touch(world.drive, world.files[0], is_deleted=False, parent_id=world.drive.root.id)
    await world.sync()
    assert world.stored.names == {"a.txt"}


async def test_a_change_during_the_listing_is_read(world: World) -> None:
    world.tenant.page_size = 1
    await world.sync(most_pages=2)
    world.tenant.touch(world.drive, world.files[0], name="changed.txt")
    late = world.tenant.put(world.drive, "late.txt", b"l")
    await world.sync()
    await world.sync()
    assert world.stored.names == {"changed.txt", "b.txt", "c.txt", late.name}


async def test_a_listing_continues_after_each_page(world: World) -> None:
    world.tenant.page_size = 1
    for _ in range(20):
        await world.sync(most_pages=1)
        if world.stored.cursor is not None and not world.stored.cursor["is_listing"]:
            break
    assert world.stored.names == {"a.txt", "b.txt", "c.txt"}
    assert len(world.stored.written) <= 1


async def test_a_forgotten_position_starts_over(world: World) -> None:
    await world.sync()
    world.tenant.touch(world.drive, world.files[0], name="changed.txt")
    world.drive.oldest = 10_000
    with pytest.raises(protocol.CursorExpiredError):
        await world.sync()


async def test_libraries_of_a_site_and_of_a_person_are_read_together(world: World) -> None:
    library = world.tenant.add_drive("Shared Documents")
    world.tenant.put(library, "plan.txt", b"plan")
    world.tenant.add_site("sites/HR", library)
    await world.sync(sites=("https://contoso.example/sites/HR",))
    assert world.stored.names == {"a.txt", "b.txt", "c.txt", "plan.txt"}
    assert "HR: Shared Documents" in {folder.name for folder in world.stored.folders.values()}


async def test_a_place_that_cannot_be_read_removes_nothing(world: World) -> None:
    await world.sync(people=("ada@contoso.com", "gone@contoso.com"))
    assert [failure.name for failure in world.stored.failures] == ["gone@contoso.com"]
    assert world.stored.names == {"a.txt", "b.txt", "c.txt"}
    assert not world.stored.pages[-1].is_complete


async def test_a_drive_that_is_no_longer_selected_is_removed(world: World) -> None:
    library = world.tenant.add_drive("Shared Documents")
    world.tenant.put(library, "plan.txt", b"plan", world.tenant.put(library, "Folder", None))
    site = world.tenant.add_site("sites/HR", library)
    await world.sync(sites=("https://contoso.example/sites/HR",))
    world.tenant.sites[site] = ("sites/HR", [])
    await world.sync(sites=("https://contoso.example/sites/HR",))
    assert world.stored.names == {"a.txt", "b.txt", "c.txt"}


async def test_patterns_select_by_path(world: World) -> None:
    world.tenant.put(world.drive, "top.txt", b"t")
    await world.sync(include=("Policies/**",), exclude=("b.*",))
    assert world.stored.names == {"a.txt", "c.txt"}
    world.tenant.touch(world.drive, world.folder, name="Archive")
    with pytest.raises(protocol.CursorExpiredError):
        await world.sync(include=("Policies/**",), exclude=("b.*",))


async def test_what_is_no_file_says_so(world: World) -> None:
    world.tenant.put(world.drive, "Notes", None, package={"type": "oneNote"})
    world.tenant.put(world.drive, "bad.txt", b"x", malware={})
    world.tenant.put(world.drive, "link.txt", b"", remoteItem={"id": "elsewhere"})
    await world.sync()
    assert "OneNote" in world.stored.item("Notes").error
    assert "malware" in world.stored.item("bad.txt").error
    assert "link.txt" not in world.stored.names


async def test_content_is_read_without_the_token(world: World) -> None:
    await world.sync()
    async with world.source() as source:
        item = await source.find(world.stored.item("a.txt").source_id)
        assert item == world.stored.item("a.txt")
        async with source.open(item) as content:
            assert b"".join([piece async for piece in content.pieces]) == b"a"
        assert await source.find(f"{world.drive.id}/nothing") is None


async def test_an_unreadable_file_is_a_separate_error(world: World) -> None:
    await world.sync()
    world.tenant.faults.unreadable.add(world.files[0].id)
    async with world.source() as source:
        with pytest.raises(protocol.ItemError, match="cannot be downloaded"):
            async with source.open(world.stored.item("a.txt")):
                pass


OWNER = protocol.user_key("entra", "00000001-0000-4000-8000-000000000001")


@for_each(
    ("permission", "expected"),
    [
        ({"grantedToV2": {"user": {"id": "u"}}}, {protocol.user_key("entra", "u")}),
        ({"grantedToV2": {"group": {"id": "g"}}}, {protocol.group_key("entra", "g")}),
        ({"link": {"scope": "anonymous"}, "grantedToV2": {"user": {"id": "u"}}}, set()),
        ({"link": {"scope": "organization"}}, set()),
        ({"link": {"scope": "existingAccess"}}, set()),
        (
            {"link": {"scope": "users"}, "grantedToIdentitiesV2": [{"user": {"id": "u"}}]},
            {protocol.user_key("entra", "u")},
        ),
        ({"roles": ["sp.limited access"], "grantedToV2": {"user": {"id": "u"}}}, set()),
        ({"expirationDateTime": "2020-01-01T00:00:00Z", "grantedToV2": {"user": {"id": "u"}}}, set()),
        (
            {"expirationDateTime": "0001-01-01T00:00:00Z", "grantedToV2": {"user": {"id": "u"}}},
            {protocol.user_key("entra", "u")},
        ),
        ({"invitation": {"email": "guest@example.com"}}, set()),
        ({"grantedToV2": {"siteGroup": {"id": "4", "displayName": "Visitors", "loginName": "Visitors"}}}, set()),
        (
            {
                "grantedToV2": {
                    "siteUser": {
                        "loginName": "c:0o.c|federateddirectoryclaimprovider|0f0f0f0f-0000-4000-8000-000000000000"
                    }
                }
            },
            {protocol.group_key("entra", "0f0f0f0f-0000-4000-8000-000000000000")},
        ),
        (
            {
                "grantedToV2": {
                    "siteUser": {
                        "loginName": "c:0o.c|federateddirectoryclaimprovider|0f0f0f0f-0000-4000-8000-000000000000_o"
                    }
                }
            },
            set(),
        ),
        (
            {"grantedToV2": {"siteUser": {"loginName": f"c:0-.f|rolemanager|spo-grid-all-users/{TENANT_ID}"}}},
            {protocol.tenant_key("entra", TENANT_ID)},
        ),
    ],
)
async def test_readers_are_those_whom_permissions_name(world: World, permission: Json, expected: set[str]) -> None:
    world.share(world.files[0], permission)
    await world.sync()
    assert world.readers("a.txt") == {OWNER} | expected


async def test_a_shared_folder_grants_access_to_its_content(world: World) -> None:
    inner = world.tenant.put(world.drive, "Inner", None, world.folder)
    world.tenant.put(world.drive, "deep.txt", b"d", inner)
    await world.sync()
    assert world.readers("deep.txt") == {OWNER}
    world.share(world.folder, {"grantedToV2": {"user": {"id": world.bob.id}}})
    await world.sync()
    assert world.readers("deep.txt") == world.readers("a.txt") == {OWNER, protocol.user_key("entra", world.bob.id)}
    assert world.stored.written == []


async def test_a_restricted_folder_does_not_inherit_readers(world: World) -> None:
    inner = world.tenant.put(world.drive, "Inner", None, world.folder)
    world.tenant.put(world.drive, "deep.txt", b"d", inner)
    world.share(inner)
    world.share(world.folder, {"grantedToV2": {"user": {"id": world.bob.id}}})
    await world.sync()
    assert world.readers("deep.txt") == {OWNER}


async def test_unreadable_permissions_grant_nothing(world: World) -> None:
    world.tenant.faults.unreadable.add(world.files[0].id)
    await world.sync()
    readers = world.stored.item("a.txt").readers
    assert readers is not None
    assert not readers.is_known
    assert readers.principals == frozenset()
    assert "nobody may read it" in world.stored.failures[0].message


async def test_without_permissions_none_are_asked_for(world: World) -> None:
    await world.sync(permissions=False)
    assert world.stored.item("a.txt").readers is None
    assert not [path for path in world.contoso.server.requests if path.endswith("/permissions")]


async def test_groups_are_read_with_those_nested_in_them(world: World) -> None:
    guest = world.tenant.add_user("guest@example.com", is_guest=True)
    inner = world.tenant.add_group(world.bob.id, guest.id)
    outer = world.tenant.add_group(inner)
    named = [
        protocol.group_key("entra", outer),
        protocol.group_key("entra", "removed"),
        protocol.tenant_key("entra", TENANT_ID),
    ]
    groups: dict[str, protocol.Group] = {}
    people: dict[str, protocol.Person] = {}
    async with world.source() as source:
        async for page in source.groups(named):
            groups |= {group.key: group for group in page.groups}
            people |= {person.key: person for person in page.people}
            is_complete = page.is_complete
    ada, bob, guest_key = (protocol.user_key("entra", user.id) for user in (world.ada, world.bob, guest))
    assert is_complete
    assert groups[named[0]].members == {bob, guest_key}
    assert groups[named[1]] == protocol.Group(key=named[1])
    assert groups[named[2]].members == {ada, bob}
    assert people[bob].email == "bob@contoso.com"


async def test_checks_name_the_missing_right(world: World) -> None:
    async with world.source() as source:
        assert {check.status for check in await source.check()} == {"passed"}
    world.tenant.granted.remove("Sites.FullControl.All")
    async with world.source() as source:
        failed = [check for check in await source.check() if check.status == "failed"]
    assert [check.name for check in failed] == ["Read permissions of files"]
    assert "Sites.FullControl.All" in failed[0].message


async def test_a_revoked_secret_asks_to_connect_again(world: World) -> None:
    world.tenant.faults.is_revoked = True
    with pytest.raises(protocol.CredentialsRejectedError, match="secret"):
        await world.sync()


@pytest.mark.parametrize(("fault", "message"), [("is_circular", "repeat"), ("other_origin", "another server")])
async def test_links_that_lead_nowhere_end_a_sync(world: World, fault: str, message: str) -> None:
    world.tenant.page_size = 1
    setattr(world.tenant.faults, fault, "https://evil.example" if fault == "other_origin" else True)
    with pytest.raises(protocol.SourceError, match=message):
        await world.sync()


async def test_a_requested_pause_is_kept(world: World) -> None:
    world.tenant.faults.refusals = [(429, "activityLimitReached", {"Retry-After": "0"})]
    await world.sync()
    assert world.stored.names == {"a.txt", "b.txt", "c.txt"}
