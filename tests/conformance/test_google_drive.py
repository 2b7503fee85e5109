"""The Google Drive source against a double that Google's discovery documents check."""

import itertools
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio
from pydantic import SecretStr

from echomind_ingestor.connectors import throttling, tokens, vendor_client
from echomind_ingestor.connectors.google_drive.source import GoogleDriveSource
from echomind_ingestor.connectors.protocol import (
    ANONYMOUS,
    CredentialsRejectedError,
    CursorExpiredError,
    Group,
    Item,
    ItemError,
    Person,
    Readers,
    SourceContext,
    SourceError,
    SourceUnavailableError,
)
from echomind_lib.config import ConnectorSettings
from echomind_lib.connectors.oauth import OAuthGrant
from echomind_lib.connectors.types.google_drive import (
    GOOGLE_DRIVE,
    READ_SCOPE,
    GoogleDriveCredentials,
    GoogleDriveSettings,
    ServiceAccount,
)
from echomind_lib.retries import RetryPolicy
from tests.conformance.doubles.google.server import CLIENT, PRIVATE_KEY, REFRESH_TOKEN, GoogleServer
from tests.conformance.doubles.google.tenant import DOCUMENT, FOLDER, Grant, Tenant
from tests.conformance.doubles.stored import Stored
from tests.conformance.google import KEY


class Organisation(Tenant):
    """A tenant with a few people, its server, and what is stored of it."""

    def __init__(self) -> None:
        super().__init__()
        self.ann, self.bob, self.eve = self.person("ann"), self.person("bob"), self.person("eve")
        self.server = GoogleServer(self)
        self.stored = Stored()
        self.people_by_key: dict[str, Person] = {}
        self.groups_by_key: dict[str, Group] = {}
        self.saved: list[Any] = []

    def source(
        self, *, oauth: bool = False, syncs_permissions: bool = True, max_bytes: int = 10**8, **settings: Any
    ) -> GoogleDriveSource:
        credentials = (
            GoogleDriveCredentials(oauth=OAuthGrant(refresh_token=REFRESH_TOKEN, account=self.ann))
            if oauth
            else GoogleDriveCredentials(service_account=ServiceAccount(key=KEY, subject=self.ann))
        )

        async def save(replaced: Any) -> None:
            self.saved.append(replaced)

        origin = self.server.origin
        return GoogleDriveSource(
            SourceContext(
                connector_id=1,
                settings=GoogleDriveSettings(**(settings or {"my_drive": True})),
                credentials=credentials,
                syncs_permissions=syncs_permissions,
                save_credentials=save,
                find_known=self.stored.find_known,
                find_children=self.stored.find_children,
                server=ConnectorSettings(
                    google_api_url=origin,
                    google_directory_url=origin,
                    google_token_url=f"{origin}/token",
                    google_client_id=CLIENT[0],
                    google_client_secret=SecretStr(CLIENT[1]),
                ),
                max_bytes=max_bytes,
            )
        )

    async def sync(self, *, most_pages: int | None = None, **of: Any) -> Stored:
        """Reads changes, and the groups that readers name."""
        at = len(self.stored.pages)
        await self.stored.read(self.source(**of), most_pages=most_pages)
        for page in self.stored.pages[at:]:
            self.people_by_key |= {person.key: person for person in page.people}
        await self.read_groups(**of)
        return self.stored

    async def read_groups(self, **of: Any) -> None:
        readers = [item.readers for item in self.stored.items.values()]
        readers += [folder.readers for folder in self.stored.folders.values()]
        named = {key for each in readers if each for key in each.principals if not key.startswith("user:")}
        async with self.source(**of) as source:
            async for page in source.groups(sorted(named - {ANONYMOUS})):
                self.people_by_key |= {person.key: person for person in page.people}
                self.groups_by_key |= {group.key: group for group in page.groups}

    def readers_of(self, name: str) -> set[str]:
        """Returns the addresses of those who may read an item here, by what the source said."""
        return self.readers_here(self.stored.item(name))

    def readers_here(self, item: Item) -> set[str]:
        return self._resolve(item.readers, item.folder_id)

    def _resolve(self, readers: Readers | None, folder_id: str) -> set[str]:
        if readers is None or not readers.is_known:
            return set()
        found: set[str] = set()
        for key in readers.principals:
            found |= self._emails(key)
        if readers.inherits and (folder := self.stored.folders.get(folder_id)):
            found |= self._resolve(folder.readers, folder.parent_id)
        return found

    def _emails(self, key: str) -> set[str]:
        if key == ANONYMOUS:
            return set(self.people) - self.suspended
        if group := self.groups_by_key.get(key):
            return {email for member in group.members for email in self._emails(member)}
        return {self.people_by_key[key].email} if key in self.people_by_key else set()


