"""Readers of synced documents: effective readers, memberships, and mapping of accounts."""

import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from echomind_ingestor.connectors.protocol import ANONYMOUS, INHERITED, UNKNOWN, Group, GroupPage, Person, Readers
from echomind_ingestor.pipeline import forgotten_readers
from echomind_ingestor.pipeline.forgotten_readers import forget_readers
from echomind_ingestor.sync.groups import GroupReading, named_groups
from echomind_ingestor.sync.permissions import apply_people, apply_readers, decode_readers, encode_readers
from echomind_lib.access import Principal
from echomind_lib.db.database import Database
from echomind_lib.retrieval.documents import readable_documents
from tests.factories.rows import Rows, insert

KEYS = [f"user:t:{number}" for number in range(6)] + [f"group:t:{number}" for number in range(4)] + [ANONYMOUS]


class Source:
    """A source in the database, and what is known of it here."""

    def __init__(self, pool: asyncpg.Pool, connector_id: int) -> None:
        self.pool = pool
        self.connector_id = connector_id
        self.folders: dict[str, tuple[str, Readers | None]] = {}
        self.documents: dict[int, tuple[str, Readers | None]] = {}

    async def put_folder(self, source_id: str, parent: str, readers: Readers | None) -> None:
        self.folders[source_id] = (parent, readers)
        await self.pool.execute(
            "INSERT INTO source_folders (connector_id, source_id, parent_source_id, name, source_readers) "
            "VALUES ($1, $2, $3, $2, $4) ON CONFLICT (connector_id, source_id) "
            "DO UPDATE SET parent_source_id = $3, source_readers = $4",
            self.connector_id,
            source_id,
            parent,
            encode_readers(readers),
        )

    async def put_document(self, folder: str, readers: Readers | None, document_id: int | None = None) -> int:
        values: dict[str, Any] = {"folder_source_id": folder, "source_readers": encode_readers(readers)}
        if document_id is None:
            given = {"connector_id": self.connector_id, "source_id": f"d{len(self.documents)}", **values}
            document_id = (await insert(self.pool, "documents", given))["id"]
        else:
            await self.pool.execute(
                "UPDATE documents SET folder_source_id = $2, source_readers = $3 WHERE id = $1",
                document_id,
                *values.values(),
            )
        self.documents[document_id] = (folder, readers)
        return document_id

    async def apply(self, folders: Sequence[str] = (), documents: Sequence[int] = ()) -> int:
        async with self.pool.acquire() as connection, connection.transaction():
            return await apply_readers(connection, self.connector_id, folders=folders, documents=documents)

    async def stored(self) -> Mapping[int, set[str]]:
        found: dict[int, set[str]] = {document_id: set() for document_id in self.documents}
        for row in await self.pool.fetch(
            "SELECT document_id, key FROM document_acl JOIN source_principals ON source_principals.id = principal_id "
            "WHERE connector_id = $1",
            self.connector_id,
        ):
            found[row["document_id"]].add(row["key"])
        return found

    def expected(self, document_id: int) -> set[str]:
        """Returns the rule, said once more: one's own, and those above as far as each lets the next one in."""
        folder, readers = self.documents[document_id]
        granted: set[str] = set()
        seen: set[str] = set()
        while readers is not None and readers.is_known:
            granted |= readers.principals
            if not readers.inherits or folder in seen or folder not in self.folders:
                break
            seen.add(folder)
            folder, readers = self.folders[folder]
        return granted


@pytest_asyncio.fixture(loop_scope="session")
async def source(rows: Rows, database: Database) -> Source:
    connector_id = await rows.connector("org")
    await database.pool.execute("UPDATE connectors SET permission_mode = 'source' WHERE id = $1", connector_id)
    await forget_readers(database.pool, connector_id)
    return Source(database.pool, connector_id)


def some_readers(dice: random.Random) -> Readers | None:
    kind = dice.random()
    if kind < 0.1:
        return dice.choice([None, UNKNOWN])
    if kind < 0.4:
        return INHERITED
    return Readers(principals=frozenset(dice.sample(KEYS, dice.randint(0, 3))), inherits=dice.random() < 0.6)


@pytest.mark.parametrize("seed", range(6))
async def test_effective_readers_are_those_of_the_rule(source: Source, seed: int) -> None:
    dice = random.Random(seed)
    names = [f"f{number}" for number in range(12)]
    for _ in range(40):
        # A page: some folders and documents are new, moved or have other readers; parents may come later, or go round.
        folders = dice.sample(names, dice.randint(0, 3))
        for name in folders:
            await source.put_folder(name, dice.choice(["", *names]), some_readers(dice))
        known = dice.sample(sorted(source.documents), min(len(source.documents), dice.randint(0, 2)))
        documents = [
            await source.put_document(dice.choice(["", *names]), some_readers(dice), document_id)
            for document_id in [*known, *([None] * dice.randint(0, 2))]
        ]
        before = await source.stored()
        changed = await source.apply(folders, documents)
        after = await source.stored()
        assert after == {each: source.expected(each) for each in source.documents}
        assert changed == sum(before[each] != after[each] for each in source.documents)
    assert any(after.values())


