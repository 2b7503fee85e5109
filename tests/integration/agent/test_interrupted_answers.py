"""What answers cost that were interrupted: their provider has generated them, and does not say how much."""

from decimal import Decimal
from typing import Any

import pytest

from echomind_lib.pb.echomind.public.v1 import run_pb2
from tests.drivers.agent import Agent
from tests.drivers.death import until
from tests.drivers.model_server import CutOff, Error, ModelServer, Text
from tests.factories.rows import insert

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def has_prices(agent: Agent) -> None:
    await agent.pool.execute("UPDATE llms SET input_price = 1, output_price = 2")


def price(row: Any) -> Decimal:
    return Decimal(row["prompt_tokens"] + 2 * row["completion_tokens"]) / 1_000_000


async def test_a_cancelled_answer_is_charged_for_what_was_written(agent: Agent, model_server: ModelServer) -> None:
    model_server.respond(lambda _: Text("word " * 400, delay_ms=20))
    await insert(agent.pool, "quotas", {"scope": "member", "period": "day", "max_tokens": 100_000})
    await has_prices(agent)
    agent.start()
    sent = await agent.ask()
    await agent.until(lambda: len("".join(agent.texts(sent.assistant_message_id).values())) > 200)
    await agent.control(sent.run_id, "cancelled")
    final = await agent.end(sent.run_id)
    assert final.finished.status == run_pb2.RUN_STATUS_CANCELLED
    row = await agent.row(sent.run_id)
    written = len(final.finished.message.content)
    assert row["prompt_tokens"] > 0
    assert written / 8 < row["completion_tokens"] < written
    assert float(row["cost"]) == pytest.approx(float(price(row)))
    tokens = row["prompt_tokens"] + row["completion_tokens"]
    await until(lambda: agent.pool.fetchval("SELECT NOT EXISTS (SELECT FROM quota_charges)"))
    assert await agent.pool.fetchval("SELECT tokens FROM quota_usage") == tokens
    (step,) = await agent.steps(sent.run_id)
    assert step["prompt_tokens"] + step["completion_tokens"] == tokens


async def test_answers_that_break_off_are_charged_also_when_the_run_is_tried_again(
    agent: Agent, model_server: ModelServer
) -> None:
    model_server.script([CutOff("word " * 300), CutOff("word " * 300), Text("All of it.")])
    await has_prices(agent)
    agent.start()
    sent = await agent.ask()
    assert (await agent.end(sent.run_id)).finished.message.content == "All of it."
    row, (step,) = await agent.row(sent.run_id), await agent.steps(sent.run_id)
    assert len(model_server.requests) == 3
    assert row["completion_tokens"] - step["completion_tokens"] > 2 * 300
    assert row["prompt_tokens"] - step["prompt_tokens"] > 0
    assert float(row["cost"]) == pytest.approx(float(price(row)))


async def test_a_request_that_the_model_refuses_costs_nothing(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Error(401)])
    agent.start()
    sent = await agent.ask()
    assert (await agent.end(sent.run_id)).finished.status == run_pb2.RUN_STATUS_FAILED
    row = await agent.row(sent.run_id)
    assert (row["prompt_tokens"], row["completion_tokens"]) == (0, 0)
