"""Access rules: reads by fifty people, with changes in between; ten thousand of them with `python -m bench.leaks`."""

import os
import random
from collections import Counter
from types import SimpleNamespace
from typing import Any, cast

import pytest

from echomind_agent.tools.documents import search_documents
from echomind_lib.db.database import Database
from echomind_lib.jobs import Job
from tests.drivers.agent import Agent
from tests.drivers.leaks.documents import DocumentReads
from tests.drivers.leaks.knowledge import KnowledgeReads
from tests.drivers.leaks.memories import MemoryReads
from tests.drivers.leaks.notebooks import NotebookReads
from tests.drivers.leaks.ways import Reads
from tests.drivers.leaks.world import World
from tests.drivers.model_server import ModelServer, Text, Tools, Turn
from tests.drivers.stack import Stack

THOROUGH = bool(os.environ.get("ECHOMIND_LEAK_REPORT"))
READS = 10_000
SHARE = 1 if THOROUGH else 4
"""One of so many reads is made."""


def answers(body: dict[str, Any]) -> Turn:
    """Returns what the model answers: it searches, and cites what it is given."""
    if body["messages"][-1]["role"] == "tool":
        return Text("This is a secret [1]. So is this [2]. And this [3].")
    if not body.get("tools"):
        return Text("A title")
    return Tools([("search_documents", {"query": body["messages"][-1]["content"][:80], "limit": 20})])


@pytest.mark.timeout(3000 if THOROUGH else 300)
async def test_reads_show_nothing_foreign(
    stack: Stack, database: Database, agent: Agent, model_server: ModelServer
) -> None:
    dice = random.Random(20)
    world = World(stack, database, dice)
    await world.build()
    model_server.respond(answers)
    agent.start([search_documents(stack.retriever)])
    readings: list[Reads] = [
        DocumentReads(world, agent),
        NotebookReads(world),
        KnowledgeReads(world),
        MemoryReads(world),
    ]
    for each in readings:
        await each.build()
    ways = [way for each in readings for way in each.ways()]
    plan = [way for way in ways for _ in range(way.times)]
    assert len(plan) == READS
    dice.shuffle(plan)
    shown: Counter[str] = Counter()
    for number, way in enumerate(plan[::SHARE]):
        if number % 50 == 0:
            await world.change()
        reader, name = dice.choice(world.people), way.read.__name__
        found = await way.read(reader)
        foreign = [each for each in found if not way.may_be_shown(reader, world.documents[each])]
        assert foreign == [], (name, reader.user_id, foreign)
        shown[name] += len(found)
    assert all(shown[way.read.__name__] for way in ways), shown
    # And what people may read is found, once chunks have followed.
    for connector in world.connectors:
        await world.follow.work(cast("Job", SimpleNamespace(subject_id=str(connector.id))))
    for reader in world.people:
        allowed = {each.id for each in world.documents.values() if world.may_read(reader, each)}
        hits = await stack.retriever.search(reader, "What connector says secret?", limit=300)
        found = {document for hit in hits for document in (hit.document_id, *hit.copy_ids)}
        assert found == allowed
