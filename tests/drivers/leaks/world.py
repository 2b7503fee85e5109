"""People, documents and who may read them, in the servers and once more in plain Python."""

import random
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

from echomind_ingestor.connectors.protocol import ANONYMOUS, UNKNOWN, Group, GroupPage, Person, Readers
from echomind_ingestor.pipeline.scopes import DocumentReaders
from echomind_ingestor.sync.groups import GroupReading, named_groups
from echomind_ingestor.sync.permissions import apply_people, apply_readers, encode_readers
from echomind_lib.access import Principal
from echomind_lib.db.database import Database
from echomind_lib.jobs import Job
from tests.drivers.stack import Stack
from tests.factories import rows as make

PEOPLE = 50
SUPERADMINS = 3
"""Of these. They open what others have, which is noted; what they search, are told and cite is theirs alone."""
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
        self.stack, self.pool, self.database, self.dice = stack, stack.pool, database, dice
        self.people: list[Principal] = []
        self.person_of: dict[int, str] = {}
        self.unverified: set[int] = set()
        self.inactive: set[int] = set()
        self.connectors: list[Connector] = []
        self.documents: dict[int, Document] = {}
        self.follow = DocumentReaders(stack.pool, stack.indexes)

    def may_read(self, reader: Principal, document: Document) -> bool:
        """Returns the rule, said once more."""
        connector = document.connector
        in_scope = {
            "org": True,
            "group": connector.scope_id in reader.groups,
            "user": connector.owner == reader.user_id,
        }[connector.scope]
        return in_scope and (not connector.by_source or self.is_source_reader(reader, document))

    def may_cite(self, reader: Principal, document: Document) -> bool:
        """As `may_read`, where superadmins count as readers of every connector, and of no source."""
        if not reader.has_role("superadmin"):
            return self.may_read(reader, document)
        return not document.connector.by_source or self.is_source_reader(reader, document)

    def may_open(self, reader: Principal, document: Document) -> bool:
        """As `may_read`, but of superadmins, who may open everything."""
        return reader.has_role("superadmin") or self.may_read(reader, document)

    def may_manage(self, reader: Principal, document: Document) -> bool:
        """As `may_cite`, but of superadmins, who open and manage what others have drawn from any document."""
        return reader.has_role("superadmin") or self.may_cite(reader, document)

    def is_source_reader(self, reader: Principal, document: Document) -> bool:
        held = self.held(reader, document.connector)
        return reader.user_id not in self.inactive and bool(self.granted(document) & held)

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
            roles = ["superadmin"] if number < SUPERADMINS else ["user"]
            values = {"groups": groups, "roles": roles, "is_email_verified": is_verified}
            user_id = (await make.user(self.pool, **values))["id"]
            self.people.append(Principal(user_id, roles=frozenset(roles), groups=frozenset(groups)))
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
                # Chunks are updated later; until then PostgreSQL decides.
                await self.follow.work(cast("Job", SimpleNamespace(subject_id=str(connector.id))))
