"""Invariants of teams whose members finish, fail, ask, are cancelled or lose their worker in any order."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from echomind_agent.text.sentences import MARKER
from echomind_lib.events.replay import read_events
from echomind_lib.pb.echomind.public.v1 import step_pb2
from tests.drivers.agent import Agent
from tests.drivers.team import Conduct, Team

EXAMPLES = 10
_ENDS = (step_pb2.STEP_STATUS_COMPLETED, step_pb2.STEP_STATUS_FAILED, step_pb2.STEP_STATUS_CANCELLED)
_NUMBER = st.integers(0, 7)
_CONDUCT: st.SearchStrategy[Conduct] = st.sampled_from(["find", "find", "ask", "order", "nothing"])
_ACTS: dict[str, tuple[int, Callable[[Team, int, int], Awaitable[None]]]] = {
    "let": (8, lambda team, number, _: team.let(number)),
    "claim": (5, lambda team, number, other: team.claim(number, other % 2)),
    "reply": (4, lambda team, number, _: team.reply(number)),
    "let die": (2, lambda team, number, moments: team.let(number, moments)),
    "die": (1, lambda team, number, _: team.die(number % 2)),
    "pause": (1, lambda team, number, _: team.control(number, "paused")),
    "resume": (2, lambda team, number, _: team.control(number, "queued")),
    "cancel": (1, lambda team, number, other: team.control(number or other, "cancelled")),
}
"""How often each act comes, and what it does with two numbers."""
_NAMES = [name for name, (weight, _) in _ACTS.items() for _ in range(weight)]
_ACT = st.tuples(st.sampled_from(_NAMES), _NUMBER, _NUMBER)


async def holds(team: Team) -> None:
    """Checks what holds of a tree of runs at every moment."""
    runs = await team.pool.fetch("SELECT * FROM runs WHERE chat_session_id = $1", team.session_id)
    by_id = {run["id"]: run for run in runs}
    root = by_id[team.root]
    assert sum(run["steps_executed"] for run in runs) <= root["max_steps"]
    assert all(run["steps_executed"] <= run["max_steps"] for run in runs)
    assert all(run["max_steps"] < by_id[run["parent_run_id"]]["max_steps"] for run in runs if run["parent_run_id"])
    # Each member's run is of one call, and each call has one run at most.
    started = await team.pool.fetch(
        "SELECT external_task_id FROM tool_calls JOIN steps ON steps.id = step_id"
        " WHERE run_id = $1 AND external_task_id IS NOT NULL",
        team.root,
    )
    assert sorted(call["external_task_id"] for call in started) == sorted(str(run) for run in by_id if run != team.root)


async def has_ended_well(team: Team) -> None:
    """Checks what holds once every run has ended."""
    await holds(team)
    events = await read_events(team.pool, team.session_id, 0, 10_000)
    finals = Counter(event.run_id for event in events if event.HasField("finished"))
    runs = await team.pool.fetch("SELECT id, status FROM runs WHERE chat_session_id = $1", team.session_id)
    assert finals == {str(run["id"]): 1 for run in runs}
    calls = await team.pool.fetch(
        "SELECT run_id, tool_call_id, tool_calls.status, steps.status AS step_status FROM tool_calls"
        " JOIN steps ON steps.id = step_id JOIN runs ON runs.id = run_id WHERE chat_session_id = $1",
        team.session_id,
    )
    assert {call["status"] for call in calls} <= {"completed", "failed", "cancelled", "timeout"}
    ended = Counter((event.run_id, event.tool_call.tool_call_id) for event in events if event.tool_call.status in _ENDS)
    answered = {(str(call["run_id"]), call["tool_call_id"]): 1 for call in calls if call["step_status"] == "completed"}
    assert {call: ended[call] for call in answered} == answered
    assert max(ended.values(), default=1) == 1
    await _cites_well(team)


async def _cites_well(team: Team) -> None:
    """Checks that the answer's numbers have no gaps, and that each is of what its sentence says."""
    message = await team.pool.fetchrow("SELECT id, content FROM chat_messages WHERE run_id = $1", team.root)
    assert message is not None
    cited = await team.pool.fetch(
        "SELECT number, documents.title, sentence_start, sentence_end FROM chat_message_documents"
        " JOIN documents ON documents.id = document_id WHERE chat_message_id = $1",
        message["id"],
    )
    numbers = {int(marker["numbers"]) for marker in MARKER.finditer(message["content"])}
    assert {row["number"] for row in cited} == numbers == set(range(1, len(numbers) + 1))
    for row in cited:
        assert f"The {row['title']} says so" in message["content"][row["sentence_start"] : row["sentence_end"]]


async def test_invariants_of_a_team(agent: Agent) -> None:
    team, loop = await Team.prepare(agent), asyncio.get_running_loop()

    async def play(acts: Sequence[tuple[str, int, int]], seed: int, **question: Any) -> None:
        await team.ask(**question)
        for act, number, other in acts:
            await _ACTS[act][1](team, number, other)
            await holds(team)
        await team.to_the_end(seed)
        await has_ended_well(team)

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],  # shrinking takes longer than a test may
        suppress_health_check=list(HealthCheck),
    )
    @given(
        mode=st.sampled_from(["coordinate", "coordinate", "collaborate", "route"]),
        strategy=st.sampled_from(["all", "all", "any", "majority"]),
        steps=st.sampled_from([6, 14, 60]),
        conducts=st.tuples(_CONDUCT, _CONDUCT, _CONDUCT),
        acts=st.lists(_ACT, min_size=20, max_size=40),
        seed=_NUMBER,
    )
    def examples(**given: Any) -> None:
        asyncio.run_coroutine_threadsafe(play(**given), loop).result(60)

    await asyncio.to_thread(examples)