@pytest_asyncio.fixture
async def org(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Organisation]:
    at_once = RetryPolicy(first=0.0, attempts=4, seconds=20)
    monkeypatch.setattr(vendor_client, "RETRIES", at_once)
    monkeypatch.setattr(tokens, "RETRIES", at_once)
    monkeypatch.setattr(throttling, "_gates", {})
    organisation = Organisation()
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(organisation.server.running())
        yield organisation
    assert organisation.server.violations == []


async def read(source: GoogleDriveSource, item: Item) -> tuple[bytes, str]:
    async with source, source.open(item) as content:
        return b"".join([piece async for piece in content.pieces]), content.name


def test_the_type_is_installed_and_refuses_what_would_bring_in_nothing() -> None:
    from echomind_lib.connectors import SettingsError, find_definition

    assert find_definition("google_drive") is GOOGLE_DRIVE
    GOOGLE_DRIVE.read_settings({"folders": ["https://drive.google.com/drive/u/0/folders/1AbCdEfG?usp=sharing"]})
    for wrong in (
        {},
        {"all_shared_drives": True, "shared_drives": ["0AExample"]},
        {"my_drive": True, "include": ["folder/*"]},
        {"folders": ["https://example.org/x y"]},
    ):
        with pytest.raises(SettingsError):
            GOOGLE_DRIVE.read_settings(wrong)
    for unusable in ({}, {"service_account": {"key": "{}", "subject": "ann@example.org"}}):
        with pytest.raises(SettingsError) as caught:
            GOOGLE_DRIVE.read_credentials(unusable)
        assert "{}" not in str(caught.value)
    assert PRIVATE_KEY not in repr(
        GOOGLE_DRIVE.read_credentials({"service_account": {"key": KEY, "subject": "ann@example.org"}})
    )


@pytest.mark.parametrize("page_size", [1, 1000])
async def test_everything_of_my_drive_arrives_once_and_then_nothing(org: Organisation, page_size: int) -> None:
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


async def test_changes_arrive_and_those_during_the_listing_do_too(org: Organisation) -> None:
    org.page_size = 2
    one, two, three = (org.add(f"{name}.txt", org.ann) for name in ("one", "two", "three"))
    await org.sync(most_pages=1)
    org.change(one, content=b"changed while it was listed")
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


async def test_a_folder_in_the_trash_takes_along_what_lies_in_it_and_brings_it_back(org: Organisation) -> None:
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


async def test_the_listing_goes_on_after_each_page_at_which_it_is_killed(org: Organisation) -> None:
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