async def test_readers_are_read_back_as_reported() -> None:
    for readers in (None, UNKNOWN, INHERITED, Readers(principals=frozenset(KEYS), inherits=True)):
        assert decode_readers(encode_readers(readers)) == readers


ALICE, BOB = "user:t:alice", "user:t:bob"
TEAM, ALL = "group:t:team", "group:t:all"


async def account(source: Source, name: str, *, is_email_verified: bool = True) -> int:
    given = {"user_name": name, "email": f"{name}@example.com", "is_email_verified": is_email_verified}
    found: int = (await insert(source.pool, "users", given))["id"]
    return found


async def reads(source: Source, user_id: int, document_id: int, *, by_source: bool = True) -> bool:
    found, _ = await readable_documents(source.pool, Principal(user_id), [document_id], by_source=by_source)
    return document_id in found


async def granted_to(source: Source, *keys: str) -> int:
    document_id = await source.put_document("", Readers(principals=frozenset(keys)))
    await source.apply(documents=[document_id])
    return document_id


async def read_groups(source: Source, *groups: Group, people: Sequence[Person] = (), is_complete: bool = True) -> None:
    reading = GroupReading(source.pool, source.connector_id, await named_groups(source.pool, source.connector_id))
    await reading.apply(GroupPage(groups=groups, people=people, is_complete=is_complete))


@pytest_asyncio.fixture(loop_scope="session")
async def index(database: Database) -> None:
    """An active index, in which documents are readable."""
    given = {"model_id": "m", "model_name": "M", "model_dimension": 3, "sparse_encoder": "s", "chunker": "c"}
    await insert(database.pool, "embedding_models", {**given, "is_active": True})


pytestmark = pytest.mark.usefixtures("index")


async def test_only_a_verified_email_identifies_a_person(source: Source) -> None:
    await apply_people(source.pool, source.connector_id, [Person(key=ALICE, email="Alice@Example.com")])
    document_id = await granted_to(source, ALICE)
    alice = await account(source, "alice", is_email_verified=False)
    assert not await reads(source, alice, document_id)
    await source.pool.execute("UPDATE users SET is_email_verified = true WHERE id = $1", alice)
    assert await reads(source, alice, document_id)
    await source.pool.execute("UPDATE users SET email = 'ALICE@example.com' WHERE id = $1", alice)
    assert await reads(source, alice, document_id), "the same address"
    await source.pool.execute("UPDATE users SET email = 'other@example.com' WHERE id = $1", alice)
    await source.pool.execute("UPDATE users SET email = 'alice@example.com' WHERE id = $1", alice)
    assert not await reads(source, alice, document_id), "a changed address is to be verified again"


async def test_a_search_that_does_not_know_of_source_permissions_yet_finds_nothing_of_theirs(source: Source) -> None:
    await apply_people(source.pool, source.connector_id, [Person(key=ALICE, email="alice@example.com")])
    document_id = await granted_to(source, ALICE)
    alice = await account(source, "alice")
    assert await reads(source, alice, document_id)
    assert not await reads(source, alice, document_id, by_source=False)
    changed = "UPDATE connectors SET permission_mode = 'scope', scope = 'org' WHERE id = $1"
    await source.pool.execute(changed, source.connector_id)
    assert await reads(source, alice, document_id, by_source=False)


async def test_two_people_with_one_email_are_unmapped_without_an_alias(source: Source) -> None:
    people = [Person(key=ALICE, email="alice@example.com"), Person(key=BOB, email="alice@example.com")]
    await apply_people(source.pool, source.connector_id, people)
    document_id = await granted_to(source, ALICE)
    alice, other = await account(source, "alice"), await account(source, "other")
    assert not await reads(source, alice, document_id)
    await insert(source.pool, "source_aliases", {"key": ALICE, "user_id": other})
    assert await reads(source, other, document_id)
    assert not await reads(source, alice, document_id), "an alias counts instead of the e-mail"


