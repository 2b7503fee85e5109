"""Nobody is shown what they may not read: ten thousand reads by fifty people, with changes in between.

The figures are in docs/guide/scopes-and-permissions.md.
"""

import hashlib
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from echomind_agent.tools.documents import search_documents
from echomind_api.conversations.access import require_session
from echomind_api.dependencies import Dependencies
from echomind_api.knowledge.knowledge import Knowledge
from echomind_api.notebooks.sessions import list_notebook_sessions
from echomind_api.notebooks.sources import list_sources
from echomind_api.sources.documents import Documents
from echomind_api.streams.user_feeds import UserFeeds, UserSubscriber
from echomind_ingestor.connectors.protocol import ANONYMOUS, UNKNOWN, Group, GroupPage, Person, Readers
from echomind_ingestor.facts.indexing import FactIndexing
from echomind_ingestor.pipeline.scopes import DocumentReaders
from echomind_ingestor.sync.groups import GroupReading, named_groups
from echomind_ingestor.sync.permissions import apply_people, apply_readers, encode_readers
from echomind_lib.access import Principal
from echomind_lib.contract import CallContext
from echomind_lib.conversations.messages import list_messages
from echomind_lib.conversations.shares import open_share
from echomind_lib.db.database import Database
from echomind_lib.errors import NotFoundError, PermissionDeniedError
from echomind_lib.facts import FactVectors
from echomind_lib.jobs import INDEX_FACTS, Job, enqueue, lease
from echomind_lib.knowledge.learned import newest_own
from echomind_lib.knowledge.search import KnowledgeSearch
from echomind_lib.models.public import (
    CountDocumentsRequest,
    GetDocumentRequest,
    GetDocumentTextRequest,
    GetKnowledgeRequest,
    GetKnowledgeReviewRequest,
    ListDocumentChunksRequest,
    ListDocumentFoldersRequest,
    ListDocumentsRequest,
    ListKnowledgeProposalsRequest,
    ListKnowledgeRequest,
    ListNotebookSessionsRequest,
    SearchKnowledgeRequest,
)
from tests.drivers.agent import Agent
from tests.drivers.memory_reads import MemoryReads
from tests.drivers.model_server import ModelServer, Text, Tools, Turn
from tests.drivers.stack import Stack
from tests.factories import rows as make
from tests.factories.notebooks import notebook
from tests.factories.questions import ask

