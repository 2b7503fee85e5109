"""Reads documents, and what cites them."""

from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any, cast

from echomind_api.dependencies import Dependencies
from echomind_api.sources.documents import Documents
from echomind_api.streams.user_feeds import UserFeeds, UserSubscriber
from echomind_lib.access import Principal
from echomind_lib.contract import CallContext
from echomind_lib.conversations.messages import list_messages
from echomind_lib.errors import NotFoundError
from echomind_lib.models import public
from tests.drivers.agent import Agent
from tests.drivers.leaks.ways import Way
from tests.drivers.leaks.world import TOPICS, World
from tests.factories import rows as make
from tests.factories.questions import ask


class DocumentReads:
    """Searches, opens, lists, counts and cites documents, and hears of their changes."""

    def __init__(self, world: World, agent: Agent) -> None:
        self.world, self.stack, self.agent, self.session_id = world, world.stack, agent, 0
        bus = cast("Any", None)
        given = SimpleNamespace(
            database=world.database,
            bus=bus,
            objects=world.stack.objects,
            vectors=world.stack.vectors,
            settings=SimpleNamespace(api=SimpleNamespace(max_upload_bytes=1)),
        )
        self.api = Documents(cast("Dependencies", given), bus, bus, bus)
        self.feeds = UserFeeds(world.pool, bus)

    async def build(self) -> None:
        """Makes a conversation that cites and attaches everything."""
        self.session_id, ids = (await make.chat_session(self.stack.pool))["id"], list(self.world.documents)
        message = await make.chat_message(
            self.stack.pool, chat_session_id=self.session_id, role="assistant", document_ids=ids
        )
        for document_id in ids:
            given = {"document_id": document_id, "title": "T", "snippet": "S"}
            await make.citation(self.stack.pool, chat_message_id=message["id"], **given)

    def ways(self) -> list[Way]:
        """Returns the ways to read."""
        may_read, may_open = self.world.may_read, self.world.may_open
        return [
            Way(self.search, 400, may_read),
            Way(self.passage, 1350, may_read),
            Way(self.events, 1700, may_read),
            Way(self.citations, 1000, self.world.may_cite),
            Way(self.title, 300, may_open),
            Way(self.text, 300, may_open),
            Way(self.chunks, 300, may_open),
            Way(self.download, 300, may_open),
            Way(self.listing, 300, may_open),
            Way(self.counts, 300, may_open),
            Way(self.folders, 300, may_open),
            Way(self.answer, 50, may_read),
        ]

    async def search(self, reader: Principal) -> set[int]:
        dice = self.world.dice
        question = f"What does connector {dice.choice(self.world.connectors).id} say about the {dice.choice(TOPICS)}?"
        mode: Any = dice.choice(["hybrid", "dense", "lexical", "lexical"])
        hits = await self.stack.retriever.search(reader, question, limit=30, mode=mode)
        return {document for hit in hits for document in (hit.document_id, *hit.copy_ids)}

    async def passage(self, reader: Principal) -> set[int]:
        return await self._one(lambda document_id: self.stack.retriever.read(reader, document_id, 0, 10))

    async def title(self, reader: Principal) -> set[int]:
        call = CallContext(principal=reader)
        return await self._one(lambda item: self.api.get_document(public.GetDocumentRequest(id=item), call))

    async def text(self, reader: Principal) -> set[int]:
        call = CallContext(principal=reader)
        return await self._one(lambda item: self.api.get_document_text(public.GetDocumentTextRequest(id=item), call))

    async def chunks(self, reader: Principal) -> set[int]:
        call = CallContext(principal=reader)
        return await self._one(
            lambda item: self.api.list_document_chunks(public.ListDocumentChunksRequest(id=item), call)
        )

    async def download(self, reader: Principal) -> set[int]:
        return await self._one(lambda item: self.api.find(CallContext(principal=reader), item))

    async def listing(self, reader: Principal) -> set[int]:
        request = public.ListDocumentsRequest(page_size=1000)
        found = await self.api.list_documents(request, CallContext(principal=reader))
        return {document.id for document in found.documents}

    async def counts(self, reader: Principal) -> set[int]:
        """Counts are compared with those that the reader may be told."""
        counted = await self.api.count_documents(public.CountDocumentsRequest(), CallContext(principal=reader))
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
            request = public.ListDocumentFoldersRequest(connector_id=connector.id)
            found = await self.api.list_document_folders(request, CallContext(principal=reader))
        except NotFoundError:
            return set()
        assert sum(each.documents for each in found.folders) == len(allowed)
        return allowed

    async def citations(self, reader: Principal) -> set[int]:
        messages = await list_messages(self.stack.pool, reader, self.session_id, 0, 10, all_branches=True)
        cited = {each.document_id or 0 for item in messages for each in item.citations if each.title or each.snippet}
        return cited | {each.document_id for item in messages for each in item.attachments if each.title}

    async def events(self, reader: Principal) -> set[int]:
        """Returns who receives a change of a document."""
        subscriber = UserSubscriber(reader)
        self.feeds._subscribers = {reader.user_id: {subscriber}}
        document_id = self.world.dice.choice(list(self.world.documents))
        return {document_id} if await self.feeds._readers(document_id) else set()

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
