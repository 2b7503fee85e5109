"""Readers of documents with source permissions, over time and after changes at the source."""

import pytest
import pytest_asyncio

from echomind_lib.access import Principal
from echomind_lib.retrieval.documents import readable_documents
from tests.conformance.double import SourceDouble
from tests.conformance.engine import Engine
from tests.factories.rows import insert


class Office:
    """A source with its connector, and accounts here of people there."""

    def __init__(self, engine: Engine, double: SourceDouble) -> None:
        self.engine, self.double = engine, double
        self.connector_id = 0
        self.accounts: dict[str, int] = {}

    async def person(self, name: str, *, is_guest: bool = False) -> str:
        """Adds somebody there and here; returns the address that they have at both."""
        email = self.double.add_person(name, is_guest=is_guest)
        values = {"user_name": name, "email": email, "is_email_verified": True}
        self.accounts[email] = (await insert(self.engine.pool, "users", values))["id"]
        return email

    async def sync(self, *, full: bool = False) -> None:
        """Syncs, the first time everything."""
        if not self.connector_id:
            setup = self.double.setup()
            setup.permission_mode = "source"
            self.connector_id = await self.engine.connect(setup, scope="org")
        sync = await self.engine.sync(self.connector_id, full=full)
        assert sync["status"] in {"completed", "needs_attention"}, sync["error"]  # the latter if nothing could be read

    async def readers(self, source_id: str) -> set[str]:
        """Returns the addresses of those who may read a file here."""
        document = (await self.engine.documents(self.connector_id))[source_id]["id"]
        found = set()
        for email, user_id in self.accounts.items():
            readable, _ = await readable_documents(self.engine.pool, Principal(user_id), [document])
            if document in readable:
                found.add(email)
        return found

    async def contents(self) -> list[tuple[int, str, str]]:
        """Returns what says whether a document was stored or is to be processed again."""
        rows = await self.engine.pool.fetch(
            "SELECT id, signature, status FROM documents WHERE connector_id = $1 ORDER BY id",
            self.connector_id,
        )
        return [tuple(row.values()) for row in rows]


@pytest_asyncio.fixture(loop_scope="session")
async def office(engine: Engine, double: SourceDouble) -> Office:
    """A source, and an active index, in which documents are readable."""
    given = {"model_id": "m", "model_name": "M", "model_dimension": 3, "sparse_encoder": "s", "chunker": "c"}
    await insert(engine.pool, "embedding_models", {**given, "is_active": True})
    return Office(engine, double)


@pytest.mark.needs("permissions")
async def test_readers_of_a_folder_read_its_descendants(office: Office) -> None:
    double = office.double
    bob, eve = await office.person("bob"), await office.person("eve")
    outer = await double.make_folder("Outer")
    inner = await double.make_folder("Inner", parent=outer)
    other = await double.make_folder("Other")
    below = await double.put("below.txt", b"Below.", folder=inner)
    beside = await double.put("beside.txt", b"Beside.")
    double.share(outer, bob)
    await office.sync()
    assert (await office.readers(below), await office.readers(beside)) == ({bob}, set())
    before = await office.contents()
    double.share(outer, eve)
    await office.sync()
    assert await office.readers(below) == {eve}, "whom a folder was shared with may read no more"
    double.share(outer)
    await office.sync()
    assert await office.readers(below) == set()
    double.share(other, bob)
    await double.move(inner, other)
    await office.sync()
    assert await office.readers(below) == {bob}, "where the folder lies now counts"
    assert await office.contents() == before, "nothing is stored or processed for a change of readers"


@pytest.mark.needs("permissions")
async def test_a_file_is_shared_and_no_longer(office: Office) -> None:
    bob = await office.person("bob")
    shared = await office.double.put("shared.txt", b"Shared.")
    private = await office.double.put("private.txt", b"Private.")
    await office.sync()
    assert await office.readers(shared) == set()
    office.double.share(shared, bob)
    await office.sync()
    assert (await office.readers(shared), await office.readers(private)) == ({bob}, set())
    office.double.share(shared)
    await office.sync()
    assert await office.readers(shared) == set()


@pytest.mark.needs("permissions")
async def test_members_of_a_group_and_of_those_in_it_read_what_it_may(office: Office) -> None:
    double = office.double
    bob, eve = await office.person("bob"), await office.person("eve")
    inner = double.add_group(eve)
    group = double.add_group(bob, inner)
    shared = await double.put("shared.txt", b"Shared.")
    double.share(shared, group)
    await office.sync()
    assert await office.readers(shared) == {bob, eve}
    before = await office.contents()
    double.set_group(inner)
    await office.sync()
    assert await office.readers(shared) == {bob}, "who has left the group is out with the next sync"
    double.set_group(group)
    await office.sync()
    assert await office.readers(shared) == set()
    double.set_group(group, eve)
    await office.sync()
    assert await office.readers(shared) == {eve}
    assert await office.contents() == before


@pytest.mark.needs("permissions")
async def test_whom_nobody_here_is_may_not_be_anybody(office: Office) -> None:
    await office.person("bob")
    stranger = office.double.add_person("stranger")
    shared = await office.double.put("shared.txt", b"Shared.")
    office.double.share(shared, stranger)
    await office.sync()
    assert await office.readers(shared) == set()
    # An account with that address is mapped only after the address is verified.
    values = {"user_name": "stranger", "email": stranger, "is_email_verified": False}
    office.accounts[stranger] = (await insert(office.engine.pool, "users", values))["id"]
    assert await office.readers(shared) == set()
    await office.engine.pool.execute("UPDATE users SET is_email_verified = true WHERE email = $1", stranger)
    assert await office.readers(shared) == {stranger}


@pytest.mark.needs("permissions")
async def test_a_sharing_link_grants_no_access_and_the_organization_has_no_guests(office: Office) -> None:
    double = office.double
    bob, guest = await office.person("bob"), await office.person("guest", is_guest=True)
    expected: dict[str, set[str]] = {"link": set(), "organization": {bob}, "public": {bob, guest}}
    files = {audience: await double.put(f"{audience}.txt", b"Text.") for audience in sorted(double.audiences)}
    for audience, source_id in files.items():
        double.share(source_id, audience=audience)
    await office.sync()
    assert {audience: await office.readers(each) for audience, each in files.items()} == {
        audience: expected[audience] for audience in files
    }


@pytest.mark.needs("permissions")
async def test_missing_readers_mean_nobody(office: Office) -> None:
    double = office.double
    bob = await office.person("bob")
    folder = await double.make_folder("Folder")
    double.share(folder, bob)
    shared = await double.put("shared.txt", b"Shared.", folder=folder)
    await office.sync()
    assert await office.readers(shared) == {bob}
    double.hide_readers(shared)
    await office.sync()
    assert await office.readers(shared) == set(), "neither those that it had nor those of its folder"
    double.hide_readers(shared, hidden=False)
    await office.sync()
    assert await office.readers(shared) == {bob}


@pytest.mark.needs("members")
async def test_members_of_a_place_read_its_content(office: Office) -> None:
    bob, eve = await office.person("bob"), await office.person("eve")
    office.double.set_members(bob)
    source_id = await office.double.put("Subject", b"Text.")
    await office.sync()
    assert await office.readers(source_id) == {bob}
    before = await office.contents()
    office.double.set_members(eve)
    await office.sync()
    assert await office.readers(source_id) == {eve}
    office.double.set_members()
    await office.sync()
    assert await office.readers(source_id) == set()
    assert await office.contents() == before