async def test_shared_drives_are_read_by_their_own_logs(org: Organisation) -> None:
    drives = [org.drive(f"Drive {number}", Grant("user", org.ann, "organizer")) for number in range(12)]
    org.drive("Bob's", Grant("user", org.bob, "organizer"))
    for drive in drives:
        org.add(f"of {drive}.txt", "", drive)
    stored = await org.sync(all_shared_drives=True)
    assert len(stored.names) == 12  # more than a page of drives.list has without being asked for more
    new = org.drive("New", Grant("user", org.ann, "organizer"))
    org.add("new.txt", "", new)
    org.add("another.txt", "", drives[0])
    stored = await org.sync(all_shared_drives=True)
    assert {"new.txt", "another.txt"} <= stored.names
    org.drive_grants[drives[1]].clear()
    stored = await org.sync(all_shared_drives=True)
    assert f"of {drives[1]}.txt" not in stored.names
    assert len(stored.names) == 13


async def test_a_drive_of_the_settings_that_is_not_seen_removes_nothing(org: Organisation) -> None:
    drive = org.drive("Team", Grant("user", org.ann, "organizer"))
    org.add("a.txt", "", drive)
    stored = await org.sync(shared_drives=[drive, "0AForeign"])
    assert stored.names == {"a.txt"}
    assert not stored.pages[-1].is_complete
    assert "0AForeign" in [failure.source_id for failure in stored.failures]


async def test_folders_are_read_with_all_below_them_and_nothing_else(org: Organisation) -> None:
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


async def test_names_are_chosen_by_patterns(org: Organisation) -> None:
    for name in ("a.pdf", "Draft a.pdf", "a.zip", "in/out.pdf"):
        org.add(name, org.ann)
    stored = await org.sync(my_drive=True, include=["*.pdf"], exclude=["Draft *"])
    assert stored.names == {"a.pdf", "in/out.pdf"}


async def test_readers_are_those_at_google(org: Organisation) -> None:
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


async def test_readers_of_shared_drives_come_from_the_drive_its_folders_and_the_item(org: Organisation) -> None:
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
    org.drive_grants[drive] = [Grant("user", org.ann, "organizer")]  # in no log
    await org.sync(**settings)
    assert org.stored.written == []
    for item in items:
        assert org.readers_of(item.name) == org.readers(item.id)
    org.share(plain, Grant("user", org.bob))
    await org.sync(**settings)
    assert org.readers_of("plain.txt") == {org.ann, org.bob}


async def test_an_organizer_who_leaves_a_drive_loses_its_limited_folders(org: Organisation) -> None:
    drive = org.drive("Team", Grant("user", org.ann, "organizer"), Grant("user", org.bob, "organizer"))
    limited = org.folder("Limited", "", drive, is_limited=True)
    org.add("limited.txt", "", limited.id)
    await org.sync(all_shared_drives=True)
    assert org.readers_of("limited.txt") == {org.ann, org.bob}
    org.drive_grants[drive].pop()
    await org.sync(all_shared_drives=True)
    assert org.readers_of("limited.txt") == {org.ann}


async def test_a_folders_new_readers_hold_for_what_lies_below_it(org: Organisation) -> None:
    folder = org.folder("Plans", org.ann, grants=[Grant("user", org.bob)])
    below = org.folder("Below", org.ann, folder.id)
    org.add("plan.txt", org.ann, below.id)
    await org.sync()
    assert org.readers_of("plan.txt") == {org.ann, org.bob}
    org.share(folder, Grant("user", org.eve))
    await org.sync()
    assert org.readers_of("plan.txt") == {org.ann, org.eve}
    assert org.stored.written == []


async def test_a_grant_that_ends_ends_without_a_change(org: Organisation) -> None:
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


async def test_readers_that_are_not_shown_grant_nobody(org: Organisation) -> None:
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


async def test_members_who_leave_a_group_are_out_without_a_document_being_read(org: Organisation) -> None:
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
    org.group("team", org.eve)  # another group of the same address
    await org.read_groups()
    assert org.readers_of("a.txt") == {org.ann}