READS = 10_000
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
        self.notebook_id = 0
        self.sessions: dict[int, tuple[int, frozenset[int]]] = {}
        """Owners of conversations of the notebook, and the documents that these have drawn on."""
        self.knowledge: dict[int, tuple[int | None, frozenset[int]]] = {}
        """Owners of entities, None for everybody's, and the documents that these were drawn from."""
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
        self.facts = FactVectors(stack.pool, stack.vectors, stack.embeddings)
        self.entities = Knowledge(database, bus, KnowledgeSearch(stack.pool, self.facts))
        self.api = Documents(cast("Dependencies", given), bus, bus, bus)
        self.feeds = UserFeeds(stack.pool, bus)

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
        await self.begin_notebook()
        await self.begin_knowledge()

    async def begin_notebook(self) -> None:
        """A notebook of everybody's, with all documents, where everybody has a conversation with a link to it."""
        ids = [person.user_id for person in self.people]
        roles: Any = dict.fromkeys(ids, "viewer") | {ids[0]: "owner"}
        self.notebook_id = await notebook(self.pool, roles, documents=list(self.documents))
        for user_id in ids:
            session_id = (
                await make.chat_session(self.pool, user_id=user_id, notebook_id=self.notebook_id, title="Secret")
            )["id"]
            drawn = frozenset(self.dice.sample(list(self.documents), self.dice.randint(1, 2)))
            self.sessions[session_id] = user_id, drawn
            for document_id in drawn:
                source = {"document_id": document_id, "connector_id": self.documents[document_id].connector.id}
                await make.session_source(self.pool, chat_session_id=session_id, **source)
            message = await make.chat_message(self.pool, chat_session_id=session_id, role="assistant")
            link = {"user_id": user_id, "head_message_id": message["id"], "token_hash": token_of(session_id)}
            await make.session_share(self.pool, chat_session_id=session_id, **link)

    async def begin_knowledge(self) -> None:
        """Everybody has two entities of their own, of which some are proposed, and there are as many of everybody's."""
        for number, person in enumerate(4 * self.people):
            topic, is_own = TOPICS[number % len(TOPICS)], number % 2 == 0
            drawn = frozenset(self.dice.sample(list(self.documents), self.dice.randint(1, 2)))
            values: dict[str, Any] = {"user_id": person.user_id, "level": "individual" if is_own else "organization"}
            if number % 10 == 0:
                values |= {"review_status": "proposed", "proposed_level": "organization"}
            content = f"What entity {number} says about the {topic} is a secret."
            row = await make.knowledge(self.pool, content=content, **values)
            self.knowledge[row["id"]] = person.user_id if is_own else None, drawn
            for document_id in drawn:
                source = {"document_id": document_id, "connector_id": self.documents[document_id].connector.id}
                await make.insert(self.pool, "knowledge_sources", {"knowledge_id": row["id"], **source})
        await enqueue(self.pool, INDEX_FACTS)
        job = await lease.claim(self.pool, [INDEX_FACTS], self.stack.worker_id)
        assert job is not None
        await FactIndexing(self.pool, self.facts).work(job)
        await lease.complete(self.pool, job, again_after=3600)

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


def token_of(session_id: int) -> bytes:
    return hashlib.sha256(f"session {session_id}".encode()).digest()


Way = Callable[[Principal], Awaitable[set[int]]]


