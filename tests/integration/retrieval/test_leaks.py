"""Nobody is shown what they may not read: ten thousand reads by fifty people, with changes in between.

The figures are in docs/guide/scopes-and-permissions.md.
"""

import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from echomind_api.dependencies import Dependencies
from echomind_api.sources.documents import Documents
from echomind_api.streams.user_feeds import UserFeeds, UserSubscriber
from echomind_ingestor.connectors.protocol import ANONYMOUS, UNKNOWN, Group, GroupPage, Person, Readers
from echomind_ingestor.pipeline.scopes import DocumentReaders
from echomind_ingestor.sync.groups import GroupReading, named_groups
from echomind_ingestor.sync.permissions import apply_people, apply_readers, encode_readers
from echomind_lib.access import Principal
from echomind_lib.contract import CallContext
from echomind_lib.conversations.messages import list_messages
from echomind_lib.db.database import Database
from echomind_lib.errors import NotFoundError
from echomind_lib.jobs import Job
from echomind_lib.models.public import (
    CountDocumentsRequest,
    GetDocumentRequest,
    GetDocumentTextRequest,
    ListDocumentChunksRequest,
    ListDocumentFoldersRequest,
    ListDocumentsRequest,
)
from tests.drivers.stack import Stack
from tests.factories import rows as make

READS = 10_000
PEOPLE = 50
DEPARTMENTS = ("sales", "research", "board")
TOPICS = ("budget", "merger", "garage", "canteen", "leave", "travel")
GROUPS = tuple(f"group:t:{number}" for number in range(8))
FOLDERS = tuple(f"f{number}" for number in range(6))


@dataclass
class Connector:
    """A connector, as the oracle knows it."""

    id: int
    scope: str
    scope_id: str | None
    owner: int
    by_source: bool
    folders: dict[str, tuple[str, Readers]] = field(default_factory=dict)
    members: dict[str, frozenset[str]] = field(default_factory=dict)


@dataclass
class Document:
    """A document, as the oracle knows it."""

    id: int
    connector: Connector
    folder: str = ""
    readers: Readers = UNKNOWN


