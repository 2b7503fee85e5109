"""Runs, their steps and their goals, over both transports. No worker answers here."""

import pytest

from echomind_lib.errors import (
    InvalidPageTokenError,
    LlmUnavailableError,
)
from tests.drivers.client import TRANSPORTS
from tests.drivers.person import Person, chat_model

pytestmark = pytest.mark.parametrize("via", TRANSPORTS)


async def test_all_steps_in_pages(person: Person) -> None:
    run = (await person.ask("One?"))["run"]["id"]
    await person.pool.execute(
        "INSERT INTO steps (run_id, step_number, action, status)"
        " SELECT $1, number, 'call_tool', 'completed' FROM generate_series(1, 52) AS number",
        run,
    )
    await person.pool.execute(
        "INSERT INTO tool_calls (step_id, tool_call_id, tool_name, status, approval, approval_comment)"
        " SELECT id, 'c', 'order', 'completed', 'granted', 'But a small one.' FROM steps"
        " WHERE run_id = $1 AND step_number = 52",
        run,
    )
    first = await person.call("RunService/ListSteps", id=run)
    rest = await person.call("RunService/ListSteps", id=run, pageSize=3, pageToken=first["nextPageToken"])
    assert [step["stepNumber"] for step in [*first["steps"], *rest["steps"]]] == list(range(1, 53))
    assert not rest.get("nextPageToken")
    (call,) = rest["steps"][-1]["toolCalls"]
    assert call["approvalComment"] == "But a small one."
    other = (await person.ask("Two?"))["run"]["id"]
    with pytest.raises(InvalidPageTokenError):
        await person.call("RunService/ListSteps", id=other, pageToken=first["nextPageToken"])


async def test_the_built_in_model_refuses_a_goal_at_once(person: Person) -> None:
    runs = await person.pool.fetchval("SELECT count(*) FROM runs")
    with pytest.raises(LlmUnavailableError, match="cannot work towards a goal"):
        await person.ask("Write it.", options={"autoRun": True})
    await person.ask("What?")
    with pytest.raises(LlmUnavailableError, match="cannot work towards a goal"):
        await person.ask("Write it.", options={"autoRun": True})
    assert await person.pool.fetchval("SELECT count(*) FROM runs") == runs + 1


async def test_a_run_by_itself(person: Person) -> None:
    async with chat_model(person.pool):
        sent = await person.ask("Write it.", options={"autoRun": True, "maxDepth": 0, "maxCost": 0.5})
    run = sent["run"]
    assert (run["goal"], run["autoRun"], run["maxCost"], run.get("maxDepth", 0)) == ("Write it.", True, 0.5, 0)
    session = await person.call("ChatSessionService/GetChatSession", id=int(person.session))
    assert session["goal"] == "Write it."