async def test_an_email_moved_to_another_account_grants_nothing_until_it_is_verified(source: Source) -> None:
    await apply_people(source.pool, source.connector_id, [Person(key=ALICE, email="alice@example.com")])
    document_id = await granted_to(source, ALICE)
    alice, bob = await account(source, "alice"), await account(source, "bob")
    change = "UPDATE users SET email = $2 WHERE id = $1"
    await source.pool.execute(change, alice, "former@example.com")
    await source.pool.execute(change, bob, "alice@example.com")
    assert [await reads(source, each, document_id) for each in (alice, bob)] == [False, False]
    await source.pool.execute("UPDATE users SET is_email_verified = true")
    assert [await reads(source, each, document_id) for each in (alice, bob)] == [False, True]
    # The source reports another address of the person, which the next sync applies.
    await apply_people(source.pool, source.connector_id, [Person(key=ALICE, email="former@example.com")])
    assert [await reads(source, each, document_id) for each in (alice, bob)] == [True, False]


async def test_an_alias_to_an_account_that_may_not_sign_in_grants_nobody(source: Source) -> None:
    await apply_people(source.pool, source.connector_id, [Person(key=ALICE, email="alice@example.com")])
    document_id = await granted_to(source, ALICE)
    alice, other = await account(source, "alice"), await account(source, "other")
    await insert(source.pool, "source_aliases", {"key": ALICE, "user_id": other})
    await source.pool.execute("UPDATE users SET is_active = false WHERE id = $1", other)
    assert [await reads(source, each, document_id) for each in (alice, other)] == [False, False]
    await source.pool.execute("UPDATE users SET is_active = true WHERE id = $1", other)
    assert [await reads(source, each, document_id) for each in (alice, other)] == [False, True]
    await source.pool.execute("DELETE FROM users WHERE id = $1", other)
    assert not await reads(source, alice, document_id), "nor does an e-mail that the alias has said is not theirs"
    await source.pool.execute("DELETE FROM source_aliases WHERE key = $1", ALICE)
    assert await reads(source, alice, document_id)


async def test_a_recreated_person_with_the_same_email_inherits_nothing(source: Source) -> None:
    successor = "user:t:alice-2"
    await apply_people(source.pool, source.connector_id, [Person(key=ALICE, email="alice@example.com")])
    document_id = await granted_to(source, ALICE)
    alice = await account(source, "alice")
    assert await reads(source, alice, document_id)
    await apply_people(source.pool, source.connector_id, [Person(key=successor, email="alice@example.com")])
    assert not await reads(source, alice, document_id), "two people with one e-mail are nobody"
    await apply_people(source.pool, source.connector_id, [Person(key=ALICE, email="")])
    assert not await reads(source, alice, document_id), "the account is the successor, whom nothing was granted"
    assert await reads(source, alice, await granted_to(source, successor))


async def test_two_accounts_of_one_address_in_two_spellings_are_one(source: Source) -> None:
    await account(source, "alice")
    given = {"user_name": "second", "email": "ALICE@example.com", "is_email_verified": True}
    with pytest.raises(asyncpg.UniqueViolationError):
        await insert(source.pool, "users", given)


async def test_claims_of_another_connector_grant_nothing(source: Source, rows: Rows) -> None:
    document_id = await granted_to(source, ALICE, TEAM)
    mallory = await account(source, "mallory")
    own = await rows.connector("user", user_id=mallory)
    await source.pool.execute("UPDATE connectors SET permission_mode = 'source' WHERE id = $1", own)
    await apply_people(source.pool, own, [Person(key=ALICE, email="mallory@example.com")])
    reading = GroupReading(source.pool, own, [])
    await reading.apply(GroupPage(groups=[Group(key=TEAM, members=frozenset({ALICE}))], is_complete=True))
    assert not await reads(source, mallory, document_id)


async def test_groups_nest_and_go_round(source: Source) -> None:
    document_id = await granted_to(source, ALL)
    alice = await account(source, "alice")
    person = Person(key=ALICE, email="alice@example.com")
    team, everybody = Group(key=TEAM, members=frozenset({ALICE, ALL})), Group(key=ALL, members=frozenset({TEAM}))
    await read_groups(source, team, everybody, people=[person])
    assert await reads(source, alice, document_id)
    await read_groups(source, Group(key=TEAM), everybody)
    assert not await reads(source, alice, document_id)


