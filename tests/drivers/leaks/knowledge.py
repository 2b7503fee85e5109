"""Reads knowledge that was drawn from documents."""

from typing import Any, cast

from echomind_api.learned.knowledge.knowledge import Knowledge
from echomind_ingestor.facts.indexing import FactIndexing
from echomind_lib.access import Principal
from echomind_lib.contract import CallContext
from echomind_lib.errors import NotFoundError, PermissionDeniedError
from echomind_lib.jobs import INDEX_FACTS, enqueue, lease
from echomind_lib.learned.facts import FactVectors
from echomind_lib.learned.knowledge.entities import newest_own
from echomind_lib.learned.knowledge.search import KnowledgeSearch
from echomind_lib.models import public
from tests.drivers.leaks.ways import Way
from tests.drivers.leaks.world import TOPICS, World
from tests.factories import rows as make


class KnowledgeReads:
    """Opens, lists, searches and reviews knowledge, of which nobody is shown what another person's is."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.facts = FactVectors(world.pool, world.stack.vectors, world.stack.embeddings)
        self.entities = Knowledge(world.database, cast("Any", None), KnowledgeSearch(world.pool, self.facts))
        self.owned: dict[int, tuple[int | None, frozenset[int]]] = {}
        """Owners of entities, None for everybody's, and the documents that these were drawn from."""

    async def build(self) -> None:
        """Gives everybody two entities of their own, of which some are proposed, and as many that are everybody's."""
        for number, person in enumerate(4 * self.world.people):
            topic, is_own = TOPICS[number % len(TOPICS)], number % 2 == 0
            drawn = frozenset(self.world.dice.sample(list(self.world.documents), self.world.dice.randint(1, 2)))
            values: dict[str, Any] = {"user_id": person.user_id, "level": "individual" if is_own else "organization"}
            if number % 10 == 0:
                values |= {"review_status": "proposed", "proposed_level": "organization"}
            content = f"What entity {number} says about the {topic} is a secret."
            row = await make.knowledge(self.world.pool, content=content, **values)
            self.owned[row["id"]] = person.user_id if is_own else None, drawn
            for document_id in drawn:
                source = {"document_id": document_id, "connector_id": self.world.documents[document_id].connector.id}
                await make.insert(self.world.pool, "knowledge_sources", {"knowledge_id": row["id"], **source})
        await enqueue(self.world.pool, INDEX_FACTS)
        job = await lease.claim(self.world.pool, [INDEX_FACTS], self.world.stack.worker_id)
        assert job is not None
        await FactIndexing(self.world.pool, self.facts).work(job)
        await lease.complete(self.world.pool, job, again_after=3600)

    def ways(self) -> list[Way]:
        """Returns the ways to read."""
        may_read, may_manage = self.world.may_read, self.world.may_manage
        return [
            Way(self.knowledge, 120, may_manage),
            Way(self.knowledge_list, 40, may_manage),
            Way(self.knowledge_search, 50, may_read),
            Way(self.knowledge_queue, 100, may_manage),
            Way(self.knowledge_learned, 50, may_read),
        ]

    async def knowledge(self, reader: Principal) -> set[int]:
        call, knowledge_id = CallContext(principal=reader), self.world.dice.choice(list(self.owned))
        try:
            await self.entities.get_knowledge(public.GetKnowledgeRequest(id=knowledge_id), call)
        except NotFoundError:
            return set()
        return self._drawn(reader, [knowledge_id], or_managed=True)

    async def knowledge_list(self, reader: Principal) -> set[int]:
        call = CallContext(principal=reader)
        found = await self.entities.list_knowledge(public.ListKnowledgeRequest(page_size=1000), call)
        return self._drawn(reader, [each.id for each in found.knowledge])

    async def knowledge_search(self, reader: Principal) -> set[int]:
        """Of the API and of the agent's tool, which is the same one."""
        request = public.SearchKnowledgeRequest(
            query=f"What is said about the {self.world.dice.choice(TOPICS)}?", limit=50
        )
        found = await self.entities.search_knowledge(request, CallContext(principal=reader))
        return self._drawn(reader, [hit.knowledge.id for hit in found.hits])

    async def knowledge_queue(self, reader: Principal) -> set[int]:
        """Returns the proposals, and the review of one."""
        call, entities = CallContext(principal=reader), self.entities
        try:
            found = await entities.list_knowledge_proposals(public.ListKnowledgeProposalsRequest(page_size=100), call)
            proposed = self.world.dice.choice(found.knowledge).id
            review = await entities.get_knowledge_review(public.GetKnowledgeReviewRequest(id=proposed), call)
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
        shown = [self.owned[each] for each in ids]
        is_managed = or_managed and reader.has_role("superadmin")
        assert is_managed or {owner for owner, _ in shown} <= {None, reader.user_id}
        return {item for _, drawn in shown for item in drawn}