async def test_groups_that_may_not_be_read_change_nothing(org: Organisation) -> None:
    team = org.group("team", org.bob)
    org.add("a.txt", org.ann, grants=[Grant("group", team)])
    await org.sync()
    org.faults.always.append(("/groups/", 403, "forbidden"))
    await org.read_groups()
    (group,) = org.groups_by_key.values()
    assert not group.is_complete
    org.granted -= {scope for scope in org.granted if "group" in scope}
    with pytest.raises(SourceError, match=r"admin\.directory\.group\.readonly"):
        await org.read_groups()


async def test_without_the_right_to_read_groups_files_are_read_and_groups_grant_nobody(org: Organisation) -> None:
    org.add("a.txt", org.ann, grants=[Grant("group", org.group("team", org.bob))])
    org.granted -= {scope for scope in org.granted if "group" in scope}
    await org.stored.read(org.source())
    assert any("admin.directory.group.readonly" in failure.message for failure in org.stored.failures)
    (item,) = org.stored.items.values()
    assert item.readers is not None
    assert not any(key.startswith("group:google:grp") for key in item.readers.principals)


async def test_without_permissions_none_are_read(org: Organisation) -> None:
    drive = org.drive("Team", Grant("user", org.ann, "organizer"))
    org.add("a.txt", "", drive, grants=[Grant("user", org.bob)])
    await org.stored.read(org.source(syncs_permissions=False, all_shared_drives=True))
    assert org.stored.item("a.txt").readers is None
    assert org.server.count("drive.permissions.list") == 0


async def test_files_and_google_documents_are_read(org: Organisation) -> None:
    org.add("report.txt", org.ann, content=b"x" * 300_000)
    org.add("Plan", org.ann, mime_type=DOCUMENT, content=b"exported")
    stored = await org.sync()
    org.faults.broken_downloads = 2
    org.faults.expired_tokens = 1
    assert (await read(org.source(), stored.item("report.txt")))[0] == b"x" * 300_000
    plan = stored.item("Plan")
    assert plan.content_type.endswith("wordprocessingml.document")
    assert await read(org.source(), plan) == (b"exported", "Plan.docx")


async def test_what_cannot_be_read_says_why(org: Organisation) -> None:
    big = org.add("Big", org.ann, mime_type=DOCUMENT, content=b"x" * (10 * 1024 * 1024 + 1))
    org.add("Form", org.ann, mime_type="application/vnd.google-apps.form")
    org.add("locked.pdf", org.ann, can_download=False)
    org.add("huge.bin", org.ann, content=b"x" * 2000)
    org.add("fine.txt", org.ann)
    stored = await org.sync(max_bytes=1000)
    with pytest.raises(ItemError, match="at most 10 MB") as caught:
        await read(org.source(), stored.items[big.id])
    assert not caught.value.retryable
    assert "form" in stored.item("Form").error
    assert "Share, Settings" in stored.item("locked.pdf").error
    assert "1,000 bytes" in stored.item("huge.bin").error
    assert stored.item("fine.txt").error == ""


async def test_shortcuts_stand_for_their_targets_with_their_readers(org: Organisation) -> None:
    org.page_size = 2
    target = org.add("target.txt", org.bob, content=b"first", grants=[Grant("user", org.ann, "writer")])
    keyed = org.add("keyed.txt", org.bob, content=b"keyed", grants=[Grant("anyone")])
    mine = org.add("mine.txt", org.ann)
    link = org.shortcut("link", org.ann, target)
    org.shortcut("keyed link", org.ann, keyed, key="resource-key")
    org.shortcut("to mine", org.ann, mine)
    loop = org.folder("Loop", org.ann)
    org.shortcut("circle", org.ann, loop, loop.id)
    gone = org.add("gone.txt", org.bob, grants=[Grant("user", org.ann)])
    org.shortcut("dangling", org.ann, gone)
    org.delete(gone)
    stored = await org.sync()
    assert stored.names == {"link", "keyed link", "mine.txt", "dangling"}
    assert org.readers_of("link") == {org.ann, org.bob}
    assert "deleted" in stored.item("dangling").error
    assert (await read(org.source(), stored.item("link")))[0] == b"first"
    assert (await read(org.source(), stored.item("keyed link")))[0] == b"keyed"
    org.change(target, content=b"second")
    org.share(target, Grant("user", org.ann, "writer"), Grant("user", org.eve))
    stored = await org.sync()
    assert stored.written == [link.id]
    assert org.readers_of("link") == {org.ann, org.bob, org.eve}