class Reads:
    """The ways to read, each of which returns the documents that it has shown."""

    def __init__(self, world: World, agent: Agent, session_id: int) -> None:
        self.world, self.stack, self.agent, self.session_id = world, world.stack, agent, session_id
        may_read, may_open, may_cite, may_manage = world.may_read, world.may_open, world.may_cite, world.may_manage
        self.ways: list[tuple[Way, int, Callable[[Principal, Document], bool]]] = [
            (self.search, 400, may_read),
            (self.passage, 950, may_read),
            (self.knowledge, 200, may_manage),
            (self.knowledge_list, 100, may_manage),
            (self.knowledge_search, 100, may_read),
            (self.knowledge_queue, 100, may_manage),
            (self.knowledge_learned, 50, may_read),
            (self.events, 1200, may_read),
            (self.citations, 1000, may_cite),
            (self.title, 700, may_open),
            (self.text, 600, may_open),
            (self.chunks, 600, may_open),
            (self.download, 600, may_open),
            (self.listing, 300, may_open),
            (self.counts, 300, may_open),
            (self.folders, 300, may_open),
            (self.replay, 700, may_manage),
            (self.notebook_sessions, 150, may_cite),
            (self.notebook_sources, 150, may_read),
            (self.share, 450, may_cite),
            (self.answer, 50, may_read),
        ]
        """The ways, how often each is gone, and the rule of what may be shown there."""

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
        allowed = {each.id for each in self.world.documents.values() if self.world.may_open(reader, each)}
        assert counted.total == len(allowed)
        assert sum(each.documents for each in counted.connectors) == len(allowed)
        return allowed

    async def folders(self, reader: Principal) -> set[int]:
        """Folders, too, are counted."""
        connector = self.world.dice.choice(self.world.connectors)
        of_connector = [each for each in self.world.documents.values() if each.connector is connector]
        allowed = {each.id for each in of_connector if self.world.may_open(reader, each)}
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
        """Returns who receives a change of a document."""
        subscriber = UserSubscriber(reader)
        self.world.feeds._subscribers = {reader.user_id: {subscriber}}
        document_id = self.world.dice.choice(list(self.world.documents))
        return {document_id} if await self.world.feeds._readers(document_id) else set()

    async def replay(self, reader: Principal) -> set[int]:
        """Of what happened in somebody else's conversation, which stands behind one check for each way to read it."""
        others = [session for session, (owner, _) in self.world.sessions.items() if owner != reader.user_id]
        session_id = self.world.dice.choice(others)
        try:
            await require_session(self.world.database, CallContext(principal=reader), session_id, "read")
        except NotFoundError:
            return set()
        return set(self.world.sessions[session_id][1])

    async def knowledge(self, reader: Principal) -> set[int]:
        call, knowledge_id = CallContext(principal=reader), self.world.dice.choice(list(self.world.knowledge))
        try:
            await self.world.entities.get_knowledge(GetKnowledgeRequest(id=knowledge_id), call)
        except NotFoundError:
            return set()
        return self._drawn(reader, [knowledge_id], or_managed=True)

    async def knowledge_list(self, reader: Principal) -> set[int]:
        call = CallContext(principal=reader)
        found = await self.world.entities.list_knowledge(ListKnowledgeRequest(page_size=1000), call)
        return self._drawn(reader, [each.id for each in found.knowledge])

    async def knowledge_search(self, reader: Principal) -> set[int]:
        """Of the API and of the agent's tool, which is the same one."""
        request = SearchKnowledgeRequest(query=f"What is said about the {self.world.dice.choice(TOPICS)}?", limit=50)
        found = await self.world.entities.search_knowledge(request, CallContext(principal=reader))
        return self._drawn(reader, [hit.knowledge.id for hit in found.hits])

    async def knowledge_queue(self, reader: Principal) -> set[int]:
        """Returns the proposals, and the review of one."""
        call, entities = CallContext(principal=reader), self.world.entities
        try:
            found = await entities.list_knowledge_proposals(ListKnowledgeProposalsRequest(page_size=100), call)
            proposed = self.world.dice.choice(found.knowledge).id
            review = await entities.get_knowledge_review(GetKnowledgeReviewRequest(id=proposed), call)
        except PermissionDeniedError:
            return set()
        shown = [each.id for each in found.knowledge] + [each.knowledge.id for each in review.similar]
        return self._drawn(reader, shown, or_managed=True)

    async def knowledge_learned(self, reader: Principal) -> set[int]:
        """Returns what the model is shown when something is learned for the reader."""
        found = await newest_own(self.world.pool, reader, 10)
        return self._drawn(reader, [each.id for each in found])

    def _drawn(self, reader: Principal, ids: list[int], *, or_managed: bool = False) -> set[int]:
        """Returns what some entities were drawn from, none of which is another person's."""
        shown = [self.world.knowledge[each] for each in ids]
        is_managed = or_managed and reader.has_role("superadmin")
        assert is_managed or {owner for owner, _ in shown} <= {None, reader.user_id}
        return {one for _, drawn in shown for one in drawn}

    async def notebook_sessions(self, reader: Principal) -> set[int]:
        """Titles of others' conversations, which carry what their sources say."""
        request = ListNotebookSessionsRequest(id=self.world.notebook_id, page_size=100)
        async with self.world.database.session() as session:
            found = await list_notebook_sessions(session, reader, request)
        assert len(found.sessions) == PEOPLE
        titled = [each.chat_session_id for each in found.sessions if each.chat_session is not None]
        shown = [self.world.sessions[each] for each in titled]
        assert [owner for owner, _ in shown].count(reader.user_id) == 1, "one's own is always shown"
        return {one for owner, drawn in shown if owner != reader.user_id for one in drawn}

    async def notebook_sources(self, reader: Principal) -> set[int]:
        async with self.world.database.session() as session:
            found = await list_sources(session, reader, self.world.notebook_id)
        assert len(found) == len(self.world.documents)
        return {each.document_id or 0 for each in found if each.title or each.document_id}

    async def share(self, reader: Principal) -> set[int]:
        """Returns a link to the reader's conversation works while they may read all that it shows."""
        session_id = next(each for each, (owner, _) in self.world.sessions.items() if owner == reader.user_id)
        opened = await open_share(self.world.pool, token_of(session_id), is_signed_in=True)
        assert opened is None or reader.user_id not in self.world.inactive
        return set(self.world.sessions[session_id][1]) if opened is not None else set()

    async def answer(self, reader: Principal) -> set[int]:
        """Returns what a run finds, tells the model, cites and notes; a deactivated account asks nothing."""
        if reader.user_id in self.world.inactive:
            return set()
        sent = await ask(self.agent.log, reader.user_id, content=f"What of the {self.world.dice.choice(TOPICS)}?")
        await self.agent.wake(sent.run_id)
        final = await self.agent.end(sent.run_id)
        found = {each.document_id for each in final.finished.message.citations}
        for event in await self.agent.stored(sent.chat_session_id):
            found |= {each.document_id for each in event.sources.sources}
        drawn = "SELECT document_id FROM chat_session_sources WHERE chat_session_id = $1"
        return found | {row["document_id"] for row in await self.world.pool.fetch(drawn, sent.chat_session_id)}

    async def _one(self, read: Callable[[int], Awaitable[object]]) -> set[int]:
        document_id = self.world.dice.choice(list(self.world.documents))
        try:
            await read(document_id)
        except NotFoundError:
            return set()
        return {document_id}


