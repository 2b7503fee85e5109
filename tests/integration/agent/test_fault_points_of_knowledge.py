"""Recovery of knowledge extraction whose worker died: every effect happens once."""

from typing import Any

import pytest

from echomind_agent.learning import extraction
from echomind_agent.learning.knowledge.prompt import INSTRUCTIONS
from echomind_lib.jobs import EXTRACT_KNOWLEDGE, wake
from echomind_lib.jobs import lease as job_lease
from echomind_lib.learned.sessions import find_idle_sessions
from echomind_lib.llms import ChatRequest
from tests.drivers.agent import Agent
from tests.drivers.death import Death, until
from tests.drivers.knowledge import Learned, add, entries
from tests.drivers.memories import proposals
from tests.drivers.model_server import ModelServer, Turn
from tests.factories import rows as factories

OLD, OTHER = "Releases are made on Tuesdays before noon.", "Releases are made on Tuesdays by the web team."
MERGED = "Releases are made on Tuesdays before noon by the web team."
NEW = "The export fails above 5,000 rows."
POINTS: dict[str, tuple[Any, str, bool]] = {
    "after the model has answered": (extraction, "complete_for_session", True),
    "after the watermark was moved": (extraction, "mark_read", True),
    "before the event is stored": (extraction, "note_in_session", False),
    "after the rows were stored, before their vectors": (extraction, "index_soon", False),
    "after the vectors were stored, before the job has ended": (job_lease, "complete", False),
}


def _is_extraction(*arguments: Any, **_: Any) -> bool:
    """Returns whether a call is about a job of extraction, as far as it says which job it is about."""
    said = [each.messages[0].content for each in arguments if isinstance(each, ChatRequest)]
    kinds = [getattr(each, "kind", EXTRACT_KNOWLEDGE.name) for each in arguments]
    return all(text == INSTRUCTIONS for text in said) and all(kind == EXTRACT_KNOWLEDGE.name for kind in kinds)


def _answer(body: dict[str, Any]) -> Turn:
    """Two operations: two entities are merged, and one is new."""
    numbers = [entries(body).index(text) + 1 for text in (OLD, OTHER)]
    return proposals(
        add(body, "Release day", MERGED, op="MERGE", targets=numbers), add(body, "Export", NEW, category="error_lesson")
    )


@pytest.mark.parametrize("point", POINTS)
async def test_each_entity_is_stored_once_wherever_its_worker_dies(
    learned: Learned, agent: Agent, model_server: ModelServer, death: Death, point: str
) -> None:
    first = await learned.know("Release day", OLD)
    await learned.know("Who releases", OTHER)
    session_id = await learned.conversation(
        "The web team releases on Tuesdays before noon. The export fails above 5,000 rows."
    )
    document = await learned.stack.add("Releases.", "releases.md")
    source = {"chat_session_id": session_id, "document_id": document}
    await factories.insert(learned.pool, "chat_session_sources", source)
    model_server.knowledge = _answer
    module, name, after = POINTS[point]
    death.at(module, name, after=after, when=_is_extraction)
    death.start()
    await find_idle_sessions(learned.pool, learned.log.bus, 10.0)
    await death.is_reached()
    if "vectors were stored" in point:
        await learned.index()
    await death.comes()

    async def is_done() -> bool:
        await wake(learned.log.bus, EXTRACT_KNOWLEDGE)
        job = "SELECT status FROM background_jobs WHERE kind = $1 AND subject_id = $2"
        return bool(await learned.pool.fetchval(job, EXTRACT_KNOWLEDGE.name, str(session_id)) == "completed")

    await until(is_done)
    merged, new = await learned.rows()
    assert (merged["id"], merged["content"], merged["revision"]) == (first, MERGED, 2)
    assert (new["content"], new["category"], new["source_session_id"]) == (NEW, "error_lesson", session_id)
    assert [await learned.sources(row["id"]) for row in (merged, new)] == [[document], [document]]
    events = await learned.pool.fetch("SELECT text FROM run_events WHERE chat_session_id = $1", session_id)
    assert [event["text"] for event in events if event["text"].startswith("Knowledge")] == [
        "Knowledge: 1 added, 2 replaced"
    ]
    await learned.index()
    assert await learned.pool.fetchval("SELECT count(*) FROM fact_changes") == 0
    found = await learned.facts.search("knowledge", [f"user_{learned.user_id}"], "releases and exports", 5)
    assert {each.id for each in found} == {merged["id"], new["id"]}
    assert await learned.claim() is None  # nothing is read twice
    was_asked_again = module is extraction and name != "index_soon"
    assert len(model_server.extractions) == 1 + was_asked_again