class World:
    """What there is, in the servers and once more in plain Python."""

    def __init__(self, stack: Stack, database: Database, dice: random.Random) -> None:
        self.stack, self.pool, self.dice = stack, stack.pool, dice
        self.people: list[Principal] = []
        self.person_of: dict[int, str] = {}
        self.unverified: set[int] = set()
        self.inactive: set[int] = set()
        self.connectors: list[Connector] = []
        self.documents: dict[int, Document] = {}
        self.follow = DocumentReaders(stack.pool, stack.indexes)
        bus = cast("Any", None)
        given = SimpleNamespace(
            database=database,
            bus=bus,
            objects=stack.objects,
            vectors=stack.vectors,
            settings=SimpleNamespace(api=SimpleNamespace(max_upload_bytes=1)),
        )
        self.api = Documents(cast("Dependencies", given), bus, bus, bus)
        self.feeds = UserFeeds(stack.pool, bus)

    def may_read(self, reader: Principal, document: Document) -> bool:
        """The rule, said once more."""
        connector = document.connector
        in_scope = {
            "org": True,
            "group": connector.scope_id in reader.groups,
            "user": connector.owner == reader.user_id,
        }[connector.scope]
        if not in_scope or not connector.by_source:
            return in_scope
        return reader.user_id not in self.inactive and bool(self.granted(document) & self.held(reader, connector))

    def granted(self, document: Document) -> set[str]:
        found: set[str] = set()
        folder, readers = document.folder, document.readers
        while readers.is_known:
            found |= readers.principals
            if not readers.inherits or folder not in document.connector.folders:
                break
            folder, readers = document.connector.folders[folder]
        return found

    def held(self, reader: Principal, connector: Connector) -> set[str]:
        held = {ANONYMOUS}
        if reader.user_id not in self.unverified:
            held.add(self.person_of[reader.user_id])
        size = 0
        while size != len(held):
            size = len(held)
            held |= {key for key, members in connector.members.items() if members & held}
        return held

    def some_readers(self, *, inherits: float = 0.6) -> Readers:
        if self.dice.random() < 0.1:
            return Readers(is_known=False)
        keys = [*self.dice.sample(list(self.person_of.values()), self.dice.randint(0, 2))]
        keys += self.dice.sample(GROUPS, self.dice.randint(0, 2))
        keys += [ANONYMOUS] if self.dice.random() < 0.05 else []
        return Readers(principals=frozenset(keys), inherits=self.dice.random() < inherits)

    async def build(self) -> None:
        for number in range(PEOPLE):
            groups = self.dice.sample(DEPARTMENTS, self.dice.randint(0, 2))
            is_verified = self.dice.random() < 0.85
            user_id = (await make.user(self.pool, groups=groups, is_email_verified=is_verified))["id"]
            self.people.append(Principal(user_id, groups=frozenset(groups)))
            self.person_of[user_id] = f"user:t:{number}"
            if not is_verified:
                self.unverified.add(user_id)
        for scope, by_source in (("org", True), ("group", True), ("org", False), ("group", False), ("user", False)):
            scope_id = self.dice.choice(DEPARTMENTS) if scope == "group" else None
            owner = self.dice.choice(self.people).user_id
            connector = Connector(
                await self.stack.rows.connector(scope, scope_id, owner), scope, scope_id, owner, by_source
            )
            self.connectors.append(connector)
            if by_source:
                await self.begin_source(connector)
            for number in range(16 if by_source else 6):
                await self.add_document(connector, number)

    async def begin_source(self, connector: Connector) -> None:
        await self.pool.execute("UPDATE connectors SET permission_mode = 'source' WHERE id = $1", connector.id)
        emails = {row["id"]: row["email"] for row in await self.pool.fetch("SELECT id, email FROM users")}
        people = [Person(key=key, email=emails[user_id]) for user_id, key in self.person_of.items()]
        await apply_people(self.pool, connector.id, people)
        for number, folder in enumerate(FOLDERS):
            await self.put_folder(connector, folder, self.dice.choice(("", *FOLDERS[:number])))

    async def put_folder(self, connector: Connector, folder: str, parent: str) -> None:
        readers = self.some_readers()
        connector.folders[folder] = (parent, readers)
        async with self.pool.acquire() as connection, connection.transaction():
            await connection.execute(
                "INSERT INTO source_folders (connector_id, source_id, parent_source_id, name, source_readers) "
                "VALUES ($1, $2, $3, $2, $4) ON CONFLICT (connector_id, source_id) "
                "DO UPDATE SET parent_source_id = $3, source_readers = $4",
                connector.id,
                folder,
                parent,
                encode_readers(readers),
            )
            await apply_readers(connection, connector.id, folders=[folder], documents=[])

    async def add_document(self, connector: Connector, number: int) -> None:
        topics = self.dice.sample(TOPICS, 3)
        text = "\n\n".join(f"What connector {connector.id} says about the {topic} is a secret." for topic in topics)
        document_id = await self.stack.add(text, f"folder/{number}.txt", connector_id=connector.id)
        document = self.documents[document_id] = Document(document_id, connector)
        if connector.by_source:
            await self.move_document(document)
        await self.stack.process(document_id)

    async def move_document(self, document: Document) -> None:
        document.folder, document.readers = self.dice.choice(("", *FOLDERS)), self.some_readers()
        async with self.pool.acquire() as connection, connection.transaction():
            await connection.execute(
                "UPDATE documents SET folder_source_id = $2, source_readers = $3 WHERE id = $1",
                document.id,
                document.folder,
                encode_readers(document.readers),
            )
            await apply_readers(connection, document.connector.id, folders=[], documents=[document.id])

    async def read_groups(self, connector: Connector) -> None:
        for key in self.dice.sample(GROUPS, 3):
            people = self.dice.sample(list(self.person_of.values()), self.dice.randint(0, 8))
            connector.members[key] = frozenset([*people, *self.dice.sample(GROUPS, self.dice.randint(0, 2))])
        reading = GroupReading(self.pool, connector.id, await named_groups(self.pool, connector.id))
        groups = [Group(key=key, members=members) for key, members in connector.members.items()]
        await reading.apply(GroupPage(groups=groups, is_complete=True))

    async def change(self) -> None:
        """Something changes: at the source, in a sync, or here."""
        connector = self.dice.choice([each for each in self.connectors if each.by_source])
        match self.dice.randint(0, 5):
            case 0:
                await self.put_folder(connector, folder := self.dice.choice(FOLDERS), connector.folders[folder][0])
            case 1:
                of_source = [each for each in self.documents.values() if each.connector is connector]
                await self.move_document(self.dice.choice(of_source))
            case 2:
                await self.read_groups(connector)
            case 3:
                user_id = self.dice.choice(self.people).user_id
                is_active = user_id in self.inactive
                (self.inactive.discard if is_active else self.inactive.add)(user_id)
                await self.pool.execute("UPDATE users SET is_active = $2 WHERE id = $1", user_id, is_active)
            case 4:
                user_id = self.dice.choice(self.people).user_id
                is_verified = user_id in self.unverified
                (self.unverified.discard if is_verified else self.unverified.add)(user_id)
                await self.pool.execute("UPDATE users SET is_email_verified = $2 WHERE id = $1", user_id, is_verified)
            case _:
                # Chunks follow; until they do, PostgreSQL's word holds.
                await self.follow.work(cast("Job", SimpleNamespace(subject_id=str(connector.id))))