def answers(body: dict[str, Any]) -> Turn:
    """Returns what the model answers: it searches, and cites what it is given."""
    if body["messages"][-1]["role"] == "tool":
        return Text("This is a secret [1]. So is this [2]. And this [3].")
    if not body.get("tools"):
        return Text("A title")
    return Tools([("search_documents", {"query": body["messages"][-1]["content"][:80], "limit": 20})])


@pytest.mark.timeout(300)
async def test_ten_thousand_reads_show_nothing_foreign(
    stack: Stack, database: Database, agent: Agent, model_server: ModelServer
) -> None:
    dice = random.Random(20)
    world = World(stack, database, dice)
    await world.build()
    session_id = (await make.chat_session(stack.pool))["id"]
    ids = list(world.documents)
    message = await make.chat_message(stack.pool, chat_session_id=session_id, role="assistant", document_ids=ids)
    for document_id in ids:
        given = {"document_id": document_id, "title": "T", "snippet": "S"}
        await make.citation(stack.pool, chat_message_id=message["id"], **given)
    model_server.respond(answers)
    agent.start([search_documents(stack.retriever)])
    reads = Reads(world, agent, session_id)
    memories = MemoryReads(world, TOPICS)
    await memories.build()
    reads.ways += [(way, times, world.may_cite) for way, times in memories.ways()]
    plan = [(way, rule) for way, times, rule in reads.ways for _ in range(times)]
    assert len(plan) == READS
    dice.shuffle(plan)
    shown: Counter[str] = Counter()
    for number, (way, rule) in enumerate(plan):
        if number % 50 == 0:
            await world.change()
        reader = dice.choice(world.people)
        found = await way(reader)
        foreign = [each for each in found if not rule(reader, world.documents[each])]
        assert foreign == [], (way.__name__, reader.user_id, foreign)
        shown[way.__name__] += len(found)
    assert all(shown[way.__name__] for way, _, _ in reads.ways), shown
    # And what people may read is found, once chunks have followed.
    for connector in world.connectors:
        await world.follow.work(cast("Job", SimpleNamespace(subject_id=str(connector.id))))
    for reader in world.people:
        allowed = {each.id for each in world.documents.values() if world.may_read(reader, each)}
        found = {
            hit.document_id for hit in await stack.retriever.search(reader, "What connector says secret?", limit=300)
        }
        assert found == allowed
