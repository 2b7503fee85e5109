"""Recovery of memory extraction whose worker died: every effect happens once."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from echomind_agent.learning import extraction
from echomind_agent.learning.memory.prompt import INSTRUCTIONS
from echomind_lib.config import Settings
from echomind_lib.jobs import EXTRACT_MEMORIES, wake
from echomind_lib.jobs import lease as job_lease
from echomind_lib.learned.sessions import find_idle_sessions
from echomind_lib.llms import ChatRequest
from tests.drivers.agent import Agent
from tests.drivers.death import Death, until
from tests.drivers.installation import AgentProcess
from tests.drivers.memories import Memories, candidates, person_messages, proposals
from tests.drivers.model_server import Hang, ModelServer, Turn
from tests.drivers.servers import running

POINTS: dict[str, tuple[Any, str, bool]] = {
    "before the model is asked": (extraction, "complete_for_session", False),
    "after the model has answered": (extraction, "complete_for_session", True),
    "after the watermark was moved": (extraction, "mark_read", True),
    "after the rows were stored, before their vectors": (extraction, "index_soon", False),
    "after the vectors were stored, before the job has ended": (job_lease, "complete", False),
}


def _is_extraction(*arguments: Any, **_: Any) -> bool:
    """Returns whether a call is about a job of extraction, as far as it says which job it is about."""
    said = [each.messages[0].content for each in arguments if isinstance(each, ChatRequest)]
    kinds = [getattr(each, "kind", EXTRACT_MEMORIES.name) for each in arguments]
    return all(text == INSTRUCTIONS for text in said) and all(kind == EXTRACT_MEMORIES.name for kind in kinds)


def _answer(body: dict[str, Any]) -> Turn:
    """Two operations: one memory is replaced, and one is new."""
    messages = list(person_messages(body))
    number = candidates(body).index("The person drinks coffee.") + 1
    given = {"messages": messages, "kind": "semantic", "importance": 0.7, "confidence": 0.9}
    return proposals(
        given | {"op": "UPDATE", "text": "The person drinks tea and no coffee.", "targets": [number]},
        given | {"op": "ADD", "text": "The person sails on Sundays."},
    )


async def _done(memories: Memories, session_id: int) -> bool:
    await wake(memories.log.bus, EXTRACT_MEMORIES)
    status = await memories.pool.fetchval(
        "SELECT status FROM background_jobs WHERE kind = $1 AND subject_id = $2",
        EXTRACT_MEMORIES.name,
        str(session_id),
    )
    return bool(status == "completed")


async def _is_whole(memories: Memories, session_id: int, old: int) -> None:
    """Each memory is there once, the old one is history, and the session was told once."""
    closed, tea, sailing = await memories.rows(with_history=True)
    assert (closed["id"], closed["superseded_by"]) == (old, tea["id"])
    assert closed["valid_to"] is not None
    assert [row["content"] for row in (tea, sailing)] == [
        "The person drinks tea and no coffee.",
        "The person sails on Sundays.",
    ]
    for row in (tea, sailing):
        assert (row["trust"], row["source_session_id"], row["valid_to"]) == ("user_said", session_id, None)
        assert (float(row["importance_score"]), float(row["confidence"]), row["access_count"]) == (0.7, 0.9, 0)
    events = await memories.pool.fetch("SELECT text FROM run_events WHERE chat_session_id = $1", session_id)
    assert [event["text"] for event in events] == ["Memories: 1 added, 1 replaced"]
    await memories.index()
    assert await memories.pool.fetchval("SELECT count(*) FROM fact_changes") == 0
    for text in ("coffee and tea", "sailing on Sundays"):
        found = await memories.facts.search("memory", [f"user_{memories.user_id}"], text, 5)
        assert {each.id for each in found} == {tea["id"], sailing["id"]}
    assert await memories.claim() is None  # nothing is read twice


@pytest.mark.parametrize("point", POINTS)
async def test_each_memory_is_stored_once_wherever_its_worker_dies(
    memories: Memories, agent: Agent, model_server: ModelServer, death: Death, point: str
) -> None:
    old = await memories.remember("The person drinks coffee.")
    session_id = await memories.conversation("I drink tea now and no coffee, and on Sundays I sail.")
    model_server.respond(_answer)
    module, name, after = POINTS[point]
    death.at(module, name, after=after, when=_is_extraction)
    death.start()
    await find_idle_sessions(memories.pool, memories.log.bus, 10.0)
    await death.is_reached()
    if "vectors were stored" in point:
        await memories.index()
    await death.comes()
    await until(lambda: _done(memories, session_id))
    await _is_whole(memories, session_id, old)
    was_asked_again = point in ("after the model has answered", "after the watermark was moved")
    assert len(model_server.requests) == 1 + was_asked_again


async def test_each_memory_is_stored_once_when_the_process_is_killed(
    memories: Memories, model_server: ModelServer, process_settings: Settings, tmp_path: Path
) -> None:
    old = await memories.remember("The person drinks coffee.")
    session_id = await memories.conversation("I drink tea now and no coffee, and on Sundays I sail.")
    model_server.respond(lambda _: Hang())
    with running(AgentProcess(process_settings), tmp_path) as process:
        await find_idle_sessions(memories.pool, memories.log.bus, 10.0)
        await model_server.wait_for_requests(1)
        os.kill(process.pid, signal.SIGKILL)
    model_server.respond(_answer)
    with running(AgentProcess(process_settings), tmp_path):
        await until(lambda: _done(memories, session_id))
        await _is_whole(memories, session_id, old)
