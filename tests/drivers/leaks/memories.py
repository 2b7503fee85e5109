"""The ways to read memories while rights change: they are their person's alone, superadmins included."""

from types import SimpleNamespace
from typing import Any, cast

from echomind_agent.learning.memory import recall
from echomind_agent.tools.memory import search_memory
from echomind_api.learned.memories.memories import Memories
from echomind_api.streams.subscriber import withhold
from echomind_ingestor.facts.indexing import FactIndexing
from echomind_lib.access import Principal
from echomind_lib.contract import CallContext
from echomind_lib.conversations.messages import read_message
from echomind_lib.errors import NotFoundError
from echomind_lib.jobs import Job
from echomind_lib.learned.facts import FactVectors
from echomind_lib.learned.memories import find_memories
from echomind_lib.models.public import GetMemoryRequest, ListMemoriesRequest, SearchMemoriesRequest
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from tests.drivers.leaks.ways import Way
from tests.drivers.leaks.world import TOPICS, World
from tests.factories import rows as make

_MEMORIES = 3
"""Memories of a person: the first was said, the others were drawn from documents."""


class MemoryReads:
    """Reads memories, and returns the documents that those were drawn from which were shown.

    Nobody is ever shown the memory of another person, superadmins included; that is checked at once.
    """

    def __init__(self, world: World) -> None:
        self._world, self._pool, self._dice = world, world.pool, world.dice
        self._facts = FactVectors(world.pool, world.stack.vectors, world.stack.embeddings)
        nothing = cast("Any", None)
        self._api = Memories(cast("Any", SimpleNamespace(pool=world.pool)), nothing, self._facts)
        self._tool = search_memory(self._facts)
        self._owner: dict[int, int] = {}
        self._drawn_from: dict[int, set[int]] = {}
        self._answers: list[int] = []

    async def build(self) -> None:
        """Gives every person memories with vectors, and a conversation whose answer was given them."""
        for person in self._world.people:
            ids = [await self._remember(person, number) for number in range(_MEMORIES)]
            session = await make.chat_session(self._pool, user_id=person.user_id)
            answer = await make.chat_message(
                self._pool, chat_session_id=session["id"], role="assistant", memory_ids=ids
            )
            self._answers.append(answer["id"])
        await FactIndexing(self._pool, self._facts).work(cast("Job", None))

    async def _remember(self, person: Principal, number: int) -> int:
        readable = [each.id for each in self._world.documents.values() if self._world.may_cite(person, each)]
        documents = self._dice.sample(readable, min(number, len(readable)))
        content = f"The person plans the {self._dice.choice(TOPICS)}, secret number {len(self._owner)}."
        trust = "derived" if documents else "user_said"
        row = await make.memory(self._pool, user_id=person.user_id, content=content, trust=trust)
        for document_id in documents:
            await make.insert(
                self._pool,
                "memory_sources",
                {
                    "memory_id": row["id"],
                    "document_id": document_id,
                    "connector_id": self._world.documents[document_id].connector.id,
                },
            )
        self._owner[row["id"]], self._drawn_from[row["id"]] = person.user_id, set(documents)
        return int(row["id"])

    def ways(self) -> list[Way]:
        """Returns the ways to read."""
        may_cite = self._world.may_cite
        return [
            Way(self.memory_list, 440, may_cite),
            Way(self.memory, 450, may_cite),
            Way(self.memories_of_an_answer, 250, may_cite),
            Way(self.memory_search, 50, may_cite),
            Way(self.memory_tool, 50, may_cite),
            Way(self.memories_for_a_prompt, 50, may_cite),
        ]

    async def memory_list(self, reader: Principal) -> set[int]:
        """Returns the list, which is also the export and what is counted."""
        request = ListMemoriesRequest(with_history=self._dice.random() < 0.5)
        found = await self._api.list_memories(request, CallContext(principal=reader))
        return self._shown(reader, [memory.id for memory in found.memories])

    async def memory(self, reader: Principal) -> set[int]:
        """Returns one memory, of anybody."""
        own = [memory_id for memory_id, owner in self._owner.items() if owner == reader.user_id]
        memory_id = self._dice.choice(own if self._dice.random() < 0.5 else list(self._owner))
        try:
            found = await self._api.get_memory(GetMemoryRequest(id=memory_id), CallContext(principal=reader))
        except NotFoundError:
            return set()
        return self._shown(reader, [found.id])

    async def memories_of_an_answer(self, reader: Principal) -> set[int]:
        """Returns which memories an answer of anybody was given, and what its session was told of them."""
        index = self._dice.randrange(len(self._answers))
        if self._dice.random() < 0.5:
            index = [person.user_id for person in self._world.people].index(reader.user_id)
        message = await read_message(self._pool, reader, self._answers[index])
        assert message is not None
        owner = self._world.people[index].user_id
        event = SessionEvent(text="Memories: 1 added")
        if owner != reader.user_id:
            withhold(event)
            assert event.text == ""
        # Only ids are shown, which must belong to the reader's own memories.
        for memory_id in message.memory_ids:
            assert self._owner[memory_id] == reader.user_id
        return {each.id for each in self._world.documents.values() if self._world.may_cite(reader, each)}

    async def memory_search(self, reader: Principal) -> set[int]:
        """Returns the search of the API."""
        request = SearchMemoriesRequest(query=self._question(), limit=48)
        found = await self._api.search_memories(request, CallContext(principal=reader))
        return self._shown(reader, [hit.memory.id for hit in found.hits if hit.memory])

    async def memory_tool(self, reader: Principal) -> set[int]:
        """Returns the agent's tool."""
        session = await make.chat_session(self._pool, user_id=reader.user_id)
        given = {"chat_session_id": session["id"], "worker_id": await make.new_worker(self._pool)}
        run = await make.run(self._pool, status="running", attempt=1, **given)
        lease = SimpleNamespace(run_id=run["id"], attempt=1)
        context = cast("Any", SimpleNamespace(log=SimpleNamespace(pool=self._pool), principal=reader, lease=lease))
        outcome = await self._tool.call(context, self._tool.parse(f'{{"query": "{self._question()}"}}'))
        await self._pool.execute("UPDATE runs SET status = 'completed', completed_at = now() WHERE id = $1", run["id"])
        return self._shown(reader, [each for each in self._owner if f"[{each}] " in str(outcome)])

    async def memories_for_a_prompt(self, reader: Principal) -> set[int]:
        """Returns what stands in the prompt of a run."""
        found = await find_memories(self._pool, self._facts, reader, self._question(), recall.MAX_MEMORIES)
        chosen = recall.fitting(found, len)
        return self._shown(reader, [memory.id for memory in chosen])

    def _question(self) -> str:
        return f"What of the {self._dice.choice(TOPICS)} does the person plan?"

    def _shown(self, reader: Principal, ids: list[int]) -> set[int]:
        assert {self._owner[memory_id] for memory_id in ids} <= {reader.user_id}
        return set().union(*(self._drawn_from[memory_id] for memory_id in ids))
