"""Statements that took effect and whose confirmation the worker never gets."""

import asyncio
from typing import Any

import asyncpg
import pytest

from echomind_lib.pb.echomind.public.v1 import run_pb2
from echomind_lib.runs import finish, lease, steps, sub_runs
from tests.drivers.agent import Agent
from tests.drivers.death import has_status, is_whole, sub_agents_of, until
from tests.drivers.model_server import ModelServer, Text, Tools
from tests.factories.turns import plays, sub_agent


@pytest.mark.parametrize(
    ("module", "name"),
    [(steps, "record_step"), (steps, "record_result"), (lease, "release"), (finish, "finish"), (sub_runs, "start")],
    ids=["record_step", "record_result", "leave", "finish", "sub_runs.start"],
)
async def test_the_connection_breaks_after_a_commit(
    agent: Agent, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, module: Any, name: str
) -> None:
    """The worker lives, and cannot know whether its statement took effect."""
    await agent.configure(tools=["order", "spawn_sub_agent"], approvalTools=["order"])
    agent.shelf.go.set()
    model_server.respond(
        plays([Tools([("order", {"key": "pizza"}), sub_agent("A.")]), Text("Done.")], lambda goal, body: Text("Found."))
    )
    original = getattr(module, name)
    broken = False

    async def breaks(pool: Any, taken: Any, *arguments: Any, **named: Any) -> Any:
        nonlocal broken
        result = await original(pool, taken, *arguments, **named)
        if broken or taken.run.parent_run_id is not None:
            return result
        broken = True
        raise asyncpg.ConnectionDoesNotExistError("connection was closed in the middle of operation")

    monkeypatch.setattr(module, name, breaks)
    agent.start()
    sent = await agent.ask("Root?")
    await until(lambda: has_status(agent, sent, "waiting_for_input"))
    await agent.decide(sent.run_id, True)
    await is_whole(agent, sent, "Done.")
    assert broken
    assert agent.shelf.calls == [("order", "pizza")]
    assert await sub_agents_of(agent, sent) == [("A.", "completed")]


async def test_the_connection_breaks_after_a_call_was_noted_as_begun(
    agent: Agent, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was not made, and nobody can know: so it is put to the person, and not made by itself."""
    agent.shelf.go.set()
    model_server.script([Tools([("order", {"key": "pizza"})]), Text("Done.")])
    broken = asyncio.Event()
    original: Any = asyncpg.transaction.Transaction.__aexit__

    async def breaks(self: Any, *arguments: Any) -> Any:
        # Jobs of the worker end transactions, too, and may see the call: this one has stored it itself.
        notes = not broken.is_set() and await self._connection.fetchval(
            "SELECT EXISTS (SELECT FROM tool_calls WHERE xmin::text = pg_current_xact_id_if_assigned()::xid::text)"
        )
        result = await original(self, *arguments)
        if not notes:
            return result
        broken.set()
        raise asyncpg.ConnectionDoesNotExistError("connection was closed in the middle of operation")

    monkeypatch.setattr(asyncpg.transaction.Transaction, "__aexit__", breaks)
    agent.start()
    sent = await agent.ask()
    await broken.wait()
    assert (await agent.waits(sent.run_id)).kind == run_pb2.PENDING_INPUT_KIND_OUTCOME
    await agent.reply(sent.run_id, "Nothing came.")
    await is_whole(agent, sent, "Done.")
    assert agent.shelf.calls == []
    assert await agent.pool.fetchval("SELECT count(*) FROM checkpoints") == 1