async def test_a_forgotten_place_in_the_log_asks_for_a_full_listing(org: Organisation) -> None:
    org.add("a.txt", org.ann)
    await org.sync()
    org.forget_changes()
    with pytest.raises(CursorExpiredError):
        await org.sync()
    org.stored.cursor = None
    stored = await org.sync()
    assert stored.written == []
    assert stored.names == {"a.txt"}


async def test_a_page_token_that_is_too_old_begins_its_part_again(org: Organisation) -> None:
    org.page_size = 2
    for number in range(5):
        org.add(f"{number}.txt", org.ann)
    await org.sync(most_pages=1)
    org.server.forget_pages()
    assert len((await org.sync()).names) == 5


async def test_empty_pages_go_on_and_pages_that_repeat_do_not(org: Organisation) -> None:
    org.page_size = 2
    for number in range(5):
        org.add(f"{number}.txt", org.ann)
    org.faults.empty_pages = 1
    assert len((await org.sync()).names) == 5
    for number in range(5):
        org.add(f"new {number}.txt", org.ann)
    org.faults.is_circular = True
    with pytest.raises(SourceError, match="repeat"):
        await org.sync()


async def test_limits_of_the_rate_are_waited_for(org: Organisation) -> None:
    org.add("a.txt", org.ann)
    org.faults.refusals = [
        ("/files", 403, "userRateLimitExceeded", {"Retry-After": "0"}),
        ("/files", 429, "rateLimitExceeded", {"Retry-After": "0"}),
        ("/files", 503, "backendError", {}),
    ]
    org.faults.broken_bodies = 1
    assert (await org.sync()).names == {"a.txt"}
    org.faults.refusals = [("/changes", 429, "rateLimitExceeded", {"Retry-After": "900"})]
    with pytest.raises(SourceUnavailableError) as caught:
        await org.sync()
    assert caught.value.retry_after > 800


@pytest.mark.parametrize("oauth", [True, False])
async def test_revoked_credentials_ask_to_be_connected_again(org: Organisation, oauth: bool) -> None:
    org.add("a.txt", org.ann)
    await org.stored.read(org.source(oauth=oauth))
    assert org.stored.names == {"a.txt"}
    org.faults.is_revoked = True
    with pytest.raises(CredentialsRejectedError) as caught:
        await org.stored.read(org.source(oauth=oauth))
    for secret in (REFRESH_TOKEN, CLIENT[1], "PRIVATE KEY"):
        assert secret not in caught.value.message


async def test_a_test_tries_each_right_and_names_the_missing_one(org: Organisation) -> None:
    drive = org.drive("Team", Grant("user", org.ann, "organizer"))
    settings: dict[str, Any] = {"my_drive": True, "shared_drives": [drive]}

    async def failed(**of: Any) -> dict[str, str]:
        async with org.source(**(settings | of)) as source:
            return {check.name: check.message for check in await source.check() if check.status != "passed"}

    assert await failed() == {}
    assert list(await failed(folders=["1Missing"])) == ["Find the folder 1Missing"]
    assert list(await failed(shared_drives=[drive, "0AForeign"])) == ["Find shared drives"]
    assert list(await failed(oauth=True)) == ["Read groups"]
    for scope, name in (("group", "Read groups"), ("user", "Read users")):
        org.granted -= (missing := {each for each in org.granted if f".{scope}." in each})
        found = await failed()
        assert list(found) == [name]
        assert missing <= set(found[name].replace(",", " ").split())
        org.granted |= missing
    org.granted.clear()
    found = await failed()
    assert list(found) == ["Sign in and list files"]
    assert READ_SCOPE in found["Sign in and list files"]


