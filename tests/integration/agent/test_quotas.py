"""Runs and quotas: what a run spends is charged, and a used up quota ends it with the reason."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest

from echomind_lib.conversations.titles import request_title
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from tests.drivers.agent import Agent
from tests.drivers.death import until
from tests.drivers.model_server import Json, ModelServer, Text, Turn
from tests.factories.rows import insert

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def quota(agent: Agent, **limits: Any) -> None:
    await insert(agent.log.pool, "quotas", {"scope": "member", "period": "day"} | limits)


async def used(agent: Agent) -> tuple[int, int, int]:
    """Returns the questions, tokens and reserved tokens, once the last run is charged."""
    pool = agent.log.pool
    await until(lambda: pool.fetchval("SELECT NOT EXISTS (SELECT FROM quota_charges)"))
    row = await pool.fetchrow("SELECT questions, tokens, reserved_tokens FROM quota_usage")
    assert row is not None
    return row["questions"], row["tokens"], row["reserved_tokens"]


async def titled(agent: Agent, session_id: int) -> int:
    """Returns what the attempt at the title of a session has used, once it is stored."""
    pool = agent.log.pool
    await until(lambda: pool.fetchval("SELECT title_attempts = 1 FROM chat_sessions WHERE id = $1", session_id))
    query = "SELECT summary_prompt_tokens + summary_completion_tokens FROM chat_sessions WHERE id = $1"
    return int(await pool.fetchval(query, session_id))


@pytest.mark.parametrize("title", ["", "What is so"])
async def test_what_a_run_and_the_title_of_its_session_spend_is_charged(
    agent: Agent, model_server: ModelServer, title: str
) -> None:
    model_server.respond(lambda _: Text("So."))
    model_server.title = Text(title)
    await quota(agent, max_tokens=100_000)
    agent.start()
    sent = await agent.ask()
    assert (await agent.end(sent.run_id)).finished.message.content == "So."
    by_title = await titled(agent, sent.chat_session_id)
    row = await agent.row(sent.run_id)
    assert await used(agent) == (1, row["prompt_tokens"] + row["completion_tokens"] + by_title, 0)
    assert row["prompt_tokens"] > 0 < by_title


async def test_no_title_is_written_while_a_quota_is_used_up(agent: Agent, model_server: ModelServer) -> None:
    model_server.respond(lambda _: Text("So."))
    agent.start()
    sent = await agent.ask()
    await titled(agent, sent.chat_session_id)
    await quota(agent, max_tokens=0)
    await request_title(agent.log, sent.chat_session_id)
    pool, jobs = agent.log.pool, "FROM background_jobs WHERE kind = 'title_session'"
    await until(lambda: pool.fetchval(f"SELECT bool_and(status = 'completed') {jobs}"))
    assert len(model_server.titles) == 1
    await pool.execute("DELETE FROM quotas")
    await request_title(agent.log, sent.chat_session_id)
    await model_server.wait_for_titles(2)


async def test_a_used_up_quota_ends_the_run_before_the_model_is_called(agent: Agent, model_server: ModelServer) -> None:
    calls: list[Json] = []

    def respond(request: Json) -> Turn:
        calls.append(request)
        return Text("So.")

    model_server.respond(respond)
    await quota(agent, max_questions=1)
    agent.start()
    first = await agent.ask()
    await agent.end(first.run_id)
    warnings = [event for event in agent.events if event.HasField("warning")]
    assert [event.warning.code for event in warnings] == [session_event_pb2.WARNING_CODE_QUOTA_NEARLY_USED]
    second = await agent.ask("And now?")
    error = (await agent.end(second.run_id)).finished.error
    assert error.reason == "QUOTA_EXCEEDED"
    tomorrow = datetime.now(UTC).date() + timedelta(days=1)
    assert error.retry_at.ToDatetime(UTC) == datetime.combine(tomorrow, time.min, UTC)
    assert "Your daily quota does not allow another request to the model: 1 of 1 questions are used." in error.message
    assert len(calls) == 1
    assert (await used(agent))[0] == 1


async def test_the_built_in_model_is_not_charged(agent: Agent, model_server: ModelServer) -> None:
    await agent.use_built_in_model()
    await quota(agent, max_questions=1)
    agent.start()
    for _ in range(2):
        sent = await agent.ask("What is the answer?")
        assert not (await agent.end(sent.run_id)).finished.error.reason
    assert not await agent.log.pool.fetchval("SELECT count(*) FROM quota_usage")