async def test_groups_that_cannot_be_read_keep_their_members_for_a_day(source: Source) -> None:
    document_id = await granted_to(source, TEAM)
    alice, bob = await account(source, "alice"), await account(source, "bob")
    people = [Person(key=ALICE, email="alice@example.com"), Person(key=BOB, email="bob@example.com")]
    await read_groups(source, Group(key=TEAM, members=frozenset({ALICE})), people=people)
    await read_groups(source, Group(key=TEAM, members=frozenset({BOB}), is_complete=False))
    assert (await reads(source, alice, document_id), await reads(source, bob, document_id)) == (True, False)
    await read_groups(source, is_complete=False)
    assert await reads(source, alice, document_id), "a listing that was not complete removes nobody"
    await source.pool.execute("UPDATE source_principals SET members_read_at = now() - interval '25 hours'")
    assert not await reads(source, alice, document_id)
    await source.pool.execute("UPDATE connectors SET refresh_freq_minutes = 1440 WHERE id = $1", source.connector_id)
    assert await reads(source, alice, document_id), "two intervals between syncs, where these are longer"


async def test_a_group_that_was_removed_has_no_members(source: Source) -> None:
    document_id = await granted_to(source, TEAM)
    alice = await account(source, "alice")
    person = Person(key=ALICE, email="alice@example.com")
    await read_groups(source, Group(key=TEAM, members=frozenset({ALICE})), people=[person])
    assert await named_groups(source.pool, source.connector_id, unread=True) == []
    await read_groups(source)
    assert not await reads(source, alice, document_id)


async def test_deactivation_scope_and_mode_hold_at_once(source: Source) -> None:
    document_id = await granted_to(source, ANONYMOUS)
    alice = await account(source, "alice")
    assert await reads(source, alice, document_id)
    change = "UPDATE connectors SET {} WHERE id = $1"
    await source.pool.execute(change.format("scope = 'user'"), source.connector_id)
    assert not await reads(source, alice, document_id), "the scope counts, too"
    await source.pool.execute(change.format("scope = 'org', permission_mode = 'scope'"), source.connector_id)
    assert await reads(source, alice, document_id)
    with pytest.raises(asyncpg.ObjectNotInPrerequisiteStateError):
        await source.pool.execute(change.format("permission_mode = 'source'"), source.connector_id)
    await forget_readers(source.pool, source.connector_id)
    await source.pool.execute(change.format("permission_mode = 'source'"), source.connector_id)
    assert not await reads(source, alice, document_id), "what was granted before does not hold again"
    await source.put_document("", Readers(principals=frozenset({ANONYMOUS})), document_id)
    await source.apply(documents=[document_id])
    assert await reads(source, alice, document_id)
    await source.pool.execute("UPDATE users SET is_active = false WHERE id = $1", alice)
    assert not await reads(source, alice, document_id)


async def test_readers_of_another_mode_are_forgotten_in_batches_whoever_dies(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker dies after each batch, the last one after it was thought dead and the mode has changed again."""

    async def dying(change: Callable[[int], Awaitable[int]], size: int) -> int:
        if changed := await change(size):
            raise ConnectionResetError
        return changed

    monkeypatch.setattr(forgotten_readers, "BATCH", 2)
    monkeypatch.setattr(forgotten_readers, "in_batches", dying)
    folder = Readers(principals=frozenset({ANONYMOUS, TEAM}))
    await source.put_folder("f", "", folder)
    ids = [await source.put_document("f", Readers(principals=frozenset({ANONYMOUS})), None) for _ in range(5)]
    await source.apply(["f"], ids)
    alice = await account(source, "alice")
    change = "UPDATE connectors SET permission_mode = $2 WHERE id = $1"
    await source.pool.execute("UPDATE documents SET readers_changed_at = NULL")
    await source.pool.execute(change, source.connector_id, "scope")
    given = "SELECT count(*) FROM documents WHERE source_readers IS NOT NULL"
    left = []
    for _ in range(20):
        left.append(await source.pool.fetchval(given))
        with suppress(ConnectionResetError):
            await forget_readers(source.pool, source.connector_id)
            break
        assert [await reads(source, alice, each) for each in ids] == [True] * 5, "as the scope says"
        with pytest.raises(asyncpg.ObjectNotInPrerequisiteStateError):
            await source.pool.execute(change, source.connector_id, "source")
    assert left[:4] == [5, 3, 1, 0]
    for table in ("document_acl", "source_principals", "source_folders WHERE source_readers IS NOT NULL"):
        assert await source.pool.fetchval(f"SELECT count(*) FROM {table}") == 0
    assert await source.pool.fetchval("SELECT count(*) FROM documents WHERE readers_changed_at IS NULL") == 0
    await source.pool.execute(change, source.connector_id, "source")
    assert [await reads(source, alice, each) for each in ids] == [False] * 5
    monkeypatch.undo()
    await forget_readers(source.pool, source.connector_id)
    await source.put_document("", Readers(principals=frozenset({ANONYMOUS})), ids[0])
    await source.apply(documents=ids[:1])
    await forget_readers(source.pool, source.connector_id)
    assert await reads(source, alice, ids[0]), "there is nothing left to forget"