class Reads:
    """The ways to read, each of which returns the documents that it has shown."""

    def __init__(self, world: World, session_id: int) -> None:
        self.world, self.stack, self.session_id = world, world.stack, session_id

    async def search(self, reader: Principal) -> set[int]:
        dice = self.world.dice
        question = f"What does connector {dice.choice(self.world.connectors).id} say about the {dice.choice(TOPICS)}?"
        mode: Any = dice.choice(["hybrid", "dense", "lexical", "lexical"])
        return {hit.document_id for hit in await self.stack.retriever.search(reader, question, limit=30, mode=mode)}

    async def passage(self, reader: Principal) -> set[int]:
        return await self._one(lambda document_id: self.stack.retriever.read(reader, document_id, 0, 10))

    async def title(self, reader: Principal) -> set[int]:
        call = CallContext(principal=reader)
        return await self._one(lambda one: self.world.api.get_document(GetDocumentRequest(id=one), call))

    async def text(self, reader: Principal) -> set[int]:
        call = CallContext(principal=reader)
        return await self._one(lambda one: self.world.api.get_document_text(GetDocumentTextRequest(id=one), call))

    async def chunks(self, reader: Principal) -> set[int]:
        call = CallContext(principal=reader)
        return await self._one(lambda one: self.world.api.list_document_chunks(ListDocumentChunksRequest(id=one), call))

    async def download(self, reader: Principal) -> set[int]:
        return await self._one(lambda one: self.world.api.find(CallContext(principal=reader), one))

    async def listing(self, reader: Principal) -> set[int]:
        request = ListDocumentsRequest(page_size=1000)
        found = await self.world.api.list_documents(request, CallContext(principal=reader))
        return {document.id for document in found.documents}

    async def counts(self, reader: Principal) -> set[int]:
        """Counts are compared with those that the reader may be told."""
        counted = await self.world.api.count_documents(CountDocumentsRequest(), CallContext(principal=reader))
        allowed = {each.id for each in self.world.documents.values() if self.world.may_read(reader, each)}
        assert counted.total == len(allowed)
        assert sum(each.documents for each in counted.connectors) == len(allowed)
        return allowed

    async def folders(self, reader: Principal) -> set[int]:
        """Folders, too, are counted."""
        connector = self.world.dice.choice(self.world.connectors)
        of_connector = [each for each in self.world.documents.values() if each.connector is connector]
        allowed = {each.id for each in of_connector if self.world.may_read(reader, each)}
        try:
            request = ListDocumentFoldersRequest(connector_id=connector.id)
            found = await self.world.api.list_document_folders(request, CallContext(principal=reader))
        except NotFoundError:
            return set()
        assert sum(each.documents for each in found.folders) == len(allowed)
        return allowed

    async def citations(self, reader: Principal) -> set[int]:
        """Of a conversation that cites and attaches everything."""
        messages = await list_messages(self.stack.pool, reader, self.session_id, 0, 10, all_branches=True)
        cited = {each.document_id or 0 for one in messages for each in one.citations if each.title or each.snippet}
        return cited | {each.document_id for one in messages for each in one.attachments if each.title}

    async def events(self, reader: Principal) -> set[int]:
        """Who is told of a change of a document."""
        subscriber = UserSubscriber(reader)
        self.world.feeds._subscribers = {reader.user_id: {subscriber}}
        document_id = self.world.dice.choice(list(self.world.documents))
        return {document_id} if await self.world.feeds._readers(document_id) else set()

    async def _one(self, read: Callable[[int], Awaitable[object]]) -> set[int]:
        document_id = self.world.dice.choice(list(self.world.documents))
        try:
            await read(document_id)
        except NotFoundError:
            return set()
        return {document_id}


@pytest.mark.timeout(300)
async def test_ten_thousand_reads_show_nothing_foreign(stack: Stack, database: Database) -> None:
    dice = random.Random(20)
    world = World(stack, database, dice)
    await world.build()
    session_id = (await make.chat_session(stack.pool))["id"]
    ids = list(world.documents)
    message = await make.chat_message(stack.pool, chat_session_id=session_id, role="assistant", document_ids=ids)
    for document_id in ids:
        given = {"document_id": document_id, "title": "T", "snippet": "S"}
        await make.citation(stack.pool, chat_message_id=message["id"], **given)
    reads = Reads(world, session_id)
    ways = [reads.passage, reads.title, reads.text, reads.chunks, reads.download]
    ways += [reads.listing, reads.counts, reads.folders, reads.citations, reads.events]
    shown: Counter[str] = Counter()
    for number in range(READS):
        if number % 50 == 0:
            await world.change()
        reader = dice.choice(world.people)
        way = reads.search if number % 20 == 0 else dice.choice(ways)
        found = await way(reader)
        foreign = [each for each in found if not world.may_read(reader, world.documents[each])]
        assert foreign == [], (way.__name__, reader.user_id, foreign)
        shown[way.__name__] += len(found)
    assert all(shown[way.__name__] for way in [*ways, reads.search]), shown
    # And what people may read is found, once chunks have followed.
    for connector in world.connectors:
        await world.follow.work(cast("Job", SimpleNamespace(subject_id=str(connector.id))))
    for reader in world.people:
        allowed = {each.id for each in world.documents.values() if world.may_read(reader, each)}
        found = {
            hit.document_id for hit in await stack.retriever.search(reader, "What connector says secret?", limit=300)
        }
        assert found == allowed