async def test_an_item_is_found_by_its_id(org: Organisation) -> None:
    node, foreign = org.add("a.txt", org.ann), org.add("b.txt", org.bob, grants=[Grant("user", org.ann)])
    async with org.source() as source:
        found = await source.find(node.id)
        assert found is not None
        assert found.name == "a.txt"
        assert await source.find(foreign.id) is None
        assert await source.find("1FMissing") is None


class History:
    """Random edits of My Drive and two shared drives."""

    def __init__(self, org: Organisation, seed: int) -> None:
        self.org = org
        self.random = random.Random(seed)
        self.drives = [org.drive(f"Drive {number}", Grant("user", org.ann, "organizer")) for number in range(2)]
        self.team = org.group("team", org.bob)
        self.numbers = itertools.count()

    def expected(self) -> dict[str, tuple[str, set[str]]]:
        org = self.org
        return {
            node.id: (node.name, org.readers(node.id))
            for node in org.nodes.values()
            if node.mime_type == "text/plain" and not org.is_in_trash(node.id)
        }

    def here(self) -> dict[str, tuple[str, set[str]]]:
        return {key: (item.name, self.org.readers_here(item)) for key, item in self.org.stored.items.items()}

    def edit(self) -> None:
        org, choice = self.org, self.random.choice
        nodes = [node for node in org.nodes.values() if node.parent]
        place = choice([org.root_of(org.ann), *self.drives, *(node.id for node in nodes if node.mime_type == FOLDER)])
        action = choice(
            ["file", "file", "folder", "rename", "write", "share", "move", "trash", "delete", "member", "limit"]
        )
        if action in ("file", "folder") or not nodes:
            kind = FOLDER if action == "folder" else "text/plain"
            org.add(f"{action} {next(self.numbers)}", org.ann, place, mime_type=kind)
            return
        node = choice(nodes)
        if action == "rename":
            org.change(node, name=f"renamed {next(self.numbers)}")
        elif action == "write":
            org.change(node, content=str(next(self.numbers)).encode())
        elif action == "share":
            to = choice([Grant("user", org.bob), Grant("user", org.eve), Grant("group", self.team), Grant("anyone")])
            org.share(node, *([to] if self.random.random() < 0.7 else []))
        elif action == "move" and place not in self.below(node.id) and self.drive_of(place) == node.drive:
            org.move(node, place)
        elif action == "trash":
            org.trash(node, is_trashed=not node.is_trashed)
        elif action == "delete":
            org.delete(node)
        elif action == "member":
            org.drive_grants[self.drives[0]][1:] = choice([[], [Grant("user", org.bob)], [Grant("group", self.team)]])
        elif action == "limit" and node.mime_type == FOLDER:
            org.change(node, is_limited=not node.is_limited)

    def below(self, folder: str) -> set[str]:
        found = {folder}
        for node in [node for node in self.org.nodes.values() if node.parent == folder]:
            found |= self.below(node.id)
        return found

    def drive_of(self, place: str) -> str:
        return place if place in self.drives else self.org.nodes[place].drive


@pytest.mark.parametrize("seed", range(12))
async def test_after_any_history_what_is_stored_is_what_is_there(org: Organisation, seed: int) -> None:
    """Edits, syncs that are killed after any page, and at the end one that is not."""
    history = History(org, seed)
    settings: dict[str, Any] = {"my_drive": True, "all_shared_drives": True}
    for _ in range(15):
        for _ in range(history.random.randrange(6)):
            history.edit()
        org.page_size = history.random.choice([1, 2, 5, 1000])
        await org.sync(most_pages=history.random.choice([1, 2, 5, None, None]), **settings)
    org.page_size = 1000
    for _ in range(3):
        await org.sync(**settings)
    assert history.here() == history.expected()
